// SPDX-License-Identifier: LGPL-2.1-or-later
#include <sys/wait.h>
#include "json.h"
#include "text.h"

static void print_reading(FILE *file, const struct results *results, unsigned int i,
			  const struct perfctr_reading *reading)
{
	const struct event *event = &results->run->events->event[i];
	uint64_t estimate = perfctr_reading_estimate(reading);
	const char *reason = results_reason(results, i, reading);

	text_json(file, "\"event\":", event->name);
	if (results_reads(results, i, reading)) {
		fprintf(file, ",\"value\":%llu,\"estimate\":%llu,\"scaled\":",
			(unsigned long long)reading->value, (unsigned long long)estimate);
		text_scaled(file, estimate, event->is.scale);
	} else {
		fputs(",\"value\":null,\"estimate\":null,\"scaled\":null", file);
	}
	text_json(file, ",\"unit\":", event->is.unit);
	fprintf(file, ",\"quality\":\"%s\",\"enabled_ns\":%llu,\"running_ns\":%llu",
		results_quality(results, i, reading), (unsigned long long)reading->enabled,
		(unsigned long long)reading->running);
	if (*reason)
		text_json(file, ",\"reason\":", reason);
	else
		fputs(",\"reason\":null", file);
}

static void print_mean(FILE *file, const struct results *results, unsigned int i)
{
	if (results_counted(results, i))
		fprintf(file, ",\"mean\":%.3f,\"deviation\":%.3f", results->result[i].mean,
			results_deviation(results, i));
	fprintf(file, ",\"runs\":%u", results->result[i].runs);
}

/* All events: of a thread (else NULL), of the last run or interval. */
static void print_events(FILE *file, const struct results *results, const struct task *task)
{
	unsigned int i;

	fputs(",\"events\":[", file);
	for (i = 0; i < results->run->events->n; i++) {
		fputs(i ? ",{" : "{", file);
		print_reading(file, results, i,
			      task ? &task->reading[i] : &results->result[i].reading);
		if (results->repeats > 1)
			print_mean(file, results, i);
		fputc('}', file);
	}
	fputc(']', file);
}

static void print_subject(FILE *file, const struct results *results)
{
	const struct targets *targets = results->run->targets;
	char **word = results->run->command;

	if (targets_process(targets))
		fprintf(file, "\"pid\":%d,", (int)targets_process(targets));
	if (targets->what) {
		fprintf(file, "\"%s\":", targets->what);
		text_json(file, "", targets->name ? targets->name : "all");
		fputc(',', file);
	}
	if (!word)
		return;
	text_json(file, "\"command\":[", *word);
	while (*++word)
		text_json(file, ",", *word);
	fputs("],", file);
}

static void print_threads(FILE *file, const struct results *results)
{
	const struct tasks *tasks = results->run->tasks;
	size_t t;

	for (t = 0; t < tasks->n; t++) {
		fprintf(file, "%s{\"tid\":%d", t ? "," : ",\"threads\":[", (int)tasks->task[t].tid);
		text_json(file, ",\"comm\":", tasks->task[t].comm);
		print_events(file, results, &tasks->task[t]);
		fputs(t + 1 == tasks->n ? "}]" : "}", file);
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
	fputc('{', file);
	if (results->seconds > 0) {
		fprintf(file, "\"time_s\":%.6f", results->seconds);
		print_events(file, results, NULL);
	} else {
		print_subject(file, results);
		fprintf(file, "\"runs\":%u,\"failed_runs\":%u", results->repeats, results->failed);
		print_events(file, results, NULL);
		if (results->run->per_thread)
			print_threads(file, results);
		print_outcome(file, &results->outcome);
	}
	fputs("}\n", file);
}
