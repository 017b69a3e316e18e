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

/* Do this as a user without rights; what it returns. */
static int as_nobody(int (*f)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (geteuid() == 0 && (chdir(directory) < 0 || setgroups(0, NULL) < 0 ||
				       setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
			_exit(100);
		prctl(PR_SET_DUMPABLE, 1); /* and its children */
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

enum how { ITSELF, ITSELF_ALONE, BY_A_SHELL, BY_A_SHELLS_SHELL, HOWS };

static enum how how;
static bool ends_early;

static void execute(void)
{
	char command[256];

	snprintf(command, sizeof(command),
		 how == BY_A_SHELL ? "%s; :" : "sh -c '%s; :'; :", program);
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
	unsigned int before, wanted = ends_early ? PERFCTR_STALE : PERFCTR_EXACT;
	struct perfctr_set *set;
	int go[2];

	target.id = begin_child(go);
	before = open_files();
	set = perfctr_set_open("task-clock,page-faults:u", &target,
			       PERFCTR_ON_EXEC | (how == ITSELF_ALONE ? 0 : PERFCTR_INHERIT));
	NEED(set != NULL);
	NEED(perfctr_set_check(set) == 0);
	NEED(end_child(target.id, go));
	NEED(perfctr_set_read(set, reading) == 0);
	NEED(reading[0].quality == wanted && reading[1].quality == wanted);
	NEED(!ends_early || how >= BY_A_SHELL ? reading[1].value > 0 : reading[1].value == 0);
	NEED(perfctr_set_read_part(set, 0, part) == 0 && part[1].quality == wanted);
	NEED(perfctr_set_read_thread(set, target.id, part) == 0 && part[0].quality == wanted);
	NEED(ends_early ? says_why(perfctr_set_check(set)) : perfctr_set_check(set) == 0);
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

/* Each kind of program, begun in each way. */
static void in_all_ways(int (*f)(void))
{
	enum kind kind;

	if (!others_enter("programs that may not be traced"))
		return;
	for (kind = 0; kind < KINDS; kind++) {
		ends_early = kind != PLAIN;
		for (how = 0; make(kind) && how < HOWS; how++) {
			ck_assert_msg(as_nobody(f) == 0, "kind %d, begun in way %d", kind, how);
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
	const struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS, .id = getpid() };
	struct perfctr_reading reading;
	struct perfctr_set *set;
	pthread_t thread;
	char byte = 0;

	NEED(pipe(step) == 0 && pipe(done) == 0);
	NEED(pthread_create(&thread, NULL, begin_program, NULL) == 0);
	while (!__atomic_load_n(&other, __ATOMIC_ACQUIRE))
		usleep(100);
	set = perfctr_set_open("page-faults:u", &target, PERFCTR_INHERIT);
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
	set = perfctr_set_open("page-faults:u", &target, PERFCTR_INHERIT);
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
	set = perfctr_set_open("page-faults:u", &target, 0);
	NEED(set || errno == EOPNOTSUPP);
	if (set && fork() == 0)
		execute();
	if (set)
		NEED(wait(NULL) > 0 && perfctr_set_read(set, &reading) == 0 &&
		     reading.quality == PERFCTR_EXACT);
	perfctr_set_close(set);
	return 0;
}

START_TEST(threads)
{
	if (!others_enter("threads"))
		return;
	how = ITSELF;
	ck_assert(make(UNREADABLE));
	ck_assert_int_eq(as_nobody(count_threads), 0);
	unmake();
}
END_TEST

/* One that has ended meanwhile keeps nobody from watching the others, but the first one's are all
 * that write. */
START_TEST(ended_threads)
{
	struct perfctr_scope scopes[2] = { perfctr_scope_thread((pid_t)syscall(SYS_gettid)) };
	struct perfctr_execs *execs = perfctr_execs_watch(scopes, 1, PERFCTR_INHERIT);
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	if (!execs)
		return; /* there is no memory to be locked */
	perfctr_execs_end(execs);
	scopes[1] = perfctr_scope_thread(pid);
	execs = perfctr_execs_watch(scopes, 2, PERFCTR_INHERIT);
	ck_assert_ptr_nonnull(execs);
	perfctr_execs_look(execs);
	ck_assert(!perfctr_execs_has_ended(execs, 0) && !perfctr_execs_has_ended(execs, 1));
	perfctr_execs_end(execs);
	scopes[1] = scopes[0];
	scopes[0] = perfctr_scope_thread(pid);
	ck_assert_ptr_null(perfctr_execs_watch(scopes, 2, PERFCTR_INHERIT));
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
	struct perfctr_set *set = perfctr_set_open("page-faults:u", NULL, PERFCTR_INHERIT);
	unsigned int n;

	NEED(set != NULL);
	for (n = 0; n < 20; n++) {
		begin_many(20);
		NEED(n % 2 ? perfctr_set_check(set) == 0 : perfctr_set_read(set, &reading) == 0);
	}
	NEED(perfctr_set_read(set, &reading) == 0 && reading.quality == PERFCTR_EXACT);
	begin_many((unsigned int)(sysconf(_SC_NPROCESSORS_ONLN) * 500));
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
	ck_assert_int_eq(as_nobody(count_many), 0);
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
	struct perfctr_reading reading;
	struct perfctr_set *set;
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
		ck_assert_uint_eq(reading.quality, PERFCTR_EXACT);
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
	struct perfctr_set *set = perfctr_set_open("page-faults:u", NULL, 0);

	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(open_files(), before + 1);
	ck_assert_int_eq(perfctr_set_check(set), 0);
	perfctr_set_close(set);
	ck_fails(perfctr_set_check(NULL), EINVAL, "a set is needed, not NULL");
	ck_fails(perfctr_sampler_check(NULL), EINVAL, "a sampler is needed, not NULL");
}
END_TEST

/* A child finds nothing of it, and does the parent's no harm. */
START_TEST(a_child_of_fork)
{
	struct perfctr_set *set = perfctr_set_open("page-faults:u", NULL, PERFCTR_INHERIT);
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

UNIT_MAIN("execs", 60, commands, samplers, threads, ended_threads, many, no_descriptors,
	  nothing_to_watch, a_child_of_fork)
