// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The metrics of all tables that scripts/published-metrics makes, of random counts, for tree:
 * TABLE, the metrics, "METRIC THRESHOLD" each, and the events, then 1,000 times a line of doubles:
 * counts, values (a NaN where there is none), whether each is beyond its threshold. With the
 * argument "lists": the names that stand for several metrics.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arch/events.h"
#include "arch/metric-tables.h"
#include "libperfctr.h"

#define TIMES 1000

struct names {
	unsigned int n;
	char *list;
};

static int add(void *arg, const struct perfctr_metric *metric)
{
	struct names *names = arg;
	char *longer;

	if ((!strchr(metric->name, '_') && strcmp(metric->name, "retiring") != 0) ||
	    !strncmp(metric->name, "PAPI_", 5) || strchr(metric->name, '-'))
		return 0;
	if (asprintf(&longer, "%s%s%s", names->n ? names->list : "", names->n ? "," : "",
		     metric->name) < 0)
		exit(1);
	free(names->list);
	names->list = longer;
	names->n++;
	return 0;
}

/* Each event's count is the same wherever it is: its place is that of its name among all names. */
static unsigned int find_place(char (*known)[128], unsigned int *n, const char *name, size_t length)
{
	unsigned int i;

	for (i = 0; i < *n; i++)
		if (strlen(known[i]) == length && !memcmp(known[i], name, length))
			return i;
	snprintf(known[(*n)++], sizeof(known[0]), "%.*s", (int)length, name);
	return i;
}

static unsigned int find_places(const char *events, unsigned int *place, char (*known)[128])
{
	unsigned int i = 0, n = 0;
	bool inside = false;
	const char *end;

	for (; *events; events = end) {
		events += strspn(events, "{},");
		for (end = events; *end && (inside || !strchr("{},", *end)); end++)
			inside ^= *end == '/';
		if (end > events)
			place[i++] = find_place(known, &n, events, (size_t)(end - events));
	}
	return n;
}

static void print_head(const struct perfctr_metrics *metrics, const char *table, char (*known)[128],
		       unsigned int n)
{
	unsigned int i, size = perfctr_metrics_size(metrics);
	struct perfctr_metric metric;

	printf("%s\t%u\t%u\n", table, size, n);
	for (i = 0; i < size; i++) {
		perfctr_metrics_metric(metrics, i, &metric);
		printf("%s\t%s\t%s\n", metric.name, metric.unit, metric.threshold);
	}
	for (i = 0; i < n; i++)
		printf("%s\n", known[i]);
}

/*
 * Half of the rounds have counts of one magnitude; in the others each event has its own, for
 * thresholds that are crossed only where counts are far apart.
 */
static double random_count(bool far_apart)
{
	unsigned long limit = 1000000;

	if (far_apart)
		for (limit = 100; random() % 3 && limit < 1000000000;)
			limit *= 10;
	return (double)((unsigned long)random() % limit + 1);
}

static void print_round(const struct perfctr_metrics *metrics, const unsigned int *place,
			unsigned int events, unsigned int n, bool far_apart)
{
	static struct perfctr_metric_value values[1024];
	static struct perfctr_reading readings[4096];
	static double numbers[8192];
	unsigned int i, size = perfctr_metrics_size(metrics);

	for (i = 0; i < n; i++)
		numbers[i] = random_count(far_apart);
	for (i = 0; i < events; i++)
		readings[i] = (struct perfctr_reading){ .value = (uint64_t)numbers[place[i]],
							.enabled = 2000000000,
							.running = 2000000000 };
	perfctr_metrics_values(metrics, readings, values);
	for (i = 0; i < size; i++) {
		numbers[n + i] = values[i].value;
		numbers[n + size + i] = values[i].beyond;
	}
	fwrite(numbers, sizeof(numbers[0]), n + 2 * size, stdout);
}

static void print_table(const char *table)
{
	static char known[2048][128];
	static unsigned int place[4096];
	struct names names = { 0, NULL };
	struct perfctr_metrics *metrics;
	unsigned int n, events, times;
	const char *list;

	if (perfctr_metrics_list(table, add, &names) < 0 || !names.n)
		return;
	metrics = perfctr_metrics_open(names.list, table);
	free(names.list);
	if (!metrics) {
		fprintf(stderr, "%s: %s\n", table, perfctr_error());
		exit(1);
	}
	list = perfctr_metrics_events(metrics, &events);
	n = find_places(list, place, known);
	print_head(metrics, table, known, n);
	for (times = 0; times < TIMES; times++)
		print_round(metrics, place, events, n, times % 2);
	perfctr_metrics_close(metrics);
}

/* TABLE LIST METRIC... of each table. */
static void print_lists(const char *table)
{
	const struct perfctr_metric_list *list = perfctr_metric_lists;
	unsigned int i;

	for (i = 0; i < perfctr_metric_list_count; i++, list++)
		if (perfctr_metric_has_table(list->tables, table))
			printf("%s %s %s\n", table, perfctr_metric_text(list->name),
			       perfctr_metric_text(list->metrics));
}

int main(int argc, char **argv)
{
	bool lists = argc == 2 && !strcmp(argv[1], "lists");
	const char *id;
	unsigned int i;

	srandom(1);
	for (i = 0; (id = perfctr_event_table_id(i)); i++)
		(lists ? print_lists : print_table)(id);
	return 0;
}
