// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measures the cost of operations, in instructions, on a processor that counts them exactly
 * (tests/vm): user mode alone, and with the kernel, and how many system calls. One line of a
 * Markdown table each. Fails if one exceeds its limit.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <perfctr/read.h>
#include "tests/harness/guest.h"

#define STOP_START_1 "stop and start, 1 counter"
#define PAUSE_READER "perfctr_reader_pause() and _resume()"
#define PAUSE_1	     "pause and resume, TSC and 1 counter"
#define OPEN_CLOSE_1 "unlink, close, open and control, 1 counter"
#define BRIEF_1	     "the same with VPERFCTR_OPEN_BRIEF"
#define TOTAL_100    "perfctr_total_read(), TSC and 1 counter of 100 threads"

static struct vperfctr *self;
static struct vperfctr_control control;
static struct perfctr_reader reader[4];
static struct perfctr_set *group[2]; /* of 1 and of 4 events, to be read by the kernel */
static uint64_t sink[PERFCTR_NR_CTRS + 1];

/* ---- the least that a read can be: any counter, sign extension, fall-back ---- */

static inline __attribute__((always_inline)) int
minimal(const volatile struct perf_event_mmap_page *page, uint64_t *value)
{
	uint32_t seq, index;
	int64_t pmc;

	do {
		seq = page->lock;
		perfctr_barrier();
		index = page->index;
		if (!index)
			return 0;
		pmc = (int64_t)(perfctr_rdpmc(index - 1) << (64 - page->pmc_width));
		*value = (uint64_t)page->offset + (uint64_t)(pmc >> (64 - page->pmc_width));
		perfctr_barrier();
	} while (page->lock != seq);
	return 1;
}

/* ---- operations ---- */

static void nothing(void)
{
	perfctr_barrier();
}

static void minimal_1(void)
{
	minimal(reader[0].page, &sink[0]);
}

static void minimal_4(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		minimal(reader[i].page, &sink[i]);
}

static void inline_1(void)
{
	perfctr_reader_read(&reader[0], &sink[0]);
}

static void inline_ordered(void)
{
	perfctr_reader_read_ordered(&reader[0], &sink[0]);
}

static void inline_4(void)
{
	perfctr_reader_read_all(reader, 4, sink);
}

static void read_pmc(void)
{
	sink[0] = vperfctr_read_pmc(self, 0);
}

static void read_tsc(void)
{
	sink[0] = vperfctr_read_tsc(self);
}

static void read_ctrs(void)
{
	vperfctr_read_ctrs(self, (struct perfctr_sum_ctrs *)sink);
}

/* Through the kernel: software events have no registers. */
static void kernel_1(void)
{
	struct perfctr_reading r[1];

	perfctr_set_read(group[0], r);
}

static void kernel_4(void)
{
	struct perfctr_reading r[4];

	perfctr_set_read(group[1], r);
}

static struct perfctr_set *single[8], *eight;

static void singles_8(void)
{
	struct perfctr_reading r[1];
	unsigned int i;

	for (i = 0; i < 8; i++)
		perfctr_set_read(single[i], r);
}

static void group_8(void)
{
	struct perfctr_reading r[8];

	perfctr_set_read(eight, r);
}

/* ---- 100 threads that sleep ---- */

#define THREADS 100

static struct perfctr_total *process;
static struct perfctr_set *set;
static pthread_barrier_t ready;

static void *sleeper(void *arg)
{
	struct vperfctr *handle = vperfctr_open();

	if (!handle || vperfctr_control(handle, &control) < 0 ||
	    perfctr_total_add(process, handle) < 0) {
		printf("%s\n", perfctr_error());
		exit(1);
	}
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&ready);
	vperfctr_close(handle);
	return arg;
}

static void process_read(void)
{
	perfctr_total_read(process, (struct perfctr_sum_ctrs *)sink, NULL);
}

static void set_read(void)
{
	struct perfctr_reading r;

	perfctr_set_read(set, &r);
}

static void stop_start(void)
{
	vperfctr_stop(self);
	vperfctr_control(self, &control);
}

static void pause_resume(void)
{
	vperfctr_pause(self);
	vperfctr_resume(self);
}

static void pause_reader(void)
{
	perfctr_reader_pause(&reader[0], &sink[0]);
	perfctr_reader_resume(&reader[0], sink[0]);
}

static void open_again(unsigned int mode)
{
	struct vperfctr *handle;

	vperfctr_unlink(self);
	vperfctr_close(self);
	handle = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | mode);
	if (!handle || vperfctr_control(handle, &control) < 0)
		exit(1);
	self = handle;
}

static void open_close(void)
{
	open_again(0);
}

static void open_close_brief(void)
{
	open_again(VPERFCTR_OPEN_BRIEF);
}

/* ---- measuring ---- */

static void set_control(unsigned int n)
{
	unsigned int i;

	control = instructions(n);
	if (vperfctr_control(self, &control) < 0) {
		printf("%s\n", perfctr_error());
		exit(1);
	}
	for (i = 0; i < n; i++)
		vperfctr_reader(self, i, &reader[i]);
}

