/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output.h - where results go, and in which format. The calls exit if the file can't be written. */
#ifndef PERFCTR_TOOLS_OUTPUT_H
#define PERFCTR_TOOLS_OUTPUT_H

#include <stdio.h>
#include "tools/perfex/base/outfile.h"
#include "tools/perfex/report/results.h"

enum format {
	FORMAT_TABLE,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_OPENMETRICS,
	FORMAT_FOLDED,
	FORMAT_PERF_DATA
};

/* How results get to where they belong. What a file held stays until all of them are written. */
enum way {
	WAY_ITSELF, /* at once: it is no file, or results come bit by bit */
	WAY_END,    /* all at the end */
	WAY_NEW,    /* into a new file, which takes the place of the old one at the end */
	WAY_EACH,   /* each result takes the place of the one before */
};

struct output {
	const char *name; /* -o; "-": standard output; NULL: standard error */
	enum format format;
	bool append;	 /* after what the file holds */
	bool bit_by_bit; /* there are results while the command runs */
	bool goes_on;	 /* there is something that the file holds */
	FILE *file;	 /* NULL: not opened; or WAY_EACH */
	enum way way;
	bool is_own;			/* WAY_ITSELF: perfex has opened it */
	char *path;			/* WAY_END, WAY_EACH */
	char *text;			/* WAY_END: the results */
	size_t size;			/* of these */
	struct replacement replacement; /* WAY_NEW */
	int error;			/* why the last one of WAY_EACH failed; 0: it did not */
};

/* A pattern's name of a file, for this process; to be freed. Exits if it is wrong. */
char *output_name(const char *pattern, pid_t pid);

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
