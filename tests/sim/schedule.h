/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedule.h - a random scheduler over simulated processors, and a ledger with the expected value
 * of each virtual counter.
 *
 * Threads with different controls run on several CPUs, are suspended and resumed anywhere, sampled,
 * stopped, and given new controls, while events happen to them and to nobody. What a counter is
 * meant to count is kept apart from its control (struct intent), so the ledger owes nothing to
 * arch/. The includer has seen an ISA's ABI header with PERFCTR_KERNEL_STATE, and defines struct
 * perfctr_core's primitives by including this file; it supplies families and their encodings.
 */
#ifndef TESTS_SIM_SCHEDULE_H
#define TESTS_SIM_SCHEDULE_H

#include <stdio.h>
#include <string.h>
#include "arch/isa.h"
#include "tests/sim/sim.h"
#include "tests/harness/check.h"
#include "tests/harness/random.h"

struct perfctr_core;
static uint32_t perfctr_core_tsc(struct perfctr_core *core);
static uint32_t perfctr_core_rdpmc(struct perfctr_core *core, uint32_t map);
static uint64_t perfctr_core_read_counter(struct perfctr_core *core, uint32_t reg);
static void perfctr_core_write_counter(struct perfctr_core *core, uint32_t reg, uint64_t value);
static uint64_t perfctr_core_read_control(struct perfctr_core *core, uint32_t reg);
static void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg, uint64_t value);

#include "arch/engine.h"

struct perfctr_core {
	struct perfctr_cache cache;
	struct sim_core *sim;
	uint32_t noise; /* an event that happens while counters are loaded; 0: none */
};

/* Nothing may count between the loading of a counter and its start. */
static inline void make_noise(struct perfctr_core *core)
{
	struct sim_step step = { .event = core->noise, .cycles = 1, .per_cycle = 1 };

	if (core->noise)
		sim_run(core->sim, &step);
}

static inline struct perfctr_cache *perfctr_core_cache(struct perfctr_core *core)
{
	return &core->cache;
}

static uint32_t perfctr_core_tsc(struct perfctr_core *core)
{
	static unsigned int reads;

	/* Some time passes while it is read, but not always a tick. */
	core->sim->tsc += reads++ % 3 == 0;
	return (uint32_t)core->sim->tsc;
}

static uint32_t perfctr_core_rdpmc(struct perfctr_core *core, uint32_t map)
{
	return (uint32_t)sim_rdpmc(core->sim, map);
}

/* Registers by their numbers. Who has other ways to them defines SIM_OWN_REGISTERS, and these. */
#ifndef SIM_OWN_REGISTERS
static uint64_t perfctr_core_read_counter(struct perfctr_core *core, uint32_t reg)
{
	return sim_read(core->sim, reg);
}

static void perfctr_core_write_counter(struct perfctr_core *core, uint32_t reg, uint64_t value)
{
	sim_write(core->sim, reg, value);
	make_noise(core);
}

static uint64_t perfctr_core_read_control(struct perfctr_core *core, uint32_t reg)
{
	return sim_read(core->sim, reg);
}

static void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg, uint64_t value)
{
	sim_write(core->sim, reg, value);
}
#endif

/* What a counter is for. */
struct intent {
	uint32_t event; /* as in struct sim_step */
	bool user, kernel;
	unsigned int mask; /* with inversion and edge detection, see sim_count() */
	bool invert, edge;
	bool cycles;	/* counts the cycles of whatever happens */
	bool large;	/* happens up to 64 times in a cycle */
	bool overflows; /* i-mode, each time that it has counted period more */
	uint32_t period;
	unsigned int counter; /* physical */
};

enum { MAX_INTENTS = 18, THREADS = 5 };

struct family {
	const char *name;
	const struct sim_model *model;
	const char *id;		    /* for perfctr_cpu_named() */
	unsigned int cores, stride; /* CPUs, and every how many may be used (HT) */
	uint32_t fixed;		    /* Intel: the fixed counters that the model has; 0: all */
	/* Make up what to count, and the control for it. Returns the number of counters. */
	unsigned int (*control)(const struct perfctr_cpu *cpu, struct perfctr_cpu_control *control,
				struct intent intent[]);
};

struct thread {
	struct perfctr_cpu_control control;
	struct perfctr_cpu_state state;
	struct perfctr_program program;
	struct intent intent[MAX_INTENTS];
	unsigned int n;
	int cpu;		      /* where it runs; -1: nowhere */
	uint64_t ledger[MAX_INTENTS]; /* what the sums must be */
	uint64_t since[MAX_INTENTS];  /* i-mode: counted since the last restart */
	unsigned long overflows;
};

