/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* device.h - the driver */
#ifndef PERFCTR_LIB_VIRTUAL_DEVICE_H
#define PERFCTR_LIB_VIRTUAL_DEVICE_H

#include <stdbool.h>
#include "libperfctr.h"

/* The driver's device, if it speaks our ABI, and its facts: a descriptor, or -1 with errno only. */
int perfctr_device_open(struct perfctr_info *info);

/* What such an errno means, as a clause. */
const char *perfctr_device_problem(int error);

/* perfctr_fail(EOPNOTSUPP (there is no driver), EACCES, EPROTO, EMFILE) with it. */
int perfctr_device_fail(int error);

/* The facts alone. -1 after perfctr_fail(EOPNOTSUPP (there is no driver), EACCES, EPROTO, EMFILE).
 */
int perfctr_device_info(struct perfctr_info *info);

/* perfctr_fail(ESRCH): thread tid, or the one whose counters they are, is not stopped. */
int perfctr_fail_not_stopped(int tid);
int perfctr_fail_out_of_reach(void);

/* sys_vperfctr_open() through the driver, and the driver's facts. */
int perfctr_device_open_state(int tid, bool creat, struct perfctr_info *info);

/* Whether the driver made it. */
bool perfctr_device_made(int fd);

/* perfctr_fail(EBADF): nobody who takes these calls made it. */
int perfctr_device_fail_fd(int fd);

/* The calls sys_vperfctr_*() on such a descriptor; EBADF if it is none. */
int perfctr_device_control(int fd, const struct vperfctr_control *control);
int perfctr_device_unlink(int fd);
int perfctr_device_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control);
int perfctr_device_iresume(int fd);

#endif /* PERFCTR_LIB_VIRTUAL_DEVICE_H */
