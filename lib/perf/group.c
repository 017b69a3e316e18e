// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups of events that count together: the perf_events model. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/isa/control.h"
#include "lib/names/resolve.h"
#include "lib/perf/counter.h"
#include "lib/perf/group.h"
#include "lib/perf/reading.h"
#include "lib/perf/why.h"
#include "libperfctr.h"
#include "perfctr/read.h"

#define FLAGS                                                                   \
	(PERFCTR_GROUP_STRICT | PERFCTR_GROUP_INHERIT | PERFCTR_GROUP_ON_EXEC | \
	 PERFCTR_GROUP_DISABLED | PERFCTR_GROUP_EXCLUSIVE)

struct member {
	struct perfctr_counter counter;
	struct perfctr_reader reader;
	char *name; /* in names[] */
};

/* Lies in memory that a child of fork() finds cleared: there it is a group without events. */
struct perfctr_group {
	size_t size; /* of all this; 0: it lies in a set's memory */
	unsigned int n;
	unsigned int flags;
	const char *owner; /* the thread counted, if it is the one that opened it */
	struct perfctr_scope scope;
	struct perfctr_counter companion; /* see watch(); mostly not open */
	struct member member[];		  /* n of them, then the names */
};

size_t perfctr_group_room(unsigned int n)
{
	return sizeof(struct perfctr_group) + n * sizeof(struct member);
}

void perfctr_group_end(struct perfctr_group *group)
{
	int error = errno;

	if (!group->n)
		return;
	/* A child of fork() may have the descriptors still, and would keep it on the PMU. */
	perfctr_counter_request(&group->member[0].counter, PERF_EVENT_IOC_DISABLE,
				PERF_IOC_FLAG_GROUP);
	errno = error;
	perfctr_counter_close(&group->companion);
	/* The leader last, lest the members go on alone. */
	while (group->n)
		perfctr_counter_close(&group->member[--group->n].counter);
}

static void set_flags(struct perf_event_attr *attr, unsigned int flags, bool leader, unsigned int n)
{
	attr->size = sizeof(*attr);
	attr->read_format = PERFCTR_READ_FORMAT;
	attr->inherit = (flags & PERFCTR_GROUP_INHERIT) != 0;
	attr->inherit_thread = (flags & PERFCTR_GROUP_THREADS) != 0;
	if (!leader)
		return;
	/*
	 * Pinned, a thread's own group tells when it loses the PMU; an inherited one would just
	 * stop, its times too. Not pinned, it has times that tell.
	 */
	attr->pinned = (flags & PERFCTR_GROUP_STRICT) && !attr->inherit;
	attr->exclusive = (flags & PERFCTR_GROUP_EXCLUSIVE) != 0;
	attr->enable_on_exec = (flags & PERFCTR_GROUP_ON_EXEC) != 0;
	/* Members are added to a leader that stands still, so that all start together. */
	attr->disabled = n > 1 || flags & (PERFCTR_GROUP_ON_EXEC | PERFCTR_GROUP_DISABLED);
}

/* As perfctr_counter_read(). Linux 5.10 wants a group's room for each event of a dissolved one,
 * too. */
static int read_member(const struct perfctr_group *group, unsigned int i,
		       struct perfctr_group_values *values)
{
	return perfctr_counter_read(&group->member[i].counter, values,
				    group->n + (group->companion.fd >= 0));
}

/* A pinned group that found no room is in its error state from the start; one whose processor was
   offline has ended. */
static int check_start(const struct perfctr_group *group)
{
	bool pinned = group->flags & PERFCTR_GROUP_STRICT &&
		      (group->owner || group->scope.cpu >= 0);
	struct perfctr_group_values values;

	if (!pinned && group->scope.tid != -1)
		return 0;
	switch (read_member(group, 0, &values)) {
	case 0: return 0;
	case 1: return perfctr_why_taken("the events");
	case 2:
		return perfctr_fail(
			ENODEV, "the group's processor has been offline, which ends its events; "
				"open a new group");
	}
	return -1;
}

