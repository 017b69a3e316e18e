/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* device.h - calls to the driver */
#ifndef PERFCTR_LIB_VIRTUAL_DEVICE_H
#define PERFCTR_LIB_VIRTUAL_DEVICE_H

#include <stdbool.h>
#include "libperfctr.h"

/*
 * Opens the driver's device, if it speaks our ABI, and gets its facts. A descriptor, or -1 with
 * errno only.
 */
int perfctr_device_open(struct perfctr_info *info);

/* Explains such an errno in a clause. */
const char *perfctr_device_problem(int error);

/* Fails with this explanation: EOPNOTSUPP (there is no driver), EACCES, EPROTO, EMFILE. */
int perfctr_device_fail(int error);

/*
 * Gets the facts alone. -1 after perfctr_fail(EOPNOTSUPP (there is no driver), EACCES, EPROTO,
 * EMFILE).
 */
int perfctr_device_info(struct perfctr_info *info);

/* Fail with ESRCH: thread tid, or the thread that the counters belong to, is not stopped. */
int perfctr_fail_not_stopped(int tid);
int perfctr_fail_out_of_reach(void);

/* Carries out sys_vperfctr_open() through the driver, and gets the driver's facts. */
int perfctr_device_open_state(int tid, bool creat, struct perfctr_info *info);

/* Whether the driver made this descriptor. */
bool perfctr_device_made(int fd);

/* Fails with EBADF: neither the driver nor this library made the descriptor. */
int perfctr_device_fail_fd(int fd);

/* Carry out sys_vperfctr_*() on such a descriptor. EBADF: it is not one of the driver's. */
int perfctr_device_control(int fd, const struct vperfctr_control *control);
int perfctr_device_unlink(int fd);
int perfctr_device_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control);
int perfctr_device_iresume(int fd);

#endif /* PERFCTR_LIB_VIRTUAL_DEVICE_H */
