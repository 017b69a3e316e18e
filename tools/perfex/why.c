// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/cause.h"
#include "tools/perfex/count/beside.h"
#include "tools/perfex/drill.h"
#include "tools/perfex/report/metrics.h"
#include "tools/perfex/sample/lines.h"
#include "tools/perfex/sample/sample.h"
#include "tools/perfex/why.h"

enum { PLACES = 5 };

/* ---- what can't be done ---- */

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

/*
 * Returns the first event of the cause that can be sampled here, of those above it, or cycles;
 * NULL: none can.
 */
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
	return can_sample("cycles") ? need(strdup("cycles")) : NULL;
}

/* Runs the command once more, and samples it. */
static struct run_end run_sampled(const struct options *options, struct look *look)
{
	struct events events = { .n = 0 };
	struct tasks tasks = { .n = 0 };
	struct breakdown breakdown = { .by = BY_NOTHING };
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
		.arg = look,
	};
	struct run_end end = run(&what);

	sampling_end(look->sampling);
	tasks_close(&tasks);
	return end;
}

/* Returns the samples of one more run, and how why() ends; NULL: --pre failed. */
static struct sampling *take_samples(const struct options *options, const char *event,
				     unsigned int number, struct drill_end *whole)
{
	struct look look = { .request = { .targets = &options->targets,
					  .command = options->command,
					  .kind = PLACE_FUNCTION } };
	struct run_end end;

	if (!run_beside("--pre", options->pre)) {
		whole->failed = true;
		return NULL;
	}
	say("the last run samples %s", event);
	look.sampling = sampling_new(event, 0, 0, PLACE_FUNCTION);
	end = run_sampled(options, &look);
	drill_ended_well(&end, number);
	if (drill_was_interrupted(&end))
		drill_interrupt(whole, &end);
	if (!run_beside("--post", options->post))
		whole->failed = true;
	return look.sampling;
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
		fputs(" place:  unknown: no sample was taken: the command is too short, or never "
		      "has ",
		      file);
	fprintf(file, "%s%s\n", event, n ? ", in" : "");
	for (i = 0; i < n; i++) {
		print_place(file, &top[i], samples);
		free(top[i].function);
	}
	lines_end();
}

static void print_no_places(FILE *file, const char *event, const char *error)
{
	struct fit fit = fit_begin(file, 9);

	fit_put(&fit, " place:  ");
	fit_words(&fit, "not looked for, since ");
	fit_words(&fit, event ? "the command is not run again" : error);
	fit_end(&fit);
}

/*
 * Prints the page; sampling is NULL if there was no run for samples, and event if there can be
 * none, which the error says why.
 */
static void print_page(FILE *file, const struct options *options, const struct cause *cause,
		       unsigned int runs, struct sampling *sampling, const char *event)
{
	const char *error = perfctr_error();
	FILE *door = terminal_open(file);

	print_head(door, options, runs, sampling != NULL);
	cause_print(door, cause);
	if (sampling)
		print_places(door, sampling, event);
	else
		print_no_places(door, event, error);
	cause_print_advice(door, cause, sampling && sampling_samples(sampling));
	terminal_close(door);
}

struct drill_end why(const struct options *options)
{
	struct output output = { .name = options->file, .format = FORMAT_TABLE };
	struct page none = { .output = { .name = NULL } };
	struct sampling *sampling = NULL;
	const struct results *results;
	struct metric *metrics;
	struct drill *drill;
	struct cause cause;
	struct drill_end end;
	unsigned int n;
	char *event;

	check_counters();
	drill = drill_count(options, NULL, &output, &none);
	end = drill_end(drill);
	results = drill_results(drill);
	metrics = metrics_get(results, NULL, &n);
	check_counted(metrics, n);
	cause = cause_find(metrics, n);
	event = find_event(&cause);
	if (event && !drill_stopped(drill))
		sampling = take_samples(options, event, results->drilled + 1, &end);
	print_page(output.file, options, &cause, results->drilled, sampling, event);
	if (sampling)
		sampling_free(sampling);
	free(event);
	free(metrics);
	drill_free(drill);
	output_close(&output);
	return end;
}
