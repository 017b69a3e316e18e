// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each error of perf_event_open(2) becomes an errno and a sentence with the cause and the remedy.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "arch/cpu.h"
#include "lib/isa/native.h"
#include "lib/perf/check.h"
#include "lib/perf/probe.h"
#include "lib/perf/sys.h"
#include "lib/perf/why.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#endif
#include "tests/harness/root.h"
#include "tests/harness/pmu.h"
#include "tests/harness/check.h"

static const struct perf_event_attr hardware = { .type = PERF_TYPE_HARDWARE };
static const struct perf_event_attr user = { .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1 };
static const struct perf_event_attr sampled = {
	.type = 12,
	.exclude_kernel = 1,
	.sample_period = 3,
};
static const struct perf_event_attr software = { .type = PERF_TYPE_SOFTWARE, .exclude_kernel = 1 };
static const struct perf_event_attr uncore = { .type = 12, .exclude_kernel = 1 };

/* /proc and /sys of a machine in tests/data/roots. */
static void use_root(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/roots/%s", srcdir ? srcdir : ".", name);
	setenv("PERFCTR_ROOT", path, 1);
}

/* What any user may open, and that counts nothing. */
static void asks_for_little(void)
{
	ck_assert(pmu_asked.exclude_kernel && pmu_asked.exclude_hv && pmu_asked.disabled);
}

/* Whether the driver is loaded. */
static bool have_driver;

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);

int __wrap_access(const char *path, int mode)
{
	if (strcmp(path, "/dev/perfctr"))
		return __real_access(path, mode);
	errno = ENOENT;
	return have_driver ? 0 : -1;
}

#define why(error, attr, tid, members, words) \
	ck_fails(perfctr_why_not(error, attr, "cycles", tid, members), error, words)

START_TEST(paranoid_levels)
{
	pmu_begin();
	use_root("paranoid2");
	why(EACCES, &hardware, 0, 0,
	    "perf_event_paranoid is 2, which forbids counting kernel mode; "
	    "count user mode only (:u), or lower it to 1");
	why(EACCES, &user, -1, 0, "a whole processor's events; lower it to 0");
	/* Level 2 allows this: it must be something else. */
	why(EACCES, &user, 0, 0, "a security module");
	why(EPERM, &user, 1234, 0, "thread 1234");
	use_root("paranoid4");
	why(EACCES, &user, 0, 0,
	    "perf_event_paranoid is 4, which forbids counting anything; lower it "
	    "to 2 (sysctl kernel.perf_event_paranoid=2)");
	why(EACCES, &software, 1234, 0, "is 4");
	/* With CAP_PERFMON the level is no obstacle. */
	use_root("capable");
	why(EACCES, &hardware, 0, 0, "a security module");
	use_root("nothing");
	why(EACCES, &hardware, 0, 0, "a security module");
}
END_TEST

static int refusal; /* of each perf_event_open(2) */

static void refuse_it(void)
{
	pmu_fail(PMU_OPEN, 1, refusal);
}

/* User mode is a way out where it can be counted; what is not there can't be counted by anybody. */
START_TEST(no_user_mode)
{
	static const int absent[] = { ENOENT, EOPNOTSUPP, ENODEV, ENXIO };
	static const struct perf_event_attr kernels[] = {
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_MIGRATIONS },
		{ .type = PERF_TYPE_SOFTWARE, .config = 11 },
		{ .type = PERF_TYPE_HARDWARE, .exclude_user = 1 },
	};
	static const struct perf_event_attr faults = { .type = PERF_TYPE_SOFTWARE,
						       .config = PERF_COUNT_SW_PAGE_FAULTS };
	unsigned int i;

	pmu_begin();
	use_root("paranoid2");
	pmu_at(PMU_OPEN, 0, asks_for_little);
	why(EACCES, &faults, 0, 0, "kernel mode; count user mode only (:u), or lower");
	for (i = 0; i < ARRAY_SIZE(kernels); i++)
		why(EACCES, &kernels[i], 0, 0, "kernel mode; lower");
	pmu_at(PMU_OPEN, 0, refuse_it);
	refusal = EINVAL;
	why(EACCES, &hardware, 0, 0, "kernel mode; lower");
	refusal = EACCES;
	why(EACCES, &hardware, 0, 0, "kernel mode; lower");
	for (i = 0; i < ARRAY_SIZE(absent); i++) {
		refusal = absent[i];
		ck_fails(perfctr_why_not(EACCES, &hardware, "cycles", 0, 0), EOPNOTSUPP, "");
		ck_assert_ptr_null(strstr(perfctr_error(), "paranoid"));
	}
	ck_assert_uint_eq(pmu_events(), 0);
	pmu_end();
}
END_TEST

