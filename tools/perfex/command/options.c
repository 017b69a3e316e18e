// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/outfile.h"
#include "tools/perfex/count/emulated.h"
#include "tools/perfex/count/topdown.h"
#include "tools/perfex/command/options.h"
#include "tools/perfex/sample/libdw.h"
#include "tools/perfex/sample/unwind.h"
#include "tools/perfex/command/suggest.h"

/* Parses percent, as a fraction of 1. */
static double parse_percent(const char *text)
{
	size_t whole = strspn(text, "0123456789");
	size_t n = whole + (text[whole] == '.' ? 1 + strspn(text + whole + 1, "0123456789") : 0);

	if (!whole || n > 12 || (text[n] && strcmp(text + n, "%") != 0))
		die("--threshold takes percent such as 0.5, not \"%s\"", text);
	return strtod(text, NULL) / 100;
}

static void set_kind(struct options *options, const char *text)
{
	static const char *const kinds[] = {
		[PLACE_FUNCTION] = "function", [PLACE_FILE] = "file",
		[PLACE_ADDRESS] = "address",   [PLACE_LINE] = "line",
		[PLACE_BRANCH] = "branch",     [PLACE_SOURCE] = "source",
	};
	unsigned int i, n = sizeof(kinds) / sizeof(kinds[0]);

	for (i = 0; i < n && strcmp(kinds[i], text) != 0; i++)
		;
	if (i == n)
		die("--by takes function, file, address, line, branch or source, not \"%s\"; counts are "
		    "shown by --per=cpu, --per=core and so on",
		    text);
	if (i == PLACE_LINE && libdw_load())
		die("--by line: %s; take function or address", libdw_load());
	options->kind = (enum place_kind)i;
	options->by_place = true;
}

/* Parses bytes of a stack, as perf_events takes them. */
static uint32_t parse_stack(const char *text)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || value < 8 || value > UNWIND_LARGEST)
		die("--call-graph dwarf,BYTES takes a number from 8 to %u, not \"%s\"",
		    UNWIND_LARGEST, text);
	return (uint32_t)value & ~7u;
}

static void set_calls(struct options *options, const char *text)
{
	options->calls = text;
	options->stack = 0;
	if (!strcmp(text, "fp"))
		return;
	if (!strcmp(text, "dwarf"))
		options->stack = UNWIND_USUAL;
	else if (!strncmp(text, "dwarf,", 6))
		options->stack = parse_stack(text + 6);
	else
		die("--call-graph takes fp (frame pointers), or dwarf or dwarf,BYTES (debugging "
		    "information, and so many bytes of the stack), not \"%s\"",
		    text);
	if (unwind_missing())
		die("--call-graph dwarf: %s; take fp", unwind_missing());
}

/* An option that is a word of the control. */
static void set_control(struct events *events, int returned, const char *text)
{
	uint32_t value = events_number(events, text);

	memcpy((char *)&events->control + (returned - TABLE_CONTROL), &value, sizeof(value));
}

static void set_mode(struct options *options, enum mode mode)
{
	if (mode > options->mode)
		options->mode = mode;
}

static void set_help(struct options *options, const char *text)
{
	set_mode(options, MODE_HELP);
	if (!text)
		return;
	if (!strcmp(text, "all"))
		options->help = HELP_ALL;
	else if (!strcmp(text, "completions"))
		options->help = HELP_COMPLETIONS;
	else
		die("--help takes =all, not \"%s\"", text);
}

static void take_target(struct targets *targets, enum option_id option, const char *text)
{
	switch (option) {
	case OPTION_PID: targets_add_processes(targets, text); break;
	case OPTION_TID: targets_add_threads(targets, text); break;
	case OPTION_ALL_CPUS: targets_add_all_processors(targets); break;
	case OPTION_CPUS: targets_add_processors(targets, text); break;
	default: targets_add_cgroup(targets, text);
	}
}

