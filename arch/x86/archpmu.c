// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * Intel's architectural performance monitoring, from Core to today.
 *
 * Sources: SDM vol. 3B 20.2 (versions 1 to 6, IA32_FIXED_CTR_CTRL, IA32_PERF_GLOBAL_STATUS), 20.3
 * (offcore response registers, MSR_PEBS_FRONTEND, IN_TX), 20.2.8 (full-width writes); off-module
 * response registers: Linux 7.3, arch/x86/events/intel/core.c, intel_pnc_extra_regs and
 * intel_arw_extra_regs.
 */
#include "arch/x86/x86.h"

#define FIXED_CTR_CTRL	0x38D
#define GLOBAL_OVF_CTRL 0x390
#define SLOT_FIXED	32
#define SLOT_OFFCORE	33
#define SLOT_FRONTEND	35
#define SLOT_OMR	36
#define OMRS		4

#define IN_TXCP 0x00000002u /* of evntsel_high: bit 33 */

#define NEEDS_EXTENDED                                                                         \
	"its event needs it, but it only counts with VPERFCTR_CONTROL_EXTENDED in flags; set " \
	"that, or clear it"

/* The old places hold ten; version 6 has room for all, in blocks of four (SDM vol. 3B 20.2.9). */
static uint32_t evntsel_reg(const struct perfctr_cpu *cpu, uint32_t n)
{
	return cpu->version >= 6 ? 0x1901 + 4 * n : EVNTSEL0 + n;
}

static uint32_t counter_reg(const struct perfctr_cpu *cpu, uint32_t n)
{
	return cpu->version >= 6 ? 0x1900 + 4 * n : (cpu->full_width ? 0x4C1 : PERFCTR0) + n;
}

uint32_t perfctr_arch_fixed_counter(const struct perfctr_cpu *cpu, uint32_t n)
{
	return cpu->version >= 6 ? 0x1980 + 4 * n : 0x309 + n;
}

uint32_t perfctr_arch_register(const struct perfctr_cpu *cpu, unsigned int slot)
{
	if (slot < 32)
		return cpu->counters >> slot & 1 ? evntsel_reg(cpu, slot) : 0;
	if (slot == SLOT_FIXED)
		return cpu->fixed ? FIXED_CTR_CTRL : 0;
	if (slot - SLOT_OMR < OMRS && cpu->omr)
		return OMR_0 + slot - SLOT_OMR;
	if (slot < SLOT_FRONTEND)
		return slot - SLOT_OFFCORE < cpu->offcore && !cpu->omr
			       ? OFFCORE_RSP0 + slot - SLOT_OFFCORE
			       : 0;
	return slot == SLOT_FRONTEND && cpu->frontend ? PEBS_FRONTEND : 0;
}

/*
 * Returns the register that the event looks at, counted from 0; OMRS: none. Offcore response is
 * unit mask 1 of B7H and BBH, since Golden Cove of 2AH and 2BH; small cores have unit masks 1 and 2
 * of B7H. Off-module responses have a unit mask for each of four registers.
 */
static uint32_t response(const struct perfctr_cpu *cpu, uint32_t event)
{
	uint32_t code = event & 0xFF, mask = event >> 8;

	if (cpu->omr) {
		int here = cpu->frontend ? code == 0x2A || code == 0x4F || code == 0xD6
					 : code == 0xB7;

		return here && mask && mask <= 8 && !(mask & (mask - 1))
			       ? (uint32_t)__builtin_ctz(mask)
			       : OMRS;
	}
	if ((event == 0x01B7 || event == 0x012A) && cpu->offcore)
		return 0;
	return (event == 0x01BB || event == 0x012B || event == 0x02B7) && cpu->offcore > 1 ? 1
											   : OMRS;
}

uint32_t perfctr_arch_extra(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
			    unsigned int i, uint64_t *value)
{
	uint32_t event = c->evntsel[i] & 0xFFFF, n;

	*value = 0;
	if (c->pmc_map[i] & FIXED_COUNTER)
		return 0;
	/* This is FRONTEND_RETIRED; since Golden Cove some of INT_MISC and UOPS_RETIRED, too. */
	if (cpu->frontend &&
	    ((event & 0xFF) == 0xC6 || (event & 0xFF) == 0xAD || (event & 0xFF) == 0xC2)) {
		*value = c->pebs_frontend;
		return PEBS_FRONTEND;
	}
	n = response(cpu, event);
	if (n == OMRS)
		return 0;
	/* Two of four registers share a word of the control. */
	*value = c->offcore_rsp[n % 2];
	if (cpu->offcore_width > 32)
		*value |= (uint64_t)c->offcore_rsp_high[n % 2] << 32;
	return (cpu->omr ? OMR_0 : OFFCORE_RSP0) + n;
}

