/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * engine.h - the low-level driver: runs register programs for one thread after the other, as
 * "PERFCTRS LOW-LEVEL DRIVERS API" and the Implementation Notes of its x86 part say.
 *
 * One source for the driver, where the primitives are the instructions themselves, and for the
 * tests, where they are a simulated processor's. That is why it is a header: the includer has
 * seen an ISA's ABI header, with PERFCTR_KERNEL_STATE, and <perfctr/abi.h>; it declares before
 * including it these functions of the processor that it runs on ("static inline"), and defines
 * perfctr_core_cache():
 *
 *	uint32_t perfctr_core_tsc(core)			low half of the clock
 *	uint32_t perfctr_core_rdpmc(core, map)		low half of a counter
 *	uint64_t perfctr_core_read_counter(core, reg)	the same by register number
 *	void perfctr_core_write_counter(core, reg, value)
 *	uint64_t perfctr_core_read_control(core, reg)
 *	void perfctr_core_write_control(core, reg, value)
 *
 * The second is not needed where all programs are by_register, which PERFCTR_NO_RDPMC says, nor the
 * fifth where the processor changes no control register itself: PERFCTR_NO_ASYNC.
 *
 * A-mode counters are only ever read: they run on while other threads run, and a thread's count is
 * the sum of differences. Writes are slow (160 cycles and more on silicon), so the contents of
 * the control registers are remembered per CPU, and nothing is written that is there already.
 * I-mode counters are stopped at suspend, since an overflow must hit its own thread, and loaded at
 * resume.
 *
 * All functions are called with preemption and overflow interrupts disabled. The latter must be
 * interrupts that can be disabled: an NMI in the middle of these functions would find a state that
 * is neither suspended nor running. An interrupt that was raised before the suspend may still
 * arrive, in the next thread: perfctr_cpu_identify_overflow() then finds nothing, and the
 * overflow is found when its own thread is resumed.
 */
#ifndef PERFCTR_ARCH_ENGINE_H
#define PERFCTR_ARCH_ENGINE_H

#include "arch/install.h"

/* The contents of a CPU's registers. All zero after the control registers were cleared. */
struct perfctr_core; /* the includer's: has a member "cache" of this type */
struct perfctr_cache {
	uint64_t id; /* program whose control is in the registers; 0: none */
	int cpu;     /* this CPU's number */
	uint64_t control[PERFCTR_SLOTS];
};

static inline struct perfctr_cache *perfctr_core_cache(struct perfctr_core *core);

static inline uint32_t perfctr_counter_now(struct perfctr_core *core,
					   const struct perfctr_program *program, unsigned int i)
{
#ifndef PERFCTR_NO_RDPMC
	if (!program->by_register)
		return perfctr_core_rdpmc(core, program->counter[i].map);
#endif
	return (uint32_t)perfctr_core_read_counter(core, program->counter[i].reg);
}

/* Has the i-mode counter passed its overflow? Its start value tells, once it is suspended. */
static inline int perfctr_counter_overflown(const struct perfctr_program *program, uint32_t start)
{
	return (start >> 31) == program->negative;
}

/* Has one of a running program's i-mode counters? */
static inline int perfctr_program_overflown(struct perfctr_core *core,
					    const struct perfctr_program *program)
{
	unsigned int i;

	for (i = program->nractrs; i < program->nrctrs; i++)
		if (perfctr_counter_overflown(program, perfctr_counter_now(core, program, i)))
			return 1;
	return 0;
}

/* Bring a counter's sum up to date. */
static inline void perfctr_counter_add(struct perfctr_cpu_state *state, unsigned int i,
				       uint32_t now)
{
	state->pmc[i].sum += (uint32_t)(now - state->pmc[i].start);
	state->pmc[i].start = now;
}

#ifndef PERFCTR_NO_ASYNC
/*
 * The processor changes this control register itself. The new value belongs to the thread, which
 * finds it again: such a program is stopped while it is suspended. (A change in the few cycles
 * between this reading and the stopping is lost; there is no way to do both at once.)
 */
