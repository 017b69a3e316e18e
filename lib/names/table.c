// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The events of the processors' own tables (arch/x86/events and so on): looks them up, lists them,
 * and makes controls of them, for this machine's processor and for any other that the library
 * knows.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arch/isa.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/letters.h"
#include "lib/base/list.h"
#include "lib/base/nearest.h"
#include "lib/base/text.h"
#include "lib/base/word.h"
#include "lib/isa/attr.h"
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "lib/names/modifiers.h"
#include "lib/names/presets.h"
#include "lib/names/table.h"
#include "lib/names/vendor.h"
#include "libperfctr.h"

/* ---- processors of any ISA ---- */

struct target {
	struct perfctr_cpu cpu;
	const struct perfctr_event_table *table;
	bool native; /* PERFCTR_EVENTS is about it */
	bool perfs;  /* perf's modifiers may follow those of the table's events */
};

/* This machine's processor; -1 after perfctr_fail() if it has no table. */
static int target_native(struct target *target)
{
	target->cpu = *perfctr_this_cpu();
	target->table = perfctr_this_table();
	target->native = true;
	if (!target->table)
		return perfctr_fail(ENOENT, "there is no table of events for this processor (%s)",
				    target->cpu.name);
	return 0;
}

static int note_id(void *arg, const struct perfctr_event_name *name)
{
	perfctr_nearest_note(arg, name->name);
	return 0;
}

static SELDOM int target_open(struct target *target, const char *cpu)
{
	struct perfctr_nearest near = { .word = "" };
	char text[PERFCTR_NEAREST_TEXT], small[24];
	unsigned int n;

	if (!cpu)
		return target_native(target);
	/* Ids are in small letters, and shorter than this. */
	snprintf(small, sizeof(small), "%s", cpu);
	for (n = 0; small[n]; n++)
		small[n] = (char)perfctr_small(small[n]);
	if (perfctr_cpu_named(small, &target->cpu) == 0) {
		target->table = perfctr_event_table(target->cpu.id);
		target->native = target->perfs = false;
		return 0;
	}
	near.word = cpu;
	near.length = strlen(cpu);
	perfctr_cpu_list(note_id, &near);
	return perfctr_fail(ENOENT, "the library knows no processor \"%.40s\"%s", cpu,
			    perfctr_nearest_text(&near, "; \"perfex --cpu list\" lists them", text,
						 sizeof(text)));
}

/* ---- words ---- */

/* Makes the name, "EVENT" or "EVENT:MASK". */
static void entry_name(const struct perfctr_event_entry *entry, char *name, size_t size)
{
	snprintf(name, size, "%s%s%s", entry->event, entry->mask ? ":" : "",
		 entry->mask ? entry->mask : "");
}

/* Lists the masks of the event with this number, as many as fit. */
static SELDOM void list_masks(const struct perfctr_event_table *table, unsigned int event,
			      char *text, size_t size)
{
	struct perfctr_event_entry entry;
	size_t used = 0;
	unsigned int n;

	text[0] = '\0';
	n = perfctr_event_walk(table, event, &entry);
	while ((n = perfctr_event_walk(table, n, &entry)) && entry.mask) {
		if (used + strlen(entry.mask) + 8 > size) {
			strcpy(text + used, ", ...");
			return;
		}
		used += (size_t)sprintf(text + used, "%s%s", used ? ", " : "", entry.mask);
	}
}

static void note_entries(const struct perfctr_event_table *table, struct perfctr_nearest *near)
{
	struct perfctr_event_entry entry;
	char name[PERFCTR_NAME_SIZE];
	unsigned int n = 0;

	while ((n = perfctr_event_walk(table, n, &entry))) {
		entry_name(&entry, name, sizeof(name));
		perfctr_nearest_note(near, name);
	}
}

void perfctr_table_note_aliases(const struct perfctr_event_table *table,
				struct perfctr_nearest *near)
{
	const char *name;
	unsigned int n;

	for (n = 0; (name = perfctr_event_alias(table, n)); n++)
		if (!strchr(name, ':'))
			perfctr_nearest_note(near, name);
}

