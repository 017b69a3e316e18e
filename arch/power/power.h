/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* power.h - what perfctr_power (arch/isa.h) consists of. */
#ifndef PERFCTR_ARCH_POWER_H
#define PERFCTR_ARCH_POWER_H

#include <perfctr/abi-generic.h>
#include "arch/common.h"

struct perfctr_code;
struct perfctr_event_choice;

int perfctr_power_typical(unsigned int n, struct perfctr_cpu *cpu);
const char *perfctr_power_choice_code(const struct perfctr_cpu *,
				      const struct perfctr_event_choice *, struct perfctr_code *);
int perfctr_power_encode(const struct perfctr_cpu *, const struct perfctr_event_choice *,
			 unsigned int, void *, unsigned int *, uint32_t *, const char **);

#endif /* PERFCTR_ARCH_POWER_H */
