// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/base/list.h"
#include "lib/base/memory.h"
#include "lib/regions/arena.h"
#include "lib/regions/state.h"
#include "lib/regions/thread.h"

static pthread_key_t thread_end;

/*
 * How often the thread's destructor has run. After the last time no destructor would end what the
 * thread begins, while others would read its memory.
 */
static PERFCTR_THREAD unsigned int ends;
#define LAST_END 2

void perfctr_region_thread_set(struct perfctr_region_thread *thread, struct perfctr_visit *top)
{
	__atomic_store_n(&perfctr_region_here.thread, thread, __ATOMIC_RELAXED);
	__atomic_store_n(&perfctr_region_here.top, top, __ATOMIC_RELAXED);
}

bool perfctr_region_thread_is_current(const struct perfctr_region_thread *thread)
{
	return thread->nvalues &&
	       thread->generation == __atomic_load_n(&perfctr_regions.generation, __ATOMIC_RELAXED);
}

/* The visits of calibration, the root, and all others. */
static size_t visits_size(unsigned int nvalues)
{
	return (PERFCTR_REGION_CALIBRATING + PERFCTR_REGION_DEPTH + 1) *
	       perfctr_visit_stride(nvalues);
}

void perfctr_region_thread_free(struct perfctr_region_thread *thread)
{
	perfctr_set_close(thread->set);
	perfctr_arena_free(&thread->arena);
	perfctr_memory_unmap((char *)thread - visits_size(thread->nvalues),
			     visits_size(thread->nvalues) + sizeof(*thread));
}

static void link_thread(struct perfctr_region_thread *thread)
{
	thread->next = perfctr_regions.threads;
	if (perfctr_regions.threads)
		perfctr_regions.threads->previous = thread;
	perfctr_regions.threads = thread;
}

void perfctr_region_thread_unlink(struct perfctr_region_thread *thread)
{
	if (thread->next)
		thread->next->previous = thread->previous;
	if (thread->previous)
		thread->previous->next = thread->next;
	else
		perfctr_regions.threads = thread->next;
}

void perfctr_region_thread_leave(struct perfctr_region_thread *thread, struct perfctr_visit *top,
				 const struct perfctr_visit *until)
{
	for (; top != until; top = perfctr_visit_at(top, -perfctr_region_stride(thread)))
		perfctr_store(&top->visits->unfinished, top->visits->unfinished + 1);
}

struct perfctr_visit *perfctr_region_thread_top(struct perfctr_region_thread *thread)
{
	struct perfctr_visit *top = perfctr_region_here.top;

	return thread->saved ? thread->saved : top == perfctr_region_as_visit(thread) ? NULL : top;
}

/* Returns the row for ended threads. NULL: no memory, so that their counts are lost. */
static struct perfctr_visits *ended(unsigned int id)
{
	struct perfctr_visits **sum = &perfctr_regions.ended[id];

	if (!*sum) {
		*sum = perfctr_arena_take(&perfctr_regions.arena, PERFCTR_RECORD_VISITS, id,
					  perfctr_totals_size(&perfctr_regions.kept));
		if (*sum)
			perfctr_totals_init(*sum, &perfctr_regions.kept, NULL);
	}
	return *sum;
}

static void add_to_ended(const struct perfctr_region_thread *thread)
{
	unsigned int id;

	for (id = PERFCTR_REGION_FIRST_ID; id < perfctr_region_ids(); id++) {
		const struct perfctr_visits *visits = thread->table[id];
		struct perfctr_visits *sum = visits ? ended(id) : NULL;

		if (sum)
			perfctr_totals_add(sum, visits, NULL, &perfctr_regions.kept);
	}
	__atomic_add_fetch(&perfctr_regions.stray, (unsigned long)thread->stray, __ATOMIC_RELAXED);
	__atomic_add_fetch(&perfctr_regions.left_out, (unsigned long)thread->lost,
			   __ATOMIC_RELAXED);
}

static void leave_all(struct perfctr_region_thread *thread)
{
	struct perfctr_visit *top = perfctr_region_thread_top(thread);

	if (top)
		perfctr_region_thread_leave(thread, top, thread->root);
	thread->saved = NULL;
}

static void close_counters(struct perfctr_region_thread *thread)
{
	perfctr_set_close(thread->set);
	thread->set = NULL;
}

