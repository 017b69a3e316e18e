// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/pmu.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/report/formats.h"
#include "tools/perfex/report/metrics.h"
#include "tools/perfex/report/ratio.h"
#include "tools/perfex/report/tree.h"
#include "tools/perfex/report/verdict.h"

/* ---- values ---- */

/* Writes a value in the event's unit. */
static void print_value(char *text, size_t size, const struct event *event, uint64_t value)
{
	if (event->is.scale != 1)
		text_fixed(text, size, (double)value * event->is.scale, 2);
	else
		text_number(text, size, value);
}

/* ---- footnotes ---- */

/* The reasons that have been shown with a number, once each. */
struct footnotes {
	const char **text;
	unsigned int n;
};

static unsigned int footnote(struct footnotes *notes, const char *reason)
{
	unsigned int i;

	for (i = 0; i < notes->n; i++)
		if (!strcmp(notes->text[i], reason))
			return i + 1;
	notes->text = need(reallocarray(notes->text, notes->n + 1, sizeof(*notes->text)));
	notes->text[notes->n++] = reason;
	return notes->n;
}

static void print_footnotes(FILE *file, const struct footnotes *notes)
{
	unsigned int i;

	for (i = 0; i < notes->n; i++) {
		struct fit fit = fit_begin(file, 5);

		fit_used(&fit, fprintf(file, "%s [%u]", i ? "" : "\n", i + 1));
		fit_words(&fit, " ");
		fit_words(&fit, notes->text[i]);
		fit_end(&fit);
	}
}

/* ---- rows ---- */

struct row {
	char value[64], ratio[128], note[128];
	char spread[32], minimum[64], median[64], maximum[64]; /* of several runs; else empty */
	const char *unit, *name;
};

/* How wide the columns are. */
struct widths {
	int value, unit, name, ratio, spread, minimum, median, maximum;
	bool is_narrow; /* there is room for the first three */
};

/* Writes a note about a count's reliability. */
static void print_note(struct row *row, const struct results *results, unsigned int i,
		       const struct cell *cell, struct footnotes *notes)
{
	const struct result *result = &results->result[i];
	size_t size = sizeof(row->note);
	int n = 0;

	if (cell->quality == PERFCTR_SCALED)
		n += snprintf(row->note, size, "  (estimate: counted %.2f%% of the time)",
			      100 * (double)result->taken.all.running /
				      (double)result->taken.all.enabled);
	else if (cell->quality == PERFCTR_STALE)
		n += snprintf(row->note, size, "  (stale: it stopped early)");
	if (cell->quality == PERFCTR_STALE && *cell->reason)
		n += snprintf(row->note + n, size - (size_t)n, " [%u]",
			      footnote(notes, cell->reason));
	if (result->taken.runs < results_runs(results))
		snprintf(row->note + n, size - (size_t)n, "  (counted in %u of %u runs)",
			 result->taken.runs, results_runs(results));
}

static void print_spread(struct row *row, const struct event *event, const struct series *series)
{
	struct summary summary = series_summary(series);

	if (!summary.n)
		return;
	snprintf(row->spread, sizeof(row->spread), "± %.2f%%", summary_error(&summary));
	print_value(row->minimum, sizeof(row->minimum), event, (uint64_t)summary.minimum);
	print_value(row->median, sizeof(row->median), event, (uint64_t)(summary.median + 0.5));
	print_value(row->maximum, sizeof(row->maximum), event, (uint64_t)summary.maximum);
}

static void make_row(struct row *row, const struct results *results, unsigned int i,
		     struct footnotes *notes)
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
	print_note(row, results, i, &cell, notes);
	if (results->repeats > 1)
		print_spread(row, event, &results->result[i].taken.series);
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
	snprintf(row->minimum, sizeof(row->minimum), "%.6f", summary.minimum);
	snprintf(row->median, sizeof(row->median), "%.6f", summary.median);
	snprintf(row->maximum, sizeof(row->maximum), "%.6f", summary.maximum);
	series_free(&series);
}

static void make_head(struct row *row)
{
	*row = (struct row){ .value = "mean",
			     .spread = "± error",
			     .minimum = "minimum",
			     .median = "median",
			     .maximum = "maximum" };
	row->unit = row->name = "";
}

static void widen(int *width, const char *text)
{
	int n = text_width(text);

	if (n > *width)
		*width = n;
}

