// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The control rules of x86, on any host: for each sentence of "PERFCTRS X86 LOW-LEVEL API" and each
 * diagnosis, a valid control broken in that one place, and one that stays just inside.
 *
 * Numbers are written from the manuals, not from arch/: Intel SDM vol. 3B chapter 20 and vol. 4,
 * AMD APM vol. 2 13.2, and the BKDGs.
 */
#include <linux/perf_event.h>
#include <perfctr/abi-x86.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "arch/x86/p4.h"

#define USR_OS 0x00030000u
#define INT    0x00100000u
#define ENABLE 0x00400000u
#define FIXED  0x40000000u
#define MASK40 0xFFFFFFFFFFull
#define MASK48 0xFFFFFFFFFFFFull
#define FAST   0x80000000u

#include "tests/unit/rules.h"

static struct tested tested = { &perfctr_x86, perfctr_x86_register, perfctr_x86_setup, 0 };

#define EXTENDED PERFCTR_COMPILE_EXTENDED

/* One of the writes. */
static void writes_has(const struct perfctr_program *p, uint32_t slot, uint32_t reg, uint64_t value,
		       uint64_t stopped)
{
	unsigned int i;

	for (i = 0; i < p->nr_writes && p->write[i].slot != slot; i++)
		;
	ck_assert_msg(i < p->nr_writes, "no write of slot %u", slot);
	ck_assert_uint_eq(p->write[i].reg, reg);
	ck_assert_uint_eq(p->write[i].value, value);
	ck_assert_uint_eq(p->write[i].stopped, stopped);
}

/* n a-mode counters, on the first counters, with the same event select. */
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

/* ---- rules of all ---- */

START_TEST(common)
{
	struct perfctr_cpu cpu = named("skylake");
	struct perfctr_cpu_control c = amode(4, 0x004300C0);

	cpu.frontend = 0;
	cpu.offcore = cpu.offcore_width = 0;
	TRY(&cpu, &c, { "as it is", { { 0 } }, ACCEPTED },
	    { "nothing", { W(tsc_on, 0), W(nractrs, 0) }, ACCEPTED },
	    { "TSC only", { W(nractrs, 0) }, ACCEPTED },
	    { "any non-zero tsc_on", { W(tsc_on, 0x80000000) }, ACCEPTED },
	    { "19 counters",
	      { W(nractrs, 19) },
	      REFUSED("nractrs", -1, 19, "there are not so many counters") },
	    { "2^32 - 1",
	      { W(nractrs, 0xFFFFFFFF) },
	      REFUSED("nractrs", -1, 0xFFFFFFFF, "there are not so many counters") },
	    { "4 and 15",
	      { W(nrictrs, 15) },
	      REFUSED("nrictrs", -1, 15, "there are not so many counters") },
	    { "19 i-mode counters",
	      { W(nractrs, 0), W(nrictrs, 19) },
	      REFUSED("nrictrs", -1, 19, "there are not so many counters") },
	    { "18 and 1",
	      { W(nractrs, 18), W(nrictrs, 1) },
	      REFUSED("nrictrs", -1, 1, "there are not so many counters") },
	    /* The sum is 0, 3, and 18. */
	    { "wraps to 0",
	      { W(nrictrs, 0xFFFFFFFC) },
	      REFUSED("nrictrs", -1, 0xFFFFFFFC, "there are not so many counters") },
	    { "wraps to 3",
	      { W(nrictrs, 0xFFFFFFFF) },
	      REFUSED("nrictrs", -1, 0xFFFFFFFF, "there are not so many counters") },
	    { "both large",
	      { W(nractrs, 0x80000009), W(nrictrs, 0x80000009) },
	      REFUSED("nractrs", -1, 0x80000009, "there are not so many counters") },
	    { "18 counters, but the fifth is none",
	      { W(nractrs, 5), W(pmc_map[4], 4), W(evntsel[4], 0x4300C0) },
	      REFUSED("pmc_map", 4, 4, "no such counter") },
	    { "twice",
	      { W(pmc_map[3], 1) },
	      REFUSED("pmc_map", 3, 1, "another counter is mapped") },
	    { "the first twice",
	      { W(pmc_map[1], 0) },
	      REFUSED("pmc_map", 1, 0, "another counter is mapped") },
	    { "a-mode and i-mode twice",
	      { W(nractrs, 3), W(nrictrs, 1), W(pmc_map[3], 2), W(evntsel[3], 0x5300C0),
		W(ireset[3], 0x80000000) },
	      REFUSED("pmc_map", 3, 2, "another counter is mapped") },
	    { "twice, but not in use", { W(nractrs, 3), W(pmc_map[3], 2) }, ACCEPTED },
	    { "any order", { W(pmc_map[0], 3), W(pmc_map[3], 0) }, ACCEPTED },
	    { "counter 31", { W(pmc_map[3], 31) }, REFUSED("pmc_map", 3, 31, "no such counter") },
	    { "counter 32", { W(pmc_map[3], 32) }, REFUSED("pmc_map", 3, 32, "no such counter") },
	    { "counter 2^32 - 1",
	      { W(pmc_map[3], 0xFFFFFFFF) },
	      REFUSED("pmc_map", 3, 0xFFFFFFFF, "no such fixed counter") },
	    { "an i-mode start of -1",
	      { W(nractrs, 3), W(nrictrs, 1), W(evntsel[3], 0x5300C0), W(ireset[3], 0xFFFFFFFF) },
	      ACCEPTED },
	    { "an i-mode start of -2^31",
	      { W(nractrs, 3), W(nrictrs, 1), W(evntsel[3], 0x5300C0), W(ireset[3], 0x80000000) },
	      ACCEPTED },
	    { "an i-mode start of 0",
	      { W(nractrs, 3), W(nrictrs, 1), W(evntsel[3], 0x5300C0) },
	      REFUSED("ireset", 3, 0, "must be negative") },
	    { "an i-mode start of 2^31 - 1",
	      { W(nractrs, 3), W(nrictrs, 1), W(evntsel[3], 0x5300C0), W(ireset[3], 0x7FFFFFFF) },
	      REFUSED("ireset", 3, 0x7FFFFFFF, "must be negative") },
	    { "no start of a-mode", { W(ireset[3], 7) }, ACCEPTED },
	    { "reserved 1", { W(_reserved1, 1) }, IGNORED },
	    { "reserved 2", { W(_reserved2, 0x80000000) }, IGNORED },
	    { "reserved 3", { W(_reserved3, 8) }, IGNORED },
	    { "reserved 4", { W(_reserved4, 0xFF) }, IGNORED },
	    { "no offcore response 0", { W(offcore_rsp[0], 1) }, IGNORED },
	    { "no offcore response 1", { W(offcore_rsp[1], 2) }, IGNORED },
	    { "upper half after the last", { W(evntsel_high[4], 1) }, IGNORED },
	    { "upper half of the last place", { W(evntsel_high[17], 1) }, IGNORED },
	    { "upper half", { W(evntsel_high[1], 0x80000000) }, IGNORED });
	cpu.pcint = 0;
	TRY(&cpu, &c, { "a-mode without interrupts", { { 0 } }, ACCEPTED },
	    { "i-mode without interrupts",
	      { W(nractrs, 3), W(nrictrs, 1), W(evntsel[3], 0x5300C0), W(ireset[3], 0x80000000) },
	      FORBIDDEN("nrictrs", -1, 1, "can't interrupt") });
}
END_TEST

START_TEST(generic)
{
	struct perfctr_cpuid nobody = {
		.vendor = "NobodyKnowsI",
		.leaf1_edx = PERFCTR_CPUID_TSC,
	};
	struct perfctr_program program;
	struct perfctr_cpu_control c = amode(0, 0);
	struct perfctr_cpu cpu;

	perfctr_x86_identify(&nobody, &cpu);
	TRY(&cpu, &c, { "TSC", { { 0 } }, ACCEPTED },
	    { "nothing, as at the end", { W(tsc_on, 0) }, ACCEPTED },
	    { "a-mode", { W(nractrs, 1) }, REFUSED("nractrs", -1, 1, "only the TSC") },
	    { "18", { W(nractrs, 18) }, REFUSED("nractrs", -1, 18, "only the TSC") },
	    { "i-mode",
	      { W(nrictrs, 1), W(ireset[0], 0x80000000) },
	      FORBIDDEN("nrictrs", -1, 1, "only the TSC") },
	    { "upper half", { W(evntsel_high[0], 1) }, IGNORED },
	    { "offcore response", { W(offcore_rsp[0], 1) }, IGNORED },
	    { "reserved", { W(_reserved1, 1) }, IGNORED });
	program = accepted("generic", &cpu, &c);
	ck_assert_uint_eq(program.nr_writes, 0);
	ck_assert_uint_eq(program.ack_reg, 0);
	registers_are(&cpu, NULL, 0);
	setup_is(&cpu, 0, 0);
	nobody.leaf1_edx = 0;
	perfctr_x86_identify(&nobody, &cpu);
	TRY(&cpu, &c,
	    { "not even a TSC", { { 0 } }, REFUSED("tsc_on", -1, 1, "no TSC that can be used") },
	    { "nothing", { W(tsc_on, 0) }, ACCEPTED });
}
END_TEST

/* ---- P5 and its clones ---- */

/* The rules of CESR, a half of which each of the two counters has. */
static void cesr_rules(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *base,
		       uint32_t reserved)
{
	SWEEP_FORBIDDEN(cpu, base, evntsel, 0, reserved, 0, "these bits are reserved");
	SWEEP_FORBIDDEN(cpu, base, evntsel, 1, reserved, 0, "half of CESR");
	TRY(cpu, base,
	    { "all bits", { W(evntsel[0], ~reserved), W(evntsel[1], ~reserved) }, ACCEPTED },
	    { "several reserved bits",
	      { W(evntsel[1], 0xFFFFFFFF) },
	      FORBIDDEN("evntsel", 1, reserved, "reserved") },
	    { "counter 2", { W(pmc_map[1], 2) }, REFUSED("pmc_map", 1, 2, "no such counter") },
	    { "i-mode",
	      { W(nractrs, 1), W(nrictrs, 1), W(ireset[1], 0x80000000) },
	      FORBIDDEN("nrictrs", -1, 1, "can't interrupt") },
	    { "upper half", { W(evntsel_high[1], 0xFFFFFFFF) }, IGNORED });
	REGISTERS(cpu, 0x11);
	setup_is(cpu, 0, 0);
}

START_TEST(p5)
{
	static const char *const ids[] = { "p5", "p5mmx" };
	struct perfctr_cpu_control c = amode(2, 0);
	struct perfctr_program program;
	struct perfctr_cpu cpu;
	unsigned int i;

	c.evntsel[0] = 0x00D6; /* instructions in both rings */
	c.evntsel[1] = 0x018D; /* clocks of bus utilisation, user */
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		cpu = named(ids[i]);
		cesr_rules(&cpu, &c, 0xFFFFFE00);
		TRY(&cpu, &c,
		    { "no CPL", { W(evntsel[0], 0x013F) }, REFUSED("evntsel", 0, 0, "CPL") },
		    { "no CPL of the second",
		      { W(evntsel[1], 0) },
		      REFUSED("evntsel", 1, 0, "a CPL bit (6 kernel, 7 user) must be set") },
		    { "kernel only", { W(evntsel[0], 0x0056) }, ACCEPTED },
		    { "user only", { W(evntsel[0], 0x0096) }, ACCEPTED },
		    { "one", { W(nractrs, 1), W(pmc_map[0], 1) }, ACCEPTED },
		    { "three",
		      { W(nractrs, 3), W(pmc_map[2], 2), W(evntsel[2], 0xC0) },
		      REFUSED("pmc_map", 2, 2, "no such counter") },
		    { "offcore response", { W(offcore_rsp[1], 1) }, IGNORED },
		    { "reserved 4", { W(_reserved4, 1) }, IGNORED });
		program = accepted("program", &cpu, &c);
		WRITES(&program, { 0, 0x11, 0x018D00D6, 0x018D00D6 });
		COUNTERS(&program, { 0, 0x12, MASK40, 0, 0 }, { 1, 0x13, MASK40, 0, 0 });
		ck_assert_uint_eq(program.ack_reg, 0);
		/* The P5 has no RDPMC instruction. */
		ck_assert_uint_eq(program.by_register, i == 0);
	}
	c.pmc_map[0] = 1;
	c.pmc_map[1] = 0;
	program = accepted("exchanged", &cpu, &c);
	WRITES(&program, { 0, 0x11, 0x00D6018D, 0x00D6018D });
	COUNTERS(&program, { 1, 0x13, MASK40, 0, 0 }, { 0, 0x12, MASK40, 0, 0 });
	c.nractrs = 1;
	program = accepted("counter 1 alone", &cpu, &c);
	WRITES(&program, { 0, 0x11, 0x00D60000, 0x00D60000 });
}
END_TEST

START_TEST(mii)
{
	struct perfctr_cpu_control c = amode(2, 0x00C0);
	struct perfctr_cpu cpu = named("mii");
	struct perfctr_program program;

	cesr_rules(&cpu, &c, 0xFFFFFA00);
	TRY(&cpu, &c,
	    { "no CPL",
	      { W(evntsel[1], 0x053F) },
	      REFUSED("evntsel", 1, 0, "a CPL bit (6 kernel") });
	c.evntsel[1] = 0x0582;
	program = accepted("program", &cpu, &c);
	WRITES(&program, { 0, 0x11, 0x058200C0, 0x058200C0 });
	COUNTERS(&program, { 0, 0x12, MASK48, 0, 0 }, { 1, 0x13, MASK48, 0, 0 });
	ck_assert_uint_eq(program.by_register, 0);
}
END_TEST

