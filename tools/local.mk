# SPDX-License-Identifier: LGPL-2.1-or-later
bin_PROGRAMS += perfex
perfex_SOURCES = \
	tools/text.c tools/text.h \
	tools/die.c tools/die.h \
	tools/door.c tools/door.h \
	tools/fit.c tools/fit.h \
	tools/progress.c tools/progress.h \
	tools/colour.c tools/colour.h \
	tools/series.c tools/series.h \
	tools/welch.c tools/welch.h \
	tools/compare.c tools/compare.h \
	tools/verdict.c tools/verdict.h \
	tools/document.c tools/document.h \
	tools/symbols.c tools/symbols.h \
	tools/elf.c tools/elf.h \
	tools/listed.c tools/listed.h \
	tools/demangle.c tools/demangle.h \
	tools/stacks.c tools/stacks.h \
	tools/histogram.c tools/histogram.h \
	tools/unwind.c tools/unwind.h \
	tools/maps.c tools/maps.h \
	tools/perf_data.c tools/perf_data.h \
	tools/samplers.c tools/samplers.h \
	tools/sources.c tools/sources.h \
	tools/sample.c tools/sample.h \
	tools/targets.c tools/targets.h \
	tools/readers.c tools/readers.h \
	tools/events.c tools/events.h \
	tools/tasks.c tools/tasks.h \
	tools/topology.c tools/topology.h \
	tools/parts.c tools/parts.h \
	tools/driver.c tools/driver.h \
	tools/limits.c tools/limits.h \
	tools/missing.c tools/missing.h \
	tools/child.c tools/child.h \
	tools/watch.c tools/watch.h \
	tools/trace.c tools/trace.h \
	tools/emulated.c tools/emulated.h \
	tools/valgrind.c tools/valgrind.h \
	tools/outcome.c tools/outcome.h \
	tools/run.c tools/run.h \
	tools/origin.c tools/origin.h \
	tools/results.c tools/results.h \
	tools/stretches.c tools/stretches.h \
	tools/metrics.c tools/metrics.h tools/ratio.c tools/ratio.h \
	tools/baseline.c tools/baseline.h \
	tools/table.c tools/table.h \
	tools/csv.c tools/csv.h \
	tools/json.c tools/json.h \
	tools/openmetrics.c tools/openmetrics.h \
	tools/replace.c tools/replace.h \
	tools/patient.c tools/patient.h \
	tools/output.c tools/output.h \
	tools/regions.c tools/regions.h \
	tools/merge.c tools/merge.h \
	tools/foreign.c tools/foreign.h \
	tools/options.c tools/options.h \
	tools/show.c tools/show.h \
	tools/perfex.c
perfex_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS) $(LIBDW_CFLAGS)
perfex_LDADD = lib/libperfctr.la $(LIBELF_LIBS) -lm -ldl

bin_PROGRAMS += perfctr-info
perfctr_info_SOURCES = tools/perfctr-info.c tools/cost.c tools/cost.h tools/text.c tools/text.h
perfctr_info_LDADD = lib/libperfctr.la

# Where both shells look, by their files' names.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = tools/completion/perfex
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = tools/completion/_perfex

EXTRA_DIST += tools/README.md
