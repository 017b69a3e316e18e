// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>
#include "lib/base/letters.h"
#include "lib/metrics/records.h"

const struct perfctr_metric_record *perfctr_metric_find(const char *name, size_t length,
							const char *id)
{
	unsigned int i = perfctr_metric_record_count;

	while (i--) {
		const struct perfctr_metric_record *record = &perfctr_metric_records[i];

		if (perfctr_letters_same(perfctr_metric_text(record->name), name, length) &&
		    perfctr_metric_is_for(record, id))
			return record;
	}
	return NULL;
}

/* A text is in the pool once, so that equal ones have one offset. */
const struct perfctr_metric_record *perfctr_metric_nth(unsigned int n, const char *id)
{
	const struct perfctr_metric_record *record = &perfctr_metric_records[n];

	if (!perfctr_metric_is_for(record, id))
		return NULL;
	while (++n < perfctr_metric_record_count)
		if (perfctr_metric_records[n].name == record->name &&
		    perfctr_metric_is_for(&perfctr_metric_records[n], id))
			return NULL;
	return record;
}

const char *perfctr_metric_list_find(const char *name, size_t length, const char *id)
{
	const struct perfctr_metric_list *list = perfctr_metric_lists;
	unsigned int i;

	for (i = 0; i < perfctr_metric_list_count; i++, list++)
		if (perfctr_letters_same(perfctr_metric_text(list->name), name, length) &&
		    perfctr_metric_has_table(list->tables, id))
			return perfctr_metric_text(list->metrics);
	return NULL;
}

bool perfctr_metric_has_parts(const struct perfctr_metric_record *record, const char *id)
{
	unsigned int i;

	for (i = 0; i < perfctr_metric_record_count; i++)
		if (perfctr_metric_records[i].parent == record->name &&
		    perfctr_metric_is_for(&perfctr_metric_records[i], id))
			return true;
	return false;
}

struct perfctr_metric perfctr_metric_describe(const struct perfctr_metric_record *record,
					      const char *formula)
{
	return (struct perfctr_metric){
		.name = perfctr_metric_text(record->name),
		.unit = perfctr_metric_text(record->unit),
		.formula = formula,
		.description = perfctr_metric_text(record->description),
		.core = "",
		.threshold = perfctr_metric_text(record->threshold),
	};
}
