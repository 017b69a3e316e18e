// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of x86 on counters, on any host. */
#include <perfctr/abi-x86.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "arch/isa.h"
#include "arch/x86/p4.h"

static const struct perfctr_isa *const isa = &perfctr_x86;

#define USR    0x00010000u
#define OS     0x00020000u
#define EDGE   0x00040000u
#define INT    0x00100000u
#define ANY    0x00200000u
#define ENABLE 0x00400000u
#define INV    0x00800000u
#define FAST   0x80000000u

/* A fixed counter has nothing but levels: another event than the modes would make of it. */
static int counts_fixed(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
			unsigned int i, const struct perfctr_event_choice *choice,
			const struct perfctr_event_option *option)
{
	uint32_t evntsel = (choice->user ? USR : 0) | (choice->kernel ? OS : 0) |
			   (choice->imode ? INT : 0) | (option->code & ANY);

	return cpu->rules == PERFCTR_RULES_ARCH &&
	       (option->fixed & cpu->fixed) >> (c->pmc_map[i] & 31) & 1 && !choice->edge &&
	       !choice->invert && !choice->cmask && !(option->code & (EDGE | INV | 0xFF000000)) &&
	       !option->high && !option->reg && (c->evntsel[i] & ~(ENABLE | 0xFFFF)) == evntsel &&
	       !c->evntsel_high[i];
}

static int counts_p4(const struct perfctr_cpu_control *c, unsigned int i,
		     const struct perfctr_event_choice *choice,
		     const struct perfctr_event_option *option)
{
	uint32_t cccr = 0x31000 | option->select << 13 | (choice->imode ? 1u << 26 : 0);
	uint32_t pmc = c->pmc_map[i] & ~FAST;

	/* A threshold of N is "more than N - 1" (COMPARE), inverted "N - 1 or less". */
	if (choice->cmask)
		cccr |= 1u << 18 | (choice->cmask - 1u) << 20 | (choice->invert ? 1u << 19 : 0) |
			(choice->edge ? 1u << 24 : 0);
	return pmc < 18 && option->counters >> pmc & 1 && c->evntsel[i] == cccr &&
	       perfctr_p4_escr(pmc, option->select) == option->reg &&
	       c->p4.escr[i] ==
		       (option->code | (choice->user ? 4u : 0) | (choice->kernel ? 8u : 0)) &&
	       (!option->pebs_enable || (c->p4.pebs_enable == option->pebs_enable &&
					 c->p4.pebs_matrix_vert == option->pebs_matrix_vert));
}

/* Do the registers beside the event select have what the option asks for? */
static int has_value(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		     const struct perfctr_event_option *option)
{
	uint32_t n = option->reg - 0x1A6, high;

	if (option->reg == 0)
		return 1;
	if (option->reg == 0x3F7)
		return cpu->frontend && c->pebs_frontend == option->value;
	/* Nova Lake: 3E0H and 3E2H are the first word's, 3E1H and 3E3H the second's. */
	if (cpu->omr)
		n = (option->reg - 0x3E0) % 2;
	if (n > 1 || n >= cpu->offcore)
		return 0;
	high = cpu->offcore_width > 32 ? c->offcore_rsp_high[n] : 0;
	return (c->offcore_rsp[n] | (uint64_t)high << 32) == option->value;
}

/* Does the control's counter i count this? */
static int isa_counts(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *c,
		      unsigned int i, const struct perfctr_event_choice *choice,
		      const struct perfctr_event_option *option)
{
	uint32_t pmc = c->pmc_map[i], evntsel = option->code;

	if (cpu->rules == PERFCTR_RULES_P4)
		return counts_p4(c, i, choice, option);
	if (pmc & 0x40000000u)
		return counts_fixed(cpu, c, i, choice, option);
	if (pmc > 31 || !((option->counters & cpu->counters) >> pmc & 1))
		return 0;
	switch (cpu->rules) {
	case PERFCTR_RULES_P5:
	case PERFCTR_RULES_MII:
		evntsel |= (choice->kernel ? 0x40u : 0) | (choice->user ? 0x80u : 0);
		break;
	case PERFCTR_RULES_WINCHIP:
	case PERFCTR_RULES_C3: break;
	default:
		if (choice->cmask)
			evntsel = (evntsel & 0x00FFFFFF) | (uint32_t)choice->cmask << 24;
		evntsel |= (choice->user ? USR : 0) | (choice->kernel ? OS : 0) |
			   (choice->imode ? INT : 0) | (choice->edge ? EDGE : 0) |
			   (choice->invert ? INV : 0) |
			   (cpu->rules == PERFCTR_RULES_P6 && pmc != 0 ? 0 : ENABLE);
	}
	return c->evntsel[i] == evntsel && c->evntsel_high[i] == option->high &&
	       has_value(cpu, c, option);
}

#include "tests/unit/assign.h"

/* What can't be counted, each reason in the words that the user reads. */
static const char *const reasons[] = {
	"it counts only in precise sampling",
	"it needs a register that no control can carry",
	"its replay tag needs bits that no control may set",
	NULL,
};

START_TEST(every_name)
{
	singles(reasons);
}
END_TEST

START_TEST(oracle)
{
	random_sets(3000, 5);
}
END_TEST

/* P4's ESCRs are shared by several counters: larger sets. */
START_TEST(oracle_p4)
{
	static const char *const ids[] = { "p4", "p4m3" };
	static struct names names;
	struct perfctr_event_choice c[6];
	unsigned int n, k, i, size, base, yes, no;
	struct perfctr_cpu cpu;

	for (n = 0; n < 2; n++) {
		cpu = cpu_named(ids[n]);
		get_names(ids[n], &names);
		for (k = 0, yes = no = 0; k < 10000; k++) {
			size = 2 + random_below(5);
			base = random_below(names.n);
			for (i = 0; i < size; i++) {
				c[i] = names.choice[(base + random_below(40)) % names.n];
				c[i].kernel = random_below(8) != 0;
			}
			*(compare(&cpu, c, size) ? &yes : &no) += 1;
		}
		printf("%s: %u sets fit, %u do not\n", ids[n], yes, no);
	}
}
END_TEST

/* Processors that nobody built: few counters, and registers that many events want. */
START_TEST(oracle_synthetic)
{
	static const enum perfctr_rules rules[] = {
		PERFCTR_RULES_ARCH,
		PERFCTR_RULES_P4,
		PERFCTR_RULES_K7,
	};
	struct perfctr_event_choice c[6];
	unsigned int k, i, o, size, fit = 0;

	for (k = 0; k < 60000; k++) {
		struct perfctr_cpu cpu = {
			.id = "synthetic",
			.rules = rules[k % 3],
			.offcore = 2,
		};

		cpu.counters = (2u << random_below(6)) - 1;
		cpu.fixed = random_below(8);
		cpu.pairs = cpu.rules == PERFCTR_RULES_K7 && random_below(2);
		size = 1 + random_below(6);
		memset(c, 0, sizeof(c));
		for (i = 0; i < size; i++) {
			c[i].user = random_below(4) != 0;
			c[i].kernel = !c[i].user;
			c[i].options = 1 + random_below(PERFCTR_EVENT_OPTIONS);
			for (o = 0; o < c[i].options; o++) {
				struct perfctr_event_option *option = &c[i].option[o];

				option->counters = random_below(64) & random_below(64);
				option->fixed = random_below(8) & random_below(8);
				option->code = 1 + random_below(2);
				/* All ways of a choice take one counter, or a pair. */
				if (cpu.pairs && size > 1 + i % 3)
					option->code = 3;
				if (cpu.rules == PERFCTR_RULES_P4 || random_below(2))
					option->reg = 0x1A6 + random_below(3);
				option->value = random_below(3);
				if (cpu.rules == PERFCTR_RULES_P4 && random_below(4) == 0) {
					option->pebs_enable = 1 + random_below(2);
					option->pebs_matrix_vert = 1 + random_below(2);
				}
			}
		}
		fit += (unsigned int)compare(&cpu, c, size);
	}
	ck_assert_uint_gt(fit, 6000);
	ck_assert_uint_lt(fit, 54000);
}
END_TEST