START_TEST(winchip)
{
	static const char *const ids[] = { "winchip_c6", "winchip_2" };
	struct perfctr_cpu_control c = amode(2, 0x0002);
	struct perfctr_program program;
	struct perfctr_cpu cpu;
	unsigned int i;

	c.tsc_on = 0;
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		cpu = named(ids[i]);
		cesr_rules(&cpu, &c, 0xFFFFFF00);
		TRY(&cpu, &c,
		    { "no CPL bits", { W(evntsel[0], 0), W(evntsel[1], 0xFF) }, ACCEPTED },
		    { "TSC", { W(tsc_on, 1) }, REFUSED("tsc_on", -1, 1, "no TSC") },
		    { "TSC alone",
		      { W(tsc_on, 2), W(nractrs, 0) },
		      REFUSED("tsc_on", -1, 2, "no TSC") });
	}
	c.evntsel[1] = 0x0016;
	program = accepted("program", &cpu, &c);
	WRITES(&program, { 0, 0x11, 0x00160002, 0x00160002 });
	COUNTERS(&program, { 0, 0x12, MASK40, 0, 0 }, { 1, 0x13, MASK40, 0, 0 });
}
END_TEST

/* ---- P6 and C3 ---- */

/*
 * The rules of event selects as the P6 has them, tried on the last place of the base; reserved and
 * high: bits of evntsel[] that don't exist, and of evntsel_high[] that do.
 */
static void event_select_rules(const struct perfctr_cpu *cpu,
			       const struct perfctr_cpu_control *base, uint32_t reserved,
			       uint32_t high)
{
	int i = (int)base->nractrs - 1;
	uint32_t enable = base->evntsel[i] & ENABLE;

	SWEEP_FORBIDDEN(cpu, base, evntsel, 0, reserved, INT, "reserved on this processor");
	SWEEP_FORBIDDEN(cpu, base, evntsel, i, reserved, INT | (ENABLE & ~enable),
			"reserved on this processor");
	if (high)
		SWEEP(cpu, base, evntsel_high, i, ~high, 0, "reserved on this processor");
	else
		TRY(cpu, base, { "upper half", { W(evntsel_high[i], 0xFFFFFFFF) }, IGNORED });
	TRY(cpu, base, { "as it is", { { 0 } }, ACCEPTED },
	    { "user", { W(evntsel[i], enable | 0x000100C0) }, ACCEPTED },
	    { "kernel", { W(evntsel[i], enable | 0x000200C0) }, ACCEPTED },
	    { "no CPL",
	      { W(evntsel[i], enable | 0x000000C0) },
	      REFUSED("evntsel", i, 0, "USR (16) or OS (17) must be set") },
	    { "a-mode that interrupts",
	      { W(evntsel[i], enable | 0x001300C0) },
	      REFUSED("evntsel", i, INT, "bit (20) is for i-mode counters") },
	    { "i-mode that does not",
	      { W(nractrs, base->nractrs - 1), W(nrictrs, 1), W(ireset[i], 0x80000000) },
	      REFUSED("evntsel", i, 0, "an i-mode counter needs the interrupt bit") },
	    { "i-mode",
	      { W(nractrs, base->nractrs - 1), W(nrictrs, 1), W(evntsel[i], enable | 0x001300C0),
		W(ireset[i], 0x80000000) },
	      ACCEPTED },
	    { "i-mode start",
	      { W(nractrs, base->nractrs - 1), W(nrictrs, 1), W(evntsel[i], enable | 0x001300C0) },
	      REFUSED("ireset", i, 0, "must be negative") },
	    { "upper half of an unused place", { W(evntsel_high[i + 1], 1) }, IGNORED });
}

START_TEST(p6)
{
	static const char *const ids[] = { "ppro", "pii", "piii", "pentium_m" };
	struct perfctr_cpu_control c = amode(2, 0x000300C0);
	struct perfctr_program program;
	struct perfctr_cpu cpu;
	unsigned int i;

	c.evntsel[0] |= ENABLE;
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		cpu = named(ids[i]);
		event_select_rules(&cpu, &c, 0x00280000, 0);
		TRY(&cpu, &c,
		    { "all", { W(evntsel[0], 0xFFC7FFFF), W(evntsel[1], 0xFF87FFFF) }, ACCEPTED },
		    { "both reserved",
		      { W(evntsel[1], 0x002B00C0) },
		      FORBIDDEN("evntsel", 1, 0x00280000, "reserved on this processor") },
		    { "0 is not enabled",
		      { W(evntsel[0], 0x000300C0) },
		      REFUSED("evntsel", 0, 0, "of counter 0, which enables both") },
		    { "1 has the enable bit",
		      { W(evntsel[1], 0x004300C0) },
		      FORBIDDEN("evntsel", 1, ENABLE, "reserved but in counter 0's") },
		    { "exchanged",
		      { W(pmc_map[0], 1), W(pmc_map[1], 0), W(evntsel[0], 0x000300C0),
			W(evntsel[1], 0x004300C0) },
		      ACCEPTED },
		    { "0 after 1 is not enabled",
		      { W(pmc_map[0], 1), W(pmc_map[1], 0), W(evntsel[0], 0x000300C0) },
		      REFUSED("evntsel", 1, 0, "of counter 0, which enables both") },
		    { "0 alone", { W(nractrs, 1) }, ACCEPTED },
		    { "1 alone",
		      { W(nractrs, 1), W(pmc_map[0], 1), W(evntsel[0], 0x000300C0) },
		      ACCEPTED },
		    { "1 alone has the enable bit",
		      { W(nractrs, 1), W(pmc_map[0], 1) },
		      FORBIDDEN("evntsel", 0, ENABLE, "reserved but in counter 0's") },
		    { "counter 2",
		      { W(pmc_map[1], 2) },
		      REFUSED("pmc_map", 1, 2, "no such counter") },
		    { "offcore response", { W(offcore_rsp[0], 1) }, IGNORED },
		    { "reserved 2", { W(_reserved2, 1) }, IGNORED });
		REGISTERS(&cpu, 0x186, 0x187);
		setup_is(&cpu, 0, 0);
		program = accepted("program", &cpu, &c);
		WRITES(&program, { 0, 0x186, 0x004300C0, 0x004300C0 },
		       { 1, 0x187, 0x000300C0, 0x000300C0 });
		COUNTERS(&program, { 0, 0xC1, MASK40, 0, 0 }, { 1, 0xC2, MASK40, 0, 0 });
		ck_assert_uint_eq(program.ack_reg, 0);
		ck_assert_uint_eq(program.by_register, 0);
	}
	c.nractrs = c.nrictrs = 1;
	c.pmc_map[0] = 1;
	c.pmc_map[1] = 0;
	c.evntsel[0] = 0x000200C0;
	c.evntsel[1] = 0x00530079;
	c.ireset[0] = 5;
	c.ireset[1] = -1000;
	program = accepted("i-mode", &cpu, &c);
	WRITES(&program, { 1, 0x187, 0x000200C0, 0x000200C0 }, { 0, 0x186, 0x00530079, 0 });
	COUNTERS(&program, { 1, 0xC2, MASK40, 0, 5 }, { 0, 0xC1, MASK40, 0, (uint32_t)-1000 });
	/* Counter 1 alone: counter 0's enable bit lets it count. */
	c.nrictrs = 0;
	program = accepted("counter 1 alone", &cpu, &c);
	WRITES(&program, { 1, 0x187, 0x000200C0, 0x000200C0 }, { 0, 0x186, ENABLE, ENABLE });
	COUNTERS(&program, { 1, 0xC2, MASK40, 0, 5 });
	c.nractrs = 0;
	program = accepted("TSC only", &cpu, &c);
	ck_assert_uint_eq(program.nr_writes, 0);
}
END_TEST

START_TEST(c3)
{
	struct perfctr_cpu_control c = amode(1, 0x01C0);
	struct perfctr_cpu cpu = named("c3");
	struct perfctr_program program;

	c.pmc_map[0] = 1;
	SWEEP_FORBIDDEN(&cpu, &c, evntsel, 0, 0xFFFFFE00, 0, "bits 8-0 only");
	TRY(&cpu, &c, { "no auxiliary bits", { W(evntsel[0], 0x0079) }, ACCEPTED },
	    { "no event", { W(evntsel[0], 0) }, ACCEPTED },
	    { "TSC only", { W(nractrs, 0), W(pmc_map[0], 0) }, ACCEPTED },
	    { "counter 0",
	      { W(pmc_map[0], 0) },
	      REFUSED("pmc_map", 0, 0, "only counter 1 can be programmed") },
	    { "counter 2", { W(pmc_map[0], 2) }, REFUSED("pmc_map", 0, 2, "no such counter") },
	    { "two", { W(nractrs, 2) }, REFUSED("nractrs", -1, 2, "only one programmable") },
	    { "the same two",
	      { W(nractrs, 2), W(pmc_map[1], 1) },
	      REFUSED("pmc_map", 1, 1, "another counter is mapped") },
	    { "P6's event select",
	      { W(evntsel[0], 0x004300C0) },
	      FORBIDDEN("evntsel", 0, 0x00430000, "bits 8-0 only") },
	    { "i-mode",
	      { W(nractrs, 0), W(nrictrs, 1), W(ireset[0], 0x80000000) },
	      FORBIDDEN("nrictrs", -1, 1, "can't interrupt") },
	    { "upper half", { W(evntsel_high[0], 1) }, IGNORED },
	    { "reserved 3", { W(_reserved3, 1) }, IGNORED });
	REGISTERS(&cpu, 0x187);
	setup_is(&cpu, 0, 0);
	program = accepted("program", &cpu, &c);
	WRITES(&program, { 0, 0x187, 0x01C0, 0x01C0 });
	COUNTERS(&program, { 1, 0xC2, 0xFFFFFFFF, 0, 0 });
}
END_TEST

/* ---- AMD ---- */

/* What all AMDs have in common; high: bits of evntsel_high[] that exist. */
static void amd_rules(const struct perfctr_cpu *cpu, unsigned int counters, uint32_t high)
{
	struct perfctr_cpu_control c = amode(counters, 0x004300C0);

	event_select_rules(cpu, &c, 0x00280000, high);
	TRY(cpu, &c,
	    { "all bits", { W(evntsel[1], 0xFFC7FFFF), W(evntsel_high[1], high) }, ACCEPTED },
	    { "each has its own enable bit",
	      { W(evntsel[2], 0x000300C0) },
	      REFUSED("evntsel", 2, 0, "the enable bit (22) must be set") },
	    { "counter 0 too",
	      { W(evntsel[0], 0x000300C0) },
	      REFUSED("evntsel", 0, 0, "the enable bit (22) must be set") },
	    { "counter 3 alone", { W(nractrs, 1), W(pmc_map[0], 3) }, ACCEPTED },
	    { "one too many",
	      { W(pmc_map[0], counters) },
	      REFUSED("pmc_map", 0, counters, "no such counter") },
	    { "offcore response", { W(offcore_rsp[0], 1) }, IGNORED },
	    { "reserved 1", { W(_reserved1, 1) }, IGNORED },
	    { "reserved 3", { W(_reserved3, 1) }, IGNORED });
}

START_TEST(k7)
{
	static const char *const ids[] = { "k7", "k8_b", "k8_c", "fam10h" };
	struct perfctr_cpu_control c;
	struct perfctr_program program;
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		cpu = named(ids[i]);
		/* Family 10h: event select bits 11-8 are bits 35-32; 40 and 41: guests or host
		 * only. */
		amd_rules(&cpu, 4, i == 3 ? 0x30F : 0);
		REGISTERS(&cpu, 0xC0010000, 0xC0010001, 0xC0010002, 0xC0010003);
		setup_is(&cpu, 0, 0);
		c = amode(2, 0x004300C0);
		c.pmc_map[0] = 3;
		c.nractrs = c.nrictrs = 1;
		c.evntsel[1] = 0x00530076;
		c.ireset[1] = -7;
		program = accepted("program", &cpu, &c);
		WRITES(&program, { 3, 0xC0010003, 0x004300C0, 0x004300C0 },
		       { 1, 0xC0010001, 0x00530076, 0 });
		COUNTERS(&program, { 3, 0xC0010007, MASK48, 0, 0 },
			 { 1, 0xC0010005, MASK48, 0, (uint32_t)-7 });
		ck_assert_uint_eq(program.ack_reg, 0);
		ck_assert_uint_eq(program.by_register, 0);
	}
	c.evntsel_high[0] = 0x104;
	c.evntsel_high[1] = 0x201;
	program = accepted("upper halves", &cpu, &c);
	WRITES(&program, { 3, 0xC0010003, 0x104004300C0, 0x104004300C0 },
	       { 1, 0xC0010001, 0x20100530076, 0 });
}
END_TEST

START_TEST(amd_core)
{
	static const char *const ids[] = { "fam15h", "zen1", "zen2", "zen3", "zen4", "zen5" };
	struct perfctr_cpu_control c;
	struct perfctr_program program;
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		cpu = named(ids[i]);
		amd_rules(&cpu, 6, 0x30F);
		REGISTERS(&cpu, 0xC0010200, 0xC0010202, 0xC0010204, 0xC0010206, 0xC0010208,
			  0xC001020A);
		cpu.version = 0;
		setup_is(&cpu, 0, 0);
		c = amode(2, 0x004300C0);
		c.pmc_map[0] = 5;
		c.nractrs = c.nrictrs = 1;
		c.evntsel[1] = 0x00530076;
		c.evntsel_high[0] = 0x1;
		c.ireset[1] = -7;
		program = accepted("program", &cpu, &c);
		WRITES(&program, { 5, 0xC001020A, 0x1004300C0, 0x1004300C0 },
		       { 1, 0xC0010202, 0x00530076, 0 });
		COUNTERS(&program, { 5, 0xC001020B, MASK48, 0, 0 },
			 { 1, 0xC0010203, MASK48, 0, (uint32_t)-7 });
		ck_assert_uint_eq(program.one_core, 0);
	}
	/* What follows is a Zen's. PerfMonV2 has a global enable register. */
	cpu.version = 2;
	setup_is(&cpu, 0xC0000301, 0x3F);
	/* A hypervisor that has only the four old counters. */
	cpu.ext_core = 0;
	cpu.counters = 0xF;
	cpu.version = 0;
	amd_rules(&cpu, 4, 0x30F);
	REGISTERS(&cpu, 0xC0010000, 0xC0010001, 0xC0010002, 0xC0010003);
}
END_TEST

