// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The virtual TSC where the kernel is perf_events: ticks of the clock while the thread runs.
 *
 * If the kernel puts its clock into events' pages, a software event that is always on carries the
 * time for which the thread has run; read.h turns it into ticks without a system call: between two
 * switches of the thread differences are the clock's own, exact; across switches the kernel keeps
 * ns, so that each adds an error below one ns' ticks plus one. If not (clock unstable, or
 * paravirtual as in many virtual machines), the thread's CPU clock is asked, in ns.
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

	clock->tid = (pid_t)syscall(SYS_gettid);
	clock->exec = (struct perfctr_counter){ .fd = -1 };
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

/*
 * An event that execve(2) removes looks like one that waits for its thread. That it has been
 * removed is seen by another one, which the same execve(2) enables.
 */
int perfctr_clock_watch(struct perfctr_clock *clock, pid_t tid, bool until_exec)
{
	const struct perfctr_scope scope = perfctr_scope_thread(tid);
	struct perf_event_attr attr = clock_attr, exec = clock_attr;

	clock->tid = tid;
	clock->rate = perfctr_rate_from_khz(perfctr_tsc_khz());
	clock->exec = (struct perfctr_counter){ .fd = -1 };
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
	perfctr_counter_close(&clock->exec);
	perfctr_counter_close(&clock->event);
}

int perfctr_clock_read(const struct perfctr_clock *clock, bool own, uint64_t *ticks)
{
	struct perfctr_group_values values;
	uint64_t now, lag, ns;

	if (own && clock->event.page && perfctr_page_read_clock(clock->event.page, &now, &lag)) {
		*ticks = now - perfctr_rate_ticks(clock->rate, lag);
		return 0;
	}
	if (clock->event.fd >= 0) {
		if (perfctr_counter_read(&clock->event, &values, 1) != PERFCTR_READ_DONE)
			return perfctr_fail(EIO, "the clock of thread %d can't be read",
					    (int)clock->tid);
		ns = values.enabled;
	} else {
		/* The CPU clock of one thread, by its id: <linux/posix-timers.h> CPUCLOCK_*. */
		ns = perfctr_clock_ns(own ? CLOCK_THREAD_CPUTIME_ID
					  : (clockid_t)(~(unsigned int)clock->tid << 3 | 6));
		if (ns == UINT64_MAX)
			return perfctr_fail(ESRCH,
					    "the clock of thread %d can't be read: it has ended",
					    (int)clock->tid);
	}
	*ticks = perfctr_rate_ticks(clock->rate, ns);
	return 0;
}
