// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The processors' counters around the driver's sources, and its files that are not explored: what
 * driver/hw.h, cpu.h, quota.h and rights.h declare. It looks that counters run only where they may.
 */
#include "driver/cpu.h"
#include "driver/quota.h"
#include "driver/rights.h"
#include "driver/state.h"
#include "driver/thread.h"
#include "tests/explore/hardware.h"
#include "tests/explore/world.h"

static void must(bool so, const char *what)
{
	if (!so)
		fiber_fail(what);
}

struct perfctr_cpu hw_cpu;
const struct cpumask *hw_forbidden;
DEFINE_PER_CPU(struct hwcpu_sampler, hwcpu_samplers);

/* Each processor's registers. */
static struct registers {
	const struct perfctr_cpu_state *runs;
	const struct mm_struct *left; /* whose counts are still in them */
	uint64_t overflowed;
	uint32_t count, start; /* a counter; when the period began */
	bool counting;
} registers[CPUS];
static uint64_t shares;

static struct registers *here(void)
{
	must(current->model.irqs_off, "registers are written with interrupts on");
	return &registers[smp_processor_id()];
}

/* The locks of the links whose counters start or stop. */
static void must_be_locked(unsigned int links)
{
	const struct kernel_task *me = &current->model;
	unsigned int i, n = 0;

	for (i = 0; i < me->held; i++)
		n += strstr(me->lock[i]->class, "t->lock") != NULL;
	must(n >= links, "counters are started or stopped without their link's lock");
}

/* Ends a period of those that run here. */
static void add(struct registers *r, struct perfctr_cpu_state *state)
{
	if (r->counting)
		state->pmc[0].sum += r->count - r->start;
	r->start = r->count;
	state->tsc_sum++;
}

unsigned int hw_suspend(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	struct registers *r = here();
	bool overflowed;

	must_be_locked(1);
	must(r->runs == state, "counters are stopped that don't run here");
	add(r, state);
	STEP
	{
		r->runs = NULL;
		overflowed = r->overflowed && program->nrctrs > program->nractrs;
		r->overflowed = 0;
	}
	return overflowed;
}

void hw_resume(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	struct registers *r = here();

	must_be_locked(1);
	must(!r->runs, "counters are started where others run");
	must(!program->nrctrs || READ_ONCE(shares) > 0, "counters run that are not reserved");
	r->counting = program->nrctrs != 0;
	r->start = r->count;
	r->runs = state;
	if (r->counting)
		r->left = current->mm;
	state->tsc_start++;
}

void hw_sample(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	(void)program;
	must(here()->runs == state, "counters are sampled that don't run here");
	add(here(), state);
}

void hw_leave(void)
{
	struct registers *r = here();

	must(!r->runs, "registers are hidden that count");
	r->left = NULL;
}

bool hw_hand_over(struct perfctr_cpu_state *from, const struct perfctr_program *program,
		  struct perfctr_cpu_state *to, struct perfctr_program *next,
		  const struct mm_struct *mm)
{
	struct registers *r = here();

	(void)mm;
	must_be_locked(2);
	must(r->runs == from, "counters are handed over that don't run here");
	if (program->id != next->id)
		return false;
	add(r, from);
	r->runs = to;
	return true;
}

int perfctr_x86_compile(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
			struct perfctr_program *program, struct perfctr_diagnosis *diagnosis)
{
	const struct perfctr_cpu_control *c = control;

	(void)cpu;
	(void)flags;
	memset(program, 0, sizeof(*program));
	program->async = -1;
	program->nractrs = c->nractrs;
	program->nrctrs = c->nractrs + c->nrictrs;
	program->stops = c->nrictrs != 0;
	program->nr_writes = 1;
	program->write[0].value = c->evntsel[0];
	program->counter[0].map = c->pmc_map[0];
	program->one_core = c->evntsel[0] == HARDWARE_ONE_CORE;
	program->core_shared = c->evntsel[0] == HARDWARE_CORE_SHARED;
	diagnosis->forbidden = c->evntsel[0] == HARDWARE_FORBIDDEN;
	return c->evntsel[0] == HARDWARE_FORBIDDEN || c->evntsel[0] == HARDWARE_INVALID ? -1 : 0;
}

/* ---- reading in user mode ---- */

