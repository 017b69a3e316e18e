// SPDX-License-Identifier: LGPL-2.1-or-later
/* The engine over simulated x86 processors: every count exact, every overflow delivered once. */
#define PERFCTR_KERNEL_STATE
#include <perfctr/abi-x86.h>
#include <perfctr/abi.h>
#include "tests/sim/schedule.h"

static uint32_t control_register(const struct perfctr_cpu *cpu, unsigned int slot)
{
	return perfctr_x86_register(cpu, slot);
}

static int setup_register(const struct perfctr_cpu *cpu, unsigned int n, uint32_t *reg,
			  uint64_t *value)
{
	return perfctr_x86_setup(cpu, n, reg, value);
}

/* ---- what to count, and the control for it ---- */

static unsigned int p5_control(const struct perfctr_cpu *cpu, struct perfctr_cpu_control *c,
			       struct intent intent[])
{
	unsigned int pmc[32], n = choose(cpu->counters, MAX_INTENTS, pmc), i;

	choose_modes(cpu, c, intent, n);
	for (i = 0; i < n; i++) {
		uint32_t event = 1 + random_below(6);

		c->pmc_map[i] = pmc[i];
		choose_levels(&intent[i]);
		switch (cpu->rules) {
		case PERFCTR_RULES_MII:
			event |= random_below(2) << 6;
			c->evntsel[i] = (event & 0x3F) | (event & 0x40) << 4;
			break;
		case PERFCTR_RULES_WINCHIP:
		case PERFCTR_RULES_C3:
			c->evntsel[i] = event;
			intent[i].user = intent[i].kernel = true;
			break;
		default: c->evntsel[i] = event;
		}
		intent[i].event = event;
		if (cpu->rules == PERFCTR_RULES_P5 || cpu->rules == PERFCTR_RULES_MII)
			c->evntsel[i] |= (intent[i].kernel ? 0x40 : 0) |
					 (intent[i].user ? 0x80 : 0);
	}
	return n;
}

/* The event select of P6 and its successors. */
static uint32_t evntsel(struct intent *intent, bool enable)
{
	intent->event = 0x20 + random_below(5) + (random_below(3) << 8);
	choose_levels(intent);
	if (random_below(4) == 0) {
		intent->mask = 1 + random_below(3);
		intent->invert = random_bool();
	}
	intent->edge = random_below(8) == 0;
	return intent->event | (intent->user ? 0x10000u : 0) | (intent->kernel ? 0x20000u : 0) |
	       (intent->edge ? 0x40000u : 0) | (intent->overflows ? 0x100000u : 0) |
	       (enable ? 0x400000u : 0) | (intent->invert ? 0x800000u : 0) | intent->mask << 24;
}

static unsigned int p6_control(const struct perfctr_cpu *cpu, struct perfctr_cpu_control *c,
			       struct intent intent[])
{
	unsigned int pmc[32], n = choose(cpu->counters, MAX_INTENTS, pmc), i;

	choose_modes(cpu, c, intent, n);
	for (i = 0; i < n; i++) {
		c->pmc_map[i] = pmc[i];
		c->evntsel[i] = evntsel(&intent[i], pmc[i] == 0);
	}
	return n;
}

/* Zen's event 003H, in an even counter whose next one is not chosen. */
static bool choose_pair(const struct perfctr_cpu *cpu, const unsigned int pmc[], unsigned int n,
			unsigned int i)
{
	unsigned int k;

	for (k = 0; k < n; k++)
		if (pmc[k] == pmc[i] + 1)
			return false;
	return cpu->pairs && pmc[i] % 2 == 0 && cpu->counters >> (pmc[i] + 1) & 1 && random_bool();
}

/* Bits 40 and 41: guests only, of which there are none here, the host only, or both. */
static void choose_guest(struct perfctr_cpu_control *c, unsigned int i, struct intent *intent)
{
	unsigned int only = 1 + random_below(3);

	c->evntsel_high[i] |= only << 8;
	if (only == 1)
		intent->user = intent->kernel = false;
}

static unsigned int k7_control(const struct perfctr_cpu *cpu, struct perfctr_cpu_control *c,
			       struct intent intent[])
{
	unsigned int pmc[32], n = choose(cpu->counters, MAX_INTENTS, pmc), i;

