/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* leave.h - clears the counts that a thread leaves behind, over the primitives of engine.h. */
#ifndef PERFCTR_ARCH_POWERPC_LEAVE_H
#define PERFCTR_ARCH_POWERPC_LEAVE_H

#include "arch/engine.h"
#include "arch/powerpc/sprs.h"

/*
 * Freeze and zero the counters after a suspend: user mode has names of its own for them, which
 * can't be forbidden. A resume begins again.
 */
static inline void perfctr_powerpc_leave(struct perfctr_core *core, const struct perfctr_cpu *cpu)
{
	static const uint32_t pmc[] = PERFCTR_SPR_PMCS;
	const uint32_t freeze = 0x80000000; /* MMCR0[FC] */
	struct perfctr_cache *cache = perfctr_core_cache(core);
	unsigned int n;

	perfctr_core_write_control(core, SPR_MMCR0, freeze);
	cache->control[0] = freeze; /* perfctr_powerpc_register(cpu, 0) is MMCR0 */
	cache->id = 0;
	for (n = 0; n < sizeof(pmc) / sizeof(pmc[0]); n++)
		if (cpu->counters >> n & 1)
			perfctr_core_write_counter(core, pmc[n], 0);
}

#endif /* PERFCTR_ARCH_POWERPC_LEAVE_H */
