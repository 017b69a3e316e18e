// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* The table of x86. */
#include "arch/x86/x86.h"
#include "arch/isa.h"

static const struct perfctr_field *fields(const struct perfctr_cpu *cpu)
{
	static const struct perfctr_field p4[] = {
		COMMON_FIELDS,
		FIELD(p4.escr, PERFCTR_NR_CTRS),
		FIELD(ireset, PERFCTR_NR_CTRS),
		FIELD(p4.pebs_enable, 0),
		FIELD(p4.pebs_matrix_vert, 0),
		{ "", 0, 0 },
	};
	static const struct perfctr_field others[] = {
		COMMON_FIELDS,
		FIELD(evntsel_high, PERFCTR_NR_CTRS),
		FIELD(ireset, PERFCTR_NR_CTRS),
		FIELD(offcore_rsp, 2),
		FIELD(offcore_rsp_high, 2),
		FIELD(pebs_frontend, 0),
		{ "", 0, 0 },
	};

	return cpu->rules == PERFCTR_RULES_P4 ? p4 : others;
}

const struct perfctr_isa perfctr_x86 = {
	.type_names = perfctr_x86_types,
	.types = PERFCTR_X86_TYPES,
	.older_types = 1,
	.fixed_bits = FIXED_COUNTER,
	.typical = perfctr_x86_typical,
	.compile = perfctr_x86_compile,
	.control_code = perfctr_x86_control_code,
	.choice_code = perfctr_x86_choice_code,
	.encode = perfctr_x86_encode,
	.fields = fields,
};
