/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compare.h - which of several things differ between two series of runs: by Welch's test, at 5
 * percent for all together (Holm), and by more than a threshold.
 */
#ifndef PERFCTR_TOOLS_COMPARE_H
#define PERFCTR_TOOLS_COMPARE_H

#include "tools/perfex/report/welch.h"

#define COMPARE_ALPHA 0.05

struct compared {
	char *name;
	const char *unit;
	double scale; /* in which values are shown */
	struct summary before, now;
	double change; /* of the mean, as a part of what it was; +-INFINITY from 0 */
	double p;      /* corrected; NAN: it can't be compared */
	bool differs;
};

struct comparison {
	const char *before, *now; /* what they are called */
	double threshold;	  /* a part of the mean */
	struct compared *of;
	unsigned int n, compared, differing;
};

void comparison_add(struct comparison *comparison, const char *name, const char *unit, double scale,
		    const struct series *before, const struct series *now);

/* All are added: decide. */
void comparison_decide(struct comparison *comparison);

void comparison_free(struct comparison *comparison);

#endif /* PERFCTR_TOOLS_COMPARE_H */
