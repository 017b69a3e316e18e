// SPDX-License-Identifier: LGPL-2.1-or-later
/* The processors' own events through the library: controls by name, lists, the historical sets. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/word.h"
#include "lib/names/presets.h"
#include "lib/names/table.h"
#include "libperfctr.h"
#include <stdlib.h>
#include "arch/cpu.h"
#include "tests/harness/printed.h"
#include "tests/harness/check.h"
#include "arch/isa.h"
#include "arch/metric-tables.h"

/* The nth calloc(3) from now on fails; 0: none. */
static unsigned int no_memory;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	return no_memory && --no_memory == 0 ? NULL : __real_calloc(n, size);
}

/* What the call prints. */
static int print(const char *cpu, const char *events)
{
	int result;

	print_begin();
	result = perfctr_cpu_events_print(cpu, events);
	print_end();
	return result;
}

static void has(const char *line)
{
	ck_assert_msg(strstr(printed, line) != NULL, "\"%s\" is missing in\n%s", line, printed);
}

/* Controls of processors that are not here, one of each kind. */
START_TEST(test_print)
{
	ck_assert_int_eq(print("skylake", "mem_load_retired:l1_hit:u,Inst_Retired.Any"), 0);
	has("nractrs                 2\n");
	has("evntsel[0]              0x004101D1\n");
	has("pmc_map[1]              0x40000000\n");
	ck_assert_int_eq(print("skylake", "INST_RETIRED.ANY_P:u:c=2:ie"), 0);
	has("evntsel[0]              0x02C500C0\n");
	ck_assert_int_eq(print("skylake", "OFFCORE_RESPONSE:DEMAND_DATA_RD.ANY_RESPONSE:k"), 0);
	has("evntsel[0]              0x004201B7\n");
	has("offcore_rsp[0]          0x00010001\n");
	ck_assert_int_eq(print("p4", "instr_retired:NBOGUSNTAG:u"), 0);
	has("p4.escr[0]              0x04000204\n");
	ck_assert_int_eq(print("ppc7450", "INSTRUCTIONS_COMPLETED:u"), 0);
	has("evntsel[0]              0x00000002\n");
	has("ppc.mmcr0               0x40000000\n");
	ck_assert_int_eq(print("neoverse-n1", "INST_RETIRED:u"), 0);
	has("evntsel[0]              0x80000008\n");
	ck_assert_int_eq(print("p5mmx", "DATA_READ:u"), 0);
	has("evntsel[0]              0x00000080\n");
}
END_TEST

