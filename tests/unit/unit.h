/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* unit.h - what the unit tests share: Check, a main(), and expecting an error. */
#ifndef PERFCTR_TESTS_UNIT_H
#define PERFCTR_TESTS_UNIT_H

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lib/internal.h"

/* The call fails with errno error, and perfctr_error() has the words. */
#define ck_fails(call, error, words) do { \
	errno = 0; \
	ck_assert_int_eq((call), -1); \
	ck_assert_int_eq(errno, (error)); \
	ck_assert_msg(strstr(perfctr_error(), (words)) != NULL, "\"%s\" has no \"%s\"", \
		      perfctr_error(), (words)); \
} while (0)

/* The same for a call that returns a pointer. */
#define ck_fails_null(call, error, words) ck_fails((call) ? 0 : -1, error, words)

/* main() of a test program whose cases are the Check tests named. */
#define UNIT_MAIN(name, ...) \
int main(void) \
{ \
	const TTest *const tests[] = { __VA_ARGS__ }; \
	Suite *suite = suite_create(name); \
	TCase *cases = tcase_create(name); \
	SRunner *runner; \
	unsigned int i; \
	int failed; \
\
	tcase_set_timeout(cases, 60); \
	for (i = 0; i < ARRAY_SIZE(tests); i++) \
		tcase_add_test(cases, tests[i]); \
	suite_add_tcase(suite, cases); \
	runner = srunner_create(suite); \
	srunner_run_all(runner, CK_NORMAL); \
	failed = srunner_ntests_failed(runner); \
	srunner_free(runner); \
	return failed ? EXIT_FAILURE : EXIT_SUCCESS; \
}

#endif /* PERFCTR_TESTS_UNIT_H */
