// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * Identification of x86 processors: the one list of those that libperfctr knows.
 *
 * Sources: Intel SDM vol. 4 table 2-1 (models), vol. 2 CPUID (leaves 0AH, 1AH, 23H), vol. 3B 20.2;
 * intel/perfmon mapfile.csv (models of event tables); AMD 25481 (CPUID specification), the Revision
 * Guides 25759 (K8), 41322 (10h), 48063 (15h), 51810 (16h), 55449 (17h), 56683 (19h), 58251 (1Ah);
 * APM vol. 3 Fn8000_0001 and Fn8000_0022; Cyrix 6x86MX data book; IDT WinChip and VIA C3 data
 * sheets.
 */
#include <perfctr/abi-x86.h>
#include "arch/cpu.h"

/* Event select bits that must be clear, before those that CPUID says exist. SDM vol. 3B 20.2.1.1.
 */
#define HIGH		 0xFFFFFFFF00000000u
#define P6_RESERVED	 (HIGH | 0x00280000u) /* 21, 19 */
#define P5_RESERVED	 (HIGH | 0xFFFFFE00u)
#define MII_RESERVED	 (HIGH | 0xFFFFFA00u)
#define WINCHIP_RESERVED (HIGH | 0xFFFFFF00u)
#define C3_RESERVED	 (HIGH | 0xFFFFFE00u)
#define AMD_RESERVED	 0xFFFFFFF000280000u /* above 35, 21, 19 */
#define ARCH_PC		 0x00080000u	     /* 19: pin control drives pins */
#define ARCH_ANY	 0x00200000u	     /* 21: AnyThread */

enum vendor { INTEL, AMD, CYRIX, CENTAUR };

/*
 * Which core of a hybrid processor (leaf 1AH, EAX 31-24). One that has two kinds of small cores
 * tells them apart by the native model (EAX 23-0), which is put into the low bits here.
 */
enum { ANY = 0, SMALL = 0x01, ATOM = 0x20, ATOM_2 = 0x22, CORE = 0x40 }; /* SMALL: not hybrid */

#define MODELS 8

struct processor {
	char id[24];
	char name[40];
	uint8_t vendor, family, type, kind;
	uint8_t models[MODELS]; /* unused places repeat 0 behind the first */
	uint8_t model_last;	/* if not 0: every model from models[0] to this one */
	uint8_t step_first, step_last;
};

