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
#include "tools/perfex/options.h"
#include "tools/perfex/sample/unwind.h"
#include "tools/perfex/suggest.h"

const char options_help[] =
	"usage: perfex [options] [--] command [argument ...]\n"
	"       perfex [options] -p PIDS | -t TIDS | -a | -C LIST | -G CGROUP\n"
	"              [command [argument ...]]\n"
	"       perfex [options] --diff COMMAND COMMAND\n"
	"       perfex [-o FILE] [--csv | --json] --merge FILE ...\n"
	"       perfex --html FILE --from FILE ...\n"
	"       perfex --as-libpfm4 command [argument ...]\n"
	"       perfex -l | -L [word ...]\n"
	"       perfex [--cpu NAME] -M list\n"
	"       perfex -i | -h | --version\n"
	"\n"
	"  -e, --event LIST       count these events; may be repeated; @FILE has lists\n"
	"  -M, --metrics NAME,... count the events of these metrics, and show them;\n"
	"                         \"list\" lists all\n"
	"      --topdown          show the processor's tree of top-down analysis: where\n"
	"                         its cycles went, and which event to sample\n"
	"      --td-level N       so, too, down to level N (1)\n"
	"      --drilldown        run the command again for the parts of what is beyond\n"
	"                         its threshold, level by level\n"
	"      --why              do so, sample with the bottleneck's event, and tell the\n"
	"                         cause, the place, and what to try\n"
	"  -p, --pid PID,...      count running processes, while the command runs if\n"
	"                         there is one\n"
	"  -t, --tid TID,...      so, too, threads\n"
	"  -a, --all-cpus         count all processors; so, too, while the command runs\n"
	"  -C, --cpus LIST        count these processors, such as 0-3,8\n"
	"  -G, --cgroup NAME      count a cgroup; may be repeated, and each is shown\n"
	"  -A, --per-cpu          with -a, -C or -G: show each processor; or each of\n"
	"      --per-core         cores,\n"
	"      --per-socket       sockets,\n"
	"      --per-type         core types, also of a command or process,\n"
	"      --per-unit         units of the uncore, such as uncore_imc_0\n"
	"      --per-thread       show each thread of the command or process\n"
	"      --no-inherit       count the command's first thread only, through the\n"
	"                         driver if there is one, and nothing that it creates\n"
	"  -I, --interval MS      show counts every MS milliseconds, too\n"
	"  -r, --repeat N         run the command N times; show mean and spread\n"
	"      --include-failed   with -r: take runs that fail into mean and spread, too\n"
	"      --pre COMMAND      run COMMAND by the shell before each run, uncounted\n"
	"      --post COMMAND     run it after each run\n"
	"  -D, --delay MS         begin to count MS milliseconds after the start\n"
	"      --timeout MS       end MS milliseconds after counting began\n"
	"      --strict           fail if an event was not counted exactly\n"
	"      --compare FILE     compare with results of -r --json: exit status 123 if\n"
	"                         something differs\n"
	"      --diff             compare two shell commands, run by turns, -r times\n"
	"                         each (10)\n"
	"      --threshold PCT    a difference is more than PCT percent, too\n"
	"      --emulate          have valgrind emulate the command: counts without a\n"
	"                         PMU, but slowly\n"
	"      --sample           show where a command, -p, -t, -a, -C or -G is when an\n"
	"                         event (-e; cycles) happens\n"
	"      --by KIND          with --sample: by function, file or address;\n"
	"                         mispredictions by branch; or accesses to memory by the\n"
	"                         source of their data\n"
	"      --folded           with --sample: write the calls that led there, for\n"
	"                         flame graphs; so does --json\n"
	"      --call-graph KIND  with --folded, --json, --html or --perf-data: find\n"
	"                         calls by fp, frame pointers, or by dwarf[,BYTES],\n"
	"                         debugging information and so much of the stack (8192)\n"
	"      --perf-data        with --sample: write -o's file for perf report and\n"
	"                         perf script\n"
	"  -c, --period N         with --sample: every N events\n"
	"  -F, --frequency N      with --sample: N times a second (1000)\n"
	"      --regions          measure the regions of a command that is built with\n"
	"                         some; with =KEEP after it more than sums:\n"
	"                         moments,histogram,threads; and those of OpenMP,\n"
	"                         Kokkos and MPI in any program: openmp,kokkos,mpi\n"
	"      --merge            put reports of --regions --json together, one for each\n"
	"                         process\n"
	"      --html FILE        write a page for a browser, too: tables and charts\n"
	"      --from             count nothing; make --html's page of files of --json\n"
	"      --as-libpfm4       count nothing; run a command that uses libpfm4 with\n"
	"                         libperfctr in its place\n"
	"  -o, --output FILE      write results to FILE (-: standard output), not to\n"
	"                         standard error; in it %p is the process id, %h the\n"
	"                         host, %q{NAME} a variable's value\n"
	"      --append           append to FILE, and do not replace it\n"
	"      --csv, --json      write results for programs\n"
	"      --openmetrics      write counts for Prometheus; with -I into -o's file,\n"
	"                         each time\n"
	"  -d, --decimal          event numbers are decimal unless they begin with 0x\n"
	"  -x, --hex              event numbers are hexadecimal: don't warn\n"
	"  -i, --info             show the processor and its counters\n"
	"  -l, --list [WORD...]   list the events of this machine; with words, those\n"
	"                         that have all of them in name or description, with\n"
	"                         descriptions\n"
	"  -L, --long-list [...]  list them with descriptions, and tracepoints\n"
	"      --cpu NAME         for the processor NAME (\"native\": this one; \"list\"\n"
	"                         shows all): print the control of -e's events, or list\n"
	"                         its events with -l\n"
	"  -h, --help, --version  show this text, the version\n"
	"\n"
	"LIST is event,event,... or {event,event} for events to be counted together.\n"
	"An event is a name as \"perfex -l\" lists them (EVENT:MASK with unit masks),\n"
	"PMU/field=value,.../, rHEX, or evntsel[/evntsel2][@pmc] as numbers; after it,\n"
	"modifiers: :u user mode, :k kernel mode.  See perfex(1).\n";

