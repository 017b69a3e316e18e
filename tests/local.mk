# SPDX-License-Identifier: LGPL-2.1-or-later
EXTRA_DIST += \
	tests/abi/events26.h \
	tests/abi/layout.h \
	tests/data \
	tests/fuzz \
	tests/README.md \
	tests/fuzz/standalone.h \
	tests/harness/check.h \
	tests/harness/control.h \
	tests/harness/expect.h \
	tests/harness/explore.h \
	tests/harness/faults.h \
	tests/harness/guest.h \
	tests/harness/loop.h \
	tests/harness/names.h \
	tests/harness/others.h \
	tests/harness/pmu.h \
	tests/harness/apart.h tests/harness/printed.h \
	tests/harness/random.h \
	tests/harness/root.h \
	tests/harness/spoil.h \
	tests/harness/stream.h \
	tests/html/browser.py tests/html/made.py tests/html/pages.py tests/html/pictures.py tests/html/pictures.sh tests/html/run.sh \
	tests/consumers \
	tests/deb \
	tests/libpfm4/abi.c tests/libpfm4/attrs.c tests/libpfm4/differences tests/libpfm4/judges.sh tests/libpfm4/processor.c \
	tests/libpfm4/processors tests/libpfm4/strings tests/libpfm4/strings.c \
	tests/loops/README.md \
	tests/tables \
	tests/unit/assign.h \
	tests/unit/rules.h

# A busy machine takes longer than Check's four seconds for a test that needs none. Tests compile other languages, too: flags that
# warn or name a standard, of which Debian 13 has one for C alone, are left out. Words are compared as they are written, whichever the
# user's language; tests/tools/locale.sh has others.
AM_TESTS_ENVIRONMENT = LC_ALL=C.UTF-8; export LC_ALL; CK_TIMEOUT_MULTIPLIER="$${CK_TIMEOUT_MULTIPLIER-10}"; export CK_TIMEOUT_MULTIPLIER; \
	srcdir='$(srcdir)'; export srcdir; \
	CC='$(CC)'; export CC; CFLAGS=$$(echo ' $(CFLAGS) ' | sed ':n; s/ -W[^ ,]* / /; s/ -std=[^ ]* / /; tn'); export CFLAGS; \
	LIBPERFCTR='$(abs_builddir)/lib/.libs'; export LIBPERFCTR; \
	PERFEX='$(abs_builddir)/tests/bin/perfex'; export PERFEX; \
	COLLECTORS='$(abs_builddir)/collect/.libs'; export COLLECTORS; \
	PERFEX_VALGRIND='$(abs_builddir)/emulate/lib'; export PERFEX_VALGRIND; \
	HAVE_VALGRIND_TOOL='$(have_valgrind_tool)'; export HAVE_VALGRIND_TOOL; \
	HAVE_LIBELF='$(have_libelf)'; export HAVE_LIBELF; \
	HAVE_LIBDW='$(have_libdw)'; export HAVE_LIBDW; \
	PERFCTR_INFO='$(abs_builddir)/tests/bin/perfctr-info'; export PERFCTR_INFO; \
	REFUSE='$(abs_builddir)/tests/tools/refuse'; export REFUSE; \
	VERIFY='$(abs_builddir)/tests/silicon/verify'; export VERIFY; \
	WELCH='$(abs_builddir)/tests/tools/welch'; export WELCH;

# Tests that open events: an ordinary user skips them where the kernel lets him open none.
opens_events = \
	tests/api.sh \
	tests/bindings/cxx.sh tests/bindings/fortran.sh tests/bindings/languages.sh tests/bindings/python.sh tests/bindings/rust.sh \
	tests/readme.sh tests/regions.sh \
	tests/storm/storm \
	tests/tools/html.sh tests/tools/left.sh tests/tools/newcomer.sh tests/tools/output.sh tests/tools/sample.sh \
	tests/tools/terminal.sh \
	tests/unit/kept tests/unit/lib/base/descriptor tests/unit/lib/perf/execs tests/unit/lib/perf/overflow \
	tests/unit/lib/regions/overlap tests/unit/lib/sampling/sampler tests/unit/lib/virtual/imode tests/unit/lib/virtual/kind \
	tests/unit/lib/virtual/remote tests/unit/lib/virtual/shared tests/unit/lib/virtual/syscalls tests/unit/lib/virtual/virtual \
	tests/unit/readers
LOG_COMPILER = $(SHELL) $(srcdir)/tests/may-count.sh '$(opens_events)'
EXTRA_DIST += tests/may-count.sh

# ---- the tools, without libtool's scripts: these take longer to start than all that most tests do, and valgrind would run each of
# their commands ----
check_DATA = tests/bin/perfex tests/bin/perfctr-info
CLEANFILES += tests/bin/perfex tests/bin/perfctr-info
tests/bin/perfex: $(perfex_OBJECTS) $(perfex_DEPENDENCIES)
	$(AM_V_at)$(MKDIR_P) tests/bin
	$(AM_V_CCLD)$(LINK) -no-install $(perfex_OBJECTS) $(perfex_LDADD) $(LIBS)
tests/bin/perfctr-info: $(perfctr_info_OBJECTS) $(perfctr_info_DEPENDENCIES)
	$(AM_V_at)$(MKDIR_P) tests/bin
	$(AM_V_CCLD)$(LINK) -no-install $(perfctr_info_OBJECTS) $(perfctr_info_LDADD) $(LIBS)

# ---- layouts: compiling is the test ----
check_LTLIBRARIES += tests/abi/libabi.la
tests_abi_libabi_la_SOURCES = \
	tests/abi/generic.c tests/abi/kernel.c tests/abi/names26.c tests/abi/own_attr.c \
	tests/abi/powerpc.c tests/abi/x86.c

