// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets of events on kernels with a PMU: exact counts of processes, processors and cgroups, strict
 * sets that lose the PMU, processors that go offline.
 */
#include <sched.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include "tests/harness/guest.h"

static const struct perfctr_target process = { .type = PERFCTR_TARGET_PROCESS };

/* ---- threads that do what they are told ---- */

struct worker {
	pthread_t thread;
	pid_t tid;
	int order[2], answer[2];
};

struct order {
	unsigned long n;
	bool thread; /* let a new thread do it */
};

static void *run_once(void *arg)
{
	loop(*(unsigned long *)arg);
	return NULL;
}

static __attribute__((noinline)) void obey(const struct worker *worker, const struct order *order)
{
	unsigned long n = order->n;
	pthread_t thread;

	if (!order->thread) {
		loop(n);
	} else {
		pthread_create(&thread, NULL, run_once, &n);
		pthread_join(thread, NULL);
	}
	syscall(SYS_write, worker->answer[1], "", 1);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct order order;

	worker->tid = (pid_t)syscall(SYS_gettid);
	syscall(SYS_write, worker->answer[1], "", 1);
	while (syscall(SYS_read, worker->order[0], &order, sizeof(order)) == sizeof(order))
		obey(worker, &order);
	return NULL;
}

static void await(struct worker *worker)
{
	char byte;

	if (read(worker->answer[0], &byte, 1) != 1) {
		perror("a worker's answer");
		exit(1);
	}
	/* Until it has gone back to sleep. */
	usleep(2000);
}

static void tell(struct worker *worker, unsigned long n, bool thread)
{
	struct order order = { .n = n, .thread = thread };

	if (write(worker->order[1], &order, sizeof(order)) != sizeof(order)) {
		perror("an order");
		exit(1);
	}
	await(worker);
}

static int start_workers(struct worker *worker, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		CHECK(pipe(worker[i].order) == 0 && pipe(worker[i].answer) == 0, "pipe");
		CHECK(pthread_create(&worker[i].thread, NULL, work, &worker[i]) == 0, "thread");
		await(&worker[i]);
	}
	return 0;
}

static void end_workers(struct worker *worker, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		close(worker[i].order[1]);
		pthread_join(worker[i].thread, NULL);
		close(worker[i].order[0]);
		close(worker[i].answer[0]);
		close(worker[i].answer[1]);
	}
}

/* What part p counts when its thread spins n. */
static uint64_t measure(struct perfctr_set *set, unsigned int p, struct worker *worker,
			unsigned long n)
{
	struct perfctr_reading before[3], after[3];

	if (perfctr_set_read_part(set, p, before) < 0)
		return 0;
	tell(worker, n, false);
	if (perfctr_set_read_part(set, p, after) < 0 || after[0].quality != PERFCTR_EXACT)
		return 0;
	return after[0].value - before[0].value;
}

/* ---- tests ---- */

#define WORKERS 3

/* Each thread's part to the instruction; the total is that of the parts. */
static int count_threads(unsigned int flags)
{
	struct worker worker[WORKERS];
	struct perfctr_reading sum[3], before[3], part[3];
	struct perfctr_part what;
	struct perfctr_set *set;
	unsigned int i, k;
	uint64_t one, two, total;

	CHECK(start_workers(worker, WORKERS) == 0, "workers");
	set = perfctr_set_open("instructions:u,{page-faults,instructions:u}", &process, flags);
	if (!set && !(flags & PERFCTR_INHERIT) && errno == EOPNOTSUPP) {
		struct utsname name;

		uname(&name);
		CHECK(strncmp(name.release, "5.10.", 5) == 0 && strstr(perfctr_error(), "5.13"),
		      "%s", perfctr_error());
		printf("  %s: %s\n", name.release, perfctr_error());
		end_workers(worker, WORKERS);
		return 0;
	}
	CHECK(set, "%s", perfctr_error());
	CHECK(perfctr_set_parts(set) == WORKERS + 1, "%u parts", perfctr_set_parts(set));
	for (i = 0; i < WORKERS; i++) {
		CHECK(perfctr_set_part(set, i + 1, &what) == 0 && what.tid == worker[i].tid,
		      "part %u", i);
		measure(set, i + 1, &worker[i], 1);
		one = measure(set, i + 1, &worker[i], 10000);
		two = measure(set, i + 1, &worker[i], 30000);
		CHECK(two - one == 40000, "loops of 10000 and 30000: %llu and %llu instructions",
		      (unsigned long long)one, (unsigned long long)two);
	}
	/* Threads that come and end. */
	CHECK(perfctr_set_read(set, before) == 0, "%s", perfctr_error());
	for (i = 0; i < WORKERS; i++)
		for (k = 0; k < 5; k++)
			tell(&worker[i], 1000000, true);
	end_workers(worker, WORKERS);
	CHECK(perfctr_set_read(set, sum) == 0, "%s", perfctr_error());
	total = sum[0].value - before[0].value;
	CHECK(total >= WORKERS * 5 * 2000000ull && total < WORKERS * 5 * 2000000ull + 200000,
	      "%llu", (unsigned long long)total);
	CHECK(sum[0].quality == PERFCTR_EXACT && sum[0].enabled == sum[0].running, "quality");
	CHECK(perfctr_set_disable(set) == 0, "%s", perfctr_error());
	CHECK(perfctr_set_read(set, sum) == 0, "%s", perfctr_error());
	for (i = 0; i <= WORKERS; i++) {
		CHECK(perfctr_set_read_part(set, i, part) == 0, "%s", perfctr_error());
		sum[0].value -= part[0].value;
		sum[0].running -= part[0].running;
	}
	CHECK(sum[0].value == 0 && sum[0].running == 0, "the parts don't make the sum");
	perfctr_set_close(set);
	return 0;
}

