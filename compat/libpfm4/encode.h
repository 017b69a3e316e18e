/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* encode.h - an event's text becomes its number, its attr and its full text */
#ifndef PERFCTR_COMPAT_LIBPFM4_ENCODE_H
#define PERFCTR_COMPAT_LIBPFM4_ENCODE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include "compat/libpfm4/events.h"
#include "compat/libpfm4/modifiers.h"

/* Which modifiers an event of a PMU has. */
unsigned int encode_of(const struct pmu *pmu, const struct event *event);

/* What a text says. */
struct encoded {
	const struct pmu *pmu;
	int event;
	struct modifiers modifiers;  /* levels and host: also where none was given */
	struct perf_event_attr attr; /* type, config*; all else is in the modifiers */
	char text[512];		     /* in full: PMU::EVENT:MASK:modifier=value... */
};

/* PFM_SUCCESS, or an error; perfctr_error() may tell more. levels: of a text without any. */
int encode(const char *text, unsigned int levels, int os, struct encoded *encoded);

/* Why libperfctr refused the last text; "" if the mistake was not in its part of it. */
const char *encode_reason(void);

/* The number of the event that a text begins with; or an error. */
int encode_find(const char *text, const struct pmu **pmu);

/* The attr of an event with a mask (-1: none). 0; -1: it can't be had. */
int encode_attr(const struct event *event, int mask, struct perf_event_attr *attr);

/* Whether the mask is taken if none is named. */
bool encode_is_default(const struct event *event, int mask);

#endif /* PERFCTR_COMPAT_LIBPFM4_ENCODE_H */