# ---- units ----
if HAVE_CHECK
unit_tests = \
	tests/unit/assign_generic \
	tests/unit/assign_powerpc \
	tests/unit/assign_x86 \
	tests/unit/closed \
	tests/unit/compat/libpfm4 \
	tests/unit/cpus_x86 \
	tests/unit/descriptions \
	tests/unit/engine \
	tests/unit/events \
	tests/unit/hybrid \
	tests/unit/identify \
	tests/unit/kept \
	tests/unit/lib/base/call \
	tests/unit/lib/base/descriptor \
	tests/unit/lib/base/error \
	tests/unit/lib/base/file \
	tests/unit/lib/base/json \
	tests/unit/lib/base/memory \
	tests/unit/lib/base/nearest \
	tests/unit/lib/base/process \
	tests/unit/lib/base/rank \
	tests/unit/lib/base/stream \
	tests/unit/lib/base/text \
	tests/unit/lib/doctor \
	tests/unit/lib/isa/attr \
	tests/unit/lib/isa/cpuinfo \
	tests/unit/lib/isa/native \
	tests/unit/lib/isa/offer \
	tests/unit/lib/isa/pmu \
	tests/unit/lib/metrics/error \
	tests/unit/lib/metrics/metrics \
	tests/unit/lib/names/name \
	tests/unit/lib/names/resolve \
	tests/unit/lib/names/table \
	tests/unit/lib/names/vendor \
	tests/unit/lib/perf/area \
	tests/unit/lib/perf/clock \
	tests/unit/lib/perf/core_types \
	tests/unit/lib/perf/counter \
	tests/unit/lib/perf/execs \
	tests/unit/lib/perf/family \
	tests/unit/lib/perf/merge \
	tests/unit/lib/perf/overflow \
	tests/unit/lib/perf/record \
	tests/unit/lib/perf/ring \
	tests/unit/lib/perf/signal \
	tests/unit/lib/perf/why \
	tests/unit/lib/regions/bytes \
	tests/unit/lib/regions/environment \
	tests/unit/lib/regions/metrics \
	tests/unit/lib/regions/overlap \
	tests/unit/lib/regions/print \
	tests/unit/lib/regions/recover \
	tests/unit/lib/regions/regions \
	tests/unit/lib/regions/totals \
	tests/unit/lib/sampling/describe \
	tests/unit/lib/sampling/sampler \
	tests/unit/lib/sampling/sampler_pmu \
	tests/unit/lib/sets/global \
	tests/unit/lib/sets/group \
	tests/unit/lib/sets/set \
	tests/unit/lib/sets/set_pmu \
	tests/unit/lib/virtual/driver \
	tests/unit/lib/virtual/imode \
	tests/unit/lib/virtual/info \
	tests/unit/lib/virtual/kind \
	tests/unit/lib/virtual/provider_perf \
	tests/unit/lib/virtual/remote \
	tests/unit/lib/virtual/shared \
	tests/unit/lib/virtual/syscalls \
	tests/unit/lib/virtual/total \
	tests/unit/lib/virtual/virtual \
	tests/unit/link \
	tests/unit/pmu \
	tests/unit/primitives \
	tests/unit/readers \
	tests/unit/reads \
	tests/unit/rules_generic \
	tests/unit/rules_power \
	tests/unit/rules_powerpc \
	tests/unit/rules_riscv \
	tests/unit/rules_x86 \
	tests/unit/tools/perfex/analyse/advice \
	tests/unit/tools/perfex/analyse/cause \
	tests/unit/tools/perfex/analyse/drill \
	tests/unit/tools/perfex/command/options \
	tests/unit/tools/perfex/base/outfile \
	tests/unit/tools/perfex/base/text \
	tests/unit/tools/perfex/count/beside \
	tests/unit/tools/perfex/count/breakdown \
	tests/unit/tools/perfex/count/child \
	tests/unit/tools/perfex/count/emulator \
	tests/unit/tools/perfex/count/cpumask \
	tests/unit/tools/perfex/count/driver \
	tests/unit/tools/perfex/count/kinds \
	tests/unit/tools/perfex/count/slices \
	tests/unit/tools/perfex/count/topdown \
	tests/unit/tools/perfex/count/turns \
	tests/unit/tools/perfex/report/page \
	tests/unit/tools/perfex/regions/collectors \
	tests/unit/tools/perfex/regions/merge \
	tests/unit/tools/perfex/report/compare \
	tests/unit/tools/perfex/report/output \
	tests/unit/tools/perfex/report/results \
	tests/unit/tools/perfex/report/tree \
	tests/unit/tools/perfex/sample/calls \
	tests/unit/tools/perfex/sample/demangle \
	tests/unit/tools/perfex/sample/elf \
	tests/unit/tools/perfex/sample/helper \
	tests/unit/tools/perfex/sample/histogram \
	tests/unit/tools/perfex/sample/kallsyms \
	tests/unit/tools/perfex/sample/lines \
	tests/unit/tools/perfex/sample/inlined \
	tests/unit/tools/perfex/sample/maps \
	tests/unit/tools/perfex/sample/perf_data \
	tests/unit/tools/perfex/sample/cost \
	tests/unit/tools/perfex/sample/samplers \
	tests/unit/tools/perfex/sample/sources \
	tests/unit/tools/perfex/sample/spool \
	tests/unit/tools/perfex/sample/stacks \
	tests/unit/tools/perfex/sample/weights \
	tests/unit/tools/perfex/sample/rust \
	tests/unit/tools/perfex/sample/symbols \
	tests/unit/tools/perfex/sample/view \
	tests/unit/words \
	tests/unit/zoo
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
# Programs without libraries of their own are linked with these.
AM_CPPFLAGS += $(CHECK_CFLAGS)
# One level less than the library takes a compiler two thirds of the time, and with sanitizers a third; what counts its own
# instructions is elsewhere.
tests/unit/%.$(OBJEXT): CFLAGS := $(patsubst -O2,-O1,$(CFLAGS:-O1=-O0))
LDADD = lib/libinternal.la $(CHECK_LIBS)
# See tests/harness/faults.h.
WRAP_CONTROLS = -Wl,--wrap=perfctr_control_attr,--wrap=perfctr_thread_control_check

