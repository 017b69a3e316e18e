// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions over a made-up PMU, which counts what a test says: sums, moments, percentiles; what begin
 * and end count themselves, and a first visit, and a begin or an end that finds that its thread was
 * off the processor; faults.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <perfctr/regions.h>
#include "tests/harness/check.h"
#include "tests/harness/pmu.h"

PERFCTR_REGION(outer, "outer");
PERFCTR_REGION(middle, "middle");
PERFCTR_REGION(inner, "inner");
PERFCTR_REGION(never, "never");

#define ONE "instructions:u"

static __thread struct perfctr_region_reading reading;

static void start(const char *events, unsigned int keep)
{
	ck_assert_msg(perfctr_regions_start(events, keep) == 0, "%s", perfctr_error());
}

static void begin(void)
{
	pmu_begin();
	pmu.counters = 8;
}

static void end(void)
{
	ck_assert_int_eq(perfctr_regions_stop(), 0);
	pmu_at(PMU_ANY, 0, NULL);
}

static void read_it(const struct perfctr_region *region, uint64_t visits)
{
	ck_assert_msg(perfctr_region_read(region, &reading) == 0, "%s", perfctr_error());
	ck_assert_uint_eq(reading.visits, visits);
}

static void is(const struct perfctr_region *region, uint64_t visits, unsigned int i,
	       uint64_t inclusive, uint64_t exclusive)
{
	read_it(region, visits);
	ck_assert_uint_eq(reading.value[i].quality, PERFCTR_EXACT);
	ck_assert_msg(reading.value[i].inclusive == inclusive &&
			      reading.value[i].exclusive == exclusive,
		      "%s, value %u: %llu and %llu, not %llu and %llu", region->name, i,
		      (unsigned long long)reading.value[i].inclusive,
		      (unsigned long long)reading.value[i].exclusive, (unsigned long long)inclusive,
		      (unsigned long long)exclusive);
}

/* Outer 100 + 10 + 7 + 3, middle 10 + 7 + 3, inner 7; then inner again, 1. */
static void nest(void)
{
	perfctr_region_begin(&outer);
	pmu_count(60);
	perfctr_region_begin(&middle);
	pmu_count(10);
	perfctr_region_begin(&inner);
	pmu_count(7);
	perfctr_region_end(&inner);
	pmu_count(3);
	perfctr_region_end(&middle);
	pmu_count(40);
	perfctr_region_begin(&inner);
	pmu_count(1);
	perfctr_region_end(&inner);
	perfctr_region_end(&outer);
}

static void is_nested(uint64_t n, unsigned int i, uint64_t rate)
{
	is(&outer, n, i, n * 121 * rate, n * 100 * rate);
	is(&middle, n, i, n * 20 * rate, n * 13 * rate);
	is(&inner, 2 * n, i, n * 8 * rate, n * 8 * rate);
}

/* ---- sums ---- */

/* The first event counts one a unit, the second two, ... */
static void set_rates(void)
{
	static const uint64_t config[] = { PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
					   PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
					   PERF_COUNT_HW_BRANCH_MISSES,
					   PERF_COUNT_HW_CACHE_MISSES };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(config); i++)
		pmu_rate(config[i], i + 1);
}

static void check_sums(unsigned int nevents, unsigned int keep)
{
	static const char *const lists[] = {
		ONE,
		ONE ",cycles:u",
		ONE ",cycles:u,branches:u",
		ONE ",cycles:u,branches:u,branch-misses:u",
		ONE ",cycles:u,branches:u,branch-misses:u,cache-misses:u",
	};
	unsigned int n, i;

	start(lists[nevents - 1], keep);
	for (n = 1; n <= 3; n++) {
		nest();
		for (i = 1; i <= nevents; i++)
			is_nested(n, i, i);
		ck_assert_uint_eq(reading.nvalues, nevents + 1);
	}
	end();
}

static const unsigned int keeps[] = { 0, PERFCTR_REGIONS_MOMENTS, PERFCTR_REGIONS_HISTOGRAM };
static const unsigned int widths[] = { 48, 40, 32 };

