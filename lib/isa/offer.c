// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checks an event's attr against what the kernel's PMU offers. perf_events drops a field that the
 * PMU does not know without an error, counts a code that the processor does not implement as 0,
 * and places events by a table of counters, which it lacks for a processor that it does not know:
 * the count looks exact, and is of something else. sysfs tells: format/ lists the fields, on Arm
 * events/ the common events that PMCEID has, and caps/pmu_name whether an x86 is known.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "arch/isa.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/nearest.h"
#include "lib/base/word.h"
#include "lib/isa/attr.h"
#include "lib/isa/native.h"
#include "lib/isa/offer.h"
#include "lib/isa/pmu.h"
#include "libperfctr.h"

#define PATH_SIZE 512

/* ---- a PMU's directory ---- */

bool perfctr_format_range(const char **at, unsigned int *low, unsigned int *high)
{
	char *end = (char *)*at;
	unsigned long first, last;

	if (*end < '0' || *end > '9')
		return false;
	first = last = strtoul(*at, &end, 10);
	if (*end == '-') {
		if (end[1] < '0' || end[1] > '9')
			return false;
		last = strtoul(end + 1, &end, 10);
	}
	if (first > last || last > 63 || (*end && (*end != ',' || !end[1])))
		return false;
	*at = *end ? end + 1 : end;
	*low = (unsigned int)first;
	*high = (unsigned int)last;
	return true;
}

/* "config:0-7", "config1:0-63": adds the bits; those of a field that makes no sense are unknown. */
static void add_field(struct perfctr_offer *offer, const char *text)
{
	unsigned int word = 0, low, high;
	const char *at = text + 6;
	uint64_t bits = 0;

	if (strncmp(text, "config", 6) != 0)
		return;
	if (*at == '1' || *at == '2')
		word = (unsigned int)(*at++ - '0');
	if (*at++ != ':')
		return;
	while (perfctr_format_range(&at, &low, &high))
		bits |= perfctr_mask(high - low + 1) << low;
	offer->field[word] |= bits;
}

/*
 * The registers beside Intel's event select: all have the same bits of config1, so that a field is
 * known by its name.
 */
enum beside { OFFCORE_RSP, OFFMODULE_RSP, SNOOP_RSP, LDLAT, FRONTEND, METRICS_CLEAR, NO_REGISTER };
static const char beside_names[NO_REGISTER][14] = {
	"offcore_rsp", "offmodule_rsp", "snoop_rsp", "ldlat", "frontend", "metrics_clear"
};

static void note_beside(struct perfctr_offer *offer, const char *entry)
{
	unsigned int i;

	for (i = 0; i < NO_REGISTER; i++)
		offer->beside |= (uint32_t)!strcmp(entry, beside_names[i]) << i;
}

static ssize_t read_file(const char *pmu, const char *directory, const char *entry, char *text,
			 size_t size)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), PERFCTR_DEVICES "/%.127s/%s/%.127s", pmu, directory, entry);
	return perfctr_file_read(path, text, size);
}

static int note_field(void *arg, const char *entry)
{
	struct perfctr_offer *offer = arg;
	char text[128];

	if (read_file(offer->pmu, "format", entry, text, sizeof(text)) > 0) {
		add_field(offer, text);
		note_beside(offer, entry);
		offer->has_format = true;
	}
	return 0;
}

/* The common events of PMUv3 are in two sets of 64 (Arm ARM, PMCEID0_EL0 and PMCEID1_EL0). */
static bool is_common(uint64_t code)
{
	return code < 0x40 || code - 0x4000 < 0x40;
}

static int note_event(void *arg, const char *entry)
{
	struct perfctr_offer *offer = arg;
	unsigned long code;
	char text[64];

	if (read_file(offer->pmu, "events", entry, text, sizeof(text)) <= 0 ||
	    strncmp(text, "event=0x", 8) != 0 || strchr(text, ','))
		return 0;
	code = strtoul(text + 6, NULL, 16);
	if (is_common(code))
		offer->absent[code >> 14] &= ~((uint64_t)1 << (code & 0x3F));
	offer->is_pmuv3 |= code == 0x11 && !strcmp(entry, "cpu_cycles");
	return 0;
}

