// SPDX-License-Identifier: LGPL-2.1-or-later
/* This machine's processor, and the table of its events. */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arch/isa.h"
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/word.h"
#include "lib/isa/identify.h"
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "libperfctr.h"

#if defined(__riscv) || defined(__powerpc64__)

/* Reads the beginning of /proc/cpuinfo, which has the first processor. */
static void read_cpuinfo(char *text, size_t size)
{
	if (perfctr_file_read("/proc/cpuinfo", text, size) < 0)
		text[errno == EFBIG ? size - 1 : 0] = '\0';
}

#endif

#if defined(__i386__) || defined(__x86_64__)

static struct perfctr_cpuid words;

static void identify(struct perfctr_cpu *cpu)
{
	perfctr_cpuid_read(&words);
	/* On a hybrid processor a control, or an event without a PMU, belongs to the P-cores. */
	words.leaf1a_eax = 0x40000000;
	perfctr_x86_identify(&words, cpu);
}

/*
 * The kernel calls the PMUs cpu_core, cpu_atom, and cpu_lowpower where there are two kinds of
 * small cores; the last have the native model 2. Their own leaf 0AH is not read: events have no
 * use for it.
 */
static void identify_core(const struct perfctr_pmu *core, struct perfctr_cpu *cpu)
{
	struct perfctr_cpuid id = words;

	if (!strcmp(core->name, "cpu_atom"))
		id.leaf1a_eax = 0x20000000;
	else if (!strcmp(core->name, "cpu_lowpower"))
		id.leaf1a_eax = 0x20000002;
	perfctr_x86_identify(&id, cpu);
}

static const struct perfctr_isa *const native = &perfctr_x86;

/* A hybrid processor says so (SDM vol. 2, CPUID leaf 7, EDX bit 15), also on a P-core. */
static bool is_hybrid(void)
{
	return words.leaf7_edx >> 15 & 1;
}

#elif defined(__powerpc64__)

static void identify(struct perfctr_cpu *cpu)
{
	static const char pmu_name[] = "/sys/bus/event_source/devices/cpu/caps/pmu_name";
	char text[512], pmu[32];

	read_cpuinfo(text, sizeof(text));
	if (perfctr_file_read(pmu_name, pmu, sizeof(pmu)) < 0)
		*pmu = '\0';
	perfctr_cpuinfo_power(text, pmu, cpu);
}

static void identify_core(const struct perfctr_pmu *core, struct perfctr_cpu *cpu)
{
	(void)core;
	identify(cpu);
}

static const struct perfctr_isa *const native = &perfctr_power;

#elif defined(__powerpc__)

static void identify(struct perfctr_cpu *cpu)
{
	/* The PVR can be read in user space only by a trap into the kernel; perf can't use it. */
	perfctr_powerpc_identify(0, cpu);
}

static void identify_core(const struct perfctr_pmu *core, struct perfctr_cpu *cpu)
{
	(void)core;
	identify(cpu);
}

static const struct perfctr_isa *const native = &perfctr_powerpc;

#elif defined(__aarch64__)

/*
 * What the kernel shows of processor n's PMU: PMUv3's name of cycles is in events/ of each PMUv3,
 * and of no other one.
 */
enum shown { NOTHING, PMUV3, OTHER };

static enum shown look_at_pmu(unsigned int n)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int i, all = perfctr_core_pmus(cores);

	for (i = 0; i < all; i++)
		if (perfctr_pmu_has_cpu(&cores[i], n))
			return perfctr_pmu_has_event(&cores[i], "cpu_cycles") ? PMUV3 : OTHER;
	return NOTHING;
}

/* A processor that is known only as one with PMUv3, or as Apple's, is what its PMU shows. */
static void identify_by_pmu(unsigned int n, unsigned int counters, struct perfctr_cpu *cpu)
{
	enum shown shown = look_at_pmu(n);

	if (shown == PMUV3) /* a guest's, on Apple's */
		perfctr_arm64_identify(0, counters, cpu);
	if (shown == OTHER && cpu->rules == PERFCTR_RULES_PMUV3)
		perfctr_raw_identify(cpu);
}

