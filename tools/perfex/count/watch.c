// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tools/perfex/base/clock.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/watch.h"

struct timespec watch_left(double when)
{
	double left = when - clock_seconds();
	struct timespec t = { 0, 0 };

	if (left > 0) {
		t.tv_sec = (time_t)left;
		t.tv_nsec = (long)((left - (double)t.tv_sec) * 1e9);
	}
	return t;
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	interrupted = signal;
}

/* Lets signals interrupt only the wait, and not come between a test of their flag and the wait. */
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

void watch_begin(struct watch *watch, const struct targets *targets)
{
	unsigned int i;

	watch->targets = targets;
	watch->ends = need(calloc(targets->n, sizeof(*watch->ends)));
	watch->ended = need(calloc(targets->n, sizeof(*watch->ended)));
	for (i = 0; i < targets->n; i++) {
		watch->ends[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
		/* A thread that is no process can't have one, or (Linux 6.9) only with a flag. */
		if (targets->target[i].type == PERFCTR_TARGET_PROCESS)
			watch->ends[i].fd = (int)syscall(SYS_pidfd_open, targets->target[i].id, 0);
	}
	take_interrupts(&watch->before);
}

static void end_one(struct watch *watch, unsigned int i)
{
	watch->ended[i] = true;
	if (watch->ends[i].fd >= 0)
		close(watch->ends[i].fd);
	watch->ends[i].fd = -1;
}

/* Whether something is left of targets that end. */
static bool look(struct watch *watch)
{
	unsigned int i, left = 0;

	for (i = 0; i < watch->targets->n; i++) {
		if (watch->ends[i].revents ||
		    (watch->ends[i].fd < 0 && kill(watch->targets->target[i].id, 0) < 0 &&
		     errno == ESRCH))
			end_one(watch, i);
		left += !watch->ended[i];
	}
	return left;
}

/* Whether there is an end of which no descriptor tells. */
static bool must_look(const struct watch *watch)
{
	unsigned int i;

	for (i = 0; i < watch->targets->n; i++)
		if (!watch->ended[i] && watch->ends[i].fd < 0)
			return true;
	return false;
}

bool watch_wait(struct watch *watch, double when)
{
	bool ends = !watch->targets->what;
	struct timespec timeout;
	double until;

	while (!interrupted && (!ends || look(watch))) {
		if (when > 0 && clock_seconds() >= when)
			return false;
		until = ends && must_look(watch) ? clock_seconds() + 0.05 : when;
		if (when > 0 && until > when)
			until = when;
		timeout = watch_left(until);
		ppoll(watch->ends, ends ? watch->targets->n : 0, until > 0 ? &timeout : NULL,
		      &watch->before);
	}
	return true;
}

void watch_end(struct watch *watch)
{
	unsigned int i;

	sigprocmask(SIG_SETMASK, &watch->before, NULL);
	for (i = 0; i < watch->targets->n; i++)
		end_one(watch, i);
	free(watch->ends);
	free(watch->ended);
}
