// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* PowerPC: identification and control rules of the 604, 750 and 74xx families. */
#include <perfctr/abi-powerpc.h>
#include "arch/check.h"

#define MMCR0_PMCSEL		0x00001FFFu	/* PMC1SEL and PMC2SEL */
#define MMCR0_PMXE		0x04000000u
#define MMCR2_THRESHMULT	0x80000000u

static const struct {
	uint16_t version;	/* upper half of the PVR */
	struct perfctr_cpu cpu;
} cpus[] = {
	/* PVRs: the processors' user's manuals; counters: perfctr's low-level-ppc32 document. */
	{ 0x0004, { .name = "PowerPC 604", .type = PERFCTR_PPC_604, .nrctrs = 2 } },
	{ 0x0009, { .name = "PowerPC 604e", .type = PERFCTR_PPC_604e, .nrctrs = 4 } },
	{ 0x000A, { .name = "PowerPC 604ev", .type = PERFCTR_PPC_604e, .nrctrs = 4 } },
	{ 0x0008, { .name = "PowerPC 750", .type = PERFCTR_PPC_750, .nrctrs = 4 } },
	{ 0x7000, { .name = "PowerPC 750FX", .type = PERFCTR_PPC_750, .nrctrs = 4 } },
	{ 0x7002, { .name = "PowerPC 750GX", .type = PERFCTR_PPC_750, .nrctrs = 4 } },
	{ 0x000C, { .name = "PowerPC 7400", .type = PERFCTR_PPC_7400, .nrctrs = 4 } },
	{ 0x800C, { .name = "PowerPC 7410", .type = PERFCTR_PPC_7400, .nrctrs = 4 } },
	{ 0x8000, { .name = "PowerPC 7441/7451", .type = PERFCTR_PPC_7450, .nrctrs = 6 } },
	{ 0x8001, { .name = "PowerPC 7447/7457", .type = PERFCTR_PPC_7450, .nrctrs = 6 } },
	{ 0x8002, { .name = "PowerPC 7447A", .type = PERFCTR_PPC_7450, .nrctrs = 6 } },
};

void perfctr_powerpc_identify(uint32_t pvr, struct perfctr_cpu *cpu)
{
	static const struct perfctr_cpu generic = {
		.name = "Generic PowerPC with a time base", .type = PERFCTR_PPC_GENERIC,
	};
	unsigned int i;

	*cpu = generic;
	for (i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		if (cpus[i].version == pvr >> 16) {
			*cpu = cpus[i].cpu;
			cpu->width = 32;
			return;
		}
	}
}

const char *perfctr_powerpc_type_name(unsigned int type)
{
	switch (type) {
	case PERFCTR_PPC_GENERIC: return "Generic PowerPC with a time base";
	case PERFCTR_PPC_604: return "PowerPC 604";
	case PERFCTR_PPC_604e: return "PowerPC 604e";
	case PERFCTR_PPC_750: return "PowerPC 750";
	case PERFCTR_PPC_7400: return "PowerPC 7400";
	case PERFCTR_PPC_7450: return "PowerPC 7450";
	}
	return NULL;
}

int perfctr_powerpc_check(const struct perfctr_cpu *cpu, const void *control,
			  struct perfctr_diagnosis *diagnosis)
{
	const struct perfctr_cpu_control *c = control;
	unsigned int i;
	uint32_t bits;

	if (perfctr_check_common(cpu, c, diagnosis) < 0)
		return -1;
	for (i = 0; i < c->nractrs + c->nrictrs; i++) {
		if (c->pmc_map[i] >= cpu->nrctrs)
			return perfctr_diagnose(diagnosis, "pmc_map", (int)i, c->pmc_map[i],
						"this processor has no such counter");
		if (i >= c->nractrs && c->ireset[i] < 0)
			return perfctr_diagnose(diagnosis, "ireset", (int)i, (uint32_t)c->ireset[i],
						"an i-mode start value must not be negative");
	}
	bits = c->ppc.mmcr0 & MMCR0_PMCSEL;
	if (bits)
		return perfctr_diagnose(diagnosis, "ppc.mmcr0", -1, bits,
					"PMC1SEL and PMC2SEL belong in evntsel[]");
	if (c->ppc.mmcr0 & MMCR0_PMXE && !c->nrictrs)
		return perfctr_diagnose(diagnosis, "ppc.mmcr0", -1, MMCR0_PMXE,
					"PMXE needs an i-mode counter");
	bits = c->ppc.mmcr2 & ~MMCR2_THRESHMULT;
	if (cpu->type != PERFCTR_PPC_7400 && cpu->type != PERFCTR_PPC_7450)
		bits = c->ppc.mmcr2;
	if (bits)
		return perfctr_diagnose(diagnosis, "ppc.mmcr2", -1, bits,
					"only THRESHMULT (31) may be set, and only on a 74xx");
	return 0;
}
