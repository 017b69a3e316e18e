// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A name counts the same with a control and through perf_events: every name of every table, of all
 * ISAs on any host, with every modifier. Either both are refused, in the same words, or the bits of
 * the control and of the attr say the same event.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/word.h"
#include "lib/isa/attr.h"
#include "libperfctr.h"
#include "arch/events.h"
#include "tests/harness/check.h"
#include "arch/isa.h"

/* Check writes down every assertion that holds, which would be most of the time here. */
#define demand(condition, ...)                     \
	do {                                       \
		if (!(condition))                  \
			ck_abort_msg(__VA_ARGS__); \
	} while (0)

/* An event, wherever it stands. */
struct meaning {
	uint64_t event, extra;
	unsigned int cmask, edge, invert, any, user, kernel;
};

/* A word of a control of any ISA; 0 if that has none of the name. */
static uint32_t word_of(const struct perfctr_field *fields, const uint32_t *control,
			const char *name, unsigned int i)
{
	for (; fields->name[0]; fields++)
		if (!strcmp(fields->name, name))
			return control[fields->offset / sizeof(*control) + i];
	return 0;
}

/* Bits of the P6's event select; its own levels, and those that perf has elsewhere. */
static struct meaning p6_meaning(uint64_t evntsel)
{
	return (struct meaning){
		.event = evntsel & 0xFFFFFFFF0000FFFF,
		.cmask = evntsel >> 24 & 0xFF,
		.edge = evntsel >> 18 & 1,
		.invert = evntsel >> 23 & 1,
		.any = evntsel >> 21 & 1,
		.user = evntsel >> 16 & 1,
		.kernel = evntsel >> 17 & 1,
	};
}

/* SDM vol. 3B, tables 20-1 and 20-2, and the codes that perf made up for counters 2 and 3. */
static struct meaning fixed_meaning(uint32_t counter, uint32_t evntsel)
{
	static const uint32_t events[] = { 0xC0, 0x3C, 0x300, 0x400, 0x73, 0x19C, 0x2C2 };
	struct meaning m = p6_meaning(evntsel);

	demand(counter < ARRAY_SIZE(events), "fixed counter %u", counter);
	demand(!m.cmask && !m.edge && !m.invert, "%#x", evntsel);
	m.event = events[counter];
	return m;
}

static struct meaning control_meaning(const struct perfctr_cpu *cpu,
				      const struct perfctr_field *fields, const uint32_t *control)
{
	uint32_t map = word_of(fields, control, "pmc_map", 0), n;
	uint32_t evntsel = word_of(fields, control, "evntsel", 0);
	uint64_t high = word_of(fields, control, "evntsel_high", 0);
	struct meaning m;

	if (cpu->rules == PERFCTR_RULES_PMUV3)
		return (struct meaning){ .event = evntsel & 0x3FFFFFFF,
					 .user = !(evntsel >> 30 & 1),
					 .kernel = !(evntsel >> 31) };
	if (cpu->rules == PERFCTR_RULES_POWER)
		return (struct meaning){ .event = evntsel | (high & 0xCFFFFFFF) << 32,
					 .user = !(high >> 28 & 1),
					 .kernel = !(high >> 29 & 1) };
	if (cpu->rules == PERFCTR_RULES_SBI)
		return (struct meaning){ .event = evntsel | (high & 0x0100FFFF) << 32,
					 .user = !(high >> 28 & 1),
					 .kernel = !(high >> 29 & 1) };
	m = map & 0x40000000 ? fixed_meaning(map & 0xFFFF, evntsel)
			     : p6_meaning(evntsel | high << 32);
	for (n = 0; n < 2; n++)
		m.extra |= word_of(fields, control, "offcore_rsp", n) |
			   (uint64_t)word_of(fields, control, "offcore_rsp_high", n) << 32;
	m.extra |= word_of(fields, control, "pebs_frontend", 0);
	return m;
}

/* The SBI's number of what perf has a name for, marked as in controls; raw codes are the same. */
static uint64_t sbi_event(const struct perf_event_attr *attr)
{
	uint64_t c = attr->config;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE: return UINT64_C(1) << 56 | (c + 1);
	case PERF_TYPE_HW_CACHE:
		return UINT64_C(1) << 56 | 0x10000 | (c & 0xFF) << 3 | (c >> 8 & 0xFF) << 1 |
		       c >> 16;
	default: return c >> 63 ? UINT64_C(1) << 56 | 0xF0000 | (c & 0xFFFF) : c;
	}
}

