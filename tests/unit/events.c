// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events by name: the look-up, and what is true of every table, of all ISAs on any host.
 *
 * The facts are written from the vendors' manuals and not from the tables: Intel SDM vol. 3B (2023)
 * chapters 19 and 20 and older editions' appendix A, intel/perfmon; AMD 22007, 26094, 31116, 42301,
 * 55901; the 6x86MX, WinChip and C3 data books; the PowerPCs' user's manuals; Arm DDI 0487 and the
 * cores' TRMs.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "arch/event-tables.h"
#include "arch/isa.h"
#include "arch/x86/p4.h"
#include "tests/harness/check.h"
#include "tests/harness/random.h"

static enum perfctr_event_error look(const char *id, const char *word, size_t length,
				     struct perfctr_event_choice *choice, const char **part,
				     size_t *part_length, unsigned int *event)
{
	const struct perfctr_event_table *table = perfctr_event_table(id);

	ck_assert_msg(table != NULL, "no table %s", id);
	/* Padding and unused options compare as equal. */
	memset(choice, 0, sizeof(*choice));
	*part = NULL;
	*part_length = 0;
	*event = 0xFFFFFFFF;
	return perfctr_event_lookup(table, word, length, choice, part, part_length, event);
}

static enum perfctr_event_error look_up(const char *id, const char *word,
					struct perfctr_event_choice *choice)
{
	const char *part;
	size_t length;
	unsigned int event;

	return look(id, word, strlen(word), choice, &part, &length, &event);
}

static struct perfctr_event_choice found(const char *id, const char *word)
{
	struct perfctr_event_choice choice;
	enum perfctr_event_error error = look_up(id, word, &choice);

	ck_assert_msg(error == PERFCTR_EVENT_OK, "%s: %s: error %d", id, word, (int)error);
	ck_assert_uint_ge(choice.options, 1);
	ck_assert_uint_le(choice.options, PERFCTR_EVENT_OPTIONS);
	return choice;
}

/* ---- every name of every table ---- */

enum { LOWER, UPPER, MIXED, CASES };

static void change_case(char *word, int to)
{
	size_t i;

	for (i = 0; word[i]; i++)
		if (to == UPPER || (to == MIXED && i & 1))
			word[i] = (char)toupper((unsigned char)word[i]);
		else
			word[i] = (char)tolower((unsigned char)word[i]);
}

/* The default masks of the event whose masks begin with the nth name; not those of these groups. */
static uint32_t defaults(const struct perfctr_event_table *table, unsigned int n, uint32_t groups)
{
	struct perfctr_event_entry mask;
	uint32_t code = 0;

	while ((n = perfctr_event_walk(table, n, &mask)) && mask.mask)
		if (mask.is_default && !(groups >> mask.group & 1))
			code |= mask.code;
	return code;
}

/* The choice is what the entry says; the event is what the mask's event says. */
static void is_entry(const char *word, const struct perfctr_event_choice *choice,
		     const struct perfctr_event_entry *event,
		     const struct perfctr_event_entry *entry, uint32_t others, int p4)
{
	const struct perfctr_event_option *option = &choice->option[0];
	uint32_t code = entry->mask ? event->code | entry->code | others : entry->code;
	uint32_t high = entry->mask ? event->high | entry->high : entry->high;

	/* A mask of another event code has the whole code. */
	ck_assert_msg((option->code == code && option->high == high) ||
			      (entry->mask && option->code == entry->code &&
			       option->high == entry->high),
		      "%s: code %#x %#x and not %#x %#x", word, option->code, option->high, code,
		      high);
	ck_assert_uint_eq(choice->pebs, event->pebs || entry->pebs);
	ck_assert_uint_eq(choice->user | choice->kernel | choice->edge | choice->invert |
				  choice->imode | choice->cmask,
			  0);
	if (p4)
		ck_assert_msg(option->counters && option->reg >= 0x3A0 && option->reg <= 0x3E1,
			      "%s: no counter for ESCR %#x", word, option->reg);
	else
		ck_assert_msg(option->counters == entry->counters && option->fixed == entry->fixed,
			      "%s: counters %#x %#x and not %#x %#x", word, option->counters,
			      option->fixed, entry->counters, entry->fixed);
}

/* Where there are few tries, one name of 16 in other cases. */
START_TEST(names_are_found)
{
	unsigned int n, next, names = 0, masks = 0, each = tries(36000) < 36000 ? 16 : 1;
	const char *id;

	for (n = 0; (id = perfctr_event_table_id(n)); n++) {
		const struct perfctr_event_table *table = perfctr_event_table(id);
		struct perfctr_event_entry entry, event = { .event = "" };
		int p4 = !strcmp(id, "p4") || !strcmp(id, "p4m3");

		ck_assert_ptr_nonnull(table);
		for (next = 0; (next = perfctr_event_walk(table, next, &entry)); names++) {
			struct perfctr_event_choice first, choice;
			char word[160];
			int k;

			if (!entry.mask) {
				event = entry;
				masks = next;
			}
			if (!entry.mask && entry.masks)
				continue;
			snprintf(word, sizeof(word), "%s%s%s", entry.event, entry.mask ? "." : "",
				 entry.mask ? entry.mask : "");
			first = found(id, word);
			is_entry(word, &first, &event, &entry,
				 defaults(table, masks, 1u << entry.group), p4);
			for (k = 0; k < 2 * CASES && names % each == 0; k++) {
				if (entry.mask)
					word[strlen(entry.event)] = k < CASES ? '.' : ':';
				change_case(word, k % CASES);
				choice = found(id, word);
				ck_assert_msg(!memcmp(&choice, &first, sizeof(choice)),
					      "%s: %s is another", id, word);
			}
		}
	}
	printf("%u tables, %u names\n", n, names);
	ck_assert_uint_gt(n, 100);
	ck_assert_uint_gt(names, 20000);
}
END_TEST

static int compare_names(const void *a, const void *b)
{
	return strcasecmp(*(char *const *)a, *(char *const *)b);
}

/* A.B may be an event's name, or a mask's: not both. Whatever the case. */
START_TEST(names_are_unique)
{
	static char text[4096][160];
	static char *names[4096];
	unsigned int n, next, k, i;
	const char *id;

	for (n = 0; (id = perfctr_event_table_id(n)); n++) {
		struct perfctr_event_entry entry;

		for (next = k = 0;
		     (next = perfctr_event_walk(perfctr_event_table(id), next, &entry)); k++) {
			ck_assert_uint_lt(k, ARRAY_SIZE(text));
			names[k] = text[k];
			snprintf(text[k], sizeof(text[k]), "%s%s%s", entry.event,
				 entry.mask ? "." : "", entry.mask ? entry.mask : "");
			ck_assert_uint_lt(strlen(text[k]), sizeof(text[k]) - 1);
		}
		qsort(names, k, sizeof(names[0]), compare_names);
		for (i = 1; i < k; i++)
			ck_assert_msg(strcasecmp(names[i - 1], names[i]), "%s: two %s", id,
				      names[i]);
	}
}
END_TEST

/* ---- what the tables say is possible ---- */

/* A table for each processor, and a processor for each table. */
START_TEST(tables_and_processors)
{
	const struct perfctr_isa *isa;
	unsigned int n, k, all = 0;
	struct perfctr_cpu cpu;
	const char *id, *last = "";

	for (k = 0; (isa = perfctr_isa(k)); k++)
		for (n = 0; (id = perfctr_isa_id(isa, n)); n++, all++) {
			ck_assert_msg(perfctr_event_table(id) != NULL, "%s has no table", id);
			ck_assert_int_eq(perfctr_cpu_named(id, &cpu), 0);
			ck_assert_str_eq(cpu.id, id);
			ck_assert_ptr_eq(cpu.isa, isa);
		}
	for (n = 0; (id = perfctr_event_table_id(n)); n++) {
		ck_assert_msg(perfctr_cpu_named(id, &cpu) == 0, "nothing is a %s", id);
		ck_assert_int_lt(strcmp(last, id), 0);
		last = id;
	}
	ck_assert_uint_eq(n, all);
	ck_assert_ptr_null(perfctr_event_table_id(n + 1));
	ck_assert_ptr_null(perfctr_event_table_id(0xFFFFFFFF));
	ck_assert_ptr_null(perfctr_event_table(""));
	ck_assert_ptr_null(perfctr_event_table("skylak"));
	ck_assert_ptr_null(perfctr_event_table("skylakexx"));
	ck_assert_ptr_null(perfctr_event_table("zzz"));
	ck_assert_ptr_null(perfctr_event_table("\xFF"));
}
END_TEST

/* The bits of an event select that the event, and that a mask may have. */
static uint32_t event_field(const struct perfctr_cpu *cpu)
{
	switch (cpu->rules) {
	case PERFCTR_RULES_P4: return 0x7E000000;
	case PERFCTR_RULES_P5: return 0x3F;
	case PERFCTR_RULES_MII: return 0x43F;
	case PERFCTR_RULES_WINCHIP: return 0xFF;
	case PERFCTR_RULES_C3: return 0x1FF;
	case PERFCTR_RULES_PPC: return 0x7F;
	case PERFCTR_RULES_PMUV3: return 0xFFFF;
	case PERFCTR_RULES_K7: return 0xFFFF;
	case PERFCTR_RULES_SBI:
	case PERFCTR_RULES_POWER: return 0xFFFFFFFF;
	/* Event, unit mask, edge, AnyThread, inversion, counter mask. */
	default: return 0xFFA4FFFF;
	}
}

static uint32_t mask_field(const struct perfctr_cpu *cpu)
{
	switch (cpu->rules) {
	case PERFCTR_RULES_P4: return 0x01FFFFF0; /* event mask, tag */
	case PERFCTR_RULES_K7: return 0x0000FF00;
	case PERFCTR_RULES_P6:
	case PERFCTR_RULES_ARCH: return 0xFFA4FF00;
	default: return 0;
	}
}

START_TEST(masks_in_their_fields)
{
	static const uint8_t ppc_bits[] = { 7, 6, 5, 5, 5, 6 };
	unsigned int n, next, c;
	struct perfctr_cpu cpu;
	const char *id;

	for (n = 0; (id = perfctr_event_table_id(n)); n++) {
		struct perfctr_event_entry entry, event = { .event = "" };
		uint32_t high;

		ck_assert_int_eq(perfctr_cpu_named(id, &cpu), 0);
		high = cpu.rules == PERFCTR_RULES_K7	  ? 0xF
		       : cpu.rules == PERFCTR_RULES_ARCH  ? 0xFF10
		       : cpu.rules == PERFCTR_RULES_SBI	  ? 0x8000
		       : cpu.rules == PERFCTR_RULES_POWER ? 0xFFFF
							  : 0;
		for (next = 0;
		     (next = perfctr_event_walk(perfctr_event_table(id), next, &entry));) {
			uint32_t field = event_field(&cpu);

			if (!entry.mask)
				event = entry;
			/* A mask of another event code has that. */
			else if (!(entry.code & 0xFF) || cpu.rules == PERFCTR_RULES_P4)
				field = mask_field(&cpu);
			ck_assert_msg(!(entry.code & ~field) && !(entry.high & ~high),
				      "%s: %s.%s: %#x %#x", id, entry.event,
				      entry.mask ? entry.mask : "", entry.code, entry.high);
			ck_assert_msg(!entry.mask || !(event.code & mask_field(&cpu)),
				      "%s: %s has masks, and %#x itself", id, event.event,
				      event.code);
			if (cpu.rules == PERFCTR_RULES_P4 && !entry.mask)
				ck_assert_uint_ne(entry.code, 0);
			for (c = 0; cpu.rules == PERFCTR_RULES_PPC && c < 6; c++)
				ck_assert_msg(!(entry.counters >> c & 1) ||
						      !(entry.code >> ppc_bits[c]),
					      "%s: %s: %#x on PMC%u", id, entry.event, entry.code,
					      c + 1);
		}
	}
}
END_TEST

/*
 * Each name, and each way to count it, has a counter that the processor has. The architectural
 * table is for whatever comes, with more fixed counters than a typical one has today.
 */
