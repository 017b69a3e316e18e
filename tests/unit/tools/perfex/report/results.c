// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests perfex's results: units, ratios, means, in each of its formats. On the made-up PMU, whose
 * counts are known.
 */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tests/harness/pmu.h"
#include "tests/harness/root.h"
#include "tools/perfex/report/baseline.h"
#include "tools/perfex/report/formats.h"
#include "tools/perfex/report/ratio.h"
#include "tools/perfex/report/results.h"

static struct events events;
static struct tasks tasks;
static struct targets targets;
static struct results results;
static char *command[] = { (char *)"true", NULL };
static const struct run what = {
	.events = &events,
	.tasks = &tasks,
	.targets = &targets,
	.command = command,
};
static char text[16384];

static void begin(const char *list)
{
	events = (struct events){ .base16 = true };
	results = (struct results){ .run = &what };
	events_add(&events, list);
	events_finish(&events);
	results_begin(&results);
}

static void begin_metrics(const char *names)
{
	events = (struct events){ .base16 = true };
	results = (struct results){ .run = &what };
	events_add_metrics(&events, names);
	events_finish(&events);
	results_begin(&results);
}

static void end(void)
{
	results_free(&results);
	tasks_close(&tasks);
	events_free(&events);
}

static void print(void (*how)(FILE *file, const struct results *results))
{
	FILE *file = fmemopen(text, sizeof(text), "w");

	text[0] = '\0';
	how(file, &results);
	ck_assert_int_eq(fclose(file), 0);
}

/* The output has each of the lines (up to NULL), blanks between words being one. */
static void has_lines(const char *first, ...)
{
	char line[512], *from, *to = text;
	const char *wanted;
	va_list args;

	for (from = text; *from; from++)
		if (*from != ' ' || (to > text && to[-1] != ' ' && to[-1] != '\n'))
			*to++ = *from;
	*to = '\0';
	va_start(args, first);
	for (wanted = first; wanted; wanted = va_arg(args, const char *)) {
		snprintf(line, sizeof(line), "\n%s\n", wanted);
		ck_assert_msg(strstr(text, line) != NULL, "no \"%s\" in\n%s", wanted, text);
	}
	va_end(args);
}

/* A run of what this thread does: n units in user mode, and so many ns; 2 s by the clock. */
static void run_units(uint64_t n, uint64_t ns)
{
	const struct run_end end = { .elapsed = 2, .user = 0.5, .sys = 0.25, .ran = true };

	tasks_open_thread(&tasks, &events, 0, 0);
	pmu_count(n);
	pmu_tick(ns);
	tasks_read(&tasks, &events);
	results_add_run(&results, &end);
}

static void begin_machine(void)
{
	pmu_begin();
	root_make();
	root_line("cpu/type", "4");
	root_line("cpu/format/event", "config:0-7");
	root_line("cpu/events/cpu_cycles", "event=0x11"); /* Arm's PMU always has it */
	root_line("/proc/sys/kernel/perf_event_paranoid", "2");
	pmu.counters = 16;
}

static void end_machine(void)
{
	unsetenv("PERFCTR_ROOT");
	root_remove();
	pmu_end();
}

/* ---- ratios ---- */

#define CACHE(id, result) ((uint64_t)(id) | (uint64_t)(result) << 16)

/* What an event is part of is found by what it means, whatever it is called. */
START_TEST(ratios)
{
	begin_machine();
	pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 2500000);
	pmu_rate(PERF_COUNT_HW_INSTRUCTIONS, 1000000);
	pmu_rate(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 400);
	pmu_rate(PERF_COUNT_HW_BRANCH_MISSES, 30);
	pmu_rate(PERF_COUNT_HW_CACHE_REFERENCES, 8);
	pmu_rate(PERF_COUNT_HW_CACHE_MISSES, 2);
	pmu_rate(CACHE(PERF_COUNT_HW_CACHE_NODE, PERF_COUNT_HW_CACHE_RESULT_ACCESS), 2000);
	pmu_rate(CACHE(PERF_COUNT_HW_CACHE_NODE, PERF_COUNT_HW_CACHE_RESULT_MISS), 5);
	begin("Task-Clock,CPU-Cycles,INSTRUCTIONS,branch-instructions,Branch-Misses,"
	      "{cache-references,cache-misses},node-load-misses,node-loads,instructions:u,r1");
	run_units(1000, 0); /* to the PMU a clock is what instructions are: config 1 */
	results_end(&results);
	print(table_print);
	has_lines("counts of 'true':", "1000.00 msec Task-Clock 0.500 CPUs utilized",
		  "2,500,000,000 CPU-Cycles 2.500 GHz",
		  "1,000,000,000 INSTRUCTIONS 0.40 insn per cycle",
		  "400,000 branch-instructions 400.000 K/sec",
		  "30,000 Branch-Misses 7.50% of all branch-instructions",
		  "8,000 cache-references 8.000 K/sec",
		  "2,000 cache-misses 25.00% of all cache-references",
		  "5,000 node-load-misses 0.25% of all node-loads",
		  "2,000,000 node-loads 2.000 M/sec",
		  /* All cycles are another mode's. */
		  "1,000,000,000 instructions:u 1000.000 M/sec", NULL);
	end();
	end_machine();
}
END_TEST

/* What a guest does is no part of what the host does. */
START_TEST(no_ratio_of_guests)
{
	begin_machine();
	pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 4);
	pmu_rate(PERF_COUNT_HW_INSTRUCTIONS, 2);
	begin("cycles,instructions:G");
	run_units(1000, 0);
	results_end(&results);
	ck_assert_uint_eq(ratio_whole(&results, NULL, 1), 1);
	end();
	begin("cycles:G,instructions:G");
	run_units(1000, 0);
	results_end(&results);
	ck_assert_uint_eq(ratio_whole(&results, NULL, 1), 0);
	end();
	/* Both do what one of them does: neither is its whole. */
	begin("cycles,instructions:GH,cycles:GH,instructions:G");
	run_units(1000, 0);
	results_end(&results);
	ck_assert_uint_eq(ratio_whole(&results, NULL, 1), 2);
	ck_assert_uint_eq(ratio_whole(&results, NULL, 3), 3);
	end();
	begin("cycles:I,instructions,cycles");
	run_units(1000, 0);
	results_end(&results);
	ck_assert_uint_eq(ratio_whole(&results, NULL, 1), 2);
	end();
	end_machine();
}
END_TEST

/* ---- two core types ---- */

static void begin_hybrid(void)
{
	pmu_begin();
	root_unpack("alderlake");
}

/* A run that counted so much of each event. */
static void run_counts(const uint64_t *value)
{
	const struct run_end end = { .elapsed = 1, .ran = true };
	unsigned int i;

	for (i = 0; i < events.n; i++)
		events.event[i].reading =
			(struct perfctr_reading){ .value = value[i], .enabled = 10, .running = 10 };
	results_add_run(&results, &end);
	results_end(&results);
}

