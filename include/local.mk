# SPDX-License-Identifier: LGPL-2.1-or-later
include_HEADERS = include/libperfctr.h
nodist_include_HEADERS = include/perfctr_event_codes.h
linuxincludedir = $(includedir)/linux
linuxinclude_HEADERS = include/linux/perfctr.h
asmincludedir = $(includedir)/asm
asminclude_HEADERS = include/asm/perfctr.h
perfctrincludedir = $(includedir)/perfctr
perfctrinclude_HEADERS = \
	include/perfctr/abi.h \
	include/perfctr/abi-generic.h \
	include/perfctr/abi-powerpc.h \
	include/perfctr/abi-x86.h \
	include/perfctr/calls.h \
	include/perfctr/read.h \
	include/perfctr/regions.h
papiincludedir = $(includedir)/perfctr/papi
papiinclude_HEADERS = include/perfctr/papi/papi.h
likwidincludedir = $(includedir)/perfctr/likwid
likwidinclude_HEADERS = include/perfctr/likwid/likwid.h include/perfctr/likwid/likwid-marker.h include/perfctr/likwid/likwid.c \
	include/perfctr/likwid/likwid.f90

# perfctr 2.6's names of events, of the processors that it knew. No program of the host runs for it.
BUILT_SOURCES += include/perfctr_event_codes.h
CLEANFILES += include/perfctr_event_codes.h
event_codes = $(srcdir)/arch/event-codes.txt
include/perfctr_event_codes.h: $(srcdir)/scripts/event-codes.awk $(event_codes) arch/events.stamp
	$(AM_V_GEN)$(MKDIR_P) include && \
	LC_ALL=C $(AWK) -v directory=$(srcdir)/arch -f $(srcdir)/scripts/event-codes.awk $(event_codes) \
	>$@.tmp && mv $@.tmp $@
EXTRA_DIST += arch/event-codes.txt scripts/event-codes.awk
