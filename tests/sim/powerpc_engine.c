// SPDX-License-Identifier: LGPL-2.1-or-later
/* The engine over simulated PowerPCs. */
#define PERFCTR_KERNEL_STATE
#include <perfctr/abi-powerpc.h>
#include <perfctr/abi.h>
#include "arch/powerpc/sprs.h"
#define SIM_OWN_REGISTERS
#define SIM_LEAVES
#include "tests/sim/schedule.h"
#include "arch/powerpc/leave.h"

#define MMCR0_FCS    0x40000000u
#define MMCR0_FCP    0x20000000u
#define MMCR0_PMXE   0x04000000u
#define MMCR0_PMC1CE 0x00008000u
#define MMCR0_PMCjCE 0x00004000u

/* As the driver does it: an instruction for each register of the list, and none for any other. */
static uint64_t read_spr(struct perfctr_core *core, uint32_t reg)
{
	switch (reg) {
#define CASE(name, number) \
	case number: return sim_read(core->sim, number);
		PERFCTR_SPRS(CASE)
#undef CASE
	}
	fprintf(stderr, "SPR %u is not in PERFCTR_SPRS\n", reg);
	abort();
}

static void write_spr(struct perfctr_core *core, uint32_t reg, uint64_t value)
{
	switch (reg) {
#define CASE(name, number) \
	case number: sim_write(core->sim, number, value); return;
		PERFCTR_SPRS(CASE)
#undef CASE
	}
	fprintf(stderr, "SPR %u is not in PERFCTR_SPRS\n", reg);
	abort();
}

static uint64_t perfctr_core_read_counter(struct perfctr_core *core, uint32_t reg)
{
	return read_spr(core, reg);
}

static void perfctr_core_write_counter(struct perfctr_core *core, uint32_t reg, uint64_t value)
{
	write_spr(core, reg, value);
	make_noise(core);
}

static uint64_t perfctr_core_read_control(struct perfctr_core *core, uint32_t reg)
{
	return read_spr(core, reg);
}

static void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg, uint64_t value)
{
	write_spr(core, reg, value);
}

static void leave(struct machine *m, unsigned int cpu)
{
	perfctr_powerpc_leave(&m->core[cpu], &m->cpu);
	m->left[cpu] = true;
}

static void see_nothing(struct machine *m, unsigned int cpu)
{
	static const uint32_t pmc[] = PERFCTR_SPR_PMCS;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(pmc); n++)
		if (m->cpu.counters >> n & 1)
			ck_assert_uint_eq(sim_read(&m->sim[cpu], pmc[n]), 0);
}

static uint32_t control_register(const struct perfctr_cpu *cpu, unsigned int slot)
{
	return perfctr_powerpc_register(cpu, slot);
}

static int setup_register(const struct perfctr_cpu *cpu, unsigned int n, uint32_t *reg,
			  uint64_t *value)
{
	return perfctr_powerpc_setup(cpu, n, reg, value);
}

/* The levels are the same for all counters; so is the mode of PMC2 to PMC6. */
static unsigned int ppc_control(const struct perfctr_cpu *cpu, struct perfctr_cpu_control *c,
				struct intent intent[])
{
	unsigned int pmc[32], n = choose(cpu->counters, MAX_INTENTS, pmc), i, k;
	bool first = random_bool(), others = random_bool();
	struct intent levels = { 0 };

	choose_levels(&levels);
	if (!levels.user)
		c->ppc.mmcr0 |= MMCR0_FCP;
	if (!levels.kernel)
		c->ppc.mmcr0 |= MMCR0_FCS;
	if (cpu->type >= PERFCTR_PPC_7400 && random_bool())
		c->ppc.mmcr2 = 0x80000000;
	/* A-mode counters stand before i-mode counters. */
	for (i = 0, k = 0; i < 2 * n; i++) {
		unsigned int p = pmc[i % n];
		bool overflows = p == 0 ? first : others;

		if (overflows != (i >= n))
			continue;
		intent[k] = levels;
		intent[k].event = 1 + random_below(6);
		intent[k].overflows = overflows;
		intent[k].mask = 0;
		intent[k].invert = intent[k].edge = intent[k].cycles = false;
		c->pmc_map[k] = p;
		c->evntsel[k] = intent[k].event;
		if (overflows) {
			c->nrictrs++;
			intent[k].period = 1 + random_below(60);
			c->ireset[k] = (int)(0x80000000u - intent[k].period);
			c->ppc.mmcr0 |= MMCR0_PMXE | (p == 0 ? MMCR0_PMC1CE : MMCR0_PMCjCE);
		}
		k++;
	}
	c->nractrs = n - c->nrictrs;
	return n;
}

static const struct family families[] = {
	{ "PowerPC 604", &sim_ppc604, "ppc604", 2, 1, 0, ppc_control },
	{ "PowerPC 604e", &sim_ppc604e, "ppc604e", 2, 1, 0, ppc_control },
	{ "PowerPC 750", &sim_ppc750, "ppc750", 1, 1, 0, ppc_control },
	{ "PowerPC 7400", &sim_ppc7400, "ppc7400", 2, 1, 0, ppc_control },
	{ "PowerPC 7450", &sim_ppc7450, "ppc7450", 2, 1, 0, ppc_control },
};

START_TEST(test_family)
{
	run_family(&families[_i]);
}
END_TEST

/* What the processor makes of MMCR0 (FC after FCECE, here) is the thread's, and stays with it. */
START_TEST(test_async)
{
	static const struct family family = {
		"7450", &sim_ppc7450, "ppc7450", 1, 1, 0, ppc_control
	};
	static struct machine m;
	struct sim_step step = { .event = 2, .user = true, .cycles = 1, .per_cycle = 1 };
	struct perfctr_diagnosis d;
	struct thread *t = m.thread;
	unsigned int k;

	machine_open(&m, &family);
	for (k = 0; k < 2; k++) {
		memset(&t[k], 0, sizeof(t[k]));
		t[k].control.nractrs = t[k].n = 1;
		t[k].control.evntsel[0] = 2;
		t[k].intent[0] = (struct intent){ .event = 2, .user = true };
		t[k].control.ppc.mmcr0 = k == 0 ? 0x02000000 : 0; /* FCECE */
		ck_assert_int_eq(compile(&m, &t[k].control, 0, &t[k].program, &d), 0);
		perfctr_cpu_update_control(&t[k].state, &t[k].program, 0, ++m.last_id);
	}
	resume(&m, 0, &t[0]);
	sim_run(&m.sim[0], &step);
	t[0].ledger[0]++;
	sim_write(&m.sim[0], 952, sim_read(&m.sim[0], 952) | 0x80000000);
	sim_run(&m.sim[0], &step);
	suspend(&m, 0);
	for (k = 0; k < 4; k++) {
		resume(&m, 0, &t[1]);
		sim_run(&m.sim[0], &step);
		t[1].ledger[0]++;
		suspend(&m, 0);
		resume(&m, 0, &t[0]);
		sim_run(&m.sim[0], &step);
		suspend(&m, 0);
	}
	ck_assert_uint_eq(t[0].state.pmc[0].sum, 1);
	ck_assert_uint_eq(t[1].state.pmc[0].sum, 4);
	sim_close(m.sim, 1);
}
END_TEST

SIM_MAIN("simulated PowerPC", test_async)