/* The same event of the same core types is the whole; of one of them, or the other, it is not. */
START_TEST(ratios_of_core_types)
{
	static const uint64_t some[] = { 100, 50, 30, 20 };

	begin_hybrid();
	begin("cycles,instructions");
	ck_assert_uint_eq(events.event[0].is.nvariants, 2);
	run_counts(some);
	ck_assert_uint_eq(ratio_whole(&results, NULL, 1), 0);
	print(table_print);
	has_lines("50 instructions 0.50 insn per cycle", NULL);
	end();
	begin("cpu_core/cycles/,instructions,cpu_atom/cycles/,cpu_core/instructions/");
	ck_assert_uint_eq(events.event[0].is.nvariants, 1);
	run_counts(some);
	ck_assert_uint_eq(ratio_whole(&results, NULL, 1), 1);
	end();
	begin("branches,branch-misses");
	run_counts(some);
	print(table_print);
	has_lines("50 branch-misses 50.00% of all branches", NULL);
	end();
	end_machine();
}
END_TEST

/* Each core type's metric has its own name, value and threshold. */
START_TEST(metrics_of_core_types)
{
	static const uint64_t some[] = { 300, 100, 40, 100 };

	begin_hybrid();
	begin_metrics("ipc,ipc");
	run_counts(some);
	print(openmetrics_print);
	has_lines(
		"perfex_metric{target=\"true\",metric=\"cpu_core/ipc/\",unit=\"\",quality=\"exact\"} 3",
		"perfex_metric{target=\"true\",metric=\"cpu_atom/ipc/\",unit=\"\",quality=\"exact\"} 0.4",
		"perfex_metric_beyond{target=\"true\",metric=\"cpu_core/ipc/\",threshold=\"ipc < 1\"} 0",
		"perfex_metric_beyond{target=\"true\",metric=\"cpu_atom/ipc/\",threshold=\"ipc < 1\"} 1",
		NULL);
	/* Once, though it was asked for twice. */
	ck_assert_ptr_null(
		strstr(strstr(text, "perfex_metric_known{target=\"true\",metric=\"cpu_atom") + 1,
		       "perfex_metric_known{target=\"true\",metric=\"cpu_atom"));
	print(table_print);
	has_lines("3.000 cpu_core/ipc/", "0.400 cpu_atom/ipc/ (beyond: ipc < 1)", NULL);
	print(csv_print);
	has_lines(",3.000,,cpu_core/ipc/,exact,,,,,,", NULL);
	ck_assert_ptr_nonnull(strstr(text, ",0.400,,cpu_atom/ipc/,exact,,,ipc < 1,"));
	ck_assert_ptr_null(strstr(text, ",3.000,,cpu_core/ipc/,exact,,,ipc < 1"));
	print(json_print);
	ck_assert_ptr_nonnull(
		strstr(text, "\"metric\":\"cpu_core/ipc/\",\"value\":3.000,\"unit\":\"\","
			     "\"quality\":\"exact\",\"threshold\":\"ipc < 1\",\"beyond\":false"));
	ck_assert_ptr_nonnull(
		strstr(text, "\"metric\":\"cpu_atom/ipc/\",\"value\":0.400,\"unit\":\"\","
			     "\"quality\":\"exact\",\"threshold\":\"ipc < 1\",\"beyond\":true"));
	end();
	end_machine();
}
END_TEST

/* Only what a core type counts is shown of it, counts and metrics. */
START_TEST(parts_of_core_types)
{
	const struct run_end end_of_run = { .elapsed = 1, .ran = true };
	const struct perfctr_reading some = { .value = 100, .enabled = 10, .running = 10 };
	const struct perfctr_reading none = { .quality = PERFCTR_NOT_COUNTED };
	struct perfctr_reading core[4], atom[4];
	char names[2][16] = { "cpu_core", "cpu_atom" };
	struct part parts[2] = { { .name = names[0], .reading = core, .cpus = 16 },
				 { .name = names[1], .reading = atom, .cpus = 8 } };
	struct breakdown by_type = { .by = BY_TYPE, .part = parts, .n = 2 };
	struct run run = what;
	unsigned int i;

	begin_hybrid();
	begin_metrics("ipc");
	run.breakdown = &by_type;
	results.run = &run;
	ck_assert_uint_eq(events.n, 4);
	for (i = 0; i < 4; i++) {
		bool is_core = strncmp(events.event[i].name, names[0], 8) == 0;

		core[i] = is_core ? some : none;
		atom[i] = is_core ? none : some;
		events.event[i].reading = some;
	}
	results_add_run(&results, &end_of_run);
	results_end(&results);
	print(table_print);
	has_lines("cpu_core 1.000 cpu_core/ipc/", "cpu_atom 1.000 cpu_atom/ipc/",
		  "1.000 cpu_core/ipc/", "1.000 cpu_atom/ipc/", "total of 2 core types", NULL);
	ck_assert_ptr_null(strstr(text, "not counted"));
	print(csv_print);
	ck_assert_ptr_nonnull(strstr(text, "\ncpu_core,16,100,100,,cpu_core/"));
	ck_assert_ptr_nonnull(strstr(text, "\ncpu_atom,8,100,100,,cpu_atom/"));
	ck_assert_ptr_nonnull(strstr(text, "\ntotal,,100,100,,cpu_core/"));
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, ",\"by_type\":[{\"type\":\"cpu_core\",\"cpus\":16,"));
	ck_assert_ptr_nonnull(strstr(text, "},{\"type\":\"cpu_atom\",\"cpus\":8,"));
	print(openmetrics_print);
	ck_assert_ptr_nonnull(strstr(text, "type=\"cpu_atom\",unit=\"\",quality=\"exact\"} 1\n"));
	end();
	end_machine();
}
END_TEST

/* A metric that can't be computed is on neither side of its threshold. */
START_TEST(no_value_beyond_a_threshold)
{
	static const uint64_t some[] = { 300, 100, 40, 0 };

	begin_hybrid();
	begin_metrics("ipc");
	run_counts(some);
	print(openmetrics_print);
	ck_assert_ptr_nonnull(
		strstr(text, "perfex_metric_beyond{target=\"true\",metric=\"cpu_core/"));
	ck_assert_ptr_null(strstr(text, "perfex_metric_beyond{target=\"true\",metric=\"cpu_atom/"));
	ck_assert_ptr_null(strstr(text, "perfex_metric{target=\"true\",metric=\"cpu_atom/"));
	print(table_print);
	ck_assert_ptr_null(strstr(text, "beyond"));
	end();
	end_machine();
}
END_TEST

/* Where the kernel's mode is forbidden all are in user mode, and comparable. */
static void forbid_kernel(void)
{
	if (!pmu_asked.exclude_kernel)
		pmu_fail(PMU_OPEN, 1, EACCES);
}

