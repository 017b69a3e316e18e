// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests the library's view of this machine's processor, on an x86 that answers CPUID as others do:
 * the counters that a control names, over perf_events, and the types that it may say it has.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "lib/isa/pmu.h"
#include "lib/perf/check.h"
#include "lib/base/word.h"
#include "lib/isa/control.h"
#include "lib/isa/identify.h"
#include "lib/isa/native.h"
#include "lib/perf/guests.h"
#include "lib/perf/probe.h"
#include "lib/names/table.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"
#include "arch/cpu.h"
#include "arch/events.h"
#include "tests/harness/printed.h"
#include "tests/harness/root.h"
#include "tests/harness/check.h"

#if defined(__i386__) || defined(__x86_64__)

static struct perfctr_cpuid told;

void perfctr_cpuid_read(struct perfctr_cpuid *id)
{
	*id = told;
}

/* Whether the kernel has a PMU: then its events are descriptors, of nothing. */
static bool no_pmu;

int __real_perfctr_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd);
int __wrap_perfctr_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd);

int __wrap_perfctr_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd)
{
	int fd;

	if (attr->type != PERF_TYPE_HARDWARE)
		return __real_perfctr_event_open(attr, tid, cpu, group_fd);
	if (no_pmu) {
		errno = ENOENT;
		return -1;
	}
	fd = memfd_create("event", MFD_CLOEXEC);
	ck_assert(fd >= 0 && ftruncate(fd, sysconf(_SC_PAGESIZE)) == 0);
	return fd;
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
		.leaf7_ebx = told.leaf7_ebx,
		.ext1_ecx = told.ext1_ecx,
		.leaf1_ebx = told.leaf1_ebx,
	};
	told.leaf1_edx |= told.leaf1_ebx ? 1u << 28 : 0; /* HTT: two cores of a K8 */
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
		 "pmc_map[0] names counter 1, but event 0x004101CB counts only on counter 0; "
		 "perf_events takes only");
	ck_assert_int_eq(PLACE(P(1, 0x0013)), 0);
	ck_fails(PLACE(P(0, 0x0013)), EOPNOTSUPP, "only on counter 1; ");
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

	told.leaf7_ebx = 1u << 11;
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

/* A processor without transactions has no upper half: what stands there makes no other event. */
START_TEST(no_upper_half)
{
	struct perfctr_cpu_control control;

	become_skylake();
	memset(&control, 0, sizeof(control));
	control.nractrs = 1;
	control.evntsel[0] = ENABLED | 0x0300;
	control.evntsel_high[0] = 0x100;
	ck_assert_int_eq(perfctr_control_check(&control, true), 0);
	ck_fails(perfctr_control_place(&control), EOPNOTSUPP, "only on a fixed counter");
}
END_TEST

START_TEST(amd_events)
{
	become_phenom();
	ck_assert_int_eq(PLACE(P(3, 0x00C0), P(1, 0x0076), P(0, 0x00C2)), 0);
}
END_TEST

/* Zen's event 003H takes an even counter and the next one, wherever the control wants it. */
static int note_guests(struct perf_event_attr *attr, const void *excluded)
{
	*(int *)(uintptr_t)excluded = attr->exclude_guest;
	return 0;
}

/* AMD's precise samples are those of IBS, a PMU that does not know guests and refuses to be asked.
 */
START_TEST(precise_guests)
{
	enum perfctr_guests guests = PERFCTR_GUESTS_ANY;
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE };
	int excluded = 2;

	become("AuthenticAMD", 0x800F12, 0, 0, "zen1");
	ck_assert_int_eq(perfctr_guests_open(&attr, &guests, note_guests, &excluded), 0);
	ck_assert_int_eq(excluded, 1);
	ck_assert_int_eq(guests, PERFCTR_GUESTS_OUT);
	guests = PERFCTR_GUESTS_ANY;
	attr.precise_ip = 1;
	attr.exclude_guest = 0;
	ck_assert_int_eq(perfctr_guests_open(&attr, &guests, note_guests, &excluded), 0);
	ck_assert_int_eq(excluded, 0);
	ck_assert_int_eq(guests, PERFCTR_GUESTS_IN);
}
END_TEST