/* Does a counter of the program look at the register? */
static unsigned int uses(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
			 const struct perfctr_program *program, uint32_t reg)
{
	unsigned int i, used = 0;
	uint64_t value;

	for (i = 0; i < program->nrctrs; i++)
		used |= perfctr_arch_extra(cpu, c, i, &value) == reg;
	return used;
}

static int check_fixed(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		       unsigned int i, struct perfctr_program *program,
		       struct perfctr_diagnosis *diagnosis)
{
	uint32_t n = c->pmc_map[i] & ~FIXED_COUNTER, evntsel = c->evntsel[i];
	uint32_t allowed = EVNTSEL_USR | EVNTSEL_OS | EVNTSEL_INT | EVNTSEL_ENABLE | EVNTSEL_ANY;
	uint32_t bits = evntsel & ~(allowed | 0xFFFF), high = perfctr_evntsel_high(cpu, c, i),
		 field;

	/* The counter's event is fixed: the select may name it or not. */
	if (bits || high)
		return perfctr_diagnose(diagnosis, bits ? "evntsel" : "evntsel_high", (int)i,
					bits ? bits : high,
					"a fixed counter has no mask, inversion or edge detection");
	field = (evntsel & EVNTSEL_OS ? 1u : 0) | (evntsel & EVNTSEL_USR ? 2u : 0) |
		(evntsel & EVNTSEL_ANY ? 4u : 0) | (evntsel & EVNTSEL_INT ? 8u : 0);
	perfctr_program_write(program, SLOT_FIXED, FIXED_CTR_CTRL, (uint64_t)field << 4 * n,
			      i < c->nractrs ? (uint64_t)field << 4 * n : 0);
	program->counter[i].reg = perfctr_arch_fixed_counter(cpu, n);
	program->counter[i].mask = perfctr_mask(cpu->fixed_width);
	program->counter[i].ack = (uint64_t)1 << (32 + n);
	return 0;
}

/* The registers that have word n of a control and that counters look at: bits, counted from 0. */
static unsigned int responses_used(const struct perfctr_cpu *cpu,
				   const struct perfctr_cpu_control *c,
				   const struct perfctr_program *program, unsigned int n)
{
	unsigned int used = 0, k;

	for (k = n; k < (cpu->omr ? OMRS : n + 1); k += 2)
		used |= uses(cpu, c, program, (cpu->omr ? OMR_0 : OFFCORE_RSP0) + k) << k;
	return used;
}

/* The upper halves count only if the caller says so, but an event that would miss them is refused.
 */
static int check_offcore(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
			 unsigned int flags, unsigned int n, struct perfctr_program *program,
			 struct perfctr_diagnosis *diagnosis)
{
	unsigned int registers = responses_used(cpu, c, program, n), used = registers != 0, k;
	unsigned int extended = (flags & PERFCTR_COMPILE_EXTENDED) != 0;
	uint32_t high = cpu->offcore_width > 32 ? c->offcore_rsp_high[n] : 0;
	uint64_t value = c->offcore_rsp[n] | (uint64_t)high << 32;
	unsigned int width = cpu->offcore_width - (n && cpu->outstanding);
	uint64_t bits = value & (~perfctr_mask(width) | cpu->offcore_holes);

	if (high && used != extended)
		return perfctr_diagnose(diagnosis, "offcore_rsp_high", (int)n, high,
					used ? NEEDS_EXTENDED
					     : "no counter has the offcore response event "
					       "of that register");
	if (!used)
		return 0;
	if (bits)
		return perfctr_diagnose(diagnosis,
					(uint32_t)bits ? "offcore_rsp" : "offcore_rsp_high", (int)n,
					(uint32_t)bits ? (uint32_t)bits : (uint32_t)(bits >> 32),
					"these bits are reserved on this processor");
	/* Nehalem's and Westmere's threads of a core have one register between them. */
	program->core_shared |= cpu->offcore_width <= 16;
	for (k = n; k < OMRS; k += 2)
		if (registers >> k & 1)
			perfctr_program_write(program, (cpu->omr ? SLOT_OMR : SLOT_OFFCORE) + k,
					      (cpu->omr ? OMR_0 : OFFCORE_RSP0) + k, value, value);
	return 0;
}

static int check_frontend(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
			  unsigned int flags, struct perfctr_program *program,
			  struct perfctr_diagnosis *diagnosis)
{
	unsigned int i, used = uses(cpu, c, program, PEBS_FRONTEND);
	unsigned int extended = (flags & PERFCTR_COMPILE_EXTENDED) != 0;
	uint32_t value = extended ? c->pebs_frontend : 0, bad = 0xFF800000u | cpu->frontend_holes;

