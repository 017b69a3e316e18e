// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The driver's calls: over perf_events, on a machine without a PMU; and without the driver: how
 * they fail.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/virtual/provider.h"
#include "lib/base/word.h"
#include "lib/virtual/device.h"
#include "lib/isa/tsc.h"
#include "lib/perf/counter.h"
#include "lib/perf/probe.h"
#include "lib/perf/sys.h"
#include "lib/virtual/queue.h"
#include "libperfctr.h"
#define LEAVES_FILES /* counters that go on, descriptors of a test's own */
#include "tests/harness/check.h"

static struct vperfctr_control tsc_only(void)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	return control;
}

static unsigned int open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void spin(void)
{
	volatile unsigned int i;

	for (i = 0; i < 1000000; i++)
		;
}

static unsigned long long tsc_of(int fd)
{
	struct perfctr_sum_ctrs sum;

	ck_assert_msg(_vperfctr_read_sum(fd, &sum) == 0, "%s", perfctr_error());
	return sum.tsc;
}

static int open_counting(void)
{
	struct vperfctr_control control = tsc_only();
	int fd = _vperfctr_open(1);

	ck_assert_msg(fd >= 0, "%s", perfctr_error());
	ck_assert_msg(_vperfctr_control(fd, &control) == 0, "%s", perfctr_error());
	return fd;
}

START_TEST(the_driver_is_asked_for)
{
	setenv("PERFCTR_PROVIDER", "driver", 1);
	ck_fails(sys_vperfctr_open(0, 1), EOPNOTSUPP, "without PERFCTR_PROVIDER=driver");
	ck_fails(sys_vperfctr_open(getpid(), 0), EOPNOTSUPP, "modprobe perfctr");
	ck_fails(_vperfctr_open(1), EOPNOTSUPP, "/dev/perfctr");
	ck_fails(_vperfctr_open(0), EOPNOTSUPP, "/dev/perfctr");
	setenv("PERFCTR_PROVIDER", "nonsense", 1);
	ck_fails(_vperfctr_open(0), EINVAL, "PERFCTR_PROVIDER=nonsense");
	ck_fails(_vperfctr_open(1), EINVAL, "PERFCTR_PROVIDER=nonsense");
}
END_TEST

/* Another file's descriptor, and none at all. */
static void check_foreign(int fd)
{
	struct vperfctr_control control = tsc_only();
	struct perfctr_sum_ctrs sum;
	struct perfctr_info info;

	ck_fails(sys_vperfctr_control(fd, &control), EBADF, "sys_vperfctr_open()");
	ck_fails(sys_vperfctr_read(fd, &sum, NULL), EBADF, "sys_vperfctr_open()");
	ck_fails(sys_vperfctr_unlink(fd), EBADF, "sys_vperfctr_open()");
	ck_fails(sys_vperfctr_iresume(fd), EBADF, "sys_vperfctr_open()");
	ck_fails(_vperfctr_control(fd, &control), EBADF, "sys_vperfctr_open()");
	ck_fails(_vperfctr_read_sum(fd, &sum), EBADF, "sys_vperfctr_open()");
	ck_fails(_vperfctr_read_control(fd, &control), EBADF, "sys_vperfctr_open()");
	ck_fails(perfctr_info(fd, &info), EBADF, "sys_vperfctr_open()");
	ck_fails_null(perfctr_cpus_info(fd), EBADF, "sys_vperfctr_open()");
	ck_fails(perfctr_abi_check_fd(fd), EBADF, "sys_vperfctr_open()");
}

START_TEST(foreign_descriptors)
{
	int fd = open("/dev/null", O_RDWR), pair[2];

	ck_assert_int_ge(fd, 0);
	ck_fails(sys_vperfctr_open(-2, 1), EINVAL, "-2");
	ck_fails(sys_vperfctr_control(fd, NULL), EINVAL, "NULL");
	check_foreign(fd);
	close(fd);
	check_foreign(fd);
	check_foreign(-2);
	/* Sockets with nothing in them, and with something else. */
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	check_foreign(pair[0]);
	ck_assert_int_eq(send(pair[1], "perfctr", 7, 0), 7);
	check_foreign(pair[0]);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	check_foreign(pair[0]);
}
END_TEST

