// SPDX-License-Identifier: LGPL-2.1-or-later
/* A profile of oneself: where the program is after each million instructions. */
#define _GNU_SOURCE /* REG_RIP, REG_EIP */
#include <libperfctr.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

static struct vperfctr *self;
static volatile sig_atomic_t samples;
static volatile uintptr_t where[1000];

static uintptr_t program_counter(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__i386__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_EIP];
#elif defined(__aarch64__)
	return (uintptr_t)context->uc_mcontext.pc;
#elif defined(__riscv)
	return (uintptr_t)context->uc_mcontext.__gregs[REG_PC];
#elif defined(__powerpc64__)
	return (uintptr_t)context->uc_mcontext.gp_regs[32]; /* NIP */
#else
	return (void)context, 0;
#endif
}

static void overflow(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	if (!vperfctr_ovf_mask(self, info))
		return; /* somebody else's signal */
	if (samples < 1000)
		where[samples] = program_counter(context);
	samples++;
	vperfctr_iresume(self); /* until then nothing counts */
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = overflow, .sa_flags = SA_SIGINFO };
	struct vperfctr_control control;
	volatile unsigned int i;

	sigaction(SIGUSR1, &action, NULL);
	memset(&control, 0, sizeof(control));
	control.si_signo = SIGUSR1;
	control.cpu_control.tsc_on = 1;
	control.cpu_control.nrictrs = 1;
	control.cpu_control.ireset[0] = -1000000;
#if defined(__x86_64__) || defined(__i386__)
	control.cpu_control.evntsel[0] = 0x005100C0; /* instructions, user mode, interrupt */
#elif defined(__aarch64__)
	control.cpu_control.evntsel[0] = 0x80000008; /* instructions, not the kernel's */
#elif defined(__riscv)
	control.cpu_control.pmc_map[0] = 2; /* instret */
	control.cpu_control.evntsel[0] = 2;
	control.cpu_control.evntsel_high[0] = 0x21000000;
#elif defined(__powerpc64__)
	control.cpu_control.evntsel[0] = 2;
	control.cpu_control.evntsel_high[0] = 0x20000000;
#endif
	self = vperfctr_open();
	if (!self || vperfctr_control(self, &control) < 0) {
		fprintf(stderr, "%s\n", perfctr_error());
		return 0;
	}
	for (i = 0; i < 10000000; i++)
		;
	vperfctr_stop(self);
	printf("%d overflows, %llu instructions; one was at %#lx\n", (int)samples,
	       vperfctr_read_pmc(self, 0), (unsigned long)where[0]);
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}