static struct meaning attr_meaning(const struct perfctr_cpu *cpu,
				   const struct perf_event_attr *attr)
{
	struct meaning m = { .event = attr->config };

	if (cpu->rules == PERFCTR_RULES_SBI) {
		m.event = sbi_event(attr);
	} else if (cpu->rules != PERFCTR_RULES_PMUV3 && cpu->rules != PERFCTR_RULES_POWER) {
		m = p6_meaning(attr->config);
		/* Levels, interrupts and enabling are perf's own. */
		demand(!(attr->config & 0x00530000), "%#llx", (unsigned long long)attr->config);
	}
	m.extra = attr->config1;
	m.user = !attr->exclude_user;
	m.kernel = !attr->exclude_kernel;
	return m;
}

/*
 * The reference clock and the slots have a code that other counters know, and one that is perf's;
 * one of the two events that count instructions on fixed counter 0 has another one.
 */
static bool same_event(uint64_t control, uint64_t attr)
{
	return control == attr || (control == 0x300 && attr == 0x13C) ||
	       (control == 0x400 && attr == 0x1A4) || (control == 0xC0 && attr == 0x100);
}

static bool same(const struct meaning *c, const struct meaning *a)
{
	return same_event(c->event, a->event) && c->extra == a->extra && c->cmask == a->cmask &&
	       c->edge == a->edge && c->invert == a->invert && c->any == a->any &&
	       c->user == a->user && c->kernel == a->kernel;
}

static bool perf_can(const struct perfctr_cpu *cpu)
{
	return cpu->rules == PERFCTR_RULES_P6 || cpu->rules == PERFCTR_RULES_K7 ||
	       cpu->rules == PERFCTR_RULES_ARCH || cpu->rules == PERFCTR_RULES_PMUV3 ||
	       cpu->rules == PERFCTR_RULES_SBI || cpu->rules == PERFCTR_RULES_POWER;
}

/* Has the choice no control? Its own sentence is then in text. */
static bool refused(const struct perfctr_cpu *cpu, const char *word,
		    const struct perfctr_event_choice *choice, uint32_t *control, char *text,
		    size_t size)
{
	static struct perfctr_program program;
	struct perfctr_diagnosis diagnosis;
	uint32_t conflict;
	unsigned int place;
	const char *reason;

	if (cpu->isa->encode(cpu, choice, 1, control, &place, &conflict, &reason) == 0 &&
	    cpu->isa->compile(cpu, control, PERFCTR_COMPILE_EXTENDED, &program, &diagnosis) == 0)
		return false;
	demand(perfctr_cpu_events_print(cpu->id, word) == -1 && errno == EOPNOTSUPP, "%s", word);
	snprintf(text, size, "%s", perfctr_error());
	return true;
}

/* Arm's CHAIN is the processor's, and none of perf_events'. */
static bool is_chain(const struct perfctr_cpu *cpu, const struct perfctr_event_choice *choice)
{
	return cpu->rules == PERFCTR_RULES_PMUV3 && choice->option[0].code == 0x1E;
}

/* RISC-V's kernel may be unable to exclude anything. */
static bool excludes_hv(const struct perfctr_cpu *cpu, const struct perfctr_event_choice *choice)
{
	return cpu->rules == PERFCTR_RULES_SBI ? choice->user != choice->kernel
					       : choice->user || choice->kernel;
}

static unsigned int refusals, alike, perfs;