/* 2.6's programs begin with it. */
START_TEST(facts_without_counters)
{
	struct vperfctr_control control = tsc_only();
	struct perfctr_info info, same;
	struct perfctr_cpus_info *cpus;
	unsigned int before = open_descriptors();
	struct perfctr_sum_ctrs sum;
	int fd, state;

	ck_fails(sys_vperfctr_open(0, 0), ENODEV, "no counters yet");
	ck_assert_int_eq(open_descriptors(), before);
	errno = 0;
	fd = _vperfctr_open(0);
	ck_assert_msg(fd >= 0, "%s", perfctr_error());
	ck_assert_int_eq(errno, 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_uint_eq(open_descriptors(), before + 1);
	ck_assert_int_eq(perfctr_abi_check_fd(fd), 0);
	ck_fails(_perfctr_abi_check_fd(fd, 0x07000501), EPROTO, "rebuild");
	ck_assert_int_eq(perfctr_info(fd, &info), 0);
	ck_assert_int_eq(perfctr_get_info(&same), 0);
	ck_assert_mem_eq(&info, &same, sizeof(info));
	ck_fails(perfctr_info(fd, NULL), EINVAL, "NULL");
	cpus = perfctr_cpus_info(fd);
	ck_assert_ptr_nonnull(cpus);
	free(cpus);
	ck_fails(_vperfctr_control(fd, &control), EINVAL, "no counters");
	ck_fails(_vperfctr_read_sum(fd, &sum), EINVAL, "no counters");
	ck_fails(_vperfctr_read_control(fd, &control), EINVAL, "no counters");
	ck_fails(sys_vperfctr_unlink(fd), EINVAL, "no counters");
	ck_fails(sys_vperfctr_iresume(fd), EINVAL, "no counters");
	/* It gets none from others, either. */
	state = open_counting();
	ck_fails(_vperfctr_read_sum(fd, &sum), EINVAL, "no counters");
	ck_assert_int_eq(sys_vperfctr_unlink(state), 0);
	close(state);
	close(fd);
	ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

START_TEST(one_state_per_thread)
{
	struct vperfctr_control control = tsc_only(), got;
	unsigned int before = open_descriptors();
	struct vperfctr *self;
	struct perfctr_sum_ctrs sum;
	int fd = open_counting(), second;

	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_fails(_vperfctr_open(1), EEXIST, "already");
	ck_fails(sys_vperfctr_open(getpid(), 1), EEXIST, "already");
	ck_fails_null(vperfctr_open(), EEXIST, "already");
	second = sys_vperfctr_open(getpid(), 0);
	ck_assert_int_ge(second, 0);
	spin();
	ck_assert_uint_gt(tsc_of(second), 0);
	close(fd);
	/* A handle is on the same state, and it goes on when all descriptors are closed. */
	self = vperfctr_open_mode(0);
	ck_assert_ptr_nonnull(self);
	close(second);
	ck_assert_uint_gt(vperfctr_read_tsc(self), 0);
	fd = _vperfctr_open(0);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(_vperfctr_read_control(fd, &got), 0);
	ck_assert_int_eq(memcmp(&got, &control, sizeof(got)), 0);
	/* A stop keeps sums, whoever stops. */
	ck_assert_int_eq(vperfctr_stop(self), 0);
	sum.tsc = tsc_of(fd);
	spin();
	ck_assert_uint_eq(tsc_of(fd), sum.tsc);
	ck_fails(sys_vperfctr_iresume(fd), EINVAL, "nothing to resume");
	control.flags = 0x80;
	ck_fails(_vperfctr_control(fd, &control), EINVAL, "flags");
	control = tsc_only();
	control.cpu_control.nrictrs = 1;
	ck_fails(_vperfctr_control(fd, &control), EOPNOTSUPP, "vperfctr_open()");
	/* The TSC's sum goes on. */
	control = tsc_only();
	ck_assert_int_eq(_vperfctr_control(fd, &control), 0);
	spin();
	ck_assert_uint_gt(tsc_of(fd), sum.tsc);
	ck_assert_int_eq(sys_vperfctr_unlink(fd), 0);
	sum.tsc = tsc_of(fd);
	spin();
	ck_assert_uint_eq(tsc_of(fd), sum.tsc);
	ck_assert_int_eq(sys_vperfctr_unlink(fd), 0);
	ck_fails(_vperfctr_control(fd, &control), ESRCH, "unlinked");
	ck_fails(sys_vperfctr_iresume(fd), ESRCH, "unlinked");
	ck_fails(sys_vperfctr_open(0, 0), ENODEV, "no counters yet");
	vperfctr_close(self);
	close(fd);
	ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

/* A descriptor of counters that a handle has made: the TSC goes on. */
START_TEST(a_handles_descriptor)
{
	struct vperfctr_control control = tsc_only();
	unsigned int before = open_descriptors();
	struct vperfctr *self = vperfctr_open();
	unsigned long long a, b;
	int fd;

	ck_assert_int_eq(vperfctr_control(self, &control), 0);
	spin();
	a = vperfctr_read_tsc(self);
	ck_fails(_vperfctr_open(1), EEXIST, "already");
	fd = _vperfctr_open(0);
	b = tsc_of(fd);
	ck_assert_uint_ge(b, a);
	ck_assert_uint_lt(b - a, perfctr_tsc_khz() * 100);
	ck_assert_uint_ge(vperfctr_read_tsc(self), b);
	vperfctr_unlink(self);
	ck_assert_uint_eq(tsc_of(fd), vperfctr_read_tsc(self));
	vperfctr_close(self);
	close(fd);
	/* One that ends at an execve(2) can't be given away while it runs. */
	self = vperfctr_open();
	control.flags = VPERFCTR_CONTROL_CLOEXEC;
	ck_assert_int_eq(vperfctr_control(self, &control), 0);
	ck_fails(_vperfctr_open(0), EOPNOTSUPP, "execve(2)");
	ck_assert_int_ne(vperfctr_is_running(self), 0);
	vperfctr_unlink(self);
	vperfctr_close(self);
	ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

/* ---- perfex's protocol ---- */

static void send_descriptor(int socket, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} rights;
	char byte = 0;
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &rights,
		.msg_controllen = sizeof(rights),
	};

	memset(&rights, 0, sizeof(rights));
	rights.header.cmsg_level = SOL_SOCKET;
	rights.header.cmsg_type = SCM_RIGHTS;
	rights.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&rights.header), &fd, sizeof(fd));
	ck_assert_int_eq(sendmsg(socket, &message, 0), 1);
}

