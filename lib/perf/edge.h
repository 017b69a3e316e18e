/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * edge.h - where counting begins and ends: reading its counters is the last thing that a control
 * does, and the first thing that a stop does.
 *
 * All that the thread executes between the two readings is counted, and so are the library's own
 * instructions. On x86-64 and arm64 both edges are written in assembler, so that their number is
 * known for each counter. A counter of instructions in user mode can leave out exactly that many:
 *
 *	begin				end
 *	  read counter i		  before(i) instructions
 *	  after(n, i) instructions	  read counter i
 *
 * It never leaves out too many. A value of counter i that somebody sees has been read when all
 * after(n, i) instructions had been executed, and those of before(i) stand between the end's call
 * and its reading. The processor may read a counter before it has counted all earlier
 * instructions, so barriers (LFENCE, ISB) make it wait. If the thread is switched in the middle of
 * a reading, the page's lock changes and the edge reads again; these instructions are counted.
 *
 * Both edges are inlined, because a call would be counted.
 */
#ifndef PERFCTR_LIB_PERF_EDGE_H
#define PERFCTR_LIB_PERF_EDGE_H

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libperfctr.h"
#include "perfctr/read.h"

struct perfctr_edge {
	struct perfctr_reader reader[PERFCTR_NR_CTRS];
	struct perfctr_reader *end; /* after the last one in use */
	uint64_t *value;	    /* as many values */
};

#if defined(__x86_64__) && !defined(__ILP32__)

#define PERFCTR_EDGE_AFTER	 15 /* from the last RDPMC, which is included */
#define PERFCTR_EDGE_AFTER_EACH	 18 /* from an RDPMC to the next one */
#define PERFCTR_EDGE_BEFORE	 11 /* up to the first RDPMC */
#define PERFCTR_EDGE_BEFORE_EACH 20

#elif defined(__aarch64__)

/* A branch target's landing pad, if the compiler makes them. */
#define PERFCTR_EDGE_PAD	 (sizeof(PERFCTR_MRS_LANDING) > 1)
#define PERFCTR_EDGE_AFTER	 20
#define PERFCTR_EDGE_AFTER_EACH	 (25 + PERFCTR_EDGE_PAD)
#define PERFCTR_EDGE_BEFORE	 (15 + PERFCTR_EDGE_PAD)
#define PERFCTR_EDGE_BEFORE_EACH (26 + PERFCTR_EDGE_PAD)

#else

#define PERFCTR_EDGE_AFTER	 0
#define PERFCTR_EDGE_AFTER_EACH	 0
#define PERFCTR_EDGE_BEFORE	 0
#define PERFCTR_EDGE_BEFORE_EACH 0

#endif

/* How many instructions of a begin of n counters follow the reading of counter i. */
static inline uint64_t perfctr_edge_after(unsigned int n, unsigned int i)
{
	return PERFCTR_EDGE_AFTER + (uint64_t)PERFCTR_EDGE_AFTER_EACH * (n - 1 - i);
}

/* How many instructions of an end stand before the reading of counter i. */
static inline uint64_t perfctr_edge_before(unsigned int i)
{
	return PERFCTR_EDGE_BEFORE + (uint64_t)PERFCTR_EDGE_BEFORE_EACH * i;
}

/*
 * perfctr_edge_begin() takes its counter's count from each reader's base, so that the reader's
 * values begin at what the base was. Then it sets *cstatus, which lets the thread use the readers,
 * and makes *resumes, which was odd, even, which lets other threads use them. It takes at least one
 * reader. perfctr_edge_end() stores the readers' values in value[].
 *
 * false: a counter can't be read in user space now. Some bases or values may have changed.
 */
#if (defined(__x86_64__) && !defined(__ILP32__)) || defined(__aarch64__)

