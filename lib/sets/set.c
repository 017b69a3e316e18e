// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets of events: groups (group.c) on threads, on processors, or in a cgroup.
 *
 * A set is a table of groups: instances (threads or processors) times the plan's runs. The groups
 * of an instance that are on one PMU are a part.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/sets/group.h"
#include "lib/isa/control.h"
#include "lib/isa/offer.h"
#include "lib/virtual/kind.h"
#include "lib/names/resolve.h"
#include "lib/perf/core_types.h"
#include "lib/perf/execs.h"
#include "lib/perf/events.h"
#include "lib/perf/reading.h"
#include "lib/perf/why.h"
#include "lib/sets/plan.h"
#include "lib/target/target.h"
#include "libperfctr.h"
#include "perfctr/read.h"

#define FLAGS                                                                       \
	(PERFCTR_MULTIPLEX | PERFCTR_INHERIT | PERFCTR_ON_EXEC | PERFCTR_DISABLED | \
	 PERFCTR_EXCLUSIVE | PERFCTR_PARTIAL | PERFCTR_USER_FALLBACK | PERFCTR_WATCH)
#define GROUP_FLAGS                                                                 \
	(PERFCTR_MULTIPLEX | PERFCTR_INHERIT | PERFCTR_ON_EXEC | PERFCTR_DISABLED | \
	 PERFCTR_EXCLUSIVE | PERFCTR_EVENTS_KEPT)

#define SLOW	__attribute__((noinline, cold))
#define NOWHERE UINT32_MAX

struct part {
	unsigned int instance, pmu;
};

/* Where an event is: in the first of its sources' runs. */
struct place {
	uint32_t run, member; /* run NOWHERE: it has none */
};

/* Lies in memory that a child of fork() finds cleared: there it is a set without events. */
struct perfctr_set {
	struct perfctr_head head;
	size_t size;	/* of the whole structure */
	unsigned int n; /* events */
	unsigned int ninstances, nparts;
	bool plain;		  /* one group of all events, and nothing else */
	unsigned int flags;	  /* as the caller gave them */
	unsigned int failed;	  /* the event for which opening failed, if it did */
	unsigned int group_flags; /* the groups' */
	size_t stride;		  /* bytes of an instance's groups */
	struct perfctr_list list;
	struct perfctr_plan plan;
	struct perfctr_scope *scope; /* per instance */
	struct part *part;
	struct place *place;		  /* per event */
	struct perfctr_core_types *types; /* per event, for its reader */
	size_t *offset;			  /* per run: of its group among those of its instance */
	char *groups;
	struct perfctr_execs *execs; /* NULL: nothing can end the events early, or isn't watched */
	bool unwatched;
	bool unverified; /* an event is */
};

static struct perfctr_group *group_at(const struct perfctr_set *set, unsigned int instance,
				      unsigned int r)
{
	return (struct perfctr_group *)(void *)(set->groups + instance * set->stride +
						set->offset[r]);
}

static bool is_open(const struct perfctr_set *set, unsigned int instance, unsigned int r)
{
	return group_at(set, instance, r)->events.n != 0;
}

static const char *name_of(const struct perfctr_set *set, unsigned int event)
{
	return perfctr_resolved_name(&set->list.event[event]);
}

/* ---- making and ending ---- */

/* Cuts this many bytes off the memory that *at goes through. */
static void *take(char **at, size_t bytes)
{
	void *taken = *at;

	*at += (bytes + 7) & ~(size_t)7;
	return taken;
}

static size_t find_stride(const struct perfctr_plan *plan)
{
	size_t stride = 0;
	unsigned int r;

	for (r = 0; r < plan->nruns; r++)
		stride += perfctr_group_room(plan->run[r].n);
	return stride;
}

static void find_places(struct perfctr_set *set)
{
	const struct perfctr_plan *plan = &set->plan;
	size_t offset = 0;
	unsigned int r, m, e;

	for (e = 0; e < set->n; e++)
		set->place[e].run = NOWHERE;
	for (r = 0; r < plan->nruns; r++) {
		set->offset[r] = offset;
		offset += perfctr_group_room(plan->run[r].n);
		for (m = 0; m < plan->run[r].n; m++) {
			struct place *place =
				&set->place[plan->source[plan->run[r].first + m].event];

			if (place->run == NOWHERE)
				*place = (struct place){ .run = r, .member = m };
		}
	}
}

