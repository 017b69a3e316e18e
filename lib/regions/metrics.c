// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/letters.h"
#include "lib/base/list.h"
#include "lib/regions/metrics.h"

/* An event in a list: its name, and whether a brace opens before it or closes after it. */
struct item {
	const char *name;
	size_t length;
	bool opens, closes;
};

/*
 * Returns 1; 0 at the end of the list; -1 after perfctr_fail(). *inside is false at the beginning.
 */
static int next_item(const char **list, bool *inside, struct item *item)
{
	bool before = *inside;
	ssize_t length = perfctr_event_next(list, &item->name);

	if (length <= 0)
		return (int)length;
	item->length = (size_t)length;
	item->opens = !before && *item->name == '{';
	if (perfctr_event_braces(&item->name, &item->length, inside) < 0)
		return -1;
	item->closes = (before || item->opens) && !*inside;
	return 1;
}

static bool is_name(const struct item *item, const char *name, size_t length)
{
	return item->length == length && !memcmp(item->name, name, length);
}

/* Returns the event's index in the list; -1: it is not there. */
static int find_event(const char *list, const struct item *event)
{
	bool inside = false;
	struct item item;
	int i;

	for (i = 0; list && next_item(&list, &inside, &item) > 0; i++)
		if (is_name(&item, event->name, event->length))
			return i;
	return -1;
}

/* ---- open and close ---- */

static int no_memory(void)
{
	return perfctr_fail(ENOMEM, "no memory for metrics of regions");
}

void perfctr_region_metrics_close(struct perfctr_region_metrics *metrics)
{
	perfctr_metrics_close(metrics->metrics);
	free(metrics->names);
	free(metrics->readings);
	free(metrics->place);
	memset(metrics, 0, sizeof(*metrics));
}

int perfctr_region_metrics_open(struct perfctr_region_metrics *metrics, const char *names)
{
	unsigned int n = 0;

	memset(metrics, 0, sizeof(*metrics));
	metrics->metrics = perfctr_metrics_open(names, NULL);
	if (!metrics->metrics)
		return -1;
	perfctr_metrics_events(metrics->metrics, &n);
	metrics->names = strdup(names);
	metrics->readings = calloc(n, sizeof(*metrics->readings));
	metrics->place = calloc(n, sizeof(*metrics->place));
	if (metrics->names && metrics->readings && metrics->place)
		return 0;
	perfctr_region_metrics_close(metrics);
	return no_memory();
}

/* 1: it is one of PAPI's presets that is no event here, but a metric; 0; -1: no memory. */
static int is_formula(const char *name, size_t length)
{
	struct perfctr_text copy = { NULL, 0, 0, false };
	struct perfctr_metrics *metrics = NULL;
	int result = 0;

	if (length < 5 || perfctr_letters_compare(name, "PAPI_", 5) != 0)
		return 0;
	perfctr_text_add(&copy, "%.*s", (int)length, name);
	if (copy.failed)
		result = no_memory();
	else if (perfctr_event_check(copy.bytes) < 0)
		metrics = perfctr_metrics_open(copy.bytes, NULL);
	if (metrics)
		result = 1;
	free(copy.bytes);
	perfctr_metrics_close(metrics);
	return result;
}

/* Whether the item is in braces, without which its name is. Braces are checked by others. */
static bool in_braces(struct item *item, bool *inside)
{
	const char *end = memchr(item->name, '}', item->length);
	bool result = *inside;

	if (end)
		item->length = (size_t)(end - item->name);
	*inside = !end && *inside;
	while (item->length && strchr("{ \t", *item->name)) {
		result = result || *item->name == '{';
		*inside = !end && result;
		item->name++;
		item->length--;
	}
	while (item->length && strchr(" \t", item->name[item->length - 1]))
		item->length--;
	return result;
}

int perfctr_region_metrics_part(const char *list, struct perfctr_text *events,
				struct perfctr_text *metrics)
{
	bool inside = false;
	const char *name;
	ssize_t length;

	while ((length = perfctr_event_next(&list, &name)) > 0) {
		struct item item = { .name = name, .length = (size_t)length };
		bool grouped = in_braces(&item, &inside);
		int found = is_formula(item.name, item.length);
		struct perfctr_text *text = found ? metrics : events;

		if (found < 0)
			return -1;
		if (found && grouped)
			return perfctr_fail(EINVAL,
					    "%.*s in braces is a formula here, which is no event "
					    "of a group; write it before or after the braces",
					    (int)item.length, item.name);
		perfctr_text_add(text, "%s%.*s", text->size ? "," : "", (int)length, name);
	}
	if (events->failed || metrics->failed)
		return no_memory();
	return (int)length;
}

/* ---- what is counted ---- */

/*
 * Adds a group of Intel's slots and their shares, from its first event on: these count only
 * together.
 */
static void add_group(struct perfctr_text *text, const char **list, bool *inside, struct item item)
{
	perfctr_text_add(text, "%s{%.*s", text->size ? "," : "", (int)item.length, item.name);
	while (*inside && next_item(list, inside, &item) > 0)
		perfctr_text_add(text, ",%.*s", (int)item.length, item.name);
	perfctr_text_add(text, "}");
}

/*
 * Other groups are dissolved: nothing is multiplexed here, so that all events count at the same
 * time anyway.
 */
static void add_item(struct perfctr_text *text, const char **list, bool *inside,
		     const struct item *item)
{
	if (item->opens && *inside && is_name(item, "slots", 5))
		add_group(text, list, inside, *item);
	else if (find_event(text->bytes, item) < 0)
		perfctr_text_add(text, "%s%.*s", text->size ? "," : "", (int)item->length,
				 item->name);
}

int perfctr_region_metrics_list(const struct perfctr_region_metrics *metrics, const char *events,
				struct perfctr_text *text)
{
	const char *list = perfctr_metrics_events(metrics->metrics, NULL);
	bool inside = false;
	struct item item;
	int result;

	if (*events)
		perfctr_text_add(text, "%s", events);
	while ((result = next_item(&list, &inside, &item)) > 0)
		add_item(text, &list, &inside, &item);
	if (result == 0 && text->failed)
		return no_memory();
	return result;
}

int perfctr_region_metrics_find(struct perfctr_region_metrics *metrics, const char *list,
				unsigned int nvalues)
{
	const char *events = perfctr_metrics_events(metrics->metrics, NULL);
	bool inside = false;
	struct item item;
	unsigned int i;

	for (i = 0; next_item(&events, &inside, &item) > 0; i++) {
		int at = find_event(list, &item);

		/* The first value is the time. */
		if (at < 0 || (unsigned int)at + 1 >= nvalues)
			return -1;
		metrics->place[i] = (unsigned int)at + 1;
	}
	return 0;
}

/* ---- values ---- */

struct perfctr_metric_value
perfctr_region_metrics_value(const struct perfctr_region_metrics *metrics, unsigned int i,
			     const struct perfctr_region_reading *reading, bool exclusive)
{
	struct perfctr_metric_value result;
	unsigned int k, n;

	perfctr_metrics_events(metrics->metrics, &n);
	for (k = 0; k < n; k++) {
		const struct perfctr_region_value *value = &reading->value[metrics->place[k]];

		metrics->readings[k] = (struct perfctr_reading){
			.value = exclusive ? value->exclusive : value->inclusive,
			.quality = value->quality,
		};
	}
	perfctr_metrics_value(metrics->metrics, i, metrics->readings, &result);
	return result;
}
