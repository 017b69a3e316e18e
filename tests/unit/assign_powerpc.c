// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of PowerPC on counters, on any host. */
#include <perfctr/abi-powerpc.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "arch/isa.h"

static const struct perfctr_isa *const isa = &perfctr_powerpc;

#define FCS    0x40000000u
#define FCP    0x20000000u
#define PMXE   0x04000000u
#define PMC1CE 0x8000u
#define PMCjCE 0x4000u

/* Does the control's counter i count this? */
static int isa_counts(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		      unsigned int i, const struct perfctr_event_choice *choice,
		      const struct perfctr_event_option *option)
{
	uint32_t pmc = c->pmc_map[i];
	uint32_t frozen = (choice->user ? 0 : FCP) | (choice->kernel ? 0 : FCS);

	return pmc < 6 && (cpu->counters & option->counters) >> pmc & 1 &&
	       c->evntsel[i] == option->code && (c->ppc.mmcr0 & (FCS | FCP)) == frozen;
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
	random_sets(20000, 6);
}
END_TEST

START_TEST(full_sets)
{
	full("ppc604", "PROCESSOR_CYCLES", 2);
	full("ppc604e", "PROCESSOR_CYCLES", 4);
	full("ppc750", "PROCESSOR_CYCLES", 4);
	full("ppc7400", "PROCESSOR_CYCLES", 4);
	full("ppc7450", "PROCESSOR_CYCLES", 6);
	full("ppc7450", "INSTRUCTIONS_COMPLETED", 4);
}
END_TEST

/* The free counter is found, whatever the order. */
START_TEST(moves)
{
	struct perfctr_cpu cpu = cpu_named("ppc750");
	struct perfctr_event_choice c[5] = {
		look_up_both("ppc750", "PROCESSOR_CYCLES"),
		look_up_both("ppc750", "INSTRUCTIONS_COMPLETED"),
		look_up_both("ppc750", "L1_LOAD_MISSES"),   /* PMC1 */
		look_up_both("ppc750", "L1_ICACHE_MISSES"), /* PMC2 */
		look_up_both("ppc750", "L1_DCACHE_MISSES"), /* PMC3 */
	};
	struct perfctr_cpu_control control;

	encoded(&cpu, c + 1, 4, &control);
	ck_assert_uint_eq(control.pmc_map[0], 3);
	ck_assert_uint_eq(control.pmc_map[1], 0);
	ck_assert_uint_eq(control.pmc_map[2], 1);
	ck_assert_uint_eq(control.pmc_map[3], 2);
	refuses(&cpu, c, 5, 0x1F, "not enough counters");
	/* Two that only PMC3 has: whatever else there is has no part in it. */
	c[1] = look_up_both("ppc750", "L2_HITS");
	refuses(&cpu, c, 5, 0x12, "not enough counters");
}
END_TEST

/* One FCS and one FCP serve all counters. */
START_TEST(levels)
{
	struct perfctr_cpu cpu = cpu_named("ppc7450");
	struct perfctr_event_choice c[3] = {
		look_up("ppc7450", "PROCESSOR_CYCLES:u"),
		look_up("ppc7450", "INSTRUCTIONS_COMPLETED:u"),
		look_up("ppc7450", "PROCESSOR_CYCLES:k"),
	};
	struct perfctr_cpu_control control;

	encoded(&cpu, c, 2, &control);
	ck_assert_uint_eq(control.ppc.mmcr0, FCS);
	encoded(&cpu, c + 2, 1, &control);
	ck_assert_uint_eq(control.ppc.mmcr0, FCP);
	refuses(&cpu, c, 3, 0x5, "same modes");
	refuses(&cpu, c + 1, 2, 0x3, "same modes");
	c[1] = look_up("ppc7450", "INSTRUCTIONS_COMPLETED:uk");
	refuses(&cpu, c, 2, 0x3, "same modes");
	c[0] = look_up("ppc7450", "PROCESSOR_CYCLES:uk");
	encoded(&cpu, c, 2, &control);
	ck_assert_uint_eq(control.ppc.mmcr0, 0);
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
			snprintf(word, sizeof(word), "PROCESSOR_CYCLES:%s", words[i]);
			c[0] = look_up_both(cpu.id, "PROCESSOR_CYCLES");
			c[1] = look_up_both(cpu.id, word);
			refuses(&cpu, c + 1, 1, 0x1, "no edge detection");
			refuses(&cpu, c, 2, 0x2, "no edge detection");
		}
	}
}
END_TEST

static struct perfctr_event_choice sampled(const char *id, const char *word, uint32_t ireset)
{
	struct perfctr_event_choice choice = look_up_both(id, word);

	choice.imode = 1;
	choice.ireset = ireset;
	return choice;
}

