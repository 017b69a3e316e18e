// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a kernel's PMU offers: every event of every table, on the PMUs that Linux 5.10, 6.1, 6.12
 * and 7.3 make of the processor, known or not, by their format/, caps/ and, on Arm, events/. The
 * test has its own reading of format/, and of the registers that Linux gives to events. On any
 * host.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/word.h"
#include "lib/isa/attr.h"
#include "lib/isa/native.h"
#include "lib/isa/offer.h"
#include "lib/isa/pmu.h"
#include "libperfctr.h"
#include "arch/events.h"
#include "tests/harness/root.h"
#include "tests/harness/check.h"
#include "arch/isa.h"

/*
 * Kernels, and the processors that the later ones know: case labels of intel_pmu_init() in Debian's
 * linux-source-6.1, 6.12 and 7.3.
 */
static const struct kernel {
	const char *release;
	const char *knows; /* beside the ones before it */
	unsigned int version;
} kernels[] = {
	{ "5.10.0-32-amd64",
	  " core core2 bonnell nehalem_ep nehalem_ex westmere_sp westmere_dp westmere_ex sandybridge "
	  "jaketown ivybridge ivytown haswell haswellx broadwell broadwellde broadwellx skylake skylakex "
	  "cascadelakex icelake icelakex tigerlake silvermont goldmont goldmontplus snowridgex elkhartlake "
	  "knightslanding ",
	  5010 },
	{ "6.1.0-50-amd64", " rocketlake sapphirerapids emeraldrapids goldencove gracemont ",
	  6001 },
	{ "6.12.94+deb13-amd64",
	  " graniterapids sierraforest grandridge redwoodcove lioncove skymont ", 6012 },
	{ "7.3.4-amd64",
	  " crestmont arl_lioncove arl_skymont cougarcove darkmont clearwaterforest coyotecove arcticwolf ",
	  7003 },
};

static bool is_in(const char *list, const char *id)
{
	char word[32];

	snprintf(word, sizeof(word), " %s ", id);
	return strstr(list, word) != NULL;
}

static bool knows(unsigned int k, const char *id)
{
	for (k++; k-- > 0;)
		if (is_in(kernels[k].knows, id))
			return true;
	return false;
}

/* ---- format/ of each processor, by each kernel ---- */

/* Fields by name; what a PMU has of them is told by their names. */
static const char *const texts[][2] = {
	{ "any", "config:21" },
	{ "in_tx", "config:32" },
	{ "in_tx_cp", "config:33" },
	{ "eq", "config:36" },
	{ "offcore_rsp", "config1:0-63" },
	{ "offmodule_rsp", "config1:0-63" },
	{ "snoop_rsp", "config1:0-63" },
	{ "ldlat", "config1:0-15" },
	{ "frontend", "config1:0-23" },
};

/* The processors' own: hsw_format_attr and others like it, and adl_hybrid_extra_attr. */
static const struct {
	const char *fields, *ids;
} own[] = {
	{ " offcore_rsp ldlat ",
	  " nehalem_ep nehalem_ex westmere_sp westmere_dp westmere_ex sandybridge jaketown ivybridge ivytown "
	  "gracemont " },
	{ " offcore_rsp ",
	  " silvermont goldmont goldmontplus snowridgex elkhartlake knightslanding " },
	{ " offcore_rsp ldlat in_tx in_tx_cp ",
	  " haswell haswellx broadwell broadwellde broadwellx " },
	{ " offcore_rsp ldlat in_tx in_tx_cp frontend ",
	  " skylake skylakex cascadelakex icelake icelakex tigerlake rocketlake goldencove sapphirerapids "
	  "emeraldrapids redwoodcove graniterapids lioncove arl_lioncove cougarcove " },
	{ " offcore_rsp ldlat snoop_rsp ",
	  " crestmont sierraforest grandridge skymont arl_skymont darkmont clearwaterforest " },
	{ " offmodule_rsp ldlat in_tx in_tx_cp frontend ", " coyotecove " },
	{ " offmodule_rsp ldlat snoop_rsp ", " arcticwolf " },
};

