// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Descriptors of states over perf_events, with counters that count page faults: what another thread
 * reads there, what strangers could put there, and what can go wrong on the way. Those without
 * counters are in syscalls.c.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "lib/base/descriptor.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "lib/base/word.h"
#include "lib/virtual/queue.h"
#include "lib/perf/sys.h"
#include "lib/perf/counter.h"
#include "tests/harness/faults.h"
#define LEAVES_FILES /* counters that go on, descriptors of a test's own */
#include "tests/harness/check.h"

/* How the next sendmsg(2) goes: an errno; or, where it is negative, so many bytes are sent. */
static int next_send;

ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
	int how = next_send;

	next_send = 0;
	ck_assert_int_eq(flags, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (how == 0)
		return __real_sendmsg(fd, message, flags);
	errno = how > 0 ? how : EAGAIN;
	return how > 0 ? -1 : -how;
}

static unsigned int descriptors(void)
{
	unsigned int n = 0;
	int fd;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

struct seen {
	int fd, result, error;
	char message[512];
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control control;
};

static void *read_there(void *arg)
{
	struct seen *seen = arg;

	seen->result = sys_vperfctr_read(seen->fd, &seen->sum, &seen->control);
	seen->error = errno;
	snprintf(seen->message, sizeof(seen->message), "%s", perfctr_error());
	return NULL;
}

/* As another thread sees it, for which it is not its own. */
static struct seen look(int fd)
{
	static struct seen seen;
	pthread_t thread;

	memset(&seen, 0x5A, sizeof(seen));
	seen.fd = fd;
	ck_assert_int_eq(pthread_create(&thread, NULL, read_there, &seen), 0);
	pthread_join(thread, NULL);
	return seen;
}

static void found(const struct seen *seen, unsigned int i, const struct perfctr_sum_ctrs *before,
		  const struct perfctr_sum_ctrs *after)
{
	ck_assert_uint_ge(seen->sum.pmc[i], before->pmc[i]);
	ck_assert_uint_le(seen->sum.pmc[i], after->pmc[i]);
}

static void count_with(unsigned int tsc_on)
{
	struct vperfctr_control control = counting(2, 0);
	struct perfctr_sum_ctrs before, after;
	unsigned int i, open = descriptors(), round;
	struct seen seen;
	int fd;

	control.cpu_control.tsc_on = tsc_on;
	fd = _vperfctr_open(1);
	ck_assert_msg(fd >= 0, "%s", perfctr_error());
	/* The second time over the sums of the first. */
	for (round = 1; round <= 2; round++) {
		control.preserve = round == 1 ? 0 : 2;
		ck_assert_msg(_vperfctr_control(fd, &control) == 0, "%s", perfctr_error());
		fault(100);
		ck_assert_int_eq(_vperfctr_read_sum(fd, &before), 0);
		seen = look(fd);
		ck_assert_int_eq(_vperfctr_read_sum(fd, &after), 0);
		ck_assert_msg(seen.result == 0, "%s", seen.message);
		ck_assert_mem_eq(&seen.control, &control, sizeof(control));
		found(&seen, 0, &before, &after);
		found(&seen, 1, &before, &after);
		ck_assert_uint_ge(seen.sum.pmc[0], 100);
		ck_assert_uint_lt(seen.sum.pmc[0], 200);
		ck_assert_uint_ge(seen.sum.pmc[1], 100 * round);
		if (tsc_on) {
			ck_assert_uint_ge(seen.sum.tsc, before.tsc);
			ck_assert_uint_le(seen.sum.tsc, after.tsc);
		} else {
			ck_assert_uint_eq(seen.sum.tsc, 0);
		}
		for (i = 2; i < PERFCTR_NR_CTRS; i++)
			ck_assert_uint_eq(seen.sum.pmc[i], 0);
	}
	/* Only one of the two is asked for. */
	ck_assert_int_eq(sys_vperfctr_unlink(fd), 0);
	ck_assert_int_eq(_vperfctr_read_sum(fd, &before), 0);
	seen = look(fd);
	ck_assert_mem_eq(&seen.sum, &before, sizeof(before));
	close(fd);
	ck_assert_uint_eq(descriptors(), open);
}

START_TEST(counters_of_another_thread)
{
	count_with(1);
	count_with(0);
}
END_TEST

/* Which of them have overflowed, and which go on, only the thread itself knows. */
START_TEST(imode_counters)
{
	struct vperfctr_control control = counting(1, 1), copy = control;
	struct vperfctr *self;
	struct seen seen;
	int fd;

	control.cpu_control.ireset[1] = -1000000;
	copy.cpu_control.ireset[1] = -1000000;
	signal(SIGUSR1, SIG_IGN);
	self = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_PERF);
	ck_assert_ptr_nonnull(self);
	ck_assert_msg(vperfctr_control(self, &copy) == 0, "%s", perfctr_error());
	fd = sys_vperfctr_open(0, 0);
	ck_assert_msg(fd >= 0, "%s", perfctr_error());
	seen = look(fd);
	ck_assert_int_eq(seen.result, -1);
	ck_assert_int_eq(seen.error, EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(seen.message, "only their own thread can read i-mode"));
	ck_fails(sys_vperfctr_control(fd, &control), EOPNOTSUPP, "take a handle");
	vperfctr_unlink(self);
	vperfctr_close(self);
	close(fd);
}
END_TEST

