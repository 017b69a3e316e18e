/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * identify.h - identifies a processor, by its own registers or by the kernel's texts, for native.c
 */
#ifndef PERFCTR_LIB_ISA_IDENTIFY_H
#define PERFCTR_LIB_ISA_IDENTIFY_H

#include <stdbool.h>

/* ---- cpuid.c ---- */

struct perfctr_cpuid;
void perfctr_cpuid_read(struct perfctr_cpuid *id);

/* ---- cpuinfo.c ---- */

/* Identifies the first processor in a RISC-V's /proc/cpuinfo. */
struct perfctr_cpu;
void perfctr_cpuinfo_riscv(const char *text, struct perfctr_cpu *cpu);

/* Does the same for a 64-bit PowerPC, with the kernel's name of its PMU; "": unknown. */
void perfctr_cpuinfo_power(const char *text, const char *pmu, struct perfctr_cpu *cpu);

/* ---- readable.c ---- */

/*
 * Whether this processor's counters can be read in user space at all. On POWER it is tried, once:
 * for that moment SIGILL has a handler, which leaves others' to theirs.
 */
bool perfctr_is_readable(void);

#endif /* PERFCTR_LIB_ISA_IDENTIFY_H */
