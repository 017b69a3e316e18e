// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read loops with a fault each. If the test lets one pass, the test is worth nothing. */
#include "step.h"

#if defined(__riscv)
__asm__(".option norvc"); /* step.c knows no others */
#endif

static uint64_t extend(uint64_t pmc, unsigned int shift)
{
	return (uint64_t)((int64_t)(pmc << shift) >> shift);
}

/* The page may change between its members' reads. */
int broken_no_check(struct shared *s)
{
	const volatile struct perf_event_mmap_page *page = &s->page[0];
	uint32_t n = page->index - 1;

	if (n > PERFCTR_RDPMC_LAST)
		return 0;
	s->value[0] = extend(perfctr_rdpmc(n), s->reader[0].shift) + (uint64_t)page->offset;
	return 1;
}

/* The check comes before the offset is read. */
int broken_check_too_early(struct shared *s)
{
	const volatile struct perf_event_mmap_page *page = &s->page[0];
	uint32_t seq, n;
	uint64_t pmc;

	do {
		seq = page->lock;
		n = page->index - 1;
		if (n > PERFCTR_RDPMC_LAST)
			return 0;
		pmc = perfctr_rdpmc(n);
	} while (page->lock != seq);
	s->value[0] = extend(pmc, s->reader[0].shift) + (uint64_t)page->offset;
	return 1;
}

/* The event may be on another counter the second time. */
int broken_index_outside(struct shared *s)
{
	const volatile struct perf_event_mmap_page *page = &s->page[0];
	uint32_t seq, n = page->index - 1;

	if (n > PERFCTR_RDPMC_LAST)
		return 0;
	do {
		seq = page->lock;
		s->value[0] = extend(perfctr_rdpmc(n), s->reader[0].shift) + (uint64_t)page->offset;
	} while (page->lock != seq);
	return 1;
}

/* The counter is taken for a positive number: 2^width too much, before it overflows. */
int broken_sign(struct shared *s)
{
	const volatile struct perf_event_mmap_page *page = &s->page[0];
	uint32_t seq, n;

	do {
		seq = page->lock;
		n = page->index - 1;
		if (n > PERFCTR_RDPMC_LAST)
			return 0;
		s->value[0] = perfctr_rdpmc(n) + (uint64_t)page->offset;
	} while (page->lock != seq);
	return 1;
}

int broken_recall(struct shared *s)
{
	if (s->clock.memo.page && s->clock.memo.page->lock == s->clock.memo.lock) {
		s->ticks = perfctr_rdtsc() + s->clock.memo.ticks;
		return 1;
	}
	return loop_read_clock(s);
}

int broken_state_no_check(struct shared *s)
{
	const volatile struct perfctr_cpu_state *cpu = &s->state.cpu_state;
	uint32_t delta = perfctr_rdpmcl(cpu->pmc[0].map) - cpu->pmc[0].start;

	s->value[0] = cpu->pmc[0].sum + delta;
	return 1;
}

/* The start value is read once, and belongs to another period after a retry. */
int broken_state_start_outside(struct shared *s)
{
	const volatile struct perfctr_cpu_state *cpu = &s->state.cpu_state;
	uint32_t start = cpu->pmc[0].start, t0, delta;

	do {
		t0 = cpu->tsc_start;
		delta = perfctr_rdpmcl(cpu->pmc[0].map) - start;
		s->value[0] = cpu->pmc[0].sum + delta;
	} while (cpu->tsc_start != t0);
	return 1;
}

/* An overflow stops counters after the check. */
int broken_state_reader_before(struct shared *s)
{
	const volatile struct perfctr_cpu_state *cpu = &s->state.cpu_state;
	struct perfctr_sum_ctrs sum;
	unsigned int i;

	if (cpu->cstatus != s->state_reader.cstatus)
		return 0;
	perfctr_state_read_ctrs(&s->state, &sum);
	for (i = 0; i < EVENTS; i++)
		s->value[i] = i < perfctr_cstatus_nrctrs(s->state_reader.cstatus) ? sum.pmc[i] : 0;
	s->ticks = sum.tsc;
	return 1;
}

/* The counters are read before it is known that they may be. */
int broken_state_reader_after(struct shared *s)
{
	const volatile struct perfctr_cpu_state *cpu = &s->state.cpu_state;
	uint32_t t0, delta;
	unsigned int i;

	do {
		t0 = cpu->tsc_start;
		s->ticks = cpu->tsc_sum + (perfctr_rdtscl() - t0);
		for (i = 0; i < EVENTS; i++) {
			delta = perfctr_rdpmcl(cpu->pmc[i].map) - cpu->pmc[i].start;
			s->value[i] = cpu->pmc[i].sum + delta;
		}
	} while (cpu->tsc_start != t0);
	return cpu->cstatus == s->state_reader.cstatus;
}

/* The thread is moved from index to counter: no restartable sequence. */
int broken_types(struct shared *s)
{
	const struct perfctr_core_types *types = &s->types[0];
	uint64_t sum = 0, value;
	uint32_t seq, lock;
	unsigned int i;

	do {
		for (i = 0, seq = 0, sum = 0; i < s->types_reader[0].types; i++)
			seq += types->page[i]->lock;
		for (i = 0; i < s->types_reader[0].types; i++) {
			const struct perfctr_reader one = { .page = types->page[i],
							    .shift = s->types_reader[0].shift };

			sum += perfctr_page_read_count(&one, &value)
				       ? value
				       : (uint64_t)types->page[i]->offset;
		}
		for (i = 0, lock = 0; i < s->types_reader[0].types; i++)
			lock += types->page[i]->lock;
	} while (lock != seq);
	s->value[0] = sum;
	return 1;
}
