// SPDX-License-Identifier: LGPL-2.1-or-later
/* The rows of the table of options, its rules, and what is made of them. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "include/libperfctr.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/command/table.h"

/* ---- the rows ---- */

#define COUNT	   (1u << MODE_COUNT)
#define SAMPLE	   (1u << MODE_SAMPLE)
#define REGIONS	   (1u << MODE_REGIONS)
#define AS_LIBPFM4 (1u << MODE_AS_LIBPFM4)
#define FROM	   (1u << MODE_FROM)
#define LIST	   (1u << MODE_LIST)
#define INFO	   (1u << MODE_INFO)
#define CPU	   (1u << MODE_CPU)
#define METRICS	   (1u << MODE_METRICS)
#define TELL	   (1u << MODE_HELP | 1u << MODE_VERSION)

#define DAY	86400000 /* ms */
#define DEEPEST 16	 /* level of a tree */

static const struct option_row rows[OPTIONS] = {
	[OPTION_EVENT] = { .name = "event",
			   .letter = 'e',
			   .shows = "LIST",
			   .argument = ARGUMENT_EVENTS,
			   .modes = COUNT | SAMPLE | REGIONS | CPU,
			   .brief = "count these events; @FILE reads lists",
			   .help = "count these events; may be repeated; @FILE reads lists" },
	[OPTION_METRICS] = { .name = "metrics",
			     .letter = 'M',
			     .shows = "NAME,...",
			     .argument = ARGUMENT_METRICS,
			     .modes = COUNT | REGIONS | METRICS,
			     .brief = "count the events of these metrics and show them",
			     .help = "count the events of these metrics and show them; \"list\" lists all" },
	[OPTION_TOPDOWN] = { .name = "topdown",
			     .shows = "[=LEVEL]",
			     .argument = ARGUMENT_WORDS,
			     .words = "1 2 3 4 5 6",
			     .least = 1,
			     .most = DEEPEST,
			     .modes = COUNT,
			     .help = "show the processor's tree of top-down analysis, down to LEVEL (1): where its "
				     "cycles went, and which event to sample" },
	[OPTION_TD_LEVEL] = { .name = "td-level",
			      .argument = ARGUMENT_NUMBER,
			      .least = 1,
			      .most = DEEPEST,
			      .modes = COUNT },
	[OPTION_WHY] = { .name = "why",
			 .shows = "[=tree]",
			 .argument = ARGUMENT_WORDS,
			 .modes = COUNT,
			 .brief = "find the bottleneck, its place and what to try",
			 .help = "run the command again for the parts of what is beyond its threshold, level by level, "
				 "sample the bottleneck's event, and print the cause, the place and what to try; "
				 "=tree: print the tree instead" },
	[OPTION_WHY_TREE] = { .word = "tree", .of = OPTION_WHY, .modes = COUNT },
	[OPTION_DECIMAL] = { .name = "decimal",
			     .letter = 'd',
			     .modes = COUNT,
			     .help = "event numbers are decimal unless they begin with 0x" },
	[OPTION_HEX] = { .name = "hex",
			 .letter = 'x',
			 .modes = COUNT,
			 .help = "event numbers are hexadecimal: don't warn" },
	[OPTION_CONTROL] = { .shows = "N", .argument = ARGUMENT_TEXT, .modes = COUNT },

	[OPTION_PID] = { .name = "pid",
			 .letter = 'p',
			 .shows = "PID,...",
			 .argument = ARGUMENT_PROCESSES,
			 .modes = COUNT | SAMPLE,
			 .brief = "count running processes",
			 .help = "count running processes, until they or the command end" },
	[OPTION_TID] = { .name = "tid",
			 .letter = 't',
			 .shows = "TID,...",
			 .argument = ARGUMENT_PROCESSES,
			 .modes = COUNT | SAMPLE,
			 .help = "count running threads, until they or the command end" },
	[OPTION_ALL_CPUS] = { .name = "all-cpus",
			      .letter = 'a',
			      .modes = COUNT | SAMPLE,
			      .brief = "count all processors",
			      .help = "count all processors, until the command ends or Ctrl-C" },
	[OPTION_CPUS] = { .name = "cpus",
			  .letter = 'C',
			  .shows = "LIST",
			  .argument = ARGUMENT_PROCESSORS,
			  .modes = COUNT | SAMPLE,
			  .help = "count these processors, such as 0-3,8" },
	[OPTION_CGROUP] = { .name = "cgroup",
			    .letter = 'G',
			    .shows = "NAME",
			    .argument = ARGUMENT_CGROUP,
			    .modes = COUNT | SAMPLE,
			    .help = "count a cgroup; may be repeated, and each is shown" },
	[OPTION_NO_INHERIT] = { .name = "no-inherit",
				.modes = COUNT,
				.help = "count the command's first thread only, through the driver if there is one" },

	[OPTION_PER] = { .name = "per",
			 .shows = "KIND",
			 .argument = ARGUMENT_WORD,
			 .help = "with -a, -C or -G show each cpu (-A, --no-aggr), core or socket; else each type of "
				 "core, each thread, or each unit of the uncore, such as uncore_imc_0" },
	[OPTION_PER_CPU] = { .word = "cpu",
			     .of = OPTION_PER,
			     .name = "no-aggr",
			     .letter = 'A',
			     .modes = COUNT,
			     .help = "the same as --per=cpu" },
	[OPTION_PER_CORE] = { .word = "core",
			      .of = OPTION_PER,
			      .name = "per-core",
			      .modes = COUNT },
	[OPTION_PER_SOCKET] = { .word = "socket",
				.of = OPTION_PER,
				.name = "per-socket",
				.modes = COUNT },
	[OPTION_PER_TYPE] = { .word = "type", .of = OPTION_PER, .modes = COUNT },
	[OPTION_PER_UNIT] = { .word = "unit", .of = OPTION_PER, .modes = COUNT },
	[OPTION_PER_THREAD] = { .word = "thread",
				.of = OPTION_PER,
				.name = "per-thread",
				.modes = COUNT },

	[OPTION_INTERVAL] = { .name = "interval",
			      .letter = 'I',
			      .shows = "MS",
			      .argument = ARGUMENT_NUMBER,
			      .least = 10,
			      .most = DAY,
			      .modes = COUNT,
			      .brief = "show counts every MS milliseconds",
			      .help = "show counts every MS milliseconds, and their sum at the end" },
	[OPTION_DELAY] = { .name = "delay",
			   .letter = 'D',
			   .shows = "MS",
			   .argument = ARGUMENT_NUMBER,
			   .least = 1,
			   .most = DAY,
			   .modes = COUNT,
			   .help = "begin to count MS milliseconds after the start" },
	[OPTION_TIMEOUT] = { .name = "timeout",
			     .shows = "MS",
			     .argument = ARGUMENT_NUMBER,
			     .least = 1,
			     .most = 0x3FFFFFFF,
			     .modes = COUNT | SAMPLE,
			     .help = "end MS milliseconds after counting began" },
	[OPTION_WAIT] = { .name = "wait",
			  .modes = COUNT,
			  .help = "wait for all processes of the command, not for the first one only" },
	[OPTION_STRICT] = { .name = "strict",
			    .modes = COUNT,
			    .help = "fail if an event was not counted exactly; watch all processes "
				    "for that, whatever their forks cost" },
	[OPTION_EMULATE] = { .name = "emulate",
			     .modes = COUNT,
			     .brief = "count by valgrind, slowly, without a PMU",
			     .help = "have valgrind emulate the command: counts without a PMU, but slowly" },

	[OPTION_REPEAT] = { .name = "repeat",
			    .letter = 'r',
			    .shows = "N",
			    .argument = ARGUMENT_NUMBER,
			    .least = 1,
			    .most = 1000000,
			    .modes = COUNT,
			    .brief = "run the command N times; show mean and spread",
			    .help = "run the command N times; show mean and spread" },
	[OPTION_INCLUDE_FAILED] = { .name = "include-failed",
				    .modes = COUNT,
				    .help = "include failed runs in mean and spread" },
	[OPTION_PRE] = { .name = "pre",
			 .shows = "COMMAND",
			 .argument = ARGUMENT_COMMAND,
			 .modes = COUNT,
			 .help = "run COMMAND in a shell before each run, uncounted" },
	[OPTION_POST] = { .name = "post",
			  .shows = "COMMAND",
			  .argument = ARGUMENT_COMMAND,
			  .modes = COUNT,
			  .help = "run COMMAND in a shell after each run, uncounted" },
	[OPTION_COMPARE] = { .name = "compare",
			     .shows = "FILE",
			     .argument = ARGUMENT_FILE,
			     .modes = COUNT,
			     .help = "compare with results of -r --json: exit status 123 if something differs" },
	[OPTION_DIFF] = { .name = "diff",
			  .modes = COUNT,
			  .brief = "compare two shell commands, run by turns",
			  .help = "compare two shell commands, run by turns, -r times each (10)" },
	[OPTION_THRESHOLD] = { .name = "threshold",
			       .shows = "PCT",
			       .argument = ARGUMENT_TEXT,
			       .modes = COUNT,
			       .help = "ignore differences of up to PCT percent" },

	[OPTION_SAMPLE] = { .name = "sample",
			    .modes = SAMPLE,
			    .brief = "show where the program is when an event happens",
			    .help = "show where a command, -p, -t, -a, -C or -G is when an event (-e; cycles) happens" },
	[OPTION_BY] = { .name = "by",
			.shows = "KIND",
			.argument = ARGUMENT_WORD,
			.words = "function file address line branch source",
			.modes = SAMPLE,
			.help = "show samples by function, file, address or line of the source; mispredictions by branch; or accesses "
				"to memory by the source of their data" },
	[OPTION_CALL_GRAPH] = { .name = "call-graph",
				.shows = "KIND",
				.argument = ARGUMENT_WORD,
				.words = "fp dwarf",
				.modes = SAMPLE,
				.help = "find calls by fp, frame pointers, or by dwarf[,BYTES], debugging information and "
					"so much of the stack (8192)" },
	[OPTION_PERIOD] = { .name = "period",
			    .letter = 'c',
			    .shows = "N",
			    .argument = ARGUMENT_NUMBER,
			    .least = 1,
			    .most = 0xFFFFFFFF,
			    .modes = SAMPLE,
			    .help = "sample every N events" },
	[OPTION_FREQUENCY] = { .name = "frequency",
			       .letter = 'F',
			       .shows = "N",
			       .argument = ARGUMENT_NUMBER,
			       .least = 1,
			       .most = 1000000000,
			       .modes = SAMPLE,
			       .help = "sample N times a second (1000)" },

	[OPTION_REGIONS] = { .name = "regions",
			     .shows = "[=KEEP]",
			     .argument = ARGUMENT_WORDS,
			     .words = "moments histogram threads openmp kokkos mpi",
			     .modes = REGIONS,
			     .brief = "measure named pieces of the program",
			     .help = "measure the regions of a command that is built with some; with =KEEP more than "
				     "sums: moments,histogram,threads; and those of OpenMP, Kokkos and MPI in any "
				     "program: openmp,kokkos,mpi" },

	[OPTION_OUTPUT] = { .name = "output",
			    .letter = 'o',
			    .shows = "FILE",
			    .argument = ARGUMENT_FILE,
			    .modes = COUNT | SAMPLE | REGIONS | FROM,
			    .brief = "write results to FILE, not to standard error",
			    .help = "write results to FILE (-: standard output), not to standard error; in it %p is the "
				    "process id, %h the host, %q{NAME} a variable's value" },
	[OPTION_APPEND] = { .name = "append",
			    .modes = COUNT,
			    .help = "append to -o's FILE instead of replacing it" },
	[OPTION_FORMAT] = { .name = "format",
			    .shows = "KIND",
			    .argument = ARGUMENT_WORD,
			    .brief = "write results as json or csv (--json, --csv)",
			    .help = "write results as csv or json (--csv, --json); counts for Prometheus as openmetrics, "
				    "with -I into -o's file, each time; the calls that led to samples as folded, for "
				    "flame graphs, or folded-threads, by threads' names; samples for perf report and "
				    "perf script as perf-data" },
	[OPTION_CSV] = { .word = "csv",
			 .of = OPTION_FORMAT,
			 .name = "csv",
			 .modes = COUNT | REGIONS | FROM,
			 .help = "the same as --format=csv" },
	[OPTION_JSON] = { .word = "json",
			  .of = OPTION_FORMAT,
			  .name = "json",
			  .modes = COUNT | SAMPLE | REGIONS | FROM,
			  .help = "the same as --format=json" },
	[OPTION_OPENMETRICS] = { .word = "openmetrics", .of = OPTION_FORMAT, .modes = COUNT },
	[OPTION_FOLDED] = { .word = "folded", .of = OPTION_FORMAT, .modes = SAMPLE },
	[OPTION_FOLDED_THREADS] = { .word = "folded-threads",
				    .of = OPTION_FORMAT,
				    .modes = SAMPLE },
	[OPTION_PERF_DATA] = { .word = "perf-data", .of = OPTION_FORMAT, .modes = SAMPLE },
	[OPTION_HTML] = { .name = "html",
			  .shows = "FILE",
			  .argument = ARGUMENT_FILE,
			  .modes = COUNT | SAMPLE | REGIONS | FROM,
			  .brief = "also write the results as a page for a browser",
			  .help = "also write the results as a page for a browser: tables and charts" },
	[OPTION_FROM] = { .name = "from",
			  .modes = FROM,
			  .help = "count nothing, but show --json files: reports of regions put together, one for each "
				  "process; all others on the page of --html" },

	[OPTION_INFO] = { .name = "info",
			  .letter = 'i',
			  .modes = INFO,
			  .help = "show the processor and its counters" },
	[OPTION_LIST] = { .name = "list",
			  .letter = 'l',
			  .shows = "[WORD ...]",
			  .modes = LIST | CPU,
			  .brief = "list the events of this machine, or search them",
			  .help = "list the events of this machine; with words, those that have all of them in name "
				  "or description, with descriptions" },
	[OPTION_LONG_LIST] = { .name = "long-list",
			       .letter = 'L',
			       .shows = "[WORD ...]",
			       .modes = LIST | CPU,
			       .help = "list them with descriptions, and tracepoints" },
	[OPTION_CPU] = { .name = "cpu",
			 .shows = "NAME",
			 .argument = ARGUMENT_CPU,
			 .modes = CPU | METRICS,
			 .help = "for the processor NAME (\"native\": this one; \"list\" shows all): print the control "
				 "of -e's events, or list its events with -l" },
	[OPTION_AS_LIBPFM4] = { .name = "as-libpfm4",
				.modes = AS_LIBPFM4,
				.help = "run a command that uses libpfm4 with libperfctr in its place; count nothing" },
	[OPTION_HELP] = { .name = "help",
			  .letter = 'h',
			  .shows = "[=all]",
			  .argument = ARGUMENT_WORDS,
			  .words = "all",
			  .modes = TELL,
			  .brief = "show this text; =all: every option",
			  .help = "show this text; =all: every option" },
	[OPTION_VERSION] = { .name = "version", .modes = TELL, .help = "show the version" },
};