static void check(const struct perfctr_cpu *cpu, const char *word)
{
	uint32_t control[256] = { 0 };
	struct perf_event_attr attr = { 0 };
	struct perfctr_event_choice choice;
	struct meaning c, a;
	char sentence[1000];
	unsigned int event;
	const char *part;
	size_t length;
	int error;

	demand(perfctr_event_lookup(perfctr_event_table(cpu->id), word, strlen(word), &choice,
				    &part, &length, &event) == 0,
	       "%s", word);
	error = perfctr_event_attr(cpu, &choice, word, strlen(word), &attr);
	demand(error ? errno == EOPNOTSUPP : attr.exclude_hv == excludes_hv(cpu, &choice), "%s",
	       word);
	if (!choice.user && !choice.kernel)
		choice.user = choice.kernel = 1;
	if (refused(cpu, word, &choice, control, sentence, sizeof(sentence))) {
		demand(error, "%s: no control, but an attr: %s", cpu->id, sentence);
		demand(!strcmp(perfctr_error(), sentence), "%s, and not %s", perfctr_error(),
		       sentence);
		refusals++;
		return;
	}
	if (!perf_can(cpu)) {
		demand(error && strstr(perfctr_error(), "perf_events can't count"), "%s: %s",
		       cpu->id, word);
		perfs++;
		return;
	}
	if (is_chain(cpu, &choice)) {
		demand(error && strstr(perfctr_error(),
				       ": CHAIN counts the overflows of the counter below its own, "
				       "and perf_events places counters itself; leave it out"),
		       "%s: %s", cpu->id, perfctr_error());
		perfs++;
		return;
	}
	demand(!error, "%s: a control, but no attr: %s", cpu->id, perfctr_error());
	c = control_meaning(cpu, cpu->isa->fields(cpu), control);
	a = attr_meaning(cpu, &attr);
	demand(same(&c, &a), "%s: %s: control %#llx, attr %#llx %#llx", cpu->id, word,
	       (unsigned long long)c.event, (unsigned long long)attr.config,
	       (unsigned long long)attr.config1);
	alike++;
}

/* Of one name some modifiers, and of the next one others, where a sanitizer would take minutes. */
#ifdef __SANITIZE_ADDRESS__
#define STEP 7
#else
#define STEP 1
#endif

static void check_modifiers(const struct perfctr_cpu *cpu, const char *name)
{
	static const char *const levels[] = { "", ":u", ":k", ":uk" };
	static const char *const modes[] = { "", ":e", ":i", ":ei" };
	static const char *const thresholds[] = { "", ":c=0", ":c=1", ":c=16", ":c=255" };
	/* LIKWID's, also ones that the processor does not have. */
	static const char *const counters[] = { ":PMC0",  ":PMC1",  ":PMC7",  ":PMC31",
						":FIXC0", ":FIXC1", ":FIXC3", ":FIXC31" };
	static unsigned int names;
	char word[200];
	unsigned int i;

	for (i = names % STEP; i < 8 * 2; i += STEP) {
		snprintf(word, sizeof(word), "%s%s%s", name, counters[i % 8], i / 8 ? ":c=1" : "");
		check(cpu, word);
	}
	for (i = names++ % STEP; i < 4 * 4 * 5; i += STEP) {
		snprintf(word, sizeof(word), "%s%s%s%s", name, levels[i % 4], modes[i / 4 % 4],
			 thresholds[i / 16]);
		check(cpu, word);
	}
}

static void check_table(const struct perfctr_cpu *cpu)
{
	const struct perfctr_event_table *table = perfctr_event_table(cpu->id);
	struct perfctr_event_entry entry;
	unsigned int n = 0;
	char name[160];

	while ((n = perfctr_event_walk(table, n, &entry))) {
		if (entry.needs_mask)
			continue;
		snprintf(name, sizeof(name), "%s%s%s", entry.event, entry.mask ? "." : "",
			 entry.mask ? entry.mask : "");
		check_modifiers(cpu, name);
	}
}

START_TEST(every_name_and_modifier)
{
	const struct perfctr_isa *isa;
	struct perfctr_cpu cpu;
	unsigned int i, n;

	for (i = 0; (isa = perfctr_isa(i)); i++) {
		for (n = 0; perfctr_isa_id(isa, n); n++) {
			ck_assert_int_eq(perfctr_cpu_named(perfctr_isa_id(isa, n), &cpu), 0);
			check_table(&cpu);
		}
	}
	printf("%u alike, %u refused alike, %u not perf's\n", alike, refusals, perfs);
	ck_assert(alike * STEP > 1000000 && refusals * STEP > 10000 && perfs * STEP > 10000);
}
END_TEST

/* Event, threshold and so on by hand: what the kernel is asked for. */
static uint64_t config(const char *id, const char *word)
{
	struct perfctr_event_choice choice;
	struct perf_event_attr attr = { 0 };
	struct perfctr_cpu cpu;
	unsigned int event;
	const char *part;
	size_t length;

	ck_assert_int_eq(perfctr_cpu_named(id, &cpu), 0);
	ck_assert_int_eq(perfctr_event_lookup(perfctr_event_table(id), word, strlen(word), &choice,
					      &part, &length, &event),
			 0);
	return perfctr_event_attr(&cpu, &choice, word, strlen(word), &attr) < 0 ? ~0ull
										: attr.config;
}