static bool random_bool(void)
{
	return random_below(2);
}

/* A random choice of n of the set's members, in random order. */
static inline unsigned int choose(uint32_t set, unsigned int max, unsigned int chosen[])
{
	unsigned int n = 0, i, k, t;

	for (i = 0; i < 32; i++)
		if (set >> i & 1)
			chosen[n++] = i;
	for (i = 0; i < n; i++) {
		k = i + random_below(n - i);
		t = chosen[i];
		chosen[i] = chosen[k];
		chosen[k] = t;
	}
	k = random_below(n + 1);
	return k < max ? k : max;
}

/* A-mode counters stand before i-mode counters. */
static inline void choose_modes(const struct perfctr_cpu *cpu, struct perfctr_cpu_control *c,
				struct intent intent[], unsigned int n)
{
	unsigned int i;

	c->nrictrs = cpu->pcint && random_bool() ? random_below(n + 1) : 0;
	c->nractrs = n - c->nrictrs;
	for (i = c->nractrs; i < n; i++) {
		intent[i].overflows = true;
		intent[i].period = 1 + random_below(60);
		c->ireset[i] = -(int)intent[i].period;
	}
}

static inline void choose_levels(struct intent *intent)
{
	unsigned int levels = 1 + random_below(3);

	intent->user = levels & 1;
	intent->kernel = levels & 2;
}

struct machine {
	const struct family *family;
	struct perfctr_cpu cpu;
	struct sim_core sim[SIM_MAX_CORES];
	struct perfctr_core core[SIM_MAX_CORES];
	struct thread thread[THREADS];
	struct thread *current[SIM_MAX_CORES];
	bool left[SIM_MAX_CORES]; /* another process runs, and sees nothing */
	uint64_t last_id;
	unsigned long steps, switches, handed_over, overflows;
};

static uint64_t intended(const struct intent *intent, const struct sim_step *step)
{
	if (step->user ? !intent->user : !intent->kernel)
		return 0;
	if (intent->cycles)
		return step->cycles;
	return intent->event == step->event
		       ? sim_count(step, intent->mask, intent->invert, intent->edge)
		       : 0;
}

static void compare(const struct machine *m, const struct thread *t)
{
	unsigned int i;

	/* The clock never goes backwards, which would make it jump by 2^32. */
	ck_assert_uint_lt(t->state.tsc_sum, 1ull << 32);
	for (i = 0; i < t->n; i++)
		ck_assert_msg(
			t->state.pmc[i].sum == t->ledger[i],
			"%s: step %lu: counter %u (physical %u, event 0x%X%s) has %llu, ledger %llu",
			m->family->name, m->steps, i, t->intent[i].counter, t->intent[i].event,
			t->intent[i].overflows ? ", i-mode" : "",
			(unsigned long long)t->state.pmc[i].sum, (unsigned long long)t->ledger[i]);
}

/* Take what has overflowed, and demand that it is what should have. */
static void overflow(struct machine *m, struct thread *t)
{
	uint32_t mask = perfctr_cpu_identify_overflow(&t->state, &t->program), expected = 0;
	unsigned int i;

	for (i = 0; i < t->n; i++) {
		if (t->intent[i].overflows && t->since[i] >= t->intent[i].period) {
			expected |= 1u << i;
			t->since[i] = 0;
			t->overflows++;
			m->overflows++;
		}
	}
	ck_assert_msg(mask == expected, "%s: step %lu: overflowed 0x%X, expected 0x%X",
		      m->family->name, m->steps, mask, expected);
	for (i = 0; i < t->n; i++)
		if (mask >> i & 1)
			ck_assert_uint_eq(t->state.pmc[i].start, t->program.counter[i].ireset);
	if (mask)
		perfctr_cpu_ireload(&t->state);
}

static void suspend(struct machine *m, unsigned int cpu)
{
	struct thread *t = m->current[cpu];

	perfctr_cpu_suspend(&m->core[cpu], &t->state, &t->program);
	t->cpu = -1;
	m->current[cpu] = NULL;
	compare(m, t);
}

/* Another process comes: of the includer's ISA, which defines SIM_LEAVES; else nothing happens. */
static void leave(struct machine *m, unsigned int cpu);
static void see_nothing(struct machine *m, unsigned int cpu);

#ifndef SIM_LEAVES
static void leave(struct machine *m, unsigned int cpu)
{
	(void)m;
	(void)cpu;
}

static void see_nothing(struct machine *m, unsigned int cpu)
{
	leave(m, cpu);
}
#endif

