/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* baseline.h - the results of an earlier "perfex -r N --json", to compare with. */
#ifndef PERFCTR_TOOLS_BASELINE_H
#define PERFCTR_TOOLS_BASELINE_H

#include "tools/perfex/report/compare.h"
#include "tools/perfex/report/results.h"

struct baseline_event {
	char *name, *asked; /* as shown, and the text of -e that counts it */
	struct series series;
};

struct baseline {
	struct baseline_event *event;
	unsigned int n, runs;
	bool emulated, once; /* by --emulate; by a tool for which a repeated instruction is one */
	struct series elapsed;
};

/* Parses a file's text. -1 and a reason, with the line, if it is no such document. */
int baseline_parse(struct baseline *baseline, const char *text, size_t size, char *reason,
		   size_t room);

/* Reads a file; exits if it can't be used. */
void baseline_read(struct baseline *baseline, const char *path);

/* Results as a baseline for others. */
void baseline_take(struct baseline *baseline, const struct results *results);

/* Compare each event, ratio and the elapsed time. */
void baseline_compare(const struct baseline *baseline, const struct results *results,
		      struct comparison *comparison);

void baseline_free(struct baseline *baseline);

#endif /* PERFCTR_TOOLS_BASELINE_H */
