// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include "tools/perfex/base/text.h"
#include "tools/perfex/report/formats.h"
#include "tools/perfex/report/metrics.h"
#include "tools/perfex/report/verdict.h"

static void print_cell(FILE *file, const struct results *results, const struct part *part,
		       unsigned int i)
{
	const struct event *event = &results->run->events->event[i];
	struct cell cell = results_cell(results, part, i);

	if (cell.counted) {
		fprintf(file, "%llu,", (unsigned long long)cell.estimate);
		text_scaled(file, cell.estimate, event->is.scale);
	} else {
		fputc(',', file);
	}
	text_csv(file, ",", event->is.unit);
	text_csv(file, ",", event->name);
	fprintf(file, ",%s,%llu,%llu", cell.quality_name, (unsigned long long)cell.enabled,
		(unsigned long long)cell.running);
	text_csv(file, ",", cell.reason);
	if (metrics_count(results))
		fputs(",,,", file);
}

static void print_summary(FILE *file, const struct series *series)
{
	struct summary summary = series_summary(series);

	if (summary.n)
		fprintf(file, ",%.3f,%.3f,%u,%.15g,%.15g,%.15g", summary.mean,
			summary_deviation(&summary), summary.n, summary.minimum, summary.median,
			summary.maximum);
	else
		fputs(",,,0,,,", file);
}

static void print_run(FILE *file, const struct results *results)
{
	struct series series = results_elapsed(results);
	struct summary summary = series_summary(&series);

	fprintf(file, ",%u,%.9f,%.9f", results->failed, summary.mean, summary_deviation(&summary));
	series_free(&series);
}

/* The command as a person would write it, in one field. */
static void print_command(FILE *file, char **word)
{
	char *text;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		return;
	if (word)
		text_words(line, word);
	if (fclose(line) == 0)
		text_csv(file, ",", text);
	free(text);
}

static void print_provenance(FILE *file, const struct results *results)
{
	const struct provenance *provenance = results->provenance;

	text_csv(file, ",", provenance->time);
	text_csv(file, ",", provenance->host.nodename);
	text_csv(file, ",", provenance->rank);
	text_csv(file, ",", provenance->version);
	text_csv(file, ",", provenance->host.release);
	print_command(file, results->run->command);
}

/* The columns in front: of which interval, and of which part. */
static void print_first(FILE *file, const struct results *results, const struct part *part)
{
	enum by by = results->run->breakdown ? results->run->breakdown->by : BY_NOTHING;

	if (results->seconds > 0)
		fprintf(file, "%.6f,", results->seconds);
	if (by == BY_NOTHING)
		return;
	text_csv(file, "", part ? part->name : "total");
	fputc(',', file);
	if (by > BY_CPU)
		fprintf(file, part ? "%u," : ",", part ? part->cpus : 0);
}

/* A metric has no count: its value is in the column of the scaled ones. */
static void print_metric(FILE *file, const struct metric *metric)
{
	fprintf(file, ",%s", *metric->reason ? "" : metric->text);
	text_csv(file, ",", metric->is.unit);
	text_csv(file, ",", metric->name);
	fprintf(file, ",%s,,", metric->quality_name);
	text_csv(file, ",", metric->value.beyond ? metric->is.threshold : metric->reason);
	fputc(',', file);
	if (!isnan(metric->error))
		fprintf(file, "%.6g", metric->error);
	fputc(',', file);
	if (metric->level)
		fprintf(file, "%u", metric->level);
	text_csv(file, ",", metric->parent);
}

/* The columns at the end. */
static void print_end(FILE *file, const struct results *results, unsigned int run)
{
	if (results->provenance)
		print_provenance(file, results);
	if (results->drilled)
		fprintf(file, ",%u", run);
	fputc('\n', file);
}

static void print_metrics(FILE *file, const struct results *results, const struct part *part)
{
	unsigned int i, n;
	struct metric *metrics = metrics_get(results, part, &n);

	for (i = 0; i < n; i++) {
		print_first(file, results, part);
		print_metric(file, &metrics[i]);
		if (results->repeats > 1) {
			fputs(",,,,,,", file);
			print_run(file, results);
		}
		print_end(file, results, metrics[i].run);
	}
	free(metrics);
}

/* Prints all events, and metrics, for a part, or (NULL) for all. */
static void print_rows(FILE *file, const struct results *results, const struct part *part)
{
	unsigned int i;

	for (i = 0; i < results->run->events->n; i++) {
		print_first(file, results, part);
		print_cell(file, results, part, i);
		if (results->repeats > 1) {
			print_summary(file, &results->result[i].taken.series);
			print_run(file, results);
		}
		print_end(file, results, results->run->events->event[i].run);
	}
	print_metrics(file, results, part);
}

static void print_header(FILE *file, const struct results *results)
{
	enum by by = results->run->breakdown ? results->run->breakdown->by : BY_NOTHING;

	if (results->no_header)
		return;
	fputs(results->seconds > 0 ? "time_s," : "", file);
	if (by != BY_NOTHING)
		fprintf(file, by > BY_CPU ? "%s,cpus," : "%s,", part_kinds[by].part);
	fprintf(file, "value,scaled,unit,event,quality,enabled_ns,running_ns,reason%s%s%s%s\n",
		metrics_count(results) ? ",error,level,parent" : "",
		results->repeats > 1 ? ",mean,deviation,runs,minimum,median,maximum,failed_runs,"
				       "elapsed_s,elapsed_deviation"
				     : "",
		results->provenance ? ",time,host,rank,perfex,kernel,command" : "",
		results->drilled ? ",run" : "");
}

void csv_print(FILE *file, const struct results *results)
{
	size_t n, k;
	const struct part *part = results_parts(results, &n);

	if (results->intervals && !(results->seconds > 0))
		return; /* the intervals are the output */
	if (results->comparison) {
		verdict_csv(file, results->comparison, !results->no_header);
		return;
	}
	if (results->intervals <= 1)
		print_header(file, results);
	for (k = 0; k < n; k++)
		print_rows(file, results, &part[k]);
	print_rows(file, results, NULL);
}
