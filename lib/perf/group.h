/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* group.h - events that count together: groups in memory that is a set's */
#ifndef PERFCTR_LIB_PERF_GROUP_H
#define PERFCTR_LIB_PERF_GROUP_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "libperfctr.h"
#include "lib/base/file.h"

/* Where events are opened. */
struct perfctr_scope {
	pid_t tid;  /* 0: the calling thread; -1: all of the processor */
	int cpu;    /* -1: all that the thread runs on */
	int cgroup; /* a descriptor of its folder: only its threads; -1: none */
};

/* More flags of perfctr_group_open(). */
#define PERFCTR_GROUP_THREADS	0x10000 /* with _INHERIT: threads, but not children */
#define PERFCTR_GROUP_UNWATCHED 0x20000 /* another group tells whether the processor is offline */
#define PERFCTR_GROUP_MOVES	0x40000 /* when it goes, the kernel moves the events to another */

/* 0, or -1 after perfctr_fail(EINVAL): these are no flags for a user. */
int perfctr_group_check(unsigned int flags);

/* Bytes for a group of n events; where they lie they must be zero. */
size_t perfctr_group_room(unsigned int n);

/*
 * Make a group, add n events one by one, and start what is to start. add and start return 0, or -1
 * after perfctr_fail(), and the group must still be ended. An ended group has no events.
 */
void perfctr_group_init(struct perfctr_group *group, const struct perfctr_scope *scope,
			unsigned int flags);
int perfctr_group_add(struct perfctr_group *group, struct perf_event_attr *attr, const char *name,
		      unsigned int n);
int perfctr_group_start(struct perfctr_group *group);

/* Whether its readings tell that its processor is offline. */
bool perfctr_group_is_watched(const struct perfctr_group *group);
void perfctr_group_end(struct perfctr_group *group);

#endif /* PERFCTR_LIB_PERF_GROUP_H */
