// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samplers on the made-up PMU: each sample, and each that was lost. */
#include <linux/perf_event.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "arch/cpu.h"
#include "lib/isa/native.h"
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "libperfctr.h"
#include "tests/harness/pmu.h"
#include "tests/harness/root.h"
#include "tests/harness/check.h"

static struct perfctr_sampler *open_sampler(const char *events, uint64_t fields)
{
	struct perfctr_sampler_config config = {
		.period = 1,
		.fields = fields,
		.pages = 1,
		.flags = PERFCTR_DISABLED,
	};
	struct perfctr_sampler *sampler = perfctr_sampler_open(events, NULL, &config);

	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	return sampler;
}

/* How many samples are in the buffer; the counts of the last one. */
static uint64_t drain(struct perfctr_sampler *sampler, uint64_t counts[2])
{
	const struct perfctr_record *record;
	uint64_t n = 0;
	int result;

	while ((result = perfctr_sampler_next(sampler, &record)) > 0) {
		if (record->type != PERF_RECORD_SAMPLE)
			continue;
		n++;
		if (counts && record->as.sample.counts.n == 2)
			memcpy(counts, record->as.sample.counts.values, 2 * sizeof(*counts));
	}
	ck_assert_int_eq(result, 0);
	return n;
}

/* The counts of one event, or of two of which the other one happens three times as often. */
static void check_counts(struct perfctr_sampler *sampler, uint64_t expected, bool two)
{
	uint64_t count = 7;

	ck_assert_int_eq(perfctr_sampler_count(sampler, 0, &count), 0);
	ck_assert_uint_eq(count, expected);
	if (two) {
		ck_assert_int_eq(perfctr_sampler_count(sampler, 1, &count), 0);
		ck_assert_uint_eq(count, 3 * expected);
	}
	ck_fails(perfctr_sampler_count(sampler, 1 + two, &count), EINVAL, "from 0 on");
	ck_assert_uint_eq(count, two ? 3 * expected : expected);
}

/* What was read and what was lost is what happened. */
static void nothing_is_missing(const char *events, uint64_t fields, bool kernel_tells)
{
	struct perfctr_sampler *sampler;
	uint64_t seen, lost = 7, counts[2];

	pmu_begin();
	pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 3);
	/* Before Linux 6.0 the kernel refuses to be asked. */
	if (!kernel_tells)
		pmu_fail(PMU_OPEN, 1, EINVAL);
	sampler = open_sampler(events, fields);
	ck_assert_int_eq(perfctr_sampler_lost(sampler, &lost), 0);
	ck_assert_uint_eq(lost, 0);
	ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
	pmu_count(10);
	ck_assert_uint_eq(drain(sampler, counts), 10);
	if (fields & PERF_SAMPLE_READ) {
		ck_assert_uint_eq(counts[0], 10);
		ck_assert_uint_eq(counts[1], 30);
	}
	ck_assert_int_eq(perfctr_sampler_lost(sampler, &lost), 0);
	ck_assert_uint_eq(lost, 0);
	pmu_count(10000);
	if (kernel_tells) {
		ck_assert_int_eq(perfctr_sampler_lost(sampler, &lost), 0);
		seen = drain(sampler, NULL);
		ck_assert_uint_gt(seen, 50);
		ck_assert_uint_eq(seen + lost, 10000);
	} else {
		/* A record tells, once there is room again. */
		seen = drain(sampler, NULL);
		pmu_count(1);
		ck_assert_uint_eq(drain(sampler, NULL), 1);
		ck_assert_int_eq(perfctr_sampler_lost(sampler, &lost), 0);
		ck_assert_uint_eq(seen + lost, 10000);
	}
	check_counts(sampler, 10010 + !kernel_tells, fields & PERF_SAMPLE_READ);
	perfctr_sampler_close(sampler);
	pmu_end();
}

START_TEST(lost_samples)
{
	nothing_is_missing("instructions", PERF_SAMPLE_TIME, true);
	nothing_is_missing("instructions", PERF_SAMPLE_TIME, false);
	nothing_is_missing("{instructions,cycles}", PERF_SAMPLE_READ, true);
	nothing_is_missing("{instructions,cycles}", PERF_SAMPLE_READ, false);
}
END_TEST

/* Samples that never became records (PERF_RECORD_LOST_SAMPLES) are lost, too, whoever tells the
 * rest. */
START_TEST(samples_that_were_none)
{
	const uint64_t words[] = { 7, 1000 }; /* how many, and the time */
	struct perfctr_sampler *sampler;
	uint64_t lost = 0;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		pmu_begin();
		if (i)
			pmu_fail(PMU_OPEN, 1, EINVAL);
		sampler = open_sampler("instructions", PERF_SAMPLE_TIME);
		ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
		pmu_record(perfctr_sampler_fd(sampler), PERF_RECORD_LOST_SAMPLES, words, 2);
		pmu_record(perfctr_sampler_fd(sampler), PERF_RECORD_LOST_SAMPLES, words, 2);
		ck_assert_uint_eq(drain(sampler, NULL), 0);
		ck_assert_int_eq(perfctr_sampler_lost(sampler, &lost), 0);
		ck_assert_uint_eq(lost, 14);
		perfctr_sampler_close(sampler);
		pmu_end();
	}
}
END_TEST

START_TEST(periods_and_refreshes)
{
	struct perfctr_sampler *sampler;
	uint64_t counts[2];

	pmu_begin();
	sampler = open_sampler("{instructions,cycles}", PERF_SAMPLE_READ);
	/* Nothing before it is enabled, nothing after it is disabled. */
	pmu_count(5);
	ck_assert_uint_eq(drain(sampler, NULL), 0);
	ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
	pmu_count(4);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	pmu_count(5);
	ck_assert_uint_eq(drain(sampler, counts), 4);
	ck_assert_uint_eq(counts[0], 4);
	ck_assert_uint_eq(counts[1], 4);
	/* Two samples, and it stops. */
	ck_assert_int_eq(perfctr_sampler_refresh(sampler, 2), 0);
	pmu_count(10);
	ck_assert_uint_eq(drain(sampler, counts), 2);
	ck_assert_uint_eq(counts[0], 6);
	perfctr_sampler_close(sampler);
	pmu_end();
}
END_TEST

/* A program without standard input: the first event's descriptor is 0. */
START_TEST(descriptor_0)
{
	struct perfctr_sampler *sampler;
	int in = dup(0);

	pmu_begin();
	close(0);
	sampler = open_sampler("instructions", PERF_SAMPLE_TIME);
	ck_assert_int_eq(perfctr_sampler_fd(sampler), 0);
	ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
	pmu_count(3);
	ck_assert_uint_eq(drain(sampler, NULL), 3);
	perfctr_sampler_close(sampler);
	dup2(in, 0);
	close(in);
	pmu_end();
}
END_TEST

/* A period's ioctl has no result: what becomes of it is seen. */
START_TEST(periods)
{
	struct perfctr_sampler *sampler;
	unsigned int i;

	pmu_begin();
	sampler = open_sampler("instructions", PERF_SAMPLE_TIME);
	ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
	for (i = 1; i < 5; i++) {
		ck_assert_int_eq(perfctr_sampler_set_period(sampler, i), 0);
		pmu_count(5);
		drain(sampler, NULL);
		pmu_count(12 * i);
		ck_assert_uint_eq(drain(sampler, NULL), 12);
	}
	ck_fails(perfctr_sampler_set_period(sampler, 0), EINVAL, "from 1 to 2^63 - 1");
	ck_fails(perfctr_sampler_set_period(sampler, (uint64_t)INT64_MAX + 1), EINVAL,
		 "from 1 to 2^63 - 1");
	perfctr_sampler_close(sampler);
	pmu_end();
}
END_TEST

static void period_is(struct perfctr_sampler *sampler, uint64_t frequency, uint64_t period)
{
	unsigned int i;

	ck_assert_int_eq(perfctr_sampler_set_period(sampler, frequency), 0);
	for (i = 0; i < 2; i++) {
		pmu_count(period - 1);
		ck_assert_uint_eq(drain(sampler, NULL), 0);
		pmu_count(1);
		ck_assert_uint_eq(drain(sampler, NULL), 1);
	}
}

