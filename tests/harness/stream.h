/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stream.h - catches what functions print into a stream. */
#ifndef PERFCTR_TESTS_STREAM_H
#define PERFCTR_TESTS_STREAM_H

#include <check.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static char *printed;

static inline FILE *begin_printing(void)
{
	static size_t length;
	FILE *file = open_memstream(&printed, &length);

	ck_assert_ptr_nonnull(file);
	return file;
}

static inline void end_printing(FILE *file, const char *expected)
{
	fclose(file);
	ck_assert_str_eq(printed, expected);
	free(printed);
}

#endif /* PERFCTR_TESTS_STREAM_H */