/* Takes an option about what is counted or sampled, and how. */
static void take_count_option(struct options *options, enum option_id option, const char *text,
			      unsigned int number)
{
	switch (option) {
	case OPTION_EVENT: events_add(&options->events, text); break;
	case OPTION_PER_THREAD: options->by = BY_THREAD; break;
	case OPTION_PER_CPU: options->by = BY_CPU; break;
	case OPTION_PER_CORE: options->by = BY_CORE; break;
	case OPTION_PER_SOCKET: options->by = BY_SOCKET; break;
	case OPTION_PER_TYPE: options->by = BY_TYPE; break;
	case OPTION_PER_UNIT: options->by = BY_UNIT; break;
	case OPTION_NO_INHERIT: options->no_inherit = true; break;
	case OPTION_INTERVAL: options->interval = number; break;
	case OPTION_REPEAT: options->repeat = number; break;
	case OPTION_DELAY: options->delay = number; break;
	case OPTION_TIMEOUT: options->timeout = number; break;
	case OPTION_INCLUDE_FAILED: options->with_failed = true; break;
	case OPTION_PRE: options->pre = text; break;
	case OPTION_POST: options->post = text; break;
	case OPTION_COMPARE: options->baseline = text; break;
	case OPTION_DIFF: options->diff = true; break;
	case OPTION_TOPDOWN:
	case OPTION_TD_LEVEL:
		options->topdown = true;
		options->td_level = number ? number : options->td_level;
		break;
	case OPTION_WHY_TREE: options->topdown = options->drilldown = true; break;
	case OPTION_WHY: options->topdown = options->drilldown = options->why = true; break;
	case OPTION_THRESHOLD: options->threshold = parse_percent(text); break;
	case OPTION_EMULATE: options->emulate = true; break;
	case OPTION_STRICT: options->strict = true; break;
	case OPTION_WAIT: options->wait = true; break;
	case OPTION_PERIOD: options->period = number; break;
	case OPTION_FREQUENCY: options->frequency = number; break;
	case OPTION_BY: set_kind(options, text); break;
	case OPTION_CALL_GRAPH: set_calls(options, text); break;
	case OPTION_DECIMAL: options->events.base16 = false; break;
	case OPTION_HEX: options->events.base16 = options->events.base16_silently = true; break;
	default: take_target(&options->targets, option, text);
	}
}

/* Takes an option about results. */
static void take_result_option(struct options *options, enum option_id option, const char *text)
{
	switch (option) {
	case OPTION_OUTPUT: options->file = text; break;
	case OPTION_APPEND: options->append = true; break;
	case OPTION_HTML: options->page = text; break;
	case OPTION_CSV: options->format = FORMAT_CSV; break;
	case OPTION_JSON: options->format = FORMAT_JSON; break;
	case OPTION_OPENMETRICS: options->format = FORMAT_OPENMETRICS; break;
	case OPTION_FOLDED: options->format = FORMAT_FOLDED; break;
	case OPTION_FOLDED_THREADS:
		options->format = FORMAT_FOLDED;
		options->threads = true;
		break;
	default: options->format = FORMAT_PERF_DATA;
	}
}

/* Takes an option that chooses the mode. */
static void take_mode(struct options *options, enum option_id option, const char *text)
{
	switch (option) {
	case OPTION_SAMPLE: set_mode(options, MODE_SAMPLE); break;
	case OPTION_REGIONS:
		options->keep = text;
		set_mode(options, MODE_REGIONS);
		break;
	case OPTION_AS_LIBPFM4: set_mode(options, MODE_AS_LIBPFM4); break;
	case OPTION_FROM: set_mode(options, MODE_FROM); break;
	case OPTION_METRICS:
		events_add_metrics(&options->events, text);
		if (!strcmp(text, "list"))
			set_mode(options, MODE_METRICS);
		break;
	case OPTION_CPU:
		options->cpu = text;
		set_mode(options, MODE_CPU);
		break;
	case OPTION_INFO: set_mode(options, MODE_INFO); break;
	case OPTION_HELP: set_help(options, text); break;
	case OPTION_VERSION: set_mode(options, MODE_VERSION); break;
	default:
		options->with_text = options->with_text || option == OPTION_LONG_LIST;
		options->list = true;
		set_mode(options, MODE_LIST);
	}
}

/* Takes an option as getopt_long() has returned it. */
static void take_option(struct options *options, int returned, const char *text)
{
	enum option_id option = table_word(table_option(returned), text);

	options->given |= (option_set)1 << option;
	if (table_is_name(returned))
		options->by_name |= (option_set)1 << option;
	switch (option) {
	case OPTION_CONTROL: set_control(&options->events, returned, text); break;
	case OPTION_SAMPLE:
	case OPTION_REGIONS:
	case OPTION_AS_LIBPFM4:
	case OPTION_FROM:
	case OPTION_METRICS:
	case OPTION_CPU:
	case OPTION_INFO:
	case OPTION_LIST:
	case OPTION_LONG_LIST:
	case OPTION_HELP:
	case OPTION_VERSION: take_mode(options, option, text); break;
	case OPTION_OUTPUT:
	case OPTION_APPEND:
	case OPTION_HTML:
	case OPTION_CSV:
	case OPTION_JSON:
	case OPTION_OPENMETRICS:
	case OPTION_FOLDED:
	case OPTION_FOLDED_THREADS:
	case OPTION_PERF_DATA: take_result_option(options, option, text); break;
	default:
		take_count_option(options, option, text,
				  table_number(option, options->by_name, text));
	}
}

