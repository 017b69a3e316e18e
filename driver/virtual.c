// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual per-thread counters, after "VIRTUAL PER-PROCESS PERFORMANCE COUNTERS".
 *
 * A thread's counters are an object with a life of its own: it lives as long as its thread counts with
 * it, or a descriptor or a mapping of it exists. The thread finds it through its preemption notifier,
 * which the scheduler calls when the thread leaves a CPU and when it comes back; a thread without
 * counters has none and pays nothing. Two tracepoints tell that a thread exits or executes a program.
 *
 * Who may touch what. The page, the program and the notifier are the owner's: only it changes them,
 * with preemption off. Others may read the page when there is no owner any more. "owner" itself is set
 * once, and cleared under the lock.
 */
#define pr_fmt(fmt) "perfctr: " fmt
#include <linux/anon_inodes.h>
#include <linux/binfmts.h>
#include <linux/capability.h>
#include <linux/cpuhotplug.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/syscore_ops.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include "driver/compat/compat.h"
#include "driver/hw.h"
#include <perfctr/calls.h>
#include "driver/virtual.h"

struct vperfctr {
	struct kref refs;		/* descriptors, and one while it has an owner */
	struct perfctr_cpu_state *state;	/* a page of its own, which users map */
	struct perfctr_program program;
	struct vperfctr_control control;
	spinlock_t lock;		/* of owner */
	struct task_struct *owner;	/* NULL: unlinked; compared, never followed */
	struct preempt_notifier notifier;
	bool counting;			/* its counters are reserved */
};

/* ---- one reservation for all ---- */

static DEFINE_MUTEX(reservation);
static unsigned int reservations;

static int reserve(void)
{
	int err = 0;

	mutex_lock(&reservation);
	if (!reservations)
		err = hw_reserve();
	if (!err)
		reservations++;
	mutex_unlock(&reservation);
	return err;
}

static void release(void)
{
	mutex_lock(&reservation);
	if (--reservations == 0)
		hw_release();
	mutex_unlock(&reservation);
}

/* ---- the sampling timer ---- */

/*
 * Differences of 32 bits are right as long as a counter makes less than 2^32 steps between two looks
 * at it. Eight events in each cycle at 5 GHz need 107 ms for that: look every 50.
 */
#define SAMPLE_NS (50 * NSEC_PER_MSEC)

struct sampler {
	struct hrtimer timer;
	struct vperfctr *running;	/* on this CPU, now; only used on it, with interrupts off */
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
	hw_sample(s->running->state, &s->running->program);
	hrtimer_forward_now(timer, ns_to_ktime(SAMPLE_NS));
	return HRTIMER_RESTART;
}

/* ---- running and not ---- */

static void start(struct vperfctr *self)
{
	struct sampler *s;
	unsigned long flags;

	if (!perfctr_cstatus_enabled(self->state->cstatus))
		return;
	local_irq_save(flags);
	hw_resume(self->state, &self->program);
	if (perfctr_cstatus_nrctrs(self->state->cstatus))
		hw_user_rdpmc(true);
	s = this_cpu_ptr(&samplers);
	s->running = self;
	if (!s->armed) {
		s->armed = true;
		hrtimer_start(&s->timer, ns_to_ktime(SAMPLE_NS), HRTIMER_MODE_REL_PINNED);
	}
	local_irq_restore(flags);
}

static void stop(struct vperfctr *self)
{
	unsigned long flags;

	if (!perfctr_cstatus_enabled(self->state->cstatus))
		return;
	local_irq_save(flags);
	this_cpu_ptr(&samplers)->running = NULL;
	if (perfctr_cstatus_nrctrs(self->state->cstatus))
		hw_user_rdpmc(false);
	hw_suspend(self->state, &self->program);
	local_irq_restore(flags);
}

static void sched_in(struct preempt_notifier *notifier, int cpu)
{
	start(container_of(notifier, struct vperfctr, notifier));
}

static void sched_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	stop(container_of(notifier, struct vperfctr, notifier));
}

static struct preempt_ops preempt_ops = {
	.sched_in = sched_in,
	.sched_out = sched_out,
};

/* The calling thread's object, or NULL. Its reference is the thread's. */
static struct vperfctr *current_vperfctr(void)
{
	struct preempt_notifier *notifier;

	hlist_for_each_entry(notifier, &current->preempt_notifiers, link)
		if (notifier->ops == &preempt_ops)
			return container_of(notifier, struct vperfctr, notifier);
	return NULL;
}

/* ---- the end ---- */

static void free_vperfctr(struct kref *refs)
{
	struct vperfctr *self = container_of(refs, struct vperfctr, refs);

	if (self->counting)
		release();
	free_page((unsigned long)self->state);
	kfree(self);
	module_put(THIS_MODULE);
}

/*
 * Take the counters from the calling thread, whose they are. The object's counters stay reserved until
 * it goes, because a thread that exits can't wait for other CPUs.
 */