/* The kernel takes the frequency of a clock as its period, and only that. */
START_TEST(frequencies)
{
	struct perfctr_sampler_config config = { .frequency = 1000, .fields = PERF_SAMPLE_TIME };
	struct perfctr_sampler *sampler;

	pmu_begin();
	sampler = perfctr_sampler_open("instructions:u", NULL, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	period_is(sampler, 500, 500);
	perfctr_sampler_close(sampler);
	/* It counts when it is told to. */
	pmu_rate(PERF_COUNT_SW_CPU_CLOCK, 1);
	pmu_rate(PERF_COUNT_SW_TASK_CLOCK, 1);
	pmu_rate(PERF_COUNT_SW_PAGE_FAULTS, 1);
	sampler = perfctr_sampler_open("cpu-clock:u", NULL, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	period_is(sampler, 1, 1000000000);
	period_is(sampler, 7, 142857142);
	perfctr_sampler_close(sampler);
	sampler = perfctr_sampler_open("task-clock:u", NULL, &config);
	period_is(sampler, 8, 125000000);
	perfctr_sampler_close(sampler);
	sampler = perfctr_sampler_open("page-faults:u", NULL, &config);
	period_is(sampler, 8, 8);
	perfctr_sampler_close(sampler);
	config = (struct perfctr_sampler_config){ .period = 20000, .fields = PERF_SAMPLE_TIME };
	sampler = perfctr_sampler_open("cpu-clock:u", NULL, &config);
	period_is(sampler, 30000, 30000);
	perfctr_sampler_close(sampler);
	pmu_end();
}
END_TEST

/* The most that the kernel allows is allowed; without its file, whatever a clock can do. */
START_TEST(most_frequent)
{
	struct perfctr_sampler_config config = { .frequency = 1000, .fields = PERF_SAMPLE_TIME };
	struct perfctr_sampler *sampler;

	pmu_begin();
	root_make();
	sampler = perfctr_sampler_open("cpu-clock:u", NULL, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	ck_assert_int_eq(perfctr_sampler_set_period(sampler, 100000), 0);
	ck_fails(perfctr_sampler_set_period(sampler, 100001), EINVAL, "at most every 10000 ns");
	ck_fails(perfctr_sampler_set_period(sampler, 1000000001), EINVAL, "max_sample_rate");
	root_line("/proc/sys/kernel/perf_event_max_sample_rate", "5000");
	ck_assert_int_eq(perfctr_sampler_set_period(sampler, 5000), 0);
	ck_fails(perfctr_sampler_set_period(sampler, 5001), EINVAL, "max_sample_rate");
	ck_fails(perfctr_sampler_set_period(sampler, 0), EINVAL, "max_sample_rate");
	perfctr_sampler_close(sampler);
	root_remove();
	pmu_end();
}
END_TEST

/* The kernel would make 10000 of a shorter period of a clock. Other events have such periods. */
START_TEST(clocks)
{
	static const char *const events[] = { "cpu-clock:u", "task-clock:u" };
	struct perfctr_sampler_config config = { .period = 10000 }, often = { .frequency = 100000 };
	struct perfctr_sampler *sampler;
	size_t i;

	pmu_begin();
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		config.period = 9999;
		ck_fails_null(perfctr_sampler_open(events[i], NULL, &config), EINVAL,
			      "a period of 10000 or more, or a frequency of 100000 or less");
		config.period = 10000;
		sampler = perfctr_sampler_open(events[i], NULL, &config);
		ck_assert_msg(sampler != NULL, "%s", perfctr_error());
		ck_fails(perfctr_sampler_set_period(sampler, 9999), EINVAL, "10000 or more");
		ck_fails(perfctr_sampler_set_period(sampler, 0), EINVAL, "from 1 to 2^63 - 1");
		ck_assert_int_eq(perfctr_sampler_set_period(sampler, 10000), 0);
		perfctr_sampler_close(sampler);
		often.frequency = 100000;
		sampler = perfctr_sampler_open(events[i], NULL, &often);
		ck_assert_msg(sampler != NULL, "%s", perfctr_error());
		perfctr_sampler_close(sampler);
		often.frequency = 100001;
		ck_fails_null(perfctr_sampler_open(events[i], NULL, &often), EINVAL,
			      "100000 or less");
	}
	ck_fails_null(perfctr_sampler_open("cpu-clock/period=9999/u", NULL, &config), EINVAL,
		      "10000 or more");
	config.period = 1;
	sampler = perfctr_sampler_open("page-faults:u", NULL, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	perfctr_sampler_close(sampler);
	pmu_end();
}
END_TEST

/* A config becomes this attr, and nothing else. */
START_TEST(what_the_kernel_is_asked)
{
	static const struct {
		struct perfctr_sampler_config config;
		struct perf_event_attr attr;
		int cpu;
	} all[] = {
/* What Linux 7 calls defer_callchain and defer_output. */
#ifdef PERF_ATTR_SIZE_VER9
#define DEFERRED .defer_callchain = 1, .defer_output = 1
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define DEFERRED .__reserved_1 = 3
#else
#define DEFERRED .__reserved_1 = 3 << 24
#endif

#define PLAIN		  .fields = PERF_SAMPLE_TIME, .period = 5
#define ASKED		  .sample_type = PERF_SAMPLE_TIME, .sample_period = 5
#define PLAIN_WITH(field) .fields = (field), .period = 5
#define ASKED_WITH(field) .sample_type = (field), .sample_period = 5
		{ { PLAIN }, { ASKED }, -1 },
		{ { .period = INT64_MAX }, { .sample_period = INT64_MAX }, -1 },
		{ { .frequency = 1000 }, { .freq = 1, .sample_freq = 1000 }, -1 },
		{ { PLAIN, .flags = PERFCTR_MULTIPLEX }, { ASKED }, -1 },
		{ { PLAIN, .flags = PERFCTR_ON_EXEC }, { ASKED, .enable_on_exec = 1 }, -1 },
		{ { PLAIN, .flags = PERFCTR_DISABLED }, { ASKED }, -1 },
		{ { PLAIN, .flags = PERFCTR_INHERIT }, { ASKED, .inherit = 1 }, 0 },
		{ { PLAIN, .flags = PERFCTR_SAMPLER_MMAP }, { ASKED, .mmap = 1, .mmap2 = 1 }, -1 },
		{ { PLAIN, .flags = PERFCTR_SAMPLER_MMAP_DATA },
		  { ASKED, .mmap_data = 1, .mmap2 = 1 },
		  -1 },
		{ { PLAIN, .flags = PERFCTR_SAMPLER_MMAP | PERFCTR_SAMPLER_BUILD_ID },
		  { ASKED, .mmap = 1, .mmap2 = 1, .build_id = 1 },
		  -1 },
		{ { PLAIN, .flags = PERFCTR_SAMPLER_COMM },
		  { ASKED, .comm = 1, .comm_exec = 1 },
		  -1 },
		{ { PLAIN, .flags = PERFCTR_SAMPLER_TASK }, { ASKED, .task = 1 }, -1 },
		{ { PLAIN, .flags = PERFCTR_SAMPLER_SWITCH }, { ASKED, .context_switch = 1 }, -1 },
		{ { PLAIN, .flags = PERFCTR_SAMPLER_NAMESPACES }, { ASKED, .namespaces = 1 }, -1 },
		{ { PLAIN, .flags = PERFCTR_SAMPLER_CGROUP }, { ASKED, .cgroup = 1 }, -1 },
		{ { PLAIN, .flags = PERFCTR_SAMPLER_KERNEL_TEXT },
		  { ASKED, .ksymbol = 1, .bpf_event = 1, .text_poke = 1 },
		  -1 },
		{ { PLAIN, .flags = PERFCTR_SAMPLER_OVERWRITE },
		  { ASKED, .write_backward = 1 },
		  -1 },
		{ { PLAIN_WITH(PERF_SAMPLE_CALLCHAIN), .max_chain = UINT16_MAX,
		    .flags = PERFCTR_SAMPLER_NO_KERNEL_CHAIN },
		  { ASKED_WITH(PERF_SAMPLE_CALLCHAIN), .sample_max_stack = UINT16_MAX,
		    .exclude_callchain_kernel = 1 },
		  -1 },
		{ { PLAIN_WITH(PERF_SAMPLE_CALLCHAIN), .flags = PERFCTR_SAMPLER_NO_USER_CHAIN },
		  { ASKED_WITH(PERF_SAMPLE_CALLCHAIN), .exclude_callchain_user = 1 },
		  -1 },
		{ { PLAIN_WITH(PERF_SAMPLE_CALLCHAIN), .flags = PERFCTR_SAMPLER_DEFER_USER_CHAIN },
		  { ASKED_WITH(PERF_SAMPLE_CALLCHAIN), DEFERRED },
		  -1 },
		{ { PLAIN, .precise = 3 }, { ASKED, .precise_ip = 3 }, -1 },
		{ { PLAIN, .wakeup_samples = 3 }, { ASKED, .wakeup_events = 3 }, -1 },
		{ { PLAIN, .pages = 1, .wakeup_bytes = 2048 },
		  { ASKED, .watermark = 1, .wakeup_watermark = 2048 },
		  -1 },
		{ { PLAIN_WITH(PERF_SAMPLE_BRANCH_STACK), .branches = 1 << 19 },
		  { ASKED_WITH(PERF_SAMPLE_BRANCH_STACK), .branch_sample_type = 1 << 19 },
		  -1 },
		{ { PLAIN_WITH(PERF_SAMPLE_REGS_USER), .user_registers = 9 },
		  { ASKED_WITH(PERF_SAMPLE_REGS_USER), .sample_regs_user = 9 },
		  -1 },
		{ { PLAIN_WITH(PERF_SAMPLE_REGS_INTR), .interrupt_registers = 10 },
		  { ASKED_WITH(PERF_SAMPLE_REGS_INTR), .sample_regs_intr = 10 },
		  -1 },
		{ { PLAIN_WITH(PERF_SAMPLE_STACK_USER), .user_stack = 65528 },
		  { ASKED_WITH(PERF_SAMPLE_STACK_USER), .sample_stack_user = 65528 },
		  -1 },
		{ { PLAIN_WITH(PERF_SAMPLE_WEIGHT_STRUCT) },
		  { ASKED_WITH(PERF_SAMPLE_WEIGHT_STRUCT) },
		  -1 },
	};
	const struct perfctr_target here = { .type = PERFCTR_TARGET_THREAD_ON_CPU };
	struct perf_event_attr expected;
	unsigned int i;

	pmu_begin();
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		memset(&pmu_asked, 0, sizeof(pmu_asked));
		pmu_fail(PMU_OPEN, 1, EMFILE);
		ck_fails_null(perfctr_sampler_open("instructions:u", all[i].cpu < 0 ? NULL : &here,
						   &all[i].config),
			      EMFILE, "ulimit -n");
		expected = all[i].attr;
		expected.size = sizeof(expected);
		expected.type = PERF_TYPE_HARDWARE;
		expected.config = PERF_COUNT_HW_INSTRUCTIONS;
		expected.exclude_kernel = expected.exclude_hv = 1;
		/* AMD's precise samples are those of a PMU that does not know guests. */
		expected.exclude_guest = !expected.precise_ip ||
					 perfctr_this_cpu()->rules != PERFCTR_RULES_K7;
		expected.disabled = expected.sample_id_all = 1;
		expected.pinned = !(all[i].config.flags & PERFCTR_MULTIPLEX);
		expected.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING | PERFCTR_FORMAT_LOST;
		ck_assert_msg(!memcmp(&pmu_asked, &expected, sizeof(expected)), "config %u", i);
	}
	/* What the event's name asks for is the least. */
	pmu_fail(PMU_OPEN, 1, EMFILE);
	ck_fails_null(perfctr_sampler_open("instructions:upp", NULL,
					   &(struct perfctr_sampler_config){ PLAIN, .precise = 1 }),
		      EMFILE, "ulimit");
	ck_assert_uint_eq(pmu_asked.precise_ip, 2);
	pmu_fail(PMU_OPEN, 1, EMFILE);
	ck_fails_null(perfctr_sampler_open("instructions:up", NULL,
					   &(struct perfctr_sampler_config){ PLAIN, .precise = 2 }),
		      EMFILE, "ulimit");
	ck_assert_uint_eq(pmu_asked.precise_ip, 2);
	/* The others are counted only, and are on from the start. */
	pmu_fail(PMU_OPEN, 2, EMFILE);
	ck_fails_null(perfctr_sampler_open("{instructions:u,cycles:u}", NULL,
					   &(struct perfctr_sampler_config){
						   PLAIN_WITH(PERF_SAMPLE_READ), .flags = 0 }),
		      EMFILE, "ulimit");
	memset(&expected, 0, sizeof(expected));
	expected.size = sizeof(expected);
	expected.type = PERF_TYPE_HARDWARE;
	expected.exclude_kernel = expected.exclude_hv = expected.exclude_guest = 1;
	expected.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_GROUP;
	ck_assert(!memcmp(&pmu_asked, &expected, sizeof(expected)));
	ck_assert_uint_eq(pmu_events(), 0);
	pmu_end();
}
END_TEST

/* What a config can't be, one beyond what it can. */
/* What an event's name says of its samples counts more than the config. */
START_TEST(asked_by_name)
{
	static const struct {
		const char *event;
		struct perfctr_sampler_config config;
		uint64_t period;
		unsigned int freq, precise;
	} all[] = {
		{ "instructions/period=77/u", { .period = 5 }, 77, 0, 0 },
		{ "instructions/freq=99/u", { .period = 5 }, 99, 1, 0 },
		{ "instructions/period=77/u", { .frequency = 5 }, 77, 0, 0 },
		{ "instructions/period=77,name=x/u", { .period = 0 }, 77, 0, 0 },
		{ "instructions:uP", { .period = 5 }, 5, 0, 3 },
		{ "{instructions/freq=9/,cycles}:Su", { .fields = PERF_SAMPLE_READ }, 9, 1, 0 },
	};
	size_t i;

	pmu_begin();
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		memset(&pmu_asked, 0, sizeof(pmu_asked));
		pmu_fail(PMU_OPEN, 1, EMFILE);
		ck_fails_null(perfctr_sampler_open(all[i].event, NULL, &all[i].config), EMFILE,
			      "ulimit -n");
		ck_assert_uint_eq(pmu_asked.sample_period, all[i].period);
		ck_assert_uint_eq(pmu_asked.freq, all[i].freq);
		ck_assert_uint_eq(pmu_asked.precise_ip, all[i].precise);
		ck_assert(!pmu_asked.pinned || !pmu_asked.exclusive);
	}
	ck_assert_uint_eq(pmu_events(), 0);
	pmu_end();
}
END_TEST

/* The modifier P takes the most precise samples that there are; no other reason ends the search. */
START_TEST(most_precise)
{
	struct perfctr_sampler_config config = { .period = 5, .pages = 1 };
	struct perfctr_sampler *sampler;

	pmu_begin();
	for (pmu.precise = 0; pmu.precise <= 3; pmu.precise++) {
		sampler = perfctr_sampler_open("instructions:uP", NULL, &config);
		ck_assert_msg(sampler != NULL, "%s", perfctr_error());
		ck_assert_uint_eq(pmu_asked.precise_ip, pmu.precise);
		ck_assert_uint_eq(pmu_asked.sample_period, 5);
		perfctr_sampler_close(sampler);
	}
	pmu.precise = 2;
	ck_fails_null(perfctr_sampler_open("instructions:uppp", NULL, &config), EOPNOTSUPP, "");
	ck_fails_null(perfctr_sampler_open("{instructions:u,cycles:uP}", NULL,
					   &(struct perfctr_sampler_config){
						   .period = 5,
						   .fields = PERF_SAMPLE_READ,
					   }),
		      EINVAL, "leave the modifiers p and P, period= and freq= out");
	ck_fails_null(perfctr_sampler_open("{instructions:u,cycles/period=4/u}", NULL,
					   &(struct perfctr_sampler_config){
						   .period = 5,
						   .fields = PERF_SAMPLE_READ,
					   }),
		      EINVAL, "leave the modifiers p and P, period= and freq= out");
	/* An AUX area is no place for samples, and several PMUs are none for a sampler. */
	config.aux_pages = 1;
	ck_fails_null(perfctr_sampler_open("instructions/freq=9/u", NULL, &config), EINVAL,
		      "frequency is of samples");
	config.aux_pages = 0;
	root_make();
	root_line("uncore_a_0/type", "70");
	root_line("uncore_a_0/format/event", "config:0-7");
	root_line("uncore_a_0/cpumask", "0");
	root_line("uncore_a_1/cpumask", "0");
	root_line("uncore_a_1/type", "71");
	root_line("uncore_a_1/format/event", "config:0-7");
	ck_fails_null(perfctr_sampler_open("a/event=1/", NULL, &config), EINVAL,
		      "name one of the units that a/event=1/ stands for, such as uncore_a_0");
	ck_fails_null(perfctr_sampler_open("{page-faults,a/event=1/}", NULL, &config), EINVAL,
		      "name one of the units that a/event=1/ stands for, such as uncore_a_0");
	root_remove();
	unsetenv("PERFCTR_ROOT");
	ck_assert_uint_eq(pmu_events(), 0);
	pmu_end();
}
END_TEST

/* An event that counts in precise sampling only is sampled by its name, and by no other means. */
START_TEST(precise_only)
{
#if defined(__x86_64__) || defined(__i386__)
	static const char events[] = "[{\"EventName\":\"LATENCY\",\"EventCode\":\"0xcd\","
				     "\"UMask\":\"1\",\"MSRIndex\":\"0x3f6\",\"MSRValue\":\"8\"}]";
	struct perfctr_sampler_config config = { .period = 5, .pages = 1 };
	char directory[] = "/tmp/sampler.XXXXXX", name[64];
	struct perfctr_sampler *sampler;
	FILE *file;

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(name, sizeof(name), "%s/events.json", directory);
	file = fopen(name, "w");
	ck_assert_ptr_nonnull(file);
	fputs(events, file);
	fclose(file);
	setenv("PERFCTR_EVENTS", directory, 1);
	pmu_begin();
	pmu.precise = 3;
	sampler = perfctr_sampler_open("LATENCY:upp", NULL, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_asked.config, 0x1CD);
	ck_assert_uint_eq(pmu_asked.config1, 8);
	ck_assert_uint_eq(pmu_asked.precise_ip, 2);
	perfctr_sampler_close(sampler);
	ck_fails_null(perfctr_sampler_open("LATENCY:u", NULL, &config), EOPNOTSUPP,
		      "counts only in precise sampling");
	ck_fails_null(perfctr_set_open("LATENCY:u", NULL, 0), EOPNOTSUPP,
		      "counts only in precise sampling");
	ck_assert_uint_eq(pmu_events(), 0);
	pmu_end();
	unsetenv("PERFCTR_EVENTS");
	unlink(name);
	rmdir(directory);
#endif
}
END_TEST

START_TEST(limits)
{
	static const struct perfctr_sampler_config all[] = {
		{ PLAIN, .frequency = 1 },
		{ .fields = PERF_SAMPLE_TIME },
		{ .period = (uint64_t)INT64_MAX + 1 },
		{ PLAIN_WITH(PERF_SAMPLE_WEIGHT_STRUCT * 2) },
		{ PLAIN_WITH(PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT) },
		{ PLAIN, .wakeup_samples = 1, .wakeup_bytes = 1 },
		{ PLAIN, .pages = 1u << 31 },
		{ PLAIN, .pages = 3 },
		{ PLAIN, .precise = 4 },
		{ PLAIN, .signal = _NSIG },
		{ PLAIN, .signal = -1 },
		{ PLAIN, .branches = 1 },
		{ PLAIN_WITH(PERF_SAMPLE_BRANCH_STACK) },
		{ PLAIN_WITH(PERF_SAMPLE_BRANCH_STACK), .branches = 1 << 20 },
		{ PLAIN, .user_registers = 1 },
		{ PLAIN_WITH(PERF_SAMPLE_REGS_USER) },
		{ PLAIN, .interrupt_registers = 1 },
		{ PLAIN_WITH(PERF_SAMPLE_REGS_INTR) },
		{ PLAIN, .user_stack = 8 },
		{ PLAIN_WITH(PERF_SAMPLE_STACK_USER) },
		{ PLAIN_WITH(PERF_SAMPLE_STACK_USER), .user_stack = 65536 },
		{ PLAIN_WITH(PERF_SAMPLE_STACK_USER), .user_stack = 12 },
		{ PLAIN, .max_chain = 1 },
		{ PLAIN, .flags = PERFCTR_SAMPLER_NO_USER_CHAIN },
		{ PLAIN_WITH(PERF_SAMPLE_CALLCHAIN), .max_chain = UINT16_MAX + 1 },
		{ PLAIN, .flags = PERFCTR_EXCLUSIVE },
		{ PLAIN, .flags = PERFCTR_ON_EXEC | PERFCTR_DISABLED },
		{ PLAIN, .flags = PERFCTR_SAMPLER_BUILD_ID },
		{ PLAIN, .reserved = { [ARRAY_SIZE(all[0].reserved) - 1] = 1 } },
		{ PLAIN, .reserved = { 1 } },
	};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perfctr_sampler_config config = { PLAIN, .pages = 2 };
	unsigned int i;

	pmu_begin();
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		errno = 0;
		ck_assert_msg(!perfctr_sampler_open("instructions:u", NULL, &all[i]) &&
				      errno == EINVAL,
			      "config %u", i);
	}
	config.wakeup_bytes = (uint32_t)page + 1;
	ck_fails_null(perfctr_sampler_open("instructions:u", NULL, &config), EINVAL, "half");
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), 0);
	config.wakeup_bytes = (uint32_t)page;
	config.signal = _NSIG - 1;
	pmu_fail(PMU_OPEN, 1, EMFILE);
	ck_fails_null(perfctr_sampler_open("instructions:u", NULL, &config), EMFILE, "ulimit");
	/* A gigabyte, and no more. */
	config.wakeup_bytes = 0;
	config.pages = (uint32_t)(((size_t)1 << 31) / page);
	ck_fails_null(perfctr_sampler_open("instructions:u", NULL, &config), EINVAL, "pages");
	config.pages /= 2;
	pmu_fail(PMU_OPEN, 1, EMFILE);
	ck_fails_null(perfctr_sampler_open("instructions:u", NULL, &config), EMFILE, "ulimit");
	pmu_end();
}
END_TEST

