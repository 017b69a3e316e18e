// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An event's text becomes its number, its attr and its full text:
 *
 *	text = [PMU "::"] EVENT {(":" | ".") (MASK | 0xVALUE | modifier ["=" value])}
 *
 * Events and masks go to libperfctr in its own words; levels, periods and so on are perf_events'.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libperfctr.h>
#include "compat/libpfm4/abi.h"
#include "compat/libpfm4/encode.h"

struct parts {
	const char *prefix; /* NULL: none */
	const char *name, *rest;
	size_t prefix_length, name_length;
};

/* What stands after the event. */
struct masks {
	char text[300]; /* ":MASK:MASK" */
	int n, unlisted;
	bool is_raw;
	uint64_t raw; /* instead of masks */
};

/* False: the text is a list, or perf's own syntax, or too long. */
static bool split(const char *text, struct parts *parts)
{
	const char *colons = strstr(text, "::");

	*parts = (struct parts){ .name = text };
	if (strlen(text) >= 300 || strpbrk(text, ",{}/ "))
		return false;
	if (colons) {
		parts->prefix = text;
		parts->prefix_length = (size_t)(colons - text);
		parts->name = colons + 2;
	}
	parts->name_length = strcspn(parts->name, ":.");
	parts->rest = parts->name + parts->name_length;
	return parts->name_length > 0;
}

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
							 const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

/* ---- libperfctr's answers ---- */

static int resolve(const char *word, struct perf_event_attr *attr)
{
	struct perfctr_list *list = perfctr_list_resolve(word, 0);
	char precise[420];
	int result;

	/* What counts in precise sampling only is for callers to open so. */
	if (!list && errno == EOPNOTSUPP) {
		snprintf(precise, sizeof(precise), "%s:p", word);
		list = perfctr_list_resolve(precise, 0);
	}
	if (!list)
		return -1;
	result = perfctr_list_attr(list, 0, 0, attr, NULL, NULL, 0);
	perfctr_list_free(list);
	return result;
}

int encode_attr(const struct event *event, int mask, struct perf_event_attr *attr)
{
	char word[400] = "";

	append(word, sizeof(word), "%s", event->name);
	if (mask >= 0)
		append(word, sizeof(word), ":%s", event->masks[mask].name);
	return resolve(word, attr);
}

bool encode_is_default(const struct event *event, int mask)
{
	struct perf_event_attr none, one;

	return encode_attr(event, -1, &none) == 0 && encode_attr(event, mask, &one) == 0 &&
	       none.config == one.config && none.config1 == one.config1;
}

/* ---- the event ---- */

/* Which modifiers Intel's event of this name has more than others. */
static unsigned int more_of(const char *name, size_t length)
{
	static const struct {
		char name[20];
		unsigned int of;
	} more[] = {
		{ "MEM_TRANS_RETIRED", OF_LATENCY },
		{ "MEM_INST_RETIRED", OF_LATENCY },
		{ "FRONTEND_RETIRED", OF_FRONTEND },
	};
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (pmus_same_name(more[i].name, name, length))
			return more[i].of;
	return 0;
}

unsigned int encode_of(const struct pmu *pmu, const struct event *event)
{
	if (pmu->of == OF_KERNEL && pmus_same_letters(event->name, "PERF_COUNT_SW_", 14))
		return OF_SOFTWARE;
	return pmu->of | (pmu->of & OF_INTEL ? more_of(event->name, strlen(event->name)) : 0);
}

/* The nth PMU in which to look for a name without one. The architectural events are aliases, too.
 */
static const struct pmu *candidate(int n)
{
	return n == 0	? pmus_native()
	       : n == 1 ? pmus_get(PFM_PMU_PERF_EVENT)
			: pmus_get(PFM_PMU_PERF_EVENT_RAW);
}

