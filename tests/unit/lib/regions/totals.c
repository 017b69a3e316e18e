// SPDX-License-Identifier: LGPL-2.1-or-later
/* Visits of regions: added up, also while their thread goes on, and what they come to. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lib/regions/totals.h"
#include "tests/harness/check.h"

static struct perfctr_region_kept kept = { .nvalues = 2, .clocks = 1, .mult = 1 };
static struct perfctr_region_cost visit_cost = {
	.inside = { 3, 5 },
	.pair = { 10, 11 },
	.branch = { 2, 1 },
};
static struct perfctr_region_reading reading;

static struct perfctr_visits *make(uint64_t n)
{
	struct perfctr_visits *visits = calloc(1, perfctr_totals_size(&kept));

	ck_assert_ptr_nonnull(visits);
	perfctr_totals_init(visits, &kept, &visit_cost);
	visits->visits = n;
	return visits;
}

/* Free all; their sum is in reading. */
static void add_up(struct perfctr_visits *a, struct perfctr_visits *b)
{
	struct perfctr_visits *sum = make(0);

	perfctr_totals_add(sum, a, NULL, &kept);
	if (b)
		perfctr_totals_add(sum, b, NULL, &kept);
	perfctr_totals_read(sum, &kept, &reading);
	free(sum);
	free(a);
	free(b);
}

START_TEST(test_cost)
{
	struct perfctr_visits *visits = make(4);

	kept.mult = 3;
	kept.shift = 1;
	visits->within = (struct perfctr_within){ 6, 5, 1, 1 };
	visits->sum[0].inclusive = visits->sum[1].inclusive = 1000;
	visits->sum[0].children = visits->sum[1].children = 300;
	visits->unfinished = 8;
	visits->uncounted = 9;
	visits->told[PERFCTR_BYTES].own = 20;
	visits->told[PERFCTR_BYTES].within = 5;
	visits->told[PERFCTR_COMMUNICATION].own = 7;
	visits->told[PERFCTR_COMMUNICATION].within = 2;
	add_up(visits, NULL);
	ck_assert_uint_eq(reading.bytes_inclusive, 25);
	ck_assert_uint_eq(reading.bytes_exclusive, 20);
	ck_assert_uint_eq(reading.communication_inclusive, 9);
	ck_assert_uint_eq(reading.communication_exclusive, 7);
	ck_assert_uint_eq(reading.visits, 4);
	ck_assert_uint_eq(reading.unfinished, 8);
	ck_assert_uint_eq(reading.uncounted, 9);
	ck_assert_uint_eq(reading.nvalues, 2);
	/* Ticks, of 3/2 ns: 1000 - 4 * 3 - 6 * 10 - 2; 1000 - 300 - 4 * 3 - 5 * (10 - 3) - 2 */
	ck_assert_uint_eq(reading.value[0].inclusive, 926 * 3 / 2);
	ck_assert_uint_eq(reading.value[0].exclusive, 651 * 3 / 2);
	/* 1000 - 4 * 5 - 6 * 11 - 1; 1000 - 300 - 4 * 5 - 5 * (11 - 5) - 1 */
	ck_assert_uint_eq(reading.value[1].inclusive, 913);
	ck_assert_uint_eq(reading.value[1].exclusive, 649);
	ck_assert_uint_eq(reading.value[1].quality, PERFCTR_EXACT);
	ck_assert_uint_eq(reading.value[1].error, 0);
	/* A clock's is an estimate, however often its cost was the same. */
	ck_assert_uint_eq(reading.value[0].quality, PERFCTR_ESTIMATE);
	ck_assert_uint_eq(reading.value[0].error, ((4 + 6) * 4 + 4 * 3 / 4) * 3 / 2);
}
END_TEST

