// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/base/rank.h"
#include "lib/regions/calibrate.h"
#include "lib/regions/print.h"
#include "lib/regions/state.h"
#include "lib/regions/thread.h"

#define KEEP_ALL                                                                         \
	(PERFCTR_REGIONS_MOMENTS | PERFCTR_REGIONS_HISTOGRAM | PERFCTR_REGIONS_THREADS | \
	 PERFCTR_REGIONS_USER_FALLBACK)

/* ---- start and stop ---- */

static void forget_troubles(void)
{
	__atomic_store_n(&perfctr_regions.stray, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&perfctr_regions.left_out, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&perfctr_regions.closed, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&perfctr_regions.unplaced, 0, __ATOMIC_RELAXED);
}

/*
 * Forgets all counts. Other threads free their memory when they next take part. The lock is held.
 */
static void forget(void)
{
	struct perfctr_region_thread *thread, *next;
	unsigned int id;

	for (thread = perfctr_regions.threads; thread; thread = next) {
		next = thread->next;
		for (id = 0; id < perfctr_region_ids(); id++)
			__atomic_store_n(&thread->table[id], NULL, __ATOMIC_RELAXED);
		if (thread->ended) {
			perfctr_region_thread_unlink(thread);
			perfctr_region_thread_free(thread);
		}
	}
	memset(perfctr_regions.ended, 0, sizeof(perfctr_regions.ended));
	perfctr_arena_free(&perfctr_regions.arena);
	perfctr_calibration_forget();
	forget_troubles();
	perfctr_regions.measured = false;
}

static void set_ways(struct perfctr_region_ways ways)
{
	__atomic_store_n(&perfctr_region_ways.begin, ways.begin, __ATOMIC_RELEASE);
	__atomic_store_n(&perfctr_region_ways.end, ways.end, __ATOMIC_RELEASE);
}

/*
 * Takes the lock, and waits until no thread calibrates: calibration uses the rows and the ways
 * without the lock.
 */
static void hold(sigset_t *old)
{
	sigset_t blocked;

	perfctr_signals_block(old);
	perfctr_calibration_hold();
	perfctr_regions_lock(&blocked);
}

