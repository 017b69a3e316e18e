// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * Every ISA without rules of its own: the words of a control are the kernel's raw event code, and
 * the kernel is the judge.
 */
#include "arch/raw/raw.h"

static const char type_names[][48] = { [PERFCTR_GENERIC] = "Generic processor with a clock" };

void perfctr_raw_identify(struct perfctr_cpu *cpu)
{
	*cpu = (struct perfctr_cpu){
		.name = type_names[PERFCTR_GENERIC],
		.id = "",
		.type = PERFCTR_GENERIC,
		.rules = PERFCTR_RULES_KERNEL,
		.counters = 0xFFFFFFFF,
		.width = 64,
		.pcint = 1,
	};
}

static int compile(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
		   struct perfctr_program *program, struct perfctr_diagnosis *diagnosis)
{
	(void)flags;
	return perfctr_check_common(cpu, control, 1, program, diagnosis);
}

void perfctr_raw_control_code(const struct perfctr_cpu *cpu, const void *control, unsigned int i,
			      struct perfctr_code *code)
{
	const struct perfctr_cpu_control *c = control;

	(void)cpu;
	*code = (struct perfctr_code){ .map = c->pmc_map[i],
				       .evntsel = c->evntsel[i],
				       .high = c->evntsel_high[i] };
}

const struct perfctr_field *perfctr_raw_fields(const struct perfctr_cpu *cpu)
{
	static const struct perfctr_field fields[] = {
		COMMON_FIELDS,
		FIELD(evntsel_high, PERFCTR_NR_CTRS),
		FIELD(ireset, PERFCTR_NR_CTRS),
		{ "", 0, 0 },
	};

	(void)cpu;
	return fields;
}

const struct perfctr_isa perfctr_raw = {
	.type_names = type_names,
	.types = sizeof(type_names) / sizeof(type_names[0]),
	.compile = compile,
	.control_code = perfctr_raw_control_code,
	.fields = perfctr_raw_fields,
};
