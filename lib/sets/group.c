// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups of events that count together, and their readings. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/sets/group.h"
#include "lib/perf/counter.h"
#include "lib/perf/events.h"
#include "lib/perf/reading.h"
#include "lib/perf/why.h"
#include "libperfctr.h"
#include "perfctr/read.h"

size_t perfctr_group_room(unsigned int n)
{
	return sizeof(struct perfctr_group) +
	       n * (sizeof(struct perfctr_reader) + sizeof(struct perfctr_counter));
}

void perfctr_group_init(struct perfctr_group *group, const struct perfctr_scope *scope,
			unsigned int flags, unsigned int n)
{
	perfctr_events_init(&group->events, scope, flags,
			    (struct perfctr_counter *)&group->reader[n], n);
}

int perfctr_group_start(struct perfctr_group *group)
{
	unsigned int i;

	for (i = 0; i < group->events.n; i++)
		perfctr_counter_reader(&group->events.counter[i], &group->reader[i]);
	return perfctr_events_start(&group->events);
}

int perfctr_group_enable(struct perfctr_group *group)
{
	return perfctr_events_enable(&group->events);
}

int perfctr_group_disable(struct perfctr_group *group)
{
	return perfctr_events_disable(&group->events);
}

/* Reads in user space, if every member allows it. */
static bool read_here(const struct perfctr_group *group, struct perfctr_reading *readings)
{
	unsigned int i;

	if (!group->events.owner || group->events.owner != &perfctr_thread_mark)
		return false;
	for (i = 0; i < group->events.n; i++)
		if (!perfctr_reader_read_times(&group->reader[i], &readings[i].value,
					       &readings[i].enabled, &readings[i].running))
			return false;
	return true;
}

/* Sets the readings' quality from the read's outcome and its times. */
static int judge(const struct perfctr_group *group, enum perfctr_outcome outcome,
		 struct perfctr_reading *readings)
{
	unsigned int i;
	bool shared = false;

	for (i = 0; i < group->events.n; i++) {
		readings[i].quality = outcome == PERFCTR_READ_DISSOLVED ? PERFCTR_STALE
				      : outcome != PERFCTR_READ_DONE
					      ? PERFCTR_NOT_COUNTED
					      : perfctr_quality_of(readings[i].enabled,
								   readings[i].running);
		shared |= readings[i].quality != PERFCTR_EXACT;
	}
	/* Only the kernel knows which threads shared the PMU, and when. */
	if (outcome == PERFCTR_READ_TAKEN ||
	    (outcome == PERFCTR_READ_DONE && shared && !(group->events.flags & PERFCTR_MULTIPLEX) &&
	     group->events.flags & PERFCTR_INHERIT))
		return perfctr_why_taken("the events");
	return outcome == PERFCTR_READ_FAILED ? -1 : 0;
}

int perfctr_group_read(const struct perfctr_group *group, struct perfctr_reading *readings)
{
	struct perfctr_group_values values;
	enum perfctr_outcome outcome = PERFCTR_READ_DONE;
	unsigned int i;

	memset(readings, 0, sizeof(*readings) * group->events.n);
	if (read_here(group, readings))
		return judge(group, outcome, readings);
	outcome = perfctr_events_read(&group->events, &values);
	if (outcome == PERFCTR_READ_DONE || outcome == PERFCTR_READ_DISSOLVED) {
		for (i = 0; i < group->events.n; i++) {
			readings[i].value = values.values[i] + group->reader[i].base;
			readings[i].enabled = values.enabled;
			readings[i].running = values.running;
		}
	}
	return judge(group, outcome, readings);
}

/*
 * This does not use PERF_EVENT_IOC_RESET: after it, x86 kernels (seen: 6.1) leave an offset in the
 * page that is 2^48 too large for the counter's sign-extended value, until the thread is next
 * switched.
 */
int perfctr_group_reset(struct perfctr_group *group)
{
	struct perfctr_reading readings[PERFCTR_GROUP_MAX];
	unsigned int i;

	if (perfctr_group_read(group, readings) < 0)
		return -1;
	for (i = 0; i < group->events.n; i++)
		group->reader[i].base -= readings[i].value;
	return 0;
}