/* What --diff compares: events, their ratios in the runs that have them, and the time. */
START_TEST(compared)
{
	static const struct {
		const char *name;
		unsigned int n;
		double mean;
	} wanted[] = {
		{ "instructions", 3, 5 },
		{ "cycles", 3, 16 / 3. },
		{ "instructions / cycles", 2, 0.75 },
		{ "elapsed", 3, 2 },
	};
	static const unsigned int units[] = { 4, 3, 8 }, cycles[] = { 2, 0, 1 };
	struct comparison comparison = { .threshold = 0 };
	struct baseline baseline;
	unsigned int i;

	begin_machine();
	begin("instructions,cycles");
	for (i = 0; i < 3; i++) {
		pmu_rate(PERF_COUNT_HW_CPU_CYCLES, cycles[i]);
		run_units(units[i], 10);
		tasks_close(&tasks);
	}
	results_end(&results);
	baseline_take(&baseline, &results);
	ck_assert_uint_eq(baseline.runs, 3);
	baseline_compare(&baseline, &results, &comparison);
	ck_assert_uint_eq(comparison.n, ARRAY_SIZE(wanted));
	for (i = 0; i < comparison.n; i++) {
		const struct compared *one = &comparison.of[i];

		ck_assert_str_eq(one->name, wanted[i].name);
		ck_assert_uint_eq(one->now.n, wanted[i].n);
		ck_assert_uint_eq(one->before.n, wanted[i].n);
		ck_assert(fabs(one->now.mean - wanted[i].mean) < 1e-9);
		ck_assert(fabs(one->before.mean - wanted[i].mean) < 1e-9);
		ck_assert(one->verdict != VERDICT_DIFFERS && one->p == 1);
	}
	comparison_free(&comparison);
	baseline_free(&baseline);
	end();
	end_machine();
}
END_TEST

START_TEST(in_user_mode)
{
	begin_machine();
	pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 4);
	pmu_rate(PERF_COUNT_HW_INSTRUCTIONS, 2);
	begin("cycles,instructions:u,branches,instructions:k,cs");
	pmu_at(PMU_OPEN, 0, forbid_kernel);
	run_units(1000, 100);
	pmu_at(PMU_OPEN, 0, NULL);
	results_end(&results);
	print(table_print);
	has_lines("4,000 cycles:u", "2,000 instructions:u 0.50 insn per cycle",
		  "<not counted> instructions:k [1]", "<not counted> cs [1]", NULL);
	ck_assert(events.event[2].user && !events.event[1].user);
	ck_assert_str_eq(events.event[2].name, "branches:u");
	ck_assert_ptr_null(strstr(text, "can't be counted: "));
	end();
	end_machine();
}
END_TEST

/* Other modes are no whole, nor is what was never counted, and no time is no rate. */
START_TEST(no_ratios)
{
	begin_machine();
	pmu_rate(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0);
	begin("instructions:u,cycles:k,branch-misses,branches,cpu-clock");
	tasks_open_thread(&tasks, &events, 0, 0);
	pmu_count(3);
	pmu_run(0, 0, true, 4);
	tasks_read(&tasks, &events);
	results_add_run(&results, &(const struct run_end){ .elapsed = 0 });
	results_end(&results);
	events.event[4].is.flags = 0; /* without a clock nothing has a rate */
	print(table_print);
	has_lines("3 instructions:u", "4 cycles:k", "7 branch-misses", "0 branches",
		  "0.000000 s elapsed", NULL);
	events.event[4].is.flags = PERFCTR_EVENT_TIME;
	print(table_print);
	has_lines("0.00 msec cpu-clock", NULL);
	end();
	end_machine();
}
END_TEST

/* ---- units ---- */

START_TEST(units)
{
	begin_machine();
	root_line("power/type", "9");
	root_line("power/format/event", "config:0-7");
	root_line("power/events/energy-pkg", "event=0x02");
	root_line("power/events/energy-pkg.scale", "2.3283064365386962890625e-10");
	root_line("power/events/energy-pkg.unit", "Joules");
	pmu_rate(2, (uint64_t)1 << 33);
	begin("power/energy-pkg/,task-clock,cycles,nonsense/x/,r8");
	run_units(3, 1000000000);
	results_end(&results);
	print(table_print);
	has_lines("6.00 Joules power/energy-pkg/", "1000.00 msec task-clock 0.500 CPUs utilized",
		  "3 cycles 0.000 GHz", "3 r8 3.000 /sec", "<not counted> nonsense/x/ [1]", NULL);
	print(csv_print);
	has_lines("25769803776,6,Joules,power/energy-pkg/,exact,1000000000,1000000000,",
		  "1000000000,1000,msec,task-clock,exact,1000000000,1000000000,",
		  "3,3,,cycles,exact,1000000000,1000000000,", NULL);
	ck_assert_ptr_nonnull(strstr(text, "\n,,,nonsense/x/,not counted,0,0,\"this machine has "
					   "no PMU"));
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, "{\"event\":\"power/energy-pkg/\",\"value\":25769803776,"
					   "\"estimate\":25769803776,\"scaled\":6,"
					   "\"unit\":\"Joules\",\"quality\":\"exact\""));
	ck_assert_ptr_nonnull(strstr(text, "{\"event\":\"nonsense/x/\",\"value\":null,"
					   "\"estimate\":null,\"scaled\":null,\"unit\":\"\""));
	print(openmetrics_print);
	has_lines(
		"perfex_events_total{target=\"true\",event=\"cycles\",quality=\"exact\"} 3",
		"# HELP perfex_seconds_total What a clock counted.",
		"perfex_seconds_total{target=\"true\",event=\"task-clock\",quality=\"exact\"} 1",
		"perfex_joules_total{target=\"true\",event=\"power/energy-pkg/\",quality=\"exact\"} 6",
		"# TYPE perfex_elapsed_seconds gauge",
		"perfex_elapsed_seconds{target=\"true\"} 2.000000", NULL);
	ck_assert_ptr_null(strstr(text, "_bytes_"));
	end();
	end_machine();
}
END_TEST

