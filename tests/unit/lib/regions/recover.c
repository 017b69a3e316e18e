// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests reports for processes that have died, from their files and from hostile ones. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <perfctr/regions.h>
#include "lib/base/process.h"
#include "lib/regions/arena.h"
#include "lib/regions/state.h"
#include "lib/regions/totals.h"
#include "tests/harness/check.h"
#include "tests/harness/pmu.h"

PERFCTR_REGION(often, "often");
PERFCTR_REGION(threads, "threads");

static char directory[32], report[64];

static void visit(struct perfctr_region *region, unsigned int n)
{
	while (n--) {
		perfctr_region_begin(region);
		perfctr_region_end(region);
	}
}

static void *visit_in_thread(void *arg)
{
	visit(&threads, 10);
	return arg;
}

static void run_threads(unsigned int n)
{
	pthread_t thread;

	while (n--) {
		if (pthread_create(&thread, NULL, visit_in_thread, NULL) != 0)
			_exit(1);
		pthread_join(thread, NULL);
	}
}

/* Measure twice, of which the second one counts, and die amid a visit. The file may be 0, too. */
static void measure_and_die(unsigned int keep, unsigned int nthreads)
{
	close(0);
	perfctr_arenas_leave(directory);
	if (perfctr_regions_start(NULL, 0) < 0)
		_exit(1);
	visit(&often, 3);
	perfctr_regions_stop();
	if (perfctr_regions_start(NULL, keep) < 0)
		_exit(1);
	visit(&often, 1000);
	run_threads(nthreads);
	perfctr_region_begin(&often);
	raise(SIGKILL);
}

static void remove_all(void)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	char name[300];

	while ((entry = readdir(dir))) {
		snprintf(name, sizeof(name), "%s/%s", directory, entry->d_name);
		unlink(name);
	}
	closedir(dir);
}

static void make_directory(void)
{
	strcpy(directory, "/tmp/left-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(report, sizeof(report), "%s.%%p", directory);
}

static void remove_directory(void)
{
	remove_all();
	ck_assert_int_eq(rmdir(directory), 0);
}

/* The only file of the directory. */
static const char *find_left(void)
{
	static char name[300];
	DIR *dir = opendir(directory);
	struct dirent *entry;

	*name = '\0';
	while ((entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		ck_assert_msg(!*name, "%s, and %s", name, entry->d_name);
		snprintf(name, sizeof(name), "%s/%s", directory, entry->d_name);
	}
	closedir(dir);
	return name;
}

static pid_t die(unsigned int keep, unsigned int nthreads)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		measure_and_die(keep, nthreads);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "0x%X",
		      (unsigned int)status);
	return pid;
}

