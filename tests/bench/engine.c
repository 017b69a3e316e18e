// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measures the cost of the rules and the engine themselves, without the processor: the register
 * primitives are a load or a store. engine.sh runs this under callgrind, which dumps each
 * operation's instructions; a line "FAMILY|COUNTERS|OPERATION|WRITES" for each, in the same order,
 * tells the writes of registers.
 */
#define PERFCTR_KERNEL_STATE
#include <perfctr/abi-x86.h>
#include <perfctr/abi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>
#include "arch/isa.h"
#include "perfctr/read.h"

struct perfctr_core;
static inline uint32_t perfctr_core_tsc(struct perfctr_core *core);
static inline uint32_t perfctr_core_rdpmc(struct perfctr_core *core, uint32_t map);
static inline uint64_t perfctr_core_read_counter(struct perfctr_core *core, uint32_t reg);
static inline void perfctr_core_write_counter(struct perfctr_core *core, uint32_t reg,
					      uint64_t value);
static inline uint64_t perfctr_core_read_control(struct perfctr_core *core, uint32_t reg);
static inline void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg,
					      uint64_t value);

#include "arch/engine.h"

/* One word for all registers; what is written to them is logged, and so counted. */
struct perfctr_core {
	struct perfctr_cache cache;
	volatile uint32_t clock;
	volatile uint64_t reg;
	volatile uint64_t *log;
};

static volatile uint64_t writes[2 * PERFCTR_WRITES + 2 * PERFCTR_COUNTERS];

static inline struct perfctr_cache *perfctr_core_cache(struct perfctr_core *core)
{
	return &core->cache;
}

/* One that stands still would have perfctr_next_tick() try 1,000 times, as no processor's does. */
static inline uint32_t perfctr_core_tsc(struct perfctr_core *core)
{
#if PERFCTR_HAVE_RDTSC && (defined(__i386__) || defined(__x86_64__))
	(void)core;
	return perfctr_rdtscl();
#else
	return core->clock++;
#endif
}

static inline uint32_t perfctr_core_rdpmc(struct perfctr_core *core, uint32_t map)
{
	(void)map;
	return (uint32_t)core->reg;
}

static inline uint64_t perfctr_core_read_counter(struct perfctr_core *core, uint32_t reg)
{
	(void)reg;
	return core->reg;
}

static inline void perfctr_core_write_counter(struct perfctr_core *core, uint32_t reg,
					      uint64_t value)
{
	(void)reg;
	*core->log++ = value;
}

static inline uint64_t perfctr_core_read_control(struct perfctr_core *core, uint32_t reg)
{
	(void)reg;
	return core->reg;
}

static inline void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg,
					      uint64_t value)
{
	(void)reg;
	*core->log++ = value;
}

/* ---- controls ---- */

static const struct family {
	const char *name;
	const char *id;		   /* for perfctr_cpu_named() */
	unsigned int programmable; /* the other counters of four are fixed ones */
	uint32_t evntsel[2];	   /* two controls, for two threads */
	uint32_t only_first;	   /* bits of the first counter's event select */
	uint32_t interrupt;	   /* of i-mode counters' */
} families[] = {
	{ "P5", "p5", 2, { 0xD6, 0xC1 }, 0, 0 },
	{ "P6", "piii", 2, { 0x300C0, 0x30079 }, 0x400000, 0x100000 },
	{ "K7", "k7", 4, { 0x4300C0, 0x430076 }, 0, 0x100000 },
	{ "P4", "p4", 4, { 0x31000, 0x71000 }, 0, 0x4000000 },
	{ "Core 2", "core2", 2, { 0x4300C0, 0x43003C }, 0, 0x100000 },
	{ "Skylake", "skylake", 4, { 0x4300C0, 0x43003C }, 0, 0x100000 },
	{ "Zen 3", "zen3", 4, { 0x4300C0, 0x430076 }, 0, 0x100000 },
};
enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

/* A CCCR's ESCR SELECT and the ESCR, of counters 0, 4, 8 and 12. */
static const struct {
	uint8_t select;
	uint16_t escr;
} p4[] = { { 6, 0x3A2 }, { 0, 0x3C0 }, { 0, 0x3A6 }, { 4, 0x3B8 } };

/* The control of one of the threads. Returns the number of counters, if there are fewer. */
static unsigned int make_control(const struct family *f, const struct perfctr_cpu *cpu,
				 unsigned int which, unsigned int n, bool imode,
				 struct perfctr_cpu_control *c)
{
	unsigned int fixed = cpu->fixed ? 4 - f->programmable : 0, i;

