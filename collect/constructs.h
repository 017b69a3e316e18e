/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* constructs.h - OpenMP's constructs in the program, each with a region. */
#ifndef PERFCTR_COLLECT_CONSTRUCTS_H
#define PERFCTR_COLLECT_CONSTRUCTS_H

#include <perfctr/regions.h>
#include <stddef.h>

enum kind {
	NOTHING,
	PARALLEL,
	LOOP,
	SECTIONS,
	SINGLE,
	DISTRIBUTE,
	TASKLOOP,
	TASK,
	BARRIER,
	WAIT,
	GROUP,
	TEAMS,
	IDLE,
};

struct construct {
	const void *address; /* the call returns there */
	struct perfctr_region *region;
	enum kind kind;
	unsigned int generation;	  /* of libraries, for which it is known to be there */
	unsigned long library;		  /* identifies it; 0: the program */
	struct construct *barrier, *idle; /* of a parallel one; NULL: not known yet */
};

/*
 * Looks whether a library was unloaded, before a parallel construct with that address is looked
 * for.
 */
void constructs_look(const void *address);

/* Once, before all others. */
void constructs_begin(void);

/* Returns the construct of this kind whose call returns to the address. NULL: it has none. */
struct construct *construct_find(enum kind kind, const void *address);

/* Returns what a thread is in at the end of a parallel construct: BARRIER or IDLE. */
static inline const struct construct *construct_wait(struct construct *parallel, enum kind kind)
{
	struct construct **place = kind == IDLE ? &parallel->idle : &parallel->barrier;
	struct construct *wait = __atomic_load_n(place, __ATOMIC_ACQUIRE);

	if (!wait) {
		wait = construct_find(kind, parallel->address);
		__atomic_store_n(place, wait, __ATOMIC_RELEASE);
	}
	return wait;
}

#endif /* PERFCTR_COLLECT_CONSTRUCTS_H */
