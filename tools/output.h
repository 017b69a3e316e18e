/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output.h - tables, CSV, JSON. */
#ifndef PERFCTR_TOOLS_OUTPUT_H
#define PERFCTR_TOOLS_OUTPUT_H

#include <stdio.h>
#include "run.h"

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

struct output {
	FILE *file;
	enum format format;
	char **command;
	pid_t pid;
	const char *target;	 /* "processors", "cgroup"; NULL: a process, or the command */
	const char *target_name; /* "all", "0-3", ... */
	bool first_thread;
	unsigned int repeats;
	double *sum, *squares;	      /* over repeats, per event */
	struct perfctr_reading *last; /* per event, at the last tick */
	bool header;		      /* CSV's has been written */
};

void output_tick(struct output *output, const struct events *events, double seconds);
void output_repeat(struct output *output, const struct events *events);
void output_free(struct output *output);
void output_end(struct output *output, const struct events *events, const struct tasks *tasks,
		const struct outcome *outcome, bool per_thread);

#endif /* PERFCTR_TOOLS_OUTPUT_H */
