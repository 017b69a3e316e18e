// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include "tools/perfex/base/patient.h"

static const int ending[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };

#define NR_ENDING (sizeof(ending) / sizeof(ending[0]))

struct held {
	struct sigaction action[NR_ENDING];
	sigset_t mask;
};

/* Lets signals end perfex, those that came meanwhile included. A command that waits ends with it.
 */
static void let_signals(struct held *held)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < NR_ENDING; i++) {
		sigaction(ending[i], NULL, &held->action[i]);
		if (held->action[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &usual, NULL);
		sigaddset(&set, ending[i]);
	}
	sigprocmask(SIG_UNBLOCK, &set, &held->mask);
}

static void hold_signals(const struct held *held)
{
	int error = errno;
	size_t i;

	sigprocmask(SIG_SETMASK, &held->mask, NULL);
	for (i = 0; i < NR_ENDING; i++)
		sigaction(ending[i], &held->action[i], NULL);
	errno = error;
}

/* Of a socket's name, too, open(2) says ENXIO, and always will. */
static bool wants_reader(const char *path)
{
	struct stat status;

	return errno == ENXIO && stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

int patient_open(const char *path, int flags, mode_t mode)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	struct held held;
	int fd;

	let_signals(&held);
	for (;;) {
		fd = open(path, flags | O_NONBLOCK, mode);
		if (fd >= 0 || !wants_reader(path))
			break;
		nanosleep(&moment, NULL);
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	hold_signals(&held);
	return fd;
}
