/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* probe.h - finds out what this kernel can count */
#ifndef PERFCTR_LIB_PERF_PROBE_H
#define PERFCTR_LIB_PERF_PROBE_H

#include <stdbool.h>

/*
 * Whether there is a core PMU, by opening an event; or by sysfs where events are forbidden. *why
 * becomes a clause that says why there is none, or why it is unknown; or NULL.
 */
enum perfctr_pmu_state { PERFCTR_PMU_THERE, PERFCTR_PMU_NONE, PERFCTR_PMU_UNKNOWN };
enum perfctr_pmu_state perfctr_pmu_look(const char **why);

/*
 * Returns the reason for which there is no core PMU, as a clause; NULL if there is one, or may be.
 */
const char *perfctr_no_pmu(void);

/* Whether the kernel can inherit to threads alone (attr.inherit_thread, Linux 5.13). */
bool perfctr_can_inherit_thread(void);

/* Whether the kernel can end events at an execve(2) (attr.remove_on_exec, Linux 5.13). */
bool perfctr_can_remove_on_exec(void);

/* Whether events can count a cgroup on processor cpu: 0, or -1 with errno only. */
int perfctr_cgroup_probe(int cgroup, int cpu);

/* What the kernel's watchdog for hard lockups uses. */
enum perfctr_watchdog {
	PERFCTR_WATCHDOG_UNKNOWN,
	PERFCTR_WATCHDOG_OFF,
	PERFCTR_WATCHDOG_TIMERS, /* no counter */
	PERFCTR_WATCHDOG_COUNTS, /* a counter of each processor */
};
enum perfctr_watchdog perfctr_watchdog(void);

#endif /* PERFCTR_LIB_PERF_PROBE_H */
