// SPDX-License-Identifier: LGPL-2.1-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "lib/base/quote.h"
#include "lib/base/word.h"
#include "lib/regions/print.h"

/* ---- names that others chose ---- */

/* How many characters at the beginning of the word a table shows as they are. */
static unsigned int plain_length(const char *word)
{
	unsigned int n;

	for (n = 0; word[n] >= ' ' && word[n] <= '~' && word[n] != '"' && word[n] != '\\'; n++)
		;
	return n;
}

static void put_text(void *text, const char *bytes, size_t size)
{
	perfctr_text_add(text, "%.*s", (int)size, bytes);
}

static void add_json(struct perfctr_text *text, const char *word)
{
	perfctr_put_json(put_text, text, word);
}

static void add_csv(struct perfctr_text *text, const char *word)
{
	perfctr_put_csv(put_text, text, word);
}

/* Bytes that are not printable ASCII become '?', since a terminal may obey them. */
static void add_printable(struct perfctr_text *text, const char *word)
{
	unsigned int n;

	for (; *word; word += n) {
		n = plain_length(word);
		if (n)
			perfctr_text_add(text, "%.*s", (int)n, word);
		else
			perfctr_text_add(text, "%c", *word == '"' || *word == '\\' ? *word : '?');
		n = n ? n : 1;
	}
}

/* Writes a decimal point, whatever the program's locale has; digits: 1 or 3. */
static void add_decimal(struct perfctr_text *text, double value, int width, int digits)
{
	unsigned int one = digits == 1 ? 10 : 1000, part;
	uint64_t whole;

	/* A file that a dead process left may have any value. */
	if (!(value >= 0 && value < 1e19))
		value = 0;
	whole = (uint64_t)value;

	part = (unsigned int)((value - (double)whole) * one + 0.5);
	perfctr_text_add(text, "%*" PRIu64 ".%0*u", width, whole + part / one, digits, part % one);
}

/* ---- metrics ---- */

static unsigned int count_metrics(const struct perfctr_region_report *report)
{
	return report->metrics ? perfctr_metrics_size(report->metrics->metrics) : 0;
}

struct metric {
	struct perfctr_metric is;
	struct perfctr_metric_value inclusive, exclusive;
	char name[256]; /* PMU/NAME/ if it belongs to one of several core types */
};

/* Without its values. */
static struct metric get_name(const struct perfctr_region_report *report, unsigned int i)
{
	struct metric metric;

	perfctr_metrics_metric(report->metrics->metrics, i, &metric.is);
	snprintf(metric.name, sizeof(metric.name), *metric.is.core ? "%s/%s/" : "%s%s",
		 metric.is.core, metric.is.name);
	return metric;
}

static struct metric get_metric(const struct perfctr_region_report *report, unsigned int i,
				const struct perfctr_region_reading *reading)
{
	struct metric metric = get_name(report, i);

	metric.inclusive = perfctr_region_metrics_value(report->metrics, i, reading, false);
	metric.exclusive = perfctr_region_metrics_value(report->metrics, i, reading, true);
	return metric;
}

/* Writes three decimals, or "none"; add_decimal() does not know the sign. */
static void add_metric_value(struct perfctr_text *text, const struct perfctr_metric_value *value,
			     int width, const char *none)
{
	bool minus = value->value < 0;
	double size = minus ? -value->value : value->value;

	if (value->reason || !(size < 1e15)) {
		perfctr_text_add(text, "%*s", width, none);
		return;
	}
	for (; width > 5 && size >= 10; width--)
		size /= 10;
	perfctr_text_add(text, "%*s", width > 5 ? width - 5 : 0, minus ? "-" : "");
	add_decimal(text, minus ? -value->value : value->value, 0, 3);
}

/* ---- what the program told ---- */

struct told {
	const char *name, *unit, *csv_unit, *quality;
	uint64_t inclusive, exclusive;
};

/* Finds the first from *next on that the program has told of a region, and moves *next past it. */
static bool next_told(const struct perfctr_region_reading *reading, unsigned int *next,
		      struct told *told)
{
	const struct told all[] = {
		{ "bytes", "", "B", "exact", reading->bytes_inclusive, reading->bytes_exclusive },
		{ "communication", "ns", "ns", "estimate", reading->communication_inclusive,
		  reading->communication_exclusive },
	};

