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

/* The variance of a mean. */
static double variance(const struct summary *s)
{
	return s->squares / (s->n - 1) / s->n;
}

double welch_p(const struct summary *a, const struct summary *b)
{
	double va, vb, freedom;

	if (a->n < 2 || b->n < 2)
		return NAN;
	va = variance(a);
	vb = variance(b);
	if (!(va + vb > 0))
		return a->mean < b->mean || a->mean > b->mean ? 0 : 1;
	/* Shares of the variance: its square might be more than there is. */
	va /= variance(a) + vb;
	vb = 1 - va;
	freedom = 1 / (va * va / (a->n - 1) + vb * vb / (b->n - 1));
	return student_p((a->mean - b->mean) / sqrt(variance(a) + variance(b)), freedom);
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

		if (isnan(one->p))
			continue;
		one->p = p[n++];
		one->differs = one->p < COMPARE_ALPHA && fabs(one->change) > comparison->threshold;
		comparison->differing += one->differs;
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
