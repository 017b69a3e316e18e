// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One event: text -> struct perf_event_attr, by this grammar:
 *
 *	event = name [":" modifiers] | subsystem ":" tracepoint [":" modifiers]
 *	      | name of the processor's table {":" (mask | modifiers)}
 *	      | type ":" config [":" modifiers]
 *	      | (pmu | units) "/" [term {"," term}] "/" [[":"] modifiers]
 *	      | any of those without a slash "/" [term of perf's {"," term of perf's}] "/"
 *		[[":"] modifiers]
 *	term  = name of the PMU's events/ | field of its format/ ["=" number] | term of perf's
 *	modifiers = letters {":" letters}
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
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/letters.h"
#include "lib/base/list.h"
#include "lib/base/nearest.h"
#include "lib/base/word.h"
#include "lib/isa/attr.h"
#include "lib/isa/native.h"
#include "lib/isa/offer.h"
#include "lib/isa/pmu.h"
#include "lib/names/catalog.h"
#include "lib/names/known.h"
#include "lib/names/modifiers.h"
#include "lib/names/name.h"
#include "lib/names/shared.h"
#include "lib/names/sysfs.h"
#include "lib/names/table.h"
#include "lib/names/terms.h"
#include "lib/names/tracepoint.h"
#include "lib/names/units.h"
#include "lib/names/vendor.h"
#include "libperfctr.h"

/* Functions that ask the kernel are out of line, so that the look-ups before them need no stack. */
#define SLOW __attribute__((noinline, cold))

/* Checks a code that may count on all core types of a hybrid processor. 1, or -1 as above. */
static SLOW int check_raw(const struct perf_event_attr *attr, const char *word, size_t length)
{
	return perfctr_attr_check(attr, word, length) < 0 ||
			       perfctr_shared_check_raw(attr, word, length) < 0
		       ? -1
		       : 1;
}

/*
 * Puts the event that perfctr_known_parse() found on this core PMU (NULL: on the machine's only
 * one). 1, 0, -1 as above.
 */
