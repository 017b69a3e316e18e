// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the library makes of this machine's processor, on an x86 that answers CPUID as others do:
 * the counters that a control names, over perf_events, and the types that it may say it has.
 */
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/word.h"
#include "lib/isa/control.h"
#include "lib/isa/native.h"
#include "lib/perf/probe.h"
#include "libperfctr.h"
#include "arch/cpu.h"
#include "arch/events.h"
#include "unit.h"

#if defined(__i386__) || defined(__x86_64__)

static struct perfctr_cpuid told;

void perfctr_cpuid_read(struct perfctr_cpuid *id)
{
	*id = told;
}

/* Before this process looks for the first time: each test is a process. */
static void become(const char *vendor, uint32_t signature, uint32_t leaf0a_eax, uint32_t leaf0a_edx,
		   const char *id)
{
	unsetenv("PERFCTR_ROOT");
	told = (struct perfctr_cpuid){
		.max_leaf = 0xA,
		.signature = signature,
		.leaf1_edx = PERFCTR_CPUID_TSC,
		.leaf0a_eax = leaf0a_eax,
		.leaf0a_edx = leaf0a_edx,
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

static void become_icelake(void)
{
	become("GenuineIntel", 0x706E5, 0x08300805, 0x8604, "icelake");
}

static void become_phenom(void)
{
	become("AuthenticAMD", 0x100F22, 0, 0, "fam10h");
}

static void become_zen(void)
{
	told.ext1_ecx = 0;
	become("AuthenticAMD", 0x800F12, 0, 0, "zen1");
}

/* ---- named counters ---- */

#define ENABLED 0x00410000u /* in user mode */
#define FIXED	0x40000000u

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

#define PLACE(...)                                                          \
	place(sizeof((uint32_t[][2]){ __VA_ARGS__ }) / sizeof(uint32_t[2]), \
	      (const uint32_t[][2]){ __VA_ARGS__ })
#define P(map, event)      \
	{                  \
		map, event \
	}

START_TEST(any_order_and_gaps)
{
	become_skylake();
	ck_assert_int_eq(PLACE(P(0, 0x00C0), P(1, 0x003C)), 0);
	ck_assert_int_eq(PLACE(P(2, 0x00C0), P(0, 0x003C), P(1, 0x00C4)), 0);
	ck_assert_int_eq(PLACE(P(3, 0x00C0)), 0);
	ck_assert_int_eq(PLACE(P(3, 0x00C0), P(FIXED, 0), P(1, 0x003C), P(FIXED + 2, 0)), 0);
	/* Events that the table does not have may be anywhere. */
	ck_assert_int_eq(PLACE(P(3, 0xFFFF), P(0, 0xFFFE)), 0);
	/* Reference cycles are the fixed counter's alone; over there their code is not looked at.
	 */
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
		 "pmc_map[0] names counter 1, but event 0x004101CB counts only on counter 0, and");
	ck_assert_int_eq(PLACE(P(1, 0x0013)), 0);
	ck_fails(PLACE(P(0, 0x0013)), EOPNOTSUPP, "only on counter 1, and");
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

/* What perf_events counts transactions by makes no other event of it, either. */
START_TEST(events_in_transactions)
{
	struct perfctr_cpu_control control;
	uint32_t high;

	become_skylake();
	memset(&control, 0, sizeof(control));
	control.nractrs = 1;
	control.evntsel[0] = ENABLED | 0x0300;
	for (high = 1; high < 0x100; high <<= 1) {
		control.evntsel_high[0] = high;
		ck_fails(perfctr_control_place(&control), EOPNOTSUPP, "only on a fixed counter");
	}
	/* Another event, which the table does not have. */
	control.evntsel_high[0] = 0x100;
	ck_assert_int_eq(perfctr_control_place(&control), 0);
}
END_TEST

START_TEST(amd_events)
{
	become_phenom();
	ck_assert_int_eq(PLACE(P(3, 0x00C0), P(1, 0x0076), P(0, 0x00C2)), 0);
}
END_TEST

/* ---- what perf_events is asked for ---- */

/* A control of one counter as an event; the errno if there is none. */
static int attr_of(uint32_t map, uint32_t evntsel, uint32_t high, struct perf_event_attr *attr,
		   const char *name)
{
	struct perfctr_cpu_control control;
	char found[32];

	memset(&control, 0, sizeof(control));
	control.nractrs = 2;
	control.pmc_map[1] = map;
	control.evntsel[1] = evntsel;
	control.evntsel_high[1] = high;
	control.offcore_rsp[0] = 0x10003;
	control.offcore_rsp_high[0] = 0x3F;
	memset(attr, 0, sizeof(*attr));
	errno = 0;
	if (perfctr_control_attr(&control, 1, attr, found, sizeof(found)) < 0)
		return errno;
	ck_assert_str_eq(found, name);
	ck_assert_uint_eq(attr->type, PERF_TYPE_RAW);
	ck_assert_uint_eq(attr->exclude_hv, 1);
	return 0;
}

#define USER   0x10000u
#define KERNEL 0x20000u

START_TEST(controls_as_events)
{
	static const uint64_t fixed[] = { 0xC0, 0x3C, 0x300, 0x400 };
	struct perf_event_attr attr;
	unsigned int i;

	become_icelake();
	/* The kernel has its own ways to say the modes, to enable and to interrupt. */
	ck_assert_int_eq(attr_of(0, 0x01FF53C0, 0, &attr, "0x01FF53C0"), 0);
	ck_assert_uint_eq(attr.config, 0x01AC53C0);
	/* A control without a mode breaks a rule. */
	for (i = 1; i < 4; i++) {
		uint32_t evntsel = (i & 1 ? USER : 0) | (i & 2 ? KERNEL : 0) | 0x4000C4;

		ck_assert_int_eq(attr_of(0, evntsel, 0, &attr,
					 (const char *[]){ "0x004000C4", "0x004100C4", "0x004200C4",
							   "0x004300C4" }[i]),
				 0);
		ck_assert_uint_eq(attr.exclude_user, !(i & 1));
		ck_assert_uint_eq(attr.exclude_kernel, !(i & 2));
		ck_assert_uint_eq(attr.config, 0xC4);
		ck_assert_uint_eq(attr.config1, 0);
	}
	/* A register beside the event select. */
	ck_assert_int_eq(attr_of(0, ENABLED | 0x01B7, 0, &attr, "0x004101B7"), 0);
	ck_assert_uint_eq(attr.config, 0x01B7);
	ck_assert_uint_eq(attr.config1, UINT64_C(0x3F00010003));
	/* Fixed counters, whatever event select stands there; not all have a code. */
	for (i = 0; i < ARRAY_SIZE(fixed); i++) {
		ck_assert_int_eq(attr_of(FIXED + i, USER, 0, &attr, "0x00010000"), 0);
		ck_assert_uint_eq(attr.config, fixed[i]);
		ck_assert_uint_eq(attr.exclude_kernel, 1);
		ck_assert_uint_eq(attr.exclude_user, 0);
	}
	ck_assert_int_eq(attr_of(FIXED + 7, USER, 0, &attr, ""), EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(perfctr_error(), "pmc_map[1] is fixed counter 7"));
}
END_TEST

START_TEST(controls_of_amd_as_events)
{
	struct perf_event_attr attr;

	become_zen();
	ck_assert_int_eq(attr_of(0, ENABLED | 0xC0, 1, &attr, "0x004100C0/0x00000001"), 0);
	ck_assert_uint_eq(attr.config, UINT64_C(0x1000000C0));
	ck_assert_uint_eq(attr.config1, 0);
	/* Which is no offcore response there. */
	ck_assert_int_eq(attr_of(0, ENABLED | 0x01B7, 0, &attr, "0x004101B7"), 0);
	ck_assert_uint_eq(attr.config1, 0);
}
END_TEST

/* Perf_events has events of its own for it. */
START_TEST(controls_of_a_pentium_4)
{
	struct perf_event_attr attr;

	become("GenuineIntel", 0xF24, 0, 0, "p4");
	ck_assert_int_eq(attr_of(0, 0, 0, &attr, ""), EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(perfctr_error(), "load the perfctr driver"));
}
END_TEST

/* The words of ours that perfctr 2.6's programs do not know are looked at. */
START_TEST(checked_controls)
{
	struct perfctr_cpu_control control;

	become_icelake();
	memset(&control, 0, sizeof(control));
	control.nractrs = 1;
	control.evntsel[0] = ENABLED | 0x01B7;
	control.offcore_rsp[0] = 1;
	control.offcore_rsp_high[0] = 0x3F;
	ck_assert_msg(perfctr_cpu_control_check(&control) == 0, "%s", perfctr_error());
	ck_assert_int_eq(perfctr_control_check(&control, false), -1);
	ck_fails(perfctr_cpu_control_check(NULL), EINVAL, "NULL");
}
END_TEST

/* ---- types ---- */

static int info_with(const char *type, unsigned int cpu_type)
{
	struct perfctr_info info = { .cpu_type = cpu_type };
	int result;

	setenv("PERFCTR_CPU_TYPE", type, 1);
	result = perfctr_cpu_info_wished(&info);
	unsetenv("PERFCTR_CPU_TYPE");
	return result < 0 ? -1 : (int)info.cpu_type;
}

static unsigned int nrctrs(unsigned int type)
{
	struct perfctr_info info = { .cpu_type = type };

	return perfctr_info_nrctrs(&info);
}

START_TEST(types_of_a_skylake)
{
	struct perfctr_info info = { .cpu_type = PERFCTR_X86_INTEL_CORE2 };

	become_skylake();
	/* What nobody asks for stays honest. */
	ck_assert_int_eq(info_with("", PERFCTR_X86_INTEL_ARCH), PERFCTR_X86_INTEL_ARCH);
	ck_assert_int_eq(info_with("24", PERFCTR_X86_INTEL_ARCH), 24);
	ck_assert_int_eq(info_with("18", PERFCTR_X86_INTEL_ARCH), 18);
	ck_assert_int_eq(info_with("21", PERFCTR_X86_INTEL_ARCH), 21);
	ck_assert_int_eq(info_with("23", PERFCTR_X86_INTEL_ARCH), 23);
	/* As many as programs of 2.6 take such a type to have. */
	ck_assert_uint_eq(nrctrs(PERFCTR_X86_INTEL_ARCH), 7);
	ck_assert_uint_eq(nrctrs(PERFCTR_X86_INTEL_CORE), 2);
	ck_assert_uint_eq(nrctrs(PERFCTR_X86_INTEL_CORE2), 5);
	ck_assert_uint_eq(nrctrs(PERFCTR_X86_INTEL_NHLM), 7);
	ck_assert_str_eq(perfctr_info_cpu_name(&info), "Intel Core 2");
	/* Other rules; none; no number. */
	ck_fails(info_with("5", PERFCTR_X86_INTEL_ARCH), EINVAL, "the Intel Skylake, client (24)");
	ck_fails(info_with("19", PERFCTR_X86_INTEL_ARCH), EINVAL, "do not obey");
	ck_fails(info_with("25", PERFCTR_X86_INTEL_ARCH), EINVAL, "do not obey");
	ck_fails(info_with("0", PERFCTR_X86_INTEL_ARCH), EINVAL, "do not obey");
	ck_fails(info_with("26", PERFCTR_X86_INTEL_ARCH), EINVAL, "do not obey");
	ck_fails(info_with("core2", PERFCTR_X86_INTEL_ARCH), EINVAL, "is no number");
	ck_fails(info_with("18x", PERFCTR_X86_INTEL_ARCH), EINVAL, "is no number");
	ck_fails(info_with("-1", PERFCTR_X86_INTEL_ARCH), EINVAL, "is no number");
	ck_fails(info_with("4294967314", PERFCTR_X86_INTEL_ARCH), EINVAL, "is no number");
	ck_assert_uint_eq(nrctrs(5), 0);
	ck_assert_uint_eq(nrctrs(19), 0);
	/* Where the kernel has no counters there is nothing to call by another name. */
	ck_fails(info_with("18", PERFCTR_X86_GENERIC), EINVAL, "no counters here");
}
END_TEST

/* Its version 5 has no AnyThread, which Nehalem to Sandy Bridge, and Atom, allow. */
START_TEST(types_of_an_icelake)
{
	become_icelake();
	ck_assert_int_eq(info_with("17", PERFCTR_X86_INTEL_ARCH), 17);
	ck_assert_int_eq(info_with("18", PERFCTR_X86_INTEL_ARCH), 18);
	ck_fails(info_with("20", PERFCTR_X86_INTEL_ARCH), EINVAL, "do not obey");
	ck_fails(info_with("21", PERFCTR_X86_INTEL_ARCH), EINVAL, "do not obey");
	ck_fails(info_with("23", PERFCTR_X86_INTEL_ARCH), EINVAL, "do not obey");
}
END_TEST

START_TEST(types_of_a_core2)
{
	become_core2();
	ck_assert_int_eq(info_with("17", PERFCTR_X86_INTEL_CORE2), 17);
	ck_fails(info_with("21", PERFCTR_X86_INTEL_CORE2), EINVAL, "(18)");
	ck_fails(info_with("24", PERFCTR_X86_INTEL_CORE2), EINVAL, "(18)");
}
END_TEST

START_TEST(types_of_amd)
{
	become_zen();
	ck_assert_int_eq(info_with("19", PERFCTR_X86_AMD_CORE), 19);
	ck_assert_int_eq(info_with("15", PERFCTR_X86_AMD_CORE), 15);
	ck_assert_int_eq(info_with("9", PERFCTR_X86_AMD_CORE), 9);
	ck_fails(info_with("18", PERFCTR_X86_AMD_CORE), EINVAL, "do not obey");
	ck_assert_uint_eq(nrctrs(PERFCTR_X86_AMD_FAM10H), 4);
}
END_TEST

/* Northbridge events are one core's there, and any core's on K7 and family 15h. */
START_TEST(types_of_a_phenom)
{
	become_phenom();
	ck_assert_int_eq(info_with("13", PERFCTR_X86_AMD_FAM10H), 13);
	ck_fails(info_with("9", PERFCTR_X86_AMD_FAM10H), EINVAL, "do not obey");
	ck_fails(info_with("25", PERFCTR_X86_AMD_FAM10H), EINVAL, "do not obey");
}
END_TEST

UNIT_MAIN("native", 60, any_order_and_gaps, events_of_one_counter, events_in_transactions,
	  amd_events, controls_as_events, controls_of_amd_as_events, controls_of_a_pentium_4,
	  checked_controls, types_of_a_skylake, types_of_an_icelake, types_of_a_core2, types_of_amd,
	  types_of_a_phenom)

#else

int main(void)
{
	puts("Only an x86 can be made to answer as another one.");
	return 77;
}

#endif
