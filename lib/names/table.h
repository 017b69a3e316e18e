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
 * The processor with this id (NULL: this machine's, which may have no table). 0, or -1 after
 * perfctr_fail(ENOENT).
 */
struct perfctr_cpu;
int perfctr_table_cpu(struct perfctr_cpu *cpu, const char *id);

/*
 * Whether the events of a list, without braces, fit on the processor's counters at the same time,
 * as far as its table knows them: 1, 0; 2: they do, but it does not know all. -1 after
 * perfctr_fail(ENOMEM).
 */
int perfctr_table_fits(const char *id, const char *events);

/*
 * As perfctr_cpu_event_list(), of the events that only other core types than this table's
 * have.
 */
int perfctr_cores_event_list(const struct perfctr_pmu *cores, int n,
			     int (*each)(void *arg, const struct perfctr_event_name *), void *arg);

/* The same of the names that the vendor's files have beside those of this machine's table. */
int perfctr_vendor_list(int (*each)(void *arg, const struct perfctr_event_name *), void *arg);

#endif /* PERFCTR_LIB_NAMES_TABLE_H */
