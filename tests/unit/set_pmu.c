// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets of events on the made-up PMU: what counts are worth, to the event and the ns; and on a
 * made-up /proc, which lists threads as the kernel does when they come and go at the worst moments.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "root.h"
#include "tests/harness/control.h"
#include "unit.h"

/* ---- a folder of threads ---- */

#define FOLDER 4711 /* the process that it is of */

/* What /proc/PID/task holds one time, threads being children of the test; at most 4. */
struct listing {
	unsigned int first, n; /* threads [first, first + n) */
	ino_t inode;	       /* of the first; the others' follow */
	unsigned int hidden;   /* more threads that the kernel knows */
};

static pid_t child[4];
static const struct listing *listing;
static unsigned int nlistings, looks, at, naps;
static struct dirent entry;
static void (*on_nap)(void);
static DIR *folder;

/* Where files have 64 bits and words 32, the C library's have other names. */
#if defined(_FILE_OFFSET_BITS) && _FILE_OFFSET_BITS == 64 && !defined(__LP64__)
#define __real_readdir __real_readdir64
#define __wrap_readdir __wrap_readdir64
#define __real_fstat   __real_fstat64
#define __wrap_fstat   __wrap_fstat64
#define __real_fstatfs __real_fstatfs64
#define __wrap_fstatfs __wrap_fstatfs64
#endif

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
struct dirent *__real_readdir(DIR *dir);
struct dirent *__wrap_readdir(DIR *dir);
void __real_rewinddir(DIR *dir);
void __wrap_rewinddir(DIR *dir);
int __real_fstat(int fd, struct stat *status);
int __wrap_fstat(int fd, struct stat *status);
int __real_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs(int fd, struct statfs *fs);
int __wrap_usleep(useconds_t us);

/* The last listing stays. */
static const struct listing *now(void)
{
	unsigned int look = looks > 0 ? looks - 1 : 0;

	return &listing[look < nlistings ? look : nlistings - 1];
}

DIR *__wrap_opendir(const char *path)
{
	DIR *dir = __real_opendir(path);

	if (strstr(path, "/task"))
		folder = dir;
	return dir;
}

void __wrap_rewinddir(DIR *dir)
{
	if (dir == folder) {
		looks++;
		at = 0;
	}
	__real_rewinddir(dir);
}

struct dirent *__wrap_readdir(DIR *dir)
{
	static const char *const names[] = { ".", ".." };

	if (!folder || dir != folder)
		return __real_readdir(dir);
	if (at >= now()->n + 2)
		return NULL;
	if (at < 2)
		snprintf(entry.d_name, sizeof(entry.d_name), "%s", names[at]);
	else
		snprintf(entry.d_name, sizeof(entry.d_name), "%d", child[now()->first + at - 2]);
	entry.d_ino = now()->inode + at++ - 2;
	return &entry;
}

int __wrap_fstat(int fd, struct stat *status)
{
	int result = __real_fstat(fd, status);

	/* It is asked before the folder is read. */
	if (folder && fd == dirfd(folder)) {
		const struct listing *next = &listing[looks < nlistings ? looks : nlistings - 1];

		status->st_nlink = next->n + next->hidden + 2;
	}
	return result;
}

int __wrap_usleep(useconds_t us)
{
	ck_assert_uint_eq(us, 1000);
	naps++;
	if (on_nap)
		on_nap();
	return 0;
}

/* 0: what is true. */
static unsigned long cgroup_magic;

int __wrap_fstatfs(int fd, struct statfs *fs)
{
	int result = __real_fstatfs(fd, fs);

	if (cgroup_magic)
		fs->f_type = (__typeof__(fs->f_type))cgroup_magic;
	return result;
}

/* What the thread's file says. */
static void thread_file(unsigned int i, const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", FOLDER, child[i], name);
	root_line(path, text);
}

static void begin_threads(const struct listing *listings, size_t n)
{
	unsigned int i;

	listing = listings;
	nlistings = (unsigned int)n;
	looks = at = naps = 0;
	on_nap = NULL;
	folder = NULL;
	pmu_begin();
	root_make();
	for (i = 0; i < ARRAY_SIZE(child); i++) {
		child[i] = fork();
		if (child[i] == 0) {
			pause();
			_exit(0);
		}
		ck_assert_int_gt(child[i], 0);
		thread_file(i, "stat", "1 (name) S 1");
	}
}