/* Of a program without standard input. */
START_TEST(descriptor_0)
{
	struct vperfctr_control control = counting(1, 0);
	struct seen seen;
	int fd;

	setenv("PERFCTR_PROVIDER", "perf", 1);
	close(0);
	fd = _vperfctr_open(1);
	ck_assert_msg(fd > 0, "%s", perfctr_error());
	ck_assert_int_ge(fcntl(0, F_GETFD), 0);
	ck_assert_int_eq(_vperfctr_control(fd, &control), 0);
	fault(50);
	seen = look(fd);
	ck_assert_msg(seen.result == 0, "%s", seen.message);
	ck_assert_uint_ge(seen.sum.pmc[0], 50);
	close(fd);
	fd = sys_vperfctr_open(0, 0);
	ck_assert_int_ge(fd, 0);
	fault(50);
	seen = look(fd);
	ck_assert_uint_ge(seen.sum.pmc[0], 100);
	ck_assert_int_eq(sys_vperfctr_unlink(fd), 0);
	close(fd);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
}
END_TEST

/* ---- who may have one ---- */

static void *open_there(void *arg)
{
	struct seen *seen = arg;

	seen->result = sys_vperfctr_open((int)seen->fd, 0);
	seen->error = errno;
	snprintf(seen->message, sizeof(seen->message), "%s", perfctr_error());
	return NULL;
}

START_TEST(another_threads)
{
	struct seen seen = { .fd = (int)syscall(SYS_gettid) };
	pthread_t thread;
	int fd;

	setenv("PERFCTR_PROVIDER", "perf", 1);
	ck_fails(sys_vperfctr_open(1, 0), EOPNOTSUPP, "use rvperfctr_open()");
	ck_fails(sys_vperfctr_open(1, 1), EOPNOTSUPP, "use rvperfctr_open()");
	fd = sys_vperfctr_open(seen.fd, 1);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, open_there, &seen), 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(seen.result, -1);
	ck_assert_int_eq(seen.error, EOPNOTSUPP);
	sys_vperfctr_unlink(fd);
	close(fd);
}
END_TEST

/* ---- what goes wrong ---- */