static int fail_word(const struct target *target, enum perfctr_event_error error, const char *word,
		     size_t length, const char *part, size_t part_length, unsigned int event)
{
	int n = length > 100 ? 100 : (int)length, k = part_length > 100 ? 100 : (int)part_length;
	struct perfctr_nearest near = { .word = part, .length = part_length };
	char masks[300], text[PERFCTR_NEAREST_TEXT], remedy[80];

	switch (error) {
	case PERFCTR_EVENT_NO_MASK:
		if (target->perfs && perfctr_is_late_edge(part, word + length))
			return perfctr_fail_late_edge(word, length, part);
		list_masks(target->table, event, masks, sizeof(masks));
		return perfctr_fail(EINVAL,
				    "\"%.*s\" in \"%.*s\" is neither a modifier (u, k, e, i, c=N) "
				    "nor a unit mask of the event, which has %s",
				    k, part, n, word, masks[0] ? masks : "none");
	case PERFCTR_EVENT_NEEDS_MASK:
		list_masks(target->table, event, masks, sizeof(masks));
		return perfctr_fail(EINVAL,
				    "\"%.*s\" needs a unit mask; write it after a colon: %s", n,
				    word, masks);
	case PERFCTR_EVENT_ONE_MASK:
		return perfctr_fail(EINVAL,
				    "\"%.*s\" can't be combined with a unit mask before it in "
				    "\"%.*s\"; leave out one of them",
				    k, part, n, word);
	case PERFCTR_EVENT_MODIFIER:
		return perfctr_fail(EINVAL,
				    "the modifier \"%.*s\" in \"%.*s\" is given twice, or its "
				    "number is not one from 0 to 255",
				    k, part, n, word);
	default:
		note_entries(target->table, &near);
		perfctr_table_note_aliases(target->table, &near);
		snprintf(remedy, sizeof(remedy), ", whose own names \"perfex -l --cpu %s\" lists",
			 target->cpu.id);
		return perfctr_fail(EINVAL, "\"%.*s\" is not an event of the %s%s", k, part,
				    target->cpu.name,
				    perfctr_nearest_text(&near, remedy, text, sizeof(text)));
	}
}

/* This is out of line, so that the successful path needs no stack. */
static int fail_in(const struct perfctr_cpu *cpu, const struct perfctr_event_table *table,
		   enum perfctr_event_error error, const char *word, size_t length,
		   const char *part, size_t part_length, unsigned int event)
	__attribute__((noinline, cold));

static int fail_in(const struct perfctr_cpu *cpu, const struct perfctr_event_table *table,
		   enum perfctr_event_error error, const char *word, size_t length,
		   const char *part, size_t part_length, unsigned int event)
{
	struct target target = { *cpu, table, false, true };
	const char *end = word + length;
	const size_t before = (size_t)(part - word) - 1;
	struct perfctr_event_choice choice;
	struct perf_event_attr attr = { .size = sizeof(attr) };

	if (error != PERFCTR_EVENT_NO_MASK || !perfctr_are_modifiers(part, end) ||
	    perfctr_is_late_edge(part, end))
		return fail_word(&target, error, word, length, part, part_length, event);
	/* The caller leaves perf's modifiers out, and if that does not help they are not the
	 * reason. */
	error = perfctr_event_lookup(table, word, before, &choice, &part, &part_length, &event);
	if (error)
		return fail_word(&target, error, word, before, part, part_length, event);
	return perfctr_event_attr(cpu, &choice, word, before, &attr) < 0
		       ? -1
		       : fail_word(&target, PERFCTR_EVENT_NO_MASK, word, length, word + before + 1,
				   length - before - 1, event);
}

/* Room for a preset's event and its modifiers. */
enum { PRESET_TEXT = 2 * PERFCTR_NAME_SIZE };

/* One of PAPI's presets. 1: there it is; 0: it is not; -1 after perfctr_fail(). */
static SELDOM int choose_preset(const struct target *target, const char *word, size_t length,
				struct perfctr_event_choice *choice)
{
	enum perfctr_event_error error;
	char text[PRESET_TEXT];
	unsigned int event = 0;
	size_t part_length;
	const char *part;
	int found = perfctr_preset_event(word, length, target->table, text, sizeof(text));

	if (found <= 0)
		return found;
	error = perfctr_event_lookup(target->table, text, strlen(text), choice, &part, &part_length,
				     &event);
	return error ? fail_word(target, error, text, strlen(text), part, part_length, event) : 1;
}

static SELDOM int parse_preset(const struct perfctr_cpu *cpu,
			       const struct perfctr_event_table *table, const char *word,
			       size_t length, struct perf_event_attr *attr)
{
	struct target target = { *cpu, table, false, true };
	struct perfctr_event_choice choice;
	int found = choose_preset(&target, word, length, &choice);

	if (found <= 0)
		return found;
	return perfctr_event_attr(cpu, &choice, word, length, attr) < 0 ? -1 : 1;
}