	while (*next < sizeof(all) / sizeof(all[0])) {
		*told = all[(*next)++];
		if (told->inclusive)
			return true;
	}
	return false;
}

/* ---- where the process is ---- */

static const char *host(struct utsname *name)
{
	return uname(name) < 0 ? "" : name->nodename;
}

/* ---- what is not counted ---- */

const char *perfctr_region_not_counted(void)
{
	const char *list = secure_getenv("PERFCTR_REGIONS_NOT_COUNTED");

	return list ? list : "";
}

typedef void print_reason(struct perfctr_region_report *report, const char *name,
			  const char *reason);

static void print_not_counted(struct perfctr_region_report *report, print_reason *print)
{
	const char *all = report->not_counted ? report->not_counted : "";
	char *list = strdup(all), *name, *reason, *end;

	report->text.failed |= !list;
	for (name = list; name && *name; name = end) {
		end = strchrnul(name, '\n');
		if (*end)
			*end++ = '\0';
		reason = strchr(name, '\t');
		if (!reason)
			continue;
		*reason = '\0';
		if (*name)
			print(report, name, reason + 1);
	}
	free(list);
}

/* ---- a table ---- */

/* A value's line: two spaces, its label, two numbers and its quality fit into 80 columns. */
#define COLUMNS 80
#define LABEL	22
#define NUMBER	16

static const char *unit(const struct perfctr_region_report *report, unsigned int i)
{
	return report->clocks >> i & 1 ? "ns" : "";
}

/* Adds a sentence whose lines are broken between words. */
static void add_sentence(struct perfctr_text *text, const char *words, int indent)
{
	struct perfctr_text plain = { NULL, 0, 0, false };
	int column = indent, length;
	const char *word;

	add_printable(&plain, words);
	text->failed |= plain.failed;
	perfctr_text_add(text, "%*s", indent, "");
	for (word = plain.failed ? "" : plain.bytes; *word;
	     word += length + (word[length] == ' ')) {
		length = (int)strcspn(word, " ");
		if (column > indent && column + 1 + length > COLUMNS) {
			perfctr_text_add(text, "\n%*s", indent, "");
			column = indent;
		}
		perfctr_text_add(text, "%s%.*s", column > indent ? " " : "", length, word);
		column += (column > indent) + length;
	}
	perfctr_text_add(text, "\n");
	free(plain.bytes);
}

/* Begins a value's line. A longer label has a line of its own. */
static void add_label(struct perfctr_text *text, const char *name, const char *of)
{
	int length = (int)strlen(name) + (*of ? 1 + (int)strlen(of) : 0);

	perfctr_text_add(text, "  ");
	add_printable(text, name);
	perfctr_text_add(text, "%s%s", *of ? " " : "", of);
	if (length > LABEL)
		perfctr_text_add(text, "\n%*s", 2 + LABEL, "");
	else
		perfctr_text_add(text, "%*s", LABEL - length, "");
}

static void add_numbers(struct perfctr_text *text, uint64_t inclusive, uint64_t exclusive)
{
	perfctr_text_add(text, " %*" PRIu64 " %*" PRIu64, NUMBER, inclusive, NUMBER, exclusive);
}

static void print_table_head(struct perfctr_region_report *report)
{
	struct perfctr_text *text = &report->text;
	struct utsname names;

	perfctr_text_add(text, "Regions of process %d on ", (int)report->pid);
	add_printable(text, host(&names));
	if (*report->rank)
		perfctr_text_add(text, ", rank %s", report->rank);
	perfctr_text_add(text, "\n\n%*s %*s %*s  quality\n", 2 + LABEL, "", NUMBER, "inclusive",
			 NUMBER, "exclusive");
}

static void add_table_moments(struct perfctr_text *text, const struct perfctr_region_value *value)
{
	perfctr_text_add(text, "    mean ");
	add_decimal(text, value->mean, 0, 1);
	perfctr_text_add(text, ", deviation ");
	add_decimal(text, value->deviation, 0, 1);
	perfctr_text_add(text, ", minimum %" PRIu64 ", maximum %" PRIu64 "\n", value->minimum,
			 value->maximum);
}

