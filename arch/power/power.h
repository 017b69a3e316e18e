/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* power.h - the functions of perfctr_power (arch/isa.h). */
#ifndef PERFCTR_ARCH_POWER_H
#define PERFCTR_ARCH_POWER_H

#include <perfctr/abi-generic.h>
#include "arch/common.h"

int perfctr_power_typical(unsigned int n, struct perfctr_cpu *cpu);

#endif /* PERFCTR_ARCH_POWER_H */
