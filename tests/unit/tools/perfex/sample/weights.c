// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests how many events samples stand for, by the counts of their streams. */
#include <stdint.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/weights.h"

START_TEST(streams)
{
	struct weights weights = { .tree = NULL };

	ck_assert_uint_eq(weights_take(&weights, 7, 100), 100);
	ck_assert_uint_eq(weights_take(&weights, 7, 150), 50);
	ck_assert_uint_eq(weights_take(&weights, 0, 3), 3);
	ck_assert_uint_eq(weights_take(&weights, UINT64_MAX, 1), 1);
	ck_assert_uint_eq(weights_take(&weights, 7, UINT64_MAX), UINT64_MAX - 150);
	ck_assert_uint_eq(weights_take(&weights, 0, 5), 2);
	weights_free(&weights);
}
END_TEST

/* Records may say anything: each sample stands for an event at least, and a count may begin again.
 */
START_TEST(strange_counts)
{
	struct weights weights = { .tree = NULL };

	ck_assert_uint_eq(weights_take(&weights, 1, 0), 1);
	ck_assert_uint_eq(weights_take(&weights, 1, 10), 10);
	ck_assert_uint_eq(weights_take(&weights, 1, 10), 1);
	ck_assert_uint_eq(weights_take(&weights, 1, 4), 4);
	ck_assert_uint_eq(weights_take(&weights, 1, 5), 1);
	weights_free(&weights);
}
END_TEST

/* Of a period that grows, and is the next one's, none is believed too early. */
START_TEST(periods)
{
	struct weights weights = { .tree = NULL };

	ck_assert_uint_eq(weights_guess(&weights, 3, 1), 1);
	ck_assert_uint_eq(weights_guess(&weights, 3, 14), 1);
	ck_assert_uint_eq(weights_guess(&weights, 3, 740), 14);
	ck_assert_uint_eq(weights_guess(&weights, 4, 50), 50);
	ck_assert_uint_eq(weights_guess(&weights, 3, 154180), 740);
	ck_assert_uint_eq(weights_guess(&weights, 3, 800), 800);
	ck_assert_uint_eq(weights_guess(&weights, 3, 0), 1);
	ck_assert_uint_eq(weights_guess(&weights, 4, 50), 50);
	weights_free(&weights);
}
END_TEST

START_TEST(many_streams)
{
	struct weights weights = { .tree = NULL };
	uint64_t i, k;

	for (k = 1; k < 4; k++)
		for (i = 0; i < 10000; i++)
			ck_assert_uint_eq(weights_take(&weights, i << 32 | i, k * (i + 1)), i + 1);
	weights_free(&weights);
}
END_TEST

UNIT_MAIN("weights", 20, streams, strange_counts, periods, many_streams)
