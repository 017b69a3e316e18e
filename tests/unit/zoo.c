// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The same code on many machines: sysfs trees like those of real ones (tests/data/zoo), and of
 * hostile ones. What names mean there, and what the library says of the machine.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "lib/names/resolve.h"
#include "lib/base/file.h"
#include "lib/base/word.h"
#include "lib/sets/group.h"
#include "lib/isa/pmu.h"
#include "lib/perf/topdown.h"
#include "lib/perf/counter.h"
#include "lib/perf/core_types.h"
#include "lib/perf/why.h"
#include "libperfctr.h"
#include "tests/harness/root.h"
#include "tests/harness/names.h"
#include "tests/harness/check.h"

/* "PMU:TYPE:CONFIG[:CONFIG1][!MODES]" of each variant; the modes are those that are not counted. */
static void describe(const char *event, char *text, size_t size)
{
	struct perfctr_variant v[PERFCTR_VARIANTS_MAX];
	int i, n = parse_variants(event, strlen(event), v);
	struct perf_event_attr rest;
	size_t used = 0;

	if (n < 0)
		snprintf(text, size, "%s", perfctr_error());
	for (i = 0; i < n; i++) {
		const struct perf_event_attr *attr = &v[i].attr;

		used += (size_t)snprintf(text + used, size - used, "%s%s:%u:0x%" PRIx64,
					 i ? " " : "", v[i].is_core ? v[i].pmu : "", attr->type,
					 (uint64_t)attr->config);
		if (attr->config1)
			used += (size_t)snprintf(text + used, size - used, ":0x%" PRIx64,
						 (uint64_t)attr->config1);
		if (attr->config2)
			used += (size_t)snprintf(text + used, size - used, "+0x%" PRIx64,
						 (uint64_t)attr->config2);
		if (attr->exclude_user | attr->exclude_kernel | attr->exclude_hv)
			used += (size_t)snprintf(text + used, size - used, "!%s%s%s",
						 attr->exclude_user ? "u" : "",
						 attr->exclude_kernel ? "k" : "",
						 attr->exclude_hv ? "h" : "");
		/* And nothing else is set. */
		rest = *attr;
		rest.type = rest.size = 0;
		rest.config = rest.config1 = rest.config2 = 0;
		rest.exclude_user = rest.exclude_kernel = rest.exclude_hv = 0;
		ck_assert_uint_eq(attr->size, sizeof(*attr));
		for (size_t k = 0; k < sizeof(rest); k++)
			ck_assert_msg(((const char *)&rest)[k] == 0, "%s sets more", event);
	}
}

struct meaning {
	const char *event, *variants;
};

static void means(const char *machine, const struct meaning *meanings, size_t n)
{
	char text[1024];
	size_t i;

	root_unpack(machine);
	for (i = 0; i < n; i++) {
		describe(meanings[i].event, text, sizeof(text));
		ck_assert_msg(!strcmp(text, meanings[i].variants), "%s on %s: \"%s\"",
			      meanings[i].event, machine, text);
	}
}

#define MEANS(machine, ...)                                               \
	do {                                                              \
		static const struct meaning meanings[] = { __VA_ARGS__ }; \
                                                                          \
		means(machine, meanings, ARRAY_SIZE(meanings));           \
	} while (0)

#define fails(event, error, words)                                                    \
	do {                                                                          \
		struct perfctr_variant unused[PERFCTR_VARIANTS_MAX];                  \
                                                                                      \
		ck_fails(perfctr_event_check(event), error, words);                   \
		ck_fails(parse_variants(event, strlen(event), unused), error, words); \
	} while (0)

/* ---- hybrid machines ---- */

