/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology.h - finds a processor's core, socket and core type. */
#ifndef PERFCTR_TOOLS_TOPOLOGY_H
#define PERFCTR_TOOLS_TOPOLOGY_H

#include <stddef.h>

/* As many as Linux can have. */
#define MAX_CPUS 8192

/* The parts for which counts are summed. */
enum by { BY_NOTHING, BY_THREAD, BY_CGROUP, BY_CPU, BY_CORE, BY_SOCKET, BY_TYPE, BY_UNIT };

/*
 * Writes the name of the core ("S0-D0-C1": socket, die, core; as the kernel numbers them), of the
 * socket ("S0"), of the processor itself ("1"), or of its core type ("cpu_atom"; "cpu" if there is
 * one type only). Exits if the kernel does not tell a processor's place, or not as a number.
 */
void topology_name(char *name, size_t size, enum by by, unsigned int cpu);

#endif /* PERFCTR_TOOLS_TOPOLOGY_H */
