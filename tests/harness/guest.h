/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* guest.h - helpers for the programs that run in the emulated machines. */
#ifndef PERFCTR_TESTS_GUEST_H
#define PERFCTR_TESTS_GUEST_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#endif
#include <libperfctr.h>
#include "tests/harness/expect.h"
#include "tests/harness/loop.h"

/* The call fails with errno error, and perfctr_error() has the words. */
#define CHECK_FAILS(call, error, words)                                               \
	do {                                                                          \
		errno = 0;                                                            \
		CHECK((call) < 0, "it succeeds");                                     \
		CHECK(errno == (error) && strstr(perfctr_error(), (words)), "\"%s\"", \
		      perfctr_error());                                               \
	} while (0)

/* Bits of an event select: which modes are counted, and interrupts on overflow. */
#if defined(__aarch64__)
enum { COUNT_USER = (int)0x80000000, COUNT_KERNEL = 0x40000000, COUNT_INT = 0 };
#elif defined(__riscv) || defined(__powerpc64__)
/* Of the upper half. */
enum { COUNT_USER = 0x20000000, COUNT_KERNEL = 0x10000000, COUNT_INT = 0 };
#else
enum { COUNT_USER = 0x00010000, COUNT_KERNEL = 0x00020000, COUNT_INT = 0x00100000 };
#endif

#if defined(__i386__) || defined(__x86_64__)
enum core { CORE_ANY, CORE_P5, CORE_P6, CORE_P4 };

/* Where event selects differ. The library is not asked: not all that include this link it. */
static inline enum core core(void)
{
	unsigned int eax, ebx, ecx, edx, family;

	__cpuid(0, eax, ebx, ecx, edx);
	if (ebx != signature_INTEL_ebx)
		return CORE_ANY;
	__cpuid(1, eax, ebx, ecx, edx);
	family = eax >> 8 & 0xF;
	/* From Core on it has architectural counters, whose version is not 0. */
	if (family != 6 || (__get_cpuid(0xA, &eax, &ebx, &ecx, &edx) && eax & 0xFF))
		return family == 5 ? CORE_P5 : family == 15 ? CORE_P4 : CORE_ANY;
	return CORE_P6;
}
#endif

/* Counts user-mode instructions on counters [0, n), and the TSC. */
static inline struct vperfctr_control instructions(unsigned int n)
{
	struct vperfctr_control control;
	unsigned int i;

	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	control.cpu_control.nractrs = n;
	for (i = 0; i < n; i++) {
		control.cpu_control.pmc_map[i] = i;
#if defined(__aarch64__)
		/* INST_RETIRED */
		control.cpu_control.evntsel[i] = (unsigned int)COUNT_USER | 0x0008;
#elif defined(__riscv)
		/* The SBI's INSTRUCTIONS. */
		control.cpu_control.pmc_map[i] = 3 + i;
		control.cpu_control.evntsel[i] = 2;
		control.cpu_control.evntsel_high[i] = COUNT_USER | 0x01000000;
#elif defined(__powerpc64__)
		/* PM_INST_CMPL, of PMC1 to PMC4 */
		control.cpu_control.evntsel[i] = 2;
		control.cpu_control.evntsel_high[i] = COUNT_USER;
#else
		/* enabled, USR, instructions retired */
		control.cpu_control.evntsel[i] = 0x004100C0;
		switch (core()) {
		case CORE_P5: control.cpu_control.evntsel[i] = 0x0096; break;
		case CORE_P6:
			/* Counter 0 enables both. */
			control.cpu_control.evntsel[i] = i ? 0x000100C0 : 0x004100C0;
			break;
		case CORE_P4:
			/* CRU_ESCR0 and 1 belong to the IQ counters: instr_retired, NBOGUSNTAG. */
			control.cpu_control.pmc_map[i] = 12 + i;
			control.cpu_control.evntsel[i] = 0x00039000;
			control.cpu_control.p4.escr[i] = 0x04000204;
			break;
		case CORE_ANY: break;
		}
#endif
	}
	return control;
}