START_TEST(alderlake)
{
	MEANS("alderlake", { "cycles:u", "cpu_core:0:0x400000000!kh cpu_atom:0:0xa00000000!kh" },
	      { "LLC-load-misses", "cpu_core:3:0x400010002 cpu_atom:3:0xa00010002" },
	      { "r1c2", "cpu_core:4:0x1c2 cpu_atom:10:0x1c2" },
	      /* Events of sysfs, by one kind or by both. */
	      { "topdown-retiring", "cpu_core:4:0x8000 cpu_atom:10:0xc2" },
	      { "mem-loads:k", "cpu_core:4:0x1cd:0x3!uh cpu_atom:10:0x5d0:0x3!uh" },
	      { "slots", "cpu_core:4:0x400" }, { "mem-loads-aux", "cpu_core:4:0x8203" },
	      /* A PMU that is named. */
	      { "cpu_atom/cycles/u", "cpu_atom:0:0xa00000000!kh" },
	      { "CPU_CORE/L1-dcache-loads/", "cpu_core:3:0x400000000" },
	      { "cpu_atom/r1c2/", "cpu_atom:10:0x1c2" },
	      { "cpu_atom/instructions/", "cpu_atom:10:0xc0" },
	      { "cpu_atom/topdown-retiring/", "cpu_atom:10:0xc2" },
	      { "cpu_core/event=0x3c,umask=1/", "cpu_core:4:0x13c" },
	      { "cpu_core/mem-loads,ldlat=0x1f/", "cpu_core:4:0x1cd:0x1f" },
	      /* What has nothing to do with cores. */
	      { "task-clock", ":1:0x1" }, { "msr/tsc/", ":11:0x0" },
	      { "power/energy-pkg/", ":12:0x2" },
	      { "uncore_imc_free_running_1/data_read/", ":16:0x20ff" },
	      { "uncore_cbox_0/event=0x34,umask=0x8f/", ":13:0x8f34" });
	fails("cpu_atom/slots/", EINVAL,
	      "\"slots\" is neither an event nor a field of the PMU cpu_atom");
	fails("cpu_atom/frontend=1/", EINVAL, "neither an event nor a field of the PMU cpu_atom");
	fails("cpu_core/page-faults/", EINVAL, "neither");
	fails("cpu_core/cycles:u/", EINVAL, "neither");
	fails("msr/cycles/", EINVAL, "neither an event nor a field of the PMU msr");
	fails("cpu/cycles/", ENOENT, "no PMU \"cpu\"; there are ");
	fails("cpu_atm/cycles/", ENOENT, "did you mean cpu_atom?");
	/* Names of either core type are suggested, but each once. */
	fails("mem-loads-ax", EINVAL, "did you mean mem-loads-aux or mem-loads?");
	fails("topdown-retirin", EINVAL, "did you mean topdown-retiring, topdown-fe-bound or ");
	root_remove();
}
END_TEST

START_TEST(three_kinds)
{
	MEANS("arrowlake-h",
	      { "instructions:u", "cpu_core:0:0x400000001!kh cpu_atom:0:0xa00000001!kh "
				  "cpu_lowpower:0:0xb00000001!kh" },
	      { "topdown-bad-spec", "cpu_core:4:0x8100 cpu_atom:10:0x73 cpu_lowpower:11:0x73" },
	      { "r1", "cpu_core:4:0x1 cpu_atom:10:0x1 cpu_lowpower:11:0x1" },
	      { "cpu_lowpower/branch-misses/", "cpu_lowpower:11:0xc5" });
	root_remove();
}
END_TEST

