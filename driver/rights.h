/* SPDX-License-Identifier: GPL-2.0-only */
/* rights.h - decides which threads may count: those that the kernel lets use perf_events. */
#ifndef PERFCTR_DRIVER_RIGHTS_H
#define PERFCTR_DRIVER_RIGHTS_H

#include <linux/spinlock.h>
#include "driver/hw.h"

/* A caller that was refused has a moment to bring a proof, younger than the refusal. */
struct rights {
	spinlock_t lock;
	u64 youngest;	     /* event of perf_events', as the last one was refused, or U64_MAX */
	unsigned long until; /* jiffies */
};

void rights_create(struct rights *self);

/*
 * Whether the caller may have a program with counters. The proof is 0, or 1 plus a descriptor of an
 * event of perf_events', opened after the last refusal, and within the second before: a caller that
 * lost the right to open events can't count either. 0; -EACCES: this takes CAP_PERFMON or such a
 * proof, or another process opened the event; -EPERM: the program counts more than the proof
 * allows; -EBADF: it is no event. May sleep.
 */
int rights_check(struct rights *self, const struct perfctr_program *program, unsigned int proof);

#endif /* PERFCTR_DRIVER_RIGHTS_H */
