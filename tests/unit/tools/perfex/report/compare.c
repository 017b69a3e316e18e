// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which differences perfex finds: the statistics against published tables, on simulated runs whose
 * distribution is known, and on files that may hold anything.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tests/harness/random.h"
#include "tools/perfex/base/document.h"
#include "tools/perfex/report/baseline.h"
#include "tools/perfex/report/compare.h"
#include "tools/perfex/report/verdict.h"

static bool near(double a, double b, double error)
{
	return fabs(a - b) <= error;
}

/* ---- Student's t ---- */

/*
 * Critical values, two-sided: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2. They
 * have three decimals.
 */
START_TEST(student)
{
	static const struct {
		double freedom, t[3];
	} rows[] = {
		{ 1, { 6.314, 12.706, 63.657 } }, { 2, { 2.920, 4.303, 9.925 } },
		{ 3, { 2.353, 3.182, 5.841 } },	  { 4, { 2.132, 2.776, 4.604 } },
		{ 5, { 2.015, 2.571, 4.032 } },	  { 9, { 1.833, 2.262, 3.250 } },
		{ 10, { 1.812, 2.228, 3.169 } },  { 18, { 1.734, 2.101, 2.878 } },
		{ 30, { 1.697, 2.042, 2.750 } },  { 60, { 1.671, 2.000, 2.660 } },
		{ 100, { 1.660, 1.984, 2.626 } },
	};
	static const double p[3] = { 0.10, 0.05, 0.01 };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (k = 0; k < 3; k++) {
			ck_assert(student_p(rows[i].t[k] - 0.0006, rows[i].freedom) > p[k]);
			ck_assert(student_p(rows[i].t[k] + 0.0006, rows[i].freedom) < p[k]);
		}
}
END_TEST

/* With one and two degrees of freedom it has a closed form; at the ends it is 1 and 0. */
START_TEST(student_closed)
{
	double t;

	for (t = 1e-6; t < 1e9; t *= 3) {
		double one = 2 * atan(1 / t) / acos(-1),
		       two = 2 / (2 + t * t + t * sqrt(2 + t * t));

		ck_assert_msg(near(student_p(t, 1), one, 1e-12 + 1e-9 * one), "%g", t);
		ck_assert_msg(near(student_p(t, 2), two, 1e-12 + 1e-9 * two), "%g", t);
		ck_assert(student_p(-t, 2) == student_p(t, 2));
	}
	ck_assert(student_p(0, 7) == 1);
	ck_assert(student_p(INFINITY, 7) == 0);
	ck_assert(student_p(1e200, 7) < 1e-300);
}
END_TEST

/* ---- Welch ---- */

static struct summary summary_of(const double *values, unsigned int n)
{
	struct series series = { .n = 0 };
	struct summary summary;
	unsigned int i;

	for (i = 0; i < n; i++)
		series_add(&series, values[i]);
	summary = series_summary(&series);
	series_free(&series);
	return summary;
}

/* By hand: means 3 and 6, variances of the means 1/2 and 2, so t is -3/sqrt(5/2), freedom 100/17.
 */
START_TEST(welch)
{
	static const double a[] = { 1, 2, 3, 4, 5 }, b[] = { 2, 4, 6, 8, 10 };
	struct summary x = summary_of(a, 5), y = summary_of(b, 5);

	ck_assert(near(welch_p(&x, &y), student_p(3 / sqrt(2.5), 100. / 17), 1e-12));
	ck_assert(near(welch_p(&y, &x), welch_p(&x, &y), 1e-15));
	ck_assert(near(welch_p(&x, &x), 1, 1e-15));
}
END_TEST

/* What is the same in every run differs for certain, or not at all. */
START_TEST(no_spread)
{
	static const double a[] = { 5, 5, 5 }, b[] = { 6, 6 }, c[] = { 4, 5, 6 }, one[] = { 5 };
	struct summary x = summary_of(a, 3), y = summary_of(b, 2), z = summary_of(c, 3);
	struct summary single = summary_of(one, 1), none = summary_of(one, 0);

	ck_assert(welch_p(&x, &x) == 1 && welch_p(&x, &y) == 0 && welch_p(&y, &x) == 0);
	ck_assert(near(welch_p(&x, &z), 1, 1e-12));
	ck_assert(near(welch_p(&y, &z), student_p(1 / sqrt(1. / 3), 2), 1e-12));
	ck_assert(isnan(welch_p(&x, &single)) && isnan(welch_p(&single, &x)));
	ck_assert(isnan(welch_p(&none, &x)));
}
END_TEST

