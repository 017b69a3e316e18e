/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check.h - checks of a control, against the rules and against this processor */
#ifndef PERFCTR_LIB_PERF_CHECK_H
#define PERFCTR_LIB_PERF_CHECK_H

#include <stdbool.h>
#include "libperfctr.h"

/*
 * Checks a thread's control: its flags, its signal, and last its counters on this processor. 0, or
 * -1 after perfctr_fail(), as below.
 */
int perfctr_thread_control_check(const struct vperfctr_control *control);

/*
 * Does as perfctr_cpu_control_check() does; extended: whether the extended members count. 0, or -1
 * after perfctr_fail(EINVAL, EPERM, or EOPNOTSUPP if there are no counters).
 */
int perfctr_control_check(const struct perfctr_cpu_control *control, bool extended);

/* Returns the processor's type, or the generic one if no counters can be used here. */
unsigned int perfctr_usable_type(void);

#endif /* PERFCTR_LIB_PERF_CHECK_H */