/* Of the time, ticks become ns: of 3/4 each. */
START_TEST(test_moments_of_time)
{
	const struct perfctr_region_value *value = &reading.value[0];
	struct perfctr_visits *a;

	kept.moments = true;
	kept.mult = 3;
	kept.shift = 2;
	a = make(2);
	perfctr_visits_moments(a, 2)[0] = (struct perfctr_moments){ 4, 8, 6, 8 };
	perfctr_visits_moments(a, 2)[1] = (struct perfctr_moments){ 1, 3, 2, 2 };
	add_up(a, NULL);
	ck_assert_uint_eq(value->minimum, 3);
	ck_assert_uint_eq(value->maximum, 6);
	ck_assert_double_eq_tol(value->mean, 4.5, 1e-9);
	ck_assert_double_eq_tol(value->deviation, 2.12132034355964, 1e-9);
	/* A small root, of 2; and those below 1. */
	ck_assert_double_eq_tol(reading.value[1].deviation, 1.4142135623731, 1e-9);
	a = make(5);
	perfctr_visits_moments(a, 2)[1] = (struct perfctr_moments){ 0, 1, 0.2, 0.8 };
	add_up(a, NULL);
	ck_assert_double_eq_tol(reading.value[1].deviation, 0.447213595499958, 1e-9);
}
END_TEST

/* The processor's events are unverified where /sys can't be read; an estimate is worse. */
START_TEST(test_unverified)
{
	struct perfctr_visits *visits = make(4);

	kept.unverified = 2;
	visit_cost.spread[1] = 0;
	visits->sum[1].inclusive = 1000;
	add_up(visits, NULL);
	ck_assert_uint_eq(reading.value[1].quality, PERFCTR_UNVERIFIED);
	visits = make(4);
	visits->interrupted = true;
	visits->sum[1].inclusive = 1000;
	add_up(visits, NULL);
	ck_assert_uint_eq(reading.value[1].quality, PERFCTR_ESTIMATE);
}
END_TEST

/* Less was counted than begin and end usually count. */
START_TEST(test_less)
{
	struct perfctr_visits *visits = make(4);

	visits->sum[1].inclusive = 19;
	add_up(visits, NULL);
	ck_assert_uint_eq(reading.value[1].inclusive, 0);
	ck_assert_uint_eq(reading.value[1].exclusive, 0);
	ck_assert_uint_eq(reading.value[1].quality, PERFCTR_ESTIMATE);
}
END_TEST

/* 20 visits with so many regions within them, that many of them direct; of value 1. */
static void read_sums(uint64_t inclusive, uint64_t children, uint64_t pairs, uint64_t direct)
{
	struct perfctr_visits *visits = make(20);

	visits->within.pairs = pairs;
	visits->within.direct = direct;
	visits->sum[1].inclusive = inclusive;
	visits->sum[1].children = children;
	add_up(visits, NULL);
}

/* Of 100 that are subtracted the visits may take 25 less, and 80 for they differ. */
START_TEST(test_too_little)
{
	const struct perfctr_region_value *value = &reading.value[1];

	visit_cost.spread[1] = 0;
	read_sums(0, 0, 0, 0);
	ck_assert_uint_eq(value->quality, PERFCTR_ESTIMATE);
	visit_cost.inside[1] = 10;
	read_sums(70, 0, 0, 0);
	ck_assert_uint_eq(value->quality, PERFCTR_ESTIMATE);
	ck_assert_uint_eq(value->error, 130);
	read_sums(69, 0, 0, 0);
	ck_assert_uint_eq(value->inclusive, 0);
	ck_assert_uint_eq(value->quality, PERFCTR_NOT_COUNTED);
	visit_cost.spread[1] = 1;
	read_sums(30, 0, 0, 0);
	ck_assert_uint_eq(value->quality, PERFCTR_ESTIMATE);
	read_sums(3000, 0, 0, 0);
	ck_assert_uint_eq(value->inclusive, 2800);
	ck_assert_uint_eq(value->quality, PERFCTR_ESTIMATE);
	ck_assert_uint_eq(value->error, 20 * 6 + 20 * 10 / 4);
	read_sums(29, 0, 0, 0);
	ck_assert_uint_eq(value->quality, PERFCTR_NOT_COUNTED);
}
END_TEST