START_TEST(imode)
{
	struct perfctr_cpu cpu = cpu_named("ppc7450");
	struct perfctr_event_choice c[4];
	struct perfctr_cpu_control control;

	/* Cycles alone, on whatever counter; then PMC2's event, and PMC1's. */
	c[0] = sampled("ppc7450", "PROCESSOR_CYCLES", 0x7FFFFFFF);
	encoded(&cpu, c, 1, &control);
	ck_assert_uint_eq(control.ppc.mmcr0, PMXE | (control.pmc_map[0] == 0 ? PMC1CE : PMCjCE));
	c[0] = sampled("ppc7450", "L1_DATA_LOAD_MISSES", 0);
	encoded(&cpu, c, 1, &control);
	ck_assert_uint_eq(control.ppc.mmcr0, PMXE | PMCjCE);
	c[1] = sampled("ppc7450", "DST_INSTR_DISPATCHED", 5);
	encoded(&cpu, c, 2, &control);
	ck_assert_uint_eq(control.ppc.mmcr0, PMXE | PMC1CE | PMCjCE);
	/*
	 * PMC2 to PMC6 interrupt all or none: an a-mode event beside one in i-mode must go to PMC1,
	 * or the i-mode one must.
	 */
	c[1] = look_up_both("ppc7450", "PROCESSOR_CYCLES");
	encoded(&cpu, c, 2, &control);
	ck_assert_uint_eq(control.pmc_map[0], 0);
	c[1] = look_up_both("ppc7450", "L1_DATA_STORE_MISSES"); /* PMC2, too */
	c[0] = sampled("ppc7450", "PROCESSOR_CYCLES", 5);
	encoded(&cpu, c, 2, &control);
	ck_assert_uint_eq(control.pmc_map[1], 0);
	/* Two in a-mode leave the i-mode one only PMC1. */
	c[1] = c[2] = look_up_both("ppc7450", "PROCESSOR_CYCLES");
	encoded(&cpu, c, 3, &control);
	ck_assert_uint_eq(control.pmc_map[2], 0);
	/* The same, named last. */
	c[3] = c[0];
	encoded(&cpu, c + 1, 3, &control);
	ck_assert_uint_eq(control.pmc_map[2], 0);
}
END_TEST

/* Where it can't be, both are named, with the reason. */
START_TEST(imode_mixed)
{
	struct perfctr_cpu cpu = cpu_named("ppc7450");
	struct perfctr_event_choice c[3] = {
		look_up_both("ppc7450", "PROCESSOR_CYCLES"),
		sampled("ppc7450", "L1_DATA_LOAD_MISSES", 5),		    /* PMC2 */
		look_up_both("ppc7450", "CANCELLED_L1_INSTR_CACHE_MISSES"), /* PMC3 */
	};
	unsigned int place[3];
	uint32_t conflict;
	struct perfctr_cpu_control control;
	const char *reason = encode(&cpu, c, 3, &control, place, &conflict);

	ck_assert_ptr_nonnull(reason);
	ck_assert_msg(strncmp(reason, "NOT ACCEPTED", 12), "%s", reason);
	ck_assert_uint_eq(conflict, 0x6);
}
END_TEST

/*
 * Is there a way for the choices of the set, if PMC2 to PMC6 must all be of one mode? By trying
 * everything; modes is what these counters have so far, a bit for each.
 */
static int fits_modes(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		      unsigned int n, uint32_t set, uint32_t used, unsigned int modes)
{
	unsigned int who, o, pmc;

	for (who = 0; who < n && !(set >> who & 1); who++)
		;
	if (who == n)
		return 1;
	for (o = 0; o < choices[who].options; o++)
		for (pmc = 0; pmc < 6; pmc++) {
			unsigned int all = modes | (pmc ? 1u << choices[who].imode : 0);

			if (all != 3 &&
			    (choices[who].option[o].counters & cpu->counters & ~used) >> pmc & 1 &&
			    fits_modes(cpu, choices, n, set & ~(1u << who), used | 1u << pmc, all))
				return 1;
		}
	return 0;
}

