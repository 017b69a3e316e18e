/* SPDX-License-Identifier: GPL-2.0-only */
/* rights.h - who may count what: those whom the kernel allows it for perf_events. */
#ifndef PERFCTR_DRIVER_RIGHTS_H
#define PERFCTR_DRIVER_RIGHTS_H

#include <linux/spinlock.h>
#include "driver/hw.h"

/* Who was refused for want of a proof has a moment to bring one, which must be younger. */
struct rights {
	spinlock_t lock;
	u64 youngest;	     /* event of perf_events', as the last one was refused, or U64_MAX */
	unsigned long until; /* jiffies */
};

void rights_create(struct rights *self);

/*
 * May the caller have a program with counters? The proof is 0, or 1 and a descriptor of an event of
 * perf_events', which was opened after the last refusal, and within the second before: who may not
 * open one any more may count no more. 0; -EACCES: that would take CAP_PERFMON or such a proof, or
 * the event was another process's to open; -EPERM: the program sees more than the proof allows;
 * -EBADF: it is no event. May sleep.
 */
int rights_check(struct rights *self, const struct perfctr_program *program, unsigned int proof);

#endif /* PERFCTR_DRIVER_RIGHTS_H */
