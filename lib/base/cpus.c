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

/*
 * The longest list of this many processors has pairs, "8188-8189,", and leaves one out between
 * them.
 */
#define LONGEST (PERFCTR_MAX_CPUS / 3 * 10 + 16)

unsigned int perfctr_cpus_read(const char *path, uint32_t *words)
{
	char *list = malloc(LONGEST);
	unsigned int n = 0;
	int error = EINVAL;

	if (!list) {
		error = errno = ENOMEM;
		perfctr_file_note();
	} else if (perfctr_file_line(path, list, LONGEST) < 0) {
		error = errno;
	} else {
		n = perfctr_cpus_parse(list, words);
	}
	free(list);
	if (!n) {
		memset(words, 0, sizeof(*words) * PERFCTR_CPU_WORDS);
		errno = error;
	}
	return n;
}

void perfctr_cpus_print(const uint32_t *words, char *text, size_t size)
{
	unsigned int first, last, used = 0;

	*text = '\0';
	for (first = 0; first < PERFCTR_MAX_CPUS && used < size; first = last + 1) {
		last = first;
		if (!(words[first / 32] >> first % 32 & 1))
			continue;
		while (last + 1 < PERFCTR_MAX_CPUS && words[(last + 1) / 32] >> (last + 1) % 32 & 1)
			last++;
		used += (unsigned int)snprintf(text + used, size - used,
					       first == last ? "%s%u" : "%s%u-%u", used ? "," : "",
					       first, last);
	}
}

unsigned int perfctr_cpus_online(uint32_t *words)
{
	static const char file[] = "/sys/devices/system/cpu/online";
	unsigned int n = perfctr_cpus_read(file, words);
	char list[32];
	long count;

	if (n)
		return n;
	if (errno != ENOENT && errno != ENOTDIR) {
		perfctr_fail(errno, "which processors are online is not known: %s: %s", file,
			     errno == EINVAL ? "it is not a list of processors" : strerror(errno));
		return 0;
	}
	/*
	 * Without sysfs the C library knows the number of processors, and without hotplug the
	 * numbers are dense.
	 */
	count = sysconf(_SC_NPROCESSORS_ONLN);
	snprintf(list, sizeof(list), "0-%ld", count > 0 ? count - 1 : 0);
	return perfctr_cpus_parse(list, words);
}

int perfctr_cpu_online(unsigned int cpu)
{
	uint32_t words[PERFCTR_CPU_WORDS];
	char list[256];

	if (!perfctr_cpus_online(words))
		return -1;
	if (cpu < PERFCTR_MAX_CPUS && words[cpu / 32] & UINT32_C(1) << cpu % 32)
		return 0;
	perfctr_cpus_print(words, list, sizeof(list));
	return perfctr_fail(EINVAL, "there is no processor %u, or it is offline; online are %s",
			    cpu, list);
}
