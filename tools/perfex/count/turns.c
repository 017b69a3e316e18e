// SPDX-License-Identifier: LGPL-2.1-or-later
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/turns.h"

/*
 * The seconds that a run takes, for each turn beyond the first, until 95 of 100 estimates are
 * within 5 %, also of programs that work in bursts: docs/COSTS.md has the measurements.
 */
#define SECONDS 5

/* The names of each group's events, with commas between. */
struct groups {
	char **names;
	unsigned int n;
};

/* Whether it takes one of the counters that are shared; Intel's slots and their shares have theirs.
 */
static bool takes_counter(const struct perfctr_list *list, unsigned int i, const char *name)
{
	struct perf_event_attr attr;
	struct perfctr_cpu_control control;

	if (perfctr_list_attr(list, i, 0, &attr, NULL, NULL, 0) < 0 ||
	    attr.type == PERF_TYPE_SOFTWARE || attr.type == PERF_TYPE_TRACEPOINT ||
	    !strcmp(name, "slots") || !strncmp(name, "topdown-", 8))
		return false;
	memset(&control, 0, sizeof(control));
	return perfctr_cpu_control_events(&control, name) > 0;
}

static void add_name(struct groups *groups, bool again, const char *name)
{
	char *longer;

	if (!again) {
		groups->names =
			need(reallocarray(groups->names, groups->n + 1, sizeof(*groups->names)));
		groups->names[groups->n++] = need(strdup(name));
		return;
	}
	if (asprintf(&longer, "%s,%s", groups->names[groups->n - 1], name) < 0)
		need(NULL);
	free(groups->names[groups->n - 1]);
	groups->names[groups->n - 1] = longer;
}

static void find_groups(struct groups *groups, const struct perfctr_list *list)
{
	unsigned int i, n = perfctr_list_size(list), item = 0;
	struct perfctr_list_event event;

	for (i = 0; i < n; i++) {
		if (perfctr_list_event(list, i, &event) < 0 || event.reason ||
		    !takes_counter(list, i, event.name))
			continue;
		add_name(groups, groups->n && event.item == item, event.name);
		item = event.item;
	}
}

/* How many groups from the first on, of all in a circle, fit on the counters together. */
static unsigned int fitting(const struct groups *groups, unsigned int first)
{
	struct perfctr_cpu_control control;
	unsigned int n = 0;
	char *list = NULL, *longer;

	for (; n < groups->n; n++) {
		if (asprintf(&longer, "%s%s%s", list ? list : "", list ? "," : "",
			     groups->names[(first + n) % groups->n]) < 0)
			need(NULL);
		free(list);
		list = longer;
		memset(&control, 0, sizeof(control));
		if (perfctr_cpu_control_events(&control, list) < 0)
			break;
	}
	free(list);
	return n;
}

/*
 * The kernel begins with another group at each turn, and puts those after it on the PMU, up to the
 * first that does not fit (kernel/events/core.c: rotate_ctx(), merge_sched_in()).
 */
static double least_share(const struct groups *groups)
{
	unsigned int *turns = need(calloc(groups->n + 1, sizeof(*turns)));
	unsigned int first, k, least = groups->n;

	for (first = 0; first < groups->n; first++) {
		unsigned int n = fitting(groups, first);

		for (k = 0; k < n; k++)
			turns[(first + k) % groups->n]++;
	}
	/* A group that never fits is not counted at all, which is told of it. */
	for (k = 0; k < groups->n; k++)
		if (turns[k] && turns[k] < least)
			least = turns[k];
	free(turns);
	return groups->n ? (double)least / groups->n : 1;
}

struct turns turns_of(const struct events *events)
{
	struct groups groups = { .n = 0 };
	struct turns turns;
	unsigned int i;

	find_groups(&groups, events->list);
	turns = (struct turns){ .groups = groups.n, .share = least_share(&groups) };
	for (i = 0; i < groups.n; i++)
		free(groups.names[i]);
	free(groups.names);
	return turns;
}

double turns_seconds(const struct turns *turns)
{
	return SECONDS * (1 / turns->share - 1);
}

void turns_tell(const struct events *events)
{
	struct perfctr_info info;
	struct turns turns;

	if (perfctr_get_info(&info) < 0 || !perfctr_info_nrctrs(&info))
		return; /* nothing is counted */
	turns = turns_of(events);
	if (turns.share < 1)
		say("%u groups of events take turns, each for %.0f %% of the time: if the command works "
		    "in bursts, estimates within 5 %% want a run of %.0f s",
		    turns.groups, 100 * turns.share, turns_seconds(&turns));
}
