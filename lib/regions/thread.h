/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * thread.h - a thread that is measured: its memory, its counters, its place in the list. Callers
 * have signals blocked, since handlers may use regions, too.
 */
#ifndef PERFCTR_LIB_REGIONS_THREAD_H
#define PERFCTR_LIB_REGIONS_THREAD_H

#include "lib/regions/fast_path.h"

/* Is called once, before any of the others. 0, or an error's number. */
int perfctr_region_thread_init(void);

/*
 * Opens counters for the calling thread, which is not put into the list yet. keep: see
 * perfctr_regions_start(). NULL after perfctr_fail().
 */
struct perfctr_region_thread *perfctr_region_thread_open(const char *events, unsigned int keep);
void perfctr_region_thread_free(struct perfctr_region_thread *thread);

/*
 * The calling thread takes part from now on, with the counters given, or with new ones. The lock is
 * held, under which the thread enters the list. 0, or -1 after perfctr_fail().
 */
int perfctr_region_thread_begin(struct perfctr_region_thread *thread);
int perfctr_region_thread_join(void);

/*
 * Close the thread's counters; end its part in the measurement, and keep its sums; take it out of
 * the list. The lock is held.
 */
void perfctr_region_thread_close(struct perfctr_region_thread *thread);
void perfctr_region_thread_end(struct perfctr_region_thread *thread);
void perfctr_region_thread_unlink(struct perfctr_region_thread *thread);

/*
 * Measuring has ended: this frees all threads' counters for other use. The lock is held. It closes
 * only the calling thread's: another may be in a begin or an end, which reads their pages.
 */
void perfctr_region_threads_release(void);

/* Whether the thread takes part in this measurement, and not in an earlier one. */
bool perfctr_region_thread_is_current(const struct perfctr_region_thread *thread);

/* Sets the calling thread's data and its innermost visit. */
void perfctr_region_thread_set(struct perfctr_region_thread *thread, struct perfctr_visit *top);

/* Returns the calling thread's innermost visit; NULL: one is being begun or ended. */
struct perfctr_visit *perfctr_region_thread_top(struct perfctr_region_thread *thread);

/* Counts the visits from top outwards as unfinished, up to "until", which stays. */
void perfctr_region_thread_leave(struct perfctr_region_thread *thread, struct perfctr_visit *top,
				 const struct perfctr_visit *until);

/*
 * Moves a visit that is about to end on top of those that were begun within it and go on, as if it
 * had been begun in the innermost one, and as if all earlier counts were the visit's alone. Its end
 * then adds to each what is left to add. The caller keeps signal handlers away from the visits.
 */
void perfctr_region_overlap(struct perfctr_region_thread *thread, struct perfctr_visit *visit,
			    struct perfctr_visit *top);

/* Makes the row for the thread's first visit of a region. NULL after perfctr_fail(ENOMEM). */
struct perfctr_visits *perfctr_region_thread_visit(struct perfctr_region_thread *thread,
						   unsigned int id,
						   const struct perfctr_region_cost *cost);

/* Forgets the row of a region; the next row gets its memory if it was the last one taken. */
void perfctr_region_thread_unvisit(struct perfctr_region_thread *thread, unsigned int id);

static inline struct perfctr_visit *perfctr_region_as_visit(struct perfctr_region_thread *thread)
{
	return (struct perfctr_visit *)(void *)thread;
}

static inline ptrdiff_t perfctr_region_stride(const struct perfctr_region_thread *thread)
{
	return (ptrdiff_t)perfctr_visit_stride(thread->nvalues);
}

#endif /* PERFCTR_LIB_REGIONS_THREAD_H */