/* Each level forbids what is above it, and one below does not; but not to the capable. */
START_TEST(each_paranoid_level)
{
	static const struct {
		struct perf_event_attr attr;
		pid_t tid;
		int allowed;
		const char *what, *else_;
	} all[] = {
		{ { .type = PERF_TYPE_TRACEPOINT },
		  -1,
		  -1,
		  "a whole processor's events; lower",
		  "" },
		{ { .type = PERF_TYPE_HARDWARE }, -1, 0, "a whole processor's events; lower", "" },
		{ { .type = PERF_TYPE_TRACEPOINT },
		  0,
		  1,
		  "kernel mode; ",
		  "count user mode only (:u), or lower" },
		{ { .type = PERF_TYPE_HARDWARE },
		  0,
		  1,
		  "kernel mode; ",
		  "count user mode only (:u), or lower" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1 },
		  0,
		  2,
		  "anything; lower",
		  "" },
#if defined(__i386__) || defined(__x86_64__)
		/* Intel's AnyThread, in whatever mode; perf_events' own codes have no such bit. */
		{ { .type = PERF_TYPE_RAW, .config = 0x20003C },
		  0,
		  0,
		  "other threads of the core (AnyThread); lower",
		  "" },
		{ { .type = PERF_TYPE_RAW, .config = 0x20003C, .exclude_kernel = 1 },
		  1234,
		  0,
		  "other threads of the core (AnyThread); lower",
		  "" },
		{ { .type = PERF_TYPE_RAW, .config = 0x20003C },
		  -1,
		  0,
		  "a whole processor's events; lower",
		  "" },
#endif
		{ { .type = PERF_TYPE_RAW, .config = 0x10003C, .exclude_kernel = 1 },
		  0,
		  2,
		  "anything; lower",
		  "" },
		{ { .type = 12, .config = 0x20003C, .exclude_kernel = 1 },
		  0,
		  2,
		  "anything; lower",
		  "" },
	};
	char level[16], words[128];
	unsigned int i;

	pmu_begin();
	root_make();
	root_line("/proc/self/status", "Name:\tx\\nCapEff:\t0000002000400000\\nSeccomp:\t1");
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		snprintf(level, sizeof(level), "%d", all[i].allowed);
		root_line("/proc/sys/kernel/perf_event_paranoid", level);
		ck_fails(perfctr_why_not(EACCES, &all[i].attr, "x", all[i].tid, 0), EACCES,
			 all[i].tid > 0
				 ? "no permission to look into thread 1234"
				 : "the kernel refuses it (Permission denied); a security module");
		snprintf(level, sizeof(level), "%d", all[i].allowed + 1);
		root_line("/proc/sys/kernel/perf_event_paranoid", level);
		snprintf(words, sizeof(words),
			 "perf_event_paranoid is %s, which forbids counting %s%s", level,
			 all[i].what, all[i].else_);
		ck_fails(perfctr_why_not(EACCES, &all[i].attr, "x", all[i].tid, 0), EACCES, words);
		snprintf(words, sizeof(words),
			 "lower it to %d (sysctl kernel.perf_event_paranoid=%d)", all[i].allowed,
			 all[i].allowed);
		ck_assert_ptr_nonnull(strstr(perfctr_error(), words));
	}
	/* At 3 user mode is no way out, either. */
	root_line("/proc/sys/kernel/perf_event_paranoid", "3");
	why(EACCES, &hardware, 0, 0, "forbids counting kernel mode; lower it to 1");
	/* CAP_PERFMON, or CAP_SYS_ADMIN. */
	root_line("/proc/self/status", "Name:\tx\\nCapEff:\t0000004000000000");
	why(EACCES, &hardware, 0, 0, "a security module");
	root_line("/proc/self/status", "Name:\tx\\nCapEff:\t0000000000200000");
	why(EACCES, &hardware, 0, 0, "a security module");
	/* No status, no capability. */
	root_remove();
	root_make();
	root_line("/proc/sys/kernel/perf_event_paranoid", "3");
	why(EACCES, &hardware, 0, 0, "forbids counting kernel mode");
	root_remove();
}
END_TEST