# See tests/harness/spoil.h.
SPOIL_WRAP = -Wl,--wrap=close,--wrap=closedir,--wrap=fclose,--wrap=unlink,--wrap=munmap
tests_unit_closed_SOURCES = tests/unit/closed.c tests/harness/skylake.c
tests_unit_closed_LDFLAGS = $(WRAP_CONTROLS)
tests_unit_kept_LDFLAGS = $(SPOIL_WRAP)

# A made-up PMU, see tests/harness/pmu.h
check_LTLIBRARIES += tests/harness/libpmu.la
tests_harness_libpmu_la_SOURCES = tests/harness/pmu.c
PMU_LDADD = tests/harness/libpmu.la $(LDADD)
# Tests of perfex link its objects.
PERFEX_LDADD = tools/libperfex.a $(LDADD) -lm -ldl
PMU_WRAP = -Wl,-u,__wrap_syscall -Wl,--wrap=syscall,--wrap=ioctl,--wrap=read,--wrap=mmap,--wrap=mmap64,--wrap=munmap \
	-Wl,--wrap=close,--wrap=fcntl,--wrap=fcntl64,--wrap=pthread_sigmask,--wrap=sigaction \
	-Wl,--wrap=epoll_ctl,--wrap=epoll_wait,--wrap=perfctr_call_ioctl_and_mask,--wrap=perfctr_call_event_id

tests_unit_assign_generic_LDADD = arch/libarch.la $(CHECK_LIBS)
tests_unit_assign_powerpc_LDADD = arch/libarch.la $(CHECK_LIBS)
tests_unit_assign_x86_LDADD = arch/libarch.la $(CHECK_LIBS)
tests_unit_zoo_SOURCES = tests/unit/zoo.c tests/harness/epyc.c
tests_unit_lib_names_name_SOURCES = tests/unit/lib/names/name.c tests/harness/epyc.c
tests_unit_lib_regions_metrics_SOURCES = tests/unit/lib/regions/metrics.c tests/harness/skylake.c
tests_unit_lib_base_call_SOURCES = tests/unit/lib/base/call.c tests/harness/skylake.c
tests_unit_lib_base_call_LDFLAGS = $(WRAP_CONTROLS)
# With its own copy of the sources, because a shared library has another libperfctr beneath it.
tests_unit_compat_libpfm4_SOURCES = tests/unit/compat/libpfm4.c tests/harness/skylake.c $(libpfm4_sources)
tests_unit_compat_libpfm4_LDFLAGS = -Wl,--wrap=free
tests_unit_lib_perf_clock_LDADD = $(PMU_LDADD)
tests_unit_cpus_x86_LDADD = arch/libarch.la $(CHECK_LIBS)
tests_unit_lib_perf_clock_LDFLAGS = $(PMU_WRAP) -Wl,--wrap=clock_gettime
tests_unit_tools_perfex_analyse_advice_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_analyse_cause_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_analyse_drill_LDADD = tests/harness/libpmu.la $(PERFEX_LDADD) $(LIBELF_LIBS)
tests_unit_tools_perfex_analyse_drill_LDFLAGS = $(PMU_WRAP) -Wl,--wrap=run,--wrap=perfctr_sampler_open
tests_unit_tools_perfex_sample_inlined_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS)
tests_unit_tools_perfex_sample_inlined_LDADD = $(PERFEX_LDADD) $(LIBELF_LIBS)
tests_unit_tools_perfex_sample_lines_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS)
tests_unit_tools_perfex_sample_lines_LDADD = $(PERFEX_LDADD) $(LIBELF_LIBS)
tests_unit_tools_perfex_base_outfile_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_report_page_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_sample_calls_LDADD = $(PERFEX_LDADD) $(LIBELF_LIBS)
tests_unit_tools_perfex_sample_calls_LDFLAGS = -Wl,--wrap=kallsyms_read,--wrap=elf_symbols
tests_unit_tools_perfex_base_text_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_count_child_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_count_emulator_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_report_compare_LDADD = $(PERFEX_LDADD)
tests_unit_lib_perf_counter_LDFLAGS = -Wl,--wrap=syscall,--wrap=ioctl,--wrap=mmap,--wrap=mmap64,--wrap=munmap \
	-Wl,--wrap=fcntl,--wrap=fcntl64,--wrap=prctl,--wrap=sched_yield,--wrap=close \
	-Wl,--wrap=perfctr_call_event_id
