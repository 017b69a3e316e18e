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

static int list_name(void *arg, const struct perfctr_event_name *name)
{
	const bool *with_text = arg;

	if (*with_text)
		printf("  %-40s %-10s %s\n", name->name, name->kind, name->description);
	else
		printf("  %s\n", name->name);
	return 0;
}

int show_list(bool with_text)
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
	perfctr_event_list(NULL, list_name, &with_text);
	if (with_text)
		perfctr_event_list("tracepoint", list_name, &with_text);
	if (!n)
		printf("\nHardware events have names, but this machine has no counters for them; "
		       "perfctr-info(1) says why.\n");
	return finish_stdout();
}

int show_cpu(const char *cpu, const char *names, bool list, bool with_text)
{
	const char *id = strcmp(cpu, "native") ? cpu : NULL;
	int result;

	if (!strcmp(cpu, "list")) {
		with_text = true;
		result = perfctr_cpu_list(list_name, &with_text);
	} else if (list) {
		result = perfctr_cpu_event_list(id, list_name, &with_text);
	} else if (names) {
		result = perfctr_cpu_events_print(id, names);
	} else {
		die("--cpu %s needs -e EVENT,... whose control is to be printed, or -l", cpu);
	}
	if (result < 0)
		die("%s", perfctr_error());
	return finish_stdout();
}
