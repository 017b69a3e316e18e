/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* cpu.h - descriptions of processors, and their identification. */
#ifndef PERFCTR_ARCH_CPU_H
#define PERFCTR_ARCH_CPU_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stddef.h>
#include <stdint.h>
#endif

/* The rules that a control obeys, and that make register contents of it. */
enum perfctr_rules {
	PERFCTR_RULES_NONE, /* no counters, only the clock */
	PERFCTR_RULES_P5,   /* two counters controlled by the halves of CESR */
	PERFCTR_RULES_MII,
	PERFCTR_RULES_WINCHIP,
	PERFCTR_RULES_P6, /* counter 0's enable bit enables both */
	PERFCTR_RULES_C3,
	PERFCTR_RULES_K7, /* AMD, an enable bit each */
	PERFCTR_RULES_P4,
	PERFCTR_RULES_ARCH, /* Intel, architectural performance monitoring */
	PERFCTR_RULES_PPC,  /* before it: x86's */
	PERFCTR_RULES_PMUV3,
	PERFCTR_RULES_SBI,    /* RISC-V */
	PERFCTR_RULES_POWER,  /* 64-bit PowerPC since POWER8 */
	PERFCTR_RULES_KERNEL, /* the kernel's raw codes: nothing is known */
};

/* The perfctr_info.cpu_type of a machine that has only a clock, in all ISAs. */
enum { PERFCTR_TYPE_GENERIC = 0 };

struct perfctr_isa;

/* A processor. Numbers are those of one core. */
struct perfctr_cpu {
	const struct perfctr_isa *isa; /* set by the library; the driver has but one */
	const char *name;	       /* for people */
	const char *id;		       /* the name of its event table; "" if it has none */
	unsigned int type;	       /* perfctr_info.cpu_type, of its ISA */
	enum perfctr_rules rules;
	uint32_t counters;  /* set of the programmable counters */
	uint32_t fixed;	    /* Intel: set of the fixed-function counters */
	unsigned int width; /* bits of a counter */
	unsigned int fixed_width;
	uint64_t reserved;	    /* x86, POWER: event select bits that must be clear */
	unsigned int version;	    /* Intel: of architectural monitoring; AMD: 2 if PerfMonV2 */
	unsigned int offcore;	    /* Intel: number of MSR_OFFCORE_RSP registers */
	unsigned int offcore_width; /* and their bits, ... */
	uint64_t offcore_holes;	    /* ... but for these: to set one is a fault */
	uint32_t absent;	    /* Intel: architectural events that it lacks, by leaf 0AH */
	uint32_t frontend_holes;    /* the same for MSR_PEBS_FRONTEND, which has 23 */
	unsigned int outstanding:1; /* the uppermost (outstanding requests) is in the first only */
	unsigned int frontend:1;    /* Intel: has MSR_PEBS_FRONTEND */
	unsigned int omr:1;	    /* Intel: four OMR registers in the place of MSR_OFFCORE_RSP */
	unsigned int no_tsc:1;	    /* has no time stamp counter that can be used */
	unsigned int no_rdpmc:1;    /* counters can be read in the kernel only */
	unsigned int pcint:1;	    /* interrupts on overflow */
	unsigned int ext_core:1;    /* AMD: six counters at C001_0200H */
	unsigned int pairs:1;	    /* AMD: event 003H takes a pair of counters */
	unsigned int northbridge:1; /* AMD: events E0H to FFH are counted in one shared place */
	unsigned int nb_resets:1;  /* where a write of any event select, by any core, resets them */
	unsigned int full_width:1; /* Intel: IA32_A_PMCn exist; set by the driver, which can know */
	unsigned int ht:1;	   /* P4: two threads share the counters */
	unsigned int p4_model;	   /* P4 */
};

static inline int perfctr_same_id(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/*
 * Does the event selected take an even counter and the next one? Its increments are larger than a
 * counter's, so the next one's event is to merge the two (PPR 54945, Large Increment per Cycle
 * Events).
 */
static inline int perfctr_takes_pair(const struct perfctr_cpu *cpu, uint32_t evntsel, uint32_t high)
{
	return cpu->pairs && (evntsel & 0xFF) == 3 && !(high & 0xF);
}

/* The low bits of a word. */
static inline uint64_t perfctr_mask(unsigned int bits)
{
	return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

static inline unsigned int perfctr_count_bits(uint64_t set)
{
	unsigned int n = 0;

	for (; set; set &= set - 1)
		n++;
	return n;
}

/*
 * Words of the CPUID instruction that identification looks at; leaves that the processor does not
 * have are zero. The caller reads them on the processor that it asks about: the two core types
 * of a hybrid processor differ.
 */
struct perfctr_cpuid {
	uint32_t max_leaf;  /* leaf 0, EAX */
	char vendor[12];    /* leaf 0, EBX EDX ECX */
	uint32_t signature; /* leaf 1, EAX */
	uint32_t leaf1_ebx, leaf1_ecx, leaf1_edx;
	uint32_t leaf4_eax;	       /* subleaf 0: cores of the package */
	uint32_t leaf7_ebx, leaf7_edx; /* subleaf 0 */
	uint32_t leaf7_1_eax;	       /* subleaf 1 */
	uint32_t leaf0a_eax, leaf0a_ebx, leaf0a_ecx, leaf0a_edx;
	uint32_t leaf1a_eax;		     /* core type */
	uint32_t leaf23_ebx;		     /* subleaf 0 */
	uint32_t leaf23_1_eax, leaf23_1_ebx; /* subleaf 1: sets of counters */
	uint32_t ext1_ecx;		     /* leaf 80000001H */
	uint32_t ext22_eax, ext22_ebx;	     /* leaf 80000022H: AMD PerfMonV2 */
};

#define PERFCTR_CPUID_TSC	 (1u << 4)  /* leaf1_edx */
#define PERFCTR_CPUID_HYPERVISOR (1u << 31) /* leaf1_ecx */

/*
 * Describes an x86. A processor without counters that we know, or whose hypervisor hides them, is
 * PERFCTR_X86_GENERIC.
 */
void perfctr_x86_identify(const struct perfctr_cpuid *id, struct perfctr_cpu *cpu);

/* Describe a PowerPC from its processor version register. */
void perfctr_powerpc_identify(uint32_t pvr, struct perfctr_cpu *cpu);

/*
 * Describe an arm64 from MIDR_EL1 and the number of event counters, PMCR_EL0.N: one with PMUv3, but
 * Apple's, with PERFCTR_RULES_KERNEL. 0 is any that has PMUv3.
 */
void perfctr_arm64_identify(uint64_t midr, unsigned int counters, struct perfctr_cpu *cpu);

/*
 * Describe a RISC-V from mvendorid, marchid and mimpid, and whether its counters interrupt and tell
 * modes apart, as those of Sscofpmf do.
 */
void perfctr_riscv_identify(uint64_t vendor, uint64_t arch, uint64_t implementation, int interrupts,
			    struct perfctr_cpu *cpu);

/*
 * Describes a 64-bit PowerPC by its PVR. mode: the n of the POWERn that it must be to have its
 * table; 0: any.
 */
void perfctr_power_identify(uint32_t pvr, unsigned int mode, struct perfctr_cpu *cpu);

/* Describes a processor of any other ISA, whose counters only the kernel knows. */
void perfctr_raw_identify(struct perfctr_cpu *cpu);

#endif /* PERFCTR_ARCH_CPU_H */
