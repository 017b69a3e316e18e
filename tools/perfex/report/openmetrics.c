// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/report/formats.h"
#include "tools/perfex/report/metrics.h"

/*
 * Families by unit, in base units. They have no type, since the two formats give the names of
 * counters different endings.
 */
static const struct family {
	const char *name, *help;
} families[] = {
	{ "perfex_events_total", "How often an event happened." },
	{ "perfex_seconds_total", "What a clock counted." },
	{ "perfex_joules_total", "Energy that an event counted." },
	{ "perfex_bytes_total", "Data that an event counted." },
	{ "perfex_other_total", "What an event counted in a unit of its own." },
};

enum { FAMILY_EVENTS, FAMILY_SECONDS, FAMILY_JOULES, FAMILY_BYTES, FAMILY_OTHER, FAMILIES };

static const struct {
	const char *name;
	unsigned int family;
	double factor;
} units[] = {
	{ "", FAMILY_EVENTS, 1 },
	{ "msec", FAMILY_SECONDS, 1e-3 },
	{ "ns", FAMILY_SECONDS, 1e-9 },
	{ "Joules", FAMILY_JOULES, 1 },
	{ "Bytes", FAMILY_BYTES, 1 },
	{ "KiB", FAMILY_BYTES, 1024 },
	{ "MiB", FAMILY_BYTES, 1024 * 1024 },
	{ "GiB", FAMILY_BYTES, 1024 * 1024 * 1024 },
};

static unsigned int family_of(const char *unit, double *factor)
{
	unsigned int i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		*factor = units[i].factor;
		if (!strcmp(units[i].name, unit))
			return units[i].family;
	}
	*factor = 1;
	return FAMILY_OTHER;
}

/* ---- labels ---- */

/* Names the command or targets for a person: files of several perfexes lie side by side. */
static char *subject(const struct results *results)
{
	char *text;
	size_t size;
	FILE *file = need(open_memstream(&text, &size));

	if (results->run->targets->n)
		targets_print(file, results->run->targets);
	else
		text_words(file, results->run->command);
	if (fclose(file) != 0)
		need(NULL);
	return text;
}

/* "what" and "name" are a label and its value. */
static void print_labels(FILE *file, const struct results *results, const char *target,
			 const struct part *part, const char *what, const char *name)
{
	text_label(file, "{target=", target);
	text_label(file, what, name);
	if (!part)
		return;
	fprintf(file, ",%s", part_kinds[results->run->breakdown->by].part);
	text_label(file, "=", part->name);
}

/* ---- samples ---- */

/* One of a name is enough: two would be the same sample. */
static bool is_again(const struct events *events, unsigned int i)
{
	unsigned int k = 0;

	while (strcmp(events->event[k].name, events->event[i].name) != 0 ||
	       events->event[k].run != events->event[i].run)
		k++;
	return k < i;
}

struct exposition {
	FILE *file;
	const struct results *results;
	const char *target;
	unsigned int family;
};

static void print_event_labels(const struct exposition *to, const struct part *part, unsigned int i)
{
	const struct event *event = &to->results->run->events->event[i];

	print_labels(to->file, to->results, to->target, part, ",event=", event->name);
	if (event->run)
		fprintf(to->file, ",run=\"%u\"", event->run);
}

static void print_count(const struct exposition *to, const struct part *part, unsigned int i)
{
	const struct event *event = &to->results->run->events->event[i];
	struct cell cell = results_sum(to->results, part, i);
	double factor;

	if (!cell.counted || family_of(event->is.unit, &factor) != to->family)
		return;
	fputs(families[to->family].name, to->file);
	print_event_labels(to, part, i);
	if (to->family == FAMILY_OTHER)
		text_label(to->file, ",unit=", event->is.unit);
	text_label(to->file, ",quality=", cell.quality_name);
	fputs("} ", to->file);
	text_scaled(to->file, cell.estimate, event->is.scale * factor);
	fputc('\n', to->file);
}

/* The part of the time for which the event was on the PMU. */
static void print_share(const struct exposition *to, const struct part *part, unsigned int i)
{
	struct cell cell = results_sum(to->results, part, i);

	if (!cell.counted || !cell.enabled)
		return;
	fputs("perfex_running_ratio", to->file);
	print_event_labels(to, part, i);
	fprintf(to->file, "} %.9g\n", (double)cell.running / (double)cell.enabled);
}

static void print_whether(const struct exposition *to, const struct part *part, unsigned int i)
{
	struct cell cell = results_sum(to->results, part, i);

	fputs("perfex_counted", to->file);
	print_event_labels(to, part, i);
	if (!cell.counted)
		text_label(to->file, ",reason=", cell.reason);
	fprintf(to->file, "} %d\n", cell.counted);
}

/* Prints each part that can have the event; a sum beside the parts would be counted twice. */
static void print_each(const struct exposition *to,
		       void (*print)(const struct exposition *to, const struct part *part,
				     unsigned int i))
{
	const struct events *events = to->results->run->events;
	const struct part *part;
	unsigned int i;
	size_t n, k;

	part = results_parts(to->results, &n);
	for (i = 0; i < events->n; i++) {
		if (is_again(events, i))
			continue;
		if (!n || events->event[i].reason)
			print(to, NULL, i);
		for (k = 0; k < n && !events->event[i].reason; k++)
			if (part_has(&part[k].reading[i]))
				print(to, &part[k], i);
	}
}

/* ---- metrics ---- */

