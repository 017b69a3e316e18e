/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* printed.h - catches the library's standard output. */
#ifndef PERFCTR_TESTS_PRINTED_H
#define PERFCTR_TESTS_PRINTED_H

#include <check.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static char printed[65536];
static FILE *printed_file;
static int printed_copy;

static inline void print_begin(void)
{
	printed_file = tmpfile();
	printed_copy = dup(STDOUT_FILENO);
	ck_assert(printed_file && printed_copy >= 0);
	fflush(stdout);
	dup2(fileno(printed_file), STDOUT_FILENO);
}

/* What came since print_begin() is in printed[]. */
static inline void print_end(void)
{
	size_t length;

	fflush(stdout);
	dup2(printed_copy, STDOUT_FILENO);
	close(printed_copy);
	rewind(printed_file);
	length = fread(printed, 1, sizeof(printed) - 1, printed_file);
	printed[length] = '\0';
	fclose(printed_file);
}

#endif /* PERFCTR_TESTS_PRINTED_H */
