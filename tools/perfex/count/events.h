/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* events.h - the events of -e: names, which the library reads, and numbers that form a control. */
#ifndef PERFCTR_TOOLS_EVENTS_H
#define PERFCTR_TOOLS_EVENTS_H

#include <libperfctr.h>
#include <stdbool.h>

/*
 * A flag of the library's for perfex alone: perfex closes no descriptor but its own, so that
 * nothing needs to look before each read whether it has (PERFCTR_EVENTS_KEPT in lib/perf/events.h).
 */
#define EVENTS_KEPT 0x40000000u

/* Events that are opened together. */
enum { EVENTS_NAMES, EVENTS_NUMBERS, EVENTS_SETS };

/* One event of all; its last value. */
struct event {
	char *name;	  /* as printed */
	char *asked;	  /* the text of -e, if name= in it says another name; or NULL */
	char *reason;	  /* why it is not counted; NULL: it is */
	bool user;	  /* the kernel's mode is forbidden, so it counts user mode */
	bool quiet;	  /* the table shows only what is made of it */
	unsigned int run; /* which of several has counted it, from 1 on; 0: it is not told */
	bool here,
		elsewhere; /* a target has it; the reason is that a processor is of another type */
	struct perfctr_list_event is;	/* its unit, scale and flags */
	struct perfctr_reading reading; /* sum over all threads */
};

struct events {
	char *names, *numbers;		     /* the arguments of all -e in one; NULL: none */
	char *metric_names;		     /* the arguments of all -M in one; NULL: none */
	struct perfctr_metrics *metrics;     /* opened from these; NULL: none */
	unsigned int metrics_first;	     /* their events are the last ones of the names */
	struct perfctr_list *list;	     /* of the names, resolved; NULL: none */
	struct event *event;		     /* the names' events come first */
	unsigned int first[EVENTS_SETS + 1]; /* a set's are [first[s], first[s + 1]) */
	unsigned int n;
	char *stale; /* why counts are, of the first that was; NULL: none is */
	char *left;  /* which processes a command left, the first that did; NULL: none did */
	struct perfctr_cpu_control control; /* has the numbers */
	bool tsc;    /* the first event is the TSC, which comes with numbers */
	bool base16; /* numbers are hexadecimal by default */
	bool base16_silently;
	bool quiet; /* the events of metrics are not shown in the table */
};

/* Adds the argument of one -e option: numbers, and after them names. */
void events_add(struct events *events, const char *list);

/* Adds the argument of one -M option. */
void events_add_metrics(struct events *events, const char *list);

/* Open the metrics; after the events that -e names come theirs, of which this is the number. */
unsigned int events_open_metrics(struct events *events);

/* A field of the control, from an option's argument; exits on bad input. */
uint32_t events_number(const struct events *events, const char *text);

/*
 * Removes modifiers from clocks, which always count in all modes, as the library demands, and tells
 * the user.
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
