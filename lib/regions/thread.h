/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * thread.h - a thread that is measured: its memory, its counters, its place in the list.
 * Signals are blocked in all of these, since handlers may use regions, too.
 */
#ifndef PERFCTR_LIB_REGIONS_THREAD_H
#define PERFCTR_LIB_REGIONS_THREAD_H

#include "lib/regions/fast_path.h"

/* Once, before any of the others. 0, or an error's number. */
int perfctr_region_thread_init(void);

/*
 * New ones, the calling thread's; not yet in the list. keep: as of perfctr_regions_start(). NULL
 * after perfctr_fail().
 */
struct perfctr_region_thread *perfctr_region_thread_open(const char *events, unsigned int keep);
void perfctr_region_thread_free(struct perfctr_region_thread *thread);

/*
 * The calling thread takes part from now on, with counters that were opened for it, or with others;
 * with the lock held, under which it comes into the list. 0, or -1 after perfctr_fail().
 */
int perfctr_region_thread_begin(struct perfctr_region_thread *thread);
int perfctr_region_thread_join(void);

/* It closes its counters; it leaves, with what it has measured; with the lock held. */
void perfctr_region_thread_close(struct perfctr_region_thread *thread);
void perfctr_region_thread_end(struct perfctr_region_thread *thread);
void perfctr_region_thread_unlink(struct perfctr_region_thread *thread);

/*
 * Measuring has ended: all threads' counters are free for others; with the lock held. Only the
 * calling thread's are closed: others may be amid a begin or an end, which reads their pages.
 */
void perfctr_region_threads_release(void);

/* Whether it takes part in what is measured now, and not in what was before. */
bool perfctr_region_thread_is_current(const struct perfctr_region_thread *thread);

/* The calling thread's, from now on. */
void perfctr_region_thread_set(struct perfctr_region_thread *thread, struct perfctr_visit *top);

/* The calling thread's innermost visit; NULL: one is being begun or ended. */
struct perfctr_visit *perfctr_region_thread_top(struct perfctr_region_thread *thread);

/* Leave the visits from top outwards, down to "until", which stays. */
void perfctr_region_thread_leave(struct perfctr_region_thread *thread, struct perfctr_visit *top,
				 const struct perfctr_visit *until);

/*
 * Before a visit ends that others were begun within, which go on: put it on top of those, as if it
 * had been begun in the innermost one, and what both have in common was in it alone. Its end then
 * adds to each what is left to add. The caller keeps signals' handlers away from the visits.
 */
void perfctr_region_overlap(struct perfctr_region_thread *thread, struct perfctr_visit *visit,
			    struct perfctr_visit *top);

/* For the thread's first visit of a region. NULL after perfctr_fail(ENOMEM). */
struct perfctr_visits *perfctr_region_thread_visit(struct perfctr_region_thread *thread,
						   unsigned int id,
						   const struct perfctr_region_cost *cost);

/* Forget the visits of a region; their memory is there for the next if they were the last taken. */
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
