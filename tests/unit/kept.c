// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests that calls change neither errno if they succeed, nor the open descriptors if they fail. A
 * table of the public calls that need no PMU.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "perfctr/regions.h"
#include "tests/harness/check.h"
#include "tests/harness/root.h"
#include "tests/harness/spoil.h"

#define KEPT 77

static const struct perfctr_target process = { .type = PERFCTR_TARGET_PROCESS };
static const struct perfctr_target all_cpus = { .type = PERFCTR_TARGET_CPU, .id = -1 };
static const struct perfctr_sampler_config sampling = { .period = 1000, .fields = PERF_SAMPLE_IP };
static struct vperfctr *self;
static struct gperfctr *global;
static struct perfctr_total *total;
static struct perfctr_set *set, *inherited;
static struct perfctr_sampler *sampler;
static struct perfctr_list *list;
static struct perfctr_metrics *metrics;
static struct vperfctr_control control;
static struct perfctr_info info;
static struct perfctr_sum_ctrs sum;
static struct perfctr_reading readings[4];
static struct perfctr_list_event event;
static struct perfctr_part part;
static struct perfctr_region_reading region_reading;
static const struct perfctr_record *record;
static struct perfctr_metric metric;
static struct perf_event_attr attr;
static uint32_t cpus[4];
static const char *text[2];
static uint64_t number;
static void *memory;
PERFCTR_REGION(region, "kept");

static int count(void *arg, const struct perfctr_event_name *name)
{
	(void)name;
	++*(unsigned int *)arg;
	return 0;
}

static int each_check(void *arg, const struct perfctr_check *check)
{
	(void)check;
	++*(unsigned int *)arg;
	return 0;
}

static int each_metric(void *arg, const struct perfctr_metric *one)
{
	(void)one;
	++*(unsigned int *)arg;
	return 0;
}

static unsigned int counted;

