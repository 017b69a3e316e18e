/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* metric-tables.h - the output of scripts/metrics.awk from arch/metrics/ */
#ifndef PERFCTR_ARCH_METRIC_TABLES_H
#define PERFCTR_ARCH_METRIC_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Offsets in perfctr_metric_texts, where each text ends with a NUL. */
struct perfctr_metric_record {
	uint32_t tables; /* the ids of event tables that it is for, blanks between; with a * after
			    it, all that begin so */
	uint32_t name, unit, formula, description;
	uint32_t threshold; /* the text "" if the vendor publishes none */
	uint32_t parent;    /* the name of the metric that it is a part of, or "" */
	uint32_t sample;    /* events to sample, blanks between, or "" */
};

/* The records are in the files' order: if several have one name the last one counts. */
extern const struct perfctr_metric_record perfctr_metric_records[];
extern const unsigned int perfctr_metric_record_count;

/* A name for several metrics. Offsets as those of records; the metrics have blanks between. */
struct perfctr_metric_list {
	uint32_t tables, name, metrics;
};

/* The last one has no name, and is not counted. */
extern const struct perfctr_metric_list perfctr_metric_lists[];
extern const unsigned int perfctr_metric_list_count;

/*
 * The characters of their names after PAPI_, as small letters, the last one in the lowest byte;
 * sorted.
 */
extern const uint64_t perfctr_metric_preset_keys[];
/*
 * Those of event table n are from perfctr_metric_preset_first[n] to [n + 1], sorted: which key each
 * has, and which record.
 */
extern const uint16_t perfctr_metric_preset_first[], perfctr_metric_preset_records[];
extern const uint8_t perfctr_metric_preset_names[];
extern const char perfctr_metric_texts[];

static inline const char *perfctr_metric_text(uint32_t offset)
{
	return perfctr_metric_texts + offset;
}

/* Whether these tables, of a record or a list, are the processor's, or the event table's, with this
 * id. */
static inline bool perfctr_metric_has_table(uint32_t tables, const char *id)
{
	const char *word = perfctr_metric_text(tables);
	size_t n;

	for (; *word; word += n + (word[n] == ' ')) {
		n = strcspn(word, " ");
		if (word[n - 1] == '*' ? !strncmp(word, id, n - 1)
				       : n == strlen(id) && !memcmp(word, id, n))
			return true;
	}
	return false;
}

static inline bool perfctr_metric_is_for(const struct perfctr_metric_record *record, const char *id)
{
	return perfctr_metric_has_table(record->tables, id);
}

#endif /* PERFCTR_ARCH_METRIC_TABLES_H */
