// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "die.h"
#include "results.h"

bool results_counted(const struct event *event)
{
	return !event->reason && event->reading.quality != PERFCTR_NOT_COUNTED;
}

uint64_t results_value(const struct event *event)
{
	return perfctr_reading_estimate(&event->reading);
}

/* In any case of letters, as the library takes names. */
static bool is_called(const struct event *event, const char *name)
{
	size_t length = strcspn(event->name, ":");

	return length == strlen(name) && !strncasecmp(event->name, name, length);
}

bool results_is_clock(const struct event *event)
{
	return is_called(event, "task-clock") || is_called(event, "cpu-clock");
}

const char *results_quality(const struct event *event, const struct perfctr_reading *reading)
{
	return event->reason ? "not counted" : perfctr_quality_name(reading->quality);
}

void results_add_run(struct results *results, const struct outcome *outcome)
{
	unsigned int i, n = results->events->n;

	if (!results->repeats++) {
		results->sum = need(calloc(n, sizeof(double)));
		results->squares = need(calloc(n, sizeof(double)));
	}
	for (i = 0; i < n; i++) {
		double value = (double)results_value(&results->events->event[i]);

		results->sum[i] += value;
		results->squares[i] += value * value;
	}
	results->outcome.elapsed += outcome->elapsed;
	results->outcome.user += outcome->user;
	results->outcome.sys += outcome->sys;
	results->outcome.status = outcome->status;
	results->outcome.ran = outcome->ran;
}

void results_end(struct results *results)
{
	results->outcome.elapsed /= results->repeats;
	results->outcome.user /= results->repeats;
	results->outcome.sys /= results->repeats;
}

double results_mean(const struct results *results, unsigned int i, double *deviation)
{
	double mean = results->sum[i] / results->repeats;

	*deviation = sqrt(fmax(0, results->squares[i] / results->repeats - mean * mean));
	return mean;
}

static struct perfctr_reading subtract(const struct perfctr_reading *now,
				       const struct perfctr_reading *before)
{
	struct perfctr_reading delta = *now;

	delta.value -= before->value;
	delta.enabled -= before->enabled;
	delta.running -= before->running;
	if (delta.quality != PERFCTR_NOT_COUNTED && delta.quality != PERFCTR_STALE)
		delta.quality = delta.running == delta.enabled ? PERFCTR_EXACT
				: delta.running		       ? PERFCTR_SCALED
							       : PERFCTR_NOT_COUNTED;
	return delta;
}

void results_add_interval(struct results *results)
{
	unsigned int i, n = results->events->n;

	if (!results->intervals++) {
		results->last = need(calloc(n, sizeof(*results->last)));
		results->delta = need(calloc(n, sizeof(*results->delta)));
	}
	for (i = 0; i < n; i++) {
		const struct perfctr_reading *now = &results->events->event[i].reading;

		results->delta[i] = subtract(now, &results->last[i]);
		results->last[i] = *now;
	}
}

void results_free(struct results *results)
{
	free(results->sum);
	free(results->squares);
	free(results->last);
	free(results->delta);
}
