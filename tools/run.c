// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "die.h"
#include "driver.h"
#include "run.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void read_comm(struct task *task)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)task->tid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(task->comm, sizeof(task->comm), file))
		task->comm[strcspn(task->comm, "\n")] = '\0';
	fclose(file);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	interrupted = signal;
}

/* ---- the command ---- */

/* Signals that perfex itself waits for. The command gets back what perfex was started with. */
static const int waited[] = { SIGCHLD, SIGTERM, SIGHUP };

struct signals {
	sigset_t set, before;
	struct sigaction interrupt, quit, child;
};

static void take_signals(struct signals *signals)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, usual = { .sa_handler = SIG_DFL };
	unsigned int i;

	sigemptyset(&signals->set);
	for (i = 0; i < sizeof(waited) / sizeof(waited[0]); i++)
		sigaddset(&signals->set, waited[i]);
	sigprocmask(SIG_BLOCK, &signals->set, &signals->before);
	/* The terminal sends these to the command as well, which decides what they mean. */
	sigaction(SIGINT, &ignore, &signals->interrupt);
	sigaction(SIGQUIT, &ignore, &signals->quit);
	sigaction(SIGCHLD, &usual, &signals->child); /* whoever ignores it gets no status */
}

static void give_signals_back(const struct signals *signals)
{
	sigaction(SIGINT, &signals->interrupt, NULL);
	sigaction(SIGQUIT, &signals->quit, NULL);
	sigaction(SIGCHLD, &signals->child, NULL);
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

struct child {
	pid_t pid;
	int go;	      /* writing a byte starts the command; closing it ends the child */
	int error;    /* says errno if the command can't be started, else is closed */
	int counters; /* through the driver: the socket on which it sends them; -1 */
};

static struct child start_child(const struct run *run, const struct signals *signals)
{
	int go[2], error[2], counters[2] = { -1, -1 }, fd = -1, failure;
	struct child child;
	char byte;

	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(error, O_CLOEXEC) < 0)
		die("can't start a command: %s", strerror(errno));
	if (run->driver && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, counters) < 0)
		die("can't start a command: %s", strerror(errno));
	child.pid = fork();
	if (child.pid < 0)
		die("can't start a command: %s", strerror(errno));
	if (child.pid == 0) {
		close(go[1]);
		give_signals_back(signals);
		if (run->driver) {
			close(counters[0]);
			fd = driver_give(counters[1]);
		}
		if (read(go[0], &byte, 1) != 1)
			_exit(EXIT_PERFEX);
		if (run->driver)
			driver_start(run->events, counters[1], fd);
		execvp(run->command[0], run->command);
		failure = errno;
		while (write(error[1], &failure, sizeof(failure)) < 0 && errno == EINTR)
			;
		_exit(EXIT_PERFEX);
	}
	close(go[0]);
	close(error[1]);
	child.go = go[1];
	child.error = error[0];
	child.counters = counters[0];
	if (run->driver)
		close(counters[1]);
	return child;
}

/* Let the command start. Exits as a shell would if it can't. */
static void release_child(struct child *child, const char *command)
{
	ssize_t n;
	int failure;

	while (write(child->go, "", 1) < 0 && errno == EINTR)
		;
	close(child->go);
	do {
		n = read(child->error, &failure, sizeof(failure));
	} while (n < 0 && errno == EINTR);
	close(child->error);
	if (n != sizeof(failure))
		return;
	waitpid(child->pid, NULL, __WALL);
	if (failure == ENOENT) {
		fprintf(stderr, "perfex: %s: command not found\n", command);
		exit(EXIT_NOT_FOUND);
	}
	fprintf(stderr, "perfex: %s: can't be executed: %s\n", command, strerror(failure));
	exit(EXIT_NOT_EXECUTABLE);
}

static void end_tick(const struct run *run, double seconds)
{
	events_read(run->events, run->tasks);
	run->tick(run->arg, seconds);
}

