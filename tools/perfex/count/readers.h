/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* readers.h - which processor counts an event of several processors, as one of a package */
#ifndef PERFCTR_TOOLS_READERS_H
#define PERFCTR_TOOLS_READERS_H

#include <stdint.h>

/* Processors as the library numbers them. */
#define READERS_CPUS 8192

/*
 * The processor of a PMU's mask of READERS_CPUS that counts such an event for processor cpu:
 * itself, if the mask has it; else that of its core, cache, die or package, whichever is the least
 * that has one, or the mask's first; -1 if the mask is empty.
 */
int readers_find(unsigned int cpu, const uint32_t *mask);

#endif /* PERFCTR_TOOLS_READERS_H */
