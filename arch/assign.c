// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * Places events on counters. Each event has some ways to be counted (options), each way some
 * counters, and some ways share a register that can hold one value only: an ESCR, an offcore
 * response register, the P4's replay tags. The search goes over the options, of which there are
 * few, and asks after each choice whether a matching of events and counters still exists; so it is
 * exact, and gives up early.
 */
#include "arch/events.h"
#include "arch/x86/msrs.h"

#define CONTROL_FIXED 0x40000000u

struct search {
	const struct perfctr_cpu *cpu;
	const struct perfctr_event_choice *choices;
	unsigned int n;
	uint32_t included;		  /* choices that take part */
	const uint32_t *only;		  /* programmable counters that each may have; NULL: any */
	uint64_t all[PERFCTR_ASSIGN_MAX]; /* counters of all options together */
	int clashing;			  /* registers may hold several values */
	uint32_t free;			  /* choices whose options need no shared register */
	uint32_t pairs;			  /* choices that take two counters each */
	uint64_t taken;			  /* counters of pairs that have their places */
	unsigned int even[PERFCTR_ASSIGN_MAX]; /* where */
	unsigned int *option;
	int owner[64];	/* the choice that has the counter; -1: none */
	uint64_t owned; /* counters that a choice has; place() keeps it */
};

/* Counters in one set: fixed ones from 32 on, which have no modes but the levels. */
static uint64_t reach(const struct search *s, unsigned int who,
		      const struct perfctr_event_option *option)
{
	const struct perfctr_event_choice *choice = &s->choices[who];
	const struct perfctr_cpu *cpu = s->cpu;
	uint32_t counters = option->counters & cpu->counters & (s->only ? s->only[who] : ~0u);
	uint64_t fixed = cpu->rules == PERFCTR_RULES_ARCH && !choice->edge && !choice->invert &&
					 !choice->cmask && !choice->intx && !choice->intxcp
				 ? option->fixed & cpu->fixed
				 : 0;

	/* Older processors lack the second offcore response register. */
	if (option->reg == OFFCORE_RSP1 && cpu->offcore < 2)
		return 0;
	/* Even ones that have a next. */
	if (s->pairs >> who & 1)
		counters &= cpu->counters >> 1 & 0x55555555;
	return counters | fixed << 32;
}

/* Fixed counters first: they are good for nothing else. Then the lowest. */
static unsigned int first_of(uint64_t set)
{
	uint32_t fixed = (uint32_t)(set >> 32);

	return (unsigned int)(fixed ? 32 + __builtin_ctz(fixed) : __builtin_ctz((uint32_t)set));
}

/* Find a counter for the choice, moving others if need be (Kuhn's augmenting path). */
static int place(struct search *s, const uint64_t reachable[], unsigned int who, uint64_t *tried)
{
	uint64_t set = reachable[who] & ~s->owned;
	unsigned int c;

	if (set) {
		c = first_of(set);
		s->owner[c] = (int)who;
		s->owned |= (uint64_t)1 << c;
		return 1;
	}
	while ((set = reachable[who] & ~*tried)) {
		c = first_of(set);
		*tried |= (uint64_t)1 << c;
		if (place(s, reachable, (unsigned int)s->owner[c], tried)) {
			s->owner[c] = (int)who;
			return 1;
		}
	}
	return 0;
}

/* Can all have counters if the first k have the options chosen, and the others any? */
static int matches(struct search *s, unsigned int k)
{
	uint64_t reachable[PERFCTR_ASSIGN_MAX], tried;
	unsigned int i, c;

	for (c = 0; c < 64; c++)
		s->owner[c] = -1;
	s->owned = 0;
	for (i = 0; i < s->n; i++) {
		reachable[i] = i >= k || s->free >> i & 1
				       ? s->all[i]
				       : reach(s, i, &s->choices[i].option[s->option[i]]);
		reachable[i] &= ~s->taken;
	}
	for (i = 0; i < s->n; i++) {
		tried = 0;
		if (!(s->included >> i & 1))
			continue;
		if (i < k && s->pairs >> i & 1)
			s->owner[s->even[i]] = (int)i;
		else if (!place(s, reachable, i, &tried))
			return 0;
	}
	return 1;
}

/* An ESCR holds an event, its masks and its levels. */
static uint64_t register_value(const struct perfctr_cpu *cpu,
			       const struct perfctr_event_choice *choice,
			       const struct perfctr_event_option *option)
{
	if (cpu->rules == PERFCTR_RULES_P4)
		return option->code | (uint64_t)choice->user << 32 | (uint64_t)choice->kernel << 33;
	return option->value;
}

/* Of four registers for off-module responses two have one word in a control. */
static int share(const struct perfctr_cpu *cpu, uint32_t x, uint32_t y)
{
	return x == y || (cpu->rules == PERFCTR_RULES_ARCH && x - OMR_0 < 4 && y - OMR_0 < 4 &&
			  !((x ^ y) & 1));
}

