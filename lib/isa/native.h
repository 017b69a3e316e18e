/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* native.h - this machine's processor */
#ifndef PERFCTR_LIB_ISA_NATIVE_H
#define PERFCTR_LIB_ISA_NATIVE_H

#include <stdbool.h>
#include <stdint.h>
#include "libperfctr.h"
#include "lib/isa/pmu.h"

/*
 * Sets info's cpu_type by PERFCTR_CPU_TYPE, if that is set. 0, or -1 after perfctr_fail(EINVAL):
 * this machine's counters do not obey that type's rules.
 */
int perfctr_cpu_info_wished(struct perfctr_info *info);

/*
 * This machine's processor, as it says itself, and the table of its events (NULL: none): both by
 * one call, or each.
 */
struct perfctr_cpu;
struct perfctr_event_table;
const struct perfctr_cpu *perfctr_this_cpu_table(const struct perfctr_event_table **table);
const struct perfctr_cpu *perfctr_this_cpu(void);
const struct perfctr_event_table *perfctr_this_table(void);

/* The type of a control's events in perf_events: PERF_TYPE_RAW, or on Arm processor 0's core PMU
 * among several. */
uint32_t perfctr_this_type(void);

/* Does the same for one core type of a hybrid machine; *cpu is filled in if there is a table. */
const struct perfctr_event_table *perfctr_core_table(const struct perfctr_pmu *core,
						     struct perfctr_cpu *cpu);
void perfctr_core_cpu(const struct perfctr_pmu *core, struct perfctr_cpu *cpu);

/* Whether this machine's processor is an x86 that says that it has several core types. */
extern bool perfctr_is_hybrid __attribute__((visibility("hidden"))); /* after perfctr_this_cpu() */

/*
 * The core types of such a processor, under the names that the kernel gives their PMUs, with
 * PERF_TYPE_RAW; room for PERFCTR_VARIANTS_MAX. Their number.
 */
int perfctr_core_types(struct perfctr_pmu *cores);

#endif /* PERFCTR_LIB_ISA_NATIVE_H */
