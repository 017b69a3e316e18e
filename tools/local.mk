# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests link what they need of it, too.
noinst_LIBRARIES += tools/libperfex.a
tools_libperfex_a_SOURCES = \
	lib/base/json.c lib/base/json.h \
	lib/base/letters.c lib/base/letters.h \
	lib/base/nearest.c lib/base/nearest.h \
	lib/base/quote.c lib/base/quote.h \
	lib/base/rank.c lib/base/rank.h \
	lib/base/stream.c lib/base/stream.h \
	tools/perfex/base/text.c tools/perfex/base/text.h \
	tools/perfex/base/clock.c tools/perfex/base/clock.h \
	tools/perfex/base/width.c tools/perfex/base/width.h \
	tools/perfex/base/die.c tools/perfex/base/die.h \
	tools/perfex/base/terminal.c tools/perfex/base/terminal.h \
	tools/perfex/base/pmu.c tools/perfex/base/pmu.h \
	tools/perfex/base/outfile.c tools/perfex/base/outfile.h \
	tools/perfex/base/document.c tools/perfex/base/document.h \
	tools/perfex/count/events.c tools/perfex/count/events.h \
	tools/perfex/count/targets.c tools/perfex/count/targets.h \
	tools/perfex/count/cpumask.c tools/perfex/count/cpumask.h \
	tools/perfex/count/tasks.c tools/perfex/count/tasks.h \
	tools/perfex/count/topology.c tools/perfex/count/topology.h \
	tools/perfex/count/breakdown.c tools/perfex/count/breakdown.h \
	tools/perfex/count/slices.c tools/perfex/count/slices.h \
	tools/perfex/count/driver.c tools/perfex/count/driver.h \
	tools/perfex/count/topdown.c tools/perfex/count/topdown.h \
	tools/perfex/count/turns.c tools/perfex/count/turns.h \
	tools/perfex/count/child.c tools/perfex/count/child.h \
	tools/perfex/count/beside.c tools/perfex/count/beside.h \
	tools/perfex/count/watch.c tools/perfex/count/watch.h \
	tools/perfex/count/trace.c tools/perfex/count/trace.h \
	tools/perfex/count/emulated.c tools/perfex/count/emulated.h \
	tools/perfex/count/emulator.c tools/perfex/count/emulator.h \
	tools/perfex/count/lists.c tools/perfex/count/lists.h \
	tools/perfex/count/valgrind.c tools/perfex/count/valgrind.h \
	tools/perfex/count/run.c tools/perfex/count/run.h \
	tools/perfex/sample/symbols.c tools/perfex/sample/symbols.h \
	tools/perfex/sample/elf.c tools/perfex/sample/elf.h \
	tools/perfex/sample/view.c tools/perfex/sample/view.h \
	tools/perfex/sample/kallsyms.c tools/perfex/sample/kallsyms.h \
	tools/perfex/sample/helper.c tools/perfex/sample/helper.h \
	tools/perfex/sample/rust.c tools/perfex/sample/rust.h \
	tools/perfex/sample/demangle.c tools/perfex/sample/demangle.h \
	tools/perfex/sample/libdw.c tools/perfex/sample/libdw.h \
	tools/perfex/sample/lines.c tools/perfex/sample/lines.h \
	tools/perfex/sample/inlined.c tools/perfex/sample/inlined.h \
	tools/perfex/sample/stacks.c tools/perfex/sample/stacks.h \
	tools/perfex/sample/ways.c tools/perfex/sample/ways.h \
	tools/perfex/sample/weights.c tools/perfex/sample/weights.h \
	tools/perfex/sample/maps.c tools/perfex/sample/maps.h \
	tools/perfex/sample/perf_data.c tools/perfex/sample/perf_data.h \
	tools/perfex/sample/histogram.c tools/perfex/sample/histogram.h \
	tools/perfex/sample/calls.c tools/perfex/sample/calls.h \
	tools/perfex/sample/unwind.c tools/perfex/sample/unwind.h \
	tools/perfex/sample/fenced.c tools/perfex/sample/fenced.h \
	tools/perfex/sample/spool.c tools/perfex/sample/spool.h \
	tools/perfex/sample/sources.c tools/perfex/sample/sources.h \
	tools/perfex/sample/samplers.c tools/perfex/sample/samplers.h \
	tools/perfex/sample/cost.c tools/perfex/sample/cost.h \
	tools/perfex/sample/sample.c tools/perfex/sample/sample.h \
	tools/perfex/report/series.c tools/perfex/report/series.h \
	tools/perfex/report/compare.c tools/perfex/report/compare.h \
	tools/perfex/report/verdict.c tools/perfex/report/verdict.h \
	tools/perfex/report/results.c tools/perfex/report/results.h \
	tools/perfex/report/ratio.c tools/perfex/report/ratio.h \
	tools/perfex/report/metrics.c tools/perfex/report/metrics.h \
	tools/perfex/report/tree.c tools/perfex/report/tree.h \
	tools/perfex/report/baseline.c tools/perfex/report/baseline.h \
	tools/perfex/report/formats.h \
	tools/perfex/report/table.c tools/perfex/report/csv.c \
	tools/perfex/report/json.c tools/perfex/report/openmetrics.c \
	tools/perfex/report/output.c tools/perfex/report/output.h \
	tools/perfex/analyse/advice.c tools/perfex/analyse/advice.h \
	tools/perfex/analyse/cause.c tools/perfex/analyse/cause.h \
	tools/perfex/report/embedded.h \
	tools/perfex/report/page.c tools/perfex/report/page.h \
	tools/perfex/analyse/drill.c tools/perfex/analyse/drill.h \
	tools/perfex/analyse/why.c tools/perfex/analyse/why.h \
	tools/perfex/regions/places.c tools/perfex/regions/places.h \
	tools/perfex/regions/collectors.c tools/perfex/regions/collectors.h \
	tools/perfex/regions/regions.c tools/perfex/regions/regions.h \
	tools/perfex/regions/merge.c tools/perfex/regions/merge.h