/* Data is in bytes, whatever the kernel's unit; what is in none that is known says which. */
START_TEST(openmetrics_units)
{
	begin_machine();
	root_line("imc/type", "9");
	root_line("imc/format/event", "config:0-7");
	root_line("imc/events/reads", "event=0x02");
	root_line("imc/events/reads.scale", "6.103515625e-5");
	root_line("imc/events/reads.unit", "MiB");
	root_line("imc/events/heat", "event=0x03");
	root_line("imc/events/heat.scale", "0.5");
	root_line("imc/events/heat.unit", "C");
	root_line("imc/events/writes", "event=0x04");
	root_line("imc/events/writes.scale", "0.5");
	root_line("imc/events/writes.unit", "GiB");
	pmu_rate(4, 3);
	pmu_rate(2, 10);
	pmu_rate(3, 21);
	begin("imc/reads/,imc/heat/,imc/writes/");
	run_units(1, 1000);
	results_end(&results);
	print(openmetrics_print);
	has_lines("perfex_bytes_total{target=\"true\",event=\"imc/reads/\",quality=\"exact\"} 640",
		  "perfex_other_total{target=\"true\",event=\"imc/heat/\",unit=\"C\","
		  "quality=\"exact\"} 10.5",
		  "perfex_bytes_total{target=\"true\",event=\"imc/writes/\",quality=\"exact\"} "
		  "1610612736",
		  NULL);
	ck_assert_ptr_null(strstr(text, "_joules_"));
	end();
	end_machine();
}
END_TEST

/* ---- several runs ---- */

/* A run in which the event's reading is this one. */
static void add(uint64_t value, uint64_t enabled, uint64_t running, int status)
{
	const struct run_end end = { .elapsed = 1, .ran = true, .status = status };

	events.event[0].reading = (struct perfctr_reading){
		.value = value,
		.enabled = enabled,
		.running = running,
		.quality = tasks_quality(enabled, running),
	};
	results_add_run(&results, &end);
}

START_TEST(means)
{
	begin("cs");
	add(1000000000000, 10, 10, 0);
	add(1000000000002, 10, 10, 0);
	add(1000000000001, 10, 10, 0);
	results_end(&results);
	print(csv_print);
	has_lines("1000000000001,1000000000001,,cs,exact,10,10,,1000000000001.000,0.816,3,"
		  "1000000000000,1000000000001,1000000000002,0,1.000000000,0.000000000",
		  NULL);
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, "\"mean\":1000000000001.000,\"deviation\":0.816,"
					   "\"minimum\":1000000000000,\"median\":1000000000001,"
					   "\"maximum\":1000000000002,\"runs\":3,\"values\":["
					   "1000000000000,1000000000002,1000000000001]}"));
	ck_assert_ptr_nonnull(strstr(text, "\"elapsed\":{\"mean\":1.000000000,\"deviation\":"
					   "0.000000000,\"minimum\":1.000000000,\"median\":"
					   "1.000000000,\"maximum\":1.000000000},\"series\":[{"
					   "\"elapsed_s\":1.000000,\"user_s\":0.000000,\"sys_s\":"
					   "0.000000,\"exit_status\":0},"));
	ck_assert_ptr_nonnull(strstr(text, "\"runs\":3,\"failed_runs\":0,"));
	print(table_print);
	has_lines("counts of 'true', mean of 3 runs:", "mean ± error minimum median maximum",
		  "1,000,000,000,001 cs ± 0.00% 1,000,000,000,000 1,000,000,000,001 "
		  "1,000,000,000,002",
		  "1.000000 s elapsed ± 0.00% 1.000000 1.000000 1.000000",
		  "0.000000 s user, 0.000000 s system", NULL);
	end();
}
END_TEST

/* Two runs that took 2 s and 3 s, and one of 10 s, whose counts have the same spread. */
static void add_different(void)
{
	static const double seconds[] = { 2, 3, 10 };
	struct run_end end = { .ran = true };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		end.elapsed = seconds[i];
		end.user = seconds[i] / 2;
		end.sys = seconds[i] / 4;
		events.event[0].reading = (struct perfctr_reading){
			.value = (uint64_t)seconds[i] * 100, .enabled = 10, .running = 10
		};
		results_add_run(&results, &end);
	}
	results_end(&results);
}

/* Each number is another one, and each has its place, whatever the format. */
START_TEST(spreads)
{
	begin("cs");
	add_different();
	print(table_print);
	has_lines("500 cs ± 50.33% 200 300 1,000",
		  "5.000000 s elapsed ± 50.33% 2.000000 3.000000 10.000000",
		  "2.500000 s user, 1.250000 s system", NULL);
	print(csv_print);
	has_lines("500,500,,cs,exact,10,10,,500.000,355.903,3,200,300,1000,0,5.000000000,"
		  "3.559026084",
		  NULL);
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, "\"mean\":500.000,\"deviation\":355.903,\"minimum\":200,"
					   "\"median\":300,\"maximum\":1000,\"runs\":3,"
					   "\"values\":[200,300,1000]}"));
	ck_assert_ptr_nonnull(strstr(text, "\"elapsed\":{\"mean\":5.000000000,\"deviation\":"
					   "3.559026084,\"minimum\":2.000000000,\"median\":"
					   "3.000000000,\"maximum\":10.000000000}"));
	ck_assert_ptr_nonnull(strstr(text, "{\"elapsed_s\":3.000000,\"user_s\":1.500000,"
					   "\"sys_s\":0.750000,\"exit_status\":0}"));
	ck_assert_ptr_nonnull(strstr(text, "],\"elapsed_s\":5.000000,\"user_s\":2.500000,"
					   "\"sys_s\":1.250000,"));
	end();
}
END_TEST

/* Valgrind's own time is none of the command's. */
START_TEST(compared_emulated)
{
	struct comparison comparison = { .threshold = 0 };
	struct valgrind valgrind = { .doubt = NULL };
	struct run emulated = what;
	struct baseline baseline;

	begin("cs");
	emulated.valgrind = &valgrind;
	results.run = &emulated;
	add_different();
	baseline_take(&baseline, &results);
	baseline_compare(&baseline, &results, &comparison);
	ck_assert_uint_eq(comparison.n, 1);
	ck_assert_str_eq(comparison.of[0].name, "cs");
	/* What is compared takes the place of the counts, beside these, and below them. */
	comparison.before = comparison.now = "true";
	results.comparison = &comparison;
	print(csv_print);
	ck_assert_int_eq(strncmp(text, "event,unit,before,before_deviation,", 35), 0);
	ck_assert_ptr_nonnull(strstr(text, "\ncs,,500,"));
	results.no_header = true;
	print(csv_print);
	ck_assert_int_eq(strncmp(text, "cs,,500,", 8), 0);
	results.run = &what;
	print(json_print);
	ck_assert_ptr_nonnull(
		strstr(text, ",\"comparison\":{\"before\":\"true\",\"now\":\"true\""));
	comparison_free(&comparison);
	baseline_free(&baseline);
	end();
}
END_TEST

/* Half an event is none: means and medians are rounded to the nearest. */
START_TEST(medians)
{
	begin("cs");
	add(1, 10, 10, 0);
	add(2, 10, 10, 0);
	results_end(&results);
	print(table_print);
	has_lines("2 cs ± 33.33% 1 2 2", NULL);
	end();
}
END_TEST

