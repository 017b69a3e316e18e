// SPDX-License-Identifier: LGPL-2.1-or-later
/* The virtual TSC: rates, to the tick; and the clocks of this thread and of others, on the made-up
 * PMU. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "lib/perf/counter.h"
#include "lib/base/word.h"
#include "lib/isa/tsc.h"
#include "lib/perf/clock.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "tests/harness/pmu.h"
#include "tests/harness/check.h"

#define ONE (UINT64_C(1) << 60) /* a tick per ns */

START_TEST(rates_of_pages)
{
	static const struct {
		uint32_t mult;
		unsigned int shift;
		uint64_t rate; /* 2^(60 + shift) / mult */
	} rates[] = {
		{ 1, 0, ONE },
		{ 2, 0, ONE / 2 },
		{ 1, 3, 8 * ONE },
		{ 1u << 10, 10, ONE },
		{ 3, 0, ONE / 3 },
		{ 3, 1, 2 * ONE / 3 },
		{ 16u << 24, 24, ONE / 16 },
		{ 0x80000000, 31, ONE },
		{ 0xFFFFFFFF, 32, UINT64_C(1152921504875282432) },
		/* What is too fast for 64 bits, and what makes no sense, does no harm. */
		{ 1, 4, UINT64_MAX },
		{ 3, 6, UINT64_MAX },
		{ 5, 63, UINT64_MAX },
		{ 0, 0, ONE },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		ck_assert_uint_eq(
			perfctr_rate_from_page(rates[i].mult, rates[i].shift).ticks_per_ns,
			rates[i].rate);
	/* Almost as fast as there is room for. */
	ck_assert_uint_eq(perfctr_rate_from_page(9, 7).ticks_per_ns,
			  UINT64_C(16397105843297379214));
}
END_TEST

START_TEST(rates_of_frequencies)
{
	static const uint64_t khz[] = { 1,	 999,	  1000,	   24000,  999999,
					1000000, 1000001, 2596095, 5999999 };
	unsigned int i;
	uint64_t rate;

	for (i = 0; i < ARRAY_SIZE(khz); i++) {
		rate = perfctr_rate_from_khz(khz[i]).ticks_per_ns;
		/* The nearest that is not above: one more were too much. */
		ck_assert_uint_eq(perfctr_rate_ticks((struct perfctr_rate){ rate }, 1000000000000),
				  khz[i] * 1000000 - (khz[i] % 1000000 && khz[i] % 15625 != 0));
		ck_assert_uint_ge(perfctr_rate_ticks((struct perfctr_rate){ rate + 1 },
						     1000000000000),
				  khz[i] * 1000000);
	}
	ck_assert_uint_eq(perfctr_rate_ticks((struct perfctr_rate){ ONE }, UINT64_MAX), UINT64_MAX);
	ck_assert_uint_eq(perfctr_rate_ticks((struct perfctr_rate){ ONE - 1 }, 1), 0);
	ck_assert_uint_eq(perfctr_rate_ticks((struct perfctr_rate){ ONE / 2 }, 3), 1);
	ck_assert_uint_eq(perfctr_rate_ticks((struct perfctr_rate){ 3 * ONE }, UINT64_C(1) << 40),
			  UINT64_C(3) << 40);
}
END_TEST

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The frequency is the clock's: within a percent, since this machine may be busy. */
START_TEST(frequency)
{
	uint64_t khz = perfctr_tsc_khz(), ns, ticks, best = UINT64_MAX;
	unsigned int i;

	ck_assert_uint_eq(perfctr_tsc_khz(), khz);
	/* A Skylake's, a fast one's, and of processors that tell only a part. */
	ck_assert_uint_eq(perfctr_crystal_khz(2, 216, 24000000), 2592000);
	ck_assert_uint_eq(perfctr_crystal_khz(3, 500, 38400000), 6400000);
	ck_assert_uint_eq(perfctr_crystal_khz(0, 216, 24000000), 0);
	ck_assert_uint_eq(perfctr_crystal_khz(2, 0, 24000000), 0);
	ck_assert_uint_eq(perfctr_crystal_khz(2, 216, 0), 0);
	if (!PERFCTR_HAVE_RDTSC) {
		ck_assert_uint_eq(khz, 1000000);
		return;
	}
	/* Nobody interrupts all of these. */
	for (i = 0; i < 50; i++) {
		uint64_t t0 = now_ns(), c0 = perfctr_rdtsc(), wrong;

		usleep(2000);
		ns = now_ns() - t0;
		ticks = perfctr_rdtsc() - c0;
		wrong = ticks * 1000000 / ns > khz ? ticks * 1000000 / ns - khz
						   : khz - ticks * 1000000 / ns;
		best = wrong < best ? wrong : best;
	}
	ck_assert_uint_lt(best, khz / 100);
}
END_TEST

static uint64_t read_clock(const struct perfctr_clock *clock, bool own)
{
	uint64_t ticks = 0;

	ck_assert_msg(perfctr_clock_read(clock, own, &ticks) == 0, "%s", perfctr_error());
	return ticks;
}

/* What any user may open, and that never stops. */
static void asks_for_little(void)
{
	ck_assert(pmu_asked.exclude_kernel && pmu_asked.exclude_hv && !pmu_asked.disabled);
	ck_assert_uint_eq(pmu_asked.type, PERF_TYPE_SOFTWARE);
	ck_assert_uint_eq(pmu_asked.config, PERF_COUNT_SW_DUMMY);
	ck_assert_uint_eq(pmu_asked.size, sizeof(pmu_asked));
}

/* What clocks say, if it is not the truth. */
static volatile struct timespec told;
static volatile clockid_t told_of;
static volatile int told_times; /* clock_gettime() is not known to change it */
static volatile int told_error;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	if (!told_times)
		return __real_clock_gettime(id, t);
	told_times--;
	told_of = id;
	t->tv_sec = told.tv_sec;
	t->tv_nsec = told.tv_nsec;
	errno = told_error;
	return told_error ? -1 : 0;
}

