// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "ratio.h"
#include "results.h"

static bool has_value(const struct event *event)
{
	return results_counted(event) && results_value(event);
}

/* The counted event called base, with the modifiers that event has; NULL if there is none. */
static const struct event *partner(const struct events *events, const struct event *event,
				   const char *base)
{
	const char *modifiers = strchr(event->name, ':');
	size_t length = strlen(base);
	unsigned int i;

	for (i = 0; i < events->n; i++) {
		const struct event *other = &events->event[i];
		const char *theirs = strchr(other->name, ':');

		if (!strncmp(other->name, base, length) &&
		    (other->name[length] == '\0' || other->name[length] == ':') &&
		    !strcmp(modifiers ? modifiers : "", theirs ? theirs : "") && has_value(other))
			return other;
	}
	return NULL;
}

/* The event of all accesses, of which a "misses" event counts some. */
static const struct event *accesses(const struct events *events, const struct event *event)
{
	static const struct {
		const char *suffix, *accesses;
	} pairs[] = {
		{ "-load-misses", "-loads" },
		{ "-store-misses", "-stores" },
		{ "-prefetch-misses", "-prefetches" },
		{ "-misses", "-references" },
	};
	size_t length = strcspn(event->name, ":");
	char base[128];
	unsigned int i;

	if (length >= sizeof(base) - 16)
		return NULL;
	if (!strncmp(event->name, "branch-misses", length))
		return partner(events, event, "branches");
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		size_t n = strlen(pairs[i].suffix);

		if (length <= n || strncmp(event->name + length - n, pairs[i].suffix, n))
			continue;
		snprintf(base, sizeof(base), "%.*s%s", (int)(length - n), event->name,
			 pairs[i].accesses);
		return partner(events, event, base);
	}
	return NULL;
}

static const struct event *task_clock(const struct events *events)
{
	unsigned int i;

	for (i = 0; i < events->n; i++)
		if (!strncasecmp(events->event[i].name, "task-clock", 10) &&
		    has_value(&events->event[i]))
			return &events->event[i];
	return NULL;
}

static void print_rate(char *text, size_t size, const struct event *event, double rate)
{
	if (!strncmp(event->name, "cycles", 6))
		snprintf(text, size, "%.3f GHz", rate / 1e9);
	else if (rate >= 1e6)
		snprintf(text, size, "%.3f M/sec", rate / 1e6);
	else if (rate >= 1e3)
		snprintf(text, size, "%.3f K/sec", rate / 1e3);
	else
		snprintf(text, size, "%.3f /sec", rate);
}

void ratio_print(char *text, size_t size, const struct events *events, const struct event *event,
		 double elapsed)
{
	double value = (double)results_value(event);
	const struct event *cycles = NULL, *all = accesses(events, event);
	const struct event *clock = task_clock(events);

	if (!strncmp(event->name, "instructions", 12))
		cycles = partner(events, event, "cycles");
	text[0] = '\0';
	if (results_is_clock(event)) {
		if (elapsed > 0)
			snprintf(text, size, "%.3f CPUs utilized", value / 1e9 / elapsed);
	} else if (cycles) {
		snprintf(text, size, "%.2f insn per cycle", value / (double)results_value(cycles));
	} else if (all) {
		snprintf(text, size, "%.2f%% of all %.*s", 100 * value / (double)results_value(all),
			 (int)strcspn(all->name, ":"), all->name);
	} else if (clock) {
		print_rate(text, size, event, value / ((double)results_value(clock) / 1e9));
	}
}
