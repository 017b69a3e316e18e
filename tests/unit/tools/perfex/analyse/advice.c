// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests advice: each is for a metric of some processor's tree, and each tree's first level has
 * some. */
#include <stdbool.h>
#include <string.h>
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tools/perfex/analyse/advice.h"

static bool known[256];
static unsigned int trees;

/* Notes which names the processor has. */
static int note_metric(void *arg, const struct perfctr_metric *metric)
{
	unsigned int i;

	(void)arg;
	for (i = 0; advice_name(i); i++)
		if (!strcmp(metric->name, advice_name(i)))
			known[i] = true;
	return 0;
}

/* The first level of a tree has advice, so that all below it has. */
static void check_tree(const char *cpu, const char *tree)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open(tree, cpu);
	unsigned int i;

	for (i = 0; i < perfctr_metrics_size(metrics); i++) {
		struct perfctr_metric_node node;
		struct perfctr_metric metric;

		perfctr_metrics_metric(metrics, i, &metric);
		perfctr_metrics_node(metrics, i, &node);
		ck_assert_msg(node.level != 1 || advice_for(metric.name), "%s: no advice for %s",
			      cpu, metric.name);
		trees += node.level == 1;
	}
	perfctr_metrics_close(metrics);
}

static int check_processor(void *arg, const struct perfctr_event_name *cpu)
{
	(void)arg;
	if (perfctr_metrics_list(cpu->name, note_metric, NULL) == 0) {
		check_tree(cpu->name, "tma");
		check_tree(cpu->name, "topdown");
	}
	return 0;
}

START_TEST(all)
{
	unsigned int i;

	perfctr_cpu_list(check_processor, NULL);
	ck_assert_uint_gt(trees, 40);
	for (i = 0; advice_name(i); i++)
		ck_assert_msg(known[i] && advice_for(advice_name(i)),
			      "no processor or no advice has %s", advice_name(i));
	ck_assert_ptr_null(advice_for("tma_dsb_switches"));
	ck_assert_ptr_null(advice_for(""));
}
END_TEST

UNIT_MAIN("advice", 60, all)
