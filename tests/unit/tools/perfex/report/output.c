// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests where results go: what a file has before, while and after they are written. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/report/output.h"

static char directory[] = "/tmp/output-XXXXXX", path[64];

static void begin(const char *contents)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(contents, file);
	ck_assert_int_eq(fclose(file), 0);
}

static void contains(const char *wanted)
{
	FILE *file = fopen(path, "r");
	char text[64];

	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	ck_assert_str_eq(text, wanted);
}

/* Old contents stay until results are there, and nothing of them after it, but for --append. */
START_TEST(files)
{
	static const struct {
		bool bit_by_bit, append, cleared;
		const char *before, *meanwhile, *after;
		bool goes_on;
	} cases[] = {
		{ false, false, false, "older\n", "older\n", "new\n", false },
		{ false, true, false, "older\n", "older\n", "older\nnew\n", true },
		{ false, true, false, "", "", "new\n", false },
		{ true, false, false, "older\n", "older\n", "new\n", false },
		{ true, false, true, "older\n", "", "new\n", false },
		{ true, true, false, "older\n", "older\n", "older\nnew\n", true },
		{ true, true, true, "older\n", "older\n", "older\nnew\n", true },
		{ true, true, true, "", "", "new\n", false },
	};
	unsigned int i, k;

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/file", directory);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct output output = { .name = path,
					 .bit_by_bit = cases[i].bit_by_bit,
					 .append = cases[i].append };

		begin(cases[i].before);
		for (k = 0; k < 2; k++)
			output_open(&output, getpid(), false); /* once */
		ck_assert_int_eq(output.goes_on, cases[i].goes_on);
		if (cases[i].cleared)
			output_clear(&output);
		contains(cases[i].meanwhile);
		fputs("new\n", output.file);
		ck_assert(output_end(&output));
		contains(cases[i].after);
	}
	unlink(path);
	ck_assert_int_eq(rmdir(directory), 0);
}
END_TEST

/* What could not be written is said, and nothing is open then. */
START_TEST(full)
{
	struct output output = { .name = "/dev/full" };
	int copy = dup(STDERR_FILENO), bin = open("/dev/null", O_WRONLY);

	output_open(&output, getpid(), false);
	fputs("new\n", output.file);
	dup2(bin, STDERR_FILENO);
	ck_assert(!output_end(&output));
	dup2(copy, STDERR_FILENO);
	close(copy);
	close(bin);
}
END_TEST

/* Standard output and error are not closed. */
START_TEST(standard)
{
	struct output output = { .name = "-" }, error = { .name = NULL };

	output_open(&output, getpid(), false);
	ck_assert_ptr_eq(output.file, stdout);
	ck_assert(output_end(&output));
	output_open(&error, getpid(), false);
	ck_assert_ptr_eq(error.file, stderr);
	ck_assert(output_end(&error));
	ck_assert_int_ge(fcntl(STDOUT_FILENO, F_GETFD) | fcntl(STDERR_FILENO, F_GETFD), 0);
}
END_TEST

START_TEST(names)
{
	char host[300], wanted[400], *name;

	setenv("OUTPUT_TEST", "value", 1);
	name = output_name("a%%b%p-%q{OUTPUT_TEST}.c", 123);
	ck_assert_str_eq(name, "a%b123-value.c");
	free(name);
	ck_assert_int_eq(gethostname(host, sizeof(host)), 0);
	snprintf(wanted, sizeof(wanted), "%s.7", host);
	name = output_name("%h.%p", 7);
	ck_assert_str_eq(name, wanted);
	free(name);
}
END_TEST

UNIT_MAIN("output", 20, files, full, standard, names)
