// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/cpumask.h"
#include "tools/perfex/count/tasks.h"

/* ---- opening ---- */

static struct task *add_task(const struct events *events, struct tasks *tasks, pid_t tid)
{
	struct task *task;

	if (tasks->n == tasks->room) {
		tasks->room = tasks->room * 2 + 4;
		tasks->task = need(reallocarray(tasks->task, tasks->room, sizeof(*tasks->task)));
	}
	task = &tasks->task[tasks->n++];
	*task = (struct task){ .tid = tid };
	task->reading = need(calloc(events->n, sizeof(*task->reading)));
	return task;
}

/* Finds the processors on which an event is counted, on any core type. */
static void find_cpus(const struct events *events, unsigned int i, uint32_t *cpus)
{
	uint32_t words[CPUMASK_CPUS / 32];
	struct perf_event_attr attr;
	unsigned int k, w;

	memset(cpus, 0, sizeof(words));
	for (k = 0; k < events->event[i].is.nvariants; k++)
		if (perfctr_list_attr(events->list, i, k, &attr, NULL, words, CPUMASK_CPUS / 32) ==
		    0)
			for (w = 0; w < CPUMASK_CPUS / 32; w++)
				cpus[w] |= words[w];
}

/* Whether a name means something on another core type than this processor's. */
static bool is_elsewhere(const struct events *events, unsigned int i,
			 const struct perfctr_target *target)
{
	uint32_t cpus[CPUMASK_CPUS / 32];

	if (target->type != PERFCTR_TARGET_CPU || target->id < 0)
		return false;
	find_cpus(events, i, cpus);
	return events->event[i].is.nvariants && !(cpus[target->id / 32] >> target->id % 32 & 1);
}

/*
 * Notes whether one target can count an event. If it can't on its core type, that is no error if
 * another type can.
 */
static void look_at_event(struct events *events, unsigned int i, const char *reason, bool elsewhere)
{
	struct event *event = &events->event[i];

	if (elsewhere && (event->here || event->reason))
		return;
	if (event->elsewhere) {
		free(event->reason);
		event->reason = NULL;
	}
	event->elsewhere = elsewhere;
	event->here |= !reason;
	if (reason)
		events_refuse(events, i, i + 1, reason);
}

/* Notes which events of a set are counted. */
static void look_at(struct events *events, const struct perfctr_set *set, unsigned int first,
		    const struct perfctr_target *target)
{
	struct perfctr_list_event event;
	unsigned int i;

	for (i = 0; perfctr_set_event(set, i, &event) == 0; i++) {
		const char *before = events->event[first + i].is.name;

		look_at_event(events, first + i, event.reason,
			      event.reason && is_elsewhere(events, first + i, target));
		/* A name of its own is that of user mode. */
		if (before && strcmp(event.name, before) != 0)
			events_to_user(events, first + i, event.name);
	}
}

static struct perfctr_set *open_names(const struct events *events,
				      const struct perfctr_target *target, unsigned int flags,
				      bool may_end)
{
	struct perfctr_set *set = perfctr_set_open(events->names, target,
						   flags | PERFCTR_USER_FALLBACK);

	if (!set && (errno != ESRCH || !may_end))
		die("%s", perfctr_error());
	return set;
}

static void open_sets(struct events *events, struct task *task, const struct perfctr_target *target,
		      unsigned int flags, bool may_end)
{
	const unsigned int *first = events->first;

	flags |= PERFCTR_MULTIPLEX | PERFCTR_PARTIAL | EVENTS_KEPT;
	if (first[EVENTS_NUMBERS]) {
		task->set[EVENTS_NAMES] = open_names(events, target, flags, may_end);
		look_at(events, task->set[EVENTS_NAMES], 0, target);
	}
	if (first[EVENTS_SETS] == first[EVENTS_NUMBERS])
		return;
	task->set[EVENTS_NUMBERS] = perfctr_set_open_control(&events->control, target, flags);
	if (task->set[EVENTS_NUMBERS])
		look_at(events, task->set[EVENTS_NUMBERS], first[EVENTS_NUMBERS], target);
	else
		events_refuse(events, first[EVENTS_NUMBERS], first[EVENTS_SETS], perfctr_error());
}

/* Whether a processor counts an event for one before. */
static bool is_taken(const struct tasks *tasks, unsigned int i, int reader)
{
	size_t t;

	for (t = 0; t + 1 < tasks->n; t++)
		if (tasks->task[t].reader && tasks->task[t].reader[i] == reader)
			return true;
	return false;
}