/* As many counters as have code of their own, and more; of usual and other widths. */
START_TEST(sums)
{
	unsigned int nevents, k, w;

	begin();
	set_rates();
	for (w = 0; w < ARRAY_SIZE(widths); w++) {
		pmu.width = widths[w];
		for (nevents = 1; nevents <= 5; nevents++)
			for (k = 0; k < ARRAY_SIZE(keeps); k++)
				check_sums(nevents, keeps[k]);
	}
}
END_TEST

START_TEST(through_the_kernel)
{
	unsigned int nevents;

	begin();
	set_rates();
	pmu.rdpmc = false;
	for (nevents = 1; nevents <= 5; nevents++)
		check_sums(nevents, PERFCTR_REGIONS_MOMENTS);
}
END_TEST

/* Four visits of 201, one of 601; with regions within, which moments leave out. */
START_TEST(moments)
{
	const struct perfctr_region_value *value = &reading.value[1];
	unsigned int i;

	begin();
	start(ONE, PERFCTR_REGIONS_HISTOGRAM);
	for (i = 0; i < 4; i++) {
		perfctr_region_begin(&outer);
		pmu_count(200);
		perfctr_region_begin(&inner);
		pmu_count(1);
		perfctr_region_end(&inner);
		perfctr_region_end(&outer);
	}
	perfctr_region_begin(&outer);
	pmu_count(601);
	perfctr_region_end(&outer);
	is(&outer, 5, 1, 1405, 1401);
	ck_assert_uint_eq(value->minimum, 201);
	ck_assert_uint_eq(value->maximum, 601);
	ck_assert_double_eq_tol(value->mean, 281, 1e-9);
	ck_assert_double_eq_tol(value->deviation, 178.885438199983, 1e-9);
	ck_assert_uint_eq(value->p50, 207);
	ck_assert_uint_eq(value->p90, 639);
	ck_assert_uint_eq(value->p99, 639);
	ck_assert_int_eq(perfctr_region_reset(&outer), 0);
	read_it(&outer, 0);
	ck_assert_uint_eq(value->minimum, 0);
	perfctr_region_begin(&outer);
	pmu_count(9);
	perfctr_region_end(&outer);
	is(&outer, 1, 1, 9, 9);
	ck_assert_uint_eq(value->minimum, 9);
	ck_assert_uint_eq(value->p99, 9);
	end();
}
END_TEST

/* ---- what begin and end count ---- */

/* Everything costs something: a read of a counter 3 units. */
static void cost_three(void)
{
	pmu_count(3);
}

/* What a first visit does besides, the kernel's work, is not counted here: reads only. */
START_TEST(costs_are_subtracted)
{
	unsigned int n, k;

	begin();
	if (!pmu.rdpmc)
		return; /* nothing happens at a read */
	for (k = 0; k < ARRAY_SIZE(keeps); k++) {
		pmu_at(PMU_RDPMC, 0, cost_three);
		start(ONE, keeps[k]);
		for (n = 1; n <= 3; n++) {
			nest();
			is_nested(n, 1, 1);
		}
		ck_assert_uint_eq(reading.value[1].minimum, keeps[k] ? 1 : 0);
		ck_assert_uint_eq(reading.value[1].maximum, keeps[k] ? 7 : 0);
		end();
	}
}
END_TEST

static unsigned int reads;

/* More from round to round of a calibration, in which there are six reads. */
static void cost_more(void)
{
	pmu_count(reads++ / 6);
}

/* The report has a line that begins with these words; its numbers. */
static void read_report(const char *words, unsigned long long *first, unsigned long long *second,
			unsigned long long *third)
{
	char name[] = "/tmp/regions-XXXXXX", line[256];
	int fd = mkstemp(name), found = 0;
	FILE *file;

	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(perfctr_regions_report(name, PERFCTR_REGIONS_TABLE), 0);
	file = fopen(name, "r");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, words, strlen(words)))
			found = sscanf(line + strlen(words), "%llu (spread %llu), %llu", first,
				       second, third);
	fclose(file);
	unlink(name);
	ck_assert_int_eq(found, 3);
}

/*
 * The median of 31 calibrations, and from the 8th to the 24th: 16 rounds. An empty pair within
 * counts two reads.
 */
