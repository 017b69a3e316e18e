/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hw_arm64.h - the part of hw_arm64.c that every thread switch runs: inline, since calls would cost
 * as much as the rest. Only hw.h includes it.
 */
#ifndef PERFCTR_DRIVER_HW_ARM64_H
#define PERFCTR_DRIVER_HW_ARM64_H

#include <linux/mmu_notifier.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <asm/barrier.h>
#include <asm/sysreg.h>
#include "arch/arm64/pmuv3.h"

/* ---- registers ---- */

/* An instruction has its register's name in it. */
/* clang-format off */
#define EVENT_COUNTERS(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
	X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30)
/* clang-format on */

struct perfctr_core;

static __always_inline uint64_t perfctr_core_read_counter(struct perfctr_core *core, uint32_t n)
{
	switch (n) {
	case PMU_CYCLES: return read_sysreg(pmccntr_el0);
#define CASE(n) \
	case n: return read_sysreg(pmevcntr##n##_el0);
		EVENT_COUNTERS(CASE)
#undef CASE
	}
	WARN_ON_ONCE(1); /* the rules named a counter that there can't be */
	return 0;
}

static inline uint32_t perfctr_core_tsc(struct perfctr_core *core)
{
	isb(); /* or it is read ahead */
	return (uint32_t)read_sysreg(cntvct_el0);
}

void perfctr_core_write_counter(struct perfctr_core *core, uint32_t n, uint64_t value);
void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg, uint64_t value);

#define PERFCTR_NO_RDPMC
#define PERFCTR_NO_ASYNC
#include "arch/engine.h"

/* ---- the state of this CPU ---- */

/* Changed on its CPU with interrupts off, or while that one is offline; but for taken. */
struct perfctr_core {
	struct perfctr_cache cache;
	u32 taken; /* counters that are ours here; another CPU may change it */
	u32 ready; /* those of them that threads use here: cleared, and to be cleared again */

	/* The running program, from before it is loaded until after it is stopped; NULL: none. */
	struct perfctr_program *running;
	bool reads;	     /* its user mode reads counters */
	unsigned int theirs; /* PMUSERENR_EL0 as perf_events left it */

	/* The contents that the last threads have left in the registers. */
	u64 process;	 /* theirs; 0: nothing is left */
	u64 program;	 /* the last one */
	u32 counters;	 /* the last program's counters */
	u32 left;	 /* counters that may not be 0 */
	bool privileged; /* one of them counts more than their user mode */
	bool stops;	 /* one of them is suspended, and is to be found as it was left */
	bool halted;	 /* they are disabled, whatever the cache says */
};

static inline struct perfctr_cache *perfctr_core_cache(struct perfctr_core *core)
{
	return &core->cache;
}

DECLARE_PER_CPU(struct perfctr_core, hw_cores);

/* ---- user-mode reads ---- */

#define PMUSERENR_CR BIT(2)
#define PMUSERENR_ER BIT(3)
#define READS	     (PMUSERENR_CR | PMUSERENR_ER)

static inline void hw_set_reads(struct perfctr_core *core, bool reads)
{
	if (core->reads == reads)
		return;
	WRITE_ONCE(core->reads, reads);
	write_sysreg(reads ? READS : core->theirs, pmuserenr_el0);
}

/* Hides the last process's counters from a thread of another one that may read. */
void hw_hide_counters(struct perfctr_core *core);

/*
 * A process that may have guests can't read: KVM loads the register with the guests' value, and
 * until 6.3 clears it afterwards.
 */
static inline bool hw_let_read(bool allowed, struct mm_struct *mm)
{
	bool can = allowed && mm && !mm_has_notifiers(mm);
	struct perfctr_core *core = this_cpu_ptr(&hw_cores);

	if (can && core->reads)
		return true; /* the same as for the thread that hands over */
	/* It may count nothing now, as after an overflow, and so not take the registers over. */
	if (can)
		hw_hide_counters(core);
	hw_set_reads(core, can);
	return can;
}

/* ---- from one to the next ---- */

void hw_change_process(struct perfctr_core *core, struct perfctr_cpu_state *state,
		       const struct perfctr_program *program, const struct mm_struct *mm);

static inline bool hw_hands_over(const struct mm_struct *mm)
{
	return true;
}

/* Registers stay as they are, but for counts that another process must not see. */
static inline bool hw_hand_over(struct perfctr_cpu_state *from,
				const struct perfctr_program *program, struct perfctr_cpu_state *to,
				struct perfctr_program *next, const struct mm_struct *mm)
{
	struct perfctr_core *core = this_cpu_ptr(&hw_cores);

	if (!perfctr_cpu_can_hand_over(core, program, next))
		return false;
	if (next->nrctrs)
		WRITE_ONCE(core->running, next);
	perfctr_cpu_hand_over(core, from, to, next);
	if (mm != current->mm)
		hw_change_process(core, to, next, mm);
	return true;
}

#endif /* PERFCTR_DRIVER_HW_ARM64_H */
