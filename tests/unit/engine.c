// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The engine over registers that are plain memory and a clock that the test winds: what it writes
 * and leaves alone, to the bit. That counts are right is tests/sim's.
 */
#define PERFCTR_KERNEL_STATE
#include <perfctr/abi-generic.h>
#include <perfctr/abi.h>
#include <stdint.h>
#include <string.h>
#include "libperfctr.h"
#include "tests/harness/check.h"

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
	uint64_t control[16], counter[16]; /* by register number */
	unsigned int writes;		   /* of both */
	uint32_t tsc;
	unsigned int tsc_reads, stands; /* so many reads before the next tick */
};

static struct perfctr_cache *perfctr_core_cache(struct perfctr_core *core)
{
	return &core->cache;
}

static uint32_t perfctr_core_tsc(struct perfctr_core *core)
{
	core->tsc_reads++;
	if (core->stands)
		core->stands--;
	else
		core->tsc += 10;
	return core->tsc;
}

static uint32_t perfctr_core_rdpmc(struct perfctr_core *core, uint32_t map)
{
	return (uint32_t)core->counter[map];
}

static uint64_t perfctr_core_read_counter(struct perfctr_core *core, uint32_t reg)
{
	return core->counter[reg];
}

static void perfctr_core_write_counter(struct perfctr_core *core, uint32_t reg, uint64_t value)
{
	core->counter[reg] = value;
	core->writes++;
}

static uint64_t perfctr_core_read_control(struct perfctr_core *core, uint32_t reg)
{
	return core->control[reg];
}

static void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg, uint64_t value)
{
	core->control[reg] = value;
	core->writes++;
}

/* User space takes a start value that has changed for a new period, and one that has not for the
 * old. */
START_TEST(a_new_period_shows)
{
	struct perfctr_core core = { .tsc = 1000 };
	struct perfctr_cpu_state state = { .tsc_start = 0 };
	struct perfctr_program program = { .async = -1 };

	perfctr_cpu_update_control(&state, &program, 1, 1);
	perfctr_cpu_resume(&core, &state, &program);
	ck_assert_uint_eq(state.tsc_start, 1010);
	/* The clock stands still for a while. */
	core.stands = 0;
	perfctr_cpu_suspend(&core, &state, &program);
	ck_assert_uint_eq(state.tsc_start, 1020);
	ck_assert_uint_eq(state.tsc_sum, 10);
	core.stands = 5;
	core.tsc_reads = 0;
	perfctr_cpu_resume(&core, &state, &program);
	ck_assert_uint_eq(state.tsc_start, 1030);
	ck_assert_uint_eq(core.tsc_reads, 6);
	core.stands = 7;
	perfctr_cpu_sample(&core, &state, &program);
	ck_assert_uint_eq(state.tsc_start, 1040);
	ck_assert_uint_eq(state.tsc_sum, 20);
	/* A clock that never ticks again must not hold up the kernel. */
	core.stands = 1000000;
	core.tsc_reads = 0;
	perfctr_cpu_resume(&core, &state, &program);
	ck_assert_uint_eq(state.tsc_start, 1040);
	ck_assert_uint_le(core.tsc_reads, 10000);
	/* No TSC, no reading. */
	perfctr_cpu_update_control(&state, &program, 0, 2);
	core.tsc_reads = 0;
	perfctr_cpu_resume(&core, &state, &program);
	perfctr_cpu_sample(&core, &state, &program);
	perfctr_cpu_suspend(&core, &state, &program);
	ck_assert_uint_eq(core.tsc_reads, 0);
	ck_assert_uint_eq(state.tsc_sum, 20);
}
END_TEST

/* An i-mode counter on 5, by control register 3 in slot 1; it may change by itself. */
#define RUNS   UINT64_C(0x42)
#define FROZEN UINT64_C(0x8042)

static struct perfctr_program asynchronous(void)
{
	return (struct perfctr_program){
		.nr_writes = 1,
		.nrctrs = 1,
		.stops = 1,
		.by_register = 1,
		.negative = 1,
		.async = 0,
		.async_value = RUNS,
		.async_stopped = FROZEN,
		.write[0] = { .slot = 1, .reg = 3, .value = RUNS, .stopped = FROZEN },
		.counter[0] = { .map = 5, .reg = 5, .mask = 0xFFFFFFFF, .ireset = 0x7FFFFFF0 },
	};
}

