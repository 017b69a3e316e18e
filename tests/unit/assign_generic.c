// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events on counters, of the ISAs whose controls are abi-generic.h's, on any host. */
#include <perfctr/abi-generic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "arch/isa.h"

static const struct perfctr_isa *const isas[] = { &perfctr_arm64, &perfctr_riscv, &perfctr_power };
static const struct perfctr_isa *isa;

/*
 * Both halves of the word that counts an option. Tables of RISC-V mark the SBI's numbers by bit 47;
 * those of POWER with that bit have bits 59-45 in place of 47-32.
 */
static uint64_t word_of(const struct perfctr_event_choice *choice,
			const struct perfctr_event_option *option)
{
	uint64_t not_user = isa == &perfctr_arm64 ? 1ull << 30 : 1ull << 60;
	uint64_t not_kernel = not_user << 1, high = option->high;

	if (isa == &perfctr_riscv && high == 0x8000)
		high = 0x01000000;
	if (isa == &perfctr_power && high >= 0x8000)
		high = (high - 0x8000) * 0x2000;
	return high << 32 | option->code | (choice->user ? 0 : not_user) |
	       (choice->kernel ? 0 : not_kernel);
}

/* Does the control's counter i count this? */
static int isa_counts(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		      unsigned int i, const struct perfctr_event_choice *choice,
		      const struct perfctr_event_option *option)
{
	uint32_t pmc = c->pmc_map[i];

	return pmc < 32 && (cpu->counters & option->counters) >> pmc & 1 &&
	       ((uint64_t)c->evntsel_high[i] << 32 | c->evntsel[i]) == word_of(choice, option);
}

#include "tests/unit/assign.h"

START_TEST(every_name)
{
	static const char *const none[] = { NULL };
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(isas); k++) {
		isa = isas[k];
		singles(none);
	}
}
END_TEST

START_TEST(oracle)
{
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(isas); k++) {
		isa = isas[k];
		random_sets(300, 8);
	}
}
END_TEST

START_TEST(full_sets)
{
	const char *id;
	unsigned int n;

	isa = &perfctr_arm64;
	for (n = 0; (id = perfctr_isa_id(isa, n)); n++) {
		/* The cycle counter counts cycles, too. */
		full(id, "CPU_CYCLES", 7);
		full(id, "L1D_CACHE_REFILL", 6);
		/* The odd ones count overflows of those below. */
		full(id, "CHAIN", 3);
	}
	/* 29 counters, and one for cycles or instructions besides. */
	isa = &perfctr_riscv;
	full("sbi", "CPU_CYCLES", 30);
	full("sbi", "INSTRUCTIONS", 30);
	full("sbi", "CACHE_MISSES", 29);
	full("u74", "PIPELINE_FLUSH", 29);
	isa = &perfctr_power;
	full("power8", "PM_CYC", 4);
	full("power9", "PM_INST_CMPL", 4);
	full("power10", "PM_DATA_FROM_L2", 4);
	full("power8", "PM_RUN_CYC", 1);
	full("power10", "PM_RUN_INST_CMPL", 1);
	full("power9", "PM_RUN_CYC", 1);
}
END_TEST