/* Each succeeds, in this order. */
#define SUCCEEDS(call)                                                       \
	do {                                                                 \
		bool done;                                                   \
		int left;                                                    \
                                                                             \
		spoils = true;                                               \
		errno = KEPT;                                                \
		done = (call);                                               \
		left = errno;                                                \
		spoils = false;                                              \
		ck_assert_msg(done, "%s: %s", #call, perfctr_error());       \
		ck_assert_msg(left == KEPT, "%s: errno is %d", #call, left); \
	} while (0)
#define DOES(call) SUCCEEDS(((call), true))

START_TEST(errno_of_success)
{
	SUCCEEDS(perfctr_get_info(&info) == 0);
	SUCCEEDS((memory = perfctr_cpus_info(-1)) != NULL);
	free(memory);
	SUCCEEDS(perfctr_abi_check_fd(-1) == 0);
	SUCCEEDS(perfctr_cpu_native(&text[0], &text[1]) == 0);
	SUCCEEDS(perfctr_provider_name() != NULL);
	SUCCEEDS(perfctr_info_cpu_name(&info) != NULL);
	SUCCEEDS(perfctr_cpu_list(count, &counted) == 0);
	SUCCEEDS(perfctr_cpu_event_list("skylake", count, &counted) == 0);
	SUCCEEDS(perfctr_event_list(NULL, count, &counted) == 0);
	SUCCEEDS(perfctr_doctor(each_check, &counted) == 0);
	SUCCEEDS(perfctr_event_check("page-faults:u") == 0);
	SUCCEEDS((self = vperfctr_open()) != NULL);
	control.cpu_control.tsc_on = 1;
	SUCCEEDS(vperfctr_control(self, &control) == 0);
	SUCCEEDS(vperfctr_is_running(self));
	SUCCEEDS(vperfctr_read_tsc(self) > 0);
	SUCCEEDS(vperfctr_read_ctrs(self, &sum) == 0);
	SUCCEEDS(vperfctr_read_state(self, &sum, &control) == 0);
	SUCCEEDS(vperfctr_info(self, &info) == 0);
	SUCCEEDS((total = perfctr_total_create()) != NULL);
	SUCCEEDS(perfctr_total_add(total, self) == 0);
	SUCCEEDS(perfctr_total_read(total, &sum, NULL) == 0);
	DOES(perfctr_total_destroy(total));
	SUCCEEDS(vperfctr_stop(self) == 0);
	SUCCEEDS(vperfctr_unlink(self) == 0);
	DOES(vperfctr_close(self));
	SUCCEEDS((global = gperfctr_open()) != NULL);
	SUCCEEDS(gperfctr_info(global, &info) == 0);
	DOES(gperfctr_close(global));
	SUCCEEDS((set = perfctr_set_open("task-clock,{cs:u,page-faults:u}", NULL, 0)) != NULL);
	SUCCEEDS((inherited = perfctr_set_open("page-faults:u", &process, PERFCTR_INHERIT)) !=
		 NULL);
	SUCCEEDS(perfctr_set_size(set) == 3);
	SUCCEEDS(perfctr_set_event(set, 1, &event) == 0);
	SUCCEEDS(perfctr_set_disable(set) == 0);
	SUCCEEDS(perfctr_set_enable(set) == 0);
	SUCCEEDS(perfctr_set_reset(set) == 0);
	SUCCEEDS(perfctr_set_read(set, readings) == 0);
	SUCCEEDS(perfctr_set_read(inherited, readings) == 0);
	SUCCEEDS(perfctr_set_check(set) == 0);
	SUCCEEDS(perfctr_set_check(inherited) == 0);
	SUCCEEDS(perfctr_set_part(set, 0, &part) == 0);
	SUCCEEDS(perfctr_set_read_part(set, 0, readings) == 0);
	SUCCEEDS(perfctr_set_read_thread(inherited, getpid(), readings) == 0);
	SUCCEEDS(perfctr_set_id(set, 0, 0, &number) == 0);
	SUCCEEDS(perfctr_disable_all() == 0);
	SUCCEEDS(perfctr_enable_all() == 0);
	DOES(perfctr_set_close(inherited));
	DOES(perfctr_set_close(set));
	SUCCEEDS((sampler = perfctr_sampler_open("page-faults:u", NULL, &sampling)) != NULL);
	SUCCEEDS(perfctr_sampler_fd(sampler) >= 0);
	SUCCEEDS(perfctr_sampler_set_period(sampler, 500) == 0);
	SUCCEEDS(perfctr_sampler_check(sampler) == 0);
	SUCCEEDS(perfctr_sampler_disable(sampler) == 0);
	SUCCEEDS(perfctr_sampler_next(sampler, &record) == 0);
	SUCCEEDS(perfctr_sampler_lost(sampler, &number) == 0);
	SUCCEEDS(perfctr_sampler_count(sampler, 0, &number) == 0);
	DOES(perfctr_sampler_close(sampler));
	SUCCEEDS((list = perfctr_list_resolve("cs,task-clock", 0)) != NULL);
	SUCCEEDS(perfctr_list_size(list) == 2);
	SUCCEEDS(perfctr_list_event(list, 0, &event) == 0);
	SUCCEEDS(perfctr_list_attr(list, 0, 0, &attr, &text[0], cpus, ARRAY_SIZE(cpus)) == 0);
	DOES(perfctr_list_free(list));
	SUCCEEDS((metrics = perfctr_metrics_open("ipc", "skylake")) != NULL);
	SUCCEEDS(perfctr_metrics_events(metrics, NULL) != NULL);
	SUCCEEDS(perfctr_metrics_metric(metrics, 0, &metric) == 0);
	SUCCEEDS(perfctr_metrics_list("skylake", each_metric, &counted) == 0);
	if (perfctr_metrics_list(NULL, each_metric, &counted) == 0) /* the processor has a table */
		SUCCEEDS(perfctr_metrics_list(NULL, each_metric, &counted) == 0);
	DOES(perfctr_metrics_close(metrics));
	SUCCEEDS(perfctr_regions_start("page-faults:u", 0) == 0);
	DOES(perfctr_region_begin(&region));
	DOES(perfctr_region_end(&region));
	SUCCEEDS(perfctr_region_read(&region, &region_reading) == 0);
	SUCCEEDS(perfctr_region_read_all(&region, &region_reading) == 0);
	SUCCEEDS(perfctr_regions_report("/dev/null", PERFCTR_REGIONS_TABLE) == 0);
	SUCCEEDS(perfctr_region_reset(&region) == 0);
	SUCCEEDS(perfctr_regions_stop() == 0);
}
END_TEST

/* Each fails; what it had opened is closed. */
#define FAILS(call)                                                                        \
	do {                                                                               \
		bool done;                                                                 \
		int left;                                                                  \
                                                                                           \
		before = open_files();                                                     \
		spoils = true;                                                             \
		errno = 0;                                                                 \
		done = (call);                                                             \
		left = errno;                                                              \
		spoils = false;                                                            \
		ck_assert_msg(!done, "%s", #call);                                         \
		ck_assert_msg(left &&left != SPOILED, "%s: errno is %d", #call, left);     \
		ck_assert_msg(*perfctr_error() != '\0', "%s", #call);                      \
		ck_assert_msg(open_files() == before, "%s: %u descriptors, not %u", #call, \
			      open_files(), before);                                       \
	} while (0)

START_TEST(descriptors_of_failures)
{
	static const struct perfctr_target nobody = { .type = PERFCTR_TARGET_PROCESS,
						      .id = INT32_MAX },
					   nowhere = { .type = PERFCTR_TARGET_CPU, .id = 4000 },
					   no_cgroup = { .type = PERFCTR_TARGET_CGROUP,
							 .cgroup = "no/such" },
					   cgroup = { .type = PERFCTR_TARGET_CGROUP,
						      .cgroup = "/proc" };
	static const char *const wrong[] = {
		"", "cs,", "nonsense", "cs,nonsense", "{cs,nonsense}", "cs:x", "software/no/"
	};
	struct vperfctr_control bad;
	unsigned int before, i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		FAILS(perfctr_set_open(wrong[i], NULL, 0));
		FAILS(perfctr_set_open(wrong[i], &process, PERFCTR_INHERIT));
		FAILS(perfctr_sampler_open(wrong[i], &process, &sampling));
		FAILS(perfctr_event_check(wrong[i]) == 0);
		FAILS(perfctr_list_resolve(wrong[i], 0));
	}
	FAILS(perfctr_regions_start("nonsense", 0) == 0);
	FAILS(perfctr_set_open("cs", &nobody, PERFCTR_INHERIT));
	FAILS(perfctr_set_open("cs", &nowhere, 0));
	FAILS(perfctr_set_open("cs", &no_cgroup, 0));
	FAILS(perfctr_set_open("cs", &cgroup, 0));
	FAILS(perfctr_set_open("cs", &all_cpus, PERFCTR_INHERIT));
	FAILS(perfctr_set_open("cs", NULL, PERFCTR_ON_EXEC | PERFCTR_DISABLED));
	FAILS(perfctr_sampler_open("cs", &nobody, &sampling));
	FAILS(perfctr_sampler_open("task-clock,cs", NULL, &sampling));
	FAILS(perfctr_metrics_open("nonsense", NULL));
	FAILS(perfctr_metrics_open("ipc", "nonsense"));
	FAILS(rvperfctr_open(0));
	FAILS(rvperfctr_open(getpid()));
	FAILS(vperfctr_open_mode(0));
	FAILS(vperfctr_open_mode(0x8000));
	FAILS(sys_vperfctr_open(getpid(), 0) >= 0);
	FAILS(sys_vperfctr_control(0, &control) == 0);
	FAILS(perfctr_regions_report("/no/such/directory", PERFCTR_REGIONS_TABLE) == 0);
	FAILS(perfctr_regions_recover("/dev/null", NULL, PERFCTR_REGIONS_TABLE) == 0);
	self = vperfctr_open();
	memset(&bad, 0, sizeof(bad));
	bad.cpu_control.nractrs = 99;
	FAILS(vperfctr_control(self, &bad) == 0);
	FAILS(vperfctr_open());
	FAILS(vperfctr_iresume(self) == 0);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

/* ---- what is opened and closed again ---- */

/* Of some kind, on failure NULL; and its end. */
struct life {
	const char *name;
	void *(*open)(void);
	void (*close)(void *opened);
	bool may_fail; /* whatever there is */
};

static void *open_own(void)
{
	return vperfctr_open();
}

static void close_own(void *opened)
{
	vperfctr_unlink(opened);
	vperfctr_close(opened);
}

static void *open_global(void)
{
	return gperfctr_open();
}

static void close_global(void *opened)
{
	gperfctr_close(opened);
}

static void *open_thread(void)
{
	return perfctr_set_open("{cs:u,page-faults:u},task-clock", NULL, 0);
}

static void *open_process(void)
{
	return perfctr_set_open("page-faults:u", &process, 0);
}

static void *open_family(void)
{
	return perfctr_set_open("page-faults:u", &process, PERFCTR_INHERIT);
}

static void *open_partly(void)
{
	return perfctr_set_open("cycles:u,page-faults:u", &process,
				PERFCTR_PARTIAL | PERFCTR_USER_FALLBACK | PERFCTR_INHERIT);
}

/* If there is a hierarchy of cgroups, and this user may count it. */
static void *open_cgroup(void)
{
	static const struct perfctr_target cgroup = { .type = PERFCTR_TARGET_CGROUP,
						      .cgroup = "/sys/fs/cgroup" };

	return perfctr_set_open("page-faults", &cgroup, 0);
}

static void close_set(void *opened)
{
	perfctr_set_close(opened);
}

static void *open_sampler(void)
{
	return perfctr_sampler_open("page-faults:u", NULL, &sampling);
}

/* With a buffer for each processor. */
static void *open_samplers(void)
{
	struct perfctr_sampler_config config = sampling;

	config.flags = PERFCTR_INHERIT;
	return perfctr_sampler_open("page-faults:u", &process, &config);
}

static void close_sampler(void *opened)
{
	perfctr_sampler_close(opened);
}

static void *open_list(void)
{
	return perfctr_list_resolve("cycles,page-faults,software/config=2/", PERFCTR_PARTIAL);
}

static void close_list(void *opened)
{
	perfctr_list_free(opened);
}

static void *open_metrics(void)
{
	return perfctr_metrics_open("ipc", "skylake");
}

static void close_metrics(void *opened)
{
	perfctr_metrics_close(opened);
}

static void *open_regions(void)
{
	return perfctr_regions_start("page-faults:u", 0) == 0 ? &region : NULL;
}

static void close_regions(void *opened)
{
	perfctr_region_begin(opened);
	perfctr_region_end(opened);
	perfctr_regions_stop();
}

static void *report(void)
{
	return perfctr_regions_report("/dev/null", PERFCTR_REGIONS_JSON) == 0 ? &region : NULL;
}

static void *list_all(void)
{
	return perfctr_event_list(NULL, count, &counted) == 0 ? &counted : NULL;
}

static void *ask_doctor(void)
{
	return perfctr_doctor(each_check, &counted) == 0 ? &counted : NULL;
}

static void *get_info(void)
{
	return perfctr_get_info(&info) == 0 ? &info : NULL;
}

static void leave(void *opened)
{
	(void)opened;
}

static const struct life lives[] = {
	{ "vperfctr_open()", open_own, close_own, false },
	{ "gperfctr_open()", open_global, close_global, false },
	{ "a set on a thread", open_thread, close_set, false },
	{ "a set on a process", open_process, close_set, false },
	{ "a set on a family", open_family, close_set, false },
	{ "a set of what there is", open_partly, close_set, false },
	{ "a set in a cgroup", open_cgroup, close_set, true },
	{ "a sampler of a thread", open_sampler, close_sampler, false },
	{ "a sampler of a process", open_samplers, close_sampler, false },
	{ "a list", open_list, close_list, false },
	{ "metrics", open_metrics, close_metrics, false },
	{ "regions", open_regions, close_regions, false },
	{ "a report of regions", report, leave, false },
	{ "all events", list_all, leave, false },
	{ "the doctor", ask_doctor, leave, false },
	{ "perfctr_get_info()", get_info, leave, false },
};

/* With so many descriptors left it is opened, or fails. Whether it was opened. */
static bool live(const struct life *life, unsigned int left)
{
	unsigned int before = open_files();
	int lowest = dup(0), error;
	struct rlimit limit, few;
	void *opened;

	close(lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	few.rlim_cur = (rlim_t)lowest + left;
	setrlimit(RLIMIT_NOFILE, &few);
	spoils = true;
	errno = KEPT;
	opened = life->open();
	error = errno;
	spoils = false;
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_msg(opened ? error == KEPT : error && error != KEPT && error != SPOILED,
		      "%s, %u left: errno is %d", life->name, left, error);
	spoils = true;
	errno = KEPT;
	if (opened)
		life->close(opened);
	error = errno;
	spoils = false;
	ck_assert_msg(error == KEPT, "%s, closed: errno is %d", life->name, error);
	ck_assert_msg(open_files() == before, "%s, %u left: %u descriptors, not %u", life->name,
		      left, open_files(), before);
	return opened;
}

/* Whatever runs out, and when, nothing stays open, and errno is that of a failure only. */
START_TEST(any_number_of_descriptors)
{
	unsigned int i, left;

	for (i = 0; i < ARRAY_SIZE(lives); i++) {
		for (left = 0; left < 12; left++)
			live(&lives[i], left);
		ck_assert_msg(live(&lives[i], 1000) || lives[i].may_fail, "%s: %s", lives[i].name,
			      perfctr_error());
	}
}
END_TEST

/* ---- files that are not what they should be ---- */

/* A directory of events with such an entry. */
static void give_events(const char *directory, const char *name, bool is_pipe)
{
	char path[1100];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (is_pipe)
		ck_assert_int_eq(mkfifo(path, 0600), 0);
	else
		ck_assert_int_eq(mkdir(path, 0700), 0);
}

/* A tracefs that does not have it, and vendors' files that are none. */
START_TEST(descriptors_of_strange_files)
{
	char directory[4096];
	unsigned int before, i;

	root_make();
	root_line("software/type", "1");
	root_line("/sys/kernel/tracing/events/sched/sched_switch/id", "316");
	root_line("/sys/kernel/tracing/events/sched/bad/id", "-7");
	snprintf(directory, sizeof(directory), "%s", root_path("/events/none"));
	*strrchr(directory, '/') = '\0';
	give_events(directory, "pipe.json", true);
	give_events(directory, "directory.json", false);
	setenv("PERFCTR_EVENTS", directory, 1);
	for (i = 0; i < 3; i++) {
		FAILS(perfctr_event_check("sched:sched_none") == 0);
		FAILS(perfctr_event_check("sched:bad") == 0);
		FAILS(perfctr_event_check("none:none") == 0);
		FAILS(perfctr_event_check("NO_SUCH.EVENT") == 0);
		SUCCEEDS(perfctr_event_check("cs") == 0);
	}
	SUCCEEDS(perfctr_event_check("sched:sched_switch") == 0);
	if (perfctr_cpu_event_list(NULL, count, &counted) == 0) /* the processor has a table */
		SUCCEEDS(perfctr_cpu_event_list(NULL, count, &counted) == 0);
	unsetenv("PERFCTR_EVENTS");
	root_remove();
	/* The second place of tracefs, which is looked at after the first. */
	root_make();
	root_line("software/type", "1");
	root_line("/sys/kernel/debug/tracing/events/sched/sched_switch/id", "316");
	SUCCEEDS(perfctr_event_check("sched:sched_switch") == 0);
	root_remove();
}
END_TEST

/* ---- a process that /proc tells little of ---- */

/* The directory of its threads, one, whose files are empty. */
static void make_process(pid_t pid)
{
	char path[96];

	root_make();
	root_line("software/type", "1");
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)pid);
	root_file(path, "", 0);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)pid, (int)pid);
	root_file(path, "", 0);
}

START_TEST(descriptors_of_strange_processes)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS };
	unsigned int before;
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	target.id = pid;
	make_process(pid);
	before = open_files();
	set = perfctr_set_open("page-faults:u", &target, 0);
	perfctr_set_close(set);
	ck_assert_uint_eq(open_files(), before);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* Nor of one that there is none of any more. */
	FAILS(perfctr_set_open("page-faults:u", &target, 0));
	root_remove();
	root_make();
	FAILS(perfctr_set_open("page-faults:u", &target, 0));
	root_remove();
}
END_TEST

