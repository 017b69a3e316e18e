# SPDX-License-Identifier: LGPL-2.1-or-later
# Libraries that others load: nothing is linked with them.
if SHARED
pkglib_LTLIBRARIES = collect/libperfctr-kokkos.la collect/libperfctr-mpi.la collect/libperfctr-openmp.la
endif
collect_ldflags = -module -avoid-version -no-undefined -shared -Wl,-z,defs
# Objects for static libraries would be compiled, too, for nobody.
collect_libtoolflags = --tag=disable-static

collect_libperfctr_openmp_la_SOURCES = \
	collect/constructs.c collect/constructs.h \
	collect/openmp.c collect/ompt.h \
	collect/place.c collect/place.h \
	collect/visits.c collect/visits.h
collect_libperfctr_openmp_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
collect_libperfctr_openmp_la_LIBADD = lib/libperfctr.la -ldl
collect_libperfctr_openmp_la_LDFLAGS = $(collect_ldflags)
collect_libperfctr_openmp_la_LIBTOOLFLAGS = $(collect_libtoolflags)

collect_libperfctr_kokkos_la_SOURCES = collect/kokkos.c
collect_libperfctr_kokkos_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
collect_libperfctr_kokkos_la_LIBADD = lib/libperfctr.la
collect_libperfctr_kokkos_la_LDFLAGS = $(collect_ldflags)
collect_libperfctr_kokkos_la_LIBTOOLFLAGS = $(collect_libtoolflags)

collect_libperfctr_mpi_la_SOURCES = collect/mpi.c collect/mpi.h
nodist_collect_libperfctr_mpi_la_SOURCES = collect/mpi-calls.c
collect_libperfctr_mpi_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -fno-plt
collect_libperfctr_mpi_la_LIBADD = lib/libperfctr.la -ldl
collect_libperfctr_mpi_la_LDFLAGS = $(collect_ldflags)
collect_libperfctr_mpi_la_LIBTOOLFLAGS = $(collect_libtoolflags)
CLEANFILES += collect/mpi-calls.c
mpi_sources = $(srcdir)/collect/mpi.awk $(srcdir)/collect/mpi.calls
collect/mpi-calls.c: $(mpi_sources)
	$(AM_V_GEN)$(MKDIR_P) collect && LC_ALL=C $(AWK) -f $(mpi_sources) >$@.tmp && mv $@.tmp $@

EXTRA_DIST += collect/README.md collect/mpi.awk collect/mpi.calls
