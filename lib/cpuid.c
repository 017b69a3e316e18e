// SPDX-License-Identifier: LGPL-2.1-or-later
/* What this x86 says of itself. A file of its own, for tests put other processors in its place. */
#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#include <string.h>
#include "arch/cpu.h"
#include "internal.h"

void perfctr_cpuid_read(struct perfctr_cpuid *id)
{
	unsigned int eax, ebx, ecx, edx;
	uint32_t vendor[3];

	memset(id, 0, sizeof(*id));
	id->max_leaf = (uint32_t)__get_cpuid_max(0, NULL);
	if (__get_cpuid(0, &eax, &vendor[0], &vendor[2], &vendor[1]))
		memcpy(id->vendor, vendor, sizeof(id->vendor));
	__get_cpuid(1, &id->signature, &id->leaf1_ebx, &id->leaf1_ecx, &id->leaf1_edx);
	__get_cpuid_count(4, 0, &id->leaf4_eax, &ebx, &ecx, &edx);
	__get_cpuid_count(7, 0, &eax, &id->leaf7_ebx, &ecx, &id->leaf7_edx);
	__get_cpuid_count(7, 1, &id->leaf7_1_eax, &ebx, &ecx, &edx);
	__get_cpuid(0xA, &id->leaf0a_eax, &id->leaf0a_ebx, &id->leaf0a_ecx, &id->leaf0a_edx);
	__get_cpuid_count(0x23, 0, &eax, &id->leaf23_ebx, &ecx, &edx);
	__get_cpuid_count(0x23, 1, &id->leaf23_1_eax, &id->leaf23_1_ebx, &ecx, &edx);
	__get_cpuid(0x80000001, &eax, &ebx, &id->ext1_ecx, &edx);
	__get_cpuid(0x80000022, &id->ext22_eax, &id->ext22_ebx, &ecx, &edx);
}
#else
typedef int perfctr_no_cpuid;	/* a translation unit has something */
#endif
