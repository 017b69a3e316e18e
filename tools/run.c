// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "child.h"
#include "die.h"
#include "run.h"
#include "trace.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct timespec until(double when)
{
	double left = when - now();
	struct timespec t = { 0, 0 };

	if (left > 0) {
		t.tv_sec = (time_t)left;
		t.tv_nsec = (long)((left - (double)t.tv_sec) * 1e9);
	}
	return t;
}

static void end_tick(const struct run *run, double seconds)
{
	tasks_read(run->tasks, run->events);
	run->tick(run->arg, seconds);
}

/* ---- the command ---- */

/*
 * A tick, or a look whether the driver's counters are there: after 1 ms, 3, 7, ..., and then once
 * in a second. Returns the time to the next one.
 */
static double end_step(const struct run *run, pid_t pid, double start, double step)
{
	if (!run->driver) {
		end_tick(run, now() - start);
		return step;
	}
	driver_look(run->driver, run->events, pid);
	return step < 0.5 ? 2 * step : 1;
}

/* Wait for the child, passing signals on. */
static void wait_for(const struct run *run, const struct child *child, double start,
		     struct outcome *outcome, struct rusage *usage)
{
	double step = run->driver ? 1e-3 : run->interval / 1e3, next = start + step;
	struct timespec timeout;
	int signal;

	while (wait4(child->pid, &outcome->status, WNOHANG, usage) == 0) {
		if (step > 0 && now() >= next) {
			step = end_step(run, child->pid, start, step);
			next += step;
			continue;
		}
		timeout = until(next);
		signal = step > 0 ? sigtimedwait(&child->waited, NULL, &timeout)
				  : sigwaitinfo(&child->waited, NULL);
		if (signal != SIGTERM && signal != SIGHUP)
			continue;
		outcome->interrupted = true;
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
		trace_begin(child);
	tasks_open_thread(run->tasks, run->events, child->pid,
			  PERFCTR_ON_EXEC |
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

static struct outcome run_command(const struct run *run)
{
	struct outcome outcome = { .ran = true };
	struct rusage usage;
	struct child child;
	double start;

	memset(&usage, 0, sizeof(usage));
	child_start(&child, run->command, run->driver);
	run->started(run->arg, child.pid);
	count(run, &child);
	start = now();
	release(run, &child);
	if (traces(run))
		trace_all(&child, run->tasks, run->events, &outcome.status, &usage);
	else
		wait_for(run, &child, start, &outcome, &usage);
	outcome.elapsed = now() - start;
	if (run->driver)
		driver_read(run->driver, run->events);
	else
		tasks_read(run->tasks, run->events);
	if (run->interval)
		run->tick(run->arg, outcome.elapsed);
	outcome.interrupted |= child_end(&child) || WIFSIGNALED(outcome.status);
	outcome.user = seconds_of(&usage.ru_utime);
	outcome.sys = seconds_of(&usage.ru_stime);
	return outcome;
}

/* ---- what runs already ---- */

static void attach(const struct run *run)
{
	unsigned int i, inherit = run->first_thread ? 0 : PERFCTR_INHERIT;
	pid_t pid = targets_process(run->targets);

	if (run->per_thread)
		tasks_open_threads(run->tasks, run->events, pid, inherit);
	for (i = 0; i < run->targets->n && !run->per_thread; i++)
		tasks_open(run->tasks, run->events, &run->targets->target[i], pid ? inherit : 0);
	for (i = 0; i < run->events->n; i++)
		if (!run->events->event[i].reason)
			return;
	if (pid)
		die("process %d can't be counted: %s", (int)pid, run->events->event[0].reason);
	die("nothing can be counted: %s", run->events->event[0].reason);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	interrupted = signal;
}

/* They come while perfex waits, and not between a look at what they say and the wait. */
static void take_interrupts(sigset_t *before)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGALRM };
	const struct sigaction action = { .sa_handler = interrupt };
	unsigned int i;
	sigset_t set;

	sigemptyset(&set);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], &action, NULL);
		sigaddset(&set, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &set, before);
}

/* Whether the process, if it is one, has ended; waits for that, a signal, or until when, if > 0. */
static bool wait_end(pid_t pid, int fd, double when, const sigset_t *mask)
{
	struct pollfd end = { .fd = fd, .events = POLLIN };
	bool look = pid && fd < 0; /* the kernel has no pidfd */
	struct timespec timeout = until(when > 0 ? when : now() + 0.05);

	return ppoll(&end, 1, when > 0 || look ? &timeout : NULL, mask) > 0 ||
	       (look && kill(pid, 0) < 0 && errno == ESRCH);
}

/* Wait until the process, if it is one, ends or perfex is interrupted. */
static void watch(const struct run *run, double start)
{
	pid_t pid = targets_process(run->targets);
	int fd = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	double step = run->interval / 1e3, next = step > 0 ? start + step : 0;
	sigset_t before;

	take_interrupts(&before);
	while (!interrupted && !wait_end(pid, fd, next, &before)) {
		if (run->interval && now() >= next) {
			end_tick(run, now() - start);
			next += step;
		}
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (fd >= 0)
		close(fd);
}

struct outcome run(const struct run *run)
{
	struct outcome outcome = { .ran = false };
	pid_t pid = targets_process(run->targets);
	double start;

	if (run->targets->n)
		attach(run);
	if (run->command)
		return run_command(run);
	run->started(run->arg, pid ? pid : getpid());
	start = now();
	watch(run, start);
	outcome.elapsed = now() - start;
	tasks_read(run->tasks, run->events);
	if (run->interval)
		run->tick(run->arg, outcome.elapsed);
	return outcome;
}
