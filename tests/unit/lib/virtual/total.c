// SPDX-License-Identifier: LGPL-2.1-or-later
/* Totals over more threads than a set begins with room for. What else a set does is in virtual.c.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/virtual/provider.h"
#include "libperfctr.h"
#include "tests/harness/pmu.h"
#include "tests/harness/check.h"

#define THREADS 1600 /* room is for 256, then for 512, 1024, 2048 */

static struct vperfctr *handle[THREADS];

static void *count_and_end(void *arg)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	*(struct vperfctr **)arg = vperfctr_open();
	return vperfctr_control(*(struct vperfctr **)arg, &control) < 0 ? arg : NULL;
}

START_TEST(many_threads)
{
	struct perfctr_total *process = perfctr_total_create();
	struct perfctr_sum_ctrs sum, one;
	unsigned int i, n;
	uint64_t total = 0;
	pthread_t thread;
	void *result;

	ck_assert_ptr_nonnull(process);
	for (i = 0; i < THREADS; i++) {
		ck_assert_int_eq(pthread_create(&thread, NULL, count_and_end, &handle[i]), 0);
		pthread_join(thread, &result);
		ck_assert_ptr_null(result);
		ck_assert_msg(perfctr_total_add(process, handle[i]) == 0, "%s", perfctr_error());
		ck_assert_int_eq(vperfctr_read_ctrs(handle[i], &one), 0);
		ck_assert_uint_gt(one.tsc, 0);
		total += one.tsc;
		/* The first and the last of each size. */
		if (i == 0 || i == 255 || i == 256 || i == 511 || i == 512 || i == 1023 ||
		    i == 1024 || i == THREADS - 1) {
			ck_assert_int_eq(perfctr_total_read(process, &sum, &n), 0);
			ck_assert_uint_eq(n, i + 1);
			ck_assert_uint_eq(sum.tsc, total);
		}
	}
	/* Each once. */
	ck_fails(perfctr_total_add(process, handle[0]), EEXIST, "already");
	ck_fails(perfctr_total_add(process, handle[THREADS - 1]), EEXIST, "already");
	/* The set holds them. */
	for (i = 0; i < THREADS; i++)
		vperfctr_close(handle[i]);
	ck_assert_int_eq(perfctr_total_read(process, &sum, &n), 0);
	ck_assert_uint_eq(n, THREADS);
	ck_assert_uint_eq(sum.tsc, total);
	perfctr_total_destroy(process);
}
END_TEST

#if defined(__i386__) || defined(__x86_64__)
static struct perfctr_total *signalled;
static struct perfctr_sum_ctrs in_handler;

static void read_again(int signo)
{
	(void)signo;
	perfctr_total_read(signalled, &in_handler, NULL);
}

static void interrupt_read(void)
{
	raise(SIGUSR1);
}
#endif

/* Two threads' counters, on the made-up PMU. */
static void *count_5(void *arg)
{
	struct vperfctr_control *control = arg;
	struct vperfctr *self = vperfctr_open();

	if (vperfctr_control(self, control) < 0)
		return NULL;
	pmu_count(5);
	pmu_tick(1000);
	return self;
}