static void print_table_value(struct perfctr_region_report *report, unsigned int i,
			      const struct perfctr_region_value *value)
{
	struct perfctr_text *text = &report->text;

	add_label(text, report->names[i], unit(report, i));
	add_numbers(text, value->inclusive, value->exclusive);
	perfctr_text_add(text, "  %s", perfctr_quality_name(value->quality));
	if (value->quality == PERFCTR_ESTIMATE)
		perfctr_text_add(text, ", +- %" PRIu64, value->error);
	perfctr_text_add(text, "\n");
	if (report->keep & PERFCTR_REGIONS_MOMENTS)
		add_table_moments(text, value);
	if (report->keep & PERFCTR_REGIONS_HISTOGRAM)
		perfctr_text_add(text, "    p50 %" PRIu64 ", p90 %" PRIu64 ", p99 %" PRIu64 "\n",
				 value->p50, value->p90, value->p99);
}

static void print_table_told(struct perfctr_region_report *report, const struct told *told)
{
	add_label(&report->text, told->name, told->unit);
	add_numbers(&report->text, told->inclusive, told->exclusive);
	perfctr_text_add(&report->text, "  %s\n", told->quality);
}

static void print_table_metric(struct perfctr_region_report *report, unsigned int i,
			       const struct perfctr_region_reading *reading)
{
	struct metric metric = get_metric(report, i, reading);
	const char *reason = metric.inclusive.reason, *own = metric.exclusive.reason;
	struct perfctr_text *text = &report->text;

	add_label(text, metric.name, metric.is.unit);
	add_metric_value(text, &metric.inclusive, 1 + NUMBER, "-");
	add_metric_value(text, &metric.exclusive, 1 + NUMBER, "-");
	perfctr_text_add(text, "  %s\n",
			 reason ? "none" : perfctr_quality_name(metric.inclusive.quality));
	if (reason)
		add_sentence(text, reason, 4);
	if (metric.inclusive.beyond)
		perfctr_text_add(text, "    beyond: %s\n", metric.is.threshold);
	if (own && !reason) {
		perfctr_text_add(text, "    exclusive:\n");
		add_sentence(text, own, 4);
	}
}

static void print_table_region(struct perfctr_region_report *report, const char *name, pid_t tid,
			       uint64_t visits)
{
	struct perfctr_text *text = &report->text;

	add_printable(text, name);
	if (tid)
		perfctr_text_add(text, ", thread %d", (int)tid);
	else if (report->keep & PERFCTR_REGIONS_THREADS)
		perfctr_text_add(text, ", all threads");
	perfctr_text_add(text, ": %" PRIu64 " visit%s\n", visits, visits == 1 ? "" : "s");
}

static void print_table(struct perfctr_region_report *report, const char *name, pid_t tid,
			const struct perfctr_region_reading *reading)
{
	struct perfctr_text *text = &report->text;
	struct told told;
	unsigned int i;

	print_table_region(report, name, tid, reading->visits);
	for (i = 0; i < report->nvalues; i++)
		print_table_value(report, i, &reading->value[i]);
	for (i = 0; next_told(reading, &i, &told);)
		print_table_told(report, &told);
	for (i = 0; i < count_metrics(report); i++)
		print_table_metric(report, i, reading);
	if (reading->unfinished)
		perfctr_text_add(text, "  %" PRIu64 " visit%s did not end\n", reading->unfinished,
				 reading->unfinished == 1 ? "" : "s");
	if (reading->uncounted)
		perfctr_text_add(text, "  %" PRIu64 " visit%s not counted\n", reading->uncounted,
				 reading->uncounted == 1 ? " was" : "s were");
}

static void print_table_reason(struct perfctr_region_report *report, const char *name,
			       const char *reason)
{
	struct perfctr_text sentence = { NULL, 0, 0, false };

	perfctr_text_add(&sentence, "%s is not counted: %s", name, reason);
	report->text.failed |= sentence.failed;
	add_sentence(&report->text, sentence.failed ? "" : sentence.bytes, 0);
	free(sentence.bytes);
}

