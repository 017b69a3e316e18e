/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perfex.h - what perfex's files share.
 *
 * perfex.c	options, and what is done in which order
 * events.c	-e's events, opened on threads; counts
 * driver.c	the same through the perfctr driver, for the command's first thread
 * run.c	starting, watching and tracing commands and processes
 * output.c	tables, CSV, JSON
 * sample.c	--sample: where the command is when an event happens
 * symbols.c	names of functions
 */
#ifndef PERFEX_H
#define PERFEX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <libperfctr.h>

/* Exit status of perfex's own failures, as of env(1) and timeout(1); the command has its own. */
#define EXIT_PERFEX	    125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND	    127

/* Print "perfex: ..." on standard error and exit with EXIT_PERFEX. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* malloc() and friends that don't return NULL. */
void *need(void *memory);

/* ---- events.c ---- */

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

/* ---- driver.c ---- */

/* Make one control of all events. NULL, or a clause that says why it can't be. */
const char *driver_control(struct events *events);

/* Try it on perfex itself. false: the driver refuses it, as perfctr_error() says. */
bool driver_try(struct events *events);

/* Give this reason to all events that have none. */
void driver_refuses(struct events *events, const char *reason);

/* In the child: make its counters, and send their descriptor; then, last of all, start them. */
int driver_give(int socket);
void driver_start(const struct events *events, int socket, int fd);

/* In perfex: take the descriptor; learn, when the command runs, whether they started. */
void driver_take(struct events *events, int socket);
void driver_started(struct events *events, int socket);

/* Whether an exec has ended the counters of a command that runs: then the events get a reason. */
void driver_look(struct events *events, pid_t pid);

/* Read the counters of a command that has ended. */
void driver_read(struct events *events);

/* ---- run.c ---- */

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

/* ---- output.c ---- */

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

struct output {
	FILE *file;
	enum format format;
	char **command;
	pid_t pid;
	const char *target;	 /* "processors", "cgroup"; NULL: a process, or the command */
	const char *target_name; /* "all", "0-3", ... */
	bool first_thread;
	unsigned int repeats;
	double *sum, *squares;	      /* over repeats, per event */
	struct perfctr_reading *last; /* per event, at the last tick */
	bool header;		      /* CSV's has been written */
};

void output_tick(struct output *output, const struct events *events, double seconds);
void output_repeat(struct output *output, const struct events *events);
void output_free(struct output *output);
void output_end(struct output *output, const struct events *events, const struct tasks *tasks,
		const struct outcome *outcome, bool per_thread);

/* ---- sample.c ---- */

struct sampling;

/* event may be NULL, period and frequency 0; exits on bad input. */
struct sampling *sampling_new(const char *event, uint64_t period, uint64_t frequency);

/* Sample the process from its exec on; exits on failure. */
void sampling_open(struct sampling *sampling, pid_t pid);

/* Take what has been recorded out of the kernel's buffers. */
void sampling_read(struct sampling *sampling);

void sampling_print(struct sampling *sampling, FILE *file, char **command);
void sampling_free(struct sampling *sampling);

/* ---- symbols.c ---- */

struct symbols;

/* Without any if the file is no ELF file. */
struct symbols *symbols_read(const char *file);

/* The function at an offset in the file; NULL if it is in none that has a name. */
const char *symbols_find(const struct symbols *symbols, uint64_t offset);

void symbols_free(struct symbols *symbols);

#endif /* PERFEX_H */
