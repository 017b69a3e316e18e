// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests the commands of --pre and --post: how each can fail, and what is said then. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/count/beside.h"
#include "tools/perfex/count/child.h"

static int no_process; /* fork(2) fails with this */

pid_t __real_fork(void);
pid_t __wrap_fork(void);
pid_t __wrap_fork(void)
{
	if (!no_process)
		return __real_fork();
	errno = no_process;
	return -1;
}

static char said[1024];

/* Runs it, and takes what it says. */
static bool run(const char *command)
{
	FILE *file = tmpfile();
	int copy = dup(STDERR_FILENO);
	bool result;

	ck_assert(file && dup2(fileno(file), STDERR_FILENO) >= 0);
	result = run_beside("--pre", command);
	dup2(copy, STDERR_FILENO);
	close(copy);
	rewind(file);
	said[fread(said, 1, sizeof(said) - 1, file)] = '\0';
	fclose(file);
	return result;
}

START_TEST(ways)
{
	static const struct {
		const char *command, *said;
	} cases[] = {
		{ NULL, "" },
		{ "true", "" },
		{ "echo it >&2", "it\n" },
		{ "exit 3", "perfex: --pre: \"exit 3\" failed with exit status 3\n" },
		{ "kill -9 $$", "perfex: --pre: \"kill -9 $$\" was ended by signal 9\n" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_int_eq(run(cases[i].command), i < 3);
		ck_assert_str_eq(said, cases[i].said);
	}
	no_process = EAGAIN;
	ck_assert(!run("true"));
	ck_assert_str_eq(said, "perfex: --pre: no process can be made: Resource temporarily "
			       "unavailable\n");
	no_process = 0;
}
END_TEST

/* The command has the limit of descriptors that perfex was given; perfex has its own again after
 * it. */
START_TEST(limits)
{
	struct rlimit before, limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = 100;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	limits_raise();
	ck_assert(run("ulimit -n >&2"));
	ck_assert_str_eq(said, "100\n");
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_uint_eq(limit.rlim_cur, limit.rlim_max);
	setrlimit(RLIMIT_NOFILE, &before);
}
END_TEST

UNIT_MAIN("--pre and --post", 20, ways, limits)