/* An event in this table, of this processor, by the rules of perfctr_table_parse(). */
static inline int parse_in(const struct perfctr_cpu *cpu, const struct perfctr_event_table *table,
			   const char *word, size_t length, struct perf_event_attr *attr)
{
	struct perfctr_event_choice choice;
	enum perfctr_event_error error;
	size_t part_length;
	const char *part;
	unsigned int event = 0;

	error = perfctr_event_lookup(table, word, length, &choice, &part, &part_length, &event);
	if (!error)
		return perfctr_event_attr(cpu, &choice, word, length, attr) < 0 ? -1 : 1;
	return error == PERFCTR_EVENT_UNKNOWN
		       ? parse_preset(cpu, table, word, length, attr)
		       : fail_in(cpu, table, error, word, length, part, part_length, event);
}

int perfctr_table_parse(const char *word, size_t length, struct perf_event_attr *attr)
{
	const struct perfctr_event_table *table;
	const struct perfctr_cpu *cpu = perfctr_this_cpu_table(&table);

	return table ? parse_in(cpu, table, word, length, attr) : 0;
}

int perfctr_core_table_parse(const struct perfctr_pmu *core, const char *word, size_t length,
			     struct perf_event_attr *attr)
{
	const struct perfctr_event_table *table;
	struct perfctr_cpu cpu;
	int found;

	table = perfctr_core_table(core, &cpu);
	found = table ? parse_in(&cpu, table, word, length, attr) : 0;
	if (found > 0)
		attr->type = core->type;
	return found;
}

/* ---- lists ---- */

int perfctr_cpu_list(int (*each)(void *arg, const struct perfctr_event_name *name), void *arg)
{
	struct perfctr_event_name name = { .kind = "cpu" };
	const struct perfctr_isa *isa;
	struct perfctr_cpu cpu;
	unsigned int k, n;
	int result;

	if (!each)
		return perfctr_fail(EINVAL,
				    "perfctr_cpu_list() needs a function to call, not NULL");
	for (k = 0; (isa = perfctr_isa(k)); k++) {
		for (n = 0; (name.name = perfctr_isa_id(isa, n)); n++) {
			perfctr_cpu_named(name.name, &cpu);
			name.description = cpu.name;
			result = each(arg, &name);
			if (result)
				return result;
		}
	}
	return 0;
}

static SELDOM bool has_choice(const struct perfctr_event_table *table, const char *name,
			      struct perfctr_event_choice *choice)
{
	size_t part_length;
	unsigned int event;
	const char *part;

	return perfctr_event_lookup(table, name, strlen(name), choice, &part, &part_length,
				    &event) == 0 &&
	       !choice->pebs;
}

/* Whether the processor can count the name: its table may say more than a control can. */
static SELDOM bool has_code(const struct perfctr_cpu *cpu, const struct perfctr_event_table *table,
			    const char *name)
{
	struct perfctr_event_choice choice;
	struct perfctr_code code;

	return has_choice(table, name, &choice) && !cpu->isa->choice_code(cpu, &choice, &code);
}

static bool has_name(const struct perfctr_event_table *table, const char *name)
{
	struct perfctr_event_choice choice;

	return has_choice(table, name, &choice);
}

/* How the masks of an event are chosen. */
static void describe_choice(const struct perfctr_event_entry *entry, char *text, size_t size)
{
	if (entry->mask && entry->grouped)
		snprintf(text, size, "%sgroup %d%s", entry->combines ? "" : "one of ",
			 entry->group + 1, entry->is_default ? ", default" : "");
	else
		snprintf(text, size, "%s",
			 entry->is_default ? "default"
			 : !entry->masks   ? ""
			 : entry->combines ? "takes unit masks, combined"
					   : "takes a unit mask");
}

enum { DESCRIPTION = 2 * PERFCTR_EVENT_TEXT + 40 };

/*
 * Describes a name beside its code: its own text, before it that of its event, and how masks are
 * chosen. n and event are the results of the walks to it and to its event.
 */
static void describe(const struct perfctr_event_table *table, unsigned int n, unsigned int event,
		     const struct perfctr_event_entry *entry, char text[DESCRIPTION])
{
	char own[PERFCTR_EVENT_TEXT], choice[40];
	size_t used = perfctr_event_text(table, event, text, PERFCTR_EVENT_TEXT);

	if (n != event && perfctr_event_text(table, n, own, sizeof(own)))
		used += (size_t)sprintf(text + used, "%s%s", used ? ": " : "", own);
	describe_choice(entry, choice, sizeof(choice));
	if (choice[0])
		sprintf(text + used, used ? " (%s)" : "%s", choice);
}

