// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* The table of arm64. */
#include "arch/arm64/arm64.h"
#include "arch/arm64/pmuv3.h"
#include "arch/raw/raw.h"

static struct perfctr_code option_code(const struct perfctr_event_choice *choice,
				       const struct perfctr_event_option *option)
{
	return (struct perfctr_code){
		.evntsel = option->code | (choice->kernel ? 0 : PMEVTYPER_P) |
			   (choice->user ? 0 : PMEVTYPER_U),
	};
}

const struct perfctr_isa perfctr_arm64 = {
	.type_names = perfctr_raw_types,
	.types = PERFCTR_RAW_TYPES,
	.fixed_bits = PMU_CYCLES,
	.typical = perfctr_arm64_typical,
	.compile = perfctr_arm64_compile,
	.control_code = perfctr_raw_control_code,
	.option_code = option_code,
	.choice_code = perfctr_raw_choice_code,
	.encode = perfctr_raw_encode,
	.fields = perfctr_raw_fields,
};
