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
#include "tools/perfex/options.h"
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
		SWITCH("-i", info),
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
	take("--drilldown -h");
	ck_assert(options.topdown && options.drilldown && !options.why);
	ck_assert_str_eq(options_tree(&options), "--drilldown");
	take("--why -h");
	ck_assert(options.topdown && options.drilldown && options.why);
	ck_assert_str_eq(options_tree(&options), "--why");
	take("--td-level 2 -h");
	ck_assert(options.topdown && !options.drilldown);
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

/* Of several modes the last one of their order counts. */
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
		{ "-l -i", MODE_INFO },
		{ "-i -l", MODE_INFO },
		{ "--cpu zen4 -l", MODE_CPU },
		{ "--cpu zen4 -M list", MODE_METRICS },
		{ "--sample true", MODE_SAMPLE },
		{ "--regions true", MODE_REGIONS },
		{ "--merge x", MODE_MERGE },
		{ "--as-libpfm4 true", MODE_AS_LIBPFM4 },
		{ "--html x --from y", MODE_PAGE },
		{ "-e cs true", MODE_COUNT },
		{ "--sample -l", MODE_LIST },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		take(cases[i].line);
		ck_assert_msg(options.mode == cases[i].mode, "%s: %d", cases[i].line,
			      (int)options.mode);
		options_free(&options);
	}
	refused("--sample --regions true", "--sample, --regions and --merge exclude");
	refused("--regions --merge true", "--sample, --regions and --merge exclude");
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
	refused("--per-s true", "--per-s");
	refused("-K true", "there is no option -K");
	refused("--ffffolded true", "did you mean --folded");
	refused("--fffffolded true", "there is no option --fffffolded\n"); /* too far from all */
	refused("--sample --as-libpfm4 true", "does not go with other options");
	take("-l");
	ck_assert_ptr_null(options.command);
	options_free(&options);
}
END_TEST

START_TEST(formats)
{
	static const char *const names[] = { "--csv", "--json", "--openmetrics", "--folded",
					     "--perf-data" };
	static const char *const kinds[] = { "function", "file", "address", "branch", "source" };
	static const char *const by[] = { "-A",		"--per-core", "--per-socket",
					  "--per-type", "--per-unit", "--per-thread" };
	static const enum by which[] = { BY_CPU, BY_CORE, BY_SOCKET, BY_TYPE, BY_UNIT, BY_THREAD };
	char text[64];
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		for (k = 0; k < ARRAY_SIZE(names); k++) {
			snprintf(text, sizeof(text), "%s %s -h", names[i], names[k]);
			if (i != k)
				refused(text, "exclude each other");
		}
		snprintf(text, sizeof(text), "%s %s -h", names[i], names[i]);
		take(text);
		ck_assert_uint_eq(options.format, FORMAT_CSV + i);
	}
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		snprintf(text, sizeof(text), "--by %s -h", kinds[i]);
		take(text);
		ck_assert_uint_eq(options.kind, PLACE_FUNCTION + i);
	}
	refused("--by x -h", "--by takes function, file, address, branch or source, not \"x\"");
	for (i = 0; i < ARRAY_SIZE(by); i++) {
		snprintf(text, sizeof(text), "%s %s -h", by[i], by[i]);
		take(text);
		ck_assert_uint_eq(options.by, which[i]);
		snprintf(text, sizeof(text), "%s %s -h", by[i], by[(i + 1) % ARRAY_SIZE(by)]);
		refused(text, "exclude each other");
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

START_TEST(regions)
{
	static const char *const bases[] = { "--regions", "--merge" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bases); i++)
		EXCLUDES(bases[i], "true", " goes with --csv, --json, --html, -o and", "-p 1", "-a",
			 "-A", "--per-thread", "--no-inherit", "-I 10", "-r 1", "--delay 1",
			 "--timeout 1", "--strict", "--diff", "--compare x", "--append", "-c 1",
			 "-F 1", "-d", "-x", "--pre x", "--post x", "--emulate", "--threshold 1",
			 "--include-failed", "--by file", "--call-graph fp", "--openmetrics",
			 "--folded", "--perf-data");
	refused("--regions -p 1 true", "--regions goes");
	refused("--merge -p 1 true", "--merge goes");
	refused("--regions", "there is no command to run");
	refused("--merge", "--merge takes files");
	refused("--merge -e cs x", "--merge counts nothing");
	refused("--merge -e 0x1 x", "--merge counts nothing");
	refused("--merge -M ipc x", "-M goes with counts; it does not go with --merge");
	taken("--regions --csv -e cs -o x true");
	taken("--regions -M ipc --json true");
	refused("--regions -e 0x1 true", "take names of events, not \"0x1\"");
	refused("--cpu zen4 -e 0x1", "take names of events, not \"0x1\"");
	refused("--sample -e 0x1 true", "take names of events, not \"0x1\"");
}
END_TEST

