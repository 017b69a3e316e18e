/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* syscalls_perf.h - the calls on descriptors of states over perf_events */
#ifndef PERFCTR_LIB_VIRTUAL_SYSCALLS_PERF_H
#define PERFCTR_LIB_VIRTUAL_SYSCALLS_PERF_H

#include <stdbool.h>
#include "libperfctr.h"

/*
 * Whether fd is a descriptor of a state over perf_events, or one that only answers with facts. Any
 * program may have made it.
 */
bool perfctr_shared_is(int fd);

/* These carry out sys_vperfctr_*() over perf_events. */
int perfctr_shared_open(int tid, bool creat);
int perfctr_shared_control(int fd, const struct vperfctr_control *control);
int perfctr_shared_unlink(int fd);
int perfctr_shared_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control);
int perfctr_shared_iresume(int fd);

#endif /* PERFCTR_LIB_VIRTUAL_SYSCALLS_PERF_H */
