// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The control rules of PowerPC, on any host: for each sentence of "PERFCTRS PPC32 LOW-LEVEL API"
 * and each diagnosis, a valid control broken in that one place, and one that stays just inside.
 *
 * Numbers are written from the manuals, not from arch/: MPC604EUM, MPC750UM, MPC7400UM and
 * MPC7450UM, chapters 9 and 11.
 */
#include <perfctr/abi-powerpc.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "tests/unit/rules.h"

static struct tested tested = { &perfctr_powerpc, perfctr_powerpc_register, perfctr_powerpc_setup,
				1 };

#define FC	   0x80000000u
#define PMXE	   0x04000000u
#define FCECE	   0x02000000u
#define PMC1CE	   0x00008000u
#define PMCjCE	   0x00004000u
#define TRIGGER	   0x00002000u
#define THRESHMULT 0x80000000u

/* n a-mode counters, on the first counters: cycles, instructions, cycles, ... */
static struct perfctr_cpu_control amode(unsigned int n)
{
	struct perfctr_cpu_control c;
	unsigned int i;

	memset(&c, 0, sizeof(c));
	c.tsc_on = 1;
	c.nractrs = n;
	for (i = 0; i < n; i++) {
		c.pmc_map[i] = i;
		c.evntsel[i] = 1 + (i & 1);
	}
	return c;
}

/* The first nractrs of n are a-mode counters, the rest i-mode counters, with what they need. */
static struct perfctr_cpu_control imode(unsigned int nractrs, unsigned int n, uint32_t mmcr0)
{
	struct perfctr_cpu_control c = amode(n);
	unsigned int i;

	c.nractrs = nractrs;
	c.nrictrs = n - nractrs;
	for (i = nractrs; i < n; i++)
		c.ireset[i] = 0x7FFFFC00;
	c.ppc.mmcr0 = PMXE | mmcr0;
	return c;
}

/* Registers that the program clears. */
static void clears_are(const struct perfctr_program *p, const uint32_t *regs, size_t n)
{
	size_t i;

	ck_assert_uint_eq(p->nr_clears, n);
	for (i = 0; i < n; i++)
		ck_assert_uint_eq(p->clear[i], regs[i]);
}

#define CLEARS(program, ...)                                 \
	do {                                                 \
		const uint32_t list[] = { __VA_ARGS__ };     \
		clears_are(program, list, ARRAY_SIZE(list)); \
	} while (0)

/* How each processor differs, by the manuals. */
static const struct processor {
	const char *id;
	unsigned int type, counters, mmcrs;
} processors[] = {
	{ "ppc604", PERFCTR_PPC_604, 2, 1 },   { "ppc604e", PERFCTR_PPC_604e, 4, 2 },
	{ "ppc750", PERFCTR_PPC_750, 4, 2 },   { "ppc7400", PERFCTR_PPC_7400, 4, 3 },
	{ "ppc7450", PERFCTR_PPC_7450, 6, 3 },
};

/* PMC1 to PMC6: the SPR, and the selector's width and place in MMCR0 or MMCR1. */
static const struct {
	uint32_t spr;
	unsigned int bits, shift;
} pmcs[] = {
	{ 953, 7, 6 },	{ 954, 6, 0 },	{ 957, 5, 27 },
	{ 958, 5, 22 }, { 945, 5, 17 }, { 946, 6, 11 },
};

