/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread.h - a thread's link to its counters, through which the scheduler starts and stops them,
 * and through which alone they are changed. A thread without counters has none, and pays nothing.
 */
#ifndef PERFCTR_DRIVER_THREAD_H
#define PERFCTR_DRIVER_THREAD_H

#include <linux/preempt.h>
#include <linux/seq_file.h>
#include "driver/link.h"
#include "driver/state.h"

struct vthread {
	struct preempt_notifier notifier;
	struct hlist_node in_table;
	struct task_struct *task;
	raw_spinlock_t lock; /* of the link, and of what its counters count */
	struct link link;
	unsigned int steps;	      /* of who has entered */
	struct vperfctr *counters;    /* with a reference, which lasts longer than link.bound */
	struct callback_head arrival; /* the thread arrives, if others have made the link */
	struct callback_head burial;  /* it lets go of a link that has ended in a probe */
};

/* 0; -ENODEV: the kernel lacks a tracepoint, which the log says. */
int vthread_init(void);
void vthread_exit(void);

/*
 * Make counters, which are no thread's, task's: the caller, or one that is stopped, and counts from
 * its next return to user mode on. 0, -EEXIST, -ESRCH, -ENOMEM. May sleep.
 */
int vthread_attach(struct task_struct *task, struct vperfctr *counters);

/* A thread's counters with one reference more, or NULL. */
struct vperfctr *vthread_counters(struct task_struct *task);

/* Whose they are; NULL: no task's any more. Without a reference: only to compare. */
const struct task_struct *vthread_of(struct vperfctr *counters);

/*
 * The door. NULL: these are not the counters of task, which is the caller or was stopped under its
 * ptrace, or it was killed and runs. Else they stand still, whoever interrupts, until they are
 * left; then they run again if the thread is here. NULL is left, too: nothing happens.
 */
struct vthread *vthread_enter(struct vperfctr *counters, const struct task_struct *task);
void vthread_leave(struct vthread *t);

/* Take its counters from a task, as vthread_enter() has it. They keep their sums. May sleep. */
bool vthread_detach(struct vperfctr *counters, struct task_struct *task);

/*
 * For the administrator, who keeps the counters from everybody else: a line for each thread that
 * has a share in the hardware, its number, its user, its name. 0.
 */
int vthread_show_holders(struct seq_file *file, void *unused);

/* Counters that run on this CPU may have overflowed: stop and start them. Interrupts are off. */
void vthread_overflow(struct vperfctr *counters);

#endif /* PERFCTR_DRIVER_THREAD_H */