/* ---- what can't be combined, and what is needed ---- */

#define S(option) ((option_set)1 << OPTION_##option)

/* By which options a mode is asked for, and why it takes no others' options. */
static const struct {
	option_set by;
	const char *does;
} modes[MODES] = {
	[MODE_SAMPLE] = { S(SAMPLE), "samples one run" },
	[MODE_REGIONS] = { S(REGIONS), "measures the regions of one run" },
	[MODE_AS_LIBPFM4] = { S(AS_LIBPFM4), "runs a command and counts nothing" },
	[MODE_FROM] = { S(FROM), "reads results and counts nothing" },
	[MODE_LIST] = { S(LIST) | S(LONG_LIST), "lists events on standard output" },
	[MODE_INFO] = { S(INFO), "shows this machine's processor" },
	[MODE_CPU] = { S(CPU), "looks at a processor's tables and runs nothing" },
	[MODE_METRICS] = { S(METRICS), "lists metrics on standard output" },
};

#define PROCESSORS (S(ALL_CPUS) | S(CPUS) | S(CGROUP))
#define TARGETS	   (S(PID) | S(TID) | PROCESSORS)
#define OF_CPUS	   (S(PER_CPU) | S(PER_CORE) | S(PER_SOCKET))
#define PARTS	   (OF_CPUS | S(PER_TYPE) | S(PER_UNIT) | S(PER_THREAD))
#define FOLDED	   (S(FOLDED) | S(FOLDED_THREADS))
#define FORMATS	   (S(CSV) | S(JSON) | S(OPENMETRICS) | FOLDED | S(PERF_DATA))
#define DRILL	   (S(WHY) | S(WHY_TREE))
#define TREES	   (S(TOPDOWN) | S(TD_LEVEL) | DRILL)
#define COMPARISON (S(COMPARE) | S(DIFF))