/* What is a region's own is in what it counted in all, whatever was subtracted of that. */
START_TEST(test_contradiction)
{
	const struct perfctr_region_value *value = &reading.value[1];

	/* 2000 - 20 * 5 - 150 * 11; 2000 - 1500 - 20 * 5 - 20 * (11 - 5) */
	read_sums(2000, 1500, 150, 20);
	ck_assert_uint_eq(value->inclusive, 280);
	ck_assert_uint_eq(value->exclusive, 280);
	ck_assert_uint_eq(value->quality, PERFCTR_ESTIMATE);
	read_sums(2000, 1500, 1500, 20);
	ck_assert_uint_eq(value->inclusive, 280);
	ck_assert_uint_eq(value->exclusive, 280);
	ck_assert_uint_eq(value->quality, PERFCTR_NOT_COUNTED);
	/* It has nothing of its own, and less: no less than the region within it, 2000 - 20 * 5. */
	read_sums(2000, 2000, 20, 20);
	ck_assert_uint_eq(value->inclusive, 1900);
	ck_assert_uint_eq(value->exclusive, 0);
	ck_assert_uint_eq(value->quality, PERFCTR_NOT_COUNTED);
}
END_TEST

/* Two visits of 2 and 4, three of 6, 8 and 10; or these first. */
START_TEST(test_moments)
{
	const struct perfctr_region_value *value = &reading.value[1];
	struct perfctr_visits *a, *b;
	unsigned int i;

	kept.moments = true;
	for (i = 0; i < 2; i++) {
		a = make(2);
		b = make(3);
		perfctr_visits_moments(a, 2)[1] = (struct perfctr_moments){ 2, 4, 3, 2 };
		perfctr_visits_moments(b, 2)[1] = (struct perfctr_moments){ 6, 10, 8, 8 };
		add_up(i ? b : a, i ? a : b);
		ck_assert_uint_eq(value->minimum, 2);
		ck_assert_uint_eq(value->maximum, 10);
		ck_assert_double_eq_tol(value->mean, 6, 1e-9);
		ck_assert_double_eq_tol(value->deviation, 3.16227766016838, 1e-9);
	}
}
END_TEST

static void set_range(struct perfctr_visits *visits, int64_t minimum, int64_t maximum)
{
	struct perfctr_moments *moments = &perfctr_visits_moments(visits, kept.nvalues)[1];

	moments->minimum = minimum;
	moments->maximum = maximum;
}

/* Of 100 visits the 50th counted 2, the 90th 4, the 99th 6; their neighbours less, and more. */
START_TEST(test_percentiles)
{
	static const uint64_t counts[] = { 0, 49, 1, 39, 1, 8, 1, 1 };
	const struct perfctr_region_value *value = &reading.value[1];
	struct perfctr_visits *visits;

	kept.histogram = kept.moments = true;
	visits = make(100);
	memcpy(&visits->histogram[PERFCTR_BUCKETS], counts, sizeof(counts));
	set_range(visits, 1, 7);
	add_up(visits, NULL);
	ck_assert_uint_eq(value->p50, 2);
	ck_assert_uint_eq(value->p90, 4);
	ck_assert_uint_eq(value->p99, 6);
}
END_TEST

/* What a bucket goes up to is not beyond the visits' values; nor is what it begins with, below. */
START_TEST(test_percentiles_of_one)
{
	const struct perfctr_region_value *value = &reading.value[1];
	struct perfctr_visits *visits;

	kept.histogram = kept.moments = true;
	visits = make(1);
	visits->histogram[PERFCTR_BUCKETS + perfctr_bucket(4579788)] = 1;
	set_range(visits, 4579788, 4579788);
	add_up(visits, NULL);
	ck_assert_uint_eq(value->p50, 4579788);
	ck_assert_uint_eq(value->p99, 4579788);
	ck_assert(value->mean >= 0 && !(value->deviation > 0 || value->deviation < 0));
	ck_assert_msg(value->deviation < 1, "%g", value->deviation); /* a number */
	visits = make(1);
	visits->histogram[PERFCTR_BUCKETS] = 1;
	set_range(visits, 5, 6);
	add_up(visits, NULL);
	ck_assert_uint_eq(value->p50, 5);
}
END_TEST

