// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * PowerPC: identification and control rules of the 604, 750 and 74xx families.
 *
 * Sources: PowerPC 604e RISC Microprocessor User's Manual chapter 9 (MPC604EUM/AD), MPC750 chapter
 * 11 (MPC750UM/D), MPC7400 chapter 11 (MPC7400UM/D), MPC7450 chapter 11 (MPC7450UM/D); "PERFCTRS
 * PPC32 LOW-LEVEL API".
 */
#include "arch/powerpc/powerpc.h"
#include "arch/powerpc/sprs.h"

/* PMC1 to PMC6: the counter's SPR, and where its selector lies in MMCR0 or MMCR1. */
/* clang-format off */
static const struct {
	uint16_t spr;
	uint8_t mmcr;
	uint8_t shift;
	uint8_t bits;
} pmcs[] = {
	{ SPR_PMC1, 0, 6, 7 }, { SPR_PMC2, 0, 0, 6 }, { SPR_PMC3, 1, 27, 5 },
	{ SPR_PMC4, 1, 22, 5 }, { SPR_PMC5, 1, 17, 5 }, { SPR_PMC6, 1, 11, 6 },
};

#define NEVER 0xFFFF

static const struct processor {
	uint16_t version;	/* upper half of the PVR */
	uint8_t type;
	uint8_t counters;	/* set */
	uint16_t pcint;		/* first revision (lower half) whose overflow interrupt works */
	char id[8];
	char name[24];
} processors[] = {
	/*
	 * Errata keep overflow interrupts from use on 750, 7400 and early 7410 and 750FX: one that
	 * meets a decrementer interrupt is lost, and the saved state with it.
	 */
	{ 0x0004, PERFCTR_PPC_604, 0x03, 0, "ppc604", "PowerPC 604" },
	{ 0x0009, PERFCTR_PPC_604e, 0x0F, 0, "ppc604e", "PowerPC 604e" },
	{ 0x000A, PERFCTR_PPC_604e, 0x0F, 0, "ppc604e", "PowerPC 604ev" },
	{ 0x0008, PERFCTR_PPC_750, 0x0F, NEVER, "ppc750", "PowerPC 740/750" },
	{ 0x7000, PERFCTR_PPC_750, 0x0F, 0x0203, "ppc750", "PowerPC 750FX" },
	{ 0x7001, PERFCTR_PPC_750, 0x0F, 0x0203, "ppc750", "PowerPC 750FX" },
	{ 0x7002, PERFCTR_PPC_750, 0x0F, 0, "ppc750", "PowerPC 750GX" },
	{ 0x000C, PERFCTR_PPC_7400, 0x0F, NEVER, "ppc7400", "PowerPC 7400" },
	{ 0x800C, PERFCTR_PPC_7400, 0x0F, 0x1103, "ppc7400", "PowerPC 7410" },
	{ 0x8000, PERFCTR_PPC_7450, 0x3F, 0, "ppc7450", "PowerPC 7441/7451" },
	{ 0x8001, PERFCTR_PPC_7450, 0x3F, 0, "ppc7450", "PowerPC 7445/7455" },
	{ 0x8002, PERFCTR_PPC_7450, 0x3F, 0, "ppc7450", "PowerPC 7447/7457" },
	{ 0x8003, PERFCTR_PPC_7450, 0x3F, 0, "ppc7450", "PowerPC 7447A" },
	{ 0x8004, PERFCTR_PPC_7450, 0x3F, 0, "ppc7450", "PowerPC 7448" },
};
/* clang-format on */

#define PROCESSORS (sizeof(processors) / sizeof(processors[0]))

const char perfctr_powerpc_types[PERFCTR_PPC_TYPES][48] = {
	[PERFCTR_PPC_GENERIC] = "Generic PowerPC with a time base",
	[PERFCTR_PPC_604] = "PowerPC 604",
	[PERFCTR_PPC_604e] = "PowerPC 604e",
	[PERFCTR_PPC_750] = "PowerPC 750",
	[PERFCTR_PPC_7400] = "PowerPC 7400",
	[PERFCTR_PPC_7450] = "PowerPC 7450",
};

