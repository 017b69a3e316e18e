// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/report/series.h"

void series_add(struct series *series, double value)
{
	if (series->n == series->room) {
		series->room = series->room * 2 + 4;
		series->value = need(reallocarray(series->value, series->room, sizeof(double)));
	}
	series->value[series->n++] = value;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The values that there are, in their order. */
static double *sorted(const struct series *series, unsigned int *n)
{
	double *value = need(calloc(series->n + 1, sizeof(*value)));
	unsigned int i;

	*n = 0;
	for (i = 0; i < series->n; i++)
		if (!isnan(series->value[i]))
			value[(*n)++] = series->value[i];
	qsort(value, *n, sizeof(*value), compare);
	return value;
}

struct summary series_summary(const struct series *series)
{
	struct summary summary = { .mean = NAN, .minimum = NAN, .median = NAN, .maximum = NAN };
	double *value = sorted(series, &summary.n), mean = 0, distance;
	unsigned int i, n = summary.n;

	/* This is Welford's method: sums of squares would lose the digits that count. */
	for (i = 0; i < n; i++) {
		distance = value[i] - mean;
		mean += distance / (i + 1);
		summary.squares += distance * (value[i] - mean);
	}
	if (n) {
		summary.mean = mean;
		summary.minimum = value[0];
		summary.median = (value[(n - 1) / 2] + value[n / 2]) / 2;
		summary.maximum = value[n - 1];
	}
	free(value);
	return summary;
}

void series_free(struct series *series)
{
	free(series->value);
	*series = (struct series){ .n = 0 };
}

double summary_deviation(const struct summary *summary)
{
	return summary->n ? sqrt(summary->squares / summary->n) : 0;
}

double summary_error(const struct summary *summary)
{
	if (summary->n < 2 || !(fabs(summary->mean) > 0))
		return 0;
	return 100 * summary_deviation(summary) / sqrt(summary->n - 1) / fabs(summary->mean);
}
