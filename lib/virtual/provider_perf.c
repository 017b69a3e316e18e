// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Virtual counters over perf_event_open(2).
 *
 * The state that perfctr's kernel kept per thread is kept here, and found through a thread-local
 * pointer: one group of events for the counters of a control, so that they are on the PMU together,
 * pinned unless the user shares, and a clock for the virtual TSC, which is that of the counters'
 * page or an event of its own (clock.c). A counter's value is base + the event's count; "sums" move
 * between base and sum[] as counting starts and stops, and the events themselves are never reset. A
 * stopped group stays open, and is used again if the next control counts the same, unless it has
 * i-mode counters, whose periods begin again (overflow.c). The state of another thread (remote.c)
 * differs only in that it has a clock from the start, and that all its reads are read(2).
 *
 * After each control, a state with a descriptor (syscalls_perf.c) is published to its readers. Its
 * events stay open in the descriptor's queue when the thread executes a program, and so, like
 * another thread's, end there only if the control says so.
 *
 * Its thread writes a state; other threads only read it, for totals (total.c). control, unlink and
 * the thread's end take the lock, and so do reads from other threads; the thread's own reads need
 * none. A signal handler may read in the middle of a control. It uses bases and readers while
 * counters run, and these are written only while cstatus says that none does; with the sums it is
 * the other way round. With i-mode counters signals wait while a control is at work, since an
 * overflow's handler may do more than read: it resumes. A resume changes cstatus, bases, sums and
 * the overflow's words without the lock, as the handler may have interrupted a reader that holds
 * another thread's lock; a read that finds that counters were resumed meanwhile begins again.
 */
#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "arch/cpu.h"
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "lib/isa/attr.h"
#include "lib/isa/control.h"
#include "lib/isa/native.h"
#include "lib/isa/offer.h"
#include "lib/perf/check.h"
#include "lib/perf/clock.h"
#include "lib/perf/counter.h"
#include "lib/perf/edge.h"
#include "lib/perf/events.h"
#include "lib/perf/overflow.h"
#include "lib/perf/probe.h"
#include "lib/perf/reading.h"
#include "lib/perf/signal.h"
#include "lib/perf/sys.h"
#include "lib/perf/why.h"
#include "lib/virtual/provider.h"
#include "lib/virtual/queue.h"
#include "libperfctr.h"
#include "perfctr/read.h"

struct state {
	struct vperfctr handle;
	pid_t tid;   /* another thread's id; 0: the state is the calling thread's */
	bool shared; /* PERFCTR_MULTIPLEX */
	bool brief;  /* VPERFCTR_OPEN_BRIEF */
	bool have_clock;
	bool until_exec;	    /* the events, and the clock above all, end at an execve(2) */
	struct perfctr_queue queue; /* the queue of its descriptors */
	atomic_uint
		cstatus; /* the counters that run now, until an overflow; 0 if stopped or paused */
	unsigned int paused; /* the counters that a resume starts; 0 if not paused */
	uint64_t tsc_base;   /* the running TSC's value is the clock minus this */
	uint64_t tsc_sum;    /* the stopped TSC's value */
	struct perfctr_clock clock;
	pthread_mutex_t lock;
	struct vperfctr_control control; /* the last one accepted; not in force if `stopped` */
	atomic_bool stopped;
	struct perfctr_cpu_control opened;
	struct perfctr_events group;			 /* events for the control `opened` */
	struct perfctr_counter counter[PERFCTR_NR_CTRS]; /* the events of the group */
	struct perfctr_edge edge; /* begins and ends the group's counting, with its readers */
	unsigned int begins;	  /* the cstatus of the last control that counts */
	unsigned long request;	  /* the request that arm() makes */
	uint64_t held;		  /* the kernel's signal mask after arm() */
	uint64_t
		sum[PERFCTR_NR_CTRS]; /* values of stopped counters; start values of running ones */
	struct perfctr_overflow overflow; /* of the open group */
	atomic_uint resumes;		  /* twice the number of resumes; odd: one is at work */
	bool told;			  /* whether the program knows of this overflow */
};
static_assert(sizeof(struct state) <= 4096, "a handle is at most one page");
static_assert(PERFCTR_NR_CTRS <= PERFCTR_GROUP_MAX, "a control fits into a group");

static struct state *state_of(const struct vperfctr *self)
{
	return (struct state *)self; /* handle is its first member; callers hold it as const */
}

static bool is_own(const struct state *state)
{
	return perfctr_is_own(&state->handle);
}

static unsigned int cstatus_of(const struct state *state)
{
	return atomic_load_explicit(&state->cstatus, memory_order_relaxed);
}

/*
 * Orders the stores for a signal handler: those before this are done if it sees the new cstatus,
 * and those after it are not.
 */