/* The release of the kernel, which names it for people. */
static void read_release(char *text, size_t size)
{
	struct utsname kernel;
	char release[128];

	if (perfctr_file_read("/proc/sys/kernel/osrelease", release, sizeof(release)) <= 0)
		snprintf(release, sizeof(release), "%.100s",
			 uname(&kernel) == 0 ? kernel.release : "");
	snprintf(text, size, "%.*s", (int)size - 1, release);
}

/* The version in a release as major * 1000 + minor; 0: unknown. */
static unsigned int version_of(const char *release)
{
	unsigned int major, minor;

	return sscanf(release, "%u.%u", &major, &minor) == 2 ? major * 1000 + minor : 0;
}

/*
 * Finds the common events that this kernel has a name for, and does not list: those of 5.10
 * (arch/arm64/kernel/perf_event.c), and those of Armv9 that came by 6.1; 7.3 has no others. CHAIN,
 * 1EH, is never listed.
 */
static void find_absent(struct perfctr_offer *offer)
{
	const uint64_t chain = UINT64_C(1) << 0x1E, ext = 0x7700000E7F, armv9 = 0x0F0F5000;
	unsigned int version = version_of(offer->kernel);
	char path[PATH_SIZE];

	if (version >= 5010) {
		offer->absent[0] = ~chain;
		offer->absent[1] = ext | (version >= 6001 ? armv9 : 0);
	}
	snprintf(path, sizeof(path), PERFCTR_DEVICES "/%.127s/events", offer->pmu);
	perfctr_file_walk(path, note_event, offer);
	if (!offer->is_pmuv3)
		offer->absent[0] = offer->absent[1] = 0;
}

/* Whether the kernel does not know this x86: it names its PMU so since 4.14 (intel_pmu_init()). */
static bool read_generic(const char *pmu)
{
	char name[64];

	return read_file(pmu, "caps", "pmu_name", name, sizeof(name)) > 0 &&
	       !strncmp(name, "generic_arch_v", 14);
}

void perfctr_offer_read(const struct perfctr_pmu *pmu, const struct perfctr_cpu *cpu,
			struct perfctr_offer *offer)
{
	char path[PATH_SIZE];

	*offer = (struct perfctr_offer){ .type = pmu->type };
	snprintf(offer->pmu, sizeof(offer->pmu), "%s", pmu->name);
	read_release(offer->kernel, sizeof(offer->kernel));
	snprintf(path, sizeof(path), PERFCTR_DEVICES "/%.127s/format", offer->pmu);
	perfctr_file_walk(path, note_field, offer);
	offer->is_generic = read_generic(offer->pmu);
	if (cpu->rules == PERFCTR_RULES_PMUV3)
		find_absent(offer);
}

/* ---- kernels ---- */

/*
 * A Linux that knows every processor with this event table, of those that 5.10 does not know:
 * intel_pmu_init() of arch/x86/events/intel/core.c in 5.10, 6.1, 6.12 and 7.3, and the dates of the
 * commits that added them.
 */
static const struct {
	char id[18];
	uint16_t version;
} first_known[] = {
	{ "arcticwolf", 7000 },	      { "arl_lioncove", 6014 },	  { "arl_skymont", 6014 },
	{ "clearwaterforest", 6016 }, { "cougarcove", 7000 },	  { "coyotecove", 7000 },
	{ "crestmont", 6014 },	      { "darkmont", 7000 },	  { "emeraldrapids", 6003 },
	{ "goldencove", 6001 },	      { "gracemont", 6001 },	  { "grandridge", 6006 },
	{ "graniterapids", 6004 },    { "lioncove", 6011 },	  { "redwoodcove", 6012 },
	{ "rocketlake", 5011 },	      { "sapphirerapids", 5012 }, { "sierraforest", 6006 },
	{ "skymont", 6011 },
};

static bool is_generic(const struct perfctr_offer *offer, const struct perfctr_cpu *cpu)
{
	return cpu->rules == PERFCTR_RULES_ARCH && offer->is_generic;
}

/* A clause with a later kernel. */
static void advise(const struct perfctr_offer *offer, const struct perfctr_cpu *cpu, char *text,
		   size_t size)
{
	unsigned int version = 0, i;

	for (i = 0; i < ARRAY_SIZE(first_known); i++)
		if (!strcmp(first_known[i].id, cpu->id))
			version = first_known[i].version;
	if (version > version_of(offer->kernel))
		snprintf(text, size, "use Linux %u.%u or later", version / 1000, version % 1000);
	else
		snprintf(text, size, "use a later kernel");
}

