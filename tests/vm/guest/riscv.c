// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * RISC-V's counters: read in user space, exact, what user space must not read, and what the kernel
 * counts wrongly and the library refuses. As riscv_plain on a processor without Sscofpmf, whose
 * counters can't tell modes apart. QEMU has one counter for instructions and one for cycles, which
 * are instructions: nothing here counts either twice at a time.
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <perfctr/read.h>
#include "tests/harness/guest.h"

static bool plain; /* without Sscofpmf */

/* Instructions after, and perhaps cycles. */
static struct vperfctr_control counting(unsigned int n)
{
	struct vperfctr_control control = instructions(n);

	if (n > 1)
		control.cpu_control.evntsel[1] = 1;
	return control;
}

/* By page: what two loops differ by is the loops' difference, and what a read costs besides. */
static int differences(const struct perfctr_reader *reader, const char *what)
{
	uint64_t value[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		CHECK(perfctr_reader_read(reader, &value[i]) == 1, "%s: not in user space", what);
		loop(10000ul << i);
	}
	for (i = 0; i < 2; i++)
		CHECK((value[i + 2] - value[i + 1]) - (value[i + 1] - value[i]) == 20000ull << i,
		      "%s: %llu, %llu", what, (unsigned long long)(value[i + 2] - value[i + 1]),
		      (unsigned long long)(value[i + 1] - value[i]));
	CHECK(value[1] - value[0] - 20000 < 100, "%s: a read costs %llu", what,
	      (unsigned long long)(value[1] - value[0] - 20000));
	return 0;
}

static int sets(void)
{
	static const char *const lists[] = {
		"instructions:u",	   "cycles:u",
		"INSTRUCTIONS:u",	   "CPU_CYCLES:u",
		"instructions:u,cycles:u", "{instructions:u,cycles:u}",
	};
	struct perfctr_reader reader;
	struct perfctr_set *set;
	unsigned int i, k, n;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct perfctr_reading reading[2];

		set = perfctr_set_open(lists[i], NULL, 0);
		CHECK(set, "%s: %s", lists[i], perfctr_error());
		n = i < 4 ? 1 : 2;
		for (k = 0; k < n; k++) {
			CHECK(perfctr_set_reader(set, k, &reader) == 0, "%s: %s", lists[i],
			      perfctr_error());
			if (differences(&reader, lists[i]) != 0)
				return 1;
		}
		CHECK(perfctr_set_read(set, reading) == 0 && reading[0].quality == PERFCTR_EXACT,
		      "%s: %s", lists[i], perfctr_error());
		perfctr_set_close(set);
	}
	return 0;
}

/* A set that is opened before it counts: its readers are good from its start on. */
static int enabled_later(void)
{
	struct perfctr_set *set = perfctr_set_open("instructions:u", NULL, PERFCTR_DISABLED);
	struct perfctr_reader reader;
	uint64_t value;

	CHECK(set && perfctr_set_reader(set, 0, &reader) == 0, "%s", perfctr_error());
	CHECK(perfctr_reader_read(&reader, &value) == 0, "it stands still");
	CHECK(perfctr_set_enable(set) == 0, "%s", perfctr_error());
	if (differences(&reader, "enabled") != 0)
		return 1;
	CHECK(perfctr_set_disable(set) == 0, "%s", perfctr_error());
	CHECK(perfctr_reader_read(&reader, &value) == 0, "it stands still again");
	perfctr_set_close(set);
	return 0;
}

