// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads and their counters. A thread finds its link through its preemption notifier, which the
 * scheduler calls when the thread leaves a CPU and when it comes back. Two tracepoints tell that a
 * thread exits or executes a program.
 *
 * A thread that is stopped under ptrace may be given counters, and be deprived of them, by its tracer:
 * since it may be killed meanwhile, and then runs, everything is done under the link's lock, and only
 * the thread itself takes its notifier out of its list.
 */
#define pr_fmt(fmt) "perfctr: " fmt
#include <linux/binfmts.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/syscore_ops.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include "driver/compat/compat.h"
#include "driver/virtual.h"

/* ---- this CPU ---- */

/*
 * Differences of 32 bits are right as long as a counter makes less than 2^32 steps between two looks
 * at it. Eight events in each cycle at 5 GHz need 107 ms for that: look every 50.
 */
#define SAMPLE_NS (50 * NSEC_PER_MSEC)

struct sampler {
	struct vthread *running;	/* that counts; only used on this CPU, with interrupts off */
	struct hrtimer timer;
	bool armed;
};

static DEFINE_PER_CPU(struct sampler, samplers);

static enum hrtimer_restart sample(struct hrtimer *timer)
{
	struct sampler *s = container_of(timer, struct sampler, timer);

	if (!s->running) {
		s->armed = false;
		return HRTIMER_NORESTART;
	}
	hw_sample(s->running->counters->state, s->running->counters->active);
	hrtimer_forward_now(timer, ns_to_ktime(SAMPLE_NS));
	return HRTIMER_RESTART;
}

bool vthread_sample_here(struct vperfctr *counters)
{
	struct vthread *t = this_cpu_ptr(&samplers)->running;

	if (!t || t->counters != counters)
		return false;
	hw_sample(counters->state, counters->active);
	return true;
}

/* ---- running and not ---- */

/* What runs after an overflow: nothing, or the TSC. */
static struct perfctr_program tsc_alone = { .async = -1 };

/* The counters stand until they are resumed; the TSC goes on. */
static void interrupt(struct vperfctr *self, unsigned int overflown)
{
	self->signo = self->control.si_signo;
	self->interrupted = self->state->cstatus;
	self->state->cstatus = perfctr_mk_cstatus(perfctr_cstatus_has_tsc(self->interrupted), 0, 0);
	self->active = &tsc_alone;
	atomic_or(overflown, &self->overflown);
	vperfctr_notify(self);
}

/* An overflow may come between a reader's look at cstatus and its RDPMC, which must not fault. */
static bool may_read(const struct vperfctr *self)
{
	return perfctr_cstatus_nrctrs(self->state->cstatus | self->interrupted);
}

void vthread_start(struct vthread *t)
{
	struct vperfctr *self = t->counters;
	struct sampler *s;

	if (!self)
		return;
	if (may_read(self)) {
		if (unlikely(hw_forbidden && cpumask_test_cpu(smp_processor_id(), hw_forbidden))) {
			self->state->cstatus = 0;
			self->interrupted = 0;
			atomic_set(&self->trespassed, 1);
			vperfctr_notify(self);
			return;
		}
		hw_user_rdpmc(&self->program);
	}
	if (!perfctr_cstatus_enabled(self->state->cstatus))
		return;
	hw_resume(self->state, self->active);
	s = this_cpu_ptr(&samplers);
	s->running = t;
	if (!s->armed) {
		s->armed = true;
		hrtimer_start(&s->timer, ns_to_ktime(SAMPLE_NS), HRTIMER_MODE_REL_PINNED);
	}
}

void vthread_stop(struct vthread *t)
{
	struct vperfctr *self = t->counters;
	unsigned int overflown;

	if (!self)
		return;
	if (may_read(self))
		hw_user_rdpmc(NULL);
	if (!perfctr_cstatus_enabled(self->state->cstatus))
		return;
	this_cpu_ptr(&samplers)->running = NULL;
	overflown = hw_suspend(self->state, self->active);
	if (unlikely(overflown))
		interrupt(self, overflown);
}