/* ---- full sets ---- */

START_TEST(full_sets)
{
	full("p5", "DATA_READ", 2);
	full("c3", "INTERNAL_CLOCKS", 1);
	full("winchip_c6", "X86_INSTRUCTIONS", 2);
	full("mii", "DATA_READ", 2);
	full("ppro", "CPU_CLK_UNHALTED", 2);
	full("ppro", "FLOPS", 1);
	full("k7", "RETIRED_INSTRUCTIONS", 4);
	full("fam15h", "RETIRED_INSTRUCTIONS", 6);
	full("fam15h", "CPU_CLK_UNHALTED", 3);
	full("zen4", "RETIRED_INSTRUCTIONS", 6);
	full("zen4", "RETIRED_SSE_AVX_FLOPS.ANY", 3); /* pairs of them */
	full("skylake", "MEM_LOAD_RETIRED.L1_HIT", 4);
	full("skylake", "INST_RETIRED.ANY", 1);
	full("icelake", "INST_RETIRED.ANY_P", 8);
	full("architectural", "INSTRUCTION_RETIRED", 5);
	/* Both halves of FSB's ESCRs, with all counters that reach them. */
	full("p4", "global_power_events", 4);
	full("p4", "instr_retired", 6);
	full("p4", "replay_event.L1CLMR", 6);
}
END_TEST

/* All 18 counters of a P4; one more of any group is too much, and only its group is to blame. */
START_TEST(full_p4)
{
	static const char *const words[] = {
		"global_power_events",	    "global_power_events:k",   "ITLB_reference.HIT",
		"ITLB_reference.MISS",	    "TC_deliver_mode.DD",      "TC_deliver_mode.DD",
		"TC_deliver_mode.DB",	    "TC_deliver_mode.DB",      "memory_complete.LSC",
		"memory_complete.LSC:u",    "load_port_replay",	       "memory_cancel",
		"instr_retired.NBOGUSNTAG", "instr_retired.NBOGUSTAG", "branch_retired.MMTP",
		"branch_retired.MMTM",	    "uops_retired:u",	       "branch_retired.MMTM",
	};
	struct perfctr_event_choice c[19];
	struct perfctr_cpu_control control;
	unsigned int n, i, place[19];
	uint32_t conflict;
	struct perfctr_cpu cpu;

	for (n = 0; n < 2; n++) {
		const char *id = n ? "p4m3" : "p4";

		cpu = cpu_named(id);
		for (i = 0; i < ARRAY_SIZE(words); i++)
			c[i] = look_up_both(id, words[i]);
		/* Three values for two ESCRs: uops_retired has those of instr_retired. */
		refuses(&cpu, c, 18, 0x13000, "they need the same ESCR");
		c[16] = look_up_both(id, "instr_retired.NBOGUSNTAG");
		/* memory_complete with two levels, and load_port_replay. */
		refuses(&cpu, c, 18, 0x700, "they need the same ESCR");
		c[10] = look_up_both(id, "memory_cancel:u");
		encoded(&cpu, c, 18, &control);
		/* More than the control has places: there is no way whatever they are. */
		c[18] = c[0];
		ck_assert_str_eq(encode(&cpu, c, 19, &control, place, &conflict),
				 "there are not enough counters that can count them");
		ck_assert_uint_eq(conflict, 0x7FFFF);
		encoded(&cpu, c, 0, &control);
	}
}
END_TEST

static void quickly(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		    unsigned int n, uint32_t set)
{
	unsigned int option[PERFCTR_ASSIGN_MAX];
	uint32_t counter[PERFCTR_ASSIGN_MAX], conflict = 0;
	int result = perfctr_event_assign(cpu, choices, n, option, counter, &conflict);

	ck_assert_int_eq(result, set ? -1 : 0);
	ck_assert_uint_eq(conflict, set);
	if (!set)
		assigned(cpu, choices, n, option, counter);
}

/* A search that tries one after the other takes ages, and Check ends it. */
START_TEST(pathological)
{
	struct perfctr_event_choice c[PERFCTR_ASSIGN_MAX];
	struct perfctr_cpu cpu = { .id = "twelve", .rules = PERFCTR_RULES_K7 };
	unsigned int i, o;

	/* 13 alike for 12 places, each in as many ways as there can be. */
	memset(c, 0, sizeof(c));
	for (i = 0; i < PERFCTR_ASSIGN_MAX; i++) {
		c[i].user = c[i].kernel = 1;
		c[i].options = PERFCTR_EVENT_OPTIONS;
		for (o = 0; o < PERFCTR_EVENT_OPTIONS; o++)
			c[i].option[o].counters = 0xFFF;
	}
	cpu.counters = 0xFFF;
	quickly(&cpu, c, 12, 0);
	quickly(&cpu, c, 13, 0x1FFF);
	quickly(&cpu, c, 32, 0xFFF80000);
	cpu.counters = 0xFFFFFFFF;
	for (i = 0; i < PERFCTR_ASSIGN_MAX; i++)
		for (o = 0; o < PERFCTR_EVENT_OPTIONS; o++)
			c[i].option[o].counters = 0xFFFFFFFF;
	quickly(&cpu, c, 32, 0);
	for (i = 0; i < PERFCTR_ASSIGN_MAX; i++)
		for (o = 0; o < PERFCTR_EVENT_OPTIONS; o++)
			c[i].option[o].counters = 0x7FFFFFFF;
	quickly(&cpu, c, 32, 0xFFFFFFFF);
}
END_TEST

START_TEST(pathological_register)
{
	struct perfctr_event_choice c[18];
	struct perfctr_cpu cpu = { .id = "eighteen", .rules = PERFCTR_RULES_K7 };
	unsigned int i, o;

	memset(c, 0, sizeof(c));
	cpu.counters = 0x3FFFF;
	/* The last two want one register, whatever the others do. */
	for (i = 0; i < 18; i++) {
		c[i].options = 2;
		for (o = 0; o < 2; o++) {
			c[i].option[o].counters = 0x3FFFF;
			c[i].option[o].reg = i < 16 ? 0 : 0x1A6;
			c[i].option[o].value = i;
		}
	}
	quickly(&cpu, c, 18, 0x30000);
}
END_TEST

