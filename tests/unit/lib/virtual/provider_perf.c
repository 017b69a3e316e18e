// SPDX-License-Identifier: LGPL-2.1-or-later
/* Virtual counters over perf_events: every counter counts, on the made-up PMU, what it is told to.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "lib/virtual/provider.h"
#include "lib/base/word.h"
#include "lib/isa/native.h"
#include "lib/isa/tsc.h"
#include "lib/perf/edge.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "arch/cpu.h"
#include "tests/harness/control.h"
#include "tests/harness/root.h"
#include "tests/harness/check.h"

#ifndef PERFCTR_ABI_POWERPC_H

/* Of which more than one waits. */
#define OVERFLOW_SIGNAL (SIGRTMIN + 9)

/* A control of the TSC and the first events; the last ones are in i-mode, and begin at ireset. */
static struct vperfctr_control control_of(unsigned int nractrs, unsigned int nrictrs, ...)
{
	struct vperfctr_control control;
	va_list iresets;
	unsigned int i;

	memset(&control, 0, sizeof(control));
	control.cpu_control = control_make(nractrs, nrictrs);
	control.si_signo = nrictrs ? OVERFLOW_SIGNAL : 0;
	va_start(iresets, nrictrs);
	for (i = nractrs; i < nractrs + nrictrs; i++)
		control.cpu_control.ireset[i] = va_arg(iresets, int);
	va_end(iresets);
	return control;
}

static void begin(void)
{
	setenv("PERFCTR_PROVIDER", "perf", 1);
	pmu_begin();
	control_set_rates();
}

static struct vperfctr *open_mode(unsigned int flags, struct vperfctr_control control)
{
	struct vperfctr *self = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | flags);

	ck_assert_msg(self != NULL, "%s", perfctr_error());
	ck_assert_msg(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	return self;
}

static struct vperfctr *open_with(struct vperfctr_control control)
{
	return open_mode(0, control);
}

static void finish(struct vperfctr *self)
{
	ck_assert_int_eq(vperfctr_unlink(self), 0);
	vperfctr_close(self);
	pmu_end();
	unsetenv("PERFCTR_PROVIDER");
}

static void set_control(struct vperfctr *self, struct vperfctr_control control)
{
	ck_assert_msg(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
}

/* Events that are there for the TSC alone, beside counters that could lend their page's clock. */
static unsigned int clock_events(void)
{
	return PERFCTR_HAVE_RDTSC && pmu.clock && !pmu.rdpmc;
}

/* The thread's CPU clock is the test's. */
static uint64_t cpu_ns;
static unsigned int cpu_asked;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	if (id != CLOCK_THREAD_CPUTIME_ID)
		return __real_clock_gettime(id, t);
	cpu_asked++;
	t->tv_sec = 0;
	t->tv_nsec = (long)cpu_ns;
	return 0;
}

static void tick(uint64_t ns)
{
	pmu_tick(ns);
	cpu_ns += ns;
}

/* All calls that read say the same: the TSC, and n counters that counted so many units. */
static void check_counts(const struct vperfctr *self, uint64_t ns, unsigned int n, uint64_t units)
{
	struct {
		struct perfctr_sum_ctrs ctrs;
		uint64_t after;
	} guarded = { .after = 0x5A };
	const struct perfctr_sum_ctrs *sum = &guarded.ctrs;
	unsigned int i;

	ck_assert_int_eq(vperfctr_read_ctrs(self, &guarded.ctrs), 0);
	ck_assert_uint_eq(guarded.after, 0x5A);
	ck_assert_uint_eq(sum->tsc, ns * PMU_TICKS);
	ck_assert_uint_eq(vperfctr_read_tsc(self), ns * PMU_TICKS);
	for (i = 0; i < n; i++) {
		ck_assert_uint_eq(sum->pmc[i], units * control_rates[i]);
		ck_assert_uint_eq(vperfctr_read_pmc(self, i), units * control_rates[i]);
	}
}

static void let_time_pass(void)
{
	pmu_tick(1000);
	pmu_count(1000);
}

START_TEST(counts)
{
	struct vperfctr_control control, same;
	struct vperfctr *self;
	struct perfctr_reading reading;
	unsigned int reads, calls;

	begin();
	control = control_of(3, 0);
	/* All start together, when all are there. */
	pmu_at(PMU_OPEN, 2, let_time_pass);
	self = open_with(control);
	check_counts(self, 0, 3, 0);
	reads = pmu_calls(PMU_READ);
	calls = pmu_calls(PMU_ANY);
	pmu_count(10);
	pmu_tick(100);
	check_counts(self, 100, 3, 10);
	ck_assert_int_ne(vperfctr_is_running(self), 0);
	ck_assert_int_eq(vperfctr_read_quality(self, 0, &reading), 0);
	ck_assert_uint_eq(reading.value, 10);
	ck_assert_uint_eq(reading.quality, PERFCTR_EXACT);
	ck_assert_uint_eq(reading.enabled, 100);
	ck_assert_uint_eq(reading.running, 100);
	/* Where instructions can, no system call. */
	if (pmu.rdpmc) {
		ck_assert_uint_eq(pmu_calls(PMU_READ), reads);
		ck_assert_uint_eq(pmu_calls(PMU_ANY), calls);
	}
	ck_assert_int_eq(vperfctr_read_state(self, NULL, &same), 0);
	ck_assert_mem_eq(&same, &control, sizeof(same));
	/* Modes: nothing of the kernel's. */
	pmu_run(0, -1, true, 1000);
	check_counts(self, 100, 3, 10);
	/* A counter that the control has not. */
	ck_assert_uint_eq(vperfctr_read_pmc(self, 3), 0);
	ck_assert_int_eq(vperfctr_read_quality(self, 3, &reading), 0);
	ck_assert_uint_eq(reading.quality, PERFCTR_STALE);

	/* What is stopped stands still, and can be read. */
	ck_assert_int_eq(vperfctr_stop(self), 0);
	ck_assert_uint_eq(pmu_active(), clock_events());
	pmu_count(7);
	pmu_tick(7);
	check_counts(self, 100, 3, 10);
	ck_assert_int_eq(vperfctr_is_running(self), 0);
	ck_assert_int_eq(vperfctr_read_state(self, NULL, &same), 0);
	ck_assert_uint_eq(same.cpu_control.tsc_on | same.cpu_control.nractrs, 0);
	ck_assert_int_eq(vperfctr_read_quality(self, 2, &reading), 0);
	ck_assert_uint_eq(reading.value, 30);
	ck_assert_uint_eq(reading.quality, PERFCTR_STALE);
	ck_assert_uint_eq(reading.enabled, 0);
	finish(self);
}
END_TEST

/* I-mode counters stand after the others in the control, but before them in the group. */
/* Nothing tells whether the PMU takes the control's codes: exact is said of none. */
START_TEST(unverified)
{
	struct perfctr_reading reading;
	struct vperfctr *self;

	root_make();
	begin();
	self = open_with(control_of(2, 0));
	pmu_count(10);
	pmu_tick(100);
	ck_assert_int_eq(vperfctr_read_quality(self, 1, &reading), 0);
	ck_assert_uint_eq(reading.value, 20);
	ck_assert_uint_eq(reading.quality, PERFCTR_UNVERIFIED);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	ck_assert_int_eq(vperfctr_read_quality(self, 1, &reading), 0);
	ck_assert_uint_eq(reading.quality, PERFCTR_STALE);
	finish(self);
	unsetenv("PERFCTR_ROOT");
	root_remove();
}
END_TEST

START_TEST(both_modes)
{
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;

	begin();
	self = open_with(control_of(2, 1, -100000));
	pmu_count(10);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(sum.pmc[0], 10 * control_rates[0]);
	ck_assert_uint_eq(sum.pmc[1], 10 * control_rates[1]);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 10 * control_rates[0]);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 10 * control_rates[1]);
	finish(self);
}
END_TEST

#if defined(__i386__) || defined(__x86_64__)

/* 2.6's reserved words may hold anything: with other words there it is the same control. */
START_TEST(reserved_words)
{
	struct vperfctr_control control;
	struct vperfctr *self;
	unsigned int opens;

	begin();
	control = control_of(1, 0);
	memset(control.cpu_control.offcore_rsp_high, 0x5A, 8);
	control.cpu_control.pebs_frontend = 0x5A5A5A5A;
	self = open_with(control);
	opens = pmu_calls(PMU_OPEN);
	control.cpu_control.offcore_rsp_high[1] = 1;
	control.cpu_control.pebs_frontend = 0xA5A5A5A5;
	set_control(self, control);
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), opens);
	finish(self);
}
END_TEST

#else

START_TEST(reserved_words)
{
}
END_TEST

#endif

/* A control that takes a clock which there can't be. */
START_TEST(no_clock)
{
	struct vperfctr_control control;
	unsigned int events;
	int fd;

	begin();
	fd = sys_vperfctr_open(0, 1);
	ck_assert_msg(fd >= 0, "%s", perfctr_error());
	events = pmu_events();
	control = control_of(2, 0);
	control.flags = VPERFCTR_CONTROL_CLOEXEC;
	/* The kernel is asked, two counters, a clock, and the event that tells of the execve(2). */
	pmu_fail(PMU_OPEN, 5, EMFILE);
	ck_fails(sys_vperfctr_control(fd, &control), EMFILE, "the TSC");
	ck_assert(pmu_failed());
	ck_assert_uint_eq(pmu_events(), events);
	ck_assert_int_eq(sys_vperfctr_control(fd, &control), 0);
	ck_assert_int_eq(sys_vperfctr_unlink(fd), 0);
	close(fd);
	pmu_end();
	unsetenv("PERFCTR_PROVIDER");
}
END_TEST

static void only_the_clock(void)
{
	ck_assert_uint_le(pmu_active(), 1);
}

/* No member goes on alone, not even for the time of a close. */
START_TEST(an_end)
{
	struct vperfctr *self;

	begin();
	self = open_with(control_of(3, 0));
	pmu_at(PMU_CLOSE, 0, only_the_clock);
	ck_assert_int_eq(vperfctr_unlink(self), 0);
	ck_assert_uint_eq(pmu_calls(PMU_CLOSE), 3 + clock_events());
	finish(self);
}
END_TEST

/* The TSC takes an event where no counter's page has its clock, or may be off the PMU for a time.
 */