/* An option of "some" can't be combined with one of "others", nor two of "some" if that is 0. */
static const struct {
	option_set some, others;
	const char *why; /* what the option of "some" does; NULL: one look explains it */
} rules[] = {
	{ S(REGIONS), TREES, "shows a tree with -M tma" },
	{ FORMATS, 0, NULL },
	{ PARTS, 0, NULL },
	{ COMPARISON, 0, NULL },
	{ S(PERIOD) | S(FREQUENCY), 0, NULL },
	{ S(LIST) | S(LONG_LIST), 0, NULL },
	{ DRILL,
	  TARGETS | S(INTERVAL) | S(REPEAT) | PARTS | S(NO_INHERIT) | S(STRICT) | COMPARISON |
		  S(APPEND) | S(EMULATE),
	  "runs a command once for each level (--topdown=LEVEL counts all in one run)" },
	{ DRILL, S(WAIT), "runs a command once for each level" },
	{ DRILL, S(EVENT) | S(METRICS), "counts a tree alone" },
	{ S(WAIT), TARGETS | S(PER_THREAD) | S(NO_INHERIT),
	  "waits for all processes of a command that is counted with them" },
	{ S(WHY), FORMATS | S(HTML) | S(DELAY), "prints a page of text (--why=tree has data)" },
	{ PROCESSORS, S(PER_THREAD) | S(NO_INHERIT), "counts all threads" },
	{ S(PER_THREAD), S(INTERVAL) | S(NO_INHERIT), NULL },
	{ COMPARISON, TARGETS | S(INTERVAL) | PARTS, "runs commands several times" },
	{ S(REPEAT), TARGETS | S(INTERVAL) | PARTS, "runs a command several times" },
	{ S(PRE) | S(POST), TARGETS, "runs something around each run of a command" },
	{ S(OPENMETRICS), S(REPEAT) | COMPARISON | S(APPEND) | S(PER_THREAD),
	  "writes counts that continue" },
	{ S(EMULATE), TARGETS | S(INTERVAL) | PARTS | S(NO_INHERIT) | S(DELAY) | S(TIMEOUT),
	  "runs whole commands in valgrind" },
	{ S(BY), FOLDED | S(JSON), "is for the table" },
};

