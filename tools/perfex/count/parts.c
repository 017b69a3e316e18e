// SPDX-License-Identifier: LGPL-2.1-or-later
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/parts.h"

static size_t add_part(struct parts *parts, const struct events *events, const char *name)
{
	struct part *part;

	parts->part = need(reallocarray(parts->part, parts->n + 1, sizeof(*parts->part)));
	part = &parts->part[parts->n];
	*part = (struct part){
		.name = need(strdup(name)),
		.reading = need(calloc(events->n, sizeof(struct perfctr_reading))),
		.before = need(calloc(events->n, sizeof(struct perfctr_reading))),
		.interval = need(calloc(events->n, sizeof(struct perfctr_reading))),
	};
	return parts->n++;
}

/* ---- a task is a part ---- */

static void read_tasks(struct parts *parts, const struct tasks *tasks, const struct events *events)
{
	struct part *part;
	char name[32];
	size_t t;

	for (t = 0; t < tasks->n; t++) {
		const struct task *task = &tasks->task[t];

		snprintf(name, sizeof(name), "%d", (int)task->tid);
		if (t == parts->n)
			add_part(parts, events, task->cgroup ? task->cgroup : name);
		part = &parts->part[t];
		memcpy(part->reading, task->reading, events->n * sizeof(*part->reading));
		free(part->comm);
		part->comm = need(strdup(task->comm));
	}
}

/* ---- processors ---- */

/* The part that counts belong to, which a processor or, on a core type, a thread has. */
static size_t find_place(struct parts *parts, const struct events *events,
			 const struct perfctr_part *part)
{
	char name[64];
	size_t k;

	if (part->cpu < 0)
		snprintf(name, sizeof(name), "%s", *part->pmu ? part->pmu : "cpu");
	else
		topology_name(name, sizeof(name), parts->by, (unsigned int)part->cpu);
	for (k = 0; k < parts->n; k++)
		if (!strcmp(parts->part[k].name, name))
			return k;
	return add_part(parts, events, name);
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

/* Which processors a part has, one bit each: those of several sets and tasks are the same ones. */
static void count_cpus(struct parts *parts, size_t k, int cpu, uint32_t *seen)
{
	if (cpu < 0 || seen[cpu / 32] >> cpu % 32 & 1)
		return;
	seen[cpu / 32] |= 1u << cpu % 32;
	parts->part[k].cpus++;
}

static void find_places(struct parts *parts, const struct tasks *tasks, const struct events *events)
{
	uint32_t seen[8192 / 32] = { 0 };
	size_t t, n = 0;

	for (t = 0; t < tasks->n; t++) {
		struct walk walk = { .task = &tasks->task[t] };

		while (next(&walk)) {
			parts->place = need(reallocarray(parts->place, n + 1, sizeof(size_t)));
			parts->place[n] = find_place(parts, events, &walk.part);
			count_cpus(parts, parts->place[n++], walk.part.cpu, seen);
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

static void read_part(struct events *events, const struct walk *walk, struct part *part,
		      struct perfctr_reading *reading)
{
	unsigned int i, first = events->first[walk->s], end = events->first[walk->s + 1];
	int result = perfctr_set_read_part(walk->task->set[walk->s], walk->p - 1, reading + first);

	tasks_drop_taken(walk->task, first, end, reading);
	for (i = first; i < end; i++) {
		if (result < 0 && reading[i].quality == PERFCTR_NOT_COUNTED &&
		    part_has(&reading[i]))
			events_refuse(events, i, i + 1, perfctr_error());
		tasks_add_reading(&events->event[i].reading, &reading[i]);
		if (is_of(events, i, &walk->part))
			tasks_add_reading(&part->reading[i], &reading[i]);
	}
}

static void clear_readings(struct parts *parts, struct events *events)
{
	const struct perfctr_reading none = { .quality = PERFCTR_NOT_COUNTED };
	unsigned int i;
	size_t k;

	for (i = 0; i < events->n; i++) {
		events->event[i].reading = none;
		for (k = 0; k < parts->n; k++)
			parts->part[k].reading[i] = none;
	}
}

static void read_sets(struct parts *parts, const struct tasks *tasks, struct events *events)
{
	struct perfctr_reading *reading = need(calloc(events->n, sizeof(*reading)));
	size_t t, n = 0;

	if (!parts->place)
		find_places(parts, tasks, events);
	clear_readings(parts, events);
	for (t = 0; t < tasks->n; t++) {
		struct walk walk = { .task = &tasks->task[t] };

		while (next(&walk))
			read_part(events, &walk, &parts->part[parts->place[n++]], reading);
	}
	free(reading);
}

void parts_read(struct parts *parts, struct tasks *tasks, struct events *events)
{
	if (parts->by > BY_CGROUP) {
		read_sets(parts, tasks, events);
		return;
	}
	tasks_read(tasks, events);
	if (parts->by != BY_NOTHING)
		read_tasks(parts, tasks, events);
}

/* ---- */

void parts_end_interval(struct parts *parts, const struct events *events)
{
	unsigned int i;
	size_t k;

	for (k = 0; k < parts->n; k++)
		for (i = 0; i < events->n; i++)
			parts->part[k].interval[i] = tasks_interval(&parts->part[k].before[i],
								    &parts->part[k].reading[i]);
}

bool part_has(const struct perfctr_reading *reading)
{
	return reading->quality != PERFCTR_NOT_COUNTED || reading->enabled;
}

void parts_clear(struct parts *parts)
{
	size_t k;

	for (k = 0; k < parts->n; k++) {
		free(parts->part[k].name);
		free(parts->part[k].comm);
		free(parts->part[k].reading);
		free(parts->part[k].before);
		free(parts->part[k].interval);
	}
	free(parts->part);
	free(parts->place);
	*parts = (struct parts){ .by = parts->by };
}
