/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* results.h - results to print: the counts of a run, of several, or of an interval. */
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
	const char *rank; /* in a parallel job, a number; "": none */
	const char *processor;
	const char *version; /* perfex's */
};

void provenance_get(struct provenance *provenance);

/* The counts of an event in several runs. */
struct tally {
	struct perfctr_reading all; /* sums of the runs that counted it, their worst quality */
	unsigned int runs;	    /* that counted it */
	struct series series;	    /* counts, or estimates: one per run, NAN for the others */
};

/* The results of one event. */
struct result {
	struct perfctr_reading reading; /* of the last run, or interval */
	struct perfctr_reading before;	/* all up to the interval's beginning */
	struct tally taken, left_out;	/* of the runs that are shown; of those that failed */
};

struct metric;

struct results {
	const struct run *run;		     /* the run that was counted */
	const struct provenance *provenance; /* NULL: not to be told */
	unsigned int repeats, failed;	     /* runs; those whose command did not succeed */
	bool with_failed;		     /* take failed runs like the others */
	unsigned int left_out;		     /* runs that are not: none if all failed */
	struct run_end end;   /* times: means after results_end(); the first failure */
	struct run_end *ends; /* each run's */
	unsigned int intervals;
	double seconds, span;		     /* the interval's end and length; 0: no interval */
	bool no_header;			     /* CSV goes on where there is some */
	struct result *result;		     /* per event */
	struct slices slices;		     /* of one run, if there are metrics */
	const struct comparison *comparison; /* with another side; NULL: none */
	const struct metric *metric; /* of several runs together; NULL: this run's are computed */
	unsigned int metrics;	     /* number of these */
	unsigned int drilled;	     /* runs, each for a level of a tree; 0: one for all */
};

/* The numbers to show for an event: for all, a mean if there are several runs, or for a part. */
struct cell {
	bool counted;
	uint64_t value, estimate; /* the count, and the best estimate for the whole time */
	uint64_t enabled, running;
	unsigned int quality;
	const char *quality_name;
	const char *reason; /* why it is not counted, or "" */
};

void results_begin(struct results *results);

/* A run, or an interval, has ended: take its counts from the events. */
void results_add_run(struct results *results, const struct run_end *end);
void results_add_interval(struct results *results, double seconds);

/* Ends the runs. Counts of failed ones are left out if others succeeded. */
void results_end(struct results *results);

void results_free(struct results *results);

/* Returns the results of event i, for a part, or (NULL) for all. */
struct cell results_cell(const struct results *results, const struct part *part, unsigned int i);

/* Returns them since counting began, whatever the interval. */
struct cell results_sum(const struct results *results, const struct part *part, unsigned int i);

/* Returns a quality's name: emulated counts are never called exact. */
const char *results_quality(const struct results *results, unsigned int quality);

/* The parts that are to be shown beside the sums, and their number. */
const struct part *results_parts(const struct results *results, size_t *n);

/* Whether a run is one of those that are shown, and the number of these. */
bool results_takes(const struct results *results, unsigned int run);
unsigned int results_runs(const struct results *results);

/* The seconds that the commands took, NAN if they are left out. */
struct series results_elapsed(const struct results *results);

/* Whether a count has the quality. */
bool results_has(const struct results *results, enum perfctr_quality quality);

/* The number of runs whose commands left processes running; the first of these. */
unsigned int results_left(const struct results *results, const struct run_end **first);

/* Why emulated counts are incomplete; NULL: they are not. */
const char *results_missing(const struct results *results);

/* Why results are not all exact, of the first event that is not; NULL: they are. */
const char *results_doubt(const struct results *results, unsigned int *i);

#endif /* PERFCTR_TOOLS_RESULTS_H */
