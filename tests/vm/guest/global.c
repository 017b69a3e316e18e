// SPDX-License-Identifier: LGPL-2.1-or-later
/* System-wide counters: whose, against whom, on a processor that goes. See tests/vm/README.md. */
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include "tests/harness/guest.h"

#define N      10000000ul /* loops: twice as many instructions */
#define OTHERS 2000000ul  /* more than all else here executes in user mode meanwhile */

static unsigned int cpus; /* 1 or 2 */

static void run_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static int set_online(const char *value)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);
	int result = fd < 0 || write(fd, value, 1) != 1 ? -1 : 0;

	close(fd);
	return result;
}

/* Arm processor cpu with n counters. */
static int arm(struct gperfctr *global, unsigned int cpu, unsigned int n)
{
	struct gperfctr_cpu_control control;

	memset(&control, 0, sizeof(control));
	control.cpu = cpu;
	control.cpu_control = instructions(n).cpu_control;
	return gperfctr_control(global, &control);
}

static struct gperfctr *open_armed(unsigned int n)
{
	struct gperfctr *global = gperfctr_open();
	unsigned int cpu;

	for (cpu = 0; global && cpu < cpus; cpu++)
		if (arm(global, cpu, n) != (int)cpu + 1) {
			printf("  %s\n", perfctr_error());
			gperfctr_close(global);
			return NULL;
		}
	return global;
}

static int read_cpu(struct gperfctr *global, unsigned int cpu, struct gperfctr_cpu_state *state)
{
	memset(state, 0x5A, sizeof(*state));
	state->cpu = cpu;
	return gperfctr_read(global, state);
}

static int where_it_happens(void)
{
	struct gperfctr *global = open_armed(2);
	struct gperfctr_cpu_state before[2], after[2], again;
	unsigned int cpu, k;

	CHECK(global, "%s", perfctr_error());
	CHECK(gperfctr_start(global, 0) == (int)cpus, "%s", perfctr_error());
	for (k = 0; k < cpus; k++) {
		run_on(k);
		for (cpu = 0; cpu < cpus; cpu++)
			CHECK(read_cpu(global, cpu, &before[cpu]) == 0, "%s", perfctr_error());
		loop(N);
		for (cpu = 0; cpu < cpus; cpu++) {
			unsigned long long count;

			CHECK(read_cpu(global, cpu, &after[cpu]) == 0, "%s", perfctr_error());
			CHECK(after[cpu].cpu_control.nractrs == 2, "control");
			CHECK(after[cpu].sum.tsc > before[cpu].sum.tsc, "TSC");
			CHECK(after[cpu].sum.pmc[0] >= after[cpu].sum.pmc[1], "in its order");
			count = after[cpu].sum.pmc[1] - before[cpu].sum.pmc[1];
			printf("  on %u: processor %u counts %llu\n", k, cpu, count);
			CHECK(cpu == k ? count >= 2 * N && count < 2 * N + OTHERS : count < OTHERS,
			      "%llu", count);
		}
	}
	CHECK(gperfctr_stop(global) == 0, "%s", perfctr_error());
	CHECK(read_cpu(global, 0, &after[0]) == 0, "%s", perfctr_error());
	run_on(0);
	loop(N);
	CHECK(read_cpu(global, 0, &again) == 0 && !memcmp(&again, &after[0], sizeof(again)),
	      "counts after the stop");
	gperfctr_close(global);
	return 0;
}

/* Opens groups of one event each on the last processor, until there is no room. Their number. */
static unsigned int hog_all(struct perfctr_set **hog, unsigned int n)
{
	unsigned int i = 0;

	while (i < n &&
	       (hog[i] = perfctr_set_open("instructions:u",
					  &(const struct perfctr_target){
						  .type = PERFCTR_TARGET_CPU, .id = (int)cpus - 1 },
					  0)))
		i++;
	return i;
}