/*
 * The kernel counts an event of a package, or the like, on one of its processors, whichever it is
 * asked for: of several that are, only the first one's count is taken.
 */
static void find_readers(const struct events *events, const struct tasks *tasks, struct task *task,
			 const struct perfctr_target *target)
{
	uint32_t cpus[CPUMASK_CPUS / 32];
	struct perfctr_list_event event;
	unsigned int i;

	task->reader = need(calloc(events->n, sizeof(*task->reader)));
	for (i = 0; i < events->n; i++) {
		task->reader[i] = target->id;
		if (i >= events->first[EVENTS_NUMBERS])
			continue;
		if (perfctr_set_event(task->set[EVENTS_NAMES], i, &event) < 0 || event.reason) {
			task->reader[i] = -1;
			continue;
		}
		find_cpus(events, i, cpus);
		task->reader[i] = cpumask_find((unsigned int)target->id, cpus);
		if (is_taken(tasks, i, task->reader[i]))
			task->reader[i] = -1;
	}
}

void tasks_open(struct tasks *tasks, struct events *events, const struct perfctr_target *target,
		unsigned int flags)
{
	struct task *task = add_task(events, tasks, target->id);

	if (target->type == PERFCTR_TARGET_CGROUP)
		task->cgroup = target->cgroup;
	open_sets(events, task, target, flags, false);
	if (target->type == PERFCTR_TARGET_THREAD)
		tasks_name(task);
	if (target->type == PERFCTR_TARGET_CPU && target->id >= 0)
		find_readers(events, tasks, task, target);
}

void tasks_open_thread(struct tasks *tasks, struct events *events, pid_t tid, unsigned int flags)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD, .id = tid };

	/* A command may be killed at any time. */
	open_sets(events, add_task(events, tasks, tid), &target, flags, true);
}

struct task *tasks_find(const struct tasks *tasks, pid_t tid)
{
	size_t t;

	for (t = tasks->n; t--;)
		if (tasks->task[t].tid == tid && !tasks->task[t].ended)
			return &tasks->task[t];
	return NULL;
}

void tasks_name(struct task *task)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)task->tid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(task->comm, sizeof(task->comm), file))
		task->comm[strcspn(task->comm, "\n")] = '\0';
	fclose(file);
}

/* The threads that a set has found in its process become tasks. */
static void add_parts(const struct events *events, struct tasks *tasks,
		      const struct perfctr_set *set)
{
	struct perfctr_part part;
	unsigned int p;

	for (p = 0; p < perfctr_set_parts(set); p++)
		if (perfctr_set_part(set, p, &part) == 0 && !tasks_find(tasks, part.tid))
			tasks_name(add_task(events, tasks, part.tid));
}

void tasks_open_threads(struct tasks *tasks, struct events *events, pid_t pid, unsigned int flags)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS, .id = pid };
	unsigned int s;

	tasks->process.tid = pid;
	tasks->process.reading = need(calloc(events->n, sizeof(struct perfctr_reading)));
	open_sets(events, &tasks->process, &target, flags, false);
	for (s = 0; s < EVENTS_SETS; s++)
		add_parts(events, tasks, tasks->process.set[s]);
}

/* ---- reading ---- */

unsigned int tasks_quality(uint64_t enabled, uint64_t running)
{
	return running == enabled ? PERFCTR_EXACT : running ? PERFCTR_SCALED : PERFCTR_NOT_COUNTED;
}

/* Reads the counts of a task's sets, or of one of its threads (tid 0: of the whole). */
static void read_sets(struct events *events, const struct task *task, pid_t tid,
		      struct perfctr_reading *reading)
{
	unsigned int s, i;
	int result;

	for (s = 0; s < EVENTS_SETS; s++) {
		const struct perfctr_set *set = task->set[s];
		struct perfctr_reading *at = reading + events->first[s];

		if (!set)
			continue;
		result = tid ? perfctr_set_read_thread(set, tid, at) : perfctr_set_read(set, at);
		for (i = events->first[s]; result < 0 && i < events->first[s + 1]; i++)
			if (reading[i].quality == PERFCTR_NOT_COUNTED)
				events_refuse(events, i, i + 1, perfctr_error());
		if (at->quality == PERFCTR_STALE && !events->stale && perfctr_set_check(set) < 0)
			events->stale = need(strdup(perfctr_error()));
	}
}