START_TEST(holm)
{
	double p[] = { 0.01, 0.04, 0.03, 0.005 }, big[] = { 0.9, 0.8 }, one = 0.05;

	holm_adjust(p, 4);
	ck_assert(near(p[3], 0.02, 1e-15) && near(p[0], 0.03, 1e-15));
	ck_assert(near(p[2], 0.06, 1e-15) && near(p[1], 0.06, 1e-15));
	holm_adjust(big, 2);
	ck_assert(big[0] == 1 && big[1] == 1);
	holm_adjust(&one, 1);
	ck_assert(one == 0.05);
	holm_adjust(NULL, 0);
}
END_TEST

/* ---- simulated runs ---- */

enum { RUNS = 10, EVENTS = 8, COMPARISONS = 2000 };

static double uniform(void)
{
	return (random_word() + 0.5) / 4294967296.;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

/* As counts are: around a million, 0.2 percent of noise, integers. */
static double noise_normal(void)
{
	return floor(1e6 * (1 + 0.002 * normal()));
}

/* Most runs are alike, and some take longer. */
static double noise_skewed(void)
{
	return floor(1e6 * (1 + 0.002 * exp(normal())));
}

/* A handful of context switches. */
static double noise_few(void)
{
	return floor(3 * uniform());
}

static void add_series(struct comparison *comparison, double (*noise)(void), double factor)
{
	struct series before = { .n = 0 }, now = { .n = 0 };
	unsigned int r;

	for (r = 0; r < RUNS; r++) {
		series_add(&before, noise());
		series_add(&now, noise() * factor);
	}
	comparison_add(comparison, "event", "", 1, &before, &now);
	series_free(&before);
	series_free(&now);
}

/* Of so many comparisons, those that find something; the first event is so many times what it was.
 */
static unsigned int simulate(double (*noise)(void), double factor, double threshold, bool first)
{
	unsigned int i, k, found = 0;

	random_state = 88172645463325252u;
	for (i = 0; i < COMPARISONS; i++) {
		struct comparison comparison = { .threshold = threshold };

		for (k = 0; k < EVENTS; k++)
			add_series(&comparison, noise, k ? 1 : factor);
		comparison_decide(&comparison);
		ck_assert_uint_eq(comparison.compared, EVENTS);
		found += first ? comparison.of[0].verdict == VERDICT_DIFFERS
			       : comparison.differing > 0;
		comparison_free(&comparison);
	}
	return found;
}

/* False alarms of whole families: 6.5 percent are 130. */
START_TEST(false_alarms)
{
	unsigned int even = simulate(noise_normal, 1, 0, false);
	unsigned int skewed = simulate(noise_skewed, 1, 0, false);
	unsigned int few = simulate(noise_few, 1, 0, false);

	printf("false alarms in %d: %u, skewed %u, few %u\n", COMPARISONS, even, skewed, few);
	ck_assert_uint_le(even, COMPARISONS * 65 / 1000);
	ck_assert_uint_ge(even, COMPARISONS * 20 / 1000); /* a test that never speaks is none */
	ck_assert_uint_le(skewed, COMPARISONS * 65 / 1000);
	ck_assert_uint_le(few, COMPARISONS * 65 / 1000);
}
END_TEST

START_TEST(found)
{
	unsigned int more = simulate(noise_normal, 1.01, 0, true);
	unsigned int less = simulate(noise_normal, 0.99, 0.005, true);

	printf("a difference of 1 %% found in %d: %u, with a threshold %u\n", COMPARISONS, more,
	       less);
	ck_assert_uint_ge(more, COMPARISONS * 95 / 100);
	ck_assert_uint_ge(less, COMPARISONS * 95 / 100);
	ck_assert_uint_eq(simulate(noise_normal, 1.01, 0.02, true), 0);
}
END_TEST

/* ---- decisions ---- */

static struct series series_of(const double *values, unsigned int n)
{
	struct series series = { .n = 0 };
	unsigned int i;

	for (i = 0; i < n; i++)
		series_add(&series, values[i]);
	return series;
}

/* A mean may be negative, as a temperature's: what becomes greater has changed upwards. */
START_TEST(negative_means)
{
	struct comparison comparison = { .threshold = 0 };
	struct series cold = { .n = 0 }, warm = { .n = 0 }, zero = { .n = 0 };
	struct summary summary;

	series_add(&cold, -11);
	series_add(&cold, -9);
	series_add(&warm, -6);
	series_add(&warm, -4);
	comparison_add(&comparison, "warmer", "C", 1, &cold, &warm);
	series_add(&zero, 0);
	series_add(&zero, 0);
	comparison_add(&comparison, "colder", "C", 1, &warm, &cold);
	comparison_add(&comparison, "freezing", "C", 1, &zero, &cold);
	ck_assert(near(comparison.of[0].change, 0.5, 1e-15));
	ck_assert(near(comparison.of[1].change, -1, 1e-15));
	ck_assert(isinf(comparison.of[2].change) && comparison.of[2].change < 0);
	summary = series_summary(&cold);
	ck_assert(near(summary.mean, -10, 1e-15) && near(summary_error(&summary), 10, 1e-12));
	comparison_free(&comparison);
	series_free(&cold);
	series_free(&warm);
	series_free(&zero);
}
END_TEST

START_TEST(decisions)
{
	static const double same[] = { 100, 100, 100 }, more[] = { 103, 103, 103 },
			    zero[] = { 0, 0, 0 }, gone[] = { NAN, NAN, 5 };
	struct series a = series_of(same, 3), b = series_of(more, 3), c = series_of(zero, 3),
		      d = series_of(gone, 3);
	struct comparison comparison = { .threshold = 0.02 };

	comparison_add(&comparison, "more", "", 1, &a, &b);
	comparison_add(&comparison, "same", "", 1, &a, &a);
	comparison_add(&comparison, "from zero", "", 1, &c, &a);
	comparison_add(&comparison, "gone", "", 1, &a, &d);
	comparison_add(&comparison, "to zero", "", 1, &a, &c);
	comparison_add(&comparison, "zero", "", 1, &c, &c);
	comparison_decide(&comparison);
	ck_assert_uint_eq(comparison.compared, 5);
	ck_assert_uint_eq(comparison.differing, 3);
	ck_assert(comparison.of[0].verdict == VERDICT_DIFFERS &&
		  near(comparison.of[0].change, 0.03, 1e-15));
	ck_assert(comparison.of[1].verdict != VERDICT_DIFFERS && comparison.of[1].p == 1);
	ck_assert(comparison.of[2].verdict == VERDICT_DIFFERS && isinf(comparison.of[2].change));
	ck_assert(comparison.of[3].verdict != VERDICT_DIFFERS && isnan(comparison.of[3].p));
	ck_assert(comparison.of[4].verdict == VERDICT_DIFFERS && comparison.of[4].change == -1);
	ck_assert(comparison.of[5].verdict != VERDICT_DIFFERS && comparison.of[5].change == 0);
	comparison_free(&comparison);
	comparison = (struct comparison){ .threshold = 0.03 };
	comparison_add(&comparison, "more", "", 1, &a, &b);
	comparison_decide(&comparison);
	ck_assert(comparison.of[0].verdict != VERDICT_DIFFERS && comparison.of[0].p == 0);
	comparison_free(&comparison);
	series_free(&a);
	series_free(&b);
	series_free(&c);
	series_free(&d);
}
END_TEST

/* Quantiles as SciPy's t.isf() gives them. */
START_TEST(quantiles)
{
	static const struct {
		double p, freedom, t;
	} rows[] = { { 0.05, 1, 12.706204736432102 },
		     { 0.05, 2.5, 3.574654842011878 },
		     { 0.05, 10, 2.2281388519649385 },
		     { 0.01, 30, 2.7499956535670305 },
		     { 0.05, 1e6, 1.959966356814107 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		ck_assert(near(student_t(rows[i].p, rows[i].freedom), rows[i].t, 1e-8));
}
END_TEST

/* Welch's interval and the runs that its width needs, as SciPy gives them. */
START_TEST(intervals)
{
	static const double before[] = { 10, 11, 12 }, now[] = { 10.5, 12.5, 11 },
			    zero[] = { -1, 1 }, wild[] = { 1, 1000000 };
	struct series a = series_of(before, 3), b = series_of(now, 3), c = series_of(zero, 2),
		      d = series_of(wild, 2);
	struct comparison comparison = { .threshold = 0 };

	comparison_add(&comparison, "alike", "", 1, &a, &b);
	comparison_add(&comparison, "around zero", "", 1, &c, &c);
	comparison_add(&comparison, "wild", "", 1, &d, &d);
	comparison_decide(&comparison);
	ck_assert(near(comparison.of[0].low, -0.18016651080003962, 1e-8));
	ck_assert(near(comparison.of[0].high, 0.24077257140610034, 1e-8));
	ck_assert_int_eq(comparison.of[0].verdict, VERDICT_NOT_SHOWN);
	ck_assert_uint_eq(comparison.of[0].runs, 28);
	ck_assert(isnan(comparison.of[1].low) && isnan(comparison.of[1].high));
	ck_assert_int_eq(comparison.of[1].verdict, VERDICT_NOT_SHOWN);
	ck_assert_uint_eq(comparison.of[1].runs, 0);
	ck_assert_uint_eq(comparison.of[2].runs, 6148);
	comparison.threshold = 0.2;
	comparison_decide(&comparison);
	ck_assert_int_eq(comparison.of[0].verdict, VERDICT_NOT_SHOWN);
	ck_assert_uint_eq(comparison.of[0].runs, 4);
	comparison.threshold = 0.25;
	comparison_decide(&comparison);
	ck_assert_int_eq(comparison.of[0].verdict, VERDICT_SAME);
	ck_assert_uint_eq(comparison.of[0].runs, 0);
	comparison_free(&comparison);
	series_free(&a);
	series_free(&b);
	series_free(&c);
	series_free(&d);
}
END_TEST

/* ---- what is said of it ---- */

static char printed[4096];

static void print(const struct comparison *comparison)
{
	FILE *file = fmemopen(printed, sizeof(printed), "w");

	verdict_table(file, comparison);
	verdict_csv(file, comparison, false);
	verdict_json(file, comparison);
	ck_assert_int_eq(fclose(file), 0);
}

static void says(const char *words)
{
	ck_assert_msg(strstr(printed, words), "no \"%s\" in:\n%s", words, printed);
}

START_TEST(verdicts)
{
	static const double same[] = { 100, 100, 100 }, more[] = { 103, 103, 103 },
			    zero[] = { 0, 0, 0 }, once[] = { 5, NAN, NAN },
			    wide[] = { 97, 103, 100 }, other[] = { 96.5, 102.5, 99.5 };
	struct series a = series_of(same, 3), b = series_of(more, 3), c = series_of(zero, 3),
		      d = series_of(once, 3), e = series_of(wide, 3), f = series_of(other, 3),
		      none = { .n = 0 };
	struct comparison comparison = { .before = "x", .now = "y", .threshold = 0.05 };

	comparison_add(&comparison, "more", "", 1, &a, &b);
	comparison_add(&comparison, "appears", "", 1, &c, &a);
	comparison_add(&comparison, "new", "", 1, &none, &a);
	comparison_add(&comparison, "lost", "", 1, &a, &none);
	comparison_add(&comparison, "rare", "", 1, &a, &d);
	comparison_add(&comparison, "equal", "", 1, &a, &a);
	comparison_add(&comparison, "spread", "msec", 0.001, &e, &f);
	comparison_decide(&comparison);
	print(&comparison);
	says("   +3.00%                       <0.0001  below the threshold\n");
	says("    was 0                       <0.0001  differs\n");
	says("        -                             -  not counted before\n");
	says("        -                             -  not counted now\n");
	says("        -                             -  needs two runs that counted it\n");
	says("   +0.00%                        1.0000  same\n");
	says("   -0.50%     -7.30% to +6.30%   1.0000  no difference shown: 5% needs 5 runs\n");
	says("\n 1 of 4 differ at 5% for all together (Welch's test, Holm) and by more than 5%\n");
	says("\nmore,,100,0,3,103,0,3,3,3,3,0,0,below the threshold,\n");
	says("\nappears,,0,0,3,100,0,3,inf,,,0,1,differs,\n");
	says("\nnew,,,,0,100,0,3,,,,,0,not counted before,\n");
	says("\nrare,,100,0,3,5,0,1,,,,,0,needs two runs that counted it,\n");
	says("\nspread,msec,0.1,0.00");
	says(",no difference shown,5\n");
	says("{\"event\":\"appears\",\"unit\":\"\",\"before\":{\"mean\":0,\"deviation\":0,\"runs\":3},"
	     "\"now\":{\"mean\":100,\"deviation\":0,\"runs\":3},\"change_percent\":null,"
	     "\"change_low\":null,\"change_high\":null,\"p\":0,\"differs\":true,"
	     "\"verdict\":\"differs\",\"runs_needed\":null}");
	says("{\"event\":\"lost\",\"unit\":\"\",\"before\":{\"mean\":100,\"deviation\":0,\"runs\":3},"
	     "\"now\":{\"mean\":null,\"deviation\":null,\"runs\":0},\"change_percent\":null,"
	     "\"change_low\":null,\"change_high\":null,\"p\":null,\"differs\":false,"
	     "\"verdict\":\"not counted now\",\"runs_needed\":null}");
	says("\"runs_needed\":5}");
	comparison_free(&comparison);
	series_free(&a);
	series_free(&b);
	series_free(&c);
	series_free(&d);
	series_free(&e);
	series_free(&f);
}
END_TEST

/* As many digits as say something, of negative ones, too. */
START_TEST(digits)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = {
		{ 0, "0.000000" },   { 0.5, "0.500000" }, { -0.5, "-0.500000" },
		{ 1, "1.0000" },     { -1, "-1.0000" },	  { 50, "50.0000" },
		{ -50, "-50.0000" }, { 500, "500" },	  { -500, "-500" },
	};
	struct comparison comparison = { .before = "x", .now = "y" };
	struct series series;
	unsigned int i;
	char row[64];

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const double values[] = { rows[i].value, rows[i].value };

		series = series_of(values, 2);
		comparison_add(&comparison, rows[i].text, "", 1, &series, &series);
		series_free(&series);
	}
	comparison_decide(&comparison);
	print(&comparison);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(row, sizeof(row), "\n %18s ", rows[i].text);
		says(row);
	}
	comparison_free(&comparison);
}
END_TEST

