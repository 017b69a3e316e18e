// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* The list of ISAs, and functions for any of them. */
#include "arch/isa.h"

/* An array would cost the library a relocation for each. */
const struct perfctr_isa *perfctr_isa(unsigned int n)
{
	switch (n) {
	case 0: return &perfctr_x86;
	case 1: return &perfctr_powerpc;
	case 2: return &perfctr_arm64;
	case 3: return &perfctr_riscv;
	case 4: return &perfctr_power;
	case 5: return &perfctr_raw;
	default: return NULL;
	}
}

static int typical(const struct perfctr_isa *isa, unsigned int n, struct perfctr_cpu *cpu)
{
	if (!isa->typical || isa->typical(n, cpu) < 0)
		return -1;
	cpu->isa = isa;
	return 0;
}

const char *perfctr_isa_id(const struct perfctr_isa *isa, unsigned int n)
{
	struct perfctr_cpu cpu;
	const char *last = "";
	unsigned int i;

	for (i = 0; typical(isa, i, &cpu) == 0; i++) {
		if (!perfctr_same_id(cpu.id, last) && n-- == 0)
			return cpu.id;
		last = cpu.id;
	}
	return NULL;
}

static int typical_of_type(const struct perfctr_isa *isa, unsigned int type,
			   struct perfctr_cpu *cpu)
{
	unsigned int i;

	for (i = 0; typical(isa, i, cpu) == 0; i++)
		if (cpu->type == type)
			return 0;
	return -1;
}

const char *perfctr_isa_type_id(const struct perfctr_isa *isa, unsigned int type)
{
	struct perfctr_cpu cpu;

	return typical_of_type(isa, type, &cpu) < 0 ? NULL : cpu.id;
}

const char *perfctr_isa_type_name(const struct perfctr_isa *isa, unsigned int type)
{
	return type < isa->types ? isa->type_names[type] : NULL;
}

int perfctr_cpu_named(const char *id, struct perfctr_cpu *cpu)
{
	const struct perfctr_isa *isa;
	unsigned int k, i;

	for (k = 0; (isa = perfctr_isa(k)); k++)
		for (i = 0; typical(isa, i, cpu) == 0; i++)
			if (perfctr_same_id(cpu->id, id))
				return 0;
	return -1;
}

/*
 * Whether the processor has all that the other one has, and refuses no control that the other
 * allows, except for unknown offcore responses. The first processors of a type have no
 * MSR_PEBS_FRONTEND.
 */
static int has_all_of(const struct perfctr_cpu *cpu, const struct perfctr_cpu *other)
{
	return cpu->rules == other->rules && !(other->counters & ~cpu->counters) &&
	       !(other->fixed & ~cpu->fixed) && !(cpu->reserved & ~other->reserved) &&
	       cpu->offcore >= other->offcore &&
	       cpu->offcore_width - cpu->outstanding >= other->offcore_width - other->outstanding &&
	       cpu->pcint >= other->pcint && cpu->no_tsc <= other->no_tsc &&
	       cpu->no_rdpmc <= other->no_rdpmc && cpu->northbridge <= other->northbridge &&
	       cpu->nb_resets <= other->nb_resets && cpu->p4_model == other->p4_model;
}

int perfctr_isa_has_type(const struct perfctr_isa *isa, const struct perfctr_cpu *cpu,
			 unsigned int type, struct perfctr_cpu *typical)
{
	if (type == cpu->type && cpu->counters) {
		*typical = *cpu;
		return 1;
	}
	return isa->older_types && typical_of_type(isa, type, typical) == 0 &&
	       has_all_of(cpu, typical);
}
