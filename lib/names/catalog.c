// SPDX-License-Identifier: LGPL-2.1-or-later
/* The catalog of all names: lists them, and finds the nearest to a wrong one. */
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "arch/cpu.h"
#include "lib/base/error.h"
#include "lib/base/letters.h"
#include "lib/base/nearest.h"
#include "lib/isa/native.h"
#include "lib/isa/offer.h"
#include "lib/isa/pmu.h"
#include "lib/names/catalog.h"
#include "lib/names/known.h"
#include "lib/names/presets.h"
#include "lib/names/shared.h"
#include "lib/names/sysfs.h"
#include "lib/names/table.h"
#include "lib/names/tracepoint.h"
#include "lib/names/vendor.h"
#include "libperfctr.h"

/* A walk over the tables' events, of which those are left out that can't be counted here. */
struct offered {
	perfctr_each_name *each;
	void *arg;
	struct perfctr_pmu core[PERFCTR_VARIANTS_MAX];
	int n;
};

static bool is_offered(const struct offered *offered, const char *name)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	size_t length = strlen(name);
	int i;

	if (offered->n <= 1)
		return perfctr_shared_parse(name, length, &attr) > 0 &&
		       perfctr_attr_check(&attr, name, length) == 0;
	for (i = 0; i < offered->n; i++)
		if (perfctr_core_table_parse(&offered->core[i], name, length, &attr) > 0 &&
		    perfctr_attr_check(&attr, name, length) == 0)
			return true;
	return false;
}

static int each_offered(void *arg, const struct perfctr_event_name *name)
{
	const struct offered *offered = arg;

	return is_offered(offered, name->name) ? offered->each(offered->arg, name) : 0;
}

/* Walks the processor's table, and then the events that only its other core types have. */
static int walk_tables(perfctr_each_name *each, void *arg)
{
	struct offered offered = { .each = each, .arg = arg };
	int result;

	offered.n = perfctr_core_pmus(offered.core);
	result = perfctr_cpu_event_list(NULL, each_offered, &offered);
	if (result == 0 && offered.n > 1)
		result = perfctr_cores_event_list(offered.core, offered.n, each_offered, &offered);
	return result;
}

int perfctr_event_list(const char *kind, perfctr_each_name *each, void *arg)
{
	int result = 0, error = errno;
	bool any = !kind;

	if (!each)
		return perfctr_fail(EINVAL,
				    "perfctr_event_list() needs a function to call, not NULL");
	if (kind && strcmp(kind, "hardware") && strcmp(kind, "cache") && strcmp(kind, "software") &&
	    strcmp(kind, "cpu") && strcmp(kind, "pmu") && strcmp(kind, "tracepoint"))
		return perfctr_fail(EINVAL,
				    "\"%s\" is not a kind of event; the kinds are hardware, "
				    "cache, software, cpu, pmu and tracepoint",
				    kind);
	if (any || !strcmp(kind, "hardware"))
		result = perfctr_known_walk(PERF_TYPE_HARDWARE, "hardware", each, arg);
	if (result == 0 && (any || !strcmp(kind, "software")))
		result = perfctr_known_walk(PERF_TYPE_SOFTWARE, "software", each, arg);
	if (result == 0 && (any || !strcmp(kind, "cache")))
		result = perfctr_known_walk_caches(each, arg);
	if (result == 0 && (any || !strcmp(kind, "cpu")) && perfctr_this_table())
		result = walk_tables(each, arg);
	if (result == 0 && (any || !strcmp(kind, "cpu")))
		result = perfctr_vendor_list(each, arg);
	if (result == 0 && (any || !strcmp(kind, "pmu")))
		result = perfctr_sysfs_walk(each, arg);
	if (result == 0 && kind && !strcmp(kind, "tracepoint"))
		result = perfctr_tracepoint_walk(each, arg);
	if (result == 0 && (any || !strcmp(kind, "cpu")))
		result = perfctr_vendor_check();
	if (result >= 0)
		errno = error;
	return result;
}

static int note_near(void *arg, const char *word)
{
	perfctr_nearest_note(arg, word);
	return 0;
}

static int note_near_event(void *arg, const struct perfctr_event_name *name)
{
	return note_near(arg, name->name);
}

/* Notes the core PMUs' events whose names need no PMU. */
static void note_near_cores(struct perfctr_nearest *near)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int i, n = perfctr_core_pmus(cores);

	for (i = 0; i < n; i++)
		perfctr_sysfs_note_near(cores[i].name, near);
	perfctr_cores_event_list(cores, n, note_near_event, near);
}

static void note_near_others(struct perfctr_nearest *near)
{
	const struct perfctr_event_table *table = perfctr_this_table();

	if (!table)
		return;
	perfctr_preset_walk(table, note_near, near);
	perfctr_table_note_aliases(table, near);
}

/* It goes through thousands of names. */
static int fail_unknown(const char *word, size_t length)
{
	struct perfctr_nearest near = { .word = word, .length = length };
	char text[PERFCTR_NEAREST_TEXT];
	const char *remedy = "; \"perfex -l\" lists the events of this machine";
	bool number = isdigit((unsigned char)word[0]);
	size_t digits = number && length > 2 && perfctr_small(word[1]) == 'x' ? 2 : 1;

	while (digits < length && isxdigit((unsigned char)word[digits]))
		digits++;
	if (number && digits == length) {
		remedy = "; a raw event code is written r and its hexadecimal digits, such as r1c2";
	} else if (perfctr_small(word[0]) == 'r' && digits == length && length > 17) {
		remedy = "; a raw event code has at most 16 hexadecimal digits";
	} else {
		perfctr_known_words(note_near, &near);
		perfctr_known_walk_caches(note_near_event, &near);
		perfctr_cpu_event_list(NULL, note_near_event, &near);
		note_near_others(&near);
		perfctr_vendor_list(note_near_event, &near);
		note_near_cores(&near);
		perfctr_event_list("pmu", note_near_event, &near);
	}
	return perfctr_fail(EINVAL, "\"%.*s\" is not an event%s", perfctr_shown(length), word,
			    perfctr_nearest_text(&near, remedy, text, sizeof(text)));
}

int perfctr_event_fail_unknown(const char *word, size_t length)
{
	/* Then it may be an event that can't be looked up now. */
	if (!isdigit((unsigned char)word[0]) && perfctr_vendor_check() < 0)
		return -1;
	return perfctr_fail_later(EINVAL, fail_unknown, word, length);
}
