// SPDX-License-Identifier: LGPL-2.1-or-later
/* perfctr_group_*: events that count together, by name or by a control. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/group.h"
#include "lib/isa/control.h"
#include "lib/names/resolve.h"
#include "lib/perf/counter.h"
#include "lib/perf/group.h"
#include "lib/perf/reading.h"
#include "lib/perf/why.h"
#include "libperfctr.h"
#include "perfctr/read.h"

#define FLAGS                                                                       \
	(PERFCTR_MULTIPLEX | PERFCTR_INHERIT | PERFCTR_ON_EXEC | PERFCTR_DISABLED | \
	 PERFCTR_EXCLUSIVE)

size_t perfctr_group_room(unsigned int n)
{
	return sizeof(struct perfctr_group) +
	       n * (sizeof(struct perfctr_group_member) + sizeof(struct perfctr_counter));
}

int perfctr_group_check(unsigned int flags)
{
	return perfctr_flags_check(flags, FLAGS);
}

void perfctr_group_init(struct perfctr_group *group, const struct perfctr_scope *scope,
			unsigned int flags, unsigned int n)
{
	perfctr_events_init(&group->events, scope, flags,
			    (struct perfctr_counter *)&group->member[n], n);
}

/* A group with room for n events whose names take length bytes. */
static struct perfctr_group *make_group(unsigned int n, size_t length, pid_t tid, int cpu,
					unsigned int flags)
{
	size_t size = perfctr_group_room(n) + length;
	struct perfctr_scope scope = { .tid = tid, .cpu = cpu, .cgroup = -1 };
	struct perfctr_group *group;

	if (perfctr_group_check(flags) < 0)
		return NULL;
	if (tid < -1 || cpu < -1 || (tid == -1 && cpu == -1)) {
		perfctr_fail(EINVAL,
			     "thread %d on processor %d names nothing to count: tid is >= 0, or -1 "
			     "with a processor; cpu is >= -1",
			     (int)tid, cpu);
		return NULL;
	}
	if (n > PERFCTR_GROUP_MAX) {
		perfctr_fail(EINVAL,
			     "a group of %u events is too large; at most %d can count together", n,
			     PERFCTR_GROUP_MAX);
		return NULL;
	}
	group = perfctr_memory_map(size);
	if (!group)
		return NULL;
	group->size = size;
	perfctr_group_init(group, &scope, flags, n);
	return group;
}

int perfctr_group_start(struct perfctr_group *group)
{
	unsigned int i;

	for (i = 0; i < group->events.n; i++)
		perfctr_counter_reader(&group->events.counter[i], &group->member[i].reader);
	return perfctr_events_start(&group->events);
}

/* All events are there: start what is to start now. NULL, and the group closed, if it can't. */
static struct perfctr_group *start(struct perfctr_group *group)
{
	if (perfctr_group_start(group) == 0)
		return group;
	perfctr_group_close(group);
	return NULL;
}

/* Open a group's events on the variants that are to be used. */
static int add_events(struct perfctr_group *group, const struct perfctr_list *list,
		      const unsigned int *use)
{
	char *names = (char *)group + perfctr_group_room(list->n);
	uint32_t words[PERFCTR_CPU_WORDS];
	unsigned int i;

	memcpy(names, list->text, list->text_size);
	if (group->events.scope.tid == -1 && perfctr_variant_cpus(&list->variant[use[0]], words))
		group->events.flags |= PERFCTR_EVENTS_MOVES;
	for (i = 0; i < list->n; i++) {
		struct perf_event_attr attr = list->variant[use[i]].attr;

		group->member[i].name = names + (list->event[i].name - list->text);
		if (perfctr_events_add(&group->events, &attr, group->member[i].name) < 0)
			return -1;
	}
	return 0;
}

static struct perfctr_group *open_list(const struct perfctr_list *list, pid_t tid, int cpu,
				       unsigned int flags)
{
	unsigned int use[PERFCTR_GROUP_MAX];
	struct perfctr_group *group = make_group(list->n, list->text_size, tid, cpu, flags);

	if (!group)
		return NULL;
	if (perfctr_list_choose(list, cpu, "group", use) == 0 && add_events(group, list, use) == 0)
		return start(group);
	perfctr_group_close(group);
	return NULL;
}

struct perfctr_group *perfctr_group_open(const char *events, pid_t tid, int cpu, unsigned int flags)
{
	struct perfctr_group *group;
	struct perfctr_list list;

	if (!events) {
		perfctr_fail(EINVAL, "perfctr_group_open() needs a list of events, not NULL");
		return NULL;
	}
	if (perfctr_list_resolve(&list, events, PERFCTR_LIST_COUNTED) < 0)
		return NULL;
	group = open_list(&list, tid, cpu, flags);
	perfctr_list_free(&list);
	return group;
}

#define CONTROL_NAME 32