/* Random sets of both modes: placed if they can be; else all that are named are needed for that. */
START_TEST(oracle_modes)
{
	static const char *const ids[] = { "ppc604e", "ppc750", "ppc7450" };
	unsigned int k, i, n, place[5], yes = 0, mixed = 0;
	static struct names names;
	struct perfctr_event_choice c[5];
	struct perfctr_cpu_control control;
	struct perfctr_cpu cpu;
	const char *reason;
	uint32_t conflict;

	for (k = 0; k < 30000; k++) {
		if (k % 10000 == 0) {
			cpu = cpu_named(ids[k / 10000]);
			cpu.pcint = 1;
			get_names(cpu.id, &names);
		}
		n = 2 + random_below(4);
		for (i = 0; i < n; i++) {
			c[i] = names.choice[random_below(names.n)];
			c[i].imode = random_below(2) & 1;
			c[i].ireset = 0x7FFFFF00;
		}
		if (fits_modes(&cpu, c, n, (1u << n) - 1, 0, 0)) {
			encoded(&cpu, c, n, &control);
			yes++;
			continue;
		}
		reason = encode(&cpu, c, n, &control, place, &conflict);
		ck_assert_msg(reason && !fits_modes(&cpu, c, n, conflict, 0, 0), "%s", reason);
		ck_assert_uint_eq(conflict >> n, 0);
		if (strncmp(reason, "PMC2 to PMC6 must all be", 24) != 0)
			continue;
		mixed++;
		for (i = 0; i < n; i++)
			ck_assert_msg(!(conflict >> i & 1) ||
					      fits_modes(&cpu, c, n, conflict & ~(1u << i), 0, 0),
				      "conflict %#x does not need %u", conflict, i);
	}
	printf("%u sets fit, %u have two modes\n", yes, mixed);
	ck_assert_uint_gt(yes, 1000);
	ck_assert_uint_gt(mixed, 1000);
}
END_TEST

/* 750s whose overflow interrupt is broken. */
START_TEST(no_interrupt)
{
	struct perfctr_event_choice c = sampled("ppc750", "PROCESSOR_CYCLES", 5);
	struct perfctr_cpu cpu;

	perfctr_powerpc_identify(0x00080200, &cpu);
	refuses(&cpu, &c, 1, 0x1, "can't interrupt");
}
END_TEST

/* Nothing to count is no mode of counting. */
START_TEST(no_choices)
{
	static const struct perfctr_event_choice none;
	struct perfctr_cpu cpu = cpu_named("ppc7450");
	struct perfctr_cpu_control control;

	encoded(&cpu, &none, 0, &control);
	ck_assert_uint_eq(control.ppc.mmcr0, 0);
}
END_TEST

START_TEST(codes)
{
	struct perfctr_cpu cpu = cpu_named("ppc7450");
	struct perfctr_event_choice choice = look_up("ppc7450", "L1_INSTR_CACHE_MISSES:u");
	struct perfctr_cpu_control c = { .pmc_map[3] = 5, .evntsel[3] = 0x17 };
	struct perfctr_code code;

	memset(&code, 0xA5, sizeof(code));
	ck_assert_ptr_null(perfctr_powerpc.choice_code(&cpu, &choice, &code));
	ck_assert_uint_eq(code.map, 0);
	ck_assert_uint_eq(code.evntsel, 0x15);
	ck_assert_uint_eq(code.high, 0);
	ck_assert_uint_eq(code.reg, 0);
	ck_assert_uint_eq(code.value, 0);
	choice = look_up("ppc7450", "PROCESSOR_CYCLES:c=3");
	ck_assert_str_eq(perfctr_powerpc.choice_code(&cpu, &choice, &code),
			 "this processor has no edge detection, inversion or threshold");
	memset(&code, 0xA5, sizeof(code));
	perfctr_powerpc.control_code(&cpu, &c, 3, &code);
	ck_assert_uint_eq(code.map, 5);
	ck_assert_uint_eq(code.evntsel, 0x17);
	ck_assert_uint_eq(code.high, 0);
	ck_assert_uint_eq(code.reg, 0);
	ck_assert_uint_eq(code.value, 0);
}
END_TEST

START_TEST(types)
{
	static const char *const ids[] = {
		NULL, "ppc604", "ppc604e", "ppc750", "ppc7400", "ppc7450"
	};
	static const char *const names[] = {
		"Generic PowerPC with a time base",
		"PowerPC 604",
		"PowerPC 604e",
		"PowerPC 750",
		"PowerPC 7400",
		"PowerPC 7450",
	};
	unsigned int type;

	for (type = 0; type < ARRAY_SIZE(ids); type++) {
		if (ids[type])
			ck_assert_str_eq(perfctr_isa_type_id(&perfctr_powerpc, type), ids[type]);
		else
			ck_assert_ptr_null(perfctr_isa_type_id(&perfctr_powerpc, type));
		ck_assert_str_eq(perfctr_isa_type_name(&perfctr_powerpc, type), names[type]);
	}
	ck_assert_ptr_null(perfctr_isa_type_id(&perfctr_powerpc, type));
	ck_assert_ptr_null(perfctr_isa_type_name(&perfctr_powerpc, type));
}
END_TEST

UNIT_MAIN("assign_powerpc", 120, every_name, oracle, full_sets, moves, levels, modifiers, imode,
	  imode_mixed, oracle_modes, no_interrupt, no_choices, codes, types)
