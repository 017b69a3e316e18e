// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <string.h>
#include "ratio.h"
#include "table.h"

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

/* Times are shown in ms. */
static void print_value(char *text, size_t size, const struct event *event, uint64_t value)
{
	if (results_is_clock(event))
		snprintf(text, size, "%.2f", (double)value / 1e6);
	else
		print_number(text, size, value);
}

static void print_mean(char *text, size_t size, const struct event *event, double mean)
{
	if (results_is_clock(event))
		snprintf(text, size, "%.2f", mean / 1e6);
	else
		print_number(text, size, (uint64_t)(mean + 0.5));
}

static const char *unit(const struct event *event)
{
	return results_is_clock(event) ? "msec" : "";
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

/* The value of a row, and what is to be said of it: how sure it is. */
static void print_count(char *value, char *note, size_t size, const struct results *results,
			unsigned int i)
{
	const struct event *event = &results->events->event[i];
	const struct perfctr_reading *reading = &event->reading;
	double mean, deviation;

	print_value(value, size, event, results_value(event));
	if (results->repeats > 1) {
		mean = results_mean(results, i, &deviation);
		print_mean(value, size, event, mean);
		snprintf(note, size, "  ± %.2f%%",
			 mean > 0 ? 100 * deviation / sqrt(results->repeats - 1) / mean : 0);
	} else if (reading->quality == PERFCTR_SCALED) {
		snprintf(note, size, "  (estimate: counted %.2f%% of the time)",
			 100 * (double)reading->running / (double)reading->enabled);
	} else if (reading->quality == PERFCTR_STALE) {
		snprintf(note, size, "  (stale: a processor went offline)");
	}
}

static void print_row(FILE *file, const struct results *results, unsigned int i,
		      struct footnotes *notes)
{
	const struct event *event = &results->events->event[i];
	char value[64], note[64] = "", ratio[128];

	if (!results_counted(event)) {
		fprintf(file, " %20s       %-28s [%u]\n", "<not counted>", event->name,
			footnote(notes, event->reason ? event->reason : "it was never on the PMU"));
		return;
	}
	print_count(value, note, sizeof(value), results, i);
	ratio_print(ratio, sizeof(ratio), results->events, event, results->outcome.elapsed);
	if (*note || *ratio)
		fprintf(file, " %20s %-5s %-28s %s%s\n", value, unit(event), event->name, ratio,
			note);
	else
		fprintf(file, " %20s %-5s %s\n", value, unit(event), event->name);
}

static void print_subject(FILE *file, const struct results *results)
{
	const struct targets *targets = results->targets;
	char **word;

	if (targets->what) {
		fprintf(file, "%s %s", targets->what, targets->name);
	} else if (targets_process(targets)) {
		fprintf(file, "process %d", (int)targets_process(targets));
	} else {
		fputs(results->first_thread ? "the first thread of " : "", file);
		for (word = results->command; *word; word++)
			fprintf(file, "%s%s", word == results->command ? "'" : " ", *word);
		fprintf(file, "'");
	}
}

static void print_thread(FILE *file, const struct events *events, const struct task *task)
{
	char value[64];
	unsigned int i;

	fprintf(file, " thread %d (%s)\n", (int)task->tid, task->comm);
	for (i = 0; i < events->n; i++) {
		const struct event *event = &events->event[i];
		const struct perfctr_reading *reading = &task->reading[i];

		if (!results_counted(event))
			continue;
		print_value(value, sizeof(value), event, perfctr_reading_estimate(reading));
		fprintf(file, " %20s %-5s %s%s\n", value, unit(event), event->name,
			reading->quality == PERFCTR_SCALED	  ? "  (estimate)"
			: reading->quality == PERFCTR_NOT_COUNTED ? "  (never on the PMU)"
								  : "");
	}
	fprintf(file, "\n");
}

static void print_threads(FILE *file, const struct results *results)
{
	const struct tasks *tasks = results->tasks;
	size_t t;

	for (t = 0; t < tasks->n; t++)
		print_thread(file, results->events, &tasks->task[t]);
	fprintf(file, " total of %zu thread%s\n", tasks->n, tasks->n == 1 ? "" : "s");
}

void table_print(FILE *file, const struct results *results)
{
	const struct outcome *outcome = &results->outcome;
	struct footnotes notes = { .n = 0 };
	unsigned int i;

	fprintf(file, "\n counts of ");
	print_subject(file, results);
	if (results->repeats > 1)
		fprintf(file, ", mean of %u runs", results->repeats);
	fprintf(file, ":\n\n");
	if (results->per_thread)
		print_threads(file, results);
	for (i = 0; i < results->events->n; i++)
		print_row(file, results, i, &notes);
	fprintf(file, "\n %.6f s elapsed", outcome->elapsed);
	if (outcome->ran)
		fprintf(file, ", %.6f s user, %.6f s system", outcome->user, outcome->sys);
	fprintf(file, "\n");
	print_footnotes(file, &notes);
	fprintf(file, "\n");
}

void table_print_interval(FILE *file, const struct results *results, double seconds)
{
	char value[64];
	unsigned int i;

	for (i = 0; i < results->events->n; i++) {
		const struct event *event = &results->events->event[i];
		const struct perfctr_reading *delta = &results->delta[i];

		print_value(value, sizeof(value), event, perfctr_reading_estimate(delta));
		if (event->reason || delta->quality == PERFCTR_NOT_COUNTED)
			strcpy(value, "<not counted>");
		fprintf(file, " %12.6f %20s %-5s %s%s\n", seconds, value, unit(event), event->name,
			delta->quality == PERFCTR_SCALED ? "  (estimate)" : "");
	}
}
