// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * arm64 with two core types: a kernel with a PMU for each of two processors, of which the first
 * one's is the driver's. Their processors share a count (README.md): what is known of counts is
 * where they are 0, and what they are at least.
 */
#include <signal.h>
#include <sys/wait.h>
#include "tests/vm/guest/driver.h"

#define N 1000000ul /* loops: twice as many instructions */

static int device;

static void run_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void run_anywhere(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* ---- the library over perf_events ---- */

static const char other_type[] = "armv8_cortex_a53/inst_retired/u";

/* Wherever the thread is, it is counted. */
static int by_name(void)
{
	struct perfctr_set *set = perfctr_set_open("inst_retired:u", NULL, 0);
	struct perfctr_reading before, after;
	unsigned int cpu;

	CHECK(set, "%s", perfctr_error());
	CHECK(perfctr_set_read(set, &before) == 0, "%s", perfctr_error());
	for (cpu = 0; cpu < 2; cpu++) {
		run_on(cpu);
		loop(N);
	}
	CHECK(perfctr_set_read(set, &after) == 0, "%s", perfctr_error());
	CHECK(after.value - before.value >= 4 * N, "%llu",
	      (unsigned long long)(after.value - before.value));
	perfctr_set_close(set);
	run_anywhere();
	return 0;
}

/* One type's own event counts there, and nothing elsewhere. */
static int of_one_type(void)
{
	struct perfctr_set *set = perfctr_set_open(other_type, NULL, 0);
	struct perfctr_reading before, there, elsewhere;

	CHECK(set, "%s", perfctr_error());
	run_on(1);
	CHECK(perfctr_set_read(set, &before) == 0, "%s", perfctr_error());
	loop(N);
	run_on(0);
	CHECK(perfctr_set_read(set, &there) == 0, "%s", perfctr_error());
	loop(N);
	CHECK(perfctr_set_read(set, &elsewhere) == 0, "%s", perfctr_error());
	CHECK(there.value - before.value >= 2 * N, "%llu",
	      (unsigned long long)(there.value - before.value));
	CHECK(elsewhere.value == there.value, "%llu",
	      (unsigned long long)(elsewhere.value - there.value));
	perfctr_set_close(set);
	run_anywhere();
	return 0;
}

/* ---- the driver ---- */

/* A control with counters keeps its thread where they are; the TSC alone does not. */
static int narrowed(void)
{
	struct vperfctr_control c = instructions(0);
	struct handle h;
	cpu_set_t set;

	run_anywhere();
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "the TSC");
	sched_getaffinity(0, sizeof(set), &set);
	CHECK(CPU_COUNT(&set) == 2, "by the TSC");
	c = instructions(1);
	CHECK(set_control(h.fd, &c) == 0, "control: %s", strerror(errno));
	sched_getaffinity(0, sizeof(set), &set);
	CHECK(CPU_COUNT(&set) == 1 && CPU_ISSET(0, &set), "it may run on %d", CPU_COUNT(&set));
	CHECK(measure(&h, 0, N) >= 2 * N, "nothing counts");
	close_state(&h);
	run_anywhere();
	return 0;
}

/* Who may run on the other type only gets none, and keeps what runs. */
static int refused(void)
{
	struct vperfctr_control c = instructions(0);
	struct perfctr_sum_ctrs before, after;
	struct handle h;

	run_on(1);
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "the TSC");
	CHECK(read_state(h.fd, &before, &c) == 0, "read");
	c = instructions(1);
	CHECK(set_control(h.fd, &c) < 0 && errno == EINVAL, "control: %s", strerror(errno));
	loop(N);
	CHECK(read_state(h.fd, &after, &c) == 0 && after.tsc > before.tsc, "the TSC stands");
	CHECK(c.cpu_control.nractrs == 0, "control");
	close_state(&h);
	run_anywhere();
	return 0;
}

static volatile sig_atomic_t trespassed;

static void note_signal(int signo)
{
	trespassed = signo;
}

/* Who goes there all the same has its counters stopped, with a signal, and reads nobody's. */
static int trespasses(void)
{
	struct vperfctr_control c = instructions(1);
	struct perfctr_sum_ctrs before, after;
	struct handle h;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (open_state(device, &h) < 0 || set_control(h.fd, &c) < 0)
			_exit(1);
		signal(SIGILL, note_signal);
		run_on(1);
		loop(N);
		if (trespassed != SIGILL)
			_exit(2);
		if (read_state(h.fd, &before, &c) < 0 || before.pmc[0] >= 2 * N)
			_exit(3);
		loop(N);
		if (read_state(h.fd, &after, &c) < 0 || after.pmc[0] != before.pmc[0] ||
		    after.tsc != before.tsc)
			_exit(4);
		signal(SIGILL, SIG_DFL);
		rdpmc(0);
		_exit(5);
	}
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGILL, "status 0x%X", (unsigned)status);
	return 0;
}

/* perf_events has the other type's counters, all of them, while ours count. */
static int beside_perf(void)
{
	struct vperfctr_control c = instructions(2);
	struct perfctr_reading before, after;
	struct perfctr_set *set[8];
	struct handle h;
	unsigned int n;

	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	setenv("PERFCTR_PROVIDER", "perf_events", 1);
	for (n = 0; n < 6; n++)
		CHECK((set[n] = perfctr_set_open(other_type,
						 &(const struct perfctr_target){
							 .type = PERFCTR_TARGET_CPU, .id = 1 },
						 0)) != NULL,
		      "%u: %s", n, perfctr_error());
	CHECK(perfctr_set_read(set[5], &before) == 0, "%s", perfctr_error());
	CHECK(measure(&h, 1, N) >= 2 * N, "ours");
	if (fork() == 0) {
		run_on(1);
		loop(N);
		_exit(0);
	}
	wait(NULL);
	CHECK(perfctr_set_read(set[5], &after) == 0 && after.quality == PERFCTR_EXACT &&
		      after.value - before.value >= 2 * N,
	      "theirs: %llu, quality %u", (unsigned long long)(after.value - before.value),
	      after.quality);
	while (n--)
		perfctr_set_close(set[n]);
	close_state(&h);
	return 0;
}

int main(void)
{
	static const struct guest_test perf_tests[] = {
		INEXACT_TEST(by_name),
		INEXACT_TEST(of_one_type),
	};
	static const struct guest_test driver_tests[] = {
		INEXACT_TEST(narrowed),
		INEXACT_TEST(refused),
		INEXACT_TEST(trespasses),
		INEXACT_TEST(beside_perf),
	};
	int failures = run_guest(perf_tests, sizeof(perf_tests) / sizeof(perf_tests[0]));

	failures += run_driver_tests(driver_tests, sizeof(driver_tests) / sizeof(driver_tests[0]),
				     &device) != 0;
	close(device);
	return unload_driver() < 0 || failures;
}
