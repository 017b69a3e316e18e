// SPDX-License-Identifier: LGPL-2.1-or-later
/* Another thread's counters over perf_events, under ptrace(2): what needs no PMU. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/virtual/device.h"
#include "lib/isa/tsc.h"
#include "lib/perf/probe.h"
#include "libperfctr.h"
#include "tests/harness/control.h"
#define LEAVES_FILES /* counters that go on, descriptors of a test's own */
#include "tests/harness/check.h"

static struct vperfctr_control tsc_only(void)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	return control;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void work(uint64_t ns)
{
	uint64_t end = cpu_ns() + ns;

	while (cpu_ns() < end)
		;
}

/* ---- children ---- */

#define STEP_NS 2000000u

/* Stops before and after each of three steps, and ends. */
static void in_steps(void)
{
	unsigned int i;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (i = 0; i < 3; i++) {
		work(STEP_NS);
		raise(SIGSTOP);
	}
}

static void for_ever(void)
{
	for (;;)
		work(STEP_NS);
}

/*
 * Returns when it runs: in fork() signals are held back, and a SIGCONT from then would stop it
 * again under ptrace.
 */
static pid_t start_child(void (*run)(void))
{
	int begun[2];
	pid_t pid;
	char none;

	ck_assert_int_eq(pipe(begun), 0);
	pid = fork();
	if (pid == 0) {
		close(begun[0]);
		close(begun[1]);
		run();
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	close(begun[1]);
	ck_assert_int_eq(read(begun[0], &none, 1), 0);
	close(begun[0]);
	return pid;
}

static void wait_stopped(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, __WALL), pid);
	ck_assert_msg(WIFSTOPPED(status), "status 0x%X", status);
}

static void go_on(pid_t pid)
{
	ck_assert_int_eq(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	wait_stopped(pid);
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) == pid)
		;
}

static struct rvperfctr *open_remote(pid_t pid)
{
	struct rvperfctr *remote = rvperfctr_open(pid);

	ck_assert_msg(remote != NULL, "%s", perfctr_error());
	return remote;
}

