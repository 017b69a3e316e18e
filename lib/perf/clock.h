/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock.h - the virtual TSC where the kernel is perf_events */
#ifndef PERFCTR_LIB_PERF_CLOCK_H
#define PERFCTR_LIB_PERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "lib/isa/tsc.h"
#include "lib/perf/counter.h"

struct perfctr_clock {
	struct perfctr_counter event; /* its page has the clock; not open if there is none */
	struct perfctr_counter exec;  /* begins to count when the clock ends so; mostly not open */
	struct perfctr_rate rate;
	pid_t tid; /* whose thread */
};

/* Open the calling thread's clock. Always possible. */
void perfctr_clock_open(struct perfctr_clock *clock);

/*
 * Open a thread's (0: the calling one's), which others can read, too, also after its end, and which
 * goes on or ends when the thread executes a program. 0, or -1 after perfctr_why_not().
 */
int perfctr_clock_watch(struct perfctr_clock *clock, pid_t tid, bool until_exec);

/*
 * Whether such a clock of another thread can still tick: the thread lives, under the same id, and
 * has not executed a program, if that ends it, or one with more rights, which ends all events.
 */
enum perfctr_life {
	PERFCTR_LIFE_OVER,
	PERFCTR_LIFE_ON,
	PERFCTR_LIFE_UNKNOWN, /* after perfctr_why_not() */
};
enum perfctr_life perfctr_clock_life(const struct perfctr_clock *clock);

void perfctr_clock_close(struct perfctr_clock *clock);

/*
 * Ticks for which the clock's thread has run, from some start. own: the caller is that thread. 0
 * and *ticks, or -1 after perfctr_fail(ESRCH) if the thread has ended.
 */
int perfctr_clock_read(const struct perfctr_clock *clock, bool own, uint64_t *ticks);

#endif /* PERFCTR_LIB_PERF_CLOCK_H */