enum {
	OPTION_CSV = 256,
	OPTION_JSON,
	OPTION_OPENMETRICS,
	OPTION_PER_THREAD,
	OPTION_NO_INHERIT,
	OPTION_VERSION,
	OPTION_CPU,
	OPTION_SAMPLE,
	OPTION_EMULATE,
	OPTION_BY,
	OPTION_FOLDED,
	OPTION_CALL_GRAPH,
	OPTION_PERF_DATA,
	OPTION_PER_CORE,
	OPTION_PER_SOCKET,
	OPTION_PER_TYPE,
	OPTION_PER_UNIT,
	OPTION_TIMEOUT,
	OPTION_PRE,
	OPTION_POST,
	OPTION_APPEND,
	OPTION_STRICT,
	OPTION_INCLUDE_FAILED,
	OPTION_COMPARE,
	OPTION_DIFF,
	OPTION_THRESHOLD,
	OPTION_REGIONS,
	OPTION_MERGE,
	OPTION_AS_LIBPFM4,
	OPTION_HTML,
	OPTION_FROM,
	OPTION_TOPDOWN,
	OPTION_TD_LEVEL,
	OPTION_DRILLDOWN,
	OPTION_WHY,
	OPTION_CONTROL, /* and above: the index of the word in the control */
};

#define CONTROL(word) OPTION_CONTROL + offsetof(struct perfctr_cpu_control, word)

