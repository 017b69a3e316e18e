/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perfctr/read.h - reading counters in user space, without a system call or a function call.
 *
 * Two kernels' pages can be read in this way, each only by the thread that its counters belong to:
 *
 *   perf_events' page (struct perf_event_mmap_page, one per counter), a sequence lock:
 *	do {
 *		seq = lock
 *		if index names no counter: give up, the caller uses read(2)
 *		value = offset + sign_extend(rdpmc(index - 1), width)
 *	} while (lock != seq)
 *
 *   perfctr's page (struct vperfctr_state, one per thread), stamped by the TSC's start value:
 *	do {
 *		t = tsc_start
 *		value = sum + (uint32_t)(rdpmc(map) - start)
 *	} while (tsc_start != t)
 *
 * The kernel changes a page only on the processor that runs the thread, while the thread itself is
 * interrupted. So the loops must stop the compiler from reordering, but not the processor.
 *
 * An event on several core types has a page on each of them, of which at most one names a counter.
 * A thread may be moved between the reading of the index and that of the counter, which its new
 * processor need not have: such a reader calls a function of the library (lib/perf/core_types.c).
 * The counter instructions are not serialising: instructions around a read may overlap with it,
 * unless it is perfctr_reader_read_ordered().
 *
 * The algorithms are written once, below, over one set of primitives per ISA:
 *	PERFCTR_HAVE_RDPMC, perfctr_rdpmc(n)	hardware counter n
 *	PERFCTR_HAVE_RDTSC, perfctr_rdtsc()	the clock
 *	PERFCTR_RDPMC_LAST			largest n that may be asked for
 *	perfctr_fence()				what is before it has executed, what follows has not
 */
#ifndef PERFCTR_READ_H
#define PERFCTR_READ_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <perfctr/abi.h>

#ifdef __cplusplus
/* What is inline is C, and has its casts. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#ifndef perfctr_barrier /* tests/loops counts them */
#define perfctr_barrier() __asm__ __volatile__("" : : : "memory")
#endif
#define perfctr_likely(x) __builtin_expect(!!(x), 1)

#if defined(__i386__) || defined(__x86_64__)

#define PERFCTR_HAVE_RDPMC 1
#define PERFCTR_HAVE_RDTSC 1
#define PERFCTR_RDPMC_LAST UINT32_C(0xFFFFFFFE) /* fixed and P4 counters have high bits set */

static __inline__ uint64_t perfctr_rdpmc(uint32_t n)
{
	unsigned long low, high; /* full registers, or gcc clears upper halves once more */

	__asm__ __volatile__("rdpmc" : "=a"(low), "=d"(high) : "c"(n));
	return (uint64_t)high << 32 | low;
}

static __inline__ uint64_t perfctr_rdtsc(void)
{
	unsigned long low, high;

	__asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/*
 * LFENCE executes when all earlier instructions have, and none later begins before (SDM vol. 2A; on
 * AMD's since Linux 4.15 sets DE_CFG[1]). A 32-bit processor need not have it, but has CPUID.
 */
static __inline__ void perfctr_fence(void)
{
#if defined(__x86_64__) || defined(__SSE2__)
	__asm__ __volatile__("lfence" : : : "memory");
#else
	unsigned int a = 0, b, c = 0, d;

	__asm__ __volatile__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d) : : "memory");
#endif
}

#elif defined(__aarch64__)

#define PERFCTR_HAVE_RDPMC 1
#define PERFCTR_HAVE_RDTSC 1
#define PERFCTR_RDPMC_LAST 31u /* 0-30: PMEVCNTRn_EL0; 31: PMCCNTR_EL0 */

/*
 * MRS names its register in the instruction, so n selects one of 32 instructions. A branch into
 * them is cheaper than PMSELR_EL0, whose write needs an ISB before PMXEVCNTR_EL0 may be read.
 */
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define PERFCTR_MRS_LANDING "	hint	#36\n" /* bti j */
#define PERFCTR_MRS_PADDING "	nop\n"
#define PERFCTR_MRS_SHIFT   "4"
#else
#define PERFCTR_MRS_LANDING ""
#define PERFCTR_MRS_PADDING ""
#define PERFCTR_MRS_SHIFT   "3"
#endif

