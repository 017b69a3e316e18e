// SPDX-License-Identifier: LGPL-2.1-or-later
#include "csv.h"
#include "text.h"

static void print_reading(FILE *file, const struct results *results, unsigned int i,
			  const struct perfctr_reading *reading)
{
	const struct event *event = &results->run->events->event[i];

	if (results_reads(results, i, reading)) {
		fprintf(file, "%llu,", (unsigned long long)perfctr_reading_estimate(reading));
		text_scaled(file, perfctr_reading_estimate(reading), event->is.scale);
	} else {
		fputc(',', file);
	}
	text_csv(file, ",", event->is.unit);
	text_csv(file, ",", event->name);
	fprintf(file, ",%s,%llu,%llu", results_quality(results, i, reading),
		(unsigned long long)reading->enabled, (unsigned long long)reading->running);
	text_csv(file, ",", results_reason(results, i, reading));
}

static void print_mean(FILE *file, const struct results *results, unsigned int i)
{
	if (results_counted(results, i))
		fprintf(file, ",%.3f,%.3f", results->result[i].mean, results_deviation(results, i));
	else
		fputs(",,", file);
	fprintf(file, ",%u", results->result[i].runs);
}

/* All events: of a task, or (NULL) of all of them. */
static void print_rows(FILE *file, const struct results *results, const char *first,
		       const struct task *task)
{
	unsigned int i;

	for (i = 0; i < results->run->events->n; i++) {
		fputs(first, file);
		print_reading(file, results, i,
			      task ? &task->reading[i] : &results->result[i].reading);
		if (results->repeats > 1)
			print_mean(file, results, i);
		fputc('\n', file);
	}
}

static void print_header(FILE *file, const struct results *results, const char *first)
{
	fprintf(file, "%svalue,scaled,unit,event,quality,enabled_ns,running_ns,reason%s\n", first,
		results->repeats > 1 ? ",mean,deviation,runs" : "");
}

static void print_interval(FILE *file, const struct results *results)
{
	char first[32];

	if (results->intervals == 1)
		print_header(file, results, "time_s,");
	snprintf(first, sizeof(first), "%.6f,", results->seconds);
	print_rows(file, results, first, NULL);
}

void csv_print(FILE *file, const struct results *results)
{
	const struct tasks *tasks = results->run->tasks;
	bool per_thread = results->run->per_thread;
	char first[32];
	size_t t;

	if (results->seconds > 0)
		print_interval(file, results);
	if (results->intervals)
		return; /* they are the output */
	print_header(file, results, per_thread ? "tid," : "");
	for (t = 0; t < tasks->n && per_thread; t++) {
		snprintf(first, sizeof(first), "%d,", (int)tasks->task[t].tid);
		print_rows(file, results, first, &tasks->task[t]);
	}
	print_rows(file, results, per_thread ? "total," : "", NULL);
}
