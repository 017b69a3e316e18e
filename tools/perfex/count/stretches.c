// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/stretches.h"
#include "tools/perfex/count/tasks.h"

void stretches_begin(struct stretches *stretches, const struct events *events)
{
	unsigned int n = events->first[EVENTS_NUMBERS] - events->metrics_first;

	*stretches = (struct stretches){ .events = n, .each = 1 };
	if (!n)
		return;
	stretches->before = need(calloc(n, sizeof(*stretches->before)));
	stretches->reading = need(calloc((size_t)n * STRETCHES, sizeof(*stretches->reading)));
}

static struct perfctr_reading *stretch(struct stretches *stretches, unsigned int i)
{
	return stretches->reading + (size_t)i * stretches->events;
}

/* Each two become one. */
static void halve(struct stretches *stretches)
{
	unsigned int i, k;

	for (i = 0; i < STRETCHES / 2; i++)
		for (k = 0; k < stretches->events; k++) {
			struct perfctr_reading *sum = &stretch(stretches, i)[k];

			*sum = stretch(stretches, 2 * i)[k];
			tasks_add_reading(sum, &stretch(stretches, 2 * i + 1)[k]);
		}
	stretches->n = STRETCHES / 2;
	stretches->each *= 2;
}

static void add(struct stretches *stretches, const struct events *events)
{
	unsigned int k;

	if (stretches->ended)
		stretches->n = 0;
	stretches->ended = false;
	for (k = 0; k < stretches->events; k++)
		stretch(stretches, stretches->n)[k] =
			tasks_interval(&stretches->before[k],
				       &events->event[events->metrics_first + k].reading);
	stretches->n++;
	stretches->ticks = 0;
}

void stretches_end(struct stretches *stretches, const struct events *events)
{
	if (!stretches->events)
		return;
	add(stretches, events);
	stretches->ended = true;
	stretches->each = 1;
}

void stretches_tick(struct stretches *stretches, const struct events *events)
{
	if (!stretches->events || ++stretches->ticks < stretches->each)
		return;
	add(stretches, events);
	if (stretches->n == STRETCHES)
		halve(stretches);
}

void stretches_free(struct stretches *stretches)
{
	free(stretches->before);
	free(stretches->reading);
}
