// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Values of metrics: each is computed once, when it is asked for, with those that it uses. What is
 * computed already is kept for the length of a call.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/metrics/metrics.h"
#include "lib/metrics/opened.h"

struct values {
	const struct perfctr_metrics *metrics;
	const struct perfctr_reading *readings;
	bool is_known[PERFCTR_METRICS_MAX];
	struct perfctr_metric_value of[PERFCTR_METRICS_MAX]; /* of those that are known */
};

/* Infinity stands for an estimate that is unknown. */
static double estimate_of(const struct perfctr_reading *reading)
{
	uint64_t estimate = perfctr_reading_estimate(reading);

	return estimate == UINT64_MAX ? (double)INFINITY : (double)estimate;
}

/* The value of another metric is a count, or there is a reason why not. */
static const char *take_metric(const struct perfctr_metric_value *other,
			       const struct perfctr_metric_input *input,
			       struct perfctr_metric_value *result, double *count)
{
	if (other->quality > result->quality)
		result->quality = other->quality;
	*count = other->value * input->scale;
	return other->reason;
}

/* Most are exact; the others have a quality to note, or are more than a signed number is. */
static const char *take_event(const struct perfctr_reading *reading,
			      const struct perfctr_metric_input *input,
			      struct perfctr_metric_value *result, double *count)
{
	if (reading->quality > result->quality)
		result->quality = reading->quality;
	if (reading->quality == PERFCTR_NOT_COUNTED)
		return input->uncounted;
	*count = estimate_of(reading) * input->scale;
	return NULL;
}

/* This and compute() are inline, because most of their cost would be the calls. */
static inline __attribute__((always_inline)) const char *
take_inputs(const struct values *values, const struct perfctr_opened_metric *metric,
	    struct perfctr_metric_value *result, double *counts)
{
	const struct perfctr_metric_input *input = metric->input, *end = input + metric->inputs;
	const char *reason = NULL;

	for (; input < end; input++, counts++) {
		const struct perfctr_reading *reading = &values->readings[input->place];

		if (input->metric >= 0)
			reason = take_metric(&values->of[input->metric], input, result, counts);
		else if (reading->quality == PERFCTR_EXACT && (int64_t)reading->value >= 0)
			*counts = (double)(int64_t)reading->value * input->scale;
		else
			reason = take_event(reading, input, result, counts);
		if (reason)
			return reason;
	}
	return NULL;
}

static void take_times(const struct values *values, const struct perfctr_opened_metric *metric,
		       double *seconds)
{
	unsigned int k;

	for (k = 0; k < metric->inputs; k++)
		if (metric->input[k].metric < 0)
			seconds[k] = (double)values->readings[metric->input[k].place].enabled / 1e9;
}

/* Computes a metric of which all is known that it uses. */
static inline __attribute__((always_inline)) void compute(struct values *values, unsigned int i)
{
	const struct perfctr_opened_metric *metric = &values->metrics->metric[i];
	double counts[PERFCTR_FORMULA_EVENTS], seconds[PERFCTR_FORMULA_EVENTS];
	struct perfctr_metric_value *result = &values->of[i];

	*result = (struct perfctr_metric_value){
		.value = NAN,
		.quality = metric->is_estimate ? PERFCTR_ESTIMATE : PERFCTR_EXACT,
	};
	result->reason = take_inputs(values, metric, result, counts);
	if (!result->reason)
		result->reason = metric->unknown;
	if (result->reason)
		return;
	if (metric->is_input && counts[0] <= DBL_MAX) {
		result->value = counts[0];
		return;
	}
	if (metric->has_time)
		take_times(values, metric, seconds);
	result->reason = perfctr_formula_run(metric->step, counts, seconds, &result->value);
}

/* Computes a metric, after those that it uses. */
static const struct perfctr_metric_value *computed(struct values *values, unsigned int i)
{
	const struct perfctr_opened_metric *metric = &values->metrics->metric[i];
	unsigned int k;

	if (!values->is_known[i]) {
		for (k = 0; k < metric->inputs; k++)
			if (metric->input[k].metric >= 0)
				computed(values, (unsigned int)metric->input[k].metric);
		compute(values, i);
		values->is_known[i] = true;
	}
	return &values->of[i];
}

/*
 * Whether the metric is beyond its threshold. A condition about a metric without a value is
 * ignored; those that it is about are computed.
 */
static bool is_beyond(const struct values *values, const struct perfctr_opened_metric *metric)
{
	bool any = metric->is_any, seen = false;
	unsigned int i;

	for (i = 0; i < metric->conditions; i++) {
		const struct perfctr_metric_value *its = &values->of[metric->about[i]];

		if (its->reason)
			continue;
		seen = true;
		if (perfctr_condition_holds(&metric->condition[i], its->value) == any)
			return any;
	}
	return seen && !any;
}

static void set_beyond(struct values *values, unsigned int i)
{
	const struct perfctr_opened_metric *metric = &values->metrics->metric[i];

	values->of[i].beyond = !values->of[i].reason && is_beyond(values, metric);
}

static void begin(struct values *values, const struct perfctr_metrics *metrics,
		  const struct perfctr_reading *readings)
{
	values->metrics = metrics;
	values->readings = readings;
}

int perfctr_metrics_value(const struct perfctr_metrics *metrics, unsigned int i,
			  const struct perfctr_reading *readings,
			  struct perfctr_metric_value *value)
{
	struct values values;
	unsigned int k;

	if (perfctr_metrics_check(metrics, i, "perfctr_metrics_value()") < 0)
		return -1;
	if (!readings || !value)
		return perfctr_fail(EINVAL,
				    "perfctr_metrics_value() needs readings and a place for the "
				    "result, not NULL");
	begin(&values, metrics, readings);
	memset(values.is_known, 0, metrics->all * sizeof(values.is_known[0]));
	computed(&values, i);
	for (k = 0; k < metrics->metric[i].conditions; k++)
		computed(&values, metrics->metric[i].about[k]);
	set_beyond(&values, i);
	*value = values.of[i];
	return 0;
}

int perfctr_metrics_values(const struct perfctr_metrics *metrics,
			   const struct perfctr_reading *readings,
			   struct perfctr_metric_value *value)
{
	struct values values;
	unsigned int i;

	if (perfctr_metrics_check(metrics, 0, "perfctr_metrics_values()") < 0)
		return -1;
	if (!readings || !value)
		return perfctr_fail(EINVAL,
				    "perfctr_metrics_values() needs readings and places for the "
				    "results, not NULL");
	begin(&values, metrics, readings);
	for (i = 0; i < metrics->all; i++)
		compute(&values, metrics->order[i]);
	for (i = 0; i < metrics->n; i++) {
		if (metrics->metric[i].conditions)
			set_beyond(&values, i);
		value[i] = values.of[i];
	}
	return 0;
}
