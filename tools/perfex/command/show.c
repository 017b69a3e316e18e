// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <libperfctr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/command/show.h"

/* The stream of all lists: descriptions come from outside. */
static FILE *door;

static int finish_stdout(void)
{
	if (door)
		terminal_close(door);
	door = NULL;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	die("can't write to standard output: %s", strerror(errno));
}

/* Prints the processor, and its id for --cpu. */
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

int show_help(enum help help)
{
	table_help(stdout, help);
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
		if (!text_find(name->name, *words) && !text_find(name->description, *words))
			return false;
	return true;
}

/* Where a column of descriptions would have no room for some words, these come below the name. */
static void print_described(const struct perfctr_event_name *name)
{
	struct fit fit = fit_begin(door, terminal_columns(door) < 110 ? 6 : 54);
	int used = text_width(name->name) > 40 ? text_width(name->name) : 40;

	fputs("  ", door);
	text_terminal(door, name->name, 40);
	fprintf(door, " %-10s", name->kind);
	fit_used(&fit, used + 13);
	fit_put(&fit, " ");
	if (fit.columns && fit.indent == 6 && !fit_has_room(&fit, name->description))
		fit_next(&fit);
	fit_words(&fit, name->description);
	fit_end(&fit);
}

static int list_name(void *arg, const struct perfctr_event_name *name)
{
	struct list *list = arg;

	if (!has_words(name, list->words))
		return 0;
	list->n++;
	/* A search also prints descriptions, which show why a name was found. */
	if (list->with_text || list->words)
		print_described(name);
	else
		fprintf(door, "  %s\n", name->name);
	return 0;
}

/* Shows one of PAPI's presets that a search finds, and what it is made of here. */
static int list_preset(void *arg, const struct perfctr_metric *metric)
{
	struct perfctr_event_name name = { metric->name, "preset", NULL };
	char *text;

	if (strncmp(metric->name, "PAPI_", 5) != 0)
		return 0;
	if (asprintf(&text, "%s: %s", metric->description, metric->formula) < 0)
		need(NULL);
	name.description = text;
	list_name(arg, &name);
	free(text);
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

/* Prints the head of the list of this machine's events. */
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

	door = terminal_open(stdout);
	if (perfctr_event_list(NULL, list_name, &list) < 0)
		die("%s", perfctr_error());
	if (with_text)
		perfctr_event_list("tracepoint", list_name, &list);
	if (words && perfctr_metrics_list(NULL, list_preset, &list) < 0)
		die("%s", perfctr_error());
	if (!counters)
		fputs("\nHardware events have names, but this machine shows no counters for them;\n"
		      "perfctr-info(1) says why.\n",
		      door);
	return finish_list(&list);
}

static void print_about_metric(const char *before, const char *text)
{
	struct fit fit = fit_begin(door,
				   terminal_columns(door) && terminal_columns(door) < 110 ? 8 : 36);

	fprintf(door, "%*s", fit.indent, "");
	fit_used(&fit, fit.indent);
	fit_words(&fit, before);
	fit_words(&fit, text);
	fit_end(&fit);
}

static int list_metric(void *arg, const struct perfctr_metric *metric)
{
	struct fit fit = fit_begin(door, 8);
	unsigned int *n = arg;

	++*n;
	fit_used(&fit, fprintf(door, "  %-26s %-6s", metric->name, metric->unit));
	fit_words(&fit, " ");
	fit_words(&fit, metric->description);
	fit_end(&fit);
	print_about_metric("= ", metric->formula);
	if (*metric->threshold)
		print_about_metric("threshold: ", metric->threshold);
	if (*metric->core)
		print_about_metric("on ", metric->core);
	if (metric->reason)
		print_about_metric("not here: ", metric->reason);
	return 0;
}

int show_metrics(const char *cpu)
{
	const char *id = cpu && strcmp(cpu, "native") ? cpu : NULL;
	unsigned int n = 0;

	door = terminal_open(stdout);
	if (perfctr_metrics_list(id, list_metric, &n) < 0)
		die("%s", perfctr_error());
	return finish_stdout();
}

int show_cpu(const char *cpu, const char *names, bool list, bool with_text, char *const words[])
{
	struct list shown = { with_text || !strcmp(cpu, "list"), words, 0 };
	const char *id = strcmp(cpu, "native") ? cpu : NULL;
	int result;

	door = list || shown.with_text ? terminal_open(stdout) : NULL;
	if (!strcmp(cpu, "list")) {
		result = perfctr_cpu_list(list_name, &shown);
	} else if (list) {
		result = perfctr_cpu_event_list(id, list_name, &shown);
		if (words && result >= 0)
			result = perfctr_metrics_list(id, list_preset, &shown);
	} else if (names) {
		result = perfctr_cpu_events_print(id, names);
	} else {
		die("--cpu %s needs -e EVENT,... whose control is to be printed, or -l", cpu);
	}
	if (result < 0)
		die("%s", perfctr_error());
	return list ? finish_list(&shown) : finish_stdout();
}