/* clang-format off */
#define P(id, name, vendor, family, type, kind, step0, step1, last, ...) \
	{ id, name, vendor, family, PERFCTR_X86_##type, kind, { __VA_ARGS__ }, last, step0, step1 }
/* Models of Intel's family 6, one by one. */
#define I6(id, name, type, ...) P(id, name, INTEL, 6, INTEL_##type, ANY, 0, 15, 0, __VA_ARGS__)
#define HYBRID(id, name, kind, ...) \
	P(id, name, INTEL, 6, INTEL_ARCH, kind, 0, 15, 0, __VA_ARGS__)
#define ATOM6(id, name, type, ...) \
	P(id, name, INTEL, 6, INTEL_##type, SMALL, 0, 15, 0, __VA_ARGS__)
/* A range of models. */
#define RANGE(id, name, vendor, family, type, first, last) \
	P(id, name, vendor, family, type, ANY, 0, 15, last, first)

/*
 * The first that fits is taken. An id names the event table, so several rows may have the same;
 * these stand together.
 */
static const struct processor processors[] = {
	P("p5mmx", "Intel Pentium MMX", INTEL, 5, INTEL_P5MMX, ANY, 0, 15, 0, 4, 8),
	RANGE("p5", "Intel Pentium", INTEL, 5, INTEL_P5, 0, 8),
	RANGE("p4", "Intel Pentium 4 (model 0 or 1)", INTEL, 15, INTEL_P4, 0, 1),
	P("p4", "Intel Pentium 4 (model 2)", INTEL, 15, INTEL_P4M2, ANY, 0, 15, 0, 2),
	RANGE("p4m3", "Intel Pentium 4 (model 3 or later)", INTEL, 15, INTEL_P4M3, 3, 255),

	I6("ppro", "Intel Pentium Pro", P6, 0x01),
	I6("pii", "Intel Pentium II", PII, 0x03, 0x05, 0x06),
	I6("piii", "Intel Pentium III", PIII, 0x07, 0x08, 0x0A, 0x0B),
	I6("pentium_m", "Intel Pentium M", PENTM, 0x09, 0x0D),
	I6("core", "Intel Core", CORE, 0x0E),
	I6("core2", "Intel Core 2", CORE2, 0x0F, 0x16, 0x17, 0x1D),
	I6("nehalem_ep", "Intel Nehalem", NHLM, 0x1A, 0x1E, 0x1F),
	I6("nehalem_ex", "Intel Nehalem-EX", NHLM, 0x2E),
	I6("westmere_sp", "Intel Westmere, client", WSTMR, 0x25),
	I6("westmere_dp", "Intel Westmere-EP", WSTMR, 0x2C),
	I6("westmere_ex", "Intel Westmere-EX", WSTMR, 0x2F),
	I6("sandybridge", "Intel Sandy Bridge", SNB, 0x2A),
	I6("jaketown", "Intel Sandy Bridge-EP", SNB, 0x2D),
	I6("ivybridge", "Intel Ivy Bridge", ARCH, 0x3A),
	I6("ivytown", "Intel Ivy Bridge-EP", ARCH, 0x3E),
	I6("haswell", "Intel Haswell", ARCH, 0x3C, 0x45, 0x46),
	I6("haswellx", "Intel Haswell-EP", ARCH, 0x3F),
	I6("broadwell", "Intel Broadwell", ARCH, 0x3D, 0x47),
	I6("broadwellde", "Intel Broadwell-DE", ARCH, 0x56),
	I6("broadwellx", "Intel Broadwell-EP", ARCH, 0x4F),
	I6("skylake", "Intel Skylake, client", ARCH, 0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6),
	P("skylakex", "Intel Skylake-SP", INTEL, 6, INTEL_ARCH, ANY, 0, 4, 0, 0x55),
	P("cascadelakex", "Intel Cascade Lake", INTEL, 6, INTEL_ARCH, ANY, 5, 15, 0, 0x55),
	I6("icelake", "Intel Ice Lake, client", ARCH, 0x7D, 0x7E),
	I6("icelakex", "Intel Ice Lake-SP", ARCH, 0x6A, 0x6C),
	I6("tigerlake", "Intel Tiger Lake", ARCH, 0x8C, 0x8D),
	I6("rocketlake", "Intel Rocket Lake", ARCH, 0xA7),
	I6("sapphirerapids", "Intel Sapphire Rapids", ARCH, 0x8F),
	I6("emeraldrapids", "Intel Emerald Rapids", ARCH, 0xCF),
	I6("graniterapids", "Intel Granite Rapids", ARCH, 0xAD, 0xAE),

	ATOM6("bonnell", "Intel Atom (Bonnell)", ATOM, 0x1C, 0x26, 0x27, 0x35, 0x36),
	ATOM6("silvermont", "Intel Atom (Silvermont)", ARCH, 0x37, 0x4A, 0x4C, 0x4D, 0x5A, 0x5D, 0x75),
	ATOM6("goldmont", "Intel Atom (Goldmont)", ARCH, 0x5C, 0x5F),
	ATOM6("goldmontplus", "Intel Atom (Goldmont Plus)", ARCH, 0x7A),
	ATOM6("snowridgex", "Intel Atom (Tremont, Snow Ridge)", ARCH, 0x86),
	ATOM6("elkhartlake", "Intel Atom (Tremont)", ARCH, 0x96, 0x9C),
	ATOM6("knightslanding", "Intel Xeon Phi (Knights Landing)", ARCH, 0x57, 0x85),
	ATOM6("sierraforest", "Intel Sierra Forest", ARCH, 0xAF),
	ATOM6("grandridge", "Intel Grand Ridge", ARCH, 0xB6),
	ATOM6("clearwaterforest", "Intel Clearwater Forest", ARCH, 0xDD),

	/* Hybrid processors. Without the leaf, as some hypervisors have it, P-cores are taken. */
	HYBRID("gracemont", "Intel Alder Lake, E-core", ATOM, 0x97, 0x9A, 0xB7, 0xBA, 0xBF),
	I6("goldencove", "Intel Alder Lake, P-core", ARCH, 0x97, 0x9A, 0xB7, 0xBA, 0xBF, 0xD7),
	ATOM6("gracemont", "Intel Alder Lake-N", ARCH, 0xBE),
	HYBRID("crestmont", "Intel Meteor Lake, E-core", ATOM, 0xAA, 0xAC, 0xB5),
	I6("redwoodcove", "Intel Meteor Lake, P-core", ARCH, 0xAA, 0xAC, 0xB5),
	HYBRID("crestmont", "Intel Arrow Lake, LPE-core", ATOM_2, 0xC5),
	HYBRID("skymont", "Intel Lunar Lake, E-core", ATOM, 0xBD),
	I6("lioncove", "Intel Lunar Lake, P-core", ARCH, 0xBD),
	HYBRID("arl_skymont", "Intel Arrow Lake, E-core", ATOM, 0xC5, 0xC6),
	I6("arl_lioncove", "Intel Arrow Lake, P-core", ARCH, 0xC5, 0xC6),
	HYBRID("darkmont", "Intel Panther Lake, E-core", ATOM, 0xCC, 0xD5, 0xE5),
	I6("cougarcove", "Intel Panther Lake, P-core", ARCH, 0xCC, 0xD5, 0xE5),
	P("arcticwolf", "Intel Nova Lake, E-core", INTEL, 18, INTEL_ARCH, ATOM, 0, 15, 0, 1, 3),
	P("coyotecove", "Intel Nova Lake, P-core", INTEL, 18, INTEL_ARCH, ANY, 0, 15, 0, 1, 3),
	/* Whatever comes: leaf 0AH describes it. */
	RANGE("architectural", "Intel with architectural counters", INTEL, 6, INTEL_ARCH, 0x0E, 255),
	RANGE("architectural", "Intel with architectural counters", INTEL, 18, INTEL_ARCH, 0, 255),
	RANGE("architectural", "Intel with architectural counters", INTEL, 19, INTEL_ARCH, 0, 255),

	RANGE("k7", "AMD K7", AMD, 6, AMD_K7, 0, 255),
	/* Revision C: models 4 and 5 from stepping 8 on, and all later models. */
	P("k8_b", "AMD K8, revision B", AMD, 15, AMD_K8, ANY, 0, 7, 5, 4),
	RANGE("k8_b", "AMD K8, revision A", AMD, 15, AMD_K8, 0, 3),
	RANGE("k8_c", "AMD K8, revision C to G", AMD, 15, AMD_K8C, 4, 255),
	RANGE("fam10h", "AMD Family 10h", AMD, 0x10, AMD_FAM10H, 0, 255),
	RANGE("fam11h", "AMD Family 11h", AMD, 0x11, AMD_K8C, 0, 255),
	RANGE("fam12h", "AMD Family 12h", AMD, 0x12, AMD_FAM10H, 0, 255),
	RANGE("fam14h", "AMD Family 14h", AMD, 0x14, AMD_FAM10H, 0, 255),
	RANGE("fam15h", "AMD Family 15h", AMD, 0x15, AMD_CORE, 0, 255),
	RANGE("fam16h", "AMD Family 16h", AMD, 0x16, AMD_CORE, 0, 255),
	RANGE("zen1", "AMD Zen", AMD, 0x17, AMD_CORE, 0, 0x2F),
	RANGE("zen1", "AMD Zen", AMD, 0x17, AMD_CORE, 0x50, 0x5F),
	RANGE("zen2", "AMD Zen 2", AMD, 0x17, AMD_CORE, 0x30, 255),
	RANGE("zen1", "Hygon Dhyana", AMD, 0x18, AMD_CORE, 0, 255),
	RANGE("zen3", "AMD Zen 3", AMD, 0x19, AMD_CORE, 0, 0x0F),
	RANGE("zen4", "AMD Zen 4", AMD, 0x19, AMD_CORE, 0x10, 0x1F),
	RANGE("zen3", "AMD Zen 3", AMD, 0x19, AMD_CORE, 0x20, 0x5F),
	RANGE("zen4", "AMD Zen 4", AMD, 0x19, AMD_CORE, 0x60, 255),
	RANGE("zen5", "AMD Zen 5", AMD, 0x1A, AMD_CORE, 0, 0x4F),
	RANGE("zen6", "AMD Zen 6", AMD, 0x1A, AMD_CORE, 0x50, 0x5F),
	RANGE("zen5", "AMD Zen 5", AMD, 0x1A, AMD_CORE, 0x60, 0x7F),
	RANGE("zen6", "AMD Zen 6", AMD, 0x1A, AMD_CORE, 0x80, 255),

	RANGE("mii", "Cyrix 6x86MX/MII/III", CYRIX, 6, CYRIX_MII, 0, 15),
	P("winchip_c6", "IDT WinChip C6", CENTAUR, 5, WINCHIP_C6, ANY, 0, 15, 0, 4),
	P("winchip_2", "IDT WinChip 2/3", CENTAUR, 5, WINCHIP_2, ANY, 0, 15, 0, 8, 9),
	/* Nehemiah (9) included; model 10 is the C7. */
	RANGE("c3", "VIA C3", CENTAUR, 6, VIA_C3, 6, 9),
};
/* clang-format on */

#define PROCESSORS (sizeof(processors) / sizeof(processors[0]))

static const char type_names[][48] = {
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

const char *perfctr_x86_type_name(unsigned int type)
{
	return type < sizeof(type_names) / sizeof(type_names[0]) ? type_names[type] : NULL;
}

/* ---- what a type has; CPUID says the rest ---- */

static unsigned int core_kind(const struct perfctr_cpuid *id)
{
	if (!(id->leaf7_edx & 1u << 15))
		return ANY;
	return id->leaf1a_eax >> 24 | ((id->leaf1a_eax & 0xFFFFFF) == 2 ? 2 : 0);
}

static void describe_p6(struct perfctr_cpu *cpu)
{
	cpu->rules = PERFCTR_RULES_P6;
	cpu->counters = 0x3;
	cpu->width = 40;
	cpu->reserved = P6_RESERVED;
	cpu->pcint = 1;
}

static void describe_p4(const struct perfctr_cpuid *id, unsigned int model, struct perfctr_cpu *cpu)
{
	cpu->rules = PERFCTR_RULES_P4;
	cpu->counters = 0x3FFFF;
	cpu->width = 40;
	cpu->p4_model = model;
	cpu->pcint = 1;
	/* HTT: more than one logical processor in the package; more than it has cores? */
	cpu->ht = id->leaf1_edx >> 28 & 1 &&
		  (id->leaf1_ebx >> 16 & 0xFF) > (id->leaf4_eax >> 26) + 1;
}

static int describe_amd(const struct perfctr_cpuid *id, unsigned int family,
			struct perfctr_cpu *cpu)
{
	unsigned int n = 4;

	cpu->rules = PERFCTR_RULES_K7;
	cpu->width = 48;
	cpu->reserved = AMD_RESERVED;
	cpu->pcint = 1;
	switch (cpu->type) {
	case PERFCTR_X86_AMD_K7: cpu->reserved |= HIGH; break;
	case PERFCTR_X86_AMD_K8:
	case PERFCTR_X86_AMD_K8C:
		/* Family 11h is a K8 with the event selects of family 10h. */
		cpu->reserved |= family == 15 ? HIGH : 0;
		cpu->northbridge = 1;
		break;
	case PERFCTR_X86_AMD_FAM10H: cpu->northbridge = 1; break;
	default:
		cpu->ext_core = id->ext1_ecx >> 23 & 1;
		n = cpu->ext_core ? 6 : 4;
		if (id->ext22_eax & 1) {
			cpu->version = 2;
			/* As many as there are places for, which RDPMC does not use otherwise. */
			if ((id->ext22_ebx & 0xF) < n)
				n = id->ext22_ebx & 0xF;
		}
	}
	cpu->counters = (1u << n) - 1;
	return n ? 0 : -1;
}

/*
 * Bits of MSR_OFFCORE_RSP_n: 38 since Sandy Bridge (SDM vol. 3B 20.3.4.5), more where Intel's list
 * of events for the processor has them.
 */
static unsigned int offcore_width(const struct processor *p)
{
	static const struct {
		char id[24];
		uint8_t width;
	} wider[] = {
		{ "silvermont", 39 },	{ "knightslanding", 39 },   { "goldmont", 39 },
		{ "goldmontplus", 39 }, { "snowridgex", 64 },	    { "elkhartlake", 64 },
		{ "gracemont", 48 },	{ "crestmont", 48 },	    { "sierraforest", 48 },
		{ "grandridge", 48 },	{ "skymont", 52 },	    { "arl_skymont", 52 },
		{ "darkmont", 52 },	{ "clearwaterforest", 52 }, { "arcticwolf", 52 },
		{ "lioncove", 44 },	{ "arl_lioncove", 44 },	    { "cougarcove", 44 },
		{ "coyotecove", 44 },
	};
	unsigned int i;

	if (p->type == PERFCTR_X86_INTEL_NHLM || p->type == PERFCTR_X86_INTEL_WSTMR)
		return 16;
	for (i = 0; i < sizeof(wider) / sizeof(wider[0]); i++)
		if (perfctr_same_id(wider[i].id, p->id))
			return wider[i].width;
	return 38;
}

/* Intel's leaves 0AH and 23H. A hypervisor that hides them, or counters in them, is believed. */
static int describe_arch(const struct perfctr_cpuid *id, const struct processor *p,
			 struct perfctr_cpu *cpu)
{
	uint32_t version = id->leaf0a_eax & 0xFF, n = id->leaf0a_eax >> 8 & 0xFF;
	uint32_t fixed = id->leaf0a_edx & 0x1F;
	uint32_t width = id->leaf0a_eax >> 16 & 0xFF;
	unsigned int kind = core_kind(id) & 0xF0;

	/* Version 255, or counters of 3 bits, is what a broken hypervisor says. */
	if (id->max_leaf < 0xA || version == 0 || version > 15 || n == 0 || width < 32 ||
	    width > 64)
		return -1;
	cpu->rules = PERFCTR_RULES_ARCH;
	cpu->version = version;
	cpu->counters = n >= 32 ? 0xFFFFFFFF : (1u << n) - 1;
	cpu->width = width;
	if (version >= 2) {
		uint32_t fixed_width = id->leaf0a_edx >> 5 & 0xFF;

		/* Before version 5 some forget to say that they have three. A hypervisor means it.
		 */
		if (version < 5 && fixed < 3 && !(id->leaf1_ecx & PERFCTR_CPUID_HYPERVISOR)) {
			fixed = 3;
			fixed_width = fixed_width ? fixed_width : width;
		}
		cpu->fixed = (1u << fixed) - 1;
		if (version >= 5)
			cpu->fixed |= id->leaf0a_ecx;
		if (id->leaf7_1_eax & 1u << 8 && id->max_leaf >= 0x23 && id->leaf23_1_ebx)
			cpu->fixed = id->leaf23_1_ebx;
		cpu->fixed_width = fixed_width;
		if (fixed_width < 32 || fixed_width > 64)
			cpu->fixed = cpu->fixed_width = 0;
	}
	cpu->reserved = HIGH | ARCH_PC;
	if (version < 3 || id->leaf0a_edx & 1u << 15)
		cpu->reserved |= ARCH_ANY;
	if (id->leaf7_1_eax & 1u << 8 && id->max_leaf >= 0x23) {
		if (id->leaf23_1_eax)
			cpu->counters = id->leaf23_1_eax;
		if (id->leaf23_ebx & 1)
			cpu->reserved &= ~(0xFFull << 40); /* UMASK2 */
		if (id->leaf23_ebx & 2)
			cpu->reserved &= ~(1ull << 36); /* EQ */
	}
	/*
	 * However many a hypervisor says there are: before version 6 the registers behind the tenth
	 * event select, and behind the seventh fixed counter, are other things; IA32_FIXED_CTR_CTRL
	 * has room for 16.
	 */
	cpu->counters &= version >= 6 ? 0xFFFFFFFF : 0x3FF;
	cpu->fixed &= version >= 6 ? 0xFFFF : 0x7F;
	if (!cpu->counters)
		return -1;
	/* IN_TX and IN_TXCP, where transactions exist and were not switched off by microcode. */
	if (id->leaf7_ebx & 1u << 11 && !(id->leaf7_edx & 1u << 11))
		cpu->reserved &= ~(3ull << 32);
	cpu->pcint = 1;
	/*
	 * On the first hybrids leaf 0AH says what both kinds of cores have: the P-cores have two
	 * counters and the fixed counter of slots more.
	 */
	if (kind == CORE && n == 6 && cpu->fixed == 7 && version == 5) {
		cpu->counters = 0xFF;
		cpu->fixed = 0xF;
	}
	cpu->offcore_width = offcore_width(p);
	switch (cpu->type) {
	case PERFCTR_X86_INTEL_CORE:
	case PERFCTR_X86_INTEL_CORE2:
	case PERFCTR_X86_INTEL_ATOM: cpu->offcore_width = 0; break;
	case PERFCTR_X86_INTEL_NHLM:
	case PERFCTR_X86_INTEL_WSTMR:
		cpu->offcore = cpu->type == PERFCTR_X86_INTEL_NHLM ? 1 : 2;
		break;
	default:
		cpu->offcore = 2;
		/* Skylake brought it, to the big cores. */
		cpu->frontend = version >= 4 && !(p->kind & (SMALL | ATOM));
	}
	return 0;
}

static void generic(struct perfctr_cpu *cpu)
{
	static const struct perfctr_cpu none;

	*cpu = none;
	cpu->name = type_names[PERFCTR_X86_GENERIC];
	cpu->id = "";
}

static void describe(const struct processor *p, const struct perfctr_cpuid *id, unsigned int model,
		     struct perfctr_cpu *cpu)
{
	generic(cpu);
	cpu->no_tsc = !(id->leaf1_edx & PERFCTR_CPUID_TSC);
	if (!p)
		return;
	cpu->type = p->type;
	switch (p->type) {
	case PERFCTR_X86_INTEL_P5:
	case PERFCTR_X86_INTEL_P5MMX:
	case PERFCTR_X86_CYRIX_MII:
		cpu->rules = p->type == PERFCTR_X86_CYRIX_MII ? PERFCTR_RULES_MII
							      : PERFCTR_RULES_P5;
		cpu->counters = 0x3;
		cpu->width = p->type == PERFCTR_X86_CYRIX_MII ? 48 : 40;
		cpu->reserved = p->type == PERFCTR_X86_CYRIX_MII ? MII_RESERVED : P5_RESERVED;
		cpu->no_rdpmc = p->type == PERFCTR_X86_INTEL_P5;
		break;
	case PERFCTR_X86_WINCHIP_C6:
	case PERFCTR_X86_WINCHIP_2:
		cpu->rules = PERFCTR_RULES_WINCHIP;
		cpu->counters = 0x3;
		cpu->width = 40;
		cpu->reserved = WINCHIP_RESERVED;
		cpu->no_tsc = 1;
		break;
	case PERFCTR_X86_VIA_C3:
		cpu->rules = PERFCTR_RULES_C3;
		cpu->counters = 0x2;
		cpu->width = 32;
		cpu->reserved = C3_RESERVED;
		break;
	case PERFCTR_X86_INTEL_P6:
	case PERFCTR_X86_INTEL_PII:
	case PERFCTR_X86_INTEL_PIII:
	case PERFCTR_X86_INTEL_PENTM: describe_p6(cpu); break;
	case PERFCTR_X86_INTEL_P4:
	case PERFCTR_X86_INTEL_P4M2:
	case PERFCTR_X86_INTEL_P4M3: describe_p4(id, model, cpu); break;
	case PERFCTR_X86_AMD_K7:
	case PERFCTR_X86_AMD_K8:
	case PERFCTR_X86_AMD_K8C:
	case PERFCTR_X86_AMD_FAM10H:
	case PERFCTR_X86_AMD_CORE:
		if (describe_amd(id, p->family, cpu) < 0)
			goto hidden;
		break;
	default:
		if (describe_arch(id, p, cpu) < 0)
			goto hidden;
		break;
	}
	cpu->name = p->name;
	cpu->id = p->id;
	return;
hidden:
	generic(cpu);
	cpu->no_tsc = !(id->leaf1_edx & PERFCTR_CPUID_TSC);
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
	for (p = processors; p < processors + PROCESSORS; p++) {
		if (p->vendor == vendor && p->family == family && has_model(p, model) &&
		    stepping >= p->step_first && stepping <= p->step_last &&
		    ((p->kind & 0xF0) == ANY || (p->kind & kind) == p->kind)) {
			describe(p, id, model, cpu);
			return;
		}
	}
	describe(NULL, id, model, cpu);
}

/* ---- processors by id ---- */

static const struct processor *first_with(const char *id)
{
	const struct processor *p;

	for (p = processors; p < processors + PROCESSORS; p++)
		if (perfctr_same_id(p->id, id))
			return p;
	return NULL;
}

/* What CPUID says on a typical one: counters and fixed counters by generation. */
static void typical(const struct processor *p, struct perfctr_cpuid *id)
{
	static const struct perfctr_cpuid zero;
	/* Version 5 has AnyThread deprecated; fixed counters have 48 bits. */
	static const struct {
		char id[24];
		uint32_t version, n, width, fixed;
	} arch[] = {
		{ "core", 1, 2, 40, 0 },	   { "core2", 2, 2, 40, 3 },
		{ "bonnell", 3, 2, 40, 3 },	   { "silvermont", 3, 2, 40, 3 },
		{ "knightslanding", 3, 2, 40, 3 }, { "nehalem_ep", 3, 4, 48, 3 },
		{ "skylake", 4, 4, 48, 3 },	   { "goldmont", 4, 4, 48, 3 },
		{ "goldmontplus", 4, 4, 48, 3 },   { "snowridgex", 5, 4, 48, 3 },
		{ "elkhartlake", 5, 4, 48, 3 },	   { "icelake", 5, 8, 48, 4 },
		{ "gracemont", 5, 6, 48, 3 },	   { "crestmont", 5, 8, 48, 3 },
		{ "lioncove", 6, 10, 48, 4 },	   { "skymont", 6, 8, 48, 3 },
	};
	/* By id of the table above, what later ones are like. */
	static const struct {
		char id[24], like[16];
	} likes[] = {
		{ "skylakex", "skylake" },	   { "cascadelakex", "skylake" },
		{ "icelakex", "icelake" },	   { "tigerlake", "icelake" },
		{ "rocketlake", "icelake" },	   { "sapphirerapids", "icelake" },
		{ "emeraldrapids", "icelake" },	   { "graniterapids", "icelake" },
		{ "goldencove", "icelake" },	   { "redwoodcove", "icelake" },
		{ "sierraforest", "crestmont" },   { "grandridge", "crestmont" },
		{ "arl_lioncove", "lioncove" },	   { "cougarcove", "lioncove" },
		{ "coyotecove", "lioncove" },	   { "arl_skymont", "skymont" },
		{ "darkmont", "skymont" },	   { "arcticwolf", "skymont" },
		{ "clearwaterforest", "skymont" },
	};
	const char *like = p->id;
	unsigned int i, k = 5; /* Nehalem to Broadwell are alike */

	*id = zero;
	id->leaf1_edx = PERFCTR_CPUID_TSC;
	id->ext1_ecx = p->family >= 0x15 && p->family != 0x16 ? 1u << 23 : 0;
	/* Intel's leaf 0AH, at which nobody else's description looks. */
	for (i = 0; i < sizeof(likes) / sizeof(likes[0]); i++)
		if (perfctr_same_id(likes[i].id, p->id))
			like = likes[i].like;
	for (i = 0; i < sizeof(arch) / sizeof(arch[0]); i++)
		if (perfctr_same_id(arch[i].id, like))
			k = i;
	id->max_leaf = 0x23;
	id->leaf0a_eax = 7u << 24 | arch[k].width << 16 | arch[k].n << 8 | arch[k].version;
	id->leaf0a_edx = arch[k].width << 5 | arch[k].fixed;
	if (arch[k].version >= 5)
		id->leaf0a_edx |= 1u << 15;
	if (arch[k].version >= 6) {
		id->leaf7_1_eax = 1u << 8;
		id->leaf23_ebx = 3;
		/* Fixed counters 4 to 6 of the small cores. */
		id->leaf23_1_ebx = perfctr_same_id(like, "skymont") ? 0x77 : 0xF;
	}
}

static void describe_typical(const struct processor *p, struct perfctr_cpu *cpu)
{
	struct perfctr_cpuid cpuid;

	typical(p, &cpuid);
	describe(p, &cpuid, p->models[0], cpu);
}

int perfctr_x86_named(const char *id, struct perfctr_cpu *cpu)
{
	const struct processor *p = first_with(id);

	if (!p)
		return -1;
	describe_typical(p, cpu);
	return 0;
}

const char *perfctr_x86_id(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < PROCESSORS; i++)
		if (first_with(processors[i].id) == &processors[i] && n-- == 0)
			return processors[i].id;
	return NULL;
}

static const struct processor *first_of(unsigned int type)
{
	const struct processor *p;

	for (p = processors; p < processors + PROCESSORS; p++)
		if (p->type == type)
			return p;
	return NULL;
}

const char *perfctr_x86_type_id(unsigned int type)
{
	const struct processor *p = first_of(type);

	return p ? p->id : NULL;
}

/*
 * Does the processor have what the other has, and refuse no control that the other allows? The
 * first ones of a type have no MSR_PEBS_FRONTEND.
 */
static int has_all_of(const struct perfctr_cpu *cpu, const struct perfctr_cpu *other)
{
	return cpu->rules == other->rules && !(other->counters & ~cpu->counters) &&
	       !(other->fixed & ~cpu->fixed) && !(cpu->reserved & ~other->reserved) &&
	       cpu->offcore >= other->offcore && cpu->offcore_width >= other->offcore_width &&
	       cpu->pcint >= other->pcint && cpu->no_tsc <= other->no_tsc &&
	       cpu->no_rdpmc <= other->no_rdpmc && cpu->northbridge <= other->northbridge &&
	       cpu->p4_model == other->p4_model;
}

int perfctr_x86_has_type(const struct perfctr_cpu *cpu, unsigned int type,
			 struct perfctr_cpu *typical)
{
	const struct processor *p = first_of(type);

	if (!p)
		return 0;
	if (type == cpu->type && cpu->counters)
		*typical = *cpu;
	else
		describe_typical(p, typical);
	return has_all_of(cpu, typical);
}