int perfctr_group_check(unsigned int flags)
{
	if (flags & ~(unsigned int)FLAGS ||
	    (flags & PERFCTR_GROUP_ON_EXEC && flags & PERFCTR_GROUP_DISABLED))
		return perfctr_fail(EINVAL,
				    "group flags 0x%x are not made of PERFCTR_GROUP_* "
				    "flags that go together",
				    flags);
	return 0;
}

void perfctr_group_init(struct perfctr_group *group, const struct perfctr_scope *scope,
			unsigned int flags)
{
	group->scope = *scope;
	group->flags = flags;
	group->companion.fd = -1;
	/* Inherited counts are spread over threads: only the kernel can add them up. */
	if (scope->tid == 0 && scope->cpu == -1 && !(flags & PERFCTR_GROUP_INHERIT))
		group->owner = &perfctr_thread_mark;
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
	perfctr_group_init(group, &scope, flags);
	return group;
}

static int open_counter(const struct perfctr_group *group, struct perfctr_counter *counter,
			const struct perf_event_attr *attr, const char *name)
{
	const struct perfctr_scope *scope = &group->scope;
	const struct perfctr_counter *leader = group->n ? &group->member[0].counter : NULL;

	return scope->cgroup >= 0 ? perfctr_counter_open_cgroup(counter, attr, name, scope->cgroup,
								scope->cpu, leader, group->n)
				  : perfctr_counter_open(counter, attr, name, scope->tid,
							 scope->cpu, leader, group->n);
}

int perfctr_group_add(struct perfctr_group *group, struct perf_event_attr *attr, const char *name,
		      unsigned int n)
{
	struct member *member = &group->member[group->n];

	set_flags(attr, group->flags, group->n == 0, n);
	if (open_counter(group, &member->counter, attr, name) < 0)
		return -1;
	if (group->owner && attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT)
		perfctr_counter_map(&member->counter, PERFCTR_PAGE_COUNT);
	/* With metrics in its group, the slots' register starts anew at every read(2). */
	if (member->counter.metric && group->member[0].counter.page) {
		perfctr_counter_unmap(&group->member[0].counter);
		perfctr_counter_reader(&group->member[0].counter, &group->member[0].reader);
	}
	perfctr_counter_reader(&member->counter, &member->reader);
	group->n++;
	return 0;
}

bool perfctr_group_is_watched(const struct perfctr_group *group)
{
	return group->n && group->scope.tid == -1 && !(group->flags & PERFCTR_GROUP_MOVES);
}

/*
 * If a processor goes offline, the kernel stops its events for good and dissolves their groups;
 * reads go on as if nothing had happened (seen: Linux 6.1). So a single event gets a companion that
 * counts nothing: then it has a group to be dissolved. But not one of an uncore PMU, which may
 * count on another processor than the one asked for, and whose events the kernel moves.
 */
static int watch(struct perfctr_group *group)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERFCTR_READ_FORMAT,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	if (!perfctr_group_is_watched(group) || group->n > 1 ||
	    group->flags & PERFCTR_GROUP_UNWATCHED)
		return 0;
	return open_counter(group, &group->companion, &attr, "dummy");
}