START_TEST(counters_exist)
{
	unsigned int n, next, o, bad = 0;
	struct perfctr_cpu cpu;
	const char *id;

	for (n = 0; (id = perfctr_event_table_id(n)); n++) {
		struct perfctr_event_entry entry;

		ck_assert_int_eq(perfctr_cpu_named(id, &cpu), 0);
		for (next = 0;
		     (next = perfctr_event_walk(perfctr_event_table(id), next, &entry));) {
			struct perfctr_event_choice choice;
			char word[160];

			snprintf(word, sizeof(word), "%s%s%s", entry.event, entry.mask ? "." : "",
				 entry.mask ? entry.mask : "");
			if (look_up(id, word, &choice) != PERFCTR_EVENT_OK)
				continue;
			for (o = 0; o < choice.options; o++)
				if (strcmp(id, "architectural") &&
				    !(choice.option[o].counters & cpu.counters) &&
				    !(choice.option[o].fixed & cpu.fixed)) {
					printf("%s: %s, way %u: no such counter\n", id, word, o);
					bad++;
				}
		}
	}
	fflush(stdout);
	ck_assert_uint_eq(bad, 0);
}
END_TEST

/*
 * Masks of events that combine them: two of one value are one too many. Two reasons for more: P4's
 * replay metrics differ in tags, and share NBOGUS; AMD's ALL is all that there is, be it only one.
 */
START_TEST(masks_differ)
{
	static const struct {
		const char *id, *event;
	} same[] = {
		{ "p4", "replay_event" },
		{ "p4m3", "replay_event" },
		{ "fam10h", "DCACHE_MISSES_BY_LOCKED_INSTRUCTIONS" },
		{ "fam10h", "QUADWORDS_WRITTEN_TO_SYSTEM" },
		{ "fam11h", "DCACHE_MISSES_BY_LOCKED_INSTRUCTIONS" },
		{ "fam11h", "QUADWORDS_WRITTEN_TO_SYSTEM" },
		{ "fam11h", "MEMORY_CONTROLLER_RBD_QUEUE" },
		{ "fam12h", "DCACHE_MISSES_BY_LOCKED_INSTRUCTIONS" },
		{ "fam12h", "OCTWORDS_WRITTEN_TO_SYSTEM" },
		{ "fam15h", "CANCELLED_STORE_TO_LOAD" },
		{ "fam15h", "DATA_PREFETCHER" },
		{ "fam15h", "OCTWORD_WRITE_TRANSFERS" },
		{ "fam16h", "COMMAND_RELATED_DIRTY" },
		{ "k8_b", "DCACHE_MISSES_BY_LOCKED_INSTRUCTIONS" },
		{ "k8_b", "QUADWORDS_WRITTEN_TO_SYSTEM" },
		{ "k8_b", "L2_FILL_WRITEBACK" },
		{ "k8_c", "DCACHE_MISSES_BY_LOCKED_INSTRUCTIONS" },
		{ "k8_c", "QUADWORDS_WRITTEN_TO_SYSTEM" },
	};
	unsigned int n, next, i, k, masks = 0, bad = 0;
	const char *id;

	for (n = 0; (id = perfctr_event_table_id(n)); n++) {
		struct perfctr_event_entry entry, mask[64];

		for (next = 0;
		     (next = perfctr_event_walk(perfctr_event_table(id), next, &entry));) {
			int p4 = !strncmp(id, "p4", 2);

			if (!entry.mask) {
				masks = 0;
				continue;
			}
			if (!entry.combines)
				continue;
			/* Thresholds do not combine. */
			if (!p4 && entry.code & ~0xFF00u) {
				printf("%s: %s.%s: %#x can't be combined\n", id, entry.event,
				       entry.mask, entry.code);
				bad++;
			}
			ck_assert_uint_lt(masks, ARRAY_SIZE(mask));
			mask[masks++] = entry;
			for (k = 0; k < ARRAY_SIZE(same); k++)
				if (!strcmp(id, same[k].id) && !strcmp(entry.event, same[k].event))
					break;
			for (i = 0; i < masks - 1; i++) {
				if (mask[i].code != entry.code || mask[i].high != entry.high ||
				    mask[i].group != entry.group)
					continue;
				if (k < ARRAY_SIZE(same) && (p4 || !strcmp(mask[i].mask, "ALL") ||
							     !strcmp(entry.mask, "ALL")))
					continue;
				printf("%s: %s: %s and %s are the same\n", id, entry.event,
				       mask[i].mask, entry.mask);
				bad++;
			}
		}
	}
	fflush(stdout);
	ck_assert_uint_eq(bad, 0);
}
END_TEST

/*
 * Two masks, where they combine, give all bits, and the default of other groups, on the counters
 * that both have.
 */
START_TEST(combinations)
{
	unsigned int n, next, o, masks = 0, bad = 0;
	const char *id;

	for (n = 0; (id = perfctr_event_table_id(n)); n++) {
		struct perfctr_event_entry entry, last = { .event = "" };

		for (next = 0; (next = perfctr_event_walk(perfctr_event_table(id), next, &entry));
		     last = entry) {
			struct perfctr_event_choice choice, a, b;
			enum perfctr_event_error error;
			char word[240], one[160], other[160];
			uint32_t code;

			if (!entry.mask)
				masks = next;
			if (!entry.mask || !last.mask || strcmp(entry.event, last.event))
				continue;
			snprintf(word, sizeof(word), "%s:%s:%s", entry.event, last.mask,
				 entry.mask);
			snprintf(one, sizeof(one), "%s:%s", entry.event, last.mask);
			snprintf(other, sizeof(other), "%s:%s", entry.event, entry.mask);
			error = look_up(id, word, &choice);
			ck_assert_msg(error == (entry.combines || entry.group != last.group
							? PERFCTR_EVENT_OK
							: PERFCTR_EVENT_ONE_MASK),
				      "%s: %s", id, word);
			if (error)
				continue;
			a = found(id, one);
			b = found(id, other);
			code = (a.option[0].code & b.option[0].code) | last.code | entry.code |
			       defaults(perfctr_event_table(id), masks,
					1u << last.group | 1u << entry.group);
			for (o = 0; o < choice.options; o++)
				if (choice.option[o].code != code ||
				    choice.option[o].counters & ~a.option[o].counters ||
				    choice.option[o].counters & ~b.option[o].counters) {
					printf("%s: %s: %#x on %#x\n", id, word,
					       choice.option[o].code, choice.option[o].counters);
					bad++;
				}
		}
	}
	fflush(stdout);
	ck_assert_uint_eq(bad, 0);
}
END_TEST

/* An event with masks has a default, which is taken, or demands one. */
START_TEST(defaults_are_taken)
{
	unsigned int n, next, bad = 0;
	const char *id;

	for (n = 0; (id = perfctr_event_table_id(n)); n++) {
		const struct perfctr_event_table *table = perfctr_event_table(id);
		struct perfctr_event_entry event, mask;

		for (next = 0; (next = perfctr_event_walk(table, next, &event));) {
			struct perfctr_event_choice choice;
			unsigned int m = next, all = 0, masks = 0, number;
			uint32_t groups = 0; /* with a default */
			uint32_t code = event.code;
			const char *part;
			size_t length;

			if (event.mask)
				continue;
			while ((m = perfctr_event_walk(table, m, &mask)) && mask.mask) {
				masks++;
				if (!mask.is_default)
					continue;
				if (groups >> mask.group & 1 && !mask.combines) {
					printf("%s: %s has several defaults\n", id, event.event);
					bad++;
				}
				groups |= 1u << mask.group;
				all++;
				code |= mask.code;
			}
			ck_assert_uint_eq(event.masks, masks != 0);
			if (!all && masks && !event.needs_mask) {
				/* What no mask of the table is. */
				ck_assert_int_eq(look(id, event.event, strlen(event.event), &choice,
						      &part, &length, &number),
						 PERFCTR_EVENT_OK);
				continue;
			}
			ck_assert_uint_eq(event.needs_mask, masks && !all);
			if (look(id, event.event, strlen(event.event), &choice, &part, &length,
				 &number) == PERFCTR_EVENT_NEEDS_MASK) {
				ck_assert_uint_eq(event.needs_mask, 1);
				ck_assert_ptr_eq(part, event.event);
				ck_assert_uint_eq(length, strlen(event.event));
				ck_assert_uint_eq(number + 1, next);
				continue;
			}
			ck_assert_uint_eq(event.needs_mask, 0);
			ck_assert_msg(choice.option[0].code == code ||
					      choice.option[0].code == mask.code,
				      "%s: %s: %#x and not %#x", id, event.event,
				      choice.option[0].code, code);
		}
	}
	fflush(stdout);
	ck_assert_uint_eq(bad, 0);
}
END_TEST

/*
 * Masks in groups: the SDM's tables 18-2 to 18-5 of Core 2 and Core Duo (core, agent, prefetch,
 * state of the line), its table of the events modified on Pentium M, and IOQ_allocation's fields
 * among NetBurst's events; 31116 3.14, 4E0H to 4EDH and the links' sublinks; 57238, 003H and 00AH
 * to 00FH.
 */
START_TEST(groups)
{
	static const struct {
		const char *id, *word;
		enum perfctr_event_error error;
		uint32_t code, high;
	} all[] = {
		{ "core2", "L2_LD", 0, 0x7F29, 0 },
		{ "core2", "L2_LD:I_STATE", 0, 0x7129, 0 },
		{ "core2", "L2_LD:SELF", 0, 0x7F29, 0 },
		{ "core2", "L2_LD:BOTH_CORES", 0, 0xFF29, 0 },
		{ "core2", "L2_LD:EXCL_PREFETCH", 0, 0x4F29, 0 },
		{ "core2", "L2_LD:M_STATE:I_STATE:PREFETCH", 0, 0x5929, 0 },
		{ "core2", "L2_LD:BOTH_CORES:E_STATE:EXCL_PREFETCH:S_STATE", 0, 0xC629, 0 },
		{ "core2", "L2_LD:SELF:BOTH_CORES", PERFCTR_EVENT_ONE_MASK, 0, 0 },
		{ "core2", "L2_LD:ANY:MESI:PREFETCH", PERFCTR_EVENT_ONE_MASK, 0, 0 },
		{ "core2", "L2_LD:SELF:SELF", PERFCTR_EVENT_ONE_MASK, 0, 0 },
		{ "core2", "BUS_TRANS_ANY:ALL_AGENTS", 0, 0x6070, 0 },
		{ "core2", "BUS_TRANS_ANY:ALL_AGENTS:BOTH_CORES", 0, 0xE070, 0 },
		{ "core2", "EXT_SNOOP:ALL_AGENTS", 0, 0x2B77, 0 },
		{ "core2", "EXT_SNOOP:CLEAN:HITM:ALL_AGENTS", 0, 0x2977, 0 },
		{ "core2", "CMP_SNOOP:SHARE", 0, 0x4178, 0 },
		{ "core", "L2_RQSTS:PREFETCH", 0, 0x5F2E, 0 },
		{ "core", "BUS_TRANS_IO:BOTH_CORES", 0, 0xF06C, 0 },
		{ "pentium_m", "L2_LD", 0, 0x0F29, 0 },
		{ "pentium_m", "L2_LD:NON_HW_PREFETCH", 0, 0x2F29, 0 },
		{ "pentium_m", "L2_LD:ONLY_HW_PREFETCH:M:E", 0, 0x1C29, 0 },
		{ "pentium_m", "L2_LINES_IN:I", 0, 0x0124, 0 },
		{ "pentium_m", "L2_LINES_IN:ONLY_HW_PREFETCH:NON_HW_PREFETCH",
		  PERFCTR_EVENT_ONE_MASK, 0, 0 },
		{ "p4", "IOQ_allocation", 0, 0x07DFC200, 0 },
		{ "p4", "IOQ_allocation:OWN", 0, 0x075FC200, 0 },
		{ "p4", "IOQ_allocation:MEM_UC:MEM_WC", 0, 0x06C30000, 0 },
		{ "p4m3", "IOQ_active_entries:OTHER:ALL_READ", 0, 0x34804000, 0 },
		{ "fam10h", "READ_REQUEST_TO_L3_CACHE:READ_BLOCK_EXCLUSIVE", 0, 0xF1E0, 4 },
		{ "fam10h", "READ_REQUEST_TO_L3_CACHE:ALL_CORES", 0, 0xF7E0, 4 },
		{ "fam10h", "HYPERTRANSPORT_LINK0", 0, 0x3FF6, 0 },
		{ "fam10h", "HYPERTRANSPORT_LINK0:SUBLINK_MASK", 0, 0xBFF6, 0 },
		{ "fam10h", "HYPERTRANSPORT_LINK3:SUBLINK_MASK:DATA_DWORD_SENT", 0, 0x82F9, 1 },
		{ "zen4", "RETIRED_FP_OPS_BY_TYPE:SCALAR_ALL:VECTOR_ALL", 0, 0xFF0A, 0 },
		{ "zen4", "RETIRED_FP_OPS_BY_TYPE:SCALAR_MUL", 0, 0x030A, 0 },
		{ "zen4", "RETIRED_FP_OPS_BY_TYPE:VECTOR_MUL", 0, 0x300A, 0 },
		{ "zen4", "RETIRED_FP_OPS_BY_TYPE:VECTOR_MUL:VECTOR_ADD", PERFCTR_EVENT_ONE_MASK, 0,
		  0 },
		{ "zen4", "RETIRED_FP_OPS_BY_TYPE", PERFCTR_EVENT_NEEDS_MASK, 0, 0 },
		{ "zen5", "RETIRED_SSE_AVX_FLOPS", 0, 0x0F03, 0 },
		{ "zen5", "RETIRED_SSE_AVX_FLOPS:FLOP_TYPE_PACKED_SINGLE", 0, 0x6F03, 0 },
		{ "zen5", "RETIRED_SSE_AVX_FLOPS:MAC_FLOPS:FLOP_TYPE_PACKED_DOUBLE:DIV_FLOPS", 0,
		  0xAC03, 0 },
		{ "zen5", "RETIRED_SSE_AVX_FLOPS:FLOP_TYPE_SCALAR_SINGLE:FLOP_TYPE_PACKED_SINGLE",
		  PERFCTR_EVENT_ONE_MASK, 0, 0 },
		{ "zen6", "PACKED_512_BIT_OPS_RETIRED:INT512_ADD:FP512_SUB", 0, 0x120F, 0 },
	};
	struct perfctr_event_choice choice;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		enum perfctr_event_error error = look_up(all[i].id, all[i].word, &choice);

		ck_assert_msg(error == all[i].error, "%s: %s: %d", all[i].id, all[i].word,
			      (int)error);
		if (error)
			continue;
		ck_assert_msg(choice.option[0].code == all[i].code &&
				      choice.option[0].high == all[i].high,
			      "%s: %s: %#x %#x", all[i].id, all[i].word, choice.option[0].code,
			      choice.option[0].high);
	}
}
END_TEST

