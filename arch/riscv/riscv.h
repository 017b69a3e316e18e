/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* riscv.h - the functions of perfctr_riscv (arch/isa.h). */
#ifndef PERFCTR_ARCH_RISCV_H
#define PERFCTR_ARCH_RISCV_H

#include <perfctr/abi-generic.h>
#include "arch/common.h"

int perfctr_riscv_typical(unsigned int n, struct perfctr_cpu *cpu);

#endif /* PERFCTR_ARCH_RISCV_H */
