/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* symbols.h - names of functions in ELF files. */
#ifndef PERFCTR_TOOLS_SYMBOLS_H
#define PERFCTR_TOOLS_SYMBOLS_H

#include <stdint.h>

struct symbols;

/* Without any if the file is no ELF file. */
struct symbols *symbols_read(const char *file);

/* The function at an offset in the file; NULL if it is in none that has a name. */
const char *symbols_find(const struct symbols *symbols, uint64_t offset);

void symbols_free(struct symbols *symbols);

#endif /* PERFCTR_TOOLS_SYMBOLS_H */
