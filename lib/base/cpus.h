/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpus.h - sets of processors */
#ifndef PERFCTR_LIB_BASE_CPUS_H
#define PERFCTR_LIB_BASE_CPUS_H

#include <stddef.h>
#include <stdint.h>

/* Large enough for the kernel's largest set of processors, its largest NR_CPUS. */
#define PERFCTR_MAX_CPUS  8192
#define PERFCTR_CPU_WORDS (PERFCTR_MAX_CPUS / 32)

/*
 * Fills words from a list such as "0-3,8,10-11". Returns the number of words in use, 0 if it is not
 * a list.
 */
unsigned int perfctr_cpus_parse(const char *list, uint32_t *words);

/* Does the same from a file. 0 with errno if it can't be read, or EINVAL; then words are empty. */
unsigned int perfctr_cpus_read(const char *path, uint32_t *words);

/* The words as such a list, as much of it as has room. */
void perfctr_cpus_print(const uint32_t *words, char *text, size_t size);

/* The processors that are online. Returns the words in use, 0 after perfctr_fail(). */
unsigned int perfctr_cpus_online(uint32_t *words);

/* Checks that this processor is online now. 0, or -1 after perfctr_fail(EINVAL). */
int perfctr_cpu_online(unsigned int cpu);

#endif /* PERFCTR_LIB_BASE_CPUS_H */
