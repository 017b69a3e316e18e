# SPDX-License-Identifier: LGPL-2.1-or-later
lib_libinternal_la_SOURCES += \
	lib/target/target.c \
	lib/target/target.h \
	lib/target/threads.c \
	lib/target/threads.h
EXTRA_DIST += lib/target/README.md