START_TEST(events_of_clocks)
{
	struct vperfctr_control two = control_of(2, 0), none = control_of(0, 0);
	struct vperfctr *self;

	begin();
	self = open_with(two);
	ck_assert_uint_eq(pmu_events(), 2 + clock_events());
	tick(10);
	check_counts(self, 10, 2, 0);
	set_control(self, none);
	ck_assert_uint_eq(pmu_events(), 2 + PERFCTR_HAVE_RDTSC);
	tick(10);
	check_counts(self, 20, 0, 0);
	/* The same counters again: their page, and the event goes. */
	set_control(self, two);
	ck_assert_uint_eq(pmu_events(), 2 + clock_events());
	tick(10);
	pmu_count(1);
	check_counts(self, 30, 2, 1);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	tick(1000);
	check_counts(self, 30, 2, 1);
	/* Other counters have another page. */
	set_control(self, control_of(3, 0));
	ck_assert_uint_eq(pmu_events(), 3 + clock_events());
	tick(10);
	check_counts(self, 40, 3, 0);
	/* Without the TSC there is no clock, and later it goes on. */
	two.cpu_control.tsc_on = 0;
	set_control(self, two);
	ck_assert_uint_eq(pmu_events(), 2 + clock_events());
	ck_assert_uint_eq(vperfctr_read_tsc(self), 0);
	two.cpu_control.tsc_on = 1;
	set_control(self, two);
	ck_assert_uint_eq(pmu_events(), 2 + clock_events());
	tick(10);
	check_counts(self, 10, 2, 0);
	/* Overflows stop the counters, but not the TSC. */
	set_control(self, control_of(1, 1, -100000));
	ck_assert_uint_eq(pmu_events(), 2 + PERFCTR_HAVE_RDTSC);
	tick(10);
	ck_assert_uint_eq(vperfctr_read_tsc(self), 20 * PMU_TICKS);
	ck_assert_int_eq(vperfctr_unlink(self), 0);
	ck_assert_uint_eq(vperfctr_read_tsc(self), 20 * PMU_TICKS);
	finish(self);
	begin();
	self = open_mode(PERFCTR_MULTIPLEX, two);
	ck_assert_uint_eq(pmu_events(), 2 + PERFCTR_HAVE_RDTSC);
	finish(self);
}
END_TEST

#define HOUR UINT64_C(3600000000000)

/* All that reads the TSC gives what it is between two looks at the clock; *last is the least. */
static void check_running(const struct vperfctr *self, uint64_t begun, uint64_t *last)
{
	struct perfctr_sum_ctrs sum;
	unsigned int round;
	uint64_t tsc;

	for (round = 0; round < 3; round++) {
		tsc = vperfctr_read_tsc(self);
		ck_assert_uint_ge(tsc, *last);
		ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
		ck_assert_uint_ge(sum.tsc, tsc);
		*last = sum.tsc;
		ck_assert_uint_le(sum.tsc, perfctr_rdtsc() - begun);
	}
}

/* The kernel knows of another thread's what it counted up to its last switch, as here. */
static void *check_anothers(void *self)
{
	uint64_t tsc = vperfctr_read_tsc(self);
	struct perfctr_sum_ctrs sum;

	ck_assert_uint_eq(vperfctr_read_tsc(self), tsc);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(sum.tsc, tsc);
	ck_assert_uint_gt(tsc, HOUR);
	return NULL;
}

/* A clock that runs, as x86's, is remembered; of one that is not the TSC's, nothing is. */
START_TEST(a_running_clock)
{
	struct vperfctr_control control;
	struct vperfctr *self;
	uint64_t begun, last;
	pthread_t another;
	unsigned int n;

	if (!PERFCTR_HAVE_RDTSC)
		return;
	for (n = 0; n < 3; n += 2) {
		begin();
		pmu.runs = true;
		last = 0;
		begun = perfctr_rdtsc();
		self = open_with(control_of(n, 0));
		check_running(self, begun, &last);
		/* Off the processor and on it again, an hour later by its clock. */
		begun -= HOUR * PMU_TICKS;
		last += HOUR / 2 * PMU_TICKS;
		pmu_tick(HOUR);
		pmu_count(5);
		check_running(self, begun, &last);
		pthread_create(&another, NULL, check_anothers, self);
		pthread_join(another, NULL);
		if (n)
			ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 5 * control_rates[1]);
		ck_assert_int_eq(vperfctr_stop(self), 0);
		ck_assert_uint_ge(vperfctr_read_tsc(self), last);
		last = vperfctr_read_tsc(self);
		ck_assert_uint_le(last, perfctr_rdtsc() - begun);
		ck_assert_uint_eq(vperfctr_read_tsc(self), last);
		/* Without the TSC. */
		control = control_of(2, 0);
		control.cpu_control.tsc_on = 0;
		set_control(self, control);
		ck_assert_uint_eq(vperfctr_read_tsc(self), 0);
		pmu_count(3);
		check_counts(self, 0, 2, 3);
		/* And again, from the beginning. */
		last = 0;
		begun = perfctr_rdtsc();
		set_control(self, control_of(2, 0));
		check_running(self, begun, &last);
		finish(self);
	}
}
END_TEST

/* Counters that are taken stop their page's clock: the thread's CPU clock goes on for it. */
START_TEST(a_taken_clock)
{
	struct perfctr_total *total = perfctr_total_create();
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;
	unsigned int round;

	for (round = 0; round < 2; round++) {
		cpu_ns = 1000000;
		begin();
		self = open_with(control_of(2, 0));
		/* Also after a stop in which time went by, or a stop for long, mostly asleep. */
		ck_assert_int_eq(vperfctr_stop(self), 0);
		tick(5000);
		set_control(self, control_of(2, 0));
		ck_assert_int_eq(vperfctr_stop(self), 0);
		pmu_tick(round ? 2000000 : 900);
		cpu_ns += 900;
		set_control(self, control_of(2, 0));
		tick(100);
		pmu.taken = 3;
		pmu_schedule();
		ck_assert_uint_eq(vperfctr_read_tsc(self), 100 * PMU_TICKS);
		/* The one clock leaves out what the other does not: nothing goes back. */
		if (clock_events() == 0 && pmu.rdpmc) {
			cpu_ns -= 20;
			ck_assert_uint_eq(vperfctr_read_tsc(self), 100 * PMU_TICKS);
			cpu_ns += 20;
		}
		tick(50);
		ck_assert_uint_eq(vperfctr_read_tsc(self), 150 * PMU_TICKS);
		tick(7);
		if (round == 0) {
			ck_assert_int_eq(perfctr_total_add(total, self), 0);
			ck_fails(perfctr_total_read(total, &sum, NULL), EBUSY, "taken");
			perfctr_total_destroy(total);
			ck_fails(vperfctr_stop(self), EBUSY, "taken");
			tick(3);
			ck_assert_uint_eq(vperfctr_read_tsc(self), 157 * PMU_TICKS);
			pmu_fail(PMU_READ, 1, EIO);
			ck_assert_uint_eq(vperfctr_read_tsc(self), 157 * PMU_TICKS);
			pmu_fail(PMU_ANY, 0, 0);
			ck_assert_int_eq(vperfctr_unlink(self), 0);
		} else {
			pmu_fail(PMU_READ, 1, EIO);
			if (pmu.rdpmc)
				ck_assert_uint_eq(vperfctr_read_tsc(self), ~0ULL);
			pmu_fail(PMU_ANY, 0, 0);
			ck_fails(vperfctr_unlink(self), EBUSY, "taken");
		}
		ck_assert_uint_eq(vperfctr_read_tsc(self), 157 * PMU_TICKS);
		vperfctr_close(self);
		pmu_end();
	}
	unsetenv("PERFCTR_PROVIDER");
}
END_TEST

/*
 * The CPU clock is asked again only after a ms. What the thread slept before, stopped, is missing
 * after counters that are taken; but not more, and nothing goes back.
 */
START_TEST(a_slept_clock)
{
	struct vperfctr *self;

	cpu_ns = 1000000;
	begin();
	pmu_tick(5000000); /* the processor's clock is not at its beginning */
	self = open_with(control_of(2, 0));
	tick(100);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	pmu_tick(500000);
	set_control(self, control_of(2, 0));
	tick(100);
	pmu.taken = 3;
	pmu_schedule();
	tick(10);
	ck_assert_uint_eq(vperfctr_read_tsc(self), (clock_events() ? 210 : 200) * PMU_TICKS);
	tick(500000);
	ck_assert_uint_eq(vperfctr_read_tsc(self), (clock_events() ? 500210 : 210) * PMU_TICKS);
	ck_fails(vperfctr_unlink(self), EBUSY, "taken");
	vperfctr_close(self);
	pmu_end();
	unsetenv("PERFCTR_PROVIDER");
}
END_TEST

/* The system calls between an open and a close: those of a counter, and one for the CPU clock. */
START_TEST(calls_of_a_life)
{
	unsigned int round, any, memory;
	struct vperfctr *self;

	begin();
	for (round = 0; round < 2; round++) {
		any = pmu_calls(PMU_ANY);
		memory = pmu_calls(PMU_MEMORY);
		cpu_asked = 0;
		self = open_with(control_of(1, 0));
		pmu_count(3);
		check_counts(self, 0, 1, 3);
		ck_assert_int_eq(vperfctr_unlink(self), 0);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 3 * control_rates[0]);
		vperfctr_close(self);
	}
	/* Its memory is the one's before. */
	ck_assert_uint_eq(pmu_calls(PMU_MEMORY), memory);
	if (pmu.rdpmc) {
		ck_assert_uint_eq(pmu_calls(PMU_ANY) - any, 4);
		ck_assert_uint_eq(cpu_asked, 1);
	}
	pmu_end();
	unsetenv("PERFCTR_PROVIDER");
}
END_TEST

/* How often the driver was looked for. */
static unsigned int looks_for_driver;

int __wrap_perfctr_device_open(struct perfctr_info *info);

int __wrap_perfctr_device_open(struct perfctr_info *info)
{
	(void)info;
	looks_for_driver++;
	errno = ENOENT;
	return -1;
}

/* A thread that lives briefly: two calls at its beginning, and two at its end. */
static void *brief_thread(void *arg)
{
	unsigned int any = pmu_calls(PMU_ANY), memory = pmu_calls(PMU_MEMORY);
	unsigned int *calls = arg;
	struct vperfctr *self;

	cpu_asked = looks_for_driver = 0;
	self = open_mode(VPERFCTR_OPEN_BRIEF, control_of(1, 0));
	calls[0] = pmu_calls(PMU_ANY) - any;
	pmu_count(3);
	pmu_tick(7);
	check_counts(self, 7, 1, 3);
	vperfctr_close(self);
	calls[1] = pmu_calls(PMU_ANY) - any;
	calls[2] = pmu_calls(PMU_MEMORY) - memory + cpu_asked;
	return self;
}