static const struct option known[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "metrics", required_argument, NULL, 'M' },
	{ "topdown", no_argument, NULL, OPTION_TOPDOWN },
	{ "td-level", required_argument, NULL, OPTION_TD_LEVEL },
	{ "drilldown", no_argument, NULL, OPTION_DRILLDOWN },
	{ "why", no_argument, NULL, OPTION_WHY },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpus", required_argument, NULL, 'C' },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "per-thread", no_argument, NULL, OPTION_PER_THREAD },
	{ "per-cpu", no_argument, NULL, 'A' },
	{ "per-core", no_argument, NULL, OPTION_PER_CORE },
	{ "per-socket", no_argument, NULL, OPTION_PER_SOCKET },
	{ "per-type", no_argument, NULL, OPTION_PER_TYPE },
	{ "per-unit", no_argument, NULL, OPTION_PER_UNIT },
	{ "no-inherit", no_argument, NULL, OPTION_NO_INHERIT },
	{ "interval", required_argument, NULL, 'I' },
	{ "repeat", required_argument, NULL, 'r' },
	{ "delay", required_argument, NULL, 'D' },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "pre", required_argument, NULL, OPTION_PRE },
	{ "post", required_argument, NULL, OPTION_POST },
	{ "append", no_argument, NULL, OPTION_APPEND },
	{ "strict", no_argument, NULL, OPTION_STRICT },
	{ "include-failed", no_argument, NULL, OPTION_INCLUDE_FAILED },
	{ "compare", required_argument, NULL, OPTION_COMPARE },
	{ "diff", no_argument, NULL, OPTION_DIFF },
	{ "threshold", required_argument, NULL, OPTION_THRESHOLD },
	{ "sample", no_argument, NULL, OPTION_SAMPLE },
	{ "emulate", no_argument, NULL, OPTION_EMULATE },
	{ "by", required_argument, NULL, OPTION_BY },
	{ "folded", no_argument, NULL, OPTION_FOLDED },
	{ "call-graph", required_argument, NULL, OPTION_CALL_GRAPH },
	{ "perf-data", no_argument, NULL, OPTION_PERF_DATA },
	{ "regions", optional_argument, NULL, OPTION_REGIONS },
	{ "merge", no_argument, NULL, OPTION_MERGE },
	{ "as-libpfm4", no_argument, NULL, OPTION_AS_LIBPFM4 },
	{ "html", required_argument, NULL, OPTION_HTML },
	{ "from", no_argument, NULL, OPTION_FROM },
	{ "period", required_argument, NULL, 'c' },
	{ "frequency", required_argument, NULL, 'F' },
	{ "output", required_argument, NULL, 'o' },
	{ "csv", no_argument, NULL, OPTION_CSV },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "openmetrics", no_argument, NULL, OPTION_OPENMETRICS },
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

/* Parses percent, as a fraction of 1. */
static double parse_percent(const char *text)
{
	size_t whole = strspn(text, "0123456789");
	size_t n = whole + (text[whole] == '.' ? 1 + strspn(text + whole + 1, "0123456789") : 0);

	if (!whole || n > 12 || (text[n] && strcmp(text + n, "%") != 0))
		die("--threshold takes percent such as 0.5, not \"%s\"", text);
	return strtod(text, NULL) / 100;
}

static void set_format(struct options *options, enum format format)
{
	if (options->format != FORMAT_TABLE && options->format != format)
		die("--csv, --json, --openmetrics, --folded and --perf-data exclude each other");
	options->format = format;
}

static void set_kind(struct options *options, const char *text)
{
	static const char *const kinds[] = {
		[PLACE_FUNCTION] = "function", [PLACE_FILE] = "file",
		[PLACE_ADDRESS] = "address",   [PLACE_BRANCH] = "branch",
		[PLACE_SOURCE] = "source",
	};
	unsigned int i, n = sizeof(kinds) / sizeof(kinds[0]);

	for (i = 0; i < n && strcmp(kinds[i], text) != 0; i++)
		;
	if (i == n)
		die("--by takes function, file, address, branch or source, not \"%s\"; counts are "
		    "shown --per-cpu, --per-core and so on",
		    text);
	options->kind = (enum place_kind)i;
	options->by_place = true;
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
		options->stack =
			parse_count("--call-graph dwarf,BYTES", text + 6, 8, UNWIND_LARGEST) & ~7u;
	else
		die("--call-graph takes fp (frame pointers), or dwarf or dwarf,BYTES (debugging "
		    "information, and so many bytes of the stack), not \"%s\"",
		    text);
	if (unwind_missing())
		die("--call-graph dwarf: %s; take fp", unwind_missing());
}

