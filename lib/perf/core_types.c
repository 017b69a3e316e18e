// SPDX-License-Identifier: LGPL-2.1-or-later
/* The reader of an event on several core types: core_types.h tells the idea. */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/perf/core_types.h"
#include "perfctr/read.h"

#if PERFCTR_HAVE_CORE_TYPES

/* What glibc 2.35 and later say of the area that they register for each thread (<sys/rseq.h>). */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static inline char *thread_pointer(void)
{
#ifdef __x86_64__
	char *self;

	__asm__("mov %%fs:0, %0" : "=r"(self));
	return self;
#else
	return __builtin_thread_pointer();
#endif
}

volatile struct perfctr_rseq *perfctr_rseq_here(void)
{
	volatile struct perfctr_rseq *rseq;

	if (!&__rseq_offset || !&__rseq_size || !__rseq_size)
		return NULL;
	rseq = (volatile struct perfctr_rseq *)(void *)(thread_pointer() + __rseq_offset);
	return rseq->cpu_id >= 0 ? rseq : NULL;
}

/*
 * A struct rseq_cs, of the sequence from 1 to 2, whose abort handler is 4. The word before that is
 * the signature that glibc registers (RSEQ_SIG), in an instruction that is never executed.
 */
#define DESCRIPTOR                          \
	"	.pushsection __rseq_cs, \"aw\"\n" \
	"	.balign	32\n"                     \
	"3:	.long	0, 0\n"                   \
	"	.quad	1f, 2f - 1f, 4f\n"          \
	"	.popsection\n"

#define ADDRESSES                                                      \
	[cpu_id] "i"(offsetof(struct perfctr_rseq, cpu_id)),           \
		[rseq_cs] "i"(offsetof(struct perfctr_rseq, rseq_cs)), \
		[index] "i"(offsetof(struct perf_event_mmap_page, index))

/*
 * At most one page has an index while the sequence runs. It is found by "or", so that a read takes
 * the same number of instructions on each core type.
 */
#ifdef __x86_64__

#define FIRST(page) "	mov	%c[index](%[" page "]), %[n]\n"
#define NEXT(page)  "	or	%c[index](%[" page "]), %[n]\n"

/* Without an index the borrow leaves PERFCTR_NOT_HERE. */
#define SEQUENCE(pages)                               \
	DESCRIPTOR                                    \
	"	lea	3b(%%rip), %[low]\n"                    \
	"	mov	%[low], %c[rseq_cs](%[rseq])\n"         \
	"1:	cmpl	$0, %c[cpu_id](%[rseq])\n"           \
	"	js	6f\n" pages "	sub	$1, %[n]\n" \
	"	jb	2f\n"                                    \
	"	rdpmc\n"                                    \
	"2:	movq	$0, %c[rseq_cs](%[rseq])\n"          \
	"	.pushsection .text.unlikely, \"ax\"\n"      \
	"	.byte	0x0F, 0xB9, 0x3D\n"                   \
	"	.long	0x53053053\n"                         \
	"4:	mov	$-3, %[n]\n"                          \
	"	jmp	2b\n"                                   \
	"6:	mov	$-1, %[n]\n"                          \
	"	jmp	2b\n"                                   \
	"	.popsection\n"

#define OUTPUTS	 [low] "=&a"(low), "=&d"(high), [n] "=&c"(number)
#define IN(name) __asm__(name) /* else gcc 12 moves its arguments to make room for them */

#else

#define FIRST(page) "	ldr	%w[n], [%[" page "], %[index]]\n"
#define NEXT(page)                                          \
	"	ldr	%w[low], [%[" page "], %[index]]\n" \
	"	orr	%w[n], %w[n], %w[low]\n"