START_TEST(calibration)
{
	unsigned long long inside, spread, pair;

	begin();
	if (!pmu.rdpmc)
		return; /* nothing happens at a read */
	start(ONE, 0);
	pmu_at(PMU_RDPMC, 0, cost_more);
	perfctr_region_begin(&outer);
	perfctr_region_end(&outer);
	pmu_at(PMU_RDPMC, 0, NULL);
	read_report(ONE, &inside, &spread, &pair);
	ck_assert_uint_eq(spread, 16);
	ck_assert_uint_ge(inside, 17); /* two rounds before, and reads of the first visit */
	ck_assert_uint_le(inside, 19);
	ck_assert_uint_ge(pair, 2 * inside - 1);
	ck_assert_uint_le(pair, 2 * inside + 1);
	/* Now they cost nothing, and are subtracted. */
	perfctr_region_reset(&outer);
	perfctr_region_begin(&outer);
	pmu_count(1000);
	perfctr_region_end(&outer);
	is(&outer, 1, 1, 1000 - inside, 1000 - inside);
	perfctr_region_begin(&outer);
	perfctr_region_end(&outer);
	is(&outer, 2, 1, 1000 - 2 * inside, 1000 - 2 * inside);
	end();
}
END_TEST

static unsigned int late; /* reads until the thread is taken off the processor */

static void switch_at_read(void)
{
	pmu_count(3);
	if (late && --late == 0)
		pmu_switch();
}

/* Off the processor before each of the reads: begin and end go another way, and count the same. */
START_TEST(switched)
{
	unsigned int k, n;

	begin();
	if (!pmu.rdpmc)
		return; /* nothing happens at a read */
	for (k = 0; k < ARRAY_SIZE(keeps); k++) {
		late = 0;
		pmu_at(PMU_RDPMC, 0, switch_at_read);
		start(ONE ",cycles:u", keeps[k]);
		nest();
		for (n = 1; n <= 40; n++) {
			late = n;
			nest();
			is_nested(n + 1, 1, 1);
			is_nested(n + 1, 2, 1);
		}
		end();
	}
}
END_TEST

/* Then visits are not counted, and the first ones not lost. */
START_TEST(counters_are_taken_away)
{
	begin();
	start(ONE, 0);
	nest();
	perfctr_region_begin(&outer);
	pmu.taken = pmu.counters;
	pmu_schedule();
	perfctr_region_end(&outer);
	nest();
	is_nested(1, 1, 1);
	end();
}
END_TEST

/* ---- what may go wrong ---- */

START_TEST(faults)
{
	unsigned int i;

	begin();
	start(ONE, 0);
	nest();
	perfctr_region_end(&middle); /* stray */
	perfctr_region_begin(&outer);
	pmu_count(5);
	perfctr_region_begin(&middle);
	perfctr_region_begin(&inner);
	pmu_count(6);
	perfctr_region_end(&outer);
	is(&outer, 2, 1, 121 + 11, 100 + 11);
	ck_assert_uint_eq(reading.unfinished, 0);
	is(&middle, 1, 1, 20, 13);
	ck_assert_uint_eq(reading.unfinished, 1);
	read_it(&inner, 2);
	ck_assert_uint_eq(reading.unfinished, 1);
	for (i = 0; i < 1100; i++)
		perfctr_region_begin(&inner);
	pmu_count(1);
	for (i = 0; i < 1100; i++)
		perfctr_region_end(&inner);
	ck_assert_int_eq(perfctr_region_read(&inner, &reading), 0);
	ck_assert_uint_eq(reading.visits + reading.uncounted, 2 + 1100);
	ck_assert_uint_ge(reading.visits, 2 + 990);
	ck_assert_uint_le(reading.visits, 2 + 1000);
	nest();
	is(&outer, 3, 1, 2 * 121 + 11, 2 * 100 + 11);
	end();
}
END_TEST

