/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cause.h - which metric of a tree tells what time is lost by, and what to try. */
#ifndef PERFCTR_TOOLS_CAUSE_H
#define PERFCTR_TOOLS_CAUSE_H

#include <stdio.h>
#include "tools/perfex/report/metrics.h"

/* The metrics of a tree, from the cause up. */
struct cause {
	const struct metric *path[16];
	unsigned int n;	 /* 0: there is none */
	bool thresholds; /* it is beyond its own; false: none has one, and it is the largest */
};

/* Finds it among n metrics, which have to stay. */
struct cause cause_find(const struct metric *metrics, unsigned int n);

/* Prints it, and what it is in. */
void cause_print(FILE *file, const struct cause *cause);

/* Prints the advice for it, or for the nearest that it is in; without one it is about functions. */
void cause_print_advice(FILE *file, const struct cause *cause, bool functions);

#endif /* PERFCTR_TOOLS_CAUSE_H */