/* A whole start or none; whoever takes the counters away later makes no zeros. */
static int busy_counters(void)
{
	struct perfctr_set *hog[64];
	struct gperfctr *global = open_armed(2);
	struct gperfctr_cpu_state state;
	int last = (int)cpus - 1;
	char words[32];
	unsigned int n, i;

	CHECK(global, "%s", perfctr_error());
	n = hog_all(hog, 64);
	CHECK(n > 1 && n < 64 && errno == EBUSY, "%u groups, then %s", n, perfctr_error());
	snprintf(words, sizeof(words), "processor %d: ", last);
	CHECK_FAILS(gperfctr_start(global, 0), EBUSY, words);
	printf("  %s\n", perfctr_error());
	run_on(0);
	loop(N);
	CHECK(read_cpu(global, 0, &state) == 0 && state.sum.pmc[0] == 0 && state.sum.tsc == 0,
	      "processor 0 has been started: %llu", state.sum.pmc[0]);
	for (i = 0; i < n; i++)
		perfctr_set_close(hog[i]);

	/* The start can be repeated. The kernel serves first who was there first. */
	for (i = 0; i < n; i++) {
		hog[i] = perfctr_set_open("instructions:u",
					  &(const struct perfctr_target){
						  .type = PERFCTR_TARGET_CPU, .id = last },
					  PERFCTR_DISABLED);
		CHECK(hog[i], "%s", perfctr_error());
	}
	CHECK(gperfctr_start(global, 0) == (int)cpus, "%s", perfctr_error());
	run_on((unsigned int)last);
	loop(N);
	CHECK(read_cpu(global, (unsigned int)last, &state) == 0 && state.sum.pmc[0] >= 2 * N,
	      "%llu", state.sum.pmc[0]);
	for (i = 0; i < n; i++)
		CHECK(perfctr_set_enable(hog[i]) == 0, "%s", perfctr_error());
	CHECK_FAILS(read_cpu(global, (unsigned int)last, &state), EBUSY, words);
	printf("  %s\n", perfctr_error());
	CHECK(last == 0 || read_cpu(global, 0, &state) == 0, "%s", perfctr_error());
	CHECK(gperfctr_stop(global) == 0, "%s", perfctr_error());
	CHECK_FAILS(read_cpu(global, (unsigned int)last, &state), EBUSY, words);
	for (i = 0; i < n; i++)
		perfctr_set_close(hog[i]);
	gperfctr_close(global);
	return 0;
}

/* Not even while a child has the descriptors. */
static int a_child_keeps_nothing(void)
{
	struct perfctr_set *hog[64];
	unsigned int room = hog_all(hog, 64), i, again;
	struct gperfctr *global;
	pid_t pid;

	CHECK(room > 1 && room < 64, "%u groups", room);
	for (i = 0; i < room; i++)
		perfctr_set_close(hog[i]);
	global = open_armed(2);
	CHECK(global && gperfctr_start(global, 0) == (int)cpus, "%s", perfctr_error());
	pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	gperfctr_close(global);
	again = hog_all(hog, 64);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < again; i++)
		perfctr_set_close(hog[i]);
	CHECK(again == room, "%u groups, then %u", room, again);
	return 0;
}