/* Events to which Linux gives a register beside the event select: tables of struct extra_reg. */
static const struct {
	const char *field, *codes, *ids;
} registers[] = {
	{ "ldlat", " 100b ", " nehalem_ep nehalem_ex westmere_sp westmere_dp westmere_ex " },
	{ "ldlat", " 1cd ",
	  " sandybridge jaketown ivybridge ivytown haswell haswellx broadwell broadwellde broadwellx skylake "
	  "skylakex cascadelakex icelake icelakex tigerlake rocketlake goldencove sapphirerapids emeraldrapids "
	  "redwoodcove graniterapids lioncove arl_lioncove cougarcove coyotecove " },
	{ "ldlat", " 5d0 ",
	  " gracemont crestmont sierraforest grandridge skymont arl_skymont darkmont clearwaterforest "
	  "arcticwolf " },
	{ "frontend", " 1c6 2c6 3c6 ", /* some have the first, and some the others */
	  " skylake skylakex cascadelakex icelake icelakex tigerlake rocketlake goldencove sapphirerapids "
	  "emeraldrapids redwoodcove graniterapids lioncove arl_lioncove cougarcove coyotecove " },
	{ "frontend", " 40ad 4c2 ",
	  " goldencove sapphirerapids emeraldrapids redwoodcove graniterapids lioncove arl_lioncove cougarcove "
	  "coyotecove " },
	{ "snoop_rsp", " 127 227 ",
	  " crestmont sierraforest grandridge skymont arl_skymont darkmont clearwaterforest arcticwolf " },
	{ "offmodule_rsp", " 12a 22a 42a 82a 14f 24f 44f 84f 1d6 2d6 4d6 8d6 ", " coyotecove " },
	{ "offmodule_rsp", " 1b7 2b7 4b7 8b7 ", " arcticwolf " },
	{ "offcore_rsp", " 12a 12b ",
	  " goldencove sapphirerapids emeraldrapids redwoodcove graniterapids lioncove arl_lioncove "
	  "cougarcove " },
	{ "offcore_rsp", " 1b7 2b7 ",
	  " silvermont goldmont goldmontplus snowridgex elkhartlake knightslanding gracemont crestmont "
	  "sierraforest grandridge skymont arl_skymont darkmont clearwaterforest " },
	{ "offcore_rsp", " 1b7 ", " nehalem_ep nehalem_ex " },
	{ "offcore_rsp", " 1b7 1bb ",
	  " westmere_sp westmere_dp westmere_ex sandybridge jaketown ivybridge ivytown haswell haswellx broadwell "
	  "broadwellde broadwellx skylake skylakex cascadelakex icelake icelakex tigerlake rocketlake " },
};

/* What a root's format/ offers, as it is written: bits of config, config1 and config2, and names.
 */
static uint64_t offered[3];
static char names[256];

static void put_field(const char *pmu, const char *name, const char *text)
{
	unsigned int word = text[6] == ':' ? 0 : (unsigned int)(text[6] - '0'), low, high, n = 0;
	const char *at = strchr(text, ':') + 1;
	char path[128];

	snprintf(path, sizeof(path), "%s/format/%s", pmu, name);
	root_line(path, text);
	snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ", name);
	for (; *at; at += at[n] == ',' ? n + 1 : n) {
		if (sscanf(at, "%u-%u%n", &low, &high, (int *)&n) != 2) {
			sscanf(at, "%u%n", &low, (int *)&n);
			high = low;
		}
		for (; low <= high; low++)
			offered[word] |= UINT64_C(1) << low;
	}
}

static void begin_root(unsigned int k, const char *pmu)
{
	char path[128];

	root_make();
	root_line("/proc/sys/kernel/osrelease", kernels[k].release);
	snprintf(path, sizeof(path), "%s/type", pmu);
	root_line(path, "4");
	memset(offered, 0, sizeof(offered));
	strcpy(names, " ");
}

static void put_own(const char *fields)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		if (is_in(fields, texts[i][0]))
			put_field("cpu", texts[i][0], texts[i][1]);
}

static void make_intel(unsigned int k, const struct perfctr_cpu *cpu)
{
	bool known = knows(k, cpu->id), six = kernels[k].version >= 6012 && cpu->version >= 6;
	unsigned int i;

	put_field("cpu", "event", "config:0-7");
	put_field("cpu", "umask", six ? "config:8-15,40-47" : "config:8-15");
	put_field("cpu", "edge", "config:18");
	put_field("cpu", "pc", "config:19");
	put_field("cpu", "inv", "config:23");
	put_field("cpu", "cmask", "config:24-31");
	put_own(six ? " eq " : cpu->version >= 2 && cpu->version < 5 ? " any " : " ");
	for (i = 0; known && i < ARRAY_SIZE(own); i++)
		if (is_in(own[i].ids, cpu->id))
			put_own(own[i].fields);
	root_line("cpu/caps/pmu_name", known ? "known" : "generic_arch_v2+");
}

