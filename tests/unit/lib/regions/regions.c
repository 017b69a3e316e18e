// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions over a made-up PMU, which counts what a test says: sums, moments, percentiles; what begin
 * and end count themselves, and a first visit, and a begin or an end that finds that its thread was
 * off the processor; faults.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <perfctr/regions.h>
#include "lib/regions/resume.h"
#include "lib/regions/calibrate.h"
#include "lib/regions/state.h"
#include "tests/harness/check.h"
#include "tests/harness/pmu.h"
#include "tests/harness/root.h"

PERFCTR_REGION(nameless, "");
PERFCTR_REGION(outer, "outer");
PERFCTR_REGION(middle, "middle");
PERFCTR_REGION(inner, "inner");
PERFCTR_REGION(never, "never");

#define ONE "instructions:u"

static __thread struct perfctr_region_reading reading;

/* ---- allocations: the nth from now on fails; and each may be a visit ---- */

PERFCTR_REGION(own, "own");

static unsigned int starve;
static bool has_own; /* as a program does that brings its own malloc() */

static void visit_own(void)
{
	if (!__atomic_load_n(&has_own, __ATOMIC_RELAXED))
		return;
	perfctr_region_begin(&own);
	perfctr_region_end(&own);
}

static bool fails(void)
{
	visit_own();
	return starve && --starve == 0;
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __real_free(void *memory);
void __wrap_free(void *memory);

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *memory, size_t size)
{
	return fails() ? NULL : __real_realloc(memory, size);
}

void __wrap_free(void *memory)
{
	visit_own();
	__real_free(memory);
}

static void start(const char *events, unsigned int keep)
{
	ck_assert_msg(perfctr_regions_start(events, keep) == 0, "%s", perfctr_error());
}

static void begin(void)
{
	pmu_begin();
	pmu.counters = 8;
}

/* Nothing is counted any more, whatever went wrong meanwhile. */
static void end(void)
{
	ck_assert_int_eq(perfctr_regions_stop(), 0);
	pmu_at(PMU_ANY, 0, NULL);
	ck_assert_uint_eq(pmu_events(), 0);
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
	ck_assert_uint_eq(reading.value[i].quality, i ? PERFCTR_EXACT : PERFCTR_ESTIMATE);
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

/* The first event counts so much a unit, the second twice that, ... */
static void set_rates(uint64_t rate)
{
	static const uint64_t config[] = { PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
					   PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
					   PERF_COUNT_HW_BRANCH_MISSES,
					   PERF_COUNT_HW_CACHE_MISSES };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(config); i++)
		pmu_rate(config[i], (i + 1) * rate);
}

/* Those of 1 to 4 events, of a usual width, and those of the kernel have code of their own. */
static enum perfctr_visit_layout layout_for(unsigned int nevents)
{
	bool usual = pmu.width == 64;

#ifdef __x86_64__
	usual |= pmu.width == 48;
#endif
#ifdef __aarch64__
	usual |= pmu.width == 32;
#endif
	if (!pmu.rdpmc)
		return PERFCTR_VISIT_KERNEL;
	return usual && nevents <= 4 ? (enum perfctr_visit_layout)nevents : PERFCTR_VISIT_MANY;
}

static void check_sums(unsigned int nevents, unsigned int keep, uint64_t rate)
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
	ck_assert_int_eq(perfctr_region_here.thread->layout, layout_for(nevents));
	for (n = 1; n <= 3; n++) {
		nest();
		for (i = 1; i <= nevents; i++)
			is_nested(n, i, i * rate);
		ck_assert_uint_eq(reading.nvalues, nevents + 1);
	}
	end();
}

static const unsigned int keeps[] = { 0, PERFCTR_REGIONS_MOMENTS, PERFCTR_REGIONS_HISTOGRAM };

/* As many counters as have code of their own, and more; of usual and other widths. */
START_TEST(sums)
{
	unsigned int nevents, k;

	begin();
	set_rates(1);
	for (nevents = 1; nevents <= 5; nevents++)
		for (k = 0; k < ARRAY_SIZE(keeps); k++) {
			pmu.width = 32 + (nevents + k) % 3 * 8;
			check_sums(nevents, keeps[k], 1);
		}
}
END_TEST

/* Counters overflow within the regions, and interrupt some time later; or have all bits of a word.
 */
START_TEST(wide)
{
	unsigned int w;

	begin();
	pmu.skid = 20;
	for (w = 16; w <= 64; w += 16) {
		pmu.width = w;
		set_rates(UINT64_C(1) << (w == 64 ? 45 : w - 8));
		check_sums(4, 0, UINT64_C(1) << (w == 64 ? 45 : w - 8));
	}
}
END_TEST

static const char *read_report(const char *words);

START_TEST(through_the_kernel)
{
	unsigned int nevents;

	begin();
	set_rates(1);
	pmu.rdpmc = false;
	for (nevents = 1; nevents <= 5; nevents++)
		check_sums(nevents, PERFCTR_REGIONS_MOMENTS, 1);
	read_report("The kernel reads these events.");
}
END_TEST

/* ---- several core types ---- */

/* Everything costs something: a read of a counter 3 units. */
static void cost_three(void)
{
	pmu_count(3);
}

#if PERFCTR_HAVE_CORE_TYPES

/* In the made-up machine RDPMC is a fault, whose signal would abort what the kernel watches. */
static struct perfctr_rseq rseq;

volatile struct perfctr_rseq *__wrap_perfctr_rseq_here(void);

volatile struct perfctr_rseq *__wrap_perfctr_rseq_here(void)
{
	return &rseq;
}

/* The nth sequence from now on is aborted; or all are, as under a debugger. */
static unsigned int aborted;
static bool stepped;

uint32_t __real_perfctr_core_types_raw(volatile struct perfctr_rseq *here,
				       const struct perf_event_mmap_page *const *page,
				       uint64_t *raw);
uint32_t __wrap_perfctr_core_types_raw(volatile struct perfctr_rseq *here,
				       const struct perf_event_mmap_page *const *page,
				       uint64_t *raw);

uint32_t __wrap_perfctr_core_types_raw(volatile struct perfctr_rseq *here,
				       const struct perf_event_mmap_page *const *page,
				       uint64_t *raw)
{
	if (stepped || (aborted && --aborted == 0)) {
		*raw = 12345;
		return PERFCTR_ABORTED;
	}
	return __real_perfctr_core_types_raw(here, page, raw);
}

enum { BIG = 60001, SMALL };

static void move_to(uint32_t type)
{
	pmu.absent = type == BIG ? SMALL : BIG;
	pmu_schedule();
}

static void begin_on_types(void)
{
	static const char *const files[][2] = {
		{ "big/type", "60001" },
		{ "big/cpus", "0" },
		{ "big/format/event", "config:0-63" },
		{ "big/events/work", "event=2" },
		{ "big/events/toil", "event=3" },
		{ "small/type", "60002" },
		{ "small/cpus", "1" },
		{ "small/format/event", "config:0-63" },
		{ "small/events/work", "event=5" },
		{ "small/events/toil", "event=6" },
	};
	unsigned int i;

	begin();
	root_make();
	for (i = 0; i < ARRAY_SIZE(files); i++)
		root_line(files[i][0], files[i][1]);
	pmu_rate(3, 10);
	pmu_rate(6, 10);
	move_to(BIG);
}

static void end_on_types(void)
{
	unsetenv("PERFCTR_ROOT");
	root_remove();
}

/* Outer 16 + 4, inner 4, and ten times as much of the second event. */
static void visit_types(void)
{
	perfctr_region_begin(&outer);
	pmu_count(6);
	move_to(SMALL);
	pmu_count(8);
	perfctr_region_begin(&inner);
	pmu_count(1);
	move_to(BIG);
	pmu_count(3);
	perfctr_region_end(&inner);
	pmu_count(2);
	perfctr_region_end(&outer);
}

START_TEST(on_core_types)
{
	static const char *const lists[] = { "work", "work,toil" };
	unsigned int nevents, k, n, i;

	begin_on_types();
	for (nevents = 1; pmu.rdpmc && nevents <= 2; nevents++)
		for (k = 0; k < ARRAY_SIZE(keeps); k++) {
			pmu_at(PMU_RDPMC, 0, k ? NULL : cost_three);
			start(lists[nevents - 1], keeps[k]);
			ck_assert_int_eq(perfctr_region_here.thread->layout, PERFCTR_VISIT_TYPES);
			visit_types();
			n = pmu_calls(PMU_READ);
			visit_types();
			ck_assert_uint_eq(pmu_calls(PMU_READ), n);
			for (i = 0, n = 1; i < nevents; i++, n *= 10) {
				is(&outer, 2, i + 1, 2 * 20 * n, 2 * 16 * n);
				is(&inner, 2, i + 1, 2 * 4 * n, 2 * 4 * n);
			}
			ck_assert_uint_eq(rseq.rseq_cs, 0);
			pmu_at(PMU_ANY, 0, NULL);
			end();
		}
	end_on_types();
}
END_TEST

