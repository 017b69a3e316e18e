// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads the kernel's descriptions of its PMUs in sysfs: events/, format/, type. Every file is
 * considered hostile: its size is limited, and its contents are checked.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/letters.h"
#include "lib/base/nearest.h"
#include "lib/base/word.h"
#include "lib/isa/offer.h"
#include "lib/isa/pmu.h"
#include "lib/names/known.h"
#include "lib/names/sysfs.h"
#include "lib/names/terms.h"
#include "libperfctr.h"

#define DEVICES PERFCTR_DEVICES
/* The precision is for the compiler, which assumes that a name may fill its array. */
#define EVENTS_OF DEVICES "/%.127s/events"
#define NAME_SIZE PERFCTR_NAME_SIZE
#define PATH_SIZE 512 /* of a path: some text of ours and two words */
#define TEXT_SIZE 512 /* of one file's text */

/* Files beside an event's own that say more about it. */
static bool is_annotation(const char *entry)
{
	const char *dot = strrchr(entry, '.');

	return dot && (!strcmp(dot, ".scale") || !strcmp(dot, ".unit") ||
		       !strcmp(dot, ".per-pkg") || !strcmp(dot, ".snapshot"));
}

/* ---- the nearest right names ---- */

static int note_near(void *arg, const char *word)
{
	perfctr_nearest_note(arg, word);
	return 0;
}

static int note_near_entry(void *arg, const char *entry)
{
	return is_annotation(entry) ? 0 : note_near(arg, entry);
}

void perfctr_sysfs_note_near(const char *pmu, struct perfctr_nearest *near)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), EVENTS_OF, pmu);
	perfctr_file_walk(path, note_near_entry, near);
}

/* ---- terms ---- */

/* Find the entry that the word names, in any case of letters. 0, or -1. */
struct wanted {
	const char *word;
	size_t length;
	char *entry; /* NAME_SIZE bytes */
};

static int is_wanted(void *arg, const char *entry)
{
	struct wanted *wanted = arg;

	if (!perfctr_letters_same(entry, wanted->word, wanted->length))
		return 0;
	memcpy(wanted->entry, entry, wanted->length + 1);
	return 1;
}

static int find_entry(const char *directory, const char *word, size_t length, char *entry)
{
	struct wanted wanted = { word, length, entry };

	if (!perfctr_file_is_word(word, length))
		return -1;
	return perfctr_file_walk(directory, is_wanted, &wanted) ? 0 : -1;
}

static __u64 *attr_word(struct perf_event_attr *attr, const char *name, size_t length)
{
	if (perfctr_letters_same("config", name, length))
		return &attr->config;
	if (perfctr_letters_same("config1", name, length))
		return &attr->config1;
	if (perfctr_letters_same("config2", name, length))
		return &attr->config2;
#ifdef PERF_ATTR_SIZE_VER8
	if (perfctr_letters_same("config3", name, length))
		return &attr->config3;
#endif
#ifdef PERF_ATTR_SIZE_VER9
	if (perfctr_letters_same("config4", name, length))
		return &attr->config4;
#endif
	return NULL;
}

/*
 * Put a value into the bits that a format file names, "config1:0-7,21" for example. 0; or -1 after
 * perfctr_fail() if the format is nonsense or the value too large.
 */
static int set_field(struct perf_event_attr *attr, const char *pmu, const char *field,
		     const char *format, uint64_t value)
{
	const char *p = strchr(format, ':');
	__u64 *word = p ? attr_word(attr, format, (size_t)(p - format)) : NULL;
	uint64_t rest = value, used = 0, bit;
	unsigned int low, high, width = 0;

	if (!word)
		goto nonsense;
	for (p++; *p || !width;) {
		if (!perfctr_format_range(&p, &low, &high))
			goto nonsense;
		for (; low <= high; low++, width++) {
			bit = UINT64_C(1) << low;
			if (used & bit)
				goto nonsense;
			used |= bit;
			*word = rest & 1 ? *word | bit : *word & ~bit;
			rest >>= 1;
		}
	}
	if (rest)
		return perfctr_fail(EINVAL,
				    "%s=0x%llx is too large: the field %s of the PMU %s "
				    "has %u bit%s",
				    field, (unsigned long long)value, field, pmu, width,
				    width == 1 ? "" : "s");
	return 0;
nonsense:
	return perfctr_fail(EINVAL,
			    "the kernel's description of the field %s of the PMU %s makes "
			    "no sense: \"%.60s\"",
			    field, pmu, format);
}