START_TEST(errors)
{
	begin("cs");
	add(100, 10, 10, 0);
	add(110, 10, 10, 0);
	results_end(&results);
	print(table_print);
	has_lines("105 cs ± 4.76% 100 105 110", NULL); /* 5 of 105 */
	add(96, 10, 10, 0);
	add(94, 10, 10, 0);
	print(table_print);
	has_lines("100 cs ± 3.56% 94 98 110", NULL); /* 6.164 / sqrt(3) */
	end();
}
END_TEST

/* Without a turn there is no count, not even 0; with some of the time it is an estimate. */
START_TEST(runs_without_a_turn)
{
	begin("cs");
	add(100, 10, 10, 0);
	add(0, 10, 0, 0);
	add(50, 10, 5, 0);
	results_end(&results);
	print(table_print);
	has_lines("100 cs ± 0.00% 100 100 100 (estimate: counted 75.00% of the time) (counted in 2 "
		  "of 3 runs)",
		  NULL);
	print(csv_print);
	has_lines("100,100,,cs,scaled,10,7,,100.000,0.000,2,100,100,100,0,1.000000000,0.000000000",
		  NULL);
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, "\"values\":[100,null,100]"));
	end();
}
END_TEST

START_TEST(no_run_with_a_turn)
{
	begin("cs");
	add(0, 10, 0, 0);
	add(0, 10, 0, 0);
	results_end(&results);
	print(table_print);
	has_lines("<not counted> cs [1]",
		  "[1] it found no room on the PMU: count fewer events at a time, or stop other "
		  "users",
		  NULL);
	print(csv_print);
	has_lines(",,,cs,not counted,10,0,\"it found no room on the PMU: count fewer events at a "
		  "time, or stop other users\",,,0,,,,0,1.000000000,0.000000000",
		  NULL);
	end();
}
END_TEST

/* The status is that of the first run that failed, whose counts say nothing of those that did not.
 */
START_TEST(failed_runs)
{
	begin("cs");
	add(10, 10, 10, 0);
	add(1000, 10, 10, W_EXITCODE(3, 0));
	add(2000, 10, 10, W_EXITCODE(4, 0));
	add(20, 10, 10, 0);
	results_end(&results);
	ck_assert_int_eq(WEXITSTATUS(results.end.status), 3);
	ck_assert_uint_eq(results_runs(&results), 2);
	print(table_print);
	has_lines(
		"counts of 'true', mean of 2 of 4 runs:", "15 cs ± 33.33% 10 15 20",
		"2 of 4 runs failed, left out: run 2 with exit status 3, run 3 with exit status 4",
		NULL);
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, "\"runs\":4,\"failed_runs\":2,\"left_out_runs\":2,"));
	ck_assert_ptr_nonnull(strstr(text, "\"runs\":2,\"values\":[10,null,null,20]"));
	ck_assert_ptr_nonnull(strstr(text, "\"exit_status\":3,\"left_out\":true}"));
	print(csv_print);
	has_lines("15,15,,cs,exact,10,10,,15.000,5.000,2,10,15,20,2,1.000000000,0.000000000", NULL);
	end();
}
END_TEST

START_TEST(failed_runs_included)
{
	begin("cs");
	results.with_failed = true;
	add(10, 10, 10, 0);
	add(20, 10, 10, W_EXITCODE(3, 0));
	results_end(&results);
	print(table_print);
	has_lines("counts of 'true', mean of 2 runs, 1 of which failed:", "15 cs ± 33.33% 10 15 20",
		  "1 of 2 runs failed: run 2 with exit status 3", NULL);
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, "\"left_out_runs\":0,"));
	ck_assert_ptr_nonnull(strstr(text, "\"values\":[10,20]"));
	ck_assert_ptr_null(strstr(text, "\"left_out\":"));
	end();
}
END_TEST

/* What always fails, as a search that finds nothing, is no exception. */
START_TEST(all_runs_failed)
{
	begin("cs");
	add(10, 10, 10, W_EXITCODE(1, 0));
	add(20, 10, 10, W_EXITCODE(1, 0));
	results_end(&results);
	print(table_print);
	has_lines("counts of 'true', mean of 2 runs, all of which failed:",
		  "15 cs ± 33.33% 10 15 20",
		  "2 of 2 runs failed: run 1 with exit status 1, run 2 with exit status 1", NULL);
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, "\"values\":[10,20]"));
	end();
	begin("cs");
	add(10, 10, 10, W_EXITCODE(1, 0));
	results_end(&results);
	print(table_print);
	has_lines("counts of 'true':", "10 cs", NULL);
	end();
}
END_TEST

/* The one run that took another time is not in the mean of times, either. */
START_TEST(failed_run_time)
{
	const struct run_end longer = {
		.elapsed = 9, .user = 8, .sys = 7, .ran = true, .status = W_EXITCODE(1, 0)
	};
	struct series elapsed;

	begin("cs");
	add(10, 10, 10, 0);
	results_add_run(&results, &longer);
	add(30, 10, 10, 0);
	results_end(&results);
	ck_assert(results.end.elapsed == 1 && results.end.user == 0);
	elapsed = results_elapsed(&results);
	ck_assert(elapsed.n == 3 && elapsed.value[0] == 1 && isnan(elapsed.value[1]));
	series_free(&elapsed);
	print(table_print);
	has_lines("1.000000 s elapsed ± 0.00% 1.000000 1.000000 1.000000",
		  "0.000000 s user, 0.000000 s system", NULL);
	end();
}
END_TEST

/* --strict looks at the runs that are shown, each of which has to have counted it. */
START_TEST(strict_of_several_runs)
{
	unsigned int i;

	begin("cs");
	add(10, 10, 10, 0);
	add(0, 10, 0, W_EXITCODE(1, 0));
	results_end(&results);
	ck_assert_ptr_null(results_doubt(&results, &i));
	end();
	begin("cs");
	add(10, 10, 10, 0);
	add(0, 10, 0, 0);
	results_end(&results);
	ck_assert_str_eq(results_doubt(&results, &i), "not all runs counted it");
	ck_assert_uint_eq(i, 0);
	end();
	begin("cs");
	add(10, 10, 10, 0);
	add(10, 10, 5, 0);
	results_end(&results);
	ck_assert_str_eq(results_doubt(&results, &i), "scaled");
	end();
}
END_TEST

/* The reading at the end of an interval; what is printed of it. */
static void end_interval(double seconds, uint64_t value, uint64_t enabled, uint64_t running,
			 unsigned int quality,
			 void (*how)(FILE *file, const struct results *results))
{
	events.event[0].reading = (struct perfctr_reading){
		.value = value,
		.enabled = enabled,
		.running = running,
		.quality = quality,
	};
	results_add_interval(&results, seconds);
	print(how);
	memmove(text + 1, text, strlen(text) + 1);
	text[0] = '\n';
}

