// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a kernel's PMU offers: every event of Intel's tables on kernels that know the processor, and
 * that don't, by the format/ and caps/ that these have; on Arm by events/. On any host.
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
	bool umask2;
} kernels[] = {
	{ "5.10.0-32-amd64",
	  " nehalem_ep nehalem_ex westmere_sp westmere_dp westmere_ex sandybridge jaketown ivybridge ivytown "
	  "haswell haswellx broadwell broadwellde broadwellx skylake skylakex cascadelakex icelake icelakex "
	  "tigerlake silvermont goldmont goldmontplus snowridgex elkhartlake knightslanding ",
	  false },
	{ "6.1.0-50-amd64", " rocketlake sapphirerapids emeraldrapids goldencove gracemont ",
	  false },
	{ "6.12.94+deb13-amd64",
	  " graniterapids sierraforest grandridge redwoodcove lioncove skymont ", true },
	{ "7.3.4-amd64",
	  " crestmont arl_lioncove arl_skymont cougarcove darkmont clearwaterforest coyotecove arcticwolf ",
	  true },
};

static bool knows(unsigned int k, const char *id)
{
	char word[32];

	snprintf(word, sizeof(word), " %s ", id);
	for (k++; k-- > 0;)
		if (strstr(kernels[k].knows, word))
			return true;
	return false;
}

/* The files of the PMU cpu on a kernel. */
static void make_root(unsigned int k, const struct perfctr_cpu *cpu)
{
	bool known = knows(k, cpu->id), two = kernels[k].umask2 && !(cpu->reserved >> 40 & 0xFF);

	root_make();
	root_line("/proc/sys/kernel/osrelease", kernels[k].release);
	root_line("cpu/type", "4");
	root_line("cpu/format/event", "config:0-7");
	root_line("cpu/format/umask", two ? "config:8-15,40-47" : "config:8-15");
	root_line("cpu/format/edge", "config:18");
	root_line("cpu/format/pc", "config:19");
	root_line("cpu/format/any", "config:21");
	root_line("cpu/format/inv", "config:23");
	root_line("cpu/format/cmask", "config:24-31");
	if (two)
		root_line("cpu/format/eq", "config:36");
	if (known) {
		root_line("cpu/format/in_tx", "config:32");
		root_line("cpu/format/in_tx_cp", "config:33");
		root_line("cpu/format/offcore_rsp", "config1:0-63");
		root_line("cpu/format/ldlat", "config1:0-15");
		root_line("cpu/format/frontend", "config1:0-23");
	}
	root_line("cpu/caps/pmu_name", known ? "known" : "generic_arch_v2+");
}

static void read_offer(const struct perfctr_cpu *cpu, const char *name, uint32_t type,
		       struct perfctr_offer *offer)
{
	struct perfctr_pmu pmu = { .type = type };

	snprintf(pmu.name, sizeof(pmu.name), "%s", name);
	perfctr_offer_read(&pmu, cpu, offer);
}

/* Whether the event is on all counters, and needs no more than the fields that there are. */
static bool is_plain(const struct perfctr_offer *offer, const struct perfctr_cpu *cpu,
		     const struct perfctr_event_choice *choice, const struct perf_event_attr *attr)
{
	/* The codes of fixed counters: any kernel knows these of cycles and instructions. */
	if (attr->config == 0x3C || attr->config == 0xC0 || attr->config == 0x300)
		return !attr->config1;
	if (!(attr->config & 0xFF) && attr->config & 0xFF00)
		return false;
	/* The E-cores' other fixed counters have events that the others count, too. */
	if (attr->config == 0x73 || attr->config == 0x19C || attr->config == 0x2C2)
		return true;
	return !attr->config1 && !(attr->config & ~offer->field[0]) &&
	       !(cpu->counters & ~choice->option[0].counters);
}

struct totals {
	unsigned int known, plain, refused;
};

static void check_event(const struct perfctr_offer *offer, const struct perfctr_cpu *cpu,
			const struct perfctr_event_table *table, const char *name, bool known,
			struct totals *totals)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct perfctr_event_choice choice;
	unsigned int event;
	const char *part;
	size_t length;
	int result;

	if (perfctr_event_lookup(table, name, strlen(name), &choice, &part, &length, &event) ||
	    choice.pebs || perfctr_event_attr(cpu, &choice, name, strlen(name), &attr) < 0)
		return;
	result = perfctr_offer_check(offer, cpu, table, &attr, name, strlen(name));
	if (known) {
		if (result < 0)
			ck_abort_msg("%s of %s on %s: %s", name, cpu->id, offer->kernel,
				     perfctr_error());
		totals->known++;
		return;
	}
	/* An event that has a twin with other counters may be refused for that. */
	if (result == 0 && !is_plain(offer, cpu, &choice, &attr))
		ck_abort_msg("%s of %s is taken by %s", name, cpu->id, offer->kernel);
	if (result < 0 &&
	    (!strstr(perfctr_error(), "which Linux") && !strstr(perfctr_error(), "and Linux")))
		ck_abort_msg("%s: %s", name, perfctr_error());
	totals->plain += result == 0;
	totals->refused += result < 0;
}

static void check_table(unsigned int k, const struct perfctr_cpu *cpu, struct totals *totals)
{
	const struct perfctr_event_table *table = perfctr_event_table(cpu->id);
	struct perfctr_event_entry entry;
	struct perfctr_offer offer;
	unsigned int n = 0;
	char name[256];

	make_root(k, cpu);
	read_offer(cpu, "cpu", 4, &offer);
	ck_assert(offer.has_format);
	ck_assert_str_eq(offer.kernel, kernels[k].release);
	while ((n = perfctr_event_walk(table, n, &entry))) {
		snprintf(name, sizeof(name), "%s%s%s", entry.event, entry.mask ? ":" : "",
			 entry.mask ? entry.mask : "");
		if (!entry.needs_mask)
			check_event(&offer, cpu, table, name, knows(k, cpu->id), totals);
	}
	root_remove();
}

/* All of Intel's tables since Nehalem. */
static void check_tables(struct totals *totals)
{
	struct perfctr_cpu cpu;
	unsigned int k, i;

	for (k = 0; k < ARRAY_SIZE(kernels); k++) {
		const char *last = "", *id;

		for (i = 0; (id = perfctr_isa_id(&perfctr_x86, i)); i++) {
			perfctr_cpu_named(id, &cpu);
			if (cpu.rules == PERFCTR_RULES_ARCH && cpu.offcore && strcmp(id, last) &&
			    strcmp(id, "architectural"))
				check_table(k, &cpu, totals);
			last = id;
		}
	}
}

START_TEST(generations)
{
	struct totals totals = { 0 };

	check_tables(&totals);
	ck_assert_uint_gt(totals.known, 30000);
	ck_assert_uint_gt(totals.plain, 1000);
	ck_assert_uint_gt(totals.refused, 3500);
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
	ck_fails(check_code(&offer, &cpu, PERF_TYPE_HARDWARE, 1, 1), EOPNOTSUPP,
		 "field offcore_rsp");
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

UNIT_MAIN("offer", 120, unreadable, generations, granite_rapids, architectural, amd, common_events,
	  unknown)
