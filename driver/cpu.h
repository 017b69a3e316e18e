/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu.h - the counters of each CPU: whose they are now, the timer that looks at them, their
 * reservation, and CPUs that come, go and sleep.
 */
#ifndef PERFCTR_DRIVER_CPU_H
#define PERFCTR_DRIVER_CPU_H

#include "driver/hw.h"

/* Whose counters run: nothing to this file but a name. */
struct vperfctr;

/*
 * overflow() is called on a CPU where a counter of what runs there may have overflown. Interrupts
 * are off. 0, or an error of the kernel's.
 */
int hwcpu_init(void (*overflow)(struct vperfctr *owner));
void hwcpu_exit(void);

/*
 * Have a share in the hardware, which the first one takes from the kernel's other users and sets
 * up on every CPU. 0, also if *share says that there is one; -EBUSY as hw_reserve(). May sleep.
 */
int hwcpu_reserve(bool *share);

/* Give it back, if there is one; the last one gives the hardware back. May sleep. */
void hwcpu_release(bool *share);

/*
 * hw_resume() and hw_suspend() on this CPU, and between them look at the counters often enough.
 * Interrupts are off.
 */
void hwcpu_start(struct vperfctr *owner, struct perfctr_cpu_state *state,
		 struct perfctr_program *program);
unsigned int hwcpu_stop(struct perfctr_cpu_state *state, struct perfctr_program *program);

/* Bring the sums up to date, if the owner's counters run here; else false. Interrupts are off. */
bool hwcpu_sample(const struct vperfctr *owner);

#endif /* PERFCTR_DRIVER_CPU_H */