static __inline__ uint64_t perfctr_rdpmc(uint32_t n)
{
	uint64_t value, target;

	__asm__ __volatile__(
		"	adr	%1, 1f\n"
		"	add	%1, %1, %w2, uxtw #" PERFCTR_MRS_SHIFT "\n"
		"	br	%1\n"
		"1:\n"
		"	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, "
		"16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n" PERFCTR_MRS_LANDING
		"	mrs	%0, pmevcntr\\n\\()_el0\n"
		"	b	2f\n" PERFCTR_MRS_PADDING "	.endr\n" PERFCTR_MRS_LANDING
		"	mrs	%0, pmccntr_el0\n"
		"2:"
		: "=r"(value), "=&r"(target)
		: "r"(n));
	return value;
}

static __inline__ uint64_t perfctr_rdtsc(void)
{
	uint64_t value;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(value));
	return value;
}

/*
 * A context synchronization event: reads of counters keep to their side of it (Arm ARM, "Direct
 * reads and direct writes to System registers").
 */
static __inline__ void perfctr_fence(void)
{
	__asm__ __volatile__("isb" : : : "memory");
}

#elif defined(__powerpc64__)

#define PERFCTR_HAVE_RDPMC 1
#define PERFCTR_HAVE_RDTSC 1
#define PERFCTR_RDPMC_LAST 5u /* n is PMC(n + 1) */

/* The names that user mode may read, if the kernel lets it (Power ISA 2.07B, book III-S, 9.4.1). */
static __inline__ uint64_t perfctr_rdpmc(uint32_t n)
{
	uint64_t value = 0;

	switch (n) {
	case 0: __asm__ __volatile__("mfspr %0, 771" : "=r"(value)); break;
	case 1: __asm__ __volatile__("mfspr %0, 772" : "=r"(value)); break;
	case 2: __asm__ __volatile__("mfspr %0, 773" : "=r"(value)); break;
	case 3: __asm__ __volatile__("mfspr %0, 774" : "=r"(value)); break;
	case 4: __asm__ __volatile__("mfspr %0, 775" : "=r"(value)); break;
	case 5: __asm__ __volatile__("mfspr %0, 776" : "=r"(value)); break;
	}
	return (uint32_t)value;
}

static __inline__ uint64_t perfctr_rdtsc(void)
{
	uint64_t value;

	__asm__ __volatile__("mfspr %0, 268" : "=r"(value));
	return value;
}

/* Earlier instructions have completed, and later ones are fetched again (Power ISA, book II). */
static __inline__ void perfctr_fence(void)
{
	__asm__ __volatile__("isync" : : : "memory");
}

#elif defined(__powerpc__)

#define PERFCTR_HAVE_RDPMC 1
#define PERFCTR_HAVE_RDTSC 1
#define PERFCTR_RDPMC_LAST 5u /* n is PMC(n + 1) */

/* UPMC1-6, the user-readable names (MPC7450 RISC Microprocessor Family Reference Manual, 2.1.5). */
static __inline__ uint64_t perfctr_rdpmc(uint32_t n)
{
	uint32_t value = 0;

	switch (n) {
	case 0: __asm__ __volatile__("mfspr %0, 937" : "=r"(value)); break;
	case 1: __asm__ __volatile__("mfspr %0, 938" : "=r"(value)); break;
	case 2: __asm__ __volatile__("mfspr %0, 941" : "=r"(value)); break;
	case 3: __asm__ __volatile__("mfspr %0, 942" : "=r"(value)); break;
	case 4: __asm__ __volatile__("mfspr %0, 929" : "=r"(value)); break;
	case 5: __asm__ __volatile__("mfspr %0, 930" : "=r"(value)); break;
	}
	return value;
}

static __inline__ uint64_t perfctr_rdtsc(void)
{
	uint32_t high, low, again;

	/* The halves are read one by one: again if the lower one carried in between. */
	do {
		__asm__ __volatile__("mfspr %0, 269" : "=r"(high));
		__asm__ __volatile__("mfspr %0, 268" : "=r"(low));
		__asm__ __volatile__("mfspr %0, 269" : "=r"(again));
	} while (high != again);
	return (uint64_t)high << 32 | low;
}

