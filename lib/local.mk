# SPDX-License-Identifier: LGPL-2.1-or-later
# Everything is compiled once into a convenience library, which the unit tests link too: they reach
# functions that the shared library hides.
noinst_LTLIBRARIES += lib/libinternal.la
lib_libinternal_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
lib_libinternal_la_LIBADD = arch/libarch.la
lib_libinternal_la_SOURCES = \
	lib/base/call.c \
	lib/base/call.h \
	lib/base/cpus.c \
	lib/base/cpus.h \
	lib/base/error.c \
	lib/base/error.h \
	lib/base/file.c \
	lib/base/file.h \
	lib/base/json.c \
	lib/base/json.h \
	lib/base/list.c \
	lib/base/list.h \
	lib/base/memory.c \
	lib/base/memory.h \
	lib/base/nearest.c \
	lib/base/nearest.h \
	lib/base/process.c \
	lib/base/process.h \
	lib/base/root.h \
	lib/base/text.c \
	lib/base/text.h \
	lib/base/word.h \
	lib/isa/attr.c \
	lib/isa/attr.h \
	lib/isa/control.c \
	lib/isa/control.h \
	lib/isa/cpuid.c \
	lib/isa/cpuinfo.c \
	lib/isa/native.c \
	lib/isa/native.h \
	lib/isa/pmu.c \
	lib/isa/pmu.h \
	lib/isa/readable.c \
	lib/isa/tsc.c \
	lib/isa/tsc.h \
	lib/names/catalog.c \
	lib/names/catalog.h \
	lib/names/known.c \
	lib/names/known.h \
	lib/perf/topdown.c \
	lib/perf/topdown.h \
	lib/names/name.c \
	lib/names/name.h \
	lib/names/resolve.c \
	lib/names/resolve.h \
	lib/names/sysfs.c \
	lib/names/sysfs.h \
	lib/names/table.c \
	lib/names/table.h \
	lib/names/tracepoint.c \
	lib/names/tracepoint.h \
	lib/names/vendor.c \
	lib/names/vendor.h \
	lib/perf/check.c \
	lib/perf/check.h \
	lib/perf/clock.c \
	lib/perf/clock.h \
	lib/perf/counter.c \
	lib/perf/counter.h \
	lib/perf/execs.c \
	lib/perf/execs.h \
	lib/perf/events.c \
	lib/perf/events.h \
	lib/perf/guests.c \
	lib/perf/guests.h \
	lib/perf/merge.c \
	lib/perf/merge.h \
	lib/perf/overflow.c \
	lib/perf/overflow.h \
	lib/perf/probe.c \
	lib/perf/probe.h \
	lib/perf/reading.c \
	lib/perf/reading.h \
	lib/perf/record.c \
	lib/perf/record.h \
	lib/perf/area.c \
	lib/perf/area.h \
	lib/perf/ring.c \
	lib/perf/ring.h \
	lib/perf/signal.c \
	lib/perf/signal.h \
	lib/perf/sys.c \
	lib/perf/sys.h \
	lib/perf/why.c \
	lib/perf/why.h \
	lib/doctor.c

include lib/regions/local.mk
include lib/virtual/local.mk
include lib/target/local.mk
include lib/sets/local.mk
include lib/sampling/local.mk
include lib/metrics/local.mk

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
