/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * virtual.h - per-thread counters, after "VIRTUAL PER-PROCESS PERFORMANCE COUNTERS".
 *
 * Two kinds of objects. A struct vperfctr is a set of counters: descriptors are handles on it, its page
 * is mapped, and it lives as long as one of these exists or a thread counts with it (virtual.c). A
 * struct vthread is a thread's link to its counters, through which the scheduler starts and stops them
 * (thread.c). A thread without counters has none, and pays nothing.
 *
 * Locks: vperfctr.lock before vthread.lock. The latter is taken in the scheduler, with the run queue's
 * lock held: nothing may be woken under it. Both with interrupts off.
 */
#ifndef PERFCTR_DRIVER_VIRTUAL_H
#define PERFCTR_DRIVER_VIRTUAL_H

#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "driver/hw.h"

#ifdef CONFIG_PREEMPT_RT
#error "perfctr.ko sends signals from interrupts, which PREEMPT_RT kernels don't allow"
#endif

struct vperfctr {
	struct kref refs;		/* descriptors, its thread, a signal under way */
	struct perfctr_cpu_state *state;	/* a page of its own, which users map */
	struct perfctr_program program;		/* of the control */
	struct perfctr_program *active;		/* what runs: it, or nothing but the TSC */
	struct vperfctr_control control;
	unsigned int interrupted;	/* cstatus before the overflow that stopped the counters, or 0 */
	bool reserved;			/* it has a share in the reservation of the hardware */

	spinlock_t lock;		/* of thread */
	struct vthread *thread;		/* whose they are; NULL: unlinked */

	struct irq_work notify;		/* the thread is to get a signal, ... */
	struct callback_head signal;	/* ... which it sends itself */
	atomic_t signalling;		/* that is queued */
	atomic_t overflown;		/* counters that the thread is to be told of */
	atomic_t trespassed;		/* it came to a forbidden CPU */
	int signo;			/* of the control that has overflown */
};

struct vthread {
	struct preempt_notifier notifier;
	struct task_struct *task;
	raw_spinlock_t lock;		/* of all below, and of what its counters count */
	struct vperfctr *counters;	/* NULL: they were unlinked by another thread */
	int cpu;			/* where it runs, or -1 */
	bool ended;			/* the thread lets go of its link */
	bool orphan;			/* it exited before it could */
	struct delayed_work burial;
	struct rcu_head rcu;
};

/* ---- thread.c ---- */

/* Make counters, which are no thread's, task's. 0, -EEXIST, -ESRCH, -ENOMEM. */
int vthread_attach(struct task_struct *task, struct vperfctr *counters);

/* A thread's counters with one reference more, or NULL. */
struct vperfctr *vthread_counters(struct task_struct *task);

/*
 * Take its counters from a thread. The lock is held, and the thread is the caller, or is not running.
 * Then, without locks, the caller calls vthread_unlinked() if they were its own, and
 * vperfctr_put_unlinked().
 */
void vthread_unlink(struct vthread *t);
void vthread_unlinked(struct vthread *t);

/*
 * Wait until a thread that the caller traces has stopped. -ESRCH: it is not stopped under the caller's
 * ptrace; -EINTR. It may be killed, and run to its end, at any time.
 */
int vthread_wait_stopped(struct task_struct *task);

/* Stop and start what a thread counts. As for vthread_unlink(). */
void vthread_stop(struct vthread *t);
void vthread_start(struct vthread *t);

/* Bring the sums up to date, if their thread runs on the calling CPU; else false. Interrupts are off. */
bool vthread_sample_here(struct vperfctr *counters);

/* Have the counters on every CPU, for the first thread that counts. As hw_reserve(); may sleep. */
int vthread_take_hardware(void);
void vthread_leave_hardware(void);

int vthread_init(void);
void vthread_exit(void);

/* ---- virtual.c ---- */

/* As sys_vperfctr_open(): a descriptor, or -EEXIST, -ENODEV, -ESRCH, -ENOMEM, ... */
int vperfctr_open_fd(pid_t tid, bool creat);

/* One reference fewer; the same when the thread's goes. May sleep. */
void vperfctr_put(struct vperfctr *self);
void vperfctr_put_unlinked(struct vperfctr *self);

/* There is something to signal, in overflown or trespassed. May be called with any lock held. */
void vperfctr_notify(struct vperfctr *self);

/* Copy a structure to a caller who knows it as size bytes; what is beyond ours becomes zero. */
int vperfctr_copy_out(u64 to, u32 size, const void *from, size_t ours);

#endif /* PERFCTR_DRIVER_VIRTUAL_H */
