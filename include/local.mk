# SPDX-License-Identifier: LGPL-2.1-or-later
include_HEADERS = include/libperfctr.h
perfctrincludedir = $(includedir)/perfctr
perfctrinclude_HEADERS = \
	include/perfctr/abi.h \
	include/perfctr/abi-generic.h \
	include/perfctr/abi-powerpc.h \
	include/perfctr/abi-x86.h \
	include/perfctr/calls.h \
	include/perfctr/read.h
