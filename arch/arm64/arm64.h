/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* arm64.h - what perfctr_arm64 (arch/isa.h) consists of. */
#ifndef PERFCTR_ARCH_ARM64_H
#define PERFCTR_ARCH_ARM64_H

#include <perfctr/abi-generic.h>
#include "arch/common.h"

struct perfctr_code;
struct perfctr_event_choice;

int perfctr_arm64_typical(unsigned int n, struct perfctr_cpu *cpu);
const char *perfctr_arm64_choice_code(const struct perfctr_cpu *,
				      const struct perfctr_event_choice *, struct perfctr_code *);
int perfctr_arm64_encode(const struct perfctr_cpu *, const struct perfctr_event_choice *,
			 unsigned int, void *, unsigned int *, uint32_t *, const char **);

#endif /* PERFCTR_ARCH_ARM64_H */