static void unlink_current(struct vperfctr *self)
{
	unsigned long flags;

	preempt_disable();
	stop(self);
	self->state->cstatus = 0;
	preempt_notifier_unregister(&self->notifier);
	preempt_enable();
	spin_lock_irqsave(&self->lock, flags);
	self->owner = NULL;
	spin_unlock_irqrestore(&self->lock, flags);
}

/* ---- calls ---- */

/* Copy a structure from a caller who knows it as size bytes; what is beyond ours must be zero. */
static int copy_in(void *to, size_t ours, u64 from, u32 size)
{
	if (size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(to, ours, (const void __user *)(unsigned long)from, size);
}

int vperfctr_copy_out(u64 to, u32 size, const void *from, size_t ours)
{
	void __user *user = (void __user *)(unsigned long)to;
	size_t both = min_t(size_t, size, ours);

	if (size > PAGE_SIZE)
		return -E2BIG;
	if (copy_to_user(user, from, both) || clear_user(user + both, size - both))
		return -EFAULT;
	return 0;
}

/* Sums that no longer change: a copy, taken between two looks of the sampling timer. */
static void read_sums(struct vperfctr *self, struct perfctr_sum_ctrs *sum, bool own)
{
	unsigned long flags;
	unsigned int i;

	local_irq_save(flags);
	if (own && perfctr_cstatus_enabled(self->state->cstatus))
		hw_sample(self->state, &self->program);
	sum->tsc = self->state->tsc_sum;
	for (i = 0; i < PERFCTR_NR_CTRS; i++)
		sum->pmc[i] = self->state->pmc[i].sum;
	local_irq_restore(flags);
}

static void set_sums(struct vperfctr *self, const struct vperfctr_control *control)
{
	unsigned int i;

	if (!control->cpu_control.tsc_on)
		self->state->tsc_sum = 0;
	for (i = 0; i < PERFCTR_NR_CTRS; i++)
		if (i >= 32 || !(control->preserve >> i & 1))
			self->state->pmc[i].sum = 0;
}

static int do_control(struct vperfctr *self, const struct perfctr_call_control *call)
{
	const struct perfctr_cpu_control *cpu;
	struct perfctr_program *program;
	struct vperfctr_control control = { };
	int err;

	if (self->owner != current)
		return -ESRCH;
	if (call->_reserved)
		return -EINVAL;
	err = copy_in(&control, sizeof(control), call->control, call->control_size);
	if (err)
		return err;
	if (control.flags & ~VPERFCTR_CONTROL_CLOEXEC ||
	    control._reserved2 | control._reserved3 | control._reserved4)
		return -EINVAL;
	/* Everything that can be refused is, before anything is touched. */
	program = kmalloc(sizeof(*program), GFP_KERNEL);
	if (!program)
		return -ENOMEM;
	cpu = &control.cpu_control;
	err = hw_compile(cpu, program);
	/* More than the thread's own user mode is for those who may see it. */
	if (!err && program->privileged && !perfmon_capable())
		err = -EPERM;
	if (!err && program->nrctrs && !self->counting) {
		err = reserve();
		if (!err)
			self->counting = true;
	}
	if (err) {
		kfree(program);
		return err;
	}
	preempt_disable();
	stop(self);
	self->control = control;
	self->program = *program;
	/* A control that counts nothing stops: the sums are what was counted. */
	if (cpu->tsc_on || program->nrctrs)
		set_sums(self, &control);
	hw_update_control(self->state, &self->program, cpu->tsc_on);
	start(self);
	preempt_enable();
	kfree(program);
	return 0;
}

static int do_read(struct vperfctr *self, const struct perfctr_call_read *call)
{
	struct perfctr_sum_ctrs sum;
	unsigned long flags;
	bool own;
	int err = 0;

	spin_lock_irqsave(&self->lock, flags);
	own = self->owner == current;
	if (self->owner && !own)
		err = -ESRCH;
	spin_unlock_irqrestore(&self->lock, flags);
	if (err)
		return err;
	read_sums(self, &sum, own);
	if (call->sum)
		err = vperfctr_copy_out(call->sum, call->sum_size, &sum, sizeof(sum));
	if (!err && call->control)
		err = vperfctr_copy_out(call->control, call->control_size, &self->control,
					sizeof(self->control));
	return err;
}

static int do_unlink(struct vperfctr *self)
{
	if (!self->owner)
		return 0;
	if (self->owner != current)
		return -ESRCH;
	unlink_current(self);
	kref_put(&self->refs, free_vperfctr);
	return 0;
}

static long vperfctr_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	struct vperfctr *self = file->private_data;
	union {
		struct perfctr_call_control control;
		struct perfctr_call_read read;
	} call;

	if (_IOC_SIZE(request) &&
	    copy_from_user(&call, (const void __user *)argument,
			   min_t(size_t, _IOC_SIZE(request), sizeof(call))))
		return -EFAULT;
	switch (request) {
	case PERFCTR_IOC_CONTROL:
		return do_control(self, &call.control);
	case PERFCTR_IOC_READ:
		return do_read(self, &call.read);
	case PERFCTR_IOC_UNLINK:
		return do_unlink(self);
	case PERFCTR_IOC_IRESUME:
		return self->owner == current ? -EINVAL : -ESRCH;	/* nothing is interrupted */
	}
	return -ENOTTY;
}

