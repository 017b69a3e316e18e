// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * POWER's counters, as power8 and so on: read in user space after that was tried, and through the
 * kernel; what is refused. QEMU counts instructions and cycles, which are instructions, and nothing
 * else; whatever mode is asked for, it counts the kernel, too. So of some tries the least counts,
 * in which no interrupt was.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <strings.h>
#include <perfctr/read.h>
#include "tests/harness/guest.h"

/* The same way of trying, of an instruction that is illegal in user mode (UPMC1 of old). */
#define TRIED		    "937"
#define perfctr_is_readable is_readable_937
bool is_readable_937(void);
#include "lib/isa/readable.c"
#undef perfctr_is_readable

enum { TRIES = 7 };

static const char *processor; /* its id, by which the program is called */

/* What is read; false: it can't be. */
typedef bool read_fn(void *arg, uint64_t *value);

/* The least that a loop of n adds. */
static uint64_t least(read_fn *read, void *arg, unsigned long n)
{
	uint64_t before, after, result = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		if (!read(arg, &before))
			return UINT64_MAX;
		loop(n);
		if (!read(arg, &after))
			return UINT64_MAX;
		if (after - before < result)
			result = after - before;
	}
	return result;
}

/* What two loops differ by is the loops' difference; what the reads cost is at most so much. */
static int differences(read_fn *read, void *arg, uint64_t most, const char *what)
{
	uint64_t shorter = least(read, arg, 10000), longer = least(read, arg, 50000);

	CHECK(longer - shorter == 80000 && shorter - 20000 < most, "%s: %llu, %llu", what,
	      (unsigned long long)shorter, (unsigned long long)longer);
	return 0;
}

static bool by_reader(void *reader, uint64_t *value)
{
	return perfctr_reader_read(reader, value);
}

static bool by_kernel(void *set, uint64_t *value)
{
	struct perfctr_reading reading[2];

	if (perfctr_set_read(set, reading) < 0 || reading[0].quality != PERFCTR_EXACT)
		return false;
	*value = reading[0].value;
	return true;
}

static volatile sig_atomic_t illegals;

static void count_illegal(int signal)
{
	(void)signal;
	illegals++;
}

/*
 * The first test: reading is tried once, when the first counter is mapped; SIGILL is the program's
 * again after it, and blocked as it was.
 */
static int trying(void)
{
	struct sigaction action = { .sa_handler = count_illegal }, after;
	struct perfctr_reader reader;
	struct perfctr_set *set;
	sigset_t mask, blocked;
	uint64_t value;

	sigaction(SIGILL, &action, NULL);
	sigemptyset(&mask);
	sigaddset(&mask, SIGILL);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	set = perfctr_set_open("instructions:u", NULL, 0);
	CHECK(set && perfctr_set_reader(set, 0, &reader) == 0, "%s", perfctr_error());
	CHECK(perfctr_reader_read(&reader, &value) == 1, "not in user space");
	perfctr_set_close(set);
	CHECK(sigaction(SIGILL, NULL, &after) == 0 && after.sa_handler == count_illegal,
	      "another handler");
	CHECK(sigprocmask(SIG_UNBLOCK, &mask, &blocked) == 0 && sigismember(&blocked, SIGILL),
	      "it is not blocked");
	CHECK(illegals == 0, "%d", (int)illegals);
	CHECK(!is_readable_937() && illegals == 0, "%d", (int)illegals);
	CHECK(sigaction(SIGILL, NULL, &after) == 0 && after.sa_handler == count_illegal,
	      "another handler");
	return 0;
}

static int identification(void)
{
	struct perfctr_info info;
	const char *id, *name;

	CHECK(perfctr_cpu_native(&id, &name) == 0 && !strcmp(id, processor) &&
		      !strncasecmp(name, "IBM POWER", 9) && !strcmp(name + 9, processor + 5),
	      "%s, %s", id, name);
	CHECK(perfctr_get_info(&info) == 0 && info.cpu_type == PERFCTR_POWER_ISA207, "type %u",
	      info.cpu_type);
	CHECK(info.cpu_features ==
		      (PERFCTR_FEATURE_RDTSC | PERFCTR_FEATURE_RDPMC | PERFCTR_FEATURE_PCINT),
	      "features %x", info.cpu_features);
	CHECK(perfctr_info_nrctrs(&info) == 6, "%u counters", perfctr_info_nrctrs(&info));
	return 0;
}

