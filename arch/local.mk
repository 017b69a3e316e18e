# SPDX-License-Identifier: LGPL-2.1-or-later
# Every ISA's rules, on every host.
noinst_LTLIBRARIES += arch/libarch.la
arch_libarch_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -ffreestanding
arch_libarch_la_SOURCES = \
	arch/arm64/arm64.c \
	arch/arm64/arm64.h \
	arch/arm64/isa.c \
	arch/arm64/pmuv3.h \
	arch/assign.c \
	arch/common.h \
	arch/cpu.h \
	arch/engine.h \
	arch/event-tables.h \
	arch/events.c \
	arch/events.h \
	arch/install.h \
	arch/isa.c \
	arch/isa.h \
	arch/metric-tables.h \
	arch/power/codes.h \
	arch/power/isa.c \
	arch/power/power.c \
	arch/power/power.h \
	arch/powerpc/encode.c \
	arch/powerpc/isa.c \
	arch/powerpc/powerpc.c \
	arch/powerpc/powerpc.h \
	arch/powerpc/leave.h \
	arch/powerpc/sprs.h \
	arch/raw/encode.c \
	arch/raw/raw.c \
	arch/raw/raw.h \
	arch/riscv/isa.c \
	arch/riscv/riscv.c \
	arch/riscv/riscv.h \
	arch/riscv/sbi.h \
	arch/rules.h \
	arch/words.h \
	arch/x86/archpmu.c \
	arch/x86/compile.c \
	arch/x86/cpuid.h \
	arch/x86/cpus.c \
	arch/x86/encode.c \
	arch/x86/isa.c \
	arch/x86/k7.c \
	arch/x86/msrs.h \
	arch/x86/p4.c \
	arch/x86/p4.h \
	arch/x86/p5.c \
	arch/x86/p6.c \
	arch/x86/x86.h
nodist_arch_libarch_la_SOURCES = arch/event-tables.c arch/metric-tables.c

# Event tables: data files that a person can read -> constant data.
event_tables = $(srcdir)/arch/arm64/events/*.desc $(srcdir)/arch/power/events/*.desc $(srcdir)/arch/powerpc/events/*.desc \
	$(srcdir)/arch/riscv/events/*.desc $(srcdir)/arch/x86/events/*.desc $(srcdir)/arch/arm64/events/*.alias \
	$(srcdir)/arch/power/events/*.alias $(srcdir)/arch/x86/events/*.alias $(srcdir)/arch/arm64/events/*.ev $(srcdir)/arch/power/events/*.ev \
	$(srcdir)/arch/powerpc/events/*.ev $(srcdir)/arch/riscv/events/*.ev $(srcdir)/arch/x86/events/*.ev
BUILT_SOURCES += arch/event-tables.c
CLEANFILES += arch/event-tables.c
arch/event-tables.c: $(srcdir)/scripts/events.awk arch/events.stamp
	$(AM_V_GEN)$(MKDIR_P) arch && \
	LC_ALL=C $(AWK) -f $(srcdir)/scripts/events.awk $(event_tables) >$@.tmp && mv $@.tmp $@
# A table or a text that is new, gone or changed.
arch/events.stamp: FORCE
	@$(MKDIR_P) arch; cksum $(event_tables) >$@.tmp; \
	if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi
CLEANFILES += arch/events.stamp
FORCE:

# Metrics: so, too. They are for event tables, of which only the names matter.
metric_tables = $(srcdir)/arch/arm64/events/*.ev $(srcdir)/arch/power/events/*.ev \
	$(srcdir)/arch/powerpc/events/*.ev $(srcdir)/arch/riscv/events/*.ev \
	$(srcdir)/arch/x86/events/*.ev $(srcdir)/arch/metrics/*.desc $(srcdir)/arch/metrics/*.metrics
BUILT_SOURCES += arch/metric-tables.c
CLEANFILES += arch/metric-tables.c arch/metrics.stamp
arch/metric-tables.c: $(srcdir)/scripts/metrics.awk arch/metrics.stamp
	$(AM_V_GEN)$(MKDIR_P) arch && \
	LC_ALL=C $(AWK) -f $(srcdir)/scripts/metrics.awk $(metric_tables) >$@.tmp && mv $@.tmp $@
arch/metrics.stamp: FORCE
	@$(MKDIR_P) arch; cksum $(metric_tables) >$@.tmp; \
	if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi
EXTRA_DIST += arch/README.md arch/arm64/events arch/power/events arch/powerpc/events arch/riscv/events arch/x86/events arch/metrics scripts/events.awk \
	scripts/metrics.awk