static void end_threads(struct perfctr_set *set)
{
	unsigned int i;

	perfctr_set_close(set);
	folder = NULL;
	pmu_end();
	for (i = 0; i < ARRAY_SIZE(child); i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	root_remove();
	unsetenv("PERFCTR_ROOT");
}

static struct perfctr_set *open_process(void)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS, .id = FOLDER };

	return perfctr_set_open("instructions", &target, 0);
}

/* Where nothing changes, two looks are enough after the first. */
START_TEST(threads_that_stay)
{
	static const struct listing same[] = { { 0, 3, 100, 0 } };
	struct perfctr_set *set;
	struct perfctr_reading reading;
	struct perfctr_part part;
	unsigned int i;

	begin_threads(same, ARRAY_SIZE(same));
	set = open_process();
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 3);
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), 3);
	ck_assert_uint_eq(looks, 2);
	ck_assert_uint_eq(naps, 0);
	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(perfctr_set_part(set, i, &part), 0);
		ck_assert_int_eq(part.tid, child[i]);
		pmu_run(child[i], 0, false, 10 * (i + 1));
	}
	ck_assert_int_eq(perfctr_set_read(set, &reading), 0);
	ck_assert_uint_eq(reading.value, 60);
	end_threads(set);
}
END_TEST

/* Another thread with the same id, which nothing was opened on. */
START_TEST(an_id_that_is_used_again)
{
	static const struct listing others[] = { { 0, 2, 100, 0 }, { 0, 2, 101, 0 } };
	struct perfctr_set *set;

	begin_threads(others, ARRAY_SIZE(others));
	set = open_process();
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 2);
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), 4);
	ck_assert_uint_eq(pmu_events(), 2);
	end_threads(set);
}
END_TEST

/* A listing may leave out a thread; the folder's links tell that there is one more. */
START_TEST(a_thread_that_is_not_listed)
{
	static const struct listing left_out[] = {
		{ 0, 2, 100, 1 },
		{ 0, 2, 100, 1 },
		{ 0, 2, 100, 1 },
		{ 0, 3, 100, 0 },
	};
	struct perfctr_set *set;

	begin_threads(left_out, ARRAY_SIZE(left_out));
	set = open_process();
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 3);
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), 5);
	ck_assert_uint_eq(pmu_events(), 3);
	end_threads(set);
}
END_TEST

/* One that ends is no reason to begin again: the others are all that there are. */
START_TEST(a_thread_that_ends)
{
	static const struct listing ends[] = {
		{ 0, 3, 100, 0 },
		{ 1, 2, 101, 1 },
		{ 1, 2, 101, 0 },
	};
	struct perfctr_set *set;

	begin_threads(ends, ARRAY_SIZE(ends));
	set = open_process();
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 3);
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), 3);
	end_threads(set);
}
END_TEST

START_TEST(threads_that_never_stay)
{
	static struct listing all[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		all[i] = (struct listing){ 0, 1, 100 + i, 0 };
	begin_threads(all, ARRAY_SIZE(all));
	ck_fails_null(open_process(), EAGAIN,
		      "creates threads faster than they can be counted: they "
		      "were others at each of 20 attempts");
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), 20);
	ck_assert_uint_eq(pmu_events(), 0);
	end_threads(NULL);
}
END_TEST

/* The second thread runs; only from the third nap on it has run for a ms. */
static void run_a_little(void)
{
	static const char *const ran[] = { "5000000 1 2", "5999999 1 2", "6000000 1 2" };

	thread_file(1, "schedstat", ran[naps < 3 ? naps - 1 : 2]);
}

