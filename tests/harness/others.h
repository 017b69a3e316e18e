/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* others.h - tests that do something as another user leave it out where he can't. */
#ifndef PERFCTR_TESTS_OTHERS_H
#define PERFCTR_TESTS_OTHERS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/*
 * Whether another user can run or read anything here. He can't below a root directory that is
 * closed to others, such as one that mktemp(1) has made for chroot(8): then it says that this test
 * is left out.
 */
static inline bool others_enter(const char *test)
{
	struct stat slash;

	if (stat("/", &slash) == 0 && (slash.st_mode & S_IXOTH))
		return true;
	printf("SKIP %s: / is closed to other users\n", test);
	return false;
}

#endif
