// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may count what. The administrator's policy for perf_events is this driver's, too: the sysctl
 * perf_event_paranoid, security modules, seccomp filters. A module can't ask any of them. But who
 * shows an event that perf_events let him open has asked them all.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include "driver/rights.h"

/* Only the kernel makes anonymous inodes, and gives their files names. */
static const struct perf_event *event_of(const struct file *file)
{
	const struct dentry *dentry = file->f_path.dentry;

	return dentry->d_sb->s_magic == ANON_INODE_FS_MAGIC &&
			       !strcmp(dentry->d_name.name, "[perf_event]")
		       ? file->private_data
		       : NULL;
}

/* Descriptors can be given away, and be inherited. */
static bool was_opened_here(const struct perf_event *event)
{
	struct task_struct *owner;
	bool here;

	rcu_read_lock();
	owner = READ_ONCE(event->owner);
	here = owner && !IS_ERR(owner) && same_thread_group(owner, current);
	rcu_read_unlock();
	return here;
}

/* A whole CPU's events, the kernel's among them: nobody may have more. */
static bool sees_everything(const struct perf_event *event)
{
	return !(event->attach_state & PERF_ATTACH_TASK) && !event->attr.exclude_kernel;
}

static int check_proof(const struct perfctr_program *program, const struct perf_event *event)
{
	if (!event)
		return -EBADF;
	if (!was_opened_here(event))
		return -EACCES;
	return program->privileged && !sees_everything(event) ? -EPERM : 0;
}

int rights_check(const struct perfctr_program *program, unsigned int proof)
{
	struct file *file;
	int err;

	if (perfmon_capable())
		return 0;
	if (!proof)
		return -EACCES;
	file = fget(proof - 1);
	err = check_proof(program, file ? event_of(file) : NULL);
	if (file)
		fput(file);
	return err;
}
