// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/letters.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/emulated.h"

const char *const emulated_columns[COLUMNS] = {
	"Ir",	"Dr",	"Dw", "I1mr", "D1mr", "D1mw", "ILmr",
	"DLmr", "DLmw", "Bc", "Bcm",  "Bi",   "Bim",  "Repeats",
};

static const struct {
	const char *name;
	int column;
} names[] = {
	{ "instructions", COLUMN_IR },
	{ "conditional-branches", COLUMN_BC },
	{ "conditional-branch-misses", COLUMN_BCM },
	{ "indirect-branches", COLUMN_BI },
	{ "indirect-branch-misses", COLUMN_BIM },
	{ "L1-dcache-loads", COLUMN_DR },
	{ "L1-dcache-load-misses", COLUMN_D1MR },
	{ "L1-dcache-stores", COLUMN_DW },
	{ "L1-dcache-store-misses", COLUMN_D1MW },
	{ "L1-icache-load-misses", COLUMN_I1MR },
	{ "LLC-load-misses", COLUMN_DLMR },
	{ "LLC-store-misses", COLUMN_DLMW },
};

/* Returns the column of a name of this length, with or without ":u"; -1: there is none. */
static int find(const char *name, size_t length)
{
	unsigned int i;

	if (length > 2 && !strncmp(name + length - 2, ":u", 2))
		length -= 2;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (perfctr_letters_same(names[i].name, name, length))
			return names[i].column;
	return -1;
}

int emulated_column(const struct events *events, unsigned int i)
{
	return find(events->event[i].name, strlen(events->event[i].name));
}

/* Returns a name with ":u", since all counts are of user mode. */
static char *full_name(const char *name, size_t length, bool emulated)
{
	char *full = need(malloc(length + 3));
	bool plain = length < 2 || strncmp(name + length - 2, ":u", 2) != 0;

	sprintf(full, "%.*s%s", (int)length, name, emulated && plain ? ":u" : "");
	return full;
}

/* Gives an event that the library knows a reason; a name that is unknown is an error. */
static void refuse(struct events *events, unsigned int i)
{
	struct perfctr_list *list = perfctr_list_resolve(events->event[i].name, PERFCTR_PARTIAL);
	char reason[512];
	size_t k, n;

	if (!list)
		die("%s", perfctr_error());
	perfctr_list_free(list);
	n = (size_t)snprintf(reason, sizeof(reason), "valgrind does not emulate it, but");
	for (k = 0; k < sizeof(names) / sizeof(names[0]) && n < sizeof(reason); k++)
		n += (size_t)snprintf(reason + n, sizeof(reason) - n, "%s %s", k ? "," : "",
				      names[k].name);
	events_refuse(events, i, i + 1, reason);
}

static void add(struct events *events, const char *name, size_t length)
{
	struct event *event;
	bool emulated = find(name, length) >= 0;

	if (!length)
		die("the list of events \"%s\" has an empty place", events->names);
	events->event = need(reallocarray(events->event, events->n + 1, sizeof(*event)));
	event = &events->event[events->n++];
	*event = (struct event){ .name = full_name(name, length, emulated),
				 .is = { .unit = "", .scale = 1 } };
	if (!emulated)
		refuse(events, events->n - 1);
}

/* Braces mean nothing here: all counts are of the whole run. */
static bool is_around(char letter)
{
	return isspace((unsigned char)letter) || letter == '{' || letter == '}';
}

void emulated_finish(struct events *events)
{
	const char *name;
	unsigned int metrics = 0;
	size_t n, end, begin;

	if (events->numbers)
		die("--emulate takes names of events, not \"%s\"", events->numbers);
	if (!events->names && !events->metric_names)
		events_add(events, "instructions,conditional-branches");
	if (events->metric_names)
		metrics = events_open_metrics(events);
	for (name = events->names;; name += n + 1) {
		n = end = perfctr_letters_until(name, ",");
		for (begin = 0; begin < end && is_around(name[begin]); begin++)
			;
		while (end > begin && is_around(name[end - 1]))
			end--;
		add(events, name + begin, end - begin);
		if (!name[n])
			break;
	}
	/* They are not looked up in the library, as numbers are not. */
	events->first[EVENTS_SETS] = events->first[EVENTS_NUMBERS] = events->n;
	events->metrics_first = events->n - metrics;
}
