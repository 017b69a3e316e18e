// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests the findings of perfctr-info(1), to the word: on made-up machines, without and with the
 * driver.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/resource.h>
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "lib/isa/tsc.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "arch/cpu.h"
#include "tests/harness/root.h"
#include "tests/harness/pmu.h"
#include "lib/perf/probe.h"
#include "tests/harness/check.h"

/* ---- the driver, if there is to be one, and who asks ---- */

static struct perfctr_info driver; /* abi_version 0: none */

int __wrap_perfctr_device_open(struct perfctr_info *info);
int __wrap_perfctr_device_open(struct perfctr_info *info)
{
	*info = driver;
	errno = driver.abi_version ? errno : ENOENT;
	return driver.abi_version ? dup(0) : -1;
}

int __wrap_perfctr_device_info(struct perfctr_info *info);
int __wrap_perfctr_device_info(struct perfctr_info *info)
{
	*info = driver;
	return driver.abi_version ? 0 : perfctr_fail(ENODEV, "the driver has gone");
}

/* ---- findings ---- */

struct finding {
	char name[32], state[512], remedy[600];
	int ok;
};

static struct finding findings[20];
static unsigned int n, enough;

static int note(void *arg, const struct perfctr_check *check)
{
	struct finding *finding = &findings[n++];

	ck_assert_ptr_eq(arg, &n);
	ck_assert_uint_le(n, ARRAY_SIZE(findings));
	snprintf(finding->name, sizeof(finding->name), "%s", check->name);
	snprintf(finding->state, sizeof(finding->state), "%s", check->state);
	snprintf(finding->remedy, sizeof(finding->remedy), "%s", check->remedy);
	finding->ok = check->ok;
	ck_assert(check->ok || *check->remedy);
	return n == enough ? 77 : 0;
}

static const struct finding *find(const char *name)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!strcmp(findings[i].name, name))
			return &findings[i];
	return NULL;
}

/* What any user may count, and nothing starts. */
static void harmless(void)
{
	ck_assert(pmu_asked.exclude_kernel && pmu_asked.exclude_hv);
	ck_assert(pmu_asked.disabled || pmu_asked.config == PERF_COUNT_SW_DUMMY);
}

static void examine(void)
{
	n = enough = 0;
	pmu_at(PMU_OPEN, 0, harmless);
	ck_assert_int_eq(perfctr_doctor(note, &n), 0);
	ck_assert_uint_eq(pmu_events(), 0);
	ck_assert_uint_eq(pmu_mappings(), 0);
}

static void finds(const char *name, const char *state)
{
	ck_assert_msg(find(name) != NULL, "nothing of %s", name);
	ck_assert_str_eq(find(name)->state, state);
}

/* Nothing is wrong with it. */
static void is_well(const char *name, const char *state)
{
	finds(name, state);
	ck_assert_str_eq(find(name)->remedy, "");
}

static void has_remedy(const char *name, const char *state, const char *remedy, int ok)
{
	finds(name, state);
	ck_assert_int_eq(find(name)->ok, ok);
	ck_assert_msg(strstr(find(name)->remedy, remedy) != NULL, "\"%s\" has no \"%s\"",
		      find(name)->remedy, remedy);
}

static void is_ill(const char *name, const char *state, const char *remedy)
{
	has_remedy(name, state, remedy, 0);
}

/* Nothing is wrong, but there could be more. */
static void is_hint(const char *name, const char *state, const char *remedy)
{
	has_remedy(name, state, remedy, 1);
}

static void begin(void)
{
	unsetenv("PERFCTR_PROVIDER");
	root_make();
	root_line("cpu/type", "4");
	root_line("cpu/format/event", "config:0-7");
	root_line("cpu/events/cpu_cycles", "event=0x11"); /* Arm's PMU always has it */
	root_line("cpu/rdpmc", "1");
	root_line("/proc/sys/kernel/perf_event_paranoid", "2");
	root_line("/proc/sys/kernel/nmi_watchdog", "0");
	root_line("/proc/sys/kernel/perf_event_mlock_kb", "516");
	root_line("/proc/self/status", "Name:\tx\\nSeccomp:\t0");
	root_line("/sys/kernel/tracing/events/enable", "0");
	memset(&driver, 0, sizeof(driver));
	pmu_begin();
}

static void end(void)
{
	pmu_end();
	root_remove();
}

