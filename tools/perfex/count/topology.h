/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology.h - where a processor is: its core, its socket, its core type. */
#ifndef PERFCTR_TOOLS_TOPOLOGY_H
#define PERFCTR_TOOLS_TOPOLOGY_H

#include <stddef.h>

/* What counts are summed up by. */
enum by { BY_NOTHING, BY_THREAD, BY_CGROUP, BY_CPU, BY_CORE, BY_SOCKET, BY_TYPE };

/*
 * The name of the core ("S0-D0-C1": socket, die, core; as the kernel numbers them), of the socket
 * ("S0"), of the processor itself ("1"), or of its core type ("cpu_atom"; "cpu" if there is one
 * type only). Exits if the kernel does not say where a processor is, or says it in no number.
 */
void topology_name(char *name, size_t size, enum by by, unsigned int cpu);

#endif /* PERFCTR_TOOLS_TOPOLOGY_H */
