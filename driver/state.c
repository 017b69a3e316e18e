// SPDX-License-Identifier: GPL-2.0-only
/* A set of counters: its life, how it runs, its sums. */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include "driver/compat/compat.h"
#include "driver/cpu.h"
#include "driver/quota.h"
#include "driver/state.h"

/* ---- life ---- */

static struct vperfctr *allocate(void)
{
	struct vperfctr *self = kzalloc(sizeof(*self), GFP_KERNEL_ACCOUNT);

	if (!self)
		return NULL;
	self->state = (struct perfctr_cpu_state *)get_zeroed_page(PERFCTR_COMPAT_GFP_MAPPED);
	if (self->state)
		return self;
	kfree(self);
	return NULL;
}

struct vperfctr *vperfctr_create(void)
{
	struct quota *quota = quota_take();
	struct vperfctr *self;

	if (IS_ERR(quota))
		return ERR_CAST(quota);
	self = allocate();
	if (!self) {
		quota_give(quota);
		return ERR_PTR(-ENOMEM);
	}
	__module_get(THIS_MODULE);
	self->quota = quota;
	kref_init(&self->refs);
	spin_lock_init(&self->lock);
	access_create(&self->access);
	self->program.async = -1;
	self->active = &self->program;
	return self;
}

static void free_vperfctr(struct kref *refs)
{
	struct vperfctr *self = container_of(refs, struct vperfctr, refs);

	irq_work_sync(&self->notify);
	vperfctr_release(self);
	free_page((unsigned long)self->state);
	quota_give(self->quota);
	kfree(self);
	module_put(THIS_MODULE);
}

void vperfctr_put(struct vperfctr *self)
{
	kref_put(&self->refs, free_vperfctr);
}

void vperfctr_put_unlinked(struct vperfctr *self)
{
	vperfctr_release(self);
	vperfctr_put(self);
}

int vperfctr_reserve(struct vperfctr *self)
{
	int err = hwcpu_reserve(&self->reserved);

	if (!err)
		access_change(&self->access, true);
	return err;
}

void vperfctr_release(struct vperfctr *self)
{
	access_change(&self->access, false);
	hwcpu_release(&self->reserved);
}

/* ---- running and not ---- */

/* What runs after an overflow: nothing, or the TSC. */
static struct perfctr_program tsc_alone = { .async = -1, .tsc = 1 };

/* The counters stand until they are resumed; the TSC goes on. */
static void interrupt(struct vperfctr *self, unsigned int overflown)
{
	self->signo = self->control.si_signo;
	self->interrupted = self->cstatus;
	self->cstatus = perfctr_mk_cstatus(perfctr_cstatus_has_tsc(self->interrupted), 0, 0);
	self->active = &tsc_alone;
	atomic_or(overflown, &self->overflown);
	irq_work_queue(&self->notify);
}

/* Also after an overflow, which may have come between a reader's look at cstatus and its RDPMC. */
static bool has_counters(const struct vperfctr *self)
{
	return perfctr_cstatus_nrctrs(self->cstatus | self->interrupted);
}

/*
 * Readers of all versions ask the kernel if the page says that the TSC does not count. So it says
 * as long as RDPMC could fault.
 */
static void show_cstatus(struct vperfctr *self)
{
	unsigned int cstatus = self->cstatus;

	if (has_counters(self) && !(READ_ONCE(self->access.works) && hw_user_reads()))
		cstatus &= ~perfctr_mk_cstatus(1, 0, 0);
	self->state->cstatus = cstatus;
}

void vperfctr_start(struct vperfctr *self)
{
	if (unlikely(has_counters(self) && hw_forbidden &&
		     cpumask_test_cpu(smp_processor_id(), hw_forbidden))) {
		vperfctr_clear(self);
		atomic_set(&self->trespassed, 1);
		irq_work_queue(&self->notify);
		return;
	}
	show_cstatus(self);
	if (perfctr_cstatus_enabled(self->cstatus))
		hwcpu_start(self, self->state, self->active);
}

void vperfctr_stop(struct vperfctr *self)
{
	unsigned int overflown;

	if (!perfctr_cstatus_enabled(self->cstatus))
		return;
	overflown = hwcpu_stop(self->state, self->active);
	if (unlikely(overflown))
		interrupt(self, overflown);
}

void vperfctr_resume(struct vperfctr *self)
{
	self->cstatus = self->interrupted;
	self->interrupted = 0;
	self->active = &self->program;
}

void vperfctr_clear(struct vperfctr *self)
{
	self->state->cstatus = self->cstatus = 0;
	self->interrupted = 0;
}

/* ---- control and sums ---- */

static void set_sums(struct vperfctr *self, const struct vperfctr_control *control)
{
	unsigned int i;

	if (!control->cpu_control.tsc_on)
		self->state->tsc_sum = 0;
	for (i = 0; i < PERFCTR_NR_CTRS; i++)
		if (i >= 32 || !(control->preserve >> i & 1))
			self->state->pmc[i].sum = 0;
}

void vperfctr_install(struct vperfctr *self, const struct vperfctr_control *control,
		      const struct perfctr_program *program)
{
	self->control = *control;
	self->program = *program;
	self->active = &self->program;
	self->interrupted = 0;
	/* A control that counts nothing stops: the sums are what was counted. */
	if (control->cpu_control.tsc_on || program->nrctrs)
		set_sums(self, control);
	hw_update_control(self->state, &self->program, control->cpu_control.tsc_on);
	self->cstatus = self->state->cstatus;
}

void vperfctr_read(const struct vperfctr *self, struct vperfctr_reading *reading)
{
	const struct perfctr_cpu_state *state = self->state;
	unsigned int i;

	reading->sum.tsc = state->tsc_sum;
	for (i = 0; i < PERFCTR_NR_CTRS; i++)
		reading->sum.pmc[i] = state->pmc[i].sum;
	reading->control = self->control;
}