static void is_about(const struct perfctr_region *region, enum perfctr_quality quality,
		     uint64_t inclusive)
{
	read_it(region, 1);
	ck_assert_uint_eq(reading.value[1].quality, quality);
	ck_assert_uint_eq(reading.value[1].inclusive, inclusive);
}

/* A sequence that was aborted has cost somewhat: what was around it is an estimate. */
START_TEST(aborted_sequences)
{
	unsigned int nth;

	begin_on_types();
	if (!pmu.rdpmc)
		goto end;
	start("work", 0);
	visit_types();
	for (nth = 1; nth <= 5; nth++) {
		ck_assert_int_eq(perfctr_region_reset(&outer), 0);
		ck_assert_int_eq(perfctr_region_reset(&inner), 0);
		perfctr_region_begin(&outer);
		aborted = nth == 1 ? 1 : 0;
		perfctr_region_begin(&inner);
		pmu_count(4);
		aborted = nth == 2 ? 1 : nth == 3 ? 2 : 0;
		if (nth == 3 || nth == 5)
			pmu_switch();
		perfctr_region_end(&inner);
		perfctr_region_end(&outer);
		ck_assert_uint_eq(aborted, 0);
		is_about(&outer, nth >= 4 ? PERFCTR_EXACT : PERFCTR_ESTIMATE, 4);
		is_about(&inner, nth == 1 || nth >= 4 ? PERFCTR_EXACT : PERFCTR_ESTIMATE, 4);
	}
	/* No reading is made of what an aborted one has left. */
	stepped = true;
	perfctr_region_begin(&outer);
	perfctr_region_end(&outer);
	ck_assert(perfctr_region_here.thread->lost);
	stepped = false;
	is_about(&outer, PERFCTR_EXACT, 4);
	end();
end:
	end_on_types();
}
END_TEST

/* The counter is somebody else's, or the thread is no longer told when it leaves a sequence. */
START_TEST(lost_on_core_types)
{
	begin_on_types();
	if (!pmu.rdpmc)
		goto end;
	start("work", 0);
	visit_types();
	rseq.cpu_id = -1;
	perfctr_region_begin(&outer);
	perfctr_region_end(&outer);
	rseq.cpu_id = 0;
	read_it(&outer, 1);
	ck_assert(perfctr_region_here.thread->lost);
	end();
end:
	end_on_types();
}
END_TEST

#endif

/* ---- the time ---- */

/* In ns, roughly: of pages, or the kernel's. */
static uint64_t now(void)
{
	return pmu.rdpmc ? perfctr_rdtsc() / PMU_TICKS : perfctr_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void spin(uint64_t ns)
{
	uint64_t first = now();

	while (now() - first < ns)
		;
}

/* All of 10 ms is in it, but what begin and end take, and nothing that was not. */
static void check_time(void)
{
	const uint64_t ms = 1000000;
	uint64_t all;

	start(ONE, 0);
	nest();
	perfctr_region_reset(&outer);
	perfctr_region_reset(&inner);
	all = now();
	perfctr_region_begin(&outer);
	perfctr_region_begin(&inner);
	spin(10 * ms);
	perfctr_region_end(&inner);
	perfctr_region_end(&outer);
	all = now() - all;
	read_it(&inner, 1);
	ck_assert_uint_ge(reading.value[0].inclusive, 5 * ms);
	ck_assert_uint_le(reading.value[0].inclusive, all);
	read_it(&outer, 1);
	ck_assert_uint_ge(reading.value[0].inclusive, 5 * ms);
	ck_assert_uint_le(reading.value[0].inclusive, all);
	ck_assert_uint_le(reading.value[0].exclusive, all - 5 * ms);
	end();
}

START_TEST(time_goes_on)
{
	begin();
	pmu.runs = true;
	check_time();
	pmu.rdpmc = false;
	check_time();
}
END_TEST

/* The clock goes on, but the thread was off the processor until now: no time is counted. */
START_TEST(time_stops)
{
	uint64_t late_begin, late_end;

	begin();
	if (!pmu.rdpmc)
		return; /* the kernel's affair */
	pmu.runs = true;
	start(ONE, 0);
	nest();
	perfctr_region_reset(&outer);
	pmu_switch();
	perfctr_region_begin(&outer);
	spin(10000000);
	late_begin = now();
	pmu_switch();
	perfctr_region_end(&outer);
	late_end = now();
	read_it(&outer, 1);
	ck_assert_uint_le(reading.value[0].inclusive, late_end - late_begin + 1);
	end();
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
	ck_assert_uint_eq(value->p90, 601);
	ck_assert_uint_eq(value->p99, 601);
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

/* What a first visit does besides, the kernel's work, is not counted here: reads only. */
START_TEST(costs_are_subtracted)
{
	struct perfctr_region *named = perfctr_region_by_name("named");
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
			perfctr_region_begin(named);
			pmu_count(9);
			perfctr_region_end(named);
			is(named, n, 1, 9 * n, 9 * n);
		}
		read_it(&inner, 6);
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

/* What the report says last after these words, at a line's beginning; NULL: nothing. */
static const char *find_in_report(const char *words)
{
	static char line[256], last[256];
	char name[] = "/tmp/regions-XXXXXX";
	int fd = mkstemp(name);
	bool found = false;
	FILE *file;

	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(perfctr_regions_report(name, PERFCTR_REGIONS_TABLE), 0);
	file = fopen(name, "r");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, words, strlen(words)) != 0)
			continue;
		found = true;
		strcpy(last, line);
	}
	fclose(file);
	unlink(name);
	return found ? last + strlen(words) : NULL;
}

static const char *read_report(const char *words)
{
	const char *rest = find_in_report(words);

	ck_assert_msg(rest, "no line \"%s\" in the report", words);
	return rest;
}

/* Outer, whose visits may be off by twice the spread, 4 and a quarter of 4 each. */
static void is_estimated(uint64_t visits, uint64_t sum)
{
	read_it(&outer, visits);
	ck_assert_uint_eq(reading.value[1].quality, PERFCTR_ESTIMATE);
	ck_assert_uint_eq(reading.value[1].inclusive, sum);
	ck_assert_uint_eq(reading.value[1].exclusive, sum);
	ck_assert_uint_eq(reading.value[1].error, visits * (2 * 2 * 23 + 4) + visits);
}

/*
 * The least of 31 calibrations, and from there to the 24th: 23 rounds, of the two reads that an
 * empty pair within counts.
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
	ck_assert_int_eq(sscanf(read_report("  " ONE), "%llu %llu %llu", &inside, &pair, &spread),
			 3);
	ck_assert_uint_eq(spread, 2 * 23);
	ck_assert_uint_eq(inside, 4); /* two rounds before, and reads of the first visit */
	ck_assert_uint_eq(pair, 2 * inside);
	/* Now they cost nothing, and are subtracted. */
	perfctr_region_reset(&outer);
	perfctr_region_begin(&outer);
	pmu_count(1000);
	perfctr_region_end(&outer);
	is_estimated(1, 1000 - inside);
	perfctr_region_begin(&outer);
	perfctr_region_end(&outer);
	is_estimated(2, 1000 - 2 * inside);
	end();
}
END_TEST

/* ---- several files ---- */

static unsigned int rounds;

static void calibrate_here(void)
{
	rounds++;
	perfctr_region_calibrate();
}

/* Code whose begin and end take 5 more. */
static void calibrate_there(void)
{
	rounds++;
	perfctr_region_begin(&perfctr_region_own[0]);
	perfctr_region_begin(&perfctr_region_own[1]);
	perfctr_region_begin(&perfctr_region_own[2]);
	pmu_count(5);
	perfctr_region_end(&perfctr_region_own[2]);
	perfctr_region_end(&perfctr_region_own[1]);
	perfctr_region_end(&perfctr_region_own[0]);
}

static struct perfctr_region here = { "here", 1, 0, calibrate_here };
static struct perfctr_region there = { "there", 1, 0, calibrate_there };

/* Code of whose calibrations one counts 5 less around a region. */
static void calibrate_less_once(void)
{
	perfctr_region_begin(&perfctr_region_own[0]);
	perfctr_region_begin(&perfctr_region_own[1]);
	if (++rounds != 10)
		pmu_count(5);
	perfctr_region_begin(&perfctr_region_own[2]);
	perfctr_region_end(&perfctr_region_own[2]);
	perfctr_region_end(&perfctr_region_own[1]);
	perfctr_region_end(&perfctr_region_own[0]);
}

