// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The virtual TSC over perf_events: ticks of the clock while the thread runs.
 *
 * If the kernel puts its clock into events' pages, a software event that is always on carries the
 * time for which the thread has run; read.h turns it into ticks without a system call: between two
 * switches of the thread differences are the clock's own, exact; across switches the kernel keeps
 * ns, so that each adds an error below one ns' ticks plus one. If not (clock unstable, or
 * paravirtual as in many virtual machines), the thread's CPU clock is asked, in ns.
 *
 * Each event costs at every switch of the thread. So a pinned group of counters lends its clock, if
 * its page has one: the group is on the PMU whenever the thread runs, until another event takes the
 * PMU from it for good. Then the index in its page is 0, the page stands still, and the CPU clock
 * goes on.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/isa/tsc.h"
#include "lib/perf/clock.h"
#include "lib/perf/counter.h"
#include "lib/perf/why.h"
#include "libperfctr.h"
#include "perfctr/read.h"

#define ASK_AGAIN_NS 1000000

static const struct perf_event_attr clock_attr = {
	.type = PERF_TYPE_SOFTWARE,
	.size = sizeof(clock_attr),
	.config = PERF_COUNT_SW_DUMMY,
	.read_format = PERFCTR_READ_FORMAT,
	.exclude_kernel = 1,
	.exclude_hv = 1,
};

void perfctr_clock_open(struct perfctr_clock *clock)
{
	struct perf_event_attr attr = clock_attr;
	int error = errno;

	*clock = (struct perfctr_clock){ .tid = (pid_t)syscall(SYS_gettid), .exec.fd = -1 };
	if (perfctr_counter_try(&clock->event, &attr, &perfctr_this_thread, NULL) == 0 &&
	    perfctr_counter_map(&clock->event, PERFCTR_PAGE_CLOCK)) {
		clock->rate = perfctr_rate_from_page(clock->event.page->time_mult,
						     clock->event.page->time_shift);
	} else {
		perfctr_counter_close(&clock->event);
		clock->rate = perfctr_rate_from_khz(perfctr_tsc_khz());
	}
	errno = error;
}

bool perfctr_clock_borrow(struct perfctr_clock *clock, const struct perfctr_counter *leader,
			  unsigned int n)
{
	if (!PERFCTR_HAVE_RDTSC || !leader->page || !leader->page->cap_user_time)
		return false;
	*clock = (struct perfctr_clock){
		.event = *leader,
		.exec.fd = -1,
		.lent = n,
		.rate = perfctr_rate_from_page(leader->page->time_mult, leader->page->time_shift),
	};
	clock->ask_again = perfctr_rate_ticks(clock->rate, ASK_AGAIN_NS);
	return true;
}

/*
 * An event that execve(2) removes looks like one whose thread is not running. A second event, which
 * the same execve(2) enables, tells the two cases apart.
 */
int perfctr_clock_watch(struct perfctr_clock *clock, pid_t tid, bool until_exec)
{
	const struct perfctr_scope scope = perfctr_scope_thread(tid);
	struct perf_event_attr attr = clock_attr, exec = clock_attr;

	*clock = (struct perfctr_clock){
		.tid = tid,
		.rate = perfctr_rate_from_khz(perfctr_tsc_khz()),
		.exec.fd = -1,
	};
	attr.remove_on_exec = until_exec;
	if (perfctr_counter_open(&clock->event, &attr, "the TSC", &scope, NULL, 0) < 0)
		return -1;
	exec.disabled = exec.enable_on_exec = 1;
	if (!until_exec ||
	    perfctr_counter_open(&clock->exec, &exec, "the TSC", &scope, NULL, 0) == 0)
		return 0;
	perfctr_counter_close(&clock->event);
	return -1;
}

static bool has_executed(const struct perfctr_clock *clock)
{
	struct perfctr_group_values values;

	return clock->exec.fd >= 0 &&
	       perfctr_counter_read(&clock->exec, &values, 1) == PERFCTR_READ_DONE &&
	       values.enabled > 0;
}

enum perfctr_life perfctr_clock_life(const struct perfctr_clock *clock)
{
	const struct perfctr_scope scope = perfctr_scope_thread(clock->tid);
	struct perf_event_attr attr = clock_attr;
	struct perfctr_counter joining;

	if (perfctr_counter_check(&clock->event) < 0)
		return PERFCTR_LIFE_STALE;
	if (has_executed(clock))
		return PERFCTR_LIFE_OVER;
	/* Only an event of the same thread may join the clock's group. */
	if (perfctr_counter_try(&joining, &attr, &scope, &clock->event) == 0) {
		perfctr_counter_close(&joining);
		return PERFCTR_LIFE_ON;
	}
	if (errno == ESRCH || errno == EINVAL || errno == ENODEV)
		return PERFCTR_LIFE_OVER;
	perfctr_why_not(errno, &clock_attr, "the TSC", clock->tid, 0);
	return PERFCTR_LIFE_UNKNOWN;
}

void perfctr_clock_close(struct perfctr_clock *clock)
{
	if (clock->lent)
		return;
	perfctr_counter_close(&clock->exec);
	perfctr_counter_close(&clock->event);
}