/* ---- several buffers ---- */

static const struct perfctr_target own_process = { .type = PERFCTR_TARGET_PROCESS };
static const struct perfctr_target first_cpu = { .type = PERFCTR_TARGET_THREAD_ON_CPU };
static const struct perfctr_target all_cpus = { .type = PERFCTR_TARGET_CPU, .id = -1 };

/* A machine of two processors, or those of the list. */
static void begin_cpus(const char *online)
{
	pmu_begin();
	root_make();
	root_line("/sys/devices/system/cpu/online", online);
	root_link("/proc", "/proc");
}

static void end_cpus(struct perfctr_sampler *sampler)
{
	perfctr_sampler_close(sampler);
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}

static struct perfctr_sampler_config each(uint32_t flags)
{
	return (struct perfctr_sampler_config){
		.period = 1,
		.fields = PERF_SAMPLE_ID,
		.pages = 1,
		.flags = flags,
	};
}

static struct perfctr_sampler *open_on(const struct perfctr_target *target, uint32_t flags)
{
	struct perfctr_sampler_config config = each(flags);
	struct perfctr_sampler *sampler = perfctr_sampler_open("instructions", target, &config);

	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	return sampler;
}

/* A sample of a thread (0: this one) on a processor, after so many ns. */
static void happens(pid_t tid, int cpu, uint64_t ns)
{
	pmu_tick_of(tid, cpu, ns);
	pmu_run(tid, cpu, false, 1);
}

