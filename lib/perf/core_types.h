/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * core_types.h - the reader of an event on several core types.
 *
 * The event is open on each type's PMU, and its pages are mapped. Where the thread runs, one page
 * has an index; the others have what was counted before. Between the reading of that index and of
 * the counter the thread may be moved to a processor that lacks the counter, where the instruction
 * faults. So both are in a restartable sequence (rseq(2)): whenever the kernel has preempted or
 * moved the thread, or sent it a signal, between the two, it continues at the sequence's abort
 * handler, and the reader starts again.
 *
 *	do {
 *		seq = sum of the pages' locks
 *		rseq_cs = this sequence
 *			index = that of the page which has one, found by "or"
 *			raw = rdpmc(index - 1)
 *		rseq_cs = 0
 *		aborted: again, but PERFCTR_ABORTS times at most; no index: ask the kernel
 *		value = sign_extend(raw, width) + sum of the offsets
 *	} while (sum of the pages' locks != seq)
 *
 * Locks only grow, so that their sum is the same if each is. An interrupt that does not preempt
 * the thread may change a page, too, but the processor stays the same: that is the locks' case.
 * A debugger that steps through a program aborts each try, and reads end in the kernel.
 *
 * rseq_cs is cleared at the end, because the kernel looks at what it points to at the thread's next
 * preemption, and kills who has it point to memory that is not there.
 */
#ifndef PERFCTR_LIB_PERF_CORE_TYPES_H
#define PERFCTR_LIB_PERF_CORE_TYPES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "perfctr/read.h"

#if (defined(__x86_64__) && !defined(__ILP32__)) || defined(__aarch64__)
#define PERFCTR_HAVE_CORE_TYPES 1
#else
#define PERFCTR_HAVE_CORE_TYPES 0
#endif

#define PERFCTR_CORE_TYPES 3 /* at most */
#define PERFCTR_ABORTS	   3

/* The head of struct rseq, which the kernel and the C library share (<linux/rseq.h>). */
struct perfctr_rseq {
	uint32_t cpu_id_start;
	int32_t cpu_id; /* negative: not registered */
	uint64_t rseq_cs;
};

/* What such a reader's page is; where the kernel clears a child's memory, it is zero there. */
struct perfctr_core_types {
	struct perfctr_reader_types head;
	volatile struct perfctr_rseq *rseq; /* the thread's */
	const volatile struct perf_event_mmap_page *page[PERFCTR_CORE_TYPES];
};

/* The calling thread's, or NULL: the C library has registered none, or this ISA has no reader. */
volatile struct perfctr_rseq *perfctr_rseq_here(void);

/*
 * Make a reader of n pages, 2 to PERFCTR_CORE_TYPES, which are the calling thread's. It is valid as
 * long as types and pages are. false: their counters are not of one width.
 */
bool perfctr_core_types_reader(struct perfctr_core_types *types,
			       const struct perf_event_mmap_page *const *page, unsigned int n,
			       volatile struct perfctr_rseq *rseq, struct perfctr_reader *reader);

/*
 * A sequence by itself: reads the counter of the page that has an index, of PERFCTR_CORE_TYPES
 * pages, which may be the same one again if that never has an index. Returns the counter's number,
 * or one of these two. It takes the same number of instructions on each core type.
 */
#define PERFCTR_NOT_HERE UINT32_MAX	  /* no page has an index, or rseq is not registered */
#define PERFCTR_ABORTED	 (UINT32_MAX - 2) /* preempted, moved or interrupted by a signal */
uint32_t perfctr_core_types_raw(volatile struct perfctr_rseq *rseq,
				const struct perf_event_mmap_page *const *page, uint64_t *raw);

#endif /* PERFCTR_LIB_PERF_CORE_TYPES_H */
