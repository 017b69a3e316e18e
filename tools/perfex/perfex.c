// SPDX-License-Identifier: LGPL-2.1-or-later
/* perfex - count hardware and software events of a command, or of a running process. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tools/perfex/base/clock.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/document.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/count/beside.h"
#include "tools/perfex/count/child.h"
#include "tools/perfex/count/driver.h"
#include "tools/perfex/count/turns.h"
#include "tools/perfex/count/watch.h"
#include "tools/perfex/analyse/drill.h"
#include "tools/perfex/report/page.h"
#include "tools/perfex/command/options.h"
#include "tools/perfex/regions/merge.h"
#include "tools/perfex/regions/regions.h"
#include "tools/perfex/report/baseline.h"
#include "tools/perfex/report/formats.h"
#include "tools/perfex/sample/sample.h"
#include "tools/perfex/command/show.h"
#include "tools/perfex/analyse/why.h"

/*
 * The driver counts one thread, so that it is taken only for one: with --no-inherit, or if it is
 * forced.
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
	       : options->by == BY_THREAD   ? "--per=thread"
	       : options->by == BY_TYPE	    ? "--per=type"
	       : options->by == BY_UNIT	    ? "--per=unit"
	       : options->interval	    ? "-I"
	       : options->delay		    ? "--delay"
	       : options->timeout	    ? "--timeout"
	       : options->wait		    ? "--wait"
	       : options->drilldown	    ? options_tree(options)
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
	/* perf_events may count events that the driver refuses, unless they are forbidden. */
	if (forced)
		events_refuse(&options->events, 0, options->events.n, perfctr_error());
	return forced;
}

/* End as the command did. */
static int same_end(const struct run_end *end)
{
	if (!end->ran || run_timed_out(end))
		return 0;
	if (WIFEXITED(end->status) && WEXITSTATUS(end->status) == 0 && end->lost)
		return EXIT_PERFEX;
	if (WIFEXITED(end->status))
		return WEXITSTATUS(end->status);
	end_by(WTERMSIG(end->status));
}

/* ---- counting ---- */

/* The second of two sides is the new one. */
struct counting {
	struct output output;
	struct page page;
	struct results side[2];
	unsigned int sides;
	bool failed; /* --pre or --post did, and no more is run */
	const struct options *options;
};

static void started(void *arg, pid_t pid)
{
	struct counting *counting = arg;
	struct results *results = &counting->side[counting->sides - 1];

	output_open(&counting->output, pid, results->run->command);
	page_open(&counting->page, pid, results->run->command);
	results->no_header = counting->output.goes_on;
	if (results->run->interval)
		output_clear(&counting->output);
}

static void tick(void *arg, double seconds)
{
	struct counting *counting = arg;

	results_add_interval(&counting->side[0], seconds);
	output_results(&counting->output, &counting->side[0]);
	page_results(&counting->page, &counting->side[0]);
}

static void looked(void *arg)
{
	struct counting *counting = arg;
	struct results *results = &counting->side[counting->sides - 1];

	slices_tick(&results->slices, results->run->events);
}

/*
 * Returns the seconds between slices, from which errors of metrics' estimates are computed in a
 * single run or interval.
 */
static double how_often_to_look(const struct options *options)
{
	const unsigned int ms = 50;
	bool alone = options->repeat < 2 && !options->baseline && !options->diff;

	if (!options->events.metric_names || !alone ||
	    (options->interval && options->interval < ms))
		return 0;
	return options->interval ? options->interval / (options->interval / ms) / 1e3 : ms / 1e3;
}

/*
 * The run before, which is closed after the next one has been opened: so the records of all threads
 * are not opened again for each.
 */
static struct tasks last;

/* Begins again for another run. */
static void count_again(const struct run *what)
{
	tasks_close(&last);
	last = *what->tasks;
	*what->tasks = (struct tasks){ .n = 0 };
	breakdown_clear(what->breakdown);
	events_forget(what->events);
	if (!what->driver)
		return;
	driver_close(what->driver);
	if (!driver_try(what->driver, what->events))
		events_refuse(what->events, 0, what->events->n, perfctr_error());
}

/*
 * Counts one more run; false: it was interrupted, and does not count, unless it is the first one.
 */
static bool count_run(struct results *results)
{
	struct run_end end = run(results->run);

	if (results->repeats && end.interrupted)
		results->end.status = end.status; /* half a run is no count */
	else
		results_add_run(results, &end);
	return !end.interrupted;
}

