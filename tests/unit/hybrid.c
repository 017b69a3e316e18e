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
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/file.h"
#include "lib/base/word.h"
#include "lib/names/resolve.h"
#include "lib/isa/control.h"
#include "lib/isa/identify.h"
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "lib/perf/topdown.h"
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

/* What these metrics count. */
static void events_are(const char *names, unsigned int n, const char *events)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open(names, NULL);
	struct perfctr_list *list;

	ck_assert_msg(metrics != NULL, "%s", perfctr_error());
	ck_assert_str_eq(perfctr_metrics_events(metrics, NULL), events);
	ck_assert_uint_eq(perfctr_metrics_size(metrics), n);
	list = perfctr_list_resolve(events, 0);
	ck_assert_msg(list != NULL, "%s", perfctr_error());
	perfctr_list_free(list);
	perfctr_metrics_close(metrics);
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

static char seen[4000][PERFCTR_NAME_SIZE];

static int check_name(void *arg, const struct perfctr_event_name *name)
{
	struct perfctr_variant v[PERFCTR_VARIANTS_MAX];
	unsigned int *n = arg;

	ck_assert_str_eq(name->kind, "cpu");
	ck_assert_uint_lt(n[2], ARRAY_SIZE(seen));
	snprintf(seen[n[2]], sizeof(seen[0]), "%s", name->name);
	ck_assert_msg(perfctr_event_check(name->name) == 0, "%s", perfctr_error());
	ck_assert_msg(parse_variants(name->name, strlen(name->name), v) >= 1, "%s: %s", name->name,
		      perfctr_error());
	n[0] += !strcmp(v[0].pmu, "cpu_core");
	n[1] += !strcmp(v[0].pmu, "cpu_atom");
	n[2]++;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Each is listed once, of which type soever. n: on P-cores, on E-cores, of all */
static void check_names(unsigned int n[3])
{
	unsigned int i;

	ck_assert_int_eq(perfctr_event_list("cpu", check_name, n), 0);
	qsort(seen, n[2], sizeof(seen[0]), by_name);
	for (i = 1; i < n[2]; i++)
		ck_assert_msg(strcmp(seen[i - 1], seen[i]), "%s twice", seen[i]);
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
	unsigned int n[3] = { 0 };
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
		check_names(n);
		ck_assert_uint_gt(n[2], n[0] + n[1]);
		root_remove();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

static void put(const char *directory, const char *name, const char *text)
{
	char path[100];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static int count_shared(void *arg, const struct perfctr_event_name *name)
{
	struct perfctr_variant v[PERFCTR_VARIANTS_MAX];
	unsigned int *n = arg;

	ck_assert_msg(parse_variants(name->name, strlen(name->name), v) == 1, "%s: %s", name->name,
		      perfctr_error());
	ck_assert_msg(strcmp(name->name, "MACHINE_CLEARS:SMC"), "%s", name->name);
	n[0]++;
	return 0;
}

/* A Meteor Lake on Linux 6.1, which does not know it: one PMU, and no fields of its own. */
static void check_unknown(void)
{
	static const char of_all[] =
		"the core types of this hybrid processor share a PMU, and it is not "
		"the same event on all of them: Linux 6.1.0-50-amd64 does not know "
		"the Intel Meteor Lake, P-core: ";
	char directory[] = "/tmp/hybrid.XXXXXX";
	unsigned int n = 0;

	told.signature = 0xA06A4;
	told.leaf7_edx |= 1u << 15;
	unsetenv("PERFCTR_ROOT");
	ck_assert_str_eq(perfctr_this_cpu()->id, "redwoodcove");
	root_make();
	root_line("/proc/sys/kernel/osrelease", "6.1.0-50-amd64");
	root_line("cpu/type", "4");
	root_line("cpu/caps/pmu_name", "generic_arch_v2+");
	root_line("cpu/format/event", "config:0-7");
	root_line("cpu/format/umask", "config:8-15");
	root_line("cpu/format/edge", "config:18");
	root_line("cpu/format/inv", "config:23");
	root_line("cpu/format/cmask", "config:24-31");
	root_line("cpu/events/cpu-cycles", "event=0x3c");
	means("BR_INST_RETIRED:ALL_BRANCHES:u", ":4:0xc4!k");
	means("INST_RETIRED:ANY", ":4:0xc0");
	means("PAPI_TOT_INS", ":4:0xc0");
	means("cycles", ":0:0x0");
	/* Raw codes that both types have, or neither has, or that are another event on one. */
	means("r412e:u", ":4:0x412e!k");
	means("cpu/event=0x2e,umask=0x41/u", "cpu:4:0x412e!k");
	means("r2fc4", ":4:0x2fc4");
	fails("r1c3", EOPNOTSUPP, of_all);
	fails("4:0x1c3:u", EOPNOTSUPP, of_all);
	fails("cpu/event=0xc3,umask=1/", EOPNOTSUPP, of_all);
	fails("cpu/r1c3/u", EOPNOTSUPP, of_all);
	means("cpu/cpu-cycles/", "cpu:4:0x3c");
	fails("MACHINE_CLEARS:SMC", EOPNOTSUPP, of_all);
	fails("MACHINE_CLEARS:SMC:u", EOPNOTSUPP, of_all);
	fails("machine_clears.count", EOPNOTSUPP, of_all);
	fails("cpu/MACHINE_CLEARS:SMC/u", EOPNOTSUPP, of_all);
	/* Of one core type only. */
	fails("TOPDOWN_RETIRING:ALL", EOPNOTSUPP, of_all);
	fails("TOPDOWN:SLOTS", EOPNOTSUPP, of_all);
	fails("NO_SUCH:EVENT", EINVAL, "is not an event");
	fails("OCR:DEMAND_DATA_RD.ANY_RESPONSE", EOPNOTSUPP, "6.1.0-50-amd64");
	fails("r10d1", EOPNOTSUPP, "not all counters can count it");
	ck_assert_int_eq(perfctr_event_list("cpu", count_shared, &n), 0);
	ck_assert_uint_gt(n, 3);
	/* The vendor's files, too. */
	ck_assert_ptr_nonnull(mkdtemp(directory));
	put(directory, "a.json",
	    "[{\"EventName\":\"NEW.BOTH\",\"EventCode\":\"0xc4\",\"UMask\":\"0x7f\",\"Unit\":\"cpu_core\"},"
	    "{\"EventName\":\"NEW.BOTH\",\"EventCode\":\"0xc4\",\"UMask\":\"0x7f\",\"Unit\":\"cpu_atom\"},"
	    "{\"EventName\":\"NEW.OTHER\",\"EventCode\":\"0xc4\",\"UMask\":\"2\",\"Unit\":\"cpu_core\"},"
	    "{\"EventName\":\"NEW.OTHER\",\"EventCode\":\"0xc4\",\"UMask\":\"3\",\"Unit\":\"cpu_atom\"},"
	    "{\"EventName\":\"NEW.ONE\",\"EventCode\":\"0xc4\",\"UMask\":\"4\",\"Unit\":\"cpu_core\"}]");
	setenv("PERFCTR_EVENTS", directory, 1);
	means("NEW.BOTH", ":4:0x7fc4");
	fails("NEW.OTHER", EOPNOTSUPP, of_all);
	fails("NEW.ONE", EOPNOTSUPP, of_all);
	root_remove();
}

START_TEST(unknown)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		check_unknown();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

static void is_another(const char *event, const char *words)
{
	struct perfctr_variant v[PERFCTR_VARIANTS_MAX];

	ck_fails(parse_variants(event, strlen(event), v), EOPNOTSUPP, words);
	ck_fails_null(perfctr_list_resolve(event, 0), EOPNOTSUPP, words);
}

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
	/* PAPI's presets are each core type's own event; PAPI has these two for the E-core. */
	means("PAPI_TOT_INS", "cpu_core:4:0xc0 cpu_atom:10:0xc0");
	means("papi_tot_cyc:u", "cpu_core:4:0x3c!k cpu_atom:10:0x3c!k");
	means("cpu_atom/PAPI_TOT_INS/", "cpu_atom:10:0xc0");
	means("PAPI_LD_INS", "cpu_core:4:0x81d0");
	fails("PAPI_LST_INS", EINVAL, "PAPI_LST_INS is a formula here, not an event");
	fails("PAPI_TOT_INS:D:e", EINVAL, "write INST_RETIRED:ANY_P:e:D");
	/* The e of a table's event is edges, and never perf's; perf's are those that a table lacks.
	 */
	means("BR_INST_RETIRED:ALL_BRANCHES:e", "cpu_core:4:0x400c4 cpu_atom:10:0x400c4");
	means("BR_INST_RETIRED:ALL_BRANCHES:e:D:u", "cpu_core:4:0x400c4!k cpu_atom:10:0x400c4!k");
	means("BR_INST_RETIRED:ALL_BRANCHES:D:u", "cpu_core:4:0xc4!k cpu_atom:10:0xc4!k");
	fails("BR_INST_RETIRED:ALL_BRANCHES:eD", EINVAL,
	      "e is edges, which stand before perf's modifiers: write "
	      "BR_INST_RETIRED:ALL_BRANCHES:e:D");
	fails("BR_INST_RETIRED:ALL_BRANCHES:De", EINVAL, "write BR_INST_RETIRED:ALL_BRANCHES:e:D");
	fails("BR_INST_RETIRED:ALL_BRANCHES:u:D:e:I", EINVAL,
	      "write BR_INST_RETIRED:ALL_BRANCHES:u:e:D:I");
	fails("CPU_CLK_UNHALTED:REF_TSC:u:e", EOPNOTSUPP, "a fixed counter has no e");
	fails("CPU_CLK_UNHALTED:REF_TSC:u:e:D", EOPNOTSUPP, "a fixed counter has no e");
	fails("BR_INST_RETIRED:ALL_BRANCHES:c=300:D", EINVAL, "is not one from 0 to 255");
	/* The register beside the event select is the core type's. */
	means("cpu_core/event=0x2a,umask=1,offcore_rsp=0x10001/", "cpu_core:4:0x12a");
	means("cpu_atom/event=0xb7,umask=1,offcore_rsp=0x10001/", "cpu_atom:10:0x1b7");
	fails("cpu_core/event=0xb7,umask=1,offcore_rsp=0x10001/", EOPNOTSUPP,
	      "Linux ignores config1 (0x10001) of this event");
	fails("cpu_atom/event=0x2a,umask=1,offcore_rsp=0x10001/", EOPNOTSUPP, "Linux ignores");
	fails("cycles/config1=1/", EOPNOTSUPP, "Linux ignores config1");
	/* Raw codes without a PMU: the same event on both, another one, and unknown ones. */
	means("r412e", "cpu_core:4:0x412e cpu_atom:10:0x412e");
	means("rc4:u", "cpu_core:4:0xc4!k cpu_atom:10:0xc4!k");
	means("r2fc4", "cpu_core:4:0x2fc4 cpu_atom:10:0x2fc4");
	is_another("r1c2", "r1c2 can't be counted on all core types: it is UOPS_RETIRED:HEAVY on "
			   "cpu_core, and UOPS_RETIRED:MS on cpu_atom; name the PMU, as in "
			   "cpu_core/r1c2/");
	is_another("R4c3:u", "it is MACHINE_CLEARS:SMC on cpu_core, and MACHINE_CLEARS:FP_ASSIST");
	is_another("4:0x4c3", "MACHINE_CLEARS:FP_ASSIST on cpu_atom");
	is_another("r1c4",
		   "BR_INST_RETIRED:COND_TAKEN on cpu_core, and no known event on cpu_atom");
	means("cpu_core/r1c2/", "cpu_core:4:0x1c2");
	/* A misspelt name is no raw code. */
	fails("uncore_cbox_0/read/", EINVAL, "neither an event nor a field");
	/* What counts for a core is no unit. */
	fails("cpu_*/event=1/", EINVAL, "can't be the name of a PMU");
	fails("MACHINE_CLEARS:NOTHING", EINVAL,
	      "\"NOTHING\" in \"MACHINE_CLEARS:NOTHING\" is neither");
	fails("TOPDOWN_RETIRING:NOTHING", EINVAL, "which has ALL");
	fails("cpu_core/MACHINE_CLEARS:FP_ASSIST/", EINVAL,
	      "nor a unit mask of the event, which has COUNT");
	fails("cpu_core/TOPDOWN_RETIRING.ALL/", EINVAL,
	      "neither an event nor a field of the PMU cpu_core");
	fails("TOPDOWN_RETIRNG.ALL", EINVAL, "did you mean TOPDOWN_RETIRING:ALL");
	/* What is listed is right, each once: those of the P-cores, and what only E-cores have. */
	check_names(n);
	ck_assert_uint_gt(n[0], 250);
	ck_assert_uint_gt(n[1], 100);
	ck_assert_uint_eq(n[0] + n[1], n[2]);
	root_remove();
}
END_TEST

static int count_listed(void *arg, const struct perfctr_metric *metric)
{
	unsigned int *n = arg;

	/* It has no energy-ram, among others. */
	ck_assert_msg(!metric->reason || strstr(metric->formula, "/"), "%s: %s", metric->name,
		      metric->reason);
	n[0] += !strcmp(metric->name, "ipc") && !*metric->core;
	n[1] += !strcmp(metric->name, "topdown-retiring") && !strcmp(metric->core, "cpu_core");
	n[2] += !strcmp(metric->name, "topdown-retiring") && !strcmp(metric->core, "cpu_atom");
	n[3] += !strcmp(metric->name, "topdown-retiring") || !strcmp(metric->name, "ipc");
	return 0;
}

/* Each on each core type that has it, by that core's formula. */
START_TEST(metrics_of_cores)
{
	struct perfctr_metrics *metrics;
	struct perfctr_reading readings[4] = { { .value = 30 }, { .value = 20 }, { .value = 4 } };
	struct perfctr_metric_value value;
	struct perfctr_metric metric, other;
	unsigned int n[4] = { 0 }, i, k;

	become_alderlake();
	events_are("ipc", 2,
		   "{cpu_core/instructions/,cpu_core/cycles/},"
		   "{cpu_atom/instructions/,cpu_atom/cycles/}");
	events_are("topdown-retiring", 2,
		   "{cpu_core/slots/,cpu_core/topdown-retiring/,cpu_core/topdown-fe-bound/,"
		   "cpu_core/topdown-bad-spec/,cpu_core/topdown-be-bound/},"
		   "{cpu_atom/TOPDOWN_RETIRING:ALL/,cpu_atom/CPU_CLK_UNHALTED:CORE/}");
	/* As many as each core type has counters for. */
	events_are("topdown-frontend,topdown-backend", 4,
		   "{cpu_core/slots/,cpu_core/topdown-fe-bound/,cpu_core/topdown-bad-spec/,"
		   "cpu_core/topdown-retiring/,cpu_core/topdown-be-bound/,"
		   "cpu_core/INT_MISC:UOP_DROPPING/},"
		   "{cpu_atom/TOPDOWN_FE_BOUND:ALL/,cpu_atom/CPU_CLK_UNHALTED:CORE/,"
		   "cpu_atom/TOPDOWN_BE_BOUND:ALL/}");
	/* No core's, and a core's beside such. */
	events_are("page-fault-rate", 1, "{page-faults,task-clock}");
	events_are("frequency", 2, "{cpu_core/cycles/,task-clock},{cpu_atom/cycles/,task-clock}");
	/* Of packages: no core's, and of all the controllers that there are. */
	events_are("power-pkg,memory-read-bandwidth,energy-pkg", 3,
		   "{power/energy-pkg/},uncore_imc_free_running_0/data_read/,"
		   "uncore_imc_free_running_1/data_read/");
	metrics = perfctr_metrics_open("memory-read,memory-read-bandwidth", NULL);
	perfctr_metrics_metric(metrics, 1, &metric);
	ck_assert_str_eq(metric.core, "");
	/* 64 bytes each. */
	perfctr_metrics_value(metrics, 0, readings, &value);
	ck_assert(value.value > 3199.9 && value.value < 3200.1);
	readings[0].enabled = readings[1].enabled = 3200;
	perfctr_metrics_value(metrics, 1, readings, &value);
	ck_assert(value.value > 0.99999 && value.value < 1.00001);
	perfctr_metrics_close(metrics);
	metrics = perfctr_metrics_open("ipc", NULL);
	perfctr_metrics_metric(metrics, 1, &metric);
	ck_assert_str_eq(metric.core, "cpu_atom");
	ck_assert_str_eq(metric.name, "ipc");
	perfctr_metrics_value(metrics, 0, readings, &value);
	ck_assert(value.value > 1.49 && value.value < 1.51);
	readings[3].quality = PERFCTR_NOT_COUNTED;
	perfctr_metrics_value(metrics, 1, readings, &value);
	ck_assert_str_eq(value.reason, "cpu_atom/cycles/ was not counted");
	perfctr_metrics_close(metrics);
	/* What only one of them has. */
	metrics = perfctr_metrics_open("topdown-fetch-latency,topdown-resources", NULL);
	ck_assert_uint_eq(perfctr_metrics_size(metrics), 3);
	perfctr_metrics_metric(metrics, 2, &metric);
	ck_assert_str_eq(metric.core, "cpu_atom");
	perfctr_metrics_close(metrics);
	/* Each once, though both have most of them. */
	metrics = perfctr_metrics_open("topdown", NULL);
	for (i = 0; i < perfctr_metrics_size(metrics); i++) {
		perfctr_metrics_metric(metrics, i, &metric);
		for (k = 0; k < i; k++) {
			perfctr_metrics_metric(metrics, k, &other);
			ck_assert_msg(strcmp(metric.name, other.name) != 0 ||
					      strcmp(metric.core, other.core) != 0,
				      "%s of %s", metric.name, metric.core);
		}
	}
	ck_assert_uint_gt(i, 20);
	perfctr_metrics_close(metrics);
	ck_fails_null(perfctr_metrics_open("topdown-resorces", NULL), EINVAL,
		      "did you mean topdown-resources");
	ck_assert_int_eq(perfctr_metrics_list(NULL, count_listed, n), 0);
	ck_assert(n[0] == 1 && n[1] == 1 && n[2] == 1 && n[3] == 3);
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

static int check_vendors(void *arg, const struct perfctr_event_name *name)
{
	unsigned int *n = arg;

	if (strncmp(name->name, "NEW.", 4))
		return 0;
	n[0]++;
	if (!strcmp(name->name, "NEW.BOTH"))
		ck_assert_str_eq(name->description, "of large cores");
	if (!strcmp(name->name, "NEW.DIRECTORY"))
		n[1]++;
	return 0;
}

/* Events of the vendor's files are of the PMU that they name, or whose directory they are in. */
START_TEST(vendors)
{
	char directory[] = "/tmp/hybrid.XXXXXX", of_unit[64], command[80];
	struct perfctr_cpu_control control;
	unsigned int n[2] = { 0 };

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(of_unit, sizeof(of_unit), "%s/cpu_atom", directory);
	ck_assert_int_eq(mkdir(of_unit, 0700), 0);
	put(directory, "a.json",
	    "[{\"EventName\":\"NEW.BOTH\",\"EventCode\":\"0xd1\",\"UMask\":\"1\",\"Unit\":\"cpu_core\","
	    "\"BriefDescription\":\"of large cores\"},"
	    "{\"EventName\":\"NEW.BOTH\",\"EventCode\":\"0x71\",\"UMask\":\"2\",\"Unit\":\"cpu_atom\"},"
	    "{\"EventName\":\"NEW.SMALL\",\"EventCode\":\"0x72\",\"Unit\":\"cpu_atom\"},"
	    "{\"EventName\":\"NEW.LARGE\",\"EventCode\":\"0xd2\",\"Unit\":\"cpu_core\"},"
	    "{\"EventName\":\"NEW.WIDE\",\"EventCode\":\"0xd5\",\"UMask\":\"0x101\",\"Unit\":\"cpu_core\"},"
	    "{\"EventName\":\"NEW.WIDE\",\"EventCode\":\"0x75\",\"Unit\":\"cpu_atom\"},"
	    "{\"EventName\":\"NEW.THIRD\",\"EventCode\":\"0x72\",\"Unit\":\"cpu_lowpower\"},"
	    "{\"EventName\":\"NEW.NEITHER\",\"EventCode\":\"0xd3\"},"
	    "{\"EventName\":\"TOPDOWN.BACKEND_BOUND_SLOTS\",\"EventCode\":\"0x74\","
	    "\"Unit\":\"cpu_atom\"}]");
	/* As perfmon has them, without units. */
	put(directory, "alderlake_gracemont_core.json",
	    "[{\"EventName\":\"NEW.OF_DESIGN\",\"EventCode\":\"0x76\"}]");
	put(directory, "alderlake_goldencove_core_v1.30.json",
	    "[{\"EventName\":\"NEW.OF_DESIGN\",\"EventCode\":\"0xd6\",\"Counter\":\"5\"}]");
	put(of_unit, "b.json", "{\"EventName\":\"NEW.DIRECTORY\",\"EventCode\":\"0x73\"}");
	setenv("PERFCTR_EVENTS", directory, 1);
	become_alderlake();
	means("NEW.BOTH", "cpu_core:4:0x1d1 cpu_atom:10:0x271");
	means("new:both:u", "cpu_core:4:0x1d1!k cpu_atom:10:0x271!k");
	means("cpu_atom/NEW.BOTH/", "cpu_atom:10:0x271");
	means("NEW.SMALL", "cpu_atom:10:0x72");
	means("NEW.OF_DESIGN", "cpu_core:4:0xd6 cpu_atom:10:0x76");
	means("NEW.LARGE", "cpu_core:4:0xd2");
	means("NEW.DIRECTORY", "cpu_atom:10:0x73");
	/* What one core type can't count the other one does. */
	means("NEW.WIDE", "cpu_atom:10:0x75");
	/* The library's own of one core type, the vendor's of the other. */
	means("TOPDOWN.BACKEND_BOUND_SLOTS", "cpu_core:4:0x2a4 cpu_atom:10:0x74");
	fails("NEW.NEITHER", EINVAL, "\"NEW.NEITHER\" is not an event");
	fails("NEW.THIRD", EINVAL, "\"NEW.THIRD\" is not an event");
	fails("cpu_core/NEW.SMALL/", EINVAL, "neither an event nor a field of the PMU cpu_core");
	ck_assert_int_eq(perfctr_event_list("cpu", check_vendors, n), 0);
	ck_assert_uint_eq(n[0], 6);
	ck_assert_uint_eq(n[1], 1);
	/* A control is the P-cores'. */
	ck_assert_int_eq(perfctr_cpu_control_events(&control, "NEW.BOTH:u:c=3"), 1);
	ck_assert_uint_eq(control.evntsel[0], 0x034101D1);
	ck_assert_int_eq(perfctr_cpu_control_events(&control, "NEW.OF_DESIGN"), 1);
	ck_assert_uint_eq(control.pmc_map[0], 5);
	ck_fails(perfctr_cpu_control_events(&control, "NEW.SMALL"), EINVAL,
		 "not an event of the Intel Alder Lake, P-core");
	root_remove();
	snprintf(command, sizeof(command), "rm -r %s", directory);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

/* Before the first look-up, when it is this machine's tables that count, and no root's. */
static void __attribute__((constructor)) begin(void)
{
	unsetenv("PERFCTR_ROOT");
}

UNIT_MAIN("hybrid", 60, arrowlake, unknown, alderlake, metrics_of_cores, controls, vendors)

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
	events_are("l2-mpki,mix-loads", 3,
		   "{armv8_cortex_a53/L2D_CACHE_REFILL/,armv8_cortex_a53/INST_RETIRED/},"
		   "{armv8_cortex_a72/L2D_CACHE_REFILL/,armv8_cortex_a72/INST_RETIRED/,"
		   "armv8_cortex_a72/LD_SPEC/,armv8_cortex_a72/INST_SPEC/}");
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