/* Describes a typical processor, without errata. */
int perfctr_powerpc_typical(unsigned int n, struct perfctr_cpu *cpu)
{
	const struct processor *p = &processors[n];

	if (n >= PROCESSORS)
		return -1;
	*cpu = (struct perfctr_cpu){
		.name = p->name,
		.id = p->id,
		.type = p->type,
		.rules = PERFCTR_RULES_PPC,
		.counters = p->counters,
		.width = 32,
		.pcint = 1,
		/* The 604 and the 604e have no copies of the counters for users (UPMCn). */
		.no_rdpmc = p->type == PERFCTR_PPC_604 || p->type == PERFCTR_PPC_604e,
	};
	return 0;
}

/* Bits 7-4 of the revision number the maker of a 750FX. */
static int can_interrupt(const struct processor *p, uint32_t pvr)
{
	uint32_t revision = pvr & (p->type == PERFCTR_PPC_750 ? 0xFF0F : 0xFFFF);

	return p->pcint != NEVER && revision >= p->pcint;
}

void perfctr_powerpc_identify(uint32_t pvr, struct perfctr_cpu *cpu)
{
	unsigned int n;

	/* The 750CX and the 755 have the 750's version, too. */
	for (n = 0; n < PROCESSORS && processors[n].version != pvr >> 16; n++)
		;
	if (perfctr_powerpc_typical(n, cpu) == 0)
		cpu->pcint = can_interrupt(&processors[n], pvr) != 0;
	else
		*cpu = (struct perfctr_cpu){ .name = perfctr_powerpc_types[0], .id = "" };
}

static int has_mmcr2(const struct perfctr_cpu *cpu)
{
	return cpu->type == PERFCTR_PPC_7400 || cpu->type == PERFCTR_PPC_7450;
}

uint32_t perfctr_powerpc_register(const struct perfctr_cpu *cpu, unsigned int slot)
{
	if (cpu->rules != PERFCTR_RULES_PPC)
		return 0;
	switch (slot) {
	case 0: return SPR_MMCR0;
	case 1: return cpu->counters & 4 ? SPR_MMCR1 : 0;
	case 2: return has_mmcr2(cpu) ? SPR_MMCR2 : 0;
	}
	return 0;
}

int perfctr_powerpc_setup(const struct perfctr_cpu *cpu, unsigned int n, uint32_t *reg,
			  uint64_t *value)
{
	/* The breakpoint address mask could hide events; no control can set it. */
	if (n > 0 || cpu->rules != PERFCTR_RULES_PPC || !has_mmcr2(cpu))
		return -1;
	*reg = SPR_BAMR;
	*value = 0;
	return 0;
}

static int check_mmcr(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		      struct perfctr_diagnosis *diagnosis)
{
	uint32_t mmcr0 = c->ppc.mmcr0, bits;
	int ictr1 = 0, ictrs = 0, actrs = 0;
	unsigned int i;

	if (mmcr0 & MMCR0_PMCSEL)
		return perfctr_diagnose(diagnosis, "ppc.mmcr0", -1, mmcr0 & MMCR0_PMCSEL,
					"PMC1SEL and PMC2SEL belong in evntsel[]");
	if (mmcr0 & MMCR0_PMXE && !c->nrictrs)
		return perfctr_diagnose(diagnosis, "ppc.mmcr0", -1, MMCR0_PMXE,
					"PMXE needs an i-mode counter");
	if (c->nrictrs && !(mmcr0 & MMCR0_PMXE))
		return perfctr_diagnose(diagnosis, "ppc.mmcr0", -1, 0,
					"an i-mode counter needs PMXE (0x04000000)");
	/* The time base would raise the interrupt, and so disarm it, without an overflow. */
	if (mmcr0 & MMCR0_PMXE && mmcr0 & MMCR0_TBEE)
		return perfctr_diagnose(diagnosis, "ppc.mmcr0", -1, MMCR0_TBEE,
					"TBEE (0x00400000) does not go with PMXE");
	for (i = 0; i < c->nractrs + c->nrictrs; i++) {
		if (i >= c->nractrs && c->pmc_map[i] == 0)
			ictr1 = 1;
		else if (i >= c->nractrs)
			ictrs = 1;
		else if (c->pmc_map[i] != 0)
			actrs = 1;
	}
	if (ictr1 != ((mmcr0 & MMCR0_PMC1CE) != 0))
		return perfctr_diagnose(diagnosis, "ppc.mmcr0", -1, mmcr0 & MMCR0_PMC1CE,
					"PMC1CE (0x8000) must be set exactly if PMC1 is an i-mode "
					"counter");
	if (ictrs != ((mmcr0 & MMCR0_PMCjCE) != 0))
		return perfctr_diagnose(
			diagnosis, "ppc.mmcr0", -1, mmcr0 & MMCR0_PMCjCE,
			"PMCjCE (0x4000) must be set exactly if one of PMC2 to PMC6 is "
			"an i-mode counter");
	if (ictrs && actrs)
		return perfctr_diagnose(
			diagnosis, "nractrs", -1, c->nractrs,
			"PMCjCE lets all of PMC2 to PMC6 interrupt: they must all be "
			"i-mode or all be a-mode counters");
	bits = has_mmcr2(cpu) ? c->ppc.mmcr2 & ~MMCR2_THRESHMULT : c->ppc.mmcr2;
	if (bits)
		return perfctr_diagnose(
			diagnosis, "ppc.mmcr2", -1, bits,
			"only THRESHMULT (0x80000000) may be set, and only on a 74xx");
	return 0;
}

