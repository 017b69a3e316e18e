// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * P6, and its distant relative, the VIA C3.
 *
 * Sources: SDM vol. 3B 20.6.8 (P6 family); "PERFCTRS X86 LOW-LEVEL API", Intel P6 and VIA C3.
 */
#include "arch/x86/x86.h"

int perfctr_check_evntsel(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
			  unsigned int i, struct perfctr_diagnosis *diagnosis)
{
	uint32_t evntsel = c->evntsel[i];
	uint32_t high = perfctr_evntsel_high(cpu, c, i) & (uint32_t)(cpu->reserved >> 32);

	if (evntsel & (uint32_t)cpu->reserved)
		return perfctr_forbid(diagnosis, "evntsel", (int)i,
				      evntsel & (uint32_t)cpu->reserved,
				      "these bits are reserved on this processor");
	if (high)
		return perfctr_diagnose(diagnosis, "evntsel_high", (int)i, high,
					"these bits are reserved on this processor");
	if (!(evntsel & (EVNTSEL_USR | EVNTSEL_OS)))
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, 0,
					"USR (16) or OS (17) must be set, or nothing is counted");
	if (i < c->nractrs && evntsel & EVNTSEL_INT)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, EVNTSEL_INT,
					"the interrupt bit (20) is for i-mode counters");
	if (i >= c->nractrs && !(evntsel & EVNTSEL_INT))
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, 0,
					"an i-mode counter needs the interrupt bit (20)");
	return 0;
}

int perfctr_p6_compile(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		       unsigned int flags, struct perfctr_program *program,
		       struct perfctr_diagnosis *diagnosis)
{
	unsigned int i, n = program->nrctrs, enabled = 0;

	(void)flags;
	for (i = 0; i < n; i++) {
		uint32_t evntsel = c->evntsel[i], pmc = c->pmc_map[i];

		if (perfctr_check_counter(cpu, c, i, diagnosis) < 0 ||
		    perfctr_check_evntsel(cpu, c, i, diagnosis) < 0)
			return -1;
		if (pmc != 0 && evntsel & EVNTSEL_ENABLE)
			return perfctr_forbid(diagnosis, "evntsel", (int)i, EVNTSEL_ENABLE,
					      "the enable bit (22) is reserved but in counter 0's");
		if (pmc == 0 && !(evntsel & EVNTSEL_ENABLE))
			return perfctr_diagnose(
				diagnosis, "evntsel", (int)i, 0,
				"the enable bit (22) of counter 0, which enables both "
				"counters, must be set");
		enabled |= pmc == 0;
		program->privileged |= (evntsel & EVNTSEL_OS) != 0;
		perfctr_program_write(program, pmc, EVNTSEL0 + pmc, evntsel,
				      i < c->nractrs ? evntsel : 0);
		program->counter[i].reg = PERFCTR0 + pmc;
	}
	/* Alone, counter 1 would stand still: counter 0 is enabled, and counts nothing. */
	if (n && !enabled)
		perfctr_program_write(program, 0, EVNTSEL0, EVNTSEL_ENABLE, EVNTSEL_ENABLE);
	return 0;
}

int perfctr_c3_compile(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		       unsigned int flags, struct perfctr_program *program,
		       struct perfctr_diagnosis *diagnosis)
{
	uint32_t bits;

	(void)flags;
	if (!program->nrctrs)
		return 0;
	/* Counter 0 is the TSC under another name. */
	if (c->pmc_map[0] == 0)
		return perfctr_diagnose(diagnosis, "pmc_map", 0, 0,
					"only counter 1 can be programmed on a C3");
	if (perfctr_check_counter(cpu, c, 0, diagnosis) < 0)
		return -1;
	if (program->nrctrs > 1)
		return perfctr_diagnose(diagnosis, "nractrs", -1, c->nractrs,
					"a C3 has only one programmable counter");
	bits = c->evntsel[0] & (uint32_t)cpu->reserved;
	if (bits)
		return perfctr_forbid(diagnosis, "evntsel", 0, bits,
				      "a C3's event select has bits 8-0 only");
	program->privileged = 1; /* it can't tell user from kernel */
	perfctr_program_write(program, 0, EVNTSEL0 + 1, c->evntsel[0], c->evntsel[0]);
	program->counter[0].reg = PERFCTR0 + 1;
	return 0;
}
