# SPDX-License-Identifier: LGPL-2.1-or-later
bin_PROGRAMS += perfex
perfex_SOURCES = \
	tools/die.c tools/die.h \
	tools/symbols.c tools/symbols.h \
	tools/sample.c tools/sample.h \
	tools/events.c tools/events.h \
	tools/driver.c tools/driver.h \
	tools/run.c tools/run.h \
	tools/output.c tools/output.h \
	tools/perfex.c
perfex_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS)
perfex_LDADD = lib/libperfctr.la $(LIBELF_LIBS) -lm

bin_PROGRAMS += perfctr-info
perfctr_info_SOURCES = tools/perfctr-info.c
perfctr_info_LDADD = lib/libperfctr.la

EXTRA_DIST += tools/README.md
