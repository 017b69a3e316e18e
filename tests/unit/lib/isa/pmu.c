// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists of processors, and the PMUs that a machine's sysfs shows. What names mean there is in
 * zoo.c. */
#include <errno.h>
#include <dirent.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/cpus.h"
#include "lib/base/file.h"
#include "lib/base/word.h"
#include "lib/isa/pmu.h"
#include "lib/perf/topdown.h"
#include "libperfctr.h"
#include "lib/names/resolve.h"
#include "tests/harness/root.h"
#include "tests/harness/check.h"

static bool has(const uint32_t *words, unsigned int cpu)
{
	return words[cpu / 32] >> cpu % 32 & 1;
}

static unsigned int count(const uint32_t *words)
{
	unsigned int i, n = 0;

	for (i = 0; i < PERFCTR_CPU_WORDS; i++)
		n += (unsigned int)__builtin_popcount(words[i]);
	return n;
}

START_TEST(processors)
{
	static const struct {
		const char *list;
		unsigned int words, n; /* processors */
	} lists[] = {
		{ "0", 1, 1 },
		{ "31", 1, 1 },
		{ "32", 2, 1 },
		{ "0-31", 1, 32 },
		{ "0-32", 2, 33 },
		{ "5-5", 1, 1 },
		{ "0-3,8,10-11", 1, 7 },
		{ "40,3", 2, 2 },
		{ "3,3,2-4", 1, 3 },
		{ "8191", 256, 1 },
		{ "0-8191", 256, 8192 },
		{ "8160-8191,0", 256, 33 },
		{ "2047,1984", 64, 2 },
		/* Not one beyond the kernel's largest set, nor anything else. */
		{ "8192", 0, 0 },
		{ "0-8192", 0, 0 },
		{ "8192-8193", 0, 0 },
		{ "0,8192", 0, 0 },
		{ "4-3", 0, 0 },
		{ "", 0, 0 },
		{ "all", 0, 0 },
		{ "0x3", 0, 0 },
		{ "0-", 0, 0 },
		{ "0-x", 0, 0 },
		{ "0,", 0, 0 },
		{ ",0", 0, 0 },
		{ "0;1", 0, 0 },
		{ "-1", 0, 0 },
		{ "0-1-2", 0, 0 },
		{ "0 1", 0, 0 },
		{ "18446744073709551616", 0, 0 },
		{ "0-18446744073709551615", 0, 0 },
	};
	struct {
		uint32_t words[PERFCTR_CPU_WORDS], after;
	} set;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		memset(&set, 0xEE, sizeof(set));
		ck_assert_msg(perfctr_cpus_parse(lists[i].list, set.words) == lists[i].words, "%s",
			      lists[i].list);
		ck_assert_uint_eq(set.after, 0xEEEEEEEE);
		if (lists[i].words)
			ck_assert_uint_eq(count(set.words), lists[i].n);
	}
	ck_assert_uint_eq(perfctr_cpus_parse("0-3,8,40-41,8191", set.words), 256);
	for (i = 0; i < PERFCTR_MAX_CPUS; i++)
		ck_assert_int_eq(has(set.words, i),
				 i < 4 || i == 8 || i == 40 || i == 41 || i == 8191);
}
END_TEST

/* A PMU of cores of this type, on these processors. */
static void core(const char *name, const char *type, const char *cpus)
{
	char path[PERFCTR_NAME_SIZE + 32];

	snprintf(path, sizeof(path), "%s/type", name);
	root_line(path, type);
	snprintf(path, sizeof(path), "%s/cpus", name);
	root_line(path, cpus);
}

/* The nth call that looks at a file fails from now on, once, with this errno; 0: none. */
static unsigned int no_call;
static int no_error;

#ifdef __USE_FILE_OFFSET64 /* <dirent.h> calls them so */
#define __real_readdir __real_readdir64
#define __wrap_readdir __wrap_readdir64
#endif

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap___open_2(const char *path, int flags);
int __wrap___open64_2(const char *path, int flags);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
struct dirent *__real_readdir(DIR *dir);
struct dirent *__wrap_readdir(DIR *dir);

