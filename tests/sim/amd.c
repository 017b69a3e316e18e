// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * amd.c - AMD's processors from the Athlon on.
 *
 * AMD Athlon Processor x86 Code Optimization Guide, appendix "Performance-Monitoring Counters";
 * BKDG for families 0Fh, 10h and 15h, "Performance Monitor Counters" and MSRC001_00[07:00],
 * MSRC001_020[B:0]; AMD64 APM vol. 2, "Performance Monitoring Counters"; PPR 54945, "Large
 * Increment per Cycle Events". What differs from the P6: each counter has its own enable bit, and
 * 48 bits that all can be written.
 */
#include "evntsel.h"

#define TSC	      0x10U
#define PERF_EVT_SEL0 0xC0010000U /* four of them, then four counters */
#define PERF_CTL0     0xC0010200U /* followed by its counter, and so on */

enum { MAX_COUNTERS = 6, LEGACY_COUNTERS = 4, WIDTH = 48 };

static const uint64_t counter_mask = (UINT64_C(1) << WIDTH) - 1;

static const char no_msr[] = "there is no such MSR";

struct registers {
	uint64_t evntsel[MAX_COUNTERS];
	uint64_t counter[MAX_COUNTERS];
};

/*
 * Bits 19 and 21 are reserved. From family 10h bits 35-32 are the event's bits 11-8, and bits 41
 * and 40 select the host or its guests; neither and both mean both.
 */
#define LEGAL_K7     UINT64_C(0xFFD7FFFF)
#define LEGAL_FAM10H (LEGAL_K7 | UINT64_C(0x30F) << 32)
#define GUEST_ONLY   1

struct pmu {
	const struct sim_model *model;
	unsigned int counters;
	uint64_t legal;	  /* the bits of an event select register */
	bool northbridge; /* events E0h-FFh are those of the cores' common one */
	bool merges;	  /* event FFFh in an odd counter: the upper half of the one before */
};

static const struct pmu pmus[] = {
	{ .model = &sim_k7, .counters = 4, .legal = LEGAL_K7 },
	{ .model = &sim_k8, .counters = 4, .legal = LEGAL_K7 },
	{ .model = &sim_fam10h, .counters = 4, .legal = LEGAL_FAM10H, .northbridge = true },
	{ .model = &sim_fam15h, .counters = 6, .legal = LEGAL_FAM10H },
	{ .model = &sim_zen, .counters = 6, .legal = LEGAL_FAM10H, .merges = true },
};

static const struct pmu *pmu_of(const struct sim_core *core)
{
	const struct pmu *pmu = pmus;

	while (pmu->model != core->model)
		pmu++;
	return pmu;
}

/* The event select register or the counter that an MSR number names, or NULL. */
static uint64_t *find(struct sim_core *core, uint32_t reg, bool *select)
{
	const struct pmu *pmu = pmu_of(core);
	struct registers *r = core->registers;
	uint32_t n;

	/* The six counters' numbers came with family 15h; the old ones are the first four. */
	if (pmu->counters > LEGACY_COUNTERS && reg - PERF_CTL0 < 2 * pmu->counters) {
		n = (reg - PERF_CTL0) / 2;
		*select = reg % 2 == 0;
	} else if (reg - PERF_EVT_SEL0 < 2 * LEGACY_COUNTERS) {
		n = reg % LEGACY_COUNTERS;
		*select = reg - PERF_EVT_SEL0 < LEGACY_COUNTERS;
	} else {
		return NULL;
	}
	return *select ? &r->evntsel[n] : &r->counter[n];
}

static const char *write(struct sim_core *core, uint32_t reg, uint64_t value)
{
	bool select;
	uint64_t *found = find(core, reg, &select);

	if (reg == TSC)
		found = &core->tsc;
	else if (!found)
		return no_msr;
	else if (!select)
		/* Bits 63-48 aren't there: a negative number may be written as it is. */
		value &= counter_mask;
	else if (value & ~pmu_of(core)->legal)
		return "a reserved bit of the event select register";
	*found = value;
	return NULL;
}

static const char *read(struct sim_core *core, uint32_t reg, uint64_t *value)
{
	bool select;
	const uint64_t *found = reg == TSC ? &core->tsc : find(core, reg, &select);

	if (!found)
		return no_msr;
	*value = *found;
	return NULL;
}

static const char *rdpmc(struct sim_core *core, uint32_t index, uint64_t *value)
{
	const struct registers *r = core->registers;

	if (index >= pmu_of(core)->counters)
		return "there is no such counter";
	*value = r->counter[index];
	return NULL;
}

static uint32_t event_of(uint64_t evntsel)
{
	return (uint32_t)((evntsel & 0xFF) | (evntsel >> 32 & 0xF) << 8);
}

/* Is this counter, with the next one, a counter of 64 bits? Bits 63-48 are the next one's lowest.
 */
static bool is_merged(const struct sim_core *core, unsigned int i)
{
	const struct registers *r = core->registers;

	return pmu_of(core)->merges && i % 2 == 0 && r->evntsel[i + 1] & EN &&
	       event_of(r->evntsel[i + 1]) == 0xFFF;
}

static bool add_merged(struct registers *r, unsigned int i, uint64_t by)
{
	uint64_t value = r->counter[i] | r->counter[i + 1] << WIDTH;
	bool overflow = value + by < value;

	r->counter[i] = (value + by) & counter_mask;
	r->counter[i + 1] = (value + by) >> WIDTH;
	return overflow;
}

static uint64_t count(const struct sim_core *core, uint64_t evntsel, const struct sim_step *step)
{
	if (!(evntsel & EN) ||
	    !selects(evntsel, (evntsel & 0xFFFF) | (evntsel >> 32 & 0xF) << 16, step))
		return 0;
	/* There is no guest here. */
	if ((evntsel >> 40 & 3) == GUEST_ONLY)
		return 0;
	/* The northbridge's events are the whole node's: here only its first core sees them. */
	if (pmu_of(core)->northbridge && (evntsel & 0xFF) >= 0xE0 && core->number != 0)
		return 0;
	return selected(evntsel, step);
}

static void run(struct sim_core *core, const struct sim_step *step)
{
	struct registers *r = core->registers;
	unsigned int i;

	for (i = 0; i < pmu_of(core)->counters; i++) {
		struct sim_step now = *step;
		bool merged = is_merged(core, i), overflow;

		/* A counter alone adds no more than this in a cycle. */
		if (!merged && now.per_cycle > 15)
			now.per_cycle = 15;
		overflow = merged ? add_merged(r, i, count(core, r->evntsel[i], &now))
				  : add(&r->counter[i], WIDTH, count(core, r->evntsel[i], &now));
		if (overflow && r->evntsel[i] & INT)
			core->pmi = true;
	}
}

#define MODEL(NAME)                                                                           \
	{                                                                                     \
		.name = NAME, .size = sizeof(struct registers), .write = write, .read = read, \
		.rdpmc = rdpmc, .run = run,                                                   \
	}

const struct sim_model sim_k7 = MODEL("k7");
const struct sim_model sim_k8 = MODEL("k8");
const struct sim_model sim_fam10h = MODEL("fam10h");
const struct sim_model sim_fam15h = MODEL("fam15h");
const struct sim_model sim_zen = MODEL("zen");
