// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests the words of perfex --regions=, and what the collectors' variables become. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/apart.h"
#include "tests/harness/check.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/regions/collectors.h"

START_TEST(words)
{
	static const struct {
		const char *text, *keep;
		unsigned int which;
	} cases[] = {
		{ NULL, NULL, 0 },
		{ "", NULL, 0 },
		{ "openmp", NULL, COLLECT_OPENMP },
		{ "kokkos,mpi", NULL, COLLECT_KOKKOS | COLLECT_MPI },
		{ "moments", "moments", 0 },
		{ "moments,openmp,histogram,threads", "moments,histogram,threads", COLLECT_OPENMP },
		{ "mpi,moments,", "moments", COLLECT_MPI },
	};
	unsigned int i, which;
	char *keep;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		which = 77;
		keep = collectors_read(cases[i].text, &which);
		ck_assert_uint_eq(which, cases[i].which);
		ck_assert_pstr_eq(keep, cases[i].keep);
		free(keep);
	}
}
END_TEST

static char directory[64];

static void make_directory(const char *pattern)
{
	static const char *const names[] = { "openmp", "kokkos", "mpi" };
	char path[128];
	unsigned int i;

	snprintf(directory, sizeof(directory), "%s", pattern);
	ck_assert_ptr_nonnull(mkdtemp(directory));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/libperfctr-%s.so", directory, names[i]);
		close(open(path, O_CREAT | O_WRONLY, 0644));
	}
	setenv("PERFEX_COLLECTORS", directory, 1);
}

static void remove_directory(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	ck_assert_int_eq(system(command), 0);
}

static void forget(void)
{
	static const char *const variables[] = { "OMP_TOOL_LIBRARIES", "KOKKOS_TOOLS_LIBS",
						 "KOKKOS_PROFILE_LIBRARY", "LD_PRELOAD",
						 "OMP_TOOL" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(variables); i++)
		unsetenv(variables[i]);
}

static void is_library(const char *variable, const char *name, const char *after)
{
	char wanted[160] = "";

	if (name)
		snprintf(wanted, sizeof(wanted), "%s/libperfctr-%s.so%s", directory, name, after);
	ck_assert_pstr_eq(getenv(variable), name ? wanted : NULL);
}

START_TEST(variables)
{
	make_directory("/tmp/collectors-XXXXXX");
	forget();
	collectors_set(0);
	is_library("OMP_TOOL_LIBRARIES", NULL, "");
	is_library("KOKKOS_TOOLS_LIBS", NULL, "");
	is_library("LD_PRELOAD", NULL, "");
	collectors_set(COLLECT_OPENMP);
	is_library("OMP_TOOL_LIBRARIES", "openmp", "");
	is_library("KOKKOS_TOOLS_LIBS", NULL, "");
	collectors_set(COLLECT_KOKKOS);
	is_library("KOKKOS_TOOLS_LIBS", "kokkos", "");
	is_library("KOKKOS_PROFILE_LIBRARY", "kokkos", "");
	collectors_set(COLLECT_MPI);
	is_library("LD_PRELOAD", "mpi", "");
	setenv("LD_PRELOAD", "libomp.so.5", 1);
	collectors_set(COLLECT_MPI);
	is_library("LD_PRELOAD", "mpi", ":libomp.so.5");
	forget();
	remove_directory();
}
END_TEST

struct wrong {
	void (*call)(unsigned int which);
	unsigned int which;
};

static void call_wrong(const void *arg)
{
	const struct wrong *wrong = arg;

	wrong->call(wrong->which);
}

/* Runs it in a process, which prints so. */
static void dies(void (*call)(unsigned int which), unsigned int which, const char *wanted)
{
	const struct wrong wrong = { call, which };
	char text[1024];
	int status = run_apart(call_wrong, &wrong, text, sizeof(text));

	ck_assert_msg(status == (wanted ? EXIT_PERFEX << 8 : 0) &&
			      strstr(text, wanted ? wanted : ""),
		      "%d, %s", status, text);
}

