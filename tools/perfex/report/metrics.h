/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics.h - the metrics of -M: formulas over results. */
#ifndef PERFCTR_TOOLS_METRICS_H
#define PERFCTR_TOOLS_METRICS_H

#include "tools/perfex/report/results.h"

/* A metric, of all, of a mean of several runs, or of a part. */
struct metric {
	struct perfctr_metric is;
	struct perfctr_metric_value value;
	double error;		  /* of an estimate, by perfctr_metrics_error(); NAN: unknown */
	char name[256];		  /* PMU/NAME/ if it is of one of several core types */
	char text[32];		  /* the value, or that there is none */
	const char *quality_name; /* of the value */
	const char *reason;	  /* why there is none, or "" */
	unsigned int level;	  /* in a tree, from 1 on; 0: it is in none */
	char parent[256];	  /* the metric that it is a part of, as named; "": none */
	unsigned int run;	  /* as that of its events */
	const char *sample;	  /* events to sample, with blanks between; "": none is known */
};

/* How many there are. */
unsigned int metrics_count(const struct results *results);

/*
 * Computes all, for a part, or (NULL) for all of it: *n of them, in the order of the names, to be
 * freed. NULL: there are none.
 */
struct metric *metrics_get(const struct results *results, const struct part *part, unsigned int *n);

/* Returns the event as it is named on the metric's core type, to be freed. */
char *metrics_event(const struct metric *metric, const char *event);

#endif /* PERFCTR_TOOLS_METRICS_H */
