// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Armv8 PMUv3: Arm Architecture Reference Manual (DDI 0487), chapter "The Performance Monitors
 * Extension" and the descriptions of the PM*_EL0 registers. EL0 and EL1 of one security state.
 *
 * A write of 1 to a RES0 bit faults, so that mistakes show.
 */
#include "sim.h"

enum { N_COUNTERS = 6, CYCLE_COUNTER = 31 };

#define PMCR_E	       0x01u
#define PMCR_P	       0x02u /* reset the event counters; reads as 0 */
#define PMCR_C	       0x04u /* reset the cycle counter; reads as 0 */
#define PMCR_D	       0x08u /* PMCCNTR counts every 64th cycle, unless LC */
#define PMCR_LC	       0x40u
#define PMCR_LP	       0x80u
#define PMCR_WRITABLE  0xFFu
#define PMCR_READ_ONLY 0xFFFFF800u /* IMP, IDCODE, N */

#define TYPE_P	       0x80000000u
#define TYPE_U	       0x40000000u
#define TYPE_EVTCOUNT  0x0000FFFFu
#define PMUSERENR_BITS 0x0000000Fu

#define IMPLEMENTED (1u << CYCLE_COUNTER | ((1u << N_COUNTERS) - 1))
#define EVENT_CHAIN 0x1Eu

enum { ENABLED, INTERRUPTS, OVERFLOWS, N_SETS }; /* in the order of enum sim_pmuv3 */

struct pmuv3 {
	uint32_t pmcr, pmuserenr, sets[N_SETS];
	uint64_t count[N_COUNTERS], cycles;
	uint32_t type[N_COUNTERS], cycle_filter;
	unsigned int divided; /* cycles that PMCR.D has not counted yet */
};

static bool is_set(uint32_t reg)
{
	return reg >= SIM_PMCNTENSET && reg <= SIM_PMOVSCLR;
}

static uint32_t *set(struct pmuv3 *pmu, uint32_t reg)
{
	return &pmu->sets[(reg - SIM_PMCNTENSET) / 2];
}

static uint64_t event_mask(const struct pmuv3 *pmu)
{
	return pmu->pmcr & PMCR_LP ? UINT64_MAX : UINT32_MAX;
}

/*
 * The bits of a register that may be written as 1; 0 if there is no such register. The read-only
 * fields of PMCR and the bits of absent counters are ignored.
 */
static uint64_t settable(const struct pmuv3 *pmu, uint32_t reg)
{
	if (is_set(reg))
		return UINT32_MAX;
	if (reg >= SIM_PMEVCNTR0 && reg < SIM_PMEVCNTR0 + N_COUNTERS)
		return event_mask(pmu);
	if (reg >= SIM_PMEVTYPER0 && reg < SIM_PMEVTYPER0 + N_COUNTERS)
		return TYPE_P | TYPE_U | TYPE_EVTCOUNT;
	switch (reg) {
	case SIM_PMCR: return PMCR_WRITABLE | PMCR_READ_ONLY;
	case SIM_PMCCNTR: return UINT64_MAX;
	case SIM_PMCCFILTR: return TYPE_P | TYPE_U;
	case SIM_PMUSERENR: return PMUSERENR_BITS;
	default: return 0;
	}
}

static void reset(struct sim_core *core)
{
	struct pmuv3 *pmu = core->registers;

	pmu->pmcr = N_COUNTERS << 11;
}

/* The interrupt is a level: it holds for as long as an overflow that may interrupt does. */
static void update_interrupt(struct sim_core *core)
{
	const struct pmuv3 *pmu = core->registers;

	core->pmi = pmu->pmcr & PMCR_E && pmu->sets[OVERFLOWS] & pmu->sets[INTERRUPTS];
}

static void write_pmcr(struct pmuv3 *pmu, uint32_t value)
{
	unsigned int i;

	if (value & PMCR_P)
		for (i = 0; i < N_COUNTERS; i++)
			pmu->count[i] = 0;
	if (value & PMCR_C)
		pmu->cycles = 0;
	pmu->pmcr = (pmu->pmcr & PMCR_READ_ONLY) | (value & PMCR_WRITABLE & ~(PMCR_P | PMCR_C));
}