tests_unit_tools_perfex_sample_kallsyms_LDFLAGS = -Wl,--wrap=fopen,--wrap=fopen64
tests_unit_tools_perfex_sample_kallsyms_LDADD = $(PERFEX_LDADD) $(LIBELF_LIBS)
tests_unit_tools_perfex_sample_demangle_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_sample_demangle_LDFLAGS = -Wl,--wrap=fork,--wrap=sendmsg
tests_unit_tools_perfex_sample_helper_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_sample_helper_LDFLAGS = -Wl,--wrap=recvmsg,--wrap=waitpid
tests_unit_lib_doctor_SOURCES = tests/unit/lib/doctor.c tests/harness/skylake.c
tests_unit_lib_doctor_LDADD = $(PMU_LDADD)
tests_unit_lib_doctor_LDFLAGS = $(PMU_WRAP) -Wl,--wrap=perfctr_device_open,--wrap=perfctr_device_info
tests_unit_lib_virtual_driver_SOURCES = tests/unit/lib/virtual/driver.c tests/harness/skylake.c
tests_unit_lib_virtual_driver_LDFLAGS = -Wl,--wrap=open,--wrap=open64,--wrap=__open_2,--wrap=__open64_2,--wrap=ioctl,--wrap=perfctr_event_open
tests_unit_engine_LDADD = $(CHECK_LIBS)
tests_unit_descriptions_LDADD = arch/libarch.la $(CHECK_LIBS)
tests_unit_events_LDADD = arch/libarch.la $(CHECK_LIBS)
tests_unit_lib_base_file_LDFLAGS = -Wl,--wrap=syscall
tests_unit_lib_base_descriptor_LDFLAGS = -Wl,--wrap=syscall
tests_unit_lib_sets_global_SOURCES = tests/unit/lib/sets/global.c tests/harness/skylake.c
tests_unit_lib_sets_global_LDADD = $(PMU_LDADD)
tests_unit_lib_sets_global_LDFLAGS = $(PMU_WRAP)
tests_unit_lib_sets_group_LDADD = $(PMU_LDADD)
tests_unit_lib_sets_group_LDFLAGS = $(PMU_WRAP)
tests_unit_lib_virtual_imode_SOURCES = tests/unit/lib/virtual/imode.c tests/harness/skylake.c
tests_unit_lib_virtual_imode_LDFLAGS = $(WRAP_CONTROLS)
tests_unit_lib_virtual_info_LDFLAGS = -Wl,--wrap=sysconf
tests_unit_tools_perfex_count_topdown_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_count_turns_SOURCES = tests/unit/tools/perfex/count/turns.c tests/harness/skylake.c
tests_unit_tools_perfex_count_turns_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_count_slices_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_count_kinds_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_count_kinds_LDFLAGS = -Wl,--wrap=syscall
tests_unit_link_LDADD = $(CHECK_LIBS)
tests_unit_lib_base_error_LDFLAGS = -Wl,--wrap=mmap,--wrap=mmap64
tests_unit_lib_base_memory_LDFLAGS = -Wl,--wrap=mmap,--wrap=mmap64,--wrap=munmap,--wrap=madvise
tests_unit_lib_metrics_metrics_LDFLAGS = -Wl,--wrap=sysconf,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=asprintf
tests_unit_lib_metrics_error_LDFLAGS = -Wl,--wrap=calloc
tests_unit_lib_isa_native_LDFLAGS = -Wl,--wrap=perfctr_event_open
tests_unit_lib_perf_overflow_LDADD = $(PMU_LDADD)
tests_unit_lib_perf_overflow_LDFLAGS = $(PMU_WRAP)
tests_unit_tools_perfex_count_beside_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_count_beside_LDFLAGS = -Wl,--wrap=fork
tests_unit_tools_perfex_count_driver_SOURCES = tests/unit/tools/perfex/count/driver.c tests/harness/skylake.c
tests_unit_tools_perfex_count_driver_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_count_driver_LDFLAGS = -Wl,--wrap=sys_vperfctr_open,--wrap=sys_vperfctr_control \
	-Wl,--wrap=sys_vperfctr_unlink,--wrap=sys_vperfctr_read
tests_unit_tools_perfex_count_cpumask_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_count_breakdown_LDADD = tests/harness/libpmu.la $(PERFEX_LDADD)
tests_unit_tools_perfex_count_breakdown_LDFLAGS = $(PMU_WRAP)
tests_unit_pmu_LDADD = $(PMU_LDADD)
tests_unit_pmu_LDFLAGS = $(PMU_WRAP)
tests_unit_lib_isa_pmu_LDFLAGS = -Wl,--wrap=open,--wrap=open64,--wrap=__open_2,--wrap=__open64_2,--wrap=syscall,--wrap=opendir,--wrap=readdir,--wrap=readdir64
tests_unit_lib_virtual_total_SOURCES = tests/unit/lib/virtual/total.c tests/harness/skylake.c
tests_unit_lib_virtual_total_LDADD = $(PMU_LDADD)
tests_unit_lib_virtual_total_LDFLAGS = $(PMU_WRAP)
tests_unit_lib_virtual_provider_perf_SOURCES = tests/unit/lib/virtual/provider_perf.c tests/harness/skylake.c
tests_unit_lib_virtual_provider_perf_LDADD = $(PMU_LDADD)
tests_unit_lib_virtual_provider_perf_LDFLAGS = $(PMU_WRAP) -Wl,--wrap=clock_gettime,--wrap=perfctr_device_open
tests_unit_readers_SOURCES = tests/unit/readers.c tests/harness/skylake.c
tests_unit_readers_LDFLAGS = $(WRAP_CONTROLS)
tests_unit_lib_regions_recover_LDADD = $(PMU_LDADD)
tests_unit_lib_regions_recover_LDFLAGS = $(PMU_WRAP)
tests_unit_lib_regions_overlap_LDADD = $(PMU_LDADD)
tests_unit_lib_regions_overlap_LDFLAGS = $(PMU_WRAP) -Wl,--wrap=perfctr_region_thread_set
tests_unit_lib_regions_regions_LDADD = $(PMU_LDADD)
tests_unit_lib_regions_regions_LDFLAGS = $(PMU_WRAP) -Wl,--wrap=calloc,--wrap=malloc,--wrap=realloc,--wrap=free \
	-Wl,--wrap=perfctr_rseq_here,--wrap=perfctr_core_types_raw