/* All of a control, and no word that is 0 without need. */
START_TEST(whole_controls)
{
	static const struct {
		const char *cpu, *events, *text;
	} all[] = {
		{ "skylake", "INST_RETIRED.ANY_P,INST_RETIRED.ANY,L2_RQSTS.MISS",
		  "cpu                     skylake (Intel Skylake, client)\n"
		  "tsc_on                  1\n"
		  "nractrs                 3\n"
		  "pmc_map[0]              0x00000000\n"
		  "evntsel[0]              0x004300C0\n"
		  "pmc_map[1]              0x40000000\n"
		  "evntsel[1]              0x00430000\n"
		  "pmc_map[2]              0x00000001\n"
		  "evntsel[2]              0x00433F24\n" },
		{ "p4", "uop_queue_writes",
		  "cpu                     p4 (Intel Pentium 4 (model 0 or 1))\n"
		  "tsc_on                  1\n"
		  "nractrs                 1\n"
		  "pmc_map[0]              0x80000004\n"
		  "evntsel[0]              0x00031000\n"
		  "p4.escr[0]              0x12000E0C\n" },
		{ "skylake", "OFFCORE_RESPONSE:DEMAND_DATA_RD.ANY_RESPONSE:k",
		  "cpu                     skylake (Intel Skylake, client)\n"
		  "tsc_on                  1\n"
		  "nractrs                 1\n"
		  "pmc_map[0]              0x00000000\n"
		  "evntsel[0]              0x004201B7\n"
		  "offcore_rsp[0]          0x00010001\n" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		ck_assert_int_eq(print(all[i].cpu, all[i].events), 0);
		ck_assert_str_eq(printed, all[i].text);
	}
	ck_fails(print("skylake", ""), EINVAL, "the list of events is empty");
	ck_assert_str_eq(printed, "");
	ck_fails(print("skylake", "INST_RETIRED.ANY_P,"), EINVAL, "empty place");
}
END_TEST

/* Whether two events, or one, fit on the processor at the same time. */
static int fit(const char *cpu, const char *one, const char *other)
{
	const char *const words[] = { one, other };
	const size_t lengths[] = { strlen(one), other ? strlen(other) : 0 };

	return perfctr_table_fits(cpu, words, lengths, other ? 2 : 1);
}

/* Two events of one counter don't fit, and of what the table does not know nothing is known. */
START_TEST(fitting)
{
	ck_assert_int_eq(fit("core2", "MUL", NULL), 1);
	ck_assert_int_eq(fit("core2", "MUL", "DIV"), 0);
	ck_assert_int_eq(fit("core2", "MUL:u", "DIV:k"), 0);
	ck_assert_int_eq(fit("core2", "MUL", "INST_RETIRED:ANY_P"), 1);
	ck_assert_int_eq(fit("core2", "MUL", "NO_SUCH_EVENT"), 2);
	ck_assert_int_eq(fit("core2", "NO_SUCH_EVENT", "MUL"), 2);
	ck_assert_int_eq(fit("core2", "NO_SUCH_EVENT", NULL), 2);
	ck_assert_int_eq(fit("no-such-processor", "MUL", NULL), 2);
}
END_TEST

/* PAPI's presets are the events that they are here, with what follows them. */
START_TEST(presets)
{
	static const char others[] = "PAPI_DP_OPS is a formula here, not an event: it is a metric, "
				     "for perfctr_metrics_open() and perfex -M, which is "
				     "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE + ";

	ck_assert_int_eq(print("skylake", "PAPI_TOT_INS:u,papi_l1_dcm"), 0);
	has("evntsel[0]              0x004100C0\n");
	has("evntsel[1]              0x00430151\n");
	ck_assert_int_eq(print("haswell", "PAPI_L1_DCM"), 0);
	has("evntsel[0]              0x00430151\n");
	/* Of several masks, with a threshold, with a register beside it, and of Pentium 4. */
	ck_assert_int_eq(print("zen4", "PAPI_L2_DCH:k"), 0);
	has("evntsel[0]              0x0042F064\n");
	ck_assert_int_eq(print("skylake", "PAPI_FUL_CCY"), 0);
	has("evntsel[0]              0x044301C2\n");
	ck_assert_int_eq(print("skylake", "PAPI_CA_SNP"), 0);
	has("offcore_rsp[0]          0x80018007\n");
	ck_assert_int_eq(print("p4", "PAPI_TOT_INS"), 0);
	has("p4.escr[0]              0x0400020C\n");
	/* Every processor has these two, also one that PAPI does not know. */
	ck_assert_int_eq(print("lioncove", "PAPI_TOT_INS,PAPI_TOT_CYC"), 0);
	ck_fails(print("skylake", "PAPI_DP_OPS"), EINVAL, others);
	ck_fails(print("skylake", "PAPI_TOT_INS:zz"), EINVAL,
		 "\"zz\" in \"INST_RETIRED:ANY_P:zz\" is neither a modifier");
	/* Controls have none of perf's modifiers. */
	ck_fails(print("skylake", "INST_RETIRED:ANY_P:D:e"), EINVAL,
		 "\"D\" in \"INST_RETIRED:ANY_P:D:e\" is neither a modifier");
	ck_fails(print("skylake", "PAPI_TOT_INS:uu"), EINVAL, "given twice");
	ck_fails(print("skylake", "PAPI_"), EINVAL, "\"PAPI_\" is not an event");
	ck_fails(print("skylake", "PAPI_TOT_IN"), EINVAL, "\"PAPI_TOT_IN\" is not an event");
	ck_fails(print("skylake", "PAPI_TOT_INSS"), EINVAL, "\"PAPI_TOT_INSS\" is not an event");
	ck_fails(print("skylake", "PAPI_BRU_IDL"), EINVAL, "\"PAPI_BRU_IDL\" is not an event");
	/* They fit together, or not, as others. */
	ck_assert_int_eq(fit("skylake", "PAPI_TOT_INS", "PAPI_TOT_CYC"), 1);
	ck_assert_int_eq(fit("skylake", "PAPI_TOT_INS", "PAPI_BRU_IDL"), 2);
	ck_assert_int_eq(perfctr_preset_event("PAPI_TOT_INS:u", 14, perfctr_event_table("skylake"),
					      printed, 20),
			 0);
	ck_assert_int_eq(perfctr_preset_event("PAPI_TOT_INS:u", 14, perfctr_event_table("skylake"),
					      printed, 21),
			 1);
	ck_assert_str_eq(printed, "INST_RETIRED:ANY_P:u");
}
END_TEST

static unsigned int presets_found;

/* A preset that is an event is one of the processor's table. */
static int find_presets(void *arg, const struct perfctr_event_name *cpu)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < perfctr_metric_record_count; i++) {
		const struct perfctr_metric_record *record = &perfctr_metric_records[i];
		const char *name = perfctr_metric_text(record->name);
		const struct perfctr_event_table *table = perfctr_event_table(cpu->name);
		char event[256], formula[PERFCTR_METRIC_FORMULA];

		perfctr_metric_formula(record, formula);
		if (strncmp(name, "PAPI_", 5) != 0 || !perfctr_metric_is_for(record, cpu->name) ||
		    strchr(formula, ' '))
			continue;
		ck_assert_int_eq(perfctr_preset_event(name, strlen(name), table, event,
						      sizeof(event)),
				 1);
		ck_assert_str_eq(event, formula);
		ck_assert_msg(fit(cpu->name, name, NULL) == 1, "%s of %s is %s: %s", name,
			      cpu->name, formula, perfctr_error());
		presets_found++;
	}
	return 0;
}

