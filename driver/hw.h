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

/* Find out what the processor has. Always succeeds: without counters there is the TSC. */
void hw_init(void);
void hw_exit(void);
void hw_info(struct perfctr_info *info);

/*
 * Take the counters from the kernel's other users, for the first thread that counts; give them
 * back with the last. 0; -EBUSY: somebody else has them. From then on overflow() is called when a
 * counter of the thread that runs, or ran a moment ago, on this CPU may have overflown. Interrupts
 * are off.
 */
int hw_reserve(void (*overflow)(void));
void hw_release(void);

/*
 * Where the kernel's other users keep the counters that nobody here needs: add those of a program
 * to a set of counters, which is 0 at first, and take from it those that are not the program's
 * (NULL: all). What is in no set any more is given back. 0; -EBUSY: somebody else has one of them.
 * After hw_reserve(); may sleep.
 */
#ifdef CONFIG_ARM64
int hw_take(u32 *taken, const struct perfctr_program *program);
void hw_keep(u32 *taken, const struct perfctr_program *program);
#else
static inline int hw_take(u32 *taken, const struct perfctr_program *program)
{
	return 0;
}

static inline void hw_keep(u32 *taken, const struct perfctr_program *program)
{
}
#endif

/*
 * Set this CPU's registers up, after hw_reserve(), or when it has come up or has slept; clear them,
 * before hw_release(). Interrupts are off.
 */
void hw_start_cpu(void);
void hw_stop_cpu(void);

/*
 * As perfctr_<isa>_compile(); the diagnosis goes to the log for those who debug. 0, -EINVAL or
 * -EPERM, or -EOPNOTSUPP: no thread can have it.
 */
int hw_compile(const struct perfctr_cpu_control *control, unsigned int flags,
	       struct perfctr_program *program);

/* Install a compiled program, with an id as the engine asks for, in a state that does not run. */
void hw_update_control(struct perfctr_cpu_state *state, struct perfctr_program *program,
		       unsigned int tsc_on, u64 id);

/*
 * The engine's functions on this CPU. Interrupts are off. hw_suspend() returns the set of i-mode
 * counters that have overflown, which are then back at their start values.
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
 * Let user space with this memory read counters itself (x86: RDPMC), or no more: both are counted.
 * False: nobody may, and nothing is to be forbidden. A CPU that has the memory's page tables
 * already follows when it loads them anew.
 */
bool hw_allow_reads(struct mm_struct *mm);
void hw_forbid_reads(struct mm_struct *mm);

/*
 * A child has a copy of its parent's memory, with its count: of no mapping of the child's, because
 * neither our pages nor those of perf_events go to children.
 */
void hw_forbid_inherited_reads(struct mm_struct *mm);

/* Has this CPU loaded them, and not followed? Interrupts are off. */
bool hw_reads_are_stale(const struct mm_struct *mm);

/*
 * The rest is inline where it counts.
 *
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
bool hw_user_reads(void); /* whoever it is */
static inline bool hw_let_read(bool allowed, struct mm_struct *mm)
{
	return allowed && hw_user_reads();
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
