/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * trace.h - the command thread by thread: all that it creates is traced. Each thread stands still
 * once at its birth, and gets counters of its own then, so that none of its instructions is missed.
 */
#ifndef PERFCTR_TOOLS_TRACE_H
#define PERFCTR_TOOLS_TRACE_H

#include <sys/resource.h>
#include "child.h"
#include "tasks.h"

/* Trace the child, which has not been released. Exits if that is not permitted. */
void trace_begin(const struct child *child);

/* Go on until no thread is left; the child's end. perfex's signals are passed on to it. */
void trace_all(const struct child *child, struct tasks *tasks, struct events *events, int *status,
	       struct rusage *usage);

#endif /* PERFCTR_TOOLS_TRACE_H */