START_TEST(precise_guests_of_a_skylake)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .precise_ip = 1 };
	enum perfctr_guests guests = PERFCTR_GUESTS_ANY;
	int excluded = 2;

	become_skylake();
	ck_assert_int_eq(perfctr_guests_open(&attr, &guests, note_guests, &excluded), 0);
	ck_assert_int_eq(excluded, 1);
}
END_TEST

START_TEST(pairs)
{
	struct perfctr_cpu_control control;

	told.ext1_ecx = 1u << 23; /* six counters */
	become("AuthenticAMD", 0x800F12, 0, 0, "zen1");
	ck_assert_uint_eq(perfctr_this_cpu()->pairs, 1);
	ck_assert_int_eq(PLACE(P(0, 0x0F03), P(2, 0x0F03), P(4, 0x0803)), 0);
	ck_assert_int_eq(PLACE(P(0, 0x0F03), P(3, 0x00C0), P(2, 0x00C1)), 0);
	memset(&control, 0, sizeof(control));
	control.nractrs = 2;
	control.pmc_map[1] = 1;
	control.evntsel[0] = ENABLED | 0x0F03;
	control.evntsel[1] = ENABLED | 0x00C0;
	ck_fails(perfctr_control_check(&control, true), EINVAL,
		 "pmc_map[1] has 0x00000001: event 003H on the counter before takes this one, too");
	control.pmc_map[1] = 2;
	ck_assert_int_eq(perfctr_control_check(&control, true), 0);
	control.pmc_map[0] = 5;
	ck_fails(perfctr_control_check(&control, true), EINVAL,
		 "pmc_map[0] has 0x00000005: event 003H takes an even counter and the next one");
}
END_TEST

/* A thread on a K8 of revision E with two cores: the event to blame is named. */
START_TEST(northbridge_by_name)
{
	struct perfctr_cpu_control control;

	told.leaf1_ebx = 0x00020800;
	become("AuthenticAMD", 0x20FB1, 0, 0, "k8_c");
	ck_assert_int_eq(perfctr_cpu_control_events(&control,
						    "RETIRED_INSTRUCTIONS,CPU_CLK_UNHALTED"),
			 2);
	ck_fails(perfctr_cpu_control_events(&control, "RETIRED_INSTRUCTIONS,DRAM_ACCESSES_PAGE:HIT,"
						      "CPU_CLK_UNHALTED"),
		 EOPNOTSUPP,
		 "DRAM_ACCESSES_PAGE:HIT can't be counted on the AMD K8, revision C to G: a thread "
		 "can't count the northbridge's events");
}
END_TEST

