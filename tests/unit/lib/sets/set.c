// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sets of events on threads, processes, processors and cgroups: what needs no PMU. */
#define COUNTS_KERNEL
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "lib/perf/core_types.h"
#include "lib/sets/group.h"
#include "libperfctr.h"
#include "tests/harness/root.h"
#include "tests/harness/pmu.h"
#include "tests/harness/check.h"

static const struct perfctr_target own_process = { .type = PERFCTR_TARGET_PROCESS };

/* Touch n fresh pages, so that there are n page faults. */
static void fault(unsigned int n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = n * page;
	volatile char *memory = perfctr_memory_map(size);

	while (n--)
		memory[n * page] = 1;
	perfctr_memory_unmap((void *)memory, size);
}

/* ---- a thread ---- */

START_TEST(own_thread)
{
	struct perfctr_set *set = perfctr_set_open("page-faults,{task-clock,Page-Faults},cs", NULL,
						   0);
	struct perfctr_reading before[4], after[4], part[4];
	struct perfctr_part what;

	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_size(set), 4);
	ck_assert_str_eq(perfctr_set_name(set, 0), "page-faults");
	ck_assert_str_eq(perfctr_set_name(set, 1), "task-clock");
	ck_assert_str_eq(perfctr_set_name(set, 2), "Page-Faults");
	ck_assert_str_eq(perfctr_set_name(set, 3), "cs");
	ck_assert_ptr_null(perfctr_set_name(set, 4));
	ck_assert_int_eq(perfctr_set_read(set, before), 0);
	fault(1000);
	ck_assert_int_eq(perfctr_set_read(set, after), 0);
	ck_assert_uint_ge(after[0].value - before[0].value, 1000);
	ck_assert_uint_lt(after[0].value - before[0].value, 2000);
	ck_assert_uint_ge(after[2].value - before[2].value, 1000);
	ck_assert_uint_gt(after[1].value, before[1].value);
	ck_assert_uint_eq(after[0].quality, PERFCTR_EXACT);
	ck_assert_uint_eq(after[1].enabled, after[2].enabled);
	ck_assert_uint_eq(after[1].enabled, after[1].running);

	ck_assert_uint_eq(perfctr_set_parts(set), 1);
	ck_assert_int_eq(perfctr_set_part(set, 0, &what), 0);
	ck_assert_int_eq(what.tid, 0);
	ck_assert_int_eq(what.cpu, -1);
	ck_assert_str_eq(what.pmu, "");
	ck_assert_int_eq(perfctr_set_read_part(set, 0, part), 0);
	ck_assert_uint_ge(part[0].value, after[0].value);
	ck_assert_uint_eq(part[3].quality, PERFCTR_EXACT);
	perfctr_set_close(set);
	perfctr_set_close(NULL);
}
END_TEST

START_TEST(enable_disable_reset)
{
	struct perfctr_set *set = perfctr_set_open("page-faults,{cs,page-faults}", &own_process,
						   PERFCTR_DISABLED | PERFCTR_INHERIT);
	struct perfctr_reading reading[3];

	ck_assert_msg(set != NULL, "%s", perfctr_error());
	fault(500);
	ck_assert_int_eq(perfctr_set_read(set, reading), 0);
	ck_assert_uint_eq(reading[0].value, 0);
	ck_assert_uint_eq(reading[0].enabled, 0);
	ck_assert_uint_eq(reading[0].quality, PERFCTR_EXACT);
	ck_assert_int_eq(perfctr_set_enable(set), 0);
	fault(500);
	ck_assert_int_eq(perfctr_set_disable(set), 0);
	fault(500);
	ck_assert_int_eq(perfctr_set_read(set, reading), 0);
	ck_assert_uint_ge(reading[0].value, 500);
	ck_assert_uint_lt(reading[0].value, 1000);
	ck_assert_uint_ge(reading[2].value, 500);
	ck_assert_uint_lt(reading[2].value, 1000);
	ck_assert_uint_gt(reading[0].enabled, 0);
	ck_assert_int_eq(perfctr_set_reset(set), 0);
	ck_assert_int_eq(perfctr_set_read(set, reading), 0);
	ck_assert_uint_eq(reading[0].value, 0);
	ck_assert_uint_eq(reading[2].value, 0);
	perfctr_set_close(set);
}
END_TEST

/* ---- a process ---- */

struct worker {
	pthread_t thread;
	unsigned int pages;
	atomic_int *go; /* fault the first time at 1, again at 2, end at 3 */
	atomic_uint *done;
};

static void wait_until(atomic_int *go, int value)
{
	while (atomic_load(go) < value)
		usleep(200);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	int step;

	for (step = 1; step <= 2; step++) {
		wait_until(worker->go, step);
		fault(worker->pages);
		atomic_fetch_add(worker->done, 1);
	}
	wait_until(worker->go, 3);
	return NULL;
}

static void *fault_once(void *arg)
{
	fault(*(unsigned int *)arg);
	return NULL;
}

#define THREADS 8

/*
 * Linux 6.18 has once counted 5,599 of 5,600 faults of a thread, on a loaded machine, for a reason
 * that was not found: so few too few are noted, and tried again.
 */
static bool is_short(uint64_t value, unsigned int least)
{
	ck_assert_uint_ge(value + 2, least);
	return value < least;
}

/*
 * Threads that were there, threads that come, one that ends: nothing is lost, nothing counted
 * twice. Returns whether one is missing all the same.
 */
