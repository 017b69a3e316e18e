// SPDX-License-Identifier: LGPL-2.1-or-later
#include <libperfctr.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include "lib/base/rank.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/report/results.h"

/* Why a count that was not watched is not called exact. */
#define UNWATCHED                                                                                  \
	"nobody saw whether the kernel stopped counting other threads of it early, as it does at " \
	"programs that may not be traced; use --strict, or count as root"

/* Why a count is not called exact of which /sys does not tell whether the PMU takes the event. */
#define UNVERIFIED                                                                                 \
	"/sys can't be read, which tells whether the PMU takes the event, so that the kernel may " \
	"have counted another; mount sysfs"

/* ---- one event ---- */

/* Which processes the command has left; NULL: none, or the interval is one before its end. */
static const char *left_of(const struct results *results)
{
	return results->run->events->left;
}

static const char *reason_of(const struct results *results, unsigned int i,
			     const struct perfctr_reading *reading)
{
	const char *reason = results->run->events->event[i].reason;
	const char *stale = results->run->events->stale;

	if (!reason && reading->quality == PERFCTR_STALE)
		return stale ? stale : "";
	if (!reason && reading->quality <= PERFCTR_UNWATCHED && left_of(results))
		return left_of(results);
	if (!reason && reading->quality == PERFCTR_UNWATCHED)
		return UNWATCHED;
	if (!reason && reading->quality == PERFCTR_UNVERIFIED)
		return UNVERIFIED;
	if (reason || reading->quality != PERFCTR_NOT_COUNTED)
		return reason ? reason : "";
	if (reading->enabled)
		return "it found no room on the PMU: count fewer events at a time, or stop other "
		       "users";
	if (!results->repeats && !(results->span > 0))
		return "no run was counted before the interruption";
	return "it was never on the PMU";
}

static bool is_count(const struct results *results, unsigned int i,
		     const struct perfctr_reading *reading)
{
	return !results->run->events->event[i].reason && reading->quality != PERFCTR_NOT_COUNTED;
}

const char *results_missing(const struct results *results)
{
	const struct valgrind *valgrind = results->run->valgrind;

	if (!valgrind)
		return NULL;
	return valgrind->doubt ? valgrind->doubt : left_of(results);
}

