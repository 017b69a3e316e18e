// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads and their counters. A thread finds its link through its preemption notifier, which the
 * scheduler calls when the thread leaves a CPU and when it comes back. Tracepoints tell that a
 * thread exits, executes a program or forks.
 *
 * A thread that is stopped under ptrace may be given counters, and be deprived of them, by its
 * tracer: since it may be killed meanwhile, and then runs, everything is done under the link's
 * lock, and only the thread itself takes its notifier out of its list.
 */
#define pr_fmt(fmt) "perfctr: " fmt
#include <linux/binfmts.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include "driver/compat/compat.h"
#include "driver/thread.h"

/* ---- running and not ---- */

static void start(struct vthread *t)
{
	if (t->counters)
		vperfctr_start(t->counters);
}

static void stop(struct vthread *t)
{
	if (t->counters)
		vperfctr_stop(t->counters);
}

void vthread_overflow(struct vperfctr *counters)
{
	struct vthread *t = counters->thread; /* which nobody changes while it runs here */

	raw_spin_lock(&t->lock);
	stop(t);
	start(t);
	raw_spin_unlock(&t->lock);
}

static struct vthread *find_link(struct task_struct *task);

/* Does it count, too, and in the same memory? */
static bool is_sibling(struct task_struct *task)
{
	return task->mm && task->mm == current->mm && find_link(task);
}

static void sched_in(struct preempt_notifier *notifier, int cpu)
{
	struct vthread *t = container_of(notifier, struct vthread, notifier);

	raw_spin_lock_irq(&t->lock); /* they are on here */
	t->cpu = cpu;
	start(t);
	raw_spin_unlock_irq(&t->lock);
}

/* With the run queue's lock, and interrupts off. */
static void sched_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct vthread *t = container_of(notifier, struct vthread, notifier);

	raw_spin_lock(&t->lock);
	/* Else it was linked while its thread, killed, was on its way to the end. */
	if (t->cpu >= 0)
		stop(t);
	t->cpu = -1;
	if (!is_sibling(next))
		hw_leave();
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

	hlist_for_each_entry(notifier, &task->preempt_notifiers,
			     link) if (notifier->ops ==
				       &preempt_ops) return container_of(notifier, struct vthread,
									 notifier);
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

static struct workqueue_struct *reaper; /* of links whose threads have ended */

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
	struct vthread *t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);

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
 * A stopped thread. If it is killed now it may have passed the tracepoint of its exit without
 * seeing the link, which then stays in its list until it is dead.
 */
static void link_other(struct vthread *t)
{
	unsigned long flags;

	rcu_read_lock(); /* should it end its link at once */
	hlist_add_head_rcu(&t->notifier.link, &t->task->preempt_notifiers);
	smp_mb(); /* the link, then the flag: exit sets the flag, then looks for links */
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
		stop(t);
	vperfctr_clear(counters);
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

/* ---- exit and exec ---- */

/* The rest may have to wait for other CPUs, which a probe must not. */
static void end_link(struct vthread *t)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&t->lock, flags);
	t->ended = !t->orphan;
	if (t->ended) {
		stop(t);
		t->cpu = -1;
	}
	raw_spin_unlock_irqrestore(&t->lock, flags);
	if (!t->ended)
		return;
	preempt_notifier_unregister(&t->notifier);
	queue_delayed_work(reaper, &t->burial, 0);
}

static void thread_exits(void *unused, struct task_struct *task PERFCTR_COMPAT_GROUP_DEAD)
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
	/* Its new memory does not map the page, and may not read. */
	WRITE_ONCE(t->counters->access.works, false);
	raw_spin_lock_irqsave(&t->lock, flags);
	stop(t);
	start(t);
	raw_spin_unlock_irqrestore(&t->lock, flags);
}

static void thread_forks(void *unused, struct task_struct *parent, struct task_struct *child)
{
	if (child->mm && child->mm != parent->mm)
		hw_forbid_inherited_reads(child->mm);
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
} probes[] = {
	{ "sched_process_exit", thread_exits },
	{ "sched_process_exec", thread_executes },
	{ "sched_process_fork", thread_forks },
};

static void note_tracepoint(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tp->name, probes[i].name))
			probes[i].tracepoint = tp;
}

static int find_tracepoints(void)
{
	unsigned int i;

	/* Probes are registered without a type. */
	check_trace_callback_type_sched_process_exit(thread_exits);
	check_trace_callback_type_sched_process_exec(thread_executes);
	check_trace_callback_type_sched_process_fork(thread_forks);
	for_each_kernel_tracepoint(note_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!probes[i].tracepoint) {
			pr_err("this kernel has no tracepoint %s\n", probes[i].name);
			return -ENODEV;
		}
	return 0;
}

/* The first ones. */
static void unregister_probes(unsigned int n)
{
	while (n--)
		tracepoint_probe_unregister(probes[n].tracepoint, probes[n].probe, NULL);
	tracepoint_synchronize_unregister();
}

static int register_probes(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		err = tracepoint_probe_register(probes[i].tracepoint, probes[i].probe, NULL);
		if (err) {
			unregister_probes(i);
			return err;
		}
	}
	return 0;
}

/* ---- the module ---- */

int vthread_init(void)
{
	int err = find_tracepoints();

	if (err)
		return err;
	reaper = alloc_workqueue("perfctr", WQ_MEM_RECLAIM | PERFCTR_COMPAT_WQ_PERCPU, 0);
	if (!reaper)
		return -ENOMEM;
	preempt_notifier_inc();
	err = register_probes();
	if (err) {
		preempt_notifier_dec();
		destroy_workqueue(reaper);
	}
	return err;
}

void vthread_exit(void)
{
	unregister_probes(ARRAY_SIZE(probes));
	destroy_workqueue(reaper);
	preempt_notifier_dec();
}
