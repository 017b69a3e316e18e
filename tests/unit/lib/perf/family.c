// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table of counted threads, against a plain list, while threads come and go. */
#include <stdbool.h>
#include <stdint.h>
#include "lib/perf/family.h"
#include "tests/harness/check.h"
#include "tests/harness/random.h"

#define IDS 700

static uint32_t pids[IDS]; /* by id; 0: it is not there */

static void expect_all(const struct perfctr_family *family, uint32_t times)
{
	bool seen[IDS] = { false };
	unsigned int id, n = 0;

	for (id = 1; id < IDS; id++) {
		const struct perfctr_member *member = perfctr_family_find(family, id * times);

		ck_assert_int_eq(member != NULL, pids[id] != 0);
		if (!member)
			continue;
		ck_assert_uint_eq(member->tid, id * times);
		ck_assert_uint_eq(member->pid, pids[id]);
		ck_assert_uint_eq(member->scope, id);
		ck_assert_ptr_nonnull(perfctr_family_of_process(family, pids[id]));
		n += !seen[pids[id]];
		seen[pids[id]] = true;
	}
	ck_assert_uint_eq(perfctr_family_processes(family), n);
}

/* Ids that are neighbours, and ids that all want the same entry. */
static void come_and_go_by(uint32_t times)
{
	struct perfctr_family family = { .n = 0 };
	unsigned int step, id, n = 0;

	memset(pids, 0, sizeof(pids));
	for (step = 0; step < 6000; step++) {
		id = 1 + random_below(step < 3000 ? IDS - 1 : 90);
		if (random_below(5) < (step % 2000 < 1000 ? 3 : 2)) {
			n += !pids[id];
			pids[id] = 1 + random_below(50);
			ck_assert(perfctr_family_add(&family,
						     &(struct perfctr_member){ .tid = id * times,
									       .pid = pids[id],
									       .scope = id }));
		} else {
			n -= pids[id] != 0;
			pids[id] = 0;
			perfctr_family_remove(&family, id * times);
		}
		ck_assert_uint_eq(family.n, n);
		if (step % 100 == 0)
			expect_all(&family, times);
	}
	expect_all(&family, times);
	perfctr_family_end(&family);
}

START_TEST(come_and_go)
{
	come_and_go_by(1);
	come_and_go_by(64);
	come_and_go_by(4096);
}
END_TEST

START_TEST(nobody)
{
	struct perfctr_family family = { .n = 0 };

	ck_assert_ptr_null(perfctr_family_find(&family, 1));
	ck_assert_ptr_null(perfctr_family_of_process(&family, 1));
	perfctr_family_remove(&family, 1);
	ck_assert_uint_eq(perfctr_family_processes(&family), 0);
	perfctr_family_end(&family);
}
END_TEST

UNIT_MAIN("family", 30, come_and_go, nobody)
