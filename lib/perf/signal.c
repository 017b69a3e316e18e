// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The private signal: how overflows over perf_events become the signals that perfctr's driver
 * sends.
 *
 * With an overflow's signal perf_events names the descriptor, but not the counters that overflowed,
 * and it sends one for each. So it sends a signal that the library has taken for itself; its
 * handler, in the same thread, finds the counters that have overflowed and sends the program's
 * signal. All signals wait while it is at work: the program's handler runs after it, and finds the
 * context that the overflow has interrupted.
 *
 * Only the dispositions themselves say which signal was taken. So the next control notices changes
 * that the program makes, several threads may take one at the same time, and dispositions are right
 * in a child of fork() and in a new program.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/perf/signal.h"
#include "libperfctr.h"

/* Whether signo is the library's now; it is not if it is the program's. */
static bool take(int signo, int programs, perfctr_signal_handler *handler)
{
	struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK }, now;

	if (signo == programs || sigaction(signo, NULL, &now) < 0)
		return false;
	if (now.sa_sigaction == handler)
		return true;
	if (now.sa_handler != SIG_DFL)
		return false;
	ours.sa_sigaction = handler;
	sigfillset(&ours.sa_mask);
	return sigaction(signo, &ours, NULL) == 0;
}

/*
 * Queues a signal for the calling thread: the kernel allows any si_code only to the thread itself.
 */
static int queue(int signo, siginfo_t *info)
{
	return (int)syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signo, info);
}

static int choose(int programs, perfctr_signal_handler *handler)
{
	siginfo_t info = { .si_code = SI_PMC_OVF };
	int signo = SIGRTMAX;

	/* Signal 0 only tests for permission. */
	if (queue(0, &info) < 0)
		return perfctr_fail(errno,
				    "the signal of an overflow can't be sent: %s; allow "
				    "rt_tgsigqueueinfo(2) in the program's seccomp filter",
				    strerror(errno));
	while (!take(signo, programs, handler))
		if (--signo < SIGRTMIN)
			return perfctr_fail(EBUSY,
					    "i-mode counters need a real-time signal of "
					    "their own, and all have handlers; leave one alone");
	/*
	 * The kernel sends SIGIO instead if too many signals are queued: it would end the program.
	 */
	take(SIGIO, programs, handler);
	return signo;
}

int perfctr_signal_take(int programs, perfctr_signal_handler *handler)
{
	static atomic_int known;
	int signo = atomic_load_explicit(&known, memory_order_relaxed);
	sigset_t set;

	if (!signo || !take(signo, programs, handler)) {
		signo = choose(programs, handler);
		if (signo < 0)
			return -1;
		atomic_store_explicit(&known, signo, memory_order_relaxed);
	}
	sigemptyset(&set);
	sigaddset(&set, signo);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return signo;
}

void perfctr_signal_send(int signo, unsigned int mask)
{
	siginfo_t info;
	int error = errno;

	memset(&info, 0, sizeof(info));
	info.si_code = SI_PMC_OVF;
	info.si_pmc_ovf_mask = (int)mask;
	/* If too many are queued, a real-time signal can still come, without its siginfo. */
	if (queue(signo, &info) < 0 && errno == EAGAIN) {
		info.si_code = SI_USER;
		queue(signo, &info);
	}
	errno = error;
}
