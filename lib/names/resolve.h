/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * resolve.h - resolves a list of events: finds the attr of each on each core type.
 *
 *	list = item {"," item}	item = event | [name] "{" event {"," event} "}" [":" modifiers]
 *
 * Commas between slashes separate nothing; the events of one item count together. Each name is
 * looked up once.
 */
#ifndef PERFCTR_LIB_NAMES_RESOLVE_H
#define PERFCTR_LIB_NAMES_RESOLVE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/base/file.h"
#include "lib/base/head.h"
#include "lib/isa/pmu.h"
#include "libperfctr.h"

/*
 * An event on one PMU. The kernel puts an event on one PMU only: on a hybrid machine an event for
 * all core types is one per core PMU, and their counts are summed.
 */
struct perfctr_variant {
	struct perf_event_attr attr;
	char pmu[PERFCTR_NAME_SIZE]; /* that it names, or that is meant; else empty */
	bool is_core;		     /* that is one of several core PMUs */
	bool is_unit;		     /* that is one of several units, on each of which it counts */
	unsigned int asked;	     /* PERFCTR_ASKED_* */
};

/*
 * The variants of one event's text: one, or on a hybrid machine one per core PMU that has it, in
 * the order of perfctr_core_pmus(). A software event, a tracepoint and the event of a PMU that is
 * named have one; so has one of several units here: the first unit's. Their number, at most
 * PERFCTR_VARIANTS_MAX, or -1 after perfctr_fail(), as below.
 */
int perfctr_variants(struct perfctr_cores *cores, const char *event, size_t length,
		     struct perfctr_variant *variants);

#define PERFCTR_UNIT_SIZE 32

struct perfctr_resolved {
	const char *name;
	unsigned int item; /* counted from 0 */
	unsigned int first,
		n;	    /* its variants, in the order of perfctr_core_pmus(), or the units' */
	unsigned int flags; /* PERFCTR_EVENT_* */
	bool weak;	    /* if its group has no room, it counts alone */
	double scale;
	char unit[PERFCTR_UNIT_SIZE];
	char *reason;	 /* why n is 0, or why it was left out later; else NULL */
	char *user_name; /* the name is this one since it counts user mode only; else NULL */
};

struct perfctr_list {
	struct perfctr_head head; /* of a caller's, see lib/sets/list.c; else cleared */
	unsigned int n;		  /* events, > 0 */
	unsigned int nvariants, room;
	struct perfctr_resolved *event;
	struct perfctr_variant *variant;
	/* A copy owns nothing, and has room for reasons and names that come later. */
	bool is_copy;
	bool is_lent;	     /* the memory of the events */
	bool variants_apart; /* too many for the events' memory */
	bool has_units;	     /* an event of several */
	bool has_weak;	     /* a weak group */
	char *strings;
	size_t left;
	size_t text_size;
	char *text; /* has the names; in the events' memory */
	struct perfctr_cores cores;
};

/* The purpose of the list: any of these, or'ed. */
#define PERFCTR_LIST_COUNTED 1u /* p is a mistake, and periods mean nothing */
#define PERFCTR_LIST_PARTIAL 2u /* events that the machine lacks get a reason */

/*
 * 0, and the list to be cleared; or -1 after perfctr_fail(): as perfctr_event_check(), EINVAL if it
 * is empty, and has empty places, or braces that make no groups; ENOENT if no core PMU has an
 * event, EOPNOTSUPP if there are too many core types.
 */
int perfctr_list_init(struct perfctr_list *list, const char *events, unsigned int use);

/*
 * The same; a short list lies in the caller's memory, which is not to be taken and given back. The
 * marks are of the events' groups, as perfctr_groups_expand() makes them; NULL: there are none.
 */
struct perfctr_group_mark;
int perfctr_list_init_in(struct perfctr_list *list, const char *events, unsigned int use,
			 void *memory, size_t size, const struct perfctr_group_mark *mark);
void perfctr_list_clear(struct perfctr_list *list); /* errno is kept */

/* A list of n events that are in no text yet, each with one variant, all of one item. 0, or -1. */
int perfctr_list_make(struct perfctr_list *list, unsigned int n, size_t text_size);

/*
 * Copy a list into memory of this size, in which it stays, and which is never cleared. changes:
 * with room for events that are later left out, or counted in user mode only.
 */
size_t perfctr_list_room(const struct perfctr_list *list, bool changes);
void perfctr_list_copy(struct perfctr_list *copy, const struct perfctr_list *list, bool changes,
		       void *memory);

/* Has each event of an item count alone. */
void perfctr_list_split(struct perfctr_list *list, unsigned int item);

/* Leaves event i out, with perfctr_reason(). 0, or -1 after perfctr_fail(ENOMEM). */
int perfctr_list_refuse(struct perfctr_list *list, unsigned int i);

/*
 * Have event i count user mode only, if it counts in all modes, happens there, and there is memory
 * for its name; and the other way round.
 */
bool perfctr_list_to_user(struct perfctr_list *list, unsigned int i);
void perfctr_list_end_user(struct perfctr_list *list, unsigned int i);

static inline const char *perfctr_resolved_name(const struct perfctr_resolved *event)
{
	return event->user_name ? event->user_name : event->name;
}

/* Describes an event, as perfctr_list_event() does. */
int perfctr_list_describe(const struct perfctr_list *list, unsigned int i,
			  struct perfctr_list_event *event);

/*
 * Returns the core PMUs of a hybrid machine that can count all events of the list, or sample the
 * first of them (what: "a group", "a sampler"), on processor cpu (-1: any): bits, by index in
 * list->cores; 0 if no event is a core's. Or -1 after perfctr_fail(EINVAL): there is none.
 */
int perfctr_list_cores(const struct perfctr_list *list, int cpu, const char *what);

/* Gets the index of each event's variant on one of them; -1: if no event is a core's. */
void perfctr_list_use(const struct perfctr_list *list, int core, unsigned int *use);

/*
 * Whether an event on the PMU counts for more than a processor, as one of a package does; then
 * words are the processors that it is to be opened on.
 */
bool perfctr_variant_cpus(const struct perfctr_variant *variant, uint32_t *words);

#endif /* PERFCTR_LIB_NAMES_RESOLVE_H */
