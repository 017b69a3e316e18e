// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/letters.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/count/events.h"
#include "tools/perfex/count/lists.h"

/* ---- the options' arguments ---- */

static char *append(char *list, const char *more, size_t length)
{
	size_t used = list ? strlen(list) : 0;

	list = need(realloc(list, used + length + 2));
	sprintf(list + used, "%s%.*s", used ? "," : "", (int)length, more);
	return list;
}

/* Whether the item is evntsel[/evntsel2][@pmc]; TYPE:CONFIG is a name, and so is 64bit_MMX_uop. */
static bool is_number(const char *item)
{
	return isdigit((unsigned char)*item) &&
	       strchr("/@, \t", item[strspn(item, "0123456789abcdefxABCDEFX")]);
}

/* The length of the numbers that a list begins with, the comma after them included. */
static size_t numbers_of(const char *list)
{
	const char *p = list;

	for (;;) {
		const char *number = p + strspn(p, " \t");

		if (!is_number(number))
			return (size_t)(p - list);
		p = number + strcspn(number, ",");
		p += *p == ',';
	}
}

void events_add(struct events *events, const char *list)
{
	char *read = *list == '@' ? lists_read(list + 1) : NULL;
	size_t n = numbers_of(read ? read : list);

	list = read ? read : list;
	if (n)
		events->numbers = append(events->numbers, list, n - (list[n - 1] == ','));
	if (!n || list[n - 1] == ',')
		events->names = append(events->names, list + n, strlen(list + n));
	free(read);
}

void events_add_metrics(struct events *events, const char *list)
{
	events->metric_names = append(events->metric_names, list, strlen(list));
}

/* Whether it is one of PAPI's presets that is no event here, but a metric. */
static bool is_formula(const char *item, size_t length)
{
	struct perfctr_metrics *metrics;
	char *name;
	bool result = false;

	if (length < 5 || perfctr_letters_compare(item, "PAPI_", 5) != 0)
		return false;
	name = need(strndup(item, length));
	if (perfctr_event_check(name) < 0) {
		metrics = perfctr_metrics_open(name, NULL);
		result = metrics != NULL;
		perfctr_metrics_close(metrics);
	}
	free(name);
	return result;
}

/* Presets that are formulas become metrics. */
static void move_formulas(struct events *events)
{
	char *names = events->names;
	const char *item;
	size_t n;

	events->names = NULL;
	/* There is an item after a comma at the end, too: an empty one, which is refused. */
	for (item = names; item; item = item[n] ? item + n + 1 : NULL) {
		item += strspn(item, " \t");
		n = text_item(item);
		if (is_formula(item, n))
			events->metric_names = append(events->metric_names, item, n);
		else
			events->names = append(events->names, item, n);
	}
	free(names);
}

unsigned int events_open_metrics(struct events *events)
{
	const char *list;
	unsigned int n;

	events->metrics = perfctr_metrics_open(events->metric_names, NULL);
	if (!events->metrics)
		die("%s", perfctr_error());
	list = perfctr_metrics_events(events->metrics, &n);
	events->names = append(events->names, list, strlen(list));
	return n;
}

/* ---- clocks ---- */

static bool is_clock(const char *name)
{
	struct perfctr_list *list = perfctr_list_resolve(name, 0);
	struct perfctr_list_event event = { .flags = 0 };
	bool is = list && perfctr_list_size(list) == 1 &&
		  perfctr_list_event(list, 0, &event) == 0 && event.flags & PERFCTR_EVENT_TIME;

	perfctr_list_free(list);
	return is;
}

/* Returns the length of "task-clock" in "task-clock:u"; for another name its whole length. */
static size_t without_modes(char *name)
{
	size_t whole = strlen(name), n = whole;

	while (n && strchr("ukh", name[n - 1]))
		n--;
	if (!n || n == whole || (name[n - 1] != ':' && name[n - 1] != '/'))
		return whole;
	n -= name[n - 1] == ':';
	name[n] = '\0';
	return is_clock(name) ? n : whole;
}

