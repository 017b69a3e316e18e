/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pmu.h - the core PMUs of this machine */
#ifndef PERFCTR_LIB_ISA_PMU_H
#define PERFCTR_LIB_ISA_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/base/file.h"

#define PERFCTR_DEVICES "/sys/bus/event_source/devices"

/* How many core types a machine may have. */
#define PERFCTR_VARIANTS_MAX 8

/* The PMU of one core type. */
struct perfctr_pmu {
	char name[PERFCTR_NAME_SIZE];
	uint32_t type; /* struct perf_event_attr's; UINT32_MAX: the file makes no sense */
};

/*
 * The core PMUs of this machine by type, which is the order in which the kernel made them: the
 * P-cores' first. Their number: 0 if sysfs shows none, more than one on a hybrid machine. -1 after
 * perfctr_fail(EOPNOTSUPP) if there are more than PERFCTR_VARIANTS_MAX; as perfctr_file_check() if
 * it can't be known.
 */
int perfctr_core_pmus(struct perfctr_pmu *pmus);

/*
 * Looks the PMUs up at most once: begin with n = PERFCTR_CORES_UNKNOWN. Returns their number, or -1
 * as above.
 */
#define PERFCTR_CORES_UNKNOWN (-1)
struct perfctr_cores {
	int n;
	struct perfctr_pmu pmu[PERFCTR_VARIANTS_MAX];
};
static inline int perfctr_cores_look(struct perfctr_cores *cores)
{
	return cores->n >= 0 ? cores->n : (cores->n = perfctr_core_pmus(cores->pmu));
}

/* The text of the PMU's list of processors, such as "0-3,8"; "" if there is none. */
void perfctr_pmu_cpus(const struct perfctr_pmu *pmu, char *text, size_t size);

/* Gets the list as words, and returns how many are in use: 0 if it is not a list. */
unsigned int perfctr_pmu_cpu_set(const struct perfctr_pmu *pmu, uint32_t *words);

/* Whether the kernel describes such an event of it. */
bool perfctr_pmu_has_event(const struct perfctr_pmu *pmu, const char *name);

bool perfctr_pmu_has_cpu(const struct perfctr_pmu *pmu, unsigned int cpu);

/*
 * Whether the PMU counts for more than a processor, as one of a package does: then it
 * has a file `cpumask`, of those that its events are to be opened on. words are set to it: to none
 * if it makes no sense.
 */
bool perfctr_cpumask(const char *pmu, uint32_t *words);

/* Whether it has one: PMUs outside of the cores have, those of cores and the kernel's own have not.
 */
bool perfctr_pmu_has_cpumask(const char *pmu);

/*
 * Whether the calling thread may run on more than one core type: a hybrid machine, and not
 * bound.
 */
bool perfctr_may_change_kind(void);

#endif /* PERFCTR_LIB_ISA_PMU_H */
