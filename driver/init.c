// SPDX-License-Identifier: GPL-2.0-only
/* The module: /dev/perfctr and its two calls, and /proc/perfctr. */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>
#include <perfctr/calls.h>
#include "arch/words.h"
#include "driver/access.h"
#include "driver/calls.h"
#include "driver/cpu.h"
#include "driver/hw.h"
#include "driver/thread.h"

static long do_info(const struct perfctr_call_info *call)
{
	struct perfctr_info info = {
		.abi_version = PERFCTR_ABI_VERSION,
		.driver_version = PERFCTR_VERSION,
		.cpu_type = hw_cpu.type,
		.cpu_features = (hw_cpu.no_tsc ? 0 : PERFCTR_FEATURE_RDTSC) |
				(hw_cpu.counters && !hw_cpu.no_rdpmc ? PERFCTR_FEATURE_RDPMC : 0) |
				(hw_cpu.pcint ? PERFCTR_FEATURE_PCINT : 0),
	};

	if (call->_reserved)
		return -EINVAL;
	if (!IS_ENABLED(CONFIG_ARM64))
		hw_clock(&info);
	return calls_copy_out(call->info, call->info_size, &info, sizeof(info));
}

static long do_open(const struct perfctr_call_open *call)
{
	if (!perfctr_abi_is_ours(call->abi_version))
		return -EPROTO;
	if (call->flags || call->creat > 1 || call->tid < 0)
		return -EINVAL;
	return calls_open(call->tid, call->creat);
}

static long device_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	union {
		struct perfctr_call_info info;
		struct perfctr_call_open open;
	} call;

	if (request != PERFCTR_IOC_INFO && request != PERFCTR_IOC_OPEN)
		return -ENOTTY;
	if (copy_from_user(&call, (const void __user *)argument, sizeof(call)))
		return -EFAULT;
	return request == PERFCTR_IOC_INFO ? do_info(&call.info) : do_open(&call.open);
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = device_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "perfctr",
	.fops = &device_fops,
	.mode = 0600,
};

static const struct hwcpu_calls of_owner = {
	.sample = vperfctr_sample,
	.resume = vperfctr_wake,
	.overflow = vthread_overflow,
};

static int __init perfctr_init(void)
{
	int err;

	hw_init();
	err = access_init();
	if (err)
		goto no_access;
	err = hwcpu_init(&of_owner);
	if (err)
		goto no_cpus;
	err = vthread_init();
	if (err)
		goto no_threads;
	if (!proc_create_single("perfctr", 0400, NULL, vthread_show_holders)) {
		err = -ENOMEM;
		goto no_proc;
	}
	err = misc_register(&device);
	if (err)
		goto no_device;
	return 0;
no_device:
	remove_proc_entry("perfctr", NULL);
no_proc:
	vthread_exit();
no_threads:
	hwcpu_exit();
no_cpus:
	access_exit();
no_access:
	hw_exit();
	return err;
}

static void __exit perfctr_exit(void)
{
	misc_deregister(&device);
	remove_proc_entry("perfctr", NULL);
	vthread_exit();
	hw_exit();
	hwcpu_exit();
	access_exit();
	/* A task work that gave back the last reference may still be returning from our code. */
	synchronize_rcu_tasks();
}

module_init(perfctr_init);
module_exit(perfctr_exit);
MODULE_LICENSE("GPL v2");
MODULE_DESCRIPTION("Per-thread hardware performance counters");
MODULE_VERSION(PERFCTR_VERSION);