void events_free_clocks(struct events *events)
{
	char *names = NULL, *name;
	const char *text = events->names;
	size_t size, length, kept;
	FILE *file;

	if (!text)
		return;
	file = need(open_memstream(&names, &size));
	for (; *text; text += length) {
		length = perfctr_letters_until(text, ",{} \t");
		if (!length) {
			fputc(*text, file);
			length = 1;
			continue;
		}
		name = need(strndup(text, length));
		kept = without_modes(name);
		fwrite(text, 1, kept, file);
		if (kept < length)
			say("%.*s counts in all modes, as %s: the kernel knows no modes of a clock",
			    (int)length, text, name);
		free(name);
	}
	fclose(file);
	free(events->names);
	events->names = names;
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
		say("warning: \"%s\" is taken as hexadecimal; write 0x, or use -d for "
		    "decimal numbers or -x to silence this",
		    whole);
	*text = end;
	return (uint32_t)value;
}

uint32_t events_number(const struct events *events, const char *text)
{
	const char *p = text;

	return parse_number(events, &p, "", text);
}

/* The second event select, if the processor has one. */
static void add_high(struct events *events, const char **text, const char *whole)
{
#if defined(PERFCTR_ABI_POWERPC_H)
	(void)events, (void)text;
	die("\"%s\": there is no second event select on this processor", whole);
#else
	++*text;
	events->control.evntsel_high[events->control.nractrs] = parse_number(events, text, "@",
									     whole);
#endif
}

/* Adds evntsel[/evntsel2][@pmc], one more counter of the control. */
static void add_number(struct events *events, const char *text)
{
	struct perfctr_cpu_control *control = &events->control;
	unsigned int i = control->nractrs;
	const char *p = text;

	if (i == PERFCTR_NR_CTRS)
		die("too many events: a control has at most %d counters", PERFCTR_NR_CTRS);
	control->evntsel[i] = parse_number(events, &p, "/@", text);
	if (*p == '/')
		add_high(events, &p, text);
	control->pmc_map[i] = i;
	if (*p == '@') {
		p++;
		control->pmc_map[i] = parse_number(events, &p, "", text);
	}
	control->nractrs++;
}

static void add_numbers(struct events *events)
{
	char *number = strtok(events->numbers, ",");

	for (; number; number = strtok(NULL, ","))
		add_number(events, number);
#if defined(PERFCTR_ABI_X86_H)
	/* The TSC comes first, as in perfctr 2.6. */
	char *names = events->names;

	events->names = need(strdup("msr/tsc/"));
	if (names)
		events->names = append(events->names, names, strlen(names));
	free(names);
	events->tsc = true;
#endif
}

static char *name_number(const struct perfctr_cpu_control *control, unsigned int i)
{
	char name[64];
	int used = snprintf(name, sizeof(name), "event 0x%08X", control->evntsel[i]);

#if !defined(PERFCTR_ABI_POWERPC_H)
	if (control->evntsel_high[i])
		snprintf(name + used, sizeof(name) - (size_t)used, "/0x%08X",
			 control->evntsel_high[i]);
#endif
	(void)used;
	return need(strdup(name));
}

/* ---- all events ---- */

static char *name_event(const struct events *events, unsigned int i)
{
	if (i == 0 && events->tsc)
		return need(strdup("tsc"));
	if (i < events->first[EVENTS_NUMBERS])
		return need(strdup(events->event[i].is.name));
	return name_number(&events->control, i - events->first[EVENTS_NUMBERS]);
}

/* Keeps the text of an event with name=, at the beginning of the list, with its group's modifiers.
 */
