// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Intel Pentium 4: SDM vol. 3B, "Performance Monitoring (Processors Based on Intel NetBurst
 * Microarchitecture)" and "... and Intel Hyper-Threading Technology", and the MSR list of vol. 4.
 *
 * A counter counts what one ESCR selects; its CCCR says which ESCR, and filters. Simplifications:
 * tagging is not modelled; a counter that a cascade starts counts from the next step on; and the
 * sibling of a logical processor is active if it exists.
 */
#include "sim.h"

enum {
	COUNTER0 = 0x300,
	CCCR0 = 0x360,
	PEBS_ENABLE = 0x3F1,
	PEBS_MATRIX_VERT = 0x3F2,
	FIRST_MSR = COUNTER0,
	LAST_MSR = PEBS_MATRIX_VERT,
	N_COUNTERS = 18,
	IQ_ESCR0 = 0x3BA,
	IQ_ESCR1 = 0x3BB,
};

#define CCCR_EXTENDED_CASCADE 0x00000800u
#define CCCR_ENABLE	      0x00001000u
#define CCCR_COMPARE	      0x00040000u
#define CCCR_COMPLEMENT	      0x00080000u
#define CCCR_EDGE	      0x01000000u
#define CCCR_FORCE_OVF	      0x02000000u
#define CCCR_OVF_PMI_T0	      0x04000000u
#define CCCR_OVF_PMI_T1	      0x08000000u
#define CCCR_CASCADE	      0x40000000u
#define CCCR_OVF	      0x80000000u
#define CCCR_RESERVED	      0x300007FFu

#define ESCR_T1	      0x00000003u /* USR, OS of the second logical processor */
#define ESCR_RESERVED 0x80000000u

#define COUNTER_MASK	      0xFFFFFFFFFFull
#define PEBS_ENABLE_MASK      0x03000607u
#define PEBS_MATRIX_VERT_MASK 0x00000003u

struct p4 {
	uint64_t msr[LAST_MSR - FIRST_MSR + 1];
	uint32_t cascaded; /* counters that a cascade has started */
};

/* The ESCR that each value of ESCR SELECT means; a group's pairs of counters read one row each. */
static const uint16_t escr_select[][8] = {
	/* BPU, IS, MOB, ITLB, PMH, IX, FSB, BSU */
	{ 0x3B2, 0x3B4, 0x3AA, 0x3B6, 0x3AC, 0x3C8, 0x3A2, 0x3A0 },
	{ 0x3B3, 0x3B5, 0x3AB, 0x3B7, 0x3AD, 0x3C9, 0x3A3, 0x3A1 },
	/* MS, TC, TBPU */
	{ 0x3C0, 0x3C4, 0x3C2 },
	{ 0x3C1, 0x3C5, 0x3C3 },
	/* FLAME, FIRM, SAAT, U2L, none, DAC */
	{ 0x3A6, 0x3A4, 0x3AE, 0x3B0, 0, 0x3A8 },
	{ 0x3A7, 0x3A5, 0x3AF, 0x3B1, 0, 0x3A9 },
	/* IQ, ALF, RAT, SSU (there is only one), CRU0/1, CRU2/3, CRU4/5 */
	{ 0x3BA, 0x3CA, 0x3BC, 0x3BE, 0x3B8, 0x3CC, 0x3E0 },
	{ 0x3BB, 0x3CB, 0x3BD, 0, 0x3B9, 0x3CD, 0x3E1 },
};

/*
 * Each counter's row of escr_select, the counter whose overflow starts it with CASCADE, and the one
 * whose overflow starts it with EXTENDED_CASCADE (CASCNTxINTOy; 0: the bit is reserved).
 */
static const struct {
	uint8_t row, cascade, extended;
} counters[N_COUNTERS] = {
	{ 0, 2, 0 },   { 0, 3, 0 },   { 1, 0, 0 },  { 1, 1, 0 },   /* BPU */
	{ 2, 6, 0 },   { 2, 7, 0 },   { 3, 4, 0 },  { 3, 5, 0 },   /* MS */
	{ 4, 10, 0 },  { 4, 11, 0 },  { 5, 8, 0 },  { 5, 9, 0 },   /* FLAME */
	{ 6, 14, 16 }, { 6, 15, 0 },  { 7, 12, 0 }, { 7, 13, 17 }, /* IQ */
	{ 6, 14, 17 }, { 7, 15, 16 },
};

static uint64_t *msr(const struct sim_core *core, uint32_t reg)
{
	struct p4 *p4 = core->registers;

	return &p4->msr[reg - FIRST_MSR];
}

static bool hyper_threaded(const struct sim_core *core)
{
	return core->model->shared;
}

static bool escr_exists(const struct sim_core *core, uint32_t reg)
{
	if (reg == IQ_ESCR0 || reg == IQ_ESCR1)
		return core->model == &sim_p4 || core->model == &sim_p4m2;
	return (reg >= 0x3A0 && reg <= 0x3BE) || (reg >= 0x3C0 && reg <= 0x3C5) ||
	       (reg >= 0x3C8 && reg <= 0x3CD) || reg == 0x3E0 || reg == 0x3E1;
}

