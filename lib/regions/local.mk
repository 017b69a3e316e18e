# SPDX-License-Identifier: LGPL-2.1-or-later
lib_libinternal_la_SOURCES += \
	lib/regions/arena.c \
	lib/regions/arena.h \
	lib/regions/calibrate.c \
	lib/regions/calibrate.h \
	lib/regions/environment.c \
	lib/regions/fast_path.c \
	lib/regions/fast_path.h \
	lib/regions/interpreter.c \
	lib/regions/metrics.c \
	lib/regions/metrics.h \
	lib/regions/overlap.c \
	lib/regions/print.c \
	lib/regions/print.h \
	lib/regions/recover.c \
	lib/regions/regions.c \
	lib/regions/report.c \
	lib/regions/resume.c \
	lib/regions/resume.h \
	lib/regions/slow_path.c \
	lib/regions/state.c \
	lib/regions/state.h \
	lib/regions/thread.c \
	lib/regions/thread.h \
	lib/regions/totals.c \
	lib/regions/totals.h
EXTRA_DIST += lib/regions/README.md
