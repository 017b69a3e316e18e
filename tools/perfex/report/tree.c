// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/report/tree.h"

/* Returns the index of the metric that i is a part of; n: it is not here. */
static unsigned int parent_of(const struct metric *metrics, unsigned int n, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < n; k++)
		if (metrics[k].level < metrics[i].level &&
		    !strcmp(metrics[k].name, metrics[i].parent))
			return k;
	return n;
}

const struct metric *tree_parent(const struct metric *metrics, unsigned int n,
				 const struct metric *of)
{
	unsigned int i = parent_of(metrics, n, (unsigned int)(of - metrics));

	return i < n ? &metrics[i] : NULL;
}

/* Puts the metrics with this parent (n: without one) below it, with theirs. Returns the places. */
static unsigned int place_parts(struct place *place, unsigned int placed,
				const unsigned int *parent, unsigned int n, unsigned int of,
				unsigned int depth)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (parent[i] != of)
			continue;
		place[placed++] = (struct place){ i, depth };
		placed = place_parts(place, placed, parent, n, i, depth + 1);
	}
	return placed;
}

struct place *tree_order(const struct metric *metrics, unsigned int n)
{
	struct place *place = need(calloc(n + 1, sizeof(*place)));
	unsigned int *parent = need(calloc(n + 1, sizeof(*parent))), i;

	for (i = 0; i < n; i++)
		parent[i] = parent_of(metrics, n, i);
	place_parts(place, 0, parent, n, n, 0);
	free(parent);
	return place;
}

/* Returns the largest part of a metric (n: the largest without one above) beyond its threshold. */
static int largest_beyond(const struct metric *metrics, unsigned int n, unsigned int parent,
			  const char *core)
{
	unsigned int i;
	int found = -1;

	for (i = 0; i < n; i++)
		if (metrics[i].level && metrics[i].value.beyond && !metrics[i].value.reason &&
		    !strcmp(metrics[i].is.core, core) && parent_of(metrics, n, i) == parent &&
		    (found < 0 || metrics[i].value.value > metrics[found].value.value))
			found = (int)i;
	return found;
}

/* Whether metric i is the first of its core type. */
static bool is_first(const struct metric *metrics, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < i; k++)
		if (!strcmp(metrics[k].is.core, metrics[i].is.core))
			return false;
	return true;
}

bool *tree_bottlenecks(const struct metric *metrics, unsigned int n)
{
	bool *worst = need(calloc(n + 1, sizeof(*worst)));
	unsigned int i;

	for (i = 0; i < n; i++) {
		int found = (int)n, next;

		if (!is_first(metrics, i))
			continue;
		while ((next = largest_beyond(metrics, n, (unsigned int)found,
					      metrics[i].is.core)) >= 0)
			found = next;
		worst[found] = true; /* n: there is none */
	}
	return worst;
}
