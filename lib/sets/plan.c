// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Plans a set: makes groups on PMUs from a list of events, in time linear in the number of events.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/names/resolve.h"
#include "lib/perf/counter.h"
#include "lib/sets/plan.h"

#define NO_PMU UINT_MAX

static int no_memory(void)
{
	return perfctr_fail(ENOMEM, "no memory for a set of events");
}

const char *perfctr_plan_pmu(const struct perfctr_plan *plan, const struct perfctr_list *list,
			     unsigned int pmu)
{
	unsigned int variant = plan->pmu[pmu];

	return variant == PERFCTR_PLAN_NO_NAME ? "" : list->variant[variant].pmu;
}

/* Returns the index of the PMU that the variant names. */
static unsigned int pmu_index(struct perfctr_plan *plan, const struct perfctr_list *list,
			      unsigned int variant)
{
	unsigned int k;

	for (k = 0; k < plan->npmus; k++)
		if (!strcmp(perfctr_plan_pmu(plan, list, k), list->variant[variant].pmu))
			return k;
	plan->pmu[k] = variant;
	return plan->npmus++;
}

/*
 * Reads the processors on which an uncore PMU counts: its event counts for a whole package or so,
 * and would be counted several times if it were opened on each processor.
 */
static int read_cpus(struct perfctr_source *source, const struct perfctr_variant *variant)
{
	uint32_t words[PERFCTR_CPU_WORDS];
	unsigned int since = perfctr_file_troubles();

	if (!perfctr_variant_cpus(variant, words))
		return perfctr_file_check(since, variant->pmu);
	source->cpus = malloc(sizeof(words));
	if (!source->cpus)
		return no_memory();
	memcpy(source->cpus, words, sizeof(words));
	return 0;
}

static int add_event(struct perfctr_plan *plan, const struct perfctr_list *list, unsigned int event,
		     bool on_cpus)
{
	const struct perfctr_resolved *resolved = &list->event[event];
	unsigned int i, s, last = plan->nsources;

	for (i = 0; i < resolved->n; i++) {
		const struct perfctr_variant *variant = &list->variant[resolved->first + i];
		struct perfctr_source *source = &plan->source[plan->nsources++];

		*source = (struct perfctr_source){
			.event = event,
			.variant = resolved->first + i,
			.alone = resolved->n == 1,
			.named = variant->is_core || variant->is_unit,
			.unit = variant->is_unit,
			.pmu = NO_PMU,
		};
		if (on_cpus && read_cpus(source, variant) < 0)
			return -1;
		if (source->named)
			source->pmu = pmu_index(plan, list, source->variant);
	}
	/* The PMUs are in the order in which the list of events has them. */
	for (s = last + 1; s < plan->nsources; s++)
		if (plan->source[s].pmu > plan->source[last].pmu)
			last = s;
	if (resolved->n)
		plan->source[last].last = true;
	return 0;
}

/* An event of no core PMU goes with the item's first core type or unit, if it has one. */
static void place_item(struct perfctr_plan *plan, unsigned int first, unsigned int end)
{
	unsigned int s, pmu = NO_PMU;

	for (s = first; s < end; s++)
		if (plan->source[s].named && plan->source[s].pmu < pmu)
			pmu = plan->source[s].pmu;
	for (s = first; s < end; s++)
		if (plan->source[s].pmu == NO_PMU)
			plan->source[s].pmu = pmu == NO_PMU ? 0 : pmu;
}

static unsigned int item_of(const struct perfctr_list *list, const struct perfctr_source *source)
{
	return list->event[source->event].item;
}

static void place_items(struct perfctr_plan *plan, const struct perfctr_list *list)
{
	unsigned int s, first = 0;

	/* No event names a PMU, as on most machines. */
	if (plan->npmus == 0) {
		for (s = 0; s < plan->nsources; s++)
			plan->source[s].pmu = 0;
		plan->npmus = 1;
		return;
	}
	for (s = 1; s <= plan->nsources; s++) {
		if (s < plan->nsources &&
		    item_of(list, &plan->source[s]) == item_of(list, &plan->source[first]))
			continue;
		place_item(plan, first, s);
		first = s;
	}
}

