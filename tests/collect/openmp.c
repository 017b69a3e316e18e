// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A program with OpenMP, for collect.sh, which knows how often threads are in each construct. It
 * has a region of its own, too.
 */
#include <perfctr/regions.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMES 10

PERFCTR_REGION(hand, "by hand");
static volatile long sink;

static void work(int n)
{
	for (int i = 0; i < n; i++)
		sink = i;
}

static void team(void)
{
#pragma omp parallel num_threads(4) /* team */
	{
		perfctr_region_begin(&hand);
		work(100);
		perfctr_region_end(&hand);
#pragma omp for schedule(dynamic, 5) /* loop */
		for (int i = 0; i < 40; i++)
			work(10);
#pragma omp barrier /* barrier */
#pragma omp single  /* single */
		for (int i = 0; i < 8; i++) {
#pragma omp task /* task */
			work(10);
		}
	}
}

static void nested(void)
{
#pragma omp parallel num_threads(2) /* around */
	{
#pragma omp parallel num_threads(2) /* within */
		work(10);
	}
}

static void alone(void)
{
#pragma omp parallel num_threads(1) /* alone */
	work(10);
}

int main(int argc, char **argv)
{
	for (int i = 0; i < TIMES; i++) {
		perfctr_region_begin(&hand);
		team();
		nested();
		alone();
		perfctr_region_end(&hand);
	}
	/* A child's exit must not take the parent's workers for its own. */
	if (argc > 1 && !strcmp(argv[1], "fork") && fork() == 0)
		exit(0);
	if (argc > 1 && !strcmp(argv[1], "within")) {
#pragma omp parallel num_threads(2)
#pragma omp single
		exit(0);
	}
	return 0;
}