/* ---- JSON ---- */

static void refuses(const char *text, size_t size, const char *problem)
{
	struct document document;

	ck_assert_int_eq(document_parse(&document, text, size), -1);
	ck_assert_str_eq(document.problem, problem);
	document_free(&document);
}

#define REFUSES(text, problem) refuses(text, sizeof(text) - 1, problem)

START_TEST(no_json)
{
	REFUSES("", "line 1: the file ends in the middle of a value");
	REFUSES("\n\n{\"a\":", "line 3: the file ends in the middle of a value");
	REFUSES("[1,\n2", "line 2: a comma or the closing bracket is missing");
	REFUSES("[1 2]", "line 1: a comma or the closing bracket is missing");
	REFUSES("{\"a\":1 \"b\":2}", "line 1: a comma or the closing bracket is missing");
	REFUSES("[1,]", "line 1: this is no value");
	REFUSES("{\"a\":1,}", "line 1: a member of an object is \"name\": value");
	REFUSES("{\"a\" 1}", "line 1: a member of an object is \"name\": value");
	REFUSES("{1:2}", "line 1: a member of an object is \"name\": value");
	REFUSES("{\"a", "line 1: a string does not end on its line");
	REFUSES("\"a\nb\"", "line 1: a string does not end on its line");
	REFUSES("\"\\q\"", "line 1: a string has a \\ with nothing after it that JSON knows");
	REFUSES("\"\\u12\"", "line 1: a string has a \\ with nothing after it that JSON knows");
	REFUSES("\"\\ud800x\"", "line 1: a string has a \\ with nothing after it that JSON knows");
	REFUSES("\"\\ud800\\u0041\"",
		"line 1: a string has a \\ with nothing after it that JSON knows");
	REFUSES("\"\\udc00\"", "line 1: a string has a \\ with nothing after it that JSON knows");
	REFUSES("\"\\u0000\"", "line 1: a string has a \\ with nothing after it that JSON knows");
	REFUSES("\"\\", "line 1: a string has a \\ with nothing after it that JSON knows");
	REFUSES("01", "line 1: this is no value");
	REFUSES("+1", "line 1: this is no value");
	REFUSES(".5", "line 1: this is no value");
	REFUSES("1.", "line 1: this is no value");
	REFUSES("1e", "line 1: this is no value");
	REFUSES("-", "line 1: this is no value");
	REFUSES("0x10", "line 1: this is no value");
	REFUSES("nan", "line 1: this is no value");
	REFUSES("nul", "line 1: this is no value");
	REFUSES("1e999", "line 1: a number is too big");
	REFUSES("1\0", "line 1: a zero byte is no JSON");
	REFUSES("[[[[[[[[[[[[[[[[[", "line 1: values are in too many others");
	REFUSES("{} x", "line 1: this is no value");
}
END_TEST

