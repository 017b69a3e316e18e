/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replace.h - files of which readers see what was there before or all that is new, and nothing in
 * between.
 */
#ifndef PERFCTR_TOOLS_REPLACE_H
#define PERFCTR_TOOLS_REPLACE_H

#include <stdbool.h>
#include <stdio.h>

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

#endif /* PERFCTR_TOOLS_REPLACE_H */
