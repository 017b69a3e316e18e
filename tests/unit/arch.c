// SPDX-License-Identifier: LGPL-2.1-or-later
/* Identification and control rules of x86, on any host. */
#include <perfctr/abi-x86.h>
#include "arch/cpu.h"
#include "unit.h"

static struct perfctr_cpuid cpuid(const char *vendor, unsigned int signature)
{
	struct perfctr_cpuid id = { .max_leaf = 0xA, .signature = signature };

	memcpy(id.vendor, vendor, sizeof(id.vendor));
	return id;
}

START_TEST(types_by_signature)
{
	static const struct {
		const char *vendor;
		unsigned int signature, leaf0a, type, nrctrs;
	} cpus[] = {
		{ "GenuineIntel", 0x00000525, 0, PERFCTR_X86_INTEL_P5, 2 },
		{ "GenuineIntel", 0x00000543, 0, PERFCTR_X86_INTEL_P5MMX, 2 },
		{ "GenuineIntel", 0x00000619, 0, PERFCTR_X86_INTEL_P6, 2 },
		{ "GenuineIntel", 0x00000652, 0, PERFCTR_X86_INTEL_PII, 2 },
		{ "GenuineIntel", 0x00000683, 0, PERFCTR_X86_INTEL_PIII, 2 },
		{ "GenuineIntel", 0x000006D8, 0, PERFCTR_X86_INTEL_PENTM, 2 },
		{ "GenuineIntel", 0x000006E8, 0x07280201, PERFCTR_X86_INTEL_CORE, 2 },
		{ "GenuineIntel", 0x000006F6, 0x07280202, PERFCTR_X86_INTEL_CORE2, 2 },
		{ "GenuineIntel", 0x000106C2, 0x07280203, PERFCTR_X86_INTEL_ATOM, 2 },
		{ "GenuineIntel", 0x000106A5, 0x07300403, PERFCTR_X86_INTEL_NHLM, 4 },
		{ "GenuineIntel", 0x000206C2, 0x07300403, PERFCTR_X86_INTEL_WSTMR, 4 },
		{ "GenuineIntel", 0x000206A7, 0x07300803, PERFCTR_X86_INTEL_SNB, 8 },
		{ "GenuineIntel", 0x000906E9, 0x07300404, PERFCTR_X86_INTEL_ARCH, 4 },
		{ "GenuineIntel", 0x000806F8, 0x08300805, PERFCTR_X86_INTEL_ARCH, 8 },
		{ "GenuineIntel", 0x00000F12, 0, PERFCTR_X86_INTEL_P4, 18 },
		{ "GenuineIntel", 0x00000F29, 0, PERFCTR_X86_INTEL_P4M2, 18 },
		{ "GenuineIntel", 0x00000F34, 0, PERFCTR_X86_INTEL_P4M3, 18 },
		{ "AuthenticAMD", 0x00000662, 0, PERFCTR_X86_AMD_K7, 4 },
		{ "AuthenticAMD", 0x00000F51, 0, PERFCTR_X86_AMD_K8, 4 },
		{ "AuthenticAMD", 0x00000F5A, 0, PERFCTR_X86_AMD_K8C, 4 },
		{ "AuthenticAMD", 0x00020FB1, 0, PERFCTR_X86_AMD_K8C, 4 },
		{ "AuthenticAMD", 0x00100F42, 0, PERFCTR_X86_AMD_FAM10H, 4 },
		{ "AuthenticAMD", 0x00800F11, 0, PERFCTR_X86_AMD_CORE, 4 },
		{ "HygonGenuine", 0x00900F01, 0, PERFCTR_X86_AMD_CORE, 4 },
		{ "CyrixInstead", 0x00000600, 0, PERFCTR_X86_CYRIX_MII, 2 },
		{ "CentaurHauls", 0x00000541, 0, PERFCTR_X86_WINCHIP_C6, 2 },
		{ "CentaurHauls", 0x00000585, 0, PERFCTR_X86_WINCHIP_2, 2 },
		{ "CentaurHauls", 0x00000678, 0, PERFCTR_X86_VIA_C3, 1 },
		/* A hypervisor that hides leaf 0AH, or all counters, and nonsense. */
		{ "GenuineIntel", 0x000906E9, 0, PERFCTR_X86_GENERIC, 0 },
		{ "GenuineIntel", 0x000906E9, 0x07300004, PERFCTR_X86_GENERIC, 0 },
		{ "GenuineIntel", 0x000906E9, 0x073004FF, PERFCTR_X86_GENERIC, 0 },
		{ "AuthenticAMD", 0x00000580, 0, PERFCTR_X86_GENERIC, 0 },
		{ "NobodyKnowsI", 0x000906E9, 0x07300404, PERFCTR_X86_GENERIC, 0 },
		{ "\0\0\0\0\0\0\0\0\0\0\0", 0, 0, PERFCTR_X86_GENERIC, 0 },
	};
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		struct perfctr_cpuid id = cpuid(cpus[i].vendor, cpus[i].signature);

		id.leaf0a_eax = cpus[i].leaf0a;
		perfctr_x86_identify(&id, &cpu);
		ck_assert_msg(cpu.type == cpus[i].type && cpu.nrctrs == cpus[i].nrctrs,
			      "%.12s %08x: type %u with %u counters", cpus[i].vendor,
			      cpus[i].signature, cpu.type, cpu.nrctrs);
		ck_assert_str_eq(cpu.name, perfctr_x86_type_name(cpu.type));
	}
}
END_TEST

