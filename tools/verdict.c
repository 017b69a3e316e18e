// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "colour.h"
#include "die.h"
#include "text.h"
#include "verdict.h"

/* ---- for a person ---- */

/* A mean with as many digits as say something: counts are integers. */
static void print_mean(char *text, size_t size, const struct compared *one,
		       const struct summary *summary)
{
	double value = summary->mean * one->scale;

	if (!summary->n)
		snprintf(text, size, "-");
	else if (fabs(value) < 1)
		snprintf(text, size, "%.6f", value);
	else if (fabs(value) < 100 || one->scale < 1)
		snprintf(text, size, "%.4f", value);
	else
		snprintf(text, size, "%.0f", value);
}

static void print_error(char *text, size_t size, const struct summary *summary)
{
	text[0] = '\0';
	if (summary->n)
		snprintf(text, size, "± %.2f%%", summary_error(summary));
}

static void print_change(char *text, size_t size, const struct compared *one)
{
	if (isnan(one->p))
		snprintf(text, size, "-");
	else if (isinf(one->change))
		snprintf(text, size, "was 0");
	else
		snprintf(text, size, "%+.2f%%", 100 * one->change);
}

static void print_p(char *text, size_t size, double p)
{
	if (isnan(p))
		snprintf(text, size, "-");
	else if (p < 0.0001)
		snprintf(text, size, "<0.0001");
	else
		snprintf(text, size, "%.4f", p);
}

static const char *verdict(const struct compared *one)
{
	if (isnan(one->p))
		return !one->before.n ? "not counted before"
		       : !one->now.n  ? "not counted now"
				      : "needs two runs that counted it";
	return one->differs ? "differs" : one->p < COMPARE_ALPHA ? "below the threshold" : "same";
}

static void print_one(FILE *file, const struct compared *one, int width)
{
	char before[64], now[64], change[32], p[32], errors[2][32];
	enum colour colour = one->differs    ? COLOUR_BAD
			     : isnan(one->p) ? COLOUR_UNSURE
					     : COLOUR_NONE;

	print_mean(before, sizeof(before), one, &one->before);
	print_mean(now, sizeof(now), one, &one->now);
	print_change(change, sizeof(change), one);
	print_p(p, sizeof(p), one->p);
	print_error(errors[0], sizeof(errors[0]), &one->before);
	print_error(errors[1], sizeof(errors[1]), &one->now);
	/* The sign is two bytes, and one letter. */
	fprintf(file, " %18s %*s %18s %*s %-6s ", before, 9 + !!*errors[0], errors[0], now,
		9 + !!*errors[1], errors[1], one->unit);
	text_terminal(file, one->name, width);
	fprintf(file, " %9s %8s  %s%s%s\n", change, p, colour_begin(file, colour), verdict(one),
		colour_end(file, colour));
}

void verdict_table(FILE *file, const struct comparison *comparison)
{
	int width = 20;
	unsigned int i;

	for (i = 0; i < comparison->n; i++)
		if ((int)strlen(comparison->of[i].name) > width)
			width = (int)strlen(comparison->of[i].name);
	fprintf(file, "\n before: %s\n now: %s\n\n", comparison->before, comparison->now);
	fprintf(file, " %18s           %18s                  %-*s %9s %8s\n", "before", "now",
		width, "", "change", "p");
	for (i = 0; i < comparison->n; i++)
		print_one(file, &comparison->of[i], width);
	fprintf(file, "\n %u of %u differ at %g%% for all together (Welch's test, Holm)",
		comparison->differing, comparison->compared, 100 * COMPARE_ALPHA);
	if (comparison->threshold > 0)
		fprintf(file, " and by more than %g%%", 100 * comparison->threshold);
	fputs("\n\n", file);
}

/* ---- for programs ---- */

static void csv_number(FILE *file, double value)
{
	if (isnan(value))
		fputc(',', file);
	else
		fprintf(file, ",%.15g", value);
}

static void csv_summary(FILE *file, const struct summary *summary)
{
	csv_number(file, summary->mean);
	csv_number(file, summary->n ? summary_deviation(summary) : NAN);
	fprintf(file, ",%u", summary->n);
}

void verdict_csv(FILE *file, const struct comparison *comparison, bool header)
{
	unsigned int i;

	if (header)
		fputs("event,before,before_deviation,before_runs,now,now_deviation,now_runs,change_percent,p,"
		      "differs,verdict\n",
		      file);
	for (i = 0; i < comparison->n; i++) {
		const struct compared *one = &comparison->of[i];

		text_csv(file, "", one->name);
		csv_summary(file, &one->before);
		csv_summary(file, &one->now);
		csv_number(file, isnan(one->p) ? NAN : 100 * one->change);
		csv_number(file, one->p);
		fprintf(file, ",%d,%s\n", one->differs, verdict(one));
	}
}

static void json_number(FILE *file, const char *before, double value)
{
	if (isfinite(value))
		fprintf(file, "%s%.15g", before, value);
	else
		fprintf(file, "%snull", before);
}

static void json_summary(FILE *file, const char *before, const struct summary *summary)
{
	json_number(file, before, summary->mean);
	json_number(file, ",\"deviation\":", summary->n ? summary_deviation(summary) : NAN);
	fprintf(file, ",\"runs\":%u}", summary->n);
}

void verdict_json(FILE *file, const struct comparison *comparison)
{
	unsigned int i;

	text_json(file, ",\"comparison\":{\"before\":", comparison->before);
	text_json(file, ",\"now\":", comparison->now);
	fprintf(file,
		",\"alpha\":%g,\"threshold_percent\":%.15g,\"compared\":%u,\"differing\":%u,"
		"\"events\":[",
		COMPARE_ALPHA, 100 * comparison->threshold, comparison->compared,
		comparison->differing);
	for (i = 0; i < comparison->n; i++) {
		const struct compared *one = &comparison->of[i];

		text_json(file, i ? ",{\"event\":" : "{\"event\":", one->name);
		json_summary(file, ",\"before\":{\"mean\":", &one->before);
		json_summary(file, ",\"now\":{\"mean\":", &one->now);
		json_number(file, ",\"change_percent\":", isnan(one->p) ? NAN : 100 * one->change);
		json_number(file, ",\"p\":", one->p);
		fprintf(file, ",\"differs\":%s,\"verdict\":\"%s\"}",
			one->differs ? "true" : "false", verdict(one));
	}
	fputs("]}", file);
}
