/* SPDX-License-Identifier: GPL-2.0-only */
/* signal.h - signals to a thread: its counters overflowed, or its CPU is forbidden. */
#ifndef PERFCTR_DRIVER_SIGNAL_H
#define PERFCTR_DRIVER_SIGNAL_H

#include "driver/state.h"

#ifdef CONFIG_PREEMPT_RT
#error "perfctr.ko sends signals from interrupts, which PREEMPT_RT kernels don't allow"
#endif

/*
 * Prepares self->notify, which may be queued with any lock held: it makes the owner send itself the
 * signals that "overflowed" and "trespassed" ask for. Called before the set has an owner.
 */
void vsignal_init(struct vperfctr *self);

#endif /* PERFCTR_DRIVER_SIGNAL_H */
