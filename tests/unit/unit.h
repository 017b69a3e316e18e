/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* unit.h - what the unit tests share: Check, main(), and expecting an error. */
#ifndef PERFCTR_TESTS_UNIT_H
#define PERFCTR_TESTS_UNIT_H

#include <check.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "libperfctr.h"
#include "tests/unit/main.h"

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

#endif /* PERFCTR_TESTS_UNIT_H */