static bool refused(void)
{
	if (!no_call || --no_call > 0)
		return false;
	errno = no_error;
	return true;
}

/* The library makes no files, so there is no mode. */
int __wrap_open(const char *path, int flags, ...)
{
	return refused() ? -1 : __real_open(path, flags);
}

int __wrap_open64(const char *path, int flags, ...)
{
	return refused() ? -1 : __real_open64(path, flags);
}

/* With -D_FORTIFY_SOURCE it is one of these. */
int __wrap___open_2(const char *path, int flags)
{
	return __wrap_open(path, flags);
}

int __wrap___open64_2(const char *path, int flags)
{
	return __wrap_open64(path, flags);
}

__attribute__((no_sanitize("address"))) long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list args;
	int i;

	if (number == SYS_read && refused())
		return -1;
	va_start(args, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

DIR *__wrap_opendir(const char *path)
{
	return refused() ? NULL : __real_opendir(path);
}

struct dirent *__wrap_readdir(DIR *dir)
{
	return refused() ? NULL : __real_readdir(dir);
}

/* However many files a look-up goes through: what one of them does not tell is not made up. */
static void look_up(const char *list)
{
	static const int errors[] = { EMFILE, ENFILE, ENOMEM, EIO };
	static const char *const words[] = { "in this process; raise the limit (ulimit -n)",
					     "in this system; raise the limit (sysctl fs.file-max)",
					     "try again", "try again" };
	struct perfctr_list *found;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		for (n = 1;; n++) {
			no_call = n;
			no_error = errors[i];
			errno = ENOTTY;
			found = perfctr_list_resolve(list, 0);
			if (found)
				break;
			ck_assert_uint_eq(no_call, 0);
			ck_assert_msg(errno == errors[i], "%s, call %u: %s", list, n,
				      perfctr_error());
			ck_assert_ptr_nonnull(strstr(perfctr_error(), "can't be looked up"));
			ck_assert_ptr_nonnull(strstr(perfctr_error(), words[i]));
		}
		/* Nothing failed, and nothing is told. */
		ck_assert_uint_ne(no_call, 0);
		ck_assert_int_eq(errno, ENOTTY);
		ck_assert_uint_gt(n, 3);
		perfctr_list_free(found);
	}
	no_call = 0;
}

START_TEST(faults_of_look_ups)
{
	root_unpack("alderlake");
	look_up("msr/tsc/");
	look_up("slots,cpu_atom/cycles/");
	look_up("power/energy-pkg/");
	look_up("cpu_core/event=0x3c,umask=2/:u");
	root_remove();
	root_unpack("rk3399");
	look_up("cycles");
	root_remove();
}
END_TEST

/* A wrong one stays wrong, and in a right one nothing of what failed before is left. */
START_TEST(right_and_wrong)
{
	root_unpack("alderlake");
	no_call = 1;
	no_error = EIO;
	ck_fails(perfctr_event_check("msr/tsc/"), EIO, "\"msr/tsc/\" can't be looked up");
	ck_fails(perfctr_event_check("msx/tsc/"), ENOENT, "no PMU \"msx\"; did you mean msr?");
	errno = ENOTTY;
	ck_assert_int_eq(perfctr_event_check("msr/tsc/"), 0);
	ck_assert_int_eq(perfctr_event_check("msr/event=0x0/"), 0);
	ck_assert_int_eq(errno, ENOTTY);
	root_remove();
}
END_TEST

