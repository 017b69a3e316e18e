/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* powerpc.h - bits of the control registers, as rules and encoding know them. */
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

#endif /* PERFCTR_ARCH_POWERPC_H */
