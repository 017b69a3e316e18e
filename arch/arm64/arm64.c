// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * arm64: identification and control rules.
 *
 * Sources: Arm Architecture Reference Manual DDI 0487, D13 (PMUv3: PMEVTYPERn_EL0, PMCCFILTR_EL0),
 * D19 (MIDR_EL1); part numbers: the cores' Technical Reference Manuals, and of other implementers
 * Linux's tools/perf/pmu-events/arch/arm64/mapfile.csv, which has Neoverse V3AE's for V3's;
 * arch/arm64/include/asm/cputype.h. Arm's lists (ARM-software/data) of
 * Cortex-A65AE, A76AE, A78C and Neoverse V3AE are those of the processors without AE and C.
 */
#include "arch/arm64/arm64.h"
#include "arch/arm64/pmuv3.h"

/* clang-format off */
static const struct core {
	uint8_t implementer;	/* MIDR_EL1 bits 31-24 */
	uint16_t part;		/* 15-4 */
	char id[16];
	char name[24];
} cores[] = {
	{ 0, 0, "pmuv3", "arm64 with PMUv3" }, /* any other one */
	/* No list of their events has been published. */
	{ 0x41, 0xD42, "pmuv3", "Arm Cortex-A78AE" },
	{ 0x41, 0xD85, "pmuv3", "Arm Cortex-X925" },
	{ 0x41, 0xD87, "pmuv3", "Arm Cortex-A725" },
	{ 0x41, 0xD88, "pmuv3", "Arm Cortex-A520AE" },
	{ 0x41, 0xD89, "pmuv3", "Arm Cortex-A720AE" },
	{ 0x41, 0xD8A, "pmuv3", "Arm C1-Nano" },
	{ 0x41, 0xD8B, "pmuv3", "Arm C1-Pro" },
	{ 0x41, 0xD8C, "pmuv3", "Arm C1-Ultra" },
	{ 0x41, 0xD90, "pmuv3", "Arm C1-Premium" },
	{ 0x41, 0xD02, "cortex-a34", "Arm Cortex-A34" },
	{ 0x41, 0xD03, "cortex-a53", "Arm Cortex-A53" },
	{ 0x42, 0x100, "cortex-a53", "Broadcom Brahma-B53" },
	{ 0x41, 0xD04, "cortex-a35", "Arm Cortex-A35" },
	{ 0x41, 0xD05, "cortex-a55", "Arm Cortex-A55" },
	{ 0x41, 0xD06, "cortex-a65", "Arm Cortex-A65" },
	{ 0x41, 0xD43, "cortex-a65", "Arm Cortex-A65AE" },
	{ 0x41, 0xD4A, "cortex-a65", "Arm Neoverse E1" },
	{ 0x41, 0xD07, "cortex-a57", "Arm Cortex-A57" },
	{ 0x41, 0xD08, "cortex-a72", "Arm Cortex-A72" },
	{ 0x41, 0xD09, "cortex-a73", "Arm Cortex-A73" },
	{ 0x41, 0xD0A, "cortex-a75", "Arm Cortex-A75" },
	{ 0x41, 0xD0B, "cortex-a76", "Arm Cortex-A76" },
	{ 0x41, 0xD0E, "cortex-a76", "Arm Cortex-A76AE" },
	{ 0x41, 0xD0C, "neoverse-n1", "Arm Neoverse N1" },
	{ 0x41, 0xD0D, "cortex-a77", "Arm Cortex-A77" },
	{ 0x41, 0xD40, "neoverse-v1", "Arm Neoverse V1" },
	{ 0x41, 0xD41, "cortex-a78", "Arm Cortex-A78" },
	{ 0x41, 0xD4B, "cortex-a78", "Arm Cortex-A78C" },
	{ 0x41, 0xD44, "cortex-x1", "Arm Cortex-X1" },
	{ 0x41, 0xD4C, "cortex-x1c", "Arm Cortex-X1C" },
	{ 0x41, 0xD46, "cortex-a510", "Arm Cortex-A510" },
	{ 0x41, 0xD47, "cortex-a710", "Arm Cortex-A710" },
	{ 0x41, 0xD48, "cortex-x2", "Arm Cortex-X2" },
	{ 0x41, 0xD49, "neoverse-n2", "Arm Neoverse N2" },
	{ 0x6D, 0xD49, "neoverse-n2", "Azure Cobalt 100" }, /* an N2: Linux's cputype.h */
	{ 0x41, 0xD4D, "cortex-a715", "Arm Cortex-A715" },
	{ 0x41, 0xD4E, "cortex-x3", "Arm Cortex-X3" },
	{ 0x41, 0xD4F, "neoverse-v2", "Arm Neoverse V2" },
	{ 0x41, 0xD80, "cortex-a520", "Arm Cortex-A520" },
	{ 0x41, 0xD81, "cortex-a720", "Arm Cortex-A720" },
	{ 0x41, 0xD82, "cortex-x4", "Arm Cortex-X4" },
	{ 0x41, 0xD84, "neoverse-v3", "Arm Neoverse V3" },
	{ 0x41, 0xD83, "neoverse-v3", "Arm Neoverse V3AE" },
	{ 0x41, 0xD8E, "neoverse-n3", "Arm Neoverse N3" },
	{ 0x43, 0x0AF, "thunderx2", "Marvell ThunderX2" },
	{ 0x42, 0x516, "thunderx2", "Broadcom Vulcan" },
	{ 0x46, 0x001, "a64fx", "Fujitsu A64FX" },
	{ 0x46, 0x003, "monaka", "Fujitsu MONAKA" },
	{ 0x48, 0xD01, "kunpeng-920", "HiSilicon Kunpeng 920" },
	{ 0x4E, 0x010, "olympus", "NVIDIA Olympus" },
	{ 0x50, 0x000, "emag", "Ampere eMAG" },
	{ 0xC0, 0xAC3, "ampereone", "Ampere AmpereOne" },
	{ 0xC0, 0xAC4, "ampereonex", "Ampere AmpereOneX" },
};
/* clang-format on */

