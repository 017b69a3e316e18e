/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * process.h - identifies this process, and tells whether a process is still there although its
 * number may be another one's by now
 */
#ifndef PERFCTR_LIB_BASE_PROCESS_H
#define PERFCTR_LIB_BASE_PROCESS_H

#include <stdint.h>

struct perfctr_process {
	int32_t pid;	/* in its own namespace */
	uint64_t start; /* ticks since the boot; 0: not known, for /proc was not there */
	uint64_t space; /* the PID namespace; 0: not known */
};

/* Identifies the calling process. */
struct perfctr_process perfctr_process_self(void);

/* Finds out about a process. A zombie is gone. */
enum perfctr_presence { PERFCTR_GONE, PERFCTR_PRESENT, PERFCTR_NOT_KNOWN };
enum perfctr_presence perfctr_process_find(const struct perfctr_process *process);

#endif /* PERFCTR_LIB_BASE_PROCESS_H */