static void set_cstatus(struct state *state, unsigned int cstatus)
{
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&state->cstatus, cstatus, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

/* Returns the control that is in force. */
static const struct vperfctr_control *control_of(const struct state *state)
{
	static const struct vperfctr_control nothing;

	return atomic_load_explicit(&state->stopped, memory_order_relaxed) ? &nothing
									   : &state->control;
}

static void set_control_of(struct state *state, const struct vperfctr_control *control)
{
	state->control = *control;
	atomic_store_explicit(&state->stopped, false, memory_order_relaxed);
}

/*
 * The index in the group of a control's counter i: i-mode counters are last in the control, but
 * first in the group.
 */
static unsigned int place(const struct state *state, unsigned int i)
{
	unsigned int k = i + state->overflow.nr;

	return k < state->group.n ? k : k - state->group.n;
}

/* ---- reading ---- */

static bool find_overflow(const struct state *state)
{
	uint64_t values[PERFCTR_NR_CTRS];
	unsigned int reached, stopped;

	return perfctr_overflow_find(&state->overflow, &state->group, values, &reached, &stopped);
}

/* The part of a cstatus that counts on after an overflow. */
static unsigned int tsc_alone(unsigned int cstatus)
{
	return perfctr_mk_cstatus(cstatus >> 31, 0, 0);
}

static bool is_running_locked(const struct state *state)
{
	unsigned int cstatus = cstatus_of(state);

	return (perfctr_cstatus_has_ictrs(cstatus) && find_overflow(state) ? tsc_alone(cstatus)
									   : cstatus) != 0;
}

static unsigned int begin_read(const struct state *state)
{
	unsigned int resumes;

	/* In its own thread a handler has interrupted the resume, and finds the sums. */
	while ((resumes = atomic_load(&state->resumes)) & 1 && !is_own(state))
		sched_yield();
	return resumes;
}

static bool resumed_since(const struct state *state, unsigned int resumes)
{
	atomic_thread_fence(memory_order_seq_cst);
	return atomic_load(&state->resumes) != resumes;
}

/* As perfctr_reader_read_all(): a control counts on one core type, so that each has one page. */
static inline int read_pages(const struct perfctr_reader *reader, size_t n, uint64_t *values)
{
	const struct perfctr_reader *end = reader + n;

	for (; reader != end; reader++, values++)
		if (!perfctr_page_read_count(reader, values))
			return 0;
	return 1;
}

/* Reads without a system call, as long as all counters run. */
static bool read_in_user_space(const struct state *state, unsigned int n, uint64_t *values)
{
	struct perfctr_reader reader;
	unsigned int i;

	if (!state->overflow.nr)
		return read_pages(state->edge.reader, n, values);
	for (i = 0; i < n; i++) {
		perfctr_counter_reader(&state->group.counter[place(state, i)], &reader);
		if (!perfctr_page_read_count(&reader, &values[i]))
			return false;
		values[i] += state->edge.reader[i].base;
	}
	/* An overflow may have come during the reads. */
	return !find_overflow(state);
}

/* Reads all n running counters. */
static enum perfctr_outcome read_group(const struct state *state, unsigned int n,
				       struct perfctr_group_values *group)
{
	struct perfctr_group_values found;
	unsigned int i, reached, stopped;
	enum perfctr_outcome outcome;

	do {
		if (perfctr_overflow_find(&state->overflow, &state->group, found.values, &reached,
					  &stopped)) {
			outcome = PERFCTR_READ_OVERFLOWED;
			break;
		}
		outcome = perfctr_events_read(&state->group, &found);
	} while (state->overflow.nr && find_overflow(state));
	if (outcome == PERFCTR_READ_TAKEN || outcome == PERFCTR_READ_FAILED)
		return outcome;
	group->enabled = found.enabled;
	group->running = found.running;
	for (i = 0; i < n; i++)
		group->values[i] = found.values[place(state, i)] +
				   perfctr_load(&state->edge.reader[i].base);
	return outcome;
}

/*
 * Gets the values of the running counters, and of the TSC in *tsc. Other threads hold the lock. 0,
 * or -1 after perfctr_fail() if the kernel has no values.
 */
static int sample(const struct state *state, unsigned int cstatus, uint64_t *tsc, uint64_t *values)
{
	bool own = is_own(state), has_tsc = perfctr_cstatus_has_tsc(cstatus);
	/* If the clock is the counters', one read gives it and them for the same moment. */
	bool together = has_tsc && state->clock.lent && !own;
	unsigned int n = perfctr_cstatus_nrctrs(cstatus);
	struct perfctr_group_values group;
	uint64_t now;

	*tsc = perfctr_load(&state->tsc_sum);
	if (has_tsc && !together) {
		if (perfctr_clock_read(&state->clock, own, &now) < 0)
			return -1;
		*tsc = now - perfctr_load(&state->tsc_base);
	}
	if (n == 0 || (own && read_in_user_space(state, n, values)))
		return 0;
	switch (read_group(state, n, &group)) {
	case PERFCTR_READ_TAKEN: return perfctr_why_taken("the counters");
	case PERFCTR_READ_FAILED: return -1;
	default: memcpy(values, group.values, sizeof(values[0]) * n);
	}
	if (together)
		*tsc = perfctr_rate_ticks(state->clock.rate, group.enabled) -
		       perfctr_load(&state->tsc_base);
	return 0;
}

/* Reads everything, counters that do not run included. */
static int read_all_locked(const struct state *state, struct perfctr_sum_ctrs *sum)
{
	unsigned int i, cstatus, resumes;
	uint64_t tsc;

	do {
		resumes = begin_read(state);
		cstatus = cstatus_of(state);
		if (sample(state, cstatus, &tsc, (uint64_t *)sum->pmc) < 0)
			return -1;
		sum->tsc = tsc;
		/*
		 * A resume may write these sums meanwhile; the others change only with the lock
		 * held.
		 */
		for (i = perfctr_cstatus_nrctrs(cstatus); i < state->group.n; i++)
			sum->pmc[i] = perfctr_load(&state->sum[i]);
		for (; i < PERFCTR_NR_CTRS; i++)
			sum->pmc[i] = state->sum[i];
	} while (resumed_since(state, resumes));
	return 0;
}

/* This is out of line, so that the usual path needs little stack. */
static __attribute__((noinline)) int read_all(const struct vperfctr *self,
					      struct perfctr_sum_ctrs *sum)
{
	struct state *state = state_of(self);
	int result;

	if (is_own(state))
		return read_all_locked(state, sum);
	pthread_mutex_lock(&state->lock);
	result = read_all_locked(state, sum);
	pthread_mutex_unlock(&state->lock);
	return result;
}

/* Reads again, for example after a thread switch. */
static __attribute__((noinline)) int read_ctrs_anew(const struct vperfctr *self,
						    struct perfctr_sum_ctrs *sum)
{
	const struct state *state = state_of(self);
	unsigned int cstatus = cstatus_of(state);
	uint64_t now;

	if (is_own(state) && perfctr_cstatus_has_tsc(cstatus) &&
	    read_pages(state->edge.reader, perfctr_cstatus_nrctrs(cstatus), (uint64_t *)sum->pmc) &&
	    perfctr_clock_read(&state->clock, true, &now) == 0) {
		sum->tsc = now - state->tsc_base;
		return 0;
	}
	return read_all(self, sum);
}

static int read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sum)
{
	const struct state *state = state_of(self);
	unsigned int cstatus = cstatus_of(state);
	uint64_t now;

	if (!perfctr_likely(is_own(state) && perfctr_cstatus_has_tsc(cstatus)) ||
	    !read_pages(state->edge.reader, perfctr_cstatus_nrctrs(cstatus),
			(uint64_t *)sum->pmc) ||
	    !perfctr_likely(perfctr_clock_recall(&state->clock, &now)))
		return read_ctrs_anew(self, sum);
	sum->tsc = now - state->tsc_base;
	return 0;
}

static __attribute__((noinline)) unsigned long long read_tsc_anew(const struct vperfctr *self)
{
	const struct state *state = state_of(self);
	uint64_t now;

	if (is_own(state) && perfctr_cstatus_has_tsc(cstatus_of(state)) &&
	    perfctr_clock_read(&state->clock, true, &now) == 0)
		return now - state->tsc_base;
	return perfctr_read_tsc_slow(self);
}

static unsigned long long read_tsc(const struct vperfctr *self)
{
	const struct state *state = state_of(self);
	uint64_t now;

	if (!perfctr_likely(is_own(state) && perfctr_cstatus_has_tsc(cstatus_of(state)) &&
			    perfctr_clock_recall(&state->clock, &now)))
		return read_tsc_anew(self);
	return now - state->tsc_base;
}

static unsigned long long read_pmc(const struct vperfctr *self, unsigned int i)
{
	const struct state *state = state_of(self);
	uint64_t value;

	if (perfctr_likely(is_own(state) && i < perfctr_cstatus_nrctrs(cstatus_of(state))) &&
	    perfctr_likely(perfctr_page_read_count(&state->edge.reader[i], &value)))
		return value;
	return perfctr_read_pmc_slow(self, i);
}

/* Asks again, since nobody asks often. */
static bool is_unverified(const struct state *state, unsigned int i)
{
	struct perf_event_attr attr = { 0 };
	char name[32];

	return perfctr_control_attr(&state->opened, i, &attr, name, sizeof(name)) == 0 &&
	       perfctr_attr_is_unverified(&attr);
}

static int read_quality_once(const struct state *state, unsigned int i,
			     struct perfctr_reading *reading)
{
	unsigned int n = perfctr_cstatus_nrctrs(cstatus_of(state));
	struct perfctr_group_values group;

	if (i >= n) {
		reading->value = perfctr_load(&state->sum[i]);
		reading->quality = PERFCTR_STALE;
		return 0;
	}
	if (!is_own(state) || !perfctr_reader_read_times(&state->edge.reader[i], &reading->value,
							 &reading->enabled, &reading->running)) {
		switch (read_group(state, n, &group)) {
		case PERFCTR_READ_TAKEN: reading->quality = PERFCTR_NOT_COUNTED; return 0;
		case PERFCTR_READ_FAILED: return -1;
		case PERFCTR_READ_OVERFLOWED:
			reading->value = group.values[i];
			reading->quality = PERFCTR_STALE;
			return 0;
		default:
			reading->value = group.values[i];
			reading->enabled = group.enabled;
			reading->running = group.running;
		}
	}
	reading->quality = perfctr_quality_of(reading->enabled, reading->running);
	if (reading->quality == PERFCTR_EXACT && is_unverified(state, i))
		reading->quality = PERFCTR_UNVERIFIED;
	return 0;
}

