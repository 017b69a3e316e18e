// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The core PMUs of this machine. One, mostly; a hybrid machine has one per kind of core: cpu_core,
 * cpu_atom and cpu_lowpower on x86, armv8_cortex_a53 and its like on Arm.
 *
 * A PMU of cores, and no other, has a file `cpus` in its folder (a PMU of anything else has `cpumask`);
 * an x86, a PowerPC or a RISC-V that is no hybrid has only one, called cpu, without that file. So the
 * kernel's arm_pmu.c and x86/events/intel/core.c, and perf's own tools tell them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "internal.h"

#define PATH_SIZE 512

/* However long it is, a list of processors is what only cores have. */
static bool has_cpus(const char *pmu)
{
	char path[PATH_SIZE], text[64];

	snprintf(path, sizeof(path), PERFCTR_DEVICES "/%s/cpus", pmu);
	return perfctr_file_read(path, text, sizeof(text)) >= 0 || errno == EFBIG;
}

struct found {
	struct perfctr_pmu *pmus;
	int n;
};

static void read_type(struct perfctr_pmu *pmu)
{
	char path[PATH_SIZE];
	long type;

	snprintf(path, sizeof(path), PERFCTR_DEVICES "/%s/type", pmu->name);
	pmu->type = perfctr_file_number(path, &type) == 0 && type >= 0 && type <= INT32_MAX ?
		    (uint32_t)type : UINT32_MAX;
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
		return perfctr_fail(EOPNOTSUPP, "this machine shows more than %d kinds of cores; name the "
				    "PMU: PMU/.../", PERFCTR_VARIANTS_MAX);
	snprintf(pmu.name, sizeof(pmu.name), "%s", entry);
	read_type(&pmu);
	for (i = found->n++; i > 0 && comes_before(&pmu, &found->pmus[i - 1]); i--)
		found->pmus[i] = found->pmus[i - 1];
	found->pmus[i] = pmu;
	return 0;
}

int perfctr_core_pmus(struct perfctr_pmu *pmus)
{
	struct found found = { .pmus = pmus };

	/* Where there is a cpu, it is the only one: no need to look at a server's hundred others. */
	snprintf(pmus->name, sizeof(pmus->name), "cpu");
	read_type(pmus);
	if (pmus->type != UINT32_MAX)
		return 1;
	return perfctr_file_walk(PERFCTR_DEVICES, note_pmu, &found) < 0 ? -1 : found.n;
}

void perfctr_pmu_cpus(const struct perfctr_pmu *pmu, char *text, size_t size)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), PERFCTR_DEVICES "/%s/cpus", pmu->name);
	if (perfctr_file_read(path, text, size) < 0)
		text[0] = '\0';
}
