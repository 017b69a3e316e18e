// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The processors' own events on hybrid machines, where each core type has a table: on an Alder
 * Lake and an Arrow Lake H that answer CPUID here, or on an RK3399 whose sysfs has MIDR_EL1.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/file.h"
#include "lib/base/word.h"
#include "lib/names/resolve.h"
#include "lib/isa/control.h"
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "lib/names/metric.h"
#include "libperfctr.h"
#include "arch/cpu.h"
#include "tests/harness/root.h"
#include "tests/harness/names.h"
#include "tests/harness/check.h"

#if defined(__i386__) || defined(__x86_64__) || defined(__aarch64__)

/* Which event on which PMU, as type:config. */
static void means(const char *event, const char *expected)
{
	struct perfctr_variant v[PERFCTR_VARIANTS_MAX];
	int i, n = parse_variants(event, strlen(event), v);
	char text[512] = "";
	size_t used = 0;

	ck_assert_msg(n > 0, "%s", perfctr_error());
	for (i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%s:%u:0x%" PRIx64 "%s%s", i ? " " : "", v[i].pmu,
					 v[i].attr.type, (uint64_t)v[i].attr.config,
					 v[i].attr.exclude_kernel ? "!k" : "",
					 v[i].attr.exclude_user ? "!u" : "");
	ck_assert_msg(!strcmp(text, expected), "%s: %s", event, text);
	ck_assert_msg(perfctr_event_check(event) == 0, "%s", perfctr_error());
}

#define fails(event, error, words) ck_fails(perfctr_event_check(event), error, words)

#endif

#if defined(__i386__) || defined(__x86_64__)

/* tests/data/cpuid/intel-alderlake-90672-e.txt: asked on an E-core. */
static struct perfctr_cpuid told = {
	.max_leaf = 0x20,
	.vendor = "GenuineIntel",
	.signature = 0x90672,
	.leaf1_ebx = 0x40800800,
	.leaf1_ecx = 0x7FFAFBFF,
	.leaf1_edx = 0xBFEBFBFF,
	.leaf7_ebx = 0x239CA7EB,
	.leaf7_edx = 0xFC1CC410,
	.leaf7_1_eax = 0x00400810,
	.leaf0a_eax = 0x07300605,
	.leaf0a_ecx = 7,
	.leaf0a_edx = 0x8603,
	.leaf1a_eax = 0x20000001,
};

void perfctr_cpuid_read(struct perfctr_cpuid *id)
{
	*id = told;
}

static int check_name(void *arg, const struct perfctr_event_name *name)
{
	static char seen[4000][PERFCTR_NAME_SIZE];
	struct perfctr_variant v[PERFCTR_VARIANTS_MAX];
	unsigned int *n = arg, i;

	ck_assert_str_eq(name->kind, "cpu");
	for (i = 0; i < n[2]; i++)
		ck_assert_msg(strcmp(seen[i], name->name), "%s twice", name->name);
	ck_assert_uint_lt(i, ARRAY_SIZE(seen));
	snprintf(seen[i], sizeof(seen[i]), "%s", name->name);
	ck_assert_msg(perfctr_event_check(name->name) == 0, "%s", perfctr_error());
	ck_assert_int_ge(parse_variants(name->name, strlen(name->name), v), 1);
	n[0] += !strcmp(v[0].pmu, "cpu_core");
	n[1] += !strcmp(v[0].pmu, "cpu_atom");
	n[2]++;
	return 0;
}
static const char *id_of(const char *pmu)
{
	struct perfctr_pmu core = { .type = 4 };
	static struct perfctr_cpu cpu;

	snprintf(core.name, sizeof(core.name), "%s", pmu);
	ck_assert_ptr_nonnull(perfctr_core_table(&core, &cpu));
	return cpu.id;
}

/* Before this process looks for the first time, which is the only time. */
START_TEST(arrowlake)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		told.signature = 0xC0652;
		unsetenv("PERFCTR_ROOT");
		ck_assert_str_eq(perfctr_this_cpu()->id, "arl_lioncove");
		root_unpack("arrowlake-h");
		ck_assert_str_eq(id_of("cpu_core"), "arl_lioncove");
		ck_assert_str_eq(id_of("cpu_atom"), "arl_skymont");
		ck_assert_str_eq(id_of("cpu_lowpower"), "crestmont");
		/* Skymont and Crestmont have it, by different codes. */
		means("TOPDOWN_RETIRING:ALL", "cpu_atom:10:0x2c2 cpu_lowpower:11:0x72");
		root_remove();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

static void become_alderlake(void)
{
	unsetenv("PERFCTR_ROOT");
	ck_assert_str_eq(perfctr_this_cpu()->id, "goldencove");
	root_unpack("alderlake");
}

