# SPDX-License-Identifier: LGPL-2.1-or-later
bin_PROGRAMS += perfex
perfex_SOURCES = \
	tools/die.c tools/die.h \
	tools/text.c tools/text.h \
	tools/symbols.c tools/symbols.h \
	tools/histogram.c tools/histogram.h \
	tools/sample.c tools/sample.h \
	tools/targets.c tools/targets.h \
	tools/events.c tools/events.h \
	tools/tasks.c tools/tasks.h \
	tools/driver.c tools/driver.h \
	tools/child.c tools/child.h \
	tools/trace.c tools/trace.h \
	tools/run.c tools/run.h \
	tools/results.c tools/results.h \
	tools/ratio.c tools/ratio.h \
	tools/table.c tools/table.h \
	tools/csv.c tools/csv.h \
	tools/json.c tools/json.h \
	tools/output.c tools/output.h \
	tools/options.c tools/options.h \
	tools/show.c tools/show.h \
	tools/perfex.c
perfex_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS)
perfex_LDADD = lib/libperfctr.la $(LIBELF_LIBS) -lm

bin_PROGRAMS += perfctr-info
perfctr_info_SOURCES = tools/perfctr-info.c tools/text.c tools/text.h
perfctr_info_LDADD = lib/libperfctr.la

EXTRA_DIST += tools/README.md
