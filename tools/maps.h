/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* maps.h - what a process that runs already has mapped, as records would have told. */
#ifndef PERFCTR_TOOLS_MAPS_H
#define PERFCTR_TOOLS_MAPS_H

#include <libperfctr.h>

/* Call each() for each mapping with instructions. The name is as of /proc/PID/comm, or "". */
void maps_read(uint32_t pid, char name[16],
	       void (*each)(void *arg, const struct perfctr_record_mmap *mmap), void *arg);

#endif /* PERFCTR_TOOLS_MAPS_H */
