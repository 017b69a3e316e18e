// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions, where instructions are counted exactly: what begin and end add is subtracted to the
 * last one, and what they cost is within its limits.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <perfctr/regions.h>
#include "tests/harness/guest.h"

PERFCTR_REGION(outer, "outer");
PERFCTR_REGION(middle, "middle");
PERFCTR_REGION(inner, "inner");
PERFCTR_REGION(empty, "empty");

/* Exactly 2 * n + 1 instructions. */
#if defined(__aarch64__)
#define WORK(n)                                                            \
	do {                                                               \
		unsigned long left_;                                       \
		__asm__ volatile("mov %0, %1; 1: subs %0, %0, #1; b.ne 1b" \
				 : "=&r"(left_)                            \
				 : "i"(n)                                  \
				 : "cc");                                  \
	} while (0)
enum { LIMIT_1 = 126, LIMIT_4 = 260, LIMIT_NESTED_1 = 165, LIMIT_NESTED_4 = 335 };
#elif defined(__riscv)
#define WORK(n)                                                               \
	do {                                                                  \
		unsigned long left_;                                          \
		__asm__ volatile("li %0, %1; 1: addi %0, %0, -1; bnez %0, 1b" \
				 : "=&r"(left_)                               \
				 : "i"(n));                                   \
	} while (0)
enum { LIMIT_1 = 141, LIMIT_4 = 308, LIMIT_NESTED_1 = 182, LIMIT_NESTED_4 = 397 };
#elif defined(__powerpc64__)
#define WORK(n)                                                            \
	do {                                                               \
		unsigned long left_;                                       \
		__asm__ volatile("li %0, %1; 1: addic. %0, %0, -1; bne 1b" \
				 : "=&b"(left_)                            \
				 : "i"(n)                                  \
				 : "cr0", "xer");                          \
	} while (0)
/* The kernel's with it, which is asked whose the descriptor is, and reads. */
enum { LIMIT_1 = 15000, LIMIT_4 = 48000, LIMIT_NESTED_1 = 15000, LIMIT_NESTED_4 = 48000 };
#else
#define WORK(n)                                                                                   \
	do {                                                                                      \
		unsigned long left_;                                                              \
		__asm__ volatile("mov %1, %0; 1: dec %0; jnz 1b" : "=&r"(left_) : "i"(n) : "cc"); \
	} while (0)
enum { LIMIT_1 = 103, LIMIT_4 = 220, LIMIT_NESTED_1 = 125, LIMIT_NESTED_4 = 270 };
#endif
#ifdef __powerpc64__
enum { LIMIT_MOMENTS = 100 };
#else
enum { LIMIT_MOMENTS = 35 };
#endif

/* A second event of the same, and a third. RISC-V has one counter each in QEMU: a cycle is an
 * instruction. */
#ifdef __riscv
#define TWO   "instructions:u,cycles:u"
#define THREE TWO
#else
#define TWO   "instructions:u,instructions:u"
#define THREE TWO ",instructions:u"
#endif

/* On POWER the kernel reads, and what it executes for that is subtracted as well as it can be. */
static bool is_near(uint64_t value, uint64_t expected, uint64_t visits)
{
	uint64_t off = value > expected ? value - expected : expected - value;

	return off <= (counts_are_exact() ? 0 : visits * 1500);
}

/* A tick's instructions fall into some attempts there, not into all. */
static int attempted(int (*attempt)(void))
{
	unsigned int left;

	for (left = counts_are_exact() ? 0 : 9; attempt(); left--) {
		if (left == 0)
			return 1;
	}
	return 0;
}

static struct perfctr_region_reading reading;

static int read_it(const struct perfctr_region *region, uint64_t visits)
{
	CHECK(perfctr_region_read(region, &reading) == 0, "%s", perfctr_error());
	CHECK(reading.visits == visits && !reading.unfinished && !reading.uncounted,
	      "%s: %llu visits, %llu, %llu", region->name, (unsigned long long)reading.visits,
	      (unsigned long long)reading.unfinished, (unsigned long long)reading.uncounted);
	return 0;
}