static int receive_descriptor(int socket)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} rights;
	char byte;
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &rights,
		.msg_controllen = sizeof(rights),
	};
	int fd;

	ck_assert_int_eq(recvmsg(socket, &message, 0), 1);
	ck_assert_uint_eq(message.msg_controllen, sizeof(rights));
	memcpy(&fd, CMSG_DATA(&rights.header), sizeof(fd));
	return fd;
}

/* A child counts itself, hands the descriptor over, and executes a program until it is told to end.
 */
static pid_t start_counted(int socket, const int *go, unsigned int flags)
{
	struct vperfctr_control control = tsc_only();
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	control.flags = flags;
	fd = _vperfctr_open(1);
	if (fd < 0 || _vperfctr_control(fd, &control) < 0)
		_exit(9);
	send_descriptor(socket, fd);
	close(fd);
	dup2(go[0], 0);
	close(go[1]);
	execl("/bin/sh", "sh", "-c",
	      "read x; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 3", (char *)NULL);
	_exit(8);
}

/* Until it is in the new program, whose name it then has, however busy the machine is. */
static void wait_for_program(pid_t pid)
{
	char path[32], name[16];
	unsigned int i;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	for (i = 0; i < 10000; i++) {
		file = fopen(path, "r");
		if (!file || !fgets(name, sizeof(name), file))
			name[0] = '\0';
		if (file)
			fclose(file);
		if (!strcmp(name, "sh\n"))
			return;
		usleep(1000);
	}
}

