// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * archpmu.c - Intel's architectural performance monitoring, versions 1 to 6.
 *
 * Intel SDM vol. 3B 20.2 "Architectural Performance Monitoring" with its sections for the versions
 * and "Full-Width Writes to Performance Counter Registers"; 20.3 and the sections on Nehalem and
 * Sandy Bridge for "Off-core Response Performance Monitoring"; vol. 4 for the MSRs' numbers.
 */
#include "evntsel.h"

#define PC	   (UINT64_C(1) << 19)
#define ANY_THREAD (UINT64_C(1) << 21)
#define EQ	   (UINT64_C(1) << 36)
#define UMASK2	   (UINT64_C(0xFF) << 40)

/* In a fixed counter's four bits of FIXED_CTR_CTRL. */
enum { FIXED_OS = 1, FIXED_USR = 2, FIXED_PMI = 8 };

enum { MAX_GENERAL = 8, MAX_FIXED = 4, MAX_OFFCORE = 2, FIRST_FIXED = 32 };

static const uint32_t fixed_event[MAX_FIXED] = { 0x00C0, 0x003C, 0x013C, 0x01A4 };
static const uint32_t offcore_event[MAX_OFFCORE] = { 0x01B7, 0x01BB };

struct registers {
	uint64_t evntsel[MAX_GENERAL], general[MAX_GENERAL];
	uint64_t fixed[MAX_FIXED], fixed_ctr_ctrl;
	uint64_t global_ctrl, global_status;
	uint64_t offcore_rsp[MAX_OFFCORE];
	uint64_t perf_capabilities, frontend;
};

struct pmu {
	const struct sim_model *model;
	unsigned int version;
	unsigned int general, fixed; /* how many counters */
	unsigned int width;	     /* of both kinds */
	unsigned int offcore;	     /* how many OFFCORE_RSP registers */
	bool full_width;	     /* PERF_CAPABILITIES.FW_WRITE: there are IA32_A_PMCn */
	bool before_sandybridge;     /* pin control; general counters enabled after reset */
};

static const struct pmu pmus[] = {
	{ .model = &sim_core, .version = 1, .general = 2, .width = 40, .before_sandybridge = true },
	{ .model = &sim_core2,
	  .version = 2,
	  .general = 2,
	  .fixed = 3,
	  .width = 40,
	  .before_sandybridge = true },
	{ .model = &sim_nehalem,
	  .version = 3,
	  .general = 4,
	  .fixed = 3,
	  .width = 48,
	  .offcore = 1,
	  .before_sandybridge = true },
	{ .model = &sim_sandybridge,
	  .version = 3,
	  .general = 4,
	  .fixed = 3,
	  .width = 48,
	  .offcore = 2 },
	{ .model = &sim_icelake,
	  .version = 5,
	  .general = 8,
	  .fixed = 4,
	  .width = 48,
	  .offcore = 2,
	  .full_width = true },
	{ .model = &sim_arch6,
	  .version = 6,
	  .general = 8,
	  .fixed = 4,
	  .width = 48,
	  .offcore = 2,
	  .full_width = true },
};

static const struct pmu *pmu_of(const struct sim_core *core)
{
	const struct pmu *pmu = pmus;

	while (pmu->model != core->model)
		pmu++;
	return pmu;
}

static uint64_t ones(unsigned int n)
{
	return (UINT64_C(1) << n) - 1;
}

static uint64_t evntsel_legal(const struct pmu *pmu)
{
	uint64_t legal = 0xFFFFFFFF & ~(PC | ANY_THREAD);

	if (pmu->before_sandybridge)
		legal |= PC;
	if (pmu->version == 3)
		legal |= ANY_THREAD;
	if (pmu->version >= 6)
		legal |= EQ | UMASK2;
	return legal;
}

/* What an MSR number names: a register, the bits it has, and what a write of it does. */
struct msr {
	uint64_t *value;
	uint64_t legal;
	enum { PLAIN, SIGN_EXTENDED, READ_ONLY, CLEARS } write;
};

static bool find(struct sim_core *core, uint32_t reg, struct msr *found)
{
	const struct pmu *pmu = pmu_of(core);
	struct registers *r = core->registers;
	const unsigned int version2 = pmu->version >= 2;
	const unsigned int version6 = pmu->version >= 6;
	const unsigned int full_width = pmu->full_width;
	const uint64_t width = ones(pmu->width), evntsel = evntsel_legal(pmu);
	const uint64_t counters = ones(pmu->general) | ones(pmu->fixed) << FIRST_FIXED;
	const uint64_t fixed = (pmu->version == 3 ? 0xFFFF : 0xBBBB) & ones(4 * pmu->fixed);
	const struct {
		uint32_t first;
		unsigned int stride, n;
		struct msr msr; /* the first of the n */
	} map[] = {
		{ 0x010, 1, 1, { &core->tsc, UINT64_MAX, PLAIN } },
		{ 0x0C1, 1, pmu->general, { r->general, width, SIGN_EXTENDED } },
		{ 0x186, 1, pmu->general, { r->evntsel, evntsel, PLAIN } },
		{ 0x1A6,
		  1,
		  pmu->offcore,
		  { r->offcore_rsp, ones(pmu->offcore == 1 ? 16 : 38), PLAIN } },
		{ 0x309, 1, pmu->fixed, { r->fixed, width, PLAIN } },
		{ 0x3F7, 1, pmu->version >= 4, { &r->frontend, ones(23), PLAIN } },
		{ 0x345, 1, version2, { &r->perf_capabilities, 0, READ_ONLY } },
		{ 0x38D, 1, version2, { &r->fixed_ctr_ctrl, fixed, PLAIN } },
		{ 0x38E, 1, version2, { &r->global_status, 0, READ_ONLY } },
		{ 0x38F, 1, version2, { &r->global_ctrl, counters, PLAIN } },
		{ 0x390, 1, version2, { &r->global_status, counters | 3ULL << 62, CLEARS } },
		{ 0x4C1, 1, full_width * pmu->general, { r->general, width, PLAIN } },
		{ 0x1900, 4, version6 * pmu->general, { r->general, width, PLAIN } },
		{ 0x1901, 4, version6 * pmu->general, { r->evntsel, evntsel, PLAIN } },
		{ 0x1980, 4, version6 * pmu->fixed, { r->fixed, width, PLAIN } },
	};
	size_t i;

	for (i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		uint32_t n = (reg - map[i].first) / map[i].stride;

		if ((reg - map[i].first) % map[i].stride || n >= map[i].n)
			continue;
		*found = map[i].msr;
		found->value += n;
		return true;
	}
	return false;
}