static int uses(const struct perfctr_cpu_control *c, uint32_t pmc)
{
	unsigned int i;

	for (i = 0; i < c->nractrs + c->nrictrs; i++)
		if (c->pmc_map[i] == pmc)
			return 1;
	return 0;
}

int perfctr_powerpc_compile(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
			    struct perfctr_program *program, struct perfctr_diagnosis *diagnosis)
{
	const struct perfctr_cpu_control *c = control;
	uint64_t mmcr[2] = { c->ppc.mmcr0, 0 };
	unsigned int i, n;
	int async;

	(void)flags;
	if (perfctr_check_common(cpu, c, 0, program, diagnosis) < 0)
		return -1;
	n = program->nrctrs;
	for (i = 0; i < n; i++) {
		uint32_t pmc = c->pmc_map[i];

		if (perfctr_check_counter(cpu, c, i, diagnosis) < 0)
			return -1;
		if (c->evntsel[i] >> pmcs[pmc].bits)
			return perfctr_diagnose(diagnosis, "evntsel", (int)i, c->evntsel[i],
						"too large for this counter's selector field");
		mmcr[pmcs[pmc].mmcr] |= (uint64_t)c->evntsel[i] << pmcs[pmc].shift;
		program->counter[i].reg = pmcs[pmc].spr;
	}
	if (check_mmcr(cpu, c, diagnosis) < 0)
		return -1;
	if (!n)
		return 0;
	program->by_register = 1;
	program->privileged = !(c->ppc.mmcr0 & MMCR0_FCS);
	/* MMCR0 is last: it starts everything. */
	if (cpu->counters & 4)
		perfctr_program_write(program, 1, SPR_MMCR1, mmcr[1], mmcr[1]);
	if (has_mmcr2(cpu))
		perfctr_program_write(program, 2, SPR_MMCR2, c->ppc.mmcr2, c->ppc.mmcr2);
	/*
	 * A negative counter interrupts while PMXE allows it, even if it is frozen: while
	 * suspended, PMXE is clear, and old values in PMC2 to PMC6 are cleared if PMCjCE looks at
	 * all of them.
	 */
	async = (c->ppc.mmcr0 & (MMCR0_FCECE | MMCR0_TRIGGER | MMCR0_PMXE)) != 0;
	perfctr_program_write(program, 0, SPR_MMCR0, mmcr[0],
			      async ? (mmcr[0] | MMCR0_FC) & ~(uint64_t)MMCR0_PMXE : mmcr[0]);
	for (i = 1; c->ppc.mmcr0 & MMCR0_PMCjCE && i < 6; i++)
		if (cpu->counters >> i & 1 && !uses(c, i))
			program->clear[program->nr_clears++] = pmcs[i].spr;
	/* With these the processor freezes or starts counters by itself, by changing MMCR0. */
	if (async) {
		program->async = (int)program->nr_writes - 1;
		program->async_value = program->write[program->async].value;
		program->async_stopped = program->write[program->async].stopped;
	}
	return 0;
}