START_TEST(pathological_p4)
{
	static const char *const pairs[] = {
		"global_power_events", "ITLB_reference.HIT",  "BPU_fetch_request",
		"page_walk_type",      "TC_deliver_mode.DD",  "uop_queue_writes",
		"retired_branch_type", "memory_complete.LSC", "memory_cancel",
		"x87_FP_uop.ALL",      "branch_retired.MMTP", "machine_clear.CLEAR",
	};
	static const char *const others[] = {
		"global_power_events", "ITLB_reference.HIT",  "BPU_fetch_request",
		"page_walk_type",      "TC_deliver_mode.DD",  "TC_deliver_mode.DD",
		"uop_queue_writes",    "retired_branch_type", "memory_complete.LSC",
		"memory_cancel",       "x87_FP_uop.ALL",      "x87_FP_uop.ALL",
		"instr_retired",       "instr_retired",	      "resource_stall",
		"resource_stall",      "replay_event.L1CLMR", "replay_event.L2CLMR",
	};
	struct perfctr_event_choice c[18];
	struct perfctr_cpu cpu;
	unsigned int n;

	/* As many events of a P4 as have ESCRs of their own, then three that share two. */
	cpu = cpu_named("p4");
	for (n = 0; n < ARRAY_SIZE(pairs); n++)
		c[n] = look_up_both("p4", pairs[n]);
	c[n++] = look_up_both("p4", "instr_retired.NBOGUSNTAG");
	c[n++] = look_up_both("p4", "instr_retired.NBOGUSTAG");
	c[n++] = look_up_both("p4", "instr_retired.BOGUSTAG");
	quickly(&cpu, c, n, 0x7000);
	/* All that precede the conflict have two ways, and fit in any. */
	for (n = 0; n < ARRAY_SIZE(others); n++)
		c[n] = look_up_both("p4", others[n]);
	quickly(&cpu, c, n, 0x30000);
	for (; n > 0; n--)
		c[ARRAY_SIZE(others) - n] = look_up_both("p4", others[n - 1]);
	quickly(&cpu, c, ARRAY_SIZE(others), 0x3);
}
END_TEST

/* Fixed counters leave the others free. */
START_TEST(fixed_counters)
{
	struct perfctr_cpu cpu = cpu_named("skylake");
	struct perfctr_event_choice c[8];
	struct perfctr_cpu_control control;
	unsigned int i;

	c[0] = look_up_both("skylake", "INST_RETIRED.ANY");
	c[1] = look_up_both("skylake", "CPU_CLK_UNHALTED.THREAD");
	c[2] = look_up_both("skylake", "CPU_CLK_UNHALTED.REF_TSC");
	for (i = 3; i < 8; i++)
		c[i] = look_up_both("skylake", "INST_RETIRED.ANY_P");
	encoded(&cpu, c, 7, &control);
	ck_assert_uint_eq(control.pmc_map[0], 0x40000000);
	ck_assert_uint_eq(control.pmc_map[1], 0x40000001);
	ck_assert_uint_eq(control.pmc_map[2], 0x40000002);
	refuses(&cpu, c, 8, 0xF8, "not enough counters");
	/* A processor without them. */
	cpu.fixed = 0;
	refuses(&cpu, c, 1, 0x1, "not enough counters");
}
END_TEST

/* Zen's event 003H takes two counters, an even one and the next. */
START_TEST(pairs_of_counters)
{
	static const char flops[] = "RETIRED_SSE_AVX_FLOPS:MULT_FLOPS";
	static const char *const ids[] = { "zen2", "zen3", "zen4", "zen5", "zen6" };
	struct perfctr_event_choice c[7];
	struct perfctr_cpu_control control;
	struct perfctr_cpu cpu;
	unsigned int i, k;

	for (k = 0; k < ARRAY_SIZE(ids); k++) {
		cpu = cpu_named(ids[k]);
		for (i = 0; i < 7; i++)
			c[i] = look_up_both(ids[k], "RETIRED_INSTRUCTIONS");
		c[2] = look_up_both(ids[k], flops);
		encoded(&cpu, c, 5, &control);
		ck_assert_uint_eq(control.pmc_map[2], 0);
		for (i = 0; i < 5; i++)
			ck_assert_uint_ne(control.pmc_map[i], 1);
		refuses(&cpu, c, 6, 0x3F, "event 003H takes an even counter and the next one");
		c[0] = c[1] = c[2];
		encoded(&cpu, c, 3, &control);
		ck_assert_uint_eq(control.pmc_map[0], 0);
		ck_assert_uint_eq(control.pmc_map[1], 2);
		ck_assert_uint_eq(control.pmc_map[2], 4);
		refuses(&cpu, c, 4, 0xF, "event 003H takes an even counter and the next one");
		c[3] = c[2];
		refuses(&cpu, c, 4, 0xF, "event 003H takes an even counter and the next one");
		/* A hypervisor with the four old counters: there the kernel has no pairs, either.
		 */
		cpu.pairs = 0;
		encoded(&cpu, c, 4, &control);
	}
	cpu = cpu_named("fam15h");
	for (i = 0; i < 2; i++)
		c[i] = look_up_both("fam15h", "RETIRED_SSE_OPS");
	refuses(&cpu, c, 2, 0x3, "there are not enough counters that can count them");
}
END_TEST

/* Two values for one register. */
START_TEST(shared_registers)
{
	static const struct {
		const char *id, *a, *b;
		int fit;
	} pairs[] = {
		/* Each half of the table's ways has its register: 1A6H and 1A7H. */
		{ "skylake", "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE",
		  "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE", 1 },
		{ "skylake", "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE",
		  "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE", 1 },
		{ "knightslanding", "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE",
		  "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE", 1 },
		/* Intel's lists have OUTSTANDING in 1A6H only. */
		{ "silvermont", "OFFCORE_RESPONSE.DEMAND_DATA_RD.OUTSTANDING",
		  "OFFCORE_RESPONSE.DEMAND_RFO.OUTSTANDING", 0 },
		{ "knightslanding", "OFFCORE_RESPONSE.DEMAND_DATA_RD.OUTSTANDING",
		  "OFFCORE_RESPONSE.DEMAND_RFO.OUTSTANDING", 0 },
		{ "goldmont", "OFFCORE_RESPONSE.DEMAND_DATA_RD.OUTSTANDING",
		  "OFFCORE_RESPONSE.DEMAND_RFO.OUTSTANDING", 0 },
		{ "goldmontplus", "OFFCORE_RESPONSE.DEMAND_DATA_RD.OUTSTANDING",
		  "OFFCORE_RESPONSE.DEMAND_RFO.OUTSTANDING", 0 },
		{ "snowridgex", "OCR.DEMAND_RFO.OUTSTANDING", "OCR.HWPF_L2_RFO.OUTSTANDING", 0 },
		{ "elkhartlake", "OCR.DEMAND_RFO.OUTSTANDING", "OCR.HWPF_L2_RFO.OUTSTANDING", 0 },
		{ "silvermont", "OFFCORE_RESPONSE.DEMAND_DATA_RD.OUTSTANDING",
		  "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE", 1 },
		{ "snowridgex", "OCR.DEMAND_RFO.OUTSTANDING", "OCR.DEMAND_RFO.ANY_RESPONSE", 1 },
		{ "skylake", "FRONTEND_RETIRED.DSB_MISS", "FRONTEND_RETIRED.L1I_MISS", 0 },
		{ "skylake", "FRONTEND_RETIRED.DSB_MISS", "FRONTEND_RETIRED.DSB_MISS", 1 },
		{ "p4", "replay_event.L1CLMR", "replay_event.L2CLMR", 0 },
		{ "p4", "replay_event.L1CLMR", "replay_event.NBOGUS", 1 },
		{ "p4", "replay_event.L1CLMR", "instr_retired", 1 },
	};
	struct perfctr_event_choice c[2];
	struct perfctr_cpu_control control;
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		cpu = cpu_named(pairs[i].id);
		c[0] = look_up_both(pairs[i].id, pairs[i].a);
		c[1] = look_up_both(pairs[i].id, pairs[i].b);
		if (pairs[i].fit)
			encoded(&cpu, c, 2, &control);
		else
			refuses(&cpu, c, 2, 0x3, "");
	}
}
END_TEST