static void reset(struct sim_core *core)
{
	const struct pmu *pmu = pmu_of(core);
	struct registers *r = core->registers;

	/* Version 1 has no GLOBAL_CTRL: as if this stayed so for ever. */
	if (pmu->before_sandybridge)
		r->global_ctrl = ones(pmu->general);
	if (pmu->full_width)
		r->perf_capabilities = 1 << 13;
}

static const char *write(struct sim_core *core, uint32_t reg, uint64_t value)
{
	struct msr msr;

	if (!find(core, reg, &msr))
		return "there is no such MSR";
	if (msr.write == READ_ONLY)
		return "the MSR is read-only";
	/* The old way to write a counter takes EAX only. */
	if (msr.write == SIGN_EXTENDED)
		value = (uint64_t)(int32_t)value & msr.legal;
	if (value & ~msr.legal)
		return "a reserved bit of the MSR";
	*msr.value = msr.write == CLEARS ? *msr.value & ~value : value;
	return NULL;
}

static const char *read(struct sim_core *core, uint32_t reg, uint64_t *value)
{
	struct msr msr;

	if (!find(core, reg, &msr))
		return "there is no such MSR";
	*value = msr.write == CLEARS ? 0 : *msr.value;
	return NULL;
}

static const char *rdpmc(struct sim_core *core, uint32_t index, uint64_t *value)
{
	const struct pmu *pmu = pmu_of(core);
	const struct registers *r = core->registers;

	if (index < pmu->general)
		*value = r->general[index];
	else if (index - 0x40000000 < pmu->fixed)
		*value = r->fixed[index - 0x40000000];
	else
		return "there is no such counter";
	return NULL;
}

/* Advance a counter; number is its bit in the global registers. */
static void advance(struct sim_core *core, uint64_t *counter, unsigned int number, uint64_t by,
		    bool interrupt)
{
	const struct pmu *pmu = pmu_of(core);
	struct registers *r = core->registers;
	uint64_t bit = UINT64_C(1) << number;

	if (!(r->global_ctrl & bit) || !add(counter, pmu->width, by))
		return;
	/* While the status bit is set there's no further interrupt. Version 1 has no such bit. */
	if (interrupt && !(r->global_status & bit))
		core->pmi = true;
	if (pmu->version >= 2)
		r->global_status |= bit;
}

/* An off-core response event is what its MSR selects; with nothing selected it never happens. */
static bool offcore_idle(const struct sim_core *core, uint32_t event)
{
	const struct registers *r = core->registers;
	unsigned int i;

	for (i = 0; i < pmu_of(core)->offcore; i++)
		if (event == offcore_event[i])
			return r->offcore_rsp[i] == 0;
	return false;
}

static uint64_t count(const struct sim_core *core, uint64_t evntsel, const struct sim_step *step)
{
	unsigned int mask = evntsel >> 24 & 0xFF;
	bool holds;

	/* A step has UMASK2 above the event and the unit mask. */
	if (!(evntsel & EN) ||
	    !selects(evntsel, (evntsel & 0xFFFF) | (evntsel & UMASK2) >> 24, step))
		return 0;
	if (offcore_idle(core, step->event))
		return 0;
	if (!(evntsel & EQ) || mask == 0)
		return selected(evntsel, step);
	/* With EQ the comparison is "equal", or inverted "less, but not zero". */
	holds = evntsel & INV ? step->per_cycle > 0 && step->per_cycle < mask
			      : step->per_cycle == mask;
	return holds ? sim_count(step, 1, false, evntsel & EDGE) : 0;
}

static void run(struct sim_core *core, const struct sim_step *step)
{
	const struct pmu *pmu = pmu_of(core);
	struct registers *r = core->registers;
	unsigned int i;

	for (i = 0; i < pmu->general; i++)
		advance(core, &r->general[i], i, count(core, r->evntsel[i], step),
			r->evntsel[i] & INT);

	for (i = 0; i < pmu->fixed; i++) {
		unsigned int control = r->fixed_ctr_ctrl >> 4 * i & 0xF;

		if (step->event == fixed_event[i] && control & (step->user ? FIXED_USR : FIXED_OS))
			advance(core, &r->fixed[i], FIRST_FIXED + i,
				sim_count(step, 0, false, false), control & FIXED_PMI);
	}
}

#define MODEL(NAME)                                                                             \
	{                                                                                       \
		.name = NAME, .size = sizeof(struct registers), .reset = reset, .write = write, \
		.read = read, .rdpmc = rdpmc, .run = run,                                       \
	}

const struct sim_model sim_core = MODEL("core");
const struct sim_model sim_core2 = MODEL("core2");
const struct sim_model sim_nehalem = MODEL("nehalem");
const struct sim_model sim_sandybridge = MODEL("sandybridge");
const struct sim_model sim_icelake = MODEL("icelake");
const struct sim_model sim_arch6 = MODEL("arch6");
