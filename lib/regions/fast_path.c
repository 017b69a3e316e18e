// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "lib/isa/tsc.h"
#include "lib/regions/fast_path.h"

struct perfctr_region_thread perfctr_region_nothing;
PERFCTR_THREAD struct perfctr_region_here perfctr_region_here = {
	&perfctr_region_nothing,
	(struct perfctr_visit *)(void *)&perfctr_region_nothing,
};
struct perfctr_slow_path perfctr_slow_path;

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define UNLIKELY(x)   __builtin_expect(!!(x), 0)

/*
 * Access to a word that others may read or write. The access is atomic, but compilers turn the
 * atomic built-ins into more than one load or store if there is an offset.
 */
#ifdef __SANITIZE_THREAD__
#define LOAD(word)	   __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define STORE(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)
#else
#define LOAD(word)	   (*(volatile __typeof__(word) *)&(word))
#define STORE(word, value) ((void)(*(volatile __typeof__(word) *)&(word) = (value)))
#endif

/* A function of perfctr_slow_path. All of these were set before the ways that lead here. */
#define SLOW(which) (__atomic_thread_fence(__ATOMIC_ACQUIRE), LOAD(perfctr_slow_path.which))

/*
 * Adds to a word that only this thread changes, and that others may read. gcc makes three
 * instructions of an atomic load, an addition and an atomic store.
 */
static ALWAYS_INLINE void add(uint64_t *word, uint64_t value)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	__asm__ __volatile__("addq %1, %0" : "+m"(*word) : "er"(value) : "cc");
#else
	STORE(*word, LOAD(*word) + value);
#endif
}

/* ---- what the program tells ---- */

/* Whether an instruction adds 64 bits to a word: handlers come before or behind it. */
#if defined(__x86_64__) || __SIZEOF_LONG__ == 8
#define ADDS_AT_ONCE 1
#else
#define ADDS_AT_ONCE 0
#endif

/* add() to a word that the thread's signal handlers add to as well. */
static ALWAYS_INLINE void add_amid_handlers(uint64_t *word, uint64_t value)
{
#if ADDS_AT_ONCE && (!defined(__x86_64__) || defined(__SANITIZE_THREAD__))
	__atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#else
	add(word, value);
#endif
}

static ALWAYS_INLINE void add_told(struct perfctr_visit *visit, ptrdiff_t stride, unsigned int what,
				   uint64_t n)
{
	add_amid_handlers(&visit->visits->told[what].own, n);
	while ((visit = perfctr_visit_at(visit, -stride))->visits)
		add_amid_handlers(&visit->visits->told[what].within, n);
}

/* add_told() as a change of its own: handlers add nothing meanwhile, and readers read again. */
static ALWAYS_INLINE void add_told_alone(struct perfctr_region_here *here,
					 struct perfctr_visit *visit, ptrdiff_t stride,
					 unsigned int what, uint64_t n)
{
	struct perfctr_region_thread *thread = here->thread;
	struct perfctr_visit *top = LOAD(here->top);

	STORE(here->top, (struct perfctr_visit *)(void *)thread);
	if (top != visit)
		STORE(thread->saved, NULL);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	add_told(visit, stride, what, n);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (top != visit)
		STORE(thread->saved, visit);
	STORE(here->top, top);
}

/*
 * The root has no row, nor has any visit in a child of fork(). A thread that takes no part is its
 * own top, as each is while begin or end change something, and while visits are refused; only the
 * last has a visit that is saved.
 */
static void tell(unsigned int what, uint64_t n)
{
	struct perfctr_region_here *here = &perfctr_region_here;
	struct perfctr_region_thread *thread = here->thread;
	struct perfctr_visit *visit = LOAD(here->top);
	const ptrdiff_t stride = (ptrdiff_t)perfctr_visit_stride(thread->nvalues);

	if (UNLIKELY((void *)visit == thread))
		visit = LOAD(thread->saved);
	if (UNLIKELY(!visit || !visit->visits))
		return;
	if (ADDS_AT_ONCE)
		add_told(visit, stride, what, n);
	else
		add_told_alone(here, visit, stride, what, n);
}

void perfctr_region_add_bytes(uint64_t bytes)
{
	tell(PERFCTR_BYTES, bytes);
}

