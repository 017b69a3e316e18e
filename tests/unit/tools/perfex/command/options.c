// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests perfex's command line: what each option becomes, the ends of each range, and which options
 * don't go together.
 */
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/apart.h"
#include "tests/harness/check.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/command/options.h"
#include "tools/perfex/sample/unwind.h"

static struct options options;
static char words[256], *line[32];

/* The words of a command line, at blanks. */
static int split(const char *text)
{
	int n = 0;
	char *word;

	snprintf(words, sizeof(words), "perfex %s", text);
	for (word = strtok(words, " "); word; word = strtok(NULL, " "))
		line[n++] = word;
	line[n] = NULL;
	return n;
}

static void take(const char *text)
{
	int n = split(text);

	optind = 0; /* glibc: the line before is forgotten */
	getopt(1, line, "+");
	options_read(&options, n, line);
}

static void take_apart(const void *text)
{
	take(text);
}

/* The command line is refused, with these words. */
static void refused(const char *text, const char *why)
{
	char said[1024];
	int status = run_apart(take_apart, text, said, sizeof(said));

	ck_assert_msg(status == EXIT_PERFEX << 8 && strstr(said, why),
		      "%s: 0x%x, \"%s\", not \"%s\"", text, (unsigned int)status, said, why);
}

static void taken(const char *text)
{
	take(text);
	options_free(&options);
}

/* A line that is taken, and is refused with each of these options. */
static void excludes(const char *base, const char *command, const char *const *others, size_t n,
		     const char *why)
{
	char text[256];
	size_t i;

	snprintf(text, sizeof(text), "%s %s", base, command);
	taken(text);
	for (i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%s %s %s", base, others[i], command);
		refused(text, why);
	}
}

#define EXCLUDES(base, command, why, ...)                             \
	do {                                                          \
		static const char *const with[] = { __VA_ARGS__ };    \
                                                                      \
		excludes(base, command, with, ARRAY_SIZE(with), why); \
	} while (0)

static unsigned int number(size_t offset)
{
	return *(const unsigned int *)(const void *)((const char *)&options + offset);
}

START_TEST(numbers)
{
	static const struct {
		const char *option;
		size_t offset;
		unsigned int least, most;
	} cases[] = {
		{ "-I", offsetof(struct options, interval), 10, 86400000 },
		{ "-r", offsetof(struct options, repeat), 1, 1000000 },
		{ "-D", offsetof(struct options, delay), 1, 86400000 },
		{ "--timeout", offsetof(struct options, timeout), 1, 0x3FFFFFFF },
		{ "--td-level", offsetof(struct options, td_level), 1, 16 },
		{ "-c", offsetof(struct options, period), 1, 0xFFFFFFFF },
		{ "-F", offsetof(struct options, frequency), 1, 1000000000 },
	};
	static const char *const wrong[] = { "x", "1x", "-1", "99999999999999999999", "0x1" };
	char text[64];
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "%s %u -h", cases[i].option, cases[i].least);
		take(text);
		ck_assert_uint_eq(number(cases[i].offset), cases[i].least);
		snprintf(text, sizeof(text), "%s %u -h", cases[i].option, cases[i].most);
		take(text);
		ck_assert_uint_eq(number(cases[i].offset), cases[i].most);
		snprintf(text, sizeof(text), "%s %u -h", cases[i].option, cases[i].least - 1);
		refused(text, " takes a number from ");
		snprintf(text, sizeof(text), "%s %llu -h", cases[i].option, cases[i].most + 1ULL);
		refused(text, " takes a number from ");
		for (k = 0; k < ARRAY_SIZE(wrong); k++) {
			snprintf(text, sizeof(text), "%s %s -h", cases[i].option, wrong[k]);
			refused(text, wrong[k]);
		}
	}
	take("-h");
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_uint_eq(number(cases[i].offset), 0);
}
END_TEST

START_TEST(percents)
{
	static const struct {
		const char *text;
		double part;
	} cases[] = {
		{ "0", 0 },
		{ "5", 0.05 },
		{ "5%", 0.05 },
		{ "0.5", 0.005 },
		{ "2.", 0.02 },
		{ "12.25%", 0.1225 },
		{ "123456789012", 1234567890.12 },
	};
	static const char *const wrong[] = { "x", "-1", ".5", "5x", "5%%", "1e3", "1234567890123" };
	char text[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "--threshold %s -h", cases[i].text);
		take(text);
		ck_assert(fabs(options.threshold - cases[i].part) < 1e-6);
	}
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		snprintf(text, sizeof(text), "--threshold %s -h", wrong[i]);
		refused(text, "--threshold takes percent such as 0.5");
	}
}
END_TEST