/* What the processor made of its register is the thread's, until an overflow begins it again. */
START_TEST(registers_that_change)
{
	struct perfctr_program program = asynchronous();
	struct perfctr_core core = { .cache = { .cpu = 2 } };
	struct perfctr_cpu_state state;

	memset(&state, 0, sizeof(state));
	perfctr_cpu_update_control(&state, &program, 0, 7);
	perfctr_cpu_resume(&core, &state, &program);
	ck_assert_uint_eq(core.control[3], RUNS);
	ck_assert_uint_eq(core.counter[5], 0x7FFFFFF0);
	/* It clears bit 1 and sets bit 8. */
	core.control[3] = 0x140;
	core.counter[5] += 3;
	perfctr_cpu_suspend(&core, &state, &program);
	ck_assert_uint_eq(core.control[3], 0x8140);
	ck_assert_uint_eq(state.pmc[0].sum, 3);
	ck_assert_uint_eq(perfctr_cpu_identify_overflow(&state, &program), 0);
	perfctr_cpu_resume(&core, &state, &program);
	ck_assert_uint_eq(core.control[3], 0x140);
	/* It freezes itself at the overflow. */
	core.control[3] = 0x8140;
	core.counter[5] = 0x80000001;
	perfctr_cpu_suspend(&core, &state, &program);
	ck_assert_uint_eq(core.control[3], 0x8140);
	ck_assert_uint_eq(state.pmc[0].sum, 0x11);
	ck_assert_uint_eq(perfctr_cpu_identify_overflow(&state, &program), 1);
	ck_assert_uint_eq(state.pmc[0].start, 0x7FFFFFF0);
	ck_assert_uint_eq(program.write[0].value, RUNS);
	ck_assert_uint_eq(program.write[0].stopped, FROZEN);
	perfctr_cpu_ireload(&state);
	perfctr_cpu_resume(&core, &state, &program);
	ck_assert_uint_eq(core.control[3], RUNS);
	ck_assert_uint_eq(core.counter[5], 0x7FFFFFF0);
	perfctr_cpu_suspend(&core, &state, &program);
	ck_assert_uint_eq(core.control[3], FROZEN);
}
END_TEST

/* What user space finds in the page: which counter to read, and from where to count. */
START_TEST(a_program_installed)
{
	struct perfctr_program program = {
		.nractrs = 2,
		.nrctrs = 3,
		.async = -1,
		.counter[0] = { .map = 0x40000001, .ireset = 1 },
		.counter[1] = { .map = 3, .ireset = 2 },
		.counter[2] = { .map = 7, .ireset = 0xFFFFFF00 },
	};
	struct perfctr_cpu_state state;
	unsigned int i;

	memset(&state, 0xA5, sizeof(state));
	perfctr_cpu_update_control(&state, &program, 1, UINT64_C(0x300000004));
	ck_assert_uint_eq(state.cstatus, 0x80010302);
	ck_assert_uint_eq(program.id, UINT64_C(0x300000004));
	ck_assert_uint_eq(state.k1.id, 4);
	ck_assert_int_eq(state.k1.isuspend_cpu, -1);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(state.pmc[i].map, program.counter[i].map);
		ck_assert_uint_eq(state.pmc[i].start, program.counter[i].ireset);
	}
	ck_assert_uint_eq(state.pmc[3].map, 0xA5A5A5A5);
	perfctr_cpu_update_control(&state, &program, 0, 5);
	ck_assert_uint_eq(state.cstatus, 0x00010302);
}
END_TEST

/* Only what must stop is stopped: the other registers are left alone, whoever comes next. */
START_TEST(some_run_on)
{
	struct perfctr_program program = asynchronous();
	struct perfctr_core core = { .cache = { .cpu = 2 } };
	struct perfctr_cpu_state state;

	memset(&state, 0, sizeof(state));
	program.async = -1;
	program.nr_writes = 2;
	program.write[1] =
		(struct perfctr_write){ .slot = 2, .reg = 4, .value = 0x77, .stopped = 0x77 };
	perfctr_cpu_update_control(&state, &program, 0, 7);
	perfctr_cpu_resume(&core, &state, &program);
	ck_assert_uint_eq(core.control[4], 0x77);
	core.writes = 0;
	perfctr_cpu_suspend(&core, &state, &program);
	ck_assert_uint_eq(core.writes, 1);
	ck_assert_uint_eq(core.control[3], FROZEN);
	perfctr_cpu_resume(&core, &state, &program);
	ck_assert_uint_eq(core.writes, 2);
	ck_assert_uint_eq(core.control[3], RUNS);
	/* On another processor where they run: stopped, loaded, and started. */
	perfctr_cpu_suspend(&core, &state, &program);
	core.cache.cpu = 3;
	core.cache.id = 0;
	core.cache.control[1] = core.control[3] = RUNS;
	core.writes = 0;
	perfctr_cpu_resume(&core, &state, &program);
	ck_assert_uint_eq(core.writes, 3);
	ck_assert_uint_eq(core.control[3], RUNS);
}
END_TEST