void perfctr_region_add_communication(uint64_t ns)
{
	tell(PERFCTR_COMMUNICATION, ns);
}

/* ---- reading ---- */

/*
 * How counters are read: all have the usual width; all have 64 bits; any width; on whichever core
 * type the thread is; through the kernel.
 */
enum how { USUAL, WHOLE, QUICK, TYPES, KERNEL };

/* With the usual width one instruction extends the sign. */
#if defined(__x86_64__)
#define USUAL_SHIFT 16
#elif defined(__aarch64__)
#define USUAL_SHIFT 32
#else
#define USUAL_SHIFT 0
#endif

static ALWAYS_INLINE uint64_t read_clock(void)
{
#if defined(__x86_64__)
	uint64_t ticks;

	__asm__ __volatile__("rdtsc; shlq $32, %%rdx; orq %%rdx, %%rax"
			     : "=a"(ticks)
			     :
			     : "rdx", "cc");
	return ticks;
#else
	return perfctr_rdtsc();
#endif
}

static ALWAYS_INLINE uint64_t extend(uint64_t raw, uint32_t shift)
{
	return (uint64_t)((int64_t)(raw << shift) >> shift);
}

/* Counter n, extended to 64 bits. */
static ALWAYS_INLINE uint64_t read_counter(uint32_t n, uint32_t shift, enum how how)
{
	uint64_t pmc;
#if defined(__x86_64__)
	/*
	 * The sign is extended in the register that has the result: end() has no register to spare.
	 */
	if (how == USUAL) {
		__asm__ __volatile__("rdpmc; movswq %%dx, %%rdx; shlq $32, %%rdx; orq %%rdx, %%rax"
				     : "=a"(pmc)
				     : "c"(n)
				     : "rdx", "cc");
		return pmc;
	}
#endif
	pmc = perfctr_rdpmc(n);
	if (how == WHOLE)
		return pmc;
	if (how == USUAL)
		return extend(pmc, USUAL_SHIFT);
	return extend(pmc, shift);
}

/*
 * Reads all values by what the pages said last. Returns 0, or 1 + the exit at which a page turns
 * out to have changed. The counters' bases are left out: only differences matter.
 */
static ALWAYS_INLINE unsigned int read_values(const struct perfctr_region_thread *thread,
					      unsigned int m, enum how how, uint64_t *values)
{
	unsigned int i;

#pragma GCC unroll 5
	for (i = 1; i < m; i++) {
		const struct perfctr_region_counter *counter = &thread->counter[i - 1];
		/*
		 * The page is not volatile here, so that the compiler may choose its loads between
		 * the barriers.
		 */
		const struct perf_event_mmap_page *page =
			(const struct perf_event_mmap_page *)(uintptr_t)counter->page;
		uint32_t index = counter->index;

		perfctr_barrier();
		if (UNLIKELY(page->index != index))
			return i;
		if (i == 1)
			values[0] = read_clock() + thread->stopped;
		values[i] = read_counter(index - 1, counter->shift, how) + counter->offset;
		perfctr_barrier();
		if (UNLIKELY(page->lock != counter->lock))
			return i + 1;
	}
	return 0;
}

static ALWAYS_INLINE uint32_t locks(const struct perfctr_region_types *types)
{
	return types->page[0]->lock + types->page[1]->lock + types->page[2]->lock;
}

static ALWAYS_INLINE uint64_t offsets(const struct perfctr_region_types *types)
{
	return (uint64_t)types->page[0]->offset + (uint64_t)types->page[1]->offset +
	       (uint64_t)types->page[2]->offset;
}

/* read_values() of counters on several core types. */
static unsigned int read_types(struct perfctr_region_thread *thread, unsigned int m,
			       uint64_t *values)
{
	unsigned int i;

	for (i = 1; i < m; i++) {
		const struct perfctr_region_counter *counter = &thread->counter[i - 1];
		const struct perfctr_region_types *types = &thread->types[i - 1];
		uint64_t raw;
		uint32_t n = perfctr_core_types_raw(thread->rseq, types->page, &raw);

		if (UNLIKELY(n + 1 != counter->index)) {
			thread->interrupted |= n == PERFCTR_ABORTED;
			return i;
		}
		if (i == 1)
			values[0] = read_clock() + thread->stopped;
		values[i] = extend(raw, counter->shift) + counter->offset;
		perfctr_barrier();
		if (UNLIKELY(locks(types) != counter->lock))
			return i + 1;
	}
	return 0;
}