/* Sources of one PMU together, otherwise in their order. */
static int sort_sources(struct perfctr_plan *plan)
{
	struct perfctr_source *sorted;
	unsigned int s, k, n = 0;

	if (plan->npmus == 1)
		return 0;
	sorted = calloc(plan->nsources, sizeof(*sorted));
	if (!sorted)
		return no_memory();
	for (k = 0; k < plan->npmus; k++)
		for (s = 0; s < plan->nsources; s++)
			if (plan->source[s].pmu == k)
				sorted[n++] = plan->source[s];
	memcpy(plan->source, sorted, n * sizeof(*sorted));
	free(sorted);
	return 0;
}

static int make_runs(struct perfctr_plan *plan, const struct perfctr_list *list)
{
	struct perfctr_run *run = NULL;
	unsigned int s;

	for (s = 0; s < plan->nsources; s++) {
		const struct perfctr_source *source = &plan->source[s];
		unsigned int item = item_of(list, source);

		if (!run || source->pmu != run->pmu || item != run->item) {
			run = &plan->run[plan->nruns++];
			*run = (struct perfctr_run){
				.first = s,
				.item = item,
				.pmu = source->pmu,
			};
		}
		run->named |= source->named;
		if (++run->n > PERFCTR_GROUP_MAX)
			return perfctr_fail(EINVAL,
					    "a group of %u events is too large; at most %d "
					    "can count together",
					    run->n, PERFCTR_GROUP_MAX);
	}
	return 0;
}

int perfctr_plan_make(struct perfctr_plan *plan, const struct perfctr_list *list, bool on_cpus)
{
	unsigned int i;

	plan->nsources = plan->nruns = plan->npmus = 0;
	plan->source = plan->few;
	plan->run = plan->few_runs;
	plan->pmu = plan->few_pmus;
	if (list->nvariants > PERFCTR_PLAN_FEW) {
		plan->source = calloc(list->nvariants + 1, sizeof(*plan->source) +
								   sizeof(*plan->run) +
								   sizeof(*plan->pmu));
		if (!plan->source)
			return no_memory();
		plan->run = (struct perfctr_run *)(plan->source + list->nvariants + 1);
		plan->pmu = (unsigned int *)(plan->run + list->nvariants + 1);
	}
	plan->pmu[0] = PERFCTR_PLAN_NO_NAME;
	/* Events that name no PMU are not to be counted among a unit's. */
	if (list->has_units)
		plan->npmus = 1;
	for (i = 0; i < list->n; i++)
		if (add_event(plan, list, i, on_cpus) < 0)
			return -1;
	place_items(plan, list);
	return sort_sources(plan) < 0 ? -1 : make_runs(plan, list);
}

size_t perfctr_plan_room(const struct perfctr_plan *plan)
{
	return plan->nsources * sizeof(*plan->source) + plan->nruns * sizeof(*plan->run) +
	       plan->npmus * sizeof(*plan->pmu);
}

void perfctr_plan_copy(struct perfctr_plan *copy, const struct perfctr_plan *plan, void *memory)
{
	unsigned int k;

	memcpy(copy, plan, offsetof(struct perfctr_plan, few));
	copy->source = memory;
	copy->run = (void *)(copy->source + plan->nsources);
	copy->pmu = (void *)(copy->run + plan->nruns);
	copy->pmu[0] = plan->pmu[0];
	for (k = 1; k < plan->npmus; k++)
		copy->pmu[k] = plan->pmu[k];
	if (plan->nsources)
		memcpy(copy->source, plan->source, plan->nsources * sizeof(*plan->source));
	if (plan->nruns)
		memcpy(copy->run, plan->run, plan->nruns * sizeof(*plan->run));
}

void perfctr_plan_free(struct perfctr_plan *plan)
{
	int error = errno;
	unsigned int s;

	for (s = 0; s < plan->nsources; s++)
		free(plan->source[s].cpus);
	if (plan->source != plan->few)
		free(plan->source);
	errno = error;
}

int perfctr_plan_check_cpus(const struct perfctr_plan *plan, const struct perfctr_list *list)
{
	unsigned int s;

	for (s = 1; s < plan->nsources; s++) {
		const struct perfctr_source *one = &plan->source[s - 1], *other = &plan->source[s];

		if (item_of(list, one) == item_of(list, other) && !one->cpus != !other->cpus)
			return perfctr_fail(EINVAL,
					    "%s and %s can't be in one group: only one of "
					    "them counts for several processors",
					    list->event[one->event].name,
					    list->event[other->event].name);
	}
	return 0;
}
