/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* welch.h - how likely it is that runs differ so much though nothing has changed. */
#ifndef PERFCTR_TOOLS_WELCH_H
#define PERFCTR_TOOLS_WELCH_H

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

#endif /* PERFCTR_TOOLS_WELCH_H */