void vthread_overflow(void)
{
	struct vthread *t = this_cpu_ptr(&samplers)->running;

	if (!t)
		return;		/* it has been found as its thread was stopped */
	raw_spin_lock(&t->lock);
	vthread_stop(t);
	vthread_start(t);
	raw_spin_unlock(&t->lock);
}

static void sched_in(struct preempt_notifier *notifier, int cpu)
{
	struct vthread *t = container_of(notifier, struct vthread, notifier);

	raw_spin_lock_irq(&t->lock);	/* they are on here */
	t->cpu = cpu;
	vthread_start(t);
	raw_spin_unlock_irq(&t->lock);
}

/* With the run queue's lock, and interrupts off. */
static void sched_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct vthread *t = container_of(notifier, struct vthread, notifier);

	raw_spin_lock(&t->lock);
	/* Else it was linked while its thread, killed, was on its way to the end. */
	if (t->cpu >= 0)
		vthread_stop(t);
	t->cpu = -1;
	raw_spin_unlock(&t->lock);
}

static struct preempt_ops preempt_ops = {
	.sched_in = sched_in,
	.sched_out = sched_out,
};

/* ---- linking ---- */

/*
 * Another thread's list changes while we look only because that thread was killed, and exits: KVM's
 * notifiers are there while the thread is inside one of KVM's calls, where nobody stops for ptrace.
 */
static struct vthread *find_link(struct task_struct *task)
{
	struct preempt_notifier *notifier;

	hlist_for_each_entry(notifier, &task->preempt_notifiers, link)
		if (notifier->ops == &preempt_ops)
			return container_of(notifier, struct vthread, notifier);
	return NULL;
}

struct vperfctr *vthread_counters(struct task_struct *task)
{
	struct vperfctr *counters = NULL;
	unsigned long flags;
	struct vthread *t;

	rcu_read_lock();
	t = find_link(task);
	if (t) {
		raw_spin_lock_irqsave(&t->lock, flags);
		counters = t->counters;
		if (counters)
			kref_get(&counters->refs);
		raw_spin_unlock_irqrestore(&t->lock, flags);
	}
	rcu_read_unlock();
	return counters;
}

static struct workqueue_struct *reaper;	/* of links whose threads have ended */

static void free_link(struct vthread *t)
{
	put_task_struct(t->task);
	kfree_rcu(t, rcu);
	module_put(THIS_MODULE);
}

static void bury(struct work_struct *work)
{
	struct vthread *t = container_of(to_delayed_work(work), struct vthread, burial);
	struct vperfctr *counters = t->counters;

	/* It looks at its notifiers until it has left its CPU for the last time. */
	if (t->orphan && !perfctr_compat_has_died(t->task)) {
		queue_delayed_work(reaper, &t->burial, 1);
		return;
	}
	if (counters) {
		spin_lock_irq(&counters->lock);
		raw_spin_lock(&t->lock);
		vthread_unlink(t);
		raw_spin_unlock(&t->lock);
		spin_unlock_irq(&counters->lock);
		vperfctr_put_unlinked(counters);
	}
	free_link(t);
}

static struct vthread *create_link(struct task_struct *task)
{
	struct vthread *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	__module_get(THIS_MODULE);
	t->task = get_task_struct(task);
	t->cpu = -1;
	raw_spin_lock_init(&t->lock);
	INIT_DELAYED_WORK(&t->burial, bury);
	preempt_notifier_init(&t->notifier, &preempt_ops);
	return t;
}

static void link_current(struct vthread *t)
{
	preempt_disable();
	t->cpu = smp_processor_id();
	preempt_notifier_register(&t->notifier);
	preempt_enable();
}

/*
 * A stopped thread. If it is killed now it may have passed the tracepoint of its exit without seeing
 * the link, which then stays in its list until it is dead.
 */
