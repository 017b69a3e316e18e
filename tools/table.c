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

/* What is to be said of a count: how sure it is. */
static void print_note(char *note, size_t size, const struct results *results, unsigned int i)
{
	const struct result *result = &results->result[i];
	const struct perfctr_reading *all = &result->all;
	int n = 0;

	if (result->runs > 1)
		n += snprintf(note, size, "  ± %.2f%%",
			      result->mean > 0 ? 100 * results_deviation(results, i) /
							 sqrt(result->runs - 1) / result->mean
					       : 0);
	if (all->quality == PERFCTR_SCALED)
		n += snprintf(note + n, size - (size_t)n,
			      "  (estimate: counted %.2f%% of the time)",
			      100 * (double)all->running / (double)all->enabled);
	else if (all->quality == PERFCTR_STALE)
		n += snprintf(note + n, size - (size_t)n, "  (stale: a processor went offline)");
	if (result->runs < results->repeats)
		snprintf(note + n, size - (size_t)n, "  (counted in %u of %u runs)", result->runs,
			 results->repeats);
}

static void print_row(FILE *file, const struct results *results, unsigned int i,
		      struct footnotes *notes)
{
	const struct event *event = &results->run->events->event[i];
	char value[64], note[128] = "", ratio[128];

	if (!results_counted(results, i)) {
		fprintf(file, " %20s        %-28s [%u]\n", "<not counted>", event->name,
			footnote(notes, results_reason(results, i, &results->result[i].reading)));
		return;
	}
	print_value(value, sizeof(value), event, results_value(results, i));
	print_note(note, sizeof(note), results, i);
	ratio_print(ratio, sizeof(ratio), results, i);
	fprintf(file, " %20s %-6s %-*s%s%s%s\n", value, event->is.unit, *note || *ratio ? 28 : 0,
		event->name, *ratio ? " " : "", ratio, note);
}

static void print_subject(FILE *file, const struct results *results)
{
	const struct targets *targets = results->run->targets;
	char **word = results->run->command;

	if (targets->name) {
		fprintf(file, "%s %s", targets->what, targets->name);
	} else if (targets->what) {
		fprintf(file, "all %s", targets->what);
	} else if (targets_process(targets)) {
		fprintf(file, "process %d", (int)targets_process(targets));
	} else {
		fprintf(file, "%s'%s",
			results->run->first_thread || results->run->driver ? "the first thread of "
									   : "",
			*word);
		while (*++word)
			fprintf(file, " %s", *word);
		fputc('\'', file);
	}
}

/* All events, of one task, or of an interval. */
static void print_brief(FILE *file, const struct results *results, const struct task *task)
{
	char value[64];
	unsigned int i;

	for (i = 0; i < results->run->events->n; i++) {
		const struct event *event = &results->run->events->event[i];
		const struct perfctr_reading *reading = task ? &task->reading[i]
							     : &results->result[i].reading;

		if (task && event->reason)
			continue; /* the total says it */
		print_value(value, sizeof(value), event, perfctr_reading_estimate(reading));
		if (!task)
			fprintf(file, " %12.6f", results->seconds);
		fprintf(file, " %20s %-6s %s%s\n",
			results_reads(results, i, reading) ? value : "<not counted>",
			event->is.unit, event->name,
			reading->quality == PERFCTR_SCALED ? "  (estimate)" : "");
	}
}

static void print_threads(FILE *file, const struct results *results)
{
	const struct tasks *tasks = results->run->tasks;
	size_t t;

	for (t = 0; t < tasks->n; t++) {
		fprintf(file, " thread %d (%s)\n", (int)tasks->task[t].tid, tasks->task[t].comm);
		print_brief(file, results, &tasks->task[t]);
		fputc('\n', file);
	}
	fprintf(file, " total of %zu thread%s\n", tasks->n, tasks->n == 1 ? "" : "s");
}

static void print_all(FILE *file, const struct results *results)
{
	const struct outcome *outcome = &results->outcome;
	struct footnotes notes = { .n = 0 };
	unsigned int i;

	fputs("\n counts of ", file);
	print_subject(file, results);
	if (results->repeats > 1)
		fprintf(file, ", mean of %u runs", results->repeats);
	if (results->repeats > 1 && results->failed)
		fprintf(file, ", %u of which failed", results->failed);
	fputs(":\n\n", file);
	if (results->run->per_thread)
		print_threads(file, results);
	for (i = 0; i < results->run->events->n; i++)
		print_row(file, results, i, &notes);
	fprintf(file, "\n %.6f s elapsed", outcome->elapsed);
	if (outcome->ran)
		fprintf(file, ", %.6f s user, %.6f s system", outcome->user, outcome->sys);
	fputc('\n', file);
	print_footnotes(file, &notes);
	fputc('\n', file);
}

void table_print(FILE *file, const struct results *results)
{
	if (results->seconds > 0)
		print_brief(file, results, NULL);
	else
		print_all(file, results);
}