/* The quality of the sum, or difference, of readings of one kind, by its times. */
static unsigned int joint_quality(const struct perfctr_reading *sum, unsigned int worst)
{
	unsigned int quality = tasks_quality(sum->enabled, sum->running);

	if (worst == PERFCTR_STALE)
		return PERFCTR_STALE;
	return quality == PERFCTR_EXACT && worst <= PERFCTR_UNVERIFIED ? worst : quality;
}

void tasks_add_reading(struct perfctr_reading *sum, const struct perfctr_reading *one)
{
	unsigned int worst = one->quality;

	if (one->quality == PERFCTR_NOT_COUNTED && !one->enabled)
		return; /* the task does not have it */
	if (sum->quality == PERFCTR_STALE ||
	    (sum->quality <= PERFCTR_UNVERIFIED && sum->quality > worst))
		worst = sum->quality;
	sum->value += one->value;
	sum->enabled += one->enabled;
	sum->running += one->running;
	sum->quality = joint_quality(sum, worst);
}

struct perfctr_reading tasks_interval(struct perfctr_reading *before,
				      const struct perfctr_reading *now)
{
	struct perfctr_reading delta = *now;

	delta.value -= before->value;
	delta.enabled -= before->enabled;
	delta.running -= before->running;
	if (now->quality != PERFCTR_NOT_COUNTED && now->quality != PERFCTR_STALE)
		delta.quality = joint_quality(&delta, now->quality);
	*before = *now;
	return delta;
}

void tasks_drop_taken(const struct task *task, unsigned int first, unsigned int end,
		      struct perfctr_reading *reading)
{
	for (; task->reader && first < end; first++)
		if (task->reader[first] < 0)
			reading[first] = (struct perfctr_reading){ .quality = PERFCTR_NOT_COUNTED };
}

void tasks_read(struct tasks *tasks, struct events *events)
{
	const struct task *process = tasks->process.reading ? &tasks->process : NULL;
	unsigned int i;
	size_t t;

	for (i = 0; i < events->n; i++)
		events->event[i].reading =
			(struct perfctr_reading){ .quality = PERFCTR_NOT_COUNTED };
	if (process)
		read_sets(events, process, 0, process->reading);
	for (t = 0; t < tasks->n; t++) {
		struct task *task = &tasks->task[t];

		read_sets(events, process ? process : task, process ? task->tid : 0, task->reading);
		tasks_drop_taken(task, 0, events->n, task->reading);
		for (i = 0; i < events->n && !process; i++)
			tasks_add_reading(&events->event[i].reading, &task->reading[i]);
	}
	for (i = 0; i < events->n && process; i++)
		events->event[i].reading = process->reading[i];
}

void tasks_check(const struct tasks *tasks)
{
	unsigned int s;
	size_t t;

	for (t = 0; t < tasks->n; t++)
		for (s = 0; s < EVENTS_SETS; s++)
			if (tasks->task[t].set[s])
				perfctr_set_check(tasks->task[t].set[s]);
}

bool tasks_processes(const struct tasks *tasks, struct perfctr_processes *processes)
{
	const struct perfctr_set *set = NULL;
	unsigned int s;

	for (s = 0; tasks->n && !set && s < EVENTS_SETS; s++)
		set = tasks->task->set[s];
	return set && perfctr_set_processes(set, processes) == 0;
}

int tasks_enable(const struct tasks *tasks)
{
	unsigned int s;
	size_t t;

	for (t = 0; t < tasks->n; t++)
		for (s = 0; s < EVENTS_SETS; s++)
			if (tasks->task[t].set[s] && perfctr_set_enable(tasks->task[t].set[s]) < 0)
				return -1;
	for (s = 0; s < EVENTS_SETS; s++)
		if (tasks->process.set[s] && perfctr_set_enable(tasks->process.set[s]) < 0)
			return -1;
	return 0;
}

static void close_task(struct task *task)
{
	unsigned int s;

	for (s = 0; s < EVENTS_SETS; s++)
		perfctr_set_close(task->set[s]);
	free(task->reading);
	free(task->reader);
}

void tasks_close(struct tasks *tasks)
{
	size_t t;

	for (t = 0; t < tasks->n; t++)
		close_task(&tasks->task[t]);
	close_task(&tasks->process);
	free(tasks->task);
	*tasks = (struct tasks){ .n = 0 };
}
