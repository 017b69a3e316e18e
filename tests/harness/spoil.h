/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * spoil.h - functions that release something, and change errno, as POSIX allows them to (but not
 * free(3)). A test program that includes it is linked with $(SPOIL_WRAP), see tests/local.mk;
 * "spoils" switches it on. A failure whose errno is SPOILED has lost it on the way out.
 */
#ifndef PERFCTR_TESTS_SPOIL_H
#define PERFCTR_TESTS_SPOIL_H

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SPOILED ENOTUNIQ /* no call of the library's fails so */

static bool spoils;

/* A wrapper that calls the function, and then changes errno. */
#define SPOIL(name, type)                             \
	int __real_##name(type argument);             \
	int __wrap_##name(type argument);             \
	int __wrap_##name(type argument)              \
	{                                             \
		int result = __real_##name(argument); \
                                                      \
		if (spoils)                           \
			errno = SPOILED;              \
		return result;                        \
	}

SPOIL(close, int)
SPOIL(closedir, DIR *)
SPOIL(fclose, FILE *)
SPOIL(unlink, const char *)

int __real_munmap(void *memory, size_t size);
int __wrap_munmap(void *memory, size_t size);
int __wrap_munmap(void *memory, size_t size)
{
	int result = __real_munmap(memory, size);

	if (spoils)
		errno = SPOILED;
	return result;
}

#endif /* PERFCTR_TESTS_SPOIL_H */
