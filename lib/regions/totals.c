// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>
#include "lib/base/root.h"
#include "lib/regions/totals.h"

#define HISTOGRAM_WORDS(m) ((size_t)(m)*PERFCTR_BUCKETS)

static size_t head_size(const struct perfctr_region_kept *kept)
{
	return sizeof(struct perfctr_visits) + kept->nvalues * sizeof(struct perfctr_sums) +
	       kept->nvalues * sizeof(struct perfctr_moments);
}

size_t perfctr_totals_size(const struct perfctr_region_kept *kept)
{
	size_t histogram = kept->histogram ? HISTOGRAM_WORDS(kept->nvalues) * sizeof(uint64_t) : 0;

	return (head_size(kept) + histogram + 15) & ~(size_t)15;
}

static void init_moments(struct perfctr_visits *visits, const struct perfctr_region_kept *kept)
{
	struct perfctr_moments *moments = perfctr_visits_moments(visits, kept->nvalues);
	unsigned int i;

	for (i = 0; kept->moments && i < kept->nvalues; i++)
		moments[i] = (struct perfctr_moments){ .minimum = INT64_MAX, .maximum = INT64_MIN };
}

void perfctr_totals_adopt(struct perfctr_visits *visits, const struct perfctr_region_kept *kept,
			  const struct perfctr_region_cost *cost)
{
	visits->cost = cost;
	visits->histogram = kept->histogram ? (uint64_t *)(void *)((char *)visits + head_size(kept))
					    : NULL;
}

void perfctr_totals_init(struct perfctr_visits *visits, const struct perfctr_region_kept *kept,
			 const struct perfctr_region_cost *cost)
{
	perfctr_totals_adopt(visits, kept, cost);
	init_moments(visits, kept);
}

void perfctr_totals_reset(struct perfctr_visits *visits, const struct perfctr_region_kept *kept)
{
	const struct perfctr_region_cost *cost = visits->cost;

	memset(visits, 0, perfctr_totals_size(kept));
	perfctr_totals_init(visits, kept, cost);
}

/* ---- adding up ---- */

/* Joins the moments of two sets of visits (Chan's algorithm). */
static void add_moments(struct perfctr_moments *sum, double n, const struct perfctr_moments *more,
			double m)
{
	double delta = more->mean - sum->mean, all = n + m;

	if (more->minimum < sum->minimum)
		sum->minimum = more->minimum;
	if (more->maximum > sum->maximum)
		sum->maximum = more->maximum;
	sum->squares += more->squares + delta * delta * n * m / all;
	sum->mean += delta * m / all;
}

typedef unsigned long __attribute__((may_alias)) any_word;

static void copy_words(void *to, const void *from, size_t bytes)
{
	size_t n = bytes / sizeof(any_word);

	while (n--)
		((any_word *)to)[n] = __atomic_load_n(&((const any_word *)from)[n],
						      __ATOMIC_RELAXED);
}

/* While a thread adds a visit, its top is the thread itself. */
static bool is_adding(const struct perfctr_region_here *here)
{
	return here && (void *)__atomic_load_n(&here->top, __ATOMIC_ACQUIRE) ==
			       (void *)__atomic_load_n(&here->thread, __ATOMIC_RELAXED);
}

/*
 * Copies a row to which its thread may be adding. If the thread adds all the time, or was
 * interrupted while it did, the last copy may have half a visit.
 */
static void copy_visits(struct perfctr_visits *copy, const struct perfctr_visits *visits,
			const struct perfctr_region_here *here,
			const struct perfctr_region_kept *kept)
{
	unsigned int tries = 1000;
	uint64_t before;
	bool adding;

	do {
		/* An end writes this word last, so that it is read first here. */
		before = perfctr_load(&visits->visits);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		adding = is_adding(here);
		copy_words(copy, visits, head_size(kept));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		adding |= is_adding(here) || perfctr_load(&visits->visits) != before;
	} while (adding && --tries);
}

static void add_histogram(struct perfctr_visits *sum, const struct perfctr_visits *visits,
			  const struct perfctr_region_kept *kept)
{
	size_t i;

	for (i = 0; i < HISTOGRAM_WORDS(kept->nvalues); i++)
		sum->histogram[i] += perfctr_load(&visits->histogram[i]);
}

