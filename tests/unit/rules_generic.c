// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The control rules of PMUv3, and of the ISAs whose controls are the kernel's raw codes, and the
 * rules that RISC-V and POWER have in common with them, on any host: for each diagnosis, a valid
 * control broken in that one place, and one that stays just inside.
 *
 * Numbers are written from the Arm ARM (DDI 0487, PMEVTYPERn_EL0, PMCCFILTR_EL0), not from arch/.
 */
#include <perfctr/abi-generic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"

#include "tests/unit/rules.h"

static struct tested tested = { &perfctr_arm64, perfctr_arm64_register, NULL, 0 };

#define P	 0x80000000u /* not in EL1 */
#define U	 0x40000000u /* not in EL0 */
#define MASK32	 0xFFFFFFFFull
#define CYCLES	 31
#define PMOVSCLR 33 /* what the driver calls these registers */
#define PMINTEN	 34
#define PMCNTEN	 35

static struct perfctr_cpu_control amode(unsigned int n, uint32_t evntsel)
{
	struct perfctr_cpu_control c;
	unsigned int i;

	memset(&c, 0, sizeof(c));
	c.tsc_on = 1;
	c.nractrs = n;
	for (i = 0; i < n; i++) {
		c.pmc_map[i] = i;
		c.evntsel[i] = evntsel;
	}
	return c;
}

/* No register of an ISA that has no rules. */
static uint32_t no_register(const struct perfctr_cpu *cpu, unsigned int slot)
{
	(void)cpu;
	(void)slot;
	return 0;
}

static const struct tested arm64 = { &perfctr_arm64, perfctr_arm64_register, NULL, 0 };
static const struct tested raw = { &perfctr_raw, no_register, NULL, 0 };

/* The common rules are the same whatever the family; base has four counters. */
static void common_rules(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *base)
{
	uint32_t first = base->pmc_map[0];

	TRY(cpu, base, { "as it is", { { 0 } }, ACCEPTED },
	    { "nothing", { W(tsc_on, 0), W(nractrs, 0) }, ACCEPTED },
	    { "clock only", { W(nractrs, 0) }, ACCEPTED },
	    { "33 counters",
	      { W(nractrs, 33) },
	      REFUSED("nractrs", -1, 33, "there are not so many counters") },
	    { "4 and 29",
	      { W(nrictrs, 29) },
	      REFUSED("nrictrs", -1, 29, "there are not so many counters") },
	    { "wraps to 0",
	      { W(nrictrs, 0xFFFFFFFC) },
	      REFUSED("nrictrs", -1, 0xFFFFFFFC, "there are not so many counters") },
	    { "wraps to 2",
	      { W(nractrs, 0x80000001), W(nrictrs, 0x80000001) },
	      REFUSED("nractrs", -1, 0x80000001, "there are not so many counters") },
	    { "twice",
	      { W(pmc_map[3], first + 1) },
	      REFUSED("pmc_map", 3, first + 1, "another counter is mapped") },
	    { "any order", { W(pmc_map[0], first + 3), W(pmc_map[3], first) }, ACCEPTED },
	    { "i-mode", { W(nractrs, 3), W(nrictrs, 1), W(ireset[3], 0x80000000) }, ACCEPTED },
	    { "i-mode from -1",
	      { W(nractrs, 3), W(nrictrs, 1), W(ireset[3], 0xFFFFFFFF) },
	      ACCEPTED },
	    { "i-mode from 0",
	      { W(nractrs, 3), W(nrictrs, 1) },
	      REFUSED("ireset", 3, 0, "must be negative") },
	    { "i-mode from 2^31 - 1",
	      { W(nractrs, 3), W(nrictrs, 1), W(ireset[3], 0x7FFFFFFF) },
	      REFUSED("ireset", 3, 0x7FFFFFFF, "must be negative") },
	    { "start of an a-mode counter", { W(ireset[0], 1) }, ACCEPTED },
	    { "reserved 1", { W(_reserved1, 1) }, IGNORED },
	    { "reserved 2", { W(_reserved2, 2) }, IGNORED },
	    { "reserved 3", { W(_reserved3, 4) }, IGNORED },
	    { "reserved 4", { W(_reserved4, 8) }, IGNORED });
}

