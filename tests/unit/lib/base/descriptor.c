// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests whose a descriptor is; tests/unit/closed.c has programs that take the library's. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/descriptor.h"
#include "lib/perf/sys.h"
#include "libperfctr.h"
#define LEAVES_FILES /* a test's own */
#include "tests/harness/check.h"

static unsigned int ranges; /* calls of close_range(2) */
static bool refuses;	    /* the kernel refuses it */

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

__attribute__((no_sanitize("address"))) long __wrap_syscall(long number, ...)
{
	long a[5];
	va_list args;
	int i;

	va_start(args, number);
	for (i = 0; i < 5; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	ranges += number == SYS_close_range;
	if (number == SYS_close_range && refuses) {
		errno = EPERM;
		return -1;
	}
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4]);
}

static int event(void)
{
	struct perf_event_attr attr = perfctr_attr_user(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int fd = perfctr_event_open(&attr, 0, -1, -1);

	ck_assert_int_ge(fd, 0);
	return fd;
}

/* Of two events each has its id, and an eventfd, which is the same kind of file, has none. */
START_TEST(events)
{
	int one = event(), two = event(), other = eventfd(3, EFD_NONBLOCK);
	unsigned long first = perfctr_descriptor_noted(one);
	unsigned long second = perfctr_descriptor_noted(two);
	uint64_t number;

	ck_assert(first && second && first != second);
	errno = ENOTTY;
	ck_assert(perfctr_descriptor_is(one, first));
	ck_assert(!perfctr_descriptor_is(one, second));
	ck_assert(!perfctr_descriptor_is(two, first));
	ck_assert(!perfctr_descriptor_is(other, first));
	ck_assert(!perfctr_descriptor_is(other, 0));
	ck_assert(!perfctr_descriptor_is(-1, first));
	ck_assert(!perfctr_descriptor_is(1 << 30, first));
	ck_assert_int_eq(errno, ENOTTY);
	ck_assert_int_eq(read(other, &number, sizeof(number)), sizeof(number));
	ck_assert_uint_eq(number, 3);
	/* A copy is the event, too: its number is what the caller knows. */
	ck_assert_int_eq(dup2(one, other), other);
	ck_assert(perfctr_descriptor_is(other, first));
	ck_assert_uint_eq(perfctr_call_event_id(0), 0);
	perfctr_descriptor_close(one, second);
	ck_assert_int_ge(fcntl(one, F_GETFD), 0);
	perfctr_descriptor_close(one, first);
	ck_assert_int_eq(fcntl(one, F_GETFD), -1);
	ck_assert_uint_eq(perfctr_descriptor_noted(one), 0);
	perfctr_descriptor_drop(two, second);
	ck_assert_int_eq(fcntl(two, F_GETFD), -1);
	close(other);
}
END_TEST

/* The library's own newer event at a number stays noted when the older one is closed. */
START_TEST(two_objects)
{
	int old = event(), fresh;
	unsigned long before = perfctr_descriptor_noted(old), identity;

	close(old);
	fresh = event();
	ck_assert_int_eq(fresh, old);
	identity = perfctr_descriptor_noted(fresh);
	perfctr_descriptor_close(old, before);
	ck_assert_uint_eq(perfctr_descriptor_noted(fresh), identity);
	ck_assert_int_ge(fcntl(fresh, F_GETFD), 0);
	perfctr_descriptor_close(fresh, identity);
}
END_TEST

START_TEST(sentence)
{
	ck_fails(perfctr_descriptor_fail("the counters"), ESTALE,
		 "the counters: stale: the program closed the descriptor");
	ck_assert_ptr_nonnull(strstr(perfctr_error(), "open the counters after that"));
}
END_TEST

/* Where a number is too large to be noted, a child keeps it. */
START_TEST(large)
{
	const int number = 1 << 20;
	struct rlimit limit = { (rlim_t)number + 2, (rlim_t)number + 2 };
	unsigned long identity;

	ck_assert_uint_eq(perfctr_descriptor_own_event(-1), 0);
	ck_assert_uint_eq(perfctr_descriptor_own_file(-1), 0);
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	ck_assert_int_eq(dup2(0, number), number);
	identity = perfctr_descriptor_own_file(number);
	ck_assert_uint_ne(identity, 0);
	ck_assert_uint_eq(perfctr_descriptor_noted(number), 0);
	perfctr_descriptor_close(number, identity);
	ck_assert_int_eq(fcntl(number, F_GETFD), -1);
	ck_assert_int_eq(dup2(0, number - 1), number - 1);
	ck_assert_uint_eq(perfctr_descriptor_own_file(number - 1), identity);
	ck_assert_uint_eq(perfctr_descriptor_noted(number - 1), identity);
	perfctr_descriptor_close(number - 1, identity);
}
END_TEST

/* A number that the library has closed, or given away, is somebody else's, */
START_TEST(somebody_elses)
{
	int own = dup(0), closed, given = dup(0), status, error;
	unsigned long identity;
	pid_t pid;

	ck_assert_int_ge(given, 0);
	closed = dup(0);
	perfctr_descriptor_own_file(own);
	identity = perfctr_descriptor_own_file(closed);
	perfctr_descriptor_own_file(given);
	errno = ENOTTY;
	perfctr_descriptor_close(closed, identity);
	error = errno;
	ck_assert_int_eq(error, ENOTTY);
	ck_assert_int_eq(dup(0), closed);
	perfctr_descriptor_disown(given);
	pid = fork();
	if (pid == 0)
		_exit(fcntl(own, F_GETFD) != -1 || fcntl(closed, F_GETFD) < 0 ||
		      fcntl(given, F_GETFD) < 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_ge(fcntl(own, F_GETFD), 0);
	close(own);
	perfctr_descriptor_disown(own);
	close(closed);
	close(given);
	/* Beyond what is noted: nothing happens. */
	perfctr_descriptor_own_file(1 << 30);
	perfctr_descriptor_disown(1 << 30);
}
END_TEST

/* and so is one that the program has closed, and got for a file of its own: */
static bool stays_in_a_child(int fd)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(fcntl(fd, F_GETFD) < 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status == 0;
}

/* in an event's place, */
START_TEST(closed_by_the_program)
{
	struct perfctr_set *set;
	int fd = dup(0);

	ck_assert_int_ge(fd, 0);
	close(fd);
	set = perfctr_set_open("page-faults:u", NULL, 0); /* takes that number */
	ck_assert_ptr_nonnull(set);
	close(fd);
	ck_assert_int_eq(dup(0), fd);
	ck_assert(stays_in_a_child(fd));
	perfctr_set_close(set);
	close(fd);
}
END_TEST

/* An epoll descriptor whose data have this upper half. */
static int watching(uint32_t mark)
{
	struct epoll_event event = { .data.u64 = (uint64_t)mark << 32 | 7 };
	int fd = epoll_create1(0), ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event), 0);
	return fd;
}

