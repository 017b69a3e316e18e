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
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "lib/target/threads.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "tests/harness/root.h"
#include "tests/harness/control.h"
#include "tests/harness/check.h"

/* ---- a directory of threads ---- */

#define DIRECTORY 4711 /* the process that it is of */

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
static DIR *directory;

/* Where files have 64 bits and words 32, the C library's have other names. */
#if defined(_FILE_OFFSET_BITS) && _FILE_OFFSET_BITS == 64 && !defined(__LP64__)
#define __real_readdir __real_readdir64
#define __wrap_readdir __wrap_readdir64
#define __real_fstat   __real_fstat64
#define __wrap_fstat   __wrap_fstat64
#define __real_fstatfs __real_fstatfs64
#define __wrap_fstatfs __wrap_fstatfs64
#endif

/* The nth allocation from now on fails, the nth directory with this errno; 0: none. */
static unsigned int no_memory;
static int no_folder;

static bool fails(void)
{
	return no_memory && --no_memory == 0;
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_reallocarray(void *memory, size_t n, size_t size);
void *__wrap_reallocarray(void *memory, size_t n, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_reallocarray(void *memory, size_t n, size_t size)
{
	return fails() ? NULL : __real_reallocarray(memory, n, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
int __real_closedir(DIR *dir);
int __wrap_closedir(DIR *dir);
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
	DIR *dir;

	if (no_folder && strstr(path, "/task")) {
		errno = no_folder;
		return NULL;
	}
	dir = __real_opendir(path);
	if (strstr(path, "/task"))
		directory = dir;
	return dir;
}

int __wrap_closedir(DIR *dir)
{
	if (dir == directory)
		directory = NULL; /* another one may get its memory */
	return __real_closedir(dir);
}

void __wrap_rewinddir(DIR *dir)
{
	if (dir == directory) {
		looks++;
		at = 0;
	}
	__real_rewinddir(dir);
}

struct dirent *__wrap_readdir(DIR *dir)
{
	static const char *const names[] = { ".", ".." };

	if (!directory || dir != directory)
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

	/* It is asked before the directory is read. */
	if (directory && fd == dirfd(directory)) {
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

/* The one directory that is there under /sys/fs/cgroup, and how many were looked for; NULL: the
 * true ones. */
static const char *cgroup_there;
static unsigned int cgroup_opens;

int __real_perfctr_call_open(const char *path, int flags);
int __wrap_perfctr_call_open(const char *path, int flags);

int __wrap_perfctr_call_open(const char *path, int flags)
{
	if (!cgroup_there || strncmp(path, "/sys/fs/cgroup", strlen("/sys/fs/cgroup")) != 0)
		return __real_perfctr_call_open(path, flags);
	cgroup_opens++;
	if (strcmp(path, cgroup_there) == 0)
		return __real_perfctr_call_open("/", flags);
	errno = ENOENT;
	return -1;
}

/* What the thread's file says. */
static void thread_file(unsigned int i, const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", DIRECTORY, child[i], name);
	root_line(path, text);
}

static void begin_threads(const struct listing *listings, size_t n)
{
	unsigned int i;

	listing = listings;
	nlistings = (unsigned int)n;
	looks = at = naps = 0;
	on_nap = NULL;
	directory = NULL;
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
	directory = NULL;
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
	const struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS, .id = DIRECTORY };

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
	ck_assert_ptr_null(directory);
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

/* A listing may leave out a thread; the directory's links tell that there is one more. */
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

/* What lies past the end of a list is not looked at. */
START_TEST(the_end_of_a_list)
{
	static const struct listing same[] = { { 0, 3, 100, 0 } };
	struct perfctr_threads list = { NULL, 0, 0 };
	unsigned int i;
	DIR *dir;

	begin_threads(same, ARRAY_SIZE(same));
	dir = perfctr_threads_open(DIRECTORY);
	ck_assert_ptr_nonnull(dir);
	ck_assert_int_eq(perfctr_threads_list(dir, &list), 0);
	ck_assert_uint_eq(list.n, 3);
	ck_assert_uint_gt(list.room, list.n);
	list.thread[3] = (struct perfctr_thread){ .tid = child[3] };
	ck_assert_int_eq(perfctr_threads_census(dir, &list), PERFCTR_CENSUS_ALL);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(list.thread[i].settled, i < 3);
	perfctr_threads_free(&list);
	closedir(dir);
	end_threads(NULL);
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
		      "creates threads faster than they can be opened: "
		      "they had changed at each of 20 attempts");
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
	char cloning[64];
	const struct {
		const char *line;
		unsigned int naps;
	} calls[] = {
		{ "100000 0x3 0x7ffd", 0 },  { "-1 0x7ffd 0x7f", 0 }, { cloning, 1000 },
		{ "435 0x7ffd 0x58", 1000 }, { "running", 1000 },     { NULL, 1000 },
	};
	struct perfctr_set *set;
	unsigned int i;

	snprintf(cloning, sizeof(cloning), "%d 0x4111 0x7ffd", SYS_clone);

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
	/* Asleep for good: in a read(2) it is known at once; in clone(2), or if it isn't told
	 * where, the second has to go by. */
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		begin_threads(same, ARRAY_SIZE(same));
		thread_file(1, "stat", "1 (name) D 1");
		thread_file(1, "schedstat", "5000000 1 2");
		if (calls[i].line)
			thread_file(1, "syscall", calls[i].line);
		set = open_process();
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		ck_assert_uint_eq(naps, calls[i].naps);
		end_threads(set);
	}
	/* Kept from running. */
	begin_threads(same, ARRAY_SIZE(same));
	thread_file(1, "stat", "1 (name) R 1");
	thread_file(1, "schedstat", "5000000 1 2");
	ck_fails_null(open_process(), EAGAIN, "is ready to run but got no processor in 1000 ms");
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
/* Guests are left out where the PMU can, and are no reason to fail if they aren't named. */
START_TEST(guests)
{
	struct perfctr_reading r[2];
	struct perfctr_set *set;
	unsigned int way;

	for (way = 0; way < 3; way++) {
		pmu_begin();
		pmu.blind = way == 1;
		pmu.lent = way == 2;
		set = perfctr_set_open("{instructions:u,cycles:u}", NULL, 0);
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		ck_assert_uint_eq(pmu_calls(PMU_OPEN), way == 1 ? 3 : 2);
		ck_assert_int_eq(pmu_asked.exclude_guest, !pmu.blind);
		pmu_count(5);
		ck_assert_int_eq(perfctr_set_read(set, r), 0);
		ck_assert_uint_eq(r[0].value, 5);
		ck_assert_uint_eq(r[1].value, 5);
		perfctr_set_close(set);
		pmu_end();
	}
	pmu_begin();
	pmu.lent = true;
	ck_fails_null(perfctr_set_open("instructions:uGH", NULL, 0), EOPNOTSUPP,
		      "instructions:uGH can't be counted: its PMU does not count in guests, or "
		      "KVM's guests have it to themselves while they run (mediated vPMU); count "
		      "the host only (:H)");
	pmu.lent = false;
	set = perfctr_set_open("instructions:uGH", NULL, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert(!pmu_asked.exclude_guest && !pmu_asked.exclude_host);
	perfctr_set_close(set);
	pmu.blind = true;
	ck_fails_null(perfctr_set_open("instructions:uH", NULL, 0), EINVAL,
		      "can't tell modes apart; try it without modifiers");
	pmu_end();
}
END_TEST

/*
 * Where user mode may not read a processor's counters, and finds 0 in them, nobody tries: only the
 * page of the thread's own event is mapped.
 */
START_TEST(guarded_counters)
{
	static const struct perfctr_target all[] = {
		{ .type = PERFCTR_TARGET_CPU, .id = 0 },
		{ .type = PERFCTR_TARGET_THREAD_ON_CPU, .id = 0, .cpu = 0 },
		{ .type = PERFCTR_TARGET_THREAD, .id = 0 },
	};
	const struct perfctr_scope scope = { .tid = -1, .cpu = 0, .cgroup = -1 };
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE };
	struct perfctr_counter counter;
	struct perfctr_reader reader;
	struct perfctr_reading r;
	struct perfctr_set *set;
	uint64_t value;
	unsigned int i;

	/* And the page says so. */
	for (i = 0; i < 2; i++) {
		pmu_begin();
		pmu.guards = i;
		ck_assert_int_eq(perfctr_counter_try(&counter, &attr, &scope, NULL), 0);
		ck_assert_int_eq(perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT),
				 pmu.rdpmc && !pmu.guards);
		perfctr_counter_close(&counter);
		pmu_end();
	}
	root_make();
	root_line("/sys/devices/system/cpu/online", "0");
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		bool own = i == 2;

		pmu_begin();
		pmu.guards = true;
		set = perfctr_set_open("instructions:u", &all[i], 0);
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		pmu_run(i == 0 ? -1 : getpid(), i == 2 ? -1 : 0, false, 5);
		ck_assert_int_eq(perfctr_set_read(set, &r), 0);
		ck_assert_uint_eq(r.value, 5);
		ck_assert_uint_eq(pmu_calls(PMU_RDPMC), own && pmu.rdpmc);
		ck_assert_uint_eq(pmu_mappings(), own && pmu.rdpmc);
		if (own && pmu.rdpmc && PERFCTR_HAVE_RDPMC) {
			ck_assert_int_eq(perfctr_set_reader(set, 0, &reader), 0);
			ck_assert(perfctr_reader_read(&reader, &value) && value == 5);
			/* Forbidden while it counts, it goes on through the kernel. */
			pmu.rdpmc = false;
			ck_assert_int_eq(perfctr_set_disable(set), 0);
			ck_assert_int_eq(perfctr_set_enable(set), 0);
			pmu_count(2);
			ck_assert(!perfctr_reader_read(&reader, &value));
			ck_assert_int_eq(perfctr_set_read(set, &r), 0);
			ck_assert_uint_eq(r.value, 7);
		} else if (!own) {
			ck_fails(perfctr_set_reader(set, 0, &reader), EOPNOTSUPP,
				 "does not count on the calling thread alone");
		}
		perfctr_set_close(set);
		pmu_end();
	}
	root_remove();
}
END_TEST

START_TEST(order_of_items)
{
	struct perfctr_set *set;
	struct perfctr_reading r[3];

	pmu_begin();
	set = perfctr_set_open("instructions,{cycles,branches}", NULL, PERFCTR_DISABLED);
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

/* Counters that are no longer there: scaled, or pinned an error. */
START_TEST(strict_sets)
{
	struct perfctr_set *set;
	struct perfctr_reading r[2];
	unsigned int strict;

	for (strict = 0; strict < 2; strict++) {
		pmu_begin();
		set = perfctr_set_open("instructions,cycles", NULL, strict ? 0 : PERFCTR_MULTIPLEX);
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
	ck_fails_null(perfctr_set_open("instructions", NULL, 0), EBUSY, "the events");
	pmu.taken = 0;
	pmu_end();
}
END_TEST

/* Too many events of a set are its own affair; what does not fit without them, somebody else's. */
START_TEST(no_room)
{
	static const struct perfctr_target cpu = { .type = PERFCTR_TARGET_CPU, .id = 0 };
	struct perfctr_list_event event;
	struct perfctr_reading r[3];
	struct perfctr_set *set;

	pmu_begin();
	pmu.counters = 2;
	ck_fails_null(perfctr_set_open("instructions,task-clock,cycles,branches", NULL, 0), EBUSY,
		      "branches does not fit on the PMU together with the 3 events before it");
	ck_fails_null(perfctr_set_open("{instructions,cycles},branches", &cpu, 0), EBUSY,
		      "branches does not fit on the PMU together with the 2 events before it");
	ck_fails_null(perfctr_set_open("instructions,{cycles,branches}", NULL, 0), EBUSY,
		      "cycles does not fit on the PMU together with the 1 event before it");
	/* The first one goes on if it may. */
	set = perfctr_set_open("instructions,{cycles,branches}", NULL, PERFCTR_PARTIAL);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	pmu_count(5);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	ck_assert_uint_eq(r[0].value, 5);
	ck_assert_uint_eq(r[0].quality, PERFCTR_EXACT);
	ck_assert_uint_eq(r[2].quality, PERFCTR_NOT_COUNTED);
	ck_assert_int_eq(perfctr_set_event(set, 2, &event), 0);
	ck_assert_ptr_nonnull(strstr(event.reason, "the 1 event before it"));
	perfctr_set_close(set);
	pmu.taken = 1;
	ck_fails_null(perfctr_set_open("instructions,{cycles,branches}", NULL, 0), EBUSY,
		      "somebody else has taken a counter");
	pmu_end();
}
END_TEST

#ifdef CONTROL_EVNTSEL

/* The counters of a control, as a group and as a set. */
START_TEST(controls)
{
	struct perfctr_cpu_control control = control_make(3, 0);
	struct perfctr_set *group;
	struct perfctr_reading r[3];
	struct perfctr_set *set;
	unsigned int i;

	pmu_begin();
	pmu.counters = 6;
	control_set_rates();
	group = perfctr_set_open_control(&control, NULL, 0);
	ck_assert_msg(group != NULL, "%s", perfctr_error());
	set = perfctr_set_open_control(&control, NULL, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_size(group), 3);
	ck_assert_uint_eq(perfctr_set_size(set), 3);
	pmu_count(7);
	ck_assert_int_eq(perfctr_set_read(group, r), 0);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(r[i].value, 7 * control_rates[i]);
		ck_assert_str_eq(perfctr_set_name(group, i), perfctr_set_name(set, i));
		ck_assert(i == 0 || strcmp(perfctr_set_name(set, i), perfctr_set_name(set, i - 1)));
	}
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	for (i = 0; i < 3; i++)
		ck_assert_uint_eq(r[i].value, 7 * control_rates[i]);
	perfctr_set_close(set);
	perfctr_set_close(group);
	/* The second event can't be opened: nothing stays open. */
	pmu_fail(PMU_OPEN, 2, EMFILE);
	ck_fails_null(perfctr_set_open_control(&control, NULL, 0), EMFILE, "ulimit -n");
	pmu_fail(PMU_OPEN, 2, EMFILE);
	ck_fails_null(perfctr_set_open_control(&control, NULL, 0), EMFILE, "ulimit -n");
	/* Events and variants; so few need no memory for the plan. */
	for (i = 1;; i++) {
		no_memory = i;
		errno = 0;
		set = perfctr_set_open_control(&control, NULL, 0);
		if (set)
			break;
		ck_assert_int_eq(errno, ENOMEM);
		ck_assert_ptr_eq(strstr(perfctr_error(), "no memory for a "), perfctr_error());
	}
	no_memory = 0;
	ck_assert_uint_ge(i, 2);
	perfctr_set_close(set);
	/* I-mode counters are no group's. */
	control = control_make(1, 1);
	control.ireset[1] = -100;
	ck_fails_null(perfctr_set_open_control(&control, NULL, 0), EINVAL, "a-mode counters only");
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
/* Where /sys can't be read, the processor's events are unverified, and no others. */
START_TEST(unverified)
{
	struct perfctr_list_event event;
	struct perfctr_reading r[3];
	struct perfctr_set *set;

	pmu_begin();
	root_make();
	set = perfctr_set_open("{r1b7,instructions},task-clock", NULL, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	pmu_count(7);
	pmu_tick(10);
	ck_assert_int_eq(perfctr_set_event(set, 0, &event), 0);
	ck_assert_uint_eq(event.flags, PERFCTR_EVENT_UNVERIFIED);
	ck_assert_int_eq(perfctr_set_event(set, 1, &event), 0);
	ck_assert_uint_eq(event.flags, 0);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	ck_assert_uint_eq(r[0].quality, PERFCTR_UNVERIFIED);
	ck_assert_uint_eq(r[1].quality, PERFCTR_EXACT);
	ck_assert_uint_eq(r[2].quality, PERFCTR_EXACT);
	ck_assert_int_eq(perfctr_set_read_part(set, 0, r), 0);
	ck_assert_uint_eq(r[0].quality, PERFCTR_UNVERIFIED);
	perfctr_set_close(set);
	/* A group alone is read another way. */
	set = perfctr_set_open("r1b7", NULL, 0);
	pmu_count(7);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	ck_assert_uint_eq(r[0].quality, PERFCTR_UNVERIFIED);
	perfctr_set_close(set);
	unsetenv("PERFCTR_ROOT");
	root_remove();
	pmu_end();
}
END_TEST

START_TEST(offline_processors)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	const struct perfctr_target second = { .type = PERFCTR_TARGET_CPU, .id = 1 };
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
	ck_fails(perfctr_set_check(set), ESTALE, "processor 1 has been offline");
	perfctr_set_close(set);
	set = perfctr_set_open("instructions,cycles", &second, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_int_eq(perfctr_set_check(set), 0);
	pmu_offline(1);
	ck_fails(perfctr_set_check(set), ESTALE, "processor 1 has been offline");
	pmu_online(1);
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

static void free_0(void)
{
	close(0);
}

/* The descriptor of an event that tells whether a processor was offline may be 0. */
START_TEST(a_companion_of_descriptor_0)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_CPU };
	struct perfctr_set *set;
	struct perfctr_reading r;
	unsigned int opens;
	int in = dup(0);

	pmu_begin();
	set = perfctr_set_open("instructions", &target, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 2);
	opens = pmu_calls(PMU_OPEN);
	perfctr_set_close(set);
	pmu_at(PMU_OPEN, opens, free_0);
	set = perfctr_set_open("instructions", &target, 0);
	pmu_at(PMU_OPEN, 0, NULL);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), 2 * opens);
	ck_assert_uint_eq(pmu_events(), 2);
	pmu_run(-1, 0, false, 5);
	ck_assert_int_eq(perfctr_set_read(set, &r), 0);
	ck_assert_uint_eq(r.value, 5);
	ck_assert_uint_eq(r.quality, PERFCTR_EXACT);
	ck_assert_int_eq(fcntl(0, F_GETFD), FD_CLOEXEC);
	pmu_offline(0);
	ck_assert_int_eq(perfctr_set_read(set, &r), 0);
	ck_assert_uint_eq(r.quality, PERFCTR_STALE);
	perfctr_set_close(set);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
	dup2(in, 0);
	close(in);
	pmu_end();
}
END_TEST

/* A PMU without a cpumask counts on each processor by itself, and is beside any other event. */
START_TEST(named_pmus)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	static const int cpus[] = { 0, 31, 32, 33, 64 };
	struct perfctr_target one = target;
	struct perfctr_set *set;
	struct perfctr_reading r[2];
	struct perfctr_part part;
	unsigned int i;

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
	/* Processors of the second word. */
	root_line("/sys/devices/system/cpu/online", "0,31-33,64");
	root_line("chip/cpumask", "32,64");
	set = perfctr_set_open("chip/event=1/,instructions", &target, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	for (i = 0; i < ARRAY_SIZE(cpus); i++)
		pmu_run(-1, cpus[i], false, 1u << i);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	ck_assert_uint_eq(r[0].value, 4 + 16);
	ck_assert_uint_eq(r[1].value, 31);
	perfctr_set_close(set);
	one.id = 33;
	set = perfctr_set_open("instructions", &one, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 1);
	ck_assert_int_eq(perfctr_set_part(set, 0, &part), 0);
	ck_assert_int_eq(part.cpu, 33);
	ck_assert_int_eq(part.tid, -1);
	perfctr_set_close(set);
	one.id = 34;
	ck_fails_null(perfctr_set_open("instructions", &one, 0), ENODEV,
		      "processor 34 is not online");
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

/* A cgroup's directory is one of a file system of cgroups, of either version; its descriptor may be
 * 0.
 */
START_TEST(cgroup_folders)
{
	static const unsigned long magic[] = { CGROUP2_SUPER_MAGIC, CGROUP_SUPER_MAGIC, 1 };
	char name[PATH_MAX + 1];
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
				      "is not a cgroup's directory");
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
		/* Of what there is in it the kernel says so in two ways. */
		pmu_fail(PMU_OPEN, 1, EBADF);
		ck_fails_null(perfctr_set_open("instructions", &target, 0), EOPNOTSUPP,
			      "it has no perf_event");
		pmu_fail(PMU_OPEN, 1, ENOENT);
		ck_fails_null(perfctr_set_open("instructions", &target, 0), EOPNOTSUPP,
			      "it has no perf_event");
		ck_assert_int_eq(fcntl(0, F_GETFD), -1);
	}
	/* A path of any length that the kernel takes, and one letter more. */
	cgroup_magic = 1;
	memset(name, '/', PATH_MAX - 1);
	name[PATH_MAX - 1] = '\0';
	ck_fails_null(perfctr_set_open("instructions", &target, 0), EINVAL,
		      "is not a cgroup's directory");
	name[PATH_MAX - 1] = '/';
	name[PATH_MAX] = '\0';
	ck_fails_null(perfctr_set_open("instructions", &target, 0), ENAMETOOLONG,
		      "can't be opened: File name too long");
	cgroup_magic = 0;
	dup2(in, 0);
	close(in);
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

/* A cgroup is named as its directory, or as from one of three mounts, of which the first wins. */
START_TEST(mounts_of_cgroups)
{
	static const char *const mounts[] = { "perf_event/", "", "unified/" };
	struct perfctr_target target = { .type = PERFCTR_TARGET_CGROUP, .cgroup = "a/b" };
	struct perfctr_set *set;
	char there[64];
	unsigned int i, k;

	pmu_begin();
	root_make();
	root_line("/sys/devices/system/cpu/online", "0");
	cgroup_magic = CGROUP2_SUPER_MAGIC;
	cgroup_there = there;
	for (i = 0; i < 2 * ARRAY_SIZE(mounts); i++) {
		target.cgroup = i % 2 ? "/a/b" : "a/b";
		snprintf(there, sizeof(there), "/sys/fs/cgroup/%s%s", mounts[i / 2], target.cgroup);
		cgroup_opens = 0;
		set = perfctr_set_open("instructions", &target, 0);
		ck_assert_msg(set != NULL, "%s: %s", there, perfctr_error());
		ck_assert_uint_eq(cgroup_opens, i / 2 + 1);
		perfctr_set_close(set);
	}
	for (k = 0; k < 2; k++) {
		target.cgroup = k ? "/a/c" : "a/c";
		cgroup_opens = 0;
		ck_fails_null(perfctr_set_open("instructions", &target, 0), ENOENT,
			      k ? "no cgroup /a/c, nor one under" : "no cgroup a/c under");
		ck_assert_uint_eq(cgroup_opens, 3);
	}
	cgroup_there = NULL;
	cgroup_magic = 0;
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

/* ---- what fails ---- */

/* Whatever there is no memory for, nothing stays open. */
static void without_memory(const char *events, const struct perfctr_target *target,
			   unsigned int at_least)
{
	struct perfctr_set *set = NULL;
	unsigned int n;
	void *kept[64];

	for (n = 1; !set; n++) {
		errno = 0;
		looks = at = 0;
		no_memory = n;
		set = perfctr_set_open(events, target, 0);
		if (set)
			break;
		ck_assert_msg(no_memory == 0 && errno == ENOMEM, "%s", perfctr_error());
		ck_assert_uint_eq(pmu_events(), 0);
	}
	no_memory = 0;
	ck_assert_uint_gt(n, at_least);
	perfctr_set_close(set);
	/* Memory that a child of fork() finds cleared; none is left of what was given back. */
	for (n = 0; n < ARRAY_SIZE(kept); n++)
		ck_assert_ptr_nonnull(kept[n] = perfctr_memory_take(1));
	for (n = 1; n <= 3; n++) {
		looks = at = 0;
		pmu_fail(PMU_MEMORY, n, ENOMEM);
		set = perfctr_set_open(events, target, 0);
		/* It does without the memory of what watches the threads. */
		ck_assert(pmu_failed() || set);
		if (set)
			break;
		ck_assert_int_eq(errno, ENOMEM);
	}
	ck_assert_uint_eq(n, 2);
	pmu_fail(PMU_MEMORY, 0, 0);
	perfctr_set_close(set);
	for (n = 0; n < ARRAY_SIZE(kept); n++)
		perfctr_memory_give(kept[n], 1);
	ck_assert_uint_eq(pmu_events(), 0);
}

START_TEST(no_memory_for_a_set)
{
	static const struct listing same[] = { { 0, 3, 100, 0 } };
	struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS, .id = DIRECTORY };

	begin_threads(same, ARRAY_SIZE(same));
	/* Events, sources and runs; then the threads. Fewer events need no memory for these two. */
	without_memory("{cs,faults},instructions,cycles,cs,cs,cs,cs,cs,cs", NULL, 2);
	without_memory("instructions,cycles,cs,cs,cs,cs,cs,cs,cs", &target, 4);
	without_memory("instructions,cycles", &target, 2);
	directory = NULL;
	root_line("/sys/devices/system/cpu/online", "0-2");
	root_line("chip/type", "12");
	root_line("chip/format/event", "config:0-7");
	root_line("chip/cpumask", "0,2");
	target.type = PERFCTR_TARGET_CPU;
	target.id = -1;
	without_memory("chip/event=1/,instructions,cs,cs,cs,cs,cs,cs,cs", &target, 4);
	without_memory("chip/event=1/,instructions", &target, 2);
	end_threads(NULL);
}
END_TEST

/* A process's directory that is there, but not for us. */
START_TEST(no_folder_of_threads)
{
	static const int kept[] = { ENOMEM, EMFILE, ENFILE };
	struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS };
	unsigned int i;

	pmu_begin();
	for (i = 0; i < ARRAY_SIZE(kept); i++) {
		no_folder = kept[i];
		ck_fails_null(perfctr_set_open("cs", &target, 0), kept[i], "mount /proc");
	}
	no_folder = EACCES;
	ck_fails_null(perfctr_set_open("cs", &target, 0), ENOENT,
		      "/proc/self/task can't be read (Permission denied); mount /proc");
	target.id = getpid();
	ck_fails_null(perfctr_set_open("cs", &target, 0), ENOENT, "(Permission denied); mount");
	no_folder = ENOENT;
	ck_fails_null(perfctr_set_open("cs", &target, 0), ENOENT,
		      "(No such file or directory); mount");
	target.id = 0;
	ck_fails_null(perfctr_set_open("cs", &target, 0), ENOENT,
		      "(No such file or directory); mount");
	target.id = 0x7FFFFFFF;
	ck_fails_null(perfctr_set_open("cs", &target, 0), ESRCH, "there is no process 2147483647");
	no_folder = 0;
	pmu_end();
}
END_TEST

static void refuse_next(void)
{
	pmu_fail(PMU_OPEN, 1, EOPNOTSUPP);
}

/* The second thread's second event. */
#define JOINING 4

static struct perfctr_set *open_pairs(void)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS, .id = DIRECTORY };

	return perfctr_set_open("{instructions,cycles}", &target, 0);
}

