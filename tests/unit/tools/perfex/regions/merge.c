// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests perfex --from: whole outputs, of reports whose sums are known. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/regions/merge.h"

#define VALUE(name, inclusive, exclusive, quality)                         \
	"{\"value\":\"" name "\",\"unit\":\"ns\",\"inclusive\":" inclusive \
	",\"exclusive\":" exclusive ",\"quality\":\"" quality "\"}"
#define METRIC(inclusive, exclusive, more)                                                         \
	"{\"metric\":\"time\",\"unit\":\"%\",\"inclusive\":" inclusive ",\"exclusive\":" exclusive \
	",\"quality\":\"exact\"" more "}"
#define REGION(name, visits, values, more) \
	"{\"region\":\"" name "\",\"visits\":" visits more ",\"values\":[" values "]"
#define PROCESS(pid, more, regions) \
	"{\"host\":\"h\",\"pid\":" pid more ",\"regions\":[" regions "]}\n"

/* The first file is of two programs, which one process was. */
static const char *const reports[] = {
	PROCESS("50",
		",\"rank\":0,\"ends_without_begin\":2,\"threads_left_out\":1,\"threads_stale\":1",
		REGION("inner", "3", VALUE("time", "100", "40", "exact"), ",\"unfinished\":1,\"uncounted\":4") ",\"metrics\":[" METRIC(
			"2.5", "null",
			",\"exclusive_reason\":\"none\"") "]}," REGION("inner", "7",
								       VALUE("time", "1", "1",
									     "exact"),
								       ",\"tid\":7") "}")
		PROCESS("50", ",\"rank\":0,\"visits_without_region\":3",
			REGION("outer", "1", VALUE("time", "7", "7", "exact"), "") "}"),
	PROCESS("51",
		",\"rank\":1,\"ends_without_begin\":null,\"threads_left_out\":null,\"threads_stale\":null",
		REGION("inner", "2", VALUE("time", "300", "20", "estimate"),
		       ",\"unfinished\":1") ",\"metrics\":[" METRIC("-0.5", "1.25", "") "]}"),
	PROCESS("52", "",
		REGION("inner", "1",
		       VALUE("time", "200", "60", "exact") "," VALUE("hits", "0", "0",
								     "not counted"),
		       ",\"uncounted\":1") "}"),
};

static char directory[] = "/tmp/merge-XXXXXX";
static char names[ARRAY_SIZE(reports)][64], result[64], text[16384];
static char *files[ARRAY_SIZE(reports) + 1];

static void write_report(unsigned int i, const char *report)
{
	FILE *file;

	snprintf(names[i], sizeof(names[i]), "%s/%u", directory, i);
	files[i] = names[i];
	file = fopen(names[i], "w");
	ck_assert_ptr_nonnull(file);
	fputs(report, file);
	ck_assert_int_eq(fclose(file), 0);
}

static void begin(void)
{
	unsigned int i;

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(result, sizeof(result), "%s/result", directory);
	for (i = 0; i < ARRAY_SIZE(reports); i++)
		write_report(i, reports[i]);
}

static void end(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reports); i++)
		unlink(names[i]);
	unlink(result);
	ck_assert_int_eq(rmdir(directory), 0);
}