static void make_power(const struct perfctr_cpu *cpu)
{
	put_field("cpu", "event",
		  !strcmp(cpu->id, "power8")   ? "config:0-49"
		  : !strcmp(cpu->id, "power9") ? "config:0-51"
					       : "config:0-59");
	if (!strcmp(cpu->id, "power10"))
		put_field("cpu", "thresh_cmp", "config1:0-17");
}

/* Only common events with even codes are implemented. */
static void make_pmuv3(unsigned int k)
{
	char path[64], text[32];
	unsigned int code;

	put_field("cpu", "event", "config:0-15");
	put_field("cpu", "long", "config1:0");
	if (kernels[k].version > 5010)
		put_field("cpu", "rdpmc", "config1:1");
	if (kernels[k].version > 6001)
		put_field("cpu", "threshold", "config1:5-16");
	root_line("cpu/events/cpu_cycles", "event=0x0011");
	for (code = 0; code < 0x4040; code += code == 0x3E ? 0x4000 - 0x3E : 2) {
		snprintf(path, sizeof(path), "cpu/events/event_%x", code);
		snprintf(text, sizeof(text), "event=0x%04x", code);
		root_line(path, text);
	}
}

/* The PMU cpu of the processor on a kernel, by isa207-common.c, riscv_pmu_sbi.c and so on. */
static void make_root(unsigned int k, const struct perfctr_cpu *cpu)
{
	begin_root(k, "cpu");
	switch (cpu->rules) {
	case PERFCTR_RULES_ARCH: make_intel(k, cpu); return;
	case PERFCTR_RULES_POWER: make_power(cpu); return;
	case PERFCTR_RULES_PMUV3: make_pmuv3(k); return;
	case PERFCTR_RULES_SBI:
		put_field("cpu", "event",
			  kernels[k].version >= 7000 ? "config:0-55" : "config:0-47");
		put_field("cpu", "firmware",
			  kernels[k].version > 6001 ? "config:62-63" : "config:63");
		return;
	case PERFCTR_RULES_P6: put_field("cpu", "pc", "config:19"); break;
	default: break;
	}
	put_field("cpu", "event",
		  cpu->rules == PERFCTR_RULES_K7 ? "config:0-7,32-35" : "config:0-7");
	put_field("cpu", "umask", "config:8-15");
	put_field("cpu", "edge", "config:18");
	put_field("cpu", "inv", "config:23");
	put_field("cpu", "cmask", "config:24-31");
}

/* ---- whether the kernel takes all of an attr ---- */

static bool has_register(const struct perfctr_cpu *cpu, const struct perf_event_attr *attr)
{
	char code[16];
	unsigned int i;

	snprintf(code, sizeof(code), "%x", (unsigned int)attr->config & 0xFFFF);
	for (i = 0; i < ARRAY_SIZE(registers); i++)
		if (is_in(registers[i].ids, cpu->id) && is_in(registers[i].codes, code) &&
		    is_in(names, registers[i].field))
			return true;
	return false;
}

static bool is_taken(const struct perfctr_cpu *cpu, const struct perf_event_attr *attr)
{
	uint64_t config = attr->type == PERF_TYPE_RAW ? attr->config : 0;

	return !(config & ~offered[0]) && !(attr->config1 & ~offered[1]) &&
	       !(attr->config2 & ~offered[2]) &&
	       (!attr->config1 || cpu->rules != PERFCTR_RULES_ARCH || has_register(cpu, attr));
}

static void read_offer(const struct perfctr_cpu *cpu, const char *name, uint32_t type,
		       struct perfctr_offer *offer)
{
	struct perfctr_pmu pmu = { .type = type };

	snprintf(pmu.name, sizeof(pmu.name), "%s", name);
	perfctr_offer_read(&pmu, cpu, offer);
}

/* ---- all events on all kernels ---- */

