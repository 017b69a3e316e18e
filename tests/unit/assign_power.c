// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of POWER on counters, on any host. */
#include <perfctr/abi-generic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "arch/isa.h"

static const struct perfctr_isa *const isa = &perfctr_power;

#define NOT_KERNEL 0x20000000u
#define NOT_USER   0x10000000u

/* Does the control's counter i count this? Tables have bits 59-45 in place of 47-32, if bit 47 is
 * set. */
static int isa_counts(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		      unsigned int i, const struct perfctr_event_choice *choice,
		      const struct perfctr_event_option *option)
{
	uint32_t pmc = c->pmc_map[i];

	return pmc < 6 && (cpu->counters & option->counters) >> pmc & 1 &&
	       c->evntsel[i] == option->code &&
	       c->evntsel_high[i] ==
		       ((option->high < 0x8000 ? option->high : (option->high - 0x8000) * 0x2000) |
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
	random_sets(1000, 6);
}
END_TEST

START_TEST(full_sets)
{
	full("power8", "PM_CYC", 4);
	full("power9", "PM_INST_CMPL", 4);
	full("power10", "PM_DATA_FROM_L2", 4);
	full("power8", "PM_RUN_CYC", 1);
	full("power10", "PM_RUN_INST_CMPL", 1);
	full("power9", "PM_RUN_CYC", 1);
}
END_TEST

/* Codes as the published lists have them. */
START_TEST(words)
{
	static const struct {
		const char *id, *word;
		uint32_t evntsel, high, pmc;
	} all[] = {
		{ "power8", "PM_INST_CMPL:uk", 0x2, 0, 0 },
		{ "power8", "PM_RUN_INST_CMPL:u", 0x500FA, 0x20000000, 4 },
		{ "power8", "PM_RUN_CYC:k", 0x600F4, 0x10000000, 5 },
		{ "power9", "PM_RUN_CYC:uk", 0x200F4, 0, 1 },
		{ "power9", "PM_CYC:u", 0x1E, 0x20000000, 0 },
		{ "power9", "PM_BR_MPRED_CMPL:uk", 0x400F6, 0, 3 },
		{ "power10", "PM_INST_CMPL:uk", 0x100FE, 0, 0 },
		{ "power10", "PM_INST_FROM_L2:uk", 0xC040, 0x30000, 0 },
		{ "power10", "PM_DATA_FROM_L2_ALL:u", 0x20C040, 0x20034000, 0 },
		{ "power10", "PM_DATA_FROM_L3_CONFLICT:k", 0xC040, 0x11C04000, 0 },
		{ "power10", "PM_L2_ST_HIT:uk", 0x46880, 0x100, 3 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_event_choice choice = look_up(all[i].id, all[i].word);
		struct perfctr_cpu cpu = cpu_named(all[i].id);
		struct perfctr_cpu_control control;
		struct perfctr_code code;

		encoded(&cpu, &choice, 1, &control);
		ck_assert_uint_eq(control.pmc_map[0], all[i].pmc);
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
	struct perfctr_event_choice c = look_up_both("power9", "PM_FLUSH:e");
	struct perfctr_cpu cpu = cpu_named("power9");
	struct perfctr_code code;

	refuses(&cpu, &c, 1, 0x1, "no edge detection");
	ck_assert_str_eq(isa->choice_code(&cpu, &c, &code),
			 "this processor has no edge detection, inversion or threshold");
}
END_TEST

START_TEST(imode)
{
	struct perfctr_event_choice c[4];
	struct perfctr_cpu cpu = cpu_named("power9");
	struct perfctr_cpu_control control;
	unsigned int i, set;

	for (set = 0; set < 16; set++) {
		for (i = 0; i < 4; i++) {
			c[i] = look_up_both("power9", i & 1 ? "PM_CYC" : "PM_INST_CMPL");
			c[i].imode = set >> i & 1;
			c[i].ireset = 0xFFFFFFFF - i;
		}
		encoded(&cpu, c, 4, &control);
	}
}
END_TEST

UNIT_MAIN("assign_power", 120, every_name, oracle, full_sets, words, modifiers, imode)
