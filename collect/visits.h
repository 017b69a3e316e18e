/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* visits.h - the visits that a thread is in. Each of its functions is called by that thread. */
#ifndef PERFCTR_COLLECT_VISITS_H
#define PERFCTR_COLLECT_VISITS_H

#include <perfctr/regions.h>
#include <stdbool.h>
#include "collect/constructs.h"
#include "collect/ompt.h"

/* Each is of a task, implicit or explicit, or within one. */
struct visit {
	const struct construct *construct;
	const union ompt_word *task; /* NULL: of a loop, a barrier or a wait */
	bool primary;		     /* of a parallel construct: by the thread that began it */
};

/* More than the visits that a thread can be in at once, so that deeper ones are uncounted. */
#define VISITS_DEPTH 1024
struct visits {
	unsigned int depth;	  /* beyond VISITS_DEPTH: the library counts them as uncounted */
	struct construct *league; /* that the thread has just begun; or NULL */
	const void *ended; /* the place of the worksharing construct that ended last; or NULL */
	struct visit visit[VISITS_DEPTH];
};

/* Makes them in the thread's first visit; without memory, all threads share some that are full. */
struct visits *visits_new(void);

/*
 * A variable of each thread. glibc has a place for it at once, and the compiler no call; musl does
 * not load libraries with such a place.
 */
#ifdef __GLIBC__
extern __thread struct visits *visits_own __attribute__((tls_model("initial-exec")));
#else
extern __thread struct visits *visits_own;
#endif

static inline struct visits *visits_here(void)
{
	struct visits *visits = visits_own;

	return __builtin_expect(visits != NULL, 1) ? visits : visits_new();
}

static inline void visits_begin(struct visits *visits, const struct construct *construct,
				const union ompt_word *task, bool primary)
{
	struct visit *visit = &visits->visit[visits->depth++];

	if (visits->depth > VISITS_DEPTH) {
		perfctr_region_begin(construct->region);
		perfctr_region_end(construct->region);
		return;
	}
	visit->construct = construct;
	visit->task = task;
	visit->primary = primary;
	perfctr_region_begin(construct->region);
}

static inline void visits_end(struct visits *visits)
{
	visits->depth--;
	if (visits->depth < VISITS_DEPTH)
		perfctr_region_end(visits->visit[visits->depth].construct->region);
}

/* Ends the innermost visit if it is one of this kind, and no task's. */
static inline void visits_end_of(struct visits *visits, enum kind kind)
{
	const struct visit *visit = &visits->visit[visits->depth - 1];

	if (visits->depth > VISITS_DEPTH ||
	    (visits->depth && !visit->task && visit->construct->kind == kind))
		visits_end(visits);
}

/* Returns how deep the visit of a task is, from 1; 0: there is none. */
static inline unsigned int visits_find(const struct visits *visits, const union ompt_word *task)
{
	unsigned int at = visits->depth < VISITS_DEPTH ? visits->depth : VISITS_DEPTH;

	while (at && visits->visit[at - 1].task != task)
		at--;
	return at;
}

/* Ends a visit, unless 0, and those within it: a loop that was cancelled has no end. */
static inline void visits_end_from(struct visits *visits, unsigned int at)
{
	while (at && visits->depth >= at)
		visits_end(visits);
}

#endif /* PERFCTR_COLLECT_VISITS_H */
