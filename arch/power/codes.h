/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * codes.h - what the 64 bits of a POWER control's event select mean: Linux's raw code
 * (arch/powerpc/perf/power8-pmu.c, power9-pmu.c, power10-pmu.c), but for the bits that Linux has
 * for interrupts to user mode (63) and the branch history (62-60), which have no use here. Of these
 * 61 and 60 are ours, and stand where RISC-V has them.
 */
#ifndef PERFCTR_ARCH_POWER_CODES_H
#define PERFCTR_ARCH_POWER_CODES_H

/* In the upper half. */
#define POWER_NOT_KERNEL 0x20000000u /* bit 61 */
#define POWER_NOT_USER	 0x10000000u /* bit 60 */

/* Event tables, which have room for 16 of the upper bits: with this one they are those from 45 on.
 */
#define POWER_TABLE_UPPER 0x8000u
#define POWER_UPPER_SHIFT 13

/* In the lower half. */
#define POWER_PMC(event) ((event) >> 16 & 0xF) /* from 1 on; 0: any of PMC1 to PMC4 */

/* All that PMC5 and PMC6 count. */
#define POWER_RUN_INST_CMPL 0x500FAu
#define POWER_RUN_CYC	    0x600F4u

#endif /* PERFCTR_ARCH_POWER_CODES_H */