static bool count_threads_once(unsigned int flags)
{
	bool lacks = false;
	static const char events[] = "page-faults,{task-clock,page-faults}";
	struct worker worker[THREADS];
	struct perfctr_reading sum[3], part[3];
	struct perfctr_set *set;
	struct perfctr_part what;
	atomic_int go = 0;
	atomic_uint done = 0;
	unsigned int i, pages = 0, more = 2000, theirs;
	uint64_t total = 0;
	pthread_t late;

	for (i = 0; i < THREADS; i++) {
		worker[i] = (struct worker){ .pages = 400 * (i + 1), .go = &go, .done = &done };
		ck_assert_int_eq(pthread_create(&worker[i].thread, NULL, work, &worker[i]), 0);
		pages += 2 * worker[i].pages;
	}
	set = perfctr_set_open(events, &own_process, flags);
	if (!set && errno == EOPNOTSUPP && !(flags & PERFCTR_INHERIT))
		ck_assert_ptr_nonnull(strstr(perfctr_error(), "5.13"));
	else
		ck_assert_msg(set != NULL, "%s", perfctr_error());
	for (i = 1; i <= 3; i++) {
		atomic_store(&go, (int)i);
		while (i < 3 && atomic_load(&done) < i * THREADS)
			usleep(200);
	}
	ck_assert_int_eq(pthread_create(&late, NULL, fault_once, &more), 0);
	pthread_join(late, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(worker[i].thread, NULL);
	if (!set)
		return false;
	ck_assert_int_eq(perfctr_set_read(set, sum), 0);
	for (i = 0; i < 3; i += 2) {
		/* Others may create more processes meanwhile than the watch has room for. */
		ck_assert_uint_le(sum[i].quality, PERFCTR_UNWATCHED);
		lacks |= is_short(sum[i].value, pages + more);
		ck_assert_uint_lt(sum[i].value, (pages + more) * 5 / 4);
	}
	/*
	 * The threads that were there, this one and the workers. What it created is the first
	 * one's.
	 */
	ck_assert_uint_eq(perfctr_set_parts(set), THREADS + 1);
	for (i = 0; i <= THREADS; i++) {
		ck_assert_int_eq(perfctr_set_part(set, i, &what), 0);
		ck_assert(i == 0 ? what.tid == getpid() : what.tid > 0 && what.tid != getpid());
		ck_assert_int_eq(perfctr_set_read_part(set, i, part), 0);
		theirs = i == 0 ? more : 2 * worker[i - 1].pages;
		lacks |= is_short(part[0].value, theirs);
		ck_assert_uint_lt(part[0].value, theirs * 2);
		total += part[0].value;
	}
	ck_assert_int_eq(perfctr_set_read(set, sum), 0);
	ck_assert_uint_ge(sum[0].value, total);
	ck_assert_uint_lt(sum[0].value, total + 100);
	perfctr_set_close(set);
	return lacks;
}

static void count_threads(unsigned int flags)
{
	unsigned int k;

	for (k = 0; k < 3 && count_threads_once(flags); k++)
		;
	ck_assert_uint_lt(k, 3);
}

START_TEST(threads_of_a_process)
{
	count_threads(0);
	count_threads(PERFCTR_INHERIT);
	count_threads(PERFCTR_INHERIT);
}
END_TEST

/* A child process counts only if that is asked for. */
START_TEST(children)
{
	struct perfctr_reading reading;
	unsigned int k;
	int status;

	for (k = 0; k < 2; k++) {
		struct perfctr_set *set = perfctr_set_open("page-faults", &own_process,
							   k ? PERFCTR_INHERIT : 0);
		pid_t pid;

		if (!set && !k && errno == EOPNOTSUPP)
			continue; /* Linux before 5.13 */
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		pid = fork();
		if (pid == 0) {
			int failed = perfctr_set_read(set, &reading) != -1 || errno != ESRCH;

			fault(2000);
			failed |= perfctr_set_enable(set) != -1 || perfctr_set_size(set) != 0 ||
				  perfctr_set_parts(set) != 0 ||
				  perfctr_set_read_part(set, 0, &reading) != -1;
			perfctr_set_close(set);
			_exit(failed);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
		ck_assert_int_eq(perfctr_set_read(set, &reading), 0);
		ck_assert_int_eq(reading.value >= 2000, k);
		perfctr_set_close(set);
	}
}
END_TEST

/* A process that waits for a byte, then has a thread fault, and ends. */
static pid_t start_other(int *go)
{
	unsigned int pages = 5000;
	int ends[2];
	pid_t pid;
	char byte;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		pthread_t thread;

		close(ends[1]);
		if (read(ends[0], &byte, 1) != 1 ||
		    pthread_create(&thread, NULL, fault_once, &pages) != 0)
			_exit(1);
		pthread_join(thread, NULL);
		_exit(0);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

START_TEST(another_process)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS };
	struct perfctr_reading reading;
	struct perfctr_set *set;
	int go, status;
	siginfo_t info;

	target.id = start_other(&go);
	set = perfctr_set_open("page-faults", &target, PERFCTR_INHERIT);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_int_eq(write(go, "", 1), 1);
	/* While it is a zombie there is nothing to count; what was counted stays. */
	ck_assert_int_eq(waitid(P_PID, (id_t)target.id, &info, WEXITED | WNOWAIT), 0);
	ck_fails_null(perfctr_set_open("cs", &target, PERFCTR_INHERIT), ESRCH, "has just ended");
	ck_assert_int_eq(waitpid(target.id, &status, 0), target.id);
	ck_assert_int_eq(status, 0);
	ck_fails_null(perfctr_set_open("cs", &target, PERFCTR_INHERIT), ESRCH, "no process");
	ck_assert_int_eq(perfctr_set_read(set, &reading), 0);
	/* And nothing twice. Some hundred are the process's own, more under valgrind. */
	ck_assert_uint_ge(reading.value, 5000);
	ck_assert_uint_lt(reading.value, 10000);
	ck_assert_uint_eq(reading.quality, PERFCTR_EXACT);
	perfctr_set_close(set);
	close(go);
}
END_TEST

START_TEST(from_exec_on)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS };
	struct perfctr_reading reading[2];
	struct perfctr_set *set;
	int go[2], status;
	char byte = 0;

	ck_assert_int_eq(pipe(go), 0);
	target.id = fork();
	if (target.id == 0) {
		if (read(go[0], &byte, 1) == 1)
			execl("/bin/sh", "sh", "-c", "/bin/true; /bin/true", (char *)NULL);
		_exit(1);
	}
	set = perfctr_set_open("task-clock,page-faults", &target,
			       PERFCTR_ON_EXEC | PERFCTR_INHERIT);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_int_eq(perfctr_set_read(set, reading), 0);
	ck_assert_uint_eq(reading[1].value, 0);
	ck_assert_int_eq(write(go[1], &byte, 1), 1);
	ck_assert_int_eq(waitpid(target.id, &status, 0), target.id);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(perfctr_set_read(set, reading), 0);
	ck_assert_uint_gt(reading[0].value, 0);
	ck_assert_uint_gt(reading[1].value, 100);
	perfctr_set_close(set);
	close(go[0]);
	close(go[1]);
}
END_TEST