/*
 * Family 15h's FPU events with few counters, as Linux has them (42301 3.14): one mask of 000H and
 * of 004H counts on 3 to 5, several on 3.
 */
START_TEST(counters_of_combinations)
{
	static const struct {
		const char *word;
		uint32_t counters;
	} all[] = {
		{ "DISPATCHED_FPU_OPS", 0x08 },
		{ "DISPATCHED_FPU_OPS:ALL", 0x08 },
		{ "DISPATCHED_FPU_OPS:OPS_PIPE0", 0x38 },
		{ "DISPATCHED_FPU_OPS:OPS_DUAL_PIPE3", 0x38 },
		{ "DISPATCHED_FPU_OPS:OPS_PIPE0:OPS_DUAL_PIPE0", 0x08 },
		{ "MOVE_SCALAR_OPTIMIZATION", 0x08 },
		{ "MOVE_SCALAR_OPTIMIZATION:OPT_CAND", 0x38 },
		{ "MOVE_SCALAR_OPTIMIZATION:OPT_CAND:SSE_MOVE_OPS", 0x08 },
		{ "MOVE_SCALAR_OPTIMIZATION:OPT_CAND:SSE_MOVE_OPS:SSE_MOVE_OPS_ELIM", 0x08 },
		{ "RETIRED_SSE_OPS:SINGLE_DIV_OPS", 0x08 },
		{ "RETIRED_SERIALIZING_OPS:SSE_RETIRED:X87_RETIRED", 0x38 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		ck_assert_msg(found("fam15h", all[i].word).option[0].counters == all[i].counters,
			      "%s", all[i].word);
}
END_TEST

/* The small cores' second register has no bit for outstanding requests: no second way. */
START_TEST(outstanding)
{
	static const struct {
		const char *id, *event, *other;
		unsigned int names;
	} all[] = {
		{ "silvermont", "OFFCORE_RESPONSE", "ANY_DATA_RD.ANY_RESPONSE", 19 },
		{ "goldmont", "OFFCORE_RESPONSE", "DEMAND_RFO.ANY_RESPONSE", 20 },
		{ "goldmontplus", "OFFCORE_RESPONSE", "DEMAND_RFO.ANY_RESPONSE", 20 },
		{ "knightslanding", "OFFCORE_RESPONSE", "DEMAND_RFO.ANY_RESPONSE", 15 },
		{ "snowridgex", "OCR", "DEMAND_RFO.ANY_RESPONSE", 8 },
		{ "elkhartlake", "OCR", "DEMAND_RFO.ANY_RESPONSE", 8 },
	};
	unsigned int i, n, names;
	char word[160];

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		const struct perfctr_event_table *table = perfctr_event_table(all[i].id);
		struct perfctr_event_entry entry;
		struct perfctr_event_choice choice;

		for (n = names = 0; (n = perfctr_event_walk(table, n, &entry));) {
			if (!entry.mask || !strstr(entry.mask, ".OUTSTANDING"))
				continue;
			snprintf(word, sizeof(word), "%s:%s", entry.event, entry.mask);
			choice = found(all[i].id, word);
			ck_assert_uint_eq(choice.options, 1);
			ck_assert_uint_eq(choice.option[0].code, 0x01B7);
			ck_assert_uint_eq(choice.option[0].reg, 0x1A6);
			names++;
		}
		ck_assert_msg(names == all[i].names, "%s: %u", all[i].id, names);
		snprintf(word, sizeof(word), "%s:%s", all[i].event, all[i].other);
		choice = found(all[i].id, word);
		ck_assert_uint_eq(choice.options, 2);
		ck_assert_uint_eq(choice.option[1].code, 0x02B7);
		ck_assert_uint_eq(choice.option[1].reg, 0x1A7);
	}
}
END_TEST

/* ---- words that are wrong ---- */

START_TEST(errors)
{
	static const struct {
		const char *word;
		enum perfctr_event_error error;
		size_t at, length; /* of the part */
		const char *event; /* NULL: none is said */
	} all[] = {
#define E(word, error, at, length, event) { word, PERFCTR_EVENT_##error, at, length, event }
		E("", UNKNOWN, 0, 0, NULL),
		E(":", UNKNOWN, 0, 0, NULL),
		E(".", UNKNOWN, 0, 0, NULL),
		E(":u", UNKNOWN, 0, 0, NULL),
		E(".ANY", UNKNOWN, 0, 0, NULL),
		E(":ANY", UNKNOWN, 0, 0, NULL),
		E("NOSUCH", UNKNOWN, 0, 6, NULL),
		E("NOSUCH:u", UNKNOWN, 0, 6, NULL),
		E("NOSUCH.ANY:u", UNKNOWN, 0, 6, NULL),
		E("INST_RETIRE", UNKNOWN, 0, 11, NULL),
		E("INST_RETIREDX", UNKNOWN, 0, 13, NULL),
		E(" INST_RETIRED.ANY", UNKNOWN, 0, 13, NULL),
		E("INST_RETIRED .ANY", UNKNOWN, 0, 13, NULL),
		E("\xC9NST_RETIRED.ANY", UNKNOWN, 0, 12, NULL),
		E("\xFF\xFF\xFF", UNKNOWN, 0, 3, NULL),
		E("INST_RETIRED.", NO_MASK, 13, 0, "INST_RETIRED"),
		E("INST_RETIRED.NOSUCH", NO_MASK, 13, 6, "INST_RETIRED"),
		E("INST_RETIRED.NOSUCH:u", NO_MASK, 13, 6, "INST_RETIRED"),
		E("INST_RETIRED.ANY.ANY_P", NO_MASK, 13, 9, "INST_RETIRED"),
		E("INST_RETIRED:", NO_MASK, 13, 0, "INST_RETIRED"),
		E("INST_RETIRED:NOSUCH", NO_MASK, 13, 6, "INST_RETIRED"),
		E("inst_retired:nosuch:ANY", NO_MASK, 13, 6, "INST_RETIRED"),
		E("INST_RETIRED.ANY:", NO_MASK, 17, 0, "INST_RETIRED"),
		E("INST_RETIRED.ANY::u", NO_MASK, 17, 0, "INST_RETIRED"),
		E("INST_RETIRED.ANY:u:", NO_MASK, 19, 0, "INST_RETIRED"),
		E("INST_RETIRED.ANY:ux", NO_MASK, 17, 2, "INST_RETIRED"),
		E("INST_RETIRED.ANY:u.k", NO_MASK, 17, 3, "INST_RETIRED"),
		E("INST_RETIRED.ANY:c", NO_MASK, 17, 1, "INST_RETIRED"),
		E("INST_RETIRED.ANY:d=1", NO_MASK, 17, 3, "INST_RETIRED"),
		E("INST_RETIRED.ANY:\xFF", NO_MASK, 17, 1, "INST_RETIRED"),
		E("ICACHE_64B", NEEDS_MASK, 0, 10, "ICACHE_64B"),
		E("icache_64b:u", NEEDS_MASK, 0, 10, "ICACHE_64B"),
		E("ICACHE_64B:u:c=100", NEEDS_MASK, 0, 10, "ICACHE_64B"),
		E("INST_RETIRED.ANY_P:NOP", ONE_MASK, 19, 3, "INST_RETIRED"),
		E("INST_RETIRED:ANY_P:u:NOP:k", ONE_MASK, 21, 3, "INST_RETIRED"),
		E("INST_RETIRED.ANY:u:u", MODIFIER, 19, 1, NULL),
		E("INST_RETIRED.ANY:uu", MODIFIER, 17, 2, NULL),
		E("INST_RETIRED.ANY:uku", MODIFIER, 17, 3, NULL),
		E("INST_RETIRED.ANY:uk:k", MODIFIER, 20, 1, NULL),
		E("INST_RETIRED.ANY:e:ie", MODIFIER, 19, 2, NULL),
		E("INST_RETIRED.ANY:ii", MODIFIER, 17, 2, NULL),
		E("INST_RETIRED.ANY:c=256", MODIFIER, 17, 5, NULL),
		E("INST_RETIRED.ANY:c=4294967297", MODIFIER, 17, 12, NULL),
		E("INST_RETIRED.ANY:c=99999999999999999999", MODIFIER, 17, 22, NULL),
		E("INST_RETIRED.ANY:c=", MODIFIER, 17, 2, NULL),
		E("INST_RETIRED.ANY:c=x", MODIFIER, 17, 3, NULL),
		E("INST_RETIRED.ANY:c=1x", MODIFIER, 17, 4, NULL),
		E("INST_RETIRED.ANY:c=-1", MODIFIER, 17, 4, NULL),
		E("INST_RETIRED.ANY:c= 1", MODIFIER, 17, 4, NULL),
		E("INST_RETIRED.ANY:c=0x1", MODIFIER, 17, 5, NULL),
		E("INST_RETIRED.ANY:c=1:c=1", MODIFIER, 21, 3, NULL),
		E("INST_RETIRED.ANY:c=0:c=1", MODIFIER, 21, 3, NULL),
		E("INST_RETIRED.ANY:c=1:u:c=0", MODIFIER, 23, 3, NULL),
#undef E
	};
	unsigned int i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_event_choice choice;
		struct perfctr_event_entry entry;
		const char *part;
		size_t length;
		unsigned int event;
		enum perfctr_event_error error = look("skylake", all[i].word, strlen(all[i].word),
						      &choice, &part, &length, &event);

		if (error != all[i].error || part != all[i].word + all[i].at ||
		    length != all[i].length) {
			printf("\"%s\": error %d and not %d, part %td+%zu and not %zu+%zu\n",
			       all[i].word, (int)error, (int)all[i].error,
			       part ? part - all[i].word : -1, length, all[i].at, all[i].length);
			bad++;
			continue;
		}
		if (!all[i].event)
			continue;
		ck_assert_uint_ne(perfctr_event_walk(perfctr_event_table("skylake"), event, &entry),
				  0);
		ck_assert_str_eq(entry.event, all[i].event);
		ck_assert_ptr_null(entry.mask);
	}
	fflush(stdout);
	ck_assert_uint_eq(bad, 0);
}
END_TEST

