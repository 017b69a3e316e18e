// SPDX-License-Identifier: GPL-2.0-only
/* A set of counters: its life, how it runs, its sums. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "driver/compat/compat.h"
#include "driver/debug.h"
#include "driver/quota.h"
#include "driver/state.h"
#include "arch/install.h" /* needs the former's structures */

/* ---- life ---- */

static atomic_t number_of_states;
module_param_named(states, number_of_states.counter, int, 0400);
MODULE_PARM_DESC(states, "how many sets of counters there are now; read only");

static struct vperfctr *allocate(void)
{
	struct vperfctr *self = kzalloc(sizeof(*self), GFP_KERNEL_ACCOUNT);

	if (!self)
		return NULL;
	self->state = (struct perfctr_cpu_state *)get_zeroed_page(GFP_KERNEL |
								  PERFCTR_COMPAT_ACCOUNT_MAPPED);
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
	atomic_inc(&number_of_states);
	self->quota = quota;
	kref_init(&self->refs);
	mutex_init(&self->access.lock);
	rights_create(&self->rights);
	self->program.async = -1;
	self->active = &self->program;
	return self;
}

static void free_vperfctr(struct kref *refs)
{
	struct vperfctr *self = container_of(refs, struct vperfctr, refs);

	irq_work_sync(&self->notify);
	debug_warn(hwcpu_names(self));
	vperfctr_release(self);
	free_page((unsigned long)self->state);
	quota_give(self->quota);
	kfree(self);
	atomic_dec(&number_of_states);
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

int vperfctr_reserve(struct vperfctr *self, const struct perfctr_program *program,
		     struct mm_struct *mm)
{
	bool had = self->reserved;
	int err = hwcpu_reserve(&self->reserved);

	if (err)
		return err;
	if (HW_SHARES)
		err = hw_take(&self->taken, program);
	if (!err)
		access_step(&self->access, READS_RESERVED, mm);
	else if (!had)
		hwcpu_release(&self->reserved);
	return err;
}

void vperfctr_keep(struct vperfctr *self, const struct perfctr_program *program)
{
	if (HW_SHARES)
		hw_keep(&self->taken, program);
}

void vperfctr_release(struct vperfctr *self)
{
	access_step(&self->access, READS_RELEASED, NULL);
	vperfctr_keep(self, NULL);
	hwcpu_release(&self->reserved);
}

/* ---- the page ---- */

bool vperfctr_prepare_page(const struct vperfctr *self, struct perfctr_cpu_state **fresh)
{
	if (page_count(virt_to_page(self->state)) == 1)
		return true;
	*fresh = (struct perfctr_cpu_state *)get_zeroed_page(GFP_ATOMIC |
							     PERFCTR_COMPAT_ACCOUNT_MAPPED);
	return *fresh;
}

struct perfctr_cpu_state *vperfctr_turn_page(struct vperfctr *self, struct perfctr_cpu_state *fresh)
{
	struct perfctr_cpu_state *old = self->state;

	if (!fresh)
		return NULL;
	*fresh = *old;
	old->cstatus = 0;
	self->state = fresh;
	return old;
}

/* ---- running and not ---- */

/* The program that runs after an overflow: nothing, or the TSC. */
static struct perfctr_program tsc_alone = { .async = -1, .tsc = 1 };

/* The counters stand until they are resumed; the TSC goes on. */
void vperfctr_interrupt(struct vperfctr *self, unsigned int overflowed)
{
	self->signo = self->control.si_signo;
	self->interrupted = self->cstatus;
	self->cstatus = perfctr_mk_cstatus(perfctr_cstatus_has_tsc(self->interrupted), 0, 0);
	self->active = &tsc_alone;
	atomic_or(overflowed, &self->overflowed);
	irq_work_queue(&self->notify);
}

void vperfctr_forbid(struct vperfctr *self)
{
	vperfctr_clear(self);
	atomic_set(&self->trespassed, 1);
	irq_work_queue(&self->notify);
}

int vperfctr_resume(struct vperfctr *self)
{
	if (!self->interrupted)
		return -EINVAL;
	self->cstatus = self->interrupted;
	self->interrupted = 0;
	self->active = &self->program;
	return 0;
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

static bool is_same(const struct perfctr_program *a, const struct perfctr_program *b)
{
	return a->nr_writes == b->nr_writes && a->nractrs == b->nractrs &&
	       !memcmp(a->write, b->write, a->nr_writes * sizeof(a->write[0])) &&
	       !memcmp(a->counter, b->counter, a->nractrs * sizeof(a->counter[0]));
}

/*
 * Threads that count the same, as those of a process do, have one number: where one follows the
 * other there is nothing to write, nor to compare. Suspended counters are told apart by it.
 */
static u64 number_of(const struct perfctr_program *program)
{
	static DEFINE_RAW_SPINLOCK(lock);
	static struct perfctr_program last;
	static u64 numbers;
	unsigned long flags;
	u64 number;

	raw_spin_lock_irqsave(&lock, flags);
	if (!numbers || program->stops || !is_same(program, &last)) {
		last = *program;
		last.id = ++numbers;
	}
	number = last.id;
	raw_spin_unlock_irqrestore(&lock, flags);
	return number;
}

void vperfctr_install(struct vperfctr *self, const struct vperfctr_control *control,
		      const struct perfctr_program *program)
{
	self->control = *control;
	self->program = *program;
	self->active = &self->program;
	self->interrupted = 0;
	/* A control without counters stops: the sums stay as they are. */
	if (control->cpu_control.tsc_on || program->nrctrs)
		set_sums(self, control);
	perfctr_cpu_update_control(self->state, &self->program, control->cpu_control.tsc_on,
				   number_of(&self->program));
	self->cstatus = self->state->cstatus;
}

void vperfctr_sample(struct vperfctr *self)
{
	hw_sample(self->state, self->active);
}

void vperfctr_wake(struct vperfctr *self)
{
	hw_resume(self->state, self->active);
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
