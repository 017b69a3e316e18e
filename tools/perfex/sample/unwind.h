/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unwind.h - the calls that led to a sample, from a copy of its registers and stack, by what
 * compilers tell debuggers of each function (DWARF): for what is compiled without frame pointers.
 * By libdw, if there is one, and its headers were there when perfex was built. Processes write
 * their stacks, and map files, as they like.
 */
#ifndef PERFCTR_TOOLS_UNWIND_H
#define PERFCTR_TOOLS_UNWIND_H

#include <libperfctr.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/perfex/sample/histogram.h"

/* The most calls of a chain, as many as the kernel's own have. */
#define UNWIND_MOST 127

/* Bytes of a stack, as perf_events can copy them, and as many as are enough for most. */
#define UNWIND_LARGEST 65528u
#define UNWIND_USUAL   8192u

struct unwinder;

/* Why there is none, or NULL; to be asked before all else, since it looks for libdw. */
const char *unwind_missing(void);

/* What samples need: the mask of registers for PERF_SAMPLE_REGS_USER. */
uint64_t unwind_registers(void);

/* The histogram knows what processes have mapped; stack is how many bytes of it samples have. */
struct unwinder *unwind_new(const struct histogram *histogram, uint32_t stack);

/*
 * The calls in user mode, as perf_events write them: the innermost first. 0: there is nothing to
 * find them by. They are there until the next call.
 */
size_t unwind(struct unwinder *unwinder, uint32_t pid, const struct perfctr_record_sample *sample,
	      const uint64_t **chain);

/* How many samples have calls that were not found, for their stack is longer than its copy. */
uint64_t unwind_cut(const struct unwinder *unwinder);

void unwind_free(struct unwinder *unwinder);

#endif /* PERFCTR_TOOLS_UNWIND_H */
