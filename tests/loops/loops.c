// SPDX-License-Identifier: LGPL-2.1-or-later
/* The library's read loops, compiled as a program would compile them. */
#include "step.h"

#if defined(__riscv)
__asm__(".option norvc"); /* step.c knows no others */
#endif

#ifndef LOOP /* barriers.c has other names */
#define LOOP(name) loop_##name
#endif

int LOOP(read)(struct shared *s)
{
	return perfctr_reader_read(&s->reader[0], &s->value[0]);
}

int LOOP(read_ordered)(struct shared *s)
{
	return perfctr_reader_read_ordered(&s->reader[0], &s->value[0]);
}

int LOOP(read_all)(struct shared *s)
{
	return perfctr_reader_read_all(s->reader, EVENTS, s->value);
}

int LOOP(read_times)(struct shared *s)
{
	return perfctr_reader_read_times(&s->reader[0], &s->value[0], &s->enabled, &s->running);
}

int LOOP(types)(struct shared *s)
{
	return perfctr_reader_read(&s->types_reader[0], &s->value[0]);
}

int LOOP(types_ordered)(struct shared *s)
{
	return perfctr_reader_read_ordered(&s->types_reader[0], &s->value[0]);
}

int LOOP(types_all)(struct shared *s)
{
	return perfctr_reader_read_all(s->types_reader, EVENTS, s->value);
}

int LOOP(read_clock)(struct shared *s)
{
	uint64_t ticks, lag;

	if (!perfctr_page_read_clock(&s->page[0], &ticks, &lag))
		return 0;
	s->ticks = ticks - lag; /* a tick is a ns in this test */
	return 1;
}

int LOOP(recall)(struct shared *s)
{
	return perfctr_clock_recall(&s->clock, &s->ticks) || LOOP(read_clock)(s);
}

int LOOP(state_pmc)(struct shared *s)
{
	s->value[0] = perfctr_state_read_pmc(&s->state, 0);
	return 1;
}

int LOOP(state_tsc)(struct shared *s)
{
	s->ticks = perfctr_state_read_tsc(&s->state);
	return 1;
}

int LOOP(state_ctrs)(struct shared *s)
{
	struct perfctr_sum_ctrs sum;
	unsigned int i;

	perfctr_state_read_ctrs(&s->state, &sum);
	for (i = 0; i < EVENTS; i++)
		s->value[i] = sum.pmc[i];
	s->ticks = sum.tsc;
	return 1;
}

int LOOP(state_reader)(struct shared *s)
{
	struct perfctr_sum_ctrs sum;
	unsigned int i;

	if (!perfctr_state_reader_read(&s->state_reader, &sum))
		return 0;
	for (i = 0; i < EVENTS; i++)
		s->value[i] = sum.pmc[i];
	s->ticks = sum.tsc;
	return 1;
}

int LOOP(rdpmc)(struct shared *s)
{
	s->value[0] = perfctr_rdpmc((uint32_t)s->ticks);
	return 1;
}