static void let_go(const sigset_t *old)
{
	sigset_t blocked;

	perfctr_signals_block(&blocked);
	perfctr_regions_unlock(&blocked);
	perfctr_calibration_let_go();
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* The signal mask before fork(), and the visits that the thread is in; under the lock. */
static sigset_t at_fork;
static unsigned int open_at_fork;

static unsigned int count_visits(void)
{
	struct perfctr_region_thread *thread = perfctr_region_here.thread;
	const struct perfctr_visit *visit = perfctr_region_thread_is_current(thread)
						    ? perfctr_region_thread_top(thread)
						    : NULL;

	return visit ? (unsigned int)(((const char *)visit - (const char *)thread->root) /
				      perfctr_region_stride(thread))
		     : 0;
}

static void before_fork(void)
{
	sigset_t old;

	hold(&old);
	at_fork = old;
	open_at_fork = count_visits();
}

static void after_fork(void)
{
	sigset_t old = at_fork;

	let_go(&old);
}

static void note_all(void);

/*
 * Continues in a child of fork() with what its parent measures, from the child's first visit on:
 * most children execute another program, and have none. If the child has no report, its parent's
 * says so.
 */
static bool adopt(void)
{
	unsigned long *parents = perfctr_regions.children;

	perfctr_regions.adopt = NULL;
	perfctr_regions.parents = parents;
	perfctr_regions.children = perfctr_memory_share(sizeof(*parents));
	if (!perfctr_regions.begin_report || !perfctr_regions.begin_report()) {
		set_ways((struct perfctr_region_ways){ NULL, NULL });
		perfctr_regions_count_child(1);
		return false;
	}
	if (!perfctr_arenas_are_left())
		perfctr_regions_count_child(1);
	perfctr_calibration_forget();
	perfctr_regions.arena.generation = perfctr_regions.generation;
	__atomic_store_n(&perfctr_regions.pid, getpid(), __ATOMIC_RELAXED);
	perfctr_regions.on = perfctr_regions.measured = true;
	note_all();
	return true;
}

void perfctr_regions_count_child(long n)
{
	if (perfctr_regions.parents)
		__atomic_add_fetch(perfctr_regions.parents, (unsigned long)n, __ATOMIC_RELAXED);
}

/* The parent's threads don't exist here, and their memory is cleared. */
static void in_child(void)
{
	if (perfctr_regions.on) {
		perfctr_regions.adopt = adopt;
		perfctr_regions.inherited = open_at_fork;
	}
	if (perfctr_regions.adopt)
		perfctr_regions.forked = getpid();
	else
		set_ways((struct perfctr_region_ways){ NULL, NULL });
	perfctr_region_thread_set(&perfctr_region_nothing,
				  perfctr_region_as_visit(&perfctr_region_nothing));
	perfctr_regions.threads = NULL;
	perfctr_regions.arena.first = NULL;
	if (perfctr_regions.measured)
		memset(perfctr_regions.ended, 0, sizeof(perfctr_regions.ended));
	perfctr_regions.on = perfctr_regions.measured = false;
	forget_troubles();
	__atomic_store_n(&perfctr_regions.generation, perfctr_regions.generation + 1,
			 __ATOMIC_RELAXED);
	after_fork();
}

static int init_error;

static void init(void)
{
	perfctr_slow_path_init();
	init_error = perfctr_region_thread_init();
	if (!init_error)
		init_error = pthread_atfork(before_fork, after_fork, in_child);
}

static void free_names(char *events, char **name)
{
	unsigned int i;

	free(events);
	for (i = 0; i < PERFCTR_REGION_VALUES; i++)
		free(name[i]);
}

/*
 * Keeps the names of the values, and the events. 0, or -1 after perfctr_fail(ENOMEM), with the old
 * names in place.
 */
static int name_values(const struct perfctr_region_thread *thread, const char *events)
{
	char *name[PERFCTR_REGION_VALUES] = { NULL };
	char *copy = perfctr_copy(events, strlen(events));
	bool all = copy != NULL;
	unsigned int i;

	for (i = 0; all && i < thread->nvalues; i++) {
		const char *its = i ? perfctr_set_name(thread->set, i - 1) : "time";

		name[i] = perfctr_copy(its, strlen(its));
		all = name[i] != NULL;
	}
	if (!all) {
		free_names(copy, name);
		return perfctr_fail(ENOMEM, "no memory for the names of events");
	}
	free_names(perfctr_regions.events, perfctr_regions.name);
	perfctr_regions.events = copy;
	memcpy(perfctr_regions.name, name, sizeof(name));
	return 0;
}

/* Finds the values whose events have a flag: bit i is value i's. */
static uint32_t find_flagged(const struct perfctr_region_thread *thread, unsigned int flag)
{
	struct perfctr_list_event event;
	uint32_t found = 0;
	unsigned int i;

	for (i = 1; i < thread->nvalues; i++)
		if (perfctr_set_event(thread->set, i - 1, &event) == 0 && event.flags & flag)
			found |= 1u << i;
	return found;
}

static void set_kept(const struct perfctr_region_thread *thread, unsigned int keep)
{
	if (keep & PERFCTR_REGIONS_HISTOGRAM)
		keep |= PERFCTR_REGIONS_MOMENTS;
	perfctr_regions.keep = keep;
	perfctr_regions.kept = (struct perfctr_region_kept){
		.nvalues = thread->nvalues,
		.moments = keep & PERFCTR_REGIONS_MOMENTS,
		.histogram = keep & PERFCTR_REGIONS_HISTOGRAM,
		.mult = thread->mult,
		.shift = thread->shift,
		.clocks = 1 | find_flagged(thread, PERFCTR_EVENT_TIME),
		.unverified = find_flagged(thread, PERFCTR_EVENT_UNVERIFIED),
	};
}

/* Starts a new measurement and forgets the last one. 0, or -1 after perfctr_fail(). */
static int begin(struct perfctr_region_thread *thread, const char *events, unsigned int keep)
{
	struct perfctr_region_thread *old = perfctr_region_here.thread;

	if (name_values(thread, events) < 0)
		return -1;
	forget();
	__atomic_store_n(&perfctr_regions.generation, perfctr_regions.generation + 1,
			 __ATOMIC_RELAXED);
	perfctr_regions.arena.generation = perfctr_regions.generation;
	if (old->nvalues)
		perfctr_region_thread_end(old);
	set_kept(thread, keep);
	return perfctr_region_thread_begin(thread);
}

/* Notes in the file what a report needs, in case the process dies. */
static void note_all(void)
{
	struct perfctr_region_head head = {
		.keep = perfctr_regions.keep,
		.nvalues = perfctr_regions.kept.nvalues,
		.mult = perfctr_regions.kept.mult,
		.shift = perfctr_regions.kept.shift,
		.clocks = perfctr_regions.kept.clocks,
		.unverified = perfctr_regions.kept.unverified,
		.through_kernel = perfctr_regions.layout == PERFCTR_VISIT_KERNEL,
		.pid = perfctr_regions.pid,
	};
	struct perfctr_text names = { NULL, 0, 0, false };
	unsigned int i;

	if (!perfctr_arenas_are_left())
		return;
	snprintf(head.rank, sizeof(head.rank), "%s", perfctr_rank());
	for (i = 0; i < head.nvalues; i++)
		perfctr_text_add(&names, "%s%c", perfctr_regions.name[i], 0);
	if (perfctr_regions.metrics.metrics)
		perfctr_text_add(&names, "%s%c%s%c", perfctr_regions.metrics.names, 0,
				 perfctr_regions.events, 0);
	if (!names.failed)
		perfctr_region_note(PERFCTR_RECORD_HEAD, 0, &head, sizeof(head), names.bytes,
				    names.size);
	free(names.bytes);
	for (i = PERFCTR_REGION_FIRST_ID; i < perfctr_region_ids(); i++)
		perfctr_region_note_name(i);
}

/* The lock is held. Counters of an earlier start are closed first, since they may be in the way. */
static int start_events(const char *events, unsigned int keep)
{
	struct perfctr_region_thread *thread = perfctr_region_here.thread;

	if (perfctr_regions.on)
		return perfctr_fail(EALREADY, "regions are being measured already");
	if (keep & ~(unsigned int)KEEP_ALL)
		return perfctr_fail(EINVAL, "0x%X is not what can be kept of regions", keep);
	if (thread->nvalues)
		perfctr_region_thread_close(thread);
	thread = perfctr_region_thread_open(events, keep);
	if (!thread)
		return -1;
	if (begin(thread, events, keep) < 0) {
		perfctr_region_thread_free(thread);
		return -1;
	}
	perfctr_regions.adopt = NULL;
	__atomic_store_n(&perfctr_regions.inherited, 0, __ATOMIC_RELAXED);
	if (!perfctr_regions.children)
		perfctr_regions.children = perfctr_memory_share(sizeof(unsigned long));
	perfctr_regions.layout = thread->layout;
	__atomic_store_n(&perfctr_regions.pid, getpid(), __ATOMIC_RELAXED);
	perfctr_regions.on = perfctr_regions.measured = true;
	note_all();
	set_ways(perfctr_fast_path_ways(thread,
					perfctr_regions.kept.histogram ? PERFCTR_KEEP_HISTOGRAM
					: perfctr_regions.kept.moments ? PERFCTR_KEEP_MOMENTS
								       : PERFCTR_KEEP_SUMS));
	return 0;
}

/* Starts with the given events and those that the metrics need. */
static int start_both(const char *events, struct perfctr_region_metrics *metrics, unsigned int keep)
{
	struct perfctr_text list = { NULL, 0, 0, false };
	int result = perfctr_region_metrics_list(metrics, events, &list);

	/* The list has all of the metrics' events. */
	if (result == 0)
		result = perfctr_region_metrics_find(metrics, list.bytes, UINT_MAX);
	if (result == 0)
		result = start_events(list.bytes, keep);
	free(list.bytes);
	return result;
}

/* If this fails, earlier results keep their metrics. */
static int start_all(const char *events, const char *names, unsigned int keep)
{
	struct perfctr_region_metrics old = perfctr_regions.metrics,
				      *metrics = &perfctr_regions.metrics;
	int result;

	if (names && *names) {
		if (perfctr_region_metrics_open(metrics, names) < 0) {
			*metrics = old;
			return -1;
		}
		result = start_both(events, metrics, keep);
	} else {
		memset(metrics, 0, sizeof(*metrics));
		result = start_events(events, keep);
	}
	perfctr_region_metrics_close(result < 0 ? metrics : &old);
	if (result < 0)
		*metrics = old;
	return result;
}

/* The lock is held. */
static int start(const char *events, const char *names, unsigned int keep)
{
	struct perfctr_text plain = { NULL, 0, 0, false }, formulas = { NULL, 0, 0, false };
	int result;

	if (names && *names)
		perfctr_text_add(&formulas, "%s", names);
	result = perfctr_region_metrics_part(events, &plain, &formulas);
	if (result == 0)
		result = start_all(plain.size ? plain.bytes : "", formulas.bytes, keep);
	free(plain.bytes);
	free(formulas.bytes);
	return result;
}

int perfctr_regions_start_metrics(const char *events, const char *metrics, unsigned int keep)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	sigset_t old;
	int result, error = errno;

	pthread_once(&once, init);
	if (init_error)
		return perfctr_fail(ENOMEM, "no thread-specific data keys are left "
					    "(pthread_key_create), or no memory");
	hold(&old);
	result = start(events ? events : "", metrics, keep);
	let_go(&old);
	if (result == 0)
		errno = error;
	return result;
}

