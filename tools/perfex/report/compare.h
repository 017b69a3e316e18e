/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compare.h - finds significant differences between two series of runs: by Welch's test, at 5
 * percent for all together (Holm), and beyond a threshold.
 */
#ifndef PERFCTR_TOOLS_COMPARE_H
#define PERFCTR_TOOLS_COMPARE_H

#include <stdbool.h>
#include "tools/perfex/report/series.h"

/* Returns P(|T| >= |t|) of Student's t; "freedom" need be no integer. */
double student_p(double t, double freedom);

/*
 * Returns the p of Welch's two-sided test that the means are equal, whatever the variances. NAN if
 * one side has fewer than two values. Values that are all the same have no spread: then it is 1 or
 * 0.
 */
double welch_p(const struct summary *a, const struct summary *b);

/* Returns the t beyond which both tails of Student's t have the probability p together. */
double student_t(double p, double freedom);

/*
 * Makes Holm's correction of n p's, in place: each is then the overall level at which it is
 * significant.
 */
void holm_adjust(double *p, unsigned int n);

#define COMPARE_ALPHA  0.05
#define COMPARE_CHANGE 0.05  /* the change to be shown where there is no threshold */
#define COMPARE_RUNS   10000 /* as many are said; "runs" is one more if it takes more */

enum verdict {
	VERDICT_DIFFERS,
	VERDICT_BELOW,	   /* a significant difference, but not beyond the threshold */
	VERDICT_SAME,	   /* the interval lies within the threshold: no spread, if that is 0 */
	VERDICT_NOT_SHOWN, /* neither a difference nor that there is none */
	VERDICT_NOT_BEFORE,
	VERDICT_NOT_NOW,
	VERDICT_TOO_FEW, /* runs that counted it */
};

struct compared {
	char *name;
	const char *unit;
	double scale; /* the factor for printed values */
	struct summary before, now;
	double change; /* of the mean, as a fraction of the old one; +-INFINITY from 0 */
	double p;      /* corrected; NAN: it can't be compared */
	/*
	 * The change lies between these in 95 of 100 cases, by Welch's test of this event alone;
	 * NAN if it can't be told, as from 0.
	 */
	double low, high;
	unsigned int runs; /* a side, that would show comparison_wanted(); 0: not asked */
	enum verdict verdict;
};

struct comparison {
	const char *before, *now; /* the names of the two sides */
	double threshold;	  /* a part of the mean; 0: none */
	struct compared *of;
	unsigned int n, compared, differing;
};

/* The change, a part of the mean, that comparison_decide() finds "runs" for. */
double comparison_wanted(const struct comparison *comparison);

void comparison_add(struct comparison *comparison, const char *name, const char *unit, double scale,
		    const struct series *before, const struct series *now);

/* Decides, after all have been added. */
void comparison_decide(struct comparison *comparison);

void comparison_free(struct comparison *comparison);

#endif /* PERFCTR_TOOLS_COMPARE_H */
