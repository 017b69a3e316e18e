// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests perfex's parts: sums by core, socket and core type on the made-up PMU, whose counts are
 * known; and of several runs.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tests/harness/pmu.h"
#include "tests/harness/root.h"
#include "tools/perfex/count/breakdown.h"
#include "tools/perfex/report/formats.h"
#include "tools/perfex/report/results.h"
#include "tools/perfex/report/series.h"

static struct events events;
static struct tasks tasks;
static struct breakdown breakdown;
static struct targets targets;
static struct results results;
static const struct run what = {
	.events = &events,
	.tasks = &tasks,
	.breakdown = &breakdown,
	.targets = &targets,
};
static char text[16384];

static void print(void (*how)(FILE *file, const struct results *results))
{
	FILE *file = fmemopen(text, sizeof(text), "w");

	text[0] = '\0';
	how(file, &results);
	ck_assert_int_eq(fclose(file), 0);
}

/* Four processors: two sockets with two cores of one thread each. */
static void begin_machine(enum by by)
{
	char path[128], number[8];
	unsigned int cpu;

	pmu_begin();
	root_make();
	root_line("cpu/type", "4");
	root_line("/proc/sys/kernel/perf_event_paranoid", "-1");
	root_line("/sys/devices/system/cpu/online", "0-3");
	for (cpu = 0; cpu < 4; cpu++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
		snprintf(number, sizeof(number), "%u", cpu / 2);
		root_line(path, number);
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
		snprintf(number, sizeof(number), "%u", cpu % 2);
		root_line(path, number);
	}
	pmu.counters = 8;
	breakdown = (struct breakdown){ .by = by };
	events = (struct events){ .base16 = true };
	results = (struct results){ .run = &what };
}

static void end_machine(void)
{
	results_free(&results);
	tasks_close(&tasks);
	breakdown_clear(&breakdown);
	events_free(&events);
	targets_free(&targets);
	targets = (struct targets){ .n = 0 };
	unsetenv("PERFCTR_ROOT");
	root_remove();
	pmu_end();
}

static void count(const char *list, const char *cpus)
{
	unsigned int t;

	events_add(&events, list);
	events_finish(&events);
	results_begin(&results);
	targets_add_processors(&targets, cpus);
	for (t = 0; t < targets.n; t++)
		tasks_open(&tasks, &events, &targets.target[t], 0);
}

/* Processor k counts n times k + 1 more of each, in 100 ns. */
static void read_counts(uint64_t n)
{
	int cpu;

	for (cpu = 0; cpu < 4; cpu++) {
		pmu_run(-1, cpu, false, n * (uint64_t)(cpu + 1));
		pmu_tick_of(-1, cpu, 100);
	}
	breakdown_read(&breakdown, &tasks, &events);
}

static void check_part(size_t k, unsigned int i, uint64_t value, uint64_t enabled)
{
	ck_assert_uint_eq(breakdown.part[k].reading[i].value, value);
	ck_assert_uint_eq(breakdown.part[k].reading[i].enabled, enabled);
	ck_assert_uint_eq(breakdown.part[k].reading[i].quality, PERFCTR_EXACT);
}

static void check_sum(unsigned int i, uint64_t value, uint64_t enabled)
{
	ck_assert_uint_eq(events.event[i].reading.value, value);
	ck_assert_uint_eq(events.event[i].reading.enabled, enabled);
	ck_assert_uint_eq(events.event[i].reading.quality, PERFCTR_EXACT);
}

static void check_names(const char *const *names, unsigned int cpus, size_t n)
{
	size_t k;

	ck_assert_uint_eq(breakdown.n, n);
	for (k = 0; k < n; k++) {
		ck_assert_str_eq(breakdown.part[k].name, names[k]);
		ck_assert_uint_eq(breakdown.part[k].cpus, cpus);
	}
}

START_TEST(by_socket)
{
	static const char *const names[] = { "S0", "S1" };

	begin_machine(BY_SOCKET);
	count("cycles,cs", "0-3");
	read_counts(7);
	check_names(names, 2, 2);
	check_part(0, 0, 7 * 3, 200);
	check_part(1, 1, 7 * 7, 200);
	check_sum(0, 7 * 10, 400);
	check_sum(1, 7 * 10, 400);
	end_machine();
}
END_TEST

/* Processors whose bits are in three words, each of which two sets count. */
START_TEST(many_processors)
{
	static const char *const names[] = { "S0" };
	static const unsigned int cpus[] = { 1, 31, 32, 33, 63, 64, 65 };
	char path[128];
	unsigned int k;

	begin_machine(BY_SOCKET);
	root_line("/sys/devices/system/cpu/online", "0-95");
	for (k = 0; k < ARRAY_SIZE(cpus); k++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpus[k]);
		root_line(path, "0");
	}
	events_add(&events, "0x4100c0");
	count("cs", "1,31-33,63-65");
	read_counts(1);
	check_names(names, ARRAY_SIZE(cpus), 1);
	check_part(0, 1, 2, 100); /* of processor 1, which alone ran */
	end_machine();
}
END_TEST

START_TEST(by_core)
{
	static const char *const names[] = { "S0-D0-C0", "S0-D0-C1", "S1-D0-C0", "S1-D0-C1" };

	begin_machine(BY_CORE);
	count("cycles", "0-3");
	read_counts(7);
	check_names(names, 1, 4);
	check_part(2, 0, 7 * 3, 100);
	check_sum(0, 7 * 10, 400);
	end_machine();
}
END_TEST

