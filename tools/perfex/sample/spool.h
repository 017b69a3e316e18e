/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * spool.h - keeps records in a file without a name, so that they can be read from the kernel's
 * buffers at once, and looked at later.
 */
#ifndef PERFCTR_TOOLS_SPOOL_H
#define PERFCTR_TOOLS_SPOOL_H

#include <libperfctr.h>
#include <stdbool.h>
#include <stdint.h>

struct spool;

/* The directory that has the file: TMPDIR, or /tmp. */
const char *spool_directory(void);

/* Makes an empty one; exits if the directory takes no file. */
struct spool *spool_new(void);
void spool_free(struct spool *spool);

/*
 * Keeps a record with the data that perfex uses: a sample's chain, counts, branches, registers and
 * stack, a mapping's file, a thread's name, a process's namespaces. Exits if the file can't be
 * written.
 */
void spool_put(struct spool *spool, const struct perfctr_record *record);

/* Whether it has half of what was free in the directory when it was made. */
bool spool_is_full(const struct spool *spool);

/*
 * Returns the oldest record that was not read yet, with its data, until the next call; NULL: all
 * were read. A copy of this process continues for itself.
 */
const struct perfctr_record *spool_next(struct spool *spool);

/* Forgets all records, so that the file is empty. */
void spool_empty(struct spool *spool);

/* How much of it was read. */
unsigned int spool_percent(const struct spool *spool);

#endif /* PERFCTR_TOOLS_SPOOL_H */
