/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * execs.h - watches the programs that threads execute: at the execve(2) of a program that its user
 * may not trace, the kernel ends all events that count the thread
 */
#ifndef PERFCTR_LIB_PERF_EXECS_H
#define PERFCTR_LIB_PERF_EXECS_H

#include <stdbool.h>
#include "lib/perf/counter.h"

struct perfctr_execs; /* a child of fork() finds it cleared */

/*
 * Whether a program may be executed in n scopes of threads, and with PERFCTR_INHERIT in the flags
 * in the threads that they create, so that events with these flags may end early. The calling
 * thread alone can't: after execve(2) it would not be here to read.
 */
bool perfctr_execs_may_come(const struct perfctr_scope *scope, unsigned int n, unsigned int flags);

/*
 * Watches the programs in these scopes. With PERFCTR_INHERIT, what the threads create is watched if
 * the caller may see the records of all threads, or with PERFCTR_WATCH; else one thread is watched
 * without what it creates. NULL: no program may come, or they can't be watched, for lack of
 * descriptors, locked memory or rights; errno is kept.
 */
struct perfctr_execs *perfctr_execs_watch(const struct perfctr_scope *scope, unsigned int n,
					  unsigned int flags);

/*
 * Looks at the programs executed since the last time. Async-signal-safe; a call within another one
 * of the same thread does nothing. errno is kept.
 */
void perfctr_execs_look(struct perfctr_execs *execs);

/* Whether, as of the last look, the kernel has ended events of scope i early, or may have. */
bool perfctr_execs_has_ended(const struct perfctr_execs *execs, unsigned int i);

/* Whether, as of the last look, no thread is counted whose early end nobody would see. */
bool perfctr_execs_sees_all(const struct perfctr_execs *execs);

/*
 * Looks, and gets the number of processes that are counted and still run; "counter" is an open
 * event of the first scope. exactly: false if there may be more. 0, or -1 after
 * perfctr_fail(ESTALE): the program has closed the descriptors that tell.
 */
int perfctr_execs_running(struct perfctr_execs *execs, const struct perfctr_counter *counter,
			  unsigned int *running, bool *exactly);

/*
 * Looks, and checks that all scopes are still counted, and watched: 0, or -1 after
 * perfctr_fail(ESTALE).
 */
int perfctr_execs_check(struct perfctr_execs *execs);

/* Fails with ESTALE about a program that is known only by its effect. Returns -1. */
int perfctr_execs_fail(void);

void perfctr_execs_end(struct perfctr_execs *execs); /* NULL is fine; errno is kept */

#endif /* PERFCTR_LIB_PERF_EXECS_H */
