// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>
#include "lib/base/file.h"
#include "lib/isa/pmu.h"
#include "lib/metrics/expand.h"
#include "lib/metrics/formula.h"
#include "lib/names/sysfs.h"

/* More than a formula takes. */
enum { PMUS_MAX = PERFCTR_FORMULA_EVENTS + 1 };

struct pattern {
	const char *pmu, *name; /* the name that is looked for */
	size_t pmu_length, length;
	unsigned int n;
	char found[PMUS_MAX][PERFCTR_NAME_SIZE];
};

static int look_at(void *arg, const char *entry)
{
	struct pattern *pattern = arg;

	if (strncmp(entry, pattern->pmu, pattern->pmu_length) != 0 ||
	    strlen(entry) >= PERFCTR_NAME_SIZE ||
	    !perfctr_sysfs_has_event(entry, pattern->name, pattern->length))
		return 0;
	strcpy(pattern->found[pattern->n++], entry);
	return pattern->n == PMUS_MAX;
}

/* The order of a directory is any. */
static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void look(struct pattern *pattern)
{
	pattern->n = 0;
	perfctr_file_walk(PERFCTR_DEVICES, look_at, pattern);
	qsort(pattern->found, pattern->n, sizeof(pattern->found[0]), compare);
}

static void add_sum(const struct pattern *pattern, unsigned int n, struct perfctr_text *text)
{
	unsigned int i;

	perfctr_text_add(text, n > 1 ? "(" : "");
	for (i = 0; i < n; i++)
		perfctr_text_add(text, "%s%s/%.*s/", i ? " + " : "", pattern->found[i],
				 (int)pattern->length, pattern->name);
	perfctr_text_add(text, n > 1 ? ")" : "");
}

/* A word with a star before its first slash. */
static void add_pattern(const char *word, size_t length, bool here, bool one,
			struct perfctr_text *text)
{
	const char *slash = memchr(word, '/', length), *end = word + length - 1, *first = slash + 1;
	struct pattern pattern = { .pmu = word, .pmu_length = (size_t)(slash - word) - 1 };
	size_t first_length = 0;

	for (pattern.name = first; here && pattern.name < end && !pattern.n;
	     pattern.name += pattern.length + 1) {
		pattern.length = strcspn(pattern.name, "|/");
		look(&pattern);
		if (pattern.n) {
			add_sum(&pattern, one ? 1 : pattern.n, text);
			return;
		}
	}
	first_length = strcspn(first, "|/");
	perfctr_text_add(text, "%.*s/%.*s/", (int)pattern.pmu_length, word, (int)first_length,
			 first);
}

void perfctr_formula_expand(const char *formula, bool here, struct perfctr_text *text)
{
	bool time = false;
	size_t n;

	for (; *formula; formula += n) {
		const char *star;

		n = strspn(formula, " (),");
		if (n) {
			time = time && n == 1 && *formula == '(';
			perfctr_text_add(text, "%.*s", (int)n, formula);
			continue;
		}
		n = strcspn(formula, " (),");
		star = memchr(formula, '*', n);
		if (star && star[1] == '/')
			add_pattern(formula, n, here, time, text);
		else
			perfctr_text_add(text, "%.*s", (int)n, formula);
		time = n == 4 && !memcmp(formula, "time", 4);
	}
}