START_TEST(brief)
{
	unsigned int calls[4], round, any = 0;
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;
	pthread_t thread;

	begin();
	unsetenv("PERFCTR_PROVIDER");
	for (round = 0; round < 3; round++) {
		pthread_create(&thread, NULL, brief_thread, calls);
		pthread_join(thread, NULL);
		any = pmu_calls(PMU_ANY) - any;
		if (round)
			ck_assert_uint_eq(looks_for_driver, 0);
		if (round && pmu.rdpmc) {
			ck_assert_uint_eq(calls[0], 2);
			ck_assert_uint_eq(calls[1], 2);
			ck_assert_uint_eq(any, 4); /* its end, too */
			ck_assert_uint_eq(calls[2], 0);
		}
		any = pmu_calls(PMU_ANY);
	}
	/* Others look. */
	self = vperfctr_open();
	ck_assert_uint_eq(looks_for_driver, 1);
	vperfctr_unlink(self);
	vperfctr_close(self);
	/* Where it has no clock of its own, the TSC goes with the counters. */
	self = open_mode(VPERFCTR_OPEN_BRIEF, control_of(2, 0));
	pmu_tick(10);
	check_counts(self, 10, 2, 0);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	set_control(self, control_of(2, 0));
	pmu_tick(10);
	check_counts(self, 20, 2, 0);
	pmu.taken = 3;
	pmu_schedule();
	errno = 0;
	if (pmu.rdpmc) {
		ck_assert_uint_eq(vperfctr_read_tsc(self), ~0ULL);
		ck_assert_int_eq(errno, EBUSY);
		ck_assert_ptr_nonnull(strstr(perfctr_error(), "the TSC's clock"));
	} else {
		ck_assert_uint_eq(vperfctr_read_tsc(self), 20 * PMU_TICKS);
	}
	ck_fails(vperfctr_read_ctrs(self, &sum), EBUSY, "taken");
	ck_fails(vperfctr_unlink(self), EBUSY, "taken");
	vperfctr_close(self);
	/* It is a flag of the other modes, too. */
	self = open_mode(VPERFCTR_OPEN_BRIEF | PERFCTR_MULTIPLEX, control_of(1, 0));
	finish(self);
}
END_TEST

#define QUALITY(i, v, q, e, r)                                                                  \
	do {                                                                                    \
		struct perfctr_reading is;                                                      \
                                                                                                \
		ck_assert_msg(vperfctr_read_quality(self, i, &is) == 0, "%s", perfctr_error()); \
		ck_assert_uint_eq(is.value, v);                                                 \
		ck_assert_uint_eq(is.quality, q);                                               \
		ck_assert_uint_eq(is.enabled, e);                                               \
		ck_assert_uint_eq(is.running, r);                                               \
	} while (0)

static void *pause_anothers(void *self)
{
	ck_fails(vperfctr_pause(self), ESRCH, "another thread");
	ck_fails(vperfctr_resume(self), ESRCH, "another thread");
	return NULL;
}

/* What happens in a pause is not in the sums; the PMU counts on. */
static void check_pauses(unsigned int flags, bool tsc_on, bool rdpmc)
{
	struct vperfctr_control control = control_of(2, 0);
	struct perfctr_total *total;
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;
	unsigned int i, calls;
	pthread_t thread;
	uint64_t ns;

	begin();
	pmu.rdpmc &= rdpmc;
	control.cpu_control.tsc_on = tsc_on;
	self = open_mode(flags, control);
	total = perfctr_total_create();
	ck_assert_int_eq(perfctr_total_add(total, self), 0);
	calls = pmu_calls(PMU_ANY);
	for (i = 1; i < 4; i++) {
		ns = tsc_on ? 10 * i : 0;
		pmu_count(1);
		tick(10);
		ck_assert_msg(vperfctr_pause(self) == 0, "%s", perfctr_error());
		ck_assert_int_eq(vperfctr_is_running(self), 0);
		check_counts(self, ns, 2, i);
		pmu_count(1000);
		tick(1000);
		check_counts(self, ns, 2, i);
		QUALITY(1, i * control_rates[1], PERFCTR_STALE, 0, 0);
		ck_assert_int_eq(perfctr_total_read(total, &sum, NULL), 0);
		ck_assert_uint_eq(sum.tsc, ns * PMU_TICKS);
		ck_assert_uint_eq(sum.pmc[1], i * control_rates[1]);
		ck_assert_uint_ge(pmu_active(), 2);
		ck_fails(vperfctr_pause(self), EINVAL, "paused already");
		ck_assert_int_eq(vperfctr_resume(self), 0);
		check_counts(self, ns, 2, i);
		ck_assert_int_ne(vperfctr_is_running(self), 0);
		ck_fails(vperfctr_resume(self), EINVAL, "not paused");
	}
	if (pmu.rdpmc)
		ck_assert_uint_eq(pmu_calls(PMU_ANY), calls);
	pthread_create(&thread, NULL, pause_anothers, self);
	pthread_join(thread, NULL);
	/* A control ends the pause, and the sums that it preserves are those of its beginning. */
	ck_assert_int_eq(vperfctr_pause(self), 0);
	pmu_count(1000);
	tick(1000);
	control.preserve = 3;
	set_control(self, control);
	ns = tsc_on ? 30 : 0;
	check_counts(self, ns, 2, 3);
	pmu_count(1);
	check_counts(self, ns, 2, 4);
	ck_fails(vperfctr_resume(self), EINVAL, "not paused");
	ck_assert_int_eq(vperfctr_pause(self), 0);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	ck_assert_uint_le(pmu_active(), 1);
	check_counts(self, ns, 2, 4);
	ck_fails(vperfctr_pause(self), EINVAL, "nothing counts");
	ck_fails(vperfctr_resume(self), EINVAL, "not paused");
	/* And so does the end. */
	set_control(self, control);
	pmu_count(1);
	ck_assert_int_eq(vperfctr_pause(self), 0);
	pmu_count(1);
	ck_assert_int_eq(vperfctr_unlink(self), 0);
	check_counts(self, ns, 2, 5);
	ck_fails(vperfctr_pause(self), ESRCH, "unlinked");
	ck_fails(vperfctr_resume(self), ESRCH, "unlinked");
	perfctr_total_destroy(total);
	finish(self);
}

START_TEST(pauses)
{
	check_pauses(0, true, true);
	check_pauses(0, false, true);
	check_pauses(0, true, false);
	check_pauses(PERFCTR_MULTIPLEX, true, true);
	check_pauses(VPERFCTR_OPEN_BRIEF, true, true);
}
END_TEST

/* A reader's own pause: the handle counts on. */
START_TEST(a_paused_reader)
{
	struct perfctr_reader reader;
	struct vperfctr *self;
	uint64_t at, value;

	begin();
	self = open_with(control_of(2, 0));
	if (pmu.rdpmc) {
		ck_assert_int_eq(vperfctr_reader(self, 1, &reader), 0);
		pmu_count(3);
		ck_assert_int_eq(perfctr_reader_pause(&reader, &at), 1);
		ck_assert_uint_eq(at, 3 * control_rates[1]);
		pmu_count(100);
		ck_assert_int_eq(perfctr_reader_resume(&reader, at), 1);
		ck_assert_int_eq(perfctr_reader_read(&reader, &value), 1);
		ck_assert_uint_eq(value, at);
		pmu_count(1);
		ck_assert_int_eq(perfctr_reader_read(&reader, &value), 1);
		ck_assert_uint_eq(value, 4 * control_rates[1]);
		check_counts(self, 0, 2, 104);
		pmu.taken = 3;
		pmu_schedule();
		at = reader.base;
		ck_assert_int_eq(perfctr_reader_resume(&reader, 77), 0);
		ck_assert_uint_eq(reader.base, at);
		ck_assert_int_eq(perfctr_reader_pause(&reader, &at), 0);
	}
	vperfctr_unlink(self);
	finish(self);
}
END_TEST

/* One that is refused leaves the pause, and its counters, as they were. */
START_TEST(refused_in_a_pause)
{
	struct vperfctr_control control = control_of(1, 0), wanted = control_of(3, 0);
	struct vperfctr *self;
	unsigned int fault;

	begin();
	pmu.taken = 2;
	self = open_with(control);
	pmu_count(10);
	tick(100);
	ck_assert_int_eq(vperfctr_pause(self), 0);
	ck_fails(vperfctr_control(self, &wanted), EBUSY, "taken");
	wanted.flags = 0x80;
	ck_fails(vperfctr_control(self, &wanted), EINVAL, "flags");
	pmu_count(1);
	tick(1);
	check_counts(self, 100, 1, 10);
	ck_assert_int_eq(vperfctr_resume(self), 0);
	pmu_count(1);
	tick(1);
	check_counts(self, 101, 1, 11);
	/* Nor is anything paused, or resumed, that somebody has taken meanwhile. */
	for (fault = 0; fault < 2; fault++) {
		if (fault)
			ck_assert_int_eq(vperfctr_pause(self), 0);
		pmu.taken = 4;
		pmu_schedule();
		pmu.taken = 0;
		ck_fails(fault ? vperfctr_resume(self) : vperfctr_pause(self), EBUSY, "taken");
		ck_assert_int_eq(vperfctr_is_running(self), !fault);
		set_control(self, control);
		pmu_count(5);
		check_counts(self, 101, 1, 5);
	}
	set_control(self, control_of(1, 1, -100000));
	ck_fails(vperfctr_pause(self), EOPNOTSUPP, "i-mode");
	finish(self);
}
END_TEST

/* Of a clock that others read, too, ns in ticks. */
static uint64_t ticks_of(uint64_t ns)
{
	return perfctr_rate_ticks(perfctr_rate_from_khz(perfctr_tsc_khz()), ns);
}

/* Others read through a descriptor what the pause has left. */
START_TEST(a_paused_descriptor)
{
	struct vperfctr *self;
	struct perfctr_sum_ctrs sum;
	uint64_t tsc;
	int fd;

	begin();
	self = open_with(control_of(1, 0));
	fd = sys_vperfctr_open(0, 0);
	ck_assert_msg(fd >= 0, "%s", perfctr_error());
	pmu_count(10);
	tick(100);
	ck_assert_int_eq(vperfctr_pause(self), 0);
	pmu_count(1000);
	tick(1000);
	ck_assert_uint_eq(vperfctr_read_tsc(self), ticks_of(100));
	ck_assert_int_eq(vperfctr_resume(self), 0);
	pmu_count(1);
	tick(1);
	tsc = ticks_of(1101) - ticks_of(1100) + ticks_of(100);
	ck_assert_uint_eq(vperfctr_read_tsc(self), tsc);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 11);
	ck_assert_int_eq(vperfctr_pause(self), 0);
	pmu_count(1000);
	tick(1000);
	ck_assert_int_eq(vperfctr_unlink(self), 0);
	ck_assert_int_eq(sys_vperfctr_read(fd, &sum, NULL), 0);
	ck_assert_uint_eq(sum.pmc[0], 11);
	ck_assert_uint_eq(sum.tsc, tsc);
	close(fd);
	finish(self);
}
END_TEST