START_TEST(through_exec_to_the_end)
{
	struct vperfctr_control control = tsc_only(), got;
	unsigned int before = open_descriptors(), flags;
	unsigned long long waiting, end;
	int pair[2], go[2], fd, status;
	pid_t pid;

	for (flags = 0; flags <= VPERFCTR_CONTROL_CLOEXEC; flags += VPERFCTR_CONTROL_CLOEXEC) {
		if (flags && !perfctr_can_remove_on_exec())
			break;
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
		ck_assert_int_eq(pipe(go), 0);
		pid = start_counted(pair[1], go, flags);
		fd = receive_descriptor(pair[0]);
		/* It runs, and is not this thread's: it can be read, and no more. */
		ck_assert_int_eq(perfctr_abi_check_fd(fd), 0);
		control.flags = flags;
		ck_assert_int_eq(_vperfctr_read_control(fd, &got), 0);
		ck_assert_int_eq(memcmp(&got, &control, sizeof(got)), 0);
		ck_fails(_vperfctr_control(fd, &control), ESRCH, "another thread");
		ck_fails(sys_vperfctr_unlink(fd), ESRCH, "another thread");
		ck_fails(sys_vperfctr_iresume(fd), ESRCH, "another thread");
		wait_for_program(pid);
		waiting = tsc_of(fd);
		ck_assert_uint_gt(waiting, 0);
		ck_assert_int_eq(write(go[1], "\n", 1), 1);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 3 << 8);
		end = tsc_of(fd);
		/* The loop takes milliseconds. */
		if (flags)
			ck_assert_uint_eq(end, waiting);
		else
			ck_assert_uint_gt(end, waiting + perfctr_tsc_khz());
		ck_assert_uint_eq(tsc_of(fd), end);
		ck_fails(_vperfctr_control(fd, &control), ESRCH, "has ended");
		close(fd);
		close(pair[0]);
		close(pair[1]);
		close(go[0]);
		close(go[1]);
	}
	ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

static void *count_and_end(void *arg)
{
	*(int *)arg = open_counting();
	spin();
	return NULL;
}

/* What it has counted stays; a child of fork() reads, and has none of its own. */
START_TEST(other_threads_and_children)
{
	struct vperfctr_control control = tsc_only();
	unsigned int before = open_descriptors();
	unsigned long long end;
	pthread_t thread;
	int fd, own, status;
	pid_t pid;

	ck_assert_int_eq(pthread_create(&thread, NULL, count_and_end, &fd), 0);
	pthread_join(thread, NULL);
	end = tsc_of(fd);
	ck_assert_uint_gt(end, 0);
	ck_assert_uint_eq(tsc_of(fd), end);
	ck_fails(_vperfctr_control(fd, &control), ESRCH, "unlinked");
	ck_assert_int_eq(sys_vperfctr_unlink(fd), 0);
	close(fd);

	fd = open_counting();
	spin();
	pid = fork();
	if (pid == 0) {
		ck_assert_uint_gt(tsc_of(fd), 0);
		ck_fails(_vperfctr_control(fd, &control), ESRCH, "another thread");
		ck_fails(sys_vperfctr_open(0, 0), ENODEV, "no counters yet");
		own = open_counting();
		ck_assert_int_eq(sys_vperfctr_unlink(own), 0);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(sys_vperfctr_unlink(fd), 0);
	close(fd);
	ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

/* ---- what strangers make ---- */

/* A state of the thread's, whose bytes, or descriptors, are then changed and put into another
 * queue. */
static int made_up(const struct perfctr_published *now, size_t size, const int *fds, unsigned int n)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(250 * sizeof(int))];
	} rights;
	struct iovec part = { .iov_base = (void *)(uintptr_t)now, .iov_len = size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	memset(&rights, 0, sizeof(rights));
	rights.header.cmsg_level = SOL_SOCKET;
	rights.header.cmsg_type = SCM_RIGHTS;
	rights.header.cmsg_len = CMSG_LEN(n * sizeof(int));
	if (n) {
		memcpy(CMSG_DATA(&rights.header), fds, n * sizeof(int));
		message.msg_control = &rights;
		message.msg_controllen = CMSG_SPACE(n * sizeof(int));
	}
	ck_assert_int_eq(sendmsg(pair[1], &message, 0), (int)size);
	close(pair[1]);
	return pair[0];
}

