// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests of programs that close the library's descriptors, and open files of their own in their
 * place: each object, each way, each kind of file. The library reads, switches and closes nothing
 * of the program's, says that its counters are stale, and opens new ones.
 */
#define COUNTS_KERNEL
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/virtual/provider.h"
#include "perfctr/regions.h"
#define LEAVES_FILES /* those that stand in the library's place */
#include "tests/harness/check.h"
#include "tests/harness/faults.h"
#include "tests/harness/others.h"

#define NOBODY	       65534
#define MOST	       256 /* descriptors */
#define succeeds(call) ck_assert_msg((call), "%s", perfctr_error())

/* ---- the program's files ---- */

enum kind { PIPE, EVENTFD, EVENT, SOCKET, EPOLL, KINDS };

/* A file in the library's place, and what it is that must stay. */
struct foreign {
	enum kind kind;
	int other;	    /* a pipe's or a socket's other end; the file that an epoll watches */
	struct stat status; /* of the file */
	uint64_t id;	    /* of an event */
	pid_t pid;	    /* whose it is */
};

/* An event of the program's own, which counts. */
static int own_event(uint64_t *id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ioctl(fd, PERF_EVENT_IOC_ID, id), 0);
	return fd;
}

static int two_ends(int ends[2], struct foreign *its)
{
	static const char bytes[200];

	its->other = fcntl(ends[1], F_DUPFD, MOST);
	close(ends[1]);
	ck_assert_int_eq(write(its->other, bytes, sizeof(bytes)), sizeof(bytes));
	return ends[0];
}

static int own_epoll(struct foreign *its)
{
	struct epoll_event wanted = { .events = EPOLLIN | EPOLLET, .data.fd = 5 };
	int fd = epoll_create1(0), low = eventfd(1, 0);

	its->other = fcntl(low, F_DUPFD, MOST);
	close(low);
	ck_assert_int_eq(epoll_ctl(fd, EPOLL_CTL_ADD, its->other, &wanted), 0);
	return fd;
}

/* Opens a file of the kind, at some number. */
static int open_kind(struct foreign *its)
{
	int ends[2];

	its->other = -1;
	switch (its->kind) {
	case PIPE: ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0); return two_ends(ends, its);
	case SOCKET:
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
		return two_ends(ends, its);
	case EVENTFD: return eventfd(7, EFD_NONBLOCK);
	case EVENT: return own_event(&its->id);
	default: return own_epoll(its);
	}
}

/* Puts a file in the place of a number, which may be open. */
static void occupy(int fd, struct foreign *its)
{
	int at = open_kind(its);

	its->pid = getpid();
	ck_assert_int_ge(at, 0);
	if (at != fd) {
		ck_assert_int_eq(dup2(at, fd), fd);
		close(at);
	}
	ck_assert_int_eq(fstat(fd, &its->status), 0);
}

static uint64_t time_enabled(int fd)
{
	uint64_t values[2];

	ck_assert_int_eq(read(fd, values, sizeof(values)), sizeof(values));
	return values[1];
}

/* The file is there, has what it had, and does what it did. */
static void check_foreign(int fd, const struct foreign *its)
{
	struct epoll_event found;
	struct stat now;
	uint64_t number;
	int bytes;

	ck_assert_msg(fstat(fd, &now) == 0, "%d was closed: kind %d", fd, its->kind);
	ck_assert(now.st_dev == its->status.st_dev && now.st_ino == its->status.st_ino);
	switch (its->kind) {
	case PIPE:
	case SOCKET:
		ck_assert_int_eq(ioctl(fd, FIONREAD, &bytes), 0);
		ck_assert_msg(bytes == 200, "%d: %d bytes are left of 200", fd, bytes);
		break;
	case EVENTFD:
		ck_assert_int_eq(read(fd, &number, sizeof(number)), sizeof(number));
		ck_assert_uint_eq(number, 7);
		ck_assert_int_eq(write(fd, &number, sizeof(number)), sizeof(number));
		break;
	case EVENT:
		ck_assert_int_eq(ioctl(fd, PERF_EVENT_IOC_ID, &number), 0);
		ck_assert_uint_eq(number, its->id);
		number = time_enabled(fd);
		fault(1);
		ck_assert(its->pid != getpid() || time_enabled(fd) > number);
		break;
	default:
		ck_assert_int_eq(epoll_wait(fd, &found, 1, 0), 1);
		ck_assert_int_eq(found.data.fd, 5);
		number = 1; /* for the next look */
		ck_assert_int_eq(write(its->other, &number, sizeof(number)), sizeof(number));
	}
}

