/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* guest.h - what the tests of the library in real kernels share. */
#ifndef PERFCTR_TESTS_GUEST_H
#define PERFCTR_TESTS_GUEST_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <libperfctr.h>

/* In a function that returns 0 if all is well. */
#define CHECK(condition, ...) do { \
	if (!(condition)) { \
		printf("  line %d: %s: ", __LINE__, #condition); \
		printf(__VA_ARGS__); \
		printf(" (errno %d)\n", errno); \
		return 1; \
	} \
} while (0)

/* The call fails with errno error, and perfctr_error() has the words. */
#define CHECK_FAILS(call, error, words) do { \
	errno = 0; \
	CHECK((call) < 0, "it succeeds"); \
	CHECK(errno == (error) && strstr(perfctr_error(), (words)), "\"%s\"", perfctr_error()); \
} while (0)

/* Exactly 2 * n instructions. */
static inline __attribute__((always_inline)) void loop(unsigned long n)
{
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1; b.ne 1b" : "+r"(n) : : "cc");
#else
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
#endif
}

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
		control.cpu_control.evntsel[i] = 0x80000008;	/* P: not EL1; INST_RETIRED */
#else
		control.cpu_control.evntsel[i] = 0x004100C0;	/* EN, USR; instructions retired */
#endif
	}
	return control;
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

static inline int load_driver(void)
{
	int module = open("/perfctr.ko", O_RDONLY);

	if (module >= 0 && syscall(SYS_finit_module, module, "", 0) == 0)
		return close(module);
	printf("/perfctr.ko can't be loaded: %s\n", strerror(errno));
	return -1;
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

struct guest_test {
	const char *name;
	int (*run)(void);
};

/* Run the tests; what main() returns. */
static inline int run_tests(const struct guest_test *tests, unsigned int n)
{
	unsigned int i, failures = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < n; i++) {
		int failed = tests[i].run();

		printf("%s %s\n", failed ? "not ok" : "ok", tests[i].name);
		failures += failed != 0;
	}
	printf("%u passed, %u failed\n", n - failures, failures);
	return failures != 0;
}

/* The same with the driver loaded. */
static inline int run_guest_tests(const struct guest_test *tests, unsigned int n)
{
	int failed;

	if (load_driver() < 0)
		return 1;
	failed = run_tests(tests, n);
	return unload_driver() < 0 || failed;
}

#endif /* PERFCTR_TESTS_GUEST_H */