/* Lists of the longest kinds, one of which is all processors but each third. */
START_TEST(long_lists)
{
	static char list[40000];
	uint32_t words[PERFCTR_CPU_WORDS], again[PERFCTR_CPU_WORDS];
	unsigned int step, cpu;

	for (step = 1; step <= 3; step++) {
		memset(words, 0, sizeof(words));
		for (cpu = 0; cpu < PERFCTR_MAX_CPUS; cpu++)
			if (step == 1 || cpu % step)
				words[cpu / 32] |= 1u << cpu % 32;
		perfctr_cpus_print(words, list, sizeof(list));
		ck_assert_uint_eq(strlen(list), step == 1 ? 6 : step == 2 ? 19924 : 26566);
		root_make();
		root_file("/sys/devices/system/cpu/online", list, strlen(list));
		ck_assert_uint_eq(perfctr_cpus_online(again), PERFCTR_CPU_WORDS);
		ck_assert_mem_eq(words, again, sizeof(words));
		root_file("big/type", "9", 1);
		root_file("big/cpus", list, strlen(list));
		ck_assert_uint_eq(perfctr_pmu_cpu_set(&(struct perfctr_pmu){ .name = "big" },
						      again),
				  PERFCTR_CPU_WORDS);
		ck_assert_mem_eq(words, again, sizeof(words));
		root_remove();
	}
	/* As much as has room. */
	perfctr_cpus_print(words, list, 8);
	ck_assert_str_eq(list, "1-2,4-5");
	memset(words, 0, sizeof(words));
	perfctr_cpus_print(words, list, 8);
	ck_assert_str_eq(list, "");
}
END_TEST

/* Which processors are online is not guessed, unless there is no sysfs. */
START_TEST(online_or_not_known)
{
	uint32_t words[PERFCTR_CPU_WORDS];

	root_make();
	root_file("/sys/devices/system/cpu/online", "0-8192", 6);
	ck_fails(perfctr_cpus_online(words) ? 0 : -1, EINVAL, "not a list of processors");
	ck_fails(perfctr_cpu_online(0), EINVAL, "not a list of processors");
	ck_fails_null(perfctr_cpus_info(-1), EINVAL, "not a list of processors");
	root_file("/sys/devices/system/cpu/online", "0-3", 3);
	no_call = 1;
	no_error = EMFILE;
	ck_fails(perfctr_cpu_online(0), EMFILE, "/sys/devices/system/cpu/online");
	ck_assert_int_eq(perfctr_cpu_online(3), 0);
	root_remove();
	root_make();
	ck_assert_int_eq(perfctr_cpu_online(0), 0);
	root_remove();
}
END_TEST

/* No kind is overlooked because there is no descriptor to look at it with. */
START_TEST(no_descriptors)
{
	struct perfctr_pmu pmus[PERFCTR_VARIANTS_MAX];
	unsigned int n;
	int found;

	root_make();
	core("big", "9", "0-3");
	core("middle", "8", "4");
	core("small", "7", "5");
	root_line("uncore/type", "3");
	for (n = 1;; n++) {
		no_call = n;
		no_error = n % 2 ? EMFILE : ENFILE;
		found = perfctr_core_pmus(pmus);
		if (found < 0) {
			ck_assert_int_eq(errno, no_error);
			ck_assert_ptr_nonnull(
				strstr(perfctr_error(), "no file descriptors are left"));
			continue;
		}
		ck_assert_int_eq(found, 3);
		ck_assert_uint_eq(pmus[0].type, 7);
		ck_assert_uint_eq(pmus[1].type, 8);
		ck_assert_uint_eq(pmus[2].type, 9);
		if (no_call)
			break;
	}
	no_call = 0;
	ck_assert_uint_ge(n, 8);
	root_remove();
}
END_TEST

