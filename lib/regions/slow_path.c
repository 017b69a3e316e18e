// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/regions/resume.h"
#include "lib/regions/calibrate.h"
#include "lib/regions/state.h"
#include "lib/regions/thread.h"

/* False: a signal handler interrupts a begin or an end, or too many visits are open. */
static bool has_room(struct perfctr_region_thread *thread)
{
	struct perfctr_visit *top = perfctr_region_here.top;

	if (top == perfctr_region_as_visit(thread))
		return false;
	return perfctr_visit_at(top, perfctr_region_stride(thread)) <
	       perfctr_region_as_visit(thread);
}

/* Counts a visit whose region has no row, or whose first visit can't be counted. */
static void count_unplaced(void)
{
	__atomic_add_fetch(&perfctr_regions.unplaced, 1, __ATOMIC_RELAXED);
}

static void refuse(struct perfctr_region_thread *thread, struct perfctr_region *region)
{
	struct perfctr_visit *top = perfctr_region_here.top;
	const bool is_first = top != perfctr_region_as_visit(thread);
	unsigned int id = perfctr_region_known(region);
	struct perfctr_visits *visits = thread->table[id];

	/* While the top is the thread itself, a handler changes none of the words below. */
	if (is_first)
		perfctr_region_thread_set(thread, perfctr_region_as_visit(thread));
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (is_first || thread->saved) {
		thread->refused[id]++;
		thread->missed++;
	}
	if (is_first)
		__atomic_store_n(&thread->saved, top, __ATOMIC_RELEASE);
	if (visits)
		perfctr_store(&visits->uncounted, visits->uncounted + 1);
	else
		count_unplaced();
}

/* The generation in which this thread got no counters: it does not try again at each region. */
static PERFCTR_THREAD unsigned int left_out;

static bool is_left_out(const struct perfctr_region_thread *thread)
{
	return !perfctr_region_thread_is_current(thread) &&
	       left_out == __atomic_load_n(&perfctr_regions.generation, __ATOMIC_RELAXED);
}

/* The lock is held. */
static void leave_out(void)
{
	left_out = perfctr_regions.generation;
	__atomic_add_fetch(&perfctr_regions.left_out, 1, __ATOMIC_RELAXED);
}

/*
 * Gives the thread counters, and the region an id. Whether this visit is measured. The lock is
 * held.
 */
static bool take_part(struct perfctr_region *region, unsigned int *id)
{
	if (!perfctr_regions_are_adopted())
		return false;
	if (perfctr_region_thread_join() < 0) {
		leave_out();
		return false;
	}
	*id = perfctr_region_id(region);
	if (!*id)
		count_unplaced();
	return *id;
}

/* Adds the row, unless measuring was started again meanwhile: rows and events may differ then. */
static bool add_visits(struct perfctr_region_thread *thread, unsigned int id,
		       const struct perfctr_region_cost *cost)
{
	sigset_t old;
	bool added;

	perfctr_regions_lock(&old);
	added = perfctr_region_thread_is_current(thread) &&
		(thread->table[id] || perfctr_region_thread_visit(thread, id, cost));
	if (added && id >= PERFCTR_REGION_FIRST_ID)
		perfctr_calibration_note_use(cost);
	perfctr_regions_unlock(&old);
	return added;
}

/* Does all that a first visit needs. */
static bool prepare(struct perfctr_region *region)
{
	const struct perfctr_region_cost *cost;
	struct perfctr_region_thread *thread;
	unsigned int id;
	sigset_t old;
	bool measured;

	thread = perfctr_region_here.thread;
	id = perfctr_region_known(region);
	measured = id && perfctr_region_thread_is_current(thread);
	if (is_left_out(thread))
		return false;
	if (!measured) {
		/*
		 * A child of _Fork() may find the lock held by a thread that exists only in the
		 * parent.
		 */
		if (!perfctr_regions_may_lock())
			return false;
		perfctr_regions_lock(&old);
		measured = take_part(region, &id);
		perfctr_regions_unlock(&old);
	}
	thread = perfctr_region_here.thread;
	if (!measured || !has_room(thread))
		return measured;
	cost = perfctr_calibration_find(thread, region);
	return add_visits(thread, id, cost);
}

static bool is_counted(struct perfctr_region_thread *thread)
{
	return perfctr_region_thread_top(thread) && !thread->lost;
}

