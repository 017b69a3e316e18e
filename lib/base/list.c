// SPDX-License-Identifier: LGPL-2.1-or-later
/* Splits lists of events' names, whatever the names mean. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/letters.h"
#include "lib/base/list.h"
#include "lib/base/nearest.h"
#include "libperfctr.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The length of an event without the blanks around it; *event moves after those in front. */
static size_t trim(const char **event, size_t length)
{
	for (; length && is_blank(**event); length--)
		++*event;
	while (length && is_blank((*event)[length - 1]))
		length--;
	return length;
}

/* The end of an event with slashes, and whether it is between two. */
static const char *skip_slashes(const char *p, bool *inside)
{
	for (; *p && (*inside || *p != ','); p++)
		*inside ^= *p == '/';
	return p;
}

int perfctr_event_check_address(const char *event, size_t length)
{
	if (length <= 4 || perfctr_letters_compare(event, "mem:", 4) != 0)
		return 0;
	return perfctr_fail(EINVAL,
			    "\"%.*s\" is a breakpoint of perf's at an address; here accesses are "
			    "not counted by their address: leave it to perf",
			    perfctr_shown(length), event);
}

/* A breakpoint has one slash. */
static int fail_slash(const char *event)
{
	const char *name = event + strspn(event, "{ \t");

	if (perfctr_event_check_address(name, strcspn(name, ",}")) < 0)
		return -1;
	return perfctr_fail(EINVAL, "\"%.100s\" has no closing /", event);
}

ssize_t perfctr_event_next(const char **list, const char **event)
{
	const char *p = *list;
	bool inside = false;
	size_t length;

	if (*p == '\0')
		return 0;
	p = strchrnul(p, ',');
	/* Slashes are rare, and commas between them rarer. */
	if (memchr(*list, '/', (size_t)(p - *list)))
		p = skip_slashes(*list, &inside);
	length = (size_t)(p - *list);
	if (inside)
		return fail_slash(*list);
	*event = *list;
	length = trim(event, length);
	if (length == 0 || (*p == ',' && p[1] == '\0'))
		return perfctr_fail(EINVAL, "the list has an empty place between its "
					    "commas");
	*list = *p ? p + 1 : p;
	return (ssize_t)length;
}

static int fail_braces(const char *event, size_t length)
{
	return perfctr_fail(EINVAL,
			    "at \"%.*s\": a group is written {event,event}, also with modifiers "
			    "of all, {event,event}:u, and not inside another",
			    perfctr_shown(length), event);
}

int perfctr_event_braces(const char **event, size_t *length, bool *inside)
{
	const char *word = *event;
	bool begins = *word == '{', ends = word[*length - 1] == '}';
	bool wrong = begins ? *inside : ends && !*inside;
	size_t n = *length - begins;

	word += begins;
	n = trim(&word, n - ends);
	if (wrong || memchr(word, '{', n) || memchr(word, '}', n))
		return fail_braces(*event, *length);
	if (n == 0)
		return perfctr_fail(EINVAL, "the list has an empty place between "
					    "its braces");
	*event = word;
	*length = n;
	*inside = (*inside || begins) && !ends;
	return 0;
}

int perfctr_event_not_closed(const char *event)
{
	return fail_braces(event, strcspn(event, ","));
}
