// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups of events that count together: the perf_events model. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "internal.h"

#define FLAGS (PERFCTR_GROUP_STRICT | PERFCTR_GROUP_INHERIT | PERFCTR_GROUP_ON_EXEC | \
	       PERFCTR_GROUP_DISABLED | PERFCTR_GROUP_EXCLUSIVE)

struct member {
	struct perfctr_counter counter;
	struct perfctr_reader reader;
	char *name;			/* in names[] */
};

/* Lies in memory that a child of fork() finds cleared: there it is a group without events. */
struct perfctr_group {
	size_t size;			/* of all this */
	unsigned int n;
	unsigned int flags;
	const char *owner;		/* the thread counted, if it is the one that opened it */
	struct member member[];		/* n of them, then the names */
};

static void close_members(struct perfctr_group *group)
{
	/* The leader last, lest the members go on alone. */
	while (group->n)
		perfctr_counter_close(&group->member[--group->n].counter);
}

static void set_flags(struct perf_event_attr *attr, unsigned int flags, bool leader, unsigned int n)
{
	attr->size = sizeof(*attr);
	attr->read_format = PERFCTR_READ_FORMAT;
	attr->inherit = (flags & PERFCTR_GROUP_INHERIT) != 0;
	if (!leader)
		return;
	attr->pinned = (flags & PERFCTR_GROUP_STRICT) != 0;
	attr->exclusive = (flags & PERFCTR_GROUP_EXCLUSIVE) != 0;
	attr->enable_on_exec = (flags & PERFCTR_GROUP_ON_EXEC) != 0;
	/* Members are added to a leader that stands still, so that all start together. */
	attr->disabled = n > 1 || flags & (PERFCTR_GROUP_ON_EXEC | PERFCTR_GROUP_DISABLED);
}

/* A pinned group that found no room is in its error state from the start. */
static int check_pinned(const struct perfctr_group *group)
{
	struct perfctr_group_values values;
	int result;

	if (!(group->flags & PERFCTR_GROUP_STRICT) || !group->owner)
		return 0;
	result = perfctr_counter_read(&group->member[0].counter, &values, group->n);
	return result == 1 ? perfctr_why_taken("the events") : result;
}

/* A group with room for n events whose names take length bytes. */
static struct perfctr_group *make_group(unsigned int n, size_t length, pid_t tid, int cpu,
					unsigned int flags)
{
	size_t size = sizeof(struct perfctr_group) + n * sizeof(struct member) + length;
	struct perfctr_group *group;

	if (flags & ~(unsigned int)FLAGS || (flags & PERFCTR_GROUP_ON_EXEC &&
					     flags & PERFCTR_GROUP_DISABLED)) {
		perfctr_fail(EINVAL, "group flags 0x%x are not made of PERFCTR_GROUP_* flags that go "
			     "together", flags);
		return NULL;
	}
	if (tid < -1 || cpu < -1 || (tid == -1 && cpu == -1)) {
		perfctr_fail(EINVAL, "thread %d on processor %d names nothing to count: tid is >= 0, or -1 "
			     "with a processor; cpu is >= -1", (int)tid, cpu);
		return NULL;
	}
	if (n > PERFCTR_GROUP_MAX) {
		perfctr_fail(EINVAL, "a group of %u events is too large; at most %d can count together", n,
			     PERFCTR_GROUP_MAX);
		return NULL;
	}
	group = perfctr_memory_map(size);
	if (!group)
		return NULL;
	group->size = size;
	group->flags = flags;
	/* Inherited counts are spread over threads: only the kernel can add them up. */
	if (tid == 0 && cpu == -1 && !(flags & PERFCTR_GROUP_INHERIT))
		group->owner = &perfctr_thread_mark;
	return group;
}

static int add_event(struct perfctr_group *group, struct perf_event_attr *attr, const char *name,
		     pid_t tid, int cpu, unsigned int n)
{
	struct member *member = &group->member[group->n];
	const struct perfctr_counter *leader = group->n ? &group->member[0].counter : NULL;

	set_flags(attr, group->flags, !leader, n);
	if (perfctr_counter_open(&member->counter, attr, name, tid, cpu, leader, group->n) < 0)
		return -1;
	if (group->owner && attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT)
		perfctr_counter_map(&member->counter, PERFCTR_PAGE_COUNT);
	perfctr_counter_reader(&member->counter, &member->reader);
	group->n++;
	return 0;
}

/* All events are there: start what is to start now. NULL, and the group closed, if it can't. */
static struct perfctr_group *start(struct perfctr_group *group)
{
	if (group->flags & (PERFCTR_GROUP_ON_EXEC | PERFCTR_GROUP_DISABLED))
		return group;
	if ((group->n > 1 &&
	     perfctr_counter_ioctl(&group->member[0].counter, PERF_EVENT_IOC_ENABLE,
				   PERF_IOC_FLAG_GROUP) < 0) ||
	    check_pinned(group) < 0) {
		perfctr_group_close(group);
		return NULL;
	}
	return group;
}

struct perfctr_group *perfctr_group_open(const char *events, pid_t tid, int cpu, unsigned int flags)
{
	struct perfctr_group *group;
	const char *list, *event;
	unsigned int n = 0;
	ssize_t length;
	char *name;

