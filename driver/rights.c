// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decides which threads may count what. The administrator's policy for perf_events is this
 * driver's, too: the sysctl perf_event_paranoid, security modules, seccomp filters. A module can't
 * ask any of them. But a caller that shows an event that perf_events let it open has been checked
 * by all of them.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <linux/init_task.h>
#include <linux/rcupdate.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
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

/* Whether the event counts a whole CPU, the kernel included: no right is larger. */
static bool sees_everything(const struct perf_event *event)
{
	return !(event->attach_state & PERF_ATTACH_TASK) && !event->attr.exclude_kernel;
}

/*
 * Opens an event of this CPU that counts nothing, or fails. Another one would be interrupted. The
 * thread may be moved, and the CPU go offline meanwhile.
 */
static struct perf_event *open_on_cpu(void)
{
	struct perf_event *event = ERR_PTR(-ENODEV);
	unsigned int tries;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};

	for (tries = 0; tries < 10 && event == ERR_PTR(-ENODEV); tries++)
		event = perf_event_create_kernel_counter(&attr, (int)raw_smp_processor_id(), NULL,
							 NULL, NULL);
	return event;
}

/* That is asked when the proof is shown: of a CPU's events the kernel asks it here, too. */
static bool may_see_everything(void)
{
	struct perf_event *event = open_on_cpu();

	if (IS_ERR(event))
		return false;
	perf_event_release_kernel(event);
	return true;
}

/* ---- no proof is for ever ---- */

#define PATIENCE HZ

void rights_create(struct rights *self)
{
	spin_lock_init(&self->lock);
	self->youngest = U64_MAX;
}

/*
 * Opens an event, and returns its number: numbers increase. The event is the kernel's and on a CPU,
 * so that the caller needs no right for it and its thread switches cost no more.
 */
static u64 newest_event(void)
{
	const struct cred *callers = override_creds(rcu_dereference_raw(init_task.cred));
	struct perf_event *event = open_on_cpu();
	u64 number;

	revert_creds(callers);
	if (IS_ERR(event))
		return U64_MAX;
	number = event->id;
	perf_event_release_kernel(event);
	return number;
}

/* Refuses, and expects a proof from now on. */
static int refuse(struct rights *self)
{
	u64 newest = newest_event();

	spin_lock(&self->lock);
	self->youngest = newest;
	self->until = jiffies + PATIENCE;
	spin_unlock(&self->lock);
	return -EACCES;
}

/* It answers the last refusal, and no other. */
static bool is_fresh(struct rights *self, const struct perf_event *event)
{
	bool fresh;

	spin_lock(&self->lock);
	fresh = event->id > self->youngest && time_before_eq(jiffies, self->until);
	self->youngest = U64_MAX;
	spin_unlock(&self->lock);
	return fresh;
}

static int check_proof(struct rights *self, const struct perfctr_program *program,
		       const struct perf_event *event)
{
	if (!event)
		return -EBADF;
	if (!was_opened_here(event))
		return -EACCES;
	if (program->privileged && !(sees_everything(event) && may_see_everything()))
		return -EPERM;
	return is_fresh(self, event) ? 0 : -EACCES;
}

int rights_check(struct rights *self, const struct perfctr_program *program, unsigned int proof)
{
	struct file *file;
	int err;

	if (perfmon_capable())
		return 0;
	if (!proof)
		return refuse(self);
	file = fget(proof - 1);
	err = check_proof(self, program, file ? event_of(file) : NULL);
	if (file)
		fput(file);
	return err == -EACCES ? refuse(self) : err;
}
