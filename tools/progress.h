/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* progress.h - how far a series of runs is, for a person who waits: on standard error, if that is a
 * terminal. */
#ifndef PERFCTR_TOOLS_PROGRESS_H
#define PERFCTR_TOOLS_PROGRESS_H

/* Run i (from 0) of n begins; tells it, once the first one has shown that it takes a while. */
void progress_show(unsigned int i, unsigned int n);

/* Nothing is left of it on the terminal. */
void progress_end(void);

#endif /* PERFCTR_TOOLS_PROGRESS_H */