/* A set with nothing open, in memory that holds all it needs. NULL after perfctr_fail(ENOMEM). */
static struct perfctr_set *make_set(const struct perfctr_list *list,
				    const struct perfctr_plan *plan,
				    const struct perfctr_scopes *scopes, unsigned int flags)
{
	bool changes = flags & (PERFCTR_PARTIAL | PERFCTR_USER_FALLBACK);
	size_t list_room = perfctr_list_room(list, changes), plan_room = perfctr_plan_room(plan);
	size_t stride = find_stride(plan), size, per_instance,
	       types_room = plan->npmus > 1 ? list->n * sizeof(struct perfctr_core_types) : 0;
	struct perfctr_set *set;
	char *at;

	per_instance = sizeof(*set->scope) + stride + plan->npmus * sizeof(struct part);
	size = sizeof(*set) + list->n * sizeof(struct place) + plan->nruns * sizeof(size_t) +
	       types_room + list_room + plan_room + 9 * 8;
	if (__builtin_mul_overflow(per_instance, scopes->n, &per_instance) ||
	    __builtin_add_overflow(size, per_instance, &size)) {
		perfctr_fail(ENOMEM, "no memory for a set of events");
		return NULL;
	}
	set = perfctr_memory_take(size);
	if (!set)
		return NULL;
	at = (char *)set;
	take(&at, sizeof(*set));
	set->head = perfctr_head_of(PERFCTR_KIND_SET);
	set->size = size;
	set->n = list->n;
	set->flags = flags;
	set->failed = NOWHERE;
	set->ninstances = scopes->n;
	set->stride = stride;
	perfctr_list_copy(&set->list, list, changes, take(&at, list_room));
	perfctr_plan_copy(&set->plan, plan, take(&at, plan_room));
	set->groups = take(&at, scopes->n * stride);
	set->scope = take(&at, scopes->n * sizeof(*set->scope));
	memcpy(set->scope, scopes->scope, scopes->n * sizeof(*set->scope));
	set->part = take(&at, (size_t)scopes->n * plan->npmus * sizeof(*set->part));
	set->place = take(&at, list->n * sizeof(*set->place));
	set->offset = take(&at, plan->nruns * sizeof(*set->offset));
	set->types = take(&at, types_room);
	find_places(set);
	return set;
}

/* Closes some instances, from the first to before the last. */
static void close_instances(struct perfctr_set *set, unsigned int first, unsigned int last)
{
	struct perfctr_descriptor_run run = { 0 };
	unsigned int i, r;

	for (i = first; i < last; i++)
		for (r = 0; r < set->plan.nruns; r++)
			perfctr_events_end_in(&group_at(set, i, r)->events, &run);
	perfctr_descriptor_run_end(&run);
}

static void end_set(struct perfctr_set *set)
{
	close_instances(set, 0, set->ninstances);
	perfctr_execs_end(set->execs);
	perfctr_memory_give(set, set->size);
}

/* ---- opening ---- */

/*
 * Enables or disables the open groups before this run on its PMU. Returns the number of their
 * events.
 */
static unsigned int switch_before(const struct perfctr_set *set, unsigned int instance,
				  unsigned int r, unsigned long request)
{
	unsigned int k, n = 0;

	for (k = 0; k < r; k++) {
		const struct perfctr_events *events = &group_at(set, instance, k)->events;

		if (!events->n || set->plan.run[k].pmu != set->plan.run[r].pmu)
			continue;
		perfctr_events_undo(events, request);
		n += events->n;
	}
	return n;
}

/*
 * Finds the reason why a group has no room on the PMU: if it has room without the set's other
 * groups, these are to blame, and perhaps no other program.
 */
static void find_culprit(const struct perfctr_set *set, unsigned int instance, unsigned int r)
{
	const struct perfctr_events *events = &group_at(set, instance, r)->events;
	unsigned int n = switch_before(set, instance, r, PERF_EVENT_IOC_DISABLE);

	if (n && perfctr_events_enable(events) == 0)
		perfctr_why_no_room(name_of(set, set->plan.source[set->plan.run[r].first].event),
				    n);
	perfctr_events_undo(events, PERF_EVENT_IOC_DISABLE);
	switch_before(set, instance, r, PERF_EVENT_IOC_ENABLE);
}

static int open_group(struct perfctr_set *set, unsigned int instance, unsigned int r,
		      unsigned int flags)
{
	const struct perfctr_run *run = &set->plan.run[r];
	struct perfctr_group *group = group_at(set, instance, r);
	bool exchanged;
	unsigned int i;

	perfctr_group_init(group, &set->scope[instance], flags, run->n);
	if (flags & PERFCTR_EVENTS_HELD)
		perfctr_events_hold(&group->events);
	for (i = 0; i < run->n; i++) {
		const struct perfctr_source *source = &set->plan.source[run->first + i];
		struct perf_event_attr attr = set->list.variant[source->variant].attr;

		group->events.scope.types = !source->alone && !source->unit;
		if (perfctr_events_add(&group->events, &attr, name_of(set, source->event)) < 0)
			goto fail;
	}
	if (flags & PERFCTR_EVENTS_HELD)
		perfctr_events_release(&group->events);
	if (perfctr_group_start(group) == 0)
		return 0;
	if (errno == EBUSY)
		find_culprit(set, instance, r);
fail:
	exchanged = perfctr_events_may_be_exchanged(&group->events, errno);
	perfctr_events_end(&group->events);
	return exchanged ? open_group(set, instance, r, flags | PERFCTR_EVENTS_HELD) : -1;
}

/* Whether an event of the run is to be opened on this processor. */
static bool wanted(const struct perfctr_set *set, const struct perfctr_run *run, int cpu,
		   bool every_cpu)
{
	const uint32_t *cpus = every_cpu ? set->plan.source[run->first].cpus : NULL;

	return !cpus || cpus[cpu / 32] & 1u << cpu % 32;
}

/* Lets the events of a run that can count user mode only do so; false: none can. */
static bool to_user(struct perfctr_set *set, const struct perfctr_run *run)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < run->n; i++)
		any |= perfctr_list_to_user(&set->list, set->plan.source[run->first + i].event);
	return any;
}