/* ---- the library's descriptors ---- */

static void list_descriptors(bool *open)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	ck_assert_ptr_nonnull(dir);
	memset(open, 0, MOST * sizeof(*open));
	while ((entry = readdir(dir)))
		if (atoi(entry->d_name) < MOST && entry->d_name[0] != '.')
			open[atoi(entry->d_name)] = true;
	open[dirfd(dir)] = false;
	closedir(dir);
}

/* ---- the objects: each is opened, used, and closed ---- */

struct object {
	const char *name;
	void (*open)(void);
	void (*use)(int error); /* calls fail with this one; 0: they succeed; ANY */
	void (*close)(void);
	int (*check)(void); /* says that something was closed; NULL: there is no such call */
	int (*stop)(void);
};

#define ANY (-1) /* some calls may fail */

static void expect(int result, int error)
{
	int errno_ = errno;

	if (error == ANY)
		return;
	if (!error) {
		ck_assert_msg(result >= 0, "%s", perfctr_error());
		return;
	}
	ck_assert_int_eq(result, -1);
	ck_assert_msg(errno_ == error, "%d, not %d: %s", errno_, error, perfctr_error());
	ck_assert_msg(strstr(perfctr_error(), "the program closed the descriptor") != NULL, "%s",
		      perfctr_error());
}

static struct perfctr_set *set;
static struct perfctr_reading readings[3];

static void open_set(void)
{
	set = perfctr_set_open("page-faults:u,{minor-faults:u,task-clock}", NULL, 0);
	succeeds(set != NULL);
}

static void open_process(void)
{
	const struct perfctr_target process = { .type = PERFCTR_TARGET_PROCESS };

	set = perfctr_set_open("page-faults:u,{minor-faults:u,task-clock}", &process,
			       PERFCTR_INHERIT);
	succeeds(set != NULL);
}

/* The set has a companion there, which counts nothing. */
static void open_processor(void)
{
	const struct perfctr_target processor = { .type = PERFCTR_TARGET_CPU };

	set = perfctr_set_open("task-clock", &processor, 0);
	if (!set) /* a user without rights */
		open_set();
}

static void use_set(int error)
{
	struct perfctr_reader reader;
	uint64_t id;

	expect(perfctr_set_read(set, readings), error);
	expect(perfctr_set_read_part(set, 0, readings), error);
	expect(perfctr_set_reset(set), error);
	expect(perfctr_set_disable(set), error);
	expect(perfctr_set_enable(set), error);
	expect(perfctr_set_check(set), error);
	expect(perfctr_set_id(set, 0, 0, &id), error);
	perfctr_set_reader(set, 0, &reader);
}

static int check_set(void)
{
	return perfctr_set_check(set);
}

static void close_set(void)
{
	perfctr_set_close(set);
}

static struct perfctr_sampler *sampler;

static void open_sampler(void)
{
	struct perfctr_sampler_config config = { .period = 1, .fields = PERF_SAMPLE_TID };

	sampler = perfctr_sampler_open("page-faults:u", NULL, &config);
	succeeds(sampler != NULL);
}

static void open_samplers(void)
{
	const struct perfctr_target process = { .type = PERFCTR_TARGET_PROCESS };
	struct perfctr_sampler_config config = { .period = 1, .fields = PERF_SAMPLE_TID };

	sampler = perfctr_sampler_open("page-faults:u", &process, &config);
	succeeds(sampler != NULL);
}

static void open_newest(void)
{
	struct perfctr_sampler_config config = { .period = 1,
						 .fields = PERF_SAMPLE_TID,
						 .flags = PERFCTR_SAMPLER_OVERWRITE };

	sampler = perfctr_sampler_open("page-faults:u", NULL, &config);
	succeeds(sampler != NULL);
}

static void open_group(void)
{
	struct perfctr_sampler_config config = { .period = 1, .fields = PERF_SAMPLE_READ };

	sampler = perfctr_sampler_open("{page-faults:u,task-clock}", NULL, &config);
	succeeds(sampler != NULL);
}