static struct perfctr_region less_once = { "less once", 1, 0, calibrate_less_once };

/* How often its file's code is calibrated. */
static unsigned int visit_file(struct perfctr_region *region)
{
	rounds = 0;
	perfctr_region_begin(region);
	pmu_count(12);
	perfctr_region_end(region);
	return rounds;
}

/*
 * Once each: 33 times and, for a first visit, 31. A change of a page costs the same in all files.
 */
START_TEST(files)
{
	struct perfctr_region *first = &here, *second = &there, *other;
	unsigned int i;

	begin();
	for (i = 0; i < 3; i++) {
		start(ONE ",cycles:u", 0);
		ck_assert_uint_eq(visit_file(first), 33 + 31);
		ck_assert_uint_eq(visit_file(second), 33 + 31);
		ck_assert_uint_eq(visit_file(&here) + visit_file(&there), 0);
		is(&here, 2, 1, 24, 24);
		is(&there, 2, 1, 14, 14);
		end();
		other = first;
		first = second;
		second = other;
	}
}
END_TEST

static bool slow;

/* What ThreadSanitizer itself takes in a visit, with other processes beside it, is less than half.
 */
#ifdef __SANITIZE_THREAD__
#define A_WHILE 150000 /* ns */
#else
#define A_WHILE 50000 /* ns */
#endif

static uint64_t a_while = A_WHILE;

static void take_time(void)
{
	spin(a_while);
}

static void count_branch(void)
{
	pmu_count(4);
	if (slow)
		take_time();
}

/* Code in which the end of a region with another within makes what is around count 4 more. */
static void calibrate_branch(void)
{
	perfctr_region_begin(&perfctr_region_own[0]);
	perfctr_region_begin(&perfctr_region_own[1]);
	perfctr_region_begin(&perfctr_region_own[2]);
	perfctr_region_end(&perfctr_region_own[2]);
	perfctr_region_end(&perfctr_region_own[1]);
	count_branch();
	perfctr_region_end(&perfctr_region_own[0]);
}

static struct perfctr_region level[] = {
	{ "level 0", 1, 0, calibrate_branch },
	{ "level 1", 1, 0, calibrate_branch },
	{ "level 2", 1, 0, calibrate_branch },
	{ "level 3", 1, 0, calibrate_branch },
};

static void branch_out(unsigned int depth)
{
	perfctr_region_begin(&level[depth]);
	pmu_count(10);
	if (depth < 3) {
		branch_out(depth + 1);
		branch_out(depth + 1);
	} else if (slow) {
		take_time();
	}
	perfctr_region_end(&level[depth]);
	if (depth < 3)
		count_branch();
}

START_TEST(branches)
{
	unsigned int k, i;

	begin();
	for (k = 0; k < ARRAY_SIZE(keeps); k++) {
		start(ONE, keeps[k]);
		branch_out(0);
		for (i = 0; i < 4; i++) {
			is(&level[i], 1u << i, 1, 10 * ((1u << 4) - (1u << i)), 10u << i);
			ck_assert_uint_eq(reading.value[1].maximum,
					  keeps[k] ? 10 * ((1u << (4 - i)) - 1) : 0);
		}
		end();
	}
}
END_TEST

/* A file is calibrated while the thread is in regions of another. */
START_TEST(calibrated_within)
{
	begin();
	start(ONE, 0);
	perfctr_region_begin(&here);
	pmu_count(7);
	ck_assert_uint_eq(visit_file(&there), 33 + 31);
	pmu_count(1);
	perfctr_region_end(&here);
	is(&there, 1, 1, 7, 7);
	is(&here, 1, 1, 20, 8);
	end();
}
END_TEST

/* ---- an interpreter, whose begin and end take 300 inside and 700 around ---- */

static void never_call(void)
{
	ck_abort_msg("the library has called a key");
}

static void never_call_either(void)
{
	never_call();
}

static void begin_slowly(struct perfctr_region *region)
{
	pmu_count(300);
	perfctr_region_begin(region);
	pmu_count(200);
}

static void end_slowly(struct perfctr_region *region)
{
	pmu_count(100);
	perfctr_region_end(region);
	pmu_count(400);
}

static void calibrate_slowly(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		begin_slowly(&perfctr_region_own[i]);
	while (i--)
		end_slowly(&perfctr_region_own[i]);
}

static struct perfctr_region script = { "script", 1, 0, never_call };
static struct perfctr_region function = { "function", 1, 0, never_call };

/* Returns what the last call does, and how many visits there were. */
static int interpret(unsigned int *visits)
{
	struct perfctr_calibration *state = NULL;
	int result;

	for (*visits = 0; (result = perfctr_regions_calibrate(never_call, &state)) > 0; ++*visits)
		calibrate_slowly();
	ck_assert_ptr_null(state);
	return result;
}

static void visit_slowly(uint64_t counted, struct perfctr_region *within)
{
	begin_slowly(&script);
	pmu_count(counted);
	if (within == &function) {
		begin_slowly(within);
		pmu_count(7);
		end_slowly(within);
	} else if (within) {
		perfctr_region_begin(within);
		pmu_count(7);
		perfctr_region_end(within);
	}
	end_slowly(&script);
}

static void is_interpreted(const struct perfctr_region *region, uint64_t visits, uint64_t inclusive,
			   uint64_t exclusive, uint64_t error)
{
	read_it(region, visits);
	ck_assert_uint_eq(reading.value[1].quality, PERFCTR_ESTIMATE);
	ck_assert_uint_eq(reading.value[1].inclusive, inclusive);
	ck_assert_uint_eq(reading.value[1].exclusive, exclusive);
	ck_assert_uint_eq(reading.value[1].error, error);
}

#define EACH   4	  /* for each begin and end */
#define WITHIN (1000 / 4) /* for those within */
#define INSIDE (300 / 4)

START_TEST(interpreted)
{
	unsigned int k, visits;

	begin();
	for (k = 0; k < ARRAY_SIZE(keeps); k++) {
		start(ONE, keeps[k]);
		ck_assert_int_eq(interpret(&visits), 0);
		ck_assert_uint_eq(visits, 4 * 31);
		ck_assert_int_eq(interpret(&visits), 0); /* it has been done */
		ck_assert_uint_eq(visits, 0);
		visit_slowly(0, NULL);
		is_interpreted(&script, 1, 0, 0, EACH + INSIDE);
		visit_slowly(50, &function);
		is_interpreted(&function, 1, 7, 7, EACH + INSIDE);
		is_interpreted(&script, 2, 57, 50, 3 * EACH + WITHIN + 2 * INSIDE);
		end();
	}
}
END_TEST

/* What the thread is in counts nothing of it, and neither does a child's region. */
START_TEST(interpreted_within)
{
	unsigned int visits;

	begin();
	start(ONE, 0);
	perfctr_region_begin(&outer);
	pmu_count(5);
	perfctr_region_begin(&inner);
	perfctr_region_end(&inner);
	ck_assert_int_eq(interpret(&visits), 0);
	ck_assert_uint_eq(visits, 4 * 31);
	pmu_count(6);
	perfctr_region_end(&outer);
	is(&outer, 1, 1, 11, 11);
	end();
}
END_TEST

/* Without calibration, or of one of an earlier measurement: an estimate, and the key is not called.
 */
START_TEST(interpreted_unknown)
{
	struct perfctr_calibration *state = NULL;
	unsigned int visits;

	begin();
	ck_assert_int_eq(interpret(&visits), 0);
	ck_assert_uint_eq(visits, 0); /* nothing is measured */
	start(ONE, 0);
	visit_slowly(9, NULL);
	is_interpreted(&script, 1, 309, 309, 40004);
	ck_assert_int_eq(interpret(&visits), 0);
	end();
	start(ONE, 0);
	visit_slowly(9, NULL);
	is_interpreted(&script, 1, 309, 309, 40004);
	ck_assert_int_eq(perfctr_regions_calibrate(never_call, &state), 1);
	calibrate_slowly();
	end();
	start(ONE, 0);
	ck_fails(perfctr_regions_calibrate(never_call, &state), EAGAIN, "can't calibrate");
	ck_assert_ptr_null(state);
	end();
}
END_TEST