/* Opens again in user mode, with PERFCTR_USER_FALLBACK; if that fails, the first reason stays. */
static int open_or_fall_back(struct perfctr_set *set, unsigned int instance, unsigned int r,
			     unsigned int flags)
{
	const struct perfctr_run *run = &set->plan.run[r];
	unsigned int i;

	if (open_group(set, instance, r, flags) == 0)
		return 0;
	if (errno != EACCES || !(set->flags & PERFCTR_USER_FALLBACK) || !to_user(set, run))
		return -1;
	if (open_group(set, instance, r, flags) == 0)
		return 0;
	for (i = 0; i < run->n; i++)
		perfctr_list_end_user(&set->list, set->plan.source[run->first + i].event);
	return open_group(set, instance, r, flags); /* this finds the reason again */
}

/*
 * The event's item is not counted, for the reason of the last failure: its events stand together.
 * 0, or -1 (ENOMEM).
 */
static int leave_out(struct perfctr_set *set, unsigned int e)
{
	const unsigned int item = set->list.event[e].item;

	while (e > 0 && set->list.event[e - 1].item == item)
		e--;
	for (; e < set->n && set->list.event[e].item == item; e++)
		if (perfctr_list_refuse(&set->list, e) < 0)
			return -1;
	return 0;
}

static bool is_left_out(const struct perfctr_set *set, unsigned int r)
{
	return set->list.event[set->plan.source[set->plan.run[r].first].event].reason != NULL;
}

/* Close items that were left out after the opening of some of their groups. */
static void close_left_out(struct perfctr_set *set)
{
	unsigned int i, r;

	for (r = 0; r < set->plan.nruns; r++)
		for (i = 0; is_left_out(set, r) && i < set->ninstances; i++)
			perfctr_events_end(&group_at(set, i, r)->events);
}

/* Opens one run of an instance. 0, or -1 after perfctr_fail() if the set can't do without it. */
static int open_run(struct perfctr_set *set, unsigned int instance, unsigned int r,
		    unsigned int flags)
{
	const struct perfctr_run *run = &set->plan.run[r];
	bool on_cpu = set->scope[instance].cpu >= 0;

	if (open_or_fall_back(set, instance, r, flags) == 0)
		return 0;
	/* Counters are more important than the watch for programs. */
	if (set->execs && (errno == EMFILE || errno == ENFILE)) {
		perfctr_execs_end(set->execs);
		set->execs = NULL;
		set->unwatched = true;
		if (open_or_fall_back(set, instance, r, flags) == 0)
			return 0;
	}
	if (run->named && on_cpu && errno == EOPNOTSUPP)
		return 0; /* a processor of another core type */
	if (!(set->flags & PERFCTR_PARTIAL) || errno == ENOMEM || errno == ESRCH) {
		set->failed = set->plan.source[run->first].event;
		return -1;
	}
	return leave_out(set, set->plan.source[run->first].event);
}

/* Open all of an instance that it can have. On failure nothing of it is open. */
static int open_instance(struct perfctr_set *set, unsigned int instance,
			 const struct perfctr_scopes *scopes)
{
	int cpu = set->scope[instance].cpu;
	unsigned int r, watched = NOWHERE;

	for (r = 0; r < set->plan.nruns; r++) {
		const struct perfctr_run *run = &set->plan.run[r];
		unsigned int flags = set->group_flags;

		if (is_left_out(set, r) || !wanted(set, run, cpu, scopes->every_cpu))
			continue;
		/* A thread is on one of several core types at a time: see finish(). */
		if (run->named && flags & PERFCTR_INHERIT)
			flags |= PERFCTR_MULTIPLEX;
		if (set->plan.source[run->first].cpus)
			flags |= PERFCTR_EVENTS_MOVES;
		if (run->pmu == watched)
			flags |= PERFCTR_EVENTS_UNWATCHED;
		if (open_run(set, instance, r, flags) < 0) {
			close_instances(set, instance, instance + 1);
			return -1;
		}
		if (perfctr_events_is_watched(&group_at(set, instance, r)->events))
			watched = run->pmu;
	}
	return 0;
}

/* List the parts: the core types that an instance has something open on. */
static void find_parts(struct perfctr_set *set)
{
	unsigned int i, r, last;

	for (i = 0; i < set->ninstances; i++) {
		last = NOWHERE;
		for (r = 0; r < set->plan.nruns; r++) {
			if (set->plan.run[r].pmu == last || !is_open(set, i, r))
				continue;
			last = set->plan.run[r].pmu;
			set->part[set->nparts++] = (struct part){ .instance = i, .pmu = last };
		}
	}
}

/* Checks that each event is open somewhere. 0, or -1 after perfctr_fail(). */
static int check_all_open(struct perfctr_set *set)
{
	unsigned int i, r, m, e;
	int result = 0;
	bool *open;

	for (r = 0; r < set->plan.nruns && set->ninstances && is_open(set, 0, r); r++)
		;
	if (r == set->plan.nruns && r)
		return 0;
	open = calloc(set->n, sizeof(*open));
	if (!open)
		return perfctr_fail(ENOMEM, "no memory for a set of events");
	for (r = 0; r < set->plan.nruns; r++) {
		for (i = 0; i < set->ninstances && !is_open(set, i, r); i++)
			;
		for (m = 0; i < set->ninstances && m < set->plan.run[r].n; m++)
			open[set->plan.source[set->plan.run[r].first + m].event] = true;
	}
	for (e = 0; e < set->n && result == 0; e++) {
		if (open[e] || set->list.event[e].reason)
			continue;
		result = perfctr_fail_event(EOPNOTSUPP, name_of(set, e),
					    "its PMU is on none of the processors asked for");
		if (set->flags & PERFCTR_PARTIAL)
			result = leave_out(set, e);
	}
	close_left_out(set);
	free(open);
	return result;
}

