// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PowerPC 604, 604e, 750, 7400, 7450: the chapters "Performance Monitor" and "Programming Model" of
 * the PowerPC 604/604e, MPC750, MPC7400 and MPC7450 RISC Microprocessor Family User's Manuals.
 *
 * Thresholds, time base transitions and sampled addresses are not modelled; MSR[PMM] ("marked") is
 * always 0.
 */
#include "sim.h"

enum {
	MMCR2 = 944,
	PMC5 = 945,
	PMC6 = 946,
	BAMR = 951,
	MMCR0 = 952,
	PMC1 = 953,
	PMC2 = 954,
	SIA = 955,
	MMCR1 = 956,
	PMC3 = 957,
	PMC4 = 958,
	SDA = 959,
	FIRST_SPR = MMCR2,
	LAST_SPR = SDA,
	USER_OFFSET = 16, /* user mode reads SPR n as n - 16 */
	N_COUNTERS = 6,
};

#define FC	0x80000000u
#define FCS	0x40000000u
#define FCP	0x20000000u
#define FCM0	0x08000000u
#define PMXE	0x04000000u /* ENINT */
#define FCECE	0x02000000u /* DISCOUNT */
#define PMC1CE	0x00008000u /* PMC1INTCONTROL */
#define PMCJCE	0x00004000u /* PMCINTCONTROL */
#define TRIGGER 0x00002000u /* PMC2COUNTCTL */

#define NEGATIVE 0x80000000u

struct ppc {
	uint32_t spr[LAST_SPR - FIRST_SPR + 1];
	bool signalled; /* an interrupt, since MMCR0 was last written */
};

enum {
	P604 = 1,
	P604E = 2,
	P750 = 4,
	P7400 = 8,
	P7450 = 16,
	P74XX = P7400 | P7450,
	PALL = P604 | P604E | P750 | P74XX,
};

static const struct {
	const struct sim_model *model;
	unsigned int processor;
} models[] = {
	{ &sim_ppc604, P604 },	 { &sim_ppc604e, P604E }, { &sim_ppc750, P750 },
	{ &sim_ppc7400, P7400 }, { &sim_ppc7450, P7450 },
};

/* Which processors have an SPR, and which of its bits are not reserved. */
static const struct {
	uint32_t spr;
	unsigned int processors;
	uint32_t bits;
} sprs[] = {
	{ MMCR0, PALL, 0xFFFFFFFF },	    { PMC1, PALL, 0xFFFFFFFF },
	{ PMC2, PALL, 0xFFFFFFFF },	    { SIA, PALL, 0xFFFFFFFF },
	{ SDA, P604 | P604E, 0xFFFFFFFF },  { MMCR1, P604E | P750 | P7400, 0xFFC00000 },
	{ MMCR1, P7450, 0xFFFFF800 },	    { PMC3, PALL & ~P604, 0xFFFFFFFF },
	{ PMC4, PALL & ~P604, 0xFFFFFFFF }, { MMCR2, P74XX, 0x80000000 },
	{ BAMR, P74XX, 0xFFFFFFFF },	    { PMC5, P7450, 0xFFFFFFFF },
	{ PMC6, P7450, 0xFFFFFFFF },
};

/* The counters, and where their event select fields are. */
static const struct {
	uint16_t pmc, mmcr;
	uint8_t shift, width;
} counters[N_COUNTERS] = {
	{ PMC1, MMCR0, 6, 7 },	{ PMC2, MMCR0, 0, 6 },	{ PMC3, MMCR1, 27, 5 },
	{ PMC4, MMCR1, 22, 5 }, { PMC5, MMCR1, 17, 5 }, { PMC6, MMCR1, 11, 6 },
};

static uint32_t *spr(const struct sim_core *core, uint32_t reg)
{
	struct ppc *ppc = core->registers;

	return &ppc->spr[reg - FIRST_SPR];
}

static unsigned int processor(const struct sim_core *core)
{
	size_t i;

	for (i = 0; models[i].model != core->model; i++)
		;
	return models[i].processor;
}

/* The bits of an SPR that may be set; 0 if there is no such SPR. */
static uint32_t settable(const struct sim_core *core, uint32_t reg)
{
	size_t i;

	for (i = 0; i < sizeof(sprs) / sizeof(sprs[0]); i++)
		if (sprs[i].spr == reg && sprs[i].processors & processor(core))
			return sprs[i].bits;
	return 0;
}

static void reset(struct sim_core *core)
{
	(void)core; /* all registers are 0 */
}

