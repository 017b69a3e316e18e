// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "colour.h"
#include "die.h"
#include "metrics.h"
#include "ratio.h"
#include "table.h"
#include "verdict.h"

/* ---- values ---- */

/* "1,234,567" */
static void print_number(char *text, size_t size, uint64_t n)
{
	char digits[32];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n), i;
	size_t k = 0;

	for (i = 0; i < length && k + 2 < size; i++) {
		if (i && (length - i) % 3 == 0)
			text[k++] = ',';
		text[k++] = digits[i];
	}
	text[k] = '\0';
}

/* In the event's unit. */
static void print_value(char *text, size_t size, const struct event *event, uint64_t value)
{
	if (event->is.scale != 1)
		snprintf(text, size, "%.2f", (double)value * event->is.scale);
	else
		print_number(text, size, value);
}

/* ---- footnotes ---- */

/* The reasons that have been shown with a number, once each. */
struct footnotes {
	const char *text[64];
	unsigned int n;
};

static unsigned int footnote(struct footnotes *notes, const char *reason)
{
	unsigned int i;

	for (i = 0; i < notes->n; i++)
		if (!strcmp(notes->text[i], reason))
			return i + 1;
	if (notes->n == sizeof(notes->text) / sizeof(notes->text[0]))
		return 0;
	notes->text[notes->n++] = reason;
	return notes->n;
}

static void print_footnotes(FILE *file, const struct footnotes *notes)
{
	unsigned int i;

	for (i = 0; i < notes->n; i++)
		fprintf(file, "%s [%u] %s\n", i ? "" : "\n", i + 1, notes->text[i]);
}

/* ---- rows ---- */

struct row {
	char value[64], ratio[128], note[128];
	char spread[32], least[64], median[64], most[64]; /* of several runs; else empty */
	const char *unit, *name;
};

/* How wide the columns are. */
struct widths {
	int name, ratio, spread, least, median, most;
};

/* What is to be said of a count: how sure it is. */
static void print_note(struct row *row, const struct results *results, unsigned int i,
		       const struct cell *cell)
{
	const struct result *result = &results->result[i];
	size_t size = sizeof(row->note);
	int n = 0;

	if (cell->quality == PERFCTR_SCALED)
		n += snprintf(row->note, size, "  (estimate: counted %.2f%% of the time)",
			      100 * (double)result->all.running / (double)result->all.enabled);
	else if (cell->quality == PERFCTR_STALE)
		n += snprintf(row->note, size, "  (stale: a processor went offline)");
	if (result->runs < results->repeats)
		snprintf(row->note + n, size - (size_t)n, "  (counted in %u of %u runs)",
			 result->runs, results->repeats);
}

static void print_spread(struct row *row, const struct event *event, const struct series *series)
{
	struct summary summary = series_summary(series);

	snprintf(row->spread, sizeof(row->spread), "± %.2f%%", summary_error(&summary));
	print_value(row->least, sizeof(row->least), event, (uint64_t)summary.least);
	print_value(row->median, sizeof(row->median), event, (uint64_t)(summary.median + 0.5));
	print_value(row->most, sizeof(row->most), event, (uint64_t)summary.most);
}

static void make_row(struct row *row, const struct results *results, unsigned int i)
{
	const struct event *event = &results->run->events->event[i];
	struct cell cell = results_cell(results, NULL, i);

	row->unit = event->is.unit;
	row->name = event->name;
	if (!cell.counted) {
		snprintf(row->value, sizeof(row->value), "<not counted>");
		row->unit = "";
		return;
	}
	print_value(row->value, sizeof(row->value), event, cell.estimate);
	ratio_print(row->ratio, sizeof(row->ratio), results, NULL, i);
	print_note(row, results, i, &cell);
	if (results->repeats > 1)
		print_spread(row, event, &results->result[i].series);
}