/* The next records have these times, then there are none. */
static void expect(struct perfctr_sampler *sampler, const uint64_t *times, unsigned int n)
{
	const struct perfctr_record *record;
	unsigned int i;

	for (i = 0; i < n; i++) {
		ck_assert_msg(perfctr_sampler_next(sampler, &record) == 1, "%u of %u: %s", i, n,
			      perfctr_error());
		ck_assert_uint_eq(record->type, PERF_RECORD_SAMPLE);
		ck_assert_uint_eq(record->time, times[i]);
	}
	ck_assert_int_eq(perfctr_sampler_next(sampler, &record), 0);
}
#define expect_times(sampler, ...)                         \
	do {                                               \
		const uint64_t times[] = { __VA_ARGS__ };  \
                                                           \
		expect(sampler, times, ARRAY_SIZE(times)); \
	} while (0)
#define expect_none(sampler) expect(sampler, NULL, 0)

/* Inherited events are on each processor; their records come by time, when all older are there. */
START_TEST(merged)
{
	struct perfctr_sampler *sampler;

	begin_cpus("0-1");
	sampler = open_on(NULL, PERFCTR_INHERIT);
	ck_assert_uint_eq(pmu_events(), 2);
	ck_assert_uint_eq(pmu_mappings(), 2);
	ck_assert_uint_eq(pmu_asked.sample_type, PERF_SAMPLE_ID | PERF_SAMPLE_TIME);
	ck_assert(pmu_asked.inherit && !pmu_asked.inherit_thread && pmu_asked.pinned);
	expect_none(sampler);
	happens(0, 0, 10);
	happens(0, 1, 5);
	happens(0, 1, 15);
	expect_none(sampler);
	happens(0, 0, 12);
	/* Older than what the first look found, but found now. */
	expect_times(sampler, 5, 10, 20);
	happens(0, 1, 10);
	expect_times(sampler, 22);
	/* What is stopped has no more to write. */
	happens(0, 0, 13);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	happens(0, 1, 100);
	expect_times(sampler, 30, 35);
	expect_none(sampler);
	ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
	happens(0, 1, 1);
	expect_none(sampler);
	expect_times(sampler, 131);
	perfctr_sampler_close(sampler);
	/* On one processor there is one. */
	sampler = open_on(&first_cpu, PERFCTR_INHERIT);
	ck_assert_uint_eq(pmu_events(), 1);
	end_cpus(sampler);
}
END_TEST

/* Numbers of processors have gaps, and words. */
START_TEST(a_processor_beyond)
{
	static const char *const online[] = { "32", "31,33", "0,64" };
	struct perfctr_sampler *sampler;
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(online); k++) {
		begin_cpus(online[k]);
		sampler = open_on(NULL, PERFCTR_INHERIT);
		ck_assert_uint_eq(pmu_events(), k ? 2 : 1);
		happens(0, k == 2 ? 64 : k ? 33 : 32, 5);
		ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
		expect_times(sampler, k ? 5 : 0);
		end_cpus(sampler);
	}
}
END_TEST

