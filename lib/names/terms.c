// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The terms between an event's slashes. Some are perf's own: they say how perf stat shows an event,
 * and how perf record samples it.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/letters.h"
#include "lib/base/nearest.h"
#include "lib/base/word.h"
#include "lib/names/terms.h"

/* The end of a term: a comma that is not in quotes, which stand after an equals sign. */
static const char *end_of_term(const char *term, const char *end)
{
	bool quoted = false;
	const char *p;

	for (p = term; p < end && (quoted || *p != ','); p++)
		if (*p == '\'' && (quoted || (p > term && p[-1] == '=')))
			quoted = !quoted;
	return p;
}

bool perfctr_term_next(const char **terms, const char *end, struct perfctr_term *term)
{
	const char *stop, *equals;

	if (*terms >= end)
		return false;
	stop = end_of_term(*terms, end);
	equals = memchr(*terms, '=', (size_t)(stop - *terms));
	term->name = *terms;
	term->length = (size_t)((equals ? equals : stop) - *terms);
	term->value = equals ? equals + 1 : NULL;
	term->value_length = equals ? (size_t)(stop - term->value) : 0;
	if (term->value_length > 1 && term->value[0] == '\'' && stop[-1] == '\'') {
		term->value++;
		term->value_length -= 2;
	}
	*terms = stop < end ? stop + 1 : end;
	return true;
}

bool perfctr_term_number(const char *text, size_t length, uint64_t *number)
{
	char digits[32], *end;
	int error = errno;

	if (length == 0 || length >= sizeof(digits) || !isdigit((unsigned char)text[0]))
		return false;
	memcpy(digits, text, length);
	digits[length] = '\0';
	errno = 0;
	*number = strtoull(digits, &end, perfctr_small(digits[1]) == 'x' ? 16 : 10);
	if (errno || *end != '\0')
		return false;
	errno = error;
	return true;
}

enum use { NAME, LABEL, PERIOD, FREQUENCY, PERCORE, RECORD };

/* remedy: what to write instead of a term of perf record. */
static const struct perfs {
	char name[16];
	char remedy[80];
	enum use use;
} perfs[] = {
	{ "name", "", NAME },
	{ "metric-id", "", LABEL },
	{ "period", "", PERIOD },
	{ "freq", "", FREQUENCY },
	{ "percore", "", PERCORE },
	{ "call-graph", "PERF_SAMPLE_CALLCHAIN in a sampler's fields, or perfex --call-graph",
	  RECORD },
	{ "stack-size", "user_stack of a sampler, or perfex --call-graph dwarf,BYTES", RECORD },
	{ "max-stack", "max_chain of a sampler", RECORD },
	{ "branch_type", "branches of a sampler, or perfex --by branch", RECORD },
	{ "time", "PERF_SAMPLE_TIME in a sampler's fields", RECORD },
	{ "nr", "perfctr_sampler_refresh()", RECORD },
	{ "inherit", "the flag PERFCTR_INHERIT", RECORD },
	{ "no-inherit", "no flag PERFCTR_INHERIT, or perfex --no-inherit", RECORD },
	{ "overwrite", "the flag PERFCTR_SAMPLER_OVERWRITE", RECORD },
	{ "no-overwrite", "no flag PERFCTR_SAMPLER_OVERWRITE", RECORD },
	{ "aux-output", "aux_pages of a sampler of the event that traces", RECORD },
	{ "aux-sample-size", "aux_pages of a sampler of the event that traces", RECORD },
	{ "aux-action", "perfctr_sampler_enable() and perfctr_sampler_disable()", RECORD },
	{ "cpu", "a target, or perfex -C", RECORD },
};

static const struct perfs *find_perfs(const struct perfctr_term *term)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(perfs); i++)
		if (perfctr_letters_same(perfs[i].name, term->name, term->length))
			return &perfs[i];
	return NULL;
}

bool perfctr_term_is_perfs(const struct perfctr_term *term)
{
	return find_perfs(term) != NULL;
}

static int fail_number(const struct perfctr_term *term, const char *what)
{
	return perfctr_fail(EINVAL, "%.*s= needs %s, not \"%.*s\"", perfctr_shown(term->length),
			    term->name, what, perfctr_shown(term->value_length),
			    term->value ? term->value : "");
}

