/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * works.h - work with known counts: a fixed number of loads, branches, divides and so on in a
 * round. A work that an ISA has no instructions for has no rounds. `expected` has what events count
 * of it.
 */
#ifndef PERFCTR_TESTS_SILICON_WORKS_H
#define PERFCTR_TESTS_SILICON_WORKS_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/harness/loop.h"

typedef void work_fn(unsigned long n);

/* Never a part of what measures it. */
#define WORK static __attribute__((noinline)) void

/* n rounds of the instructions of body, which may leave for "2". Operands begin with %1. */
#if defined(__aarch64__)
#define ROUNDS(body) "1: " body "; subs %0, %0, #1; b.ne 1b; 2:"
#define LOAD	     "ldr w9, [%1]"
#define STORE	     "str wzr, [%1]"
#define UNTAKEN	     "tbnz %0, #63, 2f"
#define DIVIDE	     "udiv x9, %1, %2"
#define ADD_SCALAR   "fadd %d1, %d1, %d1"
#define DIVIDE_FLOAT "fdiv %d1, %d1, %d2"
#define ADD_PACKED   "fadd %1.2d, %1.2d, %1.2d"
#define CLOBBERS     "x9", "cc", "memory"
#define IN_FLOAT     "w"
#elif defined(__riscv)
#define ROUNDS(body) "1: " body "; addi %0, %0, -1; bnez %0, 1b; 2:"
#define LOAD	     "lw t0, 0(%1)"
#define STORE	     "sw zero, 0(%1)"
#define UNTAKEN	     "bltz %0, 2f"
#ifdef __riscv_div
#define DIVIDE "divu t0, %1, %2"
#endif
#if __riscv_flen >= 64
#define ADD_SCALAR   "fadd.d %1, %1, %1"
#define DIVIDE_FLOAT "fdiv.d %1, %1, %2"
#endif
#define CLOBBERS "t0", "memory"
#define IN_FLOAT "f"
#elif defined(__i386__) || defined(__x86_64__)
#define ROUNDS(body) "1: " body "; dec %0; jnz 1b; 2:"
#define LOAD	     "movl (%1), %%eax"
#define STORE	     "movl $0, (%1)"
#define UNTAKEN	     "test %0, %0; js 2f"
#define DIVIDE	     "xorl %%edx, %%edx; movl %k1, %%eax; divl %k2"
#ifdef __SSE2__
#define ADD_SCALAR   "addsd %1, %1"
#define DIVIDE_FLOAT "divsd %2, %1"
#define ADD_PACKED   "addpd %1, %1"
#endif
#define CLOBBERS "eax", "edx", "cc", "memory"
#define IN_FLOAT "x"
#elif defined(__powerpc__)
#define ROUNDS(body) "1: " body "; addic. %0, %0, -1; bne 1b; 2:"
#define LOAD	     "lwz 9, 0(%1)"
#define STORE	     "stw 9, 0(%1)"
#define UNTAKEN	     "cmpwi %0, 0; blt 2f"
#define DIVIDE	     "divwu 9, %1, %2"
#ifndef __NO_FPRS__
#define ADD_SCALAR   "fadd %1, %1, %1"
#define DIVIDE_FLOAT "fdiv %1, %1, %2"
#endif
#ifdef __VSX__
#define ADD_PACKED "xvadddp %x1, %x1, %x1"
#endif
#define CLOBBERS "r9", "cr0", "xer", "memory"
#define IN_FLOAT "d"
#endif

/* On PowerPC r0 is no base, and no first operand of addic. */
#ifdef __powerpc__
#define IN_BASE "b"
#else
#define IN_BASE "r"
#endif

static unsigned int cell[16] __attribute__((aligned(64)));

WORK work_nothing(unsigned long n)
{
	(void)n;
}

WORK work_loop(unsigned long n)
{
	loop(n);
}

#ifdef LOOP_IS_KNOWN
#define HAS_MEMORY 1
WORK work_loads(unsigned long n)
{
	__asm__ volatile(ROUNDS(LOAD) : "+" IN_BASE(n) : IN_BASE(cell) : CLOBBERS);
}

WORK work_stores(unsigned long n)
{
	__asm__ volatile(ROUNDS(STORE) : "+" IN_BASE(n) : IN_BASE(cell) : CLOBBERS);
}

/* A branch that is not taken, and that of the loop, which is. */
WORK work_untaken(unsigned long n)
{
	__asm__ volatile(ROUNDS(UNTAKEN) : "+" IN_BASE(n) : : CLOBBERS);
}
#else
#define HAS_MEMORY   0
#define work_loads   work_nothing
#define work_stores  work_nothing
#define work_untaken work_nothing
#endif

static __attribute__((noinline)) void called(void)
{
	__asm__ volatile("");
}

/* A call and a return. */
WORK work_calls(unsigned long n)
{
	while (n--)
		called();
}

static uint64_t random_state = 0x9E3779B97F4A7C15;

static inline uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* The same instructions whether the branch over the nop can be predicted or not. */
static __attribute__((noinline)) void branches(unsigned long n, uint64_t mask)
{
	while (n--)
		if (next_random() & mask)
			__asm__ volatile("nop");
}

WORK work_random(unsigned long n)
{
	branches(n, 1ull << 63);
}

WORK work_steady(unsigned long n)
{
	branches(n, 0);
}

/* ---- caches: a circle of lines, few of them or more than a core's caches hold ---- */

