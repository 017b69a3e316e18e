/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compare.h - which of several things differ between two series of runs: by Welch's test, at 5
 * percent for all together (Holm), and by more than a threshold.
 */
#ifndef PERFCTR_TOOLS_COMPARE_H
#define PERFCTR_TOOLS_COMPARE_H

#include <stdbool.h>
#include "tools/perfex/report/series.h"

/* P(|T| >= |t|) of Student's t with so many degrees of freedom, which need be no integer. */
double student_p(double t, double freedom);

/*
 * The p of Welch's test, two-sided, that means are equal whatever the variances. NAN if one side
 * has less than two values. Values that are all the same have no spread: then it is 1 or 0.
 */
double welch_p(const struct summary *a, const struct summary *b);

/* Holm's correction of n p's, in place: each is then the level of all at which it is significant.
 */
void holm_adjust(double *p, unsigned int n);

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
