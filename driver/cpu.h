/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu.h - the counters of each CPU: their present owner, the timer that samples them, their
 * reservation, and CPUs that come, go and sleep.
 */
#ifndef PERFCTR_DRIVER_CPU_H
#define PERFCTR_DRIVER_CPU_H

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include "driver/debug.h"
#include "driver/hw.h"

/* The set whose counters run. */
struct vperfctr;

/* The set that runs on a CPU. It is used only there, with interrupts off. */
struct hwcpu_sampler {
	struct vperfctr *owner; /* the set whose counters run; NULL: none */
	struct hrtimer timer;
	bool armed;
};

DECLARE_PER_CPU(struct hwcpu_sampler, hwcpu_samplers);

/* The calls to the owner of the counters that run on a CPU, on that CPU. Interrupts are off. */
struct hwcpu_calls {
	void (*sample)(struct vperfctr *owner);	  /* Bring its sums up to date. */
	void (*resume)(struct vperfctr *owner);	  /* Start it again, after the machine has slept. */
	void (*overflow)(struct vperfctr *owner); /* A counter may have overflowed. */
};

/* Returns 0, or an error of the kernel's. */
int hwcpu_init(const struct hwcpu_calls *calls);
void hwcpu_exit(void);

/*
 * Have a share in the hardware, which the first one takes from the kernel's other users. 0, also if
 * *share says that there is one; -EBUSY as hw_reserve(). No other CPU is interrupted: each is set
 * up when the first thread counts there.
 */
int hwcpu_reserve(bool *share);

/* Give it back, if there is one; the last one gives the hardware back. May sleep. */
void hwcpu_release(bool *share);

/* Makes the timer sample the counters from now on. */
void hwcpu_look(struct hwcpu_sampler *s);

/* Makes the owner the set that runs here, in place of the last one (or of none). */
static inline struct hwcpu_sampler *hwcpu_note(const struct vperfctr *last, struct vperfctr *owner)
{
	struct hwcpu_sampler *s = this_cpu_ptr(&hwcpu_samplers);

	debug_warn(s->owner != last);
	WRITE_ONCE(s->owner, owner); /* hwcpu_names() reads it from other processors */
	return s;
}

/* hw_resume() and hw_suspend() here, with the timer between them. Interrupts are off. */
static inline void hwcpu_start(struct vperfctr *owner, struct perfctr_cpu_state *state,
			       struct perfctr_program *program)
{
	struct hwcpu_sampler *s;

	hw_resume(state, program);
	s = hwcpu_note(NULL, owner);
	if (!s->armed)
		hwcpu_look(s);
}

static inline unsigned int hwcpu_stop(const struct vperfctr *owner, struct perfctr_cpu_state *state,
				      struct perfctr_program *program)
{
	hwcpu_note(owner, NULL);
	return hw_suspend(state, program);
}

/* Do the owner's counters run here? Interrupts are off. */
bool hwcpu_runs(const struct vperfctr *owner);

/* Whether any CPU's timer or interrupt still finds the owner, for debug builds. */
bool hwcpu_names(const struct vperfctr *owner);

#endif /* PERFCTR_DRIVER_CPU_H */
