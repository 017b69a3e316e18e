// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads and their counters. A thread finds its link through its preemption notifier, which the
 * scheduler calls when the thread leaves a CPU and when it comes back. Tracepoints tell that a
 * thread exits, executes a program or forks. link.h decides how the link's state changes.
 *
 * Only a thread itself changes its list of notifiers, and only the scheduler reads it, when it
 * switches to the thread: others find the link in a table. A thread that is stopped under ptrace
 * may be given counters, and be deprived of them, by its tracer: it arrives before it returns to
 * user mode. Since it may be killed meanwhile, and then runs, everything is done under the link's
 * lock.
 */
#define pr_fmt(fmt) "perfctr: " fmt
#include <linux/binfmts.h>
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
#include "driver/debug.h"
#include "driver/thread.h"

/* ---- the door ---- */

/* Carries out a step's actions before the counters change. Locked; interrupts are off. */
static __always_inline unsigned int step_to(struct vthread *t, enum link_event event)
{
	unsigned int steps = link_step(&t->link, event);

	debug_warn(steps & LINK_BUG);
	debug_warn(t->link.state == LINK_HERE && steps & ~LINK_REFUSED &&
		   task_cpu(t->task) != smp_processor_id());
	if (steps & LINK_STOP)
		vperfctr_stop(t->counters);
	if (steps & LINK_HIDE)
		hw_leave();
	if (steps & LINK_UNHOOK)
		preempt_notifier_unregister(&t->notifier);
	if (steps & LINK_HOOK)
		preempt_notifier_register(&t->notifier);
	return steps;
}

/* Carries out the actions that come after it. */
static __always_inline void finish(struct vthread *t, unsigned int steps)
{
	if (steps & LINK_START)
		vperfctr_start(t->counters);
}

static bool is_refused(unsigned int steps)
{
	return steps & (LINK_REFUSED | LINK_BUG);
}

/* A task's link to these counters, locked with them; or NULL. */
static struct vthread *lock_link(struct vperfctr *counters, const struct task_struct *task)
{
	struct vthread *t;

	spin_lock_irq(&counters->lock);
	t = counters->thread;
	if (t && t->task == task) {
		raw_spin_lock(&t->lock);
		return t;
	}
	spin_unlock_irq(&counters->lock);
	return NULL;
}

static void unlock_link(struct vperfctr *counters, struct vthread *t)
{
	raw_spin_unlock(&t->lock);
	spin_unlock_irq(&counters->lock);
}

struct vthread *vthread_enter(struct vperfctr *counters, const struct task_struct *task)
{
	struct vthread *t = lock_link(counters, task);

	if (!t)
		return NULL;
	t->steps = step_to(t, task == current ? LINK_CHANGES : LINK_CHANGED);
	if (!is_refused(t->steps))
		return t;
	unlock_link(counters, t);
	return NULL;
}

void vthread_leave(struct vthread *t)
{
	if (!t)
		return;
	finish(t, t->steps);
	unlock_link(t->counters, t);
}

void vthread_overflow(struct vperfctr *counters)
{
	/* It does not change while its thread runs here. */
	struct vthread *t = READ_ONCE(counters->thread);

	raw_spin_lock(&t->lock);
	finish(t, step_to(t, LINK_OVERFLOWS));
	raw_spin_unlock(&t->lock);
}

/* ---- the scheduler ---- */

static struct preempt_ops preempt_ops;

/* The link of a task that the scheduler knows: the current one's, or that of the next. */
static struct vthread *hooked_link(struct task_struct *task)
{
	struct preempt_notifier *notifier;

	hlist_for_each_entry(notifier, &task->preempt_notifiers, link)
		if (notifier->ops == &preempt_ops)
			return container_of(notifier, struct vthread, notifier);
	return NULL;
}

/*
 * Hands the running counters from a thread to the next one, if that counts the same: it finds its
 * counters started. No holder of its lock waits for this thread's.
 */
static bool hand_over(struct vthread *t, struct vthread *next, struct mm_struct *mm)
{
	struct vperfctr *counters = t->counters; /* the link is HERE: they run if it is bound */
	bool done;

	if (!counters || !vperfctr_may_hand_over(counters))
		return false;
	raw_spin_lock_nested(&next->lock, SINGLE_DEPTH_NESTING);
	done = link_can_receive(&next->link) && vperfctr_hand_over(counters, next->counters, mm);
	if (done)
		step_to(next, LINK_RECEIVES);
	raw_spin_unlock(&next->lock);
	return done;
}