/* Whether it is r and hexadecimal digits that are all letters, which parse_raw() takes for a name.
 */
static bool is_raw_in_letters(const char *term, size_t length)
{
	size_t i;

	for (i = 1; i < length && isxdigit((unsigned char)term[i]); i++)
		;
	return length > 3 && length <= 17 && i == length && perfctr_small(term[0]) == 'r';
}

static int fail_term(const char *pmu, const char *term, size_t length)
{
	struct perfctr_nearest near = { .word = term, .length = length };
	char path[PATH_SIZE], text[PERFCTR_NEAREST_TEXT], remedy[NAME_SIZE + 64], code[80] = "";

	perfctr_sysfs_note_near(pmu, &near);
	snprintf(path, sizeof(path), DEVICES "/%s/format", pmu);
	perfctr_file_walk(path, note_near, &near);
	snprintf(remedy, sizeof(remedy), "; see " DEVICES "/%.60s/events and /format", pmu);
	if (is_raw_in_letters(term, length))
		snprintf(code, sizeof(code), ", and a raw code of letters is written r0x%.*s",
			 (int)length - 1, term + 1);
	return perfctr_fail(EINVAL, "\"%.*s\" is neither an event nor a field of the PMU %s%s%s",
			    perfctr_shown(length), term, pmu, code,
			    perfctr_nearest_text(&near, remedy, text, sizeof(text)));
}

/* A raw code of the PMU: r or r0x, and 1 to 16 hexadecimal digits, of several one decimal. */
static bool parse_raw(const struct perfctr_term *term, uint64_t *code)
{
	char digits[24], *end;
	int error = errno;

	if (term->value || term->length < 2 || term->length > 19 ||
	    perfctr_small(term->name[0]) != 'r' || !isxdigit((unsigned char)term->name[1]))
		return false;
	memcpy(digits, term->name + 1, term->length - 1);
	digits[term->length - 1] = '\0';
	/* A word such as read is a misspelt name. */
	if (term->length > 3 && !strpbrk(digits, "0123456789"))
		return false;
	errno = 0;
	*code = strtoull(digits, &end, 16);
	if (errno || *end != '\0')
		return false;
	errno = error;
	return true;
}

/* A term that stands for a whole word: config=, config1 for 1, and r1c2. */
static __u64 *whole_word(struct perf_event_attr *attr, const struct perfctr_term *term,
			 uint64_t *value)
{
	return parse_raw(term, value) ? &attr->config : attr_word(attr, term->name, term->length);
}

/* Set one field. */
static int apply_term(struct perf_event_attr *attr, const char *pmu,
		      const struct perfctr_term *term)
{
	__u64 *word = term->value ? attr_word(attr, term->name, term->length) : NULL;
	char path[PATH_SIZE], field[NAME_SIZE], text[TEXT_SIZE];
	uint64_t value = 1;

	snprintf(path, sizeof(path), DEVICES "/%s/format", pmu);
	if (!word && find_entry(path, term->name, term->length, field) < 0) {
		word = term->value ? NULL : whole_word(attr, term, &value);
		if (!word)
			return fail_term(pmu, term->name, term->length);
	}
	if (term->value && !perfctr_term_number(term->value, term->value_length, &value))
		return perfctr_fail(EINVAL,
				    "\"%.*s\" has no number after the =; write it in decimal or "
				    "with 0x",
				    perfctr_shown(term->length + 1 + term->value_length),
				    term->name);
	if (word) {
		*word = value;
		return 0;
	}
	snprintf(path, sizeof(path), DEVICES "/%s/format/%s", pmu, field);
	if (perfctr_file_read(path, text, sizeof(text)) < 0)
		return perfctr_fail(EINVAL, "%s can't be read: %s", path, strerror(errno));
	return set_field(attr, pmu, field, text, value);
}

