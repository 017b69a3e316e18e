// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends signals of overflows. Counters are stopped in the scheduler and in interrupts, where no
 * signal can be sent: irq_work queues a task work to the thread, which sends.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/task_work.h>
#include "driver/signal.h"
#include "driver/thread.h"

static void send_overflow(int signo, unsigned int mask)
{
	struct kernel_siginfo info;

	clear_siginfo(&info);
	info.si_signo = signo;
	info.si_code = SI_PMC_OVF;
	info.si_pid = mask; /* users know this word as si_pmc_ovf_mask */
	/* If the user's queue is full (RLIMIT_SIGPENDING) the thread gets the signal at least. */
	if (send_sig_info(signo, &info, current) < 0)
		send_sig(signo, current, 1);
}

/* Runs in the thread, the sender: the kernel clears the siginfo of other senders. */
static void signal_current(struct callback_head *head)
{
	struct vperfctr *self = container_of(head, struct vperfctr, signal);
	/* The overflow may have come just before an exec of a program that it must not stop. */
	bool still = vthread_of(self) == current;
	unsigned int mask;

	atomic_set_release(&self->signalling, 0);
	mask = atomic_xchg(&self->overflowed, 0);
	if (mask && still)
		send_overflow(READ_ONCE(self->signo), mask);
	if (atomic_xchg(&self->trespassed, 0) && still)
		send_sig(SIGILL, current, 1);
	vperfctr_put(self);
}

/* Interrupts are off. */
static void notify(struct irq_work *work)
{
	struct vperfctr *self = container_of(work, struct vperfctr, notify);
	const struct vthread *t;

	vthread_lock(self);
	t = vthread_link(self);
	if (t && !atomic_xchg(&self->signalling, 1)) {
		kref_get(&self->refs);
		if (task_work_add(t->task, &self->signal, TWA_SIGNAL)) {
			/* It exits. It has not yet let us go: this was not the last reference. */
			atomic_set(&self->signalling, 0);
			vperfctr_put(self);
		}
	}
	vthread_unlock(self);
}

void vsignal_init(struct vperfctr *self)
{
	init_irq_work(&self->notify, notify);
	init_task_work(&self->signal, signal_current);
}