/* ---- one event ---- */

#define SLOW __attribute__((noinline, cold))

/* Fields by their bits, for messages. */
static const struct field {
	unsigned int word;
	uint64_t bits;
	char name[24];
	enum perfctr_rules rules;
} fields[] = {
	{ 0, 0x200000, "any", PERFCTR_RULES_ARCH },
	{ 0, 1ull << 32, "in_tx", PERFCTR_RULES_ARCH },
	{ 0, 1ull << 33, "in_tx_cp", PERFCTR_RULES_ARCH },
	{ 0, 1ull << 36, "eq", PERFCTR_RULES_ARCH },
	{ 0, 0xFFull << 40, "umask2", PERFCTR_RULES_ARCH },
	{ 1, 3, "long or rdpmc", PERFCTR_RULES_PMUV3 },
	{ 1, 0x1FFFC, "threshold", PERFCTR_RULES_PMUV3 },
	{ 2, UINT64_MAX, "acr_mask", PERFCTR_RULES_ARCH },
	{ 0, 3ull << 62, "firmware", PERFCTR_RULES_SBI },
};

/* Whether config is the kernel's own number of an event. */
static bool has_number(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE;
}

/* Kinds of Intel's processors with registers beside the event select. */
enum {
	NEHALEM = 1,
	WESTMERE = 2,
	SANDYBRIDGE = 4,
	SKYLAKE = 8,
	GOLDENCOVE = 16,
	SMALL = 32, /* Silvermont and later */
	COYOTECOVE = 64,
	ARCTICWOLF = 128,
};

static unsigned int kind_of(const struct perfctr_cpu *cpu)
{
	if (cpu->omr)
		return cpu->frontend_holes ? COYOTECOVE : ARCTICWOLF;
	if (cpu->frontend_holes)
		return cpu->frontend_holes & 8 ? SKYLAKE : GOLDENCOVE;
	if (cpu->outstanding)
		return SMALL;
	if (cpu->offcore_width == 16)
		return cpu->offcore == 1 ? NEHALEM : WESTMERE;
	return cpu->offcore ? SANDYBRIDGE : 0;
}

/*
 * The events to whose register Linux writes config1, which it ignores of others: struct extra_reg
 * of arch/x86/events/intel/core.c in 6.1, 6.12 and 7.3. The event of slots can clear the metrics.
 */
static const struct {
	uint16_t code;
	uint8_t beside, kinds;
} beside_events[] = {
	{ 0x100B, LDLAT, NEHALEM | WESTMERE },
	{ 0x01CD, LDLAT, SANDYBRIDGE | SKYLAKE | GOLDENCOVE | COYOTECOVE },
	{ 0x05D0, LDLAT, SMALL | ARCTICWOLF },
	{ 0x01C6, FRONTEND, SKYLAKE | GOLDENCOVE | COYOTECOVE },
	{ 0x02C6, FRONTEND, SKYLAKE | GOLDENCOVE | COYOTECOVE },
	{ 0x03C6, FRONTEND, SKYLAKE | GOLDENCOVE | COYOTECOVE },
	{ 0x04C2, FRONTEND, GOLDENCOVE | COYOTECOVE },
	{ 0x40AD, FRONTEND, GOLDENCOVE | COYOTECOVE },
	{ 0x01B7, OFFCORE_RSP, NEHALEM | WESTMERE | SANDYBRIDGE | SKYLAKE | SMALL },
	{ 0x01BB, OFFCORE_RSP, WESTMERE | SANDYBRIDGE | SKYLAKE },
	{ 0x02B7, OFFCORE_RSP, SMALL },
	{ 0x012A, OFFCORE_RSP, GOLDENCOVE },
	{ 0x012B, OFFCORE_RSP, GOLDENCOVE },
	{ 0x0127, SNOOP_RSP, SMALL | ARCTICWOLF },
	{ 0x0227, SNOOP_RSP, SMALL | ARCTICWOLF },
	{ 0x0400, METRICS_CLEAR, GOLDENCOVE | COYOTECOVE },
};