/* An interpreter that begins and ends regions in two ways: either may be within the other. */
START_TEST(interpreted_in_two_ways)
{
	static struct perfctr_region brief = { "brief", 1, 0, never_call_either };
	struct perfctr_calibration *state = NULL;
	unsigned int visits, i;

	begin();
	start(ONE, 0);
	ck_assert_int_eq(interpret(&visits), 0);
	while (perfctr_regions_calibrate(never_call_either, &state) > 0) {
		for (i = 0; i < 3; i++)
			perfctr_region_begin(&perfctr_region_own[i]);
		while (i--)
			perfctr_region_end(&perfctr_region_own[i]);
	}
	visit_slowly(0, &function);
	is_interpreted(&script, 1, 7, 0, 2 * EACH + WITHIN + INSIDE);
	perfctr_region_begin(&brief);
	perfctr_region_end(&brief);
	is(&brief, 1, 1, 0, 0);
	is_interpreted(&script, 1, 7, 0, 2 * EACH + WITHIN + INSIDE + 1000);
	end();
}
END_TEST

/* Compiled regions within an interpreter's, and the other way round: either may be any. */
START_TEST(interpreted_and_compiled)
{
	unsigned int visits;

	begin();
	start(ONE, 0);
	ck_assert_int_eq(interpret(&visits), 0);
	visit_slowly(3000, &inner);
	is(&inner, 1, 1, 7, 7);
	/* The interpreter's pair is subtracted for that of the compiled region. */
	is_interpreted(&script, 1, 3000 - 700, 3000 - 700, 2 * EACH + WITHIN + INSIDE + 1000);
	perfctr_region_begin(&outer);
	begin_slowly(&function);
	end_slowly(&function);
	perfctr_region_end(&outer);
	is_interpreted(&outer, 1, 1000, 700, 2 * 4 + 1000);
	end();
}
END_TEST

static void visit_twice(void)
{
	calibrate_slowly();
	calibrate_slowly();
}

static void visit_unended(void)
{
	begin_slowly(&outer);
}

static void visit_none(void)
{
}

START_TEST(interpreted_wrongly)
{
	static void (*const wrong[])(void) = { visit_none, visit_twice };
	struct perfctr_calibration *state = NULL;
	unsigned int k;

	begin();
	ck_fails(perfctr_regions_calibrate(NULL, &state), EINVAL, "a key");
	ck_fails(perfctr_regions_calibrate(never_call, NULL), EINVAL, "a key");
	start(ONE, 0);
	for (k = 0; k < ARRAY_SIZE(wrong); k++) {
		ck_assert_int_eq(perfctr_regions_calibrate(never_call, &state), 1);
		wrong[k]();
		ck_fails(perfctr_regions_calibrate(never_call, &state), EAGAIN,
			 "were not visited once");
		ck_assert_ptr_null(state);
	}
	ck_assert_int_eq(perfctr_regions_calibrate(never_call, &state), 1);
	visit_unended();
	ck_fails(perfctr_regions_calibrate(never_call, &state), EAGAIN, "can't calibrate");
	perfctr_region_end(&outer);
	starve = 1;
	ck_fails(perfctr_regions_calibrate(never_call, &state), ENOMEM, "no memory");
	end();
}
END_TEST

/* As many events as there may be, and one more. */
START_TEST(many_events)
{
	char events[16 * sizeof(ONE)] = ONE;
	unsigned int i;

	begin();
	pmu.counters = 16;
	for (i = 2; i <= 15; i++)
		strcat(events, "," ONE);
	start(events, 0);
	nest();
	for (i = 1; i <= 15; i++)
		is_nested(1, i, 1);
	end();
	strcat(events, "," ONE);
	pmu_fail(PMU_OPEN, 1, EMFILE); /* none is opened then */
	ck_fails(perfctr_regions_start(events, 0), E2BIG, "at most 15 events, not 16");
	ck_assert(!pmu_failed());
}
END_TEST

/* One of 33 that an interrupt has disturbed changes nothing, and the counts stay exact. */
START_TEST(disturbed_once)
{
	const struct perfctr_region_cost *cost;

	begin();
	start(ONE, 0);
	ck_assert_uint_gt(visit_file(&less_once), 10);
	cost = perfctr_calibration_find(perfctr_region_here.thread, &less_once);
	ck_assert_int_eq(cost->inside[1], 0);
	ck_assert_int_eq(cost->pair[1], 5);
	ck_assert_int_eq(cost->branch[1], -5);
	ck_assert_int_eq(cost->spread[1], 0);
	is(&less_once, 1, 1, 12, 12);
	end();
}
END_TEST

/* Neither for a thread that takes no part, nor after the end. */
START_TEST(not_calibrated)
{
	begin();
	start(ONE, 0);
	nest();
	perfctr_region_begin(&there);
	rounds = 0;
	there.calibrate = calibrate_here;
	ck_assert_ptr_eq(perfctr_calibration_find(&perfctr_region_nothing, &there),
			 &perfctr_region_no_cost);
	end();
	ck_assert_ptr_eq(perfctr_calibration_find(perfctr_region_here.thread, &there),
			 &perfctr_region_no_cost);
	ck_assert_uint_eq(rounds, 0);
}
END_TEST

/*
 * Where the processor does something else, a visit's time is longer by any: what holds of the
 * shorter ones of many visits, in one of many tries, holds.
 */
#define VISITS 41
#define TRIES  200

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * On a machine that is busy for long, what is around each visit takes longer than a while, and a
 * longer one is more often interrupted: tries have different ones, to which all that is wrong in a
 * visit's time is in proportion.
 */
static void try_again(unsigned int tries)
{
	ck_assert_uint_lt(tries, TRIES);
	a_while = (uint64_t)A_WHILE << tries / 5 % 4;
}

/* Whether the longest of the shortest eighth of them is that long, nearly. */
static bool is_nearly(uint64_t *ns, uint64_t expected)
{
	uint64_t one;

	qsort(ns, VISITS, sizeof(*ns), compare_ns);
	one = ns[VISITS / 8];
	if (one >= expected - a_while / 2 && one <= expected + a_while / 2)
		return true;
	printf("%llu ns, for %llu\n", (unsigned long long)one, (unsigned long long)expected);
	return false;
}

static bool is_calibrated_in_time(void)
{
	uint64_t ns[3][VISITS];
	unsigned int i, n;
	bool right = true;

	pmu_at(PMU_RDPMC, 0, take_time);
	start(ONE, 0);
	branch_out(1);
	for (n = 0; n < VISITS; n++) {
		for (i = 0; i < 3; i++)
			perfctr_region_reset(&level[1 + i]);
		branch_out(1);
		for (i = 0; i < 3; i++) {
			read_it(&level[1 + i], 1u << i);
			ns[i][n] = reading.value[0].inclusive >> i;
		}
	}
	for (i = 0; i < 3; i++)
		right &= is_nearly(ns[i], a_while * (4u >> i));
	end();
	return right;
}

/* Reads take a while, and so do branches, which is no visit's time. */
START_TEST(time_is_calibrated)
{
	unsigned int tries;

	begin();
	if (!pmu.rdpmc)
		return; /* nothing happens at a read */
	pmu.runs = slow = true;
	for (tries = 0; !is_calibrated_in_time(); tries++)
		try_again(tries);
}
END_TEST

static unsigned int late; /* reads until the thread is taken off the processor */

static uint64_t switched_at;

/* All of the time before it is the thread's. */
static void switch_now(void)
{
	uint64_t before = switched_at;

	switched_at = now();
	pmu_tick(switched_at - before);
	pmu_switch();
}

static void take_time_and_switch(void)
{
	take_time();
	if (late && --late == 0)
		switch_now();
}

/*
 * Of visits in which the thread is taken off the processor at that read. Each try calibrates again,
 * since its reads are longer, or the last calibration was disturbed.
 */
static bool is_time_of_switches(unsigned int k)
{
	uint64_t ns[VISITS];
	unsigned int n;

	pmu_at(PMU_RDPMC, 0, take_time_and_switch);
	start(ONE, 0);
	nest();
	pmu_switch();
	switched_at = now();
	for (n = 0; n < VISITS; n++) {
		perfctr_region_reset(&outer);
		late = k;
		perfctr_region_begin(&outer);
		perfctr_region_begin(&inner);
		take_time();
		perfctr_region_end(&inner);
		perfctr_region_end(&outer);
		ck_assert_uint_eq(late, 0);
		read_it(&outer, 1);
		ns[n] = reading.value[0].inclusive;
	}
	end();
	return is_nearly(ns, a_while);
}

/* Neither is what a begin or an end takes that finds this. */
START_TEST(time_of_switches)
{
	unsigned int k, tries;

	begin();
	if (!pmu.rdpmc)
		return; /* nothing happens at a read */
	pmu.runs = true;
	for (k = 1; k <= 4; k++)
		for (tries = 0; !is_time_of_switches(k); tries++)
			try_again(tries);
}
END_TEST

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

/* ---- reads that are interrupted ---- */

static uint32_t interrupted; /* from its lowest bit on: whether the next reads are */
static unsigned int nreads;