static int vperfctr_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct vperfctr *self = file->private_data;

	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	perfctr_compat_vm_flags(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
				VM_MAYWRITE | VM_MAYEXEC);
	return vm_insert_page(vma, vma->vm_start, virt_to_page(self->state));
}

static int vperfctr_release(struct inode *inode, struct file *file)
{
	struct vperfctr *self = file->private_data;

	kref_put(&self->refs, free_vperfctr);
	return 0;
}

static const struct file_operations vperfctr_fops = {
	.owner = THIS_MODULE,
	.release = vperfctr_release,
	.unlocked_ioctl = vperfctr_ioctl,
	.compat_ioctl = vperfctr_ioctl,
	.mmap = vperfctr_mmap,
	.llseek = noop_llseek,
};

/* ---- creation ---- */

static struct vperfctr *create(void)
{
	struct vperfctr *self = kzalloc(sizeof(*self), GFP_KERNEL);

	if (!self)
		return NULL;
	self->state = (struct perfctr_cpu_state *)get_zeroed_page(GFP_KERNEL);
	if (!self->state) {
		kfree(self);
		return NULL;
	}
	__module_get(THIS_MODULE);
	kref_init(&self->refs);
	spin_lock_init(&self->lock);
	self->program.async = -1;
	preempt_notifier_init(&self->notifier, &preempt_ops);
	return self;
}

/* Make it the calling thread's, whose reference it gets. */
static void link_current(struct vperfctr *self)
{
	kref_get(&self->refs);
	self->owner = current;
	preempt_disable();
	preempt_notifier_register(&self->notifier);
	preempt_enable();
}

int vperfctr_open_fd(pid_t tid, bool creat, bool cloexec)
{
	struct vperfctr *self = current_vperfctr();
	int fd;

	if (tid && tid != task_pid_vnr(current))
		return -ESRCH;
	if (creat && self)
		return -EEXIST;
	if (!creat && !self)
		return -ENODEV;
	if (creat) {
		self = create();
		if (!self)
			return -ENOMEM;
		link_current(self);
	} else {
		kref_get(&self->refs);
	}
	/* From here on another thread may use the descriptor, and close it. */
	fd = anon_inode_getfd("[vperfctr]", &vperfctr_fops, self, O_RDWR | (cloexec ? O_CLOEXEC : 0));
	if (fd < 0) {
		if (creat)
			do_unlink(self);
		kref_put(&self->refs, free_vperfctr);
	}
	return fd;
}

/* ---- exit ---- */

static struct tracepoint *exit_tracepoint, *exec_tracepoint;
static struct workqueue_struct *reaper;	/* of objects whose threads have ended */

/* The last reference may have to wait for other CPUs; a probe must not. */
struct garbage {
	struct work_struct work;
	struct vperfctr *self;
};

static void destroy(struct work_struct *work)
{
	struct garbage *garbage = container_of(work, struct garbage, work);

	kref_put(&garbage->self->refs, free_vperfctr);
	kfree(garbage);
	module_put(THIS_MODULE);
}

static void unlink_from_probe(struct vperfctr *self)
{
	struct garbage *garbage;

	unlink_current(self);
	garbage = kmalloc(sizeof(*garbage), GFP_ATOMIC);
	if (WARN_ON_ONCE(!garbage))
		return;		/* leaks one page rather than crash */
	__module_get(THIS_MODULE);
	garbage->self = self;
	INIT_WORK(&garbage->work, destroy);
	queue_work(reaper, &garbage->work);
}

static void thread_exits(void *unused, struct task_struct *task)
{
	struct vperfctr *self = task == current ? current_vperfctr() : NULL;

	if (self)
		unlink_from_probe(self);
}

/* A program with more rights than its caller is not the caller's to watch. */
static void thread_executes(void *unused, struct task_struct *task, pid_t old_pid,
			    struct linux_binprm *bprm)
{
	struct vperfctr *self = task == current ? current_vperfctr() : NULL;

	if (self && (bprm->secureexec || self->control.flags & VPERFCTR_CONTROL_CLOEXEC))
		unlink_from_probe(self);
}

static void note_tracepoint(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_process_exit"))
		exit_tracepoint = tp;
	if (!strcmp(tp->name, "sched_process_exec"))
		exec_tracepoint = tp;
}

/* ---- CPUs that go and come ---- */

static int cpu_comes(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	hw_cpu_online();
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
static struct syscore_ops syscore_ops = { .resume = hw_cpu_online };
static enum cpuhp_state hotplug;

int vperfctr_init(void)
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

void vperfctr_exit(void)
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
}
