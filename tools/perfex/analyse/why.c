// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/pmu.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/analyse/cause.h"
#include "tools/perfex/count/beside.h"
#include "tools/perfex/analyse/drill.h"
#include "tools/perfex/report/metrics.h"
#include "tools/perfex/sample/lines.h"
#include "tools/perfex/sample/sample.h"
#include "tools/perfex/analyse/why.h"

enum { PLACES = 5 };

/* ---- what can't be done ---- */

/* Exits if no event at all can be counted here, before the command runs in vain. */
static void check_counters(void)
{
	struct perfctr_set *set = perfctr_set_open("cycles:u", NULL, 0);

	char *reason;

	if (!set) {
		reason = need(strdup(perfctr_error()));
		die("--why counts what the processor does, and here it can't: %s%s", reason,
		    pmu_is_missing(reason)
			    ? "; without a PMU, perfex --sample shows where the time goes, and "
			      "perfex --emulate counts instructions and cache misses, slowly"
			    : "");
	}
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

/* What is found on a core type. */
struct answer {
	struct cause cause;
	char *event;		   /* to sample for it; NULL: none can be */
	char *unsampled;	   /* why not */
	struct sampling *sampling; /* NULL: it was not */
};

struct look {
	struct answer *answer;
	unsigned int n;
	struct sampling_request request;
};

static void started(void *arg, pid_t pid)
{
	struct look *look = arg;
	unsigned int i;

	for (i = 0; i < look->n; i++)
		if (look->answer[i].sampling)
			sampling_open(look->answer[i].sampling, &look->request, pid);
}

static void tick(void *arg, double seconds)
{
	struct look *look = arg;
	unsigned int i;

	(void)seconds;
	for (i = 0; i < look->n; i++)
		if (look->answer[i].sampling)
			sampling_read(look->answer[i].sampling);
}

/* Whether this machine samples the event, tried on this thread. */
static bool can_sample(const char *event)
{
	const struct perfctr_sampler_config config = { .frequency = 1000,
						       .flags = PERFCTR_DISABLED };
	bool is_named = event[strlen(event) - 1] == '/'; /* with its PMU */
	struct perfctr_sampler *sampler;
	char *user;

	if (asprintf(&user, is_named ? "%su" : "%s:u", event) < 0)
		need(NULL);
	sampler = perfctr_sampler_open(user, NULL, &config);
	perfctr_sampler_close(sampler);
	free(user);
	return sampler != NULL;
}

/* Returns the first of the metric's events that can be sampled here, or NULL. */
static char *find_event_of(const struct metric *metric, const char *events)
{
	char *names = need(strdup(events)), *rest = names, *name, *found = NULL;

	while (!found && (name = strtok_r(rest, " ", &rest))) {
		found = metrics_event(metric, name);
		if (can_sample(found))
			continue;
		free(found);
		found = NULL;
	}
	free(names);
	return found;
}

/*
 * Returns the first event of the cause that can be sampled here, of those above it, or cycles;
 * NULL: none can.
 */
static char *find_event(const struct cause *cause)
{
	const struct metric none = { .is.core = cause->core };
	char *event = NULL;
	unsigned int i;

	for (i = 0; i < cause->n && !event; i++)
		event = find_event_of(cause->path[i], cause->path[i]->sample);
	return event ? event : find_event_of(&none, "cycles");
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
	unsigned int i;

	for (i = 0; i < look->n; i++)
		if (look->answer[i].sampling)
			sampling_end(look->answer[i].sampling, 0);
	tasks_close(&tasks);
	return end;
}

static bool has_event(const struct answer *answer, unsigned int n)
{
	while (n--)
		if (answer[n].event)
			return true;
	return false;
}

/* Says what the last run samples, and prepares it. */
static void begin_samples(struct answer *answer, unsigned int n)
{
	struct answer *end = answer + n;
	char *text = NULL;
	unsigned int events = 0;
	size_t size;
	FILE *file = need(open_memstream(&text, &size));

	for (; answer < end; answer++) {
		if (!answer->event)
			continue;
		fprintf(file, "%s%s", events++ ? " and " : "", answer->event);
		answer->sampling = sampling_new(answer->event, 0, 0, PLACE_FUNCTION);
	}
	if (fclose(file) != 0)
		need(NULL);
	say("the last run samples %s", text);
	free(text);
}

/* Takes the samples of one more run, and has all end as that does. False: there are none. */
static bool take_samples(const struct options *options, struct answer *answer, unsigned int n,
			 unsigned int number, struct drill_end *whole)
{
	struct look look = { .answer = answer,
			     .n = n,
			     .request = { .targets = &options->targets,
					  .command = options->command,
					  .kind = PLACE_FUNCTION } };
	struct run_end end;

	if (!has_event(answer, n))
		return false;
	if (!run_beside("--pre", options->pre)) {
		whole->failed = true;
		return false;
	}
	begin_samples(answer, n);
	end = run_sampled(options, &look);
	drill_ended_well(&end, number);
	if (drill_was_interrupted(&end))
		drill_interrupt(whole, &end);
	if (!run_beside("--post", options->post))
		whole->failed = true;
	return true;
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

static void print_place(FILE *file, const struct histogram_top *top)
{
	struct fit fit = fit_begin(file, 18);
	char line[80], share[32];

	lines_find(line, sizeof(line), top->fd, top->file, top->offset);
	snprintf(share, sizeof(share), "        %6.2f%%  ", 100 * top->share);
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
		print_place(file, &top[i]);
		free(top[i].function);
	}
	lines_end();
}

static void print_no_places(FILE *file, const struct answer *answer)
{
	struct fit fit = fit_begin(file, 9);

	fit_put(&fit, " place:  ");
	fit_words(&fit, "not looked for, since ");
	fit_words(&fit, answer->event ? "the command is not run again" : answer->unsampled);
	fit_end(&fit);
}

static void print_answer(FILE *file, const struct answer *answer)
{
	cause_print(file, &answer->cause);
	if (answer->cause.reason) {
		fputc('\n', file);
		return;
	}
	if (answer->sampling)
		print_places(file, answer->sampling, answer->event);
	else
		print_no_places(file, answer);
	cause_print_advice(file, &answer->cause,
			   answer->sampling && sampling_samples(answer->sampling));
}

/* ---- all of it ---- */

/* Returns the cause of each core type, and which event to sample for it. */
static struct answer *find_answers(const struct metric *metrics, unsigned int n,
				   unsigned int *count)
{
	struct cause *causes = causes_find(metrics, n, count);
	struct answer *answer = need(calloc(*count, sizeof(*answer)));
	unsigned int i;

	for (i = 0; i < *count; i++) {
		answer[i].cause = causes[i];
		if (causes[i].reason)
			continue;
		answer[i].event = find_event(&causes[i]);
		if (!answer[i].event)
			answer[i].unsampled = need(strdup(perfctr_error()));
	}
	free(causes);
	return answer;
}

static void free_answers(struct answer *answer, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (answer[i].sampling)
			sampling_free(answer[i].sampling);
		free(answer[i].event);
		free(answer[i].unsampled);
	}
	free(answer);
}

struct drill_end why(const struct options *options)
{
	struct output output = { .name = options->file, .format = FORMAT_TABLE };
	struct page none = { .output = { .name = NULL } };
	const struct results *results;
	bool sampled = false;
	struct metric *metrics;
	struct drill *drill;
	struct drill_end end;
	struct answer *answer;
	unsigned int i, n, count;
	FILE *door;

	check_counters();
	drill = drill_count(options, NULL, &output, &none);
	end = drill_end(drill);
	results = drill_results(drill);
	metrics = metrics_get(results, NULL, &n);
	check_counted(metrics, n);
	answer = find_answers(metrics, n, &count);
	if (!drill_stopped(drill))
		sampled = take_samples(options, answer, count, results->drilled + 1, &end);
	door = terminal_open(output.file);
	print_head(door, options, results->drilled, sampled);
	for (i = 0; i < count; i++)
		print_answer(door, &answer[i]);
	terminal_close(door);
	free_answers(answer, count);
	free(metrics);
	drill_free(drill);
	output_close(&output);
	return end;
}
