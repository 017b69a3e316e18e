/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* events.h - what -e asks for: a list of events, and beside it a control of numbers. */
#ifndef PERFCTR_TOOLS_EVENTS_H
#define PERFCTR_TOOLS_EVENTS_H

#include <libperfctr.h>
#include <stdbool.h>

/* Events that are opened together: one, or those in braces, or those given as numbers. */
struct spec {
	char *text; /* item for perfctr_set_open(); NULL: the control */
	unsigned int n;
	unsigned int first; /* index of its first event among all */
};

/* One event of all; its last value. */
struct event {
	char *name;			/* as shown */
	char *reason;			/* why it is not counted; NULL: it is */
	struct perfctr_reading reading; /* sum over all threads */
};

struct events {
	struct spec *spec;
	unsigned int nspecs;
	struct event *event;
	unsigned int n;
	struct perfctr_cpu_control control; /* of the events given as numbers */
	bool base16;			    /* these are hexadecimal by default */
	bool base16_silently;
};

/* Add what one -e option says; exits on bad input. */
void events_add(struct events *events, const char *list);

/* A field of the control, from an option's argument; exits on bad input. */
uint32_t events_number(const struct events *events, const char *text);

/* Check all names, exiting if one is wrong; the default events if there are none. */
void events_finish(struct events *events);

/* Why the events of a spec (NULL: all) have no counts. An event keeps its first reason. */
void events_refuse(struct events *events, const struct spec *spec, const char *reason);

/* Forget all reasons: the events are to be counted anew. */
void events_forget(struct events *events);

void events_free(struct events *events);

#endif /* PERFCTR_TOOLS_EVENTS_H */