enum { FAR = 1 << 19, NEAR = 64 };
static struct line {
	struct line *next;
	char rest[64 - sizeof(struct line *)];
} * far_lines, near_lines[NEAR] __attribute__((aligned(64)));

static inline void make_circle(struct line *lines, unsigned int n)
{
	struct line *line;
	unsigned int i, k;

	for (i = 0; i < n; i++)
		lines[i].next = &lines[i];
	/* Sattolo's: exchanging with one before it keeps it one circle, in no order that a
	 * prefetcher knows. */
	for (i = n - 1; i > 0; i--) {
		k = (unsigned int)(next_random() % i);
		line = lines[i].next;
		lines[i].next = lines[k].next;
		lines[k].next = line;
	}
}

static inline void chase(struct line *volatile *at, unsigned long n)
{
	struct line *line = *at;

	while (line && n--)
		line = line->next;
	*at = line;
}

WORK work_near(unsigned long n)
{
	static struct line *volatile at = near_lines;

	chase(&at, n);
}

WORK work_far(unsigned long n)
{
	static struct line *volatile at;

	if (!at)
		at = far_lines;
	chase(&at, n);
}

/* ---- TLBs: pages, more than they hold, all of which are the kernel's page of zeros ---- */

enum { PAGES = 1 << 14, APART = 5167 };
static volatile char *pages;
static size_t page_size;

WORK work_pages(unsigned long n)
{
	static unsigned int at;
	unsigned int i = at;

	while (pages && n--) {
		i = (i + APART) % PAGES;
		(void)pages[i * page_size];
	}
	at = i;
}

static void *small_pages(size_t size, int protection)
{
	void *at = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	madvise(at, size, MADV_NOHUGEPAGE);
	return at;
}

/* far's lines: FAR, or less if nobody judges what they miss. */
static inline void make_memory(unsigned int lines)
{
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	far_lines = small_pages(lines * sizeof(struct line), PROT_READ | PROT_WRITE);
	if (far_lines)
		make_circle(far_lines, lines);
	make_circle(near_lines, NEAR);
	pages = small_pages(PAGES * page_size, PROT_READ);
	work_pages(PAGES);
}

/* ---- arithmetic ---- */

#ifdef DIVIDE
#define HAS_DIVIDE 1
WORK work_divides(unsigned long n)
{
	unsigned long dividend = 0x7FFFFFFF, divisor = 3;

	__asm__ volatile(ROUNDS(DIVIDE)
			 : "+" IN_BASE(n)
			 : IN_BASE(dividend), IN_BASE(divisor)
			 : CLOBBERS);
}
#else
#define HAS_DIVIDE   0
#define work_divides work_nothing
#endif

#ifdef ADD_SCALAR
#define HAS_SCALAR 1
WORK work_scalar(unsigned long n)
{
	double sum = 0;

	__asm__ volatile(ROUNDS(ADD_SCALAR) : "+" IN_BASE(n), "+" IN_FLOAT(sum) : : CLOBBERS);
}

WORK work_fdivides(unsigned long n)
{
	double quotient = 1.1, divisor = 1.0000001;

	__asm__ volatile(ROUNDS(DIVIDE_FLOAT)
			 : "+" IN_BASE(n), "+" IN_FLOAT(quotient)
			 : IN_FLOAT(divisor)
			 : CLOBBERS);
}
#else
#define HAS_SCALAR    0
#define work_scalar   work_nothing
#define work_fdivides work_nothing
#endif

#ifdef ADD_PACKED
#define HAS_PACKED 1
WORK work_packed(unsigned long n)
{
	double sum __attribute__((vector_size(16))) = { 0, 0 };

#ifdef __powerpc__
	__asm__ volatile(ROUNDS(ADD_PACKED) : "+b"(n), "+wa"(sum) : : CLOBBERS);
#else
	__asm__ volatile(ROUNDS(ADD_PACKED) : "+r"(n), "+" IN_FLOAT(sum) : : CLOBBERS);
#endif
}
#else
#define HAS_PACKED  0
#define work_packed work_nothing
#endif

WORK work_system(unsigned long n)
{
	while (n--)
		syscall(SYS_getppid);
}

/* ---- all of them ---- */

enum { MANY = 20000, SOME = 2000, FEW = 500 };

static const struct work {
	const char *name;
	work_fn *run;
	unsigned int rounds;
} works[] = {
	{ "nothing", work_nothing, 0 },
	{ "loop", work_loop, MANY },
	{ "loads", work_loads, HAS_MEMORY *MANY },
	{ "stores", work_stores, HAS_MEMORY *MANY },
	{ "untaken", work_untaken, HAS_MEMORY *MANY },
	{ "calls", work_calls, MANY },
	{ "random", work_random, MANY },
	{ "steady", work_steady, MANY },
	{ "near", work_near, SOME },
	{ "far", work_far, SOME },
	{ "pages", work_pages, SOME },
	{ "divides", work_divides, HAS_DIVIDE *SOME },
	{ "scalar", work_scalar, HAS_SCALAR *MANY },
	{ "packed", work_packed, HAS_PACKED *MANY },
	{ "fdivides", work_fdivides, HAS_SCALAR *SOME },
	{ "system", work_system, FEW },
};
enum { NWORKS = sizeof(works) / sizeof(works[0]) };

#endif /* PERFCTR_TESTS_SILICON_WORKS_H */
