/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * collectors.h - the libraries of collect/, which measure regions of programs that have none of
 * their own: --regions=openmp and others. All calls exit on failure.
 */
#ifndef PERFCTR_TOOLS_COLLECTORS_H
#define PERFCTR_TOOLS_COLLECTORS_H

#include <stdbool.h>

#define COLLECT_OPENMP 0x1
#define COLLECT_KOKKOS 0x2
#define COLLECT_MPI    0x4

/*
 * Reads the words of --regions=. Returns those that PERFCTR_REGIONS_KEEP takes, for the caller to
 * free, or NULL if there are none.
 */
char *collectors_read(const char *words, unsigned int *which);

/* Refuses what is known not to work with this command, before it runs. */
void collectors_check(unsigned int which, const char *command);

/* Has the command load them, by its environment. */
void collectors_set(unsigned int which);

/* What the command has to have so that they measure something: ", or ..."; "": there are none. */
const char *collectors_need(unsigned int which);

#endif /* PERFCTR_TOOLS_COLLECTORS_H */
