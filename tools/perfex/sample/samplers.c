// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "tools/perfex/base/clock.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/samplers.h"

/* The kernel may write as quickly as this reads, so that there would be no end. */
#define LONGEST_TURN 0.1 /* seconds */

struct one {
	struct perfctr_sampler *sampler;
	const struct perfctr_record *record; /* its next one; NULL: none now */
};

struct samplers {
	unsigned int n;
	bool disabled;	   /* nothing more is written */
	double longest;	   /* s: for all that is there then; 0: however long it takes */
	bool overloaded;   /* in a turn more records were lost than read */
	bool paused;	   /* nothing is written until all is read */
	double paused_at;  /* since when */
	double paused_for; /* s, in all pauses before */
	uint64_t pauses;
	uint64_t unread; /* samples */
	struct one one[];
};

/* What a call of samplers_each() has seen. */
struct turn {
	void (*each)(void *arg, const struct perfctr_record *);
	void *arg;
	double end;
	uint64_t read, lost, bad;
};

/* ---- opening and closing ---- */

void samplers_close(struct samplers *samplers)
{
	unsigned int i;

	for (i = 0; samplers && i < samplers->n; i++)
		perfctr_sampler_close(samplers->one[i].sampler);
	free(samplers);
}

static struct samplers *open_all(const char *event, const struct perfctr_target *targets,
				 unsigned int n, const struct perfctr_sampler_config *config)
{
	struct samplers *samplers = need(calloc(1, sizeof(*samplers) + n * sizeof(struct one)));
	int error;

	for (; samplers->n < n; samplers->n++) {
		struct one *one = &samplers->one[samplers->n];

		one->sampler = perfctr_sampler_open(event, &targets[samplers->n], config);
		if (!one->sampler) {
			error = errno;
			samplers_close(samplers);
			errno = error;
			return NULL;
		}
	}
	return samplers;
}

struct samplers *samplers_open(const char *event, const struct perfctr_target *targets,
			       unsigned int n, const struct perfctr_sampler_config *config)
{
	struct perfctr_sampler_config fewer = *config;
	struct samplers *samplers = open_all(event, targets, n, &fewer);

	while (!samplers && fewer.pages != 1 && (errno == EPERM || errno == ENOMEM)) {
		fewer.pages = fewer.pages ? fewer.pages / 2 : 16;
		samplers = open_all(event, targets, n, &fewer);
	}
	return samplers;
}

/* ---- records ---- */

/* Returns how many records were left out before it. */
static uint64_t take_next(struct one *one)
{
	uint64_t bad = 0;
	int found;

	/* More are no accident. */
	while ((found = perfctr_sampler_next(one->sampler, &one->record)) < 0 && ++bad < 1000)
		;
	if (found <= 0)
		one->record = NULL;
	return bad;
}

static struct one *find_oldest(struct samplers *samplers)
{
	struct one *oldest = NULL;
	unsigned int i;

	for (i = 0; i < samplers->n; i++) {
		struct one *one = &samplers->one[i];

		if (one->record && (!oldest || one->record->time < oldest->record->time))
			oldest = one;
	}
	return oldest;
}

int samplers_check(const struct samplers *samplers)
{
	unsigned int i;

	for (i = 0; i < samplers->n; i++)
		if (perfctr_sampler_check(samplers->one[i].sampler) < 0)
			return -1;
	return 0;
}

static void disable_all(const struct samplers *samplers)
{
	unsigned int i;

	for (i = 0; i < samplers->n; i++)
		perfctr_sampler_disable(samplers->one[i].sampler);
}

/* perfex does not keep up: more samples would take its time, and be lost. */
static void pause_all(struct samplers *samplers)
{
	disable_all(samplers);
	samplers->paused = true;
	samplers->paused_at = clock_seconds();
	samplers->pauses++;
}

static void resume_all(struct samplers *samplers)
{
	unsigned int i;

	samplers->paused = false;
	samplers->paused_for += clock_seconds() - samplers->paused_at;
	for (i = 0; i < samplers->n; i++)
		perfctr_sampler_enable(samplers->one[i].sampler);
}

static void hand_out(struct turn *turn, struct one *one)
{
	const struct perfctr_record *record = one->record;

	turn->read++;
	if (record->type == PERF_RECORD_LOST)
		turn->lost += record->as.lost.lost;
	turn->each(turn->arg, record);
	turn->bad += take_next(one);
}

/* Returns whether all was handed out that was there. */
static bool read_all(struct samplers *samplers, struct turn *turn)
{
	struct one *one;
	unsigned int i;

	for (i = 0; i < samplers->n; i++)
		if (!samplers->one[i].record)
			turn->bad += take_next(&samplers->one[i]);
	while ((one = find_oldest(samplers)) && clock_seconds() < turn->end)
		hand_out(turn, one);
	return !one;
}

/* The time is up: hands out what is no sample, and takes no time. */
static void read_rest(struct samplers *samplers, struct turn *turn)
{
	struct one *one;

	while ((one = find_oldest(samplers))) {
		if (one->record->type == PERF_RECORD_SAMPLE) {
			samplers->unread++;
			turn->bad += take_next(one);
		} else {
			hand_out(turn, one);
		}
	}
}

static double end_of_turn(const struct samplers *samplers)
{
	if (!samplers->disabled)
		return clock_seconds() + LONGEST_TURN;
	return samplers->longest > 0 ? clock_seconds() + samplers->longest : HUGE_VAL;
}

uint64_t samplers_each(struct samplers *samplers,
		       void (*each)(void *arg, const struct perfctr_record *), void *arg)
{
	struct turn turn = { .each = each, .arg = arg, .end = end_of_turn(samplers) };
	bool all;

	samplers_check(samplers);
	if (samplers->overloaded && !samplers->paused && !samplers->disabled)
		pause_all(samplers);
	all = read_all(samplers, &turn);
	if (samplers->disabled)
		read_rest(samplers, &turn);
	else if (samplers->paused && all)
		resume_all(samplers);
	samplers->overloaded |= turn.lost > turn.read;
	return turn.bad;
}

int samplers_enable(struct samplers *samplers)
{
	unsigned int i;

	for (i = 0; i < samplers->n; i++)
		if (perfctr_sampler_enable(samplers->one[i].sampler) < 0)
			return -1;
	return 0;
}

void samplers_disable(struct samplers *samplers, double seconds)
{
	if (samplers->paused)
		samplers->paused_for += clock_seconds() - samplers->paused_at;
	else
		disable_all(samplers);
	samplers->paused = false;
	samplers->disabled = true;
	samplers->longest = seconds;
}

uint64_t samplers_lost(const struct samplers *samplers)
{
	uint64_t lost, all = samplers->unread;
	unsigned int i;

	for (i = 0; i < samplers->n; i++)
		if (perfctr_sampler_lost(samplers->one[i].sampler, &lost) == 0)
			all += lost;
	return all;
}

uint64_t samplers_stops(const struct samplers *samplers, double *seconds)
{
	*seconds = samplers->paused_for;
	return samplers->pauses;
}

uint64_t samplers_count(const struct samplers *samplers)
{
	uint64_t count, all = 0;
	unsigned int i;

	for (i = 0; i < samplers->n; i++) {
		if (perfctr_sampler_count(samplers->one[i].sampler, 0, &count) < 0)
			return 0;
		all += count;
	}
	return all;
}
