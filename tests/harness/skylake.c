// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The processor that is around the made-up PMU where a test needs one: on an x86 a Skylake, as in
 * tests/data/cpuid/intel-skylake-506e3.txt.
 */
#if defined(__i386__) || defined(__x86_64__)
#include "lib/isa/identify.h"
#include "lib/isa/native.h"
#include "libperfctr.h"
#include "arch/cpu.h"

void perfctr_cpuid_read(struct perfctr_cpuid *id)
{
	*id = (struct perfctr_cpuid){
		.max_leaf = 0x16,
		.vendor = "GenuineIntel",
		.signature = 0x506E3,
		.leaf1_ebx = 0x00100800,
		.leaf1_ecx = 0x7FFAFBBF,
		.leaf1_edx = 0xBFEBFBFF,
		.leaf7_ebx = 0x029C6FBF,
		.leaf7_edx = 0x9C002400,
		.leaf0a_eax = 0x07300404,
		.leaf0a_edx = 0x603,
	};
}
#else
typedef int perfctr_no_skylake; /* a translation unit has something */
#endif