/* PMUv3's own events by their codes, for Linux 6.1 knows no other way; and only where they are. */
START_TEST(big_little)
{
	MEANS("rk3399", { "cycles:u", "armv8_cortex_a53:8:0x11!kh armv8_cortex_a72:9:0x11!kh" },
	      { "instructions", "armv8_cortex_a53:8:0x8 armv8_cortex_a72:9:0x8" },
	      { "cache-references", "armv8_cortex_a53:8:0x4 armv8_cortex_a72:9:0x4" },
	      { "cache-misses", "armv8_cortex_a53:8:0x3 armv8_cortex_a72:9:0x3" },
	      { "branch-misses", "armv8_cortex_a53:8:0x10 armv8_cortex_a72:9:0x10" },
	      { "bus-cycles", "armv8_cortex_a53:8:0x1d armv8_cortex_a72:9:0x1d" },
	      { "L1-dcache-loads", "armv8_cortex_a53:8:0x4 armv8_cortex_a72:9:0x4" },
	      { "L1-dcache-load-misses", "armv8_cortex_a53:8:0x3 armv8_cortex_a72:9:0x3" },
	      { "L1-icache-loads", "armv8_cortex_a53:8:0x14 armv8_cortex_a72:9:0x14" },
	      { "L1-icache-load-misses", "armv8_cortex_a53:8:0x1 armv8_cortex_a72:9:0x1" },
	      { "dTLB-load-misses", "armv8_cortex_a53:8:0x5 armv8_cortex_a72:9:0x5" },
	      { "iTLB-load-misses", "armv8_cortex_a53:8:0x2 armv8_cortex_a72:9:0x2" },
	      { "branch-loads", "armv8_cortex_a53:8:0x12 armv8_cortex_a72:9:0x12" },
	      { "branch-load-misses", "armv8_cortex_a53:8:0x10 armv8_cortex_a72:9:0x10" },
	      /* The A72 has neither BR_RETIRED nor PC_WRITE_RETIRED. */
	      { "branches", "armv8_cortex_a53:8:0xc" }, { "st_retired", "armv8_cortex_a53:8:0x7" },
	      { "inst_spec", "armv8_cortex_a72:9:0x1b" },
	      { "armv8_cortex_a72/cycles/", "armv8_cortex_a72:9:0x11" },
	      { "armv8_cortex_a53/event=0x13,long/", "armv8_cortex_a53:8:0x13:0x1" },
	      { "r13", "armv8_cortex_a53:8:0x13 armv8_cortex_a72:9:0x13" });
	ck_fails(parse_variants("stalled-cycles-frontend", 23, (struct perfctr_variant[8]){ 0 }),
		 ENOENT, "no core type of this machine has the event \"stalled-cycles-frontend\"");
	fails("armv8_cortex_a72/branches/", EINVAL, "neither an event nor a field");
	root_remove();
	MEANS("snapdragon8",
	      { "branches",
		"armv9_cortex_a510:8:0x21 armv9_cortex_a710:9:0x21 armv9_cortex_x2:10:0x21" },
	      { "stalled-cycles-frontend",
		"armv9_cortex_a510:8:0x23 armv9_cortex_a710:9:0x23 armv9_cortex_x2:10:0x23" },
	      { "stalled-cycles-backend",
		"armv9_cortex_a510:8:0x24 armv9_cortex_a710:9:0x24 armv9_cortex_x2:10:0x24" },
	      { "dTLB-loads",
		"armv9_cortex_a510:8:0x25 armv9_cortex_a710:9:0x25 armv9_cortex_x2:10:0x25" },
	      { "iTLB-loads",
		"armv9_cortex_a510:8:0x26 armv9_cortex_a710:9:0x26 armv9_cortex_x2:10:0x26" },
	      { "LLC-loads",
		"armv9_cortex_a510:8:0x36 armv9_cortex_a710:9:0x36 armv9_cortex_x2:10:0x36" },
	      { "LLC-load-misses",
		"armv9_cortex_a510:8:0x37 armv9_cortex_a710:9:0x37 armv9_cortex_x2:10:0x37" });
	root_remove();
	/* Not PMUv3: here only the extended type can say it. */
	MEANS("apple-m1",
	      { "cpu-cycles",
		"apple_icestorm_pmu:0:0x800000000 apple_firestorm_pmu:0:0x900000000" },
	      { "instructions:u",
		"apple_icestorm_pmu:0:0x800000001!kh apple_firestorm_pmu:0:0x900000001!kh" },
	      { "apple_firestorm_pmu/cycles/", "apple_firestorm_pmu:9:0x2" });
	root_remove();
}
END_TEST

/* ---- machines with one core type, or none that is shown ---- */