/* ---- levels and modifiers ---- */

START_TEST(levels)
{
	static const struct {
		const char *id, *word;
		int always;
	} all[] = {
		{ "c3", "INTERNAL_CLOCKS", 1 },
		{ "winchip_c6", "X86_INSTRUCTIONS", 1 },
		{ "winchip_2", "DATA_READ", 1 },
		{ "p5", "DATA_READ", 0 },
		{ "mii", "DATA_READ", 0 },
		{ "ppro", "CPU_CLK_UNHALTED", 0 },
		{ "k7", "RETIRED_INSTRUCTIONS", 0 },
		{ "p4", "instr_retired", 0 },
		{ "skylake", "INST_RETIRED.ANY", 0 },
		{ "skylake", "INST_RETIRED.ANY_P", 0 },
	};
	struct perfctr_event_choice c[2];
	struct perfctr_cpu_control control;
	struct perfctr_cpu cpu;
	unsigned int i, mode;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		cpu = cpu_named(all[i].id);
		for (mode = 1; mode < 4; mode++) {
			c[0] = c[1] = look_up(all[i].id, all[i].word);
			c[0].user = c[1].kernel = 1;
			c[0].kernel = c[1].user = 1;
			c[1].user = mode & 1;
			c[1].kernel = mode >> 1 & 1;
			if (all[i].always && mode != 3) {
				refuses(&cpu, c + 1, 1, 0x1, "can't tell user from kernel");
				refuses(&cpu, c, 2, 0x2, "can't tell user from kernel");
			} else {
				encoded(&cpu, c + 1, 1, &control);
			}
		}
	}
}
END_TEST

/*
 * Every name that can be counted, with every modifier: counted as asked, or refused for one of the
 * reasons; never counted without.
 */
START_TEST(modifiers)
{
	static const char *const why[] = {
		"this processor has no edge detection, inversion or threshold",
		"a P4's threshold is at most 16",
		"on a P4, e and i need a threshold (c=N)",
		"there are not enough counters that can count them",
		"a fixed counter has no",
		NULL,
	};
	static struct names names;
	struct perfctr_cpu_control control;
	struct perfctr_event_choice c;
	unsigned int n, i, m, k, place[1], alone = 0, bad = 0;
	struct perfctr_cpu cpu;
	uint32_t conflict;
	const char *id;

	for (n = 0; (id = perfctr_isa_id(isa, n)); n++) {
		cpu = cpu_named(id);
		get_names(id, &names);
		for (i = 0; i < names.n * 16; i++) {
			const char *reason;

			m = i % 16;
			c = names.choice[i / 16];
			c.edge = m & 1;
			c.invert = m >> 1 & 1;
			c.cmask = m >> 2 == 0 ? 0 : m >> 2 == 1 ? 1 : m >> 2 == 2 ? 16 : 255;
			reason = encode(&cpu, &c, 1, &control, place, &conflict);
			if (m == 0)
				alone = !reason;
			if (!alone)
				continue;
			for (k = 0; reason && why[k]; k++)
				if (!strncmp(reason, why[k], strlen(why[k])))
					break;
			if ((reason ? !why[k] : !counted(&cpu, &control, 0, &c)) && bad++ < 20)
				printf("%s: %s with e=%u i=%u c=%u: %s\n", id, names.word[i / 16],
				       c.edge, c.invert, c.cmask, reason ? reason : "not counted");
		}
	}
	fflush(stdout);
	ck_assert_uint_eq(bad, 0);
}
END_TEST

START_TEST(modifiers_by_family)
{
	static const struct {
		const char *id, *word, *words;
	} refused[] = {
		{ "p5", "DATA_READ:e", "no edge detection" },
		{ "p5mmx", "DATA_READ:c=1", "no edge detection" },
		{ "mii", "DATA_READ:i", "no edge detection" },
		{ "winchip_2", "DATA_READ:c=2", "no edge detection" },
		{ "c3", "INTERNAL_CLOCKS:e", "no edge detection" },
		{ "p4", "instr_retired:e", "need a threshold" },
		{ "p4", "instr_retired:i", "need a threshold" },
		{ "p4", "instr_retired:c=17", "at most 16" },
		{ "p4", "instr_retired:ei:c=255", "at most 16" },
		{ "skylake", "INST_RETIRED.PREC_DIST", "precise sampling" },
	};
	struct perfctr_event_choice c;
	struct perfctr_cpu_control control;
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		cpu = cpu_named(refused[i].id);
		c = look_up_both(refused[i].id, refused[i].word);
		refuses(&cpu, &c, 1, 0x1, refused[i].words);
	}
	cpu = cpu_named("ppro");
	c = look_up_both("ppro", "CPU_CLK_UNHALTED:uei:c=3");
	encoded(&cpu, &c, 1, &control);
	ck_assert_uint_eq(control.evntsel[0], 0x03C50079);
	cpu = cpu_named("zen3");
	c = look_up_both("zen3", "RETIRED_SSE_AVX_FLOPS.MAC_FLOPS:k:c=255:i");
	encoded(&cpu, &c, 1, &control);
	ck_assert_uint_eq(control.evntsel[0], 0xFFC20803);
	cpu = cpu_named("p4");
	c = look_up_both("p4", "instr_retired.NBOGUSNTAG:k:c=16:ei");
	encoded(&cpu, &c, 1, &control);
	ck_assert_uint_eq(control.evntsel[0], 0x01FF9000);
	ck_assert_uint_eq(control.p4.escr[0], 0x04000208);
	/* The table's own threshold gives way to the word's. */
	cpu = cpu_named("skylake");
	c = look_up_both("skylake", "CYCLE_ACTIVITY.STALLS_TOTAL:c=5");
	encoded(&cpu, &c, 1, &control);
	ck_assert_uint_eq(control.evntsel[0], 0x054304A3);
}
END_TEST

/* ---- i-mode ---- */