/* Counters that others left negative would interrupt: they are cleared where the own are loaded. */
START_TEST(what_others_left)
{
	struct perfctr_program program = asynchronous();
	struct perfctr_core core = { .cache = { .cpu = 2 } };
	struct perfctr_cpu_state state;

	memset(&state, 0, sizeof(state));
	program.nr_clears = 2;
	program.clear[0] = 6;
	program.clear[1] = 9;
	perfctr_cpu_update_control(&state, &program, 0, 7);
	core.counter[6] = core.counter[7] = core.counter[9] = 0x80000000;
	perfctr_cpu_resume(&core, &state, &program);
	ck_assert_uint_eq(core.counter[6], 0);
	ck_assert_uint_eq(core.counter[7], 0x80000000);
	ck_assert_uint_eq(core.counter[9], 0);
	/* Nobody was here since. */
	perfctr_cpu_suspend(&core, &state, &program);
	core.counter[6] = 5;
	perfctr_cpu_resume(&core, &state, &program);
	ck_assert_uint_eq(core.counter[6], 5);
}
END_TEST

/* Writes are what a switch costs: none for what is there already. */
START_TEST(nothing_is_written_twice)
{
	struct perfctr_program program = {
		.nr_writes = 2,
		.nrctrs = 1,
		.nractrs = 1,
		.async = -1,
		.write[0] = { .slot = 0, .reg = 1, .value = 11, .stopped = 11 },
		.write[1] = { .slot = 1, .reg = 2, .value = 22, .stopped = 22 },
		.counter[0] = { .map = 5, .reg = 5, .mask = 0xFFFFFFFF },
	};
	struct perfctr_program other = program, stopping = asynchronous();
	struct perfctr_core core = { .cache = { .cpu = 0 } };
	struct perfctr_cpu_state a, b, c;

	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	memset(&c, 0, sizeof(c));
	other.write[1].value = other.write[1].stopped = 23;
	perfctr_cpu_update_control(&a, &program, 0, 1);
	perfctr_cpu_update_control(&b, &other, 0, 2);
	perfctr_cpu_resume(&core, &a, &program);
	ck_assert_uint_eq(core.writes, 2);
	core.counter[5] = 100;
	perfctr_cpu_suspend(&core, &a, &program);
	perfctr_cpu_resume(&core, &a, &program);
	ck_assert_uint_eq(core.writes, 2);
	perfctr_cpu_suspend(&core, &a, &program);
	/* Only the difference. */
	perfctr_cpu_resume(&core, &b, &other);
	ck_assert_uint_eq(core.writes, 3);
	ck_assert_uint_eq(core.control[2], 23);
	core.counter[5] = 105;
	perfctr_cpu_suspend(&core, &b, &other);
	ck_assert_uint_eq(a.pmc[0].sum, 100);
	ck_assert_uint_eq(b.pmc[0].sum, 5);
	/* What is stopped and started on one processor keeps its counters: two writes for the
	 * control. */
	stopping.async = -1;
	perfctr_cpu_update_control(&c, &stopping, 0, 3);
	perfctr_cpu_resume(&core, &c, &stopping);
	core.writes = 0;
	perfctr_cpu_suspend(&core, &c, &stopping);
	ck_assert_uint_eq(core.writes, 1);
	core.counter[5] = 0x7FFFFFF3; /* not as it was left: nobody may look */
	perfctr_cpu_resume(&core, &c, &stopping);
	ck_assert_uint_eq(core.writes, 2);
	ck_assert_uint_eq(core.counter[5], 0x7FFFFFF3);
	/* After another thread, or on another processor, they are loaded: frozen, and then started.
	 */
	perfctr_cpu_suspend(&core, &c, &stopping);
	core.cache.cpu = 1;
	core.counter[5] = 0;
	core.writes = 0;
	perfctr_cpu_resume(&core, &c, &stopping);
	ck_assert_uint_eq(core.writes, 2);
	ck_assert_uint_eq(core.counter[5], 0x7FFFFFF3);
	ck_assert_uint_eq(core.control[3], RUNS);
}
END_TEST

