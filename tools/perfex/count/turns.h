/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* turns.h - how events will share the counters of a processor, before they are counted. */
#ifndef PERFCTR_TOOLS_TURNS_H
#define PERFCTR_TOOLS_TURNS_H

#include "tools/perfex/count/events.h"

struct turns {
	unsigned int groups; /* of events, or single ones, that need counters */
	double share;	     /* of the time, for the group that is counted least; 1: no turns */
};

/*
 * Finds them by this processor's counters. Events whose counters aren't known, such as those of
 * several core types, are left out; what others count, such as the kernel's watchdog, is not known.
 */
struct turns turns_of(const struct events *events);

/* How many seconds a run takes until estimates of bursts are within 5 %; 0: there are no turns. */
double turns_seconds(const struct turns *turns);

/* Tells on standard error if there are turns, and how long a run should be. */
void turns_tell(const struct events *events);

#endif /* PERFCTR_TOOLS_TURNS_H */
