// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measures the cost of a context switch, of a read, and of the calls that begin and end counting,
 * through perf_events and through the driver (/perfctr.ko). For the former two processes, or two
 * threads of one, hand each other a byte on one CPU; both count. Under QEMU with -icount shift=0 a
 * nanosecond is an instruction, and with SCHED_FIFO who is woken up waits until the other one
 * sleeps, so that the figures are exact: VM_TESTS=switch tests/vm/run.sh.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
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
#include <perfctr/read.h>

enum { ROUNDS = 500, REPEATS = 3, PERIOD = 1 << 30 };

enum { PERF, DRIVER, OPEN /* the driver with see_others=1 */, PROVIDERS };
enum { PROCESSES, THREADS, PAIRS };

/* What both count, and what that may cost. */
struct load {
	const char *name;
	bool tsc;
	unsigned int nractrs,
		nrictrs; /* user-mode instructions; i-mode: a period that never ends */
	double most[PROVIDERS][PAIRS];
};

static void fail(const char *what)
{
	printf("%s: %s\n", what, perfctr_error());
	exit(1);
}

static struct vperfctr_control control_of(const struct load *load)
{
	struct vperfctr_control control;
	unsigned int i;

	memset(&control, 0, sizeof(control));
	control.si_signo = SIGUSR1;
	control.cpu_control.tsc_on = 1;
	control.cpu_control.nractrs = load->nractrs;
	control.cpu_control.nrictrs = load->nrictrs;
	for (i = 0; i < load->nractrs + load->nrictrs; i++) {
		control.cpu_control.pmc_map[i] = i;
#if defined(__aarch64__)
		control.cpu_control.evntsel[i] = 0x80000008;
#else
		control.cpu_control.evntsel[i] = i < load->nractrs ? 0x004100C0 : 0x005100C0;
#endif
		control.cpu_control.ireset[i] = i < load->nractrs ? 0 : -PERIOD;
	}
	return control;
}

static struct vperfctr *count(const struct load *load)
{
	struct vperfctr_control control = control_of(load);
	struct vperfctr *self;

	if (!load->tsc)
		return NULL;
	self = vperfctr_open();
	if (!self || vperfctr_control(self, &control) < 0)
		fail("counting");
	return self;
}