/* Puts the text of the vendor's files before the description. */
static void describe_by_vendor(const char *name, char text[DESCRIPTION])
{
	const struct perfctr_vendor_event *vendors = perfctr_vendor_find(name);
	char known[DESCRIPTION];

	if (!vendors || !*vendors->text)
		return;
	memcpy(known, text, sizeof(known));
	snprintf(text, DESCRIPTION, *known ? "%.160s (%.60s)" : "%.160s", vendors->text, known);
}

/* The names of a processor's table that none of n others has. */
static SELDOM int list_table(const struct perfctr_cpu *cpu, const struct perfctr_event_table *table,
			     const struct perfctr_event_table *const others[], int others_n,
			     int (*each)(void *arg, const struct perfctr_event_name *name),
			     void *arg)
{
	struct perfctr_event_name name = { .kind = "cpu" };
	struct perfctr_event_entry entry;
	char text[160], description[DESCRIPTION];
	unsigned int n = 0, event = 0;
	int i, result;

	name.name = text;
	name.description = description;
	while ((n = perfctr_event_walk(table, n, &entry))) {
		if (!entry.mask)
			event = n;
		/* A name that can't be counted by itself is not listed. */
		if (entry.needs_mask || entry.pebs)
			continue;
		entry_name(&entry, text, sizeof(text));
		for (i = 0; i < others_n && !has_name(others[i], text);)
			i++;
		if (i < others_n || !has_code(cpu, table, text))
			continue;
		describe(table, n, event, &entry, description);
		if (!perfctr_event_text(table, n, NULL, 0) && table == perfctr_this_table())
			describe_by_vendor(text, description);
		result = each(arg, &name);
		if (result)
			return result;
	}
	return 0;
}

int perfctr_table_cpu(struct perfctr_cpu *cpu, const char *id)
{
	struct target target;

	if (!id) {
		*cpu = *perfctr_this_cpu();
		return 0;
	}
	if (target_open(&target, id) < 0)
		return -1;
	*cpu = target.cpu;
	return 0;
}

int perfctr_cpu_event_list(const char *cpu,
			   int (*each)(void *arg, const struct perfctr_event_name *name), void *arg)
{
	struct target target;

	if (!each)
		return perfctr_fail(EINVAL,
				    "perfctr_cpu_event_list() needs a function to call, not NULL");
	return target_open(&target, cpu) < 0
		       ? -1
		       : list_table(&target.cpu, target.table, NULL, 0, each, arg);
}

int perfctr_cores_event_list(const struct perfctr_pmu *cores, int n,
			     int (*each)(void *arg, const struct perfctr_event_name *), void *arg)
{
	const struct perfctr_event_table *tables[PERFCTR_VARIANTS_MAX + 1];
	struct perfctr_cpu cpu;
	int i, k = 1, result = 0;

	tables[0] = perfctr_this_table();
	if (!tables[0])
		return 0;
	for (i = 0; i < n && result == 0; i++) {
		tables[k] = perfctr_core_table(&cores[i], &cpu);
		if (tables[k]) {
			result = list_table(&cpu, tables[k], tables, k, each, arg);
			k++;
		}
	}
	return result;
}

/* The tables of this machine's processor and of all kinds of its cores. Their number. */
static SELDOM int all_tables(const struct perfctr_event_table *tables[PERFCTR_VARIANTS_MAX + 1])
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	struct perfctr_cpu cpu;
	int i, n = perfctr_this_table() ? perfctr_core_pmus(cores) : 0, k = 0;

	tables[0] = perfctr_this_table();
	k += tables[0] != NULL;
	for (i = 0; i < n; i++) {
		tables[k] = perfctr_core_table(&cores[i], &cpu);
		k += tables[k] != NULL;
	}
	return k;
}

int perfctr_vendor_list(int (*each)(void *arg, const struct perfctr_event_name *), void *arg)
{
	const struct perfctr_event_table *tables[PERFCTR_VARIANTS_MAX + 1];
	struct perfctr_event_name name = { .kind = "cpu" };
	const struct perfctr_vendor_event *event;
	int k, n = all_tables(tables), result = 0;
	size_t i;

	for (i = 0; result == 0 && (event = perfctr_vendor_nth(i)); i++) {
		for (k = 0; k < n && !has_name(tables[k], event->name);)
			k++;
		name.name = event->name;
		name.description = event->text;
		/* Several core types may have it. */
		if (k == n && !event->pebs && perfctr_vendor_find(event->name) == event)
			result = each(arg, &name);
	}
	return result;
}

