// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of events, against small stand-ins for /sys in tests/data/roots and tests/data/sysfs. */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/names/resolve.h"
#include "lib/base/list.h"
#include "lib/base/word.h"
#include "lib/isa/attr.h"
#include "lib/isa/offer.h"
#include "lib/isa/pmu.h"
#include "libperfctr.h"
#include "tests/harness/root.h"
#include "tests/harness/names.h"
#include "tests/harness/check.h"
#include "tests/harness/others.h"

/* An x86's event select has bits of modes, which its kernel ignores; elsewhere no field has them.
 */
#if defined(__i386__) || defined(__x86_64__)
#define RAW	   "4:0x6530160"
#define RAW_CONFIG 0x6530160
#define NO_FIELDS  "0xffffffff00080000"
#else
#define RAW	   "4:0x6000160"
#define RAW_CONFIG 0x6000160
#define NO_FIELDS  "0xffffffff005b0000"
#endif

static void use_directory(const char *directory, const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/%s/%s", srcdir ? srcdir : ".", directory, name);
	ck_assert_msg(access(path, R_OK) == 0, "%s is missing", path);
	setenv("PERFCTR_ROOT", path, 1);
	perfctr_offer_forget();
}

#define use_root(name)	use_directory("roots", name)
#define use_sysfs(name) use_directory("sysfs", name)

static struct perf_event_attr parsed(const char *event)
{
	struct perf_event_attr attr;

	memset(&attr, 0xFF, sizeof(attr));
	ck_assert_msg(parse_event(event, strlen(event), &attr) == 0, "%s: %s", event,
		      perfctr_error());
	ck_assert_uint_eq(attr.size, sizeof(attr));
	return attr;
}

/* The event is this one, and nothing else in its attr is set. */
static void is(const char *event, unsigned int type, uint64_t config)
{
	struct perf_event_attr attr = parsed(event), expected;

	ck_assert_msg(attr.type == type && attr.config == config, "%s: type %u config %llx", event,
		      attr.type, (unsigned long long)attr.config);
	memset(&expected, 0, sizeof(expected));
	expected.size = sizeof(expected);
	expected.type = type;
	expected.config = config;
	ck_assert_msg(!memcmp(&attr, &expected, sizeof(attr)), "%s sets more", event);
}

#define fails(event, error, words) ck_fails(perfctr_event_check(event), error, words)