/* The empty word is in no table, wherever its hash leads to. */
START_TEST(empty_words)
{
	static const char *const words[] = { "", ":", ":u", ".", ".ANY", "..", "::" };
	struct perfctr_event_choice choice;
	unsigned int n, i;
	const char *id;

	for (n = 0; (id = perfctr_event_table_id(n)); n++)
		for (i = 0; i < ARRAY_SIZE(words); i++)
			ck_assert_msg(look_up(id, words[i], &choice) == PERFCTR_EVENT_UNKNOWN,
				      "%s: \"%s\"", id, words[i]);
}
END_TEST

/* Bytes that no name has, and words of all lengths, in memory that ends with them. */
START_TEST(strange_words)
{
	static const char name[] = "INST_RETIRED.ANY", nul[] = "INST_RETIRED\0.ANY",
			  nul_behind[] = "INST_RETIRED.ANY\0", nul_mask[] = "INST_RETIRED:ANY\0";
	struct perfctr_event_choice choice;
	const char *part;
	size_t length, n;
	unsigned int event;
	char *word;

	ck_assert_int_eq(look("skylake", nul, sizeof(nul) - 1, &choice, &part, &length, &event),
			 PERFCTR_EVENT_UNKNOWN);
	/* The event ends at the dot. */
	ck_assert_uint_eq(length, 13);
	ck_assert_int_eq(look("skylake", nul_behind, sizeof(nul_behind) - 1, &choice, &part,
			      &length, &event),
			 PERFCTR_EVENT_NO_MASK);
	ck_assert_uint_eq(length, 4);
	ck_assert_int_eq(look("skylake", nul_mask, sizeof(nul_mask) - 1, &choice, &part, &length,
			      &event),
			 PERFCTR_EVENT_NO_MASK);
	ck_assert_uint_eq(length, 4);
	/* The length counts, not what is after. */
	ck_assert_int_eq(look("skylake", "INST_RETIRED.ANYTHING", 16, &choice, &part, &length,
			      &event),
			 PERFCTR_EVENT_OK);
	for (n = 0; n <= strlen(name); n++) {
		word = malloc(n ? n : 1);
		ck_assert_ptr_nonnull(word);
		memcpy(word, name, n);
		ck_assert_int_eq(look("skylake", word, n, &choice, &part, &length, &event),
				 n == 16 || n == 12 ? PERFCTR_EVENT_OK
				 : n > 12	    ? PERFCTR_EVENT_NO_MASK
						    : PERFCTR_EVENT_UNKNOWN);
		free(word);
	}
	n = 1 << 24;
	word = malloc(n);
	ck_assert_ptr_nonnull(word);
	memset(word, 'A', n);
	ck_assert_int_eq(look("skylake", word, n, &choice, &part, &length, &event),
			 PERFCTR_EVENT_UNKNOWN);
	ck_assert_uint_eq(length, n);
	memcpy(word, "INST_RETIRED:", 13);
	ck_assert_int_eq(look("skylake", word, n, &choice, &part, &length, &event),
			 PERFCTR_EVENT_NO_MASK);
	ck_assert_uint_eq(length, n - 13);
	memset(word, ':', n);
	ck_assert_int_eq(look("skylake", word, n, &choice, &part, &length, &event),
			 PERFCTR_EVENT_UNKNOWN);
	memset(word, '0', n);
	memcpy(word, "INST_RETIRED:ANY:c=", 19);
	ck_assert_int_eq(look("skylake", word, n, &choice, &part, &length, &event),
			 PERFCTR_EVENT_OK);
	word[n - 1] = '9';
	ck_assert_int_eq(look("skylake", word, n, &choice, &part, &length, &event),
			 PERFCTR_EVENT_OK);
	ck_assert_uint_eq(choice.cmask, 9);
	free(word);
}
END_TEST

/* ---- modifiers ---- */

/* Any of them, in any order, one by one or together; capitals are other modifiers elsewhere. */
START_TEST(modifiers)
{
	static const char *const texts[5] = { "u", "k", "e", "i", "c=7" };
	unsigned int number, digits[5], set, i, bad = 0;

	for (number = 0; number < 5 * 5 * 5 * 5 * 5 * 2; number++) {
		struct perfctr_event_choice choice;
		char word[64] = "CPU_CLK_UNHALTED.THREAD_P";
		int joins = number & 1, letters = 0;

		for (i = 0, set = number / 2; i < 5; i++, set /= 5)
			digits[i] = set % 5;
		for (i = 0, set = 0; i < 5 && !(set >> digits[i] & 1); i++) {
			set |= 1u << digits[i];
			/* c=7 stands alone. */
			strcat(word, joins && letters && digits[i] < 4 ? "" : ":");
			strcat(word, texts[digits[i]]);
			letters = digits[i] < 4;
		}
		if (look_up("skylake", word, &choice) != PERFCTR_EVENT_OK) {
			if (bad++ < 10)
				printf("%s is refused\n", word);
			continue;
		}
		ck_assert_msg(choice.user == (set & 1) && choice.kernel == (set >> 1 & 1) &&
				      choice.edge == (set >> 2 & 1) &&
				      choice.invert == (set >> 3 & 1) &&
				      choice.cmask == (set >> 4 & 1 ? 7 : 0),
			      "%s", word);
		ck_assert_uint_eq(choice.option[0].code, 0x3C);
	}
	ck_assert_uint_eq(found("skylake", "INST_RETIRED.ANY_P:c=255").cmask, 255);
	ck_assert_uint_eq(found("skylake", "INST_RETIRED.ANY_P:c=0").cmask, 0);
	ck_assert_uint_eq(found("skylake", "INST_RETIRED.ANY_P:c=007").cmask, 7);
	fflush(stdout);
	ck_assert_uint_eq(bad, 0);
}
END_TEST

/* A letter is a mask of the event where that can stand, in any case, as in libpfm4. */
START_TEST(small_letters)
{
	struct perfctr_event_choice choice;

	choice = found("ppro", "L2_LD:E");
	ck_assert_uint_eq(choice.option[0].code, 0x0429);
	ck_assert_uint_eq(choice.edge, 0);
	ck_assert_uint_eq(found("ppro", "L2_LD.e").option[0].code, 0x0429);
	choice = found("ppro", "L2_LD:e");
	ck_assert_uint_eq(choice.option[0].code, 0x0429);
	ck_assert_uint_eq(choice.edge, 0);
	choice = found("ppro", "L2_LD:i:m:s");
	ck_assert_uint_eq(choice.option[0].code, 0x0B29);
	ck_assert_uint_eq(choice.invert, 0);
	choice = found("ppro", "L2_LD.M:ui");
	ck_assert_uint_eq(choice.option[0].code, 0x0829);
	ck_assert_uint_eq(choice.user, 1);
	ck_assert_uint_eq(choice.invert, 1);
	choice = found("ppro", "L2_LD:e=1");
	ck_assert_uint_eq(choice.option[0].code, 0x0F29); /* the default: M, E, S and I */
	ck_assert_uint_eq(choice.edge, 1);
	/* Of masks that exclude each other there is one, and after it the letter is a modifier. */
	choice = found("sandybridge", "l2_lines_in:e");
	ck_assert_uint_eq(choice.option[0].code, 0x04F1);
	ck_assert_uint_eq(choice.edge, 0);
	choice = found("sandybridge", "L2_LINES_IN:u:e:e");
	ck_assert_uint_eq(choice.option[0].code, 0x04F1);
	ck_assert_uint_eq(choice.edge, 1);
	choice = found("sandybridge", "L2_LINES_IN:ALL:e");
	ck_assert_uint_eq(choice.option[0].code, 0x07F1);
	ck_assert_uint_eq(choice.edge, 1);
	choice = found("broadwellde", "l2_lines_in:i");
	ck_assert_uint_eq(choice.option[0].code, 0x01F1);
	ck_assert_uint_eq(choice.invert, 0);
	ck_assert_uint_eq(found("skymont", "L2_LINES_IN:i").option[0].code, 0x0125);
}
END_TEST

/* ---- what the manuals say ---- */