static unsigned long long read_tsc(const struct rvperfctr *remote)
{
	struct perfctr_sum_ctrs sum;

	ck_assert_msg(rvperfctr_read_ctrs(remote, &sum) == 0, "%s", perfctr_error());
	return sum.tsc;
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

/* ---- a driver that notes what it is asked: the other one answers as long as it is not there ----
 */

static struct {
	bool there;
	bool has_state; /* its thread has counters already */
	bool refuses;
	char asked[64];
} driver;

static int ask_driver(const char *what)
{
	strcat(driver.asked, what);
	return driver.refuses ? perfctr_fail_out_of_reach() : 0;
}

int __real_perfctr_device_open_state(int tid, bool creat, struct perfctr_info *info);
int __wrap_perfctr_device_open_state(int tid, bool creat, struct perfctr_info *info);
int __wrap_perfctr_device_open_state(int tid, bool creat, struct perfctr_info *info)
{
	if (!driver.there)
		return __real_perfctr_device_open_state(tid, creat, info);
	if (ask_driver(creat ? " create" : " open") < 0)
		return -1;
	if (creat && driver.has_state)
		return perfctr_fail(EEXIST, "there is one");
	driver.has_state = true;
	return open("/dev/null", O_RDONLY);
}

int __wrap_perfctr_device_control(int fd, const struct vperfctr_control *control);
int __wrap_perfctr_device_control(int fd, const struct vperfctr_control *control)
{
	(void)fd;
	return ask_driver(control->cpu_control.tsc_on ? " control" : " stop");
}

int __wrap_perfctr_device_unlink(int fd);
int __wrap_perfctr_device_unlink(int fd)
{
	(void)fd;
	return ask_driver(" unlink");
}

int __wrap_perfctr_device_read(int fd, struct perfctr_sum_ctrs *sum,
			       struct vperfctr_control *control);
int __wrap_perfctr_device_read(int fd, struct perfctr_sum_ctrs *sum,
			       struct vperfctr_control *control)
{
	(void)fd;
	return ask_driver(sum && control ? " read-both" : sum ? " read-sum" : " read-control");
}

int __wrap_perfctr_device_iresume(int fd);
int __wrap_perfctr_device_iresume(int fd)
{
	(void)fd;
	return ask_driver(" iresume");
}

/* ---- tests ---- */

#define ck_asked(words)                                    \
	do {                                               \
		ck_assert_str_eq(driver.asked, " " words); \
		driver.asked[0] = '\0';                    \
	} while (0)

/* Everything is the driver's to say, each time. */
START_TEST(through_the_driver)
{
	unsigned int descriptors = open_descriptors();
	struct vperfctr_control control = tsc_only();
	struct rvperfctr *remote, *second;
	struct perfctr_sum_ctrs sum;

	setenv("PERFCTR_PROVIDER", "driver", 1);
	driver.there = driver.refuses = true;
	ck_fails_null(rvperfctr_open(77), ESRCH, "not stopped");
	ck_asked("create");
	ck_assert_uint_eq(open_descriptors(), descriptors);
	driver.refuses = false;
	remote = open_remote(77);
	ck_asked("create");
	second = open_remote(77);
	ck_asked("create open");
	unsetenv("PERFCTR_PROVIDER");
	ck_assert_uint_eq(open_descriptors(), descriptors + 2);
	ck_assert_int_eq(rvperfctr_pid(second), 77);
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	ck_assert_int_eq(rvperfctr_stop(remote), 0);
	ck_assert_int_eq(rvperfctr_read_ctrs(second, &sum), 0);
	ck_assert_int_eq(rvperfctr_read_state(second, &sum, &control), 0);
	ck_assert_int_eq(rvperfctr_read_state(second, NULL, &control), 0);
	ck_assert_int_eq(rvperfctr_iresume(remote), 0);
	ck_asked("control stop read-sum read-both read-control iresume");
	ck_assert_int_eq(rvperfctr_unlink(remote), 0);
	ck_assert_int_eq(rvperfctr_unlink(remote), 0);
	ck_asked("unlink unlink");
	driver.refuses = true;
	ck_fails(rvperfctr_control(remote, &control), ESRCH, "unlinked");
	ck_fails(rvperfctr_read_ctrs(remote, &sum), ESRCH, "unlinked");
	ck_fails(rvperfctr_iresume(remote), ESRCH, "unlinked");
	ck_fails(rvperfctr_unlink(remote), ESRCH, "unlinked");
	ck_asked("control read-sum iresume unlink");
	rvperfctr_close(remote);
	rvperfctr_close(second);
	ck_assert_str_eq(driver.asked, "");
	ck_assert_uint_eq(open_descriptors(), descriptors);
}
END_TEST

START_TEST(bad_arguments)
{
	struct vperfctr_control control = tsc_only();
	pid_t pid = start_child(in_steps);
	struct perfctr_sum_ctrs sum;
	struct rvperfctr *remote;
	struct perfctr_info info;

	ck_fails_null(rvperfctr_open(0), EINVAL, "not 0");
	ck_fails_null(rvperfctr_open(-1), EINVAL, "not -1");
	/* That is one. */
	ck_assert_ptr_null(rvperfctr_open(1));
	ck_assert_int_ne(errno, EINVAL);
	ck_fails(rvperfctr_pid(NULL), EINVAL, "a handle");
	ck_fails(rvperfctr_info(NULL, &info), EINVAL, "a handle");
	ck_fails(rvperfctr_read_ctrs(NULL, &sum), EINVAL, "a handle");
	ck_fails(rvperfctr_read_state(NULL, &sum, &control), EINVAL, "a handle");
	ck_fails(rvperfctr_control(NULL, &control), EINVAL, "a handle");
	ck_fails(rvperfctr_stop(NULL), EINVAL, "a handle");
	ck_fails(rvperfctr_iresume(NULL), EINVAL, "a handle");
	ck_fails(rvperfctr_unlink(NULL), EINVAL, "a handle");
	rvperfctr_close(NULL);

	wait_stopped(pid);
	setenv("PERFCTR_PROVIDER", "driver", 1);
	ck_fails_null(rvperfctr_open(pid), EOPNOTSUPP, "modprobe perfctr");
	setenv("PERFCTR_PROVIDER", "nonsense", 1);
	ck_fails_null(rvperfctr_open(pid), EINVAL, "PERFCTR_PROVIDER=nonsense");
	setenv("PERFCTR_PROVIDER", "perf", 1);
	remote = open_remote(pid);
	unsetenv("PERFCTR_PROVIDER");
	ck_assert_int_eq(rvperfctr_pid(remote), pid);
	ck_fails(rvperfctr_info(remote, NULL), EINVAL, "the result");
	ck_fails(rvperfctr_read_ctrs(remote, NULL), EINVAL, "the counts");
	ck_fails(rvperfctr_control(remote, NULL), EINVAL, "a control");
	ck_assert_int_eq(rvperfctr_info(remote, &info), 0);
	ck_assert_int_eq(strncmp(info.driver_version, "perf_events", 11), 0);

	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	control._reserved2 = 1;
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	control.flags = 4;
	ck_fails(rvperfctr_control(remote, &control), EINVAL, "flags has");
	control = tsc_only();
	control.cpu_control.nrictrs = 1;
	ck_fails(rvperfctr_control(remote, &control), EOPNOTSUPP, "another thread's");
	control = tsc_only();
	/* Refused, all of them: it counts on. */
	go_on(pid);
	ck_assert_uint_gt(read_tsc(remote), 0);
	rvperfctr_close(remote);
	end_child(pid);
}
END_TEST

START_TEST(steps_of_a_child)
{
	const uint64_t step = STEP_NS * perfctr_tsc_khz() / 1000000;
	struct vperfctr_control control = tsc_only(), got;
	unsigned long long first, before, now;
	pid_t pid = start_child(in_steps);
	struct rvperfctr *remote, *second;
	struct perfctr_sum_ctrs sum;

	wait_stopped(pid);
	remote = open_remote(pid);
	ck_assert_uint_eq(read_tsc(remote), 0);
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	ck_assert_uint_eq(read_tsc(remote), 0);
	go_on(pid);
	first = read_tsc(remote);
	ck_assert_uint_ge(first, step / 2);
	ck_assert_uint_eq(read_tsc(remote), first);

	/* Another handle is on the same state, which outlives them both, counting. */
	second = open_remote(pid);
	ck_assert_uint_eq(read_tsc(second), first);
	rvperfctr_close(remote);
	ck_assert_uint_eq(read_tsc(second), first);
	rvperfctr_close(second);
	go_on(pid);
	remote = open_remote(pid);
	before = read_tsc(remote);
	ck_assert_uint_ge(before - first, step / 2);
	/* Where the host has a virtual machine stand still, that is in one of them. */
	ck_assert_uint_lt(first < before - first ? first : before - first, 10 * step);
	ck_assert_int_eq(rvperfctr_read_state(remote, NULL, &got), 0);
	ck_assert_int_eq(memcmp(&got, &control, sizeof(got)), 0);

	/* Stopped and started: the TSC's sum goes on. */
	ck_fails(rvperfctr_iresume(remote), EINVAL, "no i-mode counters");
	ck_assert_int_eq(rvperfctr_stop(remote), 0);
	ck_assert_int_eq(rvperfctr_read_state(remote, &sum, &got), 0);
	ck_assert_uint_eq(sum.tsc, before);
	ck_assert_uint_eq(got.cpu_control.tsc_on, 0);
	go_on(pid);
	ck_assert_uint_eq(read_tsc(remote), before);
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	ck_assert_uint_eq(read_tsc(remote), before);

	/* It ends. What it did until then can be read; nothing can be set any more. */
	ck_assert_int_eq(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	now = read_tsc(remote);
	ck_assert_uint_gt(now, before);
	ck_assert_uint_eq(read_tsc(remote), now);
	ck_fails(rvperfctr_control(remote, &control), ESRCH, "unlinked");
	ck_fails(rvperfctr_stop(remote), ESRCH, "unlinked");
	ck_fails(rvperfctr_iresume(remote), ESRCH, "unlinked");
	ck_fails_null(rvperfctr_open(pid), ESRCH, "no thread");
	ck_assert_int_eq(rvperfctr_unlink(remote), 0);
	ck_assert_uint_eq(read_tsc(remote), now);
	rvperfctr_close(remote);
}
END_TEST

START_TEST(unlinked)
{
	struct vperfctr_control control = tsc_only();
	pid_t pid = start_child(in_steps);
	struct rvperfctr *remote, *fresh;
	unsigned long long sum;

	wait_stopped(pid);
	remote = open_remote(pid);
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	go_on(pid);
	sum = read_tsc(remote);
	ck_assert_int_eq(rvperfctr_unlink(remote), 0);
	ck_assert_int_eq(rvperfctr_unlink(remote), 0);
	ck_fails(rvperfctr_control(remote, &control), ESRCH, "unlinked");
	/* The next is a state of its own. */
	fresh = open_remote(pid);
	ck_assert_uint_eq(read_tsc(fresh), 0);
	rvperfctr_close(fresh);
	/* Whatever the thread does. */
	ck_assert_int_eq(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	ck_assert_uint_eq(read_tsc(remote), sum);
	wait_stopped(pid);
	end_child(pid);
	ck_assert_uint_eq(read_tsc(remote), sum);
	rvperfctr_close(remote);
}
END_TEST

/* From a thread that is not the tracer, though its process is. */
static void *read_elsewhere(void *remote)
{
	struct perfctr_sum_ctrs sum;

	return rvperfctr_read_ctrs(remote, &sum) == -1 && errno == ESRCH ? NULL : remote;
}

START_TEST(only_stopped_threads)
{
	struct vperfctr_control control = tsc_only();
	pid_t pid = start_child(for_ever);
	struct perfctr_sum_ctrs sum;
	struct rvperfctr *remote;
	pthread_t thread;
	void *wrong;

	ck_fails_null(rvperfctr_open(0x3FFFFFF0), ESRCH, "no thread 1073741808");
	ck_fails_null(rvperfctr_open(getpid()), ESRCH, "ptrace(2)");
	ck_fails_null(rvperfctr_open(pid), ESRCH, "PTRACE_ATTACH");
	kill(pid, SIGSTOP);
	ck_assert_int_eq(waitpid(pid, NULL, WUNTRACED), pid);
	ck_fails_null(rvperfctr_open(pid), ESRCH, "ptrace(2)");
	kill(pid, SIGCONT);
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
	ck_fails_null(rvperfctr_open(pid), ESRCH, "PTRACE_INTERRUPT");
	ck_assert_int_eq(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL), 0);
	wait_stopped(pid);
	remote = open_remote(pid);
	ck_assert_int_eq(pthread_create(&thread, NULL, read_elsewhere, remote), 0);
	pthread_join(thread, &wrong);
	ck_assert_ptr_null(wrong);
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);

	ck_assert_int_eq(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	ck_fails(rvperfctr_read_ctrs(remote, &sum), ESRCH, "not stopped");
	ck_fails(rvperfctr_read_state(remote, NULL, &control), ESRCH, "not stopped");
	ck_fails(rvperfctr_control(remote, &control), ESRCH, "not stopped");
	ck_fails(rvperfctr_stop(remote), ESRCH, "not stopped");
	ck_fails(rvperfctr_unlink(remote), ESRCH, "not stopped");
	usleep(2000);
	ck_assert_int_eq(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL), 0);
	wait_stopped(pid);
	ck_assert_uint_gt(read_tsc(remote), 0);
	rvperfctr_close(remote);
	end_child(pid);
}
END_TEST

static void execute(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	execl("/bin/sh", "sh", "-c", "kill -STOP $$", (char *)NULL);
}

START_TEST(through_exec)
{
	struct vperfctr_control control = tsc_only();
	unsigned long long before, after;
	pid_t pid = start_child(execute);
	struct rvperfctr *remote;

	wait_stopped(pid);
	remote = open_remote(pid);
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	go_on(pid); /* execve(2)'s SIGTRAP */
	before = read_tsc(remote);
	ck_assert_uint_gt(before, 0);
	go_on(pid); /* the new program stops */
	after = read_tsc(remote);
	ck_assert_uint_gt(after, before);
	rvperfctr_close(remote);
	end_child(pid);
}
END_TEST

/* Unless its control says that it ends there: then the sums of that moment stay. */
START_TEST(until_exec)
{
	struct vperfctr_control control = tsc_only(), got;
	unsigned int before = open_descriptors();
	struct rvperfctr *remote, *fresh;
	pid_t pid = start_child(execute);
	unsigned long long end;

	if (!perfctr_can_remove_on_exec()) {
		end_child(pid);
		return;
	}
	wait_stopped(pid);
	remote = open_remote(pid);
	control.flags = VPERFCTR_CONTROL_CLOEXEC;
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	/* The clock goes on over a control, and back to one that does not end. */
	end = read_tsc(remote);
	control.flags = 0;
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	control.flags = VPERFCTR_CONTROL_CLOEXEC;
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	ck_assert_uint_eq(read_tsc(remote), end);
	go_on(pid); /* execve(2)'s SIGTRAP */
	end = read_tsc(remote);
	ck_assert_uint_gt(end, 0);
	ck_fails(rvperfctr_control(remote, &control), ESRCH, "unlinked");
	ck_fails(rvperfctr_stop(remote), ESRCH, "unlinked");
	ck_assert_int_eq(rvperfctr_read_state(remote, NULL, &got), 0);
	ck_assert_int_eq(memcmp(&got, &control, sizeof(got)), 0);
	/* The new program has none. */
	fresh = open_remote(pid);
	ck_assert_uint_eq(read_tsc(fresh), 0);
	control.flags = 0;
	ck_assert_int_eq(rvperfctr_control(fresh, &control), 0);
	go_on(pid); /* the new program stops */
	ck_assert_uint_eq(read_tsc(remote), end);
	ck_assert_uint_gt(read_tsc(fresh), 0);
	ck_assert_int_eq(rvperfctr_unlink(remote), 0);
	ck_assert_uint_eq(read_tsc(remote), end);
	rvperfctr_close(remote);
	ck_assert_int_eq(rvperfctr_unlink(fresh), 0);
	rvperfctr_close(fresh);
	/* A state that an ended thread has left may have gone, too. */
	ck_assert_uint_le(open_descriptors(), before);
	end_child(pid);
}
END_TEST

/* A child with this id, which has to be free: 0 in the child, -1 if that can't be had here. */
static pid_t fork_as(pid_t pid)
{
#ifdef SYS_clone3
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
		uint64_t set_tid, set_tid_size;
	} args = { .exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1 };

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
#else
	return (void)pid, -1;
#endif
}

