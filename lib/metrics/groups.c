// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The events of metrics, in groups: the events of one metric count together where they fit on the
 * counters, else in as few groups as they need. Metrics with many events come first, and those
 * with few go where the events are, or where there is room.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/metrics/opened.h"
#include "lib/names/table.h"

static bool is_same(struct perfctr_metric_event a, struct perfctr_metric_event b)
{
	return a.length == b.length && !memcmp(a.text, b.text, a.length) && !strcmp(a.pmu, b.pmu);
}

/* Returns the event's index; -1: it is not there. */
static int find_event(const struct perfctr_metric_event *events, unsigned int n,
		      struct perfctr_metric_event event)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (is_same(events[i], event))
			return (int)i;
	return -1;
}

/* Intel's shares of slots, which count in a group that slots leads: perfctr_event_is_metric(). */
static bool is_share(struct perfctr_metric_event event)
{
	return !strncmp(event.text, "topdown-", 8);
}

static bool is_slots(struct perfctr_metric_event event)
{
	return event.length == 5 && !memcmp(event.text, "slots", 5);
}

/* Does as perfctr_table_fits() does; slots and their shares have counters of their own. */
static int fits(const struct perfctr_metric_group *group, const struct perfctr_metric_core *core)
{
	const char *cpu = core->cpu || !*core->pmu ? core->cpu : core->id;
	const char *words[PERFCTR_ASSIGN_MAX];
	size_t lengths[PERFCTR_ASSIGN_MAX];
	unsigned int i, n = 0;

	for (i = 0; i < group->n; i++) {
		if (is_share(group->event[i]) || is_slots(group->event[i]))
			continue;
		words[n] = group->event[i].text;
		lengths[n++] = group->event[i].length;
	}
	return n ? perfctr_table_fits(cpu, words, lengths, n) : 1;
}

/* Adds the event if the group lacks it. False: the group gets too large. */
static bool add_event(struct perfctr_metric_group *group, struct perfctr_metric_event event)
{
	if (find_event(group->event, group->n, event) >= 0)
		return true;
	if (group->n == PERFCTR_ASSIGN_MAX)
		return false;
	group->event[group->n++] = event;
	return true;
}

static bool add_events(struct perfctr_metric_group *group, const struct perfctr_metric_group *more)
{
	unsigned int i;

	for (i = 0; i < more->n; i++)
		if (!add_event(group, more->event[i]))
			return false;
	return true;
}

/* Whether there are more events than counters; slots and their shares have their own. */
static bool is_full(const struct perfctr_metric_group *group,
		    const struct perfctr_metric_core *core)
{
	unsigned int i, n = 0;

	for (i = 0; i < group->n; i++)
		n += !is_share(group->event[i]) && !is_slots(group->event[i]);
	return core->counters && n > core->counters;
}

/*
 * The events are counted in this group, too: the processor is known to have the counters, or there
 * are no more of them than of one metric. False: they are not.
 */
static bool join(const struct perfctr_metrics *metrics, struct perfctr_metric_group *group,
		 const struct perfctr_metric_group *own)
{
	const struct perfctr_metric_core *core = &metrics->core[own->core];
	struct perfctr_metric_group both;

	if (group->core != own->core)
		return false;
	both = *group;
	if (!add_events(&both, own))
		return false;
	if (both.n != group->n && both.n != own->n &&
	    (is_full(&both, core) || fits(&both, core) != 1))
		return false;
	*group = both;
	return true;
}

/* The events become part of a group, the first in which they fit. Its index, or -1. */
static int place_group(struct perfctr_metrics *metrics, const struct perfctr_metric_group *own)
{
	struct perfctr_metric_group *all;
	unsigned int i;

	for (i = 0; i < metrics->groups; i++)
		if (join(metrics, &metrics->group[i], own))
			return (int)i;
	all = reallocarray(metrics->group, metrics->groups + 1, sizeof(*all));
	if (!all)
		return perfctr_metrics_no_memory();
	metrics->group = all;
	all[metrics->groups] = *own;
	return (int)metrics->groups++;
}