/* The arguments of open_all(), through perfctr_target_open(). */
struct opening {
	const struct perfctr_list *list;
	const struct perfctr_plan *plan;
	unsigned int flags;
	struct perfctr_set *set;
	unsigned int failed; /* the event for which there is none, or NOWHERE */
};

static unsigned int group_flags(unsigned int flags, bool process)
{
	unsigned int groups = flags & GROUP_FLAGS;

	if (process && !(flags & PERFCTR_INHERIT))
		groups |= PERFCTR_EVENTS_THREADS;
	return process ? groups | PERFCTR_INHERIT | PERFCTR_DISABLED : groups;
}

static bool has_unverified(const struct perfctr_list *list)
{
	unsigned int e, flags = 0;

	for (e = 0; e < list->n; e++)
		flags |= list->event[e].flags;
	return flags & PERFCTR_EVENT_UNVERIFIED;
}

/* Opens all instances. Threads of several that have ended have nothing open. */
static int open_all(void *arg, const struct perfctr_scopes *scopes)
{
	struct opening *opening = arg;
	struct perfctr_set *set;
	unsigned int i;

	opening->failed = NOWHERE;
	if (scopes->every_cpu && perfctr_plan_check_cpus(opening->plan, opening->list) < 0)
		return -1;
	set = make_set(opening->list, opening->plan, scopes, opening->flags);
	if (!set)
		return -1;
	set->group_flags = group_flags(opening->flags, scopes->process);
	/* This comes first, so that no program is missed that is executed meanwhile. */
	set->execs = perfctr_execs_watch(set->scope, set->ninstances,
					 set->group_flags | (opening->flags & PERFCTR_WATCH));
	set->unverified = has_unverified(&set->list);
	set->unwatched = !set->execs &&
			 perfctr_execs_may_come(set->scope, set->ninstances, set->group_flags);
	for (i = 0; i < set->ninstances; i++)
		if (open_instance(set, i, scopes) < 0 && !(scopes->process && errno == ESRCH))
			goto fail;
	if (opening->flags & PERFCTR_PARTIAL)
		close_left_out(set);
	opening->set = set;
	return 0;
fail:
	opening->failed = set->failed;
	end_set(set);
	return -1;
}

static void close_all(void *arg)
{
	struct opening *opening = arg;

	end_set(opening->set);
	opening->set = NULL;
}

/* Whether nothing at all is open, though there is something that could be. */
static bool is_empty(const struct perfctr_set *set)
{
	unsigned int i, r, left_out = 0;

	for (i = 0; i < set->ninstances; i++)
		for (r = 0; r < set->plan.nruns; r++)
			if (is_open(set, i, r))
				return false;
	for (r = 0; r < set->plan.nruns; r++)
		left_out += is_left_out(set, r);
	return left_out < set->plan.nruns;
}

/*
 * Completes a set of which all is open that can be: finds its properties, and starts it unless the
 * caller will.
 */
static int end_opening(struct perfctr_set *set, const struct perfctr_target *target,
		       unsigned int flags)
{
	bool process = target && target->type == PERFCTR_TARGET_PROCESS;

	if (process && is_empty(set))
		return perfctr_fail(ESRCH, "there is no process %d: it has just ended", target->id);
	if (check_all_open(set) < 0)
		return -1;
	find_parts(set);
	set->plain = set->nparts == 1 && set->ninstances == 1 && set->plan.nruns == 1 &&
		     set->plan.nsources == set->n;
	if (process && !(flags & (PERFCTR_ON_EXEC | PERFCTR_DISABLED)))
		return perfctr_set_enable(set);
	return 0;
}

/*
 * The item of a weak group that could not be opened, or was left out, and whose events are to be
 * tried one by one. NOWHERE: there is none.
 */
static unsigned int find_weak(const struct opening *opening)
{
	const struct perfctr_list *list = opening->list;
	unsigned int e = opening->failed;

	if (!list->has_weak)
		return NOWHERE;
	if (!opening->set)
		return e != NOWHERE && list->event[e].weak &&
				       (errno == EINVAL || errno == EBUSY || errno == EOPNOTSUPP)
			       ? list->event[e].item
			       : NOWHERE;
	for (e = 0; e < list->n; e++)
		if (list->event[e].weak && list->event[e].n && opening->set->list.event[e].reason)
			return list->event[e].item;
	return NOWHERE;
}

