// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The core PMUs of this machine. Mostly there is one; a hybrid machine has one per core type:
 * cpu_core, cpu_atom and cpu_lowpower on x86, armv8_cortex_a53 and its like on Arm.
 *
 * Only a core PMU has a file `cpus` in its directory (other PMUs have `cpumask`); an x86, a PowerPC
 * or a RISC-V that is no hybrid has only one, called cpu, without that file. The kernel's arm_pmu.c
 * and x86/events/intel/core.c, and perf's own tools tell them apart by this.
 */
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/isa/pmu.h"
#include "libperfctr.h"

#define PATH_SIZE 512

/* Reads a file in the PMU's directory, as perfctr_file_read() does. */
static ssize_t read_file(const char *pmu, const char *file, char *text, size_t size)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), PERFCTR_DEVICES "/%.127s/%s", pmu, file);
	return perfctr_file_read(path, text, size);
}

/* Only a core PMU has a list of processors, however long it is. */
static bool has_cpus(const char *pmu)
{
	char text[64];

	return read_file(pmu, "cpus", text, sizeof(text)) >= 0 || errno == EFBIG;
}

bool perfctr_pmu_has_cpumask(const char *pmu)
{
	char text[64];

	return read_file(pmu, "cpumask", text, sizeof(text)) >= 0 || errno != ENOENT;
}

struct found {
	struct perfctr_pmu *pmus;
	int n;
};

static void read_type(struct perfctr_pmu *pmu)
{
	char path[PATH_SIZE];
	long type;

	snprintf(path, sizeof(path), PERFCTR_DEVICES "/%.127s/type", pmu->name);
	pmu->type = perfctr_file_number(path, &type) == 0 && type >= 0 && type <= INT32_MAX
			    ? (uint32_t)type
			    : UINT32_MAX;
}

static bool comes_before(const struct perfctr_pmu *a, const struct perfctr_pmu *b)
{
	return a->type != b->type ? a->type < b->type : strcmp(a->name, b->name) < 0;
}

static int note_pmu(void *arg, const char *entry)
{
	struct found *found = arg;
	struct perfctr_pmu pmu;
	int i;

	if (!has_cpus(entry))
		return 0;
	if (found->n == PERFCTR_VARIANTS_MAX)
		return perfctr_fail(EOPNOTSUPP,
				    "this machine shows more than %d core types; name the PMU: "
				    "PMU/.../",
				    PERFCTR_VARIANTS_MAX);
	snprintf(pmu.name, sizeof(pmu.name), "%s", entry);
	read_type(&pmu);
	for (i = found->n++; i > 0 && comes_before(&pmu, &found->pmus[i - 1]); i--)
		found->pmus[i] = found->pmus[i - 1];
	found->pmus[i] = pmu;
	return 0;
}

int perfctr_core_pmus(struct perfctr_pmu *pmus)
{
	unsigned int since = perfctr_file_troubles();
	struct found found = { .pmus = pmus };
	int result;

	/*
	 * Where there is a cpu, it is the only one: no need to look at a server's hundred others.
	 */
	snprintf(pmus->name, sizeof(pmus->name), "cpu");
	read_type(pmus);
	if (pmus->type != UINT32_MAX)
		return 1;
	result = perfctr_file_walk(PERFCTR_DEVICES, note_pmu, &found);
	/* One that could not be looked at may be a type that was overlooked. */
	if (perfctr_file_check(since, "the core types") < 0)
		return -1;
	return result < 0 ? -1 : found.n;
}

void perfctr_pmu_cpus(const struct perfctr_pmu *pmu, char *text, size_t size)
{
	if (read_file(pmu->name, "cpus", text, size) < 0)
		text[0] = '\0';
}

/* Reads a list in the PMU's directory, as perfctr_cpus_read() does. */
static unsigned int read_cpus(const char *pmu, const char *file, uint32_t *words)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), PERFCTR_DEVICES "/%.127s/%s", pmu, file);
	return perfctr_cpus_read(path, words);
}

unsigned int perfctr_pmu_cpu_set(const struct perfctr_pmu *pmu, uint32_t *words)
{
	return read_cpus(pmu->name, "cpus", words);
}

bool perfctr_cpumask(const char *pmu, uint32_t *words)
{
	return read_cpus(pmu, "cpumask", words) || errno == EINVAL || errno == EFBIG;
}

bool perfctr_pmu_has_cpu(const struct perfctr_pmu *pmu, unsigned int cpu)
{
	uint32_t words[PERFCTR_CPU_WORDS];

	return perfctr_pmu_cpu_set(pmu, words) > cpu / 32 && words[cpu / 32] >> cpu % 32 & 1;
}

bool perfctr_pmu_has_event(const struct perfctr_pmu *pmu, const char *name)
{
	char path[PERFCTR_NAME_SIZE], text[64];

	snprintf(path, sizeof(path), "events/%.100s", name);
	return read_file(pmu->name, path, text, sizeof(text)) >= 0;
}

/* Whether all of the thread's processors are the PMU's. */
static bool is_bound(const struct perfctr_pmu *pmu)
{
	const unsigned int bits = 8 * sizeof(unsigned long);
	unsigned long mine[PERFCTR_CPU_WORDS * sizeof(uint32_t) / sizeof(unsigned long)] = { 0 };
	uint32_t words[PERFCTR_CPU_WORDS];
	unsigned int i;

	if (!perfctr_pmu_cpu_set(pmu, words) ||
	    sched_getaffinity(0, sizeof(mine), (cpu_set_t *)mine) < 0)
		return false;
	/* The kernel's words are longer, and where the high half is first, in another order. */
	for (i = 0; i < PERFCTR_CPU_WORDS * 32; i += 32)
		if ((uint32_t)(mine[i / bits] >> i % bits) & ~words[i / 32])
			return false;
	return true;
}

bool perfctr_may_change_kind(void)
{
	/* Asked for every counter that is opened; but tests have other roots. */
	static atomic_bool only_one;
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	bool real = !secure_getenv("PERFCTR_ROOT");
	int i, n;

	if (real && atomic_load_explicit(&only_one, memory_order_relaxed))
		return false;
	n = perfctr_core_pmus(cores);
	if (real && (n == 0 || n == 1))
		atomic_store_explicit(&only_one, true, memory_order_relaxed);
	for (i = 0; i < n && !is_bound(&cores[i]);)
		i++;
	return n < 0 || (n > 1 && i == n);
}