void perfctr_region_thread_close(struct perfctr_region_thread *thread)
{
	leave_all(thread);
	perfctr_region_thread_set(thread, thread->root);
	close_counters(thread);
}

void perfctr_region_thread_end(struct perfctr_region_thread *thread)
{
	bool kept = false;

	leave_all(thread);
	/* This comes first: free() may have a region, too, which must not read closed counters. */
	perfctr_region_thread_set(&perfctr_region_nothing,
				  perfctr_region_as_visit(&perfctr_region_nothing));
	close_counters(thread);
	if (thread->generation == perfctr_regions.generation) {
		kept = perfctr_regions.keep & PERFCTR_REGIONS_THREADS;
		if (!kept)
			add_to_ended(thread);
	}
	if (!kept)
		perfctr_region_thread_unlink(thread);
	thread->ended = true;
	thread->here = NULL;
	if (!kept)
		perfctr_region_thread_free(thread);
}

void perfctr_region_threads_release(void)
{
	struct perfctr_region_thread *thread;

	for (thread = perfctr_regions.threads; thread; thread = thread->next) {
		__atomic_store_n(&thread->released, true, __ATOMIC_RELEASE);
		perfctr_set_disable(thread->set);
	}
	thread = perfctr_region_here.thread;
	if (thread->nvalues)
		perfctr_region_thread_close(thread);
}

static void at_thread_end(void *value)
{
	struct perfctr_region_thread *thread = value;
	sigset_t old;

	if (thread != perfctr_region_here.thread || !thread->nvalues)
		return; /* a child of fork() has the parent's value, but cleared memory */
	/*
	 * Other destructors may have regions, too: before the next round all of them have been
	 * called.
	 */
	if (++ends < LAST_END && pthread_setspecific(thread_end, thread) == 0)
		return;
	ends = LAST_END;
	perfctr_regions_lock(&old);
	perfctr_region_thread_end(thread);
	perfctr_regions_unlock(&old);
}

int perfctr_region_thread_init(void)
{
	return pthread_key_create(&thread_end, at_thread_end);
}

/*
 * The pages of an event on several core types. The lock is one that no sum of theirs is, since
 * a page's lock is even but while it changes.
 */
static void add_types(struct perfctr_region_thread *thread, unsigned int i,
		      const struct perfctr_reader *reader)
{
	static struct perf_event_mmap_page none; /* never has an index */
	const struct perfctr_core_types *types =
		(const struct perfctr_core_types *)(uintptr_t)reader->page;
	unsigned int k;

	for (k = 0; k < PERFCTR_CORE_TYPES; k++)
		thread->types[i].page[k] =
			k < reader->types
				? (const struct perf_event_mmap_page *)(uintptr_t)types->page[k]
				: &none;
	thread->counter[i].page = types->page[0];
	thread->counter[i].lock = 1;
	thread->rseq = types->rseq;
}

/* User space can read only counters that are in a register, and needs a clock. */
static bool is_quick(struct perfctr_region_thread *thread)
{
	const volatile struct perf_event_mmap_page *page;
	unsigned int i;

	for (i = 0; i + 1 < thread->nvalues; i++) {
		struct perfctr_reader reader;
		uint64_t value;

		if (perfctr_set_reader(thread->set, i, &reader) < 0 ||
		    !perfctr_reader_read(&reader, &value))
			return false;
		if (i && !thread->rseq != !perfctr_reader_core_types(&reader))
			return false;
		thread->counter[i].page = reader.page;
		if (perfctr_reader_core_types(&reader))
			add_types(thread, i, &reader);
		thread->counter[i].shift = perfctr_reader_shift(
			&reader, (const struct perf_event_mmap_page *)(uintptr_t)reader.page);
		thread->counter[i].index = PERFCTR_REGION_NO_INDEX;
	}
	page = thread->counter[0].page;
	if (thread->nvalues == 1 || !PERFCTR_HAVE_RDTSC || !page->cap_user_time)
		return false;
	thread->mult = page->time_mult;
	thread->shift = page->time_shift;
	thread->rate = perfctr_rate_from_page(thread->mult, thread->shift);
	return true;
}

/* The thread is the calling one, and not in the list yet. NULL after perfctr_fail(). */
static struct perfctr_region_thread *new_thread(struct perfctr_set *set, unsigned int nvalues)
{
	struct perfctr_region_thread *thread;
	char *memory = perfctr_memory_map(visits_size(nvalues) + sizeof(*thread));

