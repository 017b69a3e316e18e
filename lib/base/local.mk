# SPDX-License-Identifier: LGPL-2.1-or-later
lib_libinternal_la_SOURCES += \
	lib/base/call.c \
	lib/base/call.h \
	lib/base/cpus.c \
	lib/base/cpus.h \
	lib/base/descriptor.c \
	lib/base/descriptor.h \
	lib/base/error.c \
	lib/base/error.h \
	lib/base/file.c \
	lib/base/file.h \
	lib/base/head.h \
	lib/base/json.c \
	lib/base/json.h \
	lib/base/letters.c \
	lib/base/letters.h \
	lib/base/list.c \
	lib/base/list.h \
	lib/base/memory.c \
	lib/base/memory.h \
	lib/base/nearest.c \
	lib/base/nearest.h \
	lib/base/process.c \
	lib/base/process.h \
	lib/base/quote.c \
	lib/base/quote.h \
	lib/base/rank.c \
	lib/base/rank.h \
	lib/base/root.h \
	lib/base/stream.c \
	lib/base/stream.h \
	lib/base/text.c \
	lib/base/text.h \
	lib/base/word.h
EXTRA_DIST += lib/base/README.md