static void maybe_switch(void)
{
	pmu_count(3);
	nreads++;
	if (interrupted & 1)
		pmu_switch();
	interrupted >>= 1;
}

/* How many reads it takes until two in a row are not interrupted. */
static unsigned int reads_of(uint32_t interruptions)
{
	unsigned int n = 2;

	for (; interruptions & 3; interruptions >>= 1)
		n++;
	return n;
}

static void interrupt_reads(uint32_t interruptions)
{
	nreads = 0;
	interrupted = interruptions;
	pmu_at(PMU_RDPMC, 0, maybe_switch);
}

static void always_switch(void)
{
	nreads++;
	pmu_switch();
}

/* It is that of the first read, however many it takes. */
START_TEST(moment)
{
	struct perfctr_moment first, later;
	uint32_t i;

	begin();
	if (!pmu.rdpmc)
		return; /* nothing happens at a read */
	start(ONE, 0);
	for (i = 0; i < 64; i++) {
		interrupt_reads(i);
		memset(&first, 0xFF, sizeof(first));
		ck_assert(perfctr_resume_moment(perfctr_region_here.thread, &first));
		ck_assert_uint_ne(first.value[0], UINT64_MAX);
		ck_assert_uint_eq(nreads, reads_of(i));
		pmu_at(PMU_ANY, 0, NULL);
		ck_assert(perfctr_resume_moment(perfctr_region_here.thread, &later));
		ck_assert_uint_eq(later.value[1] - first.value[1], 3 * (reads_of(i) - 1));
	}
	/* It ends in any case. */
	nreads = 0;
	pmu_at(PMU_RDPMC, 0, always_switch);
	ck_assert(!perfctr_resume_moment(perfctr_region_here.thread, &first));
	ck_assert_uint_eq(nreads, 100);
	/* The thread is then lost, and begin does not start again for ever. */
	nest();
	nreads = 0;
	perfctr_region_begin(&outer);
	perfctr_region_end(&outer);
	ck_assert_uint_le(nreads, 102);
	ck_assert(perfctr_region_here.thread->lost);
	read_it(&outer, 0);
	end();
}
END_TEST

/* Outer 9 and inner 4, beside what is counted from the moment on, which the time has ahead. */
static void visit_amid(uint32_t interruptions, const int64_t *more, uint64_t ahead)
{
	struct perfctr_region_thread *thread;
	struct perfctr_moment from;

	perfctr_region_begin(&outer);
	pmu_count(5);
	perfctr_region_begin(&inner);
	pmu_count(1);
	thread = perfctr_region_here.thread;
	ck_assert(perfctr_resume_moment(thread, &from));
	pmu_count(20);
	from.value[0] += ahead;
	interrupt_reads(interruptions);
	perfctr_resume_put_off(thread, perfctr_region_here.top, &from, more);
	pmu_at(PMU_ANY, 0, NULL);
	pmu_count(3 + 3 + (uint64_t)more[1]); /* from the last read on, and what it says */
	perfctr_region_end(&inner);
	perfctr_region_end(&outer);
}

/* All that is counted from a moment on is no open region's. */
START_TEST(put_off)
{
	static const int64_t more[PERFCTR_REGION_VALUES] = { 0, 4 };
	const uint64_t ahead = UINT64_C(1) << 40;
	uint32_t i;

	begin();
	if (!pmu.rdpmc)
		return; /* nothing happens at a read */
	start(ONE, 0);
	nest();
	perfctr_region_reset(&outer);
	perfctr_region_reset(&inner);
	for (i = 0; i < 64; i++) {
		visit_amid(i, more, 0);
		ck_assert_uint_eq(nreads, reads_of(i));
		is(&inner, i + 1, 1, 4 * (i + 1), 4 * (i + 1));
		is(&outer, i + 1, 1, 9 * (i + 1), 5 * (i + 1));
	}
	ck_assert_uint_lt(reading.value[0].inclusive, ahead / 8);
	visit_amid(0, more, ahead);
	read_it(&inner, i + 1);
	ck_assert_uint_ge(reading.value[0].inclusive, ahead / PMU_TICKS / 2);
	ck_assert_uint_lt(reading.value[0].inclusive, ahead);
	end();
}
END_TEST

/* Then visits are not counted, and the first ones not lost. */
static void check_taken_away(bool rdpmc)
{
	begin();
	pmu.rdpmc &= rdpmc;
	start(ONE, 0);
	nest();
	perfctr_region_begin(&outer);
	pmu.taken = pmu.counters;
	pmu_schedule();
	perfctr_region_end(&outer);
	nest();
	is_nested(1, 1, 1);
	read_report("1 thread could not be counted.");
	end();
	pmu.taken = 0;
}

START_TEST(counters_are_taken_away)
{
	check_taken_away(true);
	check_taken_away(false);
}
END_TEST

static void *lose_counters(void *arg)
{
	nest();
	perfctr_region_begin(&outer);
	pmu.taken = pmu.counters;
	pmu_schedule();
	perfctr_region_end(&outer);
	pmu.taken = 0;
	return arg;
}

/* The first region tries to open counters, and no other one does. */
static void *get_none(void *arg)
{
	unsigned int before = pmu_calls(PMU_OPEN);

	pmu_fail(PMU_OPEN, 1, EMFILE);
	nest();
	ck_assert(pmu_failed());
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), before + 1);
	return arg;
}

static void *nest_quickly(void *arg)
{
	pmu.rdpmc = true;
	nest();
	return arg;
}

static void in_thread(void *(*what)(void *arg))
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, what, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

/* Of threads that have ended, too, it is told that they could not be counted. */
START_TEST(threads_without_counters)
{
	unsigned int measurement;

	for (measurement = 0; measurement < 2; measurement++) {
		begin();
		start(ONE, 0);
		nest();
		in_thread(lose_counters);
		read_report("1 thread could not be counted.");
		in_thread(get_none);
		read_report("2 threads could not be counted.");
		ck_assert_int_eq(perfctr_region_read_all(&outer, &reading), 0);
		ck_assert_uint_eq(reading.visits, 2);
		end();
	}
}
END_TEST