/* The period, or the frequency, of the samples; an event has one of them. */
static int apply_period(const struct perfctr_term *term, bool frequency,
			struct perf_event_attr *attr, unsigned int *asked)
{
	uint64_t number = 0;

	if (attr->sample_period)
		return perfctr_fail(EINVAL, "an event has one period= or freq=; leave out \"%.*s\"",
				    perfctr_shown(term->length), term->name);
	if (!term->value || !perfctr_term_number(term->value, term->value_length, &number) ||
	    number == 0 || number > INT64_MAX)
		return fail_number(term, frequency ? "the number of samples in a second"
						   : "the number of events from sample to sample");
	attr->sample_period = number;
	attr->freq = frequency;
	*asked |= PERFCTR_ASKED_SAMPLES;
	return 0;
}

static int apply_percore(const struct perfctr_term *term, unsigned int *asked)
{
	uint64_t number = 1;

	if (term->value &&
	    (!perfctr_term_number(term->value, term->value_length, &number) || number > 1))
		return fail_number(term, "0 or 1");
	if (number)
		*asked |= PERFCTR_ASKED_PERCORE;
	return 0;
}

/* A name is shown: it has no characters that would break a line or a table. */
static int check_name(const struct perfctr_term *term)
{
	size_t i;

	if (term->value_length == 0)
		return perfctr_fail(EINVAL, "%.*s= needs the name under which the event is shown",
				    perfctr_shown(term->length), term->name);
	if (term->value[0] == '\'')
		return perfctr_fail(EINVAL, "\"%.*s=%.*s\" has no closing quote",
				    perfctr_shown(term->length), term->name,
				    perfctr_shown(term->value_length), term->value);
	for (i = 0; i < term->value_length; i++)
		if (term->value[i] <= ' ' || term->value[i] > '~' || term->value[i] == '\'')
			return perfctr_fail(EINVAL,
					    "the name in \"%.*s=%.*s\" has a character that is not "
					    "shown, or a quote",
					    perfctr_shown(term->length), term->name,
					    perfctr_shown(term->value_length), term->value);
	return 0;
}

static int apply(const struct perfctr_term *term, struct perf_event_attr *attr, unsigned int *asked)
{
	const struct perfs *known = find_perfs(term);

	if (!known)
		return 0;
	switch (known->use) {
	case NAME: *asked |= PERFCTR_ASKED_NAME; return check_name(term);
	case LABEL: return check_name(term);
	case PERIOD: return apply_period(term, false, attr, asked);
	case FREQUENCY: return apply_period(term, true, attr, asked);
	case PERCORE: return apply_percore(term, asked);
	default:
		return perfctr_fail(
			EINVAL,
			"\"%s\" is for perf, and no part of an event; leave it out, and "
			"take %s",
			known->name, known->remedy);
	}
}

int perfctr_terms_apply(const char *terms, size_t length, struct perf_event_attr *attr,
			unsigned int *asked)
{
	const char *end = terms + length;
	struct perfctr_term term;

	while (perfctr_term_next(&terms, end, &term))
		if (apply(&term, attr, asked) < 0)
			return -1;
	return 0;
}

size_t perfctr_terms_event(const char *terms, size_t length, const char **word)
{
	const char *end = terms + length;
	struct perfctr_term term;
	size_t found = 0;

	while (perfctr_term_next(&terms, end, &term)) {
		if (find_perfs(&term))
			continue;
		if (found || term.value)
			return 0;
		*word = term.name;
		found = term.length;
	}
	return found;
}

size_t perfctr_terms_name(const char *event, size_t length, const char **name)
{
	const char *end = event + length, *terms = memchr(event, '/', length), *close;
	const struct perfs *known;
	struct perfctr_term term;
	size_t found = 0;

	close = terms ? memchr(terms + 1, '/', (size_t)(end - terms - 1)) : NULL;
	if (!close)
		return 0;
	for (terms++; perfctr_term_next(&terms, close, &term);) {
		known = find_perfs(&term);
		if (!known || known->use != NAME)
			continue;
		*name = term.value;
		found = term.value_length;
	}
	return found;
}