/* Events E0H to FFH of K8 and family 10h are counted in the northbridge, which the cores share. */
/*
 * Event 003H counts more than a counter can add, on families 17H and later: PPR 54945, Large
 * Increment per Cycle Events. FFFH in the next event select merges the two counters.
 */
START_TEST(amd_pairs)
{
	static const char *const ids[] = { "zen1", "zen2", "zen3", "zen4", "zen5", "zen6" };
	struct perfctr_cpu_control c;
	struct perfctr_program program;
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		cpu = named(ids[i]);
		c = amode(3, 0x004300C0);
		c.nractrs = 2;
		c.nrictrs = 1;
		c.pmc_map[0] = 4;
		c.evntsel[0] = 0x00410F03;
		c.pmc_map[1] = 2;
		c.pmc_map[2] = 0;
		c.evntsel[2] = 0x00530803;
		c.ireset[2] = -5;
		program = accepted("pairs", &cpu, &c);
		/* The second halves stop, whatever the first ones do. */
		WRITES(&program, { 5, 0xC001020A, 0xF004000FF, 0 },
		       { 4, 0xC0010208, 0x00410F03, 0x00410F03 },
		       { 2, 0xC0010204, 0x004300C0, 0x004300C0 }, { 1, 0xC0010202, 0xF004000FF, 0 },
		       { 0, 0xC0010200, 0x00530803, 0 });
		counters_are(&program,
			     (struct expected_place[]){
				     { 4, 0xC0010209, MASK48, 0, 0 },
				     { 2, 0xC0010205, MASK48, 0, 0 },
				     { 0, 0xC0010201, MASK48, 0, (uint32_t)-5 } },
			     (uint32_t[]){ 0xC001020B, 0, 0xC0010203 }, 3);
		ck_assert_uint_eq(program.stops, 1);
		TRY(&cpu, &c,
		    { "an odd one",
		      { W(pmc_map[0], 5) },
		      REFUSED("pmc_map", 0, 5, "event 003H takes an even counter and the next") },
		    { "the next is another's",
		      { W(pmc_map[1], 5) },
		      REFUSED("pmc_map", 1, 5, "on the counter before takes this one, too") },
		    { "and stands before it",
		      { W(pmc_map[1], 1) },
		      REFUSED("pmc_map", 1, 1, "on the counter before takes this one, too") },
		    { "the first counter of all",
		      { W(evntsel[0], 0x004300C0), W(pmc_map[0], 1) },
		      REFUSED("pmc_map", 0, 1, "on the counter before takes this one, too") },
		    { "another unit mask", { W(evntsel[0], 0x00410003) }, ACCEPTED },
		    { "another event", { W(pmc_map[0], 5), W(evntsel_high[0], 1) }, ACCEPTED },
		    { "guests only",
		      { W(pmc_map[0], 5), W(evntsel_high[0], 0x100) },
		      REFUSED("pmc_map", 0, 5, "event 003H") });
		/* The last counter has no next one. */
		cpu.counters = 0x1F;
		refused("five counters", &cpu, &c, "pmc_map", 0, 4, "event 003H");
		cpu.pairs = 0;
		program = accepted("no pairs", &cpu, &c);
		ck_assert_uint_eq(program.nr_writes, 3);
	}
	cpu = named("fam15h");
	c.pmc_map[0] = 3;
	program = accepted("family 15h", &cpu, &c);
	ck_assert_uint_eq(program.nr_writes, 3);
	ck_assert_uint_eq(program.counter[0].upper, 0);
}
END_TEST

START_TEST(northbridge)
{
	static const struct {
		const char *id;
		uint32_t evntsel, high;
		unsigned int flags, one_core;
	} cases[] = {
		{ "k8_b", 0x004300DF, 0, 0, 0 },
		{ "k8_b", 0x004300E0, 0, 0, 1 },
		{ "k8_c", 0x004301FF, 0, 0, 1 },
		{ "k8_c", 0x004301FF, 0, PERFCTR_COMPILE_GLOBAL, 0 },
		{ "fam10h", 0x0043F7E0, 0x4, 0, 1 },
		{ "fam10h", 0x0043F7E0, 0x4, PERFCTR_COMPILE_GLOBAL, 0 },
		{ "fam10h", 0x0043F7C0, 0xF, 0, 0 },
		{ "k7", 0x004300E0, 0, 0, 0 },
		{ "zen2", 0x004300E0, 0, 0, 0 },
		{ "fam15h", 0x004300E0, 0, 0, 0 },
	};
	struct perfctr_cpu_control c;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perfctr_cpu cpu = named(cases[i].id);

		c = amode(3, 0x004300C0);
		c.evntsel[1] = cases[i].evntsel;
		c.evntsel_high[1] = cases[i].high;
		ck_assert_msg(accepted_with("event", &cpu, &c, cases[i].flags).one_core ==
				      cases[i].one_core,
			      "%s %#x", cases[i].id, cases[i].evntsel);
	}
}
END_TEST

/* ---- Pentium 4 ---- */

/* CCCR: ACTIVE_THREAD, ENABLE and an ESCR SELECT. */
#define CCCR(select) (0x00031000u | (uint32_t)(select) << 13)

/* perfctr's example, instructions retired in counter 12, and unhalted clocks in counter 0. */
static struct perfctr_cpu_control p4_control(void)
{
	struct perfctr_cpu_control c;

	memset(&c, 0, sizeof(c));
	c.tsc_on = 1;
	c.nractrs = 2;
	c.pmc_map[0] = FAST | 12;
	c.evntsel[0] = CCCR(4);
	c.p4.escr[0] = 0x0400020C;
	c.pmc_map[1] = FAST | 0;
	c.evntsel[1] = CCCR(6);
	c.p4.escr[1] = 0x26000204;
	return c;
}

static struct perfctr_cpu p4_cpu(unsigned int model, unsigned int ht)
{
	struct perfctr_cpu cpu = named(model < 3 ? "p4" : "p4m3");

	cpu.p4_model = model;
	cpu.ht = ht & 1;
	return cpu;
}

/* An ESCR SELECT that each counter has: BPU, MS, FLAME, and CRU_ESCR0 or 1. */
static uint32_t any_select(unsigned int counter)
{
	return counter < 12 ? 0 : 4;
}

START_TEST(p4_cccr)
{
	struct perfctr_cpu_control c = p4_control();
	struct perfctr_cpu cpu = p4_cpu(2, 0);
	unsigned int ht;

	for (ht = 0; ht < 2; ht++) {
		cpu.ht = ht & 1;
		SWEEP_FORBIDDEN(&cpu, &c, evntsel, 0, 0xB80007FF, 0x0400E000,
				"of a CCCR are reserved");
		SWEEP_FORBIDDEN(&cpu, &c, evntsel, 1, 0xB80007FF, 0x0400E800,
				"of a CCCR are reserved");
		TRY(&cpu, &c, { "as it is", { { 0 } }, ACCEPTED },
		    { "all", { W(evntsel[0], 0x43FF9800) }, ACCEPTED },
		    { "all reserved",
		      { W(evntsel[0], 0xFFFFFFFF) },
		      FORBIDDEN("evntsel", 0, 0xB80007FF, "OVF (31), OVF_PMI_T1 (27)") },
		    { "nothing enables",
		      { W(evntsel[0], 0x00038000) },
		      REFUSED("evntsel", 0, 0, "ENABLE (12), CASCADE (30) or EXTENDED") },
		    { "CASCADE", { W(evntsel[0], 0x40038000) }, ACCEPTED },
		    { "EXTENDED_CASCADE", { W(evntsel[0], 0x00038800) }, ACCEPTED },
		    { "ENABLE", { W(evntsel[0], 0x00039000) }, ACCEPTED },
		    { "a-mode with OVF_PMI_T0",
		      { W(evntsel[0], 0x04039000) },
		      REFUSED("evntsel", 0, 0x04000000, "OVF_PMI_T0 (26) is for i-mode") },
		    { "a-mode with FORCE_OVF", { W(evntsel[0], 0x02039000) }, ACCEPTED },
		    { "i-mode",
		      { W(nractrs, 1), W(nrictrs, 1), W(evntsel[1], 0x0403D000),
			W(ireset[1], 0xFFFFFFFE) },
		      ACCEPTED },
		    { "i-mode without OVF_PMI_T0",
		      { W(nractrs, 1), W(nrictrs, 1), W(ireset[1], 0xFFFFFFFE) },
		      REFUSED("evntsel", 1, 0, "an i-mode counter needs OVF_PMI_T0") },
		    { "i-mode with OVF_PMI_T1",
		      { W(nractrs, 1), W(nrictrs, 1), W(evntsel[1], 0x0C03D000),
			W(ireset[1], 0xFFFFFFFE) },
		      FORBIDDEN("evntsel", 1, 0x08000000, "OVF_PMI_T1 (27)") },
		    { "i-mode start",
		      { W(nractrs, 1), W(nrictrs, 1), W(evntsel[1], 0x0403D000) },
		      REFUSED("ireset", 1, 0, "must be negative") },
		    { "FORCE_OVF from -2",
		      { W(nractrs, 1), W(nrictrs, 1), W(evntsel[1], 0x0603D000),
			W(ireset[1], 0xFFFFFFFE) },
		      REFUSED("ireset", 1, 0xFFFFFFFE, "with FORCE_OVF (25)") },
		    { "FORCE_OVF from -2^31",
		      { W(nractrs, 1), W(nrictrs, 1), W(evntsel[1], 0x0603D000),
			W(ireset[1], 0x80000000) },
		      REFUSED("ireset", 1, 0x80000000, "with FORCE_OVF (25)") },
		    { "FORCE_OVF from -1",
		      { W(nractrs, 1), W(nrictrs, 1), W(evntsel[1], 0x0603D000),
			W(ireset[1], 0xFFFFFFFF) },
		      ACCEPTED },
		    { "offcore words are escr's and pebs's", { W(_reserved1, 1) }, IGNORED },
		    { "reserved 2", { W(_reserved2, 2) }, IGNORED },
		    { "reserved 3", { W(_reserved3, 4) }, IGNORED },
		    { "reserved 4", { W(_reserved4, 8) }, IGNORED });
	}
}
END_TEST

START_TEST(p4_active_thread)
{
	struct perfctr_cpu_control c = p4_control();
	struct perfctr_cpu cpu = p4_cpu(2, 0);

	TRY(&cpu, &c, { "both", { W(evntsel[1], 0x0003D000) }, ACCEPTED },
	    { "single",
	      { W(evntsel[1], 0x0001D000) },
	      REFUSED("evntsel", 1, 0x00010000, "both bits of ACTIVE_THREAD") },
	    { "dual",
	      { W(evntsel[1], 0x0002D000) },
	      REFUSED("evntsel", 1, 0x00020000, "both bits of ACTIVE_THREAD") },
	    { "none",
	      { W(evntsel[1], 0x0000D000) },
	      REFUSED("evntsel", 1, 0, "both bits of ACTIVE_THREAD") });
	cpu.ht = 1;
	TRY(&cpu, &c, { "both, HT", { W(evntsel[1], 0x0003D000) }, ACCEPTED },
	    { "single, HT", { W(evntsel[1], 0x0001D000) }, ACCEPTED },
	    { "dual, HT", { W(evntsel[1], 0x0002D000) }, ACCEPTED },
	    { "none, HT", { W(evntsel[1], 0x0000D000) }, ACCEPTED });
}
END_TEST

/* EXTENDED_CASCADE: models 2 and later, counters 12 and 15 to 17. */
START_TEST(p4_extended_cascade)
{
	static const char cascades[] = "000000000000100111";
	unsigned int model, counter;

	for (model = 0; model < 7; model++) {
		struct perfctr_cpu cpu = p4_cpu(model, model > 3);

		for (counter = 0; counter < 18; counter++) {
			struct perfctr_cpu_control c = p4_control();

			c.nractrs = 1;
			c.pmc_map[0] = FAST | counter;
			c.evntsel[0] = 0x00030800 | any_select(counter) << 13;
			if (model < 2)
				forbidden("cascade", &cpu, &c, "evntsel", 0, 0x800,
					  "needs a P4 of model 2 or later");
			else if (cascades[counter] == '0')
				forbidden("cascade", &cpu, &c, "evntsel", 0, 0x800,
					  "only for counters 12 and 15-17");
			else
				accepted("cascade", &cpu, &c);
		}
	}
}
END_TEST

/* SDM vol. 3B, "Performance Counter MSRs and Associated CCCR and ESCR MSRs". */
#define BPU(n)                                                                               \
	{                                                                                    \
		0x3B2 + n, 0x3B4 + n, 0x3AA + n, 0x3B6 + n, 0x3AC + n, 0x3C8 + n, 0x3A2 + n, \
			0x3A0 + n                                                            \
	}
