// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests which processor of a PMU's mask counts for another one: the nearest that the mask has. */
#include <stdlib.h>
#include <string.h>
#include "tests/harness/check.h"
#include "tests/harness/root.h"
#include "tools/perfex/count/cpumask.h"

/* What follows a mask is not looked at. */
static struct {
	uint32_t mask[CPUMASK_CPUS / 32], after;
} memory = { .after = UINT32_MAX };
static uint32_t *const mask = memory.mask;

static void has_cpu(unsigned int cpu)
{
	mask[cpu / 32] |= (uint32_t)1 << cpu % 32;
}

static int find(unsigned int cpu, unsigned int a, unsigned int b)
{
	memset(mask, 0, sizeof(memory.mask));
	has_cpu(a);
	has_cpu(b);
	return cpumask_find(cpu, mask);
}

START_TEST(without_topology)
{
	root_make();
	memset(mask, 0, sizeof(memory.mask));
	ck_assert_int_eq(cpumask_find(0, mask), -1);
	ck_assert_int_eq(cpumask_find(CPUMASK_CPUS, mask), -1);
	ck_assert_int_eq(find(5, 5, 3), 5);
	ck_assert_int_eq(find(5, 31, 32), 31);
	ck_assert_int_eq(find(5, 32, 33), 32);
	ck_assert_int_eq(find(5, CPUMASK_CPUS - 1, CPUMASK_CPUS - 1), CPUMASK_CPUS - 1);
	ck_assert_int_eq(find(0, 0, 1), 0);
	root_remove();
}
END_TEST

#define CPU9 "/sys/devices/system/cpu/cpu9/"

/* Each level has a processor that the one before it has not. */
START_TEST(the_nearest)
{
	static const char *const files[] = {
		CPU9 "topology/core_cpus_list",	     CPU9 "topology/thread_siblings_list",
		CPU9 "cache/index3/shared_cpu_list", CPU9 "topology/die_cpus_list",
		CPU9 "topology/package_cpus_list",   CPU9 "topology/core_siblings_list",
	};
	char list[32];
	unsigned int i;

	root_make();
	for (i = ARRAY_SIZE(files); i-- > 0;) {
		/* 0 is the mask's first, the last levels know 20 to 25. */
		snprintf(list, sizeof(list), "9,%u-25", 20 + i);
		root_line(files[i], list);
		ck_assert_int_eq(find(9, 0, 20 + i), (int)(20 + i));
		if (i)
			ck_assert_int_eq(find(9, 0, 19 + i), 0);
		ck_assert_int_eq(find(9, 9, 20 + i), 9);
		ck_assert_int_eq(find(8, 0, 20 + i), 0);
	}
	/* The core's, though others come first in the mask. */
	root_line(files[0], "25");
	ck_assert_int_eq(find(9, 21, 25), 25);
	root_remove();
}
END_TEST

START_TEST(lists)
{
	static const struct {
		const char *list;
		int found; /* of 40 and 50; 0 is the mask's, too */
	} cases[] = {
		{ "40", 40 },
		{ "1-40", 40 },
		{ "40-45", 40 },
		{ "41-49", 0 },
		{ "1,3-5,50", 50 },
		{ "50,40", 50 },
		{ "1-3,41-60", 50 },
		{ "", 0 },
		{ "x", 0 },
		{ "60-1", 0 },
		{ "1-99999999999", 40 },
		{ "9000-9100,50", 50 },
		{ "0,40", 0 },
	};
	unsigned int i;

	root_make();
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		root_line(CPU9 "topology/core_cpus_list", cases[i].list);
		memset(mask, 0, sizeof(memory.mask));
		has_cpu(40);
		has_cpu(50);
		has_cpu(0);
		ck_assert_msg(cpumask_find(9, mask) == cases[i].found, "%s: %d", cases[i].list,
			      cpumask_find(9, mask));
	}
	root_remove();
}
END_TEST

UNIT_MAIN("processors that share a PMU", 20, without_topology, the_nearest, lists)
