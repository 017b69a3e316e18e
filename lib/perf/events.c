// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of one scope that count together, as a group of perf_events. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "lib/perf/events.h"
#include "lib/perf/why.h"
#include "libperfctr.h"

int perfctr_flags_check(unsigned int flags, unsigned int known)
{
	if (flags & ~(known | PERFCTR_EVENTS_KEPT))
		return perfctr_fail(
			EINVAL,
			"flags has 0x%x, which is not a flag of this call; see <libperfctr.h>",
			flags & ~(known | PERFCTR_EVENTS_KEPT));
	if (flags & PERFCTR_ON_EXEC && flags & PERFCTR_DISABLED)
		return perfctr_fail(EINVAL,
				    "PERFCTR_ON_EXEC and PERFCTR_DISABLED exclude each other");
	return 0;
}

void perfctr_events_init(struct perfctr_events *events, const struct perfctr_scope *scope,
			 unsigned int flags, struct perfctr_counter *counter, unsigned int total)
{
	*events = (struct perfctr_events){
		.scope = *scope,
		.flags = flags,
		.total = total,
		.companion.fd = -1,
		.counter = counter,
	};
	events->scope.kept = (flags & PERFCTR_EVENTS_KEPT) != 0;
	/* Inherited counts are spread over threads: only the kernel can add them up. */
	if (scope->tid == 0 && scope->cpu == -1 && !scope->sampled &&
	    !(flags & (PERFCTR_INHERIT | PERFCTR_EVENTS_PUBLISHED)))
		events->owner = &perfctr_thread_mark;
}

/*
 * Whether the events are pinned. A thread's own pinned group reports when it loses the PMU; an
 * inherited one would just stop, and its times too. Unless it is a sampler's, it is not pinned, and
 * its times show the loss.
 */
static bool is_pinned(const struct perfctr_events *events)
{
	return !(events->flags & PERFCTR_MULTIPLEX) &&
	       (!(events->flags & PERFCTR_INHERIT) || events->scope.sampled);
}

/* The event asks to be pinned, or for the PMU by itself: if it leads, its group is so. */
static __attribute__((noinline, cold)) void take_wishes(struct perfctr_events *events,
							struct perf_event_attr *attr)
{
	if (!events->n && attr->pinned)
		events->flags &= ~(unsigned int)PERFCTR_MULTIPLEX;
	if (!events->n && attr->exclusive)
		events->flags |= PERFCTR_EXCLUSIVE;
	attr->pinned = attr->exclusive = 0;
}

static void set_attr(struct perfctr_events *events, struct perf_event_attr *attr)
{
	unsigned int flags;

	if (attr->pinned | attr->exclusive)
		take_wishes(events, attr);
	flags = events->flags;

	attr->size = sizeof(*attr);
	if (!attr->read_format)
		attr->read_format = PERFCTR_READ_FORMAT;
	if (flags & PERFCTR_INHERIT)
		attr->inherit = 1;
	if (flags & PERFCTR_EVENTS_THREADS)
		attr->inherit_thread = 1;
	if (flags & PERFCTR_EVENTS_UNTIL_EXEC)
		attr->remove_on_exec = 1;
	if (events->n)
		return;
	if (is_pinned(events))
		attr->pinned = 1;
	if (flags & PERFCTR_EXCLUSIVE)
		attr->exclusive = 1;
	if (flags & PERFCTR_ON_EXEC)
		attr->enable_on_exec = 1;
	/* A leader is stopped until its members, or its buffer, are there. */
	if (events->total > 1 || events->scope.sampled ||
	    flags & (PERFCTR_ON_EXEC | PERFCTR_DISABLED))
		attr->disabled = 1;
}

