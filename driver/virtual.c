// SPDX-License-Identifier: GPL-2.0-only
/* Sets of counters: their calls, descriptors, mappings, and signals. */
#define pr_fmt(fmt) "perfctr: " fmt
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/uaccess.h>
#include "driver/compat/compat.h"
#include <perfctr/calls.h>
#include "driver/virtual.h"

static int paranoid = 2;
module_param(paranoid, int, 0644);
MODULE_PARM_DESC(paranoid, "who may count the kernel: above 1, those with CAP_PERFMON; 1 or less, everybody");

/* ---- one reservation for all ---- */

static DEFINE_MUTEX(reservation);
static unsigned int reservations;

static int reserve(struct vperfctr *self)
{
	int err = 0;

	mutex_lock(&reservation);
	if (!self->reserved) {
		if (!reservations)
			err = vthread_take_hardware();
		if (!err) {
			reservations++;
			self->reserved = true;
		}
	}
	mutex_unlock(&reservation);
	return err;
}

static void release(struct vperfctr *self)
{
	mutex_lock(&reservation);
	if (self->reserved && --reservations == 0)
		vthread_leave_hardware();
	self->reserved = false;
	mutex_unlock(&reservation);
}

/* ---- life ---- */

static void free_vperfctr(struct kref *refs)
{
	struct vperfctr *self = container_of(refs, struct vperfctr, refs);

	irq_work_sync(&self->notify);
	release(self);
	free_page((unsigned long)self->state);
	kfree(self);
	module_put(THIS_MODULE);
}

void vperfctr_put(struct vperfctr *self)
{
	kref_put(&self->refs, free_vperfctr);
}

void vperfctr_put_unlinked(struct vperfctr *self)
{
	release(self);
	vperfctr_put(self);
}

/* ---- signals ---- */

/* In the thread itself, which takes the place of the sender: the kernel clears what foreigners say. */
static void signal_current(struct callback_head *head)
{
	struct vperfctr *self = container_of(head, struct vperfctr, signal);
	struct kernel_siginfo info;
	unsigned int overflown;

	atomic_set_release(&self->signalling, 0);
	overflown = atomic_xchg(&self->overflown, 0);
	if (overflown) {
		clear_siginfo(&info);
		info.si_signo = READ_ONCE(self->signo);
		info.si_code = SI_PMC_OVF;
		info.si_pid = overflown;	/* users know this word as si_pmc_ovf_mask */
		send_sig_info(info.si_signo, &info, current);
	}
	if (atomic_xchg(&self->trespassed, 0))
		send_sig(SIGILL, current, 1);
	vperfctr_put(self);
}

static void notify(struct irq_work *work)
{
	struct vperfctr *self = container_of(work, struct vperfctr, notify);
	unsigned long flags;

	spin_lock_irqsave(&self->lock, flags);
	if (self->thread && !atomic_xchg(&self->signalling, 1)) {
		kref_get(&self->refs);
		if (task_work_add(self->thread->task, &self->signal, TWA_SIGNAL)) {
			/* It exits. It has not yet let us go: this was not the last reference. */
			atomic_set(&self->signalling, 0);
			vperfctr_put(self);
		}
	}
	spin_unlock_irqrestore(&self->lock, flags);
}

void vperfctr_notify(struct vperfctr *self)
{
	irq_work_queue(&self->notify);
}

/* ---- whose counters? ---- */

/*
 * The thread whose counters the caller may change now, with a reference: itself, or one that is stopped
 * under its ptrace.
 */
static struct task_struct *get_owner(struct vperfctr *self)
{
	struct task_struct *task = NULL;
	int err;

	spin_lock_irq(&self->lock);
	if (self->thread)
		task = get_task_struct(self->thread->task);
	spin_unlock_irq(&self->lock);
	if (!task)
		return ERR_PTR(-ESRCH);
	err = task == current ? 0 : vthread_wait_stopped(task);
	if (!err)
		return task;
	put_task_struct(task);
	return ERR_PTR(err);
}

/* Lock the counters of get_owner()'s thread, unless they are its no more or it was killed. */
static struct vthread *lock_owner(struct vperfctr *self, struct task_struct *task)
{
	struct vthread *t;

	spin_lock_irq(&self->lock);
	t = self->thread;
	if (t && t->task == task) {
		raw_spin_lock(&t->lock);
		if (!t->ended && (task == current || t->cpu < 0))
			return t;
		raw_spin_unlock(&t->lock);
	}
	spin_unlock_irq(&self->lock);
	return NULL;
}

