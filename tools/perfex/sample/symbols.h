/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* symbols.h - function names by address. */
#ifndef PERFCTR_TOOLS_SYMBOLS_H
#define PERFCTR_TOOLS_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbols;

struct symbols *symbols_new(void);

/* Maps these offsets of a file to this address. Without segments, offsets are addresses. */
void symbols_add_segment(struct symbols *symbols, uint64_t offset, uint64_t size, uint64_t address);

/*
 * A function from start to end, which is not its part. One of several names of a place is shown,
 * that with the highest rank.
 */
void symbols_add(struct symbols *symbols, uint64_t start, uint64_t end, int rank, const char *name,
		 size_t length);

/* One whose size is not known ends where the next one begins, and at the limit at the latest. */
void symbols_add_open(struct symbols *symbols, uint64_t start, uint64_t limit, int rank,
		      const char *name, size_t length);

/* One that is only shown where there is no function. */
void symbols_add_label(struct symbols *symbols, uint64_t start, uint64_t limit, int rank,
		       const char *name, size_t length);

/* Which of several functions that have an address it is. */
enum symbols_order {
	SYMBOLS_NESTED, /* the innermost one */
	SYMBOLS_LAYERED /* that with the highest rank */
};

/* There are no more: symbols can be looked for. */
void symbols_end(struct symbols *symbols, enum symbols_order order);

size_t symbols_number(const struct symbols *symbols);

/* The function at an offset, and how far in it that is; NULL if it is in none that has a name. */
const char *symbols_find(const struct symbols *symbols, uint64_t offset, uint64_t *into);

/* Finds the address of an offset; 0: the file's contents there are nowhere in memory. */
int symbols_address(const struct symbols *symbols, uint64_t offset, uint64_t *address);

/* Returns the rank of the function at an offset that lies above others there; -1: it does not. */
int symbols_layer(const struct symbols *symbols, uint64_t offset);

void symbols_free(struct symbols *symbols);

#endif /* PERFCTR_TOOLS_SYMBOLS_H */
