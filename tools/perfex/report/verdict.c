// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
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

static const char *const verdict_words[] = {
	[VERDICT_DIFFERS] = "differs",
	[VERDICT_BELOW] = "below the threshold",
	[VERDICT_SAME] = "same",
	[VERDICT_NOT_SHOWN] = "no difference shown",
	[VERDICT_NOT_BEFORE] = "not counted before",
	[VERDICT_NOT_NOW] = "not counted now",
	[VERDICT_TOO_FEW] = "needs two runs that counted it",
};

/* Writes the 95 % interval of a change that has a spread. */
static void print_interval(char *text, size_t size, const struct compared *one)
{
	text[0] = '\0';
	if (one->high > one->low)
		snprintf(text, size, "%+.2f%% to %+.2f%%", 100 * one->low, 100 * one->high);
}

/* Writes the verdict, and how to get another one. */
static void print_words(char *text, size_t size, const struct compared *one, double wanted)
{
	const char *more = one->runs > COMPARE_RUNS ? "more than " : "";

	if (one->runs)
		snprintf(text, size, "%s: %g%% needs %s%u runs", verdict_words[one->verdict],
			 100 * wanted, more, one->runs - !!*more);
	else
		snprintf(text, size, "%s", verdict_words[one->verdict]);
}

/* A row of the table, as it is printed. */
struct row {
	const struct compared *one;
	char before[64], now[64], change[32], p[32], errors[2][32], interval[64], words[80];
};

static struct row make_row(const struct compared *one, double wanted)
{
	struct row row = { .one = one };

	print_interval(row.interval, sizeof(row.interval), one);
	print_words(row.words, sizeof(row.words), one, wanted);
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
	enum colour colour = row->one->verdict == VERDICT_DIFFERS ? COLOUR_BAD
			     : isnan(row->one->p)		  ? COLOUR_UNSURE
								  : COLOUR_NONE;

	colour_begin(file, colour);
	fputs(row->words, file);
	colour_end(file, colour);
	fputc('\n', file);
}

static void print_wide(FILE *file, const struct row *row, int width)
{
	/* The sign is two bytes, and one letter. */
	fprintf(file, " %18s %*s %18s %*s %-6s ", row->before, 9 + !!*row->errors[0],
		row->errors[0], row->now, 9 + !!*row->errors[1], row->errors[1], row->one->unit);
	text_terminal(file, row->one->name, width);
	fprintf(file, " %9s %20s %8s  ", row->change, row->interval, row->p);
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
	fprintf(file, " %9s %8s  ", row->change, row->p);
	print_verdict(file, row);
	snprintf(side, sizeof(side), "      before %s %s %s", row->before, row->one->unit,
		 row->errors[0]);
	fit_put(&fit, side);
	snprintf(side, sizeof(side), ", now %s %s %s", row->now, row->one->unit, row->errors[1]);
	fit_put(&fit, side);
	snprintf(side, sizeof(side), ", change %s", row->interval);
	if (*row->interval)
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
	struct row *rows = need(calloc(comparison->n + 1, sizeof(*rows)));
	int width = 20, verdicts = 0, columns = terminal_columns(file), fixed = 107;
	bool narrow;
	unsigned int i;

	for (i = 0; i < comparison->n; i++) {
		rows[i] = make_row(&comparison->of[i], comparison_wanted(comparison));
		if (text_width(comparison->of[i].name) > width)
			width = text_width(comparison->of[i].name);
		if ((int)strlen(rows[i].words) + 2 > verdicts)
			verdicts = (int)strlen(rows[i].words) + 2;
	}
	narrow = columns && fixed + width + verdicts > columns;
	if (narrow && width > columns - 20 - verdicts)
		width = columns - 20 - verdicts > 4 ? columns - 20 - verdicts : 4;
	fputc('\n', file);
	print_side(file, "before", comparison->before);
	print_side(file, "now", comparison->now);
	if (narrow)
		fprintf(file, "\n %-*s %9s %8s\n", width, "", "change", "p");
	else
		fprintf(file, "\n %18s   ± error %18s   ± error        %-*s %9s %20s %8s\n",
			"before", "now", width, "", "change", "95% interval", "p");
	for (i = 0; i < comparison->n; i++)
		if (narrow)
			print_narrow(file, &rows[i], width);
		else
			print_wide(file, &rows[i], width);
	print_sum(file, comparison);
	free(rows);
}

/* ---- for programs ---- */

static void csv_number(FILE *file, double value)
{
	if (isnan(value))
		fputc(',', file);
	else
		fprintf(file, ",%.15g", value);
}

static void csv_summary(FILE *file, const struct summary *summary, double scale)
{
	csv_number(file, summary->mean * scale);
	csv_number(file, summary->n ? summary_deviation(summary) * scale : NAN);
	fprintf(file, ",%u", summary->n);
}

void verdict_csv(FILE *file, const struct comparison *comparison, bool header)
{
	unsigned int i;

	if (header)
		fputs("event,unit,before,before_deviation,before_runs,now,now_deviation,now_runs,"
		      "change_percent,change_low,change_high,p,differs,verdict,runs_needed\n",
		      file);
	for (i = 0; i < comparison->n; i++) {
		const struct compared *one = &comparison->of[i];

		text_csv(file, "", one->name);
		text_csv(file, ",", one->unit);
		csv_summary(file, &one->before, one->scale);
		csv_summary(file, &one->now, one->scale);
		csv_number(file, isnan(one->p) ? NAN : 100 * one->change);
		csv_number(file, 100 * one->low);
		csv_number(file, 100 * one->high);
		csv_number(file, one->p);
		fprintf(file, ",%d,%s,", one->verdict == VERDICT_DIFFERS,
			verdict_words[one->verdict]);
		if (one->runs && one->runs <= COMPARE_RUNS)
			fprintf(file, "%u", one->runs);
		fputc('\n', file);
	}
}

static void json_number(FILE *file, const char *before, double value)
{
	if (isfinite(value))
		fprintf(file, "%s%.15g", before, value);
	else
		fprintf(file, "%snull", before);
}

static void json_summary(FILE *file, const char *before, const struct summary *summary,
			 double scale)
{
	json_number(file, before, summary->mean * scale);
	json_number(file, ",\"deviation\":", summary->n ? summary_deviation(summary) * scale : NAN);
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
		text_json(file, ",\"unit\":", one->unit);
		json_summary(file, ",\"before\":{\"mean\":", &one->before, one->scale);
		json_summary(file, ",\"now\":{\"mean\":", &one->now, one->scale);
		json_number(file, ",\"change_percent\":", isnan(one->p) ? NAN : 100 * one->change);
		json_number(file, ",\"change_low\":", 100 * one->low);
		json_number(file, ",\"change_high\":", 100 * one->high);
		json_number(file, ",\"p\":", one->p);
		fprintf(file, ",\"differs\":%s,\"verdict\":\"%s\",\"runs_needed\":",
			one->verdict == VERDICT_DIFFERS ? "true" : "false",
			verdict_words[one->verdict]);
		if (one->runs && one->runs <= COMPARE_RUNS)
			fprintf(file, "%u}", one->runs);
		else
			fputs("null}", file);
	}
	fputs("]}", file);
}
