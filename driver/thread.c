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
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>
#include "driver/compat/compat.h"
#include "driver/debug.h"
#include "driver/thread.h"

/* ---- the table ---- */

/*
 * The links of threads that have not ended, by thread. A thread's bucket is the same for ever, and
 * so is that of the counters which were made for it. With the locks of the bucket and of the link a
 * link gets counters, loses them, and ends; with one of both it is certain which counters it has.
 */
static struct bucket {
	spinlock_t lock; /* before vthread.lock */
	unsigned long flags;
	struct hlist_head links;
} buckets[256];

static atomic_t number_of_links;
module_param_named(links, number_of_links.counter, int, 0400);
MODULE_PARM_DESC(links, "how many threads have counters, or have had some and live; read only");

static struct bucket *bucket_of(const struct task_struct *task)
{
	return &buckets[hash_ptr(task, ilog2(ARRAY_SIZE(buckets)))];
}

static void lock_bucket(struct bucket *bucket)
{
	unsigned long flags;

	spin_lock_irqsave(&bucket->lock, flags);
	bucket->flags = flags;
}

static void unlock_bucket(struct bucket *bucket)
{
	spin_unlock_irqrestore(&bucket->lock, bucket->flags);
}

/* The bucket is locked. */
static struct vthread *look_up(const struct bucket *bucket, const struct task_struct *task)
{
	struct vthread *t;

	hlist_for_each_entry(t, &bucket->links, in_table)
		if (t->task == task)
			return t;
	return NULL;
}

void vthread_lock(const struct vperfctr *counters)
{
	lock_bucket(bucket_of(counters->task));
}

void vthread_unlock(const struct vperfctr *counters)
{
	unlock_bucket(bucket_of(counters->task));
}

struct vthread *vthread_link(const struct vperfctr *counters)
{
	struct vthread *t;

	hlist_for_each_entry(t, &bucket_of(counters->task)->links, in_table)
		if (t->counters == counters)
			return t;
	return NULL;
}

const struct task_struct *vthread_of(const struct vperfctr *counters)
{
	const struct vthread *t;
	const struct task_struct *task;

	vthread_lock(counters);
	t = vthread_link(counters);
	task = t ? t->task : NULL;
	vthread_unlock(counters);
	return task;
}

struct vperfctr *vthread_counters(const struct task_struct *task)
{
	struct bucket *bucket = bucket_of(task);
	struct vperfctr *counters;
	struct vthread *t;

	lock_bucket(bucket);
	t = look_up(bucket, task);
	counters = t ? t->counters : NULL;
	if (counters)
		kref_get(&counters->refs);
	unlock_bucket(bucket);
	return counters;
}

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

/* A task's link to these counters, locked; or NULL. */
static struct vthread *lock_link(const struct vperfctr *counters, const struct task_struct *task)
{
	struct vthread *t;

	vthread_lock(counters);
	t = vthread_link(counters);
	if (t && t->task == task) {
		raw_spin_lock(&t->lock);
		return t;
	}
	vthread_unlock(counters);
	return NULL;
}

static void unlock_link(struct vthread *t)
{
	raw_spin_unlock(&t->lock);
	unlock_bucket(bucket_of(t->task));
}

struct vthread *vthread_enter(struct vperfctr *counters, const struct task_struct *task)
{
	struct vthread *t = lock_link(counters, task);

	if (!t)
		return NULL;
	t->steps = step_to(t, task == current ? LINK_CHANGES : LINK_CHANGED);
	if (!is_refused(t->steps))
		return t;
	unlock_link(t);
	return NULL;
}