/* One that could read its counters in user space asks the kernel, as the others do. */
START_TEST(threads_as_the_first)
{
	begin();
	pmu.rdpmc = false;
	start(ONE, 0);
	nest();
	in_thread(nest_quickly);
	ck_assert_int_eq(perfctr_region_read_all(&outer, &reading), 0);
	ck_assert_uint_eq(reading.visits, 2);
	ck_assert_uint_eq(reading.value[1].inclusive, 2 * 121);
	ck_assert_ptr_null(find_in_report("1 thread could not be counted."));
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

static void begin_times(struct perfctr_region *region, unsigned int n)
{
	while (n--)
		perfctr_region_begin(region);
}

static void end_times(struct perfctr_region *region, unsigned int n)
{
	while (n--)
		perfctr_region_end(region);
}

PERFCTR_REGION(late_1, "late");
PERFCTR_REGION(late_2, "late");
PERFCTR_REGION(later, "later");

/* More are open than there is room for, some of them for the first time, and one by two names. */
START_TEST(too_deep)
{
	begin();
	start(ONE, 0);
	nest();
	begin_times(&inner, 1100);
	perfctr_region_begin(&middle);
	perfctr_region_begin(&late_1);
	perfctr_region_begin(&later);
	ck_assert_ptr_nonnull(perfctr_region_by_name("late"));
	perfctr_region_end(&later);
	perfctr_region_end(&late_2);
	perfctr_region_end(&outer); /* strays */
	perfctr_region_end(&late_1);
	perfctr_region_end(&middle);
	end_times(&inner, 1100);
	nest();
	is(&outer, 2, 1, 242, 200);
	is(&middle, 2, 1, 40, 26);
	ck_assert_uint_eq(reading.uncounted, 1);
	ck_assert_int_eq(perfctr_region_read(&inner, &reading), 0);
	ck_assert_uint_eq(reading.visits + reading.uncounted, 4 + 1100);
	read_report("2 visits were counted for no region.");
	read_report("2 ends had no begin.");
	end();
}
END_TEST

/*
 * A first visit that calibrates, within others of no file, which have no cost: nothing is lost as
 * long as there is room.
 */
START_TEST(deepest)
{
	static struct perfctr_region around = { .name = "around", .id = 1 };
	unsigned int depth;

	begin();
	for (depth = 980; depth <= 1001; depth++) {
		start(ONE, 0);
		begin_times(&around, depth - 1);
		perfctr_region_begin(&inner);
		pmu_count(7);
		perfctr_region_end(&inner);
		end_times(&around, depth - 1);
		ck_assert_msg(perfctr_regions.unplaced == (depth == 1001), "%u", depth);
		if (depth <= 1000)
			is(&inner, 1, 1, 7, 7);
		end();
	}
}
END_TEST

static pthread_barrier_t opened;

static void *leave_open(void *arg)
{
	perfctr_region_begin(&outer);
	perfctr_region_begin(&inner);
	perfctr_region_begin(&inner);
	pthread_barrier_wait(&opened);
	pthread_barrier_wait(&opened);
	perfctr_region_end(&inner);
	pthread_barrier_wait(&opened);
	pthread_barrier_wait(&opened);
	perfctr_region_end(&inner);
	perfctr_region_end(&outer);
	pthread_barrier_wait(&opened);
	pthread_barrier_wait(&opened);
	return arg;
}

static void is_open(const struct perfctr_region *region, uint64_t visits, uint64_t unfinished)
{
	ck_assert_int_eq(perfctr_region_read_all(region, &reading), 0);
	ck_assert_uint_eq(reading.visits, visits);
	ck_assert_uint_eq(reading.unfinished, unfinished);
}

/* What another thread has begun and not ended, while it lives, and of a thread that has gone. */
START_TEST(open_elsewhere)
{
	pthread_t thread;

	begin();
	start(ONE, PERFCTR_REGIONS_THREADS);
	nest();
	pthread_barrier_init(&opened, NULL, 2);
	ck_assert_int_eq(pthread_create(&thread, NULL, leave_open, NULL), 0);
	pthread_barrier_wait(&opened);
	is_open(&outer, 1, 1);
	is_open(&inner, 2, 2);
	is_open(&middle, 1, 0);
	perfctr_region_begin(&middle);
	is_open(&middle, 1, 1);
	perfctr_region_end(&middle);
	/* The calling thread has none. */
	ck_assert_int_eq(perfctr_region_read(&inner, &reading), 0);
	ck_assert_uint_eq(reading.unfinished, 0);
	read_report("  1 visit did not end");
	read_report("  2 visits did not end");
	pthread_barrier_wait(&opened);
	pthread_barrier_wait(&opened);
	is_open(&inner, 3, 1);
	pthread_barrier_wait(&opened);
	pthread_barrier_wait(&opened);
	is_open(&inner, 4, 0);
	is_open(&outer, 2, 0);
	pthread_barrier_wait(&opened);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	is_open(&outer, 2, 0);
	end();
}
END_TEST

/* As longjmp(3) does, the end of a visit leaves all that there was no room for. */
START_TEST(left_from_too_deep)
{
	unsigned int i;

	begin();
	start(ONE, 0);
	nest();
	for (i = 1; i <= 3; i++) {
		perfctr_region_begin(&outer);
		begin_times(&inner, 1500);
		perfctr_region_end(&middle); /* stray */
		perfctr_region_begin(&late_1);
		perfctr_region_begin(&later);
		perfctr_region_end(&outer);
		nest();
		is(&outer, 1 + 2 * i, 1, (1 + i) * 121, (1 + i) * 100);
		ck_assert_uint_eq(reading.uncounted, 0);
		is(&inner, 2 * (1 + i), 1, 8 * (1 + i), 8 * (1 + i));
		ck_assert_uint_eq(reading.unfinished + reading.uncounted, 1500 * i);
		ck_assert_uint_ge(reading.uncounted, 500 * i);
	}
	read_report("6 visits were counted for no region.");
	read_report("3 ends had no begin.");
	/* Of what was left nothing counts: visits that all end make room for others. */
	begin_times(&inner, 1500);
	end_times(&inner, 1500);
	nest();
	read_it(&outer, 8);
	end();
}
END_TEST

/* Ids are for ever, and there are so many. */
START_TEST(too_many)
{
	static struct perfctr_region beyond = PERFCTR_REGION_INIT("beyond");
	char name[16];
	unsigned int i;

	begin();
	start(ONE, 0);
	nest();
	for (i = 0; i < PERFCTR_REGION_IDS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		if (!perfctr_region_by_name(name))
			break;
	}
	ck_assert_uint_lt(i, PERFCTR_REGION_IDS);
	ck_fails_null(perfctr_region_by_name(name), ENOSPC, "there are 16379 regions already");
	for (i = 0; i < 2; i++) {
		perfctr_region_begin(&beyond);
		perfctr_region_end(&beyond);
	}
	read_report("2 visits were counted for no region: there are as many as there may be.");
	ck_assert_ptr_null(find_in_report("2 ends"));
	nest();
	is_nested(2, 1, 1);
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
	ck_fails(perfctr_regions_start(ONE, 16), EINVAL, "0x10 is not what can be kept");
	ck_fails(perfctr_regions_start("nonsense", 0), EINVAL, "");
	ck_fails(perfctr_regions_stop(), EINVAL, "");
	start(ONE, 0);
	ck_fails(perfctr_regions_start(ONE, 0), EALREADY, "already");
	nest();
	ck_fails(perfctr_region_read(&never, &reading), ENOENT, "never");
	ck_fails(perfctr_region_reset(&never), ENOENT, "never has not been visited");
	ck_fails(perfctr_region_read(NULL, &reading), EINVAL, "not NULL");
	ck_fails(perfctr_region_read(&nameless, &reading), EINVAL, "a region needs a name");
	ck_fails(perfctr_region_read_all(&nameless, &reading), EINVAL, "a region needs a name");
	ck_fails(perfctr_region_reset(&nameless), EINVAL, "a region needs a name");
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

/* A name is cut after 127 letters, whichever way the region is found. */
START_TEST(long_names)
{
	char name[200], other[200], cut[128];
	struct perfctr_region region = { name, 1, 0, NULL };
	unsigned int length;

	memset(name, 'n', sizeof(name));
	memset(cut, 'n', sizeof(cut) - 1);
	cut[127] = '\0';
	begin();
	start(ONE, 0);
	for (length = 126; length < 130; length++) {
		name[length] = '\0';
		region.id = 1;
		perfctr_region_begin(&region);
		perfctr_region_end(&region);
		ck_assert_str_eq(perfctr_region_by_name(name)->name, length < 127 ? name : cut);
		read_it(perfctr_region_by_name(name), length < 127 ? 1 : length - 126);
		strcpy(other, name);
		ck_assert_ptr_eq(perfctr_region_by_name(other), perfctr_region_by_name(name));
		name[length] = 'n';
	}
	end();
}
END_TEST

/* Whatever is wrong with a start, the results before it stay, and their metrics. */
START_TEST(failed_starts)
{
	begin();
	ck_assert_int_eq(perfctr_regions_start_metrics(ONE, "ipc", 0), 0);
	nest();
	ck_assert_int_eq(perfctr_regions_stop(), 0);
	ck_fails(perfctr_regions_start_metrics("nonsense", "ipc", 0), EINVAL, "nonsense");
	ck_fails(perfctr_regions_start_metrics("nonsense", NULL, 0), EINVAL, "nonsense");
	ck_fails(perfctr_regions_start_metrics(ONE, "nonsense", 0), EINVAL, "nonsense");
	ck_fails(perfctr_regions_start_metrics(ONE, "ipc", 16), EINVAL, "0x10");
	is_nested(1, 1, 1);
	read_report("  ipc ");
	start(ONE, 0);
	nest();
	ck_assert_ptr_null(find_in_report("  ipc "));
	end();
}
END_TEST

/* ---- threads ---- */

static pthread_barrier_t visited;

static void meet(void)
{
	pthread_barrier_wait(&visited);
}

/* In between, another does something. */
static void meet_twice(void)
{
	meet();
	meet();
}

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

/* ---- regions in what the library calls ---- */

static void *stray(void *arg)
{
	nest();
	perfctr_region_end(&outer);
	meet_twice();
	return arg;
}

/* A thread that goes on from an earlier measurement has none of its troubles in the next one. */
START_TEST(troubles_before)
{
	pthread_t thread;

	begin();
	start(ONE, 0);
	nest();
	pthread_barrier_init(&visited, NULL, 2);
	ck_assert_int_eq(pthread_create(&thread, NULL, stray, NULL), 0);
	meet();
	read_report("1 end had no begin.");
	ck_assert_int_eq(perfctr_regions_stop(), 0);
	start(ONE, 0);
	nest();
	ck_assert_ptr_null(find_in_report("1 end"));
	is_nested(1, 1, 1);
	meet();
	pthread_join(thread, NULL);
	ck_assert_ptr_null(find_in_report("1 end"));
	end();
}
END_TEST

/* In the next measurement it has counters again, and none of the visits that began before. */
static void *go_through_two(void *lost)
{
	if (lost)
		lose_counters(NULL);
	else
		perfctr_region_begin(&outer);
	meet_twice();
	if (!lost)
		perfctr_region_end(&outer);
	nest();
	meet_twice();
	return NULL;
}

START_TEST(measured_again)
{
	static char yes;
	char *const lost[] = { NULL, &yes };
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		begin();
		start(ONE, 0);
		nest();
		pthread_barrier_init(&visited, NULL, 2);
		ck_assert_int_eq(pthread_create(&thread, NULL, go_through_two, lost[i]), 0);
		meet();
		ck_assert_int_eq(perfctr_regions_stop(), 0);
		start(ONE, 0);
		nest();
		meet_twice();
		ck_assert_int_eq(perfctr_region_read_all(&outer, &reading), 0);
		ck_assert_uint_eq(reading.visits, 2);
		ck_assert_uint_eq(reading.value[1].inclusive, 2 * 121);
		read_report("outer");
		ck_assert_ptr_null(find_in_report("had no begin"));
		ck_assert_ptr_null(find_in_report("could not be counted"));
		meet();
		pthread_join(thread, NULL);
		end();
	}
}
END_TEST

static void *visit_and_leave(void *arg)
{
	nest();
	is_nested(1, 1, 1);
	return arg;
}

static void check_own(bool known)
{
	pthread_t thread;

	start(ONE, 0);
	if (known)
		visit_own();
	nest();
	is_nested(1, 1, 1);
	perfctr_region_begin(perfctr_region_by_name(known ? "of a known" : "of an unknown"));
	ck_assert_int_eq(pthread_create(&thread, NULL, visit_and_leave, NULL), 0);
	pthread_join(thread, NULL);
	check_all(2);
	ck_assert_ptr_null(find_in_report("1 ends"));
	end();
}

/* It is called at first visits, for reports and by the end of a thread, with the lock held. */
START_TEST(own_malloc)
{
	begin();
	__atomic_store_n(&has_own, true, __ATOMIC_RELAXED);
	check_own(false);
	check_own(true);
	__atomic_store_n(&has_own, false, __ATOMIC_RELAXED);
}
END_TEST

static void bytes_are(const struct perfctr_region *region, uint64_t inclusive, uint64_t exclusive)
{
	ck_assert_int_eq(perfctr_region_read_all(region, &reading), 0);
	ck_assert_uint_eq(reading.bytes_inclusive, inclusive);
	ck_assert_uint_eq(reading.bytes_exclusive, exclusive);
}

static void add_in_handler(int signal)
{
	(void)signal;
	perfctr_region_add_bytes(1000);
}

static void *visit_with_bytes(void *arg)
{
	perfctr_region_add_bytes(100);
	perfctr_region_begin(&outer);
	perfctr_region_add_bytes(UINT64_C(1) << 40);
	perfctr_region_end(&outer);
	return arg;
}

static void add_in_child(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		perfctr_region_add_bytes(7);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* Those that are added where no region is, or in a child, are nobody's. */
START_TEST(added_bytes)
{
	pthread_t thread;

	begin();
	perfctr_region_add_bytes(3);
	start(ONE, 0);
	perfctr_region_add_bytes(3);
	perfctr_region_begin(&outer);
	perfctr_region_add_bytes(10);
	perfctr_region_begin(&middle);
	perfctr_region_begin(&inner);
	perfctr_region_add_bytes(200);
	signal(SIGUSR1, add_in_handler);
	raise(SIGUSR1);
	perfctr_region_end(&inner);
	add_in_child();
	perfctr_region_end(&middle);
	perfctr_region_end(&outer);
	perfctr_region_add_bytes(3);
	ck_assert_int_eq(pthread_create(&thread, NULL, visit_with_bytes, NULL), 0);
	pthread_join(thread, NULL);
	bytes_are(&outer, 1210 + (UINT64_C(1) << 40), 10 + (UINT64_C(1) << 40));
	bytes_are(&middle, 1200, 0);
	bytes_are(&inner, 1200, 1200);
	end();
}
END_TEST

/* Visits beyond the last that has room are not counted: this one has their bytes. */
START_TEST(bytes_too_deep)
{
	begin();
	start(ONE, 0);
	perfctr_region_begin(&outer);
	perfctr_region_add_bytes(12);
	begin_times(&middle, 999);
	perfctr_region_begin(&inner);
	perfctr_region_add_bytes(1000);
	signal(SIGUSR1, add_in_handler);
	raise(SIGUSR1);
	perfctr_region_end(&inner);
	perfctr_region_add_bytes(500);
	end_times(&middle, 999);
	perfctr_region_add_bytes(3);
	perfctr_region_end(&outer);
	bytes_are(&outer, 2515, 15);
	ck_assert_int_eq(perfctr_region_read_all(&middle, &reading), 0);
	ck_assert_uint_eq(reading.bytes_exclusive, 2500);
	end();
}
END_TEST

PERFCTR_REGION(at_fork, "at fork");

static void begin_at_fork(void)
{
	perfctr_region_begin(&at_fork);
}

static void end_at_fork(void)
{
	perfctr_region_end(&at_fork);
}

static void fork_it(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* Called between the library's own handlers, which hold the lock. */
START_TEST(fork_handlers)
{
	begin();
	ck_assert_int_eq(pthread_atfork(begin_at_fork, end_at_fork, end_at_fork), 0);
	start(ONE, 0);
	nest();
	fork_it();
	ck_fails(perfctr_region_read(&at_fork, &reading), ENOENT, "not been visited");
	nest();
	is_nested(2, 1, 1);
	begin_at_fork();
	end_at_fork();
	fork_it();
	read_it(&at_fork, 2);
	end();
}
END_TEST

static int visit_is_over;

static void *visit_amid_adoption(void *arg)
{
	perfctr_region_begin(&outer);
	perfctr_region_end(&outer);
	__atomic_store_n(&visit_is_over, 1, __ATOMIC_RELEASE);
	return arg;
}

/* Another thread's first visit comes while this one begins measuring; it has a while to be lost. */
static pthread_t second;
static bool begin_amid_visits(void)
{
	int i;

	if (pthread_create(&second, NULL, visit_amid_adoption, NULL) != 0)
		return false;
	for (i = 0; i < 200 && !__atomic_load_n(&visit_is_over, __ATOMIC_ACQUIRE); i++)
		usleep(1000);
	return true;
}

static void visit_in_child(void)
{
	struct perfctr_region_reading sum;

	perfctr_region_begin(&outer);
	perfctr_region_end(&outer);
	if (pthread_join(second, NULL) != 0 || perfctr_region_read_all(&outer, &sum) < 0)
		_exit(100);
	perfctr_regions_stop();
	_exit(pmu_events() == 1 ? (int)sum.visits : 101); /* the parent's */
}

/* The child's threads wait for the one that is first, and none's visit is lost. */
START_TEST(threads_in_child)
{
	int status;
	pid_t pid;

	begin();
	start(ONE, 0);
	nest();
	perfctr_regions.begin_report = begin_amid_visits;
	pid = fork();
	if (pid == 0)
		visit_in_child();
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), 2);
	ck_assert_int_eq(WTERMSIG(status), 0);
	perfctr_regions.begin_report = NULL;
	end();
}
END_TEST

static void *hold_lock(void *arg)
{
	sigset_t old;

	perfctr_regions_lock(&old);
	meet_twice();
	perfctr_regions_unlock(&old);
	return arg;
}

/* As _Fork(3), which calls no handlers: another thread, which the child does not have, held it. */
START_TEST(forked_amid_lock)
{
	pthread_t thread;
	int status;
	pid_t pid;

	begin();
	start(ONE, 0);
	nest();
	pthread_barrier_init(&visited, NULL, 2);
	ck_assert_int_eq(pthread_create(&thread, NULL, hold_lock, NULL), 0);
	meet();
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) {
		nest();
		perfctr_region_begin(&never);
		perfctr_region_end(&never);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	meet();
	pthread_join(thread, NULL);
	end();
}
END_TEST

/* ---- stop ---- */

static unsigned int count_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned int n = 0;

	ck_assert_ptr_nonnull(directory);
	while (readdir(directory))
		n++;
	closedir(directory);
	return n;
}

