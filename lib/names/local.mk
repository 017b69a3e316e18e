# SPDX-License-Identifier: LGPL-2.1-or-later
lib_libinternal_la_SOURCES += \
	lib/names/catalog.c \
	lib/names/catalog.h \
	lib/names/groups.c \
	lib/names/groups.h \
	lib/names/known.c \
	lib/names/known.h \
	lib/names/modifiers.c \
	lib/names/modifiers.h \
	lib/names/name.c \
	lib/names/name.h \
	lib/names/presets.c \
	lib/names/presets.h \
	lib/names/resolve.c \
	lib/names/resolve.h \
	lib/names/shared.c \
	lib/names/shared.h \
	lib/names/sysfs.c \
	lib/names/sysfs.h \
	lib/names/table.c \
	lib/names/table.h \
	lib/names/terms.c \
	lib/names/terms.h \
	lib/names/tracepoint.c \
	lib/names/tracepoint.h \
	lib/names/units.c \
	lib/names/units.h \
	lib/names/vendor.c \
	lib/names/vendor.h
EXTRA_DIST += lib/names/README.md
