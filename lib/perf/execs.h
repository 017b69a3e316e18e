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
 * Watches n scopes of threads, and with PERFCTR_INHERIT in the flags also the threads that they
 * create, in the way that events with these flags count them. NULL: no thread there can execute a
 * program, or they can't be watched, for lack of descriptors or locked memory; errno is kept.
 */
struct perfctr_execs *perfctr_execs_watch(const struct perfctr_scope *scope, unsigned int n,
					  unsigned int flags);

/*
 * Looks at the programs executed since the last time. Async-signal-safe; a call within another one
 * does nothing. errno is kept.
 */
void perfctr_execs_look(struct perfctr_execs *execs);

/* Whether, as of the last look, the kernel has ended events of scope i early, or may have. */
bool perfctr_execs_has_ended(const struct perfctr_execs *execs, unsigned int i);

/* Looks, and checks that all scopes are still counted: 0, or -1 after perfctr_fail(ESTALE). */
int perfctr_execs_check(struct perfctr_execs *execs);

/* Fails with ESTALE about a program that is known only by its effect. Returns -1. */
int perfctr_execs_fail(void);

void perfctr_execs_end(struct perfctr_execs *execs); /* NULL is fine; errno is kept */

#endif /* PERFCTR_LIB_PERF_EXECS_H */
