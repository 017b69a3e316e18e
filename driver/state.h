/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - a set of counters, after "VIRTUAL PER-PROCESS PERFORMANCE COUNTERS". Descriptors are
 * handles on it, its page is mapped, and it lives as long as one of these exists or a thread
 * counts with it.
 *
 * Locks: the table's of links before vperfctr.lock before vthread.lock (thread.h), and that of the
 * current thread's link before that of the next one's. The latter two are taken in the scheduler,
 * with the run queue's lock held: nothing may be woken under them. Both with interrupts off.
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
	struct quota *quota;		 /* of who made it */
	struct perfctr_cpu_state *state; /* a page of its own, which users map; see below */
	struct perfctr_program program;	 /* of the control */
	struct perfctr_program *active;	 /* what runs: it, or nothing but the TSC */
	struct vperfctr_control control;
	unsigned int cstatus;	  /* what counts; the page's may say less */
	unsigned int interrupted; /* cstatus before the overflow that stopped some, or 0 */
	bool reserved;		  /* it has a share in the reservation of the hardware */
	u32 taken;		  /* and these counters, where others have the rest */
	struct access access;	  /* of the process to its counters */

	spinlock_t lock;	/* of thread, and of which page is the state */
	struct vthread *thread; /* whose they are; NULL: no thread's any more */

	struct rights rights; /* what was found of those who control them */

	struct irq_work notify;	     /* the thread is to get a signal, ... */
	struct callback_head signal; /* ... which it sends itself: signal.c */
	atomic_t signalling;	     /* that is queued */
	atomic_t overflowed;	     /* counters that the thread is to be told of */
	atomic_t trespassed;	     /* it came to a forbidden CPU */
	int signo;		     /* of the control that has overflowed */
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
 * What a thread's old memory shows of its counters ends where it executes a program: a page that
 * others have, too, is left to them, and a fresh one takes its place. First it is prepared, which
 * needs no lock, and does not sleep: false means that there is no memory. NULL: the page can stay,
 * and turning it changes nothing. The old one is the caller's to free.
 */
bool vperfctr_prepare_page(const struct vperfctr *self, struct perfctr_cpu_state **fresh);
struct perfctr_cpu_state *vperfctr_turn_page(struct vperfctr *self,
					     struct perfctr_cpu_state *fresh);

/* The page, with one reference more. */
struct page *vperfctr_get_page(struct vperfctr *self);

/* Also after an overflow, which may have come between a reader's look at cstatus and its RDPMC. */
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

/* All below with the lock of their thread's link, if they are a thread's; interrupts are off. */

/* What they have overflowed of stands until it is resumed; their thread came to a forbidden CPU. */
void vperfctr_interrupt(struct vperfctr *self, unsigned int overflowed);
void vperfctr_forbid(struct vperfctr *self);

/*
 * Start and stop them on this CPU, where their thread runs. What then is to be signalled is in
 * overflowed or trespassed, and notify is queued.
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
