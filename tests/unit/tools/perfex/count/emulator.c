// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which of valgrind's tools counts: perfex's own for what it counts, if it is of valgrind's
 * version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/count/emulator.h"

static char directory[] = "emulator.XXXXXX";

static char *path_of(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

/* Puts a file there; NULL: it is gone. */
static void put(const char *name, const char *text)
{
	FILE *file;

	unlink(path_of(name));
	if (!text)
		return;
	file = fopen(path_of(name), "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

static struct emulator chosen(const char *name)
{
	char *copy = strdup(name);
	struct event event = { .name = copy };
	struct events events = { .n = 1, .event = &event };
	struct emulator emulator;

	emulator_choose(&emulator, &events, "valgrind-3.19.0");
	free(copy);
	return emulator;
}

/* Puts the tool's directory there, with all that it has. */
static void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
	put("version", "valgrind-3.19.0\n");
	put("default.supp", "");
	setenv("PERFEX_VALGRIND", directory, 1);
	unsetenv("VALGRIND_LIB");
}

static void end(void)
{
	put("version", NULL);
	put("default.supp", NULL);
	ck_assert_int_eq(rmdir(directory), 0);
	strcpy(directory, "emulator.XXXXXX");
}

static void is_own(const char *name)
{
	struct emulator emulator = chosen(name);

	ck_assert_str_eq(emulator.tool, "perfctr");
	ck_assert_str_eq(emulator.times, "5 to 50");
	ck_assert(emulator.once);
	ck_assert_str_eq(emulator.slower, "");
	ck_assert_str_eq(getenv("VALGRIND_LIB"), directory);
}

static void is_callgrind(const char *name, const char *why)
{
	struct emulator emulator = chosen(name);

	ck_assert_str_eq(emulator.tool, "callgrind");
	ck_assert_str_eq(emulator.times, "20 to 100");
	ck_assert(!emulator.once);
	ck_assert_ptr_nonnull(strstr(emulator.slower, why));
	ck_assert_int_eq(!*emulator.slower, !*why);
}

START_TEST(by_events)
{
	static const char *const simulated[] = {
		"conditional-branch-misses", "indirect-branch-misses", "L1-dcache-loads",
		"L1-icache-load-misses",     "LLC-store-misses",
	};
	unsigned int i;

	begin();
	for (i = 0; i < sizeof(simulated) / sizeof(simulated[0]); i++)
		is_callgrind(simulated[i], "");
	ck_assert_ptr_null(getenv("VALGRIND_LIB"));
	is_own("instructions");
	is_own("conditional-branches:u");
	is_own("indirect-branches"); /* again: VALGRIND_LIB is its own */
	end();
}
END_TEST

START_TEST(reasons)
{
	begin();
	put("version", "valgrind-3.24.0\n");
	is_callgrind("instructions", "perfex's tool is of valgrind-3.24.0");
	put("version", "");
	is_callgrind("instructions",
		     "perfex's tool, which is built where valgrind's libraries are, is not in ");
	put("version", NULL);
	is_callgrind("instructions",
		     "perfex's tool, which is built where valgrind's libraries are, is not in ");
	put("version", "valgrind-3.19.0"); /* without the line's end, too */
	put("default.supp", NULL);
	ck_assert_int_eq(symlink("/none", path_of("default.supp")), 0);
	is_callgrind("instructions", "the valgrind that perfex was built with is gone");
	put("default.supp", "");
	setenv("VALGRIND_LIB", "/none", 1);
	is_callgrind("instructions", "VALGRIND_LIB is set");
	ck_assert_str_eq(getenv("VALGRIND_LIB"), "/none");
	unsetenv("VALGRIND_LIB");
	is_own("instructions");
	end();
}
END_TEST

UNIT_MAIN("emulator", 10, by_events, reasons)
