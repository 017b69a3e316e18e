// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Groups with a name or modifiers of their own. The modifiers that each event of a group may have
 * are written after each; those that are about the group are marks of its events.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/list.h"
#include "lib/base/nearest.h"
#include "lib/names/groups.h"
#include "lib/names/name.h"

/* Modifiers of single events: at most each of these, and p three times. */
static const char each[] = "ukhGHIPp";
#define EACH_MAX (sizeof(each) + 2)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

bool perfctr_groups_are_perfs(const char *events)
{
	bool begins = true;
	const char *p;

	if (!strchr(events, '{'))
		return false;
	for (p = events; *p; p++) {
		if (*p == '{' && !begins)
			return true;
		if (*p == '}' && *skip_blanks(p + 1) == ':')
			return true;
		begins = *p == ',' || (begins && is_blank(*p));
	}
	return false;
}

/* The first such character that is not between slashes; NULL: there is none. */
static const char *find_outside(const char *p, const char *end, char wanted)
{
	bool inside = false;

	for (; p < end; p++) {
		if (!inside && *p == wanted)
			return p;
		inside ^= *p == '/';
	}
	return NULL;
}

/* The list as it is made. */
struct making {
	char *at;
	struct perfctr_group_mark *mark; /* of the next event */
	bool inside;
	struct perfctr_group_mark group;
	char modifiers[EACH_MAX];
};

static void put(struct making *making, const char *text, size_t length)
{
	memcpy(making->at, text, length);
	making->at += length;
}

/* Takes the modifiers after the closing brace, for the group and for each of its events. */
static int take_modifiers(struct making *making, const char *text, size_t length)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	unsigned int asked = 0;
	char *to = making->modifiers;
	size_t i;

	if (perfctr_name_modify(text, length, &attr, &asked) < 0)
		return -1;
	making->group = (struct perfctr_group_mark){
		.asked = asked,
		.pinned = attr.pinned,
		.exclusive = attr.exclusive,
	};
	for (i = 0; i < length; i++)
		if (strchr(each, text[i]) &&
		    (text[i] == 'p' ||
		     !memchr(making->modifiers, text[i], (size_t)(to - making->modifiers))))
			*to++ = text[i];
	*to = '\0';
	return 0;
}

/* Begins a group: takes its name off, and its modifiers, which stand at its end. */
static int begin_group(struct making *making, const char *name, const char *brace)
{
	const char *close = find_outside(brace, brace + strlen(brace), '}'), *end;
	size_t length = (size_t)(brace - name);

	making->group = (struct perfctr_group_mark){ .asked = 0 };
	making->modifiers[0] = '\0';
	making->inside = true;
	while (length && is_blank(name[length - 1]))
		length--;
	if (length && !perfctr_file_is_word(name, length))
		return perfctr_fail(EINVAL,
				    "\"%.*s\" before a brace is not the name of a group: that has "
				    "letters, digits, '_', '-' and '.'",
				    perfctr_shown(length), name);
	put(making, "{", 1);
	if (!close)
		return perfctr_event_not_closed(name);
	close = skip_blanks(close + 1);
	if (*close != ':')
		return 0;
	end = close + strcspn(close, ",");
	while (is_blank(end[-1]))
		end--;
	close = skip_blanks(close + 1);
	return take_modifiers(making, close, (size_t)(end > close ? end - close : 0));
}

/* Whether the letter is in the event's modifiers already, which are after its last colon. */
static bool has_modifier(const char *event, size_t length, char letter)
{
	while (length && strchr(each, event[length - 1])) {
		if (event[length - 1] == letter && letter != 'p')
			return true;
		length--;
	}
	return false;
}

/* Whether modifiers end the event: letters of theirs after a colon or the last slash. */
static bool ends_in_modifiers(const char *event, size_t length)
{
	size_t n = length;

	while (n && strchr(each, event[n - 1]))
		n--;
	return n && (event[n - 1] == '/' || (n < length && event[n - 1] == ':'));
}

static void put_event(struct making *making, const char *event, size_t length)
{
	const char *letter, *modifiers = making->modifiers;
	bool colon = !length || event[length - 1] != '/';
	bool own = ends_in_modifiers(event, length);

	put(making, event, length);
	for (letter = modifiers; length && *letter; letter++) {
		if (own && has_modifier(event, length, *letter))
			continue;
		if (colon)
			put(making, ":", 1);
		colon = false;
		put(making, letter, 1);
	}
	*making->mark++ = making->group;
}

/* One place between commas: an event, with the beginning or the end of its group. */
static int add_place(struct making *making, const char *event, size_t length)
{
	const char *end = event + length, *brace = find_outside(event, end, '{'), *close;

	if (brace && making->inside)
		return perfctr_event_not_closed(event);
	if (brace) {
		if (begin_group(making, event, brace) < 0)
			return -1;
		event = brace + 1;
	}
	close = making->inside ? find_outside(event, end, '}') : NULL;
	if (close && *skip_blanks(close + 1) != ':' && close + 1 != end)
		close = NULL; /* the list finds the mistake */
	end = close ? close : end;
	while (event < end && is_blank(*event))
		event++;
	while (end > event && is_blank(end[-1]))
		end--;
	put_event(making, event, (size_t)(end - event));
	if (!close)
		return 0;
	put(making, "}", 1);
	making->inside = false;
	making->group = (struct perfctr_group_mark){ .asked = 0 };
	making->modifiers[0] = '\0';
	return 0;
}

static size_t count(const char *text, char c)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

int perfctr_groups_expand(const char *events, struct perfctr_groups *groups)
{
	size_t places = count(events, ',') + 1;
	const char *rest = events, *event;
	struct making making = { .inside = false };
	ssize_t length;

	groups->text = malloc(strlen(events) + 1 + places * (EACH_MAX + 2));
	groups->mark = calloc(places, sizeof(*groups->mark));
	if (!groups->text || !groups->mark) {
		perfctr_groups_free(groups);
		return perfctr_fail(ENOMEM, "no memory for a list of events");
	}
	making.at = groups->text;
	making.mark = groups->mark;
	while ((length = perfctr_event_next(&rest, &event)) > 0) {
		if (making.at > groups->text)
			put(&making, ",", 1);
		if (add_place(&making, event, (size_t)length) < 0)
			length = -1;
		if (length < 0)
			break;
	}
	*making.at = '\0';
	if (length == 0)
		return 0;
	perfctr_groups_free(groups);
	return -1;
}

void perfctr_groups_free(struct perfctr_groups *groups)
{
	int error = errno;

	free(groups->text);
	free(groups->mark);
	*groups = (struct perfctr_groups){ NULL, NULL };
	errno = error; /* before glibc 2.33, free(3) may change it */
}