START_TEST(json)
{
	static const char text[] =
		"{}\n[0]\n{ \"a\\u00e4\\ud83d\\ude00\\n\" : [ -1.5e+2 , true,\n"
		"\tfalse, null ], \"b\": \"\\\"\\\\\\/\\b\\f\\r\\t\", \"b\": 7 }\n";
	struct document document;
	const struct node *list;

	ck_assert_int_eq(document_parse(&document, text, sizeof(text) - 1), 0);
	list = node_member(document.root, "a\u00e4\U0001f600\n", PERFCTR_JSON_ARRAY);
	ck_assert(list && list->child->number == -150 && list->child->next->number == 1);
	ck_assert_uint_eq(list->line, 3);
	list = list->child->next->next;
	ck_assert(list->type == PERFCTR_JSON_BOOL && list->number == 0 &&
		  list->next->type == PERFCTR_JSON_NULL);
	ck_assert_uint_eq(list->line, 4);
	ck_assert(!list->next->next);
	ck_assert_str_eq(node_member(document.root, "b", PERFCTR_JSON_STRING)->string,
			 "\"\\/\b\f\r\t");
	ck_assert(node_member(document.root, "b", PERFCTR_JSON_NUMBER)->number == 7);
	ck_assert(!node_member(document.root, "c", PERFCTR_JSON_NUMBER));
	ck_assert(!node_member(list, "c", PERFCTR_JSON_NUMBER) &&
		  !node_member(NULL, "c", PERFCTR_JSON_NUMBER));
	document_free(&document);
}
END_TEST

