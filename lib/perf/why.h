/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* why.h - explains in a sentence why an event can't be counted here */
#ifndef PERFCTR_LIB_PERF_WHY_H
#define PERFCTR_LIB_PERF_WHY_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Turns perf_event_open(2)'s error for an event into this library's errno and sentence; returns -1.
 * members is the number of events already in its group.
 */
int perfctr_why_not(int error, const struct perf_event_attr *attr, const char *name, pid_t tid,
		    unsigned int members);

/* Does the same for an event that is to be sampled. */
int perfctr_why_not_sampled(int error, const struct perf_event_attr *attr, const char *name,
			    pid_t tid, unsigned int members);

/* Whether the process has CAP_PERFMON or CAP_SYS_ADMIN, and not in a user namespace of its own. */
bool perfctr_is_capable(void);

/* Explains why no buffer of size bytes could be mapped. */
int perfctr_why_no_ring(int error, size_t size);

/* Explains why an event could not get an AUX area of size bytes. */
int perfctr_why_no_area(int error, const char *name, size_t size);

/* Fails with EBUSY: other events took these counters ("the counters", a name) away. */
int perfctr_why_taken(const char *what);

/* Fails with EBUSY: the event would count, but not beside the "before" events that come first. */
int perfctr_why_no_room(const char *name, unsigned int before);

/* Explains, with EOPNOTSUPP, why a running counter can't be read in user space. */
int perfctr_why_no_reader(void);

#endif /* PERFCTR_LIB_PERF_WHY_H */
