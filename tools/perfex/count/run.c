// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/perfex/base/clock.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/pmu.h"
#include "tools/perfex/count/child.h"
#include "tools/perfex/count/run.h"
#include "tools/perfex/count/trace.h"
#include "tools/perfex/count/watch.h"

static void read_all(const struct run *run)
{
	targets_look(run->targets);
	breakdown_read(run->breakdown, run->tasks, run->events);
}

/* The events of a run's time. */
struct schedule {
	bool counts;	 /* counting has begun */
	double start;	 /* of counting */
	double begin;	 /* when counting starts, if it has not */
	double step;	 /* between ticks; 0: none */
	double tick;	 /* the next one */
	double interval; /* its end is a tick, too */
	double end;	 /* the time is up; 0: never */
};

/* An interval has ended, or it is one of the looks in between. */
static void end_tick(const struct run *run, struct schedule *schedule)
{
	double seconds = clock_seconds() - schedule->start;

	read_all(run);
	if (!run->interval || schedule->tick < schedule->interval - schedule->step / 2) {
		run->looked(run->arg);
		return;
	}
	run->tick(run->arg, seconds);
	do {
		schedule->interval += run->interval / 1e3;
	} while (schedule->interval <= schedule->tick);
}

/* ---- the command ---- */

/*
 * A tick, or a look whether the driver's counters are there: after 1 ms, 3, 7, ..., and then once
 * in a second.
 */
static void end_step(const struct run *run, pid_t pid, struct schedule *schedule)
{
	if (!run->driver) {
		end_tick(run, schedule);
		return;
	}
	driver_look(run->driver, run->events, pid);
	schedule->step = schedule->step < 0.5 ? 2 * schedule->step : 1;
}

static double step_of(const struct run *run)
{
	if (run->driver)
		return 1e-3;
	return run->look > 0 ? run->look : run->interval / 1e3;
}

static void start_counting(const struct run *run, struct schedule *schedule)
{
	schedule->counts = true;
	schedule->start = clock_seconds();
	schedule->step = step_of(run);
	schedule->tick = schedule->start + schedule->step;
	schedule->interval = schedule->start + run->interval / 1e3;
	if (run->timeout)
		schedule->end = schedule->start + run->timeout / 1e3;
}

static void enable(const struct run *run, struct schedule *schedule)
{
	if (tasks_enable(run->tasks) < 0)
		events_refuse(run->events, 0, run->events->n, perfctr_error());
	start_counting(run, schedule);
}

/* When something is to happen next; 0: nothing is. */
static double next_time(const struct schedule *schedule)
{
	if (!schedule->counts)
		return schedule->begin;
	if (!(schedule->step > 0) || (schedule->end > 0 && schedule->end < schedule->tick))
		return schedule->end;
	return schedule->tick;
}

/* Ticks that take longer than a step leave some out: signals and the end have their turn, too. */
static void plan_tick(struct schedule *schedule)
{
	double now = clock_seconds();

	do {
		schedule->tick += schedule->step;
	} while (schedule->tick < now);
}

/* It is time. pid 0: the command has ended, and only others of it are waited for. */
static void happen(const struct run *run, pid_t pid, struct schedule *schedule, struct run_end *end)
{
	if (!schedule->counts) {
		enable(run, schedule);
	} else if (next_time(schedule) == schedule->end) {
		end->timed_out = true;
		schedule->end = 0;
		if (pid)
			kill(pid, SIGTERM);
	} else {
		end_step(run, pid, schedule);
		plan_tick(schedule);
	}
}

/*
 * The seconds between checks of programs' ends, which free the room of their records: the library's
 * buffers hold those of 370 programs a processor. Counts of processors have no such records, and
 * have perfex's own wakeups in them.
 */
#define CHECK_EVERY 0.1
#define SELDOM	    1.0

/* Between looks whether the last process of a command has ended. */
#define LOOK_EVERY 0.005

/* The end of a wait until then (0: for long): the next check, if that is earlier. */
static double until_check(const struct run *run, double next, bool looks)
{
	double check = clock_seconds() + (looks		       ? LOOK_EVERY
					  : run->targets->what ? SELDOM
							       : CHECK_EVERY);

	return next > 0 && next < check ? next : check;
}