/* Find the file in the PMU's events/ that the term names. */
static bool find_event(const char *pmu, const struct perfctr_term *term, char *entry)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), EVENTS_OF, pmu);
	return !term->value && find_entry(path, term->name, term->length, entry) == 0 &&
	       !is_annotation(entry);
}

/* Apply the terms in an event's file; the user's have the values that it leaves open with "=?". */
static int apply_event(struct perf_event_attr *attr, const char *pmu, const char *event,
		       const char *user, const char *user_end)
{
	char path[PATH_SIZE], text[TEXT_SIZE];
	const char *terms = text, *rest;
	struct perfctr_term term, given;
	bool found;

	snprintf(path, sizeof(path), DEVICES "/%s/events/%s", pmu, event);
	if (perfctr_file_read(path, text, sizeof(text)) < 0)
		return perfctr_fail(EINVAL, "%s can't be read: %s", path, strerror(errno));
	if (!text[0])
		return perfctr_fail(EINVAL,
				    "the kernel's description of the event %s of the PMU "
				    "%s is empty",
				    event, pmu);
	while (perfctr_term_next(&terms, text + strlen(text), &term)) {
		if (term.value_length != 1 || *term.value != '?') {
			if (apply_term(attr, pmu, &term) < 0)
				return -1;
			continue;
		}
		for (found = false, rest = user;
		     !found && perfctr_term_next(&rest, user_end, &given);)
			found = given.value && given.length == term.length &&
				!perfctr_letters_compare(given.name, term.name, term.length);
		if (!found)
			return perfctr_fail(EINVAL,
					    "the event %s of the PMU %s needs a value for "
					    "%.*s: add ,%.*s=NUMBER",
					    event, pmu, perfctr_shown(term.length), term.name,
					    perfctr_shown(term.length), term.name);
	}
	return 0;
}

struct names {
	char *text;
	size_t size;
};

static int append_name(void *arg, const char *entry)
{
	struct names *names = arg;
	size_t used = strlen(names->text);

	snprintf(names->text + used, names->size - used, "%s%s", used ? ", " : "", entry);
	return 0;
}

static int fail_pmu(const char *word, size_t length)
{
	struct perfctr_nearest near = { .word = word, .length = length };
	char list[256] = "", text[PERFCTR_NEAREST_TEXT], remedy[300];
	struct names names = { list, sizeof(list) };

	perfctr_file_walk(DEVICES, append_name, &names);
	perfctr_file_walk(DEVICES, note_near, &near);
	snprintf(remedy, sizeof(remedy),
		 list[0] ? "; there are %s"
			 : "; %sthe kernel's list of PMUs, " DEVICES ", can't be read",
		 list);
	return perfctr_fail(ENOENT, "this machine has no PMU \"%.*s\"%s", perfctr_shown(length),
			    word, perfctr_nearest_text(&near, remedy, text, sizeof(text)));
}

int perfctr_sysfs_fail_type(const char *pmu)
{
	return perfctr_fail(ENOENT,
			    "the PMU %s can't be used: the kernel's " DEVICES "/%s/type has "
			    "no type number",
			    pmu, pmu);
}

/* Parses the terms of the PMU; its name is right. */
int perfctr_sysfs_parse(const char *pmu, const char *terms, size_t length,
			struct perf_event_attr *attr)
{
	const char *end = terms + length, *rest;
	char event[NAME_SIZE], path[PATH_SIZE];
	unsigned int events = 0;
	struct perfctr_term term;
	long type;

	snprintf(path, sizeof(path), DEVICES "/%s/type", pmu);
	if (perfctr_file_number(path, &type) < 0 || type < 0 || type > INT32_MAX)
		return perfctr_sysfs_fail_type(pmu);
	attr->type = (uint32_t)type;
	/* The event comes first, wherever it stands: the user's own terms override its bits. */
	for (rest = terms; perfctr_term_next(&rest, end, &term);) {
		if (perfctr_term_is_perfs(&term) || !find_event(pmu, &term, event))
			continue;
		if (++events > 1)
			return perfctr_fail(EINVAL,
					    "\"%.*s\" names more than one event of the PMU "
					    "%s; write each as an event of its own",
					    perfctr_shown(length), terms, pmu);
		if (apply_event(attr, pmu, event, terms, end) < 0)
			return -1;
	}
	for (rest = terms; perfctr_term_next(&rest, end, &term);)
		if (!perfctr_term_is_perfs(&term) && !find_event(pmu, &term, event) &&
		    apply_term(attr, pmu, &term) < 0)
			return -1;
	return 0;
}

