// SPDX-License-Identifier: GPL-2.0-only
/* The calls on a set of counters: its descriptors and their mappings. */
#define pr_fmt(fmt) "perfctr: " fmt
#include <linux/anon_inodes.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/uaccess.h>
#include <perfctr/calls.h>
#include "arch/words.h"
#include "driver/compat/compat.h"
#include "driver/calls.h"
#include "driver/owner.h"
#include "driver/rights.h"
#include "driver/signal.h"
#include "driver/state.h"
#include "driver/thread.h"

/* ---- structures of other sizes ---- */

/* Addresses have 64 bits in every program. A kernel of 32 has nothing above its own. */
static bool is_address(u64 address)
{
	return address == (unsigned long)address;
}

/* Copies a structure from a caller whose version has size bytes; bytes beyond ours must be zero. */
static int copy_in(void *to, size_t ours, u64 from, u32 size)
{
	if (size > PAGE_SIZE)
		return -E2BIG;
	if (!is_address(from))
		return -EFAULT;
	return copy_struct_from_user(to, ours, (const void __user *)(unsigned long)from, size);
}

int calls_copy_out(u64 to, u32 size, const void *from, size_t ours)
{
	void __user *user = (void __user *)(unsigned long)to;
	size_t both = min_t(size_t, size, ours);

	if (size > PAGE_SIZE)
		return -E2BIG;
	if (!is_address(to) || copy_to_user(user, from, both) ||
	    clear_user(user + both, size - both))
		return -EFAULT;
	return 0;
}

/* ---- control ---- */

/*
 * A share in the counters; then the thread leaves the CPUs on which they must not be used. If it
 * can't, the share stays, as after a control that stops: another control may just have used it.
 */
static int take_counters(struct vperfctr *self, struct task_struct *task,
			 const struct perfctr_program *program)
{
	cpumask_var_t allowed;
	int err = -EINVAL;

	if (!hw_forbidden)
		return vperfctr_reserve(self, program, READ_ONCE(task->mm));
	if (!zalloc_cpumask_var(&allowed, GFP_KERNEL))
		return -ENOMEM;
	if (cpumask_andnot(allowed, task->cpus_ptr, hw_forbidden))
		err = vperfctr_reserve(self, program, READ_ONCE(task->mm));
	if (!err)
		err = set_cpus_allowed_ptr(task, allowed);
	free_cpumask_var(allowed);
	return err;
}

/* Compiles a control. The diagnosis is logged in debug builds. */
static int compile(const struct vperfctr_control *control, struct perfctr_program *program)
{
	const bool extended = control->flags & VPERFCTR_CONTROL_EXTENDED;
	struct perfctr_diagnosis d;

	if (hw_compile(&hw_cpu, &control->cpu_control, extended ? PERFCTR_COMPILE_EXTENDED : 0,
		       program, &d) < 0) {
		pr_debug("invalid control: %s[%d] has 0x%08X: %s\n", d.field, d.index, d.bits,
			 d.rule);
		return d.forbidden ? -EPERM : -EINVAL;
	}
	/* No thread gets registers that others can change, or that only one core may use. */
	if (program->one_core ||
	    (program->core_shared && cpumask_weight(topology_sibling_cpumask(0)) > 1))
		return -EOPNOTSUPP;
	return 0;
}

/* Everything that can be refused is, before anything is touched. */
static int check_control(struct vperfctr *self, struct task_struct *task,
			 const struct vperfctr_control *control, unsigned int proof,
			 struct perfctr_program *program)
{
	int err;

	if (!perfctr_control_has_known_flags(control))
		return -EINVAL;
	err = compile(control, program);
	if (err)
		return err;
	if (!perfctr_control_has_signal(control, _NSIG))
		return -EINVAL;
	if (!program->nrctrs)
		return 0;
	err = rights_check(&self->rights, program, proof);
	return err ? err : take_counters(self, task, program);
}

static int install_control(struct vperfctr *self, struct task_struct *task,
			   const struct vperfctr_control *control,
			   const struct perfctr_program *program)
{
	struct vthread *t = vthread_enter(self, task);

	if (!t)
		return -ESRCH;
	vperfctr_install(self, control, program);
	vthread_leave(t);
	return 0;
}

static int do_control(struct vperfctr *self, const struct perfctr_call_control *call)
{
	struct perfctr_program *program;
	struct vperfctr_control control = {};
	struct task_struct *task;
	int err;

	err = copy_in(&control, sizeof(control), call->control, call->control_size);
	if (err)
		return err;
	program = kmalloc(sizeof(*program), GFP_KERNEL);
	if (!program)
		return -ENOMEM;
	task = owner_get(self);
	err = PTR_ERR_OR_ZERO(task);
	if (!err) {
		err = check_control(self, task, &control, call->proof, program);
		if (!err)
			err = install_control(self, task, &control, program);
		if (!err)
			vperfctr_keep(self, program);
		/* The thread has ended, and may have given its counters back before. */
		else if (!vthread_of(self))
			vperfctr_release(self);
		put_task_struct(task);
	}
	kfree(program);
	return err;
}