int perfctr_group_start(struct perfctr_group *group)
{
	if (watch(group) < 0)
		return -1;
	if (group->flags & (PERFCTR_GROUP_ON_EXEC | PERFCTR_GROUP_DISABLED))
		return 0;
	if (group->n > 1 && perfctr_counter_ioctl(&group->member[0].counter, PERF_EVENT_IOC_ENABLE,
						  PERF_IOC_FLAG_GROUP) < 0)
		return -1;
	return check_start(group);
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
	char *names = (char *)&group->member[list->n];
	uint32_t words[PERFCTR_CPU_WORDS];
	unsigned int i;

	memcpy(names, list->text, list->text_size);
	if (group->scope.tid == -1 && perfctr_variant_cpus(&list->variant[use[0]], words))
		group->flags |= PERFCTR_GROUP_MOVES;
	for (i = 0; i < list->n; i++) {
		struct perf_event_attr attr = list->variant[use[i]].attr;

		group->member[i].name = names + (list->event[i].name - list->text);
		if (perfctr_group_add(group, &attr, group->member[i].name, list->n) < 0)
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
	name = (char *)&group->member[n];
	for (i = 0; i < n; i++, name += CONTROL_NAME) {
		struct perf_event_attr attr = { 0 };

		group->member[i].name = name;
		if (perfctr_control_attr(control, i, &attr, name, CONTROL_NAME) < 0 ||
		    perfctr_group_add(group, &attr, name, n) < 0) {
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
	return group->n ? 0
			: perfctr_fail(ESRCH,
				       "this group belongs to the parent process; a child opens "
				       "its own");
}

int perfctr_group_enable(struct perfctr_group *group)
{
	if (check_alive(group) < 0 ||
	    perfctr_counter_ioctl(&group->member[0].counter, PERF_EVENT_IOC_ENABLE,
				  PERF_IOC_FLAG_GROUP) < 0)
		return -1;
	return check_start(group);
}

int perfctr_group_disable(struct perfctr_group *group)
{
	return check_alive(group) < 0
		       ? -1
		       : perfctr_counter_ioctl(&group->member[0].counter, PERF_EVENT_IOC_DISABLE,
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

/* What the counters' results, see perfctr_counter_read(), and times say. */
static int judge(const struct perfctr_group *group, int result, struct perfctr_reading *readings)
{
	unsigned int i;
	bool shared = false;

	for (i = 0; i < group->n; i++) {
		readings[i].quality = result == 2   ? PERFCTR_STALE
				      : result != 0 ? PERFCTR_NOT_COUNTED
						    : perfctr_quality_of(readings[i].enabled,
									 readings[i].running);
		shared |= readings[i].quality != PERFCTR_EXACT;
	}
	/* Which threads shared the PMU, and when, is known to the kernel alone. */
	if (result == 1 || (result == 0 && shared && group->flags & PERFCTR_GROUP_STRICT &&
			    group->flags & PERFCTR_GROUP_INHERIT))
		return perfctr_why_taken("the events");
	return result < 0 ? -1 : 0;
}

int perfctr_group_read(const struct perfctr_group *group, struct perfctr_reading *readings)
{
	struct perfctr_group_values values;
	unsigned int i;
	int result = 0;

	if (check_alive(group) < 0)
		return -1;
	if (!readings)
		return perfctr_fail(EINVAL,
				    "perfctr_group_read() needs a place for the counts, not NULL");
	memset(readings, 0, sizeof(*readings) * group->n);
	if (read_here(group, readings))
		return judge(group, 0, readings);
	for (i = 0; i < group->n; i++) {
		/* Once; or, if it is a group no more, one by one. */
		if (i == 0 || result == 2)
			result = read_member(group, i, &values);
		if (result != 0 && result != 2)
			break;
		readings[i].value = values.values[result == 2 ? 0 : i] +
				    group->member[i].reader.base;
		readings[i].enabled = values.enabled;
		readings[i].running = values.running;
	}
	return judge(group, result, readings);
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
	for (i = 0; i < group->n; i++)
		group->member[i].reader.base -= readings[i].value;
	return 0;
}

int perfctr_group_reader(const struct perfctr_group *group, unsigned int i,
			 struct perfctr_reader *reader)
{
	if (i >= group->n)
		return perfctr_fail(EINVAL, "the group has no event %u", i);
	if (!reader)
		return perfctr_fail(EINVAL, "perfctr_group_reader() needs a place for the reader, "
					    "not NULL");
	*reader = group->member[i].reader;
	return group->member[i].counter.page ? 0 : perfctr_why_no_reader();
}

int perfctr_group_id(const struct perfctr_group *group, unsigned int i, uint64_t *id)
{
	if (check_alive(group) < 0)
		return -1;
	if (i >= group->n)
		return perfctr_fail(EINVAL, "the group has no event %u", i);
	if (!id)
		return perfctr_fail(EINVAL, "perfctr_group_id() needs a place for the id, not "
					    "NULL");
	return perfctr_counter_id(&group->member[i].counter, id);
}

void perfctr_group_close(struct perfctr_group *group)
{
	/* In a child of fork() the group was wiped, its size too: there is nothing to give back. */
	if (!group || !group->size)
		return;
	perfctr_group_end(group);
	perfctr_memory_unmap(group, group->size);
}
