// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests the identification of an x86, to the bit: the properties of a typical processor of each id,
 * the effect of each field of the CPUID words, and the types whose rules each processor obeys.
 * identify.c tests recorded words.
 *
 * Numbers are written from the manuals, not from arch/: Intel SDM vol. 2 CPUID (leaves 0AH and
 * 23H), vol. 3B 20.2 and vol. 4; AMD APM vol. 3 Fn8000_0001 and Fn8000_0022, and the BKDGs.
 */
#include <perfctr/abi-x86.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "arch/isa.h"
#include "arch/x86/cpuid.h"
#include "tests/harness/check.h"

/* The upper half of an event select where it has none, or some. */
#define NO_HIGH 0xFFFFFFFF00000000ull
#define V6_HIGH 0xFFFF00EF00000000ull /* UMASK2 is bits 47-40, EQ bit 36 */
#define EVENT12 0xFFFFFCF000000000ull /* AMD's event has bits 35-32, too; 41-40: host or guest */

/* ---- typical ones ---- */

static const struct typical {
	const char *ids;
	enum perfctr_rules rules;
	uint32_t counters, fixed;
	unsigned int width, fixed_width;
	uint64_t reserved;
	unsigned int version, offcore, offcore_width, pcint, outstanding, frontend;
	unsigned int no_tsc, no_rdpmc, ext_core, pairs, northbridge, p4_model;
} typicals[] = {
	{ "p5", PERFCTR_RULES_P5, 3, 0, 40, 0, NO_HIGH | 0xFFFFFE00, 0, 0, 0, .pcint = 0,
	  .no_rdpmc = 1 },
	{ "p5mmx", PERFCTR_RULES_P5, 3, 0, 40, 0, NO_HIGH | 0xFFFFFE00, 0, 0, 0, .pcint = 0 },
	{ "mii", PERFCTR_RULES_MII, 3, 0, 48, 0, NO_HIGH | 0xFFFFFA00, 0, 0, 0, .pcint = 0 },
	{ "winchip_c6 winchip_2", PERFCTR_RULES_WINCHIP, 3, 0, 40, 0, NO_HIGH | 0xFFFFFF00, 0, 0, 0,
	  .pcint = 0, .no_tsc = 1 },
	{ "c3", PERFCTR_RULES_C3, 2, 0, 32, 0, NO_HIGH | 0xFFFFFE00, 0, 0, 0,
	  .pcint = 0 }, /* number 1 */
	{ "p4", PERFCTR_RULES_P4, 0x3FFFF, 0, 40, 0, 0, 0, 0, 0, .pcint = 1, .p4_model = 0 },
	{ "p4m3", PERFCTR_RULES_P4, 0x3FFFF, 0, 40, 0, 0, 0, 0, 0, .pcint = 1, .p4_model = 3 },
	{ "ppro pii piii pentium_m", PERFCTR_RULES_P6, 3, 0, 40, 0, NO_HIGH | 0x280000, 0, 0, 0,
	  .pcint = 1 },

	{ "core", PERFCTR_RULES_ARCH, 3, 0, 40, 0, NO_HIGH | 0x280000, 1, 0, 0, .pcint = 1 },
	{ "core2", PERFCTR_RULES_ARCH, 3, 7, 40, 40, NO_HIGH | 0x280000, 2, 0, 0, .pcint = 1 },
	/* AnyThread, bit 21, is there in versions 3 and 4. */
	{ "bonnell", PERFCTR_RULES_ARCH, 3, 7, 40, 40, NO_HIGH | 0x080000, 3, 0, 0, .pcint = 1 },
	{ "nehalem_ep nehalem_ex", PERFCTR_RULES_ARCH, 0xF, 7, 48, 48, NO_HIGH | 0x080000, 3, 1, 16,
	  .pcint = 1 },
	{ "westmere_sp westmere_dp westmere_ex", PERFCTR_RULES_ARCH, 0xF, 7, 48, 48,
	  NO_HIGH | 0x080000, 3, 2, 16, .pcint = 1 },
	{ "sandybridge jaketown ivybridge ivytown haswell haswellx broadwell broadwellde "
	  "broadwellx architectural",
	  PERFCTR_RULES_ARCH, 0xF, 7, 48, 48, NO_HIGH | 0x080000, 3, 2, 38, .pcint = 1 },
	{ "skylake skylakex cascadelakex", PERFCTR_RULES_ARCH, 0xF, 7, 48, 48, NO_HIGH | 0x080000,
	  4, 2, 38, .pcint = 1, .frontend = 1 },
	{ "icelake icelakex tigerlake rocketlake sapphirerapids emeraldrapids "
	  "graniterapids goldencove redwoodcove",
	  PERFCTR_RULES_ARCH, 0xFF, 0xF, 48, 48, NO_HIGH | 0x280000, 5, 2, 38, .pcint = 1,
	  .frontend = 1 },
	{ "lioncove arl_lioncove cougarcove", PERFCTR_RULES_ARCH, 0x3FF, 0xF, 48, 48,
	  V6_HIGH | 0x280000, 6, 2, 44, .pcint = 1, .frontend = 1 },

	{ "coyotecove", PERFCTR_RULES_ARCH, 0x3FF, 0xF, 48, 48, V6_HIGH | 0x280000, 6, 2, 63,
	  .pcint = 1, .frontend = 1 },

	/* The small cores have no MSR_PEBS_FRONTEND. */
	{ "silvermont knightslanding", PERFCTR_RULES_ARCH, 3, 7, 40, 40, NO_HIGH | 0x080000, 3, 2,
	  39, .pcint = 1, .outstanding = 1 },
	{ "goldmont goldmontplus", PERFCTR_RULES_ARCH, 0xF, 7, 48, 48, NO_HIGH | 0x080000, 4, 2, 39,
	  .pcint = 1, .outstanding = 1 },
	{ "snowridgex elkhartlake", PERFCTR_RULES_ARCH, 0xF, 7, 48, 48, NO_HIGH | 0x280000, 5, 2,
	  64, .pcint = 1, .outstanding = 1 },
	{ "gracemont", PERFCTR_RULES_ARCH, 0x3F, 7, 48, 48, NO_HIGH | 0x280000, 5, 2, 64,
	  .pcint = 1, .outstanding = 1 },
	{ "crestmont sierraforest grandridge", PERFCTR_RULES_ARCH, 0xFF, 7, 48, 48,
	  NO_HIGH | 0x280000, 5, 2, 64, .pcint = 1, .outstanding = 1 },
	/* Fixed counters 4 to 6 came with Skymont; the fourth, slots, is the big cores'. */
	{ "skymont arl_skymont darkmont clearwaterforest", PERFCTR_RULES_ARCH, 0xFF, 0x77, 48, 48,
	  V6_HIGH | 0x280000, 6, 2, 64, .pcint = 1, .outstanding = 1 },

	{ "arcticwolf", PERFCTR_RULES_ARCH, 0xFF, 0x77, 48, 48, V6_HIGH | 0x280000, 6, 2, 64,
	  .pcint = 1 },

	{ "k7", PERFCTR_RULES_K7, 0xF, 0, 48, 0, NO_HIGH | 0x280000, 0, 0, 0, .pcint = 1 },
	{ "k8_b k8_c", PERFCTR_RULES_K7, 0xF, 0, 48, 0, NO_HIGH | 0x280000, 0, 0, 0, .pcint = 1,
	  .northbridge = 1 },
	{ "fam10h fam11h fam12h fam14h", PERFCTR_RULES_K7, 0xF, 0, 48, 0, EVENT12 | 0x280000, 0, 0,
	  0, .pcint = 1, .northbridge = 1 },
	{ "fam16h", PERFCTR_RULES_K7, 0xF, 0, 48, 0, EVENT12 | 0x280000, 0, 0, 0, .pcint = 1 },
	{ "fam15h", PERFCTR_RULES_K7, 0x3F, 0, 48, 0, EVENT12 | 0x280000, 0, 0, 0, .pcint = 1,
	  .ext_core = 1 },
	{ "zen1 zen2 zen3 zen4 zen5 zen6", PERFCTR_RULES_K7, 0x3F, 0, 48, 0, EVENT12 | 0x280000, 0,
	  0, 0, .pcint = 1, .ext_core = 1, .pairs = 1 },
};

