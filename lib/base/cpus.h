/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpus.h - sets of processors */
#ifndef PERFCTR_LIB_BASE_CPUS_H
#define PERFCTR_LIB_BASE_CPUS_H

#include <stdint.h>

/* Large enough for the kernel's largest set of processors, its largest NR_CPUS. */
#define PERFCTR_MAX_CPUS  8192
#define PERFCTR_CPU_WORDS (PERFCTR_MAX_CPUS / 32)

/*
 * Fill words from a list such as "0-3,8,10-11". Returns the words in use, 0 if it is no such list.
 */
unsigned int perfctr_cpus_parse(const char *list, uint32_t *words);

/*
 * The processors that are online, in words and as a list of LIST_SIZE bytes. Returns the words in
 * use.
 */
#define PERFCTR_CPU_LIST_SIZE 4096
unsigned int perfctr_cpus_online(uint32_t *words, char *list);

/* 0, or -1 after perfctr_fail(EINVAL) if there is no such processor online now. */
int perfctr_cpu_online(unsigned int cpu);

#endif /* PERFCTR_LIB_BASE_CPUS_H */
