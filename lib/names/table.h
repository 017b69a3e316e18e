/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* table.h - the events of the processors' own tables */
#ifndef PERFCTR_LIB_NAMES_TABLE_H
#define PERFCTR_LIB_NAMES_TABLE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include "libperfctr.h"
#include "lib/isa/pmu.h"

/*
 * Do as perfctr_event_parse() does, with the table of this machine's processor, or of one of its
 * core types. 1: found; 0: no event begins so; -1 after perfctr_fail().
 */
int perfctr_table_parse(const char *word, size_t length, struct perf_event_attr *attr);
int perfctr_core_table_parse(const struct perfctr_pmu *core, const char *word, size_t length,
			     struct perf_event_attr *attr);

/*
 * Finds the processor with this id (NULL: this machine's, which may have no table). 0, or -1 after
 * perfctr_fail(ENOENT).
 */
struct perfctr_cpu;
int perfctr_table_cpu(struct perfctr_cpu *cpu, const char *id);

/*
 * Whether n events, at most PERFCTR_ASSIGN_MAX, fit on the processor's counters at the same time,
 * as far as its table knows them: 1, 0; 2: they do, but it does not know all.
 */
int perfctr_table_fits(const char *id, const char *const words[], const size_t lengths[],
		       unsigned int n);

/*
 * Does as perfctr_cpu_event_list() does, with the events that this table does not have, but those
 * of other core types do.
 */
int perfctr_cores_event_list(const struct perfctr_pmu *cores, int n,
			     int (*each)(void *arg, const struct perfctr_event_name *), void *arg);

/* Notes the other names of events, which lists leave out, but for those of PMUs ("skl::"). */
struct perfctr_event_table;
struct perfctr_nearest;
void perfctr_table_note_aliases(const struct perfctr_event_table *table,
				struct perfctr_nearest *near);

/* Does the same with the names in the vendor's files that this machine's table does not have. */
int perfctr_vendor_list(int (*each)(void *arg, const struct perfctr_event_name *), void *arg);

#endif /* PERFCTR_LIB_NAMES_TABLE_H */