void vthread_leave(struct vthread *t)
{
	if (!t)
		return;
	finish(t, t->steps);
	unlock_link(t);
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

void vthread_overflow(struct vperfctr *counters)
{
	/* They run here, so that they are the current thread's, and stay it. */
	struct vthread *t = hooked_link(current);

	if (WARN_ON_ONCE(!t))
		return;
	raw_spin_lock(&t->lock);
	debug_warn(t->counters != counters);
	finish(t, step_to(t, LINK_OVERFLOWS));
	raw_spin_unlock(&t->lock);
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

/* ---- who has counters ---- */

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
	struct bucket *bucket;
	struct vthread *t;

	for (bucket = buckets; bucket < buckets + ARRAY_SIZE(buckets); bucket++) {
		lock_bucket(bucket);
		hlist_for_each_entry(t, &bucket->links, in_table)
			if (t->counters && READ_ONCE(t->counters->reserved))
				show_thread(file, t->task);
		unlock_bucket(bucket);
	}
	return 0;
}

/* ---- the end of a link ---- */

/*
 * Switches look at threads' notifiers only while there is a link, or a guest of KVM's. To turn that
 * on or off changes the kernel's code, and interrupts every CPU: so the last link's successor, if
 * it comes within a second, finds it turned on.
 */
static void forget_notifiers(struct work_struct *work)
{
	preempt_notifier_dec();
}

static DECLARE_DELAYED_WORK(forgetting, forget_notifiers);

static void free_link(struct vthread *t)
{
	put_task_struct(t->task);
	kfree(t);
	atomic_dec(&number_of_links);
	/* The work drops the count of one link; those of others are not the last one meanwhile. */
	if (!schedule_delayed_work(&forgetting, HZ))
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

/* A link ends, and leaves the table: the table has none that has ended. All is locked. */
static unsigned int end_link(struct vthread *t, enum link_event event)
{
	unsigned int steps = step_to(t, event);

	if (steps & LINK_BURY) {
		hlist_del_init(&t->in_table);
		if (t->counters)
			vperfctr_clear(t->counters);
	}
	return steps;
}

/* The thread is beyond its exit, or as good as. */
static void miss(struct vthread *t)
{
	struct bucket *bucket = bucket_of(t->task);
	unsigned int steps;

	lock_bucket(bucket);
	raw_spin_lock(&t->lock);
	steps = end_link(t, LINK_IS_MISSED);
	raw_spin_unlock(&t->lock);
	unlock_bucket(bucket);
	if (steps & LINK_BURY)
		bury(t);
	else if (steps & LINK_FREE)
		free_link(t);
}

/* A tracer takes them away: the link stays, for the scheduler may know it. All is locked. */
static unsigned int unbind(struct vthread *t)
{
	unsigned int steps = step_to(t, LINK_UNBOUND);

	if (!is_refused(steps)) {
		vperfctr_clear(t->counters);
		t->counters = NULL;
	}
	return steps;
}

bool vthread_detach(struct vperfctr *counters, const struct task_struct *task)
{
	struct vthread *t = lock_link(counters, task);
	unsigned int steps;

	if (!t)
		return false;
	steps = task == current ? end_link(t, LINK_ENDS) : unbind(t);
	unlock_link(t);
	if (steps & LINK_BURY)
		bury(t);
	else if (!is_refused(steps))
		vperfctr_put_unlinked(counters);
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
		miss(t);
	else
		arrive(t);
}

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

/* Give a thread with a link, but without counters, new ones. The bucket is locked. */
static int bind(struct vthread *t, struct vperfctr *counters)
{
	unsigned int steps;
	int err = 0;

	raw_spin_lock(&t->lock);
	steps = step_to(t, t->task == current ? LINK_BINDS : LINK_BOUND);
	if (is_refused(steps)) {
		err = t->link.bound ? -EEXIST : -ESRCH;
	} else {
		t->counters = counters;
		finish(t, steps);
	}
	raw_spin_unlock(&t->lock);
	return err;
}

/* Make the fresh link the thread's; or give its counters to the one that it has. */
static bool enter_table(struct vthread *fresh, int *err)
{
	struct bucket *bucket = bucket_of(fresh->task);
	struct vthread *t;

	lock_bucket(bucket);
	t = look_up(bucket, fresh->task);
	if (t)
		*err = bind(t, fresh->counters);
	else
		hlist_add_head(&fresh->in_table, &bucket->links);
	unlock_bucket(bucket);
	return !t;
}

int vthread_attach(struct task_struct *task, struct vperfctr *counters)
{
	struct vthread *fresh = create_link(task, counters);
	int err = 0;

	if (!fresh)
		return -ENOMEM;
	counters->task = task;
	kref_get(&counters->refs);
	if (!enter_table(fresh, &err)) {
		free_link(fresh);
		if (err)
			vperfctr_put(counters);
	} else if (task == current) {
		arrive(fresh);
	} else if (task_work_add(task, &fresh->arrival, TWA_RESUME)) {
		miss(fresh);
		err = -ESRCH;
	}
	return err;
}

/* ---- exit and exec ---- */

/*
 * Locks the current thread's bucket if it has a link, which others may have made while it was
 * stopped.
 */
static struct vthread *lock_own(struct bucket *bucket)
{
	struct vthread *t;

	if (hlist_empty(&bucket->links))
		return NULL;
	lock_bucket(bucket);
	t = look_up(bucket, current);
	if (!t)
		unlock_bucket(bucket);
	return t;
}

/* Probes must not sleep; a thread that exits still does its task work. */
static void bury_later(struct vthread *t, enum task_work_notify_mode when)
{
	WARN_ON_ONCE(task_work_add(current, &t->burial, when));
}

static void thread_exits(void *unused, struct task_struct *task PERFCTR_COMPAT_GROUP_DEAD)
{
	struct bucket *bucket = bucket_of(current);
	struct vthread *t = task == current ? lock_own(bucket) : NULL;

	if (!t)
		return;
	raw_spin_lock(&t->lock);
	end_link(t, LINK_ENDS);
	raw_spin_unlock(&t->lock);
	unlock_bucket(bucket);
	bury_later(t, TWA_NONE);
}

/* A program with more rights than its caller, or that he may not read, is not his to watch. */
static bool hides(const struct vperfctr *counters, const struct linux_binprm *bprm)
{
	return bprm->secureexec || bprm->interp_flags & BINPRM_FLAGS_ENFORCE_NONDUMP ||
	       counters->control.flags & VPERFCTR_CONTROL_CLOEXEC;
}

/* The memory changes: the new one does not map the page, and may not read. All is locked. */
static struct perfctr_cpu_state *change_memory(struct vthread *t, struct perfctr_cpu_state *fresh)
{
	unsigned int steps = step_to(t, LINK_CHANGES);
	struct perfctr_cpu_state *old;

	WRITE_ONCE(t->counters->access.works, false);
	old = vperfctr_turn_page(t->counters, fresh);
	finish(t, steps);
	return old;
}

/* The bucket is locked, and given back. */
static void execute(struct vthread *t, const struct linux_binprm *bprm)
{
	struct perfctr_cpu_state *fresh = NULL, *old = NULL;
	bool ends = hides(t->counters, bprm) || !vperfctr_prepare_page(t->counters, &fresh);

	raw_spin_lock(&t->lock);
	if (ends)
		end_link(t, LINK_ENDS);
	else
		old = change_memory(t, fresh);
	unlock_link(t);
	free_page((unsigned long)old);
	if (ends)
		bury_later(t, TWA_RESUME);
}

static void thread_executes(void *unused, struct task_struct *task, pid_t old_pid,
			    struct linux_binprm *bprm)
{
	struct bucket *bucket = bucket_of(current);
	struct vthread *t = task == current ? lock_own(bucket) : NULL;

	if (!t)
		return;
	if (t->counters)
		execute(t, bprm);
	else
		unlock_bucket(bucket);
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

	for (i = 0; i < ARRAY_SIZE(buckets); i++)
		spin_lock_init(&buckets[i].lock);
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
	flush_delayed_work(&forgetting);
	/*
	 * A task work that has given back the last reference to the module may have been preempted
	 * before it returns. RCU alone does not wait for it.
	 */
	synchronize_rcu_tasks();
}
