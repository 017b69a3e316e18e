// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One event: text -> struct perf_event_attr, by this grammar:
 *
 *  *	event = name [":" modifiers] | subsystem ":" tracepoint [":" modifiers]
 *  *	      | name of the processor's table {":" (mask | modifiers)}
 *  *	      | pmu "/" [term {"," term}] "/" [[":"] modifiers]
 *  *	term  = name of the PMU's events/ | field of its format/ ["=" number]
 *
 * "a:b" is an event with modifiers if a is a name by itself, else a tracepoint; if it is neither,
 * and b could be modifiers, a is misspelt.
 *
 * "cores" are this machine's core PMUs, which are looked up at most once.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/nearest.h"
#include "lib/isa/attr.h"
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "lib/names/catalog.h"
#include "lib/names/known.h"
#include "lib/names/name.h"
#include "lib/names/sysfs.h"
#include "lib/names/table.h"
#include "lib/names/tracepoint.h"
#include "lib/names/vendor.h"
#include "libperfctr.h"

/* Functions that ask the kernel are out of line, so that the look-ups before them need no stack. */
#define SLOW __attribute__((noinline, cold))

/*
 * Puts the event that perfctr_known_parse() found on this core PMU (NULL: on the machine's only
 * one). 1, 0, -1 as above.
 */
static int word_on_core(const struct perfctr_pmu *core, struct perf_event_attr *attr)
{
	if (!core)
		return 1;
	if (attr->type != PERF_TYPE_RAW)
		return perfctr_sysfs_generic(core, attr);
	attr->type = core->type;
	return 1;
}

/*
 * An event of a core PMU by a name that needs no PMU; NULL: of the first that has it. 1, 0, -1 as
 * above.
 */
static SLOW int parse_core_event(struct perfctr_cores *cores, const struct perfctr_pmu *core,
				 const char *word, size_t length, struct perf_event_attr *attr)
{
	int i, n = core ? 1 : perfctr_cores_look(cores);

	for (i = 0; i < n; i++) {
		const char *pmu = core ? core->name : cores->pmu[i].name;

		if (perfctr_sysfs_has_event(pmu, word, length))
			return perfctr_sysfs_parse(pmu, word, length, attr) < 0 ? -1 : 1;
	}
	return n < 0 ? -1 : 0;
}

/*
 * An event of which this processor's table said first (0 or -1), but that the table of another
 * core type may have: the same event may have other unit masks there. 1, 0, -1 as above.
 */
static SLOW int parse_other_tables(struct perfctr_cores *cores, int first, const char *word,
				   size_t length, struct perf_event_attr *attr)
{
	int i, n = perfctr_this_table() ? perfctr_cores_look(cores) : 0, found, result = first;

	for (i = 0; i < n; i++) {
		found = perfctr_core_table_parse(&cores->pmu[i], word, length, attr);
		if (found > 0)
			return 1;
		if (found < 0)
			result = -1;
	}
	/* The reason to be told is the first one's. */
	return first < 0 ? perfctr_table_parse(word, length, attr) : result;
}

/* One of libpfm4's names of caches, whose masks stand before modifiers. */
static SLOW bool parse_cache(const char *event, size_t length, struct perf_event_attr *attr,
			     const char **rest)
{
	size_t used = perfctr_known_parse_cache(event, length, attr);

	if (used)
		*rest = event + used;
	return used != 0;
}

/* An event that nothing else has may be in the vendor's files. found, or 1, 0, -1 as above. */
static SLOW int parse_vendor(const struct perfctr_pmu *core, int found, const char *event,
			     size_t length, struct perf_event_attr *attr, const char **rest)
{
	size_t used;
	int result = perfctr_vendor_parse(core, event, length, attr, &used);

	if (result > 0)
		*rest = event + used;
	return result ? result : found;
}

#define MODIFIERS "ukhGHI"

static bool is_modifiers(const char *p, const char *end)
{
	while (p < end && strchr(MODIFIERS "p", *p))
		p++;
	return p == end;
}

static int parse_modifiers(const char *text, size_t length, struct perf_event_attr *attr)
{
	static const char letters[] = MODIFIERS;
	unsigned int seen = 0;
	const char *letter;
	size_t i;

	if (length == 0)
		return perfctr_fail(EINVAL,
				    "there is no modifier after the colon; it takes letters of "
				    "\"%s\"",
				    letters);
	for (i = 0; i < length; i++) {
		letter = text[i] ? strchr(letters, text[i]) : NULL;
		if (text[i] == 'p') {
			if (attr->precise_ip == 3)
				return perfctr_fail(EINVAL, "the modifier p is given more than "
							    "three times");
			attr->precise_ip++;
			continue;
		}
		if (!letter)
			return perfctr_fail(EINVAL,
					    "\"%c\" in \":%.*s\" is not a modifier; those are u "
					    "(user), k (kernel), h (hypervisor), G (guest), H "
					    "(host), I (not when idle)",
					    isprint((unsigned char)text[i]) ? text[i] : '?',
					    perfctr_shown(length), text);
		if (seen & 1u << (letter - letters))
			return perfctr_fail(EINVAL, "the modifier %c is given twice", text[i]);
		seen |= 1u << (letter - letters);
	}
	if (seen & 7) {
		attr->exclude_user = !(seen & 1);
		attr->exclude_kernel = !(seen & 2);
		attr->exclude_hv = !(seen & 4);
	}
	perfctr_attr_set_guests(attr, seen & 8, seen & 0x10);
	attr->exclude_idle = (seen & 0x20) != 0;
	return 0;
}