static void take(int fd)
{
	size_t n = 0;
	ssize_t now;

	while ((now = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)now;
	text[n] = '\0';
	close(fd);
}

/* Check has no room for a whole output. */
static void is(const char *wanted)
{
	size_t i = 0;

	while (text[i] && text[i] == wanted[i])
		i++;
	ck_assert_msg(text[i] == wanted[i], "\"%.200s\", not \"%.200s\"", text + i, wanted + i);
}

static void merge_files(char **these, struct output *output)
{
	struct merge *merge = merge_new();
	struct document document;

	for (; *these; these++) {
		if (document_read(&document, *these) < 0)
			die("%s: %s", *these, document.problem);
		merge_add(merge, *these, document.first);
		document_free(&document);
	}
	merge_end(merge);
	merge_print(merge, output);
	merge_free(merge);
}

static void merge(char **these, enum format format)
{
	struct output output = { .name = result, .format = format };

	merge_files(these, &output);
	take(open(result, O_RDONLY));
}

START_TEST(as_table)
{
	begin();
	merge(files, FORMAT_TABLE);
	is("Regions of 4 processes: sums of all their threads, inclusive\n\n"
	   "inner: 3 processes, 6 visits\n"
	   "  time ns: mean 200, imbalance 50.0%, estimate\n"
	   "    minimum 100 (rank 0), maximum 300 (rank 1)\n"
	   "  time %: mean 1.000, imbalance 150.0%, exact\n"
	   "    minimum -0.500 (rank 1), maximum 2.500 (rank 0)\n"
	   "  2 visits did not end\n"
	   "  5 visits were not counted\n"
	   "outer: 1 process, 1 visit, 1 rank absent\n"
	   "  time ns: mean 4, imbalance 100.0%, exact\n"
	   "    minimum 0 (rank 1), maximum 7 (rank 0)\n"
	   "inner: 1 process, 1 visit, 2 ranks absent\n"
	   "  hits ns: mean 0, imbalance 0.0%, not counted\n"
	   "    minimum 0 (pid 52), maximum 0 (pid 52)\n"
	   "  1 visit was not counted\n\n"
	   "2 ends had no begin.\n"
	   "1 thread could not be counted.\n"
	   "1 of these is stale: the program closed the descriptors of the counters.\n"
	   "3 visits were counted for no region.\n"
	   "1 process died; of it that is not known.\n");
	/* Without troubles no line is about them. */
	merge(files + 2, FORMAT_TABLE);
	ck_assert_ptr_nonnull(strstr(text, "Regions of 1 process: sums of all its threads"));
	ck_assert_str_eq(
		strrchr(text, '%'),
		"%, not counted\n    minimum 0 (pid 52), maximum 0 (pid 52)\n  1 visit was not counted\n");
	end();
}
END_TEST

/* The worst of the processes' qualities is the sum's; the first that is no number tells why. */
START_TEST(qualities)
{
	static const char *const cases[][4] = {
		{ "exact", "exact", "exact", "exact" },
		{ "exact", "estimate", "exact", "estimate" },
		{ "estimate", "not counted", "exact", "not counted" },
		{ "estimate", "exact", "stale", "stale" },
		{ "exact", "stale", "estimate", "stale" },
		{ "scaled", "estimate", "exact", "scaled" },
		{ "estimate", "scaled", "stale", "scaled" },
		{ "not counted", "estimate", "scaled", "not counted" },
	};
	char report[512], wanted[64];
	size_t i, k;

	begin();
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (k = 0; k < 3; k++) {
			snprintf(report, sizeof(report),
				 PROCESS("5%u", ",\"children_left_out\":2",
					 REGION("r", "1", VALUE("v", "1", "1", "%s"), "") "}"),
				 (unsigned int)k, cases[i][k]);
			write_report((unsigned int)k, report);
		}
		merge(files, FORMAT_TABLE);
		snprintf(wanted, sizeof(wanted), " v ns: mean 1, imbalance 0.0%%, %s\n",
			 cases[i][3]);
		ck_assert_msg(strstr(text, wanted) != NULL, "no \"%s\" in %s", wanted, text);
		ck_assert_ptr_nonnull(strstr(text, "6 child processes had no report"));
	}
	end();
}
END_TEST

