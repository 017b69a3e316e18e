// SPDX-License-Identifier: LGPL-2.1-or-later
/* perfctr-info - what can be counted on this machine, and if something can't, why and what to
 * change. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <libperfctr.h>
#include <perfctr/read.h>
#include "text.h"

static const char usage[] =
	"usage: perfctr-info [options]\n"
	"\n"
	"  -j, --json             write for programs\n"
	"  -q, --quiet            write nothing: the exit status tells\n"
	"  -h, --help, --version  show this text, the version\n"
	"\n"
	"Exit status: 0 if hardware events can be counted and read in user space, 1 if not, 2 on error.\n";

struct settings {
	bool json, quiet;
	bool all_well;
	unsigned int checks;
};

static int show_check(void *arg, const struct perfctr_check *check)
{
	struct settings *settings = arg;

	settings->all_well &= check->ok;
	if (settings->json) {
		text_json(stdout,
			  settings->checks++ ? ",\n  {\"name\":" : "\n  {\"name\":", check->name);
		printf(",\"ok\":%s", check->ok ? "true" : "false");
		text_json(stdout, ",\"state\":", check->state);
		text_json(stdout, ",\"remedy\":", check->remedy);
		putchar('}');
	} else if (!settings->quiet) {
		printf("%-4s %-18s %s\n",
		       !*check->remedy ? "ok"
		       : check->ok     ? "--"
				       : "NO",
		       check->name, check->state);
		if (*check->remedy)
			printf("     %-18s %s\n", "", check->remedy);
	}
	return 0;
}

/* ---- what things cost here ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct costs {
	struct vperfctr *self;
	struct perfctr_reader reader;
	struct vperfctr_control control;
	struct perfctr_set *group;
	unsigned int n;
	bool first;
};

enum job { NOTHING, READ_TSC, READ_PMC, READ_INLINE, READ_CTRS, READ_KERNEL, STOP_AND_START };

static void do_job(struct costs *costs, enum job job)
{
	struct perfctr_reading reading;
	struct perfctr_sum_ctrs sum;
	uint64_t value;

	switch (job) {
	case NOTHING: perfctr_barrier(); break;
	case READ_TSC: vperfctr_read_tsc(costs->self); break;
	case READ_PMC: vperfctr_read_pmc(costs->self, 0); break;
	case READ_INLINE: perfctr_reader_read(&costs->reader, &value); break;
	case READ_CTRS: vperfctr_read_ctrs(costs->self, &sum); break;
	case READ_KERNEL: perfctr_set_read(costs->group, &reading); break;
	case STOP_AND_START:
		vperfctr_stop(costs->self);
		vperfctr_control(costs->self, &costs->control);
	}
}

static void show_cost(const struct settings *settings, struct costs *costs, const char *what,
		      enum job job, unsigned int times)
{
	double best = 1e30, t;
	unsigned int round, i;

	/* The shortest of some rounds: what others do can only make one longer. */
	for (round = 0; round < 7; round++) {
		t = now();
		for (i = 0; i < times; i++)
			do_job(costs, job);
		t = (now() - t) / times;
		best = t < best ? t : best;
	}
	if (settings->json) {
		text_json(stdout, costs->first ? "\n  {\"what\":" : ",\n  {\"what\":", what);
		printf(",\"ns\":%.1f}", best);
	} else {
		printf("     %-36s %10.1f ns\n", what, best);
	}
	costs->first = false;
}

/* A control that counts something in user mode on n counters, of whatever this processor is. */
static bool start_counters(struct costs *costs, unsigned int n)
{
	struct perfctr_cpu_control *control = &costs->control.cpu_control;
	unsigned int i;

	memset(&costs->control, 0, sizeof(costs->control));
	control->tsc_on = 1;
	control->nractrs = n;
	for (i = 0; i < n; i++) {
		control->pmc_map[i] = i;
#if defined(PERFCTR_ABI_X86_H)
		control->evntsel[i] = 0x004100C0; /* instructions retired, USR, enable */
#elif defined(__aarch64__)
		control->evntsel[i] = 0x80000008; /* INST_RETIRED, not EL1 */
#endif
	}
	return vperfctr_control(costs->self, &costs->control) == 0;
}

static void show_costs(const struct settings *settings)
{
	struct costs costs = { .self = vperfctr_open(), .first = true };

	if (!costs.self)
		return;
	show_cost(settings, &costs, "nothing, in the same loop", NOTHING, 100000);
	if (start_counters(&costs, 0))
		show_cost(settings, &costs, "virtual TSC", READ_TSC, 20000);
	if (start_counters(&costs, 1)) {
		show_cost(settings, &costs, "one counter", READ_PMC, 20000);
		if (vperfctr_reader(costs.self, 0, &costs.reader) == 0)
			show_cost(settings, &costs, "one counter, inline", READ_INLINE, 20000);
		show_cost(settings, &costs, "stop and start, one counter", STOP_AND_START, 500);
	}
	if (start_counters(&costs, 4))
		show_cost(settings, &costs, "TSC and four counters", READ_CTRS, 20000);
	costs.group = perfctr_set_open("task-clock", NULL, 0);
	if (costs.group)
		show_cost(settings, &costs, "one event through the kernel", READ_KERNEL, 5000);
	perfctr_set_close(costs.group);
	vperfctr_unlink(costs.self);
	vperfctr_close(costs.self);
}

static void show_processor(const struct settings *settings)
{
	const char *provider = perfctr_provider_name(), *id, *name;
	struct perfctr_info info;

	if (!provider || perfctr_get_info(&info) < 0 || perfctr_cpu_native(&id, &name) < 0)
		return;
	if (settings->json) {
		text_json(stdout, " \"processor\":", name);
		text_json(stdout, ",\n \"id\":", id);
		printf(",\n \"counters\":%u,\n", perfctr_info_nrctrs(&info));
	} else {
		/* perf_events' version says whose it is. */
		printf("%s%s%s, %u counters, %s%.*s\n\n", name, *id ? ", --cpu " : "", id,
		       perfctr_info_nrctrs(&info),
		       strcmp(provider, "driver") ? "" : "perfctr driver ",
		       (int)sizeof(info.driver_version), info.driver_version);
	}
}

static void show(struct settings *settings)
{
	if (settings->json)
		printf("{\n");
	if (!settings->quiet)
		show_processor(settings);
	if (settings->json)
		printf(" \"checks\":[");
	perfctr_doctor(show_check, settings);
	if (settings->quiet)
		return;
	fputs(settings->json ? "],\n \"costs\":[" : "\nWhat reads cost here:\n", stdout);
	show_costs(settings);
	if (settings->json)
		printf("]\n}\n");
}

static void take_option(struct settings *settings, int option)
{
	switch (option) {
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
		{ "json", no_argument, NULL, 'j' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	struct settings settings = { .all_well = true };
	int option;

	while ((option = getopt_long(argc, argv, "jqh", options, NULL)) != -1)
		take_option(&settings, option);
	if (optind < argc || (settings.json && settings.quiet)) {
		fprintf(stderr, "perfctr-info: %s\n",
			optind < argc ? "it takes no arguments" : "-j and -q exclude each other");
		return 2;
	}
	show(&settings);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("perfctr-info: can't write");
		return 2;
	}
	return settings.all_well ? 0 : 1;
}
