// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
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

void perfctr_call_sleep(unsigned int us)
{
	int state = hold_cancellation();

	usleep(us);
	let_cancellation(state);
}

/* ---- the owner of a descriptor ---- */

#define WORD_BITS 32
#define WORDS	  (1u << 15) /* a million events; a child keeps those beyond them */
#define FILES	  (1u << 16) /* and of the library's other files those beyond these */

/*
 * A child of fork() gets this memory. A bit is set after an open and cleared before a close: a fork
 * in between leaves the child a descriptor too many, but never closes one that belongs to the
 * program.
 */
static struct {
	atomic_uint owned[WORDS];
	atomic_uint file[FILES]; /* the file, by file_of(); 0: an event */
	atomic_uint words_in_use;
} table;

/* Identifies a descriptor's file by a hash of its name, which has a socket's number. 0: unknown. */
static unsigned int file_of(int fd)
{
	char link[sizeof("/proc/self/fd/") + 10], name[256];
	unsigned int hash = 2166136261; /* Fowler, Noll, Vo: FNV-1a */
	ssize_t i, length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, name, sizeof(name));
	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619;
	return length > 0 ? hash | 1 : 0;
}

/* A program may close all that there are, and open others in their place. */
static bool is_owned(int fd)
{
	unsigned int file = (unsigned int)fd < FILES ? atomic_load(&table.file[fd]) : 0;
	uint64_t id;

	if (file)
		return file_of(fd) == file;
	return perfctr_call_ioctl(fd, PERF_EVENT_IOC_ID, (uintptr_t)&id) == 0;
}

static void close_owned(void)
{
	unsigned int i, bits;
	int error = errno, fd;

	for (i = 0; i < atomic_load(&table.words_in_use); i++) {
		for (bits = atomic_load(&table.owned[i]); bits; bits &= bits - 1) {
			fd = (int)(i * WORD_BITS) + __builtin_ctz(bits);
			if (is_owned(fd))
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

static void own(int fd, unsigned int file)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	unsigned int i = (unsigned int)fd / WORD_BITS, used = atomic_load(&table.words_in_use);

	pthread_once(&once, close_at_fork);
	while (used <= i && !atomic_compare_exchange_weak(&table.words_in_use, &used, i + 1))
		;
	if ((unsigned int)fd < FILES)
		atomic_store(&table.file[fd], file);
	atomic_fetch_or(&table.owned[i], 1u << fd % WORD_BITS);
}

void perfctr_call_own_event(int fd)
{
	if ((unsigned int)fd / WORD_BITS < WORDS)
		own(fd, 0);
}

void perfctr_call_own_file(int fd)
{
	int error = errno;
	unsigned int file = (unsigned int)fd < FILES ? file_of(fd) : 0;

	if (file)
		own(fd, file);
	errno = error;
}

void perfctr_call_disown(int fd)
{
	unsigned int i = (unsigned int)fd / WORD_BITS;

	if (i < WORDS)
		atomic_fetch_and(&table.owned[i], ~(1u << fd % WORD_BITS));
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

	perfctr_call_disown(fd);
	close(fd);
	errno = error;
	let_cancellation(state);
}
