// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
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

int perfctr_call_openat(int directory, const char *path)
{
	int state = hold_cancellation();
	int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);

	let_cancellation(state);
	return fd;
}

/* Counts are read by it, so that its cost shows. syscall(2) is no cancellation point. */
ssize_t perfctr_call_read(int fd, void *bytes, size_t size)
{
	return syscall(SYS_read, fd, bytes, size);
}

ssize_t perfctr_call_write(int fd, const void *bytes, size_t size)
{
	int state = hold_cancellation();
	ssize_t put = write(fd, bytes, size);

	let_cancellation(state);
	return put;
}

int perfctr_call_wait_to_write(int fd)
{
	struct pollfd its = { .fd = fd, .events = POLLOUT };
	int state = hold_cancellation();
	int n = poll(&its, 1, -1);

	let_cancellation(state);
	return n;
}

void perfctr_call_take_signals(const sigset_t *signals)
{
	const struct timespec now = { 0, 0 };
	int state = hold_cancellation(), error = errno;

	while (sigtimedwait(signals, NULL, &now) > 0)
		;
	errno = error;
	let_cancellation(state);
}

int perfctr_call_create(const char *path, bool fresh)
{
	int state = hold_cancellation();
	int fd = open(path,
		      O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY |
			      (fresh ? O_EXCL | O_NOFOLLOW : O_APPEND),
		      0666);

	let_cancellation(state);
	return fd;
}

bool perfctr_call_is_special(const char *path)
{
	struct stat stat_;

	return lstat(path, &stat_) == 0 && !S_ISREG(stat_.st_mode);
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
	return ioctl(fd, (int)request, argument); /* POSIX has an int here */
#endif
}

#if defined(__x86_64__) && !defined(__ILP32__)

int perfctr_call_ioctl_and_mask(int fd, unsigned long request, unsigned long argument,
				const uint64_t *mask)
{
	register unsigned long size __asm__("r10") = sizeof(*mask);
	register long result __asm__("r8");
	long number = SYS_ioctl, first = fd;

	__asm__ __volatile__("	syscall\n"
			     "	mov	%%rax, %%r8\n"
			     "	mov	%[sigprocmask], %%eax\n"
			     "	mov	%[how], %%edi\n"
			     "	mov	%[mask], %%rsi\n"
			     "	xor	%%edx, %%edx\n"
			     "	syscall\n"
			     : "+a"(number), "+D"(first), "+S"(request), "+d"(argument),
			       "=&r"(result)
			     : "r"(size), [mask] "r"(mask), [sigprocmask] "i"(SYS_rt_sigprocmask),
			       [how] "i"(SIG_SETMASK)
			     : "rcx", "r11", "cc", "memory");
	return (int)result;
}

#elif defined(__aarch64__)

int perfctr_call_ioctl_and_mask(int fd, unsigned long request, unsigned long argument,
				const uint64_t *mask)
{
	register long number __asm__("x8") = SYS_ioctl;
	register long first __asm__("x0") = fd;
	register unsigned long second __asm__("x1") = request;
	register unsigned long third __asm__("x2") = argument;
	register unsigned long size __asm__("x3") = sizeof(*mask);
	long result;

	__asm__ __volatile__("	svc	#0\n"
			     "	mov	%[result], x0\n"
			     "	mov	x8, %[sigprocmask]\n"
			     "	mov	x0, %[how]\n"
			     "	mov	x1, %[mask]\n"
			     "	mov	x2, #0\n"
			     "	svc	#0\n"
			     : "+r"(number), "+r"(first), "+r"(second),
			       "+r"(third), [result] "=&r"(result)
			     : "r"(size), [mask] "r"(mask), [sigprocmask] "i"(SYS_rt_sigprocmask),
			       [how] "i"(SIG_SETMASK)
			     : "cc", "memory");
	return (int)result;
}

#else

int perfctr_call_ioctl_and_mask(int fd, unsigned long request, unsigned long argument,
				const uint64_t *mask)
{
	int error = errno, result = perfctr_call_ioctl(fd, request, argument) < 0 ? -errno : 0;
	sigset_t signals;

	sigemptyset(&signals);
	memcpy(&signals, mask, sizeof(*mask));
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
	errno = error;
	return result;
}

#endif

int perfctr_call_epoll_wait(int fd, struct epoll_event *events, int n)
{
	int state = hold_cancellation();
	int found = epoll_wait(fd, events, n, 0);

	let_cancellation(state);
	return found;
}

bool perfctr_call_hangs_up(int fd)
{
	struct pollfd its = { .fd = fd };
	int state = hold_cancellation(), n = poll(&its, 1, 0);

	let_cancellation(state);
	return n == 1 && its.revents & POLLHUP;
}

void perfctr_call_sleep(unsigned int us)
{
	int state = hold_cancellation();

	usleep(us);
	let_cancellation(state);
}

/* ---- events ---- */

/*
 * The request means nothing to other files: the kernel's list gives '$' 00-0F to perf_events alone
 * (Documentation/userspace-api/ioctl/ioctl-number.rst).
 */
unsigned long perfctr_call_event_id(int fd)
{
	uint64_t id;

	return perfctr_call_ioctl(fd, PERF_EVENT_IOC_ID, (uintptr_t)&id) == 0 ? (unsigned long)id
									      : 0;
}

void perfctr_signals_block(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old);
}

void perfctr_call_close(int fd)
{
	int state = hold_cancellation(), error = errno;

	close(fd);
	errno = error;
	let_cancellation(state);
}

/* close_range(2) came with Linux 5.9; a container's profile may refuse it. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

void perfctr_call_close_range(int first, int last)
{
	int error = errno, fd;

	if (first == last || syscall(SYS_close_range, first, last, 0) < 0)
		for (fd = first; fd <= last; fd++)
			perfctr_call_close(fd);
	errno = error;
}
