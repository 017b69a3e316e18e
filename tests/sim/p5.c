// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * p5.c - Pentium, Pentium MMX, and the clones that Cyrix and Centaur made of them.
 *
 * Intel SDM vol. 3B, "Performance Monitoring (Pentium Processors)": one control register, CESR,
 * with a half for each of two counters. Cyrix MII Data Book, "Performance Monitoring": the event
 * has a seventh bit and there's no pin control. IDT WinChip C6 and WinChip 2 Data Sheets,
 * "Performance Counters": a half is an event of eight bits and nothing else.
 */
#include "sim.h"

enum { TSC = 0x10, CESR = 0x11, CTR0 = 0x12, CTR1 = 0x13 };

/* In a half of CESR. */
enum { CC_CPL012 = 1 << 6, CC_CPL3 = 1 << 7, CC_CLOCKS = 1 << 8 };

struct registers {
	uint64_t cesr;
	uint64_t counter[2];
};

struct pmu {
	const struct sim_model *model;
	uint64_t legal;	    /* the bits of a half of CESR that aren't reserved */
	unsigned int width; /* of a counter */
	bool centaur;	    /* no counter control, so it never stops; no usable TSC */
};

static const struct pmu pmus[] = {
	{ .model = &sim_p5, .legal = 0x03FF, .width = 40 },
	{ .model = &sim_p5mmx, .legal = 0x03FF, .width = 40 },
	{ .model = &sim_mii, .legal = 0x05FF, .width = 48 },
	{ .model = &sim_winchip_c6, .legal = 0x00FF, .width = 40, .centaur = true },
	{ .model = &sim_winchip_2, .legal = 0x00FF, .width = 40, .centaur = true },
};

static const struct pmu *pmu_of(const struct sim_core *core)
{
	const struct pmu *pmu = pmus;

	while (pmu->model != core->model)
		pmu++;
	return pmu;
}

static const char *write(struct sim_core *core, uint32_t reg, uint64_t value)
{
	const struct pmu *pmu = pmu_of(core);
	struct registers *r = core->registers;

	switch (reg) {
	case TSC: core->tsc = value; return NULL;
	case CESR:
		if (value & ~(pmu->legal | pmu->legal << 16))
			return "a reserved bit of CESR";
		r->cesr = value;
		return NULL;
	case CTR0:
	case CTR1:
		if (value >> pmu->width)
			return "wider than the counter";
		r->counter[reg - CTR0] = value;
		return NULL;
	}
	return "there is no such MSR";
}

static const char *read(struct sim_core *core, uint32_t reg, uint64_t *value)
{
	const struct registers *r = core->registers;

	switch (reg) {
	case TSC:
		/* Centaur's doesn't advance as it should: nobody may rely on it. */
		*value = pmu_of(core)->centaur ? 0xDEADBEEF : core->tsc;
		return NULL;
	case CESR: *value = r->cesr; return NULL;
	case CTR0:
	case CTR1: *value = r->counter[reg - CTR0]; return NULL;
	}
	return "there is no such MSR";
}

static const char *rdpmc(struct sim_core *core, uint32_t index, uint64_t *value)
{
	if (index > 1)
		return "there is no such counter";
	return read(core, CTR0 + index, value);
}

static uint64_t count(const struct pmu *pmu, uint32_t half, const struct sim_step *step)
{
	if (pmu->centaur)
		return step->event == half ? sim_count(step, 0, false, false) : 0;

	/* Cyrix' bit 10 is the event's bit 6; on a Pentium it can't be set. */
	if (step->event != ((half & 0x3F) | (half >> 4 & 0x40)))
		return 0;
	if (!(half & (step->user ? CC_CPL3 : CC_CPL012)))
		return 0;
	/* Clocks are the event's duration: the cycles in which it happens at all. */
	return sim_count(step, half & CC_CLOCKS ? 1 : 0, false, false);
}

static void run(struct sim_core *core, const struct sim_step *step)
{
	const struct pmu *pmu = pmu_of(core);
	struct registers *r = core->registers;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		r->counter[i] += count(pmu, r->cesr >> 16 * i & 0xFFFF, step);
		r->counter[i] &= (UINT64_C(1) << pmu->width) - 1;
	}
}

#define MODEL(NAME, RDPMC)                                                                    \
	{                                                                                     \
		.name = NAME, .size = sizeof(struct registers), .write = write, .read = read, \
		.rdpmc = RDPMC, .run = run,                                                   \
	}

const struct sim_model sim_p5 = MODEL("p5", NULL);
const struct sim_model sim_p5mmx = MODEL("p5mmx", rdpmc);
const struct sim_model sim_mii = MODEL("mii", rdpmc);
const struct sim_model sim_winchip_c6 = MODEL("winchip_c6", rdpmc);
const struct sim_model sim_winchip_2 = MODEL("winchip_2", rdpmc);