/* A processor of each ISA that has rules, and what counts on its counters from one on. */
static const struct {
	char id[12];
	uint32_t first, evntsel, high, not_kernel, not_user;
	uint64_t mask;
} all[] = {
	{ "cortex-a53", 0, 0x08, 0, 0, 0, MASK32 },
	{ "u74", 3, 2, 0x01000000, 0x20000000, 0x10000000, UINT64_MAX },
	{ "power9", 0, 2, 0, 0x20000000, 0x10000000, MASK32 },
};

static struct perfctr_cpu_control amode_of(unsigned int k, unsigned int n)
{
	struct perfctr_cpu_control c = amode(n, all[k].evntsel);
	unsigned int i;

	for (i = 0; i < n; i++) {
		c.pmc_map[i] += all[k].first;
		c.evntsel_high[i] = all[k].high;
	}
	return c;
}

START_TEST(common)
{
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(all); k++) {
		struct perfctr_cpu_control c = amode_of(k, 4);
		struct perfctr_cpu cpu = named(all[k].id);

		tested.isa = cpu.isa;
		common_rules(&cpu, &c);
		cpu.pcint = 0;
		TRY(&cpu, &c, { "a-mode without interrupts", { { 0 } }, ACCEPTED },
		    { "i-mode without interrupts",
		      { W(nractrs, 2), W(nrictrs, 2), W(ireset[2], P), W(ireset[3], P) },
		      FORBIDDEN("nrictrs", -1, 2, "can't interrupt") });
		cpu.no_tsc = 1;
		TRY(&cpu, &c,
		    { "no clock", { { 0 } }, REFUSED("tsc_on", -1, 1, "no TSC that can be used") },
		    { "counters alone", { W(tsc_on, 0) }, ACCEPTED });
	}
	tested = arm64;
}
END_TEST

/* The firmware or the kernel has the registers of RISC-V and POWER. */
START_TEST(no_registers)
{
	struct perfctr_program program;
	unsigned int k;

	for (k = 1; k < ARRAY_SIZE(all); k++) {
		struct perfctr_cpu_control c = amode_of(k, 2);
		struct perfctr_cpu cpu = named(all[k].id);

		tested.isa = cpu.isa;
		program = accepted("two", &cpu, &c);
		ck_assert_uint_eq(program.nr_writes, 0);
		ck_assert_uint_eq(program.privileged, 1);
		ck_assert_uint_eq(program.counter[1].map, all[k].first + 1);
		ck_assert_uint_eq(program.counter[1].mask, all[k].mask);
		c.evntsel_high[0] |= all[k].not_kernel;
		ck_assert_uint_eq(accepted("one of them", &cpu, &c).privileged, 1);
		c.evntsel_high[1] |= all[k].not_kernel;
		ck_assert_uint_eq(accepted("neither", &cpu, &c).privileged, 0);
		c.evntsel_high[1] = all[k].high | all[k].not_user;
		ck_assert_uint_eq(accepted("the other", &cpu, &c).privileged, 1);
	}
	tested = arm64;
}
END_TEST