START_TEST(fixed_counters)
{
	ck_assert_uint_eq(config("p4", "instr_retired:NBOGUSNTAG"), ~0ull);
	ck_assert_str_eq(perfctr_error(),
			 "perf_events can't count instr_retired:NBOGUSNTAG on the Intel Pentium 4 "
			 "(model 0 or 1), whose events it knows by names of its own; load the "
			 "perfctr driver");
	ck_assert_uint_eq(config("skylake", "CPU_CLK_UNHALTED.REF_TSC"), 0x300);
	ck_assert_uint_eq(config("skylake", "CPU_CLK_UNHALTED.REF_TSC:u:c=0"), 0x300);
	ck_assert_uint_eq(config("skylake", "CPU_CLK_UNHALTED:REF_TSC:u:e"), ~0ull);
	ck_assert_str_eq(perfctr_error(),
			 "CPU_CLK_UNHALTED:REF_TSC:u:e can't be counted on the "
			 "Intel Skylake, client: a fixed counter has no e, i or c=N, and no other "
			 "can count it");
	ck_assert_uint_eq(config("skylake", "CPU_CLK_UNHALTED.REF_TSC:c=1"), ~0ull);
	/* AnyThread is both counters'. */
	ck_assert_uint_eq(config("skylake", "CPU_CLK_UNHALTED.THREAD_ANY"), 0x20003C);
	ck_assert_uint_eq(config("skylake", "CPU_CLK_UNHALTED.THREAD_P_ANY:c=1"), 0x120003C);
	ck_assert_uint_eq(config("skymont", "TOPDOWN_FE_BOUND.ALL"), 0x19C);
	/* What a fixed counter and others can is with a threshold one of these. */
	ck_assert_uint_eq(config("architectural", "UNHALTED_REFERENCE_CYCLES:c=2"), 0x200013C);
	ck_assert_uint_eq(config("architectural", "TOPDOWN_SLOTS:e"), 0x401A4);
}
END_TEST

/* Both are fixed counter 0's, and the kernel samples only 0x100 on it, as precisely as it can. */
START_TEST(prec_dist)
{
	static const char *const since_ice_lake[] = {
		"icelake",	  "icelakex",	   "tigerlake",	    "rocketlake",  "goldencove",
		"sapphirerapids", "emeraldrapids", "graniterapids", "redwoodcove", "lioncove",
		"arl_lioncove",	  "cougarcove",	   "coyotecove",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(since_ice_lake); i++) {
		const char *id = since_ice_lake[i];

		ck_assert_uint_eq(config(id, "INST_RETIRED.PREC_DIST:ppp"), 0x100);
		ck_assert_uint_eq(config(id, "INST_RETIRED:PREC_DIST:u:pp"), 0x100);
		ck_assert_uint_eq(config(id, "INST_RETIRED.PREC_DIST:FIXC0:ppp"), 0x100);
		/* The kernel's FIXED_EVENT_CONSTRAINT() has both codes for counting. */
		ck_assert_uint_eq(config(id, "INST_RETIRED.PREC_DIST"), 0x100);
		ck_assert_uint_eq(config(id, "INST_RETIRED.ANY"), 0xC0);
		ck_assert_uint_eq(config(id, "INST_RETIRED.ANY:ppp"), 0xC0);
	}
	/* Before, it was an event of counter 1. */
	ck_assert_uint_eq(config("skylake", "INST_RETIRED.PREC_DIST:ppp"), 0x1C0);
}
END_TEST