START_TEST(facts)
{
	static const struct {
		const char *id, *word;
		uint32_t code, high;
		uint32_t counters, fixed; /* both 0: any */
		uint32_t select, reg;
		uint64_t value;
	} all[] = {
#define F(id, word, code, counters)                     \
	{                                               \
		id, word, code, 0, counters, 0, 0, 0, 0 \
	}
#define FIXED(id, word, n)                                     \
	{                                                      \
		id, word, (n + 1) << 8, 0, 0, 1u << n, 0, 0, 0 \
	}
#define REG(id, word, code, reg, value)                \
	{                                              \
		id, word, code, 0, 0, 0, 0, reg, value \
	}
#define P4(id, word, event, mask, reg, select, counters)                                    \
	{                                                                                   \
		id, word, (uint32_t)event << 25 | mask << 9, 0, counters, 0, select, reg, 0 \
	}
		/* Pentium, and its clones */
		F("p5", "DATA_READ", 0x00, 0x3),
		F("p5", "INSTRUCTIONS_EXECUTED", 0x16, 0x3),
		F("p5", "HARDWARE_INTERRUPTS", 0x27, 0x3),
		F("p5", "DATA_READ_OR_WRITE", 0x28, 0x3),
		F("p5mmx", "MMX_INSTRUCTIONS_EXECUTED_U_PIPE", 0x2B, 0x1),
		F("p5mmx", "MMX_INSTRUCTIONS_EXECUTED_V_PIPE", 0x2B, 0x2),
		F("p5mmx", "EMMS_INSTRUCTIONS_EXECUTED", 0x2D, 0x1),
		F("p5mmx", "TRANSITIONS_BETWEEN_MMX_AND_FP_INSTRUCTIONS", 0x2D, 0x2),
		F("p5mmx", "BUS_OWNERSHIP_LATENCY", 0x2A, 0x1),
		F("mii", "DATA_READ", 0x000, 0x3),
		F("mii", "L2_TLB_MISSES", 0x400, 0x3), /* 40H: bit 6 is bit 10 */
		F("winchip_c6", "INTERNAL_CLOCKS", 0, 0x3),
		F("winchip_c6", "X86_INSTRUCTIONS", 2, 0x3),
		F("winchip_c6", "DATA_READ_CACHE_MISSES", 71, 0x3),
		F("winchip_2", "INSTRUCTIONS_EXECUTED", 22, 0x3),
		F("c3", "INTERNAL_CLOCKS", 0x079, 0x2),
		F("c3", "INSTRUCTIONS_EXECUTED", 0x0C0, 0x2),
		F("c3", "INSTRUCTIONS_EXECUTED_AND_STRING_ITERATIONS", 0x1C0, 0x2),
		/* P6 family */
		F("ppro", "CPU_CLK_UNHALTED", 0x79, 0x3),
		F("ppro", "INST_RETIRED", 0xC0, 0x3),
		F("ppro", "DCU_LINES_IN", 0x45, 0x3),
		F("ppro", "DATA_MEM_REFS", 0x43, 0x3),
		F("ppro", "FLOPS", 0xC1, 0x1),
		F("ppro", "MUL", 0x12, 0x2),
		F("ppro", "DIV", 0x13, 0x2),
		F("ppro", "CYCLES_DIV_BUSY", 0x14, 0x1),
		F("ppro", "L2_LD", 0x0F29, 0x3), /* MESI */
		F("ppro", "L2_LD.M", 0x0829, 0x3),
		F("pii", "MMX_INSTR_EXEC", 0xB0, 0x3),
		F("pii", "MMX_SAT_INSTR_EXEC", 0xB1, 0x3),
		F("pii", "MMX_INSTR_TYPE_EXEC.PACK", 0x04B3, 0x3),
		F("piii", "EMON_KNI_INST_RETIRED.SCALAR", 0x01D8, 0x3),
		F("piii", "EMON_KNI_PREF_DISPATCHED.T2", 0x0207, 0x3),
		F("pentium_m", "EMON_EST_TRANS.FREQ", 0x0258, 0x3),
		F("pentium_m", "BR_INST_EXEC", 0x88, 0x3),
		/* Pentium 4: event, mask, ESCR, ESCR SELECT, counters */
		P4("p4", "instr_retired.NBOGUSNTAG", 0x02, 1, 0x3B8, 4, 0x13000),
		P4("p4", "instr_retired.BOGUSTAG", 0x02, 8, 0x3B9, 4, 0x2C000),
		P4("p4", "instr_retired", 0x02, 3, 0x3B8, 4, 0x13000),
		P4("p4", "global_power_events.RUNNING", 0x13, 1, 0x3A2, 6, 0x3),
		P4("p4", "branch_retired.MMTM", 0x06, 8, 0x3CC, 5, 0x13000),
		P4("p4", "machine_clear.SMCLEAR", 0x02, 0x40, 0x3CD, 5, 0x2C000),
		P4("p4", "uop_queue_writes.FROM_ROM", 0x09, 4, 0x3C0, 0, 0x30),
		P4("p4", "TC_deliver_mode.BB", 0x01, 0x10, 0x3C5, 1, 0xC0),
		P4("p4", "ITLB_reference.HIT_UC", 0x18, 4, 0x3B6, 3, 0x3),
		P4("p4", "BPU_fetch_request", 0x03, 1, 0x3B3, 0, 0xC),
		P4("p4", "BSQ_cache_reference.RD_2ndL_MISS", 0x0C, 0x100, 0x3A0, 7, 0x3),
		P4("p4", "BSQ_allocation.REQ_TYPE1", 0x05, 2, 0x3A0, 7, 0x3),
		P4("p4", "page_walk_type.ITMISS", 0x01, 2, 0x3AC, 4, 0x3),
		P4("p4", "MOB_load_replay.UNALGN_ADDR", 0x03, 0x20, 0x3AA, 2, 0x3),
		P4("p4", "memory_cancel.64K_CONF", 0x02, 8, 0x3A8, 5, 0x300),
		P4("p4", "SSE_input_assist", 0x34, 0x8000, 0x3A4, 1, 0x300),
		P4("p4", "resource_stall.SBFULL", 0x01, 0x20, 0x3CA, 1, 0x13000),
		P4("p4", "retired_branch_type.RETURN", 0x04, 8, 0x3C2, 2, 0x30),
		P4("p4m3", "instr_completed.NBOGUS", 0x07, 1, 0x3B8, 4, 0x13000),
		/* Core to Nehalem */
		F("core", "UNHALTED_CORE_CYCLES", 0x003C, 0x3),
		F("core", "LLC_MISSES", 0x412E, 0x3),
		F("core", "MUL", 0x12, 0x2),
		F("core", "FP_COMP_INSTR_RET", 0xC1, 0x1),
		F("core2", "INST_RETIRED", 0xC0, 0x3),
		F("core2", "MEM_LOAD_RETIRED.L2_MISS", 0x04CB, 0x1),
		F("core2", "L1D_REPL", 0x0F45, 0x3),
		F("core2", "CPU_CLK_UNHALTED.BUS", 0x013C, 0x3),
		F("nehalem_ep", "MEM_LOAD_RETIRED.LLC_MISS", 0x10CB, 0xF),
		F("nehalem_ep", "L1D.REPL", 0x0151, 0x3),
		F("nehalem_ep", "LONGEST_LAT_CACHE.MISS", 0x412E, 0xF),
		F("nehalem_ep", "INST_RETIRED.TOTAL_CYCLES", 0x108001C0, 0xF),
		F("nehalem_ep", "UOPS_EXECUTED.PORT2_CORE", 0x002004B1, 0xF),
		FIXED("nehalem_ep", "INST_RETIRED.ANY", 0),
		/* Sandy Bridge on */
		F("sandybridge", "L1D.REPLACEMENT", 0x0151, 0),
		F("sandybridge", "CYCLE_ACTIVITY.CYCLES_L1D_PENDING", 0x020002A3, 0x4),
		F("sandybridge", "ARITH.FPU_DIV", 0x01040114, 0),
		REG("sandybridge", "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE", 0x01B7, 0x1A6,
		    0x10002),
		F("ivybridge", "MACHINE_CLEARS.SMC", 0x04C3, 0),
		F("haswell", "MEM_LOAD_UOPS_RETIRED.L3_MISS", 0x20D1, 0xF),
		F("haswell", "CYCLE_ACTIVITY.STALLS_L1D_PENDING", 0x0C000CA3, 0x4),
		F("broadwell", "FP_ARITH_INST_RETIRED.SCALAR_SINGLE", 0x02C7, 0xF),
		F("skylake", "MEM_LOAD_RETIRED.L1_HIT", 0x01D1, 0xF),
		F("skylake", "MEM_LOAD_RETIRED.L1_MISS", 0x08D1, 0xF),
		F("skylake", "BR_MISP_RETIRED.ALL_BRANCHES", 0x00C5, 0),
		F("skylake", "CPU_CLK_UNHALTED.THREAD_P_ANY", 0x0020003C, 0),
		F("skylake", "IDQ_UOPS_NOT_DELIVERED.CYCLES_FE_WAS_OK", 0x0180019C, 0),
		F("skylake", "CYCLE_ACTIVITY.STALLS_MEM_ANY", 0x140014A3, 0),
		FIXED("skylake", "INST_RETIRED.ANY", 0),
		FIXED("skylake", "CPU_CLK_UNHALTED.THREAD", 1),
		FIXED("skylake", "CPU_CLK_UNHALTED.REF_TSC", 2),
		REG("skylake", "FRONTEND_RETIRED.DSB_MISS", 0x01C6, 0x3F7, 0x11),
		REG("skylake", "FRONTEND_RETIRED.L1I_MISS", 0x01C6, 0x3F7, 0x12),
		REG("skylake", "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE", 0x01B7, 0x1A6,
		    0x10001),
		REG("skylake", "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE", 0x01BB, 0x1A7,
		    0x10001),
		F("icelake", "MEM_INST_RETIRED.ALL_LOADS", 0x81D0, 0),
		FIXED("icelake", "TOPDOWN.SLOTS", 3),
		F("goldencove", "BR_MISP_RETIRED.COND", 0x11C5, 0xFF),
		REG("goldencove", "OCR.DEMAND_DATA_RD.ANY_RESPONSE", 0x012A, 0x1A6, 0x10001),
		REG("goldencove", "OCR.DEMAND_DATA_RD.ANY_RESPONSE", 0x012B, 0x1A7, 0x10001),
		{ "lioncove", "BR_INST_RETIRED.COND_TAKEN_FWD", 0x00C4, 0x100, 0, 0, 0, 0, 0 },
		REG("coyotecove", "MEM_LOAD_L2_MISS_RETIRED.L3_MISS", 0x01D6, 0x3E0,
		    0xFF03F000000001),
		REG("coyotecove", "MEM_LOAD_L2_MISS_RETIRED.L3_MISS", 0x08D6, 0x3E3,
		    0xFF03F000000001),
		FIXED("bonnell", "CPU_CLK_UNHALTED.REF", 2),
		F("silvermont", "BR_INST_RETIRED.JCC", 0x7EC4, 0x3),
		REG("silvermont", "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE", 0x02B7, 0x1A7,
		    0x10002),
		F("knightslanding", "NO_ALLOC_CYCLES.ALL", 0x7FCA, 0x3),
		F("gracemont", "MEM_LOAD_UOPS_RETIRED.L2_HIT", 0x02D1, 0),
		REG("gracemont", "OCR.DEMAND_RFO.ANY_RESPONSE", 0x01B7, 0x1A6, 0x10002),
		F("architectural", "LLC_MISSES", 0x412E, 0),
		FIXED("architectural", "UNHALTED_REFERENCE_CYCLES", 2),
		/* AMD */
		F("k7", "DATA_CACHE_MISSES", 0x41, 0xF),
		F("k7", "RETIRED_INSTRUCTIONS", 0xC0, 0xF),
		F("k7", "DATA_CACHE_REFILLS.L2_MODIFIED", 0x1042, 0xF),
		F("k7", "SEGMENT_REGISTER_LOADS", 0x3F20, 0xF),
		F("k7", "SYSTEM_REQUESTS_WITH_THE_SELECTED_TYPE", 0x7365, 0xF),
		F("k7", "L2_REQUESTS:TAG_READ:TAG_WRITE", 0x0379, 0xF),
		F("k7", "BREAKPOINT_MATCHES_FOR_DR3", 0xDF, 0xF),
		F("k8_b", "CPU_CLK_UNHALTED", 0x76, 0xF),
		F("k8_c", "CPU_CLK_UNHALTED", 0x76, 0xF),
		F("k8_c", "DISPATCHED_FPU.OPS_STORE", 0x0400, 0xF),
		F("k8_c", "REQUESTS_TO_L2.TLB_WALK", 0x047D, 0xF),
		F("fam10h", "DRAM_ACCESSES_PAGE.CONFLICT", 0x04E0, 0xF),
		{ "fam10h", "L3_CACHE_MISSES.READ_BLOCK_MODIFY", 0xF4E1, 0x4, 0xF, 0, 0, 0, 0 },
		{ "fam10h", "L3_EVICTIONS.MODIFIED", 0x08E3, 0x4, 0xF, 0, 0, 0, 0 },
		F("fam14h", "RETIRED_INSTRUCTIONS", 0xC0, 0xF),
		F("fam15h", "DISPATCHED_FPU_OPS", 0xFF00, 0x8),
		F("fam15h", "CPU_CLK_UNHALTED", 0x76, 0x7),
		F("fam15h", "RETIRED_INSTRUCTIONS", 0xC0, 0x3F),
		F("fam16h", "LS_DISPATCH.LOADS", 0x0129, 0xF),
		F("zen1", "LS_DISPATCH:LD_DISPATCH:STORE_DISPATCH", 0x0329, 0x3F),
		F("zen2", "CYCLES_NOT_IN_HALT", 0x76, 0x3F),
		F("zen2", "DATA_CACHE_ACCESSES", 0x40, 0x3F),
		F("zen2", "TABLEWALKER_ALLOCATION:ALLOC_ISIDE0:ALLOC_ISIDE1", 0x0C46, 0x3F),
		F("zen2", "DISPATCH_RESOURCE_STALL_CYCLES_0", 0x08AF, 0x3F),
		{ "zen2", "OC_MODE_SWITCH:OC_IC_MODE_SWITCH", 0x028A, 0x2, 0x3F, 0, 0, 0, 0 },
		F("zen3", "RETIRED_SSE_AVX_FLOPS.MAC_FLOPS", 0x0803, 0x3F),
		F("zen3", "32_BYTE_INSTRUCTION_CACHE_MISSES", 0x81, 0x3F),
		F("zen3", "INSTRUCTION_PIPE_STALL.IC_STALL_ANY", 0x0487, 0x3F),
		F("zen4", "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", 0xC3, 0x3F),
		{ "zen4", "P0_FREQ_CYCLES_NOT_IN_HALT", 0x0120, 0x1, 0x3F, 0, 0, 0, 0 },
		{ "zen5", "RETIRED_UCODE_INSTRUCTIONS", 0x00C1, 0x1, 0x3F, 0, 0, 0, 0 },
		/* PowerPC */
		F("ppc604", "PROCESSOR_CYCLES", 1, 0x3),
		F("ppc604", "ICACHE_MISSES", 5, 0x1),
		F("ppc604", "DATA_CACHE_MISSES", 6, 0x2),
		F("ppc604e", "INSTRUCTIONS_COMPLETED", 2, 0xF),
		F("ppc750", "INSTRUCTIONS_DISPATCHED", 4, 0xF),
		F("ppc750", "L1_ICACHE_MISSES", 5, 0x2),
		F("ppc750", "DTLB_MISSES", 6, 0x4),
		F("ppc750", "MISPREDICTED_BRANCHES", 8, 0x8),
		F("ppc7400", "PROCESSOR_CYCLES", 1, 0xF),
		F("ppc7450", "PROCESSOR_CYCLES", 1, 0x3F),
		F("ppc7450", "INSTRUCTIONS_COMPLETED", 2, 0xF),
		F("ppc7450", "L1_INSTR_CACHE_MISSES", 0x15, 0x3),
		F("ppc7450", "L2_CACHE_HITS", 0x02, 0x30),
		/* arm64 */
		F("cortex-a53", "EXT_MEM_REQ", 0xC0, 0x7FFFFFFF),
		F("cortex-a72", "INST_RETIRED", 0x08, 0x7FFFFFFF),
		F("cortex-a76", "L1D_CACHE_REFILL", 0x03, 0x7FFFFFFF),
		F("cortex-a76", "CPU_CYCLES", 0x11, 0x7FFFFFFF),
		F("cortex-a76", "CPU_CYCLES", 0x11, 0x80000000),
		F("neoverse-n1", "STALL_BACKEND", 0x24, 0x7FFFFFFF),
		F("neoverse-n1", "LL_CACHE_RD", 0x36, 0x7FFFFFFF),
		F("neoverse-v1", "SVE_INST_SPEC", 0x8006, 0x7FFFFFFF),
		F("neoverse-v2", "CNT_CYCLES", 0x4004, 0x7FFFFFFF),
		F("neoverse-n2", "STALL_SLOT", 0x3F, 0x7FFFFFFF),
		F("neoverse-n3", "STALL_FRONTEND_FLOW", 0x8161, 0x7FFFFFFF),
		F("neoverse-v3", "DISPATCH_STALL_MCQ", 0x160, 0x7FFFFFFF),
		F("cortex-a34", "BR_RETURN_RETIRED", 0x0E, 0x7FFFFFFF),
		F("cortex-a65", "L1D_CACHE_REFILL_OUTER", 0x45, 0x7FFFFFFF),
		F("a64fx", "FP_HP_SCALE_OPS_SPEC", 0x80C2, 0x7FFFFFFF),
		F("thunderx2", "BUS_ACCESS_SHARED", 0x62, 0x7FFFFFFF),
		F("kunpeng-920", "EXE_STALL_CYCLE", 0x7001, 0x7FFFFFFF),
		F("ampereone", "L1D_CACHE_REFILL_RD", 0x42, 0x7FFFFFFF),
		/* RISC-V */
		{ "sbi", "CPU_CYCLES", 1, 0x8000, 0xFFFFFFF9, 0, 0, 0, 0 },
		{ "sbi", "DTLB_WRITE_MISS", 0x1001B, 0x8000, 0xFFFFFFF8, 0, 0, 0, 0 },
		F("u74", "PIPELINE_FLUSH", 0x8001, 0xFFFFFFF8),
		{ "power10", "PM_L2_ST_HIT", 0x46880, 0x100, 0x8, 0, 0, 0, 0 },
		{ "power10", "PM_DATA_FROM_L3_CONFLICT", 0xC040, 0x8E02, 0xF, 0, 0, 0, 0 },
		F("c900", "INST_ALU", 0x1D, 0xFFFFFFF8),
		/* the overflows of the counter below */
		F("pmuv3", "CHAIN", 0x1E, 0x2AAAAAAA),
		F("pmuv3", "ASE_SPEC", 0x74, 0x7FFFFFFF),
#undef F
#undef FIXED
#undef REG
#undef P4
	};
	unsigned int i, o, bad = 0;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_event_choice choice;
		const struct perfctr_event_option *option = choice.option;

		if (look_up(all[i].id, all[i].word, &choice) != PERFCTR_EVENT_OK) {
			printf("%s has no %s\n", all[i].id, all[i].word);
			bad++;
			continue;
		}
		for (o = 0; o < choice.options; o++, option++)
			if (option->code == all[i].code && option->high == all[i].high &&
			    ((!all[i].counters && !all[i].fixed) ||
			     (option->counters == all[i].counters &&
			      option->fixed == all[i].fixed)) &&
			    option->select == all[i].select && option->reg == all[i].reg &&
			    option->value == all[i].value)
				break;
		if (o < choice.options)
			continue;
		option = choice.option;
		printf("%s: %s: %#x %#x on %#x %#x, register %#x %#llx; "
		       "not %#x %#x on %#x %#x, %#x %#llx\n",
		       all[i].id, all[i].word, option->code, option->high, option->counters,
		       option->fixed, option->reg, (unsigned long long)option->value, all[i].code,
		       all[i].high, all[i].counters, all[i].fixed, all[i].reg,
		       (unsigned long long)all[i].value);
		bad++;
	}
	printf("%zu facts\n", ARRAY_SIZE(all));
	fflush(stdout);
	ck_assert_uint_eq(bad, 0);
}
END_TEST

