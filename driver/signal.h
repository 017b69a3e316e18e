/* SPDX-License-Identifier: GPL-2.0-only */
/* signal.h - a thread is told that its counters have overflowed, or may not be used where it is. */
#ifndef PERFCTR_DRIVER_SIGNAL_H
#define PERFCTR_DRIVER_SIGNAL_H

#include "driver/state.h"

#ifdef CONFIG_PREEMPT_RT
#error "perfctr.ko sends signals from interrupts, which PREEMPT_RT kernels don't allow"
#endif

/*
 * From now on self->notify, which may be queued with any lock held, has the thread whose counters
 * they are send itself what overflowed and trespassed ask for. Before they are a thread's.
 */
void vsignal_init(struct vperfctr *self);

#endif /* PERFCTR_DRIVER_SIGNAL_H */