/* ---- names -> controls ---- */

/* The names of a set of events, for a message. */
static void name_set(char *text, size_t size, const char *const words[], const size_t lengths[],
		     uint32_t set)
{
	size_t used = 0;
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < PERFCTR_ASSIGN_MAX; i++) {
		int shown = lengths[i] > 100 ? 100 : (int)lengths[i];

		if (!(set >> i & 1) || used + (size_t)shown + 16 > size)
			continue;
		used += (size_t)sprintf(text + used, "%s%.*s", used ? ", " : "", shown, words[i]);
	}
}

/* The same event in the vendor's files. 1: there it is; 0: it is not; -1 after perfctr_fail(). */
static int choose_vendors(const struct target *target, const char *word, size_t length,
			  struct perfctr_event_choice *choice)
{
	enum perfctr_event_error error;
	size_t used, part_length;
	const char *part;
	int found = perfctr_vendor_choose(word, length, choice, &used);

	if (found <= 0)
		return found;
	error = perfctr_event_modify(word, used, length, choice, &part, &part_length);
	if (error == PERFCTR_EVENT_NO_MASK)
		return perfctr_fail(EINVAL,
				    "\"%.*s\" in \"%.*s\" is not a modifier (u, k, e, i, c=N)",
				    perfctr_shown(part_length), part, perfctr_shown(length), word);
	return error ? fail_word(target, error, word, length, part, part_length, 0) : 1;
}

/* Finds an event of the list. 0, or -1 after perfctr_fail(). */
static SELDOM int choose_event(const struct target *target, const char *word, size_t length,
			       struct perfctr_event_choice *choice)
{
	enum perfctr_event_error error;
	unsigned int event = 0;
	size_t part_length;
	const char *part;
	int found = 0;

	error = perfctr_event_lookup(target->table, word, length, choice, &part, &part_length,
				     &event);
	if (error && target->native)
		found = choose_vendors(target, word, length, choice);
	if (error == PERFCTR_EVENT_UNKNOWN && !found)
		found = choose_preset(target, word, length, choice);
	if (found < 0)
		return -1;
	if (error == PERFCTR_EVENT_UNKNOWN && !found && target->native &&
	    perfctr_vendor_check() < 0)
		return -1;
	return !error || found ? 0
			       : fail_word(target, error, word, length, part, part_length, event);
}

/* Counts in both modes where no modifier says in which. */
static void choose_modes(struct perfctr_event_choice *choice)
{
	if (!choice->user && !choice->kernel)
		choice->user = choice->kernel = 1;
}

/* Whether a conflict is one of several events with each other. */
static bool is_of_several(uint32_t conflict)
{
	return conflict & (conflict - 1);
}

/* events -> a control of the target's ISA, in n counters, of which place[] tells the order. */
static SELDOM int make_control(const struct target *target, const char *events, void *control,
			       unsigned int place[], unsigned int *n)
{
	struct perfctr_event_choice choices[PERFCTR_ASSIGN_MAX];
	const char *words[PERFCTR_ASSIGN_MAX] = { NULL }, *reason;
	size_t lengths[PERFCTR_ASSIGN_MAX] = { 0 };
	const struct perfctr_cpu *cpu = &target->cpu;
	struct perfctr_program program;
	struct perfctr_diagnosis d;
	unsigned int i;
	bool inside = false; /* braces: all of a control count together anyway */
	char names[300];     /* perfctr_error() has room for the reason, too */
	uint32_t conflict;
	ssize_t length;

	if (!events)
		return perfctr_fail(EINVAL, "a list of events is needed, not NULL");
	for (*n = 0; (length = perfctr_event_next(&events, &words[*n])) > 0; ++*n) {
		lengths[*n] = (size_t)length;
		if (perfctr_event_braces(&words[*n], &lengths[*n], &inside) < 0)
			return -1;
		if (choose_event(target, words[*n], lengths[*n], &choices[*n]) < 0)
			return -1;
		if (choices[*n].precise)
			return perfctr_fail(EINVAL,
					    "%.*s: the modifier p (precise) is for sampling by "
					    "perf_events; a control has none",
					    perfctr_shown(lengths[*n]), words[*n]);
		choose_modes(&choices[*n]);
		if (*n == PERFCTR_ASSIGN_MAX - 1)
			return perfctr_fail(EINVAL, "%d events are more than any processor counts",
					    PERFCTR_ASSIGN_MAX);
	}
	if (length < 0)
		return -1;
	if (*n == 0)
		return perfctr_fail(EINVAL, "the list of events is empty");
	if (inside)
		return perfctr_event_not_closed(words[*n - 1]);
	if (cpu->isa->encode(cpu, choices, *n, control, place, &conflict, &reason) < 0) {
		name_set(names, sizeof(names), words, lengths, conflict);
		if (is_of_several(conflict))
			return perfctr_fail(ENOSPC, "%s can't be counted together: %s", names,
					    reason);
		return perfctr_fail_choice(cpu, names, strlen(names), reason);
	}
	if (cpu->isa->compile(cpu, control, PERFCTR_COMPILE_EXTENDED, &program, &d) < 0) {
		for (i = 0; i < *n - 1 && place[i] != (unsigned int)d.index;)
			i++;
		return perfctr_fail_choice(cpu, words[i], lengths[i], d.rule);
	}
	return 0;
}

