// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rows of reports of regions: numbers in any locale, names of any bytes. */
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "lib/regions/print.h"
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

static uint64_t with_bytes;

/* The row of a region of this name has the text. */
static void row_has(unsigned int format, const char *name, const char *text)
{
	struct perfctr_region_reading row = reading;
	struct perfctr_region_report report = {
		.format = format,
		.pid = 7,
		.rank = "",
		.keep = PERFCTR_REGIONS_MOMENTS,
		.nvalues = 2,
		.clocks = 1,
		.names = names,
		.inside = none,
		.pair = none,
		.spread = none,
		.ns = 1,
	};

	row.bytes_inclusive = with_bytes;
	row.bytes_exclusive = with_bytes / 3;
	row.communication_inclusive = 2 * with_bytes;
	row.communication_exclusive = 2 * row.bytes_exclusive;
	perfctr_region_print_head(&report);
	perfctr_region_print(&report, name, 0, &row);
	ck_assert_msg(!report.text.failed && strstr(report.text.bytes, text), "%s has no %s",
		      report.text.bytes, text);
	free(report.text.bytes);
}

/* Where there is such a locale. */
START_TEST(test_locale)
{
	setlocale(LC_ALL, "de_DE.UTF-8");
	row_has(PERFCTR_REGIONS_JSON, "a",
		"\"inclusive\":18446744073709551615,\"exclusive\":1,\"mean\":1234567.250,"
		"\"minimum\":2,\"maximum\":3,\"deviation\":1.000,\"quality\":\"exact\"}");
	row_has(PERFCTR_REGIONS_CSV, "a",
		",a,all,3,0,0,cycle_activity.stalls_l1d_miss,,18446744073709551615,1,"
		"1234567.250,2,3,1.000,,,,exact,0,0,0,,,0,0,0,0,0,0\n");
	row_has(PERFCTR_REGIONS_TABLE, "a",
		" 18446744073709551615                1  exact\n"
		"    mean 1234567.3, deviation 1.0, minimum 2, maximum 3\n");
}
END_TEST

/* A row of its own, which fills the columns of moments with nothing. */
START_TEST(test_bytes)
{
	with_bytes = 300;
	row_has(PERFCTR_REGIONS_JSON, "a",
		",{\"value\":\"bytes\",\"unit\":\"B\",\"inclusive\":300,\"exclusive\":100,"
		"\"quality\":\"exact\"},");
	row_has(PERFCTR_REGIONS_CSV, "a",
		",a,all,3,0,0,bytes,B,300,100,,,,,,,,exact,0,0,0,,,0,0,0,0,0,0\n");
	row_has(PERFCTR_REGIONS_TABLE, "a",
		"\n  bytes                               300              100  exact\n");
	row_has(PERFCTR_REGIONS_JSON, "a",
		"\"quality\":\"exact\"},{\"value\":\"communication\",\"unit\":\"ns\",\"inclusive\":600,"
		"\"exclusive\":200,\"quality\":\"estimate\"}]}");
	row_has(PERFCTR_REGIONS_CSV, "a",
		",a,all,3,0,0,communication,ns,600,200,,,,,,,,estimate,0,0,0,,,0,0,0,0,0,0\n");
	row_has(PERFCTR_REGIONS_TABLE, "a",
		"\n  communication ns                    600              200  estimate\n");
	with_bytes = 0;
}
END_TEST

/* Not what only their first letters tell apart. */
START_TEST(test_long_events)
{
	row_has(PERFCTR_REGIONS_TABLE, "a",
		"\n  cycle_activity.stalls_l1d_miss\n                         18446744073709551615 ");
	row_has(PERFCTR_REGIONS_TABLE, "a", "\n  time ns                              30 ");
}
END_TEST

/* A region's name has a line of its own, whatever its length. */
START_TEST(test_long_names)
{
	row_has(PERFCTR_REGIONS_TABLE, "a region of 24 letters,,",
		"\na region of 24 letters,,: 3 visits\n  time ns ");
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
		{ "\x80\xC3", "\"\\ufffd\\ufffd\"" }, /* no first byte, no second */
		{ "\xC2\x80\xC2\x85\xC2\x9F\xC2\xA0", "\"\\u0080\\u0085\\u009f\xC2\xA0\"" },
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
	row_has(PERFCTR_REGIONS_TABLE, "a\033[1m\xC3\xA4", "\na?[1m??: 3 visits\n");
}
END_TEST

