/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hw.h - the processor, as the rest of the driver sees it: hw_x86.c, hw_powerpc.c and
 * hw_arm64.c put arch/engine.h over the real instructions.
 */
#ifndef PERFCTR_DRIVER_HW_H
#define PERFCTR_DRIVER_HW_H

#include <linux/sched.h>
#define PERFCTR_KERNEL_STATE 1
#include <perfctr/abi.h>
#include "arch/rules.h"

struct cpumask;
struct mm_struct;

/* The processor, as hw_init() finds it. That always succeeds: without counters there is the TSC. */
extern struct perfctr_cpu hw_cpu;
void hw_init(void);
void hw_exit(void);

/* What clocks there are, but on arm64. */
void hw_clock(struct perfctr_info *info);

/* As perfctr_<isa>_compile(). */
#if defined(CONFIG_X86)
#define hw_compile perfctr_x86_compile
#elif defined(CONFIG_ARM64)
#define hw_compile perfctr_arm64_compile
#else
#define hw_compile perfctr_powerpc_compile
#endif

/*
 * Take the counters from the kernel's other users, for the first thread that counts; give them
 * back with the last. 0; -EBUSY: somebody else has them. From then on overflow() is called when a
 * counter of the thread that runs, or ran a moment ago, on this CPU may have overflowed: in an
 * interrupt, or in an NMI, which can come in the middle of the engine's functions.
 */
int hw_reserve(void (*overflow)(void));
void hw_release(void);

/* On x86, after that has been seen to which the NMI has found. Interrupts are off. */
void hw_after_nmi(void);

/*
 * Where the kernel's other users keep the counters that nobody here needs: add those of a program
 * to a set of counters, which is 0 at first, and take from it those that are not the program's
 * (NULL: all). What is in no set any more is given back. 0; -EBUSY: somebody else has one of them.
 * After hw_reserve(); may sleep.
 */
#define HW_SHARES IS_ENABLED(CONFIG_ARM64) /* only then: */
int hw_take(u32 *taken, const struct perfctr_program *program);
void hw_keep(u32 *taken, const struct perfctr_program *program);

/*
 * Set this CPU's registers up, after hw_reserve(), or when it has come up or has slept; clear them,
 * before hw_release(). Interrupts are off.
 */
void hw_start_cpu(void *unused);
void hw_stop_cpu(void *unused);

/*
 * The engine's functions on this CPU. Interrupts are off. hw_suspend() returns the set of i-mode
 * counters that have overflowed, which are then back at their start values.
 */
unsigned int hw_suspend(struct perfctr_cpu_state *state, struct perfctr_program *program);
void hw_resume(struct perfctr_cpu_state *state, struct perfctr_program *program);
void hw_sample(struct perfctr_cpu_state *state, struct perfctr_program *program);

/*
 * What was suspended leaves this CPU to a thread of another process, or to one that does not count:
 * what that one does must not be seen in the counters, nor the counters by it. Interrupts are off.
 */
void hw_leave(void);

/* CPUs on which threads must not use the counters; NULL: none. */
extern const struct cpumask *hw_forbidden;

/*
 * Does a CPU let user space read counters (RDPMC) as is counted for the memory whose page tables it
 * has loaded? Else hw_let_read() decides alone. Only then: let user space with this memory, or no
 * more; CPUs follow when they load its page tables again.
 */
#define HW_READS_BY_MEMORY IS_ENABLED(CONFIG_X86)
void hw_allow_reads(struct mm_struct *mm);
void hw_forbid_reads(struct mm_struct *mm);

/*
 * A child has a copy of its parent's memory, with its count: of no mapping of the child's, because
 * neither our pages nor those of perf_events go to children.
 */
void hw_forbid_inherited_reads(struct mm_struct *mm);

/* Has this CPU loaded them, and not followed? Does it let anybody now? Interrupts are off. */
bool hw_reads_are_stale(const struct mm_struct *mm);
bool hw_user_reads(void);

/*
 * bool hw_let_read(allowed, mm): what is about to run on this CPU, with this memory, is one of
 * those who may read counters in user mode, or is not. Can it? Until hw_suspend(). Interrupts are
 * off.
 *
 * bool hw_hand_over(from, program, to, next, mm): hw_suspend() of what runs, whose program does not
 * stop, and hw_resume() of the next by one reading, before this CPU switches to the next one's
 * thread, which has this memory. False: these two can't, and nothing has been done. Worth asking if
 * hw_hands_over(mm). Interrupts are off.
 */
#ifdef CONFIG_ARM64
#include "driver/hw_arm64.h"
#else
static inline bool hw_let_read(bool allowed, struct mm_struct *mm)
{
	return allowed && (!HW_READS_BY_MEMORY || hw_user_reads());
}

static inline bool hw_hands_over(const struct mm_struct *mm)
{
	return mm == current->mm;
}

bool hw_hand_over(struct perfctr_cpu_state *from, const struct perfctr_program *program,
		  struct perfctr_cpu_state *to, struct perfctr_program *next,
		  const struct mm_struct *mm);
#endif

#endif /* PERFCTR_DRIVER_HW_H */
