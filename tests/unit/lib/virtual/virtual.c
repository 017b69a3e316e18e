// SPDX-License-Identifier: LGPL-2.1-or-later
/* The calling thread's virtual counters, as far as a machine without a PMU goes. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "lib/virtual/provider.h"
#include "lib/base/error.h"
#include "lib/isa/control.h"
#include "lib/isa/tsc.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

static struct vperfctr_control tsc_only(void)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	return control;
}

/* Use the processor for about ms milliseconds. */
static void spin(unsigned int ms)
{
	struct timespec t0, t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t0);
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while ((t.tv_sec - t0.tv_sec) * 1000 + (t.tv_nsec - t0.tv_nsec) / 1000000 < (long)ms);
}

static unsigned int open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static struct vperfctr *open_counting_tsc(void)
{
	struct vperfctr_control control = tsc_only();
	struct vperfctr *self = vperfctr_open();

	ck_assert_ptr_nonnull(self);
	ck_assert_int_eq(vperfctr_control(self, &control), 0);
	return self;
}

/* Whomever one asks: clients divide by the frequency. */
START_TEST(the_facts_are_the_same_everywhere)
{
	struct vperfctr *self = vperfctr_open();
	struct gperfctr *global = gperfctr_open();
	struct perfctr_info info, own, whole, none;

	memset(&info, 0x5A, sizeof(info));
	own = whole = none = info;
	ck_assert_int_eq(perfctr_get_info(&info), 0);
	ck_assert_int_eq(vperfctr_info(self, &own), 0);
	ck_assert_int_eq(gperfctr_info(global, &whole), 0);
	ck_assert_int_eq(perfctr_info(-1, &none), 0);
	ck_assert_mem_eq(&own, &info, sizeof(info));
	ck_assert_mem_eq(&whole, &info, sizeof(info));
	ck_assert_mem_eq(&none, &info, sizeof(info));
#if defined(__i386__) || defined(__x86_64__)
	ck_assert_uint_gt(info.cpu_khz, 0);
	ck_assert_uint_eq(info.tsc_to_cpu_mult, 1);
#endif
	gperfctr_close(global);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

START_TEST(one_state_per_thread)
{
	struct vperfctr *self, *again;

	ck_fails_null(vperfctr_open_mode(0), ENODEV, "no counters yet");
	self = vperfctr_open();
	ck_assert_ptr_nonnull(self);
	ck_fails_null(vperfctr_open(), EEXIST, "already");
	again = vperfctr_open_mode(0);
	ck_assert_ptr_nonnull(again);
	vperfctr_close(self);
	/* The state outlives its handles, until it is unlinked. */
	ck_fails_null(vperfctr_open(), EEXIST, "already");
	ck_assert_int_eq(vperfctr_unlink(again), 0);
	ck_assert_int_eq(vperfctr_unlink(again), 0);
	ck_fails_null(vperfctr_open_mode(0), ENODEV, "no counters yet");
	vperfctr_close(again);
	self = vperfctr_open();
	ck_assert_ptr_nonnull(self);
	vperfctr_unlink(self);
	vperfctr_close(self);
	vperfctr_close(NULL);
}
END_TEST

START_TEST(open_modes)
{
	struct vperfctr *self, *again;

	ck_fails_null(vperfctr_open_mode(1), EINVAL, "0x1");
	ck_fails_null(vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | 0x1000), EINVAL, "0x1003");
	ck_fails_null(vperfctr_open_mode(VPERFCTR_OPEN_DRIVER | VPERFCTR_OPEN_PERF), EINVAL,
		      "both");
	ck_fails_null(vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_DRIVER), ENODEV,
		      "driver");
	setenv("PERFCTR_PROVIDER", "nonsense", 1);
	ck_fails_null(vperfctr_open(), EINVAL, "PERFCTR_PROVIDER=nonsense");
	ck_assert_ptr_null(perfctr_provider_name());
	setenv("PERFCTR_PROVIDER", "driver", 1);
	ck_fails_null(vperfctr_open(), ENODEV, "driver");
	setenv("PERFCTR_PROVIDER", "perf", 1);
	ck_assert_str_eq(perfctr_provider_name(), "perf");
	self = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_PERF |
				  PERFCTR_MULTIPLEX);
	ck_assert_ptr_nonnull(self);
	/* A thread has one state, whichever provider its opens ask for. */
	ck_fails_null(vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_DRIVER), EEXIST,
		      "already");
	ck_fails_null(vperfctr_open_mode(VPERFCTR_OPEN_DRIVER), ENODEV, "\"perf\"");
	setenv("PERFCTR_PROVIDER", "driver", 1);
	again = vperfctr_open_mode(0);
	ck_assert_ptr_eq(again, self);
	vperfctr_close(again);
	vperfctr_unlink(self);
	vperfctr_close(self);
	unsetenv("PERFCTR_PROVIDER"); /* the tests share a process where Check may not fork */
}
END_TEST

