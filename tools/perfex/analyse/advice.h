/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* advice.h - --why: what to try against a bottleneck. */
#ifndef PERFCTR_TOOLS_ADVICE_H
#define PERFCTR_TOOLS_ADVICE_H

/* Returns the advice for a metric of a tree by its name; NULL: there is none of its own. */
const char *advice_for(const char *metric);

/* Returns the name of advice i, or NULL after the last one. */
const char *advice_name(unsigned int i);

#endif /* PERFCTR_TOOLS_ADVICE_H */