int perfctr_table_fits(const char *id, const char *const words[], const size_t lengths[],
		       unsigned int n)
{
	unsigned int control[PERFCTR_CONTROL_WORDS] = { 0 }, place[PERFCTR_ASSIGN_MAX], i, event,
		     known = 0;
	struct perfctr_event_choice choices[PERFCTR_ASSIGN_MAX];
	const char *part, *reason;
	struct target target;
	size_t part_length;
	uint32_t conflict;

	if (target_open(&target, id) < 0 || !target.table)
		return 2;
	for (i = 0; i < n; i++) {
		if (perfctr_event_lookup(target.table, words[i], lengths[i], &choices[known], &part,
					 &part_length, &event) != PERFCTR_EVENT_OK &&
		    choose_preset(&target, words[i], lengths[i], &choices[known]) <= 0)
			continue;
		choose_modes(&choices[known++]);
	}
	if (known &&
	    target.cpu.isa->encode(&target.cpu, choices, known, control, place, &conflict,
				   &reason) < 0 &&
	    is_of_several(conflict))
		return 0;
	return known == n ? 1 : 2;
}

int perfctr_cpu_control_events(struct perfctr_cpu_control *control, const char *events)
{
	unsigned int place[PERFCTR_ASSIGN_MAX], n;
	struct perfctr_cpu_control made;
	struct target target;

	if (!control || !events)
		return perfctr_fail(EINVAL, "a control and a list of events are needed, not NULL");
	if (target_native(&target) < 0)
		return -1;
	memset(&made, 0, sizeof(made));
	made.tsc_on = !target.cpu.no_tsc;
	if (make_control(&target, events, &made, place, &n) < 0)
		return -1;
	*control = made;
	return (int)n;
}

/* ---- printing ---- */

/* Returns a member of a control: the structures of all ISAs consist of 32-bit words. */
static unsigned int word_at(const void *control, const struct perfctr_field *field, unsigned int i)
{
	unsigned int word;

	memcpy(&word, (const char *)control + field->offset + i * sizeof(word), sizeof(word));
	return word;
}

static void print_word(const struct perfctr_field *field, int i, unsigned int word)
{
	char name[40];

	if (i < 0)
		snprintf(name, sizeof(name), "%s", field->name);
	else
		snprintf(name, sizeof(name), "%s[%d]", field->name, i);
	if (!strcmp(field->name, "ireset"))
		printf("%-23s %d\n", name, (int)word);
	else if (field->count || strchr(field->name, '.'))
		printf("%-23s 0x%08X\n", name, word);
	else
		printf("%-23s %u\n", name, word);
}

static SELDOM void print_control(const struct perfctr_cpu *cpu, const void *control)
{
	const struct perfctr_field *field, *all = cpu->isa->fields(cpu);
	unsigned int nractrs = word_at(control, &all[1], 0),
		     n = nractrs + word_at(control, &all[2], 0);
	unsigned int i, word, count = all[3].count;

	/*
	 * The three scalars come first, then counter by counter, then the rest as far as it is
	 * used.
	 */
	for (field = all; field < all + 3; field++)
		if (field < all + 2 || word_at(control, field, 0))
			print_word(field, -1, word_at(control, field, 0));
	for (i = 0; i < n && i < count; i++) {
		for (field = all + 3; field->name[0]; field++) {
			if (field->count != count)
				continue;
			word = word_at(control, field, i);
			if (word || field < all + 5)
				print_word(field, (int)i, word);
		}
	}
	for (field = all + 3; field->name[0]; field++) {
		for (i = 0; field->count != count && i < (field->count ? field->count : 1u); i++) {
			word = word_at(control, field, i);
			if (word)
				print_word(field, field->count ? (int)i : -1, word);
		}
	}
}