START_TEST(imode)
{
	static const struct {
		const char *id, *a, *b;
	} pairs[] = {
		{ "ppro", "CPU_CLK_UNHALTED", "INST_RETIRED" },
		{ "pentium_m", "CPU_CLK_UNHALTED", "INST_RETIRED" },
		{ "k7", "RETIRED_INSTRUCTIONS", "RETIRED_UOPS" },
		{ "zen2", "RETIRED_SSE_AVX_FLOPS.MAC_FLOPS", "CYCLES_NOT_IN_HALT" },
		{ "p4", "instr_retired", "global_power_events" },
		{ "p4m3", "branch_retired.MMTP", "branch_retired.MMTM" },
		{ "core2", "INST_RETIRED.ANY_P", "CPU_CLK_UNHALTED.BUS" },
		{ "skylake", "INST_RETIRED.ANY", "MEM_LOAD_RETIRED.L1_HIT" },
		{ "skylake", "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE", "INST_RETIRED.ANY" },
		{ "lioncove", "INST_RETIRED.ANY", "INST_RETIRED.ANY_P" },
	};
	static const char *const without[] = { "p5", "p5mmx", "mii", "winchip_2" };
	struct perfctr_event_choice c[2];
	struct perfctr_cpu_control control;
	struct perfctr_cpu cpu;
	unsigned int i, set;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		cpu = cpu_named(pairs[i].id);
		for (set = 0; set < 4; set++) {
			c[0] = look_up_both(pairs[i].id, pairs[i].a);
			c[1] = look_up_both(pairs[i].id, pairs[i].b);
			c[0].imode = set & 1;
			c[1].imode = set >> 1 & 1;
			c[0].ireset = 0xFFFFFFFF;
			c[1].ireset = 0x80000000;
			encoded(&cpu, c, 2, &control);
		}
	}
	for (i = 0; i < ARRAY_SIZE(without); i++) {
		cpu = cpu_named(without[i]);
		c[0] = c[1] = look_up_both(without[i], "DATA_READ");
		c[1].imode = 1;
		c[1].ireset = 0xFFFFFFFF;
		refuses(&cpu, c, 2, 0x2, "can't interrupt");
	}
}
END_TEST

/* ---- codes, for whoever writes no control ---- */

/* Alone, and wherever there is room: counter 0 stands for any. */
START_TEST(codes_of_choices)
{
	static const struct {
		const char *id, *word;
		uint32_t map, evntsel, high, reg;
		uint64_t value;
	} all[] = {
		{ "p5", "DATA_READ:u", 0, 0x80, 0, 0, 0 },
		{ "p5mmx", "DATA_READ:k", 0, 0x40, 0, 0, 0 },
		{ "mii", "L2_TLB_MISSES:uk", 0, 0x4C0, 0, 0, 0 },
		{ "winchip_c6", "X86_INSTRUCTIONS:uk", 0, 2, 0, 0, 0 },
		{ "c3", "INTERNAL_CLOCKS", 0, 0x79, 0, 0, 0 },
		{ "ppro", "CPU_CLK_UNHALTED:k", 0, 0x00420079, 0, 0, 0 },
		{ "zen5", "RETIRED_UCODE_INSTRUCTIONS:uk", 0, 0x004300C1, 0x1, 0, 0 },
		/* No level: none. */
		{ "k7", "RETIRED_INSTRUCTIONS", 0, 0x004000C0, 0, 0, 0 },
		{ "skylake", "INST_RETIRED.ANY", FIXED, 0x00400000, 0, 0, 0 },
		{ "skylake", "CPU_CLK_UNHALTED.REF_TSC:u", FIXED + 2, 0x00410000, 0, 0, 0 },
		{ "skylake", "INST_RETIRED.ANY_P:u:c=2", 0, 0x024100C0, 0, 0, 0 },
		{ "skylake", "INST_RETIRED.ANY_P:ei", 0, 0x00C400C0, 0, 0, 0 },
		{ "skylake", "FRONTEND_RETIRED.DSB_MISS:u", 0, 0x004101C6, 0, 0x3F7, 0x11 },
		{ "skylake", "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE:k", 0, 0x004201B7, 0,
		  0x1A6, 0x10001 },
		/* The word's threshold, be it none, takes the place of the table's. */
		{ "skylake", "CYCLE_ACTIVITY.STALLS_TOTAL:u", 0, 0x044104A3, 0, 0, 0 },
		{ "skylake", "CYCLE_ACTIVITY.STALLS_TOTAL:u:c=0", 0, 0x004104A3, 0, 0, 0 },
		{ "lioncove", "BR_INST_RETIRED.COND_TAKEN_FWD:u", 0, 0x004100C4, 0x100, 0, 0 },
		/* ESCR SELECT 4 of CRU_ESCR0; CPL bits 2 and 3. */
		{ "p4", "instr_retired.NBOGUSNTAG:u", FAST, 0x00039000, 0, 0x3B8, 0x04000204 },
		{ "p4", "instr_retired.NBOGUSNTAG:k:c=3:i", FAST, 0x002F9000, 0, 0x3B8,
		  0x04000208 },
	};
	struct perfctr_event_choice c;
	struct perfctr_code code;
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		cpu = cpu_named(all[i].id);
		c = look_up(all[i].id, all[i].word);
		memset(&code, 0xA5, sizeof(code));
		ck_assert_ptr_null(perfctr_x86.choice_code(&cpu, &c, &code));
		ck_assert_msg(code.map == all[i].map && code.evntsel == all[i].evntsel &&
				      code.high == all[i].high && code.reg == all[i].reg &&
				      code.value == all[i].value,
			      "%s: %s: %#x: %#x %#x, %#x %#llx", all[i].id, all[i].word, code.map,
			      code.evntsel, code.high, code.reg, (unsigned long long)code.value);
	}
}
END_TEST

/* A way without fixed counters, if there are modes: the second here. */
START_TEST(codes_with_modes)
{
	struct perfctr_cpu cpu = cpu_named("skylake");
	struct perfctr_event_choice c;
	struct perfctr_code code;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		memset(&c, 0, sizeof(c));
		c.options = 2;
		c.option[0].fixed = 2;
		c.option[0].code = 0x3C;
		c.option[1].counters = 0xF;
		c.option[1].code = 0x13C;
		c.edge = i == 1;
		c.invert = i == 2;
		c.cmask = i == 3;
		ck_assert_ptr_null(perfctr_x86.choice_code(&cpu, &c, &code));
		ck_assert_uint_eq(code.map, i ? 0 : FIXED + 1);
		ck_assert_uint_eq(code.evntsel, i == 0	 ? ENABLE
						: i == 1 ? (0x13C | ENABLE | EDGE)
						: i == 2 ? (0x13C | ENABLE | INV)
							 : (0x0100013C | ENABLE));
		c.options = 1;
		ck_assert_int_eq(perfctr_x86.choice_code(&cpu, &c, &code) != NULL, i != 0);
	}
}
END_TEST