static void identify_nth(unsigned int n, struct perfctr_cpu *cpu)
{
	const unsigned int counters = PERFCTR_NR_CTRS - 1;
	char path[96], text[32];
	uint64_t midr = 0;

	/* PMCR_EL0.N can't be read in user space: only the kernel knows the number of counters. */
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1",
		 n);
	if (perfctr_file_read(path, text, sizeof(text)) > 0)
		midr = strtoull(text, NULL, 16);
	perfctr_arm64_identify(midr, counters, cpu);
	if (cpu->rules != PERFCTR_RULES_PMUV3 || !strcmp(cpu->id, "pmuv3"))
		identify_by_pmu(n, counters, cpu);
	cpu->width = 64;
}

static void identify(struct perfctr_cpu *cpu)
{
	identify_nth(0, cpu);
}

static void identify_core(const struct perfctr_pmu *core, struct perfctr_cpu *cpu)
{
	uint32_t words[PERFCTR_CPU_WORDS];
	unsigned int i, n = perfctr_pmu_cpu_set(core, words);

	for (i = 0; i < n && !words[i];)
		i++;
	identify_nth(i < n ? i * 32 + (unsigned int)__builtin_ctz(words[i]) : 0, cpu);
}

static const struct perfctr_isa *const native = &perfctr_arm64;

#elif defined(__riscv) && __riscv_xlen == 64

static void identify(struct perfctr_cpu *cpu)
{
	char text[8192];

	read_cpuinfo(text, sizeof(text));
	perfctr_cpuinfo_riscv(text, cpu);
}

/* perf_events knows no RISC-V with several kinds of cores. */
static void identify_core(const struct perfctr_pmu *core, struct perfctr_cpu *cpu)
{
	(void)core;
	identify(cpu);
}

static const struct perfctr_isa *const native = &perfctr_riscv;

#else

static void identify(struct perfctr_cpu *cpu)
{
	perfctr_raw_identify(cpu);
}

static void identify_core(const struct perfctr_pmu *core, struct perfctr_cpu *cpu)
{
	(void)core;
	identify(cpu);
}

static const struct perfctr_isa *const native = &perfctr_raw;

#endif

#if !defined(__i386__) && !defined(__x86_64__)

static bool is_hybrid(void)
{
	return false;
}

#endif

/*
 * The type of a control's events: PERF_TYPE_RAW, or the PMU that this processor has among several.
 */
static uint32_t control_type = PERF_TYPE_RAW;

/*
 * On x86 PERF_TYPE_RAW is the P-cores' PMU, cpu_core. On Arm the kernel would take any core PMU,
 * but a control is made and checked for processor 0's core type.
 */
static void find_control_type(void)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int i, n = native == &perfctr_x86 ? 0 : perfctr_core_pmus(cores);

	for (i = 0; i < n && n > 1; i++)
		if (cores[i].type != UINT32_MAX && perfctr_pmu_has_cpu(&cores[i], 0))
			control_type = cores[i].type;
}

static struct perfctr_cpu identified;
static const struct perfctr_event_table *table;
static bool is_identified;
bool perfctr_is_hybrid;

static void identify_once(void)
{
	identify(&identified);
	identified.isa = native;
	perfctr_is_hybrid = is_hybrid();
	find_control_type();
	/* The table is this machine's; a test's root is another one. */
	if (identified.id[0] && !secure_getenv("PERFCTR_ROOT"))
		table = perfctr_event_table(identified.id);
	__atomic_store_n(&is_identified, true, __ATOMIC_RELEASE);
}

/* CPUID is asked once, since it is slow in virtual machines. */
const struct perfctr_cpu *perfctr_this_cpu_table(const struct perfctr_event_table **its_table)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (!__atomic_load_n(&is_identified, __ATOMIC_ACQUIRE))
		pthread_once(&once, identify_once);
	*its_table = table;
	return &identified;
}

const struct perfctr_cpu *perfctr_this_cpu(void)
{
	const struct perfctr_event_table *ignored;

	return perfctr_this_cpu_table(&ignored);
}

