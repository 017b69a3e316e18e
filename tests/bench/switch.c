// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a context switch costs with counters, through perf_events and through the driver (/perfctr.ko).
 * Two processes on one CPU hand each other a byte; both count. Under QEMU with -icount shift=0 a
 * nanosecond is an instruction, so that the figures are exact: VM_TESTS=switch tests/vm/run.sh.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <libperfctr.h>

enum { ROUNDS = 500, REPEATS = 5, NOTHING = -1 };

static void fail(const char *what)
{
	printf("%s: %s\n", what, perfctr_error());
	exit(1);
}

/* The TSC and n counters of user-mode instructions; or nothing at all. */
static struct vperfctr *count(int n)
{
	struct vperfctr_control control;
	struct vperfctr *self;
	int i;

	if (n == NOTHING)
		return NULL;
	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	control.cpu_control.nractrs = (unsigned int)n;
	for (i = 0; i < n; i++) {
		control.cpu_control.pmc_map[i] = (unsigned int)i;
		control.cpu_control.evntsel[i] = 0x004100C0;
	}
	self = vperfctr_open();
	if (!self || vperfctr_control(self, &control) < 0)
		fail("counting");
	return self;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns of a switch: the least of some times. */
static double measure(int n)
{
	int there[2], back[2], i, k;
	struct vperfctr *self;
	double time, best = 1e18;
	char byte = 'x';
	pid_t pid;

	if (pipe(there) < 0 || pipe(back) < 0)
		fail("pipe");
	pid = fork();
	if (pid == 0) {
		close(there[1]);
		count(n);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	close(there[0]);
	self = count(n);
	for (k = 0; k < REPEATS; k++) {
		time = now();
		for (i = 0; i < ROUNDS; i++)
			if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
				fail("pipe");
		time = (now() - time) / (2 * ROUNDS);
		if (time < best)
			best = time;
	}
	close(there[1]);
	waitpid(pid, NULL, 0);
	close(back[0]);
	close(back[1]);
	if (self) {
		vperfctr_unlink(self);
		vperfctr_close(self);
	}
	return best;
}

int main(void)
{
	static const int counters[] = { 0, 1, 4 };
	int module = open("/perfctr.ko", O_RDONLY), k;
	double nothing[2], with[2][3];

	for (k = 0; k < 2; k++) {
		unsigned int i;

		setenv("PERFCTR_PROVIDER", k ? "driver" : "perf", 1);
		if (k && (module < 0 || syscall(SYS_finit_module, module, "", 0) < 0))
			fail("/perfctr.ko");
		nothing[k] = measure(NOTHING);
		for (i = 0; i < 3; i++)
			with[k][i] = measure(counters[i]);
	}
	printf("| a switch with | perf_events | driver |\n|---|---:|---:|\n");
	printf("| nothing | %.0f | %.0f |\n", nothing[0], nothing[1]);
	for (k = 0; k < 3; k++)
		printf("| the TSC and %d counters, in addition | %.0f | %.0f |\n", counters[k],
		       with[0][k] - nothing[0], with[1][k] - nothing[1]);
	syscall(SYS_delete_module, "perfctr", O_NONBLOCK);
	return 0;
}
