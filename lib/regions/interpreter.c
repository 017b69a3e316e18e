// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/regions/calibrate.h"
#include "lib/regions/resume.h"
#include "lib/regions/state.h"
#include "lib/regions/thread.h"

/* An interpreter changes its code as long as it is new: the last samples count. */
#define VISITS (4 * PERFCTR_REGION_CALIBRATED)

/* A calibration by visits of the program, within those that the thread is in. */
struct perfctr_calibration {
	void (*key)(void);
	struct perfctr_region_thread *thread;
	unsigned int generation, made; /* made: number of visits */
	struct perfctr_visit *top;     /* is around the visits */
	struct perfctr_within within;  /* a copy of its own, and of what regions within counted: */
	uint64_t counted[PERFCTR_REGION_VALUES];
	struct perfctr_moment before;
	struct perfctr_samples samples;
};

static int not_now(void)
{
	return perfctr_fail(EAGAIN, "the thread can't calibrate regions now: call it outside of "
				    "signal handlers, with the thread's counters open");
}

static bool is_inside(const struct perfctr_calibration *calibration)
{
	return calibration->top != calibration->thread->root;
}

/* Whether the thread is as it was when the calibration began. */
static bool is_unchanged(const struct perfctr_calibration *calibration)
{
	struct perfctr_region_thread *thread = perfctr_region_here.thread;

	return thread == calibration->thread && perfctr_region_thread_is_current(thread) &&
	       thread->generation == calibration->generation && !thread->lost &&
	       perfctr_region_here.top == calibration->top;
}

/* ---- the rows of the three regions ---- */

static struct perfctr_visits *row(const struct perfctr_calibration *calibration, unsigned int k)
{
	return calibration->thread->table[PERFCTR_REGION_OUTER + k];
}

/* Forgets the visits of an earlier calibration. */
static void clear_rows(const struct perfctr_calibration *calibration)
{
	unsigned int k, i;

	for (k = 0; k < 3; k++) {
		struct perfctr_visits *visits = row(calibration, k);

		for (i = 0; visits && i < calibration->thread->nvalues; i++)
			perfctr_store(&visits->sum[i].inclusive, 0);
		if (visits)
			perfctr_store(&visits->visits, 0);
	}
}

/* Whether each of the regions was visited once; another calibration would have cleared them. */
static bool were_visited(const struct perfctr_calibration *calibration)
{
	unsigned int k;

	for (k = 0; k < 3; k++)
		if (!row(calibration, k) || row(calibration, k)->visits != 1)
			return false;
	return true;
}

/* ---- the visit around ---- */

/* The counts of regions within follow the visit: as many as the thread has values. */
static size_t counted_size(const struct perfctr_calibration *calibration)
{
	return calibration->thread->nvalues * sizeof(uint64_t);
}

static void save(struct perfctr_calibration *calibration)
{
	calibration->within = calibration->top->within;
	memcpy(calibration->counted, calibration->top->value, counted_size(calibration));
}

/* No region counts the calibration: neither its instructions nor its visits. */
static void restore(struct perfctr_calibration *calibration)
{
	struct perfctr_region_thread *thread = calibration->thread;
	struct perfctr_visit *top = calibration->top;

	perfctr_region_thread_set(thread, perfctr_region_as_visit(thread));
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	top->within = calibration->within;
	memcpy(top->value, calibration->counted, counted_size(calibration));
	perfctr_resume_put_off(thread, top, &calibration->before, perfctr_region_no_cost.first);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	perfctr_region_thread_set(thread, top);
}

/* ---- the call ---- */

/* Has the thread take part, and the library's own code calibrated. */
static bool prepare(void)
{
	/* perfctr_region_own would need relocations in every program. */
	struct perfctr_region outer = { "", PERFCTR_REGION_OUTER, 0, NULL };
	struct perfctr_region_thread *thread = perfctr_region_here.thread;
	sigset_t old;

	if (!perfctr_region_thread_is_current(thread)) {
		perfctr_region_begin(&outer);
		perfctr_region_end(&outer);
		thread = perfctr_region_here.thread;
	}
	if (!perfctr_region_thread_is_current(thread) || thread->lost || perfctr_regions_busy ||
	    perfctr_region_here.top == perfctr_region_as_visit(thread))
		return false;
	perfctr_signals_block(&old);
	perfctr_regions_busy++;
	perfctr_calibration_prepare(thread);
	perfctr_regions_busy--;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return true;
}

static int begin(void (*key)(void), struct perfctr_calibration **state)
{
	struct perfctr_calibration *calibration = calloc(1, sizeof(*calibration));

	if (!calibration)
		return perfctr_fail(ENOMEM, "no memory for a calibration of regions");
	calibration->key = key;
	calibration->thread = perfctr_region_here.thread;
	calibration->generation = calibration->thread->generation;
	calibration->top = perfctr_region_here.top;
	clear_rows(calibration);
	save(calibration);
	if (!perfctr_resume_moment(calibration->thread, &calibration->before)) {
		free(calibration);
		return not_now();
	}
	*state = calibration;
	return 1;
}

/* Gives up, or is ready. */
static int finish(struct perfctr_calibration **state, int result)
{
	struct perfctr_calibration *calibration = *state;

	*state = NULL;
	if (is_unchanged(calibration) && is_inside(calibration))
		restore(calibration);
	free(calibration);
	return result;
}

static int add(struct perfctr_calibration *calibration)
{
	sigset_t old;

	perfctr_signals_block(&old);
	perfctr_calibration_add(calibration->thread, calibration->key, &calibration->samples);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return 0;
}

/* The program has made another visit. */
static int next(struct perfctr_calibration **state)
{
	struct perfctr_calibration *calibration = *state;

	if (!is_unchanged(calibration))
		return finish(state, not_now());
	if (!were_visited(calibration))
		return finish(state, perfctr_fail(EAGAIN, "the three regions of a calibration were "
							  "not visited once: begin and end them, "
							  "one in another, between two calls"));
	perfctr_samples_take(&calibration->samples, calibration->thread, calibration->top,
			     calibration->made % PERFCTR_REGION_CALIBRATED);
	clear_rows(calibration);
	if (++calibration->made < VISITS)
		return 1;
	return finish(state, add(calibration));
}

int perfctr_regions_calibrate(void (*key)(void), struct perfctr_calibration **state)
{
	sigset_t old;
	int marked;

	if (!key || !state)
		return perfctr_fail(EINVAL, "a key and a place for the calibration are needed, not "
					    "NULL");
	if (*state)
		return next(state);
	perfctr_signals_block(&old);
	marked = perfctr_calibration_mark(key);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (marked < 0 || !__atomic_load_n(&perfctr_region_ways.begin, __ATOMIC_RELAXED))
		return marked;
	/* In a child of fork() the costs are the parent's until its first visit. */
	if (perfctr_regions_are_ours() && perfctr_calibration_has(key))
		return 0;
	return prepare() ? begin(key, state) : not_now();
}
