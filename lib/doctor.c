// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds what hinders a program from counting, for perfctr-info(1). */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/word.h"
#include "lib/isa/offer.h"
#include "lib/isa/pmu.h"
#include "lib/isa/tsc.h"
#include "lib/perf/clock.h"
#include "lib/perf/core_types.h"
#include "lib/perf/counter.h"
#include "lib/perf/probe.h"
#include "lib/perf/sys.h"
#include "lib/perf/why.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"

struct report {
	int (*each)(void *arg, const struct perfctr_check *check);
	void *arg;
};

/* Reports one finding; remedy "" means that all is well. Returns the result of each(). */
static int tell(const struct report *report, const char *name, const char *remedy,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

static int tell(const struct report *report, const char *name, const char *remedy,
		const char *format, ...)
{
	char state[512];
	struct perfctr_check check = { name, state, remedy, !*remedy };
	va_list args;

	va_start(args, format);
	vsnprintf(state, sizeof(state), format, args);
	va_end(args);
	return report->each(report->arg, &check);
}

/* The driver's facts, if it is the provider. */
static bool driver_info(struct perfctr_info *info)
{
	const struct perfctr_provider *provider = perfctr_provider_choose(0);

	return provider == &perfctr_provider_driver && provider->info(info) == 0;
}

/* A kernel that does not know the processor counts a part of its events, the others wrongly. */
static int check_kernel(const struct report *report)
{
	char why[256];

	if (perfctr_kernel_is_older(why, sizeof(why)))
		return tell(report, "kernel", why, "older than this processor");
	return perfctr_machine_is_unseen()
		       ? tell(report, "kernel",
			      "counts of the processor's events are unverified: nothing tells which "
			      "of them the PMU takes; mount sysfs: mount -t sysfs sysfs /sys",
			      "shows no PMUs in /sys")
		       : 0;
}

static int check_provider(const struct report *report)
{
	const char *why;
	const struct perfctr_provider *provider = perfctr_provider_explain(0, &why);
	struct perfctr_info info;

	if (!provider)
		return tell(report, "provider", perfctr_error(), "none");
	if (provider == &perfctr_provider_perf)
		return tell(report, "provider", "", "%s: %s", provider->name, why);
	if (provider->info(&info) < 0)
		return tell(report, "provider", perfctr_error(), "%s: %s", provider->name, why);
	return tell(report, "provider", "", "%s: %s; version %.*s, %u counters%s", provider->name,
		    why, (int)sizeof(info.driver_version), info.driver_version,
		    perfctr_info_nrctrs(&info),
		    info.cpu_features & PERFCTR_FEATURE_RDPMC ? ", read in user space" : "");
}

static int check_pmu(const struct report *report)
{
	const char *why;

	switch (perfctr_pmu_look(&why)) {
	case PERFCTR_PMU_THERE: return tell(report, "PMU", "", "present");
	case PERFCTR_PMU_NONE: return tell(report, "PMU", why, "none");
	case PERFCTR_PMU_UNKNOWN: break;
	}
	return tell(report, "PMU", why, "not known");
}

/* Opening an event for real says more than any file. */
static int check_open(const struct report *report, const char *name, uint32_t type, uint64_t config,
		      const char *event)
{
	struct perf_event_attr attr = perfctr_attr_user(type, config);
	struct perfctr_counter counter;

	if (perfctr_counter_open(&counter, &attr, event, &perfctr_this_thread, NULL, 0) < 0)
		return tell(report, name, perfctr_error(), "no");
	perfctr_counter_close(&counter);
	return tell(report, name, "", "yes");
}

static int check_user_reads(const struct report *report)
{
	struct perf_event_attr attr = perfctr_attr_user(PERF_TYPE_HARDWARE,
							PERF_COUNT_HW_CPU_CYCLES);
	struct perfctr_counter counter;
	struct perfctr_info info;
	unsigned int width;

	if (perfctr_counter_open(&counter, &attr, "cycles", &perfctr_this_thread, NULL, 0) < 0)
		return tell(report, "user-space reads", "no counter to read, see above", "no");
	if (!perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT)) {
		perfctr_counter_close(&counter);
		if (driver_info(&info) && info.cpu_features & PERFCTR_FEATURE_RDPMC)
			return tell(report, "user-space reads", "",
				    "through the driver; perf_events has none");
		perfctr_why_no_reader();
		return tell(report, "user-space reads", perfctr_error(), "no");
	}
	width = counter.page->pmc_width;
	perfctr_counter_close(&counter);
	/* RISC-V's kernel does not tell it of an event that stands still. */
	if (!width)
		return tell(report, "user-space reads", "", "yes");
	return tell(report, "user-space reads", "", "yes, counters of %u bits", width);
}

