// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs that may not be traced, at whose execve(2) the kernel ends events. These are copies of
 * true(1): one that nobody may read; and, if root runs this, a set-user-ID one and one with a
 * capability. Root does what is to be counted as nobody, in a directory that nobody can reach.
 */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "lib/perf/execs.h"
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tests/harness/others.h"

#define NOBODY 65534

enum kind { PLAIN, UNREADABLE, SET_USER_ID, CAPABLE, KINDS };

static char directory[64];
static const char *program;
static char place[96];

/* ---- programs ---- */

static void copy(const char *to, mode_t mode)
{
	char bytes[4096];
	ssize_t n;
	int from = open("/bin/true", O_RDONLY), fd = open(to, O_WRONLY | O_CREAT | O_EXCL, 0600);

	ck_assert_int_ge(from, 0);
	ck_assert_int_ge(fd, 0);
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		ck_assert_int_eq(write(fd, bytes, (size_t)n), n);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(from);
	close(fd);
}

static int make_capable(const char *path)
{
	const struct vfs_cap_data caps = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data[0].permitted = 1u << CAP_NET_BIND_SERVICE,
	};

	return setxattr(path, "security.capability", &caps, sizeof(caps), 0);
}

/* False: it can't be made here. It is called true, as what it does may depend on its name. */
static bool make(enum kind kind)
{
	static const mode_t modes[] = { 0755, 0111, 04755, 0755 };

	snprintf(directory, sizeof(directory), "/tmp/perfctr-execs-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chmod(directory, 0755), 0);
	snprintf(place, sizeof(place), "%s/true", directory);
	program = place;
	copy(program, modes[kind]);
	if (geteuid() != 0 && kind >= SET_USER_ID)
		return false;
	return kind != CAPABLE || make_capable(program) == 0;
}

static void unmake(void)
{
	unlink(program);
	rmdir(directory);
}

/*
 * Who counts: somebody who may count whole processors; or not, with and without PERFCTR_WATCH. The
 * programs are always executed by somebody without rights.
 */
enum who { WATCHES, RELIES, HAS_RIGHTS, WHOS };

static enum who who;

static void become_nobody(void)
{
	if (geteuid() == 0 && (chdir(directory) < 0 || setgroups(0, NULL) < 0 ||
			       setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
		_exit(100);
	prctl(PR_SET_DUMPABLE, 1); /* and its children */
}

/* Do this; what it returns. */
static int as_somebody(int (*f)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (who != HAS_RIGHTS)
			become_nobody();
		_exit(f());
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "status %x", status);
	return WEXITSTATUS(status);
}

/* ---- in a child, where an assertion is a number ---- */

#define NEED(truth)                                                                \
	do {                                                                       \
		if (!(truth)) {                                                    \
			fprintf(stderr, "line %d: not %s: %s\n", __LINE__, #truth, \
				perfctr_error());                                  \
			return 1;                                                  \
		}                                                                  \
	} while (0)

enum how { ITSELF, ITSELF_ALONE, BY_A_SHELL, BY_A_SHELLS_SHELL, BY_A_THREAD, HOWS };

static enum how how;
static bool ends_early;

/* The process's first thread has ended by then. */
static void *execute_in_a_thread(void *arg)
{
	char path[64], text[256];
	size_t n;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	do {
		file = fopen(path, "r");
		n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
		text[n] = '\0';
		if (file)
			fclose(file);
	} while (!strstr(text, ") Z "));
	execl(program, "true", (char *)NULL);
	return arg;
}

static void execute(void)
{
	pthread_t thread;

	char command[256];

	become_nobody();
	snprintf(command, sizeof(command),
		 how == BY_A_SHELL ? "%s; :" : "sh -c '%s; :'; :", program);
	if (how == BY_A_THREAD && pthread_create(&thread, NULL, execute_in_a_thread, NULL) == 0)
		syscall(SYS_exit, 0);
	if (how <= ITSELF_ALONE)
		execl(program, "true", (char *)NULL);
	else
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(2);
}

/* A child that executes the program when go[1] is closed. */
static pid_t begin_child(int *go)
{
	pid_t pid;
	char byte;

	if (pipe2(go, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		if (read(go[0], &byte, 1) == 0)
			execute();
		_exit(3);
	}
	close(go[0]);
	return pid;
}

static bool end_child(pid_t pid, const int *go)
{
	int status;

	close(go[1]);
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static bool says_why(int result)
{
	char words[32];

	snprintf(words, sizeof(words), "true (process ");
	return result < 0 && errno == ESTALE && strstr(perfctr_error(), words) == perfctr_error() &&
	       strstr(perfctr_error(), "run everything as root");
}

static int count_command(void)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD };
	struct perfctr_reading reading[2], part[2];
	bool unseen = who == RELIES && how >= BY_A_SHELL, told = ends_early && !unseen;
	unsigned int before, wanted = unseen	   ? PERFCTR_UNWATCHED
				      : ends_early ? PERFCTR_STALE
						   : PERFCTR_EXACT;
	struct perfctr_processes processes;
	struct perfctr_set *set;
	int go[2];

	target.id = begin_child(go);
	before = open_files();
	set = perfctr_set_open("task-clock,page-faults:u", &target,
			       PERFCTR_ON_EXEC | (how == ITSELF_ALONE ? 0 : PERFCTR_INHERIT) |
				       (who == WATCHES ? PERFCTR_WATCH : 0));
	NEED(set != NULL);
	NEED(perfctr_set_check(set) == 0);
	NEED(perfctr_set_processes(set, &processes) == 0 && processes.running == 1);
	NEED(processes.watched);
	NEED(end_child(target.id, go));
	NEED(perfctr_set_read(set, reading) == 0);
	NEED(reading[0].quality == wanted && reading[1].quality == wanted);
	NEED(!ends_early || (how >= BY_A_SHELL && how < BY_A_THREAD) ? reading[1].value > 0
								     : reading[1].value == 0);
	NEED(perfctr_set_read_part(set, 0, part) == 0 && part[1].quality == wanted);
	NEED(perfctr_set_read_thread(set, target.id, part) == 0 && part[0].quality == wanted);
	NEED(told ? says_why(perfctr_set_check(set)) : perfctr_set_check(set) == 0);
	NEED(perfctr_set_processes(set, &processes) == 0 && processes.running == 0);
	NEED(processes.exactly == 1 && processes.watched == !unseen);
	/* So it stays. */
	NEED(perfctr_set_reset(set) == 0);
	NEED(perfctr_set_read(set, reading) == 0 && reading[0].quality == wanted);
	perfctr_set_close(set);
	NEED(open_files() == before - 1); /* the pipe's */
	return 0;
}

static int sample_command(void)
{
	const struct perfctr_sampler_config config = {
		.period = 1,
		.flags = PERFCTR_ON_EXEC | (how == ITSELF_ALONE ? 0 : PERFCTR_INHERIT),
	};
	struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD };
	struct perfctr_sampler *sampler;
	unsigned int before;
	int go[2];

	target.id = begin_child(go);
	before = open_files();
	sampler = perfctr_sampler_open("page-faults:u", &target, &config);
	NEED(sampler != NULL);
	NEED(perfctr_sampler_check(sampler) == 0);
	NEED(end_child(target.id, go));
	NEED(ends_early ? says_why(perfctr_sampler_check(sampler))
			: perfctr_sampler_check(sampler) == 0);
	perfctr_sampler_close(sampler);
	NEED(open_files() == before - 1);
	return 0;
}

/* Whether this test's user is the one. */
static bool can_be(enum who one)
{
	return one != HAS_RIGHTS || geteuid() == 0;
}

/* Each kind of program, begun in each way. */
static void in_all_ways(int (*f)(void))
{
	enum kind kind;

	if (!others_enter("programs that may not be traced"))
		return;
	for (kind = 0; kind < KINDS; kind++) {
		ends_early = kind != PLAIN;
		for (how = 0; make(kind) && how < HOWS; how++) {
			for (who = 0; who < WHOS; who++)
				ck_assert_msg(!can_be(who) || as_somebody(f) == 0,
					      "kind %d, begun in way %d, counted by %d", kind, how,
					      who);
			unmake();
		}
		unmake();
	}
}

START_TEST(commands)
{
	in_all_ways(count_command);
}
END_TEST

START_TEST(samplers)
{
	in_all_ways(sample_command);
}
END_TEST

/* ---- threads ---- */

static int step[2], done[2];
static pid_t other;

static void *begin_program(void *arg)
{
	char byte;
	pid_t pid;

	__atomic_store_n(&other, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	if (read(step[0], &byte, 1) != 1)
		return arg;
	pid = fork();
	if (pid == 0)
		execute();
	waitpid(pid, NULL, 0);
	if (write(done[1], &byte, 1) != 1)
		return arg;
	return read(step[0], &byte, 1) == 1 ? arg : NULL;
}

/* A program that another thread begins is told of that thread, and of the sum. */
static int count_threads(void)
{
	unsigned int watch = who == WATCHES ? PERFCTR_WATCH : 0;
	const struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS, .id = getpid() };
	struct perfctr_reading reading;
	struct perfctr_set *set;
	pthread_t thread;
	char byte = 0;

	NEED(pipe(step) == 0 && pipe(done) == 0);
	NEED(pthread_create(&thread, NULL, begin_program, NULL) == 0);
	while (!__atomic_load_n(&other, __ATOMIC_ACQUIRE))
		usleep(100);
	set = perfctr_set_open("page-faults:u", &target, PERFCTR_INHERIT | watch);
	NEED(set != NULL);
	NEED(write(step[1], &byte, 1) == 1 && read(done[0], &byte, 1) == 1);
	NEED(perfctr_set_read_thread(set, getpid(), &reading) == 0);
	NEED(reading.quality == PERFCTR_EXACT);
	NEED(perfctr_set_read_thread(set, other, &reading) == 0);
	NEED(reading.quality == PERFCTR_STALE);
	NEED(perfctr_set_read(set, &reading) == 0 && reading.quality == PERFCTR_STALE);
	NEED(says_why(perfctr_set_check(set)));
	perfctr_set_close(set);
	/* This one's, which is the first, is not told of the other one either. */
	set = perfctr_set_open("page-faults:u", &target, PERFCTR_INHERIT | watch);
	NEED(set != NULL);
	if (fork() == 0)
		execute();
	NEED(wait(NULL) > 0);
	NEED(perfctr_set_read_thread(set, getpid(), &reading) == 0);
	NEED(reading.quality == PERFCTR_STALE);
	NEED(perfctr_set_read_thread(set, other, &reading) == 0);
	NEED(reading.quality == PERFCTR_EXACT);
	NEED(write(step[1], &byte, 1) == 1 && pthread_join(thread, NULL) == 0);
	perfctr_set_close(set);
	/* Without children: what these execute is not counted. */
	set = perfctr_set_open("page-faults:u", &target, watch);
	NEED(set || errno == EOPNOTSUPP);
	if (set && fork() == 0)
		execute();
	if (set)
		NEED(wait(NULL) > 0 && perfctr_set_read(set, &reading) == 0 &&
		     reading.quality == PERFCTR_EXACT);
	perfctr_set_close(set);
	return 0;
}

/* Without rights the ends of several threads are not watched, nor what they leave. */
static int rely_on_threads(void)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS, .id = getpid() };
	struct perfctr_processes processes;
	struct perfctr_reading reading;
	struct perfctr_set *set;
	pthread_t thread;

	NEED(pipe(step) == 0 && pthread_create(&thread, NULL, begin_program, NULL) == 0);
	set = perfctr_set_open("page-faults:u", &target, PERFCTR_INHERIT);
	NEED(set != NULL);
	NEED(perfctr_set_read(set, &reading) == 0 && reading.quality == PERFCTR_UNWATCHED);
	NEED(perfctr_set_read_thread(set, getpid(), &reading) == 0);
	NEED(reading.quality == PERFCTR_UNWATCHED);
	NEED(perfctr_set_processes(set, &processes) < 0 && errno == EOPNOTSUPP);
	perfctr_set_close(set);
	close(step[1]);
	NEED(pthread_join(thread, NULL) == 0);
	return 0;
}

