// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rows of reports of regions: numbers in any locale, names of any bytes. */
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "lib/region_print.h"
#include "tests/harness/check.h"

static const char *const names[] = { "time", "cycle_activity.stalls_l1d_miss" };
static const int64_t none[2];
static const struct perfctr_region_reading reading = {
	.visits = 3,
	.nvalues = 2,
	.value = { { .inclusive = 30, .exclusive = 20, .quality = PERFCTR_EXACT },
		   { .inclusive = UINT64_MAX,
		     .exclusive = 1,
		     .minimum = 2,
		     .maximum = 3,
		     .mean = 1234567.25,
		     .deviation = 0.99996,
		     .quality = PERFCTR_EXACT } },
};

/* The row of a region of this name has the text. */
static void row_has(unsigned int format, const char *name, const char *text)
{
	struct perfctr_region_report report = {
		.format = format,
		.pid = 7,
		.rank = "",
		.keep = PERFCTR_REGIONS_MOMENTS,
		.nvalues = 2,
		.names = names,
		.inside = none,
		.pair = none,
		.spread = none,
		.ns = 1,
	};

	perfctr_region_print(&report, name, 0, &reading);
	ck_assert_msg(!report.text.failed && strstr(report.text.bytes, text), "%s has no %s",
		      report.text.bytes, text);
	free(report.text.bytes);
}

/* Where there is such a locale. */
START_TEST(test_locale)
{
	setlocale(LC_ALL, "de_DE.UTF-8");
	row_has(PERFCTR_REGIONS_JSON, "a",
		"\"inclusive\": 18446744073709551615, \"exclusive\": 1, \"mean\": 1234567.250, "
		"\"minimum\": 2, \"maximum\": 3, \"deviation\": 1.000, \"quality\": \"exact\" }");
	row_has(PERFCTR_REGIONS_CSV, "a",
		",a,all,3,0,0,cycle_activity.stalls_l1d_miss,,18446744073709551615,1,"
		"1234567.250,2,3,1.000,,,,exact,0,0,0\n");
	row_has(PERFCTR_REGIONS_TABLE, "a",
		" 18446744073709551615                  1      1234567.3              2              "
		"3            1.0  exact\n");
}
END_TEST

/* Not what only their first letters tell apart. */
START_TEST(test_long_events)
{
	row_has(PERFCTR_REGIONS_TABLE, "a", " cycle_activity.stalls_l1d_miss ");
	row_has(PERFCTR_REGIONS_TABLE, "a", "  time ns                              30 ");
}
END_TEST

START_TEST(test_names)
{
	static const struct {
		const char *name, *json;
	} all[] = {
		{ "a\"\\\n\033", "\"a\\\"\\\\\\u000a\\u001b\"" },
		{ "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\x7F",
		  "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\\u007f\"" },
		{ "\x80\xC3", "\"\\ufffd\\ufffd\"" },		 /* no first byte, no second */
		{ "\xC1\xBF", "\"\\ufffd\\ufffd\"" },		 /* longer than need be */
		{ "\xE0\x9F\xBF", "\"\\ufffd\\ufffd\\ufffd\"" }, /* the same */
		{ "\xED\xA0\x80", "\"\\ufffd\\ufffd\\ufffd\"" }, /* half of a pair */
		{ "\xED\x9F\xBF", "\"\xED\x9F\xBF\"" },
		{ "\xF0\x8F\xBF\xBF", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
		{ "\xF4\x8F\xBF\xBF", "\"\xF4\x8F\xBF\xBF\"" },
		{ "\xF4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" }, /* beyond Unicode */
		{ "\xF8z", "\"\\ufffdz\"" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		row_has(PERFCTR_REGIONS_JSON, all[i].name, all[i].json);
	row_has(PERFCTR_REGIONS_CSV, "a,\"b\"\n", ",\"a,\"\"b\"\"\n\",all,");
	row_has(PERFCTR_REGIONS_TABLE, "a\033[1m\xC3\xA4", "a?[1m??                  ");
}
END_TEST

UNIT_MAIN("region_print", 60, test_locale, test_long_events, test_names)