/* The only counter of this thread is free. */
static void has_room(void)
{
	struct perfctr_set *set = perfctr_set_open(ONE, NULL, 0);

	ck_assert_msg(set != NULL, "%s", perfctr_error());
	perfctr_set_close(set);
}

/* Nothing is left of the calling thread's counters, a visit that has not ended or not. */
START_TEST(stop_closes)
{
	unsigned int before, i;

	begin();
	pmu.counters = 1;
	before = count_descriptors();
	for (i = 0; i < 4; i++) {
		pmu.rdpmc &= i < 2;
		start(ONE, 0);
		nest();
		if (i % 2)
			perfctr_region_begin(&outer);
		ck_assert_uint_gt(count_descriptors(), before);
		ck_assert_int_eq(perfctr_regions_stop(), 0);
		ck_assert_uint_eq(count_descriptors(), before);
		ck_assert_uint_eq(pmu_mappings(), 0);
		has_room();
		is_nested(1, 1, 1);
		read_it(&outer, 1);
		ck_assert_uint_eq(reading.unfinished, i % 2);
		perfctr_region_end(&outer);
		read_report("outer");
	}
}
END_TEST

/* Stopped at a read of a begin or of an end, and then not. */
static void *visit_amid_stop(void *arg)
{
	bool at_begin = arg;

	nest();
	perfctr_region_end(&never);
	if (!at_begin)
		perfctr_region_begin(&outer);
	pmu_at(pmu.rdpmc ? PMU_RDPMC : PMU_READ, 1, meet_twice);
	if (at_begin)
		perfctr_region_begin(&outer);
	else
		perfctr_region_end(&outer);
	has_room();
	meet_twice();
	nest();
	is_nested(1, 1, 1);
	return arg;
}

