// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * Compiles controls of x86 processors: the part that all families share, and the choice of the
 * family.
 */
#include "arch/x86/x86.h"

/* Checks members in words that 2.6 reserved: with the flag set, a wrong value is a mistake. */
static int check_extended(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
			  struct perfctr_diagnosis *diagnosis)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (c->offcore_rsp_high[i] && cpu->offcore_width <= 32)
			return perfctr_diagnose(diagnosis, "offcore_rsp_high", (int)i,
						c->offcore_rsp_high[i],
						"this processor has no such register");
	if (c->pebs_frontend && !cpu->frontend)
		return perfctr_diagnose(diagnosis, "pebs_frontend", -1, c->pebs_frontend,
					"this processor has no such register");
	return 0;
}

int perfctr_x86_compile(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
			struct perfctr_program *program, struct perfctr_diagnosis *diagnosis)
{
	const struct perfctr_cpu_control *c = control;

	if (perfctr_check_common(cpu, c, 1, program, diagnosis) < 0 ||
	    (flags & PERFCTR_COMPILE_EXTENDED && check_extended(cpu, c, diagnosis) < 0))
		return -1;
	switch (cpu->rules) {
	case PERFCTR_RULES_P5:
	case PERFCTR_RULES_MII:
	case PERFCTR_RULES_WINCHIP: return perfctr_p5_compile(cpu, c, flags, program, diagnosis);
	case PERFCTR_RULES_P6: return perfctr_p6_compile(cpu, c, flags, program, diagnosis);
	case PERFCTR_RULES_C3: return perfctr_c3_compile(cpu, c, flags, program, diagnosis);
	case PERFCTR_RULES_K7: return perfctr_k7_compile(cpu, c, flags, program, diagnosis);
	case PERFCTR_RULES_P4: return perfctr_p4_compile(cpu, c, flags, program, diagnosis);
	case PERFCTR_RULES_ARCH: return perfctr_arch_compile(cpu, c, flags, program, diagnosis);
	default: return 0;
	}
}

uint32_t perfctr_x86_register(const struct perfctr_cpu *cpu, unsigned int slot)
{
	switch (cpu->rules) {
	case PERFCTR_RULES_P5:
	case PERFCTR_RULES_MII:
	case PERFCTR_RULES_WINCHIP: return slot == 0 ? CESR : 0;
	case PERFCTR_RULES_P6: return slot < 2 ? EVNTSEL0 + slot : 0;
	case PERFCTR_RULES_C3: return slot == 0 ? EVNTSEL0 + 1 : 0;
	case PERFCTR_RULES_K7: return perfctr_k7_register(cpu, slot);
	case PERFCTR_RULES_P4: return perfctr_p4_register(cpu, slot);
	case PERFCTR_RULES_ARCH: return perfctr_arch_register(cpu, slot);
	default: return 0;
	}
}

uint32_t perfctr_x86_counter(const struct perfctr_cpu *cpu, unsigned int n)
{
	if (n > 31 || !(cpu->counters >> n & 1))
		return 0;
	switch (cpu->rules) {
	case PERFCTR_RULES_P5:
	case PERFCTR_RULES_MII:
	case PERFCTR_RULES_WINCHIP: return CTR0 + n;
	case PERFCTR_RULES_K7: return perfctr_k7_counter(cpu, n);
	case PERFCTR_RULES_P4: return P4_COUNTER0 + n;
	default: return PERFCTR0 + n;
	}
}

uint32_t perfctr_x86_fixed_counter(const struct perfctr_cpu *cpu, unsigned int n)
{
	return n < 16 && cpu->fixed >> n & 1 ? perfctr_arch_fixed_counter(cpu, n) : 0;
}

int perfctr_x86_setup(const struct perfctr_cpu *cpu, unsigned int n, uint32_t *reg, uint64_t *value)
{
	if (n > 0)
		return -1;
	if (cpu->rules == PERFCTR_RULES_ARCH && cpu->version >= 2) {
		*reg = 0x38F; /* IA32_PERF_GLOBAL_CTRL */
		*value = cpu->counters | (uint64_t)cpu->fixed << 32;
		return 0;
	}
	if (cpu->rules == PERFCTR_RULES_K7 && cpu->version >= 2) {
		*reg = 0xC0000301; /* PerfCntrGlobalCtl, APM vol. 2 13.2.1 */
		*value = cpu->counters;
		return 0;
	}
	return -1;
}
