/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock.h - the virtual TSC over perf_events */
#ifndef PERFCTR_LIB_PERF_CLOCK_H
#define PERFCTR_LIB_PERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "lib/isa/tsc.h"
#include "lib/perf/counter.h"
#include "perfctr/read.h"

/*
 * The page's clock at the thread's last read: while the page is unchanged, it is the processor's
 * clock plus ticks.
 */
struct perfctr_clock_memo {
	const volatile struct perf_event_mmap_page *volatile page; /* NULL: nothing is known */
	volatile uint64_t ticks;
	volatile uint32_t lock;
	volatile bool noting; /* a signal handler that interrupts this does not write */
};

struct perfctr_clock {
	struct perfctr_counter event; /* its page has the clock; not open if there is none */
	struct perfctr_counter
		exec; /* counts from the execve(2) that ends the clock; mostly not open */
	struct perfctr_rate rate;
	pid_t tid;	      /* the clock's thread */
	unsigned int lent;    /* number of counters in the group whose leader lends its page; 0: the
				 event is the clock's own */
	bool brief;	      /* lent: without the thread's CPU clock */
	uint64_t since_ticks; /* lent: the clock's value at the last start */
	uint64_t since_at;    /* lent: the processor's clock then */
	uint64_t asked_at;    /* the processor's clock when the thread's CPU clock was last asked */
	uint64_t asked_ns;    /* the answer */
	uint64_t ask_again;   /* ask again after this many ticks */
	struct perfctr_clock_memo memo;
};

/* Opens the calling thread's clock. It never fails. */
void perfctr_clock_open(struct perfctr_clock *clock);

/*
 * Borrows the clock from the page of a pinned group of n counters of the calling thread. It ticks
 * while they count, needs no event of its own and ends with theirs. false: they can't lend it.
 */
bool perfctr_clock_borrow(struct perfctr_clock *clock, const struct perfctr_counter *leader,
			  unsigned int n);

/*
 * Starts a lent clock, whose counters run now, and returns its value. If another event takes the
 * PMU from them, it continues as the thread's CPU clock; it may then include up to a ms for which
 * the thread waited for a processor. brief: it can't be read then.
 */
uint64_t perfctr_clock_start(struct perfctr_clock *clock, bool brief);

/*
 * Opens a clock of a thread (0: the calling one) that others can read, too, even after the thread's
 * end. An execve(2) ends it if until_exec. 0, or -1 after perfctr_why_not().
 */
int perfctr_clock_watch(struct perfctr_clock *clock, pid_t tid, bool until_exec);

/*
 * Whether such a clock of another thread can still tick: the thread lives, under the same id, and
 * has not executed a program that ends the clock: any program with until_exec, else one with more
 * rights.
 */
enum perfctr_life {
	PERFCTR_LIFE_OVER,
	PERFCTR_LIFE_ON,
	PERFCTR_LIFE_UNKNOWN, /* after perfctr_why_not() */
	PERFCTR_LIFE_STALE,   /* after perfctr_fail(ESTALE): the program has closed the clock */
};
enum perfctr_life perfctr_clock_life(const struct perfctr_clock *clock);

void perfctr_clock_close(struct perfctr_clock *clock);

/*
 * Gets the ticks for which the clock's thread has run, from some start. own: the caller is that
 * thread; others get a lent clock from a reading of the group, as the time enabled. 0 and *ticks,
 * or -1 after perfctr_fail(ESRCH) if the thread has ended, EBUSY if a clock that was started
 * briefly is lost.
 */
int perfctr_clock_read(const struct perfctr_clock *clock, bool own, uint64_t *ticks);

/*
 * Gets the thread's own ticks by the memo; false: call perfctr_clock_read(). The lock is read
 * before the ticks, in case a handler between them writes a newer memo.
 */
static inline bool perfctr_clock_recall(const struct perfctr_clock *clock, uint64_t *ticks)
{
	const volatile struct perf_event_mmap_page *page = clock->memo.page;
	uint32_t lock = clock->memo.lock;

	if (!PERFCTR_HAVE_RDTSC || !perfctr_likely(page != NULL))
		return false;
	*ticks = perfctr_rdtsc() + clock->memo.ticks;
	perfctr_barrier();
	/* It is not volatile after the barrier, so that one instruction compares it in memory. */
	return perfctr_likely(*(const uint32_t *)&page->lock == lock);
}

#endif /* PERFCTR_LIB_PERF_CLOCK_H */
