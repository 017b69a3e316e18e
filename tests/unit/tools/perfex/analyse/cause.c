// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests which metric --why names, and how: with thresholds, as Intel's have, and without any. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tools/perfex/analyse/cause.h"

#define LARGEST " cause:  the vendor publishes no thresholds; the largest share is "

static char text[4096];
static struct metric metric[256];
static unsigned int n;

/* Takes the metrics of a processor's tree; each is 1 %. */
static void take(const char *tree, const char *cpu)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open(tree, cpu);
	unsigned int i;

	n = perfctr_metrics_size(metrics);
	ck_assert_uint_le(n, ARRAY_SIZE(metric));
	memset(metric, 0, sizeof(metric));
	for (i = 0; i < n; i++) {
		struct perfctr_metric_node node;

		perfctr_metrics_metric(metrics, i, &metric[i].is);
		perfctr_metrics_node(metrics, i, &node);
		metric[i].is.core = "";
		metric[i].value.value = 1;
		metric[i].level = node.level;
		snprintf(metric[i].name, sizeof(metric[i].name), "%s", metric[i].is.name);
		snprintf(metric[i].parent, sizeof(metric[i].parent), "%s", node.parent);
	}
	perfctr_metrics_close(metrics);
}

static struct metric *named(const char *name)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!strcmp(metric[i].name, name))
			return &metric[i];
	ck_abort_msg("there is no %s", name);
	return NULL;
}

static void set(const char *name, double value)
{
	named(name)->value.value = value;
}

/* The page says this of the cause, and of what to try. */
static void says(const char *wanted, const char *advice, bool functions)
{
	unsigned int count;
	struct cause *cause = causes_find(metric, n, &count);
	FILE *file = fmemopen(text, sizeof(text), "w");

	ck_assert_uint_eq(count, 1);
	cause_print(file, cause);
	cause_print_advice(file, cause, functions);
	free(cause);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_msg(!strncmp(text, wanted, strlen(wanted)), "no \"%s\" in\n%s", wanted, text);
	ck_assert_msg(strstr(text, advice) != NULL, "no \"%s\" in\n%s", advice, text);
	ck_assert_msg(strstr(text, "\n\n") && !strstr(text, "\n\n")[2], "%s", text);
}

/* AMD publishes no thresholds: the largest share that is lost, and the largest of its parts. */
START_TEST(of_amd)
{
	take("topdown", "zen4");
	set("topdown-retiring", 90);
	set("topdown-smt", 80);
	set("topdown-frontend", 20);
	set("topdown-backend", 60);
	set("topdown-backend-core", 25);
	set("topdown-backend-memory", 35);
	says(LARGEST "topdown-backend-memory, 35.0 %: dispatch slots that waited for the back end, "
		     "because of loads; in topdown-backend, 60.0 %\n",
	     " try:    touch less memory", true);
	/* Of two that are as large the first one. */
	set("topdown-backend-memory", 25);
	says(LARGEST "topdown-backend-memory, 25.0 %", "", true);
	/* A part that was not counted is none. */
	named("topdown-backend-memory")->value.reason = "no room";
	says(LARGEST "topdown-backend-core, 25.0 %", " try:    break chains", true);
	named("topdown-backend")->value.quality = PERFCTR_SCALED;
	named("topdown-backend-core")->value.reason = "no room";
	says(LARGEST "topdown-backend, 60.0 % (estimate): dispatch slots that waited for the back "
		     "end\n",
	     "", true);
}
END_TEST

/* Arm's metrics are one level. */
START_TEST(of_arm)
{
	struct metric first, *largest;

	take("topdown", "neoverse-v2");
	set("topdown-retiring", 60);
	set("topdown-bad-speculation", 30);
	says(LARGEST "topdown-bad-speculation, 30.0 %", " try:    make branches predictable", true);
	/* It may be the first one. */
	first = metric[0];
	largest = named("topdown-bad-speculation");
	metric[0] = *largest;
	*largest = first;
	says(LARGEST "topdown-bad-speculation, 30.0 %", " try:    make branches predictable", true);
}
END_TEST

START_TEST(nothing_was_counted)
{
	unsigned int i;

	take("topdown", "zen4");
	for (i = 0; i < n; i++)
		metric[i].value.reason = "no room";
	says(" cause:  the vendor publishes no thresholds; and of what may be lost nothing was "
	     "counted\n",
	     " try:    a better algorithm; perfex --sample shows", false);
}
END_TEST

/* Intel has thresholds: a large share below them is no cause. */
START_TEST(of_intel)
{
	take("tma", "skylake");
	set("tma_backend_bound", 60);
	says(" cause:  nothing of the tree is beyond its threshold: ",
	     " try:    a better algorithm for the functions above; ", true);
	says(" cause:  nothing", " try:    a better algorithm; perfex --sample shows", false);
	named("tma_frontend_bound")->value.beyond = true;
	says(" cause:  tma_frontend_bound, 1.0 %: ", " try:    make the hot code smaller", true);
}
END_TEST

UNIT_MAIN("cause", 60, of_amd, of_arm, nothing_was_counted, of_intel)