START_TEST(a_fresh_state_counts_nothing)
{
	struct vperfctr *self = vperfctr_open();
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control control;
	unsigned int i;

	memset(&sum, 0xFF, sizeof(sum));
	memset(&control, 0xFF, sizeof(control));
	ck_assert_int_eq(vperfctr_is_running(self), 0);
	ck_assert_int_eq(vperfctr_read_state(self, &sum, &control), 0);
	ck_assert_uint_eq(sum.tsc, 0);
	for (i = 0; i < PERFCTR_NR_CTRS; i++)
		ck_assert_uint_eq(sum.pmc[i], 0);
	ck_assert_uint_eq(control.cpu_control.tsc_on, 0);
	ck_assert_uint_eq(control.cpu_control.nractrs, 0);
	ck_assert_int_eq(vperfctr_read_state(self, NULL, NULL), 0);
	ck_fails(vperfctr_read_ctrs(self, NULL), EINVAL, "NULL");
	ck_fails(vperfctr_control(self, NULL), EINVAL, "NULL");
	ck_fails(vperfctr_info(self, NULL), EINVAL, "NULL");
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

START_TEST(tsc_counts_while_the_thread_runs)
{
	struct vperfctr *self = open_counting_tsc();
	uint64_t khz = perfctr_tsc_khz(), t0, t1;
	struct timespec c0, c1;
	double ms;

	ck_assert_int_ne(vperfctr_is_running(self), 0);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &c0);
	t0 = vperfctr_read_tsc(self);
	spin(50);
	t1 = vperfctr_read_tsc(self);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &c1);
	ms = (double)(c1.tv_sec - c0.tv_sec) * 1e3 + (double)(c1.tv_nsec - c0.tv_nsec) / 1e6;
	ck_assert_double_eq_tol((double)(t1 - t0) / (double)khz, ms, ms / 50);
	t0 = vperfctr_read_tsc(self);
	usleep(100000);
	t1 = vperfctr_read_tsc(self);
	ck_assert_uint_lt(t1 - t0, khz * 50); /* asleep for 100 ms, of which few were work */
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

START_TEST(tsc_never_goes_back)
{
	struct vperfctr *self = open_counting_tsc();
	uint64_t last = 0, now;
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		now = vperfctr_read_tsc(self);
		ck_assert_uint_ge(now, last);
		last = now;
		if (i % 1000 == 0)
			usleep(100);
	}
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

