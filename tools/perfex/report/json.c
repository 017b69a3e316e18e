// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "tools/perfex/base/text.h"
#include "tools/perfex/report/formats.h"
#include "tools/perfex/report/metrics.h"
#include "tools/perfex/report/verdict.h"

static void print_cell(FILE *file, const struct results *results, const struct part *part,
		       unsigned int i)
{
	const struct event *event = &results->run->events->event[i];
	struct cell cell = results_cell(results, part, i);

	text_json(file, "\"event\":", event->name);
	if (event->asked)
		text_json(file, ",\"asked\":", event->asked);
	if (event->run)
		fprintf(file, ",\"run\":%u", event->run);
	if (cell.counted) {
		fprintf(file, ",\"value\":%llu,\"estimate\":%llu,\"scaled\":",
			(unsigned long long)cell.value, (unsigned long long)cell.estimate);
		text_scaled(file, cell.estimate, event->is.scale);
	} else {
		fputs(",\"value\":null,\"estimate\":null,\"scaled\":null", file);
	}
	text_json(file, ",\"unit\":", event->is.unit);
	fprintf(file, ",\"quality\":\"%s\",\"enabled_ns\":%llu,\"running_ns\":%llu",
		cell.quality_name, (unsigned long long)cell.enabled,
		(unsigned long long)cell.running);
	if (*cell.reason)
		text_json(file, ",\"reason\":", cell.reason);
	else
		fputs(",\"reason\":null", file);
}

static void print_summary(FILE *file, const struct series *series)
{
	struct summary summary = series_summary(series);

	if (summary.n)
		fprintf(file,
			",\"mean\":%.3f,\"deviation\":%.3f,\"minimum\":%.15g,\"median\":%.15g,"
			"\"maximum\":%.15g",
			summary.mean, summary_deviation(&summary), summary.minimum, summary.median,
			summary.maximum);
	fprintf(file, ",\"runs\":%u", summary.n);
}

/* Prints each run's count, null if it has none. */
static void print_values(FILE *file, const struct series *series)
{
	unsigned int r;

	fputs(",\"values\":[", file);
	for (r = 0; r < series->n; r++)
		fprintf(file, isnan(series->value[r]) ? "%snull" : "%s%.0f", r ? "," : "",
			series->value[r]);
	fputc(']', file);
}

static void print_metric(FILE *file, const struct metric *metric)
{
	text_json(file, "\"metric\":", metric->name);
	if (metric->run)
		fprintf(file, ",\"run\":%u", metric->run);
	fprintf(file, ",\"value\":%s", *metric->reason ? "null" : metric->text);
	text_json(file, ",\"unit\":", metric->is.unit);
	fprintf(file, ",\"quality\":\"%s\"", metric->quality_name);
	if (!isnan(metric->error))
		fprintf(file, ",\"error\":%.6g", metric->error);
	if (*metric->is.threshold) {
		text_json(file, ",\"threshold\":", metric->is.threshold);
		fprintf(file, ",\"beyond\":%s", metric->value.beyond ? "true" : "false");
	}
	if (metric->level)
		fprintf(file, ",\"level\":%u", metric->level);
	if (*metric->parent)
		text_json(file, ",\"parent\":", metric->parent);
	if (metric->level && *metric->sample)
		text_json(file, ",\"sample\":", metric->sample);
	if (*metric->reason)
		text_json(file, ",\"reason\":", metric->reason);
	else
		fputs(",\"reason\":null", file);
}

/* Prints all metrics, if there are any. */
static void print_metrics(FILE *file, const struct results *results, const struct part *part)
{
	unsigned int i, n;
	struct metric *metrics = metrics_get(results, part, &n);

	for (i = 0; i < n; i++) {
		fputs(i ? ",{" : ",\"metrics\":[{", file);
		print_metric(file, &metrics[i]);
		fputs(i + 1 == n ? "}]" : "}", file);
	}
	free(metrics);
}

/*
 * Prints all events, and metrics, for a part, or (NULL) for all; in the interval if there is one.
 */
static void print_events(FILE *file, const struct results *results, const struct part *part)
{
	unsigned int i;

	fputs(",\"events\":[", file);
	for (i = 0; i < results->run->events->n; i++) {
		fputs(i ? ",{" : "{", file);
		print_cell(file, results, part, i);
		if (results->repeats > 1)
			print_summary(file, &results->result[i].taken.series);
		if (results->repeats && !(results->seconds > 0) && !part)
			print_values(file, &results->result[i].taken.series);
		fputc('}', file);
	}
	fputc(']', file);
	print_metrics(file, results, part);
}

static void print_ids(FILE *file, const struct targets *targets)
{
	bool threads = targets->target->type == PERFCTR_TARGET_THREAD;
	unsigned int i;

	if (targets->n == 1) {
		fprintf(file, "\"%s\":%d,", threads ? "tid" : "pid", targets->target->id);
		return;
	}
	fprintf(file, "\"%s\":[", threads ? "tids" : "pids");
	for (i = 0; i < targets->n; i++)
		fprintf(file, "%s%d", i ? "," : "", targets->target[i].id);
	fputs("],", file);
}