/* ---- threads that come and go while a set is opened ---- */

static atomic_bool stop;
static atomic_uint created;

static void *churn(void *arg)
{
	unsigned int pages = 3;
	pthread_t thread;

	while (!atomic_load(&stop)) {
		if (pthread_create(&thread, NULL, fault_once, &pages) == 0) {
			pthread_join(thread, NULL);
			atomic_fetch_add(&created, 1);
		}
		if (arg)
			usleep(*(useconds_t *)arg);
	}
	return NULL;
}

/*
 * Whatever the threads do, opening is right or fails: afterwards a thread's faults are in the
 * total, once.
 */
START_TEST(a_storm_of_threads)
{
	static useconds_t pause = 500;
	struct perfctr_set *set;
	struct perfctr_reading before[3], after[3];
	unsigned int k, i, opened = 0, again = 0, pages = 4000, others;
	uint64_t faults;
	pthread_t storm[2], thread;

	atomic_store(&stop, false);
	atomic_store(&created, 0);
	for (i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&storm[i], NULL, churn, i ? &pause : NULL), 0);
	for (k = 0; k < 30; k++) {
		set = perfctr_set_open("page-faults,{cs,page-faults}", &own_process,
				       PERFCTR_INHERIT);
		if (!set) {
			ck_assert_msg(errno == EAGAIN && strstr(perfctr_error(), "faster than"),
				      "%s", perfctr_error());
			again++;
			continue;
		}
		opened++;
		others = atomic_load(&created);
		ck_assert_msg(perfctr_set_read(set, before) == 0, "%s", perfctr_error());
		ck_assert_int_eq(pthread_create(&thread, NULL, fault_once, &pages), 0);
		pthread_join(thread, NULL);
		ck_assert_msg(perfctr_set_read(set, after) == 0, "%s", perfctr_error());
		/* The storm's come to it: some for each thread. */
		others = atomic_load(&created) - others + 4;
		for (i = 0; i < 3; i += 2) {
			faults = after[i].value - before[i].value;
			ck_assert_uint_ge(faults, pages);
			ck_assert_uint_lt(faults, pages + 1000 + 40 * others);
		}
		perfctr_set_close(set);
	}
	atomic_store(&stop, true);
	for (i = 0; i < 2; i++)
		pthread_join(storm[i], NULL);
	printf("opened %u times, not opened %u times, %u threads came and went\n", opened, again,
	       atomic_load(&created));
}
END_TEST

static atomic_int creator;

static void *create(void *arg)
{
	atomic_store(&creator, (int)syscall(SYS_gettid));
	return churn(arg);
}

/*
 * The kernel exchanges the inherited events of a thread with those of the threads that it creates:
 * not while its group is opened.
 */
START_TEST(a_thread_that_creates_others)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD };
	struct perfctr_set *set;
	pthread_t thread;
	unsigned int k;

	atomic_store(&stop, false);
	atomic_store(&creator, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, create, NULL), 0);
	while (!atomic_load(&creator))
		usleep(200);
	target.id = atomic_load(&creator);
	for (k = 0; k < 20; k++) {
		set = perfctr_set_open("{cs,page-faults,task-clock,faults}", &target,
				       PERFCTR_INHERIT);
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		perfctr_set_close(set);
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	/* The kernel may have it for a while yet. */
	for (k = 0; k < 10000; k++) {
		set = perfctr_set_open("{cs,page-faults}", &target, PERFCTR_INHERIT);
		if (!set)
			break;
		perfctr_set_close(set);
		usleep(100);
	}
	ck_assert_ptr_null(set);
	ck_assert_int_eq(errno, ESRCH);
}
END_TEST

/* Each thread creates the next, and ends; the one that finds a number faults so many pages. */
static atomic_uint wish, links;

static void *relay(void *arg)
{
	pthread_t next;
	unsigned int pages = atomic_exchange(&wish, 0);

	if (pages)
		fault(pages);
	usleep(50 + 37 * (useconds_t)atomic_fetch_add(&links, 1) % 1000);
	if (!atomic_load(&stop) && pthread_create(&next, NULL, relay, arg) == 0)
		pthread_detach(next);
	else
		atomic_fetch_add(&created, 1);
	return NULL;
}