START_TEST(kinds_of_cores)
{
	struct perfctr_pmu pmus[PERFCTR_VARIANTS_MAX];
	char name[PERFCTR_NAME_SIZE + 1], list[102], text[4096];
	unsigned int cpu;

	root_make();
	ck_assert_int_eq(perfctr_core_pmus(pmus), 0);
	/* By type, and those of one type by name. */
	core("big", "9", "0-3");
	core("middle", "8", "4");
	core("c", "7", "5");
	core("a", "7", "6");
	core("b", "7", "7");
	root_line("uncore/type", "3");
	root_line("uncore/cpumask", "0");
	ck_assert_int_eq(perfctr_core_pmus(pmus), 5);
	ck_assert_str_eq(pmus[0].name, "a");
	ck_assert_str_eq(pmus[1].name, "b");
	ck_assert_str_eq(pmus[2].name, "c");
	ck_assert_str_eq(pmus[3].name, "middle");
	ck_assert_str_eq(pmus[4].name, "big");
	ck_assert_uint_eq(pmus[3].type, 8);
	perfctr_pmu_cpus(&pmus[4], text, sizeof(text));
	ck_assert_str_eq(text, "0-3");
	ck_assert(perfctr_pmu_has_cpu(&pmus[4], 0) && perfctr_pmu_has_cpu(&pmus[4], 3));
	ck_assert(!perfctr_pmu_has_cpu(&pmus[4], 4) && !perfctr_pmu_has_cpu(&pmus[4], 32));
	ck_assert(!perfctr_pmu_has_cpu(&pmus[4], PERFCTR_MAX_CPUS));
	root_line("big/cpus", "31-33,8191");
	for (cpu = 0; cpu < PERFCTR_MAX_CPUS; cpu++)
		ck_assert_int_eq(perfctr_pmu_has_cpu(&pmus[4], cpu),
				 (cpu >= 31 && cpu <= 33) || cpu == 8191);
	root_remove();

	/* A list may have any length; a name has 127 letters at most. */
	root_make();
	memset(list, '1', sizeof(list));
	for (unsigned int i = 1; i < sizeof(list) - 1; i += 2)
		list[i] = ',';
	list[sizeof(list) - 1] = '\0';
	memset(name, 'n', sizeof(name));
	name[PERFCTR_NAME_SIZE] = '\0';
	core(name, "5", list);
	ck_assert_int_eq(perfctr_core_pmus(pmus), 0);
	name[PERFCTR_NAME_SIZE - 1] = '\0';
	core(name, "6", list);
	ck_assert_int_eq(perfctr_core_pmus(pmus), 1);
	ck_assert_str_eq(pmus[0].name, name);
	ck_assert_uint_eq(pmus[0].type, 6);
	ck_assert(perfctr_pmu_has_cpu(&pmus[0], 1) && !perfctr_pmu_has_cpu(&pmus[0], 0));
	ck_assert(perfctr_cpus_parse(list, (uint32_t[PERFCTR_CPU_WORDS]){ 0 }) == 1);
	root_remove();

	/* Without a file cpus it is none of cores, and its list is empty. */
	root_make();
	root_line("x/type", "5");
	ck_assert_int_eq(perfctr_core_pmus(pmus), 0);
	strcpy(pmus[0].name, "x");
	perfctr_pmu_cpus(&pmus[0], text, sizeof(text));
	ck_assert_str_eq(text, "");
	ck_assert(!perfctr_pmu_has_cpu(&pmus[0], 0));
	root_remove();
}
END_TEST

/* Where there is a cpu, nothing else is looked at. */
START_TEST(one_kind)
{
	static const struct {
		const char *text;
		uint32_t type;
	} types[] = {
		{ "0", 0 },
		{ "4", 4 },
		{ "2147483647", INT32_MAX },
	};
	static const char *const wrong[] = { "-1", "2147483648", "4x", "", "x" };
	struct perfctr_pmu pmus[PERFCTR_VARIANTS_MAX];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		root_make();
		root_line("cpu/type", types[i].text);
		core("other", "8", "0");
		ck_assert_int_eq(perfctr_core_pmus(pmus), 1);
		ck_assert_str_eq(pmus[0].name, "cpu");
		ck_assert_uint_eq(pmus[0].type, types[i].type);
		root_remove();
	}
	/* A type that makes no sense: it can't be used, and is last. */
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		root_make();
		core("cpu", wrong[i], "0");
		core("other", "8", "0");
		ck_assert_int_eq(perfctr_core_pmus(pmus), 2);
		ck_assert_str_eq(pmus[0].name, "other");
		ck_assert_uint_eq(pmus[1].type, UINT32_MAX);
		root_remove();
	}
}
END_TEST