/* A thread that has got the id of one that ended is another one. */
START_TEST(an_id_used_again)
{
	struct vperfctr_control control = tsc_only();
	pid_t pid = start_child(in_steps), again;
	struct rvperfctr *old, *fresh;
	unsigned long long sum;

	wait_stopped(pid);
	old = open_remote(pid);
	ck_assert_int_eq(rvperfctr_control(old, &control), 0);
	go_on(pid);
	end_child(pid);
	sum = read_tsc(old);
	again = fork_as(pid);
	if (again == 0) {
		in_steps();
		_exit(0);
	}
	if (again == pid) {
		wait_stopped(pid);
		ck_assert_uint_eq(read_tsc(old), sum);
		ck_fails(rvperfctr_control(old, &control), ESRCH, "unlinked");
		fresh = open_remote(pid);
		ck_assert_uint_eq(read_tsc(fresh), 0);
		ck_assert_int_eq(rvperfctr_control(fresh, &control), 0);
		go_on(pid);
		ck_assert_uint_gt(read_tsc(fresh), 0);
		ck_assert_uint_eq(read_tsc(old), sum);
		rvperfctr_close(fresh);
		end_child(pid);
	}
	rvperfctr_close(old);
}
END_TEST

START_TEST(a_child_of_the_tracer)
{
	struct vperfctr_control control = tsc_only();
	pid_t pid = start_child(in_steps), child;
	struct rvperfctr *remote;
	int status;

	wait_stopped(pid);
	remote = open_remote(pid);
	child = fork();
	if (child == 0) {
		struct perfctr_sum_ctrs sum;
		int wrong = rvperfctr_read_ctrs(remote, &sum) != -1 || errno != ESRCH;

		wrong |= rvperfctr_pid(remote) != -1 || rvperfctr_unlink(remote) != -1;
		wrong |= rvperfctr_control(remote, &control) != -1 || errno != ESRCH;
		rvperfctr_close(remote);
		/* It can have tracees of its own. */
		pid = start_child(in_steps);
		wait_stopped(pid);
		remote = rvperfctr_open(pid);
		wrong |= !remote || rvperfctr_control(remote, &control) != 0;
		rvperfctr_close(remote);
		end_child(pid);
		_exit(wrong);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	go_on(pid);
	ck_assert_uint_gt(read_tsc(remote), 0);
	rvperfctr_close(remote);
	end_child(pid);
}
END_TEST

/* A tracer that gives up its rights keeps the stop, but not the right to look. */
START_TEST(no_permission)
{
	int status;
	pid_t tracer;

	if (geteuid() != 0)
		return;
	tracer = fork();
	if (tracer == 0) {
		pid_t pid = start_child(in_steps);
		struct rvperfctr *remote;
		int wrong;

		wait_stopped(pid);
		if (setresuid(65534, 65534, 0) < 0)
			_exit(9);
		remote = rvperfctr_open(pid);
		wrong = remote || (errno != EACCES && errno != EPERM) ||
			!strstr(perfctr_error(), "the TSC can't be counted");
		if (setresuid(0, 0, 0) < 0)
			_exit(9);
		end_child(pid);
		_exit(wrong);
	}
	ck_assert_int_eq(waitpid(tracer, &status, 0), tracer);
	ck_assert_msg(status == 0, "status 0x%X", status);
}
END_TEST

/* The descriptors that are left when a state has come and gone, and ended threads' with it. */
static unsigned int descriptors_left(void)
{
	pid_t pid = start_child(in_steps);
	struct rvperfctr *remote;

	wait_stopped(pid);
	remote = open_remote(pid);
	ck_assert_int_eq(rvperfctr_unlink(remote), 0);
	rvperfctr_close(remote);
	end_child(pid);
	return open_descriptors();
}

/* Open and close that many tracees' states: events that were opened. */
static unsigned int opens_of(unsigned int n)
{
	struct rvperfctr *remote[32];
	unsigned int i, opens;
	pid_t pid[32];

	for (i = 0; i < n; i++) {
		pid[i] = start_child(in_steps);
		wait_stopped(pid[i]);
	}
	setenv("PERFCTR_PROVIDER", "perf", 1);
	pmu_begin();
	for (i = 0; i < n; i++)
		remote[i] = open_remote(pid[i]);
	for (i = 0; i < n; i++)
		rvperfctr_close(remote[i]);
	opens = pmu_calls(PMU_OPEN);
	/* They are the threads' still, and are found. */
	for (i = 0; i < n; i++)
		remote[i] = open_remote(pid[i]);
	ck_assert_uint_eq(pmu_events(), n);
	for (i = 0; i < n; i++) {
		ck_assert_int_eq(rvperfctr_unlink(remote[i]), 0);
		rvperfctr_close(remote[i]);
		end_child(pid[i]);
	}
	ck_assert_uint_eq(pmu_events(), 0);
	pmu_end();
	unsetenv("PERFCTR_PROVIDER");
	return opens;
}

/* Each has its clock, and is asked whether it lives: by its own close, and twice by others' calls.
 */
START_TEST(many_tracees)
{
	ck_assert_uint_le(opens_of(8), 4 * 8);
	ck_assert_uint_le(opens_of(16), 4 * 16);
	ck_assert_uint_le(opens_of(32), 4 * 32);
}
END_TEST

/* States of ended threads go away, though nobody unlinked them. */
START_TEST(nothing_leaks)
{
	struct vperfctr_control control = tsc_only();
	unsigned int k, before = descriptors_left();
	struct rvperfctr *remote;
	pid_t pid;

	for (k = 0; k < 20; k++) {
		pid = start_child(in_steps);
		wait_stopped(pid);
		remote = open_remote(pid);
		ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
		if (k % 2)
			rvperfctr_close(remote);
		end_child(pid);
		if (k % 2 == 0)
			rvperfctr_close(remote);
		/* At most the last one is still there. */
		ck_assert_uint_le(open_descriptors(), before + 1);
	}
	ck_assert_uint_eq(descriptors_left(), before);
}
END_TEST

/* ---- on the made-up PMU ---- */

#ifndef PERFCTR_ABI_POWERPC_H

static struct vperfctr_control two_counters(void)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	control.cpu_control = control_make(2, 0);
	return control;
}

