/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * x86.h - declarations that the x86 families' rules share. Each family has one function: it checks
 * the control's counters and adds their writes to the program; compile.c does the rest.
 */
#ifndef PERFCTR_ARCH_X86_H
#define PERFCTR_ARCH_X86_H

#include <perfctr/abi-x86.h>
#include "arch/common.h"
#include "arch/x86/msrs.h"

/* The P6 event select, which K7 and all later processors keep. SDM vol. 3B 20.2.1.1. */
#define EVNTSEL_EVENT  0x000000FFu
#define EVNTSEL_USR    0x00010000u
#define EVNTSEL_OS     0x00020000u
#define EVNTSEL_EDGE   0x00040000u
#define EVNTSEL_INT    0x00100000u
#define EVNTSEL_ANY    0x00200000u
#define EVNTSEL_ENABLE 0x00400000u
#define EVNTSEL_INV    0x00800000u

#define FIXED_COUNTER 0x40000000u /* RDPMC number of fixed counter 0 */

int perfctr_p5_compile(const struct perfctr_cpu *, const struct perfctr_cpu_control *, unsigned int,
		       struct perfctr_program *, struct perfctr_diagnosis *);
int perfctr_p6_compile(const struct perfctr_cpu *, const struct perfctr_cpu_control *, unsigned int,
		       struct perfctr_program *, struct perfctr_diagnosis *);
int perfctr_c3_compile(const struct perfctr_cpu *, const struct perfctr_cpu_control *, unsigned int,
		       struct perfctr_program *, struct perfctr_diagnosis *);
int perfctr_k7_compile(const struct perfctr_cpu *, const struct perfctr_cpu_control *, unsigned int,
		       struct perfctr_program *, struct perfctr_diagnosis *);
int perfctr_p4_compile(const struct perfctr_cpu *, const struct perfctr_cpu_control *, unsigned int,
		       struct perfctr_program *, struct perfctr_diagnosis *);
int perfctr_arch_compile(const struct perfctr_cpu *, const struct perfctr_cpu_control *,
			 unsigned int, struct perfctr_program *, struct perfctr_diagnosis *);

/*
 * The register beside the event select that the counter's event looks at (MSR_OFFCORE_RSP_n,
 * MSR_PEBS_FRONTEND), and its value in a control whose extended members count; 0: none.
 */
uint32_t perfctr_arch_extra(const struct perfctr_cpu *cpu,
			    const struct perfctr_cpu_control *control, unsigned int i,
			    uint64_t *value);

/* The family's part of perfctr_x86_counter(). */
uint32_t perfctr_k7_counter(const struct perfctr_cpu *cpu, unsigned int n);

/* The register in a slot; 0 if the family has none there. */
uint32_t perfctr_k7_register(const struct perfctr_cpu *cpu, unsigned int slot);
uint32_t perfctr_p4_register(const struct perfctr_cpu *cpu, unsigned int slot);
uint32_t perfctr_arch_register(const struct perfctr_cpu *cpu, unsigned int slot);
uint32_t perfctr_arch_fixed_counter(const struct perfctr_cpu *cpu, uint32_t n);

/* These are the functions of perfctr_x86 (arch/isa.h). */
struct perfctr_code;
struct perfctr_event_choice;

enum { PERFCTR_X86_TYPES = PERFCTR_X86_AMD_CORE + 1 };
extern const char perfctr_x86_types[PERFCTR_X86_TYPES][48];
int perfctr_x86_typical(unsigned int n, struct perfctr_cpu *cpu);
void perfctr_x86_control_code(const struct perfctr_cpu *, const void *, unsigned int,
			      struct perfctr_code *);
const char *perfctr_x86_choice_code(const struct perfctr_cpu *, const struct perfctr_event_choice *,
				    struct perfctr_code *);
int perfctr_x86_encode(const struct perfctr_cpu *, const struct perfctr_event_choice *,
		       unsigned int, void *, unsigned int *, uint32_t *, const char **);

/* Returns the upper half of an event select. Processors that have none ignore it. */
static inline uint32_t perfctr_evntsel_high(const struct perfctr_cpu *cpu,
					    const struct perfctr_cpu_control *control,
					    unsigned int i)
{
	return cpu->reserved >> 32 == 0xFFFFFFFFu ? 0 : control->evntsel_high[i];
}

/* Checks the rules of P6 and its successors for an event select, but not the enable bit. */
int perfctr_check_evntsel(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *control,
			  unsigned int i, struct perfctr_diagnosis *diagnosis);

#endif /* PERFCTR_ARCH_X86_H */