/* Reads through the kernel, which also reads counters that have been stopped; the time is in ns. */
static bool read_kernel(struct perfctr_region_thread *thread, uint64_t *values)
{
	struct perfctr_reading reading[PERFCTR_REGION_VALUES];
	unsigned int i;

	values[0] = perfctr_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (thread->nvalues == 1)
		return true;
	if (perfctr_set_read(thread->set, reading) < 0)
		return false;
	for (i = 1; i < thread->nvalues; i++) {
		if (reading[i - 1].quality > PERFCTR_UNVERIFIED)
			return false;
		values[i] = reading[i - 1].value;
	}
	return !__atomic_load_n(&thread->released, __ATOMIC_ACQUIRE);
}

/* The lag is negative, and shrinks by the nanoseconds for which the thread did not run. */
static uint64_t stopped(const struct perfctr_region_thread *thread,
			const volatile struct perf_event_mmap_page *page)
{
	uint64_t lag = page->time_enabled + page->time_offset;

	return -perfctr_rate_ticks(thread->rate, -lag);
}

/*
 * perfctr_fast_path_read() of counters on several core types. A thread's time is told by none of
 * their pages: each has its own, which stands while the thread is elsewhere.
 */
static bool refresh_types(struct perfctr_region_thread *thread, struct perfctr_moment *moment,
			  bool *steady)
{
	uint32_t changed = 0;
	unsigned int i;

	for (i = 1; i < thread->nvalues; i++) {
		struct perfctr_region_counter *counter = &thread->counter[i - 1];
		const struct perfctr_region_types *types = &thread->types[i - 1];
		uint64_t raw;
		uint32_t n;

		counter->lock = locks(types);
		perfctr_barrier();
		n = perfctr_core_types_raw(thread->rseq, types->page, &raw);
		/* Neither of a sequence's failures, and one, is this. */
		counter->index = n < PERFCTR_ABORTED ? n + 1 : PERFCTR_REGION_NO_INDEX;
		if (n == PERFCTR_NOT_HERE)
			return false;
		thread->interrupted |= n == PERFCTR_ABORTED;
		changed |= n == PERFCTR_ABORTED;
		if (i == 1) {
			moment->value[0] =
				perfctr_rate_ticks(thread->rate,
						   perfctr_clock_ns(CLOCK_THREAD_CPUTIME_ID));
			thread->stopped = moment->value[0] - read_clock();
		}
		counter->offset = offsets(types);
		moment->value[i] = extend(raw, counter->shift) + counter->offset;
		perfctr_barrier();
		changed |= locks(types) ^ counter->lock;
	}
	*steady = !changed;
	return true;
}

bool perfctr_fast_path_read(struct perfctr_region_thread *thread, struct perfctr_moment *moment,
			    bool *steady)
{
	uint32_t changed = 0;
	unsigned int i;

	*steady = true;
	if (thread->layout == PERFCTR_VISIT_TYPES)
		return refresh_types(thread, moment, steady);
	if (thread->layout == PERFCTR_VISIT_KERNEL)
		return read_kernel(thread, moment->value);
	for (i = 1; i < thread->nvalues; i++) {
		struct perfctr_region_counter *counter = &thread->counter[i - 1];
		const volatile struct perf_event_mmap_page *page = counter->page;
		uint32_t n;

		counter->lock = page->lock;
		perfctr_barrier();
		counter->index = page->index;
		if (!PERFCTR_HAVE_RDPMC || perfctr_index_names_none(counter->index, &n)) {
			counter->index = PERFCTR_REGION_NO_INDEX;
			return false;
		}
		if (i == 1) {
			thread->stopped = stopped(thread, page);
			moment->value[0] = read_clock() + thread->stopped;
		}
		counter->offset = (uint64_t)page->offset;
		moment->value[i] = read_counter(n, counter->shift, QUICK) + counter->offset;
		perfctr_barrier();
		changed |= page->lock ^ counter->lock;
	}
	*steady = !changed;
	return true;
}

/* ---- what a visit adds ---- */

/*
 * The next three functions take the same number of instructions for all values, so that their cost
 * can be subtracted. Without extensions RISC-V has no instructions for minimum, maximum and leading
 * zeros, and compilers make branches or loops of them.
 */
