// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "die.h"
#include "options.h"

const char options_help[] =
	"usage: perfex [options] [--] command [argument ...]\n"
	"       perfex [options] -p PID | -a | -C LIST | -G CGROUP [command [argument ...]]\n"
	"       perfex -i | -l | -L | -h | --version\n"
	"\n"
	"  -e, --event LIST       count these events; may be repeated\n"
	"  -p, --pid PID          count a running process, while the command runs if there is one\n"
	"  -a, --all-cpus         count all processors; so, too, while the command runs\n"
	"  -C, --cpus LIST        count these processors, such as 0-3,8\n"
	"  -G, --cgroup NAME      count a cgroup\n"
	"      --per-thread       show each thread of the command or process\n"
	"      --no-inherit       count the command's first thread only, through the driver if there is\n"
	"                         one, and nothing that it creates\n"
	"  -I, --interval MS      show counts every MS milliseconds, too\n"
	"  -r, --repeat N         run the command N times; show mean and spread\n"
	"      --sample           show where the command is when an event (-e; cycles) happens\n"
	"  -c, --period N         with --sample: every N events\n"
	"  -F, --frequency N      with --sample: N times a second (1000)\n"
	"  -o, --output FILE      write results to FILE (-: standard output), not to standard error; in\n"
	"                         it %p is the process id, %h the host, %q{NAME} a variable's value\n"
	"      --csv, --json      write results for programs\n"
	"  -d, --decimal          event numbers are decimal unless they begin with 0x\n"
	"  -x, --hex              event numbers are hexadecimal: don't warn\n"
	"  -i, --info             show the processor and its counters\n"
	"  -l, --list             list the events of this machine\n"
	"  -L, --long-list        list them with descriptions, and tracepoints\n"
	"      --cpu NAME         for the processor NAME (\"native\": this one; \"list\" shows all): print\n"
	"                         the control of -e's events, or list its events with -l\n"
	"  -h, --help, --version  show this text, the version\n"
	"\n"
	"LIST is event,event,... or {event,event} for events to be counted together. An event is a name\n"
	"as \"perfex -l\" lists them (EVENT:MASK with unit masks), PMU/field=value,.../, rHEX, or\n"
	"evntsel[/evntsel2][@pmc] as numbers; behind it, modifiers: :u user mode, :k kernel mode.\n"
	"See perfex(1).\n";

enum {
	OPTION_CSV = 256,
	OPTION_JSON,
	OPTION_PER_THREAD,
	OPTION_NO_INHERIT,
	OPTION_VERSION,
	OPTION_CPU,
	OPTION_SAMPLE,
	OPTION_CONTROL, /* and more: where in the control the word is */
};

#define CONTROL(word) OPTION_CONTROL + offsetof(struct perfctr_cpu_control, word)

static const struct option known[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "pid", required_argument, NULL, 'p' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpus", required_argument, NULL, 'C' },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "per-thread", no_argument, NULL, OPTION_PER_THREAD },
	{ "no-inherit", no_argument, NULL, OPTION_NO_INHERIT },
	{ "interval", required_argument, NULL, 'I' },
	{ "repeat", required_argument, NULL, 'r' },
	{ "sample", no_argument, NULL, OPTION_SAMPLE },
	{ "period", required_argument, NULL, 'c' },
	{ "frequency", required_argument, NULL, 'F' },
	{ "output", required_argument, NULL, 'o' },
	{ "csv", no_argument, NULL, OPTION_CSV },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "decimal", no_argument, NULL, 'd' },
	{ "hex", no_argument, NULL, 'x' },
	{ "info", no_argument, NULL, 'i' },
	{ "list", no_argument, NULL, 'l' },
	{ "long-list", no_argument, NULL, 'L' },
	{ "cpu", required_argument, NULL, OPTION_CPU },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPTION_VERSION },
#if defined(PERFCTR_ABI_X86_H)
	{ "p4pe", required_argument, NULL, CONTROL(p4.pebs_enable) },
	{ "p4_pebs_enable", required_argument, NULL, CONTROL(p4.pebs_enable) },
	{ "p4pmv", required_argument, NULL, CONTROL(p4.pebs_matrix_vert) },
	{ "p4_pebs_matrix_vert", required_argument, NULL, CONTROL(p4.pebs_matrix_vert) },
	{ "nhlm_offcore_rsp_0", required_argument, NULL, CONTROL(offcore_rsp[0]) },
	{ "nhlm_offcore_rsp_1", required_argument, NULL, CONTROL(offcore_rsp[1]) },
#elif defined(PERFCTR_ABI_POWERPC_H)
	{ "mmcr0", required_argument, NULL, CONTROL(ppc.mmcr0) },
	{ "mmcr2", required_argument, NULL, CONTROL(ppc.mmcr2) },
#endif
	{ NULL, 0, NULL, 0 },
};

static unsigned int parse_count(const char *option, const char *text, unsigned int least,
				unsigned int most)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || value < least || value > most)
		die("%s takes a number from %u to %u, not \"%s\"", option, least, most, text);
	return (unsigned int)value;
}

static void set_format(struct options *options, enum format format)
{
	if (options->format != FORMAT_TABLE && options->format != format)
		die("--csv and --json exclude each other");
	options->format = format;
}