#define CORES (sizeof(cores) / sizeof(cores[0]))

int perfctr_arm64_typical(unsigned int n, struct perfctr_cpu *cpu)
{
	if (n >= CORES)
		return -1;
	*cpu = (struct perfctr_cpu){
		.name = cores[n].name,
		.id = cores[n].id,
		.type = PERFCTR_ARM64_PMUV3,
		.rules = PERFCTR_RULES_PMUV3,
		.counters = 0x3F | 1u << PMU_CYCLES,
		.width = 32,
		.pcint = 1,
	};
	return 0;
}

/*
 * Apple's processors have a PMU of their own, whose events' codes mean others than PMUv3's (Linux's
 * drivers/perf/apple_m1_cpu_pmu.c). Only the kernel knows its events.
 */
static const struct perfctr_cpu apple = {
	.name = "Apple silicon, with a PMU of its own",
	.id = "",
	.type = PERFCTR_GENERIC,
	.rules = PERFCTR_RULES_KERNEL,
	.counters = 0xFFFFFFFF,
	.width = 64,
	.pcint = 1,
};

void perfctr_arm64_identify(uint64_t midr, unsigned int counters, struct perfctr_cpu *cpu)
{
	unsigned int n;

	if ((midr >> 24 & 0xFF) == 0x61) {
		*cpu = apple;
		return;
	}
	for (n = CORES - 1; n > 0; n--)
		if (cores[n].implementer == (midr >> 24 & 0xFF) &&
		    cores[n].part == (midr >> 4 & 0xFFF))
			break;
	perfctr_arm64_typical(n, cpu);
	cpu->counters = (uint32_t)perfctr_mask(counters) | 1u << PMU_CYCLES;
}

