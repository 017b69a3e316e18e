/* SPDX-License-Identifier: GPL-2.0-only */
/* owner.h - the thread that owns a set of counters, for the functions of a descriptor. */
#ifndef PERFCTR_DRIVER_OWNER_H
#define PERFCTR_DRIVER_OWNER_H

#include "driver/state.h"
#include "driver/thread.h"

/*
 * Wait until a thread that the caller traces has stopped. -ESRCH: it is not stopped under the
 * caller's ptrace; -EPERM: its program is not his to look at; -EINTR. It may be killed, and run to
 * its end, at any time: vthread_enter() then says no.
 */
int owner_reach(struct task_struct *task);

/*
 * Returns the thread whose counters the caller may change now, with a reference: itself, or one
 * that is stopped under its ptrace. Otherwise ERR_PTR() of -ESRCH, -EPERM or -EINTR.
 */
struct task_struct *owner_get(struct vperfctr *self);

/* Reads present sums and the control. 0; -ESRCH: another process's thread, running; -EINTR. */
int owner_read(struct vperfctr *self, struct vperfctr_reading *reading);

/*
 * Whether the caller may map the page, which then shows the thread's counts until it is unmapped.
 * 0, and whether it is in the thread's own memory; -ESRCH: the thread is of another process. Anyone
 * may map final sums, as in owner_read().
 */
int owner_may_map(struct vperfctr *self, bool *own);

#endif /* PERFCTR_DRIVER_OWNER_H */