/* ---- a million words ---- */

/* Is the text one of the words that the grammar has for modifiers? */
static int is_modifier(const char *text, size_t length)
{
	size_t i;

	if (length > 2 && tolower((unsigned char)text[0]) == 'c' && text[1] == '=') {
		for (i = 2; i < length; i++)
			if (!isdigit((unsigned char)text[i]))
				return 0;
		return 1;
	}
	if (length > 2 && text[length - 2] == '=' && strchr("01", text[length - 1]))
		length -= 2;
	/* The other words are not made by chance. */
	if ((length == 1 && text[0] == 't') ||
	    (length && length < 4 && !strncmp(text, "ppp", length)))
		return 1;
	for (i = 0; i < length; i++)
		if (!text[i] || !strchr("ukeiUKEI", text[i]))
			return 0;
	return length > 0;
}

/* Walks the names that lists leave out, too. Only the names of the entry are set. */
static unsigned int walk_all(const struct perfctr_event_table *table, unsigned int n,
			     struct perfctr_event_entry *entry)
{
	const struct perfctr_event_record *event, *record;
	const unsigned int records = 4096; /* of an event, at most */

	for (; n / records < table->all; n++) {
		event = &perfctr_event_records[perfctr_event_listed[table->first + n / records]];
		record = event + n % records;
		if (record != event && !(record->flags & (EVENT_IS_MASK | EVENT_IS_ALSO))) {
			n |= records - 1;
			continue;
		}
		if (record->flags & EVENT_IS_ALSO)
			continue;
		entry->event = perfctr_event_names + event->name;
		entry->mask = record == event ? NULL : perfctr_event_names + record->name;
		return n + 1;
	}
	return 0;
}

/* Whether the word is the name, of which the first letters are an event's: in a mask '_' may stand
 * for '.'. */
static bool is_name(const char *name, size_t event, const char *word, size_t length)
{
	size_t i;

	if (strlen(name) != length)
		return false;
	for (i = 0; i < length; i++)
		if (tolower((unsigned char)name[i]) != tolower((unsigned char)word[i]) &&
		    !(i > event && name[i] == '.' && word[i] == '_'))
			return false;
	return true;
}

/* Is the word in the table? Found by comparing it with every name. */
static int is_there(const struct perfctr_event_table *table, const char *word, size_t length)
{
	const char *colon = memchr(word, ':', length), *end = word + length, *part;
	size_t first = colon ? (size_t)(colon - word) : length;
	struct perfctr_event_entry entry;
	unsigned int next = 0;
	char name[160], event[160] = "";

	while (!*event && (next = walk_all(table, next, &entry))) {
		snprintf(name, sizeof(name), "%s%s%s", entry.event, entry.mask ? "." : "",
			 entry.mask ? entry.mask : "");
		if (is_name(name, strlen(entry.event), word, first))
			snprintf(event, sizeof(event), "%s", entry.event);
	}
	if (!*event)
		return 0;
	for (part = word + first; part < end; part += length) {
		int mask = 0;

		part++;
		colon = memchr(part, ':', (size_t)(end - part));
		length = (size_t)((colon ? colon : end) - part);
		for (next = 0; !mask && (next = walk_all(table, next, &entry));)
			mask = entry.mask && !strcmp(entry.event, event) &&
			       is_name(entry.mask, 0, part, length);
		if (!mask && !is_modifier(part, length))
			return 0;
	}
	return 1;
}

static size_t mutate(char *word, size_t length, size_t size)
{
	static const char letters[] = "abcdeiklmnorstuyABCDEIKLMNORSTU0123456789_.:=-\0\xFF";
	size_t at = random_below((unsigned int)length + 1);

	switch (random_below(7)) {
	case 0:
		if (at < length)
			word[at] = letters[random_below(sizeof(letters) - 1)];
		break;
	case 1:
		if (at < length)
			memmove(word + at, word + at + 1, --length - at);
		break;
	case 2:
		if (length < size) {
			memmove(word + at + 1, word + at, length++ - at);
			word[at] = letters[random_below(sizeof(letters) - 1)];
		}
		break;
	case 3: length = at; break;
	case 4:
		/* The same hash: each character weighs 33 of the next. */
		if (at + 1 < length) {
			word[at] = (char)(word[at] + 1);
			word[at + 1] = (char)(word[at + 1] - 33);
		}
		break;
	case 5:
		if (at < length)
			word[at] = (char)random_below(256);
		break;
	default:
		if (length + 2 <= size) {
			word[length++] = ':';
			word[length++] = letters[random_below(sizeof(letters) - 1)];
		}
	}
	return length;
}

START_TEST(a_million_words)
{
	static const char *const ids[] = {
		"skylake", "p4", "zen4", "ppro", "knightslanding", "ppc7450", "pmuv3", "c3",
	};
	static char seeds[4096][160];
	unsigned int k, words = tries(125000);
	unsigned int n, i, next, seed_count, results[PERFCTR_EVENT_MODIFIER + 1] = { 0 };

	for (n = 0; n < ARRAY_SIZE(ids); n++) {
		const struct perfctr_event_table *table = perfctr_event_table(ids[n]);
		struct perfctr_event_entry entry;

		for (next = seed_count = 0; (next = perfctr_event_walk(table, next, &entry));)
			snprintf(seeds[seed_count++], sizeof(seeds[0]), "%s%s%s", entry.event,
				 entry.mask ? "." : "", entry.mask ? entry.mask : "");
		for (k = 0; k < words; k++) {
			struct perfctr_event_choice choice;
			enum perfctr_event_error error;
			char text[200], *word;
			const char *part;
			size_t length, part_length;
			unsigned int event;

			i = random_below(seed_count - 1);
			part = strchr(seeds[i + 1], '.');
			/* Sometimes with the next mask, too. */
			snprintf(text, sizeof(text), "%.100s:%.90s", seeds[i],
				 part && k & 1 ? part + 1 : "u:c=4");
			length = strlen(text);
			if (!(k & 2))
				length = strcspn(text, ":");
			for (i = random_below(4); i > 0; i--)
				length = mutate(text, length, sizeof(text));
			/* Memory that ends where the word does. */
			word = malloc(length ? length : 1);
			ck_assert_ptr_nonnull(word);
			memcpy(word, text, length);
			error = look(ids[n], word, length, &choice, &part, &part_length, &event);
			ck_assert_uint_lt((unsigned int)error, ARRAY_SIZE(results));
			results[error]++;
			if (error == PERFCTR_EVENT_OK)
				ck_assert_msg(is_there(table, word, length),
					      "%s: \"%.*s\" is there", ids[n], (int)length, word);
			else
				ck_assert_msg(part >= word && part + part_length <= word + length,
					      "%s: \"%.*s\": part %td+%zu", ids[n], (int)length,
					      word, part - word, part_length);
			free(word);
		}
	}
	for (i = 0; i < ARRAY_SIZE(results); i++)
		printf("error %u: %u words\n", i, results[i]);
	fflush(stdout);
	for (i = 0; i < ARRAY_SIZE(results); i++)
		ck_assert_uint_gt(results[i], 0);
}
END_TEST

/* The other way round, from a code to its counters: all of those that the name has are among them.
 */