START_TEST(one_kind)
{
	MEANS("sapphirerapids", { "cycles:u", ":0:0x0!kh" }, { "cpu/cycles/", ":0:0x0" },
	      { "cpu/cpu-cycles/", ":4:0x3c" }, { "r1c2", ":4:0x1c2" }, { "slots", ":4:0x400" },
	      { "topdown-heavy-ops", ":4:0x8400" }, { "cycles-ct", ":4:0x30000003c" },
	      { "uncore_imc_3/event=0x5,umask=0xcf/", ":18:0xcf05" },
	      { "uncore_cha_0/event=0x35,umask=0xc827fe01/", ":11:0xc827fe00000135" },
	      /* PMUs with AUX areas have fields, and no events. */
	      { "intel_pt//u", ":8:0x0!kh" },
	      { "intel_pt/pt,branch,tsc,mtc,mtc_period=3/u", ":8:0xe601!kh" });
	root_remove();
	MEANS("zen4", { "instructions", ":0:0x1" }, { "stalled-cycles-backend", ":0:0x8" },
	      { "cpu/stalled-cycles-backend/", ":4:0x187" },
	      { "cpu/event=0x1c0,umask=1/", ":4:0x1000001c0" },
	      { "amd_df/event=0x1f,umask=0x7fe/", ":12:0x700fe1f" },
	      { "amd_l3/event=0x4,umask=0xff,enallcores,enallslices,threadmask=3/",
		":13:0x300c0000000ff04" },
	      { "amd_umc_0/event=0xa,rdwrmask=1/", ":14:0x10a" },
	      { "ibs_op/cnt_ctl/", ":10:0x80000" });
	fails("slots", EINVAL, "not an event");
	root_remove();
	MEANS("neoverse-n1", { "cycles", ":0:0x0" }, { "branches", ":0:0x4" }, { "r11", ":4:0x11" },
	      { "stall_backend", ":8:0x24" }, { "armv8_pmuv3_0/instructions/", ":0:0x1" },
	      { "armv8_pmuv3_0/ll_cache_miss_rd,rdpmc/", ":8:0x37:0x2" },
	      { "arm_dsu_1/l3d_cache_refill/", ":11:0x2a" },
	      { "arm_cmn_0/hnf_cache_miss,bynodeid,nodeid=0x48/", ":9:0x4880010005" },
	      { "arm_spe_0//", ":12:0x0" }, { "arm_spe_0/ts_enable=1/u", ":12:0x1!kh" },
	      { "arm_spe_0/ts_enable,load_filter,event_filter=0x22,min_latency=100/",
		":12:0x200000001:0x22+0x64" });
	/* A DSU's events are no core's. */
	fails("arm_dsu_0/instructions/", EINVAL, "neither");
	root_remove();
	MEANS("vm", { "cycles", ":0:0x0" }, { "msr/tsc/", ":8:0x0" },
	      { "context-switches", ":1:0x3" });
	fails("cpu/cycles/", ENOENT, "no PMU \"cpu\"; there are ");
	fails("slots", EINVAL, "not an event");
	root_remove();
	MEANS("container", { "cycles", ":0:0x0" }, { "r8000", ":4:0x8000" },
	      { "page-faults", ":1:0x2" });
	fails("cpu/cycles/", ENOENT, "/sys/bus/event_source/devices, can't be read");
	root_remove();
	MEANS("no-proc", { "cpu/slots/", ":4:0x400" }, { "LLC-loads", ":3:0x2" });
	root_remove();
}
END_TEST

/*
 * Every name that is listed is a right one, and has as many variants as the machine's cores allow.
 */
struct listed {
	const char *kind;
	int most;
	unsigned int n;
};

static int check_name(void *arg, const struct perfctr_event_name *name)
{
	struct perfctr_variant v[PERFCTR_VARIANTS_MAX];
	struct listed *listed = arg;
	int n;

	listed->n++;
	ck_assert_str_eq(name->kind, listed->kind);
	ck_assert_msg(perfctr_event_check(name->name) == 0, "%s", perfctr_error());
	n = parse_variants(name->name, strlen(name->name), v);
	ck_assert_msg(n >= 1 && n <= listed->most, "%s has %d", name->name, n);
	return 0;
}

