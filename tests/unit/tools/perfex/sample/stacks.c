// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ways of calls: what is not the same in all of its places counts for itself. */
#include <stdint.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/stacks.h"

START_TEST(ways)
{
	struct stacks stacks = { .stack = NULL };
	uint64_t all = 0;
	unsigned int i;
	size_t k;

	for (i = 0; i < 60000; i++) {
		const struct frame frame[] = { { i % 3, i / 3 % 100 }, { 1, i / 300 % 100 } };

		stacks_count(&stacks, i / 30000, frame, 2, 1);
	}
	ck_assert_uint_eq(stacks.used, 2 * 3 * 100 * 100);
	ck_assert_uint_eq(stacks.ncalls, 2 * stacks.used);
	ck_assert_uint_eq(stacks.nframes, 3 * 100);
	for (k = 0; k < stacks.size; k++) {
		ck_assert_uint_le(stacks.stack[k].count, 1);
		all += stacks.stack[k].count;
	}
	ck_assert_uint_eq(all, 60000);
	stacks_count(&stacks, 0, (const struct frame[]){ { 0, 0 }, { 1, 0 } }, 2, 1);
	ck_assert_uint_eq(stacks.used, 60000);
	stacks_count(&stacks, 0, (const struct frame[]){ { 0, 0 } }, 1, 1);
	stacks_count(&stacks, 0, (const struct frame[]){ { 0, 0 } }, 0, 1);
	ck_assert_uint_eq(stacks.used, 60002);
	stacks_free(&stacks);
}
END_TEST

UNIT_MAIN("stacks", 20, ways)