START_TEST(all_presets)
{
	ck_assert_int_eq(perfctr_cpu_list(find_presets, NULL), 0);
	ck_assert_uint_gt(presets_found, 2000);
}
END_TEST

static int no_name(void *arg, const struct perfctr_event_name *name)
{
	(void)arg;
	(void)name;
	ck_abort_msg("there is none");
}

START_TEST(test_errors)
{
	struct perfctr_cpu_control control;

	ck_fails(print("pentium99", "x"), ENOENT, "the library knows no processor");
	ck_fails(print("skylake", NULL), EINVAL, "a list of events");
	ck_fails(print("skylake", "MEM_LOAD_RETIRD:L1_HIT"), EINVAL,
		 "did you mean MEM_LOAD_RETIRED");
	ck_fails(print("skylake", "zzzzzzzzzzzzzzzzzz"), EINVAL, "perfex -l --cpu skylake");
	ck_fails(print("zen3", "ls_dc_acceses"), EINVAL,
		 "\"ls_dc_acceses\" is not an event of the AMD Zen 3; did you mean "
		 "LS_DC_ACCESSES");
	ck_fails(print("zen4", "ls_dmnd_fill_from_sys.local_l2"), EINVAL,
		 "did you mean LS_DMND_FILLS_FROM_SYS");
	ck_fails(print("zen4", "ls_dmnd_fills_from_sys.lokal"), EINVAL,
		 "\"lokal\" in \"ls_dmnd_fills_from_sys.lokal\" is neither a modifier (u, k, e, i, "
		 "c=N) nor a unit mask of the event, which has LCL_L2");
	ck_fails(print("p5", "DATA_REED"), EINVAL, "did you mean DATA_READ or DATA_WRITE?");
	ck_fails(print("skylake", "MEM_LOAD_RETIRED"), EINVAL, "needs a unit mask");
	ck_fails(print("skylake", "MEM_LOAD_RETIRED.L9"), EINVAL, "L1_HIT, L2_HIT");
	ck_fails(print("skylake", "MEM_LOAD_RETIRED:L1_HIT:L2_HIT"), EINVAL,
		 "\"L2_HIT\" can't be combined with a unit mask before it in "
		 "\"MEM_LOAD_RETIRED:L1_HIT:L2_HIT\"; leave out one of them");
	ck_fails(print("core2", "L2_LD:I_STATE:SELF:M_STATE:BOTH_CORES"), EINVAL,
		 "\"BOTH_CORES\" can't be combined");
	ck_fails(print("skylake", "INST_RETIRED.ANY_P:uu"), EINVAL, "given twice");
	ck_fails(print("skylake", "INST_RETIRED.ANY_P:c=256"), EINVAL, "0 to 255");
	ck_fails(print("skylake", "INST_RETIRED.ANY_P,"), EINVAL, "empty place");
	ck_fails(print("skylake", "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_4"), EOPNOTSUPP,
		 "only in precise sampling");
	ck_fails(print("piii", "FLOPS,INST_RETIRED,FLOPS"), ENOSPC,
		 "FLOPS, FLOPS can't be counted");
	ck_fails(print("ppc750", "INSTRUCTIONS_COMPLETED:u,INSTRUCTIONS_COMPLETED:k"), ENOSPC,
		 "in the same modes");
	ck_fails(print("c3", "INSTRUCTIONS_EXECUTED:u"), EOPNOTSUPP, "can't tell user from kernel");
	ck_fails(print("neoverse-n1", "INST_RETIRED:c=2"), EOPNOTSUPP, "no edge detection");
	ck_fails(perfctr_cpu_control_events(NULL, "x"), EINVAL, "not NULL");
	/* Precision is for who samples by perf_events. */
	ck_fails(perfctr_cpu_events_print("skylake", "MEM_TRANS_RETIRED:LOAD_LATENCY_GT_4:pp"),
		 EINVAL, "MEM_TRANS_RETIRED:LOAD_LATENCY_GT_4:pp: the modifier p (precise)");
	ck_fails(perfctr_cpu_events_print("zen3", "RETIRED_INSTRUCTIONS:p"), EINVAL,
		 "a control has none");
	ck_fails(perfctr_cpu_event_list("pentium99", no_name, NULL), ENOENT, "no processor");
	memset(&control, 0x5A, sizeof(control));
	ck_assert_int_eq(perfctr_cpu_control_events(&control, "no_such_event_anywhere"), -1);
	ck_assert_uint_eq(control.nractrs, 0x5A5A5A5A);
}
END_TEST

