/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output.h - where results go, and in which format. The calls exit if the file can't be written. */
#ifndef PERFCTR_TOOLS_OUTPUT_H
#define PERFCTR_TOOLS_OUTPUT_H

#include <stdio.h>
#include "results.h"

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

struct output {
	const char *name; /* -o; "-": standard output; NULL: standard error */
	enum format format;
	FILE *file; /* NULL: not opened */
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
void output_results(const struct output *output, const struct results *results);

void output_close(const struct output *output);

#endif /* PERFCTR_TOOLS_OUTPUT_H */