int perfctr_regions_start(const char *events, unsigned int keep)
{
	return perfctr_regions_start_metrics(events, NULL, keep);
}

int perfctr_regions_stop(void)
{
	sigset_t old;
	bool on;

	hold(&old);
	on = perfctr_regions.on;
	perfctr_regions.on = false;
	perfctr_regions.adopt = NULL;
	set_ways((struct perfctr_region_ways){ NULL, NULL });
	if (on)
		perfctr_region_threads_release();
	let_go(&old);
	return on ? 0 : perfctr_fail(EINVAL, "no regions are being measured");
}

int perfctr_regions_thread(void)
{
	sigset_t old;
	int result = 0;

	perfctr_regions_lock(&old);
	if (perfctr_regions_are_on())
		result = perfctr_region_thread_join();
	perfctr_regions_unlock(&old);
	return result;
}

/* ---- results ---- */

/*
 * Returns the innermost visit of a thread that may be running; NULL: its visits are changing all
 * the time. For the calling thread NULL means that a signal has interrupted such a change.
 */
static struct perfctr_visit *find_top(struct perfctr_region_thread *thread)
{
	const struct perfctr_region_here *here = thread->here;
	struct perfctr_visit *top, *saved;
	unsigned int tries;

	for (tries = 0; tries < 1000; tries++) {
		top = __atomic_load_n(&here->top, __ATOMIC_ACQUIRE);
		saved = __atomic_load_n(&thread->saved, __ATOMIC_ACQUIRE);
		if (saved || top != perfctr_region_as_visit(thread))
			return saved ? saved : top;
	}
	return NULL;
}

