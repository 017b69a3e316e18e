# SPDX-License-Identifier: LGPL-2.1-or-later
lib_libinternal_la_SOURCES += \
	lib/sampling/config.c \
	lib/sampling/config.h \
	lib/sampling/describe.c \
	lib/sampling/sampler.c
EXTRA_DIST += lib/sampling/README.md