/* As above (PowerPC Microprocessor Family: The Programming Environments, ISYNC). */
static __inline__ void perfctr_fence(void)
{
	__asm__ __volatile__("isync" : : : "memory");
}

#elif defined(__riscv) && __riscv_xlen == 64

#define PERFCTR_HAVE_RDPMC 1
#define PERFCTR_HAVE_RDTSC 1
#define PERFCTR_RDPMC_LAST 31u /* n is csr 0xC00 + n: cycle, time, instret, hpmcounter3 to 31 */

/*
 * CSRR names its register in the instruction, so n selects one of 32 instructions. The branch into
 * them is by t2, which needs no landing pad (Zicfilp). The shifts clear what is above n's 32 bits.
 */
static __inline__ uint64_t perfctr_rdpmc(uint32_t n)
{
	register uint64_t target __asm__("t2");
	uint64_t value;

	__asm__ __volatile__(
		"	.option	push\n"
		"	.option	norelax\n"
		"	.option	norvc\n"
		"	slli	%0, %2, 32\n"
		"	srli	%0, %0, 29\n"
		"	lla	%1, 1f\n"
		"	add	%1, %1, %0\n"
		"	jr	%1\n"
		"1:\n"
		"	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, "
		"16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
		"	csrr	%0, 0xC00 + \\n\n"
		"	j	2f\n"
		"	.endr\n"
		"2:\n"
		"	.option	pop"
		: "=&r"(value), "=&r"(target)
		: "r"(n));
	return value;
}

static __inline__ uint64_t perfctr_rdtsc(void)
{
	uint64_t value;

	__asm__ __volatile__("csrr %0, time" : "=r"(value));
	return value;
}

/*
 * Orders memory accesses and reads of CSRs, which it takes for input (The RISC-V Instruction Set
 * Manual I, Zicsr); there is no instruction that orders arithmetic, too.
 */
static __inline__ void perfctr_fence(void)
{
	__asm__ __volatile__("fence iorw, iorw" : : : "memory");
}

#else /* no fast path: every read is a read(2) */

#define PERFCTR_HAVE_RDPMC 0
#define PERFCTR_HAVE_RDTSC 0

static __inline__ void perfctr_fence(void)
{
	perfctr_barrier();
}

#endif

#if !PERFCTR_HAVE_RDPMC
#define PERFCTR_RDPMC_LAST 0u
static __inline__ uint64_t perfctr_rdpmc(uint32_t n)
{
	(void)n;
	return 0;
}
#endif

#if !PERFCTR_HAVE_RDTSC
static __inline__ uint64_t perfctr_rdtsc(void)
{
	return 0;
}
#endif

/* ---- perf_events' page ---- */

/*
 * The data for reading one counter. vperfctr_reader() and perfctr_set_reader() fill them in, and
 * say how long they are valid.
 */
struct perfctr_reader {
	const volatile struct perf_event_mmap_page *page;
	uint64_t base;	/* added to the kernel's count */
	uint32_t shift; /* 64 - width of the hardware counter; not on RISC-V and POWER */
	uint32_t types; /* not 0: page is a struct perfctr_reader_types; older programs leave it */
};

/*
 * Of an event on several core types. Who takes it for a page finds index 0 there: "ask the kernel".
 */
struct perfctr_reader_types {
	uint64_t page[8]; /* zero */
	int (*read)(const struct perfctr_reader *reader, uint64_t *value);
	int (*read_all)(const struct perfctr_reader *reader, size_t n, uint64_t *values);
};

/*
 * The counter of a page's index, which is 0 for none. On x86 any other can be read, and a borrow
 * tells 0; elsewhere registers have names, so the bound matters.
 */
static __inline__ int perfctr_index_names_none(uint32_t index, uint32_t *n)
{
#if defined(__i386__) || defined(__x86_64__)
	return __builtin_sub_overflow(index, 1u, n);
#else
	*n = index - 1;
	return *n > PERFCTR_RDPMC_LAST;
#endif
}

/*
 * Returns the shift of a counter's sign to bit 63. RISC-V's kernel tells the width only while the
 * event is in a register, where a page that names one has it. POWER's 32 bits have no sign.
 */
