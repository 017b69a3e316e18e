// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <libperfctr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "die.h"
#include "show.h"

static int finish_stdout(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	die("can't write to standard output: %s", strerror(errno));
}

/* The processor, and what --cpu calls it. */
static void print_processor(const char *label)
{
	const char *id, *name;

	if (perfctr_cpu_native(&id, &name) == 0)
		printf("%s%s%s%s\n", label, name, *id ? ", --cpu " : "", id);
}

int show_text(const char *text)
{
	fputs(text, stdout);
	return finish_stdout();
}

int show_info(void)
{
	struct perfctr_info info;
	struct perfctr_cpus_info *cpus;

	if (perfctr_get_info(&info) < 0)
		die("%s", perfctr_error());
	cpus = perfctr_cpus_info(-1);
	printf("PerfCtr Info:\n");
	print_processor("processor\t\t");
	perfctr_info_print(&info);
	if (cpus)
		perfctr_cpus_info_print(cpus);
	free(cpus);
	return finish_stdout();
}

struct list {
	bool with_text;
	char *const *words;
	unsigned int n; /* names shown */
};

static bool has_words(const struct perfctr_event_name *name, char *const words[])
{
	for (; words && *words; words++)
		if (!strcasestr(name->name, *words) && !strcasestr(name->description, *words))
			return false;
	return true;
}

static int list_name(void *arg, const struct perfctr_event_name *name)
{
	struct list *list = arg;

	if (!has_words(name, list->words))
		return 0;
	list->n++;
	/* Who searches sees why a name was found. */
	if (list->with_text || list->words)
		printf("  %-40s %-10s %s\n", name->name, name->kind, name->description);
	else
		printf("  %s\n", name->name);
	return 0;
}

static int finish_list(const struct list *list)
{
	if (list->words && !list->n)
		die("no event has %s%s%s in its name or description; without words \"perfex -L\" lists "
		    "all events",
		    list->words[1] ? "all these words" : "\"", list->words[1] ? "" : list->words[0],
		    list->words[1] ? "" : "\"");
	return finish_stdout();
}

/* What stands above the list of this machine's events. */
static unsigned int print_counters(void)
{
	struct perfctr_info info;
	unsigned int n;

	if (perfctr_get_info(&info) < 0)
		die("%s", perfctr_error());
	n = perfctr_info_nrctrs(&info);
	print_processor("CPU type ");
	printf("%s time-stamp counter available\n",
	       info.cpu_features & PERFCTR_FEATURE_RDTSC ? "One" : "No");
	printf("%u performance counter%s available\n", n, n == 1 ? "" : "s");
	printf("Overflow interrupts%s available\n",
	       info.cpu_features & PERFCTR_FEATURE_PCINT ? "" : " not");
	printf("\nEvents Available:\n");
	return n;
}

int show_list(bool with_text, char *const words[])
{
	struct list list = { with_text, words, 0 };
	unsigned int counters = words ? 1 : print_counters();

	if (perfctr_event_list(NULL, list_name, &list) < 0)
		die("%s", perfctr_error());
	if (with_text)
		perfctr_event_list("tracepoint", list_name, &list);
	if (!counters)
		printf("\nHardware events have names, but this machine has no counters for them; "
		       "perfctr-info(1) says why.\n");
	return finish_list(&list);
}

static int list_metric(void *arg, const struct perfctr_metric *metric)
{
	unsigned int *n = arg;

	++*n;
	printf("  %-26s %-6s %s\n  %-33s = %s\n", metric->name, metric->unit, metric->description,
	       "", metric->formula);
	if (*metric->threshold)
		printf("  %-33s threshold: %s\n", "", metric->threshold);
	if (*metric->core)
		printf("  %-33s on %s\n", "", metric->core);
	if (metric->reason)
		printf("  %-33s not here: %s\n", "", metric->reason);
	return 0;
}

int show_metrics(const char *cpu)
{
	const char *id = cpu && strcmp(cpu, "native") ? cpu : NULL;
	unsigned int n = 0;

	if (perfctr_metrics_list(id, list_metric, &n) < 0)
		die("%s", perfctr_error());
	return finish_stdout();
}

int show_cpu(const char *cpu, const char *names, bool list, bool with_text, char *const words[])
{
	struct list shown = { with_text || !strcmp(cpu, "list"), words, 0 };
	const char *id = strcmp(cpu, "native") ? cpu : NULL;
	int result;

	if (!strcmp(cpu, "list")) {
		result = perfctr_cpu_list(list_name, &shown);
	} else if (list) {
		result = perfctr_cpu_event_list(id, list_name, &shown);
	} else if (names) {
		result = perfctr_cpu_events_print(id, names);
	} else {
		die("--cpu %s needs -e EVENT,... whose control is to be printed, or -l", cpu);
	}
	if (result < 0)
		die("%s", perfctr_error());
	return list ? finish_list(&shown) : finish_stdout();
}