static inline void perfctr_async_suspend(struct perfctr_core *core, struct perfctr_program *program)
{
	struct perfctr_write *write = &program->write[program->async];
	uint64_t changed = perfctr_core_read_control(core, write->reg) ^ write->value;

	write->value ^= changed;
	write->stopped ^= changed & ~(program->async_value ^ program->async_stopped);
	perfctr_core_cache(core)->control[write->slot] = write->value;
}
#endif

static inline void perfctr_cpu_isuspend(struct perfctr_core *core, struct perfctr_cpu_state *state,
					const struct perfctr_program *program)
{
	struct perfctr_cache *cache = perfctr_core_cache(core);
	unsigned int i;

	state->k1.isuspend_cpu = cache->cpu;
	for (i = 0; i < program->nr_writes; i++) {
		const struct perfctr_write *write = &program->write[i];

		if (write->stopped != write->value) {
			perfctr_core_write_control(core, write->reg, write->stopped);
			cache->control[write->slot] = write->stopped;
		}
	}
	for (i = program->nractrs; i < program->nrctrs; i++)
		perfctr_counter_add(state, i, perfctr_counter_now(core, program, i));
	/*
	 * The cache's id stays: if this state is resumed here next, only the stopped registers are
	 * written.
	 */
}

static inline void perfctr_cpu_iresume(struct perfctr_core *core,
				       const struct perfctr_cpu_state *state,
				       const struct perfctr_program *program)
{
	struct perfctr_cache *cache = perfctr_core_cache(core);
	uint64_t ack = 0;
	unsigned int i;

	if (cache->id == program->id) {
		cache->id = 0; /* the stopped control registers must be written */
		if (state->k1.isuspend_cpu == cache->cpu)
			return; /* the counters are as they were left */
	}
	/* The previous user of this CPU may have left the counters running. */
	for (i = 0; i < program->nr_writes; i++) {
		const struct perfctr_write *write = &program->write[i];

		if (write->stopped != write->value &&
		    cache->control[write->slot] != write->stopped) {
			perfctr_core_write_control(core, write->reg, write->stopped);
			cache->control[write->slot] = write->stopped;
		}
	}
	for (i = program->nractrs; i < program->nrctrs; i++) {
		uint64_t start = (uint64_t)(int64_t)(int32_t)state->pmc[i].start;

		perfctr_core_write_counter(core, program->counter[i].reg,
					   start & program->counter[i].mask);
		if (program->counter[i].upper)
			perfctr_core_write_counter(core, program->counter[i].upper, start >> 48);
		ack |= program->counter[i].ack;
	}
	for (i = 0; i < program->nr_clears; i++)
		perfctr_core_write_counter(core, program->clear[i], 0);
	/* The processor's record of an earlier overflow would hide or imitate the next one. */
	if (ack)
		perfctr_core_write_control(core, program->ack_reg, ack);
	/* The cache's id is not ours, so perfctr_write_program() does its work. */
}

static inline void perfctr_write_program(struct perfctr_core *core,
					 const struct perfctr_program *program)
{
	struct perfctr_cache *cache = perfctr_core_cache(core);
	unsigned int i;

	if (cache->id == program->id)
		return;
	for (i = 0; i < program->nr_writes; i++) {
		const struct perfctr_write *write = &program->write[i];

		if (cache->control[write->slot] != write->value) {
			perfctr_core_write_control(core, write->reg, write->value);
			cache->control[write->slot] = write->value;
		}
	}
	cache->id = program->id;
}

/* Stops i-mode counters, and adds the counts since the resume to all sums. */
static inline void perfctr_cpu_suspend(struct perfctr_core *core, struct perfctr_cpu_state *state,
				       struct perfctr_program *program)
{
	unsigned int i;
	uint32_t now;

#ifndef PERFCTR_NO_ASYNC
	if (program->async >= 0)
		perfctr_async_suspend(core, program);
#endif
	if (program->stops)
		perfctr_cpu_isuspend(core, state, program);
	if (program->tsc) {
		now = perfctr_core_tsc(core);
		state->tsc_sum += (uint32_t)(now - state->tsc_start);
		state->tsc_start = now;
	}
	for (i = 0; i < program->nractrs; i++)
		perfctr_counter_add(state, i, perfctr_counter_now(core, program, i));
}

