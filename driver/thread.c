// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads and their counters. A thread finds its link through its preemption notifier, which the
 * scheduler calls when the thread leaves a CPU and when it comes back. Tracepoints tell that a
 * thread exits, executes a program or forks.
 *
 * Only a thread itself changes its list of notifiers, and nobody else looks at it but the
 * scheduler, as it switches to the thread: others find the link in a table. A thread that is
 * stopped under ptrace may be given counters, and be deprived of them, by its tracer: it links
 * itself before it returns to user mode. Since it may be killed meanwhile, and then runs,
 * everything is done under the link's lock.
 */
#define pr_fmt(fmt) "perfctr: " fmt
#include <linux/binfmts.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include <linux/uidgid.h>
#include <trace/events/sched.h>
#include "driver/compat/compat.h"
#include "driver/thread.h"

/* ---- running and not ---- */

static inline void start(struct vthread *t)
{
	if (t->counters)
		vperfctr_start(t->counters);
}

static inline void stop(struct vthread *t)
{
	if (t->counters)
		vperfctr_stop(t->counters);
}

/* Nobody goes on with what the counters have left. */
static void stop_for_good(struct vthread *t)
{
	if (t->cpu < 0)
		return;
	stop(t);
	hw_leave();
}

void vthread_overflow(struct vperfctr *counters)
{
	struct vthread *t = counters->thread; /* which nobody changes while it runs here */

	raw_spin_lock(&t->lock);
	stop(t);
	start(t);
	raw_spin_unlock(&t->lock);
}

/* The current thread's link, or that of the one that comes here next. */
static struct vthread *find_link(struct task_struct *task);

/*
 * From a thread straight to one that counts the same: the next one finds its counters started. Its
 * lock is held by nobody who waits for this one's.
 */
static bool hand_over(struct vthread *t, struct vperfctr *counters, struct vthread *next,
		      struct mm_struct *mm)
{
	bool done;

	raw_spin_lock_nested(&next->lock, SINGLE_DEPTH_NESTING);
	done = next->counters && vperfctr_hand_over(counters, next->counters, mm);
	if (done)
		next->cpu = t->cpu;
	raw_spin_unlock(&next->lock);
	return done;
}

/* The next thread may do without counters, or in another memory. */
static void stop_before(struct vthread *t, struct task_struct *next)
{
	struct vthread *link = hw_hands_over(next->mm) ? find_link(next) : NULL;
	struct vperfctr *counters = t->counters;

	if (link && counters && vperfctr_may_hand_over(counters) &&
	    hand_over(t, counters, link, next->mm))
		return;
	stop(t);
	if (!link || !next->mm || next->mm != current->mm)
		hw_leave();
}

/* Interrupts are on. */
static noinline void start_here(struct vthread *t, int cpu)
{
	raw_spin_lock_irq(&t->lock);
	t->cpu = cpu;
	start(t);
	raw_spin_unlock_irq(&t->lock);
}

static void sched_in(struct preempt_notifier *notifier, int cpu)
{
	struct vthread *t = container_of(notifier, struct vthread, notifier);

	/* Else they were handed over. */
	if (t->cpu < 0)
		start_here(t, cpu);
}

/* With the run queue's lock, and interrupts off. */
static void sched_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct vthread *t = container_of(notifier, struct vthread, notifier);

	raw_spin_lock(&t->lock);
	stop_before(t, next);
	t->cpu = -1;
	raw_spin_unlock(&t->lock);
}

static struct preempt_ops preempt_ops = {
	.sched_in = sched_in,
	.sched_out = sched_out,
};

/* ---- linking ---- */

static struct vthread *find_link(struct task_struct *task)
{
	struct preempt_notifier *notifier;

	hlist_for_each_entry(notifier, &task->preempt_notifiers,
			     link) if (notifier->ops ==
				       &preempt_ops) return container_of(notifier, struct vthread,
									 notifier);
	return NULL;
}

static bool is_linked(const struct vthread *t)
{
	return !hlist_unhashed(&t->notifier.link);
}

/* Links of threads that have not ended. */
static DEFINE_HASHTABLE(links, 8);
static DEFINE_SPINLOCK(links_lock); /* before vthread.lock */

static struct vthread *look_up(const struct task_struct *task)
{
	struct vthread *t;

	hash_for_each_possible(links, t, in_table,
			       (unsigned long)task) if (t->task == task) return t;
	return NULL;
}

static void leave_table(struct vthread *t)
{
	spin_lock(&links_lock);
	hash_del(&t->in_table);
	spin_unlock(&links_lock);
}

struct vperfctr *vthread_counters(struct task_struct *task)
{
	struct vperfctr *counters = NULL;
	struct vthread *t;

	spin_lock(&links_lock);
	t = look_up(task);
	if (t) {
		raw_spin_lock_irq(&t->lock);
		counters = t->counters;
		if (counters)
			kref_get(&counters->refs);
		raw_spin_unlock_irq(&t->lock);
	}
	spin_unlock(&links_lock);
	return counters;
}

static bool holds_hardware(struct vthread *t)
{
	bool holds;

	raw_spin_lock_irq(&t->lock);
	holds = t->counters && READ_ONCE(t->counters->reserved);
	raw_spin_unlock_irq(&t->lock);
	return holds;
}

