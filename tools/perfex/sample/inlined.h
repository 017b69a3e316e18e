/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inlined.h - the functions that a compiler has inlined at an instruction, and the line of the
 * source that it is of, by libdw. Another process reads the debugging information, which may have
 * any contents.
 */
#ifndef PERFCTR_TOOLS_INLINED_H
#define PERFCTR_TOOLS_INLINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/perfex/sample/elf.h"

/*
 * Is called with an address's number and the names of the functions there, as linkers have them,
 * the outermost first: n bytes, with a 0 after each.
 */
typedef void inlined_found(void *arg, size_t number, const char *names, size_t n);

/*
 * Finds them for addresses of a file, which are sorted, or of its debug file. Calls back for those
 * that are in inlined functions. Returns false if not all could be found: the information takes too
 * long to read.
 */
bool inlined_find(const struct elf_source *source, const uint64_t *address, size_t n,
		  inlined_found *found, void *arg);

/* Finds the lines of the source likewise, and calls back with each: "FILE:LINE", one name. */
bool inlined_lines(const struct elf_source *source, const uint64_t *address, size_t n,
		   inlined_found *found, void *arg);

/* Ends that process; another question begins one. */
void inlined_end(void);

#endif /* PERFCTR_TOOLS_INLINED_H */