/* Finds a listed event. PFM_SUCCESS; PFM_ERR_NOTFOUND: no list has it; or another error. */
static int find_listed(const struct parts *parts, const struct pmu **pmu, int *event)
{
	const struct pmu *named = NULL;
	struct events *events;
	int n;

	if (parts->prefix) {
		named = pmus_named(parts->prefix, parts->prefix_length);
		if (!named || !pmus_is_present(named))
			return PFM_ERR_NOTFOUND;
	}
	for (n = 0; n < (named ? 1 : 3); n++) {
		*pmu = named ? named : candidate(n);
		if (!*pmu)
			continue;
		events = events_of(*pmu);
		if (!events)
			return PFM_ERR_NOMEM;
		*event = events_find(events, parts->name, parts->name_length);
		if (*event >= 0)
			return PFM_SUCCESS;
	}
	return PFM_ERR_NOTFOUND;
}

/* The PMU of an event that libperfctr knows by a name that is not listed. */
static const struct pmu *pmu_of(const struct perf_event_attr *attr, const struct parts *parts)
{
	bool raw = parts->name_length > 1 && (parts->name[0] | 0x20) == 'r' &&
		   strspn(parts->name + 1, "0123456789abcdefABCDEF") == parts->name_length - 1;
	const struct pmu *pmu = pmus_native(), *named;

	if (attr->type <= PERF_TYPE_HW_CACHE)
		pmu = pmus_get(PFM_PMU_PERF_EVENT);
	else if (raw)
		pmu = pmus_get(PFM_PMU_PERF_EVENT_RAW);
	named = parts->prefix ? pmus_named(parts->prefix, parts->prefix_length) : NULL;
	if (named && named->number == PFM_PMU_INTEL_X86_ARCH && pmu == pmus_native())
		return pmus_is_present(named) ? named : NULL;
	/* The processor's PMU may have several names. */
	return !named || named == pmu ||
			       (named->id && pmu && pmu->id && !strcmp(named->id, pmu->id))
		       ? pmu
		       : NULL;
}

/* ---- masks and modifiers ---- */

/* A unit mask as a number, as in 0x1f; false: it is none. */
static bool parse_raw(const char *text, size_t length, struct masks *masks)
{
	char number[24], *end;

	if (masks->is_raw || length < 3 || length >= sizeof(number) || text[0] != '0' ||
	    (text[1] | 0x20) != 'x')
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	masks->raw = strtoull(number, &end, 16);
	masks->is_raw = !*end;
	return masks->is_raw;
}

/* Whether ":MASK:MASK" has this mask. */
static bool has_mask(const char *text, const char *name)
{
	size_t length;

	for (; *text; text += length) {
		length = strcspn(++text, ":");
		if (pmus_same_name(name, text, length))
			return true;
	}
	return false;
}

static void add_mask(struct masks *masks, const struct event *event, int mask, const char *text,
		     size_t length)
{
	char word[300];

	if (mask >= 0)
		snprintf(word, sizeof(word), ":%s", event->masks[mask].name);
	else
		snprintf(word, sizeof(word), ":%.*s", (int)length, text);
	/* A mask may be named twice. */
	if (has_mask(masks->text, word + 1))
		return;
	masks->n++;
	masks->unlisted += mask < 0;
	append(masks->text, sizeof(masks->text), "%s", word);
}

/*
 * The mask or modifier at the text's begin, of this length. 1: it is taken; 0: it may be a mask
 * that is not listed; or an error.
 */
static int take(const char *text, size_t length, const struct event *event, unsigned int of, int os,
		struct masks *masks, struct modifiers *modifiers)
{
	int mask = event ? events_find_mask(event, text, length) : -1;

	if (mask >= 0) {
		add_mask(masks, event, mask, text, length);
		return 1;
	}
	if (parse_raw(text, length, masks))
		return 1;
	return modifiers_take(modifiers, of, os, text, length);
}

/* PFM_SUCCESS, or an error. event: NULL if it is not listed. */
static int parse_rest(const char *rest, const struct event *event, unsigned int of, int os,
		      struct masks *masks, struct modifiers *modifiers)
{
	size_t length, shorter;
	int taken;

