/* SPDX-License-Identifier: GPL-2.0-only */
/* compat.h - the differences between kernel versions: no other file asks for the version. */
#ifndef PERFCTR_DRIVER_COMPAT_H
#define PERFCTR_DRIVER_COMPAT_H

#include <linux/capability.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#if __has_include(<linux/sched/exec_state.h>)
#include <linux/sched/exec_state.h>
#endif
#include <linux/sched/task.h>
#include <linux/syscore_ops.h>
#include <linux/version.h>
#include <linux/workqueue.h>

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

/*
 * Is a task's program hidden from its own user, and from the caller? Since 7.2 the task knows,
 * which is found by its header; before, its memory.
 */
static inline bool perfctr_compat_is_hidden(struct task_struct *task)
{
	bool hidden;
#if __has_include(<linux/sched/exec_state.h>)
	const struct task_exec_state *state;

	rcu_read_lock();
	state = rcu_dereference(task->exec_state);
	hidden = state && state->dumpable != TASK_DUMPABLE_OWNER &&
		 !ns_capable(state->user_ns, CAP_SYS_PTRACE);
	rcu_read_unlock();
#else
	task_lock(task);
	hidden = task->mm && get_dumpable(task->mm) != SUID_DUMP_USER &&
		 !ns_capable(task->mm->user_ns, CAP_SYS_PTRACE);
	task_unlock(task);
#endif
	return hidden;
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

/* Since 6.16 the tracepoint of a thread's end also has an argument about its process's end. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define PERFCTR_COMPAT_GROUP_DEAD , bool group_dead
#else
#define PERFCTR_COMPAT_GROUP_DEAD
#endif

/* Since 6.13 a timer gets its function as it is set up. */
static inline void perfctr_compat_hrtimer_setup(struct hrtimer *timer,
						enum hrtimer_restart (*function)(struct hrtimer *),
						clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

/*
 * Since 6.19, and since some stable kernel of 6.12, the functions for the machine's suspend and
 * resume have an argument. Kbuild looks into the kernel's header.
 */
#ifdef PERFCTR_HAVE_SYSCORE
#define PERFCTR_COMPAT_SLEEP(name, falls_asleep, wakes)                           \
	static int name##_suspend(void *unused)                                   \
	{                                                                         \
		return falls_asleep();                                            \
	}                                                                         \
	static void name##_resume(void *unused)                                   \
	{                                                                         \
		wakes();                                                          \
	}                                                                         \
	static const struct syscore_ops name##_ops = { .suspend = name##_suspend, \
						       .resume = name##_resume }; \
	static struct syscore name = { .ops = &name##_ops }
#define perfctr_compat_register_sleep(name)   register_syscore(name)
#define perfctr_compat_unregister_sleep(name) unregister_syscore(name)
#else
#define PERFCTR_COMPAT_SLEEP(name, falls_asleep, wakes) \
	static struct syscore_ops name = { .suspend = falls_asleep, .resume = wakes }
#define perfctr_compat_register_sleep(name)   register_syscore_ops(name)
#define perfctr_compat_unregister_sleep(name) unregister_syscore_ops(name)
#endif

/* Since 6.17 a workqueue is told that its work stays on the CPU that queued it. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define PERFCTR_COMPAT_WQ_PERCPU WQ_PERCPU
#else
#define PERFCTR_COMPAT_WQ_PERCPU 0
#endif

/* Until 5.10 a page that a cgroup paid for could not be mapped by users. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define PERFCTR_COMPAT_ACCOUNT_MAPPED __GFP_ACCOUNT
#else
#define PERFCTR_COMPAT_ACCOUNT_MAPPED 0
#endif

/*
 * Since 5.14 x86's kernels clear perf_events' counts before they let a process read counters in
 * user mode.
 */
#define PERFCTR_COMPAT_CLEARS (LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0))

/*
 * The number of one of PMUv3's counters among those in use by perf_events: since 6.12 it is the
 * hardware's, before the cycle counter's was the first.
 */
static inline unsigned int perfctr_compat_arm_index(unsigned int counter)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return counter;
#else
	return counter == 31 ? 0 : counter + 1;
#endif
}

/*
 * Since 6.13 and with PMUv3p9, perf_events examines the event of each counter in use for its
 * reader; before, it zeroes the counters that are not in use.
 */
static inline bool perfctr_compat_arm_looks_at_events(int pmuver)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0) && pmuver >= 9;
}

#endif /* PERFCTR_DRIVER_COMPAT_H */