static void refused(const struct perfctr_published *now, size_t size, const int *fds,
		    unsigned int n)
{
	int fd = made_up(now, size, fds, n);
	unsigned int before = open_descriptors();
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control control;

	ck_fails(sys_vperfctr_read(fd, &sum, &control), EBADF, "sys_vperfctr_open()");
	ck_fails(sys_vperfctr_control(fd, &now->control), EBADF, "sys_vperfctr_open()");
	ck_assert_uint_eq(open_descriptors(), before);
	close(fd);
}

START_TEST(hostile_queues)
{
	struct perf_event_attr other = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(other),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	int fd = open_counting(), many[250], null = open("/dev/null", O_RDWR), i, copy;
	char bytes[sizeof(struct perfctr_published) + 64];
	struct perfctr_published good, bad;
	unsigned int before = open_descriptors();
	struct perfctr_sum_ctrs sum;
	int event = perfctr_event_open(&other, 0, -1, -1), pipes[2];

	ck_assert_int_eq(recv(fd, &good, sizeof(good), MSG_PEEK), sizeof(good));
	ck_assert_int_ge(event, 0);
	other.read_format = PERFCTR_READ_FORMAT;
	many[0] = perfctr_event_open(&other, 0, -1, -1);
	/* As it is, it can be read. */
	copy = made_up(&good, sizeof(good), many, 1);
	ck_assert_int_eq(_vperfctr_read_sum(copy, &sum), 0);
	close(copy);
	/* Events, but not as they should be. */
	copy = made_up(&good, sizeof(good), &event, 1);
	ck_fails(_vperfctr_read_sum(copy, &sum), EIO, "clock");
	close(copy);
	/* None, another file's, too many; one at which a read would wait for ever. */
	refused(&good, sizeof(good), NULL, 0);
	refused(&good, sizeof(good), &null, 1);
	ck_assert_int_eq(pipe(pipes), 0);
	refused(&good, sizeof(good), pipes, 1);
	for (i = 1; i < 250; i++)
		many[i] = many[0];
	refused(&good, sizeof(good), many, 2);
	refused(&good, sizeof(good), many, PERFCTR_PUBLISHED_FDS);
	refused(&good, sizeof(good), many, PERFCTR_PUBLISHED_FDS + 1);
	refused(&good, sizeof(good), many, 250);
	/* Too short, too long. */
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, &good, sizeof(good));
	refused((const void *)bytes, sizeof(good) - 8, many, 1);
	refused((const void *)bytes, sizeof(good) + 1, many, 1);
	/* Numbers that a reader would trust. */
	bad = good;
	bad.magic++;
	refused(&bad, sizeof(bad), many, 1);
	bad = good;
	bad.cstatus |= 0x7F00;
	refused(&bad, sizeof(bad), many, 1);
	bad = good;
	bad.cstatus = 0x8000FFFF;
	refused(&bad, sizeof(bad), many, PERFCTR_PUBLISHED_FDS);
	bad = good;
	bad.control.cpu_control.nractrs = PERFCTR_NR_CTRS + 1;
	refused(&bad, sizeof(bad), many, 1);
	bad.control.cpu_control.nractrs = 0xFFFFFFFF;
	bad.control.cpu_control.nrictrs = 2;
	refused(&bad, sizeof(bad), many, 1);
	bad = good;
	bad.cstatus = 0;
	refused(&bad, sizeof(bad), many, 1);
	close(many[0]);
	close(event);
	close(pipes[0]);
	close(pipes[1]);
	ck_assert_uint_eq(open_descriptors(), before);

	/* The state's own queue, emptied by somebody who has its descriptor: the thread still has
	 * it. */
	ck_assert_int_eq(recv(fd, bytes, sizeof(bytes), 0), sizeof(good));
	ck_assert_uint_gt(tsc_of(fd), 0);
	ck_assert_int_eq(_vperfctr_control(fd, &good.control), 0);
	ck_assert_int_eq(recv(fd, bytes, sizeof(bytes), MSG_PEEK), sizeof(good));
	ck_assert_int_eq(sys_vperfctr_unlink(fd), 0);
	ck_assert_int_eq(recv(fd, bytes, sizeof(bytes), 0), sizeof(good));
	ck_fails(_vperfctr_read_sum(fd, &sum), EBADF, "sys_vperfctr_open()");
	close(fd);
}
END_TEST