/* ---- how far a series of runs is ---- */

#define MOST_LINES 20 /* in a series */

/*
 * Begins a line after the command's output, which may not end with a newline: a full line of blanks
 * wraps then, and otherwise is overwritten. The output stays in either case.
 */
static void begin_line(void)
{
	fprintf(stderr, "%*s\r", terminal_columns(stderr) - 1, "");
}

/* The hour at which the rest will be done, if runs go on as they did. */
static void print_line(unsigned int i, unsigned int n, double left)
{
	time_t end = time(NULL) + (time_t)(left + 0.5);
	char text[32];
	struct tm tm;

	localtime_r(&end, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	begin_line();
	fprintf(stderr, "perfex: run %u of %u, %.0f s left, until %s\n", i + 1, n, left, text);
}

/*
 * Reports that run i (from 0) of n begins, in a line of its own, once the first run has shown that
 * all take a while. The command's output stays.
 */
static void show_progress(unsigned int i, unsigned int n)
{
	static double start;
	static unsigned int shown; /* lines */
	double passed;

	if (n < 2 || !terminal_is_one(stderr))
		return;
	if (i == 0) {
		start = clock_seconds();
		shown = 0;
		return;
	}
	passed = clock_seconds() - start;
	/* Short series need no progress, and long ones not a line for each run. */
	if (passed / i * n < 2 || (double)shown * n > (double)(i - 1) * MOST_LINES)
		return;
	shown++;
	print_line(i, n, passed / i * (n - i));
}

/*
 * Counts all runs. Two sides alternate as A B B A A B ..., so that changes over time affect both
 * alike. If a run fails to start or is interrupted, the earlier counts are kept.
 */
static void count_runs(struct counting *counting, unsigned int repeat)
{
	unsigned int i, n = repeat * counting->sides;
	struct results *side;

	for (i = 0; i < counting->sides; i++)
		results_begin(&counting->side[i]);
	for (i = 0; i < n && !counting->failed; i++) {
		side = &counting->side[counting->sides > 1 && (i % 4 == 1 || i % 4 == 2)];
		if (i)
			count_again(side->run);
		show_progress(i, n);
		if (!run_beside("--pre", counting->options->pre)) {
			if (!i)
				exit(EXIT_PERFEX);
			counting->failed = true;
			break;
		}
		child_series(i + 1 < n && !counting->options->pre && !counting->options->post);
		if (!count_run(side))
			break;
		counting->failed = !run_beside("--post", counting->options->post);
	}
	child_series(false);
	for (i = 0; i < counting->sides; i++)
		results_end(&counting->side[i]);
}

/* How perfex ends, if the command did not fail. */
static int strict_end(const struct results *results)
{
	unsigned int i;
	const char *doubt = results_doubt(results, &i);

	if (!doubt)
		return 0;
	say("--strict: %s is not exact: %s", results->run->events->event[i].name, doubt);
	return EXIT_NOT_EXACT;
}

static int comparison_end(const struct comparison *comparison)
{
	if (!comparison->compared) {
		say("nothing could be compared");
		return EXIT_NOT_EXACT;
	}
	return comparison->differing ? EXIT_DIFFERS : 0;
}

/* Compare the newer side with the other one, or with the baseline. */
static void compare(struct counting *counting, const struct baseline *baseline,
		    struct comparison *comparison)
{
	struct results *now = &counting->side[counting->sides - 1];
	struct baseline other;

	if (counting->sides > 1)
		baseline_take(&other, &counting->side[0]);
	baseline_compare(counting->sides > 1 ? &other : baseline, now, comparison);
	if (counting->sides > 1)
		baseline_free(&other);
	now->comparison = comparison;
}

/* Writes the one also if the other can't be written. */
static void close_both(struct output *output, struct page *page)
{
	bool good = output_end(output);

	page_close(page);
	if (!good)
		exit(EXIT_PERFEX);
}

static void print(struct counting *counting)
{
	/* A comparison is one table, and CSV's differs from that of the runs. */
	bool both = counting->sides > 1 && counting->output.format != FORMAT_CSV;
	unsigned int k;

	if (both)
		output_results(&counting->output, &counting->side[0]);
	output_results(&counting->output, &counting->side[counting->sides - 1]);
	for (k = 0; k < counting->sides; k++)
		page_results(&counting->page, &counting->side[k]);
	close_both(&counting->output, &counting->page);
}

/* The exit status, if no command gives another one. */
static int end_status(const struct options *options, const struct counting *counting)
{
	const struct comparison *comparison = counting->side[counting->sides - 1].comparison;
	int status = counting->failed ? EXIT_PERFEX : 0;
	unsigned int k;

	for (k = 0; k < counting->sides && options->strict && !status; k++)
		status = strict_end(&counting->side[k]);
	return status || !comparison ? status : comparison_end(comparison);
}

/* Counts the runs of all sides, and prints the results. */
static int count_sides(struct options *options, struct counting *counting)
{
	struct comparison comparison = { .threshold = options->threshold };
	const struct baseline *baseline = &options->before;
	struct run_end end;
	unsigned int k;
	int status;

	comparison.before = options->diff ? options->command[0] : options->baseline;
	comparison.now = options->diff ? options->command[1] : "this command";
	count_runs(counting, options->repeat	 ? options->repeat
			     : options->baseline ? baseline->runs
			     : options->diff	 ? 10
						 : 1);
	if (options->baseline || options->diff)
		compare(counting, baseline, &comparison);
	print(counting);
	status = end_status(options, counting);
	valgrind_end(); /* perfex may end by a signal now */
	end = counting->side[0].end;
	if (!run_failed(&end))
		end = counting->side[counting->sides - 1].end;
	for (k = 0; k < counting->sides; k++)
		results_free(&counting->side[k]);
	comparison_free(&comparison);
	return run_failed(&end) ? same_end(&end) : status;
}

static void begin_emulation(const struct options *options, struct valgrind *valgrind)
{
	const struct emulator *emulator = &valgrind->emulator;

	valgrind_begin(valgrind, &options->events);
	if (options->baseline && options->before.once != emulator->once)
		die("--compare: %s was not made by valgrind's tool %s, and their instructions "
		    "differ; make it again",
		    options->baseline, emulator->tool);
	if (terminal_is_one(stderr))
		say("valgrind runs the command, which takes %s times as long", emulator->times);
}

static int count(struct options *options)
{
	char shell[] = "sh", c[] = "-c", *commands[2][4] = { { shell, c }, { shell, c } };
	struct tasks tasks = { .n = 0 };
	struct breakdown breakdown = { .by = options->by };
	struct provenance provenance;
	struct driver driver;
	struct valgrind valgrind;
	bool through_driver = !options->emulate && choose_driver(options, &driver);
	struct counting counting;
	struct run what = {
		.events = &options->events,
		.tasks = &tasks,
		.breakdown = &breakdown,
		.driver = through_driver ? &driver : NULL,
		.valgrind = options->emulate ? &valgrind : NULL,
		.command = options->command,
		.targets = &options->targets,
		.per_thread = options->by == BY_THREAD,
		.watch = options->strict,
		.wait = options->wait,
		.first_thread = options->no_inherit,
		.interval = options->interval,
		.look = how_often_to_look(options),
		.delay = options->delay,
		.timeout = options->timeout,
		.started = started,
		.tick = tick,
		.looked = looked,
		.arg = &counting,
	}, other;
	int status;

	if (options->emulate)
		begin_emulation(options, &valgrind);
	else if (!through_driver && options->events.metrics)
		turns_tell(&options->events);
	provenance_get(&provenance);
	counting = (struct counting){
		.output = { .name = options->file,
			    .format = options->format,
			    .append = options->append,
			    .bit_by_bit = options->interval },
		.page = { .output = { .name = options->page, .format = FORMAT_JSON } },
		.side = { { .run = &what,
			    .provenance = &provenance,
			    .with_failed = options->with_failed },
			  { .run = &other,
			    .provenance = &provenance,
			    .with_failed = options->with_failed } },
		.sides = options->diff ? 2 : 1,
		.options = options,
	};
	if (options->diff) {
		commands[0][2] = options->command[0];
		commands[1][2] = options->command[1];
		other = what;
		what.command = commands[0];
		other.command = commands[1];
	}
	status = count_sides(options, &counting);
	tasks_close(&last);
	tasks_close(&tasks);
	breakdown_clear(&breakdown);
	if (through_driver)
		driver_close(&driver);
	options_free(options);
	return status;
}

/* ---- --why ---- */

/* The command's own failure goes before that of --pre and --post. */
static int end_of_drill(const struct drill_end *whole)
{
	return whole->failed && !run_failed(&whole->end) ? EXIT_PERFEX : same_end(&whole->end);
}

static int tell_why(struct options *options)
{
	struct driver none;
	struct drill_end end;

	choose_driver(options, &none); /* dies if it is forced */
	end = why(options);
	options_free(options);
	return end_of_drill(&end);
}

static int count_levels(struct options *options)
{
	struct output output = { .name = options->file, .format = options->format };
	struct page page = { .output = { .name = options->page, .format = FORMAT_JSON } };
	struct provenance provenance;
	struct driver none;
	struct drill *drill;
	struct drill_end end;

	choose_driver(options, &none); /* dies if it is forced */
	provenance_get(&provenance);
	drill = drill_count(options, &provenance, &output, &page);
	output_results(&output, drill_results(drill));
	page_results(&page, drill_results(drill));
	close_both(&output, &page);
	end = drill_end(drill);
	drill_free(drill);
	options_free(options);
	return end_of_drill(&end);
}

/* ---- --sample ---- */

struct sample {
	struct output output;
	struct page page;
	struct sampling *sampling;
	struct sampling_request request;
};

static void sample_started(void *arg, pid_t pid)
{
	struct sample *sample = arg;

	output_open(&sample->output, pid, sample->request.command);
	page_open(&sample->page, pid, sample->request.command);
	if (sample->output.format == FORMAT_PERF_DATA)
		sample->request.data = sample->output.file;
	sampling_open(sample->sampling, &sample->request, pid);
}

static void sample_tick(void *arg, double seconds)
{
	struct sample *sample = arg;

	(void)seconds;
	targets_look(sample->request.targets);
	sampling_read(sample->sampling);
}

/* Prints them as an object of JSON. */
static void print_samples(const struct sample *sample, const struct provenance *provenance,
			  const struct run_end *end, FILE *file)
{
	fputs("{\"type\":\"samples\",", file);
	json_subject(file, sample->request.targets, sample->request.command);
	sampling_json(sample->sampling, end, file);
	json_provenance(file, provenance);
	json_end(file, end);
	fputs("}\n", file);
}

/* With --timeout the last records take at most as long, and perfex ends in twice that time. */
static double longest_end(const struct options *options)
{
	double timeout = options->timeout / 1e3;

	return timeout > 0 && timeout < 1 ? 1 : timeout;
}

/* Nothing is counted; at each tick the buffers are emptied. */
static int take_samples(struct options *options)
{
	struct driver none;
	struct tasks tasks = { .n = 0 };
	struct breakdown breakdown = { .by = BY_NOTHING };
	struct provenance provenance;
	struct sample sample = {
		.output = { .name = options->file, .format = options->format },
		.page = { .output = { .name = options->page, .format = FORMAT_JSON } },
		.request = { .targets = &options->targets,
			     .command = options->command,
			     .kind = options->kind,
			     .calls = options->page || options->format == FORMAT_FOLDED ||
				      options->format == FORMAT_JSON,
			     .folded = options->format == FORMAT_FOLDED,
			     .threads = options->threads,
			     .stack = options->stack },
	};
	const struct run what = {
		.events = &options->events,
		.tasks = &tasks,
		.breakdown = &breakdown,
		.command = options->command,
		.targets = &options->targets,
		.interval = 20,
		.timeout = options->timeout,
		.started = sample_started,
		.tick = sample_tick,
		.arg = &sample,
	};
	struct run_end end;

	choose_driver(options, &none); /* dies if it is forced */
	provenance_get(&provenance);
	sample.request.about = (struct perf_data_about){
		.host = provenance.host.nodename,
		.release = provenance.host.release,
		.machine = provenance.host.machine,
		.processor = provenance.processor,
		.version = PACKAGE_STRING,
		.line = options->line,
	};
	sample.sampling = sampling_new(options->events.names, options->period, options->frequency,
				       options->kind);
	end = run(&what);
	sampling_end(sample.sampling, longest_end(options));
	if (options->format == FORMAT_JSON)
		print_samples(&sample, &provenance, &end, sample.output.file);
	else
		sampling_print(sample.sampling, &end, sample.output.file);
	if (sample.page.data)
		print_samples(&sample, &provenance, &end, sample.page.data);
	close_both(&sample.output, &sample.page);
	sampling_free(sample.sampling);
	tasks_close(&tasks);
	options_free(options);
	return same_end(&end);
}

/* ---- modes without counting ---- */

/* Takes what a file of --from has: its reports of regions, and the page takes all. */
static unsigned int take_file(const char *path, struct merge *merge, struct page *page)
{
	struct document document;
	char *text = document_text(&document, path);
	unsigned int reports;

	if (!text)
		die("--from: %s is not a file of perfex --json: %s", path, document.problem);
	if (page->data)
		page_add(page, path, text, document.first);
	reports = merge_add(merge, path, document.first);
	if (!page->data && !reports)
		die("--from: %s has no reports of regions; --html FILE shows its results", path);
	document_free(&document);
	free(text);
	return reports;
}

/* Puts reports of regions together; the page shows them and all other results. */
static int show_files(struct options *options)
{
	struct output output = { .name = options->file ? options->file : "-",
				 .format = options->format };
	struct page page = { .output = { .name = options->page, .format = FORMAT_JSON } };
	struct merge *merge = merge_new();
	bool printed = !options->page || options->file || options->format != FORMAT_TABLE;
	unsigned int reports = 0;
	char **file;

	page_open(&page, getpid(), false);
	for (file = options->command; *file; file++)
		reports += take_file(*file, merge, &page);
	if (printed && !reports)
		die("--from: there are no reports of regions to print; leave out %s",
		    options->file ? "-o" : "the format");
	merge_end(merge);
	/* The page alone compares processes itself. */
	if (page.data && printed && reports > 1)
		merge_json(merge, page.data);
	if (printed)
		merge_print(merge, &output);
	page_close(&page);
	merge_free(merge);
	options_free(options);
	return 0;
}

static int tell(const struct options *options)
{
	switch (options->mode) {
	case MODE_INFO: return show_info();
	case MODE_LIST: return show_list(options->with_text, options->command);
	case MODE_CPU:
		return show_cpu(options->cpu, options->events.names, options->list,
				options->with_text, options->command);
	case MODE_METRICS: return show_metrics(options->cpu);
	case MODE_VERSION: return show_text("perfex (libperfctr) " PACKAGE_VERSION "\n");
	default: return show_help(options->help);
	}
}

/* Measures for a page, and for JSON, of which it is made, if that is wanted, too. */
static struct run_end measure_for_page(struct options *options)
{
	struct output output = { .name = options->file, .format = FORMAT_JSON };
	struct page page = { .output = { .name = options->page, .format = FORMAT_JSON } };
	struct run_end end;

	page_open(&page, getpid(), false);
	if (options->format == FORMAT_JSON)
		output_open(&output, getpid(), false);
	end = regions_run(options->command, &options->events, options->keep, NULL, FORMAT_JSON,
			  page.data);
	if (options->format == FORMAT_JSON) {
		fflush(page.data);
		fwrite(page.text, 1, page.size, output.file);
		close_both(&output, &page);
	} else {
		page_close(&page);
	}
	return end;
}

static int measure_regions(struct options *options)
{
	struct run_end end = options->page ? measure_for_page(options)
					   : regions_run(options->command, &options->events,
							 options->keep, options->file,
							 options->format, NULL);

	options_free(options);
	return same_end(&end);
}

/* Runs a command whose libpfm.so.4 is libperfctr's, before all that it had to look in. */
static int run_as_libpfm4(char **command)
{
	static const char directory[] = PKGLIBDIR "/libpfm4";
	const char *before = getenv("LD_LIBRARY_PATH");
	char *path;

	if (access(PKGLIBDIR "/libpfm4/libpfm.so.4", R_OK) < 0)
		die("--as-libpfm4: there is no libpfm.so.4 in %s (%s); configure libperfctr with "
		    "--enable-libpfm4",
		    directory, strerror(errno));
	if (asprintf(&path, "%s%s%s", directory, before ? ":" : "", before ? before : "") < 0 ||
	    setenv("LD_LIBRARY_PATH", path, 1) < 0)
		die("--as-libpfm4: %s", strerror(errno));
	free(path);
	child_become(command);
}

int main(int argc, char **argv)
{
	struct options options;
	int status;

	end_prepare();
	setlocale(LC_CTYPE, "");
	limits_raise();
	options_read(&options, argc, argv);
	switch (options.mode) {
	case MODE_COUNT:
		return options.why	   ? tell_why(&options)
		       : options.drilldown ? count_levels(&options)
					   : count(&options);
	case MODE_SAMPLE: return take_samples(&options);
	case MODE_REGIONS: return measure_regions(&options);
	case MODE_FROM: return show_files(&options);
	case MODE_AS_LIBPFM4: return run_as_libpfm4(options.command);
	default:
		status = tell(&options);
		options_free(&options);
		return status;
	}
}