/* Modifiers that are words: t and transactions as libpfm4 writes them, counters as LIKWID does. */
START_TEST(modifiers_that_are_words)
{
	static const struct {
		const char *word;
		uint32_t code, high, counters, fixed;
	} right[] = {
		{ "L2_RQSTS:MISS:t", 0x203F24, 0, 0xF, 0 },
		{ "L2_RQSTS:MISS:t=1:u", 0x203F24, 0, 0xF, 0 },
		{ "L2_RQSTS:MISS:intx", 0x3F24, 1, 0xF, 0 },
		{ "L2_RQSTS:intxcp:MISS:intx=1", 0x3F24, 3, 0xF, 0 },
		{ "L2_RQSTS:MISS:t=0:intx=0:intxcp=0:e=0:i=0:precise=0:excl=0:hw_smpl=0", 0x3F24, 0,
		  0xF, 0 },
		{ "L2_RQSTS:MISS:PMC2", 0x3F24, 0, 4, 0 },
		{ "L2_RQSTS:PMC0:MISS", 0x3F24, 0, 1, 0 },
		{ "L2_RQSTS:MISS:PMC31", 0x3F24, 0, 0, 0 },
		{ "L2_RQSTS:MISS:FIXC0", 0x3F24, 0, 0, 0 },
		{ "ARITH:t", 0x01200114, 0, 0xF, 0 },
		{ "INST_RETIRED.ANY:FIXC0", 0x100, 0, 0, 1 },
		{ "INST_RETIRED.ANY:FIXC1", 0x100, 0, 0, 0 },
	};
	static const char *const wrong[] = {
		"L2_RQSTS:MISS:t:t=1",	   "L2_RQSTS:MISS:intx:intx",
		"L2_RQSTS:MISS:PMC1:PMC1", "L2_RQSTS:MISS:PMC1:FIXC1",
		"L2_RQSTS:MISS:PMC32",	   "L2_RQSTS:MISS:PMC4294967297",
	};
	static const char *const none[] = {
		"L2_RQSTS:MISS:T",    "L2_RQSTS:MISS:t=2",  "L2_RQSTS:MISS:precise=1",
		"L2_RQSTS:MISS:PMC",  "L2_RQSTS:MISS:PM",   "L2_RQSTS:MISS:PMC1x",
		"L2_RQSTS:MISS:FIXC", "L2_RQSTS:MISS:FIX1", "L2_RQSTS:MISS:in",
		"L2_RQSTS:MISS:tu",
	};
	struct perfctr_event_choice c;
	size_t length;
	unsigned int i, event;
	const char *part;

	for (i = 0; i < ARRAY_SIZE(right); i++) {
		c = look_up("skylake", right[i].word);
		ck_assert_msg(c.option[0].code == right[i].code &&
				      c.option[0].high == right[i].high,
			      "%s: %x, %x", right[i].word, c.option[0].code, c.option[0].high);
		ck_assert_msg((c.option[0].counters & 0xF) == right[i].counters &&
				      c.option[0].fixed == right[i].fixed,
			      "%s: %x, %x", right[i].word, c.option[0].counters, c.option[0].fixed);
	}
	for (i = 0; i < ARRAY_SIZE(wrong) + ARRAY_SIZE(none); i++) {
		const char *word = i < ARRAY_SIZE(wrong) ? wrong[i] : none[i - ARRAY_SIZE(wrong)];

		ck_assert_msg(perfctr_event_lookup(perfctr_event_table("skylake"), word,
						   strlen(word), &c, &part, &length, &event) ==
				      (i < ARRAY_SIZE(wrong) ? PERFCTR_EVENT_MODIFIER
							     : PERFCTR_EVENT_NO_MASK),
			      "%s", word);
	}
}
END_TEST

START_TEST(codes_that_are_none)
{
	static const struct {
		const char *id, *word, *reason;
	} all[] = {
		{ "skylake", "INST_RETIRED.PREC_DIST", "precise sampling" },
		{ "skylake", "INST_RETIRED.ANY:e", "a fixed counter has no e, i or c=N" },
		{ "p4", "instr_retired:e", "need a threshold" },
		{ "winchip_c6", "X86_INSTRUCTIONS:u", "can't tell user from kernel" },
		{ "c3", "INTERNAL_CLOCKS:k", "can't tell user from kernel" },
		{ "p5", "DATA_READ:c=1", "no edge detection" },
		{ "zen4", "LS_DISPATCH:LD_DISPATCH:t", "neither AnyThread nor transactions" },
		{ "zen4", "LS_DISPATCH:LD_DISPATCH:intx", "neither AnyThread nor transactions" },
		{ "nehalem_ep", "INST_RETIRED:ANY_P:intxcp", "bits about transactions" },
		{ "p5", "DATA_READ:t", "neither AnyThread nor transactions" },
		{ "skylake", "INST_RETIRED.ANY:intx", "bits about transactions" },
	};
	struct perfctr_event_choice c;
	struct perfctr_code code;
	struct perfctr_cpu cpu;
	const char *reason;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		cpu = cpu_named(all[i].id);
		c = look_up(all[i].id, all[i].word);
		reason = perfctr_x86.choice_code(&cpu, &c, &code);
		ck_assert_msg(reason && strstr(reason, all[i].reason), "%s: %s", all[i].word,
			      reason ? reason : "it has a code");
	}
	/* What the processor of the same table does not have, or has. */
	cpu = cpu_named("skylake");
	cpu.reserved &= ~(3ull << 32);
	c = look_up("skylake", "L2_RQSTS:MISS:intx:intxcp");
	ck_assert_ptr_null(perfctr_x86.choice_code(&cpu, &c, &code));
	ck_assert_uint_eq(code.high, 3);
	c = look_up("skylake", "INST_RETIRED.ANY:intx");
	ck_assert_ptr_nonnull(
		strstr(perfctr_x86.choice_code(&cpu, &c, &code), "can't tell transactions"));
	c = look_up("skylake", "FRONTEND_RETIRED.DSB_MISS");
	cpu.frontend = 0;
	ck_assert_str_eq(perfctr_x86.choice_code(&cpu, &c, &code),
			 "this processor has no MSR_PEBS_FRONTEND");
	c = look_up("skylake", "CPU_CLK_UNHALTED.THREAD_P_ANY");
	ck_assert_ptr_null(perfctr_x86.choice_code(&cpu, &c, &code));
	cpu.reserved |= ANY;
	ck_assert_str_eq(perfctr_x86.choice_code(&cpu, &c, &code),
			 "it needs AnyThread (bit 21), which this processor does not have");
	memset(&c, 0, sizeof(c));
	c.options = 1;
	c.option[0].counters = 0xF;
	for (i = 0x1A4; i < 0x1AA; i++) {
		c.option[0].reg = i;
		reason = perfctr_x86.choice_code(&cpu, &c, &code);
		ck_assert_msg(i == 0x1A6 || i == 0x1A7
				      ? !reason
				      : !strcmp(reason,
						"it needs a register that no control can carry"),
			      "%#x", i);
	}
}
END_TEST

/* P4's replay tags: bits 24, 10, 9 and 2-0 of one register, 1 and 0 of the other. */
START_TEST(replay_tags)
{
	struct perfctr_cpu cpu = cpu_named("p4");
	struct perfctr_event_choice c = look_up("p4", "replay_event.L1CLMR");
	struct perfctr_code code;
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		c.option[0].pebs_enable = 1u << bit;
		c.option[0].pebs_matrix_vert = 3;
		ck_assert_int_eq(!perfctr_x86.choice_code(&cpu, &c, &code), 0x01000607u >> bit & 1);
		c.option[0].pebs_enable = 0x01000607;
		c.option[0].pebs_matrix_vert = 1u << bit;
		ck_assert_int_eq(!perfctr_x86.choice_code(&cpu, &c, &code), bit < 2);
	}
	c = look_up("p4", "instr_retired:c=16:e");
	ck_assert_ptr_null(perfctr_x86.choice_code(&cpu, &c, &code));
	c.cmask = 17;
	ck_assert_str_eq(perfctr_x86.choice_code(&cpu, &c, &code),
			 "a P4's threshold is at most 16");
}
END_TEST

