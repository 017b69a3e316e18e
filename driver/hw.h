/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hw.h - the processor, as the rest of the driver sees it: hw_x86.c, hw_powerpc.c and hw_arm64.c
 * carry out arch/engine.h by the real instructions.
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

/* Fills in the clocks; arm64 has none of its own. */
void hw_clock(struct perfctr_info *info);

/* Compiles a control, as perfctr_<isa>_compile() does. */
#if defined(CONFIG_X86)
#define hw_compile perfctr_x86_compile
#elif defined(CONFIG_ARM64)
#define hw_compile perfctr_arm64_compile
#else
#define hw_compile perfctr_powerpc_compile
#endif

/*
 * Take the counters from the kernel's other users, for the first thread that counts; give them back
 * with the last one. Neither sleeps. 0; -EBUSY: they are in use. From then on overflow() is called
 * when a counter of the thread that runs, or ran a moment ago, on this CPU may have overflowed: in
 * an interrupt, or in an NMI, which can come in the middle of the engine's functions.
 */
int hw_reserve(void (*overflow)(void));
void hw_release(void);

/* Called on x86 after the overflows of an NMI were handled. Interrupts are off. */
void hw_after_nmi(void);

/*
 * Where the kernel's other users keep the counters that no set needs: hw_take() adds those of a
 * program to a set's counters, which are 0 at first, and hw_keep() removes those that are not the
 * program's (NULL: all). Counters that are in no set are given back. 0; -EBUSY: one of them is in
 * use. Called after hw_reserve(); may sleep.
 */
#define HW_SHARES IS_ENABLED(CONFIG_ARM64) /* only then: */
int hw_take(u32 *taken, const struct perfctr_program *program);
void hw_keep(u32 *taken, const struct perfctr_program *program);

/*
 * hw_resume() starts a CPU, which sets its registers up, for the first program with counters after
 * hw_reserve(); hw_start_cpu() does so when it has slept. hw_stop_cpu() clears those of a CPU that
 * is started, before hw_release(), and forgets what was there. Interrupts are off.
 */
extern struct cpumask hw_started;
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
 * The suspended counters leave this CPU to a thread of another process, or to one that does not
 * count: they must not count its events, and it must not see their counts. Interrupts are off.
 */
void hw_leave(void);

/* CPUs on which threads must not use the counters; NULL: none. */
extern const struct cpumask *hw_forbidden;

/*
 * HW_READS_BY_MEMORY: whether a CPU lets user space read counters (RDPMC) by a count in the memory
 * whose page tables it has loaded; otherwise hw_let_read() decides alone. Only then these allow and
 * forbid reads to user space with this memory; CPUs follow when they load its page tables again.
 */
#define HW_READS_BY_MEMORY IS_ENABLED(CONFIG_X86)
void hw_allow_reads(struct mm_struct *mm);
void hw_forbid_reads(struct mm_struct *mm);

/* A child's memory has its parent's count, but none of the mappings that were counted. */
void hw_forbid_inherited_reads(struct mm_struct *mm);

/* Whether this CPU loaded them and did not follow; whether user space reads now. */
bool hw_reads_are_stale(struct mm_struct *mm);
bool hw_user_reads(void);

/*
 * bool hw_let_read(allowed, mm): the thread that is about to run on this CPU, with this memory, may
 * read counters in user mode, or may not. Returns whether it can. This holds until hw_suspend().
 * Interrupts are off.
 *
 * bool hw_hand_over(from, program, to, next, mm): does hw_suspend() of the running set, whose
 * program does not stop, and hw_resume() of the next one by one reading, before this CPU switches
 * to the next one's thread, which has this memory. False: this is impossible for these two, and
 * nothing was done. It is worth trying if hw_hands_over(mm). Interrupts are off.
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