/* ---- what values and words exclude ---- */

static const char no_command[] =
	"there is no command to run; \"perfex -h\" shows how to call perfex";

static bool is_given(const struct options *options, enum option_id option)
{
	return options->given >> option & 1;
}

static void check_cpu(const struct options *options)
{
	if (options->cpu[strspn(options->cpu, "0123456789,-")] == '\0')
		die("--cpu takes a processor's name, as --cpu list shows them; numbers of processors are "
		    "-C %s",
		    options->cpu);
	if (options->command && !options->list)
		die("--cpu looks at a processor and runs nothing: leave out \"%s\"",
		    options->command[0]);
}

static void check_info(const struct options *options)
{
	if (options->command)
		die("-i shows the processor and runs nothing: leave out \"%s\"; perf's -i is "
		    "--no-inherit",
		    options->command[0]);
}

static void check_metrics(const struct options *options)
{
	if (options->command || strcmp(options->events.metric_names, "list") != 0)
		die("-M list shows metrics and runs nothing: leave out other metrics, and the "
		    "command");
}

static void check_command(const struct options *options)
{
	if (options->command)
		return;
	if (options->mode == MODE_FROM)
		die("--from needs files that --json has made");
	if (!options->targets.n)
		die(no_command);
}

/* Whether both are written to one file; standard output, "-", is none. */
static bool is_same_output(const char *one, const char *other)
{
	if (!strcmp(one, "-") || !strcmp(other, "-"))
		return !strcmp(one, other);
	return !strcmp(one, other) || outfile_same(one, other);
}

static void check_page(const struct options *options)
{
	if (!options->page)
		return;
	if (options->mode == MODE_SAMPLE && options->kind >= PLACE_BRANCH)
		die("--html and --by branch or source can't be combined: the page shows the calls "
		    "that led to samples");
	if (options->mode == MODE_REGIONS && options->format != FORMAT_JSON &&
	    (options->file || options->format != FORMAT_TABLE))
		die("--html of --regions is made of JSON: add --json, or leave out -o and --csv");
	if (options->file && is_same_output(options->file, options->page))
		die("-o and --html name the same file, %s", options->file);
}

/* Checks the options about parts. */
static void check_parts(const struct options *options)
{
	const struct targets *targets = &options->targets;

	if (options->by == BY_THREAD && targets->n > 1 &&
	    targets->target->type == PERFCTR_TARGET_PROCESS)
		die("--per=thread shows the threads of one process: give -p one, or name the threads "
		    "with -t");
	if (options->by == BY_THREAD && !targets->n && (options->delay || options->timeout))
		die("--per=thread traces the command; leave out %s",
		    options->delay ? "--delay" : "--timeout");
}

/* Checks a comparison: only runs of commands can be compared. */
static void check_comparison(const struct options *options)
{
	if (!options->diff && !options->baseline)
		return;
	if (options->repeat == 1)
		die("%s takes at least two runs: -r 2, or better -r 10",
		    options->diff ? "--diff" : "--compare");
	if (options->diff && (!options->command || !options->command[1] || options->command[2]))
		die("--diff takes two commands, each in quotes: perfex --diff 'old -x' 'new -x'");
}

/* Some results are of a file that -o names. */
static void check_file(const struct options *options)
{
	const char *name = options->append			 ? "--append"
			   : options->format == FORMAT_PERF_DATA ? "--format=perf-data"
			   : options->format == FORMAT_OPENMETRICS && options->interval
				   ? "--format=openmetrics with -I"
				   : NULL;

	if (name && (!options->file || !strcmp(options->file, "-")))
		die("%s needs -o FILE (not -)", name);
}

/* -d and -x are about numbers. */
static void check_numbers(const struct options *options)
{
	bool any = options->events.numbers || is_given(options, OPTION_CONTROL);

	if (is_given(options, OPTION_DECIMAL) && !any)
		die("-d needs an event number in -e; perf's -d: name the events, -e "
		    "L1-dcache-loads,L1-dcache-load-misses,...");
	if (is_given(options, OPTION_HEX) && !any)
		die("-x needs an event number in -e; perf's -x: values with a separator are --csv");
}

