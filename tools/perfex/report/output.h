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

/* When results are written. The old contents of a file stay until all are. */
enum way {
	WAY_ITSELF, /* at once: it is no regular file, or results come one by one */
	WAY_END,    /* all at the end */
	WAY_NEW,    /* into a new file, which takes the place of the old one at the end */
	WAY_EACH,   /* each result takes the place of the one before */
};

struct output {
	const char *name; /* -o; "-": standard output; NULL: standard error */
	enum format format;
	bool append;	 /* append to the file's contents */
	bool bit_by_bit; /* there are results while the command runs */
	bool goes_on;	 /* there is something that the file holds */
	FILE *file;	 /* NULL: not opened; or WAY_EACH */
	enum way way;
	bool is_own;			/* WAY_ITSELF: perfex has opened it */
	char *path;			/* WAY_END, WAY_EACH */
	char *text;			/* WAY_END: the results */
	size_t size;			/* number of bytes in it */
	struct replacement replacement; /* WAY_NEW */
	int error;			/* why the last one of WAY_EACH failed; 0: it did not */
};

/* A pattern's name of a file, for this process; to be freed. Exits if it is wrong. */
char *output_name(const char *pattern, pid_t pid);

/*
 * Opens the output before the command runs, so that it does not run in vain: on failure kills pid,
 * if that is a command. The file's contents are replaced only when there are results.
 */
void output_open(struct output *output, pid_t pid, bool is_command);

/* Cuts the contents off now: results will come one by one. */
void output_clear(const struct output *output);

/* Prints all results, or those of an interval. */
void output_results(struct output *output, const struct results *results);

/* Writes all. False: that failed, and has been said; other results may still be written. */
bool output_end(struct output *output);

/* Does so, and exits if it fails. */
void output_close(struct output *output);

#endif /* PERFCTR_TOOLS_OUTPUT_H */