/* What an option sets, and nothing else. */
START_TEST(switches)
{
#define SWITCH(option, member)                           \
	{                                                \
		option, offsetof(struct options, member) \
	}
	static const struct {
		const char *option;
		size_t offset;
	} cases[] = {
		SWITCH("--no-inherit", no_inherit),
		SWITCH("--append", append),
		SWITCH("--strict", strict),
		SWITCH("--diff", diff),
		SWITCH("--emulate", emulate),
		SWITCH("--include-failed", with_failed),
		SWITCH("--topdown", topdown),
		SWITCH("--by function", by_place),
		SWITCH("-l", list),
	};
	size_t i, k;
	char text[64];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "%s -h", cases[i].option);
		take(text);
		for (k = 0; k < ARRAY_SIZE(cases); k++)
			ck_assert_msg(((const char *)&options)[cases[k].offset] == (i == k),
				      "%s, %s", cases[i].option, cases[k].option);
		ck_assert(!options.drilldown && !options.why && !options.with_text);
	}
	take("--why=tree -h");
	ck_assert(options.topdown && options.drilldown && !options.why);
	ck_assert_str_eq(options_tree(&options), "--why=tree");
	take("--why -h");
	ck_assert(options.topdown && options.drilldown && options.why);
	ck_assert_str_eq(options_tree(&options), "--why");
	take("--topdown=2 -h");
	ck_assert(options.topdown && !options.drilldown && options.td_level == 2);
	take("--topdown --td-level 16 -h"); /* as perf has it, in any order */
	ck_assert(options.topdown && options.td_level == 16);
	take("--td-level 3 --topdown -h");
	ck_assert(options.topdown && options.td_level == 3);
	take("--topdown -h");
	ck_assert_uint_eq(options.td_level, 0);
	refused("--topdown=17 -h", "--topdown takes a number from 1 to 16, not \"17\"");
	refused("--topdown= -h", "--topdown takes a number from 1 to 16, not \"\"");
	refused("--why=all -h", "--why takes tree, not \"all\"");
	ck_assert_str_eq(options_tree(&options), "--topdown");
	take("-L -h");
	ck_assert(options.list && options.with_text);
	take("-d -h");
	ck_assert(!options.events.base16 && !options.events.base16_silently);
	take("-x -h");
	ck_assert(options.events.base16 && options.events.base16_silently);
	take("-h");
	ck_assert(options.events.base16 && !options.events.base16_silently);
}
END_TEST

START_TEST(texts)
{
	take("--pre a --post b --compare c -o d --html e --cpu f --regions=g -h");
	ck_assert_str_eq(options.pre, "a");
	ck_assert_str_eq(options.post, "b");
	ck_assert_str_eq(options.baseline, "c");
	ck_assert_str_eq(options.file, "d");
	ck_assert_str_eq(options.page, "e");
	ck_assert_str_eq(options.cpu, "f");
	ck_assert_str_eq(options.keep, "g");
	take("-h");
	ck_assert(!options.pre && !options.post && !options.baseline && !options.file &&
		  !options.page && !options.cpu && !options.keep && !options.calls);
}
END_TEST

/* A mode is asked for by its option; -h and --version end the line. */
START_TEST(modes)
{
	static const struct {
		const char *line;
		enum mode mode;
	} cases[] = {
		{ "--sample -h", MODE_HELP },
		{ "-h --version", MODE_HELP },
		{ "--version -h", MODE_VERSION },
		{ "-i", MODE_INFO },
		{ "-l", MODE_LIST },
		{ "--cpu zen4 -l", MODE_CPU },
		{ "--cpu zen4 -M list", MODE_METRICS },
		{ "--sample true", MODE_SAMPLE },
		{ "--regions true", MODE_REGIONS },
		{ "--from x", MODE_FROM },
		{ "--as-libpfm4 true", MODE_AS_LIBPFM4 },
		{ "--html x --from y", MODE_FROM },
		{ "-e cs true", MODE_COUNT },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		take(cases[i].line);
		ck_assert_msg(options.mode == cases[i].mode, "%s: %d", cases[i].line,
			      (int)options.mode);
		options_free(&options);
	}
	refused("--sample --regions true",
		"--sample can't be combined with --regions, which measures the regions of one run");
	refused("--regions --from true", "--regions can't be combined with --from");
	refused("-l -i", "-l can't be combined with -i, which shows this machine's processor");
	refused("-i -l", "-l can't be combined with -i");
	refused("--info --list", "--list can't be combined with --info");
	refused("--sample -l", "--sample can't be combined with -l, which lists events");
	refused("-l -L", "-l and -L can't be combined");
	taken("--sample --sample true");
	take("-e cs true -e x");
	ck_assert_str_eq(options.command[0], "true");
	ck_assert_str_eq(options.command[1], "-e");
	options_free(&options);
	taken("-e cs sevent"); /* a command's name is no option without its dash */
	refused("-event cs true", "\"-event\" is written with two dashes: --event");
	refused("-p", "-p needs an argument");
	refused("--pid", "--pid needs an argument");
	refused("--csv=x true", "--csv takes no argument, as in \"--csv=x\"");
	taken("--per-s -a"); /* the beginning of one */
	refused("--per- true", "the beginning of several options: --per-core, --per-socket");
	refused("-K true", "there is no option -K");
	refused("--fffformat true", "did you mean --format");
	refused("--ffffffformat true",
		"there is no option --ffffffformat\n"); /* too far from all */
	refused("--sample --as-libpfm4 true",
		"--sample can't be combined with --as-libpfm4, which runs a command");
	take("-l");
	ck_assert_ptr_null(options.command);
	options_free(&options);
}
END_TEST