/* An option that is a word of the control. */
static void set_control(struct events *events, int option, const char *text)
{
	uint32_t value = events_number(events, text);

	memcpy((char *)&events->control + (option - OPTION_CONTROL), &value, sizeof(value));
}

static void set_mode(struct options *options, enum mode mode)
{
	if (mode > options->mode)
		options->mode = mode;
}

/* Options of what is to be counted, and how. */
static void take_count_option(struct options *options, int option, const char *text)
{
	struct targets *targets = &options->targets;

	switch (option) {
	case 'e': events_add(&options->events, text); break;
	case 'p': targets_add_process(targets, (int)parse_count("-p", text, 1, 0x3FFFFFFF)); break;
	case 'a': targets_add_all_processors(targets); break;
	case 'C': targets_add_processors(targets, text); break;
	case 'G': targets_add_cgroup(targets, text); break;
	case OPTION_PER_THREAD: options->per_thread = true; break;
	case OPTION_NO_INHERIT: options->no_inherit = true; break;
	case 'I': options->interval = parse_count("-I", text, 10, 86400000); break;
	case 'r': options->repeat = parse_count("-r", text, 1, 1000000); break;
	case 'o': options->file = text; break;
	case 'c': options->period = parse_count("-c", text, 1, 0xFFFFFFFF); break;
	case 'F': options->frequency = parse_count("-F", text, 1, 1000000000); break;
	case OPTION_CSV: set_format(options, FORMAT_CSV); break;
	case OPTION_JSON: set_format(options, FORMAT_JSON); break;
	case 'd': options->events.base16 = false; break;
	case 'x': options->events.base16 = options->events.base16_silently = true; break;
	default: set_control(&options->events, option, text);
	}
}

/* Any option; false: the others don't matter. */
static bool take_option(struct options *options, int option, const char *text)
{
	switch (option) {
	case OPTION_SAMPLE: set_mode(options, MODE_SAMPLE); break;
	case OPTION_CPU:
		options->cpu = text;
		set_mode(options, MODE_CPU);
		break;
	case 'i':
		options->info = true;
		set_mode(options, MODE_INFO);
		break;
	case 'L': options->with_text = true; /* fall through */
	case 'l':
		options->list = true;
		set_mode(options, MODE_LIST);
		break;
	case 'h': set_mode(options, MODE_HELP); return false;
	case OPTION_VERSION: set_mode(options, MODE_VERSION); return false;
	case '?': fputs("perfex: \"perfex -h\" shows all options\n", stderr); exit(EXIT_PERFEX);
	default: take_count_option(options, option, text);
	}
	return true;
}

/* ---- what does not go together ---- */

static const char no_command[] =
	"there is no command to run; \"perfex -h\" shows how to call perfex";

static void check_cpu(const struct options *options)
{
	if (options->command)
		die("--cpu looks at a processor and runs nothing: leave out \"%s\"",
		    options->command[0]);
	if (options->info)
		die("-i shows this machine's processor: leave out --cpu, or -i");
}

static void check_sample(const struct options *options)
{
	if (options->targets.n || options->per_thread || options->no_inherit || options->interval ||
	    options->repeat > 1 || options->format != FORMAT_TABLE)
		die("--sample runs a command once and shows a table; it does not go with -p, -a, -C, "
		    "-G, -I, -r, --per-thread, --no-inherit, --csv or --json");
	if (options->period && options->frequency)
		die("-c and -F exclude each other");
	if (!options->command)
		die(no_command);
}

static void check_count(const struct options *options)
{
	const struct targets *targets = &options->targets;

	if (!options->command && !targets->n)
		die(no_command);
	if (options->repeat > 1 &&
	    (!options->command || targets->n || options->interval || options->per_thread))
		die("-r runs a command several times; it does not go with -p, -a, -C, -G, -I or "
		    "--per-thread");
	if (targets->what && (options->per_thread || options->no_inherit))
		die("%s counts all threads: leave out --per-thread and --no-inherit",
		    targets->option);
	if (options->per_thread && options->interval)
		die("--per-thread and -I exclude each other");
	if (options->per_thread && options->no_inherit)
		die("--per-thread and --no-inherit exclude each other");
}

static void make_events(struct options *options)
{
	if (options->period || options->frequency)
		die("-c and -F say how often to sample: add --sample");
	check_count(options);
	events_finish(&options->events);
}

void options_read(struct options *options, int argc, char **argv)
{
	int option;

	*options = (struct options){ .repeat = 1, .events.base16 = true };
	/* The '+': what follows the command's name is the command's. */
	while ((option = getopt_long(argc, argv, "+e:p:aC:G:I:r:c:F:o:dxilLh", known, NULL)) != -1)
		if (!take_option(options, option, optarg))
			return;
	options->command = optind < argc ? argv + optind : NULL;
	if (options->events.numbers && (options->mode == MODE_CPU || options->mode == MODE_SAMPLE))
		die("--cpu and --sample take names of events, not \"%s\"", options->events.numbers);
	switch (options->mode) {
	case MODE_CPU: check_cpu(options); break;
	case MODE_SAMPLE: check_sample(options); break;
	case MODE_COUNT: make_events(options); break;
	default: break;
	}
}

void options_free(struct options *options)
{
	events_free(&options->events);
	targets_free(&options->targets);
}