#define PERFCTR_EDGE_OFFSETS                                               \
	[page] "i"(offsetof(struct perfctr_reader, page)),                 \
		[base] "i"(offsetof(struct perfctr_reader, base)),         \
		[shift] "i"(offsetof(struct perfctr_reader, shift)),       \
		[size] "i"(sizeof(struct perfctr_reader)),                 \
		[end] "i"(offsetof(struct perfctr_edge, end)),             \
		[value] "i"(offsetof(struct perfctr_edge, value)),         \
		[lock] "i"(offsetof(struct perf_event_mmap_page, lock)),   \
		[index] "i"(offsetof(struct perf_event_mmap_page, index)), \
		[offset] "i"(offsetof(struct perf_event_mmap_page, offset))
#endif

#if defined(__x86_64__) && !defined(__ILP32__)

/* rax is the value that reader r8 reads; r9 is its page; r10 the lock, for the comparison. */
#define PERFCTR_EDGE_READ                 \
	"1:	mov	%c[page](%%r8), %%r9\n"   \
	"2:	mov	%c[lock](%%r9), %%r10d\n" \
	"	mov	%c[index](%%r9), %%ecx\n"   \
	"	sub	$1, %%ecx\n"                \
	"	jb	%l[none]\n"                  \
	"	rdpmc\n"                        \
	"	shl	$32, %%rdx\n"               \
	"	or	%%rdx, %%rax\n"              \
	"	mov	%c[shift](%%r8), %%ecx\n"   \
	"	shl	%%cl, %%rax\n"              \
	"	sar	%%cl, %%rax\n"              \
	"	add	%c[offset](%%r9), %%rax\n"

static inline bool perfctr_edge_begin(struct perfctr_edge *edge, atomic_uint *cstatus,
				      unsigned int is, atomic_uint *resumes)
{
	__asm__ __volatile__ goto(
		"	lea	%[edge], %%r8\n"
		"	mov	%c[end](%%r8), %%r11\n"
		"	lfence\n" PERFCTR_EDGE_READ "	cmp	%%r10d, %c[lock](%%r9)\n"
		"	jne	2b\n"
		"	sub	%%rax, %c[base](%%r8)\n"
		"	add	%[size], %%r8\n"
		"	cmp	%%r11, %%r8\n"
		"	jne	1b\n"
		"	mov	%[is], %[cstatus]\n"
		"	addl	$1, %[resumes]\n"
		"	lfence\n"
		:
		: [edge] "m"(*edge), [cstatus] "m"(*cstatus), [is] "r"(is), [resumes] "m"(*resumes),
		  PERFCTR_EDGE_OFFSETS
		: "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "cc", "memory"
		: none);
	return true;
none:
	return false;
}

static inline bool perfctr_edge_end(struct perfctr_edge *edge)
{
	__asm__ __volatile__ goto("	lea	%[edge], %%r8\n"
				  "	mov	%c[value](%%r8), %%r11\n"
				  "	mov	%c[end](%%r8), %%rsi\n"
				  "	lfence\n"
				  "	cmp	%%rsi, %%r8\n"
				  "	je	%l[none]\n" PERFCTR_EDGE_READ
				  "	add	%c[base](%%r8), %%rax\n"
				  "	mov	%%rax, (%%r11)\n"
				  "	cmp	%%r10d, %c[lock](%%r9)\n"
				  "	jne	2b\n"
				  "	add	%[size], %%r8\n"
				  "	add	$8, %%r11\n"
				  "	cmp	%%rsi, %%r8\n"
				  "	jne	1b\n"
				  :
				  : [edge] "m"(*edge), PERFCTR_EDGE_OFFSETS
				  : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "rsi", "cc",
				    "memory"
				  : none);
	return true;
none:
	return false;
}

#elif defined(__aarch64__)