/* Returns the widths of a table without a limit. */
static struct widths widths_of(const struct row *rows, unsigned int n)
{
	struct widths widths = { .value = 20, .unit = 6, .name = 28 };
	unsigned int i;

	for (i = 0; i < n; i++) {
		widen(&widths.name, rows[i].name ? rows[i].name : "");
		widen(&widths.ratio, rows[i].ratio);
		widen(&widths.spread, rows[i].spread);
		widen(&widths.minimum, rows[i].minimum);
		widen(&widths.median, rows[i].median);
		widen(&widths.maximum, rows[i].maximum);
	}
	return widths;
}

static int total_of(const struct widths *widths)
{
	int spread = widths->minimum ? widths->spread + widths->minimum + widths->median +
					       widths->maximum + 8
				     : 0;

	return widths->value + widths->unit + widths->name + 3 +
	       (widths->ratio ? widths->ratio + 1 : 0) + spread;
}

/* Adapts the widths to a terminal: the text beside a name moves below it. */
static void make_narrow(FILE *file, struct widths *widths, const struct row *rows, unsigned int n)
{
	int columns = terminal_columns(file);
	unsigned int i;

	if (!columns || total_of(widths) <= columns)
		return;
	*widths = (struct widths){ .value = 13, .unit = 1, .is_narrow = true };
	for (i = 0; i < n; i++) {
		widen(&widths->value, rows[i].value);
		widen(&widths->unit, rows[i].unit);
	}
	widths->name = columns - widths->value - widths->unit - 3;
}

static void print_note_in(FILE *file, struct fit *fit, const char *note)
{
	if (!*note)
		return;
	colour_begin(file, COLOUR_UNSURE);
	fit_put(fit, note);
	colour_end(file, COLOUR_UNSURE);
}

static void print_narrow_spread(struct fit *fit, const struct row *row)
{
	char text[96];

	fit_next(fit);
	fit_put(fit, row->spread);
	snprintf(text, sizeof(text), ", from %s", row->minimum);
	fit_put(fit, text);
	snprintf(text, sizeof(text), " to %s,", row->maximum);
	fit_put(fit, text);
	snprintf(text, sizeof(text), " median %s", row->median);
	fit_put(fit, text);
}

/* Prints the columns' contents in words. */
static void print_narrow(FILE *file, const struct row *row, const struct widths *widths)
{
	struct fit fit = fit_begin(file, 6);

	text_terminal(file, row->unit, widths->unit);
	fputc(' ', file);
	text_cut(file, row->name, widths->name);
	fit_used(&fit, widths->value + widths->unit + 3);
	fit_used(&fit, text_width(row->name) < widths->name ? text_width(row->name) : widths->name);
	if (*row->ratio) {
		fit_put(&fit, "  ");
		fit_put(&fit, row->ratio);
	}
	if (*row->minimum)
		print_narrow_spread(&fit, row);
	print_note_in(file, &fit, row->note);
	fit_end(&fit);
}

/* Columns after the last one that says something are not filled up. */
static void print_wide(FILE *file, const struct row *row, const struct widths *widths)
{
	bool more = *row->minimum || *row->note, ratio = more || *row->ratio;
	struct fit fit = fit_begin(file, widths->value + widths->unit + 3);

	text_terminal(file, row->unit, widths->unit);
	fputc(' ', file);
	text_terminal(file, row->name, ratio ? widths->name : 0);
	if (ratio && widths->ratio) {
		fputc(' ', file);
		text_terminal(file, row->ratio, more ? widths->ratio : 0);
	}
	if (*row->minimum) {
		fputs("  ", file);
		text_right(file, row->spread, widths->spread);
		fprintf(file, "  %*s  %*s  %*s", widths->minimum, row->minimum, widths->median,
			row->median, widths->maximum, row->maximum);
	}
	fit_used(&fit, total_of(widths));
	print_note_in(file, &fit, row->note);
	fit_end(&fit);
}

static void print_row(FILE *file, const struct row *row, const struct widths *widths)
{
	fprintf(file, " %*s ", widths->value, row->value);
	if (widths->is_narrow)
		print_narrow(file, row, widths);
	else
		print_wide(file, row, widths);
}

static void print_uncounted(FILE *file, const struct row *row, const struct widths *widths,
			    unsigned int note)
{
	fputc(' ', file);
	colour_begin(file, COLOUR_BAD);
	fprintf(file, "%*s", widths->value, row->value);
	colour_end(file, COLOUR_BAD);
	fprintf(file, " %-*s ", widths->unit, "");
	if (widths->is_narrow)
		text_cut(file, row->name, widths->name - 5);
	else
		text_terminal(file, row->name, widths->name);
	fprintf(file, " [%u]\n", note);
}

