// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which part of the program is slow? Build it with -lperfctr, and run it with
 *	PERFCTR_REGIONS=instructions,cycles ./regions
 * or without, as fast as if it had no regions.
 */
#include <pthread.h>
#include <stdlib.h>
#include <perfctr/regions.h>

PERFCTR_REGION(fill, "fill");
PERFCTR_REGION(sort, "sort");

#define N 20000

static int compare(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static void *work(void *arg)
{
	static __thread int numbers[N];
	unsigned int seed = 1;
	int i;

	perfctr_region_begin(&fill);
	for (i = 0; i < N; i++)
		numbers[i] = rand_r(&seed);
	perfctr_region_end(&fill);

	perfctr_region_begin(&sort);
	qsort(numbers, N, sizeof(numbers[0]), compare);
	perfctr_region_end(&sort);
	return arg;
}

int main(void)
{
	pthread_t thread[4];
	int i;

	for (i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, work, NULL) != 0)
			return 1;
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