tests_unit_lib_virtual_remote_SOURCES = tests/unit/lib/virtual/remote.c tests/harness/skylake.c
tests_unit_lib_virtual_remote_LDADD = $(PMU_LDADD)
tests_unit_tools_perfex_command_options_SOURCES = tests/unit/tools/perfex/command/options.c tools/perfex/command/options.c tools/perfex/command/suggest.c \
	tools/perfex/command/table.c
tests_unit_tools_perfex_command_options_LDADD = $(PERFEX_LDADD) $(LIBELF_LIBS)
tests_unit_tools_perfex_regions_collectors_LDADD = $(PERFEX_LDADD) $(LIBELF_LIBS)
tests_unit_tools_perfex_regions_merge_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_report_tree_SOURCES = tests/unit/tools/perfex/report/tree.c tests/harness/skylake.c
tests_unit_tools_perfex_report_tree_LDADD = tests/harness/libpmu.la $(PERFEX_LDADD)
tests_unit_tools_perfex_report_tree_LDFLAGS = $(PMU_WRAP)
tests_unit_tools_perfex_report_output_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_report_results_LDADD = tests/harness/libpmu.la $(PERFEX_LDADD)
tests_unit_tools_perfex_report_results_LDFLAGS = $(PMU_WRAP)
tests_unit_lib_names_resolve_LDFLAGS = -Wl,--wrap=perfctr_file_read,--wrap=perfctr_file_number,--wrap=perfctr_file_walk
tests_unit_lib_virtual_remote_LDFLAGS = $(PMU_WRAP) -Wl,--wrap=perfctr_device_open_state,--wrap=perfctr_device_control \
	-Wl,--wrap=perfctr_device_unlink,--wrap=perfctr_device_read,--wrap=perfctr_device_iresume
tests_unit_rules_generic_LDADD = arch/libarch.la $(CHECK_LIBS)
tests_unit_rules_riscv_LDADD = arch/libarch.la $(CHECK_LIBS)
tests_unit_rules_power_LDADD = arch/libarch.la $(CHECK_LIBS)
tests_unit_rules_powerpc_LDADD = arch/libarch.la $(CHECK_LIBS)
tests_unit_rules_x86_LDADD = arch/libarch.la $(CHECK_LIBS)
tests_unit_tools_perfex_sample_histogram_LDADD = $(PERFEX_LDADD) $(LIBELF_LIBS)
tests_unit_tools_perfex_sample_histogram_LDFLAGS = -Wl,--wrap=kallsyms_read,--wrap=elf_symbols,--wrap=view_open_mapped \
	-Wl,--wrap=inlined_find
tests_unit_tools_perfex_sample_view_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS)
tests_unit_tools_perfex_sample_view_LDADD = $(PERFEX_LDADD) $(LIBELF_LIBS)
tests_unit_tools_perfex_sample_sources_LDADD = $(PERFEX_LDADD) $(LIBELF_LIBS)
tests_unit_tools_perfex_sample_spool_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_sample_rust_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_sample_symbols_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_sample_elf_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS)
tests_unit_tools_perfex_sample_elf_LDADD = $(PERFEX_LDADD) $(LIBELF_LIBS)
tests_unit_tools_perfex_sample_maps_LDADD = $(PERFEX_LDADD) $(LIBELF_LIBS)
tests_unit_tools_perfex_sample_perf_data_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_sample_stacks_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_sample_weights_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_sample_cost_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_sample_cost_LDFLAGS = -Wl,--wrap=perfctr_sampler_open,--wrap=perfctr_sampler_close \
	-Wl,--wrap=perfctr_sampler_next,--wrap=clock_gettime
tests_unit_tools_perfex_sample_samplers_LDADD = $(PERFEX_LDADD)
tests_unit_tools_perfex_sample_samplers_LDFLAGS = -Wl,--wrap=perfctr_sampler_open,--wrap=perfctr_sampler_close \
	-Wl,--wrap=perfctr_sampler_next,--wrap=perfctr_sampler_disable,--wrap=perfctr_sampler_lost \
	-Wl,--wrap=perfctr_sampler_count,--wrap=perfctr_sampler_enable
tests_unit_lib_sampling_sampler_LDADD = $(PMU_LDADD)
tests_unit_lib_sampling_sampler_LDFLAGS = $(PMU_WRAP)
tests_unit_lib_sampling_sampler_pmu_SOURCES = tests/unit/lib/sampling/sampler_pmu.c tests/harness/skylake.c
tests_unit_lib_sampling_sampler_pmu_LDADD = $(PMU_LDADD)
tests_unit_lib_sampling_sampler_pmu_LDFLAGS = $(PMU_WRAP)
tests_unit_lib_sets_set_LDADD = $(PMU_LDADD)
tests_unit_lib_sets_set_LDFLAGS = $(PMU_WRAP) -Wl,--wrap=perfctr_rseq_here
tests_unit_lib_virtual_shared_SOURCES = tests/unit/lib/virtual/shared.c tests/harness/skylake.c
tests_unit_lib_virtual_shared_LDFLAGS = $(WRAP_CONTROLS) -Wl,--wrap=sendmsg
tests_unit_lib_perf_signal_LDFLAGS = -Wl,--wrap=syscall
tests_unit_lib_sets_set_pmu_SOURCES = tests/unit/lib/sets/set_pmu.c tests/harness/skylake.c
tests_unit_lib_sets_set_pmu_LDADD = $(PMU_LDADD)
tests_unit_lib_sets_set_pmu_LDFLAGS = $(PMU_WRAP) -Wl,--wrap=opendir,--wrap=closedir,--wrap=readdir,--wrap=readdir64 \
	-Wl,--wrap=rewinddir,--wrap=fstat,--wrap=fstat64,--wrap=usleep,--wrap=perfctr_call_open \
	-Wl,--wrap=fstatfs,--wrap=fstatfs64,--wrap=calloc,--wrap=malloc,--wrap=reallocarray,--wrap=strdup