static void close_0(void)
{
	close(0);
}

/* The descriptor of all buffers is 0. */
START_TEST(descriptor_0_of_all)
{
	struct perfctr_sampler *sampler;
	unsigned int waits;
	int in = dup(0);

	begin_cpus("0-1");
	/* Events of processors end with nobody, and need no watch, which would take the number. */
	pmu_at(PMU_MMAP, 2, close_0);
	sampler = open_on(&all_cpus, 0);
	ck_assert_int_eq(perfctr_sampler_fd(sampler), 0);
	waits = pmu_calls(PMU_WAIT);
	expect_none(sampler);
	ck_assert_uint_eq(pmu_calls(PMU_WAIT), waits + 1);
	perfctr_sampler_close(sampler);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
	dup2(in, 0);
	close(in);
	end_cpus(NULL);
}
END_TEST

/* Stopped in the midst of reading: what is left comes, and what came meanwhile. */
START_TEST(stopped_while_reading)
{
	const struct perfctr_record *record;
	struct perfctr_sampler *sampler;

	begin_cpus("0-1");
	sampler = open_on(NULL, PERFCTR_INHERIT);
	happens(0, 0, 10);
	happens(0, 0, 10);
	happens(0, 1, 30);
	expect_none(sampler);
	ck_assert_int_eq(perfctr_sampler_next(sampler, &record), 1);
	ck_assert_uint_eq(record->time, 10);
	happens(0, 0, 20);
	happens(0, 1, 30);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	expect_times(sampler, 20, 30, 40, 60);
	end_cpus(sampler);
	/* It is no end of the next stop's records that those of one before are being read. */
	begin_cpus("0-1");
	sampler = open_on(NULL, PERFCTR_INHERIT);
	happens(0, 0, 10);
	happens(0, 1, 20);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	ck_assert_int_eq(perfctr_sampler_next(sampler, &record), 1);
	ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
	happens(0, 1, 10);
	happens(0, 0, 30);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	expect_times(sampler, 20, 30, 40);
	/* One that can't be refreshed is still stopped. */
	ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
	happens(0, 1, 20);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	ck_fails(perfctr_sampler_refresh(sampler, 2), EINVAL, "no common number");
	expect_times(sampler, 50);
	/* All that the thread has opened may go on by one call. */
	ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
	happens(0, 1, 10);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	ck_assert_int_eq(perfctr_enable_all(), 0);
	expect_none(sampler);
	expect_times(sampler, 60);
	/* A refresh starts it, too, where it is not inherited. */
	end_cpus(sampler);
	begin_cpus("0-1");
	sampler = open_on(&all_cpus, PERFCTR_DISABLED);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	ck_assert_int_eq(perfctr_sampler_refresh(sampler, 2), 0);
	happens(-1, 0, 1);
	happens(-1, 0, 1);
	happens(-1, 0, 1);
	happens(-1, 1, 5);
	expect_none(sampler);
	expect_times(sampler, 1, 2, 5);
	end_cpus(sampler);
}
END_TEST

static int note_time(void *arg, const struct perfctr_record *record)
{
	uint64_t **at = arg;

	*(*at)++ = record->time;
	return record->time == 20 ? 20 : 0;
}

static int read_each(struct perfctr_sampler *sampler, uint64_t *times, unsigned int *n)
{
	uint64_t *at = times;
	int result = perfctr_sampler_each(sampler, note_time, &at);

	*n = (unsigned int)(at - times);
	return result;
}

/* One call is one look. */
START_TEST(callbacks)
{
	struct perfctr_sampler *sampler;
	uint64_t times[8];
	unsigned int n;

	begin_cpus("0-1");
	sampler = open_on(NULL, PERFCTR_INHERIT);
	happens(0, 0, 10);
	happens(0, 1, 20);
	happens(0, 0, 20);
	ck_assert_int_eq(read_each(sampler, times, &n), 0);
	ck_assert_uint_eq(n, 0);
	happens(0, 1, 20);
	ck_assert_int_eq(read_each(sampler, times, &n), 20);
	ck_assert_uint_eq(n, 2);
	ck_assert(times[0] == 10 && times[1] == 20);
	ck_assert_int_eq(read_each(sampler, times, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(times[0], 30);
	ck_assert_int_eq(read_each(sampler, times, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(times[0], 40);
	end_cpus(sampler);
}
END_TEST

/* A buffer has all its room again after a look, though its records wait. */
START_TEST(room)
{
	struct perfctr_sampler *sampler;
	const struct perfctr_record *record;
	unsigned int lap, i, n, fit = (unsigned int)((sysconf(_SC_PAGESIZE) - 1) / 24);
	uint64_t lost = 7;

	begin_cpus("0-1");
	sampler = open_on(NULL, PERFCTR_INHERIT);
	for (lap = 0; lap < 10; lap++) {
		for (i = 0; i < fit; i++)
			happens(0, 0, 1);
		for (n = 0; perfctr_sampler_next(sampler, &record) > 0; n++)
			ck_assert_uint_eq(record->time, (lap - 1) * fit + n + 1);
		ck_assert_uint_eq(n, lap ? fit : 0);
	}
	ck_assert_int_eq(perfctr_sampler_lost(sampler, &lost), 0);
	ck_assert_uint_eq(lost, 0);
	end_cpus(sampler);
}
END_TEST

static int count_one(void *arg, const struct perfctr_record *record)
{
	*(unsigned int *)arg += record->type == PERF_RECORD_SAMPLE;
	return 0;
}

/* What a call has handed out has room for as many more. */
START_TEST(room_of_one)
{
	struct perfctr_sampler_config config = { .period = 1,
						 .fields = PERF_SAMPLE_TIME,
						 .pages = 1 };
	unsigned int lap, n, fit = (unsigned int)((sysconf(_SC_PAGESIZE) - 1) / 16);
	struct perfctr_sampler *sampler;
	uint64_t lost = 7;

	pmu_begin();
	sampler = perfctr_sampler_open("instructions:u", NULL, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	for (lap = 0; lap < 10; lap++) {
		pmu_count(fit);
		n = 0;
		ck_assert_int_eq(perfctr_sampler_each(sampler, count_one, &n), 0);
		ck_assert_uint_eq(n, fit);
	}
	ck_assert_int_eq(perfctr_sampler_lost(sampler, &lost), 0);
	ck_assert_uint_eq(lost, 0);
	perfctr_sampler_close(sampler);
	pmu_end();
}
END_TEST

/* Sums over all parts. */
START_TEST(lost_by_several)
{
	unsigned int k, i, fit = (unsigned int)((sysconf(_SC_PAGESIZE) - 1) / 24);
	struct perfctr_sampler *sampler;

	uint64_t lost = 7, count = 7, seen;

	for (k = 0; k < 2; k++) {
		begin_cpus("0-1");
		/* All kernels are asked, each time. */
		pmu_fail(PMU_OPEN, k, EINVAL);
		sampler = open_on(NULL, PERFCTR_INHERIT);
		if (k) {
			perfctr_sampler_close(sampler);
			pmu_at(PMU_OPEN, 0, NULL);
			pmu_fail(PMU_OPEN, 1, EINVAL);
			sampler = open_on(NULL, PERFCTR_INHERIT);
		}
		for (i = 0; i < fit + 3; i++)
			happens(0, 0, 1);
		for (i = 0; i < fit + 5; i++)
			happens(0, 1, 1);
		ck_assert_int_eq(perfctr_sampler_lost(sampler, &lost), 0);
		ck_assert_uint_eq(lost, k ? 0 : 8);
		seen = drain(sampler, NULL);
		ck_assert_uint_eq(seen, 0);
		happens(0, 0, 1);
		happens(0, 1, 1);
		seen = drain(sampler, NULL);
		ck_assert_uint_eq(seen, 2 * fit);
		ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
		ck_assert_uint_eq(drain(sampler, NULL), 2);
		ck_assert_int_eq(perfctr_sampler_lost(sampler, &lost), 0);
		ck_assert_uint_eq(lost, 8);
		ck_assert_int_eq(perfctr_sampler_count(sampler, 0, &count), 0);
		ck_assert_uint_eq(count, 2 * fit + 10);
		pmu_fail(PMU_READ, 2, EIO);
		ck_fails(perfctr_sampler_count(sampler, 0, &count), EIO, "reading");
		pmu_fail(PMU_READ, 2, PMU_EOF);
		ck_fails(perfctr_sampler_count(sampler, 0, &count), EBUSY, "taken");
		ck_assert_uint_eq(count, 2 * fit + 10);
		if (!k) {
			pmu_fail(PMU_READ, 2, EIO);
			ck_fails(perfctr_sampler_lost(sampler, &lost), EIO, "reading");
			pmu_fail(PMU_READ, 2, PMU_EOF);
			ck_fails(perfctr_sampler_lost(sampler, &lost), EBUSY, "taken");
		}
		end_cpus(sampler);
	}
}
END_TEST

/* Overwritten: each first call has what there is, newest first, of all. */
START_TEST(snapshots_of_several)
{
	struct perfctr_sampler *sampler;
	const struct perfctr_record *record;
	unsigned int i, pauses;

	begin_cpus("0-1");
	sampler = open_on(NULL, PERFCTR_INHERIT | PERFCTR_SAMPLER_OVERWRITE);
	expect_none(sampler);
	happens(0, 0, 10);
	happens(0, 1, 20);
	happens(0, 0, 20);
	pauses = pmu_calls(PERF_EVENT_IOC_PAUSE_OUTPUT);
	ck_assert_int_eq(perfctr_sampler_next(sampler, &record), 1);
	ck_assert_uint_eq(record->time, 30);
	ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_PAUSE_OUTPUT), pauses + 4);
	/* It writes on at once. */
	happens(0, 1, 20);
	expect_times(sampler, 20, 10);
	expect_times(sampler, 40);
	expect_none(sampler);
	happens(0, 0, 20);
	for (i = 0; i < 4; i++) {
		pmu_fail(PERF_EVENT_IOC_PAUSE_OUTPUT, i + 1, EIO);
		ck_fails(perfctr_sampler_next(sampler, &record), EIO, "stop writing");
		if (i >= 2)
			break;
	}
	/* That could not go on; everything has been taken. */
	expect_times(sampler, 50);
	pmu_fail(PMU_READ, 2, EIO);
	ck_fails(perfctr_sampler_next(sampler, &record), EIO, "reading");
	happens(0, 1, 20);
	expect_times(sampler, 60);
	/* Off the PMU it has no count to be read, but records. */
	happens(0, 1, 20);
	pmu.taken = 4;
	pmu_schedule();
	expect_times(sampler, 80);
	end_cpus(sampler);
}
END_TEST

/* ---- a process ---- */

#define THREADS 2

static struct {
	pthread_t thread;
	pid_t tid;
} other[THREADS];
static pthread_barrier_t ready, over;

static void *be_there(void *arg)
{
	*(pid_t *)arg = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&over);
	return NULL;
}

static void begin_threads(const char *online)
{
	unsigned int i;

	begin_cpus(online);
	pthread_barrier_init(&ready, NULL, THREADS + 1);
	pthread_barrier_init(&over, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&other[i].thread, NULL, be_there, &other[i].tid),
				 0);
	pthread_barrier_wait(&ready);
}

static void end_threads(struct perfctr_sampler *sampler)
{
	unsigned int i;
	char task[64];

	pthread_barrier_wait(&over);
	for (i = 0; i < THREADS; i++) {
		pthread_join(other[i].thread, NULL);
		/* It is a thread of the process for a moment more. */
		snprintf(task, sizeof(task), "/proc/self/task/%d", (int)other[i].tid);
		while (access(task, F_OK) == 0)
			sched_yield();
	}
	end_cpus(sampler);
}

/* Each thread on each processor; a buffer for a processor. */
START_TEST(a_process)
{
	struct perfctr_sampler *sampler;

	begin_threads("0-1");
	sampler = open_on(&own_process, 0);
	ck_assert_uint_eq(pmu_events(), 6);
	ck_assert_uint_eq(pmu_mappings(), 2);
	ck_assert(pmu_asked.inherit && pmu_asked.inherit_thread);
	ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_SET_OUTPUT), 4);
	ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_ENABLE), 6);
	happens(0, 0, 10);
	happens(other[0].tid, 0, 11);
	happens(other[1].tid, 0, 12);
	happens(0, 1, 5);
	happens(other[0].tid, 1, 11);
	happens(other[1].tid, 1, 15);
	expect_none(sampler);
	expect_times(sampler, 5, 10, 11, 11, 12, 15);
	perfctr_sampler_close(sampler);
	sampler = open_on(&own_process, PERFCTR_INHERIT);
	ck_assert(pmu_asked.inherit && !pmu_asked.inherit_thread);
	perfctr_sampler_close(sampler);
	sampler = open_on(&own_process, PERFCTR_DISABLED);
	happens(other[1].tid, 0, 12);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	expect_none(sampler);
	end_threads(sampler);
}
END_TEST

