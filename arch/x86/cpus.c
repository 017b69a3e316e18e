// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/*
 * Identification of x86 processors.
 *
 * Sources: Intel SDM vol. 4 table 2-1 (models), vol. 3B 20.2 (leaf 0AH); AMD CPUID specification
 * 25481, Revision Guides (families and models); APM vol. 2 13.2 (core performance counters, CPUID
 * Fn8000_0001_ECX[23]).
 */
#include <perfctr/abi-x86.h>
#include "arch/cpu.h"

/* Event select bits, SDM vol. 3B 20.2.1.1: IN_TX and above need no name here. */
#define EVNTSEL_EN		0x00400000u
#define P6_RESERVED		0x00280000u	/* 21, 19 */
#define NO_ANYTHREAD_RESERVED	0x00200000u	/* 21 */

/* By cpu_type. The processors without an entry's counters are filled in from CPUID. */
static const struct perfctr_cpu types[] = {
	[PERFCTR_X86_GENERIC] = { .name = "Generic x86 with TSC" },
	[PERFCTR_X86_INTEL_P5] = { .name = "Intel Pentium", .nrctrs = 2, .width = 40 },
	[PERFCTR_X86_INTEL_P5MMX] = { .name = "Intel Pentium MMX", .nrctrs = 2, .width = 40 },
	[PERFCTR_X86_INTEL_P6] = { .name = "Intel Pentium Pro", .nrctrs = 2, .width = 40 },
	[PERFCTR_X86_INTEL_PII] = { .name = "Intel Pentium II", .nrctrs = 2, .width = 40 },
	[PERFCTR_X86_INTEL_PIII] = { .name = "Intel Pentium III", .nrctrs = 2, .width = 40 },
	[PERFCTR_X86_CYRIX_MII] = { .name = "Cyrix 6x86MX/MII/III", .nrctrs = 2, .width = 48 },
	[PERFCTR_X86_WINCHIP_C6] = { .name = "WinChip C6", .nrctrs = 2, .width = 40 },
	[PERFCTR_X86_WINCHIP_2] = { .name = "WinChip 2/3", .nrctrs = 2, .width = 40 },
	[PERFCTR_X86_AMD_K7] = { .name = "AMD K7", .nrctrs = 4, .width = 48 },
	[PERFCTR_X86_VIA_C3] = { .name = "VIA C3", .nrctrs = 1, .width = 32 },
	[PERFCTR_X86_INTEL_P4] = { .name = "Intel Pentium 4", .nrctrs = 18, .width = 40 },
	[PERFCTR_X86_INTEL_P4M2] = { .name = "Intel Pentium 4 Model 2", .nrctrs = 18, .width = 40 },
	[PERFCTR_X86_AMD_K8] = { .name = "AMD K8", .nrctrs = 4, .width = 48 },
	[PERFCTR_X86_INTEL_PENTM] = { .name = "Intel Pentium M", .nrctrs = 2, .width = 40 },
	[PERFCTR_X86_AMD_K8C] = { .name = "AMD K8 Revision C", .nrctrs = 4, .width = 48 },
	[PERFCTR_X86_INTEL_P4M3] = { .name = "Intel Pentium 4 Model 3", .nrctrs = 18, .width = 40 },
	[PERFCTR_X86_INTEL_CORE] = { .name = "Intel Core" },
	[PERFCTR_X86_INTEL_CORE2] = { .name = "Intel Core 2" },
	[PERFCTR_X86_AMD_FAM10H] = { .name = "AMD Family 10h", .nrctrs = 4, .width = 48 },
	[PERFCTR_X86_INTEL_ATOM] = { .name = "Intel Atom" },
	[PERFCTR_X86_INTEL_NHLM] = { .name = "Intel Nehalem" },
	[PERFCTR_X86_INTEL_WSTMR] = { .name = "Intel Westmere" },
	[PERFCTR_X86_INTEL_SNB] = { .name = "Intel Sandy Bridge" },
	[PERFCTR_X86_INTEL_ARCH] = { .name = "Intel with architectural performance monitoring" },
	[PERFCTR_X86_AMD_CORE] = { .name = "AMD Family 15h or later", .nrctrs = 4, .width = 48 },
};

const char *perfctr_x86_type_name(unsigned int type)
{
	return type < sizeof(types) / sizeof(types[0]) ? types[type].name : NULL;
}

static int vendor_is(const struct perfctr_cpuid *id, const char *vendor)
{
	unsigned int i;

	for (i = 0; i < sizeof(id->vendor); i++)
		if (id->vendor[i] != vendor[i])
			return 0;
	return 1;
}

/* Intel family 6 by display model; the rest of the family speaks for itself in leaf 0AH. */
static unsigned int intel_family6(unsigned int model)
{
	switch (model) {
	case 0x01:
		return PERFCTR_X86_INTEL_P6;
	case 0x03: case 0x05: case 0x06:
		return PERFCTR_X86_INTEL_PII;
	case 0x07: case 0x08: case 0x0A: case 0x0B:
		return PERFCTR_X86_INTEL_PIII;
	case 0x09: case 0x0D:
		return PERFCTR_X86_INTEL_PENTM;
	case 0x0E:
		return PERFCTR_X86_INTEL_CORE;
	case 0x0F: case 0x16: case 0x17: case 0x1D:
		return PERFCTR_X86_INTEL_CORE2;
	case 0x1C: case 0x26: case 0x27: case 0x35: case 0x36:
		return PERFCTR_X86_INTEL_ATOM;
	case 0x1A: case 0x1E: case 0x1F: case 0x2E:
		return PERFCTR_X86_INTEL_NHLM;
	case 0x25: case 0x2C: case 0x2F:
		return PERFCTR_X86_INTEL_WSTMR;
	case 0x2A: case 0x2D:
		return PERFCTR_X86_INTEL_SNB;
	}
	return PERFCTR_X86_INTEL_ARCH;
}

