/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* events.h - events that count together: opened, started, read, stopped and closed */
#ifndef PERFCTR_LIB_PERF_EVENTS_H
#define PERFCTR_LIB_PERF_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include "lib/perf/counter.h"
#include "libperfctr.h"

/* More flags than the public ones. */
#define PERFCTR_EVENTS_THREADS 0x01000000 /* with _INHERIT: threads, but not children */
#define PERFCTR_EVENTS_UNWATCHED \
	0x02000000 /* another group tells whether the processor is offline */
#define PERFCTR_EVENTS_MOVES	  0x04000000 /* when it goes, the kernel moves the events to another */
#define PERFCTR_EVENTS_UNTIL_EXEC 0x08000000 /* execve(2) removes the events */
#define PERFCTR_EVENTS_PUBLISHED  0x10000000 /* others read them, too: without pages */

/* 0, or -1 after perfctr_fail(EINVAL): they are none of the known ones, or not together. */
int perfctr_flags_check(unsigned int flags, unsigned int known);

/*
 * Events of one scope. It lies where its owner wants it; all zero, as in a child of fork() that
 * finds it cleared, it has no events.
 */
struct perfctr_events {
	struct perfctr_scope scope;
	unsigned int flags;
	unsigned int total; /* how many there will be */
	unsigned int n;	    /* how many are open */
	const char *owner;  /* the thread counted, if it opened them, and may have their pages */
	struct perfctr_counter companion; /* see watch(); mostly not open */
	struct perfctr_counter *counter;  /* the leader, and the others; also the owner's */
};

/*
 * Begin without events, add them one by one, the leader first, and start what is to start. add and
 * start return 0, or -1 after perfctr_fail(), and all must still be closed. The attr says what to
 * count, and whether overflows are wanted (then their buffer is to be mapped); it becomes what the
 * kernel took.
 */
void perfctr_events_init(struct perfctr_events *events, const struct perfctr_scope *scope,
			 unsigned int flags, struct perfctr_counter *counter, unsigned int total);
int perfctr_events_add(struct perfctr_events *events, struct perf_event_attr *attr,
		       const char *name);
int perfctr_events_start(struct perfctr_events *events);

/* Whether reads tell that the processor is offline. */
bool perfctr_events_is_watched(const struct perfctr_events *events);

/* 0, or -1 after perfctr_fail(): EBUSY if there is no room for pinned ones, ENODEV. */
int perfctr_events_enable(const struct perfctr_events *events);
int perfctr_events_disable(const struct perfctr_events *events);

/* PERF_EVENT_IOC_*ABLE on the way out of a failure: errno and sentence stay. Async-signal-safe. */
void perfctr_events_undo(const struct perfctr_events *events, unsigned long request);

/* The values of all. Of a dissolved group each is read alone; the times are the leader's. */
enum perfctr_outcome perfctr_events_read(const struct perfctr_events *events,
					 struct perfctr_group_values *values);

/* The same for who takes the values of a dissolved one, too. 0, or -1 after perfctr_fail(). */
int perfctr_events_values(const struct perfctr_events *events, struct perfctr_group_values *values);

/* Close all; end stops them first, since somebody may have copies of the descriptors. errno is
 * kept.
 */
void perfctr_events_close(struct perfctr_events *events);
void perfctr_events_end(struct perfctr_events *events);

#endif /* PERFCTR_LIB_PERF_EVENTS_H */