static void resume(struct machine *m, unsigned int cpu, struct thread *t)
{
	unsigned long writes = m->sim[cpu].register_writes;
	bool warm = m->core[cpu].cache.id == t->program.id && !t->program.stops;

	overflow(m, t);
	m->core[cpu].noise = t->n ? t->intent[random_below(t->n)].event : 0;
	perfctr_cpu_resume(&m->core[cpu], &t->state, &t->program);
	m->core[cpu].noise = 0;
	t->cpu = (int)cpu;
	m->current[cpu] = t;
	m->left[cpu] = false;
	m->switches++;
	/* Going on with the same a-mode counters costs no write. */
	if (warm && !m->sim[cpu].model->shared)
		ck_assert_uint_eq(m->sim[cpu].register_writes, writes);
}

/* To a thread with the same program: no register is touched. */
static void hand_over(struct machine *m, unsigned int cpu, struct thread *next)
{
	unsigned long writes = m->sim[cpu].register_writes;
	struct thread *t = m->current[cpu];

	perfctr_cpu_hand_over(&m->core[cpu], &t->state, &next->state, &next->program);
	t->cpu = -1;
	next->cpu = (int)cpu;
	m->current[cpu] = next;
	m->switches++;
	m->handed_over++;
	ck_assert_uint_eq(m->sim[cpu].register_writes, writes);
	compare(m, t);
}

static inline int compile(const struct machine *m, const struct perfctr_cpu_control *control,
			  unsigned int flags, struct perfctr_program *program,
			  struct perfctr_diagnosis *diagnosis)
{
	return m->cpu.isa->compile(&m->cpu, control, flags, program, diagnosis);
}

/* Of the includer's ISA. */
static uint32_t control_register(const struct perfctr_cpu *cpu, unsigned int slot);
static int setup_register(const struct perfctr_cpu *cpu, unsigned int n, uint32_t *reg,
			  uint64_t *value);

/* The driver keeps the sums that "preserve" names; here, all begin again. */
static void begin_sums(struct thread *t, uint64_t id)
{
	memset(&t->state, 0, sizeof(t->state));
	memset(t->ledger, 0, sizeof(t->ledger));
	memset(t->since, 0, sizeof(t->since));
	perfctr_cpu_update_control(&t->state, &t->program, t->control.tsc_on, id);
}

/* Count what another one counts, by the same program. False: it stops, or there is none yet. */
static bool imitate(struct thread *t, const struct thread *other)
{
	if (!other->program.id || other->program.stops)
		return false;
	t->control = other->control;
	t->program = other->program;
	t->n = other->n;
	memcpy(t->intent, other->intent, sizeof(t->intent));
	begin_sums(t, other->program.id);
	return true;
}

/* A new control for a thread that does not run. */
static void set_control(struct machine *m, struct thread *t)
{
	const struct thread *other = &m->thread[random_below(THREADS)];
	struct perfctr_diagnosis d = { 0 };
	unsigned int i;

	if (other != t && random_below(3) == 0 && imitate(t, other))
		return;
	memset(&t->control, 0, sizeof(t->control));
	memset(t->intent, 0, sizeof(t->intent));
	t->control.tsc_on = m->cpu.no_tsc ? 0 : random_below(4) > 0;
	t->n = m->family->control(&m->cpu, &t->control, t->intent);
	ck_assert_msg(compile(m, &t->control, PERFCTR_COMPILE_EXTENDED, &t->program, &d) == 0,
		      "%s: %s[%d] 0x%X: %s", m->family->name, d.field, d.index, d.bits, d.rule);
	for (i = 0; i < t->n; i++)
		t->intent[i].counter = t->control.pmc_map[i];
	begin_sums(t, ++m->last_id);
}

static inline void machine_open(struct machine *m, const struct family *family)
{
	unsigned int cpu, slot, n;
	uint64_t value;
	uint32_t reg;

	memset(m, 0, sizeof(*m));
	m->family = family;
	ck_assert_int_eq(perfctr_cpu_named(family->id, &m->cpu), 0);
	if (family->fixed)
		m->cpu.fixed = family->fixed;
#ifdef SIM_WIDTH /* of a counter, in what the includer calls the family */
	m->cpu.width = SIM_WIDTH(family->name);
#endif
	sim_open(m->sim, family->cores, family->model);
	for (cpu = 0; cpu < family->cores; cpu += family->stride) {
		m->core[cpu].sim = &m->sim[cpu];
		m->core[cpu].cache.cpu = (int)cpu;
		for (slot = 0; slot < PERFCTR_SLOTS; slot++)
			if (control_register(&m->cpu, slot))
				perfctr_core_write_control(&m->core[cpu],
							   control_register(&m->cpu, slot), 0);
		for (n = 0; setup_register(&m->cpu, n, &reg, &value) == 0; n++)
			perfctr_core_write_control(&m->core[cpu], reg, value);
	}
	for (n = 0; n < THREADS; n++) {
		m->thread[n].cpu = -1;
		set_control(m, &m->thread[n]);
	}
}

