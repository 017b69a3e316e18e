/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* group.h - the public groups, also in memory that is a set's */
#ifndef PERFCTR_LIB_GROUP_H
#define PERFCTR_LIB_GROUP_H

#include <stddef.h>
#include "lib/perf/group.h"
#include "libperfctr.h"
#include "perfctr/read.h"

struct perfctr_group_member {
	struct perfctr_reader reader;
	char *name; /* behind the counters; NULL: a set has it */
};

/* Lies in memory that a child of fork() finds cleared: there it is a group without events. */
struct perfctr_group {
	size_t size; /* of all this; 0: it lies in a set's memory */
	struct perfctr_events events;
	struct perfctr_group_member member[]; /* all of them, and then the events' counters */
};

/* 0, or -1 after perfctr_fail(EINVAL): these are no flags for a user. */
int perfctr_group_check(unsigned int flags);

/* Bytes for a group of n events; where they lie they must be zero. */
size_t perfctr_group_room(unsigned int n);

/*
 * Make a group of n events, to be added and ended by perfctr_events_*(), and start it. 0, or -1
 * after perfctr_fail().
 */
void perfctr_group_init(struct perfctr_group *group, const struct perfctr_scope *scope,
			unsigned int flags, unsigned int n);
int perfctr_group_start(struct perfctr_group *group);

#endif /* PERFCTR_LIB_GROUP_H */
