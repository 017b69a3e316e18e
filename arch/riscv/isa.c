// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* The table of RISC-V. */
#include "arch/riscv/riscv.h"
#include "arch/riscv/sbi.h"
#include "arch/raw/raw.h"

static struct perfctr_code option_code(const struct perfctr_event_choice *choice,
				       const struct perfctr_event_option *option)
{
	uint32_t high = option->high;

	return (struct perfctr_code){
		.evntsel = option->code,
		.high = (high & SBI_TABLES ? SBI_GENERAL : high & SBI_RAW) |
			(choice->kernel ? 0 : SBI_SINH) | (choice->user ? 0 : SBI_UINH),
	};
}

/* As perfctr_raw_choice_code(), which knows nothing of the firmware. */
static const char *choice_code(const struct perfctr_cpu *cpu,
			       const struct perfctr_event_choice *choice, struct perfctr_code *code)
{
	const char *reason = perfctr_raw_choice_code(cpu, choice, code);

	if (!reason && choice->user != choice->kernel && code->high & SBI_GENERAL &&
	    SBI_TYPE(code->evntsel) == SBI_TYPE_FIRMWARE)
		return "the firmware counts it in all modes; leave the modifiers u and k out";
	return reason;
}

const struct perfctr_isa perfctr_riscv = {
	.type_names = perfctr_raw_types,
	.types = PERFCTR_RAW_TYPES,
	.typical = perfctr_riscv_typical,
	.compile = perfctr_riscv_compile,
	.control_code = perfctr_raw_control_code,
	.option_code = option_code,
	.choice_code = choice_code,
	.encode = perfctr_raw_encode,
	.fields = perfctr_raw_fields,
};