/* What is free when another thread stops: its counters at once, then at its next region all. */
static void check_stop(bool at_begin, bool again)
{
	unsigned int before = count_descriptors(), others;
	static char yes;
	pthread_t thread;

	start(ONE, 0);
	others = count_descriptors() - before;
	nest();
	pthread_barrier_init(&visited, NULL, 2);
	ck_assert_int_eq(pthread_create(&thread, NULL, visit_amid_stop, at_begin ? &yes : NULL), 0);
	meet();
	ck_assert_int_eq(perfctr_regions_stop(), 0);
	ck_assert_uint_eq(pmu_active(), 0);
	meet();
	meet();
	check_all(2);
	ck_assert_ptr_null(find_in_report("1 threads"));
	read_report("1 end had no begin.");
	ck_assert_uint_eq(count_descriptors(), before + others);
	if (again) {
		start(ONE, 0);
		ck_assert_ptr_null(find_in_report("1 ends"));
	}
	meet();
	pthread_join(thread, NULL);
	if (again)
		ck_assert_int_eq(perfctr_regions_stop(), 0);
	check_all(again ? 1 : 2);
	ck_assert_uint_eq(reading.unfinished, !again && !at_begin);
	ck_assert_uint_eq(count_descriptors(), before);
	ck_assert_uint_eq(pmu_events() + pmu_mappings(), 0);
	pmu_at(PMU_ANY, 0, NULL);
}

START_TEST(stop_amid_others)
{
	unsigned int i;

	begin();
	pmu.counters = 1;
	for (i = 0; i < 8; i++) {
		pmu.rdpmc &= i < 4;
		check_stop(i & 1, i & 2);
	}
}
END_TEST

/* Also by a thread that takes no part, for which nothing changes. */
static void *stop_only(void *arg)
{
	ck_assert_int_eq(perfctr_regions_stop(), 0);
	meet_twice();
	perfctr_region_end(&outer);
	return arg;
}

START_TEST(stop_by_another)
{
	pthread_t thread;

	begin();
	start(ONE, 0);
	nest();
	pthread_barrier_init(&visited, NULL, 2);
	ck_assert_int_eq(pthread_create(&thread, NULL, stop_only, NULL), 0);
	meet();
	is_nested(1, 1, 1);
	start(ONE, 0);
	meet();
	pthread_join(thread, NULL);
	read_report("1 end had no begin.");
	end();
}
END_TEST

static unsigned int nests[2];
static bool enough;

static void *nest_on(void *arg)
{
	unsigned int *mine = arg;

	while (!__atomic_load_n(&enough, __ATOMIC_RELAXED)) {
		nest();
		__atomic_add_fetch(mine, 1, __ATOMIC_RELEASE);
	}
	return arg;
}

/* Until the others are in none any more that they are in now. */
static void wait_for_nests(void)
{
	unsigned int i, now;

	for (i = 0; i < ARRAY_SIZE(nests); i++) {
		now = __atomic_load_n(&nests[i], __ATOMIC_ACQUIRE);
		while (__atomic_load_n(&nests[i], __ATOMIC_ACQUIRE) == now)
			sched_yield();
	}
}

/* At any moment; what was counted until then is whole. */
START_TEST(stop_beside_others)
{
	unsigned int before = count_descriptors(), i;
	pthread_t thread[ARRAY_SIZE(nests)];

	begin();
	for (i = 0; i < ARRAY_SIZE(nests); i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, nest_on, &nests[i]), 0);
	for (i = 0; i < 40; i++) {
		if (i == 20)
			pmu.rdpmc = false;
		start(ONE, i % 2 ? PERFCTR_REGIONS_HISTOGRAM : 0);
		nest();
		if (i % 3)
			wait_for_nests();
		ck_assert_int_eq(perfctr_regions_stop(), 0);
		ck_assert_uint_eq(pmu_active(), 0);
		wait_for_nests();
		ck_assert_int_eq(perfctr_region_read_all(&outer, &reading), 0);
		check_all(reading.visits);
		ck_assert_ptr_null(find_in_report("1 threads"));
		ck_assert_ptr_null(find_in_report("2 threads"));
	}
	__atomic_store_n(&enough, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(nests); i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_eq(count_descriptors(), before);
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
	unsigned int i;
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
		ck_assert_uint_eq(pmu_events(), 0);
		if (i == 5)
			bytes = allocated();
		ck_assert_msg(i <= 5 || allocated() <= bytes, "%zu bytes, and not %zu", allocated(),
			      bytes);
	}
}
END_TEST

/* ---- no memory ---- */

static bool has_no_memory(int result)
{
	bool failed = !starve;

	starve = 0;
	ck_assert_int_eq(result, failed ? -1 : 0);
	ck_assert(!failed || errno == ENOMEM);
	return failed;
}

/* Without memory to calibrate, what begin and end count is the visits'. */
static void no_memory_to_calibrate(void)
{
	perfctr_region_by_name("here");
	perfctr_region_by_name("there");
	starve = 1;
	ck_assert_uint_eq(visit_file(&here) + starve, 0);
	is(&here, 1, 1, 12, 12);
	starve = 2;
	ck_assert_uint_eq(visit_file(&there) + starve, 0);
	is(&there, 1, 1, 12, 12);
}

START_TEST(no_memory)
{
	unsigned int n = 0;

	begin();
	do
		starve = ++n;
	while (has_no_memory(perfctr_regions_start(ONE, 0)));
	ck_assert_uint_gt(n, 3);
	nest();
	no_memory_to_calibrate();
	starve = 1;
	ck_assert(has_no_memory(perfctr_region_read(&outer, &reading)));
	n = 0;
	do
		starve = ++n;
	while (has_no_memory(perfctr_regions_report("/dev/null", PERFCTR_REGIONS_TABLE)));
	ck_assert_uint_gt(n, 3);
	starve = 1;
	ck_fails_null(perfctr_region_by_name("new"), ENOMEM, "no memory for a region's name");
	is_nested(1, 1, 1);
	end();
	/* For the first of the regions that calibrate, too; the cost of before is none. */
	start(ONE, 0);
	pmu_fail(PMU_MEMORY, 1, ENOMEM);
	ck_assert_uint_gt(visit_file(&there), 0);
	ck_assert(pmu_failed());
	is(&there, 1, 1, 7, 7);
	end();
	start(ONE, 0);
	starve = 1;
	ck_assert_uint_eq(visit_file(&there) + starve, 0);
	is(&there, 1, 1, 12, 12);
	end();
	ck_assert_uint_eq(pmu_events(), 0);
}
END_TEST

UNIT_MAIN("regions", 60, sums, wide, through_the_kernel, time_goes_on, time_stops, moments,
	  costs_are_subtracted, calibration, files, branches, calibrated_within, many_events,
	  interpreted, interpreted_within, interpreted_unknown, interpreted_in_two_ways,
	  interpreted_and_compiled, interpreted_wrongly, disturbed_once, not_calibrated,
	  time_is_calibrated, time_of_switches, switched, moment, put_off, counters_are_taken_away,
	  threads_without_counters, threads_as_the_first, faults, too_deep, deepest, open_elsewhere,
	  left_from_too_deep, too_many, errors, failed_starts, long_names, troubles_before, threads,
	  own_malloc, added_bytes, bytes_too_deep, fork_handlers, measured_again, threads_in_child,
	  forked_amid_lock, stop_closes, stop_amid_others, stop_by_another, stop_beside_others,
	  again, no_memory
#if PERFCTR_HAVE_CORE_TYPES
	  ,
	  on_core_types, aborted_sequences, lost_on_core_types
#endif
)