	*masks = (struct masks){ .n = 0 };
	for (; *rest; rest += length) {
		length = strcspn(++rest, ":");
		if (length == 0)
			return PFM_ERR_ATTR;
		/* A dot is as good as a colon, but there are names with dots. */
		shorter = strcspn(rest, ".:");
		taken = 0;
		if (shorter && shorter < length &&
		    (!event || events_find_mask(event, rest, length) < 0))
			taken = take(rest, shorter, event, of, os, masks, modifiers);
		if (taken)
			length = shorter;
		else
			taken = take(rest, length, event, of, os, masks, modifiers);
		if (taken < 0)
			return taken;
		if (!taken)
			add_mask(masks, event, -1, rest, length);
	}
	if (masks->is_raw && masks->unlisted)
		return PFM_ERR_ATTR;
	/* AMD's events have a mask of this name that is all others together. */
	return (masks->is_raw && masks->n) ||
			       (of & OF_AMD && masks->n > 1 && has_mask(masks->text, "ALL"))
		       ? PFM_ERR_FEATCOMB
		       : PFM_SUCCESS;
}

/* The word's event select with the unit mask, or register's value, that is a number. */
static int set_raw(const char *word, const struct event *event, const struct masks *masks,
		   const struct modifiers *modifiers, struct perf_event_attr *attr)
{
	const uint64_t *value = modifiers->value;

	if (resolve(word, attr) < 0 &&
	    (!event || !event->nmasks || encode_attr(event, 0, attr) < 0))
		return event ? PFM_ERR_UMASK : PFM_ERR_NOTFOUND;
	if (masks->raw > (attr->config1 ? (1ull << 38) - 1 : 0xFF))
		return PFM_ERR_ATTR;
	if (attr->config1)
		attr->config1 = masks->raw;
	else
		attr->config = (attr->config & 0xF000000FFu) | masks->raw << 8;
	attr->config |= value[MODIFIER_EDGE] << 18 | value[MODIFIER_THREADS] << 21 |
			value[MODIFIER_INVERT] << 23 | value[MODIFIER_THRESHOLD] << 24 |
			value[MODIFIER_INTX] << 32 | value[MODIFIER_INTXCP] << 33;
	return PFM_SUCCESS;
}

/* What a mask has of its own can't be given again; an edge is one of a threshold. */
static int check_modes(const char *word, unsigned int of, const struct modifiers *modifiers)
{
	static const struct {
		uint64_t bits;
		int place;
	} modes[] = {
		{ 0x40000, MODIFIER_EDGE },
		{ 0x200000, MODIFIER_THREADS },
		{ 0x800000, MODIFIER_INVERT },
		{ 0xFF000000, MODIFIER_THRESHOLD },
	};
	struct perf_event_attr attr;
	unsigned int i;

	if (resolve(word, &attr) < 0)
		return PFM_SUCCESS;
	for (i = 0; i < 4; i++)
		if (modifiers->given >> modes[i].place & 1 && attr.config & modes[i].bits &&
		    (attr.config & modes[i].bits) / (modes[i].bits & -modes[i].bits) !=
			    modifiers->value[modes[i].place])
			return PFM_ERR_ATTR_SET;
	return !(of & OF_EDGES) && modifiers->value[MODIFIER_EDGE] &&
			       !modifiers->value[MODIFIER_THRESHOLD] && !(attr.config & 0xFF000000)
		       ? PFM_ERR_ATTR
		       : PFM_SUCCESS;
}

/* The modifiers that libperfctr takes, in its words. */
static void append_modifiers(char *word, size_t size, const struct modifiers *modifiers)
{
	if (modifiers->value[MODIFIER_EDGE])
		append(word, size, ":e");
	if (modifiers->value[MODIFIER_INVERT])
		append(word, size, ":i");
	if (modifiers->value[MODIFIER_THRESHOLD])
		append(word, size, ":c=%d", (int)modifiers->value[MODIFIER_THRESHOLD]);
	if (modifiers->value[MODIFIER_THREADS])
		append(word, size, ":t");
	if (modifiers->value[MODIFIER_INTX])
		append(word, size, ":intx");
	if (modifiers->value[MODIFIER_INTXCP])
		append(word, size, ":intxcp");
}