/* These have a unit mask for each of four registers. */
static bool is_off_module(unsigned int kind, uint32_t code, uint32_t mask)
{
	if (!mask || mask > 8 || mask & (mask - 1))
		return false;
	return kind == COYOTECOVE ? code == 0x2A || code == 0x4F || code == 0xD6
				  : kind == ARCTICWOLF && code == 0xB7;
}

static enum beside beside_event(const struct perfctr_cpu *cpu, const struct perf_event_attr *attr)
{
	uint32_t code = attr->config & 0xFFFF;
	unsigned int kind = kind_of(cpu), i;

	if (has_number(attr))
		return NO_REGISTER;
	if (is_off_module(kind, code & 0xFF, code >> 8))
		return OFFMODULE_RSP;
	for (i = 0; i < ARRAY_SIZE(beside_events); i++)
		if (beside_events[i].code == code && beside_events[i].kinds & kind)
			return (enum beside)beside_events[i].beside;
	return NO_REGISTER;
}

static void name_field(const struct perfctr_cpu *cpu, const struct perf_event_attr *attr,
		       unsigned int word, uint64_t bits, char *text, size_t size)
{
	static const char words[][8] = { "config", "config1", "config2" };
	unsigned int i;

	if (cpu->rules == PERFCTR_RULES_ARCH && word == 1 &&
	    beside_event(cpu, attr) != NO_REGISTER) {
		snprintf(text, size, "the field %s", beside_names[beside_event(cpu, attr)]);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (fields[i].rules != cpu->rules || fields[i].word != word ||
		    bits & ~fields[i].bits)
			continue;
		snprintf(text, size, "the field %s", fields[i].name);
		return;
	}
	snprintf(text, size, "0x%llx in %s", (unsigned long long)bits, words[word]);
}

static SLOW int fail_field(const struct perfctr_offer *offer, const struct perfctr_cpu *cpu,
			   const struct perf_event_attr *attr, unsigned int word, uint64_t bits,
			   const char *name, size_t length)
{
	char field[48], advice[48];

	name_field(cpu, attr, word, bits, field, sizeof(field));
	advise(offer, cpu, advice, sizeof(advice));
	if (is_generic(offer, cpu))
		return perfctr_fail(EOPNOTSUPP,
				    "%.*s can't be counted: it needs %s, which Linux %s does not "
				    "have here, for it does not know the %s; %s, or load the "
				    "perfctr driver",
				    perfctr_shown(length), name, field, offer->kernel, cpu->name,
				    advice);
	return perfctr_fail(EOPNOTSUPP,
			    "%.*s can't be counted: it needs %s, which the PMU %s of Linux %s does "
			    "not have (" PERFCTR_DEVICES "/%s/format); %s, or leave that out",
			    perfctr_shown(length), name, field, offer->pmu, offer->kernel,
			    offer->pmu, advice);
}

/*
 * The modes and enable bits of an x86's event select, which codes of other tools have: the kernel
 * sets them itself. A code with one mode only would count the other one, too.
 */
#define X86_MODES 0x00030000u
#define X86_OWN	  0x00500000u

static uint64_t ignored(const struct perfctr_cpu *cpu, uint64_t config)
{
	if (cpu->isa != &perfctr_x86)
		return 0;
	return X86_OWN | ((config & X86_MODES) == X86_MODES ? X86_MODES : 0);
}

/* Checks that the event has a register beside its event select, and that config1 is for it. */
static SLOW int check_beside(const struct perfctr_offer *offer, const struct perfctr_cpu *cpu,
			     const struct perf_event_attr *attr, const char *name, size_t length)
{
	enum beside beside = beside_event(cpu, attr);

	if (beside == NO_REGISTER)
		return perfctr_fail(EOPNOTSUPP,
				    "%.*s can't be counted: Linux ignores config1 (0x%llx) of this "
				    "event, which has no register beside its event select on the "
				    "%s; leave it out",
				    perfctr_shown(length), name, (unsigned long long)attr->config1,
				    cpu->name);
	return offer->beside >> beside & 1
		       ? 0
		       : fail_field(offer, cpu, attr, 1, attr->config1, name, length);
}