/* The report's text; the file is removed. */
static const char *take_report(pid_t pid, const char *end)
{
	static char text[1 << 16];
	char name[64];
	FILE *file;
	size_t n;

	snprintf(name, sizeof(name), "%s.%d%s", directory, (int)pid, end);
	file = fopen(name, "r");
	ck_assert_ptr_nonnull(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	unlink(name);
	text[n] = '\0';
	return text;
}

static void has(const char *text, const char *words)
{
	ck_assert_msg(strstr(text, words), "no \"%s\" in\n%s", words, text);
}

static void recovers(void)
{
	ck_assert_msg(perfctr_regions_recover(find_left(), report, PERFCTR_REGIONS_JSON) == 0, "%s",
		      perfctr_error());
}

static void fails(const char *left, int error, const char *words)
{
	errno = 0;
	ck_assert_int_eq(perfctr_regions_recover(left, report, PERFCTR_REGIONS_JSON), -1);
	ck_assert_msg(errno == error && strstr(perfctr_error(), words), "%d, %s", errno,
		      perfctr_error());
}

/* How many bytes. */
static int recover_to_stderr(void)
{
	int old = dup(STDERR_FILENO), pipes[2], n;

	ck_assert_int_eq(pipe(pipes), 0);
	dup2(pipes[1], STDERR_FILENO);
	n = perfctr_regions_recover(find_left(), NULL, PERFCTR_REGIONS_CSV);
	dup2(old, STDERR_FILENO);
	ck_assert_int_eq(n, 0);
	ck_assert_int_eq(ioctl(pipes[0], FIONREAD, &n), 0);
	close(old);
	close(pipes[0]);
	close(pipes[1]);
	return n;
}

START_TEST(test_died)
{
	char words[64];
	const char *text;
	pid_t pid;

	make_directory();
	pid = die(0, 40);
	recovers();
	recovers(); /* what the process has written itself stays */
	recovers(); /* and what was recovered of it */
	recovers();
	has(take_report(pid, ".left.2"), "\"visits\":1000,");
	has(take_report(pid, ".left.1"), "\"visits\":1000,");
	text = take_report(pid, "");
	snprintf(words, sizeof(words), "\"pid\":%d,", (int)pid);
	has(text, words);
	has(text, "\"region\":\"often\",\"visits\":1000,\"unfinished\":0,\"uncounted\":0,");
	has(text, "\"region\":\"threads\",\"visits\":400,");
	has(text, "\"value\":\"time\",\"unit\":\"ns\",\"inclusive\":");
	ck_assert(!strstr(text, "\"visits\":3,"));
	has(take_report(pid, ".left"), "\"visits\":1000,");
	remove_directory();
}
END_TEST

START_TEST(test_by_thread)
{
	const char *text;
	pid_t pid;

	make_directory();
	pid = die(PERFCTR_REGIONS_THREADS | PERFCTR_REGIONS_HISTOGRAM, 3);
	recovers();
	text = take_report(pid, "");
	has(text, "\"region\":\"threads\",\"visits\":30,");
	text = strstr(text, "\"region\":\"threads\",\"tid\":");
	ck_assert_ptr_nonnull(text);
	has(text, "\"visits\":10,");
	has(text, "\"p99\":");
	remove_directory();
}
END_TEST

static pthread_barrier_t all_visited;

static void *visit_both(void *arg)
{
	visit(&often, 5);
	visit(&threads, 6);
	pthread_barrier_wait(&all_visited);
	pause();
	return arg;
}

static unsigned int count_words(const char *text, const char *words)
{
	unsigned int n = 0;

	for (; (text = strstr(text, words)); text++)
		n++;
	return n;
}

/* Each of the threads that die has been in each region. */
START_TEST(test_rows)
{
	unsigned int i, name;
	const char *text;
	pthread_t thread;
	pid_t pid;

	make_directory();
	pid = fork();
	if (pid == 0) {
		perfctr_arenas_leave(directory);
		if (perfctr_regions_start(NULL, PERFCTR_REGIONS_THREADS) < 0 ||
		    pthread_barrier_init(&all_visited, NULL, 4) != 0)
			_exit(1);
		for (i = 0; i < 3; i++)
			if (pthread_create(&thread, NULL, visit_both, NULL) != 0)
				_exit(1);
		pthread_barrier_wait(&all_visited);
		raise(SIGKILL);
	}
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	recovers();
	text = take_report(pid, "");
	has(text, "\"region\":\"often\",\"visits\":15,");
	has(text, "\"region\":\"threads\",\"visits\":18,");
	ck_assert_uint_eq(count_words(text, "\"region\":\"often\",\"visits\""), 1);
	ck_assert_uint_eq(count_words(text, "\"region\":\"threads\",\"visits\""), 1);
	for (name = 0; name < 2; name++)
		ck_assert_uint_eq(count_words(text, name ? "\"region\":\"threads\",\"tid\":"
							 : "\"region\":\"often\",\"tid\":"),
				  3);
	ck_assert_uint_eq(count_words(text, ",\"visits\":5,"), 3);
	ck_assert_uint_eq(count_words(text, ",\"visits\":6,"), 3);
	remove_directory();
}
END_TEST

/* Another's file in the place of ours: it is not mapped, whatever descriptor 0 is. */
static void check_replaced(bool is_input)
{
	char ours[300], other[64];
	unsigned int open_before;
	struct stat file;
	int status;
	pid_t pid;

	make_directory();
	snprintf(other, sizeof(other), "%s.other", directory);
	pid = fork();
	if (pid == 0) {
		close(0);
		perfctr_arenas_leave(directory);
		if (perfctr_regions_start(NULL, 0) < 0)
			_exit(1);
		visit(&often, 1);
		strcpy(ours, find_left());
		if (stat(ours, &file) < 0 || close(creat(other, 0600)) < 0 ||
		    truncate(other, file.st_size) < 0 || unlink(ours) < 0 || link(other, ours) < 0)
			_exit(2);
		if (is_input && open(other, O_RDWR) != 0)
			_exit(3);
		open_before = open_files();
		run_threads(1);
		_exit(open_files() == open_before ? 0 : 4);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(stat(other, &file), 0);
	/* None of its blocks were taken. */
	ck_assert_int_eq(file.st_blocks, 0);
	unlink(other);
	remove_directory();
}

START_TEST(test_replaced)
{
	check_replaced(false);
	check_replaced(true);
}
END_TEST

/* ---- events, over a made-up PMU ---- */

static void cost_three(void)
{
	pmu_count(3);
}

/* What the process says of itself, in dir.PID.own; then it dies. */
static void report_and_die(void)
{
	char own[sizeof(report) + 4];
	unsigned int i;

	pmu_begin();
	pmu_at(PMU_RDPMC, 0, cost_three);
	snprintf(own, sizeof(own), "%s.own", report);
	perfctr_arenas_leave(directory);
	if (perfctr_regions_start_metrics("instructions:u,cycles:u", "ipc",
					  PERFCTR_REGIONS_HISTOGRAM) < 0)
		_exit(1);
	for (i = 1; i < 20; i++) {
		perfctr_region_begin(&often);
		pmu_count(i);
		visit(&threads, 2);
		perfctr_region_end(&often);
	}
	run_threads(2);
	if (perfctr_regions_report(own, PERFCTR_REGIONS_JSON) < 0)
		_exit(1);
	raise(SIGKILL);
}

/* The same is said of it: costs, moments, percentiles, metrics; but not what it kept to itself. */
START_TEST(test_same)
{
	char own[1 << 14], *end;
	const char *text;
	int status;
	pid_t pid;

	make_directory();
	pid = fork();
	if (pid == 0)
		report_and_die();
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	recovers();
	text = take_report(pid, ".own");
	ck_assert_uint_lt(strlen(text), sizeof(own));
	strcpy(own, text);
	has(own, "\"metric\":\"ipc\"");
	end = strstr(own, "\"ends_without_begin\":0,");
	ck_assert_ptr_nonnull(end);
	text = take_report(pid, "");
	ck_assert_int_eq(strncmp(text, own, (size_t)(end - own)), 0);
	ck_assert_str_eq(
		text + (end - own),
		"\"ends_without_begin\":null,\"threads_left_out\":null,\"threads_stale\":null,"
		"\"visits_without_region\":null,\"children_left_out\":null}\n");
	remove_directory();
}
END_TEST

/* ---- the arena ---- */

#define CHUNK  ((size_t)65536) /* usually */
#define HEADER sizeof(struct perfctr_chunk)
#define RECORD sizeof(struct perfctr_region_record)

static char *take(struct perfctr_arena *arena, size_t size)
{
	char *taken = perfctr_arena_take(arena, PERFCTR_RECORD_VISITS, 5, size);
	const struct perfctr_region_record *record;
	size_t i;

	ck_assert_msg(taken, "%s", perfctr_error());
	ck_assert_uint_eq((uintptr_t)taken % 16, 0);
	record = (struct perfctr_region_record *)(void *)taken - 1;
	ck_assert_uint_eq(record->what, PERFCTR_RECORD_VISITS);
	ck_assert_uint_eq(record->id, 5);
	ck_assert_uint_eq(record->size, RECORD + (size + 15) / 16 * 16);
	for (i = 0; i < size && !taken[i]; i++)
		;
	ck_assert_uint_eq(i, size);
	memset(taken, 0xFF, size);
	return taken;
}

/* One record after the other; the last one can be given back. */
static void check_records(void)
{
	struct perfctr_arena arena = { NULL, 7, 8 };
	const struct perfctr_chunk *chunk;
	char *first = take(&arena, 1), *second = take(&arena, 17);

	chunk = arena.first;
	ck_assert_ptr_eq(first, (const char *)(chunk + 1) + RECORD);
	ck_assert_ptr_eq(second, first + 16 + RECORD);
	ck_assert_uint_eq(chunk->magic, PERFCTR_CHUNK_MAGIC);
	ck_assert_uint_eq(chunk->size, CHUNK);
	ck_assert_uint_eq(chunk->used, HEADER + 2 * RECORD + 16 + 32);
	ck_assert_int_eq(chunk->tid, 7);
	ck_assert_uint_eq(chunk->generation, 8);
	ck_assert_uint_eq(chunk->word, sizeof(void *));
	ck_assert(!chunk->over && !chunk->next);
	perfctr_arena_untake(&arena, first);
	ck_assert_ptr_eq(take(&arena, 16), second + 32 + RECORD);
	perfctr_arena_untake(&arena, second + 32 + RECORD);
	perfctr_arena_untake(&arena, second);
	ck_assert_ptr_eq(take(&arena, 33), second);
	ck_assert_ptr_eq(arena.first, chunk);
	perfctr_arena_free(&arena);
	ck_assert_ptr_null(arena.first);
}

/* Two chunks of each size, for somebody each. */
static void take_and_free(const size_t *size, unsigned int n)
{
	struct perfctr_arena arena[2] = { { NULL, 7, 8 }, { NULL, 9, 10 } };
	unsigned int i;

	for (i = 0; i < 2 * n; i++) {
		take(&arena[i % 2], size[i / 2]);
		ck_assert_uint_eq(arena[i % 2].first->size,
				  size[i / 2] > CHUNK ? CHUNK + 4096 : CHUNK);
	}
	perfctr_arena_free(&arena[0]);
	perfctr_arena_free(&arena[1]);
}

START_TEST(test_rooms)
{
	/* What fills a chunk, what is too large for one, by a page, and what leaves no room. */
	static const size_t sizes[] = { CHUNK - HEADER - RECORD, CHUNK + 4096 - HEADER - RECORD,
					CHUNK - HEADER - RECORD - 16 };
	struct perfctr_arena arena = { NULL, 0, 0 };
	struct stat file;
	unsigned int i;
	int fd;

	check_records();
	take_and_free(sizes, 3);
	errno = 0;
	ck_assert_ptr_null(perfctr_arena_take(&arena, PERFCTR_RECORD_NAME, 5, SIZE_MAX / 4 * 3));
	ck_assert_int_eq(errno, ENOMEM);
	make_directory();
	perfctr_arenas_leave(directory);
	fd = dup(0);
	close(fd);
	check_records();
	for (i = 0; i < 3; i++) {
		take_and_free(sizes, 3);
		take_and_free(sizes + 1, 2);
		ck_assert_int_eq(stat(find_left(), &file), 0);
		ck_assert_uint_eq((size_t)file.st_size, 6 * CHUNK + 2 * 4096);
	}
	/* No descriptor is left open. */
	ck_assert_int_eq(dup(0), fd);
	close(fd);
	perfctr_arenas_forget();
	remove_directory();
}
END_TEST

/* Threads that come one after the other use the same chunk. */
START_TEST(test_size)
{
	struct stat few, many;

	make_directory();
	die(0, 1);
	ck_assert_int_eq(stat(find_left(), &few), 0);
	remove_all();
	die(0, 300);
	ck_assert_int_eq(stat(find_left(), &many), 0);
	ck_assert_int_eq(few.st_size, many.st_size);
	remove_directory();
}
END_TEST

START_TEST(test_alive)
{
	pid_t pid;

	make_directory();
	pid = fork();
	if (pid == 0) {
		perfctr_arenas_leave(directory);
		if (perfctr_regions_start(NULL, 0) == 0)
			visit(&often, 1);
		raise(SIGSTOP);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, NULL, WUNTRACED), pid);
	fails(find_left(), EBUSY, "is alive");
	kill(pid, SIGKILL);
	while (perfctr_regions_recover(find_left(), report, PERFCTR_REGIONS_JSON) < 0)
		ck_assert_int_eq(errno, EBUSY); /* until it is what nobody has waited for */
	has(take_report(pid, ""), "\"region\":\"often\",\"visits\":1,");
	ck_assert_int_gt(recover_to_stderr(), 100);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	remove_directory();
}
END_TEST

/* Its descriptors are closed, its children go their own ways, its files may not grow. */
START_TEST(test_ways)
{
	struct rlimit little = { 4096, 4096 };
	int status, way;
	pid_t pid;

	make_directory();
	for (way = 0; way < 3; way++) {
		pid = fork();
		if (pid == 0) {
			if (way == 2)
				setrlimit(RLIMIT_FSIZE, &little);
			perfctr_arenas_leave(directory);
			if (perfctr_regions_start(NULL, 0) < 0)
				_exit(1);
			visit(&often, 2);
			if (way == 1 && fork() == 0) {
				if (perfctr_regions_start(NULL, 0) == 0)
					visit(&threads, 7);
				_exit(0);
			}
			if (way == 0)
				perfctr_arenas_forget();
			status = 0;
			wait(&status);
			visit(&often, 2);
			_exit(status != 0);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
		if (way != 1) {
			ck_assert_str_eq(find_left(), "");
			continue;
		}
		recovers();
		has(take_report(pid, ""), "\"region\":\"often\",\"visits\":4,");
		remove_all();
	}
	remove_directory();
}
END_TEST

/* Visits n regions, whose histograms fill more than a chunk if there are 60. */
static void visit_many(unsigned int n)
{
	char name[16];
	unsigned int i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "many%u", i);
		visit(perfctr_region_by_name(name), 1);
	}
}

