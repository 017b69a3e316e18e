// SPDX-License-Identifier: GPL-2.0-only
/* Lets processes read counters in user mode, and stops it. */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/delay.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include "driver/access.h"
#include "driver/compat/compat.h"
#include "driver/hw.h"

/* ---- CPUs that have a process's page tables from before ---- */

static struct workqueue_struct *reloader;
static DEFINE_PER_CPU(struct work_struct, reloads);

/* Makes this CPU's next thread load its page tables. Process 1 has no counters. */
static void reload(struct work_struct *work)
{
	struct pid *pid = find_get_pid(1);
	struct task_struct *init = get_pid_task(pid, PIDTYPE_PID);
	struct mm_struct *mm = init ? get_task_mm(init) : NULL;

	if (mm) {
		kthread_use_mm(mm);
		kthread_unuse_mm(mm);
		mmput(mm);
	}
	if (init)
		put_task_struct(init);
	put_pid(pid);
}

struct search {
	struct mm_struct *mm;
	atomic_t stale;
};

static void look_here(void *argument)
{
	struct search *search = argument;

	if (!hw_reads_are_stale(search->mm))
		return;
	atomic_inc(&search->stale);
	queue_work_on(smp_processor_id(), reloader, this_cpu_ptr(&reloads));
}

/* Does every CPU do as is counted? Those that don't are to. */
static bool is_followed(struct mm_struct *mm)
{
	struct search search = { .mm = mm };

	on_each_cpu_mask(mm_cpumask(mm), look_here, &search, true);
	return !atomic_read(&search.stale);
}

/* A CPU may be busy in the kernel without preemption: this waits no longer. */
#define PATIENCE (HZ / 5)

/* The administrator may have decided otherwise for all. */
static bool refresh(struct mm_struct *mm)
{
	unsigned long end = jiffies + PATIENCE;
	unsigned int cpu;

	if (is_followed(mm))
		return true;
	for_each_cpu(cpu, mm_cpumask(mm))
		while (work_busy(per_cpu_ptr(&reloads, cpu)) && time_before(jiffies, end) &&
		       !fatal_signal_pending(current))
			usleep_range(20, 100);
	return is_followed(mm);
}

/* ---- permission to read ---- */

static void forbid(struct access *self, struct mm_struct *mm)
{
	WRITE_ONCE(self->works, false);
	if (!HW_READS_BY_MEMORY)
		return;
	hw_forbid_reads(mm);
	/* No thread runs any more in memory that is being torn down. */
	if (atomic_read(&mm->mm_users))
		refresh(mm);
}

void access_step(struct access *self, enum reads_event event, struct mm_struct *mm)
{
	struct mm_struct *before;
	unsigned int steps;

	mutex_lock(&self->lock);
	before = self->reads.memory;
	steps = reads_step(&self->reads, event, mm);
	if (steps & READS_FORBID)
		forbid(self, before);
	if (steps & READS_DROP)
		mmdrop(before);
	if (steps & READS_GRAB)
		mmgrab(mm);
	if (steps & READS_ALLOW && HW_READS_BY_MEMORY)
		hw_allow_reads(mm);
	if (steps & READS_LOOK && !self->works)
		WRITE_ONCE(self->works, HW_READS_BY_MEMORY ? refresh(mm) : !hw_cpu.no_rdpmc);
	mutex_unlock(&self->lock);
}

/* ---- the module ---- */

int access_init(void)
{
	int cpu;

	reloader = alloc_workqueue("perfctr_reads", WQ_HIGHPRI | PERFCTR_COMPAT_WQ_PERCPU, 0);
	if (!reloader)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		INIT_WORK(per_cpu_ptr(&reloads, cpu), reload);
	return 0;
}

void access_exit(void)
{
	destroy_workqueue(reloader);
}
