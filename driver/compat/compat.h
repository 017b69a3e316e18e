/* SPDX-License-Identifier: GPL-2.0-only */
/* compat.h - the only place that asks for the kernel's version. */
#ifndef PERFCTR_DRIVER_COMPAT_H
#define PERFCTR_DRIVER_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>

/* Since 6.3 the flags of a mapping are changed by functions. */
static inline void perfctr_compat_vm_flags(struct vm_area_struct *vma, unsigned long set,
					   unsigned long clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

#endif /* PERFCTR_DRIVER_COMPAT_H */
