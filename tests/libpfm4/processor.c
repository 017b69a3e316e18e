// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The processor that tests/libpfm4/judges.sh has this machine taken for: an Intel with the
 * signature in the environment's SIGNATURE, in hexadecimal, and counters as a Skylake has them; an
 * AMD, if "amd:" stands before.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "lib/isa/identify.h"
#include "lib/isa/native.h"
#include "libperfctr.h"
#include "arch/cpu.h"

void perfctr_cpuid_read(struct perfctr_cpuid *id)
{
	const char *signature = getenv("SIGNATURE");
	bool amd = signature && !strncmp(signature, "amd:", 4);

	*id = (struct perfctr_cpuid){
		.max_leaf = 0x16,
		.vendor = "GenuineIntel",
		.signature = signature ? (unsigned int)strtoul(signature + 4 * amd, NULL, 16) : 0,
		.leaf1_ebx = 0x00100800,
		.leaf1_ecx = 0x7FFAFBBF,
		.leaf1_edx = 0xBFEBFBFF,
		.leaf0a_eax = 0x07300404,
		.leaf0a_edx = 0x603,
		.leaf7_ebx = 1u << 4 | 1u << 11, /* HLE, RTM */
	};
	if (amd)
		memcpy(id->vendor, "AuthenticAMD", sizeof(id->vendor));
}