/* One that counts from its opening begins at 0 all the same; not while another one counts. */
START_TEST(born_counting)
{
	struct vperfctr_control control = control_of(1, 0), other;
	struct vperfctr *self;

	begin();
	pmu_at(PMU_MMAP, 1, let_time_pass);
	self = open_with(control);
	ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_ENABLE), 0);
	check_counts(self, 0, 1, 0);
	pmu_count(2);
	pmu_tick(20);
	check_counts(self, 20, 1, 2);
	/* The old one has the PMU's last counter until it is stopped. */
	pmu.taken = 3;
	other = control;
	other.cpu_control.evntsel[0] = CONTROL_EVNTSEL | control_codes[1];
	set_control(self, other);
	ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_ENABLE), 1);
	pmu_count(3);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 3 * control_rates[1]);
	/* Without room it does not start, and nothing is left of it. */
	ck_assert_int_eq(vperfctr_stop(self), 0);
	pmu.taken = 4;
	ck_fails(vperfctr_control(self, &control), EBUSY, "taken");
	ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_ENABLE), 1);
	ck_assert_uint_eq(pmu_events(), 1 + clock_events());
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 3 * control_rates[1]);
	pmu.taken = 0;
	set_control(self, control);
	pmu_count(1);
	check_counts(self, 20, 1, 1);
	finish(self);
}
END_TEST

/* What a new control makes of the sums. */
START_TEST(sums)
{
	struct vperfctr_control control;
	struct vperfctr *self;
	struct perfctr_sum_ctrs sum;

	begin();
	control = control_of(3, 0);
	self = open_with(control);
	pmu_count(10);
	pmu_tick(100);
	/* Counters begin again, but those to be preserved; the TSC goes on. */
	control.preserve = 2;
	set_control(self, control);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 0);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 20);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 2), 0);
	ck_assert_uint_eq(vperfctr_read_tsc(self), 200);
	pmu_count(1);
	pmu_tick(1);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert(sum.pmc[0] == 1 && sum.pmc[1] == 22 && sum.pmc[2] == 3 && sum.tsc == 202);
	/* Also through a stop, and with another control, in which a counter counts another event.
	 */
	ck_assert_int_eq(vperfctr_stop(self), 0);
	control.cpu_control.evntsel[0] = CONTROL_EVNTSEL | control_codes[3];
	control.preserve = 7;
	set_control(self, control);
	pmu_count(2);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert(sum.pmc[0] == 11 && sum.pmc[1] == 26 && sum.pmc[2] == 9 && sum.tsc == 202);
	/* Fewer counters: the others keep theirs, as history has it. Without a TSC its sum is gone.
	 */
	control = control_of(1, 0);
	control.cpu_control.tsc_on = 0;
	control.preserve = 1;
	set_control(self, control);
	pmu_count(4);
	pmu_tick(50);
	ck_assert_uint_eq(vperfctr_read_tsc(self), 0);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 15);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 26);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 2), 9);
	control.cpu_control.tsc_on = 1;
	set_control(self, control);
	pmu_tick(5);
	ck_assert_uint_eq(vperfctr_read_tsc(self), 10);
	/* The sums outlive the events. */
	ck_assert_int_eq(vperfctr_unlink(self), 0);
	ck_assert_uint_eq(pmu_events(), 0);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 15);
	ck_assert_uint_eq(vperfctr_read_tsc(self), 10);
	finish(self);
}
END_TEST

/* A control that counts the same finds its events open; any other opens its own. */
START_TEST(reuse)
{
	struct vperfctr_control control, other;
	struct vperfctr *self;
	unsigned int opens, i;

	begin();
	control = control_of(3, 0);
	self = open_with(control);
	opens = pmu_calls(PMU_OPEN);
	for (i = 1; i < 5; i++) {
		pmu_count(i);
		set_control(self, control);
		check_counts(self, 0, 3, 0);
		pmu_count(i);
		ck_assert_int_eq(vperfctr_stop(self), 0);
		pmu_count(i);
		check_counts(self, 0, 3, i);
		control.cpu_control.tsc_on = i % 2;
		set_control(self, control);
		check_counts(self, 0, 3, 0);
	}
	/* Neither the TSC nor i-mode values make events. */
	control.cpu_control.ireset[1] = -5;
	ck_assert_int_eq(vperfctr_control(self, &control), 0);
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), opens);
	for (i = 0; i < 2; i++) {
		other = control;
		if (i == 0)
			other.cpu_control.evntsel[2] = CONTROL_EVNTSEL | control_codes[3];
		else
			other.cpu_control.nractrs = 2;
		set_control(self, other);
		ck_assert_uint_gt(pmu_calls(PMU_OPEN), opens);
		opens = pmu_calls(PMU_OPEN);
		pmu_count(1);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 2), i ? 0 : control_rates[3]);
		set_control(self, control);
		ck_assert_uint_eq(pmu_calls(PMU_OPEN), opens + 3);
		opens += 3;
	}
#if defined(__i386__) || defined(__x86_64__)
	/* What stands after ireset in the control counts, too. */
	control.cpu_control.evntsel[0] = CONTROL_EVNTSEL | 0x01B7;
	control.cpu_control.ireset[1] = 0;
	control.cpu_control.offcore_rsp[0] = 1;
	set_control(self, control);
	opens = pmu_calls(PMU_OPEN);
	set_control(self, control);
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), opens);
	control.cpu_control.offcore_rsp_high[0] = 1;
#ifdef VPERFCTR_CONTROL_EXTENDED
	control.flags |= VPERFCTR_CONTROL_EXTENDED;
#endif
	set_control(self, control);
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), opens + 3);
#endif
	finish(self);
}
END_TEST

#ifdef __aarch64__
#define INSTRUCTIONS 0x08
#else
#define INSTRUCTIONS 0xC0
#endif

/*
 * Of instructions the library leaves its own ones out, which this PMU does not count, and of
 * nothing else. The first control opens the counters, the second finds them.
 */
START_TEST(own_instructions)
{
	struct vperfctr_control control;
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;
	unsigned int k;
	uint64_t left;

	begin();
	control = control_of(3, 0);
	control.cpu_control.evntsel[0] = CONTROL_EVNTSEL | INSTRUCTIONS;
	control.cpu_control.evntsel[2] = CONTROL_EVNTSEL | INSTRUCTIONS;
	self = open_with(control);
	for (k = 0; k < 2; k++) {
		left = pmu.rdpmc ? perfctr_edge_after(3, 0) : 0;
		pmu_count(1000);
		ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
		ck_assert_uint_eq(sum.pmc[0], 1000 - left);
		ck_assert_uint_eq(sum.pmc[1], 2000);
		ck_assert_uint_eq(sum.pmc[2], 1000 - (pmu.rdpmc ? perfctr_edge_after(3, 2) : 0));
		pmu_count(200);
		left += pmu.rdpmc ? perfctr_edge_before(0) : 0;
		ck_assert_int_eq(vperfctr_stop(self), 0);
		pmu_count(1);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 1200 - left);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 2400);
		ck_assert_uint_eq(
			vperfctr_read_pmc(self, 2),
			1200 - (pmu.rdpmc ? perfctr_edge_after(3, 2) + perfctr_edge_before(2) : 0));
		set_control(self, control);
	}
	/* Where they have not been counted, nothing goes back. */
	ck_assert_int_eq(vperfctr_stop(self), 0);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 0);
	set_control(self, control);
	pmu_count(1000);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	left = vperfctr_read_pmc(self, 2);
	control.preserve = 4;
	set_control(self, control);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 0);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 2), left);
	finish(self);
}
END_TEST

/*
 * A control that counts again what was stopped: the rest of it is what this one says. But if others
 * have taken the counters meanwhile it fails, and the sums stay.
 */
START_TEST(again)
{
	struct vperfctr_control control, same;
	struct vperfctr *self;

	begin();
	control = control_of(2, 0);
	self = open_with(control);
	pmu_count(3);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	ck_assert_int_eq(vperfctr_read_state(self, NULL, &same), 0);
	ck_assert_uint_eq(same.cpu_control.nractrs, 0);
	control.preserve = 2;
	control._reserved3 = 5;
	set_control(self, control);
	ck_assert_int_eq(vperfctr_read_state(self, NULL, &same), 0);
	ck_assert_mem_eq(&same, &control, sizeof(same));
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 0);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 6);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	pmu.taken = pmu.counters;
	pmu_schedule();
	control.preserve = 0;
	ck_fails(vperfctr_control(self, &control), EBUSY, "");
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 6);
	ck_assert_int_eq(vperfctr_is_running(self), 0);
	/* Stopped twice, it is no longer what it was. */
	ck_assert_int_eq(vperfctr_stop(self), 0);
	pmu.taken = 0;
	pmu_schedule();
	set_control(self, control);
	pmu_count(1);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 2);
	finish(self);
}
END_TEST

/* No room for a new control: the old one goes on as if nothing had happened. */
START_TEST(no_room)
{
	struct vperfctr_control control, wanted, read;
	struct vperfctr *self;
	unsigned int tsc_on, events;

	for (tsc_on = 0; tsc_on < 2; tsc_on++) {
		begin();
		pmu.taken = 2;
		control = control_of(2, 0);
		control.cpu_control.tsc_on = tsc_on;
		wanted = control_of(3, 0);
		self = open_with(control);
		events = pmu_events();
		pmu_count(10);
		pmu_tick(100);
		/* But for the time of the attempt itself. */
		pmu_at(PERF_EVENT_IOC_ENABLE, 1, let_time_pass);
		ck_fails(vperfctr_control(self, &wanted), EBUSY, "taken");
		check_counts(self, tsc_on * 100, 2, 10);
		pmu_count(5);
		pmu_tick(1);
		check_counts(self, tsc_on * 101, 2, 15);
		ck_assert_int_ne(vperfctr_is_running(self), 0);
		ck_assert_int_eq(vperfctr_read_state(self, NULL, &read), 0);
		ck_assert_mem_eq(&read, &control, sizeof(read));
		/* Nothing is left of what was opened. */
		ck_assert_uint_eq(pmu_events(), events);
		ck_assert_int_eq(vperfctr_stop(self), 0);
		ck_fails(vperfctr_control(self, &wanted), EBUSY, "taken");
		check_counts(self, tsc_on * 101, 2, 15);
		ck_assert_int_eq(vperfctr_is_running(self), 0);
		pmu.taken = 1;
		set_control(self, wanted);
		finish(self);
	}
}
END_TEST

