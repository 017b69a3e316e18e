/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tree.h - metrics that explain each other, as a tree: what is below what, and where it leads. */
#ifndef PERFCTR_TOOLS_TREE_H
#define PERFCTR_TOOLS_TREE_H

#include <stdbool.h>
#include "tools/perfex/report/metrics.h"

/* A metric's place in a list that shows all, and how many of them are above it. */
struct place {
	unsigned int metric, depth;
};

/* Returns all n places, to be freed: the parts of a metric are directly below it. */
struct place *tree_order(const struct metric *metrics, unsigned int n);

/*
 * Returns n flags, to be freed: whether a metric is its core type's bottleneck. Of the metrics that
 * are beyond their thresholds that is the largest one, then the largest of its parts that are, and
 * so on.
 */
bool *tree_bottlenecks(const struct metric *metrics, unsigned int n);

/* Returns the metric of these that one of them is a part of; NULL: there is none. */
const struct metric *tree_parent(const struct metric *metrics, unsigned int n,
				 const struct metric *of);

#endif /* PERFCTR_TOOLS_TREE_H */