void hw_allow_reads(struct mm_struct *mm)
{
	STEP mm->allowed++;
}

void hw_forbid_reads(struct mm_struct *mm)
{
	STEP
	{
		must(mm->allowed > 0, "a memory is forbidden to read more often than allowed");
		mm->allowed--;
	}
}

void hw_forbid_inherited_reads(struct mm_struct *mm)
{
	mm->allowed = 0;
}

PLAIN bool hw_reads_are_stale(struct mm_struct *mm)
{
	(void)mm;
	return world_reads.stale >> smp_processor_id() & 1;
}

bool hw_user_reads(void)
{
	return current->mm && READ_ONCE(current->mm->allowed);
}

/* ---- cpu.h ---- */

void hwcpu_look(struct hwcpu_sampler *s)
{
	s->armed = true;
}

bool hwcpu_runs(const struct vperfctr *owner)
{
	return this_cpu_ptr(&hwcpu_samplers)->owner == owner;
}

bool hwcpu_names(const struct vperfctr *owner)
{
	unsigned int cpu;

	for (cpu = 0; cpu < CPUS; cpu++)
		if (READ_ONCE(hwcpu_samplers[cpu].owner) == owner)
			return true;
	return false;
}

static DEFINE_MUTEX(reservation);

int hwcpu_reserve(bool *share)
{
	if (world_faults.reserve)
		return world_faults.reserve;
	mutex_lock(&reservation);
	if (!*share)
		shares++;
	*share = true;
	mutex_unlock(&reservation);
	return 0;
}

void hwcpu_release(bool *share)
{
	mutex_lock(&reservation);
	if (*share) {
		must(shares > 0, "a reservation is given back twice");
		shares--;
	}
	*share = false;
	mutex_unlock(&reservation);
}

void overflow_there(unsigned int cpu)
{
	if (registers[cpu].runs && registers[cpu].counting)
		registers[cpu].overflowed = 1;
}

void interrupt_here(enum interrupt what)
{
	struct vperfctr *owner = this_cpu_ptr(&hwcpu_samplers)->owner;
	struct registers *r = here();
	bool overflowed = r->overflowed; /* otherwise another one, whose interrupt is to come */

	if (owner && what & OVERFLOW) {
		vthread_overflow(owner);
		must(!overflowed || !r->overflowed, "an overflow is not seen to");
	} else if (owner) {
		vperfctr_sample(owner);
	}
}

/* ---- quota.h, rights.h ---- */

static uint64_t taken;

struct quota *quota_take(void)
{
	if (world_faults.quota)
		return ERR_PTR(world_faults.quota);
	STEP taken++;
	return (struct quota *)&taken;
}

void quota_give(struct quota *quota)
{
	must(quota == (struct quota *)&taken, "another quota");
	STEP taken--;
}

void rights_create(struct rights *self)
{
	spin_lock_init(&self->lock);
}

int rights_check(struct rights *self, const struct perfctr_program *program, unsigned int proof)
{
	(void)self;
	(void)program;
	(void)proof;
	return world_faults.rights;
}

/* ---- what driver.c looks at ---- */

/* The driver remembers the last program: it is the same at each beginning. */
static void forget_programs(void)
{
	static struct vperfctr someone;
	static struct perfctr_cpu_state state;
	const struct vperfctr_control nothing = { 0 };
	const struct perfctr_program program = { .async = -1, .stops = 1 };

	someone.state = &state;
	vperfctr_install(&someone, &nothing, &program);
}

void hardware_begin(void)
{
	forget_programs();
	memset(registers, 0, sizeof(registers));
	memset(hwcpu_samplers, 0, sizeof(hwcpu_samplers));
	must(!shares && !taken, "the hardware is still reserved, or a quota taken");
}

PLAIN bool hardware_is_reserved(void)
{
	return shares != 0;
}

PLAIN const struct vperfctr *hardware_owner(unsigned int cpu)
{
	return hwcpu_samplers[cpu].owner;
}

PLAIN const struct mm_struct *hardware_left(unsigned int cpu)
{
	return registers[cpu].left;
}

PLAIN bool hardware_counts(unsigned int cpu)
{
	return registers[cpu].runs != NULL;
}

PLAIN void hardware_step(unsigned int cpu)
{
	registers[cpu].count++;
}
