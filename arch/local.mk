# SPDX-License-Identifier: LGPL-2.1-or-later
# Every ISA's rules, on every host.
noinst_LTLIBRARIES += arch/libarch.la
arch_libarch_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -ffreestanding
arch_libarch_la_SOURCES = \
	arch/check.h \
	arch/cpu.h \
	arch/generic/check.c \
	arch/powerpc/check.c \
	arch/x86/check.c \
	arch/x86/cpus.c
EXTRA_DIST += arch/README.md
