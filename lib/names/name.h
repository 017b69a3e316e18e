/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* name.h - one event: text -> struct perf_event_attr */
#ifndef PERFCTR_LIB_NAMES_NAME_H
#define PERFCTR_LIB_NAMES_NAME_H

#include <linux/perf_event.h>
#include <stddef.h>
#include "lib/base/file.h"
#include "lib/isa/pmu.h"

/*
 * Fill in attr (type, config*, exclude_*, pinned, exclusive, precise_ip, and the period or the
 * frequency; all else zero; size set) from one event's text; pmu, PERFCTR_NAME_SIZE bytes, is the
 * one that it names, or empty, and asked is PERFCTR_ASKED_* of terms.h. 1: any core PMU may count
 * it, if there are several, by an attr of its own; 0: none, or the one that it names;
 * PERFCTR_NAME_UNITS: each of the PMUs that it names, of which attr and pmu are the first that has
 * it; -1 after perfctr_fail(), as perfctr_event_check().
 */
#define PERFCTR_NAME_UNITS 2
int perfctr_name_parse(struct perfctr_cores *cores, const char *event, size_t length,
		       struct perf_event_attr *attr, char *pmu, unsigned int *asked);

/*
 * Does the same for one of several core PMUs. 1; 0: it does not have the event;
 * PERFCTR_NAME_REFUSED: it does not take the attr, as perfctr_attr_check() says; -1 as above.
 */
#define PERFCTR_NAME_REFUSED 3
int perfctr_name_parse_on(struct perfctr_cores *cores, const struct perfctr_pmu *core,
			  const char *event, size_t length, struct perf_event_attr *attr);

/* Does the same for one of the PMUs that the text names. 0; -1: it does not have the event. */
int perfctr_name_parse_unit(struct perfctr_cores *cores, const char *unit, const char *event,
			    size_t length, struct perf_event_attr *attr);

/* Adds these modifiers to what the attr has. 0, or -1 after perfctr_fail(EINVAL). */
int perfctr_name_modify(const char *text, size_t length, struct perf_event_attr *attr,
			unsigned int *asked);

/* That nothing is asked for that is for sampling only. 0, or -1 after perfctr_fail(EINVAL). */
int perfctr_name_check_counted(const struct perf_event_attr *attr);

#endif /* PERFCTR_LIB_NAMES_NAME_H */
