// SPDX-License-Identifier: LGPL-2.1-or-later
/* Explains why an event can't be counted here, and what to do about it. */
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arch/cpu.h"
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/word.h"
#include "lib/isa/attr.h"
#include "lib/isa/identify.h"
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "lib/perf/guests.h"
#include "lib/perf/probe.h"
#include "lib/perf/sys.h"
#include "lib/perf/why.h"
#include "libperfctr.h"
#include "perfctr/read.h"

/* Whether the core's PMU counts the event, as opposed to the kernel or an uncore PMU. */
static bool is_core_event(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	       attr->type == PERF_TYPE_RAW;
}

/* The value of a "Name:\tvalue" line of /proc/self/status in the given base; 0 if it is not there.
 */
static unsigned long long status_field(const char *name, int base)
{
	char text[8192], *line;

	if (perfctr_file_read("/proc/self/status", text, sizeof(text)) < 0)
		return 0;
	line = strstr(text, name);
	return line ? strtoull(line + strlen(name), NULL, base) : 0;
}

#define INITIAL_USER_NAMESPACE 0xEFFFFFFDu /* PROC_USER_INIT_INO */
#define ALL_USERS	       4294967295u

/*
 * Whether the process is in a user namespace of its own, as in a container without root. The
 * initial namespace has a link with a fixed inode; an older kernel, or a test's root, has only the
 * map.
 */
static bool is_in_namespace(void)
{
	char map[256];
	unsigned int inside, outside, n;
	struct stat status;

	if (!secure_getenv("PERFCTR_ROOT") && stat("/proc/self/ns/user", &status) == 0)
		return status.st_ino != INITIAL_USER_NAMESPACE;
	return perfctr_file_read("/proc/self/uid_map", map, sizeof(map)) >= 0 &&
	       (sscanf(map, "%u %u %u", &inside, &outside, &n) != 3 || inside || outside ||
		n != ALL_USERS);
}

/* Whether it has CAP_PERFMON or CAP_SYS_ADMIN. */
static bool has_capability(void)
{
	return status_field("\nCapEff:", 16) & (1ull << 38 | 1ull << 21);
}

/* The kernel asks for a capability of the whole machine, not of a namespace. */
bool perfctr_is_capable(void)
{
	return has_capability() && !is_in_namespace();
}

/* A clause for a process that lacks a capability, but seems to have it. */
static const char *of_namespace(void)
{
	return has_capability() && is_in_namespace()
		       ? " outside of this user namespace, whose own capabilities don't count"
		       : "";
}

/*
 * Whether Intel's AnyThread is set, which counts the core's other threads, too: to the kernel that
 * is counting a whole processor (intel_pmu_hw_config() of arch/x86/events/intel/core.c), in each
 * mode.
 */
#define X86_ANY (1u << 21)

static bool counts_any_thread(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_RAW && attr->config & X86_ANY &&
	       perfctr_this_cpu()->rules == PERFCTR_RULES_ARCH;
}

/* Returns the event itself, without fields of samples. */
static struct perf_event_attr plain(const struct perf_event_attr *attr, uint64_t period)
{
	return (struct perf_event_attr){
		.type = attr->type,
		.size = sizeof(*attr),
		.config = attr->config,
		.config1 = attr->config1,
		.config2 = attr->config2,
		.disabled = 1,
		.sample_period = period,
		.exclude_user = attr->exclude_user,
		.exclude_kernel = attr->exclude_kernel,
		.exclude_hv = attr->exclude_hv,
		.exclude_idle = attr->exclude_idle,
		.exclude_host = attr->exclude_host,
		.exclude_guest = attr->exclude_guest,
	};
}

/* Whether the kernel would count such an event; or with a period, sample it. */
static bool is_possible(const struct perf_event_attr *attr, uint64_t period)
{
	struct perf_event_attr event = plain(attr, period);
	int fd = perfctr_guests_probe(&event, 0, -1);

	/* Uncore PMUs count processors, not threads. */
	if (fd < 0 && errno == EINVAL)
		fd = perfctr_guests_probe(&event, -1, 0);
	if (fd >= 0)
		perfctr_call_close(fd);
	return fd >= 0;
}

/* Whether the error means that the event does not exist, for any user. */
static bool is_absence(int error)
{
	return error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == ENXIO;
}

/* Whether only the guests can't be counted. */
static bool is_for_the_host(const struct perf_event_attr *attr)
{
	struct perf_event_attr host = *attr;

	perfctr_attr_set_guests(&host, false, true);
	return attr->exclude_host && is_possible(&host, 0);
}