	/* FRONTEND_RETIRED is nothing without it; most events ADH and C2H don't care. */
	for (i = 0; i < program->nrctrs && c->pebs_frontend && !extended; i++)
		if (!(c->pmc_map[i] & FIXED_COUNTER) && (c->evntsel[i] & EVNTSEL_EVENT) == 0xC6)
			return perfctr_diagnose(diagnosis, "pebs_frontend", -1, c->pebs_frontend,
						NEEDS_EXTENDED);
	if (value & bad)
		return perfctr_diagnose(diagnosis, "pebs_frontend", -1, value & bad,
					"these bits are reserved on this processor");
	if (value && !used)
		return perfctr_diagnose(
			diagnosis, "pebs_frontend", -1, value,
			"no counter has an event that looks at it: C6H (FRONTEND_RETIRED), "
			"ADH or C2H");
	if (used)
		perfctr_program_write(program, SLOT_FRONTEND, PEBS_FRONTEND, value, value);
	return 0;
}

static int check_extra(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		       unsigned int flags, struct perfctr_program *program,
		       struct perfctr_diagnosis *diagnosis)
{
	unsigned int n;

	for (n = 0; n < cpu->offcore; n++)
		if (check_offcore(cpu, c, flags, n, program, diagnosis) < 0)
			return -1;
	return cpu->frontend ? check_frontend(cpu, c, flags, program, diagnosis) : 0;
}

/* FIXED_CTR_CTRL has room for 16 fixed counters. */
static int check_place(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		       unsigned int i, struct perfctr_diagnosis *diagnosis)
{
	uint32_t n = c->pmc_map[i] & ~FIXED_COUNTER;

	if (!(c->pmc_map[i] & FIXED_COUNTER))
		return perfctr_check_counter(cpu, c, i, diagnosis);
	if (n > 15 || !(cpu->fixed >> n & 1))
		return perfctr_diagnose(diagnosis, "pmc_map", (int)i, c->pmc_map[i],
					"this processor has no such fixed counter");
	return 0;
}

int perfctr_arch_compile(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
			 unsigned int flags, struct perfctr_program *program,
			 struct perfctr_diagnosis *diagnosis)
{
	unsigned int i;

	/* Extra registers first: a counter that runs already must not see its event change. */
	if (check_extra(cpu, c, flags, program, diagnosis) < 0)
		return -1;
	program->ack_reg = cpu->version >= 2 ? GLOBAL_OVF_CTRL : 0;
	for (i = 0; i < program->nrctrs; i++) {
		uint32_t pmc = c->pmc_map[i];
		uint32_t high = perfctr_evntsel_high(cpu, c, i);
		uint64_t evntsel = c->evntsel[i] | (uint64_t)high << 32;
		int fixed = (pmc & FIXED_COUNTER) != 0;

		if (check_place(cpu, c, i, diagnosis) < 0 ||
		    perfctr_check_evntsel(cpu, c, i, diagnosis) < 0 ||
		    (fixed && check_fixed(cpu, c, i, program, diagnosis) < 0))
			return -1;
		if (!fixed && !(evntsel & EVNTSEL_ENABLE))
			return perfctr_diagnose(diagnosis, "evntsel", (int)i, 0,
						"the enable bit (22) must be set");
		/* The kernel's codes for the bytes of PERF_METRICS (SDM vol. 3B 20.3.9.3). */
		if (!fixed && (evntsel & 0x80FF) == 0x8000)
			return perfctr_diagnose(diagnosis, "evntsel", (int)i,
						(uint32_t)evntsel & 0xFFFF,
						"a top-down metric is a "
						"share of the slots and no counter's event; count "
						"slots,topdown-... by name in a group");
		if (high & IN_TXCP && pmc != 2)
			return perfctr_diagnose(diagnosis, "evntsel_high", (int)i, IN_TXCP,
						"IN_TXCP (33) is only for counter 2");
		/* AnyThread also counts the core's other thread, whatever process it belongs to. */
		program->privileged |= (evntsel & (EVNTSEL_OS | EVNTSEL_ANY)) != 0;
		if (fixed)
			continue;
		perfctr_program_write(program, pmc, evntsel_reg(cpu, pmc), evntsel,
				      i < c->nractrs ? evntsel : 0);
		program->counter[i].reg = counter_reg(cpu, pmc);
		program->counter[i].ack = cpu->version >= 2 ? (uint64_t)1 << pmc : 0;
	}
	return 0;
}