/* An option needs one of others. */
static const struct {
	option_set some, needs;
} needs[] = {
	{ OF_CPUS, PROCESSORS },
	{ S(THRESHOLD), COMPARISON },
	{ S(INCLUDE_FAILED), S(REPEAT) | COMPARISON },
	{ S(APPEND) | S(PERF_DATA), S(OUTPUT) },
	{ S(CALL_GRAPH), FOLDED | S(JSON) | S(HTML) | S(PERF_DATA) },
};

/* Returns the first option of a set; the set has one. */
static enum option_id first_of(option_set set)
{
	return (enum option_id)__builtin_ctzll(set);
}

/* How an option was given, or, if it was not, its usual name. */
static const char *name_of(enum option_id option, option_set by_name, char *text, size_t size)
{
	const struct option_row *row = &rows[option];

	if (option == OPTION_CONTROL)
		return "an option for a word of the control";
	if (row->letter && !(by_name >> option & 1))
		snprintf(text, size, "-%c", row->letter);
	else if (row->word && (!row->help || row->letter))
		snprintf(text, size, "--%s=%s", rows[row->of].name, row->word);
	else
		snprintf(text, size, "--%s", row->name);
	return text;
}

#define NAME(option, by_name) name_of(option, by_name, (char[32]){ "" }, 32)