void perfctr_totals_add(struct perfctr_visits *sum, const struct perfctr_visits *visits,
			const struct perfctr_region_here *here,
			const struct perfctr_region_kept *kept)
{
	union {
		struct perfctr_visits visits;
		char scratch[sizeof(*sum) +
			     PERFCTR_REGION_VALUES * (sizeof(struct perfctr_sums) +
						      sizeof(struct perfctr_moments))];
	} one;
	const struct perfctr_visits *copy = &one.visits;
	unsigned int i;

	copy_visits(&one.visits, visits, here, kept);
	for (i = 0; kept->moments && copy->visits && i < kept->nvalues; i++)
		add_moments(&perfctr_visits_moments(sum, kept->nvalues)[i], (double)sum->visits,
			    &perfctr_visits_moments(&one.visits, kept->nvalues)[i],
			    (double)copy->visits);
	for (i = 0; i < kept->nvalues; i++) {
		sum->sum[i].inclusive += copy->sum[i].inclusive;
		sum->sum[i].children += copy->sum[i].children;
	}
	if (kept->histogram)
		add_histogram(sum, visits, kept);
	sum->cost = copy->cost;
	sum->visits += copy->visits;
	sum->unfinished += copy->unfinished;
	sum->interrupted += copy->interrupted;
	sum->uncounted += copy->uncounted;
	for (i = 0; i < PERFCTR_TOLD; i++) {
		sum->told[i].own += copy->told[i].own;
		sum->told[i].within += copy->told[i].within;
	}
	sum->within.pairs += copy->within.pairs;
	sum->within.direct += copy->within.direct;
	sum->within.branches += copy->within.branches;
	sum->within.forks += copy->within.forks;
}

/* ---- what it comes to ---- */

static uint64_t not_negative(uint64_t value)
{
	return (int64_t)value < 0 ? 0 : value;
}

/* Converts to the value's unit: ticks become ns. */
static uint64_t in_unit(const struct perfctr_region_kept *kept, unsigned int i, uint64_t value)
{
	value = not_negative(value);
	return i ? value : perfctr_scale(value, kept->mult, kept->shift);
}

/* The least bucket's upper bound below which "percent" of the visits are. */
static uint64_t percentile(const uint64_t *histogram, uint64_t visits, unsigned int percent)
{
	uint64_t wanted = (visits * percent + 99) / 100, seen = 0;
	unsigned int i;

	for (i = 0; i < PERFCTR_BUCKETS - 1; i++) {
		seen += histogram[i];
		if (seen >= wanted)
			break;
	}
	return perfctr_bucket_last(i);
}

static void read_moments(const struct perfctr_visits *visits,
			 const struct perfctr_region_kept *kept, unsigned int i,
			 struct perfctr_region_value *value)
{
	const struct perfctr_moments *moments =
		(const struct perfctr_moments *)(const void *)&visits->sum[kept->nvalues] + i;
	double scale = i ? 1 : (double)kept->mult / (double)(UINT64_C(1) << kept->shift);

	value->minimum = in_unit(kept, i, (uint64_t)moments->minimum);
	value->maximum = in_unit(kept, i, (uint64_t)moments->maximum);
	value->mean = moments->mean > 0 ? moments->mean * scale : 0;
	if (visits->visits > 1)
		value->deviation =
			perfctr_square_root(moments->squares / (double)(visits->visits - 1)) *
			scale;
}

/* A bucket is wider than its values, so that its edges are limited to what visits counted. */
static uint64_t limited(const struct perfctr_region_value *value, uint64_t edge)
{
	if (edge > value->maximum)
		return value->maximum;
	return edge < value->minimum ? value->minimum : edge;
}

static uint64_t read_percentile(const struct perfctr_visits *visits,
				const struct perfctr_region_kept *kept, unsigned int i,
				unsigned int percent, const struct perfctr_region_value *value)
{
	const uint64_t *histogram = visits->histogram + HISTOGRAM_WORDS(i);

	return limited(value, in_unit(kept, i, percentile(histogram, visits->visits, percent)));
}

bool perfctr_totals_bucket(const struct perfctr_visits *visits,
			   const struct perfctr_region_kept *kept, unsigned int i,
			   const struct perfctr_region_value *value, unsigned int *next,
			   struct perfctr_region_bucket *bucket)
{
	const uint64_t *histogram = visits->histogram + HISTOGRAM_WORDS(i);
	unsigned int at = *next;

	while (at < PERFCTR_BUCKETS && !histogram[at])
		at++;
	*next = at + 1;
	if (at >= PERFCTR_BUCKETS)
		return false;
	bucket->least = limited(value, at ? in_unit(kept, i, perfctr_bucket_last(at - 1) + 1) : 0);
	bucket->most = limited(value, in_unit(kept, i, perfctr_bucket_last(at)));
	bucket->visits = histogram[at];
	return true;
}

