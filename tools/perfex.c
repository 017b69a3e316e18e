// SPDX-License-Identifier: LGPL-2.1-or-later
/* perfex - count hardware and software events of a command, or of a running process. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "die.h"
#include "driver.h"
#include "options.h"
#include "sample.h"
#include "show.h"

/*
 * The driver counts one thread, so it is taken only where that is what is asked for: by
 * --no-inherit, or by forcing it.
 */
static bool wants_driver(const struct options *options, bool forced)
{
	const char *name = perfctr_provider_name();

	if (!name)
		die("%s", perfctr_error());
	return !strcmp(name, "driver") && (forced || options->no_inherit);
}

/* The option that only perf_events can serve; NULL: none. */
static const char *obstacle(const struct options *options)
{
	return options->mode == MODE_SAMPLE ? "--sample"
	       : options->targets.option    ? options->targets.option
	       : options->per_thread	    ? "--per-thread"
	       : options->interval	    ? "-I"
					    : NULL;
}

/* Whether the driver counts the events. */
static bool choose_driver(struct options *options, struct driver *driver)
{
	const char *wish = getenv("PERFCTR_PROVIDER"), *option = obstacle(options), *why;
	bool forced = wish && !strcmp(wish, "driver");

	if (!wants_driver(options, forced))
		return false;
	if (option && forced)
		die("%s takes perf_events, but PERFCTR_PROVIDER=driver forbids them", option);
	if (option)
		return false;
	why = driver_control(driver, &options->events);
	if (why && forced)
		die("the driver can't count these events (PERFCTR_PROVIDER=driver): %s", why);
	if (why)
		return false;
	if (driver_try(driver, &options->events))
		return true;
	/* What the driver refuses, perf_events may still count, unless they are forbidden. */
	if (forced)
		events_refuse(&options->events, 0, options->events.n, perfctr_error());
	return forced;
}

/* End as the command did. */
static int same_end(const struct outcome *outcome)
{
	struct rlimit none = { 0, 0 };

	if (!outcome->ran)
		return 0;
	if (WIFEXITED(outcome->status))
		return WEXITSTATUS(outcome->status);
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(outcome->status), SIG_DFL);
	raise(WTERMSIG(outcome->status));
	return 128 + WTERMSIG(outcome->status);
}

/* ---- counting ---- */

struct counting {
	struct output output;
	struct results results;
};

static void started(void *arg, pid_t pid)
{
	struct counting *counting = arg;

	output_open(&counting->output, pid, counting->results.run->command);
	if (counting->results.run->interval)
		output_clear(&counting->output);
}

static void tick(void *arg, double seconds)
{
	struct counting *counting = arg;

	results_add_interval(&counting->results, seconds);
	output_results(&counting->output, &counting->results);
}

/* Once more: all begins anew. */
static void count_again(const struct run *what)
{
	tasks_close(what->tasks);
	events_forget(what->events);
	if (!what->driver)
		return;
	driver_close(what->driver);
	if (!driver_try(what->driver, what->events))
		events_refuse(what->events, 0, what->events->n, perfctr_error());
}

static void count_runs(struct results *results, unsigned int repeat)
{
	struct outcome outcome = { .ran = false };
	unsigned int i;

	results_begin(results);
	for (i = 0; i < repeat && !outcome.interrupted; i++) {
		if (i)
			count_again(results->run);
		outcome = run(results->run);
		if (i && outcome.interrupted)
			results->outcome.status = outcome.status; /* half a run is no count */
		else
			results_add_run(results, &outcome);
	}
	results_end(results);
}

static int count(struct options *options)
{
	struct tasks tasks = { .n = 0 };
	struct driver driver;
	bool through_driver = choose_driver(options, &driver);
	struct counting counting;
	const struct run what = {
		.events = &options->events,
		.tasks = &tasks,
		.driver = through_driver ? &driver : NULL,
		.command = options->command,
		.targets = &options->targets,
		.per_thread = options->per_thread,
		.first_thread = options->no_inherit,
		.interval = options->interval,
		.started = started,
		.tick = tick,
		.arg = &counting,
	};

	counting = (struct counting){
		.output = { .name = options->file, .format = options->format },
		.results = { .run = &what },
	};
	count_runs(&counting.results, options->repeat);
	output_results(&counting.output, &counting.results);
	output_close(&counting.output);
	tasks_close(&tasks);
	if (through_driver)
		driver_close(&driver);
	results_free(&counting.results);
	options_free(options);
	return same_end(&counting.results.outcome);
}

/* ---- --sample ---- */

struct sample {
	struct output output;
	struct sampling *sampling;
};

static void sample_started(void *arg, pid_t pid)
{
	struct sample *sample = arg;

	output_open(&sample->output, pid, true);
	sampling_open(sample->sampling, pid);
}

static void sample_tick(void *arg, double seconds)
{
	struct sample *sample = arg;

	(void)seconds;
	sampling_read(sample->sampling);
}

/* Nothing is counted; at each tick the buffers are emptied. */
static int take_samples(struct options *options)
{
	struct driver none;
	struct tasks tasks = { .n = 0 };
	struct sample sample = { .output = { .name = options->file } };
	const struct run what = {
		.events = &options->events,
		.tasks = &tasks,
		.command = options->command,
		.targets = &options->targets,
		.interval = 20,
		.started = sample_started,
		.tick = sample_tick,
		.arg = &sample,
	};
	struct outcome outcome;

	choose_driver(options, &none); /* dies if it is forced */
	sample.sampling = sampling_new(options->events.names, options->period, options->frequency);
	outcome = run(&what);
	sampling_print(sample.sampling, sample.output.file, options->command);
	output_close(&sample.output);
	sampling_free(sample.sampling);
	tasks_close(&tasks);
	options_free(options);
	return same_end(&outcome);
}

static int tell(const struct options *options)
{
	switch (options->mode) {
	case MODE_INFO: return show_info();
	case MODE_LIST: return show_list(options->with_text);
	case MODE_CPU:
		return show_cpu(options->cpu, options->events.names, options->list,
				options->with_text);
	case MODE_VERSION: return show_text("perfex (libperfctr) " PACKAGE_VERSION "\n");
	default: return show_text(options_help);
	}
}

int main(int argc, char **argv)
{
	struct options options;
	int status;

	options_read(&options, argc, argv);
	switch (options.mode) {
	case MODE_COUNT: return count(&options);
	case MODE_SAMPLE: return take_samples(&options);
	default:
		status = tell(&options);
		options_free(&options);
		return status;
	}
}