static int do_iresume(struct vperfctr *self)
{
	struct task_struct *task = owner_get(self);
	struct vthread *t;
	int err = -ESRCH;

	if (IS_ERR(task))
		return PTR_ERR(task);
	t = vthread_enter(self, task);
	if (t) {
		err = vperfctr_resume(self);
		vthread_leave(t);
	}
	put_task_struct(task);
	return err;
}

/* Nothing to do if they are no thread's any more; an error if they still are, and out of reach. */
static int do_unlink(struct vperfctr *self)
{
	struct task_struct *task = owner_get(self);
	int err;

	if (IS_ERR(task))
		return vthread_of(self) ? PTR_ERR(task) : 0;
	err = vthread_detach(self, task) || !vthread_of(self) ? 0 : -ESRCH;
	put_task_struct(task);
	return err;
}

/* ---- descriptors ---- */

static int do_read(struct vperfctr *self, const struct perfctr_call_read *call)
{
	struct vperfctr_reading r = {};
	int err = owner_read(self, &r);

	if (!err && call->sum)
		err = calls_copy_out(call->sum, call->sum_size, &r.sum, sizeof(r.sum));
	if (!err && call->control)
		err = calls_copy_out(call->control, call->control_size, &r.control,
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

	if (_IOC_SIZE(request) && copy_from_user(&call, (const void __user *)argument,
						 min_t(size_t, _IOC_SIZE(request), sizeof(call))))
		return -EFAULT;
	switch (request) {
	case PERFCTR_IOC_CONTROL: return do_control(self, &call.control);
	case PERFCTR_IOC_READ: return do_read(self, &call.read);
	case PERFCTR_IOC_UNLINK: return do_unlink(self);
	case PERFCTR_IOC_IRESUME: return do_iresume(self);
	}
	return -ENOTTY;
}

/* ---- the page ---- */

/*
 * A mapping holds its page, which may no longer be the state's. No other holder can get it, by a
 * pipe for example: the page table has only a number. A mapping in the owner's process permits user
 * mode to read counters; it can be moved or split, but only mmap() makes one.
 */
static void page_is_held(struct vm_area_struct *vma)
{
	struct vperfctr *self = vma->vm_file->private_data;

	get_page(vma->vm_private_data);
	access_step(&self->access, READS_MAPPED_AGAIN, vma->vm_mm);
}

static void page_is_left(struct vm_area_struct *vma)
{
	struct vperfctr *self = vma->vm_file->private_data;

	access_step(&self->access, READS_UNMAPPED, vma->vm_mm);
	put_page(vma->vm_private_data);
}

static const struct vm_operations_struct page_ops = {
	.open = page_is_held,
	.close = page_is_left,
};

/* The state's page, with a reference. */
static struct page *get_state(struct vperfctr *self)
{
	struct page *page;

	vthread_lock(self);
	page = virt_to_page(self->state);
	get_page(page);
	vthread_unlock(self);
	return page;
}

static int vperfctr_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct vperfctr *self = file->private_data;
	struct page *page;
	bool own;
	int err;

	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	err = owner_may_map(self, &own);
	if (err)
		return err;
	/* With VM_IO no madvise() makes a child inherit it. */
	perfctr_compat_vm_flags(vma, VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
				VM_MAYWRITE | VM_MAYEXEC);
	page = get_state(self);
	err = remap_pfn_range(vma, vma->vm_start, page_to_pfn(page), PAGE_SIZE, vma->vm_page_prot);
	if (err) {
		put_page(page);
		return err;
	}
	vma->vm_private_data = page;
	vma->vm_ops = &page_ops;
	access_step(&self->access, own ? READS_MAPPED : READS_MAPPED_AGAIN, vma->vm_mm);
	/* The page's contents decide where the counters start. */
	vthread_leave(vthread_enter(self, current));
	return 0;
}

static int close_descriptor(struct inode *inode, struct file *file)
{
	vperfctr_put(file->private_data);
	return 0;
}

static const struct file_operations vperfctr_fops = {
	.owner = THIS_MODULE,
	.release = close_descriptor,
	.unlocked_ioctl = vperfctr_ioctl,
	.compat_ioctl = vperfctr_ioctl,
	.mmap = vperfctr_mmap,
	.llseek = noop_llseek,
};

/* ---- opening ---- */

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
		self = vperfctr_create();
		if (IS_ERR(self))
			return PTR_ERR(self);
		vsignal_init(self);
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

int calls_open(pid_t tid, bool creat)
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
	result = owner_reach(task);
	if (!result)
		result = open_on(task, creat);
	put_task_struct(task);
	return result;
}