START_TEST(only_a_clock)
{
	struct perfctr_cpu cpu = { .name = "none", .id = "", .rules = PERFCTR_RULES_NONE };
	struct perfctr_cpu_control c = amode(0, 0);
	struct perfctr_program program;

	tested = raw;
	TRY(&cpu, &c, { "clock", { { 0 } }, ACCEPTED }, { "nothing", { W(tsc_on, 0) }, ACCEPTED },
	    { "a-mode", { W(nractrs, 1) }, REFUSED("nractrs", -1, 1, "has no counters") },
	    { "i-mode",
	      { W(nrictrs, 1), W(ireset[0], P) },
	      FORBIDDEN("nrictrs", -1, 1, "has no counters") },
	    { "reserved 1", { W(_reserved1, 1) }, IGNORED });
	program = accepted("clock", &cpu, &c);
	ck_assert_uint_eq(program.nr_writes, 0);
	tested = arm64;
}
END_TEST

/* The kernel's raw codes: the kernel is the judge of all but the common rules. */
START_TEST(raw_codes)
{
	struct perfctr_cpu_control c = amode(2, 0xFFFFFFFF), base = amode(4, 0x08);
	struct perfctr_program program;
	struct perfctr_code code;
	struct perfctr_cpu cpu;
	unsigned int i;

	tested = raw;
	memset(&cpu, 0xFF, sizeof(cpu));
	perfctr_raw_identify(&cpu);
	ck_assert_str_eq(cpu.name, "Generic processor with a clock");
	ck_assert_str_eq(cpu.id, "");
	ck_assert_uint_eq(cpu.type, PERFCTR_GENERIC);
	ck_assert_uint_eq(cpu.counters, 0xFFFFFFFF);
	ck_assert_uint_eq(cpu.width, 64);
	common_rules(&cpu, &base);
	SWEEP(&cpu, &c, evntsel, 0, 0, 0, "");
	SWEEP(&cpu, &c, evntsel_high, 1, 0, 0, "");
	SWEEP(&cpu, &c, pmc_map, 1, 0, 0, "");
	TRY(&cpu, &c, { "zero", { W(evntsel[0], 0), W(evntsel[1], 0) }, ACCEPTED },
	    { "all", { W(evntsel_high[0], 0xFFFFFFFF), W(evntsel_high[1], 0xFFFFFFFF) }, ACCEPTED },
	    { "any numbers", { W(pmc_map[0], 0xFFFFFFFF), W(pmc_map[1], 0x12345678) }, ACCEPTED },
	    { "twice any",
	      { W(pmc_map[0], 0x12345678), W(pmc_map[1], 0x12345678) },
	      REFUSED("pmc_map", 1, 0x12345678, "another counter is mapped") });
	c = amode(32, 0xFFFFFFFF);
	c.nractrs = 16;
	c.nrictrs = 16;
	for (i = 16; i < 32; i++)
		c.ireset[i] = -(int)i;
	program = accepted("32", &cpu, &c);
	ck_assert_uint_eq(program.nr_writes, 0);
	ck_assert_uint_eq(program.ack_reg, 0);
	for (i = 0; i < 32; i++) {
		ck_assert_uint_eq(program.counter[i].map, i);
		ck_assert_uint_eq(program.counter[i].reg, 0);
		ck_assert_uint_eq(program.counter[i].mask, ~0ull);
		ck_assert_uint_eq(program.counter[i].ireset, (uint32_t)c.ireset[i]);
	}
	c.pmc_map[1] = 0x12345678;
	c.evntsel_high[1] = 7;
	perfctr_raw.control_code(&cpu, &c, 1, &code);
	ck_assert_uint_eq(code.map, 0x12345678);
	ck_assert_uint_eq(code.evntsel, 0xFFFFFFFF);
	ck_assert_uint_eq(code.high, 7);
	ck_assert_uint_eq(code.value, 0);
	tested = arm64;
}
END_TEST

