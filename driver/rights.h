/* SPDX-License-Identifier: GPL-2.0-only */
/* rights.h - who may count what: those whom the kernel allows it for perf_events. */
#ifndef PERFCTR_DRIVER_RIGHTS_H
#define PERFCTR_DRIVER_RIGHTS_H

#include "driver/hw.h"

/*
 * May the caller have a program with counters? The proof is 0, or 1 and a descriptor of an event
 * of perf_events'. 0; -EACCES: that would take CAP_PERFMON or a proof, or the event was another
 * process's to open; -EPERM: the program sees more than the proof allows; -EBADF: it is no event.
 */
int rights_check(const struct perfctr_program *program, unsigned int proof);

#endif /* PERFCTR_DRIVER_RIGHTS_H */