/*
 * The clock, when it shows something else than before: user space takes a changed start for a new
 * period. A tick of the slowest clocks takes some ten ns; one that stands still must not hold us
 * up.
 */
static inline uint32_t perfctr_next_tick(struct perfctr_core *core, uint32_t before)
{
	uint32_t now = perfctr_core_tsc(core);
	unsigned int tries;

	for (tries = 1000; now == before && --tries;)
		now = perfctr_core_tsc(core);
	return now;
}

/* Load i-mode counters, write control registers, and begin a new period. */
static inline void perfctr_cpu_resume(struct perfctr_core *core, struct perfctr_cpu_state *state,
				      const struct perfctr_program *program)
{
	unsigned int i;

	if (program->stops)
		perfctr_cpu_iresume(core, state, program);
	if (program->nrctrs)
		perfctr_write_program(core, program);
	for (i = 0; i < program->nractrs; i++)
		state->pmc[i].start = perfctr_counter_now(core, program, i);
	if (program->tsc)
		state->tsc_start = perfctr_next_tick(core, state->tsc_start);
}

/*
 * Whether perfctr_cpu_hand_over() can follow from the running program to the next one: they must
 * have the same id, and the same counters in the same order.
 */
static inline int perfctr_cpu_can_hand_over(struct perfctr_core *core,
					    const struct perfctr_program *program,
					    const struct perfctr_program *next)
{
	return next->id && next->id == program->id &&
	       (!next->nrctrs || next->id == perfctr_core_cache(core)->id);
}

/* Suspend one state and resume the next one by one reading, without touching a register. */
static inline void perfctr_cpu_hand_over(struct perfctr_core *core, struct perfctr_cpu_state *from,
					 struct perfctr_cpu_state *to,
					 const struct perfctr_program *program)
{
	unsigned int i, n = program->nractrs;
	uint32_t now;

	for (i = 0; i < n; i++) {
		perfctr_counter_add(from, i, perfctr_counter_now(core, program, i));
		to->pmc[i].start = from->pmc[i].start;
	}
	if (program->tsc) {
		now = perfctr_next_tick(core, to->tsc_start);
		from->tsc_sum += (uint32_t)(now - from->tsc_start);
		from->tsc_start = to->tsc_start = now;
	}
}

/* Suspend and resume in one, without touching a control register: keeps differences below 2^32. */
static inline void perfctr_cpu_sample(struct perfctr_core *core, struct perfctr_cpu_state *state,
				      const struct perfctr_program *program)
{
	unsigned int i;
	uint32_t now;

	for (i = 0; i < program->nrctrs; i++)
		perfctr_counter_add(state, i, perfctr_counter_now(core, program, i));
	if (program->tsc) {
		now = perfctr_next_tick(core, state->tsc_start);
		state->tsc_sum += (uint32_t)(now - state->tsc_start);
		state->tsc_start = now;
	}
}

/*
 * Returns the set of i-mode counters of a suspended state that have overflowed, and sets their
 * start values back to the control's. Must also be called right after a suspend without an
 * interrupt: an overflow at that very moment would be lost otherwise at the next resume.
 */
static inline uint32_t perfctr_cpu_identify_overflow(struct perfctr_cpu_state *state,
						     struct perfctr_program *program)
{
	uint32_t overflowed = 0;
	unsigned int i;

	for (i = program->nractrs; i < program->nrctrs; i++) {
		if (perfctr_counter_overflown(program, state->pmc[i].start)) {
			state->pmc[i].start = program->counter[i].ireset;
			overflowed |= (uint32_t)1 << i;
		}
	}
	if (overflowed && program->async >= 0) {
		/* The processor has disarmed itself; begin again. */
		program->write[program->async].value = program->async_value;
		program->write[program->async].stopped = program->async_stopped;
	}
	return overflowed;
}

/*
 * Is called before perfctr_cpu_resume() if the start values have changed, so that the CPU's
 * contents are invalid.
 */
static inline void perfctr_cpu_ireload(struct perfctr_cpu_state *state)
{
	state->k1.isuspend_cpu = -1;
}

#endif /* PERFCTR_ARCH_ENGINE_H */
