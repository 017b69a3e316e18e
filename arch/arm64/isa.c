// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* The table of arm64. */
#include "arch/arm64/arm64.h"
#include "arch/arm64/pmuv3.h"
#include "arch/raw/raw.h"

static const char type_names[][48] = {
	[PERFCTR_GENERIC] = "Generic processor with a clock",
	[PERFCTR_ARM64_PMUV3] = "arm64 with PMUv3",
};

const struct perfctr_isa perfctr_arm64 = {
	.type_names = type_names,
	.types = sizeof(type_names) / sizeof(type_names[0]),
	.fixed_bits = PMU_CYCLES,
	.typical = perfctr_arm64_typical,
	.compile = perfctr_arm64_compile,
	.control_code = perfctr_raw_control_code,
	.choice_code = perfctr_arm64_choice_code,
	.encode = perfctr_arm64_encode,
	.fields = perfctr_raw_fields,
};