/* Whether it is known which events have a register beside the event select. */
static bool knows_beside(const struct perfctr_cpu *cpu)
{
	return cpu->rules == PERFCTR_RULES_ARCH && strcmp(cpu->id, "architectural") != 0;
}

static int check_fields(const struct perfctr_offer *offer, const struct perfctr_cpu *cpu,
			const struct perf_event_attr *attr, const char *name, size_t length)
{
	const uint64_t given[] = { attr->config, attr->config1, attr->config2 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(given); i++) {
		uint64_t bits = given[i] & ~offer->field[i];

		if (i == 0)
			bits = has_number(attr) ? 0 : bits & ~ignored(cpu, attr->config);
		if (bits)
			return fail_field(offer, cpu, attr, i, bits, name, length);
	}
	return attr->config1 && knows_beside(cpu) ? check_beside(offer, cpu, attr, name, length)
						  : 0;
}

static int check_common(const struct perfctr_offer *offer, const struct perf_event_attr *attr,
			const char *name, size_t length)
{
	uint64_t code = attr->config & 0xFFFF;

	if (has_number(attr) || !is_common(code) ||
	    !(offer->absent[code >> 14] >> (code & 0x3F) & 1))
		return 0;
	return perfctr_fail(EOPNOTSUPP,
			    "%.*s can't be counted: this processor does not implement it (0x%llx "
			    "is not in " PERFCTR_DEVICES "/%s/events), or a hypervisor hides it; "
			    "choose another with \"perfex -l\"",
			    perfctr_shown(length), name, (unsigned long long)code, offer->pmu);
}

/* The architectural events in the order of CPUID's leaf 0AH, EBX: SDM vol. 3B, table 20-1. */
static int check_architectural(const struct perfctr_cpu *cpu, const struct perf_event_attr *attr,
			       const char *name, size_t length)
{
	static const uint16_t codes[] = { 0x003C, 0x00C0, 0x013C, 0x4F2E, 0x412E, 0x00C4, 0x00C5,
					  0x01A4, 0x02A4, 0x0073, 0x019C, 0x02C2, 0x01E4 };
	unsigned int i;

	if (has_number(attr))
		return 0;
	for (i = 0; i < ARRAY_SIZE(codes); i++)
		if (cpu->absent >> i & 1 && (attr->config & 0xFFFF) == codes[i])
			return perfctr_fail(EOPNOTSUPP,
					    "%.*s can't be counted: this processor says that it "
					    "lacks the event (CPUID leaf 0AH, EBX bit %u), or a "
					    "hypervisor hides it; choose another with "
					    "\"perfex -l\"",
					    perfctr_shown(length), name, i);
	return 0;
}

/*
 * The kernel puts an event on any counter if it does not know the processor; of the fixed counters'
 * own codes it knows the three of version 2 (intel_gen_event_constraints).
 */
static int check_counters(const struct perfctr_offer *offer, const struct perfctr_cpu *cpu,
			  const struct perfctr_event_table *table,
			  const struct perf_event_attr *attr, const char *name, size_t length)
{
	uint32_t low = (uint32_t)attr->config & ~(X86_MODES | X86_OWN), counters;
	char advice[48];

	/* These have fixed counters on any processor, which the kernel prefers. */
	if (has_number(attr) || low == 0x3C || low == 0xC0 || low == 0x0300)
		return 0;
	counters = table ? perfctr_event_counters(table, low, (uint32_t)(attr->config >> 32))
			 : 0xFFFFFFFF;
	if (!(low & 0xFF) && low & 0xFF00)
		counters = 0;
	if (!(cpu->counters & ~counters))
		return 0;
	advise(offer, cpu, advice, sizeof(advice));
	return perfctr_fail(EOPNOTSUPP,
			    "%.*s can't be counted: not all counters can count it, and Linux %s, "
			    "which does not know the %s, puts it on any; %s, or load the perfctr "
			    "driver",
			    perfctr_shown(length), name, offer->kernel, cpu->name, advice);
}