START_TEST(lists)
{
	static const struct {
		char machine[16];
		int kinds;
		unsigned int pmu_events;
	} machines[] = {
		{ "alderlake", 2, 46 },	  { "arrowlake-h", 3, 52 }, { "sapphirerapids", 1, 29 },
		{ "zen4", 1, 13 },	  { "rk3399", 2, 51 },	    { "apple-m1", 2, 4 },
		{ "neoverse-n1", 1, 51 }, { "vm", 1, 2 },	    { "container", 1, 0 },
	};
	struct listed listed;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		root_unpack(machines[i].machine);
		listed = (struct listed){ "software", 1, 0 };
		ck_assert_int_eq(perfctr_event_list("software", check_name, &listed), 0);
		ck_assert_uint_eq(listed.n, 12);
		listed = (struct listed){ "pmu", 1, 0 };
		ck_assert_int_eq(perfctr_event_list("pmu", check_name, &listed), 0);
		ck_assert_msg(listed.n == machines[i].pmu_events, "%s: %u", machines[i].machine,
			      listed.n);
		/* Arm's cores are asked what they have. */
		if (strcmp(machines[i].machine, "rk3399")) {
			listed = (struct listed){ "hardware", machines[i].kinds, 0 };
			ck_assert_int_eq(perfctr_event_list("hardware", check_name, &listed), 0);
			ck_assert_uint_eq(listed.n, 10);
		}
		root_remove();
	}
}
END_TEST

/* ---- what the library says of a machine ---- */

struct finding {
	const char *name;
	int found, ok;
	char state[512], remedy[512];
};

static int note_finding(void *arg, const struct perfctr_check *check)
{
	struct finding *finding = arg;

	ck_assert_str_ne(check->state, "");
	ck_assert(check->ok || *check->remedy);
	if (strcmp(check->name, finding->name))
		return 0;
	finding->found++;
	finding->ok = check->ok;
	snprintf(finding->state, sizeof(finding->state), "%s", check->state);
	snprintf(finding->remedy, sizeof(finding->remedy), "%s", check->remedy);
	return 0;
}

static struct finding found(const char *name)
{
	struct finding finding = { .name = name };

	ck_assert_int_eq(perfctr_doctor(note_finding, &finding), 0);
	return finding;
}

START_TEST(doctors)
{
	static const struct {
		char machine[16];
		const char *kinds; /* NULL: no hybrid */
		const char *level;
	} machines[] = {
		{ "alderlake",
		  "2 core types: cpu_core on processors 0-15, cpu_atom on processors 16-23",
		  "2: " },
		{ "arrowlake-h",
		  "3 core types: cpu_core on processors 0-5, cpu_atom on processors 6-13, "
		  "cpu_lowpower on processors 14-15",
		  "2: " },
		{ "rk3399",
		  "2 core types: armv8_cortex_a53 on processors 0-3, armv8_cortex_a72 on "
		  "processors 4-5",
		  "2: " },
		{ "sapphirerapids", NULL, "1: " },
		{ "zen4", NULL, "2: " },
		{ "neoverse-n1", NULL, "2: " },
		{ "vm", NULL, "2: " },
		{ "container", NULL, "3: " },
		{ "no-proc", NULL, "not known" },
	};
	struct perfctr_info info;
	struct finding finding;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		root_unpack(machines[i].machine);
		finding = found("hybrid PMU");
		ck_assert_int_eq(finding.found, machines[i].kinds != NULL);
		if (machines[i].kinds)
			ck_assert_str_eq(finding.state, machines[i].kinds);
		finding = found("restartable sequences");
		ck_assert_int_eq(finding.found, PERFCTR_HAVE_CORE_TYPES && machines[i].kinds);
		if (finding.found)
			ck_assert_int_eq(finding.ok, perfctr_rseq_here() != NULL);
		finding = found("paranoid level");
		ck_assert_int_eq(finding.found, 1);
		ck_assert_msg(!strncmp(finding.state, machines[i].level, strlen(machines[i].level)),
			      "%s", finding.state);
		ck_assert_int_eq(perfctr_get_info(&info), 0);
		root_remove();
	}
	root_unpack("container");
	finding = found("kernel's PMUs");
	ck_assert_str_eq(finding.remedy,
			 "/sys/bus/event_source/devices can't be read: is /sys mounted?");
	root_remove();
}
END_TEST

static void two_kinds(const char *first, const char *second)
{
	root_make();
	root_line("cpu_core/type", "4");
	root_line("cpu_core/cpus", first);
	root_line("cpu_atom/type", "10");
	root_line("cpu_atom/cpus", second);
}

