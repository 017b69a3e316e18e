// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a context switch, and a read, costs with counters, through perf_events and through the
 * driver
 * (/perfctr.ko). For the former two processes on one CPU hand each other a byte; both count. Under
 * QEMU with -icount shift=0 a nanosecond is an instruction, so that the figures are exact:
 * VM_TESTS=switch tests/vm/run.sh.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <libperfctr.h>

enum { ROUNDS = 500, REPEATS = 5, PERIOD = 1 << 30 };

/* What both processes count. */
struct load {
	const char *name;
	bool tsc;
	unsigned int nractrs,
		nrictrs; /* user-mode instructions; i-mode: a period that never ends */
};

static void fail(const char *what)
{
	printf("%s: %s\n", what, perfctr_error());
	exit(1);
}

static struct vperfctr *count(const struct load *load)
{
	struct vperfctr_control control;
	struct vperfctr *self;
	unsigned int i;

	if (!load->tsc)
		return NULL;
	memset(&control, 0, sizeof(control));
	control.si_signo = SIGUSR1;
	control.cpu_control.tsc_on = 1;
	control.cpu_control.nractrs = load->nractrs;
	control.cpu_control.nrictrs = load->nrictrs;
	for (i = 0; i < load->nractrs + load->nrictrs; i++) {
		control.cpu_control.pmc_map[i] = i;
		control.cpu_control.evntsel[i] = i < load->nractrs ? 0x004100C0 : 0x005100C0;
		control.cpu_control.ireset[i] = i < load->nractrs ? 0 : -PERIOD;
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
static double measure(const struct load *load)
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
		count(load);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	close(there[0]);
	self = count(load);
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

/* The ns of a read, one after the other; user space alone. */
static void measure_reads(double times[4])
{
	const struct load one = { "", true, 1, 0 }, four = { "", true, 4, 0 };
	enum { READS = 20000 };
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;
	double begin, loop;
	int i, k;

	for (k = 0; k < 4; k++) {
		self = count(k == 3 ? &four : &one);
		begin = now();
		for (i = 0; i < READS; i++)
			__asm__ volatile("" : : "r"(self) : "memory");
		loop = now() - begin;
		begin = now();
		for (i = 0; i < READS; i++) {
			if (k == 0)
				vperfctr_read_tsc(self);
			else if (k == 1)
				vperfctr_read_pmc(self, 0);
			else
				vperfctr_read_ctrs(self, &sum);
		}
		times[k] = (now() - begin - loop) / READS;
		vperfctr_unlink(self);
		vperfctr_close(self);
	}
}

int main(void)
{
	static const char *const reads[] = {
		"vperfctr_read_tsc()",
		"vperfctr_read_pmc(), 1 counter",
		"vperfctr_read_ctrs(), the TSC and 1 counter",
		"the same, 4 counters",
	};
	static const struct load loads[] = {
		{ "nothing", false, 0, 0 },
		{ "the TSC", true, 0, 0 },
		{ "the TSC and 1 counter", true, 1, 0 },
		{ "the TSC and 4 counters", true, 4, 0 },
		{ "the TSC and 1 i-mode counter", true, 0, 1 },
	};
	enum { N = sizeof(loads) / sizeof(loads[0]) };
	int module = open("/perfctr.ko", O_RDONLY), k, i;
	double time[2][N], read_time[2][4];

	/* The driver first: perf_events looks after its events at each switch for a second longer.
	 */
	for (k = 1; k >= 0; k--) {
		setenv("PERFCTR_PROVIDER", k ? "driver" : "perf", 1);
		if (k && (module < 0 || syscall(SYS_finit_module, module, "", 0) < 0))
			fail("/perfctr.ko");
		for (i = 0; i < N; i++) {
			/* In a process of its own: what the kernel gave it goes with it. */
			int result[2];

			if (pipe(result) < 0)
				fail("pipe");
			if (fork() == 0) {
				time[k][i] = measure(&loads[i]);
				_exit(write(result[1], &time[k][i], sizeof(double)) < 0);
			}
			close(result[1]);
			if (read(result[0], &time[k][i], sizeof(double)) != sizeof(double))
				fail(loads[i].name);
			close(result[0]);
			wait(NULL);
		}
		measure_reads(read_time[k]);
		usleep(100000);
		syscall(SYS_delete_module, "perfctr", O_NONBLOCK);
	}
	printf("| a switch with | perf_events | driver |\n|---|---:|---:|\n");
	printf("| %s | %.0f | %.0f |\n", loads[0].name, time[0][0], time[1][0]);
	for (i = 1; i < N; i++)
		printf("| %s, in addition | %.0f | %.0f |\n", loads[i].name,
		       time[0][i] - time[0][0], time[1][i] - time[1][0]);
	printf("\n| a read | perf_events | driver |\n|---|---:|---:|\n");
	for (i = 0; i < 4; i++)
		printf("| %s | %.0f | %.0f |\n", reads[i], read_time[0][i], read_time[1][i]);
	return 0;
}