nodist_tools_libperfex_a_SOURCES = tools/perfex/report/embedded.c
tools_libperfex_a_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS) $(LIBDW_CFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'

# The script and the style sheet of pages, as C.
page_files = $(srcdir)/tools/perfex/report/page.js $(srcdir)/tools/perfex/report/page.css
BUILT_SOURCES += tools/perfex/report/embedded.c
CLEANFILES += tools/perfex/report/embedded.c
tools/perfex/report/embedded.c: $(srcdir)/tools/perfex/report/embed.awk $(page_files)
	$(AM_V_GEN)$(MKDIR_P) tools/perfex/report && \
	LC_ALL=C $(AWK) -f $(srcdir)/tools/perfex/report/embed.awk page_script=$(srcdir)/tools/perfex/report/page.js \
		page_style=$(srcdir)/tools/perfex/report/page.css >$@.tmp && mv $@.tmp $@

bin_PROGRAMS += perfex
perfex_SOURCES = \
	tools/perfex/command/suggest.c tools/perfex/command/suggest.h \
	tools/perfex/command/table.c tools/perfex/command/table.h \
	tools/perfex/command/options.c tools/perfex/command/options.h \
	tools/perfex/command/show.c tools/perfex/command/show.h \
	tools/perfex/perfex.c
perfex_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
perfex_LDADD = tools/libperfex.a lib/libperfctr.la $(LIBELF_LIBS) -lm -ldl

bin_PROGRAMS += perfctr-info
perfctr_info_SOURCES = tools/perfctr-info/perfctr-info.c tools/perfctr-info/cost.c tools/perfctr-info/cost.h
perfctr_info_LDADD = tools/libperfex.a lib/libperfctr.la

# Where the shells look, by their files' names.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = tools/completion/perfex
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = tools/completion/_perfex
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = tools/completion/perfex.fish

EXTRA_DIST += tools/README.md tools/perfex/report/embed.awk tools/perfex/report/page.js tools/perfex/report/page.css