static void fails_exactly(const char *cpu, const char *events, int error, const char *message)
{
	ck_fails(print(cpu, events), error, message);
	ck_assert_str_eq(perfctr_error(), message);
}

/* Of a word no more than 100 letters are shown. */
START_TEST(long_words)
{
	char word[300], message[600];

	sprintf(word, "%0101u", 1u);
	sprintf(message,
		"\"%0100u\" is not an event of the Intel Pentium III, whose own names "
		"\"perfex -l --cpu piii\" lists",
		0u);
	fails_exactly("piii", word, EINVAL, message);
	sprintf(word, "FLOPS:c=%0150u", 256u);
	sprintf(message,
		"the modifier \"c=%098u\" in \"FLOPS:c=%092u\" is given twice, or its number is "
		"not one from 0 to 255",
		0u, 0u);
	fails_exactly("piii", word, EINVAL, message);
	sprintf(word, "FLOPS:%095u", 1u);
	sprintf(message,
		"\"%095u\" in \"FLOPS:%094u\" is neither a modifier (u, k, e, i, c=N) nor a unit "
		"mask of the event, which has none",
		1u, 0u);
	fails_exactly("piii", word, EINVAL, message);
}
END_TEST

/* Which masks there are, as far as a sentence can say it. */
START_TEST(lists_of_masks)
{
	fails_exactly(
		"zen5", "RETIRED_INT_OPS", EINVAL,
		"\"RETIRED_INT_OPS\" needs a unit mask; write it after a colon: MMX_ADD, MMX_SUB, MMX_MUL, MMX_MAC, MMX_AES, MMX_SHA, MMX_CMP, MMX_CVT, MMX_SHIFT, MMX_MOV, MMX_SHUFFLE, MMX_VNNI, MMX_LOGICAL, MMX_OTHER, MMX_ALL, SSE_AVX_ADD, SSE_AVX_SUB, SSE_AVX_MUL, SSE_AVX_MAC, SSE_AVX_AES, SSE_AVX_SHA, SSE_AVX_CMP, SSE_AVX_CVT, SSE_AVX_SHIFT, SSE_AVX_MOV, ...");
}
END_TEST

#define TOGETHER " can't be counted together: there are not enough counters that can count them"

/* The names of those that exclude each other, as far as a sentence can say it. */
START_TEST(lists_of_names)
{
	char words[400], third[100], message[600];
	unsigned int last;

	fails_exactly("piii", "FLOPS:u,INST_RETIRED,FLOPS:k", ENOSPC, "FLOPS:u, FLOPS:k" TOGETHER);
	/* Five want four counters. For the third there is room, or not, but for the fourth. */
	for (last = 82; last <= 83; last++) {
		int used = sprintf(words, "LD_BLOCKS.NO_SR:c=%083u,LD_BLOCKS.NO_SR:c=%082u,", 1u,
				   1u);

		sprintf(third, "LD_BLOCKS.NO_SR:c=%0*u", (int)last - 18, 1u);
		sprintf(words + used, "%s,LD_BLOCKS.NO_SR,LD_BLOCKS.NO_SR", third);
		sprintf(message, "LD_BLOCKS.NO_SR:c=%082u, LD_BLOCKS.NO_SR:c=%082u, %s" TOGETHER,
			0u, 1u, last == 82 ? third : "LD_BLOCKS.NO_SR, LD_BLOCKS.NO_SR");
		fails_exactly("icelake", words, ENOSPC, message);
	}
}
END_TEST

/* A control is made for as many events as any processor has counters. */
START_TEST(many_events)
{
	char words[200] = "";
	unsigned int i;

	for (i = 0; i < 31; i++)
		strcat(words, i ? ",FLOPS" : "FLOPS");
	ck_fails(print("piii", words), ENOSPC, "FLOPS, FLOPS can't be counted together");
	strcat(words, ",FLOPS");
	fails_exactly("piii", words, EINVAL, "32 events are more than any processor counts");
}
END_TEST