/* ---- whole reports ---- */

/* Of both values each visit is in bucket 0, and one more in bucket 3. */
static struct perfctr_visits *make_visits(const struct perfctr_region_kept *kept)
{
	struct perfctr_visits *visits = calloc(1, perfctr_totals_size(kept));
	unsigned int i;

	ck_assert_ptr_nonnull(visits);
	perfctr_totals_adopt(visits, kept, NULL);
	for (i = 0; i < kept->nvalues; i++) {
		visits->histogram[i * PERFCTR_BUCKETS] = 4;
		visits->histogram[i * PERFCTR_BUCKETS + 3] = 1;
	}
	return visits;
}

static char *write_report(unsigned int format, unsigned int keep, const char *rank, uint64_t n)
{
	static const int64_t inside[] = { 10, 11 }, pair[] = { 20, 21 }, spread[] = { 4, 5 };
	static const struct perfctr_region_kept kept = {
		.nvalues = 2, .clocks = 1, .mult = 1, .shift = 1, .moments = true, .histogram = true
	};
	struct perfctr_visits *visits = make_visits(&kept);
	struct perfctr_region_reading all = reading, one = reading;
	struct perfctr_region_report report = {
		.format = format,
		.kept = &kept,
		.visits = visits,
		.pid = 7,
		.rank = rank,
		.keep = keep,
		.nvalues = 2,
		.clocks = 1,
		.names = names,
		.inside = inside,
		.pair = pair,
		.spread = spread,
		.ns = 0.5,
		.stray = n,
		.left_out = 2 * n,
		.closed = 3 * n,
		.unplaced = 4 * n,
		.children = 5 * n,
		.through_kernel = n,
	};

	all.unfinished = n;
	all.uncounted = 3 * n;
	all.value[1] = (struct perfctr_region_value){
		.inclusive = 50,
		.exclusive = 40,
		.minimum = 1,
		.maximum = 90,
		.p50 = 60,
		.p90 = 70,
		.p99 = 80,
	};
	one.visits = 1;
	perfctr_region_print_head(&report);
	perfctr_region_print(&report, "a", 0, &all);
	report.visits = NULL;
	perfctr_region_print(&report, "a", 12, &one);
	perfctr_region_print_end(&report);
	free(visits);
	ck_assert(!report.text.failed);
	return report.text.bytes;
}

/* All of it; %s in the wanted text is the host. */
static void report_is(unsigned int format, unsigned int keep, const char *rank, uint64_t n,
		      const char *wanted)
{
	char *is = write_report(format, keep, rank, n), *begin = is;
	const char *rest = wanted, *host;
	struct utsname name;

	uname(&name);
	while ((host = strstr(rest, "%s"))) {
		size_t length = (size_t)(host - rest), more = strlen(name.nodename);

		ck_assert_msg(!strncmp(begin, rest, length), "%s\nis not\n%s", is, wanted);
		ck_assert_int_eq(strncmp(begin + length, name.nodename, more), 0);
		begin += length + more;
		rest = host + 2;
	}
	ck_assert_msg(!strcmp(begin, rest), "%s\nis not\n%s", is, wanted);
	free(is);
}

#define EVERYTHING (PERFCTR_REGIONS_MOMENTS | PERFCTR_REGIONS_HISTOGRAM | PERFCTR_REGIONS_THREADS)

