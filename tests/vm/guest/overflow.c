// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * I-mode counters in a kernel whose processor counts instructions exactly and interrupts at the very
 * instruction: loads the driver, and demands one signal per overflow, on the right thread, with the
 * right mask, and sums in which no instruction is lost. Exit status 0 if all is well.
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include "tests/vm/guest/guest.h"

enum { USER = 0x00510000, KERNEL = 0x00520000, INSTRUCTIONS = 0xC0 };	/* EN, INT, USR or OS */

/* Instructions on counters [0, n), which interrupt after so many each. */
static struct vperfctr_control every(unsigned int n, int period, unsigned int mode)
{
	struct vperfctr_control c;
	struct perfctr_info info;
	unsigned int i;

	memset(&c, 0, sizeof(c));
	c.si_signo = SIGUSR1;
	c.cpu_control.tsc_on = 1;
	c.cpu_control.nrictrs = n;
	for (i = 0; i < n; i++) {
		c.cpu_control.pmc_map[i] = i;
		c.cpu_control.evntsel[i] = mode | INSTRUCTIONS;
		c.cpu_control.ireset[i] = -period;
	}
	/* P6: one enable bit, in the first event select. */
	if (perfctr_get_info(&info) == 0 &&
	    (info.cpu_type == PERFCTR_X86_INTEL_P6 || info.cpu_type == PERFCTR_X86_INTEL_PII ||
	     info.cpu_type == PERFCTR_X86_INTEL_PIII))
		for (i = 1; i < n; i++)
			c.cpu_control.evntsel[i] &= ~0x00400000u;
	return c;
}

/* What a thread's handler sees and does. */
struct watch {
	struct vperfctr *self;
	int period;			/* of counter 0; 0: its sums are not compared */
	unsigned int signals, masks[18];	/* overflows of each counter */
	unsigned int wrong;		/* signals with a wrong siginfo or sum */
	unsigned long long sum;		/* of counter 0, at the last signal */
	bool stay;			/* don't resume */
	bool races;			/* there may be nothing to resume */
	pid_t tid;
};

static _Thread_local struct watch watch;

static void overflown(int signo, siginfo_t *info, void *context)
{
	unsigned int mask = vperfctr_ovf_mask(watch.self, info), i;
	unsigned long long sum = vperfctr_read_pmc(watch.self, 0);

	(void)context;
	watch.signals++;
	for (i = 0; i < 18; i++)
		watch.masks[i] += mask >> i & 1;
	if (signo != SIGUSR1 || info->si_code != SI_PMC_OVF || !mask || syscall(SYS_gettid) != watch.tid)
		watch.wrong++;
	if (watch.period && sum != (unsigned long long)watch.period * watch.signals)
		watch.wrong++;
	/* Nothing counts until it is resumed, but the TSC. */
	loop(100);
	if (vperfctr_read_pmc(watch.self, 0) != sum)
		watch.wrong++;
	watch.sum = sum;
	if (!watch.stay && vperfctr_iresume(watch.self) < 0 && !watch.races)
		watch.wrong++;
}

/* The calling thread's counters, with its handler, which resumes or not; -1. */
static int begin_with(struct vperfctr_control *c, int period, bool stay)
{
	struct sigaction action = { .sa_sigaction = overflown, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &action, NULL);
	memset(&watch, 0, sizeof(watch));
	watch.period = period;
	watch.stay = stay;
	watch.tid = (pid_t)syscall(SYS_gettid);
	watch.self = vperfctr_open();
	if (watch.self && vperfctr_control(watch.self, c) == 0)
		return 0;
	printf("  %s\n", perfctr_error());
	return -1;
}

static int begin(struct vperfctr_control *c, int period)
{
	return begin_with(c, period, false);
}

/*
 * In this order: between a read and a stop there can be another overflow. One on the way into the stop
 * finds nothing to resume.
 */
static int stop_and_read(struct perfctr_sum_ctrs *sum)
{
	watch.races = true;
	return vperfctr_stop(watch.self) < 0 ? -1 : vperfctr_read_ctrs(watch.self, sum);
}

static void end(void)
{
	vperfctr_unlink(watch.self);
	vperfctr_close(watch.self);
}

/* Every period exactly one signal, at the very instruction; nothing is lost in between. */
static int exact(void)
{
	static const int periods[] = { 1000, 10007, 100000, 1000003 };
	struct perfctr_sum_ctrs sum;
	unsigned int k;

	for (k = 0; k < sizeof(periods) / sizeof(periods[0]); k++) {
		struct vperfctr_control c = every(1, periods[k], USER);

		CHECK(begin(&c, periods[k]) == 0, "begin");
		loop(50ul * (unsigned long)periods[k] + 17);
		CHECK(stop_and_read(&sum) == 0, "stop");
		CHECK(watch.wrong == 0, "%u wrong signals of %u", watch.wrong, watch.signals);
		CHECK(watch.signals >= 100 && watch.signals == sum.pmc[0] / (unsigned int)periods[k],
		      "period %d: %u signals, %llu events", periods[k], watch.signals, sum.pmc[0]);
		CHECK(watch.masks[0] == watch.signals, "%u", watch.masks[0]);
		end();
	}
	return 0;
}