static void bucket_is(const struct perfctr_visits *visits, unsigned int i, unsigned int *next,
		      uint64_t least, uint64_t most, uint64_t n)
{
	struct perfctr_region_bucket bucket;

	ck_assert(perfctr_totals_bucket(visits, &kept, i, &reading.value[i], next, &bucket));
	ck_assert_uint_eq(bucket.least, least);
	ck_assert_uint_eq(bucket.most, most);
	ck_assert_uint_eq(bucket.visits, n);
}

/* Buckets that have visits, in order: their edges are in ns for a time, and no visit's beyond. */
START_TEST(test_histogram)
{
	struct perfctr_region_bucket bucket;
	struct perfctr_visits *visits;
	unsigned int next = 0;

	kept.histogram = kept.moments = true;
	kept.mult = 3;
	kept.shift = 1;
	visits = make(9);
	visits->histogram[perfctr_bucket(100)] = 9;
	visits->histogram[PERFCTR_BUCKETS] = 1;
	visits->histogram[PERFCTR_BUCKETS + perfctr_bucket(100)] = 5;
	visits->histogram[PERFCTR_BUCKETS + perfctr_bucket(1000)] = 2;
	visits->histogram[PERFCTR_BUCKETS + perfctr_bucket(INT64_MAX)] = 1;
	set_range(visits, 0, INT64_MAX);
	perfctr_totals_read(visits, &kept, &reading);
	bucket_is(visits, 1, &next, 0, 0, 1);
	bucket_is(visits, 1, &next, 96, 103, 5);
	bucket_is(visits, 1, &next, 960, 1023, 2);
	bucket_is(visits, 1, &next, UINT64_C(15) << 59, INT64_MAX, 1);
	ck_assert(!perfctr_totals_bucket(visits, &kept, 1, &reading.value[1], &next, &bucket));
	next = 0;
	reading.value[1].minimum = 99;
	reading.value[1].maximum = 1001;
	bucket_is(visits, 1, &next, 99, 99, 1);
	bucket_is(visits, 1, &next, 99, 103, 5);
	bucket_is(visits, 1, &next, 960, 1001, 2);
	next = 0;
	reading.value[0].minimum = 0;
	reading.value[0].maximum = INT64_MAX;
	bucket_is(visits, 0, &next, 144, 154, 9);
	ck_assert(!perfctr_totals_bucket(visits, &kept, 0, &reading.value[0], &next, &bucket));
	free(visits);
}
END_TEST

/* More visits than 32 bits can count: some minutes of a small region. */
START_TEST(test_many_visits)
{
	const struct perfctr_region_value *value = &reading.value[1];
	const uint64_t half = UINT64_C(1) << 31;
	struct perfctr_visits *a, *b;

	kept.histogram = kept.moments = true;
	a = make(4 * half + 2);
	b = make(half);
	a->histogram[PERFCTR_BUCKETS + 3] = 4 * half;
	a->histogram[PERFCTR_BUCKETS + 5] = 2;
	b->histogram[PERFCTR_BUCKETS + 5] = half;
	set_range(a, 3, 5);
	set_range(b, 5, 5);
	add_up(a, b);
	ck_assert_uint_eq(reading.visits, 5 * half + 2);
	ck_assert_uint_eq(value->p50, 3);
	ck_assert_uint_eq(value->p90, 5);
}
END_TEST

/* Each value is in a bucket that ends less than an eighth above it, the next one in the next. */
START_TEST(test_buckets)
{
	unsigned int bucket;
	uint64_t first = 0;

	ck_assert_uint_eq(perfctr_bucket(-1), 0);
	ck_assert_uint_eq(perfctr_bucket(INT64_MIN), 0);
	for (bucket = 0; first <= INT64_MAX; bucket++) {
		ck_assert_uint_lt(bucket, PERFCTR_BUCKETS);
		ck_assert_uint_eq(perfctr_bucket((int64_t)first), bucket);
		ck_assert_uint_eq(perfctr_bucket((int64_t)perfctr_bucket_last(bucket)), bucket);
		ck_assert_uint_le((perfctr_bucket_last(bucket) - first) * 8, first);
		first = perfctr_bucket_last(bucket) + 1;
	}
	ck_assert_uint_eq(first, (uint64_t)INT64_MAX + 1);
}
END_TEST