static int hotplug(void)
{
	struct gperfctr *global = open_armed(1), *fresh;
	struct gperfctr_cpu_state first, state;
	struct perfctr_set *group;
	struct perfctr_reading reading[2];

	if (cpus < 2) {
		printf("  there is one processor only\n");
		gperfctr_close(global);
		return 0;
	}
	CHECK(global && gperfctr_start(global, 0) == 2, "%s", perfctr_error());
	group = perfctr_set_open("instructions:u",
				 &(const struct perfctr_target){ .type = PERFCTR_TARGET_CPU,
								 .id = 1 },
				 0);
	CHECK(group, "%s", perfctr_error());
	run_on(1);
	loop(N);
	run_on(0);
	CHECK(set_online("0") == 0, "offline");
	CHECK_FAILS(read_cpu(global, 1, &first), ENODEV, "processor 1 has been offline");
	CHECK(first.sum.pmc[0] >= 2 * N && first.sum.pmc[0] < 2 * N + OTHERS && first.sum.tsc > 0,
	      "%llu", first.sum.pmc[0]);
	CHECK(read_cpu(global, 0, &state) == 0, "%s", perfctr_error());
	CHECK(perfctr_set_read(group, reading) == 0 && reading[0].quality == PERFCTR_STALE &&
		      reading[0].value >= 2 * N,
	      "quality %u", reading[0].quality);

	/* A control for it, and a start without it. */
	fresh = gperfctr_open();
	CHECK(fresh && arm(fresh, 0, 1) == 1, "%s", perfctr_error());
	CHECK_FAILS(arm(fresh, 1, 1), EINVAL, "online are 0");
	CHECK_FAILS(read_cpu(fresh, 1, &state), EINVAL, "online are 0");
	CHECK(set_online("1") == 0, "online");
	CHECK(arm(fresh, 1, 1) == 2, "%s", perfctr_error());
	CHECK(set_online("0") == 0, "offline");
	CHECK_FAILS(gperfctr_start(fresh, 0), EINVAL, "no processor 1");
	CHECK(read_cpu(fresh, 0, &state) == 0 && state.sum.tsc == 0, "started: %llu",
	      state.sum.tsc);
	CHECK(set_online("1") == 0, "online");

	/* It is back, and does not count. */
	run_on(1);
	loop(N);
	CHECK_FAILS(read_cpu(global, 1, &state), ENODEV, "start again");
	CHECK(!memcmp(&state, &first, sizeof(state)), "other sums: %llu", state.sum.pmc[0]);
	CHECK(perfctr_set_read(group, reading) == 0 && reading[0].quality == PERFCTR_STALE,
	      "quality %u", reading[0].quality);
	CHECK_FAILS(perfctr_set_enable(group), ENODEV, "offline");
	perfctr_set_close(group);
	CHECK(gperfctr_stop(global) == 0, "%s", perfctr_error());
	CHECK_FAILS(read_cpu(global, 1, &state), ENODEV, "start again");
	CHECK(!memcmp(&state, &first, sizeof(state)), "other sums: %llu", state.sum.pmc[0]);

	/* A new start counts from zero. */
	CHECK(gperfctr_start(fresh, 0) == 2, "%s", perfctr_error());
	CHECK(arm(global, 1, 1) == 1 && gperfctr_start(global, 0) == 1, "%s", perfctr_error());
	loop(N);
	CHECK(read_cpu(global, 1, &state) == 0, "%s", perfctr_error());
	CHECK(state.sum.pmc[0] >= 2 * N && state.sum.pmc[0] < 2 * N + OTHERS, "%llu",
	      state.sum.pmc[0]);
	CHECK(read_cpu(fresh, 1, &state) == 0 && state.sum.pmc[0] >= 2 * N, "%llu",
	      state.sum.pmc[0]);
	gperfctr_close(fresh);
	gperfctr_close(global);
	return 0;
}

static int another_user(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct gperfctr *global = gperfctr_open();

		if (setresuid(65534, 65534, 65534) < 0 || !global || arm(global, 0, 1) != -1)
			_exit(2);
		printf("  %s\n", perfctr_error());
		_exit((errno != EACCES && errno != EPERM) ||
		      !strstr(perfctr_error(), "kernel.perf_event_paranoid=0"));
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", status);
	return 0;
}

int main(void)
{
	static const struct guest_test tests[] = {
		INEXACT_TEST(where_it_happens),	     INEXACT_TEST(busy_counters),
		INEXACT_TEST(a_child_keeps_nothing), INEXACT_TEST(hotplug),
		INEXACT_TEST(another_user),
	};

	cpus = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1;
	return run_guest(tests, sizeof(tests) / sizeof(tests[0]));
}
