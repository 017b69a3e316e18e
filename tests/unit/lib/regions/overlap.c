// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions that overlap, as LIKWID's and PAPI's may, over a made-up PMU: random begins and ends
 * against a list of whose each unit of work is.
 */
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <perfctr/regions.h>
#include "lib/regions/fast_path.h"
#include "lib/regions/thread.h"
#include "tests/harness/check.h"
#include "tests/harness/pmu.h"
#include "tests/harness/random.h"

static void calibrate_branch(void);

#define INIT(name)                             \
	{                                      \
		(name), 1, 1, calibrate_branch \
	}
#define REGIONS 5
#define STEPS	2000
#define DEEPEST 12

static struct perfctr_region region[REGIONS] = { INIT("a"), INIT("b"), INIT("c"), INIT("d"),
						 INIT("e") };

/* Code in which the end of a region with another within makes what is around count more. */
static unsigned int branch;

static void calibrate_branch(void)
{
	perfctr_region_begin(&perfctr_region_own[0]);
	perfctr_region_begin(&perfctr_region_own[1]);
	perfctr_region_begin(&perfctr_region_own[2]);
	perfctr_region_end(&perfctr_region_own[2]);
	perfctr_region_end(&perfctr_region_own[1]);
	pmu_count(branch);
	perfctr_region_end(&perfctr_region_own[0]);
}

/* ---- whose the work is ---- */

struct open_visit {
	unsigned int region, begin, serial;
	bool within; /* another has ended meanwhile */
};

struct model {
	struct open_visit open[DEEPEST]; /* in the order of their begins */
	unsigned int depth, serial;
	unsigned int units;
	unsigned int owner[STEPS * 8];	   /* the serial number of the visit that a unit is of */
	unsigned int region_of[STEPS + 1]; /* of a serial number; 0 is nobody's */
	unsigned int visits[REGIONS], inclusive[REGIONS];
	unsigned int minimum[REGIONS], maximum[REGIONS];
};

static void model_work(struct model *model, unsigned int n)
{
	unsigned int owner = model->depth ? model->open[model->depth - 1].serial : 0;

	while (n--)
		model->owner[model->units++] = owner;
}

static void model_begin(struct model *model, unsigned int r)
{
	model->open[model->depth++] = (struct open_visit){ r, model->units, ++model->serial,
							   false };
	model->region_of[model->serial] = r;
}

/* What the innermost one has had since it began is its who ends before it. */
static void hand_over(struct model *model, const struct open_visit *visit)
{
	const struct open_visit *top = &model->open[model->depth - 1];
	unsigned int i;

	for (i = top->begin; i < model->units; i++)
		if (model->owner[i] == top->serial)
			model->owner[i] = visit->serial;
}

/* Whether another has ended in the visit. */
static bool model_end(struct model *model, unsigned int r)
{
	unsigned int at = model->depth, counted, i;
	bool within;

	do
		at--;
	while (model->open[at].region != r);
	hand_over(model, &model->open[at]);
	counted = model->units - model->open[at].begin;
	model->inclusive[r] += counted;
	if (!model->visits[r]++ || counted < model->minimum[r])
		model->minimum[r] = counted;
	if (counted > model->maximum[r])
		model->maximum[r] = counted;
	within = model->open[at].within;
	memmove(&model->open[at], &model->open[at + 1],
		(--model->depth - at) * sizeof(model->open[0]));
	for (i = 0; i < model->depth; i++)
		model->open[i].within = true;
	return within;
}

static unsigned int model_exclusive(const struct model *model, unsigned int r)
{
	unsigned int n = 0, i;

	for (i = 0; i < model->units; i++)
		n += model->owner[i] && model->region_of[model->owner[i]] == r;
	return n;
}

static bool is_open(const struct model *model, unsigned int r)
{
	unsigned int i;

	for (i = 0; i < model->depth; i++)
		if (model->open[i].region == r)
			return true;
	return false;
}

/* ---- the library's ---- */

static void cost_three(void)
{
	pmu_count(3);
}

static void end(struct model *model, unsigned int r)
{
	perfctr_region_end(&region[r]);
	if (model_end(model, r))
		pmu_count(branch);
}

static void step(struct model *model)
{
	unsigned int r = random_below(REGIONS), n = random_below(8);

	if (is_open(model, r) && (model->depth == DEEPEST || random_below(2))) {
		end(model, r);
	} else if (model->depth < DEEPEST) {
		perfctr_region_begin(&region[r]);
		model_begin(model, r);
	}
	pmu_count(n);
	model_work(model, n);
}