START_TEST(counters_of_codes)
{
	static const char *const ids[] = { "core2", "skylake",	"piii",	     "fam15h",
					   "zen4",  "lioncove", "cortex-a72" };
	/* Counters that most of its events have. */
	static const uint32_t mosts[] = { 0x3, 0xF, 0x3, 0x7, 0x3F, 0xFF, 0x3F };
	unsigned int i, n, o, known, some, quick, slow;
	int usual;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		const struct perfctr_event_table *table = perfctr_event_table(ids[i]);
		struct perfctr_event_entry entry;
		uint32_t most = mosts[i];

		known = some = quick = slow = 0;
		for (n = 0; (n = perfctr_event_walk(table, n, &entry));) {
			struct perfctr_event_choice choice;
			char word[160];

			snprintf(word, sizeof(word), "%s%s%s", entry.event, entry.mask ? "." : "",
				 entry.mask ? entry.mask : "");
			if (look_up(ids[i], word, &choice) != PERFCTR_EVENT_OK)
				continue;
			for (o = 0; o < choice.options; o++) {
				uint32_t set = perfctr_event_counters(table, choice.option[o].code,
								      choice.option[o].high);

				ck_assert_msg((choice.option[o].counters & ~set) == 0,
					      "%s: %s, way %u: 0x%X, not 0x%X", ids[i], word, o,
					      set, choice.option[o].counters);
				/* What is said at once is true, and mostly something is said. */
				usual = perfctr_event_is_usual(table, choice.option[o].code,
							       choice.option[o].high, most);
				ck_assert_msg(!usual || (set & most) == most, "%s: %s: usual",
					      ids[i], word);
				quick += (unsigned int)usual;
				slow += (set & most) == most && !usual;
				known += set != 0xFFFFFFFF;
				some += set == choice.option[o].counters;
			}
		}
		ck_assert_uint_gt(some, known - known / 8);
		ck_assert_msg(quick > 10 * slow, "%s: %u, but %u", ids[i], quick, slow);
		ck_assert(!perfctr_event_is_usual(table, 0xFFFF, 0, 0x80000000));
		ck_assert_uint_eq(perfctr_event_counters(table, 0xFFFF, 0), 0xFFFFFFFF);
	}
	/* Intel SDM vol. 3B, table 19-23 (2016): CBH on counter 0, MUL on counter 1. */
	ck_assert_uint_eq(perfctr_event_counters(perfctr_event_table("core2"), 0x004101CB, 0), 1);
	ck_assert_uint_eq(perfctr_event_counters(perfctr_event_table("core2"), 0x00410012, 0), 2);
	/* One unit mask counts on 3 to 5, and several on 3. */
	ck_assert_uint_eq(perfctr_event_counters(perfctr_event_table("fam15h"), 0x0100, 0), 0x38);
	ck_assert_uint_eq(perfctr_event_counters(perfctr_event_table("fam15h"), 0x1100, 0), 8);
	ck_assert_uint_eq(perfctr_event_counters(perfctr_event_table("fam15h"), 0xFF00, 0), 8);
	ck_assert_uint_eq(perfctr_event_counters(perfctr_event_table("fam15h"), 0x0804, 0), 0x38);
	ck_assert_uint_eq(perfctr_event_counters(perfctr_event_table("fam15h"), 0x0304, 0), 8);
	ck_assert_uint_eq(perfctr_event_counters(perfctr_event_table("fam15h"), 0x0F04, 0), 8);
	ck_assert_uint_eq(perfctr_event_counters(perfctr_event_table("fam15h"), 0x0303, 0), 8);
	/* The upper half of the event's number counts. */
	ck_assert_uint_eq(perfctr_event_counters(perfctr_event_table("fam15h"), 0x0100, 0xE),
			  0xFFFFFFFF);
}
END_TEST

/* Whatever was in the choice before: all of it that counts is set. */
START_TEST(nothing_is_left)
{
	static const struct {
		const char *id, *word;
	} words[] = {
		{ "skylake", "INST_RETIRED.ANY_P" },
		{ "skylake", "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE" },
		{ "p4", "instr_retired" },
		{ "p4", "replay_event.L1CLMR" },
		{ "ppc7450", "PROCESSOR_CYCLES" },
		{ "pmuv3", "INST_RETIRED" },
	};
	unsigned int i, o, event;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		struct perfctr_event_choice clean = found(words[i].id, words[i].word), choice;
		size_t length = strlen(words[i].word), part_length;
		const char *part;

		memset(&choice, 0xFF, sizeof(choice));
		ck_assert_int_eq(perfctr_event_lookup(perfctr_event_table(words[i].id),
						      words[i].word, length, &choice, &part,
						      &part_length, &event),
				 PERFCTR_EVENT_OK);
		ck_assert_uint_eq(choice.user | choice.kernel | choice.edge | choice.invert, 0);
		ck_assert_uint_eq(choice.pebs | choice.imode | choice.threshold, 0);
		ck_assert_uint_eq(choice.cmask | choice.ireset, 0);
		ck_assert_uint_eq(choice.options, clean.options);
		for (o = 0; o < choice.options; o++)
			ck_assert_mem_eq(&choice.option[o], &clean.option[o],
					 sizeof(choice.option[o]));
	}
}
END_TEST

/* A P4's event has a way for each of its ESCRs, and on each the counters that reach it. */
START_TEST(ways_of_p4)
{
	static const char *const ids[] = { "p4", "p4m3" };
	unsigned int n, next, o, ones = 0, twos = 0;

	for (n = 0; n < ARRAY_SIZE(ids); n++) {
		struct perfctr_event_entry entry;

		for (next = 0;
		     (next = perfctr_event_walk(perfctr_event_table(ids[n]), next, &entry));) {
			struct perfctr_event_choice c;
			char word[160];

			snprintf(word, sizeof(word), "%s%s%s", entry.event, entry.mask ? "." : "",
				 entry.mask ? entry.mask : "");
			if (look_up(ids[n], word, &c) != PERFCTR_EVENT_OK)
				continue;
			ck_assert_msg(c.options == 1 || (c.options == 2 &&
							 c.option[0].reg + 1 == c.option[1].reg),
				      "%s: %s: %u ways", ids[n], word, c.options);
			for (o = 0; o < c.options; o++) {
				ck_assert_uint_eq(c.option[o].fixed, 0);
				ck_assert_uint_eq(c.option[o].high, 0);
				ck_assert_uint_eq(c.option[o].value, 0);
				ck_assert_uint_lt(c.option[o].counters, 1u << 18);
			}
			*(c.options == 1 ? &ones : &twos) += 1;
		}
	}
	ck_assert_uint_gt(ones, 0);
	ck_assert_uint_gt(twos, ones);
}
END_TEST