tests_unit_lib_names_table_LDFLAGS = -Wl,--wrap=calloc
tests_unit_lib_perf_why_SOURCES = tests/unit/lib/perf/why.c tests/harness/skylake.c
tests_unit_lib_perf_why_LDADD = $(PMU_LDADD)
tests_unit_lib_perf_why_LDFLAGS = $(PMU_WRAP) -Wl,--wrap=access

# ---- the engine over simulated processors ----
sim_tests = tests/sim/generic_engine tests/sim/powerpc_engine tests/sim/x86_engine
check_PROGRAMS += $(sim_tests)
TESTS += $(sim_tests)
check_LTLIBRARIES += tests/sim/libsim.la
tests_sim_libsim_la_SOURCES = \
	tests/sim/amd.c \
	tests/sim/archpmu.c \
	tests/sim/evntsel.h \
	tests/sim/p4.c \
	tests/sim/p5.c \
	tests/sim/p6.c \
	tests/sim/pmuv3.c \
	tests/sim/powerpc.c \
	tests/sim/schedule.h \
	tests/sim/sim.c \
	tests/sim/sim.h
SIM_LDADD = tests/sim/libsim.la arch/libarch.la $(CHECK_LIBS)
tests_sim_generic_engine_LDADD = $(SIM_LDADD)
tests_sim_powerpc_engine_LDADD = $(SIM_LDADD)
tests_sim_x86_engine_LDADD = $(SIM_LDADD)

# ---- controls, made up and changed ----
check_PROGRAMS += tests/fuzz/control_generic tests/fuzz/control_powerpc tests/fuzz/control_x86
dist_check_SCRIPTS += tests/fuzz/control.sh
TESTS += tests/fuzz/control.sh
tests_fuzz_control_generic_SOURCES = tests/fuzz/control.c
tests_fuzz_control_generic_CPPFLAGS = $(AM_CPPFLAGS) -DSTANDALONE -DFUZZ_GENERIC
tests_fuzz_control_generic_LDADD = $(SIM_LDADD)
tests_fuzz_control_powerpc_SOURCES = tests/fuzz/control.c
tests_fuzz_control_powerpc_CPPFLAGS = $(AM_CPPFLAGS) -DSTANDALONE -DFUZZ_POWERPC
tests_fuzz_control_powerpc_LDADD = $(SIM_LDADD)
tests_fuzz_control_x86_SOURCES = tests/fuzz/control.c
tests_fuzz_control_x86_CPPFLAGS = $(AM_CPPFLAGS) -DSTANDALONE
tests_fuzz_control_x86_LDADD = $(SIM_LDADD)
endif

# ---- the driver's sources, explored ----
# Their <linux/...> are made here: each is tests/explore/kernel.h. They are compiled so that each access to memory calls
# tests/explore/fibers.c, which has coroutines for these processors; with no other sanitizer, which this would exclude.
check_PROGRAMS += tests/explore/calls tests/explore/driver
TESTS += tests/explore/calls tests/explore/driver
check_LTLIBRARIES += tests/explore/libexplored.la
tests_explore_libexplored_la_SOURCES = tests/explore/hardware.c tests/explore/hardware.h tests/explore/kernel.c tests/explore/kernel.h \
	tests/explore/world.h driver/access.c driver/calls.c driver/owner.c driver/signal.c driver/state.c driver/thread.c
tests_explore_libexplored_la_CPPFLAGS = -I$(top_builddir)/tests/explore/include $(AM_CPPFLAGS)
tests_explore_libexplored_la_CFLAGS = -std=gnu11 $(if $(filter x86_64 aarch64,$(host_cpu)),-fsanitize=thread)
tests_explore_driver_SOURCES = tests/explore/driver.c tests/explore/fibers.c tests/explore/fibers.h
tests_explore_driver_CPPFLAGS = $(tests_explore_libexplored_la_CPPFLAGS)
tests_explore_driver_CFLAGS = -std=gnu11
tests_explore_driver_LDADD = tests/explore/libexplored.la
tests_explore_calls_SOURCES = tests/explore/calls.c tests/explore/fibers.c tests/explore/fibers.h
tests_explore_calls_CPPFLAGS = $(tests_explore_libexplored_la_CPPFLAGS)
tests_explore_calls_CFLAGS = -std=gnu11
tests_explore_calls_LDADD = tests/explore/libexplored.la
driver/%.lo tests/explore/%.lo tests/explore/%.$(OBJEXT): CFLAGS := $(filter-out -fsanitize% -fno-sanitize%,$(CFLAGS))
$(tests_explore_libexplored_la_OBJECTS) $(tests_explore_calls_OBJECTS) $(tests_explore_driver_OBJECTS): tests/explore/include/made
tests/explore/include/made: $(tests_explore_libexplored_la_SOURCES) $(srcdir)/tests/explore/include.sh
	$(AM_V_GEN)$(SHELL) $(srcdir)/tests/explore/include.sh $(srcdir) tests/explore/include
dist_check_SCRIPTS += tests/explore/include.sh
clean-local: clean-explored
clean-explored:
	rm -rf tests/explore/include
.PHONY: clean-explored

