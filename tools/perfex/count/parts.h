/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * parts.h - what each thread, cgroup, processor, core, socket or core type has counted. Sums are
 * those of the parts, so that they agree to the last count.
 */
#ifndef PERFCTR_TOOLS_PARTS_H
#define PERFCTR_TOOLS_PARTS_H

#include "tools/perfex/count/tasks.h"
#include "tools/perfex/count/topology.h"

struct part {
	char *name; /* "7", "S0-D0-C1", a thread's id, ... */
	char *comm; /* a thread's; else NULL */
	unsigned int cpus;
	/* One per event: now, at the interval's beginning, and what came between. */
	struct perfctr_reading *reading, *before, *interval;
};

struct parts {
	enum by by;
	struct part *part;
	size_t n;
	size_t *place; /* for each part of each set, in their order, the part that it belongs to */
};

/* Read all tasks: the parts, if there are to be any, and the sums in events. */
void parts_read(struct parts *parts, struct tasks *tasks, struct events *events);

/* An interval has ended. */
void parts_end_interval(struct parts *parts, const struct events *events);

/* Whether the part can have event i at all: an uncore event is one processor's in each socket. */
bool part_has(const struct perfctr_reading *reading);

/* Forget all: the tasks are closed. */
void parts_clear(struct parts *parts);

#endif /* PERFCTR_TOOLS_PARTS_H */
