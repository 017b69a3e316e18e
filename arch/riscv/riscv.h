/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* riscv.h - what perfctr_riscv (arch/isa.h) consists of. */
#ifndef PERFCTR_ARCH_RISCV_H
#define PERFCTR_ARCH_RISCV_H

#include <perfctr/abi-generic.h>
#include "arch/common.h"

struct perfctr_code;
struct perfctr_event_choice;

int perfctr_riscv_typical(unsigned int n, struct perfctr_cpu *cpu);
const char *perfctr_riscv_choice_code(const struct perfctr_cpu *,
				      const struct perfctr_event_choice *, struct perfctr_code *);
int perfctr_riscv_encode(const struct perfctr_cpu *, const struct perfctr_event_choice *,
			 unsigned int, void *, unsigned int *, uint32_t *, const char **);

#endif /* PERFCTR_ARCH_RISCV_H */