/* A thread that runs may be inside of clone(2), and what it creates then has inherited nothing. */
START_TEST(threads_that_may_be_cloning)
{
	static const struct listing same[] = { { 0, 2, 100, 0 } };
	static const char *const states[] = { "1 (name) R 1", "1 (name) D 1", "1 (a) S (b) R 1" };
	struct perfctr_set *set;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		begin_threads(same, ARRAY_SIZE(same));
		on_nap = run_a_little;
		thread_file(1, "stat", states[i]);
		thread_file(1, "schedstat", "5000000 1 2");
		set = open_process();
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		ck_assert_uint_eq(naps, 3);
		end_threads(set);
	}
	/* Asleep at last. */
	begin_threads(same, ARRAY_SIZE(same));
	thread_file(1, "stat", "1 (name) S 1");
	thread_file(1, "schedstat", "5000000 1 2");
	set = open_process();
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(naps, 0);
	end_threads(set);
	/* A kernel that does not say how long it has run. */
	begin_threads(same, ARRAY_SIZE(same));
	thread_file(1, "stat", "1 (name) R 1");
	thread_file(1, "schedstat", "0 0 0");
	set = open_process();
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(naps, 0);
	end_threads(set);
	/* Kept from running. */
	begin_threads(same, ARRAY_SIZE(same));
	thread_file(1, "stat", "1 (name) R 1");
	thread_file(1, "schedstat", "5000000 1 2");
	ck_fails_null(open_process(), EAGAIN, "is kept from running");
	ck_assert_uint_eq(naps, 1000);
	ck_assert_uint_eq(pmu_events(), 0);
	end_threads(NULL);
}
END_TEST

/* ---- what counts are worth ---- */

static void tick(void)
{
	pmu_tick(100);
}

/* One item after the other: the last is started last, and stopped first. */
START_TEST(order_of_items)
{
	struct perfctr_set *set;
	struct perfctr_reading r[3];

	pmu_begin();
	set = perfctr_set_open("instructions,{cycles,branches}", NULL, PERFCTR_GROUP_DISABLED);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	pmu_count(7);
	pmu_at(PERF_EVENT_IOC_ENABLE, 0, tick);
	ck_assert_int_eq(perfctr_set_enable(set), 0);
	pmu_at(PERF_EVENT_IOC_DISABLE, 0, tick);
	pmu_count(5);
	ck_assert_int_eq(perfctr_set_disable(set), 0);
	pmu_at(PERF_EVENT_IOC_DISABLE, 0, NULL);
	pmu_count(3);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	ck_assert_uint_eq(r[0].value, 5);
	ck_assert_uint_eq(r[1].value, 5);
	ck_assert_uint_eq(r[2].value, 5);
	ck_assert_uint_eq(r[0].enabled, 300);
	ck_assert_uint_eq(r[1].enabled, 100);
	ck_assert_uint_eq(r[2].enabled, 100);
	perfctr_set_close(set);
	pmu_end();
}
END_TEST