/*
 * Remembers how the ticks follow from the page, if it has not changed. A clock with fewer than 64
 * bits wraps, and the page knows how often it has. Arm's 56 bits wrap every 40 years, so not
 * between two switches; a clock that wraps more often is not remembered.
 */
static void note(const struct perfctr_clock *clock, uint32_t lock, uint64_t now, uint64_t lag)
{
	const volatile struct perf_event_mmap_page *page = clock->event.page;
	struct perfctr_clock_memo *memo = (struct perfctr_clock_memo *)&clock->memo;
	uint64_t mask = page->cap_user_time_short ? page->time_mask : UINT64_MAX;

	perfctr_barrier();
	if (page->lock != lock || mask < UINT64_MAX >> 8 || memo->noting)
		return;
	memo->noting = true;
	memo->page = NULL;
	memo->ticks = (now & ~mask) - lag;
	memo->lock = lock;
	memo->page = page;
	memo->noting = false;
}

/*
 * Reads the calling thread's page, unless its counters have lost the PMU: they don't get it back by
 * themselves, so that counters that run after the read have run during it. *now: the processor's
 * clock.
 */
static inline bool read_page(const struct perfctr_clock *clock, uint64_t *ticks, uint64_t *now)
{
	const volatile struct perf_event_mmap_page *page = clock->event.page;
	uint64_t lag;
	uint32_t lock;

	if (!page)
		return false;
	lock = page->lock;
	perfctr_barrier();
	if (!perfctr_page_read_clock(page, now, &lag) || (clock->lent && !page->index))
		return false;
	lag = perfctr_rate_ticks(clock->rate, lag);
	note(clock, lock, *now, lag);
	*ticks = *now - lag;
	return true;
}

/*
 * Asks for the thread's CPU clock, which takes a system call. If that was asked at most a ms ago,
 * it is assumed to have advanced as the processor's clock has, which is never behind it.
 */
static void ask(struct perfctr_clock *clock)
{
	if (clock->asked_ns && clock->since_at - clock->asked_at <= clock->ask_again)
		return;
	clock->asked_ns = perfctr_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	clock->asked_at = clock->since_at;
}

uint64_t perfctr_clock_start(struct perfctr_clock *clock, bool brief)
{
	clock->brief = brief;
	if (!read_page(clock, &clock->since_ticks, &clock->since_at) &&
	    perfctr_clock_read(clock, true, &clock->since_ticks) < 0)
		clock->since_ticks = 0;
	if (!brief)
		ask(clock);
	return clock->since_ticks;
}

/* The thread's CPU clock at the start. */
static uint64_t since_ns(const struct perfctr_clock *clock)
{
	const volatile struct perf_event_mmap_page *page = clock->event.page;

	return clock->asked_ns +
	       perfctr_scale(clock->since_at - clock->asked_at, page->time_mult, page->time_shift);
}

/*
 * Continues with the CPU clock, but returns no less than the time for which the counters had the
 * PMU.
 */
static uint64_t go_on(const struct perfctr_clock *clock)
{
	uint64_t ns = perfctr_clock_ns(CLOCK_THREAD_CPUTIME_ID), since = since_ns(clock);
	uint64_t gone = ns > since ? ns - since : 0;
	uint64_t ticks = clock->since_ticks + perfctr_rate_ticks(clock->rate, gone);
	uint64_t least = perfctr_rate_ticks(clock->rate, clock->event.page->time_enabled);

	return ticks > least ? ticks : least;
}

static int read_event(const struct perfctr_clock *clock, uint64_t *ticks)
{
	unsigned int n = clock->lent ? clock->lent : 1;
	struct perfctr_group_values values;

	switch (perfctr_counter_read(&clock->event, &values, n)) {
	case PERFCTR_READ_DONE: *ticks = perfctr_rate_ticks(clock->rate, values.enabled); return 0;
	case PERFCTR_READ_TAKEN:
		if (clock->brief)
			return perfctr_why_taken("the counters, and with them the TSC's clock,");
		if (clock->lent) {
			*ticks = go_on(clock);
			return 0;
		}
		break;
	case PERFCTR_READ_FAILED:
		if (errno == ESTALE)
			return -1;
		break;
	default: break;
	}
	return perfctr_fail(EIO, "the clock of thread %d can't be read", (int)clock->tid);
}

int perfctr_clock_read(const struct perfctr_clock *clock, bool own, uint64_t *ticks)
{
	uint64_t ns, now;

	if (own && (perfctr_clock_recall(clock, ticks) || read_page(clock, ticks, &now)))
		return 0;
	if (clock->event.fd >= 0)
		return read_event(clock, ticks);
	/* This is the CPU clock of one thread, by its id: <linux/posix-timers.h> CPUCLOCK_*. */
	ns = perfctr_clock_ns(own ? CLOCK_THREAD_CPUTIME_ID
				  : (clockid_t)(~(unsigned int)clock->tid << 3 | 6));
	if (ns == UINT64_MAX)
		return perfctr_fail(ESRCH, "the clock of thread %d can't be read: it has ended",
				    (int)clock->tid);
	*ticks = perfctr_rate_ticks(clock->rate, ns);
	return 0;
}