/* Metrics stand below what they are made of: the counts of all events, not only theirs. */
START_TEST(metrics)
{
	begin_machine();
	pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 4);
	pmu_rate(PERF_COUNT_HW_INSTRUCTIONS, 6);
	pmu_rate(PERF_COUNT_HW_BRANCH_MISSES, 0);
	pmu_rate(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0);
	events = (struct events){ .base16 = true };
	results = (struct results){ .run = &what };
	events_add(&events, "cycles,cs");
	events_add_metrics(&events, "ipc");
	events_add_metrics(&events, "branch-mpki,branch-miss-rate");
	events_finish(&events);
	results_begin(&results);
	run_units(1000, 100);
	run_units(1000, 100);
	results_end(&results);
	print(table_print);
	has_lines("1.500 ipc", "0.000 /1000 branch-mpki", "<no value> branch-miss-rate [1]",
		  "[1] it divides by 0", NULL);
	print(csv_print);
	has_lines(",1.500,,ipc,exact,,,,,,,,,,,,,0,2.000000000,0.000000000",
		  ",,%,branch-miss-rate,exact,,,it divides by 0,,,,,,,,,,0,2.000000000,0.000000000",
		  NULL);
	print(json_print);
	ck_assert_ptr_nonnull(strstr(
		text, ",\"metrics\":[{\"metric\":\"ipc\",\"value\":1.500,\"unit\":\"\",\"quality\":"
		      "\"exact\",\"threshold\":\"ipc < 1\",\"beyond\":false,"
		      "\"reason\":null},{\"metric\":\"branch-mpki\",\"value\":0.000,"
		      "\"unit\":\"/1000\",\"quality\":\"exact\",\"reason\":null},{\"metric\":"
		      "\"branch-miss-rate\",\"value\":null,\"unit\":\"%\",\"quality\":\"exact\","
		      "\"threshold\":\"branch-miss-rate > 5\",\"beyond\":false,"
		      "\"reason\":\"it divides by 0\"}]"));
	end();
	end_machine();
}
END_TEST

/* The reason is that of the metric's own event, whichever others were not counted. */
START_TEST(metrics_not_counted)
{
	events = (struct events){ .base16 = true };
	results = (struct results){ .run = &what };
	events_add_metrics(&events, "cache-mpki,cpi,ipc");
	events_finish(&events);
	ck_assert_uint_eq(events.n, 4);
	events_refuse(&events, 0, 1, "no such event");
	events_refuse(&events, 2, 3, "no more room");
	results_begin(&results);
	events.event[0].reading = events.event[2].reading =
		(struct perfctr_reading){ .enabled = 9, .quality = PERFCTR_NOT_COUNTED };
	events.event[1].reading = events.event[3].reading =
		(struct perfctr_reading){ .value = 60, .enabled = 9, .running = 9 };
	results_add_interval(&results, 1);
	print(csv_print);
	has_lines("1.000000,,,/1000,cache-mpki,not counted,,,no such event,,,",
		  "1.000000,,,,cpi,not counted,,,no more room,,,",
		  "1.000000,,,,ipc,not counted,,,no more room,,,", NULL);
	results_end(&results);
	end();
}
END_TEST

/* Of an interval, and of counts that shared the PMU, or had no turn. */
START_TEST(metrics_of_intervals)
{
	begin_metrics("ipc");
	events.event[0].reading =
		(struct perfctr_reading){ .value = 60, .enabled = 9, .running = 9 };
	events.event[1].reading =
		(struct perfctr_reading){ .value = 20, .enabled = 9, .running = 9 };
	results_add_interval(&results, 1);
	print(table_print);
	has_lines("1.000000 3.000 ipc", NULL);
	events.event[0].reading = (struct perfctr_reading){
		.value = 65, .enabled = 19, .running = 14, .quality = PERFCTR_SCALED
	};
	events.event[1].reading = (struct perfctr_reading){
		.value = 30, .enabled = 19, .running = 14, .quality = PERFCTR_SCALED
	};
	results_add_interval(&results, 2);
	print(table_print);
	has_lines("2.000000 0.500 ipc (estimate) (beyond its threshold)", NULL);
	print(csv_print);
	has_lines("2.000000,,0.500,,ipc,scaled,,,ipc < 1,,,", NULL);
	/* The first for half of the time, the second for all of it. */
	events.event[0].reading = (struct perfctr_reading){
		.value = 70, .enabled = 29, .running = 19, .quality = PERFCTR_SCALED
	};
	events.event[1].reading = (struct perfctr_reading){
		.value = 70, .enabled = 29, .running = 24, .quality = PERFCTR_SCALED
	};
	results_add_interval(&results, 3);
	print(table_print);
	has_lines("3.000000 0.250 ipc (estimate) (beyond its threshold)", NULL);
	results_add_interval(&results, 4);
	print(table_print);
	has_lines("4.000000 <no value> ipc", NULL);
	results_end(&results);
	end();
}
END_TEST

/* Where /sys can't be read, no event of the processor's is exact; software's are. */
START_TEST(unverified)
{
	unsigned int i;

	begin_machine();
	root_remove();
	root_make();
	begin("r1b7,page-faults");
	run_units(50, 10);
	ck_assert_str_eq(results_cell(&results, NULL, 0).quality_name, "unverified");
	ck_assert_str_eq(results_cell(&results, NULL, 1).quality_name, "exact");
	ck_assert_ptr_nonnull(strstr(results_doubt(&results, &i), "/sys can't be read"));
	ck_assert_uint_eq(i, 0);
	print(table_print);
	ck_assert_ptr_nonnull(strstr(text, "\n unverified: /sys can't be read, which tells"));
	print(csv_print);
	ck_assert_ptr_nonnull(strstr(text, "r1b7,unverified,10,10,\"/sys can't be read"));
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, "\"event\":\"r1b7\""));
	ck_assert_ptr_nonnull(strstr(text, "\"quality\":\"unverified\""));
	results_end(&results);
	end();
	end_machine();
}
END_TEST

/* A quarter of the time counted, in which ipc was 1 or 2. */
static void look(unsigned int i)
{
	unsigned int k;

	for (k = 0; k < 2; k++) {
		events.event[k].reading.value += k ? 10 : 10 + 10 * (i % 2);
		events.event[k].reading.enabled += 40;
		events.event[k].reading.running += 10;
		events.event[k].reading.quality = PERFCTR_SCALED;
	}
	slices_tick(&results.slices, &events);
}

/*
 * How far off an estimate may be, of each interval that had slices enough: of 8 pairs, in each
 * of which ipc is 0.5 above and below the mean for 10 cycles, of 160, 2.306 sqrt(8 10^2) / 160, and
 * a quarter of that has been seen: sqrt(3 / 4).
 */
