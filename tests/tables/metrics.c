// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each metric of each processor, of random counts: TABLE METRIC UNIT VALUE CODE|NAME=COUNT... ,
 * where CODE is what the table makes of an event, CODE,HIGH,CMASK, or a name that every kernel
 * knows. With the argument "presets": of PAPI's presets.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arch/events.h"
#include "lib/metrics/formula.h"
#include "lib/names/known.h"
#include "libperfctr.h"

static void print_event(const struct perfctr_event_table *table, const char *name, size_t length)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct perfctr_event_choice choice;
	const char *part;
	size_t part_length;
	unsigned int event;

	/* As the library does: what every kernel knows comes first. */
	if (!perfctr_known_parse(name, length, &attr) && table &&
	    perfctr_event_lookup(table, name, length, &choice, &part, &part_length, &event) ==
		    PERFCTR_EVENT_OK)
		printf("\t%x,%x,%x|%.*s", choice.option[0].code, choice.option[0].high,
		       choice.cmask, (int)length, name);
	else
		printf("\t%.*s|", (int)length, name);
}

static size_t name_length(const char *events)
{
	bool inside = false;
	size_t n;

	for (n = 0; events[n] && (inside || !strchr(",{}", events[n])); n++)
		inside ^= events[n] == '/';
	return n;
}

/* What only the machine knows is assumed: evaluate has the same number. */
static double value_of(const struct perfctr_metrics *metrics, const struct perfctr_metric *metric,
		       const struct perfctr_reading *readings)
{
	const struct perfctr_formula_facts facts = { .smt = true, .slots = 7, .revision = 0xFF };
	double counts[PERFCTR_FORMULA_EVENTS], result = 0;
	struct perfctr_metric_value value;
	struct perfctr_formula formula;
	unsigned int i;

	perfctr_metrics_value(metrics, 0, readings, &value);
	if (!strstr(metric->formula, "#slots"))
		return value.value;
	/* In one group, and so in the formula's order. */
	for (i = 0; i < PERFCTR_FORMULA_EVENTS; i++)
		counts[i] = (double)readings[i].value;
	if (perfctr_formula_compile(&formula, metric->formula, &facts) < 0 ||
	    perfctr_formula_value(&formula, counts, NULL, &result))
		exit(1);
	return result;
}

static bool presets; /* and no others */

/* tree.c has the others, which scripts/published-metrics makes. */
static bool is_wanted(const char *name)
{
	return presets ? !strncmp(name, "PAPI_", 5)
		       : (!strchr(name, '_') || strchr(name, '-')) && strcmp(name, "retiring") != 0;
}

static int print_metric(void *arg, const struct perfctr_metric *metric)
{
	bool wanted = is_wanted(metric->name);
	struct perfctr_metrics *metrics = wanted ? perfctr_metrics_open(metric->name, arg) : NULL;
	struct perfctr_reading readings[2 * PERFCTR_FORMULA_EVENTS] = { { 0 } };
	const char *events;
	unsigned int i, n;

	if (!wanted)
		return 0;
	if (!metrics)
		exit(1);
	printf("threshold\t%s\t%s\t%s\n", (const char *)arg, metric->name, metric->threshold);
	events = perfctr_metrics_events(metrics, &n);
	for (i = 0; i < n; i++)
		readings[i] = (struct perfctr_reading){
			.value = (uint64_t)(random() % 1000000) + 1,
			.enabled = 2000000000,
			.running = 2000000000,
		};
	printf("%s\t%s\t%s\t%.17g", (const char *)arg, metric->name, metric->unit,
	       value_of(metrics, metric, readings));
	for (i = 0; *events; events++) {
		size_t length = name_length(events);

		if (!length)
			continue;
		print_event(perfctr_event_table(arg), events, length);
		printf("=%llu", (unsigned long long)readings[i++].value);
		events += length - 1;
	}
	putchar('\n');
	perfctr_metrics_close(metrics);
	return i == n ? 0 : 1;
}

int main(int argc, char **argv)
{
	char cpu[32];
	const char *id;
	unsigned int i, times;

	presets = argc == 2 && !strcmp(argv[1], "presets");
	srandom(1);
	for (i = 0; (id = perfctr_event_table_id(i)); i++) {
		snprintf(cpu, sizeof(cpu), "%s", id);
		for (times = 0; times < 10; times++)
			perfctr_metrics_list(cpu, print_metric, cpu);
	}
	return 0;
}