static void check_count(struct options *options)
{
	if ((options->pre || options->post) && !options->command)
		die(no_command);
	if (options->with_failed && options->repeat == 1)
		die("--include-failed needs several runs: -r 2 or more");
	check_numbers(options);
	check_parts(options);
	check_comparison(options);
}

/* Takes the events of a baseline as -e had them. Numbers include the TSC. */
static void take_events(struct events *events, const struct baseline *baseline)
{
	static const char number[] = "event ";
	unsigned int i;
	bool numbers = false;

	for (i = 0; i < baseline->n; i++)
		if (!strncmp(baseline->event[i].name, number, strlen(number))) {
			events_add(events, baseline->event[i].name + strlen(number));
			numbers = true;
		}
	for (i = 0; i < baseline->n; i++) {
		const char *name = baseline->event[i].name;

		if (strncmp(name, number, strlen(number)) != 0 &&
		    !(numbers && !strcmp(name, "tsc")))
			events_add(events, baseline->event[i].asked);
	}
}

/* Without -e and -M the baseline's events are counted again. */
static void read_baseline(struct options *options)
{
	const struct events *events = &options->events;

	if (!options->baseline)
		return;
	baseline_read(&options->before, options->baseline);
	if (options->before.emulated != options->emulate)
		die("--compare: %s was made %s --emulate, whose counts are others",
		    options->baseline, options->before.emulated ? "with" : "without");
	if (!events->names && !events->numbers && !events->metric_names)
		take_events(&options->events, &options->before);
}

/* Adds the metrics of --topdown; --why finds its own. */
static void add_tree(struct options *options)
{
	struct topdown *topdown;
	char *names;

	if (!options->topdown || options->drilldown)
		return;
	topdown = topdown_new(options_tree(options));
	names = topdown_names(topdown, options->td_level ? options->td_level : 1);
	options->events.quiet = !options->events.metric_names;
	events_add_metrics(&options->events, names);
	free(names);
	topdown_free(topdown);
}

static void make_events(struct options *options)
{
	check_count(options);
	if (options->by == BY_NOTHING && options->targets.n > 1 && options->targets.target->cgroup)
		options->by = BY_CGROUP;
	add_tree(options);
	read_baseline(options);
	if (options->drilldown)
		return;
	events_free_clocks(&options->events);
	if (options->emulate)
		emulated_finish(&options->events);
	else
		events_finish(&options->events);
}

static void read_line(struct options *options, int argc, char **argv)
{
	const struct option *known = table_long();
	int at, returned;

	for (;;) {
		at = optind;
		if (at < argc)
			suggest_check(argv[at], known);
		returned = getopt_long(argc, argv, table_letters(), known, NULL);
		if (returned == -1)
			return;
		if (returned == '?' || returned == ':')
			suggest_refuse(returned, argv[at], optopt, known);
		take_option(options, returned, optarg);
		/* A request for help is carried out whatever else is wrong. */
		if (options->mode >= MODE_HELP)
			return;
	}
}

/* Checks what the table knows, and then what it doesn't. */
static void check(struct options *options)
{
	switch (options->mode) {
	case MODE_CPU: check_cpu(options); break;
	case MODE_INFO: check_info(options); break;
	case MODE_METRICS: check_metrics(options); break;
	default: break;
	}
	table_check(options->mode, options->given, options->by_name);
	if (options->events.numbers && options->mode != MODE_COUNT)
		die("--cpu, --sample and --regions take names of events, not \"%s\"",
		    options->events.numbers);
	check_file(options);
	check_page(options);
	if (options->mode < MODE_LIST)
		check_command(options);
}

void options_read(struct options *options, int argc, char **argv)
{
	*options = (struct options){ .events.base16 = true, .line = argv };
	read_line(options, argc, argv);
	if (options->mode >= MODE_HELP)
		return;
	options->command = optind < argc ? argv + optind : NULL;
	targets_find(&options->targets);
	if (options->command && options->mode <= MODE_REGIONS &&
	    strcmp(argv[optind - 1], "--") != 0)
		suggest_command(options->command[0]);
	check(options);
	if (options->mode == MODE_COUNT)
		make_events(options);
	else if (options->mode == MODE_REGIONS || options->mode == MODE_FROM)
		events_free_clocks(&options->events);
}

void options_free(struct options *options)
{
	baseline_free(&options->before);
	events_free(&options->events);
	targets_free(&options->targets);
}
