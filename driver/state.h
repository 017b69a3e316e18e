/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - a set of counters, after "VIRTUAL PER-PROCESS PERFORMANCE COUNTERS". Descriptors are
 * handles on it, its page is mapped, and it lives as long as one of these exists or a thread
 * counts with it.
 *
 * Locks: vperfctr.lock before vthread.lock (thread.h). The latter is taken in the scheduler, with
 * the run queue's lock held: nothing may be woken under it. Both with interrupts off.
 */
#ifndef PERFCTR_DRIVER_STATE_H
#define PERFCTR_DRIVER_STATE_H

#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include "driver/access.h"
#include "driver/hw.h"

struct quota;
struct vthread;

struct vperfctr {
	struct kref refs;		 /* descriptors, its thread, a signal under way */
	struct quota *quota;		 /* of who made it */
	struct perfctr_cpu_state *state; /* a page of its own, which users map */
	struct perfctr_program program;	 /* of the control */
	struct perfctr_program *active;	 /* what runs: it, or nothing but the TSC */
	struct vperfctr_control control;
	unsigned int cstatus;	  /* what counts; the page's may say less */
	unsigned int interrupted; /* cstatus before the overflow that stopped some, or 0 */
	bool reserved;		  /* it has a share in the reservation of the hardware */
	struct access access;	  /* of the process to its counters */

	spinlock_t lock;	/* of thread */
	struct vthread *thread; /* whose they are; NULL: unlinked */

	struct irq_work notify;	     /* the thread is to get a signal, ... */
	struct callback_head signal; /* ... which it sends itself: signal.c */
	atomic_t signalling;	     /* that is queued */
	atomic_t overflown;	     /* counters that the thread is to be told of */
	atomic_t trespassed;	     /* it came to a forbidden CPU */
	int signo;		     /* of the control that has overflown */
};

/* What its control and its sums are. */
struct vperfctr_reading {
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control control;
};

/*
 * Counters that are no thread's and count nothing; one reference. ERR_PTR(): -ENOMEM, or -EDQUOT
 * as quota_take().
 */
struct vperfctr *vperfctr_create(void);

/* One reference fewer; the same when the thread's goes. May sleep. */
void vperfctr_put(struct vperfctr *self);
void vperfctr_put_unlinked(struct vperfctr *self);

/* Have a share in the hardware, as hwcpu_reserve(), or give it back. May sleep. */
int vperfctr_reserve(struct vperfctr *self);
void vperfctr_release(struct vperfctr *self);

/* All below with the lock of their thread's link, if they are a thread's; interrupts are off. */

/*
 * Start and stop them on this CPU, where their thread runs. What then is to be signalled is in
 * overflown or trespassed, and notify is queued.
 */
void vperfctr_start(struct vperfctr *self);
void vperfctr_stop(struct vperfctr *self);

/* Give them a control and its program, from which they start. They are stopped. */
void vperfctr_install(struct vperfctr *self, const struct vperfctr_control *control,
		      const struct perfctr_program *program);

/* Let those go on that an overflow has stopped. They are stopped. */
void vperfctr_resume(struct vperfctr *self);

/* They count nothing any more, and keep their sums. They are stopped. */
void vperfctr_clear(struct vperfctr *self);

void vperfctr_read(const struct vperfctr *self, struct vperfctr_reading *reading);

#endif /* PERFCTR_DRIVER_STATE_H */
