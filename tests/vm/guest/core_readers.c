// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * arm64 with two core types: events of both, read in user space by threads that are moved by force.
 * Their processors share a count (README.md), so that what is exact is the order: a reading is
 * between the kernel's before and after it, which are the sums of both core types.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <perfctr/regions.h>
#include "lib/perf/core_types.h"
#include "perfctr/read.h"
#include "tests/harness/guest.h"

#define ROUNDS 3000

static const char events[] = "inst_retired:u";

static void run_on(pid_t tid, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(tid, sizeof(set), &set);
}

static void run_anywhere(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static struct perfctr_set *open_reader(struct perfctr_reader *reader)
{
	struct perfctr_set *set = perfctr_set_open(events, NULL, 0);

	if (!set || perfctr_set_reader(set, 0, reader) < 0) {
		printf("   %s\n", perfctr_error());
		perfctr_set_close(set);
		return NULL;
	}
	return set;
}

/* ---- somebody moves the thread, again and again ---- */

static atomic_bool enough;

static void *move(void *arg)
{
	pid_t tid = *(pid_t *)arg;
	unsigned int n = 0;

	while (!atomic_load(&enough)) {
		run_on(tid, ++n % 2);
		usleep(n % 7 * 50);
	}
	return NULL;
}

static pthread_t start_mover(pid_t *tid)
{
	pthread_t mover;

	*tid = (pid_t)syscall(SYS_gettid);
	atomic_store(&enough, false);
	pthread_create(&mover, NULL, move, tid);
	return mover;
}

static void end_mover(pthread_t mover)
{
	atomic_store(&enough, true);
	pthread_join(mover, NULL);
	run_anywhere();
}

static int read_on(const struct perfctr_set *set, const struct perfctr_reader *reader,
		   unsigned int rounds)
{
	struct perfctr_reading before, after;
	unsigned int i, quick = 0, cpus[2] = { 0, 0 };
	uint64_t value;

	for (i = 0; i < rounds; i++) {
		if (i % 50 == 0) /* whatever the other does */
			run_on(0, i / 50 % 2);
		CHECK(perfctr_set_read(set, &before) == 0, "%s", perfctr_error());
		loop(i % 100 * 50 + 1);
		if (perfctr_reader_read(reader, &value)) {
			quick++;
			cpus[sched_getcpu() & 1]++;
			CHECK(value >= before.value + 2 * (i % 100 * 50 + 1),
			      "round %u: %llu, before it %llu", i, (unsigned long long)value,
			      (unsigned long long)before.value);
			CHECK(perfctr_set_read(set, &after) == 0, "%s", perfctr_error());
			CHECK(value <= after.value, "round %u: %llu, after it %llu", i,
			      (unsigned long long)value, (unsigned long long)after.value);
		}
	}
	printf("   %u of %u in user space, %u and %u by processor\n", quick, rounds, cpus[0],
	       cpus[1]);
	CHECK(quick > rounds * 9 / 10 && cpus[0] && cpus[1], "%u of %u", quick, rounds);
	return 0;
}

static int moved_by_force(void)
{
	struct perfctr_reader reader;
	struct perfctr_set *set = open_reader(&reader);
	pthread_t mover;
	int failed;
	pid_t tid;

	CHECK(set, "no reader");
	mover = start_mover(&tid);
	failed = read_on(set, &reader, ROUNDS);
	end_mover(mover);
	perfctr_set_close(set);
	return failed;
}

/* All the time: no value is less than the one before. */
static int in_one_go(void)
{
	struct perfctr_reader reader;
	struct perfctr_set *set = open_reader(&reader);
	uint64_t last = 0, value;
	unsigned int i, back = 0, none = 0;
	pthread_t mover;
	pid_t tid;

	CHECK(set, "no reader");
	mover = start_mover(&tid);
	for (i = 0; i < 2000000; i++) {
		if (!perfctr_reader_read(&reader, &value)) {
			none++;
			continue;
		}
		back += value <= last;
		last = value;
	}
	end_mover(mover);
	perfctr_set_close(set);
	printf("   %u of %u through the kernel\n", none, i);
	CHECK(!back, "%u values went back", back);
	CHECK(none < i / 100, "%u of %u", none, i);
	return 0;
}

/* What it costs: the difference of two reads in a row, at its least. */
static int cost(void)
{
	uint64_t values[2], least = UINT64_MAX;
	struct perfctr_reader reader;
	struct perfctr_set *set = open_reader(&reader);
	unsigned int i, cpu;

	CHECK(set, "no reader");
	for (cpu = 0; cpu < 2; cpu++) {
		run_on(0, cpu);
		for (least = UINT64_MAX, i = 0; i < 100; i++) {
			if (perfctr_reader_read(&reader, &values[0]) &&
			    perfctr_reader_read(&reader, &values[1]) &&
			    values[1] - values[0] < least)
				least = values[1] - values[0];
		}
		printf("   %llu instructions from one read to the next on processor %u\n",
		       (unsigned long long)least, cpu);
		CHECK(least <= 58, "%llu", (unsigned long long)least);
	}
	run_anywhere();
	perfctr_set_close(set);
	return 0;
}

/* ---- regions ---- */

PERFCTR_REGION(outer, "outer");
PERFCTR_REGION(inner, "inner");

static int start_regions(void)
{
	CHECK(perfctr_regions_start(events, 0) == 0, "%s", perfctr_error());
	perfctr_region_begin(&inner); /* is calibrated */
	perfctr_region_end(&inner);
	return 0;
}

static void visit(unsigned int n)
{
	while (n--) {
		perfctr_region_begin(&inner);
		perfctr_region_end(&inner);
	}
}

/* A pair of begin and end, at its least; a loop's three instructions are not theirs. */
static int cost_of_regions(void)
{
	struct perfctr_set *set = perfctr_set_open(events, NULL, 0);
	struct perfctr_reading before, after;
	uint64_t least, taken, few;
	unsigned int cpu, i;

	CHECK(set && start_regions() == 0, "%s", perfctr_error());
	for (cpu = 0; cpu < 2; cpu++) {
		run_on(0, cpu);
		for (least = few = UINT64_MAX, i = 0; i < 60; i++) {
			perfctr_set_read(set, &before);
			visit(i % 2 ? 30 : 10);
			perfctr_set_read(set, &after);
			taken = after.value - before.value;
			if (i % 2 && taken < least)
				least = taken;
			if (i % 2 == 0 && taken < few)
				few = taken;
		}
		printf("   %llu instructions of begin and end on processor %u\n",
		       (unsigned long long)(least - few) / 20 - 3, cpu);
		CHECK(least - few <= 20 * (352 + 3), "%llu", (unsigned long long)(least - few));
	}
	run_anywhere();
	perfctr_set_close(set);
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	return 0;
}

/* Each counts all that it did, and no more than the kernel around it. */
static int regions_moved_by_force(void)
{
	struct perfctr_set *set = perfctr_set_open(events, NULL, 0);
	struct perfctr_region_reading of_outer, of_inner;
	struct perfctr_reading before, after;
	unsigned int i, k;
	pthread_t mover;
	uint64_t most;
	pid_t tid;

	CHECK(set && start_regions() == 0, "%s", perfctr_error());
	mover = start_mover(&tid);
	for (k = 0; k < 3; k++) {
		perfctr_region_reset(&outer);
		perfctr_region_reset(&inner);
		for (i = 0, most = 0; i < 400; i++) {
			perfctr_set_read(set, &before);
			perfctr_region_begin(&outer);
			perfctr_region_begin(&inner);
			loop(100000);
			perfctr_region_end(&inner);
			perfctr_region_end(&outer);
			perfctr_set_read(set, &after);
			most += after.value - before.value;
		}
		CHECK(perfctr_region_read(&outer, &of_outer) == 0 &&
			      perfctr_region_read(&inner, &of_inner) == 0,
		      "%s", perfctr_error());
		printf("   400 regions of 200000: %llu and %llu, at most %llu, %s\n",
		       (unsigned long long)of_inner.value[1].inclusive,
		       (unsigned long long)of_outer.value[1].inclusive, (unsigned long long)most,
		       perfctr_quality_name(of_outer.value[1].quality));
		CHECK(of_inner.visits == 400 && of_outer.visits == 400, "%llu visits",
		      (unsigned long long)of_inner.visits);
		CHECK(of_inner.value[1].inclusive >= 400 * 200000, "less than the loops");
		CHECK(of_outer.value[1].inclusive >= of_inner.value[1].inclusive &&
			      of_outer.value[1].inclusive <= most,
		      "not between inner and the kernel's");
		CHECK(of_outer.value[1].quality == PERFCTR_EXACT ||
			      of_outer.value[1].quality == PERFCTR_ESTIMATE,
		      "%u", of_outer.value[1].quality);
		CHECK(of_inner.value[0].inclusive <= of_outer.value[0].inclusive, "the time");
	}
	end_mover(mover);
	perfctr_set_close(set);
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	return 0;
}

/* ---- signals ---- */

static struct perfctr_reader shared_reader;
static volatile uint64_t of_handler;
static volatile sig_atomic_t handled, went_back;

static void on_alarm(int signo)
{
	uint64_t value;

	(void)signo;
	if (!perfctr_reader_read(&shared_reader, &value))
		return;
	went_back |= value <= of_handler;
	of_handler = value;
	handled++;
}

static int handlers_read(void)
{
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct perfctr_set *set = open_reader(&shared_reader);
	struct sigaction alarm = { .sa_handler = on_alarm };
	uint64_t before, value;
	unsigned int i, wrong = 0;
	pthread_t mover;
	pid_t tid;

	CHECK(set, "no reader");
	mover = start_mover(&tid);
	sigaction(SIGALRM, &alarm, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 1000000; i++) {
		before = of_handler;
		if (perfctr_reader_read(&shared_reader, &value))
			wrong += value <= before;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	end_mover(mover);
	perfctr_set_close(set);
	printf("   %d handlers have read\n", (int)handled);
	CHECK(!wrong && !went_back && handled > 10, "%u wrong", wrong);
	return 0;
}

/* ---- processes ---- */

static int exits_with(pid_t pid, int expected)
{
	int status = -1;

	CHECK(waitpid(pid, &status, 0) == pid && status == expected << 8, "status 0x%X",
	      (unsigned int)status);
	return 0;
}

static int count_a_little(void)
{
	struct perfctr_reader reader;
	struct perfctr_set *set = open_reader(&reader);
	pthread_t mover;
	int failed;
	pid_t tid;

	CHECK(set, "no reader");
	mover = start_mover(&tid);
	failed = read_on(set, &reader, 200);
	end_mover(mover);
	perfctr_set_close(set);
	return failed;
}

/* A child of fork() has none of it, opens its own, and executes a program that opens its own. */
static int children(void)
{
	struct perfctr_reader reader;
	struct perfctr_set *set = open_reader(&reader);
	uint64_t value;
	pid_t pid;
	int failed;

	CHECK(set, "no reader");
	pid = fork();
	if (pid == 0)
		_exit(perfctr_reader_read(&reader, &value) ? 1 : count_a_little() ? 2 : 0);
	failed = exits_with(pid, 0);
	pid = vfork();
	if (pid == 0)
		execl("/proc/self/exe", "core_readers", "child", (char *)NULL);
	failed |= exits_with(pid, 0);
	CHECK(perfctr_reader_read(&reader, &value), "after them");
	perfctr_set_close(set);
	return failed;
}

/* A debugger steps through the child: each sequence is aborted, and the kernel is asked. */
static int stepped(void)
{
	struct perfctr_reader reader;
	struct perfctr_set *set;
	uint64_t value;
	int status, steps = 0;
	pid_t pid = fork();

	if (pid == 0) {
		set = open_reader(&reader);
		if (!set || !perfctr_reader_read(&reader, &value))
			_exit(2);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(perfctr_reader_read(&reader, &value) ? 1 : 0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status), "status 0x%X",
	      (unsigned int)status);
	while (WIFSTOPPED(status) && steps < 100000) {
		CHECK(WSTOPSIG(status) == (steps ? SIGTRAP : SIGSTOP), "signal %d after %d steps",
		      WSTOPSIG(status), steps);
		steps++;
		ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
		waitpid(pid, &status, 0);
	}
	printf("   %d steps\n", steps);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status 0x%X", (unsigned int)status);
	return 0;
}

/* ---- others' restartable sequences ---- */

#define SIGNATURE  0xD428BC00u
#define UNREGISTER 1

static struct perfctr_rseq own[2] __attribute__((aligned(32)));

/* The program unregisters glibc's area, or has its own: nothing watches the library's sequences. */
static int unregistered(bool has_own)
{
	struct perfctr_reader reader, none;
	struct perfctr_set *set = open_reader(&reader);
	pthread_t mover;
	uint64_t value;
	unsigned int i;
	pid_t tid;

	CHECK(set && perfctr_reader_read(&reader, &value), "no reader");
	CHECK(syscall(SYS_rseq, perfctr_rseq_here(), 32, UNREGISTER, SIGNATURE) == 0, "%s",
	      strerror(errno));
	if (has_own)
		CHECK(syscall(SYS_rseq, own, 32, 0, SIGNATURE) == 0, "%s", strerror(errno));
	mover = start_mover(&tid);
	for (i = 0; i < 1000; i++)
		CHECK(!perfctr_reader_read(&reader, &value), "it is read");
	CHECK_FAILS(perfctr_set_reader(set, 0, &none), EOPNOTSUPP, "rseq");
	end_mover(mover);
	perfctr_set_close(set);
	set = perfctr_set_open(events, NULL, 0);
	CHECK(set, "%s", perfctr_error());
	CHECK_FAILS(perfctr_set_reader(set, 0, &none), EOPNOTSUPP, "rseq");
	perfctr_set_close(set);
	return 0;
}

static int without_rseq(void)
{
	int failed = 0, has_own;

	for (has_own = 0; has_own < 2; has_own++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(unregistered(has_own) ? 1 : 0);
		failed |= exits_with(pid, 0);
	}
	return failed;
}

/* A program's own sequences in glibc's area may be left set: the kernel clears them, too. */
static int own_sequences(void)
{
	/* The kernel looks at the signature before it looks where the thread is. */
	static const uint32_t code[4] = { SIGNATURE };
	static struct {
		uint32_t version, flags;
		uint64_t start, length, abort;
	} elsewhere __attribute__((aligned(32)));
	volatile struct perfctr_rseq *rseq = perfctr_rseq_here();
	struct perfctr_reader reader;
	struct perfctr_set *set = open_reader(&reader);
	uint64_t last = 0, value;
	unsigned int i, none = 0, back = 0;
	pthread_t mover;
	pid_t tid;

	CHECK(set && rseq, "no reader");
	elsewhere.start = (uintptr_t)&code[2];
	elsewhere.length = 4;
	elsewhere.abort = (uintptr_t)&code[1];
	mover = start_mover(&tid);
	for (i = 0; i < 200000; i++) {
		rseq->rseq_cs = (uintptr_t)&elsewhere;
		if (!perfctr_reader_read(&reader, &value)) {
			none++;
			continue;
		}
		CHECK(!rseq->rseq_cs, "it is left set");
		back += value <= last;
		last = value;
	}
	end_mover(mover);
	perfctr_set_close(set);
	CHECK(!back && none < i / 100, "%u went back, %u not read", back, none);
	return 0;
}

/* An event of one core type is the kernel's to read, by a thread that may leave. */
static int of_one_type(void)
{
	struct perfctr_set *set = perfctr_set_open("armv8_cortex_a53/inst_retired/u", NULL, 0);
	struct perfctr_reader reader;
	uint64_t value;

	CHECK(set, "%s", perfctr_error());
	CHECK_FAILS(perfctr_set_reader(set, 0, &reader), EOPNOTSUPP, "bound to one core type");
	CHECK(!perfctr_reader_read(&reader, &value), "it is read");
	perfctr_set_close(set);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct guest_test tests[] = {
		INEXACT_TEST(moved_by_force),
		INEXACT_TEST(in_one_go),
		INEXACT_TEST(cost),
		INEXACT_TEST(cost_of_regions),
		INEXACT_TEST(regions_moved_by_force),
		INEXACT_TEST(handlers_read),
		INEXACT_TEST(children),
		INEXACT_TEST(stepped),
		INEXACT_TEST(without_rseq),
		INEXACT_TEST(own_sequences),
		INEXACT_TEST(of_one_type),
	};

	(void)argv;
	if (argc > 1)
		return count_a_little();
	return run_guest(tests, sizeof(tests) / sizeof(tests[0]));
}