static const char *command;

static void check(unsigned int which)
{
	collectors_check(which, command);
}

static void read_words(unsigned int which)
{
	collectors_read(command, &which);
}

START_TEST(refused)
{
	static const char all[] = " is none of moments, histogram, threads, openmp, kokkos, mpi\n";
	char name[160];

	command = "openmpi";
	dies(read_words, 0, "--regions=: \"openmpi\"");
	dies(read_words, 0, all);
	command = "mpi,open";
	dies(read_words, 0, "\"open\"");
	memset(name, 'x', 150);
	name[150] = '\0';
	command = name;
	name[100] = 'y';
	dies(read_words, 0, "xx\" is none of");
	command = "true";
	forget();
	dies(check, COLLECT_OPENMP | COLLECT_KOKKOS | COLLECT_MPI, NULL);
	setenv("OMP_TOOL", "enabled", 1);
	dies(check, COLLECT_OPENMP, NULL);
	setenv("OMP_TOOL", "disabled", 1);
	dies(check, COLLECT_OPENMP, "OMP_TOOL=disabled keeps all tools out");
	dies(check, COLLECT_KOKKOS | COLLECT_MPI, NULL);
	setenv("OMP_TOOL_LIBRARIES", "theirs.so", 1);
	dies(check, COLLECT_OPENMP, "openmp: OMP_TOOL_LIBRARIES has another tool (theirs.so)");
	setenv("KOKKOS_TOOLS_LIBS", "theirs.so", 1);
	dies(check, COLLECT_KOKKOS, "kokkos: KOKKOS_TOOLS_LIBS has another");
	setenv("KOKKOS_TOOLS_LIBS", "", 1);
	dies(check, COLLECT_KOKKOS, NULL);
	setenv("KOKKOS_PROFILE_LIBRARY", "theirs.so", 1);
	dies(check, COLLECT_KOKKOS, "kokkos: KOKKOS_PROFILE_LIBRARY has another");
	dies(check, COLLECT_MPI, NULL);
	forget();
	setenv("PERFEX_COLLECTORS", "/none", 1);
	dies(collectors_set, COLLECT_MPI,
	     "mpi: /none/libperfctr-mpi.so: No such file or directory; \"make");
	make_directory("/tmp/col:lectors-XXXXXX");
	dies(collectors_set, COLLECT_OPENMP, "the \":\" in its name ends it in OMP_TOOL_LIBRARIES");
	dies(collectors_set, COLLECT_KOKKOS, NULL);
	remove_directory();
	make_directory("/tmp/col;lectors-XXXXXX");
	dies(collectors_set, COLLECT_KOKKOS, "the \";\" in its name ends it in KOKKOS_TOOLS_LIBS");
	dies(collectors_set, COLLECT_OPENMP | COLLECT_MPI, NULL);
	remove_directory();
	make_directory("/tmp/col lectors-XXXXXX");
	dies(collectors_set, COLLECT_MPI, "the \" \" in its name ends it in LD_PRELOAD");
	dies(collectors_set, COLLECT_OPENMP | COLLECT_KOKKOS, NULL);
	remove_directory();
}
END_TEST

START_TEST(needed)
{
	ck_assert_str_eq(collectors_need(0), "");
	ck_assert_ptr_nonnull(strstr(collectors_need(COLLECT_OPENMP), "OMPT"));
	ck_assert_ptr_nonnull(strstr(collectors_need(COLLECT_KOKKOS), "with Kokkos"));
	ck_assert_ptr_nonnull(strstr(collectors_need(COLLECT_MPI), "with MPI"));
	ck_assert_ptr_nonnull(strstr(collectors_need(COLLECT_OPENMP | COLLECT_MPI), "names"));
}
END_TEST

UNIT_MAIN("collectors", 20, words, variables, refused, needed)
