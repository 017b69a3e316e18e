// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * Pentium 4: 18 counters in four groups, each with a CCCR that selects one of several ESCRs. These
 * name the event; two or three counters share one.
 *
 * Sources: SDM vol. 3B 20.6.3 (counters, CCCRs, ESCRs: tables 20-55 to 20-58 of the 2023 edition)
 * and 20.6.4 (HT: the T1 fields); "PERFCTRS X86 LOW-LEVEL API", Intel P4.
 */
#include "arch/x86/x86.h"
#include "arch/x86/p4.h"

#define CCCR0		      0x360
#define ESCR_FIRST	      0x3A0
#define PEBS_ENABLE	      0x3F1
#define PEBS_MATRIX_VERT      0x3F2
#define SLOT_ESCR	      18
#define SLOT_PEBS_ENABLE      84
#define SLOT_PEBS_MATRIX_VERT 85

#define CCCR_RESERVED	      0x300007FFu /* 29, 28, 10-0 */
#define CCCR_OVF	      0x80000000u
#define CCCR_CASCADE	      0x40000000u
#define CCCR_OVF_PMI_T1	      0x08000000u
#define CCCR_OVF_PMI_T0	      0x04000000u
#define CCCR_FORCE_OVF	      0x02000000u
#define CCCR_ACTIVE_THREAD    0x00030000u
#define CCCR_ENABLE	      0x00001000u
#define CCCR_EXTENDED_CASCADE 0x00000800u
#define ESCR_RESERVED	      0x80000000u
#define ESCR_T0_OS	      0x00000008u
#define ESCR_CPL_T1	      0x00000003u
#define FAST_RDPMC	      0x80000000u

/* The pebs_enable bits that tag for replay, without PEBS itself. */
#define PEBS_UOP_TAG 0x01000000u
#define PEBS_REPLAY  0x00000607u
#define PEBS_VERT    0x00000003u

/*
 * The ESCRs by counter group and CCCR's ESCR SELECT: the MSR for the group's even half; the odd
 * half has the next one. 0: none.
 */
static const uint16_t escr_even[4][8] = {
	/* BPU:   0 BPU  1 IS   2 MOB  3 ITLB 4 PMH  5 IX   6 FSB  7 BSU */
	{ 0x3B2, 0x3B4, 0x3AA, 0x3B6, 0x3AC, 0x3C8, 0x3A2, 0x3A0 },
	/* MS:    0 MS   1 TC   2 TBPU */
	{ 0x3C0, 0x3C4, 0x3C2 },
	/* FLAME: 0 FLAME 1 FIRM 2 SAAT 3 U2L           5 DAC */
	{ 0x3A6, 0x3A4, 0x3AE, 0x3B0, 0, 0x3A8 },
	/* IQ:    0 IQ   1 ALF  2 RAT  3 SSU  4 CRU0 5 CRU2 6 CRU4 */
	{ 0x3BA, 0x3CA, 0x3BC, 0x3BE, 0x3B8, 0x3CC, 0x3E0 },
};

uint32_t perfctr_p4_escr(unsigned int counter, unsigned int select)
{
	unsigned int group = counter < 12 ? counter / 4 : 3;
	/* Counters 0, 1 of a group and IQ's 4 belong to the even half. */
	unsigned int odd = counter < 16 ? counter >> 1 & 1 : counter & 1;
	uint32_t escr = counter < 18 && select < 8 ? escr_even[group][select] : 0;

	/* SSU has no second ESCR. */
	if (escr == 0x3BE)
		return odd ? 0 : escr;
	return escr ? escr + odd : 0;
}

static int escr_exists(const struct perfctr_cpu *cpu, uint32_t escr)
{
	unsigned int counter, select;

	if ((escr & ~1u) == 0x3BA && cpu->p4_model > 2)
		return 0;
	for (counter = 0; counter < 18; counter++)
		for (select = 0; select < 8; select++)
			if (perfctr_p4_escr(counter, select) == escr)
				return 1;
	return 0;
}

uint32_t perfctr_p4_register(const struct perfctr_cpu *cpu, unsigned int slot)
{
	if (slot < SLOT_ESCR)
		return CCCR0 + slot;
	if (slot < SLOT_PEBS_ENABLE)
		return escr_exists(cpu, ESCR_FIRST + slot - SLOT_ESCR)
			       ? ESCR_FIRST + slot - SLOT_ESCR
			       : 0;
	return slot == SLOT_PEBS_ENABLE	       ? PEBS_ENABLE
	       : slot == SLOT_PEBS_MATRIX_VERT ? PEBS_MATRIX_VERT
					       : 0;
}

