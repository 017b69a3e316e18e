/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * outfile.h - files for results: readers see what was there before or all that is new, and nothing
 * in between; and opening a file never hangs.
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
 * Begin to write what is to be in the file's place; private: for its owner's eyes only. -1 and
 * errno: it can't; EINVAL: there is something that is no file, such as a device or a pipe, and must
 * stay.
 */
int replace_begin(struct replacement *replacement, const char *path, bool private);

/* Put it there. -1 and errno: what was there stays. */
int replace_end(struct replacement *replacement);

/* Forget it. */
void replace_cancel(struct replacement *replacement);

/*
 * open(2) for writing, which never waits where no signal ends it: perfex holds signals back, but
 * until a pipe has a reader SIGINT, SIGQUIT, SIGTERM and SIGHUP end it, unless they were ignored
 * when it began.
 */
int outfile_open(const char *path, int flags, mode_t mode);

#endif /* PERFCTR_TOOLS_OUTFILE_H */