static void is_counted(const struct rvperfctr *remote, uint64_t ns, uint64_t units)
{
	struct perfctr_sum_ctrs sum;

	ck_assert_msg(rvperfctr_read_ctrs(remote, &sum) == 0, "%s", perfctr_error());
	ck_assert_uint_eq(sum.tsc,
			  perfctr_rate_ticks(perfctr_rate_from_khz(perfctr_tsc_khz()), ns));
	ck_assert_uint_eq(sum.pmc[0], units);
	ck_assert_uint_eq(sum.pmc[1], 2 * units);
}

/* Forked before there are events, which it would have, too. */
static pid_t next_child;

static struct rvperfctr *open_made_up(pid_t *pid)
{
	*pid = start_child(in_steps);
	wait_stopped(*pid);
	next_child = start_child(in_steps);
	wait_stopped(next_child);
	setenv("PERFCTR_PROVIDER", "perf", 1);
	pmu_begin();
	control_set_rates();
	return open_remote(*pid);
}

static void close_made_up(struct rvperfctr *remote, pid_t pid)
{
	rvperfctr_close(remote);
	end_child(pid);
	/* What has ended is forgotten when the next one looks. */
	remote = open_remote(next_child);
	ck_assert_int_eq(rvperfctr_unlink(remote), 0);
	rvperfctr_close(remote);
	end_child(next_child);
	pmu_end();
	unsetenv("PERFCTR_PROVIDER");
}