/* A counter that is named, as in LIKWID's groups, counts the event, or the name is refused. */
START_TEST(named_counters)
{
	static const char *const refused[][2] = {
		{ "skylake", "INST_RETIRED.ANY:PMC0" },
		{ "skylake", "INST_RETIRED.ANY:FIXC1" },
		{ "haswell", "INST_RETIRED.ANY:PMC0" },
		{ "haswell", "INST_RETIRED.ANY:FIXC1" },
		{ "skylake", "CPU_CLK_UNHALTED.THREAD:PMC1" },
		{ "skylake", "INST_RETIRED.ANY_P:PMC9" },
		{ "skylake", "INST_RETIRED.ANY_P:PMC31" },
		{ "zen3", "RETIRED_INSTRUCTIONS:FIXC0" },
		{ "zen3", "RETIRED_INSTRUCTIONS:PMC6" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		ck_assert_msg(config(refused[i][0], refused[i][1]) == ~0ull, "%s", refused[i][1]);
		ck_assert_ptr_nonnull(strstr(perfctr_error(), ": there are not enough counters "
							      "that can count them"));
	}
	ck_assert_uint_eq(config("skylake", "INST_RETIRED.ANY:FIXC0"), 0xC0);
	ck_assert_uint_eq(config("skylake", "INST_RETIRED.ANY:FIXC0:u"), 0xC0);
	ck_assert_uint_eq(config("skylake", "CPU_CLK_UNHALTED.THREAD:FIXC1"), 0x3C);
	ck_assert_uint_eq(config("skylake", "INST_RETIRED.ANY_P:PMC3:c=1"), 0x10000C0);
	/* A fixed one and others can count it. */
	ck_assert_uint_eq(config("architectural", "UNHALTED_REFERENCE_CYCLES:PMC0"), 0x13C);
	ck_assert_uint_eq(config("architectural", "UNHALTED_REFERENCE_CYCLES:FIXC2"), 0x300);
}
END_TEST

static bool attr_of(enum perfctr_rules rules, const struct perfctr_code *code,
		    struct perf_event_attr *attr)
{
	const struct perfctr_cpu cpu = { .rules = rules };

	memset(attr, 0, sizeof(*attr));
	return perfctr_code_attr(&cpu, code, attr);
}

/* Words of a control, whatever event they are. */
START_TEST(codes)
{
	struct perfctr_code code = {
		.evntsel = 0x92345678, .high = 0x9ABCDEF1, .reg = 0x1A6, .value = 7
	};
	struct perf_event_attr attr;
	unsigned int i;

	/* Of a processor that only the kernel knows all bits are the kernel's. */
	ck_assert(attr_of(PERFCTR_RULES_KERNEL, &code, &attr));
	ck_assert_uint_eq(attr.type, PERF_TYPE_RAW);
	ck_assert_uint_eq(attr.config, 0x9ABCDEF192345678);
	ck_assert_uint_eq(attr.config1, 0);
	ck_assert(!attr.exclude_user && !attr.exclude_kernel && !attr.exclude_hv);
	/* Arm's PMEVTYPER: P excludes the kernel, U the user. */
	for (i = 0; i < 4; i++) {
		code.evntsel = 0x12345678 & 0x3FFFFFFF;
		code.evntsel |= (i & 1 ? 0x80000000 : 0) | (i & 2 ? 0x40000000 : 0);
		ck_assert(attr_of(PERFCTR_RULES_PMUV3, &code, &attr));
		ck_assert_uint_eq(attr.config, 0x5678);
		/* Neither is no level at all. */
		ck_assert_uint_eq(attr.exclude_kernel, i == 1);
		ck_assert_uint_eq(attr.exclude_user, i == 2);
		ck_assert_uint_eq(attr.exclude_hv, i != 3);
	}
	/* RISC-V's: SINH and UINH, a raw code. */
	for (i = 0; i < 4; i++) {
		code.evntsel = 0x92345678;
		code.high = 0xFEDC | (i & 1 ? 0x20000000 : 0) | (i & 2 ? 0x10000000 : 0);
		ck_assert(attr_of(PERFCTR_RULES_SBI, &code, &attr));
		ck_assert_uint_eq(attr.type, PERF_TYPE_RAW);
		ck_assert_uint_eq(attr.config, 0xFEDC92345678);
		ck_assert_uint_eq(attr.exclude_kernel, i == 1);
		ck_assert_uint_eq(attr.exclude_user, i == 2);
		ck_assert_uint_eq(attr.exclude_hv, i == 1 || i == 2);
	}
	/* And numbers of the SBI's. */
	code = (struct perfctr_code){ .evntsel = 10, .high = 0x01000000 };
	ck_assert(attr_of(PERFCTR_RULES_SBI, &code, &attr));
	ck_assert_uint_eq(attr.type, PERF_TYPE_HARDWARE);
	ck_assert_uint_eq(attr.config, PERF_COUNT_HW_REF_CPU_CYCLES);
	code.evntsel = 0x1001B;
	ck_assert(attr_of(PERFCTR_RULES_SBI, &code, &attr));
	ck_assert_uint_eq(attr.type, PERF_TYPE_HW_CACHE);
	ck_assert_uint_eq(attr.config, PERF_COUNT_HW_CACHE_DTLB |
					       PERF_COUNT_HW_CACHE_OP_WRITE << 8 |
					       PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	code = (struct perfctr_code){
		.evntsel = 0x92345678, .high = 0x9ABCDEF1, .reg = 0x1A6, .value = 7
	};
	/* Intel's and AMD's: the levels, INT and EN are perf's own. */
	code.evntsel = 0xFFFFFFFF;
	ck_assert(attr_of(PERFCTR_RULES_P6, &code, &attr));
	ck_assert_uint_eq(attr.config, 0x9ABCDEF1FFACFFFF);
	ck_assert_uint_eq(attr.config1, 7);
	ck_assert(!attr.exclude_guest && !attr.exclude_host);
	/* AMD's bits 40 and 41, guests or host only, are perf's own, too. */
	for (i = 0; i < 4; i++) {
		code.high = 0x9ABCDCF1 | i << 8;
		ck_assert(attr_of(PERFCTR_RULES_K7, &code, &attr));
		ck_assert_uint_eq(attr.config, 0x9ABCDCF1FFACFFFF);
		/* Both are named, which opening makes neither. */
		ck_assert_uint_eq(attr.exclude_host, i & 1);
		ck_assert_uint_eq(attr.exclude_guest, i >> 1);
	}
	code.high = 0x9ABCDEF1;
	code.map = 0x40000006;
	ck_assert(attr_of(PERFCTR_RULES_ARCH, &code, &attr));
	ck_assert_uint_eq(attr.config, 0x2002C2);
	code.evntsel = 0x20000;
	ck_assert(attr_of(PERFCTR_RULES_ARCH, &code, &attr));
	ck_assert_uint_eq(attr.config, 0x2C2);
	ck_assert(attr.exclude_user && !attr.exclude_kernel && attr.exclude_hv);
	code.map = 0x40000007;
	ck_assert(!attr_of(PERFCTR_RULES_ARCH, &code, &attr));
	/* Those that perf_events has other words for. */
	code.map = 0;
	ck_assert(!attr_of(PERFCTR_RULES_P4, &code, &attr));
	ck_assert(!attr_of(PERFCTR_RULES_P5, &code, &attr));
	ck_assert(!attr_of(PERFCTR_RULES_PPC, &code, &attr));
}
END_TEST

static bool counts_instructions(enum perfctr_rules rules, struct perfctr_code code)
{
	const struct perfctr_cpu cpu = { .rules = rules };
	struct perf_event_attr attr;

	ck_assert(attr_of(rules, &code, &attr));
	return perfctr_attr_counts_instructions(&cpu, &attr);
}

/* Of which the library leaves out its own: all of user mode's, once each. */
START_TEST(instructions)
{
	static const enum perfctr_rules rules[] = { PERFCTR_RULES_ARCH, PERFCTR_RULES_P6,
						    PERFCTR_RULES_K7 };
	static const struct perfctr_code others[] = {
		{ .evntsel = 0x4200C0 }, /* the kernel's */
		{ .evntsel = 0x4101C0 }, /* some of them */
		{ .evntsel = 0x4500C0 }, /* how often there are any */
		{ .evntsel = 0x1C100C0 },
		{ .evntsel = 0x41003C },
		{ .evntsel = 0x4100C0, .high = 1 },
		{ .evntsel = 0x4100C0, .reg = 0x1A6, .value = 1 },
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		ck_assert(counts_instructions(rules[i],
					      (struct perfctr_code){ .evntsel = 0x4100C0 }));
		ck_assert(counts_instructions(rules[i],
					      (struct perfctr_code){ .evntsel = 0x5300C0 }));
		for (k = 0; k < ARRAY_SIZE(others); k++)
			ck_assert_msg(!counts_instructions(rules[i], others[k]), "%u", k);
	}
	/* AMD's bit 40: in guests. */
	ck_assert(!counts_instructions(PERFCTR_RULES_K7, (struct perfctr_code){ .evntsel = 0x4100C0,
										.high = 0x100 }));
	/* Fixed counter 0. */
	ck_assert(counts_instructions(PERFCTR_RULES_ARCH,
				      (struct perfctr_code){ .evntsel = 0x10000,
							     .map = 0x40000000 }));
	ck_assert(counts_instructions(PERFCTR_RULES_ARCH, (struct perfctr_code){ .evntsel = 0x10000,
										 .map = 0x40000000,
										 .value = 0x100 }));
	ck_assert(!counts_instructions(PERFCTR_RULES_K7,
				       (struct perfctr_code){ .evntsel = 0x410100 }));
	ck_assert(counts_instructions(PERFCTR_RULES_PMUV3,
				      (struct perfctr_code){ .evntsel = 0x80000008 }));
	ck_assert(!counts_instructions(PERFCTR_RULES_PMUV3,
				       (struct perfctr_code){ .evntsel = 0x40000008 }));
	ck_assert(!counts_instructions(PERFCTR_RULES_PMUV3,
				       (struct perfctr_code){ .evntsel = 0x80000011 }));
	ck_assert(!counts_instructions(PERFCTR_RULES_PMUV3,
				       (struct perfctr_code){ .evntsel = 0x800000C0 }));
	/* Nothing is known of other codes. */
	ck_assert(!counts_instructions(PERFCTR_RULES_KERNEL,
				       (struct perfctr_code){ .evntsel = 0xC0 }));
	ck_assert(
		!counts_instructions(PERFCTR_RULES_SBI, (struct perfctr_code){ .evntsel = 0x08 }));
}
END_TEST

/* A hypervisor may hide AnyThread: then the name is refused, with a control and without. */
START_TEST(hidden_anythread)
{
	struct perfctr_event_choice choice;
	struct perf_event_attr attr = { 0 };
	uint32_t control[256], conflict;
	const char *part, *reason, *word = "CPU_CLK_UNHALTED.THREAD_ANY";
	unsigned int event, place;
	struct perfctr_cpu cpu;
	size_t length;

	ck_assert_int_eq(perfctr_cpu_named("skylake", &cpu), 0);
	cpu.reserved |= 1u << 21;
	ck_assert_int_eq(perfctr_event_lookup(perfctr_event_table("skylake"), word, strlen(word),
					      &choice, &part, &length, &event),
			 0);
	ck_fails(perfctr_event_attr(&cpu, &choice, word, strlen(word), &attr), EOPNOTSUPP,
		 "needs AnyThread (bit 21)");
	choice.user = choice.kernel = 1;
	ck_assert_int_eq(cpu.isa->encode(&cpu, &choice, 1, control, &place, &conflict, &reason),
			 -1);
	ck_assert_ptr_nonnull(strstr(perfctr_error(), reason));
}
END_TEST

/* The firmware's events have the kernel's mark of it in their raw codes, and no modes. */
START_TEST(firmware)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct perfctr_event_choice choice;
	unsigned int event;
	const char *part;
	size_t length;
	struct perfctr_cpu cpu;

	perfctr_cpu_named("u74", &cpu);
	ck_assert_int_eq(perfctr_event_lookup(perfctr_event_table("u74"), "FW_SET_TIMER", 12,
					      &choice, &part, &length, &event),
			 PERFCTR_EVENT_OK);
	ck_assert_int_eq(perfctr_event_attr(&cpu, &choice, "FW_SET_TIMER", 12, &attr), 0);
	ck_assert_uint_eq(attr.type, PERF_TYPE_RAW);
	ck_assert_uint_eq(attr.config, 0x8000000000000005);
	ck_assert(!attr.exclude_user && !attr.exclude_kernel);
	choice.user = 1;
	ck_fails(perfctr_event_attr(&cpu, &choice, "FW_SET_TIMER:u", 14, &attr), EOPNOTSUPP,
		 "the firmware counts it in all modes");
}
END_TEST

/* A control's value for MSR_PEBS_FRONTEND is for the events that look at it. */
START_TEST(front_end)
{
	static const struct {
		uint32_t event;
		uint64_t config1;
	} cases[] = {
		{ 0x03C6, 0x12 }, { 0x04C2, 0x12 }, { 0x02C2, 0 }, { 0x40AD, 0x12 }, { 0x01AD, 0 }
	};
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct perfctr_code code = { .reg = 0x3F7, .value = 0x12 };
	struct perfctr_cpu cpu;
	unsigned int i;

	perfctr_cpu_named("graniterapids", &cpu);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		code.evntsel = 0x00410000 | cases[i].event;
		ck_assert(perfctr_code_attr(&cpu, &code, &attr));
		ck_assert_uint_eq(attr.config, cases[i].event);
		ck_assert_uint_eq(attr.config1, cases[i].config1);
	}
}
END_TEST

UNIT_MAIN("attr", 300, every_name_and_modifier, codes, fixed_counters, named_counters, prec_dist,
	  instructions, hidden_anythread, front_end, firmware)
