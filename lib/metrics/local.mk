# SPDX-License-Identifier: LGPL-2.1-or-later
lib_libinternal_la_SOURCES += \
	lib/metrics/error.c \
	lib/metrics/expand.c \
	lib/metrics/expand.h \
	lib/metrics/facts.c \
	lib/metrics/facts.h \
	lib/metrics/formula.c \
	lib/metrics/formula.h \
	lib/metrics/groups.c \
	lib/metrics/metrics.c \
	lib/metrics/metrics.h \
	lib/metrics/opened.h \
	lib/metrics/records.c \
	lib/metrics/records.h \
	lib/metrics/threshold.c \
	lib/metrics/threshold.h \
	lib/metrics/values.c
EXTRA_DIST += lib/metrics/README.md
