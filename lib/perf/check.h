/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check.h - all that is checked of a control, and what this processor allows */
#ifndef PERFCTR_LIB_PERF_CHECK_H
#define PERFCTR_LIB_PERF_CHECK_H

#include <stdbool.h>
#include "libperfctr.h"

/*
 * All that is checked of a thread's control: its flags, its signal, and last what the processor
 * allows. 0, or -1 after perfctr_fail(), as below.
 */
int perfctr_thread_control_check(const struct vperfctr_control *control);

/*
 * perfctr_cpu_control_check(), whose extended members count or don't. 0, or -1 after
 * perfctr_fail(EINVAL, EPERM, or EOPNOTSUPP if there are no counters).
 */
int perfctr_control_check(const struct perfctr_cpu_control *control, bool extended);

/* The processor's type, or the generic one if it shows no counters here. */
unsigned int perfctr_usable_type(void);

#endif /* PERFCTR_LIB_PERF_CHECK_H */