# ---- the read loops, stepped ----
check_PROGRAMS += tests/loops/step
TESTS += tests/loops/step
tests_loops_step_SOURCES = \
	tests/loops/barriers.c tests/loops/broken.c tests/loops/loops.c tests/loops/sequences.c \
	tests/loops/sites.h tests/loops/step.c tests/loops/step.h
tests_loops_step_LDADD =

# ---- storms of threads, forks, signals ----
check_PROGRAMS += tests/storm/storm
TESTS += tests/storm/storm
tests_storm_storm_LDADD = lib/libperfctr.la

# ---- arch/ as the kernel compiles it ----
dist_check_SCRIPTS += tests/freestanding.sh
TESTS += tests/freestanding.sh
EXTRA_DIST += tests/bench/lookup.c tests/bench/lookup.sh tests/bench/metrics.c tests/bench/engine.c tests/bench/engine.sh \
	tests/bench/report.c tests/bench/report.sh \
	tests/bench/samples.c tests/bench/samples.sh tests/bench/scale.c tests/bench/scale.sh

# ---- names of events, a fixed number of mutations ----
check_PROGRAMS += tests/fuzz/event
tests_fuzz_event_CPPFLAGS = $(AM_CPPFLAGS) -DSTANDALONE
tests_fuzz_event_LDADD = lib/libinternal.la
dist_check_SCRIPTS += tests/fuzz/event.sh
TESTS += tests/fuzz/event.sh

# ---- records, the same ----
check_PROGRAMS += tests/fuzz/record
tests_fuzz_record_CPPFLAGS = $(AM_CPPFLAGS) -DSTANDALONE
tests_fuzz_record_LDADD = lib/libinternal.la
dist_check_SCRIPTS += tests/fuzz/record.sh
TESTS += tests/fuzz/record.sh

# ---- what perfex compares with, the same ----
check_PROGRAMS += tests/fuzz/baseline
tests_fuzz_baseline_CPPFLAGS = $(AM_CPPFLAGS) -DSTANDALONE
tests_fuzz_baseline_LDADD = tools/libperfex.a lib/libperfctr.la -lm
dist_check_SCRIPTS += tests/fuzz/baseline.sh
TESTS += tests/fuzz/baseline.sh

# ---- the vendor's files, the same ----
check_PROGRAMS += tests/fuzz/vendor
tests_fuzz_vendor_CPPFLAGS = $(AM_CPPFLAGS) -DSTANDALONE
tests_fuzz_vendor_LDADD = lib/libinternal.la
dist_check_SCRIPTS += tests/fuzz/vendor.sh
TESTS += tests/fuzz/vendor.sh

# ---- header, map, man pages, tools ----
tool_tests = tests/tools/perfex.sh tests/tools/breakdown.sh tests/tools/compare.sh tests/tools/wrong.sh \
	tests/tools/openmetrics.sh tests/tools/schema.sh tests/tools/emulate.sh tests/tools/sample.sh tests/tools/manual.sh \
	tests/tools/complete.sh tests/tools/html.sh tests/tools/left.sh tests/tools/lists.sh tests/tools/locale.sh tests/tools/newcomer.sh tests/tools/output.sh tests/tools/runs.sh tests/tools/terminal.sh
dist_check_SCRIPTS += tests/api.sh tests/collect.sh tests/ibs.sh tests/limits.sh tests/metrics.sh tests/pool.sh tests/processors.sh tests/prose.sh tests/readme.sh tests/regions.sh tests/words.sh $(tool_tests)
TESTS += tests/api.sh tests/collect.sh tests/ibs.sh tests/limits.sh tests/metrics.sh tests/pool.sh tests/processors.sh tests/prose.sh tests/readme.sh tests/regions.sh tests/words.sh $(tool_tests)
EXTRA_DIST += scripts/processors scripts/size scripts/stages.sh scripts/verified tests/tools/expect.sh tests/tools/on.py tests/tools/others.sh
EXTRA_DIST += tests/collect/made-up/mpi.h tests/collect/late.c tests/collect/mpi.c tests/collect/mpi_fortran.c tests/collect/ranks.c tests/collect/judge.c tests/collect/judges.sh tests/collect/kokkos.c tests/collect/ompt.c tests/collect/openmp.c tests/collect/runtime.c tests/ibs.c tests/likwid.c tests/papi.c tests/regions.c tests/words.c
EXTRA_DIST += scripts/verify tests/silicon/README.md tests/silicon/expected tests/silicon/judge.awk tests/silicon/made-right.txt tests/silicon/works.h
check_PROGRAMS += tests/silicon/verify
tests_silicon_verify_LDADD = lib/libinternal.la
dist_check_SCRIPTS += tests/silicon/judge.sh tests/silicon/script.sh
TESTS += tests/silicon/judge.sh tests/silicon/script.sh
check_PROGRAMS += tests/tools/refuse
tests_tools_refuse_LDADD =
check_PROGRAMS += tests/tools/welch tests/tools/inlined
tests_tools_inlined_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS)
tests_tools_inlined_LDADD = $(perfex_LDADD)
tests_tools_welch_LDADD = tools/libperfex.a -lm

# ---- programs for real kernels in QEMU, see tests/vm/README.md ----
vm_programs = tests/bench/bench tests/vm/guest/counters tests/vm/guest/global tests/vm/guest/loop \
	tests/vm/guest/overflow tests/vm/guest/perfex-exact tests/vm/guest/regions tests/vm/guest/remote \
	tests/vm/guest/samples tests/vm/guest/kernels tests/vm/guest/sets tests/vm/init
