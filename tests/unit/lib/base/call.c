// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests that no function of the library has a cancellation point, and that none makes system calls
 * on descriptors that a child of fork() has from its parent.
 */
#define COUNTS_PROCESSORS
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/virtual/provider.h"
#define LEAVES_FILES /* counters that go on, descriptors of a test's own */
#include "tests/harness/check.h"
#include "tests/harness/faults.h"

static unsigned int open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

#define succeeds(call) ck_assert_msg((call), "%s", perfctr_error())

/* ---- two system calls at once ---- */

/* The mask is set whether the request is taken or not, and errno stays. */
START_TEST(ioctl_and_mask)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	uint64_t values[2], its;
	sigset_t mask, now;
	int i, error, result, signo;

	ck_assert_int_ge(fd, 0);
	for (i = 0; i < 2; i++) {
		sigemptyset(&mask);
		sigaddset(&mask, i ? SIGUSR1 : SIGRTMAX);
		memcpy(&its, &mask, sizeof(its));
		errno = ENOTTY;
		result = perfctr_call_ioctl_and_mask(i ? -1 : fd, PERF_EVENT_IOC_ENABLE, 0, &its);
		error = errno;
		ck_assert_int_eq(error, ENOTTY);
		ck_assert_int_eq(result, i ? -EBADF : 0);
		pthread_sigmask(SIG_SETMASK, NULL, &now);
		for (signo = 1; signo <= SIGRTMAX; signo++)
			if (signo < 32 || signo >= SIGRTMIN)
				ck_assert_int_eq(sigismember(&now, signo),
						 signo == (i ? SIGUSR1 : SIGRTMAX));
	}
	ck_assert_int_eq(read(fd, values, sizeof(values)), sizeof(values));
	ck_assert_uint_gt(values[1], 0);
	/* The argument is the ioctl's, too. */
	its = values[0] = 0;
	ck_assert_int_eq(perfctr_call_ioctl_and_mask(fd, PERF_EVENT_IOC_ID, (uintptr_t)&values[0],
						     &its),
			 0);
	ck_assert_uint_gt(values[0], 0);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	ck_assert(!sigismember(&now, SIGUSR1));
	close(fd);
}
END_TEST

/* ---- cancellation ---- */

static struct perfctr_total *total;
static unsigned int passed; /* how many parts have come to their end */
static unsigned int wrong;  /* the line of what has failed */

/* Check's own are cancellation points. */
#define must(condition)                   \
	do {                              \
		if (!(condition)) {       \
			wrong = __LINE__; \
			return;           \
		}                         \
	} while (0)

/* The state's lock is held while its counts are read and, at the thread's end, once more. */
static void use_own(void)
{
	struct vperfctr_control control = counting(2, 0);
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self = vperfctr_open();
	struct perfctr_reading reading;

	must(self && vperfctr_control(self, &control) == 0);
	must(perfctr_total_add(total, self) == 0);
	must(perfctr_total_read(total, &sum, NULL) == 0);
	must(vperfctr_read_state(self, &sum, &control) == 0);
	must(vperfctr_read_ctrs(self, &sum) == 0);
	must(vperfctr_read_quality(self, 0, &reading) == 0);
	must(vperfctr_stop(self) == 0);
	must(vperfctr_control(self, &control) == 0);
	vperfctr_close(self);
}

static void use_descriptor(void)
{
	struct vperfctr_control control = counting(1, 0);
	struct perfctr_sum_ctrs sum;
	int fd = sys_vperfctr_open(0, 1);

	must(fd >= 0 && sys_vperfctr_control(fd, &control) == 0);
	must(sys_vperfctr_read(fd, &sum, &control) == 0);
	must(sys_vperfctr_unlink(fd) == 0);
	must(sys_vperfctr_read(fd, &sum, &control) == 0);
	perfctr_call_close(fd);
}

static void wait_in_a_child(pid_t *pid)
{
	*pid = fork();
	if (*pid == 0)
		for (;;)
			pause();
	must(*pid > 0);
}

