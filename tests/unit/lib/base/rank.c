// SPDX-License-Identifier: LGPL-2.1-or-later
/* The rank of a process: which launcher's variable is believed, and which values are none. */
#include <stdio.h>
#include <stdlib.h>
#include "lib/base/rank.h"
#include "lib/base/word.h"
#include "tests/harness/check.h"

/* From the one that is believed last to the one that is first. */
static const char *const launchers[] = { "SLURM_PROCID", "ALPS_APP_PE",		"FLUX_TASK_RANK",
					 "PALS_RANKID",	 "MV2_COMM_WORLD_RANK", "PMI_RANK",
					 "PMIX_RANK",	 "OMPI_COMM_WORLD_RANK" };

static void unset_all(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(launchers); i++)
		unsetenv(launchers[i]);
}

START_TEST(test_order)
{
	char number[12];
	unsigned int i;

	unset_all();
	ck_assert_str_eq(perfctr_rank(), "");
	for (i = 0; i < ARRAY_SIZE(launchers); i++) {
		snprintf(number, sizeof(number), "%u", 17 * i);
		setenv(launchers[i], number, 1);
		ck_assert_str_eq(perfctr_rank(), number);
	}
}
END_TEST

/* What is not a number of up to nine digits is passed over. */
START_TEST(test_numbers)
{
	static const char *const wrong[] = { "",   "abc", "1x",	 "-1",	       "+1",
					     " 1", "1 ",  "0x1", "1234567890", "\xd9\xa3" };
	unsigned int i;

	unset_all();
	setenv("SLURM_PROCID", "123456789", 1);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		setenv("PMI_RANK", wrong[i], 1);
		ck_assert_str_eq(perfctr_rank(), "123456789");
	}
	unsetenv("SLURM_PROCID");
	ck_assert_str_eq(perfctr_rank(), "");
}
END_TEST

/* Reports print it as a number of JSON, which has no zeros in front. */
START_TEST(test_zeros)
{
	unset_all();
	setenv("PMI_RANK", "007", 1);
	ck_assert_str_eq(perfctr_rank(), "7");
	setenv("PMI_RANK", "000", 1);
	ck_assert_str_eq(perfctr_rank(), "0");
	setenv("PMI_RANK", "0", 1);
	ck_assert_str_eq(perfctr_rank(), "0");
}
END_TEST

UNIT_MAIN("rank", 20, test_order, test_numbers, test_zeros)