/* The file may have two chunks, and no third one: the limit is that of the whole file. */
START_TEST(test_limit)
{
	struct rlimit two_chunks = { 150000, 150000 };
	pid_t pid;
	int status;

	make_directory();
	pid = fork();
	if (pid == 0) {
		signal(SIGXFSZ, SIG_DFL);
		setrlimit(RLIMIT_FSIZE, &two_chunks);
		perfctr_arenas_leave(directory);
		if (perfctr_regions_start(NULL, PERFCTR_REGIONS_HISTOGRAM) < 0)
			_exit(1);
		visit_many(1);
		if (!perfctr_arenas_are_left())
			_exit(2);
		visit_many(60);
		_exit(perfctr_arenas_are_left() ? 3 : 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(find_left(), "");
	remove_directory();
}
END_TEST

/* Whether the calling process has the file in its memory. */
static bool has_file(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	bool has = false;

	while (maps && fgets(line, sizeof(line), maps))
		has |= strstr(line, directory) != NULL;
	if (maps)
		fclose(maps);
	return has;
}

/* A child has nothing to do with it: it could only add to its parent's sums. */
START_TEST(test_child)
{
	int status, its;
	pid_t pid;

	make_directory();
	pid = fork();
	if (pid == 0) {
		perfctr_arenas_leave(directory);
		if (perfctr_regions_start(NULL, 0) < 0)
			_exit(1);
		visit(&often, 1);
		if (!has_file())
			_exit(2);
		if (fork() == 0)
			_exit(has_file() ? 3 : 0);
		_exit(wait(&its) < 0 ? 4 : WEXITSTATUS(its));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	remove_directory();
}
END_TEST

/* It has reported, but may not remove what it has left. */
START_TEST(test_reported)
{
	char name[300];
	pid_t pid;

	make_directory();
	pid = fork();
	if (pid == 0) {
		perfctr_arenas_leave(directory);
		if (perfctr_regions_start(NULL, 0) < 0)
			_exit(1);
		visit(&often, 1);
		snprintf(name, sizeof(name), "%s/link", directory);
		if (link(find_left(), name) < 0)
			_exit(1);
		perfctr_arenas_forget();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	fails(find_left(), EALREADY, "has reported");
	remove_directory();
}
END_TEST

START_TEST(test_refusals)
{
	char name[64];
	int fd;

	make_directory();
	ck_assert_int_eq(perfctr_regions_recover(NULL, NULL, 0), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_int_eq(perfctr_regions_recover("/dev/null", NULL, 3), -1);
	ck_assert_int_eq(errno, EINVAL);
	fails("/nowhere", ENOENT, "/nowhere: ");
	fails("/dev/null", EINVAL, "/dev/null is nothing that");
	fails(directory, EINVAL, "is nothing that");
	strcpy(report, "/nowhere/report");
	die(0, 0);
	fails(find_left(), ENOTDIR, "/nowhere/report can't be written: No such file");
	remove_all();
	snprintf(name, sizeof(name), "%s/link", directory);
	ck_assert_int_eq(symlink("/etc/passwd", name), 0);
	fails(name, ELOOP, name);
	unlink(name);
	perfctr_arenas_leave(directory);
	fails(find_left(), ENOENT, "no region was measured");
	fd = open(find_left(), O_WRONLY);
	ck_assert_int_eq(write(fd, "something of another kind", 25), 25);
	close(fd);
	fails(find_left(), EINVAL, "is nothing that");
	perfctr_arenas_forget();
	ck_assert_str_eq(find_left(), "");
	remove_directory();
}
END_TEST

/* ---- a file made by hand ---- */

static struct made {
	struct perfctr_arena arena;
	struct perfctr_region_head *head;
	char *name;
	struct perfctr_visits *visits;
	struct perfctr_region_noted_cost *cost;
	struct perfctr_process self;
} made;

static struct perfctr_region_record *record_of(void *taken)
{
	return (struct perfctr_region_record *)taken - 1;
}

static struct perfctr_visits *make_visits(struct perfctr_arena *arena, unsigned int id)
{
	const struct perfctr_region_kept kept = { .nvalues = 1 };
	struct perfctr_visits *visits = perfctr_arena_take(arena, PERFCTR_RECORD_VISITS, id,
							   perfctr_totals_size(&kept));

	visits->visits = 3;
	visits->sum[0].inclusive = 100;
	visits->cost = (const struct perfctr_region_cost *)(uintptr_t)0x1234;
	return visits;
}

static char *make_name(unsigned int id, const char *name)
{
	return strcpy(perfctr_arena_take(&made.arena, PERFCTR_RECORD_NAME, id, 16), name);
}

/* Of a thread 9 that no longer is; of regions, number 5. */
static void make_left(void)
{
	made.arena = (struct perfctr_arena){ NULL, 9, 8 };
	made.head = perfctr_arena_take(&made.arena, PERFCTR_RECORD_HEAD, 0, sizeof(*made.head) + 8);
	made.head->nvalues = made.head->mult = 1;
	made.head->pid = INT32_MAX;
	strcpy(made.head->names, "time");
	made.self = perfctr_process_self();
	made.arena.first->start = made.self.start;
	made.arena.first->space = made.self.space;
	made.name = make_name(5, "five");
	made.visits = make_visits(&made.arena, 5);
	made.cost = perfctr_arena_take(&made.arena, PERFCTR_RECORD_COST, 0, sizeof(*made.cost));
	made.cost->address = 0x1234;
	made.cost->cost.inside[0] = 5;
}

/* The chunk, another one and so many zeros; the report's text. */
static const char *recover_made(const struct perfctr_chunk *other, size_t zeros, int error,
				const char *words)
{
	const struct perfctr_chunk *chunk = made.arena.first;
	static char text[1 << 14];
	char name[64], out[64];
	FILE *file;
	size_t n;

	snprintf(name, sizeof(name), "%s/left", directory);
	snprintf(out, sizeof(out), "%s/out", directory);
	file = fopen(name, "w");
	ck_assert_ptr_nonnull(file);
	fwrite(chunk, 1, CHUNK, file);
	if (other)
		fwrite(other, 1, CHUNK, file);
	for (; zeros; zeros--)
		fputc(0, file);
	fclose(file);
	if (error) {
		fails(name, error, words);
		return "";
	}
	ck_assert_msg(perfctr_regions_recover(name, out, PERFCTR_REGIONS_JSON) == 0, "%s",
		      perfctr_error());
	file = fopen(out, "r");
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	unlink(out);
	has(text, words);
	return text;
}

#define WITH(place, value, ...)                      \
	do {                                         \
		__typeof__(place) before_ = (place); \
		(place) = (value);                   \
		recover_made(NULL, 0, __VA_ARGS__);  \
		(place) = before_;                   \
	} while (0)

#define FIVE   "\"region\":\"five\",\"visits\":3,"
#define BROKEN EINVAL, "is nothing that"
#define NONE   ENOENT, "no region was measured"

START_TEST(test_rooms_made)
{
	struct perfctr_arena arena = { NULL, 10, 8 };
	struct perfctr_chunk *chunk;

	make_directory();
	make_left();
	chunk = made.arena.first;
	recover_made(NULL, 0, 0, FIVE);
	WITH(chunk->magic, chunk->magic + 1, BROKEN);
	WITH(chunk->magic, PERFCTR_CHUNK_DONE, EALREADY, "has reported");
	WITH(chunk->word, 2, BROKEN);
	WITH(chunk->size, CHUNK + 16, BROKEN);
	WITH(chunk->size, CHUNK - 8, BROKEN);
	WITH(chunk->used, CHUNK + 16, BROKEN);
	WITH(chunk->used, HEADER, NONE);
	WITH(chunk->used, HEADER - 16, BROKEN);
	WITH(chunk->used, chunk->used - 8, BROKEN);
	WITH(chunk->used, chunk->used + 8, 0, FIVE);
	WITH(chunk->used, chunk->used + 16, BROKEN);
	WITH(chunk->over, 1, NONE);
	/* A chunk that was just being made; another that counts, or does not. */
	recover_made(NULL, HEADER - 1, 0, FIVE);
	recover_made(NULL, HEADER, 0, FIVE);
	make_visits(&arena, 5);
	recover_made(arena.first, 0, 0, "\"region\":\"five\",\"visits\":6,");
	arena.first->generation++;
	recover_made(arena.first, 0, 0, FIVE);
	arena.first->generation--;
	arena.first->over = 1;
	recover_made(arena.first, 0, 0, FIVE);
	perfctr_arena_free(&arena);
	perfctr_arena_free(&made.arena);
	remove_directory();
}
END_TEST

START_TEST(test_records_made)
{
	struct perfctr_region_record *record;
	struct perfctr_region_head *head;
	struct perfctr_chunk *chunk;

	make_directory();
	make_left();
	chunk = made.arena.first;
	head = made.head;
	head->pid = getpid();
	recover_made(NULL, 0, EBUSY, "is alive");
	WITH(chunk->start, chunk->start + 1, 0, FIVE); /* its number is another's now */
	WITH(chunk->space, 0, EBUSY, "is alive");
	WITH(chunk->space, chunk->space + 1, 0, FIVE); /* there it may have another number here */
	head->pid = INT32_MAX;
	WITH(chunk->start, 0, ESRCH, "can't be told");
	WITH(head->nvalues, 0, BROKEN);
	WITH(head->nvalues, 2, BROKEN);
	WITH(head->nvalues, PERFCTR_REGION_VALUES + 1, BROKEN);
	WITH(head->shift, 63, 0, FIVE);
	WITH(head->shift, 64, BROKEN);
	WITH(head->keep, PERFCTR_REGIONS_HISTOGRAM, BROKEN); /* there is none */
	WITH(head->rank[0], '7', 0, "\"rank\":7,");
	WITH(head->rank[0], 'a', BROKEN);
	memset(head->rank, '1', sizeof(head->rank));
	recover_made(NULL, 0, BROKEN);
	memset(head->rank, 0, sizeof(head->rank));
	memset(head->names, 'x', 16);
	recover_made(NULL, 0, BROKEN);
	memset(head->names, 0, 16);
	recover_made(NULL, 0, 0, "\"value\":\"\"");
	strcpy(head->names, "time");
	record = record_of(head);
	WITH(record->what, 77, NONE);
	WITH(record->size, 0, BROKEN);
	WITH(record->size, RECORD + 16, BROKEN);
	WITH(record->size, record->size + 8, BROKEN);
	WITH(record->size, CHUNK, BROKEN);
	record = record_of(made.name);
	WITH(record->id, PERFCTR_REGION_IDS, BROKEN);
	WITH(record->id, PERFCTR_REGION_IDS - 1, 0, "\"regions\":[");
	memset(made.name, 'x', 16);
	recover_made(NULL, 0, BROKEN);
	strcpy(made.name, "five");
	record = record_of(made.visits);
	WITH(record->id, PERFCTR_REGION_IDS, BROKEN);
	WITH(record->id, PERFCTR_REGION_FIRST_ID - 1, NONE);
	WITH(record->size, record->size - 16, BROKEN);
	recover_made(NULL, 0, 0, "\"inclusive\":85,");
	WITH(made.cost->address, 0x1235, 0, "\"inclusive\":100,");
	record = record_of(made.cost);
	WITH(record->what, PERFCTR_RECORD_NAME, 0, "\"visit\":0,");
	recover_made(NULL, 0, 0, "\"visit\":5,");
	made.arena.first->used -= 16;
	WITH(record->size, record->size - 16, BROKEN);
	made.arena.first->used += 16;
	recover_made(NULL, 0, 0, FIVE);
	perfctr_arena_free(&made.arena);
	remove_directory();
}
END_TEST

/* Each region once, by number, then its threads', by theirs. */
START_TEST(test_order_made)
{
	static const char *const order[] = { "five", "\"five\",\"tid\":4", "\"five\",\"tid\":9",
					     "six",  "\"six\",\"tid\":4",  "\"six\",\"tid\":9" };
	struct perfctr_arena arena = { NULL, 4, 8 };
	const char *text, *place;
	unsigned int i;

	make_directory();
	make_left();
	record_of(made.visits)->id = 6;
	make_visits(&made.arena, 5);
	make_name(6, "six");
	make_visits(&arena, 6);
	make_visits(&arena, 7); /* has no name */
	make_visits(&arena, 5);
	made.head->keep = PERFCTR_REGIONS_THREADS;
	text = place = recover_made(arena.first, 0, 0, "\"region\":\"six\",\"visits\":6,");
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		place = strstr(place + 1, order[i]);
		ck_assert_msg(place, "no %s in its place in\n%s", order[i], text);
	}
	ck_assert_uint_eq(count_words(text, "\"region\":"), 6);
	/* A thread of the same number came later. */
	arena.first->tid = 9;
	make_visits(&arena, 6)->visits = 4;
	text = recover_made(arena.first, 0, 0, "\"tid\":9,\"visits\":4,");
	place = strstr(text, "\"six\",\"tid\":9,\"visits\":3,");
	ck_assert_ptr_nonnull(place);
	has(place, "\"visits\":4,");
	/* What is of all that have ended is no thread's. */
	arena.first->tid = 0;
	text = recover_made(arena.first, 0, 0, "\"region\":\"six\",\"visits\":10,");
	ck_assert_uint_eq(count_words(text, "\"region\":"), 4);
	made.head->keep = 0;
	text = recover_made(arena.first, 0, 0, "\"region\":\"five\",\"visits\":6,");
	ck_assert_uint_eq(count_words(text, "\"region\":"), 2);
	perfctr_arena_free(&arena);
	perfctr_arena_free(&made.arena);
	remove_directory();
}
END_TEST

static char left[1 << 19];

static void write_left(const char *name, size_t size)
{
	FILE *file = fopen(name, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(left, 1, size, file), size);
	fclose(file);
}

/* Whatever is in it, it ends with a report or with an error. */
START_TEST(test_hostile)
{
	static const unsigned char words[] = { 0, 1, 0x7F, 0x80, 0xFF };
	unsigned int k, i, recovered = 0, n = 4000;
	char name[300];
	size_t size, used[8], nused = 0, at;
	FILE *file;

	make_directory();
	die(PERFCTR_REGIONS_HISTOGRAM | PERFCTR_REGIONS_THREADS, 3);
	strcpy(name, find_left());
	file = fopen(name, "r");
	size = fread(left, 1, sizeof(left), file);
	fclose(file);
	ck_assert(size > 0 && size < sizeof(left));
	for (at = 0; at < size && nused < 8; at += 65536)
		used[nused++] = at;
	srand(1);
	for (k = 0; k < n; k++) {
		/* Most of it is histograms, whose words mean little. */
		size_t place = used[(size_t)rand() % nused] + (size_t)rand() % (k % 2 ? 64 : 4096);
		char old[8];

		memcpy(old, left + place, 8);
		for (i = 0; i < 1u + (unsigned int)rand() % 8; i++)
			left[place + i % 8] = (char)words[(size_t)rand() % 5];
		write_left(name, k % 50 ? size : (size_t)rand() % size);
		if (perfctr_regions_recover(name, "/dev/null", k % 3) == 0)
			recovered++;
		else
			ck_assert_msg(errno == EINVAL || errno == ENOENT || errno == EALREADY ||
					      errno == EBUSY || errno == ESRCH,
				      "%s", perfctr_error());
		memcpy(left + place, old, 8);
	}
	ck_assert_msg(recovered > n / 10 && recovered < n, "%u of %u", recovered, n);
	remove_directory();
}
END_TEST

UNIT_MAIN("region_left", 120, test_died, test_by_thread, test_rows, test_replaced, test_same,
	  test_rooms, test_size, test_alive, test_ways, test_limit, test_child, test_reported,
	  test_refusals, test_rooms_made, test_records_made, test_order_made, test_hostile)