START_TEST(without_descriptors)
{
	struct vperfctr_control control = tsc_only();
	unsigned int before = open_descriptors(), left;
	struct rlimit limit, none;
	struct perfctr_sum_ctrs sum;
	pthread_t thread;
	int fd;

	ck_assert_int_eq(pthread_create(&thread, NULL, count_and_end, &fd), 0);
	pthread_join(thread, NULL);
	close(fd);
	getrlimit(RLIMIT_NOFILE, &limit);
	/* A descriptor of facts is one of a pair. */
	fd = open("/dev/null", O_RDONLY);
	close(fd);
	for (left = 0; left < 2; left++) {
		none = limit;
		none.rlim_cur = (rlim_t)fd + left;
		setrlimit(RLIMIT_NOFILE, &none);
		errno = 0;
		ck_assert_int_eq(_vperfctr_open(0), -1);
		ck_assert_int_eq(errno, EMFILE);
		setrlimit(RLIMIT_NOFILE, &limit);
		ck_assert_uint_eq(open_descriptors(), before);
	}
	for (left = 0; left < 5; left++) {
		none = limit;
		none.rlim_cur = before - 2 + left;
		setrlimit(RLIMIT_NOFILE, &none);
		errno = 0;
		fd = _vperfctr_open(1);
		setrlimit(RLIMIT_NOFILE, &limit);
		if (fd < 0) {
			ck_assert_int_eq(errno, EMFILE);
			ck_assert_uint_eq(open_descriptors(), before);
			continue;
		}
		/* A reader that is not the owner needs one more. */
		ck_assert_int_eq(_vperfctr_control(fd, &control), 0);
		ck_assert_int_eq(_vperfctr_read_sum(fd, &sum), 0);
		ck_assert_int_eq(sys_vperfctr_unlink(fd), 0);
		close(fd);
		ck_assert_uint_eq(open_descriptors(), before);
	}
	ck_assert_int_ge(fd, 0);
}
END_TEST

static int few_left(int fd)
{
	struct perfctr_sum_ctrs sum;
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)open("/dev/null", O_RDONLY);
	setrlimit(RLIMIT_NOFILE, &limit);
	close((int)limit.rlim_cur);
	return _vperfctr_read_sum(fd, &sum);
}

START_TEST(a_reader_without_descriptors)
{
	int fd = open_counting(), status;
	pid_t pid = fork();

	if (pid == 0) {
		ck_fails(few_left(fd), EMFILE, "ulimit -n");
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	sys_vperfctr_unlink(fd);
	close(fd);
}
END_TEST

/* Each has an explanation of its own. */
START_TEST(what_is_wrong_with_the_device)
{
	static const int errors[] = { ENOENT, EACCES, EPROTO, EMFILE };
	struct perfctr_info info;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		for (k = 0; k < i; k++)
			ck_assert_str_ne(perfctr_device_problem(errors[i]),
					 perfctr_device_problem(errors[k]));
	ck_assert_str_eq(perfctr_device_problem(EPERM), perfctr_device_problem(EACCES));
	ck_assert_str_eq(perfctr_device_problem(ENXIO), perfctr_device_problem(ENOENT));
	ck_assert_int_eq(perfctr_device_open(&info), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_fails(perfctr_device_info(&info), EOPNOTSUPP, "modprobe perfctr");
}
END_TEST

UNIT_MAIN("syscalls", 60, the_driver_is_asked_for, foreign_descriptors, facts_without_counters,
	  one_state_per_thread, a_handles_descriptor, through_exec_to_the_end,
	  other_threads_and_children, hostile_queues, without_descriptors,
	  a_reader_without_descriptors, what_is_wrong_with_the_device)
