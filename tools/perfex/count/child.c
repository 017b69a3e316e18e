// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/perfex/count/child.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/limits.h"
#include "tools/perfex/count/missing.h"

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	interrupted = signal;
}

static const int taken[] = { SIGINT, SIGQUIT, SIGCHLD };

static void take_signals(struct child *child)
{
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
	unsigned int i;

	interrupted = 0;
	sigemptyset(&child->waited);
	sigaddset(&child->waited, SIGCHLD);
	sigaddset(&child->waited, SIGTERM);
	sigaddset(&child->waited, SIGHUP);
	sigprocmask(SIG_BLOCK, &child->waited, &child->before);
	for (i = 0; i < 3; i++) {
		sigaction(taken[i], NULL, &child->old[i]);
		/* The terminal sends the command SIGINT and SIGQUIT, too, and it decides what they
		 * mean. Whoever ignores SIGCHLD gets no status. */
		if (taken[i] == SIGCHLD)
			action.sa_handler = SIG_DFL;
		else if (child->old[i].sa_handler == SIG_IGN)
			continue;
		sigaction(taken[i], &action, NULL);
	}
}

bool child_end(const struct child *child)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		sigaction(taken[i], &child->old[i], NULL);
	sigprocmask(SIG_SETMASK, &child->before, NULL);
	return interrupted;
}

/* ---- the child's side ---- */

static void execute(char **command, int error)
{
	int failure;

	limits_give_back();
	execvp(command[0], command);
	failure = errno;
	while (write(error, &failure, sizeof(failure)) < 0 && errno == EINTR)
		;
}

static void wait_and_execute(char **command, const struct driver *driver, int go, int error,
			     int counters)
{
	int fd = driver ? driver_give(counters) : -1;
	char byte;

	if (read(go, &byte, 1) != 1)
		return;
	if (driver)
		driver_start(driver, counters, fd);
	execute(command, error);
}

/* ---- perfex's side ---- */

void child_start(struct child *child, char **command, const struct driver *driver)
{
	int go[2], error[2], counters[2] = { -1, -1 };

	take_signals(child);
	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(error, O_CLOEXEC) < 0 ||
	    (driver && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, counters) < 0) ||
	    (child->pid = fork()) < 0)
		die("can't start a command: %s", strerror(errno));
	if (child->pid == 0) {
		close(go[1]);
		if (driver)
			close(counters[0]);
		child_end(child);
		wait_and_execute(command, driver, go[0], error[1], counters[1]);
		_exit(EXIT_PERFEX);
	}
	close(go[0]);
	close(error[1]);
	if (driver)
		close(counters[1]);
	child->go = go[1];
	child->error = error[0];
	child->counters = counters[0];
}

static void __attribute__((noreturn)) end_unexecuted(const char *command, int failure)
{
	char *interpreter = failure == ENOENT ? missing_interpreter(command) : NULL;

	if (failure == ENOENT && !interpreter) {
		say("%s: command not found", command);
		exit(EXIT_NOT_FOUND);
	}
	if (interpreter)
		say("%s: can't be executed: its interpreter %s is not there", command, interpreter);
	else
		say("%s: can't be executed: %s", command, strerror(failure));
	free(interpreter);
	exit(EXIT_NOT_EXECUTABLE);
}

void child_release(const struct child *child, const char *command)
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
	end_unexecuted(command, failure);
}