/*
 * Each call of a control fails in its turn: either the control does without, or it fails, says so,
 * and leaves what was.
 */
static void fail_each(struct vperfctr_control from, struct vperfctr_control to)
{
	unsigned int nth, n = from.cpu_control.nractrs, failures = 0, events;
	struct vperfctr_control read;
	struct vperfctr *self;
	uint64_t ns;
	bool failed;
	int result;

	for (nth = 1;; nth++) {
		begin();
		pmu.counters = 8; /* what can't be stopped must not be in the way */
		self = open_with(from);
		events = pmu_events();
		pmu_count(10);
		pmu_tick(100);
		pmu_fail(PMU_ANY, nth, EIO);
		errno = 0;
		result = vperfctr_control(self, &to);
		failed = pmu_failed();
		pmu_fail(PMU_ANY, 0, 0);
		if (!failed)
			break;
		pmu_count(5);
		pmu_tick(50);
		ns = 150;
		if (result < 0) {
			failures++;
			ck_assert_int_ne(errno, 0);
			ck_assert_uint_gt(strlen(perfctr_error()), 0);
			ck_assert_int_eq(vperfctr_read_state(self, NULL, &read), 0);
			ck_assert_mem_eq(&read, &from, sizeof(read));
			ck_assert_uint_eq(pmu_events(), events);
			/* Unless it could be stopped only in part. */
			if (!vperfctr_is_running(self))
				ns = 100;
			check_counts(self, ns, n, ns / 10);
			/* And the same control, without a fault, is taken. */
			set_control(self, to);
			pmu_count(5);
			pmu_tick(50);
			ns += 50;
		}
		check_counts(self, ns, to.cpu_control.nractrs, 5);
		finish(self);
	}
	ck_assert_int_eq(result, 0);
	ck_assert_uint_gt(failures, 1);
	finish(self);
}

/* The same events, which stand still, and can't be started: then they stand still. */
START_TEST(faults_of_a_start)
{
	struct vperfctr *self;
	unsigned int i;

	begin();
	pmu.rdpmc = false;
	self = open_with(control_of(2, 0));
	pmu_count(10);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	for (i = 0; i < 3; i++) {
		struct vperfctr_control control = control_of(2, 0);

		pmu_fail(i ? PMU_READ : PERF_EVENT_IOC_ENABLE, 1, i == 2 ? PMU_EOF : EIO);
		ck_fails(vperfctr_control(self, &control), i == 2 ? EBUSY : EIO, "counters");
		ck_assert_int_eq(vperfctr_is_running(self), 0);
		ck_assert_uint_eq(pmu_active(), 1); /* the clock */
		pmu_count(10);
		check_counts(self, 0, 2, 10);
	}
	finish(self);
}
END_TEST

static void fail_again(void)
{
	pmu_fail(PERF_EVENT_IOC_ENABLE, 1, EPERM);
}

/* What fails while a failure is undone does not hide it. */
START_TEST(faults_of_an_undo)
{
	struct vperfctr_control control;
	struct vperfctr *self;

	begin();
	pmu.taken = 2;
	self = open_with(control_of(2, 0));
	pmu_at(PERF_EVENT_IOC_ENABLE, 2, fail_again);
	control = control_of(3, 0);
	ck_fails(vperfctr_control(self, &control), EBUSY, "taken");
	ck_assert(pmu_failed());
	finish(self);
}
END_TEST

START_TEST(faults_of_a_control)
{
	struct vperfctr_control from = control_of(2, 0), to = control_of(3, 0);

	fail_each(from, to);
	fail_each(to, from);
	fail_each(from, from);
}
END_TEST

/* Counters that share the PMU say for how long they had it. */
START_TEST(shared_counters)
{
	struct vperfctr *self;
	unsigned int opens;

	begin();
	pmu.taken = 3;
	self = open_mode(PERFCTR_MULTIPLEX, control_of(2, 0));
	pmu_tick(100);
	pmu_count(10);
	QUALITY(0, 0, PERFCTR_NOT_COUNTED, 100, 0);
	pmu.taken = 2;
	pmu_schedule();
	pmu_tick(300);
	pmu_count(5);
	QUALITY(0, 5, PERFCTR_SCALED, 400, 300);
	QUALITY(1, 10, PERFCTR_SCALED, 400, 300);
	pmu.taken = 4;
	pmu_schedule();
	pmu_count(5);
	pmu_tick(100);
	QUALITY(0, 5, PERFCTR_SCALED, 500, 300);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 10);
	/* Times are those since the control: so its events are new. */
	opens = pmu_calls(PMU_OPEN);
	set_control(self, control_of(2, 0));
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), opens + 2);
	pmu_tick(7);
	QUALITY(0, 0, PERFCTR_NOT_COUNTED, 7, 0);
	finish(self);
}
END_TEST

/* Others lose the PMU for good; they tell, and don't make up counts. */
START_TEST(taken_away)
{
	struct vperfctr_control control;
	struct vperfctr *self;
	struct perfctr_sum_ctrs sum;

	begin();
	control = control_of(2, 0);
	self = open_with(control);
	pmu_count(10);
	pmu_tick(100);
	pmu.taken = 3;
	pmu_schedule();
	errno = 0;
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), ~0ULL);
	ck_assert_int_eq(errno, EBUSY);
	ck_fails(vperfctr_read_ctrs(self, &sum), EBUSY, "taken");
	QUALITY(1, 0, PERFCTR_NOT_COUNTED, 0, 0);
	pmu.taken = 0;
	ck_fails(vperfctr_stop(self), EBUSY, "taken");
	ck_assert_int_eq(vperfctr_is_running(self), 0);
	set_control(self, control);
	pmu_count(3);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 6);
	/* Not to be read, and interrupted, which is no failure. */
	pmu_fail(PMU_READ, 1, EINTR);
	finish(self);
}
END_TEST

/* A new control does not fail for them, unless it goes on from their counts; the TSC goes on. */
START_TEST(taken_away_and_replaced)
{
	struct vperfctr_control control;
	struct vperfctr *self;

	begin();
	self = open_with(control_of(2, 0));
	pmu_count(10);
	tick(100);
	pmu.taken = 3;
	pmu_schedule();
	control = control_of(1, 0);
	errno = ENOTTY;
	set_control(self, control);
	ck_assert_int_eq(errno, ENOTTY);
	pmu_count(3);
	tick(50);
	check_counts(self, 150, 1, 3);
	pmu.taken = 4;
	pmu_schedule();
	pmu.taken = 0;
	control = control_of(2, 0);
	control.preserve = 2; /* it was not counted */
	set_control(self, control);
	pmu_count(4);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 4);
	pmu.taken = 4;
	pmu_schedule();
	pmu.taken = 0;
	ck_fails(vperfctr_control(self, &control), EBUSY, "taken");
	ck_assert_int_eq(vperfctr_is_running(self), 0);
	finish(self);
}
END_TEST

/* Without pages everything goes through read(2), also if only some are missing. */
START_TEST(lost_pages)
{
	struct perfctr_reader reader;
	struct vperfctr *self;
	unsigned int nth;
	uint64_t value;

	for (nth = 1; nth <= 2; nth++) {
		begin();
		pmu_fail(PMU_MMAP, nth, EPERM);
		self = open_with(control_of(2, 0));
		ck_assert(pmu_failed());
		pmu_count(10);
		pmu_tick(50);
		check_counts(self, 50, 2, 10);
		QUALITY(1, 20, PERFCTR_EXACT, 50, 50);
		ck_fails(vperfctr_reader(self, nth - 1, &reader), EOPNOTSUPP, "");
		if (pmu.rdpmc) {
			ck_assert_int_eq(vperfctr_reader(self, 2 - nth, &reader), 0);
			ck_assert(perfctr_reader_read(&reader, &value));
			ck_assert_uint_eq(value, 10 * control_rates[2 - nth]);
		}
		pmu_fail(PMU_READ, 1, EINTR);
		ck_assert_uint_eq(vperfctr_read_pmc(self, nth - 1), 10 * control_rates[nth - 1]);
		ck_assert(pmu_failed());
		/* What else goes wrong is told. */
		pmu_fail(PMU_READ, 1, EIO);
		errno = 0;
		ck_assert_uint_eq(vperfctr_read_pmc(self, nth - 1), ~0ULL);
		ck_assert_int_eq(errno, EIO);
		finish(self);
	}
	/* A kernel that allows none of it. */
	begin();
	pmu.rdpmc = pmu.clock = false;
	self = open_with(control_of(2, 0));
	ck_assert_uint_eq(pmu_mappings(), 0);
	ck_assert_uint_eq(pmu_events(), 2);
	pmu_count(4);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 8);
	ck_fails(vperfctr_reader(self, 0, &reader), EOPNOTSUPP, "");
	ck_assert_uint_eq(pmu_calls(PMU_RDPMC), 0);
	finish(self);
}
END_TEST

/* ---- a handler that reads while its thread is in the middle of a control ---- */

static struct vperfctr *interrupted;
static struct perfctr_sum_ctrs last;
static unsigned int looks;

static void look(void)
{
	struct perfctr_sum_ctrs sum;
	unsigned int i;

	pmu_count(1);
	pmu_tick(1);
	ck_assert_msg(vperfctr_read_ctrs(interrupted, &sum) == 0, "%s", perfctr_error());
	/* Some may miss what happens while they are switched, but they never go back. */
	ck_assert_uint_ge(sum.tsc, last.tsc);
	ck_assert_uint_le(sum.tsc, last.tsc + PMU_TICKS);
	for (i = 0; i < 2; i++) {
		ck_assert_uint_ge(sum.pmc[i], last.pmc[i]);
		ck_assert_uint_le(sum.pmc[i], last.pmc[i] + control_rates[i]);
	}
	last = sum;
	looks++;
}

START_TEST(reads_in_a_control)
{
	struct vperfctr_control two, three;
	unsigned int round;

	begin();
	two = control_of(2, 0);
	three = control_of(3, 0);
	two.preserve = three.preserve = 7;
	memset(&last, 0, sizeof(last));
	looks = 0;
	interrupted = open_with(two);
	pmu_at(PMU_ANY, 0, look);
	for (round = 0; round < 5; round++) {
		set_control(interrupted, three);
		set_control(interrupted, three);
		ck_assert_int_eq(vperfctr_stop(interrupted), 0);
		set_control(interrupted, two);
	}
	pmu_at(PMU_ANY, 0, NULL);
	ck_assert_uint_gt(looks, 50);
	look();
	finish(interrupted);
}
END_TEST