/*
 * Wait for the child, passing signals on. On the way there are ticks, or looks whether the driver's
 * counters are there: after 1 ms, 3, 7, ..., and then once in a second.
 */
static void wait_for(const struct run *run, pid_t pid, const struct signals *signals, double start,
		     int *status, struct rusage *usage)
{
	double step = run->driver ? 1e-3 : run->interval / 1e3, next = start + step, left;
	struct timespec timeout;
	int signal;

	while (wait4(pid, status, WNOHANG, usage) == 0) {
		if (step <= 0) {
			signal = sigwaitinfo(&signals->set, NULL);
		} else {
			left = next - now();
			if (left <= 0 && run->driver) {
				driver_look(run->events, pid);
				step = step < 0.5 ? 2 * step : 1;
			} else if (left <= 0) {
				end_tick(run, now() - start);
			}
			if (left <= 0) {
				next += step;
				continue;
			}
			timeout.tv_sec = (time_t)left;
			timeout.tv_nsec = (long)((left - (double)timeout.tv_sec) * 1e9);
			signal = sigtimedwait(&signals->set, NULL, &timeout);
		}
		if (signal == SIGTERM || signal == SIGHUP)
			kill(pid, signal);
	}
}

/* ---- the command, thread by thread ---- */

#define TRACE                                                                                  \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | \
	 PTRACE_O_EXITKILL)

/* Have a stopped thread go on, with the signal it was to get. */
static void go_on(pid_t tid, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;

	if (event == PTRACE_EVENT_STOP &&
	    (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU))
		ptrace(PTRACE_LISTEN, tid, NULL, NULL); /* a group stop: it stays stopped */
	else
		ptrace(PTRACE_CONT, tid, NULL, (void *)(long)(event ? 0 : signal));
}

static void open_thread(const struct run *run, pid_t tid, unsigned int flags)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD, .id = tid };

	events_open(run->events, run->tasks, &target, flags);
}

/* The process that gets the signals that perfex gets; 0: it has ended. */
static volatile sig_atomic_t command;

static void pass_on(int signal)
{
	int error = errno;

	if (command)
		kill((pid_t)command, signal);
	errno = error;
}

/* A thread that executes a program has its process's id from then on: the first thread is no more.
 */
static void rename_thread(const struct run *run, pid_t tid)
{
	unsigned long before;
	struct task *task;

	if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &before) < 0 || (pid_t)before == tid)
		return;
	task = events_task(run->tasks, tid);
	if (task)
		task->ended = true;
	task = events_task(run->tasks, (pid_t)before);
	if (task)
		task->tid = tid;
}

/*
 * Trace the child and all threads and processes that it creates: each stands still once at its
 * birth, and gets counters of its own then, so that none of its instructions is missed.
 */
static void trace(const struct run *run, pid_t child, const struct signals *signals, int *result,
		  struct rusage *usage)
{
	struct sigaction action = { .sa_handler = pass_on };
	struct rusage one;
	struct task *task;
	int status;
	pid_t tid;

	command = child;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
	for (;;) {
		tid = wait4(-1, &status, __WALL, &one);
		if (tid < 0 && errno == EINTR)
			continue;
		if (tid < 0)
			return; /* nobody is left */
		if (!WIFSTOPPED(status)) {
			if (tid == command) {
				command = 0;
				*result = status;
				*usage = one;
			}
			task = events_task(run->tasks, tid);
			if (task)
				task->ended = true;
			continue;
		}
		if (status >> 16 == PTRACE_EVENT_EXEC)
			rename_thread(run, tid);
		task = events_task(run->tasks, tid);
		if (!task) {
			open_thread(run, tid, 0);
			task = events_task(run->tasks, tid);
		}
		read_comm(task);
		go_on(tid, status);
	}
}

static struct outcome run_command(const struct run *run)
{
	struct outcome outcome = { .ran = true };
	struct signals signals;
	struct rusage usage;
	struct child child;
	double start;