/* Whether there is a PMU, and who hides it; who asks finds errno as it was. */
START_TEST(no_pmu)
{
	static const int absent[] = { ENOENT, EOPNOTSUPP, ENODEV, ENXIO },
			 else_[] = { EACCES, EBUSY, EINVAL, EMFILE };
	bool hypervisor = false;
	unsigned int i;
#if defined(__i386__) || defined(__x86_64__)
	unsigned int eax, ebx, ecx, edx;

	hypervisor = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx >> 31;
#endif
	pmu_begin();
	pmu_at(PMU_OPEN, 0, asks_for_little);
	for (i = 0; i < ARRAY_SIZE(absent); i++) {
		/* EOPNOTSUPP may be about guests: it is one that has no answer to either. */
		pmu.blind = pmu.lent = absent[i] == EOPNOTSUPP;
		pmu_fail(PMU_OPEN, 1, absent[i]);
		errno = 77;
		ck_assert_ptr_nonnull(perfctr_no_pmu());
		ck_assert_int_eq(errno, 77);
		pmu_fail(PMU_OPEN, 1, absent[i]);
		ck_assert_ptr_nonnull(
			strstr(perfctr_no_pmu(),
			       hypervisor ? "-cpu host,pmu=on" : "the kernel found no PMU"));
		pmu_fail(PMU_OPEN, 1, absent[i]);
		why(EOPNOTSUPP, &user, 0, 0, hypervisor ? "-cpu host,pmu=on" : "found no PMU");
	}
	pmu.blind = pmu.lent = false;
	root_make();
	root_line("cpu/type", "4");
	for (i = 0; i < ARRAY_SIZE(else_); i++) {
		pmu_fail(PMU_OPEN, 1, else_[i]);
		errno = 77;
		ck_assert_ptr_null(perfctr_no_pmu());
		ck_assert_int_eq(errno, 77);
	}
	root_remove();
	unsetenv("PERFCTR_ROOT");
	ck_assert_ptr_null(perfctr_no_pmu());
	ck_assert_uint_eq(pmu_events(), 0);
	/* There is one; it is the event. An uncore PMU's doesn't ask for it. */
	why(EOPNOTSUPP, &user, 0, 0, "no such event, or its kernel driver does not know it");
	i = pmu_calls(PMU_OPEN);
	why(EOPNOTSUPP, &uncore, 0, 0, "neither this processor nor this kernel");
	why(EOPNOTSUPP, &software, 0, 0, "neither this processor nor this kernel");
	ck_assert_uint_eq(pmu_calls(PMU_OPEN), i);
	pmu_end();
}
END_TEST

/* Where no event may be opened, sysfs tells; or nobody knows, and then there is none to be shown.
 */
