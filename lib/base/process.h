/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* process.h - which process this is, and whether one is still there, whose number others may have
 */
#ifndef PERFCTR_LIB_BASE_PROCESS_H
#define PERFCTR_LIB_BASE_PROCESS_H

#include <stdint.h>

struct perfctr_process {
	int32_t pid;	/* as it knows itself */
	uint64_t start; /* ticks since the boot; 0: not known, for /proc was not there */
	uint64_t space; /* the PID namespace; 0: not known */
};

/* The calling one. */
struct perfctr_process perfctr_process_self(void);

/* A process that nobody has waited for is gone. */
enum perfctr_presence { PERFCTR_GONE, PERFCTR_PRESENT, PERFCTR_NOT_KNOWN };
enum perfctr_presence perfctr_process_find(const struct perfctr_process *process);

#endif /* PERFCTR_LIB_BASE_PROCESS_H */
