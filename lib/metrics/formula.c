// SPDX-License-Identifier: LGPL-2.1-or-later
/* Formulas over counts: they are compiled once, and evaluated often. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/nearest.h"
#include "lib/metrics/formula.h"

enum {
	STEP_NUMBER,
	STEP_EVENT,
	STEP_TIME,
	STEP_ADD,
	STEP_SUBTRACT,
	STEP_MULTIPLY,
	STEP_DIVIDE,
	STEP_MIN,
	STEP_MAX
};

enum { DEPTH = 16 }; /* of nested parentheses, and of the stack */

struct source {
	struct perfctr_formula *formula;
	const char *text, *p; /* all; the word that comes next */
	size_t length;	      /* its length; 0: the end */
	unsigned int depth, height;
	const struct perfctr_formula_facts *facts;
};

static int fail(const struct source *source, const char *why)
{
	return perfctr_fail(EINVAL, "the formula \"%.100s\" is wrong at \"%.*s\": %s", source->text,
			    perfctr_shown(strlen(source->p)), source->p, why);
}

/* The length of a word that is neither a comma nor a parenthesis. */
static size_t word_length(const char *p)
{
	bool inside = false;
	size_t n;

	for (n = 0; p[n] && !strchr(" \t()", p[n]) && (inside || p[n] != ','); n++)
		inside ^= p[n] == '/';
	return n;
}

static void next(struct source *source)
{
	source->p += source->length;
	source->p += strspn(source->p, " \t");
	source->length = *source->p && strchr("(),", *source->p) ? 1 : word_length(source->p);
}

static bool is_word(const struct source *source, const char *word)
{
	return source->length == strlen(word) && !memcmp(source->p, word, source->length);
}

static int expect(struct source *source, const char *word, const char *why)
{
	if (!is_word(source, word))
		return fail(source, why);
	next(source);
	return 0;
}