static const uint16_t sdm_escr[18][8] = {
	/* BPU_COUNTER0-3: BPU, IS, MOB, ITLB, PMH, IX, FSB, BSU */
	BPU(0),
	BPU(0),
	BPU(1),
	BPU(1),
	/* MS_COUNTER0-3: MS, TC, TBPU */
	{ 0x3C0, 0x3C4, 0x3C2 },
	{ 0x3C0, 0x3C4, 0x3C2 },
	{ 0x3C1, 0x3C5, 0x3C3 },
	{ 0x3C1, 0x3C5, 0x3C3 },
	/* FLAME_COUNTER0-3: FLAME, FIRM, SAAT, U2L, -, DAC */
	{ 0x3A6, 0x3A4, 0x3AE, 0x3B0, 0, 0x3A8 },
	{ 0x3A6, 0x3A4, 0x3AE, 0x3B0, 0, 0x3A8 },
	{ 0x3A7, 0x3A5, 0x3AF, 0x3B1, 0, 0x3A9 },
	{ 0x3A7, 0x3A5, 0x3AF, 0x3B1, 0, 0x3A9 },
	/* IQ_COUNTER0-5: IQ, ALF, RAT, SSU, CRU0 or 1, CRU2 or 3, CRU4 or 5 */
	{ 0x3BA, 0x3CA, 0x3BC, 0x3BE, 0x3B8, 0x3CC, 0x3E0 },
	{ 0x3BA, 0x3CA, 0x3BC, 0x3BE, 0x3B8, 0x3CC, 0x3E0 },
	{ 0x3BB, 0x3CB, 0x3BD, 0, 0x3B9, 0x3CD, 0x3E1 },
	{ 0x3BB, 0x3CB, 0x3BD, 0, 0x3B9, 0x3CD, 0x3E1 },
	{ 0x3BA, 0x3CA, 0x3BC, 0x3BE, 0x3B8, 0x3CC, 0x3E0 },
	{ 0x3BB, 0x3CB, 0x3BD, 0, 0x3B9, 0x3CD, 0x3E1 },
};

START_TEST(p4_escr_map)
{
	unsigned int model, counter, select;

	for (counter = 0; counter < 18; counter++)
		for (select = 0; select < 8; select++)
			ck_assert_msg(perfctr_p4_escr(counter, select) == sdm_escr[counter][select],
				      "counter %u select %u: %#x", counter, select,
				      perfctr_p4_escr(counter, select));
	for (select = 0; select < 20; select++)
		ck_assert_uint_eq(perfctr_p4_escr(18, select), 0);
	for (counter = 0; counter < 20; counter++)
		ck_assert_uint_eq(perfctr_p4_escr(counter, 8), 0);
	/* The same through the rules: IQ_ESCR0 and 1 exist on models 0 to 2. */
	for (model = 0; model < 7; model++) {
		struct perfctr_cpu cpu = p4_cpu(model, 0);

		for (counter = 0; counter < 18; counter++) {
			for (select = 0; select < 8; select++) {
				struct perfctr_cpu_control c = p4_control();
				uint32_t escr = sdm_escr[counter][select], bits = select << 13;
				struct perfctr_program program;

				c.nractrs = 1;
				c.pmc_map[0] = counter;
				c.evntsel[0] = CCCR(select);
				if (!escr) {
					refused("ESCR", &cpu, &c, "evntsel", 0, bits,
						"this counter has no ESCR of that number");
					continue;
				}
				if ((escr == 0x3BA || escr == 0x3BB) && model > 2) {
					refused("IQ_ESCR", &cpu, &c, "evntsel", 0, bits,
						"exist only on P4 models 0 to 2");
					continue;
				}
				program = accepted("ESCR", &cpu, &c);
				writes_has(&program, 18 + escr - 0x3A0, escr, 0x0400020C,
					   0x0400020C);
				writes_has(&program, counter, 0x360 + counter, CCCR(select),
					   CCCR(select));
				COUNTERS(&program, { counter, 0x300 + counter, MASK40, 0, 0 });
			}
		}
	}
}
END_TEST

START_TEST(p4_escr)
{
	struct perfctr_cpu_control c = p4_control();
	struct perfctr_cpu cpu = p4_cpu(2, 0);
	unsigned int ht, global;

	SWEEP_FORBIDDEN(&cpu, &c, p4.escr, 0, 0x80000000, 0x3, "bit 31 of an ESCR is reserved");
	/* CPL_T1, bits 0 and 1, needs both hyper-threading and a global counter. */
	for (ht = 0; ht < 2; ht++) {
		for (global = 0; global < 2; global++) {
			unsigned int flags = global ? PERFCTR_COMPILE_GLOBAL : 0;

			cpu.ht = ht & 1;
			TRY_WITH(&cpu, &c, flags,
				 { "T0 only", { W(p4.escr[1], 0x2600020C) }, ACCEPTED },
				 { "T0 user", { W(p4.escr[1], 0x26000204) }, ACCEPTED },
				 { "T0 kernel", { W(p4.escr[1], 0x26000208) }, ACCEPTED },
				 { "no CPL", { W(p4.escr[1], 0x26000200) }, ACCEPTED });
			if (ht && global)
				TRY_WITH(&cpu, &c, flags,
					 { "T1", { W(p4.escr[1], 0x26000203) }, ACCEPTED },
					 { "all", { W(p4.escr[1], 0x2600020F) }, ACCEPTED });
			else
				TRY_WITH(
					&cpu, &c, flags,
					{ "T1 user",
					  { W(p4.escr[1], 0x26000205) },
					  REFUSED("p4.escr", 1, 1, "CPL_T1 (1, 0) is for global") },
					{ "T1 kernel",
					  { W(p4.escr[1], 0x26000206) },
					  REFUSED("p4.escr", 1, 2, "CPL_T1 (1, 0) is for global") },
					{ "T1",
					  { W(p4.escr[1], 0x26000203) },
					  REFUSED("p4.escr", 1, 3,
						  "CPL_T1 (1, 0) is for global") });
		}
	}
	cpu.ht = 0;
	TRY(&cpu, &c,
	    { "one ESCR for two",
	      { W(pmc_map[1], FAST | 13), W(evntsel[1], CCCR(4)), W(p4.escr[1], 0x0400020C) },
	      ACCEPTED },
	    { "another value",
	      { W(pmc_map[1], FAST | 13), W(evntsel[1], CCCR(4)), W(p4.escr[1], 0x04000204) },
	      REFUSED("p4.escr", 1, 0x04000204, "another value for the same ESCR") },
	    { "another ESCR of the group",
	      { W(pmc_map[1], FAST | 13), W(evntsel[1], CCCR(5)) },
	      ACCEPTED },
	    { "the odd half's",
	      { W(pmc_map[1], FAST | 14), W(evntsel[1], CCCR(4)), W(p4.escr[1], 0x04000204) },
	      ACCEPTED },
	    { "not in use",
	      { W(nractrs, 1), W(pmc_map[1], FAST | 13), W(evntsel[1], CCCR(4)) },
	      ACCEPTED },
	    { "the third has another value",
	      { W(nractrs, 3), W(pmc_map[2], 16), W(evntsel[2], CCCR(4)),
		W(p4.escr[2], 0x04000208) },
	      REFUSED("p4.escr", 2, 0x04000208, "another value for the same ESCR") },
	    /* RDPMC's fast bit makes no other counter. */
	    { "slow", { W(pmc_map[0], 12) }, ACCEPTED },
	    { "fast and slow",
	      { W(pmc_map[0], 12), W(pmc_map[1], FAST | 12) },
	      REFUSED("pmc_map", 1, FAST | 12, "another counter is mapped") },
	    { "slow and fast",
	      { W(pmc_map[1], 12) },
	      REFUSED("pmc_map", 1, 12, "another counter is mapped") },
	    { "twice fast",
	      { W(pmc_map[1], FAST | 12) },
	      REFUSED("pmc_map", 1, FAST | 12, "another counter is mapped") },
	    { "counter 17", { W(pmc_map[0], 17) }, ACCEPTED },
	    { "counter 18", { W(pmc_map[0], 18) }, REFUSED("pmc_map", 0, 18, "counters 0 to 17") },
	    { "counter 18, fast",
	      { W(pmc_map[0], FAST | 18) },
	      REFUSED("pmc_map", 0, FAST | 18, "counters 0 to 17") },
	    { "bit 16",
	      { W(pmc_map[0], 0x8001000C) },
	      REFUSED("pmc_map", 0, 0x8001000C, "with or without bit 31") },
	    { "bit 30",
	      { W(pmc_map[0], 0x4000000C) },
	      REFUSED("pmc_map", 0, 0x4000000C, "with or without bit 31") });
}
END_TEST

START_TEST(p4_replay_tagging)
{
	struct perfctr_cpu_control c = p4_control();
	struct perfctr_cpu cpu = p4_cpu(2, 0);
	unsigned int bit;

	TRY(&cpu, &c,
	    { "no enable",
	      { W(p4.pebs_matrix_vert, 1) },
	      FORBIDDEN("p4.pebs_matrix_vert", -1, 1, "must be zero where p4.pebs_enable is") },
	    { "all", { W(p4.pebs_enable, 0x01000607), W(p4.pebs_matrix_vert, 3) }, ACCEPTED },
	    { "ENABLE_PEBS_MY_THR",
	      { W(p4.pebs_enable, 0x03000001), W(p4.pebs_matrix_vert, 1) },
	      FORBIDDEN("p4.pebs_enable", -1, 0x02000000, "only bits 24, 10, 9 and 2-0") },
	    { "no UOP_TAG",
	      { W(p4.pebs_enable, 0x00000001), W(p4.pebs_matrix_vert, 1) },
	      REFUSED("p4.pebs_enable", -1, 0, "UOP_TAG (24) must be set") },
	    { "UOP_TAG alone",
	      { W(p4.pebs_enable, 0x01000000), W(p4.pebs_matrix_vert, 1) },
	      REFUSED("p4.pebs_enable", -1, 0, "one of bits 10, 9 and 2-0") },
	    { "vert 1", { W(p4.pebs_enable, 0x01000001), W(p4.pebs_matrix_vert, 1) }, ACCEPTED },
	    { "vert 2", { W(p4.pebs_enable, 0x01000001), W(p4.pebs_matrix_vert, 2) }, ACCEPTED },
	    { "vert 4",
	      { W(p4.pebs_enable, 0x01000001), W(p4.pebs_matrix_vert, 5) },
	      FORBIDDEN("p4.pebs_matrix_vert", -1, 4, "only bits 1 and 0 may be set") },
	    { "vert 31",
	      { W(p4.pebs_enable, 0x01000001), W(p4.pebs_matrix_vert, 0x80000000) },
	      FORBIDDEN("p4.pebs_matrix_vert", -1, 0x80000000, "only bits 1 and 0 may be set") },
	    { "vert 0",
	      { W(p4.pebs_enable, 0x01000001) },
	      REFUSED("p4.pebs_matrix_vert", -1, 0, "bit 1 or 0 must be set") },
	    { "without counters",
	      { W(nractrs, 0), W(p4.pebs_enable, 0x00000001) },
	      FORBIDDEN("p4.pebs_enable", -1, 1, "must be zero where there are no counters") },
	    { "all right, without counters",
	      { W(nractrs, 0), W(p4.pebs_enable, 0x01000001), W(p4.pebs_matrix_vert, 1) },
	      FORBIDDEN("p4.pebs_enable", -1, 0x01000001, "where there are no counters") });
	for (bit = 0; bit < 32; bit++) {
		c.p4.pebs_enable = 0x01000000u | 1u << bit;
		c.p4.pebs_matrix_vert = 1;
		if (0x01000607u >> bit & 1 && bit != 24)
			accepted("pebs_enable", &cpu, &c);
		else if (bit != 24)
			forbidden("pebs_enable", &cpu, &c, "p4.pebs_enable", -1, 1u << bit,
				  "only bits 24, 10, 9 and 2-0 may be set");
	}
}
END_TEST

START_TEST(p4_programs)
{
	/* MSRs 3A0H to 3E1H: the ESCRs among them. */
	static const uint16_t holes[][2] = { { 0x3BF, 0x3BF }, { 0x3C6, 0x3C7 }, { 0x3CE, 0x3DF } };
	struct perfctr_cpu_control c = p4_control();
	struct perfctr_cpu cpu = p4_cpu(2, 0);
	struct perfctr_program program;
	unsigned int i, slot, model;
	uint32_t regs[86];

	c.pmc_map[1] = 0;
	c.nractrs = c.nrictrs = 1;
	c.evntsel[1] |= 0x04000000;
	c.ireset[1] = -4711;
	c.p4.pebs_enable = 0x01000001;
	c.p4.pebs_matrix_vert = 2;
	program = accepted("program", &cpu, &c);
	/* The ESCRs come before the counters that read them. */
	WRITES(&program, { 18 + 0x18, 0x3B8, 0x0400020C, 0x0400020C },
	       { 18 + 0x02, 0x3A2, 0x26000204, 0x26000204 }, { 84, 0x3F1, 0x01000001, 0x01000001 },
	       { 85, 0x3F2, 2, 2 }, { 12, 0x36C, 0x00039000, 0x00039000 },
	       { 0, 0x360, 0x0403D000, 0 });
	COUNTERS(&program, { FAST | 12, 0x30C, MASK40, 0, 0 },
		 { 0, 0x300, MASK40, 0, (uint32_t)-4711 });
	ck_assert_uint_eq(program.ack_reg, 0);
	ck_assert_uint_eq(program.by_register, 0);

	/* Two counters with one ESCR. */
	c = p4_control();
	c.pmc_map[1] = FAST | 16;
	c.evntsel[1] = c.evntsel[0];
	c.p4.escr[1] = c.p4.escr[0];
	c.p4.pebs_enable = 0x01000001;
	c.p4.pebs_matrix_vert = 2;
	program = accepted("shared", &cpu, &c);
	WRITES(&program, { 18 + 0x18, 0x3B8, 0x0400020C, 0x0400020C },
	       { 84, 0x3F1, 0x01000001, 0x01000001 }, { 85, 0x3F2, 2, 2 },
	       { 12, 0x36C, 0x00039000, 0x00039000 }, { 16, 0x370, 0x00039000, 0x00039000 });

	/* All counters, each with an ESCR of its own, and replay tagging: the largest program. */
	memset(&c, 0, sizeof(c));
	c.nractrs = 18;
	for (i = 0; i < 18; i++) {
		c.pmc_map[i] = FAST | i;
		c.evntsel[i] = CCCR(i < 12 ? i & 1 : i < 16 ? 4 + (i & 1) : 6);
		c.p4.escr[i] = 0x0000000C | i << 25;
	}
	c.p4.pebs_enable = 0x01000001;
	c.p4.pebs_matrix_vert = 1;
	program = accepted("all", &cpu, &c);
	ck_assert_uint_eq(program.nr_writes, 38);

	for (model = 0; model < 5; model++) {
		cpu = p4_cpu(model, 0);
		for (slot = 0; slot < 18; slot++)
			regs[slot] = 0x360 + slot;
		for (; slot < 84; slot++) {
			regs[slot] = 0x3A0 + slot - 18;
			for (i = 0; i < ARRAY_SIZE(holes); i++)
				if (0x3A0 + slot - 18 >= holes[i][0] &&
				    0x3A0 + slot - 18 <= holes[i][1])
					regs[slot] = 0;
		}
		if (model > 2)
			regs[18 + 0x1A] = regs[18 + 0x1B] = 0;
		regs[84] = 0x3F1;
		regs[85] = 0x3F2;
		registers_are(&cpu, regs, ARRAY_SIZE(regs));
		setup_is(&cpu, 0, 0);
	}
}
END_TEST