static void read_distribution(const struct perfctr_visits *visits,
			      const struct perfctr_region_kept *kept, unsigned int i,
			      struct perfctr_region_value *value)
{
	if (kept->moments)
		read_moments(visits, kept, i, value);
	if (!kept->histogram)
		return;
	value->p50 = read_percentile(visits, kept, i, 50, value);
	value->p90 = read_percentile(visits, kept, i, 90, value);
	value->p99 = read_percentile(visits, kept, i, 99, value);
}

/*
 * How far a sum may be off because of the cost of begin and end: for each visit by the
 * calibration's spread or a few instructions; by a quarter of the visit's own cost, since
 * processors become faster; and for each visit within, which may be an interpreter's or another
 * language's.
 */
static uint64_t error_of(const struct perfctr_visits *visits,
			 const struct perfctr_region_kept *kept, unsigned int i, uint64_t within)
{
	const struct perfctr_region_cost *cost = visits->cost;
	uint64_t each = 2 * (uint64_t)cost->spread[i] + 4;

	return (visits->visits + within) * each +
	       within * (kept->foreign[i] + (uint64_t)cost->loose[i]) +
	       visits->visits * (uint64_t)cost->inside[i] / 4;
}

/*
 * The cost of begin and end is the same each time, so that the sums without it are exact. A clock's
 * values are not, nor is what an interrupted read has cost.
 */
static bool repeats(const struct perfctr_visits *visits, const struct perfctr_region_kept *kept,
		    unsigned int i)
{
	return !visits->cost->spread[i] && !visits->cost->loose[i] && !visits->interrupted &&
	       !(kept->clocks >> i & 1) && !(visits->within.pairs && kept->foreign[i]);
}

/*
 * A sum consists of the region's own part and the sums of the regions within. Neither is reported
 * below zero, and the sum as no less than both.
 */
static void read_sums(const struct perfctr_visits *visits, const struct perfctr_region_kept *kept,
		      unsigned int i, struct perfctr_region_value *value)
{
	const struct perfctr_region_cost *cost = visits->cost;
	const struct perfctr_within *within = &visits->within;
	uint64_t inside = visits->visits * (uint64_t)cost->inside[i],
		 pair = (uint64_t)cost->pair[i], branch = (uint64_t)cost->branch[i],
		 raw = visits->sum[i].inclusive - inside,
		 inclusive = raw - within->pairs * pair - within->branches * branch,
		 exclusive = raw - visits->sum[i].children -
			     within->direct * (pair - (uint64_t)cost->inside[i]) -
			     within->forks * branch,
		 least = not_negative(exclusive),
		 most = least + not_negative(inclusive - exclusive);

	value->inclusive = in_unit(kept, i, most);
	value->exclusive = in_unit(kept, i, least);
	if (!visits->visits || most - inclusive > error_of(visits, kept, i, within->pairs) ||
	    least - exclusive > error_of(visits, kept, i, within->direct)) {
		value->quality = PERFCTR_NOT_COUNTED;
	} else if (!repeats(visits, kept, i) || most != inclusive || least != exclusive) {
		value->quality = PERFCTR_ESTIMATE;
		value->error = in_unit(kept, i, error_of(visits, kept, i, within->pairs));
	}
}

static void read_value(const struct perfctr_visits *visits, const struct perfctr_region_kept *kept,
		       unsigned int i, struct perfctr_region_value *value)
{
	value->quality = kept->unverified >> i & 1 ? PERFCTR_UNVERIFIED : PERFCTR_EXACT;
	read_sums(visits, kept, i, value);
	if (visits->visits)
		read_distribution(visits, kept, i, value);
}

void perfctr_totals_read(const struct perfctr_visits *visits,
			 const struct perfctr_region_kept *kept,
			 struct perfctr_region_reading *reading)
{
	unsigned int i;

	memset(reading, 0, sizeof(*reading));
	reading->visits = visits->visits;
	reading->unfinished = visits->unfinished;
	reading->uncounted = visits->uncounted;
	reading->nvalues = kept->nvalues;
	reading->bytes_exclusive = visits->told[PERFCTR_BYTES].own;
	reading->bytes_inclusive = reading->bytes_exclusive + visits->told[PERFCTR_BYTES].within;
	reading->communication_exclusive = visits->told[PERFCTR_COMMUNICATION].own;
	reading->communication_inclusive = reading->communication_exclusive +
					   visits->told[PERFCTR_COMMUNICATION].within;
	for (i = 0; i < kept->nvalues; i++)
		read_value(visits, kept, i, &reading->value[i]);
}