START_TEST(common)
{
	struct perfctr_cpu_control c = amode(4), i4 = imode(1, 4, PMCjCE);
	struct perfctr_cpu cpu = named("ppc7400");

	TRY(&cpu, &c, { "as it is", { { 0 } }, ACCEPTED },
	    { "nothing", { W(tsc_on, 0), W(nractrs, 0) }, ACCEPTED },
	    { "time base only", { W(nractrs, 0) }, ACCEPTED },
	    { "9 counters",
	      { W(nractrs, 9) },
	      REFUSED("nractrs", -1, 9, "there are not so many counters") },
	    { "4 and 5",
	      { W(nrictrs, 5) },
	      REFUSED("nrictrs", -1, 5, "there are not so many counters") },
	    { "wraps to 0",
	      { W(nrictrs, 0xFFFFFFFC) },
	      REFUSED("nrictrs", -1, 0xFFFFFFFC, "there are not so many counters") },
	    { "2^32 - 1",
	      { W(nractrs, 0xFFFFFFFF), W(nrictrs, 1) },
	      REFUSED("nractrs", -1, 0xFFFFFFFF, "there are not so many counters") },
	    { "five, as a 7450",
	      { W(nractrs, 5), W(pmc_map[4], 4) },
	      REFUSED("pmc_map", 4, 4, "no such counter") },
	    { "counter 32", { W(pmc_map[2], 32) }, REFUSED("pmc_map", 2, 32, "no such counter") },
	    { "an SPR number",
	      { W(pmc_map[0], 953) },
	      REFUSED("pmc_map", 0, 953, "no such counter") },
	    { "2^32 - 1",
	      { W(pmc_map[0], 0xFFFFFFFF) },
	      REFUSED("pmc_map", 0, 0xFFFFFFFF, "no such counter") },
	    { "twice",
	      { W(pmc_map[3], 1) },
	      REFUSED("pmc_map", 3, 1, "another counter is mapped") },
	    { "any order", { W(pmc_map[0], 3), W(pmc_map[3], 0) }, ACCEPTED },
	    { "reserved 1", { W(_reserved1, 1) }, IGNORED },
	    { "reserved 2", { W(_reserved2, 2) }, IGNORED },
	    { "reserved 3", { W(_reserved3, 4) }, IGNORED },
	    { "reserved 4", { W(_reserved4, 0x80000000) }, IGNORED });
	/* Overflow is the transition to negative, so start values are not negative. */
	TRY(&cpu, &i4, { "as it is", { { 0 } }, ACCEPTED },
	    { "starts at 0", { W(ireset[3], 0) }, ACCEPTED },
	    { "starts at 2^31 - 1", { W(ireset[3], 0x7FFFFFFF) }, ACCEPTED },
	    { "starts at -2^31",
	      { W(ireset[3], 0x80000000) },
	      REFUSED("ireset", 3, 0x80000000, "must not be negative") },
	    { "starts at -1",
	      { W(ireset[1], 0xFFFFFFFF) },
	      REFUSED("ireset", 1, 0xFFFFFFFF, "must not be negative") },
	    { "that of an a-mode counter", { W(ireset[0], 0xFFFFFFFF) }, ACCEPTED });
	cpu.pcint = 0;
	TRY(&cpu, &c, { "a-mode without interrupts", { { 0 } }, ACCEPTED },
	    { "PMXE without interrupts",
	      { W(ppc.mmcr0, PMXE) },
	      REFUSED("ppc.mmcr0", -1, PMXE, "PMXE needs an i-mode counter") });
	TRY(&cpu, &i4,
	    { "i-mode without interrupts",
	      { { 0 } },
	      FORBIDDEN("nrictrs", -1, 3, "can't interrupt") });
}
END_TEST

START_TEST(generic)
{
	struct perfctr_cpu_control c = amode(0);
	struct perfctr_program program;
	struct perfctr_cpu cpu;

	perfctr_powerpc_identify(0x12345678, &cpu);
	TRY(&cpu, &c, { "time base", { { 0 } }, ACCEPTED },
	    { "nothing, as at the end", { W(tsc_on, 0) }, ACCEPTED },
	    { "a-mode", { W(nractrs, 1) }, REFUSED("nractrs", -1, 1, "has no counters") },
	    { "i-mode",
	      { W(nrictrs, 2), W(pmc_map[1], 1) },
	      FORBIDDEN("nrictrs", -1, 2, "has no counters") },
	    { "PMC1SEL",
	      { W(ppc.mmcr0, 0x40) },
	      REFUSED("ppc.mmcr0", -1, 0x40, "belong in evntsel[]") },
	    { "mmcr2",
	      { W(ppc.mmcr2, THRESHMULT) },
	      REFUSED("ppc.mmcr2", -1, THRESHMULT, "only on a 74xx") },
	    { "reserved", { W(_reserved3, 1) }, IGNORED });
	program = accepted("generic", &cpu, &c);
	ck_assert_uint_eq(program.nr_writes, 0);
	ck_assert_int_eq(program.async, -1);
	registers_are(&cpu, NULL, 0);
	setup_is(&cpu, 0, 0);
}
END_TEST

