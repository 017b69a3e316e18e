// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of events, against small stand-ins for /sys in tests/data/roots. */
#include <stdio.h>
#include <unistd.h>
#include "unit.h"

static void use_root(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/roots/%s", srcdir ? srcdir : ".", name);
	ck_assert_msg(access(path, R_OK) == 0, "%s is missing", path);
	setenv("PERFCTR_ROOT", path, 1);
}

static struct perf_event_attr parsed(const char *event)
{
	struct perf_event_attr attr;

	ck_assert_msg(perfctr_event_parse(event, strlen(event), &attr) == 0, "%s: %s", event,
		      perfctr_error());
	ck_assert_uint_eq(attr.size, sizeof(attr));
	return attr;
}

static void is(const char *event, unsigned int type, uint64_t config)
{
	struct perf_event_attr attr = parsed(event);

	ck_assert_msg(attr.type == type && attr.config == config, "%s: type %u config %llx", event,
		      attr.type, (unsigned long long)attr.config);
}

#define fails(event, error, words) ck_fails(perfctr_event_check(event), error, words)

START_TEST(names_of_every_kernel)
{
	use_root("vm");
	is("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	is("CPU-Cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	is("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	is("cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES);
	is("cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES);
	is("branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	is("branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	is("branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES);
	is("bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES);
	is("stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
	is("stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	is("ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES);
	is("task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	is("cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	is("faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	is("minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN);
	is("L1-dcache-loads", PERF_TYPE_HW_CACHE, 0);
	is("l1-DCACHE-load-misses", PERF_TYPE_HW_CACHE, 0x10000);
	is("L1-icache-load-misses", PERF_TYPE_HW_CACHE, 0x10001);
	is("LLC-stores", PERF_TYPE_HW_CACHE, 0x102);
	is("dTLB-store-misses", PERF_TYPE_HW_CACHE, 0x10103);
	is("iTLB-loads", PERF_TYPE_HW_CACHE, 4);
	is("branch-load-misses", PERF_TYPE_HW_CACHE, 0x10005);
	is("node-prefetches", PERF_TYPE_HW_CACHE, 0x206);
	fails("L1-icache-stores", EINVAL, "not an event");
	is("r1c2", PERF_TYPE_RAW, 0x1C2);
	is("RFFFFFFFFFFFFFFFF", PERF_TYPE_RAW, UINT64_MAX);
	fails("r10000000000000000", EINVAL, "not an event");
	fails("r", EINVAL, "not an event");
	fails("0x4300c0", EINVAL, "r1c2");
}
END_TEST

START_TEST(near_misses)
{
	use_root("skylake");
	fails("instrctions", EINVAL, "\"instrctions\" is not an event; did you mean instructions");
	fails("page-fautls", EINVAL, "page-faults");
	fails("L1-dcache-lod-misses", EINVAL, "L1-dcache-load-misses");
	fails("qqqqqqqqqqqq", EINVAL, "perfex -l");
	fails("cpu/mem-laods/", EINVAL, "mem-loads");
	fails("cpu/evnt=1/", EINVAL, "event");
	fails("cpuu/event=1/", ENOENT, "cpu");
	fails("", EINVAL, "no name");
	fails(NULL, EINVAL, "NULL");
}
END_TEST

START_TEST(modifiers)
{
	struct perf_event_attr attr;

	use_root("skylake");
	attr = parsed("cycles");
	ck_assert(!attr.exclude_user && !attr.exclude_kernel && !attr.exclude_hv);
	attr = parsed("cycles:u");
	ck_assert(!attr.exclude_user && attr.exclude_kernel && attr.exclude_hv);
	attr = parsed("cycles:k");
	ck_assert(attr.exclude_user && !attr.exclude_kernel && attr.exclude_hv);
	attr = parsed("cycles:ukh");
	ck_assert(!attr.exclude_user && !attr.exclude_kernel && !attr.exclude_hv);
	attr = parsed("instructions:uGI");
	ck_assert(attr.exclude_host && !attr.exclude_guest && attr.exclude_idle && attr.exclude_kernel);
	attr = parsed("instructions:H");
	ck_assert(!attr.exclude_host && attr.exclude_guest && !attr.exclude_kernel);
	attr = parsed("cpu/event=0xc0/u");
	ck_assert(attr.exclude_kernel && attr.config == 0xC0);
	attr = parsed("cpu/event=0xc0/:k");
	ck_assert(attr.exclude_user);
	attr = parsed("r1c2:u");
	ck_assert(attr.exclude_kernel && attr.config == 0x1C2);
	fails("cycles:", EINVAL, "no modifier");
	fails("cycles:x", EINVAL, "\"x\"");
	fails("cycles:uu", EINVAL, "twice");
	fails("cycles:pp", EINVAL, "precise");
	fails("cycles:u:k", EINVAL, "\":\"");
}
END_TEST

START_TEST(descriptions_in_sysfs)
{
	struct perf_event_attr attr;

	use_root("skylake");
	is("cpu/event=0x3c,umask=1/", 4, 0x13C);
	is("CPU/Event=60/", 4, 0x3C);
	is("cpu/config=0x1234/", 4, 0x1234);
	is("cpu/inv,edge,cmask=2/", 4, 0x2840000);
	is("cpu/cache-misses/", 4, 0x412E);
	is("cpu/cache-misses,umask=0x4f/", 4, 0x4F2E);
	is("cpu//", 4, 0);
	is("uncore_cbox_0/event=0x34/", 12, 0x34);
	attr = parsed("cpu/mem-loads,ldat=7/");
	ck_assert_uint_eq(attr.config, 0x1CD);
	ck_assert_uint_eq(attr.config1, 7);
	attr = parsed("cpu/event=0xb7,offcore_rsp=0x3fffffffff/");
	ck_assert_uint_eq(attr.config1, 0x3FFFFFFFFF);
	fails("cpu/mem-loads/", EINVAL, "needs a value for ldat");
	is("mem-stores", 4, 0x82D0);	/* the core's events need no PMU name */
	fails("cpu/event=0x100/", EINVAL, "the field event of the PMU cpu has 8 bits");
	fails("cpu/event=zz/", EINVAL, "no number");
	fails("cpu/event=/", EINVAL, "no number");
	fails("cpu/name=foo/", EINVAL, "no number");
	fails("cpu/period=1/", EINVAL, "neither");
	fails("cpu/event=1", EINVAL, "closing");
	fails("../cpu/event=1/", EINVAL, "");
	fails(".cpu/event=1/", EINVAL, "can't be the name");
	fails("cpu/../", EINVAL, "");
	use_root("neoverse");
	is("armv8_pmuv3_0/event=0x11/", 8, 0x11);
	attr = parsed("armv8_pmuv3_0/event=0x8,long,rdpmc=1/");
	ck_assert_uint_eq(attr.config1, 3);
	is("l2d_cache_refill", 8, 0x17);
	use_root("vm");
	fails("cpu/event=1/", ENOENT, "there are msr, software");
	use_root("nothing");
	fails("cpu/event=1/", ENOENT, "can't be read");
	is("cycles", PERF_TYPE_HARDWARE, 0);
}
END_TEST

START_TEST(hostile_descriptions)
{
	use_root("hostile");
	fails("bad/reversed=1/", EINVAL, "makes no sense");
	fails("bad/toohigh=1/", EINVAL, "makes no sense");
	fails("bad/noword=1/", EINVAL, "makes no sense");
	fails("bad/nocolon=1/", EINVAL, "makes no sense");
	fails("bad/trailing=1/", EINVAL, "makes no sense");
	fails("bad/empty=1/", EINVAL, "makes no sense");
	fails("bad/huge=1/", EINVAL, "makes no sense");
	fails("bad/long=1/", EINVAL, "can't be read");
	fails("bad/selfish/", EINVAL, "neither");
	fails("notype/event=1/", ENOENT, "no type number");
	fails("negative/event=1/", ENOENT, "no type number");
}
END_TEST

START_TEST(tracepoints)
{
	struct perf_event_attr attr;

	use_root("skylake");
	is("sched:sched_switch", PERF_TYPE_TRACEPOINT, 308);
	attr = parsed("sched:sched_switch:u");
	ck_assert(attr.exclude_kernel && attr.config == 308);
	fails("sched:sched_swich", EINVAL, "sched:sched_switch");
	fails("sched:", EINVAL, "not an event");
	fails(":x", EINVAL, "not an event");
	fails("sched:../sched_switch", EINVAL, "");
	use_root("vm");
	fails("sched:sched_switch", ENOENT, "mount -t tracefs");
}
END_TEST

START_TEST(lists)
{
	const char *list = "cycles,cpu/event=1,umask=2/,r1", *event;

	ck_assert_int_eq(perfctr_event_next(&list, &event), 6);
	ck_assert(strncmp(event, "cycles", 6) == 0);
	ck_assert_int_eq(perfctr_event_next(&list, &event), 20);
	ck_assert(strncmp(event, "cpu/event=1,umask=2/", 20) == 0);
	ck_assert_int_eq(perfctr_event_next(&list, &event), 2);
	ck_assert_int_eq(perfctr_event_next(&list, &event), 0);
	list = "a,,b";
	ck_assert_int_eq(perfctr_event_next(&list, &event), 1);
	ck_fails((int)perfctr_event_next(&list, &event), EINVAL, "empty place");
	list = "a,";
	ck_fails((int)perfctr_event_next(&list, &event), EINVAL, "empty place");
	list = "cpu/event";
	ck_fails((int)perfctr_event_next(&list, &event), EINVAL, "closing");
}
END_TEST

static int count_names(void *arg, const struct perfctr_event_name *name)
{
	++*(unsigned int *)arg;
	ck_assert_int_eq(perfctr_event_check(name->name) == 0 || errno == EINVAL, 1);
	return 0;
}

static int stop_at_once(void *arg, const struct perfctr_event_name *name)
{
	(void)arg;
	(void)name;
	return 7;
}

static unsigned int number_of(const char *kind)
{
	unsigned int n = 0;

	ck_assert_int_eq(perfctr_event_list(kind, count_names, &n), 0);
	return n;
}

START_TEST(listing)
{
	use_root("skylake");
	ck_assert_uint_eq(number_of("hardware"), 10);
	ck_assert_uint_eq(number_of("software"), 12);
	ck_assert_uint_eq(number_of("cache"), 32);
	ck_assert_uint_eq(number_of("pmu"), 3);
	ck_assert_uint_eq(number_of("tracepoint"), 1);
	ck_assert_uint_eq(number_of(NULL), 57);
	ck_assert_int_eq(perfctr_event_list(NULL, stop_at_once, NULL), 7);
	ck_fails(perfctr_event_list("nonsense", stop_at_once, NULL), EINVAL, "hardware, cache");
}
END_TEST

UNIT_MAIN("event", names_of_every_kernel, near_misses, modifiers, descriptions_in_sysfs,
	  hostile_descriptions, tracepoints, lists, listing)