START_TEST(resets)
{
	struct perfctr_set *set;
	struct perfctr_reading r;

	pmu_begin();
	set = perfctr_set_open("instructions", NULL, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	pmu_count(5);
	ck_assert_int_eq(perfctr_set_reset(set), 0);
	pmu_count(3);
	ck_assert_int_eq(perfctr_set_read(set, &r), 0);
	ck_assert_uint_eq(r.value, 3);
	/* Again, and at once again. */
	ck_assert_int_eq(perfctr_set_reset(set), 0);
	ck_assert_int_eq(perfctr_set_reset(set), 0);
	ck_assert_int_eq(perfctr_set_read(set, &r), 0);
	ck_assert_uint_eq(r.value, 0);
	pmu_count(4);
	ck_assert_int_eq(perfctr_set_read(set, &r), 0);
	ck_assert_uint_eq(r.value, 4);
	perfctr_set_close(set);
	pmu_end();
}
END_TEST

/* Counters that are no longer there: scaled, or with _STRICT an error. */
START_TEST(strict_sets)
{
	struct perfctr_set *set;
	struct perfctr_reading r[2];
	unsigned int strict;

	for (strict = 0; strict < 2; strict++) {
		pmu_begin();
		set = perfctr_set_open("instructions,cycles", NULL,
				       strict ? PERFCTR_GROUP_STRICT : 0);
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		pmu_count(5);
		pmu_tick(100);
		ck_assert_int_eq(perfctr_set_read(set, r), 0);
		ck_assert_uint_eq(r[1].quality, PERFCTR_EXACT);
		ck_assert_uint_eq(r[1].value, 5);
		pmu.taken = pmu.counters;
		pmu_schedule();
		pmu_tick(100);
		if (strict) {
			ck_fails(perfctr_set_read(set, r), EBUSY, "the events");
			ck_assert_uint_eq(r[0].quality, PERFCTR_NOT_COUNTED);
			ck_assert_uint_eq(r[1].quality, PERFCTR_NOT_COUNTED);
		} else {
			ck_assert_int_eq(perfctr_set_read(set, r), 0);
			ck_assert_uint_eq(r[0].quality, PERFCTR_SCALED);
			ck_assert_uint_eq(r[0].value, 5);
			ck_assert_uint_eq(r[0].enabled, 200);
			ck_assert_uint_eq(r[0].running, 100);
		}
		perfctr_set_close(set);
		pmu.taken = 0;
		pmu_end();
	}
	/* From the start. */
	pmu_begin();
	pmu.taken = pmu.counters;
	pmu_schedule();
	ck_fails_null(perfctr_set_open("instructions", NULL, PERFCTR_GROUP_STRICT), EBUSY,
		      "the events");
	pmu.taken = 0;
	pmu_end();
}
END_TEST

#ifdef CONTROL_EVNTSEL

/* The counters of a control, as a group and as a set. */
START_TEST(controls)
{
	struct perfctr_cpu_control control = control_make(3, 0);
	struct perfctr_group *group;
	struct perfctr_reading r[3];
	struct perfctr_set *set;
	unsigned int i;

	pmu_begin();
	pmu.counters = 6;
	control_set_rates();
	group = perfctr_group_open_control(&control, 0, -1, 0);
	ck_assert_msg(group != NULL, "%s", perfctr_error());
	set = perfctr_set_open_control(&control, NULL, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_group_size(group), 3);
	ck_assert_uint_eq(perfctr_set_size(set), 3);
	pmu_count(7);
	ck_assert_int_eq(perfctr_group_read(group, r), 0);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(r[i].value, 7 * control_rates[i]);
		ck_assert_str_eq(perfctr_group_name(group, i), perfctr_set_name(set, i));
		ck_assert(i == 0 || strcmp(perfctr_set_name(set, i), perfctr_set_name(set, i - 1)));
	}
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	for (i = 0; i < 3; i++)
		ck_assert_uint_eq(r[i].value, 7 * control_rates[i]);
	perfctr_set_close(set);
	perfctr_group_close(group);
	/* The second event can't be opened: nothing stays open. */
	pmu_fail(PMU_OPEN, 2, EMFILE);
	ck_fails_null(perfctr_group_open_control(&control, 0, -1, 0), EMFILE, "ulimit -n");
	pmu_fail(PMU_OPEN, 2, EMFILE);
	ck_fails_null(perfctr_set_open_control(&control, NULL, 0), EMFILE, "ulimit -n");
	/* I-mode counters are no group's. */
	control = control_make(1, 1);
	control.ireset[1] = -100;
	ck_fails_null(perfctr_group_open_control(&control, 0, -1, 0), EINVAL,
		      "a-mode counters only");
	ck_fails_null(perfctr_set_open_control(&control, NULL, 0), EINVAL, "a-mode counters only");
	pmu_end();
}
END_TEST

#else

START_TEST(controls)
{
	/* perf_events can't count them on a PowerPC. */
}
END_TEST

#endif

/* A processor that goes offline stops all events there: those of the first item tell, and of all.
 */