START_TEST(as_csv)
{
	begin();
	merge(files, FORMAT_CSV);
	is("region,value,unit,sum,processes,visits,minimum,minimum_at,mean,maximum,maximum_at,"
	   "imbalance_percent,quality,unfinished,uncounted,ends_without_begin,"
	   "threads_left_out,threads_stale,visits_without_region,processes_died,absent_ranks,"
	   "children_left_out\n"
	   "inner,time,ns,inclusive,3,6,100,rank 0,200.000,300,rank 1,50.000,estimate,2,5,2,1,1,3,1,0,0\n"
	   "inner,time,ns,exclusive,3,6,20,rank 1,40.000,60,pid 52,50.000,estimate,2,5,2,1,1,3,1,0,0\n"
	   "inner,time,%,inclusive,2,5,-0.500,rank 1,1.000,2.500,rank 0,150.000,exact,2,4,2,1,1,3,1,0,0\n"
	   "inner,time,%,exclusive,2,5,1.250,rank 1,1.250,1.250,rank 1,0.000,none,2,4,2,1,1,3,1,0,0\n"
	   "outer,time,ns,inclusive,1,1,0,rank 1,3.500,7,rank 0,100.000,exact,0,0,2,1,1,3,1,1,0\n"
	   "outer,time,ns,exclusive,1,1,0,rank 1,3.500,7,rank 0,100.000,exact,0,0,2,1,1,3,1,1,0\n"
	   "inner,hits,ns,inclusive,1,1,0,pid 52,0.000,0,pid 52,0.000,not counted,0,1,2,1,1,3,1,2,0\n"
	   "inner,hits,ns,exclusive,1,1,0,pid 52,0.000,0,pid 52,0.000,not counted,0,1,2,1,1,3,1,2,0\n");
	merge(files + 2, FORMAT_CSV);
	ck_assert_ptr_nonnull(strstr(text, ",60,pid 52,0.000,exact,0,1,0,0,0,0,0,0,0\n"));
	/* No process has the sum. */
	write_report(2, PROCESS("52", "",
				REGION("a", "1", "",
				       "") ",\"metrics\":[" METRIC("null", "1",
								   ",\"reason\":\"why\"") "]}"));
	merge(files + 2, FORMAT_CSV);
	ck_assert_ptr_nonnull(strstr(text, "a,time,%,inclusive,1,1,,,,,,,why,0,0,0,0,0,0,0,0,0\n"));
	end();
}
END_TEST

START_TEST(as_json)
{
	static const char other[] =
		"{\"region\":\"inner\",\"metric\":\"time\",\"unit\":\"%\",\"quality\":\"exact\","
		"\"exclusive_quality\":\"none\",\"processes\":2,\"absent_ranks\":0,\"visits\":5,\"unfinished\":2,"
		"\"uncounted\":4,\"inclusive\":{\"minimum\":-0.500,\"minimum_at\":\"rank 1\","
		"\"mean\":1.000,\"maximum\":2.500,\"maximum_at\":\"rank 0\","
		"\"imbalance_percent\":150.000},\"exclusive\":{\"minimum\":1.250,"
		"\"minimum_at\":\"rank 1\",\"mean\":1.250,\"maximum\":1.250,\"maximum_at\":"
		"\"rank 1\",\"imbalance_percent\":0.000}},{\"region\":\"outer\",\"value\":";
	static const char first[] =
		"{\"type\":\"merged_regions\",\"processes\":4,\"regions\":[{\"region\":\"inner\","
		"\"value\":\"time\",\"unit\":\"ns\",\"quality\":\"estimate\","
		"\"exclusive_quality\":\"estimate\",\"processes\":3,\"absent_ranks\":0,\"visits\":6,"
		"\"unfinished\":2,\"uncounted\":5,\"inclusive\":{\"minimum\":100,"
		"\"minimum_at\":\"rank 0\",\"mean\":200.000,\"maximum\":300,"
		"\"maximum_at\":\"rank 1\",\"imbalance_percent\":50.000},\"exclusive\":{"
		"\"minimum\":20,\"minimum_at\":\"rank 1\",\"mean\":40.000,\"maximum\":60,"
		"\"maximum_at\":\"pid 52\",\"imbalance_percent\":50.000}},";
	static const char last[] =
		"],\"ends_without_begin\":2,\"threads_left_out\":1,\"threads_stale\":1,\"visits_without_region\":3,"
		"\"processes_died\":1,\"children_left_out\":0}\n";

	begin();
	merge(files, FORMAT_JSON);
	ck_assert_int_eq(strncmp(text, first, sizeof(first) - 1), 0);
	ck_assert_int_eq(strncmp(text + sizeof(first) - 1, other, sizeof(other) - 1), 0);
	ck_assert_str_eq(strrchr(text, ']'), last);
	write_report(2, PROCESS("52", "",
				REGION("a", "1", "",
				       "") ",\"metrics\":[" METRIC("null", "1",
								   ",\"reason\":\"why\"") "]}"));
	merge(files + 2, FORMAT_JSON);
	ck_assert_ptr_nonnull(strstr(text, "\"uncounted\":0,\"inclusive\":null,\"exclusive\":{"));
	end();
}
END_TEST