static void check_value(const struct model *model, unsigned int r, unsigned int i, bool moments)
{
	struct perfctr_region_reading reading;
	const struct perfctr_region_value *value = &reading.value[i];

	ck_assert_int_eq(perfctr_region_read(&region[r], &reading), 0);
	ck_assert_uint_eq(reading.visits, model->visits[r]);
	ck_assert_uint_eq(reading.unfinished + reading.uncounted, 0);
	ck_assert_uint_eq(value->quality, PERFCTR_EXACT);
	ck_assert_uint_eq(value->inclusive, (uint64_t)model->inclusive[r] * i);
	ck_assert_uint_eq(value->exclusive, (uint64_t)model_exclusive(model, r) * i);
	if (!moments)
		return;
	ck_assert_uint_eq(value->minimum, (uint64_t)model->minimum[r] * i);
	ck_assert_uint_eq(value->maximum, (uint64_t)model->maximum[r] * i);
}

static void check_random(const char *events, unsigned int nevents, unsigned int keep)
{
	static struct model model;
	unsigned int n, r, i;

	memset(&model, 0, sizeof(model));
	ck_assert_msg(perfctr_regions_start(events, keep) == 0, "%s", perfctr_error());
	for (n = 0; n < STEPS; n++)
		step(&model);
	for (r = 0; r < REGIONS; r++)
		while (is_open(&model, r))
			end(&model, r);
	for (r = 0; r < REGIONS; r++)
		for (i = 1; i <= nevents; i++)
			check_value(&model, r, i, keep);
	ck_assert_int_eq(perfctr_regions_stop(), 0);
}

static void begin(void)
{
	pmu_begin();
	pmu.counters = 8;
	pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 2);
}

START_TEST(random_visits)
{
	unsigned int n;

	begin();
	for (n = 0; n < 10; n++) {
		check_random("instructions:u", 1, n % 2 ? PERFCTR_REGIONS_MOMENTS : 0);
		check_random("instructions:u,cycles:u", 2, PERFCTR_REGIONS_MOMENTS);
	}
	pmu.rdpmc = false;
	check_random("instructions:u,cycles:u", 2, PERFCTR_REGIONS_MOMENTS);
}
END_TEST

/* Everything costs something: a read of a counter 3 units, and what is around some ends 4. */
START_TEST(costs)
{
	begin();
	branch = 4;
	check_random("instructions:u", 1, 0);
	if (!pmu.rdpmc)
		return; /* nothing happens at a read */
	pmu_at(PMU_RDPMC, 0, cost_three);
	check_random("instructions:u", 1, 0);
	check_random("instructions:u", 1, PERFCTR_REGIONS_MOMENTS);
	pmu_at(PMU_ANY, 0, NULL);
}
END_TEST

/* ---- what an overlap costs after its last read ---- */

static unsigned int cost_of_set;

void __real_perfctr_region_thread_set(struct perfctr_region_thread *thread,
				      struct perfctr_visit *top);
void __wrap_perfctr_region_thread_set(struct perfctr_region_thread *thread,
				      struct perfctr_visit *top);

void __wrap_perfctr_region_thread_set(struct perfctr_region_thread *thread,
				      struct perfctr_visit *top)
{
	__real_perfctr_region_thread_set(thread, top);
	if (cost_of_set)
		pmu_count(cost_of_set);
}

/* The library's last step of an overlap costs 5, which no region has. */
START_TEST(costs_of_overlaps)
{
	begin();
	cost_of_set = 5;
	check_random("instructions:u", 1, 0);
	check_random("instructions:u", 1, PERFCTR_REGIONS_MOMENTS);
}
END_TEST

static void spin(uint64_t ns)
{
	uint64_t first = perfctr_clock_ns(CLOCK_MONOTONIC);

	while (perfctr_clock_ns(CLOCK_MONOTONIC) - first < ns)
		;
}

static struct perfctr_region_value time_of(const struct perfctr_region *of)
{
	struct perfctr_region_reading reading;

	ck_assert_int_eq(perfctr_region_read(of, &reading), 0);
	ck_assert_uint_eq(reading.visits, 1);
	ck_assert_uint_eq(reading.value[0].quality, PERFCTR_ESTIMATE);
	return reading.value[0];
}

#define A_WHILE 10000000 /* ns */

static bool is_estimated(const struct perfctr_region *of)
{
	struct perfctr_region_reading reading;

	return perfctr_region_read(of, &reading) == 0 &&
	       reading.value[0].quality == PERFCTR_ESTIMATE;
}

/* Three parts of the time, the longest one theirs alone. */
static void overlap_in_time(void)
{
	ck_assert_int_eq(perfctr_regions_start("instructions:u", 0), 0);
	perfctr_region_begin(&region[0]);
	perfctr_region_begin(&region[1]);
	spin(A_WHILE);
	perfctr_region_begin(&region[2]);
	spin(2 * A_WHILE);
	perfctr_region_end(&region[1]);
	spin(A_WHILE);
	perfctr_region_end(&region[2]);
	perfctr_region_end(&region[0]);
}

/* Another program may run while the first region is alone, which is for a moment. */
static bool is_disturbed(void)
{
	return time_of(&region[0]).exclusive >=
	       (time_of(&region[2]).inclusive - time_of(&region[2]).exclusive) / 2;
}

/* The time is none that a test can stop: where another program runs in what a read costs, a
 * region's has no bound. */
