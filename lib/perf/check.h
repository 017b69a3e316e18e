/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check.h - what this processor allows, where the kernel shows its counters */
#ifndef PERFCTR_LIB_PERF_CHECK_H
#define PERFCTR_LIB_PERF_CHECK_H

#include <stdbool.h>
#include "libperfctr.h"

/*
 * perfctr_cpu_control_check(), whose extended members count or don't. 0, or -1 after
 * perfctr_fail(EINVAL, EPERM, or EOPNOTSUPP if there are no counters).
 */
int perfctr_control_check(const struct perfctr_cpu_control *control, bool extended);

/* The processor's type, or the generic one if it shows no counters here. */
unsigned int perfctr_usable_type(void);

#endif /* PERFCTR_LIB_PERF_CHECK_H */
