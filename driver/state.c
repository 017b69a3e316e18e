// SPDX-License-Identifier: GPL-2.0-only
/* A set of counters: its life, how it runs, its sums. */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include "driver/cpu.h"
#include "driver/state.h"

/* ---- life ---- */

struct vperfctr *vperfctr_create(void)
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
	return self;
}

static void free_vperfctr(struct kref *refs)
{
	struct vperfctr *self = container_of(refs, struct vperfctr, refs);

	irq_work_sync(&self->notify);
	hwcpu_release(&self->reserved);
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
	hwcpu_release(&self->reserved);
	vperfctr_put(self);
}

/* ---- running and not ---- */

/* What runs after an overflow: nothing, or the TSC. */
static struct perfctr_program tsc_alone = { .async = -1 };

/* The counters stand until they are resumed; the TSC goes on. */
static void interrupt(struct vperfctr *self, unsigned int overflown)
{
	self->signo = self->control.si_signo;
	self->interrupted = self->state->cstatus;
	self->state->cstatus = perfctr_mk_cstatus(perfctr_cstatus_has_tsc(self->interrupted), 0, 0);
	self->active = &tsc_alone;
	atomic_or(overflown, &self->overflown);
	irq_work_queue(&self->notify);
}

/* An overflow may come between a reader's look at cstatus and its RDPMC, which must not fault. */
static bool may_read(const struct vperfctr *self)
{
	return perfctr_cstatus_nrctrs(self->state->cstatus | self->interrupted);
}

void vperfctr_start(struct vperfctr *self)
{
	if (may_read(self)) {
		if (unlikely(hw_forbidden && cpumask_test_cpu(smp_processor_id(), hw_forbidden))) {
			vperfctr_clear(self);
			atomic_set(&self->trespassed, 1);
			irq_work_queue(&self->notify);
			return;
		}
		hw_user_rdpmc(&self->program);
	}
	if (perfctr_cstatus_enabled(self->state->cstatus))
		hwcpu_start(self, self->state, self->active);
}

void vperfctr_stop(struct vperfctr *self)
{
	unsigned int overflown;

	if (may_read(self))
		hw_user_rdpmc(NULL);
	if (!perfctr_cstatus_enabled(self->state->cstatus))
		return;
	overflown = hwcpu_stop(self->state, self->active);
	if (unlikely(overflown))
		interrupt(self, overflown);
}

void vperfctr_resume(struct vperfctr *self)
{
	self->state->cstatus = self->interrupted;
	self->interrupted = 0;
	self->active = &self->program;
}

void vperfctr_clear(struct vperfctr *self)
{
	self->state->cstatus = 0;
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
