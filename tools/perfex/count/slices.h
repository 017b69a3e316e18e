/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * slices.h - counts of metrics' events in slices of a run's or an interval's time, from which the
 * metrics' errors are computed.
 */
#ifndef PERFCTR_TOOLS_SLICES_H
#define PERFCTR_TOOLS_SLICES_H

#include "tools/perfex/count/events.h"

#define SLICES 64

/*
 * Slices of equal length: when there are too many, each two become one, and the next ones are twice
 * as long.
 */
struct slices {
	unsigned int events; /* of metrics; 0: nothing is kept */
	unsigned int n;
	bool ended;			 /* with the last one */
	unsigned int each, ticks;	 /* ticks of one, and of that which goes on */
	struct perfctr_reading *before;	 /* all up to the last one */
	struct perfctr_reading *reading; /* events of each */
};

void slices_begin(struct slices *slices, const struct events *events);

/* Ends a slice, after the events were read. */
void slices_tick(struct slices *slices, const struct events *events);

/* Ends the last slice with the run or interval. The next tick begins again. */
void slices_end(struct slices *slices, const struct events *events);

void slices_free(struct slices *slices);

#endif /* PERFCTR_TOOLS_SLICES_H */
