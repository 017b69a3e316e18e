// SPDX-License-Identifier: LGPL-2.1-or-later
#include <libperfctr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/topdown.h"

struct node {
	const char *name, *parent;
	unsigned int level;
};

struct topdown {
	struct perfctr_metrics *metrics;
	struct node *node; /* core types may have a name at different places */
	unsigned int n;
};

static bool has_node(const struct topdown *topdown, const struct node *node)
{
	unsigned int i;

	for (i = 0; i < topdown->n; i++)
		if (!strcmp(topdown->node[i].name, node->name) &&
		    !strcmp(topdown->node[i].parent, node->parent) &&
		    topdown->node[i].level == node->level)
			return true;
	return false;
}

static void add_node(struct topdown *topdown, const struct node *node)
{
	if (!has_node(topdown, node))
		topdown->node[topdown->n++] = *node;
}

/* Takes the metrics that are in a tree. */
static void find_nodes(struct topdown *topdown)
{
	unsigned int i, n = perfctr_metrics_size(topdown->metrics);
	struct perfctr_metric_node node;
	struct perfctr_metric metric;

	topdown->node = need(calloc(n, sizeof(*topdown->node)));
	for (i = 0; i < n; i++) {
		perfctr_metrics_metric(topdown->metrics, i, &metric);
		perfctr_metrics_node(topdown->metrics, i, &node);
		if (node.level)
			add_node(topdown, &(struct node){ metric.name, node.parent, node.level });
	}
}

struct topdown *topdown_of(const char *cpu)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open("tma", cpu);
	struct topdown *topdown;

	if (!metrics)
		metrics = perfctr_metrics_open("topdown", cpu);
	if (!metrics)
		return NULL;
	topdown = need(calloc(1, sizeof(*topdown)));
	topdown->metrics = metrics;
	find_nodes(topdown);
	return topdown;
}

struct topdown *topdown_new(const char *option)
{
	struct topdown *topdown = topdown_of(NULL);

	if (!topdown)
		die("%s: the library has no tree of top-down analysis for this processor; \"perfex "
		    "-M list\" lists the metrics that it has",
		    option);
	return topdown;
}

/* Whether the name is one of a list. */
static bool lists(const char *list, const char *name)
{
	size_t length = strlen(name), n;

	for (; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n == length && !memcmp(list, name, n))
			return true;
	}
	return false;
}

/* Whether a node is of these levels, or a part of one of these names. */
static bool is_wanted(const struct node *node, unsigned int level, const char *names)
{
	return names ? lists(names, node->parent) : node->level <= level;
}

/* Whether a node of the same name is wanted, and comes before this one. */
static bool was_wanted(const struct topdown *topdown, unsigned int i, unsigned int level,
		       const char *names)
{
	const char *name = topdown->node[i].name;

	while (i--)
		if (!strcmp(topdown->node[i].name, name) &&
		    is_wanted(&topdown->node[i], level, names))
			return true;
	return false;
}

/* Joins the names of the nodes that are wanted, each once. */
static char *join(const struct topdown *topdown, unsigned int level, const char *names)
{
	char *joined = NULL;
	unsigned int i, n = 0;
	size_t size;
	FILE *file = need(open_memstream(&joined, &size));

	for (i = 0; i < topdown->n; i++)
		if (is_wanted(&topdown->node[i], level, names) &&
		    !was_wanted(topdown, i, level, names))
			fprintf(file, "%s%s", n++ ? "," : "", topdown->node[i].name);
	if (fclose(file) != 0)
		need(NULL);
	if (n)
		return joined;
	free(joined);
	return NULL;
}

char *topdown_names(const struct topdown *topdown, unsigned int level)
{
	return join(topdown, level, NULL);
}

char *topdown_parts(const struct topdown *topdown, const char *names)
{
	return join(topdown, 0, names);
}

unsigned int topdown_levels(const struct topdown *topdown)
{
	unsigned int i, levels = 0;

	for (i = 0; i < topdown->n; i++)
		if (topdown->node[i].level > levels)
			levels = topdown->node[i].level;
	return levels;
}

void topdown_free(struct topdown *topdown)
{
	if (!topdown)
		return;
	perfctr_metrics_close(topdown->metrics);
	free(topdown->node);
	free(topdown);
}
