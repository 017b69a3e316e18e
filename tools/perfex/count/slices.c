// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/slices.h"
#include "tools/perfex/count/tasks.h"

void slices_begin(struct slices *slices, const struct events *events)
{
	unsigned int n = events->first[EVENTS_NUMBERS] - events->metrics_first;

	*slices = (struct slices){ .events = n, .each = 1 };
	if (!n)
		return;
	slices->before = need(calloc(n, sizeof(*slices->before)));
	slices->reading = need(calloc((size_t)n * SLICES, sizeof(*slices->reading)));
}

static struct perfctr_reading *slice(struct slices *slices, unsigned int i)
{
	return slices->reading + (size_t)i * slices->events;
}

/* Joins each two slices. */
static void halve(struct slices *slices)
{
	unsigned int i, k;

	for (i = 0; i < SLICES / 2; i++)
		for (k = 0; k < slices->events; k++) {
			struct perfctr_reading *sum = &slice(slices, i)[k];

			*sum = slice(slices, 2 * i)[k];
			tasks_add_reading(sum, &slice(slices, 2 * i + 1)[k]);
		}
	slices->n = SLICES / 2;
	slices->each *= 2;
}

static void add(struct slices *slices, const struct events *events)
{
	unsigned int k;

	if (slices->ended)
		slices->n = 0;
	slices->ended = false;
	for (k = 0; k < slices->events; k++)
		slice(slices, slices->n)[k] =
			tasks_interval(&slices->before[k],
				       &events->event[events->metrics_first + k].reading);
	slices->n++;
	slices->ticks = 0;
}

void slices_end(struct slices *slices, const struct events *events)
{
	if (!slices->events)
		return;
	add(slices, events);
	slices->ended = true;
	slices->each = 1;
}

void slices_tick(struct slices *slices, const struct events *events)
{
	if (!slices->events || ++slices->ticks < slices->each)
		return;
	add(slices, events);
	if (slices->n == SLICES)
		halve(slices);
}

void slices_free(struct slices *slices)
{
	free(slices->before);
	free(slices->reading);
}