START_TEST(amd_core_extension)
{
	struct perfctr_cpuid id = cpuid("AuthenticAMD", 0x00A20F10);
	struct perfctr_cpu cpu;

	id.ext1_ecx = 1u << 23;
	perfctr_x86_identify(&id, &cpu);
	ck_assert_uint_eq(cpu.nrctrs, 6);
	ck_assert(cpu.evntsel_high);
}
END_TEST

/* A control that the processor accepts, to be broken in one place at a time. */
static struct perfctr_cpu_control good(unsigned int n)
{
	struct perfctr_cpu_control control;
	unsigned int i;

	memset(&control, 0, sizeof(control));
	control.tsc_on = 1;
	control.nractrs = n;
	for (i = 0; i < n; i++) {
		control.pmc_map[i] = i;
		control.evntsel[i] = 0x004100C0;
	}
	return control;
}

static void refused(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *control,
		    const char *field, int index, unsigned int bits)
{
	struct perfctr_diagnosis d = { 0 };

	ck_assert_int_eq(perfctr_x86_check(cpu, control, &d), -1);
	ck_assert_str_eq(d.field, field);
	ck_assert_int_eq(d.index, index);
	ck_assert_uint_eq(d.bits, bits);
	ck_assert_ptr_nonnull(d.rule);
}

static struct perfctr_cpu skylake(void)
{
	struct perfctr_cpuid id = cpuid("GenuineIntel", 0x000906E9);
	struct perfctr_cpu cpu;

	id.leaf0a_eax = 0x07300404;
	id.leaf0a_edx = 0x603;
	perfctr_x86_identify(&id, &cpu);
	return cpu;
}

START_TEST(common_rules)
{
	struct perfctr_cpu cpu = skylake();
	struct perfctr_cpu_control c = good(4);
	struct perfctr_diagnosis d;

	ck_assert_int_eq(perfctr_x86_check(&cpu, &c, &d), 0);
	c.nractrs = 19;
	refused(&cpu, &c, "nractrs", -1, 19);
	c = good(4);
	c.nrictrs = 15;
	refused(&cpu, &c, "nrictrs", -1, 15);
	c.nrictrs = 0xFFFFFFFF;
	refused(&cpu, &c, "nrictrs", -1, 0xFFFFFFFF);
	c = good(4);
	c.pmc_map[3] = 1;
	refused(&cpu, &c, "pmc_map", 3, 1);
	c.pmc_map[3] = 4;
	refused(&cpu, &c, "pmc_map", 3, 4);
	c = good(4);
	c._reserved3 = 8;
	refused(&cpu, &c, "_reserved", -1, 8);
}
END_TEST

