/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* raw.h - controls of abi-generic.h, for the ISAs that share them. */
#ifndef PERFCTR_ARCH_RAW_H
#define PERFCTR_ARCH_RAW_H

#include <perfctr/abi-generic.h>
#include "arch/common.h"
#include "arch/isa.h"

/* Names of their cpu_types, by number. */
enum { PERFCTR_RAW_TYPES = PERFCTR_POWER_ISA207 + 1 };
extern const char perfctr_raw_types[PERFCTR_RAW_TYPES][48];

/* These are members of struct perfctr_isa; the two that encode use option_code for events. */
void perfctr_raw_control_code(const struct perfctr_cpu *cpu, const void *control, unsigned int i,
			      struct perfctr_code *code);
const char *perfctr_raw_choice_code(const struct perfctr_cpu *cpu,
				    const struct perfctr_event_choice *choice,
				    struct perfctr_code *code);
int perfctr_raw_encode(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		       unsigned int n, void *control, unsigned int place[], uint32_t *conflict,
		       const char **reason);
const struct perfctr_field *perfctr_raw_fields(const struct perfctr_cpu *cpu);

#endif /* PERFCTR_ARCH_RAW_H */
