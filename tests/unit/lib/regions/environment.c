// SPDX-License-Identifier: LGPL-2.1-or-later
/* Regions switched on by the environment: this program, run again with variables. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <perfctr/regions.h>
#include "tests/harness/apart.h"
#include "tests/harness/check.h"

PERFCTR_REGION(often, "often");

/* After the report, which is made as atexit(3) has it, no signal waits for the library's lock. */
static void __attribute__((destructor)) after_report(void)
{
	sigset_t set;

	if (sigprocmask(SIG_BLOCK, NULL, &set) < 0 || sigismember(&set, SIGUSR1))
		_exit(99);
}

/* What the program does, by its argument. */
static int run_program(const char *how)
{
	pid_t child;

	/* What the library did before main() is none of the program's errors. */
	if (errno)
		fprintf(stderr, "errno %d\n", errno);
	if (strcmp(how, "nothing") == 0)
		return 0;
	perfctr_region_begin(&often);
	perfctr_region_end(&often);
	if (strcmp(how, "stop") == 0)
		return perfctr_regions_stop() < 0;
	if (strcmp(how, "die") == 0)
		raise(SIGKILL);
	if (strcmp(how, "fork") == 0) {
		child = fork();
		if (child == 0)
			return perfctr_regions_start(NULL, 0) < 0;
		waitpid(child, NULL, 0);
	}
	return 0;
}

struct program {
	const char *how;
	const char *const *variables;
};

static void execute(const void *arg)
{
	const struct program *program = arg;
	char *const arguments[] = { (char *)(uintptr_t) "program", (char *)(uintptr_t)program->how,
				    NULL };

	execve("/proc/self/exe", arguments, (char *const *)(uintptr_t)program->variables);
	_exit(127);
}

/* What it says on the standard error; NAME=VALUE one after the other, and NULL. */
static const char *run(const char *how, const char *const *variables)
{
	static char text[8192];
	const struct program program = { how, variables };
	int status = run_apart(execute, &program, text, sizeof(text));

	ck_assert_int_eq(status, strcmp(how, "die") == 0 ? SIGKILL : 0);
	return text;
}

#define RUN(how, ...) run(how, (const char *const[]){ __VA_ARGS__, NULL })
#define ON	      "PERFCTR_REGIONS="

static void has(const char *text, const char *words)
{
	ck_assert_msg(strstr(text, words), "no \"%s\" in \"%s\"", words, text);
}

static void has_not(const char *text, const char *words)
{
	ck_assert_msg(!strstr(text, words), "\"%s\" in \"%s\"", words, text);
}

START_TEST(test_ends)
{
	const char *text;

	ck_assert_str_eq(RUN("", "X="), "");
	ck_assert_str_eq(RUN("nothing", ON), "");
	text = RUN("", ON);
	ck_assert_int_eq(strncmp(text, "Regions of process ", 19), 0);
	has(text, "\noften: 1 visit\n");
	has_not(text, "mean");
	has_not(text, ", thread ");
	has(RUN("stop", ON), "\noften: 1 visit\n");
	text = RUN("fork", ON);
	has_not(text + 1, "Regions of process");
	ck_assert_str_eq(RUN("die", ON), "");
}
END_TEST

START_TEST(test_formats)
{
	ck_assert_int_eq(strncmp(RUN("", ON, "PERFCTR_REGIONS_FORMAT=table"), "Regions", 7), 0);
	ck_assert_int_eq(strncmp(RUN("", ON, "PERFCTR_REGIONS_FORMAT=csv"), "host,", 5), 0);
	ck_assert_int_eq(strncmp(RUN("", ON, "PERFCTR_REGIONS_FORMAT=json"),
				 "{\"type\":\"regions\",", 18),
			 0);
	ck_assert_str_eq(
		RUN("", ON, "PERFCTR_REGIONS_FORMAT=js"),
		"libperfctr: PERFCTR_REGIONS_FORMAT: \"js\" is none of table, csv, json\n");
}
END_TEST

START_TEST(test_keep)
{
	const char *text = RUN("", ON, "PERFCTR_REGIONS_KEEP=moments");

	has(text, " mean ");
	has_not(text, " p50 ");
	has_not(text, ", thread ");
	text = RUN("", ON, "PERFCTR_REGIONS_KEEP=threads,histogram,");
	has(text, " p50 ");
	has(text, "often, thread ");
	ck_assert_str_eq(RUN("", ON, "PERFCTR_REGIONS_KEEP=moments,moment"),
			 "libperfctr: PERFCTR_REGIONS_KEEP: \"moment\" is none of moments, "
			 "histogram, threads\n");
	has(RUN("", ON, "PERFCTR_REGIONS_METRICS=nonsense"), "libperfctr: PERFCTR_REGIONS: ");
	has(RUN("", "PERFCTR_REGIONS=nonsense"), "libperfctr: PERFCTR_REGIONS: ");
}
END_TEST

/* How many files are in the directory, which then are removed. */
static unsigned int take_files(const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	unsigned int n = 0;
	char name[300];

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir))) {
		snprintf(name, sizeof(name), "%s/%s", directory, entry->d_name);
		n += unlink(name) == 0;
	}
	closedir(dir);
	return n;
}

START_TEST(test_files)
{
	char directory[] = "/tmp/region-env-XXXXXX", left[64], output[64];

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(output, sizeof(output), "PERFCTR_REGIONS_OUTPUT=%s/%%p", directory);
	ck_assert_str_eq(RUN("", ON, output), "");
	ck_assert_uint_eq(take_files(directory), 1);
	snprintf(output, sizeof(output), "PERFCTR_REGIONS_OUTPUT=%s/no/x", directory);
	has(RUN("", ON, output), "libperfctr: PERFCTR_REGIONS_OUTPUT: ");
	has(RUN("", ON, "PERFCTR_REGIONS_OUTPUT=%q{NO_SUCH}"),
	    "libperfctr: PERFCTR_REGIONS_OUTPUT: ");
	/* Only of who dies something is left. */
	snprintf(left, sizeof(left), "PERFCTR_REGIONS_LEFT=%s", directory);
	RUN("", ON, left);
	RUN("", "PERFCTR_REGIONS=nonsense", left);
	ck_assert_uint_eq(take_files(directory), 0);
	/* A program that reaches no region says so: perfctr_arenas_forget_none(). */
	RUN("nothing", ON, left);
	ck_assert_uint_eq(take_files(directory), 1);
	RUN("die", ON, left);
	ck_assert_uint_eq(take_files(directory), 1);
	ck_assert_int_eq(chdir(directory), 0);
	RUN("die", ON, "PERFCTR_REGIONS_LEFT=.");
	ck_assert_uint_eq(take_files(directory), 0);
	/* What can't be left is no error of the program's. */
	ck_assert_str_eq(RUN("nothing", ON, "PERFCTR_REGIONS_LEFT=/no/such/directory"), "");
	ck_assert_int_eq(rmdir(directory), 0);
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = { test_ends, test_formats, test_keep, test_files };

	if (argc > 1)
		return run_program(argv[1]);
	return run_tests("region_env", 60, tests, ARRAY_SIZE(tests), NULL, 0);
}