START_TEST(a_healthy_machine)
{
	char khz[100];
	unsigned int i;

	begin();
	examine();
	ck_assert_uint_eq(n, 13);
	for (i = 0; i < n; i++)
		if ((pmu.rdpmc && PERFCTR_HAVE_RDPMC) ||
		    strcmp(findings[i].name, "user-space reads"))
			ck_assert_str_eq(findings[i].remedy, "");
	ck_assert_str_eq(findings[0].name, "provider");
	is_well("provider", "perf: there is no /dev/perfctr (load the driver: modprobe perfctr)");
	is_well("PMU", "present");
	is_well("software events", "yes");
	is_well("hardware events", "yes");
	if (pmu.rdpmc && PERFCTR_HAVE_RDPMC)
		is_well("user-space reads", "yes, counters of 48 bits");
	snprintf(khz, sizeof(khz), "read in user space, from the %s, %lu kHz",
		 pmu.rdpmc ? "counters' page" : "page of an event of its own",
		 (unsigned long)perfctr_tsc_khz());
	if (PERFCTR_HAVE_RDTSC)
		is_well("virtual TSC", khz);
	is_well("paranoid level", "2: without CAP_PERFMON, own threads' user mode can be counted");
	is_well("NMI watchdog", "off");
	is_well("seccomp", "off");
	is_well("kernel's PMUs", "cpu");
	ck_assert_ptr_null(find("hybrid PMU"));
	is_well("tracepoints", "readable");
	is_well("locked memory", "516 KiB for events' pages");
	setenv("PERFCTR_PROVIDER", "perf", 1);
	examine();
	is_well("provider", "perf: PERFCTR_PROVIDER asks for it");
	setenv("PERFCTR_PROVIDER", "x", 1);
	examine();
	is_ill("provider", "none", "PERFCTR_PROVIDER=x names no provider");
	end();
}
END_TEST

/* The caller has seen enough, and its result is the doctor's. */
/* It comes first, since it concerns every count. */
START_TEST(no_sysfs)
{
	begin();
	remove(root_path("cpu/type"));
	root_forget();
	examine();
	ck_assert_str_eq(findings[0].name, "kernel");
	is_ill("kernel", "shows no PMUs in /sys", "mount -t sysfs sysfs /sys");
	root_line("software/type", "1");
	root_forget();
	examine();
	ck_assert_ptr_null(find("kernel"));
	end();
}
END_TEST

START_TEST(enough_is_enough)
{
	begin();
	n = 0;
	for (enough = 1; enough <= 13; enough++, n = 0) {
		ck_assert_int_eq(perfctr_doctor(note, &n), 77);
		ck_assert_uint_eq(n, enough);
	}
	end();
}
END_TEST

START_TEST(paranoid_levels)
{
	static const struct {
		const char *level, *state;
		bool well;
	} levels[] = {
		{ "-2", "-2: without CAP_PERFMON, everything can be counted", true },
		{ "-1", "-1: without CAP_PERFMON, everything can be counted", true },
		{ "0", "0: without CAP_PERFMON, all but raw tracepoints can be counted", true },
		{ "1", "1: without CAP_PERFMON, own threads, kernel mode too can be counted",
		  true },
		{ "2", "2: without CAP_PERFMON, own threads' user mode can be counted", true },
		{ "3", "3: without CAP_PERFMON, nothing can be counted", false },
		{ "4", "4: without CAP_PERFMON, nothing can be counted", false },
	};
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		root_line("/proc/sys/kernel/perf_event_paranoid", levels[i].level);
		root_line("/proc/self/status", "Name:\tx\\nCapEff:\t0000000000000000");
		examine();
		if (levels[i].well)
			is_well("paranoid level", levels[i].state);
		else
			is_ill("paranoid level", levels[i].state, "lower it to 2");
		root_line("/proc/self/status", "Name:\tx\\nCapEff:\t0000004000000000");
		examine();
		is_well("paranoid level", levels[i].state);
		/* Of a user namespace, and not of the machine. */
		root_line("/proc/self/uid_map", "         0       1000          1");
		examine();
		if (levels[i].well)
			is_well("paranoid level", levels[i].state);
		else
			is_ill("paranoid level", levels[i].state, "lower it to 2");
		root_line("/proc/self/uid_map", "         0          0 4294967295");
	}
	end();
}
END_TEST