	memset(&usage, 0, sizeof(usage));
	take_signals(&signals);
	child = start_child(run, &signals);
	run->started(run->arg, child.pid);
	if (run->driver) {
		driver_take(run->events, child.counters);
	} else if (run->per_thread && run->ntargets == 0) {
		if (ptrace(PTRACE_SEIZE, child.pid, NULL, (void *)TRACE) < 0)
			die("--per-thread has to trace the command, which is not permitted here: %s; "
			    "count without it",
			    strerror(errno));
		open_thread(run, child.pid, PERFCTR_GROUP_ON_EXEC);
	} else if (run->ntargets == 0) {
		open_thread(run, child.pid,
			    PERFCTR_GROUP_ON_EXEC |
				    (run->first_thread ? 0 : PERFCTR_GROUP_INHERIT));
	}
	start = now();
	release_child(&child, run->command[0]);
	if (run->driver) {
		driver_started(run->events, child.counters);
		close(child.counters);
	}
	if (run->per_thread && run->ntargets == 0)
		trace(run, child.pid, &signals, &outcome.status, &usage);
	else
		wait_for(run, child.pid, &signals, start, &outcome.status, &usage);
	outcome.elapsed = now() - start;
	if (run->driver)
		driver_read(run->events);
	else
		events_read(run->events, run->tasks);
	if (run->interval)
		run->tick(run->arg, outcome.elapsed);
	give_signals_back(&signals);
	outcome.user = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
	outcome.sys = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
	return outcome;
}

/* ---- what runs already ---- */

static void attach(const struct run *run)
{
	unsigned int i, inherit = run->first_thread ? 0 : PERFCTR_GROUP_INHERIT;
	pid_t pid = run_pid(run);
	size_t t;

	if (run->per_thread) {
		events_open_threads(run->events, run->tasks, pid, inherit);
		for (t = 0; t < run->tasks->n; t++)
			read_comm(&run->tasks->task[t]);
	} else {
		for (i = 0; i < run->ntargets; i++)
			events_open(run->events, run->tasks, &run->target[i], pid ? inherit : 0);
	}
	if (events_any(run->events, run->tasks))
		return;
	if (pid)
		die("process %d can't be counted: %s", (int)pid, run->events->event[0].reason);
	die("nothing can be counted: %s", run->events->event[0].reason);
}

/* Wait until the process, if it is one, ends or perfex is interrupted. */
static void watch(const struct run *run, double start)
{
	struct sigaction action = { .sa_handler = interrupt };
	pid_t pid = run_pid(run);
	int fd = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	struct pollfd ended = { .fd = fd, .events = POLLIN };
	double next = start + run->interval / 1e3, left;
	struct timespec timeout;
	sigset_t set, before;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	/* They come while perfex waits, and not between a look at what they say and the wait. */
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, &before);
	while (!interrupted) {
		left = run->interval ? next - now() : 0.05;
		if (left < 0)
			left = 0;
		timeout.tv_sec = (time_t)left;
		timeout.tv_nsec = (long)((left - (double)timeout.tv_sec) * 1e9);
		if (ppoll(&ended, 1, run->interval || (pid && fd < 0) ? &timeout : NULL, &before) >
			    0 ||
		    (pid && fd < 0 && kill(pid, 0) < 0 && errno == ESRCH))
			break;
		if (run->interval && now() >= next) {
			end_tick(run, now() - start);
			next += run->interval / 1e3;
		}
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (fd >= 0)
		close(fd);
}

struct outcome run(const struct run *run)
{
	struct outcome outcome = { .ran = false };
	double start;

	if (run->ntargets)
		attach(run);
	if (run->command)
		return run_command(run);
	run->started(run->arg, run_pid(run) ? run_pid(run) : getpid());
	start = now();
	watch(run, start);
	outcome.elapsed = now() - start;
	events_read(run->events, run->tasks);
	if (run->interval)
		run->tick(run->arg, outcome.elapsed);
	return outcome;
}