uint32_t perfctr_arm64_register(const struct perfctr_cpu *cpu, unsigned int slot)
{
	switch (slot) {
	case PMU_SLOT_PMINTEN: return PMU_PMINTEN;
	case PMU_SLOT_PMCNTEN: return PMU_PMCNTEN;
	}
	return slot < 32 && cpu->counters >> slot & 1 ? slot + 1 : 0;
}

static int check_pmuv3(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		       unsigned int i, struct perfctr_diagnosis *diagnosis)
{
	uint32_t bits = c->evntsel[i] & ~(PMEVTYPER_P | PMEVTYPER_U | 0xFFFFu);

	if (bits)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, bits,
					"only P (31), U (30) and the event (15-0) may be set");
	if ((c->evntsel[i] & (PMEVTYPER_P | PMEVTYPER_U)) == (PMEVTYPER_P | PMEVTYPER_U))
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, PMEVTYPER_P | PMEVTYPER_U,
					"P and U together exclude everything");
	if (c->evntsel_high[i])
		return perfctr_diagnose(diagnosis, "evntsel_high", (int)i, c->evntsel_high[i],
					"the upper half must be zero");
	if (c->pmc_map[i] > PMU_CYCLES)
		return perfctr_diagnose(diagnosis, "pmc_map", (int)i, c->pmc_map[i],
					"counters are 0 to 30, and 31 for cycles");
	if (c->pmc_map[i] == PMU_CYCLES && (c->evntsel[i] & 0xFFFF) != 0x11)
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, c->evntsel[i] & 0xFFFF,
					"counter 31 counts cycles only (event 0x11)");
	return perfctr_check_counter(cpu, c, i, diagnosis);
}

/* Compiles counter i: its event, and its registers. */
static void compile_counter(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
			    unsigned int i, struct perfctr_program *program)
{
	uint32_t pmc = c->pmc_map[i];
	/* The cycle counter's filter has no event number. */
	uint32_t value = pmc == PMU_CYCLES ? c->evntsel[i] & ~0xFFFFu : c->evntsel[i];

	perfctr_program_write(program, pmc, pmc + 1, value, value);
	program->privileged |= !(c->evntsel[i] & PMEVTYPER_P);
	program->counter[i].reg = pmc;
	program->counter[i].mask = perfctr_mask(pmc == PMU_CYCLES ? 64 : cpu->width);
	program->counter[i].ack = (uint64_t)1 << pmc;
}

/*
 * Compiles the enable registers of counters and of their interrupts: i-mode counters stop while
 * their thread does not run.
 */
static void compile_enables(const struct perfctr_cpu_control *c, struct perfctr_program *program)
{
	uint64_t all = 0, imode = 0;
	unsigned int i;

	for (i = 0; i < program->nrctrs; i++) {
		all |= program->counter[i].ack;
		imode |= i < c->nractrs ? 0 : program->counter[i].ack;
	}
	perfctr_program_write(program, PMU_SLOT_PMINTEN, PMU_PMINTEN, imode, 0);
	perfctr_program_write(program, PMU_SLOT_PMCNTEN, PMU_PMCNTEN, all, all & ~imode);
}

int perfctr_arm64_compile(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
			  struct perfctr_program *program, struct perfctr_diagnosis *diagnosis)
{
	const struct perfctr_cpu_control *c = control;
	unsigned int i;

	(void)flags;
	if (perfctr_check_common(cpu, c, 1, program, diagnosis) < 0)
		return -1;
	program->by_register = 1;
	program->ack_reg = PMU_PMOVSCLR;
	for (i = 0; i < program->nrctrs; i++) {
		if (check_pmuv3(cpu, c, i, diagnosis) < 0)
			return -1;
		compile_counter(cpu, c, i, program);
	}
	if (program->nrctrs)
		compile_enables(c, program);
	return 0;
}
