// SPDX-License-Identifier: LGPL-2.1-or-later
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/child.h"

/* ---- limits ---- */

static struct rlimit descriptors;
static struct sigaction too_large;
static bool raised;

void limits_raise(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &descriptors) < 0)
		return;
	most = (struct rlimit){ descriptors.rlim_max, descriptors.rlim_max };
	setrlimit(RLIMIT_NOFILE, &most);
	sigaction(SIGXFSZ, &ignore, &too_large);
	raised = true;
}

void limits_give_back(void)
{
	if (!raised)
		return;
	setrlimit(RLIMIT_NOFILE, &descriptors);
	sigaction(SIGXFSZ, &too_large, NULL);
}

/* ---- the interpreter that is missing ---- */

static bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

char *child_find(const char *command)
{
	const char *place = getenv("PATH");
	char *path = NULL;
	size_t length;

	if (strchr(command, '/'))
		return is_file(command) ? need(strdup(command)) : NULL;
	for (place = place ? place : "/bin:/usr/bin"; place; place += length + 1) {
		length = strcspn(place, ":");
		if (asprintf(&path, "%.*s%s%s", (int)length, place, length ? "/" : "", command) < 0)
			need(NULL);
		if (is_file(path))
			return path;
		free(path);
		if (!place[length])
			break;
	}
	return NULL;
}

/* Parses a line such as "#! /bin/sh -x". */
static char *interpreter_of_script(char *line)
{
	char *name = line + 2 + strspn(line + 2, " \t");

	name[strcspn(name, " \t\n")] = '\0';
	return name;
}

/* Returns the offset of a program's interpreter, for either class; 0: there is none. */
static size_t find_interpreter(const char *bytes, size_t size, size_t *length)
{
	bool is_64 = bytes[EI_CLASS] == ELFCLASS64;
	Elf64_Ehdr head;
	Elf32_Ehdr head32;
	Elf64_Phdr segment;
	Elf32_Phdr segment32;
	size_t at, i, n;

	memcpy(&head, bytes, sizeof(head));
	memcpy(&head32, bytes, sizeof(head32));
	at = is_64 ? (size_t)head.e_phoff : head32.e_phoff;
	n = is_64 ? head.e_phnum : head32.e_phnum;
	for (i = 0; i < n && at < size && size - at >= sizeof(segment); i++) {
		memcpy(&segment, bytes + at, sizeof(segment));
		memcpy(&segment32, bytes + at, sizeof(segment32));
		*length = is_64 ? (size_t)segment.p_filesz : segment32.p_filesz;
		if (segment.p_type == PT_INTERP)
			return is_64 ? (size_t)segment.p_offset : segment32.p_offset;
		at += is_64 ? sizeof(segment) : sizeof(segment32);
	}
	return 0;
}

static char *interpreter_of_program(char *bytes, size_t size)
{
	size_t length, at = find_interpreter(bytes, size, &length);

	if (!at || at >= size || length > size - at || !memchr(bytes + at, 0, length))
		return NULL;
	return bytes + at;
}

/*
 * The interpreter of a script, or the dynamic linker of a program, that execvp(3) does not find for
 * this command; to be freed. NULL: that is not why it fails.
 */
static char *missing_interpreter(const char *command)
{
	char bytes[4096], *name = NULL, *path = child_find(command);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes) - 1);

	if (fd >= 0)
		close(fd);
	free(path);
	if (size <= 0)
		return NULL;
	bytes[size] = '\0';
	if (bytes[0] == '#' && bytes[1] == '!')
		name = interpreter_of_script(bytes);
	else if ((size_t)size > sizeof(Elf64_Ehdr) && !memcmp(bytes, ELFMAG, SELFMAG))
		name = interpreter_of_program(bytes, (size_t)size);
	return name && access(name, F_OK) < 0 ? need(strdup(name)) : NULL;
}

/* ---- signals ---- */

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	interrupted = signal;
}

/* perfex waits for these. */
static const int ours[] = { SIGCHLD, SIGTERM, SIGHUP };

static const int taken[] = { SIGINT, SIGQUIT, SIGCHLD };

/* As they were, with the signals that perfex waits for. */
static void let_interrupts(const struct child *child)
{
	sigset_t set = child->before;
	unsigned int i;

	for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		sigaddset(&set, ours[i]);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

/* The signals, from the first command of a series to its last one. */
static struct {
	bool stay, taken;
	sigset_t before;
	struct sigaction old[3];
} series;

static void take_actions(void)
{
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		/*
		 * The terminal sends SIGINT and SIGQUIT to the command, too, which decides what
		 * they mean. If SIGCHLD is ignored, there is no status.
		 */
		if (taken[i] == SIGCHLD)
			action.sa_handler = SIG_DFL;
		sigaction(taken[i], &action, &series.old[i]);
		if (taken[i] != SIGCHLD && series.old[i].sa_handler == SIG_IGN)
			sigaction(taken[i], &series.old[i], NULL);
	}
}

