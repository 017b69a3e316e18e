# SPDX-License-Identifier: LGPL-2.1-or-later
# Everything is compiled once into a convenience library, which the unit tests link too: they reach
# functions that the shared library hides.
noinst_LTLIBRARIES += lib/libinternal.la
lib_libinternal_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
lib_libinternal_la_LIBADD = arch/libarch.la
lib_libinternal_la_SOURCES = \
	lib/attach.c \
	lib/attr.c \
	lib/clock.c \
	lib/counter.c \
	lib/cpu.c \
	lib/cpuid.c \
	lib/doctor.c \
	lib/error.c \
	lib/event.c \
	lib/file.c \
	lib/global.c \
	lib/group.c \
	lib/info.c \
	lib/internal.h \
	lib/memory.c \
	lib/nearest.c \
	lib/overflow.c \
	lib/pmu.c \
	lib/process.c \
	lib/provider.c \
	lib/provider.h \
	lib/provider_driver.c \
	lib/provider_perf.c \
	lib/raw.c \
	lib/raw_perf.c \
	lib/reading.c \
	lib/record.c \
	lib/remote.c \
	lib/ring.c \
	lib/sampler.c \
	lib/set.c \
	lib/signal.c \
	lib/table.c \
	lib/virtual.c \
	lib/why.c

# nodelete: threads that end after dlclose() still run the library's clean-up.
lib_LTLIBRARIES += lib/libperfctr.la
lib_libperfctr_la_SOURCES =
lib_libperfctr_la_LIBADD = lib/libinternal.la
lib_libperfctr_la_LDFLAGS = -version-info $(LIBPERFCTR_VERSION_INFO) -no-undefined \
	-Wl,--version-script=$(srcdir)/lib/libperfctr.map -Wl,-z,defs -Wl,-z,nodelete
EXTRA_lib_libperfctr_la_DEPENDENCIES = lib/libperfctr.map
EXTRA_DIST += lib/libperfctr.map

pkgconfig_DATA = lib/libperfctr.pc