static void use_sampler(int error)
{
	const struct perfctr_record *record;
	uint64_t number;

	expect(perfctr_sampler_fd(sampler), error);
	perfctr_sampler_next(sampler, &record);
	expect(perfctr_sampler_count(sampler, 0, &number), error);
	perfctr_sampler_lost(sampler, &number);
	perfctr_sampler_set_period(sampler, 3);
	perfctr_sampler_refresh(sampler, 1);
	expect(perfctr_sampler_disable(sampler), error);
	expect(perfctr_sampler_enable(sampler), error);
	perfctr_sampler_next(sampler, &record);
	expect(perfctr_sampler_check(sampler), error);
}

static int check_sampler(void)
{
	return perfctr_sampler_check(sampler);
}

static void close_sampler(void)
{
	perfctr_sampler_close(sampler);
}

static struct vperfctr *self;
static struct perfctr_total *total;
static int given;

static void open_virtual(void)
{
	struct vperfctr_control control = counting(2, 0);

	self = vperfctr_open();
	succeeds(self && vperfctr_control(self, &control) == 0);
	given = -1;
}

/* With a descriptor for others, which the program has: that one it does not close. */
static void open_given(void)
{
	struct vperfctr_control control = counting(2, 0);
	int fd = sys_vperfctr_open(0, 1);

	ck_assert_int_ge(fd, 0);
	given = fcntl(fd, F_DUPFD, MOST);
	close(fd);
	self = vperfctr_open_mode(0);
	succeeds(self && vperfctr_control(self, &control) == 0);
}

static void use_virtual(int error)
{
	struct vperfctr_control control = counting(2, 0), other = counting(1, 0);
	struct perfctr_reading reading;
	struct perfctr_sum_ctrs sum;

	expect(vperfctr_read_ctrs(self, &sum), error);
	expect(vperfctr_read_quality(self, 0, &reading), error);
	expect(vperfctr_stop(self), error);
	if (error)
		vperfctr_control(self, &control);
	else
		succeeds(vperfctr_control(self, &control) == 0);
	vperfctr_control(self, &other);
	vperfctr_read_state(self, &sum, &control);
	vperfctr_read_pmc(self, 0);
	vperfctr_read_tsc(self);
	vperfctr_pause(self);
	vperfctr_resume(self);
	if (given >= 0)
		sys_vperfctr_read(given, &sum, &control);
}

static void close_virtual(void)
{
	vperfctr_unlink(self);
	vperfctr_close(self);
	if (given >= 0)
		close(given);
}

static void open_signals(void)
{
	struct vperfctr_control control = counting(1, 1);

	signal(SIGUSR1, SIG_IGN);
	self = vperfctr_open();
	succeeds(self && vperfctr_control(self, &control) == 0);
	given = -1;
}

static void use_signals(int error)
{
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control control = counting(1, 1);

	if (vperfctr_read_ctrs(self, &sum) < 0 && error != ANY)
		ck_assert_int_eq(errno, error);
	fault(PERIOD + 1);
	vperfctr_iresume(self);
	vperfctr_control(self, &control);
	vperfctr_stop(self);
}

static void open_total(void)
{
	open_virtual();
	total = perfctr_total_create();
	succeeds(total && perfctr_total_add(total, self) == 0);
}

static void use_total(int error)
{
	struct perfctr_sum_ctrs sum;

	expect(perfctr_total_read(total, &sum, NULL), error);
}

static void close_total(void)
{
	perfctr_total_destroy(total);
	close_virtual();
}

static struct rvperfctr *remote;
static pid_t child;