static void use_tracee(void)
{
	struct vperfctr_control control = counting(1, 0);
	struct perfctr_sum_ctrs sum;
	struct rvperfctr *remote;
	pid_t pid;
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	wait_in_a_child(&pid);
	must(ptrace(PTRACE_ATTACH, pid, NULL, NULL) == 0);
	must(waitpid(pid, NULL, __WALL) == pid);
	pthread_setcancelstate(state, NULL);
	remote = rvperfctr_open(pid);
	must(remote && rvperfctr_control(remote, &control) == 0);
	must(rvperfctr_read_ctrs(remote, &sum) == 0);
	must(rvperfctr_stop(remote) == 0);
	rvperfctr_close(remote);
	kill(pid, SIGKILL);
}

static void use_sets(void)
{
	const struct perfctr_target process = { .type = PERFCTR_TARGET_PROCESS };
	struct perfctr_reading reading[2];
	struct perfctr_set *set;

	set = perfctr_set_open("page-faults:u,{task-clock,page-faults:u}", NULL, 0);
	must(set == NULL || perfctr_set_size(set) == 3);
	perfctr_set_close(set);
	set = perfctr_set_open("page-faults:u,minor-faults:u", &process, 0);
	must(set && perfctr_set_read(set, reading) == 0);
	perfctr_set_close(set);
}

static void use_sampler(void)
{
	struct perfctr_sampler_config config = { .period = 1, .fields = PERF_SAMPLE_TID };
	struct perfctr_sampler *sampler = perfctr_sampler_open("page-faults:u", NULL, &config);
	const struct perfctr_record *record;
	uint64_t lost;

	must(sampler != NULL);
	fault(1);
	must(perfctr_sampler_next(sampler, &record) > 0);
	must(perfctr_sampler_lost(sampler, &lost) == 0);
	must(perfctr_sampler_count(sampler, 0, &lost) == 0);
	perfctr_sampler_close(sampler);
}

static int no_more(void *arg, const struct perfctr_event_name *name)
{
	(void)arg, (void)name;
	return 0;
}

static int no_finding(void *arg, const struct perfctr_check *check)
{
	(void)arg, (void)check;
	return 0;
}

static void ask(void)
{
	struct perfctr_info info;
	struct perfctr_cpus_info *cpus = perfctr_cpus_info(-1);

	must(cpus != NULL);
	free(cpus);
	must(perfctr_get_info(&info) == 0);
	must(perfctr_provider_name() != NULL);
	must(perfctr_event_check("page-faults") == 0);
	must(perfctr_event_check("page-fault") < 0 && errno == EINVAL);
	must(perfctr_event_check("no-such-pmu/event/") < 0 && errno == ENOENT);
	must(perfctr_event_check("nosuch:tracepoint") < 0);
	must(perfctr_event_list(NULL, no_more, NULL) == 0);
	must(perfctr_doctor(no_finding, NULL) == 0);
	perfctr_call_sleep(1); /* as a set's thread does that waits for another */
}

static void *use_all(void *arg)
{
	static void (*const parts[])(void) = { use_own,	 use_descriptor, use_tracee,
					       use_sets, use_sampler,	 ask };
	unsigned int part = *(unsigned int *)arg;

	pthread_cancel(pthread_self());
	parts[part]();
	passed++;
	pthread_testcancel();
	return arg;
}

/* Each function goes on to its end, and the next one finds every lock free. */
START_TEST(cancelled)
{
	struct perfctr_sum_ctrs sum;
	unsigned int part, n;
	pthread_t thread;
	void *result;

	setenv("PERFCTR_PROVIDER", "perf", 1);
	total = perfctr_total_create();
	ck_assert_ptr_nonnull(total);
	for (part = 0; part < 6; part++) {
		ck_assert_int_eq(pthread_create(&thread, NULL, use_all, &part), 0);
		ck_assert_int_eq(pthread_join(thread, &result), 0);
		ck_assert_ptr_eq(result, PTHREAD_CANCELED);
		ck_assert_msg(!wrong, "line %u", wrong);
		ck_assert_uint_eq(passed, part + 1);
		succeeds(perfctr_total_read(total, &sum, &n) == 0);
		ck_assert_uint_eq(n, 1);
	}
	perfctr_total_destroy(total);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
}
END_TEST

