// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/report/metrics.h"

unsigned int metrics_count(const struct results *results)
{
	return results->metric ? results->metrics
			       : perfctr_metrics_size(results->run->events->metrics);
}

/* Returns a cell's value as a reading that needs no further estimate. */
static struct perfctr_reading reading_of(const struct cell *cell)
{
	return (struct perfctr_reading){
		.value = cell->estimate,
		.enabled = cell->enabled,
		.running = cell->enabled,
		.quality = cell->counted ? cell->quality : PERFCTR_NOT_COUNTED,
	};
}

/* Whether the metric has no value if this event alone, of n, was not counted. */
static bool needs(const struct perfctr_metrics *metrics, unsigned int i, unsigned int event,
		  struct perfctr_reading *readings, unsigned int n)
{
	struct perfctr_metric_value value;
	unsigned int k;

	for (k = 0; k < n; k++)
		readings[k].quality = k == event ? PERFCTR_NOT_COUNTED : PERFCTR_EXACT;
	perfctr_metrics_value(metrics, i, readings, &value);
	return value.quality == PERFCTR_NOT_COUNTED;
}

/*
 * Why the first event of the metric that was not counted was not; the metric's own reason if all
 * were. Changes the readings' qualities.
 */
static const char *reason_of(const struct results *results, const struct part *part, unsigned int i,
			     struct perfctr_reading *readings, unsigned int n,
			     const struct perfctr_metric_value *value)
{
	const struct events *events = results->run->events;
	unsigned int k;

	for (k = 0; k < n && value->quality == PERFCTR_NOT_COUNTED; k++) {
		struct cell cell = results_cell(results, part, events->metrics_first + k);

		if (!cell.counted && *cell.reason && needs(events->metrics, i, k, readings, n))
			return cell.reason;
	}
	return value->reason;
}

/* Returns the error in one run as a whole, or in an interval that has just ended. */
static double error_of(const struct results *results, const struct part *part, unsigned int i,
		       const struct perfctr_metric_value *value)
{
	const struct slices *slices = &results->slices;
	double error;

	if (part || (results->intervals ? !(results->seconds > 0) : results->repeats != 1) ||
	    value->quality != PERFCTR_SCALED ||
	    perfctr_metrics_error(results->run->events->metrics, i, slices->reading, slices->n,
				  &error) < 0)
		return NAN;
	return error;
}

/* The name by which a metric is shown. */
static void name_metric(char *text, size_t size, const char *core, const char *name)
{
	snprintf(text, size, *core ? "%s/%s/" : "%s%s", core, name);
}

static struct perfctr_reading *read_all(const struct results *results, const struct part *part,
					unsigned int n)
{
	struct perfctr_reading *readings = need(calloc(n + 1, sizeof(*readings)));
	unsigned int k;

	for (k = 0; k < n; k++) {
		struct cell cell = results_cell(results, part,
						results->run->events->metrics_first + k);

		readings[k] = reading_of(&cell);
	}
	return readings;
}

static void write_value(struct metric *metric)
{
	snprintf(metric->text, sizeof(metric->text), "%s",
		 metric->value.quality == PERFCTR_NOT_COUNTED ? "<not counted>" : "<no value>");
	if (!metric->value.reason)
		snprintf(metric->text, sizeof(metric->text), "%.3f", metric->value.value);
}

static void describe(struct metric *metric, const struct perfctr_metrics *metrics, unsigned int i)
{
	struct perfctr_metric_node node;

	perfctr_metrics_metric(metrics, i, &metric->is);
	perfctr_metrics_node(metrics, i, &node);
	name_metric(metric->name, sizeof(metric->name), metric->is.core, metric->is.name);
	if (*node.parent)
		name_metric(metric->parent, sizeof(metric->parent), metric->is.core, node.parent);
	metric->sample = node.sample;
	metric->level = node.level;
}

static struct metric *compute(const struct results *results, const struct part *part,
			      unsigned int n)
{
	const struct events *events = results->run->events;
	unsigned int i, k = events->first[EVENTS_NUMBERS] - events->metrics_first;
	struct metric *all = need(calloc(n, sizeof(*all)));
	struct perfctr_metric_value *values = need(calloc(n, sizeof(*values)));
	struct perfctr_reading *readings = read_all(results, part, k);

	perfctr_metrics_values(events->metrics, readings, values);
	for (i = 0; i < n; i++) {
		all[i] = (struct metric){ .value = values[i], .reason = "" };
		describe(&all[i], events->metrics, i);
		all[i].error = error_of(results, part, i, &values[i]);
		all[i].quality_name = results_quality(results, values[i].quality);
		if (values[i].reason)
			all[i].reason = reason_of(results, part, i, readings, k, &values[i]);
		write_value(&all[i]);
	}
	free(readings);
	free(values);
	return all;
}

struct metric *metrics_get(const struct results *results, const struct part *part, unsigned int *n)
{
	struct metric *all;

	*n = metrics_count(results);
	if (!*n)
		return NULL;
	if (!results->metric)
		return compute(results, part, *n);
	all = need(calloc(*n, sizeof(*all)));
	memcpy(all, results->metric, *n * sizeof(*all));
	return all;
}

char *metrics_event(const struct metric *metric, const char *event)
{
	char *name;

	if (asprintf(&name, *metric->is.core ? "%s/%s/" : "%s%s", metric->is.core, event) < 0)
		need(NULL);
	return name;
}