START_TEST(threads)
{
	if (!others_enter("threads"))
		return;
	how = ITSELF;
	ck_assert(make(UNREADABLE));
	for (who = 0; who < WHOS; who++)
		if (who != RELIES && can_be(who))
			ck_assert_msg(as_somebody(count_threads) == 0, "%d", who);
	who = RELIES;
	ck_assert_int_eq(as_somebody(rely_on_threads), 0);
	unmake();
}
END_TEST

/*
 * One that has ended meanwhile keeps nobody from watching the others, but without rights the first
 * one's are all that write.
 */
static int watch_ended(void)
{
	struct perfctr_scope scopes[2] = { perfctr_scope_thread((pid_t)syscall(SYS_gettid)) };
	struct perfctr_execs *execs = perfctr_execs_watch(scopes, 1,
							  PERFCTR_INHERIT | PERFCTR_WATCH);
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	NEED(waitpid(pid, NULL, 0) == pid);
	NEED(execs != NULL);
	perfctr_execs_end(execs);
	scopes[1] = perfctr_scope_thread(pid);
	execs = perfctr_execs_watch(scopes, 2, PERFCTR_INHERIT | PERFCTR_WATCH);
	NEED(execs != NULL);
	perfctr_execs_look(execs);
	NEED(!perfctr_execs_has_ended(execs, 0) && !perfctr_execs_has_ended(execs, 1));
	perfctr_execs_end(execs);
	scopes[1] = scopes[0];
	scopes[0] = perfctr_scope_thread(pid);
	execs = perfctr_execs_watch(scopes, 2, PERFCTR_INHERIT | PERFCTR_WATCH);
	NEED((execs == NULL) == (who == WATCHES));
	perfctr_execs_end(execs);
	return 0;
}