static void print_table_subtracted(struct perfctr_region_report *report)
{
	struct perfctr_text *text = &report->text;
	unsigned int i;

	perfctr_text_add(text, "\n%-*s %*s %*s  spread\n", 2 + LABEL, "subtracted", NUMBER,
			 "for each visit", NUMBER, "for each within");
	for (i = 0; i < report->nvalues; i++) {
		double scale = i ? 1 : report->ns;

		add_label(text, report->names[i], unit(report, i));
		perfctr_text_add(text, " %*.0f %*.0f  %.0f\n", NUMBER,
				 (double)report->inside[i] * scale, NUMBER,
				 (double)report->pair[i] * scale,
				 (double)report->spread[i] * scale);
	}
	if (report->through_kernel)
		perfctr_text_add(text, "The kernel reads these events.\n");
}

static void print_table_end(struct perfctr_region_report *report)
{
	struct perfctr_text *text = &report->text;

	print_table_subtracted(report);
	print_not_counted(report, print_table_reason);
	if (report->died)
		add_sentence(text,
			     "How many ends had no begin, how many threads could not be counted, "
			     "and how many children are left out, is not known.",
			     0);
	if (report->unplaced)
		perfctr_text_add(text, "%" PRIu64 " visit%s counted for no region%s.\n",
				 report->unplaced, report->unplaced == 1 ? " was" : "s were",
				 report->is_full ? ": there are as many as there may be" : "");
	if (report->stray)
		perfctr_text_add(text, "%" PRIu64 " end%s had no begin.\n", report->stray,
				 report->stray == 1 ? "" : "s");
	if (report->left_out)
		perfctr_text_add(text, "%" PRIu64 " thread%s could not be counted.\n",
				 report->left_out, report->left_out == 1 ? "" : "s");
	if (report->closed)
		perfctr_text_add(text,
				 "Of these %" PRIu64 " %s stale: the program closed the "
				 "descriptors of the counters.\n",
				 report->closed, report->closed == 1 ? "is" : "are");
	if (report->children)
		perfctr_text_add(text,
				 "%" PRIu64 " child process%s had regions and no report, or not "
				 "yet one.\n",
				 report->children, report->children == 1 ? "" : "es");
}

/* ---- CSV ---- */

static void print_csv_head(struct perfctr_region_report *report)
{
	perfctr_text_add(&report->text,
			 "host,pid,rank,region,tid,visits,unfinished,uncounted,value,unit,"
			 "inclusive,exclusive,mean,minimum,maximum,deviation,p50,p90,p99,quality,"
			 "subtracted,subtracted_around,spread,reason,exclusive_reason,"
			 "ends_without_begin,threads_left_out,threads_stale,visits_without_region,"
			 "children_left_out,error\n");
}

static void add_csv_moments(struct perfctr_text *text, const struct perfctr_region_value *value)
{
	perfctr_text_add(text, ",");
	add_decimal(text, value->mean, 0, 3);
	perfctr_text_add(text, ",%" PRIu64 ",%" PRIu64 ",", value->minimum, value->maximum);
	add_decimal(text, value->deviation, 0, 3);
}

/* Adds the last fields of each row. */
static void add_csv_troubles(struct perfctr_region_report *report)
{
	if (report->died)
		perfctr_text_add(&report->text, ",,,,,");
	else
		perfctr_text_add(&report->text,
				 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
				 report->stray, report->left_out, report->closed, report->unplaced,
				 report->children);
}

static void print_csv_value(struct perfctr_region_report *report, unsigned int i,
			    const struct perfctr_region_value *value)
{
	struct perfctr_text *text = &report->text;
	double scale = i ? 1 : report->ns;

	add_csv(text, report->names[i]);
	perfctr_text_add(text, ",%s,%" PRIu64 ",%" PRIu64, unit(report, i), value->inclusive,
			 value->exclusive);
	if (report->keep & PERFCTR_REGIONS_MOMENTS)
		add_csv_moments(text, value);
	else
		perfctr_text_add(text, ",,,,");
	if (report->keep & PERFCTR_REGIONS_HISTOGRAM)
		perfctr_text_add(text, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, value->p50, value->p90,
				 value->p99);
	else
		perfctr_text_add(text, ",,,");
	perfctr_text_add(text, ",%s,%.0f,%.0f,%.0f,,", perfctr_quality_name(value->quality),
			 (double)report->inside[i] * scale, (double)report->pair[i] * scale,
			 (double)report->spread[i] * scale);
	add_csv_troubles(report);
	perfctr_text_add(text, ",%" PRIu64 "\n", value->error);
}