void perfctr_cpu_control_print(const struct perfctr_cpu_control *control)
{
	if (control)
		print_control(perfctr_this_cpu(), control);
}

int perfctr_cpu_events_print(const char *cpu, const char *events)
{
	unsigned int control[PERFCTR_CONTROL_WORDS] = { 1 }, place[PERFCTR_ASSIGN_MAX], n;
	struct target target;

	if (target_open(&target, cpu) < 0)
		return -1;
	control[0] = !target.cpu.no_tsc;
	if (make_control(&target, events, control, place, &n) < 0)
		return -1;
	printf("cpu                     %s (%s)\n", target.cpu.id, target.cpu.name);
	print_control(&target.cpu, control);
	return 0;
}

/* ---- the historical description of events ---- */

static unsigned int historical_mask(const struct target *target,
				    const struct perfctr_event_entry *entry)
{
	return target->cpu.rules == PERFCTR_RULES_P4 ? entry->code >> 9 & 0xFFFF
						     : entry->code >> 8 & 0xFF;
}

/* Makes room for all texts of a table: for an event its description, for a mask also "NAME: ". */
static char *room_for_texts(const struct perfctr_event_table *table)
{
	struct perfctr_event_entry entry;
	size_t size = 1;
	unsigned int n = 0;

	while ((n = perfctr_event_walk(table, n, &entry)))
		size += perfctr_event_text(table, n, NULL, 0) + 1 +
			(entry.mask ? strlen(entry.mask) + 2 : 0);
	return calloc(1, size);
}

/* The text of the name of which a walk returned n, at *texts, which goes on after it. */
static const char *historical_text(const struct perfctr_event_table *table, unsigned int n,
				   const char *mask, char **texts)
{
	char *text = *texts;

	if (!perfctr_event_text(table, n, NULL, 0))
		return mask ? mask : "";
	if (mask)
		*texts += sprintf(*texts, "%s: ", mask);
	*texts += perfctr_event_text(table, n, *texts, PERFCTR_EVENT_TEXT) + 1;
	return text;
}

/*
 * Makes the masks of the event with entry n - 1 into struct perfctr_unit_mask, which has no room
 * for more than 255.
 */
static SELDOM struct perfctr_unit_mask *historical_masks(const struct target *target,
							 unsigned int n,
							 const struct perfctr_event_entry *event,
							 char **texts)
{
	struct perfctr_event_entry entry;
	struct perfctr_unit_mask *masks;
	unsigned int i, k, count = 0;

	for (i = n;
	     (i = perfctr_event_walk(target->table, i, &entry)) && entry.mask && count < 255;)
		count++;
	masks = calloc(1, sizeof(*masks) + count * sizeof(masks->values[0]));
	if (!masks)
		return NULL;
	masks->type = event->combines ? perfctr_um_type_bitmask
		      : count == 1    ? perfctr_um_type_fixed
				      : perfctr_um_type_exclusive;
	masks->nvalues = (unsigned char)count;
	if (!count) {
		/* The only one has no name. */
		masks->type = perfctr_um_type_fixed;
		masks->nvalues = 1;
		masks->default_value = (unsigned short)historical_mask(target, event);
		masks->values[0].value = masks->default_value;
		masks->values[0].description = "";
	}
	for (i = n, k = 0; k < count; k++) {
		i = perfctr_event_walk(target->table, i, &entry);
		masks->values[k].value = historical_mask(target, &entry);
		masks->values[k].group = entry.group;
		masks->values[k].exclusive = !entry.combines;
		masks->values[k].is_default = entry.is_default;
		masks->values[k].description = historical_text(target->table, i, entry.mask, texts);
		if (entry.is_default)
			masks->default_value |= (unsigned short)masks->values[k].value;
	}
	return masks;
}

static void free_events(struct perfctr_event *events, unsigned int n)
{
	while (events && n > 0)
		free((void *)events[--n].unit_mask);
	free(events);
}

/* Makes the event with entry n - 1. */
static SELDOM int historical_event(const struct target *target, unsigned int n,
				   const struct perfctr_event_entry *entry,
				   struct perfctr_event *event, char **texts)
{
	const enum perfctr_rules rules = target->cpu.rules;
	bool has_masks = entry->masks;

