/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * events.h - events by name, and their places on counters.
 *
 *	word = EVENT { (":" | ".") MASK } { ":" modifier }
 *	modifier = letters of "uk" (user, kernel), "e" (edge), "i" (invert), or "c=" number
 *	         | "t" (any thread) | "intx" | "intxcp" (in transactions)
 *	         | "p", "pp", "ppp" (precise) | "PMC" n | "FIXC" n (the counter)
 *	         | "thr=" number | "cmpl" (on a Pentium 4: more than that; not more)
 *
 * The names' case does not matter. A letter that is a mask of the event (M, E, S, I) is that mask,
 * but a small u, k, e or i is the modifier after another mask if the event takes only one. A
 * look-up hashes event and mask once and compares one entry or two: nothing is allocated, nothing
 * prepared at start.
 */
#ifndef PERFCTR_ARCH_EVENTS_H
#define PERFCTR_ARCH_EVENTS_H

#include <stddef.h>
#include "arch/rules.h"

struct perfctr_event_table;

/* The table of this id; NULL if there is none. */
const struct perfctr_event_table *perfctr_event_table(const char *id);

/* Returns the id of the nth table, in alphabetical order; NULL after the last. */
const char *perfctr_event_table_id(unsigned int n);

/* One way to count an event. */
struct perfctr_event_option {
	uint32_t counters; /* set of the programmable counters that can */
	uint32_t fixed;	   /* set of the fixed counters that can */
	uint32_t code;	   /* event select without modes; P4: ESCR */
	uint32_t high;	   /* event select, bits 63-32 */
	uint32_t select;   /* P4: ESCR SELECT */
	uint32_t reg;	   /* MSR beside the event select, ESCR on P4; 0: none */
	uint64_t value;	   /* for it; without one: perf's own code of a fixed counter's event */
	uint32_t pebs_enable, pebs_matrix_vert; /* P4 */
};

enum { PERFCTR_EVENT_OPTIONS = 4 };

/* The event that a word names. */
struct perfctr_event_choice {
	unsigned int options; /* number of them, at least one */
	struct perfctr_event_option option[PERFCTR_EVENT_OPTIONS];
	unsigned int user:1, kernel:1, edge:1, invert:1;
	unsigned int pebs:1;	  /* counts only in precise sampling */
	unsigned int precise:2;	  /* how precisely that is asked for: p, pp, ppp */
	unsigned int threshold:1; /* c=N was given */
	unsigned int imode:1;
	unsigned int cmask:8;
	unsigned int any:1, intx:1, intxcp:1;
	unsigned int named:7; /* the counter, and one; fixed ones from 65 on; 0: any */
	uint32_t ireset;      /* with imode */
};

/* Why a word can't be looked up: the part of it that is wrong, or that asks for more. */
enum perfctr_event_error {
	PERFCTR_EVENT_OK,
	PERFCTR_EVENT_UNKNOWN,	  /* no such event */
	PERFCTR_EVENT_NO_MASK,	  /* the event has no such unit mask; nor is it a modifier */
	PERFCTR_EVENT_NEEDS_MASK, /* it has no default */
	PERFCTR_EVENT_ONE_MASK,	  /* these masks of it can't be combined */
	PERFCTR_EVENT_MODIFIER,	  /* given twice, or with a bad number */
};

/*
 * Look a word up. On an error *part and *part_length are the part of the word that it is about, and
 * *event is the number of its event for perfctr_event_walk(), unless there is no such event.
 */
enum perfctr_event_error perfctr_event_lookup(const struct perfctr_event_table *table,
					      const char *word, size_t length,
					      struct perfctr_event_choice *choice,
					      const char **part, size_t *part_length,
					      unsigned int *event);

/*
 * Add the modifiers of a word, which begin with a colon at `from`, to a choice. OK, NO_MASK: *part
 * is none; MODIFIER.
 */
enum perfctr_event_error perfctr_event_modify(const char *word, size_t from, size_t length,
					      struct perfctr_event_choice *choice,
					      const char **part, size_t *part_length);

/*
 * Returns a clause about an option of a choice that counters without options can't have; NULL:
 * there is none.
 */
