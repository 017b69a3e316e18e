// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * Identification of x86 processors: this is the one list of them.
 *
 * Sources: Intel SDM vol. 4 table 2-1 (models), vol. 2 CPUID (leaves 0AH, 1AH, 23H), vol. 3B 20.2;
 * intel/perfmon mapfile.csv (models of event tables); AMD 25481 (CPUID specification), the Revision
 * Guides 25759 (K8), 41322 (10h), 48063 (15h), 51810 (16h), 55449 (17h), 56683 (19h), 58251 (1Ah);
 * models of Zen 5 and 6: bsp_init_amd() of Linux 7.3; APM vol. 3 Fn8000_0001 and Fn8000_0022; Cyrix
 * 6x86MX data book; IDT WinChip and VIA C3 data sheets.
 */
#include "arch/x86/x86.h"

/* Event select bits that must be clear, before those that CPUID says exist. SDM vol. 3B 20.2.1.1.
 */
#define HIGH		 0xFFFFFFFF00000000u
#define P6_RESERVED	 (HIGH | 0x00280000u) /* 21, 19 */
#define P5_RESERVED	 (HIGH | 0xFFFFFE00u)
#define MII_RESERVED	 (HIGH | 0xFFFFFA00u)
#define WINCHIP_RESERVED (HIGH | 0xFFFFFF00u)
#define C3_RESERVED	 (HIGH | 0xFFFFFE00u)
#define AMD_RESERVED	 0xFFFFFCF000280000u /* all but 35-32 and 41-40 above, 21, 19 */
#define ARCH_PC		 0x00080000u	     /* 19: pin control drives pins */
#define ARCH_PC_ANY	 0x00280000u	     /* the same, and 21: AnyThread */
#define UMASK2		 0x0000FF0000000000u /* 47-40, version 6 */
#define EQ		 0x0000001000000000u /* 36, version 6 */

enum vendor { INTEL, AMD, CYRIX, CENTAUR };

/*
 * The properties of the core types. Where CPUID gives them, they are those of a typical processor,
 * without a hypervisor. Offcore responses have 38 bits since Sandy Bridge (SDM vol. 3B 20.3.4.5),
 * or more. Bits among them that fault if they are set are those that perf_events refuses
 * (arch/x86/events/intel/core.c of Linux 7.3, the valid masks of its extra registers), but for
 * those that Intel's own list of events for the processor sets on Goldmont Plus (22) and Knights
 * Landing (3, 4, 8, 11 and, in the second, 14). From version 5 on AnyThread is deprecated.
 */
/* clang-format off */
enum design {
	D_P5, D_P5MMX, D_MII, D_WINCHIP, D_C3, D_P6, D_P4,
	D_CORE, D_CORE2, D_BONNELL, D_SILVERMONT, D_KNIGHTSLANDING, D_NEHALEM, D_WESTMERE, D_SANDYBRIDGE,
	D_HASWELL, D_SKYLAKE, D_GOLDMONT, D_GOLDMONTPLUS, D_TREMONT, D_ICELAKE, D_GOLDENCOVE, D_GRACEMONT,
	D_CRESTMONT, D_LIONCOVE, D_SKYMONT, D_COYOTECOVE, D_ARCTICWOLF, D_ANY_ARCH,
	D_K7, D_K8, D_FAM10H, D_FAM15H, D_FAM16H, D_ZEN,
};

#define FIRST(n) ((1u << (n)) - 1)
#define ARCH_RESERVED(version) \
	(HIGH | ((version) < 3 || (version) >= 5 ? ARCH_PC_ANY : ARCH_PC))
#define ARCH(v, n, bits, set) \
	.rules = PERFCTR_RULES_ARCH, .version = v, .counters = FIRST(n), .width = bits, .fixed = set, \
	.fixed_width = (set) ? bits : 0, .pcint = 1, \
	.reserved = ARCH_RESERVED(v) & ~((v) >= 6 ? UMASK2 | EQ : 0)
#define OFFCORE(n, bits) .offcore = n, .offcore_width = bits
#define HOLES(set) .offcore_holes = set
#define OMR .omr = 1
#define OUTSTANDING .outstanding = 1
#define FRONTEND(holes) .frontend = 1, .frontend_holes = holes
#define OTHER(family, n, bits, bad) \
	.rules = PERFCTR_RULES_##family, .counters = FIRST(n), .width = bits, .reserved = bad

