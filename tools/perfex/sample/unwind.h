/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unwind.h - finds the calls that led to a sample, from a copy of its registers and stack, by the
 * tables that compilers make for debuggers (DWARF): this works for code without frame pointers. It
 * uses libdw, if that is there, and was when perfex was built. Processes choose the contents of
 * their stacks and files, which are not trusted.
 */
#ifndef PERFCTR_TOOLS_UNWIND_H
#define PERFCTR_TOOLS_UNWIND_H

#include <libperfctr.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/perfex/sample/histogram.h"

/* The largest number of calls in a chain, which is also the kernel's. */
#define UNWIND_MOST 127

/* The largest copy of a stack that perf_events can make, and one that is enough for most. */
#define UNWIND_LARGEST 65528u
#define UNWIND_USUAL   8192u

struct unwinder;

/* Why there is none, or NULL; to be asked before all else, since it looks for libdw. */
const char *unwind_missing(void);

/* Returns the mask of the registers that samples need, for PERF_SAMPLE_REGS_USER. */
uint64_t unwind_registers(void);

/*
 * Makes an unwinder. The histogram has the processes' mappings; stack: the bytes of it in samples.
 */
struct unwinder *unwind_new(struct histogram *histogram, uint32_t stack);

/* Why outer calls of a sample were not found. */
enum unwind_end {
	UNWIND_WHOLE,	/* they were, or nobody can tell */
	UNWIND_CUT,	/* the stack is longer than its copy */
	UNWIND_OUTSIDE, /* a caller is in no file, and no frame pointer leads on */
};

/*
 * The calls in user mode, as perf_events write them: the innermost first. 0: there is nothing to
 * find them by. They are there until the next call.
 */
size_t unwind(struct unwinder *unwinder, uint32_t pid, const struct perfctr_record_sample *sample,
	      const uint64_t **chain, enum unwind_end *end);

/* From now on finds no calls of a process, until it maps other files. */
void unwind_leave_out(struct unwinder *unwinder, uint32_t pid);

void unwind_free(struct unwinder *unwinder);

#endif /* PERFCTR_TOOLS_UNWIND_H */