/* ---- Intel's architectural performance monitoring ---- */

/* One of each version; bit 21 (AnyThread) comes and goes, bit 19 (pin control) is nobody's. */
static const struct arch {
	const char *id;
	unsigned int version, counters, fixed;
	uint32_t reserved, reserved_high;
} archs[] = {
	{ "core", 1, 2, 0, 0x00280000, 0xFFFFFFFF },
	{ "core2", 2, 2, 3, 0x00280000, 0xFFFFFFFF },
	{ "nehalem_ep", 3, 4, 3, 0x00080000, 0xFFFFFFFF },
	{ "westmere_dp", 3, 4, 3, 0x00080000, 0xFFFFFFFF },
	{ "sandybridge", 3, 4, 3, 0x00080000, 0xFFFFFFFF },
	{ "architectural", 3, 4, 3, 0x00080000, 0xFFFFFFFF },
	{ "skylake", 4, 4, 3, 0x00080000, 0xFFFFFFFF },
	{ "skylakex", 4, 4, 3, 0x00080000, 0xFFFFFFFF },
	{ "icelake", 5, 8, 4, 0x00280000, 0xFFFFFFFF },
	{ "goldencove", 5, 8, 4, 0x00280000, 0xFFFFFFFF },
	/* UMASK2 is bits 47-40, EQ bit 36. */
	{ "lioncove", 6, 10, 4, 0x00280000, 0xFFFF00EF },
};

START_TEST(arch_event_selects)
{
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(archs); k++) {
		const struct arch *a = &archs[k];
		struct perfctr_cpu_control c = amode(2, 0x004300C0);
		struct perfctr_cpu cpu = named(a->id);

		cpu.frontend = 0;
		ck_assert_uint_eq(cpu.version, a->version);
		event_select_rules(&cpu, &c, a->reserved, ~a->reserved_high);
		TRY(&cpu, &c,
		    { "all",
		      { W(evntsel[0], 0xFFEFFFFF & ~a->reserved),
			W(evntsel_high[0], ~a->reserved_high) },
		      ACCEPTED },
		    { "the last counter", { W(pmc_map[1], a->counters - 1) }, ACCEPTED },
		    { "one too many",
		      { W(pmc_map[1], a->counters) },
		      REFUSED("pmc_map", 1, a->counters, "no such counter") },
		    { "counter 1 alone", { W(nractrs, 1), W(pmc_map[0], 1) }, ACCEPTED },
		    { "not enabled",
		      { W(evntsel[1], 0x000300C0) },
		      REFUSED("evntsel", 1, 0, "the enable bit (22) must be set") },
		    { "frontend", { W(pebs_frontend, 1) }, IGNORED },
		    { "reserved 4", { W(_reserved4, 1) }, IGNORED });
	}
}
END_TEST

START_TEST(arch_extensions)
{
	struct perfctr_cpu_control c = amode(3, 0x004300C0);
	struct perfctr_cpu cpu = named("lioncove");

	/* Each of UMASK2 and EQ alone. */
	cpu.reserved |= 0x0000FF0000000000ull;
	SWEEP(&cpu, &c, evntsel_high, 0, 0xFFFFFFEF, 0, "reserved on this processor");
	cpu = named("lioncove");
	cpu.reserved |= 0x0000001000000000ull;
	SWEEP(&cpu, &c, evntsel_high, 0, 0xFFFF00FF, 0, "reserved on this processor");
	/* IN_TX and IN_TXCP of a processor with transactions. */
	cpu = named("skylake");
	cpu.reserved &= ~0x0000000300000000ull;
	SWEEP(&cpu, &c, evntsel_high, 2, 0xFFFFFFFC, 0, "reserved on this processor");
	TRY(&cpu, &c, { "IN_TX", { W(evntsel_high[0], 1), W(evntsel_high[1], 1) }, ACCEPTED },
	    { "both", { W(evntsel_high[2], 3) }, ACCEPTED },
	    { "IN_TXCP of counter 0",
	      { W(evntsel_high[0], 2) },
	      REFUSED("evntsel_high", 0, 2, "IN_TXCP (33) is only for counter 2") },
	    { "both of counter 1",
	      { W(evntsel_high[1], 3) },
	      REFUSED("evntsel_high", 1, 2, "IN_TXCP (33) is only for counter 2") },
	    { "IN_TXCP of counter 2 in another place",
	      { W(pmc_map[0], 2), W(pmc_map[2], 0), W(evntsel_high[0], 2) },
	      ACCEPTED },
	    { "IN_TXCP of counter 3",
	      { W(pmc_map[2], 3), W(evntsel_high[2], 2) },
	      REFUSED("evntsel_high", 2, 2, "IN_TXCP (33) is only for counter 2") },
	    { "IN_TX of a fixed counter",
	      { W(pmc_map[2], FIXED), W(evntsel_high[2], 1) },
	      REFUSED("evntsel_high", 2, 1, "a fixed counter has no") });
}
END_TEST

START_TEST(arch_fixed_counters)
{
	unsigned int k, n;

	for (k = 0; k < ARRAY_SIZE(archs); k++) {
		const struct arch *a = &archs[k];
		uint32_t any = a->reserved & 0x00200000, last = FIXED + a->fixed - 1;
		struct perfctr_cpu_control c = amode(2, 0x004300C0);
		struct perfctr_cpu cpu = named(a->id);
		struct perfctr_program program;

		c.pmc_map[1] = FIXED;
		c.evntsel[1] = USR_OS | 0xFFFF;
		if (!a->fixed) {
			refused("none", &cpu, &c, "pmc_map", 1, FIXED, "no such fixed counter");
			continue;
		}
		/* Edge, pin, inversion, counter mask; AnyThread goes by the version. */
		SWEEP(&cpu, &c, evntsel, 1, 0xFF840000, INT | 0x00280000, "a fixed counter has no");
		TRY(&cpu, &c,
		    { "pin control",
		      { W(evntsel[1], USR_OS | 0x00080000) },
		      FORBIDDEN("evntsel", 1, 0x00080000, "reserved on this processor") });
		if (~a->reserved_high)
			SWEEP(&cpu, &c, evntsel_high, 1, ~a->reserved_high, a->reserved_high,
			      "a fixed counter has no");
		else
			TRY(&cpu, &c,
			    { "upper half", { W(evntsel_high[1], 0xFFFFFFFF) }, IGNORED });
		if (any)
			TRY(&cpu, &c,
			    { "AnyThread",
			      { W(evntsel[1], 0x00230000) },
			      FORBIDDEN("evntsel", 1, 0x00200000, "reserved on this processor") });
		else
			TRY(&cpu, &c, { "AnyThread", { W(evntsel[1], 0x00230000) }, ACCEPTED });
		TRY(&cpu, &c, { "the last", { W(pmc_map[1], last) }, ACCEPTED },
		    { "one too many",
		      { W(pmc_map[1], last + 1) },
		      REFUSED("pmc_map", 1, last + 1, "no such fixed counter") },
		    { "number 32",
		      { W(pmc_map[1], FIXED + 32) },
		      REFUSED("pmc_map", 1, FIXED + 32, "no such fixed counter") },
		    { "bit 31",
		      { W(pmc_map[1], 0xC0000000) },
		      REFUSED("pmc_map", 1, 0xC0000000, "no such fixed counter") },
		    { "bit 29",
		      { W(pmc_map[1], 0x20000000) },
		      REFUSED("pmc_map", 1, 0x20000000, "no such counter") },
		    { "its event", { W(evntsel[1], 0x004300C0) }, ACCEPTED },
		    { "no CPL",
		      { W(evntsel[1], 0x00400000) },
		      REFUSED("evntsel", 1, 0, "USR (16) or OS (17) must be set") },
		    { "a-mode that interrupts",
		      { W(evntsel[1], 0x00130000) },
		      REFUSED("evntsel", 1, INT, "bit (20) is for i-mode") },
		    { "i-mode that does not",
		      { W(nractrs, 1), W(nrictrs, 1), W(ireset[1], 0x80000000) },
		      REFUSED("evntsel", 1, 0, "an i-mode counter needs the interrupt bit") },
		    { "twice",
		      { W(pmc_map[0], FIXED), W(evntsel[0], USR_OS) },
		      REFUSED("pmc_map", 1, FIXED, "another counter is mapped") });

		/* IA32_FIXED_CTR_CTRL: four bits each, OS, USR, AnyThread, PMI. */
		for (n = 0; n < a->fixed; n++) {
			c = amode(1, 0x00010000);
			c.pmc_map[0] = FIXED + n;
			program = accepted("user", &cpu, &c);
			WRITES(&program, { 32, 0x38D, 2ull << 4 * n, 2ull << 4 * n });
			COUNTERS(&program,
				 { FIXED + n, cpu.version >= 6 ? 0x1980 + 4 * n : 0x309 + n,
				   cpu.fixed_width == 48 ? MASK48 : MASK40, 1ull << (32 + n), 0 });
			c.evntsel[0] = 0x00020000;
			program = accepted("kernel", &cpu, &c);
			WRITES(&program, { 32, 0x38D, 1ull << 4 * n, 1ull << 4 * n });
			c.evntsel[0] = any ? 0x00010000 : 0x00210000;
			program = accepted("any", &cpu, &c);
			WRITES(&program, { 32, 0x38D, (any ? 2ull : 6ull) << 4 * n,
					   (any ? 2ull : 6ull) << 4 * n });
			c.nractrs = 0;
			c.nrictrs = 1;
			c.evntsel[0] = 0x00130000;
			c.ireset[0] = -1;
			program = accepted("i-mode", &cpu, &c);
			WRITES(&program, { 32, 0x38D, 11ull << 4 * n, 0 });
		}
		/* Together: the a-mode counter runs on while the i-mode counters are suspended. */
		c = amode(3, 0x00130000);
		c.nractrs = 1;
		c.nrictrs = 2;
		c.evntsel[0] = 0x00010000;
		for (n = 0; n < 3; n++) {
			c.pmc_map[n] = FIXED + n;
			c.ireset[n] = -1;
		}
		program = accepted("together", &cpu, &c);
		WRITES(&program, { 32, 0x38D, 0xBB2, 0x002 });
	}
}
END_TEST

/* Whose register another thread of the core writes, too: Nehalem's and Westmere's, if it is in use.
 */
START_TEST(arch_core_shared)
{
	static const struct {
		const char *id;
		int shared;
	} cpus[] = {
		{ "nehalem_ep", 1 },
		{ "westmere_dp", 1 },
		{ "sandybridge", 0 },
		{ "skylake", 0 },
	};
	struct perfctr_cpu_control c = amode(2, 0x004300C0);
	struct perfctr_program program;
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		cpu = named(cpus[i].id);
		c.evntsel[1] = 0x004300C0;
		program = accepted("other events", &cpu, &c);
		ck_assert_uint_eq(program.core_shared, 0);
		/* Also if the response is none: the other thread's must not take its place. */
		c.evntsel[1] = 0x004301B7;
		program = accepted("offcore response", &cpu, &c);
		ck_assert_int_eq(program.core_shared, cpus[i].shared);
	}
}
END_TEST

