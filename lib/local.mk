# SPDX-License-Identifier: LGPL-2.1-or-later
# Everything is compiled once into a convenience library, which the unit tests link too: they reach
# functions that the shared library hides.
noinst_LTLIBRARIES += lib/libinternal.la
lib_libinternal_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
lib_libinternal_la_LIBADD = arch/libarch.la
lib_libinternal_la_SOURCES = lib/doctor.c bindings/functions/inline.c bindings/functions/inline.h

include lib/base/local.mk
include lib/isa/local.mk
include lib/names/local.mk
include lib/perf/local.mk
include lib/virtual/local.mk
include lib/target/local.mk
include lib/metrics/local.mk
include lib/sets/local.mk
include lib/sampling/local.mk
include lib/regions/local.mk

# nodelete: threads that end after dlclose() still run the library's clean-up.
lib_LTLIBRARIES += lib/libperfctr.la
lib_libperfctr_la_SOURCES =
lib_libperfctr_la_LIBADD = lib/libinternal.la
lib_libperfctr_la_LDFLAGS = -version-info $(LIBPERFCTR_VERSION_INFO) -no-undefined \
	-Wl,--version-script=$(srcdir)/lib/libperfctr.map -Wl,-z,defs -Wl,-z,nodelete \
	-Wl,-Bsymbolic-functions
EXTRA_lib_libperfctr_la_DEPENDENCIES = lib/libperfctr.map
EXTRA_DIST += lib/README.md lib/libperfctr.map

pkgconfig_DATA = lib/libperfctr.pc

# For CMake. Only make knows the directories in full. The SONAME's number is libtool's current less age.
cmakedir = $(libdir)/cmake/perfctr
nodist_cmake_DATA = lib/cmake/perfctrConfig.cmake lib/cmake/perfctrConfigVersion.cmake
EXTRA_DIST += lib/cmake/perfctrConfig.cmake.in
CLEANFILES += lib/cmake/perfctrConfig.cmake
lib/cmake/perfctrConfig.cmake: $(srcdir)/lib/cmake/perfctrConfig.cmake.in Makefile
	$(AM_V_GEN)$(MKDIR_P) lib/cmake && \
	soname=libperfctr.so.`echo $(LIBPERFCTR_VERSION_INFO) | awk -F: '{ print $$1 - $$3 }'` && \
	sed -e 's,@libdir[@],$(libdir),; s,@includedir[@],$(includedir),' -e "s,@soname[@],$$soname," \
		-e 's|@libs_private[@]|$(LIBS)|' $(srcdir)/lib/cmake/perfctrConfig.cmake.in >$@.tmp && mv $@.tmp $@