START_TEST(hardware_events)
{
	struct vperfctr_control control = two_counters(), got;
	struct rvperfctr *remote, *second;
	unsigned int opens;
	pid_t pid;

	remote = open_made_up(&pid);
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	is_counted(remote, 0, 0);
	pmu_run(pid, -1, false, 10);
	pmu_tick_of(pid, -1, 1000);
	pmu_count(99);
	is_counted(remote, 1000, 10);
	/* By the kernel: the caller has no such registers, and no such page. */
	ck_assert_uint_eq(pmu_calls(PMU_MMAP) + pmu_calls(PMU_RDPMC), 0);
	second = open_remote(pid);
	rvperfctr_close(remote);
	is_counted(second, 1000, 10);
	opens = pmu_calls(PMU_OPEN);
	control.preserve = 3;
	ck_assert_int_eq(rvperfctr_control(second, &control), 0);
	/* Asked whether it lives, but the events are there. */
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), opens + 1);
	pmu_run(pid, -1, false, 1);
	is_counted(second, 1000, 11);
	/* No room: the old ones go on. */
	pmu.taken = 2;
	control.cpu_control = control_make(3, 0);
	ck_fails(rvperfctr_control(second, &control), EBUSY, "taken");
	pmu_run(pid, -1, false, 1);
	is_counted(second, 1000, 12);
	pmu.taken = 3;
	pmu_schedule();
	ck_fails(rvperfctr_read_state(second, &(struct perfctr_sum_ctrs){ 0 }, &got), EBUSY,
		 "taken");
	close_made_up(second, pid);
}
END_TEST

