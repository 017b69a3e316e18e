// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perfctr_metrics_error(): estimates the error of a metric whose events were counted only part of
 * the time.
 *
 * Neighbouring stretches of time form pairs, and differ by chance more than by changes in the
 * program. For each pair in turn, one of its stretches is counted twice and the other not at all:
 * the squared changes of the metric add up to its variance (the paired jackknife: Wolter,
 * Introduction to Variance Estimation, ch. 4). Time that was counted has no error, which makes it
 * smaller.
 *
 * A program that works in bursts makes that too small where few of them were seen: those that were
 * not are missing both in the metric and in its variance. So the pair that moves the metric most
 * counts twice, as if one more like it had been missed; and the variance is that of the largest
 * value in question, in proportion, and not that of the value that was seen (a score interval).
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "lib/base/error.h"
#include "lib/base/root.h"
#include "lib/metrics/metrics.h"
#include "libperfctr.h"

#define PAIRS 4 /* the least number */

struct jackknife {
	const struct perfctr_metrics *metrics;
	unsigned int i;			    /* the metric */
	const unsigned int *place;	    /* the index of each of its events */
	unsigned int places, events;	    /* how many it has, and all have */
	const struct perfctr_reading *part; /* events of each, n times */
	unsigned int n;
	unsigned int *end; /* the end of each stretch, as a number of parts */
	unsigned int *ran; /* the end of the last part in which each of its events ran */
	unsigned int stretches;
	struct perfctr_reading *all, *varied; /* sums of all events */
};

/* Less than 0 does not come; UINT64_MAX: it is that, or more. */
static uint64_t plus(uint64_t sum, uint64_t number, bool minus)
{
	return minus ? sum - number : sum > UINT64_MAX - number ? UINT64_MAX : sum + number;
}

/* Add the reading, or with minus take it away. */
static void add(struct perfctr_reading *sum, const struct perfctr_reading *one, bool minus)
{
	sum->value = plus(sum->value, one->value, minus);
	sum->enabled = plus(sum->enabled, one->enabled, minus);
	sum->running = plus(sum->running, one->running, minus);
	sum->quality = PERFCTR_SCALED; /* or exact, which is the same number */
}

/* Returns the count of the metric's event k in part p. */
static const struct perfctr_reading *reading(const struct jackknife *j, unsigned int p,
					     unsigned int k)
{
	return &j->part[(size_t)p * j->events + j->place[k]];
}

/* Adds the metric's own events, of perhaps hundreds. */
static void add_parts(const struct jackknife *j, struct perfctr_reading *sum, unsigned int first,
		      unsigned int end, bool minus)
{
	unsigned int k;

	for (; first < end; first++)
		for (k = 0; k < j->places; k++)
			add(&sum[j->place[k]], reading(j, first, k), minus);
}

/* Parts in which some events of the metric did not run go with those after them, the last ones
 * with those before. */
static void find_stretches(struct jackknife *j)
{
	unsigned int first = 0, p, k, all;

	for (p = 0; p < j->n; p++) {
		for (k = 0, all = 0; k < j->places; k++) {
			if (reading(j, p, k)->running)
				j->ran[k] = p + 1;
			all += j->ran[k] > first;
		}
		if (all == j->places) {
			j->end[j->stretches++] = p + 1;
			first = p + 1;
		}
	}
	if (j->stretches)
		j->end[j->stretches - 1] = j->n;
}

/* The metric of sums; a NaN if it has no value. */
static double value_of(const struct jackknife *j, const struct perfctr_reading *sum)
{
	struct perfctr_metric_value value;

	perfctr_metrics_value(j->metrics, j->i, sum, &value);
	return value.value;
}

/* How far the metric moves, squared, if stretch a comes twice and b not at all. */
static double move(struct jackknife *j, double value, unsigned int a, unsigned int b)
{
	unsigned int k;
	double moved;

	for (k = 0; k < j->places; k++)
		j->varied[j->place[k]] = j->all[j->place[k]];
	add_parts(j, j->varied, b ? j->end[b - 1] : 0, j->end[b], true);
	add_parts(j, j->varied, a ? j->end[a - 1] : 0, j->end[a], false);
	moved = value_of(j, j->varied) - value;
	return moved * moved;
}

