/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - a set of counters, after "VIRTUAL PER-PROCESS PERFORMANCE COUNTERS". Descriptors are
 * handles of it, its page is mapped, and it lives as long as one of these exists or a thread counts
 * with it.
 *
 * Locks: vthread_lock() before vthread.lock (thread.h), and that of the current thread's link
 * before that of the next one's. The latter two are taken in the scheduler, with the run queue's
 * lock held: nothing may be woken under them. Interrupts are off under all.
 */
#ifndef PERFCTR_DRIVER_STATE_H
#define PERFCTR_DRIVER_STATE_H

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include "driver/access.h"
#include "driver/cpu.h"
#include "driver/rights.h"

struct quota;
struct vthread;

struct vperfctr {
	struct kref refs;		 /* descriptors, its thread, a signal under way */
	struct quota *quota;		 /* of the user who made it */
	struct perfctr_cpu_state *state; /* a page of its own, which users map; see below */
	struct perfctr_program program;	 /* of the control */
	struct perfctr_program *active;	 /* the running one: this program, or the TSC alone */
	struct vperfctr_control control;
	unsigned int cstatus;	  /* the counters that run; the page's may have fewer */
	unsigned int interrupted; /* cstatus before the overflow that stopped some, or 0 */
	bool reserved;		  /* it has a share in the reservation of the hardware */
	u32 taken;		  /* the counters taken, where others have the rest */
	struct access access;	  /* permission of user mode to read */

	const struct task_struct *task; /* for which they were made, by address: it may be gone */

	struct rights rights; /* the rights of the threads that control it */

	struct irq_work notify;	     /* the thread is to get a signal, ... */
	struct callback_head signal; /* ... which it sends itself: signal.c */
	atomic_t signalling;	     /* that is queued */
	atomic_t overflowed;	     /* counters that the thread is to be told of */
	atomic_t trespassed;	     /* it came to a forbidden CPU */
	int signo;		     /* of the control that has overflowed */
};

/* The sums and the control of a set. */
struct vperfctr_reading {
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control control;
};

/* Makes counters without a thread; one reference. ERR_PTR(): -ENOMEM, -EDQUOT (quota_take()). */
struct vperfctr *vperfctr_create(void);

/* One reference fewer; the same when the thread's goes. May sleep. */
void vperfctr_put(struct vperfctr *self);
void vperfctr_put_unlinked(struct vperfctr *self);

/*
 * Have a share in the hardware, as hwcpu_reserve(), with a program's counters, as hw_take(), for
 * their thread, which has this memory. Keep no more than the program's; or give all back. May
 * sleep.
 */
int vperfctr_reserve(struct vperfctr *self, const struct perfctr_program *program,
		     struct mm_struct *mm);
void vperfctr_keep(struct vperfctr *self, const struct perfctr_program *program);
void vperfctr_release(struct vperfctr *self);

/*
 * An execve(2) ends the view of the counters in the thread's old memory: a page that others have
 * mapped is left to them, and a fresh one takes its place. vperfctr_prepare_page() needs
 * vthread_lock(), and does not sleep: false means that there is no memory; NULL: the page can stay,
 * and turning it changes nothing. The caller frees the old page.
 */
bool vperfctr_prepare_page(const struct vperfctr *self, struct perfctr_cpu_state **fresh);
struct perfctr_cpu_state *vperfctr_turn_page(struct vperfctr *self,
					     struct perfctr_cpu_state *fresh);

/* Also true after an overflow, which may come between a reader's cstatus and RDPMC. */
static inline bool vperfctr_has_counters(const struct vperfctr *self)
{
	return perfctr_cstatus_nrctrs(self->cstatus | self->interrupted);
}

/*
 * Readers of all versions ask the kernel if the page says that the TSC does not count. So it says
 * as long as RDPMC could fault.
 */
static inline void vperfctr_show_cstatus(struct vperfctr *self, struct mm_struct *mm)
{
	unsigned int cstatus = self->cstatus;

	if (vperfctr_has_counters(self) && perfctr_cstatus_has_tsc(cstatus) &&
	    !hw_let_read(READ_ONCE(self->access.works), mm))
		cstatus &= ~perfctr_mk_cstatus(1, 0, 0);
	self->state->cstatus = cstatus;
}

/* The functions below need the lock of the owner's link, if any; interrupts are off. */

/* Stop the set until it is resumed: these overflowed; its thread is on a forbidden CPU. */
void vperfctr_interrupt(struct vperfctr *self, unsigned int overflowed);
void vperfctr_forbid(struct vperfctr *self);

/*
 * Start and stop the set on this CPU, where its thread runs. If a signal is due afterwards,
 * overflowed or trespassed says so, and notify is queued.
 */
static inline void vperfctr_start(struct vperfctr *self)
{
	if (unlikely(hw_forbidden) && vperfctr_has_counters(self) &&
	    cpumask_test_cpu(smp_processor_id(), hw_forbidden)) {
		vperfctr_forbid(self);
		return;
	}
	vperfctr_show_cstatus(self, current->mm);
	if (perfctr_cstatus_enabled(self->cstatus))
		hwcpu_start(self, self->state, self->active);
}

static inline void vperfctr_stop(struct vperfctr *self)
{
	unsigned int overflowed;

	if (!perfctr_cstatus_enabled(self->cstatus))
		return;
	overflowed = hwcpu_stop(self, self->state, self->active);
	if (unlikely(overflowed))
		vperfctr_interrupt(self, overflowed);
}

/*
 * Can these, which run here, be handed over? If so, and if hw_hands_over() to their thread's
 * memory, stop them and start the next ones by one reading, before this CPU switches to that
 * thread. False: not to these, and nothing has been done. With both links' locks.
 */
static inline bool vperfctr_may_hand_over(const struct vperfctr *self)
{
	return perfctr_cstatus_enabled(self->cstatus) && !self->active->stops;
}

static inline bool vperfctr_hand_over(struct vperfctr *self, struct vperfctr *next,
				      struct mm_struct *mm)
{
	struct perfctr_cpu_state *state = next->state;
	struct perfctr_program *program = next->active;

	if (self->cstatus != next->cstatus ||
	    !hw_hand_over(self->state, self->active, state, program, mm))
		return false;
	hwcpu_note(self, next);
	vperfctr_show_cstatus(next, mm);
	return true;
}

/* Give them a control and its program, from which they start. They are stopped. */
void vperfctr_install(struct vperfctr *self, const struct vperfctr_control *control,
		      const struct perfctr_program *program);

/* Let those go on that an overflow has stopped; -EINVAL: none has. They are stopped. */
int vperfctr_resume(struct vperfctr *self);

/* They count nothing any more, and keep their sums. They are stopped. */
void vperfctr_clear(struct vperfctr *self);

/* Bring the sums of those that run on this CPU up to date; start them again after it slept. */
void vperfctr_sample(struct vperfctr *self);
void vperfctr_wake(struct vperfctr *self);

void vperfctr_read(const struct vperfctr *self, struct vperfctr_reading *reading);

#endif /* PERFCTR_DRIVER_STATE_H */