static int controls(void)
{
	struct vperfctr_control control = counting(2);
	struct vperfctr *self = vperfctr_open();
	struct perfctr_sum_ctrs sum[4];
	unsigned int i, k;

	CHECK(self && vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	for (i = 0; i < 4; i++) {
		CHECK(vperfctr_read_ctrs(self, &sum[i]) == 0, "%s", perfctr_error());
		loop(10000ul << i);
	}
	for (k = 0; k < 2; k++)
		for (i = 0; i < 2; i++)
			CHECK((sum[i + 2].pmc[k] - sum[i + 1].pmc[k]) -
					      (sum[i + 1].pmc[k] - sum[i].pmc[k]) ==
				      20000ull << i,
			      "counter %u: %llu %llu %llu", k, sum[i].pmc[k], sum[i + 1].pmc[k],
			      sum[i + 2].pmc[k]);
	CHECK(sum[3].tsc > sum[0].tsc, "%llu, then %llu", sum[0].tsc, sum[3].tsc);
	/* The kernel's calls are not counted, but what calls it. */
	for (i = 0; i < 3; i++) {
		sum[i].pmc[0] = vperfctr_read_pmc(self, 0);
		for (k = 0; k < 1000 * i; k++)
			syscall(SYS_getppid);
	}
	CHECK(sum[2].pmc[0] - sum[1].pmc[0] < 100000, "%llu", sum[2].pmc[0] - sum[1].pmc[0]);
	CHECK(vperfctr_stop(self) == 0, "%s", perfctr_error());
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

/* Which control is refused, and why. */
static int refused_controls(void)
{
	struct vperfctr_control control = counting(1);
	struct vperfctr *self = vperfctr_open();

	CHECK(self, "%s", perfctr_error());
	control.cpu_control.pmc_map[0] = 1;
	CHECK_FAILS(vperfctr_control(self, &control), EINVAL, "pmc_map[0] has 0x00000001");
	control.cpu_control.pmc_map[0] = 0;
	CHECK_FAILS(vperfctr_control(self, &control), EINVAL, "counter 0 counts cycles only");
	control.cpu_control.pmc_map[0] = 2;
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	control.cpu_control.evntsel[0] = 11;
	CHECK_FAILS(vperfctr_control(self, &control), EINVAL, "evntsel[0] has 0x0000000B");
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

static void *count_in_thread(void *number)
{
	unsigned long n = 100000 + 1000 * (unsigned long)(uintptr_t)number;
	struct perfctr_set *set = perfctr_set_open("instructions:u", NULL, 0);
	static __thread char wrong[128];
	struct perfctr_reader reader;
	uint64_t value[3];
	unsigned int i;

	if (!set || perfctr_set_reader(set, 0, &reader) < 0) {
		snprintf(wrong, sizeof(wrong), "%s", perfctr_error());
		return wrong;
	}
	for (i = 0; i < 3; i++) {
		while (!perfctr_reader_read(&reader, &value[i]))
			;
		loop(n << i);
	}
	perfctr_set_close(set);
	if (value[2] - value[1] - (value[1] - value[0]) == 2 * n)
		return NULL;
	snprintf(wrong, sizeof(wrong), "%llu, %llu", (unsigned long long)(value[1] - value[0]),
		 (unsigned long long)(value[2] - value[1]));
	return wrong;
}

static int threads(void)
{
	return run_in_threads(count_in_thread);
}

static volatile sig_atomic_t overflows;
static struct vperfctr *overflowing;

static void on_overflow(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	if (vperfctr_ovf_mask(overflowing, info) == 1)
		overflows++;
	vperfctr_iresume(overflowing);
}

/*
 * The first test: QEMU has one timer for all events, and loses overflows once others have counted.
 */
static int overflow(void)
{
	struct sigaction action = { .sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO };
	struct vperfctr_control control = counting(1);

	control.cpu_control.evntsel[0] = 1;
	control.cpu_control.nractrs = 0;
	control.cpu_control.nrictrs = 1;
	control.cpu_control.ireset[0] = -100000;
	control.si_signo = SIGUSR1;
	sigaction(SIGUSR1, &action, NULL);
	overflowing = vperfctr_open();
	overflows = 0;
	CHECK(overflowing && vperfctr_control(overflowing, &control) == 0, "%s", perfctr_error());
	loop(1025000);
	CHECK(vperfctr_stop(overflowing) == 0, "%s", perfctr_error());
	/* 2,050,000, and at most 2,500 for each time that the handler runs. */
	CHECK(overflows == 20, "%d overflows", (int)overflows);
	vperfctr_unlink(overflowing);
	vperfctr_close(overflowing);
	return 0;
}

/* Its page names a register that counts something else. */
static int firmware(void)
{
	/* Timers set, which the kernel does through the firmware or not at all. */
	struct perfctr_set *set = perfctr_set_open("FW_SET_TIMER", NULL, 0);
	struct perfctr_reading reading;
	struct perfctr_reader reader;
	uint64_t value;

	CHECK(set, "%s", perfctr_error());
	CHECK_FAILS(perfctr_set_reader(set, 0, &reader), EOPNOTSUPP, "no user-space access");
	CHECK(perfctr_reader_read(&reader, &value) == 0, "it is read in user space");
	CHECK(perfctr_set_read(set, &reading) == 0 && reading.value < 1000000, "%s: %llu",
	      perfctr_error(), (unsigned long long)reading.value);
	perfctr_set_close(set);
	CHECK_FAILS(perfctr_set_open("r8000000000000005:u", NULL, 0) ? 0 : -1, EOPNOTSUPP, "");
	CHECK_FAILS(perfctr_set_open("FW_SET_TIMER:u", NULL, 0) ? 0 : -1, EOPNOTSUPP, "all modes");
	return 0;
}

static int write_access(const char *value)
{
	int fd = open("/proc/sys/kernel/perf_user_access", O_WRONLY);
	int result = fd < 0 || write(fd, value, 1) != 1 ? -1 : 0;

	close(fd);
	return result;
}

static int identification(void)
{
	struct perfctr_info info;
	const char *id, *name;

	CHECK(perfctr_cpu_native(&id, &name) == 0 && !strcmp(id, "sbi") &&
		      !strcmp(name, "RISC-V with SBI PMU"),
	      "%s, %s", id, name);
	CHECK(perfctr_get_info(&info) == 0 && info.cpu_type == PERFCTR_RISCV_SBI, "type %u",
	      info.cpu_type);
	CHECK(info.cpu_features == (PERFCTR_FEATURE_RDTSC |
				    (plain ? 0 : PERFCTR_FEATURE_PCINT | PERFCTR_FEATURE_RDPMC)),
	      "features %x", info.cpu_features);
	return 0;
}

/* Reads in user space are forbidden: the kernel's are as exact. */
static int no_access(void)
{
	struct perfctr_reading reading[3];
	struct perfctr_reader reader;
	struct perfctr_set *set;
	unsigned int i;

	CHECK(write_access("0") == 0, "perf_user_access can't be set");
	set = perfctr_set_open("{instructions:u,cycles:u}", NULL, 0);
	CHECK(set, "%s", perfctr_error());
	CHECK_FAILS(perfctr_set_reader(set, 0, &reader), EOPNOTSUPP,
		    "perf_user_access is 0, which forbids");
	perfctr_set_close(set);
	set = perfctr_set_open("instructions:u", NULL, 0);
	CHECK(set, "%s", perfctr_error());
	for (i = 0; i < 3; i++) {
		CHECK(perfctr_set_read(set, &reading[i]) == 0, "%s", perfctr_error());
		loop(10000ul << i);
	}
	CHECK(reading[2].value - 2 * reading[1].value + reading[0].value == 20000, "%llu %llu %llu",
	      (unsigned long long)reading[0].value, (unsigned long long)reading[1].value,
	      (unsigned long long)reading[2].value);
	perfctr_set_close(set);
	return write_access("1");
}

/* The last one: what the kernel has counted so, it goes on counting so for a while. */
static int legacy_access(void)
{
	struct perfctr_set *set;

	CHECK(write_access("2") == 0, "perf_user_access can't be set");
	CHECK(!perfctr_set_open("instructions:u", NULL, 0) && errno == EOPNOTSUPP &&
		      strstr(perfctr_error(), "perf_user_access is 2"),
	      "%s", perfctr_error());
	CHECK(!perfctr_set_open("cycles:k", NULL, 0) && errno == EOPNOTSUPP, "%s", perfctr_error());
	set = perfctr_set_open("instructions", NULL, 0);
	CHECK(set, "%s", perfctr_error());
	perfctr_set_close(set);
	return write_access("1");
}

/* Without Sscofpmf: all modes or none. */
static int no_modes(void)
{
	struct vperfctr_control control = counting(1);
	struct perfctr_reading reading[2];
	unsigned long long before, after;
	struct perfctr_set *set;
	struct vperfctr *self;

	CHECK(!perfctr_set_open("instructions:u", NULL, 0) && errno == EINVAL &&
		      strstr(perfctr_error(), "has no Sscofpmf"),
	      "%s", perfctr_error());
	self = vperfctr_open();
	CHECK(self, "%s", perfctr_error());
	CHECK_FAILS(vperfctr_control(self, &control), EINVAL, "has no Sscofpmf");
	control.cpu_control.nractrs = 0;
	control.cpu_control.nrictrs = 1;
	control.cpu_control.ireset[0] = -1000;
	control.si_signo = SIGUSR1;
	CHECK_FAILS(vperfctr_control(self, &control), EPERM, "can't interrupt on overflow");
	control = counting(1);
	control.cpu_control.evntsel_high[0] &= ~(unsigned int)COUNT_USER;
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	before = vperfctr_read_pmc(self, 0);
	loop(1000000);
	after = vperfctr_read_pmc(self, 0);
	CHECK(after - before > 2000000, "%llu", after - before);
	CHECK(vperfctr_stop(self) == 0, "%s", perfctr_error());
	vperfctr_unlink(self);
	vperfctr_close(self);
	set = perfctr_set_open("instructions", NULL, 0);
	CHECK(set && perfctr_set_read(set, &reading[0]) == 0, "%s", perfctr_error());
	loop(1000000);
	CHECK(perfctr_set_read(set, &reading[1]) == 0, "%s", perfctr_error());
	CHECK(reading[1].value - reading[0].value > 2000000, "%llu",
	      (unsigned long long)(reading[1].value - reading[0].value));
	perfctr_set_close(set);
	return 0;
}

static const struct guest_test tests[] = {
	{ "overflow", overflow },   { "identification", identification },
	{ "sets", sets },	    { "enabled_later", enabled_later },
	{ "controls", controls },   { "refused_controls", refused_controls },
	{ "threads", threads },	    { "firmware", firmware },
	{ "no_access", no_access }, { "legacy_access", legacy_access },
};

static const struct guest_test plain_tests[] = {
	{ "identification", identification },
	{ "no_modes", no_modes },
};

int main(int argc, char **argv)
{
	plain = argc > 0 && strstr(argv[0], "plain");
	return plain ? run_guest(plain_tests, sizeof(plain_tests) / sizeof(plain_tests[0]))
		     : run_guest(tests, sizeof(tests) / sizeof(tests[0]));
}