/* Counters, the width of each one's selector, and where it goes. */
START_TEST(selectors)
{
	unsigned int k, n, bit;

	for (k = 0; k < ARRAY_SIZE(processors); k++) {
		const struct processor *p = &processors[k];
		struct perfctr_cpu_control c = amode(p->counters);
		struct perfctr_cpu cpu = named(p->id);
		struct perfctr_program program;

		ck_assert_uint_eq(cpu.type, p->type);
		accepted("all counters", &cpu, &c);
		TRY(&cpu, &c,
		    { "one too many",
		      { W(pmc_map[0], p->counters) },
		      REFUSED("pmc_map", 0, p->counters, "no such counter") },
		    { "number 6",
		      { W(pmc_map[1], 6) },
		      REFUSED("pmc_map", 1, 6, "no such counter") });
		for (n = 0; n < p->counters; n++) {
			uint32_t largest = (1u << pmcs[n].bits) - 1;
			uint64_t value = (uint64_t)largest << pmcs[n].shift;

			c = amode(1);
			c.pmc_map[0] = n;
			c.evntsel[0] = largest;
			program = accepted("largest", &cpu, &c);
			COUNTERS(&program, { n, pmcs[n].spr, 0xFFFFFFFF, 0, 0 });
			if (p->mmcrs == 1)
				WRITES(&program, { 0, 952, value, value });
			else if (p->mmcrs == 2 && n < 2)
				WRITES(&program, { 1, 956, 0, 0 }, { 0, 952, value, value });
			else if (p->mmcrs == 2)
				WRITES(&program, { 1, 956, value, value }, { 0, 952, 0, 0 });
			else if (n < 2)
				WRITES(&program, { 1, 956, 0, 0 }, { 2, 944, 0, 0 },
				       { 0, 952, value, value });
			else
				WRITES(&program, { 1, 956, value, value }, { 2, 944, 0, 0 },
				       { 0, 952, 0, 0 });
			for (bit = pmcs[n].bits; bit < 32; bit++) {
				c.evntsel[0] = 1u << bit;
				refused("too large", &cpu, &c, "evntsel", 0, 1u << bit,
					"too large for this counter's selector");
			}
			c.evntsel[0] = 0xFFFFFFFF;
			refused("all bits", &cpu, &c, "evntsel", 0, 0xFFFFFFFF, "too large");
		}
	}
}
END_TEST