/* No event can be opened, or not this one. */
START_TEST(no_counters)
{
	begin();
	pmu_fail(PMU_OPEN, 1, ENOENT);
	examine();
	is_ill("PMU", "none", "PMU");
	pmu_fail(PMU_OPEN, 2, EMFILE);
	examine();
	is_ill("software events", "no", "task-clock can't be counted");
	is_well("hardware events", "yes");
	pmu_fail(PMU_OPEN, 3, EMFILE);
	examine();
	is_well("software events", "yes");
	is_ill("hardware events", "no", "cycles can't be counted");
	pmu_fail(PMU_OPEN, 4, EMFILE);
	examine();
	is_well("hardware events", "yes");
	is_ill("user-space reads", "no", "no counter to read");
	pmu_fail(PMU_MMAP, 1, ENOMEM);
	examine();
	is_ill("user-space reads", "no", "reads go through the kernel");
	pmu_fail(PMU_MMAP, 3, ENOMEM);
	examine();
	if (PERFCTR_HAVE_RDTSC)
		ck_assert_ptr_nonnull(strstr(find("virtual TSC")->state,
					     "from the page of an event of its own, "));
	pmu_fail(PMU_OPEN, 6, EMFILE);
	examine();
	if (PERFCTR_HAVE_RDTSC)
		ck_assert_ptr_nonnull(strstr(find("virtual TSC")->state,
					     "from the page of an event of its own, "));
	pmu.clock = false;
	examine();
	ck_assert_ptr_nonnull(strstr(find("virtual TSC")->state, "from the thread's CPU clock, by "
								 "system call, "));
	end();
}
END_TEST

START_TEST(what_is_in_the_way)
{
	struct rlimit limit, few;
	const char *state;

	begin();
	root_line("/proc/sys/kernel/nmi_watchdog", "1");
	root_line("/proc/self/status", "Name:\tx\\nSeccomp:\t2");
	root_line("software/type", "1");
	root_line(".hidden/type", "1");
	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	few.rlim_cur = 64;
	setrlimit(RLIMIT_NOFILE, &few);
	examine();
	is_well("NMI watchdog", "on: it holds a counter; sysctl kernel.nmi_watchdog=0 frees it");
	is_well("seccomp", "a filter is active");
	state = find("kernel's PMUs")->state;
	ck_assert_msg(!strcmp(state, "cpu, software") || !strcmp(state, "software, cpu"), "%s",
		      state);
	is_well("file descriptors", "64; each event takes one");
	few.rlim_cur = 63;
	setrlimit(RLIMIT_NOFILE, &few);
	examine();
	is_ill("file descriptors", "63; each event takes one", "ulimit -n 1024");
	setrlimit(RLIMIT_NOFILE, &limit);
	end();
	/* And nothing at all. */
	pmu_begin();
	root_make();
	examine();
	is_ill("paranoid level", "not known", "is /proc mounted");
	is_well("NMI watchdog", "not known");
	errno = 77;
	ck_assert_uint_eq(perfctr_watchdog(), PERFCTR_WATCHDOG_UNKNOWN);
	ck_assert_int_eq(errno, 77);
	is_well("seccomp", "not known: /proc/self/status can't be read");
	is_ill("kernel's PMUs", "not known", "is /sys mounted");
	is_hint("tracepoints", "none that can be read", "mount tracefs on");
	ck_assert_ptr_null(find("locked memory"));
	ck_assert_ptr_null(find("hybrid PMU"));
	/* Then a program that may not open events knows nothing of a PMU. */
	pmu_fail(PMU_OPEN, 1, EACCES);
	examine();
	is_ill("PMU", "not known", "allow perf_event_open(2), or mount /sys");
	end();
}
END_TEST

/* Processors that watch each other by timers. */
START_TEST(a_watchdog_without_counter)
{
	struct utsname kernel;
	char config[128];

	begin();
	root_line("/proc/sys/kernel/nmi_watchdog", "1");
	ck_assert_int_eq(uname(&kernel), 0);
	snprintf(config, sizeof(config), "/boot/config-%s", kernel.release);
	root_line(config, "A=y\\nCONFIG_HARDLOCKUP_DETECTOR_BUDDY=y\\nB=y");
	examine();
	is_well("NMI watchdog", "on: it holds no counter");
	end();
}
END_TEST

