/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output.h - where results go, and in which format. The calls exit if the file can't be written. */
#ifndef PERFCTR_TOOLS_OUTPUT_H
#define PERFCTR_TOOLS_OUTPUT_H

#include <stdio.h>
#include "results.h"

enum format {
	FORMAT_TABLE,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_OPENMETRICS,
	FORMAT_FOLDED,
	FORMAT_PERF_DATA
};

struct output {
	const char *name; /* -o; "-": standard output; NULL: standard error */
	enum format format;
	bool append;  /* behind what the file holds */
	bool goes_on; /* there is something */
	FILE *file;   /* NULL: not opened */
	char *path;   /* of a file that each result replaces; NULL: there is none */
	int error;    /* why the last one could not; 0: it could */
};

/*
 * Open the output before the command runs, so that it does not run in vain: pid's, which is killed
 * on failure if it is a command. What the file holds is cut off only when there are results to
 * replace it.
 */
void output_open(struct output *output, pid_t pid, bool is_command);

/* Cut it off now: results will come bit by bit. */
void output_clear(const struct output *output);

/* All results, or those of an interval. */
void output_results(struct output *output, const struct results *results);

void output_close(struct output *output);

#endif /* PERFCTR_TOOLS_OUTPUT_H */