START_TEST(mmcr0)
{
	unsigned int k, bit;

	for (k = 0; k < ARRAY_SIZE(processors); k++) {
		struct perfctr_cpu_control c = amode(2), i2 = imode(0, 2, PMC1CE | PMCjCE);
		struct perfctr_cpu cpu = named(processors[k].id);

		/* PMC1SEL and PMC2SEL; PMXE, PMC1CE and PMCjCE go with i-mode counters. */
		for (bit = 0; bit < 32; bit++) {
			uint32_t mask = 1u << bit;

			c.ppc.mmcr0 = mask;
			if (mask & 0x1FFF)
				refused("PMCnSEL", &cpu, &c, "ppc.mmcr0", -1, mask,
					"PMC1SEL and PMC2SEL belong in evntsel[]");
			else if (mask == PMXE)
				refused("PMXE", &cpu, &c, "ppc.mmcr0", -1, PMXE,
					"PMXE needs an i-mode counter");
			else if (mask == PMC1CE)
				refused("PMC1CE", &cpu, &c, "ppc.mmcr0", -1, PMC1CE,
					"exactly if PMC1 is an i-mode counter");
			else if (mask == PMCjCE)
				refused("PMCjCE", &cpu, &c, "ppc.mmcr0", -1, PMCjCE,
					"exactly if one of PMC2 to PMC6");
			else
				accepted("mmcr0", &cpu, &c);
		}
		TRY(&cpu, &i2, { "both", { { 0 } }, ACCEPTED },
		    { "all selector bits",
		      { W(ppc.mmcr0, 0xFFFFFFFF) },
		      REFUSED("ppc.mmcr0", -1, 0x1FFF, "belong in evntsel[]") },
		    { "no PMXE",
		      { W(ppc.mmcr0, PMC1CE | PMCjCE) },
		      REFUSED("ppc.mmcr0", -1, 0, "an i-mode counter needs PMXE") },
		    { "no PMC1CE",
		      { W(ppc.mmcr0, PMXE | PMCjCE) },
		      REFUSED("ppc.mmcr0", -1, 0, "PMC1CE (0x8000) must be set exactly") },
		    { "no PMCjCE",
		      { W(ppc.mmcr0, PMXE | PMC1CE) },
		      REFUSED("ppc.mmcr0", -1, 0, "PMCjCE (0x4000) must be set exactly") },
		    { "PMC2 only",
		      { W(nrictrs, 1), W(pmc_map[0], 1), W(ppc.mmcr0, PMXE | PMCjCE) },
		      ACCEPTED },
		    { "PMC2 only, but PMC1CE",
		      { W(nrictrs, 1), W(pmc_map[0], 1) },
		      REFUSED("ppc.mmcr0", -1, PMC1CE, "PMC1CE (0x8000) must be set exactly") },
		    { "PMC1 only", { W(nrictrs, 1), W(ppc.mmcr0, PMXE | PMC1CE) }, ACCEPTED },
		    { "PMC1 only, but PMCjCE",
		      { W(nrictrs, 1) },
		      REFUSED("ppc.mmcr0", -1, PMCjCE, "PMCjCE (0x4000) must be set exactly") },
		    { "PMC1 i-mode, PMC2 a-mode",
		      { W(nractrs, 1), W(nrictrs, 1), W(pmc_map[0], 1), W(pmc_map[1], 0),
			W(ppc.mmcr0, PMXE | PMC1CE) },
		      ACCEPTED },
		    { "PMC1 a-mode, PMC2 i-mode",
		      { W(nractrs, 1), W(nrictrs, 1), W(ppc.mmcr0, PMXE | PMCjCE) },
		      ACCEPTED },
		    { "PMC1 a-mode, but PMC1CE",
		      { W(nractrs, 1), W(nrictrs, 1) },
		      REFUSED("ppc.mmcr0", -1, PMC1CE, "PMC1CE (0x8000) must be set exactly") });
		if (processors[k].counters < 4)
			continue;
		i2 = imode(1, 2, PMCjCE);
		TRY(&cpu, &i2,
		    { "PMC3 with i-mode PMC2",
		      { W(pmc_map[0], 2) },
		      REFUSED("nractrs", -1, 1, "must all be i-mode or all be a-mode") },
		    { "PMC2 with i-mode PMC4",
		      { W(pmc_map[0], 1), W(pmc_map[1], 3) },
		      REFUSED("nractrs", -1, 1, "must all be i-mode or all be a-mode") },
		    { "PMC1 with i-mode PMC4", { W(pmc_map[1], 3) }, ACCEPTED });
	}
}
END_TEST

START_TEST(mmcr2)
{
	unsigned int k, bit;

	for (k = 0; k < ARRAY_SIZE(processors); k++) {
		struct perfctr_cpu_control c = amode(2);
		struct perfctr_cpu cpu = named(processors[k].id);

		for (bit = 0; bit < 32; bit++) {
			c.ppc.mmcr2 = 1u << bit;
			if (bit == 31 && processors[k].mmcrs == 3)
				accepted("THRESHMULT", &cpu, &c);
			else
				refused("mmcr2", &cpu, &c, "ppc.mmcr2", -1, 1u << bit,
					"only THRESHMULT (0x80000000) may be set");
		}
		c.ppc.mmcr2 = 0xFFFFFFFF;
		refused("mmcr2", &cpu, &c, "ppc.mmcr2", -1,
			processors[k].mmcrs == 3 ? 0x7FFFFFFF : 0xFFFFFFFF, "only on a 74xx");
	}
}
END_TEST

START_TEST(registers)
{
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(processors); k++) {
		const struct processor *p = &processors[k];
		const uint32_t mmcr[] = { 952, 956, 944 };
		struct perfctr_cpu cpu = named(p->id);

		registers_are(&cpu, mmcr, p->mmcrs);
		/* BAMR, the breakpoint address mask. */
		if (p->mmcrs == 3)
			setup_is(&cpu, 951, 0);
		else
			setup_is(&cpu, 0, 0);
	}
}
END_TEST