/* Prints all events, and a row for the time of several runs. */
static void print_rows(FILE *file, const struct results *results, struct footnotes *notes)
{
	unsigned int i, n = results->run->events->n, head = results->repeats > 1 ? n + 1 : 0;
	struct row *rows = need(calloc(n + 2, sizeof(*rows)));
	struct widths widths;

	for (i = 0; i < n; i++)
		if (!results->run->events->event[i].quiet)
			make_row(&rows[i], results, i, notes);
	if (head) {
		make_elapsed(&rows[n], results);
		make_head(&rows[head]);
	}
	widths = widths_of(rows, head ? head + 1 : n);
	make_narrow(file, &widths, rows, head ? head + 1 : n);
	if (head && !widths.is_narrow)
		print_row(file, &rows[head], &widths);
	for (i = 0; i < n + !!head; i++) {
		struct cell cell = { .counted = true };

		if (i < n && results->run->events->event[i].quiet)
			continue;
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

/* A metric, indented by its depth in a tree. */
static void print_metric(FILE *file, const struct metric *metric, unsigned int depth, bool worst,
			 struct footnotes *notes)
{
	char estimate[64], name[sizeof(metric->name) + 64];
	struct row row = { .unit = metric->is.unit, .name = name };
	struct widths widths;

	snprintf(name, sizeof(name), "%*s%s", 2 * (int)depth, "", metric->name);
	snprintf(row.value, sizeof(row.value), "%s", metric->text);
	snprintf(row.note, sizeof(row.note), "%s%s%s%s%s",
		 tell_estimate(estimate, sizeof(estimate), metric),
		 metric->value.beyond ? "  (beyond: " : "",
		 metric->value.beyond ? metric->is.threshold : "", metric->value.beyond ? ")" : "",
		 worst ? "  <== bottleneck" : "");
	widths = widths_of(&row, 1);
	make_narrow(file, &widths, &row, 1);
	if (!*metric->reason)
		print_row(file, &row, &widths);
	else
		print_uncounted(file, &row, &widths, footnote(notes, metric->reason));
}

/* Says what a bottleneck is, and how to see where it, or what it is a part of, happens. */
static void print_bottleneck(FILE *file, const struct metric *metrics, unsigned int n,
			     const struct metric *metric)
{
	struct fit fit = fit_begin(file, 2);
	const struct metric *sampled = metric;

	fputc('\n', file);
	fit_words(&fit, " bottleneck: ");
	fit_words(&fit, metric->name);
	fit_words(&fit, ": ");
	fit_words(&fit, metric->is.description);
	fit_words(&fit, "; to see where: perfex --sample");
	while (sampled && !*sampled->sample)
		sampled = tree_parent(metrics, n, sampled);
	if (sampled) {
		char *first = need(strndup(sampled->sample, strcspn(sampled->sample, " ")));
		char *event = metrics_event(sampled, first);

		fit_words(&fit, " -e ");
		fit_words(&fit, event);
		free(event);
		free(first);
	}
	fit_end(&fit);
}

static bool shows_events(const struct results *results)
{
	unsigned int i;

	for (i = 0; i < results->run->events->n; i++)
		if (!results->run->events->event[i].quiet)
			return true;
	return false;
}

/* Metrics, below the counts that they are made of; those of a tree below what they explain. */
static void print_metrics(FILE *file, const struct results *results, struct footnotes *notes)
{
	unsigned int i, n;
	struct metric *metrics = metrics_get(results, NULL, &n);
	struct place *place = tree_order(metrics, n);
	bool *worst = tree_bottlenecks(metrics, n);

	if (n && shows_events(results))
		fputc('\n', file);
	for (i = 0; i < n; i++)
		print_metric(file, &metrics[place[i].metric], place[i].depth,
			     worst[place[i].metric], notes);
	for (i = 0; i < n; i++)
		if (worst[i])
			print_bottleneck(file, metrics, n, &metrics[i]);
	free(worst);
	free(place);
	free(metrics);
}

static void print_subject(FILE *text, const struct results *results)
{
	char **word = results->run->command;

	if (results->run->targets->n) {
		targets_print(text, results->run->targets);
		return;
	}
	fprintf(text, "%s'%s",
		results->run->first_thread || results->run->driver ? "the first thread of " : "",
		*word);
	while (*++word)
		fprintf(text, " %s", *word);
	fputc('\'', text);
}

/* Says which runs are shown. */
static void print_runs(FILE *text, const struct results *results)
{
	if (results->left_out)
		fprintf(text, ", mean of %u of %u runs", results_runs(results), results->repeats);
	else
		fprintf(text, ", mean of %u runs", results->repeats);
	if (results->failed == results->repeats)
		fputs(", all of which failed", text);
	else if (results->failed && !results->left_out)
		fprintf(text, ", %u of which failed", results->failed);
}

/* Prints the title: what was counted. */
static void print_title(FILE *file, const struct results *results)
{
	struct fit fit = fit_begin(file, 2);
	char *title = NULL;
	size_t size;
	FILE *text = need(open_memstream(&title, &size));

	fputs(" counts of ", text);
	print_subject(text, results);
	if (results->repeats > 1)
		print_runs(text, results);
	if (results->drilled > 1)
		fprintf(text, ", %u runs, one for each level", results->drilled);
	if (results->run->valgrind)
		fprintf(text, ", emulated by %s", results->run->valgrind->version);
	fputc(':', text);
	if (fclose(text) != 0)
		need(NULL);
	fputc('\n', file);
	fit_words(&fit, title);
	fit_end(&fit);
	fputc('\n', file);
	free(title);
}

/* ---- parts, intervals ---- */

/* How wide the columns of all rows are: in each interval and part the same. */
struct brief {
	int value, unit, name;
	struct fit fit;	  /* an empty line */
	char seconds[32]; /* of an interval; else empty */
};

enum { LABEL = 13, PART = 11, RATIO = 19 };

static void print_label(FILE *file, struct fit *fit, const struct results *results,
			const struct part *part, const struct brief *brief)
{
	enum by by = results->run->breakdown ? results->run->breakdown->by : BY_NOTHING;
	char *name = NULL;

	fit_used(fit, text_terminal(file, brief->seconds, 0));
	if (by <= BY_THREAD)
		return;
	if (asprintf(&name, " %s%s", part && by == BY_CPU ? "CPU" : "",
		     part ? part->name : "total") < 0)
		need(NULL);
	fit_used(fit, text_terminal(file, name, PART));
	free(name);
}

/* Adapts the columns to a terminal, so that most rows fit. */
static void widths_brief(struct brief *brief, const struct results *results,
			 const struct metric *metrics, unsigned int n)
{
	const struct events *events = results->run->events;
	int columns = brief->fit.columns, unit = 1, name = 1, label = 0, room;
	unsigned int i;

	for (i = 0; i < events->n; i++) {
		widen(&unit, events->event[i].is.unit);
		widen(&name, events->event[i].name);
	}
	for (i = 0; i < n; i++) {
		widen(&unit, metrics[i].is.unit);
		widen(&name, metrics[i].name);
	}
	label += *brief->seconds ? LABEL : 0;
	label += results->run->breakdown && results->run->breakdown->by > BY_THREAD ? PART : 0;
	room = columns - label - 17 - unit - RATIO;
	if (!columns || label + 30 + (name < 28 ? 28 : name) + RATIO <= columns) {
		unit = 6;
		name = room = name < 28 ? 28 : name;
		brief->value = 20;
	}
	brief->unit = unit;
	brief->name = name < room ? name : room;
}

/* Returns what is the same in all rows of an interval, or part. */
static struct brief brief_of(FILE *file, const struct results *results,
			     const struct metric *metrics, unsigned int n)
{
	struct brief brief = { .value = 13, .fit = fit_begin(file, 6) };
	char seconds[24];

	if (results->seconds > 0) {
		text_fixed(seconds, sizeof(seconds), results->seconds, 6);
		snprintf(brief.seconds, sizeof(brief.seconds), " %12s", seconds);
	}
	widths_brief(&brief, results, metrics, n);
	return brief;
}

/* What does not fit continues in another line. */
static void print_brief_row(FILE *file, const struct results *results, const struct part *part,
			    const struct row *row, const struct brief *brief)
{
	struct fit fit = brief->fit;
	int width = text_width(row->name), pad = brief->name > width ? brief->name - width : 0;

	print_label(file, &fit, results, part, brief);
	text_right(file, row->value, brief->value + 1);
	fputc(' ', file);
	text_terminal(file, row->unit, brief->unit);
	fit_used(&fit, brief->value + brief->unit + 2);
	fit_put(&fit, " ");
	fit_put(&fit, row->name);
	if (*row->ratio) {
		text_blanks(file, pad);
		fit_used(&fit, pad);
		fit_put(&fit, " ");
		fit_put(&fit, row->ratio);
	}
	fit_put(&fit, row->note);
	fit_end(&fit);
}

static void print_brief_metrics(FILE *file, const struct results *results, const struct part *part,
				const struct metric *metrics, unsigned int n,
				const struct brief *brief)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		const struct metric *metric = &metrics[i];
		struct row row = { .unit = *metric->reason ? "" : metric->is.unit,
				   .name = metric->name };
		char estimate[64];

		if (part && metric->value.quality == PERFCTR_NOT_COUNTED)
			continue;
		snprintf(row.value, sizeof(row.value), "%s", metric->text);
		snprintf(row.note, sizeof(row.note), "%s%s",
			 tell_estimate(estimate, sizeof(estimate), metric),
			 metric->value.beyond ? "  (beyond its threshold)" : "");
		print_brief_row(file, results, part, &row, brief);
	}
}