static ALWAYS_INLINE int64_t least(int64_t a, int64_t b)
{
#ifdef __riscv
	return a ^ ((a ^ b) & -(int64_t)(b < a));
#else
	return a < b ? a : b;
#endif
}

static ALWAYS_INLINE int64_t most(int64_t a, int64_t b)
{
#ifdef __riscv
	return a ^ ((a ^ b) & -(int64_t)(b > a));
#else
	return a > b ? a : b;
#endif
}

/* The index of the highest bit that is set. */
static ALWAYS_INLINE unsigned int highest(uint64_t of)
{
#ifdef __riscv
	unsigned int bit = 0, half, shift;

#pragma GCC unroll 6
	for (half = 32; half; half /= 2) {
		shift = (unsigned int)(of >> half != 0) * half;
		of >>= shift;
		bit += shift;
	}
	return bit;
#else
	return 63 - (unsigned int)__builtin_clzll(of);
#endif
}

unsigned int perfctr_bucket(int64_t value)
{
	uint64_t of = (uint64_t)most(value, 0);
	unsigned int halvings = highest(of | 8) - 3;

	return halvings * 8 + (unsigned int)(of >> halvings);
}

uint64_t perfctr_bucket_last(unsigned int bucket)
{
	if (bucket < 16)
		return bucket;
	return ((uint64_t)(bucket % 8 + 9) << (bucket / 8 - 1)) - 1;
}

static ALWAYS_INLINE void store_double(double *word, double value)
{
#ifdef __SANITIZE_THREAD__
	__atomic_store(word, &value, __ATOMIC_RELAXED);
#else
	STORE(*word, value);
#endif
}

static ALWAYS_INLINE void add_moments(struct perfctr_moments *moments, int64_t value, double visits)
{
	double x = (double)value, before = x - moments->mean,
	       mean = moments->mean + before / visits;

	STORE(moments->minimum, least(value, moments->minimum));
	STORE(moments->maximum, most(value, moments->maximum));
	store_double(&moments->mean, mean);
	store_double(&moments->squares, moments->squares + before * (x - mean));
}

static ALWAYS_INLINE void subtract_within(const struct perfctr_visit *visit, unsigned int m,
					  uint64_t *counted)
{
	const struct perfctr_region_cost *cost = visit->visits->cost;
	unsigned int i;

	for (i = 0; i < m; i++)
		counted[i] -= visit->within.pairs * (uint64_t)cost->pair[i] +
			      visit->within.branches * (uint64_t)cost->branch[i];
}

/* The cost is subtracted here, since minimum, maximum and histogram need each single visit. */
static ALWAYS_INLINE void add_all_moments(struct perfctr_visits *visits,
					  const struct perfctr_visit *visit, unsigned int m,
					  uint64_t *counted, enum perfctr_visit_keep keep)
{
	const int64_t *inside = visits->cost->inside;
	struct perfctr_moments *moments = perfctr_visits_moments(visits, m);
	double n = (double)(int64_t)(visits->visits + 1);
	unsigned int i;

	if (UNLIKELY(visit->within.pairs != 0))
		subtract_within(visit, m, counted);
#pragma GCC unroll 5
	for (i = 0; i < m; i++)
		add_moments(&moments[i], (int64_t)counted[i] - inside[i], n);
	if (keep != PERFCTR_KEEP_HISTOGRAM || !visits->histogram)
		return; /* visits from an earlier start have no histogram */
	for (i = 0; i < m; i++)
		add(&visits->histogram[i * PERFCTR_BUCKETS +
				       perfctr_bucket((int64_t)counted[i] - inside[i])],
		    1);
}

/* Adds to the sums that regions within have left. What this costs is perfctr_region_cost.branch. */
static ALWAYS_INLINE void add_within(struct perfctr_visits *visits,
				     const struct perfctr_visit *visit,
				     struct perfctr_visit *parent, unsigned int m)
{
	const struct perfctr_within *within = &visit->within;
	unsigned int i;

	add(&visits->within.pairs, within->pairs);
	add(&visits->within.direct, within->direct);
	add(&visits->within.branches, within->branches);
	add(&visits->within.forks, within->forks);
	parent->within.pairs += within->pairs;
	parent->within.branches += within->branches + 1;
	parent->within.forks++;
	for (i = 0; i < m; i++)
		add(&visits->sum[i].children, visit->value[i]);
}

