/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * state.h - what all threads share of regions: their names, the lock, and what is measured.
 *
 * A thread's memory is its own to free. Others read it with the lock held, under which the thread
 * puts it into the list and takes it out.
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

/* Ids of perfctr_region_own[], and the first of the program's regions. */
enum {
	PERFCTR_REGION_OUTER = 2,
	PERFCTR_REGION_MIDDLE,
	PERFCTR_REGION_INNER,
	PERFCTR_REGION_FIRST_ID
};

/* All under the lock, but what does not change while anything is measured. */
struct perfctr_regions {
	bool measured, on;
	enum perfctr_visit_layout layout; /* of all threads */
	unsigned int generation;	  /* of threads: changes at each start */
	unsigned int keep;
	unsigned int named; /* regions, from PERFCTR_REGION_FIRST_ID on */
	struct perfctr_region_kept kept;
	char *events;
	struct perfctr_region_metrics metrics; /* of these events; none before the first start */
	char *name[PERFCTR_REGION_VALUES];
	struct perfctr_region_thread *threads;
	struct perfctr_visits *ended[PERFCTR_REGION_IDS]; /* of threads that are gone */
	struct perfctr_arena arena;			  /* with these, and notes */
	/* Without the lock, too: 64 bits are not atomic everywhere. */
	unsigned long stray, left_out;
	unsigned long unplaced; /* visits that are in no region's count */
	pid_t pid;
};
extern struct perfctr_regions perfctr_regions __attribute__((visibility("hidden")));

/* The ids that have a region are below this. */
static inline unsigned int perfctr_region_ids(void)
{
	return PERFCTR_REGION_FIRST_ID + perfctr_regions.named;
}

/* All of them; pthread_sigmask() undoes it. */
void perfctr_signals_block(sigset_t *old);

/*
 * How deep the calling thread is in the lock or in a first visit. What is called there, such as the
 * program's own malloc(), may have regions, too: they must not come here again.
 */
extern PERFCTR_THREAD unsigned int perfctr_regions_busy __attribute__((visibility("hidden")));

/* With all signals blocked: a handler may need the lock, too. Not recursive. */
void perfctr_regions_lock(sigset_t *old);
void perfctr_regions_unlock(const sigset_t *old);

/* Whether this process is being measured; with the lock held. */
bool perfctr_regions_are_on(void);

/* It was this process that was measured last, and not its parent; also without the lock. */
bool perfctr_regions_are_ours(void);

/* The region of a name; with the lock held. NULL after perfctr_fail(). */
struct perfctr_region *perfctr_region_find(const char *name);

/* The region's id, which it then knows; with the lock held. 0: it can have none. */
unsigned int perfctr_region_id(struct perfctr_region *region);

/* The same without the lock; 0 also if it is not known yet. */
unsigned int perfctr_region_known(struct perfctr_region *region);

const char *perfctr_region_name(unsigned int id);

/*
 * What others would have to know if this process dies, with the lock held: one piece of memory
 * after another; a region's name.
 */
void perfctr_region_note(enum perfctr_region_what what, unsigned int id, const void *first,
			 size_t size, const void *second, size_t more);
void perfctr_region_note_name(unsigned int id);

/*
 * One thread's visits, or (NULL) those of all, into memory of perfctr_totals_size(); with the lock
 * held. Whether there are any.
 */
bool perfctr_regions_collect(struct perfctr_visits *sum, struct perfctr_region_thread *only,
			     unsigned int id);

/* Nobody reads it: environment.c has it, which nobody calls. */
extern const char perfctr_link_environment;

/* A copy of so many bytes, and a 0. NULL: no memory. */
char *perfctr_copy(const char *text, size_t length);

#endif /* PERFCTR_LIB_REGIONS_STATE_H */
