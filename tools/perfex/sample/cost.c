// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include "tools/perfex/base/clock.h"
#include "tools/perfex/sample/cost.h"

#define SAMPLES 9
#define EVERY	250000		    /* ns of this thread's time */
#define LONGEST UINT64_C(500000000) /* ns of any time: this thread may not run */
#define SHARE	4		    /* samples take one in 4 ns at most */
#define US	1000

/*
 * A sample makes one of the loop's turns long, and is found at its end or at the end of the next
 * one. Returns how many were found.
 */
static unsigned int time_samples(struct perfctr_sampler *sampler, uint64_t *costs)
{
	const struct perfctr_record *record;
	uint64_t begin = clock_ns(), before = begin, last = begin, this;
	unsigned int n = 0;

	do {
		int found = perfctr_sampler_next(sampler, &record);

		this = clock_ns();
		if (found > 0)
			costs[n++] = this - before;
		before = last;
		last = this;
	} while (n < SAMPLES && this - begin < LONGEST);
	return n;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t cost_measure(const char *event, const struct perfctr_sampler_config *config)
{
	struct perfctr_sampler_config mine = *config;
	struct perfctr_sampler *sampler;
	uint64_t costs[SAMPLES];
	unsigned int n;

	mine.period = EVERY;
	mine.frequency = 0;
	mine.pages = 0;
	mine.flags &= PERFCTR_MULTIPLEX | PERFCTR_SAMPLER_NO_KERNEL_CHAIN |
		      PERFCTR_SAMPLER_NO_USER_CHAIN;
	sampler = perfctr_sampler_open(event, NULL, &mine);
	if (!sampler)
		return 0;
	n = time_samples(sampler, costs);
	perfctr_sampler_close(sampler);
	/* Some turns were long because something else ran: the median's was not. */
	qsort(costs, n, sizeof(*costs), compare);
	return n ? costs[n / 2] : 0;
}

uint64_t cost_shortest(uint64_t cost)
{
	return (cost + US - 1) / US * US * SHARE;
}