static int read_quality_locked(const struct state *state, unsigned int i,
			       struct perfctr_reading *reading)
{
	unsigned int resumes;
	int result;

	do {
		resumes = begin_read(state);
		memset(reading, 0, sizeof(*reading));
		result = read_quality_once(state, i, reading);
	} while (resumed_since(state, resumes));
	return result;
}

static int read_quality(const struct vperfctr *self, unsigned int i,
			struct perfctr_reading *reading)
{
	struct state *state = state_of(self);
	int result;

	if (is_own(state))
		return read_quality_locked(state, i, reading);
	pthread_mutex_lock(&state->lock);
	result = read_quality_locked(state, i, reading);
	pthread_mutex_unlock(&state->lock);
	return result;
}

static int reader(const struct vperfctr *self, unsigned int i, struct perfctr_reader *copy)
{
	const struct state *state = state_of(self);

	if (i >= perfctr_cstatus_nrctrs(cstatus_of(state)))
		return perfctr_fail(EINVAL, "counter %u is not running", i);
	*copy = state->edge.reader[i];
	if (perfctr_cstatus_has_ictrs(cstatus_of(state)))
		return perfctr_fail(EOPNOTSUPP,
				    "a reader does not see the overflows that stop these "
				    "counters; read them with vperfctr_read_pmc()");
	if (!state->group.counter[i].page)
		return perfctr_why_no_reader();
	return 0;
}

static int read_state(const struct vperfctr *self, struct perfctr_sum_ctrs *sum,
		      struct vperfctr_control *control)
{
	struct state *state = state_of(self);
	bool own = is_own(state);

	if (!control)
		return sum ? read_all(self, sum) : 0;
	if (sum && read_all(self, sum) < 0)
		return -1;
	if (!own)
		pthread_mutex_lock(&state->lock);
	*control = *control_of(state);
	if (!own)
		pthread_mutex_unlock(&state->lock);
	return 0;
}

static int is_running(const struct vperfctr *self)
{
	struct state *state = state_of(self);
	int result;

	if (is_own(state))
		return is_running_locked(state);
	pthread_mutex_lock(&state->lock);
	result = is_running_locked(state);
	pthread_mutex_unlock(&state->lock);
	return result;
}

/* ---- starting and stopping ---- */

static int check_own(const struct state *state)
{
	if (is_own(state))
		return 0;
	return perfctr_fail(
		ESRCH,
		state->handle.owner
			? "these counters belong to another thread, which alone can control them"
			: "these counters have been unlinked; open new ones");
}

/* Sends the program the signal of an overflow that it does not know of yet, if there is one. */
static void tell(struct state *state)
{
	uint64_t values[PERFCTR_NR_CTRS];
	unsigned int reached, stopped;

	if (state->told ||
	    !perfctr_overflow_find(&state->overflow, &state->group, values, &reached, &stopped))
		return;
	state->told = true;
	/* Counters that still run would overflow as well if the handler took long. */
	if (!(stopped & 1))
		perfctr_events_undo(&state->group, PERF_EVENT_IOC_DISABLE);
	perfctr_signal_send(state->control.si_signo,
			    reached << (state->group.n - state->overflow.nr));
}

/* Handles the private signal. If it is late, or comes from elsewhere, tell() finds no overflow. */
static void on_overflow(int signo, siginfo_t *info, void *context)
{
	struct vperfctr *self = perfctr_attached();

	(void)signo, (void)info, (void)context;
	if (self && self->provider == &perfctr_provider_perf)
		tell(state_of(self));
}

/* Compares all words that make an event: all but the TSC's and the i-mode start values. */
static bool counts_the_same(const struct perfctr_cpu_control *a,
			    const struct perfctr_cpu_control *b)
{
	const size_t first = offsetof(struct perfctr_cpu_control, nractrs);
	const size_t second = offsetof(struct perfctr_cpu_control, ireset) + sizeof(a->ireset);

	return memcmp(&a->nractrs, &b->nractrs,
		      offsetof(struct perfctr_cpu_control, ireset) - first) == 0 &&
	       memcmp((const char *)a + second, (const char *)b + second, sizeof(*a) - second) == 0;
}

/*
 * Whether others can read it, with a clock of perfctr_clock_watch(). Its events live on through
 * execve(2).
 */
static bool is_watched(const struct state *state)
{
	return state->tid || state->queue.reader >= 0;
}

static bool ends_at_exec(const struct state *state, const struct vperfctr_control *control)
{
	return is_watched(state) && control->flags & VPERFCTR_CONTROL_CLOEXEC;
}

/* Adds counter k of a control's group. 0, or -1 after perfctr_fail(). */
static int add_counter(struct perfctr_events *group, const struct perfctr_cpu_control *cpu,
		       unsigned int k, int signo)
{
	bool overflows = k < cpu->nrictrs;
	/* This is the inverse of place(). */
	unsigned int i = overflows ? k + cpu->nractrs : k - cpu->nrictrs;
	struct perf_event_attr attr = { 0 };
	char name[32];

	if (overflows) {
		attr.sample_period = -(uint64_t)(int64_t)cpu->ireset[i];
		attr.sample_type = PERF_SAMPLE_READ;
	}
	if (perfctr_control_attr(cpu, i, &attr, name, sizeof(name)) < 0 ||
	    perfctr_events_add(group, &attr, name) < 0)
		return -1;
	group->counter[k].instructions = perfctr_attr_counts_instructions(perfctr_this_cpu(),
									  &attr);
	return overflows ? perfctr_counter_arm(&group->counter[k], signo) : 0;
}

/*
 * Opens the group of a control's counters, stopped. A single counter is opened running if there is
 * none to stop before: this saves the call that starts it.
 */
static int open_counters(const struct state *state, const struct vperfctr_control *control,
			 struct perfctr_events *group)
{
	const struct perfctr_cpu_control *cpu = &control->cpu_control;
	const struct perfctr_scope scope = perfctr_scope_thread(state->tid);
	unsigned int k, n = cpu->nractrs + cpu->nrictrs, flags = 0;
	int signo = 0;

	if (perfctr_control_place(cpu) < 0 ||
	    (cpu->nrictrs && (signo = perfctr_signal_take(control->si_signo, on_overflow)) < 0))
		return -1;
	if (n > 1 || cpu->nrictrs || cstatus_of(state) || state->paused)
		flags |= PERFCTR_DISABLED;
	if (state->shared)
		flags |= PERFCTR_MULTIPLEX;
	if (ends_at_exec(state, control))
		flags |= PERFCTR_EVENTS_UNTIL_EXEC;
	/*
	 * Readers of the descriptor read all counters at one moment, and so must the start values
	 * be read.
	 */
	if (is_watched(state))
		flags |= PERFCTR_EVENTS_PUBLISHED;
	perfctr_events_init(group, &scope, flags, group->counter, n);
	for (k = 0; k < n; k++)
		if (add_counter(group, cpu, k, signo) < 0)
			return -1;
	return 0;
}

