/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * breakdown.h - counts by thread, cgroup, processor, core, socket, core type or unit. Sums are made
 * of the parts, so that they agree to the last count.
 */
#ifndef PERFCTR_TOOLS_BREAKDOWN_H
#define PERFCTR_TOOLS_BREAKDOWN_H

#include "tools/perfex/count/tasks.h"
#include "tools/perfex/count/topology.h"

struct part {
	char *name;	/* "7", "S0-D0-C1", a thread's id, ... */
	char *comm;	/* a thread's; else NULL */
	uint32_t *seen; /* the processors, one bit each */
	unsigned int cpus;
	/* One per event: now, at the interval's beginning, and the difference. */
	struct perfctr_reading *reading, *before, *interval;
};

struct breakdown {
	enum by by;
	struct part *part;
	size_t n;
	size_t *place; /* for each part of each set, in order, the index of the part here */
};

/* The kinds of parts by the names that results give them. */
extern const struct part_kind {
	const char *part;   /* in data */
	const char *list;   /* their list, in JSON */
	const char *person; /* for a person */
} part_kinds[];

/* Read all tasks: the parts, if there are to be any, and the sums in events. */
void breakdown_read(struct breakdown *breakdown, struct tasks *tasks, struct events *events);

/* An interval has ended. */
void breakdown_end_interval(struct breakdown *breakdown, const struct events *events);

/* Whether the part can have event i at all: an uncore event is one processor's in each socket. */
bool part_has(const struct perfctr_reading *reading);

/* Forget all: the tasks are closed. */
void breakdown_clear(struct breakdown *breakdown);

#endif /* PERFCTR_TOOLS_BREAKDOWN_H */
