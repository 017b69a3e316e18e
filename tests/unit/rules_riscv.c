// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The control rules of RISC-V, on any host: for each diagnosis, a valid control broken in that one
 * place, and one that stays just inside.
 *
 * Numbers are written from the SBI specification (2.0, chapter 11) and from abi-generic.h.
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

static struct tested tested = { &perfctr_riscv, no_register, NULL, 0 };

#define SINH	0x20000000u /* not in supervisor mode */
#define UINH	0x10000000u /* not in user mode */
#define GENERAL 0x01000000u /* the SBI's number */

/* Instructions, on counters from 3 on. */
static struct perfctr_cpu_control amode(unsigned int n)
{
	struct perfctr_cpu_control c;
	unsigned int i;

	memset(&c, 0, sizeof(c));
	c.tsc_on = 1;
	c.nractrs = n;
	for (i = 0; i < n; i++) {
		c.pmc_map[i] = 3 + i;
		c.evntsel[i] = 2;
		c.evntsel_high[i] = GENERAL;
	}
	return c;
}

START_TEST(events)
{
	static const char both[] = "SINH and UINH together", none[] = "no hardware or cache event";
	static const char bits[] = "only SINH (29), UINH (28)";
	struct perfctr_cpu_control c = amode(2);
	struct perfctr_cpu cpu = named("sbi");

	TRY(&cpu, &c, { "cycles", { W(evntsel[0], 1) }, ACCEPTED },
	    { "none", { W(evntsel[0], 0) }, REFUSED("evntsel", 0, 0, none) },
	    { "the last", { W(evntsel[1], 10) }, ACCEPTED },
	    { "after the last", { W(evntsel[1], 11) }, REFUSED("evntsel", 1, 11, none) },
	    { "L1D reads", { W(evntsel[0], 0x10000) }, ACCEPTED },
	    { "node's prefetches that missed", { W(evntsel[0], 0x10035) }, ACCEPTED },
	    { "an eighth cache", { W(evntsel[0], 0x10038) }, REFUSED("evntsel", 0, 0x10038, none) },
	    { "a fourth operation",
	      { W(evntsel[0], 0x10006) },
	      REFUSED("evntsel", 0, 0x10006, none) },
	    { "raw by number", { W(evntsel[0], 0x20000) }, REFUSED("evntsel", 0, 0x20000, none) },
	    { "firmware's", { W(evntsel[0], 0xF0005) }, ACCEPTED },
	    { "firmware's last", { W(evntsel[0], 0xF0015) }, ACCEPTED },
	    { "after firmware's last",
	      { W(evntsel[0], 0xF0016) },
	      REFUSED("evntsel", 0, 0xF0016, none) },
	    { "platform's", { W(evntsel[0], 0xFFFFF) }, REFUSED("evntsel", 0, 0xFFFFF, none) },
	    { "firmware's in a mode",
	      { W(evntsel[0], 0xF0005), W(evntsel_high[0], GENERAL | SINH) },
	      REFUSED("evntsel_high", 0, SINH, "a firmware event counts in all modes") },
	    { "beyond", { W(evntsel[0], 0x110000) }, REFUSED("evntsel", 0, 0x110000, none) },
	    { "raw", { W(evntsel[0], 0xFFFFFFFF), W(evntsel_high[0], 0xFFFF) }, ACCEPTED },
	    { "raw 0", { W(evntsel[0], 0), W(evntsel_high[0], 0) }, ACCEPTED },
	    { "raw beyond",
	      { W(evntsel_high[0], 0x10000) },
	      REFUSED("evntsel_high", 0, 0x10000, bits) },
	    { "number with more",
	      { W(evntsel_high[0], GENERAL | 1) },
	      REFUSED("evntsel_high", 0, 1, bits) },
	    { "the kernel's mark of the firmware",
	      { W(evntsel_high[1], 0x80000000) },
	      REFUSED("evntsel_high", 1, 0x80000000, bits) },
	    { "machine mode",
	      { W(evntsel_high[1], GENERAL | 0x40000000) },
	      REFUSED("evntsel_high", 1, 0x40000000, bits) },
	    { "user mode", { W(evntsel_high[1], GENERAL | SINH) }, ACCEPTED },
	    { "supervisor mode", { W(evntsel_high[1], GENERAL | UINH) }, ACCEPTED },
	    { "no mode",
	      { W(evntsel_high[1], GENERAL | SINH | UINH) },
	      REFUSED("evntsel_high", 1, SINH | UINH, both) });
	SWEEP(&cpu, &c, evntsel_high, 1, ~(GENERAL | SINH | UINH), GENERAL, bits);
}
END_TEST

/* Counter 0 is cycle, 1 the clock, 2 instret. */
START_TEST(counters)
{
	struct perfctr_cpu_control c = amode(1);
	struct perfctr_cpu cpu = named("c900");

	TRY(&cpu, &c, { "instret", { W(pmc_map[0], 2) }, ACCEPTED },
	    { "cycle", { W(pmc_map[0], 0), W(evntsel[0], 1) }, ACCEPTED },
	    { "the last", { W(pmc_map[0], 31) }, ACCEPTED },
	    { "the clock", { W(pmc_map[0], 1) }, REFUSED("pmc_map", 0, 1, "has no such counter") },
	    { "after the last",
	      { W(pmc_map[0], 32) },
	      REFUSED("pmc_map", 0, 32, "has no such counter") },
	    { "instructions in cycle",
	      { W(pmc_map[0], 0) },
	      REFUSED("evntsel", 0, 2, "counter 0 counts cycles only") },
	    { "cycles in instret",
	      { W(pmc_map[0], 2), W(evntsel[0], 1) },
	      REFUSED("evntsel", 0, 1, "counter 2 counts instructions only") },
	    { "a raw code in cycle",
	      { W(pmc_map[0], 0), W(evntsel[0], 1), W(evntsel_high[0], 0) },
	      REFUSED("evntsel", 0, 1, "counter 0 counts cycles only") },
	    { "a raw code in instret",
	      { W(pmc_map[0], 2), W(evntsel_high[0], 0) },
	      REFUSED("evntsel", 0, 2, "counter 2 counts instructions only") });
}
END_TEST

UNIT_MAIN("rules_riscv", 60, events, counters)
