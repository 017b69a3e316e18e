/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* why.h - why something can't be counted here, in a sentence */
#ifndef PERFCTR_LIB_PERF_WHY_H
#define PERFCTR_LIB_PERF_WHY_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Turn perf_event_open(2)'s error for an event into this library's errno and sentence; return -1.
 * members is the number of events already in its group.
 */
int perfctr_why_not(int error, const struct perf_event_attr *attr, const char *name, pid_t tid,
		    unsigned int members);

/* The same for an event that is to be sampled. */
int perfctr_why_not_sampled(int error, const struct perf_event_attr *attr, const char *name,
			    pid_t tid, unsigned int members);

/* Whether the process has CAP_PERFMON or CAP_SYS_ADMIN, and not in a user namespace of its own. */
bool perfctr_is_capable(void);

/* Why no buffer of size bytes could be mapped. */
int perfctr_why_no_ring(int error, size_t size);

/* Why an event could not get an AUX area of size bytes. */
int perfctr_why_no_area(int error, const char *name, size_t size);

/* perfctr_fail(EBUSY): the counters called what ("the counters", a name) were taken away. */
int perfctr_why_taken(const char *what);

/* perfctr_fail(EBUSY): it would count, but for so many events that are to count beside it. */
int perfctr_why_no_room(const char *name, unsigned int before);

/* perfctr_fail(EOPNOTSUPP): why a counter that counts can't be read in user space. */
int perfctr_why_no_reader(void);

#endif /* PERFCTR_LIB_PERF_WHY_H */