static const char *write(struct sim_core *core, uint32_t reg, uint64_t value)
{
	struct pmuv3 *pmu = core->registers;
	uint64_t bits = settable(pmu, reg);
	uint32_t low = (uint32_t)value;

	if (!bits)
		return "no such register";
	if (value & ~bits)
		return "RES0 bits";
	if (is_set(reg)) {
		if ((reg - SIM_PMCNTENSET) % 2)
			*set(pmu, reg) &= ~low;
		else
			*set(pmu, reg) |= low & IMPLEMENTED;
	} else if (reg >= SIM_PMEVTYPER0) {
		pmu->type[reg - SIM_PMEVTYPER0] = low;
	} else if (reg >= SIM_PMEVCNTR0) {
		pmu->count[reg - SIM_PMEVCNTR0] = value;
	} else if (reg == SIM_PMCR) {
		write_pmcr(pmu, low);
	} else if (reg == SIM_PMCCNTR) {
		pmu->cycles = value;
	} else if (reg == SIM_PMCCFILTR) {
		pmu->cycle_filter = low;
	} else {
		pmu->pmuserenr = low;
	}
	update_interrupt(core);
	return NULL;
}

static const char *read(struct sim_core *core, uint32_t reg, uint64_t *value)
{
	struct pmuv3 *pmu = core->registers;

	if (!settable(pmu, reg))
		return "no such register";
	if (is_set(reg))
		*value = *set(pmu, reg);
	else if (reg >= SIM_PMEVTYPER0)
		*value = pmu->type[reg - SIM_PMEVTYPER0];
	else if (reg >= SIM_PMEVCNTR0)
		*value = pmu->count[reg - SIM_PMEVCNTR0] & event_mask(pmu);
	else if (reg == SIM_PMCR)
		*value = pmu->pmcr;
	else if (reg == SIM_PMCCNTR)
		*value = pmu->cycles;
	else if (reg == SIM_PMCCFILTR)
		*value = pmu->cycle_filter;
	else
		*value = pmu->pmuserenr;
	return NULL;
}

/* Is a counter enabled, and does its filter let this step through? */
static bool counts(const struct pmuv3 *pmu, unsigned int counter, uint32_t filter, bool user)
{
	return pmu->pmcr & PMCR_E && pmu->sets[ENABLED] >> counter & 1 &&
	       !(filter & (user ? TYPE_U : TYPE_P));
}

/* Add n; return how often that overflows the counter's lower 32, or all 64, bits. */
static uint64_t add(struct pmuv3 *pmu, unsigned int counter, uint64_t *count, uint64_t n, bool all)
{
	uint64_t overflows = all ? n > UINT64_MAX - *count : ((*count & UINT32_MAX) + n) >> 32;

	*count += n;
	if (overflows)
		pmu->sets[OVERFLOWS] |= 1u << counter;
	return overflows;
}

static void run(struct sim_core *core, const struct sim_step *step)
{
	struct pmuv3 *pmu = core->registers;
	bool long_cycles = pmu->pmcr & PMCR_LC, long_events = pmu->pmcr & PMCR_LP;
	uint64_t n, carry = 0; /* overflows of the preceding counter */
	unsigned int i, cycles;
	uint32_t event;

	for (i = 0; i < N_COUNTERS; i++) {
		event = pmu->type[i] & TYPE_EVTCOUNT;
		if (event == EVENT_CHAIN) /* of an even counter, it counts nothing */
			n = i % 2 ? carry : 0;
		else
			n = event == step->event ? sim_count(step, 0, false, false) : 0;
		if (!counts(pmu, i, pmu->type[i], step->user))
			n = 0;
		carry = add(pmu, i, &pmu->count[i], n, long_events);
	}
	if (counts(pmu, CYCLE_COUNTER, pmu->cycle_filter, step->user)) {
		cycles = step->cycles;
		if (pmu->pmcr & PMCR_D && !long_cycles) {
			cycles = (pmu->divided + step->cycles) / 64;
			pmu->divided = (pmu->divided + step->cycles) % 64;
		}
		add(pmu, CYCLE_COUNTER, &pmu->cycles, cycles, long_cycles);
	}
	update_interrupt(core);
}

const struct sim_model sim_pmuv3 = {
	.name = "sim_pmuv3",
	.size = sizeof(struct pmuv3),
	.reset = reset,
	.write = write,
	.read = read,
	.run = run,
};