/* ---- other threads ---- */

static pthread_barrier_t step;
static struct perfctr_total *process;

static void *counted_thread(void *arg)
{
	struct vperfctr *self = open_with(control_of(2, 0));

	(void)arg;
	ck_assert_int_eq(perfctr_total_add(process, self), 0);
	pmu_count(10);
	pmu_tick(100);
	pthread_barrier_wait(&step); /* read while it runs */
	pthread_barrier_wait(&step);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	pmu_count(1);
	pthread_barrier_wait(&step); /* read while it is stopped */
	pthread_barrier_wait(&step);
	set_control(self, control_of(1, 0));
	pmu_count(3);
	vperfctr_close(self);
	return NULL; /* read after its end */
}

START_TEST(totals)
{
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;
	unsigned int n, round, reads;
	pthread_t thread;

	begin();
	self = open_with(control_of(1, 0));
	process = perfctr_total_create();
	ck_assert_int_eq(perfctr_total_add(process, self), 0);
	pthread_barrier_init(&step, NULL, 2);
	pthread_create(&thread, NULL, counted_thread, NULL);
	for (round = 0; round < 2; round++) {
		pthread_barrier_wait(&step);
		pmu_count(1000);
		reads = pmu_calls(PMU_READ);
		ck_assert_int_eq(perfctr_total_read(process, &sum, &n), 0);
		/* One of the other thread's, for its counters and its TSC. */
		if (pmu.rdpmc)
			ck_assert_uint_eq(pmu_calls(PMU_READ) - reads, 1 - round);
		ck_assert_uint_eq(n, 2);
		ck_assert_uint_eq(sum.pmc[0], 1000 * (round + 1) + 10);
		ck_assert_uint_eq(sum.pmc[1], 20);
		ck_assert_uint_eq(sum.tsc, 100 * PMU_TICKS);
		pthread_barrier_wait(&step);
	}
	pthread_join(thread, NULL);
	ck_assert_int_eq(perfctr_total_read(process, &sum, &n), 0);
	ck_assert_uint_eq(sum.pmc[0], 2003);
	ck_assert_uint_eq(sum.pmc[1], 20);
	perfctr_total_destroy(process);
	finish(self);
}
END_TEST

/* Without memory every open says so, leaves nothing, and succeeds as soon as there is some. */
START_TEST(no_memory)
{
	struct vperfctr *self;
	struct perfctr_sum_ctrs sum;
	unsigned int n = 7;

	begin();
	/* What earlier tests have left, if they ran in this process. */
	while (pmu_calls(PMU_MEMORY) == 0)
		perfctr_memory_take(1);
	pmu_fail(PMU_MEMORY, 1, ENOMEM);
	ck_fails_null(vperfctr_open(), ENOMEM, "no memory");
	self = open_with(control_of(1, 0));
	pmu_count(3);
	pmu_fail(PMU_MEMORY, 1, ENOMEM);
	ck_fails_null(gperfctr_open(), ENOMEM, "no memory");
	pmu_fail(PMU_MEMORY, 1, ENOMEM);
	ck_fails_null(perfctr_total_create(), ENOMEM, "no memory");
	process = perfctr_total_create();
	pmu_fail(PMU_MEMORY, 1, ENOMEM);
	ck_fails(perfctr_total_add(process, self), ENOMEM, "no memory");
	ck_assert_int_eq(perfctr_total_read(process, &sum, &n), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(perfctr_total_add(process, self), 0);
	ck_assert_int_eq(perfctr_total_read(process, &sum, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(sum.pmc[0], 3);
	perfctr_total_destroy(process);
	finish(self);
}
END_TEST

/* What the counters of this machine can do, and what is missing then. */
START_TEST(features)
{
	const unsigned int pcint = perfctr_this_cpu()->pcint ? PERFCTR_FEATURE_PCINT : 0;
	const unsigned int all = PERFCTR_FEATURE_PCINT | PERFCTR_FEATURE_RDPMC;
	struct perfctr_info info;
	struct vperfctr *self;
	unsigned int rdpmc;

	begin();
	rdpmc = pmu.rdpmc ? PERFCTR_FEATURE_RDPMC : 0;
	self = open_with(control_of(1, 0));
	ck_assert_int_eq(vperfctr_info(self, &info), 0);
	ck_assert_uint_eq(info.abi_version, PERFCTR_ABI_VERSION);
	ck_assert_int_eq(strncmp(info.driver_version, "perf_events ", 12), 0);
	ck_assert_int_ge(info.driver_version[12], '2'); /* a kernel's version */
	ck_assert_uint_eq(info.cpu_features & all, pcint | rdpmc);
	ck_assert_uint_eq(info.cpu_features & PERFCTR_FEATURE_RDTSC,
			  PERFCTR_HAVE_RDTSC ? PERFCTR_FEATURE_RDTSC : 0);
	/* No page; an event that does not overflow; none. */
	pmu_fail(PMU_MMAP, 1, EPERM);
	ck_assert_int_eq(vperfctr_info(self, &info), 0);
	ck_assert(pmu_failed());
	ck_assert_uint_eq(info.cpu_features & all, pcint);
	pmu.least_period = 1000000;
	ck_assert_int_eq(vperfctr_info(self, &info), 0);
	ck_assert_uint_eq(info.cpu_features & all, pcint | rdpmc);
	pmu.least_period = 1000001;
	ck_assert_int_eq(vperfctr_info(self, &info), 0);
	ck_assert_uint_eq(info.cpu_features & all, rdpmc);
	finish(self);
}
END_TEST

/* ---- overflows ----
 *
 * What is asserted is what the program's handler finds out by vperfctr_ovf_mask().
 */

static struct vperfctr *handled;
static struct {
	unsigned int mask;
	struct perfctr_sum_ctrs sum;
} overflow[64];
static unsigned int noverflows, resumed;
static void (*in_handler)(void);

static void handler(int signal, siginfo_t *info, void *context)
{
	unsigned int mask = vperfctr_ovf_mask(handled, info);

	(void)signal, (void)context;
	if (!mask)
		return;
	ck_assert_uint_lt(noverflows, ARRAY_SIZE(overflow));
	overflow[noverflows].mask = mask;
	ck_assert_int_eq(vperfctr_read_ctrs(handled, &overflow[noverflows++].sum), 0);
	if (in_handler)
		in_handler();
	if (resumed) {
		resumed--;
		errno = 77; /* it is kept, whatever was tried in vain */
		ck_assert_msg(vperfctr_iresume(handled) == 0, "%s", perfctr_error());
		ck_assert_int_eq(errno, 77);
	}
}

#define FOR_EVER 1000000

/* One unit is one of each event. */
static void begin_overflows(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	unsigned int i;

	sigaction(OVERFLOW_SIGNAL, &action, NULL);
	begin();
	for (i = 0; i < ARRAY_SIZE(control_codes); i++)
		pmu_rate(control_codes[i], 1);
	noverflows = 0;
	resumed = FOR_EVER;
	in_handler = NULL;
}

static void hold_all(bool hold)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &all, NULL);
}

#define check_overflow(nth, m, value)                               \
	do {                                                        \
		ck_assert_uint_gt(noverflows, nth);                 \
		ck_assert_uint_eq(overflow[nth].mask, m);           \
		ck_assert_uint_eq(overflow[nth].sum.pmc[0], value); \
	} while (0)

static void count_9(void)
{
	pmu_count(9);
}

static void count_250(void)
{
	pmu_count(250);
}

START_TEST(one_overflow)
{
	struct perfctr_reader reader;
	struct vperfctr *self;
	unsigned int tsc_on, reads;

	for (tsc_on = 0; tsc_on < 2; tsc_on++) {
		struct vperfctr_control control = control_of(1, 1, -100);

		control.cpu_control.tsc_on = tsc_on;
		begin_overflows();
		resumed = 0;
		/* A period begins with the return, whatever they count before, even to its end. */
		pmu_at(PERF_EVENT_IOC_DISABLE, 1, tsc_on ? count_250 : count_9);
		handled = self = open_with(control);
		ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_ENABLE), 1 - tsc_on);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 0);
		pmu_count(99);
		pmu_tick(50);
		ck_assert_uint_eq(noverflows, 0);
		reads = pmu_calls(PMU_READ);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 99);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 99);
		QUALITY(1, 99, PERFCTR_EXACT, 50, 50);
		/* Here too instructions do, but for the times. */
		ck_assert_uint_eq(pmu_calls(PMU_READ), reads + (pmu.rdpmc ? 1 : 3));
		ck_fails(vperfctr_reader(self, 1, &reader), EOPNOTSUPP, "overflows");
		ck_fails(vperfctr_iresume(self), EINVAL, "nothing to resume");
		pmu_count(1);
		ck_assert_uint_eq(noverflows, 1);
		check_overflow(0, 2, 100);
		ck_assert_uint_eq(overflow[0].sum.pmc[1], 100);
		/* Suspended until it is resumed, all but the TSC. */
		pmu_count(77);
		pmu_tick(50);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 100);
		ck_assert_uint_eq(vperfctr_read_tsc(self), tsc_on * 100 * PMU_TICKS);
		QUALITY(1, 100, PERFCTR_STALE, 0, 0);
		ck_assert_int_eq(vperfctr_is_running(self) != 0, tsc_on);
		ck_assert_int_eq(vperfctr_iresume(self), 0);
		ck_assert_int_ne(vperfctr_is_running(self), 0);
		ck_fails(vperfctr_iresume(self), EINVAL, "nothing to resume");
		resumed = FOR_EVER;
		pmu_count(99);
		ck_assert_uint_eq(noverflows, 1);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 199);
		pmu_count(205);
		ck_assert_uint_eq(noverflows, 4);
		check_overflow(1, 2, 200);
		check_overflow(2, 2, 300);
		check_overflow(3, 2, 400);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 404);
		ck_assert_uint_eq(vperfctr_read_tsc(self), tsc_on * 100 * PMU_TICKS);
		/* No other after a stop; and sums that are preserved. */
		ck_assert_int_eq(vperfctr_stop(self), 0);
		pmu_count(1000);
		ck_assert_uint_eq(noverflows, 4);
		control.preserve = 3;
		set_control(self, control);
		pmu_count(100);
		ck_assert_uint_eq(noverflows, 5);
		check_overflow(4, 2, 504);
		finish(self);
	}
}
END_TEST

static unsigned int early;

static void count_early(void)
{
	pmu_count(early);
}

/*
 * Periods are the program's own, at whatever paces the counters have counted before, and whichever
 * has overflowed: the second, of 34 units, or the first, too, of 50.
 */
