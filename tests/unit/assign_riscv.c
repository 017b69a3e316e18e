// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of RISC-V on counters, on any host. */
#include <perfctr/abi-generic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "arch/isa.h"

static const struct perfctr_isa *const isa = &perfctr_riscv;

#define NOT_KERNEL 0x20000000u /* SINH */
#define NOT_USER   0x10000000u /* UINH */

/* Does the control's counter i count this? Tables mark the SBI's numbers by bit 47. */
static int isa_counts(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		      unsigned int i, const struct perfctr_event_choice *choice,
		      const struct perfctr_event_option *option)
{
	uint32_t pmc = c->pmc_map[i];

	return pmc < 32 && (cpu->counters & option->counters) >> pmc & 1 &&
	       c->evntsel[i] == option->code &&
	       c->evntsel_high[i] ==
		       ((option->high == 0x8000 ? 0x01000000u : option->high) |
			(choice->user ? 0 : NOT_USER) | (choice->kernel ? 0 : NOT_KERNEL));
}

#include "tests/unit/assign.h"

START_TEST(every_name)
{
	static const char *const none[] = { NULL };

	singles(none);
}
END_TEST

START_TEST(oracle)
{
	random_sets(1000, 8);
}
END_TEST

/* 29 counters, and one for cycles or instructions besides. */
START_TEST(full_sets)
{
	full("sbi", "CPU_CYCLES", 30);
	full("sbi", "INSTRUCTIONS", 30);
	full("sbi", "CACHE_MISSES", 29);
	full("u74", "PIPELINE_FLUSH", 29);
}
END_TEST

START_TEST(words)
{
	static const struct {
		const char *id, *word;
		uint32_t evntsel, high;
	} all[] = {
		{ "sbi", "CPU_CYCLES:uk", 1, 0x01000000 },
		{ "sbi", "INSTRUCTIONS:u", 2, 0x21000000 },
		{ "sbi", "REF_CPU_CYCLES:k", 10, 0x11000000 },
		{ "sbi", "L1D_READ_ACCESS:uk", 0x10000, 0x01000000 },
		{ "sbi", "LL_WRITE_MISS:uk", 0x10013, 0x01000000 },
		{ "sbi", "NODE_PREFETCH_MISS:uk", 0x10035, 0x01000000 },
		{ "u74", "INSTRUCTIONS:uk", 2, 0x01000000 },
		{ "u74", "OTHER_FP_RETIRED:uk", 0x2000000, 0 },
		{ "u74", "DCACHE_MISS:u", 0x202, 0x20000000 },
		{ "p550", "PTE_CACHE_HIT:k", 0x10002, 0x10000000 },
		{ "c900", "INST_FP:u", 0x2A, 0x20000000 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_event_choice choice = look_up(all[i].id, all[i].word);
		struct perfctr_cpu cpu = cpu_named(all[i].id);
		struct perfctr_cpu_control control;
		struct perfctr_code code;

		encoded(&cpu, &choice, 1, &control);
		ck_assert_uint_eq(control.evntsel[0], all[i].evntsel);
		ck_assert_uint_eq(control.evntsel_high[0], all[i].high);
		ck_assert_ptr_null(isa->choice_code(&cpu, &choice, &code));
		ck_assert_uint_eq(code.evntsel, all[i].evntsel);
		ck_assert_uint_eq(code.high, all[i].high);
		ck_assert_uint_eq(code.map, 0);
	}
}
END_TEST

START_TEST(modifiers)
{
	struct perfctr_event_choice c = look_up_both("u74", "REPLAY:e");
	struct perfctr_cpu cpu = cpu_named("u74");
	struct perfctr_code code;

	refuses(&cpu, &c, 1, 0x1, "no edge detection");
	ck_assert_str_eq(isa->choice_code(&cpu, &c, &code),
			 "this processor has no edge detection, inversion or threshold");
}
END_TEST

START_TEST(imode)
{
	struct perfctr_event_choice c[4];
	struct perfctr_cpu cpu = cpu_named("sbi");
	struct perfctr_cpu_control control;
	unsigned int i, set;

	for (set = 0; set < 16; set++) {
		for (i = 0; i < 4; i++) {
			c[i] = look_up_both("sbi", i & 1 ? "CPU_CYCLES" : "BRANCH_MISSES");
			c[i].imode = set >> i & 1;
			c[i].ireset = 0xFFFFFFFF - i;
		}
		encoded(&cpu, c, 4, &control);
	}
	/* Without Sscofpmf. */
	perfctr_riscv_identify(0, 0, 0, &cpu);
	refuses(&cpu, c, 1, 0x1, "can't interrupt on overflow");
}
END_TEST

UNIT_MAIN("assign_riscv", 120, every_name, oracle, full_sets, words, modifiers, imode)