bool perfctr_sysfs_is_pmu(const char *word, size_t length, char *pmu)
{
	return find_entry(DEVICES, word, length, pmu) == 0;
}

struct typed {
	uint32_t type;
	char *pmu;
};

static int has_type(void *arg, const char *entry)
{
	const struct typed *wanted = arg;
	char path[PATH_SIZE];
	long type;

	snprintf(path, sizeof(path), DEVICES "/%s/type", entry);
	if (strlen(entry) >= NAME_SIZE || perfctr_file_number(path, &type) < 0 ||
	    type != (long)wanted->type)
		return 0;
	strcpy(wanted->pmu, entry);
	return 1;
}

bool perfctr_sysfs_of_type(uint32_t type, char *pmu)
{
	struct typed wanted = { type, pmu };

	return perfctr_file_walk(DEVICES, has_type, &wanted) == 1;
}

int perfctr_sysfs_find(const char *word, size_t length, char *pmu)
{
	if (!perfctr_file_is_word(word, length))
		return perfctr_fail(EINVAL, "\"%.*s\" can't be the name of a PMU",
				    perfctr_shown(length), word);
	return find_entry(DEVICES, word, length, pmu) < 0 ? fail_pmu(word, length) : 0;
}

bool perfctr_sysfs_has_event(const char *pmu, const char *name, size_t length)
{
	const struct perfctr_term term = { .name = name, .length = length };
	char entry[NAME_SIZE];

	return find_event(pmu, &term, entry);
}

/* Reads an annotation; false: there is none. */
static bool read_annotation(const char *pmu, const char *entry, const char *suffix, char *text,
			    size_t size)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), EVENTS_OF "/%.127s%s", pmu, entry, suffix);
	return perfctr_file_read(path, text, size) > 0;
}

