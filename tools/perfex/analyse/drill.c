// SPDX-License-Identifier: LGPL-2.1-or-later
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/beside.h"
#include "tools/perfex/count/topdown.h"
#include "tools/perfex/count/turns.h"
#include "tools/perfex/analyse/drill.h"
#include "tools/perfex/report/metrics.h"

enum { MOST_RUNS = 16 };

/* One run, which counts the metrics of a level. Its first event is instructions. */
struct level {
	struct events events;
	struct tasks tasks;
	struct breakdown breakdown;
	struct run run;
	struct results results;
	unsigned int number, n;
	struct metric *metric;
};

struct drill {
	const struct options *options;
	const struct provenance *provenance;
	struct output *output;
	struct page *page;
	struct topdown *topdown;
	struct level level[MOST_RUNS];
	unsigned int runs;
	bool stopped;
	bool failed;		    /* --pre or --post did */
	struct run_end interrupted; /* the run that was, if it is not the first one */
	/* All of them together. */
	struct events events;
	struct run run;
	struct results results;
	struct metric *metric;
};

/* ---- one run ---- */

static void started(void *arg, pid_t pid)
{
	struct drill *drill = arg;

	/* Only the first time do they open anything. */
	output_open(drill->output, pid, drill->options->command);
	page_open(drill->page, pid, drill->options->command);
}

static void looked(void *arg)
{
	struct drill *drill = arg;
	struct level *level = &drill->level[drill->runs];

	slices_tick(&level->results.slices, &level->events);
}

/* Runs the command, and counts these metrics, which the function frees the names of. */
static struct run_end run_level(struct drill *drill, struct level *level, char *names)
{
	const struct options *options = drill->options;
	struct run_end end;

	level->events.base16 = true;
	level->events.quiet = true;
	events_add(&level->events, "instructions");
	events_add_metrics(&level->events, names);
	free(names);
	events_finish(&level->events);
	level->events.event[0].quiet = true;
	level->run = (struct run){
		.events = &level->events,
		.tasks = &level->tasks,
		.breakdown = &level->breakdown,
		.command = options->command,
		.targets = &options->targets,
		.look = 0.05,
		.delay = options->delay,
		.timeout = options->timeout,
		.started = started,
		.looked = looked,
		.arg = drill,
	};
	level->results = (struct results){ .run = &level->run, .provenance = drill->provenance };
	results_begin(&level->results);
	if (!options->why)
		turns_tell(&level->events);
	end = run(&level->run);
	results_add_run(&level->results, &end);
	results_end(&level->results);
	level->metric = metrics_get(&level->results, NULL, &level->n);
	return end;
}

static void free_level(struct level *level)
{
	results_free(&level->results);
	tasks_close(&level->tasks);
	breakdown_clear(&level->breakdown);
	events_free(&level->events);
	free(level->metric);
}

/* ---- whether the runs are of one kind ---- */

bool drill_ended_well(const struct run_end *end, unsigned int run)
{
	bool failed = run_failed(end);

	/* A crash is no interruption, which it is for other counts. */
	if (failed && WIFSIGNALED(end->status))
		say("run %u ended with signal %d: the command is not run again", run,
		    WTERMSIG(end->status));
	else if (end->interrupted)
		say("run %u was interrupted: the command is not run again", run);
	else if (failed)
		say("run %u ended with exit status %d: the command is not run again", run,
		    WEXITSTATUS(end->status));
	return !end->interrupted && !failed;
}

bool drill_was_interrupted(const struct run_end *end)
{
	int signal = WIFSIGNALED(end->status) ? WTERMSIG(end->status) : SIGINT;

	return end->interrupted &&
	       (signal == SIGINT || signal == SIGQUIT || signal == SIGTERM || signal == SIGHUP);
}

void drill_interrupt(struct drill_end *whole, const struct run_end *end)
{
	whole->end.status = end->status;
	whole->end.timed_out = end->timed_out;
	whole->end.interrupted = true;
}

/*
 * An estimate that few turns on the PMU have given is no reason to doubt the command. The kernel's
 * turns take 4 ms or less.
 */
