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

/*
 * The door. False: these are not the counters of task, which is the caller or was stopped under its
 * ptrace, or it was killed and runs. Else they stand still, whoever interrupts, until they are
 * left; then they run again if the thread is here.
 */
struct vthread_door {
	struct vperfctr *counters;
	struct vthread *thread;
	unsigned int steps;
};

bool vthread_enter(struct vthread_door *door, struct vperfctr *counters, struct task_struct *task);
void vthread_leave(struct vthread_door *door);

/* Take its counters from a task, as vthread_enter() has it. They keep their sums. May sleep. */
bool vthread_detach(struct vperfctr *counters, struct task_struct *task);

/* A line for each thread that has a share in the hardware: its number, its user, its name. */
void vthread_show_holders(struct seq_file *file);

/* Counters that run on this CPU may have overflown: stop and start them. Interrupts are off. */
void vthread_overflow(struct vperfctr *counters);

#endif /* PERFCTR_DRIVER_THREAD_H */