/*
 * The kernel may take one thread's events for another's, once, when an event joins its group, which
 * is opened again; what is wrong stays so.
 */
START_TEST(threads_that_exchange_events)
{
	static const struct listing same[] = { { 0, 3, 100, 0 } };
	static const int again[] = { EINVAL, ENODEV };
	static const int last[] = { EACCES, EPERM, EBUSY, EOPNOTSUPP };
	struct perfctr_set *set;
	unsigned int i;

	begin_threads(same, ARRAY_SIZE(same));
	for (i = 0; i < ARRAY_SIZE(again); i++) {
		looks = 0;
		pmu_fail(PMU_OPEN, JOINING, again[i]);
		set = open_pairs();
		ck_assert(pmu_failed());
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		ck_assert_uint_eq(perfctr_set_parts(set), 3);
		ck_assert_uint_eq(looks, 2);
		perfctr_set_close(set);
	}
	for (i = 0; i < ARRAY_SIZE(last); i++) {
		looks = 0;
		pmu_fail(PMU_OPEN, JOINING, last[i]);
		ck_assert_ptr_null(open_pairs());
		ck_assert_int_eq(errno, last[i]);
		ck_assert_uint_eq(looks, 1);
	}
	looks = 0;
	pmu_at(PMU_OPEN, 0, refuse_next);
	ck_fails_null(open_pairs(), EOPNOTSUPP, "instructions can't be counted");
	pmu_at(PMU_OPEN, 0, NULL);
	pmu_fail(PMU_OPEN, 0, 0);
	ck_assert_uint_eq(looks, 1);
	end_threads(NULL);
}
END_TEST