/* Whether it is on all counters, which a kernel has to know that does not know the processor. */
static bool is_plain(const struct perfctr_cpu *cpu, const struct perfctr_event_choice *choice,
		     const struct perf_event_attr *attr)
{
	uint32_t code = attr->config & 0xFFFF;

	/* The codes of fixed counters: any kernel knows these of cycles and instructions. */
	if (code == 0x3C || code == 0xC0 || code == 0x300)
		return true;
	if (!(code & 0xFF) && code & 0xFF00)
		return false;
	/* The E-cores' other fixed counters have events that the others count, too. */
	return code == 0x73 || code == 0x19C || code == 0x2C2 ||
	       !(cpu->counters & ~choice->option[0].counters);
}

static struct totals {
	unsigned int taken, refused, generic, absent;
} totals;

/* A common event that the root does not list. Linux has names for some of those from 4000H on. */
static bool may_be_absent(const struct perfctr_cpu *cpu, const struct perf_event_attr *attr)
{
	return cpu->rules == PERFCTR_RULES_PMUV3 && attr->config & 1 &&
	       attr->config - 0x4000 < 0x40;
}

static bool is_absent(const struct perfctr_cpu *cpu, const struct perf_event_attr *attr)
{
	return cpu->rules == PERFCTR_RULES_PMUV3 && attr->config & 1 && attr->config < 0x40 &&
	       attr->config != 0x11;
}

/* A refusal has a sentence, and a reason. */
static void check_refusal(unsigned int k, const struct perfctr_cpu *cpu, const char *word,
			  const struct perf_event_attr *attr)
{
	bool generic = cpu->rules == PERFCTR_RULES_ARCH && !knows(k, cpu->id);

	ck_assert_msg(strstr(perfctr_error(), "can't be counted: "), "%s", perfctr_error());
	totals.refused++;
	if (is_absent(cpu, attr) || may_be_absent(cpu, attr)) {
		ck_assert_msg(strstr(perfctr_error(), "does not implement it"), "%s",
			      perfctr_error());
		totals.absent++;
	} else if (generic) {
		/* An event that has a twin with other counters may be refused for that. */
		ck_assert_msg(strstr(perfctr_error(), "Linux"), "%s", perfctr_error());
		totals.generic++;
	} else if (is_taken(cpu, attr)) {
		ck_abort_msg("%s of %s on %s: %s", word, cpu->id, kernels[k].release,
			     perfctr_error());
	}
}

/* Whether the look-up makes an attr of the word. */
static bool makes_attr(const struct perfctr_cpu *cpu, const struct perfctr_event_table *table,
		       const char *word, struct perfctr_event_choice *choice,
		       struct perf_event_attr *attr)
{
	unsigned int event;
	const char *part;
	size_t length;

	*attr = (struct perf_event_attr){ .size = sizeof(*attr) };
	return !perfctr_event_lookup(table, word, strlen(word), choice, &part, &length, &event) &&
	       perfctr_event_attr(cpu, choice, word, strlen(word), attr) == 0;
}

static void check_word(unsigned int k, const struct perfctr_offer *offer,
		       const struct perfctr_cpu *cpu, const struct perfctr_event_table *table,
		       const char *word)
{
	struct perfctr_event_choice choice;
	struct perf_event_attr attr;

	if (!makes_attr(cpu, table, word, &choice, &attr))
		return;
	if (perfctr_offer_check(offer, cpu, table, &attr, word, strlen(word)) < 0) {
		check_refusal(k, cpu, word, &attr);
		return;
	}
	totals.taken++;
	if (!is_taken(cpu, &attr) || is_absent(cpu, &attr) ||
	    (cpu->rules == PERFCTR_RULES_ARCH && !knows(k, cpu->id) &&
	     !is_plain(cpu, &choice, &attr)))
		ck_abort_msg("%s of %s is taken by %s: 0x%llx 0x%llx", word, cpu->id,
			     kernels[k].release, (unsigned long long)attr.config,
			     (unsigned long long)attr.config1);
}