static void link_other(struct vthread *t)
{
	unsigned long flags;

	rcu_read_lock();	/* should it end its link at once */
	hlist_add_head_rcu(&t->notifier.link, &t->task->preempt_notifiers);
	smp_mb();	/* the link, then the flag: exit sets the flag, then looks for links */
	if (READ_ONCE(t->task->flags) & PF_EXITING) {
		raw_spin_lock_irqsave(&t->lock, flags);
		t->orphan = !t->ended;
		if (t->orphan)
			queue_delayed_work(reaper, &t->burial, 1);
		raw_spin_unlock_irqrestore(&t->lock, flags);
	}
	rcu_read_unlock();
}

/* Give a thread with a link, but without counters, new ones. */
static int relink(struct vthread *t, struct vperfctr *counters)
{
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&t->lock, flags);
	if (t->counters)
		err = -EEXIST;
	else if (t->ended || t->orphan)
		err = -ESRCH;
	else
		t->counters = counters;
	counters->thread = err ? NULL : t;
	raw_spin_unlock_irqrestore(&t->lock, flags);
	return err;
}

int vthread_attach(struct task_struct *task, struct vperfctr *counters)
{
	struct vthread *t, *fresh = create_link(task);
	int err = 0;

	if (!fresh)
		return -ENOMEM;
	kref_get(&counters->refs);
	rcu_read_lock();
	t = find_link(task);
	if (t)
		err = relink(t, counters);
	rcu_read_unlock();
	if (t) {
		free_link(fresh);
	} else {
		counters->thread = fresh;
		fresh->counters = counters;
		if (task == current)
			link_current(fresh);
		else
			link_other(fresh);
	}
	if (err)
		vperfctr_put(counters);
	return err;
}

void vthread_unlink(struct vthread *t)
{
	struct vperfctr *counters = t->counters;

	if (t->cpu >= 0)
		vthread_stop(t);
	counters->state->cstatus = 0;
	counters->interrupted = 0;
	counters->thread = NULL;
	t->counters = NULL;
}

void vthread_unlinked(struct vthread *t)
{
	preempt_disable();
	preempt_notifier_unregister(&t->notifier);
	preempt_enable();
	free_link(t);
}

int vthread_wait_stopped(struct task_struct *task)
{
	for (;;) {
		if (!READ_ONCE(task->ptrace) || rcu_access_pointer(task->parent) != current ||
		    !task_is_traced(task))
			return -ESRCH;
		/* Its tracer is told of the stop before it leaves its CPU. */
		if (!perfctr_compat_on_cpu(task))
			return 0;
		if (fatal_signal_pending(current))
			return -EINTR;
		usleep_range(10, 100);
	}
}

/* ---- exit and exec ---- */

/* The rest may have to wait for other CPUs, which a probe must not. */
static void end_link(struct vthread *t)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&t->lock, flags);
	t->ended = !t->orphan;
	if (t->ended) {
		if (t->counters)
			vthread_stop(t);
		t->cpu = -1;
	}
	raw_spin_unlock_irqrestore(&t->lock, flags);
	if (!t->ended)
		return;
	preempt_notifier_unregister(&t->notifier);
	queue_delayed_work(reaper, &t->burial, 0);
}

static void thread_exits(void *unused, struct task_struct *task)
{
	struct vthread *t = task == current ? find_link(current) : NULL;

	if (t)
		end_link(t);
}

/* A program with more rights than its caller, or that he may not read, is not his to watch. */
static void thread_executes(void *unused, struct task_struct *task, pid_t old_pid,
			    struct linux_binprm *bprm)
{
	struct vthread *t = task == current ? find_link(current) : NULL;
	unsigned long flags;

	if (!t || !t->counters)
		return;
	if (bprm->secureexec || bprm->interp_flags & BINPRM_FLAGS_ENFORCE_NONDUMP ||
	    t->counters->control.flags & VPERFCTR_CONTROL_CLOEXEC) {
		end_link(t);
		return;
	}
	/* Its new memory came with a CR4 of its own, in which RDPMC faults. */
	raw_spin_lock_irqsave(&t->lock, flags);
	vthread_stop(t);
	vthread_start(t);
	raw_spin_unlock_irqrestore(&t->lock, flags);
}