#ifdef __riscv

/* The kernel does not report this; see counter.c. */
static const char *why_modes_are_ignored(const struct perf_event_attr *attr)
{
	static const char file[] = "/proc/sys/kernel/perf_user_access";
	long access;

	return attr->type == PERF_TYPE_HARDWARE && attr->exclude_user | attr->exclude_kernel &&
			       perfctr_file_number(file, &access) == 0 && access == 2
		       ? "/proc/sys/kernel/perf_user_access is 2, where cycles and instructions are "
			 "counted in all modes, whatever is asked for; set it to 1 (sysctl "
			 "kernel.perf_user_access=1), or count all modes (no :u or :k)"
		       : NULL;
}

static const char *why_no_modes(const struct perf_event_attr *attr)
{
	return is_core_event(attr) && !perfctr_this_cpu()->pcint
		       ? "this processor has no Sscofpmf, without which counters can't tell user "
			 "mode from the kernel; count all modes (no :u or :k), which needs "
			 "CAP_PERFMON, or sysctl kernel.perf_event_paranoid=1"
		       : NULL;
}

#else

static const char *why_modes_are_ignored(const struct perf_event_attr *attr)
{
	(void)attr;
	return NULL;
}

static const char *why_no_modes(const struct perf_event_attr *attr)
{
	(void)attr;
	return NULL;
}

#endif

static int why_not_supported(const struct perf_event_attr *attr, const char *name)
{
	const char *ignored = why_modes_are_ignored(attr);
	const char *no_pmu = is_core_event(attr) ? perfctr_no_pmu() : NULL;

	if (ignored)
		return perfctr_fail_event(EOPNOTSUPP, name, "%s", ignored);
	if (no_pmu)
		return perfctr_fail_event(EOPNOTSUPP, name, "%s", no_pmu);
	if (is_for_the_host(attr))
		return perfctr_fail_event(
			EOPNOTSUPP, name,
			"its PMU does not count in guests, or KVM's guests have it to themselves "
			"while they run (mediated vPMU); count the host only (:H)");
	if (attr->sample_period && !attr->freq)
		return perfctr_fail(EOPNOTSUPP,
				    "%s can't overflow: its PMU does not interrupt, or has "
				    "no such event; count it in a-mode",
				    name);
	if (attr->type == PERF_TYPE_RAW || attr->type == PERF_TYPE_HARDWARE)
		return perfctr_fail_event(
			EOPNOTSUPP, name,
			"this processor has no such event, "
			"or its kernel driver does not know it; choose another with "
			"\"perfex -l\"");
	return perfctr_fail_event(EOPNOTSUPP, name,
				  "neither this processor nor this kernel "
				  "has it; choose another with \"perfex -l\"");
}

/*
 * Asks the kernel about the event in user mode, which may be allowed when others are not: 0 if it
 * counts, EINVAL if the error is not about the mode, or the PMU can't tell modes apart.
 */
static int user_mode_error(const struct perf_event_attr *attr)
{
	struct perf_event_attr user = plain(attr, 0);
	int fd;

	if (attr->exclude_user || perfctr_attr_is_kernels(attr))
		return EINVAL;
	user.exclude_kernel = user.exclude_hv = 1;
	fd = perfctr_guests_probe(&user, 0, -1);
	if (fd >= 0)
		perfctr_call_close(fd);
	return fd >= 0 ? 0 : errno;
}

static bool has_filter(void)
{
	return status_field("\nSeccomp:", 10) == 2;
}

