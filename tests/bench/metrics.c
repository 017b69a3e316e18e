// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * metrics.c ID: evaluates all metrics of a processor, once, for callgrind to count the instructions
 * of perfctr_metrics_values(). Prints how many there are.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libperfctr.h"

static int add(void *arg, const struct perfctr_metric *metric)
{
	char **list = arg, *longer;

	if (asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? "," : "", metric->name) < 0)
		err(1, "asprintf");
	free(*list);
	*list = longer;
	return 0;
}

int main(int argc, char **argv)
{
	static struct perfctr_metric_value values[1024];
	static struct perfctr_reading readings[4096];
	struct perfctr_metrics *metrics;
	unsigned int i, n = 0, with_value = 0;
	char *names = NULL;

	if (argc < 2 || perfctr_metrics_list(argv[1], add, &names) < 0)
		errx(1, "usage: metrics ID");
	metrics = perfctr_metrics_open(names, argv[1]);
	if (!metrics)
		errx(1, "%s", perfctr_error());
	perfctr_metrics_events(metrics, &n);
	for (i = 0; i < n && i < 4096; i++)
		readings[i] = (struct perfctr_reading){ .value = 1000 + i % 97 * 13,
							.enabled = 1000000,
							.running = 1000000 };
	if (perfctr_metrics_values(metrics, readings, values) < 0)
		errx(1, "%s", perfctr_error());
	for (i = 0; i < perfctr_metrics_size(metrics); i++)
		with_value += !values[i].reason;
	if (with_value < perfctr_metrics_size(metrics) * 9 / 10)
		errx(1, "only %u metrics have a value", with_value);
	printf("%u\n", perfctr_metrics_size(metrics));
	perfctr_metrics_close(metrics);
	free(names);
	return 0;
}