/* A thread that comes to the handler from a branch into the table has yet to land. */
#define SEQUENCE(pages)                                                                    \
	DESCRIPTOR                                                                         \
	"	adrp	%[low], 3b\n"                                                               \
	"	add	%[low], %[low], :lo12:3b\n"                                                  \
	"	str	%[low], [%[rseq], %[rseq_cs]]\n"                                             \
	"1:	ldr	%w[n], [%[rseq], %[cpu_id]]\n"                                             \
	"	tbnz	%w[n], #31, 6f\n" pages "	sub	%w[n], %w[n], #1\n"                  \
	"	cmp	%w[n], #31\n"                                                                \
	"	b.hi	6f\n"                                                                       \
	"	adr	%[low], 7f\n"                                                                \
	"	add	%[low], %[low], %w[n], uxtw #" PERFCTR_MRS_SHIFT "\n"              \
	"	br	%[low]\n"                                                                     \
	"6:	mov	%w[n], #-1\n"                                                              \
	"	b	2f\n"                                                                          \
	"7:\n"                                                                             \
	"	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, "                  \
	"16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n" PERFCTR_MRS_LANDING \
	"	mrs	%[low], pmevcntr\\i\\()_el0\n"                                               \
	"	b	2f\n" PERFCTR_MRS_PADDING "	.endr\n" PERFCTR_MRS_LANDING       \
	"	mrs	%[low], pmccntr_el0\n"                                                       \
	"2:	str	xzr, [%[rseq], %[rseq_cs]]\n"                                              \
	"	.pushsection .text.unlikely, \"ax\"\n"                                           \
	"	.inst	0xD428BC00\n"                                                              \
	"4:\n" PERFCTR_MRS_LANDING "	mov	%w[n], #-3\n"                                     \
	"	b	2b\n"                                                                          \
	"	.popsection\n"

#define OUTPUTS [low] "=&r"(low), [n] "=&r"(number)
#define IN(name)

#endif

/* The counter of the page that names one now, and its number; or none. */
static inline __attribute__((always_inline)) uint32_t
read_in(volatile struct perfctr_rseq *rseq, const struct perf_event_mmap_page *const *page,
	unsigned int n, uint64_t *raw)
{
	/*
	 * No load may stand between the registers and the sequence: a sanitizer makes it a call,
	 * which changes them.
	 */
	const struct perf_event_mmap_page *first = page[0], *second = page[1],
					  *third = n == 2 ? NULL : page[2];
	register const struct perf_event_mmap_page *a IN("r8") = first, *b IN("r9") = second;
	unsigned long low, high = 0;
	uint32_t number;

	if (n == 2)
		__asm__ __volatile__(SEQUENCE(FIRST("a") NEXT("b"))
				     : OUTPUTS
				     : [rseq] "r"(rseq), [a] "r"(a), [b] "r"(b), ADDRESSES
				     : "cc", "memory");
	else
		__asm__ __volatile__(SEQUENCE(FIRST("a") NEXT("b") NEXT("c"))
				     : OUTPUTS
				     : [rseq] "r"(rseq), [a] "r"(a), [b] "r"(b), [c] "r"(third),
				       ADDRESSES
				     : "cc", "memory");
	*raw = (uint64_t)high << 32 | low;
	return number;
}

uint32_t perfctr_core_types_raw(volatile struct perfctr_rseq *rseq,
				const struct perf_event_mmap_page *const *page, uint64_t *raw)
{
	return read_in(rseq, page, 3, raw);
}

static inline uint32_t locks(const struct perf_event_mmap_page *const *page, unsigned int n)
{
	uint32_t sum = page[0]->lock + page[1]->lock;

	return n == 2 ? sum : sum + page[2]->lock;
}

static inline uint64_t offsets(const struct perf_event_mmap_page *const *page, unsigned int n)
{
	uint64_t sum = (uint64_t)page[0]->offset + (uint64_t)page[1]->offset;

	return n == 2 ? sum : sum + (uint64_t)page[2]->offset;
}

enum outcome { READ, NONE, INTERRUPTED, CHANGED };

