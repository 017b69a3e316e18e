// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/analyse/advice.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/analyse/cause.h"
#include "tools/perfex/report/tree.h"

/* ---- without thresholds ---- */

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), n = strlen(end);

	return length >= n && !strcmp(name + length - n, end);
}

/* Whether it is a share that this thread lost: not that of its work, nor that of another thread. */
static bool is_loss(const struct metric *metric)
{
	return !metric->value.reason && !ends_with(metric->is.name, "retiring") &&
	       !ends_with(metric->is.name, "-smt");
}

static bool is_on(const struct metric *metric, const char *core)
{
	return !strcmp(metric->is.core, core);
}

/* Returns the largest part of a metric (NULL: of all) that is lost; NULL: there is none. */
static const struct metric *largest_part(const struct metric *metrics, unsigned int n,
					 const char *core, const struct metric *of)
{
	const struct metric *largest = NULL;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (is_on(&metrics[i], core) && is_loss(&metrics[i]) &&
		    tree_parent(metrics, n, &metrics[i]) == of &&
		    (!largest || metrics[i].value.value > largest->value.value))
			largest = &metrics[i];
	return largest;
}

static const struct metric *largest_share(const struct metric *metrics, unsigned int n,
					  const char *core)
{
	const struct metric *found = NULL, *part = largest_part(metrics, n, core, NULL);

	for (; part; part = largest_part(metrics, n, core, part))
		found = part;
	return found;
}

/* ---- the cause ---- */

static bool have_thresholds(const struct metric *metrics, unsigned int n, const char *core)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (is_on(&metrics[i], core) && *metrics[i].is.threshold)
			return true;
	return false;
}

static const struct metric *bottleneck(const struct metric *metrics, unsigned int n,
				       const char *core)
{
	bool *worst = tree_bottlenecks(metrics, n);
	const struct metric *metric = NULL;
	unsigned int i;

	for (i = 0; i < n && !metric; i++)
		if (worst[i] && is_on(&metrics[i], core))
			metric = &metrics[i];
	free(worst);
	return metric;
}

/* Why none of the core type's metrics has a value; NULL: one has. */
static const char *find_reason(const struct metric *metrics, unsigned int n, const char *core)
{
	const char *reason = NULL;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!is_on(&metrics[i], core))
			continue;
		if (!metrics[i].value.reason)
			return NULL;
		reason = reason ? reason : metrics[i].reason;
	}
	return reason;
}

static struct cause find(const struct metric *metrics, unsigned int n, const char *core)
{
	struct cause cause = { .core = core, .thresholds = have_thresholds(metrics, n, core) };
	const struct metric *metric = cause.thresholds ? bottleneck(metrics, n, core)
						       : largest_share(metrics, n, core);

	if (*core)
		cause.reason = find_reason(metrics, n, core);
	for (; metric && cause.n < sizeof(cause.path) / sizeof(cause.path[0]);
	     metric = tree_parent(metrics, n, metric))
		cause.path[cause.n++] = metric;
	return cause;
}

struct cause *causes_find(const struct metric *metrics, unsigned int n, unsigned int *count)
{
	struct cause *causes = need(calloc(n + 1, sizeof(*causes)));
	unsigned int i, k;

	*count = 0;
	for (i = 0; i < n; i++) {
		for (k = 0; k < *count && !is_on(&metrics[i], causes[k].core); k++)
			;
		if (k == *count)
			causes[(*count)++] = find(metrics, n, metrics[i].is.core);
	}
	return causes;
}

/* ---- what is printed ---- */

static void put_share(struct fit *fit, const struct metric *metric)
{
	char text[sizeof(metric->name) + 64];

	snprintf(text, sizeof(text), "%s, %.1f %%%s", metric->is.name, metric->value.value,
		 metric->value.quality <= PERFCTR_UNVERIFIED ? "" : " (estimate)");
	fit_words(fit, text);
}

static void put_doubt(struct fit *fit, const struct cause *cause)
{
	if (!cause->thresholds)
		fit_words(fit, "the vendor publishes no thresholds; ");
	if (cause->n)
		fit_words(fit, cause->thresholds ? "" : "the largest share is ");
	else if (cause->thresholds)
		fit_words(fit, "nothing of the tree is beyond its threshold: no part of the "
			       "processor stands out, and perfex --topdown shows all");
	else
		fit_words(fit, "and of what may be lost nothing was counted");
}

void cause_print(FILE *file, const struct cause *cause)
{
	struct fit fit = fit_begin(file, 8);
	unsigned int i;

	fit_put(&fit, " cause:  ");
	if (*cause->core) {
		fit_words(&fit, "on ");
		fit_words(&fit, cause->core);
		fit_words(&fit, cause->reason ? " nothing was counted: " : ": ");
	}
	if (cause->reason)
		fit_words(&fit, cause->reason);
	else
		put_doubt(&fit, cause);
	for (i = 0; i < cause->n; i++) {
		fit_words(&fit, i ? "; in " : "");
		put_share(&fit, cause->path[i]);
		if (i)
			continue;
		fit_words(&fit, ": ");
		fit_words(&fit, cause->path[0]->is.description);
	}
	fit_end(&fit);
}

void cause_print_advice(FILE *file, const struct cause *cause, bool functions)
{
	struct fit fit = fit_begin(file, 8);
	const char *text = NULL;
	unsigned int i;

	for (i = 0; i < cause->n && !text; i++)
		text = advice_for(cause->path[i]->is.name);
	if (!text)
		text = functions
			       ? "a better algorithm for the functions above; perfex --sample --html "
				 "shows who calls them"
			       : "a better algorithm; perfex --sample shows the functions that take "
				 "the time";
	fit_put(&fit, " try:    ");
	fit_words(&fit, text);
	fit_end(&fit);
	fputc('\n', file);
}
