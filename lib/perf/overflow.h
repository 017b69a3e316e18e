/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* overflow.h - overflows of i-mode counters over perf_events */
#ifndef PERFCTR_LIB_PERF_OVERFLOW_H
#define PERFCTR_LIB_PERF_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "lib/perf/events.h"

/* The overflows of a group that begins with its i-mode events, between one start and the next. */
struct perfctr_overflow {
	unsigned int nr; /* number of i-mode events; 0: the rest has no meaning */
	struct {
		uint64_t seen;	 /* position of the first new record in its buffer */
		uint64_t due;	 /* the count at which the kernel lets it overflow next */
		uint64_t period; /* the period that the kernel uses */
	} event[PERFCTR_NR_CTRS];
};

/* Copies the part that has a meaning. */
static inline void perfctr_overflow_copy(struct perfctr_overflow *to,
					 const struct perfctr_overflow *from)
{
	memcpy(to, from,
	       offsetof(struct perfctr_overflow, event) + from->nr * sizeof(from->event[0]));
}

/* Copies it for a group that goes on, while other threads may read it. */
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

/* Prepares for a new group, whose i-mode events overflow after ireset[]. */
void perfctr_overflow_init(struct perfctr_overflow *overflow, unsigned int nr, const int *ireset);

/* Lets the events in "again" overflow again, once each, and starts the group. 0, or -1. */
int perfctr_overflow_start(const struct perfctr_overflow *overflow,
			   const struct perfctr_events *group, unsigned int again);

/*
 * Whether a period that PERF_EVENT_IOC_PERIOD sets begins with the event's next start. On POWER it
 * is over one event after that (Linux's power_pmu_enable() and record_and_restart()).
 */
#ifdef __powerpc__
#define PERFCTR_OVERFLOW_REWINDS false
#else
#define PERFCTR_OVERFLOW_REWINDS true
#endif

/*
 * Lets each event of a group, which was started and then stopped at these counts, begin a whole
 * period at the group's next start: *request is the leader's request for that. Earlier overflows
 * are forgotten. 0, or -1 after perfctr_fail().
 */
int perfctr_overflow_rewind(struct perfctr_overflow *overflow, const struct perfctr_events *group,
			    const uint64_t *counts, unsigned long *request);

/*
 * Whether any event has overflowed since the start. Then values[] are the counts of all events at
 * the first overflow; *reached is the set of events that had reached the end of their period then,
 * and *stopped the set of those that the kernel has stopped at overflows of their own.
 * Async-signal-safe, without a system call.
 */
bool perfctr_overflow_find(const struct perfctr_overflow *overflow,
			   const struct perfctr_events *group, uint64_t *values,
			   unsigned int *reached, unsigned int *stopped);

/*
 * Stops the running events of a group that has overflowed, and prepares them for going on from the
 * first overflow's counts: *next replaces *overflow, missed[] are the counts since then, *again is
 * for perfctr_overflow_start(). On POWER an event that has counted since then overflows early, see
 * PERFCTR_OVERFLOW_REWINDS. 0, or -1 after perfctr_fail(): EINVAL if nothing has overflowed.
 */
int perfctr_overflow_renew(const struct perfctr_overflow *overflow,
			   const struct perfctr_events *group, const int *ireset,
			   struct perfctr_overflow *next, uint64_t *values, uint64_t *missed,
			   unsigned int *again);

#endif /* PERFCTR_LIB_PERF_OVERFLOW_H */