/* The kernel lets nobody write elsewhere, or only sometimes; a signal is no reason. */
START_TEST(no_common_buffer)
{
	static const struct {
		unsigned int nth;
		int error;
		unsigned int buffers, calls;
	} all[] = {
		/* The fourth and fifth share that of the second processor's first. */
		{ 1, EINVAL, 3, 4 },
		{ 2, EINVAL, 3, 4 },
		{ 4, ENOTTY, 3, 4 },
		{ 1, EINTR, 2, 5 },
	};
	struct perfctr_sampler *sampler;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		begin_threads("0-1");
		pmu_fail(PERF_EVENT_IOC_SET_OUTPUT, all[i].nth, all[i].error);
		sampler = open_on(&own_process, 0);
		ck_assert_uint_eq(pmu_events(), 6);
		ck_assert_uint_eq(pmu_mappings(), all[i].buffers);
		ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_SET_OUTPUT), all[i].calls);
		happens(other[1].tid, 0, 3);
		happens(other[0].tid, 0, 2);
		happens(0, 0, 1);
		happens(other[1].tid, 1, 6);
		happens(other[0].tid, 1, 5);
		happens(0, 1, 4);
		ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
		if (all[i].buffers == 2)
			expect_times(sampler, 3, 2, 1, 6, 5, 4);
		else
			ck_assert_uint_eq(drain(sampler, NULL), 6);
		end_threads(sampler);
	}
}
END_TEST

/* On one processor: one buffer, but several threads that may end. */
START_TEST(a_process_on_one_processor)
{
	struct perfctr_sampler *sampler;
	struct epoll_event found;

	begin_threads("0");
	sampler = open_on(&own_process, 0);
	ck_assert_uint_eq(pmu_events(), 3);
	ck_assert_uint_eq(pmu_mappings(), 1);
	happens(0, 0, 1);
	ck_assert_int_eq(epoll_wait(perfctr_sampler_fd(sampler), &found, 1, 0), 1);
	ck_assert_int_eq(epoll_wait(perfctr_sampler_fd(sampler), &found, 1, 0), 0);
	happens(other[1].tid, 0, 2);
	expect_none(sampler);
	expect_times(sampler, 1, 2);
	end_threads(sampler);
}
END_TEST

static bool is_ready(struct perfctr_sampler *sampler)
{
	struct epoll_event found;

	return epoll_wait(perfctr_sampler_fd(sampler), &found, 1, 0) == 1;
}

/* Who is waited for ends: then the next of the buffer's threads is; the last one's hang-up stays.
 */
START_TEST(threads_that_end)
{
	struct perfctr_sampler *sampler;
	unsigned int i, cpu, waits;
	pid_t tid;

	begin_threads("0-1");
	sampler = open_on(&own_process, 0);
	ck_assert(!is_ready(sampler));
	ck_assert_uint_eq(pmu_calls(PMU_EPOLL), 2);
	/* There is nothing: then it is asked who has ended. */
	waits = pmu_calls(PMU_WAIT);
	expect_none(sampler);
	ck_assert_uint_eq(pmu_calls(PMU_WAIT), waits + 1);
	happens(0, 0, 1);
	expect_none(sampler);
	ck_assert_uint_eq(pmu_calls(PMU_WAIT), waits + 1);
	expect_times(sampler, 1);
	for (i = 0; i <= THREADS; i++) {
		tid = i == 0 ? (pid_t)syscall(SYS_gettid) : other[i - 1].tid;
		for (cpu = 0; cpu < 2; cpu++)
			pmu_ends_on(tid, (int)cpu);
		ck_assert(is_ready(sampler));
		expect_none(sampler);
		/* Of each buffer the next one is waited for. */
		ck_assert_uint_eq(pmu_calls(PMU_EPOLL),
				  i < THREADS ? 2 + 4 * (i + 1) : 2 + 4 * i + 1);
		ck_assert_int_eq(is_ready(sampler), i == THREADS);
		if (i < THREADS) {
			happens(other[i].tid, 1, 10);
			ck_assert(is_ready(sampler));
			expect_none(sampler);
			expect_times(sampler, 10);
		}
	}
	expect_none(sampler);
	ck_assert(is_ready(sampler));
	end_threads(sampler);
}
END_TEST

static void first_goes_offline(void)
{
	root_line("/sys/devices/system/cpu/online", "1");
	pmu_offline(0);
}

static void second_goes_offline(void)
{
	root_line("/sys/devices/system/cpu/online", "0");
	pmu_offline(1);
}

/*
 * A processor goes offline between the look at the list and the open. There may be no event of its
 * own; a thread may have one there, for when it is back.
 */
