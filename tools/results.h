/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* results.h - what there is to show: counts of a run, of several, or of an interval. */
#ifndef PERFCTR_TOOLS_RESULTS_H
#define PERFCTR_TOOLS_RESULTS_H

#include "run.h"

/* One event. */
struct result {
	struct perfctr_reading reading; /* of the last run, or interval */
	struct perfctr_reading before;	/* all up to the interval's beginning */
	struct perfctr_reading all;	/* times of the runs that counted it, their worst quality */
	unsigned int runs;		/* that counted it */
	double mean, squares; /* of their counts; sum of squares of the distances from it */
};

struct results {
	const struct run *run;	      /* what has been counted */
	unsigned int repeats, failed; /* runs; those whose command did not succeed */
	struct outcome
		outcome; /* times are sums, and means after results_end(); the first failure */
	unsigned int intervals;
	double seconds;	       /* to the end of the interval that this is of; 0: it is of all */
	struct result *result; /* per event */
};

void results_begin(struct results *results);

/* A run, or an interval, has ended: take its counts from the events. */
void results_add_run(struct results *results, const struct outcome *outcome);
void results_add_interval(struct results *results, double seconds);

/* There are no more runs. */
void results_end(struct results *results);

void results_free(struct results *results);

/* Whether event i has a count; the best estimate of that, or the mean of several runs. */
bool results_counted(const struct results *results, unsigned int i);
uint64_t results_value(const struct results *results, unsigned int i);

/* The standard deviation of event i's counts over the runs. */
double results_deviation(const struct results *results, unsigned int i);

/* Whether a reading of event i is a count; its quality, and why it is none, in words (or ""). */
bool results_reads(const struct results *results, unsigned int i,
		   const struct perfctr_reading *reading);
const char *results_quality(const struct results *results, unsigned int i,
			    const struct perfctr_reading *reading);
const char *results_reason(const struct results *results, unsigned int i,
			   const struct perfctr_reading *reading);

#endif /* PERFCTR_TOOLS_RESULTS_H */