/* Offcore response: each register has an event; before Sandy Bridge it has 16 bits. */
START_TEST(arch_offcore)
{
	struct perfctr_cpu_control c = amode(3, 0x004300C0);
	struct perfctr_cpu cpu = named("nehalem_ep");

	cpu.frontend = 0;
	TRY(&cpu, &c, { "without the event", { W(offcore_rsp[0], 0xFFFFFFFF) }, IGNORED },
	    { "the event alone", { W(evntsel[1], 0x004301B7) }, ACCEPTED },
	    { "16 bits", { W(evntsel[1], 0x004301B7), W(offcore_rsp[0], 0xFFFF) }, ACCEPTED },
	    { "bit 16",
	      { W(evntsel[1], 0x004301B7), W(offcore_rsp[0], 0x10001) },
	      REFUSED("offcore_rsp", 0, 0x10000, "reserved on this processor") },
	    { "bit 31",
	      { W(evntsel[1], 0x004301B7), W(offcore_rsp[0], 0x80000000) },
	      REFUSED("offcore_rsp", 0, 0x80000000, "reserved on this processor") },
	    { "the event of the other",
	      { W(evntsel[1], 0x004301BB), W(offcore_rsp[0], 1) },
	      IGNORED },
	    { "the event of a fixed counter",
	      { W(pmc_map[1], FIXED), W(evntsel[1], 0x000301B7), W(offcore_rsp[0], 1) },
	      IGNORED },
	    { "the event of an unused place",
	      { W(evntsel[3], 0x004301B7), W(offcore_rsp[0], 1) },
	      IGNORED },
	    { "there is no second", { W(evntsel[1], 0x004301BB), W(offcore_rsp[1], 1) }, IGNORED },
	    { "no upper half", { W(evntsel[1], 0x004301B7), W(offcore_rsp_high[0], 1) }, IGNORED },
	    { "no second upper half",
	      { W(evntsel[1], 0x004301B7), W(offcore_rsp_high[1], 1) },
	      IGNORED });
	c.evntsel[1] = 0x004301B7;
	SWEEP(&cpu, &c, offcore_rsp, 0, 0xFFFF0000, 0, "reserved on this processor");
	c.evntsel[1] = 0x004300C0;
	cpu = named("core2");
	TRY(&cpu, &c,
	    { "Core 2 has none",
	      { W(nractrs, 2), W(evntsel[1], 0x4301B7), W(offcore_rsp[0], 1) },
	      IGNORED });
	cpu = named("westmere_dp");
	TRY(&cpu, &c,
	    { "Westmere has two",
	      { W(evntsel[1], 0x004301B7), W(evntsel[2], 0x004301BB), W(offcore_rsp[0], 0xFFFF),
		W(offcore_rsp[1], 0xFFFF) },
	      ACCEPTED },
	    { "not the second's event",
	      { W(evntsel[1], 0x004301B7), W(offcore_rsp[1], 1) },
	      IGNORED });
	cpu = named("skylake");
	cpu.frontend = 0;
	TRY(&cpu, &c,
	    { "an upper half that does not count",
	      { W(evntsel[1], 0x004301B7), W(offcore_rsp_high[0], 1) },
	      REFUSED("offcore_rsp_high", 0, 1, "VPERFCTR_CONTROL_EXTENDED") },
	    { "of another event",
	      { W(evntsel[1], 0x004301B7), W(offcore_rsp[0], 1), W(offcore_rsp_high[1], 1) },
	      IGNORED },
	    { "of none", { W(offcore_rsp_high[0], 0xFFFFFFFF) }, IGNORED });
	TRY_WITH(&cpu, &c, EXTENDED,
		 { "upper halves",
		   { W(evntsel[1], 0x004301B7), W(offcore_rsp[0], 0xFFFF8FFF),
		     W(offcore_rsp_high[0], 0x3F) },
		   ACCEPTED },
		 { "bit 38",
		   { W(evntsel[1], 0x004301B7), W(offcore_rsp[0], 1),
		     W(offcore_rsp_high[0], 0x41) },
		   REFUSED("offcore_rsp_high", 0, 0x40, "reserved on this processor") },
		 { "bit 63 of the second",
		   { W(evntsel[1], 0x004301BB), W(offcore_rsp_high[1], 0x80000000) },
		   REFUSED("offcore_rsp_high", 1, 0x80000000, "reserved on this processor") },
		 { "a register that is not there",
		   { W(evntsel[1], 0x004301BB), W(pebs_frontend, 1) },
		   REFUSED("pebs_frontend", -1, 1, "no such register") },
		 { "the fourth reserved word", { W(_reserved4, 1) }, IGNORED });
	c.evntsel[1] = 0x004301B7;
	c.offcore_rsp[0] = 1;
	SWEEP(&cpu, &c, offcore_rsp, 0, 0x7000, 0, "reserved on this processor");
	SWEEP_WITH(&cpu, &c, offcore_rsp_high, 0, 0xFFFFFFC0, 0, EXTENDED, 0,
		   "reserved on this processor");
	TRY_WITH(&cpu, &c, EXTENDED,
		 { "for nothing",
		   { W(offcore_rsp_high[1], 1) },
		   REFUSED("offcore_rsp_high", 1, 1,
			   "no counter has the offcore response event") });
	c = amode(3, 0x004300C0);
	cpu = named("goldencove");
	TRY(&cpu, &c, { "2AH", { W(evntsel[1], 0x0043012A), W(offcore_rsp[0], 1) }, ACCEPTED },
	    { "2BH", { W(evntsel[1], 0x0043012B), W(offcore_rsp[1], 1) }, ACCEPTED },
	    { "2BH for the first", { W(evntsel[1], 0x0043012B), W(offcore_rsp[0], 1) }, IGNORED });
}
END_TEST

/* Whether the program writes the value to the register, which has the slot. */
static bool writes(const struct perfctr_program *program, unsigned int slot, uint32_t reg,
		   uint64_t value)
{
	unsigned int i;

	for (i = 0; i < program->nr_writes; i++)
		if (program->write[i].reg == reg)
			return program->write[i].slot == slot && program->write[i].value == value;
	return false;
}

static struct perfctr_program compiled(const struct perfctr_cpu *cpu,
				       const struct perfctr_cpu_control *c)
{
	struct perfctr_diagnosis diagnosis;
	struct perfctr_program program;

	ck_assert_int_eq(perfctr_x86_compile(cpu, c, EXTENDED, &program, &diagnosis), 0);
	return program;
}

/* Nova Lake's four registers, by unit masks: Linux 7.3, intel_pnc_extra_regs and arw's. */
START_TEST(arch_off_module)
{
	static const uint32_t events[] = { 0x2A, 0x4F, 0xD6 };
	struct perfctr_cpu_control c = amode(3, 0x004300C0);
	struct perfctr_cpu cpu = named("coyotecove");
	struct perfctr_program program;
	unsigned int i, k;

	c.offcore_rsp[0] = 0x8001;
	c.offcore_rsp_high[0] = 0x40FFFFFF;
	c.offcore_rsp[1] = 0x2;
	c.offcore_rsp_high[1] = 0x1;
	for (i = 0; i < ARRAY_SIZE(events); i++)
		for (k = 0; k < 4; k++) {
			uint64_t value = k % 2 ? 0x100000002 : 0x40FFFFFF00008001;

			c.evntsel[1] = 0x00430000 | 0x100u << k | events[i];
			c.evntsel[2] = 0x00430000 | 0x100u << (k ^ 1) | events[i];
			program = compiled(&cpu, &c);
			ck_assert(writes(&program, 36 + k, 0x3E0 + k, value));
		}
	/* Others look at none of them: two unit masks, 2BH, the small cores' code. */
	c.offcore_rsp_high[0] = c.offcore_rsp_high[1] = 0;
	for (i = 0; i < 4; i++) {
		static const uint32_t others[] = { 0x0300 | 0x2A, 0x012B, 0x01B7, 0x102A };

		c.evntsel[1] = c.evntsel[2] = 0x00430000 | others[i];
		program = accepted("another event", &cpu, &c);
		ck_assert_uint_eq(program.nr_writes, 3); /* the event selects */
	}
	c.evntsel[1] = 0x0043012A;
	c.evntsel[2] = 0x0043022A;
	c.offcore_rsp[0] = c.offcore_rsp[1] = 0;
	SWEEP(&cpu, &c, offcore_rsp, 0, 0xFFFF0000, 0, "reserved on this processor");
	SWEEP_WITH(&cpu, &c, offcore_rsp_high, 1, 0xBF000000, 0, EXTENDED, 0,
		   "reserved on this processor");
	cpu = named("arcticwolf");
	c.evntsel[1] = 0x004304B7;
	c.evntsel[2] = 0x004308B7;
	SWEEP(&cpu, &c, offcore_rsp, 0, 0, 0, "reserved on this processor");
	SWEEP_WITH(&cpu, &c, offcore_rsp_high, 1, 0x3F000000, 0, EXTENDED, 0,
		   "reserved on this processor");
	c.offcore_rsp[1] = 7;
	c.offcore_rsp_high[1] = 0xC0000000;
	program = compiled(&cpu, &c);
	ck_assert(writes(&program, 39, 0x3E3, 0xC000000000000007));
}
END_TEST

START_TEST(arch_frontend)
{
	struct perfctr_cpu_control c = amode(3, 0x004300C0);
	struct perfctr_cpu cpu = named("skylake");

	TRY(&cpu, &c,
	    { "does not count",
	      { W(evntsel[2], 0x004301C6), W(pebs_frontend, 0x11) },
	      REFUSED("pebs_frontend", -1, 0x11, "VPERFCTR_CONTROL_EXTENDED") },
	    { "whose counter is first",
	      { W(evntsel[0], 0x004302C6), W(pebs_frontend, 1) },
	      REFUSED("pebs_frontend", -1, 1, "VPERFCTR_CONTROL_EXTENDED") },
	    { "nor for those who may need it",
	      { W(evntsel[2], 0x004301C2), W(pebs_frontend, 0xFFFFFFFF) },
	      IGNORED },
	    { "nor for others", { W(pebs_frontend, 0xFFFFFFFF) }, IGNORED });
	TRY_WITH(&cpu, &c, EXTENDED,
		 { "FRONTEND_RETIRED",
		   { W(evntsel[2], 0x004301C6), W(pebs_frontend, 0x11) },
		   ACCEPTED },
		 { "neither", { { 0 } }, ACCEPTED },
		 { "23 bits", { W(evntsel[2], 0x004301C6), W(pebs_frontend, 0x7FFF17) }, ACCEPTED },
		 { "bit 23",
		   { W(evntsel[2], 0x004301C6), W(pebs_frontend, 0xFFFF17) },
		   REFUSED("pebs_frontend", -1, 0x800000, "reserved on this processor") },
		 { "bit 31",
		   { W(evntsel[2], 0x004301C6), W(pebs_frontend, 0x80000000) },
		   REFUSED("pebs_frontend", -1, 0x80000000, "reserved on this processor") },
		 { "another event",
		   { W(evntsel[1], 0x004301C7), W(pebs_frontend, 0x11) },
		   REFUSED("pebs_frontend", -1, 0x11, "FRONTEND_RETIRED") },
		 { "an unused place",
		   { W(evntsel[3], 0x004301C6), W(pebs_frontend, 0x11) },
		   REFUSED("pebs_frontend", -1, 0x11, "FRONTEND_RETIRED") },
		 { "the event alone", { W(evntsel[2], 0x004301C6) }, ACCEPTED },
		 { "the fourth reserved word", { W(_reserved4, 1) }, IGNORED });
	c.evntsel[1] = 0x004301C6;
	c.pebs_frontend = 0x11;
	sweep(&cpu, &c, offsetof(struct perfctr_cpu_control, pebs_frontend), "pebs_frontend", -1,
	      0xFF8000E8, 0, EXTENDED, 0, "reserved on this processor");
	c = amode(3, 0x004300C0);
	cpu.frontend = 0;
	TRY(&cpu, &c,
	    { "no such register", { W(evntsel[2], 0x004301C6), W(pebs_frontend, 0x11) }, IGNORED });
	TRY_WITH(&cpu, &c, EXTENDED,
		 { "no such register",
		   { W(evntsel[2], 0x004301C6), W(pebs_frontend, 0x11) },
		   REFUSED("pebs_frontend", -1, 0x11, "no such register") });
}
END_TEST

