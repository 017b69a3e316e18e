// SPDX-License-Identifier: LGPL-2.1-or-later
#include <perfctr/abi-powerpc.h>
#include <perfctr/abi.h>
#include "tests/abi/layout.h"

COMMON(8, 132, 152);
AT(struct perfctr_cpu_control, ireset, 76);
AT(struct perfctr_cpu_control, ppc.mmcr0, 108);
AT(struct perfctr_cpu_control, ppc.mmcr2, 112);
AT(struct gperfctr_cpu_state, sum, 136);
SIZE(struct perfctr_cpu_state, 152);
SIZE(struct gperfctr_cpu_state, 136 + 72 + 16);

int perfctr_test_abi_powerpc;
