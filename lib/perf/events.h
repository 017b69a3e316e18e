/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* events.h - events that count together: opened, started, read, stopped and closed */
#ifndef PERFCTR_LIB_PERF_EVENTS_H
#define PERFCTR_LIB_PERF_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include "lib/perf/counter.h"
#include "libperfctr.h"

/* Internal flags, beside the public ones. */
#define PERFCTR_EVENTS_THREADS 0x01000000 /* with _INHERIT: threads, but not children */
#define PERFCTR_EVENTS_UNWATCHED \
	0x02000000 /* another group reports that the processor is offline */
#define PERFCTR_EVENTS_MOVES \
	0x04000000 /* the kernel moves the events if their processor goes offline */
#define PERFCTR_EVENTS_UNTIL_EXEC 0x08000000 /* execve(2) removes the events */
#define PERFCTR_EVENTS_PUBLISHED  0x10000000 /* others read the events, too: they have no pages */
#define PERFCTR_EVENTS_HELD	  0x20000000 /* perfctr_events_hold() keeps them from being exchanged */
/*
 * The program closes no descriptor that is not its own, so that nobody needs to look whether it
 * has. Every call that has flags takes this one: perfex, whose flag it is, is such a program.
 */
#define PERFCTR_EVENTS_KEPT 0x40000000

/* 0, or -1 after perfctr_fail(EINVAL): flags are unknown, or exclude each other. */
int perfctr_flags_check(unsigned int flags, unsigned int known);

/*
 * The events of one scope. Its owner chooses the memory; all zero, as a child of fork() finds it,
 * it has no events.
 */
struct perfctr_events {
	struct perfctr_scope scope;
	unsigned int flags;
	unsigned int total; /* number of events in the end */
	unsigned int n;	    /* number of open events */
	const char *owner;  /* the counted thread, if it opened them, and may have their pages */
	struct perfctr_counter companion; /* for watch() and perfctr_events_hold(); rarely open */
	struct perfctr_counter *counter;  /* the leader, and the others; the owner's memory */
};

/*
 * Begin without events, add them one by one, the leader first, and start those that are not
 * running. add and start return 0, or -1 after perfctr_fail(), and all must still be closed. The
 * attr names the event, and says whether overflows are wanted (then the caller maps their buffer),
 * and of the leader whether they are pinned or exclusive, whatever the flags say; the attr that the
 * kernel accepted comes back.
 */
void perfctr_events_init(struct perfctr_events *events, const struct perfctr_scope *scope,
			 unsigned int flags, struct perfctr_counter *counter, unsigned int total);
int perfctr_events_add(struct perfctr_events *events, struct perf_event_attr *attr,
		       const char *name);
int perfctr_events_start(struct perfctr_events *events);

/*
 * A thread that creates another, and the other, which inherits its events, exchange them when the
 * processor goes from one to the other. Were that to happen while a group is opened, its leader
 * would be another thread's, and members that come later would not be accepted: EINVAL, and ENODEV
 * once that thread has ended (seen: Linux 6.18, 9 of 10 times where a thread does nothing but
 * create others). Threads exchange no events while one of them is not inherited: such a companion
 * holds the events still, from before the leader is added until after the last member. A group of a
 * sampler needs none: its leader has PERF_SAMPLE_READ, and such events stay (seen: 600 opens).
 */
void perfctr_events_hold(struct perfctr_events *events);
void perfctr_events_release(struct perfctr_events *events);

/*
 * Whether an event was not added for this error since the thread may have exchanged the group's
 * leader. Then all are to be closed, and added again while they are held, with the flag.
 */
bool perfctr_events_may_be_exchanged(const struct perfctr_events *events, int error);

/* Whether reads show that the processor is offline. */
bool perfctr_events_is_watched(const struct perfctr_events *events);

/* 0, or -1 after perfctr_fail(): EBUSY if the PMU has no room for pinned ones, ENODEV. */
int perfctr_events_enable(const struct perfctr_events *events);
int perfctr_events_disable(const struct perfctr_events *events);

/* Right after a start: the kernel's work for more calls would be counted, and might overflow. */
int perfctr_events_stop_at_once(const struct perfctr_events *events);

/*
 * Makes a request PERF_EVENT_IOC_*ABLE after a failure: errno and sentence stay. Async-signal-safe.
 */
void perfctr_events_undo(const struct perfctr_events *events, unsigned long request);

/* Reads all values. The events of a dissolved group are read alone; the times are the leader's. */
enum perfctr_outcome perfctr_events_read(const struct perfctr_events *events,
					 struct perfctr_group_values *values);

/*
 * Does the same for callers that accept the values of a dissolved group, too. 0, or -1 after
 * perfctr_fail().
 */
int perfctr_events_values(const struct perfctr_events *events, struct perfctr_group_values *values);

/* 0, or -1 after perfctr_fail(ESTALE): the program has closed one of the descriptors. */
int perfctr_events_check(const struct perfctr_events *events);

/*
 * Close all; end() stops them first, since other processes may have copies of the descriptors, but
 * not software events of a set, nor events of a program that keeps them (PERFCTR_EVENTS_KEPT),
 * whose children have none. end_in() closes the latter together with the run's others. errno is
 * kept.
 */
void perfctr_events_close(struct perfctr_events *events);
void perfctr_events_end(struct perfctr_events *events);
void perfctr_events_end_in(struct perfctr_events *events, struct perfctr_descriptor_run *run);

#endif /* PERFCTR_LIB_PERF_EVENTS_H */