static SLOW int word_on_core(const struct perfctr_pmu *core, struct perf_event_attr *attr,
			     const char *word, size_t length)
{
	if (!core)
		return perfctr_is_hybrid ? check_raw(attr, word, length) : 1;
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
	int i, n, found, result = first;

	if (perfctr_is_hybrid && perfctr_cores_share())
		return first < 0 ? perfctr_shared_parse(word, length, attr)
				 : perfctr_shared_find(word, length);
	n = perfctr_this_table() ? perfctr_cores_look(cores) : 0;
	for (i = 0; i < n; i++) {
		found = perfctr_core_table_parse(&cores->pmu[i], word, length, attr);
		if (found > 0)
			return 1;
		if (found < 0)
			result = -1;
	}
	/* The reason to be told is the first one's. */
	return first < 0 ? perfctr_shared_parse(word, length, attr) : result;
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

/* The modifiers that are given, as bits of a letter's place. */
enum { USER = 1, KERNEL = 2, HYPERVISOR = 4, GUEST = 8, HOST = 0x10, NOT_IDLE = 0x20, MOST = 0x40 };
enum { PINNED = 0x80, EXCLUSIVE = 0x100, READ_GROUP = 0x200, WEAK = 0x400 };

static SLOW int fail_modifier(char letter, const char *text, size_t length)
{
	bool alone = perfctr_are_modifiers(text, text + length);

	if (letter == 'b' && alone)
		return perfctr_fail(EINVAL, "the modifier b has perf count by a program of BPF's, "
					    "which is not needed here; leave it out");
	if (letter == 'R' && alone)
		return perfctr_fail(
			EINVAL, "the modifier R (retirement latency) is perf's own; leave it "
				"out, and take PERF_SAMPLE_WEIGHT_STRUCT in a sampler's fields");
	return perfctr_fail(EINVAL,
			    "\"%c\" in \":%.*s\" is not a modifier; those are u (user), k "
			    "(kernel), h (hypervisor), G (guest), H (host), I (not when idle), p "
			    "and P (precise), D (pinned), e (exclusive), and of groups S and W",
			    letter >= ' ' && letter <= '~' ? letter : '?', perfctr_shown(length),
			    text);
}

/* Adds what other letters than u, k and h mean to what the attr has. */
static SLOW void set_others(unsigned int seen, struct perf_event_attr *attr, unsigned int *asked)
{
	perfctr_attr_set_guests(attr, attr->exclude_host || seen & GUEST,
				attr->exclude_guest || seen & HOST);
	attr->exclude_idle |= (seen & NOT_IDLE) != 0;
	attr->pinned |= (seen & PINNED) != 0;
	attr->exclusive |= (seen & EXCLUSIVE) != 0;
	if (seen & MOST)
		attr->precise_ip = 3;
	*asked |= (seen & MOST ? PERFCTR_ASKED_MOST_PRECISE : 0) |
		  (seen & READ_GROUP ? PERFCTR_ASKED_SAMPLES : 0) |
		  (seen & WEAK ? PERFCTR_ASKED_WEAK : 0);
}

static inline void set_modes(unsigned int modes, struct perf_event_attr *attr)
{
	if (attr->exclude_user | attr->exclude_kernel | attr->exclude_hv)
		modes |= (attr->exclude_user ? 0u : USER) | (attr->exclude_kernel ? 0u : KERNEL) |
			 (attr->exclude_hv ? 0u : HYPERVISOR);
	attr->exclude_user = !(modes & USER);
	attr->exclude_kernel = !(modes & KERNEL);
	attr->exclude_hv = !(modes & HYPERVISOR);
}

/* As perfctr_name_modify(). */
static inline __attribute__((always_inline)) int
modify(const char *text, size_t length, struct perf_event_attr *attr, unsigned int *asked)
{
	static const char letters[] = PERFCTR_MODIFIERS;
	unsigned int seen = 0, all = 0;
	const char *letter;
	size_t i;

	if (length == 0 || text[length - 1] == ':')
		return perfctr_fail(EINVAL,
				    "there is no modifier after the colon; it takes letters of "
				    "\"%s\"",
				    letters);
	for (i = 0; i < length; i++) {
		letter = text[i] ? strchr(letters, text[i]) : NULL;
		if (letter) {
			if (seen & 1u << (letter - letters))
				return perfctr_fail(EINVAL, "the modifier %c is given twice",
						    text[i]);
			seen |= 1u << (letter - letters);
			continue;
		}
		if (text[i] == 'p') {
			if (attr->precise_ip == 3)
				return perfctr_fail(EINVAL, "the modifier p is given more than "
							    "three times");
			attr->precise_ip++;
			continue;
		}
		/* Those of a group stand after an event's own, and may be the same. */
		if (text[i] != ':' || i == 0 || text[i - 1] == ':')
			return fail_modifier(text[i], text, length);
		all |= seen;
		seen = 0;
	}
	all |= seen;
	if (all & 7)
		set_modes(all & 7, attr);
	if (all & ~7u)
		set_others(all, attr, asked);
	return 0;
}

SLOW int perfctr_name_modify(const char *text, size_t length, struct perf_event_attr *attr,
			     unsigned int *asked)
{
	return modify(text, length, attr, asked);
}

static int parse_table(const struct perfctr_pmu *core, const char *event, size_t length,
		       struct perf_event_attr *attr)
{
	return core ? perfctr_core_table_parse(core, event, length, attr)
		    : perfctr_shared_parse(event, length, attr);
}

/*
 * Parses an event of the table that has modifiers after it which the table does not know, and that
 * failed for them; *rest is set to the text after it. 1, or -1 as the table says of the whole.
 * Edges (e) are the table's, which has refused them for a reason: as perf's they would count all
 * the same.
 */
static SLOW int parse_modified(const struct perfctr_pmu *core, const char *event, size_t length,
			       struct perf_event_attr *attr, const char **rest)
{
	const char *end = event + length, *colon;
	bool unknown = false;

	for (colon = end - 1; colon > event && strchr(PERFCTR_MODIFIERS "pbR:", *colon); colon--) {
		if (*colon == 'e')
			break;
		if (*colon != ':') {
			unknown |= !strchr("uk", *colon);
			continue;
		}
		if (!unknown || parse_table(core, event, (size_t)(colon - event), attr) <= 0)
			continue;
		*rest = colon;
		return 1;
	}
	return parse_table(core, event, length, attr);
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
	if (length > 6 && event[4] == ':' && event[5] == ':' &&
	    !perfctr_letters_compare(event, "perf", 4)) {
		event += 6;
		length -= 6;
	}
	own = memchr(event, '_', length);
	/* Words have no underscore and only modifiers after them, unlike the processors' own. */
	if (!own) {
		*rest = end_of_word(event, length);
		own = *rest < end && !perfctr_are_modifiers(*rest + 1, end);
		if (!own && perfctr_known_parse(event, (size_t)(*rest - event), attr))
			return word_on_core(core, attr, event, length);
	}
	/* The table before sysfs, which costs system calls. It takes unit masks and modifiers. */
	found = parse_table(core, event, length, attr);
	*rest = end;
	if (found > 0)
		return 1;
	if (found < 0) {
		found = parse_modified(core, event, length, attr, rest);
		if (found < 0)
			found = !core	? parse_other_tables(cores, found, event, length, attr)
				: alone ? -1
					: 0;
		if (found > 0)
			return 1;
	}
	*rest = end_of_word(event, length);
	if (own && found == 0 && perfctr_known_parse(event, (size_t)(*rest - event), attr))
		return word_on_core(core, attr, event, length);
	if (own && found == 0 && parse_cache(event, length, attr, rest))
		return word_on_core(core, attr, event, length);
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

static int parse_before_slash(struct perfctr_cores *cores, const char *event, size_t length,
			      struct perf_event_attr *attr, char *pmu, const char **rest);

static void begin(struct perf_event_attr *attr)
{
	/* Copied in fewer instructions than it is cleared. */
	static const struct perf_event_attr empty = { .size = sizeof(empty) };

	*attr = empty;
}

/* PMU/NAME/ with a name that needs no PMU, as in cpu_atom/cycles/. 1, 0, -1 as above. */
static int parse_named_core(struct perfctr_cores *cores, const char *pmu, const char *terms,
			    size_t length, struct perf_event_attr *attr)
{
	const char *rest, *word = NULL;
	int i, n, found = 0;

	length = perfctr_terms_event(terms, length, &word);
	if (length == 0)
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

/* An event's text in parts: "BASE/TERMS/REST". */
struct slashed {
	const char *base, *terms, *rest;
	size_t base_length, terms_length, length;
};

static int split(const char *event, size_t length, struct slashed *parts)
{
	const char *end = event + length, *slash = memchr(event, '/', length), *close;

	close = memchr(slash + 1, '/', (size_t)(end - slash - 1));
	if (perfctr_event_check_address(event, length) < 0)
		return -1;
	if (!close)
		return perfctr_fail(EINVAL, "\"%.*s\" has no closing /", perfctr_shown(length),
				    event);
	*parts = (struct slashed){
		.base = event,
		.terms = slash + 1,
		.rest = close + 1,
		.base_length = (size_t)(slash - event),
		.length = length,
		.terms_length = (size_t)(close - slash - 1),
	};
	return 0;
}

static int parse_pmu(struct perfctr_cores *cores, const char *pmu, const struct slashed *parts,
		     struct perf_event_attr *attr, unsigned int *asked)
{
	int found = parse_named_core(cores, pmu, parts->terms, parts->terms_length, attr);

	if (found < 0 ||
	    (found == 0 && (perfctr_sysfs_parse(pmu, parts->terms, parts->terms_length, attr) < 0 ||
			    word_on_core(NULL, attr, parts->base, parts->length) < 0)))
		return -1;
	return perfctr_terms_apply(parts->terms, parts->terms_length, attr, asked);
}

/*
 * Parses the terms after an event that is on no PMU by its text: perf's own, and what the word
 * config1 or config2 of its attr is to be.
 */
static int parse_own_terms(const struct slashed *parts, struct perf_event_attr *attr,
			   unsigned int *asked)
{
	const char *terms = parts->terms, *end = terms + parts->terms_length;
	struct perfctr_term term;
	uint64_t value;

	while (perfctr_term_next(&terms, end, &term)) {
		bool config = term.length == 7 &&
			      !perfctr_letters_compare(term.name, "config", 6) &&
			      (term.name[6] == '1' || term.name[6] == '2');

		if (perfctr_term_is_perfs(&term))
			continue;
		value = 1;
		if (!config ||
		    (term.value && !perfctr_term_number(term.value, term.value_length, &value)))
			return perfctr_fail(EINVAL,
					    "\"%.*s\" in \"%.*s\" is not for an event without a "
					    "PMU: there are name=, period=, freq=, percore, and "
					    "config1= and config2= with a number",
					    perfctr_shown(term.length), term.name,
					    perfctr_shown(parts->terms_length), parts->terms);
		*(term.name[6] == '1' ? &attr->config1 : &attr->config2) = value;
	}
	return perfctr_terms_apply(parts->terms, parts->terms_length, attr, asked);
}

/* ---- events of one of several units ---- */

static SLOW int parse_units(struct perfctr_cores *cores, const struct perfctr_units *units,
			    const struct slashed *parts, struct perf_event_attr *attr, char *pmu,
			    unsigned int *asked)
{
	int result = -1;
	unsigned int i;

	for (i = 0; i < units->n && result < 0; i++) {
		begin(attr);
		*asked = 0;
		strcpy(pmu, units->name[i]);
		result = parse_pmu(cores, pmu, parts, attr, asked);
	}
	return result < 0 ? -1 : units->n > 1 ? PERFCTR_NAME_UNITS : 0;
}

/* As parse_plain(), for a text with slashes; or PERFCTR_NAME_UNITS: on each PMU that it names. */
static SLOW int parse_slashed(struct perfctr_cores *cores, const char *event, size_t length,
			      struct perf_event_attr *attr, char *pmu, const char **rest,
			      unsigned int *asked)
{
	struct perfctr_units units;
	struct slashed parts;
	const char *after;
	int result;

	if (split(event, length, &parts) < 0)
		return -1;
	*rest = parts.rest;
	if (perfctr_sysfs_is_pmu(parts.base, parts.base_length, pmu))
		return parse_pmu(cores, pmu, &parts, attr, asked);
	if (perfctr_units_find(parts.base, parts.base_length, &units) < 0)
		return -1;
	if (units.n) {
		result = parse_units(cores, &units, &parts, attr, pmu, asked);
		perfctr_units_free(&units);
		return result;
	}
	pmu[0] = '\0';
	result = parse_before_slash(cores, parts.base, parts.base_length, attr, pmu, &after);
	if (result < 0 && !memchr(parts.base, ':', parts.base_length))
		return perfctr_sysfs_find(parts.base, parts.base_length, pmu);
	if (result < 0)
		return -1;
	if (after != parts.base + parts.base_length)
		return perfctr_fail(EINVAL, "modifiers stand after the last slash of \"%.*s\"",
				    perfctr_shown(length), event);
	return parse_own_terms(&parts, attr, asked) < 0 ? -1 : result;
}

/* Processors' events have capitals; the kernel's subsystems, which have tracepoints, have none. */
static bool has_capital(const char *word, size_t length)
{
	while (length && perfctr_small(word[length - 1]) == (unsigned char)word[length - 1])
		length--;
	return length != 0;
}

/* What perf stat measures by itself, and lists as events. */
static bool is_perfs_tool(const char *word, size_t length)
{
	static const char tools[][16] = { "duration_time", "user_time", "system_time" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tools); i++)
		if (perfctr_letters_same(tools[i], word, length))
			return true;
	return false;
}

/* A text that is no event's: why. */
static SLOW int fail_unknown(const char *event, size_t length)
{
	if (is_perfs_tool(event, length))
		return perfctr_fail(ENOENT,
				    "%.*s is no event: perf measures it by itself, as perfex does "
				    "the elapsed time; task-clock is the processors' time",
				    perfctr_shown(length), event);
	if (perfctr_event_check_address(event, length) < 0)
		return -1;
	if (memchr(event, ':', length) &&
	    (memchr(event, '*', length) || memchr(event, '?', length)))
		return perfctr_fail(EINVAL,
				    "\"%.*s\" stands for any number of tracepoints; write each of "
				    "them, as \"perfex -L\" lists them",
				    perfctr_shown(length), event);
	return perfctr_event_fail_unknown(event, length);
}

/*
 * Whether a text that begins with a digit is TYPE:CONFIG, right or wrong: only digits, and 0x's,
 * stand before the colon. Some processors' names begin with a digit as well, as 64bit_MMX_uop.
 */
static SLOW bool is_numeric(const char *event, size_t length)
{
	size_t n = 0;

	while (n < length && (isxdigit((unsigned char)event[n]) || perfctr_small(event[n]) == 'x'))
		n++;
	return n < length && event[n] == ':';
}

/* TYPE:CONFIG, in the kernel's numbers. As parse_plain(). */
static SLOW int parse_numeric(const char *event, size_t length, struct perf_event_attr *attr,
			      char *pmu, const char **rest)
{
	const char *end = event + length, *colon = memchr(event, ':', length);
	const char *config = colon + 1;
	uint64_t type, value;

	*rest = memchr(config, ':', (size_t)(end - config));
	if (!*rest)
		*rest = end;
	if (!perfctr_term_number(event, (size_t)(colon - event), &type) ||
	    !perfctr_term_number(config, (size_t)(*rest - config), &value) || type > INT32_MAX)
		return perfctr_fail(EINVAL,
				    "\"%.*s\" is no event: as numbers it is TYPE:CONFIG, decimal "
				    "or with 0x",
				    perfctr_shown((size_t)(end - event)), event);
	attr->type = (uint32_t)type;
	attr->config = value;
	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW)
		return word_on_core(NULL, attr, event, length);
	if (type != PERF_TYPE_SOFTWARE && type != PERF_TYPE_TRACEPOINT &&
	    !perfctr_sysfs_of_type(attr->type, pmu))
		return perfctr_fail(ENOENT, "this machine has no PMU of the type %u", attr->type);
	return 0;
}

/*
 * Parses an event without slashes, without its modifiers; *rest is set to the text after it. 1: it
 * may be on any core PMU; 0: it is on the one PMU that it names, or on none; -1 after
 * perfctr_fail().
 */
static inline __attribute__((always_inline)) int parse_plain(struct perfctr_cores *cores,
							     const char *event, size_t length,
							     struct perf_event_attr *attr,
							     char *pmu, const char **rest)
{
	const char *end = event + length;
	const char *colon, *name;
	size_t word_length;
	int found;

	if (*event <= '9' && isdigit((unsigned char)*event) && is_numeric(event, length))
		return parse_numeric(event, length, attr, pmu, rest);
	found = parse_name(cores, NULL, true, event, length, attr, rest);
	if (found)
		return found < 0 ? -1 : attr->type != PERF_TYPE_SOFTWARE;
	colon = memchr(event, ':', length);
	if (!colon)
		return fail_unknown(event, length);
	if (isdigit((unsigned char)colon[1]) && colon - event == 3 &&
	    !perfctr_letters_compare(event, "mem", 3))
		return fail_unknown(event, length);
	name = colon + 1;
	word_length = (size_t)(colon - event);
	colon = memchr(name, ':', (size_t)(end - name));
	*rest = colon ? colon : end;
	if (!perfctr_file_is_word(event, word_length) ||
	    !perfctr_file_is_word(name, (size_t)(*rest - name)))
		return fail_unknown(event, (size_t)(*rest - event));
	if (perfctr_tracepoint_parse(event, word_length, name, (size_t)(*rest - name), attr) == 0)
		return 0;
	if (perfctr_vendor_check() < 0)
		return -1;
	if (perfctr_are_modifiers(name, end))
		return fail_unknown(event, word_length);
	return has_capital(event, word_length)
		       ? perfctr_event_fail_unknown(event, (size_t)(*rest - event))
		       : -1;
}

static SLOW int parse_before_slash(struct perfctr_cores *cores, const char *event, size_t length,
				   struct perf_event_attr *attr, char *pmu, const char **rest)
{
	return parse_plain(cores, event, length, attr, pmu, rest);
}

static inline int parse_base(struct perfctr_cores *cores, const char *event, size_t length,
			     struct perf_event_attr *attr, char *pmu, const char **rest,
			     unsigned int *asked)
{
	return memchr(event, '/', length)
		       ? parse_slashed(cores, event, length, attr, pmu, rest, asked)
		       : parse_plain(cores, event, length, attr, pmu, rest);
}

static __attribute__((noinline)) int parse_modifiers(const char *rest, const char *end,
						     struct perf_event_attr *attr,
						     unsigned int *asked)
{
	if (*rest == ':')
		rest++;
	return modify(rest, (size_t)(end - rest), attr, asked);
}

/* The modifiers after an event that ends at rest. Most have none. */
static inline int parse_rest(const char *event, size_t length, const char *rest,
			     struct perf_event_attr *attr, unsigned int *asked)
{
	const char *end = event + length;

	return rest == end ? 0 : parse_modifiers(rest, end, attr, asked);
}

/* TYPE:CONFIG for one of several core PMUs. 1, 0, -1 as above. */
static SLOW int parse_numeric_on(const struct perfctr_pmu *core, const char *event, size_t length,
				 struct perf_event_attr *attr, const char **rest)
{
	char unused[PERFCTR_NAME_SIZE];

	return parse_numeric(event, length, attr, unused, rest) < 0
		       ? -1
		       : word_on_core(core, attr, event, length);
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
		       struct perf_event_attr *attr, char *pmu, unsigned int *asked)
{
	unsigned int since = perfctr_file_troubles();
	const char *rest;
	int result, error = errno;

	begin(attr);
	pmu[0] = '\0';
	*asked = 0;
	if (length == 0)
		return perfctr_fail(EINVAL, "an event has no name");
	result = parse_base(cores, event, length, attr, pmu, &rest, asked);
	if (result >= 0 && perfctr_attr_check(attr, event, length) < 0)
		result = -1;
	if (check_look_up(since, event, length) < 0 || result < 0 ||
	    parse_rest(event, length, rest, attr, asked) < 0)
		return -1;
	errno = error;
	return result;
}

int perfctr_name_parse_on(struct perfctr_cores *cores, const struct perfctr_pmu *core,
			  const char *event, size_t length, struct perf_event_attr *attr)
{
	unsigned int since = perfctr_file_troubles(), asked = 0;
	struct slashed parts = { .base = event, .base_length = length };
	const char *rest;
	int found;

	if (core->type == UINT32_MAX)
		return perfctr_sysfs_fail_type(core->name);
	begin(attr);
	if (memchr(event, '/', length) && split(event, length, &parts) < 0)
		return -1;
	found = isdigit((unsigned char)*event) && is_numeric(event, parts.base_length)
			? parse_numeric_on(core, event, parts.base_length, attr, &rest)
			: parse_name(cores, core, false, event, parts.base_length, attr, &rest);
	if (found > 0 && parts.rest && parse_own_terms(&parts, attr, &asked) < 0)
		found = -1;
	if (parts.rest)
		rest = parts.rest;
	if (found > 0 && perfctr_attr_check(attr, event, length) < 0)
		found = PERFCTR_NAME_REFUSED;
	if (found == 1 && parse_rest(event, length, rest, attr, &asked) < 0)
		found = -1;
	return check_look_up(since, event, length) < 0 ? -1 : found;
}

int perfctr_name_parse_unit(struct perfctr_cores *cores, const char *unit, const char *event,
			    size_t length, struct perf_event_attr *attr)
{
	unsigned int asked = 0;
	struct slashed parts;

	begin(attr);
	if (split(event, length, &parts) < 0 || parse_pmu(cores, unit, &parts, attr, &asked) < 0)
		return -1;
	return parse_rest(event, length, parts.rest, attr, &asked);
}

int perfctr_name_check_counted(const struct perf_event_attr *attr)
{
	if (attr->precise_ip)
		return perfctr_fail(EINVAL,
				    "the modifiers p and P (precise) are for sampling, not for "
				    "counting; leave them out");
	if (attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT)
		return 0;
	if (attr->type == PERF_TYPE_SOFTWARE &&
	    (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK) &&
	    (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv))
		return perfctr_fail(EINVAL, "a clock that counts does so in all modes: the "
					    "kernel ignores its modifiers u, k and h; leave them "
					    "out");
	if ((attr->exclude_host && !perfctr_attr_names_both(attr)) || attr->exclude_idle)
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
	unsigned int asked;

	if (!event)
		return perfctr_fail(EINVAL, "perfctr_event_check() needs a name, not NULL");
	cores.n = PERFCTR_CORES_UNKNOWN;
	if (perfctr_name_parse(&cores, event, strlen(event), &attr, pmu, &asked) < 0)
		return -1;
	return perfctr_name_check_counted(&attr);
}
