/* SPDX-License-Identifier: GPL-2.0-only */
/* calls.h - the calls of user space: sets of counters as descriptors, structures of any size. */
#ifndef PERFCTR_DRIVER_CALLS_H
#define PERFCTR_DRIVER_CALLS_H

#include <linux/types.h>

/* Carries out sys_vperfctr_open(): a descriptor, or -EEXIST, -ENODEV, -ESRCH, -ENOMEM, ... */
int calls_open(pid_t tid, bool creat);

/* Copies a structure to a caller whose version has size bytes; bytes beyond ours become zero. */
int calls_copy_out(u64 to, u32 size, const void *from, size_t ours);

#endif /* PERFCTR_DRIVER_CALLS_H */
