// SPDX-License-Identifier: LGPL-2.1-or-later
/* The files that compilers write for their processes: whose they may be, and what no line is. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/kallsyms.h"

static char path[64];

#define SOMEBODY 12345

/* How many functions the file of a user's process names, with these lines, this mode and owner. */
static size_t functions_of(uid_t user, const char *lines, mode_t mode, uid_t owner)
{
	struct symbols *symbols;
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
	file = fopen(path, "wx");
	ck_assert_ptr_nonnull(file);
	fputs(lines, file);
	fclose(file);
	ck_assert_int_eq(chmod(path, mode), 0);
	ck_assert_int_eq(chown(path, owner, (gid_t)-1), 0);
	symbols = kallsyms_read_jit((uint32_t)getpid(), user);
	n = symbols_number(symbols);
	symbols_free(symbols);
	unlink(path);
	return n;
}

static size_t functions(const char *lines, mode_t mode)
{
	return functions_of(geteuid(), lines, mode, geteuid());
}

/* Another user's process has its own user's file, or perfex's; nobody else's. */
START_TEST(owners)
{
	static const char line[] = "1000 10 one\n";

	ck_assert_uint_eq(functions_of(SOMEBODY, line, 0644, geteuid()), 1);
	if (geteuid() != 0)
		return;
	ck_assert_uint_eq(functions_of(SOMEBODY, line, 0644, SOMEBODY), 1);
	ck_assert_uint_eq(functions_of(geteuid(), line, 0644, SOMEBODY), 0);
	ck_assert_uint_eq(functions_of(SOMEBODY + 1, line, 0644, SOMEBODY), 0);
}
END_TEST

START_TEST(modes)
{
	static const char line[] = "1000 10 one\n";

	ck_assert_uint_eq(functions(line, 0644), 1);
	ck_assert_uint_eq(functions(line, 0600), 1);
	ck_assert_uint_eq(functions(line, 0664), 0);
	ck_assert_uint_eq(functions(line, 0646), 0);
	ck_assert_uint_eq(functions(line, 0622), 0);
}
END_TEST

START_TEST(lines)
{
	ck_assert_uint_eq(functions("", 0644), 0);
	ck_assert_uint_eq(functions("1000 10 one\n2000 10 two\n", 0644), 2);
	ck_assert_uint_eq(functions("1000 10 without an end", 0644), 1);
	ck_assert_uint_eq(functions("1000 10 \n1000 10\nx000 10 a\n1000 y a\n 1000 10 a\n", 0644),
			  0);
	/* It may end with the last address, and not beyond. */
	ck_assert_uint_eq(functions("fffffffffffffff0 f all\n", 0644), 1);
	ck_assert_uint_eq(functions("fffffffffffffff0 10 beyond\n", 0644), 0);
	ck_assert_uint_eq(functions("10000000000000000 1 large\n", 0644), 0);
}
END_TEST

/* A name that is too long is none, nor is what it goes on with, whatever that looks like. */
START_TEST(long_lines)
{
	static char text[200000];
	size_t i;

	strcpy(text, "1000 10 ");
	for (i = strlen(text); i + 32 < sizeof(text); i += strlen(text + i))
		strcpy(text + i, "2000 10 two ");
	strcpy(text + i, "\n3000 10 three\n");
	ck_assert_uint_eq(functions(text, 0644), 1);
}
END_TEST

UNIT_MAIN("kallsyms", 20, owners, modes, lines, long_lines)