START_TEST(formats)
{
	static const char *const names[] = { "--csv", "--json", "--format=openmetrics",
					     "--format=folded", "--format=perf-data" };
	static const char *const same[] = { "--format=csv", "--format=json" };
	static const char *const kinds[] = { "function", "file",   "address",
					     "line",	 "branch", "source" };
	static const char *const by[] = { "-A",		"--per=core", "--per=socket",
					  "--per=type", "--per=unit", "--per=thread" };
	static const enum by which[] = { BY_CPU, BY_CORE, BY_SOCKET, BY_TYPE, BY_UNIT, BY_THREAD };
	char text[64];
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		for (k = 0; k < ARRAY_SIZE(names); k++) {
			snprintf(text, sizeof(text), "%s %s true", names[i], names[k]);
			if (i != k)
				refused(text, " can't be combined");
		}
		snprintf(text, sizeof(text), "%s %s -h", names[i], names[i]);
		take(text);
		ck_assert_uint_eq(options.format, FORMAT_CSV + i);
	}
	for (i = 0; i < ARRAY_SIZE(same); i++) {
		snprintf(text, sizeof(text), "%s %s -h", names[i], same[i]);
		take(text);
		ck_assert_uint_eq(options.format, FORMAT_CSV + i);
		ck_assert(!options.threads);
	}
	take("--format folded-threads -h");
	ck_assert_uint_eq(options.format, FORMAT_FOLDED);
	ck_assert(options.threads);
	refused("--sample --format=folded-threads --format=folded true", "can't be combined");
	refused("--format=cvs -h", "--format takes csv, json, openmetrics, folded, folded-threads "
				   "or perf-data, not \"cvs\"");
	refused("--per -h", "--per takes cpu, core, socket, type, unit or thread, not \"-h\"");
	refused("--per", "--per needs an argument");
	take("--no-aggr -h");
	ck_assert_uint_eq(options.by, BY_CPU);
	refused("--no-aggr true", "--per=cpu needs -a, -C or -G");
	refused("--per-core true", "--per=core needs -a, -C or -G"); /* perf's name */
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		snprintf(text, sizeof(text), "--by %s -h", kinds[i]);
		take(text);
		ck_assert_uint_eq(options.kind, PLACE_FUNCTION + i);
	}
	refused("--by x -h",
		"--by takes function, file, address, line, branch or source, not \"x\"");
	for (i = 0; i < ARRAY_SIZE(by); i++) {
		snprintf(text, sizeof(text), "%s %s -h", by[i], by[i]);
		take(text);
		ck_assert_uint_eq(options.by, which[i]);
		snprintf(text, sizeof(text), "%s %s -a", by[i], by[(i + 1) % ARRAY_SIZE(by)]);
		refused(text, " can't be combined");
	}
}
END_TEST

START_TEST(chains)
{
	char text[64];

	take("--call-graph fp -h");
	ck_assert_uint_eq(options.stack, 0);
	refused("--call-graph x -h", "--call-graph takes fp");
	if (unwind_missing()) {
		refused("--call-graph dwarf -h", "take fp");
		return;
	}
	take("--call-graph dwarf -h");
	ck_assert_uint_eq(options.stack, 8192);
	take("--call-graph dwarf,8 -h");
	ck_assert_uint_eq(options.stack, 8);
	take("--call-graph dwarf,1007 -h");
	ck_assert_uint_eq(options.stack, 1000);
	take("--call-graph dwarf --call-graph fp -h");
	ck_assert_uint_eq(options.stack, 0);
	ck_assert_str_eq(options.calls, "fp");
	refused("--call-graph dwarf,7 -h", "from 8 to");
	snprintf(text, sizeof(text), "--call-graph dwarf,%u -h", UNWIND_LARGEST);
	take(text);
	snprintf(text, sizeof(text), "--call-graph dwarf,%u -h", UNWIND_LARGEST + 1);
	refused(text, "from 8 to");
}
END_TEST

