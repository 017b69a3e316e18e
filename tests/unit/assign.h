/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * assign.h - helpers for the tests of event placement. Before it the includer includes its ISA's
 * ABI header, and says which ISA it is and what its controls count.
 *
 * Whether events fit together is decided here a second time, by trying everything.
 */
#ifndef PERFCTR_TESTS_ASSIGN_H
#define PERFCTR_TESTS_ASSIGN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tests/harness/random.h"
#include "arch/isa.h"

#define FIXED 0x40000000u
#define NAMES 4096

/* Every name of a table that can be looked up. */
struct names {
	unsigned int n;
	char word[NAMES][128];
	struct perfctr_event_choice choice[NAMES];
};

static struct perfctr_cpu cpu_named(const char *id)
{
	struct perfctr_cpu cpu;

	ck_assert_msg(perfctr_cpu_named(id, &cpu) == 0, "no %s", id);
	return cpu;
}

static struct perfctr_event_choice look_up(const char *id, const char *word)
{
	struct perfctr_event_choice choice;
	const char *part;
	size_t length;
	unsigned int event;

	ck_assert_msg(perfctr_event_lookup(perfctr_event_table(id), word, strlen(word), &choice,
					   &part, &length, &event) == PERFCTR_EVENT_OK,
		      "%s has no %s", id, word);
	return choice;
}

/* With both levels, unless the word says other. */
static struct perfctr_event_choice look_up_both(const char *id, const char *word)
{
	struct perfctr_event_choice choice = look_up(id, word);

	if (!choice.user && !choice.kernel)
		choice.user = choice.kernel = 1;
	return choice;
}

static void get_names(const char *id, struct names *names)
{
	const struct perfctr_event_table *table = perfctr_event_table(id);
	struct perfctr_event_entry entry;
	unsigned int next, event;
	const char *part;
	size_t length;

	ck_assert_msg(table != NULL, "no table %s", id);
	names->n = 0;
	for (next = 0; (next = perfctr_event_walk(table, next, &entry));) {
		struct perfctr_event_choice *choice = &names->choice[names->n];
		char *word = names->word[names->n];
		enum perfctr_event_error error;

		ck_assert_uint_lt(names->n, NAMES);
		snprintf(word, sizeof(names->word[0]), "%s%s%s", entry.event, entry.mask ? ":" : "",
			 entry.mask ? entry.mask : "");
		error = perfctr_event_lookup(table, word, strlen(word), choice, &part, &length,
					     &event);
		if (error == PERFCTR_EVENT_NEEDS_MASK && !entry.mask)
			continue;
		ck_assert_msg(error == PERFCTR_EVENT_OK, "%s: %s: error %d", id, word, (int)error);
		choice->user = choice->kernel = 1;
		names->n++;
	}
	ck_assert_uint_gt(names->n, 0);
}

/* ---- the oracle: everything is tried ---- */

/* One place for one choice. */
struct spot {
	const struct perfctr_event_choice *choice;
	const struct perfctr_event_option *option;
	uint32_t counter;
};

/* Zen's event 003H takes an even counter and the odd one after it. */
static uint32_t counters_taken(const struct perfctr_cpu *cpu,
			       const struct perfctr_event_option *option)
{
	return cpu->pairs && (option->code & 0xFF) == 3 && (option->high & 0xF) == 0 ? 2 : 1;
}

static int reaches(const struct perfctr_cpu *cpu, const struct perfctr_event_option *option,
		   uint32_t counter)
{
	if (counter & FIXED)
		return cpu->rules == PERFCTR_RULES_ARCH &&
		       (option->fixed & cpu->fixed) >> (counter & 31) & 1;
	if (counters_taken(cpu, option) == 2 &&
	    (counter % 2 != 0 || !(cpu->counters >> (counter + 1) & 1)))
		return 0;
	return (option->counters & cpu->counters) >> counter & 1;
}