/* Tries to open a set of the list. Returns the item to be split before the next try, or NOWHERE. */
static unsigned int try_list(struct opening *opening, struct perfctr_plan *plan,
			     const struct perfctr_target *target)
{
	const struct perfctr_target_user user = {
		.open = open_all,
		.close = close_all,
		.arg = opening,
	};
	unsigned int s, item;

	if (perfctr_plan_make(plan, opening->list, perfctr_target_on_cpus(target)) == 0 &&
	    perfctr_target_open(target, opening->flags, &user) == 0) {
		if (end_opening(opening->set, target, opening->flags) < 0)
			close_all(opening);
	}
	item = find_weak(opening);
	/* These the plan's copy has only borrowed. */
	for (s = 0; opening->set && s < plan->nsources; s++)
		opening->set->plan.source[s].cpus = NULL;
	perfctr_plan_free(plan);
	if (item != NOWHERE && opening->set)
		close_all(opening);
	return item;
}

/* Opens a set of the list, which is cleared. */
static struct perfctr_set *open_list(struct perfctr_list *list, const struct perfctr_target *target,
				     unsigned int flags)
{
	struct perfctr_plan plan;
	struct opening opening = { list, &plan, flags, NULL, NOWHERE };
	int error = errno;
	unsigned int item;

	while ((item = try_list(&opening, &plan, target)) != NOWHERE)
		perfctr_list_split(list, item);
	perfctr_list_clear(list);
	if (opening.set)
		errno = error; /* something may have been tried in vain before */
	return opening.set;
}

struct perfctr_set *perfctr_set_open(const char *events, const struct perfctr_target *target,
				     unsigned int flags)
{
	unsigned int use = PERFCTR_LIST_COUNTED;
	uint64_t memory[384]; /* enough for about two events */
	struct perfctr_list list;

	if (flags & PERFCTR_PARTIAL)
		use |= PERFCTR_LIST_PARTIAL;
	if (perfctr_flags_check(flags, FLAGS) < 0 ||
	    perfctr_list_init_in(&list, events, use, memory, sizeof(memory), NULL) < 0)
		return NULL;
	return open_list(&list, target, flags);
}

#define CONTROL_NAME 32

static int list_control(struct perfctr_list *list, const struct perfctr_cpu_control *control)
{
	unsigned int i, n = control->nractrs;

	if (perfctr_list_make(list, n, n * CONTROL_NAME) < 0)
		return -1;
	for (i = 0; i < n; i++) {
		char *name = list->text + i * CONTROL_NAME;
		struct perf_event_attr *attr = &list->variant[i].attr;

		list->event[i].name = name;
		if (perfctr_control_attr(control, i, attr, name, CONTROL_NAME) < 0) {
			perfctr_list_clear(list);
			return -1;
		}
		attr->size = sizeof(*attr);
		if (perfctr_attr_is_unverified(attr))
			list->event[i].flags = PERFCTR_EVENT_UNVERIFIED;
	}
	return 0;
}

struct perfctr_set *perfctr_set_open_control(const struct perfctr_cpu_control *control,
					     const struct perfctr_target *target,
					     unsigned int flags)
{
	struct perfctr_list list;

	if (perfctr_flags_check(flags, FLAGS) < 0 || perfctr_cpu_control_check(control) < 0)
		return NULL;
	if (control->nrictrs || control->nractrs == 0) {
		perfctr_fail(EINVAL, control->nrictrs
					     ? "a set takes a-mode counters only (nrictrs = 0)"
					     : "the control has no counters (nractrs = 0)");
		return NULL;
	}
	if (perfctr_control_place(control) < 0 || list_control(&list, control) < 0)
		return NULL;
	return open_list(&list, target, flags);
}

/* 0, or -1 after perfctr_fail(): EINVAL for NULL, ESRCH in a child of fork(). */
static int check_alive(const struct perfctr_set *set)
{
	if (!set)
		return perfctr_fail(EINVAL, "a set is needed, not NULL");
	if (!perfctr_is_cleared(set) && !perfctr_is_kind(set, PERFCTR_KIND_SET))
		return perfctr_wrong_kind(set, "a set of perfctr_set_open()");
	return set->n ? 0
		      : perfctr_fail(ESRCH, "this set belongs to the parent process; a child "
					    "opens its own");
}

/* For calls that can't fail. */
static bool is_set(const struct perfctr_set *set)
{
	return set && perfctr_is_kind(set, PERFCTR_KIND_SET);
}

void perfctr_set_close(struct perfctr_set *set)
{
	/* In a child of fork() the set was cleared, its size too: there is nothing to give back. */
	if (!set || perfctr_is_cleared(set) || check_alive(set) < 0)
		return;
	end_set(set);
}

/* ---- its events ---- */

static int check_event(const struct perfctr_set *set, unsigned int i, const void *place)
{
	if (check_alive(set) < 0)
		return -1;
	if (!place)
		return perfctr_fail(EINVAL, "a place for the result is needed, not NULL");
	return i < set->n ? 0
			  : perfctr_fail(EINVAL, "the set has no event %u; it has %u", i, set->n);
}

unsigned int perfctr_set_size(const struct perfctr_set *set)
{
	return is_set(set) ? set->n : 0;
}

const char *perfctr_set_name(const struct perfctr_set *set, unsigned int i)
{
	return check_event(set, i, set) < 0 ? NULL : name_of(set, i);
}

int perfctr_set_event(const struct perfctr_set *set, unsigned int i,
		      struct perfctr_list_event *event)
{
	return check_event(set, i, event) < 0 ? -1 : perfctr_list_describe(&set->list, i, event);
}