/* No region counts a first visit's cost, unless this one has interrupted a begin or an end. */
static void put_off(struct perfctr_region_thread *thread, const struct perfctr_moment *from,
		    const int64_t *more)
{
	struct perfctr_visit *top = perfctr_region_here.top;

	if (top != perfctr_region_as_visit(thread))
		perfctr_resume_put_off(thread, top, from, more);
}

static struct perfctr_region *region_of(unsigned int *id)
{
	return (struct perfctr_region *)(void *)((char *)id - offsetof(struct perfctr_region, id));
}

/*
 * No visit may begin in a begin or an end, be it interrupted by a signal or calling malloc(), nor
 * in a thread that has too many open or has lost its counters, until it takes part in a new
 * measurement.
 */
static bool may_begin(const struct perfctr_region_thread *thread)
{
	if (perfctr_regions_busy)
		return false;
	if (!thread->nvalues || (void *)perfctr_region_here.top != (const void *)thread)
		return true;
	return (thread->saved || thread->lost) && !perfctr_region_thread_is_current(thread);
}

/* Whether the visit can begin now. */
static __attribute__((noinline)) bool can_begin(struct perfctr_region *region)
{
	struct perfctr_region_thread *thread = perfctr_region_here.thread;
	struct perfctr_visits *visits;
	struct perfctr_moment before;
	bool inside, ready;
	int error = errno;
	sigset_t old;

	if (!may_begin(thread)) {
		refuse(thread, region);
		return false;
	}
	inside = perfctr_region_thread_is_current(thread) &&
		 perfctr_region_here.top != thread->root && is_counted(thread) &&
		 perfctr_resume_moment(thread, &before);
	perfctr_signals_block(&old);
	perfctr_regions_busy++;
	ready = prepare(region);
	perfctr_regions_busy--;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = error;
	if (!ready)
		return false;
	thread = perfctr_region_here.thread;
	visits = thread->table[region->id];
	if (!visits || !has_room(thread)) {
		refuse(thread, region);
		return false;
	}
	if (inside)
		put_off(thread, &before, visits->cost->first);
	return true;
}

/*
 * Begins as if the thread had been off the processor. It takes the same number of instructions if
 * it was not.
 */
static __attribute__((noinline)) void begin_pretending(void (*begin)(unsigned int *),
						       unsigned int *id)
{
	struct perfctr_region_thread *thread = perfctr_region_here.thread;
	const struct perfctr_region_pretence *pretence = thread->pretence;

	thread->pretence = NULL;
	++*pretence->before_begin;
	begin(id);
	++*pretence->before_end;
}

/*
 * The return from begin is counted, and must be as in any other visit: begin is called by a jump.
 */
static void slow_begin(unsigned int *id)
{
	void (*begin)(unsigned int *);

	if (!can_begin(region_of(id)))
		return;
	begin = __atomic_load_n(&perfctr_region_ways.begin, __ATOMIC_ACQUIRE);
	if (!begin)
		return;
	if (perfctr_region_here.thread->pretence)
		begin_pretending(begin, id);
	else
		begin(id);
}

static struct perfctr_visit *find_visit(struct perfctr_region_thread *thread,
					struct perfctr_visit *visit, unsigned int id)
{
	for (; visit != thread->root;
	     visit = perfctr_visit_at(visit, -perfctr_region_stride(thread)))
		if (perfctr_visit_id(thread, visit) == id)
			return visit;
	return NULL;
}

/*
 * Whether the visit that ends is one that the parent's thread began, and this is the same thread in
 * the child. Another thread may start a measurement meanwhile, which has none of these.
 */