/* Two processes could not count an event, one of them another, too: each has a row of no region. */
START_TEST(reasons)
{
	begin();
	write_report(0, "{\"host\":\"h\",\"pid\":1,\"not_counted\":["
			"{\"name\":\"cycles\",\"reason\":\"no, no\"}],\"regions\":[]}\n");
	write_report(1, "{\"host\":\"h\",\"pid\":2,\"children_left_out\":4,\"not_counted\":["
			"{\"name\":\"cycles\",\"reason\":\"no, no\"},"
			"{\"name\":\"ipc\",\"reason\":\"why\"}],\"regions\":[]}\n");
	files[2] = NULL;
	merge(files, FORMAT_TABLE);
	ck_assert_ptr_nonnull(strstr(text, "\n\ncycles is not counted in 2 processes: no, no\n"
					   "ipc is not counted in 1 process: why\n"
					   "4 child processes had no report, or not yet one.\n"));
	merge(files, FORMAT_CSV);
	ck_assert_ptr_nonnull(strstr(text, "children_left_out\n"
					   ",cycles,,inclusive,2,,,,,,,,\"no, no\",,,0,0,0,0,0,,4\n"
					   ",ipc,,inclusive,1,,,,,,,,why,,,0,0,0,0,0,,4\n"));
	merge(files, FORMAT_JSON);
	is("{\"type\":\"merged_regions\",\"processes\":2,\"regions\":[],\"ends_without_begin\":0,"
	   "\"threads_left_out\":0,\"threads_stale\":0,\"visits_without_region\":0,\"processes_died\":0,"
	   "\"children_left_out\":4,\"not_counted\":["
	   "{\"name\":\"cycles\",\"reason\":\"no, no\",\"processes\":2},"
	   "{\"name\":\"ipc\",\"reason\":\"why\",\"processes\":1}]}\n");
	/* Without regions and reasons, what is missing has a row of its own. */
	write_report(0, "{\"host\":\"h\",\"pid\":1,\"children_left_out\":3,\"regions\":[]}\n");
	files[1] = NULL;
	merge(files, FORMAT_CSV);
	ck_assert_ptr_nonnull(
		strstr(text, "children_left_out\n,,,inclusive,1,,,,,,,,,,,0,0,0,0,0,,3\n"));
	files[1] = names[1];
	files[2] = names[2];
	end();
}
END_TEST

/* Prints to a terminal with so many columns. */
static void merge_on(int columns)
{
	const struct winsize size = { .ws_col = (unsigned short)columns, .ws_row = 24 };
	struct output output = { .format = FORMAT_TABLE };
	int fd = posix_openpt(O_RDWR | O_NOCTTY), terminal;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(grantpt(fd) | unlockpt(fd), 0);
	output.name = ptsname(fd);
	terminal = open(output.name,
			O_RDWR | O_NOCTTY); /* what was written stays until it is read */
	ck_assert_int_eq(ioctl(terminal, TIOCSWINSZ, &size), 0);
	output_open(&output, getpid(), false); /* once: no descriptor is lost */
	merge_files(files, &output);
	ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	take(fd);
	close(terminal);
}