START_TEST(offline_processors)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	struct perfctr_set *set;
	struct perfctr_reading r[3], part[3];
	unsigned int i;

	pmu_begin();
	root_make();
	root_line("/sys/devices/system/cpu/online", "0-1");
	set = perfctr_set_open("instructions,{cycles,branches}", &target, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 2);
	pmu_run(-1, 0, false, 5);
	pmu_run(-1, 1, false, 3);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(r[i].value, 8);
		ck_assert_uint_eq(r[i].quality, PERFCTR_EXACT);
	}
	pmu_offline(1);
	pmu_online(1);
	pmu_run(-1, 0, false, 10);
	pmu_run(-1, 1, false, 10);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(r[i].value, 18);
		ck_assert_uint_eq(r[i].quality, PERFCTR_STALE);
	}
	ck_assert_int_eq(perfctr_set_read_part(set, 0, part), 0);
	ck_assert_uint_eq(part[0].value, 15);
	ck_assert_uint_eq(part[2].quality, PERFCTR_EXACT);
	ck_assert_int_eq(perfctr_set_read_part(set, 1, part), 0);
	ck_assert_uint_eq(part[0].value, 3);
	ck_assert_uint_eq(part[2].value, 3);
	ck_assert_uint_eq(part[0].quality, PERFCTR_STALE);
	ck_assert_uint_eq(part[2].quality, PERFCTR_STALE);
	perfctr_set_close(set);
	/* A single event needs a companion to tell; one for all of a processor's. */
	set = perfctr_set_open("instructions,cycles,branches", &target, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 2 * (3 + 1));
	pmu_run(-1, 1, false, 3);
	pmu_offline(1);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(r[i].value, 3);
		ck_assert_uint_eq(r[i].quality, PERFCTR_STALE);
	}
	perfctr_set_close(set);
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

/* A PMU without a cpumask counts on each processor by itself, and is beside any other event. */
START_TEST(named_pmus)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	struct perfctr_set *set;
	struct perfctr_reading r[2];

	pmu_begin();
	root_make();
	root_line("/sys/devices/system/cpu/online", "0-2");
	root_line("cpu/type", "4");
	root_line("cpu/format/event", "config:0-7");
	root_line("chip/type", "12");
	root_line("chip/format/event", "config:0-7");
	root_line("chip/cpumask", "0,2");
	set = perfctr_set_open("{cpu/event=1/,instructions}", &target, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 6);
	pmu_run(-1, 0, false, 5);
	pmu_run(-1, 2, false, 6);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	ck_assert_uint_eq(r[0].value, 11);
	ck_assert_uint_eq(r[1].value, 11);
	perfctr_set_close(set);
	ck_assert_uint_eq(pmu_events(), 0);
	ck_fails_null(perfctr_set_open("{chip/event=1/,instructions}", &target, 0), EINVAL,
		      "chip/event=1/ and instructions can't be in one group");
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

/* A cgroup's folder is one of a file system of cgroups, of either version; its descriptor may be 0.
 */
START_TEST(cgroup_folders)
{
	static const unsigned long magic[] = { CGROUP2_SUPER_MAGIC, CGROUP_SUPER_MAGIC, 1 };
	char name[PATH_MAX];
	struct perfctr_target target = { .type = PERFCTR_TARGET_CGROUP, .cgroup = name };
	struct perfctr_set *set;
	struct perfctr_reading r;
	unsigned int i;
	int in = dup(0);

	pmu_begin();
	root_make();
	root_line("/sys/devices/system/cpu/online", "0-2");
	snprintf(name, sizeof(name), "%s/sys", root);
	for (i = 0; i < ARRAY_SIZE(magic); i++) {
		cgroup_magic = magic[i];
		close(0);
		if (magic[i] == 1) {
			ck_fails_null(perfctr_set_open("instructions", &target, 0), EINVAL,
				      "is no cgroup's folder");
			ck_assert_int_eq(fcntl(0, F_GETFD), -1);
			continue;
		}
		set = perfctr_set_open("instructions", &target, 0);
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		ck_assert_uint_eq(perfctr_set_parts(set), 3);
		pmu_run(-1, 1, false, 5);
		ck_assert_int_eq(perfctr_set_read(set, &r), 0);
		ck_assert_uint_eq(r.value, 5);
		perfctr_set_close(set);
		ck_assert_uint_eq(pmu_events(), 0);
	}
	cgroup_magic = 0;
	dup2(in, 0);
	close(in);
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

UNIT_MAIN("set_pmu", 60, threads_that_stay, an_id_that_is_used_again, a_thread_that_is_not_listed,
	  a_thread_that_ends, threads_that_never_stay, threads_that_may_be_cloning, order_of_items,
	  resets, strict_sets, controls, offline_processors, named_pmus, cgroup_folders)
