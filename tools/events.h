/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* events.h - what -e asks for, opened on threads; its counts. */
#ifndef PERFCTR_TOOLS_EVENTS_H
#define PERFCTR_TOOLS_EVENTS_H

#include <libperfctr.h>
#include <stdbool.h>

/* Events that are opened together: one, or those in braces, or those given as numbers. */
struct spec {
	char *text; /* item for perfctr_set_open(); NULL: the control */
	unsigned int n;
	unsigned int first; /* index of its first event among all */
};

/* One event of all; its last value. */
struct event {
	char *name;   /* as shown */
	char *reason; /* why it is not counted; NULL: it is */
	int counter;  /* through the driver: which of the control's; -1: the TSC */
	struct perfctr_reading reading; /* sum over all threads */
};

struct events {
	struct spec *spec;
	unsigned int nspecs;
	struct event *event;
	unsigned int n;
	/* Of the events given as numbers; through the driver, of all events. */
	struct perfctr_cpu_control control;
	int counters; /* the driver's descriptor; -1: none */
	bool base16;  /* these are hexadecimal by default */
	bool base16_silently;
};

/* What is counted: a thread, a process, processors, ...; or a thread that is part of a process. */
struct task {
	pid_t tid;
	char comm[64];
	bool ended;			 /* another thread may have its id */
	struct perfctr_set **set;	 /* one per spec; itself NULL: the process has them */
	struct perfctr_reading *reading; /* one per event, as last read */
};

struct tasks {
	struct task *task;
	size_t n, room;
	struct task process; /* whose threads the tasks are; set is NULL: none's */
};

/* Add what one -e option says; exits on bad input. */
void events_add(struct events *events, const char *list);

/* Set a field of the control from an option's argument; exits on bad input. */
uint32_t events_number(const struct events *events, const char *text);

/* Check all names, exiting if one is wrong; the default events if there are none. */
void events_finish(struct events *events);

/* Open everything on a target and add it to tasks. Events that can't be counted get a reason. */
void events_open(struct events *events, struct tasks *tasks, const struct perfctr_target *target,
		 unsigned int flags);

/* The same on a process, of whose threads each becomes a task. */
void events_open_threads(struct events *events, struct tasks *tasks, pid_t pid, unsigned int flags);

/* The task that has this id now; NULL: none. */
struct task *events_task(const struct tasks *tasks, pid_t tid);

/* Read all tasks: their own counts, and the sums in events. */
void events_read(struct events *events, struct tasks *tasks);

/* Close and forget all tasks, and what is known of the events. */
void events_close(struct events *events, struct tasks *tasks);

/* Forget everything. */
void events_free(struct events *events);

/* Whether any event of any task is open. */
bool events_any(const struct events *events, const struct tasks *tasks);

#endif /* PERFCTR_TOOLS_EVENTS_H */
