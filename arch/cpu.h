/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* cpu.h - descriptions of processors, and of what is wrong with a control. */
#ifndef PERFCTR_ARCH_CPU_H
#define PERFCTR_ARCH_CPU_H

#include <stddef.h>
#include <stdint.h>

/* Why a control is refused: field[index] has the offending bits, and breaks the rule. */
struct perfctr_diagnosis {
	const char *field;	/* as written in C, e.g. "evntsel" */
	int index;		/* element of an array, or -1 */
	uint32_t bits;		/* offending bits or value; 0 if something is missing */
	const char *rule;	/* a clause: "bits 21 and 19 are reserved" */
};

/* A processor. Numbers are those of one core. */
struct perfctr_cpu {
	const char *name;
	unsigned int type;	/* perfctr_info.cpu_type, of its ISA */
	unsigned int nrctrs;	/* programmable counters; 0: only the clock */
	unsigned int nrfixed;	/* fixed-function counters */
	unsigned int width;	/* bits of a counter */
	uint32_t reserved;	/* x86: event select bits that must be clear */
	uint32_t enable;	/* x86: enable bit */
	unsigned int global_enable : 1;	/* x86: counter 0's enable bit enables all (P6) */
	unsigned int evntsel_high : 1;	/* x86: event selects have bits 35-32 */
};

/* Words of the CPUID instruction that identification looks at; absent leaves are zero. */
struct perfctr_cpuid {
	uint32_t max_leaf;		/* leaf 0, EAX */
	char vendor[12];		/* leaf 0, EBX EDX ECX */
	uint32_t signature;		/* leaf 1, EAX */
	uint32_t leaf1_ecx, leaf1_edx;
	uint32_t leaf0a_eax, leaf0a_ebx, leaf0a_ecx, leaf0a_edx;
	uint32_t ext1_ecx;		/* leaf 80000001H, ECX */
};

#define PERFCTR_CPUID_TSC		(1u << 4)	/* leaf1_edx */
#define PERFCTR_CPUID_HYPERVISOR	(1u << 31)	/* leaf1_ecx */

/*
 * Describe an x86. A processor without counters that we know, or whose hypervisor hides them, is
 * PERFCTR_X86_GENERIC.
 */
void perfctr_x86_identify(const struct perfctr_cpuid *id, struct perfctr_cpu *cpu);

/* Describe a PowerPC from its processor version register. */
void perfctr_powerpc_identify(uint32_t pvr, struct perfctr_cpu *cpu);

/* Name of a cpu_type; NULL if there is no such type. */
const char *perfctr_x86_type_name(unsigned int type);
const char *perfctr_powerpc_type_name(unsigned int type);
const char *perfctr_generic_type_name(unsigned int type);

/*
 * Check a struct perfctr_cpu_control of the function's ISA. 0, or -1 and a diagnosis. The control is
 * only read.
 */
int perfctr_x86_check(const struct perfctr_cpu *cpu, const void *control,
		      struct perfctr_diagnosis *diagnosis);
int perfctr_powerpc_check(const struct perfctr_cpu *cpu, const void *control,
			  struct perfctr_diagnosis *diagnosis);
int perfctr_generic_check(const struct perfctr_cpu *cpu, const void *control,
			  struct perfctr_diagnosis *diagnosis);

#endif /* PERFCTR_ARCH_CPU_H */
