/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* raw.h - controls as abi-generic.h has them, for the ISAs that share them. */
#ifndef PERFCTR_ARCH_RAW_H
#define PERFCTR_ARCH_RAW_H

#include <perfctr/abi-generic.h>
#include "arch/common.h"
#include "arch/isa.h"

/* Members of struct perfctr_isa. */
void perfctr_raw_control_code(const struct perfctr_cpu *cpu, const void *control, unsigned int i,
			      struct perfctr_code *code);
const struct perfctr_field *perfctr_raw_fields(const struct perfctr_cpu *cpu);

#endif /* PERFCTR_ARCH_RAW_H */