/* Whether it is a visit of the thread: these are an array that ends at the thread itself. */
static bool is_within(const struct perfctr_region_thread *thread, const struct perfctr_visit *visit)
{
	return (uintptr_t)visit > (uintptr_t)thread->root && (uintptr_t)visit < (uintptr_t)thread;
}

/* How many visits of the region are open in a thread. */
static uint64_t count_open(struct perfctr_region_thread *thread, unsigned int id)
{
	struct perfctr_visit *visit;
	uint64_t n = 0;

	if (!perfctr_region_thread_is_current(thread) || thread->ended)
		return 0;
	visit = find_top(thread);
	for (; visit && is_within(thread, visit);
	     visit = perfctr_visit_at(visit, -perfctr_region_stride(thread)))
		n += __atomic_load_n(&visit->id[thread->layout], __ATOMIC_RELAXED) == id;
	return n;
}

/* Adds a thread's visits of a region, if there are any. */
static void add_thread(struct perfctr_visits *sum, struct perfctr_region_thread *thread,
		       unsigned int id)
{
	const struct perfctr_visits *visits = __atomic_load_n(&thread->table[id], __ATOMIC_ACQUIRE);

	if (thread->generation != perfctr_regions.generation || !visits)
		return;
	perfctr_totals_add(sum, visits, thread->here, &perfctr_regions.kept);
	sum->unfinished += count_open(thread, id);
}

