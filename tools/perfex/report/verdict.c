// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/report/verdict.h"

/* ---- for a person ---- */

/* Writes a mean with its significant digits: counts are integers. */
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

/* A row of the table, as it is printed. */
struct row {
	const struct compared *one;
	char before[64], now[64], change[32], p[32], errors[2][32];
};

static struct row make_row(const struct compared *one)
{
	struct row row = { .one = one };

	print_mean(row.before, sizeof(row.before), one, &one->before);
	print_mean(row.now, sizeof(row.now), one, &one->now);
	print_change(row.change, sizeof(row.change), one);
	print_p(row.p, sizeof(row.p), one->p);
	print_error(row.errors[0], sizeof(row.errors[0]), &one->before);
	print_error(row.errors[1], sizeof(row.errors[1]), &one->now);
	return row;
}

static void print_verdict(FILE *file, const struct row *row)
{
	enum colour colour = row->one->differs	  ? COLOUR_BAD
			     : isnan(row->one->p) ? COLOUR_UNSURE
						  : COLOUR_NONE;

	fprintf(file, " %9s %8s  ", row->change, row->p);
	colour_begin(file, colour);
	fputs(verdict(row->one), file);
	colour_end(file, colour);
	fputc('\n', file);
}

static void print_wide(FILE *file, const struct row *row, int width)
{
	/* The sign is two bytes, and one letter. */
	fprintf(file, " %18s %*s %18s %*s %-6s ", row->before, 9 + !!*row->errors[0],
		row->errors[0], row->now, 9 + !!*row->errors[1], row->errors[1], row->one->unit);
	text_terminal(file, row->one->name, width);
	print_verdict(file, row);
}

/* Prints the measured values below the name. */
static void print_narrow(FILE *file, const struct row *row, int width)
{
	struct fit fit = fit_begin(file, 6);
	char side[128];

	fputc(' ', file);
	text_cut(file, row->one->name, width);
	if (text_width(row->one->name) < width)
		fprintf(file, "%*s", width - text_width(row->one->name), "");
	print_verdict(file, row);
	snprintf(side, sizeof(side), "      before %s %s %s", row->before, row->one->unit,
		 row->errors[0]);
	fit_put(&fit, side);
	snprintf(side, sizeof(side), ", now %s %s %s", row->now, row->one->unit, row->errors[1]);
	fit_put(&fit, side);
	fit_end(&fit);
}

/* Prints one side of the comparison, as the user has written it. */
static void print_side(FILE *file, const char *name, const char *text)
{
	struct fit fit = fit_begin(file, 9);

	fit_used(&fit, fprintf(file, " %s: ", name));
	fit_words(&fit, text);
	fit_end(&fit);
}

static void print_sum(FILE *file, const struct comparison *comparison)
{
	struct fit fit = fit_begin(file, 1);
	char text[128];

	snprintf(text, sizeof(text),
		 " %u of %u differ at %g%% for all together (Welch's test, Holm)",
		 comparison->differing, comparison->compared, 100 * COMPARE_ALPHA);
	fputc('\n', file);
	fit_words(&fit, text);
	if (comparison->threshold > 0) {
		snprintf(text, sizeof(text), " and by more than %g%%", 100 * comparison->threshold);
		fit_words(&fit, text);
	}
	fit_end(&fit);
	fputc('\n', file);
}

void verdict_table(FILE *file, const struct comparison *comparison)
{
	const int verdicts = 31; /* letters of the longest one, with its blanks */
	int width = 20, columns = terminal_columns(file), fixed = 86;
	bool narrow;
	unsigned int i;

	for (i = 0; i < comparison->n; i++)
		if (text_width(comparison->of[i].name) > width)
			width = text_width(comparison->of[i].name);
	narrow = columns && fixed + width + verdicts > columns;
	if (narrow && width > columns - 19 - verdicts)
		width = columns - 19 - verdicts > 4 ? columns - 19 - verdicts : 4;
	fputc('\n', file);
	print_side(file, "before", comparison->before);
	print_side(file, "now", comparison->now);
	if (narrow)
		fprintf(file, "\n %-*s %9s %8s\n", width, "", "change", "p");
	else
		fprintf(file, "\n %18s           %18s                  %-*s %9s %8s\n", "before",
			"now", width, "", "change", "p");
	for (i = 0; i < comparison->n; i++) {
		struct row row = make_row(&comparison->of[i]);

		if (narrow)
			print_narrow(file, &row, width);
		else
			print_wide(file, &row, width);
	}
	print_sum(file, comparison);
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