/* A thread's end: its counts stay, and nothing else can be had. */
START_TEST(an_end)
{
	struct vperfctr_control control = two_counters();
	struct rvperfctr *remote;
	unsigned int i;
	pid_t pid;

	remote = open_made_up(&pid);
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	pmu_run(pid, -1, false, 10);
	pmu_tick_of(pid, -1, 1000);
	pmu_thread_ends(pid);
	for (i = 0; i < 2; i++) {
		is_counted(remote, 1000, 10);
		ck_fails(rvperfctr_control(remote, &control), ESRCH, "unlinked");
		ck_assert_int_eq(rvperfctr_unlink(remote), 0);
	}
	is_counted(remote, 1000, 10);
	ck_assert_uint_eq(pmu_events(), 0);
	close_made_up(remote, pid);
}
END_TEST

/* At an execve(2), if the control says so; what happens there is the kernel's, not the made-up
 * one's. */
START_TEST(an_old_kernel)
{
	struct vperfctr_control control = two_counters();
	struct rvperfctr *remote;
	pid_t pid;

	remote = open_made_up(&pid);
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	control.flags = VPERFCTR_CONTROL_CLOEXEC;
	/* After the question whether it lives. */
	pmu_fail(PMU_OPEN, 2, EINVAL);
	ck_fails(rvperfctr_control(remote, &control), EOPNOTSUPP, "Linux 5.13");
	pmu_run(pid, -1, false, 10);
	pmu_tick_of(pid, -1, 1000);
	is_counted(remote, 1000, 10);
	close_made_up(remote, pid);
}
END_TEST

