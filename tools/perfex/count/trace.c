// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/trace.h"

#define TRACE                                                                                  \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | \
	 PTRACE_O_EXITKILL)

void trace_begin(const struct child *child, const char *option)
{
	if (ptrace(PTRACE_SEIZE, child->pid, NULL, (void *)TRACE) < 0)
		die("%s has to trace the command, which is not permitted here: %s; "
		    "count without it",
		    option, strerror(errno));
}

void trace_interrupt(pid_t pid)
{
	char name[64];
	const struct dirent *entry;
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%d/task", (int)pid);
	dir = opendir(name);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			ptrace(PTRACE_INTERRUPT, atoi(entry->d_name), NULL, NULL);
	if (dir)
		closedir(dir);
}

/* Have a stopped thread go on, with the signal it was to get; traced no more if it is left. */
static void go_on(pid_t tid, int status, bool left)
{
	int signal = WSTOPSIG(status), event = status >> 16;

	if (left)
		ptrace(PTRACE_DETACH, tid, NULL, (void *)(long)(event ? 0 : signal));
	else if (event == PTRACE_EVENT_STOP &&
		 (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU))
		ptrace(PTRACE_LISTEN, tid, NULL, NULL); /* a group stop: it stays stopped */
	else
		ptrace(PTRACE_CONT, tid, NULL, (void *)(long)(event ? 0 : signal));
}

/* The process that gets the signals that perfex gets; 0: it has ended. */
static volatile sig_atomic_t command;
static volatile sig_atomic_t asked; /* the last of these; 0: none */

static void pass_on(int signal)
{
	int error = errno;

	asked = signal;
	if (command)
		kill((pid_t)command, signal);
	errno = error;
}

static void pass_signals_on(const struct child *child)
{
	const struct sigaction action = { .sa_handler = pass_on };

	command = child->pid;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigprocmask(SIG_SETMASK, &child->before, NULL);
	if (asked) /* between two runs */
		kill(child->pid, asked);
}

bool trace_interrupted(void)
{
	return asked;
}

void trace_all(const struct child *child, const struct watcher *watcher, int *status,
	       struct rusage *usage)
{
	struct rusage one;
	bool left = false;
	int now;
	pid_t tid;

	pass_signals_on(child);
	for (;;) {
		tid = wait4(-1, &now, __WALL, &one);
		if (tid < 0 && errno != EINTR)
			return; /* no thread is left */
		if (tid > 0 && WIFSTOPPED(now)) {
			watcher->stopped(watcher->arg, tid, now);
			go_on(tid, now, left);
			continue;
		}
		if (tid > 0 && tid == command) {
			command = 0;
			*status = now;
			*usage = one;
		}
		if (tid > 0)
			watcher->ended(watcher->arg, tid);
		left = left || (!command && watcher->leave && watcher->leave(watcher->arg));
	}
}

/* ---- threads ---- */

struct threads {
	struct tasks *tasks;
	struct events *events;
};

static void end_task(const struct tasks *tasks, pid_t tid)
{
	struct task *task = tasks_find(tasks, tid);

	if (task)
		task->ended = true;
}

/* A thread that executes a program has its process's id from then on: the first thread is no more.
 */
static void rename_thread(const struct tasks *tasks, pid_t tid)
{
	unsigned long before;
	struct task *task;

	if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &before) < 0 || (pid_t)before == tid)
		return;
	end_task(tasks, tid);
	task = tasks_find(tasks, (pid_t)before);
	if (task)
		task->tid = tid;
}

/* A thread stands still: just born, or somewhere on its way. */
static void thread_stopped(void *arg, pid_t tid, int status)
{
	const struct threads *threads = arg;

	if (status >> 16 == PTRACE_EVENT_EXEC)
		rename_thread(threads->tasks, tid);
	if (!tasks_find(threads->tasks, tid))
		tasks_open_thread(threads->tasks, threads->events, tid, 0);
	tasks_name(tasks_find(threads->tasks, tid));
}

static void thread_ended(void *arg, pid_t tid)
{
	const struct threads *threads = arg;

	end_task(threads->tasks, tid);
}

void trace_threads(const struct child *child, struct tasks *tasks, struct events *events,
		   int *status, struct rusage *usage)
{
	struct threads threads = { tasks, events };
	const struct watcher watcher = { thread_stopped, thread_ended, NULL, &threads };

	trace_all(child, &watcher, status, usage);
}