/* arm64 has from no event counter to 31. */
START_TEST(numbers_of_counters)
{
	struct perfctr_event_choice c[32];
	struct perfctr_cpu cpu;
	struct perfctr_cpu_control control;
	unsigned int n, i;

	for (n = 0; n <= 31; n++) {
		perfctr_arm64_identify(0x410FD0B0, n, &cpu);
		cpu.isa = isa = &perfctr_arm64;
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

/* Codes as the documents have them, and levels. */
START_TEST(codes)
{
	static const struct {
		const char *id, *word;
		uint32_t evntsel, high;
	} all[] = {
		{ "neoverse-n1", "INST_RETIRED:u", 0x80000008, 0 },
		{ "neoverse-n1", "INST_RETIRED:k", 0x40000008, 0 },
		{ "neoverse-n1", "INST_RETIRED:uk", 0x00000008, 0 },
		{ "sbi", "CPU_CYCLES:uk", 1, 0x01000000 },
		{ "sbi", "INSTRUCTIONS:u", 2, 0x21000000 },
		{ "sbi", "REF_CPU_CYCLES:k", 10, 0x11000000 },
		{ "sbi", "L1D_READ_ACCESS:uk", 0x10000, 0x01000000 },
		{ "sbi", "LL_WRITE_MISS:uk", 0x10013, 0x01000000 },
		{ "sbi", "NODE_PREFETCH_MISS:uk", 0x10035, 0x01000000 },
		{ "u74", "INSTRUCTIONS:uk", 2, 0x01000000 },
		{ "sbi", "FW_MISALIGNED_LOAD:uk", 0xF0000, 0x01000000 },
		{ "c900", "FW_HFENCE_VVMA_ASID_RECEIVED:uk", 0xF0015, 0x01000000 },
		{ "u74", "OTHER_FP_RETIRED:uk", 0x2000000, 0 },
		{ "u74", "DCACHE_MISS:u", 0x202, 0x20000000 },
		{ "p550", "PTE_CACHE_HIT:k", 0x10002, 0x10000000 },
		{ "c900", "INST_FP:u", 0x2A, 0x20000000 },
		{ "power8", "PM_INST_CMPL:uk", 0x2, 0 },
		{ "power8", "PM_RUN_INST_CMPL:u", 0x500FA, 0x20000000 },
		{ "power8", "PM_RUN_CYC:k", 0x600F4, 0x10000000 },
		{ "power9", "PM_RUN_CYC:uk", 0x200F4, 0 },
		{ "power9", "PM_CYC:u", 0x1E, 0x20000000 },
		{ "power9", "PM_BR_MPRED_CMPL:uk", 0x400F6, 0 },
		{ "power10", "PM_INST_CMPL:uk", 0x100FE, 0 },
		{ "power10", "PM_INST_FROM_L2:uk", 0xC040, 0x30000 },
		{ "power10", "PM_DATA_FROM_L2_ALL:u", 0x20C040, 0x20034000 },
		{ "power10", "PM_DATA_FROM_L3_CONFLICT:k", 0xC040, 0x11C04000 },
		{ "power10", "PM_L2_ST_HIT:uk", 0x46880, 0x100 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_event_choice choice = look_up(all[i].id, all[i].word);
		struct perfctr_cpu cpu = cpu_named(all[i].id);
		struct perfctr_cpu_control control;
		struct perfctr_code code;

		isa = cpu.isa;
		encoded(&cpu, &choice, 1, &control);
		ck_assert_uint_eq(control.evntsel[0], all[i].evntsel);
		ck_assert_uint_eq(control.evntsel_high[0], all[i].high);
		memset(&code, 0xA5, sizeof(code));
		ck_assert_ptr_null(isa->choice_code(&cpu, &choice, &code));
		ck_assert_uint_eq(code.map, 0);
		ck_assert_uint_eq(code.evntsel, all[i].evntsel);
		ck_assert_uint_eq(code.high, all[i].high);
		ck_assert_uint_eq(code.reg, 0);
		ck_assert_uint_eq(code.value, 0);
	}
}
END_TEST

START_TEST(control_codes)
{
	struct perfctr_cpu_control c = { .pmc_map[3] = 7,
					 .evntsel[3] = 0x40000011,
					 .evntsel_high[3] = 5 };
	struct perfctr_code code;
	struct perfctr_cpu cpu;
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(isas); k++) {
		cpu = cpu_named(perfctr_isa_id(isas[k], 0));
		memset(&code, 0xA5, sizeof(code));
		isas[k]->control_code(&cpu, &c, 3, &code);
		ck_assert_uint_eq(code.map, 7);
		ck_assert_uint_eq(code.evntsel, 0x40000011);
		ck_assert_uint_eq(code.high, 5);
		ck_assert_uint_eq(code.reg, 0);
		ck_assert_uint_eq(code.value, 0);
	}
}
END_TEST

START_TEST(modifiers)
{
	static const char *const events[] = { "CPU_CYCLES", "INSTRUCTIONS",
					      "PM_CYC" }; /* of isas[] */
	static const char *const words[] = { "e", "i", "c=1" };
	struct perfctr_event_choice c[2];
	struct perfctr_code code;
	struct perfctr_cpu cpu;
	unsigned int k, n, i;
	char word[40];

	for (k = 0; k < ARRAY_SIZE(isas); k++) {
		isa = isas[k];
		for (n = 0; perfctr_isa_id(isa, n); n++) {
			cpu = cpu_named(perfctr_isa_id(isa, n));
			for (i = 0; i < ARRAY_SIZE(words); i++) {
				snprintf(word, sizeof(word), "%s:%s", events[k], words[i]);
				c[0] = look_up_both(cpu.id, events[k]);
				c[1] = look_up_both(cpu.id, word);
				refuses(&cpu, c + 1, 1, 0x1, "no edge detection");
				refuses(&cpu, c, 2, 0x2, "no edge detection");
				ck_assert_str_eq(isa->choice_code(&cpu, &c[1], &code),
						 "this processor has no edge detection, inversion "
						 "or threshold");
			}
		}
	}
}
END_TEST

START_TEST(imode)
{
	static const char *const all[][3] = {
		{ "cortex-a72", "L1D_CACHE", "CPU_CYCLES" },
		{ "sbi", "BRANCH_MISSES", "CPU_CYCLES" },
		{ "power9", "PM_INST_CMPL", "PM_CYC" },
	};
	struct perfctr_event_choice c[4];
	struct perfctr_cpu_control control;
	struct perfctr_cpu cpu;
	unsigned int k, i, set;

	for (k = 0; k < ARRAY_SIZE(all); k++) {
		cpu = cpu_named(all[k][0]);
		isa = cpu.isa;
		for (set = 0; set < 16; set++) {
			for (i = 0; i < 4; i++) {
				c[i] = look_up_both(cpu.id, all[k][1 + (i & 1)]);
				c[i].imode = set >> i & 1;
				c[i].ireset = 0xFFFFFFFF - i;
			}
			encoded(&cpu, c, 4, &control);
		}
		/* As one without Sscofpmf. */
		cpu.pcint = 0;
		refuses(&cpu, c, 1, 0x1, "can't interrupt on overflow");
	}
}
END_TEST

UNIT_MAIN("assign_generic", 120, every_name, oracle, full_sets, numbers_of_counters, codes,
	  control_codes, modifiers, imode)