	choose_modes(cpu, c, intent, n);
	for (i = 0; i < n; i++) {
		c->pmc_map[i] = pmc[i];
		c->evntsel[i] = evntsel(&intent[i], true);
		if (choose_pair(cpu, pmc, n, i)) {
			c->evntsel[i] = (c->evntsel[i] & ~0xFFu) | 0x03;
			intent[i].event = (intent[i].event & ~0xFFu) | 0x03;
			intent[i].large = true;
		} else if (cpu->reserved >> 32 != 0xFFFFFFFF && random_bool()) {
			c->evntsel_high[i] = 1;
			intent[i].event |= 1 << 16;
		} else if (cpu->northbridge && random_below(8) == 0) {
			c->evntsel[i] |= 0xE0;
			intent[i].event |= 0xE0;
		}
		if (cpu->reserved >> 32 != 0xFFFFFFFF && random_below(4) == 0)
			choose_guest(c, i, &intent[i]);
	}
	return n;
}

static unsigned int arch_control(const struct perfctr_cpu *cpu, struct perfctr_cpu_control *c,
				 struct intent intent[])
{
	static const uint32_t fixed[] = { 0xC0, 0x3C, 0x13C, 0x1A4 };
	unsigned int pmc[32], n = choose(cpu->counters | cpu->fixed << 24, MAX_INTENTS, pmc), i;

	choose_modes(cpu, c, intent, n);
	for (i = 0; i < n; i++) {
		c->pmc_map[i] = pmc[i];
		c->evntsel[i] = evntsel(&intent[i], true);
		if (pmc[i] >= 24) {
			c->pmc_map[i] = 0x40000000 + pmc[i] - 24;
			c->evntsel[i] &= 0x730000;
			intent[i].event = fixed[pmc[i] - 24];
			intent[i].mask = intent[i].invert = intent[i].edge = 0;
		} else if (cpu->offcore && random_below(6) == 0) {
			c->evntsel[i] = (c->evntsel[i] & ~0xFFFFu) | 0x01B7;
			intent[i].event = 0x01B7;
			c->offcore_rsp[0] = 0x10001 & (cpu->offcore_width > 32 ? ~0u : 0xFFFF);
			c->offcore_rsp_high[0] = cpu->offcore_width > 32 ? 0x3F : 0;
		}
	}
	return n;
}

/*
 * Each ESCR always has the same event here, because two counters may share it; and the levels are
 * the same in all of a control.
 */
static unsigned int p4_control(const struct perfctr_cpu *cpu, struct perfctr_cpu_control *c,
			       struct intent intent[])
{
	/* ESCR SELECT and ESCRs of the even and the odd half, by group: some that all models have.
	 */
	static const struct {
		uint8_t select;
		uint16_t even, odd;
	} escrs[4][2] = {
		{ { 6, 0x3A2, 0x3A3 }, { 2, 0x3AA, 0x3AB } },
		{ { 0, 0x3C0, 0x3C1 }, { 1, 0x3C4, 0x3C5 } },
		{ { 0, 0x3A6, 0x3A7 }, { 5, 0x3A8, 0x3A9 } },
		{ { 4, 0x3B8, 0x3B9 }, { 5, 0x3CC, 0x3CD } },
	};
	unsigned int pmc[32], n = choose(cpu->counters, MAX_INTENTS, pmc), i;
	struct intent levels = { 0 };

	choose_levels(&levels);
	choose_modes(cpu, c, intent, n);
	for (i = 0; i < n; i++) {
		unsigned int group = pmc[i] < 12 ? pmc[i] / 4 : 3, which = random_below(2);
		bool odd = pmc[i] < 16 ? pmc[i] & 2 : pmc[i] & 1;
		uint32_t escr = odd ? escrs[group][which].odd : escrs[group][which].even;
		uint32_t select = 1 + escr % 61;

		intent[i].user = levels.user;
		intent[i].kernel = levels.kernel;
		intent[i].event = select | (escr & 7) << 8 | escr << 16;
		c->pmc_map[i] = pmc[i] | (random_bool() ? 0x80000000u : 0);
		c->evntsel[i] = 0x31000 | (uint32_t)escrs[group][which].select << 13 |
				(intent[i].overflows ? 1u << 26 : 0);
		if (random_below(4) == 0) {
			intent[i].mask = 1 + random_below(3);
			intent[i].invert = random_bool();
			intent[i].edge = random_below(4) == 0;
			c->evntsel[i] |= 1u << 18 | (intent[i].invert ? 1u << 19 : 0) |
					 (intent[i].mask - 1) << 20 |
					 (intent[i].edge ? 1u << 24 : 0);
		}
		c->p4.escr[i] = (levels.user ? 4u : 0) | (levels.kernel ? 8u : 0) |
				1u << (9 + (escr & 7)) | select << 25;
	}
	return n;
}

