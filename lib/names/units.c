// SPDX-License-Identifier: LGPL-2.1-or-later
/* The PMUs that one name means: the kernel describes each unit of a kind as a PMU of its own. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/letters.h"
#include "lib/isa/pmu.h"
#include "lib/names/units.h"

static const char uncore[] = "uncore_";

/* What is wanted, and what was found of it. */
struct search {
	char word[PERFCTR_NAME_SIZE];
	bool pattern;
	struct perfctr_units *units;
};

/* A unit's number: digits, or hexadecimal ones after an underscore, one of them decimal. */
static bool is_number(const char *text)
{
	bool hex = *text == '_';

	text += hex;
	if (!strpbrk(text, "0123456789"))
		return false;
	while (hex ? isxdigit((unsigned char)*text) : isdigit((unsigned char)*text))
		text++;
	return *text == '\0';
}

/* The end of a set of characters, whose '[' is before p; NULL: it has none. */
static const char *end_of_set(const char *p)
{
	p += *p == '!';
	return *p ? strchr(p + 1, ']') : NULL;
}

/* Whether the set, "a-z5" or "!a-z5", has the character. */
static bool in_set(const char *p, const char *end, char c)
{
	bool without = *p == '!', found = false;

	for (p += without; p < end; p++) {
		if (p + 2 < end && p[1] == '-') {
			found |= *p <= c && c <= p[2];
			p += 2;
		} else {
			found |= *p == c;
		}
	}
	return found != without;
}

/*
 * Whether the name is as a pattern of the shell's says: '*' is any text, '?' a character, and
 * "[a-z]" one of these. Each '*' is tried again from its next place, the last one only: the earlier
 * ones have found the shortest text already.
 */
static bool is_like(const char *pattern, const char *name)
{
	const char *star = NULL, *again = NULL, *end;

	while (*name) {
		end = *pattern == '[' ? end_of_set(pattern + 1) : NULL;
		if (*pattern == '*') {
			star = pattern++;
			again = name;
		} else if (end ? in_set(pattern + 1, end, *name)
			       : *pattern == '?' || *pattern == *name) {
			pattern = end ? end + 1 : pattern + 1;
			name++;
		} else if (star) {
			pattern = star + 1;
			name = ++again;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

/* Whether the name, or its part after "uncore_", is one that is wanted. */
static bool matches(const struct search *search, const char *name, bool is_part)
{
	size_t n = strlen(search->word);

	if (search->pattern)
		return is_like(search->word, name);
	if (perfctr_letters_compare(name, search->word, n) != 0)
		return false;
	/* cha_1 is no word for cha_10 and cha_11. */
	if (isxdigit((unsigned char)name[n]) && isdigit((unsigned char)name[n - 1]))
		return false;
	return is_number(name + n) || (is_part && name[n] == '\0');
}

/* Returns 1 if there is no memory. */
static int note(void *arg, const char *entry)
{
	const size_t skipped = sizeof(uncore) - 1;
	struct search *search = arg;
	struct perfctr_units *units = search->units;
	char(*more)[PERFCTR_NAME_SIZE];

	if (!matches(search, entry, false) &&
	    (strncmp(entry, uncore, skipped) || !matches(search, entry + skipped, true)))
		return 0;
	if (strlen(entry) >= sizeof(*more) || !perfctr_pmu_has_cpumask(entry))
		return 0;
	more = realloc(units->name, (units->n + 1) * sizeof(*more));
	if (!more)
		return 1;
	units->name = more;
	strcpy(more[units->n++], entry);
	return 0;
}

/* The names of a kind differ in their numbers, of which the smaller ones are not longer. */
static int by_number(const void *a, const void *b)
{
	size_t one = strlen(a), other = strlen(b);

	return one == other ? strcmp(a, b) : one < other ? -1 : 1;
}

int perfctr_units_find(const char *word, size_t length, struct perfctr_units *units)
{
	struct search search = { .units = units };
	size_t i;

	*units = (struct perfctr_units){ .n = 0 };
	if (length == 0 || length >= sizeof(search.word))
		return 0;
	memcpy(search.word, word, length);
	search.pattern = strpbrk(search.word, "*?[") != NULL;
	for (i = 0; i < length; i++)
		if (!perfctr_is_letter_or_digit(word[i]) && !strchr("_-.*?[]!", word[i]))
			return 0;
	if (perfctr_file_walk(PERFCTR_DEVICES, note, &search)) {
		perfctr_units_free(units);
		return perfctr_fail(ENOMEM, "no memory for the units of a PMU");
	}
	if (units->n)
		qsort(units->name, units->n, sizeof(*units->name), by_number);
	return 0;
}

void perfctr_units_free(struct perfctr_units *units)
{
	int error = errno;

	free(units->name);
	*units = (struct perfctr_units){ .n = 0 };
	errno = error; /* before glibc 2.33, free(3) may change it */
}