/* A thread that may run on either kind does not read its counters itself. */
START_TEST(bound_threads)
{
	struct finding finding;

	two_kinds("8190", "8191");
	ck_assert(perfctr_may_change_kind());
	finding = found("hybrid PMU");
	ck_assert(!finding.ok && strstr(finding.remedy, "perfctr_set"));
	ck_assert(strstr(finding.remedy, "bind the thread"));
#if defined(__i386__) || defined(__x86_64__)
	ck_fails(perfctr_why_no_reader(), EOPNOTSUPP, "bound to one core type");
#endif
	root_remove();
	two_kinds("0-8190", "8191");
	ck_assert(!perfctr_may_change_kind());
	ck_assert(found("hybrid PMU").ok);
	root_remove();
	/* E-cores that are all offline; lists that make no sense. */
	two_kinds("0-8191", "");
	ck_assert(!perfctr_may_change_kind());
	ck_assert_str_eq(found("hybrid PMU").state, "2 core types: cpu_core on processors 0-8191, "
						    "cpu_atom on no processor");
	root_remove();
	two_kinds("0-99999", "nonsense");
	ck_assert(perfctr_may_change_kind());
	ck_assert_str_eq(found("hybrid PMU").state,
			 "2 core types: cpu_core on processors that the kernel "
			 "does not tell, cpu_atom on processors that the kernel does not tell");
	root_remove();
	root_unpack("sapphirerapids");
	ck_assert(!perfctr_may_change_kind());
	root_remove();
}
END_TEST

/* ---- samplers ---- */

static void sampled(const char *list, int cpu, const char *pmu, uint32_t type)
{
	struct perfctr_variant first;

	ck_assert_msg(choose(list, cpu, 0, &first) == 0, "%s", perfctr_error());
	ck_assert_str_eq(first.pmu, pmu);
	ck_assert_uint_eq(first.attr.type, type);
	ck_assert_uint_eq(first.attr.precise_ip, strstr(list, ":pp") ? 2 : 0);
}

/* The first event of a sampler, too, is on the PMU of the processor's core type. */
START_TEST(samplers)
{
	struct perfctr_sampler_config config = { .period = 1, .fields = PERF_SAMPLE_READ };
	const struct perfctr_target atom = { .type = PERFCTR_TARGET_THREAD_ON_CPU, .cpu = 16 };

	root_unpack("alderlake");
	sampled("r1c2:pp", -1, "cpu_core", 4);
	sampled("r1c2:pp", 3, "cpu_core", 4);
	sampled("r1c2:pp", 16, "cpu_atom", 10);
	sampled("r1c2,cpu_atom/instructions/", -1, "cpu_atom", 10);
	sampled("task-clock", 16, "", PERF_TYPE_SOFTWARE);
	ck_fails_null(perfctr_sampler_open("slots", &atom, &config), EINVAL,
		      "slots counts on cpu_core, and the requested processor is of another core "
		      "type: a sampler is on the PMU of one core type; open a sampler for each");
	ck_fails_null(perfctr_sampler_open("{slots:p,cpu_atom/cycles/}", NULL, &config), EINVAL,
		      "the events before it do not");
	root_remove();
	root_unpack("sapphirerapids");
	sampled("cycles:pp", 3, "", PERF_TYPE_HARDWARE);
	root_remove();
}
END_TEST

/* ---- top-down metrics ---- */

static bool metric(const char *event)
{
	struct perf_event_attr attr;

	ck_assert_msg(parse_event(event, strlen(event), &attr) == 0, "%s", perfctr_error());
	return perfctr_event_is_metric(&attr);
}

