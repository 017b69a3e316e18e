// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Thresholds of metrics. The texts come from the tables, and scripts/metrics.awk has checked their
 * form.
 */
#include <string.h>
#include "lib/metrics/threshold.h"

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " ");
}

/* Reads a decimal number, whatever the locale. */
static double read_number(const char **p)
{
	double value = 0, digit = 1;
	bool point = false;

	for (; (**p >= '0' && **p <= '9') || **p == '.'; ++*p) {
		if (**p == '.') {
			point = true;
			continue;
		}
		digit /= point ? 10 : 1;
		value = point ? value + (**p - '0') * digit : value * 10 + (**p - '0');
	}
	return value;
}

bool perfctr_threshold_next(const char **text, struct perfctr_condition *condition)
{
	const char *p = *text + strspn(*text, " &|");

	if (!*p)
		return false;
	condition->name = p;
	condition->length = strcspn(p, " ");
	p = skip_blanks(p + condition->length);
	condition->below = *p == '<';
	p = skip_blanks(p + strspn(p, "<>"));
	condition->limit = read_number(&p);
	*text = p;
	return true;
}

bool perfctr_threshold_is_any(const char *text)
{
	return strchr(text, '|') != NULL;
}
