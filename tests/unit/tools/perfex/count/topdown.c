// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests which metrics --topdown counts: those of a Skylake, on an x86. */
#include <stdlib.h>
#include <string.h>
#include "tests/harness/check.h"
#include "tools/perfex/count/topdown.h"

#if defined(__i386__) || defined(__x86_64__)

static unsigned int commas(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == ',';
	return n;
}

/* Each level has those above it, each name once, and no figure that is in no tree. */
START_TEST(levels)
{
	struct topdown *topdown = topdown_new("--topdown");
	unsigned int level, n = 0, most = topdown_levels(topdown);
	char *names, *last = NULL;

	ck_assert_uint_eq(most, 6);
	for (level = 1; level <= most; level++) {
		names = topdown_names(topdown, level);
		ck_assert_uint_gt(commas(names) + 1, n);
		n = commas(names) + 1;
		ck_assert_ptr_null(strstr(names, "tma_info_"));
		free(last);
		last = names;
	}
	names = topdown_names(topdown, 16);
	ck_assert_str_eq(names, last);
	free(names);
	free(last);
	names = topdown_names(topdown, 1);
	ck_assert_uint_eq(commas(names), 3);
	ck_assert_ptr_nonnull(strstr(names, "tma_retiring"));
	free(names);
	topdown_free(topdown);
}
END_TEST

/* The parts of several, and of what has none; a name that begins like another is another. */
START_TEST(parts)
{
	struct topdown *topdown = topdown_new("--topdown");
	char *names = topdown_parts(topdown, "tma_memory,tma_bad_speculation,tma_branch");

	ck_assert_str_eq(names, "tma_branch_mispredicts,tma_machine_clears");
	free(names);
	names = topdown_parts(topdown, "tma_backend_bound,tma_bad_speculation");
	ck_assert_uint_eq(commas(names), 3);
	free(names);
	ck_assert_ptr_null(topdown_parts(topdown, "tma_divider"));
	ck_assert_ptr_null(topdown_parts(topdown, ""));
	topdown_free(topdown);
}
END_TEST

UNIT_MAIN("topdown", 60, levels, parts)

#else

START_TEST(elsewhere)
{
	topdown_free(NULL);
}
END_TEST

UNIT_MAIN("topdown", 60, elsewhere)

#endif
