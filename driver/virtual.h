/* SPDX-License-Identifier: GPL-2.0-only */
/* virtual.h - per-thread counters: what init.c needs of virtual.c. */
#ifndef PERFCTR_DRIVER_VIRTUAL_H
#define PERFCTR_DRIVER_VIRTUAL_H

#include <linux/types.h>

/* As sys_vperfctr_open(): a descriptor, or -EEXIST, -ENODEV, -ESRCH, -ENOMEM, ... */
int vperfctr_open_fd(pid_t tid, bool creat, bool cloexec);

/* Copy a structure to a caller who knows it as size bytes; what is beyond ours becomes zero. */
int vperfctr_copy_out(u64 to, u32 size, const void *from, size_t ours);

int vperfctr_init(void);
void vperfctr_exit(void);

#endif /* PERFCTR_DRIVER_VIRTUAL_H */
