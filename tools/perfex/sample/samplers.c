// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
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
	bool disabled; /* nothing more is written */
	struct one one[];
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

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int samplers_check(const struct samplers *samplers)
{
	unsigned int i;

	for (i = 0; i < samplers->n; i++)
		if (perfctr_sampler_check(samplers->one[i].sampler) < 0)
			return -1;
	return 0;
}

uint64_t samplers_each(struct samplers *samplers,
		       void (*each)(void *arg, const struct perfctr_record *), void *arg)
{
	struct one *one;
	uint64_t bad = 0;
	unsigned int i;
	double end = now() + LONGEST_TURN;

	samplers_check(samplers);
	for (i = 0; i < samplers->n; i++)
		if (!samplers->one[i].record)
			bad += take_next(&samplers->one[i]);
	while ((one = find_oldest(samplers)) && (samplers->disabled || now() < end)) {
		each(arg, one->record);
		bad += take_next(one);
	}
	return bad;
}

void samplers_disable(struct samplers *samplers)
{
	unsigned int i;

	for (i = 0; i < samplers->n; i++)
		perfctr_sampler_disable(samplers->one[i].sampler);
	samplers->disabled = true;
}

uint64_t samplers_lost(const struct samplers *samplers)
{
	uint64_t lost, all = 0;
	unsigned int i;

	for (i = 0; i < samplers->n; i++)
		if (perfctr_sampler_lost(samplers->one[i].sampler, &lost) == 0)
			all += lost;
	return all;
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
