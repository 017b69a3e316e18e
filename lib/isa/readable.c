// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finds out whether user space may read counters on POWER, where neither the kernel nor its page
 * says so: pages name the counter, but do not set cap_user_rdpmc (Linux up to 7.2). POWER8 and
 * POWER9 allow it; on Power10 the kernel forbids it (MMCR0[PMCCEXT], Power ISA 3.1), and the
 * instruction is illegal.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/isa/identify.h"
#include "perfctr/read.h"

#ifdef __powerpc64__

#include <ucontext.h>

#ifndef TRIED
#define TRIED "771" /* PMC1; tests try one that is illegal */
#endif

static uintptr_t tried; /* where the instruction is */
static struct sigaction others;

/*
 * Skips the instruction, and the next one, which notes that it worked. A signal from elsewhere goes
 * to the previous handler.
 */
static void on_illegal(int number, siginfo_t *info, void *context)
{
	ucontext_t *where = context;

	(void)info;
	if (where->uc_mcontext.gp_regs[32] == tried)
		where->uc_mcontext.gp_regs[32] += 8;
	else
		sigaction(number, &others, NULL);
}

static bool readable;

static void try_once(void)
{
	struct sigaction ours = { .sa_sigaction = on_illegal, .sa_flags = SA_SIGINFO };
	sigset_t illegal, before;
	uint64_t ignored, works;

	sigemptyset(&ours.sa_mask);
	sigemptyset(&illegal);
	sigaddset(&illegal, SIGILL);
	if (sigaction(SIGILL, &ours, &others) < 0)
		return;
	pthread_sigmask(SIG_UNBLOCK, &illegal, &before);
	__asm__ volatile("	bcl	20, 31, 1f\n"
			 "1:	mflr	%0\n"
			 "	addi	%0, %0, 2f - 1b\n"
			 "	std	%0, 0(%2)\n"
			 "	li	%1, 0\n"
			 "2:	mfspr	%0, " TRIED "\n"
			 "	li	%1, 1\n"
			 : "=&b"(ignored), "=&r"(works)
			 : "b"(&tried)
			 : "lr", "memory");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGILL, &others, NULL);
	readable = works;
}

bool perfctr_is_readable(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, try_once);
	return readable;
}

#else

bool perfctr_is_readable(void)
{
	return PERFCTR_HAVE_RDPMC;
}

#endif