static void __attribute__((noreturn))
refuse_pair(enum option_id one, enum option_id other, const char *why, option_set by_name)
{
	if (!why)
		die("%s and %s can't be combined: leave out one", NAME(one, by_name),
		    NAME(other, by_name));
	die("%s %s; leave out %s", NAME(one, by_name), why, NAME(other, by_name));
}

static void check_rules(option_set set, option_set by_name)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		option_set some = set & rules[i].some;
		option_set others = rules[i].others ? set & rules[i].others : some & (some - 1);

		if (some && others)
			refuse_pair(first_of(some), first_of(others), rules[i].why, by_name);
	}
}

/* Lists a set as "-a, -C or -G". */
static char *list_of(option_set set)
{
	char *list;
	size_t size;
	FILE *file = need(open_memstream(&list, &size));
	const char *before = "";

	for (; set; set &= set - 1) {
		fprintf(file, "%s%s", before, NAME(first_of(set), 0));
		before = set & (set - 1) & ((set & (set - 1)) - 1) ? ", " : " or ";
	}
	if (fclose(file) != 0)
		need(NULL);
	return list;
}

static void check_needs(option_set set, option_set by_name)
{
	size_t i;

	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (set & needs[i].some && !(set & needs[i].needs))
			die("%s needs %s", NAME(first_of(set & needs[i].some), by_name),
			    list_of(needs[i].needs));
}