/* Do the two need one register with two values? */
static int clash(const struct perfctr_cpu *cpu, const struct perfctr_event_choice *a,
		 const struct perfctr_event_option *x, const struct perfctr_event_choice *b,
		 const struct perfctr_event_option *y)
{
	if (x->reg && share(cpu, x->reg, y->reg) &&
	    register_value(cpu, a, x) != register_value(cpu, b, y))
		return 1;
	/* Only one event at a time can have replay tags. */
	return x->pebs_enable && y->pebs_enable &&
	       (x->pebs_enable != y->pebs_enable || x->pebs_matrix_vert != y->pebs_matrix_vert);
}

static int search(struct search *s, unsigned int k);

/* Tries each place for the pair of choice k, until the others have places, too. */
static int search_pairs(struct search *s, unsigned int k)
{
	uint64_t set = reach(s, k, &s->choices[k].option[s->option[k]]), both;
	unsigned int c;

	for (c = 0; c < 32; c += 2) {
		both = (uint64_t)3 << c;
		if (!(set >> c & 1) || s->taken & both)
			continue;
		s->even[k] = c;
		s->taken |= both;
		if (matches(s, k + 1) && search(s, k + 1))
			return 1;
		s->taken &= ~both;
	}
	return 0;
}

static int search(struct search *s, unsigned int k)
{
	const struct perfctr_event_choice *choice = &s->choices[k];
	unsigned int i;

	if (k == s->n)
		return matches(s, k);
	/*
	 * The option matters only if others may conflict with it; matches() looks at the counters.
	 */
	if (!(s->included >> k & 1) || s->free >> k & 1) {
		s->option[k] = 0;
		return search(s, k + 1);
	}
	for (s->option[k] = 0; s->option[k] < choice->options; s->option[k]++) {
		const struct perfctr_event_option *option = &choice->option[s->option[k]];

		for (i = 0; i < k; i++)
			if (s->included >> i & 1 && !s->clashing &&
			    clash(s->cpu, &s->choices[i], &s->choices[i].option[s->option[i]],
				  choice, option))
				break;
		if (i < k)
			continue;
		if (s->pairs >> k & 1 ? search_pairs(s, k) : matches(s, k + 1) && search(s, k + 1))
			return 1;
	}
	return 0;
}

/* The choice has this counter: with which option? */
static void settle(struct search *s, unsigned int who, unsigned int c, uint32_t counter[])
{
	const struct perfctr_event_choice *choice = &s->choices[who];

	counter[who] = c < 32 ? c : CONTROL_FIXED + c - 32;
	while (!(reach(s, who, &choice->option[s->option[who]]) >> c & 1))
		s->option[who]++;
}

/* Prepares the search, and searches. */
static int find_places(struct search *s)
{
	const struct perfctr_event_choice *choices = s->choices;
	unsigned int i, k;

	if (s->n > PERFCTR_ASSIGN_MAX)
		return 0;
	for (i = 0; i < s->n; i++) {
		if (perfctr_takes_pair(s->cpu, choices[i].option[0].code,
				       choices[i].option[0].high))
			s->pairs |= 1u << i;
		else
			s->free |= 1u << i;
		for (k = 0; k < choices[i].options; k++) {
			s->all[i] |= reach(s, i, &choices[i].option[k]);
			if (choices[i].option[k].reg || choices[i].option[k].pebs_enable)
				s->free &= ~(1u << i);
		}
	}
	return search(s, 0);
}

int perfctr_event_clash(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
			unsigned int n, uint32_t set)
{
	unsigned int option[PERFCTR_ASSIGN_MAX];
	struct search s = {
		.cpu = cpu,
		.choices = choices,
		.n = n,
		.option = option,
		.included = set,
		.clashing = 1,
	};

	return find_places(&s);
}

int perfctr_event_place(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
			unsigned int n, uint32_t included, const uint32_t only[],
			unsigned int option[], uint32_t counter[])
{
	struct search s = {
		.cpu = cpu,
		.choices = choices,
		.n = n,
		.option = option,
		.included = included,
		.only = only,
	};
	unsigned int i;

	if (!find_places(&s))
		return -1;
	for (i = 0; i < 64; i++)
		if (s.owner[i] >= 0)
			settle(&s, (unsigned int)s.owner[i], i, counter);
	return 0;
}

int perfctr_event_assign(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
			 unsigned int n, unsigned int option[], uint32_t counter[],
			 uint32_t *conflict)
{
	uint32_t all = (uint32_t)perfctr_mask(n);
	unsigned int i;

	*conflict = 0;
	if (n > PERFCTR_ASSIGN_MAX)
		return -1;
	if (perfctr_event_place(cpu, choices, n, all, NULL, option, counter) == 0)
		return 0;
	/* Leaves out events that are not needed for the conflict: all that remain are. */
	for (i = 0; i < n; i++)
		if (perfctr_event_place(cpu, choices, n, all & ~(1u << i), NULL, option, counter) <
		    0)
			all &= ~(1u << i);
	*conflict = all;
	return -1;
}
