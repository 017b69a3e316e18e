// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * Controls of abi-generic.h, for ISAs without rules of their own: the words are the kernel's raw
 * event code, and the kernel checks them.
 */
#include "arch/raw/raw.h"

const char perfctr_raw_types[PERFCTR_RAW_TYPES][48] = {
	[PERFCTR_GENERIC] = "Generic processor with a clock",
	[PERFCTR_ARM64_PMUV3] = "arm64 with PMUv3",
	[PERFCTR_RISCV_SBI] = "RISC-V with SBI PMU",
	[PERFCTR_POWER_ISA207] = "POWER with the PMU of ISA 2.07",
};

void perfctr_raw_identify(struct perfctr_cpu *cpu)
{
	*cpu = (struct perfctr_cpu){
		.name = perfctr_raw_types[PERFCTR_GENERIC],
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
	.type_names = perfctr_raw_types,
	.types = PERFCTR_RAW_TYPES,
	.compile = compile,
	.control_code = perfctr_raw_control_code,
	.fields = perfctr_raw_fields,
};
