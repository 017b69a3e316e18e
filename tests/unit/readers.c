// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Readers in other threads, while their counters overflow, resume and change: ThreadSanitizer's
 * subject above all (scripts/test).
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include "lib/virtual/provider.h"
#include "libperfctr.h"
#include "tests/harness/faults.h"
#include "tests/harness/check.h"

enum { ROUNDS = 200 };

static struct perfctr_total *process;
static struct vperfctr *self;
static atomic_bool enough;
static atomic_uint overflows, reads;

static void resume(int signo, siginfo_t *info, void *context)
{
	int error = errno;

	(void)signo, (void)info, (void)context;
	atomic_fetch_add(&overflows, 1);
	vperfctr_iresume(self);
	errno = error;
}

/* Sums never go back, whoever reads them. */
static void *read_sums(void *arg)
{
	static char backward[] = "a sum went back", failed[] = "no sum";
	struct perfctr_sum_ctrs last = { 0 }, now;
	struct perfctr_reading reading;
	struct vperfctr_control c;
	unsigned int i;

	while (!atomic_load(&enough)) {
		if (perfctr_total_read(process, &now, NULL) < 0 ||
		    vperfctr_read_quality(self, 0, &reading) < 0 ||
		    vperfctr_read_state(self, NULL, &c) < 0)
			return failed;
		for (i = 0; i < 3; i++)
			if (now.pmc[i] < last.pmc[i])
				return backward;
		last = now;
		atomic_fetch_add(&reads, (unsigned int)vperfctr_is_running(self));
		sched_yield();
	}
	return arg;
}

static void count_with_readers(struct vperfctr_control *c)
{
	pthread_t thread[2];
	unsigned int k;
	void *wrong;

	process = perfctr_total_create();
	atomic_store(&enough, false);
	atomic_store(&reads, 0);
	self = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_PERF);
	ck_assert_ptr_nonnull(self);
	ck_assert_int_eq(perfctr_total_add(process, self), 0);
	ck_assert_msg(vperfctr_control(self, c) == 0, "%s", perfctr_error());
	c->preserve = 7;
	for (k = 0; k < 2; k++)
		ck_assert_int_eq(pthread_create(&thread[k], NULL, read_sums, NULL), 0);
	for (k = 0; k < ROUNDS; k++) {
		fault(3 * PERIOD);
		if (k % 8 == 7)
			ck_assert_msg(vperfctr_control(self, c) == 0, "%s", perfctr_error());
		sched_yield();
	}
	/* On one processor they may not have had their turn yet. */
	while (atomic_load(&reads) < ROUNDS)
		sched_yield();
	atomic_store(&enough, true);
	for (k = 0; k < 2; k++) {
		pthread_join(thread[k], &wrong);
		ck_assert_msg(!wrong, "%s", (char *)wrong);
	}
	vperfctr_unlink(self);
	vperfctr_close(self);
	perfctr_total_destroy(process);
}

START_TEST(read_by_others)
{
	struct sigaction action = { .sa_sigaction = resume, .sa_flags = SA_SIGINFO };
	struct vperfctr_control i_mode = counting(1, 2), a_mode = counting(3, 0);

	sigaction(SIGUSR1, &action, NULL);
	i_mode.cpu_control.ireset[2] = -27;
	count_with_readers(&i_mode);
	/* ThreadSanitizer holds signals back until the thread calls something, once a round. */
	ck_assert_uint_ge(overflows, ROUNDS);
#ifndef __SANITIZE_THREAD__
	ck_assert_uint_gt(overflows, ROUNDS);
#endif
	atomic_store(&overflows, 0);
	count_with_readers(&a_mode);
	ck_assert_uint_eq(overflows, 0);
}
END_TEST

UNIT_MAIN("readers", 60, read_by_others)