START_TEST(samples)
{
	EXCLUDES("--sample", "true", "--sample looks at one run", "-A", "--per-thread",
		 "--no-inherit", "-I 10", "-r 2", "--csv", "--openmetrics", "--delay 1", "--append",
		 "--strict", "--diff", "--compare x", "--emulate", "--pre x", "--post x",
		 "--include-failed");
	taken("--sample -r 1 --timeout 5 true");
	taken("--sample -p 1");
	taken("--sample -c 1 true");
	taken("--sample -F 1 true");
	refused("--sample -c 1 -F 1 true", "-c and -F exclude each other");
	refused("--sample", "there is no command to run");
	refused("--sample --by file --folded true", "--by is of --sample's table");
	refused("--sample --by file --json true", "--by is of --sample's table");
	refused("--sample --call-graph fp true", "--call-graph says how calls are found");
	taken("--sample --call-graph fp --json true");
	taken("--sample --call-graph fp --html x true");
	refused("--sample --perf-data true", "--perf-data writes -o's file");
	refused("--sample --perf-data -o - true", "--perf-data writes -o's file");
	taken("--sample --perf-data -o x true");
	refused("--sample -M ipc true", "-M goes with counts; it does not go with --sample");
	EXCLUDES("-e cs", "true", "how often to sample: add --sample", "-c 1", "-F 1");
	EXCLUDES("-e cs", "true", "say what to tell of samples: add --sample", "--by file",
		 "--folded", "--call-graph fp", "--perf-data");
}
END_TEST

START_TEST(counts)
{
	refused("-e cs", "there is no command to run");
	take("-e cs -p 1,2");
	ck_assert(options.targets.n == 2 && options.by == BY_NOTHING);
	options_free(&options);
	take("-e cs true");
	ck_assert(options.targets.n == 0 && options.by == BY_NOTHING);
	options_free(&options);
	EXCLUDES("-e cs --pre x", "true", "--pre and --post run something around each run", "-p 1",
		 "-a");
	EXCLUDES("-e cs --post x", "true", "--pre and --post run something around each run",
		 "-p 1");
	refused("-e cs -a --pre x", "--pre and --post run");
	EXCLUDES("-e cs -r 2", "true", "-r runs a command several times", "-p 1", "-I 10",
		 "--per-thread");
	refused("-e cs -a -r 2", "-r runs a command several times");
	taken("-e cs -r 1 -I 10 true");
	refused("-e cs --include-failed true", "--include-failed is of several runs");
	refused("-e cs --include-failed -r 1 true", "--include-failed is of several runs");
	taken("-e cs --include-failed -r 2 true");
	taken("-e cs --include-failed --diff true true");
	refused("-e cs -d true", "-d says that numbers of events are decimal");
	refused("-e cs -x true", "-x says that numbers of events are hexadecimal");
	EXCLUDES("-e cs -a", "true", " counts all threads: leave out", "--per-thread",
		 "--no-inherit");
	EXCLUDES("-e cs", "true", "shows processors, and a command or process has none", "-A",
		 "--per-core", "--per-socket");
	taken("-e cs -a -A");
	taken("-e cs --per-type true");
	EXCLUDES("-e cs --per-thread", "true", " exclude each other", "-I 10", "--no-inherit");
	EXCLUDES("-e cs --per-thread", "true", "--per-thread traces the command", "--delay 1",
		 "--timeout 1");
	taken("-e cs --per-thread -p 1 --timeout 1");
	refused("-e cs --per-thread -p 1,2", "--per-thread shows the threads of one process");
	EXCLUDES("-e cs", "true", "--append says how to write -o's file", "--append",
		 "--append -o -");
	taken("-e cs --append -o x true");
}
END_TEST

