/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* step.h - the loops under test, as functions that a tracer can call in another process. */
#ifndef PERFCTR_TESTS_STEP_H
#define PERFCTR_TESTS_STEP_H

#include "sites.h"
#include <perfctr/read.h>
#include "lib/perf/clock.h"
#include "lib/perf/core_types.h"

#define EVENTS 4

/* Memory that the tracer, which plays the kernel, and the stepped process share. */
struct shared {
	struct perf_event_mmap_page page[EVENTS];
	struct vperfctr_state state;
	struct perfctr_reader reader[EVENTS];
	struct perfctr_state_reader state_reader;
	struct perfctr_clock clock;
	/* of events on several core types: their pages of the second and third, and readers */
	struct perf_event_mmap_page other[PERFCTR_CORE_TYPES - 1][EVENTS];
	struct perfctr_rseq rseq;
	struct perfctr_core_types types[EVENTS];
	struct perfctr_reader types_reader[EVENTS];
	/* results */
	uint64_t value[EVENTS];
	uint64_t ticks, enabled, running;
	unsigned long stack[1024] __attribute__((aligned(64)));
};

/* Each returns 1, or 0 for "ask the kernel". */
typedef int loop_function(struct shared *shared);

loop_function loop_read, loop_read_all, loop_read_times, loop_read_clock, loop_recall;
loop_function loop_state_pmc, loop_state_tsc, loop_state_ctrs, loop_state_reader;
loop_function loop_types, loop_types_all;
loop_function loop_read_ordered, loop_types_ordered;

/* The same with barriers that call step_at_barrier(). */
loop_function barrier_read, barrier_read_all, barrier_read_times, barrier_read_clock,
	barrier_recall;
loop_function barrier_state_pmc, barrier_state_tsc, barrier_state_ctrs, barrier_state_reader;
loop_function barrier_rdpmc, barrier_types, barrier_types_all;
loop_function barrier_read_ordered, barrier_types_ordered;
void step_at_barrier(void);

/* perfctr_rdpmc() of the counter named in ticks. */
loop_function loop_rdpmc;

/* Copies with a fault each, which the test must find. */
loop_function broken_no_check, broken_check_too_early, broken_index_outside, broken_sign,
	broken_recall;
loop_function broken_state_no_check, broken_state_start_outside;
loop_function broken_state_reader_before, broken_state_reader_after;
loop_function broken_types;

#endif /* PERFCTR_TESTS_STEP_H */