START_TEST(ended_threads)
{
	if (!others_enter("threads that have ended"))
		return;
	ck_assert(make(PLAIN));
	for (who = 0; who < WHOS; who++)
		if (who != RELIES && can_be(who))
			ck_assert_msg(as_somebody(watch_ended) == 0, "%d", who);
	unmake();
}
END_TEST

/* ---- what a command leaves ---- */

static int hold[2];

/* Waits until nobody can write any more. */
static void wait_for_end(void)
{
	char byte;

	close(hold[1]);
	_exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
}

/* Leaves a child, one of another session, and a grandchild whose parent has ended. */
static void leave_three(void)
{
	if (fork() == 0)
		wait_for_end();
	if (fork() == 0) {
		setsid();
		wait_for_end();
	}
	if (fork() == 0) {
		if (fork() == 0)
			wait_for_end();
		_exit(0);
	}
	wait(NULL);
	_exit(0);
}

static int count_leavings(void)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD };
	struct perfctr_processes processes;
	struct perfctr_set *set, *other_set;
	int go[2];
	char byte;

	NEED(pipe2(hold, O_CLOEXEC) == 0 && pipe2(go, O_CLOEXEC) == 0);
	target.id = fork();
	if (target.id == 0) {
		close(go[1]);
		if (read(go[0], &byte, 1) == 0)
			leave_three();
	}
	set = perfctr_set_open("page-faults:u", &target,
			       PERFCTR_INHERIT | (who == WATCHES ? PERFCTR_WATCH : 0));
	/* Another set does not see the processes of this one. */
	other_set = perfctr_set_open("page-faults:u", NULL, PERFCTR_INHERIT);
	NEED(set != NULL && other_set != NULL);
	close(go[0]);
	NEED(end_child(target.id, go));
	NEED(perfctr_set_processes(set, &processes) == 0);
	NEED(processes.running == (who == RELIES ? 1 : 3));
	NEED(processes.exactly == (who != RELIES) && processes.watched == (who != RELIES));
	NEED(perfctr_set_processes(other_set, &processes) == 0 && processes.running == 1);
	perfctr_set_close(other_set);
	close(hold[1]);
	do {
		NEED(perfctr_set_processes(set, &processes) == 0);
	} while (processes.running);
	NEED(processes.exactly);
	perfctr_set_close(set);
	return 0;
}