static bool is_sure(const struct cell *cell)
{
	return cell->counted && (cell->quality <= PERFCTR_UNVERIFIED ||
				 (cell->quality == PERFCTR_SCALED && cell->running >= 100000000));
}

/* Reports if the command executes more, or less, than in the first run, by a quarter. */
static bool is_same_work(const struct level *first, const struct level *level, unsigned int run)
{
	struct cell one = results_cell(&first->results, NULL, 0);
	struct cell other = results_cell(&level->results, NULL, 0);

	if (!is_sure(&one) || !is_sure(&other) ||
	    (other.estimate <= one.estimate + one.estimate / 4 &&
	     one.estimate <= other.estimate + other.estimate / 4))
		return true;
	say("run %u executed %llu instructions, and the first one %llu: the command does not do the "
	    "same each time, and is not run again; without --why, --topdown=%u counts all "
	    "in one run, by turns",
	    run, (unsigned long long)other.estimate, (unsigned long long)one.estimate,
	    level->number);
	return false;
}

/* Runs what --pre or --post has. False: it failed. */
static bool run_around(struct drill *drill, const char *option, const char *command)
{
	bool good = run_beside(option, command);

	drill->failed |= !good;
	drill->stopped |= !good;
	return good;
}

/* Keeps a run; one that is not as the first one was does not belong to it. */
static void keep_level(struct drill *drill, struct level *level, const struct run_end *end)
{
	unsigned int run = drill->runs + 1;
	bool good = drill_ended_well(end, run) && is_same_work(&drill->level[0], level, run);

	drill->stopped = !good;
	if (good || run == 1) {
		drill->runs++;
		return;
	}
	free_level(level);
	if (drill_was_interrupted(end))
		drill->interrupted = *end;
}

/* Counts the metrics in one more run. False: it is the last one. */
static bool count_level(struct drill *drill, char *names, unsigned int number)
{
	struct level *level = &drill->level[drill->runs];
	struct run_end end;

	level->number = number;
	if (!run_around(drill, "--pre", drill->options->pre)) {
		if (!drill->runs)
			exit(EXIT_PERFEX);
		free(names);
		return false;
	}
	end = run_level(drill, level, names);
	keep_level(drill, level, &end);
	run_around(drill, "--post", drill->options->post);
	return !drill->stopped;
}

/* ---- from level to level ---- */

/* A metric without a threshold may be what matters, too. */
static bool is_worth_a_look(const struct metric *metric)
{
	return !metric->value.reason && (metric->value.beyond || !*metric->is.threshold);
}

/* Whether it is one of the level's own, beyond its threshold, and of the first core type. */
static bool is_beyond(const struct level *level, unsigned int i)
{
	const struct metric *metric = &level->metric[i];
	unsigned int k;

	if (!is_worth_a_look(metric) || (metric->level && metric->level != level->number))
		return false;
	for (k = 0; k < i; k++)
		if (!strcmp(level->metric[k].is.name, metric->is.name) && is_beyond(level, k))
			return false;
	return true;
}

/* Returns the names of the level's metrics that are worth a look, to be freed, or NULL. */
static char *find_beyond(const struct level *level)
{
	char *names = NULL;
	unsigned int i, n = 0;
	size_t size;
	FILE *file = need(open_memstream(&names, &size));

	for (i = 0; i < level->n; i++)
		if (is_beyond(level, i))
			fprintf(file, "%s%s", n++ ? "," : "", level->metric[i].is.name);
	if (fclose(file) != 0)
		need(NULL);
	if (n)
		return names;
	free(names);
	return NULL;
}

/* Says which parts are counted next. */
static void tell_next(unsigned int run, unsigned int runs, const char *names)
{
	char *shown = NULL;
	size_t size;
	FILE *file = need(open_memstream(&shown, &size));

	for (; *names; names++)
		fprintf(file, *names == ',' ? "%c " : "%c", *names);
	if (fclose(file) != 0)
		need(NULL);
	say("run %u, of at most %u, counts the parts of %s", run, runs, shown);
	free(shown);
}