/* On a processor an event is of one core type, whose time is all there is. */
START_TEST(one_kind_of_two)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_CPU, .id = 0 };
	struct perfctr_set *set;
	struct perfctr_reading r;

	pmu_begin();
	root_make();
	root_line("/sys/devices/system/cpu/online", "0-2");
	root_line("cpu_core/type", "4");
	root_line("cpu_core/cpus", "0-1");
	root_line("cpu_atom/type", "10");
	root_line("cpu_atom/cpus", "2");
	pmu_fail(PMU_OPEN, 2, ENOENT);
	set = perfctr_set_open("instructions:u", &target, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert(pmu_failed());
	pmu_run(-1, 0, false, 5);
	pmu_tick_of(-1, 0, 100);
	ck_assert_int_eq(perfctr_set_read(set, &r), 0);
	ck_assert_uint_eq(r.value, 5);
	ck_assert_uint_eq(r.enabled, 100);
	ck_assert_uint_eq(r.running, 100);
	ck_assert_uint_eq(r.quality, PERFCTR_EXACT);
	perfctr_set_close(set);
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

/* A thread that the kernel knows and never lists: after so many looks it is given up. */
START_TEST(threads_that_never_agree)
{
	static const struct listing left_out[] = { { 0, 2, 100, 1 } };

	begin_threads(left_out, ARRAY_SIZE(left_out));
	ck_fails_null(open_process(), EAGAIN, "they had changed at each of 20 attempts");
	ck_assert_uint_eq(looks, 20 * (1 + 20));
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), 20 * 2);
	end_threads(NULL);
}
END_TEST

