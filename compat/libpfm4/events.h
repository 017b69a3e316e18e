/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* events.h - the events of a PMU, and their unit masks, by number */
#ifndef PERFCTR_COMPAT_LIBPFM4_EVENTS_H
#define PERFCTR_COMPAT_LIBPFM4_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "compat/libpfm4/pmus.h"

/* A description lies after its name, in the same memory. */
struct mask {
	char *name;
};

struct event {
	char *name;
	struct mask *masks;
	int nmasks;
};

struct events {
	const struct pmu *pmu;
	int n, listed; /* after those that are listed stand those that a client has asked for */
	struct event *event;
};

/*
 * The events of a PMU that is present, which are listed at the first call.
 * NULL: there is no memory.
 */
struct events *events_of(const struct pmu *pmu);

/* The number of a name, in any case of letters; -1: there is none. */
int events_find(const struct events *events, const char *name, size_t length);
int events_find_mask(const struct event *event, const char *name, size_t length);

/* Add a name that is not listed, such as an alias. Its number; -1: there is no memory. */
int events_add(struct events *events, const char *name, size_t length);
int events_add_mask(struct event *event, const char *name, size_t length);

static inline const char *events_description(const char *name)
{
	return name + strlen(name) + 1;
}

void events_free(void);

#endif /* PERFCTR_COMPAT_LIBPFM4_EVENTS_H */