/* Whether to wait for other processes of a command that has ended. */
static bool must_wait(const struct run *run, const struct run_end *end)
{
	struct perfctr_processes processes;

	return run->wait && !end->timed_out && !end->interrupted && !child_interrupted() &&
	       tasks_processes(run->tasks, &processes) && processes.running;
}

/* Whether the child has ended, with those that are to be waited for. */
static bool is_over(const struct run *run, const struct child *child, bool told, bool *ended,
		    struct run_end *end, struct rusage *usage)
{
	if (!*ended && told)
		*ended = wait4(child->pid, &end->status, WNOHANG, usage) != 0;
	return *ended && !must_wait(run, end);
}

/* Wait for the child, passing signals on. */
static void wait_for(const struct run *run, const struct child *child, struct schedule *schedule,
		     struct run_end *end, struct rusage *usage)
{
	struct timespec timeout;
	double next;
	bool ended = false;
	int signal = 0; /* SIGCHLD waits since before the child was there */

	while (!is_over(run, child, signal == SIGCHLD, &ended, end, usage)) {
		next = next_time(schedule);
		if (next > 0 && clock_seconds() >= next) {
			happen(run, ended ? 0 : child->pid, schedule, end);
			continue;
		}
		tasks_check(run->tasks);
		timeout = watch_left(until_check(run, next, ended));
		signal = sigtimedwait(&child->waited, NULL, &timeout);
		if (signal != SIGTERM && signal != SIGHUP)
			continue;
		end->interrupted = true;
		if (!ended)
			kill(child->pid, signal);
	}
}

static bool traces(const struct run *run)
{
	return run->per_thread && !run->targets->n;
}

/* The counters of a command that has not been released. */
static void count(const struct run *run, const struct child *child)
{
	if (run->driver) {
		driver_take(run->driver, run->events, child->counters);
		return;
	}
	if (run->targets->n)
		return;
	if (run->per_thread)
		trace_begin(child, "--per=thread");
	tasks_open_thread(run->tasks, run->events, child->pid,
			  (run->delay ? PERFCTR_DISABLED : PERFCTR_ON_EXEC) |
				  (run->watch ? PERFCTR_WATCH : 0) |
				  (run->per_thread || run->first_thread ? 0 : PERFCTR_INHERIT));
}

static void release(const struct run *run, const struct child *child)
{
	child_release(child, run->command[0]);
	if (run->driver) {
		driver_started(run->events, child->counters);
		close(child->counters);
	}
}

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

/* Why counts are not of all that the command has done; what: of the processes that it left. */
static void set_left(const struct run *run, const struct run_end *end, const char *what)
{
	if (end->left && !run->events->left &&
	    asprintf(&run->events->left,
		     "%s%u process%s of the command still ran at its end, so that %s; --wait waits "
		     "for all of them",
		     end->left_more ? "at least " : "", end->left, end->left == 1 ? "" : "es",
		     what) < 0)
		need(NULL);
}

/* Says which processes the command has left, whose counts continue. */
static void look_at_left(const struct run *run, struct run_end *end)
{
	struct perfctr_processes processes;
	bool counts = !run->targets->n && !run->per_thread && !run->first_thread;

	if (!counts || !tasks_processes(run->tasks, &processes) || !processes.running)
		return;
	end->left = processes.running;
	end->left_more = !processes.exactly;
	set_left(run, end, "this is the count up to then");
}

/* Sets the results of a command that has ended. */
static void end_command(const struct rusage *usage, struct run_end *end)
{
	end->interrupted |= child_end() || trace_interrupted();
	end->interrupted |= WIFSIGNALED(end->status) && !run_timed_out(end);
	end->user = seconds_of(&usage->ru_utime);
	end->sys = seconds_of(&usage->ru_stime);
}

static struct run_end run_emulated(const struct run *run)
{
	struct run_end end = { .ran = true };
	struct rusage usage;
	struct child child;
	char **command = valgrind_command(run->valgrind, run->events, run->command);
	double start;

	memset(&usage, 0, sizeof(usage));
	child_start(&child, command, NULL);
	run->started(run->arg, child.pid);
	trace_begin(&child, "--emulate");
	start = clock_seconds();
	child_release(&child, *command);
	free(command);
	run->valgrind->waits = run->wait;
	end.left = valgrind_run(run->valgrind, &child, run->events, &end.status, &usage);
	end.elapsed = clock_seconds() - start;
	set_left(run, &end, "what valgrind had not told of them by then is missing");
	end_command(&usage, &end);
	return end;
}

