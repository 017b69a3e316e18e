/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * execs.h - what threads execute: at the execve(2) of a program that its user may not trace, the
 * kernel ends all events that count the thread
 */
#ifndef PERFCTR_LIB_PERF_EXECS_H
#define PERFCTR_LIB_PERF_EXECS_H

#include <stdbool.h>
#include "lib/perf/counter.h"

struct perfctr_execs; /* opaque; a child of fork() finds it cleared */

/*
 * Watch n scopes of threads, and with PERFCTR_INHERIT in the flags what they create, as events with
 * these flags count it. NULL: nothing there can execute a program, or it can't be watched, for want
 * of descriptors or locked memory; errno is kept.
 */
struct perfctr_execs *perfctr_execs_watch(const struct perfctr_scope *scope, unsigned int n,
					  unsigned int flags);

/*
 * Look at what was executed since the last time. Async-signal-safe; a call within another one does
 * nothing. errno is kept.
 */
void perfctr_execs_look(struct perfctr_execs *execs);

/* Whether, as of the last look, the kernel has ended events of scope i early, or may have. */
bool perfctr_execs_has_ended(const struct perfctr_execs *execs, unsigned int i);

/* Look, and see whether all go on: 0, or -1 after perfctr_fail(ESTALE). */
int perfctr_execs_check(struct perfctr_execs *execs);

/* -1 after perfctr_fail(ESTALE), of a program that is known by nothing but what it did. */
int perfctr_execs_fail(void);

void perfctr_execs_end(struct perfctr_execs *execs); /* NULL is fine; errno is kept */

#endif /* PERFCTR_LIB_PERF_EXECS_H */
