// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * P5 and its clones: two counters, controlled by the halves of one register, CESR.
 *
 * Sources: SDM vol. 3B 20.6.9 (Pentium); Cyrix 6x86MX data book 2.6.4.x (event number bit 6 is bit
 * 10 of the half); IDT WinChip C6 data sheet, appendix A (eight bits of event, nothing else, and a
 * counter that runs always); "PERFCTRS X86 LOW-LEVEL API", Intel P5.
 */
#include "arch/x86/x86.h"

#define CESR_CPL	0x00C0u
#define CESR_CPL_KERNEL 0x0040u

int perfctr_p5_compile(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		       unsigned int flags, struct perfctr_program *program,
		       struct perfctr_diagnosis *diagnosis)
{
	uint32_t reserved = (uint32_t)cpu->reserved;
	unsigned int i, n = program->nrctrs;

	(void)flags;
	for (i = 0; i < n; i++) {
		if (perfctr_check_counter(cpu, c, i, diagnosis) < 0)
			return -1;
		if (c->evntsel[i] & reserved)
			return perfctr_forbid(diagnosis, "evntsel", (int)i,
					      c->evntsel[i] & reserved,
					      "these bits are reserved: an event select is half of "
					      "CESR");
		if (cpu->rules != PERFCTR_RULES_WINCHIP && !(c->evntsel[i] & CESR_CPL))
			return perfctr_diagnose(
				diagnosis, "evntsel", (int)i, 0,
				"a CPL bit (6 kernel, 7 user) must be set, or nothing "
				"is counted");
		/* WinChip can't tell user from kernel. */
		program->privileged |= cpu->rules == PERFCTR_RULES_WINCHIP ||
				       (c->evntsel[i] & CESR_CPL_KERNEL);
		perfctr_program_write(program, 0, CESR, c->evntsel[i] << 16 * c->pmc_map[i],
				      c->evntsel[i] << 16 * c->pmc_map[i]);
		program->counter[i].reg = CTR0 + c->pmc_map[i];
	}
	return 0;
}
