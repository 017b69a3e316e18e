/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lives.h - the kernel's records of when threads begin, execute programs and end */
#ifndef PERFCTR_LIB_PERF_LIVES_H
#define PERFCTR_LIB_PERF_LIVES_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/perf/counter.h"

struct perfctr_lives; /* a child of fork() finds it cleared */

/* A record: PERF_RECORD_COMM of an execve(2), _MMAP, _FORK or _EXIT. */
struct perfctr_life {
	uint32_t type;
	uint32_t pid, tid;
	uint32_t ppid, ptid; /* _FORK */
	const char *name;    /* _COMM; else NULL */
};

/* Gets the records: see() each, in the order of their times; miss() if some were lost. */
struct perfctr_witness {
	struct perfctr_witness *next;
	void (*see)(struct perfctr_witness *witness, const struct perfctr_life *life);
	void (*miss)(struct perfctr_witness *witness);
};

/*
 * Gets the records of all threads, from events on all processors, which all witnesses share. NULL
 * with errno: the caller has no right to them (EACCES, EPERM), or there are too few descriptors.
 */
struct perfctr_lives *perfctr_lives_of_all(unsigned int flags, struct perfctr_witness *witness);

/*
 * Gets the records of n scopes of threads: with cpus also of the threads and processes that they
 * create, as far as events with these flags count them, while they are on these processors; without
 * cpus of the first scope's thread alone. NULL with errno.
 */
struct perfctr_lives *perfctr_lives_of(const struct perfctr_scope *scope, unsigned int n,
				       const uint32_t *cpus, unsigned int flags,
				       struct perfctr_witness *witness);

/*
 * Hands out the records since the last time. Async-signal-safe; a call within another one in the
 * same thread does nothing. errno is kept.
 */
void perfctr_lives_look(struct perfctr_lives *lives);

/*
 * Checks that all records still come: 0, or -1 after perfctr_fail(ESTALE) if the program has closed
 * a descriptor that they need.
 */
int perfctr_lives_check(const struct perfctr_lives *lives);

/*
 * Gets whether an event, inherited or not, of the thread that alone has records still counts a
 * living thread. 0, or -1 after perfctr_fail(ESTALE): the program has closed a descriptor.
 */
int perfctr_lives_go_on(const struct perfctr_lives *lives, const struct perfctr_counter *counter,
			bool *goes_on);

/* The witness gets no more records; what it alone used is closed. errno is kept. */
void perfctr_lives_leave(struct perfctr_lives *lives, struct perfctr_witness *witness);

#endif /* PERFCTR_LIB_PERF_LIVES_H */