static void check_table(unsigned int k, const struct perfctr_cpu *cpu)
{
	static const char modifiers[][8] = {
		"", ":u", ":e:c=1", ":i:c=2", ":t", ":intx", ":intxcp"
	};
	const struct perfctr_event_table *table = perfctr_event_table(cpu->id);
	struct perfctr_event_entry entry;
	struct perfctr_offer offer;
	unsigned int n = 0, i;
	char name[256];

	make_root(k, cpu);
	read_offer(cpu, "cpu", 4, &offer);
	ck_assert(offer.has_format);
	ck_assert_str_eq(offer.kernel, kernels[k].release);
	while ((n = perfctr_event_walk(table, n, &entry)))
		for (i = 0; !entry.needs_mask && i < ARRAY_SIZE(modifiers); i++) {
			snprintf(name, sizeof(name), "%s%s%s%s", entry.event, entry.mask ? ":" : "",
				 entry.mask ? entry.mask : "", modifiers[i]);
			check_word(k, &offer, cpu, table, name);
		}
	root_remove();
}

static void check_tables(const struct perfctr_isa *isa)
{
	struct perfctr_cpu cpu;
	unsigned int k, i;
	const char *id;

	totals = (struct totals){ 0 };
	for (k = 0; k < ARRAY_SIZE(kernels); k++)
		for (i = 0; (id = perfctr_isa_id(isa, i)); i++)
			if (*id && perfctr_event_table(id) && strcmp(id, "architectural") &&
			    perfctr_cpu_named(id, &cpu) == 0)
				check_table(k, &cpu);
}

START_TEST(x86_formats)
{
	check_tables(&perfctr_x86);
	ck_assert_uint_gt(totals.taken, 150000);
	ck_assert_uint_gt(totals.generic, 5000);
	ck_assert_uint_eq(totals.generic, totals.refused);
}
END_TEST

START_TEST(arm64_formats)
{
	check_tables(&perfctr_arm64);
	ck_assert_uint_gt(totals.taken, 20000);
	ck_assert_uint_gt(totals.absent, 2000);
	ck_assert_uint_eq(totals.absent, totals.refused);
}
END_TEST

START_TEST(riscv_formats)
{
	check_tables(&perfctr_riscv);
	ck_assert_uint_gt(totals.taken, 500);
	ck_assert_uint_eq(totals.refused, 0);
}
END_TEST

START_TEST(power_formats)
{
	check_tables(&perfctr_power);
	ck_assert_uint_gt(totals.taken, 10000);
	ck_assert_uint_eq(totals.refused, 0);
}
END_TEST

/* Any bit of any word of a raw code is taken if a field has it, and refused if none has. */
static void check_bits(unsigned int k, const struct perfctr_cpu *cpu)
{
	struct perfctr_offer offer;
	unsigned int bit;

	make_root(k, cpu);
	read_offer(cpu, "cpu", 4, &offer);
	for (bit = 0; bit < 3 * 64; bit++) {
		struct perf_event_attr attr = { .type = 4 };
		uint64_t word[3] = { 0 };

		word[bit / 64] = UINT64_C(1) << bit % 64;
		attr.config = word[0];
		attr.config1 = word[1];
		attr.config2 = word[2];
		/* The kernel sets INT and EN itself. */
		if (perfctr_offer_check(&offer, cpu, NULL, &attr, "it", 2) == 0 &&
		    !is_taken(cpu, &attr) &&
		    !(cpu->isa == &perfctr_x86 && (bit == 20 || bit == 22)))
			ck_abort_msg("bit %u of %s on %s", bit, cpu->id, kernels[k].release);
	}
	root_remove();
}

/* The code of any event, with a value for a register. */
static void check_registers(const struct perfctr_cpu *cpu)
{
	static const unsigned char codes[] = { 0x00, 0x0B, 0x27, 0x2A, 0x2B, 0x3C, 0x4F, 0xAD,
					       0xB7, 0xBB, 0xC0, 0xC2, 0xC6, 0xCD, 0xD0, 0xD6 };
	struct perf_event_attr attr = { .type = 4, .config1 = 1 };
	struct perfctr_offer offer;
	unsigned int i;

	make_root(ARRAY_SIZE(kernels) - 1, cpu);
	read_offer(cpu, "cpu", 4, &offer);
	for (i = 0; i < 256 * ARRAY_SIZE(codes); i++) {
		attr.config = codes[i >> 8] | (i & 0xFF) << 8;
		ck_assert_msg(!perfctr_offer_check(&offer, cpu, NULL, &attr, "it", 2) ==
				      is_taken(cpu, &attr),
			      "%s: %llx", cpu->id, (unsigned long long)attr.config);
	}
	root_remove();
}