/* What a control's counter counts, with the register that its event looks at. */
START_TEST(codes_of_controls)
{
	static const struct {
		const char *id;
		uint32_t map, evntsel, reg;
		uint64_t value;
	} all[] = {
		{ "skylake", 1, 0x004101B7, 0x1A6, 0x3F00000011 },
		{ "skylake", 1, 0x004101BB, 0x1A7, 0x2900000022 },
		{ "skylake", 1, 0x0041012A, 0x1A6, 0x3F00000011 },
		{ "skylake", 1, 0x0041012B, 0x1A7, 0x2900000022 },
		{ "skylake", 1, 0x004102B7, 0x1A7, 0x2900000022 },
		{ "skylake", 1, 0x004100B7, 0, 0 },
		{ "skylake", 1, 0x004102BB, 0, 0 },
		{ "skylake", 1, 0x004101C6, 0x3F7, 0x33 },
		{ "skylake", 1, 0x0041FFC6, 0x3F7, 0x33 },
		{ "skylake", 1, 0x004102AD, 0x3F7, 0x33 },
		{ "skylake", 1, 0x004102C2, 0x3F7, 0x33 },
		{ "skylake", 1, 0x004102C7, 0, 0 },
		/* What a fixed counter counts is no matter of its event. */
		{ "skylake", FIXED, 0x004101C6, 0, 0 },
		{ "skylake", FIXED, 0x004101B7, 0, 0 },
		/* One register of 16 bits, two of them, no MSR_PEBS_FRONTEND, none at all. */
		{ "nehalem_ep", 1, 0x004101B7, 0x1A6, 0x11 },
		{ "nehalem_ep", 1, 0x004101BB, 0, 0 },
		{ "westmere_dp", 1, 0x004101BB, 0x1A7, 0x22 },
		{ "sandybridge", 1, 0x004101C6, 0, 0 },
		{ "core2", 1, 0x004101B7, 0, 0 },
		{ "zen3", 1, 0x004101B7, 0, 0 },
		{ "piii", 1, 0x004101B7, 0, 0 },
	};
	struct perfctr_cpu_control c;
	struct perfctr_code code;
	struct perfctr_cpu cpu;
	unsigned int i;

	memset(&c, 0, sizeof(c));
	c.offcore_rsp[0] = 0x11;
	c.offcore_rsp[1] = 0x22;
	c.offcore_rsp_high[0] = 0x3F;
	c.offcore_rsp_high[1] = 0x29;
	c.pebs_frontend = 0x33;
	c.evntsel_high[2] = 0x5;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		cpu = cpu_named(all[i].id);
		c.pmc_map[2] = all[i].map;
		c.evntsel[2] = all[i].evntsel;
		memset(&code, 0xA5, sizeof(code));
		perfctr_x86.control_code(&cpu, &c, 2, &code);
		ck_assert_msg(code.map == all[i].map && code.evntsel == all[i].evntsel &&
				      code.reg == all[i].reg && code.value == all[i].value,
			      "case %u: %#x: %#x, %#x %#llx", i, code.map, code.evntsel, code.reg,
			      (unsigned long long)code.value);
		/* Processors without an upper half ignore what stands there. */
		ck_assert_uint_eq(code.high, cpu.reserved >> 32 == 0xFFFFFFFF ? 0 : 5);
	}
	/* Registers of 32 bits and of 33: where an upper half begins. */
	cpu = cpu_named("skylake");
	c.evntsel[2] = 0x004101B7;
	for (i = 32; i < 34; i++) {
		cpu.offcore_width = i;
		perfctr_x86.control_code(&cpu, &c, 2, &code);
		ck_assert_uint_eq(code.value, i == 32 ? 0x11 : 0x3F00000011);
	}
}
END_TEST

/* ---- the search, without encoding ---- */

/* Counter alone[i] is all that choice i has; fixed ones are FIXED + n. */
static void only_on(struct perfctr_event_choice *choice, uint32_t counters, uint32_t fixed)
{
	memset(choice, 0, sizeof(*choice));
	choice->options = 1;
	choice->user = choice->kernel = 1;
	choice->option[0].counters = counters;
	choice->option[0].fixed = fixed;
}

/* RDPMC numbers of all 64 counters that there may be; a fixed one is taken first, then the lowest.
 */
START_TEST(every_counter)
{
	struct perfctr_cpu cpu = {
		.id = "largest",
		.rules = PERFCTR_RULES_ARCH,
		.counters = 0xFFFFFFFF,
		.fixed = 0xFFFFFFFF,
	};
	struct perfctr_event_choice c[PERFCTR_ASSIGN_MAX];
	unsigned int option[PERFCTR_ASSIGN_MAX], i;
	uint32_t counter[PERFCTR_ASSIGN_MAX], conflict;

	for (i = 0; i < 32; i++) {
		only_on(&c[0], 1u << i, 0);
		only_on(&c[1], 0, 1u << i);
		ck_assert_int_eq(perfctr_event_assign(&cpu, c, 2, option, counter, &conflict), 0);
		ck_assert_uint_eq(counter[0], i);
		ck_assert_uint_eq(counter[1], FIXED + i);
		ck_assert_uint_eq(conflict, 0);
	}
	only_on(&c[0], 0xC, 0x6);
	only_on(&c[1], 0xC, 0x2);
	only_on(&c[2], 0xC, 0);
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 1, option, counter, &conflict), 0);
	ck_assert_uint_eq(counter[0], FIXED + 1);
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 3, option, counter, &conflict), 0);
	ck_assert_uint_eq(counter[0], FIXED + 1);
	ck_assert_uint_eq(counter[1], 2);
	ck_assert_uint_eq(counter[2], 3);
	/* All 32 of either kind. */
	for (i = 0; i < 32; i++)
		only_on(&c[i], 0, 0xFFFFFFFF);
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 32, option, counter, &conflict), 0);
	for (i = 0; i < 32; i++)
		ck_assert_uint_eq(counter[i], FIXED + i);
}
END_TEST

/* The last programmable counter, too, may be taken from who can have another. */
START_TEST(the_last_counter_moves)
{
	struct perfctr_cpu cpu = {
		.id = "thirty-two",
		.rules = PERFCTR_RULES_K7,
		.counters = 0xFFFFFFFF,
	};
	struct perfctr_event_choice c[3];
	unsigned int option[3];
	uint32_t counter[3], conflict;

	only_on(&c[0], 0x00000003, 0);
	only_on(&c[1], 0x80000001, 0);
	only_on(&c[2], 0x80000000, 0);
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 3, option, counter, &conflict), 0);
	ck_assert_uint_eq(counter[0], 1);
	ck_assert_uint_eq(counter[1], 0);
	ck_assert_uint_eq(counter[2], 31);
}
END_TEST

