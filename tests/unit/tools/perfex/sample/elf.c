// SPDX-License-Identifier: LGPL-2.1-or-later
/* Files that samples name: programs, and what is none. Whatever it is, nothing of it stays open. */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/elf.h"

static size_t number_of(const char *file)
{
	struct symbols *symbols = elf_symbols(file);
	size_t n = symbols_number(symbols);

	symbols_free(symbols);
	return n;
}

/* A file of these bytes. */
static size_t number_in(const void *bytes, size_t size)
{
	char name[] = "elf.XXXXXX";
	int fd = mkstemp(name);
	size_t n;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	close(fd);
	n = number_of(name);
	unlink(name);
	return n;
}

START_TEST(no_programs)
{
	Elf64_Ehdr head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 } };

	ck_assert_uint_eq(number_of("/no/such/file"), 0);
	ck_assert_uint_eq(number_of("/dev/null"), 0);
	ck_assert_uint_eq(number_of("/"), 0);
	ck_assert_uint_eq(number_in("", 0), 0);
	ck_assert_uint_eq(number_in("#!/bin/sh\n", 10), 0);
	ck_assert_uint_eq(number_in(&head, 4), 0);
	ck_assert_uint_eq(number_in(&head, sizeof(head)), 0);
	ck_assert_uint_eq(number_in("!<arch>\n", 8), 0);
}
END_TEST

/* This program has functions. */
START_TEST(a_program)
{
#ifdef HAVE_LIBELF
	ck_assert_uint_gt(number_of("/proc/self/exe"), 0);
#else
	ck_assert_uint_eq(number_of("/proc/self/exe"), 0);
#endif
}
END_TEST

UNIT_MAIN("elf", 60, no_programs, a_program)
