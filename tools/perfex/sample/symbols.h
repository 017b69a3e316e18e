/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* symbols.h - function names by address. */
#ifndef PERFCTR_TOOLS_SYMBOLS_H
#define PERFCTR_TOOLS_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* No compiler makes longer ones; a limit keeps names within names from causing endless work. */
#define LONGEST_NAME 8192

struct symbols;

struct symbols *symbols_new(void);

/* Maps these offsets of a file to this address. Without segments, offsets are addresses. */
void symbols_add_segment(struct symbols *symbols, uint64_t offset, uint64_t size, uint64_t address);

/* One of several names of a place is shown, that with the highest rank. */
void symbols_add(struct symbols *symbols, uint64_t start, uint64_t end, int rank, const char *name,
		 size_t length);

/* One whose size is not known ends where the next one begins, and at the limit at the latest. */
void symbols_add_open(struct symbols *symbols, uint64_t start, uint64_t limit, int rank,
		      const char *name, size_t length);

/* There are no more: symbols can be looked for. */
void symbols_end(struct symbols *symbols);

size_t symbols_number(const struct symbols *symbols);

/* The function at an offset, and how far in it that is; NULL if it is in none that has a name. */
const char *symbols_find(const struct symbols *symbols, uint64_t offset, uint64_t *into);

void symbols_free(struct symbols *symbols);

#endif /* PERFCTR_TOOLS_SYMBOLS_H */