/* One that is another user's is there, whatever kill(2) says. */
START_TEST(nobodys_processes)
{
	static const struct perfctr_target init = { .type = PERFCTR_TARGET_PROCESS, .id = 1 };
	int status = -1;
	pid_t pid;

	root_make();
	ck_assert_int_eq(chmod(root, 0755), 0);
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(0);
		set = perfctr_set_open("page-faults:u", &init, 0);
		_exit(set || errno != ENOENT || !strstr(perfctr_error(), "mount /proc"));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	root_remove();
}
END_TEST

/* ---- regions that can't be measured ---- */

PERFCTR_REGION(late, "late");

/* A thread that gets no counters, or a region that gets no place, is no error of the program's. */
static void *visit(void *arg)
{
	errno = KEPT;
	perfctr_region_begin(arg);
	perfctr_region_end(arg);
	ck_assert_int_eq(errno, KEPT);
	return NULL;
}

static void report_has(const char *words)
{
	static char json[1 << 16];
	char name[] = "kept.XXXXXX";
	int fd = mkstemp(name);
	ssize_t n;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(perfctr_regions_report(name, PERFCTR_REGIONS_JSON), 0);
	close(fd);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = read(fd, json, sizeof(json) - 1);
	ck_assert_int_gt(n, 0);
	json[n] = '\0';
	close(fd);
	unlink(name);
	ck_assert_msg(strstr(json, words) != NULL, "%s has no %s", json, words);
}

