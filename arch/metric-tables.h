/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* metric-tables.h - the output of scripts/metrics.awk from arch/metrics/ */
#ifndef PERFCTR_ARCH_METRIC_TABLES_H
#define PERFCTR_ARCH_METRIC_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Numbers of texts. Those marked as packed have numbers of other texts, their words: two bytes for
 * each, of seven bits, with bit 7 set in both. In a formula there are also parentheses, and commas
 * and operators without the blanks around them.
 */
struct perfctr_metric_record {
	uint16_t tables; /* packed: the ids of event tables that it is for; with a * after it, all
			    that begin so */
	uint16_t name, unit;
	uint16_t formula; /* packed */
	uint16_t description;
	uint16_t threshold; /* the text "" if the vendor publishes none */
	uint16_t parent;    /* the name of the metric that it is a part of, or "" */
	uint16_t sample;    /* events to sample, blanks between, or "" */
};

/* Hidden, so that their addresses need no relocations. */
#pragma GCC visibility push(hidden)

/* The records are in the files' order: if several have one name the last one counts. */
extern const struct perfctr_metric_record perfctr_metric_records[];
extern const unsigned int perfctr_metric_record_count;

/* A name for several metrics. Texts as those of records; the metrics have blanks between. */
struct perfctr_metric_list {
	uint16_t tables, name, metrics;
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
extern const uint32_t perfctr_metric_text_at[]; /* where each begins */
#pragma GCC visibility pop

static inline const char *perfctr_metric_text(unsigned int number)
{
	return perfctr_metric_texts + perfctr_metric_text_at[number];
}

/* Returns the word for which these bytes of a packed text stand; NULL: they are letters. */
static inline const char *perfctr_metric_word(const char *packed)
{
	return packed[0] & 0x80 ? perfctr_metric_text(((unsigned char)packed[0] & 0x7Fu) << 7 |
						      ((unsigned char)packed[1] & 0x7Fu))
				: NULL;
}

/* The event that a record's formula is; NULL if it is more than that. */
static inline const char *perfctr_metric_event(const struct perfctr_metric_record *record)
{
	const char *packed = perfctr_metric_text(record->formula);

	return packed[0] & 0x80 && !packed[2] ? perfctr_metric_word(packed) : NULL;
}

enum { PERFCTR_METRIC_FORMULA = 4096 }; /* room for each */

/* Writes a record's formula. */
static inline void perfctr_metric_formula(const struct perfctr_metric_record *record,
					  char text[PERFCTR_METRIC_FORMULA])
{
	const char *packed = perfctr_metric_text(record->formula), *word;
	size_t n;

	for (; *packed; packed++) {
		word = perfctr_metric_word(packed);
		if (word) {
			n = strlen(word);
			memcpy(text, word, n);
			text += n;
			packed++;
			continue;
		}
		if (!strchr("(),", *packed))
			*text++ = ' ';
		*text++ = *packed;
		if (!strchr("()", *packed))
			*text++ = ' ';
	}
	*text = '\0';
}

/* Whether these tables, of a record or a list, are the processor's, or the event table's, with this
 * id. */
static inline bool perfctr_metric_has_table(unsigned int tables, const char *id)
{
	const char *packed = perfctr_metric_text(tables), *word;
	size_t n;

	for (; (word = perfctr_metric_word(packed)); packed += 2) {
		n = strlen(word) - 1;
		if (word[n] == '*' ? !strncmp(word, id, n) : !strcmp(word, id))
			return true;
	}
	return false;
}

static inline bool perfctr_metric_is_for(const struct perfctr_metric_record *record, const char *id)
{
	return perfctr_metric_has_table(record->tables, id);
}

#endif /* PERFCTR_ARCH_METRIC_TABLES_H */