static __inline__ uint32_t perfctr_reader_shift(const struct perfctr_reader *reader,
						const struct perf_event_mmap_page *page)
{
#if defined(__riscv) && __riscv_xlen == 64
	(void)reader;
	return (0u - page->pmc_width) & 63;
#elif defined(__powerpc64__)
	(void)reader, (void)page;
	return 0;
#else
	(void)page;
	return reader->shift;
#endif
}

/* What perfctr_reader_read() does of a reader with one page; else 0. */
static __inline__ int perfctr_page_read_count(const struct perfctr_reader *reader, uint64_t *value)
{
	const volatile struct perf_event_mmap_page *page = reader->page;
	/* Between barriers the compiler may read as it likes, but the index exactly once. */
	const struct perf_event_mmap_page *quick =
		(const struct perf_event_mmap_page *)(uintptr_t)page;
	uint32_t seq, n, shift;
	uint64_t pmc, count;

	do {
		seq = page->lock;
		perfctr_barrier();
		if (!PERFCTR_HAVE_RDPMC || perfctr_index_names_none(page->index, &n))
			return 0;
		pmc = perfctr_rdpmc(n);
		shift = perfctr_reader_shift(reader, quick);
		count = (uint64_t)((int64_t)(pmc << shift) >> shift) + (uint64_t)quick->offset;
		perfctr_barrier();
	} while (!perfctr_likely(quick->lock == seq));
	*value = count + reader->base;
	return 1;
}

/* What a reader's page is, if it is none; or NULL. In a child of fork() that is cleared. */
static __inline__ const struct perfctr_reader_types *
perfctr_reader_core_types(const struct perfctr_reader *reader)
{
	const struct perfctr_reader_types *types =
		(const struct perfctr_reader_types *)(uintptr_t)reader->page;

	return reader->types && types->read ? types : NULL;
}

/*
 * Read a counter of the calling thread. Returns 1 and the count in *value, or 0 if the counter is
 * not in a register now (not on the PMU, or the kernel forbids user-space reads): then ask
 * vperfctr_read_pmc() or perfctr_set_read(), which make the system call.
 */
static __inline__ int perfctr_reader_read(const struct perfctr_reader *reader, uint64_t *value)
{
	const struct perfctr_reader_types *types;

	if (perfctr_likely(perfctr_page_read_count(reader, value)))
		return 1;
	types = perfctr_reader_core_types(reader);
	return types ? types->read(reader, value) : 0;
}

/*
 * The same, between two fences: all instructions before the call have executed when the counter is
 * read, and none after it has begun. That takes 2 instructions more, and the time until the
 * processor has finished what it began. For pieces of code so short that what overlaps with
 * perfctr_reader_read() is a part of them.
 */
static __inline__ int perfctr_reader_read_ordered(const struct perfctr_reader *reader,
						  uint64_t *value)
{
	const struct perfctr_reader_types *types;
	int result;

	perfctr_fence();
	if (perfctr_likely(perfctr_page_read_count(reader, value))) {
		perfctr_fence();
		return 1;
	}
	types = perfctr_reader_core_types(reader);
	result = types ? types->read(reader, value) : 0;
	perfctr_fence();
	return result;
}

/*
 * Read n counters of the calling thread. Returns 1, or 0 if the kernel must be asked for any of
 * them. Each value is exact; the reads follow one another as closely as instructions can.
 */
static __inline__ int perfctr_reader_read_all(const struct perfctr_reader *reader, size_t n,
					      uint64_t *values)
{
	const struct perfctr_reader *end = reader + n;
	const struct perfctr_reader_types *types;

	for (; reader != end; reader++, values++) {
		if (perfctr_likely(perfctr_page_read_count(reader, values)))
			continue;
		types = perfctr_reader_core_types(reader);
		return types ? types->read_all(reader, (size_t)(end - reader), values) : 0;
	}
	return 1;
}

/*
 * Leave the events between the two calls out of the reader's values: *at is the value at the
 * beginning, and at that of its end. Each returns 1, or 0 if the counter is not in a register now,
 * or the event counts on several core types: then nothing is left out. Other copies of the reader,
 * and the handle or set that it is of, count on.
 */
static __inline__ int perfctr_reader_pause(const struct perfctr_reader *reader, uint64_t *at)
{
	return perfctr_page_read_count(reader, at);
}

