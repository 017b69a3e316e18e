// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "die.h"
#include "events.h"

/* ---- what -e says ---- */

static struct spec *add_spec(struct events *events, char *text)
{
	struct spec *spec;

	events->spec = need(reallocarray(events->spec, events->nspecs + 1, sizeof(*spec)));
	spec = &events->spec[events->nspecs++];
	*spec = (struct spec){ .text = text, .first = events->n };
	return spec;
}

static void add_event(struct events *events, const char *name, size_t length)
{
	events->event = need(reallocarray(events->event, events->n + 1, sizeof(*events->event)));
	events->event[events->n++] = (struct event){ .name = need(strndup(name, length)) };
}

static struct spec *control_spec(const struct events *events)
{
	unsigned int i;

	for (i = 0; i < events->nspecs; i++)
		if (!events->spec[i].text)
			return &events->spec[i];
	return NULL;
}

/* A number of the control, up to one of the characters in ends. */
static uint32_t parse_number(const struct events *events, const char **text, const char *ends,
			     const char *whole)
{
	int base = events->base16 ? 16 : 0;
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(*text, &end, base);
	if (end == *text || errno || value > UINT32_MAX || !strchr(ends, *end))
		die("\"%s\" is no event specifier: it is evntsel[/evntsel2][@pmc], three 32-bit numbers",
		    whole);
	/* 10 means 16 here, as it always did; but 0x10 says so. */
	if (events->base16 && !events->base16_silently && value != strtoul(*text, NULL, 0))
		fprintf(stderr,
			"perfex: warning: \"%s\" is taken as hexadecimal; write 0x, or use -d for "
			"decimal numbers or -x to silence this\n",
			whole);
	*text = end;
	return (uint32_t)value;
}

uint32_t events_number(const struct events *events, const char *text)
{
	const char *p = text;

	return parse_number(events, &p, "", text);
}

/* evntsel[/evntsel2][@pmc]: one more counter of the control. */
static void add_number(struct events *events, const char *text)
{
	struct perfctr_cpu_control *control = &events->control;
	unsigned int i = control->nractrs;
	struct spec *spec = control_spec(events);
	const char *p = text;
	char name[64];

	if (i == PERFCTR_NR_CTRS)
		die("too many events: a control has at most %d counters", PERFCTR_NR_CTRS);
	if (spec && spec->first + spec->n != events->n)
		die("events given as numbers form one control: give them one after the other");
	control->evntsel[i] = parse_number(events, &p, "/@", text);
	snprintf(name, sizeof(name), "event 0x%08X", control->evntsel[i]);
	if (*p == '/') {
		p++;
#if defined(PERFCTR_ABI_POWERPC_H)
		die("\"%s\": there is no second event select on this processor", text);
#else
		control->evntsel_high[i] = parse_number(events, &p, "@", text);
		snprintf(name, sizeof(name), "event 0x%08X/0x%08X", control->evntsel[i],
			 control->evntsel_high[i]);
#endif
	}
	control->pmc_map[i] = i;
	if (*p == '@') {
		p++;
		control->pmc_map[i] = parse_number(events, &p, "", text);
	}
	if (!spec) {
#if defined(PERFCTR_ABI_X86_H)
		/* History printed the TSC first. */
		add_spec(events, need(strdup("msr/tsc/")))->n = 1;
		add_event(events, "tsc", 3);
#endif
		spec = add_spec(events, NULL);
	}
	control->nractrs++;
	spec->n++;
	add_event(events, name, strlen(name));
}

/* The end of the first item of a list: a comma outside slashes and braces, or the end. */
static const char *item_end(const char *item)
{
	bool slash = false, brace = false;

	if (isdigit((unsigned char)*item)) /* a number's slash has no partner */
		return item + strcspn(item, ",");
	for (; *item && (slash || brace || *item != ','); item++) {
		slash ^= *item == '/';
		brace = *item == '{' || (brace && *item != '}');
	}
	return item;
}

