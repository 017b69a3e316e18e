// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * I-mode counters in a kernel whose processor counts instructions exactly and interrupts at the
 * very instruction: demands one signal per overflow, on the right thread, with the right mask,
 * and sums in which no instruction is lost. Called overflow_driver, it loads the driver and
 * counts through it, else it counts through perf_events. Exit status 0 if all is well.
 */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <perfctr/read.h>
#include "tests/harness/guest.h"

/* Of the thread's signals nothing is wrong, and their number is right. */
#define CHECK_SIGNALS(condition) \
	CHECK((condition) && watch.wrong == 0, "%u signals, %u wrong", watch.signals, watch.wrong)

static bool driver;

/*
 * What is counted between the end of a period and the interrupt, at most. On x86 perf_events
 * begins no period with a single event left: it interrupts after the second. Of QEMU's arm64
 * counters only that of cycles interrupts in time, the others when the kernel is entered next; a
 * cycle is an instruction there.
 */
static unsigned int latest(void)
{
#if defined(__aarch64__)
	return 0;
#else
	return !driver;
#endif
}

/*
 * Instructions on counters [0, nractrs), and on nrictrs others, which interrupt after so many
 * each. The first one is arm64's cycle counter.
 */
static struct vperfctr_control mixed(unsigned int nractrs, unsigned int nrictrs, int period,
				     unsigned int mode)
{
	struct vperfctr_control c = instructions(nractrs + nrictrs);
	unsigned int i;

	c.si_signo = SIGUSR1;
	c.cpu_control.nractrs = nractrs;
	c.cpu_control.nrictrs = nrictrs;
	for (i = 0; i < nractrs + nrictrs; i++) {
		c.cpu_control.evntsel[i] &= ~((unsigned int)COUNT_USER | COUNT_KERNEL);
		c.cpu_control.evntsel[i] |= mode;
		if (i < nractrs)
			continue;
		c.cpu_control.evntsel[i] |= COUNT_INT;
		c.cpu_control.ireset[i] = -period;
#if defined(__aarch64__)
		c.cpu_control.pmc_map[i] = i == nractrs ? 31 : i - 1;
		if (i == nractrs)
			c.cpu_control.evntsel[i] = mode | 0x0011;
#endif
	}
	return c;
}

static struct vperfctr_control every(unsigned int n, int period, unsigned int mode)
{
	return mixed(0, n, period, mode);
}

/* About 2 * n instructions, on arm64 with an entry into the kernel in every 200 and some. */
#if defined(__aarch64__)
enum { UNTIL_KERNEL = 300 };
#else
enum { UNTIL_KERNEL = 0 };
#endif

static void work(unsigned long n)
{
#if defined(__aarch64__)
	for (; n > 100; n -= 100) {
		loop(100);
		syscall(SYS_getppid);
	}
#endif
	loop(n);
}

enum act { RESUME, STAY, STOP, CONTROL };

/* What a thread's handler sees and does. */
struct watch {
	struct vperfctr *self;
	struct vperfctr_control *control;
	unsigned int period;		 /* of counter 0; 0: its sums are not compared */
	unsigned int signals, masks[18]; /* overflows of each counter */
	unsigned int late_period;	 /* the same, where signals may be late or forgotten */
	unsigned int forgotten;		 /* overflows without a signal */
	long switches;			 /* of the thread, at the last signal */
	unsigned int wrong;		 /* signals with a wrong siginfo or sum */
	unsigned long long sum;		 /* of counter 0, at the last signal */
	enum act act;			 /* what to do */
	bool races;			 /* a signal may find nothing to resume */
	pid_t tid;
};

static _Thread_local struct watch watch;

static bool is_right(int signo, const siginfo_t *info)
{
	return signo == watch.control->si_signo && info->si_signo == signo &&
	       info->si_code == SI_PMC_OVF && info->si_pmc_ovf_mask != 0 &&
	       syscall(SYS_gettid) == watch.tid;
}

/* All reads agree on what an overflow has stopped. */
static bool stands_at(unsigned long long sum)
{
	unsigned int i, n = watch.control->cpu_control.nractrs + watch.control->cpu_control.nrictrs;
	struct perfctr_sum_ctrs first, a, b;
	struct vperfctr_control control;
	struct perfctr_reading reading;
	struct perfctr_reader reader;

	if (vperfctr_read_ctrs(watch.self, &first) < 0)
		return false;
	loop(100);
	if (vperfctr_read_ctrs(watch.self, &a) < 0 ||
	    vperfctr_read_state(watch.self, &b, &control) < 0 ||
	    control.cpu_control.nrictrs != watch.control->cpu_control.nrictrs ||
	    vperfctr_read_tsc(watch.self) <= first.tsc || first.pmc[0] != sum)
		return false;
	for (i = 0; i < n; i++)
		if (first.pmc[i] != a.pmc[i] || first.pmc[i] != b.pmc[i] ||
		    first.pmc[i] != vperfctr_read_pmc(watch.self, i) ||
		    vperfctr_read_quality(watch.self, i, &reading) < 0 ||
		    reading.value != a.pmc[i] || reading.quality != PERFCTR_STALE ||
		    vperfctr_reader(watch.self, i, &reader) == 0)
			return false;
	/* The TSC runs. */
	return vperfctr_is_running(watch.self);
}