START_TEST(leavings)
{
	if (!others_enter("processes that a command leaves"))
		return;
	ck_assert(make(PLAIN));
	for (who = 0; who < WHOS; who++)
		ck_assert_msg(!can_be(who) || as_somebody(count_leavings) == 0, "%d", who);
	unmake();
}
END_TEST

/* Records of all threads are opened once, whatever sets use them, and closed with the last. */
START_TEST(shared)
{
	struct perfctr_set *set[3];
	unsigned int i, before = open_files(), one;

	if (geteuid() != 0)
		return;
	set[0] = perfctr_set_open("page-faults:u", NULL, PERFCTR_INHERIT);
	ck_assert_ptr_nonnull(set[0]);
	one = open_files() - before;
	for (i = 1; i < 3; i++) {
		set[i] = perfctr_set_open("page-faults:u", NULL, PERFCTR_INHERIT);
		ck_assert_ptr_nonnull(set[i]);
		ck_assert_uint_eq(open_files(), before + one + i);
	}
	perfctr_set_close(set[0]);
	ck_assert_uint_eq(open_files(), before + one + 1);
	perfctr_set_close(set[2]);
	perfctr_set_close(set[1]);
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

/* ---- what does not fit ---- */

static void begin_many(unsigned int n)
{
	while (n--) {
		if (fork() == 0)
			execute();
		wait(NULL);
	}
}

/* Records are lost unless somebody reads, or checks. */
static int count_many(void)
{
	struct perfctr_reading reading;
	struct perfctr_set *set = perfctr_set_open("page-faults:u", NULL,
						   PERFCTR_INHERIT | PERFCTR_WATCH);
	unsigned int n;

	NEED(set != NULL);
	for (n = 0; n < 20; n++) {
		begin_many(20);
		NEED(n % 2 ? perfctr_set_check(set) == 0 : perfctr_set_read(set, &reading) == 0);
	}
	NEED(perfctr_set_read(set, &reading) == 0);
	/* Records of all threads may be lost to other programs' of a busy machine. */
	NEED(reading.quality == PERFCTR_EXACT ||
	     (who == HAS_RIGHTS && reading.quality == PERFCTR_UNWATCHED));
	begin_many((unsigned int)(sysconf(_SC_NPROCESSORS_ONLN) * 1200));
	if (who == HAS_RIGHTS) { /* they may be others' */
		NEED(perfctr_set_read(set, &reading) == 0);
		NEED(reading.quality == PERFCTR_UNWATCHED && perfctr_set_check(set) == 0);
		perfctr_set_close(set);
		return 0;
	}
	NEED(perfctr_set_read(set, &reading) == 0 && reading.quality == PERFCTR_STALE);
	NEED(perfctr_set_check(set) < 0 && errno == ESTALE);
	NEED(strstr(perfctr_error(), "were lost") && strstr(perfctr_error(), "read more often"));
	perfctr_set_close(set);
	return 0;
}

START_TEST(many)
{
	if (!others_enter("many"))
		return;
	how = ITSELF;
	ck_assert(make(PLAIN));
	for (who = 0; who < WHOS; who++)
		if (who != RELIES && can_be(who))
			ck_assert_msg(as_somebody(count_many) == 0, "%d", who);
	unmake();
}
END_TEST

/*
 * Where too few descriptors are left, what can be counted is: an event has the last one, before
 * what watches the set on each processor.
 */
START_TEST(no_descriptors)
{
	unsigned int n, most = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN) + 2, ntaken = 0;
	struct perfctr_processes processes;
	struct perfctr_reading reading;
	struct perfctr_set *set;
	bool watched;
	struct rlimit limit;
	int taken[512];

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = ARRAY_SIZE(taken);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while ((taken[ntaken] = dup(0)) >= 0)
		ntaken++;
	ck_assert_uint_gt(ntaken, most);
	for (n = 1; n <= most; n++) {
		close(taken[--ntaken]);
		set = perfctr_set_open("page-faults:u", NULL, PERFCTR_INHERIT);
		ck_assert_msg(set != NULL, "%u: %s", n, perfctr_error());
		ck_assert_int_eq(perfctr_set_read(set, &reading), 0);
		/* The last descriptors are for the watch. */
		watched = perfctr_set_processes(set, &processes) == 0;
		ck_assert_uint_eq(reading.quality, watched ? PERFCTR_EXACT : PERFCTR_UNWATCHED);
		ck_assert(n == 1 ? !watched : n < most || watched);
		ck_assert_int_eq(perfctr_set_check(set), 0);
		perfctr_set_close(set);
	}
	while (ntaken)
		close(taken[--ntaken]);
}
END_TEST