/* Where a filter forbids to ask for the time there is a frequency, too, and soon. */
START_TEST(no_time)
{
	told_error = EPERM;
	told_times = 10;
	ck_assert_uint_gt(perfctr_tsc_khz(), 0);
	told_times = 0;
	told_error = 0;
}
END_TEST

/* Of a thread's CPU clock every ns counts, also after hours. */
START_TEST(cpu_clocks)
{
	struct perfctr_clock clock = { .event = { .fd = -1 }, .exec = { .fd = -1 }, .tid = 4711 };
	uint64_t ticks;
	struct timespec t;

	told_times = 1;
	clock_gettime(CLOCK_MONOTONIC, &t);
	if (told_times) {
		told_times = 0;
		puts("The C library has another name for clock_gettime().");
		return;
	}
	clock.rate.ticks_per_ns = 3 * ONE;
	told.tv_sec = 7200;
	told.tv_nsec = 123456789;
	told_times = 1;
	ck_assert_uint_eq(read_clock(&clock, true), UINT64_C(7200123456789) * 3);
	ck_assert_int_eq(told_of, CLOCK_THREAD_CPUTIME_ID);
	told_times = 1;
	ck_assert_uint_eq(read_clock(&clock, false), UINT64_C(7200123456789) * 3);
	/* CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED, after the id's complement. */
	ck_assert_int_eq(told_of, (clockid_t)(~4711u << 3 | 4 | 2));
	told_times = 1;
	told_error = EINVAL;
	ck_fails(perfctr_clock_read(&clock, false, &ticks), ESRCH,
		 "the clock of thread 4711 can't be read: it has ended");
	told_error = told_times = 0;
}
END_TEST

static void ends_by_execve(void)
{
	ck_assert(pmu_asked.remove_on_exec && !pmu_asked.disabled);
}

/* A clock that ends with the program: another event tells of the execve(2). */
START_TEST(until_execve)
{
	struct perfctr_clock clock;

	pmu_begin();
	pmu_at(PMU_OPEN, 1, ends_by_execve);
	ck_assert_int_eq(perfctr_clock_watch(&clock, 0, true), 0);
	ck_assert(pmu_asked.enable_on_exec && pmu_asked.disabled && !pmu_asked.remove_on_exec);
	ck_assert_uint_eq(pmu_events(), 2);
	pmu_tick(1000);
	ck_assert_int_eq(perfctr_clock_life(&clock), PERFCTR_LIFE_ON);
	/* What execve(2) does to it. */
	ck_assert_int_eq(perfctr_counter_ioctl(&clock.exec, PERF_EVENT_IOC_ENABLE, 0), 0);
	pmu_tick(1);
	ck_assert_int_eq(perfctr_clock_life(&clock), PERFCTR_LIFE_OVER);
	perfctr_clock_close(&clock);
	ck_assert_uint_eq(pmu_events(), 0);
	/* Both, or none. */
	pmu_fail(PMU_OPEN, 2, EMFILE);
	ck_fails(perfctr_clock_watch(&clock, 0, true), EMFILE, "the TSC");
	ck_assert(pmu_failed());
	ck_assert_uint_eq(pmu_events(), 0);
	memset(&clock, 0x5A, sizeof(clock));
	ck_assert_int_eq(perfctr_clock_watch(&clock, 0, false), 0);
	ck_assert_int_eq(clock.exec.fd, -1);
	ck_assert(!pmu_asked.enable_on_exec && !pmu_asked.disabled && !pmu_asked.remove_on_exec);
	ck_assert_uint_eq(pmu_events(), 1);
	perfctr_clock_close(&clock);
	pmu_end();
}
END_TEST

