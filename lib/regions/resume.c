// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include "lib/regions/resume.h"
#include "lib/regions/calibrate.h"
#include "lib/regions/state.h"
#include "lib/regions/thread.h"

/* Ends the loops under a debugger that interrupts each instruction: the thread is then lost. */
#define TRIES 100

/* Hides a number's value from the compiler, which would make a path for each value otherwise. */
static unsigned int opaque(unsigned int number)
{
	__asm__("" : "+r"(number));
	return number;
}

/*
 * Reads until two reads in a row were not interrupted. All reads take equally long, so that the
 * moment of the first one follows from these two.
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
	if (k == TRIES)
		return false;
	for (i = 0; i < thread->nvalues; i++) {
		uint64_t last = read[(k - 1) % 2].value[i], before = read[k % 2].value[i];

		moment->value[i] = last - (k - 1) * (last - before);
	}
	return true;
}

/* Moves the begin of all open visits by "times" the difference; and by "more" at the last time. */
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

/* A read that was interrupted has cost something, but nobody knows how much. */
static void tell_visits(struct perfctr_region_thread *thread, struct perfctr_visit *visit)
{
	thread->interrupted = false;
	for (; visit != thread->root;
	     visit = perfctr_visit_at(visit, -perfctr_region_stride(thread)))
		perfctr_store(&visit->visits->interrupted, visit->visits->interrupted + 1);
}

/*
 * This code costs something by itself, which shows when it runs twice: what was counted between two
 * uninterrupted reads is also what is still to come after the last one. After an interrupted read
 * nothing is added, by the same number of instructions.
 */
void perfctr_resume_put_off(struct perfctr_region_thread *thread, struct perfctr_visit *top,
			    const struct perfctr_moment *from, const int64_t *more)
{
	struct perfctr_moment read[2] = { *from };
	unsigned int now = 1, tries = TRIES, steady_before, steady = 0;
	bool is_steady;

	do {
		/*
		 * Without this the compiler copies the read for the first turn, which then takes
		 * fewer instructions.
		 */
		PERFCTR_REGION_SAME();
		steady_before = opaque(steady);
		if (!perfctr_fast_path_read(thread, &read[now], &is_steady))
			return;
		steady = opaque(is_steady);
		shift(thread, top, &read[!now], &read[now], steady * (1 + steady_before), more);
		now ^= steady;
	} while (!(steady & steady_before) && --tries);
	if (thread->interrupted)
		tell_visits(thread, top);
}

/* The thread's counters can't be read any more: its open visits never end. */
static void lose(struct perfctr_region_thread *thread, struct perfctr_visit *top)
{
	if (errno == ESTALE)
		__atomic_add_fetch(&perfctr_regions.closed, 1, __ATOMIC_RELAXED);
	perfctr_region_thread_leave(thread, top, thread->root);
	__atomic_store_n(&thread->lost, true, __ATOMIC_RELAXED);
}

/*
 * False: the thread's counters can't be read any more. If they were released, since measuring has
 * just ended, they are not lost, and the visits stay as they were.
 */
static bool again(struct perfctr_visit *top, const int64_t *more)
{
	struct perfctr_region_thread *thread = perfctr_region_here.thread;
	struct perfctr_moment from;
	int error = errno;

	errno = 0;
	if (!perfctr_resume_moment(thread, &from)) {
		if (__atomic_load_n(&thread->released, __ATOMIC_ACQUIRE))
			perfctr_region_thread_set(thread, top);
		else
			lose(thread, top);
		errno = error;
		return false;
	}
	errno = error;
	perfctr_resume_put_off(thread, top, &from, more);
	perfctr_region_thread_set(thread, top);
	return true;
}

/* Counts the visit whose begin has found the counters lost. */
static void count_lost(unsigned int id)
{
	const struct perfctr_region_thread *thread = perfctr_region_here.thread;
	struct perfctr_visits *visits = thread->table[id];

	if (thread->lost && visits)
		perfctr_store(&visits->uncounted, visits->uncounted + 1);
}

void perfctr_resume_begin(unsigned int *id, struct perfctr_visit *top, unsigned int exit)
{
	void (*begin)(unsigned int *);

	if (!again(top, perfctr_resume_cost.begin[exit])) {
		count_lost(*id);
		return;
	}
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
