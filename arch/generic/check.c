// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* Control rules of arm64 and of every ISA that has no ABI of its own. */
#include <perfctr/abi-generic.h>
#include "arch/check.h"

const char *perfctr_generic_type_name(unsigned int type)
{
	switch (type) {
	case PERFCTR_GENERIC:
		return "Generic processor with a clock";
	case PERFCTR_ARM64_PMUV3:
		return "arm64 with PMUv3";
	}
	return NULL;
}

/*
 * PMEVTYPERn_EL0 (Arm ARM D13.4): P (31) and U (30) exclude EL1 and EL0, evtCount is bits 15-0. The
 * other filter bits belong to hypervisors and to secure state.
 */
static int check_pmuv3(const struct perfctr_cpu_control *control, unsigned int i,
		       struct perfctr_diagnosis *diagnosis)
{
	uint32_t bits = control->evntsel[i] & ~0xC000FFFFu;

	if (bits)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, bits,
					"only P (31), U (30) and the event (15-0) may be set");
	if ((control->evntsel[i] & 0xC0000000u) == 0xC0000000u)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, 0xC0000000u,
					"P and U together exclude everything");
	if (control->evntsel_high[i])
		return perfctr_diagnose(diagnosis, "evntsel_high", (int)i,
					control->evntsel_high[i], "the upper half must be zero");
	if (control->pmc_map[i] > 31)
		return perfctr_diagnose(diagnosis, "pmc_map", (int)i, control->pmc_map[i],
					"counters are 0 to 30, and 31 for cycles");
	if (control->pmc_map[i] == 31 && (control->evntsel[i] & 0xFFFF) != 0x11)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, control->evntsel[i] & 0xFFFF,
					"counter 31 counts cycles only (event 0x11)");
	return 0;
}

int perfctr_generic_check(const struct perfctr_cpu *cpu, const void *control,
			  struct perfctr_diagnosis *diagnosis)
{
	const struct perfctr_cpu_control *c = control;
	unsigned int i;

	if (perfctr_check_common(cpu, c, diagnosis) < 0)
		return -1;
	for (i = 0; i < c->nractrs + c->nrictrs; i++) {
		if (cpu->type == PERFCTR_ARM64_PMUV3 && check_pmuv3(c, i, diagnosis) < 0)
			return -1;
		if (i >= c->nractrs && c->ireset[i] >= 0)
			return perfctr_diagnose(diagnosis, "ireset", (int)i, (uint32_t)c->ireset[i],
						"an i-mode start value must be negative");
	}
	return 0;
}