START_TEST(raw_codes)
{
	const struct perfctr_isa *isa;
	struct perfctr_cpu cpu;
	unsigned int k, i, n;
	const char *id;

	for (n = 0; (isa = perfctr_isa(n)); n++)
		for (i = 0; (id = perfctr_isa_id(isa, i)); i++) {
			if (!*id || !strcmp(id, "architectural") || perfctr_cpu_named(id, &cpu) < 0)
				continue;
			for (k = 0; k < ARRAY_SIZE(kernels); k++)
				check_bits(k, &cpu);
			if (cpu.rules != PERFCTR_RULES_ARCH)
				continue;
			check_registers(&cpu);
			/* Virtual machines have an older version; Linux goes by the model. */
			cpu.version = 2;
			cpu.frontend = 0;
			check_registers(&cpu);
		}
}
END_TEST

static int check_code(const struct perfctr_offer *offer, const struct perfctr_cpu *cpu,
		      uint32_t type, uint64_t config, uint64_t config1)
{
	struct perf_event_attr attr = { .type = type, .config = config, .config1 = config1 };

	return perfctr_offer_check(offer, cpu, perfctr_event_table(cpu->id), &attr, "it", 2);
}

/* The sentences, and codes in any syntax. */
START_TEST(granite_rapids)
{
	struct perfctr_offer offer;
	struct perfctr_cpu cpu;

	ck_assert_int_eq(perfctr_cpu_named("graniterapids", &cpu), 0);
	cpu.version = 2; /* as in a virtual machine */
	cpu.frontend = 0;
	make_root(1, &cpu);
	read_offer(&cpu, "cpu", 4, &offer);
	ck_fails(
		check_code(&offer, &cpu, 4, 0x012A, 0x3FBFC00001), EOPNOTSUPP,
		"it can't be counted: it needs the field offcore_rsp, which Linux 6.1.0-50-amd64 does "
		"not have here, for it does not know the Intel Granite Rapids; use Linux 6.4 or "
		"later, or load the perfctr driver");
	ck_fails(check_code(&offer, &cpu, 4, 0x01C6, 0x12), EOPNOTSUPP, "the field frontend,");
	ck_fails(check_code(&offer, &cpu, 4, 0x01CD, 4), EOPNOTSUPP, "the field ldlat,");
	ck_fails(
		check_code(&offer, &cpu, 4, 0x01CD, 0), EOPNOTSUPP,
		"it can't be counted: not all counters can count it, and Linux 6.1.0-50-amd64, which "
		"does not know the Intel Granite Rapids, puts it on any; use Linux 6.4 or later");
	ck_fails(check_code(&offer, &cpu, 4, 0x0400, 0), EOPNOTSUPP, "not all counters");
	ck_fails(check_code(&offer, &cpu, 4, 0x8000, 0), EOPNOTSUPP, "not all counters");
	ck_fails(check_code(&offer, &cpu, 4, 0x0100, 0), EOPNOTSUPP, "not all counters");
	ck_fails(check_code(&offer, &cpu, 4, 0x1000000C0, 0), EOPNOTSUPP, "the field in_tx,");
	ck_fails(check_code(&offer, &cpu, 4, 0xC000000C0, 0), EOPNOTSUPP, "0xc00000000 in config,");
	/* Other tools' codes have the modes and the enable bits: both modes, or none. */
	ck_assert_int_eq(check_code(&offer, &cpu, 4, 0x5300C0, 0), 0);
	ck_fails(check_code(&offer, &cpu, 4, 0x5100C0, 0), EOPNOTSUPP, "0x10000 in config");
	ck_assert_int_eq(check_code(&offer, &cpu, 4, 0x0300, 0), 0);
	ck_assert_int_eq(check_code(&offer, &cpu, 4, 0x00C0, 0), 0);
	/* The kernel's own numbers: no field has them. */
	ck_assert_int_eq(check_code(&offer, &cpu, PERF_TYPE_HARDWARE, 0x400000001, 0), 0);
	ck_assert_int_eq(check_code(&offer, &cpu, PERF_TYPE_HW_CACHE, 0x10002, 0), 0);
	ck_fails(check_code(&offer, &cpu, PERF_TYPE_HARDWARE, 1, 1), EOPNOTSUPP, "0x1 in config1");
	root_remove();
	/* A later kernel that does not know it either has no version to name. */
	make_root(3, &cpu);
	root_line("cpu/caps/pmu_name", "generic_arch_v5+");
	read_offer(&cpu, "cpu", 4, &offer);
	ck_fails(check_code(&offer, &cpu, 4, 0x01CD, 0), EOPNOTSUPP, "use a later kernel, or load");
	root_remove();
}
END_TEST

