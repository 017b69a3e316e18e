/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* powerpc.h - bits of the control registers, for rules and encoding. */
#ifndef PERFCTR_ARCH_POWERPC_H
#define PERFCTR_ARCH_POWERPC_H

#include <perfctr/abi-powerpc.h>
#include "arch/common.h"

#define MMCR0_FC	 0x80000000u
#define MMCR0_FCS	 0x40000000u
#define MMCR0_FCP	 0x20000000u
#define MMCR0_PMXE	 0x04000000u
#define MMCR0_FCECE	 0x02000000u
#define MMCR0_TBEE	 0x00400000u
#define MMCR0_PMC1CE	 0x00008000u
#define MMCR0_PMCjCE	 0x00004000u
#define MMCR0_TRIGGER	 0x00002000u
#define MMCR0_PMCSEL	 0x00001FFFu /* PMC1SEL and PMC2SEL */
#define MMCR2_THRESHMULT 0x80000000u

/* These are the functions of perfctr_powerpc (arch/isa.h). */
struct perfctr_code;
struct perfctr_event_choice;

enum { PERFCTR_PPC_TYPES = PERFCTR_PPC_7450 + 1 };
extern const char perfctr_powerpc_types[PERFCTR_PPC_TYPES][48];
int perfctr_powerpc_typical(unsigned int n, struct perfctr_cpu *cpu);
void perfctr_powerpc_control_code(const struct perfctr_cpu *, const void *, unsigned int,
				  struct perfctr_code *);
const char *perfctr_powerpc_choice_code(const struct perfctr_cpu *,
					const struct perfctr_event_choice *, struct perfctr_code *);
int perfctr_powerpc_encode(const struct perfctr_cpu *, const struct perfctr_event_choice *,
			   unsigned int, void *, unsigned int *, uint32_t *, const char **);

#endif /* PERFCTR_ARCH_POWERPC_H */
