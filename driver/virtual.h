/* SPDX-License-Identifier: GPL-2.0-only */
/* virtual.h - per-thread counters: what init.c needs of virtual.c. */
#ifndef PERFCTR_DRIVER_VIRTUAL_H
#define PERFCTR_DRIVER_VIRTUAL_H

#include <linux/types.h>

/* As sys_vperfctr_open(): a descriptor, or -EEXIST, -ENODEV, -ESRCH, -ENOMEM, ... */
int vperfctr_open_fd(pid_t tid, bool creat, bool cloexec);

int vperfctr_init(void);
void vperfctr_exit(void);

#endif /* PERFCTR_DRIVER_VIRTUAL_H */