/* The ids of all ISAs, with their names, in this order. */
static const char *nth_id(unsigned int n)
{
	unsigned int others, more;

	for (others = 0; others < n && perfctr_isa_id(&perfctr_x86, others);)
		others++;
	if (others == n && perfctr_isa_id(&perfctr_x86, n))
		return perfctr_isa_id(&perfctr_x86, n);
	for (more = 0; others + more < n && perfctr_isa_id(&perfctr_powerpc, more);)
		more++;
	if (others + more == n && perfctr_isa_id(&perfctr_powerpc, more))
		return perfctr_isa_id(&perfctr_powerpc, more);
	others += more;
	for (more = 0; others + more < n && perfctr_isa_id(&perfctr_arm64, more);)
		more++;
	if (others + more == n && perfctr_isa_id(&perfctr_arm64, more))
		return perfctr_isa_id(&perfctr_arm64, more);
	others += more;
	for (more = 0; others + more < n && perfctr_isa_id(&perfctr_riscv, more);)
		more++;
	if (others + more == n && perfctr_isa_id(&perfctr_riscv, more))
		return perfctr_isa_id(&perfctr_riscv, more);
	return perfctr_isa_id(&perfctr_power, n - others - more);
}

static int check_nth(void *arg, const struct perfctr_event_name *name)
{
	unsigned int *n = arg;
	struct perfctr_cpu cpu;

	ck_assert_str_eq(name->name, nth_id(*n));
	ck_assert_int_eq(perfctr_cpu_named(name->name, &cpu), 0);
	ck_assert_str_eq(name->description, cpu.name);
	++*n;
	return 0;
}

static int end_at_second(void *arg, const struct perfctr_event_name *name)
{
	(void)name;
	return ++*(unsigned int *)arg == 2 ? 7 : 0;
}

START_TEST(list_of_processors)
{
	unsigned int n = 0;

	/* The callback ends it. */
	ck_assert_int_eq(perfctr_cpu_list(end_at_second, &n), 7);
	ck_assert_uint_eq(n, 2);
	n = 0;
	ck_assert_int_eq(perfctr_cpu_list(check_nth, &n), 0);
	ck_assert_ptr_null(nth_id(n));
	ck_assert_ptr_nonnull(nth_id(n - 1));
	/* Letters' case does not matter. A long name is none, and in the message cut. */
	ck_assert_int_eq(print("NEOVERSE-N1", "INST_RETIRED:u"), 0);
	fails_exactly("ppc75", "x", ENOENT,
		      "the library knows no processor \"ppc75\"; did you mean ppc750 or ppc7450?");
	ck_fails(print("neoverse-n9", "x"), ENOENT, "did you mean neoverse-n1");
	ck_fails(print("skylak", "x"), ENOENT, "did you mean skylake");
	fails_exactly(
		"ppro01234567890123456789012345678901234567890", "x", ENOENT,
		"the library knows no processor \"ppro012345678901234567890123456789012345\"; "
		"\"perfex --cpu list\" lists them");
}
END_TEST

struct seen {
	unsigned int n;
	char first[128];
};

static int note(void *arg, const struct perfctr_event_name *name)
{
	struct seen *seen = arg;

	ck_assert_str_eq(name->kind, "cpu");
	ck_assert_ptr_nonnull(name->description);
	if (!seen->n++)
		snprintf(seen->first, sizeof(seen->first), "%s", name->name);
	return 0;
}

static int check_described(void *arg, const struct perfctr_event_name *name)
{
	static const struct {
		const char *name, *description;
	} all[] = {
		{ "FLOPS", "floating-point computations retired" },
		{ "L2_LD", "loads that looked in the L2 cache (takes unit masks, combined)" },
		{ "L2_LD:I", "loads that looked in the L2 cache: lines in Invalid state "
			     "(default)" },
		{ "INST_RETIRED:ANY", "instructions retired: on the fixed counter" },
		{ "LD_BLOCKS_PARTIAL", "loads blocked (takes a unit mask)" },
		{ "EXT_SNOOP", "snoop responses on the bus (takes unit masks, combined)" },
		{ "EXT_SNOOP:CLEAN", "snoop responses on the bus: clean (group 1)" },
		{ "EXT_SNOOP:ANY", "snoop responses on the bus: all of them (group 1, default)" },
		{ "EXT_SNOOP:ALL_AGENTS",
		  "snoop responses on the bus: of all agents on the bus (one of group 2)" },
		{ "EXT_SNOOP:THIS_AGENT",
		  "snoop responses on the bus: of this agent on the bus (one of group 2, "
		  "default)" },
	};
	unsigned int *found = arg, i;

	/* What no one can count by this name is not in the list. */
	ck_assert_str_ne(name->name, "MEM_LOAD_RETIRED");
	ck_assert_str_ne(name->name, "MEM_TRANS_RETIRED:LOAD_LATENCY_GT_4");
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		if (strcmp(name->name, all[i].name))
			continue;
		ck_assert_str_eq(name->description, all[i].description);
		*found |= 1u << i;
	}
	return 0;
}

