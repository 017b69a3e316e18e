/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* maps.h - reads the mappings of a running process, as records would have told them. */
#ifndef PERFCTR_TOOLS_MAPS_H
#define PERFCTR_TOOLS_MAPS_H

#include <libperfctr.h>
#include <stdbool.h>

/* Call each() for each mapping with instructions. The name is as of /proc/PID/comm, or "". */
void maps_read(uint32_t pid, char name[16],
	       void (*each)(void *arg, const struct perfctr_record_mmap *mmap), void *arg);

/* Calls each() for each thread of a process, with its name. */
void maps_threads(uint32_t pid, void (*each)(void *arg, uint32_t tid, const char *name), void *arg);

/* Calls each() for each process that runs. */
void maps_processes(void (*each)(void *arg, uint32_t pid), void *arg);

/* Reads the kernel's build ID; returns its size, 0: it is not known. */
uint32_t maps_kernel_id(uint8_t id[20]);

/* Where the kernel's instructions begin, and their length; false: this user may not know. */
bool maps_kernel(uint64_t *start, uint64_t *length);

#endif /* PERFCTR_TOOLS_MAPS_H */
