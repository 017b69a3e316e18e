// SPDX-License-Identifier: GPL-2.0-only
/* Finds the thread that owns a set of counters, checks who may use it, and reads it. */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include "driver/compat/compat.h"
#include "driver/cpu.h"
#include "driver/owner.h"
#include "driver/rights.h"

/* ---- permission to change them ---- */

static int wait_stopped(struct task_struct *task)
{
	for (;;) {
		if (!READ_ONCE(task->ptrace) || rcu_access_pointer(task->parent) != current ||
		    !task_is_traced(task))
			return -ESRCH;
		/* The tracer is told of the stop before the thread leaves its CPU. */
		if (!perfctr_compat_on_cpu(task))
			return 0;
		if (fatal_signal_pending(current))
			return -EINTR;
		usleep_range(10, 100);
	}
}

/*
 * Under ptrace it may have executed a program that its tracer may not read. Beyond this,
 * perf_events demands that the caller is the thread's user, which its tracer was.
 */
int owner_reach(struct task_struct *task)
{
	int err = wait_stopped(task);

	return !err && perfctr_compat_is_hidden(task) && !perfmon_capable() ? -EPERM : err;
}

static struct task_struct *get_thread(struct vperfctr *self)
{
	struct task_struct *task = NULL;
	struct vthread *t;

	vthread_lock(self);
	t = vthread_link(self);
	if (t)
		task = get_task_struct(t->task);
	vthread_unlock(self);
	return task;
}

struct task_struct *owner_get(struct vperfctr *self)
{
	struct task_struct *task = get_thread(self);
	int err;

	if (!task)
		return ERR_PTR(-ESRCH);
	err = task == current ? 0 : owner_reach(task);
	if (!err)
		return task;
	put_task_struct(task);
	return ERR_PTR(err);
}

/* ---- reading ---- */

struct look {
	struct vperfctr *self;
	struct vperfctr_reading *reading;
	bool done;
};

/* Runs on the CPU where the thread runs, if it still does. Interrupts are off. */
static void read_here(void *argument)
{
	struct look *look = argument;

	look->done = hwcpu_runs(look->self);
	if (!look->done)
		return;
	vperfctr_sample(look->self);
	vperfctr_read(look->self, look->reading);
}

/* Copy the sums if they stand still, and return -1; else return the CPU where their thread runs. */
static int read_standing(struct look *look)
{
	struct vperfctr *self = look->self;
	struct vthread *t;
	int cpu = -1;

	vthread_lock(self);
	t = vthread_link(self);
	if (t) {
		raw_spin_lock(&t->lock);
		if (t->link.state == LINK_HERE && perfctr_cstatus_enabled(self->cstatus))
			cpu = (int)task_cpu(t->task);
	}
	look->done = cpu < 0;
	if (look->done)
		vperfctr_read(self, look->reading);
	if (t)
		raw_spin_unlock(&t->lock);
	vthread_unlock(self);
	return cpu;
}

/*
 * Only its own process may read a running thread's sums; others stop it first, under ptrace. Any
 * holder of a descriptor may read final sums.
 */
static int check_reader(struct vperfctr *self)
{
	struct task_struct *task = get_thread(self);
	int err = task && !same_thread_group(task, current) ? owner_reach(task) : 0;

	if (task)
		put_task_struct(task);
	return err;
}

int owner_may_map(struct vperfctr *self, bool *own)
{
	struct task_struct *task = get_thread(self);
	int err = task && !same_thread_group(task, current) ? -ESRCH : 0;

	*own = task && READ_ONCE(task->mm) == current->mm;
	if (task)
		put_task_struct(task);
	return err;
}

int owner_read(struct vperfctr *self, struct vperfctr_reading *reading)
{
	struct look look = { .self = self, .reading = reading };
	int err, cpu;

	err = check_reader(self);
	if (err)
		return err;
	while (!look.done) {
		cpu = read_standing(&look);
		if (cpu >= 0)
			smp_call_function_single(cpu, read_here, &look, 1);
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}