static int is_like(const struct perfctr_cpu *cpu, const struct typical *t)
{
	return cpu->rules == t->rules && cpu->counters == t->counters && cpu->fixed == t->fixed &&
	       cpu->width == t->width && cpu->fixed_width == t->fixed_width &&
	       cpu->reserved == t->reserved && cpu->version == t->version &&
	       cpu->offcore == t->offcore && cpu->offcore_width == t->offcore_width &&
	       cpu->outstanding == t->outstanding && cpu->frontend == t->frontend &&
	       cpu->no_tsc == t->no_tsc && cpu->no_rdpmc == t->no_rdpmc && cpu->pcint == t->pcint &&
	       cpu->ext_core == t->ext_core && cpu->pairs == t->pairs &&
	       cpu->northbridge == t->northbridge && cpu->p4_model == t->p4_model &&
	       !cpu->nb_resets && !cpu->ht && !cpu->full_width;
}

static void assert_like(const char *name, const struct perfctr_cpu *cpu, const struct typical *t)
{
	ck_assert_msg(is_like(cpu, t),
		      "%s: rules %u counters %#x fixed %#x width %u, %u reserved %#llx version %u "
		      "offcore %u, %u, %u frontend %u no_tsc %u no_rdpmc %u pcint %u ext_core %u "
		      "pairs %u northbridge %u p4_model %u",
		      name, cpu->rules, cpu->counters, cpu->fixed, cpu->width, cpu->fixed_width,
		      (unsigned long long)cpu->reserved, cpu->version, cpu->offcore,
		      cpu->offcore_width, cpu->outstanding, cpu->frontend, cpu->no_tsc,
		      cpu->no_rdpmc, cpu->pcint, cpu->ext_core, cpu->pairs, cpu->northbridge,
		      cpu->p4_model);
}

START_TEST(typical_ones)
{
	struct perfctr_cpu cpu;
	unsigned int i, n = 0;
	char ids[200], *id, *rest;

	for (i = 0; i < ARRAY_SIZE(typicals); i++) {
		snprintf(ids, sizeof(ids), "%s", typicals[i].ids);
		for (id = strtok_r(ids, " ", &rest); id; id = strtok_r(NULL, " ", &rest), n++) {
			memset(&cpu, 0xFF, sizeof(cpu));
			ck_assert_msg(perfctr_cpu_named(id, &cpu) == 0, "%s", id);
			assert_like(id, &cpu, &typicals[i]);
			ck_assert_str_eq(cpu.id, id);
			ck_assert_str_ne(cpu.name, "Generic x86 with TSC");
		}
	}
	ck_assert_ptr_nonnull(perfctr_isa_id(&perfctr_x86, n - 1));
	ck_assert_msg(!perfctr_isa_id(&perfctr_x86, n), "nobody knows what a typical %s has",
		      perfctr_isa_id(&perfctr_x86, n));
}
END_TEST

/* ---- vendor, family, model, stepping ---- */

/* A processor that has whatever its kind may have. */
static struct perfctr_cpuid words_of(const char *vendor, uint32_t signature)
{
	struct perfctr_cpuid id = {
		.max_leaf = 0x16,
		.signature = signature,
		.leaf1_edx = PERFCTR_CPUID_TSC,
		.leaf0a_eax = 0x07300404,
		.leaf0a_edx = 0x603,
	};

	memcpy(id.vendor, vendor, sizeof(id.vendor));
	return id;
}

static struct perfctr_cpu identified(const struct perfctr_cpuid *id)
{
	struct perfctr_cpu cpu;

	memset(&cpu, 0xFF, sizeof(cpu));
	perfctr_x86_identify(id, &cpu);
	return cpu;
}

#define INTEL	"GenuineIntel"
#define AMD	"AuthenticAMD"
#define HYGON	"HygonGenuine"
#define CYRIX	"CyrixInstead"
#define CENTAUR "CentaurHauls"