/*
 * Starts a group, unless it runs already, and fills in its readers so that their values begin at 0
 * now. A group with i-mode counters stands still after it, if its periods can begin again: then
 * arm() starts it by *request. 0, or -1 after perfctr_fail(), with the group stopped.
 */
static int start(struct perfctr_overflow *overflow, const struct perfctr_events *group, bool counts,
		 struct perfctr_reader *reader, unsigned long *request)
{
	static const struct perfctr_counter unmapped = { .fd = -1 };
	struct perfctr_group_values found;
	unsigned int i;

	/*
	 * Readers know nothing of overflows, so that those of i-mode groups always ask the kernel.
	 */
	for (i = 0; i < group->n; i++)
		perfctr_counter_reader(overflow->nr ? &unmapped : &group->counter[i], &reader[i]);
	if ((!counts && perfctr_overflow_start(overflow, group, ~0u) < 0) ||
	    (overflow->nr && PERFCTR_OVERFLOW_REWINDS && perfctr_events_stop_at_once(group) < 0))
		return -1;
	/*
	 * The kernel is asked if user space can't read them, or if the PMU had no counters for
	 * them.
	 */
	if (!read_pages(reader, group->n, found.values) &&
	    perfctr_events_values(group, &found) < 0) {
		perfctr_events_undo(group, PERF_EVENT_IOC_DISABLE);
		return -1;
	}
	/* On POWER i-mode events have counted from the beginning of their period. */
	if (overflow->nr && !PERFCTR_OVERFLOW_REWINDS)
		return 0;
	/* I-mode counters stand first in the group, but last in a control. */
	for (i = 0; i < group->n; i++)
		reader[i].base = -found.values[(i + overflow->nr) % group->n];
	return overflow->nr ? perfctr_overflow_rewind(overflow, group, found.values, request) : 0;
}

/* Starts the TSC at its sum. */
static inline void start_tsc(struct state *state)
{
	uint64_t now = 0;

	if (state->clock.lent)
		now = perfctr_clock_start(&state->clock, state->brief);
	else
		perfctr_clock_read(&state->clock, is_own(state), &now);
	state->tsc_base = now - state->tsc_sum;
}

static inline void set_tsc(struct state *state, const struct vperfctr_control *control)
{
	if (control->cpu_control.tsc_on)
		start_tsc(state);
	else
		state->tsc_sum = 0;
}

/* Sets the sums as a control wants them, and the bases so that counting goes on there. */
static inline void set_sums(struct state *state, const struct vperfctr_control *control,
			    unsigned int n)
{
	unsigned int i;

	set_tsc(state, control);
	for (i = 0; i < n; i++) {
		if (!(control->preserve & 1u << i))
			state->sum[i] = 0;
		state->edge.reader[i].base += state->sum[i];
	}
}

/*
 * Stops the running counters and keeps their values in the sums. The group stays open; `ends`: it
 * is closed after this.
 */
static int stop(struct state *state, bool ends)
{
	unsigned int cstatus = cstatus_of(state), n = perfctr_cstatus_nrctrs(cstatus);
	uint64_t values[PERFCTR_NR_CTRS], tsc;
	int result = 0;

	/* The sums have an overflow if its signal comes: no other may follow. */
	if (perfctr_cstatus_has_ictrs(cstatus)) {
		result = perfctr_events_disable(&state->group);
		tell(state);
	}
	if (sample(state, cstatus, &tsc, values) < 0)
		result = -1;
	else
		memcpy(state->sum, values, sizeof(values[0]) * n);
	state->tsc_sum = tsc; /* the TSC is never lost */
	set_cstatus(state, 0);
	/* Closing a single counter stops it as well, unless others have its descriptor. */
	if (n && !perfctr_cstatus_has_ictrs(cstatus) && (!ends || n > 1 || is_watched(state)) &&
	    perfctr_events_disable(&state->group) < 0)
		result = -1;
	return result;
}

/*
 * Blocks signals if there are i-mode counters, whose handlers then find all of a change or nothing.
 */
static bool hold_signals(unsigned int cstatus, sigset_t *held)
{
	if (!perfctr_cstatus_has_ictrs(cstatus))
		return false;
	perfctr_signals_block(held);
	return true;
}

static int check_control(const struct state *state, const struct vperfctr_control *control)
{
	if (!state->tid && check_own(state) < 0)
		return -1;
	if (state->tid && control->cpu_control.nrictrs)
		return perfctr_fail(EOPNOTSUPP,
				    "perf_events has no overflow signals for another thread's "
				    "counters, whose events are this process's; use a-mode "
				    "counters (nrictrs = 0), or load the perfctr driver");
	if (state->shared && control->cpu_control.nrictrs)
		return perfctr_fail(EOPNOTSUPP,
				    "i-mode counters can't be multiplexed: while off the PMU "
				    "they miss their overflows; open without PERFCTR_MULTIPLEX");
	if (ends_at_exec(state, control) && !perfctr_can_remove_on_exec())
		return perfctr_fail(
			EOPNOTSUPP,
			"VPERFCTR_CONTROL_CLOEXEC takes a kernel that can remove "
			"events on execve(2), Linux 5.13 or later; on this one leave the flag "
			"out, and unlink the counters at the execve(2)");
	return perfctr_thread_control_check(control);
}

/*
 * Whether a control's group lends its clock. i-mode counters don't, since they stop at an overflow
 * and the TSC does not; shared ones don't, since their page is not updated while they wait for the
 * PMU; and a watched state has a clock that others read.
 */
static bool borrow_clock(const struct state *state, const struct perfctr_cpu_control *cpu,
			 const struct perfctr_events *group, struct perfctr_clock *clock)
{
	return cpu->nractrs && !cpu->nrictrs && !state->shared && !is_watched(state) &&
	       perfctr_clock_borrow(clock, &group->counter[0], cpu->nractrs);
}

/* Opens the clock that a control needs, unless the present one serves. */
static int renew_clock(const struct state *state, const struct vperfctr_control *control,
		       const struct perfctr_events *group, struct perfctr_clock *clock,
		       bool *renewed)
{
	bool until_exec = ends_at_exec(state, control);
	/* A lent clock stays only if its group does. */
	bool have = state->have_clock && (!state->clock.lent || group == &state->group);

	if (have && state->clock.lent && control->cpu_control.nractrs)
		return 0;
	*renewed = borrow_clock(state, &control->cpu_control, group, clock);
	if (*renewed ||
	    (have && !state->clock.lent && (!is_watched(state) || until_exec == state->until_exec)))
		return 0;
	if (!is_watched(state))
		perfctr_clock_open(clock);
	else if (perfctr_clock_watch(clock, state->tid, until_exec) < 0)
		return -1;
	*renewed = true;
	return 0;
}

/* Opens the events that a control needs, unless they are open. 0, or -1 after perfctr_fail(). */
static int open_all(const struct state *state, const struct vperfctr_control *control, bool reuse,
		    struct perfctr_events *group, struct perfctr_clock *clock, bool *new_clock)
{
	const struct perfctr_cpu_control *cpu = &control->cpu_control;
	unsigned int n = cpu->nractrs + cpu->nrictrs;

	if ((n && !reuse && open_counters(state, control, group) < 0) ||
	    ((cpu->tsc_on || (n && is_watched(state))) &&
	     renew_clock(state, control, reuse ? &state->group : group, clock, new_clock) < 0)) {
		perfctr_events_close(group);
		return -1;
	}
	return 0;
}