/* Options with an argument, as they are tried. */
static const char *const with_argument[OPTIONS] = {
	[OPTION_EVENT] = "-e cs",
	[OPTION_METRICS] = "-M ipc",
	[OPTION_TOPDOWN] = "--topdown",
	[OPTION_TD_LEVEL] = "--td-level 1",
	[OPTION_WHY] = "--why",
	[OPTION_WHY_TREE] = "--why=tree",
	[OPTION_DECIMAL] = "-d",
	[OPTION_HEX] = "-x",
	[OPTION_PID] = "-p 1",
	[OPTION_TID] = "-t 1",
	[OPTION_ALL_CPUS] = "-a",
	[OPTION_CPUS] = "-C 0",
	[OPTION_CGROUP] = "-G /",
	[OPTION_NO_INHERIT] = "--no-inherit",
	[OPTION_PER_CPU] = "-A",
	[OPTION_PER_CORE] = "--per=core",
	[OPTION_PER_SOCKET] = "--per=socket",
	[OPTION_PER_TYPE] = "--per=type",
	[OPTION_PER_UNIT] = "--per=unit",
	[OPTION_PER_THREAD] = "--per=thread",
	[OPTION_INTERVAL] = "-I 10",
	[OPTION_DELAY] = "-D 1",
	[OPTION_TIMEOUT] = "--timeout 1",
	[OPTION_WAIT] = "--wait",
	[OPTION_STRICT] = "--strict",
	[OPTION_EMULATE] = "--emulate",
	[OPTION_REPEAT] = "-r 1",
	[OPTION_INCLUDE_FAILED] = "--include-failed",
	[OPTION_PRE] = "--pre x",
	[OPTION_POST] = "--post x",
	[OPTION_COMPARE] = "--compare x",
	[OPTION_DIFF] = "--diff",
	[OPTION_THRESHOLD] = "--threshold 0",
	[OPTION_SAMPLE] = "--sample",
	[OPTION_BY] = "--by function",
	[OPTION_CALL_GRAPH] = "--call-graph fp",
	[OPTION_PERIOD] = "-c 1",
	[OPTION_FREQUENCY] = "-F 1",
	[OPTION_REGIONS] = "--regions",
	[OPTION_OUTPUT] = "-o x",
	[OPTION_APPEND] = "--append",
	[OPTION_CSV] = "--csv",
	[OPTION_JSON] = "--json",
	[OPTION_OPENMETRICS] = "--format=openmetrics",
	[OPTION_FOLDED] = "--format=folded",
	[OPTION_FOLDED_THREADS] = "--format=folded-threads",
	[OPTION_PERF_DATA] = "--format=perf-data",
	[OPTION_HTML] = "--html x",
	[OPTION_FROM] = "--from",
	[OPTION_INFO] = "-i",
	[OPTION_LIST] = "-l",
	[OPTION_LONG_LIST] = "-L",
	[OPTION_CPU] = "--cpu zen4",
	[OPTION_AS_LIBPFM4] = "--as-libpfm4",
};

/* Tries an option in a line of a mode, with what it needs there. */
static void try_in(const char *base, const char *command, const char *takes, enum option_id option)
{
	const struct option_row *row = table_row(option);
	const char *needs = option == OPTION_CALL_GRAPH	 ? "--html z"
			    : option == OPTION_PERF_DATA ? "-o y"
							 : "";
	char text[256], name[40], word[40];

	if (!with_argument[option] || strstr(base, with_argument[option]))
		return;
	if (row->letter)
		snprintf(name, sizeof(name), "-%c", row->letter);
	else if (row->word && !row->help)
		snprintf(name, sizeof(name), "%s", with_argument[option]);
	else
		snprintf(name, sizeof(name), "--%s", row->name);
	snprintf(word, sizeof(word), " %s ",
		 row->word && !row->letter ? row->word : name + (row->letter ? 1 : 2));
	/* "list" is the argument that makes -M a mode. */
	if (!strcmp(base, "-M list") && option == OPTION_METRICS)
		return;
	if (strstr(takes, word)) {
		snprintf(text, sizeof(text), "%s %s %s %s", base, needs, with_argument[option],
			 command);
		taken(text);
		return;
	}
	snprintf(text, sizeof(text), "%s %s %s", base, with_argument[option], command);
	refused(text, name);
}