static const struct perfctr_cpu designs[] = {
	[D_P5]		= { OTHER(P5, 2, 40, P5_RESERVED), .no_rdpmc = 1 },
	[D_P5MMX]	= { OTHER(P5, 2, 40, P5_RESERVED) },
	[D_MII]		= { OTHER(MII, 2, 48, MII_RESERVED) },
	[D_WINCHIP]	= { OTHER(WINCHIP, 2, 40, WINCHIP_RESERVED), .no_tsc = 1 },
	[D_C3]		= { .rules = PERFCTR_RULES_C3, .counters = 0x2, .width = 32, .reserved = C3_RESERVED },
	[D_P6]		= { OTHER(P6, 2, 40, P6_RESERVED), .pcint = 1 },
	[D_P4]		= { OTHER(P4, 18, 40, 0), .pcint = 1 },
	[D_CORE]	= { ARCH(1, 2, 40, 0) },
	[D_CORE2]	= { ARCH(2, 2, 40, 0x7) },
	[D_BONNELL]	= { ARCH(3, 2, 40, 0x7) },
	[D_SILVERMONT]	= { ARCH(3, 2, 40, 0x7), OFFCORE(2, 39), OUTSTANDING, HOLES(0x097FFA0000) },
	[D_KNIGHTSLANDING] = { ARCH(3, 2, 40, 0x7), OFFCORE(2, 39), OUTSTANDING, HOLES(0x0660040000) },
	[D_NEHALEM]	= { ARCH(3, 4, 48, 0x7), OFFCORE(1, 16) },
	[D_WESTMERE]	= { ARCH(3, 4, 48, 0x7), OFFCORE(2, 16) },
	[D_SANDYBRIDGE]	= { ARCH(3, 4, 48, 0x7), OFFCORE(2, 38), HOLES(0x7F807000) },
	[D_HASWELL]	= { ARCH(3, 4, 48, 0x7), OFFCORE(2, 38), HOLES(0x7000) },
	[D_SKYLAKE]	= { ARCH(4, 4, 48, 0x7), OFFCORE(2, 38), HOLES(0x7000), FRONTEND(0xE8) },
	[D_GOLDMONT]	= { ARCH(4, 4, 48, 0x7), OFFCORE(2, 39), OUTSTANDING, HOLES(0x09FFFA0040) },
	[D_GOLDMONTPLUS] = { ARCH(4, 4, 48, 0x7), OFFCORE(2, 39), OUTSTANDING, HOLES(0x09FFBA0040) },
	[D_TREMONT]	= { ARCH(5, 4, 48, 0x7), OFFCORE(2, 64), OUTSTANDING, HOLES(0x7FF00F0000006000) },
	[D_ICELAKE]	= { ARCH(5, 8, 48, 0xF), OFFCORE(2, 38), HOLES(0x4000), FRONTEND(0xE8) },
	[D_GOLDENCOVE]	= { ARCH(5, 8, 48, 0xF), OFFCORE(2, 38), FRONTEND(0xE0) },
	[D_GRACEMONT]	= { ARCH(5, 6, 48, 0x7), OFFCORE(2, 64), OUTSTANDING, HOLES(0x7FFC0FC000000000) },
	[D_CRESTMONT]	= { ARCH(5, 8, 48, 0x7), OFFCORE(2, 64), OUTSTANDING, HOLES(0x7FF00C0000000000) },
	[D_LIONCOVE]	= { ARCH(6, 10, 48, 0xF), OFFCORE(2, 44), FRONTEND(0xE0) },
	[D_SKYMONT]	= { ARCH(6, 8, 48, 0x77), OFFCORE(2, 64), OUTSTANDING, HOLES(0x7FF00C0000000000) },
	[D_COYOTECOVE]	= { ARCH(6, 10, 48, 0xF), OFFCORE(2, 63), OMR, HOLES(0x3F000000FFFF0000), FRONTEND(0xE0) },
	[D_ARCTICWOLF]	= { ARCH(6, 8, 48, 0x77), OFFCORE(2, 64), OMR, HOLES(0x3F00000000000000) },
	[D_ANY_ARCH]	= { ARCH(3, 4, 48, 0x7), OFFCORE(2, 38), .frontend = 1 },
	[D_K7]		= { OTHER(K7, 4, 48, HIGH | AMD_RESERVED), .pcint = 1 },
	[D_K8]		= { OTHER(K7, 4, 48, HIGH | AMD_RESERVED), .pcint = 1, .northbridge = 1 },
	[D_FAM10H]	= { OTHER(K7, 4, 48, AMD_RESERVED), .pcint = 1, .northbridge = 1 },
	[D_FAM15H]	= { OTHER(K7, 6, 48, AMD_RESERVED), .pcint = 1, .ext_core = 1 },
	[D_FAM16H]	= { OTHER(K7, 4, 48, AMD_RESERVED), .pcint = 1 },
	[D_ZEN]		= { OTHER(K7, 6, 48, AMD_RESERVED), .pcint = 1, .ext_core = 1, .pairs = 1 },
};
/* clang-format on */