/* Whether value i of a region is what it must be. */
static int check_value(const struct perfctr_region *region, unsigned int i, uint64_t visits,
		       uint64_t inclusive, uint64_t exclusive)
{
	const struct perfctr_region_value *value = &reading.value[i];

	if (read_it(region, visits))
		return 1;
	/* What begin and end take may differ from time to time, above all as a clock says. */
	CHECK(value->quality == PERFCTR_EXACT || value->quality == PERFCTR_ESTIMATE, "%u",
	      value->quality);
	CHECK(is_near(value->inclusive, inclusive, visits), "%s: %llu, not %llu", region->name,
	      (unsigned long long)value->inclusive, (unsigned long long)inclusive);
	CHECK(is_near(value->exclusive, exclusive, visits), "%s: %llu, not %llu", region->name,
	      (unsigned long long)value->exclusive, (unsigned long long)exclusive);
	return 0;
}

static __attribute__((noinline)) void visit_empty(unsigned int n)
{
	while (n--) {
		perfctr_region_begin(&empty);
		perfctr_region_end(&empty);
	}
}

static __attribute__((noinline)) void visit_pair(unsigned int n)
{
	while (n--) {
		perfctr_region_begin(&outer);
		perfctr_region_begin(&empty);
		perfctr_region_end(&empty);
		perfctr_region_end(&outer);
	}
}

/* Whatever the order in which they are visited first. */
static __attribute__((noinline)) void visit_nested(void)
{
	perfctr_region_begin(&outer);
	WORK(1000);
	perfctr_region_begin(&middle);
	perfctr_region_begin(&inner);
	WORK(500);
	perfctr_region_end(&inner);
	perfctr_region_begin(&empty);
	perfctr_region_end(&empty);
	WORK(100);
	perfctr_region_end(&middle);
	perfctr_region_end(&outer);
}

static int start(const char *events, unsigned int keep)
{
	perfctr_regions_stop(); /* a failed test's */
	CHECK(perfctr_regions_start(events, keep) == 0, "%s", perfctr_error());
	return 0;
}

static int exact(const char *events, unsigned int keep)
{
	unsigned int n, i;

	if (start(events, keep))
		return 1;
	for (n = 1; n <= 3; n++) {
		visit_nested();
		for (i = 1; i == 1 || i < reading.nvalues; i++) {
			if (check_value(&empty, i, n, 0, 0) ||
			    check_value(&inner, i, n, n * 1001, n * 1001) ||
			    check_value(&middle, i, n, n * 1202, n * 201) ||
			    check_value(&outer, i, n, n * 3203, n * 2001))
				return 1;
		}
	}
	visit_empty(1000);
	if (check_value(&empty, 1, 1003, 0, 0))
		return 1;
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	return 0;
}

static int exact_1(void)
{
	return exact("instructions:u", 0);
}

static int exact_2(void)
{
	return exact(TWO, 0);
}

static int exact_3(void)
{
	return exact(THREE, 0);
}

static int exact_group(void)
{
	return exact("{" TWO "}", PERFCTR_REGIONS_MOMENTS);
}

static int exact_one(void)
{
	return attempted(exact_1);
}

static int exact_many(void)
{
	return attempted(exact_2) || attempted(exact_3) || attempted(exact_group);
}

/* In functions of their own: a loop may have addresses at hand. */
static __attribute__((noinline)) void visit_short(void)
{
	perfctr_region_begin(&outer);
	perfctr_region_begin(&middle);
	WORK(100);
	perfctr_region_begin(&inner);
	perfctr_region_end(&inner);
	perfctr_region_end(&middle);
	perfctr_region_end(&outer);
}

static __attribute__((noinline)) void visit_long(void)
{
	perfctr_region_begin(&outer);
	WORK(300);
	perfctr_region_end(&outer);
}

static int exact_moments(void)
{
	const struct perfctr_region_value *value = &reading.value[1];
	unsigned int i;

	if (start("instructions:u", PERFCTR_REGIONS_HISTOGRAM))
		return 1;
	for (i = 0; i < 4; i++)
		visit_short();
	visit_long();
	if (read_it(&outer, 5))
		return 1;
	CHECK(value->minimum == 201 && value->maximum == 601, "%llu, %llu",
	      (unsigned long long)value->minimum, (unsigned long long)value->maximum);
	CHECK(value->mean > 280.99 && value->mean < 281.01, "%f", value->mean);
	CHECK(value->deviation > 178.88 && value->deviation < 178.89, "%f", value->deviation);
	/* Buckets from 192 to 207, and from 576 to 639, of which nothing is above the maximum. */
	CHECK(value->p50 == 207 && value->p90 == 601, "%llu %llu", (unsigned long long)value->p50,
	      (unsigned long long)value->p90);
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	return 0;
}

/* As LIKWID's and PAPI's may: the first ends first. */
static struct perfctr_region first = { "first", 1, 1, perfctr_region_calibrate },
			     second = { "second", 1, 1, perfctr_region_calibrate },
			     third = { "third", 1, 1, perfctr_region_calibrate };