START_TEST(programs)
{
	struct perfctr_cpu_control c = amode(6);
	struct perfctr_cpu cpu = named("ppc7450");
	struct perfctr_program program;

	c.evntsel[0] = 0x41;
	c.evntsel[1] = 0x22;
	c.evntsel[2] = 0x13;
	c.evntsel[3] = 0x14;
	c.evntsel[4] = 0x15;
	c.evntsel[5] = 0x26;
	c.ppc.mmcr0 = 0x003F0000;
	c.ppc.mmcr2 = THRESHMULT;
	program = accepted("a-mode", &cpu, &c);
	/* MMCR0 last: it starts everything. */
	WRITES(&program, { 1, 956, 0x9D2B3000, 0x9D2B3000 }, { 2, 944, THRESHMULT, THRESHMULT },
	       { 0, 952, 0x003F1062, 0x003F1062 });
	COUNTERS(&program, { 0, 953, 0xFFFFFFFF, 0, 0 }, { 1, 954, 0xFFFFFFFF, 0, 0 },
		 { 2, 957, 0xFFFFFFFF, 0, 0 }, { 3, 958, 0xFFFFFFFF, 0, 0 },
		 { 4, 945, 0xFFFFFFFF, 0, 0 }, { 5, 946, 0xFFFFFFFF, 0, 0 });
	ck_assert_uint_eq(program.ack_reg, 0);
	ck_assert_uint_eq(program.by_register, 1);
	ck_assert_int_eq(program.async, -1);
	ck_assert_uint_eq(program.nr_clears, 0);

	/* Suspended, i-mode counters are frozen (FC), and must not interrupt (PMXE). */
	c = imode(1, 3, PMCjCE);
	c.pmc_map[2] = 4;
	c.ireset[2] = 7;
	program = accepted("i-mode", &cpu, &c);
	WRITES(&program, { 1, 956, 1u << 17, 1u << 17 }, { 2, 944, 0, 0 },
	       { 0, 952, PMXE | PMCjCE | 0x42, FC | PMCjCE | 0x42 });
	COUNTERS(&program, { 0, 953, 0xFFFFFFFF, 0, 0 }, { 1, 954, 0xFFFFFFFF, 0, 0x7FFFFC00 },
		 { 4, 945, 0xFFFFFFFF, 0, 7 });
	ck_assert_int_eq(program.async, 2);
	ck_assert_uint_eq(program.async_value, PMXE | PMCjCE | 0x42);
	ck_assert_uint_eq(program.async_stopped, FC | PMCjCE | 0x42);
	/* PMCjCE looks at all of PMC2 to PMC6: those not in use must not be negative. */
	CLEARS(&program, 957, 958, 946);

	c = imode(0, 1, PMC1CE);
	program = accepted("PMC1", &cpu, &c);
	WRITES(&program, { 1, 956, 0, 0 }, { 2, 944, 0, 0 },
	       { 0, 952, PMXE | PMC1CE | 0x40, FC | PMC1CE | 0x40 });
	ck_assert_uint_eq(program.nr_clears, 0);

	c = imode(0, 1, PMCjCE);
	c.pmc_map[0] = 1;
	program = accepted("PMC2", &cpu, &c);
	CLEARS(&program, 957, 958, 945, 946);
	/* A place that is not in use names no counter. */
	c.pmc_map[1] = 2;
	program = accepted("PMC2", &cpu, &c);
	CLEARS(&program, 957, 958, 945, 946);
	cpu = named("ppc750");
	program = accepted("PMC2", &cpu, &c);
	CLEARS(&program, 957, 958);
	cpu = named("ppc604");
	program = accepted("PMC2", &cpu, &c);
	ck_assert_uint_eq(program.nr_clears, 0);
	ck_assert_int_eq(program.async, 0);
	WRITES(&program, { 0, 952, PMXE | PMCjCE | 1, FC | PMCjCE | 1 });
}
END_TEST

/* FCECE and TRIGGER of a 74xx, and PMXE, let the processor change MMCR0 by itself. */
START_TEST(async)
{
	struct perfctr_cpu_control c = amode(2);
	struct perfctr_cpu cpu = named("ppc7400");
	struct perfctr_program program;
	unsigned int bit;

	for (bit = 13; bit < 32; bit++) {
		uint32_t mask = 1u << bit;

		if (mask & (PMXE | PMC1CE | PMCjCE))
			continue;
		c.ppc.mmcr0 = mask;
		program = accepted("async", &cpu, &c);
		if (mask & (FCECE | TRIGGER)) {
			ck_assert_int_eq(program.async, 2);
			ck_assert_uint_eq(program.write[2].slot, 0);
			ck_assert_uint_eq(program.async_value, mask | 0x42);
			/* Frozen while others run, lest their events change it. */
			ck_assert_uint_eq(program.async_stopped, mask | 0x42 | 0x80000000u);
			ck_assert_uint_eq(program.stops, 1);
		} else {
			ck_assert_int_eq(program.async, -1);
		}
	}
	c.nractrs = 0;
	c.ppc.mmcr0 = FCECE;
	program = accepted("no counters", &cpu, &c);
	ck_assert_uint_eq(program.nr_writes, 0);
	ck_assert_int_eq(program.async, -1);
}
END_TEST

