# SPDX-License-Identifier: LGPL-2.1-or-later
# libpfm4's ABI, in a directory of its own, where only programs that are told find it.
pfm4dir = $(pkglibdir)/libpfm4
if LIBPFM4
pfm4_LTLIBRARIES = compat/libpfm4/libpfm.la
libpfm4_rpath =
else
libpfm4_rpath = -rpath $(pfm4dir)
if SHARED
# For the tests; -rpath makes it a shared library although it is not installed.
check_LTLIBRARIES += compat/libpfm4/libpfm.la
endif
endif
libpfm4_sources = \
	compat/libpfm4/abi.h \
	compat/libpfm4/encode.c compat/libpfm4/encode.h \
	compat/libpfm4/events.c compat/libpfm4/events.h \
	compat/libpfm4/modifiers.c compat/libpfm4/modifiers.h \
	compat/libpfm4/pfm.c \
	compat/libpfm4/pmus.c compat/libpfm4/pmus.h
compat_libpfm4_libpfm_la_SOURCES = $(libpfm4_sources)
compat_libpfm4_libpfm_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
compat_libpfm4_libpfm_la_LIBADD = lib/libperfctr.la
compat_libpfm4_libpfm_la_LDFLAGS = $(libpfm4_rpath) -version-info 4:0:0 -no-undefined -shared \
	-Wl,--version-script=$(srcdir)/compat/libpfm4/libpfm4.map -Wl,-z,defs
EXTRA_compat_libpfm4_libpfm_la_DEPENDENCIES = compat/libpfm4/libpfm4.map
EXTRA_DIST += compat/libpfm4/README.md compat/libpfm4/libpfm4.map