static void unlock_owner(struct vperfctr *self, struct vthread *t)
{
	raw_spin_unlock(&t->lock);
	spin_unlock_irq(&self->lock);
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

static void set_sums(struct vperfctr *self, const struct vperfctr_control *control)
{
	unsigned int i;

	if (!control->cpu_control.tsc_on)
		self->state->tsc_sum = 0;
	for (i = 0; i < PERFCTR_NR_CTRS; i++)
		if (i >= 32 || !(control->preserve >> i & 1))
			self->state->pmc[i].sum = 0;
}

/* Leave the CPUs on which counters must not be used. */
static int avoid_forbidden(struct task_struct *task)
{
	cpumask_var_t allowed;
	int err = -EINVAL;

	if (!zalloc_cpumask_var(&allowed, GFP_KERNEL))
		return -ENOMEM;
	if (cpumask_andnot(allowed, task->cpus_ptr, hw_forbidden))
		err = set_cpus_allowed_ptr(task, allowed);
	free_cpumask_var(allowed);
	return err;
}

/* Everything that can be refused is, before anything is touched. */
static int check_control(struct vperfctr *self, struct task_struct *task,
			 const struct vperfctr_control *control, struct perfctr_program *program)
{
	int err;

	if (control->flags & ~(VPERFCTR_CONTROL_CLOEXEC | VPERFCTR_CONTROL_EXTENDED))
		return -EINVAL;
	err = hw_compile(&control->cpu_control,
			 control->flags & VPERFCTR_CONTROL_EXTENDED ? PERFCTR_COMPILE_EXTENDED : 0,
			 program);
	if (err)
		return err;
	if (program->nrctrs > program->nractrs &&
	    (control->si_signo <= 0 || !valid_signal(control->si_signo)))
		return -EINVAL;
	/* More than the thread's own user mode is for those who may see it. */
	if (program->privileged && READ_ONCE(paranoid) > 1 && !perfmon_capable())
		return -EPERM;
	if (!program->nrctrs)
		return 0;
	err = hw_forbidden ? avoid_forbidden(task) : 0;
	return err ? err : reserve(self);
}

static int install_control(struct vperfctr *self, struct task_struct *task,
			   const struct vperfctr_control *control, const struct perfctr_program *program)
{
	struct vthread *t = lock_owner(self, task);

	if (!t)
		return -ESRCH;
	if (t->cpu >= 0)
		vthread_stop(t);
	self->control = *control;
	self->program = *program;
	self->active = &self->program;
	self->interrupted = 0;
	/* A control that counts nothing stops: the sums are what was counted. */
	if (control->cpu_control.tsc_on || program->nrctrs)
		set_sums(self, control);
	hw_update_control(self->state, &self->program, control->cpu_control.tsc_on);
	if (t->cpu >= 0)
		vthread_start(t);
	unlock_owner(self, t);
	return 0;
}

static int do_control(struct vperfctr *self, const struct perfctr_call_control *call)
{
	struct perfctr_program *program;
	struct vperfctr_control control = { };
	bool counted = READ_ONCE(self->reserved);
	struct task_struct *task;
	int err;

	if (call->_reserved)
		return -EINVAL;
	err = copy_in(&control, sizeof(control), call->control, call->control_size);
	if (err)
		return err;
	program = kmalloc(sizeof(*program), GFP_KERNEL);
	if (!program)
		return -ENOMEM;
	task = get_owner(self);
	err = PTR_ERR_OR_ZERO(task);
	if (!err) {
		err = check_control(self, task, &control, program);
		if (!err) {
			err = install_control(self, task, &control, program);
			/* The thread was killed meanwhile; what it counts ends with it. */
			if (err && !counted)
				release(self);
		}
		put_task_struct(task);
	}
	kfree(program);
	return err;
}

static int do_iresume(struct vperfctr *self)
{
	struct task_struct *task = get_owner(self);
	struct vthread *t;
	int err = -ESRCH;

	if (IS_ERR(task))
		return PTR_ERR(task);
	t = lock_owner(self, task);
	if (t) {
		err = self->interrupted ? 0 : -EINVAL;
		if (!err) {
			if (t->cpu >= 0)
				vthread_stop(t);
			self->state->cstatus = self->interrupted;
			self->interrupted = 0;
			self->active = &self->program;
			if (t->cpu >= 0)
				vthread_start(t);
		}
		unlock_owner(self, t);
	}
	put_task_struct(task);
	return err;
}

static bool is_linked(struct vperfctr *self)
{
	bool linked;

	spin_lock_irq(&self->lock);
	linked = self->thread && !READ_ONCE(self->thread->ended);
	spin_unlock_irq(&self->lock);
	return linked;
}

/* Nothing to do if they are no thread's any more; -ESRCH if they still are, and out of reach. */
static int do_unlink(struct vperfctr *self)
{
	struct task_struct *task = get_owner(self);
	struct vthread *t;

	if (IS_ERR(task))
		return is_linked(self) ? PTR_ERR(task) : 0;
	t = lock_owner(self, task);
	if (t) {
		vthread_unlink(t);
		unlock_owner(self, t);
		if (task == current)
			vthread_unlinked(t);
		vperfctr_put_unlinked(self);
	}
	put_task_struct(task);
	return !t && is_linked(self) ? -ESRCH : 0;
}

/* ---- reading ---- */

struct reading {
	struct vperfctr *self;
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control control;
	bool done;
};

static void copy_sums(struct reading *r)
{
	const struct perfctr_cpu_state *state = r->self->state;
	unsigned int i;

	r->sum.tsc = state->tsc_sum;
	for (i = 0; i < PERFCTR_NR_CTRS; i++)
		r->sum.pmc[i] = state->pmc[i].sum;
	r->control = r->self->control;
	r->done = true;
}

/* On the CPU where the thread runs, if it still does. Interrupts are off. */
static void read_here(void *reading)
{
	struct reading *r = reading;

	if (vthread_sample_here(r->self))
		copy_sums(r);
}

/* Copy the sums if they stand still, and return -1; else return the CPU where their thread runs. */
static int read_standing(struct reading *r)
{
	struct vthread *t;
	int cpu = -1;

	spin_lock_irq(&r->self->lock);
	t = r->self->thread;
	if (t) {
		raw_spin_lock(&t->lock);
		if (!t->ended && perfctr_cstatus_enabled(r->self->state->cstatus))
			cpu = t->cpu;
	}
	if (cpu < 0)
		copy_sums(r);
	if (t)
		raw_spin_unlock(&t->lock);
	spin_unlock_irq(&r->self->lock);
	return cpu;
}

/*
 * A running thread's sums are those of its process to read; others stop it first, under ptrace. Final
 * sums are for everybody who has a descriptor.
 */
static int check_reader(struct vperfctr *self)
{
	struct task_struct *task = NULL;
	int err = 0;

	spin_lock_irq(&self->lock);
	if (self->thread && !READ_ONCE(self->thread->ended))
		task = get_task_struct(self->thread->task);
	spin_unlock_irq(&self->lock);
	if (!task)
		return 0;
	if (!same_thread_group(task, current))
		err = vthread_wait_stopped(task);
	put_task_struct(task);
	return err;
}

static int do_read(struct vperfctr *self, const struct perfctr_call_read *call)
{
	struct reading r = { .self = self };
	int err, cpu;

	err = check_reader(self);
	if (err)
		return err;
	while (!r.done) {
		cpu = read_standing(&r);
		if (cpu >= 0)
			smp_call_function_single(cpu, read_here, &r, 1);
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	if (call->sum)
		err = vperfctr_copy_out(call->sum, call->sum_size, &r.sum, sizeof(r.sum));
	if (!err && call->control)
		err = vperfctr_copy_out(call->control, call->control_size, &r.control,
					sizeof(r.control));
	return err;
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
		return do_iresume(self);
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
	vperfctr_put(file->private_data);
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
	self->active = &self->program;
	init_irq_work(&self->notify, notify);
	init_task_work(&self->signal, signal_current);
	return self;
}

/* A descriptor of a thread's counters. The thread is the caller, or stopped under its ptrace. */
static int open_on(struct task_struct *task, bool creat)
{
	struct vperfctr *self = vthread_counters(task);
	int err, fd;

	if (creat && self) {
		vperfctr_put(self);
		return -EEXIST;
	}
	if (creat) {
		self = create();
		if (!self)
			return -ENOMEM;
		err = vthread_attach(task, self);
		if (err) {
			vperfctr_put(self);
			return err;
		}
	}
	if (!self)
		return -ENODEV;
	/* From here on another thread may use the descriptor, and close it. */
	fd = anon_inode_getfd("[vperfctrfs]", &vperfctr_fops, self, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		if (creat)
			do_unlink(self);
		vperfctr_put(self);
	}
	return fd;
}

int vperfctr_open_fd(pid_t tid, bool creat)
{
	struct task_struct *task;
	int result;

	if (!tid || tid == task_pid_vnr(current))
		return open_on(current, creat);
	rcu_read_lock();
	task = pid_task(find_vpid(tid), PIDTYPE_PID);
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task)
		return -ESRCH;
	result = vthread_wait_stopped(task);
	if (!result)
		result = open_on(task, creat);
	put_task_struct(task);
	return result;
}
