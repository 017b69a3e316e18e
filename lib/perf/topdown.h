/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topdown.h - Intel's top-down metrics */
#ifndef PERFCTR_LIB_PERF_TOPDOWN_H
#define PERFCTR_LIB_PERF_TOPDOWN_H

#include <linux/perf_event.h>
#include <stdbool.h>

/*
 * Intel's top-down metrics: event 0 with unit mask 80H or more is a byte of the register
 * PERF_METRICS, a share of the count of slots. The kernel makes a count of it, but only in a group
 * that slots leads and only in read(2); RDPMC of its index would return the whole register.
 */
bool perfctr_event_is_metric(const struct perf_event_attr *attr);
bool perfctr_event_is_slots(const struct perf_event_attr *attr);

#endif /* PERFCTR_LIB_PERF_TOPDOWN_H */
