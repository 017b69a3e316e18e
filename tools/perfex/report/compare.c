// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/report/compare.h"

/* ---- Welch's test ---- */

/*
 * The continued fraction of the incomplete beta function, DLMF 8.17.22, evaluated forward (the
 * method of Lentz, Thompson and Barnett). It converges fast for x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double f = tiny, c = f, d = 0, term, step;
	int m;

	for (m = 0; m < 10000; m++) {
		int k = m / 2;

		if (m == 0)
			term = 1;
		else if (m % 2)
			term = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
		else
			term = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
		d = 1 + term * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + term / c;
		c = fabs(c) < tiny ? tiny : c;
		step = c * d;
		f *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return f;
}

/* The regularized incomplete beta function, DLMF 8.17.2. y is 1 - x, with all its digits. */
static double beta(double a, double b, double x, double y)
{
	double front;

	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, y) / b;
}

double student_p(double t, double freedom)
{
	double whole = freedom + t * t;

	return isinf(whole) ? 0 : beta(freedom / 2, 0.5, freedom / whole, t * t / whole);
}

double student_t(double p, double freedom)
{
	double low = 0, high = 1, middle;

	while (student_p(high, freedom) > p)
		high *= 2;
	while (middle = low + (high - low) / 2, high - low > 1e-10 * high)
		*(student_p(middle, freedom) > p ? &low : &high) = middle;
	return high;
}

/* The variance of a mean. */
static double variance(const struct summary *s)
{
	return s->squares / (s->n - 1) / s->n;
}

/* Welch's degrees of freedom, of values that have a spread. */
static double freedom_of(const struct summary *a, const struct summary *b)
{
	/* Shares of the variance: its square might be more than there is. */
	double share = variance(a) / (variance(a) + variance(b)), rest = 1 - share;

	return 1 / (share * share / (a->n - 1) + rest * rest / (b->n - 1));
}

double welch_p(const struct summary *a, const struct summary *b)
{
	double sum;

	if (a->n < 2 || b->n < 2)
		return NAN;
	sum = variance(a) + variance(b);
	if (!(sum > 0))
		return a->mean < b->mean || a->mean > b->mean ? 0 : 1;
	return student_p((a->mean - b->mean) / sqrt(sum), freedom_of(a, b));
}

/* Returns half of the interval in which the difference of the means lies with 95 %; NAN: unknown.
 */
static double half_interval(const struct summary *a, const struct summary *b)
{
	double sum;

	if (a->n < 2 || b->n < 2)
		return NAN;
	sum = variance(a) + variance(b);
	return sum > 0 ? student_t(COMPARE_ALPHA, freedom_of(a, b)) * sqrt(sum) : 0;
}

/* Returns how many runs a side would show a difference of the means, with the spread that they
 * have. */
static unsigned int runs_for(const struct summary *a, const struct summary *b, double difference)
{
	double squares = a->squares / (a->n - 1) + b->squares / (b->n - 1);
	double ratio = squares / (difference * difference), n;

	/* The normal distribution's t is the least. */
	n = fmax(2, ceil(1.95996 * 1.95996 * ratio));
	if (!(n <= COMPARE_RUNS))
		return COMPARE_RUNS + 1;
	while (n < pow(student_t(COMPARE_ALPHA, 2 * n - 2), 2) * ratio)
		n++;
	return (unsigned int)n;
}

struct ranked {
	double p;
	unsigned int at;
};

static int compare(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->p, y = ((const struct ranked *)b)->p;

	return (x > y) - (x < y);
}

void holm_adjust(double *p, unsigned int n)
{
	struct ranked *order = need(calloc(n + 1, sizeof(*order)));
	double least = 0, adjusted;
	unsigned int i;

	for (i = 0; i < n; i++)
		order[i] = (struct ranked){ .p = p[i], .at = i };
	qsort(order, n, sizeof(*order), compare);
	for (i = 0; i < n; i++) {
		adjusted = order[i].p * (n - i);
		least = adjusted > least ? adjusted : least;
		p[order[i].at] = least < 1 ? least : 1;
	}
	free(order);
}

/* ---- series compared ---- */

/* Returns the change from one mean to another. */
static double change_of(double before, double now)
{
	if (!(fabs(before) > 0))
		return fabs(now) > 0 ? copysign(INFINITY, now) : 0;
	return (now - before) / fabs(before);
}

void comparison_add(struct comparison *comparison, const char *name, const char *unit, double scale,
		    const struct series *before, const struct series *now)
{
	struct compared *one;
	double half;

	comparison->of = need(reallocarray(comparison->of, comparison->n + 1, sizeof(*one)));
	one = &comparison->of[comparison->n++];
	*one = (struct compared){
		.name = need(strdup(name)),
		.unit = unit,
		.scale = scale,
		.before = series_summary(before),
		.now = series_summary(now),
	};
	one->change = change_of(one->before.mean, one->now.mean);
	one->p = welch_p(&one->before, &one->now);
	half = half_interval(&one->before, &one->now);
	if (half > 0)
		half /= fabs(one->before.mean);
	one->low = isfinite(one->change - half) ? one->change - half : NAN;
	one->high = isfinite(one->change + half) ? one->change + half : NAN;
}

double comparison_wanted(const struct comparison *comparison)
{
	return comparison->threshold > 0 ? comparison->threshold : COMPARE_CHANGE;
}

static enum verdict decide(const struct compared *one, double threshold)
{
	if (isnan(one->p))
		return !one->before.n ? VERDICT_NOT_BEFORE
		       : !one->now.n  ? VERDICT_NOT_NOW
				      : VERDICT_TOO_FEW;
	if (one->p < COMPARE_ALPHA)
		return fabs(one->change) > threshold ? VERDICT_DIFFERS : VERDICT_BELOW;
	if (one->low >= -threshold && one->high <= threshold)
		return VERDICT_SAME;
	return VERDICT_NOT_SHOWN;
}

void comparison_decide(struct comparison *comparison)
{
	double *p = need(calloc(comparison->n + 1, sizeof(*p)));
	unsigned int i, n = 0;

	for (i = 0; i < comparison->n; i++)
		if (!isnan(comparison->of[i].p))
			p[n++] = comparison->of[i].p;
	holm_adjust(p, n);
	comparison->compared = n;
	for (n = i = 0; i < comparison->n; i++) {
		struct compared *one = &comparison->of[i];

		if (!isnan(one->p))
			one->p = p[n++];
		one->verdict = decide(one, comparison->threshold);
		comparison->differing += one->verdict == VERDICT_DIFFERS;
		one->runs = 0;
		if (one->verdict == VERDICT_NOT_SHOWN && fabs(one->before.mean) > 0)
			one->runs = runs_for(&one->before, &one->now,
					     comparison_wanted(comparison) * one->before.mean);
	}
	free(p);
}

void comparison_free(struct comparison *comparison)
{
	unsigned int i;

	for (i = 0; i < comparison->n; i++)
		free(comparison->of[i].name);
	free(comparison->of);
}
