/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * install.h - installs a compiled program in a state, for code without access to registers; the
 * rest of the engine is engine.h. The includer has seen an ISA's ABI header and <perfctr/abi.h>.
 */
#ifndef PERFCTR_ARCH_INSTALL_H
#define PERFCTR_ARCH_INSTALL_H

#include "arch/rules.h"

/*
 * Install a compiled program in a suspended state. The id must be one that no other program had
 * since the CPUs' caches were cleared, but for those that write the same, and stop nothing.
 */
static inline void perfctr_cpu_update_control(struct perfctr_cpu_state *state,
					      struct perfctr_program *program, unsigned int tsc_on,
					      uint64_t id)
{
	unsigned int i;

	program->id = id;
	program->tsc = tsc_on != 0;
	state->k1.id = (uint32_t)id;
	state->k1.isuspend_cpu = -1;
	state->cstatus = perfctr_mk_cstatus(tsc_on, program->nractrs,
					    program->nrctrs - program->nractrs);
	for (i = 0; i < program->nrctrs; i++) {
		state->pmc[i].map = program->counter[i].map;
		state->pmc[i].start = program->counter[i].ireset;
	}
}

#endif /* PERFCTR_ARCH_INSTALL_H */
