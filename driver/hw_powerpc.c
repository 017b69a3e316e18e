// SPDX-License-Identifier: GPL-2.0-only
/* 32-bit PowerPC: identification, reservation, and the engine over mfspr, mtspr and mftb. */
#define pr_fmt(fmt) "perfctr: " fmt
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/pmc.h>
#include <asm/reg.h>
#include <asm/synch.h>
#include <asm/time.h>
#include "arch/powerpc/sprs.h"
#include "driver/hw.h"

struct perfctr_core;
static uint64_t perfctr_core_read_counter(struct perfctr_core *core, uint32_t reg)
{
	switch (reg) {
#define CASE(name, number) \
	case number: return mfspr(number);
		PERFCTR_SPRS(CASE)
#undef CASE
	}
	WARN_ON_ONCE(1); /* the rules named a register that they don't have */
	return 0;
}

static void perfctr_core_write_counter(struct perfctr_core *core, uint32_t reg, uint64_t value)
{
	switch (reg) {
#define CASE(name, number) \
	case number: mtspr(number, value); return;
		PERFCTR_SPRS(CASE)
#undef CASE
	}
	WARN_ON_ONCE(1);
}

static inline uint32_t perfctr_core_tsc(struct perfctr_core *core)
{
	return mftb();
}

static inline uint64_t perfctr_core_read_control(struct perfctr_core *core, uint32_t reg)
{
	return perfctr_core_read_counter(core, reg);
}

static inline void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg,
					      uint64_t value)
{
	perfctr_core_write_counter(core, reg, value);
	/* Waits, as the kernel's driver does: the next instruction may read a counter. */
	isync();
}

/* Programs of PowerPC name registers; numbers of counters are for user space. */
#define PERFCTR_NO_RDPMC
#include "arch/powerpc/leave.h"

struct perfctr_core {
	struct perfctr_cache cache;
	bool left; /* counters run on, of a thread that has been suspended */
};

static inline struct perfctr_cache *perfctr_core_cache(struct perfctr_core *core)
{
	return &core->cache;
}

static DEFINE_PER_CPU(struct perfctr_core, cores);
struct perfctr_cpu hw_cpu;
const struct cpumask *hw_forbidden;
struct cpumask hw_started;

/* ---- identification ---- */

void hw_init(void)
{
	perfctr_powerpc_identify(mfspr(SPRN_PVR), &hw_cpu);
}

void hw_exit(void)
{
}

void hw_clock(struct perfctr_info *info)
{
	info->cpu_khz = ppc_proc_freq / 1000;
	/* A tick is four bus clocks, a bus clock a multiple of half a core clock: no fraction. */
	info->tsc_to_cpu_mult = ppc_tb_freq ? DIV_ROUND_CLOSEST(ppc_proc_freq, ppc_tb_freq) : 0;
}

/* ---- reservation ---- */

static void clear_registers(struct perfctr_core *core)
{
	unsigned int slot;
	u32 reg;

	memset(core, 0, sizeof(*core));
	core->cache.cpu = smp_processor_id();
	for (slot = 0; slot < PERFCTR_SLOTS; slot++) {
		reg = perfctr_powerpc_register(&hw_cpu, slot);
		if (reg)
			perfctr_core_write_control(core, reg, 0);
	}
}

void hw_start_cpu(void *unused)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);
	unsigned int n;
	u64 value;
	u32 reg;

	clear_registers(core);
	for (n = 0; perfctr_powerpc_setup(&hw_cpu, n, &reg, &value) == 0; n++)
		perfctr_core_write_control(core, reg, value);
	cpumask_set_cpu(smp_processor_id(), &hw_started);
}

void hw_stop_cpu(void *unused)
{
	if (cpumask_test_cpu(smp_processor_id(), &hw_started))
		clear_registers(this_cpu_ptr(&cores));
	cpumask_clear_cpu(smp_processor_id(), &hw_started);
}

static void (*tell_of_overflow)(void);

/* Interrupts are off, as in the engine: it is not in the middle of anything. */
static void overflow_interrupt(struct pt_regs *regs)
{
	tell_of_overflow();
}

int hw_reserve(void (*overflow)(void))
{
	tell_of_overflow = overflow;
	return reserve_pmc_hardware(overflow_interrupt) < 0 ? -EBUSY : 0;
}

void hw_release(void)
{
	release_pmc_hardware();
}

unsigned int hw_suspend(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);
	unsigned int overflowed;

	perfctr_cpu_suspend(core, state, program);
	core->left = core->left || program->nrctrs;
	overflowed = perfctr_cpu_identify_overflow(state, program);
	if (unlikely(overflowed))
		perfctr_cpu_ireload(state);
	return overflowed;
}

void hw_resume(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	if (program->nrctrs && !cpumask_test_cpu(smp_processor_id(), &hw_started))
		hw_start_cpu(NULL);
	perfctr_cpu_resume(this_cpu_ptr(&cores), state, program);
}

bool hw_hand_over(struct perfctr_cpu_state *from, const struct perfctr_program *program,
		  struct perfctr_cpu_state *to, struct perfctr_program *next,
		  const struct mm_struct *mm)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	if (!perfctr_cpu_can_hand_over(core, program, next))
		return false;
	perfctr_cpu_hand_over(core, from, to, next);
	return true;
}

void hw_sample(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	perfctr_cpu_sample(this_cpu_ptr(&cores), state, program);
}

/* Stops the counters at once: no notifier runs when another thread returns to user mode. */
void hw_leave(void)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	if (!core->left)
		return;
	core->left = false;
	perfctr_powerpc_leave(core, &hw_cpu);
}