START_TEST(descriptions)
{
	unsigned int found = 0, n = 0;

	ck_assert_int_eq(perfctr_cpu_event_list("piii", check_described, &found), 0);
	ck_assert_uint_eq(found, 0x7);
	ck_assert_int_eq(perfctr_cpu_event_list("skylake", check_described, &found), 0);
	ck_assert_uint_eq(found, 0x1F);
	ck_assert_int_eq(perfctr_cpu_event_list("core2", check_described, &found), 0);
	ck_assert_uint_eq(found, 0x3FF);
	/* The callback ends it. */
	ck_assert_int_eq(perfctr_cpu_event_list("skylake", end_at_second, &n), 7);
	ck_assert_uint_eq(n, 2);
}
END_TEST

/* Every processor has events, and every event that is listed has a control. */
static int each_event(void *arg, const struct perfctr_event_name *name)
{
	const char *cpu = arg;

	if (print(cpu, name->name) < 0)
		ck_abort_msg("%s: %s: %s", cpu, name->name, perfctr_error());
	return 0;
}

static int each_cpu(void *arg, const struct perfctr_event_name *name)
{
	struct seen seen = { 0, "" };
	char cpu[32];

	++*(unsigned int *)arg;
	snprintf(cpu, sizeof(cpu), "%s", name->name);
	ck_assert_int_eq(perfctr_cpu_event_list(cpu, note, &seen), 0);
	ck_assert_msg(seen.n > 2, "%s has only %u events", cpu, seen.n);
	ck_assert_int_eq(perfctr_cpu_event_list(cpu, each_event, cpu), 0);
	return 0;
}