START_TEST(errors)
{
	struct perfctr_region none = { NULL, 1, 0, NULL };

	begin();
	ck_fails(perfctr_region_read(&outer, &reading), EINVAL, "");
	ck_fails(perfctr_regions_report(NULL, PERFCTR_REGIONS_TABLE), EINVAL,
		 "no regions have been");
	ck_fails(perfctr_regions_start(ONE, 8), EINVAL, "0x8 is not what can be kept");
	ck_fails(perfctr_regions_start("nonsense", 0), EINVAL, "");
	ck_fails(perfctr_regions_stop(), EINVAL, "");
	start(ONE, 0);
	ck_fails(perfctr_regions_start(ONE, 0), EALREADY, "already");
	nest();
	ck_fails(perfctr_region_read(&never, &reading), ENOENT, "never");
	ck_fails(perfctr_region_reset(&never), ENOENT, "never has not been visited");
	ck_fails(perfctr_region_read(NULL, &reading), EINVAL, "not NULL");
	ck_fails(perfctr_region_read(&none, &reading), EINVAL, "not NULL");
	ck_fails(perfctr_region_read(&outer, NULL), EINVAL, "not NULL");
	ck_fails(perfctr_region_reset(NULL), EINVAL, "not NULL");
	ck_fails(perfctr_region_reset(&none), EINVAL, "not NULL");
	ck_fails(perfctr_regions_report(NULL, 3), EINVAL, "3 is no format");
	ck_fails_null(perfctr_region_by_name(""), EINVAL, "needs a name");
	ck_fails_null(perfctr_region_by_name(NULL), EINVAL, "needs a name");
	ck_assert_str_eq(perfctr_region_by_name("outer")->name, "outer");
	ck_assert_ptr_eq(perfctr_region_by_name("other"), perfctr_region_by_name("other"));
	ck_assert_int_eq(perfctr_regions_stop(), 0);
	is_nested(1, 1, 1); /* results stay */
	nest();
	is_nested(1, 1, 1);
	start(ONE, 0);
	ck_fails(perfctr_region_read(&outer, &reading), ENOENT, "outer");
	nest();
	is_nested(1, 1, 1);
	end();
}
END_TEST

/* ---- threads ---- */

static pthread_barrier_t visited;

static void *visit_in_thread(void *arg)
{
	ck_assert_int_eq(perfctr_regions_thread(), 0);
	nest();
	nest();
	is_nested(2, 1, 1);
	pthread_barrier_wait(&visited);
	pthread_barrier_wait(&visited);
	return arg;
}

static void check_all(uint64_t n)
{
	ck_assert_int_eq(perfctr_region_read_all(&outer, &reading), 0);
	ck_assert_uint_eq(reading.visits, n);
	ck_assert_uint_eq(reading.value[1].inclusive, n * 121);
	ck_assert_uint_eq(reading.value[1].exclusive, n * 100);
}

static void check_threads(unsigned int keep)
{
	pthread_t thread[3];
	unsigned int i;

	start(ONE, keep);
	nest();
	pthread_barrier_init(&visited, NULL, 4);
	for (i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, visit_in_thread, NULL), 0);
	pthread_barrier_wait(&visited);
	check_all(7);
	is_nested(1, 1, 1);
	pthread_barrier_wait(&visited);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	check_all(7);
	end();
	check_all(7);
}

START_TEST(threads)
{
	begin();
	check_threads(0);
	check_threads(PERFCTR_REGIONS_MOMENTS);
	check_threads(PERFCTR_REGIONS_THREADS);
}
END_TEST

/* Bytes that are allocated, where the C library tells. */
static size_t allocated(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	return mallinfo2().uordblks;
#else
	return 0;
#endif
}

/* Nobody's counters are left over, and neither is memory. */
START_TEST(again)
{
	unsigned int i, events = 0;
	size_t bytes = 0;

	begin();
	for (i = 0; i < 20; i++) {
		start(ONE ",cycles:u", keeps[i % 3]);
		nest();
		is_nested(1, 1, 1);
		/* Its begin and end are this file's, but calibrated as the library's. */
		perfctr_region_begin(perfctr_region_by_name("other"));
		perfctr_region_end(perfctr_region_by_name("other"));
		ck_assert_int_eq(perfctr_regions_stop(), 0);
		if (!i)
			events = pmu_events();
		ck_assert_uint_eq(pmu_events(), events);
		if (i == 5)
			bytes = allocated();
		ck_assert_msg(i <= 5 || allocated() <= bytes, "%zu bytes, and not %zu", allocated(),
			      bytes);
	}
	ck_assert_uint_le(events, 2);
}
END_TEST

UNIT_MAIN("regions", 60, sums, through_the_kernel, moments, costs_are_subtracted, calibration,
	  switched, counters_are_taken_away, faults, errors, threads, again)