START_TEST(counters)
{
#if defined(__i386__) || defined(__x86_64__)
	struct perfctr_total *process = perfctr_total_create();
	struct vperfctr_control control;
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;
	pthread_t thread;
	void *other;
	unsigned int i;

	setenv("PERFCTR_PROVIDER", "perf", 1);
	pmu_begin();
	pmu.rdpmc = false; /* so that reads can fail */
	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	control.cpu_control.nractrs = 2;
	for (i = 0; i < 2; i++) {
		control.cpu_control.pmc_map[i] = i;
		control.cpu_control.evntsel[i] = 0x00410000 | (i ? 0x3C : 0xC0);
		pmu_rate(i ? 0x3C : 0xC0, i + 1);
	}
	self = vperfctr_open();
	ck_assert_msg(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	pmu_count(2);
	pthread_create(&thread, NULL, count_5, &control);
	pthread_join(thread, &other);
	ck_assert_ptr_nonnull(other);
	ck_assert_int_eq(perfctr_total_add(process, self), 0);
	ck_assert_int_eq(perfctr_total_add(process, other), 0);
	memset(&sum, 0xEE, sizeof(sum));
	ck_assert_int_eq(perfctr_total_read(process, &sum, NULL), 0);
	ck_assert_uint_eq(sum.pmc[0], 7);
	ck_assert_uint_eq(sum.pmc[1], 14);
	for (i = 2; i < PERFCTR_NR_CTRS; i++)
		ck_assert_uint_eq(sum.pmc[i], 0);
	/* A handler that interrupts the read finds no lock that its own thread holds. */
	signalled = process;
	signal(SIGUSR1, read_again);
	pmu_at(PMU_READ, 1, interrupt_read);
	ck_assert_int_eq(perfctr_total_read(process, &sum, NULL), 0);
	ck_assert_uint_eq(sum.pmc[1], 14);
	ck_assert_uint_eq(in_handler.pmc[1], 14);
	signal(SIGUSR1, SIG_DFL);
	/* One that can't be read is no total, and nothing is written. */
	memset(&sum, 0xEE, sizeof(sum));
	pmu_fail(PMU_READ, 1, EIO);
	ck_fails(perfctr_total_read(process, &sum, NULL), EIO, "read");
	ck_assert(pmu_failed());
	ck_assert_uint_eq(sum.tsc, UINT64_C(0xEEEEEEEEEEEEEEEE));
	vperfctr_close(other);
	perfctr_total_destroy(process);
	vperfctr_unlink(self);
	vperfctr_close(self);
	pmu_end();
#else
	(void)count_5; /* controls as x86's are not known here */
#endif
}
END_TEST

/* ---- two threads at once ---- */

static struct {
	struct perfctr_total *process;
	struct vperfctr *add; /* NULL: read */
	pthread_t thread;
	atomic_bool started, done;
	unsigned int n;
	int result;
	struct perfctr_sum_ctrs sum;
} other;

static void *use_set(void *arg)
{
	atomic_store(&other.started, true);
	other.result = other.add ? perfctr_total_add(other.process, other.add)
				 : perfctr_total_read(other.process, &other.sum, &other.n);
	atomic_store(&other.done, true);
	return arg;
}

/* In the middle of a call: another thread's has to wait until it is over. */
static void meanwhile(void)
{
	unsigned int i;

	ck_assert_int_eq(pthread_create(&other.thread, NULL, use_set, NULL), 0);
	while (!atomic_load(&other.started))
		usleep(1000);
	for (i = 0; i < 50 && !atomic_load(&other.done); i++)
		usleep(1000);
	ck_assert(!atomic_load(&other.done));
}

static void *open_and_end(void *arg)
{
	*(struct vperfctr **)arg = vperfctr_open();
	return NULL;
}

START_TEST(two_at_once)
{
	struct perfctr_total *process;
	struct vperfctr *self[3];
	struct perfctr_sum_ctrs sum;
	unsigned int i, n;
	pthread_t thread;

	setenv("PERFCTR_PROVIDER", "perf", 1);
	pmu_begin();
	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(pthread_create(&thread, NULL, open_and_end, &self[i]), 0);
		pthread_join(thread, NULL);
	}
	process = perfctr_total_create();
	memset(&other, 0, sizeof(other));
	other.process = process;
	/* While the first gets room, the second is added. */
	other.add = self[1];
	pmu_at(PMU_MEMORY, 1, meanwhile);
	ck_assert_int_eq(perfctr_total_add(process, self[0]), 0);
	ck_assert(atomic_load(&other.started));
	pthread_join(other.thread, NULL);
	ck_assert_int_eq(other.result, 0);
	ck_assert_int_eq(perfctr_total_read(process, &sum, &n), 0);
	ck_assert_uint_eq(n, 2);
	for (i = 0; i < 3; i++)
		vperfctr_close(self[i]);
	perfctr_total_destroy(process);
	pmu_end();
}
END_TEST