/* ---- baselines ---- */

static void no_baseline(const char *text, const char *reason)
{
	struct baseline baseline;
	char got[256];

	ck_assert_int_eq(baseline_parse(&baseline, text, strlen(text), got, sizeof(got)), -1);
	ck_assert_str_eq(got, reason);
	baseline_free(&baseline);
}

START_TEST(bad_baselines)
{
	static const char runs[] =
		"line 1: it has not the results of at least two runs: make it with "
		"\"perfex -r N --json\"";

	no_baseline("{", "line 1: a member of an object is \"name\": value");
	no_baseline("7", runs);
	no_baseline("{\"runs\":1}", runs);
	no_baseline("{\"runs\":1e9}", runs);
	no_baseline("{\"runs\":\"10\"}", runs);
	no_baseline("{\"runs\":1000001}", runs);
	no_baseline("{\"runs\":1000000}", "line 1: it has no events");
	no_baseline("{\"runs\":2}", "line 1: it has no events");
	no_baseline("{\"runs\":2,\n\"events\":[\n7]}",
		    "line 3: an event has its name and the values of each run");
	no_baseline("{\"runs\":2,\"events\":[{\"event\":\"cs\"}]}",
		    "line 1: an event has its name and the values of each run");
	no_baseline("{\"runs\":2,\"events\":[{\"event\":\"cs\",\"values\":[1]}]}",
		    "line 1: there is not one value for each of the runs");
	no_baseline("{\"runs\":2,\"events\":[{\"event\":\"cs\",\"values\":[1,2,3]}]}",
		    "line 1: there is not one value for each of the runs");
	no_baseline("{\"runs\":2,\"events\":[{\"event\":\"cs\",\"values\":[1,\n\"2\"]}]}",
		    "line 2: a value is null or a number that is not negative");
	no_baseline("{\"runs\":2,\"events\":[{\"event\":\"cs\",\"values\":[1,-2]}]}",
		    "line 1: a value is null or a number that is not negative");
	no_baseline("{\"runs\":2,\"events\":[]}", "line 1: there is not one time for each run");
	no_baseline("{\"runs\":2,\"events\":[],\"series\":[{\"elapsed_s\":-1}]}",
		    "line 1: a run has elapsed_s, which is not negative");
	no_baseline("{\"runs\":2,\"events\":[],\"series\":[{\"elapsed_s\":1}]}",
		    "line 1: there is not one time for each run");
	no_baseline("{\"runs\":2,\"events\":[],\"series\":[{\"elapsed_s\":1},{\"elapsed_s\":1},"
		    "{\"elapsed_s\":1}]}",
		    "line 1: there is not one time for each run");
}
END_TEST

