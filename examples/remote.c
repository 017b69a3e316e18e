// SPDX-License-Identifier: LGPL-2.1-or-later
/* A debugger's view: what a child executes between two of its stops. */
#include <libperfctr.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int child(void)
{
	volatile unsigned int i;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (i = 0; i < 1000000; i++)
		;
	raise(SIGSTOP);
	return 0;
}

static int watch(pid_t pid)
{
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control control;
	struct perfctr_info info;
	struct rvperfctr *remote;
	int failed;

	waitpid(pid, NULL, 0); /* the first stop */
	remote = rvperfctr_open(pid);
	if (!remote) {
		fprintf(stderr, "%s\n", perfctr_error());
		return errno != EACCES && errno != EPERM && errno != ENOSYS;
	}
	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	/* Where there are counters, count instructions in user mode. */
	control.cpu_control.nractrs = rvperfctr_info(remote, &info) == 0 &&
				      perfctr_info_nrctrs(&info) > 0;
#if defined(__x86_64__) || defined(__i386__)
	control.cpu_control.evntsel[0] = 0x004100C0;
#elif defined(__aarch64__)
	control.cpu_control.evntsel[0] = 0x80000008;
#elif defined(__riscv)
	control.cpu_control.pmc_map[0] = 2; /* instret */
	control.cpu_control.evntsel[0] = 2;
	control.cpu_control.evntsel_high[0] = 0x21000000;
#elif defined(__powerpc64__)
	control.cpu_control.evntsel[0] = 2;
	control.cpu_control.evntsel_high[0] = 0x20000000;
#endif
	failed = rvperfctr_control(remote, &control) < 0;
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	waitpid(pid, NULL, 0); /* the second */
	memset(&sum, 0, sizeof(sum));
	if (failed || rvperfctr_stop(remote) < 0 || rvperfctr_read_ctrs(remote, &sum) < 0) {
		fprintf(stderr, "%s\n", perfctr_error());
		failed = 1;
	}
	printf("tsc\t%llu\n", sum.tsc);
	if (control.cpu_control.nractrs)
		printf("pmc[0]\t%llu\n", sum.pmc[0]);
	rvperfctr_unlink(remote);
	rvperfctr_close(remote);
	return failed;
}

int main(void)
{
	pid_t pid = fork();
	int result;

	if (pid == 0)
		return child();
	result = watch(pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return result;
}