/* Gives a reader of an empty page, which says "ask the kernel". */
static void give_no_reader(struct perfctr_reader *reader)
{
	const struct perfctr_counter none = { .fd = -1 };

	perfctr_counter_reader(&none, reader);
}

/*
 * The event's pages, one for each core type, and in *base what its readings begin with. How many;
 * 0: they can't be read together.
 */
static unsigned int find_pages(const struct perfctr_set *set, unsigned int i,
			       const struct perf_event_mmap_page **page, uint64_t *base)
{
	unsigned int r, m, n = 0;

	*base = 0;
	for (r = set->place[i].run; r < set->plan.nruns; r++) {
		const struct perfctr_run *run = &set->plan.run[r];
		const struct perfctr_group *group = group_at(set, 0, r);

		for (m = 0; m < run->n; m++) {
			if (set->plan.source[run->first + m].event != i)
				continue;
			if (n == PERFCTR_CORE_TYPES || !is_open(set, 0, r) ||
			    !group->events.counter[m].page)
				return 0;
			page[n++] = group->events.counter[m].page;
			*base += group->reader[m].base;
		}
	}
	return n;
}

static int read_types(const struct perfctr_set *set, unsigned int i, struct perfctr_reader *reader)
{
	const struct perf_event_mmap_page *page[PERFCTR_CORE_TYPES];
	volatile struct perfctr_rseq *rseq = perfctr_rseq_here();
	unsigned int n;
	uint64_t base;

	if (!rseq)
		return perfctr_fail(EOPNOTSUPP,
				    "%s counts on %u core types, and which one the thread is on "
				    "may change while it reads: that takes restartable sequences "
				    "(rseq), which the C library has not registered here; "
				    "perfctr_set_read() reads them all",
				    name_of(set, i), set->list.event[i].n);
	n = find_pages(set, i, page, &base);
	if (n < 2)
		return perfctr_why_no_reader();
	if (!perfctr_core_types_reader(&set->types[i], page, n, rseq, reader))
		return perfctr_fail(EOPNOTSUPP,
				    "the counters of %s are not as wide on one core type as on "
				    "another; perfctr_set_read() reads them all",
				    name_of(set, i));
	reader->base = base;
	return 0;
}

int perfctr_set_reader(const struct perfctr_set *set, unsigned int i, struct perfctr_reader *reader)
{
	const struct perfctr_group *group;
	const struct place *place;

	if (check_event(set, i, reader) < 0)
		return -1;
	place = &set->place[i];
	give_no_reader(reader);
	if (set->list.event[i].reason)
		return perfctr_fail_event(EOPNOTSUPP, name_of(set, i), "%s",
					  set->list.event[i].reason);
	if (set->ninstances != 1 || set->scope[0].tid != 0 || set->scope[0].cpu != -1)
		return perfctr_fail(EOPNOTSUPP,
				    "%s does not count on the calling thread alone, so it can't "
				    "be read in user space",
				    name_of(set, i));
	if (set->list.event[i].n != 1)
		return read_types(set, i, reader);
	group = group_at(set, 0, place->run);
	*reader = group->reader[place->member];
	return group->events.counter[place->member].page ? 0 : perfctr_why_no_reader();
}

/* Call this for all groups, also after one that fails; an instance's in order, or from the last.
 */
static int for_all(struct perfctr_set *set, int (*call)(struct perfctr_group *), bool backward)
{
	unsigned int i, r;
	int result = 0;

	if (check_alive(set) < 0)
		return -1;
	for (i = 0; i < set->ninstances; i++) {
		for (r = 0; r < set->plan.nruns; r++) {
			unsigned int k = backward ? set->plan.nruns - 1 - r : r;

			if (is_open(set, i, k) && call(group_at(set, i, k)) < 0)
				result = -1;
		}
	}
	return result;
}

int perfctr_set_enable(struct perfctr_set *set)
{
	return for_all(set, perfctr_group_enable, false);
}

int perfctr_set_disable(struct perfctr_set *set)
{
	return for_all(set, perfctr_group_disable, true);
}

int perfctr_set_reset(struct perfctr_set *set)
{
	return for_all(set, perfctr_group_reset, false);
}

/* ---- reading ---- */

static void worsen(struct perfctr_reading *reading, unsigned int quality)
{
	if (quality > reading->quality)
		reading->quality = quality;
}

/* Adds the counts of a part to readings. whole: the part's thread is read on all core types. */
static int add_part(const struct perfctr_set *set, const struct part *part,
		    struct perfctr_reading *readings, bool whole)
{
	struct perfctr_reading one[PERFCTR_GROUP_MAX];
	bool on_cpu = set->scope[part->instance].cpu >= 0, stale = false;
	unsigned int r, m;
	int result = 0;

	for (r = 0; r < set->plan.nruns; r++) {
		const struct perfctr_run *run = &set->plan.run[r];
		const struct perfctr_group *group = group_at(set, part->instance, r);
		bool failed;

		if (run->pmu != part->pmu || !is_open(set, part->instance, r))
			continue;
		failed = perfctr_group_read(group, one) < 0;
		if (failed)
			result = -1;
		/* The first one that is watched tells whether the processor is offline. */
		stale |= one[0].quality == PERFCTR_STALE;
		for (m = 0; m < run->n; m++) {
			const struct perfctr_source *source = &set->plan.source[run->first + m];
			struct perfctr_reading *sum = &readings[source->event];

			sum->value += one[m].value;
			sum->running += one[m].running;
			if (source->last || on_cpu || !whole)
				sum->enabled += one[m].enabled;
			if (stale)
				worsen(sum, PERFCTR_STALE);
			else if (source->alone || failed || on_cpu || !whole)
				worsen(sum, one[m].quality);
		}
	}
	return result;
}

