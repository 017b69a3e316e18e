// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/perfex/advice.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/count/beside.h"
#include "tools/perfex/drill.h"
#include "tools/perfex/report/metrics.h"
#include "tools/perfex/report/tree.h"
#include "tools/perfex/sample/lines.h"
#include "tools/perfex/sample/sample.h"
#include "tools/perfex/why.h"

enum { PLACES = 5 };

/* The metrics of a tree, from the bottleneck up; n is 0 if nothing is beyond its threshold. */
struct cause {
	const struct metric *path[16];
	unsigned int n;
};

/* ---- the cause ---- */

static struct cause find_cause(const struct metric *metrics, unsigned int n)
{
	bool *worst = tree_bottlenecks(metrics, n);
	const struct metric *metric = NULL;
	struct cause cause = { .n = 0 };
	unsigned int i;

	for (i = 0; i < n && !metric; i++)
		if (worst[i])
			metric = &metrics[i];
	free(worst);
	for (; metric && cause.n < 16; metric = tree_parent(metrics, n, metric))
		cause.path[cause.n++] = metric;
	return cause;
}

/* Exits if no event at all can be counted here, before the command runs in vain. */
static void check_counters(void)
{
	struct perfctr_set *set = perfctr_set_open("cycles:u", NULL, 0);

	if (!set)
		die("--why counts what the processor does, and here it can't: %s", perfctr_error());
	perfctr_set_close(set);
}

/* Exits if there is not one value in the whole tree. */
static void check_counted(const struct metric *metrics, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!metrics[i].value.reason)
			return;
	die("--why finds nothing: no metric of the tree was counted: %s",
	    n ? metrics[0].reason : "the command was not run");
}

/* ---- samples ---- */

struct look {
	struct sampling *sampling;
	struct sampling_request request;
};

static void started(void *arg, pid_t pid)
{
	struct look *look = arg;

	sampling_open(look->sampling, &look->request, pid);
}

static void tick(void *arg, double seconds)
{
	struct look *look = arg;

	(void)seconds;
	sampling_read(look->sampling);
}

/* Whether this machine samples the event, tried on this thread. */
static bool can_sample(const char *event)
{
	const struct perfctr_sampler_config config = { .frequency = 1000,
						       .flags = PERFCTR_DISABLED };
	char *user;
	struct perfctr_sampler *sampler;

	if (asprintf(&user, "%s:u", event) < 0)
		need(NULL);
	sampler = perfctr_sampler_open(user, NULL, &config);
	perfctr_sampler_close(sampler);
	free(user);
	return sampler != NULL;
}

/* Returns the first event of the cause that can be sampled here, of those above it, or cycles. */
static char *find_event(const struct cause *cause)
{
	unsigned int i;

	for (i = 0; i < cause->n; i++) {
		char *names = need(strdup(cause->path[i]->sample)), *rest = names, *name, *found;

		while ((name = strtok_r(rest, " ", &rest)))
			if (can_sample(name)) {
				found = need(strdup(name));
				free(names);
				return found;
			}
		free(names);
	}
	return need(strdup("cycles"));
}

/* Runs the command once more, and samples it. */
static struct run_end take_samples(const struct options *options, const char *event,
				   struct sampling **sampling)
{
	struct events events = { .n = 0 };
	struct tasks tasks = { .n = 0 };
	struct breakdown breakdown = { .by = BY_NOTHING };
	struct look look = { .request = { .targets = &options->targets,
					  .command = options->command,
					  .kind = PLACE_FUNCTION } };
	const struct run what = {
		.events = &events,
		.tasks = &tasks,
		.breakdown = &breakdown,
		.command = options->command,
		.targets = &options->targets,
		.interval = 20,
		.timeout = options->timeout,
		.started = started,
		.tick = tick,
		.arg = &look,
	};
	struct run_end end;

	if (!run_beside("--pre", options->pre))
		exit(EXIT_PERFEX);
	look.sampling = sampling_new(event, 0, 0, PLACE_FUNCTION);
	end = run(&what);
	sampling_end(look.sampling);
	tasks_close(&tasks);
	run_beside("--post", options->post);
	*sampling = look.sampling;
	return end;
}

/* ---- the page ---- */

static void print_head(FILE *file, const struct options *options, unsigned int runs, bool sampled)
{
	struct fit fit = fit_begin(file, 2);
	char **word = options->command;
	char text[80];

	fputc('\n', file);
	fit_words(&fit, " why '");
	fit_words(&fit, *word);
	while (*++word) {
		fit_words(&fit, " ");
		fit_words(&fit, *word);
	}
	snprintf(text, sizeof(text), "', by %u run%s of counts%s:", runs, runs == 1 ? "" : "s",
		 sampled ? " and one of samples" : "");
	fit_words(&fit, text);
	fit_end(&fit);
	fputc('\n', file);
}