START_TEST(errno_of_regions)
{
	struct rlimit limit, few;
	pthread_t thread;
	char name[32];
	unsigned int i;

	ck_assert_int_eq(perfctr_regions_start("page-faults:u", 0), 0);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	few.rlim_cur = 3;
	setrlimit(RLIMIT_NOFILE, &few);
	ck_assert_int_eq(pthread_create(&thread, NULL, visit, &region), 0);
	pthread_join(thread, NULL);
	setrlimit(RLIMIT_NOFILE, &limit);
	report_has("\"threads_left_out\":1,");
	errno = 0;
	for (i = 0; errno != ENOSPC && i < 100000; i++) {
		snprintf(name, sizeof(name), "region %u", i);
		perfctr_region_by_name(name);
	}
	ck_assert_int_eq(errno, ENOSPC);
	visit(&late);
	report_has("\"visits_without_region\":1,\"children_left_out\":0}");
	/* What begins again has none of it. */
	ck_assert_int_eq(perfctr_regions_stop(), 0);
	ck_assert_int_eq(perfctr_regions_start("page-faults:u", 0), 0);
	report_has(
		"\"threads_left_out\":0,\"threads_stale\":0,\"visits_without_region\":0,\"children_left_out\":0}");
	ck_assert_int_eq(perfctr_regions_stop(), 0);
}
END_TEST

UNIT_MAIN("kept", 200, errno_of_success, descriptors_of_failures, any_number_of_descriptors,
	  descriptors_of_strange_files, descriptors_of_strange_processes, nobodys_processes,
	  errno_of_regions)
