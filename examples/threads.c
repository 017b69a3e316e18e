// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A program with some threads counts itself in two ways: as a process, from outside, and thread by
 * thread, from inside.
 */
#include <libperfctr.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4

static struct perfctr_total *process;
static unsigned int ncounters; /* 0 where there are none: the virtual TSC counts alone */

/* Each thread's own counters: the virtual TSC, and instructions in user mode. */
static int count_myself(void)
{
	struct vperfctr_control control;
	struct vperfctr *self = vperfctr_open();
	int result = -1;

	if (!self)
		return -1;
	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	control.cpu_control.nractrs = ncounters;
#if defined(__x86_64__) || defined(__i386__)
	control.cpu_control.evntsel[0] = 0x004100C0;
#elif defined(__aarch64__)
	control.cpu_control.evntsel[0] = 0x80000008;
#elif defined(__riscv)
	control.cpu_control.pmc_map[0] = 2; /* instret */
	control.cpu_control.evntsel[0] = 2;
	control.cpu_control.evntsel_high[0] = 0x21000000;
#elif defined(__powerpc64__)
	control.cpu_control.evntsel[0] = 2;
	control.cpu_control.evntsel_high[0] = 0x20000000;
#endif
	if (vperfctr_control(self, &control) == 0 && perfctr_total_add(process, self) == 0)
		result = 0;
	vperfctr_close(self); /* they count on until the thread ends */
	return result;
}

static void *work(void *arg)
{
	volatile unsigned int k;

	/* Counters of this kind are not to be had on every machine, which is no failure. */
	if (count_myself() < 0)
		printf("thread %s: %s\n", (const char *)arg, perfctr_error());
	for (k = 0; k < 1000000; k++)
		;
	return NULL;
}

int main(void)
{
	static char names[THREADS][2] = { "1", "2", "3", "4" };
	const struct perfctr_target me = { .type = PERFCTR_TARGET_PROCESS };
	struct perfctr_reading reading[2];
	struct perfctr_sum_ctrs sum;
	struct perfctr_info info;
	struct perfctr_set *set;
	pthread_t thread[THREADS];
	unsigned int i, n;

	if (perfctr_get_info(&info) == 0)
		ncounters = perfctr_info_nrctrs(&info) > 0;
	process = perfctr_total_create();
	/* Threads that are created from now on count, too. */
	set = perfctr_set_open("{task-clock,page-faults:u}", &me, PERFCTR_INHERIT);
	if (!process || !set) {
		fprintf(stderr, "%s\n", perfctr_error());
		return 1;
	}
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, names[i]);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);

	/* All of them have ended; what they counted is there. */
	if (perfctr_set_read(set, reading) < 0) {
		fprintf(stderr, "%s\n", perfctr_error());
		return 1;
	}
	printf("the process:\n");
	for (i = 0; i < perfctr_set_size(set); i++)
		printf("  %-12s %12llu  %s\n", perfctr_set_name(set, i),
		       (unsigned long long)perfctr_reading_estimate(&reading[i]),
		       perfctr_quality_name(reading[i].quality));
	if (perfctr_total_read(process, &sum, &n) == 0) {
		printf("its %u threads that count themselves:\n  tsc          %12llu\n", n,
		       sum.tsc);
		if (ncounters)
			printf("  pmc[0]       %12llu\n", sum.pmc[0]);
	}
	perfctr_set_close(set);
	perfctr_total_destroy(process);
	return 0;
}