/*
 * Modifiers that are in the register beside the event select, of masks that have one. PFM_SUCCESS,
 * or an error.
 */
static int set_register(const struct modifiers *modifiers, struct perf_event_attr *attr)
{
	const uint64_t *value = modifiers->value, bubble = 0xFFF00;

	if (value[MODIFIER_LATENCY]) {
		if (!attr->config1)
			return PFM_ERR_ATTR;
		attr->config1 = value[MODIFIER_LATENCY];
	}
	if (value[MODIFIER_FRONTEND]) {
		if ((attr->config1 & bubble) != 0x100)
			return attr->config1 & bubble ? PFM_ERR_ATTR_SET : PFM_ERR_ATTR;
		attr->config1 = (attr->config1 & ~bubble) | value[MODIFIER_FRONTEND] << 8;
	}
	return PFM_SUCCESS;
}

/* What else modifiers mean, and what holds where none was given. */
static void set_defaults(struct modifiers *modifiers, unsigned int levels)
{
	const unsigned int level = 1u << MODIFIER_USER | 1u << MODIFIER_KERNEL |
				   1u << MODIFIER_HYPERVISOR;

	if (!(modifiers->given & level)) {
		modifiers->value[MODIFIER_USER] = (levels & PFM_PLM3) != 0;
		modifiers->value[MODIFIER_KERNEL] = (levels & PFM_PLM0) != 0;
		modifiers->value[MODIFIER_HYPERVISOR] = (levels & PFM_PLMH) != 0;
	}
	if (!(modifiers->given >> MODIFIER_HOST & 1))
		modifiers->value[MODIFIER_HOST] = !modifiers->value[MODIFIER_GUEST];
}

/* ---- the full text ---- */

static void append_defaults(struct encoded *to, const struct event *event)
{
	int i;

	for (i = 0; i < event->nmasks; i++) {
		if (!encode_is_default(event, i))
			continue;
		append(to->text, sizeof(to->text), ":%s", event->masks[i].name);
		/* A cache has one for the operation, and one for the result. */
		if (to->pmu->of != OF_KERNEL)
			return;
	}
}

static void write_text(struct encoded *to, const struct event *event, const struct masks *masks,
		       unsigned int of, int os)
{
	const struct modifier *modifier;
	int i;

	to->text[0] = '\0';
	append(to->text, sizeof(to->text), "%s::%s%s", to->pmu->name, event->name, masks->text);
	if (masks->is_raw)
		append(to->text, sizeof(to->text), ":0x%llx", (unsigned long long)masks->raw);
	else if (!masks->n)
		append_defaults(to, event);
	for (i = 0; (modifier = modifiers_nth(of, os, i)); i++) {
		uint64_t value = to->modifiers.value[modifier->place];

		if (modifier->place == MODIFIER_CPU || modifier->place == MODIFIER_PINNED ||
		    modifier->place == MODIFIER_SAMPLING ||
		    (!value &&
		     (modifier->place == MODIFIER_PERIOD || modifier->place == MODIFIER_FREQUENCY)))
			continue;
		append(to->text, sizeof(to->text), ":%s=%llu", modifier->name,
		       (unsigned long long)value);
	}
}

/* ---- all of it ---- */

static bool was_refused;

const char *encode_reason(void)
{
	return was_refused ? perfctr_error() : "";
}

/* Enters a name, or masks, that libperfctr knows and does not list. PFM_SUCCESS, or an error. */
static int note_unlisted(struct encoded *to, const struct parts *parts, const struct masks *masks)
{
	struct events *events = events_of(to->pmu);
	const char *mask = masks->text;
	struct event *event;
	size_t length;

	if (!events)
		return PFM_ERR_NOMEM;
	if (to->event < 0)
		to->event = events_find(events, parts->name, parts->name_length);
	if (to->event < 0)
		to->event = events_add(events, parts->name, parts->name_length);
	if (to->event < 0)
		return PFM_ERR_NOMEM;
	event = &events->event[to->event];
	for (; *mask; mask += length) {
		length = strcspn(++mask, ":");
		if (events_find_mask(event, mask, length) < 0 &&
		    events_add_mask(event, mask, length) < 0)
			return PFM_ERR_NOMEM;
	}
	return PFM_SUCCESS;
}