/* A P4's ESCR holds the event, its masks and its levels, any other register the value. */
static int together(const struct perfctr_cpu *cpu, const struct spot *a, const struct spot *b)
{
	const struct perfctr_event_option *x = a->option, *y = b->option;

	if (a->counter < b->counter + counters_taken(cpu, y) &&
	    b->counter < a->counter + counters_taken(cpu, x))
		return 0;
	if (cpu->rules == PERFCTR_RULES_P4) {
		if (x->reg == y->reg && x->reg &&
		    (x->code != y->code || a->choice->user != b->choice->user ||
		     a->choice->kernel != b->choice->kernel))
			return 0;
		return !x->pebs_enable || !y->pebs_enable ||
		       (x->pebs_enable == y->pebs_enable &&
			x->pebs_matrix_vert == y->pebs_matrix_vert);
	}
	/* Of Nova Lake's four registers two have the same word of the control. */
	if (cpu->omr && x->reg - 0x3E0 < 4 && y->reg - 0x3E0 < 4)
		return x->reg % 2 != y->reg % 2 || x->value == y->value;
	return !x->reg || x->reg != y->reg || x->value == y->value;
}

/* The first k of the choices in the set have their spots: is there a way for the others? */
static int possible(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		    unsigned int n, uint32_t set, struct spot spots[], unsigned int used)
{
	struct spot *spot = &spots[used];
	unsigned int who, o, c, i;

	for (who = 0; who < n && !(set >> who & 1); who++)
		;
	if (who == n)
		return 1;
	spot->choice = &choices[who];
	for (o = 0; o < choices[who].options; o++) {
		spot->option = &choices[who].option[o];
		for (c = 0; c < 64; c++) {
			spot->counter = c < 32 ? c : FIXED + c - 32;
			if (!reaches(cpu, spot->option, spot->counter))
				continue;
			for (i = 0; i < used && together(cpu, &spots[i], spot); i++)
				;
			if (i == used &&
			    possible(cpu, choices, n, set & ~(1u << who), spots, used + 1))
				return 1;
		}
	}
	return 0;
}

static int fits(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		unsigned int n, uint32_t set)
{
	struct spot spots[PERFCTR_ASSIGN_MAX];

	return possible(cpu, choices, n, set, spots, 0);
}

/* The assignment keeps every constraint. */
static void assigned(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		     unsigned int n, const unsigned int option[], const uint32_t counter[])
{
	struct spot spots[PERFCTR_ASSIGN_MAX];
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		ck_assert_uint_lt(option[i], choices[i].options);
		spots[i] = (struct spot){ &choices[i], &choices[i].option[option[i]], counter[i] };
		ck_assert_msg(reaches(cpu, spots[i].option, counter[i]),
			      "%s: choice %u can't be on counter %#x", cpu->id, i, counter[i]);
		for (j = 0; j < i; j++)
			ck_assert_msg(together(cpu, &spots[j], &spots[i]),
				      "%s: choices %u and %u collide", cpu->id, j, i);
	}
}

/* Place them and compare with the oracle. Returns whether it is possible. */
static int compare(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		   unsigned int n)
{
	unsigned int option[PERFCTR_ASSIGN_MAX], i;
	uint32_t counter[PERFCTR_ASSIGN_MAX], conflict = 0xFFFFFFFF;
	int expected = fits(cpu, choices, n, n < 32 ? (1u << n) - 1 : 0xFFFFFFFF);
	int result = perfctr_event_assign(cpu, choices, n, option, counter, &conflict);

	ck_assert_msg((result == 0) == expected, "%s: %u choices are %s", cpu->id, n,
		      expected ? "possible" : "impossible");
	if (result == 0) {
		assigned(cpu, choices, n, option, counter);
		return 1;
	}
	ck_assert_int_eq(result, -1);
	ck_assert_uint_ne(conflict, 0);
	ck_assert_uint_eq(n < 32 ? conflict >> n : 0, 0);
	ck_assert_msg(!fits(cpu, choices, n, conflict), "%s: conflict %#x is none", cpu->id,
		      conflict);
	for (i = 0; i < n; i++)
		ck_assert_msg(!(conflict >> i & 1) || fits(cpu, choices, n, conflict & ~(1u << i)),
			      "%s: conflict %#x does not need choice %u", cpu->id, conflict, i);
	return 0;
}