START_TEST(forbidden)
{
	static const int errors[] = { EACCES, EPERM, ENOSYS, EMFILE, ENFILE, ENOMEM };
	static const struct {
		const char *file;
		enum perfctr_pmu_state state;
		const char *why;
	} roots[] = {
		{ "cpu/type", PERFCTR_PMU_THERE, NULL },
		{ "armv8_cortex_a53/cpus", PERFCTR_PMU_THERE, NULL },
		{ "software/type", PERFCTR_PMU_NONE, "PMU" },
		{ "breakpoint/type", PERFCTR_PMU_UNKNOWN, "may not open events" },
		{ "/proc/version", PERFCTR_PMU_UNKNOWN, "or mount /sys" },
	};
	const char *why;
	unsigned int i, k;

	pmu_begin();
	for (k = 0; k < ARRAY_SIZE(roots); k++) {
		root_make();
		root_line(roots[k].file, "4");
		for (i = 0; i < ARRAY_SIZE(errors); i++) {
			pmu_fail(PMU_OPEN, 1, errors[i]);
			errno = 77;
			ck_assert_uint_eq(perfctr_pmu_look(&why), roots[k].state);
			ck_assert_int_eq(errno, 77);
			ck_assert(roots[k].why ? strstr(why, roots[k].why) != NULL : why == NULL);
			pmu_fail(PMU_OPEN, 1, errors[i]);
			ck_assert((perfctr_no_pmu() != NULL) ==
				  (roots[k].state == PERFCTR_PMU_NONE));
			pmu_fail(PMU_OPEN, 1, errors[i]);
			ck_assert_uint_eq(perfctr_usable_type(), roots[k].state == PERFCTR_PMU_THERE
									 ? perfctr_this_cpu()->type
									 : PERFCTR_TYPE_GENERIC);
		}
		root_remove();
	}
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

/* Who names guests is told that it is they; who doesn't is never refused for them. */
START_TEST(guests)
{
	static const struct perf_event_attr guest = { .type = PERF_TYPE_HARDWARE,
						      .exclude_host = 1 },
					    both = { .type = PERF_TYPE_RAW,
						     .exclude_host = 1,
						     .exclude_guest = 1 },
					    host = { .type = PERF_TYPE_RAW, .exclude_guest = 1 };
	static const char words[] =
		"cycles can't be counted: its PMU does not count in guests, or KVM's guests have "
		"it to themselves while they run (mediated vPMU); count the host only (:H)";

	pmu_begin();
	pmu.lent = true;
	ck_assert_ptr_null(perfctr_no_pmu());
	why(EOPNOTSUPP, &guest, 0, 0, words);
	why(EOPNOTSUPP, &both, 0, 0, words);
	why(EOPNOTSUPP, &host, 0, 0, "no such event, or its kernel driver does not know it");
	why(EOPNOTSUPP, &user, 0, 0, "no such event, or its kernel driver does not know it");
	ck_fails(perfctr_why_not_sampled(EOPNOTSUPP, &guest, "cycles", 0, 0), EOPNOTSUPP, words);
	/* It isn't they. */
	pmu.lent = false;
	pmu.blind = true;
	ck_assert_ptr_null(perfctr_no_pmu());
	why(EOPNOTSUPP, &guest, 0, 0, "no such event, or its kernel driver does not know it");
	why(EINVAL, &host, 0, 0, "can't tell modes apart; try it without modifiers");
	ck_assert_uint_eq(pmu_events(), 0);
	pmu_end();
}
END_TEST

/* A capability of a user namespace is none of the machine's. */
START_TEST(capabilities_of_a_namespace)
{
	static const char words[] = "grant CAP_PERFMON outside of this user namespace, whose own "
				    "capabilities don't count";
	static const char *const maps[] = { "         0       1000          1", "0 0 4294967294",
					    "1 0 4294967295", "0 1 4294967295", "?" };
	static const struct perf_event_attr physical = { .type = PERF_TYPE_SOFTWARE,
							 .sample_type = PERF_SAMPLE_PHYS_ADDR };
	unsigned int i;

	pmu_begin();
	root_make();
	root_line("/proc/sys/kernel/perf_event_paranoid", "2");
	root_line("/proc/self/status", "Name:\tx\\nCapEff:\t000001ffffffffff");
	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		root_line("/proc/self/uid_map", maps[i]);
		pmu_at(PMU_OPEN, 0, asks_for_little);
		why(EACCES, &hardware, 0, 0, words);
		ck_assert_ptr_nonnull(strstr(perfctr_error(), "forbids counting kernel mode"));
		why(EACCES, &user, -1, 0, words);
		why(EACCES, &hardware, 1234, 0, "forbids counting kernel mode");
		why(EPERM, &user, 1234, 0, words);
		ck_fails(perfctr_why_not_sampled(EACCES, &physical, "cycles", 0, 0), EACCES,
			 "needs CAP_PERFMON outside of this user namespace");
		ck_fails(perfctr_why_no_ring(EPERM, 8192), EPERM,
			 "CAP_IPC_LOCK outside of this user namespace");
	}
	/* The machine's. */
	root_line("/proc/self/uid_map", "         0          0 4294967295");
	why(EACCES, &hardware, 0, 0, "a security module");
	why(EPERM, &user, 1234, 0, "run as its user or grant CAP_PERFMON");
	ck_assert_ptr_null(strstr(perfctr_error(), "namespace"));
	/* A namespace's user who has none is told what everybody is. */
	root_line("/proc/self/uid_map", maps[0]);
	root_line("/proc/self/status", "Name:\tx\\nCapEff:\t0000000000000000");
	why(EACCES, &hardware, 0, 0, "or grant CAP_PERFMON");
	ck_assert_ptr_null(strstr(perfctr_error(), "namespace"));
	root_remove();
	unsetenv("PERFCTR_ROOT");
	pmu_end();
}
END_TEST