static struct perfctr_program counting(void)
{
	return (struct perfctr_program){
		.nr_writes = 1,
		.nrctrs = 2,
		.nractrs = 2,
		.async = -1,
		.write[0] = { .slot = 0, .reg = 1, .value = 11, .stopped = 11 },
		.counter[0] = { .map = 5, .reg = 5, .mask = 0xFFFFFFFF },
		.counter[1] = { .map = 6, .reg = 6, .mask = 0xFFFFFFFF },
	};
}

/* Only a program of the same number follows so, and only while its control is in the registers. */
START_TEST(who_may_follow)
{
	struct perfctr_program one = counting(), same = counting(), other = counting(), none;
	struct perfctr_core core = { .cache = { .cpu = 0 } };
	struct perfctr_cpu_state state;

	memset(&state, 0, sizeof(state));
	none = counting();
	ck_assert(!perfctr_cpu_can_hand_over(&core, &none, &none));
	perfctr_cpu_update_control(&state, &same, 1, UINT64_C(0x100000007));
	perfctr_cpu_update_control(&state, &other, 1, UINT64_C(0x200000007));
	perfctr_cpu_update_control(&state, &one, 1, UINT64_C(0x100000007));
	perfctr_cpu_resume(&core, &state, &one);
	ck_assert(perfctr_cpu_can_hand_over(&core, &one, &same));
	ck_assert(!perfctr_cpu_can_hand_over(&core, &one, &other));
	ck_assert(!perfctr_cpu_can_hand_over(&core, &one, &none));
	ck_assert(!perfctr_cpu_can_hand_over(&core, &none, &one));
	/* The registers have been another's. */
	core.cache.id = 9;
	ck_assert(!perfctr_cpu_can_hand_over(&core, &one, &same));
	/* Without counters nothing is in any. */
	one.nrctrs = same.nrctrs = one.nractrs = same.nractrs = 0;
	ck_assert(perfctr_cpu_can_hand_over(&core, &one, &same));
}
END_TEST

/* One reading ends a period and begins the next one, which user space sees: by the next tick. */
START_TEST(one_follows_the_other)
{
	struct perfctr_program program = counting(), next = counting();
	struct perfctr_core core = { .cache = { .cpu = 0 }, .tsc = 1000 };
	struct perfctr_cpu_state from, to;

	memset(&from, 0, sizeof(from));
	memset(&to, 0, sizeof(to));
	perfctr_cpu_update_control(&from, &program, 1, 7);
	perfctr_cpu_update_control(&to, &next, 1, 7);
	core.counter[5] = 100;
	core.counter[6] = 0xFFFFFFF0;
	perfctr_cpu_resume(&core, &from, &program);
	ck_assert_uint_eq(from.tsc_start, 1010);
	core.writes = 0;
	core.counter[5] = 130;
	core.counter[6] = 0x10;
	/* It was suspended at the very tick that the clock shows for a while. */
	to.tsc_start = 1010;
	core.stands = 5;
	core.tsc_reads = 0;
	perfctr_cpu_hand_over(&core, &from, &to, &program);
	ck_assert_uint_eq(core.tsc_reads, 6);
	ck_assert_uint_eq(to.tsc_start, 1020);
	ck_assert_uint_eq(from.tsc_start, 1020);
	ck_assert_uint_eq(from.tsc_sum, 10);
	ck_assert_uint_eq(to.tsc_sum, 0);
	ck_assert_uint_eq(from.pmc[0].sum, 30);
	ck_assert_uint_eq(from.pmc[1].sum, 0x20);
	ck_assert_uint_eq(to.pmc[0].start, 130);
	ck_assert_uint_eq(to.pmc[1].start, 0x10);
	core.counter[5] = 137;
	perfctr_cpu_suspend(&core, &to, &next);
	ck_assert_uint_eq(to.pmc[0].sum, 7);
	ck_assert_uint_eq(to.pmc[1].sum, 0);
	ck_assert_uint_eq(to.tsc_sum, 10);
	ck_assert_uint_eq(from.pmc[0].sum, 30);
	ck_assert_uint_eq(core.writes, 0);
	/* Without a clock none is read. */
	program.tsc = next.tsc = 0;
	core.tsc_reads = 0;
	perfctr_cpu_hand_over(&core, &to, &from, &program);
	ck_assert_uint_eq(core.tsc_reads, 0);
	ck_assert_uint_eq(to.tsc_sum, 10);
}
END_TEST

UNIT_MAIN("engine", 60, a_new_period_shows, registers_that_change, a_program_installed, some_run_on,
	  what_others_left, nothing_is_written_twice, who_may_follow, one_follows_the_other)