int perfctr_offer_check(const struct perfctr_offer *offer, const struct perfctr_cpu *cpu,
			const struct perfctr_event_table *table, const struct perf_event_attr *attr,
			const char *name, size_t length)
{
	if (offer->has_format && check_fields(offer, cpu, attr, name, length) < 0)
		return -1;
	if (cpu->rules == PERFCTR_RULES_PMUV3)
		return check_common(offer, attr, name, length);
	if (cpu->absent && check_architectural(cpu, attr, name, length) < 0)
		return -1;
	return is_generic(offer, cpu) ? check_counters(offer, cpu, table, attr, name, length) : 0;
}

/* ---- this machine ---- */

struct machine {
	int n;	     /* core PMUs; -1: it can't be known now */
	bool shared; /* one for all core types */
	bool unseen; /* something that is to be checked can't be read */
	struct perfctr_plain plain;
	struct perfctr_offer offer[PERFCTR_VARIANTS_MAX];
};

static struct machine known;
struct perfctr_plain perfctr_plain;
static enum { UNKNOWN, BEING_READ, READ } state;

/* Whether sysfs lists PMUs. It always lists "software", without which nothing was read. */
static bool sysfs_is_there(void)
{
	long type;

	return perfctr_file_number(PERFCTR_DEVICES "/software/type", &type) == 0;
}

/* All kernels have format/, but for old PowerPC; an Arm of PMUv3 always implements cycles. */
static bool is_unseen(const struct perfctr_offer *offer, const struct perfctr_cpu *cpu)
{
	if (!offer->has_format)
		return cpu->isa != &perfctr_powerpc && cpu->isa != &perfctr_power;
	return cpu->rules == PERFCTR_RULES_PMUV3 && !offer->is_pmuv3;
}

static void read_pmu(struct machine *machine, const struct perfctr_pmu *pmu,
		     struct perfctr_offer *offer)
{
	const struct perfctr_cpu *cpu = perfctr_this_cpu();
	unsigned int i;

	perfctr_offer_read(pmu, cpu, offer);
	machine->unseen |= is_unseen(offer, cpu);
	for (i = 0; i < ARRAY_SIZE(machine->plain.bits) && offer->has_format; i++)
		machine->plain.bits[i] &= offer->field[i];
	if (is_generic(offer, cpu))
		machine->plain.bits[0] = 0;
}

static void read_machine(struct machine *machine)
{
	const struct perfctr_cpu *cpu = perfctr_this_cpu();
	struct perfctr_pmu pmus[PERFCTR_VARIANTS_MAX];
	int i;

	machine->n = perfctr_core_pmus(pmus);
	machine->shared = machine->n == 1 && perfctr_is_hybrid && !strcmp(pmus->name, "cpu");
	machine->plain.bits[1] = machine->n > 0 && knows_beside(cpu) ? 0 : UINT64_MAX;
	machine->plain.bits[2] = UINT64_MAX;
	machine->plain.bits[0] = cpu->rules == PERFCTR_RULES_PMUV3 || cpu->absent ? 0 : UINT64_MAX;
	machine->unseen = machine->n < 0 || (machine->n == 0 && !sysfs_is_there());
	for (i = 0; i < machine->n; i++)
		read_pmu(machine, &pmus[i], &machine->offer[i]);
	machine->plain.unseen = machine->unseen;
}