/* The event is not opened outside a group of slots. */
static void metric_is_refused(const char *event)
{
	const struct perfctr_scope cgroup = { .tid = -1, .cpu = 0, .cgroup = 0 };
	const struct perfctr_sampler_config config = { .period = 1 };
	struct perf_event_attr attr;
	struct perfctr_counter leader = { .fd = -1 }, counter;

	ck_assert_msg(parse_event(event, strlen(event), &attr) == 0, "%s", perfctr_error());
	ck_fails(perfctr_counter_open(&counter, &attr, event, &perfctr_this_thread, NULL, 0),
		 EINVAL,
		 "is a top-down metric, a share of the slots: it counts only in a group that "
		 "slots leads; write {slots,");
	ck_assert_int_eq(counter.fd, -1);
	ck_fails(perfctr_counter_open(&counter, &attr, event, &cgroup, NULL, 0), EINVAL,
		 "is a top-down metric");
	ck_assert_int_eq(counter.fd, -1);
	ck_fails(perfctr_counter_open(&counter, &attr, event, &perfctr_this_thread, &leader, 1),
		 EINVAL, "top-down metric");
	ck_fails_null(perfctr_set_open(event, NULL, 0), EINVAL, "top-down metric");
	ck_fails_null(perfctr_sampler_open(event, NULL, &config), EOPNOTSUPP,
		      "can be counted but not sampled: it is a top-down metric");
	/* With slots in front, the kernel has the word; there is nothing after this descriptor. */
	leader.slots = true;
	leader.no_user = attr.exclude_user;
	leader.no_kernel = attr.exclude_kernel;
	ck_assert_int_eq(perfctr_counter_open(&counter, &attr, event, &perfctr_this_thread, &leader,
					      1),
			 -1);
	ck_assert_ptr_null(strstr(perfctr_error(), "top-down"));
}

START_TEST(metrics)
{
	static const char *const events[] = {
		"topdown-retiring",
		"topdown-bad-spec",
		"topdown-fe-bound",
		"topdown-be-bound",
		"topdown-heavy-ops",
		"topdown-br-mispredict",
		"topdown-fetch-lat",
		"topdown-mem-bound",
		"r8000",
		"r8700:u",
		"cpu/topdown-retiring/",
		"cpu/event=0,umask=0x83/u",
		"cpu/config=0x8100/",
		"r48100",
	};
	struct perf_event_attr attr;
	struct perfctr_counter counter = { .fd = -1, .metric = true };
	size_t i;

	root_unpack("sapphirerapids");
	for (i = 0; i < ARRAY_SIZE(events); i++)
		metric_is_refused(events[i]);
	ck_assert(!metric("slots") && !metric("r80c0") && !metric("r400") && !metric("cycles"));
	ck_assert(!metric("uncore_imc_0/event=0,umask=0x80/"));
	ck_assert(parse_event("slots:u", 7, &attr) == 0 && perfctr_event_is_slots(&attr));
	ck_assert(parse_event("cycles", 6, &attr) == 0 && !perfctr_event_is_slots(&attr));
	/* Whatever its page says. */
	ck_assert(!perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT));
	root_remove();
	root_unpack("alderlake");
	metric_is_refused("topdown-mem-bound");
	metric_is_refused("topdown-retiring");
	metric_is_refused("cpu_core/topdown-retiring/");
	metric_is_refused("r8000");
	ck_assert(!metric("cpu_atom/topdown-retiring/") && !metric("cpu_atom/r8000/"));
	root_remove();
	/* Others have events of these codes, or at least nothing that RDPMC would return. */
	root_unpack("zen4");
	ck_assert(!metric("r8000") && !metric("cpu/event=0,umask=0x80/"));
	root_remove();
	root_unpack("neoverse-n1");
	ck_assert(!metric("r8000") && !metric("armv8_pmuv3_0/event=0x8000/"));
	root_remove();
}
END_TEST

/* ---- hostile trees ---- */

/* Nothing crashes, and what fails says why. */
static void survive(void)
{
	static const char *const events[] = {
		"cycles",
		"LLC-loads",
		"r8000",
		"x",
		"loop",
		"slots",
		"topdown-retiring",
		"bad/x/",
		"bad/loop/",
		"bad/cycles/",
		"cpu_core/cycles/",
		"cpu_atom/x/",
		"task-clock",
		"cycles,x",
		"bad/event=1/",
	};
	struct perfctr_variant v[PERFCTR_VARIANTS_MAX];
	struct finding finding = { .name = "hybrid PMU" };
	struct perfctr_set *group;
	size_t i;
	int n;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		n = parse_variants(events[i], strlen(events[i]), v);
		ck_assert(n > 0 ? n <= PERFCTR_VARIANTS_MAX : n == -1 && *perfctr_error());
		group = perfctr_set_open(events[i], NULL, PERFCTR_DISABLED);
		ck_assert(group || *perfctr_error());
		perfctr_set_close(group);
	}
	ck_assert_int_eq(perfctr_doctor(note_finding, &finding), 0);
}