/* CPUID says of each architectural event whether it is there. */
START_TEST(architectural)
{
	struct perfctr_offer offer;
	struct perfctr_cpu cpu;

	perfctr_cpu_named("nehalem_ep", &cpu);
	make_root(0, &cpu);
	read_offer(&cpu, "cpu", 4, &offer);
	ck_assert_int_eq(check_code(&offer, &cpu, 4, 0x00C5, 0), 0);
	cpu.absent = 0x40;
	ck_fails(check_code(&offer, &cpu, 4, 0x00C5, 0), EOPNOTSUPP, "CPUID leaf 0AH, EBX bit 6");
	ck_assert_int_eq(check_code(&offer, &cpu, 4, 0x01C5, 0), 0);
	ck_assert_int_eq(check_code(&offer, &cpu, 4, 0x00C4, 0), 0);
	root_remove();
}
END_TEST

/* AMD's event has 12 bits, and its unit mask 8; a wider one would be dropped. */
START_TEST(amd)
{
	struct perfctr_offer offer;
	struct perfctr_cpu cpu;

	perfctr_cpu_named("zen4", &cpu);
	root_unpack("zen4");
	read_offer(&cpu, "cpu", 4, &offer);
	ck_assert_int_eq(check_code(&offer, &cpu, 4, 0x1000001C0, 0), 0);
	ck_fails(check_code(&offer, &cpu, 4, 0x1000000C0 | 1ull << 40, 0), EOPNOTSUPP,
		 "0x10000000000 in config, which the PMU cpu of Linux");
	ck_fails(check_code(&offer, &cpu, 4, 0xC0, 1), EOPNOTSUPP, "0x1 in config1");
	root_remove();
}
END_TEST

/* ---- Arm ---- */

static void neoverse(const char *release, struct perfctr_cpu *cpu, struct perfctr_offer *offer)
{
	perfctr_cpu_named("neoverse-n1", cpu);
	root_unpack("neoverse-n1");
	root_line("/proc/sys/kernel/osrelease", release);
	read_offer(cpu, "armv8_pmuv3_0", 8, offer);
	root_remove();
}

START_TEST(common_events)
{
	struct perfctr_offer offer;
	struct perfctr_cpu cpu;

	neoverse("6.1.0-50-arm64", &cpu, &offer);
	ck_assert(offer.is_pmuv3);
	ck_assert_int_eq(check_code(&offer, &cpu, 8, 0x04, 0), 0);
	ck_assert_int_eq(check_code(&offer, &cpu, 8, 0x11, 0), 0);
	/* The kernel would list these. */
	ck_fails(check_code(&offer, &cpu, 8, 0x0C, 0), EOPNOTSUPP,
		 "it can't be counted: this processor does not implement it (0xc is not in "
		 "/sys/bus/event_source/devices/armv8_pmuv3_0/events), or a hypervisor hides it");
	ck_fails(check_code(&offer, &cpu, 4, 0x3A, 0), EOPNOTSUPP, "does not implement it (0x3a");
	ck_fails(check_code(&offer, &cpu, 8, 0x4005, 0), EOPNOTSUPP,
		 "does not implement it (0x4005");
	ck_fails(check_code(&offer, &cpu, 8, 0x400C, 0), EOPNOTSUPP,
		 "does not implement it (0x400c");
	/* It has no names for these. */
	ck_assert_int_eq(check_code(&offer, &cpu, 8, 0x4007, 0), 0);
	ck_assert_int_eq(check_code(&offer, &cpu, 8, 0x4040, 0), 0);
	ck_assert_int_eq(check_code(&offer, &cpu, 8, 0x8000, 0), 0);
	ck_assert_int_eq(check_code(&offer, &cpu, 8, 0x0040, 0), 0);
	ck_assert_int_eq(check_code(&offer, &cpu, 8, 0x0104, 0), 0);
	ck_assert_int_eq(check_code(&offer, &cpu, 8, 0x1E, 0), 0);
	/* The kernel translates its own names itself. */
	ck_assert_int_eq(check_code(&offer, &cpu, PERF_TYPE_HARDWARE, 0x0C, 0), 0);
	/* Fields: thresholds came with Linux 6.9, and are not listed here. */
	ck_assert_int_eq(check_code(&offer, &cpu, 8, 0x04, 3), 0);
	ck_fails(check_code(&offer, &cpu, 8, 0x04, 0x100), EOPNOTSUPP,
		 "the field threshold, which");
	ck_fails(check_code(&offer, &cpu, 8, 0x10004, 0), EOPNOTSUPP, "0x10000 in config");
	/* An old kernel has no names for the events of Armv9, and an unknown one for none. */
	neoverse("5.10.0-32-arm64", &cpu, &offer);
	ck_assert_int_eq(check_code(&offer, &cpu, 8, 0x400C, 0), 0);
	ck_fails(check_code(&offer, &cpu, 8, 0x4005, 0), EOPNOTSUPP, "does not implement it");
	neoverse("strange", &cpu, &offer);
	ck_assert_int_eq(check_code(&offer, &cpu, 8, 0x0C, 0), 0);
}
END_TEST