static void replace_clock(struct state *state, const struct perfctr_clock *fresh, bool until_exec)
{
	if (state->have_clock)
		perfctr_clock_close(&state->clock);
	state->clock = *fresh;
	state->have_clock = true;
	state->until_exec = until_exec;
}

/* Publishes the state to the readers of its descriptor, if it has one. */
static int publish(const struct state *state, bool ended)
{
	unsigned int cstatus = cstatus_of(state), n = perfctr_cstatus_nrctrs(cstatus);
	unsigned int i, nr_fds = 0;
	struct perfctr_published now;
	int fds[PERFCTR_PUBLISHED_FDS];

	if (state->queue.reader < 0)
		return 0;
	memset(&now, 0, sizeof(now));
	now.cstatus = cstatus;
	now.ended = ended;
	now.control = *control_of(state);
	now.tsc_sum = state->tsc_sum;
	memcpy(now.sum, state->sum, sizeof(now.sum));
	/* Others can't know the values of i-mode counters: a resume after a signal changes them. */
	if (!perfctr_cstatus_has_ictrs(cstatus)) {
		for (i = 0; i < n; i++) {
			if (perfctr_counter_check(&state->group.counter[i]) < 0)
				return -1;
			now.sum[i] = state->edge.reader[i].base;
			fds[nr_fds++] = state->group.counter[i].fd;
		}
		if (perfctr_cstatus_has_tsc(cstatus)) {
			if (perfctr_counter_check(&state->clock.event) < 0)
				return -1;
			now.tsc_sum = -state->tsc_base;
			now.rate = state->clock.rate;
			fds[nr_fds++] = state->clock.event.fd;
		}
	}
	return perfctr_queue_put(&state->queue, &now, fds, nr_fds);
}

/* Publishes the state after a control. Counters that can't be published are stopped. */
static int publish_or_stop(struct state *state)
{
	int error;

	if (publish(state, false) == 0)
		return 0;
	error = errno;
	pthread_mutex_lock(&state->lock);
	stop(state, false);
	pthread_mutex_unlock(&state->lock);
	publish(state, false);
	errno = error;
	return -1;
}

/* Puts a control's group in the place of the previous one, which is in *fresh afterwards. */
static void replace_group(struct state *state, const struct vperfctr_control *control,
			  const struct perfctr_overflow *overflow, struct perfctr_events *fresh)
{
	const struct perfctr_events replaced = state->group;
	struct perfctr_counter *place = fresh->counter, counter[PERFCTR_NR_CTRS];

	memcpy(counter, state->counter, sizeof(counter[0]) * replaced.n);
	memcpy(state->counter, place, sizeof(counter[0]) * fresh->n);
	memcpy(place, counter, sizeof(counter[0]) * replaced.n);
	state->group = *fresh;
	state->group.counter = state->counter;
	*fresh = replaced;
	fresh->counter = place;
	state->opened = control->cpu_control;
	state->edge.end = state->edge.reader + state->group.n;
	perfctr_overflow_copy(&state->overflow, overflow);
	state->told = false;
	/* A lent clock went with its group. */
	if (state->clock.lent)
		state->have_clock = false;
}

/*
 * Stops the counters that the next control replaces. 0, or -1 after perfctr_fail(). If another
 * program took the counters, their lost counts matter only if the control preserves them, or
 * replaces nothing.
 */
static int stop_for(struct state *state, const struct vperfctr_control *next, unsigned int cstatus)
{
	unsigned int n = perfctr_cstatus_nrctrs(cstatus_of(state));
	unsigned int lost = n ? ~0u >> (32 - n) : 0;
	int error = errno;

	if (stop(state, false) == 0)
		return 0;
	if (errno != EBUSY || !cstatus || next->preserve & lost)
		return -1;
	errno = error;
	return 0;
}

/* Ends a pause by a stop. Returns the cstatus that was paused. */
static unsigned int end_pause(struct state *state)
{
	unsigned int paused = state->paused;

	if (perfctr_cstatus_nrctrs(paused))
		perfctr_events_undo(&state->group, PERF_EVENT_IOC_DISABLE);
	state->paused = 0;
	return paused;
}

static void pause_again(struct state *state, unsigned int paused)
{
	if (perfctr_cstatus_nrctrs(paused))
		perfctr_events_undo(&state->group, PERF_EVENT_IOC_ENABLE);
	state->paused = paused;
}

/* What remains of a control: what begin() or arm() does as its last thing. */
enum rest {
	REST_FAILED = -1, /* nothing: it has failed, after perfctr_fail() */
	REST_NOTHING,
	REST_BEGIN,
	REST_ARM, /* with signals held */
};

/*
 * Whether a control's counters may begin in the thread's last instructions of the call (edge.h): no
 * reader of a descriptor needs to find them at once.
 */
static bool is_plain(const struct state *state)
{
	return perfctr_likely(is_own(state) && state->queue.reader < 0);
}

/*
 * Whether a control counts again what was counted before the stop. Then it need not be checked.
 * Mostly it is *the_same in all words.
 */
static inline bool is_again(const struct state *state, const struct vperfctr_control *control,
			    bool *the_same)
{
	const struct perfctr_cpu_control *cpu = &control->cpu_control;

	if (!perfctr_likely(atomic_load_explicit(&state->stopped, memory_order_relaxed)))
		return false;
	*the_same = memcmp(control, &state->control, sizeof(*control)) == 0;
	return (perfctr_likely(*the_same) ||
		(control->flags == state->control.flags &&
		 memcmp(cpu, &state->control.cpu_control, sizeof(*cpu)) == 0)) &&
	       is_plain(state) && cpu->nractrs && !cpu->nrictrs && !state->shared &&
	       !state->until_exec;
}

/* Keeps a control that is_again(), but not the same in all words. */
static __attribute__((noinline)) void renew_control(struct state *state,
						    const struct vperfctr_control *control)
{
	pthread_mutex_lock(&state->lock);
	state->control = *control;
	pthread_mutex_unlock(&state->lock);
}

/* How many of end's own instructions a counter has when it is read. */
static uint64_t counted_before(const struct state *state, unsigned int i)
{
	return state->counter[i].instructions ? perfctr_edge_before(i) : 0;
}

/*
 * Prepares for begin(), with `resumes` odd: the readers of a running group begin at those sums that
 * are preserved, and at 0.
 */
static inline void prepare(struct state *state, unsigned int preserve)
{
	unsigned int i, n = state->group.n;
	uint64_t after = perfctr_edge_after(n, 0), sum;

	for (i = 0; i < n; i++, after -= PERFCTR_EDGE_AFTER_EACH) {
		sum = preserve >> i & 1 ? state->sum[i] : 0;
		perfctr_store(&state->sum[i], sum);
		perfctr_store(&state->edge.reader[i].base,
			      sum - (state->counter[i].instructions ? after : 0));
	}
}

/* Prepares with the sums as they are, after a while in which the TSC has gone on. */
static enum rest prepare_again(struct state *state)
{
	uint64_t now;

	atomic_fetch_add(&state->resumes, 1);
	if (perfctr_cstatus_has_tsc(state->begins) &&
	    perfctr_clock_read(&state->clock, true, &now) == 0)
		perfctr_store(&state->tsc_base, now - state->tsc_sum);
	prepare(state, ~0u);
	return REST_BEGIN;
}

/*
 * Begins through the kernel: the counters have left the PMU just now, or other threads read the
 * first one's page.
 */