static int check_cccr(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		      unsigned int i, unsigned int pmc, struct perfctr_diagnosis *diagnosis)
{
	uint32_t cccr = c->evntsel[i], bits;

	bits = cccr & (CCCR_RESERVED | CCCR_OVF | CCCR_OVF_PMI_T1);
	if (bits)
		return perfctr_forbid(
			diagnosis, "evntsel", (int)i, bits,
			"OVF (31), OVF_PMI_T1 (27) and bits 29, 28 and 10-0 of a CCCR "
			"are reserved");
	if (cccr & CCCR_EXTENDED_CASCADE) {
		if (cpu->p4_model < 2)
			return perfctr_forbid(
				diagnosis, "evntsel", (int)i, CCCR_EXTENDED_CASCADE,
				"EXTENDED_CASCADE (11) needs a P4 of model 2 or later");
		if (pmc != 12 && pmc < 15)
			return perfctr_forbid(diagnosis, "evntsel", (int)i, CCCR_EXTENDED_CASCADE,
					      "EXTENDED_CASCADE (11) is only for counters 12 and "
					      "15-17");
	}
	if (!cpu->ht && (cccr & CCCR_ACTIVE_THREAD) != CCCR_ACTIVE_THREAD)
		return perfctr_diagnose(
			diagnosis, "evntsel", (int)i, cccr & CCCR_ACTIVE_THREAD,
			"both bits of ACTIVE_THREAD (17, 16) must be set where there "
			"is no hyper-threading");
	if (!(cccr & (CCCR_ENABLE | CCCR_CASCADE | CCCR_EXTENDED_CASCADE)))
		return perfctr_diagnose(
			diagnosis, "evntsel", (int)i, 0,
			"ENABLE (12), CASCADE (30) or EXTENDED_CASCADE (11) must be "
			"set");
	if (i < c->nractrs && cccr & CCCR_OVF_PMI_T0)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, CCCR_OVF_PMI_T0,
					"OVF_PMI_T0 (26) is for i-mode counters");
	if (i >= c->nractrs) {
		if (!(cccr & CCCR_OVF_PMI_T0))
			return perfctr_diagnose(diagnosis, "evntsel", (int)i, 0,
						"an i-mode counter needs OVF_PMI_T0 (26)");
		if (cccr & CCCR_FORCE_OVF && c->ireset[i] != -1)
			return perfctr_diagnose(diagnosis, "ireset", (int)i, (uint32_t)c->ireset[i],
						"with FORCE_OVF (25) the start value must be -1");
	}
	return 0;
}

static int check_escr(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		      unsigned int i, unsigned int flags, uint32_t reg,
		      struct perfctr_diagnosis *diagnosis)
{
	uint32_t escr = c->p4.escr[i];

	if (!reg)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, c->evntsel[i] & 0xE000,
					"this counter has no ESCR of that number (ESCR SELECT, "
					"15-13)");
	if ((reg & ~1u) == 0x3BA && cpu->p4_model > 2)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, c->evntsel[i] & 0xE000,
					"IQ_ESCR0 and IQ_ESCR1 exist only on P4 models 0 to 2");
	if (escr & ESCR_RESERVED)
		return perfctr_forbid(diagnosis, "p4.escr", (int)i, ESCR_RESERVED,
				      "bit 31 of an ESCR is reserved");
	if (escr & ESCR_CPL_T1 && !(cpu->ht && flags & PERFCTR_COMPILE_GLOBAL))
		return perfctr_diagnose(diagnosis, "p4.escr", (int)i, escr & ESCR_CPL_T1,
					"CPL_T1 (1, 0) is for global counters of hyper-threaded "
					"processors");
	return 0;
}

