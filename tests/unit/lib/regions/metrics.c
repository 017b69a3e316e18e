// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metrics of regions: which events are counted, and what they come to. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/word.h"
#include "lib/regions/metrics.h"
#include "lib/regions/print.h"
#include "tests/harness/check.h"

static struct perfctr_region_metrics open_metrics(const char *names)
{
	struct perfctr_region_metrics metrics;

	ck_assert_msg(perfctr_region_metrics_open(&metrics, names) == 0, "%s", perfctr_error());
	return metrics;
}

static void list_is(const struct perfctr_region_metrics *metrics, const char *events,
		    const char *wanted)
{
	struct perfctr_text text = { NULL, 0, 0, false };

	ck_assert_int_eq(perfctr_region_metrics_list(metrics, events, &text), 0);
	ck_assert_str_eq(text.bytes, wanted);
	free(text.bytes);
}

START_TEST(test_lists)
{
	struct perfctr_region_metrics metrics = open_metrics("ipc,branch-mpki");

	list_is(&metrics, "", "instructions,cycles,branch-misses");
	list_is(&metrics, "cycles,page-faults", "cycles,page-faults,instructions,branch-misses");
	list_is(&metrics, "{ instructions , cycles },branch-misses",
		"{ instructions , cycles },branch-misses");
	list_is(&metrics, "cycles:u", "cycles:u,instructions,cycles,branch-misses");
	ck_assert_int_eq(perfctr_region_metrics_find(&metrics, "cycles,branch-misses,instructions",
						     4),
			 0);
	/* {instructions,cycles},{branch-misses,instructions} */
	ck_assert_uint_eq(metrics.place[0], 3);
	ck_assert_uint_eq(metrics.place[1], 1);
	ck_assert_uint_eq(metrics.place[2], 2);
	ck_assert_uint_eq(metrics.place[3], 3);
	ck_assert_int_eq(perfctr_region_metrics_find(&metrics, "cycles,branch-misses,instructions",
						     3),
			 -1);
	ck_assert_int_eq(perfctr_region_metrics_find(&metrics, "cycles,instructions", 9), -1);
	ck_assert_int_eq(perfctr_region_metrics_find(&metrics, "", 9), -1);
	ck_assert_int_eq(perfctr_region_metrics_find(&metrics, "{cycles,", 9), -1);
	perfctr_region_metrics_close(&metrics);
	ck_fails(perfctr_region_metrics_open(&metrics, "ipx"), EINVAL, "did you mean ipc");
	ck_assert_ptr_null(metrics.metrics);
}
END_TEST

/* PAPI's presets that are formulas become metrics. */
START_TEST(test_parts)
{
#if defined(__i386__) || defined(__x86_64__)
	struct perfctr_text events = { NULL, 0, 0, false }, metrics = { NULL, 0, 0, false };

	ck_assert_int_eq(perfctr_region_metrics_part("PAPI_TOT_INS, papi_dp_ops,cycles,PAPI_NO,"
						     "PAPI_DP_OPS:u,papi_sp_ops",
						     &events, &metrics),
			 0);
	ck_assert_str_eq(events.bytes, "PAPI_TOT_INS,cycles,PAPI_NO,PAPI_DP_OPS:u");
	ck_assert_str_eq(metrics.bytes, "papi_dp_ops,papi_sp_ops");
	ck_fails(perfctr_region_metrics_part("cycles,,", &events, &metrics), EINVAL, "empty");
	free(events.bytes);
	free(metrics.bytes);
#endif
}
END_TEST

/* A group can't have them, wherever they stand in it. */
START_TEST(test_parts_in_braces)
{
#if defined(__i386__) || defined(__x86_64__)
	static const char *const wrong[] = {
		"{PAPI_DP_OPS,cycles}",		 "{cycles,PAPI_DP_OPS,faults}",
		"x,{ cycles , PAPI_DP_OPS }",	 "{PAPI_DP_OPS}",
		" { PAPI_DP_OPS , cycles}:u,cs", "{cycles,PAPI_DP_OPS}:u",
	};
	struct perfctr_text events = { NULL, 0, 0, false }, metrics = { NULL, 0, 0, false };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		ck_fails(perfctr_region_metrics_part(wrong[i], &events, &metrics), EINVAL,
			 "PAPI_DP_OPS in braces is a formula here, which is no event of a group; "
			 "write it before or after the braces");
	free(events.bytes);
	free(metrics.bytes);
	memset(&events, 0, sizeof(events));
	memset(&metrics, 0, sizeof(metrics));
	ck_assert_int_eq(perfctr_region_metrics_part("PAPI_DP_OPS,{cycles,PAPI_TOT_INS}:u,{cs},"
						     "PAPI_SP_OPS",
						     &events, &metrics),
			 0);
	ck_assert_str_eq(events.bytes, "{cycles,PAPI_TOT_INS}:u,{cs}");
	ck_assert_str_eq(metrics.bytes, "PAPI_DP_OPS,PAPI_SP_OPS");
	free(events.bytes);
	free(metrics.bytes);
#endif
}
END_TEST

/* Slots lead their shares, whatever else is counted. */
START_TEST(test_slots)
{
	struct perfctr_region_metrics metrics = {
		.metrics = perfctr_metrics_open("topdown-retiring,ipc", "icelake")
	};

	list_is(&metrics, "slots,cycles",
		"slots,cycles,{slots,topdown-retiring,topdown-fe-bound,topdown-bad-spec,"
		"topdown-be-bound},instructions");
	perfctr_region_metrics_close(&metrics);
}
END_TEST