static const char *end_of_word(const char *event, size_t length)
{
	const char *colon = memchr(event, ':', length);

	return colon ? colon : event + length;
}

/*
 * Parses a name that needs no PMU, for this core PMU (NULL: wherever the kernel puts it); *rest is
 * set to the text after it. alone: an error of the table is the user's mistake; else the name is
 * right for some core type, and this one does not have the event. 1, 0, -1 as above.
 */
static int parse_name(struct perfctr_cores *cores, const struct perfctr_pmu *core, bool alone,
		      const char *event, size_t length, struct perf_event_attr *attr,
		      const char **rest)
{
	const char *end = event + length;
	bool own;
	int found;

	/* libpfm4 calls the PMU of the kernel's own names so. */
	if (length > 6 && event[4] == ':' && event[5] == ':' && !strncasecmp(event, "perf", 4)) {
		event += 6;
		length -= 6;
	}
	own = memchr(event, '_', length);
	/* Words have no underscore and only modifiers after them, unlike the processors' own. */
	if (!own) {
		*rest = end_of_word(event, length);
		own = *rest < end && !is_modifiers(*rest + 1, end);
		if (!own && perfctr_known_parse(event, (size_t)(*rest - event), attr))
			return word_on_core(core, attr);
	}
	/* The table before sysfs, which costs system calls. It takes unit masks and modifiers. */
	found = core ? perfctr_core_table_parse(core, event, length, attr)
		     : perfctr_table_parse(event, length, attr);
	if (found < 0)
		found = !core	? parse_other_tables(cores, found, event, length, attr)
			: alone ? -1
				: 0;
	if (found > 0) {
		*rest = end;
		return 1;
	}
	*rest = end_of_word(event, length);
	if (own && found == 0 && perfctr_known_parse(event, (size_t)(*rest - event), attr))
		return word_on_core(core, attr);
	if (own && found == 0 && parse_cache(event, length, attr, rest))
		return word_on_core(core, attr);
	if (found == 0)
		found = parse_core_event(cores, core, event, (size_t)(*rest - event), attr);
	if (found == 0 && !core) {
		found = parse_other_tables(cores, found, event, length, attr);
		if (found > 0)
			*rest = end;
	}
	if (found <= 0)
		found = parse_vendor(core, found, event, length, attr, rest);
	return found < 0 && core && !alone ? 0 : found;
}

static void begin(struct perf_event_attr *attr)
{
	/* Copied in fewer instructions than it is cleared. */
	static const struct perf_event_attr empty = { .size = sizeof(empty) };

	*attr = empty;
}

/* PMU/NAME/ with a name that needs no PMU, as in cpu_atom/cycles/. 1, 0, -1 as above. */
static int parse_named_core(struct perfctr_cores *cores, const char *pmu, const char *word,
			    size_t length, struct perf_event_attr *attr)
{
	const char *rest;
	int i, n, found = 0;

	if (length == 0 || memchr(word, '=', length) || memchr(word, ',', length))
		return 0;
	n = perfctr_cores_look(cores);
	for (i = 0; i < n; i++) {
		const struct perfctr_pmu *core = &cores->pmu[i];

		if (strcmp(core->name, pmu) || perfctr_sysfs_has_event(pmu, word, length))
			continue;
		if (core->type == UINT32_MAX)
			return perfctr_sysfs_fail_type(pmu);
		found = parse_name(cores, n > 1 ? core : NULL, true, word, length, attr, &rest);
		if (found > 0 && (rest != word + length || attr->type == PERF_TYPE_SOFTWARE))
			found = 0;
		if (found == 0)
			begin(attr);
	}
	return found;
}

static SLOW int parse_pmu(struct perfctr_cores *cores, const char *word, size_t word_length,
			  const char *terms, size_t length, struct perf_event_attr *attr, char *pmu)
{
	int found;

	if (perfctr_sysfs_find(word, word_length, pmu) < 0)
		return -1;
	found = parse_named_core(cores, pmu, terms, length, attr);
	return found == 0 ? perfctr_sysfs_parse(pmu, terms, length, attr) : found < 0 ? -1 : 0;
}

/* Processors' events have capitals; the kernel's subsystems, which have tracepoints, have none. */
static bool has_capital(const char *word, size_t length)
{
	while (length && !isupper((unsigned char)word[length - 1]))
		length--;
	return length != 0;
}

/*
 * Parses the event without its modifiers; *rest is set to the text after it. 1: it may be on any
 * core PMU; 0: it is on the one PMU that it names, or on none; -1 after perfctr_fail().
 */