static struct tracepoint *exit_tracepoint, *exec_tracepoint;

static void note_tracepoint(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_process_exit"))
		exit_tracepoint = tp;
	if (!strcmp(tp->name, "sched_process_exec"))
		exec_tracepoint = tp;
}

/* ---- CPUs that go and come ---- */

static bool taken;		/* the hardware is ours; changes under cpus_read_lock() */

static void start_cpu(void *unused)
{
	hw_start_cpu();
}

static void stop_cpu(void *unused)
{
	hw_stop_cpu();
}

int vthread_take_hardware(void)
{
	int err = hw_reserve();

	if (err)
		return err;
	cpus_read_lock();
	taken = true;
	on_each_cpu(start_cpu, NULL, 1);
	cpus_read_unlock();
	return 0;
}

void vthread_leave_hardware(void)
{
	cpus_read_lock();
	on_each_cpu(stop_cpu, NULL, 1);
	taken = false;
	cpus_read_unlock();
	hw_release();
}

/* Interrupts are off. */
static void restart_cpu(void)
{
	if (taken)
		hw_start_cpu();
}

static int cpu_comes(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	restart_cpu();
	local_irq_restore(flags);
	return 0;
}

/* No thread runs here any more. The timer would go on, on another CPU. */
static int cpu_goes(unsigned int cpu)
{
	struct sampler *s = per_cpu_ptr(&samplers, cpu);

	hrtimer_cancel(&s->timer);
	s->armed = false;
	return 0;
}

/* The last CPU, which is not taken offline when the machine sleeps. */
static struct syscore_ops syscore_ops = { .resume = restart_cpu };
static enum cpuhp_state hotplug;

int vthread_init(void)
{
	int cpu, err;

	for_each_possible_cpu(cpu) {
		struct sampler *s = per_cpu_ptr(&samplers, cpu);

		hrtimer_init(&s->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
		s->timer.function = sample;
	}
	for_each_kernel_tracepoint(note_tracepoint, NULL);
	if (!exit_tracepoint || !exec_tracepoint) {
		pr_err("this kernel has no tracepoints sched_process_exit and _exec\n");
		return -ENODEV;
	}
	reaper = alloc_workqueue("perfctr", WQ_MEM_RECLAIM, 0);
	if (!reaper)
		return -ENOMEM;
	preempt_notifier_inc();
	err = tracepoint_probe_register(exit_tracepoint, thread_exits, NULL);
	if (err)
		goto no_exit;
	err = tracepoint_probe_register(exec_tracepoint, thread_executes, NULL);
	if (err)
		goto no_exec;
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "perfctr:online", cpu_comes, cpu_goes);
	if (err < 0)
		goto no_hotplug;
	hotplug = err;
	register_syscore_ops(&syscore_ops);
	return 0;
no_hotplug:
	tracepoint_probe_unregister(exec_tracepoint, thread_executes, NULL);
no_exec:
	tracepoint_probe_unregister(exit_tracepoint, thread_exits, NULL);
	tracepoint_synchronize_unregister();
no_exit:
	preempt_notifier_dec();
	destroy_workqueue(reaper);
	return err;
}

void vthread_exit(void)
{
	int cpu;

	unregister_syscore_ops(&syscore_ops);
	cpuhp_remove_state_nocalls(hotplug);
	tracepoint_probe_unregister(exec_tracepoint, thread_executes, NULL);
	tracepoint_probe_unregister(exit_tracepoint, thread_exits, NULL);
	tracepoint_synchronize_unregister();
	destroy_workqueue(reaper);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(&samplers, cpu)->timer);
	preempt_notifier_dec();
	/* Who gave back the last reference from task work may be on its way out of our code. */
	synchronize_rcu_tasks();
}