/* x14 is the value that reader x8 reads; x9 is its page; w10 the lock, for the comparison. */
#define PERFCTR_EDGE_READ                                                                  \
	"1:	ldr	x9, [x8, %[page]]\n"                                                       \
	"2:	ldr	w10, [x9, %[lock]]\n"                                                      \
	"	ldr	w12, [x9, %[index]]\n"                                                       \
	"	sub	w12, w12, #1\n"                                                              \
	"	cmp	w12, #31\n"                                                                  \
	"	b.hi	%l[none]\n"                                                                 \
	"	adr	x13, 3f\n"                                                                   \
	"	add	x13, x13, w12, uxtw #" PERFCTR_MRS_SHIFT "\n"                      \
	"	br	x13\n"                                                                        \
	"3:\n"                                                                             \
	"	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, "                  \
	"16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n" PERFCTR_MRS_LANDING \
	"	mrs	x14, pmevcntr\\n\\()_el0\n"                                                  \
	"	b	4f\n" PERFCTR_MRS_PADDING "	.endr\n" PERFCTR_MRS_LANDING       \
	"	mrs	x14, pmccntr_el0\n"                                                          \
	"	b	4f\n"                                                                          \
	"4:	ldr	w12, [x8, %[shift]]\n"                                                     \
	"	lsl	x14, x14, x12\n"                                                             \
	"	asr	x14, x14, x12\n"                                                             \
	"	ldr	x13, [x9, %[offset]]\n"                                                      \
	"	add	x14, x14, x13\n"

static inline bool perfctr_edge_begin(struct perfctr_edge *edge, atomic_uint *cstatus,
				      unsigned int is, atomic_uint *resumes)
{
	__asm__ __volatile__ goto(
		"	mov	x8, %[edge]\n"
		"	ldr	x11, [x8, %[end]]\n"
		"	isb\n" PERFCTR_EDGE_READ "	ldr	w13, [x9, %[lock]]\n"
		"	cmp	w13, w10\n"
		"	b.ne	2b\n"
		"	ldr	x13, [x8, %[base]]\n"
		"	sub	x13, x13, x14\n"
		"	str	x13, [x8, %[base]]\n"
		"	add	x8, x8, %[size]\n"
		"	cmp	x8, x11\n"
		"	b.ne	1b\n"
		"	str	%w[is], %[cstatus]\n"
		"	ldr	w13, [%[resumes]]\n"
		"	add	w13, w13, #1\n"
		"	stlr	w13, [%[resumes]]\n"
		"	isb\n"
		:
		: [edge] "r"(edge), [cstatus] "m"(*cstatus), [is] "r"(is), [resumes] "r"(resumes),
		  PERFCTR_EDGE_OFFSETS
		: "x8", "x9", "x10", "x11", "x12", "x13", "x14", "cc", "memory"
		: none);
	return true;
none:
	return false;
}

static inline bool perfctr_edge_end(struct perfctr_edge *edge)
{
	__asm__ __volatile__ goto("	mov	x8, %[edge]\n"
				  "	ldr	x11, [x8, %[value]]\n"
				  "	ldr	x15, [x8, %[end]]\n"
				  "	isb\n"
				  "	cmp	x8, x15\n"
				  "	b.eq	%l[none]\n" PERFCTR_EDGE_READ
				  "	ldr	x13, [x8, %[base]]\n"
				  "	add	x14, x14, x13\n"
				  "	str	x14, [x11]\n"
				  "	ldr	w13, [x9, %[lock]]\n"
				  "	cmp	w13, w10\n"
				  "	b.ne	2b\n"
				  "	add	x8, x8, %[size]\n"
				  "	add	x11, x11, #8\n"
				  "	cmp	x8, x15\n"
				  "	b.ne	1b\n"
				  :
				  : [edge] "r"(edge), PERFCTR_EDGE_OFFSETS
				  : "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "cc",
				    "memory"
				  : none);
	return true;
none:
	return false;
}

#else

static inline bool perfctr_edge_begin(struct perfctr_edge *edge, atomic_uint *cstatus,
				      unsigned int is, atomic_uint *resumes)
{
	struct perfctr_reader *reader;
	uint64_t value;

	for (reader = edge->reader; reader != edge->end; reader++) {
		if (!perfctr_reader_read(reader, &value))
			return false;
		reader->base -= value - reader->base;
	}
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(cstatus, is, memory_order_relaxed);
	atomic_fetch_add(resumes, 1);
	return true;
}

static inline bool perfctr_edge_end(struct perfctr_edge *edge)
{
	size_t n = (size_t)(edge->end - edge->reader);

	return n && perfctr_reader_read_all(edge->reader, n, edge->value);
}

#endif

#endif /* PERFCTR_LIB_PERF_EDGE_H */