/* Counting is the mode that no option asks for. */
static void __attribute__((noreturn))
refuse_mode(enum mode mode, enum option_id option, option_set set, option_set by_name)
{
	if (mode == MODE_COUNT)
		die("%s needs %s", NAME(option, by_name),
		    NAME(first_of(modes[__builtin_ctz(rows[option].modes)].by), 0));
	die("%s can't be combined with %s%s, which %s", NAME(option, by_name),
	    NAME(first_of(modes[mode].by & set), by_name), mode == MODE_METRICS ? " list" : "",
	    modes[mode].does);
}

void table_check(enum mode mode, option_set set, option_set by_name)
{
	option_set left;

	check_rules(set, by_name);
	for (left = set; left; left &= left - 1)
		if (!(rows[first_of(left)].modes >> mode & 1))
			refuse_mode(mode, first_of(left), set, by_name);
	check_needs(set, by_name);
}

/* ---- for getopt_long() ---- */

/* Words of a control have names of their own, and a value that says which word. */
static const struct option controls[] = {
#define CONTROL(word) TABLE_CONTROL + offsetof(struct perfctr_cpu_control, word)
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

#define NAMED 256 /* and above, what getopt_long() returns for a name */

static int argument_of(const struct option_row *row)
{
	return row->argument == ARGUMENT_WORDS	? optional_argument
	       : row->argument == ARGUMENT_NONE ? no_argument
						: required_argument;
}

static bool is_word_of(unsigned int i, enum option_id option)
{
	return rows[i].word && rows[i].of == option;
}

const struct option_row *table_row(enum option_id option)
{
	return &rows[option];
}

const struct option *table_long(void)
{
	static struct option known[OPTIONS + sizeof(controls) / sizeof(controls[0])];
	unsigned int i, n = 0;

	for (i = 0; i < OPTIONS; i++)
		if (rows[i].name)
			known[n++] = (struct option){ rows[i].name, argument_of(&rows[i]), NULL,
						      NAMED + (int)i };
	memcpy(&known[n], controls, sizeof(controls));
	return known;
}

const char *table_letters(void)
{
	static char letters[2 * OPTIONS + 3];
	char *at = letters;
	unsigned int i;

	*at++ = '+'; /* options after the command's name are the command's */
	*at++ = ':'; /* perfex reports errors */
	for (i = 0; i < OPTIONS; i++)
		if (rows[i].letter) {
			*at++ = rows[i].letter;
			if (argument_of(&rows[i]) == required_argument)
				*at++ = ':';
		}
	*at = '\0';
	return letters;
}

enum option_id table_option(int returned)
{
	unsigned int i;

	if (returned >= TABLE_CONTROL)
		return OPTION_CONTROL;
	if (returned >= NAMED)
		return (enum option_id)(returned - NAMED);
	for (i = 0; rows[i].letter != returned; i++)
		;
	return (enum option_id)i;
}

bool table_is_name(int returned)
{
	return returned >= NAMED;
}

/* Lists the words of an option's argument, with these between two, and before the last. */
static char *words_of(enum option_id option, const char *between, const char *last)
{
	char *list;
	size_t size;
	FILE *file = need(open_memstream(&list, &size));
	const char *before = NULL;
	unsigned int i;

	for (i = 0; i < OPTIONS; i++) {
		if (!is_word_of(i, option))
			continue;
		if (before)
			fprintf(file, "%s%s", ftell(file) ? between : "", before);
		before = rows[i].word;
	}
	if (before)
		fprintf(file, "%s%s", ftell(file) ? last : "", before);
	if (fclose(file) != 0)
		need(NULL);
	return list;
}

enum option_id table_word(enum option_id option, const char *word)
{
	unsigned int i;
	bool has_words = false;

	for (i = 0; i < OPTIONS && word; i++) {
		if (!is_word_of(i, option))
			continue;
		if (!strcmp(rows[i].word, word))
			return (enum option_id)i;
		has_words = true;
	}
	if (has_words)
		die("--%s takes %s, not \"%s\"", rows[option].name, words_of(option, ", ", " or "),
		    word);
	return option;
}

unsigned int table_number(enum option_id option, option_set by_name, const char *text)
{
	const struct option_row *row = &rows[option];
	unsigned long value;
	char *end;

	if (!row->most || !text)
		return 0;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || value < row->least || value > row->most)
		die("%s takes a number from %u to %u, not \"%s\"", NAME(option, by_name),
		    row->least, row->most, text);
	return (unsigned int)value;
}