static const char *const by_names[] = {
	[BY_THREAD] = "--per-thread", [BY_CPU] = "--per-cpu",	[BY_CORE] = "--per-core",
	[BY_SOCKET] = "--per-socket", [BY_TYPE] = "--per-type", [BY_UNIT] = "--per-unit",
};

static void set_by(struct options *options, enum by by)
{
	if (options->by != BY_NOTHING && options->by != by)
		die("%s and %s exclude each other", by_names[options->by], by_names[by]);
	options->by = by;
}

/* An option that is a word of the control. */
static void set_control(struct events *events, int option, const char *text)
{
	uint32_t value = events_number(events, text);

	memcpy((char *)&events->control + (option - OPTION_CONTROL), &value, sizeof(value));
}

static void set_mode(struct options *options, enum mode mode)
{
	if (options->mode && mode <= MODE_MERGE && options->mode <= MODE_MERGE &&
	    options->mode != mode)
		die("--sample, --regions and --merge exclude each other");
	if (mode > options->mode)
		options->mode = mode;
}

/* Takes an option about counting and its targets. */
static void take_count_option(struct options *options, int option, const char *text)
{
	struct targets *targets = &options->targets;

	switch (option) {
	case 'e': events_add(&options->events, text); break;
	case 'p': targets_add_processes(targets, text); break;
	case 't': targets_add_threads(targets, text); break;
	case 'a': targets_add_all_processors(targets); break;
	case 'C': targets_add_processors(targets, text); break;
	case 'G': targets_add_cgroup(targets, text); break;
	case OPTION_PER_THREAD: set_by(options, BY_THREAD); break;
	case 'A': set_by(options, BY_CPU); break;
	case OPTION_PER_CORE: set_by(options, BY_CORE); break;
	case OPTION_PER_SOCKET: set_by(options, BY_SOCKET); break;
	case OPTION_PER_TYPE: set_by(options, BY_TYPE); break;
	case OPTION_PER_UNIT: set_by(options, BY_UNIT); break;
	case OPTION_NO_INHERIT: options->no_inherit = true; break;
	case 'I': options->interval = parse_count("-I", text, 10, 86400000); break;
	case 'r': options->repeat = parse_count("-r", text, 1, 1000000); break;
	case 'D': options->delay = parse_count("--delay", text, 1, 86400000); break;
	case OPTION_TIMEOUT:
		options->timeout = parse_count("--timeout", text, 1, 0x3FFFFFFF);
		break;
	case OPTION_INCLUDE_FAILED: options->with_failed = true; break;
	case OPTION_PRE: options->pre = text; break;
	case OPTION_POST: options->post = text; break;
	case OPTION_COMPARE: options->baseline = text; break;
	case OPTION_DIFF: options->diff = true; break;
	case OPTION_TOPDOWN: options->topdown = true; break;
	case OPTION_TD_LEVEL:
		options->topdown = true;
		options->td_level = parse_count("--td-level", text, 1, 16);
		break;
	case OPTION_DRILLDOWN: options->topdown = options->drilldown = true; break;
	case OPTION_WHY: options->topdown = options->drilldown = options->why = true; break;
	case OPTION_THRESHOLD: options->threshold = parse_percent(text); break;
	case OPTION_EMULATE: options->emulate = true; break;
	case OPTION_STRICT: options->strict = true; break;
	case OPTION_APPEND: options->append = true; break;
	case 'o': options->file = text; break;
	case OPTION_HTML: options->page = text; break;
	case 'c': options->period = parse_count("-c", text, 1, 0xFFFFFFFF); break;
	case 'F': options->frequency = parse_count("-F", text, 1, 1000000000); break;
	case OPTION_BY: set_kind(options, text); break;
	case OPTION_FOLDED: set_format(options, FORMAT_FOLDED); break;
	case OPTION_CALL_GRAPH: set_calls(options, text); break;
	case OPTION_PERF_DATA: set_format(options, FORMAT_PERF_DATA); break;
	case OPTION_CSV: set_format(options, FORMAT_CSV); break;
	case OPTION_JSON: set_format(options, FORMAT_JSON); break;
	case OPTION_OPENMETRICS: set_format(options, FORMAT_OPENMETRICS); break;
	case 'd':
		options->events.base16 = false;
		options->base =
			"-d says that numbers of events are decimal, and -e has none; perf's -d: "
			"name the events, -e L1-dcache-loads,L1-dcache-load-misses,...";
		break;
	case 'x':
		options->events.base16 = options->events.base16_silently = true;
		options->base =
			"-x says that numbers of events are hexadecimal, and -e has none; perf's -x: "
			"values with a separator are --csv";
		break;
	default: set_control(&options->events, option, text); options->words = true;
	}
}