START_TEST(cpumasks)
{
	uint32_t words[PERFCTR_CPU_WORDS];
	char text[5000];

	root_make();
	core("cpu_core", "4", "0-3");
	root_line("imc/type", "21");
	root_line("imc/cpumask", "0,8191");
	root_line("cbox/type", "22");
	root_line("cbox/cpumask", "nonsense");
	root_line("msr/type", "23");
	memset(text, '1', sizeof(text));
	root_line("long/type", "24");
	root_file("long/cpumask", text, sizeof(text));
	memset(words, 0xEE, sizeof(words));
	ck_assert(perfctr_cpumask("imc", words));
	ck_assert_uint_eq(count(words), 2);
	ck_assert(has(words, 0) && has(words, 8191));
	/* It counts for several, but nobody knows on which it is to be opened. */
	memset(words, 0xEE, sizeof(words));
	ck_assert(perfctr_cpumask("cbox", words));
	ck_assert_uint_eq(count(words), 0);
	memset(words, 0xEE, sizeof(words));
	ck_assert(perfctr_cpumask("long", words));
	ck_assert_uint_eq(count(words), 0);
	/* For each processor alone, or not at all. */
	ck_assert(!perfctr_cpumask("cpu_core", words));
	ck_assert(!perfctr_cpumask("msr", words));
	ck_assert(!perfctr_cpumask("none", words));
	root_remove();
}
END_TEST

/* The codes 0400H and 8000H to 8F00H are Intel's top-down ones, and only as raw events. */
START_TEST(slots)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		bool is;
	} events[] = {
		{ PERF_TYPE_RAW, 0x400, true },	      { PERF_TYPE_RAW, 0x10400, true },
		{ PERF_TYPE_MAX, 0x400, true },	      { 10, 0x400, true },
		{ PERF_TYPE_HARDWARE, 0x400, false }, { PERF_TYPE_MAX - 1, 0x400, false },
		{ PERF_TYPE_RAW, 0x401, false },      { PERF_TYPE_RAW, 0x8400, false },
		{ PERF_TYPE_RAW, 0, false },
	};
	struct perf_event_attr attr = { .size = sizeof(attr) };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		attr.type = events[i].type;
		attr.config = events[i].config;
		/* PERF_TYPE_BREAKPOINT is the last of the fixed types. */
		ck_assert_int_eq(perfctr_event_is_slots(&attr),
				 events[i].is && attr.type != PERF_TYPE_BREAKPOINT);
	}
}
END_TEST

/* It is the calling thread's processors that count. */
START_TEST(a_bound_thread)
{
	cpu_set_t all, one;
	char text[16], others[64];
	unsigned int cpu;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	for (cpu = 0; !CPU_ISSET(cpu, &all);)
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	snprintf(text, sizeof(text), "%u", cpu);
	snprintf(others, sizeof(others), "%u-1023", cpu + 1);
	root_make();
	root_line("cpu_core/type", "4");
	root_line("cpu_core/cpus", text);
	root_line("cpu_atom/type", "10");
	root_line("cpu_atom/cpus", others);
	ck_assert_int_eq(perfctr_may_change_kind(), CPU_COUNT(&all) > 1);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	ck_assert(!perfctr_may_change_kind());
	sched_setaffinity(0, sizeof(all), &all);
	root_remove();
}
END_TEST

/* What this machine is does not change. */
START_TEST(this_machine)
{
	bool may;

	unsetenv("PERFCTR_ROOT");
	may = perfctr_may_change_kind();
	ck_assert(perfctr_may_change_kind() == may);
	ck_assert(perfctr_may_change_kind() == may);
}
END_TEST

UNIT_MAIN("pmus", 60, processors, no_descriptors, kinds_of_cores, one_kind, cpumasks, slots,
	  a_bound_thread, this_machine, faults_of_look_ups, right_and_wrong, long_lists,
	  online_or_not_known)
