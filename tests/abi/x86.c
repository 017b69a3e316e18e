// SPDX-License-Identifier: LGPL-2.1-or-later
#include <perfctr/abi-x86.h>
#include <perfctr/abi.h>
#include "tests/abi/layout.h"

COMMON(18, 324, 312);
AT(struct perfctr_cpu_control, p4.escr, 156);
AT(struct perfctr_cpu_control, p4.pebs_enable, 228);
AT(struct perfctr_cpu_control, p4.pebs_matrix_vert, 232);
AT(struct perfctr_cpu_control, evntsel_high, 156);
AT(struct perfctr_cpu_control, offcore_rsp, 228);
AT(struct perfctr_cpu_control, ireset, 236);
AT(struct gperfctr_cpu_state, sum, 328);
SIZE(struct perfctr_cpu_state, 312);
SIZE(struct gperfctr_cpu_state, 328 + 152 + 16);

int perfctr_test_abi_x86;