/* The four old counters, which a hypervisor may leave, make none. */
START_TEST(no_pairs)
{
	become_zen();
	ck_assert_uint_eq(perfctr_this_cpu()->pairs, 0);
	ck_assert_int_eq(PLACE(P(0, 0x0F03), P(1, 0x0F03), P(2, 0x0F03), P(3, 0x0803)), 0);
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
	ck_assert_str_eq(perfctr_error(),
			 "perf_events can't count with a control of the Intel Pentium 4 (model 2); "
			 "load the perfctr driver, or count by event name");
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

static int check(const struct perfctr_cpu_control *control, unsigned int nractrs, uint32_t map,
		 uint32_t evntsel)
{
	struct perfctr_cpu_control changed = *control;

	changed.nractrs = nractrs;
	changed.pmc_map[0] = map;
	changed.evntsel[0] = evntsel;
	return perfctr_cpu_control_check(&changed);
}

/* Which word of a control is wrong, and why; but first, whether anything can be counted. */
START_TEST(wrong_controls)
{
	struct perfctr_cpu_control control;

	become_skylake();
	memset(&control, 0, sizeof(control));
	control.pmc_map[1] = 1;
	control.evntsel[1] = ENABLED | 0x3C;
	ck_assert_int_eq(check(&control, 2, 0, ENABLED | 0xC0), 0);
	ck_fails(check(&control, 1, 0, 0xC0), EINVAL,
		 "invalid control: evntsel[0] has 0x00000000: USR (16) or OS (17) must be set");
	ck_fails(check(&control, 2, 0, 0x104100C0 | 1u << 19), EPERM,
		 "invalid control: evntsel[0] has 0x00080000: ");
	control.evntsel[1] &= 0xFFFF;
	ck_fails(check(&control, 2, 0, ENABLED | 0xC0), EINVAL,
		 "invalid control: evntsel[1] has 0x00000000: ");
	ck_fails(check(&control, 19, 0, ENABLED | 0xC0), EINVAL,
		 "invalid control: nractrs has 0x00000013: there are not so many counters");
	/* Where nothing can be counted, that is the news. */
	no_pmu = true;
	ck_fails(check(&control, 1, 0, 0xC0), EOPNOTSUPP, "no hardware counters: ");
	control.nrictrs = 1;
	ck_fails(check(&control, 0, 0, 0xC0), EOPNOTSUPP, "no hardware counters: ");
}
END_TEST

/* ---- printing ---- */

static void prints(const struct perfctr_cpu_control *control, const char *text)
{
	print_begin();
	perfctr_cpu_control_print(control);
	print_end();
	ck_assert_str_eq(printed, text);
}

/* Every word that says something, under its name; none that is not used. */
START_TEST(printed_controls)
{
	struct perfctr_cpu_control control;
	unsigned int i;

	become_skylake();
	memset(&control, 0, sizeof(control));
	prints(NULL, "");
	prints(&control, "tsc_on                  0\n"
			 "nractrs                 0\n");
	control.nractrs = 1;
	prints(&control, "tsc_on                  0\n"
			 "nractrs                 1\n"
			 "pmc_map[0]              0x00000000\n"
			 "evntsel[0]              0x00000000\n");
	memset(&control, 0x77, sizeof(control));
	control.tsc_on = 1;
	control.nractrs = 2;
	control.nrictrs = 1;
	for (i = 0; i < 3; i++) {
		control.pmc_map[i] = FIXED + i;
		control.evntsel[i] = ENABLED + i;
		control.evntsel_high[i] = 0x100 + i;
		control.ireset[i] = -1000 - (int)i;
	}
	control.offcore_rsp[0] = 0xA;
	control.offcore_rsp[1] = 0xB;
	control.offcore_rsp_high[0] = 0xC;
	control.offcore_rsp_high[1] = 0xD;
	control.pebs_frontend = 0xE;
	prints(&control, "tsc_on                  1\n"
			 "nractrs                 2\n"
			 "nrictrs                 1\n"
			 "pmc_map[0]              0x40000000\n"
			 "evntsel[0]              0x00410000\n"
			 "evntsel_high[0]         0x00000100\n"
			 "ireset[0]               -1000\n"
			 "pmc_map[1]              0x40000001\n"
			 "evntsel[1]              0x00410001\n"
			 "evntsel_high[1]         0x00000101\n"
			 "ireset[1]               -1001\n"
			 "pmc_map[2]              0x40000002\n"
			 "evntsel[2]              0x00410002\n"
			 "evntsel_high[2]         0x00000102\n"
			 "ireset[2]               -1002\n"
			 "offcore_rsp[0]          0x0000000A\n"
			 "offcore_rsp[1]          0x0000000B\n"
			 "offcore_rsp_high[0]     0x0000000C\n"
			 "offcore_rsp_high[1]     0x0000000D\n"
			 "pebs_frontend           14\n");
}
END_TEST

START_TEST(printed_controls_of_a_pentium_4)
{
	struct perfctr_cpu_control control;

	become("GenuineIntel", 0xF24, 0, 0, "p4");
	memset(&control, 0, sizeof(control));
	control.nractrs = 1;
	control.pmc_map[0] = 0x8000000C;
	control.evntsel[0] = 0x0003B000;
	control.p4.escr[0] = 0x12000204;
	control.ireset[0] = -5;
	control.p4.pebs_enable = 0x01000001;
	prints(&control, "tsc_on                  0\n"
			 "nractrs                 1\n"
			 "pmc_map[0]              0x8000000C\n"
			 "evntsel[0]              0x0003B000\n"
			 "p4.escr[0]              0x12000204\n"
			 "ireset[0]               -5\n"
			 "p4.pebs_enable          0x01000001\n");
	control.p4.pebs_matrix_vert = 2;
	control.nractrs = 0;
	prints(&control, "tsc_on                  0\n"
			 "nractrs                 0\n"
			 "p4.pebs_enable          0x01000001\n"
			 "p4.pebs_matrix_vert     0x00000002\n");
}
END_TEST

/* Of a control that names more counters than it can have. */
START_TEST(printed_nonsense)
{
	struct perfctr_cpu_control control;
	const char *p;
	unsigned int n = 0;

	become_skylake();
	memset(&control, 0, sizeof(control));
	control.nractrs = 1000;
	print_begin();
	perfctr_cpu_control_print(&control);
	print_end();
	for (p = printed; (p = strstr(p, "\npmc_map[")); p++)
		n++;
	ck_assert_uint_eq(n, PERFCTR_NR_CTRS);
}
END_TEST

/* ---- tables ---- */

/* Of another machine's root nothing is known but what is in it. */
START_TEST(table_of_a_root)
{
	struct perfctr_pmu core = { .type = 4, .name = "cpu_atom" };
	struct perfctr_cpu cpu;

	told.leaf0a_ecx = 7;
	root_make();
	told = (struct perfctr_cpuid){
		.max_leaf = 0xA,
		.vendor = "GenuineIntel",
		.signature = 0x90672,
		.leaf1_edx = PERFCTR_CPUID_TSC,
		.leaf0a_eax = 0x07300605,
		.leaf0a_edx = 0x8603,
	};
	ck_assert_str_eq(perfctr_this_cpu()->id, "goldencove");
	ck_assert_ptr_null(perfctr_this_table());
	ck_assert_ptr_null(perfctr_core_table(&core, &cpu));
	ck_assert_int_eq(perfctr_cores_event_list(&core, 1, NULL, NULL), 0);
	/* Nor where its events count. */
	ck_assert_int_eq(PLACE(P(0, 0x0300)), 0);
	ck_assert_int_eq(PLACE(P(3, 0x00C0), P(5, 0x003C)), 0);
	unsetenv("PERFCTR_ROOT");
	ck_assert_ptr_null(perfctr_core_table(&core, &cpu));
	root_remove();
}
END_TEST

/* A unit mask of the historical description has no more than 255 values. */
START_TEST(many_masks)
{
	const struct perfctr_event_set *set;
	unsigned int i;

	become("GenuineIntel", 0x306D4, 0x07300403, 0x0603, "broadwell");
	set = perfctr_cpu_event_set(PERFCTR_X86_INTEL_ARCH);
	ck_assert_ptr_nonnull(set);
	for (i = 0; i < set->nevents && strcmp(set->events[i].name, "OFFCORE_RESPONSE");)
		i++;
	ck_assert_uint_lt(i, set->nevents);
	ck_assert_uint_eq(set->events[i].unit_mask->nvalues, 255);
	ck_assert_ptr_nonnull(set->events[i].unit_mask->values[254].description);
}
END_TEST

/* ---- types ---- */

/* Without a PMU no type of processor has counters, nor has one that the library does not know. */
START_TEST(type_without_counters)
{
	struct perfctr_info info = { .cpu_type = 99 };

	become_skylake();
	ck_assert_int_eq(perfctr_provider_perf.info(&info), 0);
	ck_assert_uint_eq(info.cpu_type, PERFCTR_X86_INTEL_ARCH);
	no_pmu = true;
	ck_assert_int_eq(perfctr_provider_perf.info(&info), 0);
	ck_assert_uint_eq(info.cpu_type, PERFCTR_X86_GENERIC);
}
END_TEST

/* The type is none of the processor's, but the name is, and the id. */
START_TEST(name_without_counters)
{
	struct perfctr_info info = { .cpu_type = PERFCTR_X86_GENERIC };
	const char *id, *name;

	become_skylake();
	ck_assert_str_eq(perfctr_info_cpu_name(&info), "Intel Skylake, client");
	info.cpu_type = PERFCTR_X86_INTEL_ARCH;
	ck_assert_str_eq(perfctr_info_cpu_name(&info), "Intel Skylake, client");
	info.cpu_type = PERFCTR_X86_INTEL_P6;
	ck_assert_str_eq(perfctr_info_cpu_name(&info), "Intel Pentium Pro");
	ck_assert_int_eq(perfctr_cpu_native(&id, &name), 0);
	ck_assert_str_eq(id, "skylake");
	ck_assert_str_eq(name, "Intel Skylake, client");
	ck_fails(perfctr_cpu_native(NULL, &name), EINVAL, "not NULL");
	ck_fails(perfctr_cpu_native(&id, NULL), EINVAL, "not NULL");
}
END_TEST

START_TEST(type_of_an_unknown_processor)
{
	struct perfctr_info info = { .cpu_type = 99 };
	const char *id, *name;

	become("CentaurHauls", 0x6F0, 0, 0, "");
	ck_assert_int_eq(perfctr_provider_perf.info(&info), 0);
	ck_assert_uint_eq(info.cpu_type, PERFCTR_X86_GENERIC);
	ck_assert_str_eq(perfctr_info_cpu_name(&info), "Generic x86 with TSC");
	ck_assert_int_eq(perfctr_cpu_native(&id, &name), 0);
	ck_assert_str_eq(id, "");
	ck_assert_str_eq(name, "Generic x86 with TSC");
	ck_assert_ptr_null(perfctr_this_table());
	ck_fails_null(perfctr_cpu_event_set(PERFCTR_X86_GENERIC), ENOENT, "processor type 0");
}
END_TEST

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
	ck_fails(info_with("core2", PERFCTR_X86_INTEL_ARCH), EINVAL, "is not the number");
	ck_fails(info_with("18x", PERFCTR_X86_INTEL_ARCH), EINVAL, "is not the number");
	ck_fails(info_with("+18", PERFCTR_X86_INTEL_ARCH), EINVAL, "is not the number");
	ck_fails(info_with(":", PERFCTR_X86_INTEL_ARCH), EINVAL, "is not the number");
	ck_fails(info_with("256", PERFCTR_X86_INTEL_ARCH), EINVAL, "is not the number");
	ck_fails(info_with("255", PERFCTR_X86_INTEL_ARCH), EINVAL, "do not obey");
	ck_fails(info_with("-1", PERFCTR_X86_INTEL_ARCH), EINVAL, "is not the number");
	ck_fails(info_with("4294967314", PERFCTR_X86_INTEL_ARCH), EINVAL, "is not the number");
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

static uint64_t config_of(const char *word)
{
	struct perfctr_list *list = perfctr_list_resolve(word, 0);
	struct perf_event_attr attr;

	ck_assert_msg(list, "%s", perfctr_error());
	ck_assert_int_eq(perfctr_list_attr(list, 0, 0, &attr, NULL, NULL, 0), 0);
	ck_assert_uint_eq(attr.type, PERF_TYPE_RAW);
	perfctr_list_free(list);
	return attr.config;
}

/* A name that begins with a digit is no TYPE:CONFIG, whatever stands after it. */
START_TEST(names_that_begin_with_digits)
{
	static const struct {
		char after[8];
		uint64_t config;
	} words[] = { { "", 0x81 },	     { ":u", 0x81 },	    { ":e", 0x40081 },
		      { ":c=1", 0x1000081 }, { ":uk:i", 0x800081 }, { ":PMC0", 0x81 } };
	char word[160];
	unsigned int i;

	become_zen();
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		snprintf(word, sizeof(word), "32_BYTE_INSTRUCTION_CACHE_MISSES%s", words[i].after);
		ck_assert_uint_eq(config_of(word), words[i].config);
	}
	ck_assert_uint_eq(config_of("4:0x81:u"), 0x81);
	ck_fails(perfctr_event_check("4:81x"), EINVAL, "as numbers it is TYPE:CONFIG");
	ck_fails(perfctr_event_check("32_BYTE_INSTRUCTION_CACHE_MISS"), EINVAL,
		 "did you mean 32_BYTE_INSTRUCTION_CACHE_MISSES");
}
END_TEST

UNIT_MAIN("native", 60, names_that_begin_with_digits, any_order_and_gaps, events_of_one_counter,
	  events_in_transactions, precise_guests, precise_guests_of_a_skylake, no_upper_half,
	  amd_events, northbridge_by_name, pairs, no_pairs, controls_as_events,
	  controls_of_amd_as_events, controls_of_a_pentium_4, checked_controls, wrong_controls,
	  printed_controls, printed_controls_of_a_pentium_4, printed_nonsense, table_of_a_root,
	  many_masks, type_without_counters, name_without_counters, type_of_an_unknown_processor,
	  types_of_a_skylake, types_of_an_icelake, types_of_a_core2, types_of_amd,
	  types_of_a_phenom)

#else

int main(void)
{
	puts("Only an x86 can be made to answer as another one.");
	return 77;
}

#endif