EXTRA_PROGRAMS += $(vm_programs)
CLEANFILES += $(vm_programs)
tests_bench_bench_LDADD = lib/libperfctr.la
tests_vm_guest_loop_LDADD =
tests_vm_guest_perfex_exact_LDADD =
tests_vm_init_LDADD =
tests_vm_guest_counters_LDADD = lib/libperfctr.la
tests_vm_guest_global_LDADD = lib/libperfctr.la
tests_vm_guest_regions_LDADD = lib/libperfctr.la
tests_vm_guest_remote_LDADD = lib/libperfctr.la
tests_vm_guest_samples_LDADD = lib/libperfctr.la
tests_vm_guest_sets_LDADD = lib/libperfctr.la
tests_vm_guest_kernels_LDADD = lib/libperfctr.la
# Not for all architectures, so nothing asks for it but tests/vm/run.sh
vm_driver_programs = tests/vm/guest/aux_area tests/vm/guest/core_readers tests/vm/guest/core_types tests/vm/guest/driver tests/vm/guest/driver_attack tests/vm/guest/driver_fuzz \
	tests/vm/guest/driver_kvm tests/vm/guest/driver_neighbours tests/vm/guest/driver_perf tests/vm/guest/driver_sequences tests/vm/guest/driver_share \
	tests/vm/guest/driver_siege tests/vm/guest/forks \
	tests/vm/guest/perfex-driver tests/vm/guest/storm-driver tests/bench/switch tests/bench/turns tests/vm/guest/power tests/vm/guest/riscv tests/vm/guest/topdown
EXTRA_PROGRAMS += $(vm_driver_programs)
CLEANFILES += $(vm_driver_programs)
tests_vm_guest_aux_area_LDADD = lib/libperfctr.la
tests_vm_guest_core_readers_LDADD = lib/libinternal.la
tests_vm_guest_core_types_LDADD = lib/libperfctr.la
tests_vm_guest_driver_LDADD =
tests_vm_guest_driver_attack_LDADD =
tests_vm_guest_driver_attack_SOURCES = tests/vm/guest/driver_attack.c tests/vm/guest/driver_attack.h \
	tests/vm/guest/driver_attack_links.c tests/vm/guest/driver_attack_pages.c
tests_vm_guest_driver_fuzz_LDADD =
tests_vm_guest_driver_kvm_LDADD =
tests_vm_guest_driver_neighbours_LDADD =
tests_vm_guest_driver_perf_LDADD =
tests_vm_guest_driver_sequences_SOURCES = tests/vm/guest/driver_sequences.c \
	tests/vm/guest/sequences-calls.c tests/vm/guest/sequences-operations.c \
	tests/vm/guest/sequences-tracer.c
tests_vm_guest_driver_sequences_LDADD =
tests_vm_guest_driver_share_LDADD =
tests_vm_guest_driver_siege_LDADD =
tests_vm_guest_forks_LDADD =
tests_vm_guest_overflow_LDADD = lib/libperfctr.la
tests_vm_guest_perfex_driver_LDADD = lib/libperfctr.la
tests_vm_guest_power_LDADD = lib/libperfctr.la
tests_vm_guest_riscv_LDADD = lib/libperfctr.la
tests_vm_guest_storm_driver_LDADD = lib/libperfctr.la
tests_vm_guest_topdown_LDADD = lib/libperfctr.la
tests_bench_switch_LDADD = lib/libperfctr.la
tests_bench_turns_LDADD = lib/libperfctr.la -lm
vm-programs: $(vm_programs) tests/loops/step tests/silicon/verify tests/storm/storm
.PHONY: vm-programs
dist_check_SCRIPTS += tests/containers.sh
TESTS += tests/containers.sh
EXTRA_DIST += tests/bpf.py
EXTRA_DIST += \
	tests/bench/pairs.c tests/bench/peers.sh tests/bench/small.c tests/bench/small.sh tests/bench/figures.sh tests/bench/table.sh tests/cross.sh tests/driver-powerpc.sh tests/fresh.sh tests/mirror.sh tests/hosts.sh tests/release.sh tests/rpm.sh tests/named.sh tests/inlined.sh tests/bench/blocks.py tests/bench/emulate.py tests/bench/profile.py tests/perf-names.sh tests/valgrinds.sh tests/stages.sh tests/unit-cc tests/abi.sh tests/layers.sh tests/packaging.sh \
	tests/vm/auxpmu/Kbuild tests/vm/auxpmu/auxpmu.c tests/vm/auxpmu/auxpmu.h tests/vm/auxpmu/mempmu.c \
	tests/vm/guest/calls.c tests/vm/guest/languages tests/vm/guest/coverage.sh tests/vm/guest/drilldown.sh tests/vm/guest/driver.h tests/vm/guest/openmp.c tests/vm/guest/openmp.sh tests/vm/guest/pages.sh tests/vm/guest/papi_presets.c tests/vm/guest/pairs.sh tests/vm/guest/kernels.sh tests/vm/guest/offered.sh tests/vm/guest/silicon.sh tests/vm/guest/small.sh tests/vm/guest/sources.sh tests/vm/guest/tutorial.sh tests/vm/README.md tests/vm/boot.sh tests/vm/core-types.awk tests/vm/deb.sh tests/vm/source.sh tests/vm/coverage.sh tests/vm/debug-kernel.sh tests/vm/debug.config tests/vm/files.sh tests/vm/kcsan.config tests/vm/machines tests/vm/run.sh tests/vm/systems.sh tests/vm/guest/sequences.h tests/vm/guest/driver_attack.h \
	tests/vm/qemu-pmu/README.md tests/vm/qemu-pmu/build.sh tests/vm/qemu-pmu/qemu-x86-pmu.patch
