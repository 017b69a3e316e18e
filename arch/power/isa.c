// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* The table of POWER. */
#include "arch/power/power.h"
#include "arch/raw/raw.h"

static const char type_names[][48] = {
	[PERFCTR_GENERIC] = "Generic processor with a clock",
	[PERFCTR_ARM64_PMUV3] = "arm64 with PMUv3",
	[PERFCTR_RISCV_SBI] = "RISC-V with SBI PMU",
	[PERFCTR_POWER_ISA207] = "POWER with the PMU of ISA 2.07",
};

const struct perfctr_isa perfctr_power = {
	.type_names = type_names,
	.types = sizeof(type_names) / sizeof(type_names[0]),
	.typical = perfctr_power_typical,
	.compile = perfctr_power_compile,
	.control_code = perfctr_raw_control_code,
	.choice_code = perfctr_power_choice_code,
	.encode = perfctr_power_encode,
	.fields = perfctr_raw_fields,
};
