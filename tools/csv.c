// SPDX-License-Identifier: LGPL-2.1-or-later
#include "csv.h"
#include "text.h"

static void print_row(FILE *file, const struct event *event, const struct perfctr_reading *reading)
{
	if (results_counted(event))
		fprintf(file, "%llu", (unsigned long long)perfctr_reading_estimate(reading));
	fprintf(file, ",%s,", results_is_clock(event) ? "ns" : "");
	text_csv(file, event->name);
	fprintf(file, ",%s,%llu,%llu,", results_quality(event, reading),
		(unsigned long long)reading->enabled, (unsigned long long)reading->running);
	text_csv(file, event->reason ? event->reason : "");
}

static void print_header(FILE *file, const struct results *results, const char *first)
{
	fprintf(file, "%svalue,unit,event,quality,enabled_ns,running_ns,reason%s\n", first,
		results->repeats > 1 ? ",mean,deviation" : "");
}

static void print_thread(FILE *file, const struct results *results, const struct task *task)
{
	unsigned int i;

	for (i = 0; i < results->events->n; i++) {
		fprintf(file, "%d,", (int)task->tid);
		print_row(file, &results->events->event[i], &task->reading[i]);
		fputc('\n', file);
	}
}

static void print_mean(FILE *file, const struct results *results, unsigned int i)
{
	double deviation, mean = results_mean(results, i, &deviation);

	if (results_counted(&results->events->event[i]))
		fprintf(file, ",%.3f,%.3f", mean, deviation);
	else
		fputs(",,", file);
}

void csv_print(FILE *file, const struct results *results)
{
	bool per_thread = results->per_thread;
	unsigned int i;
	size_t t;

	if (results->intervals)
		return; /* they are the output */
	print_header(file, results, per_thread ? "tid," : "");
	for (t = 0; t < results->tasks->n && per_thread; t++)
		print_thread(file, results, &results->tasks->task[t]);
	for (i = 0; i < results->events->n; i++) {
		const struct event *event = &results->events->event[i];

		fputs(per_thread ? "total," : "", file);
		print_row(file, event, &event->reading);
		if (results->repeats > 1)
			print_mean(file, results, i);
		fputc('\n', file);
	}
}

void csv_print_interval(FILE *file, const struct results *results, double seconds)
{
	unsigned int i;

	if (results->intervals == 1)
		print_header(file, results, "time_s,");
	for (i = 0; i < results->events->n; i++) {
		fprintf(file, "%.6f,", seconds);
		print_row(file, &results->events->event[i], &results->delta[i]);
		fputc('\n', file);
	}
}