/* Whether events are of several PMUs, which no group can have. */
static bool is_of_several(const struct perfctr_opened_metric *metric)
{
	const char *first = NULL;
	size_t first_length = 0;
	unsigned int i;

	for (i = 0; i < metric->inputs; i++) {
		const struct perfctr_metric_event *event = &metric->input[i].event;
		const char *slash = memchr(event->text, '/', event->length);
		size_t length = slash ? (size_t)(slash - event->text) : 0;

		if (metric->input[i].metric >= 0)
			continue;
		if (first && (length != first_length || memcmp(event->text, first, length) != 0))
			return true;
		first = event->text;
		first_length = length;
	}
	return false;
}

/* The events of a group have their places; those of the inputs from the first one on, and no
 * others. */
static int close_part(struct perfctr_metrics *metrics, struct perfctr_opened_metric *metric,
		      const struct perfctr_metric_group *part)
{
	int group = place_group(metrics, part);
	unsigned int i;

	if (group < 0)
		return -1;
	for (i = 0; i < metric->inputs; i++)
		if (metric->input[i].metric < 0 &&
		    find_event(part->event, part->n, metric->input[i].event) >= 0)
			metric->input[i].group = group;
	return 0;
}

/*
 * Adds the events that are shares of slots, or those that are not, to the part; one that does not
 * fit begins another part. One that fits nowhere stays on its own, where it is not counted anyway.
 */
static int add_parts(struct perfctr_metrics *metrics, struct perfctr_opened_metric *metric,
		     struct perfctr_metric_group *part, bool shares)
{
	const struct perfctr_metric_core *core = &metrics->core[metric->core];
	unsigned int i;

	for (i = 0; i < metric->inputs; i++) {
		struct perfctr_metric_event event = metric->input[i].event;
		struct perfctr_metric_group more = *part;
		bool there_is_room;

		if (metric->input[i].metric >= 0 || (is_share(event) || is_slots(event)) != shares)
			continue;
		there_is_room = add_event(&more, event) && fits(&more, core);
		if (!there_is_room && part->n && close_part(metrics, metric, part) < 0)
			return -1;
		if (!there_is_room) {
			more = (struct perfctr_metric_group){ .n = 1, .core = metric->core };
			more.event[0] = event;
			if (!fits(&more, core))
				more.n = 0;
		}
		*part = more;
	}
	return 0;
}

static int find_groups(struct perfctr_metrics *metrics, struct perfctr_opened_metric *metric)
{
	struct perfctr_metric_group part = { .core = metric->core };

	if (is_of_several(metric))
		return 0;
	if (add_parts(metrics, metric, &part, true) < 0 ||
	    add_parts(metrics, metric, &part, false) < 0)
		return -1;
	return part.n ? close_part(metrics, metric, &part) : 0;
}

/* ---- the list ---- */

/* Adds a name, and returns its index. */
static unsigned int add_name(struct perfctr_metrics *metrics, const char *brace,
			     struct perfctr_metric_event event)
{
	struct perfctr_metric_event *placed = reallocarray(metrics->placed, metrics->events + 1,
							   sizeof(*placed));

	perfctr_text_add(&metrics->list, "%s%s%s%s%.*s%s", metrics->events ? "," : "", brace,
			 event.pmu, *event.pmu ? "/" : "", (int)event.length, event.text,
			 *event.pmu ? "/" : "");
	if (!placed) {
		metrics->list.failed = true;
		return 0;
	}
	metrics->placed = placed;
	placed[metrics->events] = event;
	return metrics->events++;
}

/* slots and its shares, and nothing if there are none. Whether there are. */
static bool add_shares(struct perfctr_metrics *metrics, const struct perfctr_metric_event *events,
		       unsigned int n)
{
	struct perfctr_metric_event slots = { "slots", 5, "" };
	bool any = false;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!is_share(events[i]))
			continue;
		slots.pmu = events[i].pmu;
		if (!any)
			add_name(metrics, "{", slots);
		any = true;
		add_name(metrics, "", events[i]);
	}
	return any;
}

static void add_group(struct perfctr_metrics *metrics, struct perfctr_metric_group *group)
{
	unsigned int first = metrics->events, i;
	bool shares = add_shares(metrics, group->event, group->n), open = shares;

	for (i = 0; i < group->n; i++) {
		if (shares && (is_share(group->event[i]) || is_slots(group->event[i])))
			continue;
		add_name(metrics, open ? "" : "{", group->event[i]);
		open = true;
	}
	perfctr_text_add(&metrics->list, "}");
	for (i = 0; i < group->n && !metrics->list.failed; i++)
		group->place[i] = first + (unsigned int)find_event(metrics->placed + first,
								   metrics->events - first,
								   group->event[i]);
}