/* The seconds of several runs, as a row like those of events. */
static void make_elapsed(struct row *row, const struct results *results)
{
	struct series series = results_elapsed(results);
	struct summary summary = series_summary(&series);

	row->unit = "s";
	row->name = "elapsed";
	snprintf(row->value, sizeof(row->value), "%.6f", summary.mean);
	snprintf(row->spread, sizeof(row->spread), "± %.2f%%", summary_error(&summary));
	snprintf(row->least, sizeof(row->least), "%.6f", summary.least);
	snprintf(row->median, sizeof(row->median), "%.6f", summary.median);
	snprintf(row->most, sizeof(row->most), "%.6f", summary.most);
	series_free(&series);
}

static void make_head(struct row *row)
{
	*row = (struct row){
		.value = "mean", .least = "least", .median = "median", .most = "most"
	};
	row->unit = row->name = "";
}

static void widen(int *width, const char *text)
{
	int n = (int)strlen(text);

	if (n > *width)
		*width = n;
}

static struct widths widths_of(const struct row *rows, unsigned int n)
{
	struct widths widths = { .name = 28 };
	unsigned int i;

	for (i = 0; i < n; i++) {
		widen(&widths.name, rows[i].name);
		widen(&widths.ratio, rows[i].ratio);
		widen(&widths.spread, rows[i].spread);
		widen(&widths.least, rows[i].least);
		widen(&widths.median, rows[i].median);
		widen(&widths.most, rows[i].most);
	}
	return widths;
}

/* Columns behind the last one that says something are not filled up. */
static void print_row(FILE *file, const struct row *row, const struct widths *widths)
{
	bool more = *row->least || *row->note, ratio = more || *row->ratio;

	fprintf(file, " %20s %-6s %-*s", row->value, row->unit, ratio ? widths->name : 0,
		row->name);
	if (ratio && widths->ratio)
		fprintf(file, " %-*s", more ? widths->ratio : 0, row->ratio);
	/* The sign is two bytes, and one letter. */
	if (*row->least)
		fprintf(file, "  %*s  %*s  %*s  %*s", widths->spread - !*row->spread, row->spread,
			widths->least, row->least, widths->median, row->median, widths->most,
			row->most);
	fprintf(file, "%s%s%s\n", *row->note ? colour_begin(file, COLOUR_UNSURE) : "", row->note,
		*row->note ? colour_end(file, COLOUR_UNSURE) : "");
}

static void print_uncounted(FILE *file, const struct row *row, const struct widths *widths,
			    unsigned int note)
{
	fprintf(file, " %s%20s%s %-6s %-*s [%u]\n", colour_begin(file, COLOUR_BAD), row->value,
		colour_end(file, COLOUR_BAD), "", widths->name, row->name, note);
}

/* All events, and the time if there are several of it. */
static void print_rows(FILE *file, const struct results *results, struct footnotes *notes)
{
	unsigned int i, n = results->run->events->n, head = results->repeats > 1 ? n + 1 : 0;
	struct row *rows = need(calloc(n + 2, sizeof(*rows)));
	struct widths widths;

	for (i = 0; i < n; i++)
		make_row(&rows[i], results, i);
	if (head) {
		make_elapsed(&rows[n], results);
		make_head(&rows[head]);
	}
	widths = widths_of(rows, head ? head + 1 : n);
	if (head)
		print_row(file, &rows[head], &widths);
	for (i = 0; i < n + !!head; i++) {
		struct cell cell = { .counted = true };

		if (i < n)
			cell = results_cell(results, NULL, i);
		if (cell.counted)
			print_row(file, &rows[i], &widths);
		else
			print_uncounted(file, &rows[i], &widths, footnote(notes, cell.reason));
	}
	free(rows);
}

/* That a metric is an estimate, and how good a one; or "". Returns text. */
static const char *tell_estimate(char *text, size_t size, const struct metric *metric)
{
	if (metric->value.quality != PERFCTR_SCALED)
		return "";
	if (isnan(metric->error))
		return "  (estimate)";
	snprintf(text, size, "  (estimate, ± %.3f)", metric->error);
	return text;
}