/* How many of an event n operations take. */
static uint64_t count(struct perfctr_set *meter, void (*operation)(void), unsigned int n)
{
	struct perfctr_reading before, after;

	perfctr_set_read(meter, &before);
	while (n--)
		operation();
	perfctr_set_read(meter, &after);
	return after.value - before.value;
}

/*
 * Without the tick that one of them may have met, after which a read takes its slow way, and
 * without the CPU clock, which a start asks once a ms: five times n operations take less than 5 ms.
 */
static uint64_t least(struct perfctr_set *meter, void (*operation)(void), unsigned int n)
{
	uint64_t found, result = UINT64_MAX;
	unsigned int k;

	for (k = 0; k < 5; k++) {
		found = count(meter, operation, n);
		if (found < result)
			result = found;
	}
	return result;
}

/* So many operations more; of dear ones fewer, or all repetitions have ticks in them. */
static unsigned int more = 100;

/* The difference between many and few leaves out what surrounds them. */
static double cost(struct perfctr_set *meter, void (*operation)(void))
{
	uint64_t few, many;

	if (!meter)
		return 0;
	count(meter, operation, 10);
	few = least(meter, operation, 10);
	many = least(meter, operation, 10 + more);
	return ((double)many - (double)few) / more;
}

static struct perfctr_set *user, *all, *calls;
static double loop_cost;

/* What operations may cost at most. */
#if defined(__aarch64__)
#define BY_ISA(x86, arm64) arm64
#else
#define BY_ISA(x86, arm64) x86
#endif
static const struct {
	const char *what;
	double user, calls;
} limits[] = {
	{ STOP_START_1, BY_ISA(790, 960), 6.1 }, /* the CPU clock, once a ms */
	{ PAUSE_READER, 50, 0 },
	{ PAUSE_1, BY_ISA(300, 360), 0 },
	{ OPEN_CLOSE_1, 9600, 10 },
	{ BRIEF_1, 9300, 8 },
	{ TOTAL_100, BY_ISA(77000, 96000), 302 },
};
static bool failed;

static void hold(const char *what, double user_cost, double calls_cost)
{
	size_t i;

	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (strcmp(limits[i].what, what) == 0 &&
		    (user_cost > limits[i].user || calls_cost > limits[i].calls)) {
			printf("not ok: more than %.0f instructions or %.0f calls\n",
			       limits[i].user, limits[i].calls);
			failed = true;
		}
}

static void show(const char *what, void (*operation)(void))
{
	double user_cost = cost(user, operation) - loop_cost, calls_cost = cost(calls, operation);

	printf("| %s | %.0f |", what, user_cost);
	if (all)
		printf(" %.0f |", cost(all, operation) - loop_cost);
	else
		printf(" |");
	printf(" %.0f |\n", calls_cost);
	hold(what, user_cost, calls_cost);
}

static void show_groups(void)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		single[i] = perfctr_set_open("page-faults", NULL, 0);
	eight = perfctr_set_open("{task-clock,page-faults,cs,migrations,minor-faults,major-faults,"
				 "alignment-faults,emulation-faults}",
				 NULL, 0);
	if (!eight) {
		printf("%s\n", perfctr_error());
		exit(1);
	}
	show("8 software events, one by one", singles_8);
	show("8 software events, a group", group_8);
	for (i = 0; i < 8; i++)
		perfctr_set_close(single[i]);
	perfctr_set_close(eight);
}

static void show_threads(void)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS };
	pthread_t thread[THREADS];
	unsigned int i;

	process = perfctr_total_create();
	pthread_barrier_init(&ready, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, sleeper, NULL) != 0)
			exit(1);
	pthread_barrier_wait(&ready);
	more = 10;
	show(TOTAL_100, process_read);
	set = perfctr_set_open("instructions:u", &target, PERFCTR_INHERIT);
	if (!set) {
		printf("%s\n", perfctr_error());
		exit(1);
	}
	show("perfctr_set_read(), 1 event of a process of 101 threads", set_read);
	perfctr_set_close(set);
	more = 100;
	pthread_barrier_wait(&ready);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	perfctr_total_destroy(process);
}

/* ---- overflows ---- */

enum { PERIOD = 20000, OVERFLOWS = 101 };

static volatile double entered;

/* Under QEMU with -icount shift=0 a nanosecond is an instruction; arm64's clock ticks every 16. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void ignored(int signo)
{
	(void)signo;
}

static void overflowed(int signo)
{
	(void)signo;
	entered = now();
}

static int compare(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return (d > 0) - (d < 0);
}

static double median(double *times)
{
	qsort(times, OVERFLOWS, sizeof(times[0]), compare);
	return times[OVERFLOWS / 2];
}

/* How many of an event vperfctr_iresume() takes after an overflow. */
static double resume_cost(struct perfctr_set *meter)
{
	struct perfctr_reading before, after, empty;

	if (!meter)
		return 0;
	loop(PERIOD);
	perfctr_set_read(meter, &before);
	perfctr_set_read(meter, &before);
	perfctr_set_read(meter, &empty);
	vperfctr_iresume(self);
	perfctr_set_read(meter, &after);
	return (double)(after.value - empty.value) - (double)(empty.value - before.value);
}