/* Returns the names of what is to be counted next, to be freed, and says so; NULL: nothing. */
static char *find_next(const struct drill *drill, unsigned int runs)
{
	char *names = find_beyond(&drill->level[drill->runs - 1]), *parts = NULL;

	if (names && drill->runs < MOST_RUNS)
		parts = topdown_parts(drill->topdown, names);
	if (parts)
		tell_next(drill->runs + 1, runs, names);
	free(names);
	return parts;
}

static void count_all(struct drill *drill)
{
	unsigned int number = drill->options->td_level ? drill->options->td_level : 1;
	unsigned int levels = topdown_levels(drill->topdown);
	unsigned int runs = levels > number ? levels - number + 1 : 1;
	char *names = topdown_names(drill->topdown, number);

	while (names && count_level(drill, names, number)) {
		names = find_next(drill, runs);
		number++;
	}
}

/* ---- all runs together ---- */

/* Notes the run in what was joined last: several runs have events of the same name. */
static void number_run(struct drill *drill, const struct level *level, unsigned int run)
{
	unsigned int i;

	for (i = 0; i < level->events.n; i++)
		drill->events.event[drill->events.n + i].run = run;
	for (i = 0; i < level->n; i++)
		drill->metric[drill->results.metrics + i].run = run;
}

/* Puts the events, their results and the metrics of all levels into one place. */
static void join(struct drill *drill)
{
	unsigned int i, events = 0, metrics = 0;

	for (i = 0; i < drill->runs; i++) {
		events += drill->level[i].events.n;
		metrics += drill->level[i].n;
	}
	drill->events.event = need(calloc(events, sizeof(*drill->events.event)));
	drill->results.result = need(calloc(events, sizeof(*drill->results.result)));
	drill->metric = need(calloc(metrics + 1, sizeof(*drill->metric)));
	for (i = 0; i < drill->runs; i++) {
		const struct level *level = &drill->level[i];

		memcpy(drill->events.event + drill->events.n, level->events.event,
		       level->events.n * sizeof(*level->events.event));
		memcpy(drill->results.result + drill->events.n, level->results.result,
		       level->events.n * sizeof(*level->results.result));
		memcpy(drill->metric + drill->results.metrics, level->metric,
		       level->n * sizeof(*level->metric));
		number_run(drill, level, i + 1);
		drill->events.n += level->events.n;
		drill->results.metrics += level->n;
	}
}

/* The times, and how it ended, are the first run's. */
static void join_results(struct drill *drill)
{
	const struct results *first = &drill->level[0].results;

	drill->run = *first->run;
	drill->run.events = &drill->events;
	drill->results = (struct results){ .run = &drill->run,
					   .provenance = first->provenance,
					   .repeats = first->repeats,
					   .failed = first->failed,
					   .end = first->end,
					   .ends = first->ends,
					   .drilled = drill->runs };
	join(drill);
	drill->results.metric = drill->metric;
}

struct drill *drill_count(const struct options *options, const struct provenance *provenance,
			  struct output *output, struct page *page)
{
	struct drill *drill = need(calloc(1, sizeof(*drill)));

	drill->options = options;
	drill->provenance = provenance;
	drill->output = output;
	drill->page = page;
	drill->topdown = topdown_new(options_tree(options));
	count_all(drill);
	join_results(drill);
	return drill;
}

const struct results *drill_results(const struct drill *drill)
{
	return &drill->results;
}

bool drill_stopped(const struct drill *drill)
{
	return drill->stopped;
}

struct drill_end drill_end(const struct drill *drill)
{
	struct drill_end whole = { drill->results.end, drill->failed };

	if (drill->interrupted.interrupted)
		drill_interrupt(&whole, &drill->interrupted);
	return whole;
}

void drill_free(struct drill *drill)
{
	unsigned int i;

	for (i = 0; i < drill->runs; i++)
		free_level(&drill->level[i]);
	topdown_free(drill->topdown);
	free(drill->events.event);
	free(drill->results.result);
	free(drill->metric);
	free(drill);
}
