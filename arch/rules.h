/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * rules.h - compiles a control to a register program, or finds what is wrong with it.
 *
 * perfctr_<isa>_compile() is the only judge of controls: the library throws the program away, the
 * driver's engine (engine.h) executes it, the tests execute it on simulated processors.
 */
#ifndef PERFCTR_ARCH_RULES_H
#define PERFCTR_ARCH_RULES_H

#include "arch/cpu.h"

/* Why a control is refused: field[index] has the offending bits, and breaks the rule. */
struct perfctr_diagnosis {
	const char *field; /* as written in C, e.g. "evntsel" */
	int index;	   /* element of an array, or -1 */
	uint32_t bits;	   /* offending bits or value; 0 if something is missing */
	const char *rule;  /* a clause: "bits 21 and 19 are reserved" */
	uint8_t forbidden; /* the errno is EPERM, perfctr 2.6's for reserved bits, and not EINVAL */
};

/* Each control register of a processor has a slot in the per-CPU cache of register contents. */
enum {
	PERFCTR_SLOTS = 86,  /* P4: 18 CCCRs, 66 places for ESCRs, 2 for replay tagging */
	PERFCTR_WRITES = 40, /* of one program: P4's, with as many ESCRs as CCCRs */
	PERFCTR_COUNTERS = 32,
	PERFCTR_CLEARS = 5, /* PowerPC's PMC2 to PMC6 */
};

/* The contents of a control register while the counters run, and while they are suspended. */
struct perfctr_write {
	uint32_t slot;
	uint32_t reg; /* MSR or SPR number; on arm64 pmuv3.h has it */
	uint64_t value;
	uint64_t
		stopped; /* other than value where something must stop: i-mode counters, cascades */
};

/* Where a counter is. */
struct perfctr_place {
	uint32_t map;	 /* operand of RDPMC */
	uint32_t reg;	 /* MSR or SPR number; index of PMEVCNTRn on arm64 */
	uint64_t mask;	 /* bits that it has */
	uint64_t ack;	 /* to write to ack_reg when it has overflowed */
	uint32_t ireset; /* i-mode: (re)start value */
	uint32_t upper;	 /* register of bits 63-48, where a pair of counters counts; 0: none */
};

/*
 * Registers that the processor writes itself while counting (PowerPC's MMCR0) have no value that a
 * cache may trust: the program's write number "async" is read back at suspend.
 */
struct perfctr_program {
	uint64_t id; /* set by perfctr_cpu_update_control() */
	uint32_t nr_writes;
	uint32_t nractrs, nrctrs;
	uint32_t ack_reg;     /* register that takes the acknowledgement of overflows; 0: none */
	int async;	      /* index of the write, or -1 */
	uint64_t async_value; /* its two values at the beginning */
	uint64_t async_stopped;
	uint8_t tsc;	     /* the clock is sampled; set by perfctr_cpu_update_control() */
	uint8_t stops;	     /* some write has another value while suspended */
	uint8_t by_register; /* counters are read as registers, not by RDPMC */
	uint8_t negative;    /* overflow is the transition to negative, as on PowerPC */
	uint8_t privileged;  /* sees more than the thread in user mode */
	uint8_t core_shared; /* has a register that the core's other thread changes, too */
	uint8_t one_core;    /* AMD northbridge events: only core 0 of each node may run it */
	uint32_t nr_clears;  /* unused counters that must not keep others' values */
	uint32_t clear[PERFCTR_CLEARS];
	struct perfctr_write write[PERFCTR_WRITES];
	struct perfctr_place counter[PERFCTR_COUNTERS];
};

/* flags of perfctr_<isa>_compile() */
#define PERFCTR_COMPILE_GLOBAL	 1u /* for a whole CPU and not for a thread */
#define PERFCTR_COMPILE_EXTENDED 2u /* members in words that perfctr 2.6 reserved count */

/*
 * Check a struct perfctr_cpu_control of the function's ISA, and translate it. 0; or -1 and a
 * diagnosis, in which case the program is undefined. The control is only read. Words that mean
 * nothing on the processor are ignored, as by perfctr 2.6, whose programs don't clear them.
 */
int perfctr_x86_compile(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
			struct perfctr_program *program, struct perfctr_diagnosis *diagnosis);
int perfctr_powerpc_compile(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
			    struct perfctr_program *program, struct perfctr_diagnosis *diagnosis);
int perfctr_arm64_compile(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
			  struct perfctr_program *program, struct perfctr_diagnosis *diagnosis);
int perfctr_riscv_compile(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
			  struct perfctr_program *program, struct perfctr_diagnosis *diagnosis);
int perfctr_power_compile(const struct perfctr_cpu *cpu, const void *control, unsigned int flags,
			  struct perfctr_program *program, struct perfctr_diagnosis *diagnosis);

/*
 * Return the control register of a processor in a slot, or 0. Programs write only registers in this
 * list; the driver clears all of them when it takes the hardware and when it gives it back.
 */
uint32_t perfctr_x86_register(const struct perfctr_cpu *cpu, unsigned int slot);
uint32_t perfctr_powerpc_register(const struct perfctr_cpu *cpu, unsigned int slot);
uint32_t perfctr_arm64_register(const struct perfctr_cpu *cpu, unsigned int slot);

/*
 * Returns the register of programmable counter n, or 0: if there are several, the oldest, under
 * which the kernel lists its user.
 */
uint32_t perfctr_x86_counter(const struct perfctr_cpu *cpu, unsigned int n);

/* Does the same for fixed-function counter n. */
uint32_t perfctr_x86_fixed_counter(const struct perfctr_cpu *cpu, unsigned int n);

/*
 * The nth register to set once when the hardware is taken, after clearing the control registers,
 * and its value (global enable bits). 0; or -1 after the last.
 */
int perfctr_x86_setup(const struct perfctr_cpu *cpu, unsigned int n, uint32_t *reg,
		      uint64_t *value);
int perfctr_powerpc_setup(const struct perfctr_cpu *cpu, unsigned int n, uint32_t *reg,
			  uint64_t *value);

#endif /* PERFCTR_ARCH_RULES_H */
