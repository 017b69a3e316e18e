// SPDX-License-Identifier: LGPL-2.1-or-later
/* System-wide counters: what needs no PMU. Counting whole processors takes root's rights. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "lib/base/cpus.h"
#include "lib/base/file.h"
#include "lib/base/word.h"
#include "lib/isa/tsc.h"
#include "libperfctr.h"
#include "tests/harness/control.h"
#include "tests/harness/check.h"
#include "tests/harness/others.h"

static struct gperfctr_cpu_control tsc_on(unsigned int cpu)
{
	struct gperfctr_cpu_control control;

	memset(&control, 0, sizeof(control));
	control.cpu = cpu;
	control.cpu_control.tsc_on = 1;
	return control;
}

static struct gperfctr *open_global(void)
{
	struct gperfctr *global = gperfctr_open();

	ck_assert_msg(global != NULL, "%s", perfctr_error());
	return global;
}

/* False, after a look at the words, if this user can't count processors here. */
static bool is_permitted(void)
{
	struct gperfctr_cpu_control control = tsc_on(0);
	struct gperfctr *global = open_global();
	int result = gperfctr_control(global, &control), error = errno;

	gperfctr_close(global);
	if (result >= 0)
		return true;
	ck_assert_msg(error == EACCES || error == EPERM || error == ENOSYS, "%s", perfctr_error());
	ck_assert_ptr_nonnull(strstr(perfctr_error(), "processor 0: "));
	return false;
}

/* Processors 0 to this one are online: at most two. */
static unsigned int last_cpu(void)
{
	return perfctr_cpu_online(1) == 0;
}

static void arm_all(const struct gperfctr *global)
{
	struct gperfctr_cpu_control control;
	unsigned int cpu;

	for (cpu = 0; cpu <= last_cpu(); cpu++) {
		control = tsc_on(cpu);
		ck_assert_msg(gperfctr_control(global, &control) > (int)cpu, "%s", perfctr_error());
	}
}

static struct gperfctr_cpu_state read_cpu(const struct gperfctr *global, unsigned int cpu)
{
	struct gperfctr_cpu_state state;