static __attribute__((noinline)) void visit_overlapping(void)
{
	perfctr_region_begin(&outer);
	perfctr_region_begin(&first);
	WORK(100);
	perfctr_region_begin(&second);
	WORK(200);
	perfctr_region_begin(&empty);
	perfctr_region_end(&empty);
	perfctr_region_begin(&third);
	WORK(300);
	perfctr_region_end(&first);
	WORK(400);
	perfctr_region_end(&second);
	WORK(500);
	perfctr_region_end(&third);
	perfctr_region_end(&outer);
}

static int overlap_of(const char *events, unsigned int keep)
{
	unsigned int n, i;

	if (start(events, keep))
		return 1;
	for (n = 1; n <= 20; n++) {
		visit_overlapping();
		for (i = 1; i == 1 || i < reading.nvalues; i++) {
			if (check_value(&first, i, n, n * 1203, n * 802) ||
			    check_value(&second, i, n, n * 1803, n * 1202) ||
			    check_value(&third, i, n, n * 2403, n * 1001) ||
			    check_value(&outer, i, n, n * 3005, 0) ||
			    check_value(&empty, i, n, 0, 0))
				return 1;
		}
	}
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	return 0;
}

static int overlap_1(void)
{
	return overlap_of("instructions:u", 0);
}

static int overlap_3(void)
{
	return overlap_of(THREE, PERFCTR_REGIONS_MOMENTS);
}

static int overlap(void)
{
	return attempted(overlap_1) || attempted(overlap_3);
}

/* Through the kernel: a software event has no register. */
static int empty_through_kernel(void)
{
	if (start("instructions:u,page-faults", 0))
		return 1;
	visit_nested();
	visit_empty(10);
	CHECK(perfctr_region_read(&empty, &reading) == 0, "%s", perfctr_error());
	CHECK(reading.visits == 11 && reading.value[1].inclusive < 100, "%llu",
	      (unsigned long long)reading.value[1].inclusive);
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	return 0;
}

static int kernel(void)
{
	return attempted(empty_through_kernel);
}

/* ---- costs ---- */

static struct perfctr_set *meter;

/* Where ticks are counted, too: the least of some attempts. */
static double count(void (*visit)(unsigned int), unsigned int n)
{
	unsigned int left = counts_are_exact() ? 1 : 30;
	struct perfctr_reading before, after;
	uint64_t least = UINT64_MAX;

	while (left--) {
		perfctr_set_read(meter, &before);
		visit(n);
		perfctr_set_read(meter, &after);
		if (after.value - before.value < least)
			least = after.value - before.value;
	}
	return (double)least;
}

/* A loop's three instructions around begin and end are not theirs. */
static double cost(void (*visit)(unsigned int))
{
	const unsigned int n = counts_are_exact() ? 1000 : 20;

	count(visit, 10);
	return (count(visit, n + 10) - count(visit, 10)) / n - 3;
}

static int check_cost(const char *events, double limit, double limit_nested, unsigned int nvalues)
{
	double without, with, nested;

	meter = perfctr_set_open("instructions:u", NULL, 0);
	CHECK(meter, "%s", perfctr_error());
	if (start(events, 0))
		return 1;
	without = cost(visit_empty);
	nested = cost(visit_pair) - without;
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	if (start(events, PERFCTR_REGIONS_MOMENTS))
		return 1;
	with = cost(visit_empty);
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	perfctr_set_close(meter);
	printf("  begin and end, %s: %.0f, with moments %.0f; within a region %.0f\n", events,
	       without, with, nested);
	CHECK(nested <= limit_nested, "%f", nested);
	CHECK(without <= limit, "%f", without);
	CHECK(with <= without + LIMIT_MOMENTS * nvalues, "%f", with);
	return 0;
}

static int costs(void)
{
	return check_cost("instructions:u", LIMIT_1, LIMIT_NESTED_1, 2) ||
	       check_cost("instructions:u,cycles:u,instructions:u,cycles:u", LIMIT_4,
			  LIMIT_NESTED_4, 5);
}

static int inert(void)
{
	double inert;

	meter = perfctr_set_open("instructions:u", NULL, 0);
	CHECK(meter, "%s", perfctr_error());
	inert = cost(visit_empty);
	perfctr_set_close(meter);
	printf("  begin and end, not measured: %.0f\n", inert);
	CHECK(inert <= 10, "%f", inert);
	return 0;
}

/* ---- threads ---- */

