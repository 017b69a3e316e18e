/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* arm64.h - the functions of perfctr_arm64 (arch/isa.h). */
#ifndef PERFCTR_ARCH_ARM64_H
#define PERFCTR_ARCH_ARM64_H

#include <perfctr/abi-generic.h>
#include "arch/common.h"

int perfctr_arm64_typical(unsigned int n, struct perfctr_cpu *cpu);

#endif /* PERFCTR_ARCH_ARM64_H */
