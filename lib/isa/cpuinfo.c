// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Identifies a RISC-V or POWER processor by /proc/cpuinfo, which shows registers that user space
 * can't read.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "arch/cpu.h"
#include "lib/base/letters.h"
#include "lib/isa/identify.h"

/* The value after "name<blanks>: " at the beginning of a line, up to the line's end; or NULL. */
static const char *find(const char *text, const char *name)
{
	size_t length = strlen(name);
	const char *line, *end;

	for (line = text; line; line = end ? end + 1 : NULL) {
		end = strchr(line, '\n');
		if (strncmp(line, name, length) == 0 &&
		    line[length + strspn(line + length, " \t")] == ':')
			return strchr(line, ':') + 1;
	}
	return NULL;
}

static uint64_t number(const char *text, const char *name)
{
	const char *value = find(text, name);

	return value ? strtoull(value, NULL, 0) : 0;
}

/* An extension of several letters stands between underscores. */
static bool has_extension(const char *isa, const char *name)
{
	size_t length = strlen(name), line = strcspn(isa, "\n"), at, word;

	for (at = 0; at < line; at += word + 1) {
		word = strcspn(isa + at, "_\n");
		if (word == length && strncmp(isa + at, name, length) == 0)
			return true;
	}
	return false;
}

/* Andes' counters do, too. If nothing is said of it, the kernel will tell. */
static bool interrupts(const char *isa)
{
	return !isa || has_extension(isa, "sscofpmf") || has_extension(isa, "xandespmu");
}

/*
 * T-Head's C906 and C910, and no others of T-Head's, for which the kernel has an erratum: they have
 * all of Sscofpmf but the name (pmu_sbi_setup_irqs() of drivers/perf/riscv_pmu_sbi.c).
 */
static bool is_first_c900(uint64_t vendor, uint64_t arch, uint64_t implementation)
{
	return vendor == 0x5B7 && !arch && !implementation;
}

void perfctr_cpuinfo_riscv(const char *text, struct perfctr_cpu *cpu)
{
	uint64_t vendor = number(text, "mvendorid"), arch = number(text, "marchid");
	uint64_t implementation = number(text, "mimpid");

	perfctr_riscv_identify(vendor, arch, implementation,
			       interrupts(find(text, "isa")) ||
				       is_first_c900(vendor, arch, implementation),
			       cpu);
}

/*
 * "cpu : POWER9 (architected), altivec supported", "revision : 2.2 (pvr 004e 1202)". The kernel
 * chooses the PMU by the PVR, which is the real one also in a compatibility mode: init_*_pmu() of
 * arch/powerpc/perf. For an unknown PVR it has the PMU "ISAv3", earlier "GENERIC_COMPAT", which has
 * few events with codes of their own. Before Linux 5.19 it doesn't name the PMU, and certainly
 * knows the PVR only in the processor's own mode.
 */
void perfctr_cpuinfo_power(const char *text, const char *pmu, struct perfctr_cpu *cpu)
{
	const char *name = find(text, "cpu"), *revision = find(text, "revision");
	const char *pvr = revision ? strstr(revision, "(pvr ") : NULL;
	unsigned long mode = 0;

	if (*pmu && perfctr_letters_compare(pmu, "POWER", 5) != 0)
		pvr = NULL;
	if (!*pmu && name && perfctr_letters_compare(name, " POWER", 6) == 0)
		mode = strtoul(name + 6, NULL, 10);
	perfctr_power_identify(pvr ? (uint32_t)strtoul(pvr + 5, NULL, 16) << 16 : 0,
			       (unsigned int)mode, cpu);
}
