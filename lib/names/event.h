/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* event.h - names of events -> struct perf_event_attr */
#ifndef PERFCTR_LIB_NAMES_EVENT_H
#define PERFCTR_LIB_NAMES_EVENT_H

#include <linux/perf_event.h>
#include <stddef.h>
#include "lib/base/file.h"
#include "lib/isa/pmu.h"

/*
 * Fill in attr (type, config*, exclude_*; all else zero; size set) from one event's name. Returns 0
 * or fails as perfctr_event_check() does. For an event to be sampled, its modifier p sets
 * precise_ip.
 */
int perfctr_event_parse(const char *event, size_t length, struct perf_event_attr *attr);
int perfctr_event_parse_sampled(const char *event, size_t length, struct perf_event_attr *attr);

/*
 * What one event's name means on each kind of core. The kernel puts an event on one PMU: on a
 * hybrid machine an event that is to be counted wherever the thread runs is one per core PMU,
 * summed.
 */
struct perfctr_variant {
	struct perf_event_attr attr;
	char pmu[PERFCTR_NAME_SIZE]; /* its core PMU on a hybrid machine; else empty */
};

/*
 * The variants of one event's name: one, or on a hybrid machine one per core PMU that has it, in
 * the order of perfctr_core_pmus(). A software event, a tracepoint and the event of a PMU that is
 * named have one. Their number, at most PERFCTR_VARIANTS_MAX, or -1 after perfctr_fail(): as
 * perfctr_event_check(), and ENOENT if no core PMU has the event, EOPNOTSUPP if there are too many
 * kinds of cores.
 */
int perfctr_event_variants(const char *event, size_t length, struct perfctr_variant *variants);
int perfctr_event_variants_sampled(const char *event, size_t length,
				   struct perfctr_variant *variants);

#endif /* PERFCTR_LIB_NAMES_EVENT_H */