/* This thread's CPU time. */
static uint64_t cpu_ticks(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return perfctr_rate_ticks(perfctr_rate_from_khz(perfctr_tsc_khz()),
				  (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}

/* With a clock in its page, without a system call; and without, from the thread's CPU clock. */
START_TEST(own_clock)
{
	struct perfctr_clock clock;
	uint64_t before, after, least;
	unsigned int calls;

	pmu_begin();
	pmu_at(PMU_OPEN, 0, asks_for_little);
	memset(&clock, 0x5A, sizeof(clock));
	errno = 77;
	perfctr_clock_open(&clock);
	ck_assert_int_eq(errno, 77);
	if (clock.event.page) {
		ck_assert_uint_eq(clock.rate.ticks_per_ns, PMU_TICKS * ONE);
		before = read_clock(&clock, true);
		calls = pmu_calls(PMU_ANY);
		pmu_tick(1000);
		ck_assert_uint_eq(read_clock(&clock, true), before + 1000 * PMU_TICKS);
		ck_assert_uint_eq(pmu_calls(PMU_ANY), calls);
		/* Another thread asks the kernel, which knows ns. */
		after = read_clock(&clock, false);
		ck_assert_uint_gt(pmu_calls(PMU_ANY), calls);
		ck_assert_uint_eq(after, perfctr_rate_ticks(clock.rate, after / PMU_TICKS));
	}
	perfctr_clock_close(&clock);
	pmu.clock = false;
	memset(&clock, 0x5A, sizeof(clock));
	errno = 78;
	perfctr_clock_open(&clock);
	ck_assert_int_eq(errno, 78);
	ck_assert_ptr_null(clock.event.page);
	ck_assert_int_eq(clock.event.fd, -1);
	ck_assert_uint_eq(pmu_events(), 0);
	ck_assert_int_eq(clock.tid, (pid_t)syscall(SYS_gettid));
	/* Nor does an event that can't be opened say why. */
	pmu_fail(PMU_OPEN, 1, EMFILE);
	errno = 79;
	perfctr_clock_open(&clock);
	ck_assert(pmu_failed());
	ck_assert_int_eq(errno, 79);
	ck_assert_int_eq(clock.event.fd, -1);
	least = cpu_ticks();
	before = read_clock(&clock, true);
	after = read_clock(&clock, false);
	ck_assert_uint_ge(before, least);
	ck_assert_uint_ge(after, before);
	ck_assert_uint_ge(cpu_ticks(), after);
	/* A thread that is no more. */
	clock.tid = fork();
	if (clock.tid == 0)
		_exit(0);
	waitpid(clock.tid, NULL, 0);
	ck_fails(perfctr_clock_read(&clock, false, &before), ESRCH, "has ended");
	perfctr_clock_close(&clock);
	pmu_end();
}
END_TEST

/* The clock of a page and the processor's, whose difference the page tells; a tick is a ns. */
static uint64_t since_enabled(const struct perf_event_mmap_page *page)
{
	uint64_t now = perfctr_rdtsc();

	if (page->cap_user_time_short)
		now = (page->time_cycles & ~page->time_mask) | (now & page->time_mask);
	return now + page->time_offset + page->time_enabled;
}

/* By memory, and right. */
static void recalls(const struct perfctr_clock *clock, const struct perf_event_mmap_page *page)
{
	uint64_t ticks = 0, least = since_enabled(page);

	ck_assert(perfctr_clock_recall(clock, &ticks));
	ck_assert_uint_ge(ticks, least);
	ck_assert_uint_le(ticks, since_enabled(page));
}

/* What a read finds in the page is remembered until the page changes. */
START_TEST(memory)
{
	struct perf_event_mmap_page page = { .lock = 6, .time_mult = 1, .time_enabled = 1000 };
	struct perfctr_clock clock = { .event = { .fd = -1, .page = &page }, .rate = { ONE } };
	uint64_t ticks = 0, asked;

	if (!PERFCTR_HAVE_RDTSC)
		return;
	page.cap_user_time = 1;
	page.time_offset = -perfctr_rdtsc();
	ck_assert(!perfctr_clock_recall(&clock, &ticks));
	ck_assert_uint_ge(read_clock(&clock, true), 1000);
	recalls(&clock, &page);
	/* The page changes. */
	page.lock += 2;
	page.time_enabled += 1000000000000;
	ck_assert(!perfctr_clock_recall(&clock, &ticks));
	asked = read_clock(&clock, true);
	ck_assert_uint_ge(asked, 1000000000000);
	ck_assert_uint_le(asked, since_enabled(&page));
	recalls(&clock, &page);
	/* A handler reads while something is noted: it is not in the way. */
	clock.memo.noting = true;
	page.lock += 2;
	read_clock(&clock, true);
	ck_assert(!perfctr_clock_recall(&clock, &ticks));
	clock.memo.noting = false;
	/* Arm's 56 bits, which began again thrice; and a clock that does so all the time. */
	page.cap_user_time_short = 1;
	page.time_mask = UINT64_MAX >> 8;
	page.time_cycles = UINT64_C(3) << 56 | (perfctr_rdtsc() & page.time_mask);
	page.time_offset = -page.time_cycles;
	asked = read_clock(&clock, true);
	ck_assert_uint_ge(asked, 1000000000000);
	ck_assert_uint_le(asked, since_enabled(&page));
	recalls(&clock, &page);
	page.lock += 2;
	page.time_mask = UINT64_MAX >> 9;
	read_clock(&clock, true);
	ck_assert(!perfctr_clock_recall(&clock, &ticks));
	/* Counters that lend it and have been taken off the PMU. */
	page.cap_user_time_short = 0;
	page.index = 1;
	clock.lent = 1;
	read_clock(&clock, true);
	recalls(&clock, &page);
	page.lock += 2;
	page.index = 0;
	ck_assert(!perfctr_clock_recall(&clock, &ticks));
}
END_TEST

#if defined(__x86_64__)
/* A thread that is stepped: at a step its page changes, and handlers read from there on. */
static struct perf_event_mmap_page stepped_page;
static struct perfctr_clock stepped_clock;
static volatile bool stepping;
static volatile unsigned int steps, changes_at, wrong_reads;

static void read_right(void)
{
	uint64_t ticks = 0, least = since_enabled(&stepped_page);

	if (perfctr_clock_read(&stepped_clock, true, &ticks) < 0 || ticks < least ||
	    ticks > since_enabled(&stepped_page))
		wrong_reads++;
}

static void change_page(void)
{
	stepped_page.lock += 2;
	stepped_page.time_enabled += UINT64_C(1) << 40;
}

static void step(int signal, siginfo_t *info, void *context)
{
	(void)info;
	if (signal == SIGTRAP && stepping) {
		if (steps == changes_at)
			change_page();
		if (steps++ >= changes_at)
			read_right();
	}
	/* The trap flag: another SIGTRAP after the next instruction. */
	if (stepping)
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= 0x100;
	else
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100ll;
}

/* The thread leaves the processor at any instruction of a read, and handlers read after it. */
START_TEST(interrupted_reads)
{
	struct sigaction action = { .sa_sigaction = step, .sa_flags = SA_SIGINFO }, trap, start;
	uint64_t ticks = 0, least;

	stepped_page = (struct perf_event_mmap_page){ .lock = 2, .time_mult = 1 };
	stepped_page.cap_user_time = 1;
	stepped_page.time_offset = -perfctr_rdtsc();
	stepped_clock = (struct perfctr_clock){ .event = { .fd = -1, .page = &stepped_page },
						.rate = { ONE } };
	sigaction(SIGTRAP, &action, &trap);
	sigaction(SIGUSR1, &action, &start);
	for (changes_at = 0; steps >= changes_at; changes_at++) {
		change_page();
		least = since_enabled(&stepped_page);
		steps = 0;
		stepping = true;
		raise(SIGUSR1);
		perfctr_clock_read(&stepped_clock, true, &ticks);
		stepping = false;
		/* Before the change or after it. */
		ck_assert_uint_ge(ticks, least);
		ck_assert_uint_le(ticks, since_enabled(&stepped_page));
		ck_assert_uint_eq(wrong_reads, 0);
		/* And nothing is left of it. */
		change_page();
		read_right();
		ck_assert_uint_eq(wrong_reads, 0);
		recalls(&stepped_clock, &stepped_page);
	}
	ck_assert_uint_gt(changes_at, 50);
	sigaction(SIGTRAP, &trap, NULL);
	sigaction(SIGUSR1, &start, NULL);
}
END_TEST
#else
/* tests/loops has these reads, but for what they write. */
START_TEST(interrupted_reads)
{
}
END_TEST
#endif

/* A program without standard input: the event's descriptor is 0. */
START_TEST(descriptor_0)
{
	struct perfctr_clock clock;
	uint64_t before;
	int in = dup(0);

	pmu_begin();
	close(0);
	perfctr_clock_open(&clock);
	if (PERFCTR_HAVE_RDTSC)
		ck_assert_int_eq(clock.event.fd, 0);
	before = read_clock(&clock, false);
	pmu_tick(1000);
	if (PERFCTR_HAVE_RDTSC)
		ck_assert_uint_eq(read_clock(&clock, false), before + 1000 * PMU_TICKS);
	perfctr_clock_close(&clock);
	ck_assert_uint_eq(pmu_events(), 0);
	/* And of the event that is opened to see whether a thread's clock still is on. */
	dup2(in, 0);
	ck_assert_int_eq(perfctr_clock_watch(&clock, getpid(), false), 0);
	close(0);
	ck_assert_int_eq(perfctr_clock_life(&clock), PERFCTR_LIFE_ON);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
	perfctr_clock_close(&clock);
	ck_assert_uint_eq(pmu_events(), 0);
	dup2(in, 0);
	close(in);
	pmu_end();
}
END_TEST

START_TEST(anothers_clock)
{
	struct perfctr_clock clock;
	uint64_t ticks, before;
	pid_t child;

	pmu_begin();
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	ck_assert_int_eq(perfctr_clock_watch(&clock, child, false), 0);
	before = read_clock(&clock, false);
	pmu_tick_of(child, 0, 1000000);
	ck_assert_uint_eq(read_clock(&clock, false) - before,
			  perfctr_rate_ticks(perfctr_rate_from_khz(perfctr_tsc_khz()), 1000000));
	ck_assert_int_eq(perfctr_clock_life(&clock), PERFCTR_LIFE_ON);
	ck_assert_uint_eq(pmu_events(), 1);
	/* Not a permission: that is no answer. */
	pmu_fail(PMU_OPEN, 1, EACCES);
	ck_fails(perfctr_clock_life(&clock) == PERFCTR_LIFE_UNKNOWN ? -1 : 0, EACCES, "the TSC");
	pmu_fail(PMU_OPEN, 1, EINVAL);
	ck_assert_int_eq(perfctr_clock_life(&clock), PERFCTR_LIFE_OVER);
	pmu_fail(PMU_OPEN, 1, ENODEV);
	ck_assert_int_eq(perfctr_clock_life(&clock), PERFCTR_LIFE_OVER);
	pmu_thread_ends(child);
	ck_assert_int_eq(perfctr_clock_life(&clock), PERFCTR_LIFE_OVER);
	/* What it had stays. */
	ticks = read_clock(&clock, false);
	pmu_tick_of(child, 0, 1000000);
	ck_assert_uint_eq(read_clock(&clock, false), ticks);
	pmu_fail(PMU_READ, 1, EIO);
	ck_fails(perfctr_clock_read(&clock, false, &ticks), EIO, "can't be read");
	perfctr_clock_close(&clock);
	pmu_fail(PMU_OPEN, 1, EINVAL);
	ck_fails(perfctr_clock_watch(&clock, child, false), EINVAL,
		 "the TSC can't be counted: its PMU");
	ck_fails(perfctr_clock_watch(&clock, child, false), ESRCH, "no thread");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	pmu_end();
}
END_TEST

UNIT_MAIN("clock", 60, rates_of_pages, no_time, rates_of_frequencies, frequency, cpu_clocks,
	  until_execve, own_clock, memory, interrupted_reads, descriptor_0, anothers_clock)