static int parse_base(struct perfctr_cores *cores, const char *event, size_t length,
		      struct perf_event_attr *attr, char *pmu, const char **rest)
{
	const char *end = event + length, *slash = memchr(event, '/', length), *close;
	const char *colon, *name;
	size_t word_length;
	int found;

	if (slash) {
		close = memchr(slash + 1, '/', (size_t)(end - slash - 1));
		if (!close)
			return perfctr_fail(EINVAL, "\"%.*s\" has no closing /",
					    perfctr_shown(length), event);
		*rest = close + 1;
		return parse_pmu(cores, event, (size_t)(slash - event), slash + 1,
				 (size_t)(close - slash - 1), attr, pmu);
	}
	found = parse_name(cores, NULL, true, event, length, attr, rest);
	if (found)
		return found < 0 ? -1 : attr->type != PERF_TYPE_SOFTWARE;
	colon = memchr(event, ':', length);
	if (!colon)
		return perfctr_event_fail_unknown(event, length);
	name = colon + 1;
	word_length = (size_t)(colon - event);
	colon = memchr(name, ':', (size_t)(end - name));
	*rest = colon ? colon : end;
	if (!perfctr_file_is_word(event, word_length) ||
	    !perfctr_file_is_word(name, (size_t)(*rest - name)))
		return perfctr_event_fail_unknown(event, (size_t)(*rest - event));
	if (perfctr_tracepoint_parse(event, word_length, name, (size_t)(*rest - name), attr) == 0)
		return 0;
	if (perfctr_vendor_check() < 0)
		return -1;
	if (is_modifiers(name, end))
		return perfctr_event_fail_unknown(event, word_length);
	return has_capital(event, word_length)
		       ? perfctr_event_fail_unknown(event, (size_t)(*rest - event))
		       : -1;
}

/* The modifiers after an event that ends at rest. */
static int parse_rest(const char *event, size_t length, const char *rest,
		      struct perf_event_attr *attr)
{
	if (rest == event + length)
		return 0;
	if (*rest == ':')
		rest++;
	return parse_modifiers(rest, (size_t)(event + length - rest), attr);
}

/* A name is neither right nor wrong if a file that tells of it could not be looked at. 0, or -1. */
static int check_look_up(unsigned int since, const char *event, size_t length)
{
	char name[PERFCTR_NAME_SIZE];

	if (perfctr_file_troubles() == since) /* most of the time */
		return 0;
	snprintf(name, sizeof(name), "\"%.*s\"", perfctr_shown(length), event);
	return perfctr_file_check(since, name);
}

int perfctr_name_parse(struct perfctr_cores *cores, const char *event, size_t length,
		       struct perf_event_attr *attr, char *pmu)
{
	unsigned int since = perfctr_file_troubles();
	const char *rest;
	int result, error = errno;

	begin(attr);
	pmu[0] = '\0';
	if (length == 0)
		return perfctr_fail(EINVAL, "an event has no name");
	result = parse_base(cores, event, length, attr, pmu, &rest);
	if (result >= 0 && parse_rest(event, length, rest, attr) < 0)
		result = -1;
	if (check_look_up(since, event, length) < 0)
		return -1;
	if (result >= 0)
		errno = error;
	return result;
}

int perfctr_name_parse_on(struct perfctr_cores *cores, const struct perfctr_pmu *core,
			  const char *event, size_t length, struct perf_event_attr *attr)
{
	unsigned int since = perfctr_file_troubles();
	const char *rest;
	int found;

	if (core->type == UINT32_MAX)
		return perfctr_sysfs_fail_type(core->name);
	begin(attr);
	found = parse_name(cores, core, false, event, length, attr, &rest);
	if (found > 0 && parse_rest(event, length, rest, attr) < 0)
		found = -1;
	return check_look_up(since, event, length) < 0 ? -1 : found;
}

int perfctr_name_check_counted(const struct perf_event_attr *attr)
{
	if (attr->precise_ip)
		return perfctr_fail(EINVAL,
				    "the modifier p (precise) is for sampling, not for counting; "
				    "leave it out");
	if (attr->type == PERF_TYPE_SOFTWARE &&
	    (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK) &&
	    (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv))
		return perfctr_fail(EINVAL, "a clock that counts does so in all modes: the "
					    "kernel ignores its modifiers u, k and h; leave them "
					    "out");
	if ((attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT) &&
	    ((attr->exclude_host && !perfctr_attr_names_both(attr)) || attr->exclude_idle))
		return perfctr_fail(EINVAL,
				    "an event of the kernel's own is counted for guests and "
				    "idle processors as for all: it ignores the modifiers "
				    "G and I; leave them out");
	return 0;
}

int perfctr_event_check(const char *event)
{
	struct perfctr_cores cores;
	struct perf_event_attr attr;
	char pmu[PERFCTR_NAME_SIZE];

	if (!event)
		return perfctr_fail(EINVAL, "perfctr_event_check() needs a name, not NULL");
	cores.n = PERFCTR_CORES_UNKNOWN;
	if (perfctr_name_parse(&cores, event, strlen(event), &attr, pmu) < 0)
		return -1;
	return perfctr_name_check_counted(&attr);
}