START_TEST(what_can_not_be_sent)
{
	static const struct {
		int how, error;
		const char *words;
	} all[] = {
		{ ETOOMANYREFS, EMFILE,
		  "held by this user's descriptors of counters; raise the limit (ulimit -n)" },
		{ EAGAIN, ENOMEM, "can't be passed to the holders of their descriptor: " },
		{ ENOBUFS, ENOBUFS, "can't be passed to the holders of their descriptor: " },
		{ -1, ENOMEM, "can't be passed to the holders of their descriptor: " },
	};
	struct vperfctr_control control = counting(1, 0);
	unsigned int i, before = descriptors();
	struct seen seen, later;
	int fd;

	setenv("PERFCTR_PROVIDER", "perf", 1);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		/* A new state, a descriptor of facts. */
		next_send = all[i].how;
		ck_fails(_vperfctr_open(1), all[i].error, all[i].words);
		ck_assert_int_eq(next_send, 0);
		ck_fails(sys_vperfctr_open(0, 0), ENODEV, "no counters yet");
		next_send = all[i].how;
		ck_fails(_vperfctr_open(0), all[i].error, all[i].words);
		ck_assert_uint_eq(descriptors(), before);
	}
	/* A signal is no failure. */
	next_send = EINTR;
	fd = _vperfctr_open(1);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(_vperfctr_control(fd, &control), 0);
	/* What nobody can be told must not count. */
	next_send = ENOBUFS;
	ck_fails(_vperfctr_control(fd, &control), ENOBUFS, "can't be passed");
	seen = look(fd);
	ck_assert_int_eq(seen.result, 0);
	fault(50);
	later = look(fd);
	ck_assert_mem_eq(&later.sum, &seen.sum, sizeof(seen.sum));
	sys_vperfctr_unlink(fd);
	close(fd);
	ck_assert_uint_eq(descriptors(), before);
}
END_TEST

/* ---- what strangers make ---- */

static int made_up(const struct perfctr_published *now, const int *fds, unsigned int n)
{
	int pair[2];
	struct perfctr_queue queue;
	struct perfctr_published copy = *now;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	queue = (struct perfctr_queue){
		.reader = pair[0],
		.writer = pair[1],
		.readers_identity = perfctr_descriptor_own_file(pair[0]),
		.writers_identity = perfctr_descriptor_own_file(pair[1]),
	};
	ck_assert_int_eq(perfctr_queue_put(&queue, &copy, fds, n), 0);
	close(pair[1]);
	return pair[0];
}

static void refused(const struct perfctr_published *now, const int *fds, unsigned int n)
{
	int fd = made_up(now, fds, n);
	unsigned int before = descriptors();
	struct perfctr_sum_ctrs sum;

	ck_fails(_vperfctr_read_sum(fd, &sum), EBADF, "sys_vperfctr_open()");
	ck_assert_uint_eq(descriptors(), before);
	close(fd);
}

START_TEST(made_up_queues)
{
	struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(dummy),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERFCTR_READ_FORMAT,
		.exclude_kernel = 1,
	};
	unsigned int before = descriptors();
	struct perfctr_published now;
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control control;
	int event, file, fd, yes = 1;

	memset(&now, 0, sizeof(now));
	event = perfctr_event_open(&dummy, 0, -1, -1);
	ck_assert_int_ge(event, 0);
	/* As many counters as there are, which are stopped: the sums are what is there. */
	now.control.cpu_control.nractrs = PERFCTR_NR_CTRS;
	now.sum[PERFCTR_NR_CTRS - 1] = 17;
	now.tsc_sum = 4;
	fd = made_up(&now, NULL, 0);
	ck_assert_int_eq(_vperfctr_read_sum(fd, &sum), 0);
	ck_assert_uint_eq(sum.pmc[PERFCTR_NR_CTRS - 1], 17);
	ck_assert_uint_eq(sum.tsc, 4);
	close(fd);
	refused(&now, &event, 1);
	/* One more, in each way. */
	now.control.cpu_control.nractrs = PERFCTR_NR_CTRS + 1;
	refused(&now, NULL, 0);
	now.control.cpu_control.nractrs = PERFCTR_NR_CTRS;
	now.control.cpu_control.nrictrs = 1;
	refused(&now, NULL, 0);
	now.control.cpu_control.nractrs = 1;
	now.control.cpu_control.nrictrs = PERFCTR_NR_CTRS - 1;
	fd = made_up(&now, NULL, 0);
	ck_assert_int_eq(_vperfctr_read_control(fd, &control), 0);
	ck_assert_uint_eq(control.cpu_control.nrictrs, PERFCTR_NR_CTRS - 1);
	close(fd);
	/* A status of another control, and the right one. */
	now.control.cpu_control.nrictrs = 0;
	now.cstatus = perfctr_mk_cstatus(1, 1, 0);
	refused(&now, &event, 1);
	now.cstatus = perfctr_mk_cstatus(0, 1, 0);
	fd = made_up(&now, &event, 1);
	ck_assert_int_eq(_vperfctr_read_control(fd, &control), 0);
	ck_assert_int_eq(_vperfctr_read_sum(fd, &sum), 0);
	/* Another socket option than ours adds to the message what is no descriptor. */
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)), 0);
	ck_assert_int_eq(_vperfctr_read_sum(fd, &sum), 0);
	close(fd);
	/* A file whose name is as long as an event's. */
	file = memfd_create("sixsix", MFD_CLOEXEC);
	ck_assert_int_ge(file, 0);
	refused(&now, &file, 1);
	close(file);
	close(event);
	ck_assert_uint_eq(descriptors(), before);
}
END_TEST