/*
 * Random small sets of each processor: of the whole table, or of neighbours, which share ESCRs. So
 * many, or fewer if FUZZ_SETS says so.
 */
static void random_sets(unsigned int sets, unsigned int max)
{
	const char *most = getenv("FUZZ_SETS");
	static struct names names;
	unsigned int n, k, i, base, size, yes, no;
	struct perfctr_event_choice choices[8];
	struct perfctr_cpu cpu;
	const char *id;

	if (most && strtoul(most, NULL, 10) < sets)
		sets = (unsigned int)strtoul(most, NULL, 10);
	for (n = 0; (id = perfctr_isa_id(isa, n)); n++) {
		cpu = cpu_named(id);
		get_names(id, &names);
		for (k = 0, yes = no = 0; k < sets; k++) {
			size = 2 + random_below(max - 1);
			base = random_below(names.n);
			for (i = 0; i < size; i++) {
				unsigned int pick = k & 1 ? random_below(names.n)
							  : (base + random_below(12)) % names.n;

				choices[i] = names.choice[pick];
				if (random_below(4) == 0)
					choices[i].user = 0;
				else if (random_below(4) == 0)
					choices[i].kernel = 0;
			}
			*(compare(&cpu, choices, size) ? &yes : &no) += 1;
		}
		printf("%s: %u sets fit, %u do not\n", id, yes, no);
	}
}

/* ---- encoding ---- */

/* Why encode refuses the choices; NULL if it does not. The control is then accepted. */
static const char *encode(const struct perfctr_cpu *cpu,
			  const struct perfctr_event_choice choices[], unsigned int n,
			  struct perfctr_cpu_control *control, unsigned int place[],
			  uint32_t *conflict)
{
	struct perfctr_program program;
	struct perfctr_diagnosis d = { 0 };
	const char *reason = NULL;
	static char text[200];

	memset(control, 0, sizeof(*control));
	*conflict = 0;
	if (isa->encode(cpu, choices, n, control, place, conflict, &reason) < 0) {
		ck_assert_ptr_nonnull(reason);
		ck_assert_uint_ne(*conflict, 0);
		return reason;
	}
	control->tsc_on = !cpu->no_tsc;
	if (isa->compile(cpu, control, PERFCTR_COMPILE_EXTENDED, &program, &d) == 0)
		return NULL;
	snprintf(text, sizeof(text), "NOT ACCEPTED: %s: %s", d.field, d.rule);
	return text;
}

/* The option that the control's counter i counts; NULL if it does not count the choice. */
static const struct perfctr_event_option *counted(const struct perfctr_cpu *cpu,
						  const struct perfctr_cpu_control *control,
						  unsigned int i,
						  const struct perfctr_event_choice *choice)
{
	unsigned int o;

	for (o = 0; o < choice->options; o++)
		if (isa_counts(cpu, control, i, choice, &choice->option[o]))
			return &choice->option[o];
	return NULL;
}

