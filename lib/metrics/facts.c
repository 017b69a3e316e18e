// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/file.h"
#include "lib/isa/pmu.h"
#include "lib/metrics/facts.h"

/* Reads a number in C's notation; 0: there is none. */
static uint64_t read_number(const char *path)
{
	char text[32];

	return perfctr_file_read(path, text, sizeof(text)) > 0 ? strtoull(text, NULL, 0) : 0;
}

/* The kernel says so of arm64's PMUs, since 5.15. */
static unsigned int read_slots(const struct perfctr_pmu *core)
{
	char path[sizeof(PERFCTR_DEVICES) + PERFCTR_NAME_SIZE + 16];
	uint64_t slots;

	snprintf(path, sizeof(path), PERFCTR_DEVICES "/%s/caps/slots", core->name);
	slots = read_number(path);
	return slots < 256 ? (unsigned int)slots : 0;
}

/* Reads the revision of the core type's first processor. */
static unsigned int read_revision(const struct perfctr_pmu *core)
{
	char cpus[256], path[80];
	uint64_t midr;

	perfctr_pmu_cpus(core, cpus, sizeof(cpus));
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%lu/regs/identification/midr_el1",
		 strtoul(cpus, NULL, 10));
	midr = read_number(path);
	return (unsigned int)((midr >> 20 & 0xF) << 4 | (midr & 0xF));
}

/* The firmware has a table of persistent memory, which only root may read. */
static bool has_pmem(void)
{
	char text[8];

	return perfctr_file_read("/sys/firmware/acpi/tables/NFIT", text, sizeof(text)) >= 0 ||
	       errno == EACCES || errno == EFBIG;
}

struct perfctr_formula_facts perfctr_facts_of(const char *cpu, const char *pmu)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int n = cpu ? 0 : perfctr_core_pmus(cores), i = n - 1;
	long active = 0, online = sysconf(_SC_NPROCESSORS_ONLN);

	if (cpu)
		return (struct perfctr_formula_facts){ .smt = true, .revision = 0xFF, .cpus = 1 };
	perfctr_file_number("/sys/devices/system/cpu/smt/active", &active);
	while (i > 0 && strcmp(cores[i].name, pmu) != 0)
		i--;
	return (struct perfctr_formula_facts){
		.smt = active != 0,
		.pmem = has_pmem(),
		.cpus = online > 0 ? (unsigned int)online : 1,
		.slots = i < 0 ? 0 : read_slots(&cores[i]),
		.revision = i < 0 ? 0 : read_revision(&cores[i]),
	};
}
