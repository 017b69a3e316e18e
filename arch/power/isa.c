// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* The table of POWER. */
#include "arch/power/power.h"
#include "arch/power/codes.h"
#include "arch/raw/raw.h"

static struct perfctr_code option_code(const struct perfctr_event_choice *choice,
				       const struct perfctr_event_option *option)
{
	uint32_t high = option->high;

	if (high & POWER_TABLE_UPPER)
		high = (high & ~POWER_TABLE_UPPER) << POWER_UPPER_SHIFT;
	return (struct perfctr_code){
		.evntsel = option->code,
		.high = high | (choice->kernel ? 0 : POWER_NOT_KERNEL) |
			(choice->user ? 0 : POWER_NOT_USER),
	};
}

const struct perfctr_isa perfctr_power = {
	.type_names = perfctr_raw_types,
	.types = PERFCTR_RAW_TYPES,
	.typical = perfctr_power_typical,
	.compile = perfctr_power_compile,
	.control_code = perfctr_raw_control_code,
	.option_code = option_code,
	.choice_code = perfctr_raw_choice_code,
	.encode = perfctr_raw_encode,
	.fields = perfctr_raw_fields,
};
