// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perfctr-info - tells what a program can count on this machine, and if it can't, why and what to
 * change.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libperfctr.h>
#include <locale.h>
#include "tools/perfctr-info/cost.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/base/text.h"

static const char usage[] =
	"usage: perfctr-info [options]\n"
	"\n"
	"  -c, --cost             only the cost of calls here, and how each is made\n"
	"  -j, --json             write for programs\n"
	"  -q, --quiet            write nothing: the exit status tells\n"
	"  -h, --help, --version  show this text, the version\n"
	"\n"
	"Exit status: 0 if hardware events can be counted and read in user space, 1 if not, 2 on error;\n"
	"with -c 0, or 2 on error.\n";

struct settings {
	bool json, quiet, cost;
	bool all_well, no_pmu;
	unsigned int checks;
};

static void show_line(const struct perfctr_check *check)
{
	struct fit fit = fit_begin(stdout, 24);

	fit_used(&fit, printf("%-4s %-18s ",
			      !*check->remedy ? "ok"
			      : check->ok     ? "--"
					      : "NO",
			      check->name));
	fit_words(&fit, check->state);
	if (*check->remedy)
		fit_next(&fit);
	fit_words(&fit, check->remedy);
	fit_end(&fit);
}

static int show_check(void *arg, const struct perfctr_check *check)
{
	struct settings *settings = arg;

	settings->all_well &= check->ok;
	settings->no_pmu |= !strcmp(check->name, "PMU") && !strcmp(check->state, "none");
	if (settings->json) {
		text_json(stdout, settings->checks++ ? ",{\"name\":" : "{\"name\":", check->name);
		printf(",\"ok\":%s", check->ok ? "true" : "false");
		text_json(stdout, ",\"state\":", check->state);
		text_json(stdout, ",\"remedy\":", check->remedy);
		putchar('}');
	} else if (!settings->quiet) {
		show_line(check);
	}
	return 0;
}

static void show_processor(const struct settings *settings)
{
	const char *provider = perfctr_provider_name(), *id, *name;
	struct perfctr_info info;

	if (!provider || perfctr_get_info(&info) < 0 || perfctr_cpu_native(&id, &name) < 0)
		return;
	if (settings->json) {
		text_json(stdout, "\"processor\":", name);
		text_json(stdout, ",\"id\":", id);
		printf(",\"counters\":%u,", perfctr_info_nrctrs(&info));
	} else {
		/* perf_events has no version of its own: the kernel's says it. */
		printf("%s%s%s, %u counters, %s%.*s\n\n", name, *id ? ", --cpu " : "", id,
		       perfctr_info_nrctrs(&info),
		       strcmp(provider, "driver") ? "" : "perfctr driver ",
		       (int)sizeof(info.driver_version), info.driver_version);
	}
}

/* Prints only the costs, but all of them. */
static void show_cost(const struct settings *settings)
{
	if (settings->json)
		printf("{\"type\":\"machine\",");
	show_processor(settings);
	if (settings->json)
		printf("\"costs\":[");
	cost_show(settings->json ? COST_JSON : COST_TABLE, true);
	if (settings->json)
		printf("]}\n");
}

static void show(struct settings *settings)
{
	if (settings->json)
		printf("{\"type\":\"machine\",");
	if (!settings->quiet)
		show_processor(settings);
	if (settings->json)
		printf("\"checks\":[");
	perfctr_doctor(show_check, settings);
	if (settings->quiet)
		return;
	if (settings->no_pmu && !settings->json)
		fputs("\nWithout a PMU:\n"
		      "  perfex command            counts time, page faults and context switches\n"
		      "  perfex --sample command   shows where the time goes\n"
		      "  perfex --emulate command  counts instructions in valgrind, slowly\n",
		      stdout);
	fputs(settings->json ? "],\"costs\":[" : "\nWhat reads cost here:\n", stdout);
	cost_show(settings->json ? COST_JSON : COST_BRIEF, false);
	if (settings->json)
		printf("]}\n");
}

static void take_option(struct settings *settings, int option)
{
	switch (option) {
	case 'c': settings->cost = true; break;
	case 'j': settings->json = true; break;
	case 'q': settings->quiet = true; break;
	case 'h': fputs(usage, stdout); exit(0);
	case 'v': printf("perfctr-info (libperfctr) %s\n", PACKAGE_VERSION); exit(0);
	default: fputs("perfctr-info: \"perfctr-info -h\" shows all options\n", stderr); exit(2);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cost", no_argument, NULL, 'c' },    { "json", no_argument, NULL, 'j' },
		{ "quiet", no_argument, NULL, 'q' },   { "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' }, { NULL, 0, NULL, 0 },
	};
	struct settings settings = { .all_well = true };
	int option;

	setlocale(LC_CTYPE, "");
	while ((option = getopt_long(argc, argv, "cjqh", options, NULL)) != -1)
		take_option(&settings, option);
	if (optind < argc || (settings.quiet && (settings.json || settings.cost))) {
		fprintf(stderr, "perfctr-info: %s\n",
			optind < argc	? "it takes no arguments"
			: settings.json ? "-j and -q exclude each other"
					: "-c and -q exclude each other");
		return 2;
	}
	if (settings.cost)
		show_cost(&settings);
	else
		show(&settings);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("perfctr-info: can't write");
		return 2;
	}
	return settings.all_well ? 0 : 1;
}