START_TEST(errors_of_metrics)
{
	unsigned int i;

	begin_metrics("ipc");
	for (i = 0; i < 16; i++)
		look(i);
	results_add_interval(&results, 1);
	print(table_print);
	has_lines("1.000000 1.500 ipc (estimate, ± 0.424)", NULL);
	print(csv_print);
	has_lines("1.000000,,1.500,,ipc,scaled,,,,0.424008,,", NULL);
	print(openmetrics_print);
	has_lines("perfex_metric_error{target=\"true\",metric=\"ipc\",unit=\"\"} 0.424008", NULL);
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, ",\"error\":0.424008"));
	for (i = 0; i < 6; i++)
		look(i);
	results_add_interval(&results, 2);
	print(table_print);
	has_lines("2.000000 1.500 ipc (estimate)", NULL);
	results_end(&results);
	print(table_print);
	has_lines("1.500 ipc (estimate)", NULL);
	end();
	/* One run has an error, of several it is not known. */
	begin_metrics("ipc");
	for (i = 0; i < 16; i++)
		look(i);
	results_add_run(&results, &(const struct run_end){ .elapsed = 1, .ran = true });
	print(table_print);
	ck_assert_ptr_nonnull(strstr(text, "  (estimate, ± "));
	results_add_run(&results, &(const struct run_end){ .elapsed = 1, .ran = true });
	results_end(&results);
	print(table_print);
	ck_assert_ptr_null(strstr(text, "  (estimate, ± "));
	end();
}
END_TEST

/* An event that has no turn in one interval may have one in the next. */
START_TEST(intervals)
{
	begin("cs");
	end_interval(1, 0, 10, 0, PERFCTR_NOT_COUNTED, table_print);
	has_lines("1.000000 <not counted> cs", NULL);
	end_interval(2, 4, 20, 5, PERFCTR_SCALED, table_print);
	has_lines("2.000000 8 cs (estimate)", NULL);
	end_interval(3, 14, 30, 15, PERFCTR_SCALED, table_print);
	has_lines("3.000000 10 cs", NULL);
	end_interval(4, 15, 40, 16, PERFCTR_STALE, csv_print);
	has_lines("4.000000,1,1,,cs,stale,10,1,", NULL);
	print(openmetrics_print); /* all that there is up to now */
	has_lines("perfex_events_total{target=\"true\",event=\"cs\",quality=\"stale\"} 15",
		  "perfex_running_ratio{target=\"true\",event=\"cs\"} 0.4",
		  "perfex_counted{target=\"true\",event=\"cs\"} 1",
		  "perfex_elapsed_seconds{target=\"true\"} 4.000000", "# EOF", NULL);
	end_interval(5.5, 15, 50, 16, PERFCTR_SCALED, json_print);
	ck_assert_ptr_nonnull(
		strstr(text,
		       "{\"type\":\"interval\",\"time_s\":5.500000,\"events\":[{\"event\":\"cs\","
		       "\"value\":null,\"estimate\":null,\"scaled\":null,"
		       "\"unit\":\"\",\"quality\":\"not counted\""));
	/* Nothing is left of the one before. */
	end_interval(6, 15, 60, 16, PERFCTR_SCALED, table_print);
	has_lines("6.000000 <not counted> cs", NULL);
	end_interval(7, 15, 70, 26, PERFCTR_SCALED, table_print);
	has_lines("7.000000 0 cs", NULL);
	end_interval(8, 17, 80, 36, PERFCTR_SCALED, csv_print);
	has_lines("8.000000,2,2,,cs,exact,10,10,", NULL);
	add(15, 50, 16, 0);
	results_end(&results);
	print(table_print);
	has_lines("counts of 'true':", "46 cs (estimate: counted 32.00% of the time)", NULL);
	print(csv_print);
	ck_assert_str_eq(text, "");
	end();
}
END_TEST

/* However many reasons there are, each has its number. */
START_TEST(many_reasons)
{
	char list[70 * 16] = "", reason[32];
	unsigned int i;

	for (i = 0; i < 70; i++)
		strcat(list, i ? ",cs" : "cs");
	begin(list);
	for (i = 0; i < 70; i++) {
		snprintf(reason, sizeof(reason), "reason %u", i);
		events_refuse(&events, i, i + 1, reason);
	}
	results_add_run(&results, &(const struct run_end){ .elapsed = 1, .ran = true });
	results_end(&results);
	print(table_print);
	has_lines("<not counted> cs [1]", "<not counted> cs [64]", "<not counted> cs [70]",
		  "[1] reason 0", "[64] reason 63", "[65] reason 64", "[70] reason 69", NULL);
	ck_assert_ptr_null(strstr(text, "[0]"));
	end();
}
END_TEST

/* A run that a signal ended; the first eight of many that failed. */
START_TEST(ways_to_fail)
{
	unsigned int i;

	begin("cs");
	add(10, 10, 10, 0);
	add(10, 10, 10, W_EXITCODE(0, 11));
	results_end(&results);
	print(table_print);
	has_lines("1 of 2 runs failed, left out: run 2 with signal 11", NULL);
	end();
	begin("cs");
	add(10, 10, 10, 0);
	for (i = 0; i < 8; i++)
		add(10, 10, 10, W_EXITCODE(1, 0));
	results_end(&results);
	print(table_print);
	ck_assert_ptr_nonnull(strstr(text, "run 9 with exit status 1\n"));
	ck_assert_ptr_null(strstr(text, "..."));
	add(10, 10, 10, W_EXITCODE(1, 0));
	print(table_print);
	ck_assert_ptr_nonnull(strstr(text, "run 9 with exit status 1, ..."));
	ck_assert_ptr_null(strstr(text, "run 10 with"));
	end();
}
END_TEST

/* The worst of runs is the quality of all, whichever it was. */
START_TEST(worst_quality)
{
	unsigned int i;

	begin("cs");
	add(10, 10, 5, 0);
	add(10, 10, 10, 0);
	results_end(&results);
	ck_assert_str_eq(results_doubt(&results, &i), "scaled");
	print(table_print);
	has_lines("15 cs ± 33.33% 10 15 20 (estimate: counted 75.00% of the time)", NULL);
	end();
}
END_TEST

/* What an interval has of a clock is told by the interval's length. */
START_TEST(ratios_of_intervals)
{
	begin("task-clock");
	end_interval(1, 500000000, 500000000, 500000000, PERFCTR_EXACT, table_print);
	has_lines("1.000000 500.00 msec task-clock 0.500 CPUs utilized", NULL);
	end_interval(3, 2000000000, 2000000000, 2000000000, PERFCTR_EXACT, table_print);
	has_lines("3.000000 1500.00 msec task-clock 0.750 CPUs utilized", NULL);
	results_end(&results);
	end();
}
END_TEST

