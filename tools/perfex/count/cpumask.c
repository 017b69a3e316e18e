// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include "tools/perfex/count/cpumask.h"

static bool has(const uint32_t *mask, unsigned long cpu)
{
	return cpu < CPUMASK_CPUS && mask[cpu / 32] >> cpu % 32 & 1;
}

/* The first processor of a range that the mask has; -1: none. */
static int first_of(unsigned long first, unsigned long last, const uint32_t *mask)
{
	for (; first <= last && first < CPUMASK_CPUS; first++)
		if (has(mask, first))
			return (int)first;
	return -1;
}

/* Returns the first processor of a list such as 0-3,8 that is in the mask. */
static int first_in_list(const char *list, const uint32_t *mask)
{
	unsigned long first, last;
	int found = -1;
	char *end;

	for (; found < 0 && isdigit((unsigned char)*list); list = end + (*end == ',')) {
		first = last = strtoul(list, &end, 10);
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		found = first_of(first, last, mask);
	}
	return found;
}

/* The first that shares something with cpu, by a file of sysfs; -1: none, or there is no file. */
static int first_in_file(unsigned int cpu, const char *name, const uint32_t *mask)
{
	/* Uses PERFCTR_ROOT as the library does, for tests. */
	const char *root = secure_getenv("PERFCTR_ROOT");
	char path[4096], list[4096];
	FILE *file;
	int found = -1;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%u/%s", root ? root : "", cpu,
		 name);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fgets(list, sizeof(list), file))
		found = first_in_list(list, mask);
	fclose(file);
	return found;
}

int cpumask_find(unsigned int cpu, const uint32_t *mask)
{
	/*
	 * The smallest is first; before Linux 5.3 cores and packages had only the second of their
	 * names.
	 */
	static const char *const names[] = {
		"topology/core_cpus_list",	"topology/thread_siblings_list",
		"cache/index3/shared_cpu_list", "topology/die_cpus_list",
		"topology/package_cpus_list",	"topology/core_siblings_list",
	};
	int found = has(mask, cpu) ? (int)cpu : -1;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]) && found < 0; i++)
		found = first_in_file(cpu, names[i], mask);
	return found >= 0 ? found : first_of(0, CPUMASK_CPUS - 1, mask);
}