/* Something happens on the CPU: most of the time, what its thread counts. */
static void happen(struct machine *m, unsigned int cpu)
{
	const struct thread *other = &m->thread[random_below(THREADS)];
	struct thread *t = m->current[cpu];
	struct sim_step step = {
		.user = random_bool(),
		.cycles = 1 + random_below(8),
		.per_cycle = random_below(4),
	};
	unsigned int i;

	if (t && random_below(4))
		other = t;
	step.event = 0x55;
	if (other->n) {
		const struct intent *intent = &other->intent[random_below(other->n)];

		step.event = intent->event;
		step.per_cycle = random_below(intent->large ? 65 : 4);
	}
	sim_run(&m->sim[cpu], &step);
	if (m->left[cpu])
		see_nothing(m, cpu);
	for (i = 0; t && i < t->n; i++) {
		uint64_t count = intended(&t->intent[i], &step);

		t->ledger[i] += count;
		if (!t->intent[i].overflows)
			continue;
		t->since[i] += count;
		/* The one that passes its period now must interrupt now. */
		if (t->since[i] >= t->intent[i].period && t->since[i] - count < t->intent[i].period)
			ck_assert_msg(m->sim[cpu].pmi, "%s: step %lu: no interrupt for counter %u",
				      m->family->name, m->steps, i);
	}
}

/* An interrupt comes at once or some steps later, and then, perhaps, to another thread. */
static void interrupt(struct machine *m, unsigned int cpu)
{
	struct thread *t = m->current[cpu];

	m->sim[cpu].pmi = false;
	if (!t || !perfctr_cstatus_has_ictrs(t->state.cstatus))
		return;
	suspend(m, cpu);
	resume(m, cpu, t);
}

static void machine_step(struct machine *m)
{
	unsigned int cpu = random_below(m->family->cores / m->family->stride) * m->family->stride;
	struct thread *t = m->current[cpu], *next = &m->thread[random_below(THREADS)];
	uint32_t what = random_below(100);
	unsigned int i;

	m->steps++;
	if (m->sim[cpu].pmi && random_below(3)) {
		interrupt(m, cpu);
	} else if (what < 70) {
		happen(m, cpu);
	} else if (what < 88 && t && next->cpu < 0 &&
		   perfctr_cpu_can_hand_over(&m->core[cpu], &t->program, &next->program)) {
		hand_over(m, cpu, next);
	} else if (what < 88) {
		if (t)
			suspend(m, cpu);
		if (t && random_bool())
			leave(m, cpu);
		/* What the northbridge counts is left to one core. */
		if (next->cpu < 0 && random_below(8) && (cpu == 0 || !next->program.one_core))
			resume(m, cpu, next);
	} else if (what < 94) {
		if (!t)
			return;
		perfctr_cpu_sample(&m->core[cpu], &t->state, &t->program);
		compare(m, t);
	} else if (what < 99) {
		if (!t)
			return;
		/* As user space reads. */
		for (i = 0; i < t->n; i++)
			ck_assert_uint_eq(t->state.pmc[i].sum +
						  (uint32_t)(perfctr_counter_now(&m->core[cpu],
										 &t->program, i) -
							     t->state.pmc[i].start),
					  t->ledger[i]);
	} else {
		if (next->cpu >= 0)
			suspend(m, (unsigned int)next->cpu);
		set_control(m, next);
	}
}

/* Steps of each test: SIM_STEPS makes it thorough. */
static unsigned long number_of_steps(void)
{
	const char *steps = getenv("SIM_STEPS");

	return steps ? strtoul(steps, NULL, 10) : 300000;
}

static inline void run_family(const struct family *family)
{
	static struct machine m;
	unsigned long n = number_of_steps();

	machine_open(&m, family);
	while (m.steps < n)
		machine_step(&m);
	printf("%s: %lu steps, %lu switches, %lu of them handed over, %lu overflows: exact\n",
	       family->name, m.steps, m.switches, m.handed_over, m.overflows);
	sim_close(m.sim, family->cores);
}

/* main(): the other test, unless it is NULL, and then test_family for each of the families. */
#define SIM_MAIN(name, other)                                                   \
	int main(void)                                                          \
	{                                                                       \
		const TTest *const tests[] = { other };                         \
                                                                                \
		return run_tests(name, 0, tests, tests[0] != NULL, test_family, \
				 (int)ARRAY_SIZE(families));                    \
	}

#endif /* TESTS_SIM_SCHEDULE_H */