START_TEST(times)
{
	unsigned int k;
	uint64_t common;

	begin();
	pmu.runs = true;
	overlap_in_time();
	for (k = 0; k < 50 && (!is_estimated(&region[0]) || !is_estimated(&region[1]) ||
			       !is_estimated(&region[2]) || is_disturbed());
	     k++) {
		ck_assert_int_eq(perfctr_regions_stop(), 0);
		overlap_in_time();
	}
	common = time_of(&region[2]).inclusive - time_of(&region[2]).exclusive;
	ck_assert_uint_eq(time_of(&region[1]).inclusive, time_of(&region[1]).exclusive);
	ck_assert_uint_gt(common, 0);
	ck_assert_uint_gt(time_of(&region[1]).inclusive, common);
	ck_assert_uint_lt(time_of(&region[0]).exclusive, common / 2);
	ck_assert_int_eq(perfctr_regions_stop(), 0);
}
END_TEST

PERFCTR_REGION(around, "around");
PERFCTR_REGION(within, "within");

/* Of the kernel's own clocks, which no test can stop: a region's sum has that of one within it. */
START_TEST(nested_clocks)
{
	struct perfctr_region_reading outer, inner;
	unsigned int start, visits, i, n;

	for (start = 0; start < 100; start++) {
		n = start % 2 ? 1000 : 1;
		ck_assert_msg(perfctr_regions_start("task-clock,page-faults:u", 0) == 0, "%s",
			      perfctr_error());
		for (visits = 0; visits < n; visits++) {
			perfctr_region_begin(&around);
			perfctr_region_begin(&within);
			perfctr_region_end(&within);
			perfctr_region_end(&around);
		}
		ck_assert_int_eq(perfctr_region_read(&around, &outer), 0);
		ck_assert_int_eq(perfctr_region_read(&within, &inner), 0);
		for (i = 0; i < 2; i++) {
			ck_assert_uint_ne(outer.value[i].quality, PERFCTR_EXACT);
			ck_assert_uint_ne(inner.value[i].quality, PERFCTR_EXACT);
			/* On a busy machine calibration may take longer than all else. */
			if (outer.value[i].quality != PERFCTR_ESTIMATE ||
			    inner.value[i].quality != PERFCTR_ESTIMATE)
				continue;
			ck_assert_msg(outer.value[i].inclusive >= inner.value[i].inclusive,
				      "%u visits, value %u: %llu in %llu", n, i,
				      (unsigned long long)inner.value[i].inclusive,
				      (unsigned long long)outer.value[i].inclusive);
			ck_assert_uint_ge(outer.value[i].inclusive, outer.value[i].exclusive);
			ck_assert_uint_gt(outer.value[i].error, 0);
		}
		ck_assert_uint_eq(outer.value[2].quality, PERFCTR_EXACT);
		ck_assert_uint_eq(outer.value[2].error, 0);
		ck_assert_int_eq(perfctr_regions_stop(), 0);
	}
}
END_TEST

/* The end of the same region elsewhere, whose id is found then. */
START_TEST(elsewhere)
{
	struct perfctr_region other = INIT("a");
	struct perfctr_region_reading reading;

	begin();
	ck_assert_int_eq(perfctr_regions_start("instructions:u", 0), 0);
	perfctr_region_begin(&region[1]);
	pmu_count(50);
	perfctr_region_begin(&region[0]);
	pmu_count(7);
	perfctr_region_end(&other);
	pmu_count(50);
	perfctr_region_end(&region[1]);
	ck_assert_int_eq(perfctr_region_read(&region[0], &reading), 0);
	ck_assert_uint_eq(reading.visits, 1);
	ck_assert_uint_eq(reading.value[1].inclusive, 7);
	ck_assert_int_eq(perfctr_region_read(&region[1], &reading), 0);
	ck_assert_uint_eq(reading.value[1].exclusive, 100);
	ck_assert_uint_eq(reading.value[1].inclusive, 107);
	ck_assert_int_eq(perfctr_regions_stop(), 0);
}
END_TEST

/* Of regions that don't overlap longjmp(3) has left the ones within; and of the same name. */
START_TEST(left)
{
	PERFCTR_REGION(plain, "a");
	struct perfctr_region_reading reading;

	begin();
	ck_assert_int_eq(perfctr_regions_start("instructions:u", 0), 0);
	perfctr_region_begin(&plain);
	perfctr_region_begin(&region[1]);
	pmu_count(1);
	perfctr_region_end(&plain);
	perfctr_region_end(&region[1]); /* without a begin */
	ck_assert_int_eq(perfctr_region_read(&region[1], &reading), 0);
	ck_assert_uint_eq(reading.visits, 0);
	ck_assert_uint_eq(reading.unfinished, 1);
	ck_assert_int_eq(perfctr_regions_stop(), 0);
}
END_TEST

UNIT_MAIN("region_overlap", 60, random_visits, costs, costs_of_overlaps, times, nested_clocks,
	  elsewhere, left)