static void open_remote(void)
{
	struct vperfctr_control control = counting(1, 0);

	child = fork();
	if (child == 0)
		for (;;)
			pause();
	ck_assert_int_eq(ptrace(PTRACE_ATTACH, child, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(child, NULL, __WALL), child);
	remote = rvperfctr_open(child);
	succeeds(remote && rvperfctr_control(remote, &control) == 0);
}

static void use_remote(int error)
{
	struct vperfctr_control control = counting(1, 0);
	struct perfctr_sum_ctrs sum;

	expect(rvperfctr_read_ctrs(remote, &sum), error);
	expect(rvperfctr_stop(remote), error);
	expect(rvperfctr_control(remote, &control), error);
}

static void close_remote(void)
{
	rvperfctr_unlink(remote);
	rvperfctr_close(remote);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static struct gperfctr *global;

static void open_global(void)
{
	struct gperfctr_cpu_control on_cpu = { .cpu = 0, .cpu_control.tsc_on = 1 };

	global = gperfctr_open();
	succeeds(global && gperfctr_control(global, &on_cpu) == 1);
	if (gperfctr_start(global, 0) < 0)
		ck_assert_int_eq(errno, EACCES);
}

static void use_global(int error)
{
	struct gperfctr_cpu_state state = { .cpu = 0 };

	if (gperfctr_read(global, &state) < 0 && error == 0)
		ck_assert_int_eq(errno, EACCES);
	gperfctr_stop(global);
	gperfctr_start(global, 0);
}

static void close_global(void)
{
	gperfctr_close(global);
}

/* The time alone needs no descriptor; an event does. */
PERFCTR_REGION(region, "closed");
static uint64_t visits; /* that are counted */

static void open_regions(void)
{
	succeeds(perfctr_regions_start("page-faults:u", 0) == 0);
	perfctr_region_begin(&region);
	perfctr_region_end(&region);
	visits = 1;
}

static void use_regions(int error)
{
	struct perfctr_region_reading reading;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		perfctr_region_begin(&region);
		perfctr_region_end(&region);
	}
	succeeds(perfctr_region_read(&region, &reading) == 0);
	visits += error ? 0 : i;
	ck_assert_uint_eq(reading.visits, visits);
}

static void close_regions(void)
{
	perfctr_regions_stop();
}

static int stop_set(void)
{
	return perfctr_set_disable(set);
}

static int stop_sampler(void)
{
	return perfctr_sampler_disable(sampler);
}

static int stop_virtual(void)
{
	return vperfctr_stop(self);
}

static int stop_remote(void)
{
	return rvperfctr_stop(remote);
}

static int stop_global(void)
{
	return gperfctr_stop(global);
}

static int stop_regions(void)
{
	return perfctr_regions_stop();
}

static const struct object objects[] = {
	{ "a set", open_set, use_set, close_set, check_set, stop_set },
	{ "a set on a process", open_process, use_set, close_set, check_set, stop_set },
	{ "a set on a processor", open_processor, use_set, close_set, check_set, stop_set },
	{ "a sampler", open_sampler, use_sampler, close_sampler, check_sampler, stop_sampler },
	{ "a sampler of a group", open_group, use_sampler, close_sampler, check_sampler,
	  stop_sampler },
	{ "a sampler of many buffers", open_samplers, use_sampler, close_sampler, check_sampler,
	  stop_sampler },
	{ "a sampler that is overwritten", open_newest, use_sampler, close_sampler, check_sampler,
	  stop_sampler },
	{ "vperfctr", open_virtual, use_virtual, close_virtual, NULL, stop_virtual },
	{ "vperfctr with a descriptor", open_given, use_virtual, close_virtual, NULL,
	  stop_virtual },
	{ "vperfctr with signals", open_signals, use_signals, close_virtual, NULL, stop_virtual },
	{ "a total", open_total, use_total, close_total, NULL, stop_virtual },
	{ "rvperfctr", open_remote, use_remote, close_remote, NULL, stop_remote },
	{ "gperfctr", open_global, use_global, close_global, NULL, stop_global },
	{ "regions", open_regions, use_regions, close_regions, NULL, stop_regions },
};

/* ---- the ways ---- */

static bool before[MOST], after[MOST];
static struct foreign foreign[MOST];

static bool is_librarys(int fd)
{
	return after[fd] && !before[fd];
}

/* closefrom(), then files of the program's, all of one kind or of each in turn. */
static void close_from(unsigned int kind)
{
	unsigned int n = 0;
	int fd, most = 0;

	for (fd = 0; fd < MOST; fd++)
		if (is_librarys(fd)) {
			close(fd);
			most = fd;
		}
	for (fd = 0; fd <= most; fd++)
		if (is_librarys(fd)) {
			foreign[fd].kind = kind < KINDS ? kind : n++ % KINDS;
			occupy(fd, &foreign[fd]);
		}
}

/* dup2() over each. */
static void dup_over(unsigned int kind)
{
	unsigned int n = 0;
	int fd;

	for (fd = 0; fd < MOST; fd++)
		if (is_librarys(fd)) {
			foreign[fd].kind = kind < KINDS ? kind : n++ % KINDS;
			occupy(fd, &foreign[fd]);
		}
}

static void check_all(void)
{
	int fd;

	for (fd = 0; fd < MOST; fd++)
		if (is_librarys(fd))
			check_foreign(fd, &foreign[fd]);
}

static void begin(const struct object *object)
{
	int fd;

	setenv("PERFCTR_PROVIDER", "perf", 1);
	/* What the objects need once for all is open before. */
	object->open();
	object->use(0);
	object->close();
	list_descriptors(before);
	object->open();
	list_descriptors(after);
	for (fd = 0; fd < MOST && !is_librarys(fd); fd++)
		;
	ck_assert_msg(fd < MOST || object->open == open_global, "%s has no descriptor",
		      object->name);
}

/* The stages of an object's life at which something happens. */
enum stage { OPEN, READ, STOPPED, CLOSED, STAGES };

/* Brings an object to the stage. Its calls fail with the result after its descriptors are gone. */
static int reach(const struct object *object, enum stage stage)
{
	begin(object);
	if (stage >= READ)
		object->use(0);
	if (stage >= STOPPED)
		succeeds(object->stop() == 0);
	if (stage >= CLOSED)
		object->close();
	list_descriptors(after);
	return stage < STOPPED ? ESTALE : ANY;
}

/* A new object works. */
static void open_again(const struct object *object)
{
	object->open();
	object->use(0);
	object->close();
}

/* Each object at each stage, each kind of file, and all kinds mixed. */
static void try(const struct object *object, void (*take)(unsigned int kind), unsigned int kind)
{
	enum stage stage;
	int status, error;
	pid_t pid;

	for (stage = OPEN; stage < STAGES; stage++) {
		pid = fork();
		if (pid == 0) {
			error = reach(object, stage);
			take(kind);
			if (stage < CLOSED) {
				object->use(error);
				object->close();
			}
			check_all();
			open_again(object);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(status == 0, "%s, kind %u, stage %u: status 0x%x", object->name, kind,
			      stage, status);
	}
}

static void try_all(void (*take)(unsigned int kind))
{
	unsigned int i, kind;

	for (i = 0; i < ARRAY_SIZE(objects); i++)
		for (kind = 0; kind <= KINDS; kind++)
			try(&objects[i], take, kind);
}

START_TEST(closed_from)
{
	try_all(close_from);
}
END_TEST

START_TEST(dupped_over)
{
	try_all(dup_over);
}
END_TEST

/* Calls this in a child for each object. */
static void for_each(void (*f)(const struct object *object))
{
	unsigned int i;
	int status;
	pid_t pid;

	for (i = 0; i < ARRAY_SIZE(objects); i++) {
		pid = fork();
		if (pid == 0) {
			f(&objects[i]);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(status == 0, "%s: status 0x%x", objects[i].name, status);
	}
}

/* A child keeps the files that the program has put there, whether it does anything or not. */
static void fork_after(const struct object *object)
{
	int status;
	pid_t pid;

	begin(object);
	dup_over(KINDS);
	pid = fork();
	if (pid == 0) {
		check_all();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	pid = fork();
	if (pid == 0) {
		object->close();
		check_all();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	if (object->open == open_remote)
		kill(child, SIGKILL);
}

START_TEST(forked)
{
	for_each(fork_after);
}
END_TEST

/* Where nothing is said to be closed, everything works: an event lives on in its buffer. */
static void check_says(const struct object *object)
{
	if (!object->check)
		return;
	if (object->check() == 0)
		object->use(0);
	else
		expect(-1, ESTALE);
}

/* One by one: the others are still the library's, and are closed by it. */
static void close_one(const struct object *object)
{
	bool now[MOST];
	int fd, n, chosen;

	for (chosen = 0;; chosen++) {
		begin(object);
		for (fd = 0, n = 0; fd < MOST; fd++)
			if (is_librarys(fd) && n++ == chosen)
				break;
		if (fd == MOST)
			break;
		foreign[fd].kind = (unsigned int)chosen % KINDS;
		occupy(fd, &foreign[fd]);
		check_says(object);
		object->use(ANY);
		object->close();
		check_foreign(fd, &foreign[fd]);
		close(fd);
		close(foreign[fd].other);
		list_descriptors(now);
		ck_assert_msg(!memcmp(now, before, sizeof(now)), "%s, number %d", object->name,
			      chosen);
	}
	object->close();
}

START_TEST(one)
{
	for_each(close_one);
}
END_TEST

/*
 * daemon(3) at a stage: a child that closes everything, and then opens what it needs. The test is
 * its subreaper, to which it is handed over when its parent ends.
 */
static void daemonize_at(const struct object *object, enum stage stage)
{
	int fd, status;
	pid_t pid = fork();

	if (pid == 0) {
		reach(object, stage);
		if (fork())
			_exit(0);
		setsid();
		for (fd = 3; fd < 2 * MOST; fd++)
			close(fd);
		if (stage < CLOSED)
			object->close();
		open_again(object);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	while ((pid = waitpid(-1, &status, 0)) > 0)
		ck_assert_msg(status == 0 || WTERMSIG(status) == SIGKILL, "stage %u: status 0x%x",
			      stage, status);
}

static void daemonize(const struct object *object)
{
	enum stage stage;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (stage = OPEN; stage < STAGES; stage++)
		daemonize_at(object, stage);
}

START_TEST(daemonized)
{
	for_each(daemonize);
}
END_TEST

/* ---- who watches a set's programs ---- */

static void *wait_forever(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

/* A process of so many threads, by a user without rights, who then counts it. */
static void count_others(int threads, unsigned int flags)
{
	struct perfctr_target other = { .type = PERFCTR_TARGET_PROCESS };
	pthread_t thread;
	int ready[2];

	ck_assert_int_eq(pipe(ready), 0);
	if (geteuid() == 0)
		ck_assert_int_eq(setuid(NOBODY), 0);
	prctl(PR_SET_DUMPABLE, 1);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (--threads)
			pthread_create(&thread, NULL, wait_forever, NULL);
		ck_assert_int_eq(write(ready[1], "", 1), 1);
		wait_forever(NULL);
	}
	ck_assert_int_eq(read(ready[0], &threads, 1), 1);
	close(ready[0]);
	close(ready[1]);
	other.id = child;
	list_descriptors(before);
	set = perfctr_set_open("task-clock", &other, PERFCTR_INHERIT | flags);
	succeeds(set != NULL);
	list_descriptors(after);
}

/* Whether a user without rights gets the records of all threads (perf_event_paranoid below 1). */
static bool sees_all(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY,
					.exclude_kernel = 1,
					.task = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd >= 0 && close(fd) == 0;
}

/* Closes the descriptor number i of the library. False if it has fewer. */
static bool close_ith(int i)
{
	int fd;

	for (fd = 0; fd < MOST; fd++)
		if (is_librarys(fd) && i-- == 0)
			return close(fd) == 0;
	return false;
}

/*
 * Of the descriptors that watch, those of the first thread have the buffers, and live on there. The
 * others end: that the thread's programs are not seen is told.
 */
START_TEST(watched)
{
	struct perfctr_processes processes;
	int i, ended = 0, kept = 0;

	if (geteuid() == 0 && !others_enter("watched"))
		return;
	for (i = 0;; i++) {
		count_others(2, PERFCTR_WATCH);
		if (!close_ith(i))
			break;
		if (perfctr_set_check(set) == 0) {
			kept++;
			ck_assert_int_eq(perfctr_set_processes(set, &processes), 0);
			ck_assert_uint_eq(processes.running, 1);
		} else {
			expect(-1, ESTALE);
			ended++;
		}
		close_set();
		kill(child, SIGKILL);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
	}
	close_set();
	kill(child, SIGKILL);
	ck_assert_int_ge(kept, 1); /* one for each processor */
	ck_assert_int_eq(ended, 2 + (sees_all() ? 0 : kept));
}
END_TEST

/*
 * Without PERFCTR_WATCH, one thread has records, and a buffer that tells whether it lives: nothing
 * goes to the buffer of an event that the program has in its place.
 */
START_TEST(alone)
{
	struct perfctr_processes processes;
	int i, fd, told = 0, result, wanted;

	if (geteuid() == 0 && !others_enter("alone"))
		return;
	for (i = 0; i < 2; i++) {
		count_others(1, 0);
		succeeds(perfctr_set_processes(set, &processes) == 0);
		ck_assert_uint_eq(processes.running, 1);
		for (fd = 0; !is_librarys(fd) || told++ != i;)
			fd++;
		foreign[fd].kind = EVENT;
		occupy(fd, &foreign[fd]);
		wanted = sees_all() ? 0 : ESTALE;
		result = perfctr_set_processes(set, &processes);
		expect(result, wanted);
		close_set();
		check_foreign(fd, &foreign[fd]);
		close(fd);
		kill(child, SIGKILL);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
		told = 0;
	}
}
END_TEST

UNIT_MAIN("closed", 240, closed_from, dupped_over, forked, one, daemonized, watched, alone)