/* Takes any option; false: the others don't matter. */
static bool take_option(struct options *options, int option, const char *text)
{
	switch (option) {
	case OPTION_SAMPLE: set_mode(options, MODE_SAMPLE); break;
	case OPTION_REGIONS:
		options->keep = text;
		set_mode(options, MODE_REGIONS);
		break;
	case OPTION_MERGE: set_mode(options, MODE_MERGE); break;
	case OPTION_AS_LIBPFM4: set_mode(options, MODE_AS_LIBPFM4); break;
	case OPTION_FROM: set_mode(options, MODE_PAGE); break;
	case 'M':
		events_add_metrics(&options->events, text);
		if (!strcmp(text, "list"))
			set_mode(options, MODE_METRICS);
		break;
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
	default: take_count_option(options, option, text);
	}
	return true;
}

/* ---- options that exclude each other ---- */

static const char no_command[] =
	"there is no command to run; \"perfex -h\" shows how to call perfex";

static void check_cpu(const struct options *options)
{
	if (options->cpu[strspn(options->cpu, "0123456789,-")] == '\0')
		die("--cpu takes a processor's name, as --cpu list shows them; numbers of processors are "
		    "-C %s",
		    options->cpu);
	if (options->command && !options->list)
		die("--cpu looks at a processor and runs nothing: leave out \"%s\"",
		    options->command[0]);
	if (options->info)
		die("-i shows this machine's processor: leave out --cpu, or -i");
}

/* Metrics are of counts. */
static void check_metrics(const struct options *options)
{
	const char *other = options->mode == MODE_SAMPLE  ? "--sample"
			    : options->mode == MODE_MERGE ? "--merge"
			    : options->mode == MODE_CPU	  ? "--cpu"
							  : NULL;

	if (options->topdown &&
	    (options->mode == MODE_METRICS || options->mode == MODE_REGIONS || other))
		die("%s counts a command%s; it does not go with %s", options_tree(options),
		    options->drilldown ? "" : " or a target",
		    options->mode == MODE_METRICS   ? "-M list"
		    : options->mode == MODE_REGIONS ? "--regions; -M tma is for them"
						    : other);
	if (!options->events.metric_names)
		return;
	if (options->mode == MODE_METRICS &&
	    (options->command || strcmp(options->events.metric_names, "list") != 0))
		die("-M list shows metrics and runs nothing: leave out other metrics, and the "
		    "command");
	if (options->mode != MODE_METRICS && other)
		die("-M goes with counts; it does not go with %s", other);
}

