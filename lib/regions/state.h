/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * state.h - what all threads with regions share: names, the lock, and what is measured.
 *
 * A thread frees its own memory. Others read it with the lock held, under which the thread enters
 * and leaves the list.
 */
#ifndef PERFCTR_LIB_REGIONS_STATE_H
#define PERFCTR_LIB_REGIONS_STATE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include "lib/regions/metrics.h"
#include "lib/regions/arena.h"
#include "lib/regions/totals.h"
#include "lib/regions/fast_path.h"

/* The ids of perfctr_region_own[], and of the program's first region. */
enum {
	PERFCTR_REGION_OUTER = 2,
	PERFCTR_REGION_MIDDLE,
	PERFCTR_REGION_INNER,
	PERFCTR_REGION_FIRST_ID
};

/* All of it is under the lock, but for words that don't change while anything is measured. */
struct perfctr_regions {
	bool measured, on;
	enum perfctr_visit_layout layout; /* of all threads */
	unsigned int generation;	  /* changes at each start */
	unsigned int keep;
	unsigned int named; /* number of named regions, from PERFCTR_REGION_FIRST_ID on */
	struct perfctr_region_kept kept;
	char *events;
	struct perfctr_region_metrics metrics; /* of these events; all 0 before the first start */
	char *name[PERFCTR_REGION_VALUES];
	struct perfctr_region_thread *threads;
	struct perfctr_visits *ended[PERFCTR_REGION_IDS]; /* sums of threads that have ended */
	struct perfctr_arena arena;			  /* has these rows, and the notes */
	/*
	 * These are counted without the lock, too; they are long because not all processors have
	 * 64-bit atomics.
	 */
	unsigned long stray, left_out;
	unsigned long closed; /* threads whose counters the program has closed, of those left out */
	unsigned long unplaced; /* visits that no region's count has */
	pid_t pid;
	/*
	 * In a child of fork() whose parent was measured, until its first visit: begins measuring
	 * in the child, with the lock held. NULL: nothing can.
	 */
	bool (*adopt)(void);
	pid_t forked; /* the child, which has run fork's handlers */
	/* Begins its own report; false: it has none. NULL: the program has started measuring. */
	bool (*begin_report)(void);
	unsigned long
		*children; /* number of children without a report, in memory shared with them */
	unsigned long *parents; /* the parent's number of such children, this one among them */
	/* Visits that the parent's thread was in at the fork. Ends read it without the lock. */
	unsigned int inherited;
};
extern struct perfctr_regions perfctr_regions __attribute__((visibility("hidden")));

/* Ids of regions are below this. */
static inline unsigned int perfctr_region_ids(void)
{
	return PERFCTR_REGION_FIRST_ID + perfctr_regions.named;
}

/*
 * How often the calling thread has taken the lock or is in a first visit. Functions called there,
 * such as the program's own malloc(), may have regions, which must not come here again.
 */
extern PERFCTR_THREAD unsigned int perfctr_regions_busy __attribute__((visibility("hidden")));

/*
 * Take and release the lock. All signals are blocked, since a handler may need the lock, too. It is
 * not recursive.
 */
void perfctr_regions_lock(sigset_t *old);
void perfctr_regions_unlock(const sigset_t *old);

/* Whether this process is being measured. The lock is held. */
bool perfctr_regions_are_on(void);

/* Whether the last measurement is this process's own, and not its parent's. It needs no lock. */
bool perfctr_regions_are_ours(void);

/*
 * Whether this process is being measured, or can be now, as a child of one that is. The lock is
 * held, and the process is one that may take it.
 */
bool perfctr_regions_are_adopted(void);

/*
 * Whether this process may take the lock: a child of _Fork() may find it taken for good. Another
 * thread may hold it, and begin measuring in this child of fork().
 */
bool perfctr_regions_may_lock(void);

/* Adds to the parent's number of children without a report. */
void perfctr_regions_count_child(long n);

/* Returns the region of a name. The lock is held. NULL after perfctr_fail(). */
struct perfctr_region *perfctr_region_find(const char *name);

/* Returns the region's id, and keeps it in the region. The lock is held. 0: it can have none. */
unsigned int perfctr_region_id(struct perfctr_region *region);

/* Returns the id without the lock. 0: it can have none, or has none yet. */
unsigned int perfctr_region_known(struct perfctr_region *region);

const char *perfctr_region_name(unsigned int id);

/*
 * Write records for a report in case this process dies: one of two pieces of memory; a region's
 * name. The lock is held.
 */
void perfctr_region_note(enum perfctr_region_what what, unsigned int id, const void *first,
			 size_t size, const void *second, size_t more);
void perfctr_region_note_name(unsigned int id);

/*
 * Sums one thread's visits, or those of all (NULL), into memory of perfctr_totals_size(). Whether
 * there are any. The lock is held.
 */
bool perfctr_regions_collect(struct perfctr_visits *sum, struct perfctr_region_thread *only,
			     unsigned int id);

/* A variable of environment.c that is never read: a reference to it links that file. */
extern const char perfctr_link_environment;

/* Returns a copy of "length" bytes, and a 0. NULL: no memory. */
char *perfctr_copy(const char *text, size_t length);

#endif /* PERFCTR_LIB_REGIONS_STATE_H */
