// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "die.h"
#include "results.h"

/* ---- one event ---- */

bool results_reads(const struct results *results, unsigned int i,
		   const struct perfctr_reading *reading)
{
	return !results->run->events->event[i].reason && reading->quality != PERFCTR_NOT_COUNTED;
}

const char *results_quality(const struct results *results, unsigned int i,
			    const struct perfctr_reading *reading)
{
	return perfctr_quality_name(results_reads(results, i, reading) ? reading->quality
								       : PERFCTR_NOT_COUNTED);
}

const char *results_reason(const struct results *results, unsigned int i,
			   const struct perfctr_reading *reading)
{
	const char *reason = results->run->events->event[i].reason;

	if (reason || reading->quality != PERFCTR_NOT_COUNTED)
		return reason ? reason : "";
	return reading->enabled ? "it found no room on the PMU: count fewer events at a time, or "
				  "stop other users"
				: "it was never on the PMU";
}

bool results_counted(const struct results *results, unsigned int i)
{
	return results->result[i].runs > 0;
}

uint64_t results_value(const struct results *results, unsigned int i)
{
	const struct result *result = &results->result[i];

	return result->runs > 1 ? (uint64_t)(result->mean + 0.5)
				: perfctr_reading_estimate(&result->all);
}

double results_deviation(const struct results *results, unsigned int i)
{
	return sqrt(results->result[i].squares / results->result[i].runs);
}

/* ---- runs and intervals ---- */

void results_begin(struct results *results)
{
	results->result = need(calloc(results->run->events->n, sizeof(*results->result)));
}

/* After Welford: sums of squares would lose the digits that count. */
static void add_count(struct result *result)
{
	const struct perfctr_reading *reading = &result->reading;
	double value = (double)perfctr_reading_estimate(reading), distance = value - result->mean;

	result->runs++;
	result->mean += distance / result->runs;
	result->squares += distance * (value - result->mean);
	result->all.value += reading->value;
	result->all.enabled += reading->enabled;
	result->all.running += reading->running;
	if (reading->quality > result->all.quality)
		result->all.quality = reading->quality;
}

static bool failed(const struct outcome *outcome)
{
	return outcome->ran && (!WIFEXITED(outcome->status) || WEXITSTATUS(outcome->status));
}

void results_add_run(struct results *results, const struct outcome *outcome)
{
	unsigned int i;

	for (i = 0; i < results->run->events->n; i++) {
		struct result *result = &results->result[i];

		result->reading = results->run->events->event[i].reading;
		if (results_reads(results, i, &result->reading))
			add_count(result);
	}
	results->repeats++;
	results->outcome.elapsed += outcome->elapsed;
	results->outcome.user += outcome->user;
	results->outcome.sys += outcome->sys;
	results->outcome.ran = outcome->ran;
	if (!results->failed)
		results->outcome.status = outcome->status;
	results->failed += failed(outcome);
}

void results_end(struct results *results)
{
	results->outcome.elapsed /= results->repeats;
	results->outcome.user /= results->repeats;
	results->outcome.sys /= results->repeats;
	results->seconds = 0;
}

void results_add_interval(struct results *results, double seconds)
{
	unsigned int i;

	results->intervals++;
	results->seconds = seconds;
	for (i = 0; i < results->run->events->n; i++) {
		const struct perfctr_reading *now = &results->run->events->event[i].reading;
		struct perfctr_reading *before = &results->result[i].before;
		struct perfctr_reading *delta = &results->result[i].reading;

		*delta = *now;
		delta->value -= before->value;
		delta->enabled -= before->enabled;
		delta->running -= before->running;
		if (now->quality != PERFCTR_NOT_COUNTED && now->quality != PERFCTR_STALE)
			delta->quality = tasks_quality(delta->enabled, delta->running);
		*before = *now;
	}
}

void results_free(struct results *results)
{
	free(results->result);
}