START_TEST(by_processor)
{
	static const char *const names[] = { "1", "3" };

	begin_machine(BY_CPU);
	count("cycles", "1,3");
	read_counts(7);
	check_names(names, 1, 2);
	check_part(0, 0, 7 * 2, 100);
	check_part(1, 0, 7 * 4, 100);
	check_sum(0, 7 * 6, 200);
	/* There is no number of processors where each has its own row. */
	print(csv_print);
	ck_assert_ptr_nonnull(strstr(text, "cpu,value,scaled,"));
	ck_assert_ptr_nonnull(strstr(text, "\n1,14,14,,cycles,exact,100,100,\n"));
	end_machine();
}
END_TEST

START_TEST(by_type)
{
	static const char *const names[] = { "cpu" };

	begin_machine(BY_TYPE);
	count("cycles", "0-3");
	read_counts(7);
	check_names(names, 4, 1);
	check_part(0, 0, 7 * 10, 400);
	end_machine();
}
END_TEST

/* The same processor's events by name and by number are of one part. */
START_TEST(two_sets)
{
	static const char *const names[] = { "0" };

	begin_machine(BY_CPU);
	events_add(&events, "0x4100c0");
	count("cs", "0");
	read_counts(1);
	check_names(names, 1, 1);
	check_part(0, 1, 1, 100); /* by name: beside the TSC, which comes with a number */
	end_machine();
}
END_TEST

/* What came in each interval, of a part; and it all. */
START_TEST(intervals)
{
	begin_machine(BY_SOCKET);
	count("cs", "0-3");
	read_counts(5);
	results_add_interval(&results, 1);
	ck_assert_uint_eq(breakdown.part[1].interval[0].value, 5 * 7);
	ck_assert_uint_eq(breakdown.part[1].interval[0].enabled, 200);
	read_counts(9);
	results_add_interval(&results, 2.5);
	ck_assert_uint_eq(breakdown.part[1].interval[0].value, 9 * 7);
	ck_assert_uint_eq(breakdown.part[1].interval[0].enabled, 200);
	check_part(1, 0, 14 * 7, 400);
	ck_assert(results.span > 1.49 && results.span < 1.51);
	print(csv_print);
	ck_assert_ptr_null(strstr(text, "time_s,socket")); /* the first one has the header */
	ck_assert_ptr_nonnull(strstr(text, "2.500000,S0,2,27,27,,cs,exact,200,200,\n"));
	ck_assert_ptr_nonnull(strstr(text, "\n2.500000,total,,90,90,,cs,exact,400,400,\n"));
	print(json_print);
	ck_assert_ptr_nonnull(strstr(text,
				     "\"by_socket\":[{\"socket\":\"S0\",\"cpus\":2,\"events\":[{"
				     "\"event\":\"cs\",\"value\":27,"));
	print(table_print);
	ck_assert_ptr_nonnull(strstr(text, "    2.500000 S1  "));
	ck_assert_ptr_nonnull(strstr(text, "    2.500000 total  "));
	end_machine();
}
END_TEST

/* Of a processor that can't be read the sum is not exact: the event has a reason, others have none.
 */
START_TEST(unreadable)
{
	begin_machine(BY_CPU);
	count("{cycles,instructions},cs", "0-3");
	read_counts(1);
	ck_assert_ptr_null(events.event[0].reason);
	pmu_fail(PMU_READ, 1, EIO);
	read_counts(1);
	ck_assert(pmu_failed());
	ck_assert_ptr_nonnull(events.event[0].reason);
	ck_assert_ptr_nonnull(strstr(events.event[0].reason, strerror(EIO)));
	ck_assert_str_eq(events.event[1].reason, events.event[0].reason);
	ck_assert_ptr_null(events.event[2].reason);
	end_machine();
}
END_TEST

/* ---- several values ---- */

static struct series series;

static struct summary add_all(const double *values, unsigned int n)
{
	unsigned int i;

	series_free(&series);
	for (i = 0; i < n; i++)
		series_add(&series, values[i]);
	return series_summary(&series);
}

START_TEST(summaries)
{
	static const double odd[] = { 5, 1, 3 }, even[] = { 4, NAN, 1, 3, 10 }, one[] = { NAN, 7 };
	struct summary s = add_all(odd, 3);

	ck_assert_uint_eq(s.n, 3);
	ck_assert(s.mean == 3 && s.squares == 8 && s.minimum == 1 && s.median == 3 &&
		  s.maximum == 5);
	s = add_all(even, 5);
	ck_assert_uint_eq(s.n, 4);
	ck_assert(s.mean == 4.5 && s.squares == 45 && s.median == 3.5 && s.maximum == 10);
	ck_assert(fabs(summary_deviation(&s) - sqrt(45. / 4)) < 1e-12);
	ck_assert(fabs(summary_error(&s) - 100 * sqrt(45. / 4 / 3) / 4.5) < 1e-9);
	s = add_all(one, 2);
	ck_assert(s.n == 1 && s.mean == 7 && summary_error(&s) == 0);
	s = add_all(one, 1);
	ck_assert(s.n == 0 && isnan(s.mean) && isnan(s.median) && summary_deviation(&s) == 0);
	series_free(&series);
}
END_TEST

UNIT_MAIN("breakdown", 20, by_socket, many_processors, by_core, by_processor, by_type, two_sets,
	  intervals, unreadable, summaries)
