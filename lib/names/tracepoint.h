/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tracepoint.h - tracepoints */
#ifndef PERFCTR_LIB_NAMES_TRACEPOINT_H
#define PERFCTR_LIB_NAMES_TRACEPOINT_H

#include <linux/perf_event.h>
#include <stddef.h>
#include "lib/names/known.h"

/*
 * Sets type and config of SUBSYSTEM:NAME; both words are safe in a path. 0, or -1 after
 * perfctr_fail(EINVAL, EACCES, ENOENT: there is no tracefs).
 */
int perfctr_tracepoint_parse(const char *subsystem, size_t subsystem_length, const char *name,
			     size_t length, struct perf_event_attr *attr);

int perfctr_tracepoint_walk(perfctr_each_name *each, void *arg);

#endif /* PERFCTR_LIB_NAMES_TRACEPOINT_H */
