/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* expect.h - for programs without Check: they run where only they and the kernel are. */
#ifndef PERFCTR_TESTS_EXPECT_H
#define PERFCTR_TESTS_EXPECT_H

#include <errno.h>
#include <stdio.h>

/* In a function that returns 0 if all is well. */
#define CHECK(condition, ...)                                            \
	do {                                                             \
		if (!(condition)) {                                      \
			int error_ = errno;                              \
                                                                         \
			printf("  line %d: %s: ", __LINE__, #condition); \
			printf(__VA_ARGS__);                             \
			printf(" (errno %d)\n", error_);                 \
			return 1;                                        \
		}                                                        \
	} while (0)

#endif /* PERFCTR_TESTS_EXPECT_H */