const char *results_quality(const struct results *results, unsigned int quality)
{
	const struct valgrind *valgrind = results->run->valgrind;

	if (valgrind && quality != PERFCTR_NOT_COUNTED)
		return results_missing(results) ? "incomplete" : "emulated";
	if (quality <= PERFCTR_UNWATCHED && left_of(results))
		return "up to the end";
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
static struct cell mean_cell(const struct results *results, unsigned int i)
{
	const struct tally *tally = &results->result[i].taken;
	struct summary summary = series_summary(&tally->series);

	return (struct cell){
		.counted = true,
		.value = (tally->all.value + tally->runs / 2) / tally->runs,
		/* Runs whose counts ended early have no mean. */
		.estimate = summary.n ? (uint64_t)(summary.mean + 0.5)
				      : (tally->all.value + tally->runs / 2) / tally->runs,
		.enabled = tally->all.enabled / tally->runs,
		.running = tally->all.running / tally->runs,
		.quality = tally->all.quality,
		.quality_name = results_quality(results, tally->all.quality),
		.reason = reason_of(results, i, &tally->all),
	};
}

struct cell results_cell(const struct results *results, const struct part *part, unsigned int i)
{
	const struct result *result = &results->result[i];

	if (part)
		return cell_of(results, i,
			       results->seconds > 0 ? &part->interval[i] : &part->reading[i]);
	if (results->seconds > 0 || !result->taken.runs)
		return cell_of(results, i, &result->reading);
	return result->taken.runs > 1 ? mean_cell(results, i)
				      : cell_of(results, i, &result->taken.all);
}

struct cell results_sum(const struct results *results, const struct part *part, unsigned int i)
{
	return cell_of(results, i,
		       part ? &part->reading[i] : &results->run->events->event[i].reading);
}

const struct part *results_parts(const struct results *results, size_t *n)
{
	const struct breakdown *breakdown = results->run->breakdown;

	*n = breakdown ? breakdown->n : 0;
	return breakdown ? breakdown->part : NULL;
}

bool results_takes(const struct results *results, unsigned int run)
{
	return !results->left_out || !run_failed(&results->ends[run]);
}

unsigned int results_runs(const struct results *results)
{
	return results->repeats - results->left_out;
}

struct series results_elapsed(const struct results *results)
{
	struct series series = { .n = 0 };
	unsigned int r;

	for (r = 0; r < results->repeats; r++)
		series_add(&series, results_takes(results, r) ? results->ends[r].elapsed : NAN);
	return series;
}

const char *results_doubt(const struct results *results, unsigned int *i)
{
	for (*i = 0; *i < results->run->events->n; ++*i) {
		struct cell cell = results_cell(results, NULL, *i);

		if (!cell.counted)
			return cell.reason;
		if (results->result[*i].taken.runs < results_runs(results))
			return "not all runs counted it";
		if (cell.quality != PERFCTR_EXACT || left_of(results))
			return *cell.reason ? cell.reason : cell.quality_name;
	}
	*i = 0;
	return results_missing(results);
}

bool results_has(const struct results *results, enum perfctr_quality quality)
{
	unsigned int i;

	for (i = 0; i < results->run->events->n; i++)
		if (results_cell(results, NULL, i).quality == quality)
			return true;
	return false;
}

unsigned int results_left(const struct results *results, const struct run_end **first)
{
	unsigned int r, n = 0;

	for (r = results->repeats; r-- > 0;)
		if (results->ends[r].left) {
			*first = &results->ends[r];
			n++;
		}
	return n;
}

/* ---- runs and intervals ---- */

void results_begin(struct results *results)
{
	unsigned int i;

	results->result = need(calloc(results->run->events->n, sizeof(*results->result)));
	for (i = 0; i < results->run->events->n; i++)
		results->result[i].reading.quality = PERFCTR_NOT_COUNTED;
	slices_begin(&results->slices, results->run->events);
}

static void add_count(struct tally *tally, const struct perfctr_reading *reading)
{
	tally->runs++;
	/* A count that ended early is not compared. */
	series_add(&tally->series, reading->quality == PERFCTR_STALE
					   ? NAN
					   : (double)perfctr_reading_estimate(reading));
	tally->all.value += reading->value;
	tally->all.enabled += reading->enabled;
	tally->all.running += reading->running;
	if (reading->quality > tally->all.quality)
		tally->all.quality = reading->quality;
}

static void add_end(struct results *results, const struct run_end *end)
{
	results->ends =
		need(reallocarray(results->ends, results->repeats + 1, sizeof(*results->ends)));
	results->ends[results->repeats++] = *end;
	results->end.ran = end->ran;
	if (!results->failed) {
		results->end.status = end->status;
		results->end.timed_out = end->timed_out;
	}
	results->failed += run_failed(end);
}

void results_add_run(struct results *results, const struct run_end *end)
{
	bool left_out = run_failed(end) && !results->with_failed;
	unsigned int i;

	for (i = 0; i < results->run->events->n; i++) {
		struct result *result = &results->result[i];
		struct tally *to = left_out ? &result->left_out : &result->taken;

		result->reading = results->run->events->event[i].reading;
		series_add(left_out ? &result->taken.series : &result->left_out.series, NAN);
		if (is_count(results, i, &result->reading))
			add_count(to, &result->reading);
		else
			series_add(&to->series, NAN);
	}
	if (!results->repeats && !results->intervals)
		slices_end(&results->slices, results->run->events);
	results->left_out += left_out;
	add_end(results, end);
}

/* If all runs failed, their counts are taken. */
static void take_failed(struct results *results)
{
	unsigned int i;

	if (!results->left_out || results->left_out < results->repeats)
		return;
	results->left_out = 0;
	for (i = 0; i < results->run->events->n; i++) {
		struct result *result = &results->result[i];
		struct tally none = result->taken;

		result->taken = result->left_out;
		result->left_out = none;
	}
}

void results_end(struct results *results)
{
	unsigned int r, n;

	take_failed(results);
	n = results_runs(results) ? results_runs(results) : 1;
	for (r = 0; r < results->repeats; r++) {
		const struct run_end *end = &results->ends[r];

		if (!results_takes(results, r))
			continue;
		results->end.elapsed += end->elapsed / n;
		results->end.user += end->user / n;
		results->end.sys += end->sys / n;
	}
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
	if (results->run->breakdown)
		breakdown_end_interval(results->run->breakdown, results->run->events);
	slices_end(&results->slices, results->run->events);
}

void results_free(struct results *results)
{
	unsigned int i;

	for (i = 0; i < results->run->events->n; i++) {
		series_free(&results->result[i].taken.series);
		series_free(&results->result[i].left_out.series);
	}
	slices_free(&results->slices);
	free(results->ends);
	free(results->result);
}

/* ---- where and when ---- */

void provenance_get(struct provenance *provenance)
{
	time_t now = time(NULL);
	const char *id;
	struct tm tm;

	*provenance = (struct provenance){ .rank = perfctr_rank(), .version = PACKAGE_VERSION };
	gmtime_r(&now, &tm);
	strftime(provenance->time, sizeof(provenance->time), "%Y-%m-%dT%H:%M:%SZ", &tm);
	uname(&provenance->host);
	if (perfctr_cpu_native(&id, &provenance->processor) < 0)
		provenance->processor = "";
}