/* Where each core type is, if the kernel tells; and what to do. */
START_TEST(kinds_of_cores)
{
	char name[32];
	unsigned int i;

	pmu_begin();
	root_make();
	root_line("big/type", "8");
	root_line("big/cpus", "7000-7003,7010");
	root_line("little/type", "9");
	root_line("little/cpus", "100000");
	root_line("third/type", "10");
	root_line("third/cpus", "");
	examine();
	is_ill("hybrid PMU",
	       "3 core types: big on processors 7000-7003,7010, little on processors "
	       "that the kernel does not tell, third on no processor",
	       "perfctr_set");
	/* This thread is bound to the big ones. */
	root_line("big/cpus", "0-4000");
	root_line("little/cpus", "4001");
	examine();
	is_well("hybrid PMU", "3 core types: big on processors 0-4000, little on processors 4001, "
			      "third on no processor");
	/* One kind needs no words; one more than there is room for is told. */
	root_remove();
	root_make();
	root_line("big/type", "8");
	root_line("big/cpus", "0-3");
	examine();
	ck_assert_ptr_null(find("hybrid PMU"));
	for (i = 0; i < PERFCTR_VARIANTS_MAX; i++) {
		snprintf(name, sizeof(name), "kind%u/cpus", i);
		root_line(name, "0");
	}
	examine();
	is_ill("hybrid PMU", "too many", "more than");
	end();
}
END_TEST

/* The driver is the provider if it answers, and counts here; its facts are told. */
START_TEST(with_the_driver)
{
	char khz[100], provider[100];

	begin();
	snprintf(khz, sizeof(khz), "read in user space, from the driver's page, %lu kHz",
		 (unsigned long)perfctr_tsc_khz());
	root_line("/proc/sys/kernel/nmi_watchdog", "1");
	driver.abi_version = PERFCTR_ABI_VERSION;
	driver.cpu_type = 12345;
	memset(driver.driver_version, 'v', sizeof(driver.driver_version));
	examine();
	finds("provider", "perf: the driver has no counters for this processor");
	is_well("NMI watchdog", "on: it holds a counter; sysctl kernel.nmi_watchdog=0 frees it");
	setenv("PERFCTR_PROVIDER", "driver", 1);
	examine();
	is_well("provider", "driver: PERFCTR_PROVIDER asks for it; version "
			    "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv, 0 counters");
	is_well("NMI watchdog", "on: it holds a counter; sysctl kernel.nmi_watchdog=0 frees it");
	/* It counts. */
	driver.cpu_type = perfctr_this_cpu()->type;
	driver.cpu_features = PERFCTR_FEATURE_RDPMC;
	strcpy(driver.driver_version, "1.2");
	unsetenv("PERFCTR_PROVIDER");
	snprintf(provider, sizeof(provider),
		 "driver: the driver answers; version 1.2, %u counters%s",
		 perfctr_info_nrctrs(&driver), ", read in user space");
	if (perfctr_info_nrctrs(&driver) == 0) {
		end();
		return;
	}
	examine();
	is_well("provider", provider);
#ifdef __aarch64__
	is_well("NMI watchdog", "on: it holds a counter; sysctl kernel.nmi_watchdog=0 frees it");
#else
	is_ill("NMI watchdog", "on: it holds a counter", "all counters or none");
#endif
	pmu.rdpmc = false;
	examine();
	is_well("user-space reads", "through the driver; perf_events has none");
	ck_assert_str_ne(find("virtual TSC")->state, khz);
	driver.cpu_features = PERFCTR_FEATURE_RDTSC;
	root_line("/proc/sys/kernel/nmi_watchdog", "0");
	examine();
	provider[strlen(provider) - strlen(", read in user space")] = '\0';
	is_well("provider", provider);
	is_ill("user-space reads", "no", "reads go through the kernel");
	is_well("NMI watchdog", "off");
	is_well("virtual TSC", khz);
	driver.abi_version = 0;
	setenv("PERFCTR_PROVIDER", "driver", 1);
	examine();
	is_ill("provider", "driver: PERFCTR_PROVIDER asks for it", "the driver has gone");
	end();
}
END_TEST

START_TEST(this_machine)
{
	unsetenv("PERFCTR_ROOT");
	n = enough = 0;
	ck_assert_int_eq(perfctr_doctor(note, &n), 0);
	ck_assert_uint_ge(n, 12);
}
END_TEST

UNIT_MAIN("doctor", 60, this_machine, a_healthy_machine, no_sysfs, enough_is_enough,
	  paranoid_levels, no_counters, what_is_in_the_way, a_watchdog_without_counter,
	  kinds_of_cores, with_the_driver)