static void make_brief_row(struct row *row, const struct results *results, const struct part *part,
			   unsigned int i)
{
	const struct event *event = &results->run->events->event[i];
	struct cell cell = results_cell(results, part, i);

	*row = (struct row){ .unit = cell.counted ? event->is.unit : "", .name = event->name };
	if (cell.counted) {
		print_value(row->value, sizeof(row->value), event, cell.estimate);
		ratio_print(row->ratio, sizeof(row->ratio), results, part, i);
	} else {
		snprintf(row->value, sizeof(row->value), "<not counted>");
	}
	if (cell.quality == PERFCTR_SCALED)
		snprintf(row->note, sizeof(row->note), "  (estimate)");
	else if (cell.quality == PERFCTR_STALE)
		snprintf(row->note, sizeof(row->note), "  (stale: it stopped early)");
}

/* Prints all events, of a part, or of an interval. */
static void print_brief(FILE *file, const struct results *results, const struct part *part)
{
	unsigned int i, n;
	struct metric *metrics = metrics_get(results, part, &n);
	struct brief brief = brief_of(file, results, metrics, n);
	struct row row;

	for (i = 0; i < results->run->events->n; i++) {
		const struct event *event = &results->run->events->event[i];

		/* The total says the one; the other is of other processors, or core types. */
		if (event->quiet ||
		    (part && (event->reason || (results->run->breakdown->by > BY_CGROUP &&
						!part_has(&part->reading[i])))))
			continue;
		make_brief_row(&row, results, part, i);
		print_brief_row(file, results, part, &row, &brief);
	}
	print_brief_metrics(file, results, part, metrics, n, &brief);
	free(metrics);
}

