// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/weights.h"

static struct weight *find(struct weight *weights, size_t size, uint64_t stream)
{
	size_t i = (size_t)(stream * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (size - 1);

	while (weights[i].used && weights[i].stream != stream)
		i = (i + 1) & (size - 1);
	return &weights[i];
}

static void grow(struct weights *weights)
{
	size_t size = weights->size ? weights->size * 2 : 64, i;
	struct weight *larger = need(calloc(size, sizeof(*larger)));

	for (i = 0; i < weights->size; i++)
		if (weights->weight[i].used)
			*find(larger, size, weights->weight[i].stream) = weights->weight[i];
	free(weights->weight);
	weights->weight = larger;
	weights->size = size;
}

static struct weight *take(struct weights *weights, uint64_t stream)
{
	if (weights->used * 2 >= weights->size)
		grow(weights);
	return find(weights->weight, weights->size, stream);
}

static void put(struct weights *weights, struct weight *weight, uint64_t stream, uint64_t last)
{
	weights->used += !weight->used;
	*weight = (struct weight){ stream, last, true };
}

uint64_t weights_take(struct weights *weights, uint64_t stream, uint64_t count)
{
	struct weight *weight = take(weights, stream);
	/* A count that is less than before has begun again. */
	uint64_t events = weight->used && count >= weight->last ? count - weight->last : count;

	put(weights, weight, stream, count);
	return events ? events : 1;
}

uint64_t weights_guess(struct weights *weights, uint64_t stream, uint64_t period)
{
	struct weight *weight = take(weights, stream);
	uint64_t events = weight->used && weight->last < period ? weight->last : period;

	put(weights, weight, stream, period);
	return events ? events : 1;
}

void weights_free(struct weights *weights)
{
	free(weights->weight);
}