/* What no PMU counts is with the first of its own item's. */
START_TEST(places_of_software_events)
{
	struct perfctr_reading r[4];
	struct perfctr_set *set;
	struct perfctr_part part;

	pmu_begin();
	root_make();
	root_line("/sys/devices/system/cpu/online", "0-2");
	root_line("cpu_core/type", "4");
	root_line("cpu_core/cpus", "0-1");
	root_line("cpu_core/format/event", "config:0-7");
	root_line("cpu_atom/type", "10");
	root_line("cpu_atom/cpus", "2");
	root_line("cpu_atom/format/event", "config:0-7");
	set = perfctr_set_open("cpu_core/event=1/,{cpu_atom/event=1/,cs},faults", NULL, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 2);
	ck_assert_int_eq(perfctr_set_part(set, 0, &part), 0);
	ck_assert_str_eq(part.pmu, "cpu_core");
	ck_assert_int_eq(perfctr_set_read_part(set, 0, r), 0);
	ck_assert_uint_eq(r[0].quality, PERFCTR_EXACT);
	ck_assert_uint_eq(r[1].quality, PERFCTR_NOT_COUNTED);
	ck_assert_uint_eq(r[2].quality, PERFCTR_NOT_COUNTED);
	ck_assert_uint_eq(r[3].quality, PERFCTR_EXACT);
	ck_assert_int_eq(perfctr_set_part(set, 1, &part), 0);
	ck_assert_str_eq(part.pmu, "cpu_atom");
	ck_assert_int_eq(perfctr_set_read_part(set, 1, r), 0);
	ck_assert_uint_eq(r[0].quality, PERFCTR_NOT_COUNTED);
	ck_assert_uint_eq(r[1].quality, PERFCTR_EXACT);
	ck_assert_uint_eq(r[2].quality, PERFCTR_EXACT);
	ck_assert_uint_eq(r[3].quality, PERFCTR_NOT_COUNTED);
	perfctr_set_close(set);
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

/* ---- what can't be counted ---- */

static const char *reason_of(const struct perfctr_set *set, unsigned int i)
{
	struct perfctr_list_event event;

	ck_assert_int_eq(perfctr_set_event(set, i, &event), 0);
	return event.reason;
}

/* With PERFCTR_PARTIAL what fails is left out, with its group and a reason. */
START_TEST(partial_sets)
{
	static const char events[] = "instructions,{cycles,branches},cache-misses";
	struct perfctr_reading r[4];
	struct perfctr_set *set;
	unsigned int n, i;

	/* Each open fails once; the events of its item are left out, and no others. */
	for (n = 1; n <= 4; n++) {
		unsigned int first = n == 3 ? 1 : n - 1, last = n == 2 ? 2 : n - 1;

		pmu_begin();
		pmu_fail(PMU_OPEN, n, EMFILE);
		set = perfctr_set_open(events, NULL, PERFCTR_PARTIAL);
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		ck_assert_uint_eq(pmu_events(), first == last ? 3 : 2);
		pmu_count(7);
		pmu_tick(10);
		ck_assert_int_eq(perfctr_set_read(set, r), 0);
		for (i = 0; i < 4; i++) {
			bool out = i >= first && i <= last;

			ck_assert_uint_eq(r[i].value, out ? 0 : 7);
			ck_assert_uint_eq(r[i].enabled, out ? 0 : 10);
			ck_assert_uint_eq(r[i].quality, out ? PERFCTR_NOT_COUNTED : PERFCTR_EXACT);
			if (!out)
				ck_assert_ptr_null(reason_of(set, i));
			else
				ck_assert_msg(!strncmp(reason_of(set, i), "no file descriptors are",
						       23),
					      "%s", reason_of(set, i));
		}
		ck_assert_int_eq(perfctr_set_reset(set), 0);
		ck_assert_int_eq(perfctr_set_disable(set), 0);
		ck_assert_int_eq(perfctr_set_enable(set), 0);
		perfctr_set_close(set);
		pmu_end();
	}
	/* What finds no room, what the machine does not have, and nothing left at all. */
	pmu_begin();
	pmu.taken = 3;
	pmu_schedule();
	set = perfctr_set_open("{cycles,branches},instructions,no_such_pmu/event=1/", NULL,
			       PERFCTR_PARTIAL);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert(reason_of(set, 0) && strstr(reason_of(set, 0), "taken"));
	ck_assert_str_eq(reason_of(set, 0), reason_of(set, 1));
	ck_assert_ptr_null(reason_of(set, 2));
	ck_assert(strstr(reason_of(set, 3), "no_such_pmu"));
	perfctr_set_close(set);
	pmu_fail(PMU_OPEN, 1, EMFILE);
	set = perfctr_set_open("cycles", NULL, PERFCTR_PARTIAL);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 0);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	ck_assert_uint_eq(r[0].quality, PERFCTR_NOT_COUNTED);
	perfctr_set_close(set);
	/* Without the flag, and with it what is written wrongly, is an error. */
	ck_fails_null(perfctr_set_open("cs,no_such_pmu/event=1/", NULL, 0), ENOENT, "no_such_pmu");
	ck_fails_null(perfctr_set_open("cs,cycels", NULL, PERFCTR_PARTIAL), EINVAL, "cycels");
	pmu.taken = 0;
	pmu_end();
}
END_TEST