/* Metrics, below the counts that they are made of. */
static void print_metrics(FILE *file, const struct results *results, struct footnotes *notes)
{
	struct widths widths = { .name = 28 };
	unsigned int i, n = metrics_count(results);

	if (n)
		fputc('\n', file);
	for (i = 0; i < n; i++) {
		struct metric metric = metrics_get(results, NULL, i);
		struct row row = { .unit = metric.is.unit, .name = metric.name };
		char estimate[64];

		snprintf(row.value, sizeof(row.value), "%s", metric.text);
		snprintf(row.note, sizeof(row.note), "%s%s%s%s",
			 tell_estimate(estimate, sizeof(estimate), &metric),
			 metric.value.beyond ? "  (beyond: " : "",
			 metric.value.beyond ? metric.is.threshold : "",
			 metric.value.beyond ? ")" : "");
		if (!*metric.reason)
			print_row(file, &row, &widths);
		else
			print_uncounted(file, &row, &widths, footnote(notes, metric.reason));
	}
}

static void print_subject(FILE *file, const struct results *results)
{
	char **word = results->run->command;

	if (results->run->targets->n) {
		targets_print(file, results->run->targets);
		return;
	}
	fprintf(file, "%s'%s",
		results->run->first_thread || results->run->driver ? "the first thread of " : "",
		*word);
	while (*++word)
		fprintf(file, " %s", *word);
	fputc('\'', file);
}

/* ---- parts, intervals ---- */

static void print_label(FILE *file, const struct results *results, const struct part *part)
{
	enum by by = results->run->parts ? results->run->parts->by : BY_NOTHING;
	char name[80];

	if (results->seconds > 0)
		fprintf(file, " %12.6f", results->seconds);
	if (by <= BY_THREAD)
		return;
	snprintf(name, sizeof(name), "%s%s", part && by == BY_CPU ? "CPU" : "",
		 part ? part->name : "total");
	fprintf(file, " %-10s", name);
}

static void print_brief_metrics(FILE *file, const struct results *results, const struct part *part)
{
	char estimate[64];
	unsigned int i;

	for (i = 0; i < metrics_count(results); i++) {
		struct metric metric = metrics_get(results, part, i);

		if (part && metric.value.quality == PERFCTR_NOT_COUNTED)
			continue;
		print_label(file, results, part);
		fprintf(file, " %20s %-6s %s%s%s\n", metric.text,
			*metric.reason ? "" : metric.is.unit, metric.name,
			tell_estimate(estimate, sizeof(estimate), &metric),
			metric.value.beyond ? "  (beyond its threshold)" : "");
	}
}

/* All events, of a part, or of an interval. */
static void print_brief(FILE *file, const struct results *results, const struct part *part)
{
	char value[64], ratio[128];
	unsigned int i;

	for (i = 0; i < results->run->events->n; i++) {
		const struct event *event = &results->run->events->event[i];
		struct cell cell = results_cell(results, part, i);

		/* The total says the one; the other is of other processors, or core types. */
		if (part && (event->reason ||
			     (results->run->parts->by > BY_CGROUP && !part_has(&part->reading[i]))))
			continue;
		print_value(value, sizeof(value), event, cell.estimate);
		ratio_print(ratio, sizeof(ratio), results, part, i);
		print_label(file, results, part);
		fprintf(file, " %20s %-6s %-*s%s%s%s\n", cell.counted ? value : "<not counted>",
			event->is.unit, *ratio && cell.counted ? 28 : 0, event->name,
			*ratio && cell.counted ? " " : "", cell.counted ? ratio : "",
			cell.quality == PERFCTR_SCALED ? "  (estimate)" : "");
	}
	print_brief_metrics(file, results, part);
}