/* The control counts all choices, each where it is said to be. */
static void encoded(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		    unsigned int n, struct perfctr_cpu_control *control)
{
	unsigned int place[PERFCTR_ASSIGN_MAX], i, imode = 0;
	uint32_t conflict, seen = 0;
	const char *reason = encode(cpu, choices, n, control, place, &conflict);

	ck_assert_msg(!reason, "%s: %#x: %s", cpu->id, conflict, reason);
	for (i = 0; i < n; i++)
		imode += choices[i].imode;
	ck_assert_uint_eq(control->nrictrs, imode);
	ck_assert_uint_eq(control->nractrs, n - imode);
	for (i = 0; i < n; i++) {
		ck_assert_uint_lt(place[i], n);
		seen |= 1u << place[i];
		ck_assert_int_eq(place[i] >= control->nractrs, choices[i].imode);
		ck_assert_int_eq(control->ireset[place[i]],
				 choices[i].imode ? (int)choices[i].ireset : 0);
		ck_assert_msg(counted(cpu, control, place[i], &choices[i]) != NULL,
			      "%s: counter %#x, event select %#x does not count choice %u", cpu->id,
			      control->pmc_map[place[i]], control->evntsel[place[i]], i);
	}
	ck_assert_uint_eq(seen, n < 32 ? (1u << n) - 1 : 0xFFFFFFFF);
}

/* They are refused, for a reason with these words, which is about these choices. */
static void refuses(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		    unsigned int n, uint32_t set, const char *words)
{
	struct perfctr_cpu_control control;
	unsigned int place[PERFCTR_ASSIGN_MAX];
	uint32_t conflict;
	const char *reason = encode(cpu, choices, n, &control, place, &conflict);

	ck_assert_msg(reason != NULL, "%s: accepted, and not \"%s\"", cpu->id, words);
	ck_assert_msg(strstr(reason, words) != NULL, "%s: \"%s\" has no \"%s\"", cpu->id, reason,
		      words);
	ck_assert_msg(conflict == set, "%s: conflict %#x and not %#x", cpu->id, conflict, set);
}

/*
 * Every name of every table alone: a control that is accepted and counts it, or one of the reasons
 * (by its beginning; the last is NULL). Totals go to the log.
 */
static void singles(const char *const reasons[])
{
	static struct names names;
	unsigned int totals[16], n, i, k, place[1];
	struct perfctr_cpu_control control;
	struct perfctr_cpu cpu;
	uint32_t conflict;
	unsigned int bad = 0;
	const char *id;

	for (n = 0; (id = perfctr_isa_id(isa, n)); n++) {
		cpu = cpu_named(id);
		get_names(id, &names);
		memset(totals, 0, sizeof(totals));
		for (i = 0; i < names.n; i++) {
			const char *reason = encode(&cpu, &names.choice[i], 1, &control, place,
						    &conflict);

			for (k = 0; reason && reasons[k]; k++)
				if (!strncmp(reason, reasons[k], strlen(reasons[k])))
					break;
			if (reason && reasons[k]) {
				totals[k]++;
			} else if (reason) {
				printf("%s: %s: %s\n", id, names.word[i], reason);
				bad++;
			} else if (control.nractrs != 1 || place[0] != 0 ||
				   !counted(&cpu, &control, 0, &names.choice[i])) {
				printf("%s: %s: %#x on counter %#x counts another event\n", id,
				       names.word[i], control.evntsel[0], control.pmc_map[0]);
				bad++;
			}
		}
		printf("%s: %u names\n", id, names.n);
		for (k = 0; reasons[k]; k++)
			if (totals[k])
				printf("\t%u: %s\n", totals[k], reasons[k]);
	}
	fflush(stdout);
	ck_assert_uint_eq(bad, 0);
}

/* As many of one event as fit, and one more; a search of all ways would take until Check ends it.
 */
static void full(const char *id, const char *word, unsigned int n)
{
	struct perfctr_event_choice choices[PERFCTR_ASSIGN_MAX + 1];
	struct perfctr_cpu cpu = cpu_named(id);
	struct perfctr_cpu_control control;
	unsigned int i;

	for (i = 0; i <= n; i++)
		choices[i] = look_up_both(id, word);
	encoded(&cpu, choices, n, &control);
	if (n < PERFCTR_ASSIGN_MAX)
		refuses(&cpu, choices, n + 1, n < 31 ? (2u << n) - 1 : 0xFFFFFFFF,
			"not enough counters");
}

#endif /* PERFCTR_TESTS_ASSIGN_H */
