// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "die.h"
#include "tasks.h"

/* ---- opening ---- */

/* Why an event can't be counted, without its name in front, which the table shows anyway. */
static const char *reason(void)
{
	static const char words[] = " can't be counted: ";
	const char *error = perfctr_error(), *found = strstr(error, words);

	return found ? found + strlen(words) : error;
}

/* What only the kernel does: counted in user mode it would be 0, whatever happens. */
static bool is_kernels(const char *name)
{
	static const char *const names[] = {
		"context-switches", "cs", "cpu-migrations", "migrations", "cgroup-switches",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(name, names[i]))
			return true;
	return false;
}

/* Perhaps only kernel mode is forbidden: then count user mode, and say so. */
static struct perfctr_set *open_in_user_mode(struct event *event, const char *text,
					     const struct perfctr_target *target,
					     unsigned int flags)
{
	char *user = need(malloc(strlen(text) + 3));
	struct perfctr_set *set;

	sprintf(user, "%s:u", text);
	set = perfctr_set_open(user, target, flags);
	if (!set) {
		free(user);
		return NULL;
	}
	free(event->name);
	event->name = user;
	return set;
}

static struct perfctr_set *open_spec(struct events *events, const struct spec *spec,
				     const struct perfctr_target *target, unsigned int flags)
{
	struct perfctr_set *set;

	if (!spec->text)
		return perfctr_set_open_control(&events->control, target, flags);
	set = perfctr_set_open(spec->text, target, flags);
	if (set || errno != EACCES || spec->n > 1 || strpbrk(spec->text, ":/") ||
	    is_kernels(spec->text))
		return set;
	return open_in_user_mode(&events->event[spec->first], spec->text, target, flags);
}

static struct task *add_task(const struct events *events, struct tasks *tasks, pid_t tid)
{
	struct task *task;

	if (tasks->n == tasks->room) {
		tasks->room = tasks->room * 2 + 4;
		tasks->task = need(reallocarray(tasks->task, tasks->room, sizeof(*tasks->task)));
	}
	task = &tasks->task[tasks->n++];
	*task = (struct task){ .tid = tid };
	task->reading = need(calloc(events->n + 1, sizeof(*task->reading)));
	return task;
}

static struct perfctr_set **open_specs(struct events *events, const struct perfctr_target *target,
				       unsigned int flags)
{
	struct perfctr_set **set = need(calloc(events->nspecs + 1, sizeof(struct perfctr_set *)));
	unsigned int i;

	for (i = 0; i < events->nspecs; i++) {
		set[i] = open_spec(events, &events->spec[i], target, flags | PERFCTR_MULTIPLEX);
		if (!set[i])
			events_refuse(events, &events->spec[i], reason());
	}
	return set;
}

void tasks_open(struct tasks *tasks, struct events *events, const struct perfctr_target *target,
		unsigned int flags)
{
	struct task *task = add_task(events, tasks, target->id);

	task->set = open_specs(events, target, flags);
}

void tasks_open_thread(struct tasks *tasks, struct events *events, pid_t tid, unsigned int flags)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD, .id = tid };

	tasks_open(tasks, events, &target, flags);
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
	unsigned int i;

	tasks->process.tid = pid;
	tasks->process.set = open_specs(events, &target, flags);
	for (i = 0; i < events->nspecs; i++)
		if (tasks->process.set[i])
			add_parts(events, tasks, tasks->process.set[i]);
}

static bool any_set(const struct events *events, const struct task *task)
{
	unsigned int i;

	for (i = 0; task->set && i < events->nspecs; i++)
		if (task->set[i])
			return true;
	return false;
}

bool tasks_any(const struct tasks *tasks, const struct events *events)
{
	size_t t;

	for (t = 0; t < tasks->n; t++)
		if (any_set(events, &tasks->task[t]))
			return true;
	return any_set(events, &tasks->process);
}

/* Add one reading to a sum, which is as good as its worst part. */
static void add_reading(struct perfctr_reading *sum, const struct perfctr_reading *one)
{
	sum->value += one->value;
	sum->enabled += one->enabled;
	sum->running += one->running;
	if (one->enabled && one->quality > sum->quality)
		sum->quality = one->quality;
}

/*
 * What a thread counted on one more kind of core; the last one is first. Values and times on the
 * PMU are added; the time enabled is the last kind's, as in perfctr_set_read().
 */
