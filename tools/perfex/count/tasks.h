/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tasks.h - opens events on targets over perf_events, reads them, and adds them up. */
#ifndef PERFCTR_TOOLS_TASKS_H
#define PERFCTR_TOOLS_TASKS_H

#include "tools/perfex/count/events.h"

/* A target: a thread, a process, processors, ...; or a thread of a process. */
struct task {
	pid_t tid;
	char comm[64];
	const char *cgroup; /* NULL: it is none */
	bool ended;	    /* another thread may have its id */
	struct perfctr_set
		*set[EVENTS_SETS]; /* NULL: it has no such events, or they are its process's */
	struct perfctr_reading *reading; /* one per event, as last read */
	int *reader; /* for a processor: per event, the processor that counts it; -1: none; else
			NULL */
};

struct tasks {
	struct task *task;
	size_t n, room;
	struct task
		process; /* the process whose threads the tasks are; reading NULL: there is none */
};

/*
 * Opens all events on a target and adds it. Events that can't be counted get a reason; exits if the
 * target can't be counted at all.
 */
void tasks_open(struct tasks *tasks, struct events *events, const struct perfctr_target *target,
		unsigned int flags);

void tasks_open_thread(struct tasks *tasks, struct events *events, pid_t tid, unsigned int flags);

/* Does the same for a process, and adds a task for each of its threads. */
void tasks_open_threads(struct tasks *tasks, struct events *events, pid_t pid, unsigned int flags);

/* The task that has this id now; NULL: none. */
struct task *tasks_find(const struct tasks *tasks, pid_t tid);

/* Asks the kernel for the task's present name. */
void tasks_name(struct task *task);

/* Read all tasks: their own counts, and the sums in events. */
void tasks_read(struct tasks *tasks, struct events *events);

/* Frees the room of records of programs that end events early. */
void tasks_check(const struct tasks *tasks);

/* Tells how many processes of the first task still run; false: it is not known. */
bool tasks_processes(const struct tasks *tasks, struct perfctr_processes *processes);

/* Starts events that were opened with PERFCTR_DISABLED. -1: perfctr_error(). */
int tasks_enable(const struct tasks *tasks);

/* Close and forget all tasks. */
void tasks_close(struct tasks *tasks);

/* Add one reading to a sum, of which nothing else has been counted if it is the first. */
void tasks_add_reading(struct perfctr_reading *sum, const struct perfctr_reading *one);

/*
 * Removes the counts of events first to end - 1 that another processor also counts for the same
 * package.
 */
void tasks_drop_taken(const struct task *task, unsigned int first, unsigned int end,
		      struct perfctr_reading *reading);

/* Returns the difference between two readings; before becomes the later one. */
struct perfctr_reading tasks_interval(struct perfctr_reading *before,
				      const struct perfctr_reading *now);

/* Returns the quality of a count, by its times. */
unsigned int tasks_quality(uint64_t enabled, uint64_t running);

#endif /* PERFCTR_TOOLS_TASKS_H */
