/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * isa.h - a table per ISA: its processors, and functions about its controls. The structures of
 * controls differ, and a file sees one ISA's only, so they are opaque here.
 *
 * The driver, which has one ISA, needs no table: it calls the functions of rules.h.
 */
#ifndef PERFCTR_ARCH_ISA_H
#define PERFCTR_ARCH_ISA_H

#include "arch/events.h"

/* A member of a control, for printing controls of any ISA. */
struct perfctr_field {
	char name[24]; /* as written in C; empty after the last */
	uint16_t offset;
	uint16_t count; /* elements, 0: no array; all are 32 bits */
};

struct perfctr_isa {
	const char (*type_names)[48]; /* by perfctr_info.cpu_type */
	unsigned int types;
	unsigned int older_types:1; /* a processor may say that it is one of another type */
	uint32_t fixed_bits; /* set in the number of a counter with a fixed event; 0: there is none
			      */

	/*
	 * Describes the processor in row n of the ISA's table, as a typical one: the counters are
	 * those of a machine without hypervisor. 0; or -1 after the last. Rows with the same id
	 * stand together. NULL, as encode and choice_code then: the ISA has no processors by name.
	 */
	int (*typical)(unsigned int n, struct perfctr_cpu *cpu);

	/* Is perfctr_<isa>_compile() of rules.h. */
	int (*compile)(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
		       struct perfctr_program *program, struct perfctr_diagnosis *diagnosis);

	/* Returns the code of counter i of a checked control, extended members included. */
	void (*control_code)(const struct perfctr_cpu *cpu, const void *control, unsigned int i,
			     struct perfctr_code *code);

	/* Encodes an option of a choice in the words of a control; for perfctr_raw_encode(). */
	struct perfctr_code (*option_code)(const struct perfctr_event_choice *choice,
					   const struct perfctr_event_option *option);

	/*
	 * The code of a choice, alone and wherever there is room: the first way, but one without
	 * fixed counters if it has modes. NULL; or a clause that says why the processor can't do
	 * it. A choice that names no level has the code of none.
	 */
	const char *(*choice_code)(const struct perfctr_cpu *cpu,
				   const struct perfctr_event_choice *choice,
				   struct perfctr_code *code);

	/*
	 * The control that counts the choices, a-mode before i-mode, and where each went: place[i]
	 * is its index in the control. 0; or -1 with *conflict as perfctr_event_assign() has it and
	 * *reason a clause that says why.
	 */
	int (*encode)(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		      unsigned int n, void *control, unsigned int place[], uint32_t *conflict,
		      const char **reason);

	/* The members of the processor's controls. */
	const struct perfctr_field *(*fields)(const struct perfctr_cpu *cpu);
};

/* Hidden also where they are used: nothing is to be relocated. */
#pragma GCC visibility push(hidden)
extern const struct perfctr_isa perfctr_x86, perfctr_powerpc, perfctr_arm64, perfctr_riscv,
	perfctr_power;
/* The kernel's own numbers: every ISA that perfctr has no rules for. */
extern const struct perfctr_isa perfctr_raw;
#pragma GCC visibility pop

/* Returns the nth ISA; NULL after the last. */
const struct perfctr_isa *perfctr_isa(unsigned int n);

/* Returns the id of the ISA's nth processor; NULL after the last. */
const char *perfctr_isa_id(const struct perfctr_isa *isa, unsigned int n);

/* The id of its first processor with the cpu_type; NULL if there is none. */
const char *perfctr_isa_type_id(const struct perfctr_isa *isa, unsigned int type);

/* Returns the name of a cpu_type; NULL if there is none. */
const char *perfctr_isa_type_name(const struct perfctr_isa *isa, unsigned int type);

/* Describes the processor with this id, as a typical one. 0; or -1 if no ISA has it. */
int perfctr_cpu_named(const char *id, struct perfctr_cpu *cpu);

/*
 * Whether the processor's counters obey the rules of a cpu_type: they are not fewer, and no control
 * that a typical processor of the type accepts breaks a rule of this one. Then *typical is one.
 */
int perfctr_isa_has_type(const struct perfctr_isa *isa, const struct perfctr_cpu *cpu,
			 unsigned int type, struct perfctr_cpu *typical);

#endif /* PERFCTR_ARCH_ISA_H */