static inline __attribute__((always_inline)) enum outcome try(const struct perfctr_reader *reader,
							      uint64_t *value, unsigned int n)
{
	const struct perfctr_core_types *types =
		(const struct perfctr_core_types *)(uintptr_t)reader->page;
	/* Between barriers the compiler may read as it likes. */
	const struct perf_event_mmap_page *page[PERFCTR_CORE_TYPES] = {
		(const struct perf_event_mmap_page *)(uintptr_t)types->page[0],
		(const struct perf_event_mmap_page *)(uintptr_t)types->page[1],
		n == 2 ? NULL : (const struct perf_event_mmap_page *)(uintptr_t)types->page[2],
	};
	uint32_t seq = locks(page, n), number;
	uint64_t raw, count;

	number = read_in(types->rseq, page, n, &raw);
	if (!perfctr_likely(number < PERFCTR_ABORTED))
		return number == PERFCTR_ABORTED ? INTERRUPTED : NONE;
	count = (uint64_t)((int64_t)(raw << reader->shift) >> reader->shift) + offsets(page, n);
	perfctr_barrier();
	if (!perfctr_likely(locks(page, n) == seq))
		return CHANGED;
	*value = count + reader->base;
	return READ;
}

/* After the first time. */
static __attribute__((noinline)) int try_again(const struct perfctr_reader *reader, uint64_t *value,
					       enum outcome outcome)
{
	unsigned int aborts = 0;

	while ((outcome == INTERRUPTED && ++aborts < PERFCTR_ABORTS) || outcome == CHANGED)
		outcome = reader->types == 2 ? try(reader, value, 2) : try(reader, value, 3);
	return outcome == READ;
}

static inline __attribute__((always_inline)) int read_one(const struct perfctr_reader *reader,
							  uint64_t *value, unsigned int n)
{
	enum outcome outcome = try(reader, value, n);

	return perfctr_likely(outcome == READ) ? 1 : try_again(reader, value, outcome);
}

static int read_two(const struct perfctr_reader *reader, uint64_t *value)
{
	return read_one(reader, value, 2);
}

static int read_three(const struct perfctr_reader *reader, uint64_t *value)
{
	return read_one(reader, value, 3);
}

#else

volatile struct perfctr_rseq *perfctr_rseq_here(void)
{
	return NULL;
}

uint32_t perfctr_core_types_raw(volatile struct perfctr_rseq *rseq,
				const struct perf_event_mmap_page *const *page, uint64_t *raw)
{
	(void)rseq, (void)page;
	*raw = 0;
	return PERFCTR_NOT_HERE;
}

static int read_two(const struct perfctr_reader *reader, uint64_t *value)
{
	(void)reader, (void)value;
	return 0;
}

#define read_three read_two

#endif

/* Each by itself: they need not have as many core types. */
static int read_all(const struct perfctr_reader *reader, size_t n, uint64_t *values)
{
	for (; n; n--, reader++, values++)
		if (!perfctr_reader_read(reader, values))
			return 0;
	return 1;
}

bool perfctr_core_types_reader(struct perfctr_core_types *types,
			       const struct perf_event_mmap_page *const *page, unsigned int n,
			       volatile struct perfctr_rseq *rseq, struct perfctr_reader *reader)
{
	uint32_t width = page[0]->pmc_width;
	unsigned int i;

	if (width < 1 || width > 64)
		return false;
	for (i = 0; i < n; i++) {
		if (page[i]->pmc_width != width)
			return false;
		types->page[i] = page[i];
	}
	types->head = (struct perfctr_reader_types){
		.read = n == 2 ? read_two : read_three,
		.read_all = read_all,
	};
	types->rseq = rseq;
	*reader = (struct perfctr_reader){
		.page = (const volatile struct perf_event_mmap_page *)types,
		.shift = 64 - width,
		.types = n,
	};
	return true;
}