START_TEST(a_processor_goes_offline)
{
	struct perfctr_sampler_config config = each(0);
	struct perfctr_sampler *sampler;
	unsigned int k;

	for (k = 0; k < 2; k++) {
		begin_cpus("0-1");
		pmu_at(PMU_OPEN, 2, second_goes_offline);
		sampler = open_on(k ? &all_cpus : NULL, k ? 0 : PERFCTR_INHERIT);
		ck_assert_uint_eq(pmu_events(), k ? 1 : 2);
		ck_assert_uint_eq(pmu_calls(PMU_OPEN), 2);
		happens(k ? -1 : 0, 0, 7);
		ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
		ck_assert_uint_eq(drain(sampler, NULL), 1);
		end_cpus(sampler);
	}
	/* The first one. */
	begin_cpus("0-1");
	pmu_at(PMU_OPEN, 1, first_goes_offline);
	sampler = open_on(&all_cpus, 0);
	ck_assert_uint_eq(pmu_events(), 1);
	happens(-1, 1, 7);
	ck_assert_uint_eq(drain(sampler, NULL), 1);
	end_cpus(sampler);
	/* The only one. */
	begin_cpus("1");
	pmu_at(PMU_OPEN, 1, second_goes_offline);
	ck_fails_null(perfctr_sampler_open("instructions", &all_cpus, &config), EINVAL,
		      "no processor 1, or it is offline");
	ck_assert_uint_eq(pmu_events(), 0);
	end_cpus(NULL);
}
END_TEST

/* Where a processor went offline, the events count no longer, each for itself. */
START_TEST(counts_of_a_dissolved_group)
{
	struct perfctr_sampler_config config = each(0);
	struct perfctr_sampler *sampler;
	unsigned int old;

	config.fields |= PERF_SAMPLE_READ;
	for (old = 0; old < 2; old++) {
		begin_cpus("0-1");
		pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 3);
		sampler = perfctr_sampler_open("{instructions,cycles}", &all_cpus, &config);
		ck_assert_msg(sampler != NULL, "%s", perfctr_error());
		pmu.keeps_read_size = old;
		happens(-1, 0, 7);
		happens(-1, 1, 7);
		pmu_offline(1);
		pmu_online(1);
		happens(-1, 1, 7);
		happens(-1, 0, 7);
		check_counts(sampler, 3, true);
		pmu_fail(PMU_READ, 3, EIO);
		ck_fails(perfctr_sampler_count(sampler, 1, &(uint64_t){ 0 }), EIO, "reading");
		end_cpus(sampler);
	}
}
END_TEST

/* ---- core types ---- */

static void begin_kinds(void)
{
	begin_cpus("0-2");
	root_line("cpu_core/type", "4");
	root_line("cpu_core/cpus", "0-1");
	root_line("cpu_core/format/event", "config:0-7");
	root_line("cpu_core/events/big", "event=9");
	root_line("cpu_atom/type", "10");
	root_line("cpu_atom/cpus", "2");
	root_line("cpu_atom/format/event", "config:0-7");
}

/* A thread is sampled on each core type that has the event; both write into one buffer. */
START_TEST(core_types)
{
	struct perfctr_sampler_config config = each(0);
	struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD_ON_CPU };
	struct perfctr_sampler *sampler;

	begin_kinds();
	sampler = open_on(NULL, 0);
	ck_assert_uint_eq(pmu_events(), 2);
	ck_assert_uint_eq(pmu_mappings(), 1);
	ck_assert_uint_eq(pmu_calls(PMU_EPOLL), 0);
	pmu_count(1);
	ck_assert_uint_eq(drain(sampler, NULL), 2);
	perfctr_sampler_close(sampler);
	/* What no core counts goes with each; what only one has leaves that one. */
	config.fields = PERF_SAMPLE_READ;
	sampler = perfctr_sampler_open("{instructions,cs}", NULL, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 4);
	perfctr_sampler_close(sampler);
	sampler = perfctr_sampler_open("{instructions,cpu_core/big/}", NULL, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 2);
	ck_assert_uint_eq(pmu_asked.type, 4);
	ck_assert_uint_eq(pmu_asked.config, 9);
	ck_assert_uint_eq(pmu_asked.sample_type, 0);
	perfctr_sampler_close(sampler);
	ck_fails_null(perfctr_sampler_open("{cpu_atom/event=1/,big}", NULL, &config), EINVAL,
		      "the events before it do not");
	/* On processors each has its own. */
	config = each(0);
	sampler = open_on(&all_cpus, 0);
	ck_assert_uint_eq(pmu_events(), 3);
	ck_assert_uint_eq(pmu_mappings(), 3);
	perfctr_sampler_close(sampler);
	sampler = perfctr_sampler_open("cpu_core/big/", &all_cpus, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 2);
	perfctr_sampler_close(sampler);
	sampler = perfctr_sampler_open("cpu_atom/event=1/", &all_cpus, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 1);
	perfctr_sampler_close(sampler);
	sampler = open_on(NULL, PERFCTR_INHERIT);
	ck_assert_uint_eq(pmu_events(), 3);
	perfctr_sampler_close(sampler);
	sampler = open_on(&target, 0);
	ck_assert_uint_eq(pmu_events(), 1);
	ck_assert_uint_eq(pmu_asked.sample_type, PERF_SAMPLE_ID);
	ck_assert_uint_eq(pmu_asked.config >> 32, 4);
	perfctr_sampler_close(sampler);
	target.cpu = 2;
	sampler = open_on(&target, 0);
	ck_assert_uint_eq(pmu_events(), 1);
	ck_assert_uint_eq(pmu_asked.config >> 32, 10);
	perfctr_sampler_close(sampler);
	ck_fails_null(perfctr_sampler_open("cpu_core/big/", &target, &config), EINVAL,
		      "the requested processor is of another core type");
	/* Not in one buffer: then in two, merged, by the time that was asked for in time. */
	pmu_fail(PERF_EVENT_IOC_SET_OUTPUT, 1, EINVAL);
	sampler = open_on(NULL, 0);
	ck_assert_uint_eq(pmu_mappings(), 2);
	ck_assert_uint_eq(pmu_asked.sample_type, PERF_SAMPLE_ID | PERF_SAMPLE_TIME);
	pmu_tick(5);
	pmu_count(1);
	pmu_tick(5);
	pmu_count(1);
	expect_none(sampler);
	expect_times(sampler, 5, 5, 10, 10);
	end_cpus(sampler);
}
END_TEST

/* A PMU of some processors is sampled on these, whatever is asked for. */
START_TEST(a_pmu_with_a_cpumask)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_CPU };
	struct perfctr_sampler_config config = each(0);
	struct perfctr_sampler *sampler;

	begin_cpus("0-3,40");
	root_line("spe/type", "12");
	root_line("spe/format/event", "config:0-7");
	root_line("spe/cpumask", "1,3,40");
	sampler = perfctr_sampler_open("spe/event=1/", &all_cpus, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 3);
	perfctr_sampler_close(sampler);
	/* A thread without children is sampled wherever it runs. */
	sampler = perfctr_sampler_open("spe/event=1/", NULL, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 1);
	perfctr_sampler_close(sampler);
	config.flags |= PERFCTR_INHERIT;
	sampler = perfctr_sampler_open("spe/event=1/", NULL, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 3);
	perfctr_sampler_close(sampler);
	/* Those of all that have one. */
	root_line("box/type", "13");
	root_line("box/format/event", "config:0-7");
	root_line("box/cpumask", "0-1");
	config = each(0);
	config.fields = PERF_SAMPLE_READ;
	sampler = perfctr_sampler_open("{spe/event=1/,cs,box/event=1/}", &all_cpus, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_events(), 3);
	perfctr_sampler_close(sampler);
	/* None is an error. */
	config = each(0);
	target.id = 40;
	sampler = perfctr_sampler_open("spe/event=1/", &target, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	perfctr_sampler_close(sampler);
	target.id = 2;
	ck_fails_null(perfctr_sampler_open("spe/event=1/", &target, &config), EINVAL,
		      "processor 2 is not one of those that spe samples");
	root_line("spe/cpumask", "7");
	ck_fails_null(perfctr_sampler_open("spe/event=1/", &all_cpus, &config), EINVAL,
		      "processor 40 is not one of those that spe samples");
	target = (struct perfctr_target){ .type = PERFCTR_TARGET_PROCESS };
	config.flags = PERFCTR_INHERIT | PERFCTR_DISABLED;
	ck_fails_null(perfctr_sampler_open("spe/event=1/", &target, &config), EINVAL,
		      "is not one of those that spe samples");
	ck_assert_uint_eq(pmu_events(), 0);
	/* A file that can't be read says nothing. */
	ck_assert_int_eq(unlink(root_path("spe/cpumask")), 0);
	root_link("spe/cpumask", "/proc/self/mem");
	ck_fails_null(perfctr_sampler_open("spe/event=1/", &all_cpus, &config), EIO,
		      "spe/event=1/ can't be looked up");
	end_cpus(NULL);
}
END_TEST

