/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* events.h - what -e asks for: names, which the library reads, and numbers that form a control. */
#ifndef PERFCTR_TOOLS_EVENTS_H
#define PERFCTR_TOOLS_EVENTS_H

#include <libperfctr.h>
#include <stdbool.h>

/* Events that are opened together. */
enum { EVENTS_NAMES, EVENTS_NUMBERS, EVENTS_SETS };

/* One event of all; its last value. */
struct event {
	char *name;   /* as shown */
	char *reason; /* why it is not counted; NULL: it is */
	bool user;    /* the kernel's mode is forbidden, so it counts user mode */
	bool here,
		elsewhere; /* a target has it; the reason is that a processor is of another type */
	struct perfctr_list_event is;	/* its unit, scale and flags */
	struct perfctr_reading reading; /* sum over all threads */
};

struct events {
	char *names, *numbers;		     /* as given, all -e in one; NULL: none */
	char *metric_names;		     /* as given, all -M in one; NULL: none */
	struct perfctr_metrics *metrics;     /* these; NULL: none */
	unsigned int metrics_first;	     /* their events, the last ones of the names */
	struct perfctr_list *list;	     /* of the names; NULL: none */
	struct event *event;		     /* those of the names first */
	unsigned int first[EVENTS_SETS + 1]; /* a set's are [first[s], first[s + 1]) */
	unsigned int n;
	char *stale; /* why counts are, of the first that was; NULL: none is */
	struct perfctr_cpu_control control; /* of the numbers */
	bool tsc;    /* the first event is the TSC, which comes with numbers */
	bool base16; /* these are hexadecimal by default */
	bool base16_silently;
};

/* Add what one -e option says: numbers, and after them names. */
void events_add(struct events *events, const char *list);

/* Add what one -M option says. */
void events_add_metrics(struct events *events, const char *list);

/* Open the metrics; after the events that -e names come theirs, of which this is the number. */
unsigned int events_open_metrics(struct events *events);

/* A field of the control, from an option's argument; exits on bad input. */
uint32_t events_number(const struct events *events, const char *text);

/*
 * Clocks that count do so in all modes, whatever they are asked for, and the library wants it said:
 * their modifiers are left out of the names, and the user told.
 */
void events_free_clocks(struct events *events);

/* Look all events up, exiting if one is wrong; the default ones if there are none. */
void events_finish(struct events *events);

/* Event i counts user mode only, and is called so. */
void events_to_user(struct events *events, unsigned int i, const char *name);

/* Why the events [first, end) have no counts. An event keeps its first reason. */
void events_refuse(struct events *events, unsigned int first, unsigned int end, const char *reason);

/* Forget all reasons: the events are to be counted again. */
void events_forget(struct events *events);

void events_free(struct events *events);

#endif /* PERFCTR_TOOLS_EVENTS_H */