static void act(void)
{
	int result = 0;

	switch (watch.act) {
	case RESUME: result = vperfctr_iresume(watch.self); break;
	case STOP: result = vperfctr_stop(watch.self); break;
	case CONTROL: result = vperfctr_control(watch.self, watch.control); break;
	case STAY: break;
	}
	watch.wrong += result < 0 && !watch.races;
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/*
 * Overflows of the kernel's own events that got no signal, up to a sum: each takes a period. Where
 * they don't interrupt by an NMI (arm64) a switch of the thread can make one forgotten, and nothing
 * else. One that comes with interrupts off, on the way out of the processor, waits for them to be
 * on again; the kernel stops the counter before that, clears its overflow
 * (drivers/perf/arm_pmuv3.c: armv8pmu_disable_intens()) and begins another period (arm_pmu.c:
 * armpmu_event_set_period()). Plain samples are forgotten just so: of 98 periods 40 with Linux 7.2,
 * and of 96 43 with 6.1, ended within 2,800 instructions of a switch and were missing, and no
 * others.
 */
static void note_forgotten(unsigned long long sum, unsigned int signals)
{
	unsigned long long periods = (sum - watch.sum) / watch.late_period;
	long now = switches();

	watch.wrong += periods < signals;
	watch.forgotten += (unsigned int)periods - signals;
#if defined(__aarch64__)
	watch.wrong += periods > signals + (unsigned long long)(now - watch.switches);
#else
	watch.wrong += periods > signals;
#endif
	watch.switches = now;
}

static void overflowed(int signo, siginfo_t *info, void *context)
{
	unsigned int mask = vperfctr_ovf_mask(watch.self, info), i;
	unsigned long long sum = vperfctr_read_pmc(watch.self, 0);
	int error = errno;

	(void)context;
	watch.signals++;
	for (i = 0; i < 18; i++)
		watch.masks[i] += mask >> i & 1;
	watch.wrong += !is_right(signo, info) || (unsigned int)info->si_pmc_ovf_mask != mask;
	/* A period later than the last, in which nothing was lost or counted twice. */
	watch.wrong += watch.period && (sum < watch.sum + watch.period ||
					sum > watch.sum + watch.period + latest());
	/* Nothing counts until it is resumed, but the TSC, unless there is another control. */
	watch.wrong += !watch.races && !stands_at(sum);
	if (watch.late_period)
		note_forgotten(sum, 1);
	watch.sum = sum;
	act();
	errno = error;
}

/* The calling thread's counters, with its handler, and what that does; -1. */
static int begin_with(struct vperfctr_control *c, int period, enum act what)
{
	struct sigaction action = { .sa_sigaction = overflowed, .sa_flags = SA_SIGINFO };

	sigaction(c->si_signo, &action, NULL);
	memset(&watch, 0, sizeof(watch));
	watch.control = c;
	watch.period = (unsigned int)period;
	watch.act = what;
	watch.tid = (pid_t)syscall(SYS_gettid);
	watch.self = vperfctr_open();
	if (watch.self && vperfctr_control(watch.self, c) == 0)
		return 0;
	printf("  %s\n", perfctr_error());
	return -1;
}

static int begin(struct vperfctr_control *c, int period)
{
	return begin_with(c, period, RESUME);
}

/*
 * In this order: between a read and a stop there can be another overflow. One on the way into the
 * stop finds nothing to resume.
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

/* A sum, in which so many periods have ended, each by so much late at most. */
static bool as_many(unsigned int n, unsigned int period, unsigned long long sum, unsigned int late)
{
	return (unsigned long long)n * period <= sum && sum < (n + 1ull) * (period + late);
}

/* Every period exactly one signal, at the very instruction; nothing is lost in between. */
static int exact(void)
{
	static const int periods[] = { 1000, 10007, 100000, 1000003 };
	struct perfctr_sum_ctrs sum;
	unsigned int k;

	for (k = 0; k < sizeof(periods) / sizeof(periods[0]); k++) {
		unsigned int period = (unsigned int)periods[k];
		struct vperfctr_control c = every(1, periods[k], (unsigned int)COUNT_USER);

		CHECK(begin(&c, periods[k]) == 0, "begin");
		loop(50ul * period + 17);
		CHECK(stop_and_read(&sum) == 0, "stop");
		CHECK(watch.wrong == 0, "%u wrong signals of %u", watch.wrong, watch.signals);
		CHECK(watch.signals >= 100 && sum.pmc[0] - watch.sum < period,
		      "period %u: %u signals, %llu events", period, watch.signals, sum.pmc[0]);
		CHECK(as_many(watch.signals, period, sum.pmc[0], latest()),
		      "period %u: %u signals, %llu events", period, watch.signals, sum.pmc[0]);
		CHECK(watch.masks[0] == watch.signals, "%u", watch.masks[0]);
		end();
	}
	return 0;
}

/* A handler that does not resume gets one signal; the TSC goes on, the counters keep their sums. */
static int not_resumed(void)
{
	struct vperfctr_control c = every(1, 5000, (unsigned int)COUNT_USER), read;
	struct perfctr_sum_ctrs a, b;
	unsigned long long tsc;

	CHECK(begin_with(&c, 5000, STAY) == 0, "begin");
	CHECK(vperfctr_iresume(watch.self) < 0 && errno == EINVAL, "resumed what was not stopped");
	loop(100000);
	CHECK_SIGNALS(watch.signals == 1);
	CHECK(vperfctr_is_running(watch.self), "the TSC does not run");
	tsc = vperfctr_read_tsc(watch.self);
	CHECK(vperfctr_read_state(watch.self, &a, &read) == 0 && a.pmc[0] == 5000, "%llu",
	      a.pmc[0]);
	CHECK(read.cpu_control.nrictrs == 1 && read.si_signo == SIGUSR1, "the control is another");
	usleep(20000);
	loop(100000);
	CHECK(vperfctr_read_state(watch.self, &b, NULL) == 0 && b.pmc[0] == 5000, "%llu", b.pmc[0]);
	CHECK(vperfctr_read_tsc(watch.self) > tsc, "the TSC stands");
	/* Late is not too late. */
	watch.act = RESUME;
	CHECK(vperfctr_iresume(watch.self) == 0, "iresume");
	loop(100000);
	CHECK(watch.signals == 41 || watch.signals == 40, "%u signals", watch.signals);
	CHECK(watch.wrong == 0, "%u wrong", watch.wrong);
	end();
	return 0;
}

/*
 * Counters that overflow together make one signal; those of other periods each their own, also if
 * over perf_events one overflows on the way to the handler of another's.
 */
static int two_counters(void)
{
	struct vperfctr_control c = every(2, 10000, (unsigned int)COUNT_USER);
	struct perfctr_sum_ctrs sum;

#if !defined(__aarch64__)
	CHECK(begin(&c, 10000) == 0, "begin");
	loop(500000);
	CHECK(watch.wrong == 0 && watch.signals >= 100 && watch.masks[0] == watch.signals &&
		      watch.masks[1] == watch.signals,
	      "%u wrong, %u signals: %u, %u", watch.wrong, watch.signals, watch.masks[0],
	      watch.masks[1]);
	end();
#endif
	c.cpu_control.ireset[1] = -7000;
	CHECK(begin(&c, 0) == 0, "begin");
	work(500000);
	stop_and_read(&sum);
	CHECK(watch.wrong == 0, "%u wrong", watch.wrong);
	printf("  %u of %llu, %u of %llu\n", watch.masks[0], sum.pmc[0], watch.masks[1],
	       sum.pmc[1]);
	CHECK(as_many(watch.masks[0], 10000, sum.pmc[0], latest()) &&
		      as_many(watch.masks[1], 7000, sum.pmc[1], latest() + UNTIL_KERNEL),
	      "not as many");
	end();
	return 0;
}

/* An a-mode counter beside it counts the same instructions. */
static int with_a_mode(void)
{
	struct vperfctr_control c = mixed(1, 1, 10000, (unsigned int)COUNT_USER);
	struct perfctr_sum_ctrs sum;

	CHECK(begin(&c, 0) == 0, "begin");
	loop(500000);
	stop_and_read(&sum);
	CHECK(watch.masks[1] == watch.signals && watch.masks[1] == sum.pmc[1] / 10000, "%u of %llu",
	      watch.masks[1], sum.pmc[1]);
	/* The a-mode counter is not resumed at the very same instruction as the i-mode one. */
	CHECK(sum.pmc[0] + 100 > sum.pmc[1] && sum.pmc[0] < sum.pmc[1] + 100, "%llu, %llu",
	      sum.pmc[0], sum.pmc[1]);
	end();
	return 0;
}

/* Call the kernel, and sleep in every so many calls; 0: in none. How many sleeps were cut short. */
static unsigned int call_kernel(unsigned int sleeps_every)
{
	struct timespec pause = { 0, 100000 };
	unsigned int k, cut = 0;

	for (k = 0; k < 2000; k++) {
		if (sleeps_every && k % sleeps_every == 0)
			cut += nanosleep(&pause, NULL) < 0;
		else
			syscall(SYS_getppid);
	}
	return cut;
}

static int check_kernel_counts(int period, unsigned int sleeps_every)
{
	struct vperfctr_control c = every(1, period, COUNT_KERNEL);
	struct perfctr_sum_ctrs sum;
	unsigned int cut;

	CHECK(begin(&c, 0) == 0, "begin");
	watch.late_period = (unsigned int)period;
	watch.switches = switches();
	cut = call_kernel(sleeps_every);
	stop_and_read(&sum);
	note_forgotten(sum.pmc[0], 0);
	printf("  %u signals, %u forgotten, %llu events, %u sleeps cut short\n", watch.signals,
	       watch.forgotten, sum.pmc[0], cut);
	CHECK(watch.wrong == 0, "%u wrong", watch.wrong);
	CHECK(watch.signals >= 10, "not as many");
	/* As late as interrupts are off, and no later. */
	CHECK(sum.pmc[0] / (watch.signals + watch.forgotten) < (unsigned int)period * 3 / 2,
	      "too late");
	end();
	return 0;
}

/* Overflows in the kernel, with interrupts on and off. */
static int in_system_calls(void)
{
	return check_kernel_counts(15000, 0);
}

/* In threads that then sleep: often, and so seldom that there is hardly a switch in each period. */
static int in_sleeping_calls(void)
{
	return check_kernel_counts(30000, 4) || check_kernel_counts(30000, 50);
}

/* The overflow on the way to sleep wakes the thread. */
static int asleep(void)
{
	struct vperfctr_control c = every(1, 2000, COUNT_KERNEL);
	struct timespec long_time = { 0, 50000000 };
	unsigned int k, cut = 0, slept = 0;

	/* From one to the next it is another place of the same way. */
	for (k = 0; k < 60; k++) {
		c.cpu_control.ireset[0] = -300 - 50 * (int)k;
		CHECK(begin_with(&c, 0, STAY) == 0, "begin");
		if (!watch.signals) {
			slept++;
			cut += nanosleep(&long_time, NULL) < 0;
		}
		CHECK(watch.signals <= 1 && watch.wrong == 0, "%u signals", watch.signals);
		end();
	}
	printf("  %u of %u sleeps cut short\n", cut, slept);
	/* On arm64 the kernel forgets those that overflow with interrupts off, on the way out. */
	CHECK(cut >= 5, "%u", cut);
	return 0;
}

static unsigned int processors; /* to run on */

static void *count_in_thread(void *arg)
{
	int period = 3001 + 10 * (int)(intptr_t)arg;
	struct vperfctr_control c = every(1, period, (unsigned int)COUNT_USER);
	static char unopened[] = "open or control", wrong[] = "wrong signals",
		    lost[] = "lost signals";
	struct perfctr_sum_ctrs sum;
	cpu_set_t set;
	unsigned int k;

	if (begin(&c, period) < 0)
		return unopened;
	for (k = 0; k < repeats(40); k++) {
		CPU_ZERO(&set);
		CPU_SET(k % processors, &set);
		sched_setaffinity(0, sizeof(set), &set);
		loop(5000);
		sched_yield();
	}
	stop_and_read(&sum);
	if (watch.wrong)
		return wrong;
	if (!as_many(watch.signals, (unsigned int)period, sum.pmc[0], latest())) {
		printf("  period %d: %u signals, %llu events\n", period, watch.signals, sum.pmc[0]);
		return lost;
	}
	end();
	return NULL;
}

/* Each thread gets its own overflows, wherever it runs, and whoever runs there before and after. */
static int threads(void)
{
	char *wrong;

	processors = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	wrong = count_in_thread(NULL);
	CHECK(!wrong, "alone: %s", wrong);
	return run_in_threads(count_in_thread);
}

static void *wander(void *arg)
{
	enum { PERIOD = 200003 };
	struct vperfctr_control c = every(1, PERIOD, (unsigned int)COUNT_USER);
	static char unopened[] = "open or control", wrong[] = "wrong signals";
	struct perfctr_sum_ctrs sum;
	unsigned int slices = repeats(40), k;
	cpu_set_t set;

	if (begin(&c, 0) < 0)
		return unopened;
	for (k = 0; k < slices; k++) {
		CPU_ZERO(&set);
		CPU_SET((k + (uintptr_t)arg) % processors, &set);
		sched_setaffinity(0, sizeof(set), &set);
		loop(PERIOD / 2);
		sched_yield();
	}
	stop_and_read(&sum);
	end();
	if (!watch.wrong && watch.signals >= slices / 2 && watch.signals <= sum.pmc[0] / PERIOD)
		return NULL;
	printf("  %u signals, %u wrong, %llu events\n", watch.signals, watch.wrong, sum.pmc[0]);
	return wrong;
}

/* The same where processors share a count: only what is added to a thread's own can't be told. */
static int wandering(void)
{
	processors = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	return run_in_threads(wander);
}

/*
 * An overflow by the very instruction that calls the driver: its signal comes, even when there is
 * nothing to resume any more, and none comes later.
 */
static int races(void)
{
	/* More than handlers take after iresume, or a control gets nowhere: 32 bits need more
	 * instructions. */
	const unsigned int period = sizeof(long) == 8 ? 1000 : 5000;
	struct vperfctr_control c = every(1, period, (unsigned int)COUNT_USER);
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

/* A thread that ends with an overflow on its way leaves nothing after. */
static int dies_overflowing(void)
{
	struct vperfctr_control c = every(1, 500, (unsigned int)COUNT_USER);
	unsigned int k;
	int status;
	pid_t pid;

	for (k = 0; k < 50; k++) {
		pid = fork();
		if (pid == 0) {
			begin_with(&c, 0, k % 2 ? STAY : RESUME);
			loop(10 * k + 1);
			_exit(0);
		}
		CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X",
		      (unsigned int)status);
	}
	return 0;
}

/* The thread ends, and not the process: nobody else gets its signals. */
static void *end_overflowing(void *arg)
{
	struct vperfctr_control c = every(1, 500, (unsigned int)COUNT_USER);
	static char wrong[] = "wrong signals";

	if (begin_with(&c, 0, (uintptr_t)arg % 2 ? STAY : RESUME) < 0)
		return wrong;
	watch.races = true;
	/* The state lives on. */
	vperfctr_close(watch.self);
	loop(10 * (uintptr_t)arg + 1);
	return watch.wrong ? wrong : NULL;
}

static int threads_end_overflowing(void)
{
	unsigned int before = watch.signals, k;

	for (k = 0; k < 3; k++)
		if (run_in_threads(end_overflowing))
			return 1;
	CHECK(watch.signals == before, "another thread's signals");
	return 0;
}

/* A child has no counters, and gets no signals. */
static int child(void)
{
	struct vperfctr_control c = every(1, 10000, (unsigned int)COUNT_USER);
	siginfo_t info = { .si_code = SI_PMC_OVF };
	unsigned int before;
	int status;
	pid_t pid;

	CHECK(begin(&c, 10000) == 0, "begin");
	loop(20000);
	before = watch.signals;
	info.si_pmc_ovf_mask = 1;
	pid = fork();
	if (pid == 0) {
		loop(100000);
		_exit(watch.signals > before + 1 || vperfctr_ovf_mask(watch.self, &info));
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", (unsigned int)status);
	loop(20000);
	CHECK_SIGNALS(watch.signals >= before + 4);
	end();
	return 0;
}

/* Also those that need a queue, or have codes of their own. */
static int signals(void)
{
	const int signos[] = { SIGRTMIN + 3, SIGTRAP, SIGIO, SIGUSR2 };
	struct vperfctr_control c = every(1, 10000, (unsigned int)COUNT_USER);
	struct perfctr_sum_ctrs sum;
	unsigned int k;

	for (k = 0; k < 4; k++) {
		c.si_signo = signos[k];
		CHECK(begin(&c, 10000) == 0, "begin");
		loop(100000);
		CHECK(stop_and_read(&sum) == 0, "stop");
		CHECK(watch.signals >= 20 && watch.wrong == 0 && sum.pmc[0] - watch.sum < 10000,
		      "signal %d: %u signals, %u wrong", signos[k], watch.signals, watch.wrong);
		end();
	}
	return 0;
}

/* What was resumed before its signal was let in. */
static int blocked(void)
{
	struct vperfctr_control c = every(1, 10000, (unsigned int)COUNT_USER);
	sigset_t set, old;

	CHECK(begin(&c, 0) == 0, "begin");
	watch.races = true;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &old);
	loop(10000);
	CHECK(watch.signals == 0, "a blocked signal");
	CHECK(vperfctr_iresume(watch.self) == 0, "iresume");
	CHECK(vperfctr_iresume(watch.self) < 0 && errno == EINVAL, "iresume, twice");
	loop(10000);
	sigprocmask(SIG_SETMASK, &old, NULL);
	CHECK(watch.signals == 1 && watch.sum >= 20000 && watch.sum <= 20000 + 2 * latest(),
	      "%u signals, %llu", watch.signals, watch.sum);
	sigprocmask(SIG_BLOCK, &set, NULL);
	loop(10000);
	CHECK(vperfctr_iresume(watch.self) == 0, "iresume");
	sigprocmask(SIG_SETMASK, &old, NULL);
	CHECK_SIGNALS(watch.signals == 2);
	end();
	return 0;
}

/* No signal is let in, but they are waited for. */
static int waited_for(void)
{
	struct vperfctr_control c = every(2, 10000, (unsigned int)COUNT_USER);
	const struct timespec limit = { 1, 0 };
	unsigned int k, masks = 0;
	sigset_t all, set, old;
	siginfo_t info;

	c.cpu_control.ireset[1] = -100000000;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK(begin(&c, 0) == 0, "begin");
	for (k = 0; k < 20; k++) {
		work(10000);
		CHECK(sigtimedwait(&set, &info, &limit) == SIGUSR1 && is_right(SIGUSR1, &info),
		      "%u: code %d", k, info.si_code);
		masks |= vperfctr_ovf_mask(watch.self, &info);
		CHECK(vperfctr_iresume(watch.self) == 0, "%s", perfctr_error());
	}
	CHECK(masks == 1, "%u", masks);
	CHECK(vperfctr_stop(watch.self) == 0, "stop");
	while (sigtimedwait(&set, &info, &(struct timespec){ 0 }) > 0)
		;
	sigprocmask(SIG_SETMASK, &old, NULL);
	end();
	return 0;
}

static struct {
	const struct vperfctr *self;
	unsigned int signals, wrong, masks;
} old;

/* As programs for perfctr 2.6 do it. */
static void overflown_as_in_2_6(int signo, siginfo_t *info, void *context)
{
	(void)context;
	old.signals++;
	if (signo != SIGIO || info->si_code != SI_PMC_OVF || info->si_pmc_ovf_mask == 0 ||
	    !vperfctr_is_running(old.self) || vperfctr_iresume(old.self) < 0)
		old.wrong++;
	else
		old.masks |= (unsigned int)info->si_pmc_ovf_mask;
}

static int program_for_2_6(void)
{
	struct sigaction action = { .sa_sigaction = overflown_as_in_2_6, .sa_flags = SA_SIGINFO };
	struct vperfctr_control c = every(2, 10000, (unsigned int)COUNT_USER);

	c.si_signo = SIGIO;
	c.cpu_control.ireset[1] = -7000;
	sigaction(SIGIO, &action, NULL);
	memset(&old, 0, sizeof(old));
	old.self = vperfctr_open();
	CHECK(old.self && vperfctr_control(old.self, &c) == 0, "%s", perfctr_error());
	work(500000);
	CHECK(vperfctr_stop(old.self) == 0, "stop");
	action.sa_handler = SIG_DFL;
	sigaction(SIGIO, &action, NULL);
	CHECK(old.signals > 150 && old.wrong <= 1 && old.masks == 3,
	      "%u signals, %u wrong, masks 0x%X", old.signals, old.wrong, old.masks);
	vperfctr_unlink(old.self);
	vperfctr_close((struct vperfctr *)(uintptr_t)old.self);
	return 0;
}

/* The handler stops, or begins again. */
static int stopped_in_handler(void)
{
	struct vperfctr_control c = every(1, 10000, (unsigned int)COUNT_USER);
	struct perfctr_sum_ctrs sum;

	CHECK(begin_with(&c, 10000, STOP) == 0, "begin");
	loop(100000);
	CHECK_SIGNALS(watch.signals == 1);
	CHECK(!vperfctr_is_running(watch.self) && vperfctr_read_ctrs(watch.self, &sum) == 0 &&
		      sum.pmc[0] == watch.sum,
	      "%llu", sum.pmc[0]);
	CHECK(vperfctr_iresume(watch.self) < 0 && errno == EINVAL, "resumed what was stopped");
	end();
	/* Each time its sum begins at 0; with preserve it goes on. */
	c.preserve = 1;
	CHECK(begin_with(&c, 10000, CONTROL) == 0, "begin");
	loop(100000);
	CHECK_SIGNALS(watch.signals >= 10);
	end();
	return 0;
}

/*
 * A control while an overflow's signal is still to be answered: the sums are those of the
 * overflow.
 */
static int control_after_overflow(void)
{
	struct vperfctr_control c = every(1, 10000, (unsigned int)COUNT_USER), bad = c;
	struct perfctr_sum_ctrs sum;

	CHECK(begin_with(&c, 10000, STAY) == 0, "begin");
	loop(10000);
	CHECK_SIGNALS(watch.signals == 1);
	/* Refused: it still stands, and can be resumed. */
	bad.flags = 0x80;
	CHECK(vperfctr_control(watch.self, &bad) < 0 && errno == EINVAL, "flags");
	CHECK(stands_at(watch.sum), "it goes on");
	CHECK(vperfctr_iresume(watch.self) == 0, "iresume");
	loop(10000);
	CHECK_SIGNALS(watch.signals == 2);
	c.preserve = 1;
	CHECK(vperfctr_control(watch.self, &c) == 0, "control");
	loop(10000);
	CHECK_SIGNALS(watch.signals == 3);
	CHECK(vperfctr_stop(watch.self) == 0 && vperfctr_read_ctrs(watch.self, &sum) == 0 &&
		      sum.pmc[0] == watch.sum,
	      "%llu", sum.pmc[0]);
	CHECK(!vperfctr_is_running(watch.self), "runs");
	end();
	return 0;
}

static atomic_bool stop_reading;

/* Sums never go back, whoever reads them. */
static void *read_total(void *process)
{
	static char backward[] = "a sum went back", failed[] = "no sum";
	struct perfctr_sum_ctrs last, now;

	memset(&last, 0, sizeof(last));
	while (!atomic_load(&stop_reading)) {
		if (perfctr_total_read(process, &now, NULL) < 0)
			return failed;
		if (now.pmc[0] < last.pmc[0] || now.pmc[1] < last.pmc[1])
			return backward;
		last = now;
		sched_yield();
	}
	return NULL;
}

static int read_by_others(void)
{
	struct vperfctr_control c = every(2, 3000, (unsigned int)COUNT_USER);
	struct perfctr_total *process = perfctr_total_create();
	pthread_t thread;
	void *wrong;
	int k;

	c.cpu_control.ireset[1] = -2000;
	CHECK(begin(&c, 0) == 0 && perfctr_total_add(process, watch.self) == 0, "begin");
	atomic_store(&stop_reading, false);
	CHECK(pthread_create(&thread, NULL, read_total, process) == 0, "thread");
	for (k = 0; k < 300; k++) {
		work(1000);
		sched_yield();
	}
	atomic_store(&stop_reading, true);
	pthread_join(thread, &wrong);
	CHECK(!wrong, "%s", (char *)wrong);
	CHECK_SIGNALS(watch.signals > 100);
	end();
	perfctr_total_destroy(process);
	return 0;
}

static int refusals(void)
{
	/* No overflow comes before the loop: its handler fails on purpose, with a message of its
	 * own. */
	struct vperfctr_control good = every(1, 200000, (unsigned int)COUNT_USER), c = good;

	CHECK(begin(&good, 0) == 0, "begin");
	c.si_signo = 0;
	CHECK_FAILS(vperfctr_control(watch.self, &c), EINVAL, "si_signo is 0");
	c.si_signo = 65;
	CHECK_FAILS(vperfctr_control(watch.self, &c), EINVAL, "si_signo is 65");
	c.si_signo = -1;
	CHECK_FAILS(vperfctr_control(watch.self, &c), EINVAL, "si_signo is -1");
	c = good;
	c.cpu_control.ireset[0] = 1000;
	CHECK_FAILS(vperfctr_control(watch.self, &c), EINVAL, "ireset[0]");
	/* What ran, runs. */
	loop(1000000);
	CHECK(watch.signals == 10 && watch.wrong == 0, "%u signals", watch.signals);
	end();
	return 0;
}

/* Take all counters that are left; how many. */
static unsigned int hog_all(struct perfctr_set **hog)
{
	unsigned int n = 0;

	do {
		hog[n] = perfctr_set_open("instructions:u", NULL, 0);
	} while (hog[n] && ++n < 64);
	return n;
}

static void free_all(struct perfctr_set **hog, unsigned int n)
{
	while (n)
		perfctr_set_close(hog[--n]);
}

/* No room for a control: the old one goes on, with what was left of its period. */
static int no_room(void)
{
	struct vperfctr_control c = every(1, 100000, (unsigned int)COUNT_USER);
	struct vperfctr_control two = every(2, 1000, (unsigned int)COUNT_USER);
	struct perfctr_set *hog[64];
	unsigned int n, k;

	CHECK(begin(&c, 100000) == 0, "begin");
	n = hog_all(hog);
	CHECK(n > 0 && n < 64, "%u groups, then %s", n, perfctr_error());
	for (k = 0; k < 20; k++) {
		CHECK(vperfctr_control(watch.self, &two) < 0 && errno == EBUSY, "there was room");
		loop(10000);
	}
	free_all(hog, n);
	loop(100000);
	CHECK_SIGNALS(watch.signals >= 4);
	/* The same while an overflow has stopped it. */
	watch.act = STAY;
	loop(100000);
	n = hog_all(hog);
	k = watch.signals;
	CHECK_FAILS(vperfctr_control(watch.self, &two), EBUSY, "can't all be on the PMU");
	CHECK(stands_at(watch.sum), "it goes on");
	free_all(hog, n);
	watch.act = RESUME;
	CHECK(vperfctr_iresume(watch.self) == 0, "%s", perfctr_error());
	loop(100000);
	CHECK_SIGNALS(watch.signals >= k + 1);
	end();
	return 0;
}

static int shared(void)
{
	struct vperfctr_control c = every(1, 1000, (unsigned int)COUNT_USER);
	struct vperfctr *self = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | PERFCTR_MULTIPLEX);

	CHECK(self, "%s", perfctr_error());
	CHECK_FAILS(vperfctr_control(self, &c), EOPNOTSUPP, "can't be multiplexed");
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return done ? 0 : -1;
}

