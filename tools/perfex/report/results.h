/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* results.h - what there is to show: counts of a run, of several, or of an interval. */
#ifndef PERFCTR_TOOLS_RESULTS_H
#define PERFCTR_TOOLS_RESULTS_H

#include <sys/utsname.h>
#include "tools/perfex/count/run.h"
#include "tools/perfex/count/slices.h"
#include "tools/perfex/report/compare.h"
#include "tools/perfex/report/series.h"

/* Where and when results were made. */
struct provenance {
	char time[32]; /* UTC, as of RFC 3339 */
	struct utsname host;
	const char *rank; /* of a parallel program, as its launcher numbers it; NULL: it is none */
	const char *processor;
	const char *version; /* perfex's */
};

void provenance_get(struct provenance *provenance);

/* What runs counted of an event. */
struct tally {
	struct perfctr_reading all; /* sums of the runs that counted it, their worst quality */
	unsigned int runs;	    /* that counted it */
	struct series series;	    /* its counts, or estimates: one per run, NAN of others */
};

/* One event. */
struct result {
	struct perfctr_reading reading; /* of the last run, or interval */
	struct perfctr_reading before;	/* all up to the interval's beginning */
	struct tally taken, left_out;	/* what is shown; what failed runs counted */
};

struct results {
	const struct run *run;		     /* what has been counted */
	const struct provenance *provenance; /* NULL: not to be told */
	unsigned int repeats, failed;	     /* runs; those whose command did not succeed */
	bool with_failed;		     /* which are taken like the others */
	unsigned int left_out;		     /* runs that are not: none if all failed */
	struct run_end end;   /* times: means after results_end(); the first failure */
	struct run_end *ends; /* each run's */
	unsigned int intervals;
	double seconds,
		span;	/* to the end of the interval that this is of, and its length; 0: all */
	bool no_header; /* CSV goes on where there is some */
	struct result *result;		     /* per event */
	struct slices slices;		     /* of one run, if metrics are asked for */
	const struct comparison *comparison; /* with others; NULL: there is none */
};

/* What is to be shown of an event: of all, a mean if there are several runs, or of a part. */
struct cell {
	bool counted;
	uint64_t value,
		estimate; /* what was counted, and the best estimate of what it stands for */
	uint64_t enabled, running;
	unsigned int quality;
	const char *quality_name;
	const char *reason; /* why it is not counted, or "" */
};

void results_begin(struct results *results);

/* A run, or an interval, has ended: take its counts from the events. */
void results_add_run(struct results *results, const struct run_end *end);
void results_add_interval(struct results *results, double seconds);

/* There are no more runs. What was counted in those that failed is left out if others did not. */
void results_end(struct results *results);

void results_free(struct results *results);

/* Event i, of a part, or (NULL) of all. */
struct cell results_cell(const struct results *results, const struct part *part, unsigned int i);

/* The same since counting began, whatever the interval. */
struct cell results_sum(const struct results *results, const struct part *part, unsigned int i);

/* What a quality is called here: what was emulated is not exact. */
const char *results_quality(const struct results *results, unsigned int quality);

/* The parts that are to be shown beside the sums, and their number. */
const struct part *results_parts(const struct results *results, size_t *n);

/* Whether a run is one of those that are shown, and the number of these. */
bool results_takes(const struct results *results, unsigned int run);
unsigned int results_runs(const struct results *results);

/* The seconds that the commands took, NAN if they are left out. */
struct series results_elapsed(const struct results *results);

/* Why results are not all exact, of the first event that is not; NULL: they are. */
const char *results_doubt(const struct results *results, unsigned int *i);

#endif /* PERFCTR_TOOLS_RESULTS_H */