START_TEST(test_tables)
{
	report_is(PERFCTR_REGIONS_TABLE, 0, "", 0,
		  "Regions of process 7 on %s\n"
		  "\n"
		  "                                inclusive        exclusive  quality\n"
		  "a: 3 visits\n"
		  "  time ns                              30               20  exact\n"
		  "  cycle_activity.stalls_l1d_miss\n"
		  "                                       50               40  exact\n"
		  "a, thread 12: 1 visit\n"
		  "  time ns                              30               20  exact\n"
		  "  cycle_activity.stalls_l1d_miss\n"
		  "                         18446744073709551615                1  exact\n"
		  "\n"
		  "subtracted                 for each visit  for each within  spread\n"
		  "  time ns                               5               10  2\n"
		  "  cycle_activity.stalls_l1d_miss\n"
		  "                                       11               21  5\n");
	report_is(PERFCTR_REGIONS_TABLE, EVERYTHING, "4", 1,
		  "Regions of process 7 on %s, rank 4\n"
		  "\n"
		  "                                inclusive        exclusive  quality\n"
		  "a, all threads: 3 visits\n"
		  "  time ns                              30               20  exact\n"
		  "    mean 0.0, deviation 0.0, minimum 0, maximum 0\n"
		  "    p50 0, p90 0, p99 0\n"
		  "  cycle_activity.stalls_l1d_miss\n"
		  "                                       50               40  exact\n"
		  "    mean 0.0, deviation 0.0, minimum 1, maximum 90\n"
		  "    p50 60, p90 70, p99 80\n"
		  "  1 visit did not end\n"
		  "  3 visits were not counted\n"
		  "a, thread 12: 1 visit\n"
		  "  time ns                              30               20  exact\n"
		  "    mean 0.0, deviation 0.0, minimum 0, maximum 0\n"
		  "    p50 0, p90 0, p99 0\n"
		  "  cycle_activity.stalls_l1d_miss\n"
		  "                         18446744073709551615                1  exact\n"
		  "    mean 1234567.3, deviation 1.0, minimum 2, maximum 3\n"
		  "    p50 0, p90 0, p99 0\n"
		  "\n"
		  "subtracted                 for each visit  for each within  spread\n"
		  "  time ns                               5               10  2\n"
		  "  cycle_activity.stalls_l1d_miss\n"
		  "                                       11               21  5\n"
		  "The kernel reads these events.\n"
		  "4 visits were counted for no region.\n"
		  "1 end had no begin.\n"
		  "2 threads could not be counted.\n"
		  "Of these 3 are stale: the program closed the descriptors of the counters.\n"
		  "5 child processes had regions and no report, or not yet one.\n");
}
END_TEST

/* One and several of all that may be wrong. */
static void troubles_are(uint64_t n, bool is_full, const char *wanted)
{
	struct perfctr_region_reading one = { .visits = 1, .unfinished = n, .uncounted = n };
	struct perfctr_region_report report = {
		.format = PERFCTR_REGIONS_TABLE,
		.rank = "",
		.stray = n,
		.left_out = n,
		.closed = n,
		.unplaced = n,
		.is_full = is_full,
	};

	perfctr_region_print(&report, "a", 0, &one);
	perfctr_region_print_end(&report);
	ck_assert_str_eq(report.text.bytes, wanted);
	free(report.text.bytes);
}

START_TEST(test_numbers)
{
	troubles_are(1, false,
		     "a: 1 visit\n"
		     "  1 visit did not end\n"
		     "  1 visit was not counted\n"
		     "\nsubtracted                 for each visit  for each within  spread\n"
		     "1 visit was counted for no region.\n"
		     "1 end had no begin.\n"
		     "1 thread could not be counted.\n"
		     "Of these 1 is stale: the program closed the descriptors of the counters.\n");
	troubles_are(2, true,
		     "a: 1 visit\n"
		     "  2 visits did not end\n"
		     "  2 visits were not counted\n"
		     "\nsubtracted                 for each visit  for each within  spread\n"
		     "2 visits were counted for no region: there are as many as there may be.\n"
		     "2 ends had no begin.\n"
		     "2 threads could not be counted.\n"
		     "Of these 2 are stale: the program closed the descriptors of the counters.\n");
}
END_TEST