static void print_csv_metric(struct perfctr_region_report *report, unsigned int i,
			     const struct perfctr_region_reading *reading)
{
	struct metric metric = get_metric(report, i, reading);
	struct perfctr_text *text = &report->text;

	perfctr_text_add(text, "%s,%s,", metric.name, metric.is.unit);
	add_metric_value(text, &metric.inclusive, 0, "");
	perfctr_text_add(text, ",");
	add_metric_value(text, &metric.exclusive, 0, "");
	perfctr_text_add(text, ",,,,,,,,%s,,,,", perfctr_quality_name(metric.inclusive.quality));
	add_csv(text, metric.inclusive.reason ? metric.inclusive.reason : "");
	perfctr_text_add(text, ",");
	add_csv(text, metric.exclusive.reason ? metric.exclusive.reason : "");
	add_csv_troubles(report);
	perfctr_text_add(text, ",\n");
}

static void print_csv_process(struct perfctr_region_report *report)
{
	struct utsname names;

	add_csv(&report->text, host(&names));
	perfctr_text_add(&report->text, ",%d,%s,", (int)report->pid, report->rank);
}

/* A row of no region: of an event that is not counted, or of a report without regions (""). */
static void print_csv_reason(struct perfctr_region_report *report, const char *name,
			     const char *reason)
{
	print_csv_process(report);
	perfctr_text_add(&report->text, ",all,,,,");
	add_csv(&report->text, name);
	perfctr_text_add(&report->text, ",,,,,,,,,,,%s,,,,",
			 *name ? perfctr_quality_name(PERFCTR_NOT_COUNTED) : "");
	add_csv(&report->text, reason);
	perfctr_text_add(&report->text, ",");
	add_csv_troubles(report);
	perfctr_text_add(&report->text, ",\n");
	report->rows++;
}

static void print_csv_end(struct perfctr_region_report *report)
{
	print_not_counted(report, print_csv_reason);
	if (!report->rows)
		print_csv_reason(report, "", "");
}

/* Adds the first fields of each row. */
static void print_csv_region(struct perfctr_region_report *report, const char *name, pid_t tid,
			     const struct perfctr_region_reading *reading)
{
	struct perfctr_text *text = &report->text;

	print_csv_process(report);
	add_csv(text, name);
	if (tid)
		perfctr_text_add(text, ",%d", (int)tid);
	else
		perfctr_text_add(text, ",all");
	perfctr_text_add(text, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", reading->visits,
			 reading->unfinished, reading->uncounted);
}

static void print_csv(struct perfctr_region_report *report, const char *name, pid_t tid,
		      const struct perfctr_region_reading *reading)
{
	struct told told;
	unsigned int i;

	for (i = 0; i < report->nvalues; i++) {
		print_csv_region(report, name, tid, reading);
		print_csv_value(report, i, &reading->value[i]);
	}
	for (i = 0; next_told(reading, &i, &told);) {
		print_csv_region(report, name, tid, reading);
		perfctr_text_add(&report->text, "%s,%s,%" PRIu64 ",%" PRIu64 ",,,,,,,,%s,0,0,0,,",
				 told.name, told.csv_unit, told.inclusive, told.exclusive,
				 told.quality);
		add_csv_troubles(report);
		perfctr_text_add(&report->text, ",0\n");
	}
	for (i = 0; i < count_metrics(report); i++) {
		print_csv_region(report, name, tid, reading);
		print_csv_metric(report, i, reading);
	}
}

/* ---- JSON ---- */

static void print_json_head(struct perfctr_region_report *report)
{
	struct perfctr_text *text = &report->text;
	struct utsname names;

	perfctr_text_add(text, "{\"type\":\"regions\",\"host\":");
	add_json(text, host(&names));
	perfctr_text_add(text, ",\"pid\":%d,\"rank\":%s,", (int)report->pid,
			 *report->rank ? report->rank : "null");
	perfctr_text_add(text, "\"regions\":[");
}

static void add_json_moments(struct perfctr_text *text, const struct perfctr_region_value *value)
{
	perfctr_text_add(text, ",\"mean\":");
	add_decimal(text, value->mean, 0, 3);
	perfctr_text_add(text, ",\"minimum\":%" PRIu64 ",\"maximum\":%" PRIu64, value->minimum,
			 value->maximum);
	perfctr_text_add(text, ",\"deviation\":");
	add_decimal(text, value->deviation, 0, 3);
}

