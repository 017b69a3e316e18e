// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* The table of PowerPC. */
#include "arch/isa.h"
#include "arch/powerpc/powerpc.h"

static const struct perfctr_field *fields(const struct perfctr_cpu *cpu)
{
	static const struct perfctr_field fields[] = {
		COMMON_FIELDS,	     FIELD(ireset, PERFCTR_NR_CTRS),
		FIELD(ppc.mmcr0, 0), FIELD(ppc.mmcr2, 0),
		{ "", 0, 0 },
	};

	(void)cpu;
	return fields;
}

const struct perfctr_isa perfctr_powerpc = {
	.type_names = perfctr_powerpc_types,
	.types = PERFCTR_PPC_TYPES,
	.typical = perfctr_powerpc_typical,
	.compile = perfctr_powerpc_compile,
	.control_code = perfctr_powerpc_control_code,
	.choice_code = perfctr_powerpc_choice_code,
	.encode = perfctr_powerpc_encode,
	.fields = fields,
};