START_TEST(test_csv)
{
	report_is(
		PERFCTR_REGIONS_CSV, 0, "", 0,
		"host,pid,rank,region,tid,visits,unfinished,uncounted,value,unit,inclusive,"
		"exclusive,mean,minimum,maximum,deviation,p50,p90,p99,quality,subtracted,"
		"subtracted_around,spread,reason,exclusive_reason,ends_without_begin,threads_left_out,"
		"threads_stale,visits_without_region,children_left_out,error\n"
		"%s,7,,a,all,3,0,0,time,ns,30,20,,,,,,,,exact,5,10,2,,,0,0,0,0,0,0\n"
		"%s,7,,a,all,3,0,0,cycle_activity.stalls_l1d_miss,,50,40,,,,,,,,exact,11,21,5,,,0,0,0,0,0,0\n"
		"%s,7,,a,12,1,0,0,time,ns,30,20,,,,,,,,exact,5,10,2,,,0,0,0,0,0,0\n"
		"%s,7,,a,12,1,0,0,cycle_activity.stalls_l1d_miss,,18446744073709551615,1,,,,,,,,"
		"exact,11,21,5,,,0,0,0,0,0,0\n");
	report_is(
		PERFCTR_REGIONS_CSV, EVERYTHING, "4", 1,
		"host,pid,rank,region,tid,visits,unfinished,uncounted,value,unit,inclusive,"
		"exclusive,mean,minimum,maximum,deviation,p50,p90,p99,quality,subtracted,"
		"subtracted_around,spread,reason,exclusive_reason,ends_without_begin,threads_left_out,"
		"threads_stale,visits_without_region,children_left_out,error\n"
		"%s,7,4,a,all,3,1,3,time,ns,30,20,0.000,0,0,0.000,0,0,0,exact,5,10,2,,,1,2,3,4,5,0\n"
		"%s,7,4,a,all,3,1,3,cycle_activity.stalls_l1d_miss,,50,40,0.000,1,90,0.000,60,70,80,"
		"exact,11,21,5,,,1,2,3,4,5,0\n"
		"%s,7,4,a,12,1,0,0,time,ns,30,20,0.000,0,0,0.000,0,0,0,exact,5,10,2,,,1,2,3,4,5,0\n"
		"%s,7,4,a,12,1,0,0,cycle_activity.stalls_l1d_miss,,18446744073709551615,1,"
		"1234567.250,2,3,1.000,0,0,0,exact,11,21,5,,,1,2,3,4,5,0\n");
}
END_TEST

