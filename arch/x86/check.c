// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * Control rules of the x86 processors with P6-style event selects: P6, K7 and their successors.
 * Source: "PERFCTRS X86 LOW-LEVEL API", Processor-specific Notes; SDM vol. 3B 20.2.1; APM vol. 2
 * 13.2.1. The other families' rules come with their register programs.
 */
#include <perfctr/abi-x86.h>
#include "arch/check.h"

#define EVNTSEL_USR		0x00010000u
#define EVNTSEL_OS		0x00020000u
#define EVNTSEL_INT		0x00100000u
#define FIXED_COUNTER		0x40000000u	/* RDPMC number of fixed counter 0 */

static int check_evntsel(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
			 unsigned int i, struct perfctr_diagnosis *diagnosis)
{
	uint32_t evntsel = c->evntsel[i];
	uint32_t enable = cpu->enable;

	if (evntsel & cpu->reserved)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, evntsel & cpu->reserved,
					"reserved on this processor");
	if (cpu->global_enable && c->pmc_map[i] != 0) {
		if (evntsel & enable)
			return perfctr_diagnose(diagnosis, "evntsel", (int)i, enable,
						"the enable bit (22) is reserved but in counter 0's");
	} else if (!(evntsel & enable)) {
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, 0,
					"the enable bit (22) must be set");
	}
	if (!(evntsel & (EVNTSEL_USR | EVNTSEL_OS)))
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, 0,
					"USR (16) or OS (17) must be set, or nothing is counted");
	if (i < c->nractrs && evntsel & EVNTSEL_INT)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, EVNTSEL_INT,
					"the interrupt bit (20) is for i-mode counters");
	if (i >= c->nractrs && !(evntsel & EVNTSEL_INT))
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, 0,
					"an i-mode counter needs the interrupt bit (20)");
	if (cpu->evntsel_high ? c->evntsel_high[i] & ~0xFu : c->evntsel_high[i])
		return perfctr_diagnose(diagnosis, "evntsel_high", (int)i, c->evntsel_high[i],
					cpu->evntsel_high ? "only bits 3-0 may be set" :
							    "not on this processor");
	return 0;
}

int perfctr_x86_check(const struct perfctr_cpu *cpu, const void *control,
		      struct perfctr_diagnosis *diagnosis)
{
	const struct perfctr_cpu_control *c = control;
	unsigned int i, n = c->nractrs + c->nrictrs;

	if (perfctr_check_common(cpu, c, diagnosis) < 0)
		return -1;
	if (!cpu->enable)
		return 0;
	for (i = 0; i < n; i++) {
		if (c->pmc_map[i] & FIXED_COUNTER && cpu->nrfixed ?
		    (c->pmc_map[i] & ~FIXED_COUNTER) >= cpu->nrfixed :
		    c->pmc_map[i] >= cpu->nrctrs)
			return perfctr_diagnose(diagnosis, "pmc_map", (int)i, c->pmc_map[i],
						"this processor has no such counter");
		if (check_evntsel(cpu, c, i, diagnosis) < 0)
			return -1;
		if (i >= c->nractrs && c->ireset[i] >= 0)
			return perfctr_diagnose(diagnosis, "ireset", (int)i, (uint32_t)c->ireset[i],
						"an i-mode start value must be negative");
	}
	return 0;
}