/* Parses in the C locale's syntax, whatever the program's is. 0: it is no positive number. */
static double parse_scale(const char *text)
{
	locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	double value = 0;
	char *end;

	if (!c)
		return 0;
	value = strtod_l(text, &end, c);
	freelocale(c);
	return *end == '\0' && isfinite(value) && value > 0 ? value : 0;
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

void perfctr_sysfs_unit(const char *pmu, const char *name, size_t length, double *scale, char *unit,
			size_t size)
{
	const struct perfctr_term term = { .name = name, .length = length };
	char entry[NAME_SIZE], text[64];
	double value;

	*scale = 1;
	*unit = '\0';
	if (!find_event(pmu, &term, entry))
		return;
	if (read_annotation(pmu, entry, ".scale", text, sizeof(text))) {
		value = parse_scale(text);
		if (value <= 0)
			return;
		*scale = value;
	}
	if (read_annotation(pmu, entry, ".unit", text, sizeof(text)) && strlen(text) < size &&
	    is_printable(text))
		strcpy(unit, text);
}

/*
 * The kernel's generic events by the names of PMUv3's architected events. An Arm PMU's events/
 * lists those that the core has; an event that is not here does not exist on Arm. As in the
 * kernel's arm_pmuv3.c, armv8_pmuv3_perf_map and armv8_pmuv3_perf_cache_map; the first name that is
 * listed counts.
 */
/* clang-format off */
#define ARM_HW(id, name) { PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, name }
#define ARM_CACHE(id, result, name) { \
	PERF_TYPE_HW_CACHE, \
	PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_RESULT_##result << 16, name }
/* clang-format on */
static const struct {
	uint32_t type, config;
	char name[24];
} architected[] = {
	ARM_HW(CPU_CYCLES, "cpu_cycles"),
	ARM_HW(INSTRUCTIONS, "inst_retired"),
	ARM_HW(CACHE_REFERENCES, "l1d_cache"),
	ARM_HW(CACHE_MISSES, "l1d_cache_refill"),
	ARM_HW(BRANCH_INSTRUCTIONS, "br_retired"),
	ARM_HW(BRANCH_INSTRUCTIONS, "pc_write_retired"),
	ARM_HW(BRANCH_MISSES, "br_mis_pred"),
	ARM_HW(BUS_CYCLES, "bus_cycles"),
	ARM_HW(STALLED_CYCLES_FRONTEND, "stall_frontend"),
	ARM_HW(STALLED_CYCLES_BACKEND, "stall_backend"),
	ARM_CACHE(L1D, ACCESS, "l1d_cache"),
	ARM_CACHE(L1D, MISS, "l1d_cache_refill"),
	ARM_CACHE(L1I, ACCESS, "l1i_cache"),
	ARM_CACHE(L1I, MISS, "l1i_cache_refill"),
	ARM_CACHE(DTLB, ACCESS, "l1d_tlb"),
	ARM_CACHE(DTLB, MISS, "l1d_tlb_refill"),
	ARM_CACHE(ITLB, ACCESS, "l1i_tlb"),
	ARM_CACHE(ITLB, MISS, "l1i_tlb_refill"),
	ARM_CACHE(LL, ACCESS, "ll_cache_rd"),
	ARM_CACHE(LL, MISS, "ll_cache_miss_rd"),
	ARM_CACHE(BPU, ACCESS, "br_pred"),
	ARM_CACHE(BPU, MISS, "br_mis_pred"),
};

#ifndef PERF_PMU_TYPE_SHIFT /* Linux 5.13 */
#define PERF_PMU_TYPE_SHIFT 32
#endif

/*
 * A generic event, on one of several core PMUs. Every kernel that has x86's hybrid PMUs (5.13)
 * takes the PMU's type in the upper half of config; Arm's PMUs do so since Linux 6.6, and on others
 * it is "no such event". PMUv3's events by their own codes are the same on all kernels. But a core
 * that does not have such a code counts zero for it: so an event that events/ does not list is not
 * opened. 1; 0: this core does not have it; -1 after perfctr_fail().
 */
int perfctr_sysfs_generic(const struct perfctr_pmu *core, struct perf_event_attr *attr)
{
	uint64_t config = attr->config;
	unsigned int i;

	if (!perfctr_sysfs_has_event(core->name, architected[0].name,
				     strlen(architected[0].name))) {
		attr->config |= (uint64_t)core->type << PERF_PMU_TYPE_SHIFT;
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(architected); i++) {
		const char *name = architected[i].name;

		if (architected[i].type != attr->type || architected[i].config != config ||
		    !perfctr_sysfs_has_event(core->name, name, strlen(name)))
			continue;
		attr->config = 0;
		return perfctr_sysfs_parse(core->name, name, strlen(name), attr) < 0 ? -1 : 1;
	}
	return 0;
}

/* ---- listing ---- */

struct walk {
	perfctr_each_name *each;
	void *arg;
	const char *pmu;
};

static int walk_pmu_event(void *arg, const char *entry)
{
	struct walk *walk = arg;
	char path[PATH_SIZE], text[TEXT_SIZE], full[2 * NAME_SIZE];
	struct perfctr_event_name name = { full, "pmu", text };

	if (is_annotation(entry))
		return 0;
	snprintf(path, sizeof(path), DEVICES "/%s/events/%s", walk->pmu, entry);
	if (perfctr_file_read(path, text, sizeof(text)) < 0)
		text[0] = '\0';
	snprintf(full, sizeof(full), "%s/%s/", walk->pmu, entry);
	return walk->each(walk->arg, &name);
}

static int walk_pmu(void *arg, const char *entry)
{
	struct walk *walk = arg;
	char path[PATH_SIZE];

	walk->pmu = entry;
	snprintf(path, sizeof(path), EVENTS_OF, entry);
	return perfctr_file_walk(path, walk_pmu_event, walk);
}

int perfctr_sysfs_walk(perfctr_each_name *each, void *arg)
{
	struct walk walk = { .each = each, .arg = arg };

	return perfctr_file_walk(DEVICES, walk_pmu, &walk);
}