static const struct family families[] = {
	{ "P5", &sim_p5, "p5", 2, 1, 0, p5_control },
	{ "P5MMX", &sim_p5mmx, "p5mmx", 2, 1, 0, p5_control },
	{ "MII", &sim_mii, "mii", 1, 1, 0, p5_control },
	{ "WinChip C6", &sim_winchip_c6, "winchip_c6", 1, 1, 0, p5_control },
	{ "WinChip 2", &sim_winchip_2, "winchip_2", 1, 1, 0, p5_control },
	{ "C3", &sim_c3, "c3", 1, 1, 0, p5_control },
	{ "P6", &sim_p6, "piii", 4, 1, 0, p6_control },
	{ "K7", &sim_k7, "k7", 2, 1, 0, k7_control },
	{ "K8", &sim_k8, "k8_c", 2, 1, 0, k7_control },
	{ "family 10h", &sim_fam10h, "fam10h", 4, 1, 0, k7_control },
	{ "family 15h", &sim_fam15h, "fam15h", 4, 1, 0, k7_control },
	{ "Zen", &sim_zen, "zen3", 4, 1, 0, k7_control },
	{ "Core", &sim_core, "core", 2, 1, 0, arch_control },
	{ "Core 2", &sim_core2, "core2", 4, 1, 0, arch_control },
	{ "Nehalem", &sim_nehalem, "nehalem_ep", 4, 1, 0, arch_control },
	{ "Sandy Bridge", &sim_sandybridge, "sandybridge", 4, 1, 0, arch_control },
	{ "Ice Lake", &sim_icelake, "icelake", 4, 1, 0, arch_control },
	{ "version 6", &sim_arch6, "skymont", 4, 1, 0xF, arch_control },
	{ "P4", &sim_p4, "p4", 2, 1, 0, p4_control },
	{ "P4 model 2", &sim_p4m2, "p4", 2, 1, 0, p4_control },
	{ "P4 model 3", &sim_p4m3, "p4m3", 2, 1, 0, p4_control },
	{ "P4 with HT", &sim_p4_ht, "p4m3", 4, 2, 0, p4_control },
};

START_TEST(test_family)
{
	run_family(&families[_i]);
}
END_TEST

/* With global counters of a hyper-threaded P4, CPL_T1 counts the other thread of the core. */
START_TEST(test_ht_global)
{
	static const struct family family = {
		"P4 with HT", &sim_p4_ht, "p4m3", 2, 2, 0, p4_control
	};
	struct sim_step step = { .user = true, .cycles = 3, .per_cycle = 1 };
	static struct machine m;
	struct perfctr_cpu_control c = {
		.nractrs = 1,
		.evntsel = { 0x3D000 },
		.p4.escr = { 5u << 25 | 1u << 9 | 1 },
	};
	struct perfctr_diagnosis d;
	struct thread *t = m.thread;

	machine_open(&m, &family);
	m.cpu.ht = 1;
	step.event = 5 | 0x3A2 << 16;
	ck_assert_int_eq(compile(&m, &c, 0, &t->program, &d), -1);
	ck_assert_str_eq(d.field, "p4.escr");
	ck_assert_int_eq(compile(&m, &c, PERFCTR_COMPILE_GLOBAL, &t->program, &d), 0);
	memset(&t->state, 0, sizeof(t->state));
	t->n = 0;
	perfctr_cpu_update_control(&t->state, &t->program, 0, ++m.last_id);
	resume(&m, 0, t);
	sim_run(&m.sim[0], &step); /* thread 0: not asked for */
	sim_run(&m.sim[1], &step);
	sim_run(&m.sim[1], &step);
	suspend(&m, 0);
	ck_assert_uint_eq(t->state.pmc[0].sum, 6);
	sim_close(m.sim, 2);
}
END_TEST

SIM_MAIN("simulated x86", test_ht_global)