/* Nothing is known of a PMU without files, or with hostile ones. */
START_TEST(unknown)
{
	static const char *const bad[] = { "config:",	"config:7-0", "config:64", "config:0-7,",
					   "config9:1", "config",     "",	   "conf",
					   "config:x",	"config:0-",  "config1" };
	struct perfctr_offer offer;
	struct perfctr_cpu cpu;
	unsigned int i;

	perfctr_cpu_named("graniterapids", &cpu);
	root_make();
	read_offer(&cpu, "cpu", 4, &offer);
	ck_assert(!offer.has_format && !offer.is_pmuv3);
	ck_assert_int_eq(check_code(&offer, &cpu, 4, 0x012A, 0x3FBFC00001), 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		root_line("cpu/format/bad", bad[i]);
		read_offer(&cpu, "cpu", 4, &offer);
		ck_assert_uint_eq(offer.field[0] & ~0xFFull, 0);
		ck_assert_uint_eq(offer.field[1] | offer.field[2], 0);
	}
	root_remove();
}
END_TEST

/* ---- unreadable ---- */

static bool is_unverified(uint32_t type, uint64_t config, uint64_t config1)
{
	struct perf_event_attr attr = { .type = type, .config = config, .config1 = config1 };

	return perfctr_attr_is_unverified(&attr);
}

/* Without a readable /sys nothing is known of the processor's own codes, but all of the kernel's.
 */
START_TEST(unreadable)
{
	root_make();
	ck_assert(is_unverified(PERF_TYPE_RAW, 0xC0, 0));
	ck_assert(is_unverified(8, 0x11, 0));
	ck_assert(is_unverified(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1));
	ck_assert(!is_unverified(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0));
	ck_assert(!is_unverified(PERF_TYPE_HW_CACHE, 0x10002, 0));
	ck_assert(!is_unverified(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0));
	ck_assert(!is_unverified(PERF_TYPE_TRACEPOINT, 77, 0));
	ck_assert(!is_unverified(PERF_TYPE_BREAKPOINT, 0, 0x1000));
	root_remove();
	/* A machine without a PMU shows the kernel's own. */
	root_unpack("vm");
	ck_assert(!is_unverified(PERF_TYPE_RAW, 0xC0, 0));
	root_remove();
	/* Only a part can be read. */
	root_make();
	root_line("software/type", "1");
	root_line("cpu/type", "4");
	ck_assert(is_unverified(PERF_TYPE_RAW, 0xC0, 0));
	root_remove();
	root_make();
	root_line("cpu/type", "4");
	root_line("cpu/format/event", "config:0-7");
	root_line("armv8_pmuv3/events/cpu_cycles", "event=0x11");
	root_forget();
	ck_assert(is_unverified(PERF_TYPE_RAW, 0xC0, 0) ==
		  (perfctr_this_cpu()->rules == PERFCTR_RULES_PMUV3));
	root_remove();
}
END_TEST

UNIT_MAIN("offer", 120, unreadable, x86_formats, arm64_formats, riscv_formats, power_formats,
	  raw_codes, granite_rapids, architectural, amd, common_events, unknown)