/* Both ends of each range, and what lies just outside. */
START_TEST(signatures)
{
	static const struct {
		const char *vendor;
		uint32_t signature;
		const char *id;
		unsigned int type;
	} cpus[] = {
		{ INTEL, 0x500, "p5", 1 },
		{ INTEL, 0x530, "p5", 1 },
		{ INTEL, 0x540, "p5mmx", 2 },
		{ INTEL, 0x570, "p5", 1 },
		{ INTEL, 0x580, "p5mmx", 2 },
		{ INTEL, 0x590, "", 0 }, /* Quark */
		/* Of families 6 and 15 only the extended model counts, of 15 the extended family.
		 */
		{ INTEL, 0x000F0543, "p5mmx", 2 },
		{ INTEL, 0x00100543, "p5mmx", 2 },
		{ INTEL, 0x600, "", 0 },
		{ INTEL, 0x61F, "ppro", 3 },
		{ INTEL, 0x620, "", 0 },
		{ INTEL, 0x00100613, "ppro", 3 },
		{ INTEL, 0x00010613, "architectural", 24 },
		{ INTEL, 0x6C0, "", 0 },
		{ INTEL, 0x6E8, "core", 17 },
		{ INTEL, 0x00020600, "architectural", 24 },
		{ INTEL, 0x000F06F0, "architectural", 24 },
		{ INTEL, 0x000506E3, "skylake", 24 },
		{ INTEL, 0x00050650, "skylakex", 24 },
		{ INTEL, 0x00050654, "skylakex", 24 },
		{ INTEL, 0x00050655, "cascadelakex", 24 },
		{ INTEL, 0x0005065F, "cascadelakex", 24 },
		{ INTEL, 0xF00, "p4", 11 },
		{ INTEL, 0xF1F, "p4", 11 },
		{ INTEL, 0xF20, "p4", 12 },
		{ INTEL, 0xF30, "p4m3", 16 },
		{ INTEL, 0x000F0FF0, "p4m3", 16 },
		{ INTEL, 0x00100F10, "", 0 }, /* family 16 */
		{ INTEL, 0x00200F10, "", 0 }, /* family 17 */
		{ INTEL, 0x00300F10, "coyotecove", 24 },
		{ INTEL, 0x00300F30, "coyotecove", 24 },
		{ INTEL, 0x00300F00, "architectural", 24 },
		{ INTEL, 0x00400FF0, "architectural", 24 },
		{ INTEL, 0x00500F10, "", 0 },
		{ AMD, 0x500, "", 0 },
		{ AMD, 0x610, "k7", 9 },
		{ AMD, 0x000F06F0, "k7", 9 },
		{ AMD, 0xF3F, "k8_b", 13 },
		{ AMD, 0xF47, "k8_b", 13 },
		{ AMD, 0xF48, "k8_c", 15 },
		{ AMD, 0xF57, "k8_b", 13 },
		{ AMD, 0xF58, "k8_c", 15 },
		{ AMD, 0xF60, "k8_c", 15 },
		{ AMD, 0x000F0FF0, "k8_c", 15 },
		{ AMD, 0x00100F00, "fam10h", 19 },
		{ AMD, 0x001F0FF0, "fam10h", 19 },
		{ AMD, 0x00200F30, "fam11h", 15 },
		{ AMD, 0x00300F10, "fam12h", 19 },
		{ AMD, 0x00400F10, "", 0 }, /* family 13h */
		{ AMD, 0x00500F10, "fam14h", 19 },
		{ AMD, 0x00600F10, "fam15h", 25 },
		{ AMD, 0x00700F00, "fam16h", 25 },
		{ AMD, 0x00800F00, "zen1", 25 },
		{ AMD, 0x00820FF0, "zen1", 25 },
		{ AMD, 0x00830F00, "zen2", 25 },
		{ AMD, 0x00840FF0, "zen2", 25 },
		{ AMD, 0x00850F00, "zen1", 25 },
		{ AMD, 0x00850FF0, "zen1", 25 },
		{ AMD, 0x00860F00, "zen2", 25 },
		{ AMD, 0x00A00FF0, "zen3", 25 },
		{ AMD, 0x00A10F00, "zen4", 25 },
		{ AMD, 0x00A10FF0, "zen4", 25 },
		{ AMD, 0x00A20F00, "zen3", 25 },
		{ AMD, 0x00A50FF0, "zen3", 25 },
		{ AMD, 0x00A60F00, "zen4", 25 },
		{ AMD, 0x00AF0FF0, "zen4", 25 },
		{ AMD, 0x00B40FF0, "zen5", 25 },
		{ AMD, 0x00B50F00, "zen6", 25 },
		{ AMD, 0x00B50FF0, "zen6", 25 },
		{ AMD, 0x00B60F00, "zen5", 25 },
		{ AMD, 0x00B70FF0, "zen5", 25 },
		{ AMD, 0x00B80F00, "zen6", 25 },
		{ AMD, 0x00BA0FF0, "zen6", 25 },
		{ AMD, 0x00BC0F00, "zen6", 25 },
		{ AMD, 0x00BD0F00, "zen5", 25 },
		{ AMD, 0x00BD0F70, "zen5", 25 },
		{ AMD, 0x00BD0F80, "zen6", 25 },
		{ AMD, 0x00BE0FF0, "zen6", 25 },
		{ AMD, 0x00C00F00, "", 0 }, /* family 1Bh */
		{ HYGON, 0x00900F00, "zen1", 25 },
		{ CYRIX, 0x600, "mii", 6 },
		{ CYRIX, 0x6F0, "mii", 6 },
		{ CYRIX, 0x540, "", 0 },
		{ CENTAUR, 0x540, "winchip_c6", 7 },
		{ CENTAUR, 0x550, "", 0 },
		{ CENTAUR, 0x580, "winchip_2", 8 },
		{ CENTAUR, 0x590, "winchip_2", 8 },
		{ CENTAUR, 0x5A0, "", 0 },
		{ CENTAUR, 0x650, "", 0 },
		{ CENTAUR, 0x660, "c3", 10 },
		{ CENTAUR, 0x690, "c3", 10 },
		{ CENTAUR, 0x6A0, "", 0 },
		{ "AenuineIntel", 0x000506E3, "", 0 },
		{ "GenuineInteL", 0x000506E3, "", 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		struct perfctr_cpuid id = words_of(cpus[i].vendor, cpus[i].signature);
		struct perfctr_cpu cpu = identified(&id);

		ck_assert_msg(!strcmp(cpu.id, cpus[i].id) && cpu.type == cpus[i].type,
			      "%s %08X: %s, type %u", cpus[i].vendor, cpus[i].signature, cpu.id,
			      cpu.type);
		ck_assert_uint_eq(cpu.no_tsc, cpu.rules == PERFCTR_RULES_WINCHIP);
		/* No P4 without its model. */
		ck_assert_uint_eq(cpu.p4_model, cpu.rules == PERFCTR_RULES_P4
							? (cpus[i].signature >> 4 & 0xF) |
								  (cpus[i].signature >> 12 & 0xF0)
							: 0);
	}
}
END_TEST

START_TEST(names)
{
	struct perfctr_cpuid id = words_of(INTEL, 0x000506E3);

	ck_assert_str_eq(identified(&id).name, "Intel Skylake, client");
	id = words_of(AMD, 0x00A20F10);
	ck_assert_str_eq(identified(&id).name, "AMD Zen 3");
	id = words_of("NobodyKnowsI", 0x000506E3);
	ck_assert_str_eq(identified(&id).name, "Generic x86 with TSC");
	ck_assert_str_eq(perfctr_isa_type_name(&perfctr_x86, 0), "Generic x86 with TSC");
	ck_assert_str_eq(perfctr_isa_type_name(&perfctr_x86, 25), "AMD Family 15h or later");
}
END_TEST

/* CPUID leaf 1 EDX bit 4; also where a hypervisor hides the counters, or nobody knows them. */
START_TEST(no_tsc)
{
	static const char *const vendors[] = { INTEL, AMD, "NobodyKnowsI" };
	struct perfctr_cpuid id;
	unsigned int i, bit;

	for (i = 0; i < ARRAY_SIZE(vendors); i++) {
		for (bit = 0; bit < 32; bit++) {
			id = words_of(vendors[i], i == 1 ? 0x00A20F10 : 0x000506E3);
			id.leaf1_edx = 1u << bit;
			ck_assert_uint_eq(identified(&id).no_tsc, bit != 4);
			/* Hidden. */
			id.leaf0a_eax = 0;
			id.ext22_eax = 1;
			ck_assert_uint_eq(identified(&id).counters, 0);
			ck_assert_uint_eq(identified(&id).no_tsc, bit != 4);
		}
	}
}
END_TEST

/* ---- Pentium 4 and AMD ---- */

/* Two threads of a core share its counters: more logical processors in the package than cores. */
START_TEST(hyper_threading)
{
	static const struct {
		uint32_t ebx, edx, leaf4, ht;
	} cases[] = {
		{ 0x00020000, 0x10000010, 0, 1 },
		{ 0x00020000, 0xEFFFFFFF, 0, 0 }, /* HTT is bit 28 of EDX */
		{ 0x00010000, 0x10000010, 0, 0 },
		{ 0x00000000, 0x10000010, 0, 0 },
		{ 0xFF00FFFF, 0x10000010, 0, 0 }, /* the number is bits 23-16 */
		{ 0x00800000, 0x10000010, 0, 1 },
		{ 0x00020000, 0x10000010, 1u << 26, 0 }, /* one core less is bits 31-26 */
		{ 0x00030000, 0x10000010, 1u << 26, 1 },
		{ 0x00040000, 0x10000010, 1u << 26, 1 },
		{ 0x00020000, 0x10000010, 0x03FFFFFF, 1 },
		{ 0x00400000, 0x10000010, 0xFC000000, 0 },
		{ 0x00410000, 0x10000010, 0xFC000000, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perfctr_cpuid id = words_of(INTEL, 0xF41);

		id.leaf1_ebx = cases[i].ebx;
		id.leaf1_edx = cases[i].edx;
		id.leaf4_eax = cases[i].leaf4;
		ck_assert_msg(identified(&id).ht == cases[i].ht, "case %u", i);
	}
}
END_TEST

/* PerfCtrExtCore is bit 23 of Fn8000_0001 ECX; Fn8000_0022: EAX bit 0 PerfMonV2, EBX 3-0 counters.
 */
START_TEST(amd_counters)
{
	static const struct {
		uint32_t signature, ext1_ecx, ext22_eax, ext22_ebx, counters, ext_core, version;
	} cases[] = {
		{ 0x00A20F10, 0, 0, 0, 0xF, 0, 0 },
		{ 0x00A20F10, 1u << 23, 0, 0, 0x3F, 1, 0 },
		{ 0x00A20F10, ~(1u << 23), 0, 0, 0xF, 0, 0 },
		{ 0x00A10F10, 1u << 23, 1, 6, 0x3F, 1, 2 },
		{ 0x00A10F10, 1u << 23, ~1u, 3, 0x3F, 1, 0 },
		{ 0x00A10F10, 1u << 23, 1, 5, 0x1F, 1, 2 },
		{ 0x00A10F10, 1u << 23, 1, 0xFFFFFFF7, 0x3F, 1, 2 },
		{ 0x00A10F10, 1u << 23, 1, 15, 0x3F, 1, 2 },
		{ 0x00A10F10, 1u << 23, 1, 1, 1, 1, 2 },
		{ 0x00A10F10, 0, 1, 6, 0xF, 0, 2 },
		{ 0x00A10F10, 0, 1, 3, 7, 0, 2 },
		{ 0x00A10F10, 1u << 23, 1, 0x30, 0, 0, 0 }, /* none: hidden */
		/* None of this is asked before family 15h. */
		{ 0x00100F42, 1u << 23, 1, 3, 0xF, 0, 0 },
		{ 0x000F0F48, 1u << 23, 1, 3, 0xF, 0, 0 },
		{ 0x00000681, 1u << 23, 1, 3, 0xF, 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perfctr_cpuid id = words_of(AMD, cases[i].signature);
		struct perfctr_cpu cpu;

		id.ext1_ecx = cases[i].ext1_ecx;
		id.ext22_eax = cases[i].ext22_eax;
		id.ext22_ebx = cases[i].ext22_ebx;
		cpu = identified(&id);
		ck_assert_msg(cpu.counters == cases[i].counters &&
				      cpu.ext_core == cases[i].ext_core &&
				      cpu.version == cases[i].version,
			      "case %u: %#x, %u, version %u", i, cpu.counters, cpu.ext_core,
			      cpu.version);
		ck_assert_uint_eq(cpu.rules, cpu.counters ? PERFCTR_RULES_K7 : PERFCTR_RULES_NONE);
	}
}
END_TEST

/* ---- Intel's leaves ---- */

#define EAX(version, n, width) (7u << 24 | (width) << 16 | (n) << 8 | (version))
#define EDX(n, width)	       ((uint32_t)(width) << 5 | (n))
#define HYPERVISOR	       0x80000000u
#define LEAF23		       0x100u /* of leaf 7, subleaf 1, EAX */
#define ANY_DEPRECATED	       0x8000u
#define PIN		       (NO_HIGH | 0x080000)
#define PIN_ANY		       (NO_HIGH | 0x280000)

struct arch_case {
	const char *name;
	uint32_t eax, ecx, edx, leaf1_ecx, max_leaf;
	uint32_t leaf7_1, leaf23_ebx, leaf23_1_eax, leaf23_1_ebx;
	uint32_t counters, fixed; /* counters 0: nothing is found */
	unsigned int fixed_width;
	uint64_t reserved;
};

static void arch_cases(const struct arch_case *c, size_t n)
{
	for (; n--; c++) {
		struct perfctr_cpuid id = words_of(INTEL, 0x000506E3);
		struct perfctr_cpu cpu;

		id.max_leaf = c->max_leaf ? c->max_leaf : 0x23;
		id.leaf0a_eax = c->eax;
		id.leaf0a_ecx = c->ecx;
		id.leaf0a_edx = c->edx;
		id.leaf1_ecx = c->leaf1_ecx;
		id.leaf7_1_eax = c->leaf7_1;
		id.leaf23_ebx = c->leaf23_ebx;
		id.leaf23_1_eax = c->leaf23_1_eax;
		id.leaf23_1_ebx = c->leaf23_1_ebx;
		cpu = identified(&id);
		ck_assert_msg(cpu.counters == c->counters && cpu.fixed == c->fixed &&
				      cpu.fixed_width == c->fixed_width &&
				      cpu.reserved == c->reserved,
			      "%s: %#x, fixed %#x of %u bits, reserved %#llx", c->name,
			      cpu.counters, cpu.fixed, cpu.fixed_width,
			      (unsigned long long)cpu.reserved);
		if (c->counters) {
			ck_assert_uint_eq(cpu.rules, PERFCTR_RULES_ARCH);
			ck_assert_uint_eq(cpu.version, c->eax & 0xFF);
			ck_assert_uint_eq(cpu.width, c->eax >> 16 & 0xFF);
			ck_assert_str_eq(cpu.id, "skylake");
		} else {
			ck_assert_uint_eq(cpu.rules, PERFCTR_RULES_NONE);
			ck_assert_str_eq(cpu.id, "");
		}
	}
}

#define ARCH_CASES(...)                                          \
	do {                                                     \
		const struct arch_case list[] = { __VA_ARGS__ }; \
		arch_cases(list, ARRAY_SIZE(list));              \
	} while (0)

#define NOTHING .counters = 0
#define FINDS(counters_, fixed_, width_, reserved_) \
	.counters = counters_, .fixed = fixed_, .fixed_width = width_, .reserved = reserved_

START_TEST(leaf_0a_counters)
{
	ARCH_CASES({ "leaf 9 is the last", EAX(1, 4, 48), .max_leaf = 9, NOTHING },
		   { "leaf 0AH is", EAX(1, 4, 48), .max_leaf = 10, FINDS(0xF, 0, 0, PIN_ANY) },
		   { "version 0", EAX(0, 4, 48), NOTHING },
		   { "version 15", EAX(15, 4, 48), FINDS(0xF, 0, 0, PIN) },
		   { "version 16", EAX(16, 4, 48), NOTHING },
		   { "no counters", EAX(1, 0, 48), NOTHING },
		   { "one", EAX(1, 1, 48), FINDS(1, 0, 0, PIN_ANY) },
		   { "ten", EAX(1, 10, 48), FINDS(0x3FF, 0, 0, PIN_ANY) },
		   { "eleven", EAX(1, 11, 48), FINDS(0x3FF, 0, 0, PIN_ANY) },
		   { "eleven of version 5", EAX(5, 11, 48), FINDS(0x3FF, 0, 0, PIN) },
		   { "eleven of version 6", EAX(6, 11, 48), FINDS(0x7FF, 0, 0, PIN) },
		   { "31", EAX(6, 31, 48), FINDS(0x7FFFFFFF, 0, 0, PIN) },
		   { "32", EAX(6, 32, 48), FINDS(0xFFFFFFFF, 0, 0, PIN) },
		   { "33", EAX(6, 33, 48), FINDS(0xFFFFFFFF, 0, 0, PIN) },
		   { "255", EAX(6, 255, 48), FINDS(0xFFFFFFFF, 0, 0, PIN) },
		   { "255 of version 4", EAX(4, 255, 48), .edx = EDX(3, 48),
		     FINDS(0x3FF, 7, 48, PIN) },
		   { "31 bits", EAX(1, 4, 31), NOTHING },
		   { "32 bits", EAX(1, 4, 32), FINDS(0xF, 0, 0, PIN_ANY) },
		   { "64 bits", EAX(1, 4, 64), FINDS(0xF, 0, 0, PIN_ANY) },
		   { "65 bits", EAX(1, 4, 65), NOTHING });
}
END_TEST

/* Versions 2 to 4 have three fixed counters, though some don't say so. A hypervisor means it. */
START_TEST(leaf_0a_fixed_counters)
{
	ARCH_CASES({ "version 1 has none", EAX(1, 4, 48), .ecx = 7, .edx = EDX(3, 48),
		     FINDS(0xF, 0, 0, PIN_ANY) },
		   { "0 of version 2", EAX(2, 4, 40), FINDS(0xF, 7, 40, PIN_ANY) },
		   { "0 of version 2, 48 bits", EAX(2, 4, 40), .edx = EDX(0, 48),
		     FINDS(0xF, 7, 48, PIN_ANY) },
		   { "0 of a hypervisor", EAX(2, 4, 40), .leaf1_ecx = HYPERVISOR,
		     FINDS(0xF, 0, 0, PIN_ANY) },
		   { "2 of version 4", EAX(4, 4, 48), .edx = EDX(2, 48), FINDS(0xF, 7, 48, PIN) },
		   { "2 of a hypervisor", EAX(4, 4, 48), .edx = EDX(2, 48), .leaf1_ecx = HYPERVISOR,
		     FINDS(0xF, 3, 48, PIN) },
		   { "other bits of leaf 1", EAX(4, 4, 48), .edx = EDX(2, 48),
		     .leaf1_ecx = ~HYPERVISOR, FINDS(0xF, 7, 48, PIN) },
		   { "3", EAX(4, 4, 48), .edx = EDX(3, 40), FINDS(0xF, 7, 40, PIN) },
		   { "4 of version 4", EAX(4, 4, 48), .edx = EDX(4, 48), FINDS(0xF, 0xF, 48, PIN) },
		   { "2 of version 5", EAX(5, 4, 48), .edx = EDX(2, 48), FINDS(0xF, 3, 48, PIN) },
		   { "0 of version 5", EAX(5, 4, 48), FINDS(0xF, 0, 0, PIN) },
		   { "a set, of version 4", EAX(4, 4, 48), .ecx = 0x28, .edx = EDX(3, 48),
		     FINDS(0xF, 7, 48, PIN) },
		   { "a set, of version 5", EAX(5, 4, 48), .ecx = 0x28, .edx = EDX(1, 48),
		     FINDS(0xF, 0x29, 48, PIN) },
		   /* After the seventh are other registers; IA32_FIXED_CTR_CTRL has room for 16. */
		   { "8 of version 4", EAX(4, 4, 48), .edx = EDX(8, 48),
		     FINDS(0xF, 0x7F, 48, PIN) },
		   { "32 of version 5", EAX(5, 4, 48), .ecx = 0xFFFFFFFF, .edx = EDX(0, 48),
		     FINDS(0xF, 0x7F, 48, PIN) },
		   { "31 of version 6", EAX(6, 4, 48), .edx = EDX(31, 48),
		     FINDS(0xF, 0xFFFF, 48, PIN) },
		   { "8 of version 6", EAX(6, 4, 48), .edx = EDX(8, 48),
		     FINDS(0xF, 0xFF, 48, PIN) },
		   { "31 bits", EAX(4, 4, 48), .edx = EDX(3, 31), FINDS(0xF, 0, 0, PIN) },
		   { "32 bits", EAX(4, 4, 48), .edx = EDX(3, 32), FINDS(0xF, 7, 32, PIN) },
		   { "64 bits", EAX(4, 4, 48), .edx = EDX(3, 64), FINDS(0xF, 7, 64, PIN) },
		   { "65 bits", EAX(4, 4, 48), .edx = EDX(3, 65), FINDS(0xF, 0, 0, PIN) },
		   { "255 bits", EAX(4, 4, 48), .edx = EDX(3, 255), FINDS(0xF, 0, 0, PIN) },
		   { "bits 31-16 of EDX", EAX(4, 4, 48), .edx = 0xFFFF0000 | EDX(3, 48),
		     FINDS(0xF, 7, 48, PIN) });
}
END_TEST

/* Bit 21 came with version 3, and goes where bit 15 of EDX deprecates it. */
START_TEST(leaf_0a_any_thread)
{
	ARCH_CASES({ "version 2", EAX(2, 4, 48), .edx = EDX(3, 48), FINDS(0xF, 7, 48, PIN_ANY) },
		   { "version 3", EAX(3, 4, 48), .edx = EDX(3, 48), FINDS(0xF, 7, 48, PIN) },
		   { "deprecated", EAX(3, 4, 48), .edx = ANY_DEPRECATED | EDX(3, 48),
		     FINDS(0xF, 7, 48, PIN_ANY) },
		   { "bits 14 and 16", EAX(5, 4, 48), .edx = 0x14000 | EDX(3, 48),
		     FINDS(0xF, 7, 48, PIN) });
}
END_TEST

START_TEST(leaf_23)
{
	const uint32_t v5 = EAX(5, 4, 48), v6 = EAX(6, 4, 48), edx = EDX(3, 48);

	ARCH_CASES({ "not there", v6, .edx = edx, .leaf7_1 = ~LEAF23, .leaf23_ebx = 3,
		     .leaf23_1_eax = 0x55, .leaf23_1_ebx = 0x77, FINDS(0xF, 7, 48, PIN) },
		   { "after the last", v6, .edx = edx, .leaf7_1 = LEAF23, .max_leaf = 0x22,
		     .leaf23_ebx = 3, .leaf23_1_eax = 0x55, .leaf23_1_ebx = 0x77,
		     FINDS(0xF, 7, 48, PIN) },
		   { "all", v6, .edx = edx, .leaf7_1 = LEAF23, .leaf23_ebx = 3,
		     .leaf23_1_eax = 0x55, .leaf23_1_ebx = 0x77,
		     FINDS(0x55, 0x77, 48, V6_HIGH | 0x080000) },
		   { "the 36th leaf is the last", v6, .edx = edx, .leaf7_1 = LEAF23,
		     .max_leaf = 0x24, .leaf23_1_eax = 0x55, .leaf23_1_ebx = 0x77,
		     FINDS(0x55, 0x77, 48, PIN) },
		   { "no sets", v6, .edx = edx, .leaf7_1 = LEAF23, FINDS(0xF, 7, 48, PIN) },
		   { "UMASK2", v6, .edx = edx, .leaf7_1 = LEAF23, .leaf23_ebx = 0xFFFFFFFD,
		     FINDS(0xF, 7, 48, 0xFFFF00FF00080000) },
		   { "EQ", v6, .edx = edx, .leaf7_1 = LEAF23, .leaf23_ebx = 0xFFFFFFFE,
		     FINDS(0xF, 7, 48, 0xFFFFFFEF00080000) },
		   { "as many as may be", v6, .edx = edx, .leaf7_1 = LEAF23,
		     .leaf23_1_eax = 0xFFFFFFFF, .leaf23_1_ebx = 0xFFFFFFFF,
		     FINDS(0xFFFFFFFF, 0xFFFF, 48, PIN) },
		   { "of version 5", v5, .edx = edx, .leaf7_1 = LEAF23, .leaf23_1_eax = 0xFFFFFFFF,
		     .leaf23_1_ebx = 0xFFFFFFFF, FINDS(0x3FF, 0x7F, 48, PIN) },
		   { "none that version 5 has", v5, .edx = edx, .leaf7_1 = LEAF23,
		     .leaf23_1_eax = 0xFFFFFC00, .leaf23_1_ebx = 0x7, NOTHING });
}
END_TEST

/* RTM is bit 11 of leaf 7 EBX; bit 11 of EDX says that microcode aborts all transactions. */
START_TEST(transactions)
{
	struct perfctr_cpuid id = words_of(INTEL, 0x000506E3);
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		id.leaf7_ebx = 1u << bit;
		id.leaf7_edx = 0;
		ck_assert_uint_eq(identified(&id).reserved,
				  bit == 11 ? 0xFFFFFFFC00080000 : 0xFFFFFFFF00080000);
		id.leaf7_ebx = 1u << 11;
		id.leaf7_edx = 1u << bit;
		ck_assert_uint_eq(identified(&id).reserved,
				  bit == 11 ? 0xFFFFFFFF00080000 : 0xFFFFFFFC00080000);
	}
}
END_TEST

/*
 * The first hybrids' leaf 0AH says what both core types have: a P-core has two counters more,
 * and the fixed counter of slots. Bit 15 of leaf 7 EDX: hybrid; leaf 1AH: the kind.
 */
START_TEST(hybrids)
{
	static const struct {
		uint32_t signature, hybrid, leaf1a, eax, edx;
		const char *id;
		uint32_t counters, fixed;
	} cases[] = {
		{ 0x90672, 1u << 15, 0x40000001, EAX(5, 6, 48), EDX(3, 48), "goldencove", 0xFF,
		  0xF },
		{ 0x90672, 1u << 15, 0x40000002, EAX(5, 6, 48), EDX(3, 48), "goldencove", 0xFF,
		  0xF },
		{ 0x90672, 1u << 15, 0x20000001, EAX(5, 6, 48), EDX(3, 48), "gracemont", 0x3F, 7 },
		{ 0x90672, 1u << 15, 0x20000002, EAX(5, 6, 48), EDX(3, 48), "gracemont", 0x3F, 7 },
		{ 0x90672, 0, 0x20000001, EAX(5, 6, 48), EDX(3, 48), "goldencove", 0x3F, 7 },
		{ 0x90672, ~(1u << 15), 0x40000001, EAX(5, 6, 48), EDX(3, 48), "goldencove", 0x3F,
		  7 },
		{ 0x90672, 1u << 15, 0, EAX(5, 6, 48), EDX(3, 48), "goldencove", 0x3F, 7 },
		/* Who says more, or less, means it. */
		{ 0x90672, 1u << 15, 0x40000001, EAX(5, 8, 48), EDX(4, 48), "goldencove", 0xFF,
		  0xF },
		{ 0x90672, 1u << 15, 0x40000001, EAX(5, 8, 48), EDX(3, 48), "goldencove", 0xFF, 7 },
		{ 0x90672, 1u << 15, 0x40000001, EAX(5, 6, 48), EDX(4, 48), "goldencove", 0x3F,
		  0xF },
		{ 0x90672, 1u << 15, 0x40000001, EAX(5, 5, 48), EDX(3, 48), "goldencove", 0x1F, 7 },
		{ 0x90672, 1u << 15, 0x40000001, EAX(4, 6, 48), EDX(3, 48), "goldencove", 0x3F, 7 },
		{ 0x90672, 1u << 15, 0x40000001, EAX(6, 6, 48), EDX(3, 48), "goldencove", 0x3F, 7 },
		/* Arrow Lake has two kinds of small cores, by the native model. */
		{ 0xC0652, 1u << 15, 0x20000002, EAX(5, 8, 48), EDX(3, 48), "crestmont", 0xFF, 7 },
		{ 0xC0652, 1u << 15, 0x20000003, EAX(6, 8, 48), EDX(3, 48), "arl_skymont", 0xFF,
		  7 },
		{ 0xC0652, 1u << 15, 0x20000012, EAX(6, 8, 48), EDX(3, 48), "arl_skymont", 0xFF,
		  7 },
		{ 0xC0652, 1u << 15, 0x20010002, EAX(6, 8, 48), EDX(3, 48), "arl_skymont", 0xFF,
		  7 },
		{ 0xC0652, 1u << 15, 0x40000002, EAX(6, 10, 48), EDX(4, 48), "arl_lioncove", 0x3FF,
		  0xF },
		{ 0xC0662, 1u << 15, 0x20000002, EAX(6, 8, 48), EDX(3, 48), "arl_skymont", 0xFF,
		  7 },
		{ 0x300F10, 1u << 15, 0x20000001, EAX(6, 8, 48), EDX(3, 48), "arcticwolf", 0xFF,
		  7 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perfctr_cpuid id = words_of(INTEL, cases[i].signature);
		struct perfctr_cpu cpu;

		id.leaf7_edx = cases[i].hybrid;
		id.leaf1a_eax = cases[i].leaf1a;
		id.leaf0a_eax = cases[i].eax;
		id.leaf0a_edx = cases[i].edx;
		cpu = identified(&id);
		ck_assert_msg(!strcmp(cpu.id, cases[i].id) && cpu.counters == cases[i].counters &&
				      cpu.fixed == cases[i].fixed,
			      "case %u: %s, %#x, fixed %#x", i, cpu.id, cpu.counters, cpu.fixed);
	}
}
END_TEST

/* MSR_PEBS_FRONTEND: Skylake's version 4 brought it to the big cores. */
START_TEST(frontend)
{
	struct perfctr_cpuid id = words_of(INTEL, 0x000506E3);

	ck_assert_uint_eq(identified(&id).frontend, 1);
	id.leaf0a_eax = EAX(3, 4, 48);
	ck_assert_uint_eq(identified(&id).frontend, 0);
	id.leaf0a_eax = EAX(5, 4, 48);
	ck_assert_uint_eq(identified(&id).frontend, 1);
	/* Goldmont, and Alder Lake's E-core. */
	id = words_of(INTEL, 0x000506C9);
	ck_assert_uint_eq(identified(&id).frontend, 0);
	id = words_of(INTEL, 0x00090672);
	ck_assert_uint_eq(identified(&id).frontend, 1);
	id.leaf7_edx = 1u << 15;
	id.leaf1a_eax = 0x20000001;
	ck_assert_uint_eq(identified(&id).frontend, 0);
}
END_TEST

/* ---- reading the words ---- */

/* A processor whose words tell where they are from. What is not there is not asked for. */
static struct {
	uint32_t last, last_extended, last_of_7;
} made;

static uint32_t made_word(uint32_t leaf, uint32_t subleaf, unsigned int n)
{
	return 0x40000000u + (leaf >> 31 << 16) + (leaf & 0xFFFF) * 256 + subleaf * 16 + n;
}

static inline void perfctr_cpuid_leaf(uint32_t leaf, uint32_t subleaf, uint32_t word[4])
{
	unsigned int n;

	for (n = 0; n < 4; n++)
		word[n] = made_word(leaf, subleaf, n);
	switch (leaf) {
	case 0: word[0] = made.last; return;
	case 7:
		ck_assert_uint_ge(made.last, 7);
		ck_assert_uint_le(subleaf, made.last_of_7);
		if (!subleaf)
			word[0] = made.last_of_7;
		return;
	case 0x80000000: word[0] = made.last_extended; return;
	}
	ck_assert_msg(leaf <= made.last || (leaf > 0x80000000 && leaf <= made.last_extended),
		      "leaf %#x", leaf);
}

/* A leaf's word, if there is the leaf. */
static void word_is(uint32_t found, int there, uint32_t leaf, uint32_t subleaf, unsigned int n)
{
	uint32_t expected = there ? made_word(leaf, subleaf, n) : 0;

	ck_assert_msg(found == expected, "last %#x, %#x: word %u of leaf %#x.%u is %#x", made.last,
		      made.last_extended, n, leaf, subleaf, found);
}

START_TEST(words_read)
{
	static const uint32_t lasts[] = { 0, 1, 2, 3, 4, 6, 7, 9, 0xA, 0xB, 0x22, 0x23, 0x24 };
	/* Who has no extended leaves answers with something: Intel's old ones, with the last basic.
	 */
	static const uint32_t extended[] = { 0,		 4,	     0x7FFFFFFF, 0x80000000,
					     0x80000001, 0x80000008, 0x80000021, 0x80000022,
					     0x80000026, 0x8000FFFF, 0x80010000, 0xFFFFFFFF };
	unsigned int i, k, of_7;

	for (i = 0; i < ARRAY_SIZE(lasts); i++)
		for (k = 0; k < ARRAY_SIZE(extended); k++)
			for (of_7 = 0; of_7 < 3; of_7++) {
				uint32_t last = lasts[i], high = extended[k];
				int ext1 = high >= 0x80000001 && high < 0x80010000;
				int ext22 = high >= 0x80000022 && high < 0x80010000;
				struct perfctr_cpuid id;
				uint32_t vendor[3];

				made.last = last;
				made.last_extended = high;
				made.last_of_7 = of_7;
				memset(&id, 0, sizeof(id));
				perfctr_cpuid_all(&id);
				memcpy(vendor, id.vendor, sizeof(vendor));
				ck_assert_uint_eq(id.max_leaf, last);
				/* EBX, EDX, ECX */
				word_is(vendor[0], 1, 0, 0, 1);
				word_is(vendor[1], 1, 0, 0, 3);
				word_is(vendor[2], 1, 0, 0, 2);
				word_is(id.signature, last >= 1, 1, 0, 0);
				word_is(id.leaf1_ebx, last >= 1, 1, 0, 1);
				word_is(id.leaf1_ecx, last >= 1, 1, 0, 2);
				word_is(id.leaf1_edx, last >= 1, 1, 0, 3);
				word_is(id.leaf4_eax, last >= 4, 4, 0, 0);
				word_is(id.leaf7_ebx, last >= 7, 7, 0, 1);
				word_is(id.leaf7_edx, last >= 7, 7, 0, 3);
				word_is(id.leaf7_1_eax, last >= 7 && of_7 >= 1, 7, 1, 0);
				word_is(id.leaf0a_eax, last >= 0xA, 0xA, 0, 0);
				word_is(id.leaf0a_ebx, last >= 0xA, 0xA, 0, 1);
				word_is(id.leaf0a_ecx, last >= 0xA, 0xA, 0, 2);
				word_is(id.leaf0a_edx, last >= 0xA, 0xA, 0, 3);
				word_is(id.leaf23_ebx, last >= 0x23, 0x23, 0, 1);
				word_is(id.leaf23_1_eax, last >= 0x23, 0x23, 1, 0);
				word_is(id.leaf23_1_ebx, last >= 0x23, 0x23, 1, 1);
				word_is(id.ext1_ecx, ext1, 0x80000001, 0, 2);
				word_is(id.ext22_eax, ext22, 0x80000022, 0, 0);
				word_is(id.ext22_ebx, ext22, 0x80000022, 0, 1);
				/* The core type is the includer's business. */
				ck_assert_uint_eq(id.leaf1a_eax, 0);
			}
}
END_TEST

/* ---- types ---- */

START_TEST(ids_of_types)
{
	static const char *const ids[] = {
		NULL,	     "p5",	   "p5mmx",	"ppro",	      "pii",	     "piii",
		"mii",	     "winchip_c6", "winchip_2", "k7",	      "c3",	     "p4",
		"p4",	     "k8_b",	   "pentium_m", "k8_c",	      "p4m3",	     "core",
		"core2",     "fam10h",	   "bonnell",	"nehalem_ep", "westmere_sp", "sandybridge",
		"ivybridge", "fam15h",
	};
	unsigned int type;

	for (type = 0; type < ARRAY_SIZE(ids); type++) {
		const char *id = perfctr_isa_type_id(&perfctr_x86, type);

		if (ids[type])
			ck_assert_str_eq(id, ids[type]);
		else
			ck_assert_ptr_null(id);
	}
	ck_assert_ptr_null(perfctr_isa_type_id(&perfctr_x86, 26));
	ck_assert_ptr_null(perfctr_isa_type_id(&perfctr_x86, 0xFFFFFFFF));
}
END_TEST

/* The types whose rules a processor obeys, in order. */
static void has_types(const char *name, const struct perfctr_cpu *cpu, const char *types)
{
	char found[100] = "";
	unsigned int type;

	for (type = 0; type < 30; type++) {
		struct perfctr_cpu typical;
		size_t length = strlen(found);

		memset(&typical, 0xFF, sizeof(typical));
		if (!perfctr_isa_has_type(&perfctr_x86, cpu, type, &typical))
			continue;
		snprintf(found + length, sizeof(found) - length, "%s%u", length ? " " : "", type);
		ck_assert_uint_eq(typical.type, type);
		if (type == cpu->type)
			ck_assert_mem_eq(&typical, cpu, sizeof(typical));
		else
			ck_assert_str_eq(typical.id, perfctr_isa_type_id(&perfctr_x86, type));
	}
	ck_assert_msg(!strcmp(found, types), "%s: %s, and not %s", name, found, types);
}

START_TEST(types_obeyed)
{
	static const struct {
		const char *id, *types;
	} cpus[] = {
		/* No P5 can RDPMC. */
		{ "p5", "1" },
		{ "p5mmx", "1 2" },
		{ "ppro", "3 4 5 14" },
		{ "piii", "3 4 5 14" },
		{ "mii", "6" },
		{ "winchip_c6", "7 8" },
		{ "c3", "10" },
		/* The northbridge of a K8 or family 10h makes rules of its own. */
		{ "k7", "9 13 15" },
		{ "k8_b", "13 15" },
		{ "fam10h", "13 15 19" },
		{ "zen3", "9 13 15 19 25" },
		/* The models of a P4 have other ESCRs and cascades. */
		{ "p4", "11" },
		{ "p4m3", "16" },
		{ "core", "17" },
		{ "core2", "17 18" },
		/* AnyThread counts in versions 3 and 4. */
		{ "bonnell", "17 18 20" },
		{ "nehalem_ep", "17 18 20 21" },
		{ "westmere_dp", "17 18 20 21 22" },
		{ "sandybridge", "17 18 20 21 22 23 24" },
		{ "skylake", "17 18 20 21 22 23 24" },
		{ "icelake", "17 18 24" },
	};
	struct perfctr_cpuid id = words_of("NobodyKnowsI", 0x000506E3);
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		ck_assert_int_eq(perfctr_cpu_named(cpus[i].id, &cpu), 0);
		has_types(cpus[i].id, &cpu, cpus[i].types);
	}
	cpu = identified(&id);
	has_types("generic", &cpu, "");
}
END_TEST

/* One that has a little less than a Sandy Bridge, or has one rule more. */
START_TEST(types_not_obeyed)
{
	struct perfctr_cpu cpu, typical, less;
	unsigned int i;

	ck_assert_int_eq(perfctr_cpu_named("skylake", &cpu), 0);
	ck_assert_int_eq(perfctr_isa_has_type(&perfctr_x86, &cpu, 23, &typical), 1);
	for (i = 0; i < 10; i++) {
		less = cpu;
		switch (i) {
		case 0: less.rules = PERFCTR_RULES_P6; break;
		case 1: less.counters = 0xFFFFFFF7; break;
		case 2: less.fixed = 0xFFFFFFFB; break;
		case 3: less.reserved |= 1u << 25; break;
		case 4: less.offcore = 1; break;
		case 5: less.offcore_width = 37; break;
		case 6: less.pcint = 0; break;
		case 7: less.no_tsc = 1; break;
		case 8: less.no_rdpmc = 1; break;
		case 9: less.outstanding = 1; break;
		}
		ck_assert_msg(perfctr_isa_has_type(&perfctr_x86, &less, 23, &typical) == 0,
			      "case %u", i);
	}
	/* More is no harm. */
	cpu.counters |= 0xF0;
	cpu.fixed |= 8;
	cpu.reserved &= ~(1ull << 32);
	cpu.offcore = 3;
	cpu.offcore_width = 39;
	cpu.outstanding = 1;
	ck_assert_int_eq(perfctr_isa_has_type(&perfctr_x86, &cpu, 23, &typical), 1);
	ck_assert_uint_eq(typical.counters, 0xF);
	/* The processor's own type is what this very one has. */
	cpu.counters = 1;
	ck_assert_int_eq(perfctr_isa_has_type(&perfctr_x86, &cpu, 24, &typical), 1);
	ck_assert_uint_eq(typical.counters, 1);
	cpu.counters = 0;
	ck_assert_int_eq(perfctr_isa_has_type(&perfctr_x86, &cpu, 24, &typical), 0);
}
END_TEST

/* Models 0 and 1, 2, and those after are three types. */
START_TEST(types_of_p4)
{
	static const struct {
		uint32_t signature;
		const char *types;
	} cpus[] = { { 0xF00, "11" }, { 0xF20, "12" }, { 0xF30, "16" } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		struct perfctr_cpuid id = words_of(INTEL, cpus[i].signature);
		struct perfctr_cpu cpu = identified(&id);

		has_types("P4", &cpu, cpus[i].types);
	}
}
END_TEST

UNIT_MAIN("cpus_x86", 60, typical_ones, signatures, names, no_tsc, hyper_threading, amd_counters,
	  leaf_0a_counters, leaf_0a_fixed_counters, leaf_0a_any_thread, leaf_23, transactions,
	  hybrids, frontend, words_read, ids_of_types, types_obeyed, types_not_obeyed, types_of_p4)