/* The second offcore response register came later than the first. */
START_TEST(one_offcore_register)
{
	struct perfctr_cpu cpu = { .id = "four", .rules = PERFCTR_RULES_ARCH, .counters = 0xF };
	struct perfctr_event_choice c[2];
	unsigned int option[2], i;
	uint32_t counter[2], conflict;

	for (i = 0; i < 2; i++) {
		only_on(&c[i], 0xF, 0);
		c[i].options = 2;
		c[i].option[1] = c[i].option[0];
		c[i].option[0].reg = 0x1A6;
		c[i].option[1].reg = 0x1A7;
		c[i].option[0].value = c[i].option[1].value = i + 1;
	}
	for (cpu.offcore = 1; cpu.offcore < 4; cpu.offcore++) {
		ck_assert_int_eq(perfctr_event_assign(&cpu, c, 1, option, counter, &conflict), 0);
		ck_assert_uint_eq(option[0], 0);
		ck_assert_int_eq(perfctr_event_assign(&cpu, c, 2, option, counter, &conflict),
				 cpu.offcore < 2 ? -1 : 0);
		ck_assert_uint_eq(conflict, cpu.offcore < 2 ? 3 : 0);
	}
	cpu.offcore = 1;
	c[0].option[0] = c[0].option[1];
	c[0].options = 1;
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 1, option, counter, &conflict), -1);
	ck_assert_uint_eq(conflict, 1);
}
END_TEST

/* Only Intel's rules have fixed counters, and these know no modes but the levels. */
START_TEST(who_has_fixed_counters)
{
	static const enum perfctr_rules others[] = { PERFCTR_RULES_P6, PERFCTR_RULES_P4,
						     PERFCTR_RULES_K7, PERFCTR_RULES_PMUV3 };
	struct perfctr_cpu cpu = { .id = "one", .rules = PERFCTR_RULES_ARCH, .fixed = 4 };
	unsigned int option, i, result;
	struct perfctr_event_choice c;
	uint32_t counter, conflict;

	for (i = 0; i < 6; i++) {
		only_on(&c, 1, 4);
		c.user = i != 1;
		c.edge = i == 2;
		c.invert = i == 3;
		c.cmask = i == 4 ? 128 : 0;
		c.imode = i == 5;
		result = perfctr_event_assign(&cpu, &c, 1, &option, &counter, &conflict) == 0;
		ck_assert_uint_eq(result, i < 2 || i == 5);
		ck_assert_uint_eq(conflict, !result);
	}
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		cpu.rules = others[i];
		only_on(&c, 1, 4);
		ck_assert_int_eq(perfctr_event_assign(&cpu, &c, 1, &option, &counter, &conflict),
				 -1);
	}
}
END_TEST

START_TEST(more_than_there_is_room_for)
{
	struct perfctr_cpu cpu = {
		.id = "largest",
		.rules = PERFCTR_RULES_ARCH,
		.counters = 0xFFFFFFFF,
		.fixed = 0xFFFFFFFF,
	};
	struct perfctr_event_choice c[PERFCTR_ASSIGN_MAX + 1];
	unsigned int option[PERFCTR_ASSIGN_MAX + 1], i;
	uint32_t counter[PERFCTR_ASSIGN_MAX + 1], conflict = 7;

	for (i = 0; i < ARRAY_SIZE(c); i++)
		only_on(&c[i], 0xFFFFFFFF, 0xFFFFFFFF);
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 32, option, counter, &conflict), 0);
	ck_assert_int_eq(perfctr_event_place(&cpu, c, 32, 1, NULL, option, counter), 0);
	ck_assert_int_eq(perfctr_event_clash(&cpu, c, 32, 1), 1);
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 33, option, counter, &conflict), -1);
	ck_assert_uint_eq(conflict, 0);
	ck_assert_int_eq(perfctr_event_place(&cpu, c, 33, 1, NULL, option, counter), -1);
	ck_assert_int_eq(perfctr_event_clash(&cpu, c, 33, 1), 0);
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 0, option, counter, &conflict), 0);
}
END_TEST

/* Some of the choices, and some of the counters for each; the others get nothing. */
START_TEST(places_for_some)
{
	static const uint32_t only[] = { 0x8, 0x2, 0xF };
	struct perfctr_cpu cpu = { .id = "four", .rules = PERFCTR_RULES_ARCH, .counters = 0xF };
	struct perfctr_event_choice c[3];
	unsigned int option[3], i;
	uint32_t counter[3] = { 77, 77, 77 };

	for (i = 0; i < 3; i++)
		only_on(&c[i], 0xFFFFFFFF, 1);
	ck_assert_int_eq(perfctr_event_place(&cpu, c, 3, 7, only, option, counter), 0);
	ck_assert_uint_eq(counter[0], 3);
	ck_assert_uint_eq(counter[1], 1);
	ck_assert_uint_eq(counter[2], 0);
	/* Fixed counters are not in the sets: anybody may have them. */
	cpu.fixed = 1;
	ck_assert_int_eq(perfctr_event_place(&cpu, c, 3, 2, only, option, counter), 0);
	ck_assert_uint_eq(counter[1], FIXED);
	ck_assert_uint_eq(counter[0], 3);
	cpu.fixed = 0;
	cpu.counters = 0x7;
	ck_assert_int_eq(perfctr_event_place(&cpu, c, 3, 7, only, option, counter), -1);
	ck_assert_int_eq(perfctr_event_place(&cpu, c, 3, 6, only, option, counter), 0);
	ck_assert_int_eq(perfctr_event_place(&cpu, c, 3, 1, only, option, counter), -1);
	ck_assert_int_eq(perfctr_event_place(&cpu, c, 3, 1, NULL, option, counter), 0);
	ck_assert_uint_eq(counter[0], 0);
}
END_TEST

/* Is a register with two values what stands in the way, or counters? */
START_TEST(what_clashes)
{
	struct perfctr_cpu cpu = { .id = "two", .rules = PERFCTR_RULES_ARCH, .counters = 3 };
	struct perfctr_event_choice c[3];
	unsigned int option[3], i;
	uint32_t counter[3], conflict;

	for (i = 0; i < 3; i++) {
		only_on(&c[i], 3, 0);
		c[i].option[0].reg = 0x3F7;
		c[i].option[0].value = i;
	}
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 2, option, counter, &conflict), -1);
	ck_assert_uint_eq(conflict, 3);
	ck_assert_int_eq(perfctr_event_clash(&cpu, c, 2, conflict), 1);
	ck_assert_int_eq(perfctr_event_clash(&cpu, c, 3, 7), 0);
	ck_assert_int_eq(perfctr_event_clash(&cpu, c, 3, 5), 1);
	/* A P4's ESCR holds the levels, too. */
	cpu.rules = PERFCTR_RULES_P4;
	for (i = 0; i < 2; i++)
		c[i].option[0].code = 1;
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 2, option, counter, &conflict), 0);
	c[1].user = 0;
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 2, option, counter, &conflict), -1);
	c[0].user = 0;
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 2, option, counter, &conflict), 0);
	c[0].kernel = 0;
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 2, option, counter, &conflict), -1);
	c[0].user = 1;
	ck_assert_int_eq(perfctr_event_assign(&cpu, c, 2, option, counter, &conflict), -1);
}
END_TEST

UNIT_MAIN("assign_x86", 60, every_name, oracle, oracle_p4, oracle_synthetic, full_sets, full_p4,
	  pathological, pathological_register, pathological_p4, fixed_counters, pairs_of_counters,
	  shared_registers, levels, modifiers, modifiers_by_family, imode, every_counter,
	  the_last_counter_moves, one_offcore_register, who_has_fixed_counters,
	  more_than_there_is_room_for, places_for_some, what_clashes, codes_of_choices,
	  codes_with_modes, modifiers_that_are_words, codes_that_are_none, replay_tags,
	  codes_of_controls)