static void put_share(struct fit *fit, const struct metric *metric)
{
	char text[sizeof(metric->name) + 64];

	snprintf(text, sizeof(text), "%s, %.1f %%%s", metric->name, metric->value.value,
		 metric->value.quality == PERFCTR_EXACT ? "" : " (estimate)");
	fit_words(fit, text);
}

static void print_cause(FILE *file, const struct cause *cause)
{
	struct fit fit = fit_begin(file, 8);
	unsigned int i;

	fit_put(&fit, " cause:  ");
	if (!cause->n)
		fit_words(&fit,
			  "nothing of the tree is beyond its threshold: no part of the processor "
			  "stands out, and perfex --topdown shows all");
	for (i = 0; i < cause->n; i++) {
		fit_words(&fit, i ? "; in " : "");
		put_share(&fit, cause->path[i]);
		if (i)
			continue;
		fit_words(&fit, ": ");
		fit_words(&fit, cause->path[0]->is.description);
	}
	fit_end(&fit);
}

static void print_place(FILE *file, const struct histogram_top *top, uint64_t samples)
{
	struct fit fit = fit_begin(file, 18);
	char line[80], share[32];

	lines_find(line, sizeof(line), top->file, top->offset);
	snprintf(share, sizeof(share), "        %6.2f%%  ",
		 100 * (double)top->count / (double)samples);
	fit_put(&fit, share);
	fit_words(&fit, top->function ? top->function : "-");
	fit_words(&fit, *line ? ", line " : "");
	fit_words(&fit, line);
	fit_words(&fit, ", in ");
	fit_words(&fit, top->file);
	fit_end(&fit);
}

static void print_places(FILE *file, struct sampling *sampling, const char *event)
{
	uint64_t samples = sampling_samples(sampling);
	struct histogram_top top[PLACES];
	size_t i, n = sampling_top(sampling, top, PLACES);

	if (samples)
		fprintf(file, " place:  %llu samples of ", (unsigned long long)samples);
	else
		fputs(" place:  unknown: the command is too short for samples of ", file);
	fprintf(file, "%s%s\n", event, n ? ", in" : "");
	for (i = 0; i < n; i++) {
		print_place(file, &top[i], samples);
		free(top[i].function);
	}
}

static void print_advice(FILE *file, const struct cause *cause)
{
	struct fit fit = fit_begin(file, 8);
	const char *text = NULL;
	unsigned int i;

	for (i = 0; i < cause->n && !text; i++)
		text = advice_for(cause->path[i]->is.name);
	fit_put(&fit, " try:    ");
	fit_words(&fit, text ? text
			     : "a better algorithm for the functions above; perfex --sample --html "
			       "shows who calls them");
	fit_end(&fit);
	fputc('\n', file);
}

/* The page; sampling is NULL if there was no run for samples. */
static void print_page(FILE *file, const struct options *options, const struct cause *cause,
		       unsigned int runs, struct sampling *sampling, const char *event)
{
	FILE *door = terminal_open(file);

	print_head(door, options, runs, sampling != NULL);
	print_cause(door, cause);
	if (sampling)
		print_places(door, sampling, event);
	else
		fputs(" place:  not looked for, since the command is not run again\n", door);
	print_advice(door, cause);
	terminal_close(door);
}

struct run_end why(const struct options *options)
{
	struct output output = { .name = options->file, .format = FORMAT_TABLE };
	struct page none = { .output = { .name = NULL } };
	struct sampling *sampling = NULL;
	struct metric *metrics;
	struct drill *drill;
	struct cause cause;
	struct run_end end;
	unsigned int n;
	char *event;

	check_counters();
	drill = drill_count(options, NULL, &output, &none);
	end = drill_results(drill)->end;
	metrics = metrics_get(drill_results(drill), NULL, &n);
	check_counted(metrics, n);
	cause = find_cause(metrics, n);
	event = find_event(&cause);
	if (!drill_stopped(drill)) {
		say("the last run samples %s", event);
		take_samples(options, event, &sampling);
	}
	print_page(output.file, options, &cause, drill_results(drill)->drilled, sampling, event);
	if (sampling)
		sampling_free(sampling);
	free(event);
	free(metrics);
	drill_free(drill);
	output_close(&output);
	return end;
}
