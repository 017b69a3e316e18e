/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cause.h - which metric of a tree tells what time is lost by, and what to try. */
#ifndef PERFCTR_TOOLS_CAUSE_H
#define PERFCTR_TOOLS_CAUSE_H

#include <stdio.h>
#include "tools/perfex/report/metrics.h"

/* The metrics of a core type's tree, from the cause up. */
struct cause {
	const char *core;   /* its PMU; "": there is one type */
	const char *reason; /* why nothing was counted on it, beside others; NULL: something was */
	const struct metric *path[16];
	unsigned int n;	 /* 0: there is none */
	bool thresholds; /* it is beyond its own; false: none has one, and it is the largest */
};

/*
 * Finds one for each core type that n metrics, which have to stay, are of. Returns *count of them,
 * to be freed.
 */
struct cause *causes_find(const struct metric *metrics, unsigned int n, unsigned int *count);

/* Prints it, and what it is in. */
void cause_print(FILE *file, const struct cause *cause);

/* Prints the advice for it, or for the nearest that it is in; without one it is about functions. */
void cause_print_advice(FILE *file, const struct cause *cause, bool functions);

#endif /* PERFCTR_TOOLS_CAUSE_H */