/* What follows from counters being (or, in a step, having become) negative. */
static void conditions(struct sim_core *core, bool pmc1_negative, bool pmcj_negative)
{
	struct ppc *ppc = core->registers;
	uint32_t *mmcr0 = spr(core, MMCR0);
	bool enabled = (pmc1_negative && *mmcr0 & PMC1CE) || (pmcj_negative && *mmcr0 & PMCJCE);

	if (processor(core) & P74XX) {
		if (*mmcr0 & TRIGGER) { /* FCECE is taken as 0 */
			if (pmc1_negative || enabled)
				*mmcr0 &= ~TRIGGER;
		} else if (enabled && *mmcr0 & FCECE) {
			*mmcr0 |= FC;
		}
	}
	if (enabled && *mmcr0 & PMXE) {
		*mmcr0 &= ~PMXE;
		ppc->signalled = true;
		core->pmi = true;
	}
}

static const char *write(struct sim_core *core, uint32_t reg, uint64_t value)
{
	struct ppc *ppc = core->registers;
	uint32_t bits = settable(core, reg);
	bool pmcj_negative = false;
	unsigned int i;

	if (!bits)
		return "no such SPR";
	if (value & ~(uint64_t)bits)
		return "reserved bits";
	*spr(core, reg) = (uint32_t)value;
	if (reg == MMCR0)
		ppc->signalled = false;
	/* A counter that software makes negative, or enables when it is, is a condition too. */
	for (i = 1; i < N_COUNTERS; i++)
		pmcj_negative |= (*spr(core, counters[i].pmc) & NEGATIVE) != 0;
	conditions(core, *spr(core, PMC1) & NEGATIVE, pmcj_negative);
	return NULL;
}

static const char *read(struct sim_core *core, uint32_t reg, uint64_t *value)
{
	/* UMMCRn, UPMCn, USIA, UBAMR: for user mode, since the 750. */
	if (reg < FIRST_SPR && processor(core) & (P750 | P74XX))
		reg += USER_OFFSET;
	if (!settable(core, reg))
		return "no such SPR";
	*value = *spr(core, reg);
	return NULL;
}

static bool frozen(uint32_t mmcr0, bool user)
{
	return mmcr0 & (FC | FCM0 | (user ? FCP : FCS));
}

/* Do TRIGGER and DISCOUNT let a counter count? FCECE of the 74xx has set FC instead. */
static bool let(const struct sim_core *core, unsigned int counter)
{
	const struct ppc *ppc = core->registers;
	bool trigger = counter > 0 && *spr(core, MMCR0) & TRIGGER;
	bool discount = *spr(core, MMCR0) & FCECE;

	if (processor(core) & P74XX)
		return !trigger; /* it has been cleared if it is over */
	if (trigger)		 /* these processors don't clear it */
		return ppc->signalled || *spr(core, PMC1) & NEGATIVE;
	return !(discount && ppc->signalled);
}

static void run(struct sim_core *core, const struct sim_step *step)
{
	uint32_t counting = 0, selected;
	bool negative[N_COUNTERS] = { false }, pmcj_negative = false;
	unsigned int i;
	uint64_t sum;

	for (i = 0; i < N_COUNTERS; i++) {
		selected = *spr(core, counters[i].mmcr) >> counters[i].shift &
			   ((1u << counters[i].width) - 1);
		if (settable(core, counters[i].pmc) && selected != 0 && selected == step->event &&
		    !frozen(*spr(core, MMCR0), step->user) && let(core, i))
			counting |= 1u << i;
	}
	for (i = 0; i < N_COUNTERS; i++) {
		sum = *spr(core, counters[i].pmc);
		if (counting >> i & 1)
			sum += sim_count(step, 0, false, false);
		*spr(core, counters[i].pmc) = (uint32_t)sum;
		negative[i] = sum >= NEGATIVE; /* even if it has gone on to wrap */
		pmcj_negative |= i > 0 && negative[i];
	}
	conditions(core, negative[0], pmcj_negative);
}

#define POWERPC(model)                      \
	const struct sim_model model = {    \
		.name = #model,             \
		.size = sizeof(struct ppc), \
		.reset = reset,             \
		.write = write,             \
		.read = read,               \
		.run = run,                 \
	}

POWERPC(sim_ppc604);
POWERPC(sim_ppc604e);
POWERPC(sim_ppc750);
POWERPC(sim_ppc7400);
POWERPC(sim_ppc7450);