/* A unit mask of several bits has a name's counters if its masks combine, and have a part of it. */
START_TEST(counters_of_masks)
{
	static const struct {
		const char *id;
		uint32_t code, high, counters;
	} all[] = {
		/* MEM_LOAD_RETIRED, on 0 to 3, has masks 01H to 40H, one at a time. */
		{ "skylake", 0x01D1, 0, 0xF },
		{ "skylake", 0x03D1, 0, 0xFFFFFFFF },
		/* Modes make no difference. */
		{ "skylake", 0xFFFF01D1, 0, 0xF },
		{ "skylake", 0x01D1, 0xF0, 0xF },
		{ "skylake", 0x01D1, 0x100, 0xFFFFFFFF },
		/* LS_DISPATCH has masks 01H, 02H and 04H of any combination. */
		{ "zen1", 0x0129, 0, 0x3F },
		{ "zen1", 0x0729, 0, 0x3F },
		{ "zen1", 0x0829, 0, 0xFFFFFFFF },
		{ "zen1", 0x0129, 0x1, 0xFFFFFFFF },
		/* L3_CACHE_MISSES is 4E1H. */
		{ "fam10h", 0x00F7E1, 0x4, 0xF },
		/* An event 1C1H, and no 2C1H. */
		{ "zen5", 0x00C1, 0x1, 0x3F },
		{ "zen5", 0x00C1, 0x2, 0xFFFFFFFF },
		/* Not all of a combination: the mask itself has two bits. */
		{ "ppro", 0x0129, 0, 0x3 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		uint32_t set = perfctr_event_counters(perfctr_event_table(all[i].id), all[i].code,
						      all[i].high);

		ck_assert_msg(set == all[i].counters, "%s: %#x %#x: %#x", all[i].id, all[i].code,
			      all[i].high, set);
	}
}
END_TEST

/* Both words are the same choice. */
static void is_same(const char *id, const char *alias, const char *word)
{
	struct perfctr_event_choice left = found(id, alias), right = found(id, word);

	ck_assert_msg(memcmp(&left, &right, sizeof(left)) == 0, "%s: %s is not %s", id, alias,
		      word);
}

/* libpfm4's names select what its own tables say; those of the architecture are SDM table 20-1's.
 */
START_TEST(aliases)
{
	static const struct {
		const char *id, *word;
		uint32_t code, fixed;
	} all[] = {
		{ "skylake", "UNHALTED_CORE_CYCLES", 0x3C, 0 },
		{ "skylake", "unhalted_reference_cycles", 0x300, 4 },
		{ "skylake", "INSTRUCTION_RETIRED", 0xC0, 0 },
		{ "skylake", "LLC_MISSES", 0x412E, 0 },
		{ "broadwellde", "LLC_REFERENCES", 0x4F2E, 0 },
		{ "knightslanding", "LLC_MISSES", 0x412E, 0 },
		{ "silvermont", "UNHALTED_CORE_CYCLES", 0x3C, 0 },
		{ "silvermont", "BRANCH_INSTRUCTIONS_RETIRED", 0xC4, 0 },
		{ "skylakex", "MISPREDICTED_BRANCH_RETIRED", 0xC5, 0 },
		{ "skylakex", "FP_ARITH:512B_PACKED_DOUBLE", 0x40C7, 0 },
		{ "sandybridge", "MEM_UOP_RETIRED:ANY_LOADS", 0x81D0, 0 },
		{ "ivybridge", "DTLB_STORE_MISSES:CAUSES_A_WALK", 0x149, 0 },
		{ "cortex-a57", "L1D_READ_ACCESS", 0x40, 0 },
		{ "cortex-a53", "BRANCH_MISPRED", 0x10, 0 },
		/* These are perf's, with the codes of AMD's manuals and Intel's lists. */
		{ "zen4", "ls_dmnd_fills_from_sys.local_l2", 0x143, 0 },
		{ "zen4", "ls_dmnd_fills_from_sys.all", 0xFF43, 0 },
		{ "zen4", "ls_stlf", 0x35, 0 },
		{ "zen4", "fp_ops_retired_by_type.all", 0xFF0A, 0 },
		{ "zen4", "de_dis_ops_from_decoder.disp_op_type.any_integer_dispatch", 0x8AB, 0 },
		{ "zen3", "ls_dc_accesses:u", 0x40, 0 },
		{ "zen1", "l2_cache_req_stat.ic_dc_hit_in_l2:k", 0xF664, 0 },
		{ "lioncove", "FP_ARITH_INST_RETIRED.SCALAR", 0x3C7, 0 },
		{ "cougarcove", "BR_INST_RETIRED.NEAR_REL_JMP", 0x80C4, 0 },
		{ "cortex-a53", "br_indirect_mispred_addr", 0xCB, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_event_choice choice = found(all[i].id, all[i].word);

		ck_assert_msg(choice.option[0].code == all[i].code &&
				      choice.option[0].fixed == all[i].fixed,
			      "%s: %s: code %#x, fixed counters %#x", all[i].id, all[i].word,
			      choice.option[0].code, choice.option[0].fixed);
	}
	is_same("skylakex", "FP_ARITH:SCALAR_DOUBLE:u", "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE:u");
	is_same("skylake", "UNHALTED_REFERENCE_CYCLES:k", "CPU_CLK_UNHALTED:REF_TSC:k");
	is_same("architectural", "INSTRUCTIONS_RETIRED", "INSTRUCTION_RETIRED");
	ck_assert_uint_eq(found("architectural", "INSTRUCTIONS_RETIRED").options, 2);
	is_same("zen4", "ls_dmnd_fills_from_sys.local_l2:local_ccx",
		"DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:LOCAL_L2:LOCAL_CCX");
	is_same("sapphirerapids", "ARITH.INT_DIVIDER_ACTIVE", "ARITH.IDIV_ACTIVE");
	is_same("cascadelakex", "OFFCORE_RESPONSE.ALL_DATA_RD.ANY_RESPONSE",
		"OCR.ALL_DATA_RD.ANY_RESPONSE");
	is_same("skylake", "INST_RETIRED:ANY_P:c=1:i=1:u=1", "INST_RETIRED:ANY_P:c=1:i:u");
}
END_TEST

/* An alias is its event, which messages name; lists of all names leave aliases out. */
START_TEST(masks_of_aliases)
{
	const struct perfctr_event_table *table = perfctr_event_table("skylakex");
	struct perfctr_event_choice choice;
	struct perfctr_event_entry entry;
	unsigned int event, n;
	const char *part;
	size_t length;

	ck_assert_int_eq(look("skylakex", "FP_ARITH", 8, &choice, &part, &length, &event),
			 PERFCTR_EVENT_NEEDS_MASK);
	n = perfctr_event_walk(table, event, &entry);
	ck_assert_uint_ne(n, 0);
	ck_assert_str_eq(entry.event, "FP_ARITH_INST_RETIRED");
	ck_assert_uint_eq(entry.needs_mask, 1);
	for (n = 0; (n = perfctr_event_walk(table, n, &entry));)
		ck_assert_msg(strcmp(entry.event, "FP_ARITH") &&
				      strcmp(entry.event, "OFFCORE_RESPONSE_0") &&
				      strcmp(entry.event, "UNHALTED_CORE_CYCLES") &&
				      !strstr(entry.event, ":"),
			      "%s is listed", entry.event);
}
END_TEST

/*
 * Events that libpfm4 has and the tables have not, in parts; and what an event is without a mask.
 * The values are those of the SDM's tables of MSR_OFFCORE_RSP_X: requests are bits 0 to 15, any
 * response bit 16, suppliers 17 to 30, snoops 31 to 37.
 */
START_TEST(hidden)
{
	static const struct {
		const char *id, *word;
		enum perfctr_event_error error;
		uint32_t code;
		uint64_t value;
	} all[] = {
		/* Defaults: any request; any response, without snoops; any snoop with a supplier.
		 */
		{ "sandybridge", "OFFCORE_RESPONSE_0", 0, 0x1B7, 0x18FFF },
		{ "sandybridge", "OFFCORE_RESPONSE_0:DMND_RFO", 0, 0x1B7, 0x10002 },
		{ "sandybridge", "OFFCORE_RESPONSE_0:ANY_RESPONSE", 0, 0x1B7, 0x18FFF },
		{ "sandybridge", "OFFCORE_RESPONSE_0:LLC_HITM", 0, 0x1B7, 0x3F80048FFF },
		{ "sandybridge", "OFFCORE_RESPONSE_0:SNP_NONE", 0, 0x1B7, 0x80018FFF },
		{ "sandybridge", "OFFCORE_RESPONSE_0:DMND_DATA_RD:LLC_HITM:LLC_HITE:SNP_MISS", 0,
		  0x1B7, 0x2000C0001 },
		{ "sandybridge", "OFFCORE_RESPONSE_0:SNP_MISS:DMND_RFO:LLC_HITM:DMND_DATA_RD:u", 0,
		  0x1B7, 0x200040003 },
		{ "nehalem_ep", "OFFCORE_RESPONSE_0:DMND_RFO:LOCAL_DRAM:REMOTE_DRAM", 0, 0x1B7,
		  0x6002 },
		{ "silvermont", "OFFCORE_RESPONSE_1:DMND_RFO:L2_HIT", 0, 0x2B7, 0x3E80040002 },
		{ "goldmont", "OFFCORE_RESPONSE_0:OUTSTANDING:DMND_RFO", 0, 0x1B7, 0x4000000002 },
		/* With any response no supplier and no snoop counts. */
		{ "sandybridge", "OFFCORE_RESPONSE_0:ANY_RESPONSE:SNP_NONE", PERFCTR_EVENT_ONE_MASK,
		  0, 0 },
		{ "sandybridge", "OFFCORE_RESPONSE_0:SNP_NONE:ANY_RESPONSE", PERFCTR_EVENT_ONE_MASK,
		  0, 0 },
		{ "sandybridge", "OFFCORE_RESPONSE_0:ANY_RESPONSE:LLC_HITM", PERFCTR_EVENT_ONE_MASK,
		  0, 0 },
		{ "sandybridge", "OFFCORE_RESPONSE_0:LLC_HITM:ANY_RESPONSE", PERFCTR_EVENT_ONE_MASK,
		  0, 0 },
		{ "sandybridge", "OFFCORE_RESPONSE_0:ANY_RESPONSE:DMND_RFO:OTHER", 0, 0x1B7,
		  0x18002 },
		{ "sandybridge", "OFFCORE_RESPONSE_0:NO_SUCH", PERFCTR_EVENT_NO_MASK, 0, 0 },
		{ "skylakex", "L1D_PEND_MISS:OCCURRENCES", 0, 0x01040148, 0 },
		{ "skylakex", "UOPS_DISPATCHED:PORT_7_CORE", 0, 0x002080A1, 0 },
		{ "skylakex", "MOVE_ELIMINATION:SIMD_ELIMINATED", 0, 0x258, 0 },
		/* Defaults: a mask of the table; none of them. */
		{ "skylake", "INST_RETIRED", 0, 0xC0, 0 },
		{ "skylake", "CPU_CLK_THREAD_UNHALTED:u", 0, 0x3C, 0 },
		{ "skylakex", "UOPS_RETIRED", 0, 0x1C2, 0 },
		/* '_' for '.', and not the reverse. */
		{ "icelakex", "OFFCORE_RESPONSE_0:HWPF_L2_ANY_RESPONSE:k", 0, 0x1B7, 0x10070 },
		{ "icelakex", "ocr:hwpf_l2_any_response", 0, 0x1B7, 0x10070 },
		{ "icelakex", "OCR:HWPF.L2.ANY.RESPONSE", PERFCTR_EVENT_NO_MASK, 0, 0 },
	};
	struct perfctr_event_choice choice;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		enum perfctr_event_error error = look_up(all[i].id, all[i].word, &choice);

		ck_assert_msg(error == all[i].error, "%s: %s: %d", all[i].id, all[i].word,
			      (int)error);
		if (!error)
			ck_assert_msg(choice.option[0].code == all[i].code &&
					      choice.option[0].value == all[i].value,
				      "%s: %s: code %#x, value %#llx", all[i].id, all[i].word,
				      choice.option[0].code,
				      (unsigned long long)choice.option[0].value);
	}
	/* The second register is as good, and the first way if the name is its. */
	choice = found("sandybridge", "OFFCORE_RESPONSE_1:DMND_RFO");
	ck_assert_uint_eq(choice.options, 2);
	ck_assert(choice.option[0].code == 0x1BB && choice.option[0].reg == 0x1A7 &&
		  choice.option[0].value == 0x10002 && choice.option[1].code == 0x1B7 &&
		  choice.option[1].reg == 0x1A6);
	choice = found("sandybridge", "OFFCORE_RESPONSE_0:DMND_RFO");
	ck_assert(choice.option[0].code == 0x1B7 && choice.option[1].code == 0x1BB);
	choice = found("icelakex", "OFFCORE_RESPONSE_1:HWPF_L2.ANY_RESPONSE");
	ck_assert(choice.option[0].code == 0x1BB && choice.option[1].code == 0x1B7);
	ck_assert_uint_eq(found("nehalem_ep", "OFFCORE_RESPONSE_0:DMND_RFO").options, 1);
}
END_TEST

/* Precision is perf_events'; Pentium 4's threshold is what libpfm4 counts above. */
START_TEST(libpfm4s_modifiers)
{
	static const struct {
		const char *id, *word;
		enum perfctr_event_error error;
		unsigned int precise, cmask, invert;
	} all[] = {
		{ "skylake", "INST_RETIRED:ANY_P:p:u", 0, 1, 0, 0 },
		{ "skylake", "INST_RETIRED:ANY_P:ppp:c=2", 0, 3, 2, 0 },
		{ "skylake", "INST_RETIRED:pp", 0, 2, 0, 0 },
		{ "skylake", "INST_RETIRED:ANY_P:pppp", PERFCTR_EVENT_NO_MASK, 0, 0, 0 },
		{ "skylake", "INST_RETIRED:ANY_P:P", PERFCTR_EVENT_NO_MASK, 0, 0, 0 },
		{ "skylake", "INST_RETIRED:ANY_P:p:pp", PERFCTR_EVENT_MODIFIER, 0, 0, 0 },
		{ "skylake", "INST_RETIRED:ANY_P:cmpl", PERFCTR_EVENT_NO_MASK, 0, 0, 0 },
		{ "skylake", "INST_RETIRED:ANY_P:thr=1", PERFCTR_EVENT_NO_MASK, 0, 0, 0 },
		{ "p4", "GLOBAL_POWER_EVENTS:RUNNING:cmpl:e", 0, 0, 1, 1 },
		{ "p4", "GLOBAL_POWER_EVENTS:RUNNING:thr=0", 0, 0, 1, 0 },
		{ "p4", "GLOBAL_POWER_EVENTS:RUNNING:thr=15:cmpl", 0, 0, 16, 1 },
		{ "p4", "GLOBAL_POWER_EVENTS:RUNNING:cmpl:thr=8", 0, 0, 9, 1 },
		{ "p4", "GLOBAL_POWER_EVENTS:RUNNING:thr=16", PERFCTR_EVENT_MODIFIER, 0, 0, 0 },
		{ "p4", "GLOBAL_POWER_EVENTS:RUNNING:thr=", PERFCTR_EVENT_MODIFIER, 0, 0, 0 },
		{ "p4", "GLOBAL_POWER_EVENTS:RUNNING:thr=1:c=1", PERFCTR_EVENT_MODIFIER, 0, 0, 0 },
		{ "p4", "GLOBAL_POWER_EVENTS:RUNNING:i:cmpl", PERFCTR_EVENT_MODIFIER, 0, 0, 0 },
		{ "p4", "GLOBAL_POWER_EVENTS:RUNNING:compl", PERFCTR_EVENT_NO_MASK, 0, 0, 0 },
	};
	struct perfctr_event_choice choice;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		enum perfctr_event_error error = look_up(all[i].id, all[i].word, &choice);

		ck_assert_msg(error == all[i].error, "%s: %s: %d", all[i].id, all[i].word,
			      (int)error);
		if (!error)
			ck_assert_msg(choice.precise == all[i].precise &&
					      choice.cmask == all[i].cmask &&
					      choice.invert == all[i].invert,
				      "%s: %s: %u %u %u", all[i].id, all[i].word, choice.precise,
				      choice.cmask, choice.invert);
	}
}
END_TEST

/* A PMU's name before "::" is its own processor's. */
START_TEST(prefixes)
{
	struct perfctr_event_choice choice;
	const char *part;
	size_t length;
	unsigned int event;

	is_same("skylake", "skl::INST_RETIRED:ANY_P:u", "INST_RETIRED:ANY_P:u");
	is_same("skylakex", "SKX::LLC_MISSES", "LLC_MISSES");
	is_same("architectural", "ix86arch::LLC_MISSES", "LLC_MISSES");
	is_same("cortex-a72", "arm_ac72::CPU_CYCLES", "CPU_CYCLES");
	is_same("zen3", "amd64_fam19h_zen3::RETIRED_INSTRUCTIONS", "RETIRED_INSTRUCTIONS");
	ck_assert_int_eq(look_up("icelake", "skl::INST_RETIRED:ANY_P", &choice),
			 PERFCTR_EVENT_UNKNOWN);
	ck_assert_int_eq(look_up("skylake", "skl", &choice), PERFCTR_EVENT_UNKNOWN);
	ck_assert_int_eq(look_up("skylake", "skl::", &choice), PERFCTR_EVENT_UNKNOWN);
	ck_assert_int_eq(look_up("skylake", "skl:INST_RETIRED", &choice), PERFCTR_EVENT_UNKNOWN);
	ck_assert_int_eq(look("skylake", "skl::INST_RETIRED:ANY_Q", 23, &choice, &part, &length,
			      &event),
			 PERFCTR_EVENT_NO_MASK);
	ck_assert_uint_eq(length, 5);
	ck_assert_int_eq(memcmp(part, "ANY_Q", 5), 0);
	ck_assert_int_eq(look_up("skylake", "INST_RETIRED:ANY_P:i=2", &choice),
			 PERFCTR_EVENT_NO_MASK);
	ck_assert_int_eq(look_up("skylake", "INST_RETIRED:ANY_P:i=1:i", &choice),
			 PERFCTR_EVENT_MODIFIER);
}
END_TEST

UNIT_MAIN("events", 120, names_are_found, names_are_unique, tables_and_processors,
	  masks_in_their_fields, counters_exist, masks_differ, combinations, defaults_are_taken,
	  groups, counters_of_combinations, outstanding, errors, empty_words, strange_words,
	  modifiers, small_letters, facts, a_million_words, counters_of_codes, nothing_is_left,
	  ways_of_p4, counters_of_masks, aliases, masks_of_aliases, hidden, libpfm4s_modifiers,
	  prefixes)