static __inline__ int perfctr_reader_resume(struct perfctr_reader *reader, uint64_t at)
{
	uint64_t now;

	if (!perfctr_page_read_count(reader, &now))
		return 0;
	reader->base -= now - at;
	return 1;
}

/* cycles * mult >> shift without losing the product's upper bits */
static __inline__ uint64_t perfctr_scale(uint64_t cycles, uint32_t mult, unsigned int shift)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 perfctr_u128;

	return (uint64_t)((perfctr_u128)cycles * mult >> shift);
#else
	uint64_t low = cycles & ((UINT64_C(1) << shift) - 1);

	return (cycles >> shift) * mult + (low * mult >> shift);
#endif
}

/*
 * The same, with the times in ns for which the event was enabled and on the PMU while the thread
 * ran. They are equal if the count is exact; if it was multiplexed, running is less than enabled.
 * Returns 0 also if the page has no clock.
 */
static __inline__ int perfctr_reader_read_times(const struct perfctr_reader *reader,
						uint64_t *value, uint64_t *enabled,
						uint64_t *running)
{
	const volatile struct perf_event_mmap_page *page = reader->page;
	const struct perf_event_mmap_page *quick =
		(const struct perf_event_mmap_page *)(uintptr_t)page;
	uint32_t seq, n, shift;
	uint64_t pmc, count, cycles, since;

	do {
		seq = page->lock;
		perfctr_barrier();
		if (!PERFCTR_HAVE_RDPMC || perfctr_index_names_none(page->index, &n) ||
		    !page->cap_user_time)
			return 0;
		cycles = perfctr_rdtsc();
		if (page->cap_user_time_short)
			cycles = page->time_cycles +
				 ((cycles - page->time_cycles) & page->time_mask);
		since = page->time_offset +
			perfctr_scale(cycles, page->time_mult, page->time_shift);
		*enabled = page->time_enabled + since;
		*running = page->time_running + since;
		pmc = perfctr_rdpmc(n);
		shift = perfctr_reader_shift(reader, quick);
		count = (uint64_t)((int64_t)(pmc << shift) >> shift) + (uint64_t)page->offset;
		perfctr_barrier();
	} while (!perfctr_likely(page->lock == seq));
	*value = count + reader->base;
	return 1;
}

/*
 * The clock, in ticks, now, and the ns of it for which the page's event was not enabled or its
 * thread did not run. That lag changes with the page only: between two switches of the thread,
 * ticks minus the lag's ticks advances as the clock itself does. Returns 0 if the page has no
 * clock. Meant for an event that is always on, a software event: the kernel does not refresh the
 * page of one that waits for the PMU.
 */
static __inline__ int perfctr_page_read_clock(const volatile struct perf_event_mmap_page *page,
					      uint64_t *ticks, uint64_t *lag)
{
	uint32_t seq;

	do {
		seq = page->lock;
		perfctr_barrier();
		if (!PERFCTR_HAVE_RDTSC || !page->cap_user_time)
			return 0;
		*ticks = perfctr_rdtsc();
		if (page->cap_user_time_short)
			*ticks = page->time_cycles +
				 ((*ticks - page->time_cycles) & page->time_mask);
		/* ns since it was enabled: time_enabled + time_offset + (ticks * mult >> shift) */
		*lag = -(page->time_enabled + page->time_offset);
		perfctr_barrier();
	} while (!perfctr_likely(page->lock == seq));
	return 1;
}

/* ---- perfctr's page ---- */

/*
 * Returns the low half of a counter: differences are taken modulo 2^32, whatever the hardware's
 * width.
 */
static __inline__ uint32_t perfctr_rdpmcl(uint32_t map)
{
	return (uint32_t)perfctr_rdpmc(map);
}

/* Returns the TSC's low half. On 32-bit PowerPC that is one instruction, not a loop. */
static __inline__ uint32_t perfctr_rdtscl(void)
{
#if defined(__powerpc__) && !defined(__powerpc64__)
	uint32_t low;

	__asm__ __volatile__("mfspr %0, 268" : "=r"(low));
	return low;
#else
	return (uint32_t)perfctr_rdtsc();
#endif
}

/*
 * Returns counter i of the calling thread. The state must sample the TSC and have counter i
 * running.
 */