static void check_sample_output(const struct options *options)
{
	if (options->by_place &&
	    (options->format == FORMAT_FOLDED || options->format == FORMAT_JSON))
		die("--by is of --sample's table; it does not go with --folded or --json");
	if (options->calls && options->format == FORMAT_TABLE && !options->page)
		die("--call-graph says how calls are found, and the table has none: add --folded, "
		    "--json, --html or --perf-data");
	if (options->format == FORMAT_PERF_DATA && (!options->file || !strcmp(options->file, "-")))
		die("--perf-data writes -o's file, and there is none");
}

/* Refuses options that --regions and --merge don't have. */
static void check_regions(const struct options *options)
{
	const char *name = options->mode == MODE_MERGE ? "--merge" : "--regions";

	if (options->targets.n || options->by != BY_NOTHING || options->no_inherit ||
	    options->interval || options->repeat || options->delay || options->timeout ||
	    options->strict || options->diff || options->baseline || options->append ||
	    options->period || options->frequency || options->words || options->base ||
	    options->pre || options->post || options->emulate || options->threshold > 0 ||
	    options->with_failed || options->by_place || options->calls ||
	    options->format > FORMAT_JSON)
		die("%s goes with --csv, --json, --html, -o and, to measure, -e and -M; not with other "
		    "options",
		    name);
	if (options->mode == MODE_MERGE && (options->events.names || options->events.numbers))
		die("--merge counts nothing: leave out -e");
	if (!options->command && options->mode == MODE_MERGE)
		die("--merge takes files, and there is none");
	if (!options->command)
		die(no_command);
}

/* Nothing is counted, and all other options are about counts, lists and results. */
static void check_as_libpfm4(const struct options *options)
{
	char **line = options->line + 2;

	if (!options->command)
		die(no_command);
	if (*line && !strcmp(*line, "--"))
		line++;
	if (options->command != line)
		die("--as-libpfm4 counts nothing and does not go with other options: write perfex "
		    "--as-libpfm4 %s ...",
		    options->command[0]);
}

/* Whether a word is an option, which may be shortened to "least" letters. */
static bool is_option(const char *word, const char *option, size_t least)
{
	size_t n = strcspn(word, "=");

	return n >= least && !strncmp(word, option, n);
}

/* Nothing is counted, and there are no other results. */
static void check_from(const struct options *options)
{
	char **line = options->line + 1;

	if (!options->page)
		die("--from says what --html's page is made of: perfex --html FILE --from FILE ...");
	if (!options->command)
		die("--from takes files that --json has made, and there is none");
	for (; line < options->command; line++)
		if (is_option(*line, "--html", 4))
			line += !strchr(*line, '=');
		else if (!is_option(*line, "--from", 5) && strcmp(*line, "--") != 0)
			die("--from counts nothing and goes with --html alone: leave out \"%s\"",
			    *line);
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
	if (options->mode > MODE_PAGE || options->mode == MODE_AS_LIBPFM4)
		die("--html shows results, and this has none: leave it out");
	if (options->mode == MODE_SAMPLE && options->kind >= PLACE_BRANCH)
		die("--html shows the calls that led to samples; it does not go with --by branch or "
		    "--by source");
	if (options->mode == MODE_REGIONS && options->format != FORMAT_JSON &&
	    (options->file || options->format != FORMAT_TABLE))
		die("--html of --regions is made of JSON: add --json, or leave out -o and --csv");
	if (options->file && is_same_output(options->file, options->page))
		die("-o and --html name the same file, %s", options->file);
}

static void check_sample(const struct options *options)
{
	const struct targets *targets = &options->targets;

	if (options->by != BY_NOTHING || options->no_inherit || options->interval ||
	    options->repeat > 1 || options->format == FORMAT_CSV ||
	    options->format == FORMAT_OPENMETRICS || options->delay || options->append ||
	    options->strict || options->diff || options->baseline || options->emulate ||
	    options->pre || options->post || options->with_failed)
		die("--sample looks at one run; it does not go with -A, -I, -r, --per-..., "
		    "--no-inherit, --delay, --append, --strict, --compare, --diff, --emulate, --pre, "
		    "--post, --csv or --openmetrics");
	if (options->period && options->frequency)
		die("-c and -F exclude each other");
	check_sample_output(options);
	if (!options->command && !targets->n)
		die(no_command);
}

