/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* progress.h - how far a series of runs is, for a person who waits: on standard error, if that is a
 * terminal. */
#ifndef PERFCTR_TOOLS_PROGRESS_H
#define PERFCTR_TOOLS_PROGRESS_H

/*
 * Run i (from 0) of n begins; tells it in a line of its own, once the first one has shown that all
 * take a while. What the command has written stays.
 */
void progress_show(unsigned int i, unsigned int n);

#endif /* PERFCTR_TOOLS_PROGRESS_H */
