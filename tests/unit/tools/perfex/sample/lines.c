// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests lines of the source: of a program that is compiled here, and of what is none. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/lines.h"

static char directory[] = "/tmp/lines.XXXXXX";

/* Runs a command in the directory, with the compiler in $CC. */
static bool run(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && %s", directory, command);
	return system(line) == 0;
}

/* Returns the address that nm tells of a function. */
static uint64_t address_of(const char *function)
{
	char line[128] = "";
	FILE *pipe;

	snprintf(line, sizeof(line), "nm %s/prog | grep ' [Tt] %s$'", directory, function);
	pipe = popen(line, "r");
	ck_assert_ptr_nonnull(pipe);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), pipe));
	pclose(pipe);
	return strtoull(line, NULL, 16);
}

static void line_is(const char *function, uint64_t from, const char *wanted)
{
	char path[64], text[80] = "x";

	snprintf(path, sizeof(path), "%s/prog", directory);
	lines_find(text, sizeof(text), path, address_of(function) - from);
	ck_assert_msg(!strcmp(text, wanted), "%s: %s", function, text);
}

/* Whether a program compiled so, whose addresses are "from" beyond offsets, has these lines. */
static void lines_are(const char *flags, uint64_t from, const char *work, const char *other)
{
	char command[256];

	snprintf(command, sizeof(command), "${CC:-cc} %s -O0 prog.c other.c -o prog 2>/dev/null",
		 flags);
	ck_assert(run(command));
	line_is("work", from, work);
	line_is("other", from, other);
}

START_TEST(of_a_program)
{
	if (!lines_load() || sizeof(void *) != 8)
		return; /* libdw is not here, or the compiler may make programs of other sizes */
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert(run("printf 'int x;\n\nvoid work(void)\n{\n\tx++;\n}\n\nint main(void)\n{\n\twork"
		      "();\n\treturn x;\n}\n' >prog.c"));
	ck_assert(run("printf '\nint other(int n) { return n * 3; }\n' >other.c"));
	lines_are("-g", 0, "prog.c:4", "other.c:2");
	lines_are("-g -no-pie -Wl,-Ttext-segment=0x20000000", 0x20000000, "prog.c:4", "other.c:2");
	lines_are("-g0", 0, "", "");
	ck_assert(run("rm -f prog prog.c other.c && rmdir \"$PWD\""));
}
END_TEST

/* What is no program has no lines, whatever it is. */
START_TEST(no_programs)
{
	static const char *const paths[] = { "/no/such/file", "/dev/null",   "/dev/zero",      "/",
					     "[kernel]",      "/etc/passwd", "/proc/self/maps" };
	char text[80];
	unsigned int i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		strcpy(text, "x");
		lines_find(text, sizeof(text), paths[i], 0);
		ck_assert_str_eq(text, "");
	}
	lines_find(text, sizeof(text), "/proc/self/exe", UINT64_MAX);
	ck_assert_str_eq(text, "");
}
END_TEST

UNIT_MAIN("lines", 60, of_a_program, no_programs)
