/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* overflow.h - overflows: i-mode counters over perf_events */
#ifndef PERFCTR_LIB_PERF_OVERFLOW_H
#define PERFCTR_LIB_PERF_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "lib/perf/events.h"

/* Of a group whose first events are in i-mode, between one start and the next. */
struct perfctr_overflow {
	unsigned int nr; /* of i-mode events; 0: nothing else matters */
	struct {
		uint64_t seen;	 /* where the records of its buffer begin that are news */
		uint64_t due;	 /* the count at which the kernel lets it overflow next */
		uint64_t period; /* the kernel's */
	} event[PERFCTR_NR_CTRS];
};

/* As much of it as has a meaning. */
static inline void perfctr_overflow_copy(struct perfctr_overflow *to,
					 const struct perfctr_overflow *from)
{
	memcpy(to, from,
	       offsetof(struct perfctr_overflow, event) + from->nr * sizeof(from->event[0]));
}

/* The same of a group that goes on, while other threads may read it. */
static inline void perfctr_overflow_update(struct perfctr_overflow *to,
					   const struct perfctr_overflow *from)
{
	unsigned int k;

	for (k = 0; k < from->nr; k++) {
		perfctr_store(&to->event[k].seen, from->event[k].seen);
		perfctr_store(&to->event[k].due, from->event[k].due);
		to->event[k].period = from->event[k].period;
	}
}

/* Prepare for a new group, whose i-mode events overflow after ireset[]. */
void perfctr_overflow_init(struct perfctr_overflow *overflow, unsigned int nr, const int *ireset);

/* The set of events that may overflow again, once each, and the group itself, start. 0, or -1. */
int perfctr_overflow_start(const struct perfctr_overflow *overflow,
			   const struct perfctr_events *group, unsigned int again);

/*
 * Has any event overflowed since? Then these are the counts of all events at the first
 * overflow; *reached is the set of events that had reached the end of their period then, and
 * *stopped that of those that the kernel has stopped at overflows of their own.
 * Async-signal-safe, without a system call.
 */
bool perfctr_overflow_find(const struct perfctr_overflow *overflow,
			   const struct perfctr_events *group, uint64_t *values,
			   unsigned int *reached, unsigned int *stopped);

/*
 * Stop what still counts of a group that has overflowed, and prepare its events for going on from
 * the first overflow's counts: *next replaces *overflow, missed[] is what was counted since,
 * *again is for perfctr_overflow_start(). 0, or -1 after perfctr_fail(): EINVAL if nothing has
 * overflowed.
 */
int perfctr_overflow_renew(const struct perfctr_overflow *overflow,
			   const struct perfctr_events *group, const int *ireset,
			   struct perfctr_overflow *next, uint64_t *values, uint64_t *missed,
			   unsigned int *again);

#endif /* PERFCTR_LIB_PERF_OVERFLOW_H */