/* A handler that does not resume gets one signal; the TSC goes on, the counters keep their sums. */
static int not_resumed(void)
{
	struct vperfctr_control c = every(1, 5000, USER), read;
	struct perfctr_sum_ctrs a, b;
	unsigned long long tsc;

	CHECK(begin_with(&c, 5000, true) == 0, "begin");
	CHECK(vperfctr_iresume(watch.self) < 0 && errno == EINVAL, "resumed what was not stopped");
	loop(100000);
	CHECK(watch.signals == 1 && watch.wrong == 0, "%u signals, %u wrong", watch.signals, watch.wrong);
	CHECK(vperfctr_is_running(watch.self), "the TSC does not run");
	tsc = vperfctr_read_tsc(watch.self);
	CHECK(vperfctr_read_state(watch.self, &a, &read) == 0 && a.pmc[0] == 5000, "%llu", a.pmc[0]);
	CHECK(read.cpu_control.nrictrs == 1 && read.si_signo == SIGUSR1, "the control is another");
	usleep(20000);
	loop(100000);
	CHECK(vperfctr_read_state(watch.self, &b, NULL) == 0 && b.pmc[0] == 5000, "%llu", b.pmc[0]);
	CHECK(vperfctr_read_tsc(watch.self) > tsc, "the TSC stands");
	/* Late is not too late. */
	watch.stay = false;
	CHECK(vperfctr_iresume(watch.self) == 0, "iresume");
	loop(100000);
	CHECK(watch.signals == 41 || watch.signals == 40, "%u signals", watch.signals);
	CHECK(watch.wrong == 0, "%u wrong", watch.wrong);
	end();
	return 0;
}

/* Counters that overflow together make one signal; those of other periods each their own. */
static int two_counters(void)
{
	struct vperfctr_control c = every(2, 10000, USER);
	struct perfctr_sum_ctrs sum;

	CHECK(begin(&c, 10000) == 0, "begin");
	loop(500000);
	CHECK(watch.wrong == 0 && watch.signals >= 100 && watch.masks[0] == watch.signals &&
	      watch.masks[1] == watch.signals, "%u wrong, %u signals: %u, %u", watch.wrong,
	      watch.signals, watch.masks[0], watch.masks[1]);
	end();
	c.cpu_control.ireset[1] = -7000;
	CHECK(begin(&c, 0) == 0, "begin");
	loop(500000);
	stop_and_read(&sum);
	CHECK(watch.wrong == 0, "%u wrong", watch.wrong);
	CHECK(watch.masks[0] == sum.pmc[0] / 10000 && watch.masks[1] == sum.pmc[1] / 7000,
	      "%u of %llu, %u of %llu", watch.masks[0], sum.pmc[0], watch.masks[1], sum.pmc[1]);
	end();
	return 0;
}

/* An a-mode counter beside it counts the same instructions. */
static int with_a_mode(void)
{
	struct vperfctr_control c = every(2, 10000, USER);
	struct perfctr_sum_ctrs sum;
	struct perfctr_info info;

	c.cpu_control.nractrs = 1;
	c.cpu_control.nrictrs = 1;
	c.cpu_control.evntsel[0] &= ~0x00100000u;
	c.cpu_control.ireset[0] = 0;
	CHECK(perfctr_get_info(&info) == 0, "info");
	CHECK(begin(&c, 0) == 0, "begin");
	loop(500000);
	stop_and_read(&sum);
	CHECK(watch.masks[1] == sum.pmc[1] / 10000 && watch.masks[0] == 0, "%u of %llu", watch.masks[1],
	      sum.pmc[1]);
	/* The a-mode counter is not resumed at the very same instruction as the i-mode one. */
	CHECK(sum.pmc[0] + 100 > sum.pmc[1] && sum.pmc[0] < sum.pmc[1] + 100, "%llu, %llu", sum.pmc[0],
	      sum.pmc[1]);
	end();
	return 0;
}

/* Overflows in the kernel, with interrupts on and off, and in threads that then sleep. */
static int in_system_calls(void)
{
	struct vperfctr_control c = every(1, 30000, KERNEL);
	struct timespec pause = { 0, 100000 };
	struct perfctr_sum_ctrs sum;
	unsigned int k, cut = 0;

	CHECK(begin(&c, 0) == 0, "begin");
	for (k = 0; k < 2000; k++) {
		if (k % 4 == 0)
			cut += nanosleep(&pause, NULL) < 0;
		else
			syscall(SYS_getppid);
	}
	stop_and_read(&sum);
	CHECK(watch.wrong == 0, "%u wrong", watch.wrong);
	CHECK(watch.signals >= 10 && watch.signals <= sum.pmc[0] / 30000, "%u signals, %llu events",
	      watch.signals, sum.pmc[0]);
	/* As late as interrupts are off, and no later. */
	CHECK(sum.pmc[0] / watch.signals < 45000, "%u signals, %llu events", watch.signals, sum.pmc[0]);
	printf("  %u signals, %llu events, %u sleeps cut short\n", watch.signals, sum.pmc[0], cut);
	end();
	return 0;
}