/* and in others': of two sockets each has a number, of two epolls each watches by other data. */
START_TEST(another_file)
{
	int ends[2], others[2], descriptors[2], i;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, others), 0);
	descriptors[0] = watching(0x80000005);
	descriptors[1] = watching(5);
	perfctr_descriptor_own_file(ends[0]);
	perfctr_descriptor_own_file(descriptors[0]);
	ck_assert(!stays_in_a_child(ends[0]));
	ck_assert(!stays_in_a_child(descriptors[0]));
	ck_assert_int_eq(dup2(others[0], ends[0]), ends[0]);
	ck_assert_int_eq(dup2(descriptors[1], descriptors[0]), descriptors[0]);
	ck_assert(stays_in_a_child(ends[0]));
	ck_assert(stays_in_a_child(descriptors[0]));
	perfctr_descriptor_disown(ends[0]);
	perfctr_descriptor_disown(descriptors[0]);
	for (i = 0; i < 2; i++) {
		close(ends[i]);
		close(others[i]);
		close(descriptors[i]);
	}
}
END_TEST

/* Opens descriptors 100 to 106; one of them is the program's. */
static void open_hundred(int program)
{
	int fd;

	for (fd = 100; fd <= 106; fd++) {
		ck_assert_int_eq(dup2(0, fd), fd);
		if (fd != program)
			perfctr_descriptor_own_kept(fd);
	}
}

static void close_hundred(int program)
{
	static const int order[] = { 100, 101, 102, 104, 106, 105 };
	struct perfctr_descriptor_run run = { 0 };
	unsigned int i;
	int fd;

	errno = ENOTTY;
	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		perfctr_descriptor_run_add(&run, order[i]);
	perfctr_descriptor_run_end(&run);
	perfctr_descriptor_run_end(&run);
	ck_assert_int_eq(errno, ENOTTY);
	for (fd = 99; fd <= 107; fd++) {
		ck_assert_int_eq(fcntl(fd, F_GETFD), fd == program ? 0 : -1);
		ck_assert_uint_eq(perfctr_descriptor_noted(fd), 0);
	}
	close(program);
}

/* Kept ones are asked nothing, and closed together where nothing of the program's is between. */
START_TEST(kept)
{
	struct perf_event_attr attr = perfctr_attr_user(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int fd = perfctr_event_open_kept(&attr, 0, -1, -1, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(perfctr_descriptor_noted(fd), PERFCTR_DESCRIPTOR_KEPT);
	ck_assert(!stays_in_a_child(fd));
	perfctr_descriptor_close(fd, PERFCTR_DESCRIPTOR_KEPT);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	errno = ENOTTY;
	perfctr_descriptor_own_kept(-1);
	ck_assert_int_eq(errno, ENOTTY);
	ranges = 0;
	open_hundred(103);
	close_hundred(103);
	ck_assert_uint_eq(ranges, 1); /* 100 to 102; the others are alone */
	refuses = true;
	open_hundred(103);
	close_hundred(103);
	ck_assert_uint_eq(ranges, 2);
	refuses = false;
}
END_TEST

UNIT_MAIN("descriptor", 60, events, two_objects, sentence, large, somebody_elses,
	  closed_by_the_program, another_file, kept)
