// SPDX-License-Identifier: LGPL-2.1-or-later
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/breakdown.h"

const struct part_kind part_kinds[] = {
	[BY_THREAD] = { "tid", "threads", "thread" },
	[BY_CGROUP] = { "cgroup", "cgroups", "cgroup" },
	[BY_CPU] = { "cpu", "by_cpu", "processor" },
	[BY_CORE] = { "core", "by_core", "core" },
	[BY_SOCKET] = { "socket", "by_socket", "socket" },
	[BY_TYPE] = { "type", "by_type", "core type" },
	[BY_UNIT] = { "pmu", "by_unit", "part" },
};

static size_t add_part(struct breakdown *breakdown, const struct events *events, const char *name)
{
	struct part *part;

	breakdown->part =
		need(reallocarray(breakdown->part, breakdown->n + 1, sizeof(*breakdown->part)));
	part = &breakdown->part[breakdown->n];
	*part = (struct part){
		.name = need(strdup(name)),
		.reading = need(calloc(events->n, sizeof(struct perfctr_reading))),
		.before = need(calloc(events->n, sizeof(struct perfctr_reading))),
		.interval = need(calloc(events->n, sizeof(struct perfctr_reading))),
	};
	return breakdown->n++;
}

/* ---- a task is a part ---- */

static void read_tasks(struct breakdown *breakdown, const struct tasks *tasks,
		       const struct events *events)
{
	struct part *part;
	char name[32];
	size_t t;

	for (t = 0; t < tasks->n; t++) {
		const struct task *task = &tasks->task[t];

		snprintf(name, sizeof(name), "%d", (int)task->tid);
		if (t == breakdown->n)
			add_part(breakdown, events, task->cgroup ? task->cgroup : name);
		part = &breakdown->part[t];
		memcpy(part->reading, task->reading, events->n * sizeof(*part->reading));
		free(part->comm);
		part->comm = need(strdup(task->comm));
	}
}

/* ---- processors ---- */

/* The part that counts belong to, which a processor or, on a core type, a thread has. */
static size_t find_place(struct breakdown *breakdown, const struct events *events,
			 const struct perfctr_part *part)
{
	char name[64];
	size_t k;

	if (breakdown->by == BY_UNIT)
		snprintf(name, sizeof(name), "%s", *part->pmu ? part->pmu : "other");
	else if (part->cpu < 0)
		snprintf(name, sizeof(name), "%s", *part->pmu ? part->pmu : "cpu");
	else
		topology_name(name, sizeof(name), breakdown->by, (unsigned int)part->cpu);
	for (k = 0; k < breakdown->n; k++)
		if (!strcmp(breakdown->part[k].name, name))
			return k;
	return add_part(breakdown, events, name);
}

/* A walk over the parts of a task's sets. */
struct walk {
	const struct task *task;
	unsigned int s, p;
	struct perfctr_part part;
};

/* The next part of a task's sets; false: there is none. */
static bool next(struct walk *walk)
{
	for (; walk->s < EVENTS_SETS; walk->s++, walk->p = 0)
		if (walk->p < perfctr_set_parts(walk->task->set[walk->s]))
			return perfctr_set_part(walk->task->set[walk->s], walk->p++, &walk->part) ==
			       0;
	return false;
}

/* Notes a processor of a part: several sets and tasks have the same ones. */
static void count_cpu(struct part *part, int cpu)
{
	if (cpu < 0)
		return;
	if (!part->seen)
		part->seen = need(calloc(MAX_CPUS / 32, sizeof(*part->seen)));
	if (part->seen[cpu / 32] >> cpu % 32 & 1)
		return;
	part->seen[cpu / 32] |= 1u << cpu % 32;
	part->cpus++;
}

static void find_places(struct breakdown *breakdown, const struct tasks *tasks,
			const struct events *events)
{
	size_t t, n = 0;

	for (t = 0; t < tasks->n; t++) {
		struct walk walk = { .task = &tasks->task[t] };

		while (next(&walk)) {
			breakdown->place =
				need(reallocarray(breakdown->place, n + 1, sizeof(size_t)));
			breakdown->place[n] = find_place(breakdown, events, &walk.part);
			count_cpu(&breakdown->part[breakdown->place[n++]], walk.part.cpu);
		}
	}
}