static int check_paranoid(const struct report *report)
{
	static const char allows[][32] = {
		"everything",
		"all but raw tracepoints",
		"own threads, kernel mode too",
		"own threads' user mode",
		"nothing",
	};
	long level;

	if (perfctr_file_number("/proc/sys/kernel/perf_event_paranoid", &level) < 0)
		return tell(report, "paranoid level",
			    "/proc/sys/kernel/perf_event_paranoid can't be read: is /proc "
			    "mounted, and does the kernel have perf_events?",
			    "not known");
	return tell(report, "paranoid level",
		    level > 2 && !perfctr_is_capable()
			    ? "lower it to 2: sysctl kernel.perf_event_paranoid=2"
			    : "",
		    "%ld: without CAP_PERFMON, %s can be counted", level,
		    allows[level < -1  ? 0
			   : level > 2 ? 4
				       : level + 1]);
}

/* See perfctr(4): arm64's driver leaves unused counters to perf_events. */
static bool takes_all_counters(void)
{
#ifdef __aarch64__
	return false;
#else
	struct perfctr_info info;

	return driver_info(&info) && perfctr_info_nrctrs(&info);
#endif
}

static int check_watchdog(const struct report *report)
{
	enum perfctr_watchdog watchdog = perfctr_watchdog();

	if (watchdog == PERFCTR_WATCHDOG_UNKNOWN)
		return tell(report, "NMI watchdog", "", "not known");
	if (watchdog == PERFCTR_WATCHDOG_TIMERS)
		return tell(report, "NMI watchdog", "", "on: it holds no counter");
	if (watchdog == PERFCTR_WATCHDOG_COUNTS && takes_all_counters())
		return tell(report, "NMI watchdog",
			    "the driver takes all counters or none: sysctl "
			    "kernel.nmi_watchdog=0",
			    "on: it holds a counter");
	/* It costs a counter, which is no fault as long as the others are enough. */
	return tell(report, "NMI watchdog", "",
		    watchdog == PERFCTR_WATCHDOG_COUNTS
			    ? "on: it holds a counter; sysctl kernel.nmi_watchdog=0 frees it"
			    : "off");
}

static int check_seccomp(const struct report *report)
{
	char text[8192], *line;

	if (perfctr_file_read("/proc/self/status", text, sizeof(text)) < 0)
		return tell(report, "seccomp", "", "not known: /proc/self/status can't be read");
	line = strstr(text, "\nSeccomp:\t");
	return tell(report, "seccomp", "", "%s",
		    line && line[10] == '2' ? "a filter is active" : "off");
}

static int check_pmus(const struct report *report)
{
	DIR *dir = perfctr_file_dir(PERFCTR_DEVICES);
	char list[400] = "";
	struct dirent *entry;
	size_t used;

	if (!dir)
		return tell(report, "kernel's PMUs",
			    PERFCTR_DEVICES " can't be read: is /sys mounted?", "not known");
	while ((entry = readdir(dir))) {
		used = strlen(list);
		if (entry->d_name[0] != '.')
			snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
				 entry->d_name);
	}
	perfctr_call_closedir(dir);
	return tell(report, "kernel's PMUs", "", "%s", list);
}

/* Reports the core types, their processors, and the consequences for counts. */
static int check_hybrid(const struct report *report)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	char list[400] = "", text[4096];
	uint32_t words[PERFCTR_CPU_WORDS];
	int i, n = perfctr_core_pmus(cores);
	size_t used;

	if (n < 0)
		return tell(report, "hybrid PMU", perfctr_error(), "too many");
	if (n <= 1)
		return 0;
	for (i = 0; i < n; i++) {
		perfctr_pmu_cpus(&cores[i], text, sizeof(text));
		used = strlen(list);
		snprintf(list + used, sizeof(list) - used, "%s%.60s on %s%.60s", used ? ", " : "",
			 cores[i].name, text[0] ? "processors " : "no processor",
			 !text[0] || perfctr_cpus_parse(text, words)
				 ? text
				 : "that the kernel does not tell");
	}
	return tell(
		report, "hybrid PMU",
		!perfctr_may_change_kind()
			? ""
			: "a control counts on one core type only, while the thread runs there: "
			  "count by name with a perfctr_set, which counts on all, or bind the "
			  "thread to processors of one core type, which also allows user-space "
			  "reads of its own events",
		"%d core types: %s", n, list);
}

