// SPDX-License-Identifier: LGPL-2.1-or-later
#include <search.h>
#include <stdlib.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/weights.h"

struct weight {
	uint64_t stream, last; /* count or period */
};

static int compare(const void *a, const void *b)
{
	const struct weight *one = a, *two = b;

	return one->stream < two->stream ? -1 : one->stream > two->stream;
}

/* Returns a stream's; a new one has "last". */
static struct weight *find(struct weights *weights, uint64_t stream, uint64_t last)
{
	struct weight wanted = { .stream = stream }, *weight;
	struct weight **found = tfind(&wanted, &weights->tree, compare);

	if (found)
		return *found;
	weight = need(malloc(sizeof(*weight)));
	*weight = (struct weight){ stream, last };
	need(tsearch(weight, &weights->tree, compare));
	return weight;
}

uint64_t weights_take(struct weights *weights, uint64_t stream, uint64_t count)
{
	struct weight *weight = find(weights, stream, 0);
	/* A count that is less than before has begun again. */
	uint64_t events = count >= weight->last ? count - weight->last : count;

	weight->last = count;
	return events ? events : 1;
}

uint64_t weights_guess(struct weights *weights, uint64_t stream, uint64_t period)
{
	struct weight *weight = find(weights, stream, period);
	uint64_t events = weight->last < period ? weight->last : period;

	weight->last = period;
	return events ? events : 1;
}

void weights_free(struct weights *weights)
{
	tdestroy(weights->tree, free);
}