START_TEST(pmuv3)
{
	static const char *const ids[] = { "cortex-a53", "neoverse-n1", "pmuv3" };
	struct perfctr_cpu_control c = amode(2, 0x08);
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(ids); k++) {
		struct perfctr_cpu cpu = named(ids[k]);

		SWEEP(&cpu, &c, evntsel, 0, 0x3FFF0000, 0, "only P (31), U (30) and the event");
		SWEEP(&cpu, &c, evntsel, 1, 0x3FFF0000, 0, "only P (31), U (30) and the event");
		SWEEP(&cpu, &c, evntsel_high, 1, 0xFFFFFFFF, 0, "the upper half must be zero");
		TRY(&cpu, &c,
		    { "all events", { W(evntsel[0], 0), W(evntsel[1], 0xFFFF) }, ACCEPTED },
		    { "all reserved bits",
		      { W(evntsel[1], 0xFFFFFFFF) },
		      REFUSED("evntsel", 1, 0x3FFF0000, "only P (31), U (30)") },
		    { "user only", { W(evntsel[1], P | 0x11) }, ACCEPTED },
		    { "kernel only", { W(evntsel[1], U | 0x11) }, ACCEPTED },
		    { "neither",
		      { W(evntsel[1], P | U | 0x11) },
		      REFUSED("evntsel", 1, P | U, "P and U together exclude everything") },
		    { "counter 5", { W(pmc_map[1], 5) }, ACCEPTED },
		    { "counter 6",
		      { W(pmc_map[1], 6) },
		      REFUSED("pmc_map", 1, 6, "no such counter") },
		    { "counter 30",
		      { W(pmc_map[1], 30) },
		      REFUSED("pmc_map", 1, 30, "no such counter") },
		    { "counter 32",
		      { W(pmc_map[1], 32) },
		      REFUSED("pmc_map", 1, 32, "counters are 0 to 30, and 31 for cycles") },
		    { "counter 2^32 - 1",
		      { W(pmc_map[1], 0xFFFFFFFF) },
		      REFUSED("pmc_map", 1, 0xFFFFFFFF, "counters are 0 to 30") },
		    { "cycles", { W(pmc_map[1], CYCLES), W(evntsel[1], 0x11) }, ACCEPTED },
		    { "cycles of user",
		      { W(pmc_map[1], CYCLES), W(evntsel[1], P | 0x11) },
		      ACCEPTED },
		    { "other than cycles",
		      { W(pmc_map[1], CYCLES) },
		      REFUSED("evntsel", 1, 0x08, "counter 31 counts cycles only") },
		    { "nearly cycles",
		      { W(pmc_map[1], CYCLES), W(evntsel[1], P | 0x15) },
		      REFUSED("evntsel", 1, 0x15, "counter 31 counts cycles only") },
		    { "no event",
		      { W(pmc_map[1], CYCLES), W(evntsel[1], U) },
		      REFUSED("evntsel", 1, 0, "counter 31 counts cycles only") },
		    { "cycles elsewhere", { W(evntsel[1], 0x11) }, ACCEPTED },
		    { "cycles twice",
		      { W(pmc_map[0], CYCLES), W(pmc_map[1], CYCLES) },
		      REFUSED("pmc_map", 1, CYCLES, "another counter is mapped") });
	}
}
END_TEST

/* PMCR_EL0.N says how many event counters there are. */
START_TEST(pmuv3_counters)
{
	struct perfctr_cpu_control c = amode(1, 0x11);
	struct perfctr_cpu cpu;
	unsigned int n, i;

	for (n = 0; n < 32; n++) {
		perfctr_arm64_identify(0x410FD034, n, &cpu);
		for (i = 0; i < 32; i++) {
			c.pmc_map[0] = i;
			if (i < n || i == CYCLES)
				accepted("counter", &cpu, &c);
			else
				refused("counter", &cpu, &c, "pmc_map", 0, i, "no such counter");
			ck_assert_uint_eq(perfctr_arm64_register(&cpu, i),
					  i < n || i == CYCLES ? i + 1 : 0);
		}
		ck_assert_uint_eq(perfctr_arm64_register(&cpu, 32), PMINTEN);
		ck_assert_uint_eq(perfctr_arm64_register(&cpu, 33), PMCNTEN);
		ck_assert_uint_eq(perfctr_arm64_register(&cpu, 34), 0);
	}
}
END_TEST