/* Checks the options about parts. */
static void check_parts(const struct options *options)
{
	const struct targets *targets = &options->targets;
	const char *name = by_names[options->by];

	if (targets->what && (options->by == BY_THREAD || options->no_inherit))
		die("%s counts all threads: leave out --per-thread and --no-inherit",
		    targets->option);
	if (options->by > BY_CGROUP && options->by < BY_TYPE && !targets->what)
		die("%s shows processors, and a command or process has none of its own: add -a, -C "
		    "or -G",
		    name);
	if (options->by == BY_THREAD && options->interval)
		die("--per-thread and -I exclude each other");
	if (options->by == BY_THREAD && options->no_inherit)
		die("--per-thread and --no-inherit exclude each other");
	if (options->by == BY_THREAD && targets->n > 1 &&
	    targets->target->type == PERFCTR_TARGET_PROCESS)
		die("--per-thread shows the threads of one process: give -p one, or name the threads "
		    "with -t");
	if (options->by == BY_THREAD && !targets->n && (options->delay || options->timeout))
		die("--per-thread traces the command; it does not go with --delay or --timeout");
}

/* Checks a comparison: only runs of commands can be compared. */
static void check_comparison(struct options *options)
{
	const char *name = options->diff ? "--diff" : "--compare";

	if (!options->diff && !options->baseline) {
		if (options->threshold > 0)
			die("--threshold is of --compare and --diff, and there is none");
		return;
	}
	if (options->diff && options->baseline)
		die("--compare and --diff exclude each other");
	if (options->targets.n || options->interval || options->by != BY_NOTHING)
		die("%s runs commands several times; it does not go with -p, -t, -a, -C, -G, -I or "
		    "--per-...",
		    name);
	if (options->repeat == 1)
		die("%s takes at least two runs: -r 2, or better -r 10", name);
	if (options->diff && (!options->command || !options->command[1] || options->command[2]))
		die("--diff takes two commands, each in quotes: perfex --diff 'old -x' 'new -x'");
}

/* Checks OpenMetrics: a program reads the counts while they go on. */
static void check_openmetrics(const struct options *options)
{
	if (options->format != FORMAT_OPENMETRICS)
		return;
	if (options->repeat > 1 || options->baseline || options->diff || options->append ||
	    options->by == BY_THREAD)
		die("--openmetrics writes counts that go on; it does not go with -r, --compare, "
		    "--diff, --append or --per-thread");
	if (options->interval && (!options->file || !strcmp(options->file, "-")))
		die("--openmetrics with -I replaces -o's file at each interval, and there is none");
}

/* Whole commands are emulated, and nothing of them counted. */
static void check_emulation(const struct options *options)
{
	if (!options->emulate)
		return;
	if (options->targets.n || options->interval || options->by != BY_NOTHING ||
	    options->no_inherit || options->delay || options->timeout || options->strict)
		die("--emulate runs whole commands in valgrind, and counts nothing exactly; it does "
		    "not go with -p, -t, -a, -C, -G, -I, --per-..., --no-inherit, --delay, "
		    "--timeout or --strict");
}