static int why_no_permission(int error, const struct perf_event_attr *attr, const char *name,
			     pid_t tid)
{
	static const char file[] = "/proc/sys/kernel/perf_event_paranoid";
	bool everybody = tid == -1, any = counts_any_thread(attr);
	bool kernel = !attr->exclude_kernel;
	int allowed = attr->type == PERF_TYPE_TRACEPOINT && everybody ? -1
		      : everybody || any			      ? 0
		      : kernel					      ? 1
								      : 2;
	const char *what = everybody ? "a whole processor's events"
			   : any     ? "other threads of the core (AnyThread)"
			   : kernel  ? "kernel mode"
				     : "anything";
	long level;

	if (!perfctr_is_capable() && perfctr_file_number(file, &level) == 0 && level > allowed) {
		int no_user = level <= 2 && allowed == 1 ? user_mode_error(attr) : EACCES;

		if (is_absence(no_user))
			return why_not_supported(attr, name);
		/* User mode fails with EPERM at these levels only where a filter says so. */
		if (no_user != EPERM || !has_filter())
			return perfctr_fail_event(
				error, name,
				"%s is %ld, which forbids counting %s; "
				"%slower it to %d (sysctl kernel.perf_event_paranoid=%d) or grant "
				"CAP_PERFMON%s",
				file, level, what, no_user ? "" : "count user mode only (:u), or ",
				allowed, allowed, of_namespace());
	}
	if (has_filter())
		return perfctr_fail_event(
			error, name,
			"a seccomp filter forbids "
			"perf_event_open(2), as containers' default profiles do; allow that "
			"call in the profile");
	if (tid > 0)
		return perfctr_fail_event(
			error, name,
			"no permission to look into thread %d, "
			"which is another user's or not to be traced; run as its user or grant "
			"CAP_PERFMON%s",
			(int)tid, of_namespace());
	return perfctr_fail_event(error, name,
				  "the kernel refuses it (%s); a security module "
				  "may forbid perf_event_open(2), see the kernel's log",
				  strerror(error));
}

/* A clause about the NMI watchdog if it holds a counter, else "". */
static const char *watchdog(void)
{
	return perfctr_watchdog() == PERFCTR_WATCHDOG_COUNTS
		       ? "; the NMI watchdog holds a counter: sysctl kernel.nmi_watchdog=0 frees it"
		       : "";
}

static const char *driver(void)
{
	return access("/dev/perfctr", F_OK) == 0
		       ? ", perhaps the perfctr driver for threads that count "
			 "through it"
		       : "";
}

/* A period that is long enough for every PMU. */
#define LONG_PERIOD (1u << 20)

/* Fails if the period is too short for the PMU: 0, or -1 after perfctr_fail(). */
static int check_period(const struct perf_event_attr *attr, const char *name)
{
	unsigned int enough = 2;

	if (!attr->sample_period || attr->freq || is_possible(attr, attr->sample_period))
		return 0;
	while (enough <= LONG_PERIOD &&
	       (enough <= attr->sample_period || !is_possible(attr, enough)))
		enough *= 2;
	if (enough > LONG_PERIOD)
		return 0;
	return perfctr_fail(EINVAL,
			    "%s can't overflow after every %llu: its PMU needs a longer "
			    "period; %u is enough",
			    name, (unsigned long long)attr->sample_period, enough);
}

static int why_invalid(const struct perf_event_attr *attr, const char *name, unsigned int members)
{
	if (attr->inherit_thread && !perfctr_can_inherit_thread())
		return perfctr_fail_event(
			EOPNOTSUPP, name,
			"this kernel can't tell a "
			"process's new threads from its child processes, as Linux 5.13 "
			"and later can; count children, too (PERFCTR_INHERIT)");
	if (check_period(attr, name) < 0)
		return -1;
	if (members > 0)
		return perfctr_fail(
			EINVAL,
			"%s does not fit on the PMU together with the %u %s before "
			"it: the PMU has too few counters for all of them, or they need the "
			"same one; count fewer events at a time",
			name, members, members == 1 ? "event" : "events");
	if (attr->exclude_user | attr->exclude_kernel && why_no_modes(attr))
		return perfctr_fail_event(EINVAL, name, "%s", why_no_modes(attr));
	if (attr->exclude_user | attr->exclude_kernel | attr->exclude_hv | attr->exclude_idle |
	    attr->exclude_host | attr->exclude_guest)
		return perfctr_fail_event(EINVAL, name,
					  "its PMU does not know the code, or "
					  "can't tell modes apart; try it without modifiers");
	return perfctr_fail_event(EINVAL, name,
				  "the kernel's driver does not accept this "
				  "event code");
}

int perfctr_why_not(int error, const struct perf_event_attr *attr, const char *name, pid_t tid,
		    unsigned int members)
{
	if (is_absence(error))
		return why_not_supported(attr, name);
	switch (error) {
	case EACCES:
	case EPERM: return why_no_permission(error, attr, name, tid);
	case EINVAL: return why_invalid(attr, name, members);
	case ENOSYS:
		return perfctr_fail_event(
			error, name,
			"this kernel has no "
			"perf_event_open(2), or a seccomp filter hides it; use a kernel with "
			"CONFIG_PERF_EVENTS, or allow the call in the container's profile");
	case EBUSY:
		return perfctr_fail_event(error, name,
					  "somebody else has the PMU to themselves%s%s", driver(),
					  watchdog());
	case EMFILE:
	case ENFILE:
		return perfctr_fail_event(error, name,
					  "no file descriptors are left in this %s; "
					  "raise the limit (%s) or count fewer events",
					  error == EMFILE ? "process" : "system",
					  error == EMFILE ? "ulimit -n" : "sysctl fs.file-max");
	case ESRCH: return perfctr_fail_event(error, name, "there is no thread %d", (int)tid);
	}
	return perfctr_fail_event(error, name, "%s", strerror(error));
}

