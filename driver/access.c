// SPDX-License-Identifier: GPL-2.0-only
/* Which processes may read counters in user mode. */
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

/* Whoever runs here next must load his page tables: process 1's are there, which nobody counts in.
 */
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
	const struct mm_struct *mm;
	struct cpumask *found;
};

static void look_here(void *argument)
{
	struct search *search = argument;

	if (hw_reads_are_stale(search->mm))
		cpumask_set_cpu(smp_processor_id(), search->found);
}

static bool find_stale(const struct mm_struct *mm, struct cpumask *found)
{
	struct search search = { .mm = mm, .found = found };

	cpumask_clear(found);
	on_each_cpu_mask(mm_cpumask((struct mm_struct *)mm), look_here, &search, true);
	return !cpumask_empty(found);
}

/* A CPU may be busy with what nothing preempts: it is not waited for longer than this. */
#define PATIENCE (HZ / 5)

static void reload_cpus(const struct cpumask *cpus)
{
	unsigned long end = jiffies + PATIENCE;
	unsigned int cpu;

	for_each_cpu(cpu, cpus)
		queue_work_on(cpu, reloader, per_cpu_ptr(&reloads, cpu));
	for_each_cpu(cpu, cpus)
		while (work_busy(per_cpu_ptr(&reloads, cpu)) && time_before(jiffies, end) &&
		       !fatal_signal_pending(current))
			usleep_range(20, 100);
}

/* Does every CPU do as is counted? The administrator may have decided otherwise for all. */
static bool refresh(const struct mm_struct *mm)
{
	cpumask_var_t stale;
	bool fresh;

	if (!zalloc_cpumask_var(&stale, GFP_KERNEL))
		return false;
	fresh = !find_stale(mm, stale);
	if (!fresh) {
		reload_cpus(stale);
		fresh = !find_stale(mm, stale);
	}
	free_cpumask_var(stale);
	return fresh;
}

/* ---- who may ---- */

static void forbid(struct access *self)
{
	WRITE_ONCE(self->works, false);
	if (!self->allowed)
		return;
	self->allowed = false;
	hw_forbid_reads(self->mm);
	/* Nobody runs in what is being torn down. */
	if (atomic_read(&self->mm->mm_users))
		refresh(self->mm);
}

static void update(struct access *self)
{
	if (!self->mm || !self->counts) {
		forbid(self);
		return;
	}
	if (!self->allowed)
		self->allowed = hw_allow_reads(self->mm);
	if (self->allowed && !self->works)
		WRITE_ONCE(self->works, refresh(self->mm));
}

static void leave(struct access *self)
{
	if (!self->mm)
		return;
	forbid(self);
	mmdrop(self->mm);
	self->mm = NULL;
	self->mappings = 0;
}

void access_map(struct access *self, struct mm_struct *mm)
{
	mutex_lock(&self->lock);
	if (self->mm != mm) {
		/* The thread has executed a program; another process has its old memory still. */
		leave(self);
		mmgrab(mm);
		self->mm = mm;
	}
	self->mappings++;
	update(self);
	mutex_unlock(&self->lock);
}

void access_map_again(struct access *self, struct mm_struct *mm)
{
	mutex_lock(&self->lock);
	if (self->mm == mm)
		self->mappings++;
	mutex_unlock(&self->lock);
}

void access_unmap(struct access *self, struct mm_struct *mm)
{
	mutex_lock(&self->lock);
	if (self->mm == mm && --self->mappings == 0)
		leave(self);
	mutex_unlock(&self->lock);
}

void access_change(struct access *self, bool counts)
{
	mutex_lock(&self->lock);
	self->counts = counts;
	update(self);
	mutex_unlock(&self->lock);
}

void access_create(struct access *self)
{
	mutex_init(&self->lock);
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
