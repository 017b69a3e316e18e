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
	struct views *views = views_new();
	struct symbols *symbols;
	FILE *file;
	size_t n;
	int old;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
	file = fopen(path, "wx");
	ck_assert_ptr_nonnull(file);
	fputs(lines, file);
	fclose(file);
	ck_assert_int_eq(chmod(path, mode), 0);
	ck_assert_int_eq(chown(path, owner, (gid_t)-1), 0);
	file = kallsyms_open_jit(views_own(views), (uint32_t)getpid(), user);
	symbols = kallsyms_read_jit(file, 0, &old);
	n = symbols_number(symbols);
	symbols_free(symbols);
	views_free(views);
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

/* Of the lines that have an address the last one is taken; some are from after a time. */
START_TEST(later_lines)
{
	static const char text[] = "1000 100 first\n1080 100 second\nnone\n1040 10 third\n"
				   "10f0 20 fourth\n";
	static const struct {
		uint64_t address;
		const char *name;
		int layer;
	} cases[] = {
		{ 0x103F, "first", -1 },  { 0x1040, "third", 3 },   { 0x1050, "first", -1 },
		{ 0x1080, "second", 1 },  { 0x10EF, "second", 1 },  { 0x10F0, "fourth", 4 },
		{ 0x1110, "second", -1 }, { 0x117F, "second", -1 },
	};
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct symbols *symbols;
	uint64_t into;
	unsigned int i;
	int old;

	ck_assert_ptr_nonnull(file);
	symbols = kallsyms_read_jit(file, (off_t)(strchr(text, '\n') - text + 1), &old);
	ck_assert_int_eq(old, 1);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_pstr_eq(symbols_find(symbols, cases[i].address, &into), cases[i].name);
		ck_assert_int_eq(symbols_layer(symbols, cases[i].address), cases[i].layer);
	}
	symbols_free(symbols);
	symbols = kallsyms_read_jit(NULL, 5, &old);
	ck_assert_uint_eq(symbols_number(symbols), 0);
	ck_assert_int_eq(old, 0);
	symbols_free(symbols);
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

static const char *kernel; /* what /proc/kallsyms has; NULL: there is none */

static FILE *open_kernel(void)
{
	FILE *file = kernel ? tmpfile() : NULL;

	if (file) {
		fputs(kernel, file);
		rewind(file);
	}
	return file;
}

FILE *__real_fopen(const char *name, const char *mode);
FILE *__wrap_fopen(const char *name, const char *mode);
FILE *__wrap_fopen(const char *name, const char *mode)
{
	return strcmp(name, "/proc/kallsyms") != 0 ? __real_fopen(name, mode) : open_kernel();
}

FILE *__real_fopen64(const char *name, const char *mode);
FILE *__wrap_fopen64(const char *name, const char *mode);
FILE *__wrap_fopen64(const char *name, const char *mode)
{
	return strcmp(name, "/proc/kallsyms") != 0 ? __real_fopen64(name, mode) : open_kernel();
}

/* Of two names of an address the global one without an underscore is shown; data have none. */
START_TEST(of_the_kernel)
{
	static const struct {
		uint64_t address;
		const char *name;
	} cases[] = {
		{ 0xFFF, NULL },      { 0x1000, "global" }, { 0x10FF, "global" },
		{ 0x1100, "local" },  { 0x1200, "weak" },   { 0x1300, "weak_too" },
		{ 0x1400, "module" }, { 0x1500, "last" },   { 0x7FFFFFFF, "last" },
	};
	struct symbols *symbols;
	uint64_t into;
	unsigned int i;

	kernel = "0000000000000000 T nowhere\n"
		 "1000 t _local\n1000 T global\n1000 T __global\n"
		 "1100 t local\n1100 t _underscored\n1180 D data\n"
		 "1200 W weak\n1300 w weak_too\n1400 t module\t[it]\n"
		 "x T wrong\n1600 TT wrong\n1700\n1500 T last";
	symbols = kallsyms_read();
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_pstr_eq(symbols_find(symbols, cases[i].address, &into), cases[i].name);
	ck_assert_uint_eq(into, 0x7FFFFFFF - 0x1500);
	ck_assert_uint_eq(symbols_number(symbols), 9); /* of six places */
	symbols_free(symbols);
	kernel = NULL;
	symbols = kallsyms_read();
	ck_assert_uint_eq(symbols_number(symbols), 0);
	symbols_free(symbols);
}
END_TEST

UNIT_MAIN("kallsyms", 20, owners, modes, lines, later_lines, long_lines, of_the_kernel)
