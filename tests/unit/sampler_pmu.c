// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samplers on the made-up PMU: each sample, and each that was lost. */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "libperfctr.h"
#include "tests/harness/pmu.h"
#include "tests/harness/check.h"

static struct perfctr_sampler *open_sampler(const char *events, uint64_t fields)
{
	struct perfctr_sampler_config config = {
		.period = 1,
		.fields = fields,
		.pages = 1,
		.flags = PERFCTR_DISABLED,
	};
	struct perfctr_sampler *sampler = perfctr_sampler_open(events, 0, -1, &config);

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
	perfctr_sampler_close(sampler);
	pmu_end();
}

START_TEST(lost_samples)
{
	nothing_is_missing("instructions", PERF_SAMPLE_TIME, true);
	nothing_is_missing("instructions", PERF_SAMPLE_TIME, false);
	nothing_is_missing("instructions,cycles", PERF_SAMPLE_READ, true);
	nothing_is_missing("instructions,cycles", PERF_SAMPLE_READ, false);
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
	sampler = open_sampler("instructions,cycles", PERF_SAMPLE_READ);
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

/* A config becomes this attr, and nothing else. */
START_TEST(what_the_kernel_is_asked)
{
	static const struct {
		struct perfctr_sampler_config config;
		struct perf_event_attr attr;
		int cpu;
	} all[] = {
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
		{ { PLAIN, .precise = 3 }, { ASKED, .precise_ip = 3 }, -1 },
		{ { PLAIN, .wakeup_samples = 3 }, { ASKED, .wakeup_events = 3 }, -1 },
		{ { PLAIN, .pages = 1, .wakeup_bytes = 2048 },
		  { ASKED, .watermark = 1, .wakeup_watermark = 2048 },
		  -1 },
		{ { PLAIN_WITH(PERF_SAMPLE_BRANCH_STACK), .branches = 1 << 18 },
		  { ASKED_WITH(PERF_SAMPLE_BRANCH_STACK), .branch_sample_type = 1 << 18 },
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
	struct perf_event_attr expected;
	unsigned int i;

	pmu_begin();
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		memset(&pmu_asked, 0, sizeof(pmu_asked));
		pmu_fail(PMU_OPEN, 1, EMFILE);
		ck_fails_null(perfctr_sampler_open("instructions:u", 0, all[i].cpu, &all[i].config),
			      EMFILE, "ulimit -n");
		expected = all[i].attr;
		expected.size = sizeof(expected);
		expected.type = PERF_TYPE_HARDWARE;
		expected.config = PERF_COUNT_HW_INSTRUCTIONS;
		expected.exclude_kernel = expected.exclude_hv = 1;
		expected.disabled = expected.sample_id_all = 1;
		expected.pinned = !(all[i].config.flags & PERFCTR_MULTIPLEX);
		expected.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING | PERFCTR_FORMAT_LOST;
		ck_assert_msg(!memcmp(&pmu_asked, &expected, sizeof(expected)), "config %u", i);
	}
	/* What the event's name asks for is the least. */
	pmu_fail(PMU_OPEN, 1, EMFILE);
	ck_fails_null(perfctr_sampler_open("instructions:upp", 0, -1,
					   &(struct perfctr_sampler_config){ PLAIN, .precise = 1 }),
		      EMFILE, "ulimit");
	ck_assert_uint_eq(pmu_asked.precise_ip, 2);
	pmu_fail(PMU_OPEN, 1, EMFILE);
	ck_fails_null(perfctr_sampler_open("instructions:up", 0, -1,
					   &(struct perfctr_sampler_config){ PLAIN, .precise = 2 }),
		      EMFILE, "ulimit");
	ck_assert_uint_eq(pmu_asked.precise_ip, 2);
	/* The others are counted only, and are on from the start. */
	pmu_fail(PMU_OPEN, 2, EMFILE);
	ck_fails_null(perfctr_sampler_open("instructions:u,cycles:u", 0, -1,
					   &(struct perfctr_sampler_config){
						   PLAIN_WITH(PERF_SAMPLE_READ), .flags = 0 }),
		      EMFILE, "ulimit");
	memset(&expected, 0, sizeof(expected));
	expected.size = sizeof(expected);
	expected.type = PERF_TYPE_HARDWARE;
	expected.exclude_kernel = expected.exclude_hv = 1;
	expected.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_GROUP;
	ck_assert(!memcmp(&pmu_asked, &expected, sizeof(expected)));
	ck_assert_uint_eq(pmu_events(), 0);
	pmu_end();
}
END_TEST

/* What a config can't be, one beyond what it can. */
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
		{ PLAIN_WITH(PERF_SAMPLE_BRANCH_STACK), .branches = 1 << 19 },
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
		{ PLAIN, .flags = PERFCTR_INHERIT },
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
		ck_assert_msg(!perfctr_sampler_open("instructions:u", 0, -1, &all[i]) &&
				      errno == EINVAL,
			      "config %u", i);
	}
	config.wakeup_bytes = (uint32_t)page + 1;
	ck_fails_null(perfctr_sampler_open("instructions:u", 0, -1, &config), EINVAL, "half");
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), 0);
	config.wakeup_bytes = (uint32_t)page;
	config.signal = _NSIG - 1;
	pmu_fail(PMU_OPEN, 1, EMFILE);
	ck_fails_null(perfctr_sampler_open("instructions:u", 0, -1, &config), EMFILE, "ulimit");
	/* A gigabyte, and no more. */
	config.wakeup_bytes = 0;
	config.pages = (uint32_t)(((size_t)1 << 31) / page);
	ck_fails_null(perfctr_sampler_open("instructions:u", 0, -1, &config), EINVAL, "pages");
	config.pages /= 2;
	pmu_fail(PMU_OPEN, 1, EMFILE);
	ck_fails_null(perfctr_sampler_open("instructions:u", 0, -1, &config), EMFILE, "ulimit");
	pmu_end();
}
END_TEST

UNIT_MAIN("sampler_pmu", 60, lost_samples, samples_that_were_none, periods_and_refreshes, periods,
	  descriptor_0, what_the_kernel_is_asked, limits)
