// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* Looks names up in the event tables. */
#include "arch/event-tables.h"
#include "arch/events.h"
#include "arch/x86/msrs.h"
#include "arch/x86/p4.h"

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

/* Inlining these saves a fifth of a look-up. */
#define HOT inline __attribute__((always_inline))

/* Eight bytes, the first one lowest: one instruction on most processors. */
static inline uint64_t eight(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;

	return (uint64_t)byte[0] | (uint64_t)byte[1] << 8 | (uint64_t)byte[2] << 16 |
	       (uint64_t)byte[3] << 24 | (uint64_t)byte[4] << 32 | (uint64_t)byte[5] << 40 |
	       (uint64_t)byte[6] << 48 | (uint64_t)byte[7] << 56;
}

static inline uint32_t four(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;

	return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

#define EACH(byte) (0x0101010101010101u * (byte))

/* Bit 7 of each byte that is zero. A byte of one above a zero may be marked, too. */
static inline uint64_t zeroes(uint64_t x)
{
	return (x - EACH(1)) & ~x & EACH(0x80);
}

/* The number of the first byte that zeroes() marks. */
static inline unsigned int first_byte(uint64_t marks)
{
	uint32_t low = (uint32_t)marks, high = (uint32_t)(marks >> 32);

	return (unsigned int)(low ? __builtin_ctz(low) : 32 + __builtin_ctz(high)) >> 3;
}

/*
 * Computes the hash of scripts/events.awk. Bit 5 is set in each byte, so that case makes no
 * difference.
 */
static HOT uint32_t hash_name(uint32_t hash, const char *word, size_t length)
{
	uint32_t x = 0;
	size_t i;

	for (i = 0; i + 4 <= length; i += 4)
		hash = (hash + (four(word + i) | 0x20202020u)) * 742821u;
	if (i == length)
		return hash;
	if (length > 4)
		x = four(word + length - 4) | 0x20202020u;
	else
		while (length)
			x = x << 8 | (unsigned char)word[--length] | 0x20;
	return (hash + x) * 742821u;
}

/* The first colon from start on, or dot if dots count; or the end. */
static HOT size_t separator(const char *word, size_t start, size_t length, int dots)
{
	uint64_t other = dots ? EACH('.') : EACH(':'), x;

	for (; start + 8 <= length; start += 8) {
		x = eight(word + start);
		x = zeroes(x ^ EACH(':')) | zeroes(x ^ other);
		if (x)
			return start + first_byte(x);
	}
	if (start < length && length >= 8) {
		/* The last eight, without those that have been looked at. */
		x = eight(word + length - 8) >> (64 - 8 * (length - start));
		x = zeroes(x ^ EACH(':')) | zeroes(x ^ other);
		return x ? start + first_byte(x) : length;
	}
	while (start < length && word[start] != ':' && word[start] != (char)other)
		start++;
	return start;
}

/* Do eight characters of a word differ from a name's, whose letters match in both cases? */
static inline int differ(uint64_t name, uint64_t word)
{
	uint64_t x = name ^ word;

	/* Of a name's characters only letters and '_' have bit 6; '_' has but one case. */
	return x && (x & ~((name & EACH(0x40)) >> 1 & ~(zeroes(name ^ EACH('_')) >> 2))) != 0;
}

/* Is the name of the record this word? */
static HOT int is_named(const struct perfctr_event_record *record, const char *word, size_t length)
{
	const char *name = perfctr_event_names + record->name;
	size_t i;

	if ((unsigned char)name[-1] != length)
		return 0;
	if (length >= 8) {
		for (i = 0; i + 8 < length; i += 8)
			if (differ(eight(name + i), eight(word + i)))
				return 0;
		return !differ(eight(name + length - 8), eight(word + length - 8));
	}
	if (length >= 4)
		return !differ(four(name) | (uint64_t)four(name + length - 4) << 32,
			       four(word) | (uint64_t)four(word + length - 4) << 32);
	for (i = 0; i < length; i++)
		if (differ((unsigned char)name[i], (unsigned char)word[i]))
			return 0;
	return 1;
}

/* Flags of an event that has masks to combine. */
#define COMBINES (EVENT_BITMASK | EVENT_GROUPS)

static const char *name_of(const struct perfctr_event_record *record)
{
	return perfctr_event_names + record->name;
}

/* The event of this name; the hash is the name's. */
static HOT const struct perfctr_event_record *find(const struct perfctr_event_table *table,
						   uint32_t hash, const char *word, size_t length)
{
	const uint16_t *buckets = perfctr_event_hash + table->hash;
	uint32_t i = hash % table->size, tag = EVENT_TAG | hash >> 25;

	for (; buckets[i]; i = i + 1 == table->size ? 0 : i + 1)
		if (perfctr_event_tags[buckets[i]] == tag &&
		    is_named(&perfctr_event_records[buckets[i]], word, length))
			return &perfctr_event_records[buckets[i]];
	return NULL;
}

/*
 * Bit 7 of each of eight tags that is the wanted one, up to the first one of another event, which
 * is marked, too.
 */
static HOT uint64_t tagged(const uint8_t *tags, uint64_t wanted)
{
	uint64_t x = eight((const char *)tags);

	return ((EACH(EVENT_TAG) - (x ^ wanted)) | x) & EACH(EVENT_TAG);
}

/* The mask of this name that the event has, an alias or not. */
static HOT const struct perfctr_event_record *
find_mask(const struct perfctr_event_record *event, uint32_t hash, const char *word, size_t length)
{
	const struct perfctr_event_record *mask = event + 1;
	const uint8_t *first = perfctr_event_tags + (mask - perfctr_event_records), *tags = first;
	uint64_t wanted = EACH(hash >> 25), marks;
	size_t i;

	for (;; tags += 8) {
		while (!(marks = tagged(tags, wanted)))
			tags += 8;
		for (; marks; marks &= marks - 1) {
			i = (size_t)(tags - first) + first_byte(marks);
			if (first[i] & EVENT_TAG)
				return NULL;
			if (is_named(mask + i, word, length))
				return mask + i;
		}
	}
}

/* ---- the contents of a record ---- */

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

static HOT void add_option(struct perfctr_event_choice *choice,
			   const struct perfctr_event_record *from)
{
	struct perfctr_event_option *option = &choice->option[choice->options++];

	option->counters = perfctr_event_sets[from->set].general;
	option->fixed = perfctr_event_sets[from->set].fixed;
	option->code = from->code;
	option->high = perfctr_event_highs[from->high];
	option->select = 0;
	option->reg = perfctr_event_extras[from->extra].reg;
	option->value = perfctr_event_extras[from->extra].value;
	option->pebs_enable = option->pebs_matrix_vert = 0;
}

/* The record's other ways stand after it. */
static void add_others(struct perfctr_event_choice *choice, const struct perfctr_event_record *from)
{
	while ((++from)->flags & EVENT_IS_ALSO)
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
		option->select = extra->select;
		option->reg = escr;
		option->value = 0;
		option->counters = counters_of_escr(escr, extra->select);
	}
}

