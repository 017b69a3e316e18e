/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* series.h - the values of several runs, and their statistics. */
#ifndef PERFCTR_TOOLS_SERIES_H
#define PERFCTR_TOOLS_SERIES_H

struct series {
	double *value; /* NAN: the run did not count it */
	unsigned int n, room;
};

/* The statistics of the values; NAN if there is none. */
struct summary {
	unsigned int n;	      /* values */
	double mean, squares; /* sum of squares of the distances from it */
	double minimum, median, maximum;
};

void series_add(struct series *series, double value);
struct summary series_summary(const struct series *series);
void series_free(struct series *series);

/* The standard deviation of these values; the standard error of their mean in percent of it. */
double summary_deviation(const struct summary *summary);
double summary_error(const struct summary *summary);

#endif /* PERFCTR_TOOLS_SERIES_H */