static int sets(void)
{
	static const char *const lists[] = {
		"instructions:u",     "cycles:u", "PM_INST_CMPL:u", "PM_CYC:u",
		"PM_RUN_INST_CMPL:u", "r600f4:u", "r500fa:u",	    "{cycles:u,instructions:u}",
	};
	struct perfctr_reader reader;
	struct perfctr_set *set;
	unsigned int i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		set = perfctr_set_open(lists[i], NULL, 0);
		CHECK(set && perfctr_set_reader(set, 0, &reader) == 0, "%s: %s", lists[i],
		      perfctr_error());
		if (differences(by_reader, &reader, 100, lists[i]) != 0 ||
		    differences(by_kernel, set, 20000, lists[i]) != 0)
			return 1;
		CHECK(perfctr_set_disable(set) == 0 &&
			      perfctr_reader_read(&reader, &(uint64_t){ 0 }) == 0,
		      "%s: it stands still", lists[i]);
		CHECK(perfctr_set_enable(set) == 0, "%s: %s", lists[i], perfctr_error());
		if (differences(by_reader, &reader, 100, lists[i]) != 0)
			return 1;
		perfctr_set_close(set);
	}
	return 0;
}

/*
 * Beyond half of the 32 bits of a counter, where the kernel is told. The kernel is the same for all
 * processors, and this takes seconds.
 */
static int long_counts(void)
{
	uint64_t before, after, kernel;
	struct perfctr_reader reader;
	struct perfctr_set *set;

	if (strcmp(processor, "power9") != 0)
		return 0;
	set = perfctr_set_open("instructions:u", NULL, 0);
	CHECK(set && perfctr_set_reader(set, 0, &reader) == 0, "%s", perfctr_error());
	CHECK(perfctr_reader_read(&reader, &before), "not in user space");
	loop(1200000000);
	CHECK(perfctr_reader_read(&reader, &after) && by_kernel(set, &kernel), "%s",
	      perfctr_error());
	CHECK(after - before > 2400000000 && after - before < 2424000000 && kernel > after &&
		      kernel - after < 20000,
	      "%llu, %llu, %llu", (unsigned long long)before, (unsigned long long)after,
	      (unsigned long long)kernel);
	perfctr_set_close(set);
	return 0;
}

/* Which QEMU does not count. */
static int not_counted(void)
{
	static const char *const events[] = { "PM_BR_MPRED_CMPL:u", "PM_LD_MISS_L1:u", "branches:u",
					      "PM_DTLB_MISS:u" };
	struct perfctr_reading reading;
	struct perfctr_set *set;
	unsigned int i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		set = perfctr_set_open(events[i], NULL, 0);
		CHECK(set, "%s: %s", events[i], perfctr_error());
		loop(10000);
		CHECK(perfctr_set_read(set, &reading) == 0 && reading.value == 0 &&
			      reading.quality == PERFCTR_EXACT,
		      "%s: %llu", events[i], (unsigned long long)reading.value);
		perfctr_set_close(set);
	}
	return 0;
}

static struct vperfctr_control counting(unsigned int n)
{
	static const unsigned int code[] = { 0x2, 0x1E, 0x4001E, 0x500FA, 0x600F4 };
	static const unsigned int pmc[] = { 0, 1, 3, 4, 5 };
	struct vperfctr_control control = { .cpu_control = { .tsc_on = 1, .nractrs = n } };
	unsigned int i;

	for (i = 0; i < n; i++) {
		control.cpu_control.pmc_map[i] = pmc[i];
		control.cpu_control.evntsel[i] = code[i];
		control.cpu_control.evntsel_high[i] = COUNT_USER;
	}
	return control;
}

static struct vperfctr *self;

static bool by_handle(void *i, uint64_t *value)
{
	struct perfctr_sum_ctrs sum;

	if (vperfctr_read_ctrs(self, &sum) < 0)
		return false;
	*value = sum.pmc[*(unsigned int *)i];
	return true;
}