/* The run queue's lock is held, and interrupts are off. The next thread may have no counters. */
static void sched_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct vthread *t = container_of(notifier, struct vthread, notifier);
	struct vthread *link = hw_hands_over(next->mm) ? hooked_link(next) : NULL;

	raw_spin_lock(&t->lock);
	if (link && hand_over(t, link, next->mm)) {
		step_to(t, LINK_HANDS_OVER);
	} else {
		step_to(t, LINK_GOES);
		if (!link || !next->mm || next->mm != current->mm)
			hw_leave();
	}
	raw_spin_unlock(&t->lock);
}

/* Interrupts are on. */
static noinline void come(struct vthread *t)
{
	raw_spin_lock_irq(&t->lock);
	finish(t, step_to(t, LINK_COMES));
	raw_spin_unlock_irq(&t->lock);
}

static void sched_in(struct preempt_notifier *notifier, int cpu)
{
	struct vthread *t = container_of(notifier, struct vthread, notifier);

	/* Otherwise its counters were handed over. */
	if (t->link.state != LINK_HERE)
		come(t);
}

static struct preempt_ops preempt_ops = {
	.sched_in = sched_in,
	.sched_out = sched_out,
};

/* ---- the table ---- */

/* Links of threads that have not ended. */
static DEFINE_HASHTABLE(links, 8);
static DEFINE_SPINLOCK(links_lock); /* before vthread.lock */

static atomic_t number_of_links;
module_param_named(links, number_of_links.counter, int, 0400);
MODULE_PARM_DESC(links, "how many threads have counters, or have had some and live; read only");

static struct vthread *look_up(const struct task_struct *task)
{
	struct vthread *t;

	hash_for_each_possible(links, t, in_table, (unsigned long)task)
		if (t->task == task)
			return t;
	return NULL;
}

/* Finds the current thread's link, which others may have made while it was stopped. */
static struct vthread *own_link(void)
{
	struct vthread *t;

	if (hlist_empty(&links[hash_min((unsigned long)current, HASH_BITS(links))]))
		return NULL;
	spin_lock(&links_lock);
	t = look_up(current);
	spin_unlock(&links_lock);
	return t;
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
		if (t->link.bound) {
			counters = t->counters;
			kref_get(&counters->refs);
		}
		raw_spin_unlock_irq(&t->lock);
	}
	spin_unlock(&links_lock);
	return counters;
}

/* A thread gives itself its name, which is to do nothing to a terminal. */
static void show_thread(struct seq_file *file, struct task_struct *task)
{
	char name[TASK_COMM_LEN];
	const char *at;

	seq_printf(file, "%d %u ", task_pid_nr_ns(task, task_active_pid_ns(current)),
		   from_kuid_munged(seq_user_ns(file), task_uid(task)));
	strscpy(name, task->comm, sizeof(name));
	for (at = name; *at; at++)
		seq_printf(file, *at > ' ' && *at < 0x7F && *at != '\\' ? "%c" : "\\%03o",
			   (unsigned char)*at);
	seq_putc(file, '\n');
}

int vthread_show_holders(struct seq_file *file, void *unused)
{
	struct vthread *t;
	int bucket;
	bool holds;

	spin_lock(&links_lock);
	hash_for_each(links, bucket, t, in_table) {
		raw_spin_lock_irq(&t->lock);
		holds = t->link.bound && READ_ONCE(t->counters->reserved);
		raw_spin_unlock_irq(&t->lock);
		if (holds)
			show_thread(file, t->task);
	}
	spin_unlock(&links_lock);
	return 0;
}

/* ---- the end of a link ---- */

static void free_link(struct vthread *t)
{
	put_task_struct(t->task);
	kfree(t);
	atomic_dec(&number_of_links);
	preempt_notifier_dec();
	module_put(THIS_MODULE);
}

/*
 * Drops the thread's references to the link and the counters; this may wait for other CPUs. After
 * an execve(2) it comes before the return to user mode, and at an exit before the thread's end is
 * reported.
 */