/* The overflow on the way to sleep wakes the thread. */
static int asleep(void)
{
	struct vperfctr_control c = every(1, 2000, KERNEL);
	struct timespec long_time = { 0, 200000000 };
	unsigned int k, cut = 0;

	/* From one to the next it is another place of the same way. */
	for (k = 0; k < 40; k++) {
		c.cpu_control.ireset[0] = -300 - 60 * (int)k;
		CHECK(begin_with(&c, 0, true) == 0, "begin");
		if (!watch.signals && nanosleep(&long_time, NULL) < 0)
			cut++;
		CHECK(watch.signals <= 1 && watch.wrong == 0, "%u signals", watch.signals);
		end();
	}
	CHECK(cut > 10, "%u", cut);
	return 0;
}

static void *count_in_thread(void *arg)
{
	int period = 3001 + 10 * (int)(intptr_t)arg;
	struct vperfctr_control c = every(1, period, USER);
	static char unopened[] = "open or control", wrong[] = "wrong signals", lost[] = "lost signals";
	struct perfctr_sum_ctrs sum;
	cpu_set_t set;
	unsigned int k;

	if (begin(&c, period) < 0)
		return unopened;
	for (k = 0; k < 40; k++) {
		CPU_ZERO(&set);
		CPU_SET(k % (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), &set);
		sched_setaffinity(0, sizeof(set), &set);
		loop(5000);
		sched_yield();
	}
	stop_and_read(&sum);
	if (watch.wrong)
		return wrong;
	if (watch.signals != sum.pmc[0] / (unsigned int)period) {
		printf("  period %d: %u signals, %llu events\n", period, watch.signals, sum.pmc[0]);
		return lost;
	}
	end();
	return NULL;
}

/* Each thread gets its own overflows, wherever it runs, and whoever runs there before and after. */
static int threads(void)
{
	return run_in_threads(count_in_thread);
}

/*
 * An overflow by the very instruction that calls the driver: its signal comes, even when there is
 * nothing to resume any more, and none comes later.
 */
static int races(void)
{
	struct vperfctr_control c = every(1, 1000, USER);
	unsigned int k, before;

	for (k = 0; k < 300; k++) {
		CHECK(begin(&c, 0) == 0, "begin");
		watch.races = true;
		loop(3 * k + 1);
		CHECK(vperfctr_control(watch.self, &c) == 0, "control");
		loop(3 * k + 1);
		if (k % 2)
			CHECK(vperfctr_stop(watch.self) == 0, "stop");
		CHECK(vperfctr_unlink(watch.self) == 0, "unlink");
		before = watch.signals;
		loop(5000);
		CHECK(watch.signals == before && watch.wrong == 0, "a signal after the unlink");
		vperfctr_close(watch.self);
	}
	return 0;
}

/* A thread that ends with an overflow on its way leaves nothing behind. */
static int dies_overflowing(void)
{
	struct vperfctr_control c = every(1, 500, USER);
	unsigned int k;
	int status;
	pid_t pid;

	for (k = 0; k < 50; k++) {
		pid = fork();
		if (pid == 0) {
			begin_with(&c, 0, k % 2);
			loop(10 * k + 1);
			_exit(0);
		}
		CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", (unsigned int)status);
	}
	return 0;
}

static int refusals(void)
{
	struct vperfctr_control good = every(1, 1000, USER), c = good;

	CHECK(begin(&good, 0) == 0, "begin");
	c.si_signo = 0;
	CHECK(vperfctr_control(watch.self, &c) < 0 && errno == EINVAL, "no signal");
	c.si_signo = 65;
	CHECK(vperfctr_control(watch.self, &c) < 0 && errno == EINVAL, "signal 65");
	c.si_signo = -1;
	CHECK(vperfctr_control(watch.self, &c) < 0 && errno == EINVAL, "signal -1");
	c = good;
	c.cpu_control.ireset[0] = 1000;
	CHECK(vperfctr_control(watch.self, &c) < 0 && errno == EINVAL, "a positive ireset");
	/* What ran, runs. */
	loop(10000);
	CHECK(watch.signals >= 19 && watch.wrong == 0, "%u signals", watch.signals);
	end();
	return 0;
}

int main(void)
{
	static const struct guest_test tests[] = {
#define TEST(name) { #name, name }
		TEST(exact), TEST(not_resumed), TEST(two_counters), TEST(with_a_mode),
		TEST(in_system_calls), TEST(asleep), TEST(threads), TEST(races),
		TEST(dies_overflowing), TEST(refusals),
	};

	return run_guest_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
