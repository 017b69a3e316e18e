# SPDX-License-Identifier: LGPL-2.1-or-later
lib_libinternal_la_SOURCES += \
	lib/isa/attr.c \
	lib/isa/attr.h \
	lib/isa/control.c \
	lib/isa/control.h \
	lib/isa/cpuid.c \
	lib/isa/cpuinfo.c \
	lib/isa/identify.h \
	lib/isa/native.c \
	lib/isa/native.h \
	lib/isa/offer.c \
	lib/isa/offer.h \
	lib/isa/pmu.c \
	lib/isa/pmu.h \
	lib/isa/readable.c \
	lib/isa/tsc.c \
	lib/isa/tsc.h
EXTRA_DIST += lib/isa/README.md
