/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* family.h - the living threads that a set counts, by their ids, with what they descend from */
#ifndef PERFCTR_LIB_PERF_FAMILY_H
#define PERFCTR_LIB_PERF_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERFCTR_NAME_OF_THREAD 16 /* TASK_COMM_LEN */

struct perfctr_member {
	uint32_t tid; /* 0: a free entry */
	uint32_t pid;
	uint32_t scope; /* the index of the scope that it descends from */
	bool executes;	/* a program that has mapped nothing yet, of this name */
	char name[PERFCTR_NAME_OF_THREAD];
};

#define PERFCTR_FAMILY_FEW 64

/* A hash table; all zero, it is empty. It points into itself: it stays where it is. */
struct perfctr_family {
	struct perfctr_member *member; /* NULL: few */
	unsigned int room, n;	       /* entries, a power of two; threads */
	unsigned int nothers;	       /* of these, the number that are not their process's first */
	struct perfctr_member few[PERFCTR_FAMILY_FEW];
};

/* Adds a thread, or changes it. False: no memory. Async-signal-safe, as all of these. */
bool perfctr_family_add(struct perfctr_family *family, const struct perfctr_member *member);

/* Finds the thread; NULL: it is not there. Valid until the next change. */
struct perfctr_member *perfctr_family_find(const struct perfctr_family *family, uint32_t tid);

/* Finds any thread of the process. */
struct perfctr_member *perfctr_family_of_process(const struct perfctr_family *family, uint32_t pid);

void perfctr_family_remove(struct perfctr_family *family, uint32_t tid);

/* Returns the number of processes. */
unsigned int perfctr_family_processes(const struct perfctr_family *family);

void perfctr_family_end(struct perfctr_family *family); /* errno is kept */

#endif /* PERFCTR_LIB_PERF_FAMILY_H */