START_TEST(pmuv3_programs)
{
	struct perfctr_cpu_control c = amode(4, 0x08);
	struct perfctr_cpu cpu = named("cortex-a53");
	struct perfctr_program program;

	REGISTERS(&cpu, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		  0, 0, 0, 0, 0, 0, 32, PMINTEN, PMCNTEN);
	c.nractrs = 2;
	c.nrictrs = 2;
	c.pmc_map[0] = 5;
	c.pmc_map[1] = CYCLES;
	c.evntsel[1] = P | 0x11;
	c.pmc_map[2] = 1;
	c.evntsel[2] = U | 0x1B;
	c.ireset[2] = -3;
	c.pmc_map[3] = 2;
	c.evntsel[3] = 0x10;
	c.ireset[3] = -4;
	program = accepted("program", &cpu, &c);
	/* The cycle counter's filter has no event; i-mode counters are disabled to stop. */
	WRITES(&program, { 5, 6, 0x08, 0x08 }, { 31, 32, P, P }, { 1, 2, U | 0x1B, U | 0x1B },
	       { 2, 3, 0x10, 0x10 }, { 32, PMINTEN, 0x6, 0 },
	       { 33, PMCNTEN, 0x80000026, 0x80000020 });
	COUNTERS(&program, { 5, 5, MASK32, 1u << 5, 0 }, { CYCLES, CYCLES, ~0ull, 1u << 31, 0 },
		 { 1, 1, MASK32, 2, (uint32_t)-3 }, { 2, 2, MASK32, 4, (uint32_t)-4 });
	ck_assert_uint_eq(program.ack_reg, PMOVSCLR);
	ck_assert_uint_eq(program.by_register, 1);

	c = amode(1, 0x11);
	c.pmc_map[0] = CYCLES;
	c.nractrs = 0;
	c.nrictrs = 1;
	c.ireset[0] = -1;
	program = accepted("i-mode cycles", &cpu, &c);
	WRITES(&program, { 31, 32, 0, 0 }, { 32, PMINTEN, 1u << 31, 0 },
	       { 33, PMCNTEN, 1u << 31, 0 });
	COUNTERS(&program, { CYCLES, CYCLES, ~0ull, 1u << 31, 0xFFFFFFFF });

	c = amode(0, 0);
	program = accepted("clock only", &cpu, &c);
	ck_assert_uint_eq(program.nr_writes, 0);
}
END_TEST

START_TEST(every_processor)
{
	struct perfctr_cpu_control c = amode(2, 0x11);
	const char *id;
	unsigned int n;

	for (n = 0; (id = perfctr_isa_id(&perfctr_arm64, n)) != NULL; n++) {
		struct perfctr_cpu cpu = named(id);

		ck_assert_uint_eq(cpu.type, PERFCTR_ARM64_PMUV3);
		ck_assert_uint_gt(accepted("every", &cpu, &c).nr_writes, 0);
	}
	ck_assert_uint_gt(n, 20);
}
END_TEST

/* P, bit 31, keeps EL1 out. */
START_TEST(privileged)
{
	static const uint32_t levels[][3] = {
		{ 0x08, 0x08, 1 },  { P | 0x08, 0x08, 1 },     { 0x08, P | 0x08, 1 },
		{ U | 0x08, P, 1 }, { P | 0x08, P | 0x1B, 0 },
	};
	struct perfctr_cpu_control c = amode(2, 0);
	struct perfctr_cpu cpu = named("cortex-a53");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		c.evntsel[0] = levels[i][0];
		c.evntsel[1] = levels[i][1];
		ck_assert_uint_eq(accepted("levels", &cpu, &c).privileged, levels[i][2]);
	}
}
END_TEST