static void show_thread(struct seq_file *file, struct task_struct *task)
{
	seq_printf(file, "%d %u ", task_pid_nr_ns(task, task_active_pid_ns(current)),
		   from_kuid_munged(seq_user_ns(file), task_uid(task)));
	seq_escape(file, task->comm, " \t\n\\");
	seq_putc(file, '\n');
}

void vthread_show_holders(struct seq_file *file)
{
	struct vthread *t;
	int bucket;

	spin_lock(&links_lock);
	hash_for_each(links, bucket, t, in_table) if (holds_hardware(t)) show_thread(file, t->task);
	spin_unlock(&links_lock);
}

static struct workqueue_struct *reaper; /* of links whose threads have ended */

static void free_link(struct vthread *t)
{
	put_task_struct(t->task);
	kfree(t);
	preempt_notifier_dec();
	module_put(THIS_MODULE);
}

static void bury(struct work_struct *work)
{
	struct vthread *t = container_of(work, struct vthread, burial);
	struct vperfctr *counters = t->counters;

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

/* The rest may have to wait for other CPUs, which a probe must not. */
static void end_link(struct vthread *t)
{
	unsigned long flags;

	leave_table(t);
	raw_spin_lock_irqsave(&t->lock, flags);
	t->ended = true;
	stop_for_good(t);
	t->cpu = -1;
	raw_spin_unlock_irqrestore(&t->lock, flags);
	if (is_linked(t))
		preempt_notifier_unregister(&t->notifier);
	queue_work(reaper, &t->burial);
}

static void link_current(struct vthread *t)
{
	preempt_disable();
	preempt_notifier_register(&t->notifier);
	start_here(t, smp_processor_id());
	preempt_enable();
}

/* In the thread that was stopped. It may have been killed, and be beyond the tracepoint of its
 * exit. */
static void arrive(struct callback_head *head)
{
	struct vthread *t = container_of(head, struct vthread, arrival);

	if (current->flags & PF_EXITING)
		end_link(t);
	else
		link_current(t);
}

/* Switches look at threads' notifiers only while there is a link, or a guest of KVM's. */
static struct vthread *create_link(struct task_struct *task)
{
	struct vthread *t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);

	if (!t)
		return NULL;
	__module_get(THIS_MODULE);
	preempt_notifier_inc();
	t->task = get_task_struct(task);
	t->cpu = -1;
	raw_spin_lock_init(&t->lock);
	INIT_WORK(&t->burial, bury);
	init_task_work(&t->arrival, arrive);
	preempt_notifier_init(&t->notifier, &preempt_ops);
	return t;
}

/* Give a thread with a link, but without counters, new ones. */
static int relink(struct vthread *t, struct vperfctr *counters)
{
	int err = 0;

	raw_spin_lock_irq(&t->lock);
	if (t->counters)
		err = -EEXIST;
	else
		t->counters = counters;
	counters->thread = err ? NULL : t;
	raw_spin_unlock_irq(&t->lock);
	return err;
}

/* Make the fresh link the thread's; or give its counters to the one that it has, which is returned.
 */
static struct vthread *enter_table(struct vthread *fresh, struct vperfctr *counters, int *err)
{
	struct vthread *t;

	spin_lock(&links_lock);
	t = look_up(fresh->task);
	if (t) {
		*err = relink(t, counters);
	} else {
		counters->thread = fresh;
		fresh->counters = counters;
		hash_add(links, &fresh->in_table, (unsigned long)fresh->task);
	}
	spin_unlock(&links_lock);
	return t;
}

/* -ESRCH: it has ended. */
static int link_thread(struct vthread *t)
{
	if (t->task == current) {
		link_current(t);
		return 0;
	}
	return task_work_add(t->task, &t->arrival, TWA_RESUME);
}

int vthread_attach(struct task_struct *task, struct vperfctr *counters)
{
	struct vthread *fresh = create_link(task);
	int err = 0;

	if (!fresh)
		return -ENOMEM;
	kref_get(&counters->refs);
	if (enter_table(fresh, counters, &err)) {
		free_link(fresh);
	} else if (link_thread(fresh) < 0) {
		/* Which gives the reference back, too. */
		end_link(fresh);
		return -ESRCH;
	}
	if (err)
		vperfctr_put(counters);
	return err;
}

void vthread_unlink(struct vthread *t)
{
	struct vperfctr *counters = t->counters;

	stop_for_good(t);
	vperfctr_clear(counters);
	counters->thread = NULL;
	t->counters = NULL;
}

void vthread_unlinked(struct vthread *t)
{
	/* It is in a call that it was stopped in, and has yet to link itself. */
	if (!is_linked(t))
		return;
	leave_table(t);
	preempt_disable();
	preempt_notifier_unregister(&t->notifier);
	preempt_enable();
	free_link(t);
}

/* ---- exit and exec ---- */

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
	err = register_probes();
	if (err)
		destroy_workqueue(reaper);
	return err;
}

void vthread_exit(void)
{
	unregister_probes(ARRAY_SIZE(probes));
	destroy_workqueue(reaper);
}
