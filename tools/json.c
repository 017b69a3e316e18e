// SPDX-License-Identifier: LGPL-2.1-or-later
#include <sys/wait.h>
#include "json.h"
#include "text.h"

/* An object of an event, to which there may be more. */
static void print_reading(FILE *file, const struct event *event,
			  const struct perfctr_reading *reading)
{
	fprintf(file, "{\"event\":");
	text_json(file, event->name);
	if (results_counted(event))
		fprintf(file, ",\"value\":%llu,\"estimate\":%llu",
			(unsigned long long)reading->value,
			(unsigned long long)perfctr_reading_estimate(reading));
	else
		fprintf(file, ",\"value\":null,\"estimate\":null");
	fprintf(file, ",\"unit\":\"%s\",\"quality\":\"%s\",\"enabled_ns\":%llu,\"running_ns\":%llu",
		results_is_clock(event) ? "ns" : "", results_quality(event, reading),
		(unsigned long long)reading->enabled, (unsigned long long)reading->running);
	fprintf(file, ",\"reason\":");
	if (event->reason)
		text_json(file, event->reason);
	else
		fprintf(file, "null");
}

/* Readings of all events, of a thread or in an interval. */
static void print_readings(FILE *file, const struct events *events,
			   const struct perfctr_reading *reading)
{
	unsigned int i;

	fprintf(file, "\"events\":[");
	for (i = 0; i < events->n; i++) {
		fprintf(file, "%s", i ? "," : "");
		print_reading(file, &events->event[i], &reading[i]);
		fprintf(file, "}");
	}
	fprintf(file, "]");
}

static void print_events(FILE *file, const struct results *results)
{
	double mean, deviation;
	unsigned int i;

	fprintf(file, "\"events\":[");
	for (i = 0; i < results->events->n; i++) {
		const struct event *event = &results->events->event[i];

		fprintf(file, "%s", i ? "," : "");
		print_reading(file, event, &event->reading);
		if (results->repeats > 1 && results_counted(event)) {
			mean = results_mean(results, i, &deviation);
			fprintf(file, ",\"mean\":%.3f,\"deviation\":%.3f", mean, deviation);
		}
		fprintf(file, "}");
	}
	fprintf(file, "]");
}

static void print_subject(FILE *file, const struct results *results)
{
	const struct targets *targets = results->targets;
	char **word;

	if (targets_process(targets))
		fprintf(file, "\"pid\":%d,", (int)targets_process(targets));
	if (targets->what) {
		fprintf(file, "\"%s\":", targets->what);
		text_json(file, targets->name);
		fprintf(file, ",");
	}
	if (!results->command)
		return;
	fprintf(file, "\"command\":[");
	for (word = results->command; *word; word++) {
		fprintf(file, "%s", word == results->command ? "" : ",");
		text_json(file, *word);
	}
	fprintf(file, "],");
}

static void print_threads(FILE *file, const struct results *results)
{
	const struct task *task = results->tasks->task;
	size_t t, n = results->tasks->n;

	for (t = 0; t < n; t++, task++) {
		fprintf(file, "%s{\"tid\":%d,\"comm\":", t ? "," : ",\"threads\":[",
			(int)task->tid);
		text_json(file, task->comm);
		fprintf(file, ",");
		print_readings(file, results->events, task->reading);
		fprintf(file, "}%s", t + 1 == n ? "]" : "");
	}
}

static void print_outcome(FILE *file, const struct outcome *outcome)
{
	fprintf(file, ",\"elapsed_s\":%.6f", outcome->elapsed);
	if (!outcome->ran)
		return;
	fprintf(file, ",\"user_s\":%.6f,\"sys_s\":%.6f", outcome->user, outcome->sys);
	if (WIFEXITED(outcome->status))
		fprintf(file, ",\"exit_status\":%d", WEXITSTATUS(outcome->status));
	else
		fprintf(file, ",\"signal\":%d", WTERMSIG(outcome->status));
}

void json_print(FILE *file, const struct results *results)
{
	fprintf(file, "{");
	print_subject(file, results);
	fprintf(file, "\"runs\":%u,", results->repeats);
	print_events(file, results);
	if (results->per_thread)
		print_threads(file, results);
	print_outcome(file, &results->outcome);
	fprintf(file, "}\n");
}

void json_print_interval(FILE *file, const struct results *results, double seconds)
{
	fprintf(file, "{\"time_s\":%.6f,", seconds);
	print_readings(file, results->events, results->delta);
	fprintf(file, "}\n");
}
