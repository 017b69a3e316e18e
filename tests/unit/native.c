// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the library makes of this machine's processor, on an x86 that answers CPUID as others do: the
 * counters that a control names, over perf_events.
 */
#include <stdio.h>
#include <stdlib.h>
#include "arch/cpu.h"
#include "unit.h"

#if defined(__i386__) || defined(__x86_64__)

static struct perfctr_cpuid told;

void perfctr_cpuid_read(struct perfctr_cpuid *id)
{
	*id = told;
}

/* Before this process looks for the first time: each test is a process. */
static void become(const char *vendor, uint32_t signature, uint32_t leaf0a_eax,
		   uint32_t leaf0a_edx, const char *id)
{
	unsetenv("PERFCTR_ROOT");
	told = (struct perfctr_cpuid){
		.max_leaf = 0xA, .signature = signature, .leaf1_edx = PERFCTR_CPUID_TSC,
		.leaf0a_eax = leaf0a_eax, .leaf0a_edx = leaf0a_edx,
	};
	memcpy(told.vendor, vendor, sizeof(told.vendor));
	ck_assert_str_eq(perfctr_this_cpu()->id, id);
}

/* Version, counters and width; fixed counters: tests/data/cpuid. */
static void become_core2(void)
{
	become("GenuineIntel", 0x6F6, 0x07280202, 0x0503, "core2");
}

static void become_skylake(void)
{
	become("GenuineIntel", 0x506E3, 0x07300404, 0x0603, "skylake");
}

static void become_phenom(void)
{
	become("AuthenticAMD", 0x100F22, 0, 0, "fam10h");
}

/* ---- named counters ---- */

#define ENABLED 0x00410000u	/* in user mode */
#define FIXED 0x40000000u

/* Counters and their events, in pairs. */
static int place(unsigned int n, const uint32_t (*pair)[2])
{
	struct perfctr_cpu_control control;
	unsigned int i;

	memset(&control, 0, sizeof(control));
	control.nractrs = n;
	for (i = 0; i < n; i++) {
		control.pmc_map[i] = pair[i][0];
		control.evntsel[i] = ENABLED | pair[i][1];
	}
	return perfctr_control_place(&control);
}

#define PLACE(...) place(sizeof((uint32_t[][2]){ __VA_ARGS__ }) / sizeof(uint32_t[2]), \
			 (const uint32_t[][2]){ __VA_ARGS__ })
#define P(map, event) { map, event }

START_TEST(any_order_and_gaps)
{
	become_skylake();
	ck_assert_int_eq(PLACE(P(0, 0x00C0), P(1, 0x003C)), 0);
	ck_assert_int_eq(PLACE(P(2, 0x00C0), P(0, 0x003C), P(1, 0x00C4)), 0);
	ck_assert_int_eq(PLACE(P(3, 0x00C0)), 0);
	ck_assert_int_eq(PLACE(P(3, 0x00C0), P(FIXED, 0), P(1, 0x003C), P(FIXED + 2, 0)), 0);
	/* Events that the table does not have may be anywhere. */
	ck_assert_int_eq(PLACE(P(3, 0xFFFF), P(0, 0xFFFE)), 0);
	/* Reference cycles are the fixed counter's alone; over there their code is not looked at. */
	ck_fails(PLACE(P(0, 0x0300)), EOPNOTSUPP,
		 "pmc_map[0] names counter 0, but event 0x00410300 counts only on a fixed counter");
	ck_assert_int_eq(PLACE(P(FIXED + 2, 0x0300), P(2, 0x003C)), 0);
}
END_TEST

/* Of Core 2, retired loads' masks (CBH) count on counter 0 only, divisions (13H) on counter 1. */
START_TEST(events_of_one_counter)
{
	become_core2();
	ck_assert_int_eq(PLACE(P(0, 0x01CB)), 0);
	ck_fails(PLACE(P(1, 0x01CB)), EOPNOTSUPP,
		 "pmc_map[0] names counter 1, but event 0x004101CB counts only on counter 0,");
	ck_assert_int_eq(PLACE(P(1, 0x0013)), 0);
	ck_fails(PLACE(P(0, 0x0013)), EOPNOTSUPP, "only on counter 1,");
	/* Two change places. */
	ck_assert_int_eq(PLACE(P(1, 0x01CB), P(0, 0x00C0)), 0);
	ck_assert_int_eq(PLACE(P(0, 0x00C0), P(1, 0x01CB)), 0);
	ck_assert_int_eq(PLACE(P(1, 0x01CB), P(0, 0x0013)), 0);
	/* Both want the same one. */
	ck_fails(PLACE(P(0, 0x01CB), P(1, 0x02CB)), EOPNOTSUPP, "pmc_map[1] names counter 1");
	ck_fails(PLACE(P(FIXED, 0), P(0, 0x0013), P(1, 0x0013)), EOPNOTSUPP, "pmc_map[2]");
	/* Masks together, which no name stands for, are where each of them is. */
	ck_fails(PLACE(P(1, 0x03CB)), EOPNOTSUPP, "event 0x004103CB counts only on counter 0");
	ck_assert_int_eq(PLACE(P(0, 0x03CB)), 0);
	/* Modes of the event select make no other event of it. */
	ck_fails(PLACE(P(1, 0x010401CB)), EOPNOTSUPP, "only on counter 0");
}
END_TEST

START_TEST(amd_events)
{
	become_phenom();
	ck_assert_int_eq(PLACE(P(3, 0x00C0), P(1, 0x0076), P(0, 0x00C2)), 0);
}
END_TEST

UNIT_MAIN("native", 60, any_order_and_gaps, events_of_one_counter, amd_events)

#else

int main(void)
{
	puts("Only an x86 can be made to answer as another one.");
	return 77;
}

#endif