/* ---- all parts ---- */

/* What one part refuses is done for the others, and told. */
START_TEST(control_of_all)
{
	struct perfctr_sampler *sampler;
	unsigned int i;

	begin_cpus("0-1");
	sampler = open_on(&all_cpus, PERFCTR_DISABLED);
	for (i = 1; i <= 2; i++) {
		int good = (int)i % 2, bad = 1 - good;

		pmu_fail(PERF_EVENT_IOC_ENABLE, i, EIO);
		ck_fails(perfctr_sampler_enable(sampler), EIO, "refused");
		happens(-1, bad, 1);
		happens(-1, good, 1);
		ck_assert_uint_eq(drain(sampler, NULL) + drain(sampler, NULL), 1);
		ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
		pmu_fail(PERF_EVENT_IOC_DISABLE, i, EIO);
		ck_fails(perfctr_sampler_disable(sampler), EIO, "refused");
		happens(-1, bad, 1);
		happens(-1, good, 1);
		/* Not stopped: the last records wait. */
		ck_assert_uint_eq(drain(sampler, NULL), 0);
		ck_assert_uint_eq(drain(sampler, NULL), 1);
		ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
		pmu_fail(PERF_EVENT_IOC_REFRESH, i, EIO);
		ck_fails(perfctr_sampler_refresh(sampler, 1), EIO, "refuses to start");
		happens(-1, bad, 1);
		happens(-1, good, 1);
		ck_assert_uint_eq(drain(sampler, NULL) + drain(sampler, NULL), 1);
		pmu_fail(PERF_EVENT_IOC_PERIOD, i, EIO);
		ck_fails(perfctr_sampler_set_period(sampler, 3), EIO, "refuses 3");
		ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
		pmu_run(-1, bad, false, 6);
		pmu_run(-1, good, false, 6);
		ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
		ck_assert_uint_eq(drain(sampler, NULL), 6 + 2);
		ck_assert_int_eq(perfctr_sampler_set_period(sampler, 1), 0);
	}
	end_cpus(sampler);
}
END_TEST

START_TEST(no_objects)
{
	const struct perfctr_record *record;
	struct perfctr_sampler *sampler;
	uint64_t lost;

	ck_fails(perfctr_sampler_fd(NULL), EINVAL, "a sampler is needed");
	ck_fails(perfctr_sampler_enable(NULL), EINVAL, "a sampler is needed");
	ck_fails(perfctr_sampler_disable(NULL), EINVAL, "a sampler is needed");
	ck_fails(perfctr_sampler_refresh(NULL, 1), EINVAL, "a sampler is needed");
	ck_fails(perfctr_sampler_set_period(NULL, 1), EINVAL, "a sampler is needed");
	ck_fails(perfctr_sampler_next(NULL, &record), EINVAL, "a sampler is needed");
	ck_fails(perfctr_sampler_each(NULL, note_time, NULL), EINVAL, "a sampler is needed");
	ck_fails(perfctr_sampler_lost(NULL, &lost), EINVAL, "a sampler is needed");
	ck_fails(perfctr_sampler_count(NULL, 0, &lost), EINVAL, "a sampler is needed");
	begin_cpus("0-1");
	sampler = open_on(NULL, 0);
	ck_fails(perfctr_sampler_next(sampler, NULL), EINVAL, "a place for the record");
	ck_fails(perfctr_sampler_each(sampler, NULL, NULL), EINVAL, "a function for each");
	ck_fails(perfctr_sampler_lost(sampler, NULL), EINVAL, "NULL");
	ck_fails(perfctr_sampler_count(sampler, 0, NULL), EINVAL, "NULL");
	ck_fails(perfctr_sampler_count(sampler, 1, &lost), EINVAL, "no event 1, but 1 from 0 on");
	perfctr_sampler_close(sampler);
	sampler = open_on(NULL, PERFCTR_INHERIT);
	ck_fails(perfctr_sampler_next(sampler, NULL), EINVAL, "a place for the record");
	end_cpus(sampler);
}
END_TEST

START_TEST(a_child_of_fork)
{
	struct perfctr_sampler *sampler;
	const struct perfctr_record *record;
	unsigned int k;
	int status;
	pid_t pid;

	for (k = 0; k < 2; k++) {
		begin_cpus("0-1");
		sampler = open_on(k ? &all_cpus : NULL,
				  k ? PERFCTR_SAMPLER_OVERWRITE : PERFCTR_INHERIT);
		pid = fork();
		if (pid == 0) {
			int failed = perfctr_sampler_next(sampler, &record) != -1 ||
				     errno != ESRCH || perfctr_sampler_fd(sampler) != -1 ||
				     errno != ESRCH;

			perfctr_sampler_close(sampler);
			_exit(failed);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
		end_cpus(sampler);
	}
}
END_TEST

/* An event that is not with the first. */
START_TEST(outside_of_the_braces)
{
	struct perfctr_sampler_config config = each(0);

	config.fields = PERF_SAMPLE_READ;
	pmu_begin();
	ck_fails_null(perfctr_sampler_open("instructions,cycles", NULL, &config), EINVAL,
		      "cycles is outside of the first event's braces, but a sampler has one group; "
		      "write {instructions,cycles}, or open another");
	ck_fails_null(perfctr_sampler_open("{instructions,branches},cycles", NULL, &config), EINVAL,
		      "write {instructions,cycles}");
	config.fields = 0;
	ck_fails_null(perfctr_sampler_open("{instructions,cycles}", NULL, &config), EINVAL,
		      "PERF_SAMPLE_READ");
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), 0);
	perfctr_sampler_close(perfctr_sampler_open("{instructions}", NULL, &config));
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), 1);
	pmu_end();
}
END_TEST

/* Every call that opens a sampler of several parts fails in its turn: nothing is left. */
START_TEST(faults)
{
	static const uint32_t flags[] = { 0, PERFCTR_SAMPLER_OVERWRITE, 0 };
	static const int errors[] = { ENFILE, ENFILE, EINVAL };
	struct perfctr_sampler_config config;
	struct perfctr_sampler *sampler;
	unsigned int k, nth, failures, before;
	int error;
	bool failed;

	for (k = 0; k < 3; k++) {
		for (nth = 1, failures = 0;; nth++) {
			begin_threads("0-1");
			config = each(flags[k]);
			config.signal = SIGUSR1;
			before = open_files();
			pmu_fail(PMU_ANY, nth, errors[k]);
			errno = 77;
			sampler = perfctr_sampler_open("instructions", &own_process, &config);
			error = errno;
			failed = pmu_failed();
			pmu_fail(PMU_ANY, 0, 0);
			/* What the library can do without is no error. */
			ck_assert(!sampler || error == 77);
			if (!sampler) {
				failures++;
				ck_assert(failed);
				ck_assert_msg(error == errors[k] || error == EIO, "%d: %s", error,
					      perfctr_error());
				ck_assert_uint_eq(pmu_events() + pmu_mappings(), 0);
				ck_assert_uint_eq(open_files(), before);
			}
			end_threads(sampler);
			if (!failed)
				break;
		}
		/*
		 * Six opens, of each four calls for the signal, two buffers, two descriptors that
		 * are waited for, six starts and looks at them. Who may not share has a buffer.
		 */
		if (errors[k] == ENFILE)
			ck_assert_uint_eq(failures, 6 + 6 * 4 + 2 + 2 + 6 + 6);
	}
	/* Memory for records. */
	begin_threads("0-1");
	for (nth = 1;; nth++) {
		pmu_fail(PMU_MEMORY, nth, ENOMEM);
		sampler = perfctr_sampler_open("instructions", &own_process, &config);
		if (sampler && !pmu_failed())
			break;
		/* It does without the memory of what watches the threads. */
		ck_assert(sampler || errno == ENOMEM);
		perfctr_sampler_close(sampler);
		ck_assert_uint_eq(pmu_events() + pmu_mappings(), 0);
	}
	ck_assert_uint_ge(nth, 3);
	end_threads(sampler);
}
END_TEST

UNIT_MAIN("sampler_pmu", 60, lost_samples, samples_that_were_none, periods_and_refreshes, periods,
	  frequencies, descriptor_0, what_the_kernel_is_asked, asked_by_name, most_precise,
	  precise_only, limits, merged, a_processor_beyond, descriptor_0_of_all,
	  stopped_while_reading, callbacks, room, room_of_one, most_frequent, clocks,
	  lost_by_several, snapshots_of_several, a_process, no_common_buffer,
	  a_process_on_one_processor, threads_that_end, a_processor_goes_offline,
	  counts_of_a_dissolved_group, core_types, a_pmu_with_a_cpumask, control_of_all, no_objects,
	  a_child_of_fork, outside_of_the_braces, faults)