/* Root of a real one, to whom a kernel of paranoid level 2 gives user mode. */
START_TEST(a_real_namespace)
{
	static const struct perf_event_attr faults = { .type = PERF_TYPE_SOFTWARE,
						       .size = sizeof(faults),
						       .config = PERF_COUNT_SW_PAGE_FAULTS };
	char level[16];
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	int status;

	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(level, sizeof(level), file));
	fclose(file);
	if (fork() == 0) {
		if (unshare(CLONE_NEWUSER) < 0)
			_exit(77);
		_exit(perfctr_why_not(EACCES, &faults, "faults", 0, 0) < 0 &&
		      strstr(perfctr_error(), "outside of this user namespace"));
	}
	wait(&status);
	if (WEXITSTATUS(status) != 77 && level[0] == '2')
		ck_assert_int_eq(WEXITSTATUS(status), 1);
}
END_TEST

START_TEST(filters)
{
	use_root("container");
	why(EPERM, &user, 0, 0, "a seccomp filter forbids perf_event_open(2)");
	why(ENOSYS, &user, 0, 0, "CONFIG_PERF_EVENTS");
	/* The level forbids kernel mode, too, but lowering it would not help. */
	use_root("filtered");
	pmu_begin();
	pmu_fail(PMU_OPEN, 1, EPERM);
	why(EPERM, &hardware, 0, 0, "a seccomp filter forbids perf_event_open(2)");
	why(EACCES, &hardware, 0, 0, "count user mode only (:u), or lower");
	pmu_fail(PMU_OPEN, 1, EACCES);
	why(EACCES, &hardware, 0, 0, "forbids counting kernel mode; lower");
	use_root("paranoid2");
	pmu_fail(PMU_OPEN, 1, EPERM);
	why(EPERM, &hardware, 0, 0, "forbids counting kernel mode; lower");
	pmu_end();
}
END_TEST

START_TEST(what_does_not_fit)
{
	use_root("paranoid2");
	why(EINVAL, &user, 0, 3, "together with the 3 events before it");
	why(EINVAL, &user, 0, 1, "together with the 1 event before it");
	why(EINVAL, &uncore, 0, 0, "without modifiers");
	why(EINVAL, &hardware, 0, 0, "does not accept");
	why(EINVAL, &sampled, 0, 0, "without modifiers");
	why(EINVAL, &sampled, 0, 2, "together with the 2 events before it");
	why(EBUSY, &user, 0, 0, "has the PMU to themselves; the NMI watchdog holds a counter");
	have_driver = true;
	why(EBUSY, &user, 0, 0,
	    "to themselves, perhaps the perfctr driver for threads that count through it; the NMI");
	have_driver = false;
	ck_fails(perfctr_why_taken("the counters"), EBUSY, "kernel.nmi_watchdog=0");
	use_root("nothing");
	ck_fails(perfctr_why_taken("the counters"), EBUSY, "stop the other user");
}
END_TEST