/* Of so many repetitions of what differs each time, a quarter, or all on a machine with OFTEN=1. */
static inline unsigned int repeats(unsigned int n)
{
	return getenv("OFTEN") ? n : n / 4;
}

/* count() in 2 threads, then in 50, each with its number. It returns what is wrong, or NULL. */
static inline int run_in_threads(void *(*count)(void *))
{
	pthread_t thread[50];
	unsigned int i, n;
	void *wrong;

	for (n = 2; n <= 50; n += 48) {
		for (i = 0; i < n; i++)
			CHECK(pthread_create(&thread[i], NULL, count, (void *)(uintptr_t)i) == 0,
			      "thread");
		for (i = 0; i < n; i++) {
			pthread_join(thread[i], &wrong);
			CHECK(!wrong, "thread %u of %u: %s", i, n, (char *)wrong);
		}
	}
	return 0;
}

static inline int unload_driver(void)
{
	int k;

	/* What ended threads leave behind is cleared up a moment later. */
	for (k = 0; k < 50; k++) {
		if (syscall(SYS_delete_module, "perfctr", O_NONBLOCK) == 0)
			return 0;
		usleep(20000);
	}
	printf("the driver can't be unloaded: %s\n", strerror(errno));
	return -1;
}

/* A test that failed may have left it loaded. */
static inline bool insert_driver(int module)
{
	if (syscall(SYS_finit_module, module, "", 0) == 0)
		return true;
	if (errno != EEXIST)
		return false;
	printf("-- the driver is loaded already\n");
	return unload_driver() == 0 && syscall(SYS_finit_module, module, "", 0) == 0;
}

static inline int load_driver(void)
{
	int module = open("/perfctr.ko", O_RDONLY);

	/* There is no udev, whose rule would let a group open it. */
	if (module >= 0 && insert_driver(module) && chmod("/dev/perfctr", 0666) == 0)
		return close(module);
	printf("/perfctr.ko can't be loaded: %s\n", strerror(errno));
	return -1;
}

struct guest_test {
	const char *name;
	int (*run)(void);
	bool inexact; /* it holds where counts are not exact, too */
};

#define TEST(function)                             \
	{                                          \
		.name = #function, .run = function \
	}
#define INEXACT_TEST(function)                                      \
	{                                                           \
		.name = #function, .run = function, .inexact = true \
	}

/*
 * QEMU's arm64 PMU has one count for all processors: what another executes while this one is
 * interrupted in user mode is counted here, too. On POWER it counts the kernel, whatever is asked.
 */
static inline bool counts_are_exact(void)
{
#if defined(__aarch64__)
	return sysconf(_SC_NPROCESSORS_CONF) == 1;
#elif defined(__powerpc64__)
	return false;
#else
	return true;
#endif
}

/* Run a test, and say what came of it; whether it failed. */
static inline int run_guest_test(const struct guest_test *test)
{
	struct vperfctr *left;
	int failed;

	if (!test->inexact && !counts_are_exact()) {
		printf("-- %s: counts are not exact here\n", test->name);
		return 0;
	}
	failed = test->run();
	/* What a failed test left behind must not fail the next one. */
	left = vperfctr_open_mode(0);
	if (left) {
		vperfctr_unlink(left);
		vperfctr_close(left);
	}
	printf("%s %s\n", failed ? "not ok" : "ok", test->name);
	return failed != 0;
}

/* Run the tests; what main() returns. */
static inline int run_guest(const struct guest_test *tests, unsigned int n)
{
	unsigned int i, failures = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < n; i++)
		failures += (unsigned int)run_guest_test(&tests[i]);
	printf("%u of %u failed\n", failures, n);
	return failures != 0;
}

/* The same with the driver loaded. */
static inline int run_guest_tests(const struct guest_test *tests, unsigned int n)
{
	int failed;

	if (load_driver() < 0)
		return 1;
	failed = run_guest(tests, n);
	return unload_driver() < 0 || failed;
}

#endif /* PERFCTR_TESTS_GUEST_H */