#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76 /* Linux 6.5 */
#endif

/* A descriptor that nobody asked for is closed, and what it came with not believed. */
START_TEST(a_message_with_a_pidfd)
{
	unsigned int before = descriptors();
	struct perfctr_published now;
	struct perfctr_queue queue;
	struct perfctr_sum_ctrs sum;
	int yes = 1;

	memset(&now, 0, sizeof(now));
	ck_assert_int_eq(perfctr_queue_open(&queue), 0);
	if (setsockopt(queue.reader, SOL_SOCKET, SO_PASSPIDFD, &yes, sizeof(yes)) < 0) {
		puts("This kernel has no SO_PASSPIDFD.");
	} else {
		ck_assert_int_eq(perfctr_queue_put(&queue, &now, NULL, 0), 0);
		ck_fails(_vperfctr_read_sum(queue.reader, &sum), EBADF, "sys_vperfctr_open()");
	}
	perfctr_queue_close(&queue);
	ck_assert_uint_eq(descriptors(), before);
}
END_TEST

/* The state's descriptor, and one that looks the same. */
START_TEST(own_queue)
{
	struct perfctr_queue queue;
	int other, again;

	perfctr_queue_init(&queue);
	ck_assert(!perfctr_queue_is(&queue, 0));
	perfctr_queue_close(&queue);
	ck_assert_int_eq(perfctr_queue_open(&queue), 0);
	again = perfctr_queue_descriptor(&queue);
	ck_assert_int_ge(again, 0);
	ck_assert_int_eq(fcntl(again, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fcntl(queue.writer, F_GETFD), FD_CLOEXEC);
	ck_assert(perfctr_queue_is(&queue, again));
	ck_assert(perfctr_queue_is(&queue, queue.reader));
	ck_assert(!perfctr_queue_is(&queue, queue.writer));
	ck_assert(!perfctr_queue_is(&queue, -1));
	other = memfd_create("other", MFD_CLOEXEC);
	ck_assert(!perfctr_queue_is(&queue, other));
	close(other);
	close(again);
	/* Of a program without standard input. */
	close(0);
	ck_assert_int_eq(perfctr_queue_descriptor(&queue), 0);
	errno = EXDEV;
	perfctr_queue_close(&queue);
	ck_assert_int_eq(errno, EXDEV);
	ck_assert_int_eq(queue.reader, -1);
	ck_assert_int_eq(queue.writer, -1);
}
END_TEST

UNIT_MAIN("shared", 60, counters_of_another_thread, imode_counters, descriptor_0, another_threads,
	  what_can_not_be_sent, made_up_queues, a_message_with_a_pidfd, own_queue)