static void *visit(void *arg)
{
	struct perfctr_region_reading mine;

	(void)arg;
	visit_nested();
	visit_nested();
	if (perfctr_region_read(&outer, &mine) < 0)
		return (void *)"its own";
	if (mine.value[1].inclusive != 2 * 3203) {
		printf("  %llu, not %d\n", (unsigned long long)mine.value[1].inclusive, 2 * 3203);
		return (void *)"its own";
	}
	return NULL;
}

static int threads(void)
{
	if (start("instructions:u", 0))
		return 1;
	if (run_in_threads(visit))
		return 1;
	CHECK(perfctr_region_read_all(&outer, &reading) == 0, "%s", perfctr_error());
	CHECK(reading.visits == 104 && reading.value[1].inclusive == 104 * 3203, "%llu: %llu",
	      (unsigned long long)reading.visits, (unsigned long long)reading.value[1].inclusive);
	CHECK(reading.value[1].exclusive == 104 * 2001, "%llu",
	      (unsigned long long)reading.value[1].exclusive);
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	return 0;
}

/* ---- switches ---- */

/* A process that takes the processor from this one again and again, wherever it is then. */
static pid_t start_pest(void)
{
	const struct sched_param high = { .sched_priority = 1 };
	pid_t pid = fork();
	unsigned int k;

	if (pid)
		return pid;
	sched_setscheduler(0, SCHED_FIFO, &high);
	for (k = 0;; k++) {
		struct timespec pause = { 0, 5000 + k * 7919 % 40000 };

		nanosleep(&pause, NULL);
	}
}

static void end_pest(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Whether a visit of each has added what it must, to all values. */
static bool is_exact(uint64_t n)
{
	static const struct {
		const struct perfctr_region *region;
		uint64_t inclusive, exclusive;
	} expected[] = {
		{ &outer, 3203, 2001 },
		{ &middle, 1202, 201 },
		{ &inner, 1001, 1001 },
		{ &empty, 0, 0 },
	};
	unsigned int k, i;

	for (k = 0; k < sizeof(expected) / sizeof(expected[0]); k++) {
		if (read_it(expected[k].region, n))
			return false;
		for (i = 1; i < reading.nvalues; i++) {
			const struct perfctr_region_value *value = &reading.value[i];

			if (value->inclusive == n * expected[k].inclusive &&
			    value->exclusive == n * expected[k].exclusive)
				continue;
			printf("  visit %llu of %s, %u: %llu, %llu\n", (unsigned long long)n,
			       expected[k].region->name, i, (unsigned long long)value->inclusive,
			       (unsigned long long)value->exclusive);
			return false;
		}
	}
	return true;
}

/* The first ones of a thread, which has its counters to open and its regions to find. */
static void *visit_in_thread(void *arg)
{
	uint64_t n;

	for (n = 1; n <= 3; n++) {
		visit_nested();
		if (!is_exact(n))
			return arg;
	}
	return NULL;
}

/* RISC-V's are slow in QEMU. */
#ifdef __riscv
enum { VISITS = 500 };
#else
enum { VISITS = 2000 };
#endif

static int switched_with(const char *events)
{
	struct perfctr_region_value *time = &reading.value[0];
	pthread_t thread;
	const uint64_t visits = repeats(VISITS);
	uint64_t n;
	void *wrong;

	if (start(events, PERFCTR_REGIONS_MOMENTS))
		return 1;
	for (n = 1; n <= visits; n++) {
		visit_nested();
		if (!is_exact(n))
			return 1;
	}
	/* The time that others had is not in it, but some interrupts are; a visit takes 10 us. */
	CHECK(read_it(&outer, visits) == 0 && time->maximum < 400000 && time->inclusive, "%llu ns",
	      (unsigned long long)time->maximum);
	for (n = 0; n < visits / 10; n++) {
		CHECK(pthread_create(&thread, NULL, visit_in_thread, &n) == 0, "no thread");
		pthread_join(thread, &wrong);
		CHECK(!wrong, "thread %llu", (unsigned long long)n);
	}
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	return 0;
}

static int switched(void)
{
	pid_t pest = start_pest();
	int failed = switched_with("instructions:u") || switched_with(THREE);

	end_pest(pest);
	return failed;
}

/* ---- counters that are taken away ---- */

PERFCTR_REGION(late, "late");

/* Events of the processor that have to be on it, as many as it has counters and more. */
static unsigned int take_counters(int *fd, unsigned int n)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.pinned = 1,
	};
	unsigned int i;

	for (i = 0; i < n; i++) {
		fd[i] = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
		if (fd[i] < 0)
			break;
	}
	return i;
}