/* ---- the help ---- */

static const char usage[] = "usage: perfex [options] [--] command [argument ...]\n"
			    "       perfex [options] -p PIDS | -t TIDS | -a | -C LIST | -G CGROUP\n"
			    "              [command [argument ...]]\n"
			    "       perfex [options] --diff COMMAND COMMAND\n";

static const char more_usage[] =
	"       perfex [-o FILE] [--csv | --json] [--html FILE] --from FILE ...\n"
	"       perfex --as-libpfm4 command [argument ...]\n"
	"       perfex -l | -L [word ...]\n"
	"       perfex [--cpu NAME] -M list\n"
	"       perfex -i | -h | --version\n";

static const char ending[] =
	"LIST is event,event,... or {event,event} for events to be counted together.\n"
	"An event is a name as \"perfex -l\" lists them (EVENT:MASK with unit masks),\n"
	"PMU/field=value,.../, rHEX, or evntsel[/evntsel2][@pmc] as numbers; after it,\n"
	"modifiers: :u user mode, :k kernel mode.  See perfex(1).\n";

/* The headings of the groups, each before the option with which it begins. */
static const char *const headings[OPTIONS] = {
	[OPTION_EVENT] = "Events",
	[OPTION_PID] = "Targets",
	[OPTION_PER] = "Parts",
	[OPTION_INTERVAL] = "Time and quality",
	[OPTION_REPEAT] = "Several runs",
	[OPTION_SAMPLE] = "Samples",
	[OPTION_REGIONS] = "Regions",
	[OPTION_OUTPUT] = "Results",
	[OPTION_INFO] = "Without counting",
};