static struct run_end run_command(const struct run *run)
{
	struct run_end end = { .ran = true };
	struct schedule schedule = { .counts = false };
	struct rusage usage;
	struct child child;

	memset(&usage, 0, sizeof(usage));
	child_start(&child, run->command, run->driver);
	run->started(run->arg, child.pid);
	count(run, &child);
	start_counting(run, &schedule);
	release(run, &child);
	if (run->delay)
		schedule = (struct schedule){ .begin = clock_seconds() + run->delay / 1e3 };
	if (traces(run))
		trace_threads(&child, run->tasks, run->events, &end.status, &usage);
	else
		wait_for(run, &child, &schedule, &end, &usage);
	if (!schedule.counts)
		events_refuse(run->events, 0, run->events->n,
			      "the command ended before the delay did");
	end.elapsed = schedule.counts ? clock_seconds() - schedule.start : 0;
	look_at_left(run, &end);
	if (run->driver)
		driver_read(run->driver, run->events);
	else
		read_all(run);
	if (run->interval)
		run->tick(run->arg, end.elapsed);
	end_command(&usage, &end);
	return end;
}

/* ---- running processes ---- */

static void attach(const struct run *run)
{
	unsigned int i, flags = run->delay ? PERFCTR_DISABLED : 0;
	pid_t pid = targets_process(run->targets);
	FILE *name;
	char *text;
	size_t size;

	if (!run->targets->what && !run->first_thread &&
	    run->targets->target->type == PERFCTR_TARGET_PROCESS)
		flags |= PERFCTR_INHERIT;
	if (run->watch && !run->targets->what)
		flags |= PERFCTR_WATCH;
	if (run->per_thread && pid)
		tasks_open_threads(run->tasks, run->events, pid, flags);
	for (i = 0; i < run->targets->n && (!run->per_thread || !pid); i++)
		tasks_open(run->tasks, run->events, &run->targets->target[i], flags);
	for (i = 0; i < run->events->n; i++)
		if (!run->events->event[i].reason)
			return;
	name = need(open_memstream(&text, &size));
	targets_print(name, run->targets);
	fclose(name);
	die("%s can't be counted: %s%s", text, run->events->event[0].reason,
	    pmu_is_missing(run->events->event[0].reason)
		    ? "; without a PMU use -e task-clock,page-faults, or --sample"
		    : "");
}

/* The end of the next wait, at ticks and at last when the time is up. */
static void watch(const struct run *run, struct schedule *schedule)
{
	struct watch watch;
	double next;

	watch_begin(&watch, run->targets);
	if (run->delay)
		*schedule = (struct schedule){ .begin = clock_seconds() + run->delay / 1e3 };
	for (;;) {
		next = next_time(schedule);
		if (watch_wait(&watch, until_check(run, next, false)))
			break;
		tasks_check(run->tasks);
		if (next <= 0 || clock_seconds() < next)
			continue;
		if (!schedule->counts) {
			enable(run, schedule);
			continue;
		}
		if (next == schedule->end)
			break;
		end_tick(run, schedule);
		plan_tick(schedule);
	}
	watch_end(&watch);
}

static struct run_end run_nothing(const struct run *run)
{
	struct schedule schedule = { .counts = false };
	struct run_end end = { .ran = false };
	pid_t pid = targets_process(run->targets);

	run->started(run->arg, pid ? pid : getpid());
	start_counting(run, &schedule);
	watch(run, &schedule);
	if (!schedule.counts)
		events_refuse(run->events, 0, run->events->n, "it was over before the delay was");
	else
		end.elapsed = clock_seconds() - schedule.start;
	read_all(run);
	if (run->interval)
		run->tick(run->arg, end.elapsed);
	return end;
}

struct run_end run(const struct run *run)
{
	if (run->valgrind)
		return run_emulated(run);
	if (run->targets->n && run->events->n)
		attach(run);
	return run->command ? run_command(run) : run_nothing(run);
}

bool run_timed_out(const struct run_end *end)
{
	return end->timed_out && WIFSIGNALED(end->status) && WTERMSIG(end->status) == SIGTERM;
}

bool run_failed(const struct run_end *end)
{
	return end->ran && !run_timed_out(end) && end->status;
}