/* The bits of a register that may be set; 0 if there is no such register. */
static uint64_t settable(const struct sim_core *core, uint32_t reg)
{
	uint32_t reserved;

	if (reg >= COUNTER0 && reg < COUNTER0 + N_COUNTERS)
		return COUNTER_MASK;
	if (reg >= CCCR0 && reg < CCCR0 + N_COUNTERS) {
		reserved = CCCR_RESERVED;
		if (core->model == &sim_p4 || !counters[reg - CCCR0].extended)
			reserved |= CCCR_EXTENDED_CASCADE;
		if (!hyper_threaded(core))
			reserved |= CCCR_OVF_PMI_T1;
		return ~reserved;
	}
	if (escr_exists(core, reg))
		return ~(ESCR_RESERVED | (hyper_threaded(core) ? 0 : ESCR_T1));
	if (reg == PEBS_ENABLE)
		return PEBS_ENABLE_MASK;
	return reg == PEBS_MATRIX_VERT ? PEBS_MATRIX_VERT_MASK : 0;
}

static void reset(struct sim_core *core)
{
	(void)core; /* all registers are 0 */
}

static const char *write(struct sim_core *core, uint32_t reg, uint64_t value)
{
	struct p4 *p4 = core->registers;
	uint64_t bits = settable(core, reg);

	if (!bits)
		return "no such MSR";
	if (value & ~bits)
		return "reserved bits";
	*msr(core, reg) = value;
	if (reg >= CCCR0 && reg < CCCR0 + N_COUNTERS)
		p4->cascaded &= ~(1u << (reg - CCCR0));
	return NULL;
}

static const char *read(struct sim_core *core, uint32_t reg, uint64_t *value)
{
	if (!settable(core, reg))
		return "no such MSR";
	*value = *msr(core, reg);
	return NULL;
}

static const char *rdpmc(struct sim_core *core, uint32_t index, uint64_t *value)
{
	bool fast = index & 0x80000000u;
	uint32_t counter = index & 0x7FFFFFFFu;

	if (counter >= N_COUNTERS)
		return "no such counter";
	*value = *msr(core, COUNTER0 + counter) & (fast ? 0xFFFFFFFFu : COUNTER_MASK);
	return NULL;
}

/* ACTIVE_THREAD: none, single, both, any; without hyper-threading it must be 11B. */
static bool thread_active(const struct sim_core *core, uint64_t cccr)
{
	unsigned int active_thread = cccr >> 16 & 3;

	if (!hyper_threaded(core))
		return active_thread == 3;
	return active_thread & (core->sibling ? 2 : 1);
}

/* Does the ESCR that the counter reads select what happens? */
static bool selected(const struct sim_core *core, unsigned int counter, uint64_t cccr,
		     const struct sim_step *step)
{
	uint32_t reg = escr_select[counters[counter].row][cccr >> 13 & 7];
	bool second = hyper_threaded(core) && core->number % 2;
	unsigned int privilege = (second ? 0u : 2u) + (step->user ? 0u : 1u);
	uint64_t escr;

	if (reg == 0 || reg != step->event >> 16)
		return false;
	escr = *msr(core, reg);
	return (escr >> 25 & 0x3F) == (step->event & 0xFF) &&
	       (escr >> 9 & 0xFFFF) >> (step->event >> 8 & 0xFF) & 1 && escr >> privilege & 1;
}

static uint64_t filtered(uint64_t cccr, const struct sim_step *step)
{
	unsigned int threshold = cccr >> 20 & 15;

	if (!(cccr & CCCR_COMPARE))
		return sim_count(step, 0, false, false);
	/* "Greater than the threshold", and with COMPLEMENT "less than or equal to" it. */
	return sim_count(step, threshold + 1, cccr & CCCR_COMPLEMENT, cccr & CCCR_EDGE);
}

static void overflow(struct sim_core *core, unsigned int counter)
{
	struct p4 *p4 = core->registers;
	uint64_t *cccr = msr(core, CCCR0 + counter), other;
	struct sim_core *threads[2] = { core, core->sibling };
	unsigned int i;

	for (i = 0; i < N_COUNTERS; i++) {
		other = *msr(core, CCCR0 + i);
		if ((other & CCCR_CASCADE && counters[i].cascade == counter) ||
		    (other & CCCR_EXTENDED_CASCADE && counters[i].extended == counter))
			p4->cascaded |= 1u << i;
	}
	if (*cccr & CCCR_OVF) /* no interrupt until software clears it */
		return;
	*cccr |= CCCR_OVF;
	for (i = 0; i < 2; i++) /* each bit interrupts its own logical processor */
		if (threads[i] &&
		    *cccr & (hyper_threaded(core) && threads[i]->number % 2 ? CCCR_OVF_PMI_T1
									    : CCCR_OVF_PMI_T0))
			threads[i]->pmi = true;
}

static void run(struct sim_core *core, const struct sim_step *step)
{
	const struct p4 *p4 = core->registers;
	uint32_t cascaded = p4->cascaded; /* this step's cascades start with the next step */
	uint64_t cccr, n, sum;
	unsigned int i;

	for (i = 0; i < N_COUNTERS; i++) {
		cccr = *msr(core, CCCR0 + i);
		if (!(cccr & CCCR_ENABLE || cascaded >> i & 1) || !thread_active(core, cccr) ||
		    !selected(core, i, cccr, step))
			continue;
		n = filtered(cccr, step);
		sum = *msr(core, COUNTER0 + i) + n;
		*msr(core, COUNTER0 + i) = sum & COUNTER_MASK;
		if (sum > COUNTER_MASK || (cccr & CCCR_FORCE_OVF && n > 0))
			overflow(core, i);
	}
}

#define P4(model, ht)                      \
	const struct sim_model model = {   \
		.name = #model,            \
		.size = sizeof(struct p4), \
		.shared = ht,              \
		.reset = reset,            \
		.write = write,            \
		.read = read,              \
		.rdpmc = rdpmc,            \
		.run = run,                \
	}

P4(sim_p4, false);
P4(sim_p4m2, false);
P4(sim_p4m3, false);
P4(sim_p4_ht, true);