/* Whether it lives can't be known: that is no end. */
START_TEST(faults)
{
	struct vperfctr_control control = two_counters();
	struct perfctr_sum_ctrs sum;
	struct rvperfctr *remote;
	pid_t pid;

	remote = open_made_up(&pid);
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	pmu_run(pid, -1, false, 10);
	pmu_fail(PMU_OPEN, 1, EMFILE);
	ck_fails(rvperfctr_read_ctrs(remote, &sum), EMFILE, "descriptors");
	pmu_fail(PMU_OPEN, 1, EMFILE);
	ck_fails(rvperfctr_control(remote, &control), EMFILE, "descriptors");
	pmu_fail(PMU_OPEN, 1, EMFILE);
	ck_fails_null(rvperfctr_open(pid), EMFILE, "descriptors");
	pmu_fail(PMU_READ, 1, EIO);
	ck_fails(rvperfctr_read_ctrs(remote, &sum), EIO, "clock");
	pmu_fail(PMU_READ, 2, EIO);
	ck_fails(rvperfctr_read_ctrs(remote, &sum), EIO, "counters");
	is_counted(remote, 0, 10);
	close_made_up(remote, pid);
}
END_TEST

/* Without memory: for the handle, the list, its entry, the state. */
START_TEST(no_memory)
{
	pid_t pid = start_child(in_steps);
	struct rvperfctr *remote;
	unsigned int nth;

	wait_stopped(pid);
	setenv("PERFCTR_PROVIDER", "perf", 1);
	for (nth = 1;; nth++) {
		pmu_begin();
		pmu_fail(PMU_MEMORY, nth, ENOMEM);
		errno = 0;
		remote = rvperfctr_open(pid);
		if (remote)
			break;
		ck_assert_int_eq(errno, ENOMEM);
		ck_assert_ptr_nonnull(strstr(perfctr_error(), "no memory"));
		pmu_end();
	}
	/* Where all tests share a process, a handle may have been kept by one before. */
	ck_assert_uint_ge(nth, getenv("CK_FORK") ? 3 : 4);
	pmu_fail(PMU_MEMORY, 0, 0);
	ck_assert_uint_eq(read_tsc(remote), 0);
	ck_assert_int_eq(rvperfctr_unlink(remote), 0);
	rvperfctr_close(remote);
	end_child(pid);
	pmu_end();
	unsetenv("PERFCTR_PROVIDER");
}
END_TEST

#define MADE_UP , hardware_events, an_end, an_old_kernel, faults, no_memory
#else
#define MADE_UP
#endif

UNIT_MAIN("remote", 60, bad_arguments, through_the_driver, steps_of_a_child, unlinked,
	  only_stopped_threads, through_exec, until_exec, an_id_used_again, a_child_of_the_tracer,
	  no_permission, many_tracees, nothing_leaks MADE_UP)
