// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The processor of a test whose machines are made up, so that it does not matter which one runs it:
 * on an x86 an EPYC 9754, as in tests/data/cpuid/amd-bergamo-aa0f02.txt.
 */
#if defined(__i386__) || defined(__x86_64__)
#include "arch/cpu.h"
#include "lib/isa/identify.h"

void perfctr_cpuid_read(struct perfctr_cpuid *id)
{
	*id = (struct perfctr_cpuid){
		.max_leaf = 0x10,
		.vendor = "AuthenticAMD",
		.signature = 0xAA0F02,
		.leaf1_edx = 0x178BFBFF,
		.ext1_ecx = 0x75C237FF,
		.ext22_eax = 3,
		.ext22_ebx = 0x204106,
	};
}
#else
typedef int perfctr_no_epyc; /* a translation unit has something */
#endif
