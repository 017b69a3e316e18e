// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What calls leave alone: errno if they succeed, and descriptors if they fail. A table of the
 * public calls that need no PMU.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "perfctr/regions.h"
#include "tests/harness/check.h"

#define KEPT 77

static unsigned int open_files(void)
{
	DIR *files = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(files))
		n++;
	closedir(files);
	return n;
}

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

static unsigned int counted;

/* Each succeeds, in this order. */
#define SUCCEEDS(call)                                                         \
	do {                                                                   \
		errno = KEPT;                                                  \
		ck_assert_msg((call), "%s: %s", #call, perfctr_error());       \
		ck_assert_msg(errno == KEPT, "%s: errno is %d", #call, errno); \
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
	DOES(perfctr_sampler_close(sampler));
	SUCCEEDS((list = perfctr_list_resolve("cs,task-clock", 0)) != NULL);
	SUCCEEDS(perfctr_list_event(list, 0, &event) == 0);
	DOES(perfctr_list_free(list));
	SUCCEEDS((metrics = perfctr_metrics_open("ipc", "skylake")) != NULL);
	SUCCEEDS(perfctr_metrics_events(metrics, NULL) != NULL);
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
		before = open_files();                                                     \
		errno = 0;                                                                 \
		ck_assert_msg(!(call), "%s", #call);                                       \
		ck_assert_msg(errno != 0, "%s: errno is 0", #call);                        \
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

UNIT_MAIN("kept", 60, errno_of_success, descriptors_of_failures)
