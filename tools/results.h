/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* results.h - what there is to show: counts of a run, of several, or of an interval. */
#ifndef PERFCTR_TOOLS_RESULTS_H
#define PERFCTR_TOOLS_RESULTS_H

#include "run.h"

struct results {
	const struct events *events;
	const struct tasks *tasks; /* shown one by one if per_thread */
	const struct targets *targets;
	char **command;
	bool per_thread, first_thread;
	unsigned int repeats;
	double *sum, *squares;	/* over repeats, per event */
	struct outcome outcome; /* times are sums, and means after results_end() */
	unsigned int intervals;
	struct perfctr_reading *last,
		*delta; /* per event, at the end of the last interval, and in it */
};

/* A run, or an interval, has ended: take its counts from the events. */
void results_add_run(struct results *results, const struct outcome *outcome);
void results_add_interval(struct results *results);

/* There are no more runs. */
void results_end(struct results *results);

/* The mean of event i over the runs, and its standard deviation. */
double results_mean(const struct results *results, unsigned int i, double *deviation);

void results_free(struct results *results);

/* One event: whether it has a count; the best estimate of that; whether it is a time, in ns. */
bool results_counted(const struct event *event);
uint64_t results_value(const struct event *event);
bool results_is_clock(const struct event *event);

/* The quality of a reading of an event, in words. */
const char *results_quality(const struct event *event, const struct perfctr_reading *reading);

#endif /* PERFCTR_TOOLS_RESULTS_H */