/* OpenMetrics have estimates, no share of no time, and the rank of a process that has one. */
START_TEST(openmetrics_of_doubtful_counts)
{
	struct provenance provenance = { .version = "1", .processor = "p", .rank = "3" };

	begin("cs");
	strcpy(provenance.host.release, "6.1");
	results.provenance = &provenance;
	add(4, 20, 10, 0);
	results_end(&results);
	print(openmetrics_print);
	has_lines("perfex_events_total{target=\"true\",event=\"cs\",quality=\"scaled\"} 8",
		  "perfex_running_ratio{target=\"true\",event=\"cs\"} 0.5",
		  "perfex_build_info{target=\"true\",version=\"1\",kernel=\"6.1\",processor=\"p\","
		  "rank=\"3\"} 1",
		  NULL);
	provenance.rank = "";
	print(openmetrics_print);
	has_lines(
		"perfex_build_info{target=\"true\",version=\"1\",kernel=\"6.1\",processor=\"p\"} 1",
		NULL);
	end();
	begin("cs");
	add(0, 0, 0, 0);
	results_end(&results);
	print(openmetrics_print);
	has_lines("perfex_events_total{target=\"true\",event=\"cs\",quality=\"exact\"} 0", NULL);
	ck_assert_ptr_null(strstr(text, "perfex_running_ratio{"));
	end();
}
END_TEST

/* Sums of several tasks: those that ran all the time, in part, not at all, or ended early. */
START_TEST(sums)
{
	const struct perfctr_reading all = { .value = 10, .enabled = 20, .running = 20 };
	const struct perfctr_reading half = {
		.value = 3, .enabled = 20, .running = 10, .quality = PERFCTR_SCALED
	};
	const struct perfctr_reading no_turn = { .enabled = 20, .quality = PERFCTR_NOT_COUNTED };
	const struct perfctr_reading none = { .quality = PERFCTR_NOT_COUNTED };
	struct perfctr_reading sum = none;

	tasks_add_reading(&sum, &none);
	ck_assert_uint_eq(sum.quality, PERFCTR_NOT_COUNTED);
	tasks_add_reading(&sum, &all);
	ck_assert_uint_eq(sum.quality, PERFCTR_EXACT);
	tasks_add_reading(&sum, &half);
	ck_assert_uint_eq(sum.value, 13);
	ck_assert_uint_eq(sum.enabled, 40);
	ck_assert_uint_eq(sum.running, 30);
	ck_assert_uint_eq(sum.quality, PERFCTR_SCALED);
	tasks_add_reading(&sum, &no_turn);
	ck_assert_uint_eq(sum.enabled, 60);
	ck_assert_uint_eq(sum.running, 30);
	ck_assert_uint_eq(sum.quality, PERFCTR_SCALED);
	tasks_add_reading(&sum, &(const struct perfctr_reading){ .value = 1,
								 .enabled = 5,
								 .running = 5,
								 .quality = PERFCTR_STALE });
	tasks_add_reading(&sum, &all);
	ck_assert_uint_eq(sum.value, 24);
	ck_assert_uint_eq(sum.quality, PERFCTR_STALE);
}
END_TEST

/* A processor went offline; and times are means. */
START_TEST(stale)
{
	const struct run_end longer = { .elapsed = 4, .user = 1, .sys = 0.75, .ran = true };

	begin_machine();
	begin("cs");
	run_units(1, 100);
	events.event[0].reading.quality = PERFCTR_STALE;
	results_add_run(&results, &longer);
	results_end(&results);
	events.stale = strdup("a processor went");
	print(csv_print);
	ck_assert_ptr_nonnull(strstr(text, ",cs,stale,100,100,a processor went,"));
	print(table_print);
	has_lines("1 cs ± 0.00% 1 1 1 (stale: it stopped early) [1]", "[1] a processor went", NULL);
	free(events.stale);
	events.stale = NULL;
	print(table_print);
	has_lines("1 cs ± 0.00% 1 1 1 (stale: it stopped early)",
		  "3.000000 s elapsed ± 33.33% 2.000000 3.000000 4.000000",
		  "0.750000 s user, 0.500000 s system", NULL);
	end();
	end_machine();
}
END_TEST

/* One target, and several, of each kind. */
START_TEST(targets_in_json)
{
	struct perfctr_target two[] = { { .type = PERFCTR_TARGET_THREAD, .id = 5 },
					{ .type = PERFCTR_TARGET_THREAD, .id = 6 } };

	begin("cs");
	add(1, 10, 10, 0);
	results_end(&results);
	targets = (struct targets){ .target = two, .n = 1 };
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, "{\"type\":\"counts\",\"tid\":5,"));
	targets.n = 2;
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, "{\"type\":\"counts\",\"tids\":[5,6],"));
	two[0].type = two[1].type = PERFCTR_TARGET_PROCESS;
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, "{\"type\":\"counts\",\"pids\":[5,6],"));
	targets.n = 1;
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text, "{\"type\":\"counts\",\"pid\":5,"));
	targets = (struct targets){ .n = 0 };
	end();
}
END_TEST

/* The first clock that was counted, not the first one. */
START_TEST(rates_of_clocks)
{
	const struct run_end end_of_run = { .elapsed = 4, .ran = true };

	begin("task-clock,cpu-clock,cs");
	events.event[0].reading.quality = PERFCTR_NOT_COUNTED;
	events.event[1].reading = (struct perfctr_reading){ .value = 2000000000 };
	events.event[2].reading = (struct perfctr_reading){ .value = 10 };
	results_add_run(&results, &end_of_run);
	results_end(&results);
	print(table_print);
	has_lines("2000.00 msec cpu-clock 0.500 CPUs utilized", "10 cs 5.000 /sec", NULL);
	end();
}
END_TEST

/* In another run an event may be counted, or not for another reason. */
START_TEST(forgotten_reasons)
{
	begin("cs");
	events_refuse(&events, 0, 1, "one reason");
	events_refuse(&events, 0, 1, "a second one");
	ck_assert_str_eq(events.event[0].reason, "one reason");
	events_forget(&events);
	ck_assert_ptr_null(events.event[0].reason);
	events_refuse(&events, 0, 1, "another reason");
	ck_assert_str_eq(events.event[0].reason, "another reason");
	events_forget(&events);
	add(1, 10, 10, 0);
	results_end(&results);
	print(csv_print);
	has_lines("1,1,,cs,exact,10,10,", NULL);
	end();
}
END_TEST

UNIT_MAIN("results", 20, targets_in_json, rates_of_clocks, forgotten_reasons, errors_of_metrics,
	  ratios, no_ratio_of_guests, compared, in_user_mode, no_ratios, units, openmetrics_units,
	  means, medians, errors, runs_without_a_turn, no_run_with_a_turn, failed_runs,
	  failed_runs_included, all_runs_failed, failed_run_time, strict_of_several_runs, metrics,
	  metrics_not_counted, metrics_of_intervals, unverified, intervals, stale,
	  ratios_of_core_types, metrics_of_core_types, no_value_beyond_a_threshold, many_reasons,
	  ways_to_fail, worst_quality, ratios_of_intervals, openmetrics_of_doubtful_counts, sums,
	  spreads, compared_emulated, parts_of_core_types)