/* Whether a thread that may change between core types can read what it counts on all of them. */
static int check_rseq(const struct report *report)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int n = perfctr_core_pmus(cores);

	if (!PERFCTR_HAVE_CORE_TYPES || n <= 1)
		return 0;
	if (perfctr_rseq_here())
		return tell(report, "restartable sequences", "",
			    "registered: events on all core types are read in user space");
	return tell(report, "restartable sequences",
		    "use glibc 2.35 or later, without glibc.pthread.rseq=0 in GLIBC_TUNABLES, and "
		    "allow rseq(2) in the seccomp filter; until then a thread that may run on "
		    "several core types reads its counters through the kernel",
		    "none that the C library has registered");
}

static int check_tracefs(const struct report *report)
{
	/* Only names of tracepoints are missing: counters work. */
	const struct perfctr_check none = {
		.name = "tracepoints",
		.state = "none that can be read",
		.remedy = "to count them, mount tracefs on /sys/kernel/tracing, and be root there, "
			  "or open it to a group: "
			  "mount -o remount,mode=750,gid=GROUP /sys/kernel/tracing",
		.ok = 1,
	};
	DIR *dir = perfctr_file_dir("/sys/kernel/tracing/events");

	if (!dir)
		return report->each(report->arg, &none);
	perfctr_call_closedir(dir);
	return tell(report, "tracepoints", "", "readable");
}

static int check_limits(const struct report *report)
{
	struct rlimit files;
	long kb;
	int result = 0;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		result = tell(report, "file descriptors",
			      files.rlim_cur < 64 ? "raise the limit: ulimit -n 1024" : "",
			      "%llu; each event takes one", (unsigned long long)files.rlim_cur);
	if (result == 0 && perfctr_file_number("/proc/sys/kernel/perf_event_mlock_kb", &kb) == 0)
		result = tell(report, "locked memory", "", "%ld KiB for events' pages", kb);
	return result;
}

/* Whether counters lend their page's clock, so that it takes no event beside them. */
static bool is_lent(void)
{
	struct perf_event_attr attr = perfctr_attr_user(PERF_TYPE_HARDWARE,
							PERF_COUNT_HW_CPU_CYCLES);
	struct perfctr_counter counter;
	struct perfctr_clock clock;
	bool lent;

	if (perfctr_counter_try(&counter, &attr, &perfctr_this_thread, NULL) < 0)
		return false;
	lent = perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT) &&
	       perfctr_clock_borrow(&clock, &counter, 1);
	perfctr_counter_close(&counter);
	return lent;
}

static int check_clock(const struct report *report)
{
	struct perfctr_clock clock;
	struct perfctr_info info;
	bool in_page;

	if (driver_info(&info) && info.cpu_features & PERFCTR_FEATURE_RDTSC)
		return tell(report, "virtual TSC", "",
			    "read in user space, from the driver's page, %llu kHz",
			    (unsigned long long)perfctr_tsc_khz());
	perfctr_clock_open(&clock);
	in_page = clock.event.page != NULL;
	perfctr_clock_close(&clock);
	return tell(
		report, "virtual TSC", "",
		in_page && is_lent() ? "read in user space, from the counters' page, %llu kHz"
		: in_page
			? "read in user space, from the page of an event of its own, %llu kHz"
			: "from the thread's CPU clock, by system call, %llu kHz (the kernel puts no clock into "
			  "events' pages here)",
		(unsigned long long)perfctr_tsc_khz());
}

static int check_software(const struct report *report)
{
	return check_open(report, "software events", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
			  "task-clock");
}

static int check_hardware(const struct report *report)
{
	return check_open(report, "hardware events", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
			  "cycles");
}

int perfctr_doctor(int (*each)(void *arg, const struct perfctr_check *), void *arg)
{
	const struct report report = { each, arg };
	int result, error = errno;

	if (!each)
		return perfctr_fail(EINVAL, "perfctr_doctor() needs a function to tell, not NULL");
	result = check_kernel(&report);
	result = result ? result : check_provider(&report);
	result = result ? result : check_pmu(&report);
	result = result ? result : check_software(&report);
	result = result ? result : check_hardware(&report);
	result = result ? result : check_user_reads(&report);
	result = result ? result : check_clock(&report);
	result = result ? result : check_paranoid(&report);
	result = result ? result : check_watchdog(&report);
	result = result ? result : check_seccomp(&report);
	result = result ? result : check_pmus(&report);
	result = result ? result : check_hybrid(&report);
	result = result ? result : check_rseq(&report);
	result = result ? result : check_tracefs(&report);
	result = result ? result : check_limits(&report);
	/* Failed checks are findings, not errors of this function. */
	errno = error;
	return result;
}