static double time_by(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double now(void)
{
	return time_by(CLOCK_MONOTONIC);
}

/* Two who hand each other a byte: what they count, the pipes' ends, the ns of a switch. */
struct pair {
	const struct load *load;
	int there[2], back[2];
	double best;
};

static void *answer(void *argument)
{
	const struct pair *pair = argument;
	struct vperfctr *self = count(pair->load);
	char byte;

	while (read(pair->there[0], &byte, 1) == 1 && write(pair->back[1], &byte, 1) == 1)
		;
	vperfctr_close(self);
	return NULL;
}

/* The least of some times. */
static void *ask(void *argument)
{
	struct pair *pair = argument;
	struct vperfctr *self = count(pair->load);
	char byte = 'x';
	double time;
	int i, k;

	pair->best = 1e18;
	for (k = 0; k < REPEATS; k++) {
		time = now();
		for (i = 0; i < ROUNDS; i++)
			if (write(pair->there[1], &byte, 1) != 1 ||
			    read(pair->back[0], &byte, 1) != 1)
				fail("pipe");
		time = (now() - time) / (2 * ROUNDS);
		if (time < pair->best)
			pair->best = time;
	}
	close(pair->there[1]);
	vperfctr_close(self);
	return NULL;
}

static void run_processes(struct pair *pair)
{
	if (fork() == 0) {
		close(pair->there[1]);
		answer(pair);
		_exit(0);
	}
	ask(pair);
	wait(NULL);
}

/* Both are created under the set, if there is one. */
static void run_threads(struct pair *pair)
{
	pthread_t thread[2];

	if (pthread_create(&thread[0], NULL, answer, pair) != 0 ||
	    pthread_create(&thread[1], NULL, ask, pair) != 0)
		fail("threads");
	pthread_join(thread[1], NULL);
	pthread_join(thread[0], NULL);
}

static double measure(const struct load *load, void (*run)(struct pair *), const char *events)
{
	const struct perfctr_target process = { .type = PERFCTR_TARGET_PROCESS };
	struct perfctr_set *set = events ? perfctr_set_open(events, &process, 0) : NULL;
	struct pair pair = { .load = load };

	if ((events && !set) || pipe(pair.there) < 0 || pipe(pair.back) < 0)
		fail("set, or pipe");
	run(&pair);
	return pair.best;
}

/* In a process of its own: what the kernel gave it goes with it. */
static double measure_in_child(const struct load *load, void (*run)(struct pair *),
			       const char *events)
{
	int result[2];
	double time;

	if (pipe(result) < 0)
		fail("pipe");
	if (fork() == 0) {
		time = measure(load, run, events);
		_exit(write(result[1], &time, sizeof(time)) < 0);
	}
	close(result[1]);
	if (read(result[0], &time, sizeof(time)) != sizeof(time))
		fail(load->name);
	close(result[0]);
	wait(NULL);
	return time;
}

/* What a read may cost. */
#if defined(__aarch64__)
#define MOST(x86, arm64) arm64
#else
#define MOST(x86, arm64) x86
#endif

static const struct read {
	const char *name;
	bool four;	 /* counters, or one */
	bool driver;	 /* of the driver's page only */
	double limit[2]; /* over perf_events, over the driver; 0: none */
} reads[] = {
	{ "vperfctr_read_tsc()", false, false, { MOST(30, 40), 0 } },
	{ "vperfctr_read_pmc(), 1 counter", false, false, { 0, 0 } },
	{ "vperfctr_read_ctrs(), the TSC and 1 counter", false, false, { 0, MOST(65, 70) } },
	{ "the same, 4 counters", true, false, { 0, MOST(95, 115) } },
	{ "perfctr_state_reader_read(), the TSC and 1 counter", false, true, { 0, MOST(50, 50) } },
	{ "the same, 4 counters", true, true, { 0, MOST(75, 95) } },
};
enum { NREADS = sizeof(reads) / sizeof(reads[0]) };

static double least(double one, double two)
{
	return one < two ? one : two;
}

/* The ns of a read, one after the other; user space alone. The kernel's tick is in some loops. */
static double measure_read(int k, struct vperfctr *self, const struct perfctr_state_reader *reader)
{
	enum { READS = 20000 };
	double begin, loop = 1e18, all = 1e18;
	struct perfctr_sum_ctrs sum;
	int i, repeat;

	for (repeat = 0; repeat < REPEATS; repeat++) {
		begin = now();
		for (i = 0; i < READS; i++)
			__asm__ volatile("" : : "r"(self) : "memory");
		loop = least(loop, now() - begin);
		begin = now();
		for (i = 0; i < READS; i++) {
			if (k == 0)
				vperfctr_read_tsc(self);
			else if (k == 1)
				vperfctr_read_pmc(self, 0);
			else if (!reads[k].driver)
				vperfctr_read_ctrs(self, &sum);
			else if (!perfctr_state_reader_read(reader, &sum))
				fail("perfctr_state_reader_read() reads nothing");
		}
		all = least(all, now() - begin);
	}
	return (all - loop) / READS;
}

static void measure_reads(double times[NREADS], bool driver)
{
	const struct load one = { .tsc = true, .nractrs = 1 }, four = { .tsc = true, .nractrs = 4 };
	struct perfctr_state_reader reader;
	struct vperfctr *self;
	int k;

	for (k = 0; k < NREADS; k++) {
		times[k] = 0;
		if (reads[k].driver && !driver)
			continue;
		self = count(reads[k].four ? &four : &one);
		if (vperfctr_state_reader(self, &reader) < 0 && driver)
			fail(perfctr_error());
		times[k] = measure_read(k, self, &reader);
		vperfctr_unlink(self);
		vperfctr_close(self);
	}
}

enum { OPENS, CONTROLS, UNLINKS, CLOSES, CALLS };
/* Instructions of the caller, over either; the time until the driver returns, with its sleeps. */
enum { OVER_PERF, OVER_DRIVER, WAIT, CALL_COLUMNS };

static const struct {
	const char *name;
	double limit[CALL_COLUMNS]; /* 0: none */
} calls[CALLS] = {
	{ "vperfctr_open()", { 0, MOST(56100, 0), MOST(56100, 0) } },
	{ "vperfctr_control(), the TSC and 1 counter", { 0, MOST(24600, 0), MOST(134500, 0) } },
	{ "vperfctr_unlink()", { 0, MOST(21200, 0), MOST(130700, 0) } },
	{ "vperfctr_close()", { 0, MOST(34700, 0), MOST(34700, 0) } },
};

static void take_turn(struct vperfctr_control *control, clockid_t clock, double times[CALLS + 1])
{
	struct vperfctr *self;

	times[OPENS] = time_by(clock);
	self = vperfctr_open();
	times[CONTROLS] = time_by(clock);
	if (!self || vperfctr_control(self, control) < 0)
		fail("a turn");
	times[UNLINKS] = time_by(clock);
	vperfctr_unlink(self);
	times[CLOSES] = time_by(clock);
	vperfctr_close(self);
	times[CALLS] = time_by(clock);
}

/* Each call in the mean of many turns: the least of some means. */
static void measure_calls(double best[CALLS], clockid_t clock)
{
	const struct load one = { .tsc = true, .nractrs = 1 };
	struct vperfctr_control control = control_of(&one);
	double sum[CALLS], times[CALLS + 1], own = time_by(clock);
	int i, k, turn;

	for (i = 0; i < ROUNDS; i++)
		time_by(clock);
	own = (time_by(clock) - own) / (ROUNDS + 1);
	for (i = 0; i < CALLS; i++)
		best[i] = 1e18;
	for (k = 0; k < REPEATS; k++) {
		memset(sum, 0, sizeof(sum));
		for (turn = 0; turn < ROUNDS; turn++) {
			take_turn(&control, clock, times);
			for (i = 0; i < CALLS; i++)
				sum[i] += times[i + 1] - times[i] - own;
		}
		for (i = 0; i < CALLS; i++)
			if (sum[i] / ROUNDS < best[i])
				best[i] = sum[i] / ROUNDS;
	}
}

/* An interrupt in a switch moves a difference: limits are a tenth above what is usual, or more. */
static const struct load loads[] = {
	{ "nothing", false, 0, 0, { { 0 } } },
#if defined(__aarch64__)
	{ "the TSC", true, 0, 0, { { 2200, 2200 }, { 210, 170 }, { 210, 170 } } },
	{ "the TSC and 1 counter", true, 1, 0, { { 4200, 4200 }, { 275, 217 }, { 275, 217 } } },
	{ "the TSC and 4 counters", true, 4, 0, { { 9800, 9800 }, { 370, 280 }, { 370, 280 } } },
	{ "the TSC and 1 i-mode one", true, 0, 1, { { 6100, 6100 }, { 900, 710 }, { 900, 710 } } },
#else
	{ "the TSC", true, 0, 0, { { 1850, 1850 }, { 300, 230 }, { 300, 230 } } },
	{ "the TSC and 1 counter", true, 1, 0, { { 3600, 3600 }, { 647, 265 }, { 520, 265 } } },
	{ "the TSC and 4 counters", true, 4, 0, { { 9300, 9300 }, { 930, 330 }, { 810, 330 } } },
	{ "the TSC and 1 i-mode one", true, 0, 1, { { 5200, 5200 }, { 800, 700 }, { 660, 610 } } },
#endif
};

/* Of perf_events, each of two threads that a set counts since before they were created. */
static const struct set {
	const char *name, *events;
	double most;
} sets[] = {
	{ "a set of 1 event", "instructions:u", 600 },
	{ "a set of 4 events", "{instructions:u,instructions:u,instructions:u,cycles:u}", 600 },
};

enum { LOADS = sizeof(loads) / sizeof(loads[0]), SETS = sizeof(sets) / sizeof(sets[0]) };

static struct times {
	double of_switch[LOADS][PROVIDERS][PAIRS], of_set[SETS], of_read[2][NREADS],
		of_call[CALL_COLUMNS][CALLS];
} times;

static void measure_provider(unsigned int provider)
{
	double(*time)[PROVIDERS][PAIRS] = times.of_switch;
	unsigned int i;

	/* What is done once is done. */
	measure_in_child(&loads[0], run_processes, NULL);
	for (i = 0; i < LOADS; i++) {
		time[i][provider][PROCESSES] = measure_in_child(&loads[i], run_processes, NULL);
		time[i][provider][THREADS] = measure_in_child(&loads[i], run_threads, NULL);
	}
	if (provider == OPEN)
		return;
	measure_reads(times.of_read[provider], provider == DRIVER);
	measure_calls(times.of_call[provider == PERF ? OVER_PERF : OVER_DRIVER],
		      CLOCK_THREAD_CPUTIME_ID);
	if (provider == DRIVER)
		measure_calls(times.of_call[WAIT], CLOCK_MONOTONIC);
}

static void load_driver(const char *parameters)
{
	int module = open("/perfctr.ko", O_RDONLY);

	setenv("PERFCTR_PROVIDER", "driver", 1);
	if (module < 0 || syscall(SYS_finit_module, module, parameters, 0) < 0)
		fail("/perfctr.ko");
	close(module);
}

static void unload_driver(void)
{
	usleep(100000);
	if (syscall(SYS_delete_module, "perfctr", O_NONBLOCK) < 0)
		fail("the driver stays");
}

static void measure_driver(void)
{
#if defined(__aarch64__) /* which has no such thing */
	load_driver("");
#else
	load_driver("see_others=1");
#endif
	measure_provider(OPEN);
	unload_driver();
	load_driver("");
	measure_provider(DRIVER);
	unload_driver();
}

static void measure_perf(void)
{
	unsigned int i;

	setenv("PERFCTR_PROVIDER", "perf", 1);
	measure_provider(PERF);
	for (i = 0; i < SETS; i++)
		times.of_set[i] = measure_in_child(&loads[0], run_threads, sets[i].events);
}

static int failures;

static void compare(const char *name, double time, double most)
{
	if (most > 0 && time > most) {
		printf("not ok: %s: %.0f, and not at most %.0f\n", name, time, most);
		failures++;
	}
}

/* What counting adds; and what a switch takes without, which is the first line. */
static double added(unsigned int i, unsigned int provider, unsigned int pair)
{
	double nothing = times.of_switch[0][provider][pair];

	return times.of_switch[i][provider][pair] - (i ? nothing : 0);
}

static void print_switches(void)
{
	unsigned int i, k;
	double set;

	printf("| a switch with | perf_events | threads | driver | threads | see_others=1 | threads "
	       "|\n|---|---:|---:|---:|---:|---:|---:|\n");
	for (i = 0; i < LOADS; i++) {
		printf("| %s%s |", loads[i].name, i ? ", in addition" : "");
		for (k = 0; k < PROVIDERS * PAIRS; k++)
			printf(" %.0f |", added(i, k / PAIRS, k % PAIRS));
		puts("");
	}
	for (i = 0; i < LOADS; i++)
		for (k = 0; k < PROVIDERS * PAIRS; k++)
			compare(loads[i].name, added(i, k / PAIRS, k % PAIRS),
				loads[i].most[k / PAIRS][k % PAIRS]);
	for (i = 0; i < SETS; i++) {
		set = times.of_set[i] - times.of_switch[0][PERF][THREADS];
		printf("| %s, in addition | | %.0f | | | | |\n", sets[i].name, set);
		compare(sets[i].name, set, sets[i].most);
	}
}

static void print_reads(void)
{
	unsigned int i, k;

	printf("\n| a read | perf_events | driver |\n|---|---:|---:|\n");
	for (i = 0; i < NREADS; i++) {
		printf("| %s |", reads[i].name);
		if (reads[i].driver)
			printf(" |");
		else
			printf(" %.0f |", times.of_read[PERF][i]);
		printf(" %.0f |\n", times.of_read[DRIVER][i]);
	}
	for (i = 0; i < NREADS; i++)
		for (k = 0; k < 2; k++)
			compare(reads[i].name, times.of_read[k][i], reads[i].limit[k]);
}

static void print_calls(void)
{
	unsigned int i, k;

	printf("\n| a call | perf_events | driver | ns until the driver returns |\n"
	       "|---|---:|---:|---:|\n");
	for (i = 0; i < CALLS; i++)
		printf("| %s | %.0f | %.0f | %.0f |\n", calls[i].name, times.of_call[OVER_PERF][i],
		       times.of_call[OVER_DRIVER][i], times.of_call[WAIT][i]);
	for (i = 0; i < CALLS; i++)
		for (k = 0; k < CALL_COLUMNS; k++)
			compare(calls[i].name, times.of_call[k][i], calls[i].limit[k]);
}

/* The driver first: perf_events looks after its events at each switch for a second longer. */
int main(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &first) < 0)
		fail("SCHED_FIFO");
	measure_driver();
	measure_perf();
	print_switches();
	print_reads();
	print_calls();
	return failures != 0;
}
