/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tasks.h - events over perf_events: opened on what is to be counted, read, added up. */
#ifndef PERFCTR_TOOLS_TASKS_H
#define PERFCTR_TOOLS_TASKS_H

#include "tools/perfex/count/events.h"

/* What is counted: a thread, a process, processors, ...; or a thread that is part of a process. */
struct task {
	pid_t tid;
	char comm[64];
	const char *cgroup;		      /* NULL: it is none */
	bool ended;			      /* another thread may have its id */
	struct perfctr_set *set[EVENTS_SETS]; /* NULL: it has no such events, or its process has */
	struct perfctr_reading *reading;      /* one per event, as last read */
	int *reader; /* of a processor: one per event, which counts it; -1: none; NULL: it is none
		      */
};

struct tasks {
	struct task *task;
	size_t n, room;
	struct task process; /* whose threads the tasks are; its reading is NULL: none's */
};

/*
 * Open all events on a target and add it. What can't be counted gets a reason; exits if the target
 * can't be counted at all.
 */
void tasks_open(struct tasks *tasks, struct events *events, const struct perfctr_target *target,
		unsigned int flags);

void tasks_open_thread(struct tasks *tasks, struct events *events, pid_t tid, unsigned int flags);

/* The same on a process, of whose threads each becomes a task. */
void tasks_open_threads(struct tasks *tasks, struct events *events, pid_t pid, unsigned int flags);

/* The task that has this id now; NULL: none. */
struct task *tasks_find(const struct tasks *tasks, pid_t tid);

/* Ask the kernel what the task is called now. */
void tasks_name(struct task *task);

/* Read all tasks: their own counts, and the sums in events. */
void tasks_read(struct tasks *tasks, struct events *events);

/* Make room for what tells that events have ended early. */
void tasks_check(const struct tasks *tasks);

/* Start what was opened with PERFCTR_DISABLED. -1: perfctr_error(). */
int tasks_enable(const struct tasks *tasks);

/* Close and forget all tasks. */
void tasks_close(struct tasks *tasks);

/* Add one reading to a sum, of which nothing else has been counted if it is the first. */
void tasks_add_reading(struct perfctr_reading *sum, const struct perfctr_reading *one);

/* Forget what of events first to end - 1 another processor counts, too, for the same package. */
void tasks_drop_taken(const struct task *task, unsigned int first, unsigned int end,
		      struct perfctr_reading *reading);

/* What came between two readings; before then is the later one. */
struct perfctr_reading tasks_interval(struct perfctr_reading *before,
				      const struct perfctr_reading *now);

/* What the times say of a count. */
unsigned int tasks_quality(uint64_t enabled, uint64_t running);

#endif /* PERFCTR_TOOLS_TASKS_H */