/* Returns the number in a file of /proc/sys/kernel; 0 if it is not there. */
static long kernel_number(const char *name)
{
	char path[128];
	long number;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	return perfctr_file_number(path, &number) == 0 ? number : 0;
}

/*
 * Fails for an event that can be counted: it can't be sampled at all, or not with the fields asked
 * for.
 */
static int fail_sampling(int error, const struct perf_event_attr *attr, const char *name)
{
	if (check_period(attr, name) < 0)
		return -1;
	if (!is_possible(attr, LONG_PERIOD))
		return perfctr_fail(EOPNOTSUPP,
				    "%s can be counted but not sampled: its PMU has no overflow "
				    "interrupt; choose another event",
				    name);
	return perfctr_fail(error,
			    "%s can't be sampled in this way: this kernel, or the event, lacks "
			    "one of the requested fields and records; request fewer",
			    name);
}

/* Whether this kernel can write call chains later. */
static bool can_defer(void)
{
	struct perf_event_attr plain = perfctr_attr_user(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int fd;

	perfctr_attr_defer(&plain);
	fd = perfctr_event_open(&plain, 0, -1, -1);
	if (fd >= 0)
		perfctr_call_close(fd);
	return fd >= 0 || errno != EINVAL;
}

/* Explains EINVAL for an event that counts, or might. */
static int why_invalid_sampled(const struct perf_event_attr *attr, const char *name, pid_t tid,
			       unsigned int members)
{
	static const char rate[] = "perf_event_max_sample_rate";
	long highest = kernel_number(rate);

	if (attr->freq && highest > 0 && attr->sample_freq > (uint64_t)highest)
		return perfctr_fail(EINVAL,
				    "%s can't be sampled %llu times a second: the limit is %ld; "
				    "request less, or raise it (sysctl kernel.%s)",
				    name, (unsigned long long)attr->sample_freq, highest, rate);
	if (attr->inherit && attr->sample_type & PERF_SAMPLE_READ)
		return perfctr_fail(
			EINVAL,
			"%s can't be sampled: samples of inherited events, as those of a process "
			"are, have counts since Linux 6.12, and with PERF_SAMPLE_TID only; add it, "
			"leave out PERF_SAMPLE_READ, or sample a thread without PERFCTR_INHERIT",
			name);
	if (perfctr_attr_is_deferred(attr) && !can_defer())
		return perfctr_fail(
			EOPNOTSUPP,
			"%s can't be sampled with PERFCTR_SAMPLER_DEFER_USER_CHAIN: this "
			"kernel is too old to write call chains later; leave it out",
			name);
	if (attr->sample_period && is_possible(attr, 0))
		return fail_sampling(EINVAL, attr, name);
	return perfctr_why_not(EINVAL, attr, name, tid, members);
}

int perfctr_why_not_sampled(int error, const struct perf_event_attr *attr, const char *name,
			    pid_t tid, unsigned int members)
{
	switch (error) {
	case EINVAL: return why_invalid_sampled(attr, name, tid, members);
	case E2BIG:
		return perfctr_fail(EOPNOTSUPP,
				    "%s can't be sampled in this way: this kernel is too old for "
				    "one of the requested fields and records",
				    name);
	case EOVERFLOW:
		return perfctr_fail(
			error,
			"%s can't be sampled with call chains of %u entries: the limit is %ld; "
			"request less, or raise it (sysctl kernel.perf_event_max_stack)",
			name, attr->sample_max_stack, kernel_number("perf_event_max_stack"));
	case EOPNOTSUPP:
	case ENOENT:
		/* If the event can't be counted either, the error is about the event. */
		if (!is_possible(attr, 0))
			break;
		if (attr->precise_ip)
			return perfctr_fail(EOPNOTSUPP,
					    "%s can't be sampled with precise level %u on this "
					    "processor; lower it",
					    name, attr->precise_ip);
		if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
			return perfctr_fail(EOPNOTSUPP,
					    "%s can't be sampled with PERF_SAMPLE_BRANCH_STACK: "
					    "this processor has no such record of branches, or not "
					    "for it",
					    name);
		return fail_sampling(EOPNOTSUPP, attr, name);
	case EACCES:
	case EPERM:
		if (!perfctr_is_capable() && attr->sample_type & PERF_SAMPLE_PHYS_ADDR)
			return perfctr_fail(error,
					    "%s can't be sampled with PERF_SAMPLE_PHYS_ADDR, which "
					    "needs CAP_PERFMON%s; leave it out",
					    name, of_namespace());
		if (!perfctr_is_capable() && attr->namespaces)
			return perfctr_fail(error,
					    "%s can't be sampled with PERFCTR_SAMPLER_NAMESPACES, "
					    "which needs CAP_PERFMON%s; leave it out",
					    name, of_namespace());
	}
	return perfctr_why_not(error, attr, name, tid, members);
}

int perfctr_why_no_ring(int error, size_t size)
{
	struct rlimit limit;

	if (error == EPERM && getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
		return perfctr_fail(
			error,
			"no buffer of %zu KiB can be mapped: beyond %ld KiB per processor and "
			"user (sysctl kernel.perf_event_mlock_kb) buffers are locked memory, of "
			"which there may be %llu KiB (ulimit -l); use smaller or fewer buffers, "
			"raise one of the limits, or grant CAP_IPC_LOCK%s",
			size / 1024, kernel_number("perf_event_mlock_kb"),
			(unsigned long long)limit.rlim_cur / 1024, of_namespace());
	return perfctr_fail(error, "no buffer of %zu KiB can be mapped: %s", size / 1024,
			    strerror(error));
}

/* Older kernels return this in place of EOPNOTSUPP; no C library knows it. */
#define ENOTSUPP_KERNEL 524

int perfctr_why_no_area(int error, const char *name, size_t size)
{
	switch (error) {
	case EOPNOTSUPP:
	case ENOTSUPP_KERNEL:
		return perfctr_fail(EOPNOTSUPP,
				    "%s has no AUX area: only PMUs that write data of their own, "
				    "as intel_pt and arm_spe_0 do, have one; leave aux_pages 0",
				    name);
	case EPERM: return perfctr_why_no_ring(error, size);
	}
	return perfctr_fail(error,
			    "%s can't have an AUX area of %zu KiB: %s; its PMU may need more than "
			    "one page, or all of it in one piece of memory: try other aux_pages",
			    name, size / 1024, strerror(error));
}

int perfctr_why_taken(const char *what)
{
	return perfctr_fail(EBUSY,
			    "%s can't all be on the PMU: somebody else has taken a counter; count "
			    "fewer events, or stop the other user%s",
			    what, watchdog());
}

int perfctr_why_no_room(const char *name, unsigned int before)
{
	return perfctr_fail(EBUSY,
			    "%s does not fit on the PMU together with the %u %s before it: too few "
			    "counters are free for all of them, or they need the same one, such as "
			    "the only one for slots; count fewer events at a time, or stop the "
			    "PMU's other users%s",
			    name, before, before == 1 ? "event" : "events", watchdog());
}

int perfctr_why_no_reader(void)
{
#if defined(__i386__) || defined(__x86_64__)
	static const char *const files[] = {
		PERFCTR_DEVICES "/cpu/rdpmc",
		PERFCTR_DEVICES "/cpu_core/rdpmc",
	};
#else
	static const char *const files[] = { "/proc/sys/kernel/perf_user_access" };
#endif
	unsigned int i;
	long on;

	if (!perfctr_is_readable())
		return perfctr_fail(EOPNOTSUPP,
				    "this processor's counters can't be read in user space; "
				    "reads go through the kernel");
	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (perfctr_file_number(files[i], &on) == 0 && on == 0)
			return perfctr_fail(EOPNOTSUPP,
					    "%s is 0, which forbids reading counters in "
					    "user space; reads go through the kernel; echo 1 > %s "
					    "allows it",
					    files[i], files[i]);
	if (perfctr_may_change_kind())
		return perfctr_fail(
			EOPNOTSUPP,
			"on a hybrid machine only a thread that is bound to one core type can "
			"read a counter of that type in user space; reads go through the kernel; "
			"bind it with sched_setaffinity(2) or taskset(1) before it is opened, or "
			"count an event that all types have with a perfctr_set");
	return perfctr_fail(
		EOPNOTSUPP,
		"the kernel gives no user-space access to this counter (only hardware events of "
		"the calling thread have it, and neither top-down metrics nor the slots in front "
		"of them); reads go through the kernel");
}