START_TEST(event_select_rules)
{
	struct perfctr_cpu cpu = skylake();
	struct perfctr_cpu_control c = good(2);
	struct perfctr_diagnosis d;

	c.evntsel[1] = 0x000100C0;
	refused(&cpu, &c, "evntsel", 1, 0);
	c.evntsel[1] = 0x004000C0;
	refused(&cpu, &c, "evntsel", 1, 0);
	c.evntsel[1] = 0x005100C0;
	refused(&cpu, &c, "evntsel", 1, 0x00100000);
	c = good(2);
	c.evntsel_high[1] = 1;
	refused(&cpu, &c, "evntsel_high", 1, 1);
	c = good(2);
	c.nractrs = c.nrictrs = 1;
	refused(&cpu, &c, "evntsel", 1, 0);
	c.evntsel[1] |= 0x00100000;
	refused(&cpu, &c, "ireset", 1, 0);
	c.ireset[1] = -1000;
	ck_assert_int_eq(perfctr_x86_check(&cpu, &c, &d), 0);
	c = good(2);
	c.pmc_map[1] = 0x40000002;
	ck_assert_int_eq(perfctr_x86_check(&cpu, &c, &d), 0);
	c.pmc_map[1] = 0x40000003;
	refused(&cpu, &c, "pmc_map", 1, 0x40000003);
}
END_TEST

START_TEST(p6_rules)
{
	struct perfctr_cpuid id = cpuid("GenuineIntel", 0x00000683);
	struct perfctr_cpu_control c = good(2);
	struct perfctr_diagnosis d;
	struct perfctr_cpu cpu;

	perfctr_x86_identify(&id, &cpu);
	refused(&cpu, &c, "evntsel", 1, 0x00400000);
	c.evntsel[1] = 0x000100C0;
	ck_assert_int_eq(perfctr_x86_check(&cpu, &c, &d), 0);
	c.evntsel[0] |= 1u << 21;
	refused(&cpu, &c, "evntsel", 0, 1u << 21);
	c = good(1);
	c.evntsel[0] |= 1u << 19;
	refused(&cpu, &c, "evntsel", 0, 1u << 19);
}
END_TEST

START_TEST(generic_has_only_a_tsc)
{
	struct perfctr_cpuid id = cpuid("NobodyKnowsI", 0);
	struct perfctr_cpu_control c = good(0);
	struct perfctr_diagnosis d;
	struct perfctr_cpu cpu;

	perfctr_x86_identify(&id, &cpu);
	ck_assert_int_eq(perfctr_x86_check(&cpu, &c, &d), 0);
	c = good(1);
	refused(&cpu, &c, "nractrs", -1, 1);
}
END_TEST

START_TEST(amd_family10h_high_bits)
{
	struct perfctr_cpuid id = cpuid("AuthenticAMD", 0x00100F42);
	struct perfctr_cpu_control c = good(1);
	struct perfctr_diagnosis d;
	struct perfctr_cpu cpu;

	perfctr_x86_identify(&id, &cpu);
	c.evntsel_high[0] = 0xF;
	ck_assert_int_eq(perfctr_x86_check(&cpu, &c, &d), 0);
	c.evntsel_high[0] = 0x10;
	refused(&cpu, &c, "evntsel_high", 0, 0x10);
}
END_TEST

START_TEST(powerpc_by_pvr)
{
	struct perfctr_cpu cpu;

	perfctr_powerpc_identify(0x80010201, &cpu);
	ck_assert_str_eq(cpu.name, "PowerPC 7447/7457");
	ck_assert_uint_eq(cpu.nrctrs, 6);
	perfctr_powerpc_identify(0x00040103, &cpu);
	ck_assert_uint_eq(cpu.nrctrs, 2);
	perfctr_powerpc_identify(0x12345678, &cpu);
	ck_assert_uint_eq(cpu.nrctrs, 0);
}
END_TEST

UNIT_MAIN("arch", types_by_signature, amd_core_extension, common_rules, event_select_rules, p6_rules,
	  generic_has_only_a_tsc, amd_family10h_high_bits, powerpc_by_pvr)
