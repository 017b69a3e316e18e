/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* pmuv3.h - numbers for PMUv3's registers, which have only names, and their bits. */
#ifndef PERFCTR_ARCH_ARM64_PMUV3_H
#define PERFCTR_ARCH_ARM64_PMUV3_H

/* Counters: n is PMEVCNTRn_EL0. */
enum { PMU_CYCLES = 31 }; /* PMCCNTR_EL0 */

/* Control registers: n + 1 is PMEVTYPERn_EL0. */
enum {
	PMU_PMCCFILTR = PMU_CYCLES + 1,
	PMU_PMOVSCLR,
	PMU_PMINTEN, /* PMINTENSET_EL1 and PMINTENCLR_EL1: a bit that is not set is to be clear */
	PMU_PMCNTEN, /* PMCNTENSET_EL0 and PMCNTENCLR_EL0, likewise */
};

/* Slots of the last two; those of the others are their counters' numbers. */
enum { PMU_SLOT_PMINTEN = PMU_CYCLES + 1, PMU_SLOT_PMCNTEN };

#define PMEVTYPER_P 0x80000000u /* not in EL1 */
#define PMEVTYPER_U 0x40000000u /* not in EL0 */

#endif /* PERFCTR_ARCH_ARM64_PMUV3_H */
