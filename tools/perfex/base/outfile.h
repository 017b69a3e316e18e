/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * outfile.h - files for results: readers see the old contents or all of the new ones; and opening a
 * file never hangs.
 */
#ifndef PERFCTR_TOOLS_OUTFILE_H
#define PERFCTR_TOOLS_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct replacement {
	FILE *file; /* to be written */
	char *path, *name;
};

/*
 * Begins to write a file's replacement; private: only its owner may read it. -1 and errno:
 * impossible; EINVAL: the file is no regular one, such as a device or a pipe, and must stay.
 */
int replace_begin(struct replacement *replacement, const char *path, bool private);

/* Puts it in the file's place. -1 and errno: the old file stays. */
int replace_end(struct replacement *replacement);

/* Forget it. */
void replace_cancel(struct replacement *replacement);

/*
 * open(2) for writing, which never waits where no signal ends it: perfex holds signals back, but
 * until a pipe has a reader SIGINT, SIGQUIT, SIGTERM and SIGHUP end it, unless they were ignored
 * when it began.
 */
int outfile_open(const char *path, int flags, mode_t mode);

/* Whether two names are one regular file's, also if it is not there yet. */
bool outfile_same(const char *one, const char *other);

#endif /* PERFCTR_TOOLS_OUTFILE_H */
