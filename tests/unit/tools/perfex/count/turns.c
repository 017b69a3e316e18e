// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests which share of the time events are said to have: on a Skylake's four counters, on an x86.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tests/harness/check.h"
#include "tools/perfex/count/turns.h"

#if defined(__i386__) || defined(__x86_64__)

static struct turns find(const char *list)
{
	struct events events = { .base16 = true };
	struct turns turns;

	events_add(&events, list);
	events_finish(&events);
	turns = turns_of(&events);
	events_free(&events);
	return turns;
}

#define A "BR_INST_RETIRED:NEAR_CALL"
#define B "BR_MISP_RETIRED:ALL_BRANCHES"
#define C "MACHINE_CLEARS:COUNT"
#define D "ITLB_MISSES:STLB_HIT"
#define E "UOPS_ISSUED:ANY"

/* What the kernel does with groups that it puts on the PMU one after the other. */
START_TEST(shares)
{
	static const struct {
		const char *list;
		unsigned int groups;
		double share;
	} all[] = {
		{ "page-faults,task-clock", 0, 1 },
		{ A "," B "," C "," D, 4, 1 },
		{ A "," B "," C "," D ",INST_RETIRED:ANY,page-faults", 5, 1 }, /* it has its own */
		{ A "," B "," C "," D "," E, 5, 4 / 5. },
		{ A "," B "," C "," D "," E "," A "," B "," C "," D "," E, 10, 4 / 10. },
		{ "{" A "," B "},{" C "," D "}", 2, 1 },
		{ "{" A "," B "," C "},{" D "," E "}", 2, 1 / 2. },
		/* The second stands in the way of the third, which would fit beside the first. */
		{ "{" A "," B "," C "},{" D "," E "}," A, 3, 1 / 3. },
	};
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct turns turns = find(all[i].list);

		ck_assert_msg(turns.groups == all[i].groups, "%s: %u", all[i].list, turns.groups);
		ck_assert_msg(fabs(turns.share - all[i].share) < 1e-9, "%s: %f", all[i].list,
			      turns.share);
	}
}
END_TEST

/* As docs/COSTS.md has it of ten events on four counters. */
START_TEST(seconds)
{
	const struct turns none = { .groups = 3, .share = 1 }, ten = { .groups = 10, .share = 0.4 };

	ck_assert(turns_seconds(&none) == 0);
	ck_assert(fabs(turns_seconds(&ten) - 7.5) < 1e-9);
}
END_TEST

UNIT_MAIN("turns", 60, shares, seconds)

#else

START_TEST(none)
{
	struct events events = { .base16 = true };

	events_add(&events, "page-faults");
	events_finish(&events);
	ck_assert(turns_of(&events).share == 1);
	events_free(&events);
}
END_TEST

UNIT_MAIN("turns", 60, none)

#endif
