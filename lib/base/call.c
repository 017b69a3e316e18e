// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "libperfctr.h"

static int hold_cancellation(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

static void let_cancellation(int state)
{
	pthread_setcancelstate(state, &state);
}

int perfctr_call_open(const char *path, int flags)
{
	int state = hold_cancellation();
	int fd = open(path, flags | O_CLOEXEC);

	let_cancellation(state);
	return fd;
}

int perfctr_call_openat(int folder, const char *path)
{
	int state = hold_cancellation();
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);

	let_cancellation(state);
	return fd;
}

ssize_t perfctr_call_read(int fd, void *bytes, size_t size)
{
	int state = hold_cancellation();
	ssize_t got = read(fd, bytes, size);

	let_cancellation(state);
	return got;
}

DIR *perfctr_call_opendir(const char *path)
{
	int state = hold_cancellation();
	DIR *dir = opendir(path);

	let_cancellation(state);
	return dir;
}

void perfctr_call_closedir(DIR *dir)
{
	int state = hold_cancellation(), error = errno;

	closedir(dir);
	errno = error;
	let_cancellation(state);
}

ssize_t perfctr_call_sendmsg(int fd, const struct msghdr *message, int flags)
{
	int state = hold_cancellation();
	ssize_t sent = sendmsg(fd, message, flags);

	let_cancellation(state);
	return sent;
}

ssize_t perfctr_call_recvmsg(int fd, struct msghdr *message, int flags)
{
	int state = hold_cancellation();
	ssize_t got = recvmsg(fd, message, flags);

	let_cancellation(state);
	return got;
}

ssize_t perfctr_call_recv(int fd, void *bytes, size_t size, int flags)
{
	int state = hold_cancellation();
	ssize_t got = recv(fd, bytes, size, flags);

	let_cancellation(state);
	return got;
}

int perfctr_call_ioctl(int fd, unsigned long request, unsigned long argument)
{
#ifdef __GLIBC__
	return ioctl(fd, request, argument);
#else
	return ioctl(fd, (int)request, argument); /* as POSIX has it */
#endif
}

int perfctr_call_epoll_wait(int fd, struct epoll_event *events, int n)
{
	int state = hold_cancellation();
	int found = epoll_wait(fd, events, n, 0);

	let_cancellation(state);
	return found;
}

void perfctr_call_sleep(unsigned int us)
{
	int state = hold_cancellation();

	usleep(us);
	let_cancellation(state);
}

/* ---- who owns a descriptor ---- */

#define WORD_BITS 32
#define WORDS	  (1u << 15) /* a million descriptors; a child keeps those beyond them */

/*
 * In memory that a child does have. A bit is set behind an open and cleared before a close: a fork
 * in between leaves the child a descriptor too many, but never takes one that is another's.
 */
static struct {
	atomic_uint owned[WORDS], events[WORDS];
	atomic_uint words_in_use;
} table;

/* A program may close all that there are, and open others in their place. */
static bool is_event(int fd)
{
	uint64_t id;

	return perfctr_call_ioctl(fd, PERF_EVENT_IOC_ID, (uintptr_t)&id) == 0;
}

static void close_owned(void)
{
	unsigned int i, bits, events;
	int error = errno, fd;

	for (i = 0; i < atomic_load(&table.words_in_use); i++) {
		events = atomic_load(&table.events[i]);
		for (bits = atomic_load(&table.owned[i]); bits; bits &= bits - 1) {
			fd = (int)(i * WORD_BITS) + __builtin_ctz(bits);
			if (!(events & bits & -bits) || is_event(fd))
				perfctr_call_close(fd);
			perfctr_call_disown(fd);
		}
	}
	errno = error;
}

static void close_at_fork(void)
{
	pthread_atfork(NULL, NULL, close_owned);
}

void perfctr_call_own(int fd, bool event)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	unsigned int i = (unsigned int)fd / WORD_BITS, used = atomic_load(&table.words_in_use);

	if (i >= WORDS)
		return;
	pthread_once(&once, close_at_fork);
	while (used <= i && !atomic_compare_exchange_weak(&table.words_in_use, &used, i + 1))
		;
	if (event)
		atomic_fetch_or(&table.events[i], 1u << fd % WORD_BITS);
	atomic_fetch_or(&table.owned[i], 1u << fd % WORD_BITS);
}

void perfctr_call_disown(int fd)
{
	unsigned int i = (unsigned int)fd / WORD_BITS;

	if (i >= WORDS)
		return;
	atomic_fetch_and(&table.owned[i], ~(1u << fd % WORD_BITS));
	atomic_fetch_and(&table.events[i], ~(1u << fd % WORD_BITS));
}

void perfctr_call_close(int fd)
{
	int state = hold_cancellation(), error = errno;

	perfctr_call_disown(fd);
	close(fd);
	errno = error;
	let_cancellation(state);
}