START_TEST(alderlake)
{
	unsigned int n[3] = { 0 };

	become_alderlake();
	ck_assert_str_eq(id_of("cpu_core"), "goldencove");
	ck_assert_str_eq(id_of("cpu_atom"), "gracemont");
	/* Both, by one code or by two; one only; masks of both, and of one. */
	means("BR_INST_RETIRED:ALL_BRANCHES", "cpu_core:4:0xc4 cpu_atom:10:0xc4");
	means("br_inst_retired.all_branches:u", "cpu_core:4:0xc4!k cpu_atom:10:0xc4!k");
	means("MACHINE_CLEARS:SMC", "cpu_core:4:0x4c3 cpu_atom:10:0x1c3");
	means("MACHINE_CLEARS:FP_ASSIST", "cpu_atom:10:0x4c3");
	means("MACHINE_CLEARS:COUNT:k", "cpu_core:4:0x10401c3!u");
	means("TOPDOWN:SLOTS", "cpu_core:4:0x400");
	means("TOPDOWN:BACKEND_BOUND_SLOTS", "cpu_core:4:0x2a4");
	means("TOPDOWN_RETIRING.ALL", "cpu_atom:10:0xc2");
	means("TOPDOWN_FE_BOUND:ALL:c=3", "cpu_atom:10:0x3000071");
	means("cpu_atom/TOPDOWN_RETIRING.ALL/u", "cpu_atom:10:0xc2!k");
	means("cpu_atom/MACHINE_CLEARS:SMC/", "cpu_atom:10:0x1c3");
	means("cpu_core/machine_clears.smc/", "cpu_core:4:0x4c3");
	means("cycles:u", "cpu_core:0:0x400000000!k cpu_atom:0:0xa00000000!k");
	fails("MACHINE_CLEARS:NOTHING", EINVAL,
	      "\"NOTHING\" in \"MACHINE_CLEARS:NOTHING\" is neither");
	fails("TOPDOWN_RETIRING:NOTHING", EINVAL, "which has ALL");
	fails("cpu_core/MACHINE_CLEARS:FP_ASSIST/", EINVAL,
	      "nor a unit mask of the event, which has COUNT");
	fails("cpu_core/TOPDOWN_RETIRING.ALL/", EINVAL,
	      "neither an event nor a field of the PMU cpu_core");
	fails("TOPDOWN_RETIRNG.ALL", EINVAL, "did you mean TOPDOWN_RETIRING:ALL");
	/* What is listed is right, each once: those of the P-cores, and what only E-cores have. */
	ck_assert_int_eq(perfctr_event_list("cpu", check_name, n), 0);
	ck_assert_uint_gt(n[0], 250);
	ck_assert_uint_gt(n[1], 100);
	ck_assert_uint_eq(n[0] + n[1], n[2]);
	root_remove();
}
END_TEST

/* A control is one of the P-cores, and so are its names. */
START_TEST(controls)
{
	struct perfctr_cpu_control control;
	struct perf_event_attr attr = { 0 };
	char name[32];

	become_alderlake();
	ck_assert_int_eq(perfctr_cpu_control_events(&control, "MACHINE_CLEARS:SMC"), 1);
	ck_assert_int_eq(perfctr_control_attr(&control, 0, &attr, name, sizeof(name)), 0);
	ck_assert_uint_eq(attr.type, PERF_TYPE_RAW);
	ck_assert_uint_eq(attr.config, 0x4C3);
	ck_fails(perfctr_cpu_control_events(&control, "TOPDOWN_RETIRING.ALL"), EINVAL,
		 "not an event of the Intel Alder Lake, P-core");
	root_remove();
	/* No sysfs says that it has metrics: on an Intel it may. */
	root_unpack("container");
	attr.config = 0x8000;
	ck_assert(perfctr_event_is_metric(&attr));
	attr.type = PERF_TYPE_HW_CACHE;
	ck_assert(!perfctr_event_is_metric(&attr));
	/* Another PMU's event is none, nor is a raw one where the core's have another type. */
	attr.type = 12;
	ck_assert(!perfctr_event_is_metric(&attr));
	root_remove();
	root_make();
	root_line("cpu/type", "8");
	attr.type = PERF_TYPE_RAW;
	ck_assert(!perfctr_event_is_metric(&attr));
	root_remove();
}
END_TEST

/* Before the first look-up, when it is this machine's tables that count, and no root's. */
static void __attribute__((constructor)) begin(void)
{
	unsetenv("PERFCTR_ROOT");
}

UNIT_MAIN("hybrid", 60, arrowlake, alderlake, controls)

#elif defined(__aarch64__)

static int count_name(void *arg, const struct perfctr_event_name *name)
{
	unsigned int *n = arg;

	n[0] += !strcmp(name->name, "PREFETCH_LINEFILL");
	n[1] += !strcmp(name->name, "L2D_CACHE_RD");
	n[2] += !strcmp(name->name, "CPU_CYCLES");
	return 0;
}

/* This host's own table is a third one, and listed too. */
START_TEST(rk3399)
{
	unsigned int n[3] = { 0 };

	unsetenv("PERFCTR_ROOT");
	ck_assert_ptr_nonnull(perfctr_this_table());
	root_unpack("rk3399");
	means("CPU_CYCLES:u", "armv8_cortex_a53:8:0x11!k armv8_cortex_a72:9:0x11!k");
	means("PREFETCH_LINEFILL", "armv8_cortex_a53:8:0xc2");
	means("L2D_CACHE_RD", "armv8_cortex_a72:9:0x50");
	means("armv8_cortex_a72/L2D_CACHE_RD/", "armv8_cortex_a72:9:0x50");
	fails("armv8_cortex_a53/L2D_CACHE_RD/", EINVAL, "neither an event nor a field");
	ck_assert_int_eq(perfctr_event_list("cpu", count_name, n), 0);
	ck_assert(n[0] == 1 && n[1] == 1 && n[2] == 1);
	root_remove();
}
END_TEST

UNIT_MAIN("hybrid", 60, rk3399)

#else

int main(void)
{
	puts("No processor of this ISA has several core types with tables of their own.");
	return 77;
}

#endif
