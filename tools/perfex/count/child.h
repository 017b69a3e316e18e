/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * child.h - the command's process: it waits until its counters are open, and then executes the
 * command, with the signals that perfex was started with. The calls exit on failure.
 */
#ifndef PERFCTR_TOOLS_CHILD_H
#define PERFCTR_TOOLS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include "tools/perfex/count/driver.h"

/*
 * Raise perfex's soft limit of descriptors, since each event on each processor takes one, and
 * ignore the signal of files that become too large, which would leave half a file where an error
 * leaves the old one; and restore both for a program that is executed.
 */
void limits_raise(void);
void limits_give_back(void);

struct child {
	pid_t pid;
	int socket;   /* a byte starts the command; closing it ends the child, which says errno if
			 the command can't be started, and else closes it */
	int counters; /* through the driver: the socket on which it sends them; -1 */
	/* Signals that perfex itself waits for until child_end(): SIGCHLD, SIGTERM, SIGHUP. SIGINT
	 * and SIGQUIT are blocked, too, until child_release(). */
	sigset_t waited, before;
};

/* driver is NULL if it does not count. */
void child_start(struct child *child, char **command, const struct driver *driver);

/*
 * Let the command start. If it can't be executed perfex ends as a shell would; if a signal has
 * ended it before, as by that signal.
 */
void child_release(const struct child *child, const char *command);

/* Whether the terminal has interrupted the command, or told it to quit, since child_start(). */
bool child_interrupted(void);

/*
 * The child has ended: restores perfex's signals. Whether the terminal has interrupted the command
 * or told it to quit, however it reacted.
 */
bool child_end(void);

/*
 * Says that another command follows at once, so that child_end() leaves the signals as they are,
 * unless there was an interruption; false restores them, and ends perfex by an interruption that
 * came since.
 */
void child_series(bool stay);

/* The file that execvp(3) executes; to be freed. NULL: there is none. */
char *child_find(const char *command);

/* Becomes the command, with what perfex was started with; or ends as a shell would. */
void child_become(char **command) __attribute__((noreturn));

#endif /* PERFCTR_TOOLS_CHILD_H */