/* ---- fork ---- */

/* What a process may have open at once. */
struct objects {
	struct vperfctr *self;
	struct perfctr_total *total;
	struct perfctr_set *set;
	struct gperfctr *global;
	struct perfctr_sampler *sampler;
	int fd;
};

static void open_objects(struct objects *have)
{
	struct perfctr_sampler_config config = { .period = 1, .fields = PERF_SAMPLE_TID };
	struct vperfctr_control control = counting(2, 0);
	struct gperfctr_cpu_control on_cpu = { .cpu = 0, .cpu_control.tsc_on = 1 };

	have->fd = sys_vperfctr_open(0, 1);
	have->self = vperfctr_open_mode(0);
	succeeds(have->fd >= 0 && have->self && vperfctr_control(have->self, &control) == 0);
	have->total = perfctr_total_create();
	succeeds(perfctr_total_add(have->total, have->self) == 0);
	have->set = perfctr_set_open("page-faults:u,minor-faults:u", NULL, 0);
	succeeds(have->set != NULL);
	have->global = gperfctr_open();
	succeeds(have->global && gperfctr_control(have->global, &on_cpu) == 1);
	if (gperfctr_start(have->global, 0) < 0)
		ck_assert_int_eq(errno, EACCES);
	have->sampler = perfctr_sampler_open("page-faults:u", NULL, &config);
	succeeds(have->sampler != NULL);
}

static void close_objects(struct objects *have)
{
	perfctr_sampler_close(have->sampler);
	gperfctr_close(have->global);
	perfctr_set_close(have->set);
	perfctr_total_destroy(have->total);
	if (vperfctr_unlink(have->self) < 0)
		ck_assert_int_eq(errno, ESRCH);
	vperfctr_close(have->self);
	close(have->fd);
}

/* A child of a child, and so on: returns in the last one. The others wait for it. */
static void descend(unsigned int generations, struct objects *have)
{
	int status;
	pid_t pid;

	while (generations--) {
		pid = fork();
		ck_assert_int_ge(pid, 0);
		if (pid) {
			ck_assert_int_eq(waitpid(pid, &status, 0), pid);
			_exit(status != 0);
		}
		close_objects(have);
		open_objects(have);
	}
}

START_TEST(generations)
{
	unsigned int before, first;
	struct objects have;
	pid_t pid;
	int status;

	setenv("PERFCTR_PROVIDER", "perf", 1);
	before = open_descriptors();
	open_objects(&have);
	first = open_descriptors();
	ck_assert_uint_gt(first, before + 7);
	pid = fork();
	if (pid == 0) {
		descend(10, &have);
		ck_assert_uint_eq(open_descriptors(), first);
		close_objects(&have);
		_exit(open_descriptors() != before);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	close_objects(&have);
	ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

/* Also if the child knows nothing of the library; and what the program was given stays. */
START_TEST(unknowing)
{
	unsigned int before = open_descriptors();
	struct objects have;
	struct perfctr_sum_ctrs sum;
	int status;
	pid_t pid;

	setenv("PERFCTR_PROVIDER", "perf", 1);
	open_objects(&have);
	pid = fork();
	if (pid == 0)
		_exit(open_descriptors() != before + 1 ||
		      sys_vperfctr_read(have.fd, &sum, NULL) < 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	/* The parent's still count. */
	succeeds(vperfctr_read_ctrs(have.self, &sum) == 0);
	fault(1);
	ck_assert_uint_gt(vperfctr_read_pmc(have.self, 0), sum.pmc[0]);
	close_objects(&have);
	ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

UNIT_MAIN("call", 60, ioctl_and_mask, cancelled, generations, unknowing)