struct perfctr_group *perfctr_group_open_control(const struct perfctr_cpu_control *control,
						 pid_t tid, int cpu, unsigned int flags)
{
	struct perfctr_group *group;
	unsigned int i, n;
	char *name;

	if (!control) {
		perfctr_fail(EINVAL, "perfctr_group_open_control() needs a control, not NULL");
		return NULL;
	}
	if (perfctr_cpu_control_check(control) < 0)
		return NULL;
	n = control->nractrs;
	if (control->nrictrs || n == 0) {
		perfctr_fail(EINVAL, control->nrictrs
					     ? "a group takes a-mode counters only (nrictrs = 0)"
					     : "the control has no counters (nractrs = 0)");
		return NULL;
	}
	if (perfctr_control_place(control) < 0)
		return NULL;
	group = make_group(n, n * CONTROL_NAME, tid, cpu, flags);
	if (!group)
		return NULL;
	name = (char *)group + perfctr_group_room(n);
	for (i = 0; i < n; i++, name += CONTROL_NAME) {
		struct perf_event_attr attr = { 0 };

		group->member[i].name = name;
		if (perfctr_control_attr(control, i, &attr, name, CONTROL_NAME) < 0 ||
		    perfctr_events_add(&group->events, &attr, name) < 0) {
			perfctr_group_close(group);
			return NULL;
		}
	}
	return start(group);
}

unsigned int perfctr_group_size(const struct perfctr_group *group)
{
	return group->events.n;
}

const char *perfctr_group_name(const struct perfctr_group *group, unsigned int i)
{
	return i < group->events.n ? group->member[i].name : NULL;
}

/* 0, or -1 after perfctr_fail(ESRCH) in a child of fork(). */
static int check_alive(const struct perfctr_group *group)
{
	return group->events.n
		       ? 0
		       : perfctr_fail(ESRCH,
				      "this group belongs to the parent process; a child opens "
				      "its own");
}

int perfctr_group_enable(struct perfctr_group *group)
{
	return check_alive(group) < 0 ? -1 : perfctr_events_enable(&group->events);
}

int perfctr_group_disable(struct perfctr_group *group)
{
	return check_alive(group) < 0 ? -1 : perfctr_events_disable(&group->events);
}

/* In user space, if every member allows it. */
static bool read_here(const struct perfctr_group *group, struct perfctr_reading *readings)
{
	unsigned int i;

	if (!group->events.owner || group->events.owner != &perfctr_thread_mark)
		return false;
	for (i = 0; i < group->events.n; i++)
		if (!perfctr_reader_read_times(&group->member[i].reader, &readings[i].value,
					       &readings[i].enabled, &readings[i].running))
			return false;
	return true;
}

/* What the read's outcome and the times say. */
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
	/* Which threads shared the PMU, and when, is known to the kernel alone. */
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

	if (check_alive(group) < 0)
		return -1;
	if (!readings)
		return perfctr_fail(EINVAL,
				    "perfctr_group_read() needs a place for the counts, not NULL");
	memset(readings, 0, sizeof(*readings) * group->events.n);
	if (read_here(group, readings))
		return judge(group, outcome, readings);
	outcome = perfctr_events_read(&group->events, &values);
	if (outcome == PERFCTR_READ_DONE || outcome == PERFCTR_READ_DISSOLVED) {
		for (i = 0; i < group->events.n; i++) {
			readings[i].value = values.values[i] + group->member[i].reader.base;
			readings[i].enabled = values.enabled;
			readings[i].running = values.running;
		}
	}
	return judge(group, outcome, readings);
}

/*
 * Not by PERF_EVENT_IOC_RESET: after it, x86 kernels (seen: 6.1) leave an offset in the page that
 * is 2^48 too large for the counter's sign-extended value, until the thread is next switched.
 */
int perfctr_group_reset(struct perfctr_group *group)
{
	struct perfctr_reading readings[PERFCTR_GROUP_MAX];
	unsigned int i;

	if (perfctr_group_read(group, readings) < 0)
		return -1;
	for (i = 0; i < group->events.n; i++)
		group->member[i].reader.base -= readings[i].value;
	return 0;
}

int perfctr_group_reader(const struct perfctr_group *group, unsigned int i,
			 struct perfctr_reader *reader)
{
	if (i >= group->events.n)
		return perfctr_fail(EINVAL, "the group has no event %u", i);
	if (!reader)
		return perfctr_fail(EINVAL, "perfctr_group_reader() needs a place for the reader, "
					    "not NULL");
	*reader = group->member[i].reader;
	return group->events.counter[i].page ? 0 : perfctr_why_no_reader();
}

int perfctr_group_id(const struct perfctr_group *group, unsigned int i, uint64_t *id)
{
	if (check_alive(group) < 0)
		return -1;
	if (i >= group->events.n)
		return perfctr_fail(EINVAL, "the group has no event %u", i);
	if (!id)
		return perfctr_fail(EINVAL, "perfctr_group_id() needs a place for the id, not "
					    "NULL");
	return perfctr_counter_id(&group->events.counter[i], id);
}

void perfctr_group_close(struct perfctr_group *group)
{
	/* In a child of fork() the group was wiped, its size too: there is nothing to give back. */
	if (!group || !group->size)
		return;
	perfctr_events_end(&group->events);
	perfctr_memory_unmap(group, group->size);
}