static int threads(void)
{
	return count_threads(0) || count_threads(PERFCTR_INHERIT) ||
	       count_threads(PERFCTR_INHERIT | PERFCTR_MULTIPLEX);
}

/* Pinned on all processors, until they have no counter left. The number of sets. */
static unsigned int hog(struct perfctr_set **hogs, unsigned int room)
{
	struct perfctr_target all = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	unsigned int n = 0;

	while (n < room && (hogs[n] = perfctr_set_open("instructions:u", &all, 0)))
		n++;
	return n;
}

static void release(struct perfctr_set **hogs, unsigned int n)
{
	while (n)
		perfctr_set_close(hogs[--n]);
}

/* A thread loses the PMU to somebody else: that is an error, and none of its numbers a count. */
static int strict_sets(void)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD };
	struct perfctr_reading reading[3];
	struct perfctr_set *hogs[64], *pinned, *inherited;
	struct perfctr_set *group, *own;
	struct worker worker;
	unsigned int n;

	CHECK(start_workers(&worker, 1) == 0, "worker");
	target.id = worker.tid;
	pinned = perfctr_set_open("page-faults,{instructions:u,cs}", &target, 0);
	inherited = perfctr_set_open("instructions:u", &process, PERFCTR_INHERIT);
	group = perfctr_set_open("{instructions:u,cs}",
				 &(const struct perfctr_target){ .type = PERFCTR_TARGET_THREAD,
								 .id = worker.tid },
				 0);
	CHECK(pinned && inherited && group, "%s", perfctr_error());
	tell(&worker, 1000, false);
	CHECK(perfctr_set_read(pinned, reading) == 0 && reading[1].quality == PERFCTR_EXACT &&
		      reading[1].value >= 2000,
	      "%s", perfctr_error());
	CHECK(perfctr_set_read(inherited, reading) == 0, "%s", perfctr_error());

	n = hog(hogs, 64);
	CHECK(n > 0 && n < 64 && errno == EBUSY, "%u sets, then %s", n, perfctr_error());
	own = perfctr_set_open("instructions:u", NULL, 0);
	CHECK(!own && errno == EBUSY, "%s", perfctr_error());
	/* A processor's counts go before a thread's. */
	tell(&worker, 100000, false);
	CHECK_FAILS(perfctr_set_read(group, reading), EBUSY, "somebody else");
	CHECK(reading[0].quality == PERFCTR_NOT_COUNTED &&
		      reading[1].quality == PERFCTR_NOT_COUNTED,
	      "quality %u", reading[0].quality);
	CHECK_FAILS(perfctr_set_reset(group), EBUSY, "somebody else");
	CHECK_FAILS(perfctr_set_read(pinned, reading), EBUSY, "somebody else");
	CHECK(reading[1].quality == PERFCTR_NOT_COUNTED && reading[0].quality == PERFCTR_EXACT,
	      "quality %u, %u", reading[1].quality, reading[0].quality);
	CHECK_FAILS(perfctr_set_read_part(pinned, 0, reading), EBUSY, "somebody else");
	/* New threads of a process, too. */
	tell(&worker, 100000, true);
	CHECK_FAILS(perfctr_set_read(inherited, reading), EBUSY, "somebody else");
	CHECK(reading[0].quality != PERFCTR_EXACT && reading[0].running < reading[0].enabled,
	      "quality %u", reading[0].quality);

	release(hogs, n);
	CHECK_FAILS(perfctr_set_read(group, reading), EBUSY, "somebody else");
	CHECK(perfctr_set_disable(group) == 0 && perfctr_set_enable(group) == 0, "%s",
	      perfctr_error());
	CHECK(perfctr_set_disable(pinned) == 0 && perfctr_set_enable(pinned) == 0, "%s",
	      perfctr_error());
	tell(&worker, 100000, false);
	CHECK(perfctr_set_read(group, reading) == 0 && reading[0].value >= 200000, "%s",
	      perfctr_error());
	CHECK(perfctr_set_read(pinned, reading) == 0 && reading[1].value >= 200000 &&
		      reading[1].quality == PERFCTR_EXACT,
	      "%s", perfctr_error());
	/* What it did not count it never will. */
	CHECK_FAILS(perfctr_set_read(inherited, reading), EBUSY, "somebody else");
	perfctr_set_close(pinned);
	perfctr_set_close(inherited);
	perfctr_set_close(group);
	end_workers(&worker, 1);
	return 0;
}

