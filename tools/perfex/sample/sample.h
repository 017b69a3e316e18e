/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sample.h - --sample: finds the places in a command, a process or on a processor where an event
 * happens.
 */
#ifndef PERFCTR_TOOLS_SAMPLE_H
#define PERFCTR_TOOLS_SAMPLE_H

#include <stdbool.h>
#include "tools/perfex/count/run.h"
#include "tools/perfex/count/targets.h"
#include "tools/perfex/sample/histogram.h"
#include "tools/perfex/sample/perf_data.h"

struct sampling;

/* What to sample, and what to report. */
struct sampling_request {
	const struct targets *targets;
	char **command; /* NULL: none */
	enum place_kind kind;
	bool calls;	/* the calls that led to samples are kept */
	bool folded;	/* and printed, in place of a table */
	bool threads;	/* with the threads' names */
	uint32_t stack; /* bytes of it, to find calls by DWARF; 0: by frame pointers */
	FILE *data;	/* becomes a perf.data; NULL: none */
	struct perf_data_about about; /* that is in it */
};

/* Exits on bad input. No event: one that fits to kind; no period and no frequency, 0: the usual
 * one. */
struct sampling *sampling_new(const char *event, uint64_t period, uint64_t frequency,
			      enum place_kind kind);

/* Samples the command from its exec on, or running targets; exits on failure. */
void sampling_open(struct sampling *sampling, const struct sampling_request *request, pid_t pid);

/* Takes the records out of the kernel's buffers. */
void sampling_read(struct sampling *sampling);

/* Takes the last samples, and no more; for that many seconds, 0: however long it takes. */
void sampling_end(struct sampling *sampling, double seconds);

/* Prints the report; or members of an object of JSON. Both come after sampling_end(). */
void sampling_print(struct sampling *sampling, const struct run_end *end, FILE *file);
void sampling_json(struct sampling *sampling, const struct run_end *end, FILE *file);

/* What has most samples, as histogram_top() finds it; and how many samples there are. */
size_t sampling_top(struct sampling *sampling, struct histogram_top *top, size_t n);
uint64_t sampling_samples(const struct sampling *sampling);

void sampling_free(struct sampling *sampling);

#endif /* PERFCTR_TOOLS_SAMPLE_H */
