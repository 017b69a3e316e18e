// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * p6.c - Pentium Pro to Pentium III and Pentium M, and VIA's C3, which only looks like them.
 *
 * Intel SDM vol. 3B, "Performance Monitoring (P6 Family Processor)"; VIA C3 Data Sheet,
 * "Performance Counters": counter 0 is the TSC, counter 1 has an event of nine bits and
 * no other control.
 */
#include "evntsel.h"

enum {
	TSC = 0x10,
	PERFCTR0 = 0xC1,
	PERFCTR1 = 0xC2,
	EVNTSEL0 = 0x186,
	EVNTSEL1 = 0x187,
};

/* EN is in EVNTSEL0, for both counters. */
static const uint64_t p6_legal[2] = { 0xFFD7FFFF, 0xFFD7FFFF & ~(uint64_t)EN };
static const unsigned int p6_width = 40;
static const uint64_t p6_mask = (UINT64_C(1) << 40) - 1;

static const char no_msr[] = "there is no such MSR";
static const char no_counter[] = "there is no such counter";
static const char reserved[] = "a reserved bit of EVNTSEL";

struct registers {
	uint64_t evntsel[2];
	uint64_t counter[2];
};

static void write_tsc(struct sim_core *core, uint64_t value)
{
	core->tsc = (uint32_t)value; /* SDM, "Time-Stamp Counter": the high half is cleared */
}

static const char *p6_write(struct sim_core *core, uint32_t reg, uint64_t value)
{
	struct registers *r = core->registers;

	switch (reg) {
	case TSC: write_tsc(core, value); return NULL;
	case EVNTSEL0:
	case EVNTSEL1:
		if (value & ~p6_legal[reg - EVNTSEL0])
			return reserved;
		r->evntsel[reg - EVNTSEL0] = value;
		return NULL;
	case PERFCTR0:
	case PERFCTR1:
		/* EDX is not looked at: bits 39-32 are copies of bit 31. */
		r->counter[reg - PERFCTR0] = (uint64_t)(int32_t)value & p6_mask;
		return NULL;
	}
	return no_msr;
}

static const char *p6_read(struct sim_core *core, uint32_t reg, uint64_t *value)
{
	const struct registers *r = core->registers;

	switch (reg) {
	case TSC: *value = core->tsc; return NULL;
	case EVNTSEL0:
	case EVNTSEL1: *value = r->evntsel[reg - EVNTSEL0]; return NULL;
	case PERFCTR0:
	case PERFCTR1: *value = r->counter[reg - PERFCTR0]; return NULL;
	}
	return no_msr;
}

static const char *p6_rdpmc(struct sim_core *core, uint32_t index, uint64_t *value)
{
	return index > 1 ? no_counter : p6_read(core, PERFCTR0 + index, value);
}

static void p6_run(struct sim_core *core, const struct sim_step *step)
{
	struct registers *r = core->registers;
	unsigned int i;

	if (!(r->evntsel[0] & EN))
		return;
	for (i = 0; i < 2; i++) {
		uint64_t evntsel = r->evntsel[i];

		if (selects(evntsel, evntsel & 0xFFFF, step) &&
		    add(&r->counter[i], p6_width, selected(evntsel, step)) && evntsel & INT)
			core->pmi = true;
	}
}

static const char *c3_write(struct sim_core *core, uint32_t reg, uint64_t value)
{
	struct registers *r = core->registers;

	switch (reg) {
	case TSC: write_tsc(core, value); return NULL;
	case EVNTSEL0:
	case PERFCTR0: return "counter 0 is the TSC and can't be programmed";
	case EVNTSEL1:
		if (value & ~UINT64_C(0x1FF))
			return reserved;
		r->evntsel[1] = value;
		return NULL;
	case PERFCTR1:
		if (value >> 32)
			return "wider than the counter";
		r->counter[1] = value;
		return NULL;
	}
	return no_msr;
}

static const char *c3_read(struct sim_core *core, uint32_t reg, uint64_t *value)
{
	switch (reg) {
	case PERFCTR0: *value = core->tsc; return NULL;
	case EVNTSEL0:
		*value = 0x79; /* hardwired: clocks */
		return NULL;
	}
	return p6_read(core, reg, value);
}

static const char *c3_rdpmc(struct sim_core *core, uint32_t index, uint64_t *value)
{
	return index > 1 ? no_counter : c3_read(core, PERFCTR0 + index, value);
}

static void c3_run(struct sim_core *core, const struct sim_step *step)
{
	struct registers *r = core->registers;

	/* No enable bit and no privilege levels: whatever the event is, it counts. */
	if (step->event == r->evntsel[1])
		r->counter[1] = (uint32_t)(r->counter[1] + sim_count(step, 0, false, false));
}

const struct sim_model sim_p6 = {
	.name = "p6",
	.size = sizeof(struct registers),
	.write = p6_write,
	.read = p6_read,
	.rdpmc = p6_rdpmc,
	.run = p6_run,
};

const struct sim_model sim_c3 = {
	.name = "c3",
	.size = sizeof(struct registers),
	.write = c3_write,
	.read = c3_read,
	.rdpmc = c3_rdpmc,
	.run = c3_run,
};