static void add_kind(struct perfctr_reading *sum, const struct perfctr_reading *one)
{
	sum->value += one->value;
	sum->running += one->running;
	if (!sum->enabled)
		sum->enabled = one->enabled;
	if (sum->running > sum->enabled)
		sum->running = sum->enabled;
	sum->quality = sum->running == sum->enabled ? PERFCTR_EXACT
		       : sum->running		    ? PERFCTR_SCALED
						    : PERFCTR_NOT_COUNTED;
}

/* Read a task's sets into reading, which has a place for each event. */
static void read_sets(struct events *events, const struct task *task,
		      struct perfctr_reading *reading)
{
	unsigned int i;

	memset(reading, 0, events->n * sizeof(*reading));
	for (i = 0; i < events->nspecs; i++)
		if (task->set[i] &&
		    perfctr_set_read(task->set[i], &reading[events->spec[i].first]) < 0)
			events_refuse(events, &events->spec[i], reason());
}

/* One part of a process's set: a thread, on one kind of core. */
static void read_part(struct events *events, struct tasks *tasks, unsigned int i, unsigned int p,
		      struct perfctr_reading *one)
{
	const struct perfctr_set *set = tasks->process.set[i];
	const struct spec *spec = &events->spec[i];
	struct perfctr_reading *sum;
	struct perfctr_part part;
	unsigned int k;

	if (perfctr_set_read_part(set, p, one) < 0)
		events_refuse(events, spec, reason());
	perfctr_set_part(set, p, &part);
	sum = tasks_find(tasks, part.tid)->reading + spec->first;
	for (k = 0; k < spec->n; k++)
		(*part.pmu ? add_kind : add_reading)(&sum[k], &one[k]);
}

/* What the threads of a process counted, each with what it has created. */
static void read_threads(struct events *events, struct tasks *tasks)
{
	struct perfctr_reading *one = need(calloc(events->n + 1, sizeof(*one)));
	unsigned int i, p;
	size_t t;

	for (t = 0; t < tasks->n; t++)
		memset(tasks->task[t].reading, 0, events->n * sizeof(*one));
	for (i = 0; i < events->nspecs; i++) {
		p = tasks->process.set[i] ? perfctr_set_parts(tasks->process.set[i]) : 0;
		while (p-- > 0)
			read_part(events, tasks, i, p, one);
	}
	free(one);
}

/* It was enabled and never ran: nobody refused it, but there is no count either. */
static void refuse_starved(struct event *event)
{
	if (event->reason || !event->reading.enabled || event->reading.running)
		return;
	event->reading.quality = PERFCTR_NOT_COUNTED;
	event->reason = need(strdup("it found no room on the PMU: count fewer events at a time, or "
				    "stop other users"));
}

/* The sums of a process are its own sets'; of other tasks they are added up here. */
static void read_sums(struct events *events, struct tasks *tasks, struct perfctr_reading *sums)
{
	unsigned int i;
	size_t t;

	if (tasks->process.set) {
		read_sets(events, &tasks->process, sums);
		read_threads(events, tasks);
		return;
	}
	for (t = 0; t < tasks->n; t++) {
		read_sets(events, &tasks->task[t], tasks->task[t].reading);
		for (i = 0; i < events->n; i++)
			add_reading(&sums[i], &tasks->task[t].reading[i]);
	}
}

void tasks_read(struct tasks *tasks, struct events *events)
{
	struct perfctr_reading *sums = need(calloc(events->n + 1, sizeof(*sums)));
	unsigned int i;

	read_sums(events, tasks, sums);
	for (i = 0; i < events->n; i++) {
		events->event[i].reading = sums[i];
		refuse_starved(&events->event[i]);
	}
	free(sums);
}

static void close_task(const struct events *events, struct task *task)
{
	unsigned int i;

	for (i = 0; task->set && i < events->nspecs; i++)
		perfctr_set_close(task->set[i]);
	free(task->set);
	free(task->reading);
}

void tasks_close(struct tasks *tasks, const struct events *events)
{
	size_t t;

	for (t = 0; t < tasks->n; t++)
		close_task(events, &tasks->task[t]);
	close_task(events, &tasks->process);
	free(tasks->task);
	*tasks = (struct tasks){ .n = 0 };
}
