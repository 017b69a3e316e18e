// SPDX-License-Identifier: LGPL-2.1-or-later
/* Totals over more threads than a set begins with room for. What else a set does is in virtual.c. */
#include <pthread.h>
#include "unit.h"

#define THREADS 1600	/* room is for 512, then for 1536 */

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
	struct perfctr_process *process = perfctr_process_create();
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
		ck_assert_msg(perfctr_process_add(process, handle[i]) == 0, "%s", perfctr_error());
		ck_assert_int_eq(vperfctr_read_ctrs(handle[i], &one), 0);
		ck_assert_uint_gt(one.tsc, 0);
		total += one.tsc;
		/* The first and the last of each size. */
		if (i == 0 || i == 511 || i == 512 || i == 1535 || i == 1536 || i == THREADS - 1) {
			ck_assert_int_eq(perfctr_process_read(process, &sum, &n), 0);
			ck_assert_uint_eq(n, i + 1);
			ck_assert_uint_eq(sum.tsc, total);
		}
	}
	/* Each once. */
	ck_fails(perfctr_process_add(process, handle[0]), EEXIST, "already");
	ck_fails(perfctr_process_add(process, handle[THREADS - 1]), EEXIST, "already");
	/* The set holds them. */
	for (i = 0; i < THREADS; i++)
		vperfctr_close(handle[i]);
	ck_assert_int_eq(perfctr_process_read(process, &sum, &n), 0);
	ck_assert_uint_eq(n, THREADS);
	ck_assert_uint_eq(sum.tsc, total);
	perfctr_process_destroy(process);
}
END_TEST

START_TEST(bad_arguments)
{
	struct perfctr_process *process = perfctr_process_create();
	struct vperfctr *self = vperfctr_open();
	struct perfctr_sum_ctrs sum;

	ck_fails(perfctr_process_add(NULL, self), EINVAL, "NULL");
	ck_fails(perfctr_process_add(process, NULL), EINVAL, "NULL");
	ck_fails(perfctr_process_read(NULL, &sum, NULL), EINVAL, "NULL");
	ck_fails(perfctr_process_read(process, NULL, NULL), EINVAL, "NULL");
	/* None: all is zero, and without a place for their number, too. */
	memset(&sum, 0xEE, sizeof(sum));
	ck_assert_int_eq(perfctr_process_read(process, &sum, NULL), 0);
	ck_assert_uint_eq(sum.tsc, 0);
	ck_assert_uint_eq(sum.pmc[PERFCTR_NR_CTRS - 1], 0);
	perfctr_process_destroy(process);
	perfctr_process_destroy(NULL);
	vperfctr_close(self);
}
END_TEST

UNIT_MAIN("process", 60, many_threads, bad_arguments)