static inline const char *perfctr_event_plain(const struct perfctr_cpu *cpu,
					      const struct perfctr_event_choice *choice)
{
	if (choice->edge || choice->invert || choice->cmask)
		return "this processor has no edge detection, inversion or threshold";
	if (choice->any || choice->intx || choice->intxcp)
		return "this processor has neither AnyThread nor transactions to tell apart";
	return choice->imode && !cpu->pcint ? "this processor can't interrupt on overflow" : NULL;
}

/* A-mode counters stand before i-mode ones: the index of each choice in the control, and how many.
 */
static inline void perfctr_event_order(const struct perfctr_event_choice choices[], unsigned int n,
				       unsigned int place[], unsigned int *nractrs,
				       unsigned int *nrictrs)
{
	unsigned int i;

	*nractrs = *nrictrs = 0;
	for (i = 0; i < n; i++)
		if (!choices[i].imode)
			place[i] = (*nractrs)++;
	for (i = 0; i < n; i++)
		if (choices[i].imode)
			place[i] = *nractrs + (*nrictrs)++;
}

/* A name in a table. */
struct perfctr_event_entry {
	const char *event;
	const char *mask;    /* NULL: the event itself */
	uint32_t code, high; /* as in an option; of a mask: its own bits */
	uint32_t counters, fixed;
	unsigned int masks:1;	   /* the event has masks */
	unsigned int needs_mask:1; /* and none of them is a default */
	unsigned int combines:1;   /* masks of the event, or of the mask's group, may be combined */
	unsigned int is_default:1; /* mask taken if none of its group is named */
	unsigned int pebs:1;
	unsigned int grouped:1; /* the event's masks are in groups */
	uint8_t group; /* of a mask, from 0: those of different groups may always be combined */
};

/*
 * The name with number n, of which 0 is the first, events before their masks. Returns the number
 * from which the next is found; 0 if there is no name from n on.
 */
unsigned int perfctr_event_walk(const struct perfctr_event_table *table, unsigned int n,
				struct perfctr_event_entry *entry);

/* Returns the nth of the other names of events, which a walk leaves out; NULL: there are fewer. */
const char *perfctr_event_alias(const struct perfctr_event_table *table, unsigned int n);

/*
 * Writes the description of the name for which a walk returned n, as far as there is room: returns
 * the text's length, below PERFCTR_EVENT_TEXT, or 0 and "" if there is none. A mask's text
 * continues its event's.
 */
enum { PERFCTR_EVENT_TEXT = 96 };
size_t perfctr_event_text(const struct perfctr_event_table *table, unsigned int n, char *text,
			  size_t size);

/*
 * Finds the programmable counters on which names of the table count this event and unit mask. All,
 * if no name has them: nothing is known.
 */
uint32_t perfctr_event_counters(const struct perfctr_event_table *table, uint32_t code,
				uint32_t high);

/*
 * Whether it is clear, without going through the whole table, that all of these counters are
 * among them: most events have them, and no name that lacks some is this event's.
 */
int perfctr_event_is_usual(const struct perfctr_event_table *table, uint32_t code, uint32_t high,
			   uint32_t counters);

/*
 * Place the choices on counters. 0, with option[i] and counter[i] (RDPMC number, fixed ones with
 * bit 30) for each; or -1, with *conflict a set of choices that can't be together, but could
 * without any one of them: one alone, if the processor has no counter for it.
 */
enum { PERFCTR_ASSIGN_MAX = 32 };
int perfctr_event_assign(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
			 unsigned int n, unsigned int option[], uint32_t counter[],
			 uint32_t *conflict);

/*
 * Does the same for the choices included only, each on the programmable counters in only[] (NULL:
 * on any). 0 or -1.
 */
int perfctr_event_place(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
			unsigned int n, uint32_t included, const uint32_t only[],
			unsigned int option[], uint32_t counter[]);

/* Would the choices in the set have places, if registers could hold more than one value? */
int perfctr_event_clash(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
			unsigned int n, uint32_t set);

/* A control's words for one event, in the ISA's terms. */
struct perfctr_code {
	uint32_t map;		/* which counter; 0 if any programmable one will do */
	uint32_t evntsel, high; /* event select; P4: CCCR */
	uint32_t reg;		/* MSR beside it, as in an option; 0: none */
	uint64_t value;		/* as in an option */
};

#endif /* PERFCTR_ARCH_EVENTS_H */