/* Whoever begins or ends then, for the first time or not, does not read what is not there. */
static int taken_away(void)
{
	unsigned int n, i, late_first;
	int fd[32];

	for (late_first = 0; late_first < 2; late_first++) {
		if (start("instructions:u", 0))
			return 1;
		visit_nested();
		perfctr_region_begin(&outer);
		n = take_counters(fd, 32);
		CHECK(n > 0, "no event of the processor");
		if (late_first) {
			perfctr_region_begin(&late);
			perfctr_region_end(&late);
		}
		perfctr_region_end(&outer);
		visit_nested();
		for (i = 0; i < n; i++)
			close(fd[i]);
		CHECK(perfctr_region_read(&outer, &reading) == 0, "%s", perfctr_error());
		CHECK(reading.visits == 1 && reading.value[1].inclusive == 3203, "%llu: %llu",
		      (unsigned long long)reading.visits,
		      (unsigned long long)reading.value[1].inclusive);
		CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	}
	return 0;
}

/* A thread's visits go on while measuring is started again, with more counters. */
static pthread_barrier_t restarted;

static void *across(void *arg)
{
	perfctr_region_begin(&outer);
	perfctr_region_begin(&inner);
	pthread_barrier_wait(&restarted);
	pthread_barrier_wait(&restarted);
	perfctr_region_end(&inner);
	perfctr_region_end(&outer);
	visit_nested();
	return arg;
}

static int restart(void)
{
	pthread_t thread;

	if (start("instructions:u", 0))
		return 1;
	pthread_barrier_init(&restarted, NULL, 2);
	CHECK(pthread_create(&thread, NULL, across, NULL) == 0, "no thread");
	pthread_barrier_wait(&restarted);
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	if (start(THREE, PERFCTR_REGIONS_HISTOGRAM))
		return 1;
	pthread_barrier_wait(&restarted);
	pthread_join(thread, NULL);
	CHECK(perfctr_region_read_all(&outer, &reading) == 0, "%s", perfctr_error());
	CHECK(reading.visits == 1 && reading.value[1].inclusive == 3203, "%llu: %llu",
	      (unsigned long long)reading.visits, (unsigned long long)reading.value[1].inclusive);
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	return 0;
}

/* ---- a debugger ---- */

/* 0: it has lost its counters and goes on; or it needs none of the pages, as the kernel reads. */
static int visit_stepped(void)
{
	struct perfctr_region_reading of_empty;

	if (perfctr_regions_start("instructions:u", 0) < 0)
		return 2;
	visit_empty(1);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	visit_empty(2);
	raise(SIGSTOP);
	if (perfctr_region_read(&empty, &of_empty) < 0 ||
	    (of_empty.visits != 1 && of_empty.visits != 3))
		return 3;
	return perfctr_regions_stop() < 0 ? 4 : 0;
}

/* It stops the thread at each instruction, so that each read finds its page changed. */
static int stepped(void)
{
	int status, steps = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(visit_stepped());
	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status), "status 0x%X",
	      (unsigned int)status);
	do {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) < 0)
			break;
		waitpid(pid, &status, 0);
	} while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP && ++steps < 300000);
	printf("  %d steps\n", steps);
	if (steps == 300000)
		kill(pid, SIGKILL);
	while (WIFSTOPPED(status)) {
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		waitpid(pid, &status, 0);
	}
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status 0x%X", (unsigned int)status);
	return 0;
}

int main(void)
{
	static const struct guest_test tests[] = {
		{ .name = "not measured, at most 5 instructions each",
		  .run = inert,
		  .inexact = true },
		{ .name = "exact, 1 counter", .run = exact_one, .inexact = true },
		{ .name = "exact, several counters", .run = exact_many, .inexact = true },
		{ .name = "exact, of each visit", .run = exact_moments },
		{ .name = "exact, where they overlap", .run = overlap, .inexact = true },
		{ .name = "through the kernel", .run = kernel, .inexact = true },
		{ .name = "threads", .run = threads },
		{ .name = "exact, wherever another process takes over", .run = switched },
		{ .name = "counters are taken away", .run = taken_away },
		{ .name = "measuring begins again in a visit", .run = restart },
		{ .name = "costs", .run = costs, .inexact = true },
		{ .name = "a debugger steps", .run = stepped, .inexact = true },
	};

	return run_guest(tests, sizeof(tests) / sizeof(tests[0]));
}