/* Each bucket that has visits: the least and the most of its values, and the visits. */
static void add_json_buckets(struct perfctr_region_report *report, unsigned int i,
			     const struct perfctr_region_value *value)
{
	struct perfctr_text *text = &report->text;
	struct perfctr_region_bucket bucket;
	const char *before = "";
	unsigned int next = 0;

	perfctr_text_add(text, ",\"buckets\":[");
	while (perfctr_totals_bucket(report->visits, report->kept, i, value, &next, &bucket)) {
		perfctr_text_add(text, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", before,
				 bucket.least, bucket.most, bucket.visits);
		before = ",";
	}
	perfctr_text_add(text, "]");
}

static void add_json_distribution(struct perfctr_region_report *report, unsigned int i,
				  const struct perfctr_region_value *value)
{
	perfctr_text_add(&report->text, ",\"p50\":%" PRIu64 ",\"p90\":%" PRIu64 ",\"p99\":%" PRIu64,
			 value->p50, value->p90, value->p99);
	if (report->visits)
		add_json_buckets(report, i, value);
}

static void print_json_value(struct perfctr_region_report *report, unsigned int i,
			     const struct perfctr_region_value *value)
{
	struct perfctr_text *text = &report->text;

	perfctr_text_add(text, "%s{\"value\":", i ? "," : "");
	add_json(text, report->names[i]);
	perfctr_text_add(text, ",\"unit\":\"%s\",\"inclusive\":%" PRIu64 ",\"exclusive\":%" PRIu64,
			 unit(report, i), value->inclusive, value->exclusive);
	if (report->keep & PERFCTR_REGIONS_MOMENTS)
		add_json_moments(text, value);
	if (report->keep & PERFCTR_REGIONS_HISTOGRAM)
		add_json_distribution(report, i, value);
	perfctr_text_add(text, ",\"quality\":\"%s\"", perfctr_quality_name(value->quality));
	if (value->quality == PERFCTR_ESTIMATE)
		perfctr_text_add(text, ",\"error\":%" PRIu64, value->error);
	perfctr_text_add(text, "}");
}

static void add_json_reason(struct perfctr_text *text, const char *name, const char *reason)
{
	perfctr_text_add(text, ",\"%s\":", name);
	if (reason)
		add_json(text, reason);
	else
		perfctr_text_add(text, "null");
}

static void print_json_metric(struct perfctr_region_report *report, unsigned int i,
			      const struct perfctr_region_reading *reading)
{
	struct metric metric = get_metric(report, i, reading);
	struct perfctr_text *text = &report->text;

	perfctr_text_add(text, "%s{\"metric\":\"%s\",\"unit\":\"%s\",\"inclusive\":", i ? "," : "",
			 metric.name, metric.is.unit);
	add_metric_value(text, &metric.inclusive, 0, "null");
	perfctr_text_add(text, ",\"exclusive\":");
	add_metric_value(text, &metric.exclusive, 0, "null");
	perfctr_text_add(text, ",\"quality\":\"%s\"",
			 perfctr_quality_name(metric.inclusive.quality));
	add_json_reason(text, "reason", metric.inclusive.reason);
	add_json_reason(text, "exclusive_reason", metric.exclusive.reason);
	if (*metric.is.threshold)
		perfctr_text_add(text, ",\"threshold\":\"%s\",\"beyond\":%s", metric.is.threshold,
				 metric.inclusive.beyond ? "true" : "false");
	perfctr_text_add(text, "}");
}

static void print_json_metrics(struct perfctr_region_report *report,
			       const struct perfctr_region_reading *reading)
{
	unsigned int i, n = count_metrics(report);

	if (n)
		perfctr_text_add(&report->text, ",\"metrics\":[");
	for (i = 0; i < n; i++)
		print_json_metric(report, i, reading);
	if (n)
		perfctr_text_add(&report->text, "]");
}