static int check_replay(const struct perfctr_cpu_control *c, struct perfctr_diagnosis *diagnosis)
{
	uint32_t enable = c->p4.pebs_enable, vert = c->p4.pebs_matrix_vert;

	if (!enable) {
		if (vert)
			return perfctr_forbid(diagnosis, "p4.pebs_matrix_vert", -1, vert,
					      "must be zero where p4.pebs_enable is");
		return 0;
	}
	if (!(c->nractrs + c->nrictrs))
		return perfctr_forbid(diagnosis, "p4.pebs_enable", -1, enable,
				      "must be zero where there are no counters");
	if (enable & ~(PEBS_UOP_TAG | PEBS_REPLAY))
		return perfctr_forbid(diagnosis, "p4.pebs_enable", -1,
				      enable & ~(PEBS_UOP_TAG | PEBS_REPLAY),
				      "only bits 24, 10, 9 and 2-0 may be set");
	if (!(enable & PEBS_UOP_TAG))
		return perfctr_diagnose(diagnosis, "p4.pebs_enable", -1, 0,
					"UOP_TAG (24) must be set");
	if (!(enable & PEBS_REPLAY))
		return perfctr_diagnose(diagnosis, "p4.pebs_enable", -1, 0,
					"one of bits 10, 9 and 2-0 must be set");
	if (vert & ~PEBS_VERT)
		return perfctr_forbid(diagnosis, "p4.pebs_matrix_vert", -1, vert & ~PEBS_VERT,
				      "only bits 1 and 0 may be set");
	if (!vert)
		return perfctr_diagnose(diagnosis, "p4.pebs_matrix_vert", -1, 0,
					"bit 1 or 0 must be set where p4.pebs_enable is not zero");
	return 0;
}

int perfctr_p4_compile(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		       unsigned int flags, struct perfctr_program *program,
		       struct perfctr_diagnosis *diagnosis)
{
	uint32_t escr_reg[PERFCTR_NR_CTRS];
	unsigned int i, j, n = program->nrctrs;

	/* ESCRs are first: a running counter must not see its event change. */
	for (i = 0; i < n; i++) {
		unsigned int pmc = c->pmc_map[i] & ~FAST_RDPMC;

		if (pmc >= 18)
			return perfctr_diagnose(
				diagnosis, "pmc_map", (int)i, c->pmc_map[i],
				"a P4 has counters 0 to 17, with or without bit 31");
		for (j = 0; j < i; j++)
			if ((c->pmc_map[j] & ~FAST_RDPMC) == pmc)
				return perfctr_diagnose(diagnosis, "pmc_map", (int)i, c->pmc_map[i],
							"another counter is mapped there too");
		if (check_cccr(cpu, c, i, pmc, diagnosis) < 0)
			return -1;
		escr_reg[i] = perfctr_p4_escr(pmc, c->evntsel[i] >> 13 & 7);
		if (check_escr(cpu, c, i, flags, escr_reg[i], diagnosis) < 0)
			return -1;
		for (j = 0; j < i; j++)
			if (escr_reg[j] == escr_reg[i] && c->p4.escr[j] != c->p4.escr[i])
				return perfctr_diagnose(diagnosis, "p4.escr", (int)i, c->p4.escr[i],
							"another counter has another value for the "
							"same ESCR");
		perfctr_program_write(program, SLOT_ESCR + escr_reg[i] - ESCR_FIRST, escr_reg[i],
				      c->p4.escr[i], c->p4.escr[i]);
	}
	if (check_replay(c, diagnosis) < 0)
		return -1;
	/* This is written even if it is zero: the previous user's tags would mark our uops. */
	if (n) {
		perfctr_program_write(program, SLOT_PEBS_ENABLE, PEBS_ENABLE, c->p4.pebs_enable,
				      c->p4.pebs_enable);
		perfctr_program_write(program, SLOT_PEBS_MATRIX_VERT, PEBS_MATRIX_VERT,
				      c->p4.pebs_matrix_vert, c->p4.pebs_matrix_vert);
	}
	for (i = 0; i < n; i++) {
		unsigned int pmc = c->pmc_map[i] & ~FAST_RDPMC;

		/*
		 * Writing 0 also clears OVF, without which there is no further interrupt; and that
		 * a cascade has started, which nothing else shows: it starts again with each
		 * resume.
		 */
		perfctr_program_write(program, pmc, CCCR0 + pmc, c->evntsel[i],
				      i < c->nractrs && !(c->evntsel[i] &
							  (CCCR_CASCADE | CCCR_EXTENDED_CASCADE))
					      ? c->evntsel[i]
					      : 0);
		program->privileged |= (c->p4.escr[i] & (ESCR_T0_OS | ESCR_CPL_T1)) != 0;
		program->counter[i].reg = P4_COUNTER0 + pmc;
	}
	return 0;
}
