// SPDX-License-Identifier: LGPL-2.1-or-later
/* PAPI's presets as names of events. The table of metrics has them by event table. */
#include <errno.h>
#include <string.h>
#include "arch/event-tables.h"
#include "arch/metric-tables.h"
#include "lib/base/error.h"
#include "lib/base/letters.h"
#include "lib/names/presets.h"

enum { PREFIX = 5, LONGEST = PREFIX + 8 }; /* PAPI_ */

/* The key of a name, as the table has them. */
static uint64_t key_of(const char *name, size_t length)
{
	uint64_t key = 0;
	size_t i;

	for (i = PREFIX; i < length; i++)
		key = key << 8 | (unsigned char)perfctr_small(name[i]);
	return key;
}

static const struct perfctr_metric_record *find(const char *name, size_t length,
						const struct perfctr_event_table *table)
{
	const uint16_t *first = &perfctr_metric_preset_first[table - perfctr_event_tables];
	unsigned int low = first[0], high = first[1];
	uint64_t key = key_of(name, length);

	while (low < high) {
		unsigned int middle = (low + high) / 2;
		uint64_t its = perfctr_metric_preset_keys[perfctr_metric_preset_names[middle]];

		if (its == key)
			return &perfctr_metric_records[perfctr_metric_preset_records[middle]];
		if (its < key)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Joins the two. Returns whether there is room. */
static int join(char *text, size_t size, const char *event, const char *rest, size_t length)
{
	size_t n = strlen(event);

	if (n + length >= size)
		return 0;
	memcpy(text, event, n);
	memcpy(text + n, rest, length);
	text[n + length] = '\0';
	return 1;
}

static int fail_formula(const struct perfctr_metric_record *preset)
{
	char formula[PERFCTR_METRIC_FORMULA];

	perfctr_metric_formula(preset, formula);
	return perfctr_fail(EINVAL,
			    "%s is a formula here, not an event: it is a metric, for "
			    "perfctr_metrics_open() and perfex -M, which is %.300s",
			    perfctr_metric_text(preset->name), formula);
}

int perfctr_preset_event(const char *word, size_t length, const struct perfctr_event_table *table,
			 char *text, size_t size)
{
	const char *colon = memchr(word, ':', length), *event;
	size_t used = colon ? (size_t)(colon - word) : length;
	const struct perfctr_metric_record *preset;

	if (used <= PREFIX || used > LONGEST || perfctr_letters_compare(word, "PAPI_", PREFIX) != 0)
		return 0;
	preset = find(word, used, table);
	if (!preset)
		return 0;
	event = perfctr_metric_event(preset);
	return event ? join(text, size, event, word + used, length - used) : fail_formula(preset);
}

void perfctr_preset_walk(const struct perfctr_event_table *table,
			 int (*each)(void *arg, const char *name), void *arg)
{
	const uint16_t *first = &perfctr_metric_preset_first[table - perfctr_event_tables];
	unsigned int i;

	for (i = first[0]; i < first[1]; i++) {
		unsigned int record = perfctr_metric_preset_records[i];

		if (each(arg, perfctr_metric_text(perfctr_metric_records[record].name)) != 0)
			break;
	}
}