#define INDENT 25
#define WIDTH  79

/* Writes words from a column on, in lines of at most WIDTH columns; "at" are used already. */
static void put_words(FILE *file, int at, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		if (at > INDENT && at + 1 + (int)n > WIDTH) {
			fputc('\n', file);
			at = 0;
		}
		if (at > INDENT)
			at += fprintf(file, " ");
		at += fprintf(file, "%*s", at < INDENT ? INDENT - at : 0, "");
		at += fprintf(file, "%.*s", (int)n, text);
		text += n + strspn(text + n, " ");
	}
	fputc('\n', file);
}

static void put_row(FILE *file, const struct option_row *row, const char *help)
{
	const char *blank = row->shows && *row->shows != '[' ? " " : "";
	char head[64];
	int at = snprintf(head, sizeof(head), "  %c%c%s--%s%s%s", row->letter ? '-' : ' ',
			  row->letter ? row->letter : ' ', row->letter ? ", " : "  ", row->name,
			  row->shows && !strchr(row->shows, ' ') ? blank
			  : row->shows				 ? " "
								 : "",
			  row->shows ? row->shows : "");

	fputs(head, file);
	if (at > INDENT - 1) {
		fputc('\n', file);
		at = 0;
	}
	put_words(file, at, help);
}

static void put_rows(FILE *file, bool all)
{
	unsigned int i;

	for (i = 0; i < OPTIONS; i++) {
		if (all && headings[i])
			fprintf(file, "\n%s:\n", headings[i]);
		if (!rows[i].word && (all ? rows[i].help : rows[i].brief))
			put_row(file, &rows[i], all ? rows[i].help : rows[i].brief);
	}
}

static void put_everyday(FILE *file)
{
	fputs(usage, file);
	fputc('\n', file);
	put_rows(file, false);
	fputs("\n--help=all shows all options; perfex(1) explains them.\n", file);
}

static void put_all(FILE *file)
{
	fputs(usage, file);
	fputs(more_usage, file);
	put_rows(file, true);
	fputc('\n', file);
	fputs(ending, file);
}

/* Letter, name, kind of the argument, its words, help; between tabs. */
static void put_completions(FILE *file)
{
	static const char *const kinds[] = {
		[ARGUMENT_NONE] = "",
		[ARGUMENT_NUMBER] = "number",
		[ARGUMENT_TEXT] = "text",
		[ARGUMENT_FILE] = "file",
		[ARGUMENT_EVENTS] = "events",
		[ARGUMENT_METRICS] = "metrics",
		[ARGUMENT_PROCESSES] = "processes",
		[ARGUMENT_PROCESSORS] = "processors",
		[ARGUMENT_CGROUP] = "cgroup",
		[ARGUMENT_COMMAND] = "command",
		[ARGUMENT_CPU] = "cpu",
		[ARGUMENT_WORD] = "word",
		[ARGUMENT_WORDS] = "words",
	};
	unsigned int i;

	for (i = 0; i < OPTIONS; i++) {
		char *words = rows[i].words ? NULL : words_of((enum option_id)i, " ", " ");

		if (rows[i].help)
			fprintf(file, "%c\t%s\t%s\t%s\t%s\n", rows[i].letter ? rows[i].letter : '-',
				rows[i].name, kinds[rows[i].argument],
				words ? words : rows[i].words, rows[i].help);
		free(words);
	}
}

void table_help(FILE *file, enum help help)
{
	switch (help) {
	case HELP_SHORT: put_everyday(file); break;
	case HELP_ALL: put_all(file); break;
	case HELP_COMPLETIONS: put_completions(file);
	}
}
