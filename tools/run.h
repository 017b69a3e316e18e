/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run.h - starting, watching and tracing commands and processes. */
#ifndef PERFCTR_TOOLS_RUN_H
#define PERFCTR_TOOLS_RUN_H

#include "events.h"

struct outcome {
	double elapsed, user, sys; /* seconds */
	int status;		   /* of waitpid() */
	bool ran;		   /* there is a status */
};

struct run {
	struct events *events;
	struct tasks *tasks;
	char **command;			     /* NULL: none */
	const struct perfctr_target *target; /* what to count, if it is not the command */
	unsigned int ntargets;
	bool per_thread;
	bool first_thread;     /* count nothing that the command's first thread creates */
	bool driver;	       /* through the driver */
	unsigned int interval; /* ms; 0: none */
	/* Called with the pid before the command starts, and at the end of each interval. */
	void (*started)(void *arg, pid_t pid);
	void (*tick)(void *arg, double seconds);
	void *arg;
};

/* The process that is the target; 0 if it is none. */
static inline pid_t run_pid(const struct run *run)
{
	return run->ntargets && run->target->type == PERFCTR_TARGET_PROCESS ? run->target->id : 0;
}

/* Run the command, or watch the process, to its end, and read the counters. Exits on failure. */
struct outcome run(const struct run *run);

#endif /* PERFCTR_TOOLS_RUN_H */