START_TEST(hostile)
{
	struct perfctr_variant v[PERFCTR_VARIANTS_MAX];
	char name[64], text[70000];
	unsigned int i;

	/* Types. */
	two_kinds("0", "1");
	root_line("cpu_atom/type", "many");
	fails("cpu_atom/cycles/", ENOENT,
	      "the PMU cpu_atom can't be used: the kernel's "
	      "/sys/bus/event_source/devices/cpu_atom/type has no type number");
	ck_fails(parse_variants("cycles", 6, v), ENOENT, "the PMU cpu_atom can't be used");
	survive();
	root_line("cpu_atom/type", "99999999999999999999");
	ck_fails(parse_variants("cycles", 6, v), ENOENT, "the PMU cpu_atom can't be used");
	root_remove();

	/* Loops of links, directories in place of files, files in place of directories. */
	two_kinds("0", "1");
	root_link("cpu_core/events/loop", "loop");
	root_link("bad", "cpu_core");
	root_link("self", "self");
	root_link("cpu_core/format", ".");
	root_line("cpu_core/events/x/y", "event=1");
	root_line("cpu_atom/events", "event=1");
	fails("loop", EINVAL, "can't be read: Too many levels of symbolic links");
	fails("x", EINVAL, "can't be read: Is a directory");
	fails("self/x/", ENOENT, "the PMU self can't be used");
	survive();
	root_remove();
	root_make();
	root_line("cpu_core/cpus/0", "");
	root_line("cpu_core/type/0", "4");
	root_link("cpu_atom/cpus", "/dev/full");
	root_line("cpu_atom/type", "10");
	survive();
	root_remove();
	root_make();
	root_line("/sys/bus/event_source/devices", "no directory");
	survive();
	root_remove();
	root_make();
	root_link("/sys/bus/event_source/devices", "devices");
	survive();
	root_remove();

	/* Long and binary texts. */
	two_kinds("0", "1");
	memset(text, ',', sizeof(text));
	root_file("cpu_core/cpus", text, sizeof(text));
	root_file("cpu_core/events/x", text, sizeof(text));
	memset(text, 0xFF, sizeof(text));
	root_file("cpu_atom/events/x", text, 300);
	root_file("cpu_atom/cpus", text, 300);
	fails("cpu_core/x/", EINVAL, "can't be read: File too large");
	fails("cpu_atom/x/", EINVAL, "neither an event nor a field of the PMU cpu_atom");
	fails("x", EINVAL, "can't be read");
	ck_assert_int_eq(parse_variants("cycles", 6, v), 2);
	survive();
	root_remove();

	/* More core types than there is room for. */
	root_make();
	for (i = 0; i < PERFCTR_VARIANTS_MAX + 1; i++) {
		snprintf(name, sizeof(name), "armv9_%u/type", i);
		root_line(name, "10");
		snprintf(name, sizeof(name), "armv9_%u/cpus", i);
		root_line(name, "0");
		if (i == PERFCTR_VARIANTS_MAX - 1) {
			ck_assert_int_eq(parse_variants("cycles", 6, v), PERFCTR_VARIANTS_MAX);
			ck_assert_str_eq(v[PERFCTR_VARIANTS_MAX - 1].pmu, "armv9_7");
		}
	}
	ck_fails(parse_variants("cycles", 6, v), EOPNOTSUPP,
		 "this machine shows more than 8 core types; name the PMU: PMU/.../");
	ck_assert_str_eq(found("hybrid PMU").state, "too many");
	survive();
	root_remove();
}
END_TEST

/* Before the first look-up: this machine's own events are not those of the roots. */
static void __attribute__((constructor)) begin(void)
{
	setenv("PERFCTR_ROOT", "/nonexistent", 1);
}

UNIT_MAIN("zoo", 60, alderlake, three_kinds, big_little, one_kind, lists, doctors, bound_threads,
	  samplers, metrics, hostile)
