/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * codes.h - the 64 bits of a POWER control's event select: Linux's raw code
 * (arch/powerpc/perf/power8-pmu.c, power9-pmu.c, power10-pmu.c), without the bits that Linux has
 * for interrupts to user mode (63) and the branch history (62-60), which have no use here. Of these
 * 61 and 60 are ours, as on RISC-V.
 */
#ifndef PERFCTR_ARCH_POWER_CODES_H
#define PERFCTR_ARCH_POWER_CODES_H

/* These are in the upper half. */
#define POWER_NOT_KERNEL 0x20000000u /* bit 61 */
#define POWER_NOT_USER	 0x10000000u /* bit 60 */

/* Event tables, which have room for 16 of the upper bits: with this one they are those from 45 on.
 */
#define POWER_TABLE_UPPER 0x8000u
#define POWER_UPPER_SHIFT 13

/* These are in the lower half. */
#define POWER_PMC(event) ((event) >> 16 & 0xF) /* from 1 on; 0: any of PMC1 to PMC4 */

/* These are the only events of PMC5 and PMC6. */
#define POWER_RUN_INST_CMPL 0x500FAu
#define POWER_RUN_CYC	    0x600F4u

#endif /* PERFCTR_ARCH_POWER_CODES_H */