/* How many of an event an overflow takes besides what is counted: the library's way to the handler,
 * and back. */
static double way_cost(struct perfctr_set *meter)
{
	struct perfctr_reading before, between, after;

	if (!meter)
		return 0;
	loop(PERIOD);
	vperfctr_iresume(self);
	perfctr_set_read(meter, &before);
	loop(PERIOD);
	perfctr_set_read(meter, &between);
	loop(PERIOD);
	perfctr_set_read(meter, &after);
	return (double)(between.value - before.value) - (double)(after.value - between.value);
}

/*
 * From the end of a period to the handler, and the way back to counting. The kernel's part by the
 * clock, without the meters: they miss what it does while it has the PMU stopped.
 */
static void show_overflow(void)
{
	struct sigaction action = { .sa_handler = ignored };
	double way[OVERFLOWS], resume[OVERFLOWS], user_cost, calls_cost, user_way, calls_way, t0,
		t1, t2;
	unsigned int i;

	sigaction(SIGUSR1, &action, NULL);
	control = instructions(1);
	control.si_signo = SIGUSR1;
	control.cpu_control.nractrs = 0;
	control.cpu_control.nrictrs = 1;
	control.cpu_control.ireset[0] = -PERIOD;
	control.cpu_control.evntsel[0] |= COUNT_INT;
#if defined(__aarch64__)
	/* Cycles, which are instructions: QEMU's other counters interrupt late. */
	control.cpu_control.pmc_map[0] = 31;
	control.cpu_control.evntsel[0] = (unsigned int)COUNT_USER | 0x0011;
#endif
	if (vperfctr_control(self, &control) < 0) {
		printf("%s\n", perfctr_error());
		exit(1);
	}
	way_cost(user);
	user_way = way_cost(user);
	calls_way = way_cost(calls);
	resume_cost(user);
	user_cost = resume_cost(user);
	calls_cost = resume_cost(calls);
	perfctr_set_close(user);
	if (calls)
		perfctr_set_close(calls);
	action.sa_handler = overflowed;
	sigaction(SIGUSR1, &action, NULL);
	loop(PERIOD);
	for (i = 0; i < OVERFLOWS; i++) {
		now();
		t0 = now();
		t1 = now();
		if (vperfctr_iresume(self) < 0)
			exit(1);
		t2 = now();
		resume[i] = t2 - t1 - (t1 - t0);
		loop(PERIOD);
		way[i] = entered - t2 - PERIOD;
	}
	printf("| i-mode overflow to its handler | %.0f | %.0f | %.0f |\n", user_way, median(way),
	       calls_way);
	printf("| vperfctr_iresume() after it, 1 counter | %.0f | %.0f | %.0f |\n", user_cost,
	       median(resume), calls_cost);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	user = perfctr_set_open("instructions:u", NULL, 0);
	self = vperfctr_open();
	if (!user || !self) {
		printf("no counters here: %s\n", perfctr_error());
		return 77;
	}
	all = perfctr_set_open("instructions", NULL, 0);
	calls = perfctr_set_open("raw_syscalls:sys_enter", NULL, 0);
	loop_cost = cost(user, nothing);
	printf("| operation | user | user + kernel | system calls |\n|---|---|---|---|\n");
	set_control(1);
	show("minimal loop, 1 counter", minimal_1);
	show("perfctr_reader_read()", inline_1);
	show("perfctr_reader_read_ordered()", inline_ordered);
	show("vperfctr_read_pmc()", read_pmc);
	show("vperfctr_read_tsc()", read_tsc);
	show("vperfctr_read_ctrs(), TSC and 1 counter", read_ctrs);
	show(STOP_START_1, stop_start);
	show(PAUSE_READER, pause_reader);
	show(PAUSE_1, pause_resume);
	show(OPEN_CLOSE_1, open_close);
	show(BRIEF_1, open_close_brief);
	open_close();
	vperfctr_stop(self);
	group[0] = perfctr_set_open("task-clock", NULL, 0);
	show("read(2) of a software event", kernel_1);
	group[1] = perfctr_set_open("{task-clock,page-faults,cs,migrations}", NULL, 0);
	show("read(2) of 4 software events", kernel_4);
	show_groups();
	show_threads();
	/* The meters take counters as well: not every processor has six. */
	perfctr_set_close(all);
	all = NULL;
	set_control(4);
	show("minimal loop, 4 counters", minimal_4);
	show("perfctr_reader_read_all(), 4 counters", inline_4);
	show("vperfctr_read_ctrs(), TSC and 4 counters", read_ctrs);
	show("stop and start, 4 counters", stop_start);
	show("pause and resume, TSC and 4 counters", pause_resume);
	show("unlink, close, open and control, 4 counters", open_close);
	show_overflow();
	return failed;
}