START_TEST(on_terminal)
{
	begin();
	merge_on(80);
	is("Regions of 4 processes: sums of all their threads, inclusive\r\n\r\n"
	   "inner: 3 processes, 6 visits\r\n"
	   "  time ns: mean 200, imbalance 50.0%, estimate\r\n"
	   "    minimum 100 (rank 0), maximum 300 (rank 1)\r\n"
	   "  time %: mean 1.000, imbalance 150.0%, exact\r\n"
	   "    minimum -0.500 (rank 1), maximum 2.500 (rank 0)\r\n"
	   "  2 visits did not end\r\n"
	   "  5 visits were not counted\r\n"
	   "outer: 1 process, 1 visit, 1 rank absent\r\n"
	   "  time ns: mean 4, imbalance 100.0%, exact\r\n"
	   "    minimum 0 (rank 1), maximum 7 (rank 0)\r\n"
	   "inner: 1 process, 1 visit, 2 ranks absent\r\n"
	   "  hits ns: mean 0, imbalance 0.0%, not counted\r\n"
	   "    minimum 0 (pid 52), maximum 0 (pid 52)\r\n"
	   "  1 visit was not counted\r\n\r\n"
	   "2 ends had no begin.\r\n"
	   "1 thread could not be counted.\r\n"
	   "1 of these is stale: the program closed the descriptors of the counters.\r\n"
	   "3 visits were counted for no region.\r\n"
	   "1 process died; of it that is not known.\r\n");
	end();
}
END_TEST

/* What is wrong in a file is told, with its line. */
START_TEST(refused)
{
	static const struct {
		const char *report, *words;
	} cases[] = {
		{ PROCESS("-1", "", ""), "line 1: a number is negative;" },
		{ PROCESS("1", "", "") "\n" PROCESS("1e20", "", ""),
		  "line 3: a number is too big;" },
		{ PROCESS("1", ",\"threads_left_out\":-1", ""), "line 1: a number is negative;" },
		{ PROCESS("1", "", REGION("a", "-1", "", "") "}"), "a number is negative;" },
		{ PROCESS("1", "", REGION("a", "1", "", ",\"uncounted\":1e20") "}"), "too big;" },
		{ PROCESS("1", "",
			  REGION("a", "1", "", "") ",\"metrics\":[" METRIC("1e20", "1", "") "]}"),
		  "line 1: a number is too big;" },
		{ PROCESS("1", "",
			  REGION("a", "1", "", "") ",\"metrics\":[" METRIC("-1e20", "1", "") "]}"),
		  "line 1: a number is too big;" },
		{ PROCESS("1", "",
			  REGION("a", "1", "", "") ",\"metrics\":[" METRIC("true", "1", "") "]}"),
		  "line 1: inclusive;" },
		{ "{\"pid\":1,\"regions\":[]}", "line 1: host;" },
		{ "{\"host\":\"h\",\"regions\":[]}", "line 1: pid;" },
		{ "{\"host\":\"h\",\"pid\":1}", "line 1: regions;" },
		{ "{\"host\":\"h\",\"pid\":1,\"regions\":[{\"region\":\"a\",\"visits\":1}]}",
		  "line 1: values;" },
		{ "{\"host\":\"h\",\"pid\":1,\"regions\":[{\"visits\":1}]}", "line 1: region;" },
		{ PROCESS("51", ",\"rank\":1", ""),
		  "is of the same process as a file before it: leave one out" },
	};
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int fds[2], status;
		pid_t pid;

		write_report(2, cases[i].report);
		ck_assert_int_eq(pipe(fds), 0);
		pid = fork();
		if (pid == 0) {
			dup2(fds[1], STDERR_FILENO);
			merge(files, FORMAT_CSV);
			_exit(0);
		}
		close(fds[1]);
		take(fds[0]);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(status == EXIT_PERFEX << 8 && strstr(text, cases[i].words) &&
				      strstr(text, names[2]),
			      "%d, %s, not %s", status, text, cases[i].words);
	}
	/* Other results are no reports. */
	write_report(2, "{\"type\":\"counts\",\"events\":[]}");
	merge(files + 2, FORMAT_JSON);
	ck_assert_ptr_nonnull(strstr(text, "\"processes\":0,\"regions\":[]"));
	/* The same number on another host, or of another rank, is another process. */
	write_report(2, PROCESS("51", ",\"rank\":2", ""));
	merge(files, FORMAT_CSV);
	write_report(2, "{\"host\":\"i\",\"pid\":51,\"rank\":1,\"regions\":[]}");
	merge(files, FORMAT_CSV);
	end();
}
END_TEST

UNIT_MAIN("perfex --from", 20, as_table, qualities, as_csv, as_json, reasons, on_terminal, refused)