/* On several threads: an item that fails on one of them is nowhere. */
START_TEST(partial_processes)
{
	static const struct listing same[] = { { 0, 3, 100, 0 } };
	const struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS, .id = DIRECTORY };
	struct perfctr_reading r[2];
	struct perfctr_set *set;
	unsigned int i;

	for (i = 2; i <= 6; i += 2) {
		begin_threads(same, ARRAY_SIZE(same));
		pmu_fail(PMU_OPEN, i, EACCES);
		set = perfctr_set_open("instructions,cycles", &target, PERFCTR_PARTIAL);
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		ck_assert_uint_eq(pmu_events(), 3);
		ck_assert_ptr_nonnull(reason_of(set, 1));
		end_threads(set);
	}
	begin_threads(same, ARRAY_SIZE(same));
	pmu_fail(PMU_OPEN, 4, EACCES);
	set = perfctr_set_open("instructions,cycles", &target, PERFCTR_PARTIAL);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 3);
	ck_assert_uint_eq(perfctr_set_parts(set), 3);
	for (i = 0; i < 3; i++)
		pmu_run(child[i], 0, false, 1);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	ck_assert_uint_eq(r[0].value, 3);
	ck_assert_uint_eq(r[1].quality, PERFCTR_NOT_COUNTED);
	ck_assert_ptr_null(reason_of(set, 0));
	ck_assert_ptr_nonnull(reason_of(set, 1));
	/* One thread's counts alone. */
	pmu_run(child[1], 0, false, 5);
	ck_assert_int_eq(perfctr_set_read_thread(set, child[1], r), 0);
	ck_assert_uint_eq(r[0].value, 6);
	ck_assert_uint_eq(r[1].quality, PERFCTR_NOT_COUNTED);
	ck_fails(perfctr_set_read_thread(set, 1, r), ESRCH, "no part of a thread 1");
	end_threads(set);
	/* That it is wrong may be the kernel's mistake: only the last attempt is believed. */
	begin_threads(same, ARRAY_SIZE(same));
	pmu_fail(PMU_OPEN, 4, EINVAL);
	set = perfctr_set_open("instructions,cycles", &target, PERFCTR_PARTIAL);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 6);
	ck_assert_ptr_null(reason_of(set, 1));
	end_threads(set);
}
END_TEST

