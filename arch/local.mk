# SPDX-License-Identifier: LGPL-2.1-or-later
# Every ISA's rules, on every host.
noinst_LTLIBRARIES += arch/libarch.la
arch_libarch_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -ffreestanding
arch_libarch_la_SOURCES = \
	arch/arm64/arm64.c \
	arch/assign.c \
	arch/common.h \
	arch/cpu.h \
	arch/engine.h \
	arch/event-tables.h \
	arch/events.c \
	arch/events.h \
	arch/isa.c \
	arch/isa.h \
	arch/powerpc/encode.c \
	arch/powerpc/isa.c \
	arch/powerpc/powerpc.c \
	arch/powerpc/powerpc.h \
	arch/powerpc/sprs.h \
	arch/raw/raw.c \
	arch/raw/raw.h \
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
nodist_arch_libarch_la_SOURCES = arch/event-tables.c

# Event tables: data files that a person can read -> constant data.
event_tables = $(srcdir)/arch/arm64/events/*.ev $(srcdir)/arch/powerpc/events/*.ev \
	$(srcdir)/arch/x86/events/*.ev
BUILT_SOURCES += arch/event-tables.c
CLEANFILES += arch/event-tables.c
arch/event-tables.c: $(srcdir)/scripts/events.awk arch/events.stamp
	$(AM_V_GEN)$(MKDIR_P) arch && \
	LC_ALL=C $(AWK) -f $(srcdir)/scripts/events.awk $(event_tables) >$@.tmp && mv $@.tmp $@
# A table that is new, gone or changed.
arch/events.stamp: FORCE
	@$(MKDIR_P) arch; cksum $(event_tables) >$@.tmp; \
	if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi
CLEANFILES += arch/events.stamp
FORCE:
EXTRA_DIST += arch/README.md arch/arm64/events arch/powerpc/events arch/x86/events scripts/events.awk