static void keep_text(struct event *event, const char *list)
{
	const char *text = list + strspn(list, " \t{"),
		   *end = text + perfctr_letters_until(text, ",}"),
		   *group = end + perfctr_letters_until(end, "{}");
	int length = (int)(end - text);

	if (!memmem(text, (size_t)length, "name=", 5))
		return;
	while (strchr(" \t", text[length - 1]))
		length--;
	group += *group == '}' ? 1 : strlen(group);
	if (asprintf(&event->asked, "%.*s%.*s", length, text, (int)strcspn(group, ","), group) < 0)
		need(NULL);
}

/* Keeps the texts of events that name= names; the library has read the list. */
static void keep_texts(struct events *events)
{
	const char *list = events->names;
	unsigned int i;

	for (i = 0; i < events->first[EVENTS_NUMBERS]; i++) {
		keep_text(&events->event[i], list);
		list += perfctr_letters_until(list, ",");
		list += *list == ',';
	}
}

static void make_events(struct events *events)
{
	unsigned int i, names = perfctr_list_size(events->list);

	events->first[EVENTS_NUMBERS] = names;
	events->n = events->first[EVENTS_SETS] = names + events->control.nractrs;
	events->event = need(calloc(events->n, sizeof(*events->event)));
	for (i = 0; i < events->n; i++) {
		events->event[i].is = (struct perfctr_list_event){ .unit = "", .scale = 1 };
		if (i < names)
			perfctr_list_event(events->list, i, &events->event[i].is);
		events->event[i].name = name_event(events, i);
	}
	if (events->names)
		keep_texts(events);
}

/* Tells once what of perf's means nothing where events are counted. */
static void tell_unused(const struct events *events)
{
	unsigned int i, n = perfctr_list_size(events->list), flags = 0;
	struct perfctr_list_event event;

	for (i = 0; i < n; i++)
		if (perfctr_list_event(events->list, i, &event) == 0)
			flags |= event.flags;
	if (flags & PERFCTR_EVENT_SAMPLES)
		say("events are counted, for which period=, freq= and the modifier S mean nothing: they "
		    "are for --sample");
	if (flags & PERFCTR_EVENT_PERCORE)
		say("percore means nothing here: --per=core shows each core's sums");
}

void events_finish(struct events *events)
{
	unsigned int n = 0;

	if (!events->names && !events->numbers && !events->metric_names)
		events_add(events, "task-clock,context-switches,cpu-migrations,page-faults,cycles,"
				   "instructions,branches,branch-misses");
	if (events->numbers)
		add_numbers(events);
	if (events->names && text_find(events->names, "PAPI_"))
		move_formulas(events);
	if (events->metric_names)
		n = events_open_metrics(events);
	if (events->names) {
		/* A right name that this machine does not have is shown as not counted. */
		events->list = perfctr_list_resolve(events->names, PERFCTR_PARTIAL);
		if (!events->list)
			die("%s", perfctr_error());
		tell_unused(events);
	}
	make_events(events);
	events->metrics_first = events->first[EVENTS_NUMBERS] - n;
	while (n--)
		events->event[events->metrics_first + n].quiet = events->quiet;
}

void events_to_user(struct events *events, unsigned int i, const char *name)
{
	struct event *event = &events->event[i];
	char *copy = need(strdup(name));

	event->user = true;
	free(event->name);
	event->name = copy;
}

void events_refuse(struct events *events, unsigned int first, unsigned int end, const char *reason)
{
	for (; first < end; first++)
		if (!events->event[first].reason)
			events->event[first].reason = need(strdup(reason));
}

void events_forget(struct events *events)
{
	unsigned int i;

	for (i = 0; i < events->n; i++) {
		free(events->event[i].reason);
		events->event[i].reason = NULL;
	}
}

static void free_event(struct event *event)
{
	free(event->name);
	free(event->asked);
}

void events_free(struct events *events)
{
	unsigned int i;

	events_forget(events);
	for (i = 0; i < events->n; i++)
		free_event(&events->event[i]);
	free(events->event);
	free(events->stale);
	free(events->left);
	perfctr_list_free(events->list);
	perfctr_metrics_close(events->metrics);
	free(events->metric_names);
	free(events->names);
	free(events->numbers);
}
