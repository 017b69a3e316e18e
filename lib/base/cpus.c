// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sets of processors: bits in words, and lists such as "0-3,8". */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "libperfctr.h"

unsigned int perfctr_cpus_parse(const char *list, uint32_t *words)
{
	unsigned long first, last, n = 0;
	char *end;

	memset(words, 0, sizeof(*words) * PERFCTR_CPU_WORDS);
	while (isdigit((unsigned char)*list)) {
		first = last = strtoul(list, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (first > last || last >= PERFCTR_CPU_WORDS * 32)
			return 0;
		for (; first <= last; first++)
			words[first / 32] |= UINT32_C(1) << first % 32;
		if (last / 32 + 1 > n)
			n = last / 32 + 1;
		if (*end == '\0')
			return (unsigned int)n;
		if (*end != ',')
			return 0;
		list = end + 1;
	}
	return 0;
}

unsigned int perfctr_cpus_online(uint32_t *words, char *list)
{
	unsigned int n = 0;
	long count;

	if (perfctr_file_read("/sys/devices/system/cpu/online", list, PERFCTR_CPU_LIST_SIZE) > 0)
		n = perfctr_cpus_parse(list, words);
	if (n)
		return n;
	/* No sysfs: the C library knows how many there are, and numbers are dense without hotplug.
	 */
	count = sysconf(_SC_NPROCESSORS_ONLN);
	snprintf(list, PERFCTR_CPU_LIST_SIZE, "0-%ld", count > 0 ? count - 1 : 0);
	return perfctr_cpus_parse(list, words);
}

int perfctr_cpu_online(unsigned int cpu)
{
	uint32_t words[PERFCTR_CPU_WORDS];
	char list[PERFCTR_CPU_LIST_SIZE];

	perfctr_cpus_online(words, list);
	if (cpu < PERFCTR_MAX_CPUS && words[cpu / 32] & UINT32_C(1) << cpu % 32)
		return 0;
	return perfctr_fail(EINVAL, "there is no processor %u, or it is offline; online are %s",
			    cpu, list);
}
