/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * cpuid.h - reads the CPUID words by which an x86 is identified, over the includer's primitive:
 *
 *	static inline void perfctr_cpuid_leaf(uint32_t leaf, uint32_t subleaf, uint32_t word[4]);
 *
 * EAX, EBX, ECX and EDX of the CPUID instruction. It is called for leaves that the processor has.
 */
#ifndef PERFCTR_ARCH_CPUID_H
#define PERFCTR_ARCH_CPUID_H

#include "arch/cpu.h"

static inline void perfctr_cpuid_leaf(uint32_t leaf, uint32_t subleaf, uint32_t word[4]);

static inline void perfctr_cpuid_basic(struct perfctr_cpuid *id)
{
	uint32_t word[4];

	perfctr_cpuid_leaf(0, 0, word);
	id->max_leaf = word[0];
	__builtin_memcpy(id->vendor, &word[1], 4);
	__builtin_memcpy(id->vendor + 4, &word[3], 4);
	__builtin_memcpy(id->vendor + 8, &word[2], 4);
	if (id->max_leaf >= 1) {
		perfctr_cpuid_leaf(1, 0, word);
		id->signature = word[0];
		id->leaf1_ebx = word[1];
		id->leaf1_ecx = word[2];
		id->leaf1_edx = word[3];
	}
	if (id->max_leaf >= 4) {
		perfctr_cpuid_leaf(4, 0, word);
		id->leaf4_eax = word[0];
	}
	if (id->max_leaf >= 7) {
		perfctr_cpuid_leaf(7, 0, word);
		id->leaf7_ebx = word[1];
		id->leaf7_edx = word[3];
		if (word[0] >= 1) {
			perfctr_cpuid_leaf(7, 1, word);
			id->leaf7_1_eax = word[0];
		}
	}
}

static inline void perfctr_cpuid_monitoring(struct perfctr_cpuid *id)
{
	uint32_t word[4];

	if (id->max_leaf >= 0xA) {
		perfctr_cpuid_leaf(0xA, 0, word);
		id->leaf0a_eax = word[0];
		id->leaf0a_ebx = word[1];
		id->leaf0a_ecx = word[2];
		id->leaf0a_edx = word[3];
	}
	if (id->max_leaf >= 0x23) {
		perfctr_cpuid_leaf(0x23, 0, word);
		id->leaf23_ebx = word[1];
		perfctr_cpuid_leaf(0x23, 1, word);
		id->leaf23_1_eax = word[0];
		id->leaf23_1_ebx = word[1];
	}
}

/* Processors without extended leaves answer with another one's words. */
static inline void perfctr_cpuid_extended(struct perfctr_cpuid *id)
{
	uint32_t word[4], max;

	perfctr_cpuid_leaf(0x80000000, 0, word);
	max = word[0] < 0x80010000 ? word[0] : 0;
	if (max >= 0x80000001) {
		perfctr_cpuid_leaf(0x80000001, 0, word);
		id->ext1_ecx = word[2];
	}
	if (max >= 0x80000022) {
		perfctr_cpuid_leaf(0x80000022, 0, word);
		id->ext22_eax = word[0];
		id->ext22_ebx = word[1];
	}
}

/* Into words of zeros: all but the core type, for which the includer asks where it matters. */
static inline void perfctr_cpuid_all(struct perfctr_cpuid *id)
{
	perfctr_cpuid_basic(id);
	perfctr_cpuid_monitoring(id);
	perfctr_cpuid_extended(id);
}

#endif /* PERFCTR_ARCH_CPUID_H */
