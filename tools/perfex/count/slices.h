/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slices.h - what metrics' events counted in slices of the time of a run or an interval, from
 * which their error is computed.
 */
#ifndef PERFCTR_TOOLS_SLICES_H
#define PERFCTR_TOOLS_SLICES_H

#include "tools/perfex/count/events.h"

#define SLICES 64

/* Equally long ones: when there are so many, each two become one, and the next ones are twice as
 * long. */
struct slices {
	unsigned int events; /* of metrics; 0: nothing is kept */
	unsigned int n;
	bool ended;			 /* with the last one */
	unsigned int each, ticks;	 /* ticks of one, and of that which goes on */
	struct perfctr_reading *before;	 /* all up to the last one */
	struct perfctr_reading *reading; /* events of each */
};

void slices_begin(struct slices *slices, const struct events *events);

/* So much time has passed that the events were read again. */
void slices_tick(struct slices *slices, const struct events *events);

/* The run, or an interval, has ended, and the last slice with it. What comes after it is of
 * the next one, and these are forgotten. */
void slices_end(struct slices *slices, const struct events *events);

void slices_free(struct slices *slices);

#endif /* PERFCTR_TOOLS_SLICES_H */