void json_subject(FILE *file, const struct targets *targets, char *const command[])
{
	char *const *word = command;

	if (targets->n && !targets->what)
		print_ids(file, targets);
	/* Several cgroups are parts. */
	if (targets->what && (targets->n == 1 || !targets->target->cgroup)) {
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

/* Prints the kind and name of a part. */
static void print_part(FILE *file, enum by by, const struct part *part)
{
	fprintf(file, "{\"%s\":", part_kinds[by].part);
	if (by == BY_THREAD || by == BY_CPU)
		fputs(part->name, file);
	else
		text_json(file, "", part->name);
	if (by == BY_THREAD)
		text_json(file, ",\"comm\":", part->comm);
	if (by > BY_CPU)
		fprintf(file, ",\"cpus\":%u", part->cpus);
}

static void print_parts(FILE *file, const struct results *results)
{
	size_t n, k;
	const struct part *part = results_parts(results, &n);

	for (k = 0; k < n; k++) {
		fprintf(file, k ? "," : ",\"%s\":[", part_kinds[results->run->breakdown->by].list);
		print_part(file, results->run->breakdown->by, &part[k]);
		print_events(file, results, &part[k]);
		fputs(k + 1 == n ? "}]" : "}", file);
	}
}

static void print_status(FILE *file, const struct run_end *end)
{
	if (WIFEXITED(end->status))
		fprintf(file, ",\"exit_status\":%d", WEXITSTATUS(end->status));
	else
		fprintf(file, ",\"signal\":%d", WTERMSIG(end->status));
	if (end->timed_out)
		fputs(",\"timed_out\":true", file);
}

/* Prints how many processes the command left. */
static void print_left(FILE *file, const struct run_end *end)
{
	if (end->left)
		fprintf(file, ",\"left_running\":%u,\"left_exactly\":%s", end->left,
			end->left_more ? "false" : "true");
}

static void print_times(FILE *file, const char *before, const struct run_end *end)
{
	fprintf(file, "%s\"elapsed_s\":%.6f", before, end->elapsed);
	if (!end->ran)
		return;
	fprintf(file, ",\"user_s\":%.6f,\"sys_s\":%.6f", end->user, end->sys);
}

void json_end(FILE *file, const struct run_end *end)
{
	print_times(file, ",", end);
	if (end->ran)
		print_status(file, end);
}

/* The seconds of several runs; and each of these. */
static void print_series(FILE *file, const struct results *results)
{
	struct series series = results_elapsed(results);
	struct summary summary = series_summary(&series);
	unsigned int r;

	fprintf(file,
		",\"elapsed\":{\"mean\":%.9f,\"deviation\":%.9f,\"minimum\":%.9f,\"median\":%.9f,"
		"\"maximum\":%.9f},\"series\":[",
		summary.mean, summary_deviation(&summary), summary.minimum, summary.median,
		summary.maximum);
	for (r = 0; r < results->repeats; r++) {
		print_times(file, r ? ",{" : "{", &results->ends[r]);
		print_status(file, &results->ends[r]);
		print_left(file, &results->ends[r]);
		fputs(results_takes(results, r) ? "}" : ",\"left_out\":true}", file);
	}
	fputc(']', file);
	series_free(&series);
}

void json_provenance(FILE *file, const struct provenance *provenance)
{
	text_json(file, ",\"origin\":{\"time\":", provenance->time);
	text_json(file, ",\"host\":", provenance->host.nodename);
	if (*provenance->rank)
		fprintf(file, ",\"rank\":%s", provenance->rank);
	text_json(file, ",\"perfex\":", provenance->version);
	text_json(file, ",\"kernel\":", provenance->host.release);
	text_json(file, ",\"machine\":", provenance->host.machine);
	text_json(file, ",\"processor\":", provenance->processor);
	fputc('}', file);
}

static void print_emulation(FILE *file, const struct valgrind *valgrind)
{
	text_json(file, ",\"emulator\":", valgrind->version);
	if (valgrind->emulator.once)
		fprintf(file, ",\"repeats\":%llu",
			(unsigned long long)valgrind->count[COLUMN_REPEATS]);
}

static void print_all(FILE *file, const struct results *results)
{
	const struct run_end *first;

	json_subject(file, results->run->targets, results->run->command);
	fprintf(file, "\"runs\":%u,\"failed_runs\":%u", results->repeats, results->failed);
	if (results->repeats > 1)
		fprintf(file, ",\"left_out_runs\":%u", results->left_out);
	if (results->drilled)
		fprintf(file, ",\"drilldown_runs\":%u", results->drilled);
	print_events(file, results, NULL);
	print_parts(file, results);
	if (results->provenance)
		json_provenance(file, results->provenance);
	if (results->run->valgrind)
		print_emulation(file, results->run->valgrind);
	if (results_missing(results))
		text_json(file, ",\"incomplete\":", results_missing(results));
	if (results->repeats > 1)
		print_series(file, results);
	if (results->comparison)
		verdict_json(file, results->comparison);
	json_end(file, &results->end);
	if (results_left(results, &first))
		print_left(file, first);
}

void json_print(FILE *file, const struct results *results)
{
	if (results->seconds > 0) {
		fprintf(file, "{\"type\":\"interval\",\"time_s\":%.6f", results->seconds);
		print_events(file, results, NULL);
		print_parts(file, results);
	} else {
		fputs("{\"type\":\"counts\",", file);
		print_all(file, results);
	}
	fputs("}\n", file);
}