static void print_value(const struct exposition *to, const struct part *part,
			const struct metric *metric)
{
	if (*metric->reason)
		return;
	fputs("perfex_metric", to->file);
	print_labels(to->file, to->results, to->target, part, ",metric=", metric->name);
	text_label(to->file, ",unit=", metric->is.unit);
	text_label(to->file, ",quality=", metric->quality_name);
	if (metric->level)
		fprintf(to->file, ",level=\"%u\"", metric->level);
	if (*metric->parent)
		text_label(to->file, ",parent=", metric->parent);
	fprintf(to->file, "} %.9g\n", metric->value.value);
}

static void print_error(const struct exposition *to, const struct part *part,
			const struct metric *metric)
{
	if (*metric->reason || isnan(metric->error))
		return;
	fputs("perfex_metric_error", to->file);
	print_labels(to->file, to->results, to->target, part, ",metric=", metric->name);
	text_label(to->file, ",unit=", metric->is.unit);
	fprintf(to->file, "} %.6g\n", metric->error);
}

static void print_known(const struct exposition *to, const struct part *part,
			const struct metric *metric)
{
	fputs("perfex_metric_known", to->file);
	print_labels(to->file, to->results, to->target, part, ",metric=", metric->name);
	if (*metric->reason)
		text_label(to->file, ",reason=", metric->reason);
	fprintf(to->file, "} %d\n", !*metric->reason);
}

static void print_beyond(const struct exposition *to, const struct part *part,
			 const struct metric *metric)
{
	if (*metric->reason || !*metric->is.threshold)
		return;
	fputs("perfex_metric_beyond", to->file);
	print_labels(to->file, to->results, to->target, part, ",metric=", metric->name);
	text_label(to->file, ",threshold=", metric->is.threshold);
	fprintf(to->file, "} %u\n", metric->value.beyond);
}

typedef void print_metric(const struct exposition *to, const struct part *part,
			  const struct metric *metric);

/* One that was asked for twice, or by a name for several, is one. */
static bool is_metric_again(const struct metric *metrics, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < i; k++)
		if (!strcmp(metrics[k].name, metrics[i].name))
			return true;
	return false;
}

static void print_each_metric(const struct exposition *to, print_metric *print)
{
	size_t n, k;
	const struct part *part = results_parts(to->results, &n);

	for (k = 0; k < n || k == 0; k++) {
		const struct part *its = n ? &part[k] : NULL;
		unsigned int i, all;
		struct metric *metrics = metrics_get(to->results, its, &all);

		for (i = 0; i < all; i++)
			if (!is_metric_again(metrics, i))
				print(to, its, &metrics[i]);
		free(metrics);
	}
}

/* ---- families ---- */

static bool has_family(const struct events *events, unsigned int family)
{
	unsigned int i;
	double factor;

	for (i = 0; i < events->n; i++)
		if (!events->event[i].reason &&
		    family_of(events->event[i].is.unit, &factor) == family)
			return true;
	return false;
}

static void print_gauge(FILE *file, const char *name, const char *unit, const char *help)
{
	fprintf(file, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
	if (unit)
		fprintf(file, "# UNIT %s %s\n", name, unit);
}

static void print_provenance(const struct exposition *to)
{
	const struct results *results = to->results;
	const struct run_end *first;

	print_gauge(to->file, "perfex_elapsed_seconds", "seconds", "How long has been counted.");
	text_label(to->file, "perfex_elapsed_seconds{target=", to->target);
	fprintf(to->file, "} %.6f\n",
		results->seconds > 0 ? results->seconds : results->end.elapsed);
	if (results_left(results, &first)) {
		print_gauge(to->file, "perfex_left_running", NULL,
			    "Processes that still ran when the command ended; there may be more.");
		text_label(to->file, "perfex_left_running{target=", to->target);
		fprintf(to->file, "} %u\n", first->left);
	}
	if (!results->provenance)
		return;
	print_gauge(to->file, "perfex_build_info", NULL, "What has counted; always 1.");
	text_label(to->file, "perfex_build_info{target=", to->target);
	text_label(to->file, ",version=", results->provenance->version);
	text_label(to->file, ",kernel=", results->provenance->host.release);
	text_label(to->file, ",processor=", results->provenance->processor);
	if (*results->provenance->rank)
		text_label(to->file, ",rank=", results->provenance->rank);
	fputs("} 1\n", to->file);
}

void openmetrics_print(FILE *file, const struct results *results)
{
	char *target = subject(results);
	struct exposition to = { .file = file, .results = results, .target = target };

	for (; to.family < FAMILIES; to.family++) {
		if (!has_family(results->run->events, to.family))
			continue;
		fprintf(file, "# HELP %s %s\n", families[to.family].name, families[to.family].help);
		print_each(&to, print_count);
	}
	print_gauge(file, "perfex_running_ratio", "ratio",
		    "The part of the time for which the event was on the PMU.");
	print_each(&to, print_share);
	print_gauge(file, "perfex_counted", NULL, "Whether the event was counted.");
	print_each(&to, print_whether);
	if (metrics_count(results)) {
		print_gauge(file, "perfex_metric", NULL,
			    "A formula over counts, of the last interval if there are some.");
		print_each_metric(&to, print_value);
		print_gauge(
			file, "perfex_metric_error", NULL,
			"Half of the interval around an estimate that has the value in it in 95 of 100 cases.");
		print_each_metric(&to, print_error);
		print_gauge(file, "perfex_metric_known", NULL, "Whether the metric has a value.");
		print_each_metric(&to, print_known);
		print_gauge(file, "perfex_metric_beyond", NULL,
			    "Whether the metric is beyond its vendor's threshold.");
		print_each_metric(&to, print_beyond);
	}
	print_provenance(&to);
	fputs("# EOF\n", file);
	free(target);
}
