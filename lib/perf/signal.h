/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* signal.h - signals of overflows */
#ifndef PERFCTR_LIB_PERF_SIGNAL_H
#define PERFCTR_LIB_PERF_SIGNAL_H

#include <signal.h>

typedef void perfctr_signal_handler(int signo, siginfo_t *info, void *context);

/*
 * Takes a real-time signal for the library alone, with this handler, and unblocks it in the calling
 * thread: the highest one without a handler, but not the program's own. Also takes SIGIO, if that
 * has no handler. Returns the signal's number, or -1 after perfctr_fail(EBUSY), or with the error
 * of the kernel that forbids signals. Each call must name the same handler.
 */
int perfctr_signal_take(int programs, perfctr_signal_handler *handler);

/*
 * Sends the calling thread an overflow's signal, as the driver does: SI_PMC_OVF, and the mask. If
 * it is a real-time signal and RLIMIT_SIGPENDING does not allow one more, it comes as SI_USER.
 * Async-signal-safe; errno is kept.
 */
void perfctr_signal_send(int signo, unsigned int mask);

#endif /* PERFCTR_LIB_PERF_SIGNAL_H */
