/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stretches.h - what metrics' events counted in stretches of a run or an interval, of which their
 * error is made.
 */
#ifndef PERFCTR_TOOLS_STRETCHES_H
#define PERFCTR_TOOLS_STRETCHES_H

#include "tools/perfex/count/events.h"

#define STRETCHES 64

/* Equally long ones: when there are so many, each two become one, and the next ones are twice as
 * long. */
struct stretches {
	unsigned int events; /* of metrics; 0: nothing is kept */
	unsigned int n;
	bool ended;			 /* with the last one */
	unsigned int each, ticks;	 /* ticks of one, and of that which goes on */
	struct perfctr_reading *before;	 /* all up to the last one */
	struct perfctr_reading *reading; /* events of each */
};

void stretches_begin(struct stretches *stretches, const struct events *events);

/* So much time has passed that the events were read again. */
void stretches_tick(struct stretches *stretches, const struct events *events);

/* The run, or an interval, has ended, and the last stretch with it. What comes behind it is of
 * the next one, and these are forgotten. */
void stretches_end(struct stretches *stretches, const struct events *events);

void stretches_free(struct stretches *stretches);

#endif /* PERFCTR_TOOLS_STRETCHES_H */