/* ---- one, two and three core types ---- */

static const char *const core_types[] = { "cpu_core", "cpu_atom", "cpu_lowpower" };

/* A machine with a processor of each of n types; a single one has no name of its own. */
static void begin_types(unsigned int n)
{
	char path[64], text[16];
	unsigned int i;

	pmu_begin();
	pmu.counters = 16;
	root_make();
	snprintf(text, sizeof(text), "0-%u", n - 1);
	root_line("/sys/devices/system/cpu/online", text);
	for (i = 0; n > 1 && i < n; i++) {
		snprintf(path, sizeof(path), "%s/type", core_types[i]);
		snprintf(text, sizeof(text), "%u", i ? 9 + i : 4);
		root_line(path, text);
		snprintf(path, sizeof(path), "%s/cpus", core_types[i]);
		snprintf(text, sizeof(text), "%u", i);
		root_line(path, text);
		snprintf(path, sizeof(path), "%s/format/event", core_types[i]);
		root_line(path, "config:0-7");
	}
}

static void end_types(void)
{
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}

/* Each event in each part, and a thread's as one sum, is an event of its own. */
START_TEST(types_and_ids)
{
	struct perfctr_part part;
	struct perfctr_set *set;
	uint64_t id[9] = { 0 };
	unsigned int n, p, i, k;

	for (n = 1; n <= 3; n++) {
		begin_types(n);
		set = perfctr_set_open("instructions,{cycles,branches}", NULL, 0);
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		ck_assert_uint_eq(perfctr_set_parts(set), n);
		ck_assert_uint_eq(pmu_events(), 3 * n);
		for (p = 0; p < n; p++) {
			ck_assert_int_eq(perfctr_set_part(set, p, &part), 0);
			ck_assert_str_eq(part.pmu, n > 1 ? core_types[p] : "");
			for (i = 0; i < 3; i++) {
				ck_assert_msg(perfctr_set_id(set, p, i, &id[3 * p + i]) == 0, "%s",
					      perfctr_error());
				for (k = 0; k < 3 * p + i; k++)
					ck_assert_uint_ne(id[k], id[3 * p + i]);
			}
		}
		perfctr_set_close(set);
		end_types();
	}
}
END_TEST

/* An item that fails on one core type is left out on all, with its group. */
START_TEST(types_and_partial_sets)
{
	static const char events[] = "instructions,{cycles,branches}";
	struct perfctr_reading r[3];
	struct perfctr_set *set;
	unsigned int n, nth, i;

	for (n = 1; n <= 3; n++)
		for (nth = 1; nth <= 3 * n; nth++) {
			bool group = (nth - 1) % 3 != 0;

			begin_types(n);
			pmu_fail(PMU_OPEN, nth, EMFILE);
			set = perfctr_set_open(events, NULL, PERFCTR_PARTIAL);
			ck_assert_msg(set != NULL, "%s", perfctr_error());
			/* What was left out before the next core type is not opened there. */
			ck_assert_uint_eq(pmu_events(), group ? n : 2 * n);
			for (i = 0; i < 3; i++)
				ck_assert_msg(!reason_of(set, i) == (group == !i),
					      "%u types, %u, %u", n, nth, i);
			perfctr_set_read(set, r);
			for (i = 0; i < 3; i++)
				ck_assert_msg((r[i].quality == PERFCTR_NOT_COUNTED &&
					       reason_of(set, i)) ||
						      !reason_of(set, i),
					      "%u types, %u: %u is %u", n, nth, i, r[i].quality);
			perfctr_set_close(set);
			end_types();
		}
	/* A group whose first event is of one type alone. */
	begin_types(2);
	pmu_fail(PMU_OPEN, 3, EMFILE);
	set = perfctr_set_open("page-faults,{cpu_core/event=1/,cycles}", NULL, PERFCTR_PARTIAL);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	for (i = 0; i < 3; i++)
		ck_assert_msg(!reason_of(set, i) == !i, "%u", i);
	perfctr_set_close(set);
	pmu_fail(PMU_OPEN, 4, EMFILE);
	set = perfctr_set_open("page-faults,{cpu_core/event=1/,cycles}", NULL, PERFCTR_PARTIAL);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	for (i = 0; i < 3; i++)
		ck_assert_msg(!reason_of(set, i) == !i, "%u", i);
	ck_assert_uint_eq(pmu_events(), 1);
	perfctr_set_close(set);
	end_types();
}
END_TEST

/* What fails on one core type is done on the others all the same. */
START_TEST(types_and_switches)
{
	static const unsigned long requests[] = { PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE };
	struct perfctr_set *set;
	unsigned int n, nth, i, calls;

	for (n = 1; n <= 3; n++)
		for (i = 0; i < 2; i++)
			for (nth = 1; nth <= 2 * n; nth++) {
				begin_types(n);
				set = perfctr_set_open("instructions,cycles", NULL,
						       i ? 0 : PERFCTR_DISABLED);
				ck_assert_msg(set != NULL, "%s", perfctr_error());
				calls = pmu_calls(requests[i]);
				pmu_fail(requests[i], nth, EIO);
				ck_assert_int_eq(i ? perfctr_set_disable(set)
						   : perfctr_set_enable(set),
						 -1);
				ck_assert(pmu_failed());
				ck_assert_uint_ge(pmu_calls(requests[i]) - calls, 2 * n);
				perfctr_set_close(set);
				end_types();
			}
}
END_TEST

/* ---- each open of an event fails once, with each errno ---- */

/*
 * What becomes of a set: a letter for errno, or how many events are left out: 1 is the single one,
 * 2 the group; u: its counts are PERFCTR_UNWATCHED; '.': nothing is amiss.
 */
static char outcome(const struct perfctr_set *set)
{
	static const struct {
		char letter;
		int error;
	} failures[] = {
		{ 'A', EACCES }, { 'B', EBUSY },  { 'I', EINVAL }, { 'M', ENOMEM },
		{ 'P', EMFILE }, { 'F', ENFILE }, { 'S', ESRCH },  { 'U', EOPNOTSUPP },
	};
	unsigned int i, quality[PERFCTR_STALE + 1] = { 0 };
	struct perfctr_reading r[3];

	for (i = 0; !set && i < ARRAY_SIZE(failures); i++)
		if (failures[i].error == errno)
			return failures[i].letter;
	if (!set || perfctr_set_read(set, r) < 0)
		return '?';
	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(r[i].quality == PERFCTR_NOT_COUNTED, reason_of(set, i) != NULL);
		quality[r[i].quality]++;
	}
	if (quality[PERFCTR_NOT_COUNTED])
		return (char)('0' + quality[PERFCTR_NOT_COUNTED]);
	return quality[PERFCTR_UNWATCHED] ? 'u' : quality[PERFCTR_EXACT] == 3 ? '.' : '?';
}

/* The errno, and words that are in each sentence about it, of a single event's PMU. */
static const struct {
	int error;
	const char *words;
} refusals[] = {
	{ EACCES, "ermission" }, { EBUSY, "to themselves" }, { EINVAL, "" },
	{ EMFILE, "ulimit -n" }, { ENFILE, "fs.file-max" },  { ENOENT, "choose another" },
	{ ENOMEM, "memory" },	 { EOPNOTSUPP, "" },	     { ESRCH, "no thread" },
};