START_TEST(own_periods)
{
	static const unsigned int units[] = { 0, 9, 40, 60, 250 };
	struct vperfctr *self;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		begin_overflows();
		for (k = 0; k < 3; k++)
			pmu_rate(control_codes[k], k + 1);
		early = units[i];
		pmu_at(PERF_EVENT_IOC_DISABLE, 1, count_early);
		handled = self = open_with(control_of(1, 2, -100, -100));
		ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_PERIOD), 2);
		ck_assert_uint_eq(noverflows, 0);
		for (k = 0; k < 3; k++)
			ck_assert_uint_eq(vperfctr_read_pmc(self, k), 0);
		pmu_count(33);
		ck_assert_uint_eq(noverflows, 0);
		pmu_count(1);
		ck_assert_uint_eq(noverflows, 1);
		check_overflow(0, 4, 34);
		ck_assert_uint_eq(overflow[0].sum.pmc[1], 68);
		ck_assert_uint_eq(overflow[0].sum.pmc[2], 102);
		pmu_count(15);
		ck_assert_uint_eq(noverflows, 1);
		pmu_count(1);
		ck_assert_uint_eq(noverflows, 2);
		check_overflow(1, 2, 50);
		finish(self);
	}
}
END_TEST

static bool is_blocked(int signal)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, signal);
}

/*
 * Whatever fails while periods begin, also after early overflows of both: then nothing counts, no
 * signal is held, and the same control is taken without a fault.
 */
START_TEST(faults_of_periods)
{
	static const struct {
		unsigned long what;
		unsigned int nth, early;
	} faults[] = {
		{ PERF_EVENT_IOC_REFRESH, 1, 0 },   { PERF_EVENT_IOC_REFRESH, 2, 0 },
		{ PERF_EVENT_IOC_DISABLE, 1, 0 },   { PMU_READ, 1, 0 },
		{ PERF_EVENT_IOC_PERIOD, 1, 0 },    { PERF_EVENT_IOC_PERIOD, 2, 0 },
		{ PERF_EVENT_IOC_ENABLE, 1, 0 },    { PERF_EVENT_IOC_REFRESH, 3, 250 },
		{ PERF_EVENT_IOC_REFRESH, 4, 250 },
	};
	struct vperfctr *self;
	unsigned int i, events;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		struct vperfctr_control control = control_of(1, 2, -100, -100);

		begin_overflows();
		handled = self = open_with(control_of(1, 0));
		ck_assert_int_eq(vperfctr_stop(self), 0);
		events = pmu_events();
		early = faults[i].early;
		pmu_at(PERF_EVENT_IOC_DISABLE, 1, count_early);
		pmu_fail(faults[i].what, faults[i].nth, EIO);
		ck_fails(vperfctr_control(self, &control), EIO, "counters");
		ck_assert(pmu_failed());
		ck_assert_int_eq(vperfctr_is_running(self), 0);
		ck_assert(!is_blocked(OVERFLOW_SIGNAL));
		/* One that was only refused its start stays open. */
		ck_assert_uint_le(pmu_events(), events + 3);
		pmu_count(1000);
		ck_assert_uint_eq(noverflows, 0);
		set_control(self, control);
		ck_assert(!is_blocked(OVERFLOW_SIGNAL));
		pmu_count(100);
		ck_assert_uint_eq(noverflows, 1);
		check_overflow(0, 6, 100);
		finish(self);
	}
}
END_TEST

/*
 * Two i-mode counters, at different paces, against what ought to come. An overflow is known skid
 * units later; what has reached its end until then is told of, too. What has, begins again; the
 * rest goes on, but not in less than the PMU can count.
 */
static void compare(const int *period, const unsigned int *pace, unsigned int skid,
		    unsigned int least)
{
	uint64_t count[2] = { 0 }, due[2], fire[2], fired[2], when = UINT64_MAX, unit;
	struct vperfctr *self;
	unsigned int k, mask, n = 0, stopped = 2;

	begin_overflows();
	pmu.skid = skid;
	pmu.least_period = least;
	for (k = 0; k < 2; k++) {
		pmu_rate(control_codes[1 + k], pace[k]);
		due[k] = fire[k] = (uint64_t)period[k];
		fired[k] = 0;
	}
	handled = self = open_with(control_of(1, 2, -period[0], -period[1]));
	for (unit = 1; n < 40; unit++) {
		pmu_count(1);
		for (k = 0; k < 2; k++) {
			count[k] += pace[k];
			if (count[k] >= fire[k] && !fired[k])
				fired[k] = unit + skid;
			if (fired[k] && fired[k] < when)
				when = fired[k];
		}
		if (unit == when) {
			mask = (unsigned int)(count[0] >= due[0]) |
			       (unsigned int)(count[1] >= due[1]) << 1;
			ck_assert_uint_eq(noverflows, n + 1);
			check_overflow(n, mask << 1, unit);
			for (k = 0; k < 2; k++)
				ck_assert_uint_eq(overflow[n].sum.pmc[1 + k], count[k]);
			n++;
			when = UINT64_MAX;
			for (k = 0; k < 2; k++) {
				stopped += fired[k] == unit;
				fired[k] = 0;
				if (count[k] >= due[k])
					due[k] = count[k] + (uint64_t)period[k];
				fire[k] = due[k] - count[k] < least ? count[k] + least : due[k];
			}
		}
		ck_assert_uint_eq(noverflows, n);
		for (k = 0; k < 2 && unit % 16 == 0; k++)
			ck_assert_uint_eq(vperfctr_read_pmc(self, 1 + k), count[k]);
	}
	/* Each stopped one is started once, and needs nothing else if it stopped at its end. */
	ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_REFRESH), stopped);
	if (pace[0] == 1 && pace[1] == 1 && !skid && least == 1)
		ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_PERIOD), 2); /* at the start */
	finish(self);
}

START_TEST(several_overflows)
{
	static const int periods[][2] = { { 30, 70 }, { 70, 30 }, { 50, 50 }, { 129, 200 } };
	static const unsigned int paces[][2] = { { 1, 1 }, { 2, 3 }, { 1, 40 } };
	unsigned int i, k, skid;

	for (i = 0; i < ARRAY_SIZE(periods); i++)
		for (k = 0; k < ARRAY_SIZE(paces); k++)
			for (skid = 0; skid < 6; skid += 2)
				compare(periods[i], paces[k], skid, 1);
	compare(periods[3], paces[0], 0, 128);
	compare(periods[3], paces[0], 3, 128);
}
END_TEST

/* Of a period, not of what is left of one. */
START_TEST(too_short_periods)
{
	struct vperfctr_control first = control_of(1, 2, -127, -128),
				second = control_of(1, 2, -128, -2),
				enough = control_of(1, 2, -128, -128);
	struct vperfctr *self;

	begin_overflows();
	pmu.least_period = 128;
	handled = self = open_with(enough);
	ck_fails(vperfctr_control(self, &first), EINVAL,
		 "after every 127: its PMU needs a longer "
		 "period; 128 is enough");
	ck_fails(vperfctr_control(self, &second), EINVAL,
		 "after every 2: its PMU needs a longer "
		 "period; 128 is enough");
	finish(self);
}
END_TEST

/* A PMU that needs even more than is known of any: what is left can't be counted, and that is told.
 */
START_TEST(longer_periods)
{
	struct vperfctr *self;
	unsigned int left;

	for (left = 127; left <= 129; left++) {
		begin_overflows();
		resumed = 0;
		pmu.least_period = 256;
		handled = self = open_with(control_of(0, 2, -300 - (int)left, -300));
		/* The first goes on for a while, which is to be taken back. */
		hold_all(true);
		pmu_count(310);
		hold_all(false);
		check_overflow(0, 2, 300);
		ck_fails(vperfctr_iresume(self), EINVAL, "refused");
		/* Short ones are tried with the least that is known to do. */
		ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_PERIOD), left < 128 ? 4 : 3);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 300);
		finish(self);
	}
}
END_TEST

/* A refusal names the word, and its number where there are several. */
START_TEST(invalid_controls)
{
	struct vperfctr_control control = control_of(2, 0);
	struct vperfctr *self;

	begin();
	self = open_with(control);
	control.cpu_control.pmc_map[1] = 0;
	ck_fails(vperfctr_control(self, &control), EINVAL,
		 "invalid control: pmc_map[1] has 0x00000000: ");
	control = control_of(2, 0);
	control.cpu_control.nractrs = 0xFFFF;
	ck_fails(vperfctr_control(self, &control), EINVAL,
		 "invalid control: nractrs has 0x0000FFFF: ");
	finish(self);
}
END_TEST

/* Which signals an overflow may send: those that there are. */
START_TEST(signal_numbers)
{
	const int wrong[] = { -1, 0, SIGRTMAX + 1, 1000 }, right[] = { 1, SIGRTMAX };
	struct vperfctr_control control = control_of(1, 1, -100);
	struct vperfctr *self;
	unsigned int i;
	char words[32];

	begin_overflows();
	self = open_with(control);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		control.si_signo = wrong[i];
		snprintf(words, sizeof(words), "si_signo is %d:", wrong[i]);
		ck_fails(vperfctr_control(self, &control), EINVAL, words);
	}
	for (i = 0; i < ARRAY_SIZE(right); i++) {
		control.si_signo = right[i];
		set_control(self, control);
	}
	/* Without i-mode counters it says nothing. */
	control = control_of(2, 0);
	control.si_signo = SIGRTMAX + 1;
	set_control(self, control);
	finish(self);
}
END_TEST

/* A handler that comes late finds what was at the first overflow; what came after is taken back. */
START_TEST(late_handlers)
{
	struct vperfctr *self;
	unsigned int least;

	for (least = 1; least <= 128; least += 127) {
		begin_overflows();
		pmu.least_period = least;
		handled = self = open_with(control_of(1, 2, -200, -150));
		hold_all(true);
		pmu_count(160);
		ck_assert_uint_eq(noverflows, 0);
		/* Already: without a signal. */
		ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 150);
		hold_all(false);
		ck_assert_uint_eq(noverflows, 1);
		check_overflow(0, 4, 150);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 150);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 2), 150);
		/* The first has 50 left, or as many as the PMU can count. */
		pmu_count(least == 1 ? 50 : 128);
		ck_assert_uint_eq(noverflows, 2);
		check_overflow(1, 2, least == 1 ? 200 : 278);
		pmu_count(least == 1 ? 100 : 128);
		ck_assert_uint_eq(noverflows, 3);
		/* 22 were left. */
		check_overflow(2, 4, least == 1 ? 300 : 406);
		/* The second, then the first too, before anybody looks: one overflow. */
		hold_all(true);
		pmu_count(1000);
		hold_all(false);
		ck_assert_uint_eq(noverflows, 4);
		check_overflow(3, 2, least == 1 ? 400 : 534);
		pmu_count(49);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 0), (least == 1 ? 400 : 534) + 49);
		finish(self);
	}
}
END_TEST