START_TEST(test_json)
{
	report_is(PERFCTR_REGIONS_JSON, 0, "", 0,
		  "{\"type\":\"regions\",\"host\":\"%s\","
		  "\"pid\":7,"
		  "\"rank\":null,"
		  "\"regions\":["
		  "{\"region\":\"a\",\"visits\":3,\"unfinished\":0,\"uncounted\":0,"
		  "\"values\":["
		  "{\"value\":\"time\",\"unit\":\"ns\",\"inclusive\":30,"
		  "\"exclusive\":20,\"quality\":\"exact\"},"
		  "{\"value\":\"cycle_activity.stalls_l1d_miss\",\"unit\":\"\","
		  "\"inclusive\":50,\"exclusive\":40,\"quality\":\"exact\"}]},"
		  "{\"region\":\"a\",\"tid\":12,\"visits\":1,\"unfinished\":0,"
		  "\"uncounted\":0,"
		  "\"values\":["
		  "{\"value\":\"time\",\"unit\":\"ns\",\"inclusive\":30,"
		  "\"exclusive\":20,\"quality\":\"exact\"},"
		  "{\"value\":\"cycle_activity.stalls_l1d_miss\",\"unit\":\"\","
		  "\"inclusive\":18446744073709551615,\"exclusive\":1,\"quality\":\"exact\"}]"
		  "}"
		  "],"
		  "\"subtracted\":["
		  "{\"value\":\"time\",\"visit\":5,\"around\":10,\"spread\":2},"
		  "{\"value\":\"cycle_activity.stalls_l1d_miss\",\"visit\":11,\"around\":"
		  "21,\"spread\":5}"
		  "],"
		  "\"through_kernel\":false,"
		  "\"ends_without_begin\":0,"
		  "\"threads_left_out\":0,"
		  "\"threads_stale\":0,"
		  "\"visits_without_region\":0,"
		  "\"children_left_out\":0"
		  "}\n");
	report_is(PERFCTR_REGIONS_JSON, EVERYTHING, "4", 1,
		  "{\"type\":\"regions\",\"host\":\"%s\","
		  "\"pid\":7,"
		  "\"rank\":4,"
		  "\"regions\":["
		  "{\"region\":\"a\",\"visits\":3,\"unfinished\":1,\"uncounted\":3,"
		  "\"values\":["
		  "{\"value\":\"time\",\"unit\":\"ns\",\"inclusive\":30,"
		  "\"exclusive\":20,\"mean\":0.000,\"minimum\":0,\"maximum\":0,"
		  "\"deviation\":0.000,\"p50\":0,\"p90\":0,\"p99\":0,"
		  "\"buckets\":[[0,0,4],[0,0,1]],\"quality\":\"exact\""
		  "},"
		  "{\"value\":\"cycle_activity.stalls_l1d_miss\",\"unit\":\"\","
		  "\"inclusive\":50,\"exclusive\":40,\"mean\":0.000,\"minimum\":1,"
		  "\"maximum\":90,\"deviation\":0.000,\"p50\":60,\"p90\":70,\"p99\":80,"
		  "\"buckets\":[[1,1,4],[3,3,1]],"
		  "\"quality\":\"exact\"}]},"
		  "{\"region\":\"a\",\"tid\":12,\"visits\":1,\"unfinished\":0,"
		  "\"uncounted\":0,"
		  "\"values\":["
		  "{\"value\":\"time\",\"unit\":\"ns\",\"inclusive\":30,"
		  "\"exclusive\":20,\"mean\":0.000,\"minimum\":0,\"maximum\":0,"
		  "\"deviation\":0.000,\"p50\":0,\"p90\":0,\"p99\":0,\"quality\":\"exact\""
		  "},"
		  "{\"value\":\"cycle_activity.stalls_l1d_miss\",\"unit\":\"\","
		  "\"inclusive\":18446744073709551615,\"exclusive\":1,\"mean\":1234567.250,"
		  "\"minimum\":2,\"maximum\":3,\"deviation\":1.000,\"p50\":0,\"p90\":0,"
		  "\"p99\":0,\"quality\":\"exact\"}]}"
		  "],"
		  "\"subtracted\":["
		  "{\"value\":\"time\",\"visit\":5,\"around\":10,\"spread\":2},"
		  "{\"value\":\"cycle_activity.stalls_l1d_miss\",\"visit\":11,\"around\":"
		  "21,\"spread\":5}"
		  "],"
		  "\"through_kernel\":true,"
		  "\"ends_without_begin\":1,"
		  "\"threads_left_out\":2,"
		  "\"threads_stale\":3,"
		  "\"visits_without_region\":4,"
		  "\"children_left_out\":5"
		  "}\n");
}
END_TEST

/* A sum that may be off, and by how much; and a clock among the events has a unit. */
START_TEST(test_estimates)
{
	static const char *const ends[] = {
		[PERFCTR_REGIONS_TABLE] =
			("a: 2 visits\n  time ns                              30               20  "
			 "estimate, +- 5\n"),
		[PERFCTR_REGIONS_CSV] = ",time,ns,30,20,,,,,,,,estimate,0,0,0,,,0,0,0,0,0,5\n",
		[PERFCTR_REGIONS_JSON] = "\"quality\":\"estimate\",\"error\":5},",
	};
	static const char *const clocks[] = {
		[PERFCTR_REGIONS_TABLE] =
			"\n  task-clock ns                         7                6  ",
		[PERFCTR_REGIONS_CSV] = ",task-clock,ns,7,6,",
		[PERFCTR_REGIONS_JSON] = "\"task-clock\",\"unit\":\"ns\",\"inclusive\":7,",
	};
	static const char *const timed[] = { "time", "task-clock" };
	struct perfctr_region_reading estimated = { .visits = 2, .nvalues = 2 };
	unsigned int format;

	estimated.value[0] = (struct perfctr_region_value){
		.inclusive = 30, .exclusive = 20, .error = 5, .quality = PERFCTR_ESTIMATE
	};
	estimated.value[1] = (struct perfctr_region_value){ .inclusive = 7, .exclusive = 6 };
	for (format = 0; format < ARRAY_SIZE(ends); format++) {
		struct perfctr_region_report report = {
			.format = format,
			.rank = "",
			.nvalues = 2,
			.clocks = 3,
			.names = timed,
			.inside = none,
			.pair = none,
			.spread = none,
		};

		perfctr_region_print_head(&report);
		perfctr_region_print(&report, "a", 0, &estimated);
		ck_assert_msg(strstr(report.text.bytes, ends[format]) != NULL, "%s",
			      report.text.bytes);
		ck_assert_msg(strstr(report.text.bytes, clocks[format]) != NULL, "%s",
			      report.text.bytes);
		free(report.text.bytes);
	}
}
END_TEST

