// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The control rules of POWER, on any host: for each diagnosis, a valid control broken in that one
 * place, and one that stays just inside.
 *
 * Numbers are written from Linux's arch/powerpc/perf/power8-pmu.c, power9-pmu.c and power10-pmu.c,
 * and from abi-generic.h.
 */
#include <perfctr/abi-generic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"

#include "tests/unit/rules.h"

static uint32_t no_register(const struct perfctr_cpu *cpu, unsigned int slot)
{
	(void)cpu, (void)slot;
	return 0;
}

static struct tested tested = { &perfctr_power, no_register, NULL, 0 };

#define NOT_KERNEL 0x20000000u
#define NOT_USER   0x10000000u

/* Instructions, on PMC1 and so on. */
static struct perfctr_cpu_control amode(unsigned int n)
{
	struct perfctr_cpu_control c;
	unsigned int i;

	memset(&c, 0, sizeof(c));
	c.tsc_on = 1;
	c.nractrs = n;
	for (i = 0; i < n; i++) {
		c.pmc_map[i] = i;
		c.evntsel[i] = 2;
	}
	return c;
}

/* Which bits the processors have, both halves of them. */
START_TEST(codes)
{
	static const struct {
		char id[8];
		uint32_t low, high;
	} all[] = {
		{ "power8", 0xFFFFF9FF, 0x0003FFFF },
		{ "power9", 0xFFFFFDFF, 0x000FFFFF },
		{ "power10", 0xFFFFFFFF, 0x0FFFFFFF },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_cpu_control c = amode(2);
		struct perfctr_cpu cpu = named(all[i].id);

		TRY(&cpu, &c,
		    { "all",
		      { W(evntsel[1], all[i].low & ~0xF0000u), W(evntsel_high[1], all[i].high) },
		      ACCEPTED });
		SWEEP(&cpu, &c, evntsel_high, 1, ~(all[i].high | NOT_KERNEL | NOT_USER), 0,
		      "these bits are reserved; 29 and 28 exclude");
		/* The counter's number apart. */
		SWEEP(&cpu, &c, evntsel, 1, ~all[i].low, 0xF0000, "these bits are reserved");
	}
}
END_TEST

START_TEST(levels)
{
	struct perfctr_cpu_control c = amode(2);
	struct perfctr_cpu cpu = named("power10");

	TRY(&cpu, &c, { "user mode", { W(evntsel_high[1], NOT_KERNEL) }, ACCEPTED },
	    { "the kernel", { W(evntsel_high[1], NOT_USER) }, ACCEPTED },
	    { "neither",
	      { W(evntsel_high[1], NOT_KERNEL | NOT_USER) },
	      REFUSED("evntsel_high", 1, NOT_KERNEL | NOT_USER, "exclude everything") });
	/* Who is none of these has the kernel's own bits only. */
	perfctr_power_identify(0, 0, &cpu);
	TRY(&cpu, &c,
	    { "any code",
	      { W(evntsel[0], 0xFFF0FFFF), W(evntsel_high[0], 0x0FFFFFFF) },
	      ACCEPTED });
	SWEEP(&cpu, &c, evntsel_high, 0, 0xC0000000, 0, "these bits are reserved");
}
END_TEST

START_TEST(counters)
{
	static const char other[] = "name another counter";
	struct perfctr_cpu_control c = amode(1);
	struct perfctr_cpu cpu = named("power8");

	TRY(&cpu, &c, { "PMC4", { W(pmc_map[0], 3) }, ACCEPTED },
	    { "PMC4 by its code", { W(pmc_map[0], 3), W(evntsel[0], 0x40002) }, ACCEPTED },
	    { "PMC3's",
	      { W(pmc_map[0], 3), W(evntsel[0], 0x30002) },
	      REFUSED("evntsel", 0, 0x30000, other) },
	    { "PMC5's", { W(evntsel[0], 0x500FA) }, REFUSED("evntsel", 0, 0x50000, other) },
	    { "none's", { W(evntsel[0], 0xF0002) }, REFUSED("evntsel", 0, 0xF0000, other) },
	    { "PMC5", { W(pmc_map[0], 4), W(evntsel[0], 0x500FA) }, ACCEPTED },
	    { "PMC6", { W(pmc_map[0], 5), W(evntsel[0], 0x600F4) }, ACCEPTED },
	    { "another on PMC5",
	      { W(pmc_map[0], 4) },
	      REFUSED("evntsel", 0, 2, "counts 0x000500FA only") },
	    { "another on PMC6",
	      { W(pmc_map[0], 5), W(evntsel[0], 0x500FA) },
	      REFUSED("evntsel", 0, 0x500FA, "counts 0x000600F4 only") },
	    { "PMC7", { W(pmc_map[0], 6) }, REFUSED("pmc_map", 0, 6, "has no such counter") });
}
END_TEST

UNIT_MAIN("rules_power", 60, codes, levels, counters)