static __attribute__((noinline)) int begin_by_kernel(struct state *state)
{
	unsigned int i, n = perfctr_cstatus_nrctrs(state->begins);
	struct perfctr_group_values found;
	int result = perfctr_events_values(&state->group, &found);

	for (i = 0; i < n && result == 0; i++)
		perfctr_store(&state->edge.reader[i].base, state->sum[i] - found.values[i]);
	if (result == 0)
		set_cstatus(state, state->begins);
	else
		perfctr_events_undo(&state->group, PERF_EVENT_IOC_DISABLE);
	atomic_fetch_add(&state->resumes, 1);
	return result;
}

/*
 * Is the last step of a control: the counters begin at their sums now, whatever they have counted
 * of the library's code since they were started. Other threads that read wait.
 */
static __attribute__((noinline)) int begin(struct state *state)
{
	return perfctr_edge_begin(&state->edge, &state->cstatus, state->begins, &state->resumes)
		       ? 0
		       : begin_by_kernel(state);
}

/* The running counters can't be read in user space, or the PMU has no counters for them. */
static __attribute__((noinline)) enum rest
start_again_slowly(struct state *state, const struct vperfctr_control *control)
{
	unsigned int i, n = state->group.n;
	struct perfctr_group_values found;

	if (perfctr_events_values(&state->group, &found) < 0) {
		perfctr_events_undo(&state->group, PERF_EVENT_IOC_DISABLE);
		return REST_FAILED;
	}
	atomic_fetch_add(&state->resumes, 1);
	for (i = 0; i < n; i++)
		perfctr_store(&state->edge.reader[i].base, -found.values[i]);
	set_sums(state, control, n);
	renew_control(state, control);
	atomic_store_explicit(&state->stopped, false, memory_order_relaxed);
	set_cstatus(state, state->begins);
	atomic_fetch_add(&state->resumes, 1);
	return REST_NOTHING;
}

