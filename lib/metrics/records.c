// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include "lib/metrics/records.h"

const char *perfctr_metric_text(uint32_t offset)
{
	return perfctr_metric_texts + offset;
}

/* Whether one of the words is the id, or with a * after it, how the id begins. */
static bool is_for(const struct perfctr_metric_record *record, const char *id)
{
	const char *word = perfctr_metric_text(record->tables);
	size_t n;

	for (; *word; word += n + (word[n] == ' ')) {
		n = strcspn(word, " ");
		if (word[n - 1] == '*' ? !strncmp(word, id, n - 1)
				       : n == strlen(id) && !memcmp(word, id, n))
			return true;
	}
	return false;
}

const struct perfctr_metric_record *perfctr_metric_find(const char *name, size_t length,
							const char *id)
{
	unsigned int i = perfctr_metric_record_count;

	while (i--) {
		const struct perfctr_metric_record *record = &perfctr_metric_records[i];

		if (!strncasecmp(perfctr_metric_text(record->name), name, length) &&
		    !perfctr_metric_text(record->name)[length] && is_for(record, id))
			return record;
	}
	return NULL;
}

const struct perfctr_metric_record *perfctr_metric_nth(unsigned int n, const char *id)
{
	const struct perfctr_metric_record *record = &perfctr_metric_records[n];
	const char *name = perfctr_metric_text(record->name);

	if (!is_for(record, id))
		return NULL;
	return perfctr_metric_find(name, strlen(name), id) == record ? record : NULL;
}

/* A text is in the pool once, so that equal ones have one offset. */
bool perfctr_metric_has_parts(const struct perfctr_metric_record *record, const char *id)
{
	unsigned int i;

	for (i = 0; i < perfctr_metric_record_count; i++)
		if (perfctr_metric_records[i].parent == record->name &&
		    is_for(&perfctr_metric_records[i], id))
			return true;
	return false;
}

struct perfctr_metric perfctr_metric_describe(const struct perfctr_metric_record *record)
{
	return (struct perfctr_metric){
		.name = perfctr_metric_text(record->name),
		.unit = perfctr_metric_text(record->unit),
		.formula = perfctr_metric_text(record->formula),
		.description = perfctr_metric_text(record->description),
		.core = "",
		.threshold = perfctr_metric_text(record->threshold),
	};
}