static unsigned int intel_type(unsigned int family, unsigned int model)
{
	switch (family) {
	case 5:
		return model == 4 || model == 8 ? PERFCTR_X86_INTEL_P5MMX : PERFCTR_X86_INTEL_P5;
	case 6:
		return intel_family6(model);
	case 15:
		return model < 2 ? PERFCTR_X86_INTEL_P4 :
		       model == 2 ? PERFCTR_X86_INTEL_P4M2 : PERFCTR_X86_INTEL_P4M3;
	}
	return family > 15 ? PERFCTR_X86_INTEL_ARCH : PERFCTR_X86_GENERIC;
}

static unsigned int amd_type(unsigned int family, unsigned int model, unsigned int stepping)
{
	switch (family) {
	case 6:
		return PERFCTR_X86_AMD_K7;
	case 15:
		/* Revision C: models 4, 5 from stepping 8 on, and all later ones. */
		return model > 5 || (model >= 4 && stepping >= 8) ? PERFCTR_X86_AMD_K8C :
								    PERFCTR_X86_AMD_K8;
	case 0x10: case 0x11: case 0x12: case 0x14:
		return PERFCTR_X86_AMD_FAM10H;
	}
	return family >= 0x15 ? PERFCTR_X86_AMD_CORE : PERFCTR_X86_GENERIC;
}

static unsigned int x86_type(const struct perfctr_cpuid *id)
{
	unsigned int stepping = id->signature & 0xF;
	unsigned int family = id->signature >> 8 & 0xF;
	unsigned int model = id->signature >> 4 & 0xF;

	if (family == 15)
		family += id->signature >> 20 & 0xFF;
	if (family == 6 || family >= 15)
		model |= id->signature >> 12 & 0xF0;
	if (vendor_is(id, "GenuineIntel"))
		return intel_type(family, model);
	if (vendor_is(id, "AuthenticAMD") || vendor_is(id, "HygonGenuine"))
		return amd_type(family, model, stepping);
	if (vendor_is(id, "CyrixInstead"))
		return family == 6 ? PERFCTR_X86_CYRIX_MII : PERFCTR_X86_GENERIC;
	if (vendor_is(id, "CentaurHauls")) {
		if (family == 5)
			return model == 4 ? PERFCTR_X86_WINCHIP_C6 :
			       model == 8 || model == 9 ? PERFCTR_X86_WINCHIP_2 : PERFCTR_X86_GENERIC;
		return family == 6 && model >= 6 && model <= 9 ? PERFCTR_X86_VIA_C3 :
								 PERFCTR_X86_GENERIC;
	}
	return PERFCTR_X86_GENERIC;
}

void perfctr_x86_identify(const struct perfctr_cpuid *id, struct perfctr_cpu *cpu)
{
	unsigned int type = x86_type(id);
	unsigned int version = id->leaf0a_eax & 0xFF;

	*cpu = types[type];
	cpu->type = type;
	switch (type) {
	case PERFCTR_X86_INTEL_P6:
	case PERFCTR_X86_INTEL_PII:
	case PERFCTR_X86_INTEL_PIII:
	case PERFCTR_X86_INTEL_PENTM:
		cpu->reserved = P6_RESERVED;
		cpu->enable = EVNTSEL_EN;
		cpu->global_enable = 1;
		break;
	case PERFCTR_X86_INTEL_CORE:
	case PERFCTR_X86_INTEL_CORE2:
	case PERFCTR_X86_INTEL_ATOM:
	case PERFCTR_X86_INTEL_NHLM:
	case PERFCTR_X86_INTEL_WSTMR:
	case PERFCTR_X86_INTEL_SNB:
	case PERFCTR_X86_INTEL_ARCH:
		/* A hypervisor that hides leaf 0AH, or its counters, is believed. */
		if (id->max_leaf < 0xA || version == 0 || version > 15 ||
		    !(id->leaf0a_eax >> 8 & 0xFF)) {
			*cpu = types[PERFCTR_X86_GENERIC];
			break;
		}
		cpu->nrctrs = id->leaf0a_eax >> 8 & 0xFF;
		if (cpu->nrctrs > PERFCTR_NR_CTRS)
			cpu->nrctrs = PERFCTR_NR_CTRS;
		cpu->width = id->leaf0a_eax >> 16 & 0xFF;
		cpu->nrfixed = version >= 2 ? id->leaf0a_edx & 0x1F : 0;
		cpu->reserved = version == 3 || version == 4 ? 0 : NO_ANYTHREAD_RESERVED;
		cpu->enable = EVNTSEL_EN;
		break;
	case PERFCTR_X86_AMD_CORE:
		if (id->ext1_ecx & 1u << 23)
			cpu->nrctrs = 6;
		/* fall through */
	case PERFCTR_X86_AMD_FAM10H:
		cpu->evntsel_high = 1;
		/* fall through */
	case PERFCTR_X86_AMD_K7:
	case PERFCTR_X86_AMD_K8:
	case PERFCTR_X86_AMD_K8C:
		cpu->reserved = P6_RESERVED;
		cpu->enable = EVNTSEL_EN;
		break;
	}
}