START_TEST(names_of_every_kernel)
{
/* clang-format off */
#define HW(name, id) { name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id }
#define SW(name, id) { name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id }
	/* clang-format on */
	static const struct {
		const char *name;
		unsigned int type;
		uint64_t config;
	} names[] = {
		HW("cycles", CPU_CYCLES),
		HW("CPU-Cycles", CPU_CYCLES),
		HW("instructions", INSTRUCTIONS),
		HW("cache-references", CACHE_REFERENCES),
		HW("cache-misses", CACHE_MISSES),
		HW("branches", BRANCH_INSTRUCTIONS),
		HW("branch-instructions", BRANCH_INSTRUCTIONS),
		HW("branch-misses", BRANCH_MISSES),
		HW("bus-cycles", BUS_CYCLES),
		HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
		HW("idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
		HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
		HW("idle-cycles-backend", STALLED_CYCLES_BACKEND),
		HW("ref-cycles", REF_CPU_CYCLES),
		SW("cpu-clock", CPU_CLOCK),
		SW("task-clock", TASK_CLOCK),
		SW("page-faults", PAGE_FAULTS),
		SW("faults", PAGE_FAULTS),
		SW("context-switches", CONTEXT_SWITCHES),
		SW("cs", CONTEXT_SWITCHES),
		SW("cpu-migrations", CPU_MIGRATIONS),
		SW("migrations", CPU_MIGRATIONS),
		SW("minor-faults", PAGE_FAULTS_MIN),
		SW("major-faults", PAGE_FAULTS_MAJ),
		SW("alignment-faults", ALIGNMENT_FAULTS),
		SW("emulation-faults", EMULATION_FAULTS),
		SW("dummy", DUMMY),
		SW("bpf-output", BPF_OUTPUT),
		SW("cgroup-switches", CGROUP_SWITCHES),
		HW("PERF_COUNT_HW_CPU_CYCLES", CPU_CYCLES),
		HW("perf::PERF_COUNT_HW_STALLED_CYCLES_FRONTEND", STALLED_CYCLES_FRONTEND),
		HW("perf_count_hw_ref_cpu_cycles", REF_CPU_CYCLES),
		SW("perf::PERF_COUNT_SW_PAGE_FAULTS_MIN", PAGE_FAULTS_MIN),
		SW("PERF_COUNT_SW_CPU_MIGRATIONS", CPU_MIGRATIONS),
		SW("perf::page-faults", PAGE_FAULTS),
		SW("Perf::Page-Faults", PAGE_FAULTS),
	};
	size_t i;

	use_root("vm");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		is(names[i].name, names[i].type, names[i].config);
	fails("PERF_COUNT_HW_PAGE_FAULTS", EINVAL, "not an event");
	fails("PERF_COUNT_SW_CPU_CYCLES", EINVAL, "not an event");
	fails("PERF_COUNT_SW_", EINVAL, "not an event");
	fails("perf::", EINVAL, "not an event");
}
END_TEST

/* libpfm4's names of caches, in parts. */
START_TEST(names_of_caches_in_parts)
{
	static const struct {
		const char *name;
		uint64_t config;
	} names[] = {
		{ "PERF_COUNT_HW_CACHE_L1D:READ:ACCESS", 0x00000 },
		{ "PERF_COUNT_HW_CACHE_L1D:ACCESS", 0x00000 },
		{ "PERF_COUNT_HW_CACHE_L1D", 0x10000 },
		{ "perf::PERF_COUNT_HW_CACHE_L1I:PREFETCH:MISS", 0x10201 },
		{ "PERF_COUNT_HW_CACHE_LL:WRITE", 0x10102 },
		{ "perf_count_hw_cache_dtlb:miss:write", 0x10103 },
		{ "PERF_COUNT_HW_CACHE_ITLB:READ", 0x10004 },
		{ "PERF_COUNT_HW_CACHE_BPU:ACCESS:ukh", 0x00005 },
		{ "PERF_COUNT_HW_CACHE_NODE:PREFETCH:ACCESS", 0x00206 },
	};
	size_t i;

	use_root("vm");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		is(names[i].name, PERF_TYPE_HW_CACHE, names[i].config);
	fails("PERF_COUNT_HW_CACHE_L1I:WRITE", EINVAL, "\"R\" in \":WRITE\"");
	fails("PERF_COUNT_HW_CACHE_L1D:READ:WRITE", EINVAL, "\"R\" in \":WRITE\"");
	fails("PERF_COUNT_HW_CACHE_L1D:MISS:ACCESS", EINVAL, "\"A\" in \":ACCESS\"");
	fails("PERF_COUNT_HW_CACHE_L1D:", EINVAL, "no modifier after the colon");
	fails("PERF_COUNT_HW_CACHE_L1", EINVAL, "not an event");
	fails("PERF_COUNT_HW_CACHE_", EINVAL, "not an event");
}
END_TEST

/* All caches, operations and results: 32 make sense. */
START_TEST(names_of_caches)
{
	static const char *const caches[] = {
		"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
	};
	static const char *const uses[] = {
		"loads", "stores", "prefetches", "load-misses", "store-misses", "prefetch-misses",
	};
	unsigned int cache, use, right = 0;
	char name[64];

	use_root("vm");
	for (cache = 0; cache < ARRAY_SIZE(caches); cache++) {
		for (use = 0; use < ARRAY_SIZE(uses); use++) {
			bool only_loads = !strcmp(caches[cache], "iTLB") ||
					  !strcmp(caches[cache], "branch");
			bool no_stores = only_loads || !strcmp(caches[cache], "L1-icache");

			snprintf(name, sizeof(name), "%s-%s", caches[cache], uses[use]);
			if ((use % 3 == 1 && no_stores) || (use % 3 == 2 && only_loads)) {
				fails(name, EINVAL, "is not an event; did you mean ");
				continue;
			}
			is(name, PERF_TYPE_HW_CACHE, cache | use % 3 << 8 | use / 3 << 16);
			right++;
		}
	}
	ck_assert_uint_eq(right, 32);
	is("l1-DCACHE-load-misses", PERF_TYPE_HW_CACHE, 0x10000);
	fails("L1-dcache", EINVAL, "not an event");
	fails("L1-dcache-", EINVAL, "not an event");
	fails("L1-dcache-loadsx", EINVAL, "not an event");
}
END_TEST

/* perf's other words for them, in any order. */
START_TEST(other_words_for_caches)
{
	static const struct {
		const char *name;
		uint64_t config;
	} names[] = {
		{ "L1-dcache-load-miss", 0x10000 },
		{ "L1-dcache-misses", 0x10000 },
		{ "l1d-read", 0x00000 },
		{ "L1-data-write-miss", 0x10100 },
		{ "l1-d-prefetch-ops", 0x00200 },
		{ "L1-instruction-speculative-read-misses", 0x10201 },
		{ "l1i-refs", 0x00001 },
		{ "LLC-miss-store", 0x10102 },
		{ "L2-access", 0x00002 },
		{ "Data-TLB-stores-Reference", 0x00103 },
		{ "i-tlb-load", 0x00004 },
		{ "bpu-miss-loads", 0x10005 },
		{ "branches-misses", 0x10005 },
		{ "node-speculative-load-miss", 0x10206 },
	};
	size_t i;

	use_root("vm");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		is(names[i].name, PERF_TYPE_HW_CACHE, names[i].config);
	/* An event of some processors. */
	fails("L1D", EINVAL, "not an event");
	fails("L2", EINVAL, "not an event");
	fails("l1d-", EINVAL, "not an event");
	fails("l1d-read-write", EINVAL, "not an event");
	fails("l1d-miss-refs", EINVAL, "not an event");
	fails("l1d-read-miss-read", EINVAL, "not an event");
	fails("l1d-reads", EINVAL, "not an event");
	fails("i-tlb-store", EINVAL, "not an event");
}
END_TEST

/* The kernel's numbers of a type and an event. */
START_TEST(numbers)
{
	struct perf_event_attr attr;

	use_root("skylake");
	is("0:1", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	is("1:3", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	is("3:0x10000", PERF_TYPE_HW_CACHE, 0x10000);
	is(RAW, PERF_TYPE_RAW, RAW_CONFIG);
	is("0xc:52", 12, 52); /* uncore_cbox_0 */
	attr = parsed("4:0xc0:u");
	ck_assert(attr.config == 0xC0 && attr.exclude_kernel);
	fails("77:1", ENOENT, "this machine has no PMU of the type 77");
	fails("4:", EINVAL, "\"4:\" is no event: as numbers it is TYPE:CONFIG");
	fails("4:c0", EINVAL, "as numbers it is TYPE:CONFIG");
	fails("4x:1", EINVAL, "as numbers it is TYPE:CONFIG");
	fails("4:0x1ffffffffffffffff", EINVAL, "as numbers it is TYPE:CONFIG");
	fails("4294967296:1", EINVAL, "as numbers it is TYPE:CONFIG");
	fails("4:1:x", EINVAL, "\"x\" in");
	fails("4", EINVAL, "is not an event; a raw event code is written r");
	fails("0xc0", EINVAL, "is not an event; a raw event code is written r");
	/* Names of processors' own begin with a digit, too. */
	fails("64bit_MMX_uop", EINVAL, "is not an event; \"perfex -l\"");
	fails("64bit_MMX_uop:u", EINVAL, "\"64bit_MMX_uop\" is not an event; \"perfex -l\"");
	use_sysfs("hybrid");
	fails("4:c0", EINVAL, "TYPE:CONFIG");
}
END_TEST

START_TEST(raw_codes)
{
	use_root("vm");
	is("r1c2", PERF_TYPE_RAW, 0x1C2);
	is("r0", PERF_TYPE_RAW, 0);
	is("RFFFFFFFFFFFFFFFF", PERF_TYPE_RAW, UINT64_MAX);
	is("r0123456789abcdef", PERF_TYPE_RAW, 0x123456789ABCDEF);
	fails("r10000000000000000", EINVAL, "at most 16 hexadecimal digits");
	fails("r", EINVAL, "not an event");
	fails("r12g", EINVAL, "not an event");
	fails("0x4300c0", EINVAL,
	      "\"0x4300c0\" is not an event; a raw event code is written r and "
	      "its hexadecimal digits, such as r1c2");
}
END_TEST

START_TEST(near_misses)
{
	char long_name[1000];

	use_root("skylake");
	fails("instrctions", EINVAL, "\"instrctions\" is not an event; did you mean instructions");
	fails("page-fautls", EINVAL, "page-faults");
	fails("cpu-cyles", EINVAL, "did you mean cpu-cycles, cycles or bus-cycles?");
	fails("mem-laods", EINVAL, "did you mean mem-loads or mem-stores?");
	fails("cpu/mem-lods/u", EINVAL, "did you mean mem-loads?");
	fails("cpu/mem-stores.scael/", EINVAL, "did you mean mem-stores?");
	fails("L1-dcache-lod-misses", EINVAL, "L1-dcache-load-misses");
	fails("qqqqqqqqqqqq", EINVAL, "perfex -l");
	fails("cpu/mem-laods/", EINVAL, "mem-loads");
	fails("cpu/evnt=1/", EINVAL, "event");
	fails("cpuu/event=1/", ENOENT, "cpu");
	/* What follows may be modifiers, so that the word before is the wrong one. */
	fails("instrctions:u", EINVAL,
	      "\"instrctions\" is not an event; did you mean instructions");
	fails("mem-laods:pp", EINVAL, "\"mem-laods\" is not an event; did you mean mem-loads");
	fails("", EINVAL, "no name");
	fails(":u", EINVAL, "not an event");
	fails("cycles ", EINVAL, "did you mean cycles");
	/* Longer than any name, and than the message has room for. */
	memset(long_name, 'e', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	fails(long_name, EINVAL, "is not an event; \"perfex -l\"");
	memcpy(long_name + 700, "/e/", 4);
	fails(long_name, EINVAL, "can't be the name of a PMU");
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
	ck_assert(attr.exclude_host && !attr.exclude_guest && attr.exclude_idle);
	ck_assert(!attr.exclude_user && attr.exclude_kernel && attr.exclude_hv);
	attr = parsed("instructions:H");
	ck_assert(!attr.exclude_host && attr.exclude_guest && !attr.exclude_kernel);
	attr = parsed("cpu/event=0xc0/u");
	ck_assert(attr.exclude_kernel && attr.config == 0xC0);
	attr = parsed("cpu/event=0xc0/:k");
	ck_assert(attr.exclude_user);
	attr = parsed("r1c2:u");
	ck_assert(attr.exclude_kernel && attr.config == 0x1C2);
	attr = parsed("cycles:h");
	ck_assert(attr.exclude_user && attr.exclude_kernel && !attr.exclude_hv);
	attr = parsed("cycles:GH");
	ck_assert(perfctr_attr_names_both(&attr) && !attr.exclude_user);
	attr = parsed("cycles:I");
	ck_assert(attr.exclude_idle && !attr.exclude_user && !attr.exclude_host);
	attr = parsed("mem-stores:u");
	ck_assert(attr.exclude_kernel && attr.config == 0x82D0);
	fails("cycles:", EINVAL, "no modifier");
	fails("cycles:x", EINVAL,
	      "\"x\" in \":x\" is not a modifier; those are u (user), k (kernel), "
	      "h (hypervisor), G (guest), H (host), I (not when idle), p and P (precise), D "
	      "(pinned), e (exclusive), and of groups S and W");
	fails("cycles:U", EINVAL, "\"U\" in");
	fails("cycles:uu", EINVAL, "the modifier u is given twice");
	fails("cycles:p", EINVAL, "precise");
	fails("cycles:upp", EINVAL, "not for counting");
	/* A group's modifiers after the event's own. */
	attr = parsed("cycles:u:k");
	ck_assert(!attr.exclude_user && !attr.exclude_kernel && attr.exclude_hv);
	attr = parsed("cycles:u:u");
	ck_assert(!attr.exclude_user && attr.exclude_kernel && attr.exclude_hv);
	attr = parsed("cycles:G:H");
	ck_assert(perfctr_attr_names_both(&attr));
	attr = parsed("cycles:DeWSX");
	ck_assert(attr.pinned && attr.exclusive && !attr.exclude_user && !attr.precise_ip);
	ck_assert(!attr.sample_period && !attr.read_format);
	attr = parsed("cpu/event=1/uD");
	ck_assert(attr.pinned && !attr.exclusive && attr.exclude_kernel);
	fails("cycles:DD", EINVAL, "the modifier D is given twice");
	fails("cycles:P", EINVAL, "the modifiers p and P (precise) are for sampling");
	fails("cycles::u", EINVAL, "\":\"");
	fails("cycles:u:", EINVAL, "no modifier");
	fails("cycles:u::k", EINVAL, "\":\"");
	fails("cycles:b", EINVAL, "a program of BPF's, which is not needed here; leave it out");
	fails("cycles:uR", EINVAL, "take PERF_SAMPLE_WEIGHT_STRUCT");
	fails("cycles:pppp", EINVAL, "more than three times");
	fails("cycles:sched_switch", EINVAL, "\"s\"");
	fails("cpu/event=1/x", EINVAL, "\"x\"");
	fails("cpu/event=1/:", EINVAL, "no modifier");
	fails("cpu/event=1//", EINVAL, "\"/\"");
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
	/* What the user gives counts more than the event's own, wherever it stands. */
	is("cpu/umask=0x4f,cache-misses/", 4, 0x4F2E);
	attr = parsed("cpu/LDAT=3,Mem-Loads/");
	ck_assert(attr.config == 0x1CD && attr.config1 == 3);
	fails("cpu/mem-loads/", EINVAL,
	      "the event mem-loads of the PMU cpu needs a value for "
	      "ldat: add ,ldat=NUMBER");
	fails("mem-loads", EINVAL, "needs a value for ldat");
	fails("cpu/mem-stores,cache-misses/", EINVAL, "more than one event");
	attr = parsed("cpu/config=0xb7,CONFIG1=18446744073709551615/");
	ck_assert(attr.config == 0xB7 && attr.config1 == UINT64_MAX && attr.config2 == 0);
	/* Bits that are in no field would be dropped by the kernel. */
	fails("cpu/config=0xffffffffffffffff,CONFIG1=1/", EOPNOTSUPP, NO_FIELDS " in config");
	fails("cpu/config=1,config2=18446744073709551615/", EOPNOTSUPP,
	      "which the PMU cpu of Linux");
	fails("cpu/config=0x10000000000000000/", EINVAL, "no number");
	is("mem-stores", 4, 0x82D0); /* the core's events need no PMU name */
	fails("cpu/event=0x100/", EINVAL,
	      "event=0x100 is too large: the field event of the PMU cpu has 8 bits");
	fails("cpu/edge=2/", EINVAL,
	      "edge=0x2 is too large: the field edge of the PMU cpu has 1 bit");
	fails("cpu/event=zz/", EINVAL, "\"event=zz\" has no number");
	fails("cpu/event=/", EINVAL, "no number");
	fails("cpu/event=0x/", EINVAL, "no number");
	fails("cpu/event=-1/", EINVAL, "no number");
	fails("cpu/event=?/", EINVAL, "no number");
	fails("cpu/nam=foo/", EINVAL, "\"nam\" is neither an event nor a field of the PMU cpu");
	fails("cpu/mem-loads=1/", EINVAL, "neither");
	fails("cpu/event=1,,umask=1/", EINVAL, "neither");
	fails("cpu/mem-stores.scale/", EINVAL, "neither");
	fails("cpu/event=1", EINVAL, "closing");
	fails("../cpu/event=1/", EINVAL, "can't be the name");
	fails(".cpu/event=1/", EINVAL, "can't be the name");
	fails("/event=1/", EINVAL, "can't be the name");
	fails("cpu/../", EINVAL, "neither");
	fails("cpu/../events/mem-stores/", EINVAL, "neither");
	use_root("neoverse");
	is("armv8_pmuv3_0/event=0x11/", 8, 0x11);
	attr = parsed("armv8_pmuv3_0/event=0x8,long,rdpmc=1/");
	ck_assert_uint_eq(attr.config1, 3);
	is("l2d_cache_refill", 8, 0x17);
	use_root("vm");
	fails("cpu/event=1/", ENOENT, "this machine has no PMU \"cpu\"; there are ");
	fails("cpu/event=1/", ENOENT, "msr");
	fails("cpu/event=1/", ENOENT, "software");
	use_root("nothing");
	fails("cpu/event=1/", ENOENT, "can't be read");
	is("cycles", PERF_TYPE_HARDWARE, 0);
}
END_TEST

/* Terms that are perf's own, after events of any kind. */
START_TEST(terms_of_perf)
{
	struct perf_event_attr attr;

	use_root("skylake");
	is("cpu/event=0x3c,umask=1,name=Cycles.REF/", 4, 0x13C);
	is("cpu/name='A:cmask=1,x-[*]',event=0x3c/", 4, 0x3C);
	is("cpu/mem-stores,percore/", 4, 0x82D0);
	is("cpu/mem-stores,percore=0,metric-id=a1/", 4, 0x82D0);
	attr = parsed("cpu/config=10,config1/u");
	ck_assert(attr.config == 10 && attr.config1 == 1 && attr.config2 == 0);
	fails("cpu/config=10,config1,config2=3/u", EOPNOTSUPP, "which the PMU cpu of Linux");
	is("cpu/config/", 4, 1);
	is("cpu/r1a/", PERF_TYPE_RAW, 0x1A);
	is("cpu/r1a,name=x/", PERF_TYPE_RAW, 0x1A);
	is("cpu/r0x1a/", 4, 0x1A);
	is("uncore_cbox_0/r1A,percore=0/", 12, 0x1A);
	is("uncore_cbox_0/r0xffffffffffffffff/", 12, UINT64_MAX);
	fails("cpu/r0xffffffffffffffff/", EOPNOTSUPP, "in config, which the PMU cpu of Linux");
	/* Of letters alone it may be a misspelt name. */
	is("uncore_cbox_0/rab/", 12, 0xAB);
	is("uncore_cbox_0/r0xabcd/", 12, 0xABCD);
	fails("uncore_cbox_0/Rabcd/", EINVAL, ", and a raw code of letters is written r0xabcd");
	fails("uncore_cbox_0/rabcg/", EINVAL, "the PMU uncore_cbox_0;");
	fails("uncore_cbox_0/r0x/", EINVAL, "neither");
	fails("uncore_cbox_0/r1g/", EINVAL, "neither");
	fails("uncore_cbox_0/rffffffffffffffff1/", EINVAL, "neither");
	fails("uncore_cbox_0/r0xfffffffffffffffffff/", EINVAL, "neither");
	attr = parsed("cpu/event=0xc0,period=100003/k");
	ck_assert(attr.sample_period == 100003 && !attr.freq && attr.exclude_user);
	attr = parsed("cpu/event=0xc0,freq=0x3e8/");
	ck_assert(attr.sample_period == 1000 && attr.freq);
	/* Without a PMU. */
	is("instructions/name=insn/", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	is("cycles//", PERF_TYPE_HARDWARE, 0);
	is("r1234/name=raw/", PERF_TYPE_RAW, 0x1234);
	is(RAW "/name=number/", PERF_TYPE_RAW, RAW_CONFIG);
	is("L1-dcache-misses/name=cache/", PERF_TYPE_HW_CACHE, 0x10000);
	is("mem-stores/name=stores/", 4, 0x82D0);
	is("sched:sched_switch/name=switch/", PERF_TYPE_TRACEPOINT, 308);
	fails("cycles/period=100000,config2,config1=0x7/:u", EOPNOTSUPP,
	      "which the PMU cpu of Linux");
	attr = parsed("cycles/period=100000,config1=0x7/:u");
	ck_assert(attr.sample_period == 100000 && attr.config2 == 0 && attr.config1 == 7);
	ck_assert(attr.exclude_kernel && attr.type == PERF_TYPE_HARDWARE);
	attr = parsed("cpu/cycles,period=5/");
	ck_assert(attr.type == PERF_TYPE_HARDWARE && attr.sample_period == 5);
	use_sysfs("hybrid");
	attr = parsed("cpu_atom/cycles,name=slow/u");
	ck_assert(attr.config == 10ull << 32 && attr.exclude_kernel);
}
END_TEST

START_TEST(wrong_terms_of_perf)
{
	static const char *const records[] = {
		"call-graph=fp",    "stack-size=8192", "max-stack=3",
		"branch_type=any",  "time=0",	       "nr=1",
		"inherit",	    "no-inherit",      "overwrite",
		"no-overwrite",	    "aux-output",      "aux-sample-size=4",
		"aux-action=pause", "cpu=0",
	};
	char event[64], said[64];
	size_t i;

	use_root("skylake");
	for (i = 0; i < ARRAY_SIZE(records); i++) {
		snprintf(event, sizeof(event), "cpu/event=1,%s/", records[i]);
		snprintf(said, sizeof(said), "\"%.*s\" is for perf, and no part of an event; leave",
			 (int)strcspn(records[i], "="), records[i]);
		fails(event, EINVAL, said);
		snprintf(event, sizeof(event), "cycles/%s/", records[i]);
		fails(event, EINVAL, said);
	}
	fails("cycles/call-graph=fp/", EINVAL, "take PERF_SAMPLE_CALLCHAIN in a sampler's fields");
	fails("cpu/event=1,name=/", EINVAL, "name= needs the name under which the event is shown");
	fails("cpu/event=1,name/", EINVAL, "name= needs the name");
	fails("cpu/event=1,name=''/", EINVAL, "name= needs the name");
	fails("cpu/event=1,name='a/", EINVAL, "\"name='a\" has no closing quote");
	fails("cpu/event=1,name='/", EINVAL, "has no closing quote");
	fails("cpu/event=1,name=a'b/", EINVAL, "a character that is not shown, or a quote");
	fails("cpu/event=1,name=a b/", EINVAL, "a character that is not shown");
	fails("cpu/event=1,name=a\nb/", EINVAL, "a character that is not shown");
	fails("cpu/event=1,name=\303\244/", EINVAL, "a character that is not shown");
	fails("cpu/event=1,metric-id=/", EINVAL, "metric-id= needs the name");
	fails("cpu/event=1,period=/", EINVAL,
	      "period= needs the number of events from sample to sample, not \"\"");
	fails("cpu/event=1,period/", EINVAL, "period= needs the number");
	fails("cpu/event=1,period=0/", EINVAL, "not \"0\"");
	fails("cpu/event=1,period=0x8000000000000000/", EINVAL, "period= needs the number");
	fails("cpu/event=1,freq=x/", EINVAL, "freq= needs the number of samples in a second");
	fails("cpu/event=1,freq=5,period=3/", EINVAL,
	      "an event has one period= or freq=; leave out \"period\"");
	fails("cpu/event=1,percore=2/", EINVAL, "percore= needs 0 or 1, not \"2\"");
	fails("cpu/event=1,percore=/", EINVAL, "percore= needs 0 or 1");
	fails("cycles/umask=1/", EINVAL,
	      "\"umask\" in \"umask=1\" is not for an event without a PMU");
	fails("cycles/config=1/", EINVAL, "is not for an event without a PMU");
	fails("cycles/config3=1/", EINVAL, "is not for an event without a PMU");
	fails("cycles/config1=x/", EINVAL, "\"config1\" in \"config1=x\"");
	fails("cycles:u/name=x/", EINVAL, "modifiers stand after the last slash of");
	fails("cpu/cycles,instructions/", EINVAL, "neither");
	fails("sched:sched_wich/name=x/", EINVAL, "sched:sched_switch");
	fails("sched:*", EINVAL, "\"sched:*\" stands for any number of tracepoints; write each");
	fails("*:*", EINVAL, "any number of tracepoints");
	fails("s?hed:sched_switch:u", EINVAL, "any number of tracepoints");
	fails("mem:0x1000", EINVAL, "\"mem:0x1000\" is a breakpoint of perf's at an address");
	fails("mem:0:rw", EINVAL, "leave it to perf");
	fails("mem:0x1000/4:rw", EINVAL, "\"mem:0x1000/4:rw\" is a breakpoint");
	fails("MEM:x/4/u", EINVAL, "\"MEM:x/4/u\" is a breakpoint");
	fails("duration_time", ENOENT, "duration_time is no event: perf measures it by itself");
	fails("user_time", ENOENT, "task-clock is the processors' time");
	fails("system_time:u", ENOENT, "measures it by itself");
}
END_TEST

START_TEST(fields_in_every_word)
{
	struct perf_event_attr attr;

	use_sysfs("formats");
	is("cpu/event=0x1c0,umask=1/", 4, 0x1000001C0);
	is("cpu/event=0xfff/", 4, 0xF000000FF);
	fails("cpu/event=0x1000/", EINVAL, "has 12 bits");
	attr = parsed("arm_spe_0/min_latency=0xfff/");
	ck_assert(attr.type == 11 && attr.config == 0 && attr.config2 == 0xFFF);
#ifdef PERF_ATTR_SIZE_VER8
	attr = parsed("arm_spe_0/inv_event_filter=18446744073709551615/");
	ck_assert(attr.config3 == UINT64_MAX && attr.config2 == 0);
	attr = parsed("cpu/config3=7/");
	ck_assert(attr.config3 == 7);
#ifdef PERF_ATTR_SIZE_VER9
	attr = parsed("cpu/config4=7/");
	ck_assert(attr.config4 == 7 && attr.config3 == 0);
#endif
#else
	(void)attr;
#endif
}
END_TEST

/* A bare name that several core PMUs have is the big core's, as the kernel's "cycles" is. */
START_TEST(hybrid_processors)
{
	struct perf_event_attr attr;

	use_sysfs("hybrid");
	attr = parsed("mem-loads");
	ck_assert(attr.type == 4 && attr.config == 0x1CD && attr.config1 == 3);
	attr = parsed("cpu_atom/mem-loads/");
	ck_assert(attr.type == 10 && attr.config == 0x5D0 && attr.config1 == 3);
	is("topdown-bad-spec", 4, 0x8100);
	is("topdown-retired", 10, 0xC2); /* of cpu_atom only */
	fails("cpu/event=1/", ENOENT, "no PMU \"cpu\"; there are cpu_");
}
END_TEST

/* One logical event, once per core PMU. */
START_TEST(variants)
{
	struct perfctr_variant v[PERFCTR_VARIANTS_MAX];

	use_sysfs("hybrid");
	ck_assert_int_eq(parse_variants("cycles:u", 8, v), 2);
	ck_assert_str_eq(v[0].pmu, "cpu_core");
	ck_assert_str_eq(v[1].pmu, "cpu_atom");
	ck_assert(v[0].attr.type == PERF_TYPE_HARDWARE && v[0].attr.config == 4ull << 32);
	ck_assert(v[1].attr.type == PERF_TYPE_HARDWARE && v[1].attr.config == 10ull << 32);
	ck_assert(v[0].attr.exclude_kernel && v[1].attr.exclude_kernel);
	ck_assert_int_eq(parse_variants("topdown-retired", 15, v), 1);
	ck_assert_str_eq(v[0].pmu, "cpu_atom");
	ck_assert_int_eq(parse_variants("task-clock", 10, v), 1);
	ck_assert_str_eq(v[0].pmu, "");
	use_root("skylake");
	ck_assert_int_eq(parse_variants("cycles", 6, v), 1);
	ck_assert(v[0].pmu[0] == '\0' && v[0].attr.config == PERF_COUNT_HW_CPU_CYCLES);
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
	use_sysfs("hostile");
	fails("bad/over=1/", EINVAL, "of the PMU bad makes no sense: \"config:0-7,4-11\"");
	fails("bad/twice=1/", EINVAL, "makes no sense");
	fails("bad/dash=1/", EINVAL, "makes no sense");
	fails("bad/open=1/", EINVAL, "makes no sense");
	fails("bad/hex=1/", EINVAL, "makes no sense");
	fails("bad/space=1/", EINVAL, "makes no sense");
	fails("bad/word=1/", EINVAL, "makes no sense");
	fails("bad/colon=1/", EINVAL, "makes no sense");
	fails("bad/nothing/", EINVAL, "the event nothing of the PMU bad is empty");
	fails("bad/commas/", EINVAL, "neither");
	fails("bad/large/", EINVAL, "event=0x100 is too large");
	fails("bad/novalue/", EINVAL, "no number");
	fails("bad/question/", EINVAL, "neither");
	fails("bad/other/", EINVAL, "neither");
	fails("bad/directory/", EINVAL, "can't be read: Is a directory");
	fails("emptytype/event=1/", ENOENT, "no type number");
	fails("hugetype/event=1/", ENOENT, "no type number");
	fails("wordtype/event=1/", ENOENT, "no type number");
	fails("a:negative", EINVAL, "not an event");
	fails("a:word", EINVAL, "not an event");
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
	fails("sched:sched_switch:", EINVAL, "no modifier");
	fails("sched:sched_switch:x", EINVAL, "\"x\"");
	fails("sched:sched_switch:G", EINVAL, "the modifiers G and I");
	fails("sched:sched_switch:uI", EINVAL, "the modifiers G and I");
	fails("qqqqqqqq:zzzzzzzz", EINVAL, "perfex -L");
	fails("sched:", EINVAL, "not an event");
	fails(":x", EINVAL, "not an event");
	fails("sched:../sched_switch", EINVAL, "");
	use_root("vm");
	fails("sched:sched_switch", ENOENT, "mount -t tracefs");
	/* Nor is a processor's misspelt event a tracepoint. */
	fails("INST_RETIRDE:ANY", EINVAL, "\"INST_RETIRDE:ANY\" is not an event");
	fails("sched:SWITCH", ENOENT, "mount -t tracefs");
}
END_TEST

static void make_directory(const char *top, const char *directory, mode_t mode)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s", top, directory);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	ck_assert_int_eq(chmod(path, mode), 0);
}

static void remove_directory(const char *top, const char *directory)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s", top, directory);
	ck_assert_int_eq(rmdir(path), 0);
}

/* Whether a user's event fails so; in a process of its own, as root may read everything. */
static bool fails_for_user(const char *event, int error, const char *words)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(2);
		_exit(!(perfctr_event_check(event) == -1 && errno == error &&
			strstr(perfctr_error(), words)));
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return status == 0;
}

START_TEST(tracepoints_of_root)
{
	static const char *const directories[] = {
		"",
		"/sys",
		"/sys/kernel",
		"/sys/kernel/tracing",
		"/sys/kernel/debug",
		"/sys/kernel/tracing/events",
	};
	char top[] = "/tmp/event-XXXXXX";
	size_t i;

	if (!others_enter("tracepoints of root"))
		return;
	ck_assert_ptr_nonnull(mkdtemp(top));
	ck_assert_int_eq(chmod(top, 0755), 0);
	setenv("PERFCTR_ROOT", top, 1);
	make_directory(top, directories[1], 0755);
	make_directory(top, directories[2], 0755);
	make_directory(top, directories[3], 0);
	ck_assert(fails_for_user("sched:sched_switch", EACCES,
				 "only root can read tracefs; run as root, or open it to a group: "
				 "mount -o remount,mode=750,gid=GROUP "
				 "/sys/kernel/tracing"));
	/* Nor is a misspelt event a tracepoint that can't be looked up. */
	ck_assert(fails_for_user("instrctions:u", EINVAL, "did you mean instructions?"));
	remove_directory(top, directories[3]);
	/* Not mounted, but debugfs is root's. */
	make_directory(top, directories[4], 0);
	ck_assert(fails_for_user("sched:sched_switch", EACCES, "/sys/kernel/debug/tracing"));
	/* Mounted and readable: what is not there is not there, whatever debugfs would say. */
	make_directory(top, directories[3], 0755);
	make_directory(top, directories[5], 0755);
	ck_assert(fails_for_user("sched:sched_switch", EINVAL, "not an event"));
	for (i = ARRAY_SIZE(directories); i-- > 0;)
		remove_directory(top, directories[i]);
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
	list = " cycles ,\t cpu/event=1, umask=2/ ";
	ck_assert_int_eq(perfctr_event_next(&list, &event), 6);
	ck_assert(strncmp(event, "cycles", 6) == 0);
	ck_assert_int_eq(perfctr_event_next(&list, &event), 21);
	ck_assert(strncmp(event, "cpu/event=1, umask=2/", 21) == 0);
	ck_assert_int_eq(perfctr_event_next(&list, &event), 0);
	list = "a, ,b";
	ck_assert_int_eq(perfctr_event_next(&list, &event), 1);
	ck_fails((int)perfctr_event_next(&list, &event), EINVAL, "empty place");
	list = "a,,b";
	ck_assert_int_eq(perfctr_event_next(&list, &event), 1);
	ck_fails((int)perfctr_event_next(&list, &event), EINVAL, "empty place");
	list = "a,";
	ck_fails((int)perfctr_event_next(&list, &event), EINVAL, "empty place");
	list = ",a";
	ck_fails((int)perfctr_event_next(&list, &event), EINVAL, "empty place");
	list = "";
	ck_assert_int_eq(perfctr_event_next(&list, &event), 0);
	list = "cpu/event";
	ck_fails((int)perfctr_event_next(&list, &event), EINVAL, "closing");
}
END_TEST

struct listed {
	const char *kind; /* NULL: any but tracepoint */
	unsigned int n;
};

static int count_names(void *arg, const struct perfctr_event_name *name)
{
	struct listed *listed = arg;

	listed->n++;
	if (listed->kind)
		ck_assert_str_eq(name->kind, listed->kind);
	else
		ck_assert_str_ne(name->kind, "tracepoint");
	if (strcmp(name->kind, "cpu") && strcmp(name->kind, "pmu") &&
	    strcmp(name->kind, "tracepoint"))
		ck_assert_str_ne(name->description, "");
	if (!strcmp(name->name, "LLC-stores"))
		ck_assert_str_eq(name->description, "stores of the last-level cache");
	if (!strcmp(name->name, "dTLB-prefetch-misses"))
		ck_assert_str_eq(name->description, "prefetches that missed in the data TLB");
	if (!strcmp(name->name, "cpu/mem-loads/")) {
		/* It needs a value: so says its description, the kernel's text. */
		ck_assert_str_eq(name->description, "event=0xcd,umask=0x1,ldat=?");
		fails(name->name, EINVAL, "needs a value");
	} else {
		ck_assert_msg(perfctr_event_check(name->name) == 0, "%s: %s", name->name,
			      perfctr_error());
	}
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
	struct listed listed = { kind, 0 };

	ck_assert_int_eq(perfctr_event_list(kind, count_names, &listed), 0);
	return listed.n;
}

START_TEST(listing)
{
	use_root("skylake");
	ck_assert_uint_eq(number_of("hardware"), 10);
	ck_assert_uint_eq(number_of("software"), 12);
	ck_assert_uint_eq(number_of("cache"), 32);
	ck_assert_uint_eq(number_of("pmu"), 3);
	ck_assert_uint_eq(number_of("tracepoint"), 1);
	ck_assert_uint_eq(number_of("cpu"), 0);
	ck_assert_uint_eq(number_of(NULL), 57);
	ck_assert_int_eq(perfctr_event_list(NULL, stop_at_once, NULL), 7);
	ck_assert_int_eq(perfctr_event_list("pmu", stop_at_once, NULL), 7);
	ck_assert_int_eq(perfctr_event_list("tracepoint", stop_at_once, NULL), 7);
	ck_fails(perfctr_event_list("nonsense", stop_at_once, NULL), EINVAL, "hardware, cache");
	/* tracefs in both places is one tracefs. */
	use_sysfs("hybrid");
	ck_assert_uint_eq(number_of("tracepoint"), 1);
	ck_assert_uint_eq(number_of("pmu"), 4);
	use_root("nothing");
	ck_assert_uint_eq(number_of("tracepoint"), 0);
	ck_assert_uint_eq(number_of(NULL), 54);
}
END_TEST

/* A name of 127 letters is one, and one of 128 is none, whatever the kernel shows. */
START_TEST(long_names)
{
	char name[130], path[300], event[300];
	unsigned int n;

	memset(name, 'x', sizeof(name));
	for (n = 127; n <= 128; n++) {
		name[n] = '\0';
		root_make();
		snprintf(path, sizeof(path), "%s/type", name);
		root_line(path, "20");
		snprintf(path, sizeof(path), "%s/format/event", name);
		root_line(path, "config:0-7");
		snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/e/id", name);
		root_line(path, "300");
		snprintf(path, sizeof(path), "/sys/kernel/tracing/events/s/%s/id", name);
		root_line(path, "301");
		snprintf(path, sizeof(path), "chip/events/%s", name);
		root_line(path, "event=3");
		root_line("chip/type", "21");
		root_line("chip/format/event", "config:0-7");
		snprintf(event, sizeof(event), "%s/event=1/", name);
		if (n == 127) {
			ck_assert_uint_eq(parsed(event).type, 20);
			snprintf(event, sizeof(event), "%s:e", name);
			ck_assert_uint_eq(parsed(event).config, 300);
			snprintf(event, sizeof(event), "s:%s", name);
			ck_assert_uint_eq(parsed(event).config, 301);
			snprintf(event, sizeof(event), "chip/%s/", name);
			ck_assert_uint_eq(parsed(event).config, 3);
		} else {
			fails(event, EINVAL, "can't be the name of a PMU");
			snprintf(event, sizeof(event), "%s:e", name);
			fails(event, EINVAL, "xxx");
			snprintf(event, sizeof(event), "s:%s", name);
			fails(event, EINVAL, "xxx");
			snprintf(event, sizeof(event), "chip/%s/", name);
			fails(event, EINVAL, "xxx");
		}
		root_remove();
		name[n] = 'x';
	}
	setenv("PERFCTR_ROOT", "/nonexistent", 1);
}
END_TEST

/* Before the first look-up: this machine's own events are not those of the roots. */
static void __attribute__((constructor)) begin(void)
{
	setenv("PERFCTR_ROOT", "/nonexistent", 1);
}

/* What the kernel ignores would be a wrong count that is called exact. */
START_TEST(ignored_modifiers)
{
	static const char *const clocks[] = { "task-clock:u", "cpu-clock:k", "task-clock:h",
					      "cpu-clock:uk" };
	static const char *const others[] = { "cs:G", "page-faults:I", "dummy:uG", "task-clock:I" };
	static const char *const right[] = { "task-clock", "cpu-clock:ukh",  "task-clock:H",
					     "cs:u",	   "page-faults:GH", "dummy:k" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		ck_fails(perfctr_event_check(clocks[i]), EINVAL,
			 "a clock that counts does so in all modes");
	for (i = 0; i < ARRAY_SIZE(others); i++)
		ck_fails(perfctr_event_check(others[i]), EINVAL, "the modifiers G and I");
	for (i = 0; i < ARRAY_SIZE(right); i++)
		ck_assert_msg(perfctr_event_check(right[i]) == 0, "%s: %s", right[i],
			      perfctr_error());
}
END_TEST

/* What says more of an event is none itself, and nothing is an event of no name. */
START_TEST(annotations)
{
	static const char *const more[] = { ".scale", ".unit", ".per-pkg", ".snapshot" };
	char path[64];
	unsigned int i;

	root_make();
	root_line("imc/type", "9");
	root_line("imc/format/event", "config:0-7");
	root_line("imc/events/reads", "event=0x02");
	for (i = 0; i < ARRAY_SIZE(more); i++) {
		snprintf(path, sizeof(path), "imc/events/reads%s", more[i]);
		root_line(path, "1");
		snprintf(path, sizeof(path), "imc/reads%s/", more[i]);
		fails(path, EINVAL, "neither");
	}
	ck_assert_uint_eq(parsed("imc/reads/").config, 2);
	fails("perf::", EINVAL, "\"perf");
	ck_assert_uint_eq(parsed("perf::cs").config, PERF_COUNT_SW_CONTEXT_SWITCHES);
	/* Nor is a switch or a filter of tracefs one. */
	root_line("/sys/kernel/tracing/events/sched/sched_switch/id", "308");
	root_line("/sys/kernel/tracing/events/sched/sched_switch/enable", "0");
	root_line("/sys/kernel/tracing/events/sched/enable", "0");
	root_line("/sys/kernel/tracing/events/sched/filter", "none");
	ck_assert_uint_eq(number_of("tracepoint"), 1);
	unsetenv("PERFCTR_ROOT");
	root_remove();
}
END_TEST

UNIT_MAIN("event", 60, annotations, ignored_modifiers, names_of_every_kernel, names_of_caches,
	  names_of_caches_in_parts, other_words_for_caches, numbers, terms_of_perf,
	  wrong_terms_of_perf, raw_codes, near_misses, modifiers, descriptions_in_sysfs,
	  fields_in_every_word, hybrid_processors, variants, hostile_descriptions, tracepoints,
	  tracepoints_of_root, lists, listing, long_names)