/* Each of the modifiers may be the one that the PMU does not know. */
START_TEST(modes)
{
	static const struct perf_event_attr all[] = {
		{ .type = 12, .exclude_user = 1 }, { .type = 12, .exclude_kernel = 1 },
		{ .type = 12, .exclude_hv = 1 },   { .type = 12, .exclude_idle = 1 },
		{ .type = 12, .exclude_host = 1 }, { .type = 12, .exclude_guest = 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		why(EINVAL, &all[i], 0, 0, "try it without modifiers");
	why(EINVAL, &(struct perf_event_attr){ .type = 12 }, 0, 0,
	    "does not accept this event code");
}
END_TEST

START_TEST(what_is_not_there)
{
	static const int absent[] = { ENOENT, EOPNOTSUPP, ENODEV, ENXIO };
	unsigned int i;

	/* Four names of the same thing, one errno. */
	for (i = 0; i < ARRAY_SIZE(absent); i++)
		ck_fails(perfctr_why_not(absent[i], &software, "x", 0, 0), EOPNOTSUPP, "perfex -l");
	why(EOPNOTSUPP, &sampled, 0, 0, "does not interrupt");
	if (perfctr_no_pmu())
		ck_fails(perfctr_why_not(ENOENT, &user, "cycles", 0, 0), EOPNOTSUPP,
			 perfctr_no_pmu());
	why(ESRCH, &user, 1234, 0, "no thread 1234");
	why(EMFILE, &user, 0, 0, "ulimit -n");
	why(ENFILE, &user, 0, 0, "fs.file-max");
	why(ENOMEM, &user, 0, 0, "memory");
}
END_TEST

/* What sampling asks for beyond counting; the rest is as above. */
START_TEST(what_can_not_be_sampled)
{
	static const struct perf_event_attr
		clock = { .type = PERF_TYPE_SOFTWARE, .exclude_kernel = 1 },
		often = { .type = PERF_TYPE_SOFTWARE, .freq = 1, .sample_freq = 5000000 },
		deep = { .type = PERF_TYPE_SOFTWARE, .sample_max_stack = 999 },
		precise = { .type = PERF_TYPE_SOFTWARE, .exclude_kernel = 1, .precise_ip = 2 },
		branches = { .type = PERF_TYPE_SOFTWARE,
			     .exclude_kernel = 1,
			     .sample_type = PERF_SAMPLE_BRANCH_STACK },
		read = { .type = PERF_TYPE_SOFTWARE,
			 .inherit = 1,
			 .sample_type = PERF_SAMPLE_READ },
		backward = { .type = PERF_TYPE_SOFTWARE,
			     .exclude_kernel = 1,
			     .sample_period = 1,
			     .write_backward = 1 },
		physical = { .type = PERF_TYPE_SOFTWARE, .sample_type = PERF_SAMPLE_PHYS_ADDR },
		namespaces = { .type = PERF_TYPE_SOFTWARE, .namespaces = 1 };
	int fd;

#define why_sampled(given, attr, error, words) \
	ck_fails(perfctr_why_not_sampled(given, attr, "x", 0, 0), error, words)
	use_root("paranoid2");
	why_sampled(
		EINVAL, &read, EINVAL,
		"x can't be sampled: samples of inherited events, as those of a process are, "
		"have counts since Linux 6.12, and with PERF_SAMPLE_TID only; add it, leave out "
		"PERF_SAMPLE_READ, or sample a thread without PERFCTR_INHERIT");
	why_sampled(EINVAL, &clock, EINVAL, "without modifiers");
	/* A limit that is not known is none. */
	perfctr_why_not_sampled(EINVAL, &often, "x", 0, 0);
	ck_assert_ptr_null(strstr(perfctr_error(), "the limit is"));
	why_sampled(E2BIG, &backward, EOPNOTSUPP, "too old");
	why_sampled(EACCES, &physical, EACCES, "PERF_SAMPLE_PHYS_ADDR, which needs CAP_PERFMON");
	why_sampled(EACCES, &namespaces, EACCES, "NAMESPACES, which needs CAP_PERFMON");
	why_sampled(EPERM, &namespaces, EPERM, "NAMESPACES, which needs CAP_PERFMON");
	why_sampled(EACCES, &clock, EACCES, "a security module");
	use_root("capable");
	why_sampled(EACCES, &physical, EACCES, "a security module");
	why_sampled(EACCES, &namespaces, EACCES, "a security module");
	use_root("paranoid2");
	why_sampled(ESRCH, &clock, ESRCH, "no thread");
	unsetenv("PERFCTR_ROOT");
	why_sampled(EOVERFLOW, &deep, EOVERFLOW, "999 entries: the limit is");
	fd = perfctr_event_open(&clock, 0, -1, -1);
	if (fd >= 0) {
		close(fd);
		why_sampled(EINVAL, &often, EINVAL, "5000000 times a second: the limit is");
		/* The event can be counted here, so it is not the event. */
		why_sampled(EOPNOTSUPP, &precise, EOPNOTSUPP, "precise level 2");
		why_sampled(EOPNOTSUPP, &branches, EOPNOTSUPP, "no such record of branches");
		why_sampled(EINVAL, &backward, EINVAL, "request fewer");
		why_sampled(ENOENT, &clock, EOPNOTSUPP, "request fewer");
	}
	ck_fails(perfctr_why_no_ring(EPERM, 1 << 20), EPERM,
		 "no buffer of 1024 KiB can be mapped: beyond");
	ck_fails(perfctr_why_no_ring(ENOMEM, 4096), ENOMEM,
		 "no buffer of 4 KiB can be mapped: Cannot");
	/* Linux 5.0 calls it ENOTSUPP. */
	ck_fails(perfctr_why_no_area(EOPNOTSUPP, "cycles", 4096), EOPNOTSUPP,
		 "cycles has no AUX area");
	ck_fails(perfctr_why_no_area(524, "cycles", 4096), EOPNOTSUPP, "cycles has no AUX area");
	ck_fails(perfctr_why_no_area(EPERM, "intel_pt//", 1 << 20), EPERM,
		 "no buffer of 1024 KiB can be mapped: beyond");
	ck_fails(perfctr_why_no_area(ENOMEM, "intel_pt//", 4096), ENOMEM,
		 "intel_pt// can't have an AUX area of 4 KiB: Cannot");
}
END_TEST

/* The kernel is asked whether the event can be counted at all, or sampled, and left as it was. */
START_TEST(what_the_kernel_can)
{
	struct utsname kernel;
	char config[128];
	static const struct perf_event_attr counts = { .inherit = 1,
						       .sample_type = PERF_SAMPLE_TID |
								      PERF_SAMPLE_READ },
					    inherited = { .inherit = 1,
							  .sample_type = PERF_SAMPLE_TID },
					    read_only = { .sample_type = PERF_SAMPLE_READ },
					    frequency = { .freq = 1, .sample_freq = 1000 },
					    threads = { .inherit = 1, .inherit_thread = 1 };
	static const struct perf_event_attr
		period = { .type = PERF_TYPE_RAW, .config = 0xC0, .sample_period = 3 },
		precise = { .type = PERF_TYPE_RAW, .config = 0xC0, .precise_ip = 2 },
		plain = { .type = PERF_TYPE_RAW, .config = 0xC0 },
		often = { .type = PERF_TYPE_SOFTWARE, .freq = 1, .sample_freq = 1001 },
		seldom = { .type = PERF_TYPE_SOFTWARE, .freq = 1, .sample_freq = 1000 };
	int in;

	root_make();
	root_line("/proc/sys/kernel/perf_event_max_sample_rate", "1000");
	root_line("/proc/sys/kernel/perf_event_max_stack", "127");
	root_line("/proc/sys/kernel/nmi_watchdog", "0");
	pmu_begin();
	ck_assert_ptr_null(perfctr_no_pmu());
	/* It can be sampled, but not with these fields. */
	why_sampled(EINVAL, &period, EINVAL, "x can't be sampled in this way: ");
	/* It can be counted, but not sampled. */
	pmu.least_period = (uint64_t)1 << 30;
	why_sampled(EINVAL, &period, EOPNOTSUPP, "x can be counted but not sampled");
	/* It is the period, also where there are others before it. */
	for (pmu.least_period = 4; pmu.least_period <= 1 << 20; pmu.least_period *= 2) {
		char words[128];

		snprintf(words, sizeof(words),
			 "x can't overflow after every 3: its PMU needs a longer "
			 "period; %u is enough",
			 (unsigned int)pmu.least_period);
		why_sampled(EINVAL, &period, EINVAL, words);
		ck_fails(perfctr_why_not(EINVAL, &period, "x", 0, 2), EINVAL, words);
	}
	pmu.least_period = 3;
	why_sampled(EINVAL, &period, EINVAL, "x can't be sampled in this way: ");
	ck_fails(perfctr_why_not(EINVAL, &period, "x", 0, 2), EINVAL, "the 2 events before it");
	ck_assert_uint_eq(pmu_events(), 0);
	pmu.least_period = 1;
	/* It can't be counted, on this thread or on a processor. */
	pmu_fail(PMU_OPEN, 1, ENOENT);
	why_sampled(EINVAL, &period, EINVAL, "does not accept this event code");
	pmu_fail(PMU_OPEN, 1, ENOENT);
	why_sampled(EOPNOTSUPP, &precise, EOPNOTSUPP, "no such event");
	why_sampled(EOPNOTSUPP, &precise, EOPNOTSUPP, "precise level 2");
	/* On a processor: an uncore PMU's. */
	pmu_fail(PMU_OPEN, 1, EINVAL);
	why_sampled(EOPNOTSUPP, &precise, EOPNOTSUPP, "precise level 2");
	why_sampled(EINVAL, &often, EINVAL, "1001 times a second: the limit is 1000");
	why_sampled(EINVAL, &seldom, EINVAL, "x can't be sampled in this way: ");
	/* A frequency is no period. */
	pmu.least_period = 4096;
	ck_fails(perfctr_why_not(EINVAL, &frequency, "x", 0, 0), EINVAL,
		 "does not accept this event code");
	why_sampled(EINVAL, &frequency, EINVAL, "x can't be sampled in this way: ");
	pmu.least_period = 1;
	/* Linux 5.13 */
	pmu_fail(PMU_OPEN, 1, EINVAL);
	ck_fails(perfctr_why_not(EINVAL, &threads, "x", 0, 0), EOPNOTSUPP,
		 "can't tell a process's new threads from its child processes");
	ck_fails(perfctr_why_not(EINVAL, &threads, "x", 0, 0), EINVAL,
		 "does not accept this event code");
	why_sampled(EINVAL, &counts, EINVAL,
		    "as those of a process are, have counts since Linux 6.12");
	why_sampled(EINVAL, &inherited, EINVAL, "does not accept this event code");
	why_sampled(EINVAL, &read_only, EINVAL, "does not accept this event code");
	why_sampled(EOVERFLOW, &(struct perf_event_attr){ .sample_max_stack = 128 }, EOVERFLOW,
		    "of 128 entries: the limit is 127");
	why_sampled(ENOENT, &plain, EOPNOTSUPP, "x can't be sampled in this way: ");
	/* A watchdog that is off holds nothing. */
	ck_fails(perfctr_why_taken("x"), EBUSY, "stop the other user");
	ck_assert_ptr_null(strstr(perfctr_error(), "watchdog"));
	root_line("/proc/sys/kernel/nmi_watchdog", "1");
	ck_fails(perfctr_why_taken("x"), EBUSY, "the NMI watchdog holds a counter");
	/* Nor does one of timers. */
	ck_assert_int_eq(uname(&kernel), 0);
	snprintf(config, sizeof(config), "/boot/config-%s", kernel.release);
	root_line(config, "A=y\\nCONFIG_HARDLOCKUP_DETECTOR_BUDDY=y\\nB=y");
	ck_fails(perfctr_why_taken("x"), EBUSY, "stop the other user");
	ck_assert_ptr_null(strstr(perfctr_error(), "watchdog"));
	root_line(config, "CONFIG_A=y\\n# CONFIG_HARDLOCKUP_DETECTOR_BUDDY is not set");
	ck_fails(perfctr_why_taken("x"), EBUSY, "the NMI watchdog holds a counter");
	/* Descriptor 0, of a program without standard input, is one. */
	in = dup(0);
	close(0);
	why_sampled(EOPNOTSUPP, &precise, EOPNOTSUPP, "precise level 2");
	ck_assert_ptr_null(perfctr_no_pmu());
	dup2(in, 0);
	close(in);
	/* Nothing is left open. */
	ck_assert_uint_eq(pmu_events(), 0);
	pmu_end();
	root_remove();
}
END_TEST

START_TEST(no_user_space_reads)
{
	if (!PERFCTR_HAVE_RDPMC)
		return;
	use_root("paranoid2");
	ck_fails(perfctr_why_no_reader(), EOPNOTSUPP, "is 0, which forbids");
#if defined(__i386__) || defined(__x86_64__)
	ck_fails(perfctr_why_no_reader(), EOPNOTSUPP, "/cpu/rdpmc is 0, which forbids");
	root_make();
	root_line("cpu_core/rdpmc", "0");
	ck_fails(perfctr_why_no_reader(), EOPNOTSUPP, "/cpu_core/rdpmc is 0, which forbids");
	root_line("cpu_core/rdpmc", "1");
	ck_fails(perfctr_why_no_reader(), EOPNOTSUPP, "only hardware events of the calling thread");
	root_line("cpu_core/cpus", "8000");
	root_line("cpu_atom/cpus", "8001");
	ck_fails(perfctr_why_no_reader(), EOPNOTSUPP, "bound to one core type");
	root_remove();
#endif
	use_root("nothing");
	ck_fails(perfctr_why_no_reader(), EOPNOTSUPP, "only hardware events of the calling thread");
}
END_TEST

/* A sentence may quote the one before it, and errno survives its making. */
START_TEST(sentences)
{
	ck_assert_int_eq(perfctr_fail(EIO, "%s", "first"), -1);
	ck_fails(perfctr_fail(EBUSY, "second after %s", perfctr_error()), EBUSY,
		 "second after first");
}
END_TEST

UNIT_MAIN("why", 60, paranoid_levels, no_user_mode, each_paranoid_level, no_pmu, forbidden, guests,
	  capabilities_of_a_namespace, a_real_namespace, filters, what_does_not_fit, modes,
	  what_is_not_there, what_can_not_be_sampled, what_the_kernel_can, no_user_space_reads,
	  sentences)