/* Each open of a single event and a group fails once: what becomes of the set is expected[]. */
static void each_open_fails(const struct perfctr_target *target, unsigned int flags,
			    unsigned int refusal, const char *expected)
{
	unsigned int n;
	char found;

	for (n = 0; n <= strlen(expected); n++) {
		struct perfctr_set *set;

		pmu_fail(PMU_OPEN, n + 1, refusals[refusal].error);
		set = perfctr_set_open("instructions:u,{cycles:u,branches:u}", target, flags);
		found = outcome(set);
		ck_assert_int_eq(pmu_failed(), expected[n] != '\0');
		ck_assert_msg(found == (expected[n] ? expected[n] : '.'),
			      "errno %d, open %u: %c instead of %c: %s", refusals[refusal].error, n,
			      found, expected[n], perfctr_error());
		if (!set)
			ck_assert_msg(strstr(perfctr_error(), refusals[refusal].words) != NULL,
				      "%s", perfctr_error());
		perfctr_set_close(set);
		ck_assert_uint_eq(pmu_events(), 0);
		ck_assert_uint_eq(pmu_mappings(), 0);
	}
	pmu_fail(PMU_OPEN, 0, 0);
}

START_TEST(opens_that_fail)
{
	static const struct perfctr_target cpus = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	static const struct {
		const struct perfctr_target *target;
		unsigned int flags;
		const char *expected[ARRAY_SIZE(refusals)]; /* as outcome() says */
	} rows[] = {
		{ NULL, 0, { "AAA", "BBB", "..I", "PPP", "FFF", "UUU", "MMM", "..U", "SSS" } },
		{ NULL,
		  PERFCTR_PARTIAL,
		  { "122", "122", "..2", "122", "122", "122", "MMM", "..2", "SSS" } },
		{ &cpus,
		  0,
		  { "AAAAAAAAAAAA", "BBBBBBBBBBBB", ".I.I.I.I.I.I", "PPPPPPPPPPPP", "FFFFFFFFFFFF",
		    "UUUUUUUUUUUU", "MMMMMMMMMMMM", ".U.U.U.U.U.U", "SSSSSSSSSSSS" } },
		{ &cpus,
		  PERFCTR_PARTIAL,
		  { "112211221122", "112211221122", ".1.2.1.2.1.2", "112211221122", "112211221122",
		    "112211221122", "MMMMMMMMMMMM", ".1.2.1.2.1.2", "SSSSSSSSSSSS" } },
	};
	unsigned int i, k;

	pmu_begin();
	root_make();
	root_line("/sys/devices/system/cpu/online", "0-2");
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (k = 0; k < ARRAY_SIZE(refusals); k++)
			each_open_fails(rows[i].target, rows[i].flags, k, rows[i].expected[k]);
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

static unsigned int opens;
static bool forbid_user;
static char
	asked[16]; /* for user mode only (u), or the kernel's, too (k), one open after the other */

/* What the kernel does for users without rights to its own mode. */
static void forbid_kernel(void)
{
	asked[opens % sizeof(asked)] = pmu_asked.exclude_kernel ? 'u' : 'k';
	opens++;
	if (!pmu_asked.exclude_kernel || forbid_user)
		pmu_fail(PMU_OPEN, 1, EACCES);
}

START_TEST(user_fallback)
{
	static const char events[] =
		"instructions,{cycles:u,branches},cs,cpu/event=1/,cpu/event=1/k,task-clock,"
		"cycles:uk,cycles:kh";
	static const char *const names[] = {
		"instructions:u", "cycles:u",	"branches:u", "cs",	  "cpu/event=1/u",
		"cpu/event=1/k",  "task-clock", "cycles:uk",  "cycles:kh"
	};
	struct perfctr_set *set;
	unsigned int i;

	pmu_begin();
	root_make();
	root_line("cpu/type", "4");
	root_line("cpu/format/event", "config:0-7");
	pmu_at(PMU_OPEN, 0, forbid_kernel);
	set = perfctr_set_open(events, NULL, PERFCTR_PARTIAL | PERFCTR_USER_FALLBACK);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		bool out = i == 3 || i == 5 || i > 6;

		ck_assert_str_eq(perfctr_set_name(set, i), names[i]);
		ck_assert(!reason_of(set, i) == !out);
	}
	ck_assert_uint_eq(pmu_events(), 5);
	perfctr_set_close(set);
	/* Not asked for; and of no use, when the first reason is told, and the name stays. */
	ck_fails_null(perfctr_set_open("instructions", NULL, 0), EACCES, "instructions can't");
	forbid_user = true;
	opens = 0;
	ck_fails_null(perfctr_set_open("instructions", NULL, PERFCTR_USER_FALLBACK), EACCES,
		      "instructions can't be counted");
	ck_assert_uint_eq(opens, 3);
	ck_assert_mem_eq(asked, "kuk", 3);
	/* All of a group, and what is said of it is what is asked for again. */
	opens = 0;
	ck_fails_null(perfctr_set_open("{instructions,branches}", NULL, PERFCTR_USER_FALLBACK),
		      EACCES, "instructions");
	ck_assert_uint_eq(opens, 3);
	ck_assert_mem_eq(asked, "kuk", 3);
	/* The kernel's tracepoints have no user mode, not even those that happen there. */
	root_line("/sys/kernel/tracing/events/sched/sched_switch/id", "77");
	opens = 0;
	ck_fails_null(perfctr_set_open("sched:sched_switch", NULL, PERFCTR_USER_FALLBACK), EACCES,
		      "sched:sched_switch");
	ck_assert_uint_eq(opens, 1);
	ck_assert_mem_eq(asked, "k", 1);
	forbid_user = false;
	set = perfctr_set_open("sched:sched_switch,instructions", NULL,
			       PERFCTR_PARTIAL | PERFCTR_USER_FALLBACK);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_str_eq(perfctr_set_name(set, 0), "sched:sched_switch");
	ck_assert_ptr_nonnull(reason_of(set, 0));
	ck_assert_str_eq(perfctr_set_name(set, 1), "instructions:u");
	ck_assert_ptr_null(reason_of(set, 1));
	perfctr_set_close(set);
	forbid_user = true;
	set = perfctr_set_open("instructions", NULL, PERFCTR_PARTIAL | PERFCTR_USER_FALLBACK);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_str_eq(perfctr_set_name(set, 0), "instructions");
	ck_assert_ptr_nonnull(reason_of(set, 0));
	perfctr_set_close(set);
	pmu_at(PMU_ANY, 0, NULL);
	forbid_user = false;
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

/* ---- readers, ids, units ---- */

START_TEST(readers)
{
	struct perfctr_reader reader;
	struct perfctr_reading r[3];
	struct perfctr_set *set;
	uint64_t value;

	pmu_begin();
	set = perfctr_set_open("cs,{instructions,cycles}", NULL, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_fails(perfctr_set_reader(NULL, 0, &reader), EINVAL, "NULL");
	ck_fails(perfctr_set_reader(set, 0, NULL), EINVAL, "NULL");
	ck_fails(perfctr_set_reader(set, 3, &reader), EINVAL, "no event 3; it has 3");
	memset(&reader, 0, sizeof(reader));
	ck_assert_int_eq(perfctr_set_reader(set, 0, &reader), -1);
	ck_assert_int_eq(errno, EOPNOTSUPP);
	ck_assert_int_eq(perfctr_reader_read(&reader, &value), 0);
	if (pmu.rdpmc) {
		pmu_count(5);
		ck_assert_int_eq(perfctr_set_reset(set), 0);
		pmu_count(2);
		ck_assert_int_eq(perfctr_set_reader(set, 2, &reader), 0);
		ck_assert_int_eq(perfctr_reader_read(&reader, &value), 1);
		ck_assert_uint_eq(value, 2);
	}
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	perfctr_set_close(set);
	/* Not of others, and not of what is nowhere. */
	set = perfctr_set_open("instructions",
			       &(struct perfctr_target){ .type = PERFCTR_TARGET_THREAD,
							 .id = getppid() },
			       0);
	ck_fails(perfctr_set_reader(set, 0, &reader), EOPNOTSUPP,
		 "instructions does not count on the calling thread alone");
	ck_assert_int_eq(perfctr_reader_read(&reader, &value), 0);
	perfctr_set_close(set);
	set = perfctr_set_open("instructions",
			       &(struct perfctr_target){ .type = PERFCTR_TARGET_THREAD_ON_CPU,
							 .cpu = 1 },
			       0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	pmu_run(0, 1, false, 5);
	pmu_run(0, 0, false, 3);
	ck_assert_int_eq(perfctr_set_read(set, r), 0);
	ck_assert_uint_eq(r[0].value, 5);
	ck_fails(perfctr_set_reader(set, 0, &reader), EOPNOTSUPP, "the calling thread alone");
	perfctr_set_close(set);
	pmu_fail(PMU_OPEN, 1, EMFILE);
	set = perfctr_set_open("instructions", NULL, PERFCTR_PARTIAL);
	ck_fails(perfctr_set_reader(set, 0, &reader), EOPNOTSUPP, "no file descriptors");
	ck_assert_int_eq(perfctr_reader_read(&reader, &value), 0);
	perfctr_set_close(set);
	pmu_end();
}
END_TEST

/* On all processors a package's event is opened where its PMU says; on one, there. */
START_TEST(a_package)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	struct perfctr_part part;
	struct perfctr_set *set;
	int cpu;

	pmu_begin();
	root_make();
	root_line("/sys/devices/system/cpu/online", "0-2");
	root_line("chip/type", "1");
	root_line("chip/cpumask", "1");
	root_line("chip/format/event", "config:0-7");
	set = perfctr_set_open("chip/event=3/", &target, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 1);
	ck_assert_int_eq(perfctr_set_part(set, 0, &part), 0);
	ck_assert_int_eq(part.cpu, 1);
	/* Without a companion that tells when the processor goes offline: then the event moves. */
	ck_assert_uint_eq(pmu_events(), 1);
	perfctr_set_close(set);
	set = perfctr_set_open("{chip/event=3/,chip/event=4/}", &target, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 1);
	perfctr_set_close(set);
	for (cpu = 0; cpu < 3; cpu++) {
		target.id = cpu;
		set = perfctr_set_open("chip/event=3/", &target, 0);
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		ck_assert_int_eq(perfctr_set_part(set, 0, &part), 0);
		ck_assert_int_eq(part.cpu, cpu);
		perfctr_set_close(set);
	}
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

START_TEST(ids_and_units)
{
	const struct perfctr_target all = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	struct perfctr_list_event event;
	struct perfctr_part part;
	struct perfctr_set *set;
	uint64_t id[2][2], none;
	unsigned int p, i;
	const char *unit;
	double scale;

	pmu_begin();
	root_make();
	root_line("/sys/devices/system/cpu/online", "0-1");
	set = perfctr_set_open("instructions:u,task-clock", &all, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	for (p = 0; p < 2; p++)
		for (i = 0; i < 2; i++)
			ck_assert_int_eq(perfctr_set_id(set, p, i, &id[p][i]), 0);
	ck_assert(id[0][0] != id[0][1] && id[0][0] != id[1][0] && id[0][0] != id[1][1]);
	ck_assert(id[0][1] != id[1][0] && id[0][1] != id[1][1] && id[1][0] != id[1][1]);
	ck_fails(perfctr_set_id(set, 2, 0, &none), EINVAL, "no part 2; the set has 2");
	ck_fails(perfctr_set_id(set, 0, 2, &none), EINVAL, "no event 2");
	ck_fails(perfctr_set_id(set, 0, 0, NULL), EINVAL, "NULL");
	ck_assert_int_eq(perfctr_set_unit(set, 1, &scale, &unit), 0);
	ck_assert_double_eq(scale, 1e-6);
	ck_assert_str_eq(unit, "msec");
	ck_assert_int_eq(perfctr_set_unit(set, 0, NULL, &unit), 0);
	ck_assert_str_eq(unit, "");
	ck_assert_int_eq(perfctr_set_unit(set, 1, &scale, NULL), 0);
	ck_fails(perfctr_set_unit(set, 2, NULL, &unit), EINVAL, "no event 2");
	ck_fails(perfctr_set_event(NULL, 0, &event), EINVAL, "NULL");
	ck_fails(perfctr_set_event(set, 0, NULL), EINVAL, "NULL");
	memset(&part, 0xFF, sizeof(part));
	ck_assert_int_eq(perfctr_set_part(set, 1, &part), 0);
	ck_assert_int_eq(part.cpu, 1);
	ck_assert_uint_eq(part.reserved[3], 0);
	perfctr_set_close(set);
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

/* NULL is an error with a sentence, or nothing. */
START_TEST(no_set)
{
	struct perfctr_reading reading;
	struct perfctr_part part;
	struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD };
	unsigned int i;

	ck_assert_uint_eq(perfctr_set_size(NULL), 0);
	ck_assert_uint_eq(perfctr_set_parts(NULL), 0);
	ck_assert_ptr_null(perfctr_set_name(NULL, 0));
	ck_fails(perfctr_set_enable(NULL), EINVAL, "a set is needed, not NULL");
	ck_fails(perfctr_set_disable(NULL), EINVAL, "a set is needed");
	ck_fails(perfctr_set_reset(NULL), EINVAL, "a set is needed");
	ck_fails(perfctr_set_read(NULL, &reading), EINVAL, "a set is needed");
	ck_fails(perfctr_set_read_part(NULL, 0, &reading), EINVAL, "a set is needed");
	ck_fails(perfctr_set_read_thread(NULL, 0, &reading), EINVAL, "a set is needed");
	ck_fails(perfctr_set_part(NULL, 0, &part), EINVAL, "a set is needed");
	perfctr_set_close(NULL);
	for (i = 0; i < ARRAY_SIZE(target.reserved); i++) {
		target.reserved[i] = 1;
		ck_fails_null(perfctr_set_open("cs", &target, 0), EINVAL, "reserved");
		target.reserved[i] = 0;
	}
}
END_TEST

UNIT_MAIN("set_pmu", 60, unverified, no_memory_for_a_set, no_folder_of_threads,
	  threads_that_exchange_events, one_kind_of_two, threads_that_never_agree,
	  places_of_software_events, threads_that_stay, an_id_that_is_used_again,
	  a_thread_that_is_not_listed, a_thread_that_ends, the_end_of_a_list,
	  threads_that_never_stay, threads_that_may_be_cloning, guests, guarded_counters,
	  order_of_items, resets, strict_sets, no_room, controls, offline_processors,
	  a_companion_of_descriptor_0, named_pmus, cgroup_folders, mounts_of_cgroups, partial_sets,
	  partial_processes, opens_that_fail, user_fallback, readers, a_package, ids_and_units,
	  types_and_ids, types_and_partial_sets, types_and_switches, no_set)