/* The thread that counts in the end has no ancestor that is still there. */
START_TEST(a_relay_of_threads)
{
	struct perfctr_reading before[3], after[3];
	unsigned int k, i, opened = 0, again = 0, pages = 4000, others;
	struct perfctr_set *set;
	uint64_t faults;
	pthread_t first;

	atomic_store(&stop, false);
	atomic_store(&created, 0);
	ck_assert_int_eq(pthread_create(&first, NULL, relay, NULL), 0);
	pthread_detach(first);
	for (k = 0; k < 30; k++) {
		set = perfctr_set_open("page-faults,{cs,page-faults}", &own_process,
				       PERFCTR_INHERIT);
		if (!set) {
			ck_assert_msg(errno == EAGAIN, "%s", perfctr_error());
			again++;
			continue;
		}
		opened++;
		usleep(1000);
		others = atomic_load(&links);
		ck_assert_msg(perfctr_set_read(set, before) == 0, "%s", perfctr_error());
		atomic_store(&wish, pages);
		while (atomic_load(&wish))
			usleep(100);
		/* Until its time is over and the one after it runs. */
		i = atomic_load(&links);
		while (atomic_load(&links) < i + 2)
			usleep(100);
		ck_assert_msg(perfctr_set_read(set, after) == 0, "%s", perfctr_error());
		/* The relay continues while this thread waits for a processor: some for each link.
		 */
		others = atomic_load(&links) - others;
		for (i = 0; i < 3; i += 2) {
			faults = after[i].value - before[i].value;
			ck_assert_uint_ge(faults, pages);
			ck_assert_uint_lt(faults, pages * 7 / 4 + 40 * others);
		}
		perfctr_set_close(set);
	}
	atomic_store(&stop, true);
	while (!atomic_load(&created))
		usleep(100);
	printf("opened %u times, not opened %u times, a relay of %u threads\n", opened, again,
	       atomic_load(&links));
}
END_TEST

/* ---- processors ---- */

START_TEST(processors)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	struct perfctr_cpus_info *cpus = perfctr_cpus_info(-1);
	struct perfctr_reading sum[3], part[3];
	struct perfctr_part what;
	struct perfctr_set *set = perfctr_set_open("cpu-clock,{cs,cpu-clock}", &target, 0);
	unsigned int n = 0, i;

	for (i = 0; i < cpus->cpus->nrwords; i++)
		n += (unsigned int)__builtin_popcount(cpus->cpus->mask[i]);
	free(cpus);
	if (!set && errno == EACCES)
		return; /* not for this user */
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), n);
	usleep(5000);
	ck_assert_int_eq(perfctr_set_disable(set), 0);
	ck_assert_int_eq(perfctr_set_read(set, sum), 0);
	ck_assert_uint_ge(sum[0].value, n * UINT64_C(5000000));
	ck_assert_uint_ge(sum[0].enabled, n * UINT64_C(5000000));
	ck_assert_uint_eq(sum[0].quality, PERFCTR_EXACT);
	for (i = 0; i < n; i++) {
		ck_assert_int_eq(perfctr_set_part(set, i, &what), 0);
		ck_assert_int_eq(what.tid, -1);
		ck_assert_int_ge(what.cpu, (int)i);
		ck_assert_int_eq(perfctr_set_read_part(set, i, part), 0);
		ck_assert_uint_ge(part[2].value, 5000000);
		sum[0].value -= part[0].value;
	}
	ck_assert_uint_eq(sum[0].value, 0);
	perfctr_set_close(set);

	target.id = 0;
	set = perfctr_set_open("{cpu-clock,cs}", &target, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 1);
	perfctr_set_close(set);
	target.id = 8000;
	ck_fails_null(perfctr_set_open("cs", &target, 0), ENODEV, "not online");
	target.id = -2;
	ck_fails_null(perfctr_set_open("cs", &target, 0), EINVAL, "not a processor");
	/* One who takes cpu for the processor would count processor 0. */
	target = (struct perfctr_target){ .type = PERFCTR_TARGET_CPU, .cpu = -1 };
	ck_fails_null(perfctr_set_open("cs", &target, 0), EINVAL, "is the target's id");
	target.cpu = 1;
	ck_fails_null(perfctr_set_open("cs", &target, 0), EINVAL, "is the target's id");
	target.id = 8000;
	target.cpu = 8000;
	ck_fails_null(perfctr_set_open("cs", &target, 0), ENODEV, "not online");
	target = (struct perfctr_target){ .type = PERFCTR_TARGET_CPU };
	ck_fails_null(perfctr_set_open("cs", &target, PERFCTR_INHERIT), EINVAL, "for threads");
	ck_fails_null(perfctr_set_open("cs", &target, PERFCTR_ON_EXEC), EINVAL, "for threads");
}
END_TEST

/*
 * A PMU that counts for all processors on the first: here the software events, in a made-up sysfs
 * that says so.
 */
START_TEST(a_pmu_with_a_cpumask)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	struct perfctr_part what;
	struct perfctr_set *set;

	root_make();
	root_line("box/type", "1");
	root_line("box/cpumask", "0");
	root_line("box/format/event", "config:0-63");
	root_line("/sys/devices/system/cpu/online",
		  sysconf(_SC_NPROCESSORS_ONLN) > 1 ? "0-1" : "0");
	/* In any case of letters. */
	set = perfctr_set_open("Box/event=0/", &target, 0);
	if (set || errno != EACCES) {
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		ck_assert_uint_eq(perfctr_set_parts(set), 1);
		ck_assert_int_eq(perfctr_set_part(set, 0, &what), 0);
		ck_assert_int_eq(what.cpu, 0);
		perfctr_set_close(set);
		set = perfctr_set_open("box/event=0/,cs", &target, 0);
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		ck_assert_uint_eq(perfctr_set_parts(set),
				  sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1);
		perfctr_set_close(set);
		ck_fails_null(perfctr_set_open("{box/event=0/,cs}", &target, 0), EINVAL,
			      "can't be in one group");
		root_line("box/cpumask", "7");
		ck_fails_null(perfctr_set_open("box/event=0/,cs", &target, 0), EOPNOTSUPP,
			      "on none of the processors");
		/* Counting nothing at all is no success. */
		ck_fails_null(perfctr_set_open("box/event=0/", &target, 0), EOPNOTSUPP,
			      "on none of the processors");
		root_line("box/cpumask", "");
		ck_fails_null(perfctr_set_open("box/event=0/", &target, 0), EOPNOTSUPP,
			      "on none of the processors");
	}
	/* No /proc there. */
	ck_fails_null(perfctr_set_open("cs", &own_process, 0), ENOENT, "mount /proc");
	unsetenv("PERFCTR_ROOT");
	root_remove();
}
END_TEST

