/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run.h - starts and watches commands, and watches processes. */
#ifndef PERFCTR_TOOLS_RUN_H
#define PERFCTR_TOOLS_RUN_H

#include "tools/perfex/count/breakdown.h"
#include "tools/perfex/count/driver.h"
#include "tools/perfex/count/targets.h"
#include "tools/perfex/count/valgrind.h"

/* How a run ended. */
struct run_end {
	double elapsed, user, sys; /* seconds */
	int status;		   /* of waitpid() */
	bool ran;		   /* there is a status */
	bool interrupted;	   /* a signal ended the command, or asked for its end */
	bool timed_out;		   /* --timeout did, which is no failure */
	bool lost;		   /* results could not be written where they should be */
	unsigned int left;	   /* processes of the command that still ran at its end */
	bool left_more;		   /* there may have been more */
};

/* Whether the command ended because its time was up. */
bool run_timed_out(const struct run_end *end);
/* Whether it did not end with the exit status 0, nor so. */
bool run_failed(const struct run_end *end);

struct run {
	struct events *events;
	struct tasks *tasks;
	struct breakdown *breakdown;   /* the parts to show beside the sums */
	struct driver *driver;	       /* NULL: perf_events count */
	struct valgrind *valgrind;     /* emulates the command; NULL: it runs */
	char **command;		       /* NULL: none */
	const struct targets *targets; /* the targets, if it is not the command */
	bool per_thread;
	bool watch;	       /* watch whether children end early, whatever their forks cost */
	bool wait;	       /* until all processes of the command have ended */
	bool first_thread;     /* count nothing that the command's first thread creates */
	unsigned int interval; /* ms; 0: none */
	double look;	       /* s: how often to read, too; 0: at the ends of intervals only */
	unsigned int delay, timeout; /* ms from the start, of counting; 0: none */
	/* Called with the pid before the command starts, at the end of each interval, after looks.
	 */
	void (*started)(void *arg, pid_t pid);
	void (*tick)(void *arg, double seconds);
	void (*looked)(void *arg);
	void *arg;
};

/* Run the command, or watch the process, to its end, and read the counters. Exits on failure. */
struct run_end run(const struct run *run);

#endif /* PERFCTR_TOOLS_RUN_H */
