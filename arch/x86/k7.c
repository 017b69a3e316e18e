// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * AMD from K7 on: P6's event selects, each with its own enable bit, wider from family 10h on.
 *
 * Sources: AMD Athlon optimization guide 22007 appendix D; BKDG 26094 rev 3.30 10.1 (K8), BKDG
 * 31116 rev 3.62 2.16 (family 10h, northbridge events), BKDG 42301 rev 3.14 2.6.1 (family 15h); APM
 * vol. 2 13.2.1 (six counters at C001_0200H, CPUID Fn8000_0001_ECX[23]). perfctr 2.6's driver is
 * the source for multicore K8s of revision E, which reset the northbridge's counters.
 */
#include "arch/x86/x86.h"

#define MERGE 0xF000000FFull /* event FFFH */

static uint32_t evntsel_reg(const struct perfctr_cpu *cpu, unsigned int n)
{
	return cpu->ext_core ? 0xC0010200 + 2 * n : 0xC0010000 + n;
}

/* The counters follow the four selects, or each its own select. */
uint32_t perfctr_k7_counter(const struct perfctr_cpu *cpu, unsigned int n)
{
	return cpu->ext_core ? evntsel_reg(cpu, n) + 1 : evntsel_reg(cpu, n) + 4;
}

uint32_t perfctr_k7_register(const struct perfctr_cpu *cpu, unsigned int slot)
{
	return slot < 32 && cpu->counters >> slot & 1 ? evntsel_reg(cpu, slot) : 0;
}

static int is_northbridge(const struct perfctr_cpu *cpu, uint32_t evntsel)
{
	return cpu->northbridge && (evntsel & EVNTSEL_EVENT) >= 0xE0;
}

/*
 * Refuses the northbridge: the core's other threads, and the other core, would reset a thread's
 * counts there.
 */
static int check_northbridge(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
			     unsigned int i, unsigned int flags,
			     struct perfctr_diagnosis *diagnosis)
{
	if (!cpu->nb_resets || !is_northbridge(cpu, c->evntsel[i]) ||
	    flags & PERFCTR_COMPILE_GLOBAL)
		return 0;
	return perfctr_forbid(
		diagnosis, "evntsel", (int)i, c->evntsel[i] & EVNTSEL_EVENT,
		"a thread can't count the northbridge's events on a K8 of revision E "
		"with two cores, where each switch resets them; a whole processor can");
}

/*
 * Adds an event that takes the next counter, too: its event select merges the two into one of 64
 * bits. It is stopped at a suspend, since it would merge the next thread's counters otherwise.
 */
static int add_pair(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		    unsigned int i, struct perfctr_program *program,
		    struct perfctr_diagnosis *diagnosis)
{
	uint32_t next = c->pmc_map[i] + 1, k;

	if (!perfctr_takes_pair(cpu, c->evntsel[i], perfctr_evntsel_high(cpu, c, i)))
		return 0;
	if (!(next & 1) || !(cpu->counters >> next & 1))
		return perfctr_diagnose(diagnosis, "pmc_map", (int)i, c->pmc_map[i],
					"event 003H takes an even counter and the next one");
	for (k = 0; k < program->nrctrs; k++)
		if (c->pmc_map[k] == next)
			return perfctr_diagnose(diagnosis, "pmc_map", (int)k, next,
						"event 003H on the counter before takes this one, "
						"too");
	perfctr_program_write(program, next, evntsel_reg(cpu, next), MERGE | EVNTSEL_ENABLE, 0);
	program->counter[i].upper = perfctr_k7_counter(cpu, next);
	return 0;
}

int perfctr_k7_compile(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		       unsigned int flags, struct perfctr_program *program,
		       struct perfctr_diagnosis *diagnosis)
{
	unsigned int i;

	for (i = 0; i < program->nrctrs; i++) {
		uint64_t evntsel = c->evntsel[i] | (uint64_t)perfctr_evntsel_high(cpu, c, i) << 32;
		uint32_t pmc = c->pmc_map[i];

		if (perfctr_check_counter(cpu, c, i, diagnosis) < 0 ||
		    check_northbridge(cpu, c, i, flags, diagnosis) < 0 ||
		    perfctr_check_evntsel(cpu, c, i, diagnosis) < 0)
			return -1;
		if (!(evntsel & EVNTSEL_ENABLE))
			return perfctr_diagnose(diagnosis, "evntsel", (int)i, 0,
						"the enable bit (22) must be set");
		/*
		 * The cores of a node share the northbridge's counters: such an event disturbs all
		 * other cores, so that only one core may have it.
		 */
		if (is_northbridge(cpu, c->evntsel[i]) && !(flags & PERFCTR_COMPILE_GLOBAL))
			program->one_core = program->privileged = 1;
		program->privileged |= (evntsel & EVNTSEL_OS) != 0;
		if (add_pair(cpu, c, i, program, diagnosis) < 0)
			return -1;
		perfctr_program_write(program, pmc, evntsel_reg(cpu, pmc), evntsel,
				      i < c->nractrs ? evntsel : 0);
		program->counter[i].reg = perfctr_k7_counter(cpu, pmc);
	}
	return 0;
}