/* ---- cgroups ---- */

/* perf_event_open(2) fails with EINVAL for a cgroup, as where the kernel can't count them. */
static void refuse_everything(unsigned int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(2);
}

static int refused(const char *cgroup, unsigned int error, const char *words)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_CGROUP, .cgroup = cgroup };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		refuse_everything(error);
		_exit(perfctr_set_open("cs", &target, 0) || errno != EOPNOTSUPP ||
		      !strstr(perfctr_error(), words));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(cgroups)
{
	static const char *const roots[] = {
		"/sys/fs/cgroup",
		"/sys/fs/cgroup/unified",
		"/sys/fs/cgroup/perf_event",
	};
	struct perfctr_target target = { .type = PERFCTR_TARGET_CGROUP };
	char path[128], procs[160], text[32];
	struct perfctr_reading reading[2];
	struct perfctr_set *set = NULL;
	unsigned int i;
	int status, fd;
	pid_t pid;

	ck_fails_null(perfctr_set_open("cs", &target, 0), EINVAL, "needs the name");
	target.cgroup = "";
	ck_fails_null(perfctr_set_open("cs", &target, 0), EINVAL, "needs the name");
	target.cgroup = "/tmp";
	ck_fails_null(perfctr_set_open("cs", &target, 0), EINVAL, "not a cgroup's directory");
	target.cgroup = "/dev/null";
	ck_fails_null(perfctr_set_open("cs", &target, 0), EINVAL, "not a cgroup's directory");
	target.cgroup = "/nonexistent";
	ck_fails_null(perfctr_set_open("cs", &target, 0), ENOENT, "no cgroup /nonexistent");
	target.cgroup = "nonexistent";
	ck_fails_null(perfctr_set_open("cs", &target, 0), ENOENT, "under /sys/fs/cgroup");

	for (i = 0; i < ARRAY_SIZE(roots) && !set; i++) {
		snprintf(path, sizeof(path), "%s/perfctr-test-%d", roots[i], (int)getpid());
		if (mkdir(path, 0755) < 0)
			continue;
		target.cgroup = path;
		set = perfctr_set_open("{task-clock,page-faults}", &target, 0);
		if (set)
			break;
		if (errno == EOPNOTSUPP)
			ck_assert_ptr_nonnull(strstr(perfctr_error(), "perf_event"));
		else
			ck_assert_int_eq(errno, EINVAL); /* a tmpfs */
		if (errno == EOPNOTSUPP) {
			status = refused(path, EINVAL, "CONFIG_CGROUP_PERF");
			ck_assert_int_eq(status, 0);
		}
		rmdir(path);
	}
	if (!set)
		return; /* tests/vm/guest/sets.c has cgroups */
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	pid = fork();
	if (pid == 0) {
		fd = open(procs, O_WRONLY);
		snprintf(text, sizeof(text), "%d", (int)getpid());
		if (write(fd, text, strlen(text)) < 0)
			_exit(1);
		fault(5000);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(perfctr_set_read(set, reading), 0);
	ck_assert_uint_ge(reading[1].value, 5000);
	ck_assert_uint_lt(reading[1].value, 10000);
	perfctr_set_close(set);
	/* By its name alone. */
	target.cgroup = strrchr(path, '/') + 1;
	set = perfctr_set_open("task-clock", &target, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	perfctr_set_close(set);
	/* As /proc/PID/cgroup has it. */
	target.cgroup = strrchr(path, '/');
	set = perfctr_set_open("task-clock", &target, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	perfctr_set_close(set);
	rmdir(path);
}
END_TEST

/* ---- errors ---- */

START_TEST(bad_arguments)
{
	struct perfctr_target target = { .type = 5 };
	struct perfctr_cpu_control control;
	struct perfctr_reading reading;
	struct perfctr_part part;
	struct perfctr_set *set;
	char list[3 * 66 + 3] = "{cs";
	unsigned int i;

	ck_fails_null(perfctr_set_open(NULL, NULL, 0), EINVAL, "NULL");
	ck_fails_null(perfctr_set_open("", NULL, 0), EINVAL, "empty");
	ck_fails_null(perfctr_set_open("cs,,cs", NULL, 0), EINVAL, "empty place");
	ck_fails_null(perfctr_set_open("cs,{}", NULL, 0), EINVAL, "empty place");
	ck_fails_null(perfctr_set_open("{cs,}", NULL, 0), EINVAL, "empty place");
	ck_fails_null(perfctr_set_open("{cs", NULL, 0), EINVAL, "at \"cs\": a group is written");
	ck_fails_null(perfctr_set_open("{cs,cs", NULL, 0), EINVAL, "a group is written");
	ck_fails_null(perfctr_set_open("cs}", NULL, 0), EINVAL, "a group is written");
	ck_fails_null(perfctr_set_open("{cs,{cs}}", NULL, 0), EINVAL, "a group is written");
	ck_fails_null(perfctr_set_open("{cs,{cs}", NULL, 0), EINVAL,
		      "at \"{cs}\": a group is written");
	ck_fails_null(perfctr_set_open("{{cs}}", NULL, 0), EINVAL, "a group is written");
	ck_fails_null(perfctr_set_open("{cs}u", NULL, 0), EINVAL,
		      "modifiers of all, {event,event}:u");
	ck_fails_null(perfctr_set_open("{", NULL, 0), EINVAL, "empty place");
	ck_fails_null(perfctr_set_open("cs,nonsense", NULL, 0), EINVAL, "\"nonsense\"");
	ck_fails_null(perfctr_set_open("cpu/cs", NULL, 0), EINVAL, "closing /");
	ck_fails_null(perfctr_set_open("cs", NULL, 1), EINVAL, "0x1,");
	ck_fails_null(perfctr_set_open("cs", NULL, PERFCTR_EVENTS_THREADS), EINVAL, "0x1000000,");
	ck_fails_null(perfctr_set_open("cs", &target, 0), EINVAL, "not a type of target");
	target.type = PERFCTR_TARGET_THREAD;
	target.id = -1;
	ck_fails_null(perfctr_set_open("cs", &target, 0), EINVAL, "not a thread's id");
	target.id = 0x3FFFFFFF;
	ck_fails_null(perfctr_set_open("cs", &target, 0), ESRCH, "no thread 1073741823");
	target.type = PERFCTR_TARGET_PROCESS;
	ck_fails_null(perfctr_set_open("cs", &target, 0), ESRCH, "no process 1073741823");
	target.id = -1;
	ck_fails_null(perfctr_set_open("cs", &target, 0), EINVAL, "not a process's id");
	for (i = 1; i < 65; i++)
		strcat(list, ",cs");
	strcat(list, "}");
	ck_fails_null(perfctr_set_open(list, NULL, 0), EINVAL, "65 events");
	/* On their own, they may be as many. */
	list[strlen(list) - 1] = '\0';
	set = perfctr_set_open(list + 1, NULL, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_size(set), 65);

	ck_fails(perfctr_set_read(set, NULL), EINVAL, "NULL");
	ck_fails(perfctr_set_read_part(set, 0, NULL), EINVAL, "NULL");
	ck_fails(perfctr_set_read_part(set, 1, &reading), EINVAL, "no part 1");
	ck_fails(perfctr_set_part(set, 1, &part), EINVAL, "no part 1");
	ck_fails(perfctr_set_part(set, 0, NULL), EINVAL, "NULL");
	perfctr_set_close(set);

	ck_fails_null(perfctr_set_open_control(NULL, NULL, 0), EINVAL, "NULL");
	memset(&control, 0, sizeof(control));
	ck_fails_null(perfctr_set_open_control(&control, NULL, 0), EINVAL, "no counters");
}
END_TEST

static unsigned int descriptors(void)
{
	int fd;
	unsigned int n = 0;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* What had been opened is closed again, whatever fails. */
START_TEST(no_descriptors)
{
	struct perfctr_target cpus = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	unsigned int before = descriptors(), room;
	struct rlimit limit, few;
	struct perfctr_set *set;
	int lowest = dup(0), error;

	close(lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	for (room = 0; room < 6; room++) {
		const struct perfctr_target *target = room % 3 == 0   ? NULL
						      : room % 3 == 1 ? &own_process
								      : &cpus;

		few = limit;
		few.rlim_cur = (rlim_t)lowest + room;
		setrlimit(RLIMIT_NOFILE, &few);
		set = perfctr_set_open("cs,{cs,cs,cs},cs,cs,cs", target,
				       target == &own_process ? PERFCTR_INHERIT : 0);
		error = errno;
		setrlimit(RLIMIT_NOFILE, &limit);
		ck_assert_ptr_null(set);
		ck_assert(error == EMFILE || (error == EACCES && target == &cpus) ||
			  (error == ENOENT && target == &own_process));
		ck_assert_uint_eq(descriptors(), before);
	}
}
END_TEST

/* ---- on the made-up PMU ---- */

static struct perfctr_set *open_made_up(const char *events, const struct perfctr_target *target,
					unsigned int flags)
{
	struct perfctr_set *set = perfctr_set_open(events, target, flags);

	ck_assert_msg(set != NULL, "%s", perfctr_error());
	return set;
}

#define is_reading(r, v, q, e, run)                  \
	do {                                         \
		ck_assert_uint_eq((r).value, v);     \
		ck_assert_uint_eq((r).quality, q);   \
		ck_assert_uint_eq((r).enabled, e);   \
		ck_assert_uint_eq((r).running, run); \
	} while (0)

/* Independent events find room one by one; together, or pinned, or not at all. */
START_TEST(room)
{
	static const char events[] = "instructions:u,{cycles:u,branches:u},cache-misses:u";
	struct perfctr_reading r[4];
	struct perfctr_set *set;
	unsigned int i;

	pmu_begin();
	pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 3);
	set = open_made_up(events, NULL, PERFCTR_MULTIPLEX);
	pmu_count(10);
	pmu_tick(100);
	pmu.taken = 2;
	pmu_schedule();
	pmu_count(10);
	pmu_tick(100);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	is_reading(r[0], 20, PERFCTR_EXACT, 200, 200);
	is_reading(r[1], 30, PERFCTR_SCALED, 200, 100);
	is_reading(r[2], 10, PERFCTR_SCALED, 200, 100);
	is_reading(r[3], 20, PERFCTR_EXACT, 200, 200);
	ck_assert_int_eq(perfctr_set_reset(set), 0);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	for (i = 0; i < 4; i++)
		ck_assert_uint_eq(r[i].value, 0);
	perfctr_set_close(set);
	ck_fails_null(perfctr_set_open(events, NULL, 0), EBUSY, "too few counters are free");
	ck_assert_uint_eq(pmu_events(), 0);
	pmu.taken = 0;
	pmu_schedule();
	set = open_made_up(events, NULL, 0);
	pmu_count(5);
	pmu_tick(50);
	/* Those of which it is known stay; the others are told, each. */
	pmu.taken = 1;
	pmu_schedule();
	pmu_count(5);
	ck_fails(perfctr_set_read(set, r), EBUSY, "taken");
	is_reading(r[0], 10, PERFCTR_EXACT, 50, 50);
	is_reading(r[1], 15 + 15, PERFCTR_EXACT, 50, 50);
	is_reading(r[2], 10, PERFCTR_EXACT, 50, 50);
	is_reading(r[3], 0, PERFCTR_NOT_COUNTED, 0, 0);
	perfctr_set_close(set);
	pmu_end();
}
END_TEST

/* What one of the processors counted until it went offline makes the sum stale. */
START_TEST(a_processor_goes_offline)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	struct perfctr_reading r[2], part[2];
	struct perfctr_set *set;
	unsigned int strict;

	for (strict = 0; strict < 2; strict++) {
		pmu_begin();
		root_make();
		root_line("/sys/devices/system/cpu/online", "0-1");
		set = open_made_up("instructions:u,cycles:u", &target,
				   strict ? 0 : PERFCTR_MULTIPLEX);
		ck_assert_uint_eq(perfctr_set_parts(set), 2);
		/* One of two events is watched, on each. */
		ck_assert_uint_eq(pmu_events(), 6);
		pmu_run(-1, 0, false, 5);
		pmu_tick_of(-1, 0, 10);
		pmu_run(-1, 1, false, 7);
		pmu_tick_of(-1, 1, 10);
		pmu_offline(1);
		pmu_run(-1, 1, false, 100);
		pmu_run(-1, 0, false, 1);
		ck_assert_msg(perfctr_set_read(set, r) == 0, "%s", perfctr_error());
		is_reading(r[0], 13, PERFCTR_STALE, 20, 20);
		is_reading(r[1], 13, PERFCTR_STALE, 20, 20);
		ck_assert_int_eq(perfctr_set_read_part(set, 0, part), 0);
		is_reading(part[1], 6, PERFCTR_EXACT, 10, 10);
		ck_assert_int_eq(perfctr_set_read_part(set, 1, part), 0);
		is_reading(part[0], 7, PERFCTR_STALE, 10, 10);
		is_reading(part[1], 7, PERFCTR_STALE, 10, 10);
		/* The rest can be stopped and started, which the first error tells of. */
		ck_assert_int_eq(perfctr_set_disable(set), 0);
		pmu_run(-1, 0, false, 100);
		ck_fails(perfctr_set_enable(set), ENODEV, "offline");
		pmu_run(-1, 0, false, 1);
		ck_assert_int_eq(perfctr_set_read(set, r), 0);
		ck_assert_uint_eq(r[0].value, 14);
		perfctr_set_close(set);
		unsetenv("PERFCTR_ROOT");
		root_remove();
		pmu_end();
	}
}
END_TEST

enum { BIG = 60001, SMALL };

static void move_to(uint32_t kind)
{
	pmu.absent = kind == BIG ? SMALL : BIG;
	pmu_schedule();
}

static void let_time_pass(void)
{
	pmu_tick(10);
}

/* In the made-up machine RDPMC is a fault, whose signal would abort what the kernel watches. */
static struct perfctr_rseq rseq;
static bool has_rseq = true;

volatile struct perfctr_rseq *__wrap_perfctr_rseq_here(void);

volatile struct perfctr_rseq *__wrap_perfctr_rseq_here(void)
{
	return has_rseq ? &rseq : NULL;
}

static void make_kinds(void)
{
	static const char *const files[][2] = {
		{ "big/type", "60001" },
		{ "big/cpus", "0" },
		{ "big/format/event", "config:0-63" },
		{ "big/events/work", "event=2" },
		{ "small/type", "60002" },
		{ "small/cpus", "1" },
		{ "small/format/event", "config:0-63" },
		{ "small/events/work", "event=5" },
		{ "small/events/only", "event=7" },
	};
	unsigned int i;

	root_make();
	for (i = 0; i < ARRAY_SIZE(files); i++)
		root_line(files[i][0], files[i][1]);
	move_to(BIG);
}

/* A thread that changes between core types is counted on both, and that is exact. */
START_TEST(kinds_of_core)
{
	struct perfctr_reading r[2], part[2];
	struct perfctr_set *set;
	static const unsigned int flags[] = {
		PERFCTR_MULTIPLEX,
		0,
		PERFCTR_INHERIT,
	};
	static const unsigned long slow[] = {
		PERF_EVENT_IOC_DISABLE,
		PERF_EVENT_IOC_ENABLE,
		PMU_READ,
	};
	unsigned int strict;
	uint64_t enabled;

	for (strict = 0; strict < 3; strict++) {
		pmu_begin();
		pmu_rate(5, 2);
		make_kinds();
		set = open_made_up("work,only", NULL, flags[strict]);
		ck_assert_uint_eq(perfctr_set_parts(set), 2);
		pmu_count(10);
		pmu_tick(100);
		ck_assert_msg(perfctr_set_read(set, r) == 0, "%s", perfctr_error());
		is_reading(r[0], 10, PERFCTR_EXACT, 100, 100);
		is_reading(r[1], 0, PERFCTR_NOT_COUNTED, 100, 0);
		move_to(SMALL);
		pmu_count(7);
		pmu_tick(50);
		ck_assert_int_eq(perfctr_set_read(set, r), 0);
		is_reading(r[0], 24, PERFCTR_EXACT, 150, 150);
		is_reading(r[1], 7, PERFCTR_SCALED, 150, 50);
		ck_assert_int_eq(perfctr_set_read_part(set, 0, part), 0);
		ck_assert_uint_eq(part[0].value, 10);
		ck_assert_int_eq(perfctr_set_read_part(set, 1, part), 0);
		ck_assert_uint_eq(part[0].value, 14);
		/* Never in user space: the thread may be moved between the page and the counter. */
		ck_assert_uint_eq(pmu_calls(PMU_RDPMC), 0);
		/* Not by the time that it takes to stop, start and read them one by one. */
		move_to(BIG);
		pmu_at(slow[strict], 0, let_time_pass);
		ck_assert_int_eq(perfctr_set_disable(set), 0);
		ck_assert_int_eq(perfctr_set_enable(set), 0);
		ck_assert_msg(perfctr_set_read(set, r) == 0, "%s", perfctr_error());
		pmu_at(PMU_ANY, 0, NULL);
		ck_assert_uint_eq(r[0].quality, PERFCTR_EXACT);
		ck_assert_uint_eq(r[0].running, r[0].enabled);
		enabled = r[0].enabled;
		/* Somebody else's counters: then it isn't. */
		pmu.taken = 4;
		pmu_schedule();
		pmu_tick(50);
		if (strict) {
			ck_fails(perfctr_set_read(set, r), EBUSY, "taken");
		} else {
			ck_assert_int_eq(perfctr_set_read(set, r), 0);
			ck_assert_uint_eq(r[0].quality, PERFCTR_SCALED);
			ck_assert_uint_gt(r[0].enabled, enabled);
			ck_assert_uint_lt(r[0].running, r[0].enabled);
		}
		perfctr_set_close(set);
		unsetenv("PERFCTR_ROOT");
		root_remove();
		pmu_end();
	}
}
END_TEST

#if PERFCTR_HAVE_CORE_TYPES

static void is_read(const struct perfctr_reader *reader, uint64_t expected)
{
	uint64_t value = 0;

	ck_assert_int_eq(perfctr_reader_read(reader, &value), 1);
	ck_assert_uint_eq(value, expected);
	ck_assert_uint_eq(rseq.rseq_cs, 0);
}

/* An event of both is read on either; one of a single type by a thread that can't leave it. */
START_TEST(readers_on_kinds)
{
	struct perfctr_reader reader, other;
	struct perfctr_reading r[2];
	struct perfctr_set *set;
	uint64_t value, values[2];
	pid_t child;
	int status;

	pmu_begin();
	pmu_rate(5, 2);
	make_kinds();
	set = open_made_up("work,only", NULL, PERFCTR_MULTIPLEX);
	if (!pmu.rdpmc || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		goto end;
	ck_fails(perfctr_set_reader(set, 1, &other), EOPNOTSUPP, "bound to one core type");
	ck_assert_int_eq(perfctr_reader_read(&other, &value), 0);
	ck_assert_msg(perfctr_set_reader(set, 0, &reader) == 0, "%s", perfctr_error());
	pmu_count(10);
	is_read(&reader, 10);
	move_to(SMALL);
	pmu_count(7);
	is_read(&reader, 24);
	ck_assert_uint_eq(pmu_calls(PMU_READ), 0);
	/* With a second reader, and with one that can't be read now. */
	ck_assert_int_eq(perfctr_reader_read_all((struct perfctr_reader[]){ reader, reader }, 2,
						 values),
			 1);
	ck_assert_uint_eq(values[0] + values[1], 48);
	ck_assert_int_eq(perfctr_reader_read_all((struct perfctr_reader[]){ reader, other }, 2,
						 values),
			 0);
	/* What both begin with. */
	ck_assert_int_eq(perfctr_set_reset(set), 0);
	ck_assert_int_eq(perfctr_set_reader(set, 0, &reader), 0);
	is_read(&reader, 0);
	move_to(BIG);
	pmu_count(1);
	is_read(&reader, 1);
	/* Off the PMU; and in a child the memory is cleared. */
	pmu.taken = 4;
	pmu_schedule();
	ck_assert_int_eq(perfctr_reader_read(&reader, &value), 0);
	child = fork();
	if (child == 0)
		_exit(perfctr_reader_read(&reader, &value));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	ck_assert_uint_eq(r[0].value, 1);
	/* Nobody says any more that the thread leaves a sequence. */
	has_rseq = false;
	ck_fails(perfctr_set_reader(set, 0, &reader), EOPNOTSUPP, "rseq");
	perfctr_set_close(set);
	set = open_made_up("work", NULL, PERFCTR_MULTIPLEX);
	ck_assert_uint_eq(pmu_mappings(), 0);
	has_rseq = true;
	ck_fails(perfctr_set_reader(set, 0, &reader), EOPNOTSUPP, "");
	ck_assert_int_eq(perfctr_reader_read(&reader, &value), 0);
	perfctr_set_close(set);
	/* Inherited, it is spread over threads. */
	set = open_made_up("work", NULL, PERFCTR_INHERIT);
	ck_fails(perfctr_set_reader(set, 0, &reader), EOPNOTSUPP, "");
end:
	perfctr_set_close(set);
	unsetenv("PERFCTR_ROOT");
	root_remove();
	pmu_end();
}
END_TEST

#endif

UNIT_MAIN("set", 60, own_thread, enable_disable_reset, threads_of_a_process, children,
	  another_process, from_exec_on, a_storm_of_threads, a_thread_that_creates_others,
	  a_relay_of_threads, processors, a_pmu_with_a_cpumask, cgroups, bad_arguments,
	  no_descriptors, room, a_processor_goes_offline, kinds_of_core
#if PERFCTR_HAVE_CORE_TYPES
	  ,
	  readers_on_kinds
#endif
)