/* What can't execute anything costs nothing. */
START_TEST(nothing_to_watch)
{
	unsigned int before = open_files();
	struct perfctr_processes processes;
	struct perfctr_set *set = perfctr_set_open("page-faults:u", NULL, 0);

	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(open_files(), before + 1);
	ck_assert_int_eq(perfctr_set_check(set), 0);
	ck_fails(perfctr_set_processes(set, &processes), EOPNOTSUPP, "which processes");
	ck_fails(perfctr_set_processes(set, NULL), EINVAL, "a place for the processes");
	perfctr_set_close(set);
	ck_fails(perfctr_set_check(NULL), EINVAL, "a set is needed, not NULL");
	ck_fails(perfctr_set_processes(NULL, &processes), EINVAL, "a set is needed, not NULL");
	ck_fails(perfctr_sampler_check(NULL), EINVAL, "a sampler is needed, not NULL");
}
END_TEST

/* A child finds nothing of it, and does the parent's no harm. */
START_TEST(a_child_of_fork)
{
	struct perfctr_set *set = perfctr_set_open("page-faults:u", NULL,
						   PERFCTR_INHERIT | PERFCTR_WATCH);
	struct perfctr_reading reading;
	int status;

	ck_assert_msg(set != NULL, "%s", perfctr_error());
	if (fork() == 0) {
		status = perfctr_set_check(set) < 0 && errno == ESRCH;
		perfctr_set_close(set);
		_exit(status);
	}
	wait(&status);
	ck_assert_int_eq(WEXITSTATUS(status), 1);
	ck_assert_int_eq(perfctr_set_check(set), 0);
	ck_assert_int_eq(perfctr_set_read(set, &reading), 0);
	ck_assert_uint_eq(reading.quality, PERFCTR_EXACT);
	perfctr_set_close(set);
}
END_TEST

UNIT_MAIN("execs", 60, commands, samplers, threads, ended_threads, leavings, shared, many,
	  no_descriptors, nothing_to_watch, a_child_of_fork)