START_TEST(comparisons)
{
	refused("-e cs --threshold 1 true", "--threshold is of --compare and --diff");
	refused("-e cs --diff --compare x true true", "--compare and --diff exclude each other");
	EXCLUDES("-e cs --diff", "true true", "--diff runs commands several times", "-I 10",
		 "--per-thread", "-p 1");
	refused("-e cs --compare x -I 10 true", "--compare runs commands several times");
	refused("-e cs --diff -r 1 true true", "--diff takes at least two runs");
	taken("-e cs --diff -r 2 --threshold 1 true true");
	refused("-e cs --diff true", "--diff takes two commands");
	refused("-e cs --diff true true true", "--diff takes two commands");
	EXCLUDES("-e cs --openmetrics", "true", "--openmetrics writes counts that go on", "-r 2",
		 "--compare x", "--append", "--per-thread");
	refused("-e cs --openmetrics --diff true true", "--openmetrics writes counts that go on");
	EXCLUDES("-e cs --openmetrics", "true", "--openmetrics with -I replaces -o's file", "-I 10",
		 "-I 10 -o -");
	taken("-e cs --openmetrics -I 10 -o x true");
	EXCLUDES("-e cs", "true", "--emulate runs whole commands", "--emulate -p 1",
		 "--emulate -I 10", "--emulate --per-thread", "--emulate --no-inherit",
		 "--emulate --delay 1", "--emulate --timeout 1", "--emulate --strict");
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
		"-p 1",	    "-I 10",	   "-r 2",	    "--per-type", "--no-inherit",
		"--strict", "--compare x", "--append -o x", "--emulate",  "-r 1",
	};
	char text[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		snprintf(text, sizeof(text), "--drilldown %s true", others[i]);
		refused(text, "--drilldown runs a command once for each level");
	}
	taken("--drilldown --json true");
	refused("--drilldown --diff true true", "--drilldown runs a command once");
	refused("--why --diff true true", "--why runs a command once");
	refused("--drilldown -e cs true", "--drilldown counts a tree alone");
	refused("--drilldown -e 0x1 true", "--drilldown counts a tree alone");
	refused("--drilldown -M ipc true", "--drilldown counts a tree alone");
	EXCLUDES("--why", "true", "--why prints a page of text", "--csv", "--json", "--html x",
		 "--delay 1");
	refused("--topdown --sample true",
		"--topdown counts a command or a target; it does not go with "
		"--sample");
	refused("--drilldown --sample true", "--drilldown counts a command; it does not go with "
					     "--sample");
	refused("--topdown --merge true", "it does not go with --merge");
	refused("--topdown --regions true", "--regions; -M tma is for them");
	refused("--topdown -M list", "it does not go with -M list");
	refused("--topdown --cpu zen4", "it does not go with --cpu");
}
END_TEST

START_TEST(shown)
{
	taken("-M list");
	taken("--cpu zen4 -M list");
	refused("-M list true", "-M list shows metrics and runs nothing");
	refused("-M ipc -M list", "-M list shows metrics and runs nothing");
	refused("--cpu zen4 -M ipc", "it does not go with --cpu");
	refused("--cpu 0-3,8 true", "numbers of processors are -C 0-3,8");
	refused("--cpu zen4 true", "runs nothing: leave out \"true\"");
	taken("--cpu zen4 -l word");
	refused("-i true", "-i shows the processor and runs nothing: leave out \"true\"");
	refused("--as-libpfm4", "there is no command to run");
	taken("--as-libpfm4 true");
	taken("--as-libpfm4 -- true");
	refused("--as-libpfm4 -e cs true", "does not go with other options");
	refused("-e cs --as-libpfm4 true", "does not go with other options");
	refused("--from x", "--from says what --html's page is made of");
	refused("--html x --from", "--from takes files that --json has made");
	taken("--html x --from y");
	taken("--html=x --from -- y");
	taken("--ht x --fro y");
	refused("--html x --from -e cs y", "leave out \"-e\"");
	refused("--html x --csv --from y", "leave out \"--csv\"");
	refused("--html x -l", "--html shows results, and this has none");
	refused("--html x --as-libpfm4 true", "--html shows results, and this has none");
	EXCLUDES("--html x --sample", "true", "does not go with --by branch or", "--by branch",
		 "--by source");
	taken("--html x --sample --by address true");
	EXCLUDES("--html x --regions", "true", "--html of --regions is made of JSON", "--csv",
		 "-o y");
	taken("--html x --regions --json -o y true");
	EXCLUDES("--html x -e cs", "true", "-o and --html name the same file, x", "-o x");
	refused("--html - -o - -e cs true", "name the same file, -");
	taken("--html x -o - -e cs true");
}
END_TEST

UNIT_MAIN("perfex's options", 60, numbers, percents, switches, texts, modes, formats, chains,
	  regions, samples, counts, comparisons, baselines, trees, shown)