static void bury(struct vthread *t)
{
	struct vperfctr *counters;
	unsigned int steps;

	raw_spin_lock_irq(&t->lock);
	counters = t->counters;
	t->counters = NULL;
	steps = step_to(t, LINK_BURIED);
	raw_spin_unlock_irq(&t->lock);
	if (counters)
		vperfctr_put_unlinked(counters);
	if (steps & LINK_FREE)
		free_link(t);
}

static void bury_own(struct callback_head *head)
{
	bury(container_of(head, struct vthread, burial));
}

/* They are no thread's any more. Both are locked. */
static void release(struct vperfctr *counters)
{
	vperfctr_clear(counters);
	counters->thread = NULL;
}

/* A link ends, or a thread that has ended before is found not to arrive. */
static unsigned int end_link(struct vthread *t, struct vperfctr *counters, enum link_event event)
{
	unsigned int steps;

	local_irq_disable();
	if (counters)
		spin_lock(&counters->lock);
	raw_spin_lock(&t->lock);
	steps = step_to(t, event);
	if (counters && steps & LINK_BURY)
		release(counters);
	raw_spin_unlock(&t->lock);
	if (counters)
		spin_unlock(&counters->lock);
	local_irq_enable();
	if (steps & LINK_BURY)
		leave_table(t);
	return steps;
}

/* Runs in a probe, which must not sleep. A thread that exits still does its task work. */
static void end_own(struct vthread *t, enum task_work_notify_mode when)
{
	if (end_link(t, t->counters, LINK_ENDS) & LINK_BURY)
		WARN_ON_ONCE(task_work_add(current, &t->burial, when));
}

/* The thread is beyond its exit, or as good as. */
static void miss(struct vthread *t, struct vperfctr *counters)
{
	unsigned int steps = end_link(t, counters, LINK_IS_MISSED);

	if (steps & LINK_BURY)
		bury(t);
	else if (steps & LINK_FREE)
		free_link(t);
}

const struct task_struct *vthread_of(struct vperfctr *counters)
{
	const struct task_struct *task;

	spin_lock_irq(&counters->lock);
	task = counters->thread ? counters->thread->task : NULL;
	spin_unlock_irq(&counters->lock);
	return task;
}

bool vthread_detach(struct vperfctr *counters, struct task_struct *task)
{
	struct vthread *t = lock_link(counters, task);
	unsigned int steps;

	if (!t)
		return false;
	steps = step_to(t, task == current ? LINK_ENDS : LINK_UNBOUND);
	if (!is_refused(steps))
		release(counters);
	if (!is_refused(steps) && !(steps & LINK_BURY))
		t->counters = NULL;
	unlock_link(counters, t);
	if (steps & LINK_BURY) {
		leave_table(t);
		bury(t);
	} else if (!is_refused(steps)) {
		vperfctr_put_unlinked(counters);
	}
	return !is_refused(steps);
}

/* ---- the beginning ---- */

/* The current thread's link takes up its work; or it has ended meanwhile. */
static void arrive(struct vthread *t)
{
	unsigned int steps;

	raw_spin_lock_irq(&t->lock);
	steps = step_to(t, LINK_ARRIVES);
	finish(t, steps);
	raw_spin_unlock_irq(&t->lock);
	if (steps & LINK_FREE)
		free_link(t);
}

/* Runs in the thread that was stopped. It may have been killed. */
static void arrive_or_end(struct callback_head *head)
{
	struct vthread *t = container_of(head, struct vthread, arrival);

	if (current->flags & PF_EXITING)
		miss(t, t->counters);
	else
		arrive(t);
}

/* Switches look at threads' notifiers only while there is a link, or a guest of KVM's. */
static struct vthread *create_link(struct task_struct *task, struct vperfctr *counters)
{
	struct vthread *t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);

	if (!t)
		return NULL;
	__module_get(THIS_MODULE);
	preempt_notifier_inc();
	atomic_inc(&number_of_links);
	t->task = get_task_struct(task);
	t->counters = counters;
	link_make(&t->link);
	raw_spin_lock_init(&t->lock);
	init_task_work(&t->arrival, arrive_or_end);
	init_task_work(&t->burial, bury_own);
	preempt_notifier_init(&t->notifier, &preempt_ops);
	return t;
}