START_TEST(sums_over_controls)
{
	struct vperfctr_control control = tsc_only();
	struct vperfctr *self = open_counting_tsc();
	struct perfctr_reading reading;
	uint64_t before, after;

	/* The TSC's sum goes on through a control that keeps the TSC on, and through a stop. */
	spin(10);
	before = vperfctr_read_tsc(self);
	ck_assert_int_eq(vperfctr_control(self, &control), 0);
	ck_assert_uint_ge(vperfctr_read_tsc(self), before);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	ck_assert_int_eq(vperfctr_is_running(self), 0);
	after = vperfctr_read_tsc(self);
	ck_assert_uint_ge(after, before);
	spin(5);
	ck_assert_uint_eq(vperfctr_read_tsc(self), after);
	ck_assert_int_eq(vperfctr_read_quality(self, 0, &reading), 0);
	ck_assert_uint_eq(reading.quality, PERFCTR_STALE);
	ck_assert_int_eq(vperfctr_control(self, &control), 0);
	ck_assert_uint_ge(vperfctr_read_tsc(self), after);
	vperfctr_unlink(self);
	/* What was counted can still be read. */
	after = vperfctr_read_tsc(self);
	ck_assert_uint_gt(after, before);
	ck_assert_uint_eq(vperfctr_read_tsc(self), after);
	ck_fails(vperfctr_control(self, &control), ESRCH, "unlinked");
	vperfctr_close(self);
}
END_TEST