	if (!events) {
		perfctr_fail(EINVAL, "perfctr_group_open() needs a list of events, not NULL");
		return NULL;
	}
	for (list = events; (length = perfctr_event_next(&list, &event)) > 0; )
		n++;
	if (length < 0)
		return NULL;
	if (n == 0) {
		perfctr_fail(EINVAL, "the list of events is empty");
		return NULL;
	}
	group = make_group(n, strlen(events) + 1, tid, cpu, flags);
	if (!group)
		return NULL;
	/* The names are the list itself, cut at its commas. */
	name = memcpy(&group->member[n], events, strlen(events) + 1);
	for (list = name; (length = perfctr_event_next(&list, &event)) > 0; ) {
		struct perf_event_attr attr = { 0 };

		if (perfctr_event_parse(event, (size_t)length, &attr) < 0)
			goto fail;
		group->member[group->n].name = name + (event - name);
		group->member[group->n].name[length] = '\0';
		if (add_event(group, &attr, event, tid, cpu, n) < 0)
			goto fail;
	}
	return start(group);
fail:
	perfctr_group_close(group);
	return NULL;
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
		perfctr_fail(EINVAL, control->nrictrs ? "a group takes a-mode counters only (nrictrs = 0)" :
			     "the control has no counters (nractrs = 0)");
		return NULL;
	}
	group = make_group(n, n * CONTROL_NAME, tid, cpu, flags);
	if (!group)
		return NULL;
	name = (char *)&group->member[n];
	for (i = 0; i < n; i++, name += CONTROL_NAME) {
		struct perf_event_attr attr = { 0 };

		group->member[i].name = name;
		if (perfctr_control_attr(control, i, &attr, name, CONTROL_NAME) < 0 ||
		    add_event(group, &attr, name, tid, cpu, n) < 0) {
			perfctr_group_close(group);
			return NULL;
		}
	}
	return start(group);
}

unsigned int perfctr_group_size(const struct perfctr_group *group)
{
	return group->n;
}

const char *perfctr_group_name(const struct perfctr_group *group, unsigned int i)
{
	return i < group->n ? group->member[i].name : NULL;
}

/* 0, or -1 after perfctr_fail(ESRCH) in a child of fork(). */
static int check_alive(const struct perfctr_group *group)
{
	return group->n ? 0 : perfctr_fail(ESRCH, "this group belongs to the parent process; a child opens "
					   "its own");
}

int perfctr_group_enable(struct perfctr_group *group)
{
	if (check_alive(group) < 0 ||
	    perfctr_counter_ioctl(&group->member[0].counter, PERF_EVENT_IOC_ENABLE,
				  PERF_IOC_FLAG_GROUP) < 0)
		return -1;
	return check_pinned(group);
}

int perfctr_group_disable(struct perfctr_group *group)
{
	return check_alive(group) < 0 ? -1 :
	       perfctr_counter_ioctl(&group->member[0].counter, PERF_EVENT_IOC_DISABLE,
				     PERF_IOC_FLAG_GROUP);
}

/* In user space, if every member allows it. */
static bool read_here(const struct perfctr_group *group, struct perfctr_reading *readings)
{
	unsigned int i;

	if (!group->owner || group->owner != &perfctr_thread_mark)
		return false;
	for (i = 0; i < group->n; i++)
		if (!perfctr_reader_read_times(&group->member[i].reader, &readings[i].value,
					       &readings[i].enabled, &readings[i].running))
			return false;
	return true;
}

int perfctr_group_read(const struct perfctr_group *group, struct perfctr_reading *readings)
{
	struct perfctr_group_values values;
	unsigned int i;
	int result = 0;

	if (check_alive(group) < 0)
		return -1;
	if (!readings)
		return perfctr_fail(EINVAL, "perfctr_group_read() needs a place for the counts, not NULL");
	memset(readings, 0, sizeof(*readings) * group->n);
	if (!read_here(group, readings)) {
		result = perfctr_counter_read(&group->member[0].counter, &values, group->n);
		for (i = 0; i < group->n && result == 0; i++) {
			readings[i].value = values.values[i] + group->member[i].reader.base;
			readings[i].enabled = values.enabled;
			readings[i].running = values.running;
		}
	}
	for (i = 0; i < group->n; i++)
		readings[i].quality = result == 0 ? perfctr_quality_of(readings[i].enabled,
								       readings[i].running) :
						    PERFCTR_NOT_COUNTED;
	return result < 0 ? -1 : 0;
}

/*
 * Not by PERF_EVENT_IOC_RESET: after it, x86 kernels (seen: 6.1) leave an offset in the page that is
 * 2^48 too large for the counter's sign-extended value, until the thread is next switched.
 */
int perfctr_group_reset(struct perfctr_group *group)
{
	struct perfctr_reading readings[PERFCTR_GROUP_MAX];
	unsigned int i;

	if (perfctr_group_read(group, readings) < 0)
		return -1;
	for (i = 0; i < group->n; i++)
		group->member[i].reader.base -= readings[i].value;
	return 0;
}

int perfctr_group_reader(const struct perfctr_group *group, unsigned int i,
			 struct perfctr_reader *reader)
{
	if (i >= group->n)
		return perfctr_fail(EINVAL, "the group has no event %u", i);
	*reader = group->member[i].reader;
	return group->member[i].counter.page ? 0 : perfctr_why_no_reader();
}

void perfctr_group_close(struct perfctr_group *group)
{
	/* In a child of fork() the group was wiped, its size too: there is nothing to give back. */
	if (!group || !group->size)
		return;
	close_members(group);
	perfctr_memory_unmap(group, group->size);
}