START_TEST(read_by_two)
{
#if defined(__i386__) || defined(__x86_64__)
	struct perfctr_total *process;
	struct vperfctr_control control;
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self, *third;
	pthread_t thread;
	unsigned int n;

	setenv("PERFCTR_PROVIDER", "perf", 1);
	pmu_begin();
	pmu.rdpmc = false; /* so that reads can be waited for */
	ck_assert_int_eq(pthread_create(&thread, NULL, open_and_end, &third), 0);
	pthread_join(thread, NULL);
	self = vperfctr_open();
	memset(&control, 0, sizeof(control));
	control.cpu_control.nractrs = 1;
	control.cpu_control.evntsel[0] = 0x004100C0;
	ck_assert_msg(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	process = perfctr_total_create();
	ck_assert_int_eq(perfctr_total_add(process, self), 0);
	memset(&other, 0, sizeof(other));
	other.process = process;
	other.add = third;
	pmu_at(PMU_READ, 1, meanwhile);
	ck_assert_int_eq(perfctr_total_read(process, &sum, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert(atomic_load(&other.started));
	pthread_join(other.thread, NULL);
	ck_assert_int_eq(other.result, 0);
	ck_assert_int_eq(perfctr_total_read(process, &sum, &n), 0);
	ck_assert_uint_eq(n, 2);
	perfctr_total_destroy(process);
	vperfctr_unlink(self);
	vperfctr_close(self);
	vperfctr_close(third);
	pmu_end();
#endif
}
END_TEST

/* In KiB. */
static long memory_used(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	ck_assert(file && fscanf(file, "%ld", &pages) == 1 && fclose(file) == 0);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Sets that come and go leave nothing, neither of their own nor of their threads. */
START_TEST(nothing_leaks)
{
	long before = 0;
	unsigned int i;

	for (i = 0; i < 300; i++) {
		struct perfctr_total *process = perfctr_total_create();
		pthread_t thread;

		pthread_create(&thread, NULL, count_and_end, &handle[0]);
		pthread_join(thread, NULL);
		ck_assert_int_eq(perfctr_total_add(process, handle[0]), 0);
		vperfctr_close(handle[0]);
		perfctr_total_destroy(process);
		if (i == 49) /* what the C library keeps is there now */
			before = memory_used();
	}
	ck_assert_int_lt(memory_used() - before, 250 * 4);
}
END_TEST

/* A handle of the parent's is none here. */
START_TEST(anothers_handle)
{
	struct vperfctr *self = vperfctr_open();
	int status;
	pid_t child;

	ck_assert_ptr_nonnull(self);
	child = fork();
	if (child == 0) {
		struct perfctr_total *process = perfctr_total_create();
		struct perfctr_sum_ctrs sum;
		unsigned int n = 7;

		errno = 0;
		_exit(!(perfctr_total_add(process, self) == -1 && errno == ESRCH &&
			perfctr_total_read(process, &sum, &n) == 0 && n == 0));
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

START_TEST(bad_arguments)
{
	struct perfctr_total *process = perfctr_total_create();
	struct vperfctr *self = vperfctr_open();
	struct perfctr_sum_ctrs sum;

	ck_fails(perfctr_total_add(NULL, self), EINVAL, "NULL");
	ck_fails(perfctr_total_add(process, NULL), EINVAL, "NULL");
	ck_fails(perfctr_total_read(NULL, &sum, NULL), EINVAL, "NULL");
	ck_fails(perfctr_total_read(process, NULL, NULL), EINVAL, "NULL");
	/* None: all is zero, and without a place for their number, too. */
	memset(&sum, 0xEE, sizeof(sum));
	ck_assert_int_eq(perfctr_total_read(process, &sum, NULL), 0);
	ck_assert_uint_eq(sum.tsc, 0);
	ck_assert_uint_eq(sum.pmc[PERFCTR_NR_CTRS - 1], 0);
	perfctr_total_destroy(process);
	perfctr_total_destroy(NULL);
	vperfctr_close(self);
}
END_TEST

UNIT_MAIN("process", 60, many_threads, counters, two_at_once, read_by_two, nothing_leaks,
	  anothers_handle, bad_arguments)