static inline enum rest start_again(struct state *state, const struct vperfctr_control *control,
				    bool the_same)
{
	if (perfctr_counter_ioctl(state->group.counter, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return REST_FAILED;
	/* If the first counter is on the PMU, all are. */
	if (!perfctr_likely(state->edge.reader[0].page->index))
		return start_again_slowly(state, control);
	atomic_fetch_add(&state->resumes, 1);
	set_tsc(state, control);
	if (!perfctr_likely(the_same))
		renew_control(state, control);
	atomic_store_explicit(&state->stopped, false, memory_order_relaxed);
	prepare(state, control->preserve);
	return REST_BEGIN;
}

/* Continues with the old counters as if nothing had happened: the PMU has no room for the new ones.
 */
static void go_on_with(struct state *state, unsigned int cstatus, unsigned int paused)
{
	if (perfctr_cstatus_nrctrs(cstatus) && !find_overflow(state))
		perfctr_events_undo(&state->group, PERF_EVENT_IOC_ENABLE);
	if (perfctr_cstatus_has_tsc(cstatus))
		start_tsc(state);
	set_cstatus(state, cstatus);
	pause_again(state, paused);
}

/* Does the same as start_again() for any control. */
static __attribute__((noinline)) enum rest set_control(struct vperfctr *self,
						       const struct vperfctr_control *given)
{
	struct vperfctr_control seen = *given;
	const struct vperfctr_control *control = &seen;
	const struct perfctr_cpu_control *cpu = &control->cpu_control;
	struct state *state = state_of(self);
	struct perfctr_reader readers[PERFCTR_NR_CTRS];
	struct perfctr_counter counter[PERFCTR_NR_CTRS];
	struct perfctr_events fresh = { .counter = counter };
	struct perfctr_clock clock;
	struct perfctr_overflow overflow;
	unsigned int n, old, cstatus, paused;
	sigset_t held;
	bool reuse, hold, arms, new_clock = false, begins = false;
	uint64_t values[PERFCTR_NR_CTRS];
	int result = -1;

	/* All that can be refused is refused before anything changes. */
	if (check_control(state, control) < 0)
		return REST_FAILED;
	if (!(given->flags & VPERFCTR_CONTROL_EXTENDED))
		perfctr_control_hide(&seen.cpu_control);
	n = cpu->nractrs + cpu->nrictrs;
	cstatus = perfctr_mk_cstatus(cpu->tsc_on, cpu->nractrs, cpu->nrictrs);
	reuse = !state->shared && !cpu->nrictrs &&
		ends_at_exec(state, control) == state->until_exec &&
		counts_the_same(cpu, &state->opened);
	if (open_all(state, control, reuse, &fresh, &clock, &new_clock) < 0)
		return REST_FAILED;
	perfctr_overflow_init(&overflow, cpu->nrictrs, cpu->ireset + cpu->nractrs);

	hold = hold_signals(cstatus | cstatus_of(state), &held);
	pthread_mutex_lock(&state->lock);
	paused = end_pause(state);
	old = cstatus_of(state);
	if (old && stop_for(state, control, cstatus) < 0)
		goto out;
	if (!cstatus) {
		set_control_of(state, given);
		result = 0;
		goto out;
	}
	if (n && start(&overflow, reuse ? &state->group : &fresh,
		       !reuse && !(fresh.flags & PERFCTR_DISABLED), readers, &state->request) < 0) {
		go_on_with(state, old, paused);
		goto out;
	}
	if (n && !reuse)
		replace_group(state, control, &overflow, &fresh);
	memcpy(state->edge.reader, readers, sizeof(readers[0]) * n);
	if (new_clock)
		replace_clock(state, &clock, ends_at_exec(state, control));
	new_clock = false;
	set_sums(state, control, n);
	set_control_of(state, given);
	state->begins = cstatus;
	begins = n && is_plain(state) && !perfctr_cstatus_has_ictrs(cstatus) &&
		 read_pages(state->edge.reader, n, values);
	if (!begins)
		set_cstatus(state, cstatus);
	result = 0;
out:
	pthread_mutex_unlock(&state->lock);
	if (result == 0 && !begins)
		result = publish_or_stop(state);
	arms = result == 0 && perfctr_cstatus_has_ictrs(cstatus) && PERFCTR_OVERFLOW_REWINDS;
	/* Now the signal of an overflow comes that this control has ended, or after arm(). */
	if (hold && !arms)
		pthread_sigmask(SIG_SETMASK, &held, NULL);
	/* This is the previous group, or one that could not start. */
	perfctr_events_close(&fresh);
	if (arms) {
		memcpy(&state->held, &held, sizeof(state->held));
		return REST_ARM;
	}
	if (begins)
		return prepare_again(state);
	if (new_clock)
		perfctr_clock_close(&clock);
	return result < 0 ? REST_FAILED : REST_NOTHING;
}

static __attribute__((noinline)) int refuse_to_arm(struct state *state, int error)
{
	pthread_mutex_lock(&state->lock);
	stop(state, false);
	pthread_mutex_unlock(&state->lock);
	publish(state, false);
	return perfctr_fail(error, "the kernel refused to start the counters: %s", strerror(error));
}

/*
 * The last thing of a control of i-mode counters: their periods begin, and then signals need not
 * wait any more. A handler finds everything done.
 */
static __attribute__((noinline)) int arm(struct state *state)
{
	int error = perfctr_call_ioctl_and_mask(state->group.counter->fd, state->request,
						state->request == PERF_EVENT_IOC_REFRESH,
						&state->held);

	return perfctr_likely(error == 0) ? 0 : refuse_to_arm(state, -error);
}

static int perf_control(struct vperfctr *self, const struct vperfctr_control *control)
{
	struct state *state = state_of(self);
	bool the_same = false;
	enum rest rest = is_again(state, control, &the_same) ? start_again(state, control, the_same)
							     : set_control(self, control);

	switch (rest) {
	case REST_BEGIN: return begin(state);
	case REST_ARM: return arm(state);
	default: return (int)rest;
	}
}

static int check_pause(const struct state *state)
{
	unsigned int cstatus = cstatus_of(state);

	if (check_own(state) < 0)
		return -1;
	if (!cstatus)
		return perfctr_fail(EINVAL, state->paused ? "the counters are paused already"
							  : "nothing counts: nothing to pause");
	return perfctr_fail(EOPNOTSUPP,
			    "i-mode counters can't be paused: they would overflow in the pause; "
			    "use vperfctr_stop()");
}

/* Does as sample() does in the thread itself, for a-mode counters, which come first. */
static inline int sample_own(const struct state *state, unsigned int cstatus, uint64_t *tsc,
			     uint64_t *values)
{
	uint64_t now = 0;

	if (perfctr_likely(
		    read_pages(state->edge.reader, perfctr_cstatus_nrctrs(cstatus), values) &&
		    (!perfctr_cstatus_has_tsc(cstatus) ||
		     perfctr_clock_read(&state->clock, true, &now) == 0))) {
		*tsc = now - state->tsc_base;
		return 0;
	}
	return sample(state, cstatus, tsc, values);
}

/* Makes the present values sums. Other threads that read wait, or read again. */
static inline int freeze(struct state *state, unsigned int cstatus)
{
	uint64_t tsc;
	int result;

	atomic_fetch_add(&state->resumes, 1);
	result = sample_own(state, cstatus, &tsc, state->sum);
	if (perfctr_likely(result == 0)) {
		if (perfctr_cstatus_has_tsc(cstatus))
			perfctr_store(&state->tsc_sum, tsc);
		set_cstatus(state, 0);
	}
	atomic_fetch_add(&state->resumes, 1);
	return result;
}

/* Stops the kernel's counters, which have been read before. */
static int end(struct state *state, unsigned int n)
{
	int result = n ? perfctr_counter_ioctl(state->group.counter, PERF_EVENT_IOC_DISABLE, 0) : 0;

	if (perfctr_likely(result == 0))
		atomic_store_explicit(&state->stopped, true, memory_order_relaxed);
	return result;
}

/* Stops counters of which not all can be read in user space, or no counters. */
static __attribute__((noinline)) int stop_slowly(struct state *state)
{
	static const struct vperfctr_control nothing;
	unsigned int cstatus = cstatus_of(state);

	if (!is_plain(state) || !cstatus || perfctr_cstatus_has_ictrs(cstatus) ||
	    freeze(state, cstatus) < 0)
		return (int)set_control(&state->handle, &nothing);
	return end(state, perfctr_cstatus_nrctrs(cstatus));
}

/* Makes sums of the values that the edge has read. Other threads that read wait, or read again. */
static __attribute__((noinline)) int stop_quickly(struct state *state)
{
	unsigned int i, cstatus = cstatus_of(state), n = perfctr_cstatus_nrctrs(cstatus);
	uint64_t now = 0, value;

	if (!perfctr_likely(n && !perfctr_cstatus_has_ictrs(cstatus) && state->queue.reader < 0) ||
	    (perfctr_cstatus_has_tsc(cstatus) && perfctr_clock_read(&state->clock, true, &now) < 0))
		return stop_slowly(state);
	atomic_fetch_add(&state->resumes, 1);
	for (i = 0; i < n; i++) {
		value = state->edge.value[i] - counted_before(state, i);
		/* A PMU that does not count everything must not count backwards. */
		if ((int64_t)(value - state->sum[i]) > 0)
			perfctr_store(&state->sum[i], value);
	}
	if (perfctr_cstatus_has_tsc(cstatus))
		perfctr_store(&state->tsc_sum, now - state->tsc_base);
	set_cstatus(state, 0);
	atomic_fetch_add(&state->resumes, 1);
	return end(state, n);
}

/* Reads the values first: the stop's own instructions are not the program's. */
static int perf_stop(struct vperfctr *self)
{
	struct state *state = state_of(self);

	return perfctr_likely(is_own(state)) && perfctr_edge_end(&state->edge) ? stop_quickly(state)
									       : stop_slowly(state);
}

/*
 * Leaves the kernel's events running. The resume takes their counts during the pause out of the
 * bases, as that of i-mode counters does.
 */
static int perf_pause(struct vperfctr *self)
{
	struct state *state = state_of(self);
	unsigned int cstatus = cstatus_of(state);
	int result;
	uint64_t tsc;

	if (!perfctr_likely(is_own(state) && cstatus && !perfctr_cstatus_has_ictrs(cstatus)))
		return check_pause(state);
	atomic_fetch_add(&state->resumes, 1);
	result = sample_own(state, cstatus, &tsc, state->sum);
	if (perfctr_likely(result == 0)) {
		if (perfctr_cstatus_has_tsc(cstatus))
			perfctr_store(&state->tsc_sum, tsc);
		state->paused = cstatus;
		set_cstatus(state, 0);
	}
	atomic_fetch_add(&state->resumes, 1);
	return perfctr_likely(result == 0 && state->queue.reader < 0) ? 0
	       : result < 0					      ? -1
								      : publish(state, false);
}

static int no_pause(const struct state *state)
{
	return check_own(state) < 0
		       ? -1
		       : perfctr_fail(EINVAL, "the counters are not paused: nothing to resume");
}

static int perf_resume(struct vperfctr *self)
{
	struct state *state = state_of(self);
	unsigned int i, paused = state->paused, n = perfctr_cstatus_nrctrs(paused);
	uint64_t values[PERFCTR_NR_CTRS], tsc, *base;

	if (!perfctr_likely(is_own(state) && paused))
		return no_pause(state);
	if (sample_own(state, paused, &tsc, values) < 0)
		return -1;
	atomic_fetch_add(&state->resumes, 1);
	for (i = 0; i < n; i++) {
		base = &state->edge.reader[i].base;
		perfctr_store(base, *base + state->sum[i] - values[i]);
	}
	if (perfctr_cstatus_has_tsc(paused))
		perfctr_store(&state->tsc_base, state->tsc_base + tsc - state->tsc_sum);
	state->paused = 0;
	set_cstatus(state, paused);
	atomic_fetch_add(&state->resumes, 1);
	return perfctr_likely(state->queue.reader < 0) ? 0 : publish_or_stop(state);
}

static int iresume(struct vperfctr *self)
{
	struct state *state = state_of(self);
	unsigned int cstatus = cstatus_of(state), i, again;
	uint64_t values[PERFCTR_NR_CTRS], missed[PERFCTR_NR_CTRS];
	struct perfctr_overflow next;

	if (state->tid)
		return perfctr_fail(EINVAL,
				    "nothing to resume: over perf_events another thread has "
				    "no i-mode counters that could have overflowed");
	if (check_own(state) < 0)
		return -1;
	if (!perfctr_cstatus_has_ictrs(cstatus))
		return perfctr_fail(EINVAL, "no i-mode counter has overflowed: nothing to resume");
	if (perfctr_overflow_renew(&state->overflow, &state->group,
				   state->opened.ireset + state->opened.nractrs, &next, values,
				   missed, &again) < 0)
		return -1;
	/* A handler that comes in between finds the sums. */
	atomic_fetch_add(&state->resumes, 1);
	atomic_thread_fence(memory_order_release);
	for (i = 0; i < state->group.n; i++)
		perfctr_store(&state->sum[i], values[place(state, i)] + state->edge.reader[i].base);
	set_cstatus(state, tsc_alone(cstatus));
	for (i = 0; i < state->group.n; i++)
		perfctr_store(&state->edge.reader[i].base,
			      state->edge.reader[i].base - missed[place(state, i)]);
	perfctr_overflow_update(&state->overflow, &next);
	state->told = false;
	set_cstatus(state, cstatus);
	atomic_fetch_add(&state->resumes, 1);
	return perfctr_overflow_start(&next, &state->group, again);
}

/* ---- opening and closing ---- */

/*
 * The edge's values share the memory of the overflows: groups with i-mode counters have no edges.
 */
static void init_edge(struct state *state)
{
	static_assert(sizeof(state->overflow.event) >= PERFCTR_NR_CTRS * sizeof(uint64_t), "room");

	state->edge.end = state->edge.reader;
	state->edge.value = &state->overflow.event[0].seen;
}

static int create(struct vperfctr *self, unsigned int mode)
{
	struct state *state = state_of(self);

	if (!(mode & VPERFCTR_OPEN_CREAT_EXCL))
		return perfctr_fail(ENODEV, "this thread has no counters yet; create them with "
					    "VPERFCTR_OPEN_CREAT_EXCL");
	pthread_mutex_init(&state->lock, NULL);
	state->shared = mode & PERFCTR_MULTIPLEX;
	state->brief = mode & VPERFCTR_OPEN_BRIEF;
	perfctr_queue_init(&state->queue);
	init_edge(state);
	return 0;
}

/*
 * Opens a clock that others can read, too, and continues with the value of the thread's own clock.
 */
static int lend_clock(struct state *state)
{
	struct perfctr_clock clock;
	struct perfctr_sum_ctrs sum;
	sigset_t held;
	int result;

	if (ends_at_exec(state, &state->control) && cstatus_of(state))
		return perfctr_fail(EOPNOTSUPP,
				    "over perf_events, counters that end at an execve(2) can't "
				    "get a descriptor while they run; stop them, or open it first");
	if (perfctr_clock_watch(&clock, 0, false) < 0)
		return -1;
	/* No other thread may read meanwhile, and no signal handler. */
	hold_signals(perfctr_mk_cstatus(0, 0, 1), &held);
	pthread_mutex_lock(&state->lock);
	result = read_all_locked(state, &sum);
	if (result == 0) {
		replace_clock(state, &clock, false);
		state->tsc_sum = sum.tsc;
		if (perfctr_cstatus_has_tsc(cstatus_of(state)))
			start_tsc(state);
	} else {
		perfctr_clock_close(&clock);
	}
	pthread_mutex_unlock(&state->lock);
	pthread_sigmask(SIG_SETMASK, &held, NULL);
	return result;
}

int perfctr_perf_descriptor(struct vperfctr *self)
{
	struct state *state = state_of(self);

	if (state->queue.reader < 0) {
		if (perfctr_queue_open(&state->queue) < 0)
			return -1;
		if (lend_clock(state) < 0 || publish(state, false) < 0) {
			perfctr_queue_close(&state->queue);
			return -1;
		}
	}
	return perfctr_queue_descriptor(&state->queue);
}

bool perfctr_perf_has_descriptor(const struct vperfctr *self, int fd)
{
	return perfctr_queue_is(&state_of(self)->queue, fd);
}

static int open_remote(struct vperfctr *self, pid_t tid)
{
	struct state *state = state_of(self);

	if (create(self, VPERFCTR_OPEN_CREAT_EXCL) < 0)
		return -1;
	if (perfctr_clock_watch(&state->clock, tid, false) < 0) {
		pthread_mutex_destroy(&state->lock);
		return -1;
	}
	state->have_clock = true;
	state->tid = tid;
	return 0;
}

static enum perfctr_life reach(const struct vperfctr *self)
{
	return perfctr_clock_life(&state_of(self)->clock);
}

static int detach(struct vperfctr *self)
{
	struct state *state = state_of(self);
	sigset_t held;
	bool hold = hold_signals(cstatus_of(state), &held);
	int result = 0;

	pthread_mutex_lock(&state->lock);
	end_pause(state);
	if (cstatus_of(state))
		result = stop(state, true);
	pthread_mutex_unlock(&state->lock);
	/* This is as in perf_control(). Stopped counters have no other user. */
	if (hold)
		pthread_sigmask(SIG_SETMASK, &held, NULL);
	/* Readers find the sums, unless these can't be published. */
	publish(state, true);
	perfctr_queue_close(&state->queue);
	state->overflow.nr = 0;
	state->edge.end = state->edge.reader;
	perfctr_events_close(&state->group);
	if (state->have_clock)
		perfctr_clock_close(&state->clock);
	state->have_clock = false;
	return result;
}

static void destroy(struct vperfctr *self)
{
	struct state *state = state_of(self);

	/* Another thread's counters may still run. */
	perfctr_events_close(&state->group);
	if (state->have_clock)
		perfctr_clock_close(&state->clock);
	pthread_mutex_destroy(&state->lock);
}

/* ---- facts ---- */

/*
 * What this thread can do with a hardware counter: read it in user space, get signals of its
 * overflows.
 */
static unsigned int counter_features(void)
{
	struct perf_event_attr attr = perfctr_attr_user(PERF_TYPE_HARDWARE,
							PERF_COUNT_HW_CPU_CYCLES);
	unsigned int features = perfctr_this_cpu()->pcint ? PERFCTR_FEATURE_PCINT : 0;
	struct perfctr_counter counter;

	attr.sample_period = 1000000;
	if (perfctr_counter_open(&counter, &attr, "cycles", &perfctr_this_thread, NULL, 0) < 0) {
		features = 0;
		attr.sample_period = 0;
		if (perfctr_counter_open(&counter, &attr, "cycles", &perfctr_this_thread, NULL, 0) <
		    0)
			return 0;
	}
	if (perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT))
		features |= PERFCTR_FEATURE_RDPMC;
	perfctr_counter_close(&counter);
	return features;
}

static int perf_info(struct perfctr_info *info)
{
	struct utsname system;
	int error = errno;

	memset(info, 0, sizeof(*info));
	info->abi_version = PERFCTR_ABI_VERSION;
	snprintf(info->driver_version, sizeof(info->driver_version), "perf_events %.19s",
		 uname(&system) == 0 ? system.release : "");
	info->cpu_type = perfctr_usable_type();
	info->cpu_features |= counter_features();
	if (PERFCTR_HAVE_RDTSC)
		info->cpu_features |= PERFCTR_FEATURE_RDTSC;
	errno = error; /* errors of the probes don't count */
	return 0;
}

const struct perfctr_provider perfctr_provider_perf = {
	.name = "perf",
	.state_size = sizeof(struct state),
	.create = create,
	.detach = detach,
	.destroy = destroy,
	.open_remote = open_remote,
	.reach = reach,
	.info = perf_info,
	.control = perf_control,
	.stop = perf_stop,
	.is_running = is_running,
	.read_tsc = read_tsc,
	.read_pmc = read_pmc,
	.read_ctrs = read_ctrs,
	.read_quality = read_quality,
	.reader = reader,
	.pause = perf_pause,
	.resume = perf_resume,
	.iresume = iresume,
	.read_state = read_state,
};