static __inline__ uint64_t perfctr_state_read_pmc(const volatile struct vperfctr_state *state,
						  unsigned int i)
{
	const volatile struct perfctr_cpu_state *cpu = &state->cpu_state;
	uint32_t t0 = cpu->tsc_start, t1, delta;
	uint64_t sum;

	for (;;) {
		perfctr_barrier();
		delta = perfctr_rdpmcl(cpu->pmc[i].map) - cpu->pmc[i].start;
		sum = cpu->pmc[i].sum;
		perfctr_barrier();
		t1 = cpu->tsc_start;
		if (perfctr_likely(t1 == t0))
			return sum + delta;
		t0 = t1;
	}
}

/* Returns the virtual TSC of the calling thread. The state must sample the TSC. */
static __inline__ uint64_t perfctr_state_read_tsc(const volatile struct vperfctr_state *state)
{
	const volatile struct perfctr_cpu_state *cpu = &state->cpu_state;
	uint32_t t0 = cpu->tsc_start, t1, delta;
	uint64_t sum;

	for (;;) {
		perfctr_barrier();
		delta = perfctr_rdtscl() - t0;
		sum = cpu->tsc_sum;
		perfctr_barrier();
		t1 = cpu->tsc_start;
		if (perfctr_likely(t1 == t0))
			return sum + delta;
		t0 = t1;
	}
}

/* TSC and all running counters at once: one check for the whole set. Conditions as above. */
static __inline__ void perfctr_state_read_ctrs(const volatile struct vperfctr_state *state,
					       struct perfctr_sum_ctrs *sum)
{
	const volatile struct perfctr_cpu_state *cpu = &state->cpu_state;
	unsigned int i, n;
	uint32_t t0, delta;

	do {
		t0 = cpu->tsc_start;
		perfctr_barrier();
		delta = perfctr_rdtscl() - t0;
		sum->tsc = cpu->tsc_sum + delta;
		n = perfctr_cstatus_nrctrs(cpu->cstatus);
		if (n > PERFCTR_NR_CTRS)
			n = PERFCTR_NR_CTRS;
		for (i = 0; i < n; i++) {
			delta = perfctr_rdpmcl(cpu->pmc[i].map) - cpu->pmc[i].start;
			sum->pmc[i] = cpu->pmc[i].sum + delta;
		}
		perfctr_barrier();
	} while (!perfctr_likely(cpu->tsc_start == t0));
}

/*
 * The data for reading the TSC and all counters of a page. vperfctr_state_reader() fills them in,
 * and says how long they are valid.
 */
struct perfctr_state_reader {
	const volatile struct vperfctr_state *state;
	uint32_t cstatus; /* the page's, as long as the counters can be read */
	uint32_t n;
};

/*
 * The TSC and the first n counters of the calling thread: returns 1, or 0 if they can't be read
 * now, or not all of them count (after an overflow, or under another control): then ask
 * vperfctr_read_ctrs(). One check for all.
 */
static __inline__ int perfctr_state_reader_read(const struct perfctr_state_reader *reader,
						struct perfctr_sum_ctrs *sum)
{
	const volatile struct perfctr_cpu_state *cpu = &reader->state->cpu_state;
	/* Between barriers the compiler may read as it likes. */
	const struct perfctr_cpu_state *quick = (const struct perfctr_cpu_state *)(uintptr_t)cpu;
	__typeof__(&quick->pmc[0]) pmc, end = quick->pmc + reader->n;
	unsigned long long *value;
	uint32_t t0, delta;

	do {
		t0 = cpu->tsc_start;
		perfctr_barrier();
		/* This comes before RDPMC, which may fault if the cstatus differs. */
		if (!perfctr_likely(cpu->cstatus == reader->cstatus))
			return 0;
		delta = perfctr_rdtscl() - t0;
		sum->tsc = quick->tsc_sum + delta;
		for (pmc = quick->pmc, value = sum->pmc; pmc != end; pmc++, value++) {
			delta = perfctr_rdpmcl(pmc->map) - pmc->start;
			*value = pmc->sum + delta;
		}
		perfctr_barrier();
	} while (!perfctr_likely(cpu->tsc_start == t0));
	/*
	 * This comes after the reads: if an overflow stopped counters, their start values are for
	 * the next time.
	 */
	return cpu->cstatus == reader->cstatus;
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#endif /* PERFCTR_READ_H */