static void print_threads(FILE *file, const struct results *results, const struct part *part,
			  size_t n)
{
	size_t t;

	for (t = 0; t < n; t++) {
		fprintf(file, *part[t].comm ? " thread %s (" : " thread %s", part[t].name);
		text_terminal(file, part[t].comm, 0);
		fputs(*part[t].comm ? ")\n" : "\n", file);
		print_brief(file, results, &part[t]);
		fputc('\n', file);
	}
	fprintf(file, " total of %zu thread%s\n", n, n == 1 ? "" : "s");
}

static void print_parts(FILE *file, const struct results *results)
{
	size_t n, k;
	const struct part *part = results_parts(results, &n);
	enum by by = results->run->breakdown ? results->run->breakdown->by : BY_NOTHING;

	if (by == BY_THREAD)
		print_threads(file, results, part, n);
	if (by <= BY_THREAD)
		return;
	for (k = 0; k < n; k++)
		print_brief(file, results, &part[k]);
	fprintf(file, "\n total of %zu %s%s\n", n, part_kinds[by].person, n == 1 ? "" : "s");
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

/* Lists the first runs that failed. */
static void print_failed(FILE *file, const struct results *results)
{
	struct fit fit = fit_begin(file, 2);
	unsigned int r, shown = 0;
	char text[80];

	snprintf(text, sizeof(text),
		 results->left_out ? " %u of %u runs failed, left out:" : " %u of %u runs failed:",
		 results->failed, results->repeats);
	fit_put(&fit, text);
	for (r = 0; r < results->repeats && shown < 8; r++) {
		int status = results->ends[r].status;

		if (!run_failed(&results->ends[r]))
			continue;
		snprintf(text, sizeof(text), "%s run %u with %s %d", shown++ ? "," : "", r + 1,
			 WIFEXITED(status) ? "exit status" : "signal",
			 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
		fit_words(&fit, text);
	}
	fit_words(&fit, shown < results->failed ? ", ..." : "");
	fit_end(&fit);
}

/* Explains the time, what repeated instructions are, and unknown ones. */
static void print_emulation(FILE *file, const struct valgrind *valgrind)
{
	const struct emulator *emulator = &valgrind->emulator;
	unsigned long long repeats = valgrind->count[COLUMN_REPEATS];
	struct fit fit;

	fprintf(file, " in %s, which takes %s times as long as the command alone\n",
		valgrind->version, emulator->times);
	if (repeats)
		fprintf(file,
			" string instructions count once each; they were repeated %llu times\n",
			repeats);
	if (*emulator->slower) {
		fit = fit_begin(file, 2);
		fit_words(&fit, " by callgrind, slower, where a string instruction counts again at "
				"each repeat: ");
		fit_words(&fit, emulator->slower);
		fit_end(&fit);
	}
	if (valgrind->doubt)
		fprintf(file, " incomplete: %s\n", valgrind->doubt);
}

/* Says what was not counted, or not watched. */
static void print_doubts(FILE *file, const struct results *results)
{
	const struct run_end *first;
	unsigned int runs = results_left(results, &first);
	struct fit fit = fit_begin(file, 2);
	char text[200];

	if (runs && results->repeats > 1)
		snprintf(text, sizeof(text),
			 " %u of %u runs left processes running beside later ones, the first %s%u;",
			 runs, results->repeats, first->left_more ? "at least " : "", first->left);
	else if (runs)
		snprintf(text, sizeof(text), " %s%u process%s of the command still ran at its end;",
			 first->left_more ? "at least " : "", first->left,
			 first->left == 1 ? "" : "es");
	if (runs) {
		fit_words(&fit, text);
		fit_words(&fit, results->run->valgrind
					? " what valgrind had not told of them by then is missing "
					  "(--wait waits)"
					: " counts are up to then (--wait waits)");
		fit_end(&fit);
	} else if (results_has(results, PERFCTR_UNWATCHED)) {
		fit_words(&fit, " unwatched: nobody saw whether programs that may not be traced "
				"ended counts early (--strict watches)");
		fit_end(&fit);
	}
	if (results_has(results, PERFCTR_UNVERIFIED)) {
		fit = fit_begin(file, 2);
		fit_words(&fit,
			  " unverified: /sys can't be read, which tells whether the PMU takes "
			  "the events (mount sysfs)");
		fit_end(&fit);
	}
}

static void print_end(FILE *file, const struct results *results)
{
	const struct run_end *end = &results->end;

	fputs("\n ", file);
	if (results->repeats < 2)
		fprintf(file, "%.6f s elapsed%s", end->elapsed, end->ran ? ", " : "");
	if (end->ran)
		fprintf(file, "%.6f s user, %.6f s system", end->user, end->sys);
	fputc('\n', file);
	if (results->run->valgrind)
		print_emulation(file, results->run->valgrind);
	if (results->repeats > 1 && results->failed)
		print_failed(file, results);
	print_doubts(file, results);
}

/* Says what perfex does where there is no PMU, of that what can be done to this subject. */
static void print_other_ways(FILE *file, const struct results *results,
			     const struct footnotes *notes)
{
	struct fit fit = fit_begin(file, 2);
	unsigned int i;

	for (i = 0; i < notes->n && !pmu_is_missing(notes->text[i]); i++)
		;
	if (i == notes->n)
		return;
	fit_words(&fit, " without a PMU: perfex --sample shows where the time goes");
	if (results->run->command && !results->run->targets->n)
		fit_words(&fit, "; perfex --emulate counts instructions and cache misses of a "
				"command, slowly");
	fit_end(&fit);
}

static void print_all(FILE *file, const struct results *results)
{
	struct footnotes notes = { .n = 0 };

	print_title(file, results);
	print_parts(file, results);
	print_rows(file, results, &notes);
	print_metrics(file, results, &notes);
	print_end(file, results);
	print_footnotes(file, &notes);
	print_other_ways(file, results, &notes);
	free(notes.text);
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