/* Changes the words one by one: compilers would use a vector, and load a constant for it. */
static ALWAYS_INLINE void count_within(struct perfctr_within *within)
{
#if defined(__x86_64__) || defined(__i386__)
	within->pairs++;
	perfctr_barrier();
	within->direct++;
#else
	uint64_t pairs = within->pairs + 1, direct = within->direct + 1;

	__asm__("" : "+r"(pairs), "+r"(direct));
	within->pairs = pairs;
	within->direct = direct;
#endif
}

/* ---- begin and end ---- */

static ALWAYS_INLINE void set_top(struct perfctr_region_here *here, struct perfctr_visit *top)
{
	STORE(here->top, top);
}

/*
 * Returns 0, or 1 + the exit. Through the kernel there is no page that could change: 1 means that
 * the counters are lost.
 */
static ALWAYS_INLINE unsigned int read_now(struct perfctr_region_thread *thread, unsigned int m,
					   enum how how, uint64_t *values)
{
	if (how == KERNEL)
		return !read_kernel(thread, values);
	if (how == TYPES)
		return read_types(thread, m, values);
	return read_values(thread, m, how, values);
}

/*
 * While the top is the thread itself, regions of a signal handler that interrupts begin or end find
 * no room and are not counted.
 */
static ALWAYS_INLINE void begin(unsigned int *region, unsigned int m, enum how how,
				enum perfctr_visit_layout layout)
{
	struct perfctr_region_here *here = &perfctr_region_here;
	struct perfctr_region_thread *thread = here->thread;
	unsigned int id = LOAD(*region), i, changed;
	struct perfctr_visits *visits = LOAD(thread->table[id]);
	struct perfctr_visit *visit = perfctr_visit_at(here->top,
						       (ptrdiff_t)perfctr_visit_stride(m));

	if (UNLIKELY(!visits || (uintptr_t)visit >= (uintptr_t)thread)) {
		SLOW(begin)(region);
		return;
	}
	set_top(here, (struct perfctr_visit *)(void *)thread);
	perfctr_barrier();
	visit->id[layout] = id;
	visit->visits = visits;
	visit->within = (struct perfctr_within){ 0 };
#pragma GCC unroll 5
	for (i = 0; i < m; i++)
		visit->value[i] = 0;
	changed = read_now(thread, m, how, &visit->value[m]);
	if (UNLIKELY(changed)) {
		struct perfctr_visit *top = perfctr_visit_at(visit,
							     -(ptrdiff_t)perfctr_visit_stride(m));

		SLOW(resume_begin)(region, top, changed - 1);
		return;
	}
	perfctr_barrier();
	set_top(here, visit);
}

/* Adds the visit's counts to its region and to the visit around it, which is the top afterwards. */
static ALWAYS_INLINE void finish(struct perfctr_region_here *here, struct perfctr_visit *visit,
				 unsigned int m, uint64_t *counted, enum perfctr_visit_keep keep)
{
	struct perfctr_visits *visits = visit->visits;
	struct perfctr_visit *parent = perfctr_visit_at(visit, -(ptrdiff_t)perfctr_visit_stride(m));
	unsigned int i;

#pragma GCC unroll 5
	for (i = 0; i < m; i++) {
		add(&visits->sum[i].inclusive, counted[i]);
		parent->value[i] += counted[i];
	}
	if (keep != PERFCTR_KEEP_SUMS)
		add_all_moments(visits, visit, m, counted, keep);
	if (UNLIKELY(visit->within.pairs != 0))
		add_within(visits, visit, parent, m);
	count_within(&parent->within);
	add(&visits->visits, 1);
	__atomic_store_n(&here->top, parent, __ATOMIC_RELEASE);
}

/* region points to its id. */
static ALWAYS_INLINE void end(unsigned int *region, unsigned int m, enum perfctr_visit_keep keep,
			      enum how how, enum perfctr_visit_layout layout)
{
	struct perfctr_region_here *here = &perfctr_region_here;
	struct perfctr_region_thread *thread = here->thread;
	struct perfctr_visit *visit = here->top;
	uint64_t now[PERFCTR_REGION_VALUES];
	unsigned int i, changed;

