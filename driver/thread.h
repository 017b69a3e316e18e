/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread.h - a thread's link to its counters: the scheduler starts and stops them through it, and
 * all changes go through it. A thread without counters has none, and pays nothing.
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
	raw_spinlock_t lock; /* protects all, and the counts of its counters */
	struct link link;
	unsigned int steps;	      /* the actions left for the thread that has entered */
	struct vperfctr *counters;    /* with a reference, until the burial; NULL: none */
	struct callback_head arrival; /* the thread arrives, if others have made the link */
	struct callback_head burial;  /* it lets go of a link that has ended in a probe */
};

/* 0; -ENODEV: the kernel lacks a tracepoint, which is logged. */
int vthread_init(void);
void vthread_exit(void);

/*
 * Make counters, which are no thread's, task's: the caller, or one that is stopped, and counts from
 * its next return to user mode on. 0, -EEXIST, -ESRCH, -ENOMEM. May sleep.
 */
int vthread_attach(struct task_struct *task, struct vperfctr *counters);

/* A thread's counters with one reference more, or NULL. */
struct vperfctr *vthread_counters(const struct task_struct *task);

/*
 * Lock what says whose the counters are, and which page is their state. Only then: their link, or
 * NULL if they are no thread's any more; its task has them until vthread_unlock().
 */
void vthread_lock(const struct vperfctr *counters);
void vthread_unlock(const struct vperfctr *counters);
struct vthread *vthread_link(const struct vperfctr *counters);

/* Returns the owner; NULL: none any more. It has no reference: it is only for comparison. */
const struct task_struct *vthread_of(const struct vperfctr *counters);

/*
 * Enters the counters, to change them. NULL: they do not belong to task (the caller, or a thread
 * that was stopped under its ptrace), or that was killed and runs. Otherwise they do not run,
 * whatever interrupts, until vthread_leave(); then they run again if the thread is here. NULL may
 * be left, too.
 */
struct vthread *vthread_enter(struct vperfctr *counters, const struct task_struct *task);
void vthread_leave(struct vthread *t);

/* Take its counters from a task, as vthread_enter() has it. They keep their sums. May sleep. */
bool vthread_detach(struct vperfctr *counters, const struct task_struct *task);

/*
 * Prints, for the administrator, a line for each thread that has a share of the hardware and so
 * keeps the counters from other users: its number, its user, its name. Returns 0.
 */
int vthread_show_holders(struct seq_file *file, void *unused);

/* Counters that run on this CPU may have overflowed: stop and start them. Interrupts are off. */
void vthread_overflow(struct vperfctr *counters);

#endif /* PERFCTR_DRIVER_THREAD_H */
