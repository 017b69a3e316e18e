// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measures begin and end of a region, by this library, PAPI's high level (-DUSE_PAPI) and LIKWID's
 * marker (-DUSE_LIKWID), in an emulated machine whose clock goes on by one nanosecond with each
 * instruction, the kernel's included. Counters would not do for all three: LIKWID programs the
 * processor's registers itself, whoever counts. usage: pairs LABEL [EVENTS]   without EVENTS
 * nothing is measured Prints a line of a Markdown table for a pair, and one for a pair within
 * another one.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <libperfctr.h>

#if defined(USE_PAPI)
#include <papi.h>
#define BEGIN(name) PAPI_hl_region_begin(#name)
#define END(name)   PAPI_hl_region_end(#name)
#elif defined(USE_LIKWID)
#include <likwid.h>
#define BEGIN(name) likwid_markerStartRegion(#name)
#define END(name)   likwid_markerStopRegion(#name)
#else
#include <perfctr/regions.h>
PERFCTR_REGION(outer, "outer");
PERFCTR_REGION(inner, "inner");
#define BEGIN(name) perfctr_region_begin(&name)
#define END(name)   perfctr_region_end(&name)
#endif

static void fail(const char *what)
{
	printf("pairs: %s\n", what);
	exit(1);
}

#if defined(USE_LIKWID)
/* As likwid-perfctr does: the counters are started by one process, and read by another one. */
static void start_likwid(char **argv)
{
	int cpu = 0, group;

	if (getenv("LIKWID_MODE")) {
		likwid_markerInit();
		return;
	}
	init_configuration();
	HPMmode(ACCESSMODE_DIRECT); /* its daemon, the default, costs more */
	if (topology_init() < 0 || perfmon_init(1, &cpu) < 0)
		fail("LIKWID does not know this processor");
	group = perfmon_addEventSet(argv[2]);
	if (group < 0 || perfmon_setupCounters(group) < 0 || perfmon_startCounters() < 0)
		fail("LIKWID can't count these events");
	setenv("LIKWID_MODE", "0", 1);
	setenv("LIKWID_EVENTS", argv[2], 1);
	setenv("LIKWID_THREADS", "0", 1);
	setenv("LIKWID_FORCE", "-1", 1);
	setenv("LIKWID_DEBUG", "0", 1);
	setenv("LIKWID_SILENT", "true", 1);
	setenv("LIKWID_PIN", "0", 1);
	setenv("LIKWID_FILEPATH", "/tmp/likwid.out", 1);
	execv("/proc/self/exe", argv);
	fail("can't be executed");
}
#endif

static void start(char **argv)
{
#if defined(USE_PAPI)
	setenv("PAPI_EVENTS", argv[2], 1);
	setenv("PAPI_OUTPUT_DIRECTORY", "/tmp", 1);
#elif defined(USE_LIKWID)
	start_likwid(argv);
#else
	if (perfctr_regions_start(argv[2], 0) < 0)
		fail(perfctr_error());
#endif
}

/* The compiler must count in the same way in all loops. */
#define TIMES(n)                                \
	while (__extension__({                  \
		__asm__ volatile("" : "+r"(n)); \
		n--;                            \
	}))

static __attribute__((noinline)) void single(unsigned int n)
{
	TIMES(n)
	{
		BEGIN(outer);
		END(outer);
	}
}

static __attribute__((noinline)) void nested(unsigned int n)
{
	TIMES(n)
	{
		BEGIN(outer);
		BEGIN(inner);
		END(inner);
		END(outer);
	}
}

struct cost {
	double instructions, calls;
};

static struct perfctr_set *calls; /* system calls */

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Of one pass. The least of many: the kernel's timer and others take some time now and then. */
static struct cost measure(void (*visit)(unsigned int))
{
	struct cost least = { 1e9, 1e9 };
	struct perfctr_reading before, after;
	uint64_t begin, end, i;

	visit(100);
	for (i = 0; i < 50; i++) {
		perfctr_set_read(calls, &before);
		begin = now();
		visit(100);
		end = now();

		if ((double)(end - begin) / 100 < least.instructions)
			least.instructions = (double)(end - begin) / 100;
		perfctr_set_read(calls, &after);
		/* One is perfctr_set_read()'s own. */
		least.calls = (double)(after.value - before.value - 1) / 100;
	}
	return least;
}

static void print(const char *label, const char *what, struct cost cost, double loop)
{
	printf("| %s%s | %.0f | %.1f |\n", label, what, cost.instructions - loop, cost.calls);
}

static void nothing(unsigned int n)
{
	TIMES(n)
	{
		__asm__ volatile("");
	}
}

int main(int argc, char **argv)
{
	struct cost loop, one, two;

	if (argc > 2)
		start(argv);
	calls = perfctr_set_open("raw_syscalls:sys_enter", NULL, 0);
	if (!calls)
		fail(perfctr_error());
	loop = measure(nothing);
	one = measure(single);
	two = measure(nested);
	print(argv[1], "", one, loop.instructions);
	two.instructions -= one.instructions - loop.instructions;
	two.calls -= one.calls;
	print(argv[1], ", within another region", two, loop.instructions);
	return 0;
}