START_TEST(arch_programs)
{
	struct perfctr_cpu_control c = amode(2, 0x004300C0);
	struct perfctr_cpu cpu = named("core");
	struct perfctr_program program;

	/* Version 1: no fixed counters, no global registers. */
	cpu.full_width = 0;
	c.nractrs = c.nrictrs = 1;
	c.evntsel[1] = 0x0053003C;
	c.ireset[1] = -9;
	program = accepted("version 1", &cpu, &c);
	WRITES(&program, { 0, 0x186, 0x004300C0, 0x004300C0 }, { 1, 0x187, 0x0053003C, 0 });
	COUNTERS(&program, { 0, 0xC1, MASK40, 0, 0 }, { 1, 0xC2, MASK40, 0, (uint32_t)-9 });
	ck_assert_uint_eq(program.ack_reg, 0);
	REGISTERS(&cpu, 0x186, 0x187);
	setup_is(&cpu, 0, 0);

	cpu = named("core2");
	cpu.full_width = 0;
	program = accepted("version 2", &cpu, &c);
	COUNTERS(&program, { 0, 0xC1, MASK40, 1, 0 }, { 1, 0xC2, MASK40, 2, (uint32_t)-9 });
	ck_assert_uint_eq(program.ack_reg, 0x390);
	setup_is(&cpu, 0x38F, 0x700000003ull);
	ck_assert_uint_eq(perfctr_x86_register(&cpu, 32), 0x38D);
	ck_assert_uint_eq(perfctr_x86_register(&cpu, 33), 0);

	cpu = named("nehalem_ep");
	cpu.full_width = cpu.frontend = 0;
	setup_is(&cpu, 0x38F, 0x70000000Full);
	ck_assert_uint_eq(perfctr_x86_register(&cpu, 33), 0x1A6);
	ck_assert_uint_eq(perfctr_x86_register(&cpu, 34), 0);
	c.evntsel[0] = 0x004301B7;
	c.offcore_rsp[0] = 0x4711;
	program = accepted("version 3", &cpu, &c);
	WRITES(&program, { 33, 0x1A6, 0x4711, 0x4711 }, { 0, 0x186, 0x004301B7, 0x004301B7 },
	       { 1, 0x187, 0x0053003C, 0 });
	COUNTERS(&program, { 0, 0xC1, MASK48, 1, 0 }, { 1, 0xC2, MASK48, 2, (uint32_t)-9 });

	cpu = named("skylake");
	cpu.full_width = cpu.frontend = 1;
	memset(&c, 0, sizeof(c));
	c.nractrs = 4;
	c.nrictrs = 2;
	c.pmc_map[0] = 3;
	c.evntsel[0] = 0x004301C6;
	c.pmc_map[1] = FIXED + 2;
	c.evntsel[1] = 0x00030000;
	c.pmc_map[2] = 0;
	c.evntsel[2] = 0x004301BB;
	c.pmc_map[3] = 1;
	c.evntsel[3] = 0x004301B7;
	c.pmc_map[4] = 2;
	c.evntsel[4] = 0x005100C0;
	c.ireset[4] = -5;
	c.pmc_map[5] = FIXED + 1;
	c.evntsel[5] = 0x00110000;
	c.ireset[5] = -6;
	c.offcore_rsp[0] = 0x80000001;
	c.offcore_rsp_high[0] = 0x3F;
	c.pebs_frontend = 0x400406;
	program = accepted_with("version 4", &cpu, &c, EXTENDED);
	/* Extra registers come first; one of 0 is written too, lest an older value stays. */
	WRITES(&program, { 33, 0x1A6, 0x3F80000001, 0x3F80000001 }, { 34, 0x1A7, 0, 0 },
	       { 35, 0x3F7, 0x400406, 0x400406 }, { 3, 0x189, 0x004301C6, 0x004301C6 },
	       { 32, 0x38D, 0x3A0, 0x300 }, { 0, 0x186, 0x004301BB, 0x004301BB },
	       { 1, 0x187, 0x004301B7, 0x004301B7 }, { 2, 0x188, 0x005100C0, 0 });
	COUNTERS(&program, { 3, 0x4C4, MASK48, 8, 0 }, { FIXED + 2, 0x30B, MASK48, 4ull << 32, 0 },
		 { 0, 0x4C1, MASK48, 1, 0 }, { 1, 0x4C2, MASK48, 2, 0 },
		 { 2, 0x4C3, MASK48, 4, (uint32_t)-5 },
		 { FIXED + 1, 0x30A, MASK48, 2ull << 32, (uint32_t)-6 });
	ck_assert_uint_eq(program.ack_reg, 0x390);
	ck_assert_uint_eq(program.by_register, 0);
	REGISTERS(&cpu, 0x186, 0x187, 0x188, 0x189, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x38D, 0x1A6, 0x1A7, 0x3F7);
	cpu.full_width = 0;
	program = accepted_with("not full width", &cpu, &c, EXTENDED);
	ck_assert_uint_eq(program.counter[0].reg, 0xC4);

	cpu = named("icelake");
	setup_is(&cpu, 0x38F, 0xF000000FFull);
	ck_assert_uint_eq(perfctr_x86_register(&cpu, 7), 0x18D);
	ck_assert_uint_eq(perfctr_x86_register(&cpu, 8), 0);

	cpu = named("lioncove");
	setup_is(&cpu, 0x38F, 0xF000003FFull);
	c = amode(1, 0x004300C0);
	c.pmc_map[0] = 9;
	c.evntsel_high[0] = 0xFF10;
	program = accepted_with("version 6", &cpu, &c, EXTENDED);
	WRITES(&program, { 9, 0x1925, 0xFF10004300C0ull, 0xFF10004300C0ull });
	/* Sets with holes, which leaf 23H may have, and a hypervisor's leaf 0AH. */
	cpu.counters = 0x5;
	cpu.fixed = 0x9;
	setup_is(&cpu, 0x38F, 0x900000005ull);
	ck_assert_uint_eq(perfctr_x86_register(&cpu, 1), 0);
	ck_assert_uint_eq(perfctr_x86_register(&cpu, 2), 0x1909);
	c = amode(1, 0x004300C0);
	TRY(&cpu, &c, { "counter 2", { W(pmc_map[0], 2) }, ACCEPTED },
	    { "counter 1", { W(pmc_map[0], 1) }, REFUSED("pmc_map", 0, 1, "no such counter") },
	    { "fixed counter 3", { W(pmc_map[0], FIXED + 3) }, ACCEPTED },
	    { "fixed counter 1",
	      { W(pmc_map[0], FIXED + 1) },
	      REFUSED("pmc_map", 0, FIXED + 1, "no such fixed counter") });
	/* As many and as wide as may be. */
	cpu.counters = 0xFFFFFFFF;
	cpu.width = 64;
	TRY(&cpu, &c, { "counter 31", { W(pmc_map[0], 31) }, ACCEPTED },
	    { "counter 32", { W(pmc_map[0], 32) }, REFUSED("pmc_map", 0, 32, "no such counter") });
	program = accepted_with("64 bits", &cpu, &c, EXTENDED);
	ck_assert_uint_eq(program.counter[0].mask, ~0ull);
	setup_is(&cpu, 0x38F, 0x9FFFFFFFFull);
}
END_TEST

/* ---- the registers of counters ---- */

START_TEST(counters)
{
	static const struct {
		const char *id;
		uint32_t first, step;
		unsigned int full_width;
	} cpus[] = {
		{ "p5", 0x12, 1, 0 },		{ "mii", 0x12, 1, 0 },
		{ "winchip_2", 0x12, 1, 0 },	{ "piii", 0xC1, 1, 0 },
		{ "c3", 0xC1, 1, 0 },		{ "k7", 0xC0010004, 1, 0 },
		{ "fam10h", 0xC0010004, 1, 0 }, { "zen3", 0xC0010201, 2, 0 },
		{ "p4", 0x300, 1, 0 },		{ "core2", 0xC1, 1, 0 },
		{ "skylake", 0xC1, 1, 1 },	{ "lioncove", 0xC1, 1, 1 },
	};
	struct perfctr_cpu cpu;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		cpu = named(cpus[i].id);
		cpu.full_width = cpus[i].full_width & 1;
		for (n = 0; n < 300; n++)
			ck_assert_uint_eq(perfctr_x86_counter(&cpu, n),
					  n < 32 && cpu.counters >> n & 1
						  ? cpus[i].first + n * cpus[i].step
						  : 0);
	}
}
END_TEST

/* ---- what is printed, and words that mean something only if the caller says so ---- */

START_TEST(fields)
{
	static const char *const ids[] = { "p5", "k7", "zen4", "piii", "core2", "skylake" };
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		cpu = named(i ? "p4m3" : "p4");
		FIELDS(&cpu, MEMBER(tsc_on, 0), MEMBER(nractrs, 0), MEMBER(nrictrs, 0),
		       MEMBER(pmc_map, 18), MEMBER(evntsel, 18), MEMBER(p4.escr, 18),
		       MEMBER(ireset, 18), MEMBER(p4.pebs_enable, 0),
		       MEMBER(p4.pebs_matrix_vert, 0));
	}
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		cpu = named(ids[i]);
		FIELDS(&cpu, MEMBER(tsc_on, 0), MEMBER(nractrs, 0), MEMBER(nrictrs, 0),
		       MEMBER(pmc_map, 18), MEMBER(evntsel, 18), MEMBER(evntsel_high, 18),
		       MEMBER(ireset, 18), MEMBER(offcore_rsp, 2), MEMBER(offcore_rsp_high, 2),
		       MEMBER(pebs_frontend, 0));
	}
}
END_TEST

/* Both upper halves of the offcore response registers, on processors that have none. */
START_TEST(no_offcore_high)
{
	static const char *const ids[] = { "piii",  "k7",	  "zen4",
					   "core2", "nehalem_ep", "westmere_dp" };
	struct perfctr_cpu_control c = amode(1, 0x004300C0), event = amode(1, 0x004301B7);
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i <= ARRAY_SIZE(ids); i++) {
		/* One whose registers have 32 bits has no upper halves, either. */
		cpu = named(i < ARRAY_SIZE(ids) ? ids[i] : "skylake");
		cpu.offcore_width = i < ARRAY_SIZE(ids) ? cpu.offcore_width : 32;
		TRY_WITH(&cpu, &c, EXTENDED,
			 { "first",
			   { W(offcore_rsp_high[0], 1) },
			   REFUSED("offcore_rsp_high", 0, 1, "no such register") },
			 { "second",
			   { W(offcore_rsp_high[1], 0x80000000) },
			   REFUSED("offcore_rsp_high", 1, 0x80000000, "no such register") },
			 { "both",
			   { W(offcore_rsp_high[0], 2), W(offcore_rsp_high[1], 1) },
			   REFUSED("offcore_rsp_high", 0, 2, "no such register") });
		TRY(&cpu, &event, { "2.6's", { W(offcore_rsp_high[0], 1) }, IGNORED },
		    { "2.6's second", { W(offcore_rsp_high[1], 1) }, IGNORED });
	}
}
END_TEST

/* A control for a whole CPU has no words more, and one with more words is no CPU's. */
START_TEST(flags)
{
	struct perfctr_cpu_control c = amode(1, 0x004300C0);
	struct perfctr_cpu cpu = named("k7");

	TRY_WITH(&cpu, &c, PERFCTR_COMPILE_GLOBAL, { "2.6's", { W(pebs_frontend, 1) }, IGNORED });
	TRY_WITH(&cpu, &c, EXTENDED,
		 { "ours",
		   { W(pebs_frontend, 1) },
		   REFUSED("pebs_frontend", -1, 1, "no such register") });
	cpu = p4_cpu(3, 1);
	c = p4_control();
	TRY_WITH(&cpu, &c, EXTENDED,
		 { "T1",
		   { W(p4.escr[1], 0x26000205) },
		   REFUSED("p4.escr", 1, 1, "CPL_T1 (1, 0) is for global") });
	TRY_WITH(&cpu, &c, PERFCTR_COMPILE_GLOBAL,
		 { "T1", { W(p4.escr[1], 0x26000205) }, ACCEPTED });
}
END_TEST

/* ---- every processor ---- */

/* Every id has a control that it accepts, refuses what has no counter, and knows its registers. */
START_TEST(every_processor)
{
	struct perfctr_program program;
	struct perfctr_cpu_control c;
	struct perfctr_cpu cpu;
	const char *id;
	unsigned int n;

	for (n = 0; (id = perfctr_isa_id(&perfctr_x86, n)) != NULL; n++) {
		cpu = named(id);
		switch (cpu.rules) {
		case PERFCTR_RULES_P4: c = p4_control(); break;
		case PERFCTR_RULES_C3:
			c = amode(1, 0xC0);
			c.pmc_map[0] = 1;
			break;
		case PERFCTR_RULES_P5:
		case PERFCTR_RULES_MII:
		case PERFCTR_RULES_WINCHIP: c = amode(1, 0xC0); break;
		default: c = amode(1, 0x004300C0);
		}
		if (cpu.no_tsc)
			c.tsc_on = 0;
		program = accepted("every", &cpu, &c);
		ck_assert_uint_gt(program.nr_writes, 0);
		c.pmc_map[0] = 0x20000000;
		refused("every", &cpu, &c, "pmc_map", 0, 0x20000000, "counter");
		/* The clock needs no register. */
		c.nractrs = 0;
		ck_assert_uint_eq(accepted("none", &cpu, &c).nr_writes, 0);
	}
	ck_assert_uint_gt(n, 50);
}
END_TEST

/* ---- who sees more than his own user mode ---- */

