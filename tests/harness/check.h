/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check.h - the main() of every program of Check tests, and expecting an error. */
#ifndef PERFCTR_TESTS_CHECK_H
#define PERFCTR_TESTS_CHECK_H

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/word.h"

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif

/*
 * Check sends each assertion that holds to the parent process, which tells of a crash after which
 * one it was. In loops that takes more time than all the rest. Here each is sent when it holds for
 * the first time.
 */
#define _mark_point(file, line)                                           \
	__extension__({                                                   \
		static bool sent_;                                        \
		if (!__atomic_load_n(&sent_, __ATOMIC_RELAXED)) {         \
			__atomic_store_n(&sent_, true, __ATOMIC_RELAXED); \
			(_mark_point)(file, line);                        \
		}                                                         \
	})

/* The call fails with errno error, and perfctr_error() has the words. */
#define ck_fails(call, error, words)                                                            \
	do {                                                                                    \
		errno = 0;                                                                      \
		ck_assert_int_eq((call), -1);                                                   \
		ck_assert_int_eq(errno, (error));                                               \
		ck_assert_msg(strstr(perfctr_error(), (words)) != NULL, "\"%s\" has no \"%s\"", \
			      perfctr_error(), (words));                                        \
	} while (0)

/* The same for a call that returns a pointer. */
#define ck_fails_null(call, error, words) ck_fails((call) ? 0 : -1, error, words)

/* How many descriptors are open; 0: nobody knows, for there is no /proc. */
static inline unsigned int open_files(void)
{
	DIR *files = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (files && readdir(files))
		n++;
	if (files)
		closedir(files);
	return n;
}

/*
 * Each test ends with as many open descriptors as it began with, whatever it makes fail. A program
 * whose tests leave some open on purpose defines LEAVES_FILES.
 */
static unsigned int files_before;

static inline void before_test(void)
{
	files_before = open_files();
}

static inline void after_test(void)
{
	ck_assert_msg(open_files() == files_before, "%u descriptors are open, not %u", open_files(),
		      files_before);
}

/*
 * Whether this user may count what the kernel does for a thread, or (whole) all that a processor
 * does. Where perf_event_open(2) fails for another reason, the tests are to say so.
 */
static inline bool may_count(bool whole)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY };
	long fd = syscall(SYS_perf_event_open, &attr, whole ? -1 : 0, whole ? 0 : -1, -1,
			  PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno != EACCES && errno != EPERM;
	close((int)fd);
	return true;
}

/*
 * A program all of whose tests count kernel mode, or whole processors, defines COUNTS_KERNEL or
 * COUNTS_PROCESSORS: without the right it is skipped (77), and says what is missing.
 */
static inline bool has_rights(void)
{
#if defined(COUNTS_PROCESSORS)
	bool whole = true;
#elif defined(COUNTS_KERNEL)
	bool whole = false;
#else
	return true;
#endif
#if defined(COUNTS_PROCESSORS) || defined(COUNTS_KERNEL)
	if (may_count(whole))
		return true;
	printf("SKIP: this user may not count %s: set kernel.perf_event_paranoid to %d, or be "
	       "root\n",
	       whole ? "whole processors" : "kernel mode", whole ? 0 : 1);
	return false;
#endif
}

/*
 * The main thread's stack has these pages from here on. Valgrind (3.19) can't make it grow where a
 * signal's frame is the first thing on a page, which depends on the environment's length.
 */
static __attribute__((noinline)) void make_stack_grow(void)
{
	volatile char deep[256 * 1024];
	size_t i;

	for (i = 0; i < sizeof(deep); i += 1024)
		deep[sizeof(deep) - 1 - i] = 0;
}

/*
 * Run the tests, and then one, if it isn't NULL, so many times. Each may take as many seconds; 0:
 * without a limit. Returns what main() returns.
 */
static inline int run_tests(const char *name, double seconds, const TTest *const tests[], size_t n,
			    const TTest *looped, int times)
{
	Suite *suite = suite_create(name);
	TCase *cases = tcase_create(name);
	SRunner *runner;
	size_t i;
	int failed;

	if (!has_rights())
		return 77; /* as automake has it */
	make_stack_grow();
	tcase_set_timeout(cases, seconds);
#ifndef LEAVES_FILES
	tcase_add_checked_fixture(cases, before_test, after_test);
#endif
	for (i = 0; i < n; i++)
		tcase_add_test(cases, tests[i]);
	if (looped)
		tcase_add_loop_test(cases, looped, 0, times);
	suite_add_tcase(suite, cases);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* main() of a program whose cases are the Check tests named, each of so many seconds at most. */
#define UNIT_MAIN(name, seconds, ...)                                               \
	int main(void)                                                              \
	{                                                                           \
		const TTest *const tests[] = { __VA_ARGS__ };                       \
                                                                                    \
		return run_tests(name, seconds, tests, ARRAY_SIZE(tests), NULL, 0); \
	}

#endif /* PERFCTR_TESTS_CHECK_H */
