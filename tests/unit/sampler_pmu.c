// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samplers on the made-up PMU: each sample, and each that was lost. */
#include "tests/harness/pmu.h"
#include "unit.h"

static struct perfctr_sampler *open_sampler(const char *events, uint64_t fields)
{
	struct perfctr_sampler_config config = {
		.period = 1, .fields = fields, .pages = 1, .flags = PERFCTR_GROUP_DISABLED,
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

UNIT_MAIN("sampler_pmu", 60, lost_samples, periods_and_refreshes)