/* A step that puts a value on the stack, or takes two and leaves one. */
static int add_step(struct source *source, struct perfctr_formula_step step)
{
	struct perfctr_formula *formula = source->formula;

	if (step.what <= STEP_TIME)
		source->height++;
	else
		source->height--;
	if (formula->n == PERFCTR_FORMULA_STEPS || source->height > DEPTH)
		return fail(source, "it is too long");
	formula->step[formula->n++] = step;
	return 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Adds a decimal number, whatever the locale: digits, and perhaps a point and more digits. */
static int add_number(struct source *source)
{
	double value = 0, divisor = 1;
	size_t i, point = 0;

	for (i = 0; i < source->length; i++) {
		if (source->p[i] == '.' && !point) {
			point = i + 1;
			continue;
		}
		if (!is_digit(source->p[i]))
			return fail(source, "that is no number");
		value = value * 10 + (source->p[i] - '0');
		divisor *= point ? 10 : 1;
	}
	if (point == source->length)
		return fail(source, "digits are to follow the point");
	if (isinf(value))
		return fail(source, "that number is too large");
	next(source);
	return add_step(source, (struct perfctr_formula_step){ .what = STEP_NUMBER,
							       .number = value / divisor });
}

/* Adds an event's count or time. */
static int add_event(struct source *source, uint8_t what)
{
	struct perfctr_formula *formula = source->formula;
	unsigned int i;

	for (i = 0; i < formula->events; i++)
		if (formula->event[i].length == source->length &&
		    !memcmp(formula->event[i].name, source->p, source->length))
			break;
	if (i == PERFCTR_FORMULA_EVENTS)
		return fail(source, "it has too many events");
	if (i == formula->events)
		formula->events++;
	formula->event[i].name = source->p;
	formula->event[i].length = source->length;
	next(source);
	return add_step(source, (struct perfctr_formula_step){ .what = what, .event = (uint8_t)i });
}

static int add_sum(struct source *source);

/* This avoids comparing floats for equality, which is a warning. */
static bool is_zero(double value)
{
	return !(value > 0) && !(value < 0);
}

/* Adds min or max, of which the name has been read. */
static int add_choice(struct source *source, uint8_t what)
{
	if (expect(source, "(", "( is to follow min and max") < 0 || add_sum(source) < 0 ||
	    expect(source, ",", "min and max take two values, with a comma between") < 0 ||
	    add_sum(source) < 0 || expect(source, ")", "a ) is missing") < 0)
		return -1;
	return add_step(source, (struct perfctr_formula_step){ .what = what });
}

/* The state of the compilation at one place. */
struct mark {
	unsigned int n, events, height;
	bool lacks_slots;
};

static struct mark mark(const struct source *source)
{
	return (struct mark){ source->formula->n, source->formula->events, source->height,
			      source->formula->lacks_slots };
}

static void forget(struct source *source, struct mark mark)
{
	source->formula->n = mark.n;
	source->formula->events = mark.events;
	source->formula->lacks_slots = mark.lacks_slots;
	source->height = mark.height;
}

/* The value of the sum that comes next, which has no events. */
static int read_condition(struct source *source, bool *is_true)
{
	struct perfctr_formula *formula = source->formula;
	struct perfctr_formula condition = { 0 };
	const char *reason;
	double value;
	int result;

	source->formula = &condition;
	result = add_sum(source);
	source->formula = formula;
	source->height--;
	if (result < 0)
		return -1;
	if (condition.events)
		return fail(source, "a condition has no events");
	formula->lacks_slots |= condition.lacks_slots;
	reason = perfctr_formula_value(&condition, NULL, NULL, &value);
	if (reason)
		return fail(source, reason);
	*is_true = !is_zero(value);
	return 0;
}

/*
 * Adds if, of which the name has been read. Both ways are compiled, and the other one is forgotten.
 */
static int add_if(struct source *source)
{
	struct mark before, after;
	bool is_true;

	if (expect(source, "(", "( is to follow if") < 0 || read_condition(source, &is_true) < 0 ||
	    expect(source, ",", "if takes three values, with commas between") < 0)
		return -1;
	before = mark(source);
	if (add_sum(source) < 0 ||
	    expect(source, ",", "if takes three values, with commas between") < 0)
		return -1;
	if (!is_true)
		forget(source, before);
	after = mark(source);
	if (add_sum(source) < 0)
		return -1;
	if (is_true)
		forget(source, after);
	return expect(source, ")", "a ) is missing");
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Adds time, of which the name has been read. */
static int add_time(struct source *source)
{
	if (expect(source, "(", "( is to follow time") < 0)
		return -1;
	if (!is_letter(*source->p))
		return fail(source, "time takes an event");
	if (add_event(source, STEP_TIME) < 0)
		return -1;
	return expect(source, ")", "a ) is missing");
}

static int add_fact(struct source *source)
{
	const struct perfctr_formula_facts *facts = source->facts;
	double value;

	if (is_word(source, "#smt"))
		value = facts->smt;
	else if (is_word(source, "#slots"))
		value = facts->slots;
	else if (is_word(source, "#revision"))
		value = facts->revision;
	else
		return fail(source, "the facts are #smt, #slots and #revision");
	source->formula->lacks_slots |= is_word(source, "#slots") && !facts->slots;
	next(source);
	return add_step(source,
			(struct perfctr_formula_step){ .what = STEP_NUMBER, .number = value });
}

static int add_factor(struct source *source)
{
	const char *p = source->p;
	bool is_min = is_word(source, "min");

	if (is_digit(*p))
		return add_number(source);
	if (is_min || is_word(source, "max")) {
		next(source);
		return add_choice(source, is_min ? STEP_MIN : STEP_MAX);
	}
	if (is_word(source, "if")) {
		next(source);
		return add_if(source);
	}
	if (*p == '#')
		return add_fact(source);
	if (is_word(source, "time")) {
		next(source);
		return add_time(source);
	}
	if (is_letter(*p))
		return add_event(source, STEP_EVENT);
	if (expect(source, "(", "a number, an event or ( is to stand here") < 0 ||
	    add_sum(source) < 0)
		return -1;
	return expect(source, ")", "a ) is missing");
}

static int add_product(struct source *source)
{
	bool divides;

	if (add_factor(source) < 0)
		return -1;
	while ((divides = is_word(source, "/")) || is_word(source, "*")) {
		next(source);
		if (add_factor(source) < 0 ||
		    add_step(source, (struct perfctr_formula_step){
					     .what = divides ? STEP_DIVIDE : STEP_MULTIPLY }) < 0)
			return -1;
	}
	return 0;
}

static int add_sum(struct source *source)
{
	bool subtracts;

	if (++source->depth > DEPTH)
		return fail(source, "it has too many parentheses");
	if (add_product(source) < 0)
		return -1;
	while ((subtracts = is_word(source, "-")) || is_word(source, "+")) {
		next(source);
		if (add_product(source) < 0 ||
		    add_step(source, (struct perfctr_formula_step){
					     .what = subtracts ? STEP_SUBTRACT : STEP_ADD }) < 0)
			return -1;
	}
	source->depth--;
	return 0;
}

int perfctr_formula_compile(struct perfctr_formula *formula, const char *text,
			    const struct perfctr_formula_facts *facts)
{
	struct source source = { .formula = formula, .text = text, .p = text, .facts = facts };

	formula->n = formula->events = 0;
	formula->lacks_slots = false;
	next(&source);
	if (add_sum(&source) < 0)
		return -1;
	return source.length ? fail(&source, "an operator with blanks around it, or the end, is "
					     "to stand here")
			     : 0;
}

static double apply(unsigned int what, double a, double b)
{
	switch (what) {
	case STEP_ADD: return a + b;
	case STEP_SUBTRACT: return a - b;
	case STEP_MULTIPLY: return a * b;
	case STEP_DIVIDE: return a / b;
	case STEP_MIN: return a < b ? a : b;
	default: return a > b ? a : b;
	}
}

static double operand(const struct perfctr_formula_step *step, const double *counts,
		      const double *seconds)
{
	switch (step->what) {
	case STEP_NUMBER: return step->number;
	case STEP_EVENT: return counts[step->event];
	default: return seconds[step->event];
	}
}

const char *perfctr_formula_value(const struct perfctr_formula *formula, const double *counts,
				  const double *seconds, double *value)
{
	double stack[DEPTH];
	unsigned int i, n = 0;

	for (i = 0; i < formula->n; i++) {
		const struct perfctr_formula_step *step = &formula->step[i];

		if (step->what <= STEP_TIME) {
			stack[n++] = operand(step, counts, seconds);
		} else {
			n--;
			if (step->what == STEP_DIVIDE && is_zero(stack[n]))
				return "it divides by 0";
			stack[n - 1] = apply(step->what, stack[n - 1], stack[n]);
		}
		/* A later step may turn it into a number again: 1 / it, or min. */
		if (isinf(stack[n - 1]))
			return "one of its numbers is too large";
	}
	*value = stack[0];
	return NULL;
}