/*
 * The times decide for events on several core types: a thread that is on one kind, and counted
 * there, is not counted on the others, and that is exact. The time enabled is that of the last
 * kind: it is started last, stopped first and read first, so that it is not longer than the
 * others'.
 */
static int finish(const struct perfctr_set *set, struct perfctr_reading *readings)
{
	unsigned int s;
	int result = 0;

	for (s = 0; s < set->plan.nsources; s++) {
		const struct perfctr_source *source = &set->plan.source[s];
		struct perfctr_reading *sum = &readings[source->event];

		if (source->alone || set->list.event[source->event].reason)
			continue;
		if (sum->running > sum->enabled)
			sum->running = sum->enabled;
		worsen(sum, perfctr_quality_of(sum->enabled, sum->running));
		if (!(set->flags & PERFCTR_MULTIPLEX) && sum->quality != PERFCTR_EXACT &&
		    sum->quality != PERFCTR_STALE)
			result = perfctr_why_taken("the events");
	}
	return result;
}

/* Sets the readings to zero and to the best quality; events that were left out are not counted. */
static void begin_readings(const struct perfctr_set *set, struct perfctr_reading *readings)
{
	unsigned int e;

	memset(readings, 0, set->n * sizeof(*readings));
	for (e = 0; e < set->n; e++)
		if (set->list.event[e].reason)
			readings[e].quality = PERFCTR_NOT_COUNTED;
}

#define ALL_TIDS (-2)
#define NO_TID	 (-3)

static SLOW void mark_unverified(const struct perfctr_set *set, struct perfctr_reading *readings)
{
	unsigned int e;

	for (e = 0; e < set->n; e++)
		if (set->list.event[e].flags & PERFCTR_EVENT_UNVERIFIED)
			worsen(&readings[e], PERFCTR_UNVERIFIED);
}

/*
 * Marks the readings of the thread (or of one instance) whose events the kernel ended for a program
 * that may not be traced, or may have ended unseen. This looks after the counts were read, so that
 * no program between the two is missed. Events that have counted nothing at all report it by
 * themselves. Unverified ones are marked, too.
 */
static void mark(const struct perfctr_set *set, pid_t tid, unsigned int instance,
		 struct perfctr_reading *readings)
{
	unsigned int i, e, quality = PERFCTR_EXACT;

	if (set->execs)
		perfctr_execs_look(set->execs);
	if (set->execs ? !perfctr_execs_sees_all(set->execs) : set->unwatched)
		quality = PERFCTR_UNWATCHED;
	for (i = 0; set->execs && i < set->ninstances; i++)
		if ((tid == ALL_TIDS || set->scope[i].tid == tid || i == instance) &&
		    perfctr_execs_has_ended(set->execs, i))
			quality = PERFCTR_STALE;
	for (e = 0; quality != PERFCTR_EXACT && e < set->n; e++)
		if (readings[e].quality != PERFCTR_NOT_COUNTED)
			worsen(&readings[e], quality);
	if (set->unverified)
		mark_unverified(set, readings);
}

static int check_readings(const struct perfctr_set *set, const struct perfctr_reading *readings)
{
	if (check_alive(set) < 0)
		return -1;
	return readings ? 0 : perfctr_fail(EINVAL, "a place for the counts is needed, not NULL");
}

int perfctr_set_read(const struct perfctr_set *set, struct perfctr_reading *readings)
{
	unsigned int p;
	int result = 0;

	if (check_readings(set, readings) < 0)
		return -1;
	if (set->plain) {
		result = perfctr_group_read(group_at(set, 0, 0), readings);
		mark(set, ALL_TIDS, 0, readings);
		return result;
	}
	begin_readings(set, readings);
	for (p = set->nparts; p-- > 0;)
		if (add_part(set, &set->part[p], readings, true) < 0)
			result = -1;
	if (finish(set, readings) < 0)
		result = -1;
	mark(set, ALL_TIDS, 0, readings);
	return result;
}

int perfctr_set_read_thread(const struct perfctr_set *set, pid_t tid,
			    struct perfctr_reading *readings)
{
	bool found = false;
	unsigned int p;
	int result = 0;

	if (check_readings(set, readings) < 0)
		return -1;
	begin_readings(set, readings);
	for (p = set->nparts; p-- > 0;) {
		if (set->scope[set->part[p].instance].tid != tid)
			continue;
		found = true;
		if (add_part(set, &set->part[p], readings, true) < 0)
			result = -1;
	}
	if (!found)
		return perfctr_fail(ESRCH, "the set has no part of a thread %d", (int)tid);
	if (finish(set, readings) < 0)
		result = -1;
	mark(set, tid, NOWHERE, readings);
	return result;
}

/*
 * Checks a part's group. 0, or -1 after perfctr_fail(): the group's own error, if no program was
 * seen to begin.
 */
