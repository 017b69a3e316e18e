/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* maps.h - reads the mappings of a running process, as records would have told them. */
#ifndef PERFCTR_TOOLS_MAPS_H
#define PERFCTR_TOOLS_MAPS_H

#include <libperfctr.h>
#include <stdbool.h>

/* Call each() for each mapping with instructions. The name is as of /proc/PID/comm, or "". */
void maps_read(uint32_t pid, char name[16],
	       void (*each)(void *arg, const struct perfctr_record_mmap *mmap), void *arg);

/* Where the kernel's instructions begin, and their length; false: this user may not know. */
bool maps_kernel(uint64_t *start, uint64_t *length);

#endif /* PERFCTR_TOOLS_MAPS_H */