/* Add the first mask to the event. */
static void apply_mask(struct perfctr_event_choice *choice, const struct perfctr_event_record *mask,
		       int p4)
{
	unsigned int i;

	choice->pebs |= (mask->flags & EVENT_PEBS) != 0;
	if (mask->flags & EVENT_OVERRIDE) {
		choice->options = 0;
		add_option(choice, mask);
	}
	for (i = 0; i < choice->options; i++) {
		struct perfctr_event_option *option = &choice->option[i];

		option->code |= mask->code;
		option->high |= perfctr_event_highs[mask->high];
		if (p4) {
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
		add_others(choice, mask);
}

/*
 * Add another one. Together they have the counters that each has, and the event. Few words come
 * here: inlined, it would make all others slower.
 */
static __attribute__((noinline)) void apply_more(struct perfctr_event_choice *choice,
						 const struct perfctr_event_record *event,
						 const struct perfctr_event_record *mask, int p4)
{
	const struct perfctr_event_set_of_counters *set = &perfctr_event_sets[event->set];
	uint32_t counters = choice->option[0].counters & set->general;
	uint64_t value = choice->option[0].value;

	apply_mask(choice, mask, p4);
	if (p4)
		return;
	choice->option[0].counters &= counters;
	/* Of a register's value each mask has a part. */
	if (mask->extra)
		choice->option[0].value |= value;
}

/*
 * The big cores' offcore response event has a twin that looks at the second register: BBH of B7H,
 * and 2BH of 2AH since Golden Cove. (The small cores have another unit mask of the same event, and
 * not of every one: their tables say it.)
 */
static HOT void add_twin(struct perfctr_event_choice *choice,
			 const struct perfctr_event_record *event)
{
	struct perfctr_event_option *first = choice->option;

	if (!(event->flags & EVENT_TWIN))
		return;
	choice->option[1] = *first;
	choice->option[1].code += (first->code & 0xFF) == 0xB7 ? 0xBB - 0xB7 : 0x2B - 0x2A;
	choice->option[1].reg = OFFCORE_RSP1;
	choice->options = 2;
}

/* Whether the record belongs to the event before it. */
static int is_part(const struct perfctr_event_record *record)
{
	return (record->flags & (EVENT_IS_MASK | EVENT_IS_ALSO)) != 0;
}

/* The event's next mask that is no alias. */
static const struct perfctr_event_record *next_mask(const struct perfctr_event_record *record)
{
	for (record++; is_part(record); record++)
		if ((record->flags & (EVENT_IS_MASK | EVENT_HIDDEN)) == EVENT_IS_MASK)
			return record;
	return NULL;
}

/* The number of a mask's group in its event. */
static unsigned int group_of(const struct perfctr_event_record *mask)
{
	unsigned int n = 0;

	for (; is_part(mask); mask--)
		n += (mask->flags & EVENT_GROUPS) != 0;
	return n;
}

/* Bits of a set of groups; those that no mask may follow in stand 16 higher. */
#define GROUPS 16

/*
 * Note that the group of a mask has one; 0 if it has another already, and they exclude each other.
 * A mask that is alone excludes those of its own and of all later groups.
 */
static int note_group(const struct perfctr_event_record *mask, uint32_t *groups)
{
	uint32_t group = 1u << group_of(mask), excluded = mask->flags & EVENT_BITMASK ? 0 : group;

	if (mask->flags & EVENT_ALONE) {
		excluded = (1u << GROUPS) - group;
		group |= excluded << GROUPS;
	}
	if (*groups & excluded || *groups >> GROUPS & group)
		return 0;
	*groups |= group;
	return 1;
}

/* Add the default masks of the groups that have none, to masks that there are. */
static unsigned int add_defaults(struct perfctr_event_choice *choice,
				 const struct perfctr_event_record *event, uint32_t groups,
				 unsigned int masks, int p4)
{
	const struct perfctr_event_record *mask = event;

	groups |= groups >> GROUPS;
	while ((mask = next_mask(mask))) {
		if (mask->flags & EVENT_GROUPS)
			groups >>= 1;
		if (!(mask->flags & EVENT_DEFAULT) || groups & 1)
			continue;
		if (mask->flags & EVENT_ALONE)
			groups = 0xFFFFFFFF;
		if (masks++)
			apply_more(choice, event, mask, p4);
		else
			apply_mask(choice, mask, p4);
	}
	return masks;
}

static int is_text(const char *text, size_t length, const char *other)
{
	size_t i;

	for (i = 0; i < length && other[i] == text[i]; i++)
		;
	return i == length && !other[i];
}

/* A counter as LIKWID names it: PMC0, FIXC1. 0 if the text is none; -1 if one was named before. */
static int apply_counter(struct perfctr_event_choice *choice, const char *text, size_t length)
{
	size_t prefix = is_text(text, length < 3 ? length : 3, "PMC")	 ? 3
			: is_text(text, length < 4 ? length : 4, "FIXC") ? 4
									 : length;
	unsigned int n = 0;
	size_t i;

	for (i = prefix; i < length && text[i] >= '0' && text[i] <= '9'; i++)
		n = n < 32 ? n * 10 + (unsigned int)(text[i] - '0') : 32;
	if (i < length || prefix == length)
		return 0;
	if (n > 31 || choice->named)
		return -1;
	choice->named = (n + (prefix == 4 ? 65 : 1)) & 0x7F;
	return 1;
}

/* A number after "c=", which may be given once. -1 if it is none, or too large. */
static int apply_threshold(struct perfctr_event_choice *choice, const char *text, size_t length,
			   unsigned int more)
{
	unsigned int number = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' || number > 255)
			return -1;
		number = number * 10 + (unsigned int)(text[i] - '0');
	}
	number += more;
	if (!length || number > (more ? 16 : 255) || choice->threshold)
		return -1;
	choice->threshold = 1;
	choice->cmask = number & 0xFF;
	return 1;
}

/* A P4's modifiers in libpfm4's words: "thr=N" is more than N, "cmpl" is not more than that. */
static int apply_p4(struct perfctr_event_choice *choice, const char *text, size_t length)
{
	if (is_text(text, 4, "thr="))
		return apply_threshold(choice, text + 4, length - 4, 1);
	if (!is_text(text, length, "cmpl"))
		return apply_counter(choice, text, length);
	if (choice->invert)
		return -1;
	choice->invert = 1;
	choice->cmask = choice->cmask ? choice->cmask : 1u;
	return 1;
}

/* The modifiers that are words, as apply_modifiers(). Those of libpfm4's that are 0 change nothing.
 */
static __attribute__((noinline, cold)) int apply_word(struct perfctr_event_choice *choice,
						      const char *text, size_t length)
{
	static const char words[8][8] = { "t", "intx",	  "intxcp", "e",
					  "i", "precise", "excl",   "hw_smpl" };
	size_t n = length > 2 && text[length - 2] == '=' ? length - 2 : length;
	unsigned int i, seen = choice->any | choice->intx * 2u | choice->intxcp * 4u;

	if (is_text(text, length, &"ppp"[length < 3 ? 3 - length : 0])) {
		if (choice->precise)
			return -1;
		choice->precise = (unsigned int)length & 3;
		return 1;
	}
	for (i = 0; i < 8 && !is_text(text, n, words[i]); i++)
		;
	if (i == 8 && choice->option[0].select && length >= 4)
		return apply_p4(choice, text, length);
	if (i == 8)
		return apply_counter(choice, text, length);
	if (n < length && text[length - 1] == '0')
		return 1;
	if (i > 2 || (n < length && text[length - 1] != '1'))
		return 0;
	if (seen >> i & 1)
		return -1;
	choice->any |= i == 0;
	choice->intx |= i == 1;
	choice->intxcp |= i == 2;
	return 1;
}

/* What modifiers that are words do to each way to count. */
static __attribute__((noinline, cold)) void apply_rest(struct perfctr_event_choice *choice)
{
	unsigned int i, n = (choice->named - 1u) & 63u;

	for (i = 0; i < choice->options; i++) {
		struct perfctr_event_option *option = &choice->option[i];

		option->code |= choice->any ? 1u << 21 : 0;
		option->high |= choice->intx * 1u | choice->intxcp * 2u;
		if (!choice->named)
			continue;
		option->counters &= choice->named < 65 ? 1u << n : 0;
		option->fixed &= choice->named < 65 ? 0 : 1u << n;
	}
}

/* An event that is named as the second register's has that way first. */
static __attribute__((noinline, cold)) void swap(struct perfctr_event_choice *choice)
{
	struct perfctr_event_option first = choice->option[0];

	choice->option[0] = choice->option[1];
	choice->option[1] = first;
}

static HOT enum perfctr_event_error found(struct perfctr_event_choice *choice)
{
	if (choice->any || choice->intx || choice->intxcp || choice->named)
		apply_rest(choice);
	return PERFCTR_EVENT_OK;
}

/* 0 if the text is no modifiers; -1 if it is, and wrong. */
static int apply_modifiers(struct perfctr_event_choice *choice, const char *text, size_t length)
{
	unsigned int seen, bit, twice = 0;
	size_t i;

	if (length > 1 && text[0] == 'c' && text[1] == '=')
		return apply_threshold(choice, text + 2, length - 2, 0);
	/* As libpfm4 writes it. */
	if (length == 3 && text[1] == '=' && text[2] == '1')
		length = 1;
	seen = choice->user | choice->kernel * 2u | choice->edge * 4u | choice->invert * 8u;
	for (i = 0; i < length; i++) {
		bit = text[i] == 'u'   ? 1u
		      : text[i] == 'k' ? 2u
		      : text[i] == 'e' ? 4u
		      : text[i] == 'i' ? 8u
				       : 0;
		if (!bit)
			return apply_word(choice, text, length);
		twice |= seen & bit;
		seen |= bit;
	}
	if (twice)
		return -1;
	choice->user |= seen & 1;
	choice->kernel |= seen >> 1 & 1;
	choice->edge |= seen >> 2 & 1;
	choice->invert |= seen >> 3 & 1;
	return length > 0;
}

/* What the event is without a mask, if no mask of the table is that: one without a name. */
static const struct perfctr_event_record *default_of(const struct perfctr_event_record *event)
{
	while (is_part(++event))
		if (event->flags & EVENT_IS_MASK && !*name_of(event))
			return event;
	return NULL;
}

/* An event without a mask that no mask of the table is. */
static __attribute__((noinline, cold)) enum perfctr_event_error
found_default(const struct perfctr_event_record *event, struct perfctr_event_choice *choice)
{
	const struct perfctr_event_record *mask = default_of(event);

	if (!mask)
		return PERFCTR_EVENT_NEEDS_MASK;
	apply_mask(choice, mask, 0);
	return found(choice);
}

static HOT enum perfctr_event_error found_masks(struct perfctr_event_choice *choice,
						const struct perfctr_event_record *event,
						int second)
{
	add_twin(choice, event);
	if (second && choice->options == 2)
		swap(choice);
	return found(choice);
}

/* The choice of a word of which nothing is known; its options are added to it. */
static HOT void begin(struct perfctr_event_choice *choice)
{
	choice->options = 0;
	choice->user = choice->kernel = choice->edge = choice->invert = 0;
	choice->imode = choice->threshold = 0;
	choice->any = choice->intx = choice->intxcp = 0;
	choice->precise = 0;
	choice->cmask = 0;
	choice->named = 0;
	choice->ireset = 0;
}

enum perfctr_event_error perfctr_event_modify(const char *word, size_t from, size_t length,
					      struct perfctr_event_choice *choice,
					      const char **part, size_t *part_length)
{
	size_t end;
	int result;

	for (; from < length; from = end) {
		for (end = from + 1; end < length && word[end] != ':';)
			end++;
		*part = word + from + 1;
		*part_length = end - from - 1;
		result = apply_modifiers(choice, *part, *part_length);
		if (result <= 0)
			return result < 0 ? PERFCTR_EVENT_MODIFIER : PERFCTR_EVENT_NO_MASK;
	}
	return found(choice);
}

/* The word after a prefix "PMU::" that is one of the table's; NULL if there is none. */
static __attribute__((noinline)) const char *
after_prefix(const struct perfctr_event_table *table, const char *word, size_t end, size_t length)
{
	if (end + 2 >= length || word[end] != ':' || word[end + 1] != ':')
		return NULL;
	end += 2;
	return find(table, hash_name(0, word, end), word, end) ? word + end : NULL;
}

/* The number of an event for perfctr_event_walk(): of its place in the table and a record of it. */
enum { RECORDS = 4096 };

static __attribute__((noinline, cold)) unsigned int
number_of(const struct perfctr_event_table *table, const struct perfctr_event_record *event)
{
	uint32_t i = 0;

	while (i < table->all &&
	       &perfctr_event_records[perfctr_event_listed[table->first + i]] != event)
		i++;
	return i * RECORDS;
}

/* The event's mask that is this word but for '_' in the place of '.', as libpfm4 writes it. */
static __attribute__((noinline, cold)) const struct perfctr_event_record *
find_spelt(const struct perfctr_event_record *event, const char *word, size_t length)
{
	const struct perfctr_event_record *mask = event;
	const char *name;
	size_t i;

	for (i = 0; i < length && word[i] != '_'; i++)
		;
	while (i < length && (mask = next_mask(mask))) {
		name = name_of(mask);
		if ((unsigned char)name[-1] != length)
			continue;
		for (i = 0; i < length; i++)
			if (differ((unsigned char)name[i], (unsigned char)word[i]) &&
			    (name[i] != '.' || word[i] != '_'))
				break;
		if (i == length)
			return mask;
	}
	return NULL;
}

/* perfctr_event_lookup(), but for the number: *named is the event, if it is known. */
static HOT enum perfctr_event_error look_up(const struct perfctr_event_table *table,
					    const char *word, size_t length,
					    struct perfctr_event_choice *choice, const char **part,
					    size_t *part_length,
					    const struct perfctr_event_record **named)
{
	const struct perfctr_event_record *event, *mask;
	unsigned int masks = 0;
	uint32_t groups = 0;
	int p4, dot, result, second = 0;
	size_t end, name_length;

	begin(choice);
again:
	end = separator(word, 0, length, 1);
	*part = word;
	*part_length = end;
	event = end ? find(table, hash_name(0, word, end), word, end) : NULL;
	if (!event) {
		word = after_prefix(table, *part, end, length);
		if (!word)
			return PERFCTR_EVENT_UNKNOWN;
		length -= (size_t)(word - *part);
		goto again;
	}
	if (event->flags & EVENT_SAME) {
		second = event->flags & EVENT_SECOND;
		event = &perfctr_event_records[event->code];
	}
	*named = event;
	name_length = end;
	p4 = event->flags & EVENT_P4;
	if (p4)
		add_escrs(choice, event);
	else
		add_option(choice, event);
	choice->pebs = (event->flags & EVENT_PEBS) != 0;
	while (end < length) {
		dot = word[end] == '.';
		*part = word + ++end;
		end = separator(word, end, length, 0);
		*part_length = (size_t)(word + end - *part);
		/* After the only mask a letter is a modifier, also where a mask has it as its name.
		 */
		if (masks && !dot && *part_length == 1 && !(event->flags & COMBINES) &&
		    apply_modifiers(choice, *part, 1) > 0)
			continue;
		mask = *part_length ? find_mask(event, hash_name(0, *part, *part_length), *part,
						*part_length)
				    : NULL;
		if (!mask && *part_length > 1)
			mask = find_spelt(event, *part, *part_length);
		if (mask) {
			if (event->flags & EVENT_GROUPS ? !note_group(mask, &groups)
							: masks && !(mask->flags & EVENT_BITMASK))
				return PERFCTR_EVENT_ONE_MASK;
			if (masks++)
				apply_more(choice, event, mask, p4);
			else
				apply_mask(choice, mask, p4);
			continue;
		}
		result = dot ? 0 : apply_modifiers(choice, *part, *part_length);
		if (result <= 0)
			return result < 0 ? PERFCTR_EVENT_MODIFIER : PERFCTR_EVENT_NO_MASK;
	}
	if (masks && !(event->flags & EVENT_GROUPS))
		return found_masks(choice, event, second);
	if (!next_mask(event)) {
		/* With a mask, the event's other ways would count other things. */
		add_others(choice, event);
		return found(choice);
	}
	if (add_defaults(choice, event, groups, masks, p4))
		return found_masks(choice, event, second);
	*part = word;
	*part_length = name_length;
	return found_default(event, choice);
}

enum perfctr_event_error perfctr_event_lookup(const struct perfctr_event_table *table,
					      const char *word, size_t length,
					      struct perfctr_event_choice *choice,
					      const char **part, size_t *part_length,
					      unsigned int *number)
{
	const struct perfctr_event_record *event;
	enum perfctr_event_error error = look_up(table, word, length, choice, part, part_length,
						 &event);

	if (error > PERFCTR_EVENT_UNKNOWN)
		*number = number_of(table, event);
	return error;
}

static const struct perfctr_event_record *record_of(const struct perfctr_event_table *table,
						    unsigned int number)
{
	uint32_t event = perfctr_event_listed[table->first + number / RECORDS];

	return &perfctr_event_records[event + number % RECORDS];
}

static void describe(const struct perfctr_event_record *event,
		     const struct perfctr_event_record *record, struct perfctr_event_entry *entry)
{
	const struct perfctr_event_record *mask = record == event ? next_mask(event) : NULL;

	entry->event = name_of(event);
	entry->mask = record == event ? NULL : name_of(record);
	entry->code = record->code;
	entry->high = perfctr_event_highs[record->high];
	entry->counters = perfctr_event_sets[record->set].general;
	entry->fixed = perfctr_event_sets[record->set].fixed;
	entry->combines = (record->flags & (record == event ? COMBINES : EVENT_BITMASK)) != 0;
	entry->grouped = (event->flags & EVENT_GROUPS) != 0;
	entry->group = entry->grouped ? (uint8_t)group_of(record) : 0;
	entry->is_default = entry->mask && record->flags & EVENT_DEFAULT;
	entry->pebs = (record->flags & EVENT_PEBS) != 0;
	entry->masks = mask != NULL;
	while (mask && !(mask->flags & EVENT_DEFAULT))
		mask = next_mask(mask);
	entry->needs_mask = entry->masks && !mask && !default_of(event);
}

unsigned int perfctr_event_walk(const struct perfctr_event_table *table, unsigned int n,
				struct perfctr_event_entry *entry)
{
	uint32_t end = (n / RECORDS < table->count ? table->count : table->all) * RECORDS;
	const struct perfctr_event_record *record;

	while (n < end) {
		record = record_of(table, n);
		if (n % RECORDS && (!is_part(record) || record->flags & EVENT_HIDDEN)) {
			n += RECORDS - n % RECORDS;
			continue;
		}
		n++;
		if (record->flags & EVENT_IS_ALSO)
			continue;
		describe(record_of(table, (n - 1) / RECORDS * RECORDS), record, entry);
		return n;
	}
	return 0;
}

const char *perfctr_event_alias(const struct perfctr_event_table *table, unsigned int n)
{
	return n < table->all - table->count
		       ? name_of(record_of(table, (table->count + n) * RECORDS))
		       : NULL;
}

struct text {
	char *at;
	size_t size, used;
};

static void add_char(struct text *text, char c)
{
	if (text->used + 1 < text->size)
		text->at[text->used] = c;
	text->used++;
}

/* The word that a byte stands for; NULL: for itself. */
static const char *word_of(unsigned char byte)
{
	unsigned int n = byte & 0x80 ? byte & 0x7Fu : byte + 0x7Fu;
	const char *word = perfctr_event_words;

	if (!(byte & 0x80) && byte >= ' ')
		return NULL;
	for (; n > 0; n--)
		while (*word++)
			;
	return word;
}

size_t perfctr_event_text(const struct perfctr_event_table *table, unsigned int n, char *text,
			  size_t size)
{
	size_t record = (size_t)(record_of(table, n - 1) - perfctr_event_records);
	const char *from = perfctr_event_texts + perfctr_event_text_of[record], *word;
	struct text to = { text, size, 0 };

	for (; *from; from++) {
		word = word_of((unsigned char)*from);
		if (!word)
			add_char(&to, *from);
		else if (to.used)
			add_char(&to, ' ');
		while (word && *word)
			add_char(&to, *word++);
	}
	if (size)
		text[to.used < size ? to.used : size - 1] = '\0';
	return to.used;
}

/*
 * These bits of an event select are event, unit mask, and AMD's or Intel's part of the event in the
 * upper half.
 */
#define SELECTS 0x0000FF0F0000FFFFu

/* How much of the selected bits a record's code has. */
enum part { NOTHING, PART, ALL };

static uint64_t code_of(const struct perfctr_event_record *record)
{
	return record->code | (uint64_t)perfctr_event_highs[record->high] << 32;
}

/* Masks that may be combined stand for a part each. */
static enum part stands_for(const struct perfctr_event_record *event,
			    const struct perfctr_event_record *record, uint64_t selected)
{
	uint64_t code = code_of(record), other;
	int combines = 0;

	if (record->flags & EVENT_IS_MASK && !(record->flags & EVENT_OVERRIDE)) {
		code |= code_of(event);
		combines = event->flags & COMBINES;
	}
	other = (code ^ selected) & SELECTS;
	return !other							     ? ALL
	       : combines && !(other & ~(uint64_t)0xFF00) && !(other & code) ? PART
									     : NOTHING;
}

/* Add the counters for a combination of the event's masks; 0 if it is none. */
static int add_combined(const struct perfctr_event_record *event, uint64_t selected,
			uint32_t *counters)
{
	uint32_t set = perfctr_event_sets[event->set].general;
	const struct perfctr_event_record *mask = event;
	int parts = 0;

	while ((mask = next_mask(mask)))
		if (stands_for(event, mask, selected) == PART) {
			set &= perfctr_event_sets[mask->set].general;
			parts = 1;
		}
	*counters |= parts ? set : 0;
	return parts;
}

/* Add the counters of the event, its masks and other ways that are selected; 0 if none is. */
static int add_named(const struct perfctr_event_record *event, uint64_t selected,
		     uint32_t *counters)
{
	const struct perfctr_event_record *record = event;
	int names = 0;

	do {
		if (stands_for(event, record, selected) == ALL) {
			*counters |= perfctr_event_sets[record->set].general;
			names = 1;
		}
		record++;
	} while (is_part(record) && !(record->flags & EVENT_HIDDEN));
	return names;
}

uint32_t perfctr_event_counters(const struct perfctr_event_table *table, uint32_t code,
				uint32_t high)
{
	uint64_t selected = (code | (uint64_t)high << 32) & SELECTS;
	uint32_t named = 0, combined = 0, i;
	int names = 0, combinations = 0;

	for (i = 0; i < table->count; i++) {
		const struct perfctr_event_record *event = record_of(table, i * RECORDS);

		names |= add_named(event, selected, &named);
		if (event->flags & COMBINES)
			combinations |= add_combined(event, selected, &combined);
	}
	return names ? named : combinations ? combined : 0xFFFFFFFFu;
}

static const struct perfctr_event_record *event_of(const struct perfctr_event_record *record)
{
	while (is_part(record))
		record--;
	return record;
}

int perfctr_event_is_usual(const struct perfctr_event_table *table, uint32_t code, uint32_t high,
			   uint32_t counters)
{
	const uint16_t *specials = perfctr_event_specials + table->special;
	uint64_t selected = (code | (uint64_t)high << 32) & SELECTS;
	uint32_t i;

	for (i = 0; i < table->specials; i++) {
		const struct perfctr_event_record *record = &perfctr_event_records[specials[i]];

		if (stands_for(event_of(record), record, selected) != NOTHING)
			return 0;
	}
	return !(counters & ~table->usual);
}
