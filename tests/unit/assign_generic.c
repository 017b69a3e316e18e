// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of arm64 on counters, on any host. */
#include <perfctr/abi-generic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "arch/isa.h"

static const struct perfctr_isa *const isa = &perfctr_arm64;

#define NOT_KERNEL 0x80000000u /* P */
#define NOT_USER   0x40000000u /* U */

/* Does the control's counter i count this? */
static int isa_counts(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		      unsigned int i, const struct perfctr_event_choice *choice,
		      const struct perfctr_event_option *option)
{
	uint32_t pmc = c->pmc_map[i];

	return pmc < 32 && (cpu->counters & option->counters) >> pmc & 1 &&
	       c->evntsel[i] == (option->code | (choice->user ? 0 : NOT_USER) |
				 (choice->kernel ? 0 : NOT_KERNEL));
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

START_TEST(full_sets)
{
	const char *id;
	unsigned int n;

	for (n = 0; (id = perfctr_isa_id(isa, n)); n++) {
		/* The cycle counter counts cycles, too. */
		full(id, "CPU_CYCLES", 7);
		full(id, "L1D_CACHE_REFILL", 6);
		/* The odd ones count overflows of those below. */
		full(id, "CHAIN", 3);
	}
}
END_TEST

/* From no event counter to 31. */
START_TEST(numbers_of_counters)
{
	struct perfctr_event_choice c[32];
	struct perfctr_cpu cpu;
	struct perfctr_cpu_control control;
	unsigned int n, i;

	for (n = 0; n <= 31; n++) {
		perfctr_arm64_identify(0x410FD0B0, n, &cpu);
		for (i = 0; i < 32; i++)
			c[i] = look_up_both("cortex-a76", "CPU_CYCLES");
		encoded(&cpu, c, n + 1, &control);
		if (n < 31)
			refuses(&cpu, c, n + 2, n < 30 ? (4u << n) - 1 : 0xFFFFFFFF,
				"not enough counters");
		/* Cycles last: they leave the event counters to the others. */
		for (i = 0; i < n; i++)
			c[i] = look_up_both("cortex-a76", "INST_RETIRED");
		encoded(&cpu, c, n + 1, &control);
		ck_assert_uint_eq(control.pmc_map[n], 31);
		c[n] = look_up_both("cortex-a76", "INST_RETIRED");
		refuses(&cpu, c, n + 1, n < 31 ? (2u << n) - 1 : 0xFFFFFFFF, "not enough counters");
	}
}
END_TEST

START_TEST(levels)
{
	static const char *const words[] = {
		"INST_RETIRED:u",
		"INST_RETIRED:k",
		"INST_RETIRED:uk",
	};
	struct perfctr_cpu cpu = cpu_named("neoverse-n1");
	struct perfctr_event_choice c[3];
	struct perfctr_cpu_control control;
	unsigned int i;

	for (i = 0; i < 3; i++)
		c[i] = look_up("neoverse-n1", words[i]);
	encoded(&cpu, c, 3, &control);
	ck_assert_uint_eq(control.evntsel[0], 0x80000008);
	ck_assert_uint_eq(control.evntsel[1], 0x40000008);
	ck_assert_uint_eq(control.evntsel[2], 0x00000008);
}
END_TEST

START_TEST(modifiers)
{
	static const char *const words[] = { "e", "i", "c=1" };
	struct perfctr_event_choice c[2];
	struct perfctr_cpu cpu;
	unsigned int n, i;
	char word[40];

	for (n = 0; perfctr_isa_id(isa, n); n++) {
		cpu = cpu_named(perfctr_isa_id(isa, n));
		for (i = 0; i < ARRAY_SIZE(words); i++) {
			snprintf(word, sizeof(word), "CPU_CYCLES:%s", words[i]);
			c[0] = look_up_both(cpu.id, "CPU_CYCLES");
			c[1] = look_up_both(cpu.id, word);
			refuses(&cpu, c + 1, 1, 0x1, "no edge detection");
			refuses(&cpu, c, 2, 0x2, "no edge detection");
		}
	}
}
END_TEST

START_TEST(imode)
{
	struct perfctr_cpu cpu = cpu_named("cortex-a72");
	struct perfctr_event_choice c[4];
	struct perfctr_cpu_control control;
	unsigned int i, set;

	for (set = 0; set < 16; set++) {
		for (i = 0; i < 4; i++) {
			c[i] = look_up_both("cortex-a72", i & 1 ? "CPU_CYCLES" : "L1D_CACHE");
			c[i].imode = set >> i & 1;
			c[i].ireset = 0xFFFFFFFF - i;
		}
		encoded(&cpu, c, 4, &control);
	}
}
END_TEST

START_TEST(codes)
{
	struct perfctr_cpu cpu = cpu_named("neoverse-n1");
	struct perfctr_event_choice choice = look_up("neoverse-n1", "INST_RETIRED:u");
	struct perfctr_cpu_control c = { .pmc_map[3] = 7,
					 .evntsel[3] = 0x40000011,
					 .evntsel_high[3] = 5 };
	struct perfctr_code code;

	memset(&code, 0xA5, sizeof(code));
	ck_assert_ptr_null(perfctr_arm64.choice_code(&cpu, &choice, &code));
	ck_assert_uint_eq(code.map, 0);
	ck_assert_uint_eq(code.evntsel, 0x80000008);
	ck_assert_uint_eq(code.high, 0);
	ck_assert_uint_eq(code.reg, 0);
	ck_assert_uint_eq(code.value, 0);
	choice = look_up("neoverse-n1", "INST_RETIRED:k:e");
	ck_assert_str_eq(perfctr_arm64.choice_code(&cpu, &choice, &code),
			 "this processor has no edge detection, inversion or threshold");
	memset(&code, 0xA5, sizeof(code));
	perfctr_arm64.control_code(&cpu, &c, 3, &code);
	ck_assert_uint_eq(code.map, 7);
	ck_assert_uint_eq(code.evntsel, 0x40000011);
	ck_assert_uint_eq(code.high, 5);
	ck_assert_uint_eq(code.reg, 0);
	ck_assert_uint_eq(code.value, 0);
}
END_TEST

START_TEST(types)
{
	ck_assert_ptr_null(perfctr_isa_type_id(&perfctr_arm64, PERFCTR_GENERIC));
	ck_assert_str_eq(perfctr_isa_type_id(&perfctr_arm64, PERFCTR_ARM64_PMUV3), "pmuv3");
	ck_assert_ptr_null(perfctr_isa_type_id(&perfctr_arm64, 2));
	ck_assert_str_eq(perfctr_isa_type_name(&perfctr_arm64, PERFCTR_GENERIC),
			 "Generic processor with a clock");
	ck_assert_str_eq(perfctr_isa_type_name(&perfctr_arm64, PERFCTR_ARM64_PMUV3),
			 "arm64 with PMUv3");
}
END_TEST

UNIT_MAIN("assign_generic", 120, every_name, oracle, full_sets, numbers_of_counters, levels,
	  modifiers, imode, codes, types)