	if (n > f->programmable + fixed)
		n = f->programmable + fixed;
	memset(c, 0, sizeof(*c));
	c->tsc_on = 1;
	c->nractrs = imode ? 0 : n;
	c->nrictrs = imode ? n : 0;
	for (i = 0; i < n; i++) {
		c->pmc_map[i] = i;
		c->evntsel[i] = f->evntsel[which] | (i ? 0 : f->only_first) |
				(imode ? f->interrupt : 0);
		if (cpu->rules == PERFCTR_RULES_P4) {
			c->pmc_map[i] = 4 * i;
			c->evntsel[i] |= (uint32_t)p4[i].select << 13;
			c->p4.escr[i] = 0xC | 0x200u << which | (which + 1) << 25;
		} else if (i >= f->programmable) {
			c->pmc_map[i] = 0x40000000 + i - f->programmable;
			c->evntsel[i] = which ? 0x10000 : 0x30000;
		}
		c->ireset[i] = imode ? -1000 : 0;
	}
	return n;
}

/* ---- operations ---- */

struct thread {
	struct perfctr_cpu_control control;
	struct perfctr_program program;
	struct perfctr_cpu_state state;
};

static struct perfctr_core core;
static struct perfctr_cpu cpu;
static struct thread threads[2];

/* From one thread to another, or to itself. */
typedef void (*operation_fn)(struct thread *from, struct thread *to);

static void nothing(struct thread *from, struct thread *to)
{
	(void)from;
	(void)to;
}

static void compile(struct thread *from, struct thread *to)
{
	struct perfctr_diagnosis d;

	(void)to;
	if (perfctr_x86_compile(&cpu, &from->control, 0, &from->program, &d) < 0) {
		fprintf(stderr, "%s: %s[%d] 0x%X: %s\n", cpu.name, d.field, d.index, d.bits,
			d.rule);
		exit(1);
	}
}

static void switch_threads(struct thread *from, struct thread *to)
{
	perfctr_cpu_suspend(&core, &from->state, &from->program);
	perfctr_cpu_resume(&core, &to->state, &to->program);
}

static void sample(struct thread *from, struct thread *to)
{
	(void)to;
	perfctr_cpu_sample(&core, &from->state, &from->program);
}

static void measure(const char *label, const char *name, operation_fn operation,
		    struct thread *from, struct thread *to)
{
	operation_fn volatile hidden = operation; /* called as it is, and not inlined */

	core.log = writes;
	CALLGRIND_ZERO_STATS;
	hidden(from, to);
	CALLGRIND_DUMP_STATS_AT(name);
	printf("%s|%s|%td\n", label, name, core.log - writes);
}

static void measure_case(const struct family *f, unsigned int n, bool imode)
{
	struct thread *a = &threads[0], *b = &threads[1];
	char label[80];
	unsigned int i;

	memset(&core, 0, sizeof(core));
	core.log = writes;
	for (i = 0; i < 2; i++) {
		n = make_control(f, &cpu, i, n, imode, &threads[i].control);
		memset(&threads[i].state, 0, sizeof(threads[i].state));
		compile(&threads[i], NULL);
		perfctr_cpu_update_control(&threads[i].state, &threads[i].program, 1, i + 1);
	}
	snprintf(label, sizeof(label), "%s|%u %s", f->name, n, imode ? "i-mode" : "a-mode");
	/* Each has run here before, and whoever is measured runs. */
	perfctr_cpu_resume(&core, &a->state, &a->program);
	switch_threads(a, b);
	switch_threads(b, a);
	switch_threads(a, a);
	measure(label, "warm", switch_threads, a, a);
	measure(label, "sample", sample, a, NULL);
	measure(label, "cold", switch_threads, a, b);
	measure(label, "compile", compile, a, NULL);
}

int main(void)
{
	unsigned int i;

	/* What callgrind's own macros cost. */
	measure("-|-", "nothing", nothing, NULL, NULL);
	for (i = 0; i < FAMILIES; i++) {
		if (perfctr_cpu_named(families[i].id, &cpu) < 0)
			return 1;
		measure_case(&families[i], 1, false);
		measure_case(&families[i], 4, false);
		if (families[i].interrupt)
			measure_case(&families[i], 1, true);
	}
	return 0;
}
