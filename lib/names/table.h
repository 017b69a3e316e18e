/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* table.h - the processors' own events */
#ifndef PERFCTR_LIB_NAMES_TABLE_H
#define PERFCTR_LIB_NAMES_TABLE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include "libperfctr.h"
#include "lib/isa/pmu.h"

/*
 * As perfctr_event_parse(), from the table of this machine's processor, or of one kind of its
 * cores. 1: found; 0: no event begins so; -1 after perfctr_fail().
 */
int perfctr_table_parse(const char *word, size_t length, struct perf_event_attr *attr);
int perfctr_core_table_parse(const struct perfctr_pmu *core, const char *word, size_t length,
			     struct perf_event_attr *attr);

/*
 * As perfctr_cpu_event_list(), of the events that only other core types than this table's
 * have.
 */
int perfctr_cores_event_list(const struct perfctr_pmu *cores, int n,
			     int (*each)(void *arg, const struct perfctr_event_name *), void *arg);

#endif /* PERFCTR_LIB_NAMES_TABLE_H */
