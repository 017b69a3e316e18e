// SPDX-License-Identifier: LGPL-2.1-or-later
#include "lib/regions/resume.h"
#include "lib/regions/calibrate.h"
#include "lib/regions/state.h"
#include "lib/regions/thread.h"

/* Against a debugger that interrupts each instruction. */
#define TRIES 100

/* A number whose value compilers don't know: they would make two ways of one, by what it can be. */
static unsigned int opaque(unsigned int number)
{
	__asm__("" : "+r"(number));
	return number;
}

/*
 * Reads, one after the other, until two in a row were not interrupted. They are as far from one
 * another as all others, and the first one is wanted.
 */
bool perfctr_resume_moment(struct perfctr_region_thread *thread, struct perfctr_moment *moment)
{
	struct perfctr_moment read[2];
	unsigned int k = 0, steady_before, steady = 0, i;
	bool is_steady;

	do {
		steady_before = opaque(steady);
		if (!perfctr_fast_path_read(thread, &read[k++ % 2], &is_steady))
			return false;
		steady = opaque(is_steady);
	} while (!(steady & steady_before) && k < TRIES);
	for (i = 0; i < thread->nvalues; i++) {
		uint64_t last = read[(k - 1) % 2].value[i], before = read[k % 2].value[i];

		moment->value[i] = last - (k - 1) * (last - before);
	}
	return true;
}

/* All open visits began so many times as much later; and by more, at the last time. */
static void shift(struct perfctr_region_thread *thread, struct perfctr_visit *visit,
		  const struct perfctr_moment *from, const struct perfctr_moment *to,
		  unsigned int times, const int64_t *more)
{
	const unsigned int n = thread->nvalues;
	unsigned int i;

	for (; visit != thread->root;
	     visit = perfctr_visit_at(visit, -perfctr_region_stride(thread)))
		for (i = 0; i < n; i++)
			visit->value[n + i] += (to->value[i] - from->value[i]) * times +
					       (uint64_t)more[i] * (times / 2);
}

/*
 * This costs something, too, which is seen by doing it twice: what was counted from one read to the
 * next, neither of them interrupted, is what there is to come after the last one. Nothing is added
 * up after a read that was interrupted, which takes as long.
 */
void perfctr_resume_put_off(struct perfctr_region_thread *thread, struct perfctr_visit *top,
			    const struct perfctr_moment *from, const int64_t *more)
{
	struct perfctr_moment read[2] = { *from };
	unsigned int now = 1, tries = TRIES, steady_before, steady = 0;
	bool is_steady;

	do {
		/* Or there is a copy of the read for the first turn, after which less is to do. */
		PERFCTR_REGION_SAME();
		steady_before = opaque(steady);
		if (!perfctr_fast_path_read(thread, &read[now], &is_steady))
			return;
		steady = opaque(is_steady);
		shift(thread, top, &read[!now], &read[now], steady * (1 + steady_before), more);
		now ^= steady;
	} while (!(steady & steady_before) && --tries);
}

/*
 * False: the thread's counters can't be read any more. If they were released, for measuring has
 * just ended, none is lost, and the visits stay as they were.
 */
static bool again(struct perfctr_visit *top, const int64_t *more)
{
	struct perfctr_region_thread *thread = perfctr_region_here.thread;
	struct perfctr_moment from;

	if (!perfctr_resume_moment(thread, &from)) {
		if (__atomic_load_n(&thread->released, __ATOMIC_ACQUIRE))
			perfctr_region_thread_set(thread, top);
		else
			__atomic_store_n(&thread->lost, true, __ATOMIC_RELAXED);
		return false;
	}
	perfctr_resume_put_off(thread, top, &from, more);
	perfctr_region_thread_set(thread, top);
	return true;
}

void perfctr_resume_begin(unsigned int *id, struct perfctr_visit *top, unsigned int exit)
{
	void (*begin)(unsigned int *);

	if (!again(top, perfctr_resume_cost.begin[exit]))
		return;
	begin = __atomic_load_n(&perfctr_region_ways.begin, __ATOMIC_ACQUIRE);
	if (begin)
		begin(id);
}

void perfctr_resume_end(unsigned int *id, struct perfctr_visit *top, unsigned int exit)
{
	void (*end)(unsigned int *);

	if (!again(top, perfctr_resume_cost.end[exit]))
		return;
	end = __atomic_load_n(&perfctr_region_ways.end, __ATOMIC_ACQUIRE);
	if (end)
		end(id);
}