	memset(&state, 0x5A, sizeof(state));
	state.cpu = cpu;
	ck_assert_msg(gperfctr_read(global, &state) == 0, "%s", perfctr_error());
	ck_assert_uint_eq(state.cpu, cpu);
	ck_assert_uint_eq(state._reserved1 | state._reserved4, 0);
	return state;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

START_TEST(bad_arguments)
{
	struct gperfctr_cpu_control control = tsc_on(0);
	struct gperfctr *global = open_global();
	struct gperfctr_cpu_state state;
	struct perfctr_info info;

	ck_fails(gperfctr_control(NULL, &control), EINVAL, "a handle");
	ck_fails(gperfctr_start(NULL, 0), EINVAL, "a handle");
	ck_fails(gperfctr_stop(NULL), EINVAL, "a handle");
	ck_fails(gperfctr_read(NULL, &state), EINVAL, "a handle");
	ck_fails(gperfctr_info(NULL, &info), EINVAL, "a handle");
	ck_fails_null(gperfctr_cpus_info(NULL), EINVAL, "a handle");
	gperfctr_close(NULL);
	ck_fails(gperfctr_control(global, NULL), EINVAL, "a control");
	ck_fails(gperfctr_read(global, NULL), EINVAL, "the result");
	ck_fails(gperfctr_info(global, NULL), EINVAL, "the result");

	control = tsc_on(0);
	control.cpu_control.nractrs = PERFCTR_NR_CTRS + 1;
	ck_assert_int_eq(gperfctr_control(global, &control), -1);
	ck_assert(errno == EINVAL || errno == EOPNOTSUPP);
	control = tsc_on(0);
	control.cpu_control.nrictrs = 1;
	ck_fails(gperfctr_control(global, &control), EPERM, "no thread to interrupt");

	ck_fails(gperfctr_start(global, 1), EINVAL, "interval_usec is 1;");
	ck_fails(gperfctr_start(global, 9999), EINVAL, "interval_usec is 9999;");
	ck_assert_int_eq(gperfctr_start(global, 10000), 0);
	gperfctr_close(global);
}
END_TEST

static void make_directory(char *path, const char *directories)
{
	char command[256];

	snprintf(command, sizeof(command), "mkdir -p %s/%s", path, directories);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(processors_that_are_not_there)
{
	const unsigned int cpus[] = { 4, 9, 8191, 8192, 0xFFFFFFFF };
	char root[] = "/tmp/global-XXXXXX", path[256];
	struct gperfctr *global = open_global();
	struct gperfctr_cpu_control control;
	struct gperfctr_cpu_state state;
	unsigned int i;
	FILE *file;

	ck_assert_ptr_nonnull(mkdtemp(root));
	make_directory(root, "sys/devices/system/cpu");
	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/online", root);
	file = fopen(path, "w");
	fputs("0-3,8\n", file);
	fclose(file);
	setenv("PERFCTR_ROOT", root, 1);
	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		control = tsc_on(cpus[i]);
		ck_fails(gperfctr_control(global, &control), EINVAL, "online are 0-3,8");
		/* Not even to be counted no more. */
		control.cpu_control.tsc_on = 0;
		ck_fails(gperfctr_control(global, &control), EINVAL, "online are 0-3,8");
		state.cpu = cpus[i];
		ck_fails(gperfctr_read(global, &state), EINVAL, "online are 0-3,8");
	}
	/* The last one is there for who only reads; nothing is counted there. */
	state = read_cpu(global, 8);
	ck_assert_uint_eq(state.cpu_control.tsc_on, 0);
	unsetenv("PERFCTR_ROOT");
	snprintf(path, sizeof(path), "rm -r %s", root);
	ck_assert_int_eq(system(path), 0);
	gperfctr_close(global);
}
END_TEST

START_TEST(which_provider)
{
	struct perfctr_cpus_info *cpus;
	struct perfctr_info info;
	struct gperfctr *global;

	setenv("PERFCTR_PROVIDER", "driver", 1);
	ck_fails_null(gperfctr_open(), EOPNOTSUPP,
		      "asks for the driver, which has no system-wide counters");
	setenv("PERFCTR_PROVIDER", "nonsense", 1);
	ck_fails_null(gperfctr_open(), EINVAL, "PERFCTR_PROVIDER=nonsense");
	setenv("PERFCTR_PROVIDER", "perf", 1);
	global = open_global();
	unsetenv("PERFCTR_PROVIDER");
	ck_assert_int_eq(gperfctr_info(global, &info), 0);
	ck_assert_int_eq(strncmp(info.driver_version, "perf_events", 11), 0);
	cpus = gperfctr_cpus_info(global);
	ck_assert_ptr_nonnull(cpus);
	ck_assert_uint_ne(cpus->cpus->mask[0], 0);
	free(cpus);
	gperfctr_close(global);
}
END_TEST

START_TEST(the_clock_of_each_processor)
{
	struct gperfctr *global = open_global();
	struct gperfctr_cpu_control control;
	struct gperfctr_cpu_state state, later;
	uint64_t begin, khz = perfctr_tsc_khz();
	unsigned int cpu;

	if (!is_permitted())
		return;
	arm_all(global);
	/* The same processor again, and one less. */
	control = tsc_on(0);
	ck_assert_int_eq(gperfctr_control(global, &control), (int)last_cpu() + 1);
	control.cpu_control.tsc_on = 0;
	ck_assert_int_eq(gperfctr_control(global, &control), (int)last_cpu());
	arm_all(global);
	ck_assert_uint_eq(read_cpu(global, 0).sum.tsc, 0);

	begin = now_ns();
	ck_assert_msg(gperfctr_start(global, 1000000) == (int)last_cpu() + 1, "%s",
		      perfctr_error());
	usleep(20000);
	for (cpu = 0; cpu <= last_cpu(); cpu++) {
		state = read_cpu(global, cpu);
		later = read_cpu(global, cpu);
		ck_assert_uint_eq(state.cpu_control.tsc_on, 1);
		ck_assert_uint_ge(state.sum.tsc, 20000 * khz / 1000);
		ck_assert_uint_lt(state.sum.tsc, (now_ns() - begin) * khz / 1000000);
		ck_assert_uint_gt(later.sum.tsc, state.sum.tsc);
	}

	/* What is started can't be changed, and goes on. */
	ck_fails(gperfctr_control(global, &control), EBUSY, "gperfctr_stop() first");
	ck_fails(gperfctr_start(global, 0), EBUSY, "gperfctr_stop() first");
	ck_assert_uint_gt(read_cpu(global, 0).sum.tsc, state.sum.tsc);

	/* A stop keeps sums and controls to be read, but they do not start again. */
	ck_assert_int_eq(gperfctr_stop(global), 0);
	state = read_cpu(global, 0);
	usleep(1000);
	later = read_cpu(global, 0);
	ck_assert_int_eq(memcmp(&state, &later, sizeof(state)), 0);
	ck_assert_uint_eq(state.cpu_control.tsc_on, 1);
	ck_assert_int_eq(gperfctr_start(global, 0), 0);
	ck_assert_uint_eq(read_cpu(global, 0).sum.tsc, state.sum.tsc);

	/* A new control begins at zero; the other processor's sums stay. */
	later = read_cpu(global, last_cpu());
	control = tsc_on(0);
	ck_assert_int_eq(gperfctr_control(global, &control), 1);
	begin = now_ns();
	ck_assert_int_eq(gperfctr_start(global, 0), 1);
	state = read_cpu(global, 0);
	ck_assert_uint_lt(state.sum.tsc, (now_ns() - begin) * khz / 1000000);
	if (last_cpu() > 0)
		ck_assert_uint_eq(read_cpu(global, 1).sum.tsc, later.sum.tsc);
	gperfctr_close(global);
}
END_TEST

START_TEST(handles_are_independent)
{
	struct gperfctr *one = open_global(), *two = open_global();
	unsigned long long later;

	if (!is_permitted())
		return;
	arm_all(one);
	arm_all(two);
	ck_assert_int_gt(gperfctr_start(one, 0), 0);
	usleep(1000);
	ck_assert_int_gt(gperfctr_start(two, 0), 0);
	later = read_cpu(two, 0).sum.tsc;
	ck_assert_uint_gt(read_cpu(one, 0).sum.tsc, later);
	ck_assert_int_eq(gperfctr_stop(two), 0);
	later = read_cpu(two, 0).sum.tsc;
	ck_assert_uint_gt(read_cpu(one, 0).sum.tsc, later);
	gperfctr_close(two);
	ck_assert_uint_gt(read_cpu(one, 0).sum.tsc, 0);
	gperfctr_close(one);
}
END_TEST

/* The last processor's start fails: none runs, and the next start begins at zero. */
START_TEST(all_or_none)
{
	struct gperfctr *global = open_global();
	struct rlimit limit, few;
	int lowest, result;

	if (!is_permitted())
		return;
	arm_all(global);
	lowest = dup(0);
	close(lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	/* An event and its witness each, and sysfs. */
	few.rlim_cur = (rlim_t)lowest + 2 * last_cpu() + 1;
	setrlimit(RLIMIT_NOFILE, &few);
	errno = 0;
	result = gperfctr_start(global, 0);
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_int_eq(result, -1);
	ck_assert_int_eq(errno, EMFILE);
	ck_assert_ptr_nonnull(
		strstr(perfctr_error(), last_cpu() ? "processor 1: " : "processor 0: "));
	ck_assert_ptr_nonnull(strstr(perfctr_error(), "ulimit -n"));
	ck_assert_uint_eq(read_cpu(global, 0).sum.tsc, 0);
	ck_assert_int_eq(dup(0), lowest);
	close(lowest);
	ck_assert_int_eq(gperfctr_start(global, 0), (int)last_cpu() + 1);
	gperfctr_close(global);
	ck_assert_int_eq(dup(0), lowest);
	close(lowest);
}
END_TEST

START_TEST(a_child_of_fork)
{
	struct gperfctr *global = open_global();
	struct gperfctr_cpu_control control = tsc_on(0);
	struct gperfctr_cpu_state state = { .cpu = 0 };
	unsigned long long before;
	int status;
	pid_t pid;

	if (!is_permitted())
		return;
	arm_all(global);
	ck_assert_int_gt(gperfctr_start(global, 0), 0);
	pid = fork();
	if (pid == 0) {
		int wrong = gperfctr_read(global, &state) != -1 || errno != ESRCH;

		wrong |= gperfctr_stop(global) != -1 || errno != ESRCH;
		wrong |= gperfctr_control(global, &control) != -1 || errno != ESRCH;
		wrong |= gperfctr_start(global, 0) != -1 || errno != ESRCH;
		wrong |= !strstr(perfctr_error(), "parent process");
		gperfctr_close(global);
		_exit(wrong);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	before = read_cpu(global, 0).sum.tsc;
	ck_assert_uint_gt(read_cpu(global, 0).sum.tsc, before);
	gperfctr_close(global);
}
END_TEST

START_TEST(another_user)
{
	int status;
	long level;
	pid_t pid;

	if (!others_enter("another user"))
		return;
	if (perfctr_file_number("/proc/sys/kernel/perf_event_paranoid", &level) < 0 || level < 1)
		return;
	pid = fork();
	if (pid == 0) {
		struct gperfctr_cpu_control control = tsc_on(0);
		struct gperfctr *global = gperfctr_open();

		if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
			_exit(2);
		if (!global || gperfctr_control(global, &control) != -1)
			_exit(3);
		_exit((errno != EACCES && errno != EPERM) ||
		      !strstr(perfctr_error(), "kernel.perf_event_paranoid=0"));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "status 0x%X", status);
}
END_TEST

/* ---- on the made-up PMU ---- */

#ifndef PERFCTR_ABI_POWERPC_H

static struct gperfctr *open_made_up(unsigned int ncpus)
{
	struct gperfctr *global = open_global();
	struct gperfctr_cpu_control control = { .cpu = 0 };

	for (control.cpu = 0; control.cpu < ncpus; control.cpu++) {
		control.cpu_control = control_make(2, 0);
		ck_assert_msg(gperfctr_control(global, &control) == (int)control.cpu + 1, "%s",
			      perfctr_error());
	}
	return global;
}

static uint64_t ticks(uint64_t ns)
{
	return perfctr_rate_ticks(perfctr_rate_from_khz(perfctr_tsc_khz()), ns);
}

#define is_cpu(state, ns, units)                                    \
	do {                                                        \
		ck_assert_uint_eq((state).sum.tsc, ticks(ns));      \
		ck_assert_uint_eq((state).sum.pmc[0], units);       \
		ck_assert_uint_eq((state).sum.pmc[1], 2 * (units)); \
	} while (0)

START_TEST(hardware_events)
{
	struct gperfctr_cpu_control without = { .cpu_control = control_make(2, 0) };
	struct gperfctr_cpu_state state;
	struct gperfctr *global;
	unsigned int round;

	pmu_begin();
	control_set_rates();
	global = open_made_up(1);
	/* Tried, and given back until the start. */
	ck_assert_uint_eq(pmu_events(), 0);
	for (round = 0; round < 2; round++) {
		struct gperfctr_cpu_control control = { .cpu_control = control_make(2, 0) };

		ck_assert_int_eq(gperfctr_control(global, &control), 1);
		ck_assert_int_eq(gperfctr_start(global, 0), 1);
		is_cpu(read_cpu(global, 0), 0, 0);
		pmu_run(0, 0, false, 10);
		pmu_tick_of(0, 0, 1000);
		pmu_run(0, 1, false, 10);
		pmu_run(0, 0, true, 10);
		is_cpu(read_cpu(global, 0), 1000, 10);
		ck_assert_int_eq(gperfctr_stop(global), 0);
		ck_assert_uint_eq(pmu_events(), 0);
		is_cpu(read_cpu(global, 0), 1000, 10);
	}
	/* Somebody else has the counters: at the start, or later. */
	pmu.taken = 3;
	memset(&state, 0, sizeof(state));
	ck_assert_int_eq(gperfctr_control(global,
					  &(struct gperfctr_cpu_control){
						  .cpu_control = control_make(2, 0) }),
			 1);
	ck_fails(gperfctr_start(global, 0), EBUSY, "processor 0: ");
	ck_assert_uint_eq(pmu_events(), 0);
	pmu.taken = 0;
	ck_assert_int_eq(gperfctr_start(global, 0), 1);
	pmu_run(0, 0, false, 3);
	is_cpu(read_cpu(global, 0), 0, 3);
	pmu.taken = 3;
	pmu_schedule();
	ck_fails(gperfctr_read(global, &state), EBUSY, "processor 0: ");
	/* And is told so after the stop, too. */
	ck_assert_int_eq(gperfctr_stop(global), 0);
	ck_fails(gperfctr_read(global, &state), EBUSY, "taken");
	ck_assert_ptr_nonnull(strstr(perfctr_error(), "processor 0: "));
	/* No TSC unless it is asked for. */
	pmu.taken = 0;
	without.cpu_control.tsc_on = 0;
	ck_assert_int_eq(gperfctr_control(global, &without), 1);
	ck_assert_int_eq(gperfctr_start(global, 0), 1);
	pmu_run(0, 0, false, 3);
	pmu_tick_of(0, 0, 100);
	is_cpu(read_cpu(global, 0), 0, 3);
	gperfctr_close(global);
	pmu_end();
}
END_TEST

START_TEST(offline)
{
	struct gperfctr_cpu_state state = { .cpu = 0 };
	struct gperfctr *global;

	pmu_begin();
	control_set_rates();
	global = open_made_up(1);
	ck_assert_int_eq(gperfctr_start(global, 0), 1);
	pmu_run(0, 0, false, 10);
	pmu_tick_of(0, 0, 500);
	pmu_offline(0);
	pmu_run(0, 0, false, 10);
	/* The sums are the last ones, while it counts and after. */
	ck_fails(gperfctr_read(global, &state), ENODEV, "processor 0 has been offline");
	is_cpu(state, 500, 10);
	ck_assert_int_eq(gperfctr_stop(global), 0);
	memset(&state, 0, sizeof(state));
	ck_fails(gperfctr_read(global, &state), ENODEV, "processor 0 has been offline");
	is_cpu(state, 500, 10);
	gperfctr_close(global);
	pmu_end();
}
END_TEST

/* What a stop could not read stays unread, and a read says so. */
START_TEST(a_stop_that_can_not_read)
{
	struct gperfctr_cpu_state state = { .cpu = 0 };
	struct gperfctr *global;

	pmu_begin();
	control_set_rates();
	global = open_made_up(1);
	ck_assert_int_eq(gperfctr_start(global, 0), 1);
	pmu_run(0, 0, false, 2);
	pmu_fail(PMU_READ, 1, EIO);
	gperfctr_stop(global);
	ck_assert(pmu_failed());
	ck_fails(gperfctr_read(global, &state), EIO,
		 "processor 0: its counters could not be read when they were stopped");
	gperfctr_close(global);
	pmu_end();
}
END_TEST

/* Every call of a start fails in its turn: nothing is left running, and the next start counts. */
START_TEST(faults_of_a_start)
{
	struct gperfctr *global;
	unsigned int nth;
	bool failed;
	int result;

	for (nth = 1;; nth++) {
		pmu_begin();
		control_set_rates();
		global = open_made_up(1);
		pmu_fail(PMU_ANY, nth, EIO);
		result = gperfctr_start(global, 0);
		failed = pmu_failed();
		pmu_fail(PMU_ANY, 0, 0);
		if (result < 0) {
			ck_assert_int_eq(errno, EIO);
			ck_assert_ptr_nonnull(strstr(perfctr_error(), "processor 0: "));
			ck_assert_uint_eq(pmu_events(), 0);
			ck_assert_int_eq(gperfctr_start(global, 0), 1);
		}
		pmu_run(0, 0, false, 2);
		is_cpu(read_cpu(global, 0), 0, 2);
		gperfctr_close(global);
		pmu_end();
		if (!failed)
			break;
	}
	ck_assert_uint_gt(nth, 4);
}
END_TEST

#define MADE_UP , hardware_events, offline, a_stop_that_can_not_read, faults_of_a_start
#else
#define MADE_UP
#endif

UNIT_MAIN("global", 60, bad_arguments, processors_that_are_not_there, which_provider,
	  the_clock_of_each_processor, handles_are_independent, all_or_none, a_child_of_fork,
	  another_user MADE_UP)