static void count_100(void)
{
	pmu_count(100);
}

/* What a handler does that knows nothing of a control at work. */
static void try_to_resume(void)
{
	if (vperfctr_iresume(handled) == 0)
		pmu_count(50);
}

/* What overflows in the middle of a control, while signals wait, is told of as the old one's. */
START_TEST(replaced_while_it_overflows)
{
	struct vperfctr_control next = control_of(2, 1, -1000);
	struct vperfctr *self;

	begin_overflows();
	resumed = 0;
	in_handler = try_to_resume;
	handled = self = open_with(control_of(1, 2, -100, -50));
	pmu_count(20);
	pmu_at(PERF_EVENT_IOC_DISABLE, 1, count_100);
	set_control(self, next);
	ck_assert_uint_eq(noverflows, 1);
	/* Of its numbers; the counts are the new one's. */
	ck_assert_uint_eq(overflow[0].mask, 4);
	ck_assert_uint_eq(overflow[0].sum.pmc[0], 0);
	pmu_count(999);
	ck_assert_uint_eq(noverflows, 1);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 2), 999);
	in_handler = NULL;
	pmu_count(1);
	check_overflow(1, 4, 1000);
	/* One that was told of is not told of again. */
	set_control(self, next);
	ck_assert_uint_eq(noverflows, 2);
	/* A stop: the sums are those of the overflow. */
	in_handler = try_to_resume;
	pmu_count(900);
	pmu_at(PERF_EVENT_IOC_DISABLE, 1, count_100);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	ck_assert_uint_eq(noverflows, 3);
	check_overflow(2, 4, 1000);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 1000);
	ck_assert_uint_eq(pmu_active(), 1); /* the clock */
	/* The end. */
	set_control(self, next);
	pmu_count(950);
	pmu_at(PERF_EVENT_IOC_DISABLE, 1, count_100);
	ck_assert_int_eq(vperfctr_unlink(self), 0);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 1000);
	finish(self);
}
END_TEST

/* Both signals of one overflow come, the second when nobody has resumed. */
START_TEST(two_signals)
{
	struct vperfctr *self;

	begin_overflows();
	resumed = 0;
	handled = self = open_with(control_of(1, 2, -70, -70));
	pmu_count(70);
	ck_assert_uint_eq(noverflows, 1);
	check_overflow(0, 6, 70);
	finish(self);
}
END_TEST

static void go_on_with_others(void)
{
	struct vperfctr_control next = control_of(0, 2, -100, -50);

	in_handler = NULL;
	set_control(handled, next);
}

/* Two signals of one overflow, which the first one's handler replaces: it is told of once. */
START_TEST(replaced_by_its_handler)
{
	struct vperfctr *self;

	begin_overflows();
	resumed = 0;
	in_handler = go_on_with_others;
	handled = self = open_with(control_of(1, 2, -70, -70));
	pmu_count(70);
	ck_assert_uint_eq(noverflows, 1);
	check_overflow(0, 6, 70);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 0);
	pmu_count(50);
	ck_assert_uint_eq(noverflows, 2);
	check_overflow(1, 2, 50);
	finish(self);
}
END_TEST

/* The one that stops all overflows in the last moment before a resume stops it. */
START_TEST(overflow_in_a_resume)
{
	struct vperfctr *self;

	begin_overflows();
	handled = self = open_with(control_of(1, 2, -120, -100));
	hold_all(true);
	pmu_count(110);
	pmu_at(PERF_EVENT_IOC_DISABLE, 1, count_100);
	ck_assert_int_eq(vperfctr_iresume(self), 0);
	hold_all(false);
	/* Of what is no more. */
	ck_assert_uint_eq(noverflows, 0);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 100);
	/* Both may overflow again, once. */
	resumed = 0;
	pmu_count(20);
	check_overflow(0, 2, 120);
	ck_assert_uint_eq(pmu_active(), 1);
	resumed = FOR_EVER;
	ck_assert_int_eq(vperfctr_iresume(self), 0);
	pmu_count(80);
	check_overflow(1, 4, 200);
	pmu_count(40);
	check_overflow(2, 2, 240);
	ck_assert_uint_eq(noverflows, 3);
	finish(self);
}
END_TEST

static void count_150_late(void)
{
	hold_all(true);
	pmu_count(150);
	hold_all(false);
}

/* An overflow, and even a resume, in the middle of a read: no value of before goes with one of
 * after. */
START_TEST(overflow_in_a_read)
{
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;

	begin_overflows();
	resumed = 0;
	pmu.rdpmc = false;
	handled = self = open_with(control_of(1, 2, -500, -100));
	pmu_count(90);
	hold_all(true);
	pmu_at(PMU_READ, 1, count_100);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert(sum.pmc[0] == 100 && sum.pmc[1] == 100 && sum.pmc[2] == 100);
	hold_all(false);
	check_overflow(0, 4, 100);
	finish(self);

	begin_overflows();
	if (pmu.rdpmc) {
		handled = self = open_with(control_of(1, 2, -500, -100));
		pmu_count(90);
		pmu_at(PMU_RDPMC, 2, count_150_late);
		ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
		ck_assert_uint_eq(noverflows, 1);
		ck_assert(sum.pmc[0] == 100 && sum.pmc[1] == 100 && sum.pmc[2] == 100);
		finish(self);
	} else {
		pmu_end();
	}
}
END_TEST

static unsigned int depth, deepest;

/* Resume, and run into the next overflow, which waits until this handler is done. */
static void overflow_again(void)
{
	unsigned int before = noverflows;

	if (++depth > deepest)
		deepest = depth;
	ck_assert_uint_eq(pmu_active(), 1); /* the clock */
	pmu_count(50);
	ck_assert_int_eq(vperfctr_iresume(handled), 0);
	if (before < 5) {
		pmu_count(250);
		ck_assert_uint_eq(noverflows, before);
		ck_assert_uint_eq(vperfctr_read_pmc(handled, 0), (before + 1) * 100);
	}
	depth--;
}

START_TEST(overflows_in_a_handler)
{
	struct vperfctr *self;
	unsigned int i;

	begin_overflows();
	resumed = 0;
	depth = deepest = 0;
	in_handler = overflow_again;
	handled = self = open_with(control_of(1, 2, -100, -1000));
	pmu_count(100);
	ck_assert_uint_eq(noverflows, 5);
	for (i = 0; i < 5; i++)
		check_overflow(i, 2, (i + 1) * 100);
	ck_assert_uint_eq(deepest, 1);
	finish(self);
	/* Another than the one that stops all. */
	begin_overflows();
	resumed = 0;
	in_handler = overflow_again;
	handled = self = open_with(control_of(1, 2, -1000, -100));
	pmu_count(100);
	ck_assert_uint_eq(noverflows, 5);
	finish(self);
}
END_TEST

/* Totals from another thread while a thread resumes: never but those of the overflow. */
static void *read_totals(void *arg)
{
	struct perfctr_sum_ctrs *sum = arg;

	ck_assert_int_eq(perfctr_total_read(process, sum, NULL), 0);
	return NULL;
}

static void look_from_outside(void)
{
	struct perfctr_sum_ctrs sum;
	pthread_t thread;

	pthread_create(&thread, NULL, read_totals, &sum);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(sum.pmc[0], noverflows * 100);
	looks++;
}

static void watch_resume(void)
{
	pmu_at(PMU_ANY, 0, look_from_outside);
}

START_TEST(totals_in_a_resume)
{
	struct vperfctr *self;

	begin_overflows();
	looks = 0;
	process = perfctr_total_create();
	handled = self = open_with(control_of(1, 2, -100, -300));
	ck_assert_int_eq(perfctr_total_add(process, self), 0);
	in_handler = watch_resume;
	pmu_count(350);
	ck_assert_uint_eq(noverflows, 3);
	ck_assert_uint_ge(looks, 6);
	pmu_at(PMU_ANY, 0, NULL);
	perfctr_total_destroy(process);
	finish(self);
}
END_TEST

/* Calls of a resume that fail: it says so; a stop still has the sums. */
static void check_faults_of_a_resume(bool off)
{
	struct vperfctr *self;
	unsigned int nth;
	int result;

	for (nth = 1;; nth++) {
		begin_overflows();
		resumed = 0;
		handled = self = open_with(control_of(1, 2, -500, -100));
		hold_all(true);
		pmu_count(120);
		hold_all(false);
		ck_assert_uint_eq(noverflows, 1);
		pmu_fail(PMU_ANY, nth, nth == 2 && off ? PMU_EOF : EIO);
		errno = 0;
		result = vperfctr_iresume(self);
		if (result == 0)
			break;
		ck_assert(errno == EIO || errno == EBUSY);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 100);
		ck_assert_int_eq(vperfctr_stop(self), 0);
		ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 100);
		finish(self);
	}
	ck_assert_uint_gt(nth, 3);
	pmu_fail(PMU_ANY, 0, 0);
	/* It stops at the next one, however long its signal waits. */
	hold_all(true);
	pmu_count(350);
	hold_all(false);
	ck_assert_uint_eq(noverflows, 2);
	finish(self);
}

START_TEST(faults_of_a_resume)
{
	/* The leader's read fails, or finds it off the PMU. */
	check_faults_of_a_resume(false);
	check_faults_of_a_resume(true);
}
END_TEST

UNIT_MAIN("provider_perf", 60, counts, unverified, both_modes, reserved_words, no_clock, an_end,
	  events_of_clocks, a_running_clock, a_taken_clock, a_slept_clock, calls_of_a_life, brief,
	  pauses, a_paused_reader, refused_in_a_pause, a_paused_descriptor, born_counting, sums,
	  reuse, own_instructions, again, no_room, faults_of_a_start, faults_of_an_undo,
	  faults_of_a_control, shared_counters, taken_away, taken_away_and_replaced, lost_pages,
	  reads_in_a_control, totals, no_memory, features, one_overflow, own_periods,
	  faults_of_periods, several_overflows, late_handlers, too_short_periods, longer_periods,
	  invalid_controls, signal_numbers, two_signals, replaced_while_it_overflows,
	  replaced_by_its_handler, overflow_in_a_resume, overflow_in_a_read, overflows_in_a_handler,
	  totals_in_a_resume, faults_of_a_resume)

#else

int main(void)
{
	puts("Over perf_events a PowerPC has no virtual counters.");
	return 77;
}

#endif