/*
 * Each option in each mode: a mode takes those that perfex(1) says, and each other one is refused
 * by a sentence that names it.
 */
START_TEST(every_option_in_every_mode)
{
	static const struct {
		const char *base, *command, *takes;
	} lines[] = {
		{ "--sample", "true",
		  " e p t a C G timeout by call-graph c F o json folded folded-threads perf-data html " },
		{ "--regions", "true", " e M o csv json html " },
		{ "--from", "y", " o csv json html " },
		{ "--html z --from", "y", " o csv json html " },
		{ "--as-libpfm4", "true", " " },
		{ "-l", "page-faults", " cpu " },
		{ "-L", "page-faults", " cpu " },
		{ "-i", "", " " },
		{ "--cpu zen4 -e RETIRED_INSTRUCTIONS", "", " e l L cpu " },
		{ "-M list", "", " cpu " },
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		for (k = 0; k < OPTIONS; k++)
			try_in(lines[i].base, lines[i].command, lines[i].takes, (enum option_id)k);
}
END_TEST

/* Each option has a line in the help, and a test above; an option of every day has a short one. */
START_TEST(help)
{
	char *all, *brief, *completions, word[64];
	size_t size;
	FILE *file[] = { open_memstream(&all, &size), open_memstream(&brief, &size),
			 open_memstream(&completions, &size) };
	unsigned int i, lines = 0;
	char *at;

	table_help(file[0], HELP_ALL);
	table_help(file[1], HELP_SHORT);
	table_help(file[2], HELP_COMPLETIONS);
	for (i = 0; i < 3; i++)
		fclose(file[i]);
	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = table_row((enum option_id)i);

		ck_assert(row->name || row->word || i == OPTION_CONTROL);
		ck_assert(with_argument[i] || i == OPTION_CONTROL || i == OPTION_PER ||
			  i == OPTION_FORMAT || i == OPTION_HELP || i == OPTION_VERSION);
		if (row->word)
			ck_assert_msg(strstr(all, row->word) != NULL, "%s is not in the help",
				      row->word);
		if (!row->help)
			continue;
		snprintf(word, sizeof(word), "--%s", row->name);
		ck_assert_msg(strstr(all, word) != NULL, "%s is not in the help", word);
		ck_assert(row->word || !strstr(brief, word) == !row->brief);
		snprintf(word, sizeof(word), "\n%c\t%s\t", row->letter ? row->letter : '-',
			 row->name);
		ck_assert(strstr(completions, word) ||
			  !strncmp(completions, word + 1, strlen(word) - 1));
	}
	ck_assert(strstr(completions, "\tper\tword\tcpu core socket type unit thread\t"));
	ck_assert(strstr(completions, "\twhy\twords\ttree\t"));
	/* A terminal's screen has 24 lines, and the prompt takes one. */
	for (at = brief; *at; at++)
		lines += *at == '\n';
	ck_assert_uint_le(lines, 23);
	for (at = strtok(all, "\n"); at; at = strtok(NULL, "\n"))
		ck_assert_msg(strlen(at) < 80, "%s", at);
	free(all);
	free(brief);
	free(completions);
}
END_TEST

START_TEST(regions)
{
	refused("--regions", "there is no command to run");
	refused("--from", "--from needs files");
	refused("--from -e 0x1 x", "-e can't be combined with --from, which reads results");
	taken("--regions --csv -e cs -o x true");
	taken("--regions -M ipc --json true");
	refused("--regions --topdown true",
		"--regions shows a tree with -M tma; leave out --topdown");
	refused("--regions -e 0x1 true", "take names of events, not \"0x1\"");
	refused("--cpu zen4 -e 0x1", "take names of events, not \"0x1\"");
	refused("--sample -e 0x1 true", "take names of events, not \"0x1\"");
}
END_TEST

START_TEST(samples)
{
	refused("--sample -r 1 true", "-r can't be combined with --sample, which samples one run");
	refused("--sample --repeat 1 true", "--repeat can't be combined with --sample");
	taken("--sample --timeout 5 true");
	taken("--sample -p 1");
	taken("--sample -c 1 true");
	taken("--sample -F 1 true");
	refused("--sample -c 1 -F 1 true", "-c and -F can't be combined: leave out one");
	refused("--sample --period 1 -F 1 true",
		"--period and -F can't be combined: leave out one");
	refused("--sample", "there is no command to run");
	refused("--sample --by file --format=folded true",
		"--by is for the table; leave out --format=folded");
	refused("--sample --by file --json true", "--by is for the table; leave out --json");
	refused("--sample --call-graph fp true",
		"--call-graph needs --json, --format=folded, --format=folded-threads, --format=perf-data or --html");
	taken("--sample --call-graph fp --json true");
	taken("--sample --call-graph fp --html x true");
	refused("--sample --format=perf-data true", "--format=perf-data needs -o\n");
	refused("--sample --format=perf-data -o - true",
		"--format=perf-data needs -o FILE (not -)");
	taken("--sample --format=perf-data -o x true");
	EXCLUDES("-e cs", "true", " needs --sample\n", "-c 1", "-F 1", "--by file",
		 "--format=folded", "--call-graph fp", "--format=perf-data");
}
END_TEST

