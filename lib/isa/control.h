/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* control.h - translates a control into perf_events' terms */
#ifndef PERFCTR_LIB_ISA_CONTROL_H
#define PERFCTR_LIB_ISA_CONTROL_H

#include <linux/perf_event.h>
#include <stddef.h>
#include "libperfctr.h"

/* Clear the words that don't count without VPERFCTR_CONTROL_EXTENDED, in which anything may stand.
 */
void perfctr_control_hide(struct perfctr_cpu_control *control);

/*
 * Whether perf_events, which chooses counters itself, can count a checked control: each
 * programmable counter that it names can count its event, or one of the others that could change
 * places with it. 0, or -1 after perfctr_fail(EOPNOTSUPP).
 */
int perfctr_control_place(const struct perfctr_cpu_control *control);

/*
 * Makes the attr of the event that counter i of a checked control counts, extended members
 * included. 0, or -1 after perfctr_fail(EOPNOTSUPP) if perf_events can't express it. name is for
 * messages, at least 32 bytes.
 */
int perfctr_control_attr(const struct perfctr_cpu_control *control, unsigned int i,
			 struct perf_event_attr *attr, char *name, size_t size);

#endif /* PERFCTR_LIB_ISA_CONTROL_H */
