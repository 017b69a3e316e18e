/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * trace.h - traces the command thread by thread, with all that it creates. Each thread is stopped
 * once at its birth, and can get counters of its own then, so that none of its instructions is
 * missed.
 */
#ifndef PERFCTR_TOOLS_TRACE_H
#define PERFCTR_TOOLS_TRACE_H

#include <sys/resource.h>
#include "tools/perfex/count/child.h"
#include "tools/perfex/count/tasks.h"

/* Trace the child, which has not been released, for an option. Exits if that is not permitted. */
void trace_begin(const struct child *child, const char *option);

/* The functions to call at events of threads. */
struct watcher {
	void (*stopped)(void *arg, pid_t tid, int status); /* it goes on afterwards */
	void (*ended)(void *arg, pid_t tid);
	/*
	 * Is called when the child has ended, and at signals after that: whether to detach from the
	 * threads that still run, which this function interrupts. NULL: they are waited for.
	 */
	bool (*leave)(void *arg);
	void *arg;
};

/* Interrupts all threads of a process, so that each is stopped once. */
void trace_interrupt(pid_t pid);

/* Go on until no thread is left; the child's end. perfex's signals are passed on to it. */
void trace_all(const struct child *child, const struct watcher *watcher, int *status,
	       struct rusage *usage);

/* Whether there was such a signal, in this run or an earlier one. */
bool trace_interrupted(void);

/* The same, and each thread gets counters. */
void trace_threads(const struct child *child, struct tasks *tasks, struct events *events,
		   int *status, struct rusage *usage);

#endif /* PERFCTR_TOOLS_TRACE_H */
