# SPDX-License-Identifier: LGPL-2.1-or-later
bin_PROGRAMS += perfex
perfex_SOURCES = tools/driver.c tools/events.c tools/output.c tools/perfex.c tools/perfex.h tools/run.c \
	tools/sample.c tools/symbols.c
perfex_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS)
perfex_LDADD = lib/libperfctr.la $(LIBELF_LIBS) -lm

bin_PROGRAMS += perfctr-info
perfctr_info_SOURCES = tools/perfctr-info.c
perfctr_info_LDADD = lib/libperfctr.la
