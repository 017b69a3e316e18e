/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpumask.h - finds the processor that counts for several which share a PMU, as in a package */
#ifndef PERFCTR_TOOLS_CPUMASK_H
#define PERFCTR_TOOLS_CPUMASK_H

#include <stdint.h>

/* Processors as the library numbers them. */
#define CPUMASK_CPUS 8192

/*
 * The processor of a PMU's mask of CPUMASK_CPUS that counts such an event for processor cpu:
 * itself, if the mask has it; else that of its core, cache, die or package, whichever is the least
 * that has one, or the mask's first; -1 if the mask is empty.
 */
int cpumask_find(unsigned int cpu, const uint32_t *mask);

#endif /* PERFCTR_TOOLS_CPUMASK_H */
