// SPDX-License-Identifier: LGPL-2.1-or-later
/* PAPI's presets as names of events. The table of metrics has them together, sorted by name. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "arch/metric-tables.h"
#include "lib/base/error.h"
#include "lib/base/letters.h"
#include "lib/names/presets.h"

/* Returns how the nth preset's name compares with this one. */
static int compare(unsigned int n, const char *name, size_t length)
{
	const char *its =
		perfctr_metric_text(perfctr_metric_records[perfctr_metric_presets + n].name);
	int order = perfctr_letters_compare(its, name, length);

	return order ? order : its[length] != '\0';
}

static const struct perfctr_metric_record *find(const char *name, size_t length, const char *id)
{
	unsigned int low = 0, high = perfctr_metric_preset_count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (compare(middle, name, length) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < perfctr_metric_preset_count && compare(low, name, length) == 0; low++) {
		const struct perfctr_metric_record *record =
			&perfctr_metric_records[perfctr_metric_presets + low];

		if (perfctr_metric_is_for(record, id))
			return record;
	}
	return NULL;
}

int perfctr_preset_event(const char *word, size_t length, const char *id, char *text, size_t size)
{
	const char *colon = memchr(word, ':', length), *formula;
	size_t used = colon ? (size_t)(colon - word) : length;
	const struct perfctr_metric_record *preset;

	if (length < 6 || perfctr_letters_compare(word, "PAPI_", 5) != 0)
		return 0;
	preset = find(word, used, id);
	if (!preset)
		return 0;
	formula = perfctr_metric_text(preset->formula);
	if (strchr(formula, ' '))
		return perfctr_fail(EINVAL,
				    "%s is no event here but a formula: it is a metric, for "
				    "perfctr_metrics_open() and perfex -M, which is %.300s",
				    perfctr_metric_text(preset->name), formula);
	return snprintf(text, size, "%s%.*s", formula, (int)(length - used), word + used) <
	       (int)size;
}

void perfctr_preset_walk(const char *id, int (*each)(void *arg, const char *name), void *arg)
{
	const struct perfctr_metric_record *record =
		&perfctr_metric_records[perfctr_metric_presets];
	unsigned int i;

	for (i = 0; i < perfctr_metric_preset_count; i++, record++)
		if (perfctr_metric_is_for(record, id) &&
		    each(arg, perfctr_metric_text(record->name)) != 0)
			break;
}