	if (!memory)
		return NULL;
	thread = (struct perfctr_region_thread *)(void *)(memory + visits_size(nvalues));
	thread->nvalues = nvalues;
	thread->calibration = (struct perfctr_visit *)(void *)memory;
	thread->root = perfctr_visit_at(thread->calibration,
					PERFCTR_REGION_CALIBRATING * perfctr_region_stride(thread));
	thread->mult = 1;
	thread->here = &perfctr_region_here;
	thread->tid = (pid_t)syscall(SYS_gettid);
	thread->set = set;
	thread->arena.tid = thread->tid;
	return thread;
}

/* 0, or -1 after perfctr_fail(). */
static int check_number(const char *events)
{
	const char *event;
	unsigned int n = 0;
	ssize_t length;

	while ((length = perfctr_event_next(&events, &event)) > 0)
		n++;
	if (length < 0)
		return -1;
	return n < PERFCTR_REGION_VALUES
		       ? 0
		       : perfctr_fail(E2BIG, "regions have at most %d events, not %u",
				      PERFCTR_REGION_VALUES - 1, n);
}

/* A list that is too long is refused here, before it takes descriptors and a long time. */
struct perfctr_region_thread *perfctr_region_thread_open(const char *events, unsigned int keep)
{
	struct perfctr_set *set = NULL;
	struct perfctr_region_thread *thread;

	if (ends == LAST_END) {
		perfctr_fail(ESRCH, "the thread has ended, but for destructors of its data");
		return NULL;
	}
	if (check_number(events) < 0)
		return NULL;
	if (*events) {
		set = perfctr_set_open(events, NULL,
				       keep & PERFCTR_REGIONS_USER_FALLBACK ? PERFCTR_USER_FALLBACK
									    : 0);
		if (!set)
			return NULL;
	}
	thread = new_thread(set, set ? perfctr_set_size(set) + 1 : 1);
	if (!thread) {
		perfctr_set_close(set);
		return NULL;
	}
	thread->layout = is_quick(thread) ? perfctr_fast_path_layout(thread) : PERFCTR_VISIT_KERNEL;
	return thread;
}

int perfctr_region_thread_begin(struct perfctr_region_thread *thread)
{
	if (pthread_setspecific(thread_end, thread) != 0)
		return perfctr_fail(ENOMEM, "no memory for thread-specific data");
	thread->generation = thread->arena.generation = perfctr_regions.generation;
	perfctr_region_thread_set(thread, thread->root);
	link_thread(thread);
	return 0;
}

int perfctr_region_thread_join(void)
{
	struct perfctr_region_thread *thread = perfctr_region_here.thread;

	if (perfctr_region_thread_is_current(thread))
		return 0;
	if (thread->nvalues)
		perfctr_region_thread_end(thread);
	thread = perfctr_region_thread_open(perfctr_regions.events, perfctr_regions.keep);
	if (!thread)
		return -1;
	if (perfctr_regions.layout == PERFCTR_VISIT_KERNEL)
		thread->layout = PERFCTR_VISIT_KERNEL;
	if (thread->layout != perfctr_regions.layout) {
		perfctr_region_thread_free(thread);
		return perfctr_fail(EOPNOTSUPP,
				    "this thread's counters can't be read in user space, but "
				    "others' can: is it on other processors?");
	}
	if (perfctr_region_thread_begin(thread) == 0)
		return 0;
	perfctr_region_thread_free(thread);
	return -1;
}

struct perfctr_visits *perfctr_region_thread_visit(struct perfctr_region_thread *thread,
						   unsigned int id,
						   const struct perfctr_region_cost *cost)
{
	struct perfctr_visits *visits =
		perfctr_arena_take(&thread->arena, PERFCTR_RECORD_VISITS, id,
				   perfctr_totals_size(&perfctr_regions.kept));

	if (!visits)
		return NULL;
	perfctr_totals_init(visits, &perfctr_regions.kept, cost);
	__atomic_store_n(&thread->table[id], visits, __ATOMIC_RELEASE);
	return visits;
}

void perfctr_region_thread_unvisit(struct perfctr_region_thread *thread, unsigned int id)
{
	struct perfctr_visits *visits = thread->table[id];

	__atomic_store_n(&thread->table[id], NULL, __ATOMIC_RELAXED);
	if (visits)
		perfctr_arena_untake(&thread->arena, visits);
}
