// SPDX-License-Identifier: LGPL-2.1-or-later
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include "tools/perfex/base/text.h"
#include "tools/perfex/report/ratio.h"

/* Gets the attr of event i, on its first core type. Numbers have none. */
static bool get_attr(const struct events *events, unsigned int i, struct perf_event_attr *attr)
{
	if (i >= events->first[EVENTS_NUMBERS] ||
	    perfctr_list_attr(events->list, i, 0, attr, NULL, NULL, 0) < 0)
		return false;
	if (events->event[i].user)
		attr->exclude_kernel = attr->exclude_hv = 1;
	return true;
}

/* Returns the generic event with this id, on the same core type, which is in the high half. */
static uint64_t generic(const struct perf_event_attr *attr, uint32_t id)
{
	return (attr->config & ~(uint64_t)UINT32_MAX) | id;
}

static bool is_generic(const struct perf_event_attr *attr, uint32_t id)
{
	return attr->type == PERF_TYPE_HARDWARE && (uint32_t)attr->config == id;
}

/* The config of the event of all, of which this one counts some; its own if there is none. */
static uint64_t whole_of(const struct perf_event_attr *attr)
{
	const uint64_t result = 0xFF0000, miss = PERF_COUNT_HW_CACHE_RESULT_MISS << 16;

	if (attr->type == PERF_TYPE_HW_CACHE && (attr->config & result) == miss)
		return attr->config & ~result;
	if (is_generic(attr, PERF_COUNT_HW_CACHE_MISSES))
		return generic(attr, PERF_COUNT_HW_CACHE_REFERENCES);
	if (is_generic(attr, PERF_COUNT_HW_BRANCH_MISSES))
		return generic(attr, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	if (is_generic(attr, PERF_COUNT_HW_INSTRUCTIONS))
		return generic(attr, PERF_COUNT_HW_CPU_CYCLES);
	return attr->config;
}

static bool same_modes(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_host == b->exclude_host &&
	       a->exclude_guest == b->exclude_guest && a->exclude_idle == b->exclude_idle;
}

/* Whether a name has modifiers for both guests and host, which differs from a name without any. */
static bool names_both(const char *name)
{
	const char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
	const char *modifiers = colon && (!slash || colon > slash) ? colon : slash;

	return modifiers && strchr(modifiers, 'G') && strchr(modifiers, 'H') &&
	       !modifiers[1 + strspn(modifiers + 1, "ukhGHIpPSDWeb")];
}

static bool same_hosts(const struct event *a, const struct event *b)
{
	return names_both(a->name) == names_both(b->name);
}

/* Returns the count of event i in a part, or all; 0: none. */
static double value_of(const struct results *results, const struct part *part, unsigned int i)
{
	struct cell cell = results_cell(results, part, i);

	return cell.counted ? (double)cell.estimate : 0;
}

/* The counted event that event i is a part of, in the same modes, on the same core types; or i. */
static unsigned int partner(const struct results *results, const struct part *part, unsigned int i,
			    const struct perf_event_attr *attr)
{
	const struct events *events = results->run->events;
	uint64_t whole = whole_of(attr);
	struct perf_event_attr other;
	unsigned int k;

	for (k = 0; k < events->n && whole != attr->config; k++)
		if (get_attr(events, k, &other) && other.type == attr->type &&
		    other.config == whole && same_modes(&other, attr) &&
		    same_hosts(&events->event[k], &events->event[i]) &&
		    events->event[k].is.nvariants == events->event[i].is.nvariants &&
		    value_of(results, part, k) > 0)
			return k;
	return i;
}

/* Seconds of the first clock that was counted; 0: none was. */
static double clock_seconds(const struct results *results, const struct part *part)
{
	double value = 0;
	unsigned int i;

	for (i = 0; i < results->run->events->n && value <= 0; i++)
		if (results->run->events->event[i].is.flags & PERFCTR_EVENT_TIME)
			value = value_of(results, part, i);
	return value / 1e9;
}

/* Writes a number with this many places, and what it is. */
static void put(char *text, size_t size, double value, unsigned int places, const char *what)
{
	size_t n = text_fixed(text, size, value, places);

	if (n < size)
		strncat(text + n, what, size - n - 1);
}

static void print_rate(char *text, size_t size, double rate)
{
	if (rate >= 1e6)
		put(text, size, rate / 1e6, 3, " M/sec");
	else if (rate >= 1e3)
		put(text, size, rate / 1e3, 3, " K/sec");
	else
		put(text, size, rate, 3, " /sec");
}

unsigned int ratio_whole(const struct results *results, const struct part *part, unsigned int i)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_RAW };

	return get_attr(results->run->events, i, &attr) ? partner(results, part, i, &attr) : i;
}

void ratio_print(char *text, size_t size, const struct results *results, const struct part *part,
		 unsigned int i)
{
	const struct event *event = &results->run->events->event[i];
	double value = value_of(results, part, i), seconds = clock_seconds(results, part);
	double elapsed = results->seconds > 0 ? results->span : results->end.elapsed;
	struct perf_event_attr attr = { .type = PERF_TYPE_RAW };
	unsigned int all = i;

	if (get_attr(results->run->events, i, &attr))
		all = partner(results, part, i, &attr);
	text[0] = '\0';
	if (event->is.flags & PERFCTR_EVENT_TIME) {
		if (elapsed > 0)
			put(text, size, value / 1e9 / elapsed, 3, " CPUs utilized");
	} else if (all != i && is_generic(&attr, PERF_COUNT_HW_INSTRUCTIONS)) {
		put(text, size, value / value_of(results, part, all), 2, " insn per cycle");
	} else if (all != i) {
		snprintf(text, size, "%.2f%% of all %s", 100 * value / value_of(results, part, all),
			 results->run->events->event[all].name);
	} else if (seconds > 0 && is_generic(&attr, PERF_COUNT_HW_CPU_CYCLES)) {
		put(text, size, value / seconds / 1e9, 3, " GHz");
	} else if (seconds > 0 && !*event->is.unit) {
		print_rate(text, size, value / seconds);
	}
}
