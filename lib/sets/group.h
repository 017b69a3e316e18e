/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* group.h - a group of events that count together, and its readings; the memory is a set's */
#ifndef PERFCTR_LIB_SETS_GROUP_H
#define PERFCTR_LIB_SETS_GROUP_H

#include <stddef.h>
#include "lib/perf/events.h"
#include "libperfctr.h"
#include "perfctr/read.h"

/* A group; all zero, it has no events. */
struct perfctr_group {
	struct perfctr_events events;
	struct perfctr_reader reader[]; /* of all of them, and then the events' counters */
};

/* Bytes for a group of n events; where they lie they must be zero. */
size_t perfctr_group_room(unsigned int n);

/*
 * Make a group of n events, to be added and ended by perfctr_events_*(), and start it. 0, or -1
 * after perfctr_fail(), as all below.
 */
void perfctr_group_init(struct perfctr_group *group, const struct perfctr_scope *scope,
			unsigned int flags, unsigned int n);
int perfctr_group_start(struct perfctr_group *group);

int perfctr_group_enable(struct perfctr_group *group);
int perfctr_group_disable(struct perfctr_group *group);
int perfctr_group_reset(struct perfctr_group *group);

/* Read all at one moment. EBUSY, EIO: then all are PERFCTR_NOT_COUNTED. */
int perfctr_group_read(const struct perfctr_group *group, struct perfctr_reading *readings);

#endif /* PERFCTR_LIB_SETS_GROUP_H */