/* The buffer's memory is limited. */
static int no_memory(void)
{
	static const struct rlimit none;
	int status;
	pid_t pid;

	CHECK(write_file("/proc/sys/kernel/perf_event_mlock_kb", "0") == 0, "sysctl");
	CHECK(write_file("/proc/sys/kernel/perf_event_paranoid", "2") == 0, "sysctl");
	pid = fork();
	if (pid == 0) {
		struct vperfctr_control c = every(1, 1000, (unsigned int)COUNT_USER);
		struct vperfctr *self;

		if (setrlimit(RLIMIT_MEMLOCK, &none) < 0 || setuid(1000) < 0)
			_exit(1);
		self = vperfctr_open();
		if (!self || vperfctr_control(self, &c) == 0)
			_exit(2);
		printf("  %s\n", perfctr_error());
		_exit(errno == EPERM && strstr(perfctr_error(), "ulimit -l") ? 0 : 3);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", (unsigned int)status);
	CHECK(write_file("/proc/sys/kernel/perf_event_mlock_kb", "516") == 0, "sysctl");
	return 0;
}

#if defined(__x86_64__) || defined(__aarch64__)

static volatile unsigned long left_at_signal;

/* How often count_down() has still to go round. */
static void look_at_loop(int signo, siginfo_t *info, void *context)
{
	const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;

	(void)signo, (void)info;
#if defined(__x86_64__)
	left_at_signal = (unsigned long)machine->gregs[REG_R12];
#else
	left_at_signal = machine->regs[20];
#endif
}

static __attribute__((noinline)) int control_and_count_down(const struct vperfctr *self,
							    struct vperfctr_control *control,
							    unsigned long n)
{
#if defined(__x86_64__)
	register unsigned long left __asm__("r12") = n;
#else
	register unsigned long left __asm__("x20") = n;
#endif
	int result = vperfctr_control(self, control);

	left = n;
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(left) : : "cc");
#else
	__asm__ volatile("1: subs %0, %0, #1; b.ne 1b" : "+r"(left) : : "cc");
#endif
	return result;
}