START_TEST(an_invalid_control_changes_nothing)
{
	struct vperfctr *self = open_counting_tsc();
	struct vperfctr_control control, read;
	uint64_t before;

	spin(5);
	before = vperfctr_read_tsc(self);
	control = tsc_only();
	control.cpu_control.nractrs = PERFCTR_NR_CTRS + 1;
	ck_assert_int_eq(vperfctr_control(self, &control), -1);
	ck_assert(errno == EINVAL || errno == EOPNOTSUPP); /* the latter without a PMU */
	control = tsc_only();
	control.flags = 4;
	ck_fails(vperfctr_control(self, &control), EINVAL, "flags has 0x00000004");
	control = tsc_only();
	control.flags = 1 | 2 | 0x80000000;
	ck_fails(vperfctr_control(self, &control), EINVAL, "_EXTENDED are known");
	ck_assert_int_ne(vperfctr_is_running(self), 0);
	spin(5);
	ck_assert_uint_gt(vperfctr_read_tsc(self), before);
	ck_assert_int_eq(vperfctr_read_state(self, NULL, &read), 0);
	ck_assert_uint_eq(read.cpu_control.tsc_on, 1);
	ck_assert_uint_eq(read.cpu_control.nractrs, 0);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

/* Perfctr 2.6's programs leave there what was on their stack. It is read back as it was. */
START_TEST(reserved_words)
{
	struct vperfctr *self = open_counting_tsc();
	struct vperfctr_control control = tsc_only(), read;

	control._reserved2 = control._reserved3 = control._reserved4 = 0xDEADBEEF;
	control.cpu_control._reserved1 = control.cpu_control._reserved2 = 0xFFFFFFFF;
	control.cpu_control._reserved3 = control.cpu_control._reserved4 = 0xFFFFFFFF;
	ck_assert_msg(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	ck_assert_int_eq(vperfctr_read_state(self, NULL, &read), 0);
	ck_assert_mem_eq(&read, &control, sizeof(read));
	control.flags = VPERFCTR_CONTROL_EXTENDED;
#if defined(__i386__) || defined(__x86_64__)
	/* Asked for, they must have a meaning, which they can't without counters. */
	ck_fails(vperfctr_control(self, &control), EINVAL, "0xFFFFFFFF");
	control.cpu_control._reserved1 = control.cpu_control._reserved2 = 0;
	control.cpu_control._reserved3 = 0;
#endif
	ck_assert_msg(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

START_TEST(no_such_counter)
{
	struct vperfctr *self = open_counting_tsc();
	struct perfctr_reader reader, none;
	struct perfctr_reading reading;

	errno = 0;
	ck_assert_uint_eq(vperfctr_read_pmc(self, PERFCTR_NR_CTRS), ~0ULL);
	ck_assert_int_eq(errno, EINVAL);
	ck_fails(vperfctr_read_quality(self, PERFCTR_NR_CTRS, &reading), EINVAL, "no counter");
	ck_fails(vperfctr_read_quality(self, 0, NULL), EINVAL, "NULL");
	ck_fails(vperfctr_reader(self, 0, NULL), EINVAL, "NULL");
	/* A reader that finds nothing is left, not what was there. */
	memset(&reader, 0x5A, sizeof(reader));
	memset(&none, 0, sizeof(none));
	ck_fails(vperfctr_reader(self, 0, &reader), EINVAL, "not running");
	ck_assert_uint_eq(reader.page->index, 0);
	none.page = reader.page;
	ck_assert_mem_eq(&reader, &none, sizeof(none));
	ck_fails(vperfctr_iresume(self), EINVAL, "i-mode");
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

/* What the driver's signals say, and perf_events'; others tell of no overflow. */
START_TEST(overflow_mask)
{
	struct vperfctr *self = open_counting_tsc();
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_code = SI_PMC_OVF;
	info.si_pmc_ovf_mask = 5;
	ck_assert_uint_eq(vperfctr_ovf_mask(self, &info), 5);
	info.si_code = SI_USER;
	ck_assert_uint_eq(vperfctr_ovf_mask(self, &info), 0);
	memset(&info, 0, sizeof(info));
	info.si_code = POLL_HUP;
	ck_assert_uint_eq(vperfctr_ovf_mask(self, &info), 0);
	info.si_code = POLL_IN;
	info.si_band = -1;
	ck_assert_uint_eq(vperfctr_ovf_mask(self, &info), 0);
	vperfctr_unlink(self);
	ck_assert_uint_eq(vperfctr_ovf_mask(self, &info), 0);
	vperfctr_close(self);
}
END_TEST

static struct vperfctr_control i_mode(void)
{
	struct vperfctr_control control = tsc_only();

	control.si_signo = SIGUSR1;
	control.cpu_control.nrictrs = 1;
	control.cpu_control.ireset[0] = -1000000;
#if defined(__i386__) || defined(__x86_64__)
	control.cpu_control.evntsel[0] = 0x005100C0;
#elif defined(__aarch64__)
	control.cpu_control.evntsel[0] = 0x80000008;
#endif
	return control;
}

/* Where there is no PMU that is said; where there is one it counts, but is never shared. */
START_TEST(i_mode_controls)
{
	struct vperfctr *self = open_counting_tsc();
	struct vperfctr_control control = i_mode();

	if (vperfctr_control(self, &control) < 0)
		ck_assert_msg(errno == EOPNOTSUPP || errno == EINVAL || errno == EACCES ||
				      errno == ENOSYS || errno == EBUSY,
			      "%s", perfctr_error());
	ck_assert_int_ne(vperfctr_is_running(self), 0);
	ck_fails(vperfctr_iresume(self), EINVAL, "no i-mode counter has overflowed");
	vperfctr_unlink(self);
	ck_fails(vperfctr_iresume(self), ESRCH, "unlinked");
	vperfctr_close(self);

	self = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | PERFCTR_MULTIPLEX);
	ck_assert_ptr_nonnull(self);
	ck_fails(vperfctr_control(self, &control), EOPNOTSUPP, "can't be multiplexed");
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

static void *use_anothers(void *arg)
{
	struct vperfctr_control control = tsc_only();
	struct vperfctr *other = arg;
	struct perfctr_sum_ctrs sum;

	ck_assert_int_eq(vperfctr_control(other, &control), -1);
	ck_assert_int_eq(errno, ESRCH);
	ck_assert_int_eq(vperfctr_iresume(other), -1);
	ck_assert_int_eq(errno, ESRCH);
	ck_assert_int_eq(vperfctr_unlink(other), -1);
	ck_assert_int_eq(errno, ESRCH);
	ck_assert_ptr_null(vperfctr_open_mode(0));
	/* Reading is right from any thread. */
	ck_assert_int_eq(vperfctr_read_ctrs(other, &sum), 0);
	ck_assert_uint_gt(sum.tsc, 0);
	return NULL;
}

START_TEST(other_threads_only_read)
{
	struct vperfctr *self = open_counting_tsc();
	pthread_t thread;

	spin(2);
	pthread_create(&thread, NULL, use_anothers, self);
	pthread_join(thread, NULL);
	ck_assert_int_ne(vperfctr_is_running(self), 0);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

static void *count_a_while(void *process)
{
	struct vperfctr *self = open_counting_tsc();

	ck_assert_int_eq(perfctr_total_add(process, self), 0);
	ck_assert_int_eq(perfctr_total_add(process, self), -1);
	ck_assert_int_eq(errno, EEXIST);
	spin(10);
	vperfctr_close(self);
	return NULL;
}

START_TEST(total_over_threads)
{
	struct perfctr_total *process = perfctr_total_create();
	unsigned int before = open_descriptors(), i, n;
	struct perfctr_sum_ctrs sum, again;
	pthread_t thread[8];

	ck_assert_int_eq(perfctr_total_read(process, &sum, &n), 0);
	ck_assert_uint_eq(sum.tsc, 0);
	ck_assert_uint_eq(n, 0);
	for (i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, count_a_while, process);
	for (i = 0; i < 50; i++) /* while they come and go */
		ck_assert_int_eq(perfctr_total_read(process, &sum, NULL), 0);
	for (i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	ck_assert_int_eq(perfctr_total_read(process, &sum, &n), 0);
	ck_assert_uint_eq(n, 8);
	/* All have ended; each ran for 10 ms. */
	ck_assert_uint_ge(sum.tsc, perfctr_tsc_khz() * 80 * 98 / 100);
	ck_assert_int_eq(perfctr_total_read(process, &again, NULL), 0);
	ck_assert_uint_eq(again.tsc, sum.tsc);
	ck_fails(perfctr_total_read(process, NULL, NULL), EINVAL, "NULL");
	ck_fails(perfctr_total_add(process, NULL), EINVAL, "NULL");
	perfctr_total_destroy(process);
	perfctr_total_destroy(NULL);
	ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

static atomic_bool enough;

/* Without Check, which has locks, too. Returns NULL if all is well. */
static void *read_all_the_time(void *process)
{
	struct perfctr_sum_ctrs sum;
	int failed = 0;

	while (!atomic_load(&enough))
		failed |= perfctr_total_read(process, &sum, NULL);
	return failed ? process : NULL;
}

/* Whatever the parent's threads were doing: a lock that one of them held is free here. */
START_TEST(a_child_has_no_total)
{
	struct perfctr_total *process = perfctr_total_create();
	struct vperfctr *self = open_counting_tsc();
	pthread_t thread;
	void *failure;
	unsigned int i;
	int status;
	pid_t pid;

	ck_assert_int_eq(perfctr_total_add(process, self), 0);
	atomic_store(&enough, false);
	pthread_create(&thread, NULL, read_all_the_time, process);
	for (i = 0; i < 30; i++) {
		pid = fork();
		if (pid == 0) {
			struct perfctr_sum_ctrs sum;
			int failed = 0;

			alarm(300);
			errno = 0;
			failed |= perfctr_total_read(process, &sum, NULL) != -1 || errno != ESRCH;
			failed |= !strstr(perfctr_error(), "parent process");
			self = vperfctr_open();
			errno = 0;
			failed |= perfctr_total_add(process, self) != -1 || errno != ESRCH;
			vperfctr_unlink(self);
			vperfctr_close(self);
			perfctr_total_destroy(process);
			_exit(failed);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
	}
	atomic_store(&enough, true);
	pthread_join(thread, &failure);
	ck_assert_ptr_null(failure);
	vperfctr_unlink(self);
	vperfctr_close(self);
	perfctr_total_destroy(process);
}
END_TEST

static bool is_none(long long result)
{
	bool right = result == -1 && errno == ESRCH && strstr(perfctr_error(), "parent process");

	perfctr_fail(errno = 0, "?");
	return right;
}

/* What a child makes of its parent's handle: the number of calls that did not refuse it. */
static int take_for_ours(struct vperfctr *self)
{
	struct vperfctr_control control = tsc_only();
	struct perfctr_reading reading;
	struct perfctr_reader reader;
	struct perfctr_sum_ctrs sum;
	struct perfctr_info info;
	siginfo_t overflow;
	int failed = 0;

	memset(&overflow, 0, sizeof(overflow));
	overflow.si_code = SI_PMC_OVF;
	overflow.si_pmc_ovf_mask = 1;
	failed += !is_none(vperfctr_info(self, &info));
	failed += !is_none(vperfctr_cpus_info(self) ? 0 : -1);
	failed += !is_none(vperfctr_control(self, &control));
	failed += !is_none(vperfctr_stop(self));
	failed += !is_none(vperfctr_pause(self));
	failed += !is_none(vperfctr_resume(self));
	failed += !is_none(vperfctr_iresume(self));
	failed += !is_none((long long)vperfctr_read_tsc(self));
	failed += !is_none((long long)vperfctr_read_pmc(self, 0));
	failed += !is_none(vperfctr_read_ctrs(self, &sum));
	failed += !is_none(vperfctr_read_state(self, &sum, &control));
	failed += !is_none(vperfctr_read_state(self, NULL, NULL));
	failed += !is_none(vperfctr_read_quality(self, 0, &reading));
	failed += !is_none(vperfctr_reader(self, 0, &reader));
	failed += !is_none(vperfctr_unlink(self));
	failed += vperfctr_is_running(self);
	failed += vperfctr_ovf_mask(self, &overflow) != 0;
	return failed;
}

START_TEST(a_child_has_none)
{
	struct vperfctr *self = open_counting_tsc();
	int status;
	pid_t pid;

	spin(1);
	pid = fork();
	if (pid == 0) {
		struct vperfctr_control control = tsc_only();
		int failed = take_for_ours(self);

		failed += vperfctr_open_mode(0) != NULL || errno != ENODEV;
		vperfctr_close(self);
		self = vperfctr_open();
		failed += !self || vperfctr_control(self, &control) != 0;
		failed += !self || vperfctr_read_tsc(self) == ~0ULL;
		_exit(failed);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_ne(vperfctr_is_running(self), 0);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

/* Not by _exit(): valgrind would miss what the ended thread's stack points to, and call it lost. */
static void *killed_after(void *thread)
{
	pthread_join(*(pthread_t *)thread, NULL);
	kill(getpid(), SIGKILL);
	return NULL;
}

/* What the thread that called fork() would have done at its end concerns the parent. */
START_TEST(a_child_ends_as_a_thread)
{
	struct vperfctr *self = open_counting_tsc();
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		static pthread_t first;
		pthread_t second;

		first = pthread_self();
		if (pthread_create(&second, NULL, killed_after, &first) != 0)
			_exit(1);
		pthread_exit(NULL);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGKILL);
	ck_assert_int_ne(vperfctr_is_running(self), 0);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

START_TEST(nothing_leaks)
{
	unsigned int before = open_descriptors(), i;

	for (i = 0; i < 300; i++) {
		struct vperfctr *self = open_counting_tsc();

		if (i % 2)
			vperfctr_stop(self);
		vperfctr_unlink(self);
		vperfctr_close(self);
	}
	ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

START_TEST(works_without_descriptors)
{
	struct rlimit limit, none;
	struct vperfctr *self;

	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	self = open_counting_tsc(); /* the virtual TSC needs none */
	ck_fails_null(perfctr_set_open("page-faults:u", NULL, 0), EMFILE, "ulimit -n");
	setrlimit(RLIMIT_NOFILE, &limit);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

static struct vperfctr *volatile storm_self;
static volatile sig_atomic_t storms, storm_errors;

static void storm(int signal)
{
	static uint64_t last, before, longest;
	struct perfctr_sum_ctrs sum;
	struct timespec t;
	uint64_t now;

	(void)signal;
	storms++;
	/*
	 * A stop that this handler interrupts keeps the sum of a moment before: one of some us, or
	 * of as long as a host has kept a virtual machine waiting, which lies between two signals.
	 */
	if (vperfctr_read_ctrs(storm_self, &sum) < 0 ||
	    sum.tsc + perfctr_tsc_khz() * (50 + longest / 1000000) < last)
		storm_errors++;
	last = sum.tsc;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (before && now - before > longest)
		longest = now - before;
	before = now;
}

START_TEST(signals_in_every_call)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	struct vperfctr_control control = tsc_only();
	struct sigaction action = { .sa_handler = storm };
	unsigned int i;

	storm_self = open_counting_tsc();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 200000 && storms < 2000; i++) {
		ck_assert_int_eq(vperfctr_control(storm_self, &control), 0);
		ck_assert_uint_ne(vperfctr_read_tsc(storm_self), ~0ULL);
		ck_assert_int_eq(vperfctr_stop(storm_self), 0);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	ck_assert_int_eq(storm_errors, 0);
	ck_assert_int_gt(storms, 0);
	vperfctr_unlink(storm_self);
	vperfctr_close(storm_self);
}
END_TEST

/* 2.6's reserved words, and no other. */
START_TEST(hidden_words)
{
	struct perfctr_cpu_control control, before;

	memset(&control, 0x5A, sizeof(control));
	before = control;
	perfctr_control_hide(&control);
	ck_assert_uint_eq(control._reserved1, 0);
	ck_assert_uint_eq(control._reserved2, 0);
	ck_assert_uint_eq(control._reserved3, 0);
	ck_assert_uint_eq(control._reserved4, 0);
	control._reserved1 = control._reserved2 = before._reserved1;
	control._reserved3 = control._reserved4 = before._reserved1;
	ck_assert_mem_eq(&control, &before, sizeof(control));
}
END_TEST

/* NULL for a handle, a result or a function is an error with a sentence, except in the quick reads.
 */
START_TEST(null)
{
	static const char handle[] = "vperfctr_*() need a handle of vperfctr_open(), not NULL";
	struct perfctr_info info;
	struct vperfctr_control control = { 0 };
	struct perfctr_sum_ctrs sum;
	struct perfctr_reading reading;
	struct perfctr_reader reader;
	siginfo_t siginfo = { .si_code = SI_PMC_OVF };

	ck_fails(vperfctr_info(NULL, &info), EINVAL, handle);
	ck_fails_null(vperfctr_cpus_info(NULL), EINVAL, handle);
	ck_fails(vperfctr_control(NULL, &control), EINVAL, handle);
	ck_fails(vperfctr_stop(NULL), EINVAL, handle);
	ck_assert_int_eq(vperfctr_is_running(NULL), 0);
	ck_fails(vperfctr_read_state(NULL, &sum, &control), EINVAL, handle);
	ck_fails(vperfctr_read_quality(NULL, 0, &reading), EINVAL, handle);
	ck_fails(vperfctr_reader(NULL, 0, &reader), EINVAL, handle);
	ck_fails(vperfctr_pause(NULL), EINVAL, handle);
	ck_fails(vperfctr_resume(NULL), EINVAL, handle);
	ck_fails(vperfctr_iresume(NULL), EINVAL, handle);
	ck_fails(vperfctr_unlink(NULL), EINVAL, handle);
	ck_assert_uint_eq(vperfctr_ovf_mask(NULL, &siginfo), 0);
	vperfctr_close(NULL);
	ck_fails(perfctr_event_list(NULL, NULL, NULL), EINVAL, "a function to call");
	ck_fails(perfctr_cpu_list(NULL, NULL), EINVAL, "a function to call");
	ck_fails(perfctr_cpu_event_list(NULL, NULL, NULL), EINVAL, "a function to call");
	ck_fails(perfctr_doctor(NULL, NULL), EINVAL, "a function to tell");
}
END_TEST

UNIT_MAIN("virtual", 60, hidden_words, the_facts_are_the_same_everywhere, one_state_per_thread,
	  open_modes, a_fresh_state_counts_nothing, tsc_counts_while_the_thread_runs,
	  tsc_never_goes_back, sums_over_controls, an_invalid_control_changes_nothing,
	  reserved_words, no_such_counter, overflow_mask, i_mode_controls, other_threads_only_read,
	  total_over_threads, a_child_has_no_total, a_child_has_none, a_child_ends_as_a_thread,
	  nothing_leaks, works_without_descriptors, signals_in_every_call, null)