/* An item, with the names in it: those between braces, or itself. */
static void add_names(struct events *events, const char *item, size_t length, const char *name)
{
	struct spec *spec = add_spec(events, need(strndup(item, length)));
	const char *last = item + length - (name - item), *end;
	char *names = need(strndup(name, (size_t)(last - name))), *next = names;

	for (;; next = names + (end - names) + 1) {
		end = item_end(next);
		add_event(events, next, (size_t)(end - next));
		spec->n++;
		if (*end == '\0')
			break;
	}
	free(names);
}

void events_add(struct events *events, const char *list)
{
	const char *item, *end;

	for (item = list;; item = end + 1) {
		size_t length;
		char *text;

		end = item_end(item);
		length = (size_t)(end - item);
		if (length == 0)
			die("-e \"%s\": an event is missing; see \"perfex -l\" for names", list);
		if (isdigit((unsigned char)*item)) {
			text = need(strndup(item, length));
			add_number(events, text);
			free(text);
		} else if (*item == '{') {
			if (length < 3 || item[length - 1] != '}')
				die("-e \"%s\": a group is written {event,event}; modifiers stand "
				    "behind its events",
				    list);
			add_names(events, item, length, item + 1);
		} else {
			add_names(events, item, length, item);
		}
		if (*end == '\0')
			break;
	}
}

void events_finish(struct events *events)
{
	unsigned int i, k;

	if (events->n == 0)
		events_add(events, "task-clock,context-switches,cpu-migrations,page-faults,cycles,"
				   "instructions,branches,branch-misses");
	for (i = 0; i < events->nspecs; i++) {
		if (!events->spec[i].text || !strcmp(events->spec[i].text, "msr/tsc/"))
			continue;
		for (k = 0; k < events->spec[i].n; k++) {
			const char *name = events->event[events->spec[i].first + k].name;

			/* A right name that this machine does not have is shown as not counted. */
			if (perfctr_event_check(name) < 0 && errno == EINVAL)
				die("%s", perfctr_error());
		}
	}
}

/* ---- opening and reading ---- */

/* Why an event can't be counted, without its name in front, which the table shows anyway. */
static char *reason(void)
{
	static const char words[] = " can't be counted: ";
	const char *error = perfctr_error(), *found = strstr(error, words);

	return need(strdup(found ? found + strlen(words) : error));
}

/* Why the events of a spec have no counts; the first reason is kept. */
static void refuse_spec(struct events *events, const struct spec *spec)
{
	unsigned int k;

	for (k = 0; k < spec->n; k++)
		if (!events->event[spec->first + k].reason)
			events->event[spec->first + k].reason = reason();
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

static struct perfctr_set *open_spec(struct events *events, const struct spec *spec,
				     const struct perfctr_target *target, unsigned int flags)
{
	struct perfctr_set *set;
	struct event *event = &events->event[spec->first];
	char *user;

	if (!spec->text)
		return perfctr_set_open_control(&events->control, target, flags);
	set = perfctr_set_open(spec->text, target, flags);
	if (set || errno != EACCES || spec->n > 1 || strpbrk(spec->text, ":/") ||
	    is_kernels(spec->text))
		return set;
	/* Perhaps only kernel mode is forbidden: then count user mode, and say so. */
	user = need(malloc(strlen(spec->text) + 3));
	strcpy(user, spec->text);
	strcat(user, ":u");
	set = perfctr_set_open(user, target, flags);
	if (set) {
		free(event->name);
		event->name = need(strdup(user));
	}
	free(user);
	return set;
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
		set[i] = open_spec(events, &events->spec[i], target, flags);
		if (!set[i])
			refuse_spec(events, &events->spec[i]);
	}
	return set;
}

void events_open(struct events *events, struct tasks *tasks, const struct perfctr_target *target,
		 unsigned int flags)
{
	struct task *task = add_task(events, tasks, target->id);

	task->set = open_specs(events, target, flags);
}

struct task *events_task(const struct tasks *tasks, pid_t tid)
{
	size_t t;

	for (t = tasks->n; t--;)
		if (tasks->task[t].tid == tid && !tasks->task[t].ended)
			return &tasks->task[t];
	return NULL;
}