START_TEST(privileged)
{
	static const struct {
		const char *id;
		uint32_t map, evntsel, escr;
		unsigned int privileged;
	} all[] = {
		{ "piii", 0, 0x004100C0, 0, 0 },
		{ "piii", 0, 0x004200C0, 0, 1 },
		{ "k7", 0, 0x004100C0, 0, 0 },
		{ "k7", 0, 0x004200C0, 0, 1 },
		{ "fam10h", 0, 0x004100C0, 0, 0 },
		{ "fam10h", 0, 0x004200C0, 0, 1 },
		/* The northbridge counts the whole node. */
		{ "fam10h", 0, 0x004100E0, 0, 1 },
		{ "zen3", 0, 0x004100C0, 0, 0 },
		{ "zen3", 0, 0x004200C0, 0, 1 },
		{ "core2", 0, 0x004100C0, 0, 0 },
		{ "core2", 0, 0x004200C0, 0, 1 },
		{ "skylake", 0, 0x004100C0, 0, 0 },
		{ "skylake", 0, 0x004200C0, 0, 1 },
		{ "skylake", FIXED, 0x00010000, 0, 0 },
		{ "skylake", FIXED, 0x00020000, 0, 1 },
		/* AnyThread. */
		{ "skylake", 0, 0x006100C0, 0, 1 },
		{ "p5mmx", 0, 0x80, 0, 0 },
		{ "p5mmx", 0, 0xC0, 0, 1 },
		/* These can't tell. */
		{ "winchip_c6", 0, 1, 0, 1 },
		{ "c3", 1, 0xC0, 0, 1 },
		{ "p4", 12, 0x00039000, 0x04000204, 0 },
		{ "p4", 12, 0x00039000, 0x0400020C, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_cpu_control c = amode(1, all[i].evntsel);
		struct perfctr_cpu cpu = named(all[i].id);

		c.tsc_on = 0;
		c.pmc_map[0] = all[i].map;
		if (all[i].escr)
			c.p4.escr[0] = all[i].escr;
		ck_assert_msg(accepted("privileged", &cpu, &c).privileged == all[i].privileged,
			      "%s, %#x of counter %#x", all[i].id, all[i].evntsel, all[i].map);
	}
}
END_TEST

/* perfctr 2.6's x86.c: a thread's northbridge events are refused with EPERM, before other mistakes.
 */
START_TEST(k8_revision_e)
{
	struct perfctr_cpu_control c = amode(3, 0x004300C0);
	struct perfctr_cpu cpu = named("k8_c");

	c.evntsel[1] = 0x004301E0;
	ck_assert_uint_eq(cpu.nb_resets, 0);
	ck_assert_uint_eq(accepted("another revision", &cpu, &c).one_core, 1);
	cpu.nb_resets = 1;
	forbidden("a thread", &cpu, &c, "evntsel", 1, 0xE0, "northbridge's events");
	ck_assert_uint_eq(accepted_with("a processor", &cpu, &c, PERFCTR_COMPILE_GLOBAL).one_core,
			  0);
	c.evntsel[1] = 0x002301FF;
	forbidden("not enabled, reserved bit", &cpu, &c, "evntsel", 1, 0xFF,
		  "northbridge's events");
	c.evntsel[1] = 0x004301DF;
	ck_assert_uint_eq(accepted("not the northbridge's", &cpu, &c).one_core, 0);
	c.evntsel[1] = 0x004300C0;
	c.evntsel[3] = 0x004300E0;
	ck_assert_uint_eq(accepted("an unused place", &cpu, &c).one_core, 0);
}
END_TEST

/* ---- found by reading the manuals again ---- */

/* MSR_OFFCORE_RSP_0 and _1 of Westmere have 16 bits as Nehalem's: SDM vol. 4 table 2-16. */
START_TEST(westmere_offcore)
{
	struct perfctr_cpu_control c = amode(2, 0x004301B7);
	struct perfctr_cpu cpu = named("westmere_dp");

	c.evntsel[1] = 0x004301BB;
	TRY(&cpu, &c,
	    { "bit 16",
	      { W(offcore_rsp[0], 0x10001) },
	      REFUSED("offcore_rsp", 0, 0x10000, "reserved on this processor") },
	    { "bit 16 of the second",
	      { W(offcore_rsp[1], 0x10001) },
	      REFUSED("offcore_rsp", 1, 0x10000, "reserved on this processor") },
	    { "no upper half", { W(offcore_rsp_high[0], 1) }, IGNORED });
}
END_TEST

/* Only MSR_OFFCORE_RSP0 of the small cores has OUTSTANDING: bit 38, since Tremont bit 63. */
START_TEST(outstanding_offcore)
{
	static const struct {
		const char *id;
		unsigned int high;
	} all[] = {
		{ "silvermont", 0x40 },	      { "knightslanding", 0x40 },
		{ "goldmont", 0x40 },	      { "goldmontplus", 0x40 },
		{ "snowridgex", 0x80000000 }, { "elkhartlake", 0x80000000 },
		{ "gracemont", 0x80000000 },  { "crestmont", 0x80000000 },
	};
	struct perfctr_cpu_control c = amode(2, 0x004301B7);
	struct perfctr_cpu cpu;
	unsigned int i;

	c.evntsel[1] = 0x004302B7;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		cpu = named(all[i].id);
		TRY_WITH(&cpu, &c, EXTENDED,
			 { "the first", { W(offcore_rsp_high[0], all[i].high) }, ACCEPTED },
			 { "the second",
			   { W(offcore_rsp_high[1], all[i].high) },
			   REFUSED("offcore_rsp_high", 1, all[i].high,
				   "reserved on this processor") },
			 { "below it", { W(offcore_rsp_high[1], 0x20) }, ACCEPTED });
	}
}
END_TEST

/*
 * Every bit of both registers alone: those that Linux 7.3 lets perf_events have, and those that
 * Intel's lists of events set, too.
 */
START_TEST(offcore_holes)
{
	static const struct {
		const char *id;
		uint64_t valid[2];
	} all[] = {
		{ "nehalem_ep", { 0xFFFF, 0 } },
		{ "westmere_dp", { 0xFFFF, 0xFFFF } },
		{ "sandybridge", { 0x3F807F8FFF, 0x3F807F8FFF } },
		{ "ivybridge", { 0x3F807F8FFF, 0x3F807F8FFF } },
		{ "jaketown", { 0x3FFFFF8FFF, 0x3FFFFF8FFF } },
		{ "ivytown", { 0x3FFFFF8FFF, 0x3FFFFF8FFF } },
		{ "haswell", { 0x3FFFFF8FFF, 0x3FFFFF8FFF } },
		{ "broadwellde", { 0x3FFFFF8FFF, 0x3FFFFF8FFF } },
		{ "skylakex", { 0x3FFFFF8FFF, 0x3FFFFF8FFF } },
		{ "icelakex", { 0x3FFFFFBFFF, 0x3FFFFFBFFF } },
		{ "tigerlake", { 0x3FFFFFBFFF, 0x3FFFFFBFFF } },
		{ "sapphirerapids", { 0x3FFFFFFFFF, 0x3FFFFFFFFF } },
		{ "redwoodcove", { 0x3FFFFFFFFF, 0x3FFFFFFFFF } },
		{ "lioncove", { 0xFFFFFFFFFFF, 0xFFFFFFFFFFF } },
		{ "silvermont", { 0x768005FFFF, 0x368005FFFF } },
		{ "knightslanding", { 0x799FFBFFFF, 0x399FFBFFFF } },
		{ "goldmont", { 0x760005FFBF, 0x360005FFBF } },
		{ "goldmontplus", { 0x760045FFBF, 0x360045FFBF } },
		{ "snowridgex", { 0x800FF0FFFFFF9FFF, 0xFF0FFFFFF9FFF } },
		{ "gracemont", { 0x8003F03FFFFFFFFF, 0x3F03FFFFFFFFF } },
		{ "sierraforest", { 0x800FF3FFFFFFFFFF, 0xFF3FFFFFFFFFF } },
		{ "skymont", { 0x800FF3FFFFFFFFFF, 0xFF3FFFFFFFFFF } },
	};
	static const uint32_t codes[2] = { 0x01B7, 0x01BB };
	struct perfctr_program program;
	struct perfctr_diagnosis d;
	unsigned int i, n, bit;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_cpu cpu = named(all[i].id);

		for (n = 0; n < cpu.offcore; n++)
			for (bit = 0; bit < (cpu.offcore_width > 32 ? 64 : 32); bit++) {
				struct perfctr_cpu_control c = amode(1, 0x00430000 | codes[n]);

				c.offcore_rsp[n] = bit < 32 ? 1u << bit : 0;
				c.offcore_rsp_high[n] = bit < 32 ? 0 : 1u << (bit - 32);
				ck_assert_msg((perfctr_x86_compile(&cpu, &c, EXTENDED, &program,
								   &d) == 0) ==
						      (all[i].valid[n] >> bit & 1),
					      "%s, register %u, bit %u", all[i].id, n, bit);
			}
	}
}
END_TEST

/* The word that is there for nothing is the upper half. */
START_TEST(offcore_high_without_event)
{
	struct perfctr_cpu_control c = amode(2, 0x004300C0);
	struct perfctr_cpu cpu = named("skylake");

	TRY_WITH(&cpu, &c, EXTENDED,
		 { "upper half only",
		   { W(offcore_rsp_high[1], 0x10) },
		   REFUSED("offcore_rsp_high", 1, 0x10,
			   "no counter has the offcore response event") });
}
END_TEST

/* The event of a fixed counter is ignored: it is no FRONTEND_RETIRED. */
START_TEST(frontend_of_a_fixed_counter)
{
	struct perfctr_cpu_control c = amode(1, 0x000301C6);
	struct perfctr_cpu cpu = named("skylake");

	cpu.frontend = 1;
	c.pmc_map[0] = FIXED;
	TRY(&cpu, &c, { "fixed", { W(pebs_frontend, 0x11) }, IGNORED });
	TRY_WITH(&cpu, &c, EXTENDED,
		 { "fixed",
		   { W(pebs_frontend, 0x11) },
		   REFUSED("pebs_frontend", -1, 0x11, "FRONTEND_RETIRED") });
}
END_TEST

/* IA32_FIXED_CTR_CTRL has room for 16 counters, whatever a hypervisor's leaf 0AH or 23H says. */
START_TEST(seventeen_fixed_counters)
{
	struct perfctr_cpu_control c = amode(1, USR_OS);
	struct perfctr_cpu cpu = named("icelake");

	cpu.fixed = 0xFFFFFFFF;
	c.pmc_map[0] = FIXED + 16;
	TRY(&cpu, &c, { "the 16th", { W(pmc_map[0], FIXED + 15) }, ACCEPTED },
	    { "the 17th", { { 0 } }, REFUSED("pmc_map", 0, FIXED + 16, "no such fixed counter") });
}
END_TEST

/*
 * Non-sleep clockticks, SDM vol. 3B, counting clocks on NetBurst: threshold 15 with COMPARE and
 * COMPLEMENT is met in every cycle, whatever CPL the ESCR asks for. And the 2004 API has no rule
 * that an ESCR must have a CPL bit.
 */
START_TEST(p4_clockticks)
{
	struct perfctr_cpu_control c = p4_control();
	struct perfctr_cpu cpu = p4_cpu(2, 0);

	TRY(&cpu, &c,
	    { "clockticks", { W(evntsel[0], 0x00FF9000), W(p4.escr[0], 0x04000200) }, ACCEPTED });
}
END_TEST

/*
 * Nothing shows that a cascade has started but the counter itself, and only a write of its CCCR
 * undoes that: so such an a-mode counter is stopped while its thread does not run. SDM vol. 3B,
 * cascading counters.
 */
START_TEST(p4_cascades_stop)
{
	static const struct {
		uint32_t cccr, stopped;
	} cases[] = {
		{ 0x00039000, 0x00039000 }, { 0x40038000, 0 }, /* CASCADE */
		{ 0x40039000, 0 },	    { 0x00038800, 0 }, /* EXTENDED_CASCADE */
		{ 0x40038800, 0 },
	};
	struct perfctr_cpu_control c = p4_control();
	struct perfctr_cpu cpu = p4_cpu(2, 0);
	struct perfctr_program program;
	unsigned int i;

	c.nractrs = 1;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c.evntsel[0] = cases[i].cccr;
		program = accepted("cascade", &cpu, &c);
		writes_has(&program, 12, 0x36C, cases[i].cccr, cases[i].stopped);
		ck_assert_uint_eq(program.stops, cases[i].stopped == 0);
	}
}
END_TEST

/* Who counts the core's other thread sees more than his own, in user mode too. */
START_TEST(p4_other_thread)
{
	static const uint32_t escrs[][2] = { { 0x04000204, 0 },
					     { 0x04000208, 1 },
					     { 0x04000201, 1 },
					     { 0x04000202, 1 },
					     { 0x04000200, 0 } };
	struct perfctr_cpu_control c = p4_control();
	struct perfctr_cpu cpu = p4_cpu(3, 1);
	unsigned int i;

	c.nractrs = 1;
	for (i = 0; i < ARRAY_SIZE(escrs); i++) {
		c.p4.escr[0] = escrs[i][0];
		ck_assert_uint_eq(
			accepted_with("ESCR", &cpu, &c, PERFCTR_COMPILE_GLOBAL).privileged,
			escrs[i][1]);
	}
}
END_TEST

/* The kernel's codes for the bytes of PERF_METRICS are no events, and its RDPMC number no
 * counter's. */
START_TEST(top_down_metrics)
{
	struct perfctr_cpu_control c = amode(2, 0x004300C0);
	struct perfctr_cpu cpu = named("sapphirerapids");

	TRY(&cpu, &c,
	    { "slots", { W(pmc_map[1], FIXED + 3), W(evntsel[1], 0x00430400) }, ACCEPTED },
	    { "retiring",
	      { W(evntsel[1], 0x00438000) },
	      REFUSED("evntsel", 1, 0x8000, "a top-down metric is a share of the slots") },
	    { "memory bound",
	      { W(evntsel[0], 0x00418700) },
	      REFUSED("evntsel", 0, 0x8700, "count slots,topdown-... by name in a group") },
	    { "what is none", { W(evntsel[1], 0x004380C0) }, ACCEPTED },
	    { "PERF_METRICS",
	      { W(pmc_map[1], 0x20000000) },
	      REFUSED("pmc_map", 1, 0x20000000, "no such counter") },
	    { "PERF_METRICS, fixed",
	      { W(pmc_map[1], FIXED | 0x20000000) },
	      REFUSED("pmc_map", 1, FIXED | 0x20000000, "no such fixed counter") });
	/* AMD's event 0 has such unit masks. */
	cpu = named("zen1");
	c.evntsel[1] = 0x00438000;
	accepted("AMD", &cpu, &c);
}
END_TEST

/*
 * The registers that FRONTEND_RETIRED and replay tagging depend on are written when they are 0 too,
 * as the offcore response registers are: else the last user's value selects what this one counts.
 */
START_TEST(zero_is_written_too)
{
	struct perfctr_cpu_control c = amode(1, 0x004301C6);
	struct perfctr_cpu cpu = named("skylake");
	struct perfctr_program program;

	cpu.frontend = 1;
	program = accepted("frontend", &cpu, &c);
	writes_has(&program, 35, 0x3F7, 0, 0);
	cpu = p4_cpu(2, 0);
	c = p4_control();
	program = accepted("replay tagging", &cpu, &c);
	writes_has(&program, 84, 0x3F1, 0, 0);
	writes_has(&program, 85, 0x3F2, 0, 0);
}
END_TEST

UNIT_MAIN("rules_x86", 60, common, counters, generic, p5, mii, winchip, p6, c3, k7, amd_core,
	  amd_pairs, northbridge, p4_cccr, p4_active_thread, p4_extended_cascade, p4_escr_map,
	  p4_escr, p4_replay_tagging, p4_programs, arch_event_selects, arch_extensions,
	  arch_fixed_counters, arch_core_shared, arch_offcore, arch_off_module, arch_frontend,
	  arch_programs, every_processor, privileged, k8_revision_e, westmere_offcore,
	  outstanding_offcore, offcore_holes, offcore_high_without_event,
	  frontend_of_a_fixed_counter, seventeen_fixed_counters, p4_clockticks, top_down_metrics,
	  zero_is_written_too, fields, no_offcore_high, flags, p4_cascades_stop, p4_other_thread)