bool perfctr_regions_collect(struct perfctr_visits *sum, struct perfctr_region_thread *only,
			     unsigned int id)
{
	struct perfctr_region_thread *thread;

	memset(sum, 0, perfctr_totals_size(&perfctr_regions.kept));
	perfctr_totals_init(sum, &perfctr_regions.kept, NULL);
	if (only) {
		add_thread(sum, only, id);
		return sum->cost;
	}
	if (perfctr_regions.ended[id])
		perfctr_totals_add(sum, perfctr_regions.ended[id], NULL, &perfctr_regions.kept);
	for (thread = perfctr_regions.threads; thread; thread = thread->next)
		add_thread(sum, thread, id);
	return sum->cost;
}

/* The lock is held. 0, or -1 after perfctr_fail(). */
static int read_region(const char *name, struct perfctr_region_thread *only,
		       struct perfctr_region_reading *reading)
{
	const struct perfctr_region *region = perfctr_regions.measured ? perfctr_region_find(name)
								       : NULL;
	struct perfctr_visits *sum;
	int result = 0;

	if (!perfctr_regions.measured)
		return perfctr_fail(EINVAL, "no regions have been measured");
	if (!region)
		return -1;
	sum = malloc(perfctr_totals_size(&perfctr_regions.kept));
	if (!sum)
		return perfctr_fail(ENOMEM, "no memory for a region's sums");
	if (perfctr_regions_collect(sum, only, region->id))
		perfctr_totals_read(sum, &perfctr_regions.kept, reading);
	else
		result = perfctr_fail(ENOENT, "%s has not been visited", name);
	free(sum);
	return result;
}

static int check_name(const struct perfctr_region *region)
{
	return *region->name ? 0 : perfctr_fail(EINVAL, "a region needs a name");
}

static int read_locked(const struct perfctr_region *region, struct perfctr_region_thread *only,
		       struct perfctr_region_reading *reading)
{
	sigset_t old;
	int result;

	if (!region || !region->name || !reading)
		return perfctr_fail(EINVAL, "a region and a place for its values are needed, not "
					    "NULL");
	if (check_name(region) < 0)
		return -1;
	perfctr_regions_lock(&old);
	result = read_region(region->name, only, reading);
	perfctr_regions_unlock(&old);
	return result;
}

int perfctr_region_read(const struct perfctr_region *region, struct perfctr_region_reading *reading)
{
	return read_locked(region, perfctr_region_here.thread, reading);
}

int perfctr_region_read_all(const struct perfctr_region *region,
			    struct perfctr_region_reading *reading)
{
	return read_locked(region, NULL, reading);
}

int perfctr_region_reset(struct perfctr_region *region)
{
	struct perfctr_region_thread *thread = perfctr_region_here.thread;
	struct perfctr_visits *visits;
	unsigned int id;
	sigset_t old;

	if (!region || !region->name)
		return perfctr_fail(EINVAL, "a region is needed, not NULL");
	if (check_name(region) < 0)
		return -1;
	perfctr_regions_lock(&old);
	id = perfctr_region_id(region);
	visits = id && perfctr_region_thread_is_current(thread) ? thread->table[id] : NULL;
	if (visits)
		perfctr_totals_reset(visits, &perfctr_regions.kept);
	perfctr_regions_unlock(&old);
	if (!id)
		return -1;
	return visits ? 0 : perfctr_fail(ENOENT, "%s has not been visited", region->name);
}