static bool is_inherited(void)
{
	unsigned int n = __atomic_load_n(&perfctr_regions.inherited, __ATOMIC_RELAXED);

	if (!n || (pid_t)syscall(SYS_gettid) != perfctr_regions.forked)
		return false;
	while (n && !__atomic_compare_exchange_n(&perfctr_regions.inherited, &n, n - 1, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return n != 0;
}

static void count_stray(struct perfctr_region_thread *thread)
{
	if (is_inherited())
		return;
	if (perfctr_region_thread_is_current(thread))
		perfctr_store(&thread->stray, thread->stray + 1);
	else
		__atomic_add_fetch(&perfctr_regions.stray, 1, __ATOMIC_RELAXED);
}

/* No visit is refused any more: this one is the innermost and the top again. */
static void go_on(struct perfctr_region_thread *thread, struct perfctr_visit *visit)
{
	__atomic_store_n(&thread->saved, NULL, __ATOMIC_RELEASE);
	perfctr_region_thread_set(thread, visit);
}

/* The end is that of a counted visit, around all refused ones: longjmp(3) has left those. */
static void leave_refused(struct perfctr_region_thread *thread, struct perfctr_visit *visit)
{
	unsigned int id;

	for (id = 0; id < PERFCTR_REGION_IDS; id++)
		if (thread->refused[id])
			thread->refused[id] = 0;
	thread->missed = 0;
	go_on(thread, visit);
}

/* Ends a visit that was refused, or one around it. */
static void end_refused(struct perfctr_region_thread *thread, struct perfctr_region *region)
{
	struct perfctr_visit *visit = __atomic_load_n(&thread->saved, __ATOMIC_ACQUIRE);
	unsigned int id = perfctr_region_known(region);

	if (!visit)
		return; /* this handler interrupts a begin or an end */
	if (!thread->refused[id]) {
		if (find_visit(thread, visit, id)) {
			leave_refused(thread, visit);
			perfctr_region_end(region);
			return;
		}
		id = 0;
	}
	if (!thread->refused[id]) {
		count_stray(thread);
		return;
	}
	thread->refused[id]--;
	if (--thread->missed == 0) /* a handler may have done the same before this line */
		go_on(thread, visit);
}

/* Makes the visit the innermost one. before: the values when its end began, or NULL. */
static void make_innermost(struct perfctr_region_thread *thread, struct perfctr_visit *visit,
			   bool overlaps, const struct perfctr_moment *before)
{
	struct perfctr_visit *top = perfctr_region_here.top;

	perfctr_region_thread_set(thread, perfctr_region_as_visit(thread));
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (overlaps) {
		perfctr_region_overlap(thread, visit, top);
	} else {
		perfctr_region_thread_leave(thread, top, visit);
		top = visit;
	}
	if (before)
		perfctr_resume_put_off(thread, top, before,
				       overlaps ? perfctr_region_overlap_cost
						: perfctr_region_no_cost.first);
	perfctr_region_thread_set(thread, top);
}

/* Whether the visit can end now. */
static __attribute__((noinline)) bool can_end(struct perfctr_region *region)
{
	struct perfctr_region_thread *thread = perfctr_region_here.thread;
	struct perfctr_visit *visit;
	struct perfctr_moment before;
	bool inside, known = __atomic_load_n(&region->id, __ATOMIC_RELAXED) != 1;
	int error = errno;
	sigset_t old;

	if (!perfctr_region_thread_is_current(thread)) {
		/*
		 * In the other cases the visit began before this measurement, or was left out or
		 * refused.
		 */
		if (!thread->nvalues && !is_left_out(thread) && !perfctr_regions_busy)
			count_stray(thread);
		return false;
	}
	if (perfctr_region_here.top == perfctr_region_as_visit(thread)) {
		end_refused(thread, region);
		return false;
	}
	inside = (!known || region->overlaps) && is_counted(thread) &&
		 perfctr_resume_moment(thread, &before);
	if (!known && !perfctr_regions_busy) {
		perfctr_regions_lock(&old);
		perfctr_region_id(region);
		perfctr_regions_unlock(&old);
		errno = error;
	}
	visit = find_visit(thread, perfctr_region_here.top, region->id);
	if (!visit) {
		if (perfctr_region_known(region))
			count_stray(thread);
		return false;
	}
	make_innermost(thread, visit, region->overlaps, inside ? &before : NULL);
	return true;
}

/* This ends by a jump, as in slow_begin(). */
static void slow_end(unsigned int *id)
{
	void (*end)(unsigned int *);

	if (!can_end(region_of(id)))
		return;
	end = __atomic_load_n(&perfctr_region_ways.end, __ATOMIC_ACQUIRE);
	if (end)
		end(id);
}

/* Sets one after the other: a table of addresses would need relocations in every program. */
void perfctr_slow_path_init(void)
{
	struct perfctr_slow_path *other = &perfctr_slow_path;

	__atomic_store_n(&other->begin, slow_begin, __ATOMIC_RELAXED);
	__atomic_store_n(&other->end, slow_end, __ATOMIC_RELAXED);
	__atomic_store_n(&other->resume_begin, perfctr_resume_begin, __ATOMIC_RELAXED);
	__atomic_store_n(&other->resume_end, perfctr_resume_end, __ATOMIC_RELAXED);
}