/* Checks --drilldown: only a command can be run again. */
static void check_drilldown(const struct options *options)
{
	if (!options->drilldown)
		return;
	if (options->why && (options->format != FORMAT_TABLE || options->page || options->delay))
		die("--why prints a page of text; it does not go with --csv, --json, --openmetrics, "
		    "--html or --delay, which --drilldown and --sample take");
	if (options->targets.n || options->interval || options->repeat ||
	    options->by != BY_NOTHING || options->no_inherit || options->strict || options->diff ||
	    options->baseline || options->append || options->emulate)
		die("%s runs a command once for each level; it does not go with -p, -t, -a, "
		    "-C, -G, -I, -r, --per-..., --no-inherit, --strict, --compare, --diff, --append or "
		    "--emulate; --td-level N counts N levels in one run",
		    options_tree(options));
	if (options->events.names || options->events.numbers || options->events.metric_names)
		die("%s counts a tree alone: leave out -e and -M", options_tree(options));
}

static void check_count(struct options *options)
{
	const struct targets *targets = &options->targets;

	if (!options->command && !targets->n)
		die(no_command);
	if ((options->pre || options->post) && (!options->command || targets->n))
		die("--pre and --post run something around each run of a command; they do not go "
		    "with -p, -t, -a, -C or -G");
	if (options->repeat > 1 &&
	    (!options->command || targets->n || options->interval || options->by != BY_NOTHING))
		die("-r runs a command several times; it does not go with -p, -t, -a, -C, -G, -I or "
		    "--per-...");
	if (options->with_failed && options->repeat < 2 && !options->diff && !options->baseline)
		die("--include-failed is of several runs (-r, --compare, --diff), and there is one");
	if (options->base && !options->events.numbers && !options->words)
		die("%s", options->base);
	check_parts(options);
	check_comparison(options);
	check_openmetrics(options);
	check_emulation(options);
	check_drilldown(options);
	if (options->append && (!options->file || !strcmp(options->file, "-")))
		die("--append says how to write -o's file, and there is none");
}

/* Takes the events of a baseline by their names on the command line. Numbers include the TSC. */
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
			events_add(events, name);
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

/* Adds the metrics of --topdown; --drilldown finds its own. */
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
	if (options->period || options->frequency)
		die("-c and -F say how often to sample: add --sample");
	if (options->by_place || options->calls || options->format >= FORMAT_FOLDED)
		die("--by, --folded, --call-graph and --perf-data say what to tell of samples: add --sample");
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

/* '+': options after the command's name are the command's. ':': this file reports errors. */
static int next_option(int argc, char **argv)
{
	int at = optind, option;

	if (at < argc)
		suggest_check(argv[at], known);
	option = getopt_long(argc, argv, "+:e:M:p:t:aC:G:AI:r:D:c:F:o:dxilLh", known, NULL);
	if (option == '?' || option == ':')
		suggest_refuse(option, argv[at], optopt, known);
	return option;
}

void options_read(struct options *options, int argc, char **argv)
{
	int option;

	*options = (struct options){ .events.base16 = true, .line = argv };
	while ((option = next_option(argc, argv)) != -1)
		if (!take_option(options, option, optarg))
			return;
	options->command = optind < argc ? argv + optind : NULL;
	targets_find(&options->targets);
	if (options->events.numbers && (options->mode == MODE_CPU || options->mode == MODE_SAMPLE ||
					options->mode == MODE_REGIONS))
		die("--cpu, --sample and --regions take names of events, not \"%s\"",
		    options->events.numbers);
	check_metrics(options);
	check_page(options);
	switch (options->mode) {
	case MODE_CPU: check_cpu(options); break;
	case MODE_INFO:
		if (options->command)
			die("-i shows the processor and runs nothing: leave out \"%s\"; perf's -i is "
			    "--no-inherit",
			    options->command[0]);
		break;
	case MODE_SAMPLE: check_sample(options); break;
	case MODE_REGIONS:
	case MODE_MERGE:
		check_regions(options);
		events_free_clocks(&options->events);
		break;
	case MODE_AS_LIBPFM4: check_as_libpfm4(options); break;
	case MODE_PAGE: check_from(options); break;
	case MODE_COUNT: make_events(options); break;
	default: break;
	}
}

void options_free(struct options *options)
{
	baseline_free(&options->before);
	events_free(&options->events);
	targets_free(&options->targets);
}