uint32_t perfctr_this_type(void)
{
	perfctr_this_cpu();
	return control_type;
}

const struct perfctr_event_table *perfctr_this_table(void)
{
	const struct perfctr_event_table *its;

	perfctr_this_cpu_table(&its);
	return its;
}

void perfctr_core_cpu(const struct perfctr_pmu *core, struct perfctr_cpu *cpu)
{
	perfctr_this_cpu();
	identify_core(core, cpu);
	cpu->isa = native;
}

int perfctr_core_types(struct perfctr_pmu *cores)
{
	static const char names[][16] = { "cpu_core", "cpu_atom", "cpu_lowpower" };
	struct perfctr_cpu last, cpu = *perfctr_this_cpu();
	unsigned int i;
	int n = 0;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(cores[n].name, sizeof(cores[n].name), "%s", names[i]);
		cores[n].type = PERF_TYPE_RAW;
		last = cpu;
		perfctr_core_cpu(&cores[n], &cpu);
		/* Without cores of low power their number means those of the other small type. */
		n += n == 0 || strcmp(last.id, cpu.id) != 0;
	}
	return n;
}

const struct perfctr_event_table *perfctr_core_table(const struct perfctr_pmu *core,
						     struct perfctr_cpu *cpu)
{
	if (!perfctr_this_table())
		return NULL;
	perfctr_core_cpu(core, cpu);
	return cpu->id[0] ? perfctr_event_table(cpu->id) : NULL;
}

int perfctr_cpu_info_wished(struct perfctr_info *info)
{
	const char *wish = secure_getenv("PERFCTR_CPU_TYPE");
	struct perfctr_cpu typical;
	unsigned long type;
	char *end;

	if (!wish || !*wish)
		return 0;
	type = strtoul(wish, &end, 10);
	if (*wish < '0' || *wish > '9' || *end || type > UINT8_MAX)
		return perfctr_fail(EINVAL,
				    "PERFCTR_CPU_TYPE=%s is not the number of a processor type; "
				    "see perfctr_info(3)",
				    wish);
	if (perfctr_info_nrctrs(info) == 0)
		return perfctr_fail(EINVAL,
				    "PERFCTR_CPU_TYPE=%s, but there are no counters here that a "
				    "type could have; unset it",
				    wish);
	if (!perfctr_isa_has_type(native, perfctr_this_cpu(), (unsigned int)type, &typical))
		return perfctr_fail(EINVAL,
				    "PERFCTR_CPU_TYPE=%s, but the counters of the %s (%u) do not "
				    "obey the rules of that type; choose another, or unset it",
				    wish, perfctr_this_cpu()->name, perfctr_this_cpu()->type);
	info->cpu_type = (unsigned int)type;
	return 0;
}

const char *perfctr_info_cpu_name(const struct perfctr_info *info)
{
	const struct perfctr_cpu *cpu = perfctr_this_cpu();
	const char *name = perfctr_isa_type_name(native, info->cpu_type);

	/* Without counters the type is the generic one. */
	if (info->cpu_type == cpu->type || info->cpu_type == PERFCTR_TYPE_GENERIC)
		return cpu->name;
	return name ? name : "?";
}

int perfctr_cpu_native(const char **id, const char **name)
{
	if (!id || !name)
		return perfctr_fail(EINVAL,
				    "perfctr_cpu_native() needs places for an id and a name, not "
				    "NULL");
	*id = perfctr_this_cpu()->id;
	*name = perfctr_this_cpu()->name;
	return 0;
}

unsigned int perfctr_info_nrctrs(const struct perfctr_info *info)
{
	struct perfctr_cpu typical;

	/* The generic types have none; any other is this machine's own, or one that it may say. */
	if (info->cpu_type == PERFCTR_TYPE_GENERIC ||
	    !perfctr_isa_has_type(native, perfctr_this_cpu(), info->cpu_type, &typical))
		return 0;
	return perfctr_count_bits(typical.counters) + perfctr_count_bits(typical.fixed);
}