/* Reads the PMUs once, as far as the machine can be looked at; own is memory for it until then. */
static SLOW const struct machine *look_now(struct machine *own)
{
	unsigned int since = perfctr_file_troubles();
	int before = UNKNOWN;

	read_machine(own);
	if (perfctr_file_troubles() != since || own->n < 0 ||
	    !__atomic_compare_exchange_n((int *)&state, &before, BEING_READ, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		return own;
	known = *own;
	memcpy(perfctr_plain.bits, own->plain.bits, sizeof(perfctr_plain.bits));
	perfctr_plain.unseen = own->unseen;
	__atomic_store_n(&perfctr_plain.is_known, true, __ATOMIC_RELEASE);
	__atomic_store_n((int *)&state, READ, __ATOMIC_RELEASE);
	return &known;
}

static bool is_known(void)
{
	return __atomic_load_n((int *)&state, __ATOMIC_ACQUIRE) == READ;
}

static const struct machine *look(struct machine *own)
{
	return is_known() ? &known : look_now(own);
}

void perfctr_offer_forget(void)
{
	__atomic_store_n(&perfctr_plain.is_known, false, __ATOMIC_RELEASE);
	__atomic_store_n((int *)&state, UNKNOWN, __ATOMIC_RELEASE);
}

/* The event counts on each of the core types that share the PMU. */
static SLOW int check_types(const struct perfctr_offer *offer, const struct perf_event_attr *attr,
			    const char *name, size_t length)
{
	struct perfctr_pmu types[PERFCTR_VARIANTS_MAX];
	const struct perfctr_event_table *table;
	int i, n = perfctr_core_types(types);
	struct perfctr_cpu cpu;

	for (i = 0; i < n; i++) {
		perfctr_core_cpu(&types[i], &cpu);
		table = perfctr_core_table(&types[i], &cpu);
		if (perfctr_offer_check(offer, &cpu, table, attr, name, length) < 0)
			return -1;
	}
	return 0;
}

/* The event is of any core PMU that takes it, unless its type is the number of one. */
static bool is_of_any(const struct machine *machine, const struct perf_event_attr *attr)
{
	int i;

	for (i = 0; i < machine->n; i++)
		if (machine->offer[i].type == attr->type)
			return false;
	return attr->type == PERF_TYPE_RAW || has_number(attr);
}

/* An x86's core types have registers of their own; own is memory for one. */
static const struct perfctr_cpu *cpu_of(const struct machine *machine, int i,
					struct perfctr_cpu *own)
{
	const struct perfctr_cpu *cpu = perfctr_this_cpu();
	struct perfctr_pmu pmu = { .type = machine->offer[i].type };

	if (machine->n == 1 || cpu->isa != &perfctr_x86)
		return cpu;
	memcpy(pmu.name, machine->offer[i].pmu, sizeof(pmu.name));
	perfctr_core_cpu(&pmu, own);
	return own;
}

static SLOW int check_on(const struct machine *machine, const struct perf_event_attr *attr,
			 const char *name, size_t length)
{
	bool any = is_of_any(machine, attr);
	int i, result = 0;

	if (machine->shared && (any || attr->type == machine->offer->type))
		return check_types(machine->offer, attr, name, length);
	for (i = 0; i < machine->n; i++) {
		struct perfctr_cpu own;

		if (!any && machine->offer[i].type != attr->type)
			continue;
		result = perfctr_offer_check(&machine->offer[i], cpu_of(machine, i, &own),
					     perfctr_this_table(), attr, name, length);
		if (result == 0)
			break;
	}
	return result;
}

/* The kernel's own numbers, which need no field: the first four types but PERF_TYPE_RAW. */
static bool is_kernels(const struct perf_event_attr *attr)
{
	return attr->type < PERF_TYPE_RAW && !(attr->config1 | attr->config2);
}

int perfctr_attr_check_all(const struct perf_event_attr *attr, const char *name, size_t length)
{
	struct machine own;

	return is_kernels(attr) ? 0 : check_on(look(&own), attr, name, length);
}

bool perfctr_machine_is_unseen(void)
{
	struct machine own;

	return look(&own)->unseen;
}

bool perfctr_attr_is_unverified(const struct perf_event_attr *attr)
{
	return !is_kernels(attr) && attr->type != PERF_TYPE_BREAKPOINT &&
	       perfctr_machine_is_unseen();
}

bool perfctr_cores_share(void)
{
	struct machine own;

	return look(&own)->shared;
}

bool perfctr_kernel_is_older(char *text, size_t size)
{
	const struct perfctr_cpu *cpu = perfctr_this_cpu();
	struct machine own;
	const struct machine *machine = look(&own);
	char advice[48];

	if (machine->n <= 0 || !is_generic(machine->offer, cpu))
		return false;
	advise(machine->offer, cpu, advice, sizeof(advice));
	snprintf(text, size,
		 "Linux %s does not know the %s: it counts the few events that are on all counters "
		 "and need no register beside the event select; %s",
		 machine->offer->kernel, cpu->name, advice);
	return true;
}

int perfctr_fail_shared(const char *word, size_t length)
{
	char why[256];

	return perfctr_fail(
		EOPNOTSUPP,
		"%.*s can't be counted: the core types of this hybrid processor share a "
		"PMU, and it is not the same event on all of them: %s",
		perfctr_shown(length), word,
		perfctr_kernel_is_older(why, sizeof(why)) ? why : "use a later kernel");
}