	if (UNLIKELY(visit->id[layout] != LOAD(*region))) {
		SLOW(end)(region);
		return;
	}
	set_top(here, (struct perfctr_visit *)(void *)thread);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	changed = read_now(thread, m, how, now);
	if (UNLIKELY(changed)) {
		SLOW(resume_end)(region, visit, changed - 1);
		return;
	}
#pragma GCC unroll 5
	for (i = 0; i < m; i++)
		now[i] -= visit->value[m + i];
	finish(here, visit, m, now, keep);
}

/* Functions for one number of values, which the compiler then knows. */
#define WAYS(name, m, how, layout)                                                                \
	static void begin_##name(unsigned int *region)                                            \
	{                                                                                         \
		begin(region, m, how, PERFCTR_VISIT_##layout);                                    \
	}                                                                                         \
	static void end_##name(unsigned int *region)                                              \
	{                                                                                         \
		end(region, m, PERFCTR_KEEP_SUMS, how, PERFCTR_VISIT_##layout);                   \
	}                                                                                         \
	static void mend_##name(unsigned int *region)                                             \
	{                                                                                         \
		end(region, m, PERFCTR_KEEP_MOMENTS, how, PERFCTR_VISIT_##layout);                \
	}                                                                                         \
	static void hend_##name(unsigned int *region)                                             \
	{                                                                                         \
		end(region, m, PERFCTR_KEEP_HISTOGRAM, how, PERFCTR_VISIT_##layout);              \
	}                                                                                         \
	static struct perfctr_region_ways ways_##name(enum perfctr_visit_keep keep)               \
	{                                                                                         \
		return (struct perfctr_region_ways){ begin_##name, keep == PERFCTR_KEEP_SUMS      \
									   ? end_##name           \
								   : keep == PERFCTR_KEEP_MOMENTS \
									   ? mend_##name          \
									   : hend_##name };       \
	}

WAYS(1, 2, USUAL, 1)
WAYS(2, 3, USUAL, 2)
WAYS(3, 4, USUAL, 3)
WAYS(4, 5, USUAL, 4)
WAYS(whole_1, 2, WHOLE, 1)
WAYS(whole_2, 3, WHOLE, 2)
WAYS(whole_3, 4, WHOLE, 3)
WAYS(whole_4, 5, WHOLE, 4)
WAYS(many, perfctr_region_here.thread->nvalues, QUICK, MANY)
WAYS(types, perfctr_region_here.thread->nvalues, TYPES, TYPES)
WAYS(kernel, perfctr_region_here.thread->nvalues, KERNEL, KERNEL)

static bool has_shift(const struct perfctr_region_thread *thread, uint32_t shift)
{
	unsigned int i;

	for (i = 0; i + 1 < thread->nvalues; i++)
		if (thread->counter[i].shift != shift)
			return false;
	return true;
}

enum perfctr_visit_layout perfctr_fast_path_layout(const struct perfctr_region_thread *thread)
{
	unsigned int n = thread->nvalues - 1;

	if (thread->rseq)
		return PERFCTR_VISIT_TYPES;
	if (n > 4 || !(has_shift(thread, USUAL_SHIFT) || has_shift(thread, 0)))
		return PERFCTR_VISIT_MANY;
	return (enum perfctr_visit_layout)n; /* PERFCTR_VISIT_1... */
}

struct perfctr_region_ways perfctr_fast_path_ways(const struct perfctr_region_thread *thread,
						  enum perfctr_visit_keep keep)
{
	bool usual = has_shift(thread, USUAL_SHIFT);

	/* A table of addresses would need relocations in every program. */
	switch (thread->layout) {
	case PERFCTR_VISIT_KERNEL: return ways_kernel(keep);
	case PERFCTR_VISIT_TYPES: return ways_types(keep);
	case PERFCTR_VISIT_1: return usual ? ways_1(keep) : ways_whole_1(keep);
	case PERFCTR_VISIT_2: return usual ? ways_2(keep) : ways_whole_2(keep);
	case PERFCTR_VISIT_3: return usual ? ways_3(keep) : ways_whole_3(keep);
	case PERFCTR_VISIT_4: return usual ? ways_4(keep) : ways_whole_4(keep);
	case PERFCTR_VISIT_MANY:
	case PERFCTR_VISIT_LAYOUTS: break;
	}
	return ways_many(keep);
}
