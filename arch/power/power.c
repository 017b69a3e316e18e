// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * POWER8 and later: identification and control rules.
 *
 * Sources: Power ISA 2.07B, book III-S chapter 9 (performance monitor facility); Linux's
 * arch/powerpc/perf/isa207-common.h (which bits of a raw code are whose) and
 * arch/powerpc/include/asm/reg.h (PVR).
 */
#include "arch/power/power.h"
#include "arch/power/codes.h"

/* clang-format off */
static const struct processor {
	uint16_t version;	/* upper half of the PVR; 0: any other one */
	uint16_t number;	/* POWERn */
	uint64_t reserved;	/* bits of a raw code that mean nothing */
	char id[8];
	char name[24];
} processors[] = {
	{ 0x0000, 0, 0, "", "POWER" },
	{ 0x004B, 8, 0xFFFC000000000600, "power8", "IBM POWER8" },
	{ 0x004C, 8, 0xFFFC000000000600, "power8", "IBM POWER8" },
	{ 0x004D, 8, 0xFFFC000000000600, "power8", "IBM POWER8" },
	{ 0x0066, 8, 0xFFFC000000000600, "power8", "HX-C2000" },
	{ 0x004E, 9, 0xFFF0000000000200, "power9", "IBM POWER9" },
	{ 0x0080, 10, 0xF000000000000000, "power10", "IBM Power10" },
	{ 0x0082, 11, 0xF000000000000000, "power10", "IBM Power11" },
};
/* clang-format on */

#define PROCESSORS (sizeof(processors) / sizeof(processors[0]))

static void describe(const struct processor *p, struct perfctr_cpu *cpu)
{
	*cpu = (struct perfctr_cpu){
		.name = p->name,
		.id = p->id,
		.type = PERFCTR_POWER_ISA207,
		.rules = PERFCTR_RULES_POWER,
		.counters = 0x3F,
		.width = 32,
		.reserved = p->reserved,
		.version = p->number,
		.pcint = 1,
	};
}

/* A processor without a table has no name. */
int perfctr_power_typical(unsigned int n, struct perfctr_cpu *cpu)
{
	if (n + 1 >= PROCESSORS)
		return -1;
	describe(&processors[n + 1], cpu);
	return 0;
}

void perfctr_power_identify(uint32_t pvr, unsigned int mode, struct perfctr_cpu *cpu)
{
	unsigned int n;

	for (n = PROCESSORS - 1; n > 0; n--)
		if (processors[n].version == pvr >> 16 && (!mode || processors[n].number == mode))
			break;
	describe(&processors[n], cpu);
}

static int check_event(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		       unsigned int i, struct perfctr_diagnosis *diagnosis)
{
	const uint32_t levels = POWER_NOT_KERNEL | POWER_NOT_USER;
	uint32_t high = c->evntsel_high[i];
	uint32_t other = (uint32_t)((cpu->reserved >> 32 | 0xC0000000) & ~(uint64_t)levels) & high;

	if (other)
		return perfctr_diagnose(diagnosis, "evntsel_high", (int)i, other,
					"these bits are reserved; 29 and 28 exclude the kernel and "
					"user mode");
	if ((high & levels) == levels)
		return perfctr_diagnose(diagnosis, "evntsel_high", (int)i, levels,
					"bits 29 and 28 together exclude everything");
	if (c->evntsel[i] & (uint32_t)cpu->reserved)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i,
					c->evntsel[i] & (uint32_t)cpu->reserved,
					"these bits are reserved");
	return 0;
}

/* The code names its counter, too, and the last two counters count one thing each. */
static int check_place(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		       unsigned int i, struct perfctr_diagnosis *diagnosis)
{
	uint32_t pmc = c->pmc_map[i] + 1, event = c->evntsel[i];

	if (perfctr_check_counter(cpu, c, i, diagnosis) < 0)
		return -1;
	if (pmc == 5 && event != POWER_RUN_INST_CMPL)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, event,
					"counter 4 (PMC5) counts 0x000500FA only");
	if (pmc == 6 && event != POWER_RUN_CYC)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, event,
					"counter 5 (PMC6) counts 0x000600F4 only");
	if (POWER_PMC(event) && POWER_PMC(event) != pmc)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, event & 0xF0000,
					"bits 19-16 name another counter than pmc_map[]: its "
					"number plus 1, or 0");
	return 0;
}

/* There is no register to write: it is the kernel that has them. */
int perfctr_power_compile(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
			  struct perfctr_program *program, struct perfctr_diagnosis *diagnosis)
{
	const struct perfctr_cpu_control *c = control;
	unsigned int i;

	(void)flags;
	if (perfctr_check_common(cpu, c, 1, program, diagnosis) < 0)
		return -1;
	for (i = 0; i < program->nrctrs; i++) {
		if (check_event(cpu, c, i, diagnosis) < 0 || check_place(cpu, c, i, diagnosis) < 0)
			return -1;
		program->privileged |= !(c->evntsel_high[i] & POWER_NOT_KERNEL);
	}
	return 0;
}