	event->evntsel = (unsigned short)(rules == PERFCTR_RULES_P4
						  ? entry->code >> 25
						  : (entry->code & 0xFFFF) | (entry->high & 0xF)
										     << 8);
	if (rules == PERFCTR_RULES_ARCH || rules == PERFCTR_RULES_P6) {
		event->evntsel &= 0xFF;
		has_masks |= historical_mask(target, entry) != 0;
	}
	event->counters_set = (unsigned short)(entry->counters & target->cpu.counters);
	event->name = entry->event;
	event->description = historical_text(target->table, n, NULL, texts);
	event->unit_mask = has_masks ? historical_masks(target, n, entry, texts) : NULL;
	return has_masks && !event->unit_mask ? -1 : 0;
}

/*
 * Can perfctr's form say it? It has an event's code and its unit mask, of the programmable counters
 * alone.
 */
static bool is_historical(const struct target *target, const struct perfctr_vendor_event *event)
{
	return !(event->code >> 16) && !(event->high & ~0xFu) && !event->reg && !event->fixed &&
	       !has_name(target->table, event->name);
}

static const struct perfctr_vendor_event *next_historical(const struct target *target, size_t *n)
{
	const struct perfctr_vendor_event *event;

	while (target->native && (event = perfctr_vendor_own((*n)++)))
		if (is_historical(target, event))
			return event;
	return NULL;
}

/* Events of PERFCTR_EVENTS: the unit mask is a part of them. */
static int vendors_event(const struct target *target, const struct perfctr_vendor_event *from,
			 struct perfctr_event *event)
{
	bool plain = target->cpu.rules == PERFCTR_RULES_PMUV3;
	struct perfctr_unit_mask *mask;

	event->evntsel = (unsigned short)((from->code & (plain ? 0xFFFF : 0xFF)) |
					  (from->high & 0xF) << 8);
	event->counters_set = (unsigned short)(target->cpu.counters & from->counters);
	event->name = from->name;
	event->description = from->text;
	if (plain || !(from->code >> 8 & 0xFF))
		return 0;
	mask = calloc(1, sizeof(*mask));
	event->unit_mask = mask;
	if (!mask)
		return -1;
	mask->type = perfctr_um_type_fixed;
	mask->nvalues = 1;
	mask->default_value = (unsigned short)(from->code >> 8 & 0xFF);
	mask->values[0].value = mask->default_value;
	mask->values[0].description = "";
	return 0;
}

/* Built when it is asked for, and kept: the pointers in it are for the program's whole life. */
static SELDOM const struct perfctr_event_set *historical_set(const struct target *target)
{
	struct perfctr_event_entry entry;
	struct perfctr_event_set *set = calloc(1, sizeof(*set));
	char *texts = room_for_texts(target->table), *text = texts;
	const struct perfctr_vendor_event *vendors;
	struct perfctr_event *events;
	unsigned int n, i, count = 0;
	size_t k = 0;

	for (n = 0; (n = perfctr_event_walk(target->table, n, &entry));)
		count += !entry.mask;
	while (next_historical(target, &k))
		count++;
	events = calloc(count, sizeof(*events));
	if (!set || !events || !texts)
		goto no_memory;
	for (n = 0, i = 0; (n = perfctr_event_walk(target->table, n, &entry));)
		if (!entry.mask && historical_event(target, n, &entry, &events[i++], &text) < 0)
			goto no_memory;
	for (k = 0; i < count && (vendors = next_historical(target, &k));)
		if (vendors_event(target, vendors, &events[i++]) < 0)
			goto no_memory;
	set->cpu_type = target->cpu.type;
	set->event_prefix = "";
	set->nevents = i;
	set->events = events;
	return set;

no_memory:
	free(set);
	free(texts);
	free_events(events, count);
	perfctr_fail(ENOMEM, "no memory for the description of %u events", count);
	return NULL;
}

const struct perfctr_event_set *perfctr_cpu_event_set(unsigned int cpu_type)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static const struct perfctr_event_set *sets[32];
	const struct perfctr_event_set *set;
	struct target target;
	const char *id;

	/* It is this machine's own table, or that of the first processor of the type. */
	if (target_native(&target) < 0 || target.cpu.type != cpu_type) {
		id = perfctr_isa_type_id(perfctr_this_cpu()->isa, cpu_type);
		if (!id || cpu_type >= ARRAY_SIZE(sets)) {
			perfctr_fail(ENOENT,
				     "there is no table of events for the processor type %u",
				     cpu_type);
			return NULL;
		}
		perfctr_cpu_named(id, &target.cpu);
		target.table = perfctr_event_table(id);
		target.cpu.type = cpu_type;
	}
	pthread_mutex_lock(&lock);
	if (!sets[cpu_type])
		sets[cpu_type] = historical_set(&target);
	set = sets[cpu_type];
	pthread_mutex_unlock(&lock);
	return set;
}