static void run_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

static __attribute__((noinline)) uint64_t on_processor(struct perfctr_set *set, unsigned long n)
{
	struct perfctr_reading before, after;

	if (perfctr_set_read(set, &before) < 0)
		return 0;
	loop(n);
	if (perfctr_set_read(set, &after) < 0 || after.quality != PERFCTR_EXACT)
		return 0;
	return after.value - before.value;
}

static int processors(void)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_CPU };
	struct perfctr_set *set;
	uint64_t one = 0, two = 0;
	int k;

	run_on(0);
	set = perfctr_set_open("instructions:u", &target, 0);
	CHECK(set, "%s", perfctr_error());
	/* Nobody else is awake, mostly. */
	for (k = 0; k < 5 && two - one != 400000; k++) {
		one = on_processor(set, 100000);
		two = on_processor(set, 300000);
	}
	CHECK(two - one == 400000, "loops of 100000 and 300000: %llu and %llu",
	      (unsigned long long)one, (unsigned long long)two);
	perfctr_set_close(set);
	return 0;
}

/* The kernel goes on to answer, with what there was at the end. */
static int an_offline_processor(void)
{
	static const char online[] = "/sys/devices/system/cpu/cpu1/online";
	struct perfctr_target all = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	struct perfctr_reading before[4], after[4], part[4], single, pair[2];
	struct perfctr_set *one, *two;
	struct perfctr_set *set, *tsc;
	unsigned int i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return 0;
	/* Of x86; no core's PMU, and none that counts for several processors. */
	tsc = perfctr_set_open("msr/tsc/,cs", &all, 0);
	set = perfctr_set_open("instructions,cs,{cpu-clock,cs}", &all, 0);
	one = perfctr_set_open("instructions",
			       &(const struct perfctr_target){ .type = PERFCTR_TARGET_CPU,
							       .id = 1 },
			       0);
	two = perfctr_set_open("{instructions,cpu-clock}",
			       &(const struct perfctr_target){ .type = PERFCTR_TARGET_CPU,
							       .id = 1 },
			       0);
	CHECK(set && one && two, "%s", perfctr_error());
	CHECK(perfctr_set_parts(set) == 2, "%u parts", perfctr_set_parts(set));
	run_on(1);
	loop(100000);
	run_on(0);
	usleep(10000);
	CHECK(perfctr_set_read(set, before) == 0 && before[0].quality == PERFCTR_EXACT, "%s",
	      perfctr_error());
	CHECK(write_file(online, "0") == 0, "offline");
	usleep(10000);
	for (i = 0; i < 2; i++) {
		CHECK(perfctr_set_read(set, after) == 0, "%s", perfctr_error());
		CHECK(after[0].quality == PERFCTR_STALE && after[1].quality == PERFCTR_STALE &&
			      after[2].quality == PERFCTR_STALE &&
			      after[3].quality == PERFCTR_STALE,
		      "quality %u %u %u %u", after[0].quality, after[1].quality, after[2].quality,
		      after[3].quality);
		CHECK(after[0].value > before[0].value && after[2].value > before[2].value, "lost");
		CHECK(!tsc || perfctr_set_read(tsc, after) == 0, "%s", perfctr_error());
		CHECK(!tsc || (after[0].quality == PERFCTR_STALE &&
			       after[1].quality == PERFCTR_STALE),
		      "the TSC's quality is %u, %u", after[0].quality, after[1].quality);
		CHECK(perfctr_set_read_part(set, 0, part) == 0 &&
			      part[0].quality == PERFCTR_EXACT && part[3].quality == PERFCTR_EXACT,
		      "the other one is stale, too");
		CHECK(perfctr_set_read_part(set, 1, part) == 0 &&
			      part[0].quality == PERFCTR_STALE &&
			      part[3].quality == PERFCTR_STALE && part[0].value >= 200000,
		      "%llu", (unsigned long long)part[0].value);
		CHECK(perfctr_set_read(one, &single) == 0 && single.quality == PERFCTR_STALE &&
			      single.value >= 200000,
		      "%s", perfctr_error());
		CHECK(perfctr_set_read(two, pair) == 0 && pair[0].quality == PERFCTR_STALE &&
			      pair[0].value >= 200000 && pair[1].value > 0,
		      "%s", perfctr_error());
		/* It comes back; its events don't. */
		CHECK(write_file(online, "1") == 0, "online");
		CHECK_FAILS(perfctr_set_enable(set), ENODEV, "has been offline");
	}
	perfctr_set_close(set);
	perfctr_set_close(tsc);
	perfctr_set_close(one);
	perfctr_set_close(two);
	return 0;
}