static int controls(void)
{
	struct vperfctr_control control = counting(5);
	unsigned long long tsc;
	unsigned int i;

	self = vperfctr_open();
	CHECK(self && vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	tsc = vperfctr_read_tsc(self);
	for (i = 0; i < 5; i++)
		if (differences(by_handle, &i, 10000, "a control's") != 0)
			return 1;
	CHECK(vperfctr_read_tsc(self) > tsc, "%llu", tsc);
	CHECK(vperfctr_stop(self) == 0, "%s", perfctr_error());
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

/* Which control, and which name, is refused, and why. */
static int refused(void)
{
	struct vperfctr_control control = counting(1);
	struct perfctr_set *set;

	self = vperfctr_open();
	CHECK(self, "%s", perfctr_error());
	control.cpu_control.pmc_map[0] = 6;
	CHECK_FAILS(vperfctr_control(self, &control), EINVAL, "has no such counter");
	control.cpu_control.pmc_map[0] = 4;
	CHECK_FAILS(vperfctr_control(self, &control), EINVAL, "counts 0x000500FA only");
	control.cpu_control.pmc_map[0] = 1;
	control.cpu_control.evntsel[0] = 0x4001E;
	CHECK_FAILS(vperfctr_control(self, &control), EINVAL, "name another counter");
	control.cpu_control.pmc_map[0] = 3;
	control.cpu_control.evntsel_high[0] = 0x80000000;
	CHECK_FAILS(vperfctr_control(self, &control), EINVAL, "these bits are reserved");
	vperfctr_unlink(self);
	vperfctr_close(self);
	set = perfctr_set_open("PM_INST_COMPL:u", NULL, 0);
	CHECK(!set && errno == EINVAL && strstr(perfctr_error(), "did you mean PM_INST_CMPL"), "%s",
	      perfctr_error());
	/* Both name PMC1. */
	set = perfctr_set_open("{PM_1PLUS_PPC_CMPL:u,r1001e:u}", NULL, 0);
	CHECK(!set && errno == EINVAL && strstr(perfctr_error(), "too few counters"), "%d: %s",
	      errno, perfctr_error());
	return 0;
}

static void *count_in_thread(void *number)
{
	struct perfctr_set *set = perfctr_set_open("instructions:u", NULL, 0);
	static __thread char wrong[128];
	struct perfctr_reader reader;
	uint64_t shorter, longer;

	(void)number;
	if (!set || perfctr_set_reader(set, 0, &reader) < 0) {
		snprintf(wrong, sizeof(wrong), "%s", perfctr_error());
		return wrong;
	}
	shorter = least(by_reader, &reader, 20000);
	longer = least(by_reader, &reader, 60000);
	perfctr_set_close(set);
	if (longer - shorter == 80000)
		return NULL;
	snprintf(wrong, sizeof(wrong), "%llu, %llu", (unsigned long long)shorter,
		 (unsigned long long)longer);
	return wrong;
}

static int threads(void)
{
	return run_in_threads(count_in_thread);
}

static volatile sig_atomic_t overflows;

static void on_overflow(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	if (vperfctr_ovf_mask(self, info) == 1)
		overflows++;
	vperfctr_iresume(self);
}

static int overflow(void)
{
	struct sigaction action = { .sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO };
	struct vperfctr_control control = counting(1);

	control.cpu_control.nractrs = 0;
	control.cpu_control.nrictrs = 1;
	control.cpu_control.ireset[0] = -1000000;
	control.si_signo = SIGUSR1;
	sigaction(SIGUSR1, &action, NULL);
	self = vperfctr_open();
	overflows = 0;
	CHECK(self && vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	loop(10250000);
	CHECK(vperfctr_stop(self) == 0, "%s", perfctr_error());
	/* 20,500,000, and what the kernel does for each. */
	CHECK(overflows >= 20 && overflows <= 22, "%d overflows", (int)overflows);
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

static const struct guest_test tests[] = {
	INEXACT_TEST(trying),	   INEXACT_TEST(identification), INEXACT_TEST(sets),
	INEXACT_TEST(long_counts), INEXACT_TEST(not_counted),	 INEXACT_TEST(controls),
	INEXACT_TEST(refused),	   INEXACT_TEST(threads),	 INEXACT_TEST(overflow),
};

int main(int argc, char **argv)
{
	processor = argc > 0 && strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	return run_guest(tests, sizeof(tests) / sizeof(tests[0]));
}