/* Returns the least share of the time in which an event of the metric ran. */
static double share(const struct jackknife *j)
{
	double least = 1;
	unsigned int k;

	for (k = 0; k < j->places; k++) {
		const struct perfctr_reading *sum = &j->all[j->place[k]];

		if ((double)sum->running < least * (double)sum->enabled)
			least = (double)sum->running / (double)sum->enabled;
	}
	return least;
}

/*
 * Student's t for 95 %, by Cornish and Fisher's expansion; 0.3 % too small for 4 degrees of
 * freedom, right for more.
 */
static double student(double freedom)
{
	return 1.960 + (2.372 + (2.823 + 2.556 / freedom) / freedom) / freedom;
}

/* Returns the sum of the squared changes, that of the pair with the largest twice. */
static double find_variance(struct jackknife *j, double value, unsigned int pairs)
{
	double variance = 0, largest = 0, moved;
	unsigned int k;

	for (k = 0; k < pairs; k++) {
		moved = (move(j, value, 2 * k, 2 * k + 1) + move(j, value, 2 * k + 1, 2 * k)) / 2;
		variance += moved;
		largest = moved > largest ? moved : largest;
	}
	return variance + largest;
}

/*
 * The distance d from the value, in which d = error * sqrt((value + d) / value): of a value with an
 * error so large it is at most 2.4 times that.
 */
static double widen(double value, double error)
{
	double half = fabs(value) > error / 2 ? error / (2 * fabs(value)) : 1;

	return error * (half + perfctr_square_root(1 + half * half));
}

static int find_error(struct jackknife *j, double *error)
{
	unsigned int pairs;
	double value, seen, variance;

	add_parts(j, j->all, 0, j->n, false);
	value = value_of(j, j->all);
	if (isnan(value))
		return perfctr_fail(ENODATA, "the metric has no value whose error could be told");
	seen = share(j);
	if (seen >= 1) {
		*error = 0;
		return 0;
	}
	find_stretches(j);
	pairs = j->stretches / 2;
	if (pairs < PAIRS)
		return perfctr_fail(ENODATA,
				    "an error needs %u stretches of time in each of which all "
				    "events of the metric ran for a while; there were %u",
				    2 * PAIRS, j->stretches);
	variance = find_variance(j, value, pairs);
	if (isnan(variance) || isinf(variance))
		return perfctr_fail(ENODATA,
				    "without some of the stretches the metric has no value: "
				    "what it divides by was counted in too few of them, or a "
				    "number is too large");
	*error = widen(value, student(pairs) * perfctr_square_root(variance * (1 - seen)));
	return 0;
}

/* Whether an event of the metric was not counted, or only in part. */
static bool is_uncounted(const struct jackknife *j)
{
	unsigned int p, k;

	for (p = 0; p < j->n; p++)
		for (k = 0; k < j->places; k++) {
			const struct perfctr_reading *its = reading(j, p, k);

			if (its->quality == PERFCTR_STALE ||
			    (its->quality == PERFCTR_NOT_COUNTED && !its->enabled))
				return true;
		}
	return false;
}

int perfctr_metrics_error(const struct perfctr_metrics *metrics, unsigned int i,
			  const struct perfctr_reading *parts, unsigned int n, double *error)
{
	struct jackknife j = { .metrics = metrics, .i = i, .part = parts, .n = n };
	int result = -1;

	j.place = perfctr_metrics_places(metrics, i, &j.places, "perfctr_metrics_error()");
	if (!j.place)
		return -1;
	if (!parts || !n || !error)
		return perfctr_fail(EINVAL,
				    "perfctr_metrics_error() needs readings of one stretch of time "
				    "or more, and a place for the result, not NULL");
	perfctr_metrics_events(metrics, &j.events);
	if (is_uncounted(&j))
		return perfctr_fail(ENODATA, "an event of the metric was not counted");
	j.end = calloc(n, sizeof(*j.end));
	j.ran = calloc(j.places, sizeof(*j.ran));
	j.all = calloc(j.events, sizeof(*j.all));
	j.varied = calloc(j.events, sizeof(*j.varied));
	if (j.end && j.ran && j.all && j.varied)
		result = find_error(&j, error);
	else
		perfctr_fail(ENOMEM, "no memory for the error of a metric");
	free(j.end);
	free(j.ran);
	free(j.all);
	free(j.varied);
	return result;
}