/* What a process in the cgroup counts when it spins n. */
static uint64_t in_cgroup(struct perfctr_set *set, unsigned long n)
{
	struct perfctr_reading before[3], after[3];
	int status;
	pid_t pid;

	if (perfctr_set_read(set, before) < 0)
		return 0;
	pid = fork();
	if (pid == 0) {
		if (write_file("/sys/fs/cgroup/perfctr/inner/cgroup.procs", "0") < 0)
			_exit(1);
		loop(n);
		_exit(0);
	}
	loop(100000); /* not in it */
	if (waitpid(pid, &status, 0) != pid || status != 0 || perfctr_set_read(set, after) < 0 ||
	    after[0].quality != PERFCTR_EXACT)
		return 0;
	return after[0].value - before[0].value;
}

static int cgroups(void)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_CGROUP, .cgroup = "perfctr" };
	struct perfctr_set *set;
	uint64_t one = 0, two = 0;
	int k;

	CHECK(mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL) == 0, "mount");
	CHECK(mkdir("/sys/fs/cgroup/perfctr", 0755) == 0, "mkdir");
	CHECK(mkdir("/sys/fs/cgroup/perfctr/inner", 0755) == 0, "mkdir");
	set = perfctr_set_open("instructions:u,cs", &target, 0);
	if (!set) {
		CHECK(errno == EOPNOTSUPP && strstr(perfctr_error(), "cgroup.subtree_control"),
		      "%s", perfctr_error());
		printf("  %s\n", perfctr_error());
		CHECK(write_file("/sys/fs/cgroup/cgroup.subtree_control", "+pids") == 0,
		      "controllers");
		set = perfctr_set_open("instructions:u,cs", &target, 0);
	}
	CHECK(set, "%s", perfctr_error());
	CHECK(perfctr_set_parts(set) == (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), "parts");
	in_cgroup(set, 1);
	for (k = 0; k < 5 && two - one != 400000; k++) {
		one = in_cgroup(set, 100000);
		two = in_cgroup(set, 300000);
	}
	CHECK(two - one == 400000, "loops of 100000 and 300000: %llu and %llu",
	      (unsigned long long)one, (unsigned long long)two);
	perfctr_set_close(set);
	target.cgroup = "/sys/fs/cgroup/perfctr/inner";
	set = perfctr_set_open("{instructions:u,cycles:u}", &target, 0);
	CHECK(set, "%s", perfctr_error());
	perfctr_set_close(set);
	return 0;
}

int main(void)
{
	static const struct guest_test tests[] = {
		{ .name = "threads of a process", .run = threads },
		{ .name = "strict sets", .run = strict_sets },
		{ .name = "processors", .run = processors },
		{ .name = "cgroups", .run = cgroups },
		{ .name = "an offline processor", .run = an_offline_processor, .inexact = true },
	};

	return run_guest(tests, sizeof(tests) / sizeof(tests[0]));
}