START_TEST(typical)
{
	static const struct {
		const struct perfctr_isa *isa;
		const char *first; /* its id */
		uint32_t type, rules, counters, width;
	} expected[] = {
		{ &perfctr_arm64, "pmuv3", PERFCTR_ARM64_PMUV3, PERFCTR_RULES_PMUV3, 0x8000003F,
		  32 },
		{ &perfctr_riscv, "sbi", PERFCTR_RISCV_SBI, PERFCTR_RULES_SBI, 0xFFFFFFFD, 64 },
		{ &perfctr_power, "power8", PERFCTR_POWER_ISA207, PERFCTR_RULES_POWER, 0x3F, 32 },
	};
	struct perfctr_cpu cpu;
	unsigned int k, n;
	const char *id;

	for (k = 0; k < ARRAY_SIZE(expected); k++) {
		for (n = 0; (id = perfctr_isa_id(expected[k].isa, n)) != NULL; n++) {
			memset(&cpu, 0xFF, sizeof(cpu));
			ck_assert_int_eq(perfctr_cpu_named(id, &cpu), 0);
			ck_assert_ptr_eq(cpu.isa, expected[k].isa);
			ck_assert_str_eq(cpu.id, id);
			ck_assert_uint_eq(cpu.type, expected[k].type);
			ck_assert_uint_eq(cpu.rules, expected[k].rules);
			ck_assert_uint_eq(cpu.counters, expected[k].counters);
			ck_assert_uint_eq(cpu.width, expected[k].width);
			ck_assert_uint_eq(cpu.pcint, 1);
			ck_assert_uint_eq(cpu.no_tsc, 0);
			ck_assert_uint_eq(cpu.no_rdpmc, 0);
		}
		ck_assert_uint_ge(n, 3);
		for (n = 0; n <= PERFCTR_POWER_ISA207; n++) {
			id = perfctr_isa_type_id(expected[k].isa, n);
			if (n == expected[k].type)
				ck_assert_str_eq(id, expected[k].first);
			else
				ck_assert_ptr_null(id);
		}
	}
}
END_TEST

/* They have the same types, of which each is one's. */
START_TEST(types)
{
	static const char *const names[] = {
		"Generic processor with a clock",
		"arm64 with PMUv3",
		"RISC-V with SBI PMU",
		"POWER with the PMU of ISA 2.07",
	};
	static const struct perfctr_isa *const isas[] = { &perfctr_arm64, &perfctr_riscv,
							  &perfctr_power, &perfctr_raw };
	unsigned int k, type;

	for (k = 0; k < ARRAY_SIZE(isas); k++) {
		for (type = 0; type < ARRAY_SIZE(names); type++)
			ck_assert_str_eq(perfctr_isa_type_name(isas[k], type), names[type]);
		ck_assert_ptr_null(perfctr_isa_type_name(isas[k], type));
		ck_assert_ptr_null(perfctr_isa_type_name(isas[k], UINT32_MAX));
	}
}
END_TEST

START_TEST(fields)
{
	struct perfctr_cpu arm = named("cortex-a53"), native;

	FIELDS(&arm, MEMBER(tsc_on, 0), MEMBER(nractrs, 0), MEMBER(nrictrs, 0), MEMBER(pmc_map, 32),
	       MEMBER(evntsel, 32), MEMBER(evntsel_high, 32), MEMBER(ireset, 32));
	tested = raw;
	perfctr_raw_identify(&native);
	FIELDS(&native, MEMBER(tsc_on, 0), MEMBER(nractrs, 0), MEMBER(nrictrs, 0),
	       MEMBER(pmc_map, 32), MEMBER(evntsel, 32), MEMBER(evntsel_high, 32),
	       MEMBER(ireset, 32));
	tested = arm64;
}
END_TEST

UNIT_MAIN("rules_generic", 60, common, no_registers, only_a_clock, raw_codes, pmuv3, pmuv3_counters,
	  pmuv3_programs, every_processor, privileged, typical, types, fields)