/* Whether event i of a thread is one of this core type, and not one of the kernel's own. */
static bool is_of(const struct events *events, unsigned int i, const struct perfctr_part *part)
{
	struct perf_event_attr attr;
	const char *pmu;
	unsigned int k;

	if (part->cpu >= 0)
		return true;
	for (k = 0; k < events->event[i].is.nvariants && i < events->first[EVENTS_NUMBERS]; k++)
		if (perfctr_list_attr(events->list, i, k, &attr, &pmu, NULL, 0) == 0 &&
		    !strcmp(pmu, part->pmu))
			return true;
	return i >= events->first[EVENTS_NUMBERS];
}

/* What could not be read gets the reason. What the part does not have is not counted either. */
static void refuse_unread(struct events *events, const struct walk *walk,
			  const struct perfctr_reading *reading)
{
	unsigned int i, first = events->first[walk->s], end = events->first[walk->s + 1];
	char *reason = need(strdup(perfctr_error()));
	uint64_t id;

	for (i = first; i < end; i++)
		if (reading[i].quality == PERFCTR_NOT_COUNTED &&
		    perfctr_set_id(walk->task->set[walk->s], walk->p - 1, i - first, &id) == 0)
			events_refuse(events, i, i + 1, reason);
	free(reason);
}

static void read_part(struct events *events, const struct walk *walk, struct part *part,
		      struct perfctr_reading *reading)
{
	unsigned int i, first = events->first[walk->s], end = events->first[walk->s + 1];
	int result = perfctr_set_read_part(walk->task->set[walk->s], walk->p - 1, reading + first);

	if (result < 0)
		refuse_unread(events, walk, reading);
	tasks_drop_taken(walk->task, first, end, reading);
	for (i = first; i < end; i++) {
		tasks_add_reading(&events->event[i].reading, &reading[i]);
		if (is_of(events, i, &walk->part))
			tasks_add_reading(&part->reading[i], &reading[i]);
	}
}

static void clear_readings(struct breakdown *breakdown, struct events *events)
{
	const struct perfctr_reading none = { .quality = PERFCTR_NOT_COUNTED };
	unsigned int i;
	size_t k;

	for (i = 0; i < events->n; i++) {
		events->event[i].reading = none;
		for (k = 0; k < breakdown->n; k++)
			breakdown->part[k].reading[i] = none;
	}
}

static void read_sets(struct breakdown *breakdown, const struct tasks *tasks, struct events *events)
{
	struct perfctr_reading *reading = need(calloc(events->n, sizeof(*reading)));
	size_t t, n = 0;

	if (!breakdown->place)
		find_places(breakdown, tasks, events);
	clear_readings(breakdown, events);
	for (t = 0; t < tasks->n; t++) {
		struct walk walk = { .task = &tasks->task[t] };

		while (next(&walk))
			read_part(events, &walk, &breakdown->part[breakdown->place[n++]], reading);
	}
	free(reading);
}

void breakdown_read(struct breakdown *breakdown, struct tasks *tasks, struct events *events)
{
	if (breakdown->by > BY_CGROUP) {
		read_sets(breakdown, tasks, events);
		return;
	}
	tasks_read(tasks, events);
	if (breakdown->by != BY_NOTHING)
		read_tasks(breakdown, tasks, events);
}

/* ---- */

void breakdown_end_interval(struct breakdown *breakdown, const struct events *events)
{
	unsigned int i;
	size_t k;

	for (k = 0; k < breakdown->n; k++)
		for (i = 0; i < events->n; i++)
			breakdown->part[k].interval[i] =
				tasks_interval(&breakdown->part[k].before[i],
					       &breakdown->part[k].reading[i]);
}

bool part_has(const struct perfctr_reading *reading)
{
	return reading->quality != PERFCTR_NOT_COUNTED || reading->enabled;
}

void breakdown_clear(struct breakdown *breakdown)
{
	size_t k;

	for (k = 0; k < breakdown->n; k++) {
		free(breakdown->part[k].name);
		free(breakdown->part[k].comm);
		free(breakdown->part[k].seen);
		free(breakdown->part[k].reading);
		free(breakdown->part[k].before);
		free(breakdown->part[k].interval);
	}
	free(breakdown->part);
	free(breakdown->place);
	*breakdown = (struct breakdown){ .by = breakdown->by };
}