START_TEST(counts)
{
	refused("-e cs", "there is no command to run");
	take("-e cs true");
	ck_assert(options.targets.n == 0 && options.by == BY_NOTHING);
	options_free(&options);
	EXCLUDES("-e cs --pre x", "true",
		 "--pre runs something around each run of a command; leave out -", "-p 1", "-a");
	EXCLUDES("-e cs --post x", "true",
		 "--post runs something around each run of a command; leave out -p", "-p 1");
	refused("-e cs -a --pre x",
		"--pre runs something around each run of a command; leave out -a");
	EXCLUDES("-e cs -r 2", "true", "-r runs a command several times; leave out -", "-p 1", "-a",
		 "-I 10", "--per=thread");
	refused("-e cs --include-failed true", "--include-failed needs -r, --compare or --diff");
	refused("-e cs --include-failed -r 1 true", "--include-failed needs several runs");
	taken("-e cs --include-failed -r 2 true");
	taken("-e cs --include-failed --diff true true");
	refused("-e cs -d true", "-d needs an event number");
	refused("-e cs -x true", "-x needs an event number");
	EXCLUDES("-e cs -a", "true", "-a counts all threads; leave out --", "--per=thread",
		 "--no-inherit");
	EXCLUDES("-e cs", "true", " needs -a, -C or -G", "-A", "--per=core", "--per=socket");
	taken("-e cs -a -A");
	taken("-e cs --per=type true");
	EXCLUDES("-e cs --per=thread", "true", " can't be combined: leave out one", "-I 10",
		 "--no-inherit");
	EXCLUDES("-e cs --per=thread", "true", "--per=thread traces the command; leave out --",
		 "--delay 1", "--timeout 1");
	taken("-e cs --per=thread -p 1 --timeout 1");
	refused("-e cs --per=thread -p 1,2", "--per=thread shows the threads of one process");
	refused("-e cs --append true", "--append needs -o");
	refused("-e cs --append -o - true", "--append needs -o FILE (not -)");
	taken("-e cs --append -o x true");
	EXCLUDES("-e cs", "true", " counts a tree alone; leave out -", "--why=tree", "--why");
	EXCLUDES("-M ipc", "true", " counts a tree alone; leave out -", "--why=tree");
	refused("--why=tree --strict true", "leave out --strict");
	EXCLUDES("--topdown --why", "true", "--why prints a page of text", "--json", "--html x",
		 "-D 1");
}
END_TEST

