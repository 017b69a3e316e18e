// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "die.h"
#include "results.h"

/* ---- one event ---- */

static const char *reason_of(const struct results *results, unsigned int i,
			     const struct perfctr_reading *reading)
{
	const char *reason = results->run->events->event[i].reason;

	if (reason || reading->quality != PERFCTR_NOT_COUNTED)
		return reason ? reason : "";
	return reading->enabled ? "it found no room on the PMU: count fewer events at a time, or "
				  "stop other users"
				: "it was never on the PMU";
}

static bool is_count(const struct results *results, unsigned int i,
		     const struct perfctr_reading *reading)
{
	return !results->run->events->event[i].reason && reading->quality != PERFCTR_NOT_COUNTED;
}

const char *results_quality(const struct results *results, unsigned int quality)
{
	const struct valgrind *valgrind = results->run->valgrind;

	if (valgrind && quality != PERFCTR_NOT_COUNTED)
		return valgrind->doubt ? "incomplete" : "emulated";
	return perfctr_quality_name(quality);
}

static struct cell cell_of(const struct results *results, unsigned int i,
			   const struct perfctr_reading *reading)
{
	bool counted = is_count(results, i, reading);
	unsigned int quality = counted ? reading->quality : PERFCTR_NOT_COUNTED;

	return (struct cell){
		.counted = counted,
		.value = reading->value,
		.estimate = perfctr_reading_estimate(reading),
		.enabled = reading->enabled,
		.running = reading->running,
		.quality = quality,
		.quality_name = results_quality(results, quality),
		.reason = reason_of(results, i, reading),
	};
}

/* The mean of the runs that counted it. */
static struct cell mean_cell(const struct results *results, const struct result *result)
{
	struct summary summary = series_summary(&result->series);

	return (struct cell){
		.counted = true,
		.value = (result->all.value + result->runs / 2) / result->runs,
		.estimate = (uint64_t)(summary.mean + 0.5),
		.enabled = result->all.enabled / result->runs,
		.running = result->all.running / result->runs,
		.quality = result->all.quality,
		.quality_name = results_quality(results, result->all.quality),
		.reason = "",
	};
}

struct cell results_cell(const struct results *results, const struct part *part, unsigned int i)
{
	const struct result *result = &results->result[i];

	if (part)
		return cell_of(results, i,
			       results->seconds > 0 ? &part->interval[i] : &part->reading[i]);
	if (results->seconds > 0 || !result->runs)
		return cell_of(results, i, &result->reading);
	return result->runs > 1 ? mean_cell(results, result) : cell_of(results, i, &result->all);
}

struct cell results_sum(const struct results *results, const struct part *part, unsigned int i)
{
	return cell_of(results, i,
		       part ? &part->reading[i] : &results->run->events->event[i].reading);
}

const struct part *results_parts(const struct results *results, size_t *n)
{
	const struct parts *parts = results->run->parts;

	*n = parts ? parts->n : 0;
	return parts ? parts->part : NULL;
}

struct series results_elapsed(const struct results *results)
{
	struct series series = { .n = 0 };
	unsigned int r;

	for (r = 0; r < results->repeats; r++)
		series_add(&series, results->outcomes[r].elapsed);
	return series;
}

const char *results_doubt(const struct results *results, unsigned int *i)
{
	for (*i = 0; *i < results->run->events->n; ++*i) {
		struct cell cell = results_cell(results, NULL, *i);

		if (!cell.counted)
			return cell.reason;
		if (results->result[*i].runs < results->repeats)
			return "not all runs counted it";
		if (cell.quality != PERFCTR_EXACT)
			return cell.quality_name;
	}
	return NULL;
}

/* ---- runs and intervals ---- */

void results_begin(struct results *results)
{
	unsigned int i;

	results->result = need(calloc(results->run->events->n, sizeof(*results->result)));
	for (i = 0; i < results->run->events->n; i++)
		results->result[i].reading.quality = PERFCTR_NOT_COUNTED;
	stretches_begin(&results->stretches, results->run->events);
}

static void add_count(struct result *result)
{
	const struct perfctr_reading *reading = &result->reading;

	result->runs++;
	series_add(&result->series, (double)perfctr_reading_estimate(reading));
	result->all.value += reading->value;
	result->all.enabled += reading->enabled;
	result->all.running += reading->running;
	if (reading->quality > result->all.quality)
		result->all.quality = reading->quality;
}

static void add_outcome(struct results *results, const struct outcome *outcome)
{
	results->outcomes = need(
		reallocarray(results->outcomes, results->repeats + 1, sizeof(*results->outcomes)));
	results->outcomes[results->repeats++] = *outcome;
	results->outcome.elapsed += outcome->elapsed;
	results->outcome.user += outcome->user;
	results->outcome.sys += outcome->sys;
	results->outcome.ran = outcome->ran;
	if (!results->failed) {
		results->outcome.status = outcome->status;
		results->outcome.timed_out = outcome->timed_out;
	}
	results->failed += outcome_failed(outcome);
}

void results_add_run(struct results *results, const struct outcome *outcome)
{
	unsigned int i;

	for (i = 0; i < results->run->events->n; i++) {
		struct result *result = &results->result[i];

		result->reading = results->run->events->event[i].reading;
		if (is_count(results, i, &result->reading))
			add_count(result);
		else
			series_add(&result->series, NAN);
	}
	if (!results->repeats && !results->intervals)
		stretches_end(&results->stretches, results->run->events);
	add_outcome(results, outcome);
}

void results_end(struct results *results)
{
	unsigned int n = results->repeats ? results->repeats : 1;

	results->outcome.elapsed /= n;
	results->outcome.user /= n;
	results->outcome.sys /= n;
	results->seconds = 0;
}

void results_add_interval(struct results *results, double seconds)
{
	unsigned int i;

	results->intervals++;
	results->span = seconds - results->seconds;
	results->seconds = seconds;
	for (i = 0; i < results->run->events->n; i++)
		results->result[i].reading =
			tasks_interval(&results->result[i].before,
				       &results->run->events->event[i].reading);
	if (results->run->parts)
		parts_end_interval(results->run->parts, results->run->events);
	stretches_end(&results->stretches, results->run->events);
}

void results_free(struct results *results)
{
	unsigned int i;

	for (i = 0; i < results->run->events->n; i++)
		series_free(&results->result[i].series);
	stretches_free(&results->stretches);
	free(results->outcomes);
	free(results->result);
}