/* Give a thread with a link, but without counters, new ones. */
static int bind(struct vthread *t, struct vperfctr *counters)
{
	unsigned int steps;
	int err = 0;

	raw_spin_lock_irq(&t->lock);
	steps = step_to(t, t->task == current ? LINK_BINDS : LINK_BOUND);
	if (is_refused(steps)) {
		err = t->link.bound ? -EEXIST : -ESRCH;
	} else {
		t->counters = counters;
		counters->thread = t;
		finish(t, steps);
	}
	raw_spin_unlock_irq(&t->lock);
	return err;
}

/* Make the fresh link the thread's; or give its counters to the one that it has. */
static bool enter_table(struct vthread *fresh, int *err)
{
	struct vthread *t;

	spin_lock(&links_lock);
	t = look_up(fresh->task);
	if (t) {
		*err = bind(t, fresh->counters);
	} else {
		fresh->counters->thread = fresh;
		hash_add(links, &fresh->in_table, (unsigned long)fresh->task);
	}
	spin_unlock(&links_lock);
	return !t;
}

int vthread_attach(struct task_struct *task, struct vperfctr *counters)
{
	struct vthread *fresh = create_link(task, counters);
	int err = 0;

	if (!fresh)
		return -ENOMEM;
	kref_get(&counters->refs);
	if (!enter_table(fresh, &err)) {
		free_link(fresh);
		if (err)
			vperfctr_put(counters);
	} else if (task == current) {
		arrive(fresh);
	} else if (task_work_add(task, &fresh->arrival, TWA_RESUME)) {
		miss(fresh, counters);
		err = -ESRCH;
	}
	return err;
}

/* ---- exit and exec ---- */

static void thread_exits(void *unused, struct task_struct *task PERFCTR_COMPAT_GROUP_DEAD)
{
	struct vthread *t = task == current ? own_link() : NULL;

	if (t)
		end_own(t, TWA_NONE);
}

/* A program with more rights than its caller, or that he may not read, is not his to watch. */
static bool hides(const struct vthread *t, const struct linux_binprm *bprm)
{
	return bprm->secureexec || bprm->interp_flags & BINPRM_FLAGS_ENFORCE_NONDUMP ||
	       t->counters->control.flags & VPERFCTR_CONTROL_CLOEXEC;
}

/* Changes the memory: the new one does not map the page, and may not read. */
static void change_memory(struct vperfctr *counters, struct perfctr_cpu_state *fresh)
{
	struct vthread *t = vthread_enter(counters, current);
	struct perfctr_cpu_state *old = NULL;

	if (t) {
		WRITE_ONCE(counters->access.works, false);
		old = vperfctr_turn_page(counters, fresh);
		vthread_leave(t);
	}
	free_page((unsigned long)old);
}

static void thread_executes(void *unused, struct task_struct *task, pid_t old_pid,
			    struct linux_binprm *bprm)
{
	struct vthread *t = task == current ? own_link() : NULL;
	struct perfctr_cpu_state *fresh = NULL;

	if (!t || !t->link.bound)
		return;
	if (hides(t, bprm) || !vperfctr_prepare_page(t->counters, &fresh))
		end_own(t, TWA_RESUME);
	else
		change_memory(t->counters, fresh);
}

static void thread_forks(void *unused, struct task_struct *parent, struct task_struct *child)
{
	if (HW_READS_BY_MEMORY && child->mm && child->mm != parent->mm)
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

static void register_probe(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tp->name, probes[i].name) &&
		    !tracepoint_probe_register(tp, probes[i].probe, NULL))
			probes[i].tracepoint = tp;
}

static void unregister_probes(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].tracepoint)
			tracepoint_probe_unregister(probes[i].tracepoint, probes[i].probe, NULL);
	tracepoint_synchronize_unregister();
}

/* ---- the module ---- */

int vthread_init(void)
{
	unsigned int i;

	/* Probes are registered without a type. */
	check_trace_callback_type_sched_process_exit(thread_exits);
	check_trace_callback_type_sched_process_exec(thread_executes);
	check_trace_callback_type_sched_process_fork(thread_forks);
	for_each_kernel_tracepoint(register_probe, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!probes[i].tracepoint) {
			pr_err("this kernel has no tracepoint %s\n", probes[i].name);
			unregister_probes();
			return -ENODEV;
		}
	return 0;
}

void vthread_exit(void)
{
	unregister_probes();
}