static void print_threads(FILE *file, const struct results *results, const struct part *part,
			  size_t n)
{
	size_t t;

	for (t = 0; t < n; t++) {
		fprintf(file, " thread %s (%s)\n", part[t].name, part[t].comm);
		print_brief(file, results, &part[t]);
		fputc('\n', file);
	}
	fprintf(file, " total of %zu thread%s\n", n, n == 1 ? "" : "s");
}

static void print_parts(FILE *file, const struct results *results)
{
	static const char *const names[] = {
		[BY_CGROUP] = "cgroup", [BY_CPU] = "processor",	 [BY_CORE] = "core",
		[BY_SOCKET] = "socket", [BY_TYPE] = "core type",
	};
	size_t n, k;
	const struct part *part = results_parts(results, &n);
	enum by by = results->run->parts ? results->run->parts->by : BY_NOTHING;

	if (by == BY_THREAD)
		print_threads(file, results, part, n);
	if (by <= BY_THREAD)
		return;
	for (k = 0; k < n; k++)
		print_brief(file, results, &part[k]);
	fprintf(file, "\n total of %zu %s%s\n", n, names[by], n == 1 ? "" : "s");
}

static void print_interval(FILE *file, const struct results *results)
{
	size_t n, k;
	const struct part *part = results_parts(results, &n);

	for (k = 0; k < n; k++)
		print_brief(file, results, &part[k]);
	print_brief(file, results, NULL);
}

/* ---- all ---- */

/* Which runs failed, the first ones. */
static void print_failed(FILE *file, const struct results *results)
{
	unsigned int r, shown = 0;

	for (r = 0; r < results->repeats && shown < 8; r++) {
		int status = results->outcomes[r].status;

		if (!status || outcome_in_time(&results->outcomes[r]))
			continue;
		fprintf(file, "%srun %u with %s %d", shown++ ? ", " : " failed: ", r + 1,
			WIFEXITED(status) ? "exit status" : "signal",
			WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	}
	if (shown)
		fprintf(file, "%s\n", shown < results->failed ? ", ..." : "");
}

/* Whose time it was, and what is wrong. */
static void print_emulation(FILE *file, const struct valgrind *valgrind)
{
	fprintf(file, " in %s, which takes 20 to 100 times as long as the command alone\n",
		valgrind->version);
	if (valgrind->doubt)
		fprintf(file, " incomplete: %s\n", valgrind->doubt);
}

static void print_end(FILE *file, const struct results *results)
{
	const struct outcome *outcome = &results->outcome;

	fputs("\n ", file);
	if (results->repeats < 2)
		fprintf(file, "%.6f s elapsed%s", outcome->elapsed, outcome->ran ? ", " : "");
	if (outcome->ran)
		fprintf(file, "%.6f s user, %.6f s system", outcome->user, outcome->sys);
	fputc('\n', file);
	if (results->run->valgrind)
		print_emulation(file, results->run->valgrind);
	if (results->repeats > 1)
		print_failed(file, results);
}

static void print_all(FILE *file, const struct results *results)
{
	struct footnotes notes = { .n = 0 };

	fputs("\n counts of ", file);
	print_subject(file, results);
	if (results->repeats > 1)
		fprintf(file, ", mean of %u runs", results->repeats);
	if (results->repeats > 1 && results->failed)
		fprintf(file, ", %u of which failed", results->failed);
	if (results->run->valgrind)
		fprintf(file, ", emulated by %s", results->run->valgrind->version);
	fputs(":\n\n", file);
	print_parts(file, results);
	print_rows(file, results, &notes);
	print_metrics(file, results, &notes);
	print_end(file, results);
	print_footnotes(file, &notes);
	fputc('\n', file);
	if (results->comparison)
		verdict_table(file, results->comparison);
}

void table_print(FILE *file, const struct results *results)
{
	if (results->seconds > 0)
		print_interval(file, results);
	else
		print_all(file, results);
}
