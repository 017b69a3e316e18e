/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock.h - the virtual TSC where the kernel is perf_events */
#ifndef PERFCTR_LIB_PERF_CLOCK_H
#define PERFCTR_LIB_PERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "lib/isa/tsc.h"
#include "lib/perf/counter.h"
#include "perfctr/read.h"

/*
 * What the thread's last read found the page's clock to be: as long as the page has not changed,
 * the processor's clock plus ticks.
 */
struct perfctr_clock_memo {
	const volatile struct perf_event_mmap_page *volatile page; /* NULL: nothing is known */
	volatile uint64_t ticks;
	volatile uint32_t lock;
	volatile bool noting; /* a signal's handler, which reads meanwhile, does not */
};

struct perfctr_clock {
	struct perfctr_counter event; /* its page has the clock; not open if there is none */
	struct perfctr_counter exec;  /* begins to count when the clock ends so; mostly not open */
	struct perfctr_rate rate;
	pid_t tid;	   /* whose thread */
	unsigned int lent; /* of a group of so many counters, whose leader's page it is; 0: not */
	bool brief;	   /* lent: without the thread's CPU clock */
	uint64_t since_ticks; /* lent: this clock, at a start */
	uint64_t since_at;    /* the processor's then */
	uint64_t asked_at;    /* and when the thread's CPU clock was asked, */
	uint64_t asked_ns;    /* which said that */
	uint64_t ask_again;   /* after so many ticks */
	struct perfctr_clock_memo memo;
};

/* Open the calling thread's clock. Always possible. */
void perfctr_clock_open(struct perfctr_clock *clock);

/*
 * Have the clock from the page of a group of n counters of the calling thread's, which are pinned.
 * It ticks while they count, needs no event of its own and ends with theirs. false: they can't lend
 * it.
 */
bool perfctr_clock_borrow(struct perfctr_clock *clock, const struct perfctr_counter *leader,
			  unsigned int n);

/*
 * The counters that have lent it count now. Should somebody take the PMU from them, the clock goes
 * on from here as the thread's CPU clock does, but for the time in which the thread waited for the
 * processor while they were stopped, up to a ms; brief: then it can't be read. Returns what it says
 * now.
 */
uint64_t perfctr_clock_start(struct perfctr_clock *clock, bool brief);

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
 * Ticks for which the clock's thread has run, from some start. own: the caller is that thread; what
 * is lent, others have from a reading of the group: the time enabled. 0 and *ticks, or -1 after
 * perfctr_fail(ESRCH) if the thread has ended, EBUSY if a clock that was started briefly is lost.
 */
int perfctr_clock_read(const struct perfctr_clock *clock, bool own, uint64_t *ticks);

/*
 * The same for the thread itself, by what it remembers; false: perfctr_clock_read(). The lock is
 * taken before the ticks, for a handler between them that remembers something newer.
 */
static inline bool perfctr_clock_recall(const struct perfctr_clock *clock, uint64_t *ticks)
{
	const volatile struct perf_event_mmap_page *page = clock->memo.page;
	uint32_t lock = clock->memo.lock;

	if (!PERFCTR_HAVE_RDTSC || !perfctr_likely(page != NULL))
		return false;
	*ticks = perfctr_rdtsc() + clock->memo.ticks;
	perfctr_barrier();
	/* Not volatile, after the barrier: one instruction compares it in its place. */
	return perfctr_likely(*(const uint32_t *)&page->lock == lock);
}

#endif /* PERFCTR_LIB_PERF_CLOCK_H */
