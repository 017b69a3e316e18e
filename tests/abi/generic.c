// SPDX-License-Identifier: LGPL-2.1-or-later
#include <perfctr/abi-generic.h>
#include <perfctr/abi.h>
#include "tests/abi/layout.h"

COMMON(32, 540, 536);
AT(struct perfctr_cpu_control, evntsel_high, 268);
AT(struct perfctr_cpu_control, ireset, 396);
AT(struct gperfctr_cpu_state, sum, 544);
SIZE(struct perfctr_cpu_state, 536);
SIZE(struct gperfctr_cpu_state, 544 + 264 + 16);

int perfctr_test_abi_generic;