/*
 * A period is the program's own: of the library no more than 20 instructions are in it, over the
 * driver those of its call. Not of a period that is over before the control returns.
 */
static int own_periods(void)
{
	struct sigaction action = { .sa_sigaction = look_at_loop, .sa_flags = SA_SIGINFO };
	const int periods[] = { 1000, 2000, 5000, 1000 };
	struct vperfctr *self = vperfctr_open();
	struct vperfctr_control control;
	unsigned int i, k;
	long own;

	CHECK(self, "no counters");
	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		for (k = 0; k < 3; k++) {
			control = mixed(k == 2, 1, periods[i], (unsigned int)COUNT_USER);
			left_at_signal = 0;
			CHECK(control_and_count_down(self, &control, 10000) == 0, "%s",
			      perfctr_error());
			CHECK(vperfctr_stop(self) == 0, "%s", perfctr_error());
			CHECK(left_at_signal, "no signal");
			own = periods[i] - 2 * (10000 - (long)left_at_signal);
			if (k == 0)
				printf("  %ld of %d are not the program's\n", own, periods[i]);
			CHECK(own >= -(long)latest() - 1 && own <= (driver ? 40 : 20),
			      "%ld of %d are not the program's", own, periods[i]);
		}
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

#endif

int main(int argc, char **argv)
{
	static const struct guest_test tests[] = {
#if defined(__x86_64__) || defined(__aarch64__)
		TEST(own_periods),
#endif
		TEST(exact),
		TEST(not_resumed),
		TEST(two_counters),
		TEST(with_a_mode),
		TEST(in_system_calls),
		TEST(in_sleeping_calls),
		TEST(asleep),
		TEST(threads),
		INEXACT_TEST(wandering),
		TEST(races),
		TEST(dies_overflowing),
		TEST(threads_end_overflowing),
		TEST(child),
		TEST(signals),
		TEST(blocked),
		TEST(waited_for),
		TEST(program_for_2_6),
		TEST(stopped_in_handler),
		TEST(control_after_overflow),
		TEST(read_by_others),
		TEST(refusals),
		/* Over perf_events only: */
		TEST(no_room),
		TEST(shared),
		TEST(no_memory),
	};
	unsigned int i, n = sizeof(tests) / sizeof(tests[0]), failures = 0;
	struct perfctr_info info;

	driver = argc > 0 && strstr(argv[0], "driver");
	if (driver)
		return run_guest_tests(tests, n - 3);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (perfctr_get_info(&info) < 0 || !(info.cpu_features & PERFCTR_FEATURE_PCINT)) {
		printf("nothing interrupts on overflow here: %s\n", perfctr_error());
		return 1;
	}
	for (i = 0; i < n; i++)
		failures += (unsigned int)run_guest_test(&tests[i]);
	printf("%u of %u failed\n", failures, n);
	return failures != 0;
}