/* Finds the place of an input's event; one that is in no group gets one of its own, or another's.
 */
static void find_place(struct perfctr_metrics *metrics, struct perfctr_metric_input *input)
{
	const struct perfctr_metric_group *group;
	int place;

	if (input->group >= 0) {
		group = &metrics->group[input->group];
		input->place = group->place[find_event(group->event, group->n, input->event)];
		return;
	}
	place = find_event(metrics->placed, metrics->events, input->event);
	input->place = place < 0 ? add_name(metrics, "", input->event) : (unsigned int)place;
}

/* Said when it happens, where nothing may be allocated. */
static int prepare_reason(struct perfctr_metric_input *input)
{
	const struct perfctr_metric_event *event = &input->event;
	const char *slash = *event->pmu ? "/" : "";

	if (asprintf(&input->uncounted, "%s%s%.*s%s was not counted", event->pmu, slash,
		     (int)event->length, event->text, slash) >= 0)
		return 0;
	input->uncounted = NULL;
	return perfctr_metrics_no_memory();
}

static int find_places(struct perfctr_metrics *metrics, struct perfctr_opened_metric *metric)
{
	unsigned int i;

	for (i = 0; i < metric->inputs && !metrics->list.failed; i++) {
		if (metric->input[i].metric >= 0)
			continue;
		find_place(metrics, &metric->input[i]);
		if (prepare_reason(&metric->input[i]) < 0)
			return -1;
	}
	return 0;
}

/* Notes all places that the metric needs, each once; those that it uses have theirs. */
static int note_places(struct perfctr_metrics *metrics, struct perfctr_opened_metric *metric,
		       unsigned char *seen)
{
	unsigned int i, k;

	memset(seen, 0, metrics->events);
	for (i = 0; i < metric->inputs; i++) {
		const struct perfctr_metric_input *input = &metric->input[i];
		const struct perfctr_opened_metric *its;

		if (input->metric < 0) {
			seen[input->place] = 1;
			continue;
		}
		its = &metrics->metric[input->metric];
		for (k = 0; k < its->places; k++)
			seen[its->place[k]] = 1;
	}
	metric->place = calloc(metrics->events + 1, sizeof(*metric->place));
	if (!metric->place)
		return perfctr_metrics_no_memory();
	for (i = 0; i < metrics->events; i++)
		if (seen[i])
			metric->place[metric->places++] = i;
	return 0;
}

static int note_all_places(struct perfctr_metrics *metrics)
{
	unsigned char *seen = calloc(metrics->events + 1, 1);
	int result = seen ? 0 : perfctr_metrics_no_memory();
	unsigned int i;

	for (i = 0; i < metrics->all && !result; i++)
		result = note_places(metrics, &metrics->metric[metrics->order[i]], seen);
	free(seen);
	return result;
}

/* How many events the metric has itself. */
static unsigned int own_events(const struct perfctr_opened_metric *metric)
{
	unsigned int i, n = 0;

	for (i = 0; i < metric->inputs; i++)
		n += metric->input[i].metric < 0;
	return n;
}

/* Metrics with n events of their own, for each n from the most on. */
static int find_all_groups(struct perfctr_metrics *metrics)
{
	unsigned int n, i;

	for (n = PERFCTR_FORMULA_EVENTS; n; n--)
		for (i = 0; i < metrics->all; i++)
			if (own_events(&metrics->metric[i]) == n &&
			    find_groups(metrics, &metrics->metric[i]) < 0)
				return -1;
	return 0;
}

int perfctr_metrics_group(struct perfctr_metrics *metrics)
{
	unsigned int i;

	perfctr_text_add(&metrics->list, "%s", ""); /* there may be no events at all */
	if (find_all_groups(metrics) < 0)
		return -1;
	for (i = 0; i < metrics->groups; i++)
		add_group(metrics, &metrics->group[i]);
	for (i = 0; i < metrics->all; i++)
		if (find_places(metrics, &metrics->metric[i]) < 0)
			return -1;
	return metrics->list.failed ? perfctr_metrics_no_memory() : note_all_places(metrics);
}