/* What it kept to itself until it died is not known, and no 0. */
START_TEST(test_died)
{
	static const char *const ends[] = {
		[PERFCTR_REGIONS_TABLE] = "\nHow many ends had no begin, how many threads could "
					  "not be counted, and how many\nchildren are left out, "
					  "is not known.\n",
		[PERFCTR_REGIONS_CSV] = ",exact,0,0,0,,,,,,,,0\n",
		[PERFCTR_REGIONS_JSON] = "\"ends_without_begin\":null,"
					 "\"threads_left_out\":null,"
					 "\"threads_stale\":null,"
					 "\"visits_without_region\":null,"
					 "\"children_left_out\":null}\n",
	};
	unsigned int format;

	for (format = 0; format < ARRAY_SIZE(ends); format++) {
		struct perfctr_region_report report = {
			.format = format,
			.rank = "",
			.nvalues = 1,
			.clocks = 1,
			.names = names,
			.inside = none,
			.pair = none,
			.spread = none,
			.died = true,
		};

		perfctr_region_print_head(&report);
		perfctr_region_print(&report, "a", 0, &reading);
		perfctr_region_print_end(&report);
		ck_assert_str_eq(report.text.bytes + report.text.size - strlen(ends[format]),
				 ends[format]);
		free(report.text.bytes);
	}
}
END_TEST

static void not_counted_is(unsigned int format, const char *reasons, const char *wanted)
{
	struct perfctr_region_report report = {
		.format = format,
		.pid = 7,
		.rank = "",
		.not_counted = reasons,
		.children = 2,
	};

	perfctr_region_print_head(&report);
	perfctr_region_print_end(&report);
	ck_assert_msg(strstr(report.text.bytes, wanted) != NULL, "%s", report.text.bytes);
	free(report.text.bytes);
}

/* Nor is what was asked for and can't be counted; lines that are none have no effect. */
START_TEST(test_not_counted)
{
	static const char two[] = "a,b\tno \"PMU\"\n\nwithout\n\tunnamed\nipc\twhy\tso\n";

	not_counted_is(
		PERFCTR_REGIONS_TABLE, two,
		"a,b is not counted: no \"PMU\"\nipc is not counted: why?so\n2 child processes");
	not_counted_is(
		PERFCTR_REGIONS_CSV, two,
		",7,,,all,,,,\"a,b\",,,,,,,,,,,not counted,,,,\"no \"\"PMU\"\"\",,0,0,0,0,2,\n");
	not_counted_is(PERFCTR_REGIONS_CSV, two,
		       ",7,,,all,,,,ipc,,,,,,,,,,,not counted,,,,why\tso,,0,0,0,0,2,\n");
	not_counted_is(PERFCTR_REGIONS_JSON, two,
		       "\"children_left_out\":2,\"not_counted\":[{\"name\":\"a,b\",\"reason\":\"no "
		       "\\\"PMU\\\"\"},{\"name\":\"ipc\",\"reason\":\"why\\u0009so\"}]}\n");
	/* A report without any row has the numbers, still. */
	not_counted_is(PERFCTR_REGIONS_CSV, "", ",error\n");
	not_counted_is(PERFCTR_REGIONS_CSV, "", ",7,,,all,,,,,,,,,,,,,,,,,,,,,0,0,0,0,2,\n");
	not_counted_is(PERFCTR_REGIONS_JSON, "", "\"children_left_out\":2}\n");
	setenv("PERFCTR_REGIONS_NOT_COUNTED", two, 1);
	ck_assert_str_eq(perfctr_region_not_counted(), two);
	unsetenv("PERFCTR_REGIONS_NOT_COUNTED");
	ck_assert_str_eq(perfctr_region_not_counted(), "");
}
END_TEST

UNIT_MAIN("region_print", 60, test_locale, test_bytes, test_long_events, test_long_names,
	  test_names, test_tables, test_numbers, test_csv, test_json, test_estimates, test_died,
	  test_not_counted)