void events_open_threads(struct events *events, struct tasks *tasks, pid_t pid, unsigned int flags)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS, .id = pid };
	struct perfctr_part part;
	unsigned int i, p;

	tasks->process.tid = pid;
	tasks->process.set = open_specs(events, &target, flags);
	for (i = 0; i < events->nspecs; i++) {
		const struct perfctr_set *set = tasks->process.set[i];

		for (p = 0; set && p < perfctr_set_parts(set); p++)
			if (perfctr_set_part(set, p, &part) == 0 && !events_task(tasks, part.tid))
				add_task(events, tasks, part.tid);
	}
}

static bool any_set(const struct events *events, const struct task *task)
{
	unsigned int i;

	for (i = 0; task->set && i < events->nspecs; i++)
		if (task->set[i])
			return true;
	return false;
}

bool events_any(const struct events *events, const struct tasks *tasks)
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
			refuse_spec(events, &events->spec[i]);
}

/* What the threads of a process counted, each with what it has created. */
static void read_threads(struct events *events, struct tasks *tasks)
{
	struct perfctr_reading *one = need(calloc(events->n + 1, sizeof(*one)));
	struct perfctr_part part;
	struct task *task;
	unsigned int i, k, p;
	size_t t;

	for (t = 0; t < tasks->n; t++)
		memset(tasks->task[t].reading, 0, events->n * sizeof(*one));
	for (i = 0; i < events->nspecs; i++) {
		struct perfctr_set *set = tasks->process.set[i];

		for (p = set ? perfctr_set_parts(set) : 0; p-- > 0;) {
			if (perfctr_set_read_part(set, p, one) < 0)
				refuse_spec(events, &events->spec[i]);
			perfctr_set_part(set, p, &part);
			task = events_task(tasks, part.tid);
			for (k = 0; k < events->spec[i].n; k++)
				(*part.pmu ? add_kind
					   : add_reading)(&task->reading[events->spec[i].first + k],
							  &one[k]);
		}
	}
	free(one);
}

void events_read(struct events *events, struct tasks *tasks)
{
	struct perfctr_reading *whole = need(calloc(events->n + 1, sizeof(*whole)));
	unsigned int i;
	size_t t;

	for (i = 0; i < events->n; i++)
		memset(&events->event[i].reading, 0, sizeof(events->event[i].reading));
	if (tasks->process.set) {
		read_sets(events, &tasks->process, whole);
		for (i = 0; i < events->n; i++)
			events->event[i].reading = whole[i];
		read_threads(events, tasks);
	}
	for (t = 0; t < tasks->n && !tasks->process.set; t++) {
		read_sets(events, &tasks->task[t], tasks->task[t].reading);
		for (i = 0; i < events->n; i++)
			add_reading(&events->event[i].reading, &tasks->task[t].reading[i]);
	}
	free(whole);
	for (i = 0; i < events->n; i++) {
		struct event *event = &events->event[i];

		/* It was enabled and never ran: nobody refused it, but there is no count either. */
		if (!event->reason && event->reading.enabled && !event->reading.running) {
			event->reading.quality = PERFCTR_NOT_COUNTED;
			event->reason =
				need(strdup("it found no room on the PMU: count fewer events at a "
					    "time, or stop other users"));
		}
	}
}

static void close_task(const struct events *events, struct task *task)
{
	unsigned int i;

	for (i = 0; task->set && i < events->nspecs; i++)
		perfctr_set_close(task->set[i]);
	free(task->set);
	free(task->reading);
}

void events_close(struct events *events, struct tasks *tasks)
{
	unsigned int i;
	size_t t;

	for (t = 0; t < tasks->n; t++)
		close_task(events, &tasks->task[t]);
	close_task(events, &tasks->process);
	free(tasks->task);
	*tasks = (struct tasks){ .n = 0 };
	if (events->counters >= 0)
		close(events->counters);
	events->counters = -1;
	for (i = 0; i < events->n; i++) {
		free(events->event[i].reason);
		events->event[i].reason = NULL;
	}
}

void events_free(struct events *events)
{
	unsigned int i;

	for (i = 0; i < events->nspecs; i++)
		free(events->spec[i].text);
	for (i = 0; i < events->n; i++)
		free(events->event[i].name);
	free(events->spec);
	free(events->event);
}
