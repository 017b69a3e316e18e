# SPDX-License-Identifier: LGPL-2.1-or-later
lib_libinternal_la_SOURCES += \
	lib/sets/global.c \
	lib/sets/group.c \
	lib/sets/group.h \
	lib/sets/list.c \
	lib/sets/plan.c \
	lib/sets/plan.h \
	lib/sets/set.c
EXTRA_DIST += lib/sets/README.md