/* The kind of libperfctr's refusal. */
static int refused(const struct event *event, const struct masks *masks)
{
	was_refused = true;
	if (errno == ENOMEM)
		return PFM_ERR_NOMEM;
	if (!event)
		return PFM_ERR_NOTFOUND;
	if (!masks->n)
		return event->nmasks ? PFM_ERR_UMASK : PFM_ERR_NOTSUPP;
	return masks->unlisted ? PFM_ERR_ATTR : PFM_ERR_FEATCOMB;
}

/* The word for libperfctr, which knows more names of this machine's PMU than there are here. */
static void write_word(char *word, size_t size, const struct parts *parts,
		       const struct masks *masks)
{
	word[0] = '\0';
	if (parts->prefix && !pmus_named(parts->prefix, parts->prefix_length))
		append(word, size, "%.*s::", (int)parts->prefix_length, parts->prefix);
	append(word, size, "%.*s%s", (int)parts->name_length, parts->name, masks->text);
}

/* What the word selects. PFM_SUCCESS, or an error. */
static int select_event(struct encoded *to, const struct event *event, unsigned int of,
			const struct parts *parts, const struct masks *masks)
{
	char word[400];
	int result;

	write_word(word, sizeof(word), parts, masks);
	if (masks->is_raw)
		return of & OF_X86 ? set_raw(word, event, masks, &to->modifiers, &to->attr)
				   : PFM_ERR_ATTR;
	if (of & OF_INTEL) {
		result = check_modes(word, of, &to->modifiers);
		if (result != PFM_SUCCESS)
			return result;
	}
	append_modifiers(word, sizeof(word), &to->modifiers);
	return resolve(word, &to->attr) < 0 ? refused(event, masks) : PFM_SUCCESS;
}

int encode(const char *text, unsigned int levels, int os, struct encoded *to)
{
	const struct event *event = NULL;
	unsigned int of = OF_KERNEL | (pmus_native() ? pmus_native()->of : OF_OTHER);
	struct parts parts;
	struct masks masks;
	int result;

	*to = (struct encoded){ .event = -1 };
	was_refused = false;
	if (!split(text, &parts))
		return PFM_ERR_NOTFOUND;
	result = find_listed(&parts, &to->pmu, &to->event);
	if (result == PFM_SUCCESS) {
		event = &events_of(to->pmu)->event[to->event];
		of = encode_of(to->pmu, event);
	} else if (result != PFM_ERR_NOTFOUND) {
		return result;
	} else if (of & OF_INTEL) {
		of |= more_of(parts.name, parts.name_length);
	}
	result = parse_rest(parts.rest, event, of, os, &masks, &to->modifiers);
	if (result != PFM_SUCCESS)
		return result;
	result = select_event(to, event, of, &parts, &masks);
	if (result != PFM_SUCCESS)
		return result;
	result = set_register(&to->modifiers, &to->attr);
	if (result != PFM_SUCCESS)
		return result;
	if (!event)
		to->pmu = pmu_of(&to->attr, &parts);
	if (!to->pmu)
		return PFM_ERR_NOTFOUND;
	result = note_unlisted(to, &parts, &masks);
	if (result != PFM_SUCCESS)
		return result;
	set_defaults(&to->modifiers, levels);
	event = &events_of(to->pmu)->event[to->event];
	write_text(to, event, &masks, encode_of(to->pmu, event), os);
	return PFM_SUCCESS;
}

int encode_find(const char *text, const struct pmu **pmu)
{
	struct encoded encoded;
	struct parts parts;
	int event, result;

	was_refused = false;
	if (!split(text, &parts))
		return PFM_ERR_NOTFOUND;
	result = find_listed(&parts, pmu, &event);
	if (result == PFM_SUCCESS)
		return event;
	result = encode(text, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &encoded);
	*pmu = encoded.pmu;
	return result == PFM_SUCCESS ? encoded.event : result;
}
