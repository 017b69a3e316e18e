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

/* Fills and sorts n numbers. */
static void fill_and_sort(int *numbers, size_t n, unsigned int *seed)
{
	size_t i;

	perfctr_region_begin(&fill);
	for (i = 0; i < n; i++)
		numbers[i] = rand_r(seed);
	perfctr_region_end(&fill);

	perfctr_region_begin(&sort);
	qsort(numbers, n, sizeof(numbers[0]), compare);
	perfctr_region_end(&sort);
}

/* Most arrays are small, and some are large. */
static void *work(void *arg)
{
	static __thread int numbers[N];
	unsigned int seed = 1, i;

	for (i = 1; i <= 64; i++)
		fill_and_sort(numbers, N / i, &seed);
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