START_TEST(every_processor)
{
	struct perfctr_cpu_control c = amode(2);
	const char *id;
	unsigned int n;

	for (n = 0; (id = perfctr_isa_id(&perfctr_powerpc, n)) != NULL; n++) {
		struct perfctr_cpu cpu = named(id);

		ck_assert_uint_gt(accepted("every", &cpu, &c).nr_writes, 0);
	}
	ck_assert_uint_eq(n, ARRAY_SIZE(processors));
}
END_TEST

/* MMCR0[FCS], bit 30, freezes the counters in supervisor state. */
START_TEST(privileged)
{
	static const uint32_t levels[][2] = {
		{ 0, 1 },
		{ 0x40000000, 0 },
		{ 0x20000000, 1 },
		{ 0x60000000, 0 },
	};
	struct perfctr_cpu_control c = amode(2);
	unsigned int k, i;

	for (k = 0; k < ARRAY_SIZE(processors); k++) {
		struct perfctr_cpu cpu = named(processors[k].id);

		for (i = 0; i < ARRAY_SIZE(levels); i++) {
			c.ppc.mmcr0 = levels[i][0];
			ck_assert_uint_eq(accepted("levels", &cpu, &c).privileged, levels[i][1]);
		}
	}
}
END_TEST

/* MMCR0[TBEE]: the time base raises the same interrupt, and disarms it. */
START_TEST(time_base_events)
{
	struct perfctr_cpu_control c = amode(1), i1 = imode(0, 1, PMC1CE);
	struct perfctr_cpu cpu = named("ppc7450");

	TRY(&cpu, &c, { "a-mode", { W(ppc.mmcr0, 0x00400000) }, ACCEPTED });
	TRY(&cpu, &i1,
	    { "i-mode",
	      { W(ppc.mmcr0, PMXE | PMC1CE | 0x00400000) },
	      REFUSED("ppc.mmcr0", -1, 0x00400000, "TBEE (0x00400000) does not go with PMXE") },
	    { "its rate", { W(ppc.mmcr0, PMXE | PMC1CE | 0x01800000) }, ACCEPTED });
}
END_TEST

/* One without errata. */
START_TEST(typical)
{
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(processors); k++) {
		struct perfctr_cpu cpu;

		memset(&cpu, 0xFF, sizeof(cpu));
		ck_assert_int_eq(perfctr_cpu_named(processors[k].id, &cpu), 0);
		ck_assert_str_eq(cpu.id, processors[k].id);
		ck_assert_str_ne(cpu.name, "Generic PowerPC with a time base");
		ck_assert_uint_eq(cpu.type, processors[k].type);
		ck_assert_uint_eq(cpu.rules, PERFCTR_RULES_PPC);
		ck_assert_uint_eq(cpu.counters, (1u << processors[k].counters) - 1);
		ck_assert_uint_eq(cpu.width, 32);
		ck_assert_uint_eq(cpu.pcint, 1);
		ck_assert_uint_eq(cpu.no_rdpmc, k < 2); /* UPMCn came with the 750 */
		ck_assert_uint_eq(cpu.no_tsc, 0);
	}
}
END_TEST

START_TEST(fields)
{
	struct perfctr_cpu cpu = named("ppc604");

	FIELDS(&cpu, MEMBER(tsc_on, 0), MEMBER(nractrs, 0), MEMBER(nrictrs, 0), MEMBER(pmc_map, 8),
	       MEMBER(evntsel, 8), MEMBER(ireset, 8), MEMBER(ppc.mmcr0, 0), MEMBER(ppc.mmcr2, 0));
}
END_TEST

UNIT_MAIN("rules_powerpc", 60, common, generic, selectors, mmcr0, mmcr2, registers, programs, async,
	  every_processor, privileged, time_base_events, typical, fields)
