/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sim.h - simulated processors: performance counters as the manuals describe them.
 *
 * A model obeys its manual and knows nothing of arch/: no header of arch/ is included by a model,
 * so that a mistake in the rules can't hide behind the same mistake here. What the manual calls
 * reserved faults; what it calls read-only ignores or faults as it says; counters have their real
 * widths; a write of a counter sign-extends where the manual says so; registers that two logical
 * processors share are shared; a counter that cannot stop goes on.
 *
 * Time passes in steps: during one step, one thing happens per_cycle times in each of some cycles.
 * A counter counts it if its control registers select that event, at that privilege level, with its
 * counter mask, inversion and edge detection.
 */
#ifndef TESTS_SIM_SIM_H
#define TESTS_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_MAX_CORES = 4 };

/*
 * What happens: the event's number as the family's manual has it. P5 and clones: the 6-bit event
 * (Cyrix: 7 bits). P6, K7 and later: event select | unit mask << 8; AMD event select bits 11-8 are
 * bits 19-16 here. P4: ESCR event select | one event mask bit's number << 8 | ESCR MSR << 16.
 * PowerPC: the event's number, which PMCnSEL selects in counter n (the models take it as the same
 * for each counter). PMUv3: evtCount. Fixed counters count their architectural event: C0H/00H
 * instructions, 3CH/00H core cycles, 3CH/01H reference cycles, A4H/01H slots (SDM vol. 3B 20.2).
 */
struct sim_step {
	uint32_t event;
	bool user; /* privilege level 3 (problem state, EL0), else kernel */
	unsigned int cycles;
	unsigned int per_cycle;
};

struct sim_core {
	const struct sim_model *model;
	unsigned int number;	  /* logical processor */
	struct sim_core *sibling; /* the other logical processor of a hyper-threaded core */
	void *registers;	  /* the model's own; siblings may point to the same */
	uint64_t tsc;		  /* advanced by each step's cycles, by sim_run() */
	bool pmi;		  /* an overflow interrupt waits; who delivers it clears it */
	/* How often software did each, since it last cleared the numbers. */
	unsigned long register_writes, register_reads, counter_reads;
};

/*
 * A model. The functions that can fault return NULL, or the reason of the fault (#GP, illegal
 * instruction) in words. Registers are MSR numbers on x86, SPR numbers on PowerPC, and on arm64 the
 * numbers of enum sim_pmuv3.
 */
struct sim_model {
	const char *name;
	size_t size;			      /* of the registers; zeroed before reset() */
	bool shared;			      /* siblings share the registers */
	void (*reset)(struct sim_core *core); /* NULL: all registers are zero after RESET */
	const char *(*write)(struct sim_core *core, uint32_t reg, uint64_t value);
	const char *(*read)(struct sim_core *core, uint32_t reg, uint64_t *value);
	const char *(*rdpmc)(struct sim_core *core, uint32_t index,
			     uint64_t *value); /* NULL: none */
	/* Count the step in every counter that selects it; set core->pmi on overflow if asked to.
	 */
	void (*run)(struct sim_core *core, const struct sim_step *step);
};

/* arm64's registers, which have names and no numbers. PMEVCNTRn is SIM_PMEVCNTR0 + n, and so on. */
enum sim_pmuv3 {
	SIM_PMCR,
	SIM_PMCNTENSET,
	SIM_PMCNTENCLR,
	SIM_PMINTENSET,
	SIM_PMINTENCLR,
	SIM_PMOVSSET,
	SIM_PMOVSCLR,
	SIM_PMCCNTR,
	SIM_PMCCFILTR,
	SIM_PMUSERENR,
	SIM_PMEVCNTR0 = 0x40,
	SIM_PMEVTYPER0 = 0x80,
};

/* Every model there is. */
extern const struct sim_model sim_p5, sim_p5mmx, sim_mii, sim_winchip_c6, sim_winchip_2, sim_p6,
	sim_c3, sim_k7, sim_k8, sim_fam10h, sim_fam15h, sim_zen, sim_core, sim_core2, sim_nehalem,
	sim_sandybridge, sim_icelake, sim_arch6, sim_p4, sim_p4m2, sim_p4m3, sim_p4_ht, sim_ppc604,
	sim_ppc604e, sim_ppc750, sim_ppc7400, sim_ppc7450, sim_pmuv3;

/* A machine with n processors (pairs of siblings if the model's registers are shared). */
void sim_open(struct sim_core core[], unsigned int n, const struct sim_model *model);
void sim_close(struct sim_core core[], unsigned int n);

/* As software sees the processor. A fault ends the test with its reason. */
void sim_write(struct sim_core *core, uint32_t reg, uint64_t value);
uint64_t sim_read(struct sim_core *core, uint32_t reg);
uint64_t sim_rdpmc(struct sim_core *core, uint32_t index);

/* Let a step happen. */
void sim_run(struct sim_core *core, const struct sim_step *step);

/*
 * How much a counter with this counter mask, inversion and edge detection counts in a step that
 * happens to it. With a mask m > 0 it counts the cycles that have at least m (inverted: fewer than
 * m); with edge detection, one for the step if that condition holds in it.
 */
static inline uint64_t sim_count(const struct sim_step *step, unsigned int mask, bool invert,
				 bool edge)
{
	bool holds = mask == 0 ? step->per_cycle > 0
		     : invert  ? step->per_cycle < mask
			       : step->per_cycle >= mask;

	if (edge)
		return holds && step->cycles > 0;
	if (mask == 0)
		return (uint64_t)step->cycles * step->per_cycle;
	return holds ? step->cycles : 0;
}

#endif /* TESTS_SIM_SIM_H */
