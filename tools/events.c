// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "die.h"
#include "events.h"

static struct spec *add_spec(struct events *events, char *text)
{
	struct spec *spec;

	events->spec = need(reallocarray(events->spec, events->nspecs + 1, sizeof(*spec)));
	spec = &events->spec[events->nspecs++];
	*spec = (struct spec){ .text = text, .first = events->n };
	return spec;
}

/* The last spec's next event. */
static void add_event(struct events *events, const char *name, size_t length)
{
	events->event = need(reallocarray(events->event, events->n + 1, sizeof(*events->event)));
	events->event[events->n++] = (struct event){ .name = need(strndup(name, length)) };
	events->spec[events->nspecs - 1].n++;
}

/* ---- numbers ---- */

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

static void add_control_spec(struct events *events)
{
#if defined(PERFCTR_ABI_X86_H)
	/* History printed the TSC first. */
	add_spec(events, need(strdup("msr/tsc/")));
	add_event(events, "tsc", 3);
#endif
	add_spec(events, NULL);
}

/* The second event select, if the processor has one, and its part of the event's name. */
static void add_high(struct events *events, const char **text, const char *whole, char *name)
{
#if defined(PERFCTR_ABI_POWERPC_H)
	(void)events, (void)text, (void)name;
	die("\"%s\": there is no second event select on this processor", whole);
#else
	uint32_t *high = &events->control.evntsel_high[events->control.nractrs];

	++*text;
	*high = parse_number(events, text, "@", whole);
	sprintf(name, "/0x%08X", *high);
#endif
}

/* evntsel[/evntsel2][@pmc]: one more counter of the control. */
static void add_number(struct events *events, const char *text)
{
	struct perfctr_cpu_control *control = &events->control;
	unsigned int i = control->nractrs;
	const char *p = text;
	char name[64];
	int used;

	if (i == PERFCTR_NR_CTRS)
		die("too many events: a control has at most %d counters", PERFCTR_NR_CTRS);
	if (i && events->spec[events->nspecs - 1].text)
		die("events given as numbers form one control: give them one after the other");
	control->evntsel[i] = parse_number(events, &p, "/@", text);
	used = sprintf(name, "event 0x%08X", control->evntsel[i]);
	if (*p == '/')
		add_high(events, &p, text, name + used);
	control->pmc_map[i] = i;
	if (*p == '@') {
		p++;
		control->pmc_map[i] = parse_number(events, &p, "", text);
	}
	if (control->nractrs++ == 0)
		add_control_spec(events);
	add_event(events, name, strlen(name));
}

/* ---- names ---- */

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
static void add_names(struct events *events, const char *item)
{
	size_t length = strlen(item);
	bool group = *item == '{';
	char *names = need(strndup(item + group, length - (group ? 2 : 0)));
	const char *next, *end;

	add_spec(events, need(strdup(item)));
	for (next = names;; next = end + 1) {
		end = item_end(next);
		add_event(events, next, (size_t)(end - next));
		if (*end == '\0')
			break;
	}
	free(names);
}

static void add_item(struct events *events, const char *item, const char *list)
{
	size_t length = strlen(item);

	if (length == 0)
		die("-e \"%s\": an event is missing; see \"perfex -l\" for names", list);
	if (*item == '{' && (length < 3 || item[length - 1] != '}'))
		die("-e \"%s\": a group is written {event,event}; modifiers stand behind its events",
		    list);
	if (isdigit((unsigned char)*item))
		add_number(events, item);
	else
		add_names(events, item);
}

void events_add(struct events *events, const char *list)
{
	const char *item, *end;
	char *text;

	for (item = list;; item = end + 1) {
		end = item_end(item);
		text = need(strndup(item, (size_t)(end - item)));
		add_item(events, text, list);
		free(text);
		if (*end == '\0')
			break;
	}
}

/* A right name that this machine does not have is shown as not counted. */
static void check_names(const struct events *events, const struct spec *spec)
{
	unsigned int k;

	if (!spec->text || !strcmp(spec->text, "msr/tsc/"))
		return;
	for (k = 0; k < spec->n; k++)
		if (perfctr_event_check(events->event[spec->first + k].name) < 0 && errno == EINVAL)
			die("%s", perfctr_error());
}

void events_finish(struct events *events)
{
	unsigned int i;

	if (events->n == 0)
		events_add(events, "task-clock,context-switches,cpu-migrations,page-faults,cycles,"
				   "instructions,branches,branch-misses");
	for (i = 0; i < events->nspecs; i++)
		check_names(events, &events->spec[i]);
}

/* ---- reasons ---- */

void events_refuse(struct events *events, const struct spec *spec, const char *reason)
{
	unsigned int i = spec ? spec->first : 0, end = spec ? i + spec->n : events->n;

	for (; i < end; i++)
		if (!events->event[i].reason)
			events->event[i].reason = need(strdup(reason));
}

void events_forget(struct events *events)
{
	unsigned int i;

	for (i = 0; i < events->n; i++) {
		free(events->event[i].reason);
		events->event[i].reason = NULL;
	}
}

void events_free(struct events *events)
{
	unsigned int i;

	events_forget(events);
	for (i = 0; i < events->nspecs; i++)
		free(events->spec[i].text);
	for (i = 0; i < events->n; i++)
		free(events->event[i].name);
	free(events->spec);
	free(events->event);
}
