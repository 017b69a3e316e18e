// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/report/compare.h"
#include "tools/perfex/base/die.h"

/* The change from one mean to another. */
static double change_of(double before, double now)
{
	if (!(fabs(before) > 0))
		return fabs(now) > 0 ? copysign(INFINITY, now) : 0;
	return (now - before) / fabs(before);
}

void comparison_add(struct comparison *comparison, const char *name, const char *unit, double scale,
		    const struct series *before, const struct series *now)
{
	struct compared *one;

	comparison->of = need(reallocarray(comparison->of, comparison->n + 1, sizeof(*one)));
	one = &comparison->of[comparison->n++];
	*one = (struct compared){
		.name = need(strdup(name)),
		.unit = unit,
		.scale = scale,
		.before = series_summary(before),
		.now = series_summary(now),
	};
	one->change = change_of(one->before.mean, one->now.mean);
	one->p = welch_p(&one->before, &one->now);
}

void comparison_decide(struct comparison *comparison)
{
	double *p = need(calloc(comparison->n + 1, sizeof(*p)));
	unsigned int i, n = 0;

	for (i = 0; i < comparison->n; i++)
		if (!isnan(comparison->of[i].p))
			p[n++] = comparison->of[i].p;
	holm_adjust(p, n);
	comparison->compared = n;
	for (n = i = 0; i < comparison->n; i++) {
		struct compared *one = &comparison->of[i];

		if (isnan(one->p))
			continue;
		one->p = p[n++];
		one->differs = one->p < COMPARE_ALPHA && fabs(one->change) > comparison->threshold;
		comparison->differing += one->differs;
	}
	free(p);
}

void comparison_free(struct comparison *comparison)
{
	unsigned int i;

	for (i = 0; i < comparison->n; i++)
		free(comparison->of[i].name);
	free(comparison->of);
}
