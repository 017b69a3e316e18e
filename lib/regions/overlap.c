// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>
#include "lib/regions/thread.h"

/*
 * The end of a visit in which others go on. In the order of their begins the visits are: around,
 * visit, first, ..., top. All sums are modulo 2^64, and some are negative until the visit has
 * ended.
 */

/*
 * The begins of "others" visits within this one are not its own cost; each of those visits has an
 * end here without its begin, but the whole pair will be subtracted.
 */
static void add_values(struct perfctr_visit *around, struct perfctr_visit *visit,
		       struct perfctr_visit *first, struct perfctr_visit *top, uint64_t others,
		       unsigned int n)
{
	const int64_t *cost = visit->visits->cost->begin;
	unsigned int i;

	for (i = 0; i < n; i++) {
		uint64_t begin = (uint64_t)cost[i], *at = &visit->value[n + i],
			 *first_at = &first->value[n + i], *top_at = &top->value[n + i];

		around->value[i] += *first_at - begin - *at;
		visit->value[i] += top->value[i] + *top_at - *first_at - (others - 1) * begin;
		*at += others * begin;
		top->value[i] = *at - *top_at;
	}
}

static void put_begin_back(struct perfctr_visit *other, const int64_t *begin, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		other->value[n + i] -= (uint64_t)begin[i];
}

/* The regions that ended within both belong to the visit, and to the others, too. */
static void add_within(struct perfctr_visit *around, struct perfctr_visit *visit,
		       struct perfctr_visit *first, struct perfctr_visit *top, ptrdiff_t stride)
{
	struct perfctr_visit *other;

	around->within.pairs += visit->within.pairs;
	around->within.branches += visit->within.branches;
	for (other = first; other <= top; other = perfctr_visit_at(other, stride)) {
		visit->within.pairs += other->within.pairs;
		visit->within.branches += other->within.branches;
	}
	visit->within.direct += top->within.direct;
	visit->within.forks += top->within.forks;
	top->within.direct = top->within.forks = 0;
	top->within.pairs -= visit->within.pairs;
	top->within.branches -= visit->within.branches;
}

/*
 * Adds the children by itself if no region has ended within: the visit's end would skip them then.
 */
static void add_children(const struct perfctr_visit *visit, unsigned int n)
{
	struct perfctr_sums *sum = visit->visits->sum;
	unsigned int i;

	for (i = 0; !visit->within.pairs && i < n; i++)
		perfctr_store(&sum[i].children, sum[i].children + visit->value[i]);
}

static void move_to_top(struct perfctr_visit *visit, struct perfctr_visit *first,
			struct perfctr_visit *top, ptrdiff_t stride)
{
	char scratch[sizeof(*visit) + 2 * PERFCTR_REGION_VALUES * sizeof(uint64_t)];

	memcpy(scratch, visit, (size_t)stride);
	memmove(visit, first, (size_t)((char *)top - (char *)visit));
	memcpy(top, scratch, (size_t)stride);
}

void perfctr_region_overlap(struct perfctr_region_thread *thread, struct perfctr_visit *visit,
			    struct perfctr_visit *top)
{
	const ptrdiff_t stride = perfctr_region_stride(thread);
	const int64_t *begin = visit->visits->cost->begin;
	struct perfctr_visit *around = perfctr_visit_at(visit, -stride),
			     *first = perfctr_visit_at(visit, stride), *other;

	if (visit == top)
		return;
	add_values(around, visit, first, top, (uint64_t)(((char *)top - (char *)visit) / stride),
		   thread->nvalues);
	for (other = first; other <= top; other = perfctr_visit_at(other, stride))
		put_begin_back(other, begin, thread->nvalues);
	add_within(around, visit, first, top, stride);
	add_children(visit, thread->nvalues);
	move_to_top(visit, first, top, stride);
}
