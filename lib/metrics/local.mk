# SPDX-License-Identifier: LGPL-2.1-or-later
lib_libinternal_la_SOURCES += \
	lib/metrics/error.c \
	lib/metrics/expand.c \
	lib/metrics/expand.h \
	lib/metrics/facts.c \
	lib/metrics/facts.h \
	lib/metrics/formula.c \
	lib/metrics/formula.h \
	lib/metrics/metrics.c \
	lib/metrics/metrics.h \
	lib/metrics/threshold.c \
	lib/metrics/threshold.h
EXTRA_DIST += lib/metrics/README.md