/* ---- a visit ends while another thread reads ---- */

static struct perfctr_region_thread thread;
static struct perfctr_region_here here = { .thread = &thread };
static struct perfctr_visits *shared;
static char *pages; /* two: the number of visits and the first sum; the second sum */
static size_t page;

/* What a visit's end does, in its order and in one in which another processor may see it. */
enum { BEGIN, FIRST, SECOND, VISITS, END, STEPS };
static const unsigned char orders[][STEPS] = { { BEGIN, FIRST, SECOND, VISITS, END },
					       { BEGIN, VISITS, SECOND, FIRST, END } };
static const unsigned char *order;
static unsigned int steps;  /* that were done */
static unsigned int script; /* bit by bit: 1, a step; 0, the reader goes on to the other page */

static void step(unsigned int what)
{
	switch (what) {
	case BEGIN: here.top = (struct perfctr_visit *)(void *)&thread; break;
	case FIRST: shared->sum[0].inclusive += 7; break;
	case SECOND: shared->sum[1].inclusive += 7; break;
	case VISITS: shared->visits++; break;
	case END: here.top = NULL; break;
	}
}

/* The reader comes to the page that it could not read. */
static void turn_page(int signal, siginfo_t *info, void *context)
{
	char *other = (char *)info->si_addr < pages + page ? pages + page : pages;

	(void)signal;
	(void)context;
	mprotect(pages, 2 * page, PROT_READ | PROT_WRITE);
	for (; script & 1; script >>= 1)
		step(order[steps++]);
	script >>= 1;
	mprotect(other, page, PROT_NONE);
}

static void map_shared(void)
{
	struct sigaction action = { .sa_sigaction = turn_page, .sa_flags = SA_SIGINFO };

	page = (size_t)sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(pages, MAP_FAILED);
	shared = (struct perfctr_visits *)(void *)(pages + page -
						   offsetof(struct perfctr_visits, sum[1]));
	sigaction(SIGSEGV, &action, NULL);
}

static void read_meanwhile(unsigned int first_order, unsigned int first_script)
{
	struct perfctr_visits *sum = make(0);

	order = orders[first_order];
	script = first_script;
	steps = 0;
	shared->visits = 10;
	shared->sum[0].inclusive = shared->sum[1].inclusive = 70;
	ck_assert_int_eq(mprotect(pages, page, PROT_NONE), 0);
	perfctr_totals_add(sum, shared, &here, &kept);
	ck_assert_int_eq(mprotect(pages, 2 * page, PROT_READ | PROT_WRITE), 0);
	ck_assert_msg(sum->visits == (steps > VISITS ? 11 : 10) &&
			      sum->sum[0].inclusive == (steps ? 77 : 70) &&
			      sum->sum[1].inclusive == (steps ? 77 : 70),
		      "order %u, script 0x%X: %u, %u, %u after %u steps", first_order, first_script,
		      (unsigned int)sum->visits, (unsigned int)sum->sum[0].inclusive,
		      (unsigned int)sum->sum[1].inclusive, steps);
	free(sum);
}

/* Wherever its steps are between the reader's: all of it is read, or nothing. */
START_TEST(test_read_meanwhile)
{
	unsigned int i;

	map_shared();
	for (i = 0; i < 1u << (2 * STEPS); i++) {
		if (__builtin_popcount(i) != STEPS)
			continue;
		read_meanwhile(0, i);
		read_meanwhile(1, i);
	}
}
END_TEST

/* It does not end: what there is is taken. */
START_TEST(test_read_amid)
{
	map_shared();
	read_meanwhile(0, 7);
}
END_TEST

UNIT_MAIN("region_sum", 60, test_cost, test_unverified, test_moments_of_time, test_less,
	  test_too_little, test_contradiction, test_moments, test_percentiles,
	  test_percentiles_of_one, test_histogram, test_many_visits, test_buckets,
	  test_read_meanwhile, test_read_amid)
