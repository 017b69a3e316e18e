// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libperfctr.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/topology.h"

/* Reads up to size - 1 bytes of a file. -1, errno. */
static ssize_t read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;
	ssize_t n;

	if (fd < 0)
		return -1;
	do {
		n = read(fd, text, size - 1);
	} while (n < 0 && errno == EINTR);
	error = errno;
	close(fd);
	errno = error;
	if (n >= 0)
		text[n] = '\0';
	return n;
}

/* A number as the kernel writes one, -1 if it does not know it. */
static int parse_number(const char *path, const char *text)
{
	const char *digits = text + (*text == '-');
	size_t n = strspn(digits, "0123456789");

	if (!n || n > 9 || strcmp(digits + n, "\n") != 0 || (digits > text && atoi(text) != -1))
		die("%s does not hold a number: can't tell where processors are", path);
	return atoi(text);
}

/* Reads a number that the kernel has for a processor's place. Old kernels have no dies. */
static int read_fact(unsigned int cpu, const char *fact)
{
	const char *root = secure_getenv("PERFCTR_ROOT");
	char path[4096], text[32];

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%u/topology/%s",
		 root ? root : "", cpu, fact);
	if (read_text(path, text, sizeof(text)) >= 0)
		return parse_number(path, text);
	if (errno == ENOENT && !strcmp(fact, "die_id"))
		return 0;
	die("can't tell where processor %u is: %s: %s", cpu, path, strerror(errno));
}

/* ---- core types ---- */

struct types {
	struct perfctr_list *list; /* cycles, which all core types have */
	unsigned int n;
};

static const struct types *types(void)
{
	static struct types types;
	struct perfctr_list_event event;

	if (types.list)
		return &types;
	types.list = perfctr_list_resolve("cycles", PERFCTR_PARTIAL);
	if (!types.list || perfctr_list_event(types.list, 0, &event) < 0)
		die("can't tell the core types: %s", perfctr_error());
	types.n = event.nvariants;
	return &types;
}

static void name_type(char *name, size_t size, unsigned int cpu)
{
	uint32_t cpus[MAX_CPUS / 32];
	struct perf_event_attr attr;
	const char *pmu;
	unsigned int k;

	snprintf(name, size, "cpu");
	for (k = 0; k < types()->n && types()->n > 1; k++) {
		if (perfctr_list_attr(types()->list, 0, k, &attr, &pmu, cpus, MAX_CPUS / 32) < 0)
			die("can't tell the core types: %s", perfctr_error());
		if (cpus[cpu / 32] >> cpu % 32 & 1)
			snprintf(name, size, "%s", pmu);
	}
}

void topology_name(char *name, size_t size, enum by by, unsigned int cpu)
{
	switch (by) {
	case BY_CORE:
		snprintf(name, size, "S%d-D%d-C%d", read_fact(cpu, "physical_package_id"),
			 read_fact(cpu, "die_id"), read_fact(cpu, "core_id"));
		break;
	case BY_SOCKET: snprintf(name, size, "S%d", read_fact(cpu, "physical_package_id")); break;
	case BY_TYPE: name_type(name, size, cpu); break;
	default: snprintf(name, size, "%u", cpu);
	}
}
