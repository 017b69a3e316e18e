// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests identification of a RISC-V or a POWER by /proc/cpuinfo: lines as Linux's
 * arch/riscv/kernel/cpu.c and arch/powerpc/kernel/setup-common.c print them.
 */
#include <stdint.h>
#include <string.h>
#include "arch/cpu.h"
#include "lib/isa/identify.h"
#include "tests/harness/check.h"

#define QEMU                                                                      \
	"processor\t: 0\nhart\t\t: 0\nisa\t\t: rv64imafdch_zicsr_sscofpmf_sstc\n" \
	"mmu\t\t: sv57\nmvendorid\t: 0x0\nmarchid\t\t: 0x0\nmimpid\t\t: 0x0\n"    \
	"hart isa\t: rv64imafdch_zicsr\n\n"
#define VISIONFIVE                                                          \
	"processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc_zicntr_zba_zbb\n" \
	"mmu\t\t: sv39\nuarch\t\t: sifive,u74-mc\nmvendorid\t: 0x489\n"     \
	"marchid\t\t: 0x8000000000000007\nmimpid\t\t: 0x4210427\n\n"

START_TEST(processors)
{
	static const struct {
		const char *text, *id, *name;
		unsigned int pcint;
	} all[] = {
		{ QEMU, "sbi", "RISC-V with SBI PMU", 1 },
		{ VISIONFIVE, "u74", "SiFive U74", 0 },
		/* The first one of several counts. */
		{ VISIONFIVE QEMU, "u74", "SiFive U74", 0 },
		{ QEMU VISIONFIVE, "sbi", "RISC-V with SBI PMU", 1 },
		{ "isa\t: rv64gc_sscofpmf\nmvendorid\t: 0x710\nmarchid\t: 0x8000000058000001\n",
		  "sbi", "SpacemiT X60", 1 },
		{ "mvendorid\t: 0x5b7\nmarchid\t: 0x0\n", "c900", "T-Head C906 or C910", 1 },
		{ "mvendorid : 0x5b7\nmarchid : 0x80000000090c0d00\nisa : rv64_sscofpmf", "c900",
		  "T-Head C910 or C920", 1 },
		{ "mvendorid\t: 0x489\nmarchid\t: 0x8000000000000008\n", "p550", "SiFive P550", 1 },
		/* Those that one digit of marchid, and the first one of mimpid tell apart. */
		{ "mvendorid : 0x489\nmarchid : 0x8000000000000107\nmimpid : 0x70032\n",
		  "bullet-07", "SiFive Bullet 07", 1 },
		{ "mvendorid : 0x489\nmarchid : 0x8000000000000e07\nmimpid : 0xc0000\n",
		  "bullet-07", "SiFive Bullet 07", 1 },
		{ "mvendorid : 0x489\nmarchid : 0x8000000000000207\nmimpid : 0xd0001\n",
		  "bullet-0d", "SiFive Bullet 0D", 1 },
		{ "mvendorid : 0x489\nmarchid : 0x8000000000000207\nmimpid : 0x60001\n", "sbi",
		  "RISC-V with SBI PMU", 1 },
		{ "mvendorid : 0x489\nmarchid : 0x8000000000000f07\nmimpid : 0x70001\n", "sbi",
		  "RISC-V with SBI PMU", 1 },
		{ "mvendorid : 0x489\nmarchid : 0x8000000000000007\nmimpid : 0xd0001\n", "u74",
		  "SiFive U74", 1 },
		{ "mvendorid : 0x489\nmarchid : 0x8000000000000608\nmimpid : 0x9001\n", "p650",
		  "SiFive P650", 1 },
		{ "mvendorid : 0x489\nmarchid : 0x8000000000000108\nmimpid : 0x8001\n", "sbi",
		  "RISC-V with SBI PMU", 1 },
		{ "mvendorid : 0x489\nmarchid : 0x8000000000000708\nmimpid : 0x9001\n", "sbi",
		  "RISC-V with SBI PMU", 1 },
		/* What interrupts without Sscofpmf: Andes' own, and T-Head's first ones. */
		{ "isa\t: rv64imafdc_xandespmu\nmvendorid\t: 0x31e\nmarchid\t: 0x8a45\n", "sbi",
		  "RISC-V with SBI PMU", 1 },
		{ "isa\t: rv64imafdc\nmvendorid\t: 0x5b7\nmarchid\t: 0x0\nmimpid\t: 0x0\n", "c900",
		  "T-Head C906 or C910", 1 },
		{ "isa\t: rv64imafdc\nmvendorid\t: 0x5b7\nmarchid\t: 0x0\nmimpid\t: 0x1\n", "c900",
		  "T-Head C906 or C910", 0 },
		{ "isa\t: rv64imafdc\nmvendorid\t: 0x5b7\nmarchid\t: 0x80000000090c0d00\n", "c900",
		  "T-Head C910 or C920", 0 },
		{ "isa\t: rv64imafdc\nmvendorid\t: 0x31e\nmarchid\t: 0x0\nmimpid\t: 0x0\n", "sbi",
		  "RISC-V with SBI PMU", 0 },
		/* One's number, of another. */
		{ "mvendorid\t: 0x5b7\nmarchid\t: 0x8000000000000007\n", "sbi",
		  "RISC-V with SBI PMU", 1 },
		/* No such extension, nor such a name. */
		{ "isa\t: rv64gc_sscofpmf2_xsscofpmf\n", "sbi", "RISC-V with SBI PMU", 0 },
		{ "isa\t: rv64gc\nhart isa\t: rv64gc_sscofpmf\n", "sbi", "RISC-V with SBI PMU", 0 },
		{ "isaX: rv64gc\nxmvendorid: 0x489\nmarchid\t", "sbi", "RISC-V with SBI PMU", 1 },
		{ "", "sbi", "RISC-V with SBI PMU", 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_cpu cpu;

		memset(&cpu, 0xFF, sizeof(cpu));
		perfctr_cpuinfo_riscv(all[i].text, &cpu);
		ck_assert_msg(!strcmp(cpu.id, all[i].id) && !strcmp(cpu.name, all[i].name) &&
				      cpu.pcint == all[i].pcint,
			      "%u: %s, %s, %u", i, cpu.id, cpu.name, cpu.pcint);
		ck_assert_uint_eq(cpu.rules, PERFCTR_RULES_SBI);
		ck_assert_uint_eq(cpu.counters, 0xFFFFFFFD);
	}
}
END_TEST

#define POWER(name, pvr)                                         \
	"processor\t: 0\ncpu\t\t: " name ", altivec supported\n" \
	"clock\t\t: 3800.000000MHz\nrevision\t: 2.2 (pvr " pvr ")\n\n"

START_TEST(power)
{
	static const struct {
		const char *text, *id, *name;
	} all[] = {
		{ POWER("POWER9 (architected)", "004e 1202"), "power9", "IBM POWER9" },
		{ POWER("POWER9 (raw)", "004e 1202"), "power9", "IBM POWER9" },
		{ POWER("POWER8 (raw)", "004d 0200"), "power8", "IBM POWER8" },
		{ POWER("POWER8E (raw)", "004b 0201"), "power8", "IBM POWER8" },
		{ POWER("POWER8NVL (raw)", "004c 0100"), "power8", "IBM POWER8" },
		{ POWER("HX-C2000", "0066 0100"), "power8", "HX-C2000" },
		{ POWER("POWER10 (architected)", "0080 0200"), "power10", "IBM Power10" },
		{ POWER("Power11 (architected)", "0082 0100"), "power10", "IBM Power11" },
		/* The first one of several counts. */
		{ POWER("POWER9 (raw)", "004e 1202") POWER("POWER8 (raw)", "004d 0200"), "power9",
		  "IBM POWER9" },
		/* In a mode of compatibility. */
		{ POWER("POWER9 (architected)", "0080 0200"), "", "POWER" },
		{ POWER("POWER10 (architected)", "0082 0100"), "", "POWER" },
		{ POWER("POWER8 (architected)", "004e 1202"), "", "POWER" },
		/* Others, and none. */
		{ POWER("POWER7 (raw)", "003f 0201"), "", "POWER" },
		{ POWER("PPC970MP", "0044 0100"), "", "POWER" },
		{ "cpu\t\t: POWER9 (raw)\nrevision\t: 2.2\n", "", "POWER" },
		{ "revision\t: 2.2 (pvr 004e 1202)", "power9", "IBM POWER9" },
		{ "xrevision\t: 2.2 (pvr 004e 1202)", "", "POWER" },
		{ "", "", "POWER" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_cpu cpu;

		memset(&cpu, 0xFF, sizeof(cpu));
		perfctr_cpuinfo_power(all[i].text, "", &cpu);
		ck_assert_msg(!strcmp(cpu.id, all[i].id) && !strcmp(cpu.name, all[i].name),
			      "%u: %s, %s", i, cpu.id, cpu.name);
		ck_assert_uint_eq(cpu.rules, PERFCTR_RULES_POWER);
		ck_assert_uint_eq(cpu.counters, 0x3F);
		ck_assert_uint_eq(cpu.pcint, 1);
	}
}
END_TEST

/* What the kernel says of the PMU: whether it knows the PVR. */
START_TEST(power_pmu)
{
	static const struct {
		const char *text, *pmu, *id, *name;
	} all[] = {
		{ POWER("POWER9 (architected)", "0080 0200"), "POWER10", "power10", "IBM Power10" },
		{ POWER("POWER10 (architected)", "0082 0100"), "Power11", "power10",
		  "IBM Power11" },
		{ POWER("POWER8 (architected)", "004e 1202"), "POWER9", "power9", "IBM POWER9" },
		{ POWER("POWER9 (raw)", "004e 1202"), "POWER9", "power9", "IBM POWER9" },
		{ POWER("POWER9 (architected)", "0080 0200"), "ISAv3", "", "POWER" },
		{ POWER("POWER10 (architected)", "0080 0200"), "ISAv3", "", "POWER" },
		{ POWER("POWER10 (architected)", "0080 0200"), "GENERIC_COMPAT", "", "POWER" },
		{ POWER("POWER10 (architected)", "0099 0200"), "Power12", "", "POWER" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_cpu cpu;

		perfctr_cpuinfo_power(all[i].text, all[i].pmu, &cpu);
		ck_assert_msg(!strcmp(cpu.id, all[i].id) && !strcmp(cpu.name, all[i].name),
			      "%u: %s, %s", i, cpu.id, cpu.name);
	}
}
END_TEST

UNIT_MAIN("cpuinfo", 10, processors, power, power_pmu)