static struct perf_event_attr dummy(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERFCTR_READ_FORMAT,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

void perfctr_events_hold(struct perfctr_events *events)
{
	struct perf_event_attr attr = dummy();

	perfctr_counter_try(&events->companion, &attr, &events->scope, NULL);
}

void perfctr_events_release(struct perfctr_events *events)
{
	if (events->companion.fd >= 0)
		perfctr_counter_close(&events->companion);
}

bool perfctr_events_may_be_exchanged(const struct perfctr_events *events, int error)
{
	return (error == EINVAL || error == ESRCH) && events->n && events->scope.tid > 0 &&
	       (events->flags & (PERFCTR_INHERIT | PERFCTR_EVENTS_HELD)) == PERFCTR_INHERIT;
}

int perfctr_events_add(struct perfctr_events *events, struct perf_event_attr *attr,
		       const char *name)
{
	struct perfctr_counter *leader = events->counter, *counter = &leader[events->n];

	set_attr(events, attr);
	if (perfctr_counter_open(counter, attr, name, &events->scope, events->n ? leader : NULL,
				 events->n) < 0)
		return -1;
	if (events->owner && !attr->sample_type && attr->type != PERF_TYPE_SOFTWARE &&
	    attr->type != PERF_TYPE_TRACEPOINT)
		perfctr_counter_map(counter, PERFCTR_PAGE_COUNT);
	/* With metrics in the group, the register of slots is reset at every read(2). */
	if (counter->metric)
		perfctr_counter_unmap(leader);
	events->n++;
	return 0;
}

bool perfctr_events_is_watched(const struct perfctr_events *events)
{
	return events->n && events->scope.tid == -1 && !(events->flags & PERFCTR_EVENTS_MOVES);
}

/*
 * Adds a companion that counts nothing to a single event, so that it has a group. If a processor
 * goes offline, the kernel stops its events for good and dissolves their groups; only the latter
 * shows in reads (seen: Linux 6.1). Uncore PMUs get none: they may count on another processor than
 * the one asked for, and the kernel moves their events.
 */
static int watch(struct perfctr_events *events)
{
	struct perf_event_attr attr = dummy();

	if (!perfctr_events_is_watched(events) || events->n > 1 || events->scope.sampled ||
	    events->flags & PERFCTR_EVENTS_UNWATCHED)
		return 0;
	return perfctr_counter_open(&events->companion, &attr, "dummy", &events->scope,
				    events->counter, events->n);
}

int perfctr_events_check(const struct perfctr_events *events)
{
	unsigned int i;

	for (i = 0; i < events->n; i++)
		if (perfctr_counter_check(&events->counter[i]) < 0)
			return -1;
	return events->companion.fd >= 0 ? perfctr_counter_check(&events->companion) : 0;
}

/* Whether the kernel counts them all itself, without a counter that others could have. */
static bool are_software(const struct perfctr_events *events)
{
	unsigned int i = 0;

	while (i < events->n && events->counter[i].software)
		i++;
	return i == events->n;
}

/*
 * Checks that the events count: a pinned group without free counters is in its error state from the
 * start; on an offline processor it has ended. This comes right after another call on them.
 */
static int check_start(const struct perfctr_events *events)
{
	const struct perfctr_scope *scope = &events->scope;
	bool pinned = is_pinned(events) && (scope->tid == 0 || scope->cpu >= 0);
	uint64_t words[PERFCTR_READ_WORDS];
	ssize_t n;

	if (!pinned && (scope->tid != -1 || scope->sampled))
		return 0;
	if (scope->tid == 0 && scope->cpu == -1 && are_software(events))
		return 0;
	n = perfctr_counter_words_at_once(&events->counter[0], words, ARRAY_SIZE(words));
	if (n <= 0)
		return n < 0 ? -1 : perfctr_why_taken("the events");
	if (!scope->sampled && words[0] == 1 && events->n + (events->companion.fd >= 0) > 1)
		return perfctr_events_check(events) < 0
			       ? -1
			       : perfctr_fail(ENODEV, "a processor has been offline, which has "
						      "ended its events; open a new set");
	return 0;
}

int perfctr_events_start(struct perfctr_events *events)
{
	if (watch(events) < 0)
		return -1;
	if (events->flags & (PERFCTR_ON_EXEC | PERFCTR_DISABLED))
		return 0;
	/* A single event that needs no buffer runs already. */
	return events->total > 1 || events->scope.sampled ? perfctr_events_enable(events)
							  : check_start(events);
}

int perfctr_events_enable(const struct perfctr_events *events)
{
	if (perfctr_counter_ioctl(&events->counter[0], PERF_EVENT_IOC_ENABLE, 0) < 0)
		return -1;
	return check_start(events);
}

int perfctr_events_stop_at_once(const struct perfctr_events *events)
{
	return perfctr_counter_ioctl_at_once(&events->counter[0], PERF_EVENT_IOC_DISABLE, 0);
}

int perfctr_events_disable(const struct perfctr_events *events)
{
	return perfctr_counter_ioctl(&events->counter[0], PERF_EVENT_IOC_DISABLE, 0);
}

void perfctr_events_undo(const struct perfctr_events *events, unsigned long request)
{
	int error = errno;

	perfctr_counter_request(&events->counter[0], request, 0);
	errno = error;
}

enum perfctr_outcome perfctr_events_read(const struct perfctr_events *events,
					 struct perfctr_group_values *values)
{
	/*
	 * Linux 5.10 wants room for the whole group when it reads an event of a dissolved one, too.
	 */
	size_t room = events->n + (events->companion.fd >= 0);
	enum perfctr_outcome outcome = perfctr_counter_read(&events->counter[0], values, room);
	struct perfctr_group_values one;
	unsigned int i;

	if (perfctr_likely(outcome == PERFCTR_READ_DONE))
		return outcome;
	for (i = 1; i < events->n && outcome == PERFCTR_READ_DISSOLVED; i++) {
		outcome = perfctr_counter_read(&events->counter[i], &one, room);
		values->values[i] = one.values[0];
	}
	/* The kernel takes a member that was closed out of its group. */
	if (outcome == PERFCTR_READ_FAILED)
		perfctr_events_check(events);
	return outcome;
}

int perfctr_events_values(const struct perfctr_events *events, struct perfctr_group_values *values)
{
	switch (perfctr_events_read(events, values)) {
	case PERFCTR_READ_TAKEN: return perfctr_why_taken("the counters");
	case PERFCTR_READ_FAILED: return -1;
	default: return 0;
	}
}

void perfctr_events_close(struct perfctr_events *events)
{
	if (!events->n)
		return;
	/* Without one the call would do nothing, in 26 instructions. */
	if (events->companion.fd >= 0)
		perfctr_counter_close(&events->companion);
	/* The leader is closed last: otherwise the members would run on alone. */
	while (events->n)
		perfctr_counter_close(&events->counter[--events->n]);
}

static void end_kept(struct perfctr_events *events, struct perfctr_descriptor_run *run)
{
	unsigned int i;

	if (!events->n)
		return;
	for (i = 0; i < events->n; i++)
		perfctr_counter_close_in(&events->counter[i], run);
	if (events->companion.fd >= 0)
		perfctr_counter_close_in(&events->companion, run);
	events->n = 0;
}

void perfctr_events_end_in(struct perfctr_events *events, struct perfctr_descriptor_run *run)
{
	if (events->scope.kept)
		end_kept(events, run);
	else
		perfctr_events_end(events);
}

/* Software events of a set take no counter from others, and send nothing. */
static bool may_run_on(const struct perfctr_events *events)
{
	return !events->scope.sampled && are_software(events);
}

void perfctr_events_end(struct perfctr_events *events)
{
	struct perfctr_descriptor_run run = { 0 };

	if (events->scope.kept) {
		end_kept(events, &run);
		perfctr_descriptor_run_end(&run);
		return;
	}
	if (may_run_on(events)) {
		perfctr_events_close(events);
		return;
	}
	if (events->n == 1 && events->companion.fd < 0) {
		perfctr_counter_end(&events->counter[0]);
		events->n = 0;
		return;
	}
	perfctr_events_undo(events, PERF_EVENT_IOC_DISABLE);
	perfctr_events_close(events);
}