static const struct perfctr_region_reading reading = {
	.visits = 3,
	.nvalues = 4,
	.value = { { .inclusive = 30, .exclusive = 20 },
		   { .inclusive = 300, .exclusive = 5 },
		   { .inclusive = 200, .exclusive = 0 },
		   { .inclusive = 7, .exclusive = 7 } },
};

START_TEST(test_values)
{
	struct perfctr_region_metrics metrics = open_metrics("ipc");
	struct perfctr_region_reading other = reading;
	struct perfctr_metric_value value;

	ck_assert_int_eq(perfctr_region_metrics_find(&metrics, "instructions,cycles", 4), 0);
	value = perfctr_region_metrics_value(&metrics, 0, &reading, false);
	ck_assert(fabs(value.value - 1.5) < 1e-15 && !value.reason);
	value = perfctr_region_metrics_value(&metrics, 0, &reading, true);
	ck_assert_str_eq(value.reason, "it divides by 0");
	other.value[1].quality = PERFCTR_NOT_COUNTED;
	value = perfctr_region_metrics_value(&metrics, 0, &other, true);
	ck_assert_str_eq(value.reason, "instructions was not counted");
	ck_assert_uint_eq(value.quality, PERFCTR_NOT_COUNTED);
	perfctr_region_metrics_close(&metrics);
}
END_TEST

static unsigned int keep;

/* The row of a region with metrics has the text. */
static void row_has(unsigned int format, const struct perfctr_region_metrics *metrics,
		    const char *text)
{
	static const char *const names[] = { "time", "instructions", "cycles", "x" };
	static const int64_t none[4];
	struct perfctr_region_report report = {
		.format = format,
		.pid = 7,
		.rank = "",
		.keep = keep,
		.nvalues = 4,
		.clocks = 1,
		.names = names,
		.inside = none,
		.pair = none,
		.spread = none,
		.ns = 1,
		.metrics = metrics,
	};

	perfctr_region_print_head(&report);
	perfctr_region_print(&report, "a", 0, &reading);
	ck_assert_msg(!report.text.failed && strstr(report.text.bytes, text), "%s has no %s",
		      report.text.bytes, text);
	free(report.text.bytes);
}

START_TEST(test_reports)
{
	struct perfctr_region_metrics metrics = open_metrics("ipc");

	perfctr_region_metrics_find(&metrics, "instructions,cycles", 4);
	row_has(PERFCTR_REGIONS_TABLE, &metrics,
		"\n  ipc                               1.500                -  exact\n"
		"    exclusive:\n"
		"    it divides by 0\n");
	row_has(PERFCTR_REGIONS_CSV, &metrics,
		",,a,all,3,0,0,ipc,,1.500,,,,,,,,,exact,,,,,it divides by 0,0,0,0,0,0,\n");
	row_has(PERFCTR_REGIONS_JSON, &metrics,
		"],\"metrics\":[{\"metric\":\"ipc\",\"unit\":\"\","
		"\"inclusive\":1.500,\"exclusive\":null,\"quality\":\"exact\","
		"\"reason\":null,\"exclusive_reason\":\"it divides by 0\","
		"\"threshold\":\"ipc < 1\",\"beyond\":false}]}");
	metrics.place[0] = 1, metrics.place[1] = 4;
	row_has(PERFCTR_REGIONS_JSON, &metrics, "\"reason\":\"it divides by 0\"");
	perfctr_region_metrics_find(&metrics, "cycles,x,instructions", 4);
	row_has(PERFCTR_REGIONS_CSV, &metrics, ",ipc,,0.023,1.400,,");
	row_has(PERFCTR_REGIONS_TABLE, &metrics, " 1.400  exact\n    beyond: ipc < 1\n");
	row_has(PERFCTR_REGIONS_JSON, &metrics, "\"beyond\":true}]}");
	/* A digit more. */
	metrics.place[0] = 1, metrics.place[1] = 0;
	row_has(PERFCTR_REGIONS_TABLE, &metrics,
		"  ipc                              10.000            0.250  exact\n");
	perfctr_region_metrics_close(&metrics);
	/* Bad speculation may come out below 0. */
	metrics = open_metrics("cpi");
	perfctr_metrics_close(metrics.metrics);
	metrics.metrics = perfctr_metrics_open("topdown-frontend", "neoverse-n2");
	free(metrics.readings);
	free(metrics.place);
	metrics.readings = calloc(8, sizeof(*metrics.readings));
	metrics.place = calloc(8, sizeof(*metrics.place));
	/* STALL_SLOT_FRONTEND, CPU_CYCLES, BR_MIS_PRED: 100 * (7 / (5 * 200) - 300 / 200) */
	metrics.place[0] = 3, metrics.place[1] = 2, metrics.place[2] = 1;
	row_has(PERFCTR_REGIONS_CSV, &metrics, ",topdown-frontend,%,-149.300,,");
	row_has(PERFCTR_REGIONS_TABLE, &metrics, "\n  topdown-frontend %             -149.300 ");
	row_has(PERFCTR_REGIONS_JSON, &metrics, "\"inclusive\":-149.300,\"exclusive\":null,");
	perfctr_region_metrics_close(&metrics);
}
END_TEST

UNIT_MAIN("region_metrics", 60, test_lists, test_parts, test_parts_in_braces, test_slots,
	  test_values, test_reports)