START_TEST(good_baseline)
{
	static const char text[] =
		"{\"runs\":2,\"events\":[{\"event\":\"cs\",\"values\":[1,null]},"
		"{\"event\":\"cs\",\"values\":[3,4]}],\"series\":[{\"elapsed_s\":1},"
		"{\"elapsed_s\":2.5}],\"later\":{\"x\":[]}}";
	struct baseline baseline;
	char reason[256];

	ck_assert_int_eq(baseline_parse(&baseline, text, strlen(text), reason, sizeof(reason)), 0);
	ck_assert_uint_eq(baseline.runs, 2);
	ck_assert_uint_eq(baseline.n, 1); /* the first of a name */
	ck_assert_str_eq(baseline.event[0].name, "cs");
	ck_assert(baseline.event[0].series.value[0] == 1 &&
		  isnan(baseline.event[0].series.value[1]));
	ck_assert(!baseline.emulated);
	ck_assert(baseline.elapsed.n == 2 && baseline.elapsed.value[1] == 2.5);
	baseline_free(&baseline);
}
END_TEST

/* How long a run took that was left out is not compared. */
START_TEST(left_out_runs)
{
	static const char text[] =
		"{\"type\":\"counts\",\"runs\":3,\"events\":[],\"series\":["
		"{\"elapsed_s\":1,\"left_out\":false},{\"elapsed_s\":2.5,\"left_out\":true},"
		"{\"elapsed_s\":3}],\"emulator\":\"valgrind-3.19\"}";
	struct baseline baseline;
	char reason[256];

	ck_assert_int_eq(baseline_parse(&baseline, text, strlen(text), reason, sizeof(reason)), 0);
	ck_assert_uint_eq(baseline.elapsed.n, 3);
	ck_assert(baseline.elapsed.value[0] == 1 && isnan(baseline.elapsed.value[1]) &&
		  baseline.elapsed.value[2] == 3);
	ck_assert(baseline.emulated);
	baseline_free(&baseline);
}
END_TEST

UNIT_MAIN("compare", 60, student, student_closed, welch, no_spread, holm, false_alarms, found,
	  decisions, quantiles, intervals, verdicts, digits, negative_means, no_json, json,
	  bad_baselines, good_baseline, left_out_runs)
