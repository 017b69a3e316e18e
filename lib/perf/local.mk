# SPDX-License-Identifier: LGPL-2.1-or-later
lib_libinternal_la_SOURCES += \
	lib/perf/area.c \
	lib/perf/area.h \
	lib/perf/check.c \
	lib/perf/check.h \
	lib/perf/clock.c \
	lib/perf/clock.h \
	lib/perf/core_types.c \
	lib/perf/core_types.h \
	lib/perf/counter.c \
	lib/perf/counter.h \
	lib/perf/edge.h \
	lib/perf/events.c \
	lib/perf/events.h \
	lib/perf/execs.c \
	lib/perf/execs.h \
	lib/perf/family.c \
	lib/perf/family.h \
	lib/perf/guests.c \
	lib/perf/guests.h \
	lib/perf/lives.c \
	lib/perf/lives.h \
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
	lib/perf/ring.c \
	lib/perf/ring.h \
	lib/perf/signal.c \
	lib/perf/signal.h \
	lib/perf/sys.c \
	lib/perf/sys.h \
	lib/perf/topdown.c \
	lib/perf/topdown.h \
	lib/perf/why.c \
	lib/perf/why.h
EXTRA_DIST += lib/perf/README.md