static int check_group(const struct perfctr_set *set, unsigned int instance,
		       const struct perfctr_group *group)
{
	const struct perfctr_scope *scope = &set->scope[instance];
	struct perfctr_reading readings[PERFCTR_GROUP_MAX];

	if (perfctr_group_read(group, readings) < 0 && errno == ESTALE)
		return -1;
	if (readings[0].quality != PERFCTR_STALE)
		return 0;
	if (scope->tid < 0)
		return perfctr_fail(ESTALE,
				    "processor %d has been offline, which ended its events; open a "
				    "new set",
				    scope->cpu);
	return perfctr_execs_fail();
}

int perfctr_set_check(const struct perfctr_set *set)
{
	const struct perfctr_group *group;
	unsigned int i, r;

	if (check_alive(set) < 0)
		return -1;
	for (i = 0; i < set->ninstances; i++) {
		for (r = 0; r < set->plan.nruns; r++) {
			if (!is_open(set, i, r))
				continue;
			group = group_at(set, i, r);
			/* Records of threads' ends tell more than their events. */
			if (perfctr_events_check(&group->events) < 0 ||
			    (!set->execs && check_group(set, i, group) < 0))
				return -1;
		}
	}
	return set->execs ? perfctr_execs_check(set->execs) : 0;
}

/* An open event of the first thread; NULL: it has none. */
static const struct perfctr_counter *find_open(const struct perfctr_set *set)
{
	unsigned int r;

	for (r = 0; set->ninstances && r < set->plan.nruns; r++)
		if (is_open(set, 0, r))
			return group_at(set, 0, r)->events.counter;
	return NULL;
}

int perfctr_set_processes(const struct perfctr_set *set, struct perfctr_processes *processes)
{
	const struct perfctr_counter *counter;
	bool exactly;

	if (check_alive(set) < 0)
		return -1;
	if (!processes)
		return perfctr_fail(EINVAL, "a place for the processes is needed, not NULL");
	counter = find_open(set);
	if (!set->execs || !counter)
		return perfctr_fail(EOPNOTSUPP, "it is not known which processes the set counts: "
						"it needs PERFCTR_INHERIT, descriptors and memory "
						"that may be locked");
	*processes = (struct perfctr_processes){ .running = 0 };
	if (perfctr_execs_running(set->execs, counter, &processes->running, &exactly) < 0)
		return -1;
	processes->exactly = exactly;
	processes->watched = perfctr_execs_sees_all(set->execs);
	return 0;
}

unsigned int perfctr_set_parts(const struct perfctr_set *set)
{
	return is_set(set) ? set->nparts : 0;
}

static int check_part(const struct perfctr_set *set, unsigned int p)
{
	if (check_alive(set) < 0)
		return -1;
	return p < set->nparts ? 0
			       : perfctr_fail(EINVAL, "there is no part %u; the set has %u", p,
					      set->nparts);
}

int perfctr_set_part(const struct perfctr_set *set, unsigned int p, struct perfctr_part *part)
{
	const struct perfctr_scope *scope;

	if (check_part(set, p) < 0)
		return -1;
	if (!part)
		return perfctr_fail(EINVAL, "perfctr_set_part() needs a place for the part, not "
					    "NULL");
	scope = &set->scope[set->part[p].instance];
	*part = (struct perfctr_part){
		.tid = scope->tid,
		.cpu = scope->cpu,
		.pmu = perfctr_plan_pmu(&set->plan, &set->list, set->part[p].pmu),
	};
	return 0;
}

/* Sets the events of a part to the best quality, and all others to "not counted". */
static void begin_part(const struct perfctr_set *set, const struct part *part,
		       struct perfctr_reading *readings)
{
	unsigned int e, r, m;

	memset(readings, 0, set->n * sizeof(*readings));
	for (e = 0; e < set->n; e++)
		readings[e].quality = PERFCTR_NOT_COUNTED;
	for (r = 0; r < set->plan.nruns; r++) {
		const struct perfctr_run *run = &set->plan.run[r];

		for (m = 0; run->pmu == part->pmu && is_open(set, part->instance, r) && m < run->n;
		     m++)
			readings[set->plan.source[run->first + m].event].quality = PERFCTR_EXACT;
	}
}

int perfctr_set_read_part(const struct perfctr_set *set, unsigned int p,
			  struct perfctr_reading *readings)
{
	int result;

	if (check_part(set, p) < 0 || check_readings(set, readings) < 0)
		return -1;
	begin_part(set, &set->part[p], readings);
	result = add_part(set, &set->part[p], readings, false);
	mark(set, NO_TID, set->part[p].instance, readings);
	return result;
}

int perfctr_set_id(const struct perfctr_set *set, unsigned int p, unsigned int i, uint64_t *id)
{
	const struct part *part;
	unsigned int r, m;

	if (check_part(set, p) < 0 || check_event(set, i, id) < 0)
		return -1;
	part = &set->part[p];
	for (r = set->place[i].run; r < set->plan.nruns; r++) {
		const struct perfctr_run *run = &set->plan.run[r];

		if (run->pmu != part->pmu || !is_open(set, part->instance, r))
			continue;
		for (m = 0; m < run->n; m++)
			if (set->plan.source[run->first + m].event == i)
				return perfctr_counter_id(
					&group_at(set, part->instance, r)->events.counter[m], id);
	}
	return perfctr_fail(EINVAL, "%s is not in part %u", name_of(set, i), p);
}