/* What is counted, up to the ends of each range: no thing twice, also not as a part of another. */
START_TEST(targets)
{
	static const struct {
		const char *line;
		unsigned int n, type;
		int first, last;
		enum by by;
	} right[] = {
		{ "-p 1,1073741823", 2, PERFCTR_TARGET_PROCESS, 1, 1073741823, BY_NOTHING },
		{ "-p 5 -p 6", 2, PERFCTR_TARGET_PROCESS, 5, 6, BY_NOTHING },
		{ "-t 3,4", 2, PERFCTR_TARGET_THREAD, 3, 4, BY_NOTHING },
		{ "-t 3,4 --per=thread", 2, PERFCTR_TARGET_THREAD, 3, 4, BY_THREAD },
		{ "-a", 1, PERFCTR_TARGET_CPU, -1, -1, BY_NOTHING },
		{ "-a -A", 1, PERFCTR_TARGET_CPU, -1, -1, BY_CPU },
		{ "-a --per=core", 1, PERFCTR_TARGET_CPU, -1, -1, BY_CORE },
		{ "-a --per=socket", 1, PERFCTR_TARGET_CPU, -1, -1, BY_SOCKET },
		{ "-a --per=type", 1, PERFCTR_TARGET_CPU, -1, -1, BY_TYPE },
		{ "-a --per=unit", 1, PERFCTR_TARGET_CPU, -1, -1, BY_UNIT },
		{ "-C 2-4,0,8191", 5, PERFCTR_TARGET_CPU, 2, 8191, BY_NOTHING },
		{ "-C 7-7", 1, PERFCTR_TARGET_CPU, 7, 7, BY_NOTHING },
		{ "-G a", 1, PERFCTR_TARGET_CGROUP, 0, 0, BY_NOTHING },
		{ "-G a -G ab", 2, PERFCTR_TARGET_CGROUP, 0, 0, BY_CGROUP },
		{ "-G ab -G a -G b/a", 3, PERFCTR_TARGET_CGROUP, 0, 0, BY_CGROUP },
		{ "-G a -G ab -A", 2, PERFCTR_TARGET_CGROUP, 0, 0, BY_CPU },
	};
	static const struct {
		const char *line, *why;
	} wrong[] = {
		{ "-p 1073741824", "-p takes a number from 1 to 1073741823, or" },
		{ "-p 0", "not \"0\"" },
		{ "-t 1,", "-t takes a number" },
		{ "-t 1x", "-t takes a number" },
		{ "-p 1,2,1", "-p names 1 twice" },
		{ "-t 9 -t 9", "-t names 9 twice" },
		{ "-p 1 -t 1", "-p and -t exclude each other" },
		{ "-a -a", "-a is given twice" },
		{ "-C 1 -C 2", "-C is given twice" },
		{ "-C 8192", "-C takes numbers" },
		{ "-C 0-8192", "-C takes numbers" },
		{ "-C 3-2", "-C takes numbers" },
		{ "-C 0-3,2", "-C names 2 twice" },
		{ "-G a -G a", "would be counted twice" },
		{ "-G a -G a/b", "\"a/b\" would be counted twice, as a part of \"a\"" },
		{ "-G c -G a/b -G a", "would be counted twice" },
		{ "-G a// -G a", "would be counted twice" },
	};
	char text[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(right); i++) {
		const struct targets *found = &options.targets;
		unsigned int last;

		snprintf(text, sizeof(text), "-e cs %s true", right[i].line);
		take(text);
		ck_assert_msg(found->n == right[i].n, "%s: %u", text, found->n);
		last = found->n - 1;
		ck_assert_msg(found->target[0].type == right[i].type &&
				      found->target[last].type == right[i].type &&
				      found->target[0].id == right[i].first &&
				      found->target[last].id == right[i].last &&
				      options.by == right[i].by,
			      "%s: by %u", text, options.by);
		options_free(&options);
	}
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		snprintf(text, sizeof(text), "-e cs %s true", wrong[i].line);
		refused(text, wrong[i].why);
	}
}
END_TEST

START_TEST(comparisons)
{
	refused("-e cs --threshold 1 true", "--threshold needs --compare or --diff");
	refused("-e cs --threshold 0 true", "--threshold needs --compare or --diff");
	refused("-e cs --diff --compare x true true", "--compare and --diff can't be combined");
	EXCLUDES("-e cs --diff", "true true", "--diff runs commands several times; leave out -",
		 "-I 10", "--per=thread", "-p 1");
	refused("-e cs --compare x -I 10 true",
		"--compare runs commands several times; leave out -I");
	refused("-e cs --diff -r 1 true true", "--diff takes at least two runs");
	taken("-e cs --diff -r 2 --threshold 1 true true");
	refused("-e cs --diff true", "--diff takes two commands");
	refused("-e cs --diff true true true", "--diff takes two commands");
	EXCLUDES("-e cs --format=openmetrics", "true",
		 "--format=openmetrics writes counts that continue; leave out -", "-r 2",
		 "--compare x", "--append", "--per=thread");
	refused("-e cs --format=openmetrics --diff true true",
		"--format=openmetrics writes counts that continue; leave out --diff");
	EXCLUDES("-e cs --format=openmetrics", "true",
		 "--format=openmetrics with -I needs -o FILE (not -)", "-I 10", "-I 10 -o -");
	taken("-e cs --format=openmetrics -I 10 -o x true");
	EXCLUDES("-e cs", "true", "--emulate runs whole commands in valgrind", "--emulate -p 1",
		 "--emulate -I 10", "--emulate --per=thread", "--emulate --no-inherit",
		 "--emulate --delay 1", "--emulate --timeout 1");
	taken("-e instructions --emulate --strict true");
	taken("-e instructions --emulate --wait true");
}
END_TEST

static char baseline[] = "/tmp/options-XXXXXX";

static void write_baseline(const char *events, const char *more)
{
	FILE *file = fopen(baseline, "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file,
		"{\"runs\":2,\"events\":[%s],\"series\":[{\"elapsed_s\":1},{\"elapsed_s\":1}]%s}",
		events, more);
	ck_assert_int_eq(fclose(file), 0);
}

static const char *compare(const char *others)
{
	static char text[128];

	snprintf(text, sizeof(text), "--compare %s %s true", baseline, others);
	return text;
}

#define EVENT(name) "{\"event\":\"" name "\",\"values\":[1,2]}"

