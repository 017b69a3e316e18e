// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * RISC-V: identification and control rules.
 *
 * Sources: RISC-V Supervisor Binary Interface Specification 2.0, chapter 11 (PMU extension); The
 * RISC-V Instruction Set Manual, volume II (mvendorid, marchid, mimpid; Sscofpmf); their numbers:
 * Linux's tools/perf/pmu-events/arch/riscv/mapfile.csv.
 */
#include "arch/riscv/riscv.h"
#include "arch/riscv/sbi.h"

/*
 * Digits are sets: of the third hexadecimal digit from the right of marchid, which is not in arch
 * then, and of the first one of mimpid; 0: any mimpid.
 */
/* clang-format off */
static const struct core {
	uint32_t vendor;
	uint16_t digits, implementations;
	uint64_t arch;
	char id[12];
	char name[24];
} cores[] = {
	{ 0, 0, 0, 0, "sbi", "RISC-V with SBI PMU" }, /* any other one */
	/* This is also Ky X1. The meaning of its own codes has not been published. */
	{ 0x710, 0, 0, 0x8000000058000001, "sbi", "SpacemiT X60" },
	{ 0x489, 0, 0, 0x8000000000000007, "u74", "SiFive U74" },
	{ 0x489, 0x7FFE, 1 << 7 | 1 << 8 | 1 << 0xA | 1 << 0xC, 0x8000000000000007, "bullet-07", "SiFive Bullet 07" },
	{ 0x489, 0x7FFE, 1 << 0xD, 0x8000000000000007, "bullet-0d", "SiFive Bullet 0D" },
	{ 0x489, 0, 0, 0x8000000000000008, "p550", "SiFive P550" },
	{ 0x489, 0x7E, 1 << 9 | 1 << 0xB, 0x8000000000000008, "p650", "SiFive P650" },
	{ 0x5B7, 0, 0, 0, "c900", "T-Head C906 or C910" },
	{ 0x5B7, 0, 0, 0x80000000090C0D00, "c900", "T-Head C910 or C920" },
};
/* clang-format on */

#define CORES (sizeof(cores) / sizeof(cores[0]))

int perfctr_riscv_typical(unsigned int n, struct perfctr_cpu *cpu)
{
	if (n >= CORES)
		return -1;
	*cpu = (struct perfctr_cpu){
		.name = cores[n].name,
		.id = cores[n].id,
		.type = PERFCTR_RISCV_SBI,
		.rules = PERFCTR_RULES_SBI,
		.counters = ~(1u << SBI_TIME),
		.width = 64,
		.pcint = 1,
	};
	return 0;
}

static int has_implementation(const struct core *core, uint64_t implementation)
{
	while (implementation > 0xF)
		implementation >>= 4;
	return !core->implementations || core->implementations >> implementation & 1;
}

static int is_core(const struct core *core, uint64_t vendor, uint64_t arch, uint64_t implementation)
{
	if (core->digits && core->digits >> (arch >> 8 & 0xF) & 1)
		arch &= ~(uint64_t)0xF00;
	else if (core->digits)
		return 0;
	return core->vendor == vendor && core->arch == arch &&
	       has_implementation(core, implementation);
}

void perfctr_riscv_identify(uint64_t vendor, uint64_t arch, uint64_t implementation, int interrupts,
			    struct perfctr_cpu *cpu)
{
	unsigned int n;

	for (n = CORES - 1; n > 0 && !is_core(&cores[n], vendor, arch, implementation); n--)
		;
	perfctr_riscv_typical(n, cpu);
	cpu->pcint = interrupts != 0;
}

/* A number that the SBI has given, and that perf_events has a name for. */
static int is_general(uint32_t event)
{
	switch (SBI_TYPE(event)) {
	case SBI_TYPE_HARDWARE: return event >= 1 && event <= SBI_HARDWARE_LAST;
	case SBI_TYPE_CACHE:
		return SBI_CACHE_ID(event) < SBI_CACHE_IDS && SBI_CACHE_OP(event) < SBI_CACHE_OPS;
	case SBI_TYPE_FIRMWARE: return (event & 0xFFFF) < SBI_FIRMWARE_EVENTS;
	default: return 0;
	}
}

static int check_event(const struct perfctr_cpu_control *c, unsigned int i,
		       struct perfctr_diagnosis *diagnosis)
{
	uint32_t high = c->evntsel_high[i];
	uint32_t other = high &
			 ~(SBI_SINH | SBI_UINH | (high & SBI_GENERAL ? SBI_GENERAL : SBI_RAW));

	if (other)
		return perfctr_diagnose(diagnosis, "evntsel_high", (int)i, other,
					"only SINH (29), UINH (28), and either the SBI's mark (24) "
					"or bits 47-32 of a code (15-0) may be set");
	if ((high & SBI_SINH) && (high & SBI_UINH))
		return perfctr_diagnose(diagnosis, "evntsel_high", (int)i, SBI_SINH | SBI_UINH,
					"SINH and UINH together exclude everything");
	if (high & SBI_GENERAL && !is_general(c->evntsel[i]))
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, c->evntsel[i],
					"the SBI has no hardware or cache event of this number, "
					"and no firmware event");
	if (high & SBI_GENERAL && high & (SBI_SINH | SBI_UINH) &&
	    SBI_TYPE(c->evntsel[i]) == SBI_TYPE_FIRMWARE)
		return perfctr_diagnose(diagnosis, "evntsel_high", (int)i,
					high & (SBI_SINH | SBI_UINH),
					"a firmware event counts in all modes");
	return 0;
}

/* The first counters count one thing each, and the clock is none. */
static int check_place(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		       unsigned int i, struct perfctr_diagnosis *diagnosis)
{
	uint32_t pmc = c->pmc_map[i];
	int general = (c->evntsel_high[i] & SBI_GENERAL) != 0;

	if (pmc == SBI_CYCLE && !(general && c->evntsel[i] == SBI_CPU_CYCLES))
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, c->evntsel[i],
					"counter 0 counts cycles only (the SBI's event 1)");
	if (pmc == SBI_INSTRET && !(general && c->evntsel[i] == SBI_INSTRUCTIONS))
		return perfctr_diagnose(diagnosis, "evntsel", (int)i, c->evntsel[i],
					"counter 2 counts instructions only (the SBI's event 2)");
	return perfctr_check_counter(cpu, c, i, diagnosis);
}

/* There are no registers to write: the firmware owns them, and places the kernel's events. */
int perfctr_riscv_compile(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
			  struct perfctr_program *program, struct perfctr_diagnosis *diagnosis)
{
	const struct perfctr_cpu_control *c = control;
	unsigned int i;

	(void)flags;
	if (perfctr_check_common(cpu, c, 1, program, diagnosis) < 0)
		return -1;
	for (i = 0; i < program->nrctrs; i++) {
		if (check_event(c, i, diagnosis) < 0 || check_place(cpu, c, i, diagnosis) < 0)
			return -1;
		program->privileged |= !(c->evntsel_high[i] & SBI_SINH);
	}
	return 0;
}