/* The tables say more than controls can: such a name is known, refused, and not listed. */
START_TEST(names_without_controls)
{
	static const char *const names[][2] = {
		{ "p4", "replay_event:TMB" },
		{ "p4m3", "replay_event:TMB" },
		{ "skylake", "INST_RETIRED:PREC_DIST" },
		{ "sandybridge", "BR_INST_RETIRED:ALL_BRANCHES_PEBS" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		ck_fails(print(names[i][0], names[i][1]), EOPNOTSUPP, names[i][1]);
	/* As in libpfm4, without a mask these count what is sampled precisely with one. */
	ck_assert_int_eq(print("sandybridge", "BR_INST_RETIRED"), 0);
	has("evntsel[0]              0x004304C4\n");
	ck_assert_int_eq(print("jaketown", "BR_MISP_RETIRED:u"), 0);
	has("evntsel[0]              0x004104C5\n");
}
END_TEST

START_TEST(test_every_processor)
{
	unsigned int n = 0;

	ck_assert_int_eq(perfctr_cpu_list(each_cpu, &n), 0);
	ck_assert_uint_ge(n, 100);
}
END_TEST

/* This machine's own, whatever it is. */
START_TEST(test_native)
{
	struct perfctr_cpu_control control, broken;
	struct seen seen = { 0, "" };
	char group[512];

	if (perfctr_cpu_event_list(NULL, note, &seen) < 0) {
		ck_assert_int_eq(errno, ENOENT);
		ck_fails(perfctr_cpu_control_events(&control, "x"), ENOENT, "no table of events");
		return;
	}
	ck_assert_int_eq(perfctr_event_check(seen.first), 0);
	ck_assert_int_eq(perfctr_cpu_control_events(&control, seen.first), 1);
	/* Braces change nothing: all of a control count together. */
	snprintf(group, sizeof(group), "{%s}", seen.first);
	ck_assert_int_eq(perfctr_cpu_control_events(&control, group), 1);
	group[strlen(group) - 1] = '\0';
	ck_fails(perfctr_cpu_control_events(&control, group), EINVAL, "a group is written");
	ck_assert_uint_eq(control.nractrs, 1);
	broken = control;
	broken.nrictrs = 1000;
	ck_assert_int_eq(perfctr_cpu_control_check(&broken), -1);
	ck_assert(errno == EINVAL || errno == EOPNOTSUPP);
	if (perfctr_cpu_control_check(&control) < 0)
		ck_assert_int_eq(errno, EOPNOTSUPP); /* no PMU */
}
END_TEST

static void *look_up(void *arg)
{
	unsigned int type;
	const struct perfctr_event_set *set;

	for (type = 0; type < 40; type++) {
		set = perfctr_cpu_event_set(type);
		if (set)
			ck_assert_ptr_eq(set, perfctr_cpu_event_set(type));
	}
	return arg;
}

/* The historical description, asked for by several threads at once. */
START_TEST(test_event_set)
{
	const struct perfctr_event_set *set;
	pthread_t thread[4];
	unsigned int i, type, sets = 0;

	for (i = 0; i < ARRAY_SIZE(thread); i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, look_up, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	for (type = 0; type < 40; type++) {
		set = perfctr_cpu_event_set(type);
		if (!set) {
			ck_assert_int_eq(errno, ENOENT);
			continue;
		}
		sets++;
		ck_assert_uint_eq(set->cpu_type, type);
		ck_assert_uint_gt(set->nevents, 2);
		for (i = 0; i < set->nevents; i++) {
			ck_assert_ptr_nonnull(set->events[i].name);
			if (set->events[i].unit_mask)
				ck_assert_uint_gt(set->events[i].unit_mask->nvalues, 0);
		}
	}
#ifdef __s390x__ /* perfctr never had one of its processors */
	ck_assert_uint_eq(sets, 0);
#else
	ck_assert_uint_ge(sets, 1);
#endif
#if defined(__i386__) || defined(__x86_64__)
	ck_assert_uint_ge(sets, 25);
	set = perfctr_cpu_event_set(PERFCTR_X86_INTEL_P6);
	ck_assert_str_eq(set->events[0].name, "LD_BLOCKS");
	ck_assert_str_eq(set->events[0].description,
			 "loads blocked by a store before them, its address or its data not being "
			 "known yet");
#endif
}
END_TEST

#if defined(__i386__) || defined(__x86_64__)

/* Nothing is kept of a description for which there is no memory. */
START_TEST(event_set_without_memory)
{
	const struct perfctr_event_set *set;
	unsigned int n;

	for (n = 1;; n++) {
		errno = 0;
		no_memory = n;
		set = perfctr_cpu_event_set(PERFCTR_X86_INTEL_P6);
		if (!no_memory) {
			ck_assert_ptr_null(set);
			ck_assert_int_eq(errno, ENOMEM);
			ck_assert_str_eq(perfctr_error(),
					 "no memory for the description of 68 events");
			continue;
		}
		ck_assert_ptr_nonnull(set);
		break;
	}
	no_memory = 0;
	ck_assert_uint_ge(n, 3);
	ck_assert_uint_eq(set->cpu_type, PERFCTR_X86_INTEL_P6);
	ck_assert_uint_eq(set->nevents, 68);
	ck_assert_str_eq(set->event_prefix, "");
	ck_assert_ptr_null(set->include);
	ck_assert_ptr_eq(set, perfctr_cpu_event_set(PERFCTR_X86_INTEL_P6));
}
END_TEST

START_TEST(types_without_events)
{
	static const unsigned int types[] = { PERFCTR_X86_GENERIC, 26, 31, 32, ~0u };
	char message[100];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		sprintf(message, "there is no table of events for the processor type %u", types[i]);
		ck_fails_null(perfctr_cpu_event_set(types[i]), ENOENT, message);
		ck_assert_str_eq(perfctr_error(), message);
	}
}
END_TEST

/* Codes, counters and masks as perfctr 2.6 told them, whatever processor asks. */
START_TEST(historical_events)
{
	static const struct {
		unsigned int type;
		const char *name;
		unsigned int evntsel, counters;
		int masks; /* enum perfctr_unit_mask_type; -1: none */
		unsigned int chosen, n, first, last;
	} all[] = {
		{ PERFCTR_X86_INTEL_P6, "L2_ST", 0x2A, 3, perfctr_um_type_bitmask, 0xF, 4, 1, 8 },
		{ PERFCTR_X86_INTEL_P6, "INST_RETIRED", 0xC0, 3, -1, 0, 0, 0, 0 },
		{ PERFCTR_X86_INTEL_P4, "TC_deliver_mode", 1, 0, perfctr_um_type_bitmask, 0, 8, 1,
		  0x80 },
		{ PERFCTR_X86_INTEL_P4, "front_end_event", 8, 0, perfctr_um_type_bitmask, 1, 2, 1,
		  2 },
		{ PERFCTR_X86_AMD_K8, "DISPATCHED_FPU", 0, 0xF, perfctr_um_type_bitmask, 0x3F, 7, 1,
		  0x3F },
		{ PERFCTR_X86_AMD_FAM10H, "CPU_TO_DRAM_REQUESTS_TO_TARGET_NODE", 0x1E0, 0xF,
		  perfctr_um_type_bitmask, 0xFF, 9, 1, 0xFF },
		{ PERFCTR_X86_INTEL_NHLM, "SB_DRAIN", 4, 0xF, perfctr_um_type_fixed, 7, 1, 7, 7 },
		{ PERFCTR_X86_INTEL_NHLM, "PARTIAL_ADDRESS_ALIAS", 7, 0xF, perfctr_um_type_fixed, 1,
		  1, 1, 1 },
		{ PERFCTR_X86_INTEL_CORE2, "LAST_LEVEL_CACHE_MISSES", 0x2E, 3,
		  perfctr_um_type_fixed, 0x41, 1, 0x41, 0x41 },
		{ PERFCTR_X86_INTEL_P6, "FLOPS", 0xC1, 1, -1, 0, 0, 0, 0 },
		{ PERFCTR_X86_CYRIX_MII, "L1_TLB_DATA_MISS", 0x401, 3, -1, 0, 0, 0, 0 },
		{ PERFCTR_X86_INTEL_NHLM, "L2_RQSTS", 0x24, 0xF, perfctr_um_type_exclusive, 0, 14,
		  1, 0xFF },
	};
	const struct perfctr_event_set *set;
	const struct perfctr_event *event;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		set = perfctr_cpu_event_set(all[i].type);
		ck_assert_ptr_nonnull(set);
		for (k = 0; k < set->nevents && strcmp(set->events[k].name, all[i].name);)
			k++;
		ck_assert_msg(k < set->nevents, "no %s", all[i].name);
		event = &set->events[k];
		ck_assert_uint_eq(event->evntsel, all[i].evntsel);
		ck_assert_uint_eq(event->counters_set, all[i].counters);
		if (all[i].masks < 0) {
			ck_assert_ptr_null(event->unit_mask);
			continue;
		}
		ck_assert_int_eq((int)event->unit_mask->type, all[i].masks);
		ck_assert_uint_eq(event->unit_mask->default_value, all[i].chosen);
		ck_assert_uint_eq(event->unit_mask->nvalues, all[i].n);
		ck_assert_uint_eq(event->unit_mask->values[0].value, all[i].first);
		ck_assert_uint_eq(event->unit_mask->values[all[i].n - 1].value, all[i].last);
	}
}
END_TEST

/* Beside what perfctr 2.6 told: which masks go together, and what is taken if none is named. */
START_TEST(groups_of_masks)
{
	static const struct {
		const char *name;
		unsigned int value, group, exclusive, is_default;
	} all[] = {
		{ "SELF: of this core", 0x40, 0, 1, 1 },
		{ "BOTH_CORES: of both cores", 0xC0, 0, 1, 0 },
		{ "EXCL_PREFETCH: but not by the hardware prefetcher", 0x00, 1, 1, 0 },
		{ "PREFETCH: only by the hardware prefetcher", 0x10, 1, 1, 0 },
		{ "ANY: all of them", 0x30, 1, 1, 1 },
		{ "I_STATE: lines in Invalid state", 0x01, 2, 0, 0 },
		{ "S_STATE: lines in Shared state", 0x02, 2, 0, 0 },
		{ "E_STATE: lines in Exclusive state", 0x04, 2, 0, 0 },
		{ "M_STATE: lines in Modified state", 0x08, 2, 0, 0 },
		{ "MESI: lines in any state", 0x0F, 2, 0, 1 },
	};
	const struct perfctr_event_set *set = perfctr_cpu_event_set(PERFCTR_X86_INTEL_CORE2);
	const struct perfctr_unit_mask *masks;
	unsigned int i, k;

	ck_assert_ptr_nonnull(set);
	for (k = 0; k < set->nevents && strcmp(set->events[k].name, "L2_LD");)
		k++;
	ck_assert_uint_lt(k, set->nevents);
	masks = set->events[k].unit_mask;
	ck_assert_int_eq((int)masks->type, perfctr_um_type_bitmask);
	ck_assert_uint_eq(masks->default_value, 0x7F);
	ck_assert_uint_eq(masks->nvalues, ARRAY_SIZE(all));
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		ck_assert_str_eq(masks->values[i].description, all[i].name);
		ck_assert_uint_eq(masks->values[i].value, all[i].value);
		ck_assert_uint_eq(masks->values[i].group, all[i].group);
		ck_assert_uint_eq(masks->values[i].exclusive, all[i].exclusive);
		ck_assert_uint_eq(masks->values[i].is_default, all[i].is_default);
	}
}
END_TEST

#else

/* Only x86 had them. */
START_TEST(event_set_without_memory)
{
}
END_TEST

START_TEST(types_without_events)
{
}
END_TEST

START_TEST(historical_events)
{
}
END_TEST

START_TEST(groups_of_masks)
{
}
END_TEST

#endif

/* The first before any other makes a description, which is kept. */
UNIT_MAIN("table", 60, event_set_without_memory, test_print, whole_controls, fitting, presets,
	  all_presets, test_errors, long_words, lists_of_masks, lists_of_names, many_events,
	  list_of_processors, descriptions, test_every_processor, names_without_controls,
	  test_native, test_event_set, types_without_events, historical_events, groups_of_masks)