/* Without -e a baseline's events are counted. */
START_TEST(baselines)
{
	close(mkstemp(baseline));
	write_baseline(EVENT("cs") "," EVENT("page-faults"), "");
	take(compare(""));
	ck_assert_uint_eq(options.events.n, 2);
	ck_assert_str_eq(options.events.event[0].name, "cs");
	ck_assert_str_eq(options.events.event[1].name, "page-faults");
	ck_assert_uint_eq(options.before.runs, 2);
	options_free(&options);
	/* The TSC comes with numbers, and is asked for only once. */
	write_baseline(EVENT("tsc") "," EVENT("cs") "," EVENT("event 0x3c"), "");
	take(compare(""));
	ck_assert_uint_eq(options.events.n, 3);
	ck_assert_str_eq(options.events.event[0].name, "tsc");
	ck_assert_str_eq(options.events.event[1].name, "cs");
	ck_assert_str_eq(options.events.event[2].name, "event 0x0000003C");
	options_free(&options);
	take(compare("-e faults"));
	ck_assert_uint_eq(options.events.n, 1);
	ck_assert_str_eq(options.events.event[0].name, "faults");
	options_free(&options);
	refused(compare("--emulate"), " was made without --emulate, whose counts are others");
	write_baseline(EVENT("cs"), ",\"emulator\":\"valgrind\"");
	refused(compare(""), " was made with --emulate, whose counts are others");
	write_baseline("x", "");
	refused(compare(""), baseline);
	unlink(baseline);
}
END_TEST

START_TEST(trees)
{
	static const char *const others[] = {
		"-p 1",	    "-I 10",	   "-r 2",	    "--per=type", "--no-inherit",
		"--strict", "--compare x", "--append -o x", "--emulate",  "-r 1",
	};
	char text[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		snprintf(text, sizeof(text), "--why=tree %s true", others[i]);
		refused(text, "--why=tree runs a command once for each level");
	}
	taken("--why=tree --json true");
	refused("--why=tree --diff true true", "--why=tree runs a command once for each level");
	refused("--why --diff true true", "--why runs a command once for each level");
	refused("--why=tree -e 0x1 true", " counts a tree alone");
	refused("--topdown --sample true", "--topdown can't be combined with --sample");
	refused("--topdown --from x", "--topdown can't be combined with --from");
	refused("--topdown -M list", "--topdown can't be combined with -M list");
	refused("--topdown --cpu zen4", "--topdown can't be combined with --cpu");
}
END_TEST

START_TEST(shown)
{
	taken("-M list");
	taken("--cpu zen4 -M list");
	refused("-M list true", "-M list shows metrics and runs nothing");
	refused("-M ipc -M list", "-M list shows metrics and runs nothing");
	refused("--cpu zen4 -M ipc", "-M can't be combined with --cpu");
	refused("--cpu 0-3,8", "numbers of processors are -C 0-3,8");
	refused("--cpu zen4 true", "runs nothing: leave out \"true\"");
	taken("--cpu zen4 -l word");
	refused("-i true", "-i shows the processor and runs nothing: leave out \"true\"");
	refused("--as-libpfm4", "there is no command to run");
	taken("--as-libpfm4 true");
	taken("--as-libpfm4 -- true");
	taken("--from x");
	refused("--html x --from", "--from needs files that --json has made");
	taken("--html x --from y");
	taken("--html=x --from -- y");
	taken("--ht x --fro y");
	taken("--html x --from --csv y");
	refused("--html x --from --format=openmetrics y",
		"--format=openmetrics can't be combined with --from, which reads results");
	EXCLUDES("--html x --sample", "true", "--html and --by", "--by branch", "--by source");
	taken("--html x --sample --by address true");
	EXCLUDES("--html x --regions", "true", "--html of --regions is made of JSON", "--csv",
		 "-o y");
	taken("--html x --regions --json -o y true");
	EXCLUDES("--html x -e cs", "true", "-o and --html name the same file, x", "-o x");
	refused("--html - -o - -e cs true", "name the same file, -");
	taken("--html x -o - -e cs true");
	take("-h");
	ck_assert_int_eq(options.help, HELP_SHORT);
	take("--help=all");
	ck_assert_int_eq(options.help, HELP_ALL);
	take("--help=completions");
	ck_assert_int_eq(options.help, HELP_COMPLETIONS);
	refused("--help=x", "--help takes =all, not \"x\"");
}
END_TEST

UNIT_MAIN("perfex's options", 60, numbers, percents, switches, texts, modes, formats, chains,
	  every_option_in_every_mode, help, regions, samples, counts, targets, comparisons,
	  baselines, trees, shown)
