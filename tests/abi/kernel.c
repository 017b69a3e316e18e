// SPDX-License-Identifier: LGPL-2.1-or-later
/* The kernel's view of the state page goes on where the user's ends. */
#define PERFCTR_KERNEL_STATE
#include <perfctr/abi.h>
#include <assert.h>
#include <stddef.h>

#if defined(PERFCTR_ABI_X86_H)
static_assert(offsetof(struct perfctr_cpu_state, control) == 312, "control");
static_assert(offsetof(struct perfctr_cpu_state, p4_escr_map) == 636, "p4_escr_map");
#elif defined(PERFCTR_ABI_POWERPC_H)
static_assert(offsetof(struct perfctr_cpu_state, ppc_mmcr) == 152, "ppc_mmcr");
static_assert(offsetof(struct perfctr_cpu_state, control) == 164, "control");
#else
static_assert(offsetof(struct perfctr_cpu_state, control) == 536, "control");
#endif

int perfctr_test_abi_kernel;
