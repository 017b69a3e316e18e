/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * plan.h - the plan of a set: sources (an event on one PMU) that form runs (the sources of one item
 * on one PMU, which become a group)
 */
#ifndef PERFCTR_LIB_SETS_PLAN_H
#define PERFCTR_LIB_SETS_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/base/file.h"
#include "lib/isa/pmu.h"
#include "lib/names/resolve.h"

struct perfctr_source {
	unsigned int event;
	unsigned int variant; /* of the list */
	unsigned int pmu;     /* index of its name */
	bool named;	      /* only on processors that have this PMU */
	bool unit;	      /* on one of several units */
	bool last;	      /* the last of its event's sources, in the order of opening */
	bool alone;	      /* its event has no other source */
	uint32_t *cpus; /* the processors that count for all, if it is opened on processors; else
			   NULL */
};

/* The sources [first, first + n): one group. */
struct perfctr_run {
	unsigned int first, n;
	unsigned int item;
	unsigned int pmu;
	bool named;
};

#define PERFCTR_PLAN_FEW 4

struct perfctr_plan {
	struct perfctr_source *source; /* sorted by PMU, otherwise in the list's order */
	unsigned int nsources;
	struct perfctr_run *run; /* in the sources' memory */
	unsigned int nruns;
	unsigned int npmus;
	unsigned int *pmu; /* the variant that has its name, or PERFCTR_PLAN_NO_NAME; in the
			      sources' memory */
	struct perfctr_source few[PERFCTR_PLAN_FEW]; /* the memory of the sources, if they fit */
	struct perfctr_run few_runs[PERFCTR_PLAN_FEW];
	unsigned int few_pmus[PERFCTR_PLAN_FEW + 1];
};

#define PERFCTR_PLAN_NO_NAME UINT32_MAX

/*
 * Plan the events of a list, to be opened on processors or on threads. 0, or -1 after
 * perfctr_fail(): ENOMEM; EINVAL: an item has too many events. It is to be freed then, too. It
 * points into itself, so that it stays where it is.
 */
int perfctr_plan_make(struct perfctr_plan *plan, const struct perfctr_list *list, bool on_cpus);
void perfctr_plan_free(struct perfctr_plan *plan); /* errno is kept */

/* The name of a PMU; "": of the events that name none. */
const char *perfctr_plan_pmu(const struct perfctr_plan *plan, const struct perfctr_list *list,
			     unsigned int pmu);

/* Copy it into memory in which it stays, and is never freed; but cpus is the original's. */
size_t perfctr_plan_room(const struct perfctr_plan *plan);
void perfctr_plan_copy(struct perfctr_plan *copy, const struct perfctr_plan *plan, void *memory);

/* Whether the events of each group are for the same processors. 0, or -1 after perfctr_fail(). */
int perfctr_plan_check_cpus(const struct perfctr_plan *plan, const struct perfctr_list *list);

#endif /* PERFCTR_LIB_SETS_PLAN_H */
