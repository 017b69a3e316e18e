/* SPDX-License-Identifier: GPL-2.0-only */
/* compat.h - the only place that asks for the kernel's version. */
#ifndef PERFCTR_DRIVER_COMPAT_H
#define PERFCTR_DRIVER_COMPAT_H

#include <linux/mm.h>
#include <linux/sched.h>
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

/* Is a thread on a CPU, or on its way from it? Without other CPUs it isn't: we are. */
static inline bool perfctr_compat_on_cpu(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	/* Pairs with the scheduler's release, when the thread has been switched away from. */
	return smp_load_acquire(&task->on_cpu);
#else
	return false;
#endif
}

/* Has it left its CPU for the last time? Since 5.14 the state has another name. */
static inline bool perfctr_compat_has_died(const struct task_struct *task)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
	unsigned int state = READ_ONCE(task->__state);
#else
	long state = READ_ONCE(task->state);
#endif
	return state == TASK_DEAD && !perfctr_compat_on_cpu(task);
}

#endif /* PERFCTR_DRIVER_COMPAT_H */
