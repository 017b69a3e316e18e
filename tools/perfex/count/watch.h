/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* watch.h - waits for the end of running targets, or for a signal that ends perfex. */
#ifndef PERFCTR_TOOLS_WATCH_H
#define PERFCTR_TOOLS_WATCH_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include "tools/perfex/count/targets.h"

struct watch {
	const struct targets *targets;
	struct pollfd *ends; /* a pidfd for each process; -1: none, or it has ended */
	bool *ended;
	sigset_t before;
};

/* From now on SIGINT, SIGTERM and SIGALRM end the wait, and not perfex. */
void watch_begin(struct watch *watch, const struct targets *targets);

/*
 * Wait until all processes or threads have ended, if the targets are such, or perfex is told to
 * end: then true. False when clock_seconds() is "when", if that is not 0.
 */
bool watch_wait(struct watch *watch, double when);

void watch_end(struct watch *watch);

/* Returns the time that is left until clock_seconds() is "when", or 0. */
struct timespec watch_left(double when);

#endif /* PERFCTR_TOOLS_WATCH_H */
