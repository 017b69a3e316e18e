// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* Look-up of names in the event tables. */
#include "arch/event-tables.h"
#include "arch/events.h"
#include "arch/x86/p4.h"

static unsigned int fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned int)c | 0x20 : (unsigned char)c;
}

const struct perfctr_event_table *perfctr_event_table(const char *id)
{
	unsigned int low = 0, high = perfctr_event_table_count, middle, i;

	while (low < high) {
		const char *other = perfctr_event_tables[middle = (low + high) / 2].id;

		for (i = 0; id[i] && id[i] == other[i]; i++)
			;
		if (id[i] == other[i])
			return &perfctr_event_tables[middle];
		if ((unsigned char)id[i] < (unsigned char)other[i])
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const char *perfctr_event_table_id(unsigned int n)
{
	return n < perfctr_event_table_count ? perfctr_event_tables[n].id : NULL;
}

/* ---- finding ---- */

/* As scripts/events.awk computes it; both separators count as a dot. */
static uint32_t hash_word(uint32_t hash, const char *word, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		hash = hash * 33 + (word[i] == ':' ? '.' : fold(word[i]));
	return hash;
}

/* How much of the word the name takes, the whole name being there; 0: it is another. */
static size_t match(const char *name, const char *word, size_t length)
{
	size_t i;

	for (i = 0; name[i]; i++)
		if (i == length || fold(name[i]) != fold(word[i]))
			return 0;
	return i;
}

static const char *name_of(const struct perfctr_event_record *record)
{
	return perfctr_event_names + record->name;
}

/* Is the record named by the word, which is an event, or an event and a mask? */
static int is_named(const struct perfctr_event_record *record, const char *word, size_t length)
{
	size_t n = match(name_of(record - record->back), word, length);

	if (!n || !(record->flags & EVENT_IS_MASK))
		return n == length;
	if (n + 1 >= length || (word[n] != '.' && word[n] != ':'))
		return 0;
	return match(name_of(record), word + n + 1, length - n - 1) == length - n - 1;
}

static const struct perfctr_event_record *find(const struct perfctr_event_table *table,
					       uint32_t hash, const char *word, size_t length)
{
	const uint16_t *buckets = perfctr_event_hash + table->hash;
	uint32_t i = hash % table->size;

	for (; buckets[i]; i = i + 1 == table->size ? 0 : i + 1) {
		const struct perfctr_event_record *record =
			&perfctr_event_records[table->first + buckets[i] - 1];

		if (is_named(record, word, length))
			return record;
	}
	return NULL;
}

/* The event's mask of this name; the hash is the event's. */
static const struct perfctr_event_record *find_mask(const struct perfctr_event_table *table,
						    const struct perfctr_event_record *event,
						    uint32_t hash, const char *word, size_t length)
{
	const uint16_t *buckets = perfctr_event_hash + table->hash;
	uint32_t i = hash_word(hash_word(hash, ".", 1), word, length) % table->size;

	for (; buckets[i]; i = i + 1 == table->size ? 0 : i + 1) {
		const struct perfctr_event_record *record =
			&perfctr_event_records[table->first + buckets[i] - 1];

		if (record->flags & EVENT_IS_MASK && record - record->back == event && length &&
		    match(name_of(record), word, length) == length)
			return record;
	}
	return NULL;
}

/* ---- what a record says ---- */

static int is_p4(const struct perfctr_event_record *event)
{
	/* Only there a set of counters may be missing, or the extra word be an ESCR. */
	return perfctr_event_extras[event->extra].reg >= 0x3A0 &&
	       perfctr_event_extras[event->extra].reg <= 0x3E1 && event->code >> 25;
}

/* The counters that reach the ESCR with this ESCR SELECT. */
static uint32_t counters_of_escr(uint32_t escr, uint32_t select)
{
	uint32_t set = 0;
	unsigned int i;

	for (i = 0; i < 18; i++)
		if (perfctr_p4_escr(i, select) == escr)
			set |= 1u << i;
	return set;
}

static void add_option(struct perfctr_event_choice *choice, const struct perfctr_event_record *from)
{
	struct perfctr_event_option *option = &choice->option[choice->options++];

	option->counters = perfctr_event_sets[from->set].general;
	option->fixed = perfctr_event_sets[from->set].fixed;
	option->code = from->code;
	option->high = from->high;
	option->select = 0;
	option->reg = perfctr_event_extras[from->extra].reg;
	option->value = perfctr_event_extras[from->extra].value;
	option->pebs_enable = option->pebs_matrix_vert = 0;
}

/* The record's other ways stand behind it. */
static void add_others(const struct perfctr_event_table *table, struct perfctr_event_choice *choice,
		       const struct perfctr_event_record *from)
{
	const struct perfctr_event_record *end =
		&perfctr_event_records[table->first + table->count];

	for (from++; from < end && from->flags & EVENT_IS_ALSO &&
	     choice->options < PERFCTR_EVENT_OPTIONS; from++)
		add_option(choice, from);
}

/* A P4 event counts in one of two ESCRs. */
static void add_escrs(struct perfctr_event_choice *choice, const struct perfctr_event_record *event)
{
	const struct perfctr_event_extra *extra = &perfctr_event_extras[event->extra];
	struct perfctr_event_option *option;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		uint32_t escr = i ? (uint32_t)extra->value : extra->reg;

		if (!escr)
			continue;
		add_option(choice, event);
		option = &choice->option[choice->options - 1];
		option->fixed = 0;
		option->select = extra->select;
		option->reg = escr;
		option->value = 0;
		option->counters = counters_of_escr(escr, extra->select);
		if (event->set)
			option->counters &= perfctr_event_sets[event->set].general;
	}
}

/* Add a mask to what there is. */
static void apply_mask(const struct perfctr_event_table *table, struct perfctr_event_choice *choice,
		       const struct perfctr_event_record *mask, int p4)
{
	unsigned int i;

	if (mask->flags & EVENT_OVERRIDE) {
		choice->options = 0;
		add_option(choice, mask);
		add_others(table, choice, mask);
		return;
	}
	for (i = 0; i < choice->options; i++) {
		struct perfctr_event_option *option = &choice->option[i];

		option->code |= mask->code;
		option->high |= mask->high;
		if (p4) {
			if (mask->set)
				option->counters &= perfctr_event_sets[mask->set].general;
			if (mask->extra) {
				option->pebs_enable |=
					(uint32_t)perfctr_event_extras[mask->extra].value;
				option->pebs_matrix_vert |=
					perfctr_event_extras[mask->extra].select;
			}
			continue;
		}
		option->counters = perfctr_event_sets[mask->set].general;
		option->fixed = perfctr_event_sets[mask->set].fixed;
		if (mask->extra) {
			option->reg = perfctr_event_extras[mask->extra].reg;
			option->value = perfctr_event_extras[mask->extra].value;
		}
	}
	if (choice->options == 1)
		add_others(table, choice, mask);
}

static const struct perfctr_event_record *next_mask(const struct perfctr_event_table *table,
						    const struct perfctr_event_record *event,
						    const struct perfctr_event_record *record)
{
	const struct perfctr_event_record *end =
		&perfctr_event_records[table->first + table->count];

	for (record++; record < end && record->back && record - record->back == event; record++)
		if (record->flags & EVENT_IS_MASK)
			return record;
	return NULL;
}

/* 0 if the text is no modifiers; -1 if it is, and wrong. */
static int apply_modifiers(struct perfctr_event_choice *choice, const char *text, size_t length)
{
	unsigned int number = 0;
	size_t i;

	if (length > 2 && fold(text[0]) == 'c' && text[1] == '=') {
		for (i = 2; i < length; i++) {
			if (text[i] < '0' || text[i] > '9' || number > 255)
				return -1;
			number = number * 10 + (unsigned int)(text[i] - '0');
		}
		if (number > 255 || choice->cmask)
			return -1;
		choice->cmask = number;
		return 1;
	}
	for (i = 0; i < length; i++)
		if (text[i] != 'u' && text[i] != 'k' && text[i] != 'e' && text[i] != 'i')
			return 0;
	for (i = 0; i < length; i++) {
		if (text[i] == 'u' ? choice->user : text[i] == 'k' ? choice->kernel :
		    text[i] == 'e' ? choice->edge : choice->invert)
			return -1;
		choice->user |= text[i] == 'u';
		choice->kernel |= text[i] == 'k';
		choice->edge |= text[i] == 'e';
		choice->invert |= text[i] == 'i';
	}
	return length > 0;
}

enum perfctr_event_error perfctr_event_lookup(const struct perfctr_event_table *table,
					      const char *word, size_t length,
					      struct perfctr_event_choice *choice,
					      const char **part, size_t *part_length,
					      unsigned int *number)
{
	const struct perfctr_event_record *record, *event, *mask;
	size_t first, end;
	unsigned int masks = 0;
	uint32_t hash;
	int p4, result;

	choice->options = 0;
	choice->user = choice->kernel = choice->edge = choice->invert = 0;
	choice->pebs = choice->imode = 0;
	choice->cmask = 0;
	choice->ireset = 0;
	*part = word;
	for (first = 0; first < length && word[first] != ':'; first++)
		;
	*part_length = first;
	hash = hash_word(0, word, first);
	record = find(table, hash, word, first);
	if (!record) {
		/* Perhaps only the mask is wrong. */
		for (end = 0; end < first && word[end] != '.'; end++)
			;
		record = find(table, hash_word(0, word, end), word, end);
		if (end == first || !record || !next_mask(table, record, record))
			return PERFCTR_EVENT_UNKNOWN;
		*part = word + end + 1;
		*part_length = first - end - 1;
		*number = (unsigned int)(record - &perfctr_event_records[table->first]);
		return PERFCTR_EVENT_NO_MASK;
	}
	event = record - record->back;
	*number = (unsigned int)(event - &perfctr_event_records[table->first]);
	p4 = is_p4(event);
	if (p4) {
		add_escrs(choice, event);
	} else {
		add_option(choice, event);
		add_others(table, choice, event);
	}
	choice->pebs = (event->flags & EVENT_PEBS) != 0;
	if (record != event) {
		/* Without the mask the event's other ways count something else. */
		if (!p4)
			choice->options = 1;
		apply_mask(table, choice, record, p4);
		choice->pebs |= (record->flags & EVENT_PEBS) != 0;
		masks++;
		for (first = 0; name_of(event)[first]; first++)
			;
		hash = hash_word(0, word, first);
		for (; first < length && word[first] != ':'; first++)
			;
	}
	for (; first < length; first = end) {
		end = first + 1;
		while (end < length && word[end] != ':')
			end++;
		*part = word + first + 1;
		*part_length = end - first - 1;
		mask = find_mask(table, event, hash, *part, *part_length);
		if (mask) {
			if (masks && !(event->flags & EVENT_BITMASK))
				return PERFCTR_EVENT_ONE_MASK;
			if (!masks && !p4)
				choice->options = 1;
			apply_mask(table, choice, mask, p4);
			choice->pebs |= (mask->flags & EVENT_PEBS) != 0;
			masks++;
			continue;
		}
		result = apply_modifiers(choice, *part, *part_length);
		if (result <= 0)
			return result < 0 ? PERFCTR_EVENT_MODIFIER : PERFCTR_EVENT_NO_MASK;
	}
	if (masks || !next_mask(table, event, event))
		return PERFCTR_EVENT_OK;
	/* No mask is named: the default ones. */
	for (mask = event; (mask = next_mask(table, event, mask)); ) {
		if (!(mask->flags & EVENT_DEFAULT))
			continue;
		if (!masks++ && !p4)
			choice->options = 1;
		apply_mask(table, choice, mask, p4);
		choice->pebs |= (mask->flags & EVENT_PEBS) != 0;
	}
	*part = word;
	return masks ? PERFCTR_EVENT_OK : PERFCTR_EVENT_NEEDS_MASK;
}

unsigned int perfctr_event_walk(const struct perfctr_event_table *table, unsigned int n,
				struct perfctr_event_entry *entry)
{
	const struct perfctr_event_record *record, *event, *mask;

	for (; n < table->count; n++) {
		record = &perfctr_event_records[table->first + n];
		if (record->flags & EVENT_IS_ALSO)
			continue;
		event = record - record->back;
		entry->event = name_of(event);
		entry->mask = record->flags & EVENT_IS_MASK ? name_of(record) : NULL;
		entry->code = record->code;
		entry->high = record->high;
		entry->counters = perfctr_event_sets[record->set].general;
		entry->fixed = perfctr_event_sets[record->set].fixed;
		entry->combines = (event->flags & EVENT_BITMASK) != 0;
		entry->is_default = (record->flags & EVENT_DEFAULT) != 0;
		entry->pebs = (record->flags & EVENT_PEBS) != 0;
		mask = record == event ? next_mask(table, event, event) : NULL;
		entry->masks = mask != NULL;
		while (mask && !(mask->flags & EVENT_DEFAULT))
			mask = next_mask(table, event, mask);
		entry->needs_mask = entry->masks && !mask;
		return n + 1;
	}
	return 0;
}
