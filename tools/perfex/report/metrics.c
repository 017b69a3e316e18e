// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/report/metrics.h"

unsigned int metrics_count(const struct results *results)
{
	return perfctr_metrics_size(results->run->events->metrics);
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
 * were. Changes the readings.
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

struct metric metrics_get(const struct results *results, const struct part *part, unsigned int i)
{
	const struct events *events = results->run->events;
	unsigned int k, n = events->first[EVENTS_NUMBERS] - events->metrics_first;
	struct perfctr_reading *readings = need(calloc(n, sizeof(*readings)));
	struct metric metric = { .reason = "" };

	for (k = 0; k < n; k++) {
		struct cell cell = results_cell(results, part, events->metrics_first + k);

		readings[k] = reading_of(&cell);
	}
	perfctr_metrics_metric(events->metrics, i, &metric.is);
	snprintf(metric.name, sizeof(metric.name), *metric.is.core ? "%s/%s/" : "%s%s",
		 metric.is.core, metric.is.name);
	perfctr_metrics_value(events->metrics, i, readings, &metric.value);
	metric.error = error_of(results, part, i, &metric.value);
	metric.quality_name = results_quality(results, metric.value.quality);
	if (metric.value.reason)
		metric.reason = reason_of(results, part, i, readings, n, &metric.value);
	free(readings);
	snprintf(metric.text, sizeof(metric.text), "%s",
		 metric.value.quality == PERFCTR_NOT_COUNTED ? "<not counted>" : "<no value>");
	if (!metric.value.reason)
		snprintf(metric.text, sizeof(metric.text), "%.3f", metric.value.value);
	return metric;
}
