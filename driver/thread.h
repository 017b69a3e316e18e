/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread.h - a thread's link to its counters, through which the scheduler starts and stops them. A
 * thread without counters has none, and pays nothing.
 */
#ifndef PERFCTR_DRIVER_THREAD_H
#define PERFCTR_DRIVER_THREAD_H

#include <linux/preempt.h>
#include <linux/seq_file.h>
#include <linux/workqueue.h>
#include "driver/state.h"

struct vthread {
	struct preempt_notifier notifier;
	struct hlist_node in_table;
	struct task_struct *task;
	raw_spinlock_t lock;	      /* of all below, and of what its counters count */
	struct vperfctr *counters;    /* NULL: they were unlinked by another thread */
	int cpu;		      /* where it runs, or -1 */
	bool ended;		      /* the thread has let go of its link */
	struct callback_head arrival; /* it links itself, if others have made the link */
	struct work_struct burial;
};

/* 0, -ENODEV: the kernel lacks a tracepoint, which the log says; -ENOMEM, ... */
int vthread_init(void);
void vthread_exit(void);

/*
 * Make counters, which are no thread's, task's: the caller, or one that is stopped, and counts from
 * its next return to user mode on. 0, -EEXIST, -ESRCH, -ENOMEM. May sleep.
 */
int vthread_attach(struct task_struct *task, struct vperfctr *counters);

/* A thread's counters with one reference more, or NULL. */
struct vperfctr *vthread_counters(struct task_struct *task);

/*
 * Take its counters from a thread. The lock is held, and the thread is the caller, or is not
 * running. Then, without locks, the caller calls vthread_unlinked() if they were its own, and
 * vperfctr_put_unlinked().
 */
void vthread_unlink(struct vthread *t);
void vthread_unlinked(struct vthread *t);

/* A line for each thread that has a share in the hardware: its number, its user, its name. */
void vthread_show_holders(struct seq_file *file);

/* Counters that run on this CPU may have overflown: stop and start them. Interrupts are off. */
void vthread_overflow(struct vperfctr *counters);

#endif /* PERFCTR_DRIVER_THREAD_H */