/*
 * The core types of a hybrid processor (leaf 1AH, EAX 31-24). A processor with two types of small
 * cores tells them apart by the native model (EAX 23-0), which is in the low bits here.
 */
enum { ANY = 0, ATOM = 0x20, ATOM_2 = 0x22, CORE = 0x40 };

#define MODELS 8

struct processor {
	char id[24];
	char name[40];
	uint8_t vendor, family, type, design, kind;
	uint8_t models[MODELS]; /* unused places repeat 0 after the first */
	uint8_t model_last;	/* if not 0: every model from models[0] to this one */
	uint8_t step_first, step_last;
};

/* clang-format off */
#define P(id, name, vendor, family, type, design, kind, step0, step1, last, ...) \
	{ id, name, vendor, family, PERFCTR_X86_##type, D_##design, kind, { __VA_ARGS__ }, last, step0, step1 }
/* Models of Intel's family 6, one by one. */
#define I6(id, name, type, design, ...) \
	P(id, name, INTEL, 6, INTEL_##type, design, ANY, 0, 15, 0, __VA_ARGS__)
#define HYBRID(id, name, design, kind, ...) \
	P(id, name, INTEL, 6, INTEL_ARCH, design, kind, 0, 15, 0, __VA_ARGS__)
/* A range of models. */
#define RANGE(id, name, vendor, family, type, design, first, last) \
	P(id, name, vendor, family, type, design, ANY, 0, 15, last, first)

/*
 * The first that fits is taken. An id names the event table, so several rows may have the same;
 * these stand together.
 */
static const struct processor processors[] = {
	P("p5mmx", "Intel Pentium MMX", INTEL, 5, INTEL_P5MMX, P5MMX, ANY, 0, 15, 0, 4, 8),
	RANGE("p5", "Intel Pentium", INTEL, 5, INTEL_P5, P5, 0, 8),
	RANGE("p4", "Intel Pentium 4 (model 0 or 1)", INTEL, 15, INTEL_P4, P4, 0, 1),
	P("p4", "Intel Pentium 4 (model 2)", INTEL, 15, INTEL_P4M2, P4, ANY, 0, 15, 0, 2),
	RANGE("p4m3", "Intel Pentium 4 (model 3 or later)", INTEL, 15, INTEL_P4M3, P4, 3, 255),

	I6("ppro", "Intel Pentium Pro", P6, P6, 0x01),
	I6("pii", "Intel Pentium II", PII, P6, 0x03, 0x05, 0x06),
	I6("piii", "Intel Pentium III", PIII, P6, 0x07, 0x08, 0x0A, 0x0B),
	I6("pentium_m", "Intel Pentium M", PENTM, P6, 0x09, 0x0D),
	I6("core", "Intel Core", CORE, CORE, 0x0E),
	I6("core2", "Intel Core 2", CORE2, CORE2, 0x0F, 0x16, 0x17, 0x1D),
	I6("nehalem_ep", "Intel Nehalem", NHLM, NEHALEM, 0x1A, 0x1E, 0x1F),
	I6("nehalem_ex", "Intel Nehalem-EX", NHLM, NEHALEM, 0x2E),
	I6("westmere_sp", "Intel Westmere, client", WSTMR, WESTMERE, 0x25),
	I6("westmere_dp", "Intel Westmere-EP", WSTMR, WESTMERE, 0x2C),
	I6("westmere_ex", "Intel Westmere-EX", WSTMR, WESTMERE, 0x2F),
	I6("sandybridge", "Intel Sandy Bridge", SNB, SANDYBRIDGE, 0x2A),
	I6("jaketown", "Intel Sandy Bridge-EP", SNB, HASWELL, 0x2D),
	I6("ivybridge", "Intel Ivy Bridge", ARCH, SANDYBRIDGE, 0x3A),
	I6("ivytown", "Intel Ivy Bridge-EP", ARCH, HASWELL, 0x3E),
	I6("haswell", "Intel Haswell", ARCH, HASWELL, 0x3C, 0x45, 0x46),
	I6("haswellx", "Intel Haswell-EP", ARCH, HASWELL, 0x3F),
	I6("broadwell", "Intel Broadwell", ARCH, HASWELL, 0x3D, 0x47),
	I6("broadwellde", "Intel Broadwell-DE", ARCH, HASWELL, 0x56),
	I6("broadwellx", "Intel Broadwell-EP", ARCH, HASWELL, 0x4F),
	I6("skylake", "Intel Skylake, client", ARCH, SKYLAKE, 0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6),
	P("skylakex", "Intel Skylake-SP", INTEL, 6, INTEL_ARCH, SKYLAKE, ANY, 0, 4, 0, 0x55),
	P("cascadelakex", "Intel Cascade Lake", INTEL, 6, INTEL_ARCH, SKYLAKE, ANY, 5, 15, 0, 0x55),
	I6("icelake", "Intel Ice Lake, client", ARCH, ICELAKE, 0x7D, 0x7E),
	I6("icelakex", "Intel Ice Lake-SP", ARCH, ICELAKE, 0x6A, 0x6C),
	I6("tigerlake", "Intel Tiger Lake", ARCH, ICELAKE, 0x8C, 0x8D),
	I6("rocketlake", "Intel Rocket Lake", ARCH, ICELAKE, 0xA7),
	I6("sapphirerapids", "Intel Sapphire Rapids", ARCH, GOLDENCOVE, 0x8F),
	I6("emeraldrapids", "Intel Emerald Rapids", ARCH, GOLDENCOVE, 0xCF),
	I6("graniterapids", "Intel Granite Rapids", ARCH, GOLDENCOVE, 0xAD, 0xAE),

	I6("bonnell", "Intel Atom (Bonnell)", ATOM, BONNELL, 0x1C, 0x26, 0x27, 0x35, 0x36),
	I6("silvermont", "Intel Atom (Silvermont)", ARCH, SILVERMONT, 0x37, 0x4A, 0x4C, 0x4D, 0x5A, 0x5D, 0x75),
	I6("goldmont", "Intel Atom (Goldmont)", ARCH, GOLDMONT, 0x5C, 0x5F),
	I6("goldmontplus", "Intel Atom (Goldmont Plus)", ARCH, GOLDMONTPLUS, 0x7A),
	I6("snowridgex", "Intel Atom (Tremont, Snow Ridge)", ARCH, TREMONT, 0x86),
	I6("elkhartlake", "Intel Atom (Tremont)", ARCH, TREMONT, 0x96, 0x9C),
	I6("knightslanding", "Intel Xeon Phi (Knights Landing)", ARCH, KNIGHTSLANDING, 0x57, 0x85),
	I6("sierraforest", "Intel Sierra Forest", ARCH, CRESTMONT, 0xAF),
	I6("grandridge", "Intel Grand Ridge", ARCH, CRESTMONT, 0xB6),
	I6("clearwaterforest", "Intel Clearwater Forest", ARCH, SKYMONT, 0xDD),

	/* Hybrid processors. Without the leaf, as some hypervisors have it, P-cores are taken. */
	HYBRID("gracemont", "Intel Alder Lake, E-core", GRACEMONT, ATOM, 0x97, 0x9A, 0xB7, 0xBA, 0xBF),
	I6("gracemont", "Intel Alder Lake-N", ARCH, GRACEMONT, 0xBE),
	I6("goldencove", "Intel Alder Lake, P-core", ARCH, GOLDENCOVE, 0x97, 0x9A, 0xB7, 0xBA, 0xBF, 0xD7),
	HYBRID("crestmont", "Intel Meteor Lake, E-core", CRESTMONT, ATOM, 0xAA, 0xAC, 0xB5),
	HYBRID("crestmont", "Intel Arrow Lake, LPE-core", CRESTMONT, ATOM_2, 0xC5),
	I6("redwoodcove", "Intel Meteor Lake, P-core", ARCH, GOLDENCOVE, 0xAA, 0xAC, 0xB5),
	HYBRID("skymont", "Intel Lunar Lake, E-core", SKYMONT, ATOM, 0xBD),
	I6("lioncove", "Intel Lunar Lake, P-core", ARCH, LIONCOVE, 0xBD),
	HYBRID("arl_skymont", "Intel Arrow Lake, E-core", SKYMONT, ATOM, 0xC5, 0xC6),
	I6("arl_lioncove", "Intel Arrow Lake, P-core", ARCH, LIONCOVE, 0xC5, 0xC6),
	HYBRID("darkmont", "Intel Panther Lake, E-core", SKYMONT, ATOM, 0xCC, 0xD5, 0xE5),
	I6("cougarcove", "Intel Panther Lake, P-core", ARCH, LIONCOVE, 0xCC, 0xD5, 0xE5),
	P("arcticwolf", "Intel Nova Lake, E-core", INTEL, 18, INTEL_ARCH, ARCTICWOLF, ATOM, 0, 15, 0, 1, 3),
	P("coyotecove", "Intel Nova Lake, P-core", INTEL, 18, INTEL_ARCH, COYOTECOVE, ANY, 0, 15, 0, 1, 3),
	/* These take all later models: leaf 0AH describes them. */
	RANGE("architectural", "Intel with architectural counters", INTEL, 6, INTEL_ARCH, ANY_ARCH, 0x0E, 255),
	RANGE("architectural", "Intel with architectural counters", INTEL, 18, INTEL_ARCH, ANY_ARCH, 0, 255),
	RANGE("architectural", "Intel with architectural counters", INTEL, 19, INTEL_ARCH, ANY_ARCH, 0, 255),

	RANGE("k7", "AMD K7", AMD, 6, AMD_K7, K7, 0, 255),
	/* Revision C: models 4 and 5 from stepping 8 on, and all later models. */
	P("k8_b", "AMD K8, revision B", AMD, 15, AMD_K8, K8, ANY, 0, 7, 5, 4),
	RANGE("k8_b", "AMD K8, revision A", AMD, 15, AMD_K8, K8, 0, 3),
	RANGE("k8_c", "AMD K8, revision C to G", AMD, 15, AMD_K8C, K8, 4, 255),
	RANGE("fam10h", "AMD Family 10h", AMD, 0x10, AMD_FAM10H, FAM10H, 0, 255),
	RANGE("fam11h", "AMD Family 11h", AMD, 0x11, AMD_K8C, FAM10H, 0, 255),
	RANGE("fam12h", "AMD Family 12h", AMD, 0x12, AMD_FAM10H, FAM10H, 0, 255),
	RANGE("fam14h", "AMD Family 14h", AMD, 0x14, AMD_FAM10H, FAM10H, 0, 255),
	RANGE("fam15h", "AMD Family 15h", AMD, 0x15, AMD_CORE, FAM15H, 0, 255),
	RANGE("fam16h", "AMD Family 16h", AMD, 0x16, AMD_CORE, FAM16H, 0, 255),
	RANGE("zen1", "AMD Zen", AMD, 0x17, AMD_CORE, ZEN, 0, 0x2F),
	RANGE("zen1", "AMD Zen", AMD, 0x17, AMD_CORE, ZEN, 0x50, 0x5F),
	RANGE("zen1", "Hygon Dhyana", AMD, 0x18, AMD_CORE, ZEN, 0, 255),
	RANGE("zen2", "AMD Zen 2", AMD, 0x17, AMD_CORE, ZEN, 0x30, 255),
	RANGE("zen3", "AMD Zen 3", AMD, 0x19, AMD_CORE, ZEN, 0, 0x0F),
	RANGE("zen3", "AMD Zen 3", AMD, 0x19, AMD_CORE, ZEN, 0x20, 0x5F),
	RANGE("zen4", "AMD Zen 4", AMD, 0x19, AMD_CORE, ZEN, 0x10, 0x1F),
	RANGE("zen4", "AMD Zen 4", AMD, 0x19, AMD_CORE, ZEN, 0x60, 255),
	RANGE("zen5", "AMD Zen 5", AMD, 0x1A, AMD_CORE, ZEN, 0, 0x4F),
	RANGE("zen5", "AMD Zen 5", AMD, 0x1A, AMD_CORE, ZEN, 0x60, 0x7F),
	RANGE("zen5", "AMD Zen 5", AMD, 0x1A, AMD_CORE, ZEN, 0xD0, 0xD7),
	RANGE("zen6", "AMD Zen 6", AMD, 0x1A, AMD_CORE, ZEN, 0x50, 0x5F),
	RANGE("zen6", "AMD Zen 6", AMD, 0x1A, AMD_CORE, ZEN, 0x80, 255),

	RANGE("mii", "Cyrix 6x86MX/MII/III", CYRIX, 6, CYRIX_MII, MII, 0, 15),
	P("winchip_c6", "IDT WinChip C6", CENTAUR, 5, WINCHIP_C6, WINCHIP, ANY, 0, 15, 0, 4),
	P("winchip_2", "IDT WinChip 2/3", CENTAUR, 5, WINCHIP_2, WINCHIP, ANY, 0, 15, 0, 8, 9),
	/* Nehemiah (9) included; model 10 is the C7. */
	RANGE("c3", "VIA C3", CENTAUR, 6, VIA_C3, C3, 6, 9),
};
/* clang-format on */

#define PROCESSORS (sizeof(processors) / sizeof(processors[0]))

const char perfctr_x86_types[PERFCTR_X86_TYPES][48] = {
	[PERFCTR_X86_GENERIC] = "Generic x86 with TSC",
	[PERFCTR_X86_INTEL_P5] = "Intel Pentium",
	[PERFCTR_X86_INTEL_P5MMX] = "Intel Pentium MMX",
	[PERFCTR_X86_INTEL_P6] = "Intel Pentium Pro",
	[PERFCTR_X86_INTEL_PII] = "Intel Pentium II",
	[PERFCTR_X86_INTEL_PIII] = "Intel Pentium III",
	[PERFCTR_X86_CYRIX_MII] = "Cyrix 6x86MX/MII/III",
	[PERFCTR_X86_WINCHIP_C6] = "WinChip C6",
	[PERFCTR_X86_WINCHIP_2] = "WinChip 2/3",
	[PERFCTR_X86_AMD_K7] = "AMD K7",
	[PERFCTR_X86_VIA_C3] = "VIA C3",
	[PERFCTR_X86_INTEL_P4] = "Intel Pentium 4",
	[PERFCTR_X86_INTEL_P4M2] = "Intel Pentium 4 Model 2",
	[PERFCTR_X86_AMD_K8] = "AMD K8",
	[PERFCTR_X86_INTEL_PENTM] = "Intel Pentium M",
	[PERFCTR_X86_AMD_K8C] = "AMD K8 Revision C",
	[PERFCTR_X86_INTEL_P4M3] = "Intel Pentium 4 Model 3",
	[PERFCTR_X86_INTEL_CORE] = "Intel Core",
	[PERFCTR_X86_INTEL_CORE2] = "Intel Core 2",
	[PERFCTR_X86_AMD_FAM10H] = "AMD Family 10h",
	[PERFCTR_X86_INTEL_ATOM] = "Intel Atom",
	[PERFCTR_X86_INTEL_NHLM] = "Intel Nehalem",
	[PERFCTR_X86_INTEL_WSTMR] = "Intel Westmere",
	[PERFCTR_X86_INTEL_SNB] = "Intel Sandy Bridge",
	[PERFCTR_X86_INTEL_ARCH] = "Intel with architectural performance monitoring",
	[PERFCTR_X86_AMD_CORE] = "AMD Family 15h or later",
};

/* ---- a type's properties that CPUID does not give ---- */

static unsigned int core_kind(const struct perfctr_cpuid *id)
{
	if (!(id->leaf7_edx & 1u << 15))
		return ANY;
	return id->leaf1a_eax >> 24 | ((id->leaf1a_eax & 0xFFFFFF) == 2 ? 2 : 0);
}

/* K8 of revision E, the first with two cores: HTT, and the number of logical processors. */
static unsigned int resets_northbridge(const struct perfctr_cpuid *id, unsigned int model,
				       const struct perfctr_cpu *cpu)
{
	return perfctr_same_id(cpu->id, "k8_c") && model >= 0x20 && model < 0x40 &&
	       id->leaf1_edx >> 28 & 1 && (id->leaf1_ebx >> 16 & 0xFF) > 1;
}

/* A hypervisor may leave no counters: -1. */
static int describe_amd(const struct perfctr_cpuid *id, unsigned int model, struct perfctr_cpu *cpu)
{
	unsigned int n;

	cpu->nb_resets = resets_northbridge(id, model, cpu) & 1;
	if (cpu->type != PERFCTR_X86_AMD_CORE)
		return 0;
	cpu->ext_core = id->ext1_ecx >> 23 & 1;
	cpu->pairs &= cpu->ext_core;
	n = cpu->ext_core ? 6 : 4;
	if (id->ext22_eax & 1) {
		cpu->version = 2;
		/* There are as many as there are places for, which RDPMC does not use otherwise. */
		if ((id->ext22_ebx & 0xF) < n)
			n = id->ext22_ebx & 0xF;
	}
	cpu->counters = FIRST(n);
	return n ? 0 : -1;
}

/* Intel's leaves 0AH and 23H. A hypervisor that hides them, or counters in them, is believed. */
static int describe_arch(const struct perfctr_cpuid *id, struct perfctr_cpu *cpu)
{
	uint32_t version = id->leaf0a_eax & 0xFF, n = id->leaf0a_eax >> 8 & 0xFF;
	uint32_t fixed = id->leaf0a_edx & 0x1F;
	uint32_t width = id->leaf0a_eax >> 16 & 0xFF;
	unsigned int kind = core_kind(id) & 0xF0;

	/* Broken hypervisors say version 255, or counters of 3 bits. */
	if (id->max_leaf < 0xA || version == 0 || version > 15 || n == 0 || width < 32 ||
	    width > 64)
		return -1;
	cpu->version = version;
	cpu->counters = n >= 32 ? 0xFFFFFFFF : FIRST(n);
	cpu->width = width;
	cpu->fixed = cpu->fixed_width = 0;
	if (version >= 2) {
		uint32_t fixed_width = id->leaf0a_edx >> 5 & 0xFF;

		/*
		 * Before version 5 some processors do not say that they have three. A hypervisor's
		 * number is right.
		 */
		if (version < 5 && fixed < 3 && !(id->leaf1_ecx & PERFCTR_CPUID_HYPERVISOR)) {
			fixed = 3;
			fixed_width = fixed_width ? fixed_width : width;
		}
		cpu->fixed = FIRST(fixed);
		if (version >= 5)
			cpu->fixed |= id->leaf0a_ecx;
		if (id->leaf7_1_eax & 1u << 8 && id->max_leaf >= 0x23 && id->leaf23_1_ebx)
			cpu->fixed = id->leaf23_1_ebx;
		cpu->fixed_width = fixed_width;
		if (fixed_width < 32 || fixed_width > 64)
			cpu->fixed = cpu->fixed_width = 0;
	}
	cpu->reserved = HIGH | (version < 3 || id->leaf0a_edx & 1u << 15 ? ARCH_PC_ANY : ARCH_PC);
	if (id->leaf7_1_eax & 1u << 8 && id->max_leaf >= 0x23) {
		if (id->leaf23_1_eax)
			cpu->counters = id->leaf23_1_eax;
		if (id->leaf23_ebx & 1)
			cpu->reserved &= ~UMASK2;
		if (id->leaf23_ebx & 2)
			cpu->reserved &= ~EQ;
	}
	/* A hybrid's leaf has what not all its core types have. */
	if (!(id->leaf7_edx & 1u << 15))
		cpu->absent = id->leaf0a_ebx & (uint32_t)perfctr_mask(id->leaf0a_eax >> 24);
	/*
	 * However many a hypervisor says there are: before version 6 the registers after the tenth
	 * event select, and after the seventh fixed counter, are other things; IA32_FIXED_CTR_CTRL
	 * has room for 16.
	 */
	cpu->counters &= version >= 6 ? 0xFFFFFFFF : 0x3FF;
	cpu->fixed &= version >= 6 ? 0xFFFF : 0x7F;
	if (!cpu->counters)
		return -1;
	/* IN_TX and IN_TXCP, where transactions exist and were not switched off by microcode. */
	if (id->leaf7_ebx & 1u << 11 && !(id->leaf7_edx & 1u << 11))
		cpu->reserved &= ~(3ull << 32);
	/*
	 * The first hybrids' leaf 0AH has the properties that both core types share: the P-cores
	 * have two counters and the fixed counter of slots more.
	 */
	if (kind == CORE && n == 6 && cpu->fixed == 7 && version == 5) {
		cpu->counters = 0xFF;
		cpu->fixed = 0xF;
	}
	return 0;
}

/* Takes the properties that CPUID gives. -1: there are no counters. */
static int describe(const struct perfctr_cpuid *id, unsigned int model, struct perfctr_cpu *cpu)
{
	switch (cpu->rules) {
	case PERFCTR_RULES_P4:
		cpu->p4_model = model;
		/*
		 * HTT says that the package has more than one logical processor; this compares them
		 * with its cores.
		 */
		cpu->ht = id->leaf1_edx >> 28 & 1 &&
			  (id->leaf1_ebx >> 16 & 0xFF) > (id->leaf4_eax >> 26) + 1;
		return 0;
	case PERFCTR_RULES_K7: return describe_amd(id, model, cpu);
	case PERFCTR_RULES_ARCH: return describe_arch(id, cpu);
	default: return 0;
	}
}

static void generic(struct perfctr_cpu *cpu)
{
	static const struct perfctr_cpu none;

	*cpu = none;
	cpu->name = perfctr_x86_types[PERFCTR_X86_GENERIC];
	cpu->id = "";
}

static void begin(const struct processor *p, struct perfctr_cpu *cpu)
{
	*cpu = designs[p->design];
	cpu->name = p->name;
	cpu->id = p->id;
	cpu->type = p->type;
}

/* Skylake's version 4 brought MSR_PEBS_FRONTEND to the big cores. */
static void end(struct perfctr_cpu *cpu)
{
	cpu->frontend = cpu->frontend && cpu->version >= 4;
}

int perfctr_x86_typical(unsigned int n, struct perfctr_cpu *cpu)
{
	if (n >= PROCESSORS)
		return -1;
	begin(&processors[n], cpu);
	if (cpu->rules == PERFCTR_RULES_P4)
		cpu->p4_model = processors[n].models[0];
	end(cpu);
	return 0;
}

/* ---- which one it is ---- */

static int vendor_is(const struct perfctr_cpuid *id, const char *vendor)
{
	unsigned int i;

	for (i = 0; i < sizeof(id->vendor); i++)
		if (id->vendor[i] != vendor[i])
			return 0;
	return 1;
}

static int vendor_of(const struct perfctr_cpuid *id)
{
	if (vendor_is(id, "GenuineIntel"))
		return INTEL;
	if (vendor_is(id, "AuthenticAMD") || vendor_is(id, "HygonGenuine"))
		return AMD;
	if (vendor_is(id, "CyrixInstead"))
		return CYRIX;
	return vendor_is(id, "CentaurHauls") ? CENTAUR : -1;
}

static int has_model(const struct processor *p, unsigned int model)
{
	unsigned int i;

	if (p->model_last)
		return model >= p->models[0] && model <= p->model_last;
	for (i = 0; i < MODELS && (i == 0 || p->models[i]); i++)
		if (p->models[i] == model)
			return 1;
	return 0;
}

void perfctr_x86_identify(const struct perfctr_cpuid *id, struct perfctr_cpu *cpu)
{
	unsigned int stepping = id->signature & 0xF;
	unsigned int family = id->signature >> 8 & 0xF;
	unsigned int model = id->signature >> 4 & 0xF;
	unsigned int kind = core_kind(id);
	const struct processor *p;
	int vendor = vendor_of(id);

	if (family == 15)
		family += id->signature >> 20 & 0xFF;
	if (family == 6 || family >= 15)
		model |= id->signature >> 12 & 0xF0;
	for (p = processors; p < processors + PROCESSORS; p++)
		if (p->vendor == vendor && p->family == family && has_model(p, model) &&
		    stepping >= p->step_first && stepping <= p->step_last &&
		    (p->kind == ANY || (p->kind & kind) == p->kind))
			break;
	if (p < processors + PROCESSORS)
		begin(p, cpu);
	if (p == processors + PROCESSORS || describe(id, model, cpu) < 0)
		generic(cpu);
	end(cpu);
	if (!(id->leaf1_edx & PERFCTR_CPUID_TSC))
		cpu->no_tsc = 1;
}
