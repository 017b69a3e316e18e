// SPDX-License-Identifier: LGPL-2.1-or-later
/* The engine over a simulated arm64 with PMUv3. */
#define PERFCTR_KERNEL_STATE
#include <perfctr/abi-generic.h>
#include <perfctr/abi.h>
#define SIM_OWN_REGISTERS
#define SIM_WIDTH(name) (strcmp(name, "PMUv3p5") ? 32 : 64)
#include "tests/sim/schedule.h"

/* The numbers of arch/arm64/pmuv3.h, and one of our own. */
enum { CYCLE_COUNTER = 31, PMCCFILTR = 32, PMOVSCLR = 33, PMINTEN = 34, PMCNTEN = 35, PMCR = 36 };

static uint64_t perfctr_core_read_counter(struct perfctr_core *core, uint32_t reg)
{
	return sim_read(core->sim,
			reg == CYCLE_COUNTER ? (uint32_t)SIM_PMCCNTR : SIM_PMEVCNTR0 + reg);
}

static void perfctr_core_write_counter(struct perfctr_core *core, uint32_t reg, uint64_t value)
{
	sim_write(core->sim, reg == CYCLE_COUNTER ? (uint32_t)SIM_PMCCNTR : SIM_PMEVCNTR0 + reg,
		  value);
	make_noise(core);
}

static uint64_t perfctr_core_read_control(struct perfctr_core *core, uint32_t reg)
{
	return sim_read(core->sim, SIM_PMEVTYPER0 + reg - 1);
}

static void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg, uint64_t value)
{
	switch (reg) {
	case PMCCFILTR: sim_write(core->sim, SIM_PMCCFILTR, value); break;
	case PMOVSCLR: sim_write(core->sim, SIM_PMOVSCLR, value); break;
	case PMINTEN:
		sim_write(core->sim, SIM_PMINTENCLR, ~value & 0xFFFFFFFF);
		sim_write(core->sim, SIM_PMINTENSET, value);
		break;
	case PMCR: sim_write(core->sim, SIM_PMCR, value); break;
	case PMCNTEN:
		sim_write(core->sim, SIM_PMCNTENCLR, ~value & 0xFFFFFFFF);
		sim_write(core->sim, SIM_PMCNTENSET, value);
		break;
	default: sim_write(core->sim, SIM_PMEVTYPER0 + reg - 1, value);
	}
}

static uint32_t control_register(const struct perfctr_cpu *cpu, unsigned int slot)
{
	return perfctr_arm64_register(cpu, slot);
}

static int setup_register(const struct perfctr_cpu *cpu, unsigned int n, uint32_t *reg,
			  uint64_t *value)
{
	*reg = PMCR;
	*value = cpu->width == 64 ? 0xC1 : 0x41; /* LP, LC and E */
	return n == 0 ? 0 : -1;
}

static unsigned int pmuv3_control(const struct perfctr_cpu *cpu, struct perfctr_cpu_control *c,
				  struct intent intent[])
{
	unsigned int pmc[32], n = choose(cpu->counters, MAX_INTENTS, pmc), i;

	choose_modes(cpu, c, intent, n);
	for (i = 0; i < n; i++) {
		c->pmc_map[i] = pmc[i];
		choose_levels(&intent[i]);
		intent[i].event = pmc[i] == CYCLE_COUNTER ? 0x11 : 0x20 + random_below(6);
		intent[i].cycles = pmc[i] == CYCLE_COUNTER;
		c->evntsel[i] = intent[i].event | (intent[i].kernel ? 0 : 1u << 31) |
				(intent[i].user ? 0 : 1u << 30);
	}
	return n;
}

static const struct family families[] = {
	{ "PMUv3", &sim_pmuv3, "pmuv3", 4, 1, 0, pmuv3_control },
	{ "PMUv3p5", &sim_pmuv3, "pmuv3", 4, 1, 0, pmuv3_control },
};

START_TEST(test_family)
{
	run_family(&families[_i]);
}
END_TEST

SIM_MAIN("simulated arm64", NULL)