static void print_json(struct perfctr_region_report *report, const char *name, pid_t tid,
		       const struct perfctr_region_reading *reading)
{
	struct perfctr_text *text = &report->text;
	struct told told;
	unsigned int i;

	perfctr_text_add(text, "%s{\"region\":", report->rows ? "," : "");
	add_json(text, name);
	if (tid)
		perfctr_text_add(text, ",\"tid\":%d", (int)tid);
	perfctr_text_add(text,
			 ",\"visits\":%" PRIu64 ",\"unfinished\":%" PRIu64 ",\"uncounted\":%" PRIu64
			 ",\"values\":[",
			 reading->visits, reading->unfinished, reading->uncounted);
	for (i = 0; i < report->nvalues; i++)
		print_json_value(report, i, &reading->value[i]);
	for (i = 0; next_told(reading, &i, &told);)
		perfctr_text_add(text,
				 ",{\"value\":\"%s\",\"unit\":\"%s\",\"inclusive\":%" PRIu64
				 ",\"exclusive\":%" PRIu64 ",\"quality\":\"%s\"}",
				 told.name, told.csv_unit, told.inclusive, told.exclusive,
				 told.quality);
	perfctr_text_add(text, "]");
	print_json_metrics(report, reading);
	perfctr_text_add(text, "}");
}

static void add_json_trouble(struct perfctr_region_report *report, const char *name, uint64_t n)
{
	perfctr_text_add(&report->text, ",\"%s\":", name);
	if (report->died)
		perfctr_text_add(&report->text, "null");
	else
		perfctr_text_add(&report->text, "%" PRIu64, n);
}

/* The first one begins the array. */
static void add_json_not_counted(struct perfctr_region_report *report, const char *name,
				 const char *reason)
{
	perfctr_text_add(&report->text,
			 report->reasons++ ? ",{\"name\":" : ",\"not_counted\":[{\"name\":");
	add_json(&report->text, name);
	add_json_reason(&report->text, "reason", reason);
	perfctr_text_add(&report->text, "}");
}

static void print_json_end(struct perfctr_region_report *report)
{
	struct perfctr_text *text = &report->text;
	unsigned int i;

	perfctr_text_add(text, "],\"subtracted\":[");
	for (i = 0; i < report->nvalues; i++) {
		double scale = i ? 1 : report->ns;

		perfctr_text_add(text, "%s{\"value\":", i ? "," : "");
		add_json(text, report->names[i]);
		perfctr_text_add(text, ",\"visit\":%.0f,\"around\":%.0f,\"spread\":%.0f}",
				 (double)report->inside[i] * scale, (double)report->pair[i] * scale,
				 (double)report->spread[i] * scale);
	}
	perfctr_text_add(text, "],\"through_kernel\":%s",
			 report->through_kernel ? "true" : "false");
	add_json_trouble(report, "ends_without_begin", report->stray);
	add_json_trouble(report, "threads_left_out", report->left_out);
	add_json_trouble(report, "threads_stale", report->closed);
	add_json_trouble(report, "visits_without_region", report->unplaced);
	add_json_trouble(report, "children_left_out", report->children);
	print_not_counted(report, add_json_not_counted);
	if (report->reasons)
		perfctr_text_add(text, "]");
	perfctr_text_add(text, "}\n");
}

/* ---- all formats ---- */

/* Tables of addresses would need relocations in every program. */
void perfctr_region_print_head(struct perfctr_region_report *report)
{
	switch (report->format) {
	case PERFCTR_REGIONS_TABLE: print_table_head(report); break;
	case PERFCTR_REGIONS_CSV: print_csv_head(report); break;
	case PERFCTR_REGIONS_JSON: print_json_head(report); break;
	}
}

void perfctr_region_print(struct perfctr_region_report *report, const char *name, pid_t tid,
			  const struct perfctr_region_reading *reading)
{
	switch (report->format) {
	case PERFCTR_REGIONS_TABLE: print_table(report, name, tid, reading); break;
	case PERFCTR_REGIONS_CSV: print_csv(report, name, tid, reading); break;
	case PERFCTR_REGIONS_JSON: print_json(report, name, tid, reading); break;
	}
	report->rows++;
}

void perfctr_region_print_end(struct perfctr_region_report *report)
{
	switch (report->format) {
	case PERFCTR_REGIONS_TABLE: print_table_end(report); break;
	case PERFCTR_REGIONS_CSV: print_csv_end(report); break;
	case PERFCTR_REGIONS_JSON: print_json_end(report); break;
	}
}