static void restore_actions(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		sigaction(taken[i], &series.old[i], NULL);
}

static void restore(void)
{
	restore_actions();
	sigprocmask(SIG_SETMASK, &series.before, NULL);
	series.taken = false;
}

/*
 * Until the command starts, SIGINT and SIGQUIT have no meaning yet: they wait, so that they are not
 * lost before something that can be interrupted, such as outfile_open(). One that came between two
 * commands of a series ends perfex, as it does before the first one.
 */
static void take_signals(struct child *child)
{
	sigset_t blocked;
	unsigned int i;

	sigemptyset(&child->waited);
	for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		sigaddset(&child->waited, ours[i]);
	blocked = child->waited;
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGQUIT);
	sigprocmask(SIG_BLOCK, &blocked, series.taken ? NULL : &series.before);
	if (series.taken && interrupted)
		end_by(interrupted);
	if (!series.taken) {
		interrupted = 0;
		take_actions();
	}
	series.taken = true;
	child->before = series.before;
}

bool child_interrupted(void)
{
	return interrupted;
}

void child_series(bool stay)
{
	series.stay = stay;
	if (stay || !series.taken)
		return;
	restore();
	if (interrupted)
		end_by(interrupted);
}

bool child_end(void)
{
	if (!series.stay || interrupted)
		restore();
	return interrupted;
}

/* ---- the child's side ---- */

/* Tells perfex why the command does not start: an errno, or a signal's number below zero. */
static void tell(int perfex, int failure)
{
	while (write(perfex, &failure, sizeof(failure)) < 0 && errno == EINTR)
		;
}

static void execute(char **command, int perfex)
{
	limits_give_back();
	execvp(command[0], command);
	tell(perfex, errno);
}

/* Returns a signal that waits, and will end this process unless it was blocked all along. 0: none.
 */
static int find_end(const struct child *child)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	struct sigaction action;
	sigset_t pending;
	unsigned int i;

	sigpending(&pending);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], NULL, &action);
		if (sigismember(&pending, signals[i]) && action.sa_handler == SIG_DFL &&
		    !sigismember(&child->before, signals[i]))
			return signals[i];
	}
	return 0;
}

/*
 * Signals that would end this process wait until the command is released: perfex opens counters of
 * it until then.
 */
static void wait_and_execute(char **command, const struct driver *driver, const struct child *child,
			     int perfex, int counters)
{
	int fd = driver ? driver_give(counters) : -1, signal;
	char byte;

	restore_actions();
	if (read(perfex, &byte, 1) != 1)
		return;
	signal = find_end(child);
	if (signal)
		tell(perfex, -signal);
	if (driver)
		driver_start(driver, counters, fd);
	sigprocmask(SIG_SETMASK, &child->before, NULL);
	execute(command, perfex);
}

/* ---- perfex's side ---- */

void child_start(struct child *child, char **command, const struct driver *driver)
{
	int ends[2], counters[2] = { -1, -1 };

	take_signals(child);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0 ||
	    (driver && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, counters) < 0) ||
	    (child->pid = fork()) < 0)
		die("can't start a command: %s", strerror(errno));
	if (child->pid == 0) {
		close(ends[0]);
		if (driver)
			close(counters[0]);
		wait_and_execute(command, driver, child, ends[1], counters[1]);
		_exit(EXIT_PERFEX);
	}
	close(ends[1]);
	if (driver)
		close(counters[1]);
	child->socket = ends[0];
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

/* A signal ends the child, or (0) has ended it, before it executed the command. */
static void __attribute__((noreturn))
end_early(const struct child *child, const char *command, int signal)
{
	int status;

	/* If perfex traces it, it would stop at its signal. */
	kill(child->pid, SIGKILL);
	do {
		waitpid(child->pid, &status, __WALL);
	} while (WIFSTOPPED(status));
	if (!signal && WIFSIGNALED(status))
		signal = WTERMSIG(status);
	if (!signal)
		die("%s was not executed: its process has ended before", command);
	say("%s was not executed: signal %d (%s) came before", command, signal, strsignal(signal));
	end_by(signal);
}

/* False: the child is no more. */
static bool write_go(const struct child *child)
{
	ssize_t n;

	do {
		n = send(child->socket, "", 1, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n == 1;
}

void child_release(const struct child *child, const char *command)
{
	bool alive = write_go(child);
	ssize_t n;
	int failure;

	let_interrupts(child);
	do {
		n = read(child->socket, &failure, sizeof(failure));
	} while (n < 0 && errno == EINTR);
	close(child->socket);
	if (n != sizeof(failure))
		failure = 0;
	if (!alive || failure < 0)
		end_early(child, command, -failure);
	if (!failure)
		return;
	waitpid(child->pid, NULL, __WALL);
	end_unexecuted(command, failure);
}

void child_become(char **command)
{
	limits_give_back();
	execvp(command[0], command);
	end_unexecuted(command[0], errno);
}
