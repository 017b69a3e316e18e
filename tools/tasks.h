/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tasks.h - events over perf_events: opened on what is to be counted, read, added up. */
#ifndef PERFCTR_TOOLS_TASKS_H
#define PERFCTR_TOOLS_TASKS_H

#include "events.h"

/* What is counted: a thread, a process, processors, ...; or a thread that is part of a process. */
struct task {
	pid_t tid;
	char comm[64];
	bool ended;			      /* another thread may have its id */
	struct perfctr_set *set[EVENTS_SETS]; /* NULL: it has no such events, or its process has */
	struct perfctr_reading *reading;      /* one per event, as last read */
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

/* Close and forget all tasks. */
void tasks_close(struct tasks *tasks);

/* What the times say of a count. */
unsigned int tasks_quality(uint64_t enabled, uint64_t running);

#endif /* PERFCTR_TOOLS_TASKS_H */
